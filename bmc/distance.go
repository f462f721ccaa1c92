package bmc

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file says which latches the predicate of a path compares: of the last state those that the property reads, of the
// state before it those that the property or their next functions read, and so on (rep.Path). The others are free there,
// and comparing them makes the solver compute them.

// byDistance returns the latches of an order that the property depends on in at most 0, 1, 2, … steps, up to all of them.
// The predicate compares the latches of these frames anew at each depth, so it ends once these are more than four times
// those of a whole frame. Latches that are further away are not compared at all.
func byDistance(order, distance []int) (orders [][]int) {
	for d, sum := 0, 0; ; d++ {
		near := slices.DeleteFunc(slices.Clone(order), func(l int) bool { return distance[l] > d })
		orders = append(orders, near)
		if sum += len(near); len(near) == len(order) || sum > 4*len(order) {
			return orders
		}
	}
}

// distances returns, by latch, how many frames before the depth of a violation its value matters at the latest; -1: never.
func distances(sys *ts.System, bads []int) []int {
	g := sys.G
	latch := sys.Numbers()
	distance := slices.Repeat([]int{-1}, len(sys.Latches))
	seen := make([]bool, g.Len())
	var todo, later []int
	reach := func(l aig.Lit) {
		if n := l.Node(); !seen[n] {
			seen[n] = true
			todo = append(todo, n)
		}
	}
	for _, l := range sys.Constraints {
		reach(l)
	}
	for d := 0; len(todo) > 0 || d < 2; d++ {
		for _, b := range bads {
			if sys.Bads[b].Delay == d {
				reach(sys.Bads[b].Lit)
			}
		}
		later = later[:0]
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if g.IsAnd(n) {
				a, b := g.Fanins(n)
				reach(a)
				reach(b)
			} else if i, ok := latch[n]; ok {
				distance[i] = d
				later = append(later, i)
			}
		}
		for _, i := range later {
			reach(sys.Latches[i].Next)
		}
	}
	return distance
}
