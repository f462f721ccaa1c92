package encode

import (
	"cmp"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// exec runs expressions and statements symbolically. It mirrors the
// interpreter of package model construct by construct: each expression is
// evaluated under a path condition, and each run-time error is recorded together
// with the condition under which it is the first.
type exec struct {
	store
	m       *model.Model
	strict  model.Strict           // quantifiers that are evaluated to the end
	bound   map[*model.Var]value   // ruleset parameters, quantifier and for variables
	where   map[*model.Var][]place // locals, and what references stand for
	names   map[*model.Var]named   // slot variables, and references to elements of multisets
	inside  []place                // multisets in an element of which the last designator is
	loops   []loopValue            // loops over scalarsets and unions around
	targets *targets               // slots for elements that are added; nil for the first free ones

	path
	regions []region
	act     *activation

	recursive []bool // by procedure: it may call itself
	open      int    // calls of recursive procedures that are open
	layouts   map[*model.Type][]layout
	memo      map[string]*outcome // calls on the state before the body; nil if that is none of the latches
	pos       model.Pos
	budget    *budget

	errs     map[int][]aig.Lit // by property: when it is violated first
	together bool              // an error may violate several, see errsIn
	covers   map[int][]aig.Lit // by property: when a cover statement hits it
	inserted bool              // an element is added, since the call that is open began
	chosen   []chosen
}

// path is what the statements behind depend on, apart from the store.
type path struct {
	pc      aig.Lit           // the body gets here; errors are in failed
	failed  []failure         // by property, ascending: whether it was violated so far
	inserts map[targetKey]int // elements added, by key with nth 0; not changed in place
	changed
}

type failure struct {
	prop int
	cond aig.Lit
}

// region is a branch, or the body of a procedure or rule.
type region struct {
	cond aig.Lit // of the branch, where control gets to it
	here aig.Lit // no return statement was met in it so far
	cut  bool    // some path ended in it without a return statement
}

// activation is a call, or a rule or start state.
type activation struct {
	proc   *model.Proc // nil for a rule
	region int         // its region
	mark   int         // length of the trail at entry
	top    int         // first leaf of its locals
	exits  []arm
}

// arm is a path that ended and waits to be merged with others.
type arm struct {
	cond   aig.Lit
	path   path
	writes []write
	result value
	whole  []*code
}

func (ex *exec) dead() bool { return ex.pc == aig.False }

// cut ends the path where cond does not hold.
func (ex *exec) cut(cond aig.Lit) {
	if cond != aig.True {
		ex.pc = ex.g.And(ex.pc, cond)
		ex.regions[len(ex.regions)-1].cut = true
	}
}

// fail records that property prop is violated where cond holds, unless another
// property was violated before: a body stops at its first error.
func (ex *exec) fail(prop int, cond aig.Lit) {
	if cond != aig.False {
		ex.failAll(map[int]aig.Lit{prop: cond})
		if cond == aig.True {
			ex.cut(aig.False)
		}
	}
}

// failAll records violations of several properties, which exclude each other.
func (ex *exec) failAll(conds map[int]aig.Lit) {
	before, failed := ex.failed, ex.failed
	for prop, cond := range lists.InOrder(conds) {
		on := ex.g.And(ex.pc, cond)
		if on == aig.False {
			continue
		}
		var not []aig.Lit
		for _, f := range before {
			if f.prop != prop {
				not = append(not, f.cond.Not())
			}
		}
		if not != nil {
			on = ex.g.And(on, ex.g.AndN(not))
		}
		ex.errs[prop] = append(ex.errs[prop], on)
		failed = slices.Clone(failed)
		at, known := slices.BinarySearchFunc(failed, prop, func(f failure, p int) int { return cmp.Compare(f.prop, p) })
		if known {
			failed[at].cond = ex.g.Or(on, failed[at].cond)
		} else {
			failed = slices.Insert(failed, at, failure{prop, on})
		}
	}
	ex.failed = failed
}

// evaluating runs what evaluates property prop. An error in it violates that property, too, so that errors of several
// properties no longer exclude each other.
func (ex *exec) evaluating(prop int, run func()) {
	errs, before := ex.errs, ex.anyFailed()
	ex.errs = make(map[int][]aig.Lit)
	run()
	var all []aig.Lit
	for p, ls := range lists.InOrder(ex.errs) {
		errs[p] = append(errs[p], ls...)
		if p != hiddenError && p != prop {
			all = append(all, ls...)
		}
	}
	ex.errs = errs
	if on := ex.g.And(ex.g.OrN(all), before.Not()); on != aig.False {
		ex.errs[prop], ex.together = append(ex.errs[prop], on), true
	}
}

// runtime records a run-time error.
func (ex *exec) runtime(cond aig.Lit) { ex.fail(ex.m.Runtime().Index, cond) }

// anyFailed returns whether any error occurred on the way here.
func (ex *exec) anyFailed() aig.Lit {
	return ex.g.OrN(lists.Map(ex.failed, func(f failure) aig.Lit { return f.cond }))
}

// split runs the branches i whose condition is conds[i], and merges them. The
// conditions are about this place, exclude each other and cover all cases.
func (ex *exec) split(conds []aig.Lit, run func(i int)) {
	if i := slices.Index(conds, aig.True); i >= 0 {
		run(i)
		return
	}
	j := ex.fork()
	for i, c := range conds {
		ex.pc = ex.g.And(j.before.pc, c)
		if ex.pc == aig.False {
			ex.pc = j.before.pc
			continue
		}
		ex.checkBudget()
		ex.regions = append(ex.regions, region{cond: c, here: aig.True})
		run(i)
		j.close(ex, c)
		j.back(ex)
	}
	ex.join(&j)
}

// when runs yes where c holds.
func (ex *exec) when(c aig.Lit, yes func()) {
	j := ex.fork()
	switch ex.pc = ex.g.And(ex.pc, c); {
	case c == aig.True:
		yes()
		return
	case ex.pc == aig.False:
		ex.path = j.before
		return
	}
	ex.regions = append(ex.regions, region{cond: c, here: aig.True})
	yes()
	if r := ex.regions[len(ex.regions)-1]; !r.cut && r.here == aig.True && len(ex.trail) == j.mark {
		ex.regions = ex.regions[:len(ex.regions)-1]
		ex.pop(j.top)
		ex.pc = j.before.pc
		return
	}
	j.close(ex, c)
	j.back(ex)
	ex.pc = ex.g.And(ex.pc, c.Not())
	j.arms = append(j.arms, arm{cond: c.Not(), path: ex.path})
	ex.path = j.before
	ex.join(&j)
}

// fork begins a branch.
func (ex *exec) fork() joint { return joint{before: ex.path, mark: len(ex.trail), top: len(ex.now)} }

// back returns to the beginning of the branch.
func (j *joint) back(x *exec) {
	x.undo(j.mark)
	x.pop(j.top)
	x.path = j.before
}

// joint collects the paths that a branch opened.
type joint struct {
	before   path
	mark     int // length of the trail before
	top      int // number of leaves before
	arms     []arm
	returned bool // on some path
	cut      bool // some path
}

// close ends the innermost region, into which the path got where c holds.
func (j *joint) close(x *exec, c aig.Lit) {
	top := len(x.regions) - 1
	r := x.regions[top]
	x.regions = x.regions[:top]
	j.cut = j.cut || r.cut
	j.returned = j.returned || r.here != aig.True
	if !x.dead() {
		j.arms = append(j.arms, arm{cond: x.g.And(c, r.here), path: x.path, writes: x.writes(j.mark, j.top)})
	}
}

// join goes on behind a branch, whose writes were taken back.
func (ex *exec) join(j *joint) {
	ex.merge(j.arms, j.cut)
	up := &ex.regions[len(ex.regions)-1]
	up.cut = up.cut || j.cut
	if j.returned {
		on := ex.g.OrN(lists.Map(j.arms, func(a arm) aig.Lit { return a.cond }))
		up.here = ex.g.And(up.here, on)
		if !j.cut && !ex.dead() {
			ex.pc = ex.g.And(j.before.pc, on)
		}
	}
}

// merge continues with the paths of arms, of which exactly one is taken unless
// the path ends. If none was cut they come from the path at hand and have its
// condition.
func (ex *exec) merge(arms []arm, cut bool) *merger {
	if len(arms) == 0 {
		ex.pc = aig.False
		return nil
	}
	if cut {
		ex.pc = ex.g.OrN(lists.Map(arms, func(a arm) aig.Lit { return a.path.pc }))
	}
	for _, a := range arms {
		ex.failed = ex.mergeFailed(ex.failed, a.path.failed)
		ex.inserts = mergeInserts(ex.inserts, a.path.inserts)
		ex.freed, ex.refilled = lists.Union(ex.freed, a.path.freed), lists.Union(ex.refilled, a.path.refilled)
	}
	if len(arms) == 1 {
		for _, w := range arms[0].writes {
			ex.set(w.leaf, w.entry)
		}
		return nil
	}
	m := newMerger(ex.arith, lists.Map(arms, func(a arm) aig.Lit { return a.cond }))
	ex.budget.copied(m.writes(&ex.store, arms))
	return m
}

// writes merges what the arms wrote, and returns how many entries it went through.
func (m *merger) writes(s *store, arms []arm) (entries int) {
	// By leaf that any of them wrote, who did; threaded through one slice.
	type link struct{ arm, index, next int32 }
	type chain struct {
		leaf        int
		first, last int32
	}
	var leaves []chain
	var links []link
	s.epoch++
	for i, a := range arms {
		for j, w := range a.writes {
			n := int32(len(links))
			links = append(links, link{int32(i), int32(j), -1})
			if s.seen[w.leaf] != s.epoch {
				s.seen[w.leaf], s.met[w.leaf] = s.epoch, int32(len(leaves))
				leaves = append(leaves, chain{w.leaf, n, n})
				continue
			}
			c := &leaves[s.met[w.leaf]]
			links[c.last].next, c.last = n, n
		}
	}
	all := lists.Make(len(arms), func(i int) int { return i })
	ws := make([]aig.Lit, len(arms))
	var at []int
	var vs []*code
	for _, c := range leaves {
		old, n := s.now[c.leaf], c.first
		at, vs = at[:0], vs[:0]
		for i, a := range arms {
			e := old
			if n >= 0 && int(links[n].arm) == i {
				e = a.writes[links[n].index].entry
				n = links[n].next
			}
			ws[i] = e.w
			if e.w != aig.False {
				at, vs = append(at, i), append(vs, e.v)
			}
		}
		if len(at) > 0 {
			s.set(c.leaf, entry{m.pick(all, ws), m.code(at, vs)})
		}
	}
	return len(leaves) * len(arms)
}

func (ex *exec) mergeFailed(a, b []failure) []failure {
	if len(b) == 0 || len(a) == len(b) && &a[0] == &b[0] {
		return a
	}
	var r []failure
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].prop < b[0].prop:
			r, a = append(r, a[0]), a[1:]
		case len(a) == 0 || b[0].prop < a[0].prop:
			r, b = append(r, b[0]), b[1:]
		default:
			r = append(r, failure{a[0].prop, ex.g.Or(a[0].cond, b[0].cond)})
			a, b = a[1:], b[1:]
		}
	}
	return r
}

func mergeInserts(a, b map[targetKey]int) map[targetKey]int {
	if len(b) == 0 {
		return a
	}
	r := maps.Clone(b)
	for key, n := range a {
		r[key] = max(r[key], n)
	}
	return r
}

// exit ends the path, as a return statement does.
func (ex *exec) exit(result value, whole []*code) {
	f := ex.act
	var conds []aig.Lit
	for _, r := range ex.regions[f.region:] {
		conds = append(conds, r.cond, r.here)
	}
	conds[0] = aig.True // where the call itself is does not matter
	f.exits = append(f.exits, arm{ex.g.AndN(conds), ex.path, ex.writes(f.mark, f.top), result, whole})
	ex.regions[len(ex.regions)-1].here = aig.False
	ex.pc = aig.False
}

// enter begins a frame; its locals are those pushed from now on.
func (ex *exec) enter(p *model.Proc) (outer *activation) {
	outer = ex.act
	ex.act = &activation{proc: p, region: len(ex.regions), mark: len(ex.trail), top: len(ex.now)}
	ex.regions = append(ex.regions, region{cond: aig.True, here: aig.True})
	return outer
}

// leave ends a frame begun in the path before: it merges its exits and returns
// the result.
func (ex *exec) leave(outer *activation, before path) (result value, whole []*code) {
	f := ex.act
	cut := ex.regions[f.region].cut
	ex.regions = ex.regions[:f.region]
	ex.undo(f.mark)
	ex.pop(f.top)
	ex.act, ex.path = outer, before
	if len(ex.regions) > 0 {
		up := &ex.regions[len(ex.regions)-1]
		up.cut = up.cut || cut
	}
	m := ex.merge(f.exits, cut)
	if len(f.exits) == 0 {
		return value{}, nil
	}
	if m == nil {
		return f.exits[0].result, f.exits[0].whole
	}
	if f.proc == nil || f.proc.Result == nil {
		return value{}, nil
	}
	at := lists.Make(len(f.exits), func(i int) int { return i })
	if f.proc.Result.Simple() {
		return m.value(at, lists.Map(f.exits, func(e arm) value { return e.result })), nil
	}
	cs := make([]*code, len(f.exits))
	for k := range f.exits[0].whole {
		for i, e := range f.exits {
			cs[i] = e.whole[k]
		}
		whole = append(whole, m.code(at, cs))
	}
	return value{}, whole
}

// value merges values of one type.
func (m *merger) value(at []int, vs []value) value {
	ls := make([]aig.Lit, len(vs))
	pick := func(f func(v value) aig.Lit) aig.Lit {
		for i, v := range vs {
			ls[i] = f(v)
		}
		return m.pick(at, ls)
	}
	r := value{def: pick(func(v value) aig.Lit { return v.def })}
	vs = m.sameForm(vs)
	r.lo, r.hi, r.off = vs[0].lo, vs[0].hi, vs[0].off
	for _, v := range vs[1:] {
		r.lo, r.hi = min(r.lo, v.lo), max(r.hi, v.hi)
		if v.off != r.off {
			r.off = 0
		}
	}
	if vs[0].hot != nil {
		r.hot = lists.Make(len(vs[0].hot), func(k int) aig.Lit { return pick(func(v value) aig.Lit { return v.hot[k] }) })
		return r
	}
	if r.lo == r.hi {
		def := r.def
		r = constant(r.lo)
		r.def = def
		return r
	}
	codes := make([][]aig.Lit, len(vs))
	n := width(r.lo-r.off, r.hi-r.off)
	for i, v := range vs {
		codes[i] = m.arith.code(v, r.off, n)
	}
	r.bits = make([]aig.Lit, n)
	for k := range r.bits {
		for i := range vs {
			ls[i] = codes[i][k]
		}
		r.bits[k] = m.pick(at, ls)
	}
	return r
}
