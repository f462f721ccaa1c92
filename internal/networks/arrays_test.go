package networks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/internal/task"
)

// TestPolicies repeats what SanyaSriv's models show: if requests and responses share queues, there is a deadlock, but not if a
// request is sent only to whom nothing is owed, or leaves a place for a response; that something was answered is not enough.
func TestPolicies(t *testing.T) {
	for _, room := range []int{1, 2, 3} {
		for policy, want := range []int{2, 1, 1, 2} {
			src := sourceOf(benchmark(t, "request_queues"), fmt.Sprint("ROOM=", room), fmt.Sprint("POLICY=", policy))
			spec, err := Guess(src, Spec{Network: "Queue[dst][src]"})
			if err != nil {
				t.Fatal(err)
			}
			if policy == 2 && room == 1 {
				continue // nothing is ever sent
			}
			if spec.Capacity != room || spec.Full != "wait" || spec.Order != "pair" {
				t.Fatalf("guessed: %+v", spec)
			}
			out, err := Find(t.Context(), src, spec, Options{Most: 2})
			if err != nil {
				t.Fatal(err)
			}
			if out.Least != want || want == 2 && out.Merges[0].Summary() != "deadlock with Request, Response together" {
				t.Errorf("room %d, policy %d: %d networks, %v", room, policy, out.Least, out.Merges)
			}
		}
	}
}

// TestChannelVariables: queues of several variables, or of several values of an index that is neither source nor destination, are
// one network, in which responses wait behind requests.
func TestChannelVariables(t *testing.T) {
	for name, in := range map[string]Spec{"channels": {}, "channel_index": {Network: "net[vc][to]"}} {
		src := sourceOf(testdata(t, name))
		spec, err := Guess(src, in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Find(t.Context(), src, spec, Options{Most: 2, Pairs: true})
		if err != nil {
			t.Fatal(err)
		}
		if out.Least != 2 || spec.Order != "destination" || spec.Capacity != 2 || len(out.Merges) != 1 || !out.Merges[0].Minimal {
			t.Errorf("%s: %+v: %d networks, %v", name, spec, out.Least, out.Merges)
		}
		if out.Queues != "81 states, all there are" {
			t.Errorf("%s: compared in %s", name, out.Queues)
		}
	}
}

// twins are a random protocol twice: with arrays of queues, and with multisets. Shapes: queues by destination; by destination
// and source; as records of messages and count; in two variables, between which a field tells in the multiset.
func twins(rng *rand.Rand, nodes, shape int, waits bool, length int) (arrays, sets string) {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	state := func() string { return pick("s0", "s1", "s2") }
	channels, dims, fields := []string{"a"}, "array [P] of", ""
	at := func(to, from string) string { return "[" + to + "]" }
	if shape == 1 {
		dims = "array [P] of array [P] of"
		at = func(to, from string) string { return "[" + to + "][" + from + "]" }
	}
	if shape == 3 {
		channels, fields = []string{"a", "b"}, " ch: C;"
	}
	head := fmt.Sprintf("type P: scalarset(%d);", nodes) + " K: enum {A, B, D}; S: enum {s0, s1, s2}; C: enum {ca, cb}; M: record kind: K; src: P; dst: P;FIELDS end;\n"
	x := strings.Replace(head, "FIELDS", "", 1) + fmt.Sprintf("R: record row: array [0..%d] of M; n: 0..%d; end;\nvar st: array [P] of S;\n", length-1, length)
	y := strings.Replace(head, "FIELDS", fields, 1) + fmt.Sprintf("N: multiset[%d] of M;\nvar st: array [P] of S; net: %s N;\n", 2*nodes*(length+1), dims)
	cell := func(c, where string) (row, n string) { return c + where, "n" + c + where }
	if shape == 2 {
		cell = func(c, where string) (row, n string) { return c + where + ".row", c + where + ".n" }
		x += "a: " + dims + " R;\n"
	}
	for _, c := range channels {
		row, n := cell(c, at("d", "s"))
		if shape != 2 {
			x += fmt.Sprintf("var %s: %s array [0..%d] of M; n%[1]s: %[2]s 0..%[4]d;\n", c, dims, length-1, length)
		}
		x += fmt.Sprintf(`procedure send_%s(k: K; s: P; d: P); var m: M; begin m.kind := k; m.src := s; m.dst := d; %s[%s] := m; %[3]s := %[3]s + 1; end;
procedure pop_%[1]s(d: P; s: P); begin for i := 0 to %[3]s - 1 do if i < %[3]s - 1 then %[2]s[i] := %[2]s[i+1]; else undefine %[2]s[i]; end; end; %[3]s := %[3]s - 1; end;
`, c, row, n)
		y += fmt.Sprintf("procedure send_%s(k: K; s: P; d: P); var m: M; begin m.kind := k; m.src := s; m.dst := d;%s multisetadd(m, net%s); end;\n",
			c, map[bool]string{true: " m.ch := c" + c + ";"}[shape == 3], at("d", "s"))
	}
	start := "startstate for p: P do st[p] := s0; end; %s end;\n"
	zero := ""
	for _, c := range channels {
		_, n := cell(c, at("p", "q"))
		zero += fmt.Sprintf("undefine %s; for p: P do for q: P do %s := 0; end; end; ", c, n)
	}
	x, y = x+fmt.Sprintf(start, zero), y+fmt.Sprintf(start, "undefine net;")
	rule := func(front string, guard, body string) { // from c; "": nobody looks
		room := ""
		for _, c := range channels {
			if _, n := cell(c, at("q", "p")); strings.Contains(body, "send_"+c+"(") && waits {
				room += fmt.Sprintf(" & %s < %d", n, length)
			}
		}
		if front == "" {
			text := fmt.Sprintf("ruleset p: P; q: P do rule p != q & %s%%s ==> %s end; end;\n", guard, body)
			x, y = x+fmt.Sprintf(text, room), y+fmt.Sprintf(text, "")
			return
		}
		row, n := cell(front, at("p", "q"))
		mine := map[bool]string{true: "net" + at("p", "q") + "[m].ch = c" + front + " & "}[shape == 3]
		x += fmt.Sprintf("ruleset p: P; q: P do rule p != q & %s > 0 & %s%s ==> %s end; end;\n", n, strings.ReplaceAll(guard, "FRONT", row+"[0]"), room, strings.ReplaceAll(body, "POP", "pop_"+front+"(p, q);"))
		y += fmt.Sprintf("ruleset p: P; q: P do choose m: net%s do rule p != q & %s%s ==> %s end; end; end;\n", at("p", "q"), mine,
			strings.ReplaceAll(guard, "FRONT", "net"+at("p", "q")+"[m]"), strings.ReplaceAll(body, "POP", "multisetremove(m, net"+at("p", "q")+");"))
	}
	send := func(c string) string { return fmt.Sprintf(" send_%s(%s, p, q);", c, pick("A", "B", "D")) }
	for _, c := range channels {
		rule("", "st[p] = "+state(), send(c)+" st[p] := "+state()+";")
	}
	for i := range 3 {
		if rng.IntN(12) > 0 { // else components may end
			rule("", fmt.Sprintf("st[p] = s%d", i), fmt.Sprintf("st[p] := s%d;", (i+1)%3))
		}
	}
	for _, c := range channels {
		for _, k := range []string{"A", "B", "D"} {
			guard := "FRONT.kind = " + k
			if rng.IntN(3) == 0 {
				guard += " & st[p] = " + state()
			}
			answer := ""
			if rng.IntN(5) == 0 {
				answer = send(channels[rng.IntN(len(channels))])
			}
			take := "POP" + answer + " st[p] := " + state() + ";"
			if !waits && rng.IntN(4) == 0 {
				take = "if st[p] = " + state() + " then " + take + " end;"
			}
			rule(c, guard, take)
		}
	}
	return x, y
}

// TestTwins: arrays of queues have the verdicts that multisets have, under each assignment.
func TestTwins(t *testing.T) {
	verdicts := map[Verdict]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 60))
		shape, waits, length := [...]int{0, 1, 2, 3, 3}[seed%5], rng.IntN(3) > 0, 1+rng.IntN(4)/3
		nodes := 2
		if shape == 0 && length == 1 {
			nodes += rng.IntN(2)
		}
		x, y := twins(rng, nodes, shape, waits, length)
		in := Spec{Network: "a[to]", Type: "kind", Source: "src", Destination: "to", Order: pick(rng, "pair", "destination", "network"), Full: "overflow", Capacity: length}
		switch {
		case shape == 1:
			in.Network, in.Source = "a[to][from]", "from"
			in.Order = pick(rng, "pair", "network")
		case shape == 3:
			in.Network = "a[to] b[to]"
		}
		if waits && strings.Contains(x, fmt.Sprintf("< %d", length)) {
			in.Full = "wait"
		}
		twin := in
		twin.Network = strings.Replace(strings.Replace(in.Network, "a[", "net[", 1), " b[to]", "", 1)
		read := func(text string) Source {
			return sourceWith(task.Options{Contents: []byte(text), TextOnly: true, Symmetry: "off"})
		}
		a, b := read(x), read(y)
		if _, err := conforms(a, in); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, x)
		}
		xa, xb := newSearcher(t, a, in), newSearcher(t, b, twin)
		for _, of := range [][]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}} {
			da, err := xa.decide(of)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, x)
			}
			db, err := xb.decide(of)
			if err != nil {
				t.Fatal(err)
			}
			if verdicts[da.verdict]++; da.verdict != db.verdict || da.found && db.found && da.states != db.states {
				t.Errorf("seed %d, %+v, %v: %s with %d states, %s with %d states with multisets", seed, in, of, da.verdict, da.states, db.verdict, db.states)
			}
		}
	}
	t.Log(verdicts)
	for _, v := range []Verdict{Free, Deadlock, Overflow} {
		if verdicts[v] < 10 {
			t.Errorf("%v", verdicts)
		}
	}
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

// TestNoQueues: what is not a FIFO queue is refused, at its place or by a run that differs.
func TestNoQueues(t *testing.T) {
	text := benchmark(t, "request_queues")
	for _, c := range []struct{ old, new, want string }{
		{"Queue[dst][src][i] := Queue[dst][src][i+1];", "", "m.m:46:1: a message of Queue is taken and the others do not move"},
		{"Queue[dst][src][i] := Queue[dst][src][i+1];", "Queue[dst][src][i+1] := Queue[dst][src][i];", "m.m:50:22: Queue is changed: want"},
		{"if i + 1 < Count[dst][src] then", "if i > 1 then", `m.m:75:3: rule "Answer" does something else with queues`}, // the second message is lost
		{"Queue[dst][src][Count[dst][src]] := m;", "Queue[dst][src][Count[dst][src]].kind := kind;", "nothing counts its messages: want a statement Queue[…][count[…]] := message"},
		{"Count[dst][src] := Count[dst][src] + 1;", "", "m.m:42:3: a message is stored, and the next statement does not raise"},
		{"Count[dst][src] := Count[dst][src] + 1;", "Count[src][dst] := Count[src][dst] + 1;", "m.m:42:3: a message is stored, and the next statement does not raise"},
		{"Queue[n][o][0].kind = Response", "Queue[n][o][1].kind = Response", "m.m:84:34: Queue is read: want the front"},
		{"n != o & Count[o][n] < ROOM", "n != o & Count[n][o] < ROOM & Count[o][n] < ROOM", `rule "Request" does something else with queues`},
		{"n != o & Count[o][n] < ROOM", "n != o & (Count[o][n] < ROOM | Count[n][o] > 0)", "m.m:69:23: Count may tell that a queue is full"},
		{"Count[n][o] > 0 & Queue[n][o][0].kind = Response", "Count[n][o] > 0 & Queue[n][o][0].kind = Response & Queue[o][n][0].kind = Response", `rule "Take" looks at the fronts of several`},
		{"Token[n] := false;\n  end;\n\n", "Token[n] := false; Count[n][o] := 0;\n  end;\n\n", "m.m:72:32: Count is changed"},
		{"procedure Pop(", "procedure Zero(var c: 0..ROOM); begin c := 0; end;\nprocedure Empty(d: Node; s: Node); begin Zero(Count[d][s]); end;\nprocedure Pop(", "m.m:47:55: Count may tell that a queue is full"},
		{"Token[n] := false;\n  end;\n\n", "Token[n] := false; clear Queue;\n  end;\n\n", "Queue is changed"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("%q is not in the model", c.old)
		}
		_, err := Guess(sourceOf(changed, "ROOM=3"), Spec{Network: "Queue[dst][src]"})
		if err == nil {
			_, err = conforms(sourceOf(changed, "ROOM=3"), Spec{Network: "Queue[dst][src]", Type: "kind", Source: "src", Destination: "dst"})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.new, err, c.want)
		}
	}
	for _, c := range []struct {
		in   Spec
		want string
	}{
		{Spec{Network: "Queue[dst][src]", Full: "overflow"}, `rule "Answer" waits for room in a queue: want --full wait`},
		{Spec{Network: "Queue[dst][src]", Order: "none"}, "--order none"},
		{Spec{Network: "Queue[dst][src] Queue[dst][src]"}, "shares a variable"},
		{Spec{Network: "Queue[dst][a]"}, "call it vc"},
	} {
		spec, err := Guess(sourceOf(text), c.in)
		if err == nil {
			_, err = Find(t.Context(), sourceOf(text), spec, Options{Most: 1})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.in, err, c.want)
		}
	}
}

// shortQueues has queues of one message, which are like much else that is no queue if there is one network.
const shortQueues = `const L: 1;
type P: 0..1; K: enum {Req, Rsp}; M: record kind: K; end;
var Q: array [P] of array [0..L-1] of M; C: array [P] of 0..L; turn: P;
procedure Send(d: P; k: K); var m: M; begin m.kind := k; Q[d][C[d]] := m; C[d] := C[d] + 1; end;
procedure Pop(d: P); begin undefine Q[d][C[d]-1]; C[d] := C[d] - 1; end;
function Any(): boolean; begin for p: P do if C[p] > 0 & Q[p][0].kind = Req then return true; end; end; return false; end;
function Other(p: P): boolean; begin if C[1-p] = 0 then return false; end; return Q[1-p][0].kind = Req; end;
PROC
startstate undefine Q; for p: P do C[p] := 0; end; turn := 0; end;
ruleset n: P; k: K do rule "send" C[n] < L ==> Send(n, k); end; end;
ruleset n: P do
rule "turn" turn := n; end;
rule "take" C[n] > 0 & Q[n][0].kind = Rsp ==> Pop(n); end;
RULE
end;
`

// TestShortQueues: what no run of the model with one network shows is refused by its text.
func TestShortQueues(t *testing.T) {
	const several, full = `rule "r" looks at the fronts of several queues, or`, "may tell that a queue is full"
	for _, c := range []struct{ rule, want string }{
		{`rule "r" C[n] > 0 & Q[n][0].kind = Req ==> Pop(n); end;`, ""},
		{`rule "r" C[0] > 0 & Q[0][0].kind = Req ==> Pop(0); end; rule "s" C[1] > 0 & Q[1][0].kind = Req ==> Pop(1); end;`, ""},
		{`rule "r" C[n] > 0 ==> alias p: n do Pop(p); end; end;`, ""},
		{`rule "r" C[n] > 0 & C[1-n] > 0 & Q[n][0].kind = Req ==> Pop(n); Pop(1-n); end;`, several},
		{`rule "r" C[n] > 0 & Q[n][0].kind = Req & Other(n) ==> Pop(n); end;`, several},
		{`rule "r" C[n] > 0 & Any() ==> Pop(n); end;`, several},
		{`rule "r" C[n] > 0 ==> for p: P do if p = n then Pop(p); end; end; end;`, several},
		{`rule "r" C[turn] > 0 & C[n] > 0 & Q[turn][0].kind = Req ==> turn := n; Pop(turn); end;`, several},
		{`rule "r" C[turn] > 0 & C[n] > 0 & Q[turn][0].kind = Req ==> alias o: turn do o := n; end; C[turn] := C[turn] - 1; end;`, several},
		{`function Room(p: P): boolean; begin return C[p] < L; end; PROC rule "r" Room(n) ==> Send(n, Req); end;`, full},
		{`rule "r" !(L = C[n]) ==> Send(n, Req); end;`, full},
		{`rule "r" C[n] + 1 <= L ==> Send(n, Req); end;`, full},
		{`function Full(p: P): boolean; var x: 0..L; begin x := C[p]; return x = L; end; PROC rule "r" !Full(n) ==> Send(n, Req); end;`, full},
		{`function Full(p: P): boolean; begin switch C[p] case L: return true; else return false; end; end; PROC rule "r" !Full(n) ==> Send(n, Req); end;`, full},
		{`rule "r" true ==> if C[n] < L then Send(n, Req); end; end;`, full},
		{`rule "r" C[n] < L ==> Send(n, Req); assert C[n] <= L "too many"; end;`, full},
		{`function f(var c: 0..L): P; begin return c; end; PROC rule "r" f(C[n]) != n ==> Send(n, Req); end;`, "the count of a queue has another name"},
		{`invariant "short" forall p: P do C[p] <= L end;`, full},
	} {
		proc, rule, ok := strings.Cut(c.rule, "PROC")
		if !ok {
			proc, rule = "", c.rule
		}
		src := sourceOf(strings.NewReplacer("PROC", proc, "RULE", rule).Replace(shortQueues))
		if _, err := conforms(src, Spec{Network: "Q[to]", Type: "kind", Destination: "to"}); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.rule, err, c.want)
		}
	}
}

// TestTakenAgain: with more networks than the model has, a second message may be there after one was taken; which one is next is
// not said, so this is no error of the model.
func TestTakenAgain(t *testing.T) {
	for _, again := range []string{"Pop(n);", "if Q[n][0].kind = Req then turn := n; end;"} {
		rule := `rule "r" C[n] > 0 & Q[n][0].kind = Req ==> Pop(n); if C[n] > 0 then ` + again + ` end; end;`
		src := sourceOf(strings.NewReplacer("PROC", "", "RULE", rule).Replace(shortQueues))
		spec, err := Guess(src, Spec{Network: "Q[to]"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Find(t.Context(), src, spec, Options{Groups: [][]string{{"Req"}, {"Rsp"}}}); err == nil || !strings.Contains(err.Error(), "holds no element, after 3 steps: this is not covered") {
			t.Errorf("%s: %v", again, err)
		}
	}
}
