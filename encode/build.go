package encode

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// builder makes an encoding. Everything is first built in a scratch graph, where failed attempts
// leave unused nodes; finish copies the used ones.
//
// Whether a leaf is always defined is decided by class. A class of leaves (not of values) holds
// the leaves that differ in array indices only, so it is closed under every permutation of
// indices. The builder first assumes that all leaves are always defined. If the start states or
// a rule do not confirm this for a class, the assumption is dropped for it, and the rules that
// read it are run again, until the assumption is inductive.
type builder struct {
	named    bool         // each rule has an input of its own, see choices
	stepping bool         // the encoding keeps when each rule fires
	strict   model.Strict // quantifiers that are evaluated to the end, see Strict
	hides    hiding       // the errors that these hide

	arith
	m   *model.Model
	enc *Encoding

	lay     []layout
	class   []int       // by leaf: its class of leaves
	back    []int       // by leaf: leaves back to the presence leaf of the slot it is in; 0 if in none
	known   []bool      // by class: assumed defined always, or whenever the slot holds an element
	bits    [][]aig.Lit // by leaf: the latches of its value
	defined []aig.Lit   // by leaf: its definedness latch, or 0
	base    []*code     // by leaf: its content in terms of latches
	reset   []code      // by leaf: its content in the start states
	sets    []setLeaves

	inputs, init           []ts.Signal // over the scratch graph
	stepTarget, initTarget *targets
	started                aig.Lit // the start state did not err: a latch, or true
	startCodes, rules      []ruleCode
	oneByOne               []bool             // by rule: run for each instance rather than once
	decided                []bool             // by rule: oneByOne is known
	startErr, startHit     map[int]aig.Lit    // by property: a latch, the start state errs or hits a cover
	together               bool               // startErr do not exclude each other
	latches                []ts.Latch         // started and those of the start state; over the scratch graph
	now, inStep            map[int][]aig.Lit  // by property: bads in the state, of delay 0, and in the step, of delay 1
	holds                  map[int][]Instance // of liveness properties
	deadlock               aig.Lit
	w                      aig.Lit

	recursive []bool
	layouts   map[*model.Type][]layout
	empty     map[*model.Type]*code
	budget    *budget
	memo      map[string]*outcome
}

// setLeaves is a multiset of the state: the leaves of its slots.
type setLeaves struct {
	base, slots, stride int
	class               int
}

func newBuilder(ctx context.Context, m *model.Model, most int) *builder {
	g := aig.NewPlain() // rewriting would hide symmetry; unrolling does it
	b := &builder{
		hides: hiding{props: make(map[int][]aig.Lit)},
		arith: arith{g}, m: m, enc: &Encoding{Model: m, started: -1},
		started: aig.True, startErr: make(map[int]aig.Lit), startHit: make(map[int]aig.Lit),
		now: make(map[int][]aig.Lit), inStep: make(map[int][]aig.Lit), holds: make(map[int][]Instance),
		recursive: recursive(m), layouts: make(map[*model.Type][]layout), empty: make(map[*model.Type]*code),
		budget: &budget{ctx: ctx, g: g, limit: most, most: most}, memo: make(map[string]*outcome),
	}
	for i, l := range m.AllLeaves() {
		first := i // where all indices are least
		for _, d := range l.Indices {
			first -= int(d.Value-d.Type.Lo) * d.Stride
		}
		back := 0
		if l.Slot >= 0 {
			back = i - l.Slot
		}
		b.class, b.back, b.lay = append(b.class, first), append(b.back, back), append(b.lay, layoutOf(l.Type))
	}
	for _, v := range m.Vars {
		eachSet(v.Type, v.Offset, func(t *model.Type, leaf int) {
			if t.Elem.Has(func(u *model.Type) bool { return u.Kind == model.Multiset }) {
				refuse(t.Pos, "a multiset inside a multiset: the symbolic encoding does not support that")
			}
			b.sets = append(b.sets, setLeaves{leaf, int(t.Index.Card()), 1 + t.Elem.Leaves, t.Index.Class})
		})
	}
	b.known = make([]bool, len(b.lay))
	b.defined = make([]aig.Lit, len(b.lay))
	b.base = make([]*code, len(b.lay))
	for leaf, y := range b.lay {
		b.known[b.class[leaf]] = y.t != model.PresentType
		b.bits = append(b.bits, lists.Make(y.n, func(k int) aig.Lit { return g.Input() }))
	}
	for leaf := range b.lay {
		b.setBase(leaf)
	}
	return b
}

// setBase makes the content of a leaf of the state in terms of latches.
func (b *builder) setBase(leaf int) {
	y := b.lay[leaf]
	c := &code{bits: b.bits[leaf], lo: y.t.Lo, hi: y.t.Hi}
	switch {
	case b.known[b.class[leaf]] && b.back[leaf] == 0:
		c.def = aig.True
	case b.known[b.class[leaf]]:
		c.def = b.base[leaf-b.back[leaf]].def
	case y.hot:
		c.def = b.g.OrN(c.bits)
	default:
		if b.defined[leaf] == 0 {
			b.defined[leaf] = b.g.Input()
		}
		c.def = b.defined[leaf]
	}
	b.base[leaf] = c
}

// exec returns an executor over the state with the given content.
func (b *builder) exec(base []*code, ts *targets) *exec {
	return &exec{
		store: store{
			arith: b.arith, now: make([]entry, len(base)), base: slices.Clone(base), lay: slices.Clone(b.lay),
			read: make([]bool, len(base)), seen: make([]uint32, len(base)), met: make([]int32, len(base)), empty: b.empty,
		},
		m: b.m, strict: b.strict, targets: ts, path: path{pc: aig.True},
		regions: []region{{cond: aig.True, here: aig.True}},
		bound:   make(map[*model.Var]value), where: make(map[*model.Var][]place), names: make(map[*model.Var]named),
		recursive: b.recursive, layouts: b.layouts, budget: b.budget, memo: b.memo,
		errs: make(map[int][]aig.Lit), covers: make(map[int][]aig.Lit),
	}
}

func (b *builder) build() {
	b.buildStarts()
	b.buildRules()
	b.buildProps()
	b.buildWellFormed()
}

// signal adds an input, or an initial input, and returns its number.
func (b *builder) signal(to *[]ts.Signal, name string) int {
	*to = append(*to, ts.Signal{Name: name, Node: b.g.Input().Node()})
	return len(*to) - 1
}

// inputsOf returns the choices and targets over a list of signals.
func (b *builder) inputsOf(rules []*model.Rule, to *[]ts.Signal, prefix string) (*choices, *targets) {
	add := func(name string) int { return b.signal(to, prefix+name) }
	lit := func(i int) aig.Lit { return aig.MkLit((*to)[i].Node, false) }
	return newChoices(b.arith, rules, b.named, add, lit), newTargets(func(name string) aig.Lit { return lit(add(name)) })
}

// buildStarts makes the reset functions: the initial inputs choose a start
// state, which runs on an undefined state.
func (b *builder) buildStarts() {
	c, targets := b.inputsOf(b.m.Starts, &b.init, "start.")
	b.enc.starts, b.initTarget = c, targets
	base := make([]*code, len(b.lay))
	x := b.exec(b.base, nil)
	for leaf, y := range b.lay {
		base[leaf] = x.none(y)
	}
	errs, hits := make(map[int][]aig.Lit), make(map[int][]aig.Lit)
	var codes []ruleCode
	var valid []aig.Lit
	for i, r := range b.m.Starts {
		bound := make(map[*model.Var]value)
		rc := ruleCode{selected: c.symbolic(bound, i), enabled: aig.True}
		if rc.selected == aig.False {
			continue
		}
		x := b.exec(base, targets)
		x.bound = bound
		b.body(x, r, &rc)
		for p, l := range lists.InOrder(rc.errs) {
			errs[p] = append(errs[p], b.g.And(rc.selected, l))
		}
		for p, l := range lists.InOrder(rc.covers) {
			hits[p] = append(hits[p], b.g.And(rc.selected, l))
		}
		rc.fires = b.g.AndN([]aig.Lit{rc.selected, rc.ok, rc.assumed})
		valid = append(valid, rc.fires)
		b.together = b.together || x.together
		b.refuteUndefined(rc, base, true)
		codes = append(codes, rc)
	}
	b.startCodes = codes
	resets := b.merge(codes)
	for leaf, y := range b.lay {
		bits := make([]aig.Lit, y.n)
		def := aig.False
		for k := range bits {
			bits[k] = aig.False
		}
		if e := resets[leaf]; e.w != aig.False {
			copy(bits, e.v.bits)
			def = e.v.def
		}
		b.enc.leaves = append(b.enc.leaves, leafBits{layout: y, back: b.back[leaf]})
		b.reset = append(b.reset, code{bits: bits, def: def})
	}
	// What a start state hits shows in runs that end there: an input of its own
	// asks for it.
	run := aig.True
	for p, ls := range lists.InOrder(hits) {
		hits[p] = []aig.Lit{b.g.OrN(ls)}
		if hits[p][0] != aig.False && run == aig.True {
			run = aig.MkLit(b.init[b.signal(&b.init, "start.show hits")].Node, true)
		}
	}
	if started := b.g.And(run, b.g.OrN(valid)); started != aig.True {
		b.started = b.startLatch("started", started)
		b.latches[0].Next = b.started
	}
	for leaf := range b.reset {
		r := &b.reset[leaf]
		for k := range r.bits {
			r.bits[k] = b.g.And(run, r.bits[k])
		}
		r.def = b.g.And(run, r.def)
	}
	for p, ls := range lists.InOrder(errs) {
		if l := b.g.And(run, b.g.OrN(ls)); l != aig.False {
			name := "hidden"
			if p != hiddenError {
				name = b.m.Props[p].Name
			}
			b.startErr[p] = b.startLatch("start error: "+name, l)
		}
	}
	for p, ls := range lists.InOrder(hits) {
		if l := b.g.And(run.Not(), ls[0]); l != aig.False {
			b.startHit[p] = b.startLatch("start hit: "+b.m.Props[p].Name, l)
		}
	}
}

func (b *builder) startLatch(name string, reset aig.Lit) aig.Lit {
	l := b.g.Input()
	b.latches = append(b.latches, ts.Latch{Name: name, Node: l.Node(), Reset: reset, Next: aig.False})
	return l
}

// refuteUndefined drops the assumption on the classes of leaves that a rule
// perhaps leaves undefined: of all leaves, or of those that it writes.
func (b *builder) refuteUndefined(rc ruleCode, base []*code, all bool) {
	written := make(map[int]entry, len(rc.writes))
	for _, w := range rc.writes {
		written[w.leaf] = w.entry
	}
	// The definedness after the rule.
	after := func(leaf int) aig.Lit {
		e, ok := written[leaf]
		if !ok {
			return base[leaf].def
		}
		return b.g.Or(b.g.And(e.w, e.v.def), b.g.And(e.w.Not(), base[leaf].def))
	}
	check := func(leaf int) {
		c := b.class[leaf]
		if !b.known[c] {
			return
		}
		want := aig.True
		if k := b.back[leaf]; k > 0 {
			want = after(leaf - k)
		}
		if after(leaf) != want {
			b.known[c] = false
		}
	}
	for leaf := range b.lay {
		if all || hasKey(written, leaf) || b.back[leaf] > 0 && hasKey(written, leaf-b.back[leaf]) {
			check(leaf)
		}
	}
}

func hasKey[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// merge merges what the rules, of which at most one fires, write: entry w holds
// where one of them does, and v is all 0 elsewhere. A bit of v is the disjunction, over
// the rules, of "it fires, writes the leaf, and the bit is 1". Merging the values under
// the choice of the rule alone, as branches do, would share values among leaves. But the
// solver then learns from w only that some value was written, and takes more conflicts.
func (b *builder) merge(codes []ruleCode) []entry {
	ws, vs := make([][]aig.Lit, len(b.lay)), make([][]*code, len(b.lay))
	for _, rc := range codes {
		for _, w := range rc.writes {
			if w.w != aig.False {
				ws[w.leaf], vs[w.leaf] = append(ws[w.leaf], b.g.And(rc.fires, w.w)), append(vs[w.leaf], w.v)
			}
		}
	}
	out := make([]entry, len(b.lay))
	for leaf := range out {
		if ws[leaf] != nil {
			out[leaf] = entry{b.g.OrN(ws[leaf]), newMerger(b.arith, ws[leaf]).written(vs[leaf])}
		}
	}
	return out
}

// buildWellFormed makes W. In a run that did not start all latches are 0, but
// for those that tell of errors and hits in the start state.
func (b *builder) buildWellFormed() {
	var conds, idle []aig.Lit
	for leaf, y := range b.lay {
		at := aig.True
		if k := b.back[leaf]; k > 0 {
			at = b.base[leaf-k].def
		}
		conds = append(conds, y.wellFormed(b.arith, b.base[leaf], b.known[b.class[leaf]], at)...)
		for _, l := range b.bits[leaf] {
			idle = append(idle, l.Not())
		}
		if b.ownDef(leaf) {
			idle = append(idle, b.defined[leaf].Not())
		}
	}
	errs, hits := lists.Values(b.startErr), lists.Values(b.startHit)
	conds = append(conds, inverted(errs)...)
	conds = append(conds, inverted(hits)...)
	b.w = b.g.AndN(conds)
	if b.started != aig.True {
		if !b.together {
			idle = append(idle, atMostOne(b.g, errs))
		}
		idle = append(idle, b.g.And(b.g.OrN(errs), b.g.OrN(hits)).Not())
		b.w = b.g.Mux(b.started, b.w, b.g.AndN(idle))
	}
}

// ownDef reports whether a leaf has a latch for its definedness.
func (b *builder) ownDef(leaf int) bool {
	return !b.known[b.class[leaf]] && !b.lay[leaf].hot
}

// finish copies the system out of the scratch graph.
func (b *builder) finish() *Encoding {
	g := aig.NewPlain()
	sys := &ts.System{G: g}
	copier := aig.NewCopier(g, b.g)
	latch := func(name string, old aig.Lit) int {
		l := g.Input()
		copier.Set(old.Node(), l)
		sys.Latches = append(sys.Latches, ts.Latch{Name: name, Node: l.Node()})
		return len(sys.Latches) - 1
	}
	e := b.enc
	for i, leaf := range b.m.AllLeaves() {
		lb := &e.leaves[i]
		lb.first, lb.def, lb.known = len(sys.Latches), -1, b.known[b.class[i]]
		for k, l := range b.bits[i] {
			if lb.hot {
				latch(leaf.Name+"="+lb.t.Format(lb.off+int64(k)), l)
			} else {
				latch(fmt.Sprintf("%s.%d", leaf.Name, k), l)
			}
		}
		if b.ownDef(i) {
			lb.def = latch(leaf.Name+".defined", b.defined[i])
		}
	}
	for _, l := range b.latches {
		i := latch(l.Name, aig.MkLit(l.Node, false))
		if aig.MkLit(l.Node, false) == b.started {
			e.started = i
		}
	}
	signals := func(from []ts.Signal) (to []ts.Signal) {
		for _, s := range from {
			l := g.Input()
			copier.Set(s.Node, l)
			to = append(to, ts.Signal{Name: s.Name, Node: l.Node()})
		}
		return to
	}
	sys.Inputs, sys.Init = signals(b.inputs), signals(b.init)
	set := func(latch int, reset, next aig.Lit) {
		sys.Latches[latch].Reset, sys.Latches[latch].Next = copier.Copy(reset), copier.Copy(next)
	}
	next := b.merge(b.rules)
	for i, lb := range e.leaves {
		old, en := b.base[i], next[i]
		mux := func(v, old aig.Lit) aig.Lit {
			if en.w == aig.False {
				return old
			}
			return b.g.Or(v, b.g.And(en.w.Not(), old))
		}
		if en.w == aig.False {
			en.v = old
		}
		b.budget.check()
		for k := range lb.n {
			set(lb.first+k, b.reset[i].bits[k], mux(en.v.bits[k], old.bits[k]))
		}
		if lb.def >= 0 {
			set(lb.def, b.reset[i].def, mux(en.v.def, old.def))
		}
	}
	at := len(sys.Latches) - len(b.latches)
	for i, l := range b.latches {
		set(at+i, l.Reset, l.Next)
	}
	sys.W = copier.Copy(b.w)
	b.bads(sys, copier)
	e.together = b.together
	e.Instances = make(map[int][]Instance)
	for p, all := range lists.InOrder(b.holds) {
		for _, inst := range all {
			e.Instances[p] = append(e.Instances[p], Instance{inst.Values, copier.Copy(inst.Holds), copier.Copy(inst.Errs)})
		}
	}
	if b.stepping {
		e.fires = make([][]aig.Lit, len(b.m.Rules))
		for _, rc := range b.rules {
			e.fires[rc.rule] = append(e.fires[rc.rule], copier.Copy(rc.fires))
			e.fails = append(e.fails, copier.Copy(b.g.AndN([]aig.Lit{rc.selected, b.started, b.errs(rc)})))
		}
	}
	e.Sys, e.sets = sys, b.sets
	e.copyPicks(b, copier)
	e.Choices = e.steps.coded(copier)
	return e
}

func (b *builder) bads(sys *ts.System, copier *aig.Copier) {
	e := b.enc
	e.PropBads = make([][]int, len(b.m.Props))
	add := func(p *model.Property, name string, delay int, l aig.Lit) {
		if l = copier.Copy(l); l == aig.False {
			return
		}
		e.PropBads[p.Index] = append(e.PropBads[p.Index], len(sys.Bads))
		sys.Bads = append(sys.Bads, ts.Bad{Name: name, Lit: l, Prop: p.Index, Delay: delay})
	}
	for _, p := range b.m.Props {
		b.budget.check()
		if p.Kind == model.Deadlock {
			add(p, p.Name, 0, b.g.And(b.started, b.deadlock))
			continue
		}
		now := b.now[p.Index]
		for _, of := range []map[int]aig.Lit{b.startErr, b.startHit} {
			if l, ok := of[p.Index]; ok {
				now = append(now, l)
			}
		}
		add(p, p.Name, 0, b.g.OrN(now))
		add(p, p.Name+" (in a step)", 1, b.g.OrN(b.inStep[p.Index]))
	}
	b.hiddenBads(sys, copier)
}
