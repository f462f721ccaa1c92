package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/explicit"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// told keeps all that a search tells of its steps, as text.
type told struct{ text strings.Builder }

func (w *told) Expanded(view evidence.View, s *evidence.Steps) (spare *evidence.Steps) {
	fmt.Fprintln(&w.text, s.First, s.Ends, s.Targets, s.Perms)
	for _, i := range s.Targets {
		fmt.Fprintf(&w.text, "%x ", view.Member(int64(i)))
	}
	return s
}

func (w *told) Close() {}

// outcome writes down everything that a search returns and tells.
func outcome(p *model.Program, opt explicit.Options, span int) string {
	w := &told{}
	opt.Watch = w
	r, err := explicit.RunChunks(context.Background(), p, opt, span)
	if err != nil {
		return err.Error()
	}
	return written(p, r) + w.text.String()
}

// written is a result as text, but for its memory.
func written(p *model.Program, r *explicit.Result) string {
	var b strings.Builder
	for _, f := range append(r.Violations, r.Covered...) {
		fmt.Fprintf(&b, "%s at %d: %+v\n", p.Model.Props[f.Prop].Name, f.Depth, f.Trace.Violation)
		model.WriteTrace(&b, p.Model, f.Trace, model.Plain)
	}
	if r.Visited != nil {
		for i := range r.Visited.Len() {
			fmt.Fprintf(&b, "%x ", r.Visited.Member(i))
			for prop, l := range r.Layers {
				if len(p.Model.Props[prop].Params) == 1 {
					fmt.Fprint(&b, l.Layer(i, []int64{p.Model.Props[prop].Params[0].Domain.Values()[1]}))
				}
			}
		}
	}
	r.Violations, r.Covered, r.Visited, r.Layers = nil, nil, nil, nil
	r.Memory = 0
	fmt.Fprintf(&b, "%+v\n", r)
	return b.String()
}

// TestThreads: the result and all that is told on the way are the same for any number of
// threads.
func TestThreads(t *testing.T) {
	ends := []string{"Reason:out of memory", "Reason:violation found", "Complete:true", "deadlock at", "each at"}
	reasons := make(map[string]int)
	same := func(name string, p *model.Program, opt explicit.Options, span int) {
		t.Helper()
		opt.Threads = 1
		want := outcome(p, opt, span)
		for _, reason := range ends {
			if strings.Contains(want, reason) {
				reasons[reason]++
			}
		}
		for _, n := range []int{2, 4} {
			opt.Threads = n
			if got := outcome(p, opt, span); got != want {
				t.Fatalf("%s, %v: %d threads find\n%.3000s\none finds\n%.3000s", name, opt.Canon, n, got, want)
			}
		}
	}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 21))
		src := randomModel(r)
		if r.IntN(3) == 0 {
			src += "ruleset p: P do liveness \"each\" a[p] = 1; end;\n"
		}
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			same(fmt.Sprintf("seed %d\n%s", seed, src), p, explicit.Options{Canon: canon, Blocks: all(p.Model), All: r.IntN(2) == 0}, 1+r.IntN(20))
		}
	}
	// Out of memory at any place: in a chunk, where the states grow, where the table does.
	p := parse(t, counter, murphi.Options{})
	full, err := explicit.Run(context.Background(), p, explicit.Options{Props: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	for part := range int64(8) {
		same("counter", p, explicit.Options{Props: []int{2}, MemLimit: full.Memory * (part + 1) / 9}, 8)
	}
	for _, reason := range ends {
		if reasons[reason] < 2 {
			t.Errorf("%d searches with %q only", reasons[reason], reason)
		}
	}
	if testing.Short() {
		return
	}
	files := map[string]map[string]string{"german_bug2.m": {"NODE_NUM": "3"}, "flash.m": {"NODE_NUM": "2"}, "msi_net.m": nil}
	for file, consts := range files {
		m, err := murphi.ReadFile(filepath.Join("..", "benchmarks", "murphi", file), murphi.Options{Consts: consts})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Compile(m)
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			same(file, p, explicit.Options{Canon: canon, Blocks: all(m)}, 64)
		}
	}
}
