package states

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks lists of states of netlists (evidence.Enumerated). Each member is simulated with all inputs. Its successors
// must be members, and so must the reset states. Then no run leaves the list, and no bad is met if none holds at a member.
//
// Of justice: no step leads to a component of a larger number, so each run stays in one component from some step on. The
// component names a condition that none of its steps meets. So no run meets all conditions infinitely often.
//
// A state is made of some latches only. That is right if the functions of these latches, the constraints, bads and conditions
// depend on no other ones, which is checked first.

// mostValues bounds how many inputs are tried with each member, as a power of two.
const mostValues = 24

// enumeration is what a list of states is checked with.
type enumeration struct {
	f      *evidence.Enumerated
	g      *aig.Graph
	sim    *aig.Sim
	state  []int // nodes
	inputs []int
	init   []int

	constraints []aig.Lit
	next, reset []aig.Lit
	goals       []enumeratedGoal
	at          map[uint64]int // numbers of states
}

// enumeratedGoal is a property that is called safe.
type enumeratedGoal struct {
	prop       int
	bads       []aig.Lit
	justice    bool
	conditions []aig.Lit
	missing    []int32
}

// Enumerated checks the properties that rest on a list of states.
func Enumerated(ctx context.Context, p *mc.Problem, f *evidence.Enumerated, prs []*mc.PropResult) (how string, err error) {
	e, err := newEnumeration(p, f, prs)
	if err != nil {
		return "", err
	}
	if err := e.starts(); err != nil {
		return "", err
	}
	steps := 0
	for i := range f.States {
		if i&0xff == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := e.member(i)
		if err != nil {
			return "", err
		}
		steps += n
	}
	return fmt.Sprintf("%d states of %d latches visited, each with all inputs that matter: %d steps, by simulation", len(f.States), len(f.Latches), steps), nil
}

// newEnumeration copies the functions of what is asked for.
func newEnumeration(p *mc.Problem, f *evidence.Enumerated, prs []*mc.PropResult) (*enumeration, error) {
	src := p.Netlist
	if p.Lassos != nil {
		src = p.Lassos.Source
	}
	e := &enumeration{f: f, g: aig.NewPlain(), at: make(map[uint64]int, len(f.States))}
	if len(f.Latches) > 64 || !slices.IsSorted(f.Latches) || len(f.Latches) > 0 && (f.Latches[0] < 0 || f.Latches[len(f.Latches)-1] >= len(src.Latches)) {
		return nil, fmt.Errorf("states are made of latches %v", f.Latches)
	}
	move := aig.NewCopier(e.g, src.G)
	var source []aig.Lit // all functions, in src
	source = append(source, src.Constraints...)
	leaf := func(node int) int {
		x := e.g.Input()
		move.Set(node, x)
		return x.Node()
	}
	var resets, nexts []aig.Lit
	for _, i := range f.Latches {
		e.state = append(e.state, leaf(src.Latches[i].Node))
		resets, nexts = append(resets, src.Latches[i].Reset), append(nexts, src.Latches[i].Next)
	}
	source = append(source, nexts...)
	for _, pr := range prs {
		if j, fair, ok := p.JusticeOf(pr.Prop); ok {
			source = append(append(source, j.Lits...), fair...)
			continue
		}
		for _, b := range p.Sources(pr.Prop) {
			source = append(source, src.Bads[b].Lit)
		}
	}
	support := src.G.Support(source)
	for _, x := range src.Inputs {
		if slices.Contains(support, x.Node) {
			e.inputs = append(e.inputs, leaf(x.Node))
		}
	}
	for _, n := range support {
		isLatch := slices.ContainsFunc(f.Latches, func(i int) bool { return src.Latches[i].Node == n })
		if !isLatch && !slices.ContainsFunc(src.Inputs, func(x ts.Signal) bool { return x.Node == n }) {
			return nil, fmt.Errorf("a property depends on a latch that is not in a state")
		}
	}
	first := src.G.Support(resets)
	for _, x := range src.Init {
		if slices.Contains(first, x.Node) {
			e.init = append(e.init, leaf(x.Node))
		}
	}
	if len(e.init) != len(first) {
		return nil, fmt.Errorf("first values depend on more than initial inputs")
	}
	if max(len(e.init), len(e.inputs)) > mostValues {
		return nil, fmt.Errorf("%d inputs and %d initial inputs are too many to try", len(e.inputs), len(e.init))
	}
	copies := func(ls []aig.Lit) []aig.Lit { return lists.Map(ls, move.Copy) }
	e.constraints, e.reset, e.next = copies(src.Constraints), copies(resets), copies(nexts)
	for _, pr := range prs {
		g := enumeratedGoal{prop: pr.Prop}
		if j, fair, ok := p.JusticeOf(pr.Prop); ok {
			g.justice, g.conditions, g.missing = true, copies(slices.Concat(j.Lits, fair)), f.Missing[pr.Prop]
			if len(f.Components) != len(f.States) {
				return nil, fmt.Errorf("%d states have %d components", len(f.States), len(f.Components))
			}
		} else {
			for _, b := range p.Sources(pr.Prop) {
				g.bads = append(g.bads, move.Copy(src.Bads[b].Lit))
			}
		}
		e.goals = append(e.goals, g)
	}
	for i, x := range f.States {
		if _, twice := e.at[x]; twice || len(f.Latches) < 64 && x>>len(f.Latches) != 0 {
			return nil, fmt.Errorf("state %d is there twice or has more bits than latches", i)
		}
		e.at[x] = i
	}
	e.sim = aig.NewSim(e.g)
	return e, nil
}

// each simulates all values of some leaves, 64 at a time. It calls do with the lanes that are used.
func (e *enumeration) each(leaves []int, do func(lanes uint64) error) error {
	for first := 0; first < 1<<len(leaves); first += 64 {
		for i, node := range leaves {
			w := uint64(0)
			for lane := range 64 {
				w |= uint64((first+lane)>>i&1) << lane
			}
			e.sim.Set(node, w)
		}
		e.sim.Run()
		used := ^uint64(0)
		if len(leaves) < 6 {
			used = 1<<(1<<len(leaves)) - 1
		}
		if err := do(used); err != nil {
			return err
		}
	}
	return nil
}

// stateOf returns the state that some functions are in a lane.
func (e *enumeration) stateOf(words []uint64, lane int) (x uint64) {
	for i, w := range words {
		x |= w >> lane & 1 << i
	}
	return x
}

func (e *enumeration) words(functions []aig.Lit) []uint64 { return lists.Map(functions, e.sim.Word) }

// starts checks that reset states are members.
func (e *enumeration) starts() error {
	return e.each(e.init, func(lanes uint64) error {
		reset := e.words(e.reset)
		for ; lanes != 0; lanes &= lanes - 1 {
			if _, ok := e.at[e.stateOf(reset, bits.TrailingZeros64(lanes))]; !ok {
				return fmt.Errorf("a reset state is missing")
			}
		}
		return nil
	})
}

// member checks a member and returns how many steps it has.
func (e *enumeration) member(i int) (steps int, err error) {
	for k, node := range e.state {
		e.sim.Set(node, -(e.f.States[i] >> k & 1))
	}
	err = e.each(e.inputs, func(lanes uint64) error {
		for _, c := range e.constraints {
			lanes &= e.sim.Word(c)
		}
		steps += bits.OnesCount64(lanes)
		for _, g := range e.goals {
			for _, b := range g.bads {
				if e.sim.Word(b)&lanes != 0 {
					return fmt.Errorf("a member violates a property")
				}
			}
		}
		next := e.words(e.next)
		for open := lanes; open != 0; open &= open - 1 {
			lane := bits.TrailingZeros64(open)
			to, ok := e.at[e.stateOf(next, lane)]
			if !ok {
				return fmt.Errorf("a successor is missing")
			}
			for _, g := range e.goals {
				if g.justice {
					if err := e.stays(g, i, to, lane); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	return steps, err
}

// stays checks the components of a step.
func (e *enumeration) stays(g enumeratedGoal, from, to, lane int) error {
	c, d := e.f.Components[from], e.f.Components[to]
	switch {
	case d < c:
		return nil
	case d > c:
		return fmt.Errorf("a step leads from component %d to %d", c, d)
	case int(c) >= len(g.missing) || g.missing[c] < 0 || int(g.missing[c]) >= len(g.conditions):
		return fmt.Errorf("there is a step within component %d", c)
	case e.sim.Word(g.conditions[g.missing[c]])>>lane&1 == 1:
		return fmt.Errorf("a step within component %d meets the condition that it names", c)
	}
	return nil
}
