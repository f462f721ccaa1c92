package portfolio

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/every/param"
	"orbitmc/internal/pace"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// TestEveryFixed: a constant that is set has that value at every size, and one that has the value of
// an open constant is no fixed one. With one slot and four processes the model is violated.
func TestEveryFixed(t *testing.T) {
	const src = `const N: 3; M: N;
type P: scalarset(N); Q: scalarset(M);
var on: array [P] of boolean; slot: array [Q] of boolean; bad: boolean;
startstate begin for p: P do on[p] := false; end; for q: Q do slot[q] := false; end; bad := false; end;
ruleset p: P do rule "turn" true ==> begin on[p] := !on[p]; end; end;
ruleset q: Q do rule "slot" true ==> begin slot[q] := !slot[q]; end; end;
rule "four" (forall a: Q do forall b: Q do a = b end end) & exists a: P do exists b: P do exists c: P do exists d: P do
  a != b & a != c & a != d & b != c & b != d & c != d & on[a] & on[b] & on[c] & on[d] end end end end ==> begin bad := true; end;
invariant "ok" !bad;
`
	file := filepath.Join(t.TempDir(), "slots.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		defines  []string
		only     []string
		violated bool
		fixed    []string
	}{
		{[]string{"M=1"}, nil, true, []string{"M=1"}},
		{[]string{"M=2"}, nil, false, []string{"M=2"}},
		{nil, []string{"N"}, false, nil},
		{nil, nil, false, nil},
	} {
		e := &Every{File: file, Only: c.only, Most: 4}
		e.Task.Defines = c.defines
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if e.Violated != c.violated || (e.Proved == nil) != c.violated || !slices.Equal(e.Fixed, c.fixed) {
			t.Errorf("%v %s: violated %v, proved %v, fixed %v", c.defines, c.only, e.Violated, e.Proved != nil, e.Fixed)
		}
	}
	if err := (&Every{File: file, Least: map[string]int{"Z": 3}}).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no constant Z") {
		t.Errorf("a constant that is not there: %v", err)
	}
}

// TestEveryRanges: a constant that is the bound of a range is named in the claim, and where there is no model at the
// least size the error says how to begin at a larger one.
func TestEveryRanges(t *testing.T) {
	const src = `const N: 5; K: 2; L: N-3; H: N/4;
type P: scalarset(N);
var a: array [P] of 0..K; t: 1..L; h: 0..H;
startstate for j: P do a[j] := 0; end; t := 1; h := 0; end;
ruleset i: P do rule "up" true ==> if a[i] < K then a[i] := a[i] + 1; else a[i] := 0; end; end; end;
`
	file := filepath.Join(t.TempDir(), "ranges.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	err := (&Every{File: file, Most: 4}).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "the range 1..-1 is empty") || !strings.Contains(err.Error(), "-D N=3..") {
		t.Errorf("an empty range: %v", err)
	}
	e := &Every{File: file, Least: map[string]int{"N": 4}, Most: 6}
	if err := e.Run(context.Background()); err != nil || e.Proved == nil || e.Claim() != "every N ≥ 4, with K=2" {
		t.Errorf("%v, %q, %s", err, e.Claim(), e.Obstacle())
	}
}

// TestEveryDerived: a constant that is made from another one is not left open beside it. The model is violated only where
// they differ.
func TestEveryDerived(t *testing.T) {
	const src = `const N: 3; M: N;
type P: scalarset(M);
var a: array [P] of boolean; t: boolean; k: 0..N;
startstate begin t := false; k := 0; for p: P do a[p] := false; end; end;
rule "turn" true ==> begin t := !t; end;
ruleset p: P do rule "in" !a[p] ==> begin a[p] := true; k := k + 1; end; end;
`
	file := filepath.Join(t.TempDir(), "m.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file, Most: 4}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if e.Proved == nil || e.Claim() != "every N ≥ 2" {
		t.Errorf("proved %v for %q, violated %v", e.Proved != nil, e.Claim(), e.Violated)
	}
}

// TestEveryRefused: a constant that cannot be left open does not close the others, and is fixed. Where
// none can be, some sizes are decided, and the first that is violated is found.
func TestEveryRefused(t *testing.T) {
	const src = `const N: 3; M: 3;
type P: scalarset(N); Q: scalarset(M);
var on: array [P] of boolean; last: Q; bad: boolean;
startstate begin for p: P do on[p] := false; end; for q: Q do last := q; end; bad := false; end;
ruleset p: P do rule "turn" true ==> begin on[p] := !on[p]; end; end;
rule "last" true ==> begin for q: Q do last := q; end; end;
invariant "ok" !bad;
`
	for _, c := range []struct {
		src   string
		only  []string
		claim string
		sizes int
		bad   bool
	}{
		{src, nil, "every N ≥ 2, with M=3", 0, false},
		{src, []string{"M"}, "", 3, false},
		{strings.Replace(src, "bad := false; end;\n", "bad := false; end;\nrule \"four\" M = 4 ==> begin bad := true; end;\n", 1), []string{"M"}, "", 3, true},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(c.src), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Only: c.only, Most: 4}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if e.Violated != c.bad || len(e.Refused) != 1 || (e.Proved != nil) != (c.claim != "") || c.claim != "" && e.Claim() != c.claim || c.claim == "" && len(e.Sizes) != c.sizes {
			t.Errorf("%s\nviolated %v, refused %v, proved %v for %s, %d sizes", c.src, e.Violated, e.Refused, e.Proved != nil, e.Claim(), len(e.Sizes))
		}
	}
}

// TestEveryCapacity: the size of a multiset, or of an array that is computed with, is no number of components.
func TestEveryCapacity(t *testing.T) {
	const bag = `const N: 3; SIZE: 4;
type P: scalarset(N); M: enum { req };
var net: multiset [SIZE] of M; sent: array [P] of boolean;
startstate for p: P do sent[p] := false; end; end;
ruleset p: P do
  rule "send" !sent[p] & multisetcount(i: net, true) < SIZE ==> sent[p] := true; multisetadd(req, net); end;
end;
invariant "one" multisetcount(i: net, true) < 1;
`
	const buffer = `const SIZE: 4;
type I: 1..SIZE;
var buf: array [I] of boolean; len: 0..SIZE;
startstate len := 0; for i: I do buf[i] := false; end; end;
rule "put" len < SIZE ==> len := len + 1; buf[len] := true; end;
invariant "fits" len <= SIZE;
`
	for _, c := range []struct {
		src  string
		only []string
		says string // why nothing is left open
		bad  string // the size that is violated
	}{
		{bag, nil, "", "N=2"},
		{bag, []string{"SIZE"}, "SIZE counts no components", ""},
		{buffer, nil, "SIZE counts no components", ""},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(c.src), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Only: c.only, Most: 4}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		bad := ""
		if e.Violated {
			bad = e.Sizes[len(e.Sizes)-1].Title()
		}
		if bad != c.bad || !strings.Contains(e.Obstacle(), c.says) {
			t.Errorf("%v: violated at %q, want %q; %q does not say %q", c.only, bad, c.bad, e.Obstacle(), c.says)
		}
	}
}

// TestPreparationLimited: what prepares a size counts for the limit, and ends with it.
func TestPreparationLimited(t *testing.T) {
	l, ctx, cancel := pace.NewLimit(t.Context(), 10_000, mc.ErrWork)
	defer cancel()
	s := &Sweep{File: "../../benchmarks/murphi/mesi_net.m", meter: l, large: true}
	if _, err := s.size(ctx, 3, "NODE_NUM=3"); err != nil {
		t.Fatal(err)
	}
	run := s.Sizes[0]
	if run.Result.Stopped != mc.WorkLimit || run.Task.Problem.Enc != nil {
		t.Errorf("stopped by %q, encoded %v; want %q before there is an encoding", run.Result.Stopped, run.Task.Problem.Enc != nil, mc.WorkLimit)
	}
}

// TestEveryLast: a start state that ends a loop with the last component keeps fewer permutations than the
// rules, and lemmas are about all components nevertheless.
func TestEveryLast(t *testing.T) {
	const src = `const N: 3; type P: scalarset(N); E: enum {A, B, C};
var st: array [P] of E; ptr: P;
startstate begin for p: P do st[p] := A; ptr := p; end; end;
ruleset p: P do rule "turn" st[p] = A ==> begin st[p] := B; end; end;
ruleset p: P do rule "back" st[p] = B ==> begin st[p] := A; assert st[ptr] != C; end; end;
`
	file := filepath.Join(t.TempDir(), "last.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file, Most: 3}
	if err := e.Run(context.Background()); err != nil || e.Proved == nil {
		t.Errorf("%v; %s", err, e.Obstacle())
	}
}

// TestBehind: a proof for every size behind one at some size is tried within a tenth of the work that
// was done, counted and not timed, and not without that. It changes nothing of the outcome.
func TestBehind(t *testing.T) {
	ctx := context.Background()
	x, err := task.Open(ctx, "../../benchmarks/murphi/mutex_sem.m", task.Options{Defines: []string{"N=4"}})
	if err != nil {
		t.Fatal(err)
	}
	engines, err := Engines(x, "explicit")
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(ctx, x, engines, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%+v", out.Result)
	for _, c := range []struct {
		fired  int64
		want   string
		stopOf string
	}{
		{out.Each[0].Stats.Transitions, "not tried", ""},
		{150_000, "not proved", "limit of work"},
		{10_000_000, "proved", ""},
	} {
		out.Each[0].Stats.Transitions = c.fired
		got, stopped, left := "", "", int64(0)
		for range 2 {
			e, err := Behind(ctx, x, out)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case e == nil:
				got = "not tried"
				continue
			case e.Proved == nil:
				got = "not proved"
			default:
				got = "proved"
				if claim := e.Claim(); claim != "every N ≥ 2" {
					t.Errorf("claim: %s", claim)
				}
			}
			if left != 0 && left != e.meter.Left() {
				t.Errorf("%d firings: %d steps left, and then %d", c.fired, left, e.meter.Left())
			}
			stopped, left = e.Stopped, e.meter.Left()
		}
		if got != c.want || !strings.HasPrefix(stopped, c.stopOf) {
			t.Errorf("%d firings: %s, stopped by %q, want %s", c.fired, got, stopped, c.want)
		}
	}
	out.Each[0].Stats = out.Result.Stats
	if after := fmt.Sprintf("%+v", out.Result); after != before {
		t.Errorf("the outcome was\n%s\nand is\n%s", before, after)
	}
}

// TestEveryWritten: the file that Write writes is proved by itself: the check needs no other lemmas, and no
// search. Without the lemmas it fails where they were needed.
func TestEveryWritten(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"mutex_sem.m", "mesi_snoop.m", "readers_writers.m", "sem_counter.m", "readers_count.m"} {
		e := &Every{File: "../../benchmarks/murphi/" + name, Most: 4}
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if e.Proved == nil {
			t.Fatalf("%s is not proved: %s", name, e.Obstacle())
		}
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := e.Write(w, ""); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		for _, c := range []struct {
			src []byte
			ok  bool
		}{{b.Bytes(), true}, {e.source, name == "readers_writers.m"}} {
			m, err := e.parse(c.src, e.Free, nil)
			if err != nil {
				t.Fatal(err)
			}
			how, err := certify.Every(ctx, &evidence.Every{Model: m, Least: e.Leasts()}, func(int64) {})
			if (err == nil) != c.ok {
				t.Errorf("%s, %d bytes: %s, %v", name, len(c.src), how, err)
			}
		}
	}
}

// TestEveryNamed: components that have names at each size. One more process may be inside than the model
// without the named one allows; that is seen at the size where there are enough others.
func TestEveryNamed(t *testing.T) {
	const src = `const N: 3;
type P: 1..N;
var in: array [P] of boolean; bad: boolean;
startstate begin for p: P do in[p] := false; end; bad := false; end;
ruleset p: P do rule "turn" true ==> begin in[p] := !in[p]; end; end;
rule "full" in[1] & in[N] & exists a: P do exists b: P do a != b & a != 1 & b != 1 & a != N & b != N & in[a] & in[b] end end ==> begin bad := true; end;
invariant "ok" !bad;
`
	for _, c := range []struct {
		src      string
		violated int
	}{{src, 4}, {strings.Replace(src, "in[1] & in[N]", "in[1] & !in[1]", 1), 0}, {strings.ReplaceAll(strings.Replace(src, "1..N", "0..N-1", 1), "N]", "N-1]"), 0}} {
		text := c.src
		if strings.Contains(text, "0..N-1") {
			text = strings.NewReplacer("!= 1", "!= 0", "in[1]", "in[0]", "!= N", "!= N-1").Replace(text)
			c.violated = 4
		}
		file := filepath.Join(t.TempDir(), "named.m")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Most: 6}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		last := len(e.Sizes) - 1
		if e.Violated != (c.violated > 0) || (e.Proved == nil) != e.Violated || e.Violated && e.Sizes[last].N != c.violated {
			t.Errorf("violated %v at %s, proved %v, want %d: %s\n%s", e.Violated, e.Sizes[last].Title(), e.Proved != nil, c.violated, e.Obstacle(), text)
		}
	}
}

// TestEveryEquations: an equation may have several constants that are left open, or one several times;
// one that has nothing else is no lemma.
func TestEveryEquations(t *testing.T) {
	const src = `const N: 4; K: N / 2; L: N - K;
type P: scalarset(N);
var x: 0..N; y: 0..K; w: 0..N; ptr: P;
startstate begin x := N; y := K; w := 0; for p: P do ptr := undefined; end; end;
ruleset p: P do rule "name" true ==> begin ptr := p; end; end;
rule "take x" x > 0 & w < N ==> begin x := x - 1; w := w + 1; end;
rule "take y" y > 0 & w < N ==> begin y := y - 1; w := w + 1; end;
rule "give x" w > 0 & x < N ==> begin x := x + 1; w := w - 1; end;
rule "give y" w > 0 & y < K ==> begin y := y + 1; w := w - 1; end;
invariant "all" w > 0 | x = N;
`
	for _, c := range []struct {
		text   string
		proved bool
	}{
		{src, true},
		{strings.NewReplacer("0..K", "0..N", ":= K", ":= N", "< K", "< N").Replace(src), true},
		{strings.NewReplacer("ptr: P", "ptr: P; l: 0..L", "w := 0;", "w := 0; l := L;").Replace(src), false}, // N = K + L is not known
	} {
		file := filepath.Join(t.TempDir(), "sum.m")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Most: 4}
		if err := e.Run(context.Background()); err != nil || e.Violated || (e.Proved != nil) != c.proved {
			t.Errorf("%v %s\n%s", err, e.Obstacle(), c.text)
		}
	}
}

// pairs takes components in pairs, so that there are as many of both; no lemma says that.
const pairs = `const N: 3;
type P: scalarset(N);
var at: array [P] of enum { Idle, Left, Right }; busy: boolean;
startstate begin for p: P do at[p] := Idle; end; busy := false; end;
ruleset p: P; q: P do
  rule "pair" p != q & at[p] = Idle & at[q] = Idle ==> begin at[p] := Left; at[q] := Right; busy := true; end;
  rule "part" at[p] = Left & at[q] = Right ==> begin at[p] := Idle; at[q] := Idle; end;
end;
`

// TestEveryPartial: where only freedom from deadlock is left open, the other properties are proved for every size, and
// nothing is if one of them is left open as well.
func TestEveryPartial(t *testing.T) {
	for _, c := range []struct {
		property string
		partial  bool
	}{
		{`invariant "busy" (exists p: P do at[p] != Idle end) -> busy;`, true},
		{`invariant "one" forall p: P; q: P do at[p] = Left & at[q] = Left -> p = q end;`, false}, // until there are four
	} {
		file := filepath.Join(t.TempDir(), "pairs.m")
		if err := os.WriteFile(file, []byte(pairs+c.property), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Most: 3}
		if err := e.Run(context.Background()); err != nil || e.Violated || e.Proved != nil || (e.Partial != nil) != c.partial {
			t.Errorf("%s: %v, violated %v, proved %v, in part %v", c.property, err, e.Violated, e.Proved != nil, e.Partial != nil)
		}
		if want := "every N ≥ 2, but for freedom from deadlock"; c.partial && (e.Claim() != want || !strings.Contains(e.Obstacle(), "leave open deadlock")) {
			t.Errorf("%s; %s", e.Claim(), e.Obstacle())
		}
	}
}

// TestEveryData: MOESI with any number of nodes and data values, whose lemmas say of sets of values that
// no node has one of them.
func TestEveryData(t *testing.T) {
	if !nightly.On() {
		t.Skip("takes half a minute; ORBITMC_LONG is not set")
	}
	e := &Every{File: "../../benchmarks/murphi/moesi.m", Most: 3}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if e.Proved == nil || e.Claim() != "every NODE_NUM ≥ 2 and every DATA_NUM ≥ 2" {
		t.Errorf("proved for %s: %v; %s", e.Claim(), e.Proved != nil, e.Obstacle())
	}
}

// TestEveryInduct: induction at each size from the least to two beyond the cutoff proves what is
// proved for every size; and where a lemma is left out, some size shows an invariant that is lost.
func TestEveryInduct(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ file, constant string }{{"mutex_sem.m", "N"}, {"mesi_snoop.m", "NODE_NUM"}} {
		e := &Every{File: "../../benchmarks/murphi/" + c.file, Only: []string{c.constant}, Most: 4}
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if e.Proved == nil {
			t.Fatalf("%s is not proved: %s", c.file, e.Obstacle())
		}
		all, lost := e.Proved.Lemmas, 0
		for drop := -1; drop < len(all); drop++ {
			lemmas := slices.Clone(all)
			if drop >= 0 {
				lemmas = slices.Delete(lemmas, drop, drop+1)
			}
			src, _ := withLemmas(e.source, lemmas)
			m, err := e.parse(src, e.Free, nil)
			if err != nil {
				t.Fatal(err)
			}
			k, err := param.New(context.Background(), m, e.Leasts(), nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := k.Prove(ctx, e.Sizes[0].Task.NewSolver, func(int) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, src, 0o666); err != nil {
				t.Fatal(err)
			}
			inductive := true
			for n := leastSize; n <= slices.Max(o.Cutoff)+2; n++ {
				x, err := task.Open(ctx, file, task.Options{Defines: []string{fmt.Sprintf("%s=%d", c.constant, n)}})
				if err != nil {
					t.Fatal(err)
				}
				out, err := Run(ctx, x, []mc.Engine{&bmc.Inductor{NewSolver: x.NewSolver, MaxK: 1}}, Options{})
				if err != nil {
					t.Fatal(err)
				}
				safe := out.Result.Verdict() == mc.Safe
				if inductive = inductive && safe; o.Proved() && !safe {
					t.Errorf("%s without lemma %d: proved for every size, and not inductive at %d", c.file, drop, n)
				}
			}
			if !o.Proved() {
				lost++
				if inductive && o.Failed.Conjunct >= 0 {
					t.Errorf("%s without lemma %d: inductive at each size, and %s is left open", c.file, drop, k.Name(o.Failed))
				}
			}
		}
		if lost == 0 {
			t.Errorf("%s: none of %d lemmas is needed", c.file, len(all))
		}
		t.Logf("%s: %d of %d lemmas are needed", c.file, lost, len(all))
	}
}

// TestEverySMT: where some component is claimed for each, few sizes say nothing; an SMT solver does, and
// is named. Without the solver the model is not proved.
func TestEverySMT(t *testing.T) {
	const src = `const N: 3; type P: scalarset(N);
var on: array [P] of boolean; edge: array [P] of array [P] of boolean; bad: boolean;
startstate begin for p: P do on[p] := true; for q: P do edge[p][q] := p = q; end; end; bad := false; end;
ruleset p: P; q: P; r: P do rule "move" edge[p][q] ==> begin edge[p][q] := false; edge[p][r] := true; end; end;
ruleset p: P do rule "turn" true ==> begin on[p] := !on[p]; end; end;
rule "lost" !(forall p: P do exists q: P do edge[p][q] end end) ==> begin bad := true; end;
invariant "ok" !bad;
invariant "leads" forall p: P do exists q: P do edge[p][q] end end;
`
	file := filepath.Join(t.TempDir(), "leads.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(induct bool) *Every {
		e := &Every{File: file, Most: 3, Induct: induct}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return e
	}
	if _, err := exec.LookPath("z3"); err == nil {
		for _, induct := range []bool{false, true} {
			if e := run(induct); e.Proved == nil || !strings.Contains(e.Proved.How, "refuted by Z3 version") || e.CTIs != nil {
				t.Errorf("not proved: %s; %d counterexamples", e.Obstacle(), len(e.CTIs))
			}
		}
	}
	t.Setenv("PATH", t.TempDir())
	if e := run(true); e.Proved != nil || e.CTIs == nil || slices.ContainsFunc(e.CTIs, func(x *Counterexample) bool { return x.Violated != "" }) {
		t.Errorf("proved %v, and counterexamples to what is inductive: %v", e.Proved != nil, e.CTIs)
	}
	if e := run(false); e.Proved != nil || !strings.Contains(e.Obstacle(), "leads.m:4:29: ") || !strings.HasSuffix(e.Obstacle(), "z3 is not installed") {
		t.Errorf("without a solver: proved %v, %s", e.Proved != nil, e.Obstacle())
	}
}

// TestEveryCounts: models that count are proved for every size, with equations that are found. A sum of
// two sizes leaves only one of them open.
func TestEveryCounts(t *testing.T) {
	const head = "const N: 3; M: 2; type P: scalarset(N); Q: scalarset(M); E: enum {A, B};\n"
	for _, c := range []struct{ src, claim string }{
		{head + `var st: array [P] of E; cnt: 0..N; done: boolean;
startstate begin for p: P do st[p] := A; end; cnt := 0; done := false; end;
ruleset p: P do rule "arrive" st[p] = A & !done ==> begin st[p] := B; cnt := cnt + 1; if cnt = N then done := true; end; end; end;
rule "go on" done ==> begin for p: P do assert st[p] = B; st[p] := A; end; cnt := 0; done := false; end;
invariant "all" done -> forall p: P do st[p] = B end;
`, "every N ≥ 2 and every M ≥ 2"},
		{head + `var st: array [P] of boolean; tk: array [Q] of boolean; cnt: 0..N+M;
startstate begin for p: P do st[p] := false; end; for q: Q do tk[q] := false; end; cnt := 0; end;
ruleset p: P do rule "in" !st[p] ==> begin st[p] := true; cnt := cnt + 1; end; end;
ruleset p: P do rule "out" st[p] ==> begin st[p] := false; cnt := cnt - 1; end; end;
ruleset q: Q do rule "turn" true ==> begin tk[q] := !tk[q]; end; end;
`, "every N ≥ 2, with M=2"},
		// Of a type without a name nothing can be counted.
		{`const N: 3; var st: array [1..N] of boolean; cnt: 0..N;
startstate begin for p: 1..N do st[p] := false; end; cnt := 0; end;
ruleset p: 1..N do rule "in" !st[p] ==> begin st[p] := true; cnt := cnt + 1; end; end;
ruleset p: 1..N do rule "out" st[p] ==> begin st[p] := false; cnt := cnt - 1; end; end;
`, ""},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(c.src), 0o666); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Most: 3}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if (e.Proved == nil) != (c.claim == "") || c.claim != "" && e.Claim() != c.claim {
			t.Errorf("%s: %s, %v", c.src, e.Obstacle(), e.Free)
		}
	}
}

// TestSmallSizes: explicit search finds a shortest violation where pdr would find another one. Where it visits all states, pdr has
// a limit, and larger sizes are decided also without lemmas.
func TestSmallSizes(t *testing.T) {
	s := &Sweep{File: "../../benchmarks/murphi/german_bug1.m", Constant: "NODE_NUM", From: 2, To: 2}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Sizes[0].Result.Props {
		if x.HasTrace() && (x.Engine != "explicit" || x.Depth != x.Bound+1) {
			t.Errorf("%+v", x)
		}
	}
	if !s.Violated {
		t.Error("no violation")
	}
	if !nightly.On() {
		return
	}
	s = &Sweep{File: "../../benchmarks/murphi/msi_net.m", Constant: "NODE_NUM", From: 3, To: 4}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := s.Sizes[1].Result; n.Verdict() != mc.Safe || n.Stats.States != 2030 {
		t.Errorf("%+v", n)
	}
}
