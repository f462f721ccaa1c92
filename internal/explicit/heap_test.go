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
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// objects is how many the heap of the programs of this file holds. No other range in them ends there.
const objects = 3

// search visits the states of a program, exactly up to symmetry or all of them.
func search(t *testing.T, src, symmetry string) (*mc.Result, *task.Task) {
	t.Helper()
	k, err := task.Open(context.Background(), "heap.pml", task.Options{Symmetry: symmetry, Contents: []byte(src), FirstFree: symmetry == "off"})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), k.Problem, mc.Options{All: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r, k
}

// keeping reads a program whose steps leave objects that are out of reach.
func keeping(t *testing.T, src string, firstFree bool) *model.Model {
	t.Helper()
	p, err := promela.Parse("heap.pml", []byte(src), promela.Options{FirstFree: firstFree})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Model.Rules {
		r.Body = slices.DeleteFunc(r.Body, func(s model.Stmt) bool { _, drops := s.(*model.Call); return drops })
	}
	return p.Model
}

// isomorphic counts the states of a program in which new takes any free object, up to renaming of objects and exchange
// of its two processes, by trying all renamings; all is how many there are. Objects out of reach are dropped here, and
// not by the steps.
func isomorphic(t *testing.T, src string) (classes, all int) {
	t.Helper()
	of := keeping(t, src, false)
	m := model.Compile(of).NewMachine()
	var names []bool // by leaf: it is a reference
	var walk func(x *model.Type)
	walk = func(x *model.Type) {
		switch x.Kind {
		case model.Array:
			for range x.Index.Card() {
				walk(x.Elem)
			}
		case model.Record:
			for _, f := range x.Fields {
				walk(f.Type)
			}
		default:
			names = append(names, x.Kind == model.Range && x.Lo == 0 && x.Hi == objects)
		}
	}
	pool, procs := -1, -1
	var node, proc int
	for _, v := range of.Vars {
		switch v.Name {
		case "Node":
			pool, node = v.Offset, v.Type.Elem.Leaves
		case "P":
			procs, proc = v.Offset, v.Type.Elem.Leaves
		}
		walk(v.Type)
	}
	var renamings [][]int64
	for _, q := range [][]int64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		renamings = append(renamings, append([]int64{0}, q...))
	}
	key := func(s model.State) string { // values are small
		var k []byte
		for _, v := range s {
			if v == model.Undef {
				v = 255
			}
			k = append(k, byte(v))
		}
		return string(k)
	}
	canonical := func(s model.State) string {
		best := ""
		for _, to := range renamings {
			for swap := range 2 {
				r := slices.Clone(s)
				for i := range objects + 1 {
					copy(r[pool+int(to[i])*node:][:node], s[pool+i*node:][:node])
				}
				if swap == 1 {
					a, b := slices.Clone(r[procs:procs+proc]), r[procs+proc:procs+2*proc]
					copy(r[procs:], b)
					copy(r[procs+proc:], a)
				}
				for i, v := range r {
					if names[i] && v != model.Undef {
						r[i] = to[v]
					}
				}
				if k := key(r); best == "" || k < best {
					best = k
				}
			}
		}
		return best
	}
	drop := func(s model.State) { // what no variable leads to
		reached := map[int]bool{0: true}
		var visit func(leaf int)
		visit = func(leaf int) {
			if k := int(s[leaf]); names[leaf] && s[leaf] != model.Undef && !reached[k] {
				reached[k] = true
				for i := range node {
					visit(pool + k*node + i)
				}
			}
		}
		for leaf := range s {
			if leaf < pool || leaf >= pool+(objects+1)*node {
				visit(leaf)
			}
		}
		for k := range objects + 1 {
			if !reached[k] {
				clear(s[pool+k*node:][:node])
			}
		}
	}
	seen, known := map[string]bool{}, map[string]bool{}
	var queue []model.State
	add := func(s model.State) {
		if s == nil {
			return
		}
		s = slices.Clone(s)
		if drop(s); seen[key(s)] {
			return
		}
		seen[key(s)] = true
		known[canonical(s)] = true
		queue = append(queue, s)
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool { add(s); return true })
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		m.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool { add(next); return true })
	}
	return len(known), len(seen)
}

// anyHeap makes all heaps of at most three objects with one field, to which a variable and those of two processes refer.
const anyHeap = `
typedef Node { Node &a }
heap Node[3];
Node &g;
active [2] proctype P() {
  Node &r;
end:
  do
  :: r = new Node
  :: r == null -> r = g
  :: r != null -> g = r
  :: r != null && g != null -> r.a = g
  :: r != null && g != null -> g.a = r
  :: r != null -> r = r.a
  :: r = null
  od
}
`

// TestHeapClasses: as many states are kept as there are heaps up to isomorphism, processes included.
func TestHeapClasses(t *testing.T) {
	want, all := isomorphic(t, anyHeap)
	r, _ := search(t, anyHeap, "auto")
	off, _ := search(t, anyHeap, "off")
	t.Logf("%d states, %d if new takes the first free object, %d up to isomorphism", all, off.Stats.States, want)
	if int(r.Stats.States) != want {
		t.Errorf("%d states are kept, and there are %d up to isomorphism", r.Stats.States, want)
	}
	if int(off.Stats.States) > all || off.Stats.States <= r.Stats.States {
		t.Errorf("%d states with the first free object; %d of all, %d up to isomorphism", off.Stats.States, all, want)
	}
}

// randomHeap makes a program about references.
func randomHeap(r *rand.Rand) string {
	pick := func(xs ...string) string { return xs[r.IntN(len(xs))] }
	ref := func() string {
		x := pick("r", "r", "s", "g", "h")
		for r.IntN(4) == 0 {
			x += pick(".a", ".b")
		}
		return x
	}
	var cond func(depth int) string
	cond = func(depth int) string {
		switch r.IntN(6) {
		case 0:
			return ref() + " == null"
		case 1:
			return ref() + " != null"
		case 2:
			return ref() + pick(" == ", " != ") + ref()
		case 3:
			return ref() + ".k" + pick(" == ", " != ") + pick("x", "1", ref()+".k")
		}
		if depth > 1 {
			return "x == 0"
		}
		return "(" + cond(depth+1) + pick(" && ", " || ") + cond(depth+1) + ")"
	}
	var stmts func(n, depth int) string
	stmts = func(n, depth int) string {
		var out []string
		for range n {
			switch r.IntN(12) {
			case 11:
				if x := ref(); depth < 2 {
					out = append(out, "lock("+x+".m);\n"+stmts(1+r.IntN(3), depth)+";\nunlock("+x+".m)")
				}
			case 0, 1:
				out = append(out, pick("r", "s", "g", "h", ref())+" = new Node")
			case 2, 3:
				out = append(out, ref()+" = "+pick(ref(), ref(), ref(), "null", "("+cond(1)+" -> "+ref()+" : null)"))
			case 4:
				out = append(out, pick("x = "+ref()+".k", ref()+".k = "+pick("0", "1", "x")))
			case 5:
				out = append(out, "delete "+ref())
			case 6:
				out = append(out, "assert("+cond(0)+")")
			case 7:
				if depth < 2 {
					out = append(out, "if\n:: "+cond(0)+" -> "+stmts(1, depth+1)+"\n:: "+pick("else", cond(0))+" -> "+stmts(1+r.IntN(2), depth+1)+"\nfi")
				}
			case 8:
				if depth < 2 {
					out = append(out, pick("atomic", "atomic", "d_step")+" { "+strings.ReplaceAll(stmts(1+r.IntN(2), 2), "new Node", "g")+" }")
				}
			case 10:
				out = append(out, pick("lock("+ref()+".m)", "unlock("+ref()+".m)", "P("+ref()+".s)", "V("+ref()+".s)"))
			case 9:
				if depth < 1 {
					out = append(out, "atomic { "+pick("r", "g")+" = new Node; "+stmts(1, 2)+" }")
				}
			}
		}
		if out == nil {
			return "skip"
		}
		return strings.Join(out, ";\n")
	}
	return "typedef Node { Node &a; Node &b; bit k; mutex m; sem s = 1 }\nheap Node[3];\nNode &g; Node &h; bit x;\nactive [2] proctype P() {\nNode &r; Node &s;\nr = new Node;\n" + stmts(2+r.IntN(4), 0) + ";\nend:\nfalse\n}\n"
}

// violations returns the least depth of each violation of a program whose steps leave objects that are out of reach, in
// a heap of eight, by name; false if that is not enough.
func violations(t *testing.T, src string) (map[string]int, bool) {
	t.Helper()
	of := keeping(t, strings.Replace(src, "heap Node[3]", "heap Node[8]", 1), true)
	r, err := explicit.Run(context.Background(), model.Compile(of), explicit.Options{All: true})
	if err != nil || !r.Complete {
		t.Fatal(err, r.Reason)
	}
	depths := map[string]int{}
	for _, f := range r.Violations {
		depths[of.Props[f.Prop].Name] = f.Depth
	}
	_, full := depths[promela.HeapFull]
	return depths, !full
}

// TestHeapRandom: random programs have the verdicts and depths of a search of all states in which new takes the first
// free object, and of one that leaves what is out of reach; and as many states are kept as there are up to isomorphism.
func TestHeapRandom(t *testing.T) {
	n, first := 60, uint64(1)
	if nightly.On() {
		n = 10_000
	}
	if s := os.Getenv("ORBITMC_SEED"); s != "" {
		fmt.Sscan(s, &first)
	}
	whole, kept, fewer, violated := 0, 0, 0, map[string]int{}
	for seed := first; seed < first+uint64(n); seed++ {
		src := randomHeap(rand.New(rand.NewPCG(seed, 9)))
		sym, k := search(t, src, "auto")
		off, _ := search(t, src, "off")
		for i, pr := range sym.Props {
			want := off.Props[i]
			if pr.Status != want.Status || pr.Status == mc.Unsafe && pr.Depth != want.Depth {
				t.Fatalf("seed %d: %s is %v at %d with symmetry, %v at %d without\n%s", seed, k.Problem.Name(pr.Prop), pr.Status, pr.Depth, want.Status, want.Depth, src)
			}
			if pr.Status == mc.Unsafe {
				name := k.Problem.Name(pr.Prop)
				if k.Problem.Kind(pr.Prop) == model.Assertion {
					name = "assertion"
				}
				violated[name]++
			}
		}
		enough := true
		for _, pr := range sym.Props {
			enough = enough && !(k.Problem.Name(pr.Prop) == promela.HeapFull && pr.Status != mc.Safe)
		}
		for _, symmetry := range []string{"off", "auto"} {
			some, _ := ample(t, src, symmetry, nil)
			full := map[string]*mc.Result{"off": off, "auto": sym}[symmetry]
			if some.Stats.States < full.Stats.States {
				fewer++
			}
			for i, pr := range some.Props {
				if enough && (pr.Status == mc.Unsafe) != (sym.Props[i].Status == mc.Unsafe) {
					t.Fatalf("seed %d, symmetry %s: %s is %v with ample sets, %v without\n%s", seed, symmetry, k.Problem.Name(pr.Prop), pr.Status, sym.Props[i].Status, src)
				}
			}
		}
		if depths, room := violations(t, src); room {
			for _, pr := range sym.Props {
				depth, violated := depths[k.Problem.Name(pr.Prop)]
				if enough && (violated != (pr.Status == mc.Unsafe) || violated && depth != pr.Depth) {
					t.Fatalf("seed %d: %s is %v at %d, and violated at %d (%v) if garbage stays\n%s", seed, k.Problem.Name(pr.Prop), pr.Status, pr.Depth, depth, violated, src)
				}
			}
			if enough {
				kept++
			}
		}
		classes, all := isomorphic(t, src)
		if int(sym.Stats.States) < classes || int(sym.Stats.States) > all {
			t.Fatalf("seed %d: %d states are kept of %d, and there are %d up to isomorphism\n%s", seed, sym.Stats.States, all, classes, src)
		}
		if int(sym.Stats.States) == classes {
			whole++
		}
	}
	t.Logf("%d programs; as few states as possible in %d; compared with one that keeps garbage: %d; fewer states with ample sets: %d; violated: %v", n, whole, kept, fewer, violated)
	if whole < n*9/10 || kept < n/3 || fewer < n || len(violated) < 3 {
		t.Error("programs do not show enough")
	}
}

// TestDeleted: an object that was deleted is not used again as long as there is a reference to it, so following that is
// an error; without one it is.
func TestDeleted(t *testing.T) {
	const program = `
typedef Node { Node &a; bit k }
heap Node[%d];
active [1] proctype P() {
  Node &r; Node &s;
  r = new Node;
  s = r;
  delete r;
  %s;
  r = new Node;
  s.k = 1;
end:
  false
}
`
	for _, c := range []struct {
		n        int
		between  string
		violated string
		depth    int
	}{
		{2, "skip", "reference use", 6}, {1, "skip", "heap size", 5}, {1, "r = null", "heap size", 5}, {1, "r = null; s = null", "reference use", 7},
		{2, "s = null", "reference use", 6}, {2, "delete s", "reference use", 4},
	} {
		for _, symmetry := range []string{"auto", "off"} {
			r, k := search(t, fmt.Sprintf(program, c.n, c.between), symmetry)
			for _, pr := range r.Props {
				name := k.Problem.Name(pr.Prop)
				if unsafe := pr.Status == mc.Unsafe; unsafe != (name == c.violated) || unsafe && pr.Depth != c.depth {
					t.Errorf("%+v, symmetry %s: %s is %v at %d", c, symmetry, name, pr.Status, pr.Depth)
				}
			}
		}
	}
}
