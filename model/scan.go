package model

import "slices"

// This file enumerates the instances of rules and start states on one state: which may be enabled
// (enabled.go says so for most), which are, and what they do.

// scan enumerates the instances of a list of units on one state. The frame f
// holds the state and, as an odometer, the parameters of the current instance;
// g is the frame a body runs in: what the one before changed in the state there
// is undone first. An error unwinds run, which is then called again and goes on
// behind the instance that raised it.
type scan struct {
	m       *Machine
	p       *Program
	units   []unit
	f, g    []int64
	pos     [8]uint64 // positions of the parameters in their domains, if they fit
	more    []uint64  // otherwise
	unit    int
	depth   int // parameters bound so far
	phase   phase
	changed []int      // leaves of g that differ from those of f
	touched []int      // the outermost multisets that the last instance has written
	stale   bool       // others may differ as well
	sorted  bool       // the multisets in f are sorted
	bodyV   *Violation // of the current instance; nil if it is disabled
	moves   bool       // an instance that an assumption declaration disables leads to another state
	// guardV is the error raised by the conjuncts at depth guardD; every
	// instance with the same first guardD parameters raises it.
	guardV *Violation
	guardD int

	open *enabler // nil: all instances are looked at
	inst int      // the next one in there
	but  []uint64 // instances that are left out, by number; may be nil
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

// phase is what a scan evaluates.
type phase uint8

const (
	inBody  phase = iota
	inGuard       // in f, for all instances that share the parameters bound so far
	inLate        // in g, for one instance
)

// run goes on until yield returns false or all instances are done, and then
// returns true; it returns false after an error, which is in guardV or bodyV, or
// a failed assumption. yield is called for instances that ran through.
func (s *scan) run(yield func(ch Choice, next State, v *Violation) bool) (done bool) {
	defer func() {
		if r := recover(); r != nil {
			flt := s.m.caught(r, s.f, s.g)
			switch {
			case flt.prop == disabled:
			case s.phase == inGuard:
				s.guardV, s.guardD = flt.violation(true), s.depth
			default:
				s.bodyV = flt.violation(s.phase == inLate)
			}
		}
	}()
	p := s.p
	n := p.n
	for s.unit < len(s.units) {
		u := &s.units[s.unit]
		switch {
		case s.picks():
			if !s.pick() {
				continue
			}
			u = &s.units[s.unit]
		case s.depth == len(u.params) && s.depth > 0 && s.guardV == nil && !s.seek(u),
			s.depth == len(u.params) && s.but != nil && s.left(u),
			s.guardV == nil && !s.passes(u.guard[s.depth]):
			s.advance()
			continue
		case s.depth < len(u.params):
			s.enter()
			continue
		case s.guardV != nil:
			if !yield(s.choice(), nil, s.guardV) {
				return true
			}
			s.advance()
			continue
		}
		s.restore()
		copy(s.g[n:], s.f[n:n+len(u.params)])
		if s.body(u) {
			s.compare()
			s.m.keepHits(s.g)
			s.m.changed = s.changed
			if !yield(s.choice(), s.g[:n:n], nil) {
				return true
			}
		}
		s.skip()
	}
	return true
}

// picks reports whether the bits of enabled instances tell those of the unit at hand.
func (s *scan) picks() bool { return s.open != nil && s.open.first[s.unit] >= 0 }

// left reports whether the instance at hand is left out.
func (s *scan) left(u *unit) bool {
	i := s.p.first[s.unit]
	if i < 0 {
		return false
	}
	at, pos := 0, s.positions()
	for k := range u.params {
		at = at*int(u.params[k].n) + int(pos[k])
	}
	i += at
	return s.but[i/64]>>(i%64)&1 != 0
}

// pick moves on to the next instance that is not known to be disabled and evaluates what
// is left of its guard. It returns false if that does not hold, or there is none before
// the next unit that has no bits.
func (s *scan) pick() bool {
	e := s.open
	s.inst = max(s.inst, e.first[s.unit])
	i := e.from(s.inst, e.end[s.unit], s.but)
	if i < 0 {
		s.unit = e.next[s.unit]
		s.depth = 0
		return false
	}
	s.inst = i + 1
	s.unit = int(e.unit[i])
	s.depth = len(s.units[s.unit].params)
	copy(s.f[s.p.n:], e.params[e.at[i]:e.at[i]+s.depth])
	rest := e.rest[s.unit]
	if e.errs[i/64]>>(i%64)&1 != 0 {
		rest = e.all[s.unit]
	}
	if len(rest) == 0 {
		return true
	}
	s.phase = inLate
	for k := range rest {
		if !rest[k].holds(s.f) {
			s.phase = inBody
			return false
		}
	}
	s.phase = inBody
	return true
}

// seek moves on, among the values of the last parameter, to the first for which the
// first conjunct of the guard that mentions it may hold. It returns false if there
// is none: the parameter is at its last value then.
func (s *scan) seek(u *unit) bool {
	if len(u.guard[s.depth]) == 0 || !u.guard[s.depth][0].quick {
		return true
	}
	q, f, i := &u.guard[s.depth][0], s.f, s.depth-1
	d, at := &u.params[i], s.p.n+i
	for pos := &s.positions()[i]; ; *pos++ {
		v := f[q.base+int(f[q.slot[0]])*q.stride[0]+int(f[q.slot[1]])*q.stride[1]]
		if v == Undef && !q.undef || (v == q.k) == q.eq {
			return true
		}
		if *pos+1 >= d.n {
			return false
		}
		f[at] += d.by
	}
}

// begin makes the scan one of these units. What its frames hold stays.
func (s *scan) begin(units []unit) {
	s.units, s.unit, s.depth, s.phase, s.guardV, s.moves = units, 0, 0, inBody, nil, false
	s.open, s.inst, s.but = nil, 0, nil
}

// move makes the state in f the state t, which differs from it in the leaves changed at most.
func (s *scan) move(t State, changed []int) {
	if !s.stale {
		s.restore()
		s.stale, s.changed = false, s.changed[:0]
		for _, i := range changed {
			s.g[i] = t[i]
		}
	}
	for _, i := range changed {
		s.f[i] = t[i]
	}
	s.p.forget(s.f)
}

// restore makes the state in g that in f.
func (s *scan) restore() {
	if s.stale {
		copy(s.g[:s.p.n], s.f)
	} else {
		for _, i := range s.changed {
			s.g[i] = s.f[i]
		}
	}
	s.stale = true
}

// compare finds the leaves that an instance has changed.
func (s *scan) compare() {
	s.changed = s.changed[:0]
	s.stale = false
	writes, ok := s.writes()
	if !ok {
		s.differ(0, s.p.n)
		return
	}
	ascending := true
	for _, w := range writes {
		at, n := int(w&(1<<32-1)), int(w>>32)
		switch k := len(s.changed); {
		case at >= s.p.n:
		case s.p.setOf[at] > 0 && at+n <= s.p.sets[s.p.setOf[at]-1].end(): // touched
		case n == 1:
			if s.f[at] != s.g[at] {
				s.changed = append(s.changed, at)
				ascending = ascending && (k == 0 || s.changed[k-1] < at)
			}
		default:
			s.differ(at, at+n)
			ascending = ascending && (k == 0 || k == len(s.changed) || s.changed[k-1] < s.changed[k])
		}
	}
	for _, i := range s.touched {
		k, r := len(s.changed), &s.p.sets[i]
		s.differ(r.base, r.end())
		ascending = ascending && (k == 0 || k == len(s.changed) || s.changed[k-1] < s.changed[k])
	}
	if ascending {
		return
	}
	// Few leaves, perhaps found twice, are to be in order.
	c := s.changed
	for i := 1; i < len(c); i++ {
		for j := i; j > 0 && c[j] < c[j-1]; j-- {
			c[j], c[j-1] = c[j-1], c[j]
		}
	}
	s.changed = slices.Compact(c)
}

// writes returns what the instance in g has written, see wrote; ok is false if that is
// not known.
func (s *scan) writes() (all []int64, ok bool) {
	n := s.g[s.p.log]
	if n > manyWrites || !s.sorted {
		return nil, false
	}
	return s.g[s.p.log+1:][:n], true
}

// differ appends the leaves from lo to hi that an instance has changed.
func (s *scan) differ(lo, hi int) {
	const size = 4 * blockLeaves
	for ; hi-lo >= size; lo += size {
		if *(*[size]int64)(s.f[lo:]) != *(*[size]int64)(s.g[lo:]) {
			for k := lo; k < lo+size; k++ {
				if s.f[k] != s.g[k] {
					s.changed = append(s.changed, k)
				}
			}
		}
	}
	f := s.f[lo:hi]
	g := s.g[lo:hi]
	for k, v := range f {
		if v != g[k] {
			s.changed = append(s.changed, lo+k)
		}
	}
}

// body runs an instance in g and reports whether it is enabled.
func (s *scan) body(u *unit) bool {
	p, g := s.p, s.g
	clear(g[p.hitLo:p.hitHi])
	g[p.log] = 0
	if u.late != nil && !s.holds(inLate, u.late, g) {
		return false
	}
	undefine(g, u.locals[0], u.locals[1]-u.locals[0])
	u.body(g)
	if !s.arrive() {
		s.moves = s.moves || !slices.Equal(g[:p.n], s.f[:p.n])
		return false
	}
	return true
}

// arrive is Program.arrive for g. Multisets that were not written are sorted.
func (s *scan) arrive() bool {
	s.touched = s.touched[:0]
	if len(s.p.sets) > 0 {
		writes, ok := s.writes()
		if !ok {
			s.p.Normalise(s.g[:s.p.n])
		}
		for _, w := range writes {
			s.touch(int(w&(1<<32-1)), int(w>>32))
		}
		for _, k := range s.touched {
			for i := k - s.p.sets[k].inner; i < k; i++ {
				s.p.sets[i].sort(s.g)
			}
			s.p.sets[k].order(s.g)
		}
	}
	return s.p.assumed(s.g)
}

// touch notes the outermost multisets of which g was written from leaf at on, and
// undefines free slots there.
func (s *scan) touch(at, n int) {
	for end := min(at+n, s.p.n); at < end; {
		k := s.p.setOf[at] - 1
		if k < 0 {
			at++
			continue
		}
		r := &s.p.sets[k]
		last := min(end, r.end())
		r.free(s.g, at, last)
		if !slices.Contains(s.touched, k) {
			s.touched = append(s.touched, k)
		}
		at = last
	}
}

// arrive completes the state in f after a body; it reports whether all
// assumptions hold in it.
func (p *Program) arrive(f []int64) bool {
	if len(p.sets) > 0 {
		p.Normalise(f[:p.n])
	}
	return p.assumed(f)
}

// assumed reports whether all assumptions hold in f.
func (p *Program) assumed(f []int64) bool {
	for _, test := range p.assumptions {
		if !test(f) {
			return false
		}
	}
	return true
}

func (s *scan) holds(ph phase, conjuncts []testFn, f []int64) bool {
	s.phase = ph
	for _, test := range conjuncts {
		if !test(f) {
			s.phase = inBody
			return false
		}
	}
	s.phase = inBody
	return true
}

// passes evaluates conjuncts of the guard.
func (s *scan) passes(conjuncts []conjunct) bool {
	if len(conjuncts) == 0 {
		return true
	}
	s.phase = inGuard
	f := s.f
	for i := range conjuncts {
		if !conjuncts[i].holds(f) {
			s.phase = inBody
			return false
		}
	}
	s.phase = inBody
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
	defer func(outer *scan) { s.m.at = outer }(s.m.at)
	s.m.at = s
	s.f[s.p.frozen], s.g[s.p.frozen] = 1, 0
	for !s.run(yield) {
		guard := s.phase == inGuard
		s.phase = inBody
		if v := s.bodyV; v != nil {
			s.bodyV = nil
			s.m.keepHits(s.g)
			if !yield(s.choice(), nil, v) {
				return
			}
			s.skip()
		} else if !guard || s.guardV == nil {
			s.skip()
		}
	}
}

// skip moves on behind the instance at hand.
func (s *scan) skip() {
	if !s.picks() {
		s.advance()
	}
}
