package networks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/model/traces"
)

const seeds = uint64(36)

var randomTypes = []string{"A", "B", "C"}

// randomModel is a protocol of two or three components with messages of three types: components send by themselves, and receive
// by rules whose guards look at the state, at the type, or at neither, so that the body puts the message off. Messages may be to
// oneself; a step may send two, in the order of their types; rules look at a message and leave it, or take two.
func randomModel(rng *rand.Rand, shape int, scalarset bool) string {
	flat := shape == 0
	var b strings.Builder
	typ, size, net, at, to := "0..1", 3, "array [P] of N", "net[p]", "net[d]"
	if scalarset {
		typ = "scalarset(2)"
	}
	if flat {
		net, at, to = "N", "net", "net"
	}
	if shape == 2 {
		size, net, at, to = 2, "array [P] of array [P] of N", "net[q][p]", "net[s][d]"
	}
	start := ""
	if !scalarset && rng.IntN(3) == 0 {
		start = " send(B, 0, 1);"
	}
	fmt.Fprintf(&b, `type P: %s; K: enum {A, B, C}; S: enum {s0, s1, s2};
M: record kind: K; src: P; dst: P; end; N: multiset [%d] of M;
var st: array [P] of S; net: %s; last: K;
procedure insert(m: M; var n: N); begin multisetadd(m, n); end;
procedure send(k: K; s: P; d: P); var m: M; begin m.kind := k; m.src := s; m.dst := d; insert(m, %s); end;
startstate for p: P do st[p] := s0; end; undefine net; last := A;%s end;
`, typ, size, net, to, start)
	state := func() string { return fmt.Sprintf("s%d", rng.IntN(3)) }
	kind := func() string { return randomTypes[rng.IntN(3)] }
	room := func(d string, n int) string {
		if shape == 2 {
			return fmt.Sprintf("forall q: P do multisetcount(i: net[q][%s], true) < %d end", d, 3-n)
		}
		if flat {
			return fmt.Sprintf("multisetcount(i: net, true) < %d", 4-n)
		}
		return fmt.Sprintf("multisetcount(i: net[%s], true) < %d", d, 4-n)
	}
	sends := func(who ...string) string {
		n := rng.IntN(10)
		if n < 4 {
			return ""
		}
		kinds := []string{kind()}
		if n == 9 {
			kinds = append(kinds, randomTypes[(slices.Index(randomTypes, kinds[0])+1)%3])
			slices.Sort(kinds)
		}
		out := ""
		for _, k := range kinds {
			out += fmt.Sprintf(" send(%s, p, %s);", k, who[rng.IntN(len(who))])
		}
		return out
	}
	for range 1 + rng.IntN(3) {
		fmt.Fprintf(&b, "ruleset p: P; q: P do rule st[p] = %s & %s & %s ==> send(%s, p, q); st[p] := %s; end; end;\n", state(), room("q", 2), room("p", 2), kind(), state())
	}
	for range 1 + rng.IntN(2) {
		fmt.Fprintf(&b, "ruleset p: P do rule st[p] = %s ==> st[p] := %s; end; end;\n", state(), state())
	}
	mine := "true"
	if flat {
		mine = at + "[m].dst = p"
	}
	around, place := "choose m: "+at+" do %s end;", at
	if rng.IntN(2) == 0 {
		around, at = "alias c: "+at+" do choose m: c do %s end; end;", "c"
	}
	for _, k := range randomTypes {
		for range 1 + rng.IntN(2) {
			guard := fmt.Sprintf("%s & %s[m].kind = %s", mine, at, k)
			if rng.IntN(5) < 2 {
				guard += " & st[p] = " + state()
			}
			take := fmt.Sprintf("multisetremove(m, %s);%s st[p] := %s;", at, sends("q", "p"), state())
			switch rng.IntN(8) {
			case 0:
				take = fmt.Sprintf("if st[p] = %s then %s end;", state(), take)
			case 1: // send first
				take = fmt.Sprintf("%s last := %s; multisetremove(m, %s);", sends("q"), k, at)
			}
			room := room("p", 1) + " & " + room("q", 1)
			if (flat || !strings.Contains(take, "send(")) && strings.Count(take, "send(") < 2 && !strings.HasPrefix(strings.TrimSpace(take), "send") {
				room = "true"
			}
			fmt.Fprintf(&b, "ruleset p: P; q: P do %s end;\n", fmt.Sprintf(around, fmt.Sprintf("rule %s & %s ==> %s end;", room, guard, take)))
		}
	}
	at = place
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&b, "ruleset p: P; q: P do choose m: %s do rule %s & %s[m].kind = %s ==> st[p] := %s; end; end; end;\n", at, mine, at, kind(), state())
	}
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&b, "ruleset p: P; q: P do choose m: %s do choose n: %s do rule %s & m != n & %s[m].kind = %s & %s[n].kind = %s ==> multisetremove(m, %s); multisetremove(n, %s); st[p] := %s; end; end; end; end;\n",
			at, at, strings.ReplaceAll(mine+" & "+mine, "[m]", "[m]"), at, kind(), at, kind(), at, at, state())
	}
	return b.String()
}

// randomSpec is how the messages of a random model are read.
func randomSpec(shape int, order string) Spec {
	s := Spec{Network: "net", Type: "kind", Source: "src", Destination: "dst", Order: order, Full: "overflow"}
	switch shape {
	case 1:
		s.Network, s.Destination = "net[to]", "to"
	case 2:
		s.Network, s.Source, s.Destination = "net[from][to]", "from", "to"
	}
	return s
}

func randomReader(f map[string]string, _ []string) (kind, from, to string) {
	return f["kind"], f["src"], f["dst"]
}

// differences decides all assignments of a random model with the search and the oracle, and counts where they differ. seen
// counts verdicts, and those by a witness.
func differences(t *testing.T, seed uint64, v variant, seen map[string]int) (n int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape, order := int(seed%3), Orders[seed/3%3]
	if shape == 2 && order == "destination" {
		order = "pair"
	}
	text := randomModel(rng, shape, seed/9%2 == 0)
	src := sourceOf(text)
	src.variant = v
	spec := randomSpec(shape, order)
	if seed%2 == 0 {
		spec.Capacity, spec.Full = 1, "wait"
	}
	m, err := src.Read()
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	r, err := resolve(m, spec)
	if err != nil {
		t.Fatal(err)
	}
	x := &searcher{ctx: t.Context(), src: src, spec: spec, codes: map[int]*code{}, known: map[string]*decision{}, kind: r.kindType(), types: []int{0, 1, 2}}
	o := newOracle(t, src, "net", order, randomReader)
	o.capacity = spec.Capacity
	o.rank = map[string]int{"A": 1, "B": 2, "C": 3}
	for k := 1; k <= 3; k++ {
		x.assignments(k, func(of []int) bool {
			names := map[string]int{}
			for i, name := range randomTypes {
				names[name] = of[i]
			}
			want, _ := o.verdict(names)
			d, err := x.decide(of)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			seen[string(d.verdict)]++
			if !d.found {
				seen["by a witness"]++
			}
			if d.verdict != want && d.verdict != Undecided && (want != Error || d.verdict == Free) {
				if n++; v == (variant{}) {
					t.Errorf("seed %d, %s, %v: %s, the oracle says %s\n%s", seed, order, of, d.verdict, want, text)
				}
			}
			if v == (variant{}) && d.found && d.witness != nil {
				if err := traces.Replay(d.witness.code.program, d.witness.trace); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
			return true
		})
	}
	return n
}

// TestRandom: on random protocols, the verdict on each assignment is that of the oracle.
func TestRandom(t *testing.T) {
	seen := map[string]int{}
	for seed := range seeds {
		differences(t, seed, variant{}, seen)
		if t.Failed() {
			break
		}
	}
	t.Log(seen)
	if seen["free"] < 20 || seen["deadlock"] < 50 || seen["by a witness"] < 30 {
		t.Errorf("too few of a kind: %v", seen)
	}
}

// TestDoubles: leaving a step out gives wrong verdicts. TestSources, TestRequests and TestExclude have other doubles.
func TestDoubles(t *testing.T) {
	n, seen := 0, map[string]int{}
	for seed := uint64(0); seed < seeds && n == 0; seed++ {
		n = differences(t, seed, variant{unmoved: true}, seen)
	}
	if n == 0 {
		t.Errorf("messages behind one that is taken stay: no verdict is wrong (%v)", seen)
	}
}
