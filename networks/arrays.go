package networks

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file reads a network that is arrays of FIFO queues, and makes multisets of them. A queue is a row of messages, of which
// the last index is the position, and a count; both may be in a record. What is read:
//
//	Queue[to][Count[to]] := message; Count[to] := Count[to] + 1    a message is sent
//	Queue[to][0]                                                   the message at the front
//	Queue[to][i] := Queue[to][i+1]                                 ... is taken, together with
//	Count[to] := Count[to] - 1
//	Count[to] < LENGTH                                             there is room: as a conjunct of a guard, or asserted
//
// Counts may also be compared, unless this may tell that a queue is full, and cells that hold no message cleared. All else is
// refused; conform.go compares runs.

// channel is a variable with queues.
type channel struct {
	messages, count *model.Var // the same one if queues are records
	fields          []int      // then: of the messages and of the count
	number          int
	taken, moved    bool // in the body at hand
}

type fifos struct {
	m        *model.Model
	channels []*channel
	of       map[*model.Var]*channel
	dims     []*model.Type // without that of channels
	length   int64         // of a queue
	net      *model.Var

	set, record *model.Type
	waits       string                     // a rule that waits for room
	fronts      map[*model.Proc]*model.Var // parameter: the message that is looked at
	looked      map[*model.Proc][]model.Expr
	front       *model.Var // of the body at hand
	starting    bool       // only start states run it
	fine        bool       // counts may be read here
	err         error
	compared    string // states, by conforms
}

// rows returns what a type of queues is: the types of its indices, that of messages, the length, and which fields are the
// messages and the count, if it has records of them; no type of messages if it is none.
func rows(t *model.Type) (dims []*model.Type, record *model.Type, length int64, fields []int) {
	for t.Kind == model.Array && t.Elem.Kind != model.Record || t.Kind == model.Array && kindField(t.Elem) == "" {
		dims, t = append(dims, t.Index), t.Elem
	}
	if t.Kind == model.Record && len(t.Fields) == 2 {
		if i := slices.IndexFunc(t.Fields, func(f model.Field) bool { return f.Type.Kind == model.Array }); i >= 0 && t.Fields[1-i].Type.Kind == model.Range {
			fields, t = []int{i, 1 - i}, t.Fields[i].Type
		}
	}
	if t.Kind != model.Array || t.Index.Kind != model.Range || t.Index.Lo != 0 || t.Elem.Kind != model.Record || kindField(t.Elem) == "" {
		return nil, nil, 0, nil
	}
	return dims, t.Elem, t.Index.Card(), fields
}

// counter returns the variable that counts the messages of v: one is stored at the position that is its value.
func counter(m *model.Model, v *model.Var, dims []*model.Type) (out *model.Var) {
	look := func(n any) {
		x, ok := model.Written(n).(*model.IndexSel)
		if !ok || model.Root(x) != v {
			return
		}
		if c := model.Root(x.Index); c != nil {
			if of, t := elements(c.Type); c.Kind == model.StateVar && t.Kind == model.Range && slices.EqualFunc(of, dims, (*model.Type).Same) {
				out = c
			}
		}
	}
	var all []model.Stmt
	for _, r := range m.Rules {
		all = append(all, r.Body...)
	}
	model.InspectCalls(all, look) // each procedure once
	return out
}

// newFifos makes multisets of variables with queues, in place.
func newFifos(m *model.Model, vars []*model.Var) (*fifos, error) {
	q := &fifos{m: m, of: map[*model.Var]*channel{}, fronts: map[*model.Proc]*model.Var{}, looked: map[*model.Proc][]model.Expr{}}
	for i, v := range vars {
		dims, record, length, fields := rows(v.Type)
		c := &channel{messages: v, count: v, fields: fields, number: i}
		if fields == nil {
			c.count = counter(m, v, dims)
		}
		refuse := func(what string) error {
			return fmt.Errorf("%s:%v: --network %s: %s", m.File, v.Pos, v.Name, what)
		}
		switch {
		case c.count == nil:
			return nil, refuse("nothing counts its messages: want a statement " + v.Name + "[…][count[…]] := message")
		case q.of[v] != nil || q.of[c.count] != nil:
			return nil, refuse("it shares a variable with another one")
		case i > 0 && (record != q.record || length != q.length || !slices.EqualFunc(dims, q.dims, (*model.Type).Same)):
			return nil, refuse("want messages, indices and lengths like those of " + vars[0].Name)
		}
		q.dims, q.record, q.length, q.channels = dims, record, length, append(q.channels, c)
		q.of[v], q.of[c.count] = c, c
	}
	slots := &model.Type{Kind: model.Scalarset, Slots: true, Hi: q.length - 1, Class: len(m.Scalarsets), Pos: vars[0].Pos, Leaves: 1}
	m.Scalarsets = append(slices.Clip(m.Scalarsets), slots)
	q.set = &model.Type{Kind: model.Multiset, Index: slots, Elem: q.record} // rewriter.layout has leaves
	q.net = &model.Var{Name: vars[0].Name, Type: q.set, Pos: vars[0].Pos}
	dims := q.dims
	if len(vars) > 1 {
		names := lists.Map(vars, func(v *model.Var) string { return v.Name })
		which := &model.Type{Kind: model.Enum, Members: names, Hi: int64(len(vars) - 1), Leaves: 1}
		dims = append([]*model.Type{which}, dims...)
	}
	for _, d := range slices.Backward(dims) {
		q.net.Type = &model.Type{Kind: model.Array, Index: d, Elem: q.net.Type}
	}
	q.convert()
	m.Vars = append(lists.Where(m.Vars, func(v *model.Var) bool { return q.of[v] == nil }), q.net)
	return q, q.err
}

func (q *fifos) fail(pos model.Pos, format string, args ...any) {
	if q.err == nil {
		q.err = fmt.Errorf("%s:%v: %s; this is not covered", q.m.File, pos, fmt.Sprintf(format, args...))
	}
}

// cell reads a designator of a message or, without pos, of a count: of which channel and queue, and at which position.
func (q *fifos) cell(e model.Expr) (c *channel, at []model.Expr, pos model.Expr) {
	if c = q.of[model.Root(e)]; c == nil {
		return nil, nil, nil
	}
	x, of, field := e, c.count, 1
	if i, ok := e.(*model.IndexSel); ok && e.Type() == q.record {
		x, of, field, pos = i.X, c.messages, 0, i.Index
	}
	if f, ok := x.(*model.FieldSel); ok && c.fields != nil && f.Field == c.fields[field] {
		x = f.X
	} else if c.fields != nil {
		return nil, nil, nil
	}
	for i, ok := x.(*model.IndexSel); ok; i, ok = x.(*model.IndexSel) {
		at, x = append(at, i.Index), i.X
	}
	if r, ok := x.(*model.Ref); !ok || r.Var != of || len(at) != len(q.dims) {
		return nil, nil, nil
	}
	slices.Reverse(at)
	return c, at, pos
}

// isCount reports whether e is the count of a queue.
func (q *fifos) isCount(e model.Expr, c *channel, at []model.Expr) bool {
	d, of, pos := q.cell(e)
	return d != nil && d == c && pos == nil && slices.EqualFunc(at, of, model.SamePlace)
}

func isNumber(e model.Expr, n int64) bool {
	c, ok := e.(*model.ConstExpr)
	return ok && c.Value == n
}

// plus reports whether e is x + n.
func plus(x, e model.Expr, n int64) bool {
	b, ok := e.(*model.Binary)
	return ok && model.SamePlace(x, b.X) && (b.Op == model.Add && isNumber(b.Y, n) || b.Op == model.Sub && isNumber(b.Y, -n))
}

// compares reads a condition that says of a queue that there is room, or that it is not empty; nil: it says something else.
// Counts in it are fine unless they may tell a full queue from others.
func (q *fifos) compares(e model.Expr) (queue model.Expr, room, fine bool) {
	b, ok := e.(*model.Binary)
	if !ok || b.Op <= model.Implies || b.Op >= model.Add {
		return nil, false, q.fine
	}
	x, y, op := b.ConstLast()
	n, ok := y.(*model.ConstExpr)
	if c, at, pos := q.cell(x); c != nil && pos == nil && ok {
		room = n.Value == q.length && (op == model.Lt || op == model.Ne) || n.Value == q.length-1 && op == model.Le
		fine = n.Value < q.length-1 || n.Value == q.length-1 && (n.Value == 0 || op == model.Lt || op == model.Ge)
		if room || n.Value == 0 && (op == model.Gt || op == model.Ne) {
			queue = q.multiset(c, at)
		}
	}
	return queue, room, fine || !ok
}

// looks returns the queues at whose fronts n looks, or of which it takes a message, itself or in what it calls. A write is no look.
func (q *fifos) looks(n any) (fronts []model.Expr) {
	written, names := map[model.Expr]bool{}, map[*model.Var]model.Expr{}
	model.Inspect(n, func(n any) {
		if v, e := model.Named(n); v != nil {
			names[v] = given(e, names)
		}
		if p, args := model.Called(n); p != nil {
			of := map[*model.Var]model.Expr{}
			for i, f := range p.Params {
				of[f.Var] = args[i]
			}
			for _, e := range q.looksOf(p) {
				fronts = append(fronts, given(e, of))
			}
		}
		x, ok := n.(*model.Assign)
		if w := model.Written(n); w != nil {
			written[w] = true
			if c, at, pos := q.cell(w); c != nil && pos == nil && ok && plus(x.LHS, x.RHS, -1) {
				fronts = append(fronts, q.multiset(c, at))
			}
		}
		if e, ok := n.(model.Expr); ok && !written[e] {
			if c, at, pos := q.cell(e); c != nil && pos != nil && isNumber(pos, 0) {
				fronts = append(fronts, q.multiset(c, at))
			}
		}
	})
	return lists.Map(fronts, func(e model.Expr) model.Expr { return given(e, names) })
}

// looksOf is looks of a procedure, which gets a parameter for the message if there are any.
func (q *fifos) looksOf(p *model.Proc) []model.Expr {
	fronts, known := q.looked[p]
	if !known {
		q.looked[p] = nil
		if fronts = q.looks(p.Body); len(fronts) > 0 {
			q.fronts[p] = &model.Var{Name: "front", Kind: model.LocalVar, Type: q.set.Index}
			model.InspectCalls(p.Body, func(n any) {
				if called, _ := model.Called(n); called == p {
					q.fail(p.Pos, "%s looks at a message and calls itself", p.Name)
				}
			})
		}
		q.looked[p] = fronts
	}
	return fronts
}

// given is e with what variables stand for in their place.
func given(e model.Expr, of map[*model.Var]model.Expr) model.Expr {
	if x, ok := e.(*model.Ref); ok && of[x.Var] != nil {
		return of[x.Var]
	}
	return model.MapExpr(e, func(e model.Expr) model.Expr { return given(e, of) })
}

// multiset is the one in place of a queue.
func (q *fifos) multiset(c *channel, at []model.Expr) model.Expr {
	x := model.Expr(&model.Ref{Var: q.net})
	if len(q.channels) > 1 {
		x = &model.IndexSel{X: x, Index: constant(q.net.Type.Index, int64(c.number))}
	}
	for _, i := range at {
		x = &model.IndexSel{X: x, Index: q.expr(i), Pos: i.Position()}
	}
	return x
}

// slot is a place of a multiset.
func slot(set model.Expr, v *model.Var, pos model.Pos) *model.IndexSel {
	return &model.IndexSel{X: set, Index: &model.Ref{Var: v, Pos: pos}, Pos: pos}
}

func (q *fifos) convert() {
	for _, p := range q.m.Procs {
		q.looksOf(p)
	}
	for _, p := range slices.Concat(q.m.Props, q.m.Assumptions) {
		p.Expr = q.expr(p.Expr)
	}
	ran := map[*model.Proc]bool{} // by rules
	for _, r := range q.m.Rules {
		for _, part := range []any{r.Guard, r.Body} {
			model.InspectCalls(part, func(n any) {
				p, _ := model.Called(n)
				ran[p] = true
			})
		}
		q.rule(r)
	}
	for _, p := range q.m.Procs {
		if q.front = q.fronts[p]; q.front != nil {
			p.Params = append(slices.Clip(p.Params), &model.Formal{Var: q.front})
		}
		q.body(&p.Body, !ran[p], p.Pos)
	}
	q.front = nil
	for _, r := range q.m.Starts {
		q.body(&r.Body, true, r.Pos)
	}
}

func (q *fifos) body(body *[]model.Stmt, starting bool, pos model.Pos) {
	q.starting = starting
	*body = q.stmts(*body)
	for _, c := range q.channels {
		if c.taken != c.moved && q.length > 1 {
			q.fail(pos, "a message of %s is taken and the others do not move, or they move and none is taken", c.messages.Name)
		}
		c.taken, c.moved = false, false
	}
}

// rule gives a rule that looks at the front of a queue, or takes a message, a parameter that names it.
func (q *fifos) rule(r *model.Rule) {
	var guard []model.Expr
	fronts := q.looks(r.Body)
	for _, e := range model.Conjuncts(r.Guard) {
		if _, room, _ := q.compares(e); room {
			q.waits = fmt.Sprintf("%v: rule %q", r.Pos, r.Name)
			continue
		}
		fronts, guard = append(fronts, q.looks(e)...), append(guard, e)
	}
	if q.front = nil; len(fronts) > 0 {
		known := !slices.ContainsFunc(fronts, func(e model.Expr) bool { return !model.SamePlace(e, fronts[0]) })
		model.Inspect(fronts[0], func(n any) {
			if x, ok := n.(*model.Ref); ok && x.Var != q.net {
				known = known && slices.ContainsFunc(r.Params, func(p *model.Param) bool { return p.Var == x.Var })
			}
		})
		if !known {
			q.fail(r.Pos, "rule %q looks at the fronts of several queues, or takes messages of several, or its parameters do not say which queue it is", r.Name)
			return
		}
		q.front = &model.Var{Name: "front", Kind: model.BoundVar, Type: q.set.Index, Pos: r.Pos}
		r.Params = append(slices.Clip(r.Params), &model.Param{Var: q.front, Domain: model.Domain{Type: q.set.Index}})
		guard = lists.Where(guard, func(e model.Expr) bool { // that the queue is not empty is so
			queue, _, _ := q.compares(e)
			return queue == nil || !model.SamePlace(queue, fronts[0])
		})
	}
	guard = lists.Map(guard, q.expr)
	if q.front != nil {
		guard = append([]model.Expr{&model.Present{X: slot(fronts[0], q.front, r.Pos), Pos: r.Pos}}, guard...)
	}
	if r.Guard = nil; len(guard) > 0 {
		r.Guard = all(guard)
	}
	q.body(&r.Body, false, r.Pos)
}

func (q *fifos) expr(e model.Expr) model.Expr {
	if e == nil {
		return nil
	}
	_, whole := e.(*model.Ref)
	switch c, at, pos := q.cell(e); {
	case c != nil && pos == nil && !q.fine:
		q.fail(e.Position(), "%s may tell that a queue is full: want Count[…] < %d as a conjunct of a guard, or asserted", model.Root(e).Name, q.length)
		return e
	case c != nil && pos == nil:
		x := newBound(q.set.Index)
		return &model.Count{Var: x, Domain: model.Domain{Type: x.Type}, Body: &model.Present{X: slot(q.multiset(c, at), x, model.Pos{})}, Pos: e.Position()}
	case c != nil && isNumber(pos, 0) && q.front != nil:
		return slot(q.multiset(c, at), q.front, e.Position())
	case c != nil || whole && q.of[model.Root(e)] != nil:
		q.fail(e.Position(), "%s is read: want the front of a queue in a rule, %[1]s[…][0], or a count", model.Root(e).Name)
		return e
	}
	outside := q.fine
	_, _, q.fine = q.compares(e)
	e = model.MapExpr(e, q.expr)
	q.fine = outside
	q.finish(e)
	return e
}

// finish refuses another name for what has become a number, and adds which message is looked at to the arguments of a call.
func (q *fifos) finish(n any) {
	v, x := model.Named(n)
	ref := v != nil && v.Kind == model.RefVar && !model.Designator(x)
	p, args := model.Called(n)
	for i := range args {
		ref = ref || p.Params[i].ByRef && !model.Designator(args[i])
	}
	if ref {
		q.fail(n.(interface{ Position() model.Pos }).Position(), "the count of a queue has another name")
	}
	if q.fronts[p] != nil && q.front == nil {
		q.fail(p.Pos, "%s takes a message or looks at one, and start states or invariants call it", p.Name)
	} else if q.fronts[p] != nil {
		args = append(args, &model.Ref{Var: q.front})
	}
	switch call := n.(type) {
	case *model.Call:
		call.Args = args
	case *model.CallExpr:
		call.Args = args
	}
}

func (q *fifos) stmts(body []model.Stmt) (out []model.Stmt) {
	var stored *model.Assign // the statement before, if it stores a message
	for _, s := range append(body, nil) {
		x, _ := s.(*model.Assign)
		if stored != nil {
			if c, at, _ := q.cell(stored.LHS); x != nil && q.isCount(x.LHS, c, at) && plus(x.LHS, x.RHS, 1) {
				stored = nil
				continue
			}
			q.fail(stored.Pos, "a message is stored, and the next statement does not raise the count of its queue")
			break
		}
		if s == nil {
			break
		}
		w := model.Written(s)
		room := false
		if a, ok := s.(*model.Assert); ok {
			_, room, _ = q.compares(a.Cond)
		}
		switch {
		case room:
		case w != nil && q.of[model.Root(w)] != nil:
			t := q.assign(x, w)
			if _, ok := t.(*model.Insert); ok {
				stored = x
			}
			if t != nil {
				out = append(out, t)
			}
		default:
			filled, kept := false, false
			_, q.fine = s.(*model.For)
			t := model.MapStmt(s, q.expr, func(b []model.Stmt) []model.Stmt {
				c := q.stmts(b)
				filled, kept = filled || len(b) > 0, kept || len(c) > 0
				return c
			})
			model.Inspect(t, func(n any) {
				p, _ := model.Called(n)
				kept = kept || p != nil
			})
			q.fine = false
			q.finish(t)
			if kept || !filled { // loops that only move messages are left out
				out = append(out, t)
			}
		}
	}
	return out
}

// assign converts a statement that writes to a message or a count, w; x is nil if it is no assignment.
func (q *fifos) assign(x *model.Assign, w model.Expr) model.Stmt {
	c, at, pos := q.cell(w)
	if x == nil {
		x = &model.Assign{LHS: w, RHS: constant(model.IntType, 0)}
	}
	from, source, of := q.cell(x.RHS)
	_, fixed := x.RHS.(*model.ConstExpr)
	switch {
	case c != nil && pos == nil && plus(w, x.RHS, -1) && q.front != nil:
		c.taken = true
		return &model.Remove{X: slot(q.multiset(c, at), q.front, x.Pos), Pos: x.Pos}
	case c != nil && pos != nil && q.isCount(pos, c, at) && !fixed:
		return &model.Insert{Set: q.multiset(c, at), X: q.expr(x.RHS), Pos: x.Pos}
	case c != nil && from == c && of != nil && slices.EqualFunc(at, source, model.SamePlace) && (plus(pos, of, 1) || plus(of, pos, -1)):
		c.moved = true
	case fixed && q.starting && (c == nil || pos != nil || isNumber(x.RHS, 0)):
	case fixed:
		for e := range model.Within(w) {
			if c, _, pos := q.cell(e); c != nil && pos != nil && !isNumber(pos, 0) {
				return nil
			}
		}
		fallthrough
	default:
		q.fail(w.Position(), "%s is changed: want a message stored at the position that is the count, the others moved from "+
			"[i+1] to [i], the count less by one, or what holds no message cleared", model.Root(w).Name)
	}
	return nil
}
