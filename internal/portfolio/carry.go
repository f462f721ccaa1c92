package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sort"
	"strings"

	"orbitmc/internal/every/transfer"
	"orbitmc/internal/lists"
	"orbitmc/internal/pdr"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file carries lemmas from smaller sizes of a model to the size that is checked.
// Package transfer says how, and why a wrong lemma does no harm. sweep carries lemmas along
// one constant that the user names. pdr of other commands carries them along all constants
// that set the size of a scalarset or of an inferred class.

// firstSize is the least number of components that lemmas are carried from: with 2
// components, many clauses hold that hold at no larger size. The sizes up to lastSize are
// proved too, while each size needs new lemmas, at most half as many as the size before.
const (
	firstSize = 3
	lastSize  = 5
)

// Carrier keeps the lemmas of a model that was proved at several sizes.
type Carrier struct {
	transfer.Lemmas
	from    []string // the sizes that lemmas are from
	changes []string // what else changes with them
	shared  bool     // lemmas are exchanged with other processes
	failed  error    // of an exchange
}

// ready prepares the task of one size. It returns pdr for that size, with the lemmas of
// other sizes as candidates.
func (c *Carrier) ready(ctx context.Context, t *task.Task) (*pdr.Engine, error) {
	err := t.Prepare(ctx, true)
	if err == nil {
		err = t.ProveWellFormed(ctx, &t.Analysis)
	}
	if err == nil && t.Problem.Enc == nil {
		err = t.Problem.EncErr
	}
	e := &pdr.Engine{NewSolver: t.NewSolver, Thorough: true}
	if err == nil && (c.shared || c.Len() > 0) {
		fresh := c.fresh(t.Problem)
		e.Candidates = func(_ context.Context, y *ts.Symmetry, _ int64) ([]ts.Clause, bool) {
			c.exchange()
			return fresh(y), true
		}
	}
	return e, err
}

// fresh returns a function that gives the lemmas as candidates under a symmetry, if there are new ones since the last call for it.
func (c *Carrier) fresh(p *mc.Problem) func(y *ts.Symmetry) []ts.Clause {
	tried := make(map[*ts.Symmetry]int)
	return func(y *ts.Symmetry) []ts.Clause {
		known := c.Len()
		if tried[y] == known {
			return nil
		}
		tried[y] = known
		return c.Candidates(p, y)
	}
}

// sharing makes c exchange lemmas with other processes, by files in a folder, made if need be.
func (c *Carrier) sharing(dir string) error {
	c.shared = true
	c.Share(dir)
	return os.MkdirAll(dir, 0o755)
}

// exchange writes the lemmas that are new here, and takes those of others. The first error is kept.
func (c *Carrier) exchange() {
	if err := c.Exchange(); c.failed == nil {
		c.failed = err
	}
}

// Carrying is pdr with lemmas carried from smaller sizes of the model. It proves the
// smaller sizes alongside. The function share bounds their queries.
type Carrying struct {
	*pdr.Engine
	t    *task.Task
	size int64 // of the largest class
	Carrier
}

// PDR returns pdr for a task: a *Carrying if there are smaller sizes of the model.
func PDR(t *task.Task) mc.Engine {
	e := &pdr.Engine{NewSolver: t.NewSolver}
	m := t.Problem.Model
	if m == nil || t.Symmetry != "auto" && t.Symmetry != "declared" {
		return e
	}
	k := &Carrying{Engine: e, t: t, size: slices.Max(append(classes(m), 0))}
	if k.size <= firstSize {
		return e
	}
	return k
}

// patience is the number of queries before a smaller size is tried. Many models are decided
// before, whatever their size.
func (c *Carrying) patience() int64 { return max(0, 500-20*c.size) }

// share is the number of queries at smaller sizes for each query at this size. It grows
// with this size, since queries at small sizes are then easy by comparison. If constants or
// ranges change along with the classes, lemmas rarely carry over, so share is small.
func (c *Carrying) share() float64 {
	if c.changes != nil {
		return 0.1
	}
	return 0.1 + float64((c.size-4)*(c.size-4))
}

// Run implements mc.Engine. If the proof of a smaller size panics, Run goes on without it
// and returns the panic along with the result.
func (c *Carrying) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	var crash error
	next, stop := iter.Pull(func(yield func(int64) bool) {
		defer task.Recover(&crash)
		if err := c.climb(ctx, opt, yield); errors.As(err, new(*task.Panic)) {
			crash = err
		}
	})
	defer stop()
	small, climbing := int64(0), true // queries at smaller sizes
	fresh := c.fresh(p)
	e := *c.Engine
	e.Candidates = func(_ context.Context, y *ts.Symmetry, asked int64) ([]ts.Clause, bool) {
		for climbing && asked >= c.patience() && float64(small) <= c.share()*float64(asked) {
			small, climbing = next()
		}
		return fresh(y), true
	}
	r, err := e.Run(ctx, p, opt)
	return r, cmp.Or(err, crash)
}

// climb proves small sizes, one after the other. Now and then it yields the number of its
// queries so far. An error ends it early; then there are fewer lemmas, and no harm is done.
func (c *Carrying) climb(ctx context.Context, opt mc.Options, yield func(int64) bool) error {
	opt = mc.Options{MemLimit: opt.MemLimit}
	before, last := int64(0), int64(0) // queries at the sizes before, lemmas at the last
	for n := int64(firstSize); n <= lastSize && n < c.size; n++ {
		small, by := shrunk(ctx, c.t, n)
		if small == nil {
			return nil
		}
		if c.changes = changed(c.t.Problem.Model, small.Problem.Model, by...); c.changes != nil && !yield(before) {
			return nil
		}
		e, err := c.ready(ctx, small)
		if err != nil {
			return err
		}
		seed := e.Candidates
		e.Candidates = func(ctx context.Context, y *ts.Symmetry, asked int64) ([]ts.Clause, bool) {
			if !yield(before + asked) {
				return nil, false
			}
			if seed == nil {
				return nil, true
			}
			return seed(ctx, y, asked)
		}
		r, err := e.Run(ctx, small.Problem, opt)
		if err != nil || r.Open() > 0 || r.Violated() {
			return err
		}
		if c.Learn(small.Problem, r) > 0 {
			c.from = append(c.from, strings.Join(by, " "))
		}
		before += r.Stats.Queries
		if n > firstSize && 2*r.Stats.Orbits > last || r.Stats.Orbits == 0 {
			return nil
		}
		last = r.Stats.Orbits
	}
	return nil
}

// Text says where lemmas came from, and what became of them.
func (c *Carrier) Text(s mc.Stats) string {
	text := fmt.Sprintf("carried: %d of %d lemmas of %s are inductive here", s.Carried, s.Candidates, strings.Join(c.from, ", "))
	if c.changes != nil {
		text += fmt.Sprintf("; with the size %s: lemmas about it need not carry over", Change(c.changes))
	}
	return text
}

// classes returns how many components each class of a model has, those of slots of
// multisets negated.
func classes(m *model.Model) []int64 {
	return lists.Map(m.Scalarsets, func(y *model.Type) int64 {
		if y.Slots {
			return -y.Card()
		}
		return y.Card()
	})
}

// shrunk returns a task with smaller constants, and these constants as NAME=VALUE. Each
// class whose size depends on a constant then has n components, or as many as before if
// these are fewer. The task is nil if no class can be made smaller.
func shrunk(ctx context.Context, t *task.Task, n int64) (small *task.Task, by []string) {
	small = t
	sizes := func(x *task.Task) []int64 { return classes(x.Problem.Model) }
	// Whether x has other classes than small, none of them larger, and all of n or more
	// that are of n or more in t.
	compare := func(x *task.Task) (smaller, enough bool) {
		have, want, now := sizes(t), sizes(x), sizes(small)
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
	for i, c := range t.Problem.Model.Consts {
		consts := small.Problem.Model.Consts
		if c.Type.Kind != model.Integer || i >= len(consts) {
			continue
		}
		define := func(v int64) []string { return append(slices.Clone(by), fmt.Sprintf("%s=%d", c.Name, v)) }
		read := func(v int64) *task.Task {
			opt := t.Options
			opt.Defines = append(slices.Clone(t.Defines), define(v)...)
			opt.Phase = nil
			x, err := task.Open(ctx, t.File, opt)
			if err != nil {
				return nil
			}
			return x
		}
		if x := read(1); x != nil && slices.Equal(sizes(x), sizes(small)) { // no class has its size from it
			continue
		}
		// The least value that is large enough; a larger one is, too.
		v := 1 + sort.Search(int(max(0, consts[i].Value-1)), func(v int) bool {
			x := read(int64(v) + 1)
			if x == nil {
				return false
			}
			_, enough := compare(x)
			return enough
		})
		if int64(v) >= consts[i].Value {
			continue
		}
		x := read(int64(v))
		if x == nil {
			continue
		}
		if smaller, enough := compare(x); smaller && enough {
			small, by = x, define(int64(v))
		}
	}
	if small == t {
		return nil, nil
	}
	return small, by
}

// changed returns the names of all else that differs between two sizes of a model: constants
// other than the defined ones (NAME=VALUE), and ranges that are no classes.
func changed(a, b *model.Model, defined ...string) []string {
	var names []string
	add := func(name string) {
		names = lists.With(names, name)
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

// Change says that constants or ranges change.
func Change(names []string) string {
	if len(names) == 1 {
		return names[0] + " changes"
	}
	return strings.Join(names, ", ") + " change"
}
