package typing

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file is about places in a turn: what is read and written there.

type selKind uint8

// sel is a step from a place to a part.
type sel struct {
	kind selKind
	k    int64 // of a field or constant
}

// place is a variable or part of one.
type place struct {
	root *model.Var
	sels []sel
	t    *model.Type
	sets []*model.Type // multisets of which it is in an element
}

func (p place) with(s sel, t *model.Type) place {
	p.sels = append(p.sels[:len(p.sels):len(p.sels)], s)
	p.t = t
	return p
}

// dep reports whether turns may differ in what the place is.
func (p place) dep() bool {
	return slices.ContainsFunc(p.sels, func(s sel) bool { return s.kind == byOwn || s.kind == byAny })
}

// one reports whether places of the same selectors are the same place.
func (p place) one() bool {
	return !slices.ContainsFunc(p.sels, func(s sel) bool { return s.kind == byFixed || s.kind == byAny })
}

// path returns a name of the place if there are only fields in it.
func (p place) path() (string, bool) {
	key := ""
	for _, s := range p.sels {
		if s.kind != byField {
			return "", false
		}
		key += fmt.Sprint(".", s.k)
	}
	return key, true
}

func (p place) String() string {
	s := p.root.Name
	t := p.root.Type
	for _, x := range p.sels {
		if x.kind == byField {
			s += "." + t.Fields[x.k].Name
			t = t.Fields[x.k].Type
		} else {
			s += "[…]"
			t = t.Elem
		}
	}
	return s
}

func (tu *turn) note(a access) {
	if tu.private[a.p.root] {
		return
	}
	key := fmt.Sprint(a.kind, a.p.root.Kind, fmt.Sprintf("%p", a.p.root), a.p.sels, a.sign, a.value, a.tracked, a.removes, a.p.t.Leaves)
	if !tu.seen[key] {
		tu.seen[key] = true
		tu.accs = append(tu.accs, a)
	}
}

// followed reports whether the value of a place is followed.
func (tu *turn) followed(p place) (leaf, bool) {
	path, ok := p.path()
	return leaf{p.root, path}, ok && p.root.Kind != model.StateVar
}

// place resolves a designator, or a call or Let with a result that is not simple.
func (tu *turn) place(e model.Expr) place {
	switch e := e.(type) {
	case *model.Ref:
		if p, ok := tu.env[e.Var]; ok {
			return p
		}
		p := place{root: e.Var, t: e.Var.Type}
		if t := tu.a.targets[e.Var]; t != nil {
			for s := range t.sets {
				p.sets = append(p.sets, s)
			}
		}
		return p
	case *model.FieldSel:
		return tu.place(e.X).with(sel{byField, int64(e.Field)}, e.Type())
	case *model.IndexSel:
		p := tu.place(e.X)
		t := e.X.Type()
		x := tu.eval(e.Index, false)
		if t.Kind == model.Array && t.Index.Numeric() {
			tu.within(e.Index, t.Index)
		}
		p = p.with(x.index(), t.Elem)
		if t.Kind == model.Multiset {
			if !tu.isPresent(e) {
				tu.runtime() // a free slot
			}
			p.sets = append(p.sets[:len(p.sets):len(p.sets)], t)
		}
		return p
	case *model.CallExpr:
		p, _ := tu.call(e, e.Proc, e.Args, e.Pos)
		return p
	case *model.Let:
		tu.bind(e.Var, e.X, e.Pos)
		return tu.place(e.Body)
	}
	tu.fail(e.Position(), "`%s` is not followed", model.Text(e))
	return place{root: &model.Var{Type: e.Type()}, t: e.Type()}
}

// index is the selector of an index with this value.
func (v value) index() sel {
	switch {
	case v.own:
		return sel{kind: byOwn}
	case v.known:
		return sel{byConst, v.k}
	case !v.dep:
		return sel{kind: byFixed}
	}
	return sel{kind: byAny}
}

// isPresent reports whether e is an element that was found to be there, in this state.
func (tu *turn) isPresent(e *model.IndexSel) bool {
	return slices.ContainsFunc(tu.present, func(x *model.IndexSel) bool { return model.SamePlace(tu.a.resolved(x, true), tu.a.resolved(e, true)) })
}

// load reads a leaf; raw says that it may be undefined.
func (tu *turn) load(p place, pos model.Pos, raw bool) value {
	at, ok := tu.followed(p)
	v := value{dep: true}
	switch e, known := tu.store[at]; {
	case ok && known && !e.weak:
		v = e.value
	case tu.private[p.root]:
		if ok && !known {
			v = value{def: -1}
		}
	default:
		tu.note(access{kind: read, p: p, pos: pos})
		v.dep = p.dep() || known
		if tu.defined(p) {
			v.def = 1
		}
		key, one := fmt.Sprintf("%p%v", p.root, p.sels), p.one()
		if one && tu.sure[key] && !v.dep {
			v.def = 1
		}
		if !raw && v.def != 1 && !v.dep && tu.uniform() {
			tu.sure[key] = one
			v.def = 1
		}
	}
	if !raw && v.def != 1 {
		tu.runtime()
		v.def = 1
	}
	return v
}

// defined reports whether a leaf that is not the turn's own is always defined.
func (tu *turn) defined(p place) bool {
	if p.root.Kind == model.BoundVar {
		return true
	}
	if !tu.early {
		return false
	}
	suffix := ""
	for _, s := range p.sels {
		if s.kind == byField {
			suffix += fmt.Sprint(".", s.k)
		} else {
			suffix += "[]"
		}
	}
	switch p.root.Kind {
	case model.StateVar:
		return tu.a.known[p.root.Name+suffix]
	case model.LocalVar:
		key, ok := tu.a.copied[p.root]
		return ok && tu.a.known[key+suffix]
	case model.RefVar:
		keys, local := tu.a.keysOfVar(p.root, suffix, make(map[*model.Var]bool))
		return !local && !slices.ContainsFunc(keys, func(k string) bool { return !tu.a.known[k] })
	}
	return false
}

// save writes a leaf, or a part that is not followed further.
func (tu *turn) save(p place, v value, name string, pos model.Pos) {
	at, ok := tu.followed(p)
	if ok {
		tu.store[at] = entry{value: v}
	}
	switch {
	case v.known && v.def == 1:
		name = fmt.Sprint("=", v.k)
	case v.def == -1:
		name = "undefined"
	case v.dep:
		name = ""
	}
	tu.note(access{kind: write, p: p, pos: pos, value: name, tracked: ok})
}

// parts calls f for the parts of p that are no records.
func parts(p place, f func(p place)) {
	if p.t.Kind != model.Record {
		f(p)
		return
	}
	for i, x := range p.t.Fields {
		parts(p.with(sel{byField, int64(i)}, x.Type), f)
	}
}

// copy copies a whole.
func (tu *turn) copy(dst, src place, pos model.Pos) {
	_, from := tu.followed(src)
	if _, to := tu.followed(dst); !from && !to {
		tu.note(access{kind: read, p: src, pos: pos})
		tu.note(access{kind: write, p: dst, pos: pos})
		return
	}
	var vs []value
	if !from {
		tu.note(access{kind: read, p: src, pos: pos})
	}
	parts(src, func(p place) {
		v := value{dep: true}
		if from && p.t.Simple() {
			v = tu.load(p, pos, true)
		} else if from {
			tu.note(access{kind: read, p: p, pos: pos})
		}
		vs = append(vs, v)
	})
	i := 0
	parts(dst, func(p place) {
		tu.save(p, vs[i], "", pos)
		i++
	})
}

// addend returns k if s is n := n + k or n := n - k, for a constant.
func addend(s *model.Assign) (k int64, ok bool) {
	b, ok := s.RHS.(*model.Binary)
	if !ok || b.Op != model.Add && b.Op != model.Sub {
		return 0, false
	}
	x, y := b.X, b.Y
	if _, first := x.(*model.ConstExpr); first && b.Op == model.Add {
		x, y = y, x
	}
	c, ok := y.(*model.ConstExpr)
	if !ok || !model.SamePlace(s.LHS, x) {
		return 0, false
	}
	if b.Op == model.Sub {
		return -c.Value, true
	}
	return c.Value, true
}

// span returns bounds of the defined values of a number.
func span(e model.Expr) (lo, hi int64, ok bool) {
	const large = 1 << 30
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, e.Value, -large < e.Value && e.Value < large
	case *model.Cond:
		a, b, ok1 := span(e.Then)
		c, d, ok2 := span(e.Else)
		return min(a, c), max(b, d), ok1 && ok2
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		t := e.Type()
		return t.Lo, t.Hi, t.Kind != model.Integer && t.Simple() && -large < t.Lo && t.Hi < large
	case *model.Quant:
		if e.Counts && e.Domain.From == nil {
			return 0, e.Domain.Type.Card(), e.Domain.Type.Card() < large
		}
	case *model.Binary:
		a, b, ok1 := span(e.X)
		c, d, ok2 := span(e.Y)
		if !ok1 || !ok2 {
			return 0, 0, false
		}
		switch e.Op {
		case model.Add:
			lo, hi = a+c, b+d
		case model.Sub:
			lo, hi = a-d, b-c
		default:
			return 0, 0, false
		}
		return lo, hi, -large < lo && hi < large
	}
	return 0, 0, false
}
