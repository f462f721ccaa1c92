package evidence

import "orbitmc/model"

// Annotated is a list of states, each with cells of values: (s, P) stands for all p(s), p in
// <P>. The claim is that what they stand for together contains the start states and is closed
// under steps.
type Annotated struct {
	Cells  []model.Cells
	States []AnnotatedState

	// Guess names a state whose orbit contains that of s with some of Cells, and a permutation
	// of its cells that maps s to it. ok is false if none is known.
	Guess func(s model.State, cells model.Cells) (i int, perm model.ScalarPerm, ok bool)
}

// AnnotatedState is a state, packed by the packer of model.NewPacker, and the number of its
// cells.
type AnnotatedState struct {
	Packed []byte
	Cells  int
}
