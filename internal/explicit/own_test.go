package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// withHolders prepares a program in which objects say who holds their mutex.
func withHolders(t *testing.T, src, symmetry string) *task.Task {
	t.Helper()
	k, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: symmetry, Contents: []byte(src), FirstFree: symmetry == "off", Holders: true})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return k
}

// ample visits the states of a program with stubborn sets, and with what own says if it is not nil.
func ample(t *testing.T, src, symmetry string, own explicit.Ownership) (*mc.Result, *task.Task) {
	t.Helper()
	k := withHolders(t, src, symmetry)
	if own == nil {
		own = prog.NewOwnership(task.ProgramOf(k), true)
	}
	r, err := (&explicit.Engine{Canon: explicit.Exact, Stubborn: true, Own: own}).Run(context.Background(), k.Problem, mc.Options{All: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r, k
}

// always is an ownership that is never refuted.
type always func(model.State, model.Choice) bool

func (a always) Owner() (func(model.State) bool, func(model.State, model.Choice) bool) {
	return func(model.State) bool { return false }, a
}
func (always) Refuted() bool { return false }

// published is a program in which a process writes to an object that another one has come by, or has not.
const published = `
typedef Node { Node &next; bit k; bit done }
heap Node[2];
Node &g;
active proctype P() {
  Node &r;
  r = new Node;
  r.done = 1;
  g = r;
  r.k = 1;
  r = null;
}
active proctype Q() {
  Node &s;
  g != null;
  s = g;
  assert(s.done);
  assert(s.k)
}
`

// TestOwnDouble: a write to an object that others have come by is not left alone; if it were, a violation would be missed.
func TestOwnDouble(t *testing.T) {
	if r, _ := ample(t, published, "off", nil); r.Verdict() != mc.Unsafe {
		t.Errorf("verdict %v, want unsafe", r.Verdict())
	}
	const remote = `
typedef Node { bit k }
heap Node[1];
active proctype P() { Node &r; byte x; x = 1; x = 2; x = 3; r = new Node }
active proctype Q() { byte y; y = P[0]:x; assert(y != 2) }
`
	if r, _ := ample(t, remote, "off", nil); r.Verdict() != mc.Unsafe {
		t.Errorf("another process looks at a variable: verdict %v, want unsafe", r.Verdict())
	}
	const inside = `
typedef Node { bit k }
heap Node[1];
Node &g;
active proctype P() { Node &r; Node &s; s = new Node; g = s; d_step { r = s; r.k = 1 } }
active proctype Q() { Node &s; g != null; s = g; assert(s.k) }
`
	if r, _ := ample(t, inside, "off", nil); r.Verdict() != mc.Unsafe {
		t.Errorf("a d_step changes a reference and follows it: verdict %v, want unsafe", r.Verdict())
	}
	const handshake = `
typedef Node { Node &next; bit k; mutex m }
heap Node[2];
chan c = [0] of { bit };
active proctype P() { Node &r; bit x; r = new Node; %s; end: false }
active proctype Q() { c!1; end: false }
`
	for _, choice := range []string{
		"if :: c?x -> assert(false) :: r.k = 1 fi",
		"if :: c?x; assert(false) :: else -> r.k = 1 fi",
		"{ r.k = 1; r.k = 0 } unless { c?x; assert(false) }",
	} {
		src := fmt.Sprintf(handshake, choice)
		r, k := ample(t, src, "off", nil)
		want, _ := search(t, src, "off")
		if missed := missing(r, want); missed >= 0 {
			t.Errorf("%s: a process may also take part in a handshake: %s is missed", choice, k.Problem.Name(missed))
		}
	}
	edges := task.ProgramOf(withHolders(t, published, "off")).Edges
	all := func(_ model.State, ch model.Choice) bool { return edges[ch.Rule].Own }
	if r, _ := ample(t, published, "off", always(all)); r.Verdict() == mc.Unsafe {
		t.Error("objects that others have come by make no difference here, so the test shows nothing")
	}
}

// interrupted is an ownership that is refuted when the search has no time left.
type interrupted struct {
	explicit.Ownership
	stop context.CancelFunc
}

func (i interrupted) Refuted() bool { i.stop(); return true }

// TestOwnAnew: what a search has found stays if it is done anew and does not find it in time.
func TestOwnAnew(t *testing.T) {
	k := withHolders(t, published, "off")
	ctx, stop := context.WithCancel(t.Context())
	own := interrupted{prog.NewOwnership(task.ProgramOf(k), true), stop}
	r, err := (&explicit.Engine{Canon: explicit.Exact, Stubborn: true, Own: own}).Run(ctx, k.Problem, mc.Options{All: true})
	if err != nil || r.Verdict() != mc.Unsafe || r.Stopped != mc.StopReason(ctx) {
		t.Errorf("verdict %v, stopped by %q, %v; want unsafe, interrupted", r.Verdict(), r.Stopped, err)
	}
}

// unrefuted is an ownership that believes in its locks whatever is seen.
type unrefuted struct{ explicit.Ownership }

func (unrefuted) Refuted() bool { return false }

// TestHeldDouble: what others touch, in some way, while the mutex is held is not left to who holds it. Each program has a
// violation that is missed if it were.
func TestHeldDouble(t *testing.T) {
	const program = `
typedef Node { Node &next; bit k; mutex m }
heap Node[2];
Node &g;
active proctype P() {
  Node &r;
  r = new Node;
  lock(r.m);
  g = r;
  r.k = 1;
  end: false
}
active proctype Q() {
  Node &s;
  %s;
  end: false
}
`
	for _, q := range []string{
		"g != null; s = g; assert(s.k)",
		"g != null; s = g; s.k == 0; assert(false)",
		"g != null; s = g; if :: s.k == 0 -> assert(false) :: else fi",
		"g != null; g.k == 0; assert(false)",
		"g != null; s = g; unlock(s.m); lock(s.m); assert(s.k)",
		"g != null; s = g; delete s; g = null; s = null",
		"g != null; atomic { s = g; assert(s.k) }",
		"g != null; d_step { s = g; assert(s.k) }",
		"g != null; atomic { s = g; unlock(s.m) }; lock(s.m); assert(s.k)",
		"bit x; g != null; { atomic { s = g; x = 1 } } unless { s != null && s.k == 0 -> assert(false) }",
	} {
		src := fmt.Sprintf(program, q)
		r, k := ample(t, src, "off", nil)
		want, _ := search(t, src, "off")
		if missed := missing(r, want); missed >= 0 {
			t.Errorf("%s: %s is missed", q, k.Problem.Name(missed))
		}
		p := task.ProgramOf(k)
		clear(p.Heap.Pools[0].Loose)
		if r, _ = ample(t, src, "off", unrefuted{prog.NewOwnership(p, true)}); missing(r, want) < 0 {
			t.Errorf("%s: what others touch makes no difference, so the test shows nothing", q)
		}
	}
}

// missing returns a property that is violated in one result and not in another one; -1: there is none.
func missing(r, want *mc.Result) int {
	for i, pr := range want.Props {
		if pr.Status == mc.Unsafe && r.Props[i].Status != mc.Unsafe {
			return pr.Prop
		}
	}
	return -1
}

// randomLocks makes a program whose processes share two objects, and lock them before they touch them, mostly.
func randomLocks(r *rand.Rand) string {
	pick := func(xs ...string) string { return xs[r.IntN(len(xs))] }
	ref := func() string { return pick("r", "r", "s", "g", "r.a") }
	var stmts func(n, depth int) string
	touch := func() string {
		x := pick("r", "r", "s")
		switch r.IntN(10) {
		case 7:
			return pick("c!1", "c?x", "if\n:: c?x\n:: "+x+".k = 1\nfi", "if\n:: c?x; x = 0\n:: else -> "+x+".k = 0\nfi")
		case 8:
			return "{ " + pick(x+".k = 1; x = 1", "atomic { s = g; x = 1 }", "atomic { x = 1; "+x+".k = x }") + " } unless { " + pick("c?x", "s.k == 0 -> x = 0", x+".k == 1 -> assert(x)") + " }"
		case 0, 1:
			return x + ".k = " + pick("0", "1", "x", "1 - "+x+".k")
		case 2:
			return "x = " + ref() + ".k"
		case 3:
			return "assert(" + x + ".k == " + pick("x", "0", "s.k") + ")"
		case 4:
			return x + ".a = " + pick("r", "s", "null", "g")
		case 5:
			return "if\n:: " + x + ".k == 0 -> " + pick("x = 1", x+".k = 1", x+".a = r") + "\n:: else\nfi"
		case 6:
			return "if\n:: " + x + ".a != null -> s = " + x + ".a\n:: else\nfi"
		}
		return pick("s = new Node; s.k = 1; "+x+".a = s", "r = s", "s = g", "g = r", "h = s", "d_step { x = "+x+".k; "+x+".k = 1 }", "atomic { x = 1; "+x+".k = x }")
	}
	stmts = func(n, depth int) string {
		var out []string
		for range n {
			if depth < 1 && r.IntN(3) > 0 {
				x := pick("r", "r", "s")
				out = append(out, "lock("+x+".m);\n"+stmts(1+r.IntN(3), 1)+";\nunlock("+pick(x, x, x, x, "s")+".m)")
			} else {
				out = append(out, touch())
			}
		}
		return strings.Join(out, ";\n")
	}
	src := "typedef Node { Node &a; bit k; mutex m }\nheap Node[4];\nNode &g; Node &h; bit go; chan c = [0] of { bit };\n" +
		"active proctype M() { atomic { g = new Node; h = new Node; go = 1 }; end: false }\n"
	for _, name := range []string{"P", "Q"} {
		src += "active proctype " + name + "() {\nNode &r; Node &s; bit x;\ngo; r = " + pick("g", "g", "h") + "; s = " + pick("g", "h") + ";\n" + stmts(1+r.IntN(3), 0) + ";\nend:\nfalse\n}\n"
	}
	return src
}

// TestHeldRandom: random programs with locks have the violations that a search of all states finds. Some are missed if it is
// believed whatever is seen that locks protect.
func TestHeldRandom(t *testing.T) {
	n := nightly.Or(60, 5_000)
	first := uint64(1)
	if s := os.Getenv("ORBITMC_SEED"); s != "" {
		fmt.Sscan(s, &first)
	}
	violated, fewer, refuted, wrong := 0, 0, 0, 0
	for seed := first; seed < first+uint64(n); seed++ {
		src := randomLocks(rand.New(rand.NewPCG(seed, 31)))
		want, k := search(t, src, "off")
		if !decided(want, k) {
			continue
		}
		if want.Verdict() == mc.Unsafe {
			violated++
		}
		for _, symmetry := range []string{"off", "auto"} {
			r, k := ample(t, src, symmetry, nil)
			if missed := missing(r, want); missed >= 0 {
				t.Fatalf("seed %d, symmetry %s: %s is missed\n%s", seed, symmetry, k.Problem.Name(missed), src)
			}
			for i, pr := range r.Props {
				if pr.Status == mc.Unsafe && want.Props[i].Status != mc.Unsafe {
					t.Fatalf("seed %d, symmetry %s: %s is violated\n%s", seed, symmetry, k.Problem.Name(pr.Prop), src)
				}
			}
			if symmetry == "off" && r.Stats.States < want.Stats.States {
				fewer++
			}
		}
		_, k = ample(t, src, "off", nil)
		p := task.ProgramOf(k)
		o := prog.NewOwnership(p, true)
		r, _ := ample(t, src, "off", unrefuted{o})
		if o.Refuted() {
			refuted++
		}
		if missing(r, want) >= 0 {
			wrong++
		}
	}
	t.Logf("%d programs: %d violated, fewer states in %d; in %d a lock protects less than was believed, and in %d that matters", n, violated, fewer, refuted, wrong)
	if violated < n/4 || fewer < n/2 || refuted < n/4 || first == 1 && wrong == 0 {
		t.Error("programs do not show enough")
	}
}

// decided reports whether the heap had room.
func decided(r *mc.Result, k *task.Task) bool {
	return !slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool {
		return k.Problem.Name(pr.Prop) == promela.HeapFull && pr.Status != mc.Safe
	})
}
