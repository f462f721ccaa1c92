package explicit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

func compile(t *testing.T, src string) *model.Program {
	t.Helper()
	m, err := murphi.Parse("test.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return model.Compile(m)
}

func randomState(r *rand.Rand, p *model.Program) model.State {
	m := p.Model
	s := make(model.State, m.Leaves())
	undef, few := r.IntN(4), r.IntN(2) == 0
	free := -1 // leaves before this one are in a free slot
	for i, l := range m.AllLeaves() {
		s[i] = model.Undef
		if i < free {
			continue
		}
		if r.IntN(6) >= undef {
			s[i] = l.Type.Lo + r.Int64N(l.Type.Card())
			if class, _, ok := l.Type.Element(s[i]); few && l.Slot >= 0 && !(ok && !m.Scalarsets[class].Slots) {
				s[i] = l.Type.Lo // elements that differ in what is permuted only
			}
		}
		if l.Slot == i && s[i] == model.Undef {
			free = i + l.Indices[len(l.Indices)-1].Stride
		}
	}
	p.Normalise(s)
	return s
}

// randomPerm returns a random permutation within the blocks.
func randomPerm(r *rand.Rand, m *model.Model, blocks [][][]int) model.ScalarPerm {
	sp := make(model.ScalarPerm, len(m.Scalarsets))
	for k, t := range m.Scalarsets {
		if t.Slots {
			continue
		}
		for v := range t.Card() {
			sp[k] = append(sp[k], int(v))
		}
		for _, b := range blocks[k] {
			for i, j := range r.Perm(len(b)) {
				sp[k][b[i]] = b[j]
			}
		}
	}
	return sp
}

// invariantState returns a state that a random permutation maps to itself, so
// that refinement leaves ties.
func invariantState(r *rand.Rand, p *model.Program, blocks [][][]int) model.State {
	m := p.Model
	sp := randomPerm(r, m, blocks)
	if slices.ContainsFunc(m.Scalarsets, func(t *model.Type) bool { return t.Slots }) {
		return randomState(r, p)
	}
	s, one, img := randomState(r, p), make(model.State, m.Leaves()), make(model.State, m.Leaves())
	done := make([]bool, len(s))
	for i, l := range m.AllLeaves() {
		if done[i] {
			continue
		}
		for k := range one {
			one[k] = model.Undef
		}
		one[i] = l.Type.Lo + r.Int64N(l.Type.Card())
		first := one[i]
		for j := i; ; {
			done[j] = true
			s[j] = one[j]
			p.ApplyPerm(sp, one, img)
			one, img = img, one
			j = slices.IndexFunc(one, func(v int64) bool { return v != model.Undef })
			if j == i {
				break
			}
		}
		if one[i] != first { // the orbit of leaf i is shorter than that of the value
			for k := range one {
				one[k] = model.Undef
			}
			one[i] = 0
			for j := i; s[j] != model.Undef; {
				s[j] = model.Undef
				p.ApplyPerm(sp, one, img)
				one, img = img, one
				j = slices.IndexFunc(one, func(v int64) bool { return v != model.Undef })
			}
		}
	}
	return s
}

// within reports whether sp maps every block to itself and fixes the rest.
func within(sp model.ScalarPerm, blocks [][][]int) bool {
	for k := range sp {
		if sp[k] == nil {
			continue
		}
		block := make([]int, len(sp[k]))
		for v := range block {
			block[v] = -v - 1
		}
		for i, b := range blocks[k] {
			for _, v := range b {
				block[v] = i
			}
		}
		seen := make([]bool, len(sp[k]))
		for v, w := range sp[k] {
			if block[v] != block[w] || seen[w] {
				return false
			}
			seen[w] = true
		}
	}
	return true
}

var canonModels = []struct {
	name   string
	vars   string
	blocks [][][]int
}{
	{"rows", "a: array[P] of 0..1; g: P; n: 0..2;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"pointers", "a: array[P] of P;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"rows and pointers", "a: array[P] of record x: boolean; p: P; end; g: P; h: P;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"square", "a: array[P] of array[P] of boolean;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"square of pointers", "a: array[P] of array[P] of P;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"two classes", "a: array[P] of array[Q] of boolean; b: array[Q] of P; c: array[P] of Q; d: Q;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}}},
	{"one of two classes", "a: array[P] of array[Q] of P; b: array[Q] of 0..1;", [][][]int{nil, {{0, 2, 1}}}},
	{"blocks", "a: array[P] of 0..1; b: array[P] of P; g: P;", [][][]int{{{4, 0}, {3, 1}}, {{0, 2}}}},
	{"values only", "x: P; y: P; z: Q; w: P; c: array[0..2] of P;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}}},
	{"unions", "u: U; v: W; a: array[P] of U; b: array[W] of boolean; c: array[Q] of W;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}}},
	{"rows of unions", "b: array[W] of array[U] of 0..1; g: W;", [][][]int{{{4, 0, 2}, {3, 1}}, {{0, 2}}}},
	{"multiset", "s: multiset[4] of M; g: P;", [][][]int{{{0, 1, 2, 3, 4}}, nil, nil}},
	{"multiset and rows", "s: multiset[5] of M; a: array[P] of 0..1; t: multiset[2] of Q; b: array[P] of U;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}, nil, nil}},
	{"rows of multisets", "s: array[P] of multiset[2] of U; t: array[W] of multiset[1] of M;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}, nil, nil}},
	{"rows in multisets", "s: multiset[3] of record r: array[P] of boolean; p: P; q: W; end; h: P;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1}}, nil}},
	{"multisets in a multiset", "s: multiset[2] of record p: P; m: multiset[2] of U; end; a: array[P] of boolean;", [][][]int{{{0, 1, 2, 3, 4}}, nil, nil, nil}},
	{"components", "a: array[P] of record x: boolean; n: 0..2; end; b: array[0..1] of array[P] of 0..1; g: 0..1;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
	{"components in blocks", "a: array[P] of 0..2; b: array[W] of boolean; c: array[Q] of Q;", [][][]int{{{4, 0, 2}, {3, 1}}, {{0, 1, 2}}}},
	{"components beside others", "a: array[P] of 0..1; b: array[P] of 0..1; c: array[Q] of array[Q] of boolean; d: Q;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}}},
	{"components beside a multiset", "a: array[P] of 0..2; s: multiset[2] of Q;", [][][]int{{{0, 1, 2, 3, 4}}, {{0, 1, 2}}, nil}},
	{"rows apart", "a: array[0..1] of record r: array[P] of 0..1; q: array[boolean] of array[P] of P; end;", [][][]int{{{0, 1, 2, 3, 4}}, nil}},
}

// newCanonicalisers returns two: one treats blocks as large ones, and numbers few local states before it begins anew.
func newCanonicalisers(t *testing.T, p *model.Program, packer *model.Packer, blocks [][][]int, exact bool) []*canonicaliser {
	t.Helper()
	var both []*canonicaliser
	for range 2 {
		c, err := newCanonicaliser(p, packer, blocks, nil, exact)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, c)
	}
	large := both[1]
	large.comps, large.sets = large.findComponents(0), nil
	if large.comps != nil {
		large.comps.most = 4
	}
	return both
}

// TestComponents: these are the blocks of which no vertex is related to another one.
func TestComponents(t *testing.T) {
	for _, tc := range canonModels {
		p := canonProgram(t, tc.vars)
		c := newCanonicalisers(t, p, model.NewPacker(p.Model), tc.blocks, true)[1]
		want := map[string]string{"components": "PPPPP", "components in blocks": "PPPPP", "components beside others": "PPPPP", "components beside a multiset": "PPPPP"}[tc.name]
		switch tc.name {
		case "one of two classes":
			want = "QQQ"
		case "blocks": // no leaf is about Q
			want = "QQ"
		}
		got := ""
		for x := range c.vertices {
			if c.comps != nil && c.comps.are[x] {
				got += "PQ"[c.classOf[x] : c.classOf[x]+1]
			}
		}
		if got != want {
			t.Errorf("%s: components are %q, want %q", tc.name, got, want)
		}
	}
}

func canonProgram(t *testing.T, vars string) *model.Program {
	return compile(t, "type P: scalarset(5); Q: scalarset(3); E: enum{A, B}; U: union{P, E}; W: union{Q, E, P}; M: record src: P; dst: U; n: 0..1; end; var "+vars+" startstate begin end; rule true ==> begin end;")
}

// TestCanon checks that representatives are images under the permutation
// reported, which stays within the blocks; and that with Exact all images of a
// state get the same one. Together: one representative for each orbit.
func TestCanon(t *testing.T) {
	for _, tc := range canonModels {
		t.Run(tc.name, func(t *testing.T) {
			p := canonProgram(t, tc.vars)
			m := p.Model
			packer := model.NewPacker(m)
			r := rand.New(rand.NewPCG(5, 6))
			for _, form := range []Canon{Sorted, Star, Exact} {
				exact := form == Exact
				both := newCanonicalisers(t, p, packer, tc.blocks, exact)
				c := both[0]
				c.star, both[1].star = form == Star, form == Star
				dst := make(model.State, m.Leaves())
				canon := func(s model.State) []byte {
					b := slices.Clone(c.canon(s))
					p.ApplyPerm(c.perm, s, dst)
					if !within(c.perm, tc.blocks) || !bytes.Equal(packer.Pack(nil, dst), b) {
						t.Fatalf("%v: representative is not the image under %v", s, c.perm)
					}
					return b
				}
				branched := 0
				for k := range nightly.Or(1000, 30_000) {
					c = both[k%2]
					s := randomState(r, p)
					if k%3 > 0 {
						s = invariantState(r, p, tc.blocks)
					}
					b := canon(s)
					if c.label.leaves > 1 {
						branched++
					}
					if !exact {
						continue
					}
					img := make(model.State, len(s))
					p.ApplyPerm(randomPerm(r, m, tc.blocks), s, img)
					if got := canon(img); !bytes.Equal(got, b) {
						t.Fatalf("%v and its image %v have different representatives", s, img)
					}
				}
				t.Log(branched, "states needed individualisation")
			}
		})
	}
}

// TestSuccessor: the representative is the same whatever state it is told the difference
// to, packed or not, and the permutation leads to it.
func TestSuccessor(t *testing.T) {
	for _, tc := range canonModels {
		p := canonProgram(t, tc.vars)
		packer := model.NewPacker(p.Model)
		r := rand.New(rand.NewPCG(25, 26))
		for i := range 6 {
			form, large := []Canon{Sorted, Star, Exact}[i/2], i%2
			c := newCanonicalisers(t, p, packer, tc.blocks, form == Exact)[large]
			alone := newCanonicalisers(t, p, packer, tc.blocks, form == Exact)[large]
			c.manyEdges = 0
			c.star, alone.star = form == Star, form == Star
			image := make(model.State, p.Model.Leaves())
			var last model.State // that was followed
			for k := range 400 {
				from, to := randomState(r, p), randomState(r, p)
				if k%2 == 0 {
					to = invariantState(r, p, tc.blocks)
				}
				for i := range to {
					if n := r.IntN(4); n > 0 { // elsewhere they are the same
						to[i] = from[i]
					}
				}
				p.Normalise(to)
				moved := []int{}
				for i, v := range from {
					if last != nil && v != last[i] || r.IntN(4) == 0 {
						moved = append(moved, i)
					}
				}
				if r.IntN(4) == 0 { // what it differs in from last counts no more
					c.canon(randomState(r, p))
				}
				c.follow(from, moved)
				last = from
				for range 2 { // a successor leaves no trace
					changed := []int{}
					for i, v := range to {
						if v != from[i] {
							changed = append(changed, i)
						}
					}
					got := bytes.Clone(c.successor(to, changed, append(packer.Pack(nil, to), zeros[:]...)))
					if want := alone.canon(to); !bytes.Equal(got, want) {
						t.Fatalf("%s: %v after %v: %v, alone %v", tc.name, to, from, got, want)
					}
					if p.ApplyPerm(c.perm, to, image); !bytes.Equal(packer.Pack(nil, image), got) {
						t.Fatalf("%s: the representative of %v is not its image under %v", tc.name, to, c.perm)
					}
					to = slices.Clone(from)
				}
			}
		}
	}
}

// TestCanonOfOrbits applies every permutation within the blocks to a state: all
// images have one representative, which is the image under the permutation
// reported.
func TestCanonOfOrbits(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, tc := range canonModels {
		p := canonProgram(t, tc.vars)
		m := p.Model
		packer := model.NewPacker(m)
		both := newCanonicalisers(t, p, packer, tc.blocks, true)
		var group []model.ScalarPerm
		identity := randomPerm(r, m, make([][][]int, len(m.Scalarsets)))
		every(tc.blocks, identity, func(sp model.ScalarPerm) { group = append(group, sp) })
		img, dst := make(model.State, m.Leaves()), make(model.State, m.Leaves())
		largest := 0
		for k := range 24 {
			c := both[k/12]
			s := randomState(r, p)
			if k%2 == 0 {
				s = invariantState(r, p, tc.blocks)
			}
			want := slices.Clone(c.canon(s))
			orbit := make(map[string]bool)
			for _, sp := range group {
				p.ApplyPerm(sp, s, img)
				orbit[string(packer.Pack(nil, img))] = true
				got := c.canon(img)
				if p.ApplyPerm(c.perm, img, dst); !bytes.Equal(got, want) || !bytes.Equal(packer.Pack(nil, dst), got) {
					t.Fatalf("%s: %v and its image under %v have different representatives", tc.name, s, sp)
				}
			}
			if largest = max(largest, len(orbit)); !orbit[string(want)] {
				t.Fatalf("%s: the representative of %v is not in its orbit", tc.name, s)
			}
		}
		if largest < 2 {
			t.Errorf("%s: no state has images", tc.name)
		}
	}
}

// every calls f for the products of sp with all permutations within the blocks.
func every(blocks [][][]int, sp model.ScalarPerm, f func(model.ScalarPerm)) {
	k := 0
	for k < len(blocks) && len(blocks[k]) == 0 {
		k++
	}
	if k == len(blocks) {
		f(sp)
		return
	}
	rest := slices.Clone(blocks)
	b := slices.Clone(blocks[k][0])
	rest[k] = blocks[k][1:]
	var place func(i int)
	place = func(i int) {
		if i == len(b) {
			q := slices.Clone(sp)
			q[k] = slices.Clone(sp[k])
			for j, v := range blocks[k][0] {
				q[k][v] = b[j]
			}
			every(rest, q, f)
			return
		}
		for j := i; j < len(b); j++ {
			b[i], b[j] = b[j], b[i]
			place(i + 1)
			b[i], b[j] = b[j], b[i]
		}
	}
	place(0)
}

// structured states: many vertices that refinement cannot tell apart.
func TestCanonTies(t *testing.T) {
	p := compile(t, `type P: scalarset(12); var a: array[P] of P; b: array[P] of boolean; e: array[P] of array[P] of boolean;
		startstate begin end; rule true ==> begin end;`)
	m := p.Model
	packer := model.NewPacker(m)
	blocks := [][][]int{{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}}
	r := rand.New(rand.NewPCG(7, 8))
	cycles := func(lengths ...int) func(s model.State) {
		return func(s model.State) {
			i := 0
			for _, n := range lengths {
				for k := range n {
					s[i+k] = int64(i + (k+1)%n)
				}
				i += n
			}
		}
	}
	for _, tc := range []struct {
		name   string
		set    func(s model.State)
		leaves int // at most; 0: no search
	}{
		{"all equal", func(s model.State) {}, 0},
		{"two kinds", func(s model.State) {
			for i := range 5 {
				s[12+i] = 1
			}
		}, 0},
		{"all to one", func(s model.State) {
			for i := range 12 {
				s[i] = 3
			}
		}, 0},
		{"self-loops", func(s model.State) {
			for i := range 12 {
				s[i] = int64(i)
			}
		}, 0},
		{"pairs", cycles(2, 2, 2, 2, 2, 2), 40},
		{"triangles", cycles(3, 3, 3, 3), 40},
		{"ring", cycles(12), 12},
		{"rings of 4 and 8", cycles(4, 8), 12},
		{"cube and square", func(s model.State) { // edges of a cube on 0..7, of a square on 8..11
			for i := range 8 {
				for _, k := range []int{1, 2, 4} {
					s[24+12*i+i^k] = 1
				}
			}
			for i := range 4 {
				s[24+12*(8+i)+8+(i+1)%4], s[24+12*(8+(i+1)%4)+8+i] = 1, 1
			}
		}, 60},
	} {
		s := make(model.State, m.Leaves())
		for i := range s {
			s[i] = 0
			if i < 12 {
				s[i] = model.Undef
			}
		}
		tc.set(s)
		c, err := newCanonicaliser(p, packer, blocks, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(c.canon(s))
		for range 20 {
			img := make(model.State, len(s))
			p.ApplyPerm(randomPerm(r, m, blocks), s, img)
			if got := c.canon(img); !bytes.Equal(got, want) {
				t.Errorf("%s: different representatives", tc.name)
			}
			if n := c.label.leaves; n > tc.leaves || n == 0 && tc.leaves > 0 {
				t.Errorf("%s: %d leaves, want at most %d", tc.name, n, tc.leaves)
			}
		}
	}
}

// TestCanonRegular canonicalises the union of two graphs with 16 vertices that
// are strongly regular with the same parameters but not isomorphic, the rook's
// graph and the Shrikhande graph: refinement cannot tell their vertices apart
// even after one of them is singled out. A ring of 4 vertices, before or behind
// the others in the order of the cells, lets the search start elsewhere.
func TestCanonRegular(t *testing.T) {
	if testing.Short() {
		t.Skip("of one goroutine, and slow under the race detector")
	}
	p := compile(t, `type P: scalarset(36); var e: array[P] of array[P] of boolean; b: array[P] of 0..4;
		startstate begin end; rule true ==> begin end;`)
	packer := model.NewPacker(p.Model)
	var block []int
	for v := range 36 {
		block = append(block, v)
	}
	blocks := [][][]int{{block}}
	s := make(model.State, p.Model.Leaves())
	for i := range 16 {
		for j := range 16 {
			dx, dy := (i/4-j/4+4)%4, (i%4-j%4+4)%4
			if i != j && (dx == 0 || dy == 0) {
				s[36*i+j] = 1
			}
			switch [2]int{dx, dy} {
			case [2]int{0, 1}, [2]int{0, 3}, [2]int{1, 0}, [2]int{3, 0}, [2]int{1, 1}, [2]int{3, 3}:
				s[36*(16+i)+16+j] = 1
			}
		}
	}
	for i := range 4 {
		s[36*(32+i)+32+(i+1)%4] = 1
	}
	c, err := newCanonicaliser(p, packer, blocks, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	first := map[int]bool{}
	for kind := range int64(4) {
		for i := range 4 {
			s[36*36+32+i] = kind + 1
		}
		want := slices.Clone(c.canon(s))
		first[c.cur.order[0]/32] = true
		for range 2 {
			img := make(model.State, len(s))
			p.ApplyPerm(randomPerm(r, p.Model, blocks), s, img)
			if !bytes.Equal(c.canon(img), want) {
				t.Errorf("kind %d: different representatives", kind)
			}
		}
		if c.label.leaves > 400 {
			t.Errorf("%d leaves", c.label.leaves)
		}
	}
	if len(first) < 2 {
		t.Error("the ring is always on the same side")
	}
}

// TestTwins compares twins, looked for in the state itself and told by another one, with exchanging two vertices in the
// state. It is about vertices that may move: the others have no edges.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	found := 0
	for _, tc := range canonModels {
		p := canonProgram(t, tc.vars)
		m := p.Model
		both := newCanonicalisers(t, p, model.NewPacker(m), tc.blocks, true)
		both[0].manyEdges, both[1].manyEdges = 0, 0
		img := make(model.State, m.Leaves())
		for k := range 600 {
			c := both[k%2]
			s := invariantState(r, p, tc.blocks)
			for i, l := range m.AllLeaves() { // few different values
				if s[i] > 0 && r.IntN(3) > 0 && l.Slot != i {
					s[i] = 0
				}
			}
			p.Normalise(s)
			class := r.IntN(2)
			n := len(c.perm[class])
			x, y := r.IntN(n), r.IntN(n)
			if !c.free[c.base[class]+x] || !c.free[c.base[class]+y] {
				continue
			}
			sp := randomPerm(r, m, make([][][]int, len(m.Scalarsets)))
			sp[class][x], sp[class][y] = y, x
			p.ApplyPerm(sp, s, img)
			want := slices.Equal(s, img)
			if got := c.twins(s, c.base[class]+x, c.base[class]+y); got != want {
				t.Fatalf("%s: %v: twins(%d, %d) = %v", tc.name, s, x, y, got)
			}
			if want && x != y {
				found++
			}
			for k := range 8 { // told by what is known of another state
				from := slices.Clone(s)
				for range k {
					i := r.IntN(len(from))
					from[i] = randomState(r, p)[i]
				}
				if p.Normalise(from); k%2 == 1 { // most states are of no twins
					p.ApplyPerm(sp, from, img)
					copy(from, img)
				}
				var step []int // most states are followed one after the other
				for i, v := range from {
					if v != c.was[i] && k > 0 {
						step = append(step, i)
					}
				}
				c.follow(from, step)
				c.changed = c.changed[:0]
				for i, v := range s {
					if v != from[i] {
						c.changed = append(c.changed, i)
					}
				}
				if c.comps != nil {
					if c.cells[c.base[class]+x] != c.cells[c.base[class]+y] {
						break // of two blocks, that is not asked
					}
					c.locate(s, c.changed)
				}
				for range 2 {
					if got := c.alike(s, c.base[class]+x, c.base[class]+y); got != want {
						t.Fatalf("%s: %v after %v: alike(%d, %d) = %v", tc.name, s, from, x, y, got)
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d twins", found)
	}
}

func TestBlocksChecked(t *testing.T) {
	p := canonProgram(t, "g: P;")
	packer := model.NewPacker(p.Model)
	for _, blocks := range [][][][]int{
		{{{0, 1}, {1, 2}}},
		{{{0, 5}}},
		{{{-1, 0}}},
		{nil, nil, nil},
		{nil, nil, nil, nil},
	} {
		if _, err := newCanonicaliser(p, packer, blocks, nil, true); err == nil {
			t.Errorf("blocks %v were accepted", blocks)
		}
	}
}

func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s := newSet(3)
	known := map[string]int{}
	for range 200_000 {
		b := []byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(2))}
		tag := hash(b)
		i, found, slot := s.find(b, tag)
		j, want := known[string(b)]
		if found != want || found && i != j {
			t.Fatalf("find(%v) = %d, %v; want %d, %v", b, i, found, j, want)
		}
		if !found {
			used, next := s.memory()
			known[string(b)] = s.insert(b, slot, tag, len(known)-1)
			now, _ := s.memory()
			if now > used+next {
				t.Fatalf("memory grew from %d to %d, announced %d", used, now, next)
			}
		}
	}
	for b, i := range known {
		if string(s.at(i)) != b || s.parent(i) != i-1 {
			t.Fatalf("state %d is %v with parent %d", i, s.at(i), s.parent(i))
		}
	}
	if len(known) < 80_000 {
		t.Errorf("only %d states", len(known))
	}
}

// TestSortedPair has two states of one orbit, of four processes that hold the number of a process. Sorting
// the processes by the rest of their state keeps both: Wahl and Donaldson (Replication and
// abstraction, 2010, section 4.3). Our sorted form looks at references as well, so it is one, but
// two for processes whose references make a cycle. The exact form is one for all.
func TestSortedPair(t *testing.T) {
	p := compile(t, "type P: scalarset(4); var r: array[P] of record pc: enum{A, B, C}; id: P; end; startstate begin end; rule true ==> begin end;")
	state := func(pc string, ids ...int) model.State {
		var s model.State
		for i, k := range ids {
			s = append(s, int64(pc[i]-'A'), p.Model.Types[0].Lo+int64(k-1))
		}
		return s
	}
	for _, tc := range []struct {
		s, t   model.State
		sorted bool // the sorted forms are equal
	}{
		{state("BACA", 1, 1, 3, 3), state("ABAC", 4, 2, 2, 4), true},
		{state("AAAA", 2, 3, 4, 1), state("AAAA", 3, 4, 2, 1), false},
	} {
		for _, exact := range []bool{false, true} {
			c, err := newCanonicaliser(p, model.NewPacker(p.Model), [][][]int{{{0, 1, 2, 3}}}, nil, exact)
			if err != nil {
				t.Fatal(err)
			}
			if one := bytes.Equal(slices.Clone(c.canon(tc.s)), c.canon(tc.t)); one != (exact || tc.sorted) {
				t.Errorf("%v, %v: exact %v: one representative: %v", tc.s, tc.t, exact, one)
			}
		}
	}
}
