package ts

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Sequential clean-up replaces latches that are constant or equal to others (see correspond).
// It also removes latches and inputs that the bads do not depend on. Clean-up commutes with
// the symmetries of the structure, so no symmetry is lost. It may reveal more, for example if
// asymmetric parts are unused.

// CleanOptions steer Clean. The zero value keeps all bads.
type CleanOptions struct {
	Bads  []int // the bads to keep, ascending; nil means all
	WithW bool  // keep all of W, and the latches that it depends on
}

// Cleaned is a system after clean-up, and the way back. The cleaned system has a
// violation of a bad at some depth iff the source has.
type Cleaned struct {
	Sys    *System
	Source *System
	Bads   []int // by bad of Sys: its number in Source
	Inputs []int // by input of Sys: its number in Source
	Init   []int // by initial input of Sys: its number in Source
	GaveUp bool  // constant and equal latches were not found: that took too long

	same []aig.Lit // by latch of Source: what equals it in every reachable state; a literal of Source
	at   []aig.Lit // the same as a literal of Sys, or gone
}

// gone stands for a latch that nothing in the cleaned system depends on.
const gone = ^aig.Lit(0)

// Clean returns s without constant latches, without all but one of any that are
// equal or complementary, and without what the bads and constraints do not
// depend on. Of W those conjuncts are kept that read kept latches only; all
// constraints are kept. s is not changed.
func Clean(s *System, opt CleanOptions) *Cleaned {
	// Of 515 netlists of hardware model checking competitions one takes more than 31 rounds.
	return clean(s, opt, 64+1<<21/s.G.Len())
}

// clean is Clean, with so many rounds of refinement at most to find equal latches.
func clean(s *System, opt CleanOptions, rounds int) *Cleaned {
	c := &Cleaned{Source: s, Bads: opt.Bads}
	if c.Bads == nil {
		c.Bads = lists.Make(len(s.Bads), func(i int) int { return i })
	}
	// Only latches on which the bads depend are compared: nothing they depend on is left out.
	cone := s.influence(c.Bads, opt.WithW)
	needed := *s
	needed.Latches = slices.DeleteFunc(slices.Clone(s.Latches), func(l Latch) bool { return !cone[l.Node] })
	same := needed.correspond(rounds)
	c.GaveUp = same == nil
	for i, l := range s.Latches {
		c.same = append(c.same, s.LatchLit(i))
		if cone[l.Node] && !c.GaveUp {
			c.same[i], same = same[0], same[1:]
		}
	}
	full, kept := c.choose(cone, opt.WithW)

	// The cleaned system, with leaves for the latches and inputs that are kept.
	g := aig.NewPlain()
	left := System{G: full.G}
	for _, l := range full.Latches {
		if kept[l.Node] {
			left.Latches = append(left.Latches, l)
		}
	}
	signals := func(from []Signal) (left []Signal, numbers []int) {
		for i, in := range from {
			if kept[in.Node] {
				left, numbers = append(left, in), append(numbers, i)
			}
		}
		return left, numbers
	}
	left.Inputs, c.Inputs = signals(full.Inputs)
	left.Init, c.Init = signals(full.Init)
	out, move := left.Skeleton(g)
	for i, l := range left.Latches {
		out.Latches[i].Reset, out.Latches[i].Next = move.Copy(l.Reset), move.Copy(l.Next)
	}
	c.at = make([]aig.Lit, len(s.Latches))
	for i, l := range full.Latches {
		if c.at[i] = gone; kept[l.Node] {
			c.at[i] = move.Copy(aig.MkLit(l.Node, false))
		}
	}
	for _, l := range full.Constraints {
		if l := move.Copy(l); l != aig.True {
			out.Constraints = append(out.Constraints, l)
		}
	}
	for _, b := range c.Bads {
		bad := full.Bads[b]
		bad.Lit = move.Copy(bad.Lit)
		out.Bads = append(out.Bads, bad)
	}
	out.W = g.AndN(lists.Map(full.wellFormed(kept), move.Copy))
	c.Sys = out

	// Where latches went that others stand for.
	latch := s.Numbers()
	for i, l := range c.same {
		switch {
		case l.Node() == 0:
			c.at[i] = l
		case c.at[latch[l.Node()]] != gone:
			c.at[i] = c.at[latch[l.Node()]].NotIf(l.Neg())
		}
	}
	return c
}

// choose returns the source after substitution, perhaps without the functions of latches outside of the cone, and by
// node whether it is kept. The cone, by node of the source, is what bads and constraints depend on. Gates
// stay as they are written, unless normal forms of n-ary gates depend on fewer latches.
// Folding must not depend on the nesting of a gate, or symmetric functions would read
// different inputs. (Normal forms are not always used, as the normal form of a gate of
// hundreds of operands may hide symmetry.)
func (c *Cleaned) choose(cone []bool, withW bool) (full *System, kept []bool) {
	full = c.substitute(c.Source, aig.NewCopier)
	kept = full.influence(c.Bads, withW)
	// Normal forms take time. No latch outside of the cone is kept, as latches in it are replaced by others in it.
	used := *c.Source
	used.Latches = slices.Clone(used.Latches)
	for i, l := range used.Latches {
		if !cone[l.Node] {
			used.Latches[i].Reset, used.Latches[i].Next = aig.False, aig.False
		}
	}
	normal := c.substitute(&used, func(dst, src *aig.Graph) *aig.Copier { return aig.NewNaryCopier(dst, src, c.Source.Roots()) })
	less := normal.influence(c.Bads, withW)
	leaves := func(s *System, kept []bool) (n int) {
		for node, k := range kept {
			if k && s.G.IsInput(node) {
				n++
			}
		}
		return n
	}
	if leaves(normal, less) < leaves(full, kept) {
		return normal, less
	}
	return full, kept
}

// substitute returns the source, given whole or in part, with each latch replaced by what equals it.
// Latches that were replaced are still there, but nothing reads them.
func (c *Cleaned) substitute(s *System, newCopier func(dst, src *aig.Graph) *aig.Copier) *System {
	g := aig.NewPlain()
	out := &System{G: g, Latches: slices.Clone(s.Latches), Inputs: slices.Clone(s.Inputs), Init: slices.Clone(s.Init)}
	leaf := make(map[int]aig.Lit)
	for i, l := range s.Latches {
		leaf[l.Node] = g.Input()
		out.Latches[i].Node = leaf[l.Node].Node()
	}
	copier := newCopier(g, s.G)
	for i, l := range s.Latches {
		to := c.same[i]
		if to.Node() != 0 {
			to = leaf[to.Node()].NotIf(to.Neg())
		}
		copier.Set(l.Node, to)
	}
	for _, part := range [][]Signal{out.Inputs, out.Init} {
		for i, in := range part {
			x := g.Input()
			copier.Set(in.Node, x)
			part[i].Node = x.Node()
		}
	}
	out.fill(s, copier, s.Bads)
	return out
}

// influence returns, by node, what the bads of these numbers and the constraints
// depend on, in any number of steps; and W, if withW.
func (s *System) influence(bads []int, withW bool) []bool {
	seen := make([]bool, s.G.Len())
	latch := s.Numbers()
	var todo []int
	visit := func(l aig.Lit) {
		if n := l.Node(); !seen[n] {
			seen[n] = true
			todo = append(todo, n)
		}
	}
	for _, l := range s.Constraints {
		visit(l)
	}
	for _, b := range bads {
		visit(s.Bads[b].Lit)
	}
	if withW {
		visit(s.W)
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.G.IsAnd(n) {
			a, b := s.G.Fanins(n)
			visit(a)
			visit(b)
		} else if i, ok := latch[n]; ok {
			visit(s.Latches[i].Reset)
			visit(s.Latches[i].Next)
		}
	}
	return seen
}

// wellFormed returns the conjuncts of W that read kept leaves only.
func (s *System) wellFormed(kept []bool) []aig.Lit {
	all := s.G.Conjuncts(s.W, nil, nil)
	reads := make([]bool, s.G.Len()) // something that is not kept
	for n := range reads {
		if s.G.IsAnd(n) {
			a, b := s.G.Fanins(n)
			reads[n] = reads[a.Node()] || reads[b.Node()]
		} else {
			reads[n] = n != 0 && !kept[n]
		}
	}
	return slices.DeleteFunc(all, func(l aig.Lit) bool { return reads[l.Node()] })
}

// Latch returns what latch i of the source is in every reachable state, as a
// literal of the cleaned system: a latch, perhaps complemented, or a constant. ok
// is false if the cleaned system does not depend on it.
func (c *Cleaned) Latch(i int) (l aig.Lit, ok bool) {
	if c.at[i] == gone {
		return 0, false
	}
	return c.at[i], true
}

// Equal returns what latch i of the source equals in every reachable state, as a
// literal of the source: a constant, another latch, perhaps complemented, or
// itself.
func (c *Cleaned) Equal(i int) aig.Lit { return c.same[i] }

// Trace lifts a trace of the cleaned system to one of the source, which violates
// the same bads in the same frames. Inputs that were left out are 0.
func (c *Cleaned) Trace(t *Trace) *Trace {
	spread := func(bits []bool, numbers []int, n int) []bool {
		out := make([]bool, n)
		for i, b := range bits {
			out[numbers[i]] = b
		}
		return out
	}
	inputs := func(in []bool) []bool { return spread(in, c.Inputs, len(c.Source.Inputs)) }
	return &Trace{spread(t.Init, c.Init, len(c.Source.Init)), lists.Map(t.Inputs, inputs)}
}
