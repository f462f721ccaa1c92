// Package netlists writes two of the benchmark models as a hardware designer would:
// every choice and every variable in binary, nothing one-hot, no definedness, no
// errors but the invariant. Model checkers of circuits are compared with orbitmc on
// these, and on what orbitmc exports, so that its encoding is not their handicap.
// The .aig files in this folder are made by
//
//	go test ./benchmarks/netlists -update
package netlists

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

var update = flag.Bool("update", false, "write the .aig files")

// exported returns the system that orbitmc makes of a model, with the bads of one
// property only.
func exported(t *testing.T, file, size string, n int, prop string) *ts.System {
	t.Helper()
	src, err := os.ReadFile("../murphi/" + file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse(file, src, murphi.Options{Consts: map[string]string{size: fmt.Sprint(n)}})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	sys := *enc.Sys
	sys.Bads = slices.DeleteFunc(slices.Clone(sys.Bads), func(b ts.Bad) bool { return m.Props[b.Prop].Name != prop })
	return &sys
}

// TestFiles: the files are what the generators make, and each is violated where
// the model it stands for is, if it is. (An error inside a step is seen one frame
// earlier, a state that the error would have led to one later.)
func TestFiles(t *testing.T) {
	type netlist struct {
		name  string
		sys   *ts.System
		depth int // -1: safe
	}
	for _, n := range []int{4, 8, 16} {
		all := []netlist{{"german_tight_safe", German(n, false), -1}, {"semaphore_tight_safe", Semaphore(n, false), -1}}
		if depth := map[int]int{4: 8, 8: 12}[n]; depth > 0 {
			all = append(all, []netlist{
				{"german_tight", German(n, true), 15},
				{"german_export", exported(t, "german_bug2.m", "NODE_NUM", n, "CtrlProp"), 15},
				{"semaphore_tight", Semaphore(n, true), depth},
				{"semaphore_export", exported(t, "sem_counter_bug.m", "N", n, "AtMostK"), depth - 1},
			}...)
		}
		for _, c := range all {
			file := fmt.Sprintf("%s_%d.aig", c.name, n)
			if err := tstest.Check(c.sys); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := aiger.Write(&b, aiger.FromSystem(c.sys), true); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			have, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(have, b.Bytes()) {
				t.Errorf("%s is not what the generator makes; run go test ./benchmarks/netlists -update", file)
			}
			if n > 4 {
				continue
			}
			f, err := aiger.Read(bytes.NewReader(have), file)
			if err != nil {
				t.Fatal(err)
			}
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: f.Sys}, Props: []int{0}}
			var e mc.Engine = &bmc.Checker{NewSolver: func() sat.Solver { return gini.New() }}
			opt, want := mc.Options{MaxDepth: c.depth}, mc.Unsafe
			if c.depth < 0 {
				e, opt, want = &pdr.Engine{NewSolver: func() sat.Solver { return cdcl.New() }}, mc.Options{}, mc.Safe
			}
			r, err := e.Run(context.Background(), p, opt)
			if err == nil {
				err = certify.Verify(context.Background(), p, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			if pr := r.Props[0]; pr.Status != want || want == mc.Unsafe && pr.Depth != c.depth {
				t.Errorf("%s: %v at depth %d, want %d", file, pr.Status, pr.Depth, c.depth)
			}
		}
	}
}
