package promela

import (
	"os"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestReferenceErrors: what is refused about references, and where.
func TestReferenceErrors(t *testing.T) {
	const types = "typedef Leaf { byte x }\ntypedef Node { Node &next; Leaf &leaf; Leaf own; byte key; Node &two[2] }\nheap Node[2], Leaf[1];\nNode &g; Leaf &h; byte n;\n"
	const open, shut = "active proctype P() {\n", "\n}\n"
	for _, x := range []struct{ src, want string }{
		{types + open + "g = 1" + shut, "6:5: 1 is no reference to Node"},
		{types + open + "g = h" + shut, "6:5: h is a reference to Leaf, not to Node"},
		{types + open + "g = new Leaf" + shut, "6:5: a reference to Node is no Leaf"},
		{types + open + "n = g" + shut, "6:5: g is a reference, and no number"},
		{types + open + "g -> skip" + shut, "6:1: g is a reference, and no number"},
		{types + open + "n = g + 1" + shut, "6:5: g is a reference, and no number"},
		{types + open + "g == h" + shut, "6:6: h is a reference to Leaf, not to Node"},
		{types + open + "g == 0" + shut, "6:6: 0 is no reference to Node"},
		{types + open + "null == null" + shut, "null is compared with null"},
		{types + open + "g == new Node" + shut, "new stands only where its object is assigned: r = new Node"},
		{types + open + "n = new Node" + shut, "new stands only where its object is assigned: r = new Node"},
		{types + open + "delete n" + shut, "6:8: n is no reference"},
		{types + open + "delete null" + shut, "6:8: null is no reference"},
		{types + open + "d_step { g = new Node }" + shut, "g = new Node in a d_step is not supported, as it has a choice; atomic is"},
		{types + open + "n = g.next" + shut, "g.next is a reference, and no number"},
		{types + open + "n = g.nxt" + shut, "g has no field nxt"},
		{types + open + "n = n.x" + shut, "n is no struct"},
		{types + open + "n = (n == 1 -> g : g)" + shut, "is a reference, and no number"},
		{types + open + "run P(g)" + shut, "P takes 0 arguments, not 1"},
		{types + "proctype Q(Node &r) { skip }\n" + open + "run Q(1)" + shut, "1 is no reference to Node"},
		{types + "proctype Q(byte r) { skip }\n" + open + "run Q(g)" + shut, "g is a reference, and no number"},
		{types + "chan c = [1] of { byte };\n" + open + "c!g" + shut, "g is a reference, and no number"},
		{types + "chan c = [1] of { byte };\n" + open + "c?g" + shut, "g is a reference, and no number"},
		{types + "chan c = [0] of { byte };\n" + open + "if :: c?g.key :: c!1 fi" + shut, "a rendezvous that is received through a reference is not supported"},
		{types + "chan c = [1] of { Node };\n" + open + "skip" + shut, "a message holds no reference, and Node.next is one"},
		{types + "chan c = [1] of { Leaf & };\n" + open + "skip" + shut, "a message holds no reference"},
		{types + "byte &r;\n" + open + "skip" + shut, "a reference is to a struct type"},
		{types + "Node &r = 1;\n" + open + "skip" + shut, "the reference r begins as null"},
		{types + "heap Node[3];\n" + open + "skip" + shut, "how many Node the heap holds is said twice"},
		{"heap Node[3];\n" + open + "skip" + shut, "1:6: there is no type Node"},
		{types + "typedef T { byte x }\nheap T[256];\n" + open + "skip" + shut, "the heap holds at most 255 of one type"},
		{"typedef T { T t }\n" + open + "skip" + shut, "1:15: a T cannot be a part of itself; a reference to one can: T &"},
		{"typedef T { byte x }\nT &r;\n" + open + "r = new T" + shut, "how many T the heap holds at most is not said; heap T[4] would be four"},
		{"typedef T { chan c }\nheap T[1];\nT &r;\n" + open + "skip" + shut, "T is in the heap, where a channel is not supported"},
		{types + open + "n = Q:n" + shut, "Q is not declared"},
		{types + open + "Node &r; L: r = g; n = P[0]:r.key" + shut, "P[0]:r.key follows a reference of another process, which is not supported"},
		{types + "active proctype Q() provided (g.key == 0) { skip }" + open + "skip" + shut, "5:37: a reference that provided follows is not supported"},
		{types + open + "byte z = g.key; n = z" + shut, "6:10: the initial value of z follows a reference, which is not supported; an assignment may"},
		{types + open + "byte z = (n == 1 -> 0 : g.key); n = z" + shut, "the initial value of z follows a reference"},
		{types + "byte z = h.x;\n" + open + "skip" + shut, "the initial value of z follows a reference"},
		{types + open + "byte z = g; n = z" + shut, "6:10: g is a reference, and no number"},
	} {
		_, err := Parse("m.pml", []byte(x.src), Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.src[strings.LastIndex(x.src, open)+len(open):], err, x.want)
		}
	}
	p, err := Parse("m.pml", []byte(types+"ltl good { [] (g == null || n == 0) }\nltl bad { [] (g.key == 0) }\n"+open+"skip"+shut), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Claims) != 1 || p.Claims[0].Name != "bad" || !strings.Contains(p.Claims[0].Reason, "g.key follows a reference, which in a claim is not supported") {
		t.Errorf("claims that are not checked: %+v", p.Claims)
	}
}

// TestSyncErrors: what is refused about semaphores, mutexes and conditions, and where.
func TestSyncErrors(t *testing.T) {
	const types = "typedef Node { mutex m; sem s = 1; cond c[2] }\nheap Node[2];\nNode &g; mutex m; sem s = 2; cond c; byte n;\n"
	const open, shut = "active proctype Q() {\n", "\n}\n"
	for _, x := range []struct{ src, want string }{
		{types + open + "lock(s)" + shut, "5:6: lock is about a mutex, and s is none"},
		{types + open + "P(n)" + shut, "5:3: P is about a sem, and n is none"},
		{types + open + "wait(c)" + shut, "5:7: expected \",\" before \")\""},
		{types + open + "wait(m, c)" + shut, "5:6: wait is about a cond, and m is none"},
		{types + open + "wait(c, s)" + shut, "5:9: wait is about a mutex, and s is none"},
		{types + open + "signal(m)" + shut, "5:8: signal is about a cond, and m is none"},
		{types + open + "s = 1" + shut, "5:1: s is a sem, which only P and V change"},
		{types + open + "g.s++" + shut, "5:1: g.s is a sem, which only P and V change"},
		{types + open + "m = 0" + shut, "5:1: m is a mutex, which only lock, unlock and wait change"},
		{types + "chan q = [1] of { byte };\n" + open + "q?s" + shut, "6:3: s is a sem, which only P and V change"},
		{types + open + "c.waits[0] = 1" + shut, "5:3: c is no struct"},
		{types + open + "n = c" + shut, "c is a struct, not a value"},
		{types + open + "mutex k; skip" + shut, "5:7: a mutex is declared outside of processes, or in a struct"},
		{types + "proctype R(sem k) { skip }\n" + open + "skip" + shut, "a sem is no parameter: a reference to a struct that has it may be"},
		{types + "chan q = [1] of { Node };\n" + open + "skip" + shut, "a message holds no mutex"},
		{"mutex k = 1;\n" + open + "skip" + shut, "1:7: a mutex has no initial value"},
		{"cond k = 1;\n" + open + "skip" + shut, "a struct has no initial value"},
		{types + open + "d_step { n = 1; signal(c) }" + shut, "signal(c) in a d_step is not supported, as it has a choice; atomic is"},
	} {
		_, err := Parse("m.pml", []byte(x.src), Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.src[strings.LastIndex(x.src, open)+len(open):], err, x.want)
		}
	}
	const names = "byte sem, mutex, cond, P, lock;\ninline wait(x) { x = x + 1 }\nactive proctype signal() { sem = mutex + cond; P = lock; wait(sem) }\n"
	if _, err := Parse("m.pml", []byte(names), Options{}); err != nil {
		t.Errorf("words of semaphores, mutexes and conditions are names elsewhere: %v", err)
	}
}

// TestReferenceWords: the words of the heap are names elsewhere.
func TestReferenceWords(t *testing.T) {
	src := "byte new, delete, null, heap;\nactive proctype P() {\nnew = null + 1; delete = new; heap++; delete++;\nnew == 1\n}\n"
	if _, err := Parse("m.pml", []byte(src), Options{}); err != nil {
		t.Error(err)
	}
}

// TestHeapFormat: a program with references in the standard layout is the same program.
func TestHeapFormat(t *testing.T) {
	for file, defines := range map[string]map[string]string{"ordered_list.pml": {"L": "2"}, "buffer.pml": nil} {
		src, err := os.ReadFile("../../benchmarks/promela/heap/" + file)
		if err != nil {
			t.Fatal(err)
		}
		sameFormat(t, src, defines)
	}
}

func sameFormat(t *testing.T, src []byte, defines map[string]string) {
	t.Helper()
	out, err := Format("m.pml", src, Options{Defines: defines})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Format("m.pml", out, Options{})
	if err != nil || string(again) != string(out) {
		t.Fatalf("%v\n%s\nbecomes\n%s", err, out, again)
	}
	var visited []int
	for i, text := range [][]byte{src, out} {
		if i == 1 {
			defines = nil // the macros are expanded
		}
		p, err := Parse("m.pml", text, Options{Defines: defines, FirstFree: true})
		if err != nil {
			t.Fatal(err)
		}
		m := model.Compile(p.Model).NewMachine()
		pack := model.NewPacker(p.Model)
		seen := map[string]bool{}
		var queue []model.State
		add := func(_ model.Choice, s model.State, v *model.Violation) bool {
			if v != nil {
				t.Fatalf("%v", v)
			}
			if k := string(pack.Pack(nil, s)); !seen[k] {
				seen[k] = true
				queue = append(queue, append(model.State(nil), s...))
			}
			return true
		}
		m.Starts(add)
		for len(queue) > 0 {
			s := queue[0]
			queue = queue[1:]
			m.Successors(s, add)
		}
		visited = append(visited, len(seen))
	}
	if visited[0] != visited[1] || visited[0] < 100 {
		t.Errorf("states: %v", visited)
	}
}
