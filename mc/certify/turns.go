package certify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/model"
)

// This file checks that the order of turns of loops over what moves makes no
// difference. A rule is run with all that it calls on cells, one for each leaf of the
// state and of locals. A cell holds what is surely known of its value. Ruleset
// parameters are unknown; each turn of a loop over a class has its own value.

// cell is what is known of a leaf.
type cell struct {
	k     int64
	known bool   // it is k
	sym   int    // unknown values with the same number, not 0, are equal
	undef int8   // 0: it is defined; 1: perhaps not; 2: it is not
	left  bool   // it is what the last turn of a loop left: which that is depends on the order
	fresh uint64 // bit w: written for sure in this turn of watcher w
}

func (c cell) join(d cell) cell {
	out := cell{known: c.known && d.known && c.k == d.k, k: c.k, left: c.left || d.left, fresh: c.fresh & d.fresh}
	if c.sym == d.sym {
		out.sym = c.sym
	}
	if out.undef = c.undef; c.undef != d.undef {
		out.undef = 1
	}
	if !out.known {
		out.k = 0
	}
	return out
}

func (c cell) same(d cell) bool {
	return c.undef == d.undef && !c.left && !d.left && (c.undef == 2 || c.undef == 0 && c.known && d.known && c.k == d.k || c.sym != 0 && c.sym == d.sym)
}

type effect struct {
	kind string // set, add+ or add-
	c    cell
}

// turnLog is what one turn does to what others may see.
type turnLog struct {
	reads  map[int]bool
	writes map[int]effect
	ops    map[int][]setOp
	kinds  map[int]bool
	lead   string // reads of what may be undefined that come before all else
	sure   map[int]bool
	after  bool // something may have ended the turn
}

type watcher struct {
	bit  uint64
	top  int // cells from here on are the turn's own
	cond int
	log  *turnLog
}

type binding struct {
	r     *region // of a variable with a place
	value cell    // of a bound variable
	home  string  // of a slot: its multiset
	age   map[int]int
	slot  bool
}

type turns struct {
	*sorts
	props       []int
	groups      []int        // by leaf: leaves that differ in indices only
	maybe       map[int]bool // groups that may be undefined
	dropped     bool
	cells       *memory
	env         map[*model.Var]*binding
	watchers    []*watcher
	calls       []*call
	returned    map[string]bool // by a rule or loop outside of calls
	ages        map[int]int     // by multiset: how often a slot may have got another element
	emptied     map[int]bool
	sets        map[int]*model.Type // met so far, by first cell
	cond        int
	syms        int
	conversions map[string]int // numbers of values in other types
	steps       int
	kinds       map[int]bool // raised
	joint       [][]int      // kinds of errors that the order of turns decides between
	strict      model.Strict // quantifiers that may stop before an operand that errs
}

const (
	kindDisabled = -1
	mostCells    = 1 << 12 // of a region
)

func (x *turns) check() error {
	x.defined()
	for {
		x.dropped, x.steps = false, 0
		for _, r := range x.m.Rules {
			x.begin()
			for _, p := range r.Params {
				x.unknown(p.Var)
			}
			if r.Guard != nil {
				x.eval(r.Guard, false)
			}
			x.returned = make(map[string]bool)
			for _, v := range r.Locals {
				x.env[v] = &binding{r: x.alloc(v.Type)}
			}
			x.block(r.Body)
			x.final(r.Pos)
			if x.err != nil {
				return x.err
			}
		}
		if !x.dropped {
			break
		}
	}
	for _, p := range x.m.Assumptions {
		if x.property(p, p.Params, nil); x.err != nil {
			return x.err
		}
	}
	for _, p := range x.m.Props {
		if p.Expr == nil {
			continue
		}
		x.params(p.Params)
		x.sort(p.Expr)
		x.kinds = make(map[int]bool)
		strict := maps.Clone(x.strict)
		x.property(p, p.Params, nil)
		matters := slices.Contains(x.props, p.Index)
		for k := range x.kinds {
			matters = matters || slices.Contains(x.props, k)
		}
		for _, i := range x.props { // it was perhaps not looked at to its end
			switch x.m.Props[i].Kind {
			case model.RuntimeError, model.Assertion, model.ErrorStmt:
				matters = true
			}
		}
		if x.err != nil && matters {
			return x.err
		}
		if !matters {
			x.strict = strict
		}
		x.err = nil
	}
	return nil
}

// final looks at the state that an instance leads to.
func (x *turns) final(pos model.Pos) {
	for i := range x.m.Leaves() {
		if x.cells.get(i).left {
			x.fail(pos, "what the last turn of a loop leaves in a state depends on the order")
		}
	}
}

// begin forgets all but that a state is reachable.
func (x *turns) begin() {
	n := x.m.Leaves()
	x.cells = &memory{owner: new(byte)}
	for i := range n {
		c := cell{sym: i + 1}
		if x.maybe[x.groups[i]] {
			c.undef = 1
		}
		x.cells.add(c)
	}
	x.syms, x.conversions = n+1, make(map[string]int)
	x.env = make(map[*model.Var]*binding)
	x.ages, x.emptied, x.sets = make(map[int]int), make(map[int]bool), make(map[int]*model.Type)
	x.watchers, x.calls, x.cond = nil, nil, 0
	if x.kinds == nil {
		x.kinds = make(map[int]bool)
	}
}

// defined groups the leaves, and finds the groups that start states leave undefined.
func (x *turns) defined() {
	numbers := make(map[string]int)
	var visit func(t *model.Type, key string, f func(key string, set bool))
	visit = func(t *model.Type, key string, f func(key string, set bool)) {
		switch t.Kind {
		case model.Record:
			for i, q := range t.Fields {
				visit(q.Type, fmt.Sprint(key, ".", i), f)
			}
		case model.Array:
			for range t.Index.Card() {
				visit(t.Elem, key+"[]", f)
			}
		case model.Multiset:
			for range t.Index.Card() {
				f(key+"{}", true)
				visit(t.Elem, key+"{}[]", f)
			}
		default:
			f(key, false)
		}
	}
	var slot []int // by leaf: that of the presence of its element, or -1
	for _, v := range x.m.Vars {
		visit(v.Type, v.Name, func(key string, set bool) {
			if _, ok := numbers[key]; !ok {
				numbers[key] = len(numbers)
			}
			at := len(x.groups)
			x.groups = append(x.groups, numbers[key])
			switch {
			case set:
				slot = append(slot, at)
			case strings.Contains(key, "{}"):
				slot = append(slot, slot[at-1])
			default:
				slot = append(slot, -1)
			}
		})
	}
	x.maybe = make(map[int]bool)
	total := uint64(0)
	for _, r := range x.m.Starts {
		n := uint64(1)
		for _, p := range r.Params {
			n = min(n*min(p.Domain.Size(), 1<<20), 1<<20)
		}
		total += n
	}
	if total > 1<<12 {
		for g := range numbers {
			x.maybe[numbers[g]] = true
		}
		return
	}
	model.Compile(x.m).NewMachine().Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		for i, v := range s {
			if v == model.Undef && (slot[i] < 0 || slot[i] != i && s[slot[i]] != model.Undef) {
				x.maybe[x.groups[i]] = true
			}
		}
		return true
	})
}

func (x *turns) sum() int { x.syms++; return x.syms }

func (x *turns) unknown(v *model.Var) {
	b := &binding{value: cell{sym: x.sum()}}
	if v.Type.Slots {
		b.slot, b.age = true, maps.Clone(x.ages)
	}
	x.env[v] = b
}

func (x *turns) raise(kind int) {
	x.kinds[kind] = true
	for _, w := range x.watchers {
		w.log.kinds[kind] = true
	}
}

func (x *turns) err2(pos model.Pos) { x.raise(x.m.Runtime().Index) }

func (x *turns) moves(t *model.Type) bool { return t.Simple() && (x.of(t) != "" || t.Slots) }

// values returns those of a domain whose turns are to be run one by one.
func (x *turns) values(v *model.Var, d model.Domain) []int64 {
	if !x.moves(v.Type) {
		return nil
	}
	return d.Values() // sorts has seen that the bounds are constant
}

// watched runs turns, each from the state before, and returns what they do and the cells
// after each.
func (x *turns) watched(v *model.Var, values []int64, turn func()) (logs []*turnLog, after []*memory) {
	if len(x.watchers) > 60 {
		x.fail(v.Pos, "loops are nested too deeply")
		return nil, nil
	}
	w := &watcher{bit: 1 << len(x.watchers), top: x.cells.n, cond: x.cond}
	before := x.cells
	ages, emptied := maps.Clone(x.ages), maps.Clone(x.emptied)
	x.watchers = append(x.watchers, w)
	for _, k := range values {
		w.log = &turnLog{reads: make(map[int]bool), writes: make(map[int]effect), ops: make(map[int][]setOp), kinds: make(map[int]bool), sure: make(map[int]bool)}
		x.cells = before.clone()
		x.cells.stale(w.bit)
		x.env[v] = &binding{value: cell{known: true, k: k}, slot: v.Type.Slots, age: maps.Clone(ages)}
		turn()
		logs, after = append(logs, w.log), append(after, x.cells)
		if x.err != nil {
			break
		}
	}
	x.watchers = x.watchers[:len(x.watchers)-1]
	x.later(ages, emptied)
	x.cells = before
	delete(x.env, v)
	return logs, after
}

// quantified runs the operands of a quantifier, which stops, or of a count; stops is the
// quantifier, or the property whose parameters are quantifiers, and nil for a count.
func (x *turns) quantified(v *model.Var, d model.Domain, stops any, pos model.Pos, body func()) {
	x.ends(d)
	values := x.values(v, d)
	if values == nil {
		x.unknown(v)
		x.either(body, func() {})
		return
	}
	logs, _ := x.watched(v, values, body)
	for _, l := range logs {
		if len(l.writes) > 0 {
			x.fail(pos, "a condition writes")
		}
		for _, ops := range l.ops {
			for _, op := range ops {
				if op.kind == "put" || op.kind == "take" || op.kind == "touch" {
					x.fail(pos, "a condition changes a multiset")
				}
			}
		}
	}
	if stops != nil && slices.ContainsFunc(logs, func(l *turnLog) bool { return len(l.kinds) > 0 || l.lead != logs[0].lead }) {
		x.strict[stops] = true
		for _, l := range logs {
			for kind := range l.kinds {
				if kind < 0 { // what is hit depends on how many operands are evaluated
					x.fail(pos, "a turn that is not reached may hit a cover, or fail an assumption")
				}
			}
		}
	}
	x.errors(logs, false, pos)
}

// errors checks that the order of turns does not decide which error there is, or, if
// they stop early, whether there is one.
func (x *turns) errors(logs []*turnLog, stops bool, pos model.Pos) {
	kinds := make(map[int]bool)
	for _, l := range logs {
		maps.Copy(kinds, l.kinds)
		if l.lead != logs[0].lead {
			kinds[x.m.Runtime().Index] = true
		}
	}
	if stops && len(kinds) > 0 {
		x.fail(pos, "a turn that is not reached may err")
		return
	}
	if len(kinds) < 2 {
		return
	}
	in, other := 0, 0
	for k := range kinds {
		if k < 0 {
			other++
		} else if slices.Contains(x.props, k) {
			in++
		}
	}
	if other > 0 || in != 0 && in != len(kinds) {
		x.fail(pos, "the order of turns decides which error there is")
	} else if in > 0 {
		x.joint = append(x.joint, slices.Sorted(maps.Keys(kinds)))
	}
}

// ofValue recognises the elements of a multiset that have a value that is known.
func (x *turns) ofValue(v *model.Var, cond model.Expr) (set region, op setOp, ok bool) {
	b, ok := cond.(*model.Binary)
	if !ok || b.Op != model.And || !v.Type.Slots {
		return
	}
	p, ok1 := b.X.(*model.Present)
	eq, ok2 := b.Y.(*model.Binary)
	if !ok1 || !ok2 || eq.Op != model.Eq {
		return set, op, false
	}
	slot := func(e model.Expr) bool {
		for {
			c, ok := e.(*model.Convert)
			if !ok || c.To.Kind != model.Union {
				break
			}
			e = c.X
		}
		i, ok := e.(*model.IndexSel)
		if !ok || i.X.Type() != p.X.X.Type() {
			return false
		}
		r, ok := i.Index.(*model.Ref)
		return ok && r.Var == v && model.Text(i.X) == model.Text(p.X.X)
	}
	item, value := eq.X, eq.Y
	if !slot(item) {
		item, value = eq.Y, eq.X
	}
	if !slot(item) {
		return set, op, false
	}
	simple := true
	model.Inspect(value, func(n any) {
		switch n := n.(type) {
		case *model.Convert:
		case *model.Ref:
			simple = simple && n.Var != v
		default:
			simple = false
		}
	})
	if !simple {
		return set, op, false
	}
	c := x.eval(value, x.m.Dialect.TestsUndefined(value))
	if !c.known || c.undef != 0 {
		return set, op, false
	}
	if !x.m.Dialect.TestsUndefined(item) {
		x.err2(eq.Pos)
	}
	set = x.region(p.X.X)
	if set.name == "" {
		return set, op, false
	}
	// As the elements have it.
	key := c.k
	if t, u := value.Type(), set.t.Elem; t != u {
		k, ok := t.Convert(u, key)
		if !ok {
			return set, op, false
		}
		key = k
	}
	return set, setOp{kind: "look", key: key, only: true}, true
}

// exchange reports whether what two turns do to a multiset may change places.
func exchange(a, b setOp) bool {
	if a.kind > b.kind {
		a, b = b, a
	}
	apart := a.only && b.only && a.key != b.key
	switch a.kind + " " + b.kind {
	case "look look", "look peek", "look slot", "peek peek", "peek slot", "slot slot", "put put", "peek put":
		return true
	case "change change", "change peek", "change slot": // cells tell slots apart
		return true
	case "look put", "look take", "take take":
		return apart
	}
	return false
}

// loop runs a for statement.
func (x *turns) loop(s *model.For) (ended bool) {
	x.ends(s.Domain)
	values := x.values(s.Var, s.Domain)
	if values == nil {
		x.unknown(s.Var)
		x.again(func() bool { x.unknown(s.Var); return x.block(s.Body) })
		return false
	}
	if len(s.Body) == 1 { // multisetremovepred of a value
		if c, ok := s.Body[0].(*model.If); ok && len(c.Clauses) == 1 && len(c.Else) == 0 && len(c.Clauses[0].Body) == 1 {
			if r, ok := c.Clauses[0].Body[0].(*model.Remove); ok {
				x.env[s.Var] = &binding{value: cell{sym: x.sum()}, slot: true, age: maps.Clone(x.ages)}
				if set, op, ok := x.ofValue(s.Var, c.Clauses[0].Cond); ok && model.Text(r.X.X) == model.Text(c.Clauses[0].Cond.(*model.Binary).X.(*model.Present).X.X) {
					op.kind = "take"
					x.operate(set, op)
					x.lost(set)
					return false
				}
			}
		}
	}
	outer, own := x.returned, make(map[string]bool)
	ends := 0
	if len(x.calls) > 0 {
		ends = len(x.calls[len(x.calls)-1].ends)
	}
	x.returned = own
	logs, after := x.watched(s.Var, values, func() { x.block(s.Body) })
	x.returned = outer
	if x.err != nil {
		return false
	}
	if len(own) > 0 {
		for _, l := range logs {
			if len(l.writes) > 0 {
				x.fail(s.Pos, "a loop that returns writes")
			}
			for _, ops := range l.ops {
				for _, op := range ops {
					if op.kind == "put" || op.kind == "take" || op.kind == "touch" {
						x.fail(s.Pos, "a loop that returns changes a multiset")
					}
				}
			}
		}
		if len(own) > 1 {
			x.fail(s.Pos, "a loop returns several values")
		}
		x.errors(logs, true, s.Pos)
		maps.Copy(outer, own)
		if len(x.calls) > 0 {
			c := x.calls[len(x.calls)-1]
			c.ends = c.ends[:ends+1] // all are alike
		}
		for _, w := range x.watchers {
			w.log.after = true
		}
		return false
	}
	x.errors(logs, false, s.Pos)
	reads, writes := make(map[int][]int), make(map[int][]int)
	for t, l := range logs {
		for a := range l.reads {
			reads[a] = append(reads[a], t)
		}
		for a := range l.writes {
			writes[a] = append(writes[a], t)
		}
	}
	for a, ts := range writes {
		for _, t := range reads[a] {
			if len(ts) > 1 || ts[0] != t {
				x.fail(s.Pos, "a turn reads what another one writes, cell %d", a)
				return false
			}
		}
		first := logs[ts[0]].writes[a]
		out := after[ts[0]].get(a)
		left := false
		for _, t := range ts[1:] {
			e := logs[t].writes[a]
			switch {
			case e.kind != first.kind:
				x.fail(s.Pos, "two turns write a cell in two ways")
				return false
			case e.kind == "set" && !e.c.same(first.c):
				left = true
			}
			out = out.join(after[t].get(a))
		}
		if len(ts) > 1 && first.kind == "set" && !left {
			// Some turns may not have written it.
			out.known, out.sym = false, 0
			if out.undef != 0 {
				out.undef = 1
			}
		}
		out.left = out.left || left
		if first.kind != "set" {
			out = cell{sym: x.sum()}
		}
		out.fresh &= x.cells.get(a).fresh
		x.cells.set(a, out)
	}
	for t, l := range logs {
		for a, ops := range l.ops {
			if slices.ContainsFunc(ops, func(op setOp) bool { return op.kind == "put" || op.kind == "take" }) {
				x.forget(region{at: []int{a}, t: x.sets[a]})
			}
		}
		for _, m := range logs[t+1:] {
			for a, ops := range l.ops {
				for _, o := range ops {
					for _, p := range m.ops[a] {
						if !exchange(o, p) {
							x.fail(s.Pos, "turns change a multiset: %s and %s", o.kind, p.kind)
							return false
						}
					}
				}
			}
		}
	}
	return false
}

// property runs an expression that all, or some, values of parameters are to satisfy.
func (x *turns) property(p *model.Property, rest []*model.Param, bound []*model.Param) {
	if bound == nil {
		x.begin()
		x.returned = make(map[string]bool)
	}
	if len(rest) == 0 {
		x.eval(p.Expr, false)
		return
	}
	var stops any
	if p.Kind != model.Liveness {
		stops = p
	}
	x.quantified(rest[0].Var, rest[0].Domain, stops, p.Pos, func() {
		x.property(p, rest[1:], append(slices.Clip(bound), rest[0]))
	})
}
