package ts

import "orbitmc/aig"

// This file finds the inputs of a trace that matter. An AND that is true needs
// both operands; an AND that is false needs one false operand. Walking back from
// the literals that must hold marks a part of each circuit, and with it inputs,
// and latches one frame earlier. The marked values alone imply, through marked
// gates, all literals that must hold (as in the circuit cofactors of Ganai, Gupta
// and Ashar, ICCAD 2004, but without a solver).

// Justify marks the inputs and initial inputs of a trace that is known to
// violate bad in its last frame, see Replay, such that it does so, with all
// constraints, whatever the values of the others are. The marks have the shape
// of the trace. They are not always fewest. It also returns the marked latches, by frame.
func (s *System) Justify(t *Trace, bad int) (marks *Trace, latches [][]bool) {
	e := NewEvaluator(s)
	states := [][]bool{e.Reset(t.Init)}
	for _, in := range t.Inputs[:len(t.Inputs)-1] {
		e.Set(states[len(states)-1], in)
		states = append(states, e.Next())
	}
	leaf := make(map[int]int) // node: which latch, input or initial input
	for _, part := range s.Leaves() {
		for i, x := range part {
			leaf[x.Node] = i
		}
	}
	isLatch := make([]bool, s.G.Len())
	for _, l := range s.Latches {
		isLatch[l.Node] = true
	}

	marks = &Trace{Inputs: make([][]bool, len(t.Inputs))}
	latches = make([][]bool, len(t.Inputs))
	need := []aig.Lit{s.Bads[bad].Lit}
	for k := len(t.Inputs) - 1; k >= 0; k-- {
		e.Set(states[k], t.Inputs[k])
		marks.Inputs[k] = make([]bool, len(s.Inputs))
		latches[k] = make([]bool, len(s.Latches))
		for _, node := range e.reasons(append(need, s.Constraints...)) {
			if i := leaf[node]; isLatch[node] {
				latches[k][i] = true
			} else {
				marks.Inputs[k][i] = true
			}
		}
		need = nil
		for i, marked := range latches[k] {
			if marked && k > 0 {
				need = append(need, s.Latches[i].Next)
			} else if marked {
				need = append(need, s.Latches[i].Reset)
			}
		}
	}
	e.Reset(t.Init)
	marks.Init = make([]bool, len(s.Init))
	for _, node := range e.reasons(need) {
		marks.Init[leaf[node]] = true
	}
	return marks, latches
}

// reasons returns leaves whose present values imply those of the functions,
// whatever the values of other leaves are.
func (e *Evaluator) reasons(functions []aig.Lit) []int {
	g := e.sys.G
	marked := make([]bool, g.Len())
	marked[0] = true
	var stack, leaves []int
	mark := func(l aig.Lit) {
		if !marked[l.Node()] {
			marked[l.Node()] = true
			stack = append(stack, l.Node())
		}
	}
	for _, f := range functions {
		mark(f)
	}
	for len(stack) > 0 {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if g.IsInput(node) {
			leaves = append(leaves, node)
			continue
		}
		a, b := g.Fanins(node)
		switch va, vb := e.Value(a), e.Value(b); {
		case va && vb:
			mark(a)
			mark(b)
		case vb || !va && (marked[a.Node()] || !marked[b.Node()] && a.Node() < b.Node()):
			mark(a)
		default:
			mark(b)
		}
	}
	return leaves
}
