package encode_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/model"
	"orbitmc/ts"
)

// oracle compares an encoding with the interpreter.
type oracle struct {
	m       *model.Model
	enc     *encode.Encoding
	sys     *ts.System
	mach    *model.Machine
	rng     *rand.Rand
	rules   []model.Choice // every rule instance
	starts  []model.Choice // every start state instance
	inputs  [][]bool       // by rule instance
	leaves  []model.Leaf
	undef   []bool // by leaf: W allows it to be undefined
	started int    // latch, or -1
	slots   bool   // there are multisets
	targets []int  // inputs that choose slots for new elements
	err     []int  // latches that say that a start state body failed
	hit     []int  // latches that say that it hit a cover statement

	sim   *aig.Sim
	batch []query
	stats
}

// stats counts what an oracle looked at.
type stats struct {
	states, steps, errs, invalid, deadlocks, broken, traces, hits, stuttered int

	spared int // states with no way on that are no deadlock, as an instance errs
}

// query is a state with inputs and what must come out.
type query struct {
	what string
	x, y []bool
	next []bool
	bads [][2]bool   // by property and delay
	to   model.State // what next stands for, if the model has multisets; next is not used then
	stay bool        // a stutter without a violation in the step will do
}

// disagreement is an error that is not about the source being no model.
type disagreement struct{ error }

// errOrder says that a model is refused, as the order of elements matters in it.
var errOrder = errors.New("refused")

func disagree(format string, args ...any) error {
	return disagreement{fmt.Errorf(format, args...)}
}

// newOracle encodes what change makes of a source, and compares that with the
// interpreter on the source. An error that is no disagreement means that the source
// is not a model.
func newOracle(src string, opt murphi.Options, seed uint64, change func(*model.Model) *model.Model) (*oracle, error) {
	plain, err := murphi.Parse("random.m", []byte(src), opt)
	if err != nil {
		return nil, err
	}
	m := change(plain)
	enc, err := encode.Model(context.Background(), m)
	if err != nil && strings.Contains(err.Error(), "may depend on the order of the elements") {
		return nil, errOrder
	}
	if err != nil {
		return nil, disagree("not encoded: %w", err)
	}
	o := &oracle{
		m: m, enc: enc, sys: enc.Sys, mach: model.Compile(plain).NewMachine(),
		rng:   rand.New(rand.NewPCG(seed, 2)),
		rules: instances(m.Rules), starts: instances(m.Starts),
		leaves: m.AllLeaves(), started: -1, sim: aig.NewSim(enc.Sys.G),
	}
	o.targets, _ = enc.Targets()
	for _, t := range m.Scalarsets {
		o.slots = o.slots || t.Slots
	}
	for i, l := range o.sys.Latches {
		switch {
		case l.Name == "started":
			o.started = i
		case strings.HasPrefix(l.Name, "start error: "):
			o.err = append(o.err, i)
		case strings.HasPrefix(l.Name, "start hit: "):
			o.hit = append(o.hit, i)
		}
	}
	for _, ch := range o.rules {
		o.inputs = append(o.inputs, enc.EncodeChoice(ch))
	}
	return o, nil
}

// instances lists the instances of rules in the order of the interpreter.
func instances(rules []*model.Rule) []model.Choice {
	var all []model.Choice
	for i, r := range rules {
		ch := model.Choice{Rule: i, Params: make([]int64, len(r.Params))}
		var bind func(j int)
		bind = func(j int) {
			if j == len(r.Params) {
				all = append(all, ch.Clone())
				return
			}
			for _, v := range r.Params[j].Domain.Values() {
				ch.Params[j] = v
				bind(j + 1)
			}
		}
		bind(0)
	}
	return all
}

// compare checks everything about the encoding of a source, on at most limit
// reachable states. Errors that are no disagreement are as in newOracle.
func compare(src string, opt murphi.Options, seed uint64, limit int) (o *oracle, err error) {
	return compareChanged(src, opt, seed, limit, func(m *model.Model) *model.Model { return m })
}

// compareChanged is compare for what change makes of a source.
func compareChanged(src string, opt murphi.Options, seed uint64, limit int, change func(*model.Model) *model.Model) (o *oracle, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = disagree("panic: %v\n%s", r, debug.Stack())
		}
	}()
	o, err = newOracle(src, opt, seed, change)
	if err != nil {
		return nil, err
	}
	if err := tstest.Check(o.sys); err != nil {
		return o, disagree("%w", err)
	}
	for _, check := range []func() error{
		o.checkShape, o.checkChoices, o.checkDefinedness, o.checkStarts, func() error { return o.checkReachable(limit) },
		o.checkRandomStates, o.checkRandomLatches, o.checkNotStarted, o.checkInductive, o.checkTranspositions, o.checkTraces,
	} {
		if err := check(); err != nil {
			return o, disagreement{err}
		}
	}
	return o, nil
}

func bits(k, n int) []bool {
	x := make([]bool, n)
	for i := range x {
		x[i] = k>>i&1 == 1
	}
	return x
}

func (o *oracle) randomBits(n int) []bool {
	x := make([]bool, n)
	for i := range x {
		x[i] = o.rng.IntN(2) == 1
	}
	return x
}

func word(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}

// wellFormed evaluates W.
func (o *oracle) wellFormed(x []bool) bool {
	for i, l := range o.sys.Latches {
		o.sim.Set(l.Node, word(x[i]))
	}
	o.sim.Run()
	return o.sim.Word(o.sys.W)&1 == 1
}

// wellFormedFlips evaluates W on the assignments that differ from x in one
// latch; the result is indexed by it.
func (o *oracle) wellFormedFlips(x []bool) []bool {
	flips := make([]bool, len(x))
	for first := 0; first < len(x); first += 64 {
		for i, l := range o.sys.Latches {
			w := word(x[i])
			if i >= first && i < first+64 {
				w ^= 1 << (i - first)
			}
			o.sim.Set(l.Node, w)
		}
		o.sim.Run()
		for i := first; i < min(first+64, len(x)); i++ {
			flips[i] = o.sim.Word(o.sys.W)>>(i-first)&1 == 1
		}
	}
	return flips
}

// reset evaluates the reset functions.
func (o *oracle) reset(z []bool) []bool {
	for i, in := range o.sys.Init {
		o.sim.Set(in.Node, word(z[i]))
	}
	o.sim.Run()
	x := make([]bool, len(o.sys.Latches))
	for i, l := range o.sys.Latches {
		x[i] = o.sim.Word(l.Reset)&1 == 1
	}
	return x
}

// idle reports whether x is the state of a run that did not start: all latches
// are 0, but for at most one that tells the error in the start state.
func (o *oracle) idle(x []bool) bool {
	ones, errs, hits := 0, 0, 0
	for i, b := range x {
		if b && slices.Contains(o.err, i) {
			errs++
		} else if b && slices.Contains(o.hit, i) {
			hits++
		} else if b {
			ones++
		}
	}
	return o.started >= 0 && ones == 0 && (errs <= 1 || o.enc.Together()) && (errs == 0 || hits == 0)
}

// randomInputs returns the inputs of a rule instance with some inverted, or
// random ones.
func (o *oracle) randomInputs() []bool {
	if len(o.inputs) == 0 || o.rng.IntN(3) == 0 {
		return o.randomBits(len(o.sys.Inputs))
	}
	y := slices.Clone(o.inputs[o.rng.IntN(len(o.inputs))])
	for i := range y {
		if o.rng.IntN(len(y)) == 0 {
			y[i] = !y[i]
		}
	}
	return y
}

func (o *oracle) randomState() model.State {
	s := make(model.State, len(o.leaves))
	for i, l := range o.leaves {
		s[i] = l.Type.Lo + o.rng.Int64N(l.Type.Card())
		if o.undef[i] && o.rng.IntN(5) == 0 {
			s[i] = model.Undef
		}
		if l.Type == model.PresentType && o.rng.IntN(2) == 0 || l.Slot >= 0 && l.Slot < i && s[l.Slot] == model.Undef {
			s[i] = model.Undef
		}
	}
	o.enc.Program.Normalise(s)
	return s
}

func (o *oracle) fire(s model.State, ch model.Choice) (model.State, *model.Violation) {
	next, _, v := o.mach.Fire(s, ch)
	return next, v
}

// askStep asks for the step from s, which leads to next, or stutters if next is
// nil, and for the violation v and the hits on the way. If stay, a stutter will do.
func (o *oracle) askStep(s model.State, x, y []bool, here [][2]bool, next model.State, v *model.Violation, ch model.Choice, ok, stay bool) error {
	o.steps++
	q := query{what: fmt.Sprintf("state %v, choice %v", s, ch), x: x, y: y, next: x, bads: slices.Clone(here), stay: stay}
	if next != nil {
		q.next = o.enc.EncodeState(next)
	}
	if o.slots {
		q.to = s
		if next != nil {
			q.to = next
		}
	}
	for i, p := range o.m.Props {
		if ok && p.Kind == model.Cover && p.Expr == nil && o.mach.Hit(i) {
			q.bads[i][1] = true
			o.hits++
		}
	}
	if v != nil {
		o.errs++
		delay := 1
		if v.InGuard && o.m.Dialect == model.CMurphi {
			delay = 0
		}
		for _, v := range v.Each() {
			q.bads[v.Prop][delay] = true
		}
	}
	return o.ask(q)
}

// violated returns what is violated in s whatever is chosen: invariants, their
// run-time errors, and deadlock, recomputed here from the steps.
func (o *oracle) violated(s model.State) ([][2]bool, error) {
	bads := make([][2]bool, len(o.m.Props))
	for i, p := range o.m.Props {
		switch p.Kind {
		case model.Invariant:
			if v := o.mach.Violated(s, i); v != nil {
				bads[i][0], bads[v.Prop][0] = true, true // also if it errs
				o.broken++
			}
		case model.Cover:
			if p.Expr == nil {
				continue
			}
			hit, v := o.mach.Holds(s, i, nil)
			switch {
			case v != nil:
				bads[v.Prop][0] = true
			case hit:
				bads[i][0] = true
				o.broken++
			}
		case model.Liveness:
			for _, inst := range instances([]*model.Rule{{Params: p.Params}}) {
				if _, v := o.mach.Holds(s, i, inst.Params); v != nil {
					bads[v.Prop][0] = true
				}
			}
		case model.Deadlock:
			dead, erring := true, false
			for _, ch := range o.rules {
				next, v := o.fire(s, ch)
				erring = erring || v != nil
				if next != nil && (o.m.Deadlock == model.Stuck || !slices.Equal(next, s)) {
					dead = false
					break
				}
			}
			if dead && erring {
				dead = false
				o.spared++
			}
			if len(o.m.Assumptions) > 0 {
				dead = o.mach.Deadlocked(s) // what violates an assumption is no step but counts
			}
			if dead != o.mach.Deadlocked(s) {
				return nil, fmt.Errorf("state %v: Deadlocked says %v", s, !dead)
			}
			if bads[i][0] = dead; dead {
				o.deadlocks++
			}
		}
	}
	return bads, nil
}

// ask queues a query and evaluates 64 at once.
func (o *oracle) ask(q query) error {
	o.batch = append(o.batch, q)
	if len(o.batch) == 64 {
		return o.flush()
	}
	return nil
}

func (o *oracle) flush() error {
	set := func(node int, bit func(q query) bool) {
		var w uint64
		for k, q := range o.batch {
			if bit(q) {
				w |= 1 << k
			}
		}
		o.sim.Set(node, w)
	}
	for i, l := range o.sys.Latches {
		set(l.Node, func(q query) bool { return q.x[i] })
	}
	for i, in := range o.sys.Inputs {
		set(in.Node, func(q query) bool { return q.y[i] })
	}
	o.sim.Run()
	batch := o.batch
	o.batch = o.batch[:0]
	for k, q := range batch {
		got := make([][2]bool, len(o.m.Props))
		for _, b := range o.sys.Bads {
			if o.sim.Word(b.Lit)>>k&1 == 1 {
				got[b.Prop][b.Delay] = true
			}
		}
		next := make([]bool, len(o.sys.Latches))
		for i, l := range o.sys.Latches {
			next[i] = o.sim.Word(l.Next)>>k&1 == 1
		}
		if q.stay && slices.Equal(next, q.x) {
			o.stuttered++
			for p := range got {
				if got[p][0] != q.bads[p][0] || got[p][1] && !q.bads[p][1] {
					return fmt.Errorf("%s: property %s is violated %v (now, in the step) without a target", q.what, o.m.Props[p].Name, got[p])
				}
			}
			continue
		}
		if q.to != nil {
			s, err := o.enc.DecodeState(next)
			if err != nil || !slices.Equal(s, q.to) {
				return fmt.Errorf("%s: leads to %v, %v, want %v", q.what, s, err, q.to)
			}
		} else {
			for i, l := range o.sys.Latches {
				if next[i] != q.next[i] {
					return fmt.Errorf("%s: next of latch %s is %v", q.what, l.Name, next[i])
				}
			}
		}
		for p := range got {
			if got[p] != q.bads[p] {
				return fmt.Errorf("%s: property %s is violated %v (now, in the step), want %v", q.what, o.m.Props[p].Name, got[p], q.bads[p])
			}
		}
	}
	return nil
}
