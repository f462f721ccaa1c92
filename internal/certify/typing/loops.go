package typing

import (
	"maps"
	"slices"

	"orbitmc/model"
)

// This file runs loops and quantifiers over values that move, turn by turn, and checks that any two turns
// commute. A permutation changes the order of the turns, and any order comes from
// another one by exchanging neighbours (docs/theory/symmetry.md, "Loops").
//
// Each turn is run from the state before the loop, with its own value of the loop variable. It notes what
// it does to cells that others see (turnEffects). Two turns commute if
//
//   - neither reads a cell that the other one writes;
//   - cells that both write get the same value, or a sum that both increase or both decrease. Else
//     the cell is marked (cell.lastTurn);
//   - their operations on multisets commute (multisetOp.commutes);
//   - the order does not decide whether there is an error, and between which errors it decides is
//     noted (joint).
//
// A loop that returns ends with the first turn that does, and a quantifier with the first operand that
// decides. So turns of the former must not write or err. The latter becomes strict if an operand
// may err.

// activeLoop is a loop, or a quantifier, whose turns are run one by one.
type activeLoop struct {
	bit      uint64 // of this loop in cell.written
	own      int    // cells from here on belong to the turn that is run; the others are shared by all turns
	branches int    // interpreter.branches where the turn begins
	turn     *turnEffects
}

func (l *activeLoop) shares(a int) bool { return a < l.own }

// isInput reports whether cell a, which holds c, still has its value of before the turn.
func (l *activeLoop) isInput(a int, c cell) bool { return l.shares(a) && c.written&l.bit == 0 }

// turnEffects is what one turn does that other turns may see.
type turnEffects struct {
	reads  map[int]bool // cells whose values of before the turn are read
	writes map[int]write
	ops    map[int][]multisetOp // by first cell of the multiset
	events map[event]bool       // that may come, other than by firstReads
	mayEnd bool                 // something so far may have ended the turn

	// firstReads are the cells that the turn reads first and for sure, before it may have any event. They may be
	// undefined. If all turns have the same ones, they err in every order or in none.
	firstReads []int
}

// write is what a turn does to a cell.
type write struct {
	kind  writeKind
	value cell
}

type writeKind uint8

const (
	assigned writeKind = iota
	increased
	decreased
)

// sameFirstReads reports whether two turns have the same first reads.
func (e *turnEffects) sameFirstReads(f *turnEffects) bool {
	return slices.Equal(e.firstReads, f.firstReads)
}

// isSure reports whether this point is reached in every turn of l.
func (in *interpreter) isSure(l *activeLoop) bool {
	return in.branches == l.branches && !l.turn.mayEnd
}

// turnsMayEnd notes that something here may end the turns around.
func (in *interpreter) turnsMayEnd() {
	for _, l := range in.loops {
		l.turn.mayEnd = true
	}
}

// turnValues returns the values of a variable whose turns are run one by one; nil if no permutation changes
// their order.
func (in *interpreter) turnValues(v *model.Var, d model.Domain) []int64 {
	if !v.Type.Simple() || in.sortOf(v.Type).kind == unmoved && !v.Type.Slots {
		return nil
	}
	return d.Values() // the bounds are constant, as the sorts agree
}

// runTurns runs turns, each from the state before, and returns what they do and the cells
// after each.
func (in *interpreter) runTurns(v *model.Var, values []int64, body func()) (turns []*turnEffects, after []*memory) {
	if len(in.loops) > 60 {
		in.fail(v.Pos, "loops are nested too deeply")
		return nil, nil
	}
	l := &activeLoop{bit: 1 << len(in.loops), own: in.cells.n, branches: in.branches}
	before, reused := in.cells, maps.Clone(in.reuse.count)
	in.loops = append(in.loops, l)
	for _, k := range values {
		l.turn = &turnEffects{reads: make(map[int]bool), writes: make(map[int]write), ops: make(map[int][]multisetOp), events: make(map[event]bool)}
		in.cells = before.clone()
		in.cells.beginTurn(l.bit)
		in.env[v] = &binding{value: cell{known: true, value: k}, isSlot: v.Type.Slots, reused: reused}
		body()
		turns, after = append(turns, l.turn), append(after, in.cells)
		if in.err != nil {
			break
		}
	}
	in.loops = in.loops[:len(in.loops)-1]
	in.cells = before
	delete(in.env, v)
	return turns, after
}

// quantified runs the operands of a quantifier, which stops at the first one that decides, or of a count.
// stops is the quantifier, or the property whose parameters are quantifiers, and nil for a count.
func (in *interpreter) quantified(v *model.Var, d model.Domain, stops any, pos model.Pos, body func()) {
	in.evalBounds(d)
	values := in.turnValues(v, d)
	if values == nil {
		in.bindUnknown(v)
		in.maybe(body)
		return
	}
	turns, _ := in.runTurns(v, values, body)
	in.checkWritesNothing(turns, pos, "a condition")
	if stops != nil && slices.ContainsFunc(turns, func(t *turnEffects) bool { return len(t.events) > 0 || !t.sameFirstReads(turns[0]) }) {
		in.strict[stops] = true
		for _, t := range turns {
			for o := range t.events {
				if !o.isError() { // what is hit depends on how many operands are evaluated
					in.fail(pos, "a turn that is not reached may hit a cover, or fail an assumption")
				}
			}
		}
	}
	in.checkErrors(turns, pos)
}

// checkWritesNothing checks that turns change neither cells nor multisets.
func (in *interpreter) checkWritesNothing(turns []*turnEffects, pos model.Pos, what string) {
	for _, t := range turns {
		if len(t.writes) > 0 {
			in.fail(pos, "%s writes", what)
		}
		for _, ops := range t.ops {
			if slices.ContainsFunc(ops, func(op multisetOp) bool { return op.kind.changes() }) {
				in.fail(pos, "%s changes a multiset", what)
			}
		}
	}
}

// eventsOf returns what turns together may have as events. Different first reads count as run-time errors.
func (in *interpreter) eventsOf(turns []*turnEffects) map[event]bool {
	all := make(map[event]bool)
	for _, t := range turns {
		maps.Copy(all, t.events)
		if !t.sameFirstReads(turns[0]) {
			all[in.runtimeErrors()] = true
		}
	}
	return all
}

// checkErrors checks that the order of turns does not decide which event there is, except between errors
// that are all to be decided: these are joint.
func (in *interpreter) checkErrors(turns []*turnEffects, pos model.Pos) {
	events := in.eventsOf(turns)
	if len(events) < 2 {
		return
	}
	var errors, decided []int
	for _, o := range slices.Sorted(maps.Keys(events)) {
		if o.isError() {
			errors = append(errors, int(o))
			if slices.Contains(in.props, int(o)) {
				decided = append(decided, int(o))
			}
		}
	}
	if len(errors) < len(events) || len(decided) > 0 && len(decided) < len(errors) {
		in.fail(pos, "the order of turns decides which error there is")
	} else if len(decided) > 0 {
		in.joint = append(in.joint, errors)
	}
}

// forLoop runs a for statement.
func (in *interpreter) forLoop(s *model.For) {
	in.evalBounds(s.Domain)
	values := in.turnValues(s.Var, s.Domain)
	if values == nil {
		in.bindUnknown(s.Var)
		in.repeat(func() (ended bool) { in.bindUnknown(s.Var); return in.block(s.Body) })
		return
	}
	if in.removesValue(s) {
		return
	}
	exits := 0
	if len(in.calls) > 0 {
		exits = len(in.currentCall().exits)
	}
	outer, own := in.returned, make(map[any]bool)
	in.returned = own
	turns, after := in.runTurns(s.Var, values, func() { in.block(s.Body) })
	in.returned = outer
	switch {
	case in.err != nil:
	case len(own) > 0:
		in.returningLoop(s, turns, own, exits)
	default:
		in.checkErrors(turns, s.Pos)
		in.combineCells(turns, after, s.Pos)
		in.combineMultisets(turns, s.Pos)
	}
}

// returningLoop checks a loop that may end with a return statement in any of its turns, and goes on
// behind it. exits is how many exits the procedure had before.
func (in *interpreter) returningLoop(s *model.For, turns []*turnEffects, returned map[any]bool, exits int) {
	in.checkWritesNothing(turns, s.Pos, "a loop that returns")
	if len(returned) > 1 {
		in.fail(s.Pos, "a loop returns several values")
	}
	if len(in.eventsOf(turns)) > 0 {
		in.fail(s.Pos, "a turn that is not reached may err")
	}
	maps.Copy(in.returned, returned)
	if len(in.calls) > 0 {
		c := in.currentCall()
		c.exits = c.exits[:exits+1] // all are alike
	}
	in.turnsMayEnd()
}

// combineCells checks that turns commute in what they do to cells, and sets the cells to what is known after all turns.
func (in *interpreter) combineCells(turns []*turnEffects, after []*memory, pos model.Pos) {
	readers, writers := make(map[int][]int), make(map[int][]int)
	for i, t := range turns {
		for a := range t.reads {
			readers[a] = append(readers[a], i)
		}
		for a := range t.writes {
			writers[a] = append(writers[a], i)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(writers)) {
		ws := writers[a]
		for _, r := range readers[a] {
			if len(ws) > 1 || ws[0] != r {
				in.fail(pos, "a turn reads what another one writes, cell %d", a)
				return
			}
		}
		first, differ := turns[ws[0]].writes[a], false
		out := after[ws[0]].get(a)
		for _, i := range ws[1:] {
			w := turns[i].writes[a]
			if w.kind != first.kind {
				in.fail(pos, "two turns write a cell in two ways")
				return
			}
			differ = differ || !w.value.equal(first.value)
			out = out.join(after[i].get(a))
		}
		switch {
		case first.kind != assigned: // a sum; its order does not matter
			out = cell{symbol: in.newSymbol()}
		case differ:
			out.lastTurn = true
		case len(ws) > 1: // some turns may not have written it
			out.known, out.symbol = false, 0
			if out.defined != isDefined {
				out.defined = mayBeUndefined
			}
		}
		out.written &= in.cells.get(a).written
		in.cells.set(a, out)
	}
}

// combineMultisets checks that turns commute in what they do to multisets, and forgets the elements of those that change.
func (in *interpreter) combineMultisets(turns []*turnEffects, pos model.Pos) {
	for i, t := range turns {
		for a, ops := range t.ops {
			if slices.ContainsFunc(ops, func(op multisetOp) bool { return op.kind == opPut || op.kind == opTake }) {
				in.forget(region{starts: []int{a}, t: in.multisets[a]})
			}
		}
		for _, u := range turns[i+1:] {
			for _, a := range slices.Sorted(maps.Keys(t.ops)) {
				for _, op := range t.ops[a] {
					for _, other := range u.ops[a] {
						if !op.commutes(other) {
							in.fail(pos, "turns change a multiset: %v and %v", op.kind, other.kind)
							return
						}
					}
				}
			}
		}
	}
}

// removesValue runs a loop that removes all elements of a multiset that have one value (multisetremovepred). It does
// nothing, and returns false, if the loop is another one.
func (in *interpreter) removesValue(s *model.For) bool {
	cond, set, ok := asRemoval(s)
	if !ok {
		return false
	}
	in.bindUnknown(s.Var)
	test, ok := in.asValueTest(s.Var, cond)
	if !ok || model.Text(test.set) != model.Text(set) {
		return false
	}
	r, ok := in.operateOnValue(test, opTake)
	if ok {
		in.reuse.freed(r)
	}
	return ok
}

// asRemoval recognises a loop whose body is `if cond then remove an element of set end`.
func asRemoval(s *model.For) (cond, set model.Expr, ok bool) {
	if len(s.Body) != 1 {
		return nil, nil, false
	}
	c, ok := s.Body[0].(*model.If)
	if !ok || len(c.Clauses) != 1 || len(c.Else) > 0 || len(c.Clauses[0].Body) != 1 {
		return nil, nil, false
	}
	r, ok := c.Clauses[0].Body[0].(*model.Remove)
	if !ok {
		return nil, nil, false
	}
	return c.Clauses[0].Cond, r.X.X, true
}
