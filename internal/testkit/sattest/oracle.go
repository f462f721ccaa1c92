package sattest

import "orbitmc/sat"

// maxVars bounds the variables of a program: an oracle set has 2^maxVars bits.
const maxVars = 12

// A set of assignments, as a truth table: bit a is set if assignment a belongs
// to it, where bit v-1 of a is the value of variable v. It is the plainest
// decision procedure there is, and shares nothing with any solver.
type set [1 << (maxVars - 6)]uint64

// columns[v] are the assignments that make variable v+1 true.
var columns = func() (c [maxVars]set) {
	for v := range c {
		for a := range 1 << maxVars {
			if a>>v&1 == 1 {
				c[v][a/64] |= 1 << (a % 64)
			}
		}
	}
	return c
}()

// all returns the set of all assignments.
func all() *set {
	s := new(set)
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}

func (s *set) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// has reports whether the assignment belongs to s.
func (s *set) has(assignment int) bool { return s[assignment/64]>>(assignment%64)&1 == 1 }

func (s *set) and(t *set) {
	for i := range s {
		s[i] &= t[i]
	}
}

// require keeps the assignments that satisfy the clause.
func (s *set) require(clause []sat.Lit) {
	var t set
	for _, l := range clause {
		column, flip := &columns[l.Var()-1], uint64(0)
		if l.Neg() {
			flip = ^flip
		}
		for i := range t {
			t[i] |= column[i] ^ flip
		}
	}
	s.and(&t)
}

// requireAll keeps the assignments that satisfy every literal.
func (s *set) requireAll(lits []sat.Lit) {
	for _, l := range lits {
		s.require([]sat.Lit{l})
	}
}
