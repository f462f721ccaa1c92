package graph

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

func factorial(n int) *big.Int { return new(big.Int).MulRange(1, int64(n)) }

func power(x *big.Int, k int) *big.Int { return new(big.Int).Exp(x, big.NewInt(int64(k)), nil) }

func multiply(xs ...*big.Int) *big.Int {
	p := big.NewInt(1)
	for _, x := range xs {
		p.Mul(p, x)
	}
	return p
}

func star(leaves int) *Graph {
	b := NewBuilder(1, 0)
	for range leaves {
		b.AddEdge(0, b.AddVertex(0))
	}
	return must(b)
}

func copies(g *Graph, n int) *Graph {
	b := NewBuilder(0, 0)
	for range n {
		appendTo(b, g)
	}
	return must(b)
}

// TestKnownGroups compares with orders known from theory, and holds the search to
// few nodes off the first path: about one for every generator.
func TestKnownGroups(t *testing.T) {
	two := big.NewInt(2)
	petersen := kneser(5, 2, 0)
	for _, c := range []struct {
		name  string
		g     *Graph
		order *big.Int
		nodes int64 // at most
	}{
		{"empty", must(NewBuilder(0, 0)), big.NewInt(1), 0},
		{"isolated vertices", must(NewBuilder(1000, 0)), factorial(1000), 0},
		{"star", star(20000), factorial(20000), 0},
		{"stars", copies(star(20), 300), multiply(power(factorial(20), 300), factorial(300)), 299},
		{"clique", complete(300), factorial(300), 0},
		{"cycle", circulant(5000, 1), big.NewInt(10000), 4},
		{"binary tree", fullTree(2, 12), power(two, 1<<12-1), 1 << 11},
		{"petersens", copies(petersen, 200), multiply(power(big.NewInt(120), 200), factorial(200)), 2000},
		{"different strongly regular graphs", union(copies(latin(4), 20), copies(rook(4, 4), 20)),
			multiply(power(big.NewInt(192), 20), power(big.NewInt(1152), 20), power(factorial(20), 2)), 2000},
		{"rook", rook(30, 40), multiply(factorial(30), factorial(40)), 200},
		{"torus", grid([]int{30, 30}, true), big.NewInt(900 * 8), 10},
		{"hypercube", hypercube(9), multiply(power(two, 9), factorial(9)), 60},
		{"projective plane", projectivePlane(7), big.NewInt(2 * 5630688), 30},
		{"register file", registerFile(70, 90), multiply(factorial(70), factorial(90)), 160},
		{"queues", queues(5, 16, 10), multiply(power(factorial(16), 5), factorial(5)), 80},
		{"wide queues", queues(2, 300, 4), multiply(power(factorial(300), 2), two), 600},
		{"complement", complement(copies(petersen, 10)), multiply(power(big.NewInt(120), 10), factorial(10)), 100},
	} {
		r := mustSearch(t, c.g)
		checkResult(t, c.g, r)
		if r.Order.Cmp(c.order) != 0 {
			t.Errorf("%s: order %v, should be %v", c.name, r.Order, c.order)
		}
		if r.Stats.Nodes > c.nodes {
			t.Errorf("%s: %d nodes, should be at most %d", c.name, r.Stats.Nodes, c.nodes)
		}
	}
}

// hub joins a new vertex to all vertices of some graphs.
func hub(gs ...*Graph) *Graph {
	b := NewBuilder(0, 0)
	for _, g := range gs {
		appendTo(b, g)
	}
	centre := b.AddVertex(0)
	for v := range centre {
		b.AddEdge(centre, v)
	}
	return must(b)
}

// TestFailures: parts that refinement cannot tell apart are not carried to each other,
// and the search does not try all ways of doing so.
func TestFailures(t *testing.T) {
	order := func(g *Graph) *big.Int { return mustSearch(t, g).Order }
	straight, twisted := cfi(complete(4), false), cfi(complete(4), true)
	long, longTwisted := cfi(ladder(6), false), cfi(ladder(6), true)
	square, shrikhande := rook(4, 4), latin(4)
	rng := rand.New(rand.NewPCG(7, 8))
	backjumps := int64(0)
	for _, c := range []struct {
		name  string
		g     *Graph
		order *big.Int
		nodes int64 // at most
	}{
		{"twisted and not", union(straight, twisted), multiply(order(straight), order(twisted)), 60},
		{"mixed copies", union(long, longTwisted, long, longTwisted, long),
			multiply(power(order(long), 3), factorial(3), power(order(longTwisted), 2), factorial(2)), 1000},
		{"joined", complement(union(square, shrikhande, shrikhande)),
			multiply(order(square), power(order(shrikhande), 2), big.NewInt(2)), 80},
		{"hubs", union(hub(square, shrikhande, straight), hub(square, shrikhande, twisted)),
			multiply(power(order(square), 2), power(order(shrikhande), 2), order(straight), order(twisted)), 200},
		{"many hubs", union(hub(square, square, straight), hub(square, square, twisted), hub(square, square, straight)),
			multiply(power(multiply(order(square), order(square), big.NewInt(2)), 3), power(order(straight), 2), order(twisted), big.NewInt(2)), 400},
		{"hubs that fail last", union(
			hub(straight, straight, twisted, twisted, cfi(ladder(8), false)),
			hub(straight, straight, twisted, twisted, cfi(ladder(8), true))),
			multiply(power(multiply(order(straight), order(twisted), big.NewInt(2)), 4),
				order(cfi(ladder(8), false)), order(cfi(ladder(8), true))), 500},
	} {
		for _, g := range []*Graph{c.g, relabel(rng, c.g)} {
			r := mustSearch(t, g)
			checkResult(t, g, r)
			if r.Order.Cmp(c.order) != 0 {
				t.Errorf("%s: order %v, should be %v", c.name, r.Order, c.order)
			}
			if r.Stats.BadNodes == 0 || r.Stats.Nodes > c.nodes {
				t.Errorf("%s: %d bad nodes of %d, should be at most %d", c.name, r.Stats.BadNodes, r.Stats.Nodes, c.nodes)
			}
			backjumps += r.Stats.Backjumps
		}
	}
	if backjumps == 0 {
		t.Error("no failure jumped over another component")
	}
}

// TestDeterministic runs a search twice.
func TestDeterministic(t *testing.T) {
	for _, s := range structured() {
		a, b := mustSearch(t, s.g), mustSearch(t, s.g)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs differ", s.name)
		}
	}
}

// TestCancelBefore searches when the context has ended.
func TestCancelBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Search(ctx, rook(3, 3))
	if !errors.Is(err, context.Canceled) || r.Complete || len(r.Generators) != 0 || r.Order.Sign() <= 0 {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
	for v, o := range r.Orbit {
		if int(o) != v {
			t.Errorf("cancelled before: orbit of %d starts with %d", v, o)
		}
	}
}

// countdown is a context that is cancelled when it has been asked a number of times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAnywhere cancels at every place where the search asks its context: what was found is
// a set of automorphisms, the first ones of the full search, and the order is that of a subgroup.
func TestCancelAnywhere(t *testing.T) {
	for _, g := range []*Graph{
		queues(3, 5, 4), rook(6, 7), copies(cfi(ladder(3), true), 2),
		union(queues(2, 3, 2), grid([]int{40, 40}, false)),
		union(hub(rook(4, 4), cfi(complete(4), false)), hub(rook(4, 4), cfi(complete(4), true))),
	} {
		full := mustSearch(t, g)
		for asked := 0; ; asked++ {
			left := asked
			r, err := Search(countdown{context.Background(), &left}, g)
			checkResult(t, g, r)
			if r.Complete {
				if err != nil || r.Order.Cmp(full.Order) != 0 {
					t.Fatalf("complete: %v, order %v", err, r.Order)
				}
				if asked < 10 {
					t.Errorf("the context is asked only %d times", asked)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || new(big.Int).Mod(full.Order, r.Order).Sign() != 0 {
				t.Fatalf("cancelled when asked %d times: %v, order %v", asked, err, r.Order)
			}
			if n := len(r.Generators); n > 0 && !reflect.DeepEqual(r.Generators, full.Generators[:n]) {
				t.Errorf("cancelled when asked %d times: generators differ from those of the full search", asked)
			}
		}
	}
}
