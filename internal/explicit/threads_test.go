package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// told keeps all that a search tells of its steps, as text.
type told struct{ text strings.Builder }

func (t *told) Expanded(view evidence.View, s *evidence.Steps) (spare *evidence.Steps) {
	fmt.Fprintln(&t.text, s.First, s.Ends, s.Targets, s.Perms)
	for _, i := range s.Targets {
		fmt.Fprintf(&t.text, "%x ", view.Member(int64(i)))
	}
	return s
}

func (t *told) Close() {}

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
		traces.Write(&b, p.Model, f.Trace, traces.Plain)
	}
	if r.Visited != nil {
		for i := range r.Visited.Len() {
			fmt.Fprintf(&b, "%x ", r.Visited.Member(i))
			for prop, l := range r.Layers {
				if len(p.Model.Props[prop].Params) == 1 {
					fmt.Fprint(&b, l.Layer(0, i, []int64{p.Model.Props[prop].Params[0].Domain.Values()[1]}))
				}
			}
		}
	}
	r.Violations, r.Covered, r.Visited, r.Layers = nil, nil, nil, nil
	r.Memory = 0
	fmt.Fprintf(&b, "%+v\n", r)
	return b.String()
}

// holder is a watch that, when it is first told of steps, keeps all cores for a while.
type holder struct {
	cores *mc.Cores
	n     int
	told  atomic.Int32
	held  int32 // how often it was told meanwhile
	done  chan struct{}
}

func (h *holder) Expanded(evidence.View, *evidence.Steps) (spare *evidence.Steps) {
	if h.told.Add(1) > 1 {
		return nil
	}
	for range h.n {
		h.cores.Take(context.Background(), false)
	}
	go func() {
		defer close(h.done)
		before := h.told.Load()
		time.Sleep(50 * time.Millisecond)
		h.held = h.told.Load() - before
		for range h.n {
			h.cores.Give()
		}
	}()
	return nil
}

func (h *holder) Close() {}

// TestCores: the search and its watch run on as many cores as there are threads: while the
// watch has them all, the search stands still.
func TestCores(t *testing.T) {
	m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", "german.m"), murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	for threads := 1; threads <= 3; threads++ {
		h := &holder{n: threads, done: make(chan struct{})}
		r, err := (&explicit.Engine{Threads: threads}).Run(context.Background(), p, mc.Options{Watch: func(_ context.Context, _ *mc.Problem, cores *mc.Cores) evidence.Watch {
			h.cores = cores
			return h
		}})
		if err != nil || r.Verdict() != mc.Safe {
			t.Fatalf("%v, %v", r.Verdict(), err)
		}
		<-h.done
		if h.held > 0 || h.told.Load() < 10 {
			t.Errorf("%d threads: the watch is told of %d blocks, %d while it has all cores", threads, h.told.Load(), h.held)
		}
	}
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
		m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", file), murphi.Options{Consts: consts})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Compile(m)
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			same(file, p, explicit.Options{Canon: canon, Blocks: all(m)}, 64)
		}
	}
}
