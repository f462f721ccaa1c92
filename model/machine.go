package model

import "slices"

// Machine runs a program. It keeps the frames its methods work in, so it is not
// safe for concurrent use, but the functions passed to Starts and Successors
// may call any of its methods.
type Machine struct {
	p       *Program
	free    []*scan // not in use
	at      *scan   // the innermost one in progress, or nil
	outer   *scan   // of SuccessorsBut, if none is in progress
	hits    []int64 // of the last instance, by cover statement property
	changed []int   // by the last instance
	moves   bool    // see LeftOut
	sorted  bool    // see Delivered
	calls   int     // of Successors
	scratch *scan   // see Scratch; nil if it was not called
	enabler *enabler
	chained bool // enabler and outer are at the state of the last call of SuccessorsBut, which was given with what changed
	hid     bool // see Hid
}

// warm is how many states a machine looks at before it keeps bits of enabled instances.
const warm = 64

// NewMachine returns a machine that runs p.
func (p *Program) NewMachine() *Machine {
	return &Machine{p: p, hits: make([]int64, p.hitHi-p.hitLo)}
}

// Hid reports whether a quantifier of the program's Strict had an operand that decides and
// one that errs, at any time so far. What the machine returned then may be wrong.
func (m *Machine) Hid() bool { return m.hid }

// caught is Program.caught that notes what was hidden.
func (m *Machine) caught(r any, frames ...[]int64) *fault {
	flt := m.p.caught(r, frames...)
	if flt.prop == hidden {
		m.hid = true
		flt = &fault{prop: m.p.runtime, pos: flt.pos, msg: flt.msg}
	}
	return flt
}

// Delivered promises that all states given to Successors will be such as a machine of
// the program delivered, with their multisets sorted, so that this needs no look.
func (m *Machine) Delivered() { m.sorted = true }

// Scratch returns a state, undefined at first, that belongs to the machine and may be
// written. Properties are evaluated in it without a copy.
func (m *Machine) Scratch() State {
	if m.scratch == nil {
		m.scratch = m.get(nil)
		undefine(m.scratch.f, 0, m.p.n)
	}
	return m.scratch.f[:m.p.n:m.p.n]
}

// Program returns the program the machine runs.
func (m *Machine) Program() *Program { return m.p }

// get returns a scan whose frames have unspecified contents.
func (m *Machine) get(units []unit) *scan {
	n := len(m.free)
	if n == 0 {
		return &scan{m: m, p: m.p, units: units, f: make([]int64, m.p.frame), g: make([]int64, m.p.frame), stale: true}
	}
	s := m.free[n-1]
	m.free = m.free[:n-1]
	s.begin(units)
	s.stale = true
	return s
}

func (m *Machine) put(s *scan) { m.free = append(m.free, s) }

// keepHits saves the cover statements hit by the instance that f holds.
func (m *Machine) keepHits(f []int64) {
	if len(m.hits) > 0 {
		copy(m.hits, f[m.p.hitLo:m.p.hitHi])
	}
}

// Hit reports whether the instance just passed to the function given to Starts
// or Successors, or just run by Start or Fire, ran a cover statement that belongs
// to the property prop and whose condition held.
func (m *Machine) Hit(prop int) bool {
	at := m.p.hits[prop]
	return at >= 0 && m.hits[at-m.p.hitLo] != 0
}

// Changed returns the leaves, ascending, in which the state just passed to the
// function given to Successors differs from the one that it is a successor of. It
// is valid until that function returns or the machine runs other instances.
func (m *Machine) Changed() []int { return m.changed }

// Starts calls yield for every instance of every start state, in order: with
// its state, or, if the body errs, with a nil state and the violation. The
// choice and the state are valid during the call only. It stops when yield
// returns false. Instances that an assumption disables are left out.
func (m *Machine) Starts(yield func(ch Choice, s State, v *Violation) bool) {
	sc := m.get(m.p.starts)
	defer m.put(sc)
	undefine(sc.f, 0, m.p.n)
	sc.sorted = true
	sc.all(yield)
}

// Successors calls yield for the instances that are enabled in s, in order:
// with the next state, or, if the body errs, with a nil state and the
// violation. It also does so for the instances whose guard errs, with InGuard
// set in the violation. The choice and the state are valid during the call
// only. It stops when yield returns false. Instances that an assumption disables
// are left out.
func (m *Machine) Successors(s State, yield func(ch Choice, next State, v *Violation) bool) {
	m.SuccessorsBut(s, nil, nil, yield)
}

// SuccessorsBut is Successors for all instances but those whose numbers are in but, a row of
// Program.AllInstances bits, or nil. If changed is not nil, s differs from the state of the last
// call of SuccessorsBut in no leaves but these. It counts only if there was no call of
// Successors or Deadlocked in between.
func (m *Machine) SuccessorsBut(s State, changed []int, but []uint64, yield func(ch Choice, next State, v *Violation) bool) {
	chained := changed != nil && m.chained
	m.chained = changed != nil && m.at == nil
	var sc *scan
	if m.at == nil {
		if m.outer == nil {
			m.outer = m.get(nil)
		}
		sc = m.outer
		sc.begin(m.p.rules)
		sc.open = m.enabled(s, changed, chained)
	} else {
		sc, chained = m.get(m.p.rules), false
		defer m.put(sc)
	}
	if chained {
		sc.move(s, changed)
	} else {
		m.load(sc.f, s)
		sc.stale = true
	}
	sc.but = but
	sc.sorted = m.sorted || m.p.Sorted(s)
	sc.all(yield)
	m.moves = sc.moves
}

// enabled returns the bits of enabled instances for s, or nil. If chained, s differs from the state that they are for
// in the leaves changed at most.
func (m *Machine) enabled(s State, changed []int, chained bool) *enabler {
	if m.calls++; m.calls == warm {
		if x := m.p.enabling(); x != nil {
			m.enabler, chained = x.enabler(m.p.n), false
		}
	}
	switch {
	case m.enabler == nil:
	case chained:
		m.enabler.step(s, changed)
	default:
		m.enabler.move(s)
	}
	return m.enabler
}

// LeftOut reports whether the last call of Successors that ran to its end left
// out an instance that leads to another state, but to one that violates an
// assumption declaration. There is no such step, but the state is not
// deadlocked, as in Rumur.
func (m *Machine) LeftOut() bool { return m.moves }

// load copies a state into a frame.
func (m *Machine) load(f []int64, s State) {
	if len(s) != m.p.n {
		panic("model: state has the wrong number of leaves")
	}
	copy(f, s)
	m.p.forget(f)
}

// forget makes the memo of a frame empty.
func (p *Program) forget(f []int64) { clear(f[p.memoLo:p.memoHi]) }

// Start returns the state made by a start state instance, or the violation its
// body raises, or neither if an assumption disables it. It panics if there is no
// such instance.
func (m *Machine) Start(ch Choice) (State, *Violation) {
	if !m.p.ValidStart(ch) {
		panic("model: Start: no such start state instance")
	}
	sc := m.get(nil)
	defer m.put(sc)
	f := sc.f
	undefine(f, 0, m.p.n)
	enabled, v := m.fire(&m.p.starts[ch.Rule], f, ch.Params)
	if !enabled || v != nil {
		return nil, v
	}
	return slices.Clone(f[:m.p.n]), nil
}

// Fire fires a rule instance in s. It returns the next state and true if the
// instance is enabled; nil and false if it is disabled, also by an assumption, or
// does not exist; nil, true and the violation if its body errs; nil, false and
// the violation if its guard errs.
func (m *Machine) Fire(s State, ch Choice) (next State, enabled bool, v *Violation) {
	if !m.p.ValidRule(ch) {
		return nil, false, nil
	}
	sc := m.get(nil)
	defer m.put(sc)
	f := sc.f
	m.load(f, s)
	enabled, v = m.fire(&m.p.rules[ch.Rule], f, ch.Params)
	if !enabled || v != nil {
		return nil, enabled, v
	}
	return slices.Clone(f[:m.p.n]), true, nil
}

// fire runs one instance in the frame f, which holds the state.
func (m *Machine) fire(u *unit, f, params []int64) (enabled bool, v *Violation) {
	defer func() {
		if r := recover(); r != nil {
			if flt := m.caught(r, f); flt.prop == disabled {
				enabled = false
			} else {
				v = flt.violation(!enabled)
			}
		}
		m.keepHits(f)
		if !enabled && v == nil {
			clear(m.hits)
		}
	}()
	copy(f[m.p.n:], params)
	clear(f[m.p.hitLo:m.p.hitHi])
	if !m.p.enabled(u, f) {
		return false, nil
	}
	enabled = true
	undefine(f, u.locals[0], u.locals[1]-u.locals[0])
	u.body(f)
	return m.p.arrive(f), nil
}

// enabled evaluates the whole guard of u.
func (p *Program) enabled(u *unit, f []int64) bool {
	f[p.frozen] = 1
	for _, conjuncts := range u.guard {
		for i := range conjuncts {
			if !conjuncts[i].test(f) {
				return false
			}
		}
	}
	f[p.frozen] = 0
	for _, test := range u.late {
		if !test(f) {
			return false
		}
	}
	return true
}

// Violated evaluates the invariant with index prop in s. It returns nil if the
// invariant holds, a violation of prop if it is false, and a violation of the
// run-time error property, and also of prop, if its evaluation errs. It panics if
// prop is not an invariant.
func (m *Machine) Violated(s State, prop int) *Violation {
	q := m.p.Model.Props[prop]
	if q.Kind != Invariant {
		panic("model: Violated: not an invariant")
	}
	ok, v := m.holds(s, prop, nil, m.p.invariants[prop])
	if v != nil || ok {
		return v
	}
	return &Violation{Prop: prop, Pos: q.Pos, Message: "invariant " + q.Name + " is false"}
}

// Holds evaluates the expression of the cover or liveness property with index
// prop in s, for the values inst of its parameters; for a cover property, nil
// means any values. The violation is what the evaluation raises, if it errs. An error
// violates a liveness property, too; a cover that is hit elsewhere stays hit. Holds
// panics if prop is no such property, or inst no instance of it.
func (m *Machine) Holds(s State, prop int, inst []int64) (bool, *Violation) {
	q := m.p.Model.Props[prop]
	switch u := &m.p.instances[prop]; {
	case q.Kind != Cover && q.Kind != Liveness || q.Expr == nil:
		panic("model: Holds: not a cover or liveness property with an expression")
	case q.Kind == Cover && inst == nil:
		return m.holds(s, prop, nil, m.p.invariants[prop])
	case !u.has(inst):
		panic("model: Holds: no such instance")
	default:
		return m.holds(s, prop, inst, func(f []int64) bool { return m.p.enabled(u, f) })
	}
}

// Errs returns the first violation of prop that the evaluation of the declared
// properties in s raises, or nil. Property prop is that of run-time errors, or an
// assert or error statement, which may be in a function that they call.
func (m *Machine) Errs(s State, prop int) *Violation {
	for _, q := range m.p.Model.Props {
		if q.Expr == nil {
			continue
		}
		var v *Violation
		switch q.Kind {
		case Invariant:
			v = m.Violated(s, q.Index)
		case Cover:
			_, v = m.Holds(s, q.Index, nil)
		case Liveness:
			for inst := range Instances(q.Params) {
				if _, v = m.Holds(s, q.Index, inst); v != nil {
					break
				}
			}
		}
		if u := v.Of(prop); u != nil {
			return u
		}
	}
	return nil
}

// holds evaluates the test of prop in s. If s is what the scan in progress has
// just passed on, and stays so, or Scratch, the frame that holds it serves.
func (m *Machine) holds(s State, prop int, params []int64, test testFn) (ok bool, v *Violation) {
	var f []int64
	switch {
	case m.at != nil && len(s) > 0 && &s[0] == &m.at.g[0] && m.p.pure[prop]:
		f = m.at.g
		m.p.forget(f)
	case m.scratch != nil && len(s) > 0 && &s[0] == &m.scratch.f[0] && m.p.pure[prop]:
		f = m.scratch.f
		m.p.forget(f)
	default:
		sc := m.get(nil)
		defer m.put(sc)
		f = sc.f
		m.load(f, s)
	}
	defer func() {
		f[m.p.frozen] = 0
		if r := recover(); r != nil {
			if flt := m.caught(r, f); flt.prop == disabled {
				ok = true
			} else {
				if m.p.Model.Props[prop].Kind != Cover {
					flt = flt.while(prop)
				}
				v = flt.violation(false)
			}
		}
	}()
	copy(f[m.p.n:], params)
	f[m.p.frozen] = 0
	return test(f), nil
}

// Deadlocked reports whether s is deadlocked in the sense of Model.Deadlock:
// under Stuttering no rule instance leads to another state, under Stuck no rule
// instance can be fired at all. A state in which some instance errs, in its guard or
// in its body, is not deadlocked: the error is what is wrong there. Nor is one from
// which an assumption declaration keeps a step, see LeftOut. Under DeadlockOff no
// state is deadlocked.
func (m *Machine) Deadlocked(s State) bool {
	mode := m.p.Model.Deadlock
	if mode == DeadlockOff {
		return false
	}
	dead := true
	m.Successors(s, func(_ Choice, next State, v *Violation) bool {
		dead = v == nil && mode == Stuttering && slices.Equal(next, s)
		return dead
	})
	return dead && !m.moves
}

// Shown returns what shows at the end of a trace that ends in s, with the instance that m ran last: that an invariant or
// an error is violated, a deadlock, that a cover property is hit, or that a liveness property may be violated, as
// it does not hold in s for some values of its parameters, or a formula about the graph of all steps. It returns nil if
// nothing does.
func (m *Machine) Shown(s State, prop int) *Violation {
	q, found := m.p.Model.Props[prop], false
	switch q.Kind {
	case Invariant:
		return m.Violated(s, prop)
	case RuntimeError, Assertion, ErrorStmt:
		return m.Errs(s, prop)
	case Deadlock:
		if m.Deadlocked(s) {
			return &Violation{Prop: prop, Message: "deadlock"}
		}
	case Cover:
		if q.Expr == nil {
			found = m.Hit(prop)
		} else {
			hit, v := m.Holds(s, prop, nil)
			found = hit && v == nil
		}
	case Liveness:
		for inst := range Instances(q.Params) {
			ok, v := m.Holds(s, prop, inst)
			if found = !ok || v != nil; found {
				break
			}
		}
	case Branching:
		found = true
	}
	if found {
		return &Violation{Prop: prop}
	}
	return nil
}
