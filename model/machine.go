package model

import "slices"

// Machine runs a program. It keeps the frames its methods work in, so it is not
// safe for concurrent use, but the functions passed to Starts and Successors
// may call any of its methods.
type Machine struct {
	p    *Program
	free []*scan // not in use
}

// NewMachine returns a machine that runs p.
func (p *Program) NewMachine() *Machine { return &Machine{p: p} }

// Program returns the program the machine runs.
func (m *Machine) Program() *Program { return m.p }

// get returns a scan whose frames have unspecified contents.
func (m *Machine) get(units []unit) *scan {
	n := len(m.free)
	if n == 0 {
		return &scan{p: m.p, units: units, f: make([]int64, m.p.frame), g: make([]int64, m.p.frame)}
	}
	s := m.free[n-1]
	m.free = m.free[:n-1]
	s.units, s.unit, s.depth, s.test, s.guardV = units, 0, 0, false, nil
	return s
}

func (m *Machine) put(s *scan) { m.free = append(m.free, s) }

// scan enumerates the instances of a list of units on one state. The frame f
// holds the state and, as an odometer, the parameters of the current instance;
// g is the frame a body runs in. An error unwinds run, which is then called
// again and goes on behind the instance that raised it.
type scan struct {
	p     *Program
	units []unit
	f, g  []int64
	pos   [8]uint64 // positions of the parameters in their domains, if they fit
	more  []uint64  // otherwise
	unit  int
	depth int  // parameters bound so far
	test  bool // a guard is being evaluated
	bodyV *Violation
	// guardV is the error raised by the conjuncts at depth guardD; every
	// instance with the same first guardD parameters raises it.
	guardV *Violation
	guardD int
}

func (s *scan) positions() []uint64 {
	if n := len(s.units[s.unit].params); n > len(s.pos) {
		if n > len(s.more) {
			s.more = make([]uint64, n)
		}
		return s.more
	}
	return s.pos[:]
}

// enter binds the next parameter to its first value, or moves on to the next
// sibling if there is none.
func (s *scan) enter() {
	d := s.units[s.unit].params[s.depth]
	if d.n == 0 {
		s.advance()
		return
	}
	s.positions()[s.depth] = 0
	s.f[s.p.n+s.depth] = d.lo
	s.depth++
}

// advance moves on to the next value of the innermost bound parameter that has
// one, or to the next unit.
func (s *scan) advance() {
	pos := s.positions()
	for s.depth > 0 {
		i := s.depth - 1
		if s.guardV != nil && i < s.guardD {
			s.guardV = nil
		}
		d := &s.units[s.unit].params[i]
		if pos[i]++; pos[i] < d.n {
			s.f[s.p.n+i] = d.at(pos[i])
			return
		}
		s.depth--
	}
	s.guardV = nil
	s.unit++
}

// run goes on until yield returns false or all instances are done, and then
// returns true; it returns false after an error, which is in guardV or bodyV.
// yield is called for instances that ran through.
func (s *scan) run(yield func(ch Choice, next State, v *Violation) bool) (done bool) {
	defer func() {
		if r := recover(); r != nil {
			flt, ok := r.(*fault)
			if !ok {
				panic(r)
			}
			if s.test {
				s.guardV, s.guardD = flt.violation(true), s.depth
			} else {
				s.bodyV = flt.violation(false)
			}
		}
	}()
	n := s.p.n
	for s.unit < len(s.units) {
		u := &s.units[s.unit]
		if s.guardV == nil && !s.enabled(u.guard[s.depth]) {
			s.advance()
			continue
		}
		if s.depth < len(u.params) {
			s.enter()
			continue
		}
		if s.guardV != nil {
			if !yield(s.choice(), nil, s.guardV) {
				return true
			}
			s.advance()
			continue
		}
		end := n + len(u.params)
		copy(s.g[:end], s.f[:end])
		undefine(s.g, u.locals[0], u.locals[1]-u.locals[0])
		u.body(s.g)
		if !yield(s.choice(), s.g[:n:n], nil) {
			return true
		}
		s.advance()
	}
	return true
}

func (s *scan) enabled(conjuncts []testFn) bool {
	s.test = true
	for _, test := range conjuncts {
		if !test(s.f) {
			s.test = false
			return false
		}
	}
	s.test = false
	return true
}

// choice returns the current instance; its parameters are valid until the
// odometer moves.
func (s *scan) choice() Choice {
	end := s.p.n + s.depth
	return Choice{s.unit, s.f[s.p.n:end:end]}
}

// all runs the scan to its end.
func (s *scan) all(yield func(ch Choice, next State, v *Violation) bool) {
	for !s.run(yield) {
		s.test = false
		if v := s.bodyV; v != nil {
			s.bodyV = nil
			if !yield(s.choice(), nil, v) {
				return
			}
			s.advance()
		}
	}
}

// Starts calls yield for every instance of every start state, in order: with
// its state, or, if the body errs, with a nil state and the violation. The
// choice and the state are valid during the call only. It stops when yield
// returns false.
func (m *Machine) Starts(yield func(ch Choice, s State, v *Violation) bool) {
	sc := m.get(m.p.starts)
	defer m.put(sc)
	undefine(sc.f, 0, m.p.n)
	sc.all(yield)
}

// Successors calls yield for the instances that are enabled in s, in order:
// with the next state, or, if the body errs, with a nil state and the
// violation. It also does so for the instances whose guard errs, with InGuard
// set in the violation. The choice and the state are valid during the call
// only. It stops when yield returns false.
func (m *Machine) Successors(s State, yield func(ch Choice, next State, v *Violation) bool) {
	sc := m.get(m.p.rules)
	defer m.put(sc)
	m.load(sc.f, s)
	sc.all(yield)
}

// load copies a state into a frame.
func (m *Machine) load(f []int64, s State) {
	if len(s) != m.p.n {
		panic("model: state has the wrong number of leaves")
	}
	copy(f, s)
}

// Start returns the state made by a start state instance, or the violation its
// body raises. It panics if there is no such instance.
func (m *Machine) Start(ch Choice) (State, *Violation) {
	if !m.p.ValidStart(ch) {
		panic("model: Start: no such start state instance")
	}
	sc := m.get(nil)
	defer m.put(sc)
	f := sc.f
	undefine(f, 0, m.p.n)
	_, v := m.fire(&m.p.starts[ch.Rule], f, ch.Params)
	if v != nil {
		return nil, v
	}
	return slices.Clone(f[:m.p.n]), nil
}

// Fire fires a rule instance in s. It returns the next state and true if the
// instance is enabled; nil and false if it is disabled or does not exist; nil,
// true and the violation if its body errs; nil, false and the violation if its
// guard errs.
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
			flt, ok := r.(*fault)
			if !ok {
				panic(r)
			}
			v = flt.violation(!enabled)
		}
	}()
	copy(f[m.p.n:], params)
	for _, conjuncts := range u.guard {
		for _, test := range conjuncts {
			if !test(f) {
				return false, nil
			}
		}
	}
	enabled = true
	undefine(f, u.locals[0], u.locals[1]-u.locals[0])
	u.body(f)
	return true, nil
}

// Violated evaluates the invariant with index prop in s. It returns nil if the
// invariant holds, a violation of prop if it is false, and a violation of the
// run-time error property if its evaluation errs. It panics if prop is not an
// invariant.
func (m *Machine) Violated(s State, prop int) *Violation {
	test := m.p.props[prop]
	if test == nil {
		panic("model: Violated: not an invariant")
	}
	sc := m.get(nil)
	defer m.put(sc)
	f := sc.f
	m.load(f, s)
	ok, v := m.holds(test, f)
	if v != nil || ok {
		return v
	}
	q := m.p.Model.Props[prop]
	return &Violation{Prop: prop, Pos: q.Pos, Message: "invariant " + q.Name + " is false"}
}

func (m *Machine) holds(test testFn, f []int64) (ok bool, v *Violation) {
	defer func() {
		if r := recover(); r != nil {
			flt, is := r.(*fault)
			if !is {
				panic(r)
			}
			v = flt.violation(false)
		}
	}()
	return test(f), nil
}

// Deadlocked reports whether s is deadlocked in the sense of Model.Deadlock:
// under Stuttering no rule instance leads to another state, under Stuck no rule
// instance can be fired at all. An instance that is disabled or errs is no
// step. Under DeadlockOff no state is deadlocked.
func (m *Machine) Deadlocked(s State) bool {
	mode := m.p.Model.Deadlock
	if mode == DeadlockOff {
		return false
	}
	dead := true
	m.Successors(s, func(_ Choice, next State, _ *Violation) bool {
		if next != nil && (mode == Stuck || !slices.Equal(next, s)) {
			dead = false
		}
		return dead
	})
	return dead
}
