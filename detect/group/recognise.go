package group

import (
	"context"
	"math/big"
	"slices"

	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
)

// Recognition of the groups of replicated components. A group is examined through
// its actions on small sets: on each orbit, and on each minimal block system of
// an orbit. Orders then decide. If the group acts on sets of k1, k2, … elements
// as the full symmetric groups, has k1!·k2!·… elements, and only the identity
// acts trivially on all these sets, it is the product of the symmetric groups.

// Kind is a family of groups.
type Kind uint8

// Kinds of groups.
const (
	Other     Kind = iota
	Symmetric      // Sym(k), or a product of several, see Structure.Axes
	Wreath         // Sym(a) wr Sym(b): b blocks that may be exchanged, of a things each that may be exchanged
	Cyclic         // rotations of a ring
	Dihedral       // rotations and reflections of a ring
	Split          // symmetric groups that normalise a kernel, see Structure.Kernel
	Small          // a group with at most MaxElements elements that is none of these
)

func (k Kind) String() string {
	return [...]string{"other", "symmetric", "wreath", "cyclic", "dihedral", "split", "small"}[k]
}

// MaxElements is the order up to which a group that is nothing else is small.
const MaxElements = 720

// Axis is a set on which a group acts as the full symmetric group: the rows of a
// matrix of bits.
type Axis struct {
	// Rows lists, for each element of the set, the points that belong to it alone:
	// entry [r][c] is the point of row r in column c, so the permutations of the
	// rows, with the other axes fixed, map entry [r][c] to [r'][c]. Columns are in
	// the order of their points in row 0. For a matrix with a second axis, the
	// points that belong to an element of both are in no row.
	Rows [][]int32
	// Swaps[i] exchanges rows i and i+1 and fixes the other rows and all other axes.
	Swaps []Perm
}

// Structure says what a group is. Points and permutations are those of the group.
type Structure struct {
	Kind Kind
	Axes []Axis // Symmetric, Split: one for each symmetric group. Wreath: the one of the b blocks
	// Kernel generates, for Wreath and Split, the normal subgroup of the elements
	// that fix all sets of the axes. Every element is in one way a product of one
	// of the group of the swaps and one of the kernel.
	Kernel []Perm
	// Ring is for Cyclic and Dihedral an orbit in the order of the rotation.
	Ring []int32
}

// action is a set of k elements on which a group acts.
type action struct {
	sets  [][]int32 // the elements: disjoint sets of points of equal size
	orbit []int32   // the orbit they partition
	of    []int32   // by point: the element it is in; none
	order *big.Int  // of what acts, or less: see atLeast
	swaps []Perm    // of the group, if the action is an axis: see Axis
}

// Recognise says what the group is. It looks for actions that show it; a group
// it does not know is Small or Other. It gives up with the error of ctx.
func (g *Group) Recognise(ctx context.Context) (*Structure, error) {
	if order := g.Order(); order.IsInt64() && order.Int64() == 1 {
		return &Structure{}, nil
	}
	r := &recogniser{Group: g, ctx: ctx}
	for _, way := range []func() (*Structure, error){r.symmetric, r.wreath, r.ring, r.split} {
		s, err := way()
		if err == nil {
			err = ctx.Err()
		}
		if s != nil || err != nil {
			return s, err
		}
	}
	if g.Order().Cmp(big.NewInt(MaxElements)) <= 0 {
		return &Structure{Kind: Small}, nil
	}
	return &Structure{}, nil
}

// recogniser is a group that is looked at.
type recogniser struct {
	*Group
	ctx     context.Context
	actions []action // those seen
}

// maxAction bounds the elements of a set whose blocks are looked for.
const maxAction = 4096

// orbits looks at the actions on orbits.
func (r *recogniser) orbits() {
	for _, o := range r.Orbits() {
		points := lists.Map(o, func(x int32) []int32 { return []int32{x} })
		r.actions = append(r.actions, r.action(o, points))
	}
}

// blocks looks at the actions on the minimal block systems of the orbits.
func (r *recogniser) blocks() {
	for _, a := range r.actions {
		if len(a.orbit) > maxAction || len(a.sets[0]) > 1 || a.full() { // the full symmetric group has no blocks
			continue
		}
		for _, sets := range r.Blocks(a.orbit) {
			if r.ctx.Err() != nil {
				return
			}
			r.actions = append(r.actions, r.action(a.orbit, sets))
		}
	}
}

// action returns the action on sets that partition an orbit.
func (r *recogniser) action(orbit []int32, sets [][]int32) action {
	a := action{sets: sets, orbit: orbit, of: slices.Repeat([]int32{none}, r.n)}
	for k, set := range sets {
		for _, x := range set {
			a.of[x] = int32(k)
		}
	}
	if r.transposed(&a) {
		a.order = factorial(len(sets))
	} else {
		a.order = r.atLeast([]*action{&a}, factorial(len(sets)))
	}
	return a
}

// acts appends to s what an element does on the sets, numbered from off.
func (a *action) acts(e *element, off int, s Sparse) Sparse {
	for _, x := range e.touched {
		k := a.of[x]
		if k == none || a.sets[k][0] != x {
			continue
		}
		if m := a.of[e.image[x]]; m != k {
			s.Points, s.Images = append(s.Points, int32(off)+k), append(s.Images, int32(off)+m)
		}
	}
	return s
}

// jointly returns what an element does on the disjoint union of the sets of
// actions, numbered from off.
func jointly(axes []*action, e *element, off int, s Sparse) Sparse {
	for _, a := range axes {
		s = a.acts(e, off, s)
		off += len(a.sets)
	}
	return s
}

func (r *recogniser) generators(yield func(*element)) {
	for _, s := range r.gens {
		r.u.reset()
		r.u.then(s)
		yield(r.u)
	}
}

// transposed reports whether some of the generators act as transpositions that link
// all elements, and therefore generate all permutations.
func (r *recogniser) transposed(a *action) bool {
	u := disjoint.New[int32](len(a.sets))
	left := len(a.sets) - 1
	r.generators(func(e *element) {
		if s := a.acts(e, 0, Sparse{}); len(s.Points) == 2 && u.Join(s.Points[0], s.Points[1]) {
			left--
		}
	})
	return left == 0
}

// atLeast returns the order of what the group does on the sets of actions: in all
// likelihood the order, and never more. Where it is the most that it can be, it is
// right for sure; where it is less, nothing wrong is concluded from that.
func (r *recogniser) atLeast(axes []*action, most *big.Int) *big.Int {
	var gens []Sparse
	r.generators(func(e *element) {
		if s := jointly(axes, e, 0, Sparse{}).normal(); len(s.Points) > 0 {
			gens = append(gens, s)
		}
	})
	n := degree(axes)
	h := start(n, gens, byOrbits(n, gens))
	h.draw = func(e *element) {
		r.uniform(r.u)
		e.reset()
		e.then(jointly(axes, r.u, 0, Sparse{}))
	}
	h.likely(r.ctx, trust, most)
	return h.Order()
}

func factorial(k int) *big.Int { return new(big.Int).MulRange(1, int64(k)) }

// full reports whether the action is that of the full symmetric group.
func (a *action) full() bool { return a.order.Cmp(factorial(len(a.sets))) == 0 }

// symmetric returns the structure of a product of symmetric groups, or nil; then
// r.actions are all actions.
func (r *recogniser) symmetric() (*Structure, error) {
	r.orbits()
	for range 2 {
		// The smallest sets need not be the ones: Sym(k) acts on two by sign.
		for _, largest := range []bool{false, true} {
			axes, product, err := r.choose(largest)
			if err != nil {
				return nil, err
			}
			if product.Cmp(r.Order()) != 0 {
				continue
			}
			h, err := r.with(axes)
			if err != nil {
				return nil, err
			}
			if !r.exchange(h, axes) {
				return nil, nil
			}
			return r.axes(&Structure{Kind: Symmetric}, axes), nil
		}
		r.blocks() // which take longer
	}
	return nil, nil
}

// axes completes a structure whose axes are known.
func (r *recogniser) axes(s *Structure, axes []*action) *Structure {
	for i, rows := range rows(r.n, axes) {
		s.Axes = append(s.Axes, Axis{Swaps: axes[i].swaps, Rows: rows})
	}
	return s
}

// choose selects actions seen that show a product of symmetric groups, those on
// fewest sets first, or those on most, and returns its order. One that adds nothing
// to the chosen ones shows the same factor again, and one that adds something but not
// all of its permutations is left out.
func (r *recogniser) choose(largest bool) (axes []*action, product *big.Int, err error) {
	var all []*action
	for i := range r.actions {
		if r.actions[i].full() {
			all = append(all, &r.actions[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *action) int {
		if largest {
			a, b = b, a
		}
		return len(a.sets) - len(b.sets)
	})
again:
	h, err := r.with(all)
	if err != nil {
		return nil, nil, err
	}
	axes, product = nil, big.NewInt(1)
	off := 0
	for i, a := range all {
		// What the kernel of the actions before does in this one.
		_, more := h.behind(off)
		off += len(a.sets)
		_, fewer := h.behind(off)
		switch want := factorial(len(a.sets)); more.Div(more, fewer).Cmp(want) {
		case 0:
			axes = append(axes, a)
			product.Mul(product, want)
		default:
			if more.Cmp(big.NewInt(1)) > 0 {
				all = slices.Delete(all, i, i+1)
				goto again
			}
		}
	}
	return axes, product, nil
}

func degree(axes []*action) int {
	return lists.Sum(axes, func(a *action) int { return len(a.sets) })
}

// with returns the group on its own points and, behind them, on the elements of
// the sets; these come first in the base.
func (r *recogniser) with(axes []*action) (*Group, error) {
	n := r.n + degree(axes)
	return r.again(r.ctx, n, setsOf(r.n, axes), func(e *element) Sparse {
		return jointly(axes, e, r.n, e.sparse())
	})
}

// setsOf numbers the sets of actions from n.
func setsOf(n int, axes []*action) []int32 {
	return lists.Make(degree(axes), func(x int) int32 { return int32(n + x) })
}

// exchange finds for each axis the elements that exchange neighbours of its sets and
// fix the elements of all other axes. h is the group with the axes. It reports
// whether there are all of them.
func (r *recogniser) exchange(h *Group, axes []*action) bool {
	sets := setsOf(r.n, axes)
	off := 0
	for _, a := range axes {
		a.swaps = nil
		for k := range len(a.sets) - 1 {
			p, ok := h.mapping(swapped(sets, off+k))
			if !ok {
				return false
			}
			a.swaps = append(a.swaps, p.perm()[:r.n:r.n])
		}
		off += len(a.sets)
	}
	return true
}

// swapped returns a copy of s with elements k and k+1 exchanged.
func swapped(s []int32, k int) []int32 {
	s = slices.Clone(s)
	s[k], s[k+1] = s[k+1], s[k]
	return s
}

// kernel returns generators of the subgroup that fixes all elements of the sets.
func (r *recogniser) kernel(axes []*action) ([]Perm, error) {
	h, err := r.with(axes)
	if err != nil {
		return nil, err
	}
	gens, _ := h.behind(degree(axes))
	return r.dense(gens), nil
}

// rows lists for each axis the points that belong to one element of its set alone.
// Such a point belongs to row 0 if the swaps of the rows behind and those of all
// other axes fix it, and the first swap moves it; the swaps, one after the other,
// take it down its column.
func rows(n int, axes []*action) (all [][][]int32) {
	const several = -2
	mover := slices.Repeat([]int32{none}, n) // the axis whose swaps move the point
	for i, a := range axes {
		for _, p := range a.swaps {
			for x, y := range p {
				switch {
				case int32(x) == y:
				case mover[x] == none:
					mover[x] = int32(i)
				case mover[x] != int32(i):
					mover[x] = several
				}
			}
		}
	}
	for i, a := range axes {
		swaps := a.swaps
		rows := make([][]int32, len(swaps)+1)
		taken := make(map[int32]bool)
		behind := make(map[int32]bool) // moved by a swap behind the first
		for _, p := range swaps[1:] {
			for x, y := range p {
				if int32(x) != y {
					behind[int32(x)] = true
				}
			}
		}
		for x := range int32(n) {
			if mover[x] != int32(i) || swaps[0][x] == x || taken[x] || behind[x] {
				continue
			}
			// With two rows either point of a pair may be in row 0: the lesser one is,
			// unless the chosen sets say otherwise.
			column := []int32{x}
			for _, p := range swaps {
				column = append(column, p[column[len(column)-1]])
			}
			if len(rows) == 2 && slices.Contains(a.sets[1], x) {
				slices.Reverse(column)
			}
			for r, y := range column {
				taken[y] = true
				rows[r] = append(rows[r], y)
			}
		}
		all = append(all, rows)
	}
	return all
}

// wreath returns the structure of Sym(a) wr Sym(b), or nil.
func (r *recogniser) wreath() (*Structure, error) {
	order := r.Order()
	for i := range r.actions {
		a := &r.actions[i]
		size, blocks := len(a.sets[0]), len(a.sets)
		if size < 2 || !a.full() {
			continue
		}
		want := factorial(blocks)
		for range blocks {
			want.Mul(want, factorial(size))
		}
		if want.Cmp(order) != 0 {
			continue
		}
		points := slices.IndexFunc(r.actions, func(b action) bool { return len(b.sets[0]) == 1 && b.orbit[0] == a.orbit[0] })
		if r.atLeast([]*action{&r.actions[points]}, order).Cmp(order) != 0 {
			continue // not faithful: something else has this order by chance
		}
		s := &Structure{Kind: Wreath}
		from := slices.Concat(a.sets...)
		axis := Axis{Rows: a.sets}
		h, err := r.again(r.ctx, r.n, from, nil)
		if err != nil {
			return nil, err
		}
		for b := range blocks - 1 {
			to := slices.Clone(from)
			for c := range size {
				to[b*size+c], to[(b+1)*size+c] = to[(b+1)*size+c], to[b*size+c]
			}
			p, ok := h.mapping(to)
			if !ok {
				return nil, nil
			}
			axis.Swaps = append(axis.Swaps, p.perm())
		}
		s.Axes = []Axis{axis}
		s.Kernel, err = r.kernel([]*action{a})
		return s, err
	}
	return nil, nil
}

// maxRing is the longest ring whose rotations and reflections are listed.
const maxRing = 4096

// ring returns the structure of the rotations of a ring, with or without
// reflections, or nil.
func (r *recogniser) ring() (*Structure, error) {
	order := r.Order()
	for i := range r.actions {
		a := &r.actions[i]
		k := len(a.sets)
		if len(a.sets[0]) != 1 || k < 3 || k > maxRing {
			continue
		}
		kind := Cyclic
		if order.Cmp(big.NewInt(int64(2*k))) == 0 {
			kind = Dihedral
		} else if order.Cmp(big.NewInt(int64(k))) != 0 {
			continue
		}
		all := r.Elements(2 * k)
		for _, p := range all {
			if n, ok := p.Order(); !ok || n != k {
				continue
			}
			var ring []int32
			for x := a.orbit[0]; len(ring) == 0 || x != a.orbit[0]; x = p[x] {
				ring = append(ring, x)
			}
			if len(ring) != k || kind == Dihedral && !inverted(all, p) {
				continue
			}
			return &Structure{Kind: kind, Ring: ring}, nil
		}
	}
	return nil, nil
}

// inverted reports whether an involution among the elements turns p, which is
// none, into its inverse.
func inverted(all []Perm, p Perm) bool {
	inverse := p.Inverse()
	for _, q := range all {
		if q.IsIdentity() || !q.Then(q).IsIdentity() {
			continue
		}
		if slices.Equal(q.Then(p).Then(q), inverse) {
			return true
		}
	}
	return false
}
