package measure_test

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/benchmarks/measure"
	"orbitmc/ts"
)

// leaves returns a system of nothing but latches and inputs of these names.
func leaves(latches, inputs []string) *ts.System {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	for _, n := range latches {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: n, Node: l.Node(), Next: l})
	}
	for _, n := range inputs {
		s.Inputs = append(s.Inputs, ts.Signal{Name: n, Node: g.Input().Node()})
	}
	return s
}

// exchange exchanges latches, and inputs, two by two.
func exchange(s *ts.System, name string, latches, inputs []int32) *ts.Perm {
	p := ts.Identity(s)
	p.Name = name
	for i := 0; i < len(latches); i += 2 {
		p.Latch[latches[i]], p.Latch[latches[i+1]] = ts.MkLit(int(latches[i+1]), false), ts.MkLit(int(latches[i]), false)
	}
	for i := 0; i < len(inputs); i += 2 {
		p.Input[inputs[i]], p.Input[inputs[i+1]] = ts.MkLit(int(inputs[i+1]), false), ts.MkLit(int(inputs[i]), false)
	}
	return p
}

func draw(t *testing.T, s *ts.System, y *ts.Symmetry) string {
	t.Helper()
	var b bytes.Buffer
	if err := measure.WriteDot(&b, s, y); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDot: three components with a latch and an input each, an array of all
// ordered pairs of them, a pair of latches on its own, exchanged and negated, and one
// latch that is fixed.
func TestDot(t *testing.T) {
	s := leaves([]string{"a0", "a1", "a2", "m01", "m02", "m10", "m12", "m20", "m21", "x", "fixed", `y "1"`}, []string{"in0", "in1", "in2"})
	other := exchange(s, "turn", []int32{9, 11}, nil)
	other.Latch[9] ^= 1
	other.Latch[11] ^= 1
	y := &ts.Symmetry{
		Blocks: []ts.Block{{Name: "PROC", Class: -1, Elems: []int{0, 1, 3}, Swaps: []*ts.Perm{
			exchange(s, "0 <-> 1", []int32{0, 1, 3, 5, 4, 6, 7, 8}, []int32{0, 1}),
			exchange(s, "1 <-> 3", []int32{1, 2, 3, 4, 5, 7, 6, 8}, []int32{1, 2}),
		}}},
		Groups: []ts.Group{{Name: "pair", Class: -1, Kind: "small", Order: big.NewInt(2), Gens: []*ts.Perm{other}}},
	}
	want := `graph symmetry {
	label="order 12; 4 orbits; fixed and left out: 1 of 15 latches and inputs"
	node [style=filled, fontsize=10]
	subgraph cluster0 { label="PROC: Sym(3)"
		l3 [label="m01", shape=box, fillcolor="0.618 0.4 0.95"]
		l4 [label="m02", shape=box, fillcolor="0.618 0.4 0.95"]
		l5 [label="m10", shape=box, fillcolor="0.618 0.4 0.95"]
		l6 [label="m12", shape=box, fillcolor="0.618 0.4 0.95"]
		l7 [label="m20", shape=box, fillcolor="0.618 0.4 0.95"]
		l8 [label="m21", shape=box, fillcolor="0.618 0.4 0.95"]
		subgraph cluster1 { label="PROC, row 1"
			l0 [label="a0", shape=box, fillcolor="0.000 0.4 0.95"]
			i0 [label="in0", shape=ellipse, fillcolor="0.854 0.4 0.95"]
		}
		subgraph cluster2 { label="PROC, row 2"
			l1 [label="a1", shape=box, fillcolor="0.000 0.4 0.95"]
			i1 [label="in1", shape=ellipse, fillcolor="0.854 0.4 0.95"]
		}
		subgraph cluster3 { label="PROC, row 3"
			l2 [label="a2", shape=box, fillcolor="0.000 0.4 0.95"]
			i2 [label="in2", shape=ellipse, fillcolor="0.854 0.4 0.95"]
		}
	}
	subgraph cluster4 { label="pair: small, order 2"
		l9 [label="x", shape=box, fillcolor="0.236 0.4 0.95"]
		l11 [label="y \"1\"", shape=box, fillcolor="0.236 0.4 0.95"]
	}
	l0 -- l1 [tooltip="0 <-> 1"]
	l3 -- l5 [tooltip="0 <-> 1"]
	l4 -- l6 [tooltip="0 <-> 1"]
	l7 -- l8 [tooltip="0 <-> 1"]
	i0 -- i1 [tooltip="0 <-> 1"]
	l1 -- l2 [tooltip="1 <-> 3"]
	l3 -- l4 [tooltip="1 <-> 3"]
	l5 -- l7 [tooltip="1 <-> 3"]
	l6 -- l8 [tooltip="1 <-> 3"]
	i1 -- i2 [tooltip="1 <-> 3"]
	l9 -- l11 [tooltip="turn", style=dashed]
}
`
	if got := draw(t, s, y); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	none := "graph symmetry {\n\tlabel=\"order 1; 0 orbits; fixed and left out: 15 of 15 latches and inputs\"\n\tnode [style=filled, fontsize=10]\n}\n"
	if got := draw(t, s, nil); got != none {
		t.Errorf("without symmetry: %s", got)
	}
	// What two factors move is in a cluster of its own.
	y.Groups[0].Gens[0] = exchange(s, "turn", []int32{0, 9}, nil)
	if got := draw(t, s, y); !strings.Contains(got, "\tsubgraph cluster4 { label=\"PROC: Sym(3) and pair: small, order 2\"\n\t\tl0 [") {
		t.Error(got)
	}
}

// TestDotRandom holds the picture of random products of blocks to the rows they
// were made of.
func TestDotRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	node := regexp.MustCompile(`(?m)^\t*l(\d+) \[label="([^"]*)", shape=box, fillcolor="([^"]*)"\]$`)
	for range 300 {
		blocks := 1 + rng.IntN(3)
		var latches []string
		for b := range blocks {
			for range 2 + rng.IntN(4) {
				latches = append(latches, fmt.Sprint("block ", b))
			}
		}
		width := make([]int, blocks)
		var names []string // "block row column", shuffled
		rows := make([]int, blocks)
		for b := range blocks {
			rows[b] = len(slices.DeleteFunc(slices.Clone(latches), func(n string) bool { return n != fmt.Sprint("block ", b) }))
			width[b] = 1 + rng.IntN(3)
			for r := range rows[b] {
				for c := range width[b] {
					names = append(names, fmt.Sprintf("%d %d %d", b, r, c))
				}
			}
		}
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		at := make(map[string]int32)
		for i, n := range names {
			at[n] = int32(i)
		}
		s := leaves(names, nil)
		y := new(ts.Symmetry)
		for b := range blocks {
			block := ts.Block{Name: fmt.Sprint("B", b), Class: -1, Elems: []int{0}}
			for r := 1; r < rows[b]; r++ {
				var moved []int32
				for c := range width[b] {
					moved = append(moved, at[fmt.Sprintf("%d %d %d", b, r-1, c)], at[fmt.Sprintf("%d %d %d", b, r, c)])
				}
				block.Elems = append(block.Elems, r)
				block.Swaps = append(block.Swaps, exchange(s, "swap", moved, nil))
			}
			y.Blocks = append(y.Blocks, block)
		}
		text := draw(t, s, y)
		colour := make(map[string]string) // by block and column
		cluster := ""
		seen := 0
		for line := range strings.Lines(text) {
			if i := strings.Index(line, "label=\"B"); i >= 0 {
				cluster = strings.Trim(line[i+len("label="):], "\"\n")
			}
			if found := node.FindStringSubmatch(line); found != nil {
				seen++
				var b, r, c int
				fmt.Sscan(found[2], &b, &r, &c)
				if want := fmt.Sprintf("B%d, row %d", b, r+1); rows[b] > 2 && cluster != want {
					t.Fatalf("%s is in %q, want %q\n%s", found[2], cluster, want, text)
				}
				key := fmt.Sprint(b, c)
				if old, ok := colour[key]; ok && old != found[3] {
					t.Fatalf("the orbit of %s has two colours\n%s", found[2], text)
				}
				colour[key] = found[3]
			}
		}
		distinct := make(map[string]bool)
		for _, c := range colour {
			distinct[c] = true
		}
		if seen != len(names) || len(distinct) != len(colour) || strings.Count(text, "{") != strings.Count(text, "}") {
			t.Fatalf("%d of %d leaves, %d colours for %d orbits\n%s", seen, len(names), len(distinct), len(colour), text)
		}
		if path, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(path, "-Tcanon")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("dot: %v: %s", err, out)
			}
		}
	}
}

// TestDotRefuses: what is too large is refused, and so is what is of another system.
func TestDotRefuses(t *testing.T) {
	many := make([]string, 4000)
	s := leaves(many, nil)
	moved := func(n int) *ts.Symmetry {
		var all []int32
		for i := range n {
			all = append(all, int32(i))
		}
		return &ts.Symmetry{Blocks: []ts.Block{{Name: "B", Class: -1, Elems: []int{0, 1}, Swaps: []*ts.Perm{exchange(s, "swap", all, nil)}}}}
	}
	if err := measure.WriteDot(io.Discard, s, moved(2000)); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	err := measure.WriteDot(&b, s, moved(2002))
	if want := "detect: the graph of the symmetry has 2002 vertices and 1001 edges; none is drawn of more than 2000 vertices or 10000 edges"; err == nil || err.Error() != want || b.Len() > 0 {
		t.Errorf("%v, and %d bytes; want %s", err, b.Len(), want)
	}
	if err := measure.WriteDot(io.Discard, leaves(many[:5], nil), moved(2)); err == nil {
		t.Error("a symmetry of another system is drawn")
	}
}
