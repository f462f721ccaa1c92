package benchmarks

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestPhilosophers compares states and steps of the philosophers with the figures of SPIN,
// and the representatives under the verified rotations with the number of orbits.
func TestPhilosophers(t *testing.T) {
	for n, want := range map[int][2]int64{2: {17, 18}, 3: {75, 123}, 4: {321, 708}, 5: {1363, 3765}} {
		p, err := promela.ReadFile("promela/philosophers.pml", promela.Options{Defines: map[string]string{"N": fmt.Sprint(n)}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true})
		if err != nil || !r.Complete {
			t.Fatal(err, r.Reason)
		}
		got := p.Counts(r.States, r.FiredBy, r.Deadlocks)
		if want := (prog.Counts{States: want[0], Transitions: want[1] + 1, Errors: 1}); got != want {
			t.Errorf("N=%d: got %v, want %v", n, got, want)
		}
	}
	for n, want := range map[int]int64{3: 27, 8: 13006} {
		if got := programRun(t, "promela/philosophers.pml", "explicit", "auto", n, 0); got.Stats.States != want {
			t.Errorf("N=%d: %d representatives, want %d", n, got.Stats.States, want)
		}
	}
}

// programRun decides a program with one engine, in at most k steps if k is positive.
func programRun(t *testing.T, file, engine, sym string, n, k int) *mc.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	opt := task.Options{Symmetry: sym}
	if n > 0 {
		opt.Defines = []string{fmt.Sprintf("N=%d", n)}
	}
	tk, err := task.Open(ctx, file, opt)
	if err != nil {
		t.Fatal(err)
	}
	engines, err := portfolio.Engines(tk, engine)
	if err != nil {
		t.Fatal(err)
	}
	var how portfolio.Options
	how.All, how.MaxDepth, how.Bounded = true, k, k > 0
	out, err := portfolio.Run(ctx, tk, engines, how)
	if err != nil {
		t.Fatal(err)
	}
	return out.Result
}

// TestPrograms decides our programs with several engines, with and without symmetry. The
// verdicts must agree, and so must the depths of bounded and of explicit search.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("promela/*.pml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		n := 2
		if strings.Contains(file, "readers_writers") { // these have R and W
			n = 0
		}
		compareEngines(t, file, n, 8)
	}
}

// TestHeapPrograms decides programs with references with several engines, with and without symmetry.
func TestHeapPrograms(t *testing.T) {
	for file, want := range map[string]mc.Status{"promela/heap/stack.pml": mc.Safe, "promela/heap/stack_bug.pml": mc.Unsafe, "promela/heap/garbage.pml": mc.Safe,
		"promela/heap/buffer.pml": mc.Safe, "promela/heap/buffer_bug.pml": mc.Unsafe} {
		if !strings.Contains(file, "buffer") || nightly.On() {
			compareEngines(t, file, 0, 6)
		}
		r := programRun(t, file, "explicit", "auto", 0, 0)
		if r.Verdict() != want {
			t.Errorf("%s is %v, want %v", file, r.Verdict(), want)
		}
	}
}

// compareEngines decides a program with several engines. Bounded search takes at most k steps.
func compareEngines(t *testing.T, file string, n, k int) {
	t.Helper()
	truth := programRun(t, file, "explicit", "off", n, 0)
	for _, c := range []struct {
		engine, sym string
		k           int
	}{{"explicit", "auto", 0}, {"pdr", "auto", 0}, {"bmc", "auto", k}, {"bmc", "off", k}} {
		r := programRun(t, file, c.engine, c.sym, n, c.k)
		for i, pr := range r.Props {
			want := truth.Props[i]
			switch {
			case want.Status == mc.Unknown:
				t.Errorf("%s: property %d is undecided by explicit search", file, i)
			case c.engine == "bmc" && (want.Status == mc.Safe || want.Depth > c.k):
				if pr.Status == mc.Unsafe {
					t.Errorf("%s, %v: property %d is violated, and explicit search says %v", file, c, i, want.Status)
				}
			case pr.Status != want.Status || c.engine != "pdr" && pr.Status == mc.Unsafe && pr.Depth != want.Depth:
				t.Errorf("%s, %v: property %d: %v at depth %d; explicit search says %v at %d", file, c, i, pr.Status, pr.Depth, want.Status, want.Depth)
			}
		}
	}
}

// TestRandomPrograms decides random programs of few states with several engines.
func TestRandomPrograms(t *testing.T) {
	n := 6
	if nightly.On() {
		n = 300
	}
	violated, compared := 0, 0
	for seed := uint64(1); compared < n; seed++ {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("random%d.pml", seed))
		src := promelatest.Random(rand.New(rand.NewPCG(seed, 5)))
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := promela.ReadFile(file, promela.Options{})
		if err != nil || len(p.Model.Rules) > 100 {
			continue
		}
		r, err := explicit.Run(t.Context(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1, MemLimit: 1 << 20})
		if err != nil || !r.Complete || r.States > 2000 {
			continue
		}
		depth := 0
		for _, v := range r.Violations {
			depth = max(depth, v.Depth)
		}
		if depth > 12 {
			continue
		}
		compared++
		violated += len(r.Violations)
		if compareEngines(t, file, 0, max(depth, 4)); t.Failed() {
			t.Fatal(src)
		}
	}
	t.Logf("%d programs compared, %d violations", compared, violated)
	if violated < n/3 {
		t.Errorf("only %d violations", violated)
	}
}

// TestProgramOrbits compares the representatives under the verified group with the orbits of all
// states. The group is written here by hand: permutations of some process numbers, which
// move the rows of arrays, and change the values of variables that hold such numbers.
func TestProgramOrbits(t *testing.T) {
	pids := func(from, n int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = from + i
		}
		return all
	}
	for _, c := range []struct {
		file    string
		n       int
		ring    bool
		blocks  [][]int  // process numbers that are interchangeable, or a ring
		indexed []string // arrays with a row for each process
		values  string   // leaves that hold process numbers
		order   int64
	}{
		{"philosophers.pml", 5, true, [][]int{pids(0, 5)}, []string{"fork", "philosopher"}, `^$`, 5},
		{"leader_ring.pml", 3, true, [][]int{pids(0, 3)}, []string{"link", "node"}, `^$`, 3},
		{"email.pml", 3, false, [][]int{pids(1, 3)}, []string{"box", "client"}, `\.(from|to|f0)$`, 6},
		{"peterson.pml", 3, false, [][]int{pids(1, 3)}, []string{"process"}, `^last`, 6},
		{"workers.pml", 4, false, [][]int{pids(2, 3)}, []string{"worker"}, `^$`, 6},
		{"readers_writers.pml", 0, false, [][]int{pids(0, 2), pids(2, 2)}, []string{"reader", "writer"}, `^$`, 4},
	} {
		opt := promela.Options{Reset: true}
		if c.n > 0 {
			opt.Defines = map[string]string{"N": fmt.Sprint(c.n)}
		}
		p, err := promela.ReadFile("promela/"+c.file, opt)
		if err != nil {
			t.Fatal(err)
		}
		leaves := p.Model.AllLeaves()
		place := map[string]int{}
		for i, l := range leaves {
			place[l.Name] = i
		}
		holds, row := regexp.MustCompile(c.values), regexp.MustCompile(`^(`+strings.Join(c.indexed, "|")+`)\[(\d+)\]`)
		// image returns where a leaf goes, and what its values become.
		image := func(i int, pi map[int64]int64) (to int, values map[int64]int64) {
			name := leaves[i].Name
			if to = i; holds.MatchString(name) {
				values = pi
			}
			if m := row.FindStringSubmatch(name); m != nil {
				k, _ := strconv.ParseInt(m[2], 10, 64)
				if w, ok := pi[k]; ok {
					to = place[fmt.Sprintf("%s[%d]%s", m[1], w, name[len(m[0]):])]
				}
			}
			return to, values
		}
		group := []map[int64]int64{{}}
		for _, b := range c.blocks {
			var next []map[int64]int64
			for _, pi := range group {
				permutations(len(b), c.ring, func(q []int) {
					own := maps.Clone(pi)
					for i, k := range q {
						own[int64(b[i])] = int64(b[k])
					}
					next = append(next, own)
				})
			}
			group = next
		}
		if int64(len(group)) != c.order {
			t.Fatalf("%s: the group has %d elements", c.file, len(group))
		}
		type move struct {
			to     int
			values map[int64]int64
		}
		moves := make([][]move, len(group))
		for k, pi := range group {
			for i := range leaves {
				to, values := image(i, pi)
				moves[k] = append(moves[k], move{to, values})
			}
		}
		orbits := map[string]bool{}
		states := 0
		m := model.Compile(p.Model).NewMachine()
		seen := map[string]bool{}
		var queue []model.State
		key := func(s model.State) string { // values are less than 255
			b := make([]byte, len(s))
			for i, v := range s {
				if b[i] = byte(v); v == model.Undef {
					b[i] = 255
				}
			}
			return string(b)
		}
		out := make(model.State, len(leaves))
		add := func(s model.State) {
			if seen[key(s)] {
				return
			}
			seen[key(s)] = true
			queue = append(queue, slices.Clone(s))
			least := key(s)
			for _, pi := range moves {
				for i, v := range s {
					if w, ok := pi[i].values[v]; ok {
						v = w
					}
					out[pi[i].to] = v
				}
				least = min(least, key(out))
			}
			orbits[least] = true
		}
		s, _ := m.Start(model.Choice{})
		for add(s); states < len(queue); states++ {
			m.Successors(queue[states], func(_ model.Choice, next model.State, _ *model.Violation) bool {
				if next != nil {
					add(next)
				}
				return true
			})
		}
		got := programRun(t, "promela/"+c.file, "explicit", "auto", c.n, 0)
		if got.Stats.States != int64(len(orbits)) || len(orbits) == states {
			t.Errorf("%s: %d states, %d orbits; %d representatives", c.file, states, len(orbits), got.Stats.States)
		}
		t.Logf("%s: %d states, %d orbits", c.file, states, len(orbits))
	}
}

// permutations calls f for all permutations of n numbers, or only for the rotations.
func permutations(n int, ring bool, f func([]int)) {
	p := make([]int, n)
	if ring {
		for by := range n {
			for i := range p {
				p[i] = (i + by) % n
			}
			f(p)
		}
		return
	}
	var place func(k int)
	used := make([]bool, n)
	place = func(k int) {
		if k == n {
			f(p)
			return
		}
		for v := range n {
			if !used[v] {
				used[v], p[k] = true, v
				place(k + 1)
				used[v] = false
			}
		}
	}
	place(0)
}

// TestProgramGroups gives the orders of the verified groups of our programs.
func TestProgramGroups(t *testing.T) {
	for _, c := range []struct {
		file, define string
		order        string
	}{
		{"email.pml", "N=5", "120"}, {"mail_handed.pml", "N=5", "120"}, {"peterson.pml", "N=5", "120"}, {"philosophers.pml", "N=6", "6"}, {"leader_ring.pml", "N=5", "5"},
		{"leader.pml", "N=3", "1"}, {"workers.pml", "N=5", "24"}, {"readers_writers.pml", "R=3", "12"},
	} {
		tk, err := task.Open(context.Background(), "promela/"+c.file, task.Options{Defines: []string{c.define}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tk.Prepare(context.Background(), true); err != nil {
			t.Fatal(err)
		}
		order := "1"
		if tk.Report != nil {
			order = tk.Report.System.Order().String()
		}
		if order != c.order {
			t.Errorf("%s, %s: order %s, want %s", c.file, c.define, order, c.order)
		}
	}
}
