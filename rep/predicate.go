// Package rep turns a verified symmetry into predicates that keep one path, or
// few paths, of each orbit: Rep_F(s) = ∧_{π∈F} s ≤lex π(s) and its extension to
// paths.
//
// # Why they are sound
//
// A path p of k steps consists of its initial inputs z, its states s_0 … s_k and its inputs
// x_0 … x_k. An automorphism π permutes all of them at once, and π·p is again a path. The
// constraints hold on π·p if they hold on p, and so does the bad in the last frame. Take any
// sequence of positions of a path ("latch 3 of frame k, then latch 0 of frame 2, …"), the
// same for all paths. Let word(p) be the bits of p at these positions. Let p ⊑ q mean
// word(p) ≤lex word(q). This is a total preorder on paths. The choice of the positions
// decides only how many paths tie. The orbit G·p is finite, so it has a ⊑-least member m.
// Then word(m) ≤lex word(π·m) for every π in G, hence for every π in any F ⊆ G. So every
// orbit of paths keeps a member under
//
//	Path_F(p) = ∧_{π∈F} word(p) ≤lex word(π·p)
//
// whatever F is. A larger F keeps fewer paths. To compute word(π·p), each vector of p is
// permuted as a whole, so the predicate may mention bits of p that are not in the word.
// Rep_F on one frame is the case of a word of one state.
//
// # What may not be done
//
// The member that is kept depends on the word. So two predicates with different words may
// keep different members of an orbit. Together they can exclude all images of a real
// counterexample. Rep_F on two frames is two such predicates. So a query has at most one
// predicate. The word of bound k begins with frame k, so its predicate must be released, as
// a clause group or an assumption, before the query of the next bound.
//
// # Which word
//
// States come newest first ("backward"): this breaks symmetry where the property
// constrains the path. Of the last states only those latches are in the word on which
// the property depends so late: the others are free, and comparing them makes the solver
// compute them. States come before inputs: an input that the step ignores
// could be chosen so that it decides the comparison, and later positions would
// never be compared. Within a state the order of the latches matters most:
// Frame.Order. docs/decisions.md has the measurements.
//
//	predicate.go  the predicates, of states and of paths
//	lex.go        one comparison of two words
//	sets.go       which permutations F
//	lazy.go       F found as it is needed, by engines that enumerate states
//	invariant.go  values that tell states of different orbits apart
//	complete.go   which components a bit names, and whether F is complete
//	canon.go      circuits that map states into their orbits
//	quotient.go   the quotient of a system by such a circuit
//	count.go      how many representatives and orbits there are
package rep

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// Frame is the part of a word that is about one time frame.
type Frame struct {
	State  []aig.Lit // indexed like System.Latches
	Inputs []aig.Lit // indexed like System.Inputs; nil leaves them out of the word
	Order  []int     // the latches as they stand in the word, most significant first; nil: all, by number
}

// PathPredicate returns Path_F for the word made of the states of the frames in
// the given order, then their inputs in the given order, then the initial
// inputs (nil leaves them out). Frames newest first give the backward word;
// leaving out frames at the end bounds its cost. All frames are of one path. Use
// it positively, under an assumption, in one query, and with no other predicate of
// this package there. Of one frame without inputs it is Rep_F.
//
// Words without inputs grow at the front only as the bound grows, and the
// predicate of the next bound shares most nodes of the last one (Path builds only the
// others); inputs in the word cost a chain of their own for every bound.
func PathPredicate(g *aig.Graph, frames []Frame, init []aig.Lit, F []*ts.Perm) aig.Lit {
	least := make([]aig.Lit, len(F))
	for i, p := range F {
		le := aig.True
		if init != nil {
			le = leq(g, init, ts.ApplyLits(p.Init, init), le)
		}
		for j := len(frames) - 1; j >= 0; j-- {
			if in := frames[j].Inputs; in != nil {
				le = leq(g, in, ts.ApplyLits(p.Input, in), le)
			}
		}
		for j := len(frames) - 1; j >= 0; j-- {
			state, order := frames[j].State, frames[j].Order
			image := ts.ApplyLits(p.Latch, state)
			le = leq(g, inOrder(state, order), inOrder(image, order), le)
		}
		least[i] = le
	}
	return g.AndN(least)
}

func inOrder(ls []aig.Lit, order []int) []aig.Lit {
	if order == nil {
		return ls
	}
	return lists.Map(order, func(j int) aig.Lit { return ls[j] })
}

// Path is Path_F of the backward word without inputs, of a path that grows. The last states of the word may be shorter
// than the others, so the word of a path does not begin like that of a longer one. Comparisons of the others are made
// once for all depths. It is not safe for concurrent use.
type Path struct {
	g     *aig.Graph
	latch func(frame, latch int) aig.Lit
	// state is what is compared, by distance from the last frame, then by permutation; its last one is for all
	// greater distances, too.
	state [][][]Position
	// least says, by frame, then by permutation, that the word of the frames up to it, all compared as at greater
	// distances, does not exceed its image.
	least [][]aig.Lit
}

// Position is a latch of a state that is compared with its image, and what stands in its
// place in the image.
type Position struct {
	Latch int
	Image ts.Lit
}

// NewPath returns the predicate. Frame d before the last one has the latches orders[d] in the word, or those of the last
// of orders, see Frame.Order. The function latch gives literals of frames.
func NewPath(g *aig.Graph, latch func(frame, latch int) aig.Lit, orders [][]int, F []*ts.Perm) *Path {
	p := &Path{g: g, latch: latch}
	for _, order := range orders {
		state := make([][]Position, len(F))
		for i, f := range F {
			state[i], _ = Comparisons(f, order)
		}
		p.state = append(p.state, state)
	}
	return p
}

// Comparisons returns the positions in which a state and its image have to be compared, most
// significant first. If all before are equal and alone is set, the last latch decides: it must be false.
func Comparisons(f *ts.Perm, order []int) (positions []Position, alone bool) {
	state := lists.Make(len(f.Latch), func(i int) aig.Lit { return aig.MkLit(i+1, false) })
	a, b := inOrder(state, order), inOrder(ts.ApplyLits(f.Latch, state), order)
	compare, last := compared(a, b)
	if last >= 0 {
		compare = append(compare, last)
	}
	for _, k := range compare {
		positions = append(positions, Position{a[k].Node() - 1, ts.MkLit(b[k].Node()-1, b[k].Neg())})
	}
	return positions, last >= 0
}

// Comparisons returns how many positions of a frame far from the last one are compared, of all permutations
// together.
func (p *Path) Comparisons() int {
	return lists.Sum(p.state[len(p.state)-1], func(positions []Position) int { return len(positions) })
}

// Predicate returns the predicate of the path that ends with frame k.
func (p *Path) Predicate(k int) aig.Lit {
	last := len(p.state) - 1
	var least []aig.Lit
	for j := len(p.least); j <= k-last; j++ {
		if j > 0 {
			least = p.least[j-1]
		}
		p.least = append(p.least, p.frame(j, last, least))
	}
	if k >= last {
		least = p.least[k-last]
	}
	for j := max(0, k-last+1); j <= k; j++ {
		least = p.frame(j, k-j, least)
	}
	return p.g.AndN(least)
}

// frame returns, by permutation, the comparison of words that begin with the state of a frame, compared as that of a
// distance; tails are the comparisons of what follows, nil if there is nothing.
func (p *Path) frame(j, distance int, tails []aig.Lit) []aig.Lit {
	least := make([]aig.Lit, len(p.state[distance]))
	var own, image []aig.Lit
	for i, positions := range p.state[distance] {
		own, image = own[:0], image[:0]
		for _, x := range positions {
			own, image = append(own, p.latch(j, x.Latch)), append(image, p.latch(j, x.Image.Index()).NotIf(x.Image.Neg()))
		}
		tail := aig.True
		if tails != nil {
			tail = tails[i]
		}
		least[i] = leq(p.g, own, image, tail)
	}
	return least
}
