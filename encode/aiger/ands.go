// The ANDs of a file. In binary each one comes after its operands, in ascii they
// come in any order: a depth-first search builds the operands first and finds
// cycles. It takes the ANDs in the order of the file, so that a file in
// topological order keeps its order.

package aiger

import (
	"bytes"

	"orbitmc/aig"
)

func (r *reader) readBinaryAnds() {
	if r.a > 0 {
		r.text = r.pos
	}
	for range r.a {
		lhs := 2 * (uint32(len(r.lits)) + 1)
		at := r.pos
		d := r.delta()
		if d == 0 || d > lhs {
			r.fail(at, "the first operand of AND %d is smaller: the difference is between 1 and %d, not %d", lhs, lhs, d)
		}
		rhs0 := lhs - d
		at = r.pos
		if d = r.delta(); d > rhs0 {
			r.fail(at, "the second operand of AND %d is not negative: the difference to the first is at most %d, not %d", lhs, rhs0, d)
		}
		x, y := r.value(literal{lit: rhs0}), r.value(literal{lit: rhs0 - d})
		r.lits = append(r.lits, r.g.And(x, y))
	}
}

// asciiAnd is a line of the AND section.
type asciiAnd struct {
	rhs [2]uint32
	at  int // offset of the line
}

// unbuilt stands in r.lits for an AND of which the graph has no node yet, and
// open for one whose operands are being built.
const (
	unbuilt aig.Lit = 1<<32 - 1
	open    aig.Lit = 1<<32 - 2
)

func (r *reader) readAsciiAnds() {
	ands, first := make([]asciiAnd, 0, r.a), len(r.lits)
	for range r.a {
		a := asciiAnd{at: r.pos}
		r.define("an AND")
		r.lits = append(r.lits, unbuilt)
		for k := range a.rhs {
			r.expect(' ', "a literal of an AND")
			a.rhs[k] = r.literal("an operand of an AND").lit
		}
		r.expect('\n', "an AND")
		ands = append(ands, a)
	}

	// The stack is a path: every AND on it is an operand of the one below.
	var stack []uint32
	for root := range ands {
		if r.lits[first+root] != unbuilt {
			continue
		}
		stack = append(stack[:0], uint32(first+root))
		r.lits[first+root] = open
	walk:
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			a := &ands[int(top)-first]
			for k, lit := range a.rhs {
				if lit <= 1 {
					continue
				}
				d, ok := r.definition(lit)
				if !ok {
					r.undefined(literal{lit, r.operandAt(a, k)})
				}
				switch r.lits[d] {
				case unbuilt:
					stack, r.lits[d] = append(stack, d), open
					continue walk
				case open:
					r.fail(r.operandAt(a, k), "ANDs are acyclic: literal %d depends on itself", lit)
				}
			}
			r.lits[top] = r.g.And(r.value(literal{lit: a.rhs[0]}), r.value(literal{lit: a.rhs[1]}))
			stack = stack[:len(stack)-1]
		}
	}
}

// operandAt returns the offset of an operand.
func (r *reader) operandAt(a *asciiAnd, k int) int {
	at := a.at
	for range k + 1 {
		at += bytes.IndexByte(r.data[at:], ' ') + 1
	}
	return at
}

// variables maps the variables of an ascii file to the number of their
// definition, from 0. Where the largest variable is out of proportion to the
// size of the file, only a few variables can be defined, and a map holds them.
type variables struct {
	dense  []uint32 // by variable: definition plus 1, 0 if there is none
	sparse map[uint32]uint32
}

func newVariables(largest uint32, size int) variables {
	if uint64(largest) < uint64(size) {
		return variables{dense: make([]uint32, largest+1)}
	}
	return variables{sparse: make(map[uint32]uint32)}
}

func (v *variables) get(variable uint32) (definition uint32, ok bool) {
	if v.dense != nil {
		d := v.dense[variable]
		return d - 1, d != 0
	}
	definition, ok = v.sparse[variable]
	return definition, ok
}

func (v *variables) set(variable, definition uint32) {
	if v.dense != nil {
		v.dense[variable] = definition + 1
	} else {
		v.sparse[variable] = definition
	}
}
