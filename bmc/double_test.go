package bmc_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// This file holds a second, naive bounded model checker, which can be told to
// break one rule at a time. Where the rules of soundness matter a test shows
// that breaking one gives a wrong answer, and that Checker gives the right one.

func newSolver() sat.Solver { return gini.New() }

// parse encodes a model.
func parse(t testing.TB, src string, opt murphi.Options) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse("test.m", []byte(src), opt)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	return p
}

func propNamed(t testing.TB, m *model.Model, name string) int {
	t.Helper()
	for i, p := range m.Props {
		if p.Name == name {
			return i
		}
	}
	t.Fatalf("there is no property %q", name)
	return -1
}

// replace fills in a source.
func replace(t *testing.T, src, old, text string) string {
	t.Helper()
	if !strings.Contains(src, old) {
		t.Fatalf("there is no %q", old)
	}
	return strings.ReplaceAll(src, old, text)
}

// trusted returns the full group of every scalarset, on its word.
func trusted(enc *encode.Encoding) *ts.Symmetry {
	y := &ts.Symmetry{}
	for c, typ := range enc.Model.Scalarsets {
		b := ts.Block{Name: typ.String(), Class: c, Elems: []int{0}}
		for v := 1; v < int(typ.Card()); v++ {
			b.Elems = append(b.Elems, v)
			b.Swaps = append(b.Swaps, enc.Transposition(c, v-1, v))
		}
		if len(b.Elems) > 1 {
			y.Blocks = append(y.Blocks, b)
		}
	}
	return y
}

// ask is what the double asks about one property. The zero value of every hook
// is what Checker does without representatives.
type ask struct {
	prop     int
	violated func(f *cnf.Frames, d int) aig.Lit // default Encoding.Violation
	assume   func(f *cnf.Frames, d int) aig.Lit // for depth d only
	assert   func(f *cnf.Frames, d int) aig.Lit // from depth d on, before it is asked
}

// search asks depth by depth and returns, by question, the least depth at which
// the answer is yes, or -1. Constraints of frames before d hold at depth d.
func search(t *testing.T, enc *encode.Encoding, bound int, asks ...ask) []int {
	t.Helper()
	f := cnf.NewFrames(enc.Sys, false)
	s := newSolver()
	cnf := cnf.New(f.Graph(), s)
	found := make([]int, len(asks))
	for i := range found {
		found[i] = -1
	}
	for d := range bound + 1 {
		f.Extend()
		if d > 0 {
			cnf.Assert(f.Constraint(d - 1))
		}
		for i, q := range asks {
			if found[i] >= 0 {
				continue
			}
			if q.assert != nil {
				cnf.Assert(q.assert(f, d))
			}
			var bad aig.Lit
			if q.violated == nil {
				bad = f.Violation(enc.PropBads[q.prop], d)
			} else {
				bad = q.violated(f, d)
			}
			assume := []sat.Lit{cnf.Implied(bad)}
			if q.assume != nil {
				assume = append(assume, cnf.Implied(q.assume(f, d)))
			}
			if s.Solve(context.Background(), assume...) == sat.Sat {
				found[i] = d
			} else {
				cnf.Assert(bad.Not())
			}
		}
	}
	return found
}

// The representative predicates of a path of d steps under a set of
// permutations.

type predicate func(f *cnf.Frames, d int) aig.Lit

func word(f *cnf.Frames, d int) []rep.Frame {
	var w []rep.Frame
	for k := d; k >= 0; k-- {
		w = append(w, rep.Frame{State: f.Latches(k)})
	}
	return w
}

// frontier is Rep on the last frame.
func frontier(F []*ts.Perm) predicate {
	return func(f *cnf.Frames, d int) aig.Lit { return reptest.Predicate(f.Graph(), f.Latches(d), F) }
}

// backward is Rep of the path, last frame first.
func backward(F []*ts.Perm) predicate {
	return func(f *cnf.Frames, d int) aig.Lit { return rep.PathPredicate(f.Graph(), word(f, d), nil, F) }
}

// forward is Rep of the path, first frame first.
func forward(F []*ts.Perm) predicate {
	return func(f *cnf.Frames, d int) aig.Lit {
		w := word(f, d)
		slices.Reverse(w)
		return rep.PathPredicate(f.Graph(), w, nil, F)
	}
}

// everywhere is Rep on each frame.
func everywhere(F []*ts.Perm) predicate {
	return func(f *cnf.Frames, d int) aig.Lit {
		var all []aig.Lit
		for k := range d + 1 {
			all = append(all, reptest.Predicate(f.Graph(), f.Latches(k), F))
		}
		return f.Graph().AndN(all)
	}
}

func both(p, q predicate) predicate {
	return func(f *cnf.Frames, d int) aig.Lit { return f.Graph().And(p(f, d), q(f, d)) }
}

// nice returns the permutations that Checker breaks a group with.
func nice(t *testing.T, y *ts.Symmetry) []*ts.Perm {
	t.Helper()
	F, err := rep.Perms(y, rep.Nice)
	if err != nil {
		t.Fatal(err)
	}
	return F
}

// check runs Checker in every mode and returns the depth at which prop is
// violated, -1 if it is not up to the bound. Modes must agree, and the evidence
// must be right.
func check(t *testing.T, p *mc.Problem, prop, bound int) int {
	t.Helper()
	depth := -2
	for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
		d := checkMode(t, p, mode, prop, bound)
		if depth != -2 && d != depth {
			t.Errorf("rep %v: depth %d, rep %v: depth %d", mode-1, depth, mode, d)
		}
		depth = d
	}
	return depth
}

func checkMode(t *testing.T, p *mc.Problem, mode bmc.RepMode, prop, bound int) int {
	t.Helper()
	r, err := (&bmc.Checker{Rep: mode, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{All: true, Bounded: true, MaxDepth: bound})
	if err != nil {
		t.Fatal(err)
	}
	if err := certify.Verify(context.Background(), p, r); err != nil {
		t.Fatal(err)
	}
	for _, pr := range r.Props {
		switch {
		case pr.Prop != prop:
		case pr.Status == mc.Unsafe:
			return pr.Depth
		case pr.Bound != bound:
			t.Fatalf("rep %v: bound %d, want %d", mode, pr.Bound, bound)
		}
	}
	return -1
}
