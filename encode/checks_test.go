package encode_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/model/traces"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// checkShape checks the tables of bads and that encoding is deterministic.
func (o *oracle) checkShape() error {
	if len(o.sys.Constraints) > 0 {
		return errors.New("there are constraints")
	}
	if len(o.enc.PropBads) != len(o.m.Props) {
		return fmt.Errorf("PropBads has %d entries for %d properties", len(o.enc.PropBads), len(o.m.Props))
	}
	seen := 0
	for p, bads := range o.enc.PropBads {
		for _, b := range bads {
			if o.sys.Bads[b].Prop != p {
				return fmt.Errorf("bad %d is one of property %d but says %d", b, p, o.sys.Bads[b].Prop)
			}
		}
		seen += len(bads)
	}
	if seen != len(o.sys.Bads) {
		return fmt.Errorf("PropBads has %d of %d bads", seen, len(o.sys.Bads))
	}
	again, err := encode.Model(context.Background(), o.m)
	if err != nil {
		return err
	}
	var a, b bytes.Buffer
	if err := errors.Join(o.sys.Dump(&a), again.Sys.Dump(&b)); err != nil {
		return err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return errors.New("two encodings of one model differ")
	}
	return nil
}

// checkChoices checks that choices and inputs correspond.
func (o *oracle) checkChoices() error {
	codes := []struct {
		name   string
		n      int
		all    []model.Choice
		encode func(model.Choice) []bool
		decode func([]bool) (model.Choice, bool)
	}{
		{"rule", len(o.sys.Inputs), o.rules, o.enc.EncodeChoice, o.enc.DecodeChoice},
		{"start", len(o.sys.Init), o.starts, o.enc.EncodeStart, o.enc.DecodeStart},
	}
	for _, c := range codes {
		for _, ch := range c.all {
			if got, ok := c.decode(c.encode(ch)); !ok || !got.Equal(ch) {
				return fmt.Errorf("%s %v is decoded to %v, %v", c.name, ch, got, ok)
			}
		}
		if c.n > 12 {
			continue
		}
		known := make(map[string]bool)
		for _, ch := range c.all {
			known[fmt.Sprint(ch)] = true
		}
		for k := range 1 << c.n {
			if ch, ok := c.decode(bits(k, c.n)); ok && !known[fmt.Sprint(ch)] {
				return fmt.Errorf("inputs %b are decoded to %v, which is no %s", k, ch, c.name)
			}
		}
	}
	return nil
}

// checkDefinedness finds out which leaves W takes to be always defined.
func (o *oracle) checkDefinedness() error {
	s := make(model.State, len(o.leaves))
	for i, l := range o.leaves {
		s[i] = l.Type.Lo
	}
	if !o.wellFormed(o.enc.EncodeState(s)) {
		return errors.New("a state in which all is defined is not well-formed")
	}
	o.undef = make([]bool, len(o.leaves))
	for i, l := range o.leaves {
		s[i] = model.Undef
		x := o.enc.EncodeState(s)
		back, err := o.enc.DecodeLeaves(x)
		o.undef[i] = err == nil && slices.Equal(back, s) && o.wellFormed(x)
		s[i] = l.Type.Lo
	}
	return nil
}

// checkState checks the encoding of a state, and that no assignment that
// differs in one latch is a second encoding of it.
func (o *oracle) checkState(s model.State) error {
	x := o.enc.EncodeState(s)
	if back, err := o.enc.DecodeState(x); err != nil || !slices.Equal(back, s) {
		return fmt.Errorf("state %v is decoded to %v, %v", s, back, err)
	}
	if !o.wellFormed(x) {
		return fmt.Errorf("state %v is not well-formed", s)
	}
	for i, m := range o.enc.Meanings() {
		if m.Leaf >= 0 && o.enc.Holds(m, s[m.Leaf]) != x[i] {
			return fmt.Errorf("state %v has latch %d = %v, not what it says of leaf %d", s, i, x[i], m.Leaf)
		}
		if m.Leaf >= 0 && s[m.Leaf] == model.Undef && !o.enc.MayBeUndefined(m.Leaf) {
			return fmt.Errorf("state %v: leaf %d is never undefined, they say", s, m.Leaf)
		}
	}
	for i, ok := range o.wellFormedFlips(x) {
		if !ok {
			continue
		}
		x[i] = !x[i]
		back, err := o.enc.DecodeState(x)
		switch {
		case err == nil && slices.Equal(back, s):
			return fmt.Errorf("state %v has a second encoding: latch %s differs", s, o.sys.Latches[i].Name)
		case err != nil && !o.idle(x):
			return fmt.Errorf("state %v with latch %s inverted is well-formed but no state: %w", s, o.sys.Latches[i].Name, err)
		}
		x[i] = !x[i]
	}
	return nil
}

// checkStarts checks the reset functions on every start state instance and on
// random initial inputs.
func (o *oracle) checkStarts() error {
	_, targets := o.enc.Targets()
	check := func(z []bool, stay bool) error {
		x := o.reset(z)
		if !o.wellFormed(x) {
			return fmt.Errorf("the reset state of initial inputs %v is not well-formed", z)
		}
		ch, ok := o.enc.DecodeStart(z)
		want := make([]bool, len(x))
		var s model.State
		// Nothing but the error and hits show, at depth 0, and only in the first frame.
		first, later := make([][2]bool, len(o.m.Props)), make([][2]bool, len(o.m.Props))
		if ok {
			var v *model.Violation
			if s, v = o.mach.Start(ch); v != nil {
				for _, v := range v.Each() {
					first[v.Prop][0] = true
				}
			}
			for i, p := range o.m.Props {
				if p.Kind == model.Cover && p.Expr == nil && o.mach.Hit(i) {
					first[i][0] = true
					o.hits++
				}
			}
		}
		// Hits show in runs that end at once, and nothing else shows there.
		show := slices.IndexFunc(o.sys.Init, func(in ts.Signal) bool { return in.Name == "start.show hits" })
		showing := show >= 0 && z[show]
		for i, p := range o.m.Props {
			first[i][0] = first[i][0] && (p.Kind == model.Cover) == showing
		}
		if showing {
			s = nil
		}
		if s != nil {
			got, err := o.enc.DecodeState(x)
			if err == nil && slices.Equal(got, s) {
				return nil
			}
			if !stay {
				return fmt.Errorf("start %v gives %v, %v, want %v", ch, got, err, s)
			}
		}
		o.invalid++
		if _, err := o.enc.DecodeState(x); err == nil {
			return fmt.Errorf("initial inputs %v, start %v, %v, give a state", z, ch, ok)
		}
		if !o.idle(x) {
			return fmt.Errorf("initial inputs %v, start %v, %v, give latches %v", z, ch, ok, x)
		}
		if stay {
			return nil
		}
		for range 3 {
			y := o.randomInputs()
			if err := o.ask(query{what: fmt.Sprintf("start %v, %v, frame 0", ch, ok), x: x, y: y, next: want, bads: first}); err != nil {
				return err
			}
			if err := o.ask(query{what: "no start, frame 1", x: want, y: y, next: want, bads: later}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, ch := range o.starts {
		if err := check(o.enc.EncodeStart(ch), false); err != nil {
			return err
		}
	}
	n := len(o.sys.Init)
	for k := range min(200, 1<<min(n, 8)) {
		z := bits(k, n)
		if n > 8 {
			z = o.randomBits(n)
		}
		if err := check(z, len(targets) > 0); err != nil {
			return err
		}
	}
	return o.flush()
}

// checkReachable compares steps and bads on the states the interpreter reaches.
func (o *oracle) checkReachable(limit int) error {
	known := make(map[string]bool)
	var queue []model.State
	visit := func(s model.State) {
		if k := fmt.Sprint(s); !known[k] && len(queue) < limit {
			known[k] = true
			queue = append(queue, s)
		}
	}
	for _, ch := range o.starts {
		if s, _ := o.mach.Start(ch); s != nil {
			visit(s)
		}
	}
	for i := 0; i < len(queue); i++ {
		if err := o.checkState(queue[i]); err != nil {
			return err
		}
		if err := o.checkSteps(queue[i], visit); err != nil {
			return err
		}
	}
	o.states += len(queue)
	return o.flush()
}

// checkRandomStates does the same on states that are well-formed but perhaps
// not reachable.
func (o *oracle) checkRandomStates() error {
	for range 40 {
		s := o.randomState()
		if err := o.checkState(s); err != nil {
			return err
		}
		if err := o.checkSteps(s, func(model.State) {}); err != nil {
			return err
		}
	}
	return o.flush()
}

// checkSteps compares every step from s, and some invalid inputs. It calls
// visit for the successors.
func (o *oracle) checkSteps(s model.State, visit func(model.State)) error {
	here, err := o.violated(s)
	if err != nil {
		return err
	}
	x := o.enc.EncodeState(s)
	for k, ch := range o.rules {
		next, v := o.fire(s, ch)
		if next != nil {
			visit(next)
		}
		y := o.inputs[k]
		if len(o.targets) > 0 {
			y = o.enc.EncodeStep(x, ch)
		}
		if err := o.askStep(s, x, y, here, next, v, ch, true, false); err != nil {
			return err
		}
	}
	for range 6 {
		if err := o.checkInputs(s, x, o.randomInputs(), here); err != nil {
			return err
		}
	}
	if !o.slots || len(o.inputs) == 0 {
		return nil
	}
	// Any slots, in any order.
	for range 10 {
		x := o.shuffled(x)
		y := slices.Clone(o.inputs[o.rng.IntN(len(o.inputs))])
		for _, i := range o.targets {
			y[i] = o.rng.IntN(3) == 0
		}
		if err := o.checkInputs(s, x, y, here); err != nil {
			return err
		}
	}
	return nil
}

// shuffled returns the latches with slots exchanged.
func (o *oracle) shuffled(x []bool) []bool {
	for c, t := range o.m.Scalarsets {
		if n := int(t.Card()); t.Slots && n > 1 {
			i := o.rng.IntN(n - 1)
			x = ts.Apply(o.enc.Transposition(c, i, i+1+o.rng.IntN(n-1-i)).Latch, x)
		}
	}
	return x
}

// checkInputs compares the step from state s, which the latches x hold, that the
// inputs choose.
func (o *oracle) checkInputs(s model.State, x, y []bool, here [][2]bool) error {
	ch, ok := o.enc.DecodeStep(x, y)
	var next model.State
	var v *model.Violation
	if ok {
		next, v = o.fire(s, ch)
	} else {
		o.invalid++
	}
	return o.askStep(s, x, y, here, next, v, ch, ok, len(o.targets) > 0)
}

// checkRandomLatches checks that W holds in exactly the encodings of the states
// in which nothing that is always defined is undefined, and in those of a run
// that did not start.
func (o *oracle) checkRandomLatches() error {
	for range 200 {
		x := o.enc.EncodeState(o.randomState())
		for i := range x {
			if o.rng.IntN(len(x)) == 0 {
				x[i] = !x[i]
			}
		}
		s, err := o.enc.DecodeLeaves(x)
		want := err == nil && slices.Equal(o.enc.EncodeState(s), x) && (o.started < 0 || x[o.started])
		for i := range s {
			slot := o.leaves[i].Slot
			want = want && (s[i] != model.Undef || o.undef[i] || slot == i || slot >= 0 && s[slot] == model.Undef)
		}
		want = want || o.idle(x)
		if got := o.wellFormed(x); got != want {
			return fmt.Errorf("W is %v on latches %v, decoded to %v, %v", got, x, s, err)
		}
	}
	return nil
}

// checkNotStarted checks that a run without a start stays where it is.
func (o *oracle) checkNotStarted() error {
	if o.started < 0 {
		return nil
	}
	x, none := make([]bool, len(o.sys.Latches)), make([][2]bool, len(o.m.Props))
	for range 64 {
		if err := o.ask(query{what: "no start", x: x, y: o.randomInputs(), next: x, bads: none}); err != nil {
			return err
		}
	}
	return o.flush()
}

// exhaustive is the number of latches and inputs up to which checkInductive
// tries all assignments.
const exhaustive = 16

// checkInductive checks that W holds after every step from W: by proof, and on
// all assignments of small systems or on random ones.
func (o *oracle) checkInductive() error {
	if err := encode.ProveWhole(context.Background(), o.sys, gini.New()); err != nil {
		return err
	}
	if err := encode.ProveWellFormed(context.Background(), o.sys, func() sat.Solver { return gini.New() }); err != nil {
		return err
	}
	next := aig.NewSim(o.sys.G)
	var leaves []int
	for _, l := range o.sys.Latches {
		leaves = append(leaves, l.Node)
	}
	for _, in := range o.sys.Inputs {
		leaves = append(leaves, in.Node)
	}
	step := func() error {
		o.sim.Run()
		for _, l := range o.sys.Latches {
			next.Set(l.Node, o.sim.Word(l.Next))
		}
		next.Run()
		if lost := o.sim.Word(o.sys.W) &^ next.Word(o.sys.W); lost != 0 {
			return errors.New("W is not inductive")
		}
		return nil
	}
	if n := len(leaves); n <= exhaustive {
		low := [6]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}
		for k := 0; k < max(1, 1<<n>>6); k++ {
			for i, node := range leaves {
				if i < 6 {
					o.sim.Set(node, low[i])
				} else {
					o.sim.Set(node, word(k>>(i-6)&1 == 1))
				}
			}
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}
	for range 50 {
		x := o.enc.EncodeState(o.randomState())
		for i, l := range o.sys.Latches {
			o.sim.Set(l.Node, word(x[i]))
		}
		for _, in := range o.sys.Inputs {
			o.sim.Set(in.Node, o.rng.Uint64())
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkTranspositions compares permutations of latches and inputs with what
// they stand for.
func (o *oracle) checkTranspositions() error {
	for c, t := range o.m.Scalarsets {
		for i := range int(t.Card()) {
			for j := range i {
				if err := o.checkTransposition(c, i, j); err != nil {
					return fmt.Errorf("exchanging %d and %d of class %d: %w", i, j, c, err)
				}
			}
		}
	}
	return nil
}

func (o *oracle) checkTransposition(class, i, j int) error {
	p := o.enc.Transposition(class, i, j)
	if err := p.Check(o.sys); err != nil {
		return err
	}
	if !p.Then(p).IsIdentity() {
		return errors.New("it is no involution")
	}
	t := o.m.Scalarsets[class]
	perm := make(model.ScalarPerm, len(o.m.Scalarsets))
	for v := range int(t.Card()) {
		perm[class] = append(perm[class], v)
	}
	perm[class][i], perm[class][j] = j, i
	image := make(model.State, len(o.leaves))
	for range 20 {
		s := o.randomState()
		o.enc.Program.ApplyPerm(perm, s, image)
		x := ts.Apply(p.Latch, o.enc.EncodeState(s))
		if o.slots {
			if got, err := o.enc.DecodeState(x); err != nil || !slices.Equal(got, image) || !o.wellFormed(x) {
				return fmt.Errorf("state %v goes to %v, %v, want %v", s, got, err, image)
			}
		} else if want := o.enc.EncodeState(image); !slices.Equal(x, want) {
			return fmt.Errorf("state %v goes to latches %v, want %v", s, x, want)
		}
	}
	// Slots are numbered as in the system here.
	move := func(r *model.Rule, want, ch model.Choice) model.Choice {
		for k, q := range r.Params {
			if t.Slots && q.Var.Type == t {
				want.Params[k] = int64(perm[class][ch.Params[k]])
			}
		}
		return want
	}
	for _, ch := range o.rules {
		got, ok := o.enc.DecodeChoice(ts.Apply(p.Input, o.enc.EncodeChoice(ch)))
		if want := move(o.m.Rules[ch.Rule], o.enc.Program.PermChoice(perm, ch), ch); !ok || !got.Equal(want) {
			return fmt.Errorf("rule %v goes to %v, %v, want %v", ch, got, ok, want)
		}
	}
	for _, ch := range o.starts {
		got, ok := o.enc.DecodeStart(ts.Apply(p.Init, o.enc.EncodeStart(ch)))
		if want := move(o.m.Starts[ch.Rule], o.enc.Program.PermStart(perm, ch), ch); !ok || !got.Equal(want) {
			return fmt.Errorf("start %v goes to %v, %v, want %v", ch, got, ok, want)
		}
	}
	return nil
}

// checkTraces walks at random and checks that each violation on the way is
// decoded to a trace that the interpreter replays, and its depth.
func (o *oracle) checkTraces() error {
	if len(o.starts) == 0 {
		return nil
	}
	for range 8 {
		t := &ts.Trace{Init: o.enc.EncodeStart(o.starts[o.rng.IntN(len(o.starts))])}
		for range 6 {
			t.Inputs = append(t.Inputs, o.randomInputs())
		}
		frames, err := o.sys.Run(t)
		if err != nil {
			return err
		}
		depth := 0 // of the state, stutters not counted
		for k, f := range frames {
			prefix := &ts.Trace{Init: t.Init, Inputs: t.Inputs[:k+1]}
			want := make(map[int]int) // by property: least depth of a violation here
			for i, bad := range f.Bads {
				if d, ok := want[o.sys.Bads[i].Prop]; bad && (!ok || d > depth+o.sys.Bads[i].Delay) {
					want[o.sys.Bads[i].Prop] = depth + o.sys.Bads[i].Delay
				}
			}
			for p := range o.m.Props {
				trace, err := o.enc.DecodeTrace(prefix, p)
				d, bad := want[p]
				if !bad {
					if err == nil {
						return fmt.Errorf("frame %d does not violate %s, but a trace is decoded", k, o.m.Props[p].Name)
					}
					continue
				}
				if err != nil {
					return fmt.Errorf("frame %d violates %s: %w", k, o.m.Props[p].Name, err)
				}
				o.traces++
				if err := traces.Replay(o.enc.Program, trace); err != nil {
					return fmt.Errorf("frame %d violates %s: %w", k, o.m.Props[p].Name, err)
				}
				if trace.Prop != p || trace.Depth(o.m) != d {
					return fmt.Errorf("frame %d violates %s at depth %d, decoded to property %d at depth %d", k, o.m.Props[p].Name, d, trace.Prop, trace.Depth(o.m))
				}
			}
			if s, err := o.enc.DecodeState(f.State); err == nil && k+1 < len(frames) {
				if ch, ok := o.enc.DecodeStep(f.State, t.Inputs[k]); ok {
					to, err := o.enc.DecodeState(frames[k+1].State)
					if next, _ := o.fire(s, ch); err == nil && next != nil && slices.Equal(next, to) {
						depth++
					}
				}
			}
		}
	}
	return nil
}
