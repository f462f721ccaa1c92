package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/encode"
	"orbitmc/encode/promela"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// orbits counts the orbits of the states that a program reaches, under the permutations of its encoding that were
// verified, and all states. It uses no representatives. Each image of a reachable state must be reachable, and have the
// images of its successors.
func orbits(t *testing.T, k *task.Task, src string) (classes, all int) {
	t.Helper()
	enc := k.Problem.Enc
	if enc == nil {
		t.Fatalf("no encoding\n%s", src)
	}
	m := model.Compile(enc.Model).NewMachine()
	number := map[string]int{}
	var states []model.State
	add := func(s model.State) {
		if key := fmt.Sprint(s); s != nil {
			if _, ok := number[key]; !ok {
				number[key] = len(states)
				states = append(states, slices.Clone(s))
			}
		}
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool { add(s); return true })
	next := map[int]map[string]bool{}
	for i := 0; i < len(states); i++ {
		next[i] = map[string]bool{}
		m.Successors(states[i], func(_ model.Choice, s model.State, _ *model.Violation) bool {
			if add(s); s != nil {
				next[i][fmt.Sprint(s)] = true
			}
			return true
		})
	}
	root := make([]int, len(states))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	image := func(enc *encode.Encoding, g *ts.Perm, s model.State) string {
		to, err := enc.DecodeState(ts.Apply(g.Latch, enc.EncodeState(s)))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(to)
	}
	for _, g := range k.Report.Common.Generators() {
		for i, s := range states {
			j, ok := number[image(enc, g, s)]
			if !ok || len(next[i]) != len(next[j]) {
				t.Fatalf("%s maps state %v to one that is not reachable, or has other steps\n%s", g.Name, s, src)
			}
			for to := range next[i] {
				if !next[j][image(enc, g, states[number[to]])] {
					t.Fatalf("%s does not map the steps of %v\n%s", g.Name, s, src)
				}
			}
			root[find(i)] = find(j)
		}
	}
	for i := range root {
		if root[i] == i {
			classes++
		}
	}
	return classes, len(states)
}

// verdicts returns the status and the depth of each property, by name.
func verdicts(k *task.Task, r *mc.Result) string {
	var all []string
	for _, pr := range r.Props {
		all = append(all, fmt.Sprintf("%s %v %d", k.Problem.Name(pr.Prop), pr.Status, pr.Depth))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// compare compares a search with symmetry with one without it, and with orbits counted by brute force. It returns the order
// of the group.
func compare(t *testing.T, src string) (order int64) {
	t.Helper()
	on, k := search(t, src, "auto")
	off, plain := search(t, src, "off")
	if a, b := verdicts(k, on), verdicts(plain, off); a != b {
		t.Fatalf("with symmetry:\n%s\nwithout:\n%s\n%s", a, b, src)
	}
	if k.Report == nil || k.Report.Common.Trivial() {
		return 1
	}
	if want, _ := orbits(t, k, src); int(on.Stats.States) != want {
		t.Fatalf("%d states are kept, and there are %d orbits under a group of order %v\n%s", on.Stats.States, want, k.Report.Common.Order(), src)
	}
	return k.Report.Common.Order().Int64()
}

// clients is an e-mail system of so many clients: what each is handed is its number and its box.
func clients(n, first int, loop bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#define N %d\nchan net = [0] of { byte };\nchan box[N] = [1] of { byte };\nchan ask[N] = [0] of { bit };\n", n)
	fmt.Fprintf(&b, `proctype client(byte id; chan mine; chan mayI) {
end: do
  :: mayI ! 1 -> net ! id
  :: mine ? eval(id)
  od
}
proctype mailer() {
  byte to;
end: do
  :: net ? to; box[to - %d] ! to
  od
}
proctype grant(chan who) { end: do :: who ? 1 od }
init {
  byte i;
  atomic {
    run mailer();
`, first)
	if loop {
		fmt.Fprintf(&b, "    do :: i < N -> run client(i + %d, box[i], ask[i]); i++ :: else -> break od;\n    i = 0;\n    do :: i < N -> run grant(ask[i]); i++ :: else -> break od\n", first)
	} else {
		for i := range n {
			fmt.Fprintf(&b, "    run client(%d, box[%d], ask[%d]);\n    run grant(ask[%d]);\n", i+first, i, i, i)
		}
	}
	b.WriteString("  }\nend: false\n}\n")
	return b.String()
}

// nested returns a program of servers that have clients each, who do not know each other.
func nested(servers, clients int) string {
	var runs []string
	for i := range servers * clients {
		runs = append(runs, fmt.Sprintf("run C(s[%d])", i/clients))
	}
	for i := range servers {
		runs = append(runs, fmt.Sprintf("run S(s[%d])", i))
	}
	return fmt.Sprintf(`
chan s[%d] = [1] of { bit };
proctype C(chan to) { end: do :: to ! 0; to ! 1 od }
proctype S(chan in) { end: do :: in ? _ od }
init { atomic { %s }; end: false }
`, servers, strings.Join(runs, "; "))
}

// handed has programs that are symmetric if processes, channels and numbers are renamed together, with the order of the group that
// is found.
var handed = []struct {
	name, src string
	order     int64
}{
	{"named channels", `
chan a = [1] of { byte };
chan b = [1] of { byte };
chan c = [1] of { byte };
proctype P(chan x) { byte y; end: do :: x ! 1 :: x ? y :: x ! 0 od }
init { atomic { run P(a); run P(b); run P(c) } }
`, 6},
	{"numbers from 1, a loop", clients(3, 1, true), 6},
	{"numbers from 0, processes in turn", clients(3, 0, false), 6},
	{"channels of init, of two kinds", `
proctype P(chan x; chan z) { byte y; end: do :: x ! 1 :: z ? y :: x ? 1 -> z ! 2 od }
init { chan a = [1] of { byte }; chan r = [1] of { byte }; chan b = [1] of { byte }; chan s = [1] of { byte };
  atomic { run P(a, r); run P(b, s) }; end: false }
`, 2},
	{"numbers of channels are looked at", `
chan a = [1] of { byte };
chan r = [1] of { byte };
chan b = [1] of { byte };
chan s = [1] of { byte };
proctype P(chan x; chan z) { end: do :: x ! 1; x ? 1; z ! 1; z ? 1; assert(z - x == 1) od }
init { atomic { run P(a, r); run P(b, s) }; end: false }
`, 1},
	{"a ring of channels", `
chan q[4] = [1] of { byte };
proctype P(chan in; chan out) { byte y; end: do :: in ? y -> out ! y od }
proctype Q(chan out) { out ! 1; end: false }
init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[3]); run P(q[3], q[0]); run Q(q[0]); run Q(q[1]); run Q(q[2]); run Q(q[3]) } }
`, 4},
	{"a ring of channels with names", `
chan ab = [1] of { bit };
chan bc = [1] of { bit };
chan ca = [1] of { bit };
proctype P(chan in; chan out) { bit y; end: do :: out ! 1 :: in ? y od }
init { atomic { run P(ca, ab); run P(ab, bc); run P(bc, ca) } }
`, 3},
	{"channels of pairs: the rotations of them are kept", `
chan ab = [1] of { bit };
chan ac = [1] of { bit };
chan ba = [1] of { bit };
chan bc = [1] of { bit };
chan ca = [1] of { bit };
chan cb = [1] of { bit };
proctype P(chan o1; chan i1; chan o2; chan i2) { end: do :: o1 ! 1 :: o2 ! 1 :: i1 ? 1 :: i2 ? 1 od }
init { atomic { run P(ab, ba, ac, ca); run P(bc, cb, ba, ab); run P(ca, ac, cb, bc) } }
`, 3},
	{"two servers with two clients that they tell apart", `
chan s = [1] of { bit };
chan u = [1] of { bit };
chan a = [1] of { bit };
chan b = [1] of { bit };
chan c = [1] of { bit };
chan d = [1] of { bit };
proctype C(chan to; chan in) { end: do :: to ! 1; in ? 1 od }
proctype S(chan in; chan x; chan y) { end: do :: in ? 1 -> if :: x ! 1 :: y ! 1 fi od }
init { atomic { run C(s, a); run C(s, b); run C(u, c); run C(u, d); run S(s, a, b); run S(u, c, d) } }
`, 2},
	{"two servers with two clients each: the clients are exchanged", nested(2, 2), 4},
	{"three servers with two clients each: the servers are exchanged", nested(3, 2), 6},
	{"one is handed something else", `
chan ch[4] = [1] of { byte };
byte turns;
proctype P(byte id; chan c; byte most) { end: do :: turns < most -> turns++; c ! id; c ? eval(id); turns-- od }
init { atomic { run P(1, ch[0], 2); run P(2, ch[1], 1); run P(3, ch[2], 1); run P(4, ch[3], 1) } }
`, 6},
	{"numbers that look alike and are told apart", `
byte x;
proctype P(byte id) { end: do :: id == 0 -> x = 1 :: id == 1 -> x = 2 od }
init { atomic { run P(0); run P(1) } }
`, 1},
	{"processes that come to their end", `
chan ch[2] = [1] of { byte };
proctype P(chan c) { c ! 1 }
init { atomic { run P(ch[0]); run P(ch[1]) } }
`, 1},
	{"one by one", `
chan ch[2] = [1] of { byte };
proctype P(chan c) { end: do :: c ! 1 :: c ? 1 od }
init { run P(ch[0]); run P(ch[1]) }
`, 1},
}

// pan returns what SPIN counts.
func pan(t *testing.T, src string) prog.Counts {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.pml")
	err := os.WriteFile(file, []byte(src), 0o666)
	var c prog.Counts
	if err == nil {
		c, err = promelatest.Pan(dir, file, time.Minute)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return c
}

// TestHanded: the groups of such programs have the orders that are said, as many states are kept as they have orbits, and
// SPIN has the verdicts and, without symmetry, the counts.
func TestHanded(t *testing.T) {
	for k, c := range handed {
		t.Run(c.name, func(t *testing.T) {
			if order := compare(t, c.src); order != c.order {
				t.Errorf("a group of order %d, want %d\n%s", order, c.order, c.src)
			}
			if !promelatest.HasSpin() || k > 4 && !nightly.On() {
				return
			}
			want := pan(t, c.src)
			off, _ := search(t, c.src, "off")
			on, _ := search(t, c.src, "auto")
			if off.Stats.States != want.States {
				t.Errorf("%d states, and %d of SPIN\n%s", off.Stats.States, want.States, c.src)
			}
			unsafe := slices.ContainsFunc(on.Props, func(p mc.PropResult) bool { return p.Status == mc.Unsafe })
			if unsafe != (want.Errors > 0) {
				t.Errorf("with symmetry some property is violated: %v; errors of SPIN: %d\n%s", unsafe, want.Errors, c.src)
			}
		})
	}
}

// TestHandedMail: five clients with a number and a mailbox each.
func TestHandedMail(t *testing.T) {
	for _, first := range []int{0, 1} {
		k, err := task.Open(t.Context(), "mail.pml", task.Options{Symmetry: "auto", Contents: []byte(clients(5, first, first == 1))})
		if err == nil {
			err = k.Prepare(t.Context(), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		if k.Report == nil || k.Report.Common.Order().Int64() != 120 {
			t.Errorf("numbers from %d: the group is %v, and should have order 120", first, k.Report)
		}
	}
}

// TestHandedRefuted: exchanges that the diagram suggests and the text does not keep are refuted on circuits. No
// derivation by form shows anything of them, and the check of a closed set that says so rejects it.
func TestHandedRefuted(t *testing.T) {
	src := `
byte x;
proctype P(byte id) { end: do :: true -> if :: id == 0 -> x = 1 :: id == 1 -> x = 0 fi od }
active proctype W() { assert(x < 2); end: false }
init { atomic { run P(0); run P(1) } }
`
	p, err := promela.Parse("p.pml", []byte(src), promela.Options{Reset: true})
	if err != nil {
		t.Fatal(err)
	}
	m, inferred := infer.Classes(p.Model)
	at := slices.IndexFunc(m.Scalarsets, func(y *model.Type) bool { return y.Elems != nil })
	if at < 0 || inferred.Generators() == 0 {
		t.Fatal("no exchange is suggested")
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	problem := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}}
	var props []int
	blocks := make([][][]int, len(m.Scalarsets))
	blocks[at] = [][]int{{0, 1}}
	for i := range m.Props {
		y := &ts.Symmetry{Blocks: []ts.Block{{Name: "P", Class: at, Elems: []int{0, 1}, Swaps: []*ts.Perm{enc.Transposition(at, 0, 1)}}}}
		problem.Groups, props = append(problem.Groups, y), append(props, i)
	}
	problem.Props, problem.Blocks, problem.Typed = props, blocks, true
	if _, _, err := states.TypedSets(problem, blocks, props); err == nil {
		t.Error("the second derivation accepts it by form")
	}
	if blocks, _ := typing.Check(m).Blocks(m, props, nil); slices.ContainsFunc(blocks[at], func(b []int) bool { return len(b) > 1 }) {
		t.Error("it is accepted by form")
	}
	r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(t.Context(), problem, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), problem, r)
	}
	if err == nil {
		t.Error("a closed set under an exchange that is no symmetry is accepted")
	}
	if _, k := search(t, src, "auto"); k.Report == nil || k.Report.Refuted == 0 || !k.Report.Common.Trivial() {
		t.Error("the exchange is not refuted")
	}
}

// randomHanded makes a program whose processes are handed numbers and channels, mostly in a symmetric way.
func randomHanded(r *rand.Rand) string {
	pick := func(xs ...string) string { return xs[r.IntN(len(xs))] }
	n, base, named := 2+r.IntN(2), r.IntN(2), r.IntN(2) == 0
	var b strings.Builder
	ch := func(i int) string {
		if named {
			return fmt.Sprintf("c%d", i)
		}
		return fmt.Sprintf("c[%d]", i)
	}
	slots, local := r.IntN(2), r.IntN(3) == 0
	own := ""
	declare := func(format string, args ...any) {
		if local {
			own += fmt.Sprintf(format, args...)
		} else {
			fmt.Fprintf(&b, format, args...)
		}
	}
	if fmt.Fprintf(&b, "chan net = [%d] of { byte };\n", r.IntN(2)); named {
		for i := range n {
			declare("chan c%d = [%d] of { byte };\n", i, slots)
		}
	} else {
		declare("chan c[%d] = [%d] of { byte };\n", n, slots)
	}
	fmt.Fprintf(&b, "bit flag[%d];\nbyte total, turn;\n", n+base)
	stmt := func() string {
		xs := []string{"net ! id", "net ? x", "mine ? x", "mine ! id", "mine ! 1", "atomic { flag[id] == 0; flag[id] = 1 }", "flag[id] = 0", "flag[x] = 0",
			"atomic { total < 2; total++ }", "atomic { total > 0; total-- }", "x == id", "x = id", "y = x", "turn = id", "turn == id", "atomic { mine ? y; net ! y }", "net ? eval(id)", "d_step { y = x; flag[y] = 1 }"}
		if r.IntN(12) == 0 {
			xs = append(xs, "id == 1", "x = 0", "turn = 1", fmt.Sprintf("turn = (id + 1) %% %d", n), "assert(id < 2)")
		}
		return pick(xs...)
	}
	b.WriteString("proctype P(byte id; chan mine) {\n  byte x, y;\n")
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "  %s;\n", stmt())
	}
	b.WriteString(pick("end:", "end:", "") + "\n  do\n")
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "  :: %s", stmt())
		for range r.IntN(3) {
			fmt.Fprintf(&b, "; %s", stmt())
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "; assert(%s)", pick("total < 2", "flag[id] == 1", "x != id", "total > 0"))
		}
		b.WriteString("\n")
	}
	b.WriteString("  od\n}\nproctype Q() {\n  byte w;\nend:\n  do\n  :: net ? w\n")
	if !named && !local && r.IntN(2) == 0 {
		fmt.Fprintf(&b, "     ; c[w - %d] ! %s\n", base, pick("w", "1"))
	}
	b.WriteString("  od\n}\n")
	var runs []string
	for i := range n {
		id, c := i+base, i
		switch r.IntN(15) {
		case 0:
			c = 0
		case 1:
			id = base
		}
		runs = append(runs, fmt.Sprintf("run P(%d, %s)", id, ch(c)))
	}
	r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	runs = slices.Insert(runs, r.IntN(n+1), "run Q()")
	if !named && r.IntN(4) == 0 {
		fmt.Fprintf(&b, "init { %sbyte i; atomic { run Q(); do :: i < %d -> run P(i + %d, c[i]); i++ :: else -> break od }; end: false }\n", own, n, base)
	} else {
		fmt.Fprintf(&b, "init { %satomic { %s }; end: false }\n", own, strings.Join(runs, "; "))
	}
	return b.String()
}

// TestHandedRandom: random programs have the verdicts and depths of a search without symmetry, and as many states are kept
// as there are orbits.
func TestHandedRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(211, 212))
	programs, least := 60, 24
	if nightly.On() {
		programs, least = 5000, 2000
	}
	symmetric, violated := 0, 0
	for i := range programs {
		src := randomHanded(r)
		off, k := search(t, src, "off")
		if off.Stats.States > 3000 || strings.Contains(verdicts(k, off), "unknown") {
			continue
		}
		if strings.Contains(verdicts(k, off), "unsafe") {
			violated++
		}
		if compare(t, src) > 1 {
			symmetric++
		}
		if i%25 == 24 && promelatest.HasSpin() && programs > 60 {
			if want := pan(t, src); off.Stats.States != want.States {
				t.Errorf("%d states, and %d of SPIN\n%s", off.Stats.States, want.States, src)
			}
		}
	}
	t.Logf("%d programs; %d symmetric, %d violate some property", programs, symmetric, violated)
	if symmetric < least || violated < least/2 {
		t.Error("too little happened")
	}
}
