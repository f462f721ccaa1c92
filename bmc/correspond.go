package bmc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file proves properties of netlists by signals that are equal in every frame (van Eijk: Sequential equivalence
// checking based on structural similarities, IEEE TCAD 19, 2000). The signals are gates and latches. They begin as
// classes that random runs from reset do not tell apart. A class is parted where two of its members differ in a
// reset state, or after a step from any state in which all members of all classes are equal. What is left is the largest
// partition that is inductive. So a bad that cannot hold where the members of each class are equal is never met.
//
// It is induction with k = 1 over thousands of properties that the netlist does not have, and finds them by
// simulation: each model of a query parts all classes that it can, with 63 neighbours. Package ts compares latches, by
// structure alone; this compares functions, by SAT.

const (
	signalRuns   = 16     // runs of 64 from reset, before the first query
	signalFrames = 32     // in each of them
	mostSignals  = 50_000 // gates and latches in the cone: a query for each has to pay
)

// Correspondence proves properties by signals that are equal.
type Correspondence struct {
	NewSolver func() sat.Solver
}

// Name returns "scorr", the name of signal correspondence in ABC.
func (*Correspondence) Name() string { return "scorr" }

// Run implements mc.Engine. Without a symbolic encoding it knows nothing and says why. It violates nothing.
func (e *Correspondence) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	began := time.Now()
	r := mc.NewResult(e.Name(), p)
	sys := p.System()
	if sys == nil {
		r.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r, nil
	}
	s := &signals{p: p, sys: sys, ctx: ctx, class: make([]int, sys.G.Len()), phase: make([]bool, sys.G.Len()), rng: rand.New(rand.NewPCG(1, 1))}
	r.Stopped = "no more follows from signals that are equal"
	if !s.collect() {
		r.Stopped = fmt.Sprintf("more than %d signals", mostSignals)
	} else if ok := s.refine(e.NewSolver); !ok {
		r.Stopped = mc.StopReason(ctx)
	} else if proof := s.proof(e.NewSolver()); proof != nil {
		for i, q := range p.Props {
			if slices.Contains(proof.Props, q) {
				r.Props[i] = mc.PropResult{Prop: q, Status: mc.BySearch(p.Kind(q)), Engine: e.Name(), Time: time.Since(began), Proof: proof}
			}
		}
	}
	r.Stats.Queries = s.queries
	if r.Open() == 0 {
		r.Stopped = ""
	}
	return r, nil
}

// signals is a partition of nodes of a system.
type signals struct {
	p       *mc.Problem
	sys     *ts.System
	ctx     context.Context
	props   []int   // ascending
	nodes   []int   // ascending
	class   []int   // by node
	phase   []bool  // by node: the complement is in the class
	members [][]int // by class, ascending
	sim     *aig.Sim
	rng     *rand.Rand
	queries int64
}

// refine parts classes until the rest is inductive; it is false when ctx ended.
func (s *signals) refine(newSolver func() sat.Solver) bool {
	s.simulate()
	if !s.reset(newSolver()) {
		return false
	}
	for {
		if parted, ok := s.step(newSolver()); !parted || !ok {
			return ok
		}
	}
}

// collect notes the nodes that the properties depend on; it is false if there are too many.
func (s *signals) collect() bool {
	sys := s.sys
	s.props = lists.Where(s.p.Props, func(q int) bool { return mc.HasTrace(s.p.Kind(q)) })
	slices.Sort(s.props)
	roots := slices.Clone(sys.Constraints)
	for _, q := range s.props {
		for _, b := range s.p.Bads(q) {
			roots = append(roots, sys.Bads[b].Lit)
		}
	}
	for _, i := range sys.Cone(roots) {
		s.nodes = append(s.nodes, sys.Latches[i].Node)
		roots = append(roots, sys.Latches[i].Next)
	}
	s.nodes = append(s.nodes, lists.Where(sys.G.Cone(roots), sys.G.IsAnd)...)
	s.nodes = append(s.nodes, 0)
	slices.Sort(s.nodes)
	return len(s.nodes) <= mostSignals
}

// simulate makes the classes of random runs from reset.
func (s *signals) simulate() {
	sys := s.sys
	s.sim = aig.NewSim(sys.G)
	hash := make([]uint64, sys.G.Len())
	state := make([]uint64, len(sys.Latches))
	for run := range signalRuns {
		for _, i := range sys.Init {
			s.sim.Set(i.Node, s.rng.Uint64())
		}
		s.sim.Run()
		for i, l := range sys.Latches {
			state[i] = s.sim.Word(l.Reset)
		}
		alive := ^uint64(0)
		for frame := range signalFrames {
			s.set(state, func(int) uint64 { return s.rng.Uint64() })
			for _, n := range s.nodes {
				w := s.sim.Word(aig.MkLit(n, false))
				if run == 0 && frame == 0 {
					s.phase[n] = w&1 == 1
				}
				hash[n] = (hash[n] ^ s.normal(n, w)&alive + uint64(frame)) * 0x9e3779b97f4a7c15
				hash[n] ^= hash[n] >> 29
			}
			for _, c := range sys.Constraints {
				alive &= s.sim.Word(c)
			}
			for i, l := range sys.Latches {
				state[i] = s.sim.Word(l.Next)
			}
		}
	}
	number := make(map[uint64]int)
	for _, n := range s.nodes {
		k := lists.Memo(number, hash[n], func(uint64) int {
			s.members = append(s.members, nil)
			return len(number)
		})
		s.class[n], s.members[k] = k, append(s.members[k], n)
	}
}

// normal is the value of the class of a node.
func (s *signals) normal(n int, w uint64) uint64 {
	if s.phase[n] {
		return ^w
	}
	return w
}

// set simulates a frame.
func (s *signals) set(state []uint64, input func(i int) uint64) {
	for i, l := range s.sys.Latches {
		s.sim.Set(l.Node, state[i])
	}
	for i, l := range s.sys.Inputs {
		s.sim.Set(l.Node, input(i))
	}
	s.sim.Run()
}

// part parts the classes by the values that the last simulated frame has.
func (s *signals) part() {
	value := func(n int) uint64 { return s.normal(n, s.sim.Word(aig.MkLit(n, false))) }
	for k, ns := range s.members {
		if len(ns) < 2 || !slices.ContainsFunc(ns, func(n int) bool { return value(n) != value(ns[0]) }) {
			continue
		}
		number := map[uint64]int{value(ns[0]): k}
		s.members[k] = nil
		for _, n := range ns {
			k := lists.Memo(number, value(n), func(uint64) int {
				s.members = append(s.members, nil)
				return len(s.members) - 1
			})
			s.class[n], s.members[k] = k, append(s.members[k], n)
		}
	}
}

// equal returns the literal of a node that is the value of its class.
func (s *signals) equal(n int) aig.Lit { return aig.MkLit(n, s.phase[n]) }

// pairs calls each with the first and each other member of all classes, in order, as they are then.
func (s *signals) pairs(each func(first, n int) bool) bool {
	for _, n := range s.nodes {
		if first := s.members[s.class[n]][0]; first != n && !each(first, n) {
			return false
		}
	}
	return true
}

// reset parts classes whose members differ in a reset state; ok is false when ctx ended.
func (s *signals) reset(solver sat.Solver) (ok bool) {
	f := cnf.NewFrames(s.sys, false)
	f.Extend()
	en := cnf.New(f.Graph(), solver)
	word := func(l aig.Lit) uint64 { return s.around(en.Value(l)) }
	return s.pairs(func(first, n int) bool {
		differ := f.Graph().Xor(f.Copy(0, s.equal(first)), f.Copy(0, s.equal(n)))
		if differ == aig.False {
			return true
		}
		switch s.solve(solver, en.Lit(differ)) {
		case sat.Unsat:
			return true
		case sat.Unknown:
			return false
		}
		for i, in := range s.sys.Init {
			s.sim.Set(in.Node, word(f.Init()[i]))
		}
		s.sim.Run()
		state := lists.Make(len(s.sys.Latches), func(i int) uint64 { return s.sim.Word(s.sys.Latches[i].Reset) })
		s.set(state, func(i int) uint64 { return word(f.Inputs(0)[i]) })
		s.part()
		return true
	})
}

func (s *signals) solve(solver sat.Solver, l sat.Lit) sat.Status {
	s.queries++
	return solver.Solve(s.ctx, l)
}

// around returns a value in bit 0, and values that are mostly the same.
func (s *signals) around(v bool) uint64 {
	w := s.rng.Uint64() & s.rng.Uint64() & s.rng.Uint64() &^ 1
	if v {
		return ^w
	}
	return w
}

// step parts classes whose members differ after a step from a state where all members of each are equal, as they were
// when it began; ok is false when ctx ended.
func (s *signals) step(solver sat.Solver) (parted, ok bool) {
	f := cnf.NewFrames(s.sys, true)
	f.Extend()
	f.Extend()
	en := cnf.New(f.Graph(), solver)
	s.assume(f, en)
	value := func(l aig.Lit) uint64 {
		if en.Value(l) {
			return ^uint64(0)
		}
		return 0
	}
	ok = s.pairs(func(first, n int) bool {
		differ := f.Graph().Xor(f.Copy(1, s.equal(first)), f.Copy(1, s.equal(n)))
		if differ == aig.False {
			return true
		}
		switch s.solve(solver, en.Lit(differ)) {
		case sat.Unsat:
			return true
		case sat.Unknown:
			return false
		}
		parted = true
		s.set(lists.Map(f.Latches(0), value), func(i int) uint64 { return value(f.Inputs(0)[i]) })
		state := lists.Make(len(s.sys.Latches), func(i int) uint64 { return s.sim.Word(s.sys.Latches[i].Next) })
		s.set(state, func(i int) uint64 { return s.around(en.Value(f.Inputs(1)[i])) })
		s.part()
		return true
	})
	return parted, ok
}

// assume asserts in frame 0 that the members of each class are equal, and what holds of all frames.
func (s *signals) assume(f *cnf.Frames, en *cnf.Encoder) {
	en.Assert(f.W(0))
	en.Assert(f.Constraint(0))
	s.pairs(func(first, n int) bool {
		en.Assert(f.Graph().Equal(f.Copy(0, s.equal(first)), f.Copy(0, s.equal(n))))
		return true
	})
}

// proof returns a proof of the properties whose bads cannot hold where the members of each class are equal; nil: there are none.
func (s *signals) proof(solver sat.Solver) *evidence.Proof {
	f := cnf.NewFrames(s.sys, true)
	f.Extend()
	en := cnf.New(f.Graph(), solver)
	s.assume(f, en)
	out := &evidence.Proof{K: 1, Circuit: &evidence.Circuit{G: aig.New(), Out: aig.True}}
	for _, q := range s.props {
		if s.solve(solver, en.Lit(f.AnyBad(0, s.p.Bads(q)))) == sat.Unsat {
			out.Props = append(out.Props, q)
		}
	}
	if out.Props == nil {
		return nil
	}
	c, sys := out.Circuit, s.sys
	move := aig.NewCopier(c.G, sys.G)
	for _, l := range sys.Latches {
		c.Latches = append(c.Latches, c.G.Input())
		move.Set(l.Node, c.Latches[len(c.Latches)-1])
	}
	for _, l := range sys.Inputs {
		c.Inputs = append(c.Inputs, c.G.Input())
		move.Set(l.Node, c.Inputs[len(c.Inputs)-1])
	}
	var all []aig.Lit
	s.pairs(func(first, n int) bool {
		all = append(all, c.G.Equal(move.Copy(s.equal(first)), move.Copy(s.equal(n))))
		return true
	})
	c.Out = c.G.AndN(all)
	return out
}
