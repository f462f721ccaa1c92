package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/pdr"
	"orbitmc/ts"
)

// This file carries lemmas from small sizes of a model to the one that is asked for
// (pdr.Transfer says how, and why nothing has to be believed). sweep does it for one
// constant that the user names; the pdr of other commands for all constants that a
// scalarset or an inferred class has its size from.

// firstSize is the least number of components that lemmas are carried from: of 2
// components many things are true that never are again. While new lemmas are needed
// at the next size, and fewer than before, that is tried as well, up to lastSize.
const (
	firstSize = 3
	lastSize  = 5
)

// carrier proves a model at several sizes, and keeps the lemmas.
type carrier struct {
	pdr.Transfer
	from    []string // the sizes that lemmas are from
	changes []string // what else changes with them
}

// ready prepares the task of one size, and returns pdr for it with what is known
// from others.
func (k *carrier) ready(ctx context.Context, t *task) (*pdr.Engine, error) {
	err := t.prepare(ctx, true)
	if err == nil {
		err = t.proveWellFormed(ctx)
	}
	if err == nil && t.problem.Enc == nil {
		err = t.problem.EncErr
	}
	e := &pdr.Engine{NewSolver: t.newFrameSolver}
	if err == nil && k.Len() > 0 {
		tried := make(map[*ts.Symmetry]bool)
		e.Candidates = func(_ context.Context, y *ts.Symmetry, _ int64) ([][]int32, bool) {
			if tried[y] {
				return nil, true
			}
			tried[y] = true
			return k.Candidates(t.problem, y), true
		}
	}
	return e, err
}

// carrying is pdr that carries lemmas over from smaller sizes of the model, which it
// proves beside the one that is asked for: it asks about them as many questions for
// each about this one as share says.
type carrying struct {
	*pdr.Engine
	t    *task
	s    *modelSource
	size int64 // of the largest class
	carrier
}

// newPDR returns pdr for a task, which carries over lemmas if there are smaller
// sizes.
func newPDR(t *task) mc.Engine {
	e := &pdr.Engine{NewSolver: t.newFrameSolver}
	s, ok := t.source.(*modelSource)
	if !ok || t.sym != "auto" && t.sym != "declared" {
		return e
	}
	k := &carrying{Engine: e, t: t, s: s, size: slices.Max(append(classes(s.model), 0))}
	if k.size <= firstSize {
		return e
	}
	t.carrier = &k.carrier
	return k
}

// patience is how many questions are asked before smaller sizes are thought of: many
// models need no more at any size.
func (k *carrying) patience() int64 { return max(0, 500-20*k.size) }

// share is how many questions about smaller sizes may be asked for each one about this
// size. The larger it is, the easier the smaller ones are by comparison. Where more
// than the classes changes, lemmas seldom are the same, and what is risked is little.
func (k *carrying) share() float64 {
	if k.changes != nil {
		return 0.1
	}
	return 0.1 + float64((k.size-4)*(k.size-4))
}

// Run implements mc.Engine. If a smaller size panics it goes on without, and returns the
// panic along with the result.
func (k *carrying) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	var crash error
	next, stop := iter.Pull(func(yield func(int64) bool) {
		defer recovered(&crash)
		if err := k.climb(ctx, opt, yield); errors.As(err, new(*panicked)) {
			crash = err
		}
	})
	defer stop()
	small, climbing := int64(0), true // questions asked about smaller sizes
	tried := make(map[*ts.Symmetry]int)
	e := *k.Engine
	e.Candidates = func(_ context.Context, y *ts.Symmetry, asked int64) ([][]int32, bool) {
		for climbing && asked >= k.patience() && float64(small) <= k.share()*float64(asked) {
			small, climbing = next()
		}
		known := k.Len()
		if tried[y] == known {
			return nil, true
		}
		tried[y] = known
		return k.carrier.Candidates(p, y), true
	}
	r, err := e.Run(ctx, p, opt)
	if err == nil {
		err = crash
	}
	return r, err
}

// climb proves small sizes, one after the other, and yields now and then how many
// questions it asked in all. An error is why it ended early, which is no matter: there are
// fewer lemmas then.
func (k *carrying) climb(ctx context.Context, opt mc.Options, yield func(int64) bool) error {
	opt = mc.Options{MemLimit: opt.MemLimit}
	before, last := int64(0), int64(0) // questions at the sizes before, lemmas at the last
	for n := int64(firstSize); n <= lastSize && n < k.size; n++ {
		s := k.s.shrunk(n)
		if s == nil {
			return nil
		}
		if k.changes = changed(k.s.model, s.model, s.shrunkTo...); k.changes != nil && !yield(before) {
			return nil
		}
		e, err := k.ready(ctx, s.t)
		if err != nil {
			return err
		}
		seed := e.Candidates
		e.Candidates = func(ctx context.Context, y *ts.Symmetry, asked int64) ([][]int32, bool) {
			if !yield(before + asked) {
				return nil, false
			}
			if seed == nil {
				return nil, true
			}
			return seed(ctx, y, asked)
		}
		r, err := e.Run(ctx, s.t.problem, opt)
		if err != nil || r.Open() > 0 || r.Violated() {
			return err
		}
		if k.Learn(s.t.problem, r) > 0 {
			k.from = append(k.from, strings.Join(s.shrunkTo, " "))
		}
		before += r.Stats.Queries
		if n > firstSize && 2*r.Stats.Orbits > last || r.Stats.Orbits == 0 {
			return nil
		}
		last = r.Stats.Orbits
	}
	return nil
}

// text says where lemmas came from, and what became of them.
func (k *carrier) text(s mc.Stats) string {
	text := fmt.Sprintf("carried: %d of %d lemmas of %s are inductive here", s.Carried, s.Candidates, strings.Join(k.from, ", "))
	if k.changes != nil {
		text += fmt.Sprintf("; with the size %s: lemmas about it need not carry over", change(k.changes))
	}
	return text
}

// classes returns how many components each class of a model has, those of slots of
// multisets negated.
func classes(m *model.Model) []int64 {
	var sizes []int64
	for _, y := range m.Scalarsets {
		n := y.Card()
		if y.Slots {
			n = -n
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// shrunk returns the model with smaller constants, such that the classes that have
// their sizes from constants have n components, or those that they have if these are
// fewer. It is nil if there is no such constant.
func (s *modelSource) shrunk(n int64) *modelSource {
	at := s
	// Whether x has other classes than at, none of them larger, and all of n or more
	// that are of n or more in s.
	compare := func(x *modelSource) (smaller, enough bool) {
		have, want, now := classes(s.model), classes(x.model), classes(at.model)
		if len(want) != len(have) {
			return false, false
		}
		enough = true
		for i, c := range want {
			switch {
			case c < 0 != (have[i] < 0):
				return false, false
			case c < 0:
			default:
				smaller = smaller || c < now[i]
				enough = enough && c <= now[i] && c >= min(n, have[i])
			}
		}
		return smaller, enough
	}
	for i, c := range s.model.Consts {
		if c.Type.Kind != model.Integer || i >= len(at.model.Consts) {
			continue
		}
		read := func(v int64) *modelSource {
			defines := append(slices.Clone(at.shrunkTo), fmt.Sprintf("%s=%d", c.Name, v))
			t, err := openWith(s.t.c, append(slices.Clone(s.defines), defines...))
			if err != nil {
				return nil
			}
			x := t.source.(*modelSource)
			x.shrunkTo = defines
			return x
		}
		if x := read(1); x != nil && slices.Equal(classes(x.model), classes(at.model)) { // no class has its size from it
			continue
		}
		// The least value that is large enough; a larger one is, too.
		v := 1 + sort.Search(int(max(0, at.model.Consts[i].Value-1)), func(v int) bool {
			x := read(int64(v) + 1)
			if x == nil {
				return false
			}
			_, enough := compare(x)
			return enough
		})
		if int64(v) >= at.model.Consts[i].Value {
			continue
		}
		x := read(int64(v))
		if x == nil {
			continue
		}
		if smaller, enough := compare(x); smaller && enough {
			at = x
		}
	}
	if at == s {
		return nil
	}
	return at
}

// changed returns the constants, but for those that are defined, as NAME=VALUE, and the
// ranges, but for classes, that differ between two sizes of a model.
func changed(a, b *model.Model, defined ...string) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, x := range a.Consts {
		if i < len(b.Consts) && b.Consts[i].Value != x.Value && !slices.ContainsFunc(defined, func(d string) bool { return strings.HasPrefix(d, x.Name+"=") }) {
			add(x.Name)
		}
	}
	var walk func(name string, x, y *model.Type)
	walk = func(name string, x, y *model.Type) {
		if x.Name != "" {
			name = x.Name
		}
		switch {
		case x.Kind != y.Kind:
		case x.Kind == model.Range && !x.Classed() && (x.Lo != y.Lo || x.Hi != y.Hi):
			add(name)
		case x.Kind == model.Array || x.Kind == model.Multiset:
			walk(name, x.Elem, y.Elem)
		case x.Kind == model.Record:
			for i := range x.Fields {
				walk(x.Fields[i].Name, x.Fields[i].Type, y.Fields[i].Type)
			}
		}
		if x.Kind == model.Array && y.Kind == model.Array {
			walk(name, x.Index, y.Index)
		}
	}
	for i, v := range a.Vars {
		if i < len(b.Vars) {
			walk(v.Name, v.Type, b.Vars[i].Type)
		}
	}
	return names
}

func change(names []string) string {
	if len(names) == 1 {
		return names[0] + " changes"
	}
	return strings.Join(names, ", ") + " change"
}
