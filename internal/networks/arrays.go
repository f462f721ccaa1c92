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

func (fi *fifos) fail(pos model.Pos, format string, args ...any) {
	if fi.err == nil {
		fi.err = fmt.Errorf("%s:%v: %s; this is not covered", fi.m.File, pos, fmt.Sprintf(format, args...))
	}
}

// cell reads a designator of a message or, without pos, of a count: of which channel and queue, and at which position.
func (fi *fifos) cell(e model.Expr) (c *channel, at []model.Expr, pos model.Expr) {
	if c = fi.of[model.Root(e)]; c == nil {
		return nil, nil, nil
	}
	x, of, field := e, c.count, 1
	if i, ok := e.(*model.IndexSel); ok && e.Type() == fi.record {
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
	if r, ok := x.(*model.Ref); !ok || r.Var != of || len(at) != len(fi.dims) {
		return nil, nil, nil
	}
	slices.Reverse(at)
	return c, at, pos
}

// isCount reports whether e is the count of a queue.
func (fi *fifos) isCount(e model.Expr, c *channel, at []model.Expr) bool {
	d, of, pos := fi.cell(e)
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
func (fi *fifos) compares(e model.Expr) (queue model.Expr, room, fine bool) {
	b, ok := e.(*model.Binary)
	if !ok || b.Op <= model.Implies || b.Op >= model.Add {
		return nil, false, fi.fine
	}
	x, y, op := b.ConstLast()
	n, ok := y.(*model.ConstExpr)
	if c, at, pos := fi.cell(x); c != nil && pos == nil && ok {
		room = n.Value == fi.length && (op == model.Lt || op == model.Ne) || n.Value == fi.length-1 && op == model.Le
		fine = n.Value < fi.length-1 || n.Value == fi.length-1 && (n.Value == 0 || op == model.Lt || op == model.Ge)
		if room || n.Value == 0 && (op == model.Gt || op == model.Ne) {
			queue = fi.multiset(c, at)
		}
	}
	return queue, room, fine || !ok
}

// looks returns the queues at whose fronts n looks, or of which it takes a message, itself or in what it calls. A write is no look.
func (fi *fifos) looks(n any) (fronts []model.Expr) {
	written, names := map[model.Expr]bool{}, map[*model.Var]model.Expr{}
	model.Inspect(n, func(n any) {
		if v, e := model.Named(n); v != nil {
			names[v] = model.Substitute(e, names)
		}
		if p, args := model.Called(n); p != nil {
			of := map[*model.Var]model.Expr{}
			for i, f := range p.Params {
				of[f.Var] = args[i]
			}
			for _, e := range fi.looksOf(p) {
				fronts = append(fronts, model.Substitute(e, of))
			}
		}
		x, ok := n.(*model.Assign)
		if w := model.Written(n); w != nil {
			written[w] = true
			if c, at, pos := fi.cell(w); c != nil && pos == nil && ok && plus(x.LHS, x.RHS, -1) {
				fronts = append(fronts, fi.multiset(c, at))
			}
		}
		if e, ok := n.(model.Expr); ok && !written[e] {
			if c, at, pos := fi.cell(e); c != nil && pos != nil && isNumber(pos, 0) {
				fronts = append(fronts, fi.multiset(c, at))
			}
		}
	})
	return lists.Map(fronts, func(e model.Expr) model.Expr { return model.Substitute(e, names) })
}

// looksOf is looks of a procedure, which gets a parameter for the message if there are any.
func (fi *fifos) looksOf(p *model.Proc) []model.Expr {
	fronts, known := fi.looked[p]
	if !known {
		fi.looked[p] = nil
		if fronts = fi.looks(p.Body); len(fronts) > 0 {
			fi.fronts[p] = &model.Var{Name: "front", Kind: model.LocalVar, Type: fi.set.Index}
			model.InspectCalls(p.Body, func(n any) {
				if called, _ := model.Called(n); called == p {
					fi.fail(p.Pos, "%s looks at a message and calls itself", p.Name)
				}
			})
		}
		fi.looked[p] = fronts
	}
	return fronts
}

// multiset is the one in place of a queue.
func (fi *fifos) multiset(c *channel, at []model.Expr) model.Expr {
	x := model.Expr(&model.Ref{Var: fi.net})
	if len(fi.channels) > 1 {
		x = &model.IndexSel{X: x, Index: constant(fi.net.Type.Index, int64(c.number))}
	}
	for _, i := range at {
		x = &model.IndexSel{X: x, Index: fi.expr(i), Pos: i.Position()}
	}
	return x
}

// slot is a place of a multiset.
func slot(set model.Expr, v *model.Var, pos model.Pos) *model.IndexSel {
	return &model.IndexSel{X: set, Index: &model.Ref{Var: v, Pos: pos}, Pos: pos}
}

func (fi *fifos) convert() {
	for _, p := range fi.m.Procs {
		fi.looksOf(p)
	}
	for _, p := range slices.Concat(fi.m.Props, fi.m.Assumptions) {
		p.Expr = fi.expr(p.Expr)
	}
	ran := map[*model.Proc]bool{} // by rules
	for _, r := range fi.m.Rules {
		for _, part := range []any{r.Guard, r.Body} {
			model.InspectCalls(part, func(n any) {
				p, _ := model.Called(n)
				ran[p] = true
			})
		}
		fi.rule(r)
	}
	for _, p := range fi.m.Procs {
		if fi.front = fi.fronts[p]; fi.front != nil {
			p.Params = append(slices.Clip(p.Params), &model.Formal{Var: fi.front})
		}
		fi.body(&p.Body, !ran[p], p.Pos)
	}
	fi.front = nil
	for _, r := range fi.m.Starts {
		fi.body(&r.Body, true, r.Pos)
	}
}

func (fi *fifos) body(body *[]model.Stmt, starting bool, pos model.Pos) {
	fi.starting = starting
	*body = fi.stmts(*body)
	for _, c := range fi.channels {
		if c.taken != c.moved && fi.length > 1 {
			fi.fail(pos, "a message of %s is taken and the others do not move, or they move and none is taken", c.messages.Name)
		}
		c.taken, c.moved = false, false
	}
}

// rule gives a rule that looks at the front of a queue, or takes a message, a parameter that names it.
func (fi *fifos) rule(r *model.Rule) {
	var guard []model.Expr
	fronts := fi.looks(r.Body)
	for _, e := range model.Conjuncts(r.Guard) {
		if _, room, _ := fi.compares(e); room {
			fi.waits = fmt.Sprintf("%v: rule %q", r.Pos, r.Name)
			continue
		}
		fronts, guard = append(fronts, fi.looks(e)...), append(guard, e)
	}
	if fi.front = nil; len(fronts) > 0 {
		known := !slices.ContainsFunc(fronts, func(e model.Expr) bool { return !model.SamePlace(e, fronts[0]) })
		model.Inspect(fronts[0], func(n any) {
			if x, ok := n.(*model.Ref); ok && x.Var != fi.net {
				known = known && slices.ContainsFunc(r.Params, func(p *model.Param) bool { return p.Var == x.Var })
			}
		})
		if !known {
			fi.fail(r.Pos, "rule %q looks at the fronts of several queues, or takes messages of several, or its parameters do not say which queue it is", r.Name)
			return
		}
		fi.front = &model.Var{Name: "front", Kind: model.BoundVar, Type: fi.set.Index, Pos: r.Pos}
		r.Params = append(slices.Clip(r.Params), &model.Param{Var: fi.front, Domain: model.Domain{Type: fi.set.Index}})
		guard = lists.Where(guard, func(e model.Expr) bool { // that the queue is not empty is so
			queue, _, _ := fi.compares(e)
			return queue == nil || !model.SamePlace(queue, fronts[0])
		})
	}
	guard = lists.Map(guard, fi.expr)
	if fi.front != nil {
		guard = append([]model.Expr{&model.Present{X: slot(fronts[0], fi.front, r.Pos), Pos: r.Pos}}, guard...)
	}
	if r.Guard = nil; len(guard) > 0 {
		r.Guard = all(guard)
	}
	fi.body(&r.Body, false, r.Pos)
}

func (fi *fifos) expr(e model.Expr) model.Expr {
	if e == nil {
		return nil
	}
	_, whole := e.(*model.Ref)
	switch c, at, pos := fi.cell(e); {
	case c != nil && pos == nil && !fi.fine:
		fi.fail(e.Position(), "%s may tell that a queue is full: want Count[…] < %d as a conjunct of a guard, or asserted", model.Root(e).Name, fi.length)
		return e
	case c != nil && pos == nil:
		x := newBound(fi.set.Index)
		return &model.Quant{Counts: true, Var: x, Domain: model.Domain{Type: x.Type}, Body: &model.Present{X: slot(fi.multiset(c, at), x, model.Pos{})}, Pos: e.Position()}
	case c != nil && isNumber(pos, 0) && fi.front != nil:
		return slot(fi.multiset(c, at), fi.front, e.Position())
	case c != nil || whole && fi.of[model.Root(e)] != nil:
		fi.fail(e.Position(), "%s is read: want the front of a queue in a rule, %[1]s[…][0], or a count", model.Root(e).Name)
		return e
	}
	outside := fi.fine
	_, _, fi.fine = fi.compares(e)
	e = model.MapExpr(e, fi.expr)
	fi.fine = outside
	fi.finish(e)
	return e
}

// finish refuses another name for what has become a number, and adds which message is looked at to the arguments of a call.
func (fi *fifos) finish(n any) {
	v, x := model.Named(n)
	ref := v != nil && v.Kind == model.RefVar && !model.Designator(x)
	p, args := model.Called(n)
	for i := range args {
		ref = ref || p.Params[i].ByRef && !model.Designator(args[i])
	}
	if ref {
		fi.fail(n.(interface{ Position() model.Pos }).Position(), "the count of a queue has another name")
	}
	if fi.fronts[p] != nil && fi.front == nil {
		fi.fail(p.Pos, "%s takes a message or looks at one, and start states or invariants call it", p.Name)
	} else if fi.fronts[p] != nil {
		args = append(args, &model.Ref{Var: fi.front})
	}
	switch call := n.(type) {
	case *model.Call:
		call.Args = args
	case *model.CallExpr:
		call.Args = args
	}
}

func (fi *fifos) stmts(body []model.Stmt) (out []model.Stmt) {
	var stored *model.Assign // the statement before, if it stores a message
	for _, s := range append(body, nil) {
		x, _ := s.(*model.Assign)
		if stored != nil {
			if c, at, _ := fi.cell(stored.LHS); x != nil && fi.isCount(x.LHS, c, at) && plus(x.LHS, x.RHS, 1) {
				stored = nil
				continue
			}
			fi.fail(stored.Pos, "a message is stored, and the next statement does not raise the count of its queue")
			break
		}
		if s == nil {
			break
		}
		w := model.Written(s)
		room := false
		if a, ok := s.(*model.Assert); ok {
			_, room, _ = fi.compares(a.Cond)
		}
		switch {
		case room:
		case w != nil && fi.of[model.Root(w)] != nil:
			t := fi.assign(x, w)
			if _, ok := t.(*model.Insert); ok {
				stored = x
			}
			if t != nil {
				out = append(out, t)
			}
		default:
			filled, kept := false, false
			_, fi.fine = s.(*model.For)
			t := model.MapStmt(s, fi.expr, func(b []model.Stmt) []model.Stmt {
				c := fi.stmts(b)
				filled, kept = filled || len(b) > 0, kept || len(c) > 0
				return c
			})
			kept = kept || model.Calls(t)
			fi.fine = false
			fi.finish(t)
			if kept || !filled { // loops that only move messages are left out
				out = append(out, t)
			}
		}
	}
	return out
}

// assign converts a statement that writes to a message or a count, w; x is nil if it is no assignment.
func (fi *fifos) assign(x *model.Assign, w model.Expr) model.Stmt {
	c, at, pos := fi.cell(w)
	if x == nil {
		x = &model.Assign{LHS: w, RHS: constant(model.IntType, 0)}
	}
	from, source, of := fi.cell(x.RHS)
	_, fixed := x.RHS.(*model.ConstExpr)
	switch {
	case c != nil && pos == nil && plus(w, x.RHS, -1) && fi.front != nil:
		c.taken = true
		return &model.Remove{X: slot(fi.multiset(c, at), fi.front, x.Pos), Pos: x.Pos}
	case c != nil && pos != nil && fi.isCount(pos, c, at) && !fixed:
		return &model.Insert{Set: fi.multiset(c, at), X: fi.expr(x.RHS), Pos: x.Pos}
	case c != nil && from == c && of != nil && slices.EqualFunc(at, source, model.SamePlace) && (plus(pos, of, 1) || plus(of, pos, -1)):
		c.moved = true
	case fixed && fi.starting && (c == nil || pos != nil || isNumber(x.RHS, 0)):
	case fixed:
		for e := range model.Within(w) {
			if c, _, pos := fi.cell(e); c != nil && pos != nil && !isNumber(pos, 0) {
				return nil
			}
		}
		fallthrough
	default:
		fi.fail(w.Position(), "%s is changed: want a message stored at the position that is the count, the others moved from "+
			"[i+1] to [i], the count less by one, or what holds no message cleared", model.Root(w).Name)
	}
	return nil
}
