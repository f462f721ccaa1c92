package explicit_test

import (
	"context"
	"testing"

	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/prog"
	"orbitmc/task"
)

// ample visits the states of a program with stubborn sets, and with what own says if it is not nil.
func ample(t *testing.T, src, symmetry string, own func() func(model.State, model.Choice) bool) (*mc.Result, *task.Task) {
	t.Helper()
	k, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: symmetry, Contents: []byte(src), FirstFree: symmetry == "off"})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if own == nil {
		own = func() func(model.State, model.Choice) bool { return prog.NewOwner(task.ProgramOf(k)).Owns }
	}
	r, err := (&explicit.Engine{Canon: explicit.Exact, Stubborn: true, Own: own}).Run(context.Background(), k.Problem, mc.Options{All: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r, k
}

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
	all := func() func(model.State, model.Choice) bool {
		p, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: "off", Contents: []byte(published), FirstFree: true})
		if err != nil {
			t.Fatal(err)
		}
		edges := task.ProgramOf(p).Edges
		return func(_ model.State, ch model.Choice) bool { return edges[ch.Rule].Own }
	}
	if r, _ := ample(t, published, "off", all); r.Verdict() == mc.Unsafe {
		t.Error("objects that others have come by make no difference here, so the test shows nothing")
	}
}
