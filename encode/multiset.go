package encode

import (
	"fmt"

	"orbitmc/aig"
	"orbitmc/model"
)

// Multisets are slots. In which free slot an element is put is chosen by an input,
// the target: one-hot over the slots, so that a permutation of the slots of all
// multisets of a type is a permutation of latches and inputs. The j-th element
// that a body adds to multisets of one type uses the j-th target of that type,
// whatever the body. A step whose target is not free stutters.

// targets hands out the slots for new elements; nil targets are the first free
// slots.
type targets struct {
	newSignal func(name string) aig.Lit
	hot       map[[2]int][]aig.Lit // by class and number: one literal for each slot
	valid     map[[2]int]aig.Lit   // at most one of them holds
	order     [][2]int             // in which they were made
}

func newTargets(newSignal func(name string) aig.Lit) *targets {
	return &targets{newSignal: newSignal, hot: make(map[[2]int][]aig.Lit), valid: make(map[[2]int]aig.Lit)}
}

// target returns the j-th target for the slot type t.
func (ts *targets) target(g *aig.Graph, t *model.Type, j int) (hot []aig.Lit, valid aig.Lit) {
	key := [2]int{t.Class, j}
	if _, ok := ts.hot[key]; !ok {
		for k := range t.Card() {
			ts.hot[key] = append(ts.hot[key], ts.newSignal(fmt.Sprintf("target%d.%d=%d", t.Class+1, j+1, k)))
		}
		ts.valid[key] = atMostOne(g, ts.hot[key])
		ts.order = append(ts.order, key)
	}
	return ts.hot[key], ts.valid[key]
}

// atMostOne returns the condition that no two of the literals hold.
func atMostOne(g *aig.Graph, ls []aig.Lit) aig.Lit {
	var conds []aig.Lit
	for i := range ls {
		for j := range i {
			conds = append(conds, g.And(ls[i], ls[j]).Not())
		}
	}
	return g.AndN(conds)
}

// present is the content of the presence leaf of a slot that holds an element.
var present = &code{def: aig.True, lo: 1, hi: 1}

// slotsOf returns the k-th slot of the multisets at ps, of type t.
func slotsOf(ps []place, t *model.Type, k int) []place {
	ss := make([]place, len(ps))
	for i, p := range ps {
		ss[i] = place{p.cond, p.leaf + k*(1+t.Elem.Leaves)}
	}
	return ss
}

func (x *exec) insert(s *model.Insert) {
	t := s.Set.Type()
	var get func() []*code
	if t.Elem.Simple() {
		v := x.checked(x.needUnless(s.CopiesUndefined(x.m.Dialect), s.X), t.Elem)
		cs := []*code{layoutOf(t.Elem).toCode(x.arith, v)}
		get = func() []*code { return cs }
	} else {
		get = x.whole(s.X)
	}
	ps := x.places(s.Set)
	n := int(t.Index.Card())
	free := make([]aig.Lit, n)
	for k := range free {
		ls := make([]aig.Lit, len(ps))
		for i, p := range slotsOf(ps, t, k) {
			ls[i] = x.g.And(p.cond, x.content(p.leaf).def.Not())
		}
		free[k] = x.g.OrN(ls)
	}
	x.runtime(x.g.OrN(free).Not())
	if x.dead() {
		return
	}
	if x.inserts == nil {
		x.inserts = make([]int, len(x.m.Scalarsets))
	} else {
		x.inserts = append([]int(nil), x.inserts...)
	}
	x.inserted = true
	j := x.inserts[t.Index.Class]
	x.inserts[t.Index.Class]++
	to := make([]aig.Lit, n)
	if x.targets == nil {
		rest := aig.True
		for k, f := range free {
			to[k] = x.g.And(rest, f)
			rest = x.g.And(rest, f.Not())
		}
		x.chosen = append(x.chosen, chosen{[2]int{t.Index.Class, j}, x.pc, to})
	} else {
		hot, valid := x.targets.target(x.g, t.Index, j)
		for k, f := range free {
			to[k] = x.g.And(hot[k], f)
		}
		x.cut(x.g.And(valid, x.g.OrN(to)))
		to = hot
	}
	cs := get()
	for k := range n {
		for _, p := range slotsOf(ps, t, k) {
			on := x.g.And(p.cond, to[k])
			x.write(p.leaf, on, present)
			for i, c := range cs {
				x.write(p.leaf+1+i, on, c)
			}
		}
	}
}

// chosen is the slot for an element when targets are the first free ones.
type chosen struct {
	key [2]int // class and number of the target
	on  aig.Lit
	hot []aig.Lit
}

// under returns c for a call that is made where pc holds.
func (c chosen) under(g *aig.Graph, pc aig.Lit) chosen {
	c.on = g.And(c.on, pc)
	return c
}

func (x *exec) remove(s *model.Remove) {
	ps := x.elements(s.X)
	x.runtime(x.present(ps).Not())
	for k := range 1 + s.X.X.Type().Elem.Leaves {
		x.assignTo(ps, k, x.none(x.lay[ps[0].leaf+k]))
	}
}
