package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file relates the slots of multisets in the system, which have a fixed
// place, to those in the interpreter, which are sorted.

// targetSignals are the inputs that name the slots for new elements.
type targetSignals []targetSignal

type targetSignal struct {
	*target
	first int       // signals first..first+len(hot)-1
	slots []aig.Lit // by slot: it is the least free one for the element that is added here
}

// pick is a ruleset parameter of a slot type and the multisets it may be about.
type pick struct {
	rule, param   int
	slots, stride int
	at            []place // first leaf, and when it is that multiset
}

// findPicks finds the multisets that slot parameters are about: the guard asks
// whether the slot holds an element.
func (b *builder) findPicks() (picks []pick) {
	for i, r := range b.m.Rules {
		for j, p := range r.Params {
			if !p.Var.Type.Slots || r.Guard == nil {
				continue
			}
			x := b.exec(b.base, b.stepTarget)
			if b.enc.steps.symbolic(x.bound, i) == aig.False {
				continue
			}
			var set model.Expr
			model.Inspect(r.Guard, func(n any) {
				q, ok := n.(*model.Present)
				if !ok || set != nil {
					return
				}
				if v, ok := q.X.Index.(*model.Ref); ok && v.Var == p.Var && x.inScope(q.X.X) {
					set = q.X.X
				}
			})
			if set != nil {
				t := set.Type()
				picks = append(picks, pick{i, j, int(t.Index.Card()), 1 + t.Elem.Leaves, x.places(set)})
			}
		}
	}
	return picks
}

// inScope reports whether the variables in e are known and nothing is called.
func (ex *exec) inScope(e model.Expr) bool {
	return !model.Calls(e) && !model.Has(e, func(n any) bool {
		r, ok := n.(*model.Ref)
		return ok && r.Var.Kind != model.StateVar && !hasKey(ex.bound, r.Var) && !hasKey(ex.where, r.Var)
	})
}

// copyPicks completes the encoding with what is needed to translate slots.
func (e *Encoding) copyPicks(b *builder, copier *aig.Copier) {
	for _, p := range b.findPicks() {
		for i := range p.at {
			p.at[i].cond = copier.Copy(p.at[i].cond)
		}
		e.picks = append(e.picks, p)
	}
	signals := func(of *targets, list []ts.Signal) (out targetSignals) {
		for _, t := range of.all {
			first := slices.IndexFunc(list, func(s ts.Signal) bool { return s.Node == t.hot[0].Node() })
			out = append(out, targetSignal{target: t, first: first})
		}
		return out
	}
	e.stepTargets, e.startTargets = signals(b.stepTarget, b.inputs), signals(b.initTarget, b.init)
	e.freeTargets(b, copier, b.rules, e.stepTargets)
	e.freeTargets(b, copier, b.startCodes, e.startTargets)
	e.least = e.leastSlots()
}

// freeTargets notes, for each target, when which slot is the least free one.
func (e *Encoding) freeTargets(b *builder, copier *aig.Copier, codes []ruleCode, signals targetSignals) {
	for i, t := range signals {
		terms := make([][]aig.Lit, len(t.hot))
		for _, rc := range codes {
			for _, c := range rc.chosen {
				if c.key == t.targetKey {
					for k, l := range c.hot {
						terms[k] = append(terms[k], b.g.And(c.on, l))
					}
				}
			}
		}
		for _, ls := range terms {
			signals[i].slots = append(signals[i].slots, copier.Copy(b.g.OrN(ls)))
		}
	}
}

// free returns, target by target, the conditions for their slots.
func (ts targetSignals) free() (ls []aig.Lit) {
	for _, t := range ts {
		ls = append(ls, t.slots...)
	}
	return ls
}

// set sets the targets to free slots, as free has it in the order of the method of
// that name, or to the first.
func (ts targetSignals) set(set, free []bool) {
	for _, t := range ts {
		at := 0
		for k := range t.slots {
			if free != nil && free[k] {
				at = k
			}
			set[t.first+k] = false
		}
		set[t.first+at] = true
		if free != nil {
			free = free[len(t.slots):]
		}
	}
}

// fill sets the targets to the least free slots, which it asks for. Those of an element depend on
// the targets of the elements that the step adds before it.
func (ts targetSignals) fill(set []bool, free func() []bool) {
	ts.set(set, nil)
	for range ts {
		before := slices.Clone(set)
		if ts.set(set, free()); slices.Equal(before, set) {
			return
		}
	}
}

// permute fills image, over the signals, for a permutation of the values of hot
// types.
func (s targetSignals) permute(slots []*model.Type, image []ts.Lit, to func(t *model.Type, v int) int) {
	known := lists.IndexBy(s, func(t targetSignal) targetKey { return t.targetKey })
	for _, t := range s {
		loops := slices.Clone(t.loops)
		for i, l := range loops {
			loops[i].v = to(l.t, l.v)
		}
		key := t.targetKey
		key.loops = loopKey(loops)
		if other, ok := known[key]; ok {
			for k := range t.hot {
				image[t.first+k] = ts.MkLit(s[other].first+to(slots[t.class], k), false)
			}
		}
	}
}

// rank returns the number that slot k of the multiset at base has when the slots
// are sorted: elements first, in lexicographic order.
func rank(s model.State, base, slots, stride, k int) int {
	slot := func(i int) model.State { return s[base+i*stride : base+(i+1)*stride] }
	n := 0
	for i := range slots {
		a, b := slot(i), slot(k)
		free, mine := a[0] == model.Undef, b[0] == model.Undef
		c := slices.Compare(a, b)
		if free == mine && (c < 0 || c == 0 && i < k) || !free && mine {
			n++
		}
	}
	return n
}

// evaluate returns the values of literals of the system for given latches, inputs
// and initial inputs, which may be nil.
func (e *Encoding) evaluate(ls []aig.Lit, latches, inputs, init []bool) []bool {
	g := e.Sys.G
	known := make([]bool, g.Len())
	for k, leaves := range e.Sys.Leaves() {
		values := [...][]bool{latches, inputs, init}[k]
		for i, leaf := range leaves {
			known[leaf.Node] = values != nil && values[i]
		}
	}
	for _, n := range g.Cone(ls) {
		if g.IsAnd(n) {
			a, b := g.Fanins(n)
			known[n] = known[a.Node()] != a.Neg() && known[b.Node()] != b.Neg()
		}
	}
	return lists.Map(ls, func(l aig.Lit) bool { return known[l.Node()] != l.Neg() })
}
