package evidence

import "orbitmc/model"

// Closure is a list of states. The claim is that it is closed under steps, up to permutations
// of interchangeable values.
type Closure interface {
	// Len returns the number of members.
	Len() int64
	// Member stores member i, from 0, in s, which has an entry for each leaf.
	Member(i int64, s model.State)
	// Guess names the member i that s is mapped to by a permutation; nil is the
	// identity. The permutation is valid until the next call. ok is false if no
	// member is known.
	Guess(s model.State) (i int64, perm model.ScalarPerm, ok bool)
}

// Layers are the layers of a liveness property on a Closure.
type Layers interface {
	// Layer returns the layer of member i for the instance of the property with
	// these values of its parameters.
	Layer(i int64, inst []int64) int
}
