package model

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// Kept is a group of permutations of values, <Kept>: the products of permutations within cells
// and of rotations of rings. No two rings have a value in common, and values of rings are alone in their
// cells. A ring of which no rotation but the identity is in the group is not listed; the others
// are in the order of their classes and least values.
type Kept struct {
	Cells Cells
	Rings []Ring
}

// Rotation returns the permutation that maps each value of a ring to what is so many places behind
// it.
func (m *Model) Rotation(r Ring, places int) ScalarPerm {
	perm := m.Identity()
	Ring{r.Class, r.Values, 1}.Rotate(perm[r.Class], places)
	return perm
}

// Exchange returns the permutation that exchanges two values of a class, or the identity if they
// are one.
func (m *Model) Exchange(class, v, w int) ScalarPerm {
	perm := m.Identity()
	if v != w {
		perm[class][v], perm[class][w] = w, v
	}
	return perm
}

// Exchanges returns, for disjoint sets of values by class, the exchanges of neighbours in them, but for slots. They
// generate all permutations within the sets.
func (m *Model) Exchanges(blocks [][][]int) (perms []ScalarPerm) {
	for c, class := range blocks {
		for _, b := range class {
			for i := 1; i < len(b) && !m.Scalarsets[c].Slots; i++ {
				perms = append(perms, m.Exchange(c, b[i-1], b[i]))
			}
		}
	}
	return perms
}

// Identity returns the permutation that maps each value to itself.
func (m *Model) Identity() ScalarPerm {
	perm := make(ScalarPerm, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		if !t.Slots {
			perm[c] = lists.Make(int(t.Card()), func(v int) int { return v })
		}
	}
	return perm
}

// Generators returns permutations that generate the group: exchanges of neighbours in cells, and
// the least rotation of each ring.
func (k Kept) Generators(m *Model) []ScalarPerm {
	return append(m.Exchanges(k.Cells.Blocks()), lists.Map(k.Rings, func(r Ring) ScalarPerm { return m.Rotation(r, r.Step) })...)
}

// Holds reports whether perm is in the group.
func (k Kept) Holds(perm ScalarPerm) bool {
	rotated := make(map[[2]int]bool)
	for _, r := range k.Rings {
		if perm[r.Class] == nil {
			continue
		}
		if !r.Rotates(perm[r.Class]) {
			return false
		}
		for _, v := range r.Values {
			rotated[[2]int{r.Class, v}] = true
		}
	}
	for c, images := range perm {
		for v, w := range images {
			if w < 0 || w >= len(k.Cells[c]) || k.Cells[c][v] != k.Cells[c][w] && !rotated[[2]int{c, v}] {
				return false
			}
		}
	}
	return true
}

// Within reports whether the group is part of that of l.
func (k Kept) Within(m *Model, l Kept) bool {
	return !slices.ContainsFunc(k.Generators(m), func(perm ScalarPerm) bool { return !l.Holds(perm) })
}

// Step returns the least number of places by which all rotations of a ring in the group are multiples:
// a divisor of the number of its values, which stands for the identity.
func (k Kept) Step(m *Model, r Ring) int {
	for by := 1; by < len(r.Values); by++ {
		if len(r.Values)%by == 0 && k.Holds(m.Rotation(r, by)) {
			return by
		}
	}
	return len(r.Values)
}

// Meet returns the intersection of both groups, as far as their rings are the same: otherwise it
// is part of it.
func (k Kept) Meet(m *Model, l Kept) Kept {
	out := Kept{Cells: k.Cells.Meet(m, l.Cells)}
	for _, r := range ringsOf(k, l) {
		// A multiple of two divisors that is one itself.
		for by := 1; by < len(r.Values); by++ {
			if perm := m.Rotation(r, by); len(r.Values)%by == 0 && k.Holds(perm) && l.Holds(perm) {
				out.Rings = append(out.Rings, Ring{r.Class, r.Values, by})
				break
			}
		}
	}
	return out
}

// Join returns a group that contains both. Values of a ring are in one cell if one of them is in a
// cell with another value.
func (k Kept) Join(m *Model, l Kept) Kept {
	out := Kept{Cells: k.Cells.Join(m, l.Cells)}
	rings := ringsOf(k, l)
	whole := func(r Ring) Cells {
		return NewCells(m, func(c, v, w int) bool {
			return c == r.Class && slices.Contains(r.Values, v) && slices.Contains(r.Values, w)
		})
	}
	for changed := true; changed; {
		changed = false
		rings = slices.DeleteFunc(rings, func(r Ring) bool {
			of := out.Cells[r.Class]
			alone := !slices.ContainsFunc(r.Values, func(v int) bool {
				at := slices.Index(of, of[v])
				return at != v || slices.Contains(of[v+1:], of[v])
			})
			if !alone {
				out.Cells, changed = out.Cells.Join(m, whole(r)), true
			}
			return !alone
		})
	}
	for _, r := range rings {
		r.Step = gcd(k.Step(m, r), l.Step(m, r))
		out.Rings = append(out.Rings, r)
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ringsOf lists the rings of both, each once.
func ringsOf(k, l Kept) []Ring {
	all := slices.Clone(k.Rings)
	for _, r := range l.Rings {
		if !slices.ContainsFunc(all, func(q Ring) bool { return q.Class == r.Class && slices.Equal(q.Values, r.Values) }) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(q, r Ring) int { return cmp.Or(q.Class-r.Class, q.Values[0]-r.Values[0]) })
	return all
}

// Rotated returns the group with a ring by multiples of a step in the place of what it does to the
// values of the ring: those are alone in their cells.
func (k Kept) Rotated(m *Model, r Ring, step int) Kept {
	out := Kept{Cells: NewCells(m, func(c, v, w int) bool {
		return k.Cells[c][v] == k.Cells[c][w] && !(c == r.Class && (slices.Contains(r.Values, v) || slices.Contains(r.Values, w)))
	})}
	other := slices.DeleteFunc(slices.Clone(k.Rings), func(q Ring) bool { return q.Class == r.Class && q.Values[0] == r.Values[0] })
	if r.Step = step; step == len(r.Values) {
		return Kept{out.Cells, other}
	}
	out.Rings = ringsOf(Kept{Rings: other}, Kept{Rings: []Ring{r}})
	return out
}

// Equal reports whether k and l are the same.
func (k Kept) Equal(l Kept) bool { return k.Key() == l.Key() }

// Key returns a text that differs for different groups.
func (k Kept) Key() string {
	var b []byte
	for _, of := range k.Cells {
		for _, cell := range of {
			b = binary.AppendUvarint(b, uint64(cell))
		}
	}
	for _, r := range k.Rings {
		for _, n := range append([]int{r.Class, r.Step}, r.Values...) {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return string(b)
}

// Order returns how many permutations there are in the group.
func (k Kept) Order() *big.Int {
	n := big.NewInt(1)
	for _, blocks := range k.Cells.Blocks() {
		for _, b := range blocks {
			n.Mul(n, new(big.Int).MulRange(1, int64(len(b))))
		}
	}
	for _, r := range k.Rings {
		n.Mul(n, big.NewInt(int64(r.Order())))
	}
	return n
}
