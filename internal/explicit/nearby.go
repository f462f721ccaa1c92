package explicit

import (
	"cmp"
	"slices"
	"sort"

	"orbitmc/model"
)

// This file looks for a shorter counterexample than the one that the search met first, depth first. As many states
// again are visited breadth first. The least depth is found up to which the states have a component with a fair run.
// From the states of that component which are nearest to the start, shortest loops are looked for, by a search that
// notes what has waited all the time.

// nearby is the states of a product that are near to its start states.
type nearby struct {
	list  []int
	depth map[int]int // by state of list
	errs  *model.Choice
	at    int // the state nearest to the start in which errs errs
}

// At least so many states are visited, and at most.
const (
	fewNearby  = 1 << 13
	mostNearby = 1 << 17
)

// nearby visits states breadth first, and keeps their arcs.
func (b *buchi) nearby(roots []int, stop func() bool) *nearby {
	x := &nearby{depth: make(map[int]int)}
	most := min(max(len(b.pairs), fewNearby), mostNearby)
	enter := func(i, depth int) {
		if _, ok := x.depth[i]; !ok {
			x.depth[i] = depth
			x.list = append(x.list, i)
		}
	}
	for _, i := range roots {
		enter(i, 0)
	}
	for k := 0; k < len(x.list) && len(x.list) < most && !stop(); k++ {
		i := x.list[k]
		arcs, out := b.expand(i, nil, nil)
		b.known[i] = arcs
		if out.errs != nil {
			x.errs, x.at = out.errs, i
			break
		}
		for _, a := range arcs {
			enter(int(a.to), x.depth[i]+1)
		}
	}
	return x
}

// smallest returns a component with a fair run of the states up to the least depth at which there is one; nil if
// there is none.
func (ne *nearby) smallest(b *buchi, stop func() bool) (accepting []int) {
	deepest := ne.depth[ne.list[len(ne.list)-1]]
	sort.Search(deepest+1, func(depth int) bool {
		found := ne.upto(b, depth, stop)
		if found != nil {
			accepting = found
		}
		return found != nil
	})
	return accepting
}

// upto returns a component with a fair run of the states up to a depth.
func (ne *nearby) upto(b *buchi, depth int, stop func() bool) []int {
	p := &subgraph{}
	local := make(map[int]int)
	for _, i := range ne.list {
		if ne.depth[i] <= depth && b.known[i] != nil {
			local[i] = len(p.states)
			p.states = append(p.states, i)
		}
	}
	for _, i := range p.states {
		p.arcs = append(p.arcs, p.among(b.known[i], local))
	}
	l := &level{e: newEmptiness(b.conditions, p), local: local}
	for i := range p.states {
		if l.e.visit(i) {
			return l.accepting()
		}
	}
	return l.refine(b.arcsOf, stop)
}

// Loops are looked for from so many states, by searches of so many nodes at most, all together.
const (
	mostBegins = 64
	mostNodes  = 1 << 16
)

// tour is a real state relative to the one where a loop begins, as a representative and the permutation to it, with
// what the steps so far did about conditions as they are where the loop begins.
type tour struct {
	state       int
	turn, label uint32
}

// atBegin is the label of no step.
const atBegin = ^uint32(0)

// best returns where the shortest run among those with a loop from some states begins its loop, and the loop; nil if
// there is none.
func (ne *nearby) best(b *buchi, accepting []int, stop func() bool) (from int, loop route) {
	accepting = slices.Clone(accepting)
	slices.SortFunc(accepting, func(i, j int) int { return cmp.Or(cmp.Compare(ne.depth[i], ne.depth[j]), cmp.Compare(i, j)) })
	left := mostNodes
	for _, i := range accepting[:min(len(accepting), mostBegins)] {
		longest := mostNodes
		if loop != nil {
			longest = ne.depth[from] + len(loop) - ne.depth[i] - 1
		}
		if r := ne.shortest(b, i, longest, &left, stop); r != nil {
			from, loop = i, r
		}
	}
	return from, loop
}

// shortest returns the shortest loop from a state, up to a length; nil if there is none, or if it takes more nodes
// than are left.
func (ne *nearby) shortest(b *buchi, from, longest int, left *int, stop func() bool) route {
	type before struct {
		of    tour
		arc   int
		steps int
	}
	begin := tour{from, 0, atBegin}
	parents := map[tour]before{begin: {arc: -1}}
	for queue := []tour{begin}; len(queue) > 0 && *left > 0 && !stop(); queue = queue[1:] {
		n := queue[0]
		*left--
		if parents[n].steps >= longest {
			return nil
		}
		for k, a := range b.known[n.state] {
			to := tour{int(a.to), b.then(n.turn, a.turn), b.along(n, a.label)}
			if _, ok := parents[to]; ok || b.known[to.state] == nil {
				continue
			}
			parents[to] = before{n, k, parents[n].steps + 1}
			queue = append(queue, to)
			if to.state != from || to.turn != 0 || !b.fulfilled(to.label) {
				continue
			}
			var r route
			for y := to; parents[y].arc >= 0; y = parents[y].of {
				r = append(r, parents[y].arc)
			}
			slices.Reverse(r)
			return r
		}
	}
	return nil
}

// along returns the label of a tour with one more step, which has a label as the representative has it.
func (b *buchi) along(n tour, step uint32) uint32 {
	number := b.atRoot(n.turn, step)
	if n.label == atBegin {
		return number
	}
	was, own := b.labels.all[n.label], b.labels.all[number]
	return b.label(label{both(was.waits, own.waits), merged(was.could, own.could), merged(was.meets, own.meets)})
}

// fulfilled reports whether a loop with a label is fair and accepted.
func (b *buchi) fulfilled(number uint32) bool {
	l := b.labels.all[number]
	return len(l.waits) == 0 && len(both(l.could, l.meets)) == len(l.could)
}

// merged returns what is in one of two ascending lists.
func merged(a, b []uint32) []uint32 {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
