package graph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Families of graphs for the tests and benchmarks.

func dimacs(g *Graph) string {
	var b strings.Builder
	if err := WriteDIMACS(&b, g); err != nil {
		panic(err)
	}
	return b.String()
}

func must(b *Builder) *Graph {
	g, err := b.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// fromRelation makes the graph on n vertices of a symmetric relation.
func fromRelation(n int, adjacent func(u, v int) bool) *Graph {
	b := NewBuilder(n, 0)
	for v := range n {
		for u := range v {
			if adjacent(u, v) {
				b.AddEdge(u, v)
			}
		}
	}
	return must(b)
}

func appendTo(b *Builder, g *Graph) (first int) {
	first = b.N()
	for v := range g.N() {
		b.AddVertex(g.Colour(v))
	}
	for v := range g.N() {
		for _, u := range g.Neighbours(v) {
			if int(u) >= v {
				b.AddEdge(first+v, first+int(u))
			}
		}
	}
	return first
}

func union(gs ...*Graph) *Graph {
	b := NewBuilder(0, 0)
	for _, g := range gs {
		appendTo(b, g)
	}
	return must(b)
}

func relabel(rng *rand.Rand, g *Graph) *Graph {
	p := rng.Perm(g.N())
	b := NewBuilder(g.N(), g.M())
	for v := range g.N() {
		b.SetColour(p[v], g.Colour(v))
		for _, u := range g.Neighbours(v) {
			if int(u) >= v {
				b.AddEdge(p[v], p[int(u)])
			}
		}
	}
	return must(b)
}

func complement(g *Graph) *Graph {
	h := fromRelation(g.N(), func(u, v int) bool { return !g.HasEdge(u, v) })
	copy(h.colour, g.colour)
	return h
}

func cycle(n int) *Graph {
	return fromRelation(n, func(u, v int) bool { return (v-u)%n == 1 || (u-v+n)%n == 1 })
}

func complete(n int) *Graph { return fromRelation(n, func(u, v int) bool { return true }) }

// paley: q a prime congruent to 1 modulo 4.
func paley(q int) *Graph {
	square := map[int]bool{}
	for x := 1; x < q; x++ {
		square[x*x%q] = true
	}
	return fromRelation(q, func(u, v int) bool { return square[v-u] })
}

// latin is the Latin square graph of the cyclic group of order n.
func latin(n int) *Graph {
	return fromRelation(n*n, func(u, v int) bool {
		a, b, c, d := u/n, u%n, v/n, v%n
		return a == c || b == d || (a+b)%n == (c+d)%n
	})
}

func rook(n, m int) *Graph {
	return fromRelation(n*m, func(u, v int) bool { return u/m == v/m || u%m == v%m })
}

// kneser has the k-subsets of n points, adjacent when they share exactly s points.
func kneser(n, k, s int) *Graph {
	var sets []uint
	for x := range uint(1) << n {
		if onesCount(x) == k {
			sets = append(sets, x)
		}
	}
	return fromRelation(len(sets), func(u, v int) bool { return onesCount(sets[u]&sets[v]) == s })
}

func onesCount(x uint) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// grid: side lengths, and whether it wraps around.
func grid(sides []int, torus bool) *Graph {
	n := 1
	for _, s := range sides {
		n *= s
	}
	b := NewBuilder(n, 0)
	for v := range n {
		stride := 1
		for _, s := range sides {
			x := v / stride % s
			switch {
			case x+1 < s:
				b.AddEdge(v, v+stride)
			case torus && s > 2:
				b.AddEdge(v, v-x*stride)
			}
			stride *= s
		}
	}
	return must(b)
}

func hypercube(d int) *Graph {
	return fromRelation(1<<d, func(u, v int) bool { return onesCount(uint(u^v)) == 1 })
}

// randomTree hangs every vertex below one of the last span vertices.
func randomTree(rng *rand.Rand, n, span int) *Graph {
	b := NewBuilder(n, n)
	for v := 1; v < n; v++ {
		b.AddEdge(v, v-1-rng.IntN(min(v, span)))
	}
	return must(b)
}

// fullTree is the tree of the given depth where inner vertices have k children.
func fullTree(k, depth int) *Graph {
	b := NewBuilder(1, 0)
	layer := []int{0}
	for range depth {
		var next []int
		for _, v := range layer {
			for range k {
				w := b.AddVertex(0)
				b.AddEdge(v, w)
				next = append(next, w)
			}
		}
		layer = next
	}
	return must(b)
}

// projectivePlane is the incidence graph of the plane over the field of prime order q.
func projectivePlane(q int) *Graph {
	var points [][3]int
	for x := range q * q * q {
		p := [3]int{x / q / q, x / q % q, x % q}
		for _, c := range p {
			if c != 0 {
				if c == 1 {
					points = append(points, p)
				}
				break
			}
		}
	}
	n := len(points)
	return fromRelation(2*n, func(u, v int) bool {
		if u >= n || v < n {
			return false
		}
		p, l := points[u], points[v-n]
		return (p[0]*l[0]+p[1]*l[1]+p[2]*l[2])%q == 0
	})
}

// cfi replaces every vertex of a base graph by the gadget of Cai, Fürer, Immerman: a
// pair of vertices for every edge end, and a vertex for every even set of ends. The
// twist crosses one edge.
func cfi(base *Graph, twist bool) *Graph {
	b := NewBuilder(0, 0)
	ends := map[[3]int]int{}
	for v := range base.N() {
		ns := base.Neighbours(v)
		for _, u := range ns {
			for side := range 2 {
				ends[[3]int{v, int(u), side}] = b.AddVertex(0)
			}
		}
		for set := range uint(1) << len(ns) {
			if onesCount(set)%2 != 0 {
				continue
			}
			w := b.AddVertex(1)
			for k, u := range ns {
				b.AddEdge(w, ends[[3]int{v, int(u), int(set >> k & 1)}])
			}
		}
	}
	for v := range base.N() {
		for _, u := range base.Neighbours(v) {
			if int(u) < v {
				continue
			}
			for side := range 2 {
				other := side
				if twist {
					other = 1 - side
				}
				b.AddEdge(ends[[3]int{v, int(u), side}], ends[[3]int{int(u), v, other}])
			}
			twist = false
		}
	}
	return must(b)
}

// ladder is the cubic graph under Miyazaki's graphs: a multigraph chain with its
// double edges subdivided away.
func ladder(n int) *Graph {
	b := NewBuilder(2*n, 0)
	for v := range n {
		b.AddEdge(2*v, 2*v+1)
		b.AddEdge(2*v, (2*v+2)%(2*n))
		b.AddEdge(2*v+1, (2*v+3)%(2*n))
	}
	return must(b)
}

// randomRegular pairs stubs; loops and repeated edges are dropped, so few vertices
// may have a smaller degree.
func randomRegular(rng *rand.Rand, n, d int) *Graph {
	stubs := rng.Perm(n * d)
	b := NewBuilder(n, 0)
	for k := 0; k+1 < len(stubs); k += 2 {
		if u, v := stubs[k]%n, stubs[k+1]%n; u != v {
			b.AddEdge(u, v)
		}
	}
	return must(b)
}

// circulant joins v to v+s for every step s.
func circulant(n int, steps ...int) *Graph {
	b := NewBuilder(n, 0)
	for v := range n {
		for _, s := range steps {
			if w := (v + s) % n; w != v {
				b.AddEdge(v, w)
			}
		}
	}
	return must(b)
}

// wreath replaces every vertex of outer by a copy of inner, all joined along edges.
func wreath(outer, inner *Graph) *Graph {
	m := inner.N()
	return fromRelation(outer.N()*m, func(u, v int) bool {
		if u/m == v/m {
			return inner.HasEdge(u%m, v%m)
		}
		return outer.HasEdge(u/m, v/m)
	})
}

// product is the Cartesian product of two graphs.
func cartesian(g, h *Graph) *Graph {
	m := h.N()
	return fromRelation(g.N()*m, func(u, v int) bool {
		return u/m == v/m && h.HasEdge(u%m, v%m) || u%m == v%m && g.HasEdge(u/m, v/m)
	})
}

// circuit makes the graph of a random netlist: gates of a few kinds over earlier
// signals, inverters as vertices, copies of one block that share control
// signals, each block with rows that may be alike.
func circuit(rng *rand.Rand, blocks, rows, gates int) *Graph {
	b := NewBuilder(0, 0)
	var control []int
	for k := range 4 {
		control = append(control, b.AddVertex(100+k%(1+rng.IntN(4))))
	}
	seed := rng.Uint64()
	for range blocks {
		shape := rand.New(rand.NewPCG(seed, 7))
		enable := b.AddVertex(1)
		b.AddEdge(enable, control[shape.IntN(4)])
		rowSeed := shape.Uint64()
		for range rows {
			row := rand.New(rand.NewPCG(rowSeed, 9))
			signals := append([]int{enable}, control...)
			for range gates {
				gate := b.AddVertex(2 + row.IntN(3))
				for range 2 {
					from := signals[row.IntN(len(signals))]
					if row.IntN(2) == 0 {
						inverter := b.AddVertex(9)
						b.AddEdge(from, inverter)
						from = inverter
					}
					if from != gate {
						b.AddEdge(from, gate)
					}
				}
				signals = append(signals, gate)
			}
		}
	}
	return must(b)
}

// queues is the netlist graph of banks of shift registers: in each bank width
// bit slices of depth stages, each stage a latch, a multiplexer of two gates, and
// inverters; the enables are shared by the slices of a bank.
func queues(banks, width, depth int) *Graph {
	b := NewBuilder(0, 0)
	grant := b.AddVertex(0)
	for range banks {
		request := b.AddVertex(1)
		b.AddEdge(grant, request)
		enable := make([]int, depth)
		for d := range enable {
			enable[d] = b.AddVertex(2)
			not := b.AddVertex(3)
			b.AddEdge(enable[d], not)
			if d == 0 {
				b.AddEdge(request, enable[0])
			} else {
				b.AddEdge(enable[d-1]+1, enable[d])
			}
		}
		for range width {
			input := b.AddVertex(4)
			previous := input
			for d := range depth {
				latch, load, keep, or := b.AddVertex(5), b.AddVertex(6), b.AddVertex(6), b.AddVertex(7)
				b.AddEdge(previous, load)
				b.AddEdge(enable[d], load)
				b.AddEdge(latch, keep)
				b.AddEdge(enable[d]+1, keep)
				b.AddEdge(load, or)
				b.AddEdge(keep, or)
				next := b.AddVertex(8)
				b.AddEdge(or, next)
				b.AddEdge(next, latch)
				previous = latch
			}
		}
	}
	return must(b)
}

// registerFile has rows times columns cells with shared word and bit lines.
func registerFile(rows, columns int) *Graph {
	b := NewBuilder(rows+columns, 0)
	for r := range rows {
		b.SetColour(r, 1)
		for c := range columns {
			latch, gate := b.AddVertex(2), b.AddVertex(3)
			b.AddEdge(latch, gate)
			b.AddEdge(r, gate)
			b.AddEdge(rows+c, gate)
		}
	}
	return must(b)
}

type sample struct {
	name string
	g    *Graph
}

// structured lists one graph of every family at several sizes.
func structured() []sample {
	var all []sample
	add := func(g *Graph, format string, args ...any) {
		all = append(all, sample{fmt.Sprintf(format, args...), g})
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, q := range []int{5, 13, 17, 29, 37, 41, 53, 61, 73, 89, 97, 101} {
		add(paley(q), "paley %d", q)
	}
	for n := 2; n <= 10; n++ {
		add(latin(n), "latin %d", n)
		add(rook(n, n), "rook %d", n)
		add(rook(n, n+2), "rook %d x %d", n, n+2)
		add(complete(n), "complete %d", n)
		add(cycle(n+2), "cycle %d", n+2)
		add(wreath(cycle(n+2), complete(n)), "cycle %d wreath complete %d", n+2, n)
		add(wreath(complete(n), cycle(n+3)), "complete %d wreath cycle %d", n, n+3)
		add(cartesian(cycle(n+1), cycle(n+2)), "cycle %d times cycle %d", n+1, n+2)
		add(cartesian(complete(n), cycle(5)), "complete %d times cycle 5", n)
		add(grid([]int{n, n}, false), "grid %d x %d", n, n)
		add(grid([]int{n, n + 1}, false), "grid %d x %d", n, n+1)
		add(grid([]int{n + 1, n + 1}, true), "torus %d x %d", n+1, n+1)
		add(grid([]int{n + 1, n + 2}, true), "torus %d x %d", n+1, n+2)
		add(fullTree(2, n), "binary tree %d", n)
		add(ladder(n+1), "ladder %d", n+1)
		add(cfi(ladder(n+1), false), "cfi ladder %d", n+1)
		add(cfi(ladder(n+1), true), "twisted cfi ladder %d", n+1)
		add(union(cfi(ladder(n+1), false), cfi(ladder(n+1), true)), "cfi ladder %d and twisted", n+1)
		add(registerFile(n, n), "register file %d x %d", n, n)
		add(registerFile(n, 2*n+1), "register file %d x %d", n, 2*n+1)
		add(queues(n, n, 3), "queues %d", n)
	}
	for d := 1; d <= 8; d++ {
		add(hypercube(d), "hypercube %d", d)
	}
	for n := 3; n <= 6; n++ {
		add(grid([]int{n, n, n}, false), "grid %d^3", n)
		add(grid([]int{n, n, n}, true), "torus %d^3", n)
		add(fullTree(3, n), "ternary tree %d", n)
	}
	for n := 5; n <= 9; n++ {
		add(kneser(n, 2, 0), "kneser %d 2", n)
		add(kneser(n, 2, 1), "triangular %d", n)
		add(kneser(n, 3, 2), "johnson %d 3", n)
		add(kneser(n, 3, 0), "kneser %d 3", n)
	}
	for _, q := range []int{2, 3, 5, 7} {
		add(projectivePlane(q), "projective plane %d", q)
	}
	for _, base := range []sample{
		{"complete 4", complete(4)}, {"petersen", kneser(5, 2, 0)}, {"cube", hypercube(3)},
		{"complete 5", complete(5)}, {"torus 4 x 4", grid([]int{4, 4}, true)},
	} {
		add(cfi(base.g, false), "cfi %s", base.name)
		add(cfi(base.g, true), "twisted cfi %s", base.name)
		add(union(cfi(base.g, true), cfi(base.g, false), cfi(base.g, true)), "cfi %s, mixed copies", base.name)
	}
	for n := 7; n <= 30; n++ {
		add(circulant(n, 1, 3), "circulant %d 1 3", n)
		add(circulant(n, 2, 3, 5), "circulant %d 2 3 5", n)
	}
	petersen := kneser(5, 2, 0)
	add(union(petersen, petersen, petersen, cycle(10), cycle(5), cycle(5)), "union of petersens and cycles")
	add(union(paley(13), paley(13), latin(4), rook(4, 4), rook(4, 4)), "union of strongly regular graphs")
	add(union(latin(4), rook(4, 4)), "shrikhande-like and rook")
	add(complement(union(petersen, petersen)), "complement of two petersens")
	for k := range 30 {
		add(randomRegular(rng, 20+10*k, 3), "random cubic %d", 20+10*k)
		add(randomTree(rng, 50+40*k, 1+k), "random tree %d", 50+40*k)
		add(union(randomTree(rng, 30, 4), randomTree(rng, 30, 4), fullTree(2, 3), fullTree(2, 3)), "forest %d", k)
		add(circuit(rng, 1+k%5, 1+k%7, 5+k), "circuit %d", k)
		add(circuit(rng, 4+k, 3, 4), "circuit of %d blocks", 4+k)
	}
	return all
}

func sortedClasses(byColour map[int][]int) [][]int {
	var classes [][]int
	for _, colour := range slices.Sorted(maps.Keys(byColour)) {
		classes = append(classes, byColour[colour])
	}
	return classes
}
