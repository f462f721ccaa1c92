package evidence

import "orbitmc/model"

// Annotated is a list of states, each with a group of permutations: (s, P) stands for all p(s), p in
// <P>. The claim is that the set of all these images contains the start states and is closed
// under steps.
type Annotated struct {
	Kept   []model.Kept
	States []AnnotatedState

	// Guess names a state whose orbit contains that of s with a group, and a permutation
	// of its own group that maps s to it. ok is false if none is known.
	Guess func(s model.State, kept model.Kept) (i int, perm model.ScalarPerm, ok bool)
}

// AnnotatedState is a state, packed by the packer of model.NewPacker, and the number of its
// group.
type AnnotatedState struct {
	Packed []byte
	Kept   int
}
