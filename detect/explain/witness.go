package explain

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"orbitmc/detect/verify"
	"orbitmc/internal/pace"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file samples reachable states and searches them for witnesses. The first states are
// those nearest to the start states, in breadth-first order, so that a witness is simple.
// Then come states on random walks. The interpreter makes the walks, since a random vector of
// inputs of the system rarely names a rule instance.

// Limits on the states tried; workload is in guard evaluations.
const (
	maxStarts   = 4096
	maxNearest  = 512
	numWalks    = 32
	walkLength  = 64
	maxWorkload = 1 << 21

	stepsPerGuard = 2 // of package pace, in a state and in its image
)

// world is a sample of the reachable states of a model.
type world struct {
	p      *model.Program
	m      *model.Machine
	starts []model.Choice
	states []model.State

	work   int64 // of a search at one state, in steps of package pace
	leaves []model.Leaf

	undefined []bool // by leaf: in some state
}

func newWorld(m *model.Model, strict model.Strict, seed uint64) *world {
	p := model.CompileStrict(m, strict)
	w := &world{p: p, m: p.NewMachine(), leaves: m.AllLeaves(), undefined: make([]bool, m.Leaves())}
	limit := maxWorkload
	if n := p.NumInstances(); n.Sign() > 0 {
		q := new(big.Int).Div(big.NewInt(maxWorkload), n)
		limit = int(q.Int64())
	}
	limit = max(limit, 16)
	w.work = stepsPerGuard * maxWorkload / int64(limit)
	packer := model.NewPacker(m)
	seen := make(map[string]bool)
	visit := func(s model.State) {
		if key := string(packer.Pack(nil, s)); !seen[key] {
			seen[key] = true
			w.states = append(w.states, slices.Clone(s))
			for i, v := range s {
				w.undefined[i] = w.undefined[i] || v == model.Undef
			}
		}
	}
	var first []model.State
	w.m.Starts(func(ch model.Choice, s model.State, _ *model.Violation) bool {
		w.starts = append(w.starts, ch.Clone())
		if s != nil {
			first = append(first, slices.Clone(s))
			if len(w.states) < limit {
				visit(s)
			}
		}
		return len(w.starts) < maxStarts
	})
	nearest := min(maxNearest, limit)
	for k := 0; k < len(w.states) && len(w.states) < nearest; k++ {
		w.m.Successors(w.states[k], func(_ model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil {
				visit(next)
			}
			return len(w.states) < nearest
		})
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range numWalks {
		if len(first) == 0 {
			break
		}
		s := first[rng.IntN(len(first))]
		for range walkLength {
			if len(w.states) >= limit {
				return w
			}
			n, pick := 0, model.State(nil)
			w.m.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool {
				if next != nil {
					if n++; rng.IntN(n) == 0 {
						pick = append(pick[:0], next...)
					}
				}
				return true
			})
			if pick == nil {
				break
			}
			visit(pick)
			s = pick
		}
	}
	return w
}

// witness is a place where a model does not commute with a permutation: a start
// state instance, a rule instance fired in a state, or a state by itself.
type witness struct {
	start     bool // ch is an instance of a start state
	hasChoice bool
	ch        model.Choice
	s         model.State // nil for start states
	reachable bool
}

// reachable searches the sample for a witness that t is no symmetry: of the model if
// prop is -1, otherwise of that property. It looks at that many states at most, and
// at witnesses of the sort that is given, nil being any.
func (w *world) reachable(ctx context.Context, t *Move, prop, states int, only func(*witness) bool) (*witness, error) {
	var found *witness
	try := func(x witness) bool {
		x.reachable = true
		if (only == nil || only(&x)) && w.differs(t, prop, &x) {
			x.ch = x.ch.Clone()
			x.s = slices.Clone(x.s)
			found = &x
		}
		return found == nil
	}
	for _, ch := range w.starts {
		if !try(witness{start: true, hasChoice: true, ch: ch}) {
			return found, nil
		}
	}
	perm := t.Values
	image := make(model.State, w.p.Model.Leaves())
	for _, s := range w.states[:min(states, len(w.states))] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pace.Spend(ctx, int(w.work))
		if !try(witness{s: s}) {
			return found, nil
		}
		// What is enabled in s, and then what is so in its image only.
		w.m.Successors(s, func(ch model.Choice, _ model.State, _ *model.Violation) bool {
			return try(witness{s: s, hasChoice: true, ch: ch})
		})
		w.p.ApplyPerm(perm, s, image)
		w.m.Successors(image, func(ch model.Choice, _ model.State, _ *model.Violation) bool {
			return found == nil && try(witness{s: s, hasChoice: true, ch: w.p.PermStep(t.Back, image, s, ch)})
		})
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// outcome is what a start state, a rule instance or a predicate gives.
type outcome struct {
	state    model.State // the next state; the same one where the instance is disabled or errs
	disabled bool
	err      *model.Violation
	hit      bool // the cover statement at hand
	holds    bool // of a predicate: the property is not violated, or the cover not hit
}

// outcomes returns what w gives, permuted by t, and what its image gives.
// Symmetry means that they are equal.
func (w *world) outcomes(t *Move, prop int, x *witness) (want, got outcome) {
	perm := t.Values
	image := func(s model.State) model.State { return w.p.Image(perm, s) }
	switch {
	case x.start:
		want.state, want.err = w.m.Start(x.ch)
		want.hit = w.hit(prop)
		got.state, got.err = w.m.Start(w.p.PermStart(perm, x.ch))
		got.hit = w.hit(prop)
	case x.hasChoice:
		want = w.fire(x.s, x.ch, prop)
		s := image(x.s)
		got = w.fire(s, w.p.PermStep(perm, x.s, s, x.ch), prop)
	case w.p.Model.Props[prop].Kind == model.Liveness:
		return w.instances(t, prop, x.s, image(x.s))
	default:
		want.holds, got.holds = w.holds(x.s, prop), w.holds(image(x.s), prop)
		return want, got
	}
	want.state = image(want.state)
	return want, got
}

func (w *world) fire(s model.State, ch model.Choice, prop int) outcome {
	next, enabled, v := w.m.Fire(s, ch)
	if next == nil {
		next = s
	}
	return outcome{state: next, disabled: !enabled && v == nil, err: v, hit: w.hit(prop)}
}

// hit reports whether the instance just run hit prop, if that is a cover
// statement.
func (w *world) hit(prop int) bool {
	if prop < 0 {
		return false
	}
	q := w.p.Model.Props[prop]
	return q.Kind == model.Cover && q.Expr == nil && w.m.Hit(prop)
}

// instances compares the instances of a property in s with those that t maps them
// to in image, and returns the first pair that differs.
func (w *world) instances(t *Move, prop int, s, image model.State) (want, got outcome) {
	q := w.p.Model.Props[prop]
	for _, inst := range model.InstancesOf(q.Params) {
		a, va := w.m.Holds(s, prop, inst)
		b, vb := w.m.Holds(image, prop, t.Instance(q, inst))
		want.holds, got.holds = a && va == nil, b && vb == nil
		if want.holds != got.holds {
			break
		}
	}
	return want, got
}

// differs reports whether x shows that t is no symmetry of the model, if prop is
// -1, or of the property.
func (w *world) differs(t *Move, prop int, x *witness) bool {
	if !x.hasChoice && prop < 0 {
		return false
	}
	want, got := w.outcomes(t, prop, x)
	switch {
	case !x.hasChoice:
		return want.holds != got.holds
	case prop >= 0:
		a, b := want.err.Of(prop) != nil, got.err.Of(prop) != nil
		return a != b || a && want.err.InGuard != got.err.InGuard || want.hit != got.hit
	case x.start: // an error in a start state is part of the first state
		return !slices.Equal(want.state, got.state) || (want.err == nil) != (got.err == nil) ||
			want.err != nil && want.err.Prop != got.err.Prop
	}
	return !slices.Equal(want.state, got.state)
}

// holds reports whether property prop is not violated in s itself.
func (w *world) holds(s model.State, prop int) bool {
	switch w.p.Model.Props[prop].Kind {
	case model.Invariant, model.RuntimeError:
		for _, q := range w.p.Model.Props {
			if q.Expr == nil {
				continue
			}
			var v *model.Violation
			if q.Kind == model.Invariant {
				v = w.m.Violated(s, q.Index)
			} else if len(q.Params) == 0 || q.Kind == model.Cover {
				_, v = w.m.Holds(s, q.Index, nil)
			}
			if v.Of(prop) != nil {
				return false
			}
		}
	case model.Cover:
		if w.p.Model.Props[prop].Expr != nil {
			hit, v := w.m.Holds(s, prop, nil)
			return !hit || v != nil
		}
	case model.Deadlock:
		return !w.m.Deadlocked(s)
	}
	return true
}

// draw returns a valuation that stands for a reachable state, or for a state made
// in part of random values, in which only leaves that some reachable state leaves
// undefined may be, with a random rule instance and a random start state.
func (w *world) draw(rng *rand.Rand, src Source, sys *ts.System) verify.Valuation {
	s := make(model.State, len(w.leaves))
	inSlot := func(l model.Leaf) bool {
		return slices.ContainsFunc(l.Indices, func(d model.IndexDim) bool { return d.Type.Slots })
	}
	if len(w.states) > 0 {
		copy(s, w.states[rng.IntN(len(w.states))])
	} else { // every start state errs
		for i, l := range w.leaves {
			if s[i] = l.Type.Lo; inSlot(l) {
				s[i] = model.Undef
			}
		}
	}
	if rng.IntN(2) == 0 {
		for i, l := range w.leaves {
			if inSlot(l) {
				continue // slots hold elements or they do not
			}
			switch k := rng.IntN(4); {
			case k == 0 && w.undefined[i]:
				s[i] = model.Undef
			case k < 2:
				s[i] = l.Type.Lo + rng.Int64N(l.Type.Card())
			}
		}
	}
	x := make(verify.Valuation, 0, len(sys.Latches)+len(sys.Inputs)+len(sys.Init))
	latches := src.EncodeState(s)
	x = append(x, latches...)
	if ch, ok := instance(rng, w.p.Model.Rules); ok {
		x = append(x, src.EncodeStep(latches, ch)...)
	}
	x = x[:len(sys.Latches)+len(sys.Inputs)]
	if ch, ok := instance(rng, w.p.Model.Starts); ok {
		x = append(x, src.EncodeStart(ch)...)
	}
	return x[:cap(x)]
}

// instance returns a random instance of a random rule, if that rule has any.
func instance(rng *rand.Rand, rules []*model.Rule) (ch model.Choice, ok bool) {
	if len(rules) == 0 {
		return ch, false
	}
	ch.Rule = rng.IntN(len(rules))
	for _, p := range rules[ch.Rule].Params {
		values := p.Domain.Values()
		if len(values) == 0 {
			return ch, false
		}
		ch.Params = append(ch.Params, values[rng.IntN(len(values))])
	}
	return ch, true
}
