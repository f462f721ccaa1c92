// Package tstest makes small random transition systems with known symmetries and
// explores them state by state, for tests of engines and of the check of their
// evidence.
package tstest

import (
	"fmt"
	"math/rand/v2"

	"orbitmc/aig"
	"orbitmc/ts"
)

// Case is a random system.
type Case struct {
	Sys    *ts.System
	Groups []*ts.Symmetry // by property: the group of exchanges of cells, or nil where the property does not keep it
	Swaps  []*ts.Perm     // exchanges of neighbouring cells: symmetries of the system unless Broken
	Broken bool           // the cells are not interchangeable
	Each   [][]aig.Lit    // by property: what it is made of, by cell; exchanges of cells exchange them unless Broken
}

// Random returns a system of two or three cells of one or two latches, perhaps a
// shared latch, with at most 4 inputs and 3 initial inputs, constraints in one of
// three, and one to three properties, one in four of them about one cell only.
// W is True.
func Random(rng *rand.Rand) *Case { return RandomOf(rng, 2+rng.IntN(2)) }

// RandomOf is Random with that many cells.
func RandomOf(rng *rand.Rand, cells int) *Case {
	g := aig.New()
	sys := &ts.System{G: g, W: aig.True}
	bits, shared := 1+rng.IntN(2), rng.IntN(2)
	c := &Case{Sys: sys, Broken: rng.IntN(6) == 0}
	var latch, input, init [][]aig.Lit // by cell, the shared ones last
	for i := range cells + 1 {
		n, name := bits, fmt.Sprintf("cell%d.", i)
		if i == cells {
			n, name = shared, "shared."
		}
		latch, input, init = append(latch, nil), append(input, nil), append(init, nil)
		for j := range n {
			l := g.Input()
			sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint(name, j), Node: l.Node()})
			latch[i] = append(latch[i], l)
		}
		l := g.Input()
		sys.Inputs = append(sys.Inputs, ts.Signal{Name: name + "in", Node: l.Node()})
		input[i] = append(input[i], l)
		if i < cells {
			l := g.Input()
			sys.Init = append(sys.Init, ts.Signal{Name: name + "init", Node: l.Node()})
			init[i] = append(init[i], l)
		}
	}
	// summaries are what all cells see of all cells.
	var summaries []aig.Lit
	for j := range bits {
		var row []aig.Lit
		for i := range cells {
			row = append(row, latch[i][j])
		}
		summaries = append(summaries, g.OrN(row), g.AndN(row), g.XorN(row))
	}
	summaries = append(summaries, latch[cells]...)
	summaries = append(summaries, input[cells]...)
	// function returns a random function, the same one of several lists of operands.
	function := func(depth int, lists ...[]aig.Lit) []aig.Lit {
		var build func(depth int) []aig.Lit
		build = func(depth int) []aig.Lit {
			out := make([]aig.Lit, len(lists))
			if depth == 0 || rng.IntN(5) == 0 {
				k, neg := rng.IntN(len(lists[0])), rng.IntN(2) == 0
				for i, list := range lists {
					out[i] = list[k].NotIf(neg)
				}
				return out
			}
			a, b, neg, op := build(depth-1), build(depth-1), rng.IntN(2) == 0, rng.IntN(4)
			for i := range lists {
				if op == 0 {
					out[i] = g.Xor(a[i], b[i])
				} else {
					out[i] = g.And(a[i], b[i]).NotIf(neg)
				}
			}
			return out
		}
		return build(depth)
	}
	operands := make([][]aig.Lit, cells) // of a cell
	state := make([][]aig.Lit, cells)
	for i := range cells {
		state[i] = append(append([]aig.Lit{}, latch[i]...), summaries[:3*bits+shared]...)
		operands[i] = append(append([]aig.Lit{input[i][0]}, latch[i]...), summaries...)
	}
	constant := []aig.Lit{aig.False, aig.False, aig.True, aig.False}[rng.IntN(4)]
	start := rng.IntN(3) == 0
	for j := range bits {
		next := function(2+rng.IntN(2), operands...)
		for i := range cells {
			l := &sys.Latches[i*bits+j]
			l.Next, l.Reset = next[i], constant
			if start && j == 0 {
				l.Reset = init[i][0]
			}
		}
	}
	for j := range shared {
		l := &sys.Latches[cells*bits+j]
		l.Next, l.Reset = function(2, summaries)[0], aig.False
	}
	if c.Broken {
		l := &sys.Latches[0]
		l.Next = g.And(l.Next, function(1, operands[1])[0])
	}
	if rng.IntN(3) == 0 {
		sys.Constraints = append(sys.Constraints, function(2, operands...)...)
	}
	for i := range cells - 1 {
		p := ts.Identity(sys)
		p.Name = fmt.Sprintf("cell%d <-> cell%d", i, i+1)
		swap := func(part []ts.Lit, a, b int) { part[a], part[b] = part[b], part[a] }
		for j := range bits {
			swap(p.Latch, i*bits+j, (i+1)*bits+j)
		}
		swap(p.Input, i, i+1)
		swap(p.Init, i, i+1)
		c.Swaps = append(c.Swaps, p)
	}
	block := ts.Block{Name: "cell", Class: -1, Swaps: c.Swaps}
	for i := range cells {
		block.Elems = append(block.Elems, i)
	}
	for prop := range 1 + rng.IntN(3) {
		from, delay := state, 0
		if rng.IntN(3) == 0 {
			from, delay = operands, rng.IntN(2)
		}
		bad := function(2+rng.IntN(2), from...)
		c.Each = append(c.Each, bad)
		var y *ts.Symmetry
		lit := bad[0]
		switch rng.IntN(4) {
		case 0:
		case 1:
			lit = g.AndN(bad)
			y = &ts.Symmetry{Blocks: []ts.Block{block}}
		default:
			lit = g.OrN(bad)
			y = &ts.Symmetry{Blocks: []ts.Block{block}}
		}
		if c.Broken {
			y = nil
		}
		sys.Bads = append(sys.Bads, ts.Bad{Name: fmt.Sprintf("bad%d", prop), Lit: lit, Prop: prop, Delay: delay})
		c.Groups = append(c.Groups, y)
	}
	return c
}

// Space is all of a small system: states and inputs are numbers, bit i being
// latch or input i.
type Space struct {
	Sys       *ts.System
	Next      [][]uint32 // by state and input
	OK        [][]bool   // by state and input: the constraints hold
	Bad       [][]uint32 // by state and input: bit i is bad i
	Reset     []uint32   // by initial inputs
	Reachable []bool     // by state
	Depth     []int      // by property: the least depth of a violation, -1 if there is none
}

// Explore tabulates a system of at most 12 latches, and its runs.
func Explore(sys *ts.System) *Space {
	s := &Space{Sys: sys}
	e := ts.NewEvaluator(sys)
	n, m := 1<<len(sys.Latches), 1<<len(sys.Inputs)
	for z := range 1 << len(sys.Init) {
		s.Reset = append(s.Reset, Number(e.Reset(Bits(uint32(z), len(sys.Init)))))
	}
	for x := range n {
		next, ok, bads := make([]uint32, m), make([]bool, m), make([]uint32, m)
		for y := range m {
			e.Set(Bits(uint32(x), len(sys.Latches)), Bits(uint32(y), len(sys.Inputs)))
			next[y], ok[y] = Number(e.Next()), e.Constraints()
			for i, b := range sys.Bads {
				if e.Value(b.Lit) {
					bads[y] |= 1 << i
				}
			}
		}
		s.Next, s.OK, s.Bad = append(s.Next, next), append(s.OK, ok), append(s.Bad, bads)
	}
	s.Reachable = make([]bool, n)
	var layer []uint32
	enter := func(x uint32) {
		if !s.Reachable[x] {
			s.Reachable[x] = true
			layer = append(layer, x)
		}
	}
	props := 0
	for _, b := range sys.Bads {
		props = max(props, b.Prop+1)
	}
	for range props {
		s.Depth = append(s.Depth, -1)
	}
	for _, x := range s.Reset {
		enter(x)
	}
	for k := 0; len(layer) > 0; k++ {
		now := layer
		layer = nil
		for _, x := range now {
			for y := range m {
				if !s.OK[x][y] {
					continue
				}
				for i, b := range sys.Bads {
					if d := k + b.Delay; s.Bad[x][y]>>i&1 == 1 && (s.Depth[b.Prop] < 0 || d < s.Depth[b.Prop]) {
						s.Depth[b.Prop] = d
					}
				}
				enter(s.Next[x][y])
			}
		}
	}
	return s
}

// Bits returns the n low bits of a number, the lowest first.
func Bits(x uint32, n int) []bool {
	bits := make([]bool, n)
	for i := range bits {
		bits[i] = x>>i&1 == 1
	}
	return bits
}

// Number is the inverse of Bits.
func Number(bits []bool) uint32 {
	var x uint32
	for i, b := range bits {
		if b {
			x |= 1 << i
		}
	}
	return x
}
