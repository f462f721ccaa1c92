package sattest

import (
	"context"
	"fmt"
	"strings"

	"orbitmc/sat"
)

// A misuse makes one illegal call, after legal ones, and names what the panic
// must say.
type misuse struct {
	name string
	says string
	do   func(s sat.Solver, x sat.Lit) // x is the only variable of s
}

var illegal = []misuse{
	{"Value before Solve", "Value: legal only after Solve returned Sat", func(s sat.Solver, x sat.Lit) {
		s.Value(x)
	}},
	{"Value after Unsat", "Value: legal only after Solve returned Sat", func(s sat.Solver, x sat.Lit) {
		s.Add(x)
		s.Solve(context.Background(), x.Not())
		s.Value(x)
	}},
	{"Value after Unknown", "Value: legal only after Solve returned Sat", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background())
		ended, stop := context.WithCancel(context.Background())
		stop()
		if s.Solve(ended) != sat.Unknown {
			s.NewVar()
		}
		s.Value(x)
	}},
	{"Value after Add", "Value: legal only after Solve returned Sat", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background())
		s.Add(x)
		s.Value(x)
	}},
	{"Value after NewVar", "Value: legal only after Solve returned Sat", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background())
		s.NewVar()
		s.Value(x)
	}},
	{"Value of an unknown variable", "Value: literal 2 of a variable that NewVar did not return", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background())
		s.Value(sat.MkLit(2, false))
	}},
	{"Core before Solve", "Core: legal only after Solve returned Unsat", func(s sat.Solver, x sat.Lit) {
		s.Core()
	}},
	{"Core after Sat", "Core: legal only after Solve returned Unsat", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background(), x)
		s.Core()
	}},
	{"Core after Group", "Core: legal only after Solve returned Unsat", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background(), x, x.Not())
		s.Group()
		s.Core()
	}},
	{"Core after Release", "Core: legal only after Solve returned Unsat", func(s sat.Solver, x sat.Lit) {
		g := s.Group()
		s.Solve(context.Background(), x, x.Not())
		s.Release(g)
		s.Core()
	}},
	{"Add of the zero Lit", "Add: the zero Lit is no literal", func(s sat.Solver, x sat.Lit) {
		s.Add(x, 0)
	}},
	{"Add of an unknown variable", "Add: literal -2 of a variable that NewVar did not return", func(s sat.Solver, x sat.Lit) {
		s.Add(x, sat.MkLit(2, true))
	}},
	{"AddTo of an unknown variable", "AddTo: literal 9 of a variable that NewVar did not return", func(s sat.Solver, x sat.Lit) {
		s.AddTo(s.Group(), sat.MkLit(9, false))
	}},
	{"Solve of an unknown variable", "Solve: literal 2 of a variable that NewVar did not return", func(s sat.Solver, x sat.Lit) {
		s.Solve(context.Background(), sat.MkLit(2, false))
	}},
	{"AddTo the zero Group", "AddTo: 0 is no group of this solver", func(s sat.Solver, x sat.Lit) {
		s.AddTo(0, x)
	}},
	{"AddTo a group never opened", "AddTo: 7 is no group of this solver", func(s sat.Solver, x sat.Lit) {
		s.AddTo(7, x)
	}},
	{"AddTo a released group", "AddTo: group 1 was released", func(s sat.Solver, x sat.Lit) {
		g := s.Group()
		s.Release(g)
		s.Group()
		s.AddTo(g, x)
	}},
	{"Release twice", "Release: group 1 was released", func(s sat.Solver, x sat.Lit) {
		g := s.Group()
		s.Release(g)
		s.Release(g)
	}},
	{"Release of the zero Group", "Release: 0 is no group of this solver", func(s sat.Solver, x sat.Lit) {
		s.Release(0)
	}},
}

func (m misuse) check(s sat.Solver) (err error) {
	defer func() {
		p := recover()
		switch text, _ := p.(string); {
		case p == nil:
			err = fmt.Errorf("%s: no panic", m.name)
		case !strings.HasPrefix(text, "sat: "+m.says):
			err = fmt.Errorf("%s: panic %q, want \"sat: %s…\"", m.name, p, m.says)
		}
	}()
	m.do(s, s.NewVar())
	return nil
}
