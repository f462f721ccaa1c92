package explicit

import (
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// closure is the visited set of a complete search as evidence: certify.Verify checks
// that it is closed under steps. It shares scratch memory with the search that
// made it, which is over.
type closure struct {
	set    *set
	disk   *disk    // nil: the set is in memory
	view   *logView // if it is not
	packer *model.Packer
	canon  *canonicaliser // nil for None
	kept   *kept          // nil without checkpoints

	// The last argument of Guess, of a size that packings have, undefined at first; and what the next one changes.
	packed  []byte
	state   model.State
	changed []int
}

func (c *closure) Len() int64 { return int64(c.set.n) }

func (c *closure) Member(i int64) []byte {
	if c.disk != nil {
		return c.view.Member(i)
	}
	if c.set.tree != nil {
		return slices.Clone(c.set.at(int(i)))
	}
	return c.set.row.at(int(i))
}

// Parent returns the member that member i was first reached from, -1 for a start state.
func (c *closure) Parent(i int64) int64 { return int64(c.set.parent(int(i))) }

// Tree implements evidence.Treed.
func (c *closure) Tree() *evidence.Tree {
	if c.set.tree == nil {
		return nil
	}
	return c.set.tree.evidence()
}

func (c *closure) Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool) {
	s, perm = c.least(s)
	var n int
	if c.disk != nil {
		n, ok = c.disk.find(s)
	} else {
		n, ok, _ = c.set.find(s, hash(s))
	}
	return int64(n), perm, ok
}

// least returns the representative of a state, and the permutation to it; both are valid until the next call.
func (c *closure) least(s []byte) (rep []byte, perm model.ScalarPerm) {
	if c.canon != nil {
		if c.packed == nil {
			c.packed = make([]byte, c.packer.Size()+model.PackedPad)
			c.state, c.canon.chained = slices.Repeat(model.State{model.Undef}, len(c.canon.was)), false
		}
		c.changed = c.packer.Update(c.state, c.packed[:len(s)], s, c.changed[:0])
		copy(c.packed, s)
		c.canon.follow(c.state, c.changed)
		s, perm = c.canon.successor(c.state, nil, c.packed), c.canon.perm
	}
	return s, perm
}

// orderedClosure is a closure of which only stubborn sets are fired.
type orderedClosure struct {
	*closure
	reduced *reduced
	sets    []int32
}

// Reduced implements evidence.Ordered.
func (c *orderedClosure) Reduced(i int64) bool { return c.sets[i] > 0 }

// Stubborn implements evidence.Ordered.
func (c *orderedClosure) Stubborn(i int64, s model.State, can []model.Choice) []int32 {
	return c.reduced.members(s, c.sets[i]-1, can)
}

// view is the part of a visited set that there is at some time; it goes on to be valid.
type view struct{ set }

func newView(s *set) *view {
	v := &view{set{row: s.row}}
	if s.tree != nil {
		v.tree = s.tree.now()
	}
	return v
}

func (v *view) Member(i int64) []byte { return (&closure{set: &v.set}).Member(i) }

// Tree implements evidence.Treed.
func (v *view) Tree() *evidence.Tree { return (&closure{set: &v.set}).Tree() }

// watched is how many states are expanded before the watch is told of them.
const watched = 1 << 12

// inform tells the watch of steps to members of a view. While it waits, the watch may need
// the core.
func (s *search) inform(members evidence.View) *evidence.Steps {
	s.opt.Cores.Give()
	defer s.opt.Cores.Take(s.ctx, false)
	return s.opt.Watch.Expanded(members, s.steps)
}

// flush tells the watch what it does not know yet; upto is the first state that is
// not expanded.
func (s *search) flush(upto int) {
	if n := len(s.steps.Ends); n > 0 {
		next := s.inform(newView(s.set))
		if next == nil {
			next = &evidence.Steps{Ends: make([]uint32, 0, n), Targets: make([]uint32, 0, len(s.steps.Targets)), Perms: make([]byte, 0, len(s.steps.Perms))}
		}
		s.steps = &evidence.Steps{First: int64(upto), Orbits: s.steps.Orbits, Ends: next.Ends[:0], Targets: next.Targets[:0], Perms: next.Perms[:0]}
	}
}
