package explicit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// shortly is a context that ends when it was asked often enough.
type shortly struct {
	context.Context
	left atomic.Int64
}

func newShortly(n int64) *shortly {
	c := &shortly{Context: context.Background()}
	c.left.Store(n)
	return c
}

func (s *shortly) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestResumeLiveness: a search that is stopped again and again says of liveness what one says that is not, and its
// evidence is accepted.
func TestResumeLiveness(t *testing.T) {
	resumed, held, violated := 0, 0, 0
	for seed := range uint64(nightly.Or(15, 300)) {
		r := rand.New(rand.NewPCG(seed, 29))
		src := liveModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2))})
		problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p, Blocks: all(p.Model)}}
		for i := range p.Model.Props {
			problem.Props = append(problem.Props, i)
		}
		e := &explicit.Engine{Canon: explicit.Canon(r.IntN(int(explicit.Exact) + 1)), Threads: 1 + r.IntN(2)}
		want, err := e.Run(t.Context(), problem, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		e.Checkpoint = filepath.Join(t.TempDir(), "dir")
		for n := int64(1); ; n++ {
			got, err := e.Run(newShortly(n), problem, mc.Options{All: true})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			if got.Stopped == mc.Interrupted {
				resumed++
				continue
			}
			if err := certify.Verify(t.Context(), problem, got); err != nil {
				t.Fatalf("seed %d, %d pauses: %v\n%s", seed, n, err, src)
			}
			for i, a := range want.Props {
				switch b := got.Props[i]; {
				case a.Status != b.Status || a.Depth != b.Depth:
					t.Fatalf("seed %d, %d pauses: %q is %v at %d, want %v at %d\n%s", seed, n, p.Model.Props[a.Prop].Name, b.Status, b.Depth, a.Status, a.Depth, src)
				case p.Model.Props[a.Prop].Kind != model.Liveness:
				case a.Status == mc.Safe:
					held++
				case a.Status == mc.Unsafe:
					violated++
				}
			}
			break
		}
	}
	if resumed < 25 || held < 5 || violated < 5 {
		t.Errorf("resumed %d times, %d properties hold, %d are violated", resumed, held, violated)
	}
}

// TestCheckpointsOfFormulas: formulas that differ in operators only have checkpoints of their own.
func TestCheckpointsOfFormulas(t *testing.T) {
	dir := t.TempDir()
	formulas := []string{"x: AG EF n = 1", "x: AG AF n = 1", "x: EG EF n = 1"}
	for _, f := range formulas {
		p := parse(t, `var n: 0..1; startstate begin n := 0; end; rule "flip" begin n := 1 - n; end;`, murphi.Options{Trees: []string{f}})
		prop := slices.IndexFunc(p.Model.Props, func(q *model.Property) bool { return q.Kind == model.Branching })
		e := &explicit.Engine{Threads: 1, Checkpoint: dir}
		if _, err := e.Run(t.Context(), &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p}, Props: []int{prop}}, mc.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadDir(dir); err != nil || len(kept) != len(formulas) {
		t.Errorf("%d checkpoints of %d formulas, %v", len(kept), len(formulas), err)
	}
}

// TestResumeNoRoom: a search that decides liveness does not go to disk when it is resumed, either.
func TestResumeNoRoom(t *testing.T) {
	p := parse(t, counter+"\nliveness \"low\" x = 0;", murphi.Options{})
	opt := explicit.Options{All: true, Checkpoint: filepath.Join(t.TempDir(), "dir")}
	if r, err := explicit.RunChunks(newShortly(40), p, opt, 8); err != nil || r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	opt.MemLimit, opt.Spill = 1, t.TempDir()
	if _, err := explicit.Run(t.Context(), p, opt); !errors.As(err, new(explicit.BadCheckpoint)) || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("%v", err)
	}
}

// TestResume: a search that is interrupted again and again has the result of one that is
// not, in memory, from disk, and by other numbers of threads.
func TestResume(t *testing.T) {
	resumed, disk, found := 0, 0, 0
	same := func(name string, p *model.Program, opt explicit.Options, pause int64) {
		t.Helper()
		full, err := explicit.Run(context.Background(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		found += len(full.Violations)
		full.FiredBy, full.Deadlocks, full.Raised = nil, 0, nil // a resumed search does not know them
		memory, want := full.Memory, written(p, full)
		for mode := range 3 {
			opt.Checkpoint = filepath.Join(t.TempDir(), "dir")
			for n := int64(0); ; n++ {
				opt.MemLimit, opt.Spill = 0, ""
				if mode == 1 && n%2 == 0 || mode == 2 { // some of it, or all
					opt.MemLimit, opt.Spill = 1+memory*2/3, t.TempDir()
					disk++
				}
				opt.Threads = 1 + int(n)%3
				r, err := explicit.RunChunks(newShortly(pause+n), p, opt, 8)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if string(r.Reason) == context.Canceled.Error() {
					resumed++
					continue
				}
				if n > 0 && r.FiredBy != nil {
					t.Fatalf("%s: a resumed search says how often rules fired", name)
				}
				r.FiredBy, r.Deadlocks, r.Raised = nil, 0, nil // a resumed search does not know
				if got := written(p, r); got != want {
					t.Fatalf("%s, %v, mode %d, %d pauses: resumed\n%.3000s\nat once\n%.3000s", name, opt.Canon, mode, n, got, want)
				}
				break
			}
		}
	}
	seeds := uint64(nightly.Or(6, 40))
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 23))
		src := randomModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		canon := explicit.Canon(r.IntN(3))
		same(fmt.Sprintf("seed %d\n%s", seed, src), p, explicit.Options{Canon: canon, Blocks: all(p.Model), All: r.IntN(2) == 0}, 1)
	}
	same("counter", parse(t, counter, murphi.Options{}), explicit.Options{All: true}, 100)
	if resumed < 100 || disk < 60 || found < 5 {
		t.Errorf("resumed %d times, %d times from disk, %d violations", resumed, disk, found)
	}
}

// TestCheckpointLocked: a search that another one has locked is refused and leaves the files alone,
// and goes on once it is not.
func TestCheckpointLocked(t *testing.T) {
	p := parse(t, counter, murphi.Options{})
	opt := explicit.Options{Props: []int{2}, Checkpoint: t.TempDir()}
	if r, err := explicit.RunChunks(newShortly(20), p, opt, 8); err != nil || string(r.Reason) != context.Canceled.Error() {
		t.Fatalf("%+v, %v", r, err)
	}
	of, err := filepath.Glob(filepath.Join(opt.Checkpoint, "*", "lock"))
	if err != nil || len(of) != 1 {
		t.Fatalf("%v, %v", of, err)
	}
	lock, err := explicit.LockFile(of[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := explicit.Run(context.Background(), p, opt); !errors.As(err, new(explicit.BadCheckpoint)) || !strings.HasSuffix(err.Error(), ": another search uses it") {
			t.Errorf("%+v, %v", r, err)
		}
	}
	lock.Close()
	if r, err := explicit.Run(context.Background(), p, opt); err != nil || !r.Complete || r.States != 10000 || r.FiredBy != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCheckpointDamaged: files that are not what was written are refused; another model or
// other options begin anew.
func TestCheckpointDamaged(t *testing.T) {
	dir := t.TempDir()
	p := parse(t, counter, murphi.Options{})
	opt := explicit.Options{Props: []int{2}, Checkpoint: dir}
	pause := func() {
		t.Helper()
		if r, err := explicit.RunChunks(newShortly(1000), p, opt, 8); err != nil || string(r.Reason) != context.Canceled.Error() {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	pause()
	of, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(of) != 1 {
		t.Fatalf("%v, %v", of, err)
	}
	for what, damage := range map[string]func(b []byte) ([]byte, string){
		"states changed": func(b []byte) ([]byte, string) { b[len(b)/3] ^= 1; return b, "states" },
		"states cut":     func(b []byte) ([]byte, string) { return b[:len(b)/2], "states" },
		"no states":      func(b []byte) ([]byte, string) { return nil, "states" },
		"progress cut":   func(b []byte) ([]byte, string) { return b[:len(b)/2], "progress" },
		"rest changed": func(b []byte) ([]byte, string) {
			if at := bytes.Index(b, []byte(`"Rest":"`)) + 12; at < len(b) {
				b[at] = 'A' + (b[at]-'A'+1)%26
			}
			return b, "progress"
		},
		"progress changed": func(b []byte) ([]byte, string) {
			return []byte(strings.Replace(string(b), `"States":`, `"States":1`, 1)), "progress"
		},
	} {
		_, name := damage([]byte("0123456789"))
		file := filepath.Join(of[0], name)
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bad, _ := damage(append([]byte(nil), good...))
		if err := os.WriteFile(file, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := explicit.Run(context.Background(), p, opt); !errors.As(err, new(explicit.BadCheckpoint)) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if err := os.WriteFile(file, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := opt
	other.All = true
	if r, err := explicit.Run(context.Background(), p, other); err != nil || !r.Complete || r.States != 10000 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := explicit.Run(context.Background(), p, opt); err != nil || !r.Complete || r.States != 10000 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, opt := range []explicit.Options{{Checkpoint: dir, HashBits: 64}, {Checkpoint: filepath.Join(of[0], "states")}} {
		if _, err := explicit.Run(context.Background(), p, opt); !errors.As(err, new(explicit.BadCheckpoint)) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// TestIdentity checks that searches of models that differ in anything but where their text stands have different names.
func TestIdentity(t *testing.T) {
	const src = `const N : 2;
type node : scalarset(N); value : 0..3; word : record v : value; who : node; end;
var a : array [node] of value; w : word;
function next(x : value) : value; begin return (x + 1) % 4; end;
ruleset n : node do
  rule "up" a[n] < 3 ==> begin a[n] := next(a[n]); w.v := a[n]; w.who := n; end;
end;
rule "down" w.v = 3 ==> begin for n : node do a[n] := 0; end; if w.v > 2 then w.v := 0; else error "low"; end; end;
startstate begin clear a; clear w.v; undefine w.who; end;
invariant "small" forall n : node do a[n] <= 3 end;
`
	identity := func(src string, opt explicit.Options) string {
		return explicit.Identity(parse(t, src, murphi.Options{}), opt)
	}
	seen := map[string]string{identity(src, explicit.Options{}): ""}
	if id := identity(strings.ReplaceAll(src, "\n", "\n -- a comment\n\n  "), explicit.Options{}); seen[id] != "" || len(seen) != 1 {
		t.Errorf("another layout: another name, %s", id)
	}
	for _, x := range [][2]string{{"N : 2", "N : 3"}, {"0..3", "0..4"}, {"scalarset(N)", "1..N"}, {"(x + 1)", "(x + 2)"}, {"(x + 1)", "(x - 1)"}, {"< 3 ==>", "<= 3 ==>"},
		{"w.v := a[n]; w.who := n;", "w.who := n; w.v := a[n];"}, {`"up"`, `"raise"`}, {"undefine w.who", "clear w.who"}, {"clear a", "clear w"}, {`"low"`, `"lower"`},
		{"then w.v := 0; else", "then else"}, {"forall n : node do a[n] <= 3", "exists n : node do a[n] <= 3"}, {"a[n] <= 3", "a[n] != 3"}, {`"small"`, `"tiny"`}} {
		if changed := strings.Replace(src, x[0], x[1], 1); changed == src {
			t.Fatalf("%q is not there", x[0])
		} else if id := identity(changed, explicit.Options{}); seen[id] != "" || id == identity(src, explicit.Options{}) {
			t.Errorf("%q for %q: the name of %q", x[1], x[0], seen[id])
		} else {
			seen[id] = x[1]
		}
	}
	for _, opt := range []explicit.Options{{All: true}, {Stubborn: true}, {MaxDepth: 3, Bounded: true}} {
		if id := identity(src, opt); id == identity(src, explicit.Options{}) {
			t.Errorf("%+v: the name of another search", opt)
		}
	}
}
