package graph

// Failure recording (Junttila and Kaski, TAPAS 2011), with counts. When level j
// of the first path is done, every vertex of its target cell is known to be in
// the orbit of the first path's choice, or to fail. It fails at once, by a
// deviation of the trace, or deep, below a trace that agreed. Another node of
// level j that is equivalent to the first path's node must show the same numbers
// of failures of each kind. So once one kind occurs there more often, the node is
// not equivalent, and its remaining children need not be tried. Without this,
// pairs of a Cai–Fürer–Immerman graph and its twist over cubic graphs of 200
// vertices are out of reach.

// deep stands for failures below an agreeing trace.
var deep = deviation{step: -1}

// failures counts the failing children of a node by kind.
type failures map[deviation]int32

// failure is a failing orbit of a level of the first path.
type failure struct {
	root int32
	why  deviation
}
