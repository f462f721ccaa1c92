package encode

import (
	"orbitmc/aig"
	"orbitmc/ts"
)

// WordOrder returns all latches in the order in which a representative predicate for a
// property compares them, most significant first: the bits that the property reads, those
// outside arrays before those in arrays; then all others in the order of the model. So the
// comparison decides early which component has which role in a violation.
// docs/decisions.md has the figures.
func (e *Encoding) WordOrder(prop int) []int {
	var roots []aig.Lit
	for _, b := range e.PropBads[prop] {
		roots = append(roots, e.Sys.Bads[b].Lit)
	}
	read := make(map[int]bool)
	for _, node := range e.Sys.G.Support(roots) {
		read[node] = true
	}
	var global, row, rest []int
	inArray := make([]bool, len(e.Sys.Latches))
	for n, leaf := range e.Model.AllLeaves() {
		lb := e.leaves[n]
		for k := range lb.n {
			inArray[lb.first+k] = len(leaf.Indices) > 0
		}
		if lb.def >= 0 {
			inArray[lb.def] = len(leaf.Indices) > 0
		}
	}
	for i, l := range e.Sys.Latches {
		switch {
		case !read[l.Node]:
			rest = append(rest, i)
		case inArray[i]:
			row = append(row, i)
		default:
			global = append(global, i)
		}
	}
	return append(append(global, row...), rest...)
}

// ReadFirst returns all latches of a system, those that the bads read before the
// others. For a netlist this is what WordOrder is for a model.
func ReadFirst(sys *ts.System, bads []int) []int {
	var roots []aig.Lit
	for _, b := range bads {
		roots = append(roots, sys.Bads[b].Lit)
	}
	read := make(map[int]bool)
	for _, node := range sys.G.Support(roots) {
		read[node] = true
	}
	var first, rest []int
	for i, l := range sys.Latches {
		if read[l.Node] {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(first, rest...)
}
