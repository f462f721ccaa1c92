package aig

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

const benchAnds = 1 << 20

// xorshift is a generator cheap enough not to be measured.
type xorshift uint64

func (x *xorshift) next() uint64 {
	*x ^= *x << 13
	*x ^= *x >> 7
	*x ^= *x << 17
	return uint64(*x)
}

// randomAnds adds n random ANDs over 1000 leaves: one operand among the last
// 4096 literals, the other anywhere. It returns the operands of each call.
func randomAnds(g *Graph, n int) [][2]Lit {
	x := xorshift(88172645463325252)
	for range 1000 {
		g.Input()
	}
	calls := make([][2]Lit, 0, n)
	for len(calls) < n {
		a, b := x.next(), x.next()
		l := g.Len()
		near := Lit(2*l-1) - Lit(a%uint64(min(4096, 2*l-2)))
		far := Lit(2 + b%uint64(2*l-2))
		calls = append(calls, [2]Lit{near, far})
		g.And(near, far)
	}
	return calls
}

func (g *Graph) bytes() int {
	return cap(g.nodes)*int(unsafe.Sizeof(node{})) + 4*cap(g.table) + 4*cap(g.inputs)
}

func reportAnds(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mand/s")
}

// BenchmarkNewAnds builds a graph from nothing, growth included.
func BenchmarkNewAnds(b *testing.B) {
	calls := randomAnds(New(), benchAnds)
	b.ReportAllocs()
	var g *Graph
	for b.Loop() {
		g = New()
		for range 1000 {
			g.Input()
		}
		for _, c := range calls {
			g.And(c[0], c[1])
		}
	}
	reportAnds(b, benchAnds)
	b.ReportMetric(float64(g.bytes())/float64(g.Len()), "bytes/node")
	b.ReportMetric(float64(g.Len()), "nodes")
}

// BenchmarkHashHits repeats calls whose results exist.
func BenchmarkHashHits(b *testing.B) {
	g := New()
	calls := randomAnds(g, benchAnds)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range calls {
			g.And(c[0], c[1])
		}
	}
	reportAnds(b, benchAnds)
}

// BenchmarkCopy copies a random graph into an empty one. For the n-ary copy this is
// a hard case: half the edges are uncomplemented, so gates overlap and are large.
func BenchmarkCopy(b *testing.B) {
	src := New()
	randomAnds(src, benchAnds)
	roots := make([]Lit, 0, 4096)
	for i := src.Len() - 4096; i < src.Len(); i++ {
		roots = append(roots, MkLit(i, false))
	}
	ands := len(src.Cone(roots)) - len(src.Support(roots))
	for _, bench := range []struct {
		name string
		new  func(dst *Graph) *Copier
	}{
		{"plain", func(dst *Graph) *Copier { return NewCopier(dst, src) }},
		{"nary", func(dst *Graph) *Copier { return NewNaryCopier(dst, src, roots) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst := New()
				c := bench.new(dst)
				for i := 1; i < src.Len() && src.IsInput(i); i++ {
					c.Set(i, dst.Input())
				}
				for _, r := range roots {
					c.Copy(r)
				}
			}
			reportAnds(b, ands)
		})
	}
}

// BenchmarkSim evaluates a graph on 64 valuations a round.
func BenchmarkSim(b *testing.B) {
	g := New()
	randomAnds(g, benchAnds)
	s := NewSim(g)
	x := xorshift(1)
	b.ReportAllocs()
	for b.Loop() {
		for i := 1; i <= g.NumInputs(); i++ {
			s.Set(i, x.next())
		}
		s.Run()
	}
	reportAnds(b, g.Len()-1-g.NumInputs())
}

// BenchmarkNaryCopyRows copies a system of 64 rows as a check of one symmetry does.
func BenchmarkNaryCopyRows(b *testing.B) {
	s := newRowSystem(NewPlain(), rand.New(rand.NewPCG(1, 1)), 64, 100)
	id := make([]int, s.n)
	for i := range id {
		id[i] = i
	}
	b.ReportAllocs()
	dst := New()
	for range s.g.NumInputs() {
		dst.Input()
	}
	for b.Loop() {
		s.copies(dst, id, true)
	}
	reportAnds(b, s.g.Len()-1-s.g.NumInputs())
	b.ReportMetric(float64(s.g.Len()), "nodes")
	b.ReportMetric(float64(dst.Len()), "dstnodes")
}
