package certify

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"orbitmc/internal/certify/states"
	"orbitmc/internal/counters"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file checks verdicts on a model that counts components (package counters), so that they are
// verdicts on the model it was made of.
//
// A trace is lifted, instance by instance, and replayed there. Of the states that a search has
// visited, each is written out as one state of that model, and the set is checked to be closed there
// up to permutations of components, which states.TypedSets derives. Both rely on nothing that made
// the counters. A proof is checked on the counters. That these do what the model does is tried in
// sampled states, in the reference interpreter: every step, error and property. docs/theory/counters.md
// proves it for all.

// liftTrace replaces the trace of a property by one of the model. It is undecided if a
// deadlock of the counters is none.
func liftTrace(p *mc.Problem, r *mc.Result, pr *mc.PropResult) error {
	code := model.Compile(p.Counters.Concrete)
	u, ok, err := p.Counters.Lift(code, pr.Trace)
	switch {
	case err != nil:
		return fmt.Errorf("internal error: the trace of %s for %q is none of the model without counters: %w", r.Engine, p.Name(pr.Prop), err)
	case !ok:
		r.Stopped = fmt.Sprintf("a state, after %d steps, in which components only exchange what they are in: the counters stay, and are no evidence of a deadlock", pr.Depth)
		*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: pr.Depth - 1, Time: pr.Time}
		return nil
	}
	pr.Trace = u
	pr.Evidence = "trace lifted from the counters and replayed in the interpreter"
	return nil
}

// onlyProofs takes back what counters that are cut off do not show: their paths need not be paths of the model.
func onlyProofs(p *mc.Problem, r *mc.Result) {
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Status == mc.Unknown || pr.Status != mc.ByTrace(p.Kind(pr.Prop)) && p.Counters.Proves(p.Model.Props[pr.Prop]) {
			continue
		}
		r.Stopped = fmt.Sprintf("a path of counters that stop at %d, which may be none of the model", p.Counters.Cut)
		*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: -1, Time: pr.Time}
	}
}

// written is a closed set of states of the counters, each written out.
type written struct {
	t             *counters.Translation
	in            evidence.Closure
	code          *model.Program // of the model
	packer, inner *model.Packer  // of both models
	state, image  model.State    // scratch, of the model
	a             model.State    // scratch, of the counters
	buf           []byte
	order         []int
	perm          model.ScalarPerm
}

// WrittenOut returns a closed set of states of the counters, each written out as one state of the model with this code.
func WrittenOut(t *counters.Translation, code *model.Program, in evidence.Closure) evidence.Closure {
	n := t.Concrete.Leaves()
	return &written{t: t, in: in, code: code, packer: model.NewPacker(t.Concrete), inner: model.NewPacker(t.Model),
		state: make(model.State, n), image: make(model.State, n), a: make(model.State, t.Model.Leaves()),
		order: make([]int, t.Class.Card()), perm: make(model.ScalarPerm, len(t.Concrete.Scalarsets))}
}

func (w *written) Len() int64 { return w.in.Len() }

func (w *written) Member(i int64) []byte {
	w.inner.Unpack(w.in.Member(i), w.a)
	return w.packer.Pack(nil, w.t.Concretise(w.a))
}

// Guess counts the components of s, and exchanges them such that they are as in the member with
// these counts.
func (w *written) Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool) {
	w.packer.Unpack(s, w.state)
	if !w.t.AbstractTo(w.a, w.state) {
		return 0, nil, false
	}
	w.buf = w.inner.Pack(w.buf[:0], w.a)
	i, by, ok := w.in.Guess(w.buf)
	if !ok {
		return 0, nil, false
	}
	clear(w.perm)
	image := w.state
	if by != nil {
		copy(w.perm, by)
		w.perm[w.t.Class.Class] = nil
		w.code.ApplyPerm(w.perm, w.state, w.image)
		w.inner.Unpack(w.in.Member(i), w.a)
		image = w.image
	}
	w.perm[w.t.Class.Class] = w.order
	return i, w.perm, w.t.Match(w.order, image, w.a)
}

// checkCounted is states.Closed for what a search of the counters has visited.
func checkCounted(ctx context.Context, p *mc.Problem, r *mc.Result, rest []*mc.PropResult) (how string, part float64, err error) {
	t := p.Counters
	c := &mc.Problem{OfModel: mc.OfModel{Model: t.Concrete, Program: model.Compile(t.Concrete), Typed: true, Typing: new(mc.Typing), Blocks: make([][][]int, len(t.Concrete.Scalarsets))}, Props: p.Props}
	copy(c.Blocks, p.Blocks)
	c.Blocks[t.Class.Class] = [][]int{t.Counted}
	if c.Joint, c.Strict, err = states.TypedSets(c, c.Blocks, p.Props); err != nil || len(p.Rings) > 0 || t.Cut > 0 {
		if how, part, err = states.Closed(ctx, p, r, rest); err != nil {
			return how, part, err
		}
		tried, err := Counters(ctx, t)
		return how + ", on the counters; " + tried, part, err
	}
	how, part, err = states.Closed(ctx, c, &mc.Result{Engine: r.Engine, Closure: WrittenOut(t, c.Program, r.Closure)}, rest)
	return "counted, and written out as states of the model; " + how, part, err
}

// comparedCounters compares the counters with the model, for verdicts that rest on proofs.
func comparedCounters(ctx context.Context, p *mc.Problem, r *mc.Result, proofs []*mc.PropResult) error {
	if !slices.ContainsFunc(proofs, func(pr *mc.PropResult) bool { return pr.Status != mc.Unknown }) {
		return nil
	}
	how, err := Counters(ctx, p.Counters)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err != nil {
		unfinished(ctx, r, proofs...)
		return nil
	}
	for _, pr := range proofs {
		if pr.Status != mc.Unknown {
			also(pr, how)
		}
	}
	return nil
}

// How many states the counters are compared with the model in, and how many instances are fired.
const (
	mostCompared = 256
	mostFired    = 1 << 17
)

// Counters compares the counters with the model, in the reference interpreter: the start states, and in
// sampled states all steps, errors and properties. It returns what it did. The states are those of
// random walks, and such states with random local states and leaves. An error means that the translation
// is wrong. Counters that are cut off may do more than the model.
func Counters(ctx context.Context, t *counters.Translation) (how string, err error) {
	x := &comparison{t: t, rng: rand.New(rand.NewPCG(1, 1))}
	x.old, x.own = newSide(t.Concrete, x.abstract), newSide(t.Model, func(s model.State) string { return fmt.Sprint(s) })
	starts, same, err := x.starts()
	if err != nil {
		return "", err
	}
	n := 0
	var s model.State
	for x.old.fired+x.own.fired < mostFired && n < mostCompared && len(starts) > 0 && same {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if s == nil || x.rng.IntN(32) == 0 {
			s = starts[x.rng.IntN(len(starts))]
		}
		at := s
		if n%2 == 1 {
			at = x.random(s)
		}
		next, err := x.state(at)
		if err != nil {
			return "", fmt.Errorf("internal error: the counters and the model differ in the state %v: %w", at, err)
		}
		if n++; n%2 == 1 {
			if s = nil; len(next) > 0 {
				s = next[x.rng.IntN(len(next))]
			}
		}
	}
	return fmt.Sprintf("the counters compared with the model in %d states", n), nil
}

// side is one of the two models.
type side struct {
	m     *model.Model
	code  *model.Program // puts multisets in order
	w     *reference.Walker
	name  func(model.State) string // as the counters see it
	fired int
}

func newSide(m *model.Model, name func(model.State) string) *side {
	return &side{m: m, code: model.Compile(m), w: reference.NewWalker(m), name: name}
}

// comparison compares two models in states.
type comparison struct {
	t        *counters.Translation
	old, own *side
	rng      *rand.Rand
}

// effects are what happens in a state: the states that are reached, as text, with errors and covers.
type effects map[string]bool

// note adds what an instance did; it returns the state, if there is one.
func (s *side) note(e effects, r reference.Walked) (next model.State, ok bool) {
	switch {
	case r.TooLong:
		return nil, false
	case r.Prop >= 0:
		e[fmt.Sprint("violates ", r.Violates())] = true
	case r.Holds:
		next = make(model.State, s.m.Leaves())
		for i := range next {
			next[i] = s.w.Value(i)
		}
		s.code.Normalise(next)
		e[s.name(next)] = true
	}
	if r.LeftOut {
		e["left out"] = true
	}
	for _, q := range r.Hits {
		if r.Holds || r.Prop >= 0 {
			e[fmt.Sprint("covers ", q)] = true
		}
	}
	return next, true
}

func (c *comparison) abstract(s model.State) string {
	a, ok := c.t.Abstract(s)
	if !ok {
		return "cannot be counted"
	}
	return fmt.Sprint(a)
}

// starts compares the start states, if there are few, and returns those of the model.
func (c *comparison) starts() (all []model.State, ok bool, err error) {
	var both [2]effects
	for i, d := range []*side{c.old, c.own} {
		both[i] = make(effects)
		if n := d.code.NumStarts(); !n.IsInt64() || n.Int64() > mostFired {
			return nil, false, nil
		}
		for _, r := range d.m.Starts {
			for _, params := range model.InstancesOf(r.Params) {
				s, known := d.note(both[i], d.w.Start(r, params))
				if ok = known; s != nil && i == 0 {
					all = append(all, s)
				}
			}
		}
	}
	if !c.same(both) {
		return nil, false, fmt.Errorf("internal error: the counters and the model have different start states")
	}
	return all, ok, nil
}

// state compares what happens in s, and returns where steps of the model lead.
func (c *comparison) state(s model.State) (next []model.State, err error) {
	a, ok := c.t.Abstract(s)
	if !ok {
		return nil, fmt.Errorf("it cannot be counted")
	}
	var both [2]effects
	for i, d := range []*side{c.old, c.own} {
		at := []model.State{s, a}[i]
		e := make(effects)
		both[i] = e
		for _, r := range d.m.Rules {
			for _, params := range model.InstancesOf(r.Params) {
				d.fired++
				to, known := d.note(e, d.w.Fire(at, r, params))
				if !known {
					ok = false
				} else if to != nil && i == 0 {
					next = append(next, to)
				}
			}
		}
		for _, q := range d.m.Props {
			if q.Expr == nil {
				continue
			}
			switch r := d.w.Evaluate(at, q.Params, q.Expr, q.Kind != model.Cover); {
			case r.TooLong:
				ok = false
			case r.Prop >= 0:
				e[fmt.Sprint("violates ", r.Violates())] = true
			case !r.Holds:
				e[fmt.Sprint("not ", q.Name)] = true
			}
		}
	}
	if ok && !c.same(both) {
		return nil, fmt.Errorf("%v; %v", differing(both[0], both[1]), differing(both[1], both[0]))
	}
	return next, nil
}

// same reports whether the counters do what the model does, and no more unless they are cut off.
func (c *comparison) same(both [2]effects) bool {
	return c.t.Cut > 0 && len(differing(both[0], both[1])) == 0 || maps.Equal(both[0], both[1])
}

// differing lists what is in a and not in b.
func differing(a, b effects) (only []string) {
	for k := range a {
		if !b[k] {
			only = append(only, k)
		}
	}
	slices.Sort(only)
	return only
}

// random returns s with some components in random local states, and some other leaves changed. Leaves that are
// defined stay so.
func (c *comparison) random(s model.State) model.State {
	s = slices.Clone(s)
	c.t.Disturb(c.rng, s)
	c.old.code.Normalise(s)
	return s
}
