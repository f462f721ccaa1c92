package graph

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"orbitmc/internal/testkit/nightly"
	"os/exec"
	"regexp"
	"testing"
)

// samples lists at least 5,000 graphs: the structured families, each also with its
// vertices renumbered, and random graphs of all densities, unions and products.
func samples() []sample {
	var all []sample
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range structured() {
		all = append(all, s, sample{s.name + ", renumbered", relabel(rng, s.g)})
	}
	for k := 0; len(all) < 5000; k++ {
		n := 2 + rng.IntN(14)
		g := randomGraph(rng, n, 1+rng.IntN(2), 0, rng.Float64())
		h := randomGraph(rng, 1+rng.IntN(5), 1, 0, rng.Float64())
		name := "random"
		switch k % 8 {
		case 0:
			name, g = "random union", relabel(rng, union(g, h, g, h))
		case 1:
			name, g = "random wreath product", wreath(g, h)
		case 2:
			name, g = "random product", relabel(rng, cartesian(g, h))
		case 3:
			name, g = "random complement of a union", complement(union(g, h, h))
		case 4:
			name, g = "random circulant", circulant(5+rng.IntN(20), 1+rng.IntN(6), 1+rng.IntN(6))
		case 5:
			name, g = "random tree", randomTree(rng, 5+rng.IntN(40), 1+rng.IntN(8))
		case 6:
			name, g = "random regular", randomRegular(rng, 2*(3+rng.IntN(12)), 3)
		}
		all = append(all, sample{fmt.Sprintf("%s %d", name, k), g})
	}
	return all
}

// blissOrder asks bliss for the order of the group.
func blissOrder(t testing.TB, path string, g *Graph) *big.Int {
	t.Helper()
	cmd := exec.Command(path)
	var in bytes.Buffer
	if err := WriteDIMACS(&in, g); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("bliss: %v\n%s", err, out)
	}
	m := regexp.MustCompile(`\|Aut\|:\s*(\d+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("bliss says %s", out)
	}
	order, _ := new(big.Int).SetString(string(m[1]), 10)
	return order
}

// TestBliss compares orders with bliss, on every tenth graph in short mode: bliss
// takes a process for each.
func TestBliss(t *testing.T) {
	path, err := exec.LookPath("bliss")
	if err != nil {
		t.Skip("bliss is not installed")
	}
	for k, s := range samples() {
		if !nightly.On() && k%5 != 0 {
			continue
		}
		g := withoutNegativeColours(s.g)
		if got, want := mustSearch(t, g).Order, blissOrder(t, path, g); got.Cmp(want) != 0 {
			t.Errorf("%s: order %v, bliss %v", s.name, got, want)
		}
	}
}

func withoutNegativeColours(g *Graph) *Graph {
	least := 0
	for v := range g.N() {
		least = min(least, g.Colour(v))
	}
	colour := make([]int, g.N())
	for v := range colour {
		colour[v] = g.Colour(v) - least
	}
	h := *g
	h.colour = colour
	return &h
}

// TestDreadnaut compares orders with sparse nauty (mode s) and Traces (mode t), both
// run in one process by dreadnaut, and checks every result.
func TestDreadnaut(t *testing.T) {
	path, err := exec.LookPath("dreadnaut")
	if err != nil {
		t.Skip("dreadnaut is not installed")
	}
	all := samples()
	var in bytes.Buffer
	type order struct{ mode, text string }
	orders := make([][]order, len(all))
	for _, mode := range []string{"s", "t"} {
		fmt.Fprintf(&in, "A%s -a -m\n", mode)
		for k, s := range all {
			if mode == "t" || s.g.N() <= 100 { // nauty's time grows fast on some families
				writeDreadnaut(&in, s.g)
				orders[k] = append(orders[k], order{mode: mode})
			}
		}
	}
	cmd := exec.Command(path)
	cmd.Stdin = &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("dreadnaut: %v", err)
	}
	sizes := regexp.MustCompile(`grpsize=([0-9.e+]+);`).FindAllSubmatch(out, -1)
	next := 0
	for _, mode := range []string{"s", "t"} {
		for k := range orders {
			for n := range orders[k] {
				if o := &orders[k][n]; o.mode == mode {
					if next == len(sizes) {
						t.Fatalf("dreadnaut gave only %d orders\n%.2000s", next, out)
					}
					o.text = string(sizes[next][1])
					next++
				}
			}
		}
	}
	for k, s := range all {
		r := mustSearch(t, s.g)
		checkResult(t, s.g, r)
		if s.g.N() <= 30 {
			if got := generated(s.g.N(), r.Generators); got.Cmp(r.Order) != 0 {
				t.Errorf("%s: order %v, generators generate %v", s.name, r.Order, got)
			}
		}
		for _, o := range orders[k] {
			want, ok := new(big.Rat).SetString(o.text)
			if !ok {
				t.Fatalf("dreadnaut says %q", o.text)
			}
			// Twelve digits and an exponent, once the order does not fit them.
			difference := new(big.Rat).Sub(want, new(big.Rat).SetInt(r.Order))
			difference.Quo(difference.Abs(difference), want)
			if limit := big.NewRat(1, 1_000_000_000); difference.Cmp(limit) > 0 {
				t.Errorf("%s: order %v, dreadnaut in mode %s %s", s.name, r.Order, o.mode, o.text)
			}
		}
	}
}

func writeDreadnaut(w io.Writer, g *Graph) {
	fmt.Fprintf(w, "n=%d $=0 g", g.N())
	for v := range g.N() {
		for _, u := range g.Neighbours(v) {
			if int(u) > v {
				fmt.Fprintf(w, " %d", u)
			}
		}
		fmt.Fprintln(w, ";")
	}
	byColour := map[int][]int{}
	for v := range g.N() {
		byColour[g.Colour(v)] = append(byColour[g.Colour(v)], v)
	}
	separator := "f=["
	for _, class := range sortedClasses(byColour) {
		fmt.Fprint(w, separator)
		for k, v := range class {
			if k > 0 {
				fmt.Fprint(w, ",")
			}
			if k%20 == 19 {
				fmt.Fprintln(w)
			}
			fmt.Fprint(w, v)
		}
		separator = "|"
	}
	fmt.Fprintln(w, "] x")
}
