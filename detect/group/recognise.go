package group

import (
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
	Small          // a group with at most MaxElements elements that is none of these
)

func (k Kind) String() string {
	return [...]string{"other", "symmetric", "wreath", "cyclic", "dihedral", "small"}[k]
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
	Axes []Axis  // Symmetric: one for each factor. Wreath: the first one exchanges the b blocks
	Rest []int32 // points that are moved and in no row of an axis
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
	group  *Group    // on 0..k-1
	images []Perm    // of the generators
	swaps  []Perm    // of the group, if the action is an axis: see Axis
}

// Recognise says what the group is. It looks for a transitive action that shows
// it; a group it does not know is Small or Other.
func (g *Group) Recognise() (*Structure, error) {
	order := g.Order()
	if order.IsInt64() && order.Int64() == 1 {
		return &Structure{}, nil
	}
	var actions []action
	s, err := g.symmetric(&actions)
	if s != nil || err != nil {
		return s, err
	}
	s, err = g.wreath(actions)
	if s != nil || err != nil {
		return s, err
	}
	if s := g.ring(actions); s != nil {
		return s, nil
	}
	if all := g.Elements(MaxElements); all != nil {
		return &Structure{Kind: Small, Elements: all, Rest: g.moved()}, nil
	}
	return &Structure{Rest: g.moved()}, nil
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

// actions calls yield with the actions on orbits, smallest first, each followed
// by those on its minimal block systems, until it returns false.
func (g *Group) actions(yield func(a action) bool) error {
	orbits := g.Orbits()
	slices.SortStableFunc(orbits, func(a, b []int32) int { return len(a) - len(b) })
	for _, o := range orbits {
		var points [][]int32
		for _, x := range o {
			points = append(points, []int32{x})
		}
		a, err := g.action(o, points)
		if err != nil {
			return err
		}
		if !yield(a) {
			return nil
		}
		if len(o) > maxAction || a.full() { // the full symmetric group has no blocks
			continue
		}
		for _, sets := range g.Blocks(o) {
			a, err := g.action(o, sets)
			if err != nil {
				return err
			}
			if !yield(a) {
				return nil
			}
		}
	}
	return nil
}

// action returns the action on sets that partition an orbit.
func (g *Group) action(orbit []int32, sets [][]int32) (action, error) {
	a := action{sets: sets, orbit: orbit}
	of := make([]int32, g.n)
	for k, set := range sets {
		for _, x := range set {
			of[x] = int32(k)
		}
	}
	for _, p := range g.gens {
		q := make(Perm, len(sets))
		for k, set := range sets {
			q[k] = of[p[set[0]]]
		}
		a.images = append(a.images, q)
	}
	var err error
	a.group, err = New(len(sets), a.images, nil)
	return a, err
}

func factorial(k int) *big.Int { return new(big.Int).MulRange(1, int64(k)) }

// full reports whether the action is that of the full symmetric group.
func (a *action) full() bool { return a.group.Order().Cmp(factorial(len(a.sets))) == 0 }

// symmetric returns the structure of a product of symmetric groups, or nil; then
// all holds all actions.
func (g *Group) symmetric(all *[]action) (*Structure, error) {
	order, product := g.Order(), big.NewInt(1)
	var axes []*action
	err := g.actions(func(a action) bool {
		*all = append(*all, a)
		if !a.full() {
			return true
		}
		// An action that adds nothing to the chosen ones shows the same factor again.
		joint := new(big.Int).Mul(product, factorial(len(a.sets)))
		if joint.Cmp(order) <= 0 && g.joint(append(slices.Clone(axes), &a)).Cmp(joint) == 0 {
			product = joint
			axes = append(axes, &a)
		}
		return product.Cmp(order) < 0
	})
	if err != nil {
		return nil, err
	}
	if product.Cmp(order) != 0 {
		return nil, nil
	}
	s := &Structure{Kind: Symmetric}
	in := make([]bool, g.n)
	for i := range axes {
		axis := Axis{Swaps: g.swaps(axes, i)}
		if axis.Swaps == nil {
			return nil, nil
		}
		axes[i].swaps = axis.Swaps
		s.Axes = append(s.Axes, axis)
	}
	for i := range s.Axes {
		axis := &s.Axes[i]
		axis.Rows = rows(axes, i)
		for _, r := range axis.Rows {
			for _, x := range r {
				in[x] = true
			}
		}
	}
	for _, x := range g.moved() {
		if !in[x] {
			s.Rest = append(s.Rest, x)
		}
	}
	return s, nil
}

// joint returns the order of the action on several sets at once.
func (g *Group) joint(axes []*action) *big.Int {
	j, err := New(degree(axes), g.jointly(axes), nil)
	if err != nil {
		panic("group: " + err.Error())
	}
	return j.Order()
}

func degree(axes []*action) int {
	n := 0
	for _, a := range axes {
		n += len(a.sets)
	}
	return n
}

// jointly returns what the generators do on the disjoint union of the sets.
func (g *Group) jointly(axes []*action) []Perm {
	var out []Perm
	for k := range g.gens {
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

// swaps returns the elements that exchange neighbours of set i of the axes and
// fix the elements of all other sets.
func (g *Group) swaps(axes []*action, i int) []Perm {
	// The group on its own points and, behind them, on the elements of the sets.
	var gens []Perm
	for k, p := range g.jointly(axes) {
		q := slices.Clone(g.gens[k])
		for _, x := range p {
			q = append(q, x+int32(g.n))
		}
		gens = append(gens, q)
	}
	var from []int32
	for x := range degree(axes) {
		from = append(from, int32(g.n+x))
	}
	h, err := build(g.n+degree(axes), gens, from, g.Order())
	if err != nil {
		panic("group: " + err.Error())
	}
	off := degree(axes[:i])
	var out []Perm
	for r := range len(axes[i].sets) - 1 {
		to := slices.Clone(from)
		to[off+r], to[off+r+1] = to[off+r+1], to[off+r]
		p, ok := h.mapping(to)
		if !ok {
			return nil
		}
		out = append(out, p[:g.n])
	}
	return out
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
func (g *Group) wreath(actions []action) (*Structure, error) {
	order := g.Order()
	for i := range actions {
		a := &actions[i]
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
		on := action{orbit: a.orbit}
		at := make(map[int32]int32)
		for k, x := range a.orbit {
			at[x] = int32(k)
		}
		for _, p := range g.gens {
			q := make(Perm, len(a.orbit))
			for k, x := range a.orbit {
				q[k] = at[p[x]]
			}
			on.images = append(on.images, q)
		}
		h, err := New(len(a.orbit), on.images, nil)
		if err != nil {
			return nil, err
		}
		if h.Order().Cmp(order) != 0 {
			continue // not faithful: something else has this order by chance
		}
		s := &Structure{Kind: Wreath}
		var from []int32
		for _, set := range a.sets {
			s.Inner = append(s.Inner, set)
			from = append(from, set...)
		}
		axis := Axis{Rows: make([][]int32, blocks)}
		r := g.rebase(from)
		for b := range blocks - 1 {
			to := slices.Clone(from)
			for c := range size {
				to[b*size+c], to[(b+1)*size+c] = to[(b+1)*size+c], to[b*size+c]
			}
			p, ok := r.mapping(to)
			if !ok {
				return nil, nil
			}
			axis.Swaps = append(axis.Swaps, p)
		}
		for b, set := range a.sets {
			axis.Rows[b] = set
		}
		s.Axes = []Axis{axis}
		in := make([]bool, g.n)
		for _, x := range from {
			in[x] = true
		}
		for _, x := range g.moved() {
			if !in[x] {
				s.Rest = append(s.Rest, x)
			}
		}
		return s, nil
	}
	return nil, nil
}

// maxRing is the longest ring whose rotations and reflections are listed.
const maxRing = 4096

// ring returns the structure of the rotations of a ring, with or without
// reflections, or nil.
func (g *Group) ring(actions []action) *Structure {
	order := g.Order()
	for i := range actions {
		a := &actions[i]
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
		all := g.Elements(2 * k)
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
			return &Structure{Kind: kind, Ring: ring, Elements: all, Rest: g.moved()}
		}
	}
	return nil
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
