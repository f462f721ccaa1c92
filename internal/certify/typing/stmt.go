package typing

import (
	"maps"

	"orbitmc/model"
)

// This file runs statements and calls. A statement reports whether it surely ends the body that it
// is in: by a return, or an error. If several branches may be taken, all are run from the state
// before, and afterwards only the knowledge common to all is kept. A loop over values that do
// not move is run until its cells stay as they are.

func (in *interpreter) block(body []model.Stmt) (ended bool) {
	for _, s := range body {
		if in.err != nil {
			return true
		}
		top := in.cells.n
		if in.stmt(s) {
			return true
		}
		in.cells.truncate(top)
	}
	return false
}

func (in *interpreter) stmt(s model.Stmt) (ended bool) {
	switch s := s.(type) {
	case *model.Assign:
		in.assign(s)
	case *model.If:
		return in.branch(s.Clauses, s.Else)
	case *model.For:
		in.forLoop(s)
	case *model.While:
		in.runtimeError() // it may exceed its bound
		in.repeat(func() (ended bool) { in.eval(s.Cond, false); return in.block(s.Body) })
		in.eval(s.Cond, false) // the last time: it may write
	case *model.Reset:
		r := in.region(s.X)
		in.overwrite(r, resetValues(r.t, s.Least))
	case *model.Alias:
		in.bind(s.Var, s.X, s.Pos)
		return in.block(s.Body)
	case *model.Call:
		_, ended = in.call(s.Proc, s.Args, s.Pos)
		return ended
	case *model.Return:
		in.leave(s)
		return true
	case *model.Insert:
		in.insert(s)
	case *model.Remove:
		in.remove(s)
	case *model.Assume:
		in.eval(s.Cond, false)
		in.raise(disabled)
	case *model.CoverStmt:
		in.eval(s.Cond, false)
		in.raise(hit(s.Prop))
	case *model.Assert:
		return in.assert(s)
	case *model.Put:
		switch {
		case s.X == nil:
		case s.X.Type().Simple():
			in.eval(s.X, model.Designator(s.X))
		default:
			in.region(s.X)
		}
	default:
		in.fail(s.Position(), "an unknown statement")
	}
	return false
}

func (in *interpreter) assign(s *model.Assign) {
	dst := in.region(s.LHS)
	if !dst.t.Simple() {
		in.copy(dst, in.region(s.RHS))
		return
	}
	if in.accumulate(s, dst) {
		return
	}
	c := in.eval(s.RHS, s.CopiesUndefined(in.m.Dialect))
	in.checkRange(s.RHS, c, dst.t)
	in.writeElement(dst)
	in.store(dst, 0, c)
}

// accumulate runs `x := x + c` and `x := x - c`, for a constant c, on a place that other turns share: turns
// that do this commute, although they read x. It does nothing, and returns false, if s is something else.
func (in *interpreter) accumulate(s *model.Assign, dst region) bool {
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
		old := in.cells.get(a)
		lastTurn = lastTurn || old.lastTurn
		for _, l := range in.loops {
			shared = shared || l.isInput(a, old)
		}
	}
	if !shared || in.region(sum.X).name != dst.name {
		return false
	}
	in.runtimeError() // the sum may leave its range
	if lastTurn {
		in.readsLastTurn(s.Pos)
	}
	kind := increased
	if (c.Value < 0) != (sum.Op == model.Sub) {
		kind = decreased
	}
	for _, a := range dst.starts {
		in.writeCell(a, cell{symbol: in.newSymbol()}, len(dst.starts) == 1, kind)
	}
	return true
}

// branch runs an if statement whose clauses are left from some one on.
func (in *interpreter) branch(clauses []model.Clause, otherwise []model.Stmt) (ended bool) {
	if len(clauses) == 0 {
		return in.block(otherwise)
	}
	c := in.eval(clauses[0].Cond, false)
	switch {
	case !c.known:
		return in.oneOf(
			func() (ended bool) { return in.block(clauses[0].Body) },
			func() (ended bool) { return in.branch(clauses[1:], otherwise) })
	case c.value != 0:
		return in.block(clauses[0].Body)
	}
	return in.branch(clauses[1:], otherwise)
}

func (in *interpreter) assert(s *model.Assert) (ended bool) {
	if s.Cond != nil {
		if c := in.eval(s.Cond, false); c.known && c.value != 0 {
			if in.events[in.runtimeErrors()] { // an error in the condition violates the assertion
				in.raise(event(s.Prop))
			}
			return false
		}
	}
	in.raise(event(s.Prop))
	return s.Cond == nil // an error statement
}

// oneOf runs one of several bodies, it is not known which. It ends what is around if all do.
func (in *interpreter) oneOf(bodies ...func() (ended bool)) (ended bool) {
	before, reuse := in.cells, in.reuse
	var after *memory // of the bodies that do not end
	afterReuse := reuse.clone()
	in.branches++
	for _, body := range bodies {
		in.cells, in.reuse = before.clone(), reuse.clone()
		switch ended := body(); {
		case ended:
			in.turnsMayEnd()
		case after == nil:
			after = in.cells
		default:
			after.join(in.cells)
		}
		afterReuse.join(in.reuse)
	}
	in.branches--
	in.reuse = afterReuse
	if after != nil {
		in.cells = after
	}
	return after == nil
}

// maybe runs something that is perhaps not reached.
func (in *interpreter) maybe(f func()) {
	in.oneOf(func() (ended bool) { f(); return false }, func() (ended bool) { return false })
}

// mostRounds bounds repeat. A cell can change a few times only, so few loops need more.
const mostRounds = 12

// repeat runs a body any number of times: round after round, until a round changes no cell.
func (in *interpreter) repeat(body func() (ended bool)) {
	in.branches++
	defer func() { in.branches-- }()
	for range mostRounds {
		before := in.cells.clone()
		if body() {
			in.turnsMayEnd()
			in.cells = before
			return
		}
		in.cells.join(before)
		if in.cells.prefixOf(before) || in.err != nil {
			return
		}
	}
	in.fail(model.Pos{}, "a loop is not run to its end")
}

// evalBounds evaluates the bounds of a domain.
func (in *interpreter) evalBounds(d model.Domain) {
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			in.eval(e, false)
		}
	}
	if k, ok := d.By.(*model.ConstExpr); d.By != nil && (!ok || k.Value == 0) {
		in.runtimeError()
	}
}

// activeCall is a call that is run.
type activeCall struct {
	proc   *model.Proc
	result int       // first cell of the result
	exits  []*memory // the cells at each return statement
	loops  int       // active loops around the call
}

func (in *interpreter) currentCall() *activeCall { return in.calls[len(in.calls)-1] }

const (
	mostOpen  = 4                      // calls of one procedure that may be open
	mostCalls = model.MaxRecursion - 1 // and of all: no run errs because there are too many
)

// call runs a procedure, and returns the place of its result. It reports whether the call surely ends with an error.
func (in *interpreter) call(p *model.Proc, args []model.Expr, pos model.Pos) (result region, errs bool) {
	result.t = p.Result
	if p.Result != nil {
		result = *in.alloc(p.Result)
	}
	open := 0
	for _, c := range in.calls {
		if c.proc == p {
			open++
		}
	}
	if open == mostOpen || len(in.calls) == mostCalls {
		in.fail(pos, "the recursion of %s is not run to its end", p.Name)
	}
	if in.err != nil {
		return result, false
	}
	if len(p.Params) == 0 && open == 0 && in.unwritten() {
		return in.recall(p, result)
	}
	return in.run(p, args, result, open > 0)
}

// run runs the body of a procedure. again says that a call of it is open already.
func (in *interpreter) run(p *model.Proc, args []model.Expr, result region, again bool) (_ region, errs bool) {
	env := in.env
	if again { // names stand for something else in the call around
		in.env = maps.Clone(env)
	}
	in.bindParams(p, args)
	in.bindLocals(p.Locals)
	top := in.cells.n
	c := &activeCall{proc: p, loops: len(in.loops)}
	if p.Result != nil {
		c.result = result.starts[0]
		for i := range p.Result.Leaves {
			in.cells.set(c.result+i, cell{defined: isUndefined, written: inAllLoops})
		}
	}
	outer := in.returned
	in.returned = make(map[any]bool)
	in.calls = append(in.calls, c)
	ended := in.block(p.Body)
	in.calls = in.calls[:len(in.calls)-1]
	in.returned = outer
	if p.Result != nil && !ended {
		in.runtimeError()
	}
	if errs = ended && len(c.exits) == 0; ended && !errs {
		in.cells, c.exits = c.exits[0], c.exits[1:]
	}
	for _, cells := range c.exits {
		in.cells.join(cells)
	}
	in.cells.truncate(top)
	if again {
		in.env = env
		return result, errs
	}
	for _, f := range p.Params {
		delete(in.env, f.Var)
	}
	for _, v := range p.Locals {
		delete(in.env, v)
	}
	return result, errs
}

// bindParams evaluates arguments, and then binds the parameters.
func (in *interpreter) bindParams(p *model.Proc, args []model.Expr) {
	bindings := make([]*binding, len(args))
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			bindings[i] = in.alias(args[i])
		case t.Simple():
			c := in.eval(args[i], f.CopiesUndefined(args[i], in.m.Dialect))
			in.checkRange(args[i], c, t)
			r := in.alloc(t)
			in.store(*r, 0, c)
			bindings[i] = &binding{place: r}
		default:
			src, r := in.region(args[i]), in.alloc(t)
			in.copy(*r, src)
			bindings[i] = &binding{place: r}
		}
	}
	for i, f := range p.Params {
		in.env[f.Var] = bindings[i]
	}
}

// leave runs a return statement. What loops return is compared by what the statement says: nothing, a
// constant, or else by the statement itself.
func (in *interpreter) leave(s *model.Return) {
	var returns any
	switch e := s.X.(type) {
	case nil:
	case *model.ConstExpr:
		returns = e.Value
	default:
		if returns = s; in.inLoop() {
			in.fail(s.Pos, "a loop returns what is not written out")
		}
	}
	in.returned[returns] = true
	if len(in.calls) == 0 {
		in.checkNextState(s.Pos)
		return
	}
	c := in.currentCall()
	if s.X != nil {
		in.setResult(c, s)
	}
	c.exits = append(c.exits, in.cells.clone())
}

// setResult writes what a return statement returns. It is no write of a turn: leave compares what turns return.
func (in *interpreter) setResult(c *activeCall, s *model.Return) {
	result := region{starts: []int{c.result}, t: c.proc.Result}
	if !result.t.Simple() {
		in.copy(result, in.region(s.X))
		return
	}
	v := in.eval(s.X, s.CopiesUndefined(in.m.Dialect))
	if s.ChecksRange(in.m.Dialect) {
		in.checkRange(s.X, v, result.t)
	}
	v.written = inAllLoops
	in.cells.set(c.result, v)
}

// inLoop reports whether a loop that is run turn by turn is between this point and the procedure, or rule, that it is in.
func (in *interpreter) inLoop() bool {
	outside := 0
	if len(in.calls) > 0 {
		outside = in.currentCall().loops
	}
	return len(in.loops) > outside
}
