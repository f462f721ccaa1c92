package structure

import (
	"context"

	"orbitmc/detect"
	"orbitmc/detect/decompose"
	"orbitmc/detect/graph"
	"orbitmc/detect/verify"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file finds properties that are images of each other. A netlist may have one property
// for each of eighty channels. These properties distinguish all channels, so the group that
// keeps every property is trivial. The group that keeps the set of properties is large. An
// engine cannot use its elements for a single property. But they map a verdict on one
// property, with its evidence, to verdicts on the others.

// manyImages bounds the memory for images: 256 MB.
const manyImages = 1 << 26

// image says that the properties of a class are the images of those of class of.
type image struct {
	of   int
	perm *ts.Perm // nil: the class is no image
	to   []int    // by class: its image
}

// properties returns, by property, those of the class that is the image of its class.
func (i image) properties(classes [][]int) map[int][]int {
	to := make(map[int][]int)
	for k, class := range classes {
		for _, p := range class {
			to[p] = classes[i.to[k]]
		}
	}
	return to
}

// imagesOf finds, for each class of properties with the same bads, the first one of
// its orbit, under the automorphisms of a graph in which the bads of classes are of
// one colour. Those that take a class to another one are verified, and counted in r.
// With an error there are no images.
//
// Each image has a permutation of its own: beyond manyImages leaves of them there are
// none.
func imagesOf(ctx context.Context, sys *ts.System, classes [][]int, opt Options, r *detect.Report) ([]image, error) {
	none := make([]image, len(classes))
	if len(classes)*(len(sys.Latches)+len(sys.Inputs)+len(sys.Init)+len(classes)) > manyImages {
		return none, nil
	}
	proposed, reduced, err := proposeSteps(ctx, sys, classes)
	if err != nil || proposed == nil {
		return none, err
	}
	check, err := verify.NewChecker(reduced, opt.Verify)
	if err != nil {
		return none, err
	}
	var steps []step
	for _, s := range proposed {
		ok, err := check.Takes(ctx, s.perm, s.bads)
		if err != nil {
			return none, err
		}
		r.Tried++
		if !ok {
			r.Unproved++
			continue
		}
		steps = append(steps, s, step{perm: s.perm.Inverse(), to: inverse(s.to)})
	}
	r.VerifiedBySAT += check.BySAT
	r.VerifiedStructurally += check.Verified - check.BySAT
	return follow(ts.Identity(sys), len(classes), steps), nil
}

// step is a permutation that takes classes of properties to each other.
type step struct {
	perm *ts.Perm
	to   []int // by class
	bads []int // by bad of the reduced system; of proposals only
}

// proposeSteps returns the automorphisms that take some class to another one, and the
// system that they are about. If ctx ends during the search they are those found until
// then.
func proposeSteps(ctx context.Context, sys *ts.System, classes [][]int) ([]step, *ts.System, error) {
	reduced := onePerClass(sys, classes)
	g, c, err := graphOf(ctx, reduced, loose)
	if err != nil {
		return nil, nil, err
	}
	found, err := graph.Search(ctx, g)
	if found == nil {
		return nil, nil, err
	}
	leaves := decompose.NumberingOf(reduced)
	number := make(map[int]int) // by vertex of a bad
	for i, v := range c.bad {
		number[v] = i
	}
	var steps []step
	for _, p := range found.Generators {
		s := step{to: make([]int, len(classes)), bads: make([]int, len(c.bad))}
		moves := false
		for i, v := range c.bad {
			s.bads[i] = number[p.Apply(v)]
			from, to := reduced.Bads[i].Prop, reduced.Bads[s.bads[i]].Prop
			s.to[from] = to
			moves = moves || from != to
		}
		if perm := c.perm(p); moves && len(perm.Points) > 0 {
			s.perm = leaves.Perm(perm, "")
			steps = append(steps, s)
		}
	}
	return steps, reduced, nil
}

// onePerClass returns sys with the bads of one property of each class. The number of
// that property is the number of the class.
func onePerClass(sys *ts.System, classes [][]int) *ts.System {
	reduced := *sys
	reduced.Bads = nil
	for k, class := range classes {
		seen := make(map[ts.Bad]bool)
		for _, b := range sys.Bads {
			if b.Prop != class[0] {
				continue
			}
			b.Prop, b.Name = k, ""
			if !seen[b] {
				seen[b] = true
				reduced.Bads = append(reduced.Bads, b)
			}
		}
	}
	return &reduced
}

// follow returns the images that chains of steps make of the first class of each orbit,
// by breadth-first search. There are n classes.
func follow(identity *ts.Perm, n int, steps []step) []image {
	same := lists.Make(n, func(k int) int { return k })
	all := make([]image, n)
	reached := make([]bool, n)
	for first := range n {
		if reached[first] {
			continue
		}
		reached[first] = true
		queue := []int{first}
		way := map[int]image{first: {first, identity, same}}
		for ; len(queue) > 0; queue = queue[1:] {
			at := way[queue[0]]
			for _, s := range steps {
				next := s.to[queue[0]]
				if reached[next] {
					continue
				}
				reached[next] = true
				x := image{first, at.perm.Then(s.perm), compose(at.to, s.to)}
				way[next], all[next] = x, x
				queue = append(queue, next)
			}
		}
	}
	return all
}

// compose returns the permutation of numbers that is first one and then another.
func compose(first, then []int) []int {
	return lists.Make(len(first), func(k int) int { return then[first[k]] })
}

// inverse returns the inverse of a permutation of numbers.
func inverse(to []int) []int {
	back := make([]int, len(to))
	for i, j := range to {
		back[j] = i
	}
	return back
}
