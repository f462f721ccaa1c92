package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// WordOrder returns all latches in the order in which a representative predicate for a
// property compares them, most significant first: the bits that the property reads, those
// outside arrays before those in arrays; then all others in the order of the model. So the
// comparison decides early which component has which role in a violation.
// docs/decisions.md has the figures.
func (e *Encoding) WordOrder(prop int) []int {
	inArray := make([]bool, len(e.Sys.Latches))
	for n, leaf := range e.Model.AllLeaves() {
		for _, l := range e.LeafLatches(n) {
			inArray[l] = len(leaf.Indices) > 0
		}
	}
	first, rest := latchesRead(e.Sys, e.PropBads[prop])
	global := slices.DeleteFunc(slices.Clone(first), func(i int) bool { return inArray[i] })
	row := slices.DeleteFunc(first, func(i int) bool { return !inArray[i] })
	return slices.Concat(global, row, rest)
}

// ReadFirst returns all latches of a system, those that the bads read before the
// others. For a netlist this is what WordOrder is for a model.
func ReadFirst(sys *ts.System, bads []int) []int {
	first, rest := latchesRead(sys, bads)
	return append(first, rest...)
}

// latchesRead returns the latches that the bads read, and the others.
func latchesRead(sys *ts.System, bads []int) (first, rest []int) {
	read := lists.Set(sys.G.Support(lists.Map(bads, func(b int) aig.Lit { return sys.Bads[b].Lit })))
	for i, l := range sys.Latches {
		if read[l.Node] {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	return first, rest
}
