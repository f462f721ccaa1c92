package evidence

// Enumerated is a list of states of a netlist. The claim is that it holds the reset states and the successors of its members,
// and that no member violates a property that is called safe.
type Enumerated struct {
	Latches []int    // that a state is made of, ascending: the other ones do not matter
	States  []uint64 // bit i is Latches[i]

	// Components says, if justice is decided, in which strongly connected component a member is. No step leads
	// to a larger number.
	Components []uint32
	// Missing has, by justice property and component, a condition, of the property and then of fairness, that no step
	// within the component meets; -1: there is no such step.
	Missing map[int][]int32
}
