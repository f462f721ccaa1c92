package explicit_test

import (
	"context"
	"fmt"
	"testing"

	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/prog"
	"orbitmc/task"
)

// ample visits the states of a program with stubborn sets, and with what own says if it is not nil.
func ample(t *testing.T, src, symmetry string, own explicit.Ownership) (*mc.Result, *task.Task) {
	t.Helper()
	k, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: symmetry, Contents: []byte(src), FirstFree: symmetry == "off", Holders: true})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
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

func (f always) Owner() (func(model.State) bool, func(model.State, model.Choice) bool) {
	return func(model.State) bool { return false }, f
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
	p, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: "off", Contents: []byte(published), FirstFree: true, Holders: true})
	if err != nil {
		t.Fatal(err)
	}
	edges := task.ProgramOf(p).Edges
	all := func(_ model.State, ch model.Choice) bool { return edges[ch.Rule].Own }
	if r, _ := ample(t, published, "off", always(all)); r.Verdict() == mc.Unsafe {
		t.Error("objects that others have come by make no difference here, so the test shows nothing")
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
