package mc

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

// region is a place: the cells at which it may start.
type region struct {
	at   []int
	t    *model.Type
	name string // regions of one name, not "", are the same
	sets []int  // multisets of which it is in an element, by first cell
	slot bool   // that of a slot that is known
}

// setOp is what a turn does to a multiset.
type setOp struct {
	kind string // look, put, take or touch: an element is read or written by name
	key  int64  // the value of the elements concerned
	only bool   // there is a key
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

type call struct {
	p     *model.Proc
	out   int // cells of the result
	ends  []*memory
	depth int // watchers outside
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

// region resolves a place, or the result of a call.
func (x *turns) region(e model.Expr) region {
	switch e := e.(type) {
	case *model.Ref:
		if e.Var.Kind == model.StateVar {
			return region{at: []int{e.Var.Offset}, t: e.Var.Type, name: fmt.Sprint("@", e.Var.Offset)}
		}
		b := x.env[e.Var]
		if b == nil || b.r == nil {
			x.fail(e.Pos, "%s is no place", e.Var.Name)
			return *x.alloc(e.Var.Type)
		}
		for _, set := range b.r.sets {
			if x.ages[set] > b.age[set] {
				x.fail(e.Pos, "`%s` may name the slot of another element", e.Var.Name)
			}
		}
		return *b.r
	case *model.FieldSel:
		r := x.region(e.X)
		f := r.t.Fields[e.Field]
		r.at = slices.Clone(r.at)
		for i := range r.at {
			r.at[i] += f.Offset
		}
		r.t = f.Type
		r.name += fmt.Sprint("+", f.Offset)
		return r
	case *model.IndexSel:
		if e.X.Type().Kind == model.Multiset {
			return x.element(e, true)
		}
		r := x.region(e.X)
		t := r.t
		i := x.eval(e.Index, false)
		if lo, hi, ok := bounds(e.Index); t.Index.Numeric() && (!ok || lo < t.Index.Lo || hi > t.Index.Hi) && !(i.known && t.Index.Lo <= i.k && i.k <= t.Index.Hi) {
			x.err2(e.Pos)
		}
		from, to := t.Index.Lo, t.Index.Hi
		switch {
		case i.known && from <= i.k && i.k <= to:
			from, to = i.k, i.k
			r.name += fmt.Sprint("[", i.k, "]")
		case i.sym != 0 && r.name != "":
			r.name += fmt.Sprint("[#", i.sym, "]")
		default:
			r.name = ""
		}
		var at []int
		for _, a := range r.at {
			for v := from; v <= to; v++ {
				at = append(at, a+int(v-t.Index.Lo)*t.Elem.Leaves)
			}
		}
		if len(at) > mostCells {
			x.fail(e.Pos, "`%s` may be too many places", model.Text(e))
			at = at[:1]
		}
		r.at, r.t = at, t.Elem
		return r
	case *model.CallExpr:
		return x.call(e.Proc, e.Args, e.Pos)
	case *model.Let:
		x.name(e.Var, e.X, e.Pos)
		return x.region(e.Body)
	}
	x.fail(e.Position(), "`%s` is no place", model.Text(e))
	return *x.alloc(e.Type())
}

// element resolves an element of a multiset. Its slot must be one of that multiset.
func (x *turns) element(e *model.IndexSel, there bool) region {
	set := x.region(e.X)
	v, ok := e.Index.(*model.Ref)
	if !ok || x.env[v.Var] == nil || !x.env[v.Var].slot {
		x.fail(e.Pos, "a slot that is no variable over slots")
		return set
	}
	b := x.env[v.Var]
	if b.home == "" {
		if b.home = set.name; b.home == "" {
			b.home = "once"
		}
	} else if set.name == "" || b.home != set.name {
		x.fail(e.Pos, "a slot of several multisets %q %q", b.home, set.name)
	}
	var at, sets []int
	stride := 1 + set.t.Elem.Leaves
	from, to := int64(0), set.t.Index.Hi
	if b.value.known {
		from, to = b.value.k, b.value.k
	}
	for _, a := range set.at {
		if x.ages[a] > b.age[a] {
			x.fail(e.Pos, "a slot may have got another element")
		}
		sets = append(sets, a)
		for s := from; s <= to; s++ {
			at = append(at, a+int(s)*stride+1)
		}
	}
	if there {
		x.err2(e.Pos) // it may be free
		if b.value.known {
			x.operate(set, setOp{kind: "slot"})
		} else {
			x.operate(set, setOp{kind: "look"})
		}
	}
	if len(at) > mostCells {
		x.fail(e.Pos, "`%s` may be too many places", model.Text(e))
		at = at[:1]
	}
	return region{at: at, t: set.t.Elem, name: fmt.Sprint(set.name, "{", b.value.sym, b.value.k, "}"), sets: append(sets, set.sets...), slot: b.value.known && len(set.sets) == 0}
}

func (x *turns) alloc(t *model.Type) *region {
	at := x.cells.n
	for range t.Leaves {
		x.cells.add(cell{undef: 2, fresh: ^uint64(0)})
	}
	return &region{at: []int{at}, t: t, name: fmt.Sprint("@", at)}
}

// operate notes what happens to a multiset.
func (x *turns) operate(r region, op setOp) {
	for _, a := range r.at {
		if r.t != nil {
			x.sets[a] = r.t
		}
	}
	for _, w := range x.watchers {
		for _, a := range r.at {
			if a < w.top {
				w.log.ops[a] = append(w.log.ops[a], op)
			}
		}
	}
}

// through notes that an element of a multiset is read or written.
func (x *turns) through(r region, write bool) {
	kind := "peek"
	switch {
	case r.slot:
		kind = "slot" // cells tell slots apart
	case write:
		kind = "touch"
	}
	for _, w := range x.watchers {
		for _, a := range r.sets {
			if a < w.top {
				w.log.ops[a] = append(w.log.ops[a], setOp{kind: kind})
			}
		}
	}
}

func (x *turns) readCell(a int) cell {
	c := x.cells.get(a)
	for _, w := range x.watchers {
		if a < w.top && c.fresh&w.bit == 0 {
			w.log.reads[a] = true
		}
	}
	return c
}

// load reads a leaf.
func (x *turns) load(r region, raw bool) cell {
	var out cell
	x.through(r, false)
	for i, a := range r.at {
		c := x.readCell(a)
		if i == 0 {
			out = c
		} else {
			out = out.join(c)
		}
	}
	out.fresh = 0
	if len(r.at) > 1 {
		out.sym, out.known = 0, false
	}
	if out.left && !raw {
		x.fail(model.Pos{}, "what the last turn of a loop left is read")
	}
	if out.undef == 0 || raw {
		return out
	}
	x.kinds[x.m.Runtime().Index] = true
	for _, w := range x.watchers {
		one := len(r.at) == 1 && r.at[0] < w.top && x.cells.get(r.at[0]).fresh&w.bit == 0 && out.undef == 1
		switch {
		case one && w.log.sure[r.at[0]]:
		case one && x.cond == w.cond && !w.log.after && len(w.log.kinds) == 0:
			w.log.sure[r.at[0]] = true
			w.log.lead += fmt.Sprint(r.at[0], " ")
		default:
			w.log.kinds[x.m.Runtime().Index] = true
		}
	}
	out.undef = 0
	return out
}

// writeCell writes a leaf; sure says that it is the one written.
func (x *turns) writeCell(a int, c cell, sure bool, kind string) {
	if a < len(x.groups) && c.undef != 0 && !x.maybe[x.groups[a]] {
		x.maybe[x.groups[a]], x.dropped = true, true
	}
	c.fresh = 0
	for _, w := range x.watchers {
		if a >= w.top {
			c.fresh |= w.bit
			continue
		}
		e := effect{kind, c}
		old, ok := w.log.writes[a]
		if ok && !(sure && kind == "set" && x.cond == w.cond) && (old.kind != e.kind || kind == "set" && !old.c.same(c)) {
			e = effect{kind: "set"}
		}
		w.log.writes[a] = e
	}
	if !sure {
		joined := x.cells.get(a).join(c)
		joined.sym = 0
		x.cells.set(a, joined)
		return
	}
	if kind == "set" {
		for _, w := range x.watchers {
			c.fresh |= w.bit
		}
	}
	x.cells.set(a, c)
}

func (x *turns) store(r region, i int, c cell) {
	for _, a := range r.at {
		x.writeCell(a+i, c, len(r.at) == 1, "set")
	}
}

// copy copies a whole.
func (x *turns) copy(dst, src region) {
	x.through(src, false)
	each(src.t, 0, func(t *model.Type, off int) {
		for _, a := range src.at {
			x.operate(region{at: []int{a + off}, t: t}, setOp{kind: "look"})
		}
	})
	var vs []cell
	for i := range dst.t.Leaves {
		var out cell
		for j, a := range src.at {
			c := x.readCell(a + i)
			if j == 0 {
				out = c
			} else {
				out = out.join(c)
				out.sym, out.known = 0, false
			}
		}
		vs = append(vs, out)
	}
	x.write(dst)
	for i, c := range vs {
		x.store(dst, i, c)
	}
}

// write notes that a place is written that may be part of an element or hold multisets.
func (x *turns) write(r region) {
	x.through(r, true)
	x.overwrite(r, r.t)
}

func (x *turns) overwrite(r region, t *model.Type) {
	each(t, 0, func(t *model.Type, off int) {
		for _, a := range r.at {
			s := region{at: []int{a + off}, t: t}
			x.operate(s, setOp{kind: "take"})
			x.operate(s, setOp{kind: "put"})
			x.lost(s)
			x.got(s)
		}
	})
}

// each calls f for the multisets in t, and where they begin.
func each(t *model.Type, off int, f func(t *model.Type, off int)) {
	switch t.Kind {
	case model.Array:
		for i := range int(t.Index.Card()) {
			each(t.Elem, off+i*t.Elem.Leaves, f)
		}
	case model.Record:
		for _, q := range t.Fields {
			each(q.Type, off+q.Offset, f)
		}
	case model.Multiset:
		f(t, off)
		for i := range int(t.Index.Card()) {
			each(t.Elem, off+i*(1+t.Elem.Leaves)+1, f)
		}
	}
}

func (x *turns) lost(set region) {
	for _, a := range set.at {
		x.emptied[a] = true
	}
}

func (x *turns) got(set region) {
	for _, a := range set.at {
		if x.emptied[a] {
			x.ages[a]++
		}
	}
}

// fix gives a region a name: that of a variable stands for one place.
func (x *turns) fix(r *region) {
	if r.name == "" {
		r.name = fmt.Sprint("?", x.sum())
	}
}

// name is Let and Alias.
func (x *turns) name(v *model.Var, e model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		r := x.region(e)
		x.fix(&r)
		x.env[v] = &binding{r: &r, age: maps.Clone(x.ages)}
		return
	}
	x.env[v] = &binding{r: x.alloc(v.Type)}
	x.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: e, Pos: pos})
}

func (x *turns) assign(s *model.Assign) {
	dst := x.region(s.LHS)
	if !dst.t.Simple() {
		x.copy(dst, x.region(s.RHS))
		return
	}
	if b, ok := s.RHS.(*model.Binary); ok && (b.Op == model.Add || b.Op == model.Sub) && len(dst.sets) == 0 && dst.name != "" {
		if c, ok := b.Y.(*model.ConstExpr); ok && isPlace(b.X) {
			outer, left := false, false
			for _, a := range dst.at {
				left = left || x.cells.get(a).left
				for _, w := range x.watchers {
					outer = outer || a < w.top && x.cells.get(a).fresh&w.bit == 0
				}
			}
			if outer && x.region(b.X).name == dst.name {
				x.err2(s.Pos)
				kind := "add+"
				if (c.Value < 0) != (b.Op == model.Sub) {
					kind = "add-"
				}
				if left {
					x.fail(s.Pos, "what the last turn of a loop left is read")
				}
				for _, a := range dst.at {
					x.writeCell(a, cell{sym: x.sum()}, len(dst.at) == 1, kind)
				}
				return
			}
		}
	}
	c := x.eval(s.RHS, s.CopiesUndefined(x.m.Dialect))
	x.inside(s.RHS, c, dst.t)
	x.through(dst, true)
	x.store(dst, 0, c)
}

// inside notes the error of a value outside of a range.
func (x *turns) inside(e model.Expr, c cell, t *model.Type) {
	if t.Kind != model.Range {
		return
	}
	if lo, hi, ok := bounds(e); ok && t.Lo <= lo && hi <= t.Hi || c.known && t.Lo <= c.k && c.k <= t.Hi {
		return
	}
	x.err2(e.Position())
}

func isPlace(e model.Expr) bool {
	switch e.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return true
	}
	return false
}

// bounds returns the least and the greatest value that a number may have, by its type.
func bounds(e model.Expr) (lo, hi int64, ok bool) {
	const far = 1 << 40
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, e.Value, -far < e.Value && e.Value < far
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		t := e.Type()
		return t.Lo, t.Hi, t.Kind == model.Range && -far < t.Lo && t.Hi < far
	case *model.Count:
		return 0, 1 << 20, e.Domain.From == nil && e.Domain.Type.Card() <= 1<<20
	case *model.Binary:
		a, b, ok1 := bounds(e.X)
		c, d, ok2 := bounds(e.Y)
		if !ok1 || !ok2 || a < -1<<30 || b > 1<<30 || c < -1<<30 || d > 1<<30 {
			return 0, 0, false
		}
		switch e.Op {
		case model.Add:
			return a + c, b + d, true
		case model.Sub:
			return a - d, b - c, true
		}
	}
	return 0, 0, false
}

// converted returns the number of an unknown value in another type.
func (x *turns) converted(sym int, t *model.Type) int {
	if sym == 0 {
		return 0
	}
	key := fmt.Sprintf("%d %p", sym, t)
	if x.conversions[key] == 0 {
		x.conversions[key] = x.sum()
	}
	return x.conversions[key]
}

func truth(b bool) cell {
	if b {
		return cell{known: true, k: 1}
	}
	return cell{known: true}
}

// eval evaluates an expression of simple type.
func (x *turns) eval(e model.Expr, raw bool) cell {
	if x.steps++; x.steps > 1<<23 {
		x.fail(e.Position(), "there is too much to run")
	}
	if x.err != nil {
		return cell{}
	}
	d := x.m.Dialect
	switch e := e.(type) {
	case *model.ConstExpr:
		return cell{known: true, k: e.Value}
	case *model.Ref:
		if b := x.env[e.Var]; b != nil && b.r == nil {
			return b.value
		}
		return x.load(x.region(e), raw)
	case *model.FieldSel, *model.IndexSel:
		return x.load(x.region(e), raw)
	case *model.Unary:
		c := x.eval(e.X, false)
		if e.Op == model.Not && c.known {
			return truth(c.k == 0)
		}
		if _, _, ok := bounds(e.X); !ok && e.Op != model.Not {
			x.err2(e.Pos)
		}
		return cell{}
	case *model.Binary:
		return x.binaryOp(e)
	case *model.Cond:
		c := x.eval(e.If, false)
		if c.known {
			if c.k != 0 {
				return x.eval(e.Then, raw)
			}
			return x.eval(e.Else, raw)
		}
		var out []cell
		x.either(func() { out = append(out, x.eval(e.Then, raw)) }, func() { out = append(out, x.eval(e.Else, raw)) })
		if len(out) < 2 {
			return cell{}
		}
		return out[0].join(out[1])
	case *model.Quant:
		x.quantified(e.Var, e.Domain, true, e.Pos, func() { x.eval(e.Body, false) })
		return cell{}
	case *model.Count:
		if set, op, ok := x.ofValue(e.Var, e.Body); ok {
			x.operate(set, op)
			return cell{}
		}
		x.quantified(e.Var, e.Domain, false, e.Pos, func() { x.eval(e.Body, false) })
		return cell{}
	case *model.IsUndefined:
		c := x.load(x.region(e.X), true)
		if c.left && c.undef == 1 {
			x.fail(e.Pos, "what the last turn of a loop left is read")
		}
		switch c.undef {
		case 0:
			return truth(false)
		case 2:
			return truth(true)
		}
		return cell{}
	case *model.Present:
		r := x.element(e.X, false)
		b := x.env[e.X.Index.(*model.Ref).Var]
		if b != nil && b.value.known { // in a turn of its own
			for _, a := range r.at {
				x.readCell(a - 1)
			}
			x.through(r, false)
			x.operate(region{at: r.sets[:1]}, setOp{kind: "slot"})
		} else {
			x.operate(x.region(e.X.X), setOp{kind: "look"})
		}
		return cell{}
	case *model.Convert:
		c := x.eval(e.X, raw)
		if e.To != e.X.Type() && e.To.Kind != model.Union {
			x.err2(e.Pos)
		}
		if c.known {
			if k, ok := e.X.Type().Convert(e.To, c.k); ok {
				c.k = k
			} else {
				c.known = false
			}
		} else {
			c.sym = x.converted(c.sym, e.To)
		}
		return c
	case *model.IsMember:
		c := x.eval(e.X, d.TestsUndefined(e.X))
		if c.known && c.undef == 0 {
			_, ok := e.X.Type().Convert(e.T, c.k)
			return truth(ok)
		}
		if c.left {
			x.fail(e.Pos, "what the last turn of a loop left is read")
		}
		return cell{}
	case *model.CallExpr:
		return x.load(x.call(e.Proc, e.Args, e.Pos), raw)
	case *model.Let:
		x.name(e.Var, e.X, e.Pos)
		return x.eval(e.Body, raw)
	}
	x.fail(e.Position(), "an unknown expression")
	return cell{}
}

func (x *turns) binaryOp(e *model.Binary) cell {
	d := x.m.Dialect
	if e.Op <= model.Implies {
		a := x.eval(e.X, false)
		ends := e.Op == model.Or // the left operand that decides
		if a.known && (a.k != 0) == ends {
			return truth(e.Op != model.And)
		}
		if a.known {
			return x.eval(e.Y, false)
		}
		var b cell
		x.either(func() { b = x.eval(e.Y, false) }, func() {})
		if b.known && (b.k != 0) == (e.Op != model.And) {
			return truth(b.k != 0)
		}
		return cell{}
	}
	raw := func(y model.Expr) bool { return e.Op <= model.Ne && d.TestsUndefined(y) }
	a, b := x.eval(e.X, raw(e.X)), x.eval(e.Y, raw(e.Y))
	if a.left || b.left {
		x.fail(e.Pos, "what the last turn of a loop left is read")
	}
	if e.Op <= model.Ne {
		if a.known && b.known && a.undef == 0 && b.undef == 0 {
			return truth((a.k == b.k) == (e.Op == model.Eq))
		}
		return cell{}
	}
	if e.Op >= model.Add {
		_, _, ok := bounds(e)
		if k, c := e.Y.(*model.ConstExpr); c && k.Value != 0 && (e.Op == model.Div || e.Op == model.Mod) {
			_, _, ok = bounds(e.X)
		}
		if !ok {
			x.err2(e.Pos)
		}
	}
	return cell{}
}

// either runs one of two things.
func (x *turns) either(f, g func()) {
	before, ages, emptied := x.cells.clone(), maps.Clone(x.ages), maps.Clone(x.emptied)
	x.cond++
	f()
	c1, a1, e1 := x.cells, x.ages, x.emptied
	x.cells, x.ages, x.emptied = before, ages, emptied
	g()
	x.cond--
	x.cells = c1.join(x.cells)
	x.later(a1, e1)
}

func (x *turns) later(ages map[int]int, emptied map[int]bool) {
	for a, n := range ages {
		x.ages[a] = max(x.ages[a], n)
	}
	maps.Copy(x.emptied, emptied)
}

// values returns those of a domain whose turns are to be run one by one.
func (x *turns) values(v *model.Var, d model.Domain) []int64 {
	if !x.moves(v.Type) {
		return nil
	}
	return d.Values() // sorts has seen that the bounds are constant
}

func (x *turns) ends(d model.Domain) {
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			x.eval(e, false)
		}
	}
	if k, ok := d.By.(*model.ConstExpr); d.By != nil && (!ok || k.Value == 0) {
		x.err2(d.By.Position())
	}
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

// quantified runs the operands of a quantifier, which stops, or of a count.
func (x *turns) quantified(v *model.Var, d model.Domain, stops bool, pos model.Pos, body func()) {
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
	x.errors(logs, stops, pos)
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
	case "look look", "look peek", "peek peek", "peek slot", "slot slot", "put put", "peek put":
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

// again runs something any number of times.
func (x *turns) again(body func() bool) {
	x.cond++
	defer func() { x.cond-- }()
	for range 12 {
		before, ages, emptied := x.cells.clone(), maps.Clone(x.ages), maps.Clone(x.emptied)
		if body() {
			x.cells = before
			x.later(ages, emptied)
			return
		}
		x.cells.join(before)
		x.later(ages, emptied)
		more := false
		x.cells.differ(before, func(a int) { more = true })
		if !more || x.err != nil {
			return
		}
	}
	x.fail(model.Pos{}, "a loop is not run to its end")
}

// call runs a procedure.
func (x *turns) call(p *model.Proc, args []model.Expr, pos model.Pos) region {
	out := region{t: p.Result}
	if p.Result != nil {
		out = *x.alloc(p.Result)
	}
	for _, c := range x.calls {
		if c.p == p {
			x.fail(pos, "%s is recursive", p.Name)
		}
	}
	if x.err != nil {
		return out
	}
	binds := make([]*binding, len(args))
	for i, f := range p.Params {
		switch {
		case f.ByRef:
			r := x.region(args[i])
			x.fix(&r)
			binds[i] = &binding{r: &r, age: maps.Clone(x.ages)}
		case f.Var.Type.Simple():
			c := x.eval(args[i], f.CopiesUndefined(args[i], x.m.Dialect))
			x.inside(args[i], c, f.Var.Type)
			r := x.alloc(f.Var.Type)
			x.store(*r, 0, c)
			binds[i] = &binding{r: r}
		default:
			src := x.region(args[i])
			r := x.alloc(f.Var.Type)
			x.copy(*r, src)
			binds[i] = &binding{r: r}
		}
	}
	for i, f := range p.Params {
		x.env[f.Var] = binds[i]
	}
	for _, v := range p.Locals {
		x.env[v] = &binding{r: x.alloc(v.Type)}
	}
	top := x.cells.n
	c := &call{p: p, depth: len(x.watchers)}
	outer := x.returned
	x.returned = make(map[string]bool)
	if p.Result != nil {
		c.out = out.at[0]
		for i := range p.Result.Leaves {
			x.cells.set(c.out+i, cell{undef: 2, fresh: ^uint64(0)})
		}
	}
	x.calls = append(x.calls, c)
	ended := x.block(p.Body)
	x.calls = x.calls[:len(x.calls)-1]
	x.returned = outer
	if p.Result != nil && !ended {
		x.err2(pos)
	}
	if ended && len(c.ends) > 0 {
		x.cells, c.ends = c.ends[0], c.ends[1:]
	}
	for _, e := range c.ends {
		x.cells.join(e)
	}
	x.cells.cut(top)
	for _, f := range p.Params {
		delete(x.env, f.Var)
	}
	for _, v := range p.Locals {
		delete(x.env, v)
	}
	return out
}

func (x *turns) block(body []model.Stmt) (ended bool) {
	for _, s := range body {
		if x.err != nil {
			return true
		}
		top := x.cells.n
		if x.stmt(s) {
			return true
		}
		x.cells.cut(top)
	}
	return false
}

// oneOf runs one of several bodies.
func (x *turns) oneOf(bodies ...func() bool) (ended bool) {
	before, ages, emptied := x.cells, maps.Clone(x.ages), maps.Clone(x.emptied)
	var out *memory
	ended = true
	x.cond++
	allAges, allEmptied := maps.Clone(ages), maps.Clone(emptied)
	for _, b := range bodies {
		x.cells, x.ages, x.emptied = before.clone(), maps.Clone(ages), maps.Clone(emptied)
		e := b()
		if e {
			for _, w := range x.watchers {
				w.log.after = true
			}
		} else if ended {
			out, ended = x.cells, false
		} else {
			out.join(x.cells)
		}
		for a, n := range x.ages {
			allAges[a] = max(allAges[a], n)
		}
		maps.Copy(allEmptied, x.emptied)
	}
	x.cond--
	x.ages, x.emptied = allAges, allEmptied
	if !ended {
		x.cells = out
	}
	return ended
}

func (x *turns) branch(cs []model.Clause, els []model.Stmt) bool {
	if len(cs) == 0 {
		return x.block(els)
	}
	c := x.eval(cs[0].Cond, false)
	if c.known {
		if c.k != 0 {
			return x.block(cs[0].Body)
		}
		return x.branch(cs[1:], els)
	}
	return x.oneOf(func() bool { return x.block(cs[0].Body) }, func() bool { return x.branch(cs[1:], els) })
}

func (x *turns) stmt(s model.Stmt) (ended bool) {
	d := x.m.Dialect
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s)
	case *model.If:
		return x.branch(s.Clauses, s.Else)
	case *model.Switch:
		if x.eval(s.X, d.TestsUndefined(s.X)).left {
			x.fail(s.Pos, "what the last turn of a loop left is read")
		}
		var bodies []func() bool
		x.cond++
		for _, c := range s.Cases {
			for _, v := range c.Values {
				x.eval(v, false)
			}
			bodies = append(bodies, func() bool { return x.block(c.Body) })
		}
		x.cond--
		return x.oneOf(append(bodies, func() bool { return x.block(s.Else) })...)
	case *model.For:
		return x.loop(s)
	case *model.While:
		x.err2(s.Pos)
		x.again(func() bool { x.eval(s.Cond, false); return x.block(s.Body) })
	case *model.Undefine:
		r := x.region(s.X)
		x.write(r)
		for i := range r.t.Leaves {
			x.store(r, i, cell{undef: 2})
		}
	case *model.Clear:
		r := x.region(s.X)
		x.write(r)
		for i, v := range least(nil, r.t) {
			c := cell{known: true, k: v}
			if v == model.Undef {
				c = cell{undef: 2}
			}
			x.store(r, i, c)
		}
	case *model.Alias:
		x.name(s.Var, s.X, s.Pos)
		return x.block(s.Body)
	case *model.Call:
		x.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		return x.leave(s)
	case *model.Insert:
		set := x.region(s.Set)
		op := setOp{kind: "put"}
		var maybe func(i int) bool
		if t := set.t.Elem; t.Simple() {
			c := x.eval(s.X, s.CopiesUndefined(d))
			op.key, op.only = c.k, c.known && c.undef == 0
			if c.left {
				x.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
			}
			maybe = func(int) bool { return c.undef != 0 }
		} else {
			src := x.region(s.X)
			tmp := *x.alloc(t)
			x.copy(tmp, src)
			for i := range t.Leaves {
				if x.cells.get(tmp.at[0] + i).left {
					x.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
				}
			}
			maybe = func(i int) bool { return x.cells.get(tmp.at[0]+i).undef != 0 }
		}
		x.err2(s.Pos)
		for _, a := range set.at {
			for i := range set.t.Elem.Leaves {
				if leaf := a + 1 + i; leaf < len(x.groups) && maybe(i) && !x.maybe[x.groups[leaf]] {
					x.maybe[x.groups[leaf]], x.dropped = true, true
				}
			}
		}
		x.forget(set)
		x.operate(set, op)
		x.got(set)
	case *model.Remove:
		r := x.element(s.X, true)
		set := x.region(s.X.X)
		op := setOp{kind: "take"}
		if b := x.env[s.X.Index.(*model.Ref).Var]; b != nil && b.value.known {
			for _, a := range r.at {
				for i := range 1 + r.t.Leaves {
					x.writeCell(a-1+i, cell{undef: 1}, false, "set")
				}
			}
			x.operate(set, setOp{kind: "slot"})
		} else {
			x.operate(set, op)
		}
		x.forget(set)
		x.lost(set)
	case *model.Assume:
		x.eval(s.Cond, false)
		x.raise(kindDisabled)
	case *model.CoverStmt:
		x.eval(s.Cond, false)
		x.raise(-2 - s.Prop)
	case *model.Assert:
		if s.Cond != nil {
			if c := x.eval(s.Cond, false); c.known && c.k != 0 {
				return false
			}
		}
		x.raise(s.Prop)
		return s.Cond == nil
	case *model.Put:
		if s.X != nil {
			if !s.X.Type().Simple() {
				x.region(s.X)
			} else {
				x.eval(s.X, isPlace(s.X))
			}
		}
	default:
		x.fail(s.Position(), "an unknown statement")
	}
	return false
}

// forget makes the elements of a multiset unknown: which slot one is in cannot be told.
func (x *turns) forget(set region) {
	for _, a := range set.at {
		for i := range set.t.Leaves {
			c := x.cells.get(a + i)
			c.known, c.sym, c.k = false, 0, 0
			if a+i >= len(x.groups) || x.maybe[x.groups[a+i]] {
				c.undef = 1
			}
			x.cells.set(a+i, c)
		}
	}
}

func least(dst []int64, t *model.Type) []int64 {
	switch t.Kind {
	case model.Array:
		for range t.Index.Card() {
			dst = least(dst, t.Elem)
		}
	case model.Record:
		for _, f := range t.Fields {
			dst = least(dst, f.Type)
		}
	case model.Multiset:
		for range t.Leaves {
			dst = append(dst, model.Undef)
		}
	default:
		dst = append(dst, t.Lo)
	}
	return dst
}

// leave is a return statement.
func (x *turns) leave(s *model.Return) bool {
	name := ""
	if s.X != nil {
		if c, ok := s.X.(*model.ConstExpr); ok {
			name = fmt.Sprint(c.Value)
		} else {
			name = fmt.Sprintf("%p", s)
			if x.looping() {
				x.fail(s.Pos, "a loop returns what is not written out")
			}
		}
	}
	if len(x.calls) == 0 {
		x.returned[name] = true
		x.final(s.Pos)
		return true
	}
	c := x.calls[len(x.calls)-1]
	if s.X != nil {
		out := region{at: []int{c.out}, t: c.p.Result}
		if out.t.Simple() {
			v := x.eval(s.X, s.CopiesUndefined(x.m.Dialect))
			if s.ChecksRange(x.m.Dialect) {
				x.inside(s.X, v, out.t)
			}
			v.fresh = ^uint64(0)
			x.cells.set(c.out, v) // what loops return is compared by its name
		} else {
			x.copy(out, x.region(s.X))
		}
	}
	x.returned[name] = true
	c.ends = append(c.ends, x.cells.clone())
	return true
}

// looping reports whether a return statement is in a loop over a class of the procedure
// it leaves.
func (x *turns) looping() bool {
	depth := 0
	if n := len(x.calls); n > 0 {
		depth = x.calls[n-1].depth
	}
	return len(x.watchers) > depth
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
	x.quantified(rest[0].Var, rest[0].Domain, p.Kind != model.Liveness, p.Pos, func() {
		x.property(p, rest[1:], append(slices.Clip(bound), rest[0]))
	})
}
