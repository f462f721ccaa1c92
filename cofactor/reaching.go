package cofactor

import (
	"context"
	"fmt"
	"time"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file decides liveness, AG EF p. For one instance of each orbit
// (instance.go) it computes the states from which p can be reached. This is
// backward search: p takes the place of the violation, in a system with the same
// states and steps, and the search goes on until no state is added, even if reset
// states are met. Then another engine is asked whether a state outside the set
// can be reached.
//
// All sets are exact here, on the invariant: the complement of the set is taken,
// so representatives would leave out the other members of their orbits. Instead
// one set of each orbit is stored, under the stabiliser of the instance, with its
// images where they are met. As evidence each set is kept with the inputs of its
// cofactor, which lead from it into the sets before. So no inputs are merged, and
// no set is dropped when a later set, perhaps by a step into it, covers it.

// live decides a liveness property, if Reach can, and returns the searches it took.
func (r *run) live(ctx context.Context, i, prop int) ([]*search, error) {
	var searches []*search
	f := &evidence.Reaching{Insts: make([]evidence.ReachingInst, len(r.p.Enc.Instances[prop]))}
	if r.care != nil && len(r.care.Excluded) > 0 {
		f.Known = &evidence.Proof{K: 1, Clauses: r.care.Clauses()}
		if y := r.p.Group(prop); r.care.KeptBy(y) {
			f.Known.Group = y
		}
	}
	e := &numbered{at: make(map[*ts.Perm]int)}
	of, by, groups := r.orbits(ctx, prop)
	for inst := range f.Insts {
		f.Insts[inst] = evidence.ReachingInst{Of: of[inst], By: e.numbers(by[inst])}
		if of[inst] != inst {
			continue
		}
		s, err := r.reaching(ctx, prop, inst, groups[inst])
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
		steps, circuits := s.toward(e)
		missing := r.p.Missing(prop, inst, circuits, f.Known)
		missing.Groups = []*ts.Symmetry{groups[inst]}
		found, err := r.Reach.Run(ctx, missing, mc.Options{MemLimit: r.opt.MemLimit})
		if err != nil {
			return searches, err
		}
		r.nested = append(r.nested, found.Stats)
		switch found.Props[0].Status {
		case mc.Unknown:
			r.result.Stopped = found.Stopped
			return searches, nil
		case mc.Unsafe:
			return searches, r.trapped(i, prop, inst, s, found.Props[0].Path)
		}
		f.Insts[inst].Steps, f.Insts[inst].Proof = steps, found.Props[0].Proof
	}
	f.Perms = e.perms
	r.result.Props[i] = mc.PropResult{Prop: prop, Status: mc.Safe, Engine: r.Name(), Bound: -1, Reaching: f, Time: time.Since(r.began)}
	return searches, nil
}

// trapped records that a path leads to a state from which an instance cannot be
// reached.
func (r *run) trapped(i, prop, inst int, s *search, path *ts.Trace) error {
	trap := s.union(s.sets)
	trap.Out = trap.G.And(trap.Out.Not(), s.care.Place(trap.G, trap.Latches))
	pr := mc.PropResult{Prop: prop, Status: mc.Unsafe, Engine: r.Name(), Bound: -1, Reaching: &evidence.Reaching{Inst: inst, Trap: trap}}
	var err error
	if pr.Trace, err = r.p.Enc.DecodeRun(path, prop); err != nil {
		return err
	}
	pr.Depth = pr.Trace.Depth(r.p.Model)
	pr.Time = time.Since(r.began)
	r.result.Props[i] = pr
	return nil
}

// exact returns the engine for sets that are right on all states, representatives or
// not, and each with the inputs that it is the cofactor by; and the group of an instance,
// which is y.
func (r *run) exact(_ int, y *ts.Symmetry) (*Engine, *ts.Symmetry) {
	e := *r.Engine
	e.Unrolled = false
	e.Without |= Contain
	if e.Reduction != NoReduction {
		e.Reduction = ByOrbits
	}
	return &e, y
}

// reaching returns the search for the states from which an instance of a liveness
// property can be reached.
func (r *run) reaching(ctx context.Context, prop, inst int, y *ts.Symmetry) (*search, error) {
	e, y := r.variant.exact(r, prop, y)
	p := r.p.Reaching(prop, inst)
	p.Groups = []*ts.Symmetry{y}
	sub := e.newRun(p, r.opt)
	sub.began, sub.care = r.began, r.care
	s, err := sub.newSearch(ctx, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("instance %d: %w", inst, err)
	}
	s.whole = true
	return s, nil
}
