// Package typing derives once more that permutations of values are symmetries of a model, for the check
// of evidence. It shares no code with detect/typing. The theorem is in docs/theory/symmetry.md: a
// permutation is a symmetry if every rule and assumption is equivariant, that is, does to the image of a state
// the image of what it does to the state. The derivation is told which values are interchangeable. It has two parts:
//
//	sorts   sorts.go  A value of a class goes only where values of that class go. So every form of
//	                  expression and statement is equivariant, except that a loop over a class
//	                  visits the values in another order.
//	order   loops.go  An abstract interpreter runs each turn of such a loop, and checks that any two
//	                  turns commute.
//
// The abstract interpreter:
//
//	rules.go      runs rules, assumptions and properties from any reachable state
//	stmt.go       statements and calls
//	expr.go       expressions
//	places.go     places: which cells an expression may denote
//	multisets.go  multisets: elements, and slots that hold them
//	memo.go       what procedures do at the state that rules begin in, once for all rules
//	cells.go      cells: what is known of the value of a leaf
//
// detect/typing names places by the text, compares the names, and looks for the variables that are
// live after a loop. This derivation runs each rule with all its calls, and compares sets of cells.
// A cell that the last turn of a loop wrote is marked, and must not be read. So the two
// derivations share neither code nor method.
package typing

import (
	"fmt"

	"orbitmc/model"
)

// derivation is what both parts share.
type derivation struct {
	m       *model.Model
	blockOf map[int][]int // by class that moves, and value: the number of its block, negative if it is in none
	err     error         // the first thing that was not shown
}

func (d *derivation) fail(pos model.Pos, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%v: %s", pos, fmt.Sprintf(format, args...))
	}
}

// Derive checks that every permutation within the blocks of every class maps steps to steps, and each of
// props, at a state, to itself at the image. blocks[c] are sets of values of class c, by number; other values stay. The error says
// what was not shown, which does not refute it. joint are the sets of props that must be decided together, as an instance may
// violate another one of a set than its image does; they may meet. What is shown counts at states where none of strict
// hides an error (model.Machine.Hid).
func Derive(m *model.Model, blocks [][][]int, props []int) (joint [][]int, strict model.Strict, err error) {
	d := &derivation{m: m, blockOf: make(map[int][]int)}
	for c, class := range blocks {
		t := m.Scalarsets[c]
		of, moves := blockNumbers(int(t.Card()), class)
		if moves && t.Elems != nil {
			return nil, nil, fmt.Errorf("%v: values stand for those of %v, which forms do not show", t.Pos, t)
		}
		if moves && !t.Slots {
			d.blockOf[c] = of
		}
	}
	sorts := &sortChecker{derivation: d, checked: make(map[*model.Proc]bool)}
	x := &interpreter{derivation: d, sorts: sorts, props: m.Conditions(props), strict: make(model.Strict)}
	if len(d.blockOf) == 0 {
		return nil, x.strict, nil
	}
	if sorts.rules(); d.err != nil {
		return nil, nil, d.err
	}
	if err := x.check(); err != nil {
		return nil, nil, err
	}
	return x.joint, x.strict, nil
}

// blockNumbers returns the number of the block of each of n values, and a negative one of its
// own for a value that is in no block. moves says that some block has several values.
func blockNumbers(n int, blocks [][]int) (of []int, moves bool) {
	of = make([]int, n)
	for v := range of {
		of[v] = -1 - v
	}
	for i, b := range blocks {
		moves = moves || len(b) > 1
		for _, v := range b {
			of[v] = i
		}
	}
	return of, moves
}
