package explicit

import (
	"slices"

	"orbitmc/ctl"
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
func (l *ctlCheck) explain(t *model.Trace) {
	i := slices.IndexFunc(l.props, func(p *ctlProp) bool { return p.prop.Index == t.Prop && p.prop.Tree != nil })
	if i < 0 || t.End() == nil || t.Violation.Also != nil {
		return
	}
	p := l.props[i]
	for inst := range p.insts {
		if x := (&why{l: l, p: p, inst: inst}); !x.holds(p.claim.Body, t.End()) {
			t.Violation.Message += x.instance()
			t.Branches = x.because(p.claim.Body, false, t.End(), len(t.Steps))
			return
		}
	}
}

// instance returns the values of the parameters as text.
func (x *why) instance() (s string) {
	for i, q := range x.p.prop.Params {
		s += map[bool]string{true: " for ", false: ", "}[i == 0] + q.Var.Name + " = " + q.Var.Type.Format(x.p.insts[x.inst][i])
	}
	return s
}

// holds evaluates part of the claim in a state.
func (x *why) holds(f *ctl.Formula, st model.State) bool {
	pair, _ := x.pair(st)
	return x.p.holds(f, pair)
}

// pair returns the pair of a state and the instance, and the permutation to its representative.
func (x *why) pair(st model.State) (int, model.ScalarPerm) {
	x.looks++
	i, perm := x.l.lookup(st)
	if i < 0 { // the symmetry does not hold, as the check will say
		i, x.looks = 0, mostLooks
	}
	return x.l.pair(x.p, i, x.inst), perm
}

// because returns the branches that show that part of the claim holds, or does not, in a state: number at of the path
// that it is on.
func (x *why) because(f *ctl.Formula, is bool, st model.State, at int) []*model.Branch {
	switch f.Op {
	case ctl.True, ctl.Atom:
		return nil
	case ctl.Not:
		return x.because(f.X, !is, st, at)
	case ctl.And:
		switch {
		case is:
			return append(x.because(f.X, true, st, at), x.because(f.Y, true, st, at)...)
		case !x.holds(f.X, st):
			return x.because(f.X, false, st, at)
		}
		return x.because(f.Y, false, st, at)
	}
	b := &model.Branch{At: at, Loop: -1, Claim: x.p.claim.Text(f) + x.instance()}
	if !is {
		b.Claim = x.p.claim.Text(ctl.No(f)) + x.instance()
	}
	says := func(g *ctl.Formula, is bool) func(model.State) bool {
		return func(s model.State) bool { return x.holds(g, s) == is }
	}
	found, parts := true, []*ctl.Formula{f.Y}
	switch {
	case f.Op == ctl.Next && is:
		var t model.Trace
		if parts[0] = f.X; !stepTo(x.l.s.m, &t, st, says(f.X, true)) {
			b.Loop = 0 // it stands still
		}
		b.Steps = t.Steps
	case f.Op == ctl.Some && is:
		b.Steps, found = x.path(st, says(f.X, true), says(f.Y, true))
	case f.Op == ctl.Stay && is:
		parts[0] = f.X
		b.Steps, b.Loop, found = x.stay(f, st)
	case f.Op == ctl.All && !is:
		stays := says(f, false)
		if b.Steps, found = x.path(st, stays, func(s model.State) bool { return stays(s) && !x.holds(f.X, s) }); !found {
			b.Steps, b.Loop = x.round(st, stays)
		}
		parts = append(parts, f.X)
	default:
		found = false
	}
	for n := len(b.Steps); found && len(parts) > 0; parts = parts[1:] {
		if n > 0 {
			st = b.Steps[n-1].State
		}
		b.Branches = append(b.Branches, x.because(parts[0], is, st, n)...)
	}
	if f.Op == ctl.Stay && f.X.Op == ctl.True { // a fair path begins there: nobody asked
		return nil
	}
	if f.Op == ctl.Some && found && len(b.Steps) == 0 {
		return x.because(f.Y, true, st, at) // it holds at once
	}
	return []*model.Branch{b}
}

// stay returns a fair path without end from a state through the operand of an operator ctl.Stay, which holds there, and the
// number of the state where its loop begins; found is false if there was too much to look at.
func (x *why) stay(f *ctl.Formula, st model.State) (steps []model.TraceStep, loop int, found bool) {
	o := x.p.ops[f.N]
	steps, found = x.path(st, func(s model.State) bool { return x.holds(f, s) }, func(s model.State) bool {
		pair, _ := x.pair(s)
		return o.pass[pair] == 0
	})
	if !found {
		return nil, -1, false
	}
	if loop = len(steps); loop > 0 {
		st = steps[loop-1].State
	}
	pair, perm := x.pair(st)
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
func (x *why) search(st model.State, through func(model.State) bool, ends func(p *paths, i, j int, s model.State) bool) (p *paths, from int, last *model.TraceStep) {
	p = &paths{[]model.TraceStep{{State: st}}, []int{-1}, map[string]int{x.key(st): 0}}
	for ; from < len(p.steps) && x.looks < mostLooks; from++ {
		x.l.s.m.Successors(p.steps[from].State, func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if next == nil {
				return true
			}
			j, ok := p.known[x.key(next)]
			if !ok {
				j = -1
			}
			step := model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)}
			if ends(p, from, j, next) {
				last = &step
			} else if !ok && through(next) {
				p.known[x.key(next)] = len(p.steps)
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

func (x *why) key(s model.State) string { return string(x.l.s.packer.Pack(nil, s)) }

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
func (x *why) path(st model.State, through, goal func(model.State) bool) (steps []model.TraceStep, found bool) {
	if goal(st) {
		return nil, true
	}
	p, from, last := x.search(st, through, func(_ *paths, _, j int, s model.State) bool { return j < 0 && goal(s) })
	if last == nil {
		return nil, false
	}
	return p.along(from, last), true
}

// round returns a path from a state through some that comes back to one of its states, and the number of that; the last
// one if it stands still there. Without steps and with -1 there would be too much to look at. Where each way back joins
// another path than it came from, any path is followed until it comes back.
func (x *why) round(st model.State, stays func(model.State) bool) (steps []model.TraceStep, loop int) {
	p, from, last := x.search(st, stays, func(p *paths, i, j int, _ model.State) bool {
		return j >= 0 && (j == 0 || slices.Contains(p.to(i), j))
	})
	if last != nil {
		steps = p.along(from, last)
		return steps, slices.Index(append([]int{0}, p.to(from)...), p.known[x.key(last.State)])
	}
	at := map[string]int{x.key(st): 0}
	for n := 0; x.looks < mostLooks; n++ {
		var t model.Trace
		if !stepTo(x.l.s.m, &t, st, stays) {
			return steps, n
		}
		steps = append(steps, t.Steps...)
		st = t.Steps[0].State
		if i, ok := at[x.key(st)]; ok {
			return steps, i
		}
		at[x.key(st)] = n + 1
	}
	return nil, -1
}
