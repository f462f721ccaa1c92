package promela

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// Lowering: monitors. A state of a monitor is a variable that says whether the monitor is
// in it; a monitor that surely is in one needs none. What leads to a match from such a
// state is a condition on the state that is read, and no variable either: []p is an
// invariant.

// watcher is a monitor in the model.
type watcher struct {
	*monitor
	claim *claim
	in    []*model.Var // by state; nil: the monitor is always in it, or never
	hit   *model.Var   // it has just matched; nil: that is a condition
	fixed []bool       // by state: always in it
}

// watchers makes the variables of the monitors. A claim that cannot be read is none.
func (l *lowering) watchers() {
	l.watching = nil
	if l.probing {
		return
	}
	for _, c := range l.f.claims {
		if c.monitor == nil {
			continue
		}
		if c.reason = l.refusal(c.monitor); c.reason != "" {
			continue
		}
		w := &watcher{monitor: c.monitor, claim: c, in: make([]*model.Var, len(c.monitor.states)), fixed: make([]bool, len(c.monitor.states))}
		w.fixed[0] = w.stays(0)
		hit := false
		for i := range w.states {
			if !w.fixed[i] && (i == 0 || w.reaches(0, i)) {
				w.in[i] = l.addVar(fmt.Sprintf("_%s_%d", c.name, i), model.BoolType, c.at)
				hit = hit || slices.ContainsFunc(w.states[i], func(m move) bool { return m.to == matched })
			}
		}
		if hit {
			w.hit = l.addVar(fmt.Sprintf("_%s_matched", c.name), model.BoolType, c.at)
		}
		l.p.Monitored = l.p.Monitored || len(w.states) > 1 || !w.fixed[0]
		l.watching = append(l.watching, w)
	}
}

// refusal says why the conditions of a monitor cannot be read, or "".
func (l *lowering) refusal(m *monitor) string {
	e := attempt(func() {
		for _, moves := range m.states {
			for _, x := range moves {
				l.read(x.guard)
			}
		}
		if m.alone {
			m.ahead()
		}
	})
	if e == nil {
		return ""
	}
	return e.Error()
}

// read returns a condition of a monitor.
func (l *lowering) read(e *expr) model.Expr {
	if e == nil {
		return truthOf(true)
	}
	return l.watched(e, &env{})
}

// at tests whether the monitor is in a state.
func (w *watcher) at(state int) model.Expr {
	switch {
	case w.fixed[state]:
		return truthOf(true)
	case w.in[state] == nil:
		return truthOf(false)
	}
	return ref(w.in[state])
}

// enters is the condition under which the monitor comes to a state when it reads one.
func (l *lowering) enters(w *watcher, to int, fixed bool) model.Expr {
	var ways []model.Expr
	for i, moves := range w.states {
		if fixed && !w.fixed[i] {
			continue
		}
		for _, m := range moves {
			if m.to == to {
				ways = append(ways, all(w.at(i), l.read(m.guard)))
			}
		}
	}
	return some(ways...)
}

// watch returns what moves the monitors at the end of a step, and the locals for that.
func (l *lowering) watch() (locals []*model.Var, body []model.Stmt) {
	var after []model.Stmt
	for _, w := range l.watching {
		next := func(v *model.Var, x model.Expr) {
			t := local(v.Name+"_next", model.BoolType)
			locals = append(locals, t)
			body = append(body, assign(ref(t), x, w.claim.at))
			after = append(after, assign(ref(v), ref(t), w.claim.at))
		}
		if w.hit != nil {
			next(w.hit, l.enters(w, matched, false))
		}
		for i, v := range w.in {
			if v != nil {
				next(v, l.enters(w, i, false))
			}
		}
	}
	if body = append(body, after...); len(body) > 0 && l.excl != nil {
		body = []model.Stmt{when(undefined(ref(l.excl)), body...)}
	}
	return locals, body
}

// beginWatch gives the monitors their first states.
func (l *lowering) beginWatch() []model.Stmt {
	var body []model.Stmt
	for _, w := range l.watching {
		for i, v := range w.in {
			if v != nil {
				body = append(body, assign(ref(v), truthOf(i == 0), w.claim.at))
			}
		}
		if w.hit != nil {
			body = append(body, assign(ref(w.hit), truthOf(false), w.claim.at))
		}
	}
	return body
}

// way is a way to a match from a state of a monitor by reading the same state again.
type way struct {
	from  int
	guard *expr
}

// maxWays bounds the ways to a match.
const maxWays = 100

// ahead returns the ways to a match: paths without a repeated state.
func (m *monitor) ahead() (ways []way) {
	var follow func(path []int, guard *expr)
	follow = func(path []int, guard *expr) {
		for _, x := range m.states[path[len(path)-1]] {
			if len(ways) > maxWays || len(path) > maxWays {
				panic(&Error{Msg: "the claim is too large"})
			}
			g := conj(guard, x.guard)
			if x.to == matched {
				ways = append(ways, way{path[0], g})
			} else if !slices.Contains(path, x.to) {
				follow(append(slices.Clip(path), x.to), g)
			}
		}
	}
	for i := range m.states {
		follow([]int{i}, nil)
	}
	return ways
}

// claimProps makes the properties of the monitors.
func (l *lowering) claimProps() {
	for _, w := range l.watching {
		bad := []model.Expr{l.enters(w, matched, true)}
		if l.excl != nil {
			bad[0] = all(undefined(ref(l.excl)), bad[0])
		}
		if w.hit != nil {
			bad = append(bad, ref(w.hit))
		}
		if w.alone {
			if x := someOf(w.ahead(), func(x way) model.Expr { return all(w.at(x.from), l.read(x.guard)) }); !isFalse(x) {
				bad = append(bad, all(x, l.stuck()))
			}
		}
		p := l.m.Props[l.prop(w.claim.name, model.Invariant, w.claim.at)]
		p.Expr = not(some(bad...))
	}
}

// stuck tests whether no process can move, not even by timeout.
func (l *lowering) stuck() model.Expr {
	if !l.f.timeout {
		return not(l.isBusy())
	}
	return all(not(l.isBusy()), not(l.someMove(truthOf(true), nil)))
}
