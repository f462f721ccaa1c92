package cofactor

import (
	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// This file adds up the statistics of searches.

// count adds up what the searches did.
func (r *run) count(searches []*search) {
	st := &r.result.Stats
	*st = mc.Stats{}
	var states float64
	for _, s := range searches {
		st.Depth = max(st.Depth, s.depth)
		st.Latches, st.Inputs = len(s.sys.Latches), len(s.sys.Inputs)
		st.Ands = max(st.Ands, s.frames.Graph().Len())
		st.Enumerations += s.stats.enumerations
		st.Cofactors += s.stats.cofactors
		st.Images += int64(s.stats.images)
		st.CofactorAnds += s.stats.cofactorAnds
		st.SetAnds += s.setAnds()
		st.Queries += int64(s.stats.queries)
		st.Permutations = max(st.Permutations, s.stats.permutations)
		states += s.stats.states
		if s.solver != nil {
			have := s.solver.Stats()
			st.Variables += have.Vars
			st.Clauses += have.Clauses
			st.Conflicts += have.Conflicts
			st.Decisions += have.Decisions
		}
	}
	for _, n := range r.nested {
		st.Frames = max(st.Frames, n.Frames)
		st.Orbits += n.Orbits
		st.Images += n.Images
		st.Obligations += n.Obligations
		st.Queries += n.Queries
		st.Conflicts += n.Conflicts
		st.Decisions += n.Decisions
	}
	if st.Enumerations > 0 {
		st.StatesPerEnumeration = states / float64(st.Enumerations)
	}
}

// setAnds returns the number of AND nodes of all stored sets together.
func (s *search) setAnds() int {
	c := evidence.NewCircuit(len(s.sys.Latches))
	for _, x := range s.sets {
		x.c.Place(c.G, c.Latches)
	}
	return c.G.Len() - 1 - c.G.NumInputs()
}

// progress reports that a depth is done.
func (s *search) progress() {
	if s.opt.Event == nil {
		return
	}
	one := run{Engine: s.Engine, result: &mc.Result{}}
	one.count([]*search{s})
	s.opt.Event(mc.Event{Engine: s.Name(), Depth: s.depth, Stats: one.result.Stats})
}
