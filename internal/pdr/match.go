package pdr

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file finds the image of a cube that contains a state, without writing out
// the orbit.
//
// Most latches name components: a bit of row i of an array names i, a bit of
// entry [i][j] names i and j, "the owner is i" names i. If every latch does, an
// image of a cube is given by the images of its components. Whether a state
// violates some image is then a constraint problem. Its variables are the
// components of the cube and its values those of the system, all different within
// a type. A literal that names one component restricts its domain; a literal that
// names several relates them. If none relates two, the problem is a bipartite
// matching for each type, which augmenting paths decide (Kuhn 1955). Otherwise
// the search backtracks, with a budget.
//
// What a latch names is read off the permutations: i is named if exchanging it
// with almost any other component moves the latch.

// rows says which components the latches name.
type rows struct {
	sizes  []int     // by type: its number of components
	latch  []named   // by latch
	places [][]int32 // by family: the latch for given components, in mixed radix
}

// named is a latch as a member of a family, and the components it names.
type named struct {
	family int
	at     []component
}

// component is a member of a type, both counted from 0.
type component struct{ typ, elem int }

// matchBudget bounds the nodes of one search.
const matchBudget = 20000

// newRows returns the structure of the latches under the blocks of y, nil if there
// is none.
func newRows(y *ts.Symmetry, latches int) *rows {
	r := &rows{latch: make([]named, latches)}
	var swaps [][][]ts.Lit // by type: adjacent transpositions
	for _, b := range y.Blocks {
		r.sizes = append(r.sizes, len(b.Elems))
		var ps [][]ts.Lit
		for _, p := range b.Swaps {
			for _, l := range p.Latch {
				if l.Neg() {
					return nil
				}
			}
			ps = append(ps, p.Latch)
		}
		swaps = append(swaps, ps)
	}
	done := make([]bool, latches)
	for first := range done {
		if done[first] {
			continue
		}
		var at []component
		for typ := range swaps {
			elems, ok := namedElems(swaps[typ], int32(first))
			if !ok {
				return nil
			}
			at = append(at, lists.Map(elems, func(e int) component { return component{typ, e} })...)
		}
		if !r.family(swaps, first, at, done) {
			return nil
		}
	}
	return r
}

// namedElems returns the components that latch l names: two are alike if their
// exchange does not move it, and all but one class of alike ones are single.
func namedElems(swaps [][]ts.Lit, l int32) ([]int, bool) {
	n := len(swaps) + 1
	move := func(l int32, p []ts.Lit) int32 { return int32(p[l] >> 1) }
	alike := func(i, j int) bool { // i < j: exchange = s_i … s_{j-2} s_{j-1} s_{j-2} … s_i
		x := l
		for k := i; k < j; k++ {
			x = move(x, swaps[k])
		}
		for k := j - 2; k >= i; k-- {
			x = move(x, swaps[k])
		}
		return x == l
	}
	if n == 2 {
		switch x := move(l, swaps[0]); {
		case x == l:
			return nil, true
		case x < l:
			return []int{1}, true
		}
		return []int{0}, true
	}
	class := make([]int, n)
	size := make([]int, n)
	for i := range class {
		class[i] = i
		for j := range i {
			if class[j] == j && alike(j, i) {
				class[i] = j
				break
			}
		}
		size[class[i]]++
	}
	big := 0
	for i, s := range size {
		if s > size[big] {
			big = i
		}
	}
	var out []int
	for i := range class {
		switch {
		case class[i] == big && size[big] > 1: // if all are single, it names them all
		case size[class[i]] > 1:
			return nil, false
		default:
			out = append(out, i)
		}
	}
	return out, true
}

// family names the orbit of a latch that names the given components. It reports
// whether every latch of the orbit gets one name.
func (r *rows) family(swaps [][][]ts.Lit, first int, at []component, done []bool) bool {
	f := len(r.places)
	size := 1
	for _, c := range at {
		if size *= r.sizes[c.typ]; size > 1<<24 {
			return false
		}
	}
	place := slices.Repeat([]int32{-1}, size)
	r.places = append(r.places, place)
	r.latch[first] = named{f, at}
	done[first] = true
	place[r.index(at)] = int32(first)
	todo := []int32{int32(first)}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for typ := range swaps {
			for i, p := range swaps[typ] {
				to := slices.Clone(r.latch[l].at)
				for k, c := range to {
					switch {
					case c.typ != typ:
					case c.elem == i:
						to[k].elem = i + 1
					case c.elem == i+1:
						to[k].elem = i
					}
				}
				m := int32(p[l] >> 1)
				if !done[m] {
					done[m] = true
					r.latch[m] = named{f, to}
					todo = append(todo, m)
				} else if r.latch[m].family != f || !slices.Equal(r.latch[m].at, to) {
					return false
				}
				if q := &place[r.index(to)]; *q == -1 {
					*q = m
				} else if *q != m {
					return false
				}
			}
		}
	}
	return true
}

// index returns the place of components in their family.
func (r *rows) index(at []component) int {
	i := 0
	for _, c := range at {
		i = i*r.sizes[c.typ] + c.elem
	}
	return i
}

// pattern is a cube prepared for matching.
type pattern struct {
	fixed ts.Cube     // literals that name nothing
	vars  []component // the components that it names
	unary []unary     // literals that name one
	many  []relation  // literals that name several
}

type unary struct {
	v     int // in vars
	place []int32
	neg   ts.Lit
}

type relation struct {
	family int
	vs     []int // in vars
	neg    ts.Lit
}

// pattern prepares c.
func (r *rows) pattern(c ts.Cube) *pattern {
	p := &pattern{}
	number := make(map[component]int)
	v := func(c component) int {
		i := lists.Number(number, c)
		if i == len(p.vars) {
			p.vars = append(p.vars, c)
		}
		return i
	}
	for _, l := range c {
		switch n := r.latch[l>>1]; len(n.at) {
		case 0:
			p.fixed = append(p.fixed, l)
		case 1:
			p.unary = append(p.unary, unary{v(n.at[0]), r.places[n.family], l & 1})
		default:
			rel := relation{family: n.family, neg: l & 1, vs: lists.Map(n.at, v)}
			p.many = append(p.many, rel)
		}
	}
	return p
}

// valuation tells which literals hold: a state, or a cube, in which a latch may
// have no value.
type valuation func(l ts.Lit) bool

// match returns the permuted components, by number in p.vars, under which every
// literal of the pattern holds. It returns nil if there are none, or if the budget
// ends: then all is false.
func (r *rows) match(p *pattern, holds valuation) (to []int, all bool) {
	for _, l := range p.fixed {
		if !holds(l) {
			return nil, true
		}
	}
	domain := lists.Map(p.vars, func(c component) []bool { return slices.Repeat([]bool{true}, r.sizes[c.typ]) })
	for _, u := range p.unary {
		d := domain[u.v]
		any := false
		for e := range d {
			if d[e] {
				d[e] = holds(ts.Lit(u.place[e])<<1 | u.neg)
				any = any || d[e]
			}
		}
		if !any {
			return nil, true
		}
	}
	to, ok := assign(p.vars, domain)
	if !ok {
		return nil, true
	}
	if len(p.many) == 0 {
		return to, true
	}
	return r.backtrack(p, domain, holds)
}

// assign finds different values within each type by augmenting paths.
func assign(vars []component, domain [][]bool) ([]int, bool) {
	to := make([]int, len(vars))
	owner := make(map[component]int)
	var seen map[component]bool
	var augment func(v int) bool
	augment = func(v int) bool {
		for e, ok := range domain[v] {
			c := component{vars[v].typ, e}
			if !ok || seen[c] {
				continue
			}
			seen[c] = true
			if w, taken := owner[c]; !taken || augment(w) {
				owner[c] = v
				to[v] = e
				return true
			}
		}
		return false
	}
	for v := range vars {
		seen = make(map[component]bool)
		if !augment(v) {
			return nil, false
		}
	}
	return to, true
}

// backtrack assigns the variables with the smallest domains first.
func (r *rows) backtrack(p *pattern, domain [][]bool, holds valuation) ([]int, bool) {
	n := len(p.vars)
	to := slices.Repeat([]int{-1}, n)
	size := make([]int, n)
	for i, d := range domain {
		for _, ok := range d {
			if ok {
				size[i]++
			}
		}
	}
	order := lists.Make(n, func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int { return size[a] - size[b] })
	rank := make([]int, n)
	for i, v := range order {
		rank[v] = i
	}
	last := make([][]relation, n) // by rank: the relations that are complete then
	for _, rel := range p.many {
		k := 0
		for _, v := range rel.vs {
			k = max(k, rank[v])
		}
		last[k] = append(last[k], rel)
	}
	used := make(map[component]bool)
	nodes := 0
	at := make([]component, 0, 4)
	var search func(k int) bool
	search = func(k int) bool {
		if k == n {
			return true
		}
		v := order[k]
	values:
		for e, ok := range domain[v] {
			c := component{p.vars[v].typ, e}
			if !ok || used[c] {
				continue
			}
			if nodes++; nodes > matchBudget {
				return false
			}
			to[v] = e
			for _, rel := range last[k] {
				at = at[:0]
				for _, w := range rel.vs {
					at = append(at, component{p.vars[w].typ, to[w]})
				}
				if m := r.places[rel.family][r.index(at)]; m < 0 || !holds(ts.Lit(m)<<1|rel.neg) {
					continue values
				}
			}
			used[c] = true
			if search(k + 1) {
				return true
			}
			used[c] = false
		}
		return false
	}
	if !search(0) {
		return nil, nodes <= matchBudget
	}
	return to, true
}

// moved returns the image of c when the components of its pattern go where
// match said.
func (r *rows) moved(c ts.Cube, p *pattern, to []int) ts.Cube {
	number := lists.IndexBy(p.vars, func(v component) component { return v })
	d := make(ts.Cube, len(c))
	at := make([]component, 0, 4)
	for i, l := range c {
		n := r.latch[l>>1]
		at = at[:0]
		for _, c := range n.at {
			at = append(at, component{c.typ, to[number[c]]})
		}
		d[i] = ts.MkLit(int(r.places[n.family][r.index(at)]), l.Neg())
	}
	slices.Sort(d)
	return d
}
