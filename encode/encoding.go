package encode

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/ts"
)

// Encoding is a model as a transition system, with the way back.
type Encoding struct {
	Model   *model.Model
	Program *model.Program
	Sys     *ts.System

	PropBads [][]int // by property: its bads in Sys.Bads; none if it cannot be violated

	leaves  []leafBits // by leaf of the model
	started int        // latch that is 1 once a valid start was chosen; -1 when it always is
	steps   *choices   // the inputs
	starts  *choices   // the initial inputs
	packer  *model.Packer
}

// leafBits says which latches hold a leaf.
type leafBits struct {
	layout
	first int // latches first..first+n-1
	def   int // latch of the definedness bit; -1 when one-hot or always defined
}

// Model encodes m. It fails, with a position, on constructs that only the
// interpreter supports.
func Model(m *model.Model) (enc *Encoding, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			enc, err = nil, fmt.Errorf("%s:%v: %s", m.File, u.pos, u.msg)
		}
	}()
	checkSize(m)
	program := model.Compile(m)
	// Optimistically assume that every leaf is always defined; drop the classes
	// of leaves for which the start states or a rule do not show it, and start
	// again until the assumption is inductive.
	class, n := leafClasses(m)
	defined := make([]bool, n)
	for i := range defined {
		defined[i] = true
	}
	for {
		b := newBuilder(m, class, defined)
		b.build()
		if !slices.Contains(b.refuted, true) {
			b.enc.Program = program
			b.enc.packer = model.NewPacker(m)
			return b.enc, nil
		}
		for i, r := range b.refuted {
			defined[i] = defined[i] && !r
		}
	}
}

// Limits of the symbolic encoding. Beyond them it would take minutes and
// gigabytes; explicit search goes on without it.
const (
	maxInstances = 1 << 20 // of all start states, of all rules, and of one invariant: each is a copy of its logic
	maxPairs     = 1 << 22 // of hot bits that exclude each other, and of latches
)

// checkSize refuses a model whose encoding exceeds the limits.
func checkSize(m *model.Model) {
	refuse := func(pos model.Pos, format string, args ...any) {
		panic(unsupported{pos, fmt.Sprintf(format, args...) + ": too large for the symbolic encoding"})
	}
	instances := func(params []*model.Param, pos model.Pos) uint64 {
		n := uint64(1)
		for _, p := range params {
			size := p.Domain.Size()
			if size > maxInstances || n*size > maxInstances {
				refuse(pos, "more than %d instances", maxInstances)
			}
			n *= size
		}
		return n
	}
	for _, rules := range [][]*model.Rule{m.Starts, m.Rules} {
		sum := uint64(0)
		for _, r := range rules {
			if sum += instances(r.Params, r.Pos); sum > maxInstances {
				refuse(r.Pos, "more than %d instances", maxInstances)
			}
		}
	}
	for _, p := range m.Props {
		instances(p.Params, p.Pos)
	}
	pairs := int64(0)
	for _, v := range m.Vars {
		hot, leaves := bitsOf(v.Type)
		if pairs += hot + leaves; pairs > maxPairs {
			refuse(v.Pos, "the variable %s", v.Name)
		}
	}
}

// bitsOf returns the number of pairs of hot bits in a variable of type t, and
// of its leaves, both cut off at about maxPairs.
func bitsOf(t *model.Type) (pairs, leaves int64) {
	switch t.Kind {
	case model.Array:
		p, l := bitsOf(t.Elem)
		return min(maxPairs+1, p*min(t.Index.Card(), maxPairs)), min(maxPairs+1, l*min(t.Index.Card(), maxPairs))
	case model.Record:
		for _, f := range t.Fields {
			p, l := bitsOf(f.Type)
			pairs, leaves = min(maxPairs+1, pairs+p), min(maxPairs+1, leaves+l)
		}
		return pairs, leaves
	case model.Scalarset:
		n := min(t.Card(), maxPairs)
		return min(maxPairs+1, n*n/2), 1
	}
	return 0, 1
}

// Violation returns the condition that the property is violated at depth d of
// an unrolling, which has at least d+1 frames: by an error in the step from
// frame d-1, or in frame d, where the constraints of that frame hold. The
// constraints of earlier frames are for the caller to assume.
func (e *Encoding) Violation(f *Frames, prop, d int) aig.Lit {
	g := f.Graph()
	var bads []aig.Lit
	for _, b := range e.PropBads[prop] {
		switch {
		case e.Sys.Bads[b].Delay == 0:
			bads = append(bads, g.And(f.Bad(d, b), f.Constraint(d)))
		case d > 0:
			bads = append(bads, f.Bad(d-1, b))
		}
	}
	return g.OrN(bads)
}

// leafClasses puts the leaves that differ in array indices only into one
// class; so a class is closed under every permutation of indices.
func leafClasses(m *model.Model) (class []int, n int) {
	var walk func(t *model.Type) []int
	walk = func(t *model.Type) []int {
		switch t.Kind {
		case model.Array:
			elem := walk(t.Elem)
			var all []int
			for range t.Index.Card() {
				all = append(all, elem...)
			}
			return all
		case model.Record:
			var all []int
			for _, f := range t.Fields {
				all = append(all, walk(f.Type)...)
			}
			return all
		}
		n++
		return []int{n - 1}
	}
	for _, v := range m.Vars {
		class = append(class, walk(v.Type)...)
	}
	return class, n
}

// builder makes one encoding under an assumption on definedness.
type builder struct {
	arith
	enc     *Encoding
	m       *model.Model
	sys     *ts.System
	layouts []layout
	class   []int
	defined []bool       // by class: assumed always defined
	refuted []bool       // by class: the assumption is not inductive
	isInput map[int]bool // leaves of the graph that are step inputs

	now, inStep map[int][]aig.Lit // by property: violations of delay 0 and of delay 1
}

func newBuilder(m *model.Model, class []int, defined []bool) *builder {
	g := aig.NewPlain() // rewriting would hide symmetry; unrolling does it
	sys := &ts.System{G: g, W: aig.True}
	b := &builder{
		arith: arith{g}, m: m, sys: sys,
		enc:   &Encoding{Model: m, Sys: sys, started: -1},
		class: class, defined: defined, refuted: make([]bool, len(defined)),
		isInput: make(map[int]bool),
	}
	for i, leaf := range m.AllLeaves() {
		t := leaf.Type
		y := layoutOf(t)
		b.layouts = append(b.layouts, y)
		lb := leafBits{layout: y, first: len(sys.Latches), def: -1}
		for k := range y.n {
			if y.hot {
				b.latch(leaf.Name + "=" + t.Format(int64(k)))
			} else {
				b.latch(fmt.Sprintf("%s.%d", leaf.Name, k))
			}
		}
		if !y.hot && !defined[class[i]] {
			lb.def = b.latch(leaf.Name + ".defined")
		}
		b.enc.leaves = append(b.enc.leaves, lb)
	}
	return b
}

func (b *builder) latch(name string) int {
	b.sys.Latches = append(b.sys.Latches, ts.Latch{Name: name, Node: b.g.Input().Node()})
	return len(b.sys.Latches) - 1
}

// current returns the content of a state leaf in terms of latches.
func (b *builder) current(leaf int) code {
	lb := b.enc.leaves[leaf]
	c := code{bits: make([]aig.Lit, lb.n), def: aig.True}
	for k := range c.bits {
		c.bits[k] = b.sys.LatchLit(lb.first + k)
	}
	switch {
	case lb.def >= 0:
		c.def = b.sys.LatchLit(lb.def)
	case lb.hot && !b.defined[b.class[leaf]]:
		c.def = b.g.OrN(c.bits)
	}
	return c
}

// exec returns an executor for a rule (nil for none) over the given old
// content of the state leaves.
func (b *builder) exec(r *model.Rule, old func(int) code) *exec {
	x := &exec{
		arith: b.arith, m: b.m, layouts: b.layouts,
		store: newStore(nil),
		bound: make(map[*model.Var]value), locals: make(map[*model.Var]int),
		errs: make(map[int][]aig.Lit), failed: make(map[int]aig.Lit),
	}
	n := len(b.layouts)
	x.old = func(leaf int) code {
		if leaf < n {
			return old(leaf)
		}
		return undefined(x.layouts[leaf])
	}
	if r != nil {
		x.layouts = slices.Clip(x.layouts)
		for _, v := range r.Locals {
			x.locals[v] = len(x.layouts)
			x.layouts = appendLayouts(x.layouts, v.Type)
		}
	}
	return x
}

func appendLayouts(ys []layout, t *model.Type) []layout {
	switch t.Kind {
	case model.Array:
		for range t.Index.Card() {
			ys = appendLayouts(ys, t.Elem)
		}
		return ys
	case model.Record:
		for _, f := range t.Fields {
			ys = appendLayouts(ys, f.Type)
		}
		return ys
	}
	return append(ys, layoutOf(t))
}

func (b *builder) build() {
	b.inStep = make(map[int][]aig.Lit)
	b.now = make(map[int][]aig.Lit)
	startErr := b.buildStarts()
	deadlock := b.buildSteps()
	b.buildInvariants()
	b.buildWellFormed(startErr)
	b.buildBads(startErr, deadlock)
}

// refute drops the assumption that the leaf is always defined.
func (b *builder) refute(leaf int) {
	c := b.class[leaf]
	b.refuted[c] = b.defined[c]
}

// ruleCode is what one rule does, over the inputs that choose its parameters.
type ruleCode struct {
	selected aig.Lit       // the rule is chosen, its parameters are valid
	fires    aig.Lit       // and its guard holds, and nothing fails
	writes   map[int]entry // by leaf
}

// buildStarts makes the reset functions: the initial inputs choose a start
// state, which runs on an undefined state. It returns, by property, the
// latches that say an error occurred in it.
func (b *builder) buildStarts() map[int]int {
	c := newChoices(b.m, b.m.Starts, func(name string) int {
		b.sys.Init = append(b.sys.Init, ts.Signal{Name: "start." + name, Node: b.g.Input().Node()})
		return len(b.sys.Init) - 1
	})
	b.enc.starts = c
	var starts []ruleCode
	errs := make(map[int][]aig.Lit)
	var valid []aig.Lit
	for i, r := range b.m.Starts {
		x := b.exec(r, func(leaf int) code { return undefined(b.layouts[leaf]) })
		selected := c.selected(x, i, b.sys.InitLit)
		if selected == aig.False {
			continue
		}
		x.run(r.Body, aig.True)
		for _, p := range sortedKeys(x.errs) {
			errs[p] = append(errs[p], b.g.And(selected, b.g.OrN(x.errs[p])))
		}
		rc := ruleCode{selected: selected, fires: b.g.And(selected, x.anyFailed().Not()), writes: x.store.m}
		for leaf := range b.layouts {
			if e := rc.writes[leaf]; e.w != aig.True || e.v.def != aig.True {
				b.refute(leaf)
			}
		}
		valid = append(valid, rc.fires)
		starts = append(starts, rc)
	}
	for leaf := range b.layouts {
		lb := b.enc.leaves[leaf]
		terms := make([][]aig.Lit, lb.n+1)
		for _, rc := range starts {
			e, ok := rc.writes[leaf]
			if !ok {
				continue
			}
			on := b.g.And(rc.fires, e.w)
			for k, v := range e.v.bits {
				terms[k] = append(terms[k], b.g.And(on, v))
			}
			terms[lb.n] = append(terms[lb.n], b.g.And(on, e.v.def))
		}
		for k := range lb.n {
			b.sys.Latches[lb.first+k].Reset = b.g.OrN(terms[k])
		}
		if lb.def >= 0 {
			b.sys.Latches[lb.def].Reset = b.g.OrN(terms[lb.n])
		}
	}
	if started := b.g.OrN(valid); started != aig.True {
		b.enc.started = b.latch("started")
		l := &b.sys.Latches[b.enc.started]
		l.Reset, l.Next = started, b.sys.LatchLit(b.enc.started)
	}
	latches := make(map[int]int)
	for _, p := range sortedKeys(errs) {
		if reset := b.g.OrN(errs[p]); reset != aig.False {
			latches[p] = b.latch("start error: " + b.m.Props[p].Name)
			l := &b.sys.Latches[latches[p]]
			l.Reset, l.Next = reset, aig.False
		}
	}
	return latches
}

// buildSteps makes the next functions and collects the errors of guards and
// bodies. It returns the deadlock predicate.
func (b *builder) buildSteps() aig.Lit {
	c := newChoices(b.m, b.m.Rules, func(name string) int {
		node := b.g.Input().Node()
		b.isInput[node] = true
		b.sys.Inputs = append(b.sys.Inputs, ts.Signal{Name: name, Node: node})
		return len(b.sys.Inputs) - 1
	})
	b.enc.steps = c
	started := b.startedLit()
	guardErr := b.now
	if b.m.Dialect == model.Rumur {
		guardErr = b.inStep
	}
	var rules []ruleCode
	var moves []aig.Lit // by rule instance: it is a step (to a different state, if stuttering is a deadlock)
	copier := aig.NewCopier(b.g, b.g)
	for i, r := range b.m.Rules {
		x := b.exec(r, b.current)
		selected := c.selected(x, i, b.sys.InputLit)
		if selected == aig.False {
			continue
		}
		chosen := b.g.And(selected, started)
		enabled := aig.True
		if r.Guard != nil {
			enabled = x.needLit(r.Guard, aig.True)
			for _, p := range sortedKeys(x.errs) {
				guardErr[p] = append(guardErr[p], b.g.And(chosen, b.g.OrN(x.errs[p])))
			}
			enabled = b.g.And(enabled, x.anyFailed().Not())
			clear(x.errs)
			clear(x.failed)
		}
		x.run(r.Body, aig.True)
		for _, p := range sortedKeys(x.errs) {
			b.inStep[p] = append(b.inStep[p], b.g.AndN([]aig.Lit{chosen, enabled, b.g.OrN(x.errs[p])}))
		}
		enabled = b.g.And(enabled, x.anyFailed().Not())
		rc := ruleCode{selected: selected, fires: b.g.And(chosen, enabled), writes: x.store.m}
		rules = append(rules, rc)
		for leaf, e := range rc.writes {
			if leaf < len(b.layouts) && e.v.def != aig.True {
				b.refute(leaf)
			}
		}
		if b.m.Deadlock != model.DeadlockOff {
			step := enabled
			if b.m.Deadlock == model.Stuttering {
				step = b.g.And(step, b.changes(rc))
			}
			moves = b.instances(moves, copier, i, step)
		}
	}
	b.buildNext(rules)
	return b.g.AndN(inverted(moves))
}

func (b *builder) startedLit() aig.Lit {
	if b.enc.started < 0 {
		return aig.True
	}
	return b.sys.LatchLit(b.enc.started)
}

// changes returns the condition that the writes change the state.
func (b *builder) changes(rc ruleCode) aig.Lit {
	var diffs []aig.Lit
	for _, leaf := range sortedKeys(rc.writes) {
		if leaf >= len(b.layouts) {
			continue
		}
		e, old := rc.writes[leaf], b.current(leaf)
		bits := []aig.Lit{b.g.Xor(e.v.def, old.def)}
		for k, v := range e.v.bits {
			bits = append(bits, b.g.Xor(v, old.bits[k]))
		}
		diffs = append(diffs, b.g.And(e.w, b.g.OrN(bits)))
	}
	return b.g.OrN(diffs)
}

// instances appends the cofactor of f on every choice of parameters of rule r.
func (b *builder) instances(dst []aig.Lit, copier *aig.Copier, r int, f aig.Lit) []aig.Lit {
	c := b.enc.steps
	ch := model.Choice{Rule: r, Params: make([]int64, len(c.use[r]))}
	set := make([]bool, len(b.sys.Inputs))
	latches := slices.DeleteFunc(b.g.Support([]aig.Lit{f}), func(n int) bool { return b.isInput[n] })
	var each func(j int)
	each = func(j int) {
		if j < len(ch.Params) {
			for _, v := range c.value[r][j] {
				ch.Params[j] = v
				each(j + 1)
			}
			return
		}
		c.encode(ch, set)
		copier.Reset()
		for _, node := range latches {
			copier.Set(node, aig.MkLit(node, false))
		}
		for i, in := range b.sys.Inputs {
			copier.Set(in.Node, aig.False.NotIf(set[i]))
		}
		dst = append(dst, copier.Copy(f))
	}
	each(0)
	return dst
}

// buildNext merges the rules: the choice selects at most one, all others keep
// their leaves.
func (b *builder) buildNext(rules []ruleCode) {
	for leaf := range b.layouts {
		lb := b.enc.leaves[leaf]
		var on []aig.Lit
		terms := make([][]aig.Lit, lb.n+1)
		for _, rc := range rules {
			e, ok := rc.writes[leaf]
			if !ok || e.w == aig.False {
				continue
			}
			w := b.g.And(rc.fires, e.w)
			on = append(on, w)
			for k, v := range e.v.bits {
				terms[k] = append(terms[k], b.g.And(w, v))
			}
			terms[lb.n] = append(terms[lb.n], b.g.And(w, e.v.def))
		}
		keep := b.g.OrN(on).Not()
		next := func(latch int, terms []aig.Lit) {
			terms = append(terms, b.g.And(keep, b.sys.LatchLit(latch)))
			b.sys.Latches[latch].Next = b.g.OrN(terms)
		}
		for k := range lb.n {
			next(lb.first+k, terms[k])
		}
		if lb.def >= 0 {
			next(lb.def, terms[lb.n])
		}
	}
}

// buildInvariants expands the invariants over their parameters. As in the
// interpreter the evaluation of one stops at the first combination for which it
// is false, which is a bad, or errs, which is a run-time error.
func (b *builder) buildInvariants() {
	started := b.startedLit()
	for _, p := range b.m.Props {
		if p.Kind != model.Invariant {
			continue
		}
		x := b.exec(nil, b.current)
		var holds []aig.Lit
		pc := aig.True
		b.forParams(x, p.Params, func() {
			holds = append(holds, x.needLit(p.Expr, pc))
			pc = b.g.And(pc, holds[len(holds)-1])
		})
		for _, q := range sortedKeys(x.errs) {
			b.now[q] = append(b.now[q], b.g.And(started, b.g.OrN(x.errs[q])))
		}
		broken := b.g.AndN([]aig.Lit{started, b.g.AndN(holds).Not(), x.anyFailed().Not()})
		b.now[p.Index] = append(b.now[p.Index], broken)
	}
}

// forParams calls f with the parameters bound to each combination of values.
func (b *builder) forParams(x *exec, params []*model.Param, f func()) {
	if len(params) == 0 {
		f()
		return
	}
	p := params[0]
	for _, v := range p.Domain.Values() {
		x.bound[p.Var] = constantOf(p.Var, v)
		b.forParams(x, params[1:], f)
	}
}

// buildWellFormed makes W. In a run that did not start all latches are 0, but
// for one that tells the error in the start state.
func (b *builder) buildWellFormed(startErr map[int]int) {
	var conds, idle []aig.Lit
	for leaf, y := range b.layouts {
		conds = append(conds, y.wellFormed(b.arith, b.current(leaf), b.defined[b.class[leaf]])...)
	}
	for i := range b.sys.Latches {
		idle = append(idle, b.sys.LatchLit(i).Not())
	}
	for _, p := range sortedKeys(startErr) {
		l := idle[startErr[p]]
		conds = append(conds, l)
		idle[startErr[p]] = aig.True
		for _, q := range sortedKeys(startErr) {
			if q < p {
				idle = append(idle, b.g.Or(l, b.sys.LatchLit(startErr[q]).Not()))
			}
		}
	}
	started := b.g.AndN(conds)
	if b.enc.started < 0 {
		b.sys.W = started
		return
	}
	idle[b.enc.started] = aig.True
	b.sys.W = b.g.Mux(b.startedLit(), started, b.g.AndN(idle))
}

func (b *builder) buildBads(startErr map[int]int, deadlock aig.Lit) {
	b.enc.PropBads = make([][]int, len(b.m.Props))
	add := func(p *model.Property, name string, delay int, l aig.Lit) {
		if l == aig.False {
			return
		}
		b.enc.PropBads[p.Index] = append(b.enc.PropBads[p.Index], len(b.sys.Bads))
		b.sys.Bads = append(b.sys.Bads, ts.Bad{Name: name, Lit: l, Prop: p.Index, Delay: delay})
	}
	for _, p := range b.m.Props {
		if p.Kind == model.Deadlock {
			add(p, p.Name, 0, b.g.And(b.startedLit(), deadlock))
			continue
		}
		now := b.now[p.Index]
		if l, ok := startErr[p.Index]; ok {
			now = append(now, b.sys.LatchLit(l))
		}
		add(p, p.Name, 0, b.g.OrN(now))
		add(p, p.Name+" (in a step)", 1, b.g.OrN(b.inStep[p.Index]))
	}
}
