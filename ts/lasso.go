package ts

import (
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Liveness as safety, after A. Biere, C. Artho, V. Schuppan, "Liveness Checking as Safety
// Checking", FMICS 2002. A run that violates a justice property is a lasso: a path that comes
// back to a state of its own, and meets every condition on the way around. The system with
// lassos has an input that tells when to save the state, latches that keep it, and latches
// that note which conditions were met since. Its bads are the moments at which the
// saved state is back and all conditions were met. So every engine decides justice, and
// symmetry is detected and verified on the system that the engines see: a permutation
// moves saved latches with the latches, and the loop closes on the very state.
//
// Only latches that the conditions or constraints depend on are saved. The others never matter.

// Justice is a justice property: no run meets all conditions infinitely often.
type Justice struct {
	Name string
	Lits []aig.Lit // over latches and inputs
	Prop int       // the property of its bad: behind all others, in order
}

// Lassos is a system with lassos as bads, and what it was made of.
type Lassos struct {
	Sys     *System // the bads of Source, then one for each of Justice
	Source  *System
	Justice []Justice
	Fair    []aig.Lit // conditions of each of Justice

	cones [][]int // by justice property: the latches that it depends on, ascending
}

// NewLassos returns the system with lassos of a system, which is not changed. Its latches and
// inputs begin with those of s, in their order.
func NewLassos(s *System, justice []Justice, fair []aig.Lit) *Lassos {
	l := &Lassos{Source: s, Justice: justice, Fair: fair}
	out, move := s.Copy()
	g := out.G
	for _, b := range s.Bads {
		b.Lit = move.Copy(b.Lit)
		out.Bads = append(out.Bads, b)
	}

	latch := func(name string, next func(x aig.Lit) aig.Lit) aig.Lit {
		x := g.Input()
		out.Latches = append(out.Latches, Latch{Name: name, Node: x.Node(), Next: next(x)})
		return x
	}
	save := g.Input()
	out.Inputs = append(out.Inputs, Signal{"save", save.Node()})
	saved := latch("saved", func(x aig.Lit) aig.Lit { return g.Or(x, save) })
	inLoop := g.Or(saved, save)

	back := make(map[int]aig.Lit) // by latch: it is as it was saved
	shadow := func(i int) aig.Lit {
		return lists.Memo(back, i, func(int) aig.Lit {
			now := out.LatchLit(i)
			x := latch("saved "+s.Latches[i].Name, func(x aig.Lit) aig.Lit { return g.Mux(saved, x, now) })
			return g.Equal(x, now)
		})
	}
	met := make(map[aig.Lit]aig.Lit) // by condition: it was met since the state was saved
	seen := func(c aig.Lit, name string) aig.Lit {
		return lists.Memo(met, c, func(c aig.Lit) aig.Lit {
			return latch(name, func(x aig.Lit) aig.Lit { return g.And(inLoop, g.Or(x, move.Copy(c))) })
		})
	}
	for k, j := range justice {
		l.cones = append(l.cones, s.Cone(slices.Concat(j.Lits, fair, s.Constraints)))
		all := append([]aig.Lit{saved}, lists.Map(l.cones[k], shadow)...)
		for i, c := range j.Lits {
			all = append(all, seen(c, fmt.Sprintf("met %d of %s", i, j.Name)))
		}
		for i, c := range fair {
			all = append(all, seen(c, fmt.Sprint("met fairness ", i)))
		}
		out.Bads = append(out.Bads, Bad{Name: j.Name, Lit: g.AndN(all), Prop: j.Prop})
	}
	l.Sys = out
	return l
}

// Skeleton returns a system in an empty graph with the latches, inputs and initial inputs of s, and
// no functions yet, and what copies functions of s to it.
func (s *System) Skeleton(g *aig.Graph) (*System, *aig.Copier) {
	out := &System{G: g}
	move := aig.NewCopier(g, s.G)
	leaf := func(x Signal) Signal {
		l := g.Input()
		move.Set(x.Node, l)
		return Signal{x.Name, l.Node()}
	}
	all := s.Leaves()
	out.Latches = lists.Map(all[0], func(x Signal) Latch { return Latch{Name: x.Name, Node: leaf(x).Node} })
	out.Inputs, out.Init = lists.Map(all[1], leaf), lists.Map(all[2], leaf)
	return out, move
}

// Copy returns the latches, inputs, constraints and W of a system in a graph of their own, and
// what copies functions to it.
func (s *System) Copy() (*System, *aig.Copier) {
	out, move := s.Skeleton(aig.NewPlain())
	out.fill(s, move, nil)
	return out, move
}

// fill gives a system with the latches of from the functions of from, by a copier between their graphs: all but
// the bads, and of these the given ones.
func (s *System) fill(from *System, k *aig.Copier, bads []Bad) {
	for i, x := range from.Latches {
		s.Latches[i].Reset, s.Latches[i].Next = k.Copy(x.Reset), k.Copy(x.Next)
	}
	s.Constraints = append(s.Constraints, lists.Map(from.Constraints, k.Copy)...)
	for _, b := range bads {
		b.Lit = k.Copy(b.Lit)
		s.Bads = append(s.Bads, b)
	}
	s.W = k.Copy(from.W)
}

// Cone returns the latches that functions depend on, in any frame, ascending.
func (s *System) Cone(functions []aig.Lit) []int {
	number := s.Numbers()
	in := make([]bool, len(s.Latches))
	for len(functions) > 0 {
		nodes := s.G.Support(functions)
		functions = nil
		for _, n := range nodes {
			if i, ok := number[n]; ok && !in[i] {
				in[i] = true
				functions = append(functions, s.Latches[i].Next)
			}
		}
	}
	var cone []int
	for i, is := range in {
		if is {
			cone = append(cone, i)
		}
	}
	return cone
}

// Trace returns the trace of the source that a trace of l.Sys stands for.
func (l *Lassos) Trace(t *Trace) *Trace {
	return &Trace{t.Init, lists.Map(t.Inputs, func(in []bool) []bool { return in[:len(l.Source.Inputs)] })}
}

// Path is the inverse of Trace. It returns the trace of l.Sys that stands for a trace of the source and saves the
// state of frame loop. If the successor of the last frame is that state, the frame that closes the loop is added; a loop of -1
// is none.
func (l *Lassos) Path(t *Trace, loop int) *Trace {
	out := &Trace{Init: t.Init}
	all := t.Inputs
	if loop >= 0 {
		all = append(all[:len(all):len(all)], all[loop])
	}
	for k, in := range all {
		out.Inputs = append(out.Inputs, append(in[:len(in):len(in)], k == loop))
	}
	return out
}

// Loop returns in which frame the loop of a lasso begins that violates property k of
// l.Justice. The lasso is a trace of the source; it ends in the frame in which the loop is
// closed. Loop knows nothing of l.Sys. It is an error if the trace is no such lasso.
func (l *Lassos) Loop(t *Trace, k int) (frame int, err error) {
	e := NewEvaluator(l.Source)
	state := e.Reset(t.Init)
	var states [][]bool
	conditions := slices.Concat(l.Justice[k].Lits, l.Fair)
	last := slices.Repeat([]int{-1}, len(conditions)) // the last frame in which it was met
	for n, in := range t.Inputs {
		states = append(states, state)
		if n == len(t.Inputs)-1 {
			break
		}
		e.Set(state, in)
		for _, c := range l.Source.Constraints {
			if !e.Value(c) {
				return 0, fmt.Errorf("a constraint fails in frame %d", n)
			}
		}
		for i, c := range conditions {
			if e.Value(c) {
				last[i] = n
			}
		}
		state = e.Next()
	}
	end := len(states) - 1
	from := end - 1
	if len(last) > 0 {
		from = min(from, slices.Min(last))
	}
	for ; from >= 0; from-- { // all conditions are met from here on
		same := !slices.ContainsFunc(l.cones[k], func(i int) bool { return states[from][i] != states[end][i] })
		if same {
			return from, nil
		}
	}
	return 0, errors.New("the path meets no earlier state again with all conditions met since")
}

// MostRounds is how often Unroll goes around a loop.
const MostRounds = 4096

// Unroll goes around the loop of a lasso until all latches come back, not only those that the
// property depends on. It returns the trace without the frame in which the loop is closed: the
// successor of its last frame is the state of frame loop. It is an error if that takes too long.
func (l *Lassos) Unroll(t *Trace, from int) (out *Trace, loop int, err error) {
	e := NewEvaluator(l.Source)
	out = &Trace{Init: t.Init}
	state := e.Reset(t.Init)
	end := len(t.Inputs) - 1
	step := func(in []bool) {
		out.Inputs = append(out.Inputs, in)
		e.Set(state, in)
		state = e.Next()
	}
	for _, in := range t.Inputs[:from] {
		step(in)
	}
	starts := make([][]bool, 0) // the state where each round begins
	for range MostRounds {
		for k, s := range starts {
			if slices.Equal(s, state) {
				return out, from + k*(end-from), nil
			}
		}
		starts = append(starts, state)
		for _, in := range t.Inputs[from:end] {
			step(in)
		}
	}
	return nil, 0, fmt.Errorf("after %d rounds, latches that the property does not depend on have not come back", MostRounds)
}
