package cofactor

import (
	"context"
	"fmt"
	"time"

	"orbitmc/mc"
)

// This file decides liveness, AG EF p. For each instance of the property the states
// from which p can be reached are computed as those from which a violation can: p is
// the violation, of a system with the same states and steps, and the search goes on
// until no state is added, whether or not the reset states are met. Then another
// engine is asked whether a state outside them can be reached.
//
// All sets are exact here: no representatives, since the complement is taken, and a
// set that is right on representatives only would leave out the other members of
// their orbits. As evidence each set is kept with the inputs it is the cofactor by,
// which lead from it into the sets before; so no inputs are merged, and no set is
// dropped that one found later, and perhaps by a step into it, covers.

// fault breaks a rule of soundness; tests show that the rule is needed.
type fault uint8

// Faults.
const (
	keepRep    fault = 1 + iota // the complement is taken of what is exact on representatives
	resetsOnly                  // what is excluded in reset states only counts as an invariant
)

// live decides a liveness property, if Reach can, and returns the searches it took.
func (r *run) live(ctx context.Context, i, prop int) ([]*search, error) {
	var searches []*search
	var steps [][]mc.Toward
	for inst := range r.p.Enc.Instances[prop] {
		s, err := r.reaching(ctx, prop, inst)
		if err != nil {
			return searches, err
		}
		searches = append(searches, s)
		for !s.done {
			if why := r.limit(ctx); why != "" {
				r.result.Stopped = why
				return searches, nil
			}
			if err := s.step(ctx); err != nil {
				return searches, err
			}
		}
		if why := s.result.Stopped; why != "" {
			r.result.Stopped = why
			return searches, nil
		}
		steps = append(steps, s.steps())
	}
	missing := r.p.Missing(prop, steps)
	found, err := r.Reach.Run(ctx, missing, mc.Options{MemLimit: r.opt.MemLimit})
	if err != nil {
		return searches, err
	}
	r.nested = append(r.nested, found.Stats)
	pr := mc.PropResult{Prop: prop, Status: found.Props[0].Status, Engine: r.Name(), Bound: -1}
	switch pr.Status {
	case mc.Unknown:
		r.result.Stopped = found.Stopped
		return searches, nil
	case mc.Safe:
		pr.Reaching = &mc.Reaching{Steps: steps, Proof: found.Props[0].Proof}
	case mc.Unsafe:
		path := found.Props[0].Path
		frames, err := missing.Netlist.Run(path)
		if err != nil {
			return searches, err
		}
		for inst, s := range searches {
			if !s.covered(frames[len(frames)-1].State) {
				trap := s.union(s.sets)
				trap.Out = trap.Out.Not()
				pr.Reaching = &mc.Reaching{Inst: inst, Trap: trap}
				break
			}
		}
		if pr.Trace, err = r.p.Enc.DecodeRun(path, prop); err != nil {
			return searches, err
		}
		pr.Depth = pr.Trace.Depth(r.p.Model)
	}
	pr.Time = time.Since(r.began)
	r.result.Props[i] = pr
	return searches, nil
}

// reaching returns the search for the states from which an instance of a liveness
// property can be reached.
func (r *run) reaching(ctx context.Context, prop, inst int) (*search, error) {
	e := *r.Engine
	e.Rep, e.Unrolled = RepOff, false
	e.Without |= Merge | Contain
	p := r.p.Reaching(prop, inst)
	if e.fault == keepRep {
		e.Rep, p.Groups = RepOn, r.p.Groups[prop:prop+1]
	}
	s, err := (&run{Engine: &e, p: p, opt: r.opt, result: mc.NewResult(e.Name(), p), began: r.began}).newSearch(ctx, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("instance %d: %w", inst, err)
	}
	s.whole = true
	return s, nil
}

// steps returns the sets that were found by a step, in order, with its inputs.
func (s *search) steps() []mc.Toward {
	number := make(map[int]int)
	for i, l := range s.frames.Inputs(0) {
		number[l.Node()] = i
	}
	var steps []mc.Toward
	for _, x := range s.sets {
		if x.depth == 0 {
			continue // where the property holds
		}
		inputs := make([]bool, len(s.sys.Inputs))
		for k, n := range x.leaves {
			inputs[number[n]] = x.inputs[k]
		}
		steps = append(steps, mc.Toward{From: x.c, Inputs: inputs})
	}
	return steps
}
