package cofactor

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file takes a state apart into parts that W does not relate to each other. W is a
// conjunction over small parts of the state, mostly one leaf of the model each, so the
// states that W allows are a product of what it allows of each part.

// maxPart is the number of latches up to which all valuations of a part are tried.
const maxPart = 12

// part is a set of latches with the valuations that W allows.
type part struct {
	latches []int
	values  [][]bool
	whole   bool // values are all that W allows
}

// partsOf returns the factors of W, and of what it does not mention; latches listed
// together are in one. One latch may stand beside all others, as the one does that tells
// whether a run started: where W is a product for each of its values, it is a part, and
// the others may be what either value allows.
func partsOf(sys *ts.System, w aig.Lit, together [][]int) []part {
	c := evidence.NewCircuit(len(sys.Latches)) // of its own: the system is shared
	w = sys.Place(c.G, c.Latches, w)
	number := lists.IndexBy(c.Latches, func(l aig.Lit) int { return l.Node() })
	cases := []aig.Lit{w}
	out := factors(c, cases, number, together)
	for _, l := range c.G.Conjuncts(w, nil, nil) {
		x, _, _, ok := c.G.MatchMux(l.Node())
		if !ok || c.G.IsAnd(x.Node()) {
			continue
		}
		var by []aig.Lit
		for _, on := range []bool{false, true} {
			by = append(by, c.G.Cofactor([]aig.Lit{w}, map[int]bool{x.Node(): on})[0])
		}
		if finer := factors(c, by, number, together); len(finer) > len(out) {
			out, cases = finer, by
		}
		break
	}
	at := make([]int, len(c.Latches)) // by latch: its part
	for i, p := range out {
		for _, l := range p.latches {
			at[l] = i
		}
	}
	ws := slices.Repeat([]aig.Lit{aig.False}, len(out)) // by part: what some case says of it
	for _, w := range cases {
		of := make([][]aig.Lit, len(out))
		for _, l := range c.G.Conjuncts(w, nil, nil) {
			if on := c.G.Support([]aig.Lit{l}); len(on) > 0 {
				i := at[number[on[0]]]
				of[i] = append(of[i], l)
			}
		}
		for i, ls := range of {
			ws[i] = c.G.Or(ws[i], c.G.AndN(ls))
		}
	}
	for i := range out {
		out[i].values = allowed(c, out[i].latches, ws[i])
	}
	return out
}

// factors returns sets of latches that no conjunct of the predicates connects, nor together.
func factors(c *evidence.Circuit, cases []aig.Lit, number map[int]int, together [][]int) []part {
	groups := disjoint.New[int](len(c.Latches))
	for _, ls := range together {
		for _, l := range ls {
			groups.Join(l, ls[0])
		}
	}
	for _, w := range cases {
		for _, l := range c.G.Conjuncts(w, nil, nil) {
			support := c.G.Support([]aig.Lit{l})
			for _, n := range support {
				groups.Join(number[n], number[support[0]])
			}
		}
	}
	return lists.Map(groups.Lists(1), func(ls []int) part { return part{latches: ls, whole: len(ls) <= maxPart} })
}

// allowed lists the valuations of the latches that have w: all, or of many latches
// those with at most one that is set.
func allowed(c *evidence.Circuit, latches []int, w aig.Lit) [][]bool {
	sim := aig.NewSim(c.G)
	n := len(latches)
	count, bit := 1<<min(n, maxPart), func(v, i int) bool { return v>>i&1 == 1 }
	if n > maxPart {
		count, bit = n+1, func(v, i int) bool { return v == i+1 }
	}
	var values [][]bool
	for from := 0; from < count; from += 64 {
		for i, l := range latches {
			var word uint64
			for k := range min(64, count-from) {
				if bit(from+k, i) {
					word |= 1 << k
				}
			}
			sim.Set(c.Latches[l].Node(), word)
		}
		sim.Run()
		for k := range min(64, count-from) {
			if sim.Word(w)>>k&1 == 0 {
				continue
			}
			values = append(values, lists.Make(n, func(i int) bool { return bit(from+k, i) }))
		}
	}
	if values == nil {
		values = [][]bool{make([]bool, n)} // a large part of another kind
	}
	return values
}
