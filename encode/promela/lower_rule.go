package promela

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Lowering: rules. For each location where a process may rest, and each edge there, there
// is a rule for each way on through atomic sequences to where a process may rest again. The
// first statement gives the guard; those behind it are assumed to be executable.

// path is a step that is being made.
type path struct {
	params  []*model.Param
	made    []*model.Param // objects
	envs    []*env
	guard   []model.Expr
	body    []model.Stmt
	locals  []*model.Var
	parts   []prog.Part
	turns   int // so many of the last parts are of a loop
	seen    map[visit]bool
	begun   bool
	own     bool          // see prog.Ownership
	follows []prog.Follow // ... what its first statement touches
}

// visit is a process, by parameter, at a location.
type visit struct {
	actor int
	at    *element
}

func (p *path) copy() *path {
	q := *p
	q.params, q.envs, q.guard, q.body = slices.Clip(p.params), slices.Clip(p.envs), slices.Clip(p.guard), slices.Clip(p.body)
	q.locals, q.parts, q.made = slices.Clip(p.locals), slices.Clip(p.parts), slices.Clip(p.made)
	q.seen = maps.Clone(p.seen)
	return &q
}

// maxRules bounds the rules of a program.
const maxRules = 50_000

// rules makes the rules and properties for a program.
func (l *lowering) rules() {
	l.restNow = map[*element]bool{}
	var work []*element
	owner := map[*element]*process{}
	for _, q := range l.procs {
		for _, e := range q.locs {
			owner[e] = q
		}
	}
	l.settle = func(e *element) {
		if !l.restNow[e] {
			l.restNow[e] = true
			work = append(work, e)
		}
	}
	for _, q := range l.present() {
		l.settle(q.start)
	}
	for len(work) > 0 {
		e := work[0]
		work = work[1:]
		q := owner[e]
		for _, x := range e.edges {
			l.edge(q, x)
		}
	}
	l.rest = l.restNow
}

// edge makes the rules that begin with an edge.
func (l *lowering) edge(q *process, x *edge) {
	v := bound("p", q.index, x.act.at)
	e := &env{q: q, slot: ref(v)}
	if l.f.timeout {
		e.timeout = not(l.isBusy())
	}
	p := &path{params: []*model.Param{l.param(v, q)}, envs: []*env{e}, seen: map[visit]bool{}}
	p.guard = append(p.guard, l.isAt(e, x.from))
	if l.excl != nil {
		p.guard = append(p.guard, some(undefined(ref(l.excl)), eq(ref(l.excl), e.slot)))
	}
	p.seen[visit{0, x.from}] = true
	p.follows, p.own = l.ownEdge(x, e)
	for _, y := range x.from.edges { // a receive that takes part in handshakes begins no rule
		_, own := l.ownEdge(y, e)
		p.own = p.own && own
	}
	l.take(p, 0, x)
}

func (l *lowering) param(v *model.Var, q *process) *model.Param {
	return &model.Param{Var: v, Domain: model.Domain{Type: q.index}}
}

// assume adds conditions to a path: to the guard, as long as nothing has happened.
func (p *path) assume(xs ...model.Expr) (ok bool) {
	for _, x := range xs {
		if x == nil {
			continue
		}
		if k, is := literal(x); is {
			if k == 0 {
				return false
			}
			continue
		}
		if p.begun {
			p.body = append(p.body, &model.Assume{Cond: x, Pos: x.Position()})
		} else {
			p.guard = append(p.guard, x)
		}
	}
	return true
}

// take lets an actor take an edge, in all ways, and go on behind it.
func (l *lowering) take(p *path, actor int, x *edge) {
	v := p.envs[actor]
	if len(l.m.Rules) > maxRules {
		fail(x.act.at, "the program has more than %d steps", maxRules)
	}
	actions := l.actions(x, v)
	l.check(p, actor, x, actions)
	for _, a := range actions {
		q := l.begin(p, actor, x, a)
		if q == nil {
			continue
		}
		if a.fault {
			l.addRule(q, prog.Step)
			continue
		}
		if x.to != nil {
			q.body = append(q.body, assign(sel(v.me(), 0), v.q.code(x.to), x.act.at))
		}
		next, to, keeps := actor, x.to, x.keeps()
		if a.with != nil {
			if to != nil {
				l.settle(to)
			}
			y := a.with.edge
			next, to, keeps = len(q.envs)-1, y.to, y.keeps()
			q.body = append(q.body, assign(sel(a.with.env.me(), 0), a.with.env.q.code(to), y.act.at))
		}
		l.goOn(q, next, to, keeps, x.act)
	}
}

// begin returns a path that goes on with an action of an edge, up to the locations behind it; nil if that cannot be.
func (l *lowering) begin(p *path, actor int, x *edge, a *action) *path {
	v := p.envs[actor]
	q := p.copy()
	if a.with != nil {
		q.params = append(q.params, l.param(a.with.v, a.with.env.q))
		q.envs = append(q.envs, a.with.env)
	}
	if a.object != nil {
		if n := len(q.made); n > 0 {
			a.object.Var.Name = fmt.Sprintf("object_%d", n+1)
		}
		q.made = append(q.made, a.object)
	}
	if !q.assume(l.may(v), l.precedence(x, v)) || !q.assume(a.guard...) {
		return nil
	}
	q.begun = true
	q.locals = append(q.locals, a.locals...)
	q.body = append(q.body, a.body...)
	q.parts = append(q.parts, p.part(actor, x))
	if a.with != nil {
		q.parts = append(q.parts, q.part(len(q.envs)-1, a.with.edge))
	}
	return q
}

// part describes a statement for traces.
func (p *path) part(actor int, x *edge) prog.Part {
	n := x.from.number
	text := x.act.text
	if x.act.kind == sDstep {
		text = "d_step"
	}
	id := int64(-1)
	if a := p.envs[actor].q.automaton; a.first >= 0 && x.act.id <= a.read {
		id = int64(a.first + x.act.id - 1)
	}
	return prog.Part{Actor: actor, From: n, ID: id, Text: text, Pos: x.act.at.pos, File: x.act.at.src.name}
}

// goOn goes on with a path whose actor has come to a location, perhaps in control.
func (l *lowering) goOn(p *path, actor int, to *element, keeps bool, from *element) {
	if to == nil || !keeps {
		if to != nil {
			l.settle(to)
		}
		l.release(p)
		l.addRule(p, prog.Step)
		return
	}
	p.own = false // what stands behind is not looked at
	v := &env{q: p.envs[actor].q, slot: p.envs[actor].slot}
	p.envs = slices.Clone(p.envs)
	p.envs[actor] = v
	here := visit{p.same(actor), to}
	if p.seen[here] || len(p.seen) > maxPath || len(p.envs) > maxActors {
		l.cuts = true
		l.settle(to)
		if l.excl != nil {
			stays := when(all(l.leads(v), l.canMove(to, v)), assign(ref(l.excl), v.slot, from.at))
			stays.Else = []model.Stmt{&model.Reset{X: ref(l.excl)}}
			p.body = append(p.body, stays)
		}
		l.addRule(p, prog.Step)
		return
	}
	if r := l.region(to, v); r != nil {
		l.runRegion(p, actor, r, from)
		return
	}
	p.seen = maps.Clone(p.seen)
	p.seen[here] = true
	if q := p.copy(); q.assume(not(all(l.leads(v), l.canMove(to, v)))) {
		l.settle(to)
		l.release(q)
		l.addRule(q, prog.Step)
	}
	for _, x := range to.edges {
		l.take(p.copy(), actor, x)
	}
}

// maxPath bounds the statements of a step that are written out, and maxActors the processes
// that pass control to each other on the way.
const (
	maxPath   = 200
	maxActors = 8
)

// same returns the first parameter that surely is the same process.
func (p *path) same(actor int) int {
	q := p.envs[actor].q
	if q.index.Card() > 1 {
		return actor
	}
	return slices.IndexFunc(p.envs, func(v *env) bool { return v.q == q })
}

func (l *lowering) release(p *path) {
	if l.excl != nil {
		p.body = append(p.body, &model.Reset{X: ref(l.excl)})
	}
}

// addRule makes the rule of a path.
func (l *lowering) addRule(p *path, kind prog.Kind) {
	e := prog.Edge{Kind: kind, Parts: p.parts, Turns: p.turns, Own: p.own, Follows: p.follows}
	e.Actors = lists.Map(p.envs, func(v *env) int { return v.q.proctype.index })
	e.Proto = e.Actors[0]
	name := ""
	for i, part := range p.parts {
		if i > 0 {
			name += "; "
		} else {
			name = fmt.Sprintf("%s:%d ", p.envs[0].q.name, part.Pos.Line)
		}
		name += part.Text
		const long = 100
		if len(name) > long {
			name += " …"
			break
		}
	}
	if kind == prog.Check {
		name = "check " + name
	}
	if kind == prog.Step {
		p.body = append(slices.Clip(p.body), l.drop(p.body)...)
		locals, body := l.watch()
		p.locals, p.body = append(slices.Clip(p.locals), locals...), append(slices.Clip(p.body), body...)
	}
	if l.names[name]++; l.names[name] > 1 {
		name += fmt.Sprintf(" #%d", l.names[name])
	}
	if l.f.runs && l.creates(p.body) {
		begin := fmt.Sprintf("%d %d %s", e.Proto, p.parts[0].From, p.parts[0].Text)
		l.runners[name] = begin
		if expected, set := l.begins(begin, p); expected != nil {
			l.unexpected(p, e, name, expected)
			if isFalse(expected) {
				return
			}
			p.guard, p.body = append(slices.Clip(p.guard), expected), append(set, p.body...)
		}
	}
	l.put(p, e, name)
}

// put adds a rule to the model.
func (l *lowering) put(p *path, e prog.Edge, name string) {
	l.m.Rules = append(l.m.Rules, &model.Rule{Name: name, Index: len(l.m.Rules), Params: slices.Concat(p.params, p.made), Locals: p.locals, Guard: all(p.guard...), Body: p.body, Pos: p.parts[0].Pos})
	l.p.Edges = append(l.p.Edges, e)
}

// unexpected adds the rule that errs where a path makes a process while what was expected does not hold. It ends where
// the first process is made: whether the path leads there is part of what it says.
func (l *lowering) unexpected(p *path, e prog.Edge, name string, expected model.Expr) {
	q := p.copy()
	if !isFalse(expected) {
		q.guard = append(q.guard, not(expected))
	}
	until := slices.IndexFunc(p.body, func(s model.Stmt) bool { return l.creates([]model.Stmt{s}) })
	q.body = append(slices.Clip(p.body[:until]), &model.Assert{Cond: truthOf(false), Message: "more processes than were expected", Prop: l.errorProp(NoRoom), Pos: p.parts[0].Pos})
	l.put(q, e, "unexpected "+name)
}

// creates reports whether statements make processes.
func (l *lowering) creates(body []model.Stmt) bool {
	return model.Has(body, func(n any) bool { s, ok := n.(*model.If); return ok && l.created[s] })
}

// begins says what is expected of a state where a rule begins that makes processes, how many there are first of all, and
// returns statements that set it; nil: nothing is known. Rules that begin with the same statement have one number: some
// of them may never be enabled, as what comes after the first process is made goes another way. Where no rule of a
// statement is ever enabled, none is expected.
func (l *lowering) begins(first string, p *path) (expected model.Expr, set []model.Stmt) {
	if l.starts == nil || l.probing {
		return nil, nil
	}
	n, ok := l.starts[first]
	if !ok {
		return truthOf(false), nil
	}
	pos := p.parts[0].Pos
	expected = eq(ref(l.nrpr), num(n))
	set = []model.Stmt{&model.Assign{LHS: ref(l.nrpr), RHS: num(n), Pos: pos}}
	if me := p.envs[0]; me.q.index.Card() == 1 {
		numbers := l.numbers(me.q, me.me(), p.body)
		for _, k := range slices.Sorted(maps.Keys(numbers)) {
			x := numbers[k]
			if v := l.begun[first][k]; v != varies {
				expected = all(expected, eq(x, num(v)))
				set = append(set, &model.Assign{LHS: x, RHS: num(v), Pos: pos})
			}
		}
	}
	return expected, set
}

// varies stands for a variable that has several values where a rule begins.
const varies = model.Undef

// numbers returns the variables of a process that are numbers and occur in statements, by leaf of its record.
func (l *lowering) numbers(q *process, me model.Expr, body []model.Stmt) map[int]model.Expr {
	found := map[int]model.Expr{}
	used := map[int]bool{}
	model.Inspect(body, func(n any) {
		if s, ok := n.(*model.FieldSel); ok && s.X.Type() == q.rec {
			used[s.Field] = true
		}
	})
	for s, k := range q.fields {
		if s.typ.base == bChan || l.f.unset[s] { // channels have other numbers now, perhaps
			delete(used, k)
		}
	}
	for k := range used {
		f := q.rec.Fields[k]
		switch t := f.Type; {
		case t.Kind == model.Range:
			found[f.Offset] = sel(me, k)
		case t.Kind == model.Array && t.Elem.Kind == model.Range:
			for i := range int(t.Index.Card()) {
				found[f.Offset+i] = at(sel(me, k), num(t.Index.Lo+int64(i)))
			}
		}
	}
	return found
}

// check makes the rules that err if an assertion fails, or one in a d_step, or a rendezvous channel is polled, on the way
// to it. The path itself goes on whether it errs or not, as SPIN does.
func (l *lowering) check(p *path, actor int, x *edge, actions []*action) {
	v := p.envs[actor]
	if x.act.kind == sAssert {
		q := p.copy()
		if !q.assume(l.may(v), l.precedence(x, v)) {
			return
		}
		q.parts = append(q.parts, p.part(actor, x))
		q.assume(l.followable(x.act.stmt, v))
		cond := l.cond(x.act.e, v)
		if k, ok := literal(cond); ok && k != 0 {
			l.assertProp(x.act)
			return
		}
		q.assume(not(cond))
		q.body = append(q.body, &model.Assert{Cond: truthOf(false), Message: x.act.text, Prop: l.assertProp(x.act), Pos: x.act.at.pos})
		l.addRule(q, prog.Check)
	}
	if polls := l.firstPolls(x, v); !isFalse(polls) {
		if q := p.copy(); q.assume(l.may(v), polls) {
			q.parts = append(q.parts, p.part(actor, x))
			q.body = append(q.body, l.badPoll(x.act.stmt))
			l.addRule(q, prog.Check)
		}
	}
	var all []checked
	for _, a := range actions {
		for _, c := range a.asserts {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for _, c := range all {
		l.checking = c
		for _, a := range l.actions(x, v) {
			if !slices.Contains(a.asserts, c) {
				continue
			}
			if q := l.begin(p, actor, x, a); q != nil {
				q.body = append(q.body, &model.Assume{Cond: truthOf(false)})
				l.addRule(q, prog.Check)
			}
		}
		l.checking = checked{}
	}
}

func (l *lowering) assert(e *element, v *env) model.Stmt {
	return &model.Assert{Cond: l.cond(e.e, v), Message: e.text, Prop: l.assertProp(e), Pos: e.at.pos}
}

func (l *lowering) assertProp(e *element) int { return l.prop(e.text, model.Assertion, e.at) }

// prop returns the property at a place, which it makes if there is none.
func (l *lowering) prop(name string, kind model.PropertyKind, p place) int {
	for _, q := range l.m.Props {
		if q.Kind == kind && q.Pos == p.pos && (q.Name == name || p.src != nil) {
			return q.Index
		}
	}
	for _, q := range l.m.Props {
		if q.Name == name {
			name += fmt.Sprintf("@%d", p.pos.Line)
			break
		}
	}
	q := &model.Property{Name: name, Kind: kind, Index: len(l.m.Props), Pos: p.pos}
	l.m.Props = append(l.m.Props, q)
	return q.Index
}

// isBusy tests whether some process can move while there is no timeout.
func (l *lowering) isBusy() model.Expr {
	if l.busy == nil {
		l.busy = &model.Proc{Name: "busy", Index: len(l.m.Procs), Result: model.BoolType}
		l.m.Procs = append(l.m.Procs, l.busy)
		l.busy.Body = []model.Stmt{&model.Return{X: l.someMove(nil, nil)}}
	}
	return &model.CallExpr{Proc: l.busy}
}

// someMove tests whether some process can move if timeout is what is given, of those that which holds of, nil: all. Of
// these, one of the highest priority moves.
func (l *lowering) someMove(timeout model.Expr, which func(*env) model.Expr) model.Expr {
	var ways []model.Expr
	for _, q := range l.present() {
		for _, e := range q.locs {
			if l.rest != nil && !l.rest[e] {
				continue
			}
			ways = append(ways, q.some(func(w *env) model.Expr {
				w.timeout = timeout
				b := l.isAt(w, e)
				if which != nil {
					b = all(b, which(w))
				}
				return all(b, l.canMove(e, w))
			}))
		}
	}
	return some(ways...)
}

// finish adds what is there once: the start, the rule of end states, and the properties
// that are built in.
func (l *lowering) finish() {
	var ended []model.Expr
	for _, q := range l.present() {
		k := bound("p", q.index, place{})
		w := &env{q: q, slot: ref(k)}
		at := l.isAtLabel(w, endLabel)
		if q.gone {
			at = some(w.absent(), at)
		}
		ended = append(ended, &model.Quant{All: true, Var: k, Domain: model.Domain{Type: q.index}, Body: at})
	}
	if l.excl != nil {
		ended = append(ended, undefined(ref(l.excl)))
	}
	// Formulas need no such rule: it would let processes that can move stay at their ends for ever.
	if x := all(ended...); !isFalse(x) && !l.f.wants() {
		l.m.Rules = append(l.m.Rules, &model.Rule{Name: "all processes are at their end", Index: len(l.m.Rules), Guard: x})
		l.p.Edges = append(l.p.Edges, prog.Edge{Kind: prog.Halt, Proto: -1})
	}
	l.start()
	l.claimProps()
	l.formulas()
	l.p.Inside, l.p.Heap = l.excl != nil, l.places()
	l.m.Props = append(l.m.Props, &model.Property{Name: "runtime-error", Kind: model.RuntimeError, Index: len(l.m.Props)})
	l.m.Props = append(l.m.Props, &model.Property{Name: "invalid end state", Kind: model.Deadlock, Index: len(l.m.Props)})
	for _, q := range l.procs {
		pr := prog.Proto{Name: q.name, Var: q.v, Gone: q.gone}
		if q.gone {
			pr.Locs = append(pr.Locs, prog.Loc{})
		}
		for _, e := range q.locs {
			pr.Locs = append(pr.Locs, prog.Loc{Pos: e.at.pos, File: e.at.src.name, End: e.named&endLabel != 0})
		}
		l.p.Protos = append(l.p.Protos, pr)
	}
	for _, c := range l.f.claims {
		if !l.f.wants() && (c.monitor == nil || c.reason != "") {
			l.p.Claims = append(l.p.Claims, prog.Claim{Kind: c.kind, Name: c.name, Pos: c.at.pos, Reason: c.reason})
		}
	}
	if !l.f.wants() {
		l.labels("accept", acceptLabel)
		l.labels("progress", progressLabel)
	}
}

// labels notes that labels of processes ask for something that is not checked.
func (l *lowering) labels(name string, kind labels) {
	for _, q := range l.procs {
		for _, e := range q.locs {
			if e.named&kind != 0 {
				l.p.Claims = append(l.p.Claims, prog.Claim{Kind: "label", Name: name, Pos: e.at.pos, Reason: "runs that never end are not looked at"})
				return
			}
		}
	}
}

func (l *lowering) start() {
	var body []model.Stmt
	if l.nrpr != nil {
		body = append(body, assign(ref(l.nrpr), num(int64(l.total)), place{}))
	}
	outside := &env{}
	for _, d := range l.f.pools {
		body = append(body, forEach(l.pools[d].Type.Index, func(o model.Expr) []model.Stmt {
			return l.empty(d, l.object(d, o))
		}))
	}
	for _, s := range l.f.globals {
		if s.hollow() {
			continue
		}
		if g := s.group; g != nil {
			switch lay := g.lay; {
			case lay.v == nil || g.sym != s:
			case lay.index == nil:
				body = append(body, assign(sel(ref(lay.v), 0), num(0), s.at))
			default: // a loop sets no channel apart
				body = append(body, forEach(lay.index, func(i model.Expr) []model.Stmt {
					return []model.Stmt{assign(sel(at(ref(lay.v), i), 0), num(0), s.at)}
				}))
			}
			if s.write {
				body = append(body, l.channelValues(s, ref(l.vars[s]), num(s.first))...)
			}
			continue
		}
		body = append(body, l.first(s, ref(l.vars[s]), outside)...)
	}
	if l.want != nil {
		body = append(body, assign(ref(l.want), num(0), place{}))
	}
	pid := 0
	for _, q := range l.present() {
		here := model.Domain{Type: q.index}
		if last := pid + q.active - 1; int64(pid) != q.index.Lo || int64(last) != q.index.Hi {
			here.From, here.To = num(int64(pid)), num(int64(last))
		}
		if q.active > 0 {
			body = append(body, forIn("p", here, func(p model.Expr) []model.Stmt {
				v := &env{q: q, slot: p}
				one := []model.Stmt{assign(sel(v.me(), 0), q.code(q.start), q.at)}
				for _, s := range q.params {
					one = append(one, assign(sel(v.me(), q.fields[s]), num(0), s.at))
				}
				return append(one, l.initial(q, v)...)
			}))
		}
		gone := model.Domain{Type: q.index}
		if q.active > 0 {
			if q.gone && int64(pid) > q.index.Lo {
				panic("promela: processes that run at the start are not the first of their type")
			}
			gone.From, gone.To = num(int64(pid+q.active)), num(q.index.Hi)
		}
		if q.gone && (q.active == 0 || int64(pid+q.active) <= q.index.Hi) {
			body = append(body, forIn("p", gone, func(p model.Expr) []model.Stmt {
				v := &env{q: q, slot: p}
				return append([]model.Stmt{&model.Assign{LHS: sel(v.me(), 0), RHS: q.none()}}, l.nulls(v)...)
			}))
		}
		pid += q.active
	}
	locals, watch := l.watch()
	body = append(append(body, l.beginWatch()...), watch...)
	l.m.Starts = []*model.Rule{{Name: "start", Locals: locals, Body: body}}
}
