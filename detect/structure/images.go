package structure

import (
	"context"

	"orbitmc/detect"
	"orbitmc/detect/graph"
	"orbitmc/detect/verify"
	"orbitmc/ts"
)

// This file finds properties that are images of each other. The group that keeps
// each of them may be small where the group that keeps them as a set is large: one
// property for each of eighty channels distinguishes all channels. A permutation that
// keeps the system and takes the bads of one property to those of another one is no
// use to an engine that looks at either; but a verdict on the one, with its
// evidence, has an image that is a verdict on the other.

// manyImages bounds the memory for images: 256 MB.
const manyImages = 1 << 26

// image says that the properties of a class are the images of those of class of.
type image struct {
	of   int
	perm *ts.Perm // nil: the class is no image
	to   []int    // by class: its image
}

// properties returns, by property, those of the class that is the image of its class.
func (x image) properties(classes [][]int) map[int][]int {
	to := make(map[int][]int)
	for k, class := range classes {
		for _, p := range class {
			to[p] = classes[x.to[k]]
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
	all := make([]image, len(classes))
	if len(classes)*(len(sys.Latches)+len(sys.Inputs)+len(sys.Init)+len(classes)) > manyImages {
		return all, nil
	}
	// The bads of one property of each class; its number is that of the class.
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
	c, err := newCircuit(ctx, &reduced, loose)
	if err != nil {
		return all, err
	}
	g, err := c.b.Graph()
	if err != nil {
		return all, err
	}
	found, err := graph.Search(ctx, g, graph.Options{})
	if found == nil {
		return all, err
	}
	number := make(map[int]int) // by vertex of a bad
	for i, v := range c.bad {
		number[v] = i
	}
	check, err := verify.NewChecker(&reduced, opt.Verify)
	if err != nil {
		return all, err
	}
	type step struct {
		perm *ts.Perm
		to   []int
	}
	var steps []step
	for _, p := range found.Generators {
		bads := make([]int, len(c.bad))
		to := make([]int, len(classes))
		moves := false
		for i, v := range c.bad {
			bads[i] = number[p.Apply(v)]
			to[reduced.Bads[i].Prop] = reduced.Bads[bads[i]].Prop
			moves = moves || reduced.Bads[i].Prop != reduced.Bads[bads[i]].Prop
		}
		perm := c.perm(p)
		if !moves || perm == nil {
			continue
		}
		ok, err := check.Takes(ctx, perm, bads)
		if err != nil {
			return make([]image, len(classes)), err
		}
		r.Tried++
		if !ok {
			r.Refuted++
			continue
		}
		steps = append(steps, step{perm, to}, step{perm.Inverse(), inverse(to)})
	}
	r.VerifiedBySAT += check.BySAT
	r.VerifiedStructurally += check.Verified - check.BySAT
	reached := make([]bool, len(classes))
	for first := range classes {
		if reached[first] {
			continue
		}
		reached[first] = true
		same := make([]int, len(classes))
		for k := range same {
			same[k] = k
		}
		queue := []int{first}
		way := map[int]image{first: {first, ts.Identity(sys), same}}
		for len(queue) > 0 {
			at := way[queue[0]]
			for _, s := range steps {
				next := s.to[queue[0]]
				if reached[next] {
					continue
				}
				reached[next] = true
				to := make([]int, len(classes))
				for k := range to {
					to[k] = s.to[at.to[k]]
				}
				x := image{first, at.perm.Then(s.perm), to}
				way[next], all[next] = x, x
				queue = append(queue, next)
			}
			queue = queue[1:]
		}
	}
	return all, nil
}

// inverse returns the inverse of a permutation of numbers.
func inverse(to []int) []int {
	back := make([]int, len(to))
	for i, j := range to {
		back[j] = i
	}
	return back
}
