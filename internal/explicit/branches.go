package explicit

import (
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/model"
)

// This file shows why a formula in computation tree logic does not hold in a state: by paths from states on paths, and
// loops, as deep as operators are nested (Clarke, Grumberg, McMillan and Zhao, DAC 1995). States are real ones, each
// looked up by its representative. Of what all paths have, or none, there is no path; it is only said.

// why explains parts of the claim of a property, for an instance.
type why struct {
	l     *ctlCheck
	p     *ctlProp
	inst  int
	looks int // states that were looked at
}

// mostLooks is how many states are looked at for one counterexample; what is left then is only said.
const mostLooks = 1 << 16

// explain adds to a trace why the property does not hold at its end.
func (cc *ctlCheck) explain(t *model.Trace) {
	i := slices.IndexFunc(cc.props, func(p *ctlProp) bool { return p.prop.Index == t.Prop && p.prop.Tree != nil })
	if i < 0 || t.End() == nil || t.Violation.Also != nil {
		return
	}
	p := cc.props[i]
	for inst := range p.insts {
		if x := (&why{l: cc, p: p, inst: inst}); !x.holds(p.claim.Body, t.End()) {
			t.Violation.Message += x.instance()
			t.Branches = x.because(p.claim.Body, false, t.End(), len(t.Steps))
			return
		}
	}
}

// instance returns the values of the parameters as text.
func (w *why) instance() (s string) {
	for i, q := range w.p.prop.Params {
		s += map[bool]string{true: " for ", false: ", "}[i == 0] + q.Var.Name + " = " + q.Var.Type.Format(w.p.insts[w.inst][i])
	}
	return s
}

// holds evaluates part of the claim in a state.
func (w *why) holds(f *ctl.Formula, st model.State) bool {
	pair, _ := w.pair(st)
	return w.p.holds(f, pair)
}

// pair returns the pair of a state and the instance, and the permutation to its representative.
func (w *why) pair(st model.State) (int, model.ScalarPerm) {
	w.looks++
	i, perm := w.l.lookup(st)
	if i < 0 { // the symmetry does not hold, as the check will say
		i, w.looks = 0, mostLooks
	}
	return w.l.pair(w.p, i, w.inst), perm
}

// because returns the branches that show that part of the claim holds, or does not, in a state: number at of the path
// that it is on.
func (w *why) because(f *ctl.Formula, is bool, st model.State, at int) []*model.Branch {
	switch f.Op {
	case ctl.True, ctl.Atom:
		return nil
	case ctl.Not:
		return w.because(f.X, !is, st, at)
	case ctl.And:
		switch {
		case is:
			return append(w.because(f.X, true, st, at), w.because(f.Y, true, st, at)...)
		case !w.holds(f.X, st):
			return w.because(f.X, false, st, at)
		}
		return w.because(f.Y, false, st, at)
	}
	b := &model.Branch{At: at, Loop: -1, Claim: w.p.claim.Text(f) + w.instance()}
	if !is {
		b.Claim = w.p.claim.Text(ctl.No(f)) + w.instance()
	}
	says := func(g *ctl.Formula, is bool) func(model.State) bool {
		return func(s model.State) bool { return w.holds(g, s) == is }
	}
	found, parts := true, []*ctl.Formula{f.Y}
	switch {
	case f.Op == ctl.Next && is:
		var t model.Trace
		if parts[0] = f.X; !stepTo(w.l.s.m, &t, st, says(f.X, true)) {
			b.Loop = 0 // it stands still
		}
		b.Steps = t.Steps
	case f.Op == ctl.Some && is:
		b.Steps, found = w.path(st, says(f.X, true), says(f.Y, true))
	case f.Op == ctl.Stay && is:
		parts[0] = f.X
		b.Steps, b.Loop, found = w.stay(f, st)
	case f.Op == ctl.All && !is:
		stays := says(f, false)
		if b.Steps, found = w.path(st, stays, func(s model.State) bool { return stays(s) && !w.holds(f.X, s) }); !found {
			b.Steps, b.Loop = w.round(st, stays)
		}
		parts = append(parts, f.X)
	default:
		found = false
	}
	for n := len(b.Steps); found && len(parts) > 0; parts = parts[1:] {
		if n > 0 {
			st = b.Steps[n-1].State
		}
		b.Branches = append(b.Branches, w.because(parts[0], is, st, n)...)
	}
	if f.Op == ctl.Stay && f.X.Op == ctl.True { // a fair path begins there: nobody asked
		return nil
	}
	if f.Op == ctl.Some && found && len(b.Steps) == 0 {
		return w.because(f.Y, true, st, at) // it holds at once
	}
	return []*model.Branch{b}
}

// stay returns a fair path without end from a state through the operand of an operator ctl.Stay, which holds there, and the
// number of the state where its loop begins; found is false if there was too much to look at.
func (w *why) stay(f *ctl.Formula, st model.State) (steps []model.TraceStep, loop int, found bool) {
	o := w.p.ops[f.N]
	steps, found = w.path(st, func(s model.State) bool { return w.holds(f, s) }, func(s model.State) bool {
		pair, _ := w.pair(s)
		return o.pass[pair] == 0
	})
	if !found {
		return nil, -1, false
	}
	if loop = len(steps); loop > 0 {
		st = steps[loop-1].State
	}
	pair, perm := w.pair(st)
	if perm != nil {
		perm = clonePerm(perm)
	}
	if round := o.fair.from(pair, st, perm); round[0].Choice.Rule >= 0 {
		steps = append(steps, round...)
	}
	return steps, loop, true
}

// paths are states on paths from one, each once, the nearest first.
type paths struct {
	steps  []model.TraceStep // to each; the first has no step
	before []int             // by state: the one before it
	known  map[string]int
}

// search visits states from one through some, until ends says of a step, from state number i to a state, number j or, if
// that is new, -1, that it is the last. It returns that step; nil if there is none, or too much to look at.
func (w *why) search(st model.State, through func(model.State) bool, ends func(p *paths, i, j int, s model.State) bool) (p *paths, from int, last *model.TraceStep) {
	p = &paths{[]model.TraceStep{{State: st}}, []int{-1}, map[string]int{w.key(st): 0}}
	for ; from < len(p.steps) && w.looks < mostLooks; from++ {
		w.l.s.m.Successors(p.steps[from].State, func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if next == nil {
				return true
			}
			j, ok := p.known[w.key(next)]
			if !ok {
				j = -1
			}
			step := model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)}
			if ends(p, from, j, next) {
				last = &step
			} else if !ok && through(next) {
				p.known[w.key(next)] = len(p.steps)
				p.steps, p.before = append(p.steps, step), append(p.before, from)
			}
			return last == nil
		})
		if last != nil {
			break
		}
	}
	return p, from, last
}

func (w *why) key(s model.State) string { return string(w.l.s.packer.Pack(nil, s)) }

// to returns the numbers of the states on the path to one, the first one left out.
func (p *paths) to(i int) (all []int) {
	for ; i > 0; i = p.before[i] {
		all = append(all, i)
	}
	slices.Reverse(all)
	return all
}

// along returns the steps of the path to state i, and one more.
func (p *paths) along(i int, last *model.TraceStep) (steps []model.TraceStep) {
	for _, k := range p.to(i) {
		steps = append(steps, p.steps[k])
	}
	return append(steps, *last)
}

// path returns the shortest path from a state through some to a goal; found is false if there is none, or too much to look
// at.
func (w *why) path(st model.State, through, goal func(model.State) bool) (steps []model.TraceStep, found bool) {
	if goal(st) {
		return nil, true
	}
	p, from, last := w.search(st, through, func(_ *paths, _, j int, s model.State) bool { return j < 0 && goal(s) })
	if last == nil {
		return nil, false
	}
	return p.along(from, last), true
}

// round returns a path from a state through some that comes back to one of its states, and the number of that; the last
// one if it stands still there. Without steps and with -1 there would be too much to look at. Where each way back joins
// another path than it came from, any path is followed until it comes back.
func (w *why) round(st model.State, stays func(model.State) bool) (steps []model.TraceStep, loop int) {
	p, from, last := w.search(st, stays, func(p *paths, i, j int, _ model.State) bool {
		return j >= 0 && (j == 0 || slices.Contains(p.to(i), j))
	})
	if last != nil {
		steps = p.along(from, last)
		return steps, slices.Index(append([]int{0}, p.to(from)...), p.known[w.key(last.State)])
	}
	at := map[string]int{w.key(st): 0}
	for n := 0; w.looks < mostLooks; n++ {
		var t model.Trace
		if !stepTo(w.l.s.m, &t, st, stays) {
			return steps, n
		}
		steps = append(steps, t.Steps...)
		st = t.Steps[0].State
		if i, ok := at[w.key(st)]; ok {
			return steps, i
		}
		at[w.key(st)] = n + 1
	}
	return nil, -1
}
