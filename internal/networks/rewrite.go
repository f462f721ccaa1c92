package networks

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file replaces the network of a model. A message is put into a record of its own, beside its place in its queue; a
// rule that chooses a message is enabled only for one at the front (place 0). To put a message into the multiset counts
// those in its queue; to take it out moves those behind it. Which type is in which network is a variable that no rule
// changes. All else of the model stays what it is.

// Names of the properties that rewriting adds.
const (
	consumedName = "each message can be consumed"
	capacityName = "queues have room"
	mappingName  = "messages are what the options say"
)

// rewriter rewrites a model, in place: it belongs to nobody else.
type rewriter struct {
	*spec
	m         *model.Model
	assigned  *model.Var    // array: the network of a type
	element   *model.Type   // of the multiset: record of message and place; the message itself without queues
	local     *[]*model.Var // of the rule or procedure at hand
	chosen    []*model.Var  // parameters of a rule: slots of the network of which the guard was not rewritten yet
	mapping   int           // property
	err       error
	variant   variant
	insertsAt []model.Pos
	roomAt    []model.Pos // assertions that count messages of the network
	starting  bool        // start states send messages
	looking   []string    // rules that see messages behind others
}

// variant leaves steps out, for tests.
type variant struct {
	merged  bool // sources share a queue
	unmoved bool // messages behind one that is taken stay where they are
	waiting bool // a witness excludes each assignment that has its waiting messages in the same queues
	counted bool // overflow is deadlock
	blind   bool // no type of messages is known at first; this is sound
}

// rewrite replaces the network of a model by queues, with the types of messages assigned to networks: of has one for
// each value of their enum; nil: they share one.
func rewrite(m *model.Model, in Spec, of []int, v variant) (*rewriter, error) {
	s, err := resolve(m, in)
	if err != nil {
		return nil, err
	}
	if of == nil {
		of = make([]int, len(s.kindType().Members))
	}
	networks := slices.Max(of) + 1
	if s.fifos != nil { // room for all queues that share a multiset
		n := int64(s.Capacity * networks)
		for _, x := range []where{s.source, s.dest} {
			if x.field >= 0 && s.Order != own {
				n *= s.record.Fields[x.field].Type.Card()
			}
		}
		s.set.Index.Hi = n - 1
	}
	w := &rewriter{spec: s, m: m, element: s.record, variant: v}
	if s.vc >= 0 {
		if t := s.record.Fields[s.vc].Type; int64(networks) > t.Card() {
			return nil, fmt.Errorf("%s:%v: --vc %s: it has values for %d networks, not %d",
				m.File, s.record.Pos, in.VC, t.Card(), networks)
		}
	}
	if err := w.refuse(); err != nil {
		return nil, err
	}
	slots := s.set.Index.Card()
	if s.fifo() {
		for _, d := range s.dims {
			slots *= d.Card()
		}
		place := &model.Type{Kind: model.Range, Lo: 0, Hi: slots, Leaves: 1}
		w.element = &model.Type{Kind: model.Record, Leaves: s.record.Leaves + 1, Fields: []model.Field{
			{Name: "message", Type: s.record}, {Name: "place", Type: place, Offset: s.record.Leaves}}}
		s.set.Elem = w.element
	}
	queue := &model.Type{Kind: model.Range, Lo: 0, Hi: int64(networks - 1), Leaves: 1}
	w.assigned = &model.Var{Name: "network", Type: &model.Type{Kind: model.Array, Index: s.kindType(), Elem: queue}}
	for variable(m, w.assigned.Name) != nil {
		w.assigned.Name += "_"
	}
	m.Vars = append(slices.Clip(m.Vars), w.assigned)
	w.layout()
	w.mapping = len(m.Props)
	m.Props = append(slices.Clip(m.Props), &model.Property{Name: mappingName, Kind: model.Assertion, Index: w.mapping})
	for _, p := range m.Props[:w.mapping] {
		p.Expr = w.expr(p.Expr)
	}
	for _, p := range m.Assumptions {
		p.Expr = w.expr(p.Expr)
	}
	for _, p := range m.Procs {
		w.in(&p.Locals, &p.Body)
	}
	for _, r := range m.Starts {
		w.in(&r.Locals, &r.Body)
		model.InspectCalls(r.Body, func(n any) {
			if x, ok := n.(*model.Insert); ok && x.Set.Type() == s.set {
				w.starting = true
			}
		})
		r.Body = slices.Concat(lists.Make(len(of), func(k int) model.Stmt {
			return &model.Assign{LHS: w.networkOf(constant(s.kindType(), int64(k))), RHS: number(of[k])}
		}), r.Body)
	}
	for _, r := range m.Rules {
		w.rule(r)
	}
	w.properties()
	return w, w.err
}

// layout computes the places of variables anew.
func (re *rewriter) layout() {
	re.set.Leaves = int(re.set.Index.Card()) * (1 + re.set.Elem.Leaves)
	var size func(t *model.Type)
	size = func(t *model.Type) {
		if t.Kind == model.Array {
			size(t.Elem)
			t.Leaves = int(t.Index.Card()) * t.Elem.Leaves
		}
	}
	size(re.net.Type)
	size(re.assigned.Type)
	at := 0
	for _, v := range re.m.Vars {
		v.Offset = at
		at += v.Type.Leaves
	}
}

// refuse says what is not covered: rules that change messages in the network, or take several at once.
func (re *rewriter) refuse() (err error) {
	fail := func(pos model.Pos, format string, args ...any) {
		if err == nil {
			err = fmt.Errorf("%s:%v: %s; this is not covered", re.m.File, pos, fmt.Sprintf(format, args...))
		}
	}
	inside := map[*model.Var]bool{re.net: true} // variables that may stand for the network or a message in it
	bodies := func(yield func(n any)) {
		for _, p := range re.m.Procs {
			model.Inspect(p.Body, yield)
		}
		for _, r := range slices.Concat(re.m.Starts, re.m.Rules) {
			model.Inspect(r.Guard, yield)
			model.Inspect(r.Body, yield)
		}
	}
	for n := 0; n < len(inside); {
		n = len(inside)
		bodies(func(x any) {
			if v, e := model.Named(x); v != nil && v.Kind == model.RefVar && inside[model.Root(e)] {
				inside[v] = true
			}
			if p, args := model.Called(x); p != nil {
				for i, f := range p.Params {
					if f.ByRef && inside[model.Root(args[i])] {
						inside[f.Var] = true
					}
				}
			}
		})
	}
	for _, r := range re.m.Rules {
		slots := re.slots(r)
		model.Inspect(r.Body, func(n any) {
			if x, ok := n.(*model.Return); ok && re.Full == "wait" {
				fail(x.Pos, "rule %q returns before its end, with --full wait", r.Name)
			}
		})
		model.InspectCalls(r.Body, func(n any) {
			switch x := n.(type) {
			case *model.Insert:
				if x.Set.Type() == re.set && model.Calls(x) {
					fail(x.Pos, "rule %q calls a function to say what it sends where", r.Name)
				}
				return
			case *model.Remove:
				if x.X.X.Type() != re.set {
					return
				}
				if ref, ok := x.X.Index.(*model.Ref); !ok || !slices.Contains(slots, ref.Var) && re.fifos == nil {
					fail(x.Pos, "rule %q takes messages by a condition, not one that it has chosen", r.Name)
				}
				return
			}
			if x := model.Written(n); x != nil && inside[model.Root(x)] {
				fail(x.Position(), "rule %q changes messages in the network %s", r.Name, re.net.Name)
			}
		})
	}
	return err
}

// slots are the parameters of a rule that choose messages.
func (re *rewriter) slots(r *model.Rule) (out []*model.Var) {
	for _, q := range r.Params {
		if q.Var.Type == re.set.Index {
			out = append(out, q.Var)
		}
	}
	return out
}

func constant(t *model.Type, v int64) model.Expr { return &model.ConstExpr{Value: v, T: t} }
func number(v int) model.Expr                    { return constant(model.IntType, int64(v)) }
func binary(op model.Op, x, y model.Expr) model.Expr {
	return &model.Binary{Op: op, X: x, Y: y}
}

func all(xs []model.Expr) model.Expr {
	out := xs[0]
	for _, x := range xs[1:] {
		out = binary(model.And, out, x)
	}
	return out
}

// field selects a field of a message, given the element of the multiset that it is.
func (re *rewriter) field(e model.Expr, i int) model.Expr {
	if re.fifo() {
		e = &model.FieldSel{X: e}
	}
	return &model.FieldSel{X: e, Field: i}
}

func (re *rewriter) place(e model.Expr) model.Expr { return &model.FieldSel{X: e, Field: 1} }

func (re *rewriter) networkOf(kind model.Expr) model.Expr {
	return &model.IndexSel{X: &model.Ref{Var: re.assigned}, Index: kind}
}

// sourceOf is who sends a message.
func (re *rewriter) sourceOf(e model.Expr) model.Expr {
	t := re.record.Fields[re.source.field].Type
	x := re.field(e, re.source.field)
	for k, who := range lists.InOrder(re.by) {
		part, v := t.Part(who)
		y := constant(part, v)
		if part != t {
			y = &model.Convert{X: y, To: t}
		}
		x = &model.Cond{If: binary(model.Eq, re.field(e, re.kind), constant(re.kindType(), k)), Then: y, Else: x}
	}
	return x
}

// key is what messages of a queue share, but for the indices of the network.
func (re *rewriter) key(e model.Expr) []model.Expr {
	all := []model.Expr{re.networkOf(re.field(e, re.kind))}
	if re.Order == "network" || re.Order == own {
		return all
	}
	if re.dest.field >= 0 {
		all = append(all, re.field(e, re.dest.field))
	}
	if re.Order == "pair" && re.source.field >= 0 && !re.variant.merged {
		all = append(all, re.sourceOf(e))
	}
	return all
}

// same says that two elements are in one queue, if they are in one multiset, or in any if the whole network shares queues.
func (re *rewriter) same(x, y model.Expr) model.Expr {
	a, b := re.key(x), re.key(y)
	return all(lists.Make(len(a), func(i int) model.Expr { return binary(model.Eq, a[i], b[i]) }))
}

// slot rewrites the designator of an element, which stays the element.
func (re *rewriter) slot(x *model.IndexSel) *model.IndexSel {
	return &model.IndexSel{X: re.expr(x.X), Index: re.expr(x.Index), Pos: x.Pos}
}

func (re *rewriter) expr(e model.Expr) model.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *model.Present:
		y := &model.Present{X: re.slot(x.X), Pos: x.Pos}
		if ref, ok := x.X.Index.(*model.Ref); ok && re.fifo() && slices.Contains(re.chosen, ref.Var) {
			re.chosen = lists.Where(re.chosen, func(v *model.Var) bool { return v != ref.Var })
			return binary(model.And, y, binary(model.Eq, re.place(re.slot(x.X)), number(0)))
		}
		return y
	case *model.IndexSel:
		y := re.slot(x)
		if y.X.Type() == re.set && re.fifo() {
			return &model.FieldSel{X: y, Pos: x.Pos}
		}
		return y
	}
	return model.MapExpr(e, re.expr)
}

// in rewrites a body.
func (re *rewriter) in(locals *[]*model.Var, body *[]model.Stmt) {
	re.local = locals
	*body = re.stmts(*body)
}

// rule rewrites a rule: of messages that it chooses, it sees one at the front.
func (re *rewriter) rule(r *model.Rule) {
	looks := func(n any) {
		c, ok := n.(*model.Quant)
		if ok && c.Counts && c.Var.Type == re.set.Index && c.Pos != (model.Pos{}) && !slices.Contains(re.roomAt, c.Pos) {
			re.looking = lists.With(re.looking, fmt.Sprintf("%q (line %d)", r.Name, c.Pos.Line))
		}
	}
	model.InspectCalls(r.Guard, looks)
	model.InspectCalls(r.Body, looks)
	re.chosen = re.slots(r)
	r.Guard = re.expr(r.Guard)
	if len(re.chosen) > 0 && re.fifo() && re.err == nil {
		re.err = fmt.Errorf("%s:%v: rule %q does not say in which multiset of %s the message is; this is not covered",
			re.m.File, r.Pos, r.Name, re.net.Name)
	}
	re.chosen = nil
	re.in(&r.Locals, &r.Body)
	if re.Full == "wait" { // the step is disabled, unlike one that an assumption about states excludes
		r.Body = append(r.Body, &model.Assume{Cond: re.room()})
	}
}

func (re *rewriter) stmts(body []model.Stmt) (out []model.Stmt) {
	for _, s := range body {
		switch x := s.(type) {
		case *model.Insert:
			if x.Set.Type() == re.set {
				out = append(out, re.insert(x)...)
				continue
			}
		case *model.Remove:
			if x.X.X.Type() == re.set {
				out = append(out, re.remove(x)...)
				continue
			}
		case *model.Assert:
			if x.Cond != nil {
				model.Inspect(x.Cond, func(n any) {
					if c, ok := n.(*model.Quant); ok && c.Counts && c.Var.Type == re.set.Index {
						re.roomAt = append(re.roomAt, x.Pos, c.Pos)
					}
				})
			}
		}
		out = append(out, model.MapStmt(s, re.expr, re.stmts))
	}
	return out
}

// newLocal returns a new variable of the rule or procedure at hand.
func (re *rewriter) newLocal(t *model.Type) *model.Var {
	v := &model.Var{Name: fmt.Sprintf("message%d", len(*re.local)+1), Kind: model.LocalVar, Type: t}
	*re.local = append(*re.local, v)
	return v
}

func newBound(t *model.Type) *model.Var {
	return &model.Var{Name: "x", Kind: model.BoundVar, Type: t}
}

// insert puts a message behind those of its queue.
func (re *rewriter) insert(s *model.Insert) (out []model.Stmt) {
	re.insertsAt = append(re.insertsAt, s.Pos)
	set := re.expr(s.Set)
	v := re.newLocal(re.element)
	e := &model.Ref{Var: v}
	message := model.Expr(e)
	if re.fifo() {
		message = &model.FieldSel{X: e}
	}
	check := func(cond model.Expr, text string) {
		out = append(out, &model.Assert{Cond: cond, Message: text, Prop: re.mapping, Pos: s.Pos})
	}
	defined := func(e model.Expr) model.Expr { return &model.Not{X: &model.IsUndefined{X: e}} }
	kind := re.field(e, re.kind)
	out = append(out, &model.Assign{LHS: message, RHS: re.expr(s.X), Pos: s.Pos})
	check(defined(kind), "a message has no "+re.Type)
	if re.vc >= 0 {
		lo := re.record.Fields[re.vc].Type.Lo
		value := binary(model.Add, re.networkOf(kind), number(int(lo)))
		out = append(out, &model.Assign{LHS: re.field(e, re.vc), RHS: value, Pos: s.Pos})
	}
	if re.Order != "network" && re.dest.field >= 0 {
		check(defined(re.field(e, re.dest.field)), "a message has no "+re.Destination)
	}
	if re.Order == "pair" && re.source.field >= 0 {
		known := []model.Expr{}
		for k := range lists.InOrder(re.by) {
			known = append(known, binary(model.Ne, kind, constant(re.kindType(), k)))
		}
		known = append(known, &model.IsUndefined{X: re.field(e, re.source.field)})
		check(&model.Not{X: all(known)}, "a message has no "+re.Source)
	}
	if re.fifo() {
		out = append(out, &model.Assign{LHS: re.place(e), RHS: number(0), Pos: s.Pos})
		out = append(out, re.behind(set, func(set model.Expr) []model.Stmt {
			x, _, test := re.queued(set, e)
			return eachThat(x, test, &model.Assign{LHS: re.place(e), RHS: binary(model.Add, re.place(e), number(1)), Pos: s.Pos})
		})...)
	}
	if re.fifos != nil && re.Full == "wait" { // it has room for full queues
		x := newBound(re.set.Index)
		there := &model.Present{X: &model.IndexSel{X: set, Index: &model.Ref{Var: x}}}
		n := &model.Quant{Counts: true, Var: x, Domain: model.Domain{Type: x.Type}, Body: there}
		out = append(out, &model.Assume{Cond: binary(model.Lt, n, number(int(x.Type.Card())))})
	}
	return append(out, &model.Insert{Set: set, X: e, Pos: s.Pos})
}

// indexed is an element of an array, by variables.
func indexed(array *model.Var, by []*model.Var) model.Expr {
	x := model.Expr(&model.Ref{Var: array})
	for _, v := range by {
		x = &model.IndexSel{X: x, Index: &model.Ref{Var: v}}
	}
	return x
}

// shared are the indices of the network whose values share queues.
func (re *rewriter) shared() (dims []int) {
	return lists.Where(lists.Make(len(re.dims), func(i int) int { return i }), func(i int) bool {
		return re.Order == "network" || re.Order != own && re.isChannel(i)
	})
}

// behind runs what body makes of each multiset that shares queues with set: loops over such indices.
func (re *rewriter) behind(set model.Expr, body func(set model.Expr) []model.Stmt) []model.Stmt {
	shared := re.shared()
	if len(shared) == 0 { // named once, so that all slots are seen to be those of one multiset
		v := &model.Var{Name: re.net.Name, Kind: model.RefVar, Type: re.set}
		return []model.Stmt{&model.Alias{Var: v, X: set, Body: body(&model.Ref{Var: v})}}
	}
	vars := lists.Map(re.dims, newBound)
	all := indexed(re.net, vars)
	if len(shared) < len(re.dims) { // other indices are those of set
		x, y := all, set
		for i := range slices.Backward(re.dims) {
			from, ok := y.(*model.IndexSel)
			if !ok {
				re.err = fmt.Errorf("%s:%v: the multiset has another name than %s; this is not covered", re.m.File, set.Position(), re.net.Name)
				return nil
			}
			if to := x.(*model.IndexSel); !slices.Contains(shared, i) {
				to.Index = from.Index
			}
			x, y = x.(*model.IndexSel).X, from.X
		}
	}
	out := body(all)
	for _, i := range slices.Backward(shared) {
		out = []model.Stmt{&model.For{Var: vars[i], Domain: model.Domain{Type: vars[i].Type}, Body: out}}
	}
	return out
}

// eachThat runs a statement for each value of a variable that satisfies a condition.
func eachThat(x *model.Var, test model.Expr, s model.Stmt) []model.Stmt {
	body := []model.Stmt{&model.If{Clauses: []model.Clause{{Cond: test, Body: []model.Stmt{s}}}}}
	return []model.Stmt{&model.For{Var: x, Domain: model.Domain{Type: x.Type}, Body: body}}
}

// queued is the element of a set that is named by a new variable, and the condition that it is there and in the queue of e.
func (re *rewriter) queued(set, e model.Expr) (x *model.Var, at *model.IndexSel, test model.Expr) {
	x = newBound(re.set.Index)
	at = &model.IndexSel{X: set, Index: &model.Ref{Var: x}}
	return x, at, binary(model.And, &model.Present{X: at}, re.same(at, e))
}

// remove takes a message at the front of its queue, in which the others move.
func (re *rewriter) remove(s *model.Remove) []model.Stmt {
	at := re.slot(s.X)
	if !re.fifo() {
		return []model.Stmt{&model.Remove{X: at, Pos: s.Pos}}
	}
	gone := &model.Ref{Var: re.newLocal(re.element)}
	front, not := binary(model.Eq, re.place(gone), number(0)), "a message is taken that is not at the front of its queue"
	out := []model.Stmt{
		&model.Assign{LHS: gone, RHS: at, Pos: s.Pos},
		&model.Assert{Cond: front, Message: not, Prop: re.mapping, Pos: s.Pos},
	}
	if !re.variant.unmoved {
		out = append(out, re.behind(at.X, func(set model.Expr) []model.Stmt {
			x, at, test := re.queued(set, gone)
			test = binary(model.And, test, binary(model.Gt, re.place(at), number(0)))
			move := &model.Assign{LHS: re.place(at), RHS: binary(model.Sub, re.place(at), number(1))}
			return eachThat(x, test, move)
		})...)
	}
	return append(out, &model.Remove{X: at, Pos: s.Pos}) // last, as the message may say in which multiset it is
}

// none says that a condition holds for no values of some variables. It looks at all of them: a quantifier that stops early may hide
// an error, and the text would not show the symmetry.
func none(vars []*model.Var, test model.Expr) model.Expr {
	for _, v := range slices.Backward(vars) {
		n := &model.Quant{Counts: true, Var: v, Domain: model.Domain{Type: v.Type}, Body: test}
		test = binary(model.Gt, n, number(0))
	}
	return &model.Not{X: test}
}

// properties adds what a deadlock is besides that of the model, and how much room queues have.
func (re *rewriter) properties() {
	m := re.m
	add := func(p *model.Property) {
		p.Index = len(m.Props)
		m.Props = append(m.Props, p)
	}
	params := func(vars ...*model.Var) []*model.Param {
		return lists.Map(vars, func(v *model.Var) *model.Param {
			return &model.Param{Var: v, Domain: model.Domain{Type: v.Type}}
		})
	}

	// From each state, one can be reached in which the queue is empty.
	dims, x := lists.Map(re.dims, newBound), newBound(re.set.Index)
	at := &model.IndexSel{X: indexed(re.net, dims), Index: &model.Ref{Var: x}}
	p := &model.Property{Name: consumedName, Kind: model.Liveness}
	around := lists.Map(re.shared(), func(i int) *model.Var { return dims[i] })
	tests := []model.Expr{&model.Present{X: at}}
	for i, k := range re.key(at) {
		t := k.Type()
		if t == model.IntType { // of re.source
			t = re.record.Fields[re.source.field].Type
		}
		v := newBound(t)
		p.Params = append(p.Params, params(v)...)
		tests = append(tests, binary(model.Eq, k, &model.Ref{Var: v}))
		if i == 0 {
			p.Params = append(p.Params, params(lists.Where(dims, func(d *model.Var) bool { return !slices.Contains(around, d) })...)...)
		}
	}
	p.Expr = none(append(around, x), all(tests))
	add(p)
	for _, box := range re.boxes {
		vars := lists.Map(re.boxOf(box), newBound)
		empty := &model.IsUndefined{X: &model.FieldSel{X: indexed(box, vars), Field: re.kind}}
		add(&model.Property{Name: consumedName + ": " + box.Name, Kind: model.Liveness, Params: params(vars...), Expr: empty})
	}
	if re.Capacity > 0 { // with --full wait, only start states exceed it
		add(&model.Property{Name: capacityName, Kind: model.Invariant, Expr: re.room()})
	}
}

// room says that no queue has more messages than its capacity.
func (re *rewriter) room() model.Expr {
	dims, x := lists.Map(re.dims, newBound), newBound(re.set.Index)
	at := &model.IndexSel{X: indexed(re.net, dims), Index: &model.Ref{Var: x}}
	full := binary(model.Ge, re.place(at), number(re.Capacity))
	return none(append(dims, x), binary(model.And, &model.Present{X: at}, full))
}
