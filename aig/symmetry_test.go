package aig

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rowSystem is a random system of n rows in the manner of a compiled protocol:
// functions symmetric in the rows and functions that belong to a row, each built
// from earlier ones of both kinds, in random row order and with any builder.
type rowSystem struct {
	g       *Graph
	n       int
	globals []Lit
	rows    [][]Lit // rows[k][i]: function k of row i
}

func newRowSystem(g *Graph, r *rand.Rand, n, steps int) *rowSystem {
	s := &rowSystem{g: g, n: n}
	for range 3 {
		s.globals = append(s.globals, s.g.Input())
	}
	for range 3 {
		row := make([]Lit, n)
		for i := range row {
			row[i] = s.g.Input()
		}
		s.rows = append(s.rows, row)
	}
	for range steps {
		if r.IntN(2) == 0 {
			s.rows = append(s.rows, s.rowFunction(r))
		} else {
			s.globals = append(s.globals, s.global(r))
		}
	}
	return s
}

// rowFunction returns one random function of a row's functions and the globals,
// or of all other rows.
func (s *rowSystem) rowFunction(r *rand.Rand) []Lit {
	g, f := s.g, make([]Lit, s.n)
	if r.IntN(4) == 0 {
		// All other rows, chained.
		op, k, neg := r.IntN(2), r.IntN(len(s.rows)), r.IntN(2) == 0
		for i := range f {
			f[i] = False.NotIf(op == 0)
			for _, j := range r.Perm(s.n) {
				switch {
				case j == i:
				case op == 0:
					f[i] = g.And(f[i], s.rows[k][j].NotIf(neg))
				default:
					f[i] = g.Or(f[i], s.rows[k][j].NotIf(neg))
				}
			}
		}
		return f
	}
	var args [3]func(i int) Lit
	for k := range args {
		neg := r.IntN(2) == 0
		if r.IntN(3) == 0 {
			l := s.globals[r.IntN(len(s.globals))]
			args[k] = func(int) Lit { return l.NotIf(neg) }
		} else {
			row := s.rows[r.IntN(len(s.rows))]
			args[k] = func(i int) Lit { return row[i].NotIf(neg) }
		}
	}
	op := r.IntN(5)
	for i := range f {
		a, b, c := args[0](i), args[1](i), args[2](i)
		switch op {
		case 0:
			f[i] = g.And(a, b)
		case 1:
			f[i] = g.Or(a, g.And(b, c))
		case 2:
			f[i] = g.Mux(a, b, c)
		case 3:
			f[i] = g.Xor(a, b)
		case 4:
			f[i] = g.AndN([]Lit{a, b, c})
		}
	}
	return f
}

// global returns a random symmetric function of the rows.
func (s *rowSystem) global(r *rand.Rand) Lit {
	g := s.g
	row, sel := s.rows[r.IntN(len(s.rows))], s.rows[r.IntN(len(s.rows))]
	neg := r.IntN(2) == 0
	at := func(k int) Lit { return row[k].NotIf(neg) }
	init := s.globals[r.IntN(len(s.globals))].NotIf(r.IntN(2) == 0)
	order := r.Perm(s.n)
	f := init
	var all []Lit
	for _, i := range order {
		all = append(all, at(i))
	}
	switch r.IntN(9) {
	case 0:
		return g.AndN(all)
	case 1:
		return g.OrN(all)
	case 2: // left-leaning And
		for _, i := range order {
			f = g.And(f, at(i))
		}
	case 3: // left-leaning Or
		for _, i := range order {
			f = g.Or(f, at(i))
		}
	case 4: // read with a one-hot select
		f = False
		for _, i := range order {
			f = g.Or(f, g.And(sel[i], at(i)))
		}
	case 5:
		for k, i := range order {
			all[k] = g.And(sel[i], at(i))
		}
		return g.OrN(all)
	case 6: // for i do if c_i then x := const
		c := False.NotIf(neg)
		for _, i := range order {
			f = g.Mux(sel[i], c, f)
		}
	case 7: // for i do x := x & (sel_i -> row_i), with both clauses of a mux
		for _, i := range order {
			f = g.And(f, g.Implies(sel[i], at(i)))
			f = g.And(f, g.Or(sel[i], init))
		}
	case 8: // parity
		for _, i := range order {
			f = g.Xor(f, at(i))
		}
	}
	return f
}

// copies returns the images of all functions in dst under the permutation pi of
// the rows: leaf k of row i is replaced by leaf k of row pi[i]. dst has the same
// leaves as the system. Without nary it copies literally.
func (s *rowSystem) copies(dst *Graph, pi []int, nary bool) (globals []Lit, rows [][]Lit) {
	roots := slices.Concat(append(s.rows, s.globals)...)
	c := NewCopier(dst, s.g)
	if nary {
		c = NewNaryCopier(dst, s.g, roots)
	}
	for _, l := range s.globals[:3] {
		c.Set(l.Node(), l)
	}
	for _, row := range s.rows[:3] {
		for i, l := range row {
			c.Set(l.Node(), row[pi[i]])
		}
	}
	for _, l := range s.globals {
		globals = append(globals, c.Copy(l))
	}
	for _, row := range s.rows {
		images := make([]Lit, s.n)
		for i, l := range row {
			images[i] = c.Copy(l)
		}
		rows = append(rows, images)
	}
	return globals, rows
}

// symmetric builds random systems in graphs made by newSource and counts, over
// all functions and adjacent transpositions of rows, how often the copy under
// the transposition is literally the copy of the transposed function.
func symmetric(t *testing.T, newSource func() *Graph, nary bool, seeds uint64) (equal, all int) {
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 3 + r.IntN(5)
		s := newRowSystem(newSource(), r, n, 12)
		dst := New()
		for range s.g.NumInputs() {
			dst.Input()
		}
		id := make([]int, n)
		for i := range id {
			id[i] = i
		}
		globals, rows := s.copies(dst, id, nary)
		for k := range n - 1 {
			pi := slices.Clone(id)
			pi[k], pi[k+1] = k+1, k
			globals2, rows2 := s.copies(dst, pi, nary)
			for j := range globals {
				all++
				if globals[j] == globals2[j] {
					equal++
				}
			}
			for j := range rows {
				for i := range n {
					all++
					if rows[j][pi[i]] == rows2[j][i] {
						equal++
					}
				}
			}
		}
		if err := dst.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	return equal, all
}

// TestNaryCopySymmetry demands that the n-ary copy shows every symmetry of a
// system built in a plain graph and nearly all of one built with rewriting,
// while a literal copy does not.
func TestNaryCopySymmetry(t *testing.T) {
	for _, c := range []struct {
		name     string
		source   func() *Graph
		nary     bool
		min, max float64
	}{
		{"plain source", NewPlain, true, 1, 1},
		{"rewriting source", New, true, 0.997, 1},
		{"literal copy", NewPlain, false, 0.5, 0.8},
	} {
		equal, all := symmetric(t, c.source, c.nary, 1000)
		if rate := float64(equal) / float64(all); rate < c.min || rate > c.max {
			t.Errorf("%s: %d of %d images are literally equal, %.5f not in [%g, %g]", c.name, equal, all, rate, c.min, c.max)
		} else {
			t.Logf("%s: %d of %d images are literally equal", c.name, equal, all)
		}
	}
}
