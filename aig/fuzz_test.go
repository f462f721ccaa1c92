package aig

import "testing"

// FuzzGraph reads its input as a program, six bytes a step: a builder and its
// operands. The functions must keep their truth tables in the graph, in a copy,
// in the n-ary copy, and in a cofactor.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0}, false)
	f.Add([]byte{1, 9, 2, 4, 6, 1, 2, 2, 15, 4, 3, 3, 3}, true)
	f.Add([]byte{7, 5, 16, 4, 2, 8, 10, 6, 18, 17, 2, 4, 6, 9, 20, 14, 3, 2, 2, 8, 22, 14, 16, 2, 20}, false)
	f.Fuzz(func(t *testing.T, program []byte, plain bool) {
		s := newSoup(newGraph(plain))
		for p := program; len(p) >= 6 && len(s.lits) < 2000; p = p[6:] {
			s.step(int(p[0]), [5]int{int(p[1]), int(p[2]), int(p[3]), int(p[4]), int(p[5])})
		}
		if err := s.verify(); err != nil {
			t.Fatal(err)
		}
		dst := New()
		for range 6 {
			dst.Input()
		}
		for _, c := range []*Copier{NewCopier(dst, s.g), NewNaryCopier(dst, s.g, s.lits)} {
			for i := 1; i <= 6; i++ {
				c.Set(i, MkLit(i, false))
			}
			images := make([]Lit, len(s.lits))
			for k, l := range s.lits {
				images[k] = c.Copy(l)
			}
			if err := (&soup{dst, images, s.tabs}).verify(); err != nil {
				t.Fatalf("copy: %v", err)
			}
		}
		leaf, val := 1, len(program)%2 == 0
		if len(program) > 0 {
			leaf = 1 + int(program[0])%6
		}
		want := substituted(s.g, map[int]uint64{leaf: mask(val)})
		cofactors := s.g.Cofactor(s.lits, map[int]bool{leaf: val})
		got := tables(s.g, leafTables[:])
		for k, l := range s.lits {
			if value(got, cofactors[k]) != value(want, l) {
				t.Fatalf("cofactor of function %d is %x, want %x", k, value(got, cofactors[k]), value(want, l))
			}
		}
		if err := s.g.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
