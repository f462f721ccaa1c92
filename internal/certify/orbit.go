package certify

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file checks proofs whose clauses have too many images to write out: a clause over 12
// of 24 components has 2.7 million. A large orbit is kept as one clause. An image is added
// when the solver finds a path that violates it. Whether a state violates an image is a
// bipartite matching. It assigns to each component of the clause a component of the state
// that falsifies its literals. The matching is exact if each literal belongs to one
// component or to none. Other orbits are written out.
//
// Many paths are images of each other. So a query also requires that the first state of the
// path is least under the symmetries that keep the query. This is sound. Take a shortest
// run that leaves the invariant by violating a clause, or that ends in a bad. A permutation
// that keeps this clause, or this conjunct of the bads, maps the run to a run of the same
// length that violates the same clause or conjunct. All assumptions hold on the image, too
// (inductive.go). On one of these images the first state of the path is least. Least means:
// of two interchangeable components, the one with the smaller number is not greater than
// the other, compared literal by literal. The group contains all permutations that keep the
// classes of interchangeable components, so one of them sorts every class.
//
// A matching that misses an image can only make the check reject, since a path remains.
// Each clause that the matching gives is verified to be an image before it is added.

// rows says what belongs to the components of one block. lits is a table of literals by
// component and column: a permutation σ of the components takes lits[i][k] to
// lits[σ(i)][k], and nothing else in the group moves them.
type rows struct {
	block ts.Block
	lits  [][]ts.Lit
}

// place is the row and column of a latch in the table of a block.
type place struct {
	table, row, column int
	sign               ts.Lit
}

// components is all tables of a group.
type components struct {
	tables []rows
	at     map[int]place // by latch
	moved  []bool        // by latch: by some generator
}

// newComponents reads them off the generators.
func newComponents(y *ts.Symmetry, latches int) *components {
	c := &components{at: make(map[int]place), moved: make([]bool, latches)}
	if y.Trivial() {
		return c
	}
	movers := make([][]*ts.Perm, latches)
	for _, g := range y.Generators() {
		for i, l := range g.Latch {
			if l != ts.MkLit(i, false) {
				c.moved[i] = true
				movers[i] = append(movers[i], g)
			}
		}
	}
	for _, b := range y.Blocks {
		n := len(b.Swaps) + 1
		if n < 3 {
			continue // the one exchange there is does not tell the components apart
		}
		t := rows{b, make([][]ts.Lit, n)}
		for i := range latches {
			if column := walk(b.Swaps, movers, i); column != nil {
				for r, l := range column {
					c.at[int(l>>1)] = place{len(c.tables), r, len(t.lits[r]), l & 1}
					t.lits[r] = append(t.lits[r], l)
				}
			}
		}
		c.tables = append(c.tables, t)
	}
	return c
}

// walk returns the column that begins with a latch; nil if there is none.
func walk(swaps []*ts.Perm, movers [][]*ts.Perm, latch int) (column []ts.Lit) {
	l := ts.MkLit(latch, false)
	for r := range len(swaps) + 1 {
		// Nothing moves it but what exchanges component r with another.
		if !slices.Equal(movers[l>>1], swaps[max(0, r-1):min(r+1, len(swaps))]) {
			return nil
		}
		column = append(column, l)
		if r < len(swaps) {
			next := l.Under(swaps[r].Latch)
			if next.Under(swaps[r].Latch) != l {
				return nil
			}
			l = next
		}
	}
	return column
}

// orbit is a clause that stands for all its images.
type orbit struct {
	*components
	clause ts.Clause   // ascending
	fixed  []ts.Lit    // its literals that no image changes
	parts  [][]pattern // by table: those of components
	size   *big.Int
}

// pattern is the literals of a clause that belong to one component: columns, shifted,
// with the sign relative to the literal of the table, ascending.
type pattern struct {
	row  int
	lits []ts.Lit
}

func (p pattern) key() string { return fmt.Sprint(p.lits) }

// orbit returns the orbit of a clause; nil if a literal belongs to several components.
func (c *components) orbit(clause ts.Clause) *orbit {
	clause = slices.Clone(clause)
	slices.Sort(clause)
	clause = slices.Compact(clause)
	o := &orbit{components: c, clause: clause, parts: make([][]pattern, len(c.tables)), size: big.NewInt(1)}
	for _, l := range clause {
		x, ok := c.at[int(l>>1)]
		if !ok {
			if c.moved[l>>1] {
				return nil
			}
			o.fixed = append(o.fixed, l)
			continue
		}
		part := o.parts[x.table]
		k := slices.IndexFunc(part, func(p pattern) bool { return p.row == x.row })
		if k < 0 {
			k = len(part)
			part = append(part, pattern{row: x.row})
		}
		part[k].lits = append(part[k].lits, ts.Lit(x.column)<<1|l&1^x.sign)
		o.parts[x.table] = part
	}
	for t, part := range o.parts {
		same := make(map[string]int64)
		n := int64(len(c.tables[t].lits))
		for k, p := range part {
			slices.Sort(p.lits)
			same[p.key()]++ // n·(n-1)·…, of which orders of equal ones are one
			o.size.Mul(o.size, big.NewInt(n-int64(k)))
			o.size.Div(o.size, big.NewInt(same[p.key()]))
		}
	}
	return o
}

// large reports whether an orbit is not written. One of a group without components is.
func (c *Checker) large(o *orbit) bool {
	if len(o.tables) == 0 {
		return false
	}
	n := lists.Sum(o.parts, func(part []pattern) int { return len(part) })
	more := func(than int64) bool { return o.size.Cmp(big.NewInt(than)) > 0 }
	return more(c.variant.orbit) && (n > c.variant.components || more(c.variant.images))
}

// key is the same for the clauses of one orbit, and for no others. It is no clauseKey.
func (o *orbit) key() string {
	var b strings.Builder
	b.WriteByte(0)
	fmt.Fprint(&b, o.fixed)
	for _, part := range o.parts {
		keys := lists.Map(part, pattern.key)
		slices.Sort(keys)
		fmt.Fprint(&b, keys)
	}
	return b.String()
}

// broken returns images that a state breaks, none if it breaks none: several, each found
// with another component as the first to try. first lists, by table, all components, in
// the order in which they are to be tried; nil is that of their numbers.
func (o *orbit) broken(state []bool, first [][]int) (images []ts.Clause) {
	holds := func(l ts.Lit) bool { return state[l>>1] != (l&1 == 1) }
	if slices.ContainsFunc(o.fixed, holds) {
		return nil
	}
	have := make(map[string]bool)
	for try := range 8 {
		image := slices.Clone(o.fixed)
		for t, part := range o.parts {
			lits := o.tables[t].lits
			n := len(lits)
			row := func(r int) int {
				if r = (r + try*n/8) % n; first != nil {
					return first[t][r]
				}
				return r
			}
			to := match(len(part), n, func(k, r int) bool {
				return !slices.ContainsFunc(part[k].lits, func(l ts.Lit) bool { return holds(l.Under(lits[row(r)])) })
			})
			if to == nil {
				return nil
			}
			for k, p := range part {
				for _, l := range p.lits {
					image = append(image, l.Under(lits[row(to[k])]))
				}
			}
		}
		slices.Sort(image)
		if k := clauseKey(image); !have[k] {
			have[k] = true
			images = append(images, image)
		}
	}
	return images
}

// match returns for each of m a different one of n that fits; nil if there is no such
// matching. Augmenting paths: Kuhn, "The Hungarian method", 1955.
func match(m, n int, fits func(k, r int) bool) []int {
	of := slices.Repeat([]int{-1}, n)
	var seen []bool
	var augment func(k int) bool
	augment = func(k int) bool {
		for r := range n {
			if !seen[r] && fits(k, r) {
				seen[r] = true
				if of[r] < 0 || augment(of[r]) {
					of[r] = k
					return true
				}
			}
		}
		return false
	}
	for k := range m {
		seen = make([]bool, n)
		if !augment(k) {
			return nil
		}
	}
	to := make([]int, m)
	for r, k := range of {
		if k >= 0 {
			to[k] = r
		}
	}
	return to
}

// alike splits the components of each table into those that may be exchanged without a
// change of a clause, those it mentions first; nil if that is not known.
func (c *components) alike(clause ts.Clause) [][][]int {
	o := c.orbit(clause)
	if o == nil {
		return nil
	}
	all := make([][][]int, len(c.tables))
	for t, part := range o.parts {
		class := make(map[string][]int)
		mentioned := make(map[int]bool)
		var order []string
		for _, p := range part {
			if class[p.key()] == nil {
				order = append(order, p.key())
			}
			class[p.key()] = append(class[p.key()], p.row)
			mentioned[p.row] = true
		}
		for _, key := range order {
			slices.Sort(class[key])
			all[t] = append(all[t], class[key])
		}
		var others []int
		for r := range c.tables[t].lits {
			if !mentioned[r] {
				others = append(others, r)
			}
		}
		if others != nil {
			all[t] = append(all[t], others)
		}
	}
	return all
}

// alikeUnder does the same for a function of the system, as far as normal forms and
// sweeping show it, of components that are neighbours.
func (c *components) alikeUnder(s *symmetries, f aig.Lit) [][][]int {
	all := make([][][]int, len(c.tables))
	for t, table := range c.tables {
		class := []int{0}
		for i, swap := range table.block.Swaps {
			if !s.keepsFunction(swap, f) {
				all[t] = append(all[t], class)
				class = nil
			}
			class = append(class, i+1)
		}
		all[t] = append(all[t], class)
	}
	return all
}

// least requires of the first state of a path that no component is greater than the next
// one that is alike. It compares those columns that the formula mentions.
func (p *path) least(c *components, alike [][][]int) {
	if alike == nil {
		return
	}
	p.order = make([][]int, len(alike))
	on := p.fresh()
	p.require(on)
	first := len(p.Clauses)
	defer func() { p.markSpan(span{first, len(p.Clauses)}) }()
	for t, classes := range alike {
		p.order[t] = slices.Concat(classes...)
		lits := c.tables[t].lits
		var columns []int
		for k := range lits[0] {
			if slices.ContainsFunc(lits, func(row []ts.Lit) bool { return p.holds(p.first[int(row[k]>>1)]) }) {
				columns = append(columns, k)
			}
		}
		word := func(r int) (w []sat.Lit) {
			for _, k := range columns {
				w = append(w, p.latch(0, int(lits[r][k]>>1))^sat.Lit(lits[r][k]&1))
			}
			return w
		}
		for _, class := range classes {
			for i := range class[1:] {
				p.ordered(on, word(class[i]), word(class[i+1]))
			}
		}
	}
}

// ordered requires a ≤ b, words of one length, false before true, where on holds.
func (f *formula) ordered(on sat.Lit, a, b []sat.Lit) {
	equal := on
	for i, x := range a {
		y := b[i]
		f.add(equal.Not(), x.Not(), y)
		if i < len(a)-1 {
			next := f.fresh()
			f.add(equal.Not(), x.Not(), y.Not(), next)
			f.add(equal.Not(), x, y, next)
			equal = next
		}
	}
}
