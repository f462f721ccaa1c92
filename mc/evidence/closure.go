package evidence

import "orbitmc/model"

// Closure is a list of states. The claim is that it is closed under steps, up to permutations
// of interchangeable values. States are packed by the packer of model.NewPacker.
type Closure interface {
	View
	// Len returns the number of members.
	Len() int64
	// Guess names the member i that s is mapped to by a permutation; nil is the
	// identity. The permutation is valid until the next call. ok is false if no
	// member is known.
	Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool)
}

// Ordered is a Closure of which, at some members, only the steps of a stubborn set lead to members. One step of each such
// set leads to a member with a larger number, or to one that has no set.
type Ordered interface {
	Closure
	// Reduced reports whether a member has a stubborn set.
	Reduced(i int64) bool
	// Stubborn returns it, as that of Components.
	Stubborn(i int64, s model.State, can []model.Choice) []int32
}

// Kept is a Closure that is kept from run to run, and with it how far its check is.
type Kept interface {
	Closure
	// Checked returns what Keep was given last, by the same program for the same members; nil if there is nothing.
	Checked() []byte
	Keep(note []byte) // nil: there is nothing any more. It may fail: then Checked returns what was there before, or nil
}

// Layers say where the temporal operators of a model.Claim hold on a Closure, and why.
type Layers interface {
	// Layer returns the layer of member i as to temporal operator op, for the instance of the property with these values
	// of its parameters: -1 where it does not hold. Of EX and EY layers say nothing else. Of the others layer 0 is where
	// the second operand holds; any other number is larger than that of some successor (EU), of all (AU), or of some
	// predecessor (ES).
	Layer(op int, i int64, inst []int64) int
	// Atom returns whether an atom of the claim holds there. Of AG EF p that is not asked.
	Atom(atom int, i int64, inst []int64) bool
	// Fair says more of an operator ctl.Stay, EG x on fair paths. Its layers are those of E [x U y] where y holds on the
	// loops that are named.
	Fair(op int) Fair
}

// Fair says why EG x holds on fair paths, or does not. In pairs of a member and an instance from which x holds on the way
// round a loop, and where such a loop can be reached through x, it holds. The others in which x holds are in components, as
// of Components: a run that stays in one is not fair.
type Fair interface {
	Loops() []Loop
	// Component is that of Components, at a pair of layer -1 in which x holds.
	Component(i int64, inst []int64, level int) (number int, waiting []uint32, ok bool)
	Condition(number uint32) Condition
}

// Loop is a fair run without end that comes back to where it begins.
type Loop struct {
	Member int64 // it begins in this member
	Values []int64
	Steps  []model.Choice // of rule -1, and the only one, if the state repeats itself
}

// Steps say of successive members of a closure where their steps lead.
type Steps struct {
	First int64 // number of the first of these members

	// The steps of member First+i are those from Ends[i-1] to Ends[i]: the ones that
	// lead to another state, in the order of model.Machine.Successors.
	Ends    []uint32
	Targets []uint32 // by step: number of the member

	// Orbits says that the instances are left out that an exchange of neighbours in a block, which
	// keeps the member, maps to ones with smaller numbers: see mc.Problem.ByRule.
	Orbits bool

	// Perms has, by step, the image of each value of each class of Model.Scalarsets but
	// slots under the permutation that maps the successor to the member. It is empty if
	// that is the identity always.
	Perms []byte
}

// PermBytes returns how many bytes of Steps.Perms a step has, and false if there
// are values that do not fit into a byte.
func PermBytes(m *model.Model) (n int, ok bool) {
	for _, t := range m.Scalarsets {
		if !t.Slots {
			if t.Card() > 256 {
				return 0, false
			}
			n += int(t.Card())
		}
	}
	return n, true
}

// Watch checks that a set of states is closed while the search that makes it goes on.
type Watch interface {
	// Expanded tells where the steps of successive members lead, in order. The view has
	// all members that steps lead to; it and steps must not be changed afterwards, unless
	// steps are returned by a later call: they are no longer needed then. It may return nil.
	Expanded(view View, steps *Steps) (spare *Steps)
	// Close says that no more is told.
	Close()
}

// View is a list of packed states that may grow.
type View interface {
	// Member returns member i, from 0. It must not be changed.
	Member(i int64) []byte
}
