package reference

import (
	"cmp"
	"errors"
	"slices"

	"orbitmc/model"
)

// This file is the reference interpreter (walk.go) on statements.

func (w *Walker) exec(stmts []model.Stmt) error {
	for _, s := range stmts {
		top := len(w.mem)
		if err := w.stmt(s); err != nil {
			return err
		}
		w.mem = w.mem[:top]
	}
	return nil
}

// clear gives all leaves of t the least value.
func (w *Walker) clear(t *model.Type, at int) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			w.clear(f.Type, at+f.Offset)
		}
	case model.Array:
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			w.clear(t.Elem, at+i*t.Elem.Leaves)
		}
	case model.Multiset:
		w.undefine(at, t.Leaves)
	default:
		w.wrote(at, 1)
		if w.mem[at] = t.Lo; t.Kind == model.Real {
			w.mem[at] = 0
		}
	}
}

// sort puts the multisets among the leaves of t in order; all of what is in them counts
// as read.
func (w *Walker) sort(t *model.Type, at int) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			w.sort(f.Type, at+f.Offset)
		}
	case model.Array:
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			w.sort(t.Elem, at+i*t.Elem.Leaves)
		}
	case model.Multiset:
		l := w.mem[at : at+t.Leaves]
		if !slices.Contains(w.put[at:at+t.Leaves], true) {
			return // it is in order
		}
		w.read(at, t.Leaves)
		w.wrote(at, t.Leaves)
		var full, free [][]int64
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			k := at + i*(1+t.Elem.Leaves)
			w.sort(t.Elem, k+1)
			slot := slices.Clone(w.mem[k : k+1+t.Elem.Leaves])
			if slot[0] == model.Undef {
				free = append(free, slices.Repeat([]int64{model.Undef}, len(slot)))
			} else {
				full = append(full, slot)
			}
		}
		slices.SortFunc(full, slices.Compare)
		copy(l, slices.Concat(append(full, free...)...))
	}
}

func (w *Walker) assign(s *model.Assign) error {
	t := s.LHS.Type()
	to, err := w.place(s.LHS)
	if err != nil {
		return err
	}
	from, err := w.whole(s.RHS)
	if err != nil {
		return err
	}
	w.read(from, t.Leaves)
	if t.Simple() {
		v := w.mem[from]
		if v == model.Undef && !walkCopies(w.m.Dialect, s.RHS) || v != model.Undef && t.Kind != model.Integer && (v < t.Lo || v > t.Hi) {
			return errRun
		}
	}
	w.copy(to, from, t.Leaves)
	return nil
}

func (w *Walker) stmt(s model.Stmt) error {
	if w.fuel--; w.fuel < 0 {
		return errFuel
	}
	if w.ran != nil {
		w.ran[s]++
	}
	if w.flow == nil {
		return w.run1(s)
	}
	outer := w.flow.enter(s)
	err := w.run1(s)
	w.flow.leave(outer, err)
	return err
}

func (w *Walker) run1(s model.Stmt) error {
	switch s := s.(type) {
	case *model.Assign:
		return w.assign(s)
	case *model.Reset:
		at, err := w.place(s.X)
		switch {
		case err != nil:
		case s.Least:
			w.clear(s.X.Type(), at)
		default:
			w.undefine(at, s.X.Type().Leaves)
		}
		return err
	case *model.If:
		if s.Switch != nil {
			return w.switched(s)
		}
		for _, c := range s.Clauses {
			b, err := w.eval(c.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return w.exec(c.Body)
			}
		}
		return w.exec(s.Else)
	case *model.For:
		at := w.alloc(1)
		return w.each(s.Domain, func(v int64) (bool, error) {
			w.at[s.Var], w.mem[at] = at, v
			err := w.exec(s.Body)
			return err == nil, err
		})
	case *model.While:
		most := cmp.Or(w.m.LoopMax, model.DefaultLoopMax)
		for i := 0; ; i++ {
			b, err := w.eval(s.Cond)
			if err != nil || b == 0 {
				return err
			}
			if i == most {
				return errRun
			}
			if err := w.exec(s.Body); err != nil {
				return err
			}
		}
	case *model.Alias:
		if err := w.name(s.Var, s.X); err != nil {
			return err
		}
		return w.exec(s.Body)
	case *model.Call:
		_, err := w.call(s.Proc, s.Args)
		return err
	case *model.Return:
		return w.returns(s)
	case *model.Insert:
		return w.insert(s)
	case *model.Remove:
		at, err := w.slot(s.X)
		if err != nil {
			return err
		}
		if w.read(at, 1); w.mem[at] == model.Undef {
			return errRun
		}
		w.undefine(at, 1+s.X.X.Type().Elem.Leaves)
	case *model.Assume:
		b, err := w.eval(s.Cond)
		if err == nil && b == 0 {
			err = errDisabled
		}
		return err
	case *model.CoverStmt:
		b, err := w.eval(s.Cond)
		if b != 0 && err == nil {
			w.hits = append(w.hits, s.Prop)
		}
		return err
	case *model.Put:
		if s.X == nil {
			return nil
		}
		if walkPlaced(s.X) {
			_, err := w.place(s.X)
			return err
		}
		if !s.X.Type().Simple() {
			_, err := w.whole(s.X)
			return err
		}
		_, err := w.eval(s.X)
		return err
	case *model.Assert:
		if s.Cond != nil {
			b, err := w.eval(s.Cond)
			if err != nil {
				w.errs(err, s.Prop)
				return err
			}
			if b != 0 {
				return nil
			}
		}
		return failure(s.Prop)
	default:
		return errors.New("unknown statement")
	}
	return nil
}

// switched runs a switch as it is written.
func (w *Walker) switched(s *model.If) error {
	x, err := w.operand(s.Switch.X)
	if err != nil {
		return err
	}
	for i, values := range s.Switch.Values {
		for _, k := range values {
			v, err := w.operand(k)
			if err != nil {
				return err
			}
			if v == x {
				return w.exec(s.Clauses[i].Body)
			}
		}
	}
	return w.exec(s.Else)
}

func (w *Walker) returns(s *model.Return) error {
	if s.X == nil {
		return errReturn
	}
	from, err := w.whole(s.X)
	if err != nil {
		return err
	}
	t := w.proc.Result
	w.read(from, t.Leaves)
	v := w.mem[from]
	if w.flow != nil {
		w.flow.set(w.result, t.Leaves)
		w.flow.pass(w.result, from, t.Leaves)
	}
	copy(w.mem[w.result:], w.mem[from:from+t.Leaves])
	if !t.Simple() {
		return errReturn
	}
	k := walkStrip(s.X).Type().Kind
	loose := w.m.Dialect == model.CMurphi && (k == model.Scalarset || k == model.Union || k == model.Enum && s.X.Type().Kind == model.Enum)
	if v == model.Undef && !loose {
		return errRun
	}
	if w.m.Dialect == model.CMurphi && v != model.Undef && (v < t.Lo || v > t.Hi) {
		return errRun
	}
	return errReturn
}

func (w *Walker) insert(s *model.Insert) error {
	set, err := w.place(s.Set)
	if err != nil {
		return err
	}
	from, err := w.whole(s.X)
	if err != nil {
		return err
	}
	t := s.Set.Type()
	n := t.Elem.Leaves
	w.read(from, n)
	if u := t.Elem; u.Simple() {
		k, v := s.X.Type().Kind, w.mem[from]
		if v == model.Undef && (w.m.Dialect == model.Rumur || k != model.Enum && k != model.Scalarset && k != model.Union) {
			return errRun
		}
		if v != model.Undef && (v < u.Lo || v > u.Hi) {
			return errRun
		}
	}
	for i := range int(t.Index.Hi - t.Index.Lo + 1) {
		at := set + i*(1+n)
		if w.flow == nil { // to a flow, which slot is free is of no interest
			w.read(at, 1)
		}
		if w.mem[at] == model.Undef {
			w.wrote(at, 1)
			w.mem[at] = 1
			w.copy(at+1, from, n)
			return nil
		}
	}
	return errRun
}
