package graph

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestBuilder(t *testing.T) {
	b := NewBuilder(2, 0)
	if v := b.AddVertex(5); v != 2 || b.N() != 3 {
		t.Fatalf("third vertex is %d of %d", v, b.N())
	}
	b.SetColour(0, -1)
	b.AddEdge(2, 0)
	b.AddEdge(0, 2)
	b.AddEdge(0, 1)
	b.AddEdge(1, 1)
	b.AddEdge(1, 1)
	g := must(b)
	if g.N() != 3 || g.M() != 3 {
		t.Errorf("%d vertices, %d edges", g.N(), g.M())
	}
	for v, want := range [][]int32{{1, 2}, {0, 1}, {0}} {
		if got := g.Neighbours(v); !slices.Equal(got, want) {
			t.Errorf("neighbours of %d: %v", v, got)
		}
	}
	if g.Colour(0) != -1 || g.Colour(1) != 0 || g.Colour(2) != 5 {
		t.Errorf("colours %v", g.colour)
	}
	b.AddEdge(1, 2)
	if g.HasEdge(1, 2) || !must(b).HasEdge(2, 1) {
		t.Error("the graph changed with its builder, or the builder cannot go on")
	}
	defer func() {
		if recover() == nil {
			t.Error("an edge to a vertex that does not exist")
		}
	}()
	b.AddEdge(0, 3)
}

func TestCheckAutomorphism(t *testing.T) {
	b := NewBuilder(5, 0) // a path 0-1-2-3, vertex 4 of another colour apart
	b.AddEdge(0, 1)
	b.AddEdge(1, 2)
	b.AddEdge(2, 3)
	b.SetColour(4, 1)
	g := must(b)
	for _, c := range []struct {
		p    Perm
		want string // "" for an automorphism
	}{
		{Perm{}, ""},
		{Perm{[]int32{0, 1, 2, 3}, []int32{3, 2, 1, 0}}, ""},
		{Perm{[]int32{0, 3}, []int32{3, 0}}, "no edge"},
		{Perm{[]int32{0, 1}, []int32{1, 0}}, "degree"},
		{Perm{[]int32{1, 2}, []int32{2, 1}}, "no edge"},
		{Perm{[]int32{0, 4}, []int32{4, 0}}, "colour"},
		{Perm{[]int32{0, 3}, []int32{3, 3}}, "fixed"},
		{Perm{[]int32{0, 1}, []int32{3, 2}}, "not a permutation"},
		{Perm{[]int32{3, 0}, []int32{0, 3}}, "out of order"},
		{Perm{[]int32{0, 5}, []int32{5, 0}}, "out of range"},
		{Perm{[]int32{0}, nil}, "images"},
	} {
		err := checkAutomorphism(g, c.p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.p, err, c.want)
		}
	}
}

func TestPerm(t *testing.T) {
	p := Perm{[]int32{1, 2, 4, 7, 9}, []int32{4, 9, 7, 1, 2}}
	if p.Apply(4) != 7 || p.Apply(3) != 3 {
		t.Errorf("4 goes to %d, 3 to %d", p.Apply(4), p.Apply(3))
	}
}

func TestDIMACS(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		g := withoutNegativeColours(randomGraph(rng, rng.IntN(12), 1+rng.IntN(3), rng.IntN(3), rng.Float64()))
		h, err := ReadDIMACS(strings.NewReader(dimacs(g)))
		if err != nil || !reflect.DeepEqual(g, h) {
			t.Fatalf("%v: read back\n%swrote\n%s", err, dimacs(h), dimacs(g))
		}
	}
	g, err := ReadDIMACS(strings.NewReader("c a comment\n\np edge 3 2\nn 2 7\ne 3 2\r\ne 1 1\nc end"))
	if err != nil || dimacs(g) != "p edge 3 2\nn 2 7\ne 1 1\ne 2 3\n" {
		t.Errorf("%v: %+v", err, g)
	}
	for text, want := range map[string]string{
		"":                               "no problem line",
		"e 1 2\n":                        `line 1: "e" before the problem line`,
		"p edge 2 0\np edge 2 0\n":       "line 2: second problem line",
		"p cnf 2 0\n":                    "line 1: problem line is not of the form",
		"p edge 2\n":                     "line 1: problem line is not of the form",
		"p edge -1 0\n":                  "line 1: number of vertices",
		"p edge 99999999999 0\n":         "line 1: number of vertices",
		"p edge 2 x\n":                   "line 1: number of edges",
		"p edge 2 1\n":                   "1 edges fewer",
		"p edge 2 1\ne 1 2\ne 1 2\n":     "line 3: more edges",
		"p edge 2 1\ne 1 3\n":            `line 2: vertex: "3" is not a number in 1..2`,
		"p edge 2 1\ne 0 1\n":            `line 2: vertex: "0" is not a number in 1..2`,
		"p edge 2 1\ne 1\n":              `line 2: "e" with 1 numbers`,
		"p edge 2 0\nn 1 -1\n":           "line 2: colour",
		"p edge 2 0\nn 1 1\nn 1 1\n":     "line 3: second colour of vertex 1",
		"p edge 2 0\nx 1 1\n":            `line 2: unknown line "x"`,
		"p edge 2 0\nn 1 1 1\n":          `line 2: "n" with 3 numbers`,
		"p edge 2 0\n" + longLine + "\n": "after line 1",
	} {
		if _, err := ReadDIMACS(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

var longLine = strings.Repeat("c", 1<<21)

// FuzzReadDIMACS: what is read is written and read back the same.
func FuzzReadDIMACS(f *testing.F) {
	f.Add("p edge 3 2\nn 2 7\ne 3 2\ne 1 1\n")
	f.Add("p edge 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		for field := range strings.FieldsSeq(text) {
			if len(field) > 4 {
				return // a problem line may ask for as many vertices as it likes
			}
		}
		g, err := ReadDIMACS(strings.NewReader(text))
		if err != nil {
			return
		}
		h, err := ReadDIMACS(strings.NewReader(dimacs(g)))
		if err != nil || !reflect.DeepEqual(g, h) {
			t.Fatalf("%v: read back\n%swrote\n%s", err, dimacs(h), dimacs(g))
		}
	})
}
