package typing

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/model"
)

// This file runs rules, assumptions and properties in the abstract interpreter, each from a state
// of which nothing is known but that it is reachable, for unknown parameters.
//
// Reads of what may be undefined are errors, and errors limit what commutes. So the interpreter
// assumes that a leaf is defined, until a start state or a rule may leave it undefined. Leaves that differ in
// indices only are one group, so that the assumption is closed under permutations. If a run drops
// an assumption, all rules are run again, this one last. What is left is inductive.

// interpreter is the abstract interpreter. After it has run, joint and strict are results.
type interpreter struct {
	*derivation
	sorts *sortChecker
	props []int // that are to be decided

	groups    []int        // by leaf of the state
	undefined map[int]bool // groups of which a leaf may be undefined
	dropped   bool         // undefined has grown in this run of a rule

	// The point of the run:
	cells       *memory
	first       *memory // the cells that the run began with
	env         map[*model.Var]*binding
	loops       []*activeLoop // outermost first
	calls       []*activeCall // outermost first
	branches    int           // conditions around this point of which it is not known whether they hold
	returned    map[any]bool  // what the return statements of the rule, procedure or loop return; see leave
	reuse       slotReuse
	there       []*model.IndexSel   // elements of multisets that are there in the state at hand
	multisets   map[int]*model.Type // met so far, by first cell
	symbols     int                 // the last one that was used, see cell.symbol
	conversions map[conversion]int  // symbols of converted values

	memo  map[*model.Proc]*remembered // memo.go
	slots bool                        // there are multisets

	steps  int
	events map[event]bool // that may come

	joint  [][]int      // properties of which the order of turns decides which one is violated
	strict model.Strict // quantifiers that may stop before an operand that errs
}

const (
	mostCells = 1 << 12 // of a region
	mostSteps = 1 << 23 // of a round over the rules, the last one with assumptions and properties
)

// event is something that may happen in a run, other than a change of the state: the number of a property that is
// violated, or one of the negative ones below.
type event int

const disabled event = -1 // an assumption fails

// hit is the event that a cover statement is reached in a state in which its condition holds.
func hit(prop int) event { return event(-2 - prop) }

func (e event) isError() bool { return e >= 0 }

// binding is what a name stands for.
type binding struct {
	place  *region     // of a variable that is a place
	given  model.Expr  // of a name in an expression that calls nothing: what it was given to, which denotes the place as long as the name does
	value  cell        // of a bound variable
	reused map[int]int // of a variable over slots, or a name for a place: slotReuse.count when it was bound

	isSlot   bool
	multiset string // of a variable over slots: the name of the multiset that it was used for; "" is none yet
}

// check runs all rules, assumptions and properties. What properties do matters if they, or the errors that
// they may raise, are to be decided.
func (in *interpreter) check() error {
	in.slots = slices.ContainsFunc(in.m.Scalarsets, func(t *model.Type) bool { return t.Slots })
	in.assumeDefined()
	in.memo = make(map[*model.Proc]*remembered)
	for i, left := 0, len(in.m.Rules); left > 0; i, left = i+1, left-1 {
		if i == len(in.m.Rules) {
			i, in.steps = 0, 0
		}
		if in.rule(in.m.Rules[i]); in.err != nil {
			return in.err
		}
		if in.dropped {
			in.dropped, left = false, len(in.m.Rules)+1
			clear(in.memo)
		}
	}
	for _, p := range in.m.Assumptions {
		if in.property(p); in.err != nil {
			return in.err
		}
	}
	for _, p := range in.m.Props {
		if p.Expr == nil {
			continue
		}
		in.sorts.part(p.Params, p.Expr, nil)
		in.events = make(map[event]bool)
		strict := maps.Clone(in.strict)
		in.property(p)
		switch matters := in.matters(p); {
		case matters && in.err != nil:
			return in.err
		case !matters:
			in.strict, in.err = strict, nil
			clear(in.memo)          // of what runs found strict
			clear(in.sorts.checked) // and of procedures that are ill-sorted
		}
	}
	return nil
}

// matters reports whether a property that was run is to be decided, or an error that it may raise is.
func (in *interpreter) matters(p *model.Property) bool {
	return slices.ContainsFunc(in.props, func(i int) bool {
		switch in.m.Props[i].Kind {
		case model.RuntimeError, model.Assertion, model.ErrorStmt: // the run may have ended before it raised one
			return true
		}
		return i == p.Index || in.events[event(i)]
	})
}

func (in *interpreter) rule(r *model.Rule) {
	in.begin()
	for _, p := range r.Params {
		in.bindUnknown(p.Var)
	}
	if r.Guard != nil {
		in.eval(r.Guard, false)
	}
	in.returned = make(map[any]bool)
	in.bindLocals(r.Locals)
	in.block(r.Body)
	in.checkNextState(r.Pos)
}

// property runs the condition of a property or an assumption. Its parameters are quantifiers; those of liveness
// do not stop early.
func (in *interpreter) property(p *model.Property) {
	in.begin()
	in.returned = make(map[any]bool)
	var stops any
	if p.Kind != model.Liveness {
		stops = p
	}
	var run func(rest []*model.Param)
	run = func(rest []*model.Param) {
		if len(rest) == 0 {
			in.eval(p.Expr, false)
			return
		}
		in.quantified(rest[0].Var, rest[0].Domain, stops, p.Pos, func() { run(rest[1:]) })
	}
	run(p.Params)
}

// begin forgets all but that a state is reachable.
func (in *interpreter) begin() {
	n := len(in.groups)
	in.cells = newMemory()
	for i := range n {
		c := cell{symbol: i + 1}
		if !in.alwaysDefined(i) {
			c.defined = mayBeUndefined
		}
		in.cells.add(c)
	}
	for in.cells.n%chunkSize > 0 { // locals have chunks of their own
		in.cells.add(cell{})
	}
	in.first = in.cells.clone()
	in.symbols, in.conversions = n+1, make(map[conversion]int)
	in.env = make(map[*model.Var]*binding)
	in.reuse, in.multisets = newSlotReuse(), make(map[int]*model.Type)
	in.loops, in.calls, in.branches = nil, nil, 0
	if in.events == nil {
		in.events = make(map[event]bool)
	}
}

// checkNextState checks that the state at the end of a rule does not depend on the order of turns.
func (in *interpreter) checkNextState(pos model.Pos) {
	for i := range in.groups {
		if in.cells.get(i).lastTurn {
			in.fail(pos, "what the last turn of a loop leaves in a state depends on the order")
		}
	}
}

// raise notes that something may come, for all turns around.
func (in *interpreter) raise(o event) {
	in.events[o] = true
	for _, l := range in.loops {
		l.turn.events[o] = true
	}
}

// runtimeError notes that the model may err here.
func (in *interpreter) runtimeError() { in.raise(in.runtimeErrors()) }

func (in *interpreter) runtimeErrors() event { return event(in.m.Runtime().Index) }

// readsLastTurn fails: what is read here depends on the order of turns.
func (in *interpreter) readsLastTurn(pos model.Pos) {
	in.fail(pos, "what the last turn of a loop left is read")
}

func (in *interpreter) newSymbol() int { in.symbols++; return in.symbols }

func (in *interpreter) bindUnknown(v *model.Var) {
	b := &binding{value: cell{symbol: in.newSymbol()}}
	if v.Type.Slots {
		b.isSlot, b.reused = true, maps.Clone(in.reuse.count)
	}
	in.env[v] = b
}

func (in *interpreter) bindLocals(vs []*model.Var) {
	for _, v := range vs {
		in.env[v] = &binding{place: in.alloc(v.Type)}
	}
}

// bind runs the declaration of a name for an expression: an alias of a place, or a copy of a value.
func (in *interpreter) bind(v *model.Var, e model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		in.env[v] = in.alias(e)
		return
	}
	in.bindLocals([]*model.Var{v})
	in.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: e, Pos: pos})
}

// alias returns a binding to the place that e denotes now.
func (in *interpreter) alias(e model.Expr) *binding {
	r := in.region(e)
	if r.name == "" { // from now on the name stands for one place
		r.name = fmt.Sprint("?", in.newSymbol())
	}
	return &binding{place: &r, reused: maps.Clone(in.reuse.count)}
}

// alwaysDefined reports whether a cell is one of a leaf of the state that is assumed to be defined.
func (in *interpreter) alwaysDefined(a int) bool {
	return a < len(in.groups) && !in.undefined[in.groups[a]]
}

// mayHold notes that a leaf may get the value of a cell: if that may be undefined, the leaf may be.
func (in *interpreter) mayHold(leaf int, c cell) {
	if c.defined != isDefined && in.alwaysDefined(leaf) {
		in.undefined[in.groups[leaf]], in.dropped = true, true
	}
}

// mostStarts bounds the start instances that assumeDefined runs.
const mostStarts = 1 << 12

// assumeDefined groups the leaves, and assumes that those are defined that all start states define.
func (in *interpreter) assumeDefined() {
	leaves := in.m.AllLeaves()
	for i, l := range leaves {
		for _, d := range l.Indices {
			i -= int(d.Value-d.Type.Lo) * d.Stride
		}
		in.groups = append(in.groups, i) // by the leaf with the least indices
	}
	in.undefined = make(map[int]bool)
	total := uint64(0)
	for _, r := range in.m.Starts {
		n := uint64(1)
		for _, p := range r.Params {
			n = min(n*min(p.Domain.Size(), 1<<20), 1<<20)
		}
		total += n
	}
	if total > mostStarts {
		for _, g := range in.groups {
			in.undefined[g] = true
		}
		return
	}
	model.Compile(in.m).NewMachine().Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		for i, v := range s {
			slot := leaves[i].Slot
			free := slot >= 0 && (slot == i || s[slot] == model.Undef)
			if v == model.Undef && !free {
				in.undefined[in.groups[i]] = true
			}
		}
		return true
	})
}
