package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// ruleCode is what a rule does: all its instances, over the inputs that choose
// the parameters, or one of them.
type ruleCode struct {
	rule     int
	selected aig.Lit         // it is chosen, with valid parameters
	enabled  aig.Lit         // its guard holds and does not err
	ok       aig.Lit         // enabled, no error, no failed assumption, and the targets are free
	assumed  aig.Lit         // the assumptions hold in the state it leads to
	fires    aig.Lit         // all of that
	writes   []write         // to leaves of the state
	guard    map[int]aig.Lit // by property: an error in the guard
	errs     map[int]aig.Lit // by property: an error in the body, where enabled
	covers   map[int]aig.Lit // by property: a hit in the body, where enabled
	move     aig.Lit         // it counts against a deadlock, see moves
	chosen   []chosen        // the slots for the elements that it adds
	read     []bool          // by class: the code depends on what it holds
}

// guard evaluates the guard of a rule.
func (b *builder) guard(x *exec, r *model.Rule, rc *ruleCode) {
	rc.enabled = aig.True
	if r.Guard != nil {
		l := x.needLit(r.Guard)
		rc.enabled = b.g.AndN([]aig.Lit{l, x.pc, x.anyFailed().Not()})
		rc.guard = b.anyOf(x.errs)
		clear(x.errs)
	}
}

// body runs the body of a rule or start state and the assumptions behind it.
func (b *builder) body(x *exec, r *model.Rule, rc *ruleCode) {
	inGuard := len(x.chosen)
	x.path, x.regions = path{pc: aig.True, inserts: x.inserts}, []region{{cond: aig.True, here: aig.True}}
	before, outer := x.path, x.enter(nil)
	for _, v := range r.Locals {
		x.where[v] = x.local(v.Type)
	}
	x.run(r.Body)
	if !x.dead() {
		x.exit(value{}, nil)
	}
	x.leave(outer, before)
	rc.assumed = aig.True
	if !x.dead() {
		var holds []aig.Lit
		for _, p := range b.m.Assumptions {
			l := aig.True
			x.when(b.g.AndN(holds), func() { l = b.quantified(x, p, true) })
			holds = append(holds, l)
		}
		rc.assumed = b.g.AndN(holds)
	}
	rc.errs, rc.covers = b.anyOf(x.errs), b.anyOf(x.covers)
	rc.ok = b.g.And(x.pc, x.anyFailed().Not())
	if len(rc.covers) > 0 { // what is disabled hits nothing
		done := append([]aig.Lit{b.g.And(rc.ok, rc.assumed)}, lists.Values(rc.errs)...)
		for p, l := range lists.InOrder(rc.covers) {
			rc.covers[p] = b.g.And(l, b.g.OrN(done))
		}
	}
	rc.writes = x.writes(0, len(b.lay))
	for i, c := range x.chosen {
		on := []aig.Lit{rc.selected, c.on}
		if i >= inGuard {
			on = append(on, rc.enabled)
		}
		c.on = b.g.AndN(on)
		rc.chosen = append(rc.chosen, c)
	}
}

// buildRules executes the rules and collects their errors. It also builds the deadlock
// predicate: no rule instance makes a step and none errs (model.Machine.Deadlocked defines
// deadlock).
func (b *builder) buildRules() {
	c, targets := b.inputsOf(b.m.Rules, &b.inputs, "")
	b.enc.steps, b.stepTarget = c, targets
	perRule := make([][]ruleCode, len(b.m.Rules))
	stale := slices.Repeat([]bool{true}, len(b.m.Rules))
	b.oneByOne, b.decided = make([]bool, len(b.m.Rules)), make([]bool, len(b.m.Rules))
	for leaf := range b.lay {
		b.setBase(leaf)
	}
	for slices.Contains(stale, true) {
		before := slices.Clone(b.known)
		clear(b.memo)
		for i := range perRule {
			if stale[i] {
				perRule[i] = b.runRule(i)
				for _, rc := range perRule[i] {
					b.refuteUndefined(rc, b.base, false)
				}
			}
			stale[i] = false
		}
		for leaf := range b.lay {
			b.setBase(leaf)
		}
		for i, codes := range perRule {
			for _, rc := range codes {
				for k, read := range rc.read {
					stale[i] = stale[i] || read && before[k] != b.known[k]
				}
			}
		}
	}
	b.rules = slices.Concat(perRule...)
	var moves []aig.Lit
	for i := range b.rules {
		rc := &b.rules[i]
		on := b.g.And(rc.selected, b.started)
		guardErr := b.now
		if b.m.Dialect == model.Rumur {
			guardErr = b.inStep
		}
		for p, l := range lists.InOrder(rc.guard) {
			l = b.g.And(on, l)
			if p == hiddenError {
				b.hides.guards = append(b.hides.guards, l)
			} else {
				guardErr[p] = append(guardErr[p], l)
			}
		}
		for _, of := range []map[int]aig.Lit{rc.errs, rc.covers} {
			for p, l := range lists.InOrder(of) {
				l = b.g.AndN([]aig.Lit{on, rc.enabled, l})
				if p == hiddenError {
					b.hides.bodies = append(b.hides.bodies, l)
				} else {
					b.inStep[p] = append(b.inStep[p], l)
				}
			}
		}
		rc.fires = b.g.AndN([]aig.Lit{on, rc.ok, rc.assumed})
		if b.m.Deadlock == model.DeadlockOff {
			continue
		}
		if b.oneByOne[rc.rule] {
			moves = append(moves, rc.move)
		} else {
			moves = b.cofactors(moves, rc.rule, rc.move)
		}
	}
	b.deadlock = b.g.AndN(inverted(moves))
}

// runRule runs a rule: once over symbolic parameters, or once for each instance,
// whichever is smaller.
func (b *builder) runRule(r int) []ruleCode {
	c := b.enc.steps
	n := c.size(r)
	switch {
	case n == 0:
		return nil
	case n == 1:
		b.oneByOne[r], b.decided[r] = true, true
	}
	if !b.decided[r] {
		b.decided[r] = true
		first := model.InstancesOf(c.rules[r].Params)[0]
		before := b.g.Len()
		b.runInstance(r, first)
		size := b.g.Len() - before
		var whole ruleCode
		if b.budget.try(n*size, func() { whole = b.runInstance(r, nil) }) {
			return []ruleCode{whole}
		}
		b.oneByOne[r] = true
	}
	if b.oneByOne[r] {
		instance := func(params []int64) ruleCode { return b.runInstance(r, params) }
		return lists.Map(model.InstancesOf(c.rules[r].Params), instance)
	}
	return []ruleCode{b.runInstance(r, nil)}
}

// runInstance runs one instance of a rule, or with nil parameters all of them.
func (b *builder) runInstance(r int, params []int64) ruleCode {
	b.budget.check()
	rule, c := b.m.Rules[r], b.enc.steps
	rc := ruleCode{rule: r, read: make([]bool, len(b.known))}
	run := func(ts *targets, rc *ruleCode) *exec {
		x := b.exec(b.base, ts)
		x.pos = rule.Pos
		if params != nil {
			rc.selected = c.fixed(x.bound, r, params)
		} else {
			rc.selected = c.symbolic(x.bound, r)
		}
		b.guard(x, rule, rc)
		rc.ok, rc.assumed = aig.False, aig.True
		if rc.enabled != aig.False {
			b.body(x, rule, rc)
			rc.ok = b.g.And(rc.enabled, rc.ok)
		}
		return x
	}
	x := run(b.stepTarget, &rc)
	read := func(x *exec) {
		for leaf, is := range x.read {
			if is {
				rc.read[b.class[leaf]] = true
			}
		}
	}
	if b.m.Deadlock != model.DeadlockOff {
		var ok bool
		if rc.move, ok = b.anyTarget(b.moves(x, rc)); !ok {
			var free ruleCode
			y := run(nil, &free)
			rc.move = b.moves(y, free)
			read(y)
		}
	}
	read(x)
	return rc
}

// moves returns the condition that counts against a deadlock: the rule is a step, to
// a different state if stuttering is a deadlock, or it errs. What leads to a
// different state counts even if that violates an assumption.
func (b *builder) moves(x *exec, rc ruleCode) aig.Lit {
	step := aig.True
	if b.m.Deadlock == model.Stuttering {
		step = b.changes(x, rc.writes)
	} else if rc.assumed != aig.True {
		step = b.g.Or(rc.assumed, b.changes(x, rc.writes))
	}
	return b.g.Or(b.g.And(rc.ok, step), b.errs(rc))
}

// errs returns the condition that the guard or the body of a rule errs.
func (b *builder) errs(rc ruleCode) aig.Lit {
	return b.g.Or(b.g.OrN(lists.Values(rc.guard)), b.g.And(rc.enabled, b.g.OrN(lists.Values(rc.errs))))
}

// mostTargets is how many choices of targets are tried one by one.
const mostTargets = 16

// anyTarget returns the condition that f holds for some targets; ok is false if
// there are too many of them. The result does not depend on the order of slots,
// as the one for the first free slots does in its structure.
func (b *builder) anyTarget(f aig.Lit) (any aig.Lit, ok bool) {
	if len(b.stepTarget.all) == 0 {
		return f, true
	}
	support := b.g.Support([]aig.Lit{f})
	var used []*target
	n := 1
	for _, t := range b.stepTarget.all {
		if slices.ContainsFunc(t.hot, func(l aig.Lit) bool { _, found := slices.BinarySearch(support, l.Node()); return found }) {
			used = append(used, t)
			if n *= len(t.hot); n > mostTargets {
				return aig.False, false
			}
		}
	}
	fs, size := []aig.Lit{f}, len(b.g.Cone([]aig.Lit{f}))
	for _, t := range used {
		var next []aig.Lit
		for _, f := range fs {
			b.budget.copied(len(t.hot) * size)
			for k := range t.hot {
				assign := make(map[int]bool)
				for i, l := range t.hot {
					assign[l.Node()] = i == k
				}
				next = append(next, b.g.Cofactor([]aig.Lit{f}, assign)[0])
			}
		}
		fs = next
	}
	return b.g.OrN(fs), true
}

// cofactors appends the cofactor of f on every choice of parameters of rule r.
func (b *builder) cofactors(dst []aig.Lit, r int, f aig.Lit) []aig.Lit {
	c := b.enc.steps
	set := make([]bool, len(b.inputs))
	isInput := make(map[int]bool)
	for _, in := range b.inputs {
		isInput[in.Node] = true
	}
	latches := slices.DeleteFunc(b.g.Support([]aig.Lit{f}), func(n int) bool { return isInput[n] })
	copier := aig.NewCopier(b.g, b.g)
	size := len(b.g.Cone([]aig.Lit{f}))
	for _, params := range model.InstancesOf(c.rules[r].Params) {
		b.budget.copied(size)
		b.budget.check()
		c.encode(model.Choice{Rule: r, Params: params}, set)
		copier.Reset()
		for _, node := range latches {
			copier.Set(node, aig.MkLit(node, false))
		}
		for i, in := range b.inputs {
			copier.Set(in.Node, aig.False.NotIf(set[i]))
		}
		dst = append(dst, copier.Copy(f))
	}
	return dst
}

// changes returns the condition that the writes change the state, up to the order
// of the slots of multisets.
func (b *builder) changes(x *exec, writes []write) aig.Lit {
	written := make(map[int]entry, len(writes))
	for _, w := range writes {
		written[w.leaf] = w.entry
	}
	var diffs []aig.Lit
	for _, s := range b.sets {
		touched := false
		for leaf := s.base; leaf < s.base+s.slots*s.stride; leaf++ {
			touched = touched || hasKey(written, leaf)
		}
		if touched {
			diffs = append(diffs, b.setChanges(x, s, written))
			for leaf := s.base; leaf < s.base+s.slots*s.stride; leaf++ {
				delete(written, leaf)
			}
		}
	}
	for leaf, e := range lists.InOrder(written) {
		diff := b.differs(x, leaf, e)
		if diff == aig.True {
			return aig.True
		}
		diffs = append(diffs, diff)
	}
	return b.g.OrN(diffs)
}

// differs returns the condition that an entry changes its leaf.
func (b *builder) differs(x *exec, leaf int, e entry) aig.Lit {
	old := b.base[leaf]
	if e.w == aig.False || e.v == old {
		return aig.False
	}
	x.read[leaf] = true
	bits := []aig.Lit{b.g.Xor(e.v.def, old.def)}
	for k, v := range e.v.bits {
		bits = append(bits, b.g.Xor(v, old.bits[k]))
	}
	return b.g.And(e.w, b.g.OrN(bits))
}

// setChanges returns the condition that a multiset changes: that some element is
// in it more, or less, often than before.
func (b *builder) setChanges(x *exec, s setLeaves, written map[int]entry) aig.Lit {
	slot := func(k int) (before, after []*code) {
		for leaf := s.base + k*s.stride; leaf < s.base+(k+1)*s.stride; leaf++ {
			x.read[leaf] = true
			old := b.base[leaf]
			before = append(before, old)
			e := written[leaf]
			after = append(after, b.muxCode(e.w, e.v, old))
		}
		return before, after
	}
	var olds, news [][]*code
	for k := range s.slots {
		before, after := slot(k)
		if !slices.Equal(before, after) {
			olds, news = append(olds, before), append(news, after)
		}
	}
	// Slots that stay count on both sides alike.
	same := func(u, v []*code) aig.Lit {
		conds := []aig.Lit{u[0].def, v[0].def}
		for i := 1; i < len(u); i++ {
			conds = append(conds, b.g.Equal(u[i].def, v[i].def))
			for k := range u[i].bits {
				conds = append(conds, b.g.Equal(u[i].bits[k], v[i].bits[k]))
			}
		}
		return b.g.AndN(conds)
	}
	sum := func(f func(slot []*code) aig.Lit, slots [][]*code) value {
		n := constant(0)
		for _, s := range slots {
			one := boolean(f(s))
			n = b.add(n, one, n.lo+one.lo, n.hi+one.hi)
		}
		return n
	}
	holds := func(s []*code) aig.Lit { return s[0].def }
	diffs := []aig.Lit{b.eq(sum(holds, olds), sum(holds, news)).Not()}
	for _, u := range olds {
		equal := func(v []*code) aig.Lit { return same(u, v) }
		diffs = append(diffs, b.g.And(u[0].def, b.eq(sum(equal, olds), sum(equal, news)).Not()))
	}
	return b.g.OrN(diffs)
}
