package certify

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file compares the system of a proof with the file of the user. If an encoding lacks a step of the model, a proof
// says nothing about the model, and only tests check the encoding. So the interpreter makes random walks, and each step
// must be a step of the encoding. A netlist made of words compares random runs on words with its own (mc.Problem.Sample).
// The comparison proves nothing and needs no derivation: a mistake in an operator or a rule mostly shows in many steps.

const (
	walkGates     = 1 << 24 // gates evaluated in all walks, but for the first fewSteps steps
	instanceGates = 64      // what an instance takes in the interpreter, in gates
	fewSteps      = 16
	allSteps      = 256
	walkSteps     = 32      // in one walk
	someNext      = 1 << 14 // successors among which one is drawn
)

// walkLimit returns how many steps are tried.
func walkLimit(p *mc.Problem) int {
	step := int64(p.Enc.Sys.G.Len())
	for _, instances := range []*big.Int{p.Program.NumStarts(), p.Program.NumInstances()} {
		if !instances.IsInt64() || instances.Int64() > walkGates/instanceGates {
			return fewSteps
		}
		step = max(step, int64(p.Enc.Sys.G.Len())+instanceGates*instances.Int64())
	}
	return int(min(allSteps, max(fewSteps, walkGates/step)))
}

// tryWalks returns an error if the system of p lacks a step of the interpreter.
func tryWalks(ctx context.Context, p *mc.Problem) error {
	if p.Sample != nil {
		return p.Sample(ctx)
	}
	if p.Enc == nil {
		return nil
	}
	w := &walker{Problem: p, mach: p.Program.NewMachine(), eval: ts.NewEvaluator(p.Enc.Sys), rng: rand.New(rand.NewPCG(1, 2))}
	for left := walkLimit(p); left > 0; {
		steps, err := w.walk(ctx, min(left, walkSteps))
		if err != nil {
			return fmt.Errorf("the encoding of the model lacks a step: %w", err)
		}
		if left -= steps; steps == 0 {
			break
		}
	}
	return nil
}

// walker makes random walks.
type walker struct {
	*mc.Problem
	mach *model.Machine
	eval *ts.Evaluator
	rng  *rand.Rand
}

// taken is a choice and what it leads to.
type taken struct {
	choice model.Choice
	next   model.State
	wrong  *model.Violation
}

// draw returns one of the first choices that a method of a machine yields; ok is false if it yields none.
func (w *walker) draw(each func(yield func(model.Choice, model.State, *model.Violation) bool)) (t taken, ok bool) {
	n := 0
	each(func(ch model.Choice, s model.State, v *model.Violation) bool {
		if n++; w.rng.IntN(n) == 0 {
			t = taken{model.Choice{Rule: ch.Rule, Params: slices.Clone(ch.Params)}, slices.Clone(s), v}
		}
		return n < someNext
	})
	return t, n > 0
}

// walk goes so many steps from a start state, or fewer, and returns how many; the start counts.
func (w *walker) walk(ctx context.Context, most int) (steps int, err error) {
	at, ok := w.draw(w.mach.Starts)
	if !ok {
		return 0, nil
	}
	x := w.eval.Reset(w.Enc.EncodeStart(at.choice))
	for {
		steps++
		switch {
		case ctx.Err() != nil:
			return steps, ctx.Err()
		case at.wrong != nil:
			return steps, nil
		}
		none := make([]bool, len(w.Enc.Sys.Inputs))
		if w.hides(x, none) {
			return steps, nil
		}
		if got, err := w.Enc.DecodeState(x); err != nil || !slices.Equal(got, at.next) {
			return steps, fmt.Errorf("%s leads to another state", w.name(at.choice, steps == 1))
		}
		s := at.next
		x = w.Enc.EncodeState(s) // elements of multisets in the order of the interpreter
		if at, ok = w.draw(func(yield func(model.Choice, model.State, *model.Violation) bool) { w.mach.Successors(s, yield) }); !ok || steps == most {
			w.eval.Set(x, none)
			return steps, w.shows(s, nil)
		}
		inputs := w.Enc.EncodeStep(x, at.choice)
		if w.hides(x, inputs) {
			return steps, nil
		}
		w.eval.Set(x, inputs)
		if err := w.shows(s, at.wrong); err != nil {
			return steps, err
		}
		x = w.eval.Next()
	}
}

// hides reports whether an error is hidden in a state or a step. There the system may do something else than the
// model (encode.Strict).
func (w *walker) hides(x, inputs []bool) bool {
	if !w.Enc.MayHide() {
		return false
	}
	w.eval.Set(x, inputs)
	return slices.ContainsFunc(w.Enc.Sys.Bads, func(b ts.Bad) bool { return b.Prop == len(w.Model.Props) && w.eval.Value(b.Lit) })
}

// shows compares what is violated in a state and by the step from it with the bads.
func (w *walker) shows(s model.State, wrong *model.Violation) error {
	bad := func(prop int) bool {
		return slices.ContainsFunc(w.Enc.PropBads[prop], func(b int) bool { return w.eval.Value(w.Enc.Sys.Bads[b].Lit) })
	}
	if !w.eval.Value(w.Enc.Sys.W) {
		return fmt.Errorf("a state is not well-formed")
	}
	for _, prop := range w.Props {
		violated := wrong.Of(prop) != nil
		switch q := w.Model.Props[prop]; {
		case q.Kind == model.Invariant:
			violated = violated || w.mach.Violated(s, prop).Of(prop) != nil
		case q.Kind == model.Deadlock && !w.Enc.MayHide(): // an error may be hidden in another step
			violated = violated || w.mach.Deadlocked(s)
		case q.Kind == model.Cover && q.Expr != nil:
			hit, v := w.mach.Holds(s, prop, nil)
			violated = violated || hit && v == nil
		}
		if violated && !bad(prop) {
			return fmt.Errorf("%q is violated in the interpreter only", w.Name(prop))
		}
	}
	return nil
}

// name names a choice.
func (w *walker) name(ch model.Choice, start bool) string {
	if start {
		return w.Model.FormatStart(ch)
	}
	return w.Model.FormatChoice(ch)
}
