package encode

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// A multiset is a row of slots. An input, the target, chooses the free slot of a
// new element. It is one-hot over the slots, so a permutation of the slots of all
// multisets of a type is a permutation of latches and inputs. The j-th element
// that a rule adds to multisets of one type uses the j-th target of that type,
// whatever the rule; guard, functions and assumptions count. Elements that one step adds
// must not share a target, since its slot need not be free in both multisets. A loop over a scalarset has targets for each value, so that
// exchanging the values exchanges the targets. A step whose target is not free
// stutters.

// targetKey says which element a target is for.
type targetKey struct {
	class int    // of the slots
	loops string // the values of the loops over scalarsets and unions around it
	nth   int
}

// target is one-hot over slots.
type target struct {
	targetKey
	loops []loopValue
	hot   []aig.Lit
	valid aig.Lit // at most one of them holds
}

// loopValue is the value of a loop over a one-hot type.
type loopValue struct {
	t *model.Type
	v int
}

func loopKey(loops []loopValue) string {
	var key []byte
	for _, l := range loops {
		key = fmt.Appendf(key, "%p=%d ", l.t, l.v)
	}
	return string(key)
}

// targets hands out the slots for new elements; nil targets are the first free
// slots.
type targets struct {
	newSignal func(name string) aig.Lit
	all       []*target
	known     map[targetKey]*target
}

func newTargets(newSignal func(name string) aig.Lit) *targets {
	return &targets{newSignal: newSignal, known: make(map[targetKey]*target)}
}

// get returns a target for the slot type t.
func (ta *targets) get(g *aig.Graph, t *model.Type, key targetKey, loops []loopValue) *target {
	to, ok := ta.known[key]
	if !ok {
		to = &target{targetKey: key, loops: slices.Clone(loops)}
		name := fmt.Sprintf("target%d.%d", t.Class+1, key.nth+1)
		for _, l := range loops {
			name += "," + l.t.Format(int64(l.v))
		}
		for k := range t.Card() {
			to.hot = append(to.hot, ta.newSignal(fmt.Sprintf("%s=%d", name, k)))
		}
		to.valid = atMostOne(g, to.hot)
		ta.known[key] = to
		ta.all = append(ta.all, to)
	}
	return to
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
	return lists.Map(ps, func(p place) place { return place{p.cond, p.leaf + k*(1+t.Elem.Leaves)} })
}

func (ex *exec) insert(s *model.Insert) {
	t := s.Set.Type()
	var get func() []*code
	if t.Elem.Simple() {
		v := ex.checked(ex.needUnless(s.CopiesUndefined(ex.m.Dialect), s.X), t.Elem)
		cs := []*code{layoutOf(t.Elem).toCode(ex.arith, v)}
		get = func() []*code { return cs }
	} else {
		get = ex.whole(s.X)
	}
	ps := ex.places(s.Set)
	n := int(t.Index.Card())
	free := make([]aig.Lit, n)
	for k := range free {
		ls := make([]aig.Lit, len(ps))
		for i, p := range slotsOf(ps, t, k) {
			ls[i] = ex.g.And(p.cond, ex.content(p.leaf).def.Not())
		}
		free[k] = ex.g.OrN(ls)
	}
	ex.runtime(ex.g.OrN(free).Not())
	if ex.dead() {
		return
	}
	key := targetKey{class: t.Index.Class, loops: loopKey(ex.loops)}
	key.nth = ex.inserts[key]
	ex.inserted, ex.inserts = true, maps.Clone(ex.inserts)
	if ex.inserts == nil {
		ex.inserts = make(map[targetKey]int)
	}
	ex.inserts[targetKey{class: key.class, loops: key.loops}]++
	to, rest := make([]aig.Lit, n), aig.True
	for k, f := range free { // the least free slot
		to[k] = ex.g.And(rest, f)
		rest = ex.g.And(rest, f.Not())
	}
	if ex.targets != nil {
		ex.chosen = append(ex.chosen, chosen{key, ex.pc, slices.Clone(to)})
		in := ex.targets.get(ex.g, t.Index, key, ex.loops)
		for k, f := range free {
			to[k] = ex.g.And(in.hot[k], f)
		}
		ex.cut(ex.g.And(in.valid, ex.g.OrN(to)))
		to = in.hot
	}
	ex.added(ps)
	cs := get()
	for k := range n {
		for _, p := range slotsOf(ps, t, k) {
			on := ex.g.And(p.cond, to[k])
			ex.write(p.leaf, on, present)
			for i, c := range cs {
				ex.write(p.leaf+1+i, on, c)
			}
		}
	}
}

// chosen is the least free slot for an element that is added where on holds. It depends on
// the targets of the elements that were added before.
type chosen struct {
	key targetKey
	on  aig.Lit
	hot []aig.Lit
}

// under returns c for a call that is made where pc holds.
func (c chosen) under(g *aig.Graph, pc aig.Lit) chosen {
	c.on = g.And(c.on, pc)
	return c
}

func (ex *exec) remove(s *model.Remove) {
	ps := ex.elements(s.X)
	ex.runtime(ex.present(ps).Not())
	ex.freed = lists.Union(ex.freed, leavesOf(ex.inside))
	for k := range 1 + s.X.X.Type().Elem.Leaves {
		ex.assignTo(ps, k, ex.none(ex.lay[ps[0].leaf+k]))
	}
}
