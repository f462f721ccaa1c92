package structure_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/detect/decompose"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/sat"
	"orbitmc/ts"
)

// branches returns n processes with a request each, which take a value of their
// own when requested and must not all hold it; the functions of every process are
// written in another way, and those of one are others if odd.
func branches(n int, odd bool) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	latch := func(name string, i int) aig.Lit {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(name, i), Node: l.Node()})
		return l
	}
	input := func(name string, i int) aig.Lit {
		l := g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint(name, i), Node: l.Node()})
		return l
	}
	var held []aig.Lit
	for i := range n {
		hold, want, request := latch("hold", i), latch("want", i), input("request", i)
		held = append(held, hold)
		var next aig.Lit // request ? want : hold
		switch i % 4 {
		case 0:
			next = g.Mux(request, want, hold)
		case 1:
			next = g.Xor(hold, g.And(request, g.Xor(hold, want)))
		case 2: // the consensus term is redundant
			next = g.OrN([]aig.Lit{g.And(request, want), g.And(request.Not(), hold), g.And(hold, want)})
		case 3: // a product of sums
			next = g.And(g.Or(request.Not(), want), g.Or(g.Or(hold, request), g.And(hold, hold.Not())))
		}
		s.Latches[2*i].Next = next
		s.Latches[2*i+1].Next = g.Or(request, want)
		if i == n-1 && odd {
			s.Latches[2*i].Next = g.Or(g.And(request, want), g.And(request.Not(), hold.Not()))
		}
	}
	s.Bads = []ts.Bad{{Name: "all", Lit: g.AndN(held)}}
	return s
}

// TestGuess: processes whose functions are written in different ways are not
// found to be interchangeable by structure, and are with truth tables. One
// that is different is not.
func TestGuess(t *testing.T) {
	for _, x := range []struct {
		n       int
		odd     bool
		without string
		with    string
	}{{3, false, "1", "6"}, {4, false, "", "24"}, {7, false, "", "5040"}, {4, true, "", "6"}} {
		s := branches(x.n, x.odd)
		opt := provers()
		d, err := structure.Detect(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		if x.without != "" && d.Order.String() != x.without || d.Order.String() == x.with {
			t.Errorf("%d processes: order %v by structure", x.n, d.Order)
		}
		opt.Guess = true
		d, err = structure.Detect(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		if d.Order.String() != x.with || d.Confirmed == 0 || len(d.Symmetry.Blocks) != 1 {
			t.Errorf("%d processes: order %v, %d of %d guesses confirmed, want order %s", x.n, d.Order, d.Confirmed, d.Guessed, x.with)
		}
		if err := d.Symmetry.Check(s); err != nil {
			t.Error(err)
		}
		// Nothing is kept without a proof.
		opt.Verify.NewProver = nil
		if d, err = structure.Detect(context.Background(), s, opt); err != nil || d.Confirmed > 0 || d.Order.String() == x.with {
			t.Errorf("%d processes: %d guesses confirmed without a prover, %v", x.n, d.Confirmed, err)
		}
	}
}

// TestGuessNames: components whose rows are counted in a chain are found by their
// names, and no permutation of names that is no symmetry.
func TestGuessNames(t *testing.T) {
	for _, x := range []struct {
		file    string
		without string
		with    string
	}{{"sem_counter.m", "2", "24"}, {"msi_dir.m", "1", "2"}, {"false_scalarset.m", "1", "1"}} {
		m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", x.file), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		opt := provers()
		for _, guess := range []bool{false, true} {
			opt.Guess = guess
			want := x.without
			if guess {
				want = x.with
			}
			d, err := structure.Detect(context.Background(), e.Sys, opt)
			if err != nil || d.Order.String() != want || d.Guessed < d.Confirmed || guess != (d.Guessed > 0) {
				t.Errorf("%s: order %v, want %s, %d of %d guesses confirmed, %v", x.file, d.Order, want, d.Confirmed, d.Guessed, err)
			}
			if err := d.Symmetry.Check(e.Sys); err != nil {
				t.Error(err)
			}
		}
	}
}

// keeps reports by simulation of all valuations whether p is an automorphism of a
// small system without initial inputs that keeps each bad.
func keeps(s *ts.System, p *ts.Perm) bool {
	e := ts.NewEvaluator(s)
	nl, ni := len(s.Latches), len(s.Inputs)
	for v := range 1 << (nl + ni) {
		bits := make([]bool, nl+ni)
		for i := range bits {
			bits[i] = v>>i&1 == 1
		}
		x, y := bits[:nl], bits[nl:]
		e.Set(x, y)
		next := e.Next()
		var bads []bool
		for _, b := range s.Bads {
			bads = append(bads, e.Value(b.Lit))
		}
		e.Set(ts.Apply(p.Latch, x), ts.Apply(p.Input, y))
		if !slices.Equal(e.Next(), ts.Apply(p.Latch, next)) {
			return false
		}
		for i, b := range s.Bads {
			if e.Value(b.Lit) != bads[i] {
				return false
			}
		}
	}
	return slices.Equal(ts.Apply(p.Latch, e.Reset(nil)), e.Reset(nil))
}

// mutant returns a copy of s in which one operand of one gate is another literal.
func mutant(rng *rand.Rand, s *ts.System) *ts.System {
	var gates []int
	for _, n := range s.G.Cone(s.Roots()) {
		if s.G.IsAnd(n) {
			gates = append(gates, n)
		}
	}
	if len(gates) == 0 {
		return s
	}
	at := gates[rng.IntN(len(gates))]
	g := aig.NewPlain()
	out := &ts.System{G: g, Latches: slices.Clone(s.Latches), Inputs: slices.Clone(s.Inputs), Bads: slices.Clone(s.Bads)}
	image := make([]aig.Lit, s.G.Len())
	for n := range image {
		if s.G.IsInput(n) {
			image[n] = g.Input()
		}
	}
	of := func(l aig.Lit) aig.Lit { return image[l.Node()].NotIf(l.Neg()) }
	for n := range image {
		if !s.G.IsAnd(n) {
			continue
		}
		a, b := s.G.Fanins(n)
		x, y := of(a), of(b)
		if n == at {
			switch rng.IntN(4) {
			case 0:
				x = x.Not()
			case 1:
				y = aig.True
			case 2:
				y = image[rng.IntN(n)]
			default:
				x, y = x.Not(), y.Not()
			}
		}
		image[n] = g.And(x, y)
	}
	for i, l := range s.Latches {
		out.Latches[i] = ts.Latch{Name: l.Name, Node: of(s.LatchLit(i)).Node(), Reset: of(l.Reset), Next: of(l.Next)}
	}
	for i := range s.Inputs {
		out.Inputs[i].Node = of(s.InputLit(i)).Node()
	}
	for i, b := range s.Bads {
		out.Bads[i].Lit = of(b.Lit)
	}
	out.W = aig.True
	return out
}

// TestMutants: whatever is changed in a symmetric system, all that is found keeps
// it, guesses included.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	broken, confirmed, elements := 0, 0, 0
	for k := range 300 {
		s := randomSystem(rng)
		if k%3 == 0 {
			s = branches(2+rng.IntN(2), false)
		}
		all := symmetries(s)
		for range rng.IntN(3) {
			s = mutant(rng, s)
		}
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		opt := provers()
		opt.Guess = true
		d, err := structure.Detect(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		now := symmetries(s)
		if now < all {
			broken++
		}
		if int64(now)%d.Order.Int64() != 0 || d.Symmetry.Order().Cmp(d.Order) != 0 {
			t.Fatalf("system %d: a group of order %v, in one of order %d", k, d.Order, now)
		}
		confirmed += d.Confirmed
		var perms []*ts.Perm
		for _, p := range d.Generators {
			perms = append(perms, decompose.NumberingOf(s).Perm(p, ""))
		}
		if y := d.Symmetry; !y.Trivial() {
			perms = append(perms, y.Generators()...)
			for _, g := range y.Groups {
				perms = append(perms, g.Members...)
				perms = append(perms, slices.Concat(g.Transversals...)...)
			}
		}
		for _, p := range perms {
			elements++
			if !keeps(s, p) {
				t.Fatalf("system %d: %v is no symmetry", k, p)
			}
		}
	}
	t.Logf("%d systems lost symmetry, %d guesses confirmed, %d permutations checked", broken, confirmed, elements)
	if broken < 50 || confirmed < 50 || elements < 300 {
		t.Error("too little happened")
	}
}

// stuck is a prover that finds nothing out until its context ends.
type stuck struct{ verify.Prover }

func (stuck) Solve(ctx context.Context, _ ...aig.Lit) sat.Status {
	<-ctx.Done()
	return sat.Unknown
}

// TestGuessInTime: guesses that take too long are given up for what structure shows.
func TestGuessInTime(t *testing.T) {
	s := branches(7, false)
	opt := provers()
	want, err := structure.Detect(context.Background(), s, opt)
	if err != nil || want.Order.String() == "1" {
		t.Fatal(want, err)
	}
	newProver := opt.Verify.NewProver
	opt.Verify.NewProver = func(g *aig.Graph) verify.Prover { return stuck{newProver(g)} }
	opt.Guess = true
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	d, err := structure.Detect(ctx, s, opt)
	if err != nil || d.Order.Cmp(want.Order) != 0 || d.Symmetry.Order().Cmp(want.Order) != 0 || len(d.Generators) != len(want.Generators) {
		t.Errorf("order %v, want %v: %v", d.Order, want.Order, err)
	}
}
