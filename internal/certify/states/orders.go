package states

import (
	"fmt"
	"math"
	"slices"

	"orbitmc/mc"
	"orbitmc/model"
)

// This file checks the stubborn sets of a list of states, of a model or of a product: docs/explicit.md and
// docs/theory/liveness.md have the conditions and why they suffice. Each set is compared with what the text says that
// instances touch (model.Accesses), which search uses too; how the set came about does not matter. A set that is more
// than needed is as good.

// orders checks stubborn sets of states of a model.
type orders struct {
	*model.Accesses
	p       *model.Program
	formula bool              // the sets are about a formula: they have nothing that is visible, or errs
	looks   []*model.Property // invariants and covers, or the atoms of the formula
	writers [][]writer        // by leaf
	users   [][]int32         // by leaf: instances that may read or write it, but those that never do anything if there is no formula
	visible map[string][]bool // by values of the parameters, by instance: it may write what is read by what it looks at

	in  []bool      // by instance: it is in the set at hand
	s   model.State // in which it is to be stubborn
	can []int32     // that can fire or err there
}

type writer struct {
	instance int32
	model.Write
}

func newOrders(f *mc.Formulas, formula *model.Formula) (*orders, error) {
	if err := f.Ordered(); err != nil {
		return nil, err
	}
	var atoms []*model.Property
	if formula != nil {
		atoms = formula.Atoms
	}
	return ordersFor(f.Program, true, atoms)
}

func ordersFor(p *model.Program, formula bool, looks []*model.Property) (*orders, error) {
	all, err := p.Accesses(math.MaxInt32)
	if err != nil {
		return nil, err
	}
	n := p.Model.Leaves()
	o := &orders{Accesses: all, p: p, formula: formula, looks: looks, writers: make([][]writer, n), users: make([][]int32, n),
		visible: make(map[string][]bool), in: make([]bool, len(all.All))}
	for i, a := range all.All {
		if !formula && len(p.Model.Rules[a.Rule].Body) == 0 && !slices.ContainsFunc(a.Guard, func(c model.Condition) bool { return !c.Sure }) {
			continue // it changes nothing, and never errs
		}
		leaves := slices.Clone(a.Reads)
		for _, w := range a.Writes {
			o.writers[w.Leaf] = append(o.writers[w.Leaf], writer{int32(i), w})
			leaves = append(leaves, w.Leaf)
		}
		slices.Sort(leaves)
		for _, leaf := range slices.Compact(leaves) {
			o.users[leaf] = append(o.users[leaf], int32(i))
		}
	}
	return o, nil
}

// seen says by instance whether it is visible, for some values of the parameters.
func (o *orders) seen(values []int64) []bool {
	key := fmt.Sprint(values)
	if o.visible[key] == nil {
		o.visible[key] = make([]bool, len(o.All))
		for _, q := range o.looks {
			reads := o.p.ReadsOf(q.Index, values)
			for leaf, writers := range o.writers {
				for _, w := range writers {
					o.visible[key][w.instance] = o.visible[key][w.instance] || reads == nil || reads[leaf]
				}
			}
		}
	}
	return o.visible[key]
}

// stubborn checks that a set is stubborn in a state in which some instances can fire, and others err. It returns which
// instances are in it, valid until the next call.
func (o *orders) stubborn(set []int32, s model.State, can, erring []model.Choice, values []int64) ([]bool, error) {
	clear(o.in)
	o.s, o.can = s, o.can[:0]
	for _, ch := range slices.Concat(can, erring) {
		o.can = append(o.can, int32(o.Number(ch)))
	}
	for _, t := range set {
		if t < 0 || int(t) >= len(o.All) {
			return nil, fmt.Errorf("a stubborn set has no such instance")
		}
		o.in[t] = true
	}
	fires, seen := false, o.seen(values)
	some := o.formula // none that is visible may be in the set, as not all are
	for t, is := range seen {
		some = some || is && !o.in[t]
	}
	for t, in := range o.in {
		var why string
		switch t, k := int32(t), slices.Index(o.can, int32(t)); {
		case !in:
		case k >= len(can) && o.formula:
			why = "errs"
		case k < 0:
			if !o.rests(t, -1) && slices.ContainsFunc(o.All[t].Guard, func(g model.Condition) bool { return !o.still(g.Reads, -1) }) {
				why = "may be enabled by one that is not in it"
			}
		case seen[t] && some:
			why = "writes what a property reads"
		case !o.apart(t):
			why = "is not independent of one that is not in it"
		default:
			fires = fires || k < len(can)
		}
		if why != "" {
			return nil, fmt.Errorf("an instance of a stubborn set %s", why)
		}
	}
	if !fires {
		return nil, fmt.Errorf("no instance of a stubborn set can fire")
	}
	return o.in, nil
}

// apart reports whether what t touches is not written by instances that are not in the set, and what it writes not read,
// unless they rest.
func (o *orders) apart(t int32) bool {
	a := &o.All[t]
	alone := func(leaves []int32, write bool) bool {
		return !slices.ContainsFunc(leaves, func(leaf int32) bool {
			return slices.ContainsFunc(o.users[leaf], func(u int32) bool { return !o.in[u] && o.touches(u, leaf, !write, t) && !o.rests(u, t) })
		})
	}
	return alone(a.SureReads, false) && alone(a.SureWrites, true) &&
		!slices.ContainsFunc(a.Varying, func(v model.Varying) bool { return !alone(v.At(o.s[v.On]), v.Write) })
}

// In what follows, t is an instance that is enabled, or -1: something is to be so as long as none of the set is fired and
// nothing writes what t reads.

// touches reports whether u may write a leaf, or touch it. With an index that is undefined it touches nothing.
func (o *orders) touches(u, leaf int32, write bool, t int32) bool {
	a, moves := &o.All[u], func(w writer) bool { return w.Value != model.Undef }
	if write && !slices.ContainsFunc(a.Writes, func(w model.Write) bool { return w.Leaf == leaf }) {
		return false
	}
	return slices.Contains(a.SureWrites, leaf) || !write && slices.Contains(a.SureReads, leaf) ||
		slices.ContainsFunc(a.Varying, func(v model.Varying) bool {
			return (v.Write || !write) && (slices.Contains(v.At(o.s[v.On]), leaf) || !o.keeps(v.On, t, moves))
		})
}

// keeps reports whether a leaf is not written in some way.
func (o *orders) keeps(leaf, t int32, so func(w writer) bool) bool {
	return t >= 0 && slices.Contains(o.All[t].SureReads, leaf) ||
		!slices.ContainsFunc(o.writers[leaf], func(w writer) bool { return !o.in[w.instance] && so(w) })
}

// still reports whether leaves keep their values.
func (o *orders) still(leaves []int32, t int32) bool {
	return !slices.ContainsFunc(leaves, func(leaf int32) bool {
		return !o.keeps(leaf, t, func(w writer) bool { return o.touches(w.instance, leaf, true, t) })
	})
}

// rests reports whether u, which is disabled, remains so and does not err: a conjunct of its guard remains false, and
// none before it becomes an error, or is one that another conjunct hides.
func (o *orders) rests(u, t int32) bool {
	if slices.Contains(o.can, u) {
		return false
	}
	guard, known := o.All[u].Guard, true // all conjuncts so far are true
	for i := range guard {
		g := &guard[i]
		q := g
		if g.On >= 0 && o.still([]int32{g.On}, t) {
			q = g.Case(o.s[g.On])
		}
		never := func(verdicts ...model.Verdict) bool {
			return o.keeps(q.Leaf, t, func(w writer) bool { return q.Allows(w.Write, verdicts...) && o.touches(w.instance, q.Leaf, true, t) })
		}
		says := model.Errs
		if q != nil && q.Leaf >= 0 {
			says = q.Says(o.s[q.Leaf])
		}
		if says == model.False && never(model.True, model.Errs) {
			return true
		}
		if !g.Sure && !(says != model.Errs && never(model.Errs)) && !(known && o.still(g.Reads, t)) {
			return false
		}
		known = known && says == model.True
	}
	return false
}
