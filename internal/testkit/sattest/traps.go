package sattest

import (
	"time"

	"orbitmc/sat"
)

// traps are programs on which some solver, used in the obvious way, was wrong or
// gave up.
var traps = []struct {
	name string
	prog []op
}{
	{"a failed assumption whose negation refutes the formula", []op{
		{kind: newVar}, {kind: newVar}, {kind: newVar},
		clauseOp(-1, 2), clauseOp(-1, -2), clauseOp(1, 3), clauseOp(1, -3),
		solveOp(never, 1), {kind: inspect}, solveOp(never), {kind: inspect}, solveOp(never, 2), {kind: inspect},
	}},
	{"the same with a context that ends at that moment", []op{
		{kind: newVar}, {kind: newVar}, {kind: newVar},
		clauseOp(-1, 2), clauseOp(-1, -2), clauseOp(1, 3), clauseOp(1, -3),
		solveOp(begun, 1), {kind: inspect}, solveOp(never), {kind: inspect}, solveOp(never, 2), {kind: inspect},
	}},
	{"a clause for a group that a clause outside already refutes", []op{
		{kind: newVar}, {kind: newVar}, {kind: group},
		groupOp(0, 1), clauseOp(-1), solveOp(never), {kind: inspect}, groupOp(0, 2), groupOp(0, -2),
		solveOp(never, 2), {kind: inspect}, {kind: release}, solveOp(never, 2), {kind: inspect},
	}},
	{"a new group after the release of a refuted one", []op{
		{kind: newVar}, {kind: newVar}, {kind: group},
		groupOp(0, 1), clauseOp(-1), solveOp(never, 2), {kind: inspect}, {kind: release}, {kind: group},
		groupOp(1, 2), solveOp(never), {kind: inspect}, solveOp(never, -2), {kind: inspect},
	}},
	{"a group clause that is false from the start", []op{
		{kind: newVar}, clauseOp(-1), {kind: group},
		groupOp(0, 1), solveOp(never), {kind: inspect}, {kind: release}, solveOp(never), {kind: inspect},
	}},
	{"a refutation under groups alone", []op{
		{kind: newVar}, {kind: group}, {kind: group},
		groupOp(0, 1), groupOp(1, -1), solveOp(never, 1), {kind: inspect}, solveOp(idle), {kind: inspect},
		{kind: release, group: 0}, solveOp(never, 1), {kind: inspect}, solveOp(never), {kind: inspect},
	}},
}

func clauseOp(ns ...int) op { return op{kind: add, lits: lits(ns)} }

func groupOp(g int, ns ...int) op { return op{kind: addTo, group: g, lits: lits(ns)} }

func solveOp(cancel time.Duration, ns ...int) op {
	return op{kind: solve, lits: lits(ns), cancel: cancel}
}

func lits(ns []int) (ls []sat.Lit) {
	for _, n := range ns {
		ls = append(ls, sat.MkLit(max(n, -n), n < 0))
	}
	return ls
}
