package explicit

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/model"
)

type search struct {
	p       *model.Program
	m       *model.Machine
	opt     Options
	packer  *model.Packer
	canon   *canonicaliser // nil for None
	set     *set
	buf     []byte
	cur     model.State // being expanded
	checks  []int       // invariants to evaluate in every state
	wanted  []bool      // by property
	runtime int
	dead    int // the deadlock property, or -1

	depth    int   // of the states being expanded
	expanded int64 // states
	fired    int64
	done     int       // depth to which the search is complete
	found    []finding // by property
	limit    int       // least depth of a violation; violations below it do not matter unless opt.All
	frontier bool      // new states are looked for
	reason   string
	complete bool
}

// finding is a violation: in state number state, or, if erring is not nil, of
// the instance erring of a rule in that state or, if there is none, of a start
// state.
type finding struct {
	depth  int // -1: none
	state  uint32
	erring *model.Choice
	v      *model.Violation
}

const never = int(^uint(0) >> 1)

func newSearch(p *model.Program, opt Options) (*search, error) {
	m := p.Model
	s := &search{p: p, m: p.NewMachine(), opt: opt, packer: model.NewPacker(m), cur: make(model.State, m.Leaves()),
		wanted: make([]bool, len(m.Props)), found: make([]finding, len(m.Props)),
		runtime: m.Runtime().Index, dead: -1, done: -1, limit: never, frontier: true}
	s.set = newSet(s.packer.Size())
	if opt.Canon != None {
		c, err := newCanonicaliser(p, s.packer, opt.Blocks, opt.Canon == Exact)
		if err != nil {
			return nil, err
		}
		s.canon = c
	}
	for i := range s.wanted {
		s.wanted[i] = opt.Props == nil
		s.found[i].depth = -1
	}
	for _, i := range opt.Props {
		if i < 0 || i >= len(m.Props) {
			return nil, fmt.Errorf("explicit: there is no property %d", i)
		}
		s.wanted[i] = true
	}
	for i, q := range m.Props {
		// An invariant that is not wanted may still raise a run-time error.
		if q.Kind == model.Invariant && (s.wanted[i] || s.wanted[s.runtime]) {
			s.checks = append(s.checks, i)
		}
	}
	if d := m.DeadlockProp(); d != nil && s.wanted[d.Index] {
		s.dead = d.Index
	}
	return s, nil
}

func (s *search) run(ctx context.Context) {
	lo := uint32(0)
	s.m.Starts(func(ch model.Choice, st model.State, v *model.Violation) bool {
		if v != nil {
			c := ch.Clone()
			s.report(finding{0, noParent, &c, v})
			return true
		}
		return s.visit(st, noParent, 0)
	})
	for s.reason == "" {
		hi := s.set.n
		if lo == hi {
			s.complete = true
			s.done = max(s.depth-1, 0)
			return
		}
		s.frontier = s.goesOn()
		if !s.frontier && !s.pending() {
			hi = lo
		}
		for i := lo; i < hi; i++ {
			if s.expanded&1023 == 0 {
				if err := ctx.Err(); err != nil {
					s.reason = err.Error()
					return
				}
				if s.opt.Progress != nil && s.expanded&65535 == 0 {
					s.opt.Progress(s.stats())
				}
			}
			if s.expand(i); s.reason != "" {
				return
			}
		}
		s.done = s.depth
		switch {
		case !s.opt.All && s.limit <= s.depth:
			s.reason = "violation found"
		case s.allFound():
			s.reason = "every property is violated"
		case s.opt.Bounded && s.depth >= s.opt.MaxDepth:
			s.reason = "depth bound"
		}
		s.depth++
		lo = hi
	}
}

func (s *search) stats() Stats {
	mem, _ := s.set.memory()
	return Stats{s.depth, int64(s.set.n), s.expanded, s.fired, mem}
}

// allFound reports whether there is nothing left to look for: every wanted
// property is known to be violated at a depth at which it cannot be beaten.
func (s *search) allFound() bool {
	for i, f := range s.found {
		if s.wanted[i] && (f.depth < 0 || f.depth > s.depth) {
			return false
		}
	}
	return true
}

// pending reports whether expanding the states at the present depth may show
// that a property is violated at that very depth: deadlock, or the run-time
// error property by an error in a guard under CMurphi.
func (s *search) pending() bool {
	open := func(prop int) bool {
		return s.wanted[prop] && (s.found[prop].depth < 0 || s.found[prop].depth > s.depth)
	}
	return s.dead >= 0 && open(s.dead) || s.p.Model.Dialect == model.CMurphi && open(s.runtime)
}

// report notes a violation unless the property is known to be violated as early.
func (s *search) report(f finding) {
	prop := f.v.Prop
	if !s.wanted[prop] || s.opt.Bounded && f.depth > s.opt.MaxDepth {
		return
	}
	if old := s.found[prop].depth; old >= 0 && old <= f.depth {
		return
	}
	s.found[prop] = f
	if f.depth < s.limit {
		s.limit = f.depth
		s.frontier = s.goesOn()
	}
}

// goesOn reports whether states and violations beyond the present depth matter.
func (s *search) goesOn() bool {
	return (s.opt.All || s.limit > s.depth) && !(s.opt.Bounded && s.depth >= s.opt.MaxDepth)
}

// visit adds a state reached at this depth to the set and, if it is new, checks
// the invariants in it. It returns false if there is no room for it.
func (s *search) visit(st model.State, parent uint32, depth int) bool {
	var b []byte
	if s.canon != nil {
		b = s.canon.canon(st)
	} else {
		s.buf = s.packer.Pack(s.buf[:0], st)
		b = s.buf
	}
	_, known, slot, tag := s.set.find(b)
	if known {
		return true
	}
	if used, more := s.set.memory(); s.opt.MemLimit > 0 && used+more > s.opt.MemLimit || s.set.n >= maxStates {
		s.reason = "out of memory"
		return false
	}
	i := s.set.insert(b, slot, tag, parent)
	for _, prop := range s.checks {
		if v := s.m.Violated(st, prop); v != nil {
			s.report(finding{depth, i, nil, v})
		}
	}
	return true
}

// expand fires all rule instances in state i.
func (s *search) expand(i uint32) {
	s.expanded++
	s.packer.Unpack(s.set.at(i), s.cur)
	stuck := true // no step counts against a deadlock
	stuttering := s.p.Model.Deadlock == model.Stuttering
	s.m.Successors(s.cur, func(ch model.Choice, next model.State, v *model.Violation) bool {
		if v != nil {
			depth := s.depth + 1
			if v.InGuard {
				if s.p.Model.Dialect == model.CMurphi {
					depth = s.depth
				}
			} else {
				s.fired++
			}
			if s.wanted[v.Prop] {
				c := ch.Clone()
				s.report(finding{depth, i, &c, v})
			}
			return true
		}
		s.fired++
		self := slices.Equal(next, s.cur)
		if !self || !stuttering {
			stuck = false
		}
		return self || !s.frontier || s.visit(next, i, s.depth+1)
	})
	if stuck && s.dead >= 0 && s.reason == "" {
		s.report(finding{s.depth, i, nil, &model.Violation{Prop: s.dead, Message: "deadlock"}})
	}
}

func (s *search) result() (*Result, error) {
	st := s.stats()
	r := &Result{Complete: s.complete, Depth: s.done, States: st.States, Fired: s.fired, Memory: st.Memory, Reason: s.reason}
	if s.complete {
		r.Visited = &closure{s.set, s.packer, s.canon, nil}
	}
	for prop, f := range s.found {
		if f.depth < 0 || !s.opt.All && f.depth > s.limit {
			continue
		}
		t, err := s.trace(prop, f)
		if err != nil {
			return nil, err
		}
		r.Violations = append(r.Violations, Found{prop, f.depth, t})
	}
	return r, nil
}
