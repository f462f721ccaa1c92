package btor2

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newSolver() sat.Solver { return cdcl.New() }

// decide has an engine decide a bad, refining the file. It returns the file with its addresses.
func decide(t *testing.T, f *File, e mc.Engine, bad int, opt mc.Options) (*mc.PropResult, *File) {
	t.Helper()
	for {
		var next *File
		p := problem(f, bad)
		p.Real = func(prop int, path *ts.Trace) (err error) {
			if next, err = f.Refined(context.Background(), path, prop); err == nil && next != nil {
				err = mc.ErrSpurious
			}
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		r, err := e.Run(ctx, p, opt)
		cancel()
		if next != nil {
			f = next
			continue
		}
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		pr := &r.Props[0]
		if pr.Status == mc.Unsafe {
			if frame, err := f.Run(f.Stimulus(pr.Path)).Shows(bad); err != nil || frame != pr.Depth {
				t.Fatalf("a violation at depth %d is none of the words: %d, %v", pr.Depth, frame, err)
			}
		}
		return pr, f
	}
}

// TestLarge: files whose arrays have cells only have the same shortest violations as with latches for all
// elements, and the same verdicts by pdr.
func TestLarge(t *testing.T) {
	files := 40
	if nightly.On() {
		files = 1500
	}
	const depth = 4
	violated, proved, open, addresses, abstract := 0, 0, 0, 0, 0
	for seed := range files {
		text := arrayFile(rand.New(rand.NewPCG(uint64(seed), 9)))
		small := readText(t, text)
		large, err := ReadLarge(context.Background(), []byte(text), "x.btor2", 0)
		if err != nil {
			if strings.Contains(err.Error(), "the first value of a state depends on this") {
				continue
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if err := tstest.Check(large.Sys); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if large.Abstract() {
			abstract++
		}
		if large.Abstract() && seed%2 == 0 {
			large = someAddresses(t, large, rand.New(rand.NewPCG(uint64(seed), 10)))
		}
		for bad := range small.bads {
			opt := mc.Options{Bounded: true, MaxDepth: depth}
			want, _ := decide(t, small, &bmc.Checker{NewSolver: newSolver}, bad, opt)
			got, f := decide(t, large, &bmc.Checker{NewSolver: newSolver}, bad, opt)
			if got.Status != want.Status || got.Depth != want.Depth {
				t.Fatalf("seed %d, bad %d: bmc: %v at %d, want %v at %d\n%s", seed, bad, got.Status, got.Depth, want.Status, want.Depth, text)
			}
			if got.Status == mc.Unsafe {
				violated++
			}
			if f.memory != nil {
				addresses += f.Addresses()
			}
			want, _ = decide(t, small, &pdr.Engine{NewSolver: newSolver}, bad, mc.Options{})
			got, f = decide(t, large, &pdr.Engine{NewSolver: newSolver}, bad, mc.Options{})
			switch {
			case got.Status == mc.Unknown:
				open++
				t.Logf("seed %d, bad %d: pdr: open with %d addresses, want %v: %+v", seed, bad, f.Addresses(), want.Status, f.memory.addresses)
			case got.Status != want.Status:
				t.Fatalf("seed %d, bad %d: pdr: %v, want %v\n%s", seed, bad, got.Status, want.Status, text)
			case got.Status == mc.Safe:
				proved++
			}
		}
	}
	t.Logf("%d files with large arrays, %d violations, %d proofs, %d open, %d addresses", abstract, violated, proved, open, addresses)
	if abstract < files/4 || violated < files/4 || proved < files/8 || addresses < files || open > files/20 {
		t.Error("too few")
	}
}

// someAddresses returns the file with a few addresses, of which nobody knows whether they are of use.
func someAddresses(t *testing.T, f *File, rng *rand.Rand) *File {
	t.Helper()
	m := &memory{}
	for i := range f.nodes {
		if _, reads := f.memory.any[i]; reads && rng.IntN(3) == 0 {
			n := &f.nodes[i]
			a := address{part: f.memory.part[n.args[0].node], line: n.args[1], delay: rng.IntN(4)}
			if rng.IntN(4) == 0 {
				a = address{part: a.part, value: big.NewInt(rng.Int64N(4))}
			}
			if !slices.ContainsFunc(m.addresses, a.equal) {
				m.addresses = append(m.addresses, a)
			}
		}
	}
	g, err := f.with(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLargeDoubles: what is read where there is no cell is any value, and an address is that of a line in one
// frame only. A system where it is 0, or where the address is asked for in each frame, misses a violation.
func TestLargeDoubles(t *testing.T) {
	const text = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort array 2 1\n4 state 3 mem\n5 input 2 i\n6 read 1 4 5\n7 next 3 4 4\n" +
		"8 zero 1\n9 state 1 was\n10 init 1 9 8\n11 next 1 9 6\n12 and 1 9 -6\n13 bad 12\n"
	large, err := ReadLarge(context.Background(), []byte(text), "x.btor2", MaxArray)
	if err != nil {
		t.Fatal(err)
	}
	const read = 2 // its place among the lines with values: mem, i, read
	depth := func(f *File) int {
		r, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), problem(f, 0), mc.Options{Bounded: true, MaxDepth: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Props[0].Status != mc.Unsafe {
			return -1
		}
		return r.Props[0].Depth
	}
	one, err := large.with(context.Background(), &memory{addresses: []address{{part: 0, line: large.nodes[read].args[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := depth(one); got != 1 {
		t.Fatalf("violated at depth %d, want 1", got)
	}
	first := one.memory.any[read]
	zero := *one.Sys
	zero.Constraints = append(zero.Constraints, zero.InputLit(first).Not())
	always := *one.Sys
	for k := range 32 {
		always.Constraints = append(always.Constraints, always.G.Equal(always.InputLit(one.place[1].input+k), always.LatchLit(k)))
	}
	for name, sys := range map[string]*ts.System{"elsewhere it is 0": &zero, "asked for in each frame": &always} {
		double := *one
		double.Sys = sys
		if got := depth(&double); got >= 0 {
			t.Errorf("%s: violated at depth %d", name, got)
		}
		if _, err := double.Sample(context.Background()); err == nil {
			t.Errorf("%s: the system has all runs of the file", name)
		}
	}
}

func problem(f *File, bad int) *mc.Problem {
	p := mc.NewNetlist(f.Sys, nil)
	p.Props, p.WellFormed = []int{bad}, true
	return p
}

// arrayFile writes a file in which memories are written, read, compared, chosen and copied.
func arrayFile(rng *rand.Rand) string {
	var b strings.Builder
	id := 0
	line := func(format string, args ...any) int {
		id++
		fmt.Fprintf(&b, "%d %s\n", id, fmt.Sprintf(format, args...))
		return id
	}
	one, index, element := sort{width: 1}, sort{width: 2 + rng.IntN(2)}, sort{width: 4 + rng.IntN(2)} // distinct
	memory := sort{index.width, element.width}
	number := map[sort]int{one: line("sort bitvec 1"), index: line("sort bitvec %d", index.width), element: line("sort bitvec %d", element.width)}
	number[memory] = line("sort array %d %d", number[index], number[element])
	values := make(map[sort][]int)
	add := func(s sort, format string, args ...any) int {
		x := line(format, append([]any{number[s]}, args...)...)
		values[s] = append(values[s], x)
		return x
	}
	pick := func(s sort) int {
		all := values[s]
		x := all[max(rng.IntN(len(all)), rng.IntN(len(all)))] // rather a late one
		if s.index == 0 && rng.IntN(6) == 0 {
			return -x
		}
		return x
	}
	zero := map[sort]int{index: line("zero %d", number[index]), element: line("zero %d", number[element])}
	var states []int
	of := make(map[int]sort)
	for _, s := range []sort{memory, memory, index, element, element} {
		x := add(s, "state %d")
		states, of[x] = append(states, x), s
	}
	for k, x := range states {
		switch s := of[x]; {
		case s != memory:
			if rng.IntN(5) > 0 {
				line("init %d %d %d", number[s], x, zero[s])
			}
		case rng.IntN(2) == 0:
			line("init %d %d %d", number[s], x, zero[element])
		case k == 1 && rng.IntN(2) == 0:
			line("init %d %d %d", number[s], x, states[0])
		}
	}
	for _, s := range []sort{one, one, index, index, element} {
		add(s, "input %d")
	}
	if rng.IntN(5) == 0 {
		add(memory, "input %d")
	}
	add(index, "constd %d 1")
	for range 5 + rng.IntN(10) {
		switch rng.IntN(9) {
		case 0, 1:
			add(element, "read %d %d %d", pick(memory), pick(index))
		case 2, 3:
			add(memory, "write %d %d %d %d", pick(memory), pick(index), pick(element))
		case 4:
			add(memory, "ite %d %d %d %d", pick(one), pick(memory), pick(memory))
		case 5:
			add(one, "%[2]s %[1]d %[3]d %[4]d", []string{"eq", "neq"}[rng.IntN(2)], pick(memory), pick(memory))
		case 6:
			add(index, "add %d %d %d", pick(index), pick(index))
		case 7:
			add(element, "ite %d %d %d %d", pick(one), pick(element), pick(element))
		case 8:
			add(one, "%[2]s %[1]d %[3]d %[4]d", []string{"eq", "ult"}[rng.IntN(2)], pick(element), pick(element))
		}
	}
	for _, x := range states {
		if rng.IntN(6) > 0 {
			line("next %d %d %d", number[of[x]], x, pick(of[x]))
		}
	}
	for range 2 {
		x := line("read %d %d %d", number[element], pick(memory), pick(index))
		y := pick(element)
		z := line("%s %d %d %d", []string{"eq", "ugt"}[rng.IntN(2)], number[one], x, y)
		line("bad %d", line("and %d %d %d", number[one], z, pick(one)))
	}
	if rng.IntN(3) == 0 {
		line("constraint %d", pick(one))
	}
	return b.String()
}
