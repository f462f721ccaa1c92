package group

import (
	"context"
	"math/big"
	"slices"
)

// Recognition of the groups that replicated components have. A group is looked
// at through its actions on small sets: on each orbit, and on each minimal block
// system of an orbit. What it is then follows from orders: if it acts on sets of
// k1, k2, … elements as the full symmetric groups and has k1!·k2!·… elements, and
// only the identity acts trivially on all these sets, it is the product of them.

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

// MaxElements is the order up to which a group that is nothing else is listed.
const MaxElements = 720

// Axis is a set on which a group acts as the full symmetric group: the rows of a
// matrix of bits.
type Axis struct {
	// Rows lists, for each element of the set, the points that belong to it alone:
	// entry [r][c] is the point of row r in column c, so the permutations of the
	// rows, with the other axes fixed, map entry [r][c] to [r'][c]. Columns are in
	// the order of their points in row 0. For a matrix with a second axis, the
	// points that belong to an element of both are in no row, see Structure.Rest.
	Rows [][]int32
	// Swaps[i] exchanges rows i and i+1 and fixes the other rows and all other axes.
	Swaps []Perm
}

// Structure says what a group is. Points and permutations are those of the group.
type Structure struct {
	Kind Kind
	Axes []Axis  // Symmetric, Split: one for each symmetric group. Wreath: the one of the b blocks
	Rest []int32 // points that are moved and in no row of an axis
	// Kernel generates, for Wreath and Split, the normal subgroup of the elements
	// that fix all sets of the axes. Every element is in one way a product of one
	// of the group of the swaps and one of the kernel.
	Kernel []Perm
	// Inner lists for a Wreath, block by block, the orbit of a points in it.
	Inner [][]int32
	// Ring is for Cyclic and Dihedral an orbit in the order of the rotation.
	Ring []int32
	// Elements are all elements, for Cyclic, Dihedral and Small.
	Elements []Perm
}

// action is a set of k elements on which a group acts.
type action struct {
	sets   [][]int32 // the elements: disjoint sets of points of equal size
	orbit  []int32   // the orbit they partition
	order  *big.Int  // of what acts, or less: see atLeast
	images []Perm    // of the generators
	swaps  []Perm    // of the group, if the action is an axis: see Axis
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
	if all := g.Elements(MaxElements); all != nil {
		return &Structure{Kind: Small, Elements: all, Rest: g.moved()}, nil
	}
	return &Structure{Rest: g.moved()}, nil
}

// recogniser is a group that is looked at.
type recogniser struct {
	*Group
	ctx     context.Context
	actions []action // those seen
}

// rest sets Structure.Rest.
func (s *Structure) rest(g *Group) *Structure {
	in := make([]bool, g.n)
	for _, a := range s.Axes {
		for _, r := range a.Rows {
			for _, x := range r {
				in[x] = true
			}
		}
	}
	s.Rest = slices.DeleteFunc(g.moved(), func(x int32) bool { return in[x] })
	return s
}

func (g *Group) moved() []int32 {
	var out []int32
	for _, o := range g.Orbits() {
		out = append(out, o...)
	}
	slices.Sort(out)
	return out
}

// maxAction bounds the elements of a set whose blocks are looked for.
const maxAction = 4096

// each calls yield with the actions on orbits, smallest first, each followed by
// those on its minimal block systems, until it returns false.
func (r *recogniser) each(yield func(a action) bool) {
	orbits := r.Orbits()
	slices.SortStableFunc(orbits, func(a, b []int32) int { return len(a) - len(b) })
	for _, o := range orbits {
		var points [][]int32
		for _, x := range o {
			points = append(points, []int32{x})
		}
		a := r.action(o, points)
		if !yield(a) {
			return
		}
		if len(o) > maxAction || a.full() { // the full symmetric group has no blocks
			continue
		}
		for _, sets := range r.Blocks(o) {
			if r.ctx.Err() != nil || !yield(r.action(o, sets)) {
				return
			}
		}
	}
}

// action returns the action on sets that partition an orbit.
func (r *recogniser) action(orbit []int32, sets [][]int32) action {
	a := action{sets: sets, orbit: orbit}
	of := make([]int32, r.n)
	for k, set := range sets {
		for _, x := range set {
			of[x] = int32(k)
		}
	}
	for _, p := range r.gens {
		q := make(Perm, len(sets))
		for k, set := range sets {
			q[k] = of[p[set[0]]]
		}
		a.images = append(a.images, q)
	}
	if transposed(len(sets), a.images) {
		a.order = factorial(len(sets))
	} else {
		a.order = r.atLeast(len(sets), a.images)
	}
	return a
}

// transposed reports whether some of the permutations are transpositions that
// link all of 0..n-1 and therefore generate all permutations.
func transposed(n int, perms []Perm) bool {
	u := newUnionFind(n)
	left := n - 1
	for _, p := range perms {
		var moved []int32
		for i, j := range p {
			if int32(i) != j {
				if moved = append(moved, int32(i)); len(moved) > 2 {
					break
				}
			}
		}
		if len(moved) == 2 && u.union(moved[0], moved[1]) {
			left--
		}
	}
	return left == 0
}

// atLeast returns the order of a homomorphic image of the group: in all likelihood
// the order, and never more. Where it is the most that it can be, it is right for
// sure; where it is less, nothing wrong is concluded from that.
func (r *recogniser) atLeast(degree int, images []Perm) *big.Int {
	h, err := start(degree, images, nil)
	if err != nil {
		panic("group: " + err.Error())
	}
	h.likely(r.ctx, trust)
	return h.Order()
}

func factorial(k int) *big.Int { return new(big.Int).MulRange(1, int64(k)) }

// full reports whether the action is that of the full symmetric group.
func (a *action) full() bool { return a.order.Cmp(factorial(len(a.sets))) == 0 }

// symmetric returns the structure of a product of symmetric groups, or nil; then
// r.actions are all actions.
func (r *recogniser) symmetric() (*Structure, error) {
	order, product := r.Order(), big.NewInt(1)
	var axes []*action
	r.each(func(a action) bool {
		r.actions = append(r.actions, a)
		axes = r.choose(axes, &a, product)
		return product.Cmp(order) < 0
	})
	if product.Cmp(order) != 0 {
		// The smallest sets need not be the ones: Sym(k) acts on two by sign.
		axes, product = r.largest()
	}
	if product.Cmp(order) != 0 {
		return nil, nil
	}
	s := &Structure{Kind: Symmetric}
	for i := range axes {
		swaps, err := r.swaps(axes, i)
		if swaps == nil || err != nil {
			return nil, err
		}
		axes[i].swaps = swaps
		s.Axes = append(s.Axes, Axis{Swaps: swaps})
	}
	for i := range s.Axes {
		s.Axes[i].Rows = rows(axes, i)
	}
	return s.rest(r.Group), nil
}

// choose adds an action to those that show the symmetric groups whose product
// has the given order, if it shows another one.
func (r *recogniser) choose(axes []*action, a *action, product *big.Int) []*action {
	if !a.full() {
		return axes
	}
	// An action that adds nothing to the chosen ones shows the same factor again.
	joint := new(big.Int).Mul(product, factorial(len(a.sets)))
	longer := append(slices.Clone(axes), a)
	if joint.Cmp(r.Order()) > 0 || len(axes) > 0 && r.joint(longer).Cmp(joint) != 0 {
		return axes
	}
	product.Set(joint)
	return longer
}

// largest chooses among the actions seen, those on most sets first, and returns
// the order of the product they show.
func (r *recogniser) largest() (axes []*action, product *big.Int) {
	product = big.NewInt(1)
	var all []*action
	for i := range r.actions {
		all = append(all, &r.actions[i])
	}
	slices.SortStableFunc(all, func(a, b *action) int { return len(b.sets) - len(a.sets) })
	for _, a := range all {
		axes = r.choose(axes, a, product)
	}
	return axes, product
}

// joint returns the order of the action on several sets at once, or less.
func (r *recogniser) joint(axes []*action) *big.Int {
	return r.atLeast(degree(axes), r.jointly(axes))
}

func degree(axes []*action) int {
	n := 0
	for _, a := range axes {
		n += len(a.sets)
	}
	return n
}

// jointly returns what the generators do on the disjoint union of the sets.
func (r *recogniser) jointly(axes []*action) []Perm {
	var out []Perm
	for k := range r.gens {
		var p Perm
		for _, a := range axes {
			off := int32(len(p))
			for _, x := range a.images[k] {
				p = append(p, x+off)
			}
		}
		out = append(out, p)
	}
	return out
}

// with returns the group on its own points and, behind them, on the elements of
// the sets; these are the first base points, followed by points.
func (r *recogniser) with(axes []*action, points ...int32) (h *Group, sets []int32, err error) {
	var gens []Perm
	for k, p := range r.jointly(axes) {
		q := slices.Clone(r.gens[k])
		for _, x := range p {
			q = append(q, x+int32(r.n))
		}
		gens = append(gens, q)
	}
	for x := range degree(axes) {
		sets = append(sets, int32(r.n+x))
	}
	h, err = build(r.ctx, r.n+degree(axes), gens, append(slices.Clip(sets), points...), r.Order())
	if err != nil && r.ctx.Err() == nil {
		panic("group: " + err.Error())
	}
	return h, sets, err
}

// swaps returns the elements that exchange neighbours of set i of the axes and
// fix the elements of all other sets.
func (r *recogniser) swaps(axes []*action, i int) ([]Perm, error) {
	h, sets, err := r.with(axes)
	if err != nil {
		return nil, err
	}
	var out []Perm
	for k := range len(axes[i].sets) - 1 {
		p, ok := h.mapping(swapped(sets, degree(axes[:i])+k))
		if !ok || r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		out = append(out, p[:r.n])
	}
	return out, nil
}

// swapped returns a copy of s with elements k and k+1 exchanged.
func swapped(s []int32, k int) []int32 {
	s = slices.Clone(s)
	s[k], s[k+1] = s[k+1], s[k]
	return s
}

// kernel returns generators of the subgroup that fixes all elements of the sets.
func (r *recogniser) kernel(axes []*action) ([]Perm, error) {
	h, sets, err := r.with(axes)
	if err != nil {
		return nil, err
	}
	gens, _ := h.behind(len(sets))
	for i := range gens {
		gens[i] = gens[i][:r.n]
	}
	return gens, nil
}

// rows lists the points that belong to one element of set i of the axes alone.
// Such a point belongs to row 0 if the swaps of the rows behind and those of all
// other axes fix it, and the first swap moves it; the swaps, one after the other,
// take it down its column.
func rows(axes []*action, i int) [][]int32 {
	swaps := axes[i].swaps
	k, n := len(swaps)+1, len(swaps[0])
	var others []Perm
	for j, a := range axes {
		if j != i {
			others = append(others, a.swaps...)
		}
	}
	fixed := func(x int32, ps []Perm) bool {
		return !slices.ContainsFunc(ps, func(p Perm) bool { return p[x] != x })
	}
	rows := make([][]int32, k)
	taken := make([]bool, n)
	for x := range int32(n) {
		if swaps[0][x] == x || taken[x] || !fixed(x, swaps[1:]) || !fixed(x, others) {
			continue
		}
		// With two rows either point of a pair may be in row 0: the lesser one is,
		// unless the chosen sets say otherwise.
		column := []int32{x}
		for _, p := range swaps {
			column = append(column, p[column[len(column)-1]])
		}
		if k == 2 && slices.Contains(axes[i].sets[1], x) {
			slices.Reverse(column)
		}
		for r, y := range column {
			taken[y] = true
			rows[r] = append(rows[r], y)
		}
	}
	return rows
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
		at := make(map[int32]int32)
		for k, x := range a.orbit {
			at[x] = int32(k)
		}
		var images []Perm
		for _, p := range r.gens {
			q := make(Perm, len(a.orbit))
			for k, x := range a.orbit {
				q[k] = at[p[x]]
			}
			images = append(images, q)
		}
		if r.atLeast(len(a.orbit), images).Cmp(order) != 0 {
			continue // not faithful: something else has this order by chance
		}
		s := &Structure{Kind: Wreath, Inner: a.sets}
		from := slices.Concat(a.sets...)
		axis := Axis{Rows: a.sets}
		h, err := r.rebase(r.ctx, from)
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
			axis.Swaps = append(axis.Swaps, p)
		}
		s.Axes = []Axis{axis}
		if s.Kernel, err = r.kernel([]*action{a}); err != nil {
			return nil, err
		}
		return s.rest(r.Group), nil
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
			return &Structure{Kind: kind, Ring: ring, Elements: all, Rest: r.moved()}, nil
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
