package certify

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"orbitmc/model"
)

// This file derives once more, by other means than detect/typing, that permutations of
// values are symmetries of a model. It is told which values are said to be
// interchangeable, and looks only at the classes that they belong to.
//
//	typing.go   sorts: a value of a class goes where values of that class go
//	turns.go    order: turns of loops are run on addresses of leaves, with the values of
//	            the loop variable as they are, and compared; run.go and regions.go run
//	            them, cells.go holds the cells
//
// Where the first derivation names places and compares names, this one runs each rule
// with all its calls on sets of addresses. What the last turn of a loop leaves behind is
// marked and must not be read, where the first one asks for the variables that are live.

// TypedSets checks that every permutation within the blocks of every class maps steps to
// steps, and each of props, at a state, to itself at the image: blocks[c] are sets of
// values of class c, by number; other values stay. The error says what was not shown; that
// does not refute it. TypedSets also returns which of props must be taken together, as an
// instance may violate another one of them than its image does: disjoint sets, ascending,
// that cover what sets has together already. What is shown counts at states where none of
// strict hides an error (model.Machine.Hid).
func TypedSets(m *model.Model, blocks [][][]int, props []int, sets ...[]int) (joint [][]int, strict model.Strict, err error) {
	own, strict, err := derivedOnce(m, blocks, props)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range slices.Concat(sets, own) {
		merged := slices.Clone(s)
		joint = slices.DeleteFunc(joint, func(t []int) bool {
			meets := slices.ContainsFunc(t, func(p int) bool { return slices.Contains(s, p) })
			if meets {
				merged = append(merged, t...)
			}
			return meets
		})
		slices.Sort(merged)
		joint = append(joint, slices.Compact(merged))
	}
	return joint, strict, nil
}

// derived is the last derivation: the check of a closed set asks again what was asked before
// the search.
var derived struct {
	sync.Mutex
	m      *model.Model
	blocks [][][]int
	props  []int
	joint  [][]int
	strict model.Strict
	err    error
}

// derivedOnce returns the sets and the quantifiers of derive, whose result must not be changed.
func derivedOnce(m *model.Model, blocks [][][]int, props []int) (joint [][]int, strict model.Strict, err error) {
	d := &derived
	d.Lock()
	if d.m == m && slices.Equal(d.props, props) && reflect.DeepEqual(d.blocks, blocks) {
		defer d.Unlock()
		return d.joint, maps.Clone(d.strict), d.err
	}
	d.Unlock()
	x, err := derive(m, blocks, props)
	if err == nil {
		joint, strict = x.joint, x.strict
	}
	d.Lock()
	defer d.Unlock()
	d.m, d.blocks, d.props = m, copied(blocks), slices.Clone(props)
	d.joint, d.strict, d.err = joint, strict, err
	return joint, maps.Clone(strict), err
}

func copied(blocks [][][]int) (all [][][]int) {
	for _, class := range blocks {
		var own [][]int
		for _, b := range class {
			own = append(own, slices.Clone(b))
		}
		all = append(all, own)
	}
	return all
}

func derive(m *model.Model, blocks [][][]int, props []int) (*turns, error) {
	k := &sorts{m: m, block: make(map[int][]int), seen: make(map[*model.Proc]bool)}
	for c, bs := range blocks {
		t := m.Scalarsets[c]
		in := make([]int, t.Card())
		for v := range in {
			in[v] = -1 - v
		}
		moves := false
		for i, b := range bs {
			moves = moves || len(b) > 1
			for _, v := range b {
				in[v] = i
			}
		}
		if moves && t.Elems != nil {
			return nil, fmt.Errorf("%v: values stand for those of %v, which forms do not show", t.Pos, t)
		}
		if moves && !t.Slots {
			k.block[c] = in
		}
	}
	x := &turns{sorts: k, props: props, strict: make(model.Strict)}
	if len(k.block) == 0 {
		return x, nil
	}
	k.types()
	for _, r := range m.Rules {
		k.params(r.Params)
		if r.Guard != nil {
			k.sort(r.Guard)
		}
		k.body(r.Body)
	}
	for _, p := range m.Assumptions {
		k.params(p.Params)
		k.sort(p.Expr)
	}
	if k.err != nil {
		return nil, k.err
	}
	return x, x.check()
}

// sorts checks sorts. The sort of an expression is "" for what no permutation moves, "#"
// for a number that is written out, and the name of a class or union otherwise.
type sorts struct {
	m     *model.Model
	block map[int][]int // by class that moves, and value: its block, negative if it is alone
	seen  map[*model.Proc]bool
	err   error
}

func (k *sorts) fail(pos model.Pos, format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf("%v: %s", pos, fmt.Sprintf(format, args...))
	}
}

const literal = "#"

// of returns the sort of values of a simple type.
func (k *sorts) of(t *model.Type) string {
	if t.Kind == model.Union {
		for _, p := range t.Parts {
			if k.of(p) != "" {
				return fmt.Sprintf("union %p", t)
			}
		}
		return ""
	}
	if _, ok := k.block[t.Class]; ok && t.Classed() {
		return fmt.Sprint("class ", t.Class)
	}
	return ""
}

func (k *sorts) class(sort string) (c int, ok bool) {
	_, err := fmt.Sscanf(sort, "class %d", &c)
	return c, err == nil
}

// alone checks that a value of a class, as it is written, stays.
func (k *sorts) alone(sort string, value int64, pos model.Pos) {
	c, ok := k.class(sort)
	if !ok {
		if sort != "" && sort != literal {
			k.fail(pos, "a number stands for a value of a union")
		}
		return
	}
	w := value - k.m.Scalarsets[c].First
	if w >= 0 && w < int64(len(k.block[c])) && k.block[c][w] >= 0 {
		n := 0
		for _, b := range k.block[c] {
			if b == k.block[c][w] {
				n++
			}
		}
		if n > 1 {
			k.fail(pos, "a value that moves is written out")
		}
	}
}

// told checks that values of one block are not told apart.
func (k *sorts) told(sort string, pos model.Pos, apart func(v int64) bool) {
	c, ok := k.class(sort)
	if !ok {
		return
	}
	first := k.m.Scalarsets[c].First
	for v, b := range k.block[c] {
		for w, d := range k.block[c] {
			if b >= 0 && b == d && apart(first+int64(v)) != apart(first+int64(w)) {
				k.fail(pos, "values that are interchangeable are told apart")
				return
			}
		}
	}
}

// types checks that ranges of a class have all of a block or nothing.
func (k *sorts) types() {
	seen := make(map[*model.Type]bool)
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		k.whole(t, t.Pos)
		visit(t.Index)
		visit(t.Elem)
		for _, p := range t.Parts {
			visit(p)
		}
		for _, f := range t.Fields {
			visit(f.Type)
		}
	}
	for _, v := range k.m.Vars {
		visit(v.Type)
	}
}

func (k *sorts) whole(t *model.Type, pos model.Pos) {
	if t.Kind == model.Range {
		k.told(k.of(t), pos, func(v int64) bool { return t.Lo <= v && v <= t.Hi })
	}
}

// match checks that values of two sorts meet.
func (k *sorts) match(want, got string, e model.Expr) {
	if c, ok := e.(*model.ConstExpr); ok {
		k.alone(want, c.Value, e.Position())
	}
	if got == literal {
		got = want
	}
	if want != literal && want != got {
		k.fail(e.Position(), "`%s` is of another sort than what it is used for", model.Text(e))
	}
}

// fits checks that a value, or a whole, of e goes to a place of type t.
func (k *sorts) fits(t *model.Type, e model.Expr) {
	if t.Simple() {
		k.whole(t, e.Position())
		k.match(k.of(t), k.sort(e), e)
		return
	}
	k.sort(e)
	k.shape(t, e.Type(), e.Position())
}

func (k *sorts) shape(t, u *model.Type, pos model.Pos) {
	switch {
	case t == u:
	case t.Kind != u.Kind || len(t.Fields) != len(u.Fields) || t.Kind == model.Multiset:
		k.fail(pos, "%v and %v differ", t, u)
	case t.Simple():
		if k.of(t) != k.of(u) {
			k.fail(pos, "%v and %v differ", t, u)
		}
	case t.Kind == model.Array:
		k.shape(t.Index, u.Index, pos)
		k.shape(t.Elem, u.Elem, pos)
	}
	for i := range t.Fields {
		if t != u && i < len(u.Fields) {
			k.shape(t.Fields[i].Type, u.Fields[i].Type, pos)
		}
	}
}

func (k *sorts) params(ps []*model.Param) {
	for _, p := range ps {
		k.domain(p.Var, p.Domain)
	}
}

func (k *sorts) domain(v *model.Var, d model.Domain) {
	sort := k.of(v.Type)
	if d.From == nil {
		if k.of(d.Type) != sort {
			k.fail(v.Pos, "%s is of another sort than its values", v.Name)
		}
		k.whole(d.Type, v.Pos)
		return
	}
	fixed := true
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			k.plain(e)
			_, ok := e.(*model.ConstExpr)
			fixed = fixed && ok
		}
	}
	if sort == "" {
		return
	}
	if !fixed {
		k.fail(v.Pos, "the bounds of %s vary", v.Name)
		return
	}
	values := d.Values()
	k.told(sort, v.Pos, func(v int64) bool { return slices.Contains(values, v) })
}

// plain checks that e is a number that nothing moves.
func (k *sorts) plain(e model.Expr) {
	if s := k.sort(e); s != "" && s != literal {
		k.fail(e.Position(), "`%s` is used as a number", model.Text(e))
	}
}

func (k *sorts) call(p *model.Proc, args []model.Expr) {
	for i, f := range p.Params {
		k.fits(f.Var.Type, args[i])
	}
	if !k.seen[p] {
		k.seen[p] = true
		k.proc(p)
	}
}

func (k *sorts) proc(p *model.Proc) {
	model.Inspect(p.Body, func(n any) {
		if r, ok := n.(*model.Return); ok && r.X != nil {
			k.fits(p.Result, r.X)
		}
	})
	k.body(p.Body)
}

// sort checks an expression and returns its sort.
func (k *sorts) sort(e model.Expr) string {
	if k.err != nil || e == nil {
		return ""
	}
	switch e := e.(type) {
	case *model.ConstExpr:
		if s := k.of(e.T); s != "" {
			k.alone(s, e.Value, e.Pos)
			return s
		}
		if e.T.Numeric() {
			return literal
		}
		return ""
	case *model.Ref:
		return k.of(e.Var.Type)
	case *model.FieldSel:
		k.sort(e.X)
		return k.of(e.Type())
	case *model.IndexSel:
		k.sort(e.X)
		if t := e.X.Type(); t.Kind == model.Array {
			k.fits(t.Index, e.Index)
		}
		return k.of(e.Type())
	case *model.Unary:
		k.plain(e.X)
		return ""
	case *model.Binary:
		k.binary(e)
		return ""
	case *model.Cond:
		k.sort(e.If)
		x, y := k.sort(e.Then), k.sort(e.Else)
		if x == literal || x == "" && y != literal {
			x, y = y, x
			k.match(x, y, e.Then)
		} else {
			k.match(x, y, e.Else)
		}
		return x
	case *model.Quant:
		k.domain(e.Var, e.Domain)
		k.sort(e.Body)
		return ""
	case *model.Count:
		k.domain(e.Var, e.Domain)
		k.sort(e.Body)
		return ""
	case *model.IsUndefined:
		k.sort(e.X)
		return ""
	case *model.Present:
		k.sort(e.X)
		return ""
	case *model.IsMember:
		k.sort(e.X)
		return ""
	case *model.Convert:
		x := k.sort(e.X)
		from, to := e.X.Type(), e.To
		if (x == "" || x == literal) && k.of(to) == "" && from.Numeric() && to.Numeric() {
			return ""
		}
		if from.Kind != model.Union {
			from, to = to, from
		}
		if from != to && !slices.Contains(from.Parts, to) {
			k.fail(e.Pos, "a conversion between %v and %v", e.X.Type(), e.To)
		}
		return k.of(e.To)
	case *model.CallExpr:
		k.call(e.Proc, e.Args)
		return k.of(e.Proc.Result)
	case *model.Let:
		k.fits(e.Var.Type, e.X)
		return k.sort(e.Body)
	}
	k.fail(e.Position(), "an unknown expression")
	return ""
}

func (k *sorts) binary(e *model.Binary) {
	x, y := k.sort(e.X), k.sort(e.Y)
	switch {
	case e.Op <= model.Implies:
	case e.Op <= model.Ne:
		if x == literal {
			k.match(y, x, e.X)
		} else {
			k.match(x, y, e.Y)
		}
	case e.Op < model.Add:
		c, ok := e.Y.(*model.ConstExpr)
		sort, less := x, e.Op
		if !ok {
			if c, ok = e.X.(*model.ConstExpr); ok {
				sort = y
				less = map[model.Op]model.Op{model.Lt: model.Gt, model.Gt: model.Lt, model.Le: model.Ge, model.Ge: model.Le}[less]
			}
		}
		if !ok {
			k.plain(e.X)
			k.plain(e.Y)
			return
		}
		k.told(sort, e.Pos, func(v int64) bool {
			switch less {
			case model.Lt:
				return v < c.Value
			case model.Le:
				return v <= c.Value
			case model.Gt:
				return v > c.Value
			}
			return v >= c.Value
		})
	default:
		k.plain(e.X)
		k.plain(e.Y)
	}
}

func (k *sorts) body(body []model.Stmt) {
	for _, s := range body {
		k.stmt(s)
	}
}

func (k *sorts) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		k.sort(s.LHS)
		k.fits(s.LHS.Type(), s.RHS)
	case *model.If:
		for _, c := range s.Clauses {
			k.sort(c.Cond)
			k.body(c.Body)
		}
		k.body(s.Else)
	case *model.Switch:
		x := k.sort(s.X)
		for _, c := range s.Cases {
			for _, v := range c.Values {
				k.match(x, k.sort(v), v)
			}
			k.body(c.Body)
		}
		k.body(s.Else)
	case *model.For:
		k.domain(s.Var, s.Domain)
		k.body(s.Body)
	case *model.While:
		k.sort(s.Cond)
		k.body(s.Body)
	case *model.Undefine:
		k.sort(s.X)
	case *model.Clear:
		k.sort(s.X)
		k.cleared(s.X.Type(), s.Pos)
	case *model.Alias:
		k.fits(s.Var.Type, s.X)
		k.body(s.Body)
	case *model.Call:
		k.call(s.Proc, s.Args)
	case *model.Return:
	case *model.Insert:
		k.sort(s.Set)
		k.fits(s.Set.Type().Elem, s.X)
	case *model.Remove:
		k.sort(s.X)
	case *model.Assume:
		k.sort(s.Cond)
	case *model.CoverStmt:
		k.sort(s.Cond)
	case *model.Assert:
		k.sort(s.Cond)
	case *model.Put:
		k.sort(s.X)
	default:
		k.fail(s.Position(), "an unknown statement")
	}
}

// cleared checks that the least values of the leaves of t stay.
func (k *sorts) cleared(t *model.Type, pos model.Pos) {
	switch t.Kind {
	case model.Array:
		k.cleared(t.Elem, pos)
	case model.Record:
		for _, f := range t.Fields {
			k.cleared(f.Type, pos)
		}
	case model.Union:
		part, v := t.Part(0)
		k.alone(k.of(part), v, pos)
	case model.Multiset:
	default:
		k.alone(k.of(t), t.Lo, pos)
	}
}
