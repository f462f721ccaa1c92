package typing

import (
	"maps"
	"slices"

	"orbitmc/model"
)

// This file runs statements and calls. A statement reports whether it surely ends the body that it
// is in: by a return, or an error. If several branches may be taken, all are run from the state
// before, and afterwards only the knowledge common to all is kept. A loop over values that do
// not move is run until its cells stay as they are.

func (x *interpreter) block(body []model.Stmt) (ended bool) {
	for _, s := range body {
		if x.err != nil {
			return true
		}
		top := x.cells.n
		if x.stmt(s) {
			return true
		}
		x.cells.truncate(top)
	}
	return false
}

func (x *interpreter) stmt(s model.Stmt) (ended bool) {
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s)
	case *model.If:
		return x.branch(s.Clauses, s.Else)
	case *model.Switch:
		return x.switchStmt(s)
	case *model.For:
		x.forLoop(s)
	case *model.While:
		x.runtimeError() // it may exceed its bound
		x.repeat(func() (ended bool) { x.eval(s.Cond, false); return x.block(s.Body) })
		x.eval(s.Cond, false) // the last time: it may write
	case *model.Undefine:
		r := x.region(s.X)
		x.overwrite(r, slices.Repeat([]cell{{defined: isUndefined}}, r.t.Leaves))
	case *model.Clear:
		r := x.region(s.X)
		x.overwrite(r, leastValues(r.t))
	case *model.Alias:
		x.bind(s.Var, s.X, s.Pos)
		return x.block(s.Body)
	case *model.Call:
		_, ended = x.call(s.Proc, s.Args, s.Pos)
		return ended
	case *model.Return:
		x.leave(s)
		return true
	case *model.Insert:
		x.insert(s)
	case *model.Remove:
		x.remove(s)
	case *model.Assume:
		x.eval(s.Cond, false)
		x.raise(disabled)
	case *model.CoverStmt:
		x.eval(s.Cond, false)
		x.raise(hit(s.Prop))
	case *model.Assert:
		return x.assert(s)
	case *model.Put:
		switch {
		case s.X == nil:
		case s.X.Type().Simple():
			x.eval(s.X, model.Designator(s.X))
		default:
			x.region(s.X)
		}
	default:
		x.fail(s.Position(), "an unknown statement")
	}
	return false
}

func (x *interpreter) assign(s *model.Assign) {
	dst := x.region(s.LHS)
	if !dst.t.Simple() {
		x.copy(dst, x.region(s.RHS))
		return
	}
	if x.accumulate(s, dst) {
		return
	}
	c := x.eval(s.RHS, s.CopiesUndefined(x.m.Dialect))
	x.checkRange(s.RHS, c, dst.t)
	x.writeElement(dst)
	x.store(dst, 0, c)
}

// accumulate runs `x := x + c` and `x := x - c`, for a constant c, on a place that other turns share: turns
// that do this commute, although they read x. It does nothing, and returns false, if s is something else.
func (x *interpreter) accumulate(s *model.Assign, dst region) bool {
	sum, ok := s.RHS.(*model.Binary)
	if !ok || sum.Op != model.Add && sum.Op != model.Sub || len(dst.multisets) > 0 || dst.name == "" {
		return false
	}
	c, ok := sum.Y.(*model.ConstExpr)
	if !ok || !model.Designator(sum.X) {
		return false
	}
	shared, lastTurn := false, false
	for _, a := range dst.starts {
		old := x.cells.get(a)
		lastTurn = lastTurn || old.lastTurn
		for _, l := range x.loops {
			shared = shared || l.isInput(a, old)
		}
	}
	if !shared || x.region(sum.X).name != dst.name {
		return false
	}
	x.runtimeError() // the sum may leave its range
	if lastTurn {
		x.readsLastTurn(s.Pos)
	}
	kind := increased
	if (c.Value < 0) != (sum.Op == model.Sub) {
		kind = decreased
	}
	for _, a := range dst.starts {
		x.writeCell(a, cell{symbol: x.newSymbol()}, len(dst.starts) == 1, kind)
	}
	return true
}

// branch runs an if statement whose clauses are left from some one on.
func (x *interpreter) branch(clauses []model.Clause, otherwise []model.Stmt) (ended bool) {
	if len(clauses) == 0 {
		return x.block(otherwise)
	}
	c := x.eval(clauses[0].Cond, false)
	switch {
	case !c.known:
		return x.oneOf(
			func() (ended bool) { return x.block(clauses[0].Body) },
			func() (ended bool) { return x.branch(clauses[1:], otherwise) })
	case c.value != 0:
		return x.block(clauses[0].Body)
	}
	return x.branch(clauses[1:], otherwise)
}

func (x *interpreter) switchStmt(s *model.Switch) (ended bool) {
	if x.eval(s.X, x.m.Dialect.TestsUndefined(s.X)).lastTurn {
		x.readsLastTurn(s.Pos)
	}
	var bodies []func() bool
	x.branches++
	for _, c := range s.Cases {
		for _, v := range c.Values {
			model.Inspect(v, func(n any) {
				if call, ok := n.(*model.CallExpr); ok { // it may write, and is perhaps not reached
					x.fail(call.Pos, "a case calls a function")
				}
			})
			x.eval(v, false)
		}
		bodies = append(bodies, func() (ended bool) { return x.block(c.Body) })
	}
	x.branches--
	return x.oneOf(append(bodies, func() (ended bool) { return x.block(s.Else) })...)
}

func (x *interpreter) assert(s *model.Assert) (ended bool) {
	if s.Cond != nil {
		if c := x.eval(s.Cond, false); c.known && c.value != 0 {
			if x.events[x.runtimeErrors()] { // an error in the condition violates the assertion
				x.raise(event(s.Prop))
			}
			return false
		}
	}
	x.raise(event(s.Prop))
	return s.Cond == nil // an error statement
}

// oneOf runs one of several bodies, it is not known which. It ends what is around if all do.
func (x *interpreter) oneOf(bodies ...func() (ended bool)) (ended bool) {
	before, reuse := x.cells, x.reuse
	var after *memory // of the bodies that do not end
	afterReuse := reuse.clone()
	x.branches++
	for _, body := range bodies {
		x.cells, x.reuse = before.clone(), reuse.clone()
		switch ended := body(); {
		case ended:
			x.turnsMayEnd()
		case after == nil:
			after = x.cells
		default:
			after.join(x.cells)
		}
		afterReuse.join(x.reuse)
	}
	x.branches--
	x.reuse = afterReuse
	if after != nil {
		x.cells = after
	}
	return after == nil
}

// maybe runs something that is perhaps not reached.
func (x *interpreter) maybe(f func()) {
	x.oneOf(func() (ended bool) { f(); return false }, func() (ended bool) { return false })
}

// mostRounds bounds repeat. A cell can change a few times only, so few loops need more.
const mostRounds = 12

// repeat runs a body any number of times: round after round, until a round changes no cell.
func (x *interpreter) repeat(body func() (ended bool)) {
	x.branches++
	defer func() { x.branches-- }()
	for range mostRounds {
		before := x.cells.clone()
		if body() {
			x.turnsMayEnd()
			x.cells = before
			return
		}
		x.cells.join(before)
		if x.cells.prefixOf(before) || x.err != nil {
			return
		}
	}
	x.fail(model.Pos{}, "a loop is not run to its end")
}

// evalBounds evaluates the bounds of a domain.
func (x *interpreter) evalBounds(d model.Domain) {
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			x.eval(e, false)
		}
	}
	if k, ok := d.By.(*model.ConstExpr); d.By != nil && (!ok || k.Value == 0) {
		x.runtimeError()
	}
}

// activeCall is a call that is run.
type activeCall struct {
	proc   *model.Proc
	result int       // first cell of the result
	exits  []*memory // the cells at each return statement
	loops  int       // active loops around the call
}

func (x *interpreter) currentCall() *activeCall { return x.calls[len(x.calls)-1] }

const (
	mostOpen  = 4                      // calls of one procedure that may be open
	mostCalls = model.MaxRecursion - 1 // and of all: no run errs because there are too many
)

// call runs a procedure, and returns the place of its result. It reports whether the call surely ends with an error.
func (x *interpreter) call(p *model.Proc, args []model.Expr, pos model.Pos) (result region, errs bool) {
	result.t = p.Result
	if p.Result != nil {
		result = *x.alloc(p.Result)
	}
	open := 0
	for _, c := range x.calls {
		if c.proc == p {
			open++
		}
	}
	if open == mostOpen || len(x.calls) == mostCalls {
		x.fail(pos, "the recursion of %s is not run to its end", p.Name)
	}
	if x.err != nil {
		return result, false
	}
	if len(p.Params) == 0 && open == 0 && x.unwritten() {
		return x.recall(p, result)
	}
	return x.run(p, args, result, open > 0)
}

// run runs the body of a procedure. again says that a call of it is open already.
func (x *interpreter) run(p *model.Proc, args []model.Expr, result region, again bool) (_ region, errs bool) {
	env := x.env
	if again { // names stand for something else in the call around
		x.env = maps.Clone(env)
	}
	x.bindParams(p, args)
	x.bindLocals(p.Locals)
	top := x.cells.n
	c := &activeCall{proc: p, loops: len(x.loops)}
	if p.Result != nil {
		c.result = result.starts[0]
		for i := range p.Result.Leaves {
			x.cells.set(c.result+i, cell{defined: isUndefined, written: inAllLoops})
		}
	}
	outer := x.returned
	x.returned = make(map[any]bool)
	x.calls = append(x.calls, c)
	ended := x.block(p.Body)
	x.calls = x.calls[:len(x.calls)-1]
	x.returned = outer
	if p.Result != nil && !ended {
		x.runtimeError()
	}
	if errs = ended && len(c.exits) == 0; ended && !errs {
		x.cells, c.exits = c.exits[0], c.exits[1:]
	}
	for _, cells := range c.exits {
		x.cells.join(cells)
	}
	x.cells.truncate(top)
	if again {
		x.env = env
		return result, errs
	}
	for _, f := range p.Params {
		delete(x.env, f.Var)
	}
	for _, v := range p.Locals {
		delete(x.env, v)
	}
	return result, errs
}

// bindParams evaluates arguments, and then binds the parameters.
func (x *interpreter) bindParams(p *model.Proc, args []model.Expr) {
	bindings := make([]*binding, len(args))
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			bindings[i] = x.alias(args[i])
		case t.Simple():
			c := x.eval(args[i], f.CopiesUndefined(args[i], x.m.Dialect))
			x.checkRange(args[i], c, t)
			r := x.alloc(t)
			x.store(*r, 0, c)
			bindings[i] = &binding{place: r}
		default:
			src, r := x.region(args[i]), x.alloc(t)
			x.copy(*r, src)
			bindings[i] = &binding{place: r}
		}
	}
	for i, f := range p.Params {
		x.env[f.Var] = bindings[i]
	}
}

// leave runs a return statement. What loops return is compared by what the statement says: nothing, a
// constant, or else by the statement itself.
func (x *interpreter) leave(s *model.Return) {
	var returns any
	switch e := s.X.(type) {
	case nil:
	case *model.ConstExpr:
		returns = e.Value
	default:
		if returns = s; x.inLoop() {
			x.fail(s.Pos, "a loop returns what is not written out")
		}
	}
	x.returned[returns] = true
	if len(x.calls) == 0 {
		x.checkNextState(s.Pos)
		return
	}
	c := x.currentCall()
	if s.X != nil {
		x.setResult(c, s)
	}
	c.exits = append(c.exits, x.cells.clone())
}

// setResult writes what a return statement returns. It is no write of a turn: leave compares what turns return.
func (x *interpreter) setResult(c *activeCall, s *model.Return) {
	result := region{starts: []int{c.result}, t: c.proc.Result}
	if !result.t.Simple() {
		x.copy(result, x.region(s.X))
		return
	}
	v := x.eval(s.X, s.CopiesUndefined(x.m.Dialect))
	if s.ChecksRange(x.m.Dialect) {
		x.checkRange(s.X, v, result.t)
	}
	v.written = inAllLoops
	x.cells.set(c.result, v)
}

// inLoop reports whether a loop that is run turn by turn is between this point and the procedure, or rule, that it is in.
func (x *interpreter) inLoop() bool {
	outside := 0
	if len(x.calls) > 0 {
		outside = x.currentCall().loops
	}
	return len(x.loops) > outside
}
