package networks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/model/traces"
)

func testdata(t testing.TB, name string) string {
	text, err := os.ReadFile("testdata/" + name + ".m")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find guesses what in does not say, and finds the least number of networks.
func find(t testing.TB, src Source, in Spec, opt Options) *Result {
	t.Helper()
	in.Full = map[bool]string{true: "overflow"}[in.Full == ""] + in.Full
	spec, err := Guess(src, in)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Most == 0 {
		opt.Most = 3
	}
	out, err := Find(t.Context(), src, spec, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range out.Merges {
		p, run := w.Trace()
		if err := traces.Replay(p, run); err != nil {
			t.Errorf("%s: %v", w.Summary(), err)
		}
	}
	return out
}

func verdictOf(r *Result) Verdict {
	l := r.Levels[len(r.Levels)-1]
	switch {
	case r.Least > 0:
		return Free
	case l.Verdicts[Deadlock] > 0:
		return Deadlock
	case l.Verdicts[Overflow] > 0:
		return Overflow
	case l.Verdicts[Error] > 0:
		return Error
	}
	return Undecided
}

// TestRequests repeats what SanyaSriv's models of requests and responses show: with a network for each there is no deadlock;
// in one network there is one, with room for one message or two. That requests overflow a queue is no deadlock.
func TestRequests(t *testing.T) {
	src := sourceOf(testdata(t, "requests"))
	for _, capacity := range []int{1, 2} {
		out := find(t, src, Spec{Order: "pair", Capacity: capacity, Full: "wait"}, Options{})
		if out.Least != 2 || len(out.Merges) != 1 || out.Merges[0].Summary() != "deadlock with Request, Response together" || !out.Merges[0].Minimal {
			t.Errorf("capacity %d: %d networks, %v", capacity, out.Least, out.Merges)
		}
		out = find(t, src, Spec{Order: "pair", Capacity: capacity}, Options{})
		if l := out.Levels[0]; out.Least != 0 || l.Verdicts[Overflow] != 1 || l.Verdicts[Deadlock] != 0 {
			t.Errorf("capacity %d: %+v", capacity, l)
		}
	}
	src.variant = variant{counted: true}
	if l := find(t, src, Spec{Order: "pair", Capacity: 1}, Options{}).Levels[0]; l.Verdicts[Deadlock] != 1 {
		t.Errorf("the double does not count overflow as deadlock: %+v", l)
	}
}

// TestChannels: on the course model, Data and requests with forwards are enough for channels that block at their ends, also with
// three caches, and not for a network in which a channel is one queue: with three caches, two requests that wait block a Recall.
func TestChannels(t *testing.T) {
	for _, c := range []struct {
		order string
		nodes int
		want  Verdict
	}{{"none", 2, Free}, {"none", 3, Free}, {"pair", 3, Free}, {"network", 2, Free}, {"network", 3, Deadlock}} {
		src := sourceOf(testdata(t, "msi_vc"), fmt.Sprintf("NODE_NUM=%d", c.nodes))
		out := find(t, src, Spec{Order: c.order}, Options{Groups: [][]string{{"Data", "Done", "InvAck", "WriteBack"}}})
		if got := verdictOf(out); got != c.want {
			t.Errorf("%s, %d caches: %s, want %s", c.order, c.nodes, got, c.want)
		}
	}
	// Whoever puts requests off must not have responses in their channel: of 1022 assignments to two channels, those are free
	// in which responses are apart from requests, and Inv, Recall, PutAck and Data are anywhere.
	src := sourceOf(testdata(t, "msi_vc"))
	spec, err := Guess(src, Spec{Order: "none", Full: "overflow"})
	if err != nil {
		t.Fatal(err)
	}
	x := newSearcher(t, src, spec)
	x.assignments(2, func(of []int) bool {
		at := func(name string) int { return of[slices.Index(x.kind.Members, name)] }
		apart := true
		for _, request := range []string{"GetS", "GetM", "PutM"} {
			for _, response := range []string{"Done", "InvAck", "WriteBack"} {
				apart = apart && at(request) != at(response)
			}
		}
		d, err := x.decide(of)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]Verdict{true: Free, false: Deadlock}[apart]; d.verdict != want {
			t.Errorf("%s: %s, want %s", x.text(of), d.verdict, want)
		}
		return true
	})
}

// TestHome: in a protocol as that of CHI whose home alone puts messages off, and only requests, two networks are enough. If
// sources share queues, each merge of a request with what the home waits for is bad, and no other one.
func TestHome(t *testing.T) {
	src := sourceOf(testdata(t, "chi"), "N=3")
	for order, want := range map[string][]string{
		"pair":        {"ReadU SnpResp", "WriteBack SnpData", "WriteBack SnpResp"}, // what a cache may owe behind its own request
		"destination": nil,
	} {
		if want == nil && !nightly.On() {
			continue
		}
		if want == nil {
			for _, request := range []string{"ReadS", "ReadU", "WriteBack"} {
				for _, response := range []string{"CompAck", "SnpData", "SnpResp", "WbData"} {
					want = append(want, request+" "+response)
				}
			}
		}
		out := find(t, src, Spec{Order: order}, Options{Pairs: true})
		var got []string
		for _, w := range out.Merges {
			if w.Verdict != Deadlock || !w.Minimal || len(w.Merged) != 1 {
				t.Errorf("%s: %s", order, w.Summary())
			}
			got = append(got, strings.Join(w.Merged[0], " "))
		}
		slices.Sort(got)
		if out.Least != 2 || !slices.Equal(got, want) {
			t.Errorf("%s: %d networks, %q, want %q", order, out.Least, got, want)
		}
	}
}

// TestBehind: a queue that never becomes empty has a message that is consumed in front of one that is not. Without deadlock as a
// property, it is found in a later state than the one in which the queue cannot become empty any more.
func TestBehind(t *testing.T) {
	src := sourceWith(task.Options{Contents: []byte(benchmark(t, "msi_net")), TextOnly: true, Symmetry: "auto", Deadlock: "off"})
	out := find(t, src, Spec{Order: "destination"}, Options{})
	if out.Least != 2 || out.Levels[0].Verdicts[Deadlock] != 1 || len(out.Merges) != 2 || len(out.Merges[0].Waiting) == 0 {
		t.Errorf("%d networks, %+v, %d merges", out.Least, out.Levels[0], len(out.Merges))
	}
}

// TestTypes: types that are found late are part of the assignments.
func TestTypes(t *testing.T) {
	src := sourceOf(benchmark(t, "msi_net"))
	want := find(t, src, Spec{Order: "network"}, Options{})
	src.variant.blind = true
	got := find(t, src, Spec{Order: "network"}, Options{})
	if got.Least != want.Least || fmt.Sprint(got.Groups) != fmt.Sprint(want.Groups) || len(got.Types) != 10 {
		t.Errorf("%d networks, %v; want %d, %v", got.Least, got.Groups, want.Least, want.Groups)
	}
}

// TestSources: that sources share a queue hides a deadlock: a component that gets A behind B never takes it, and A is sent first.
func TestSources(t *testing.T) {
	src := sourceOf(testdata(t, "sources"))
	for order, want := range map[string]Verdict{"pair": Deadlock, "destination": Free, "network": Free} {
		if got := verdictOf(find(t, src, Spec{Order: order}, Options{Most: 1})); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
	src.variant = variant{merged: true}
	if got := verdictOf(find(t, src, Spec{Order: "pair"}, Options{Most: 1})); got != Free {
		t.Errorf("the double merges no sources: %s", got)
	}
}

// TestRefused: what is not covered is refused, with its line; names that are wrong, with what may be meant.
func TestRefused(t *testing.T) {
	const head = `type P: scalarset(2); K: enum {A, B}; M: record kind: K; src: P; dst: P; vc: 0..1; end;
var net: multiset [4] of M; n: array [P] of multiset [2] of M; b: array [0..1] of M; s: P;
procedure send(k: K; s: P; d: P); var m: M; begin m.kind := k; m.src := s; m.dst := d; multisetadd(m, net); end;
startstate undefine net; undefine n; undefine b; undefine s; end;
ruleset p: P; q: P do rule "go" p != q & multisetcount(i: net, true) < 2 ==> send(A, p, q); end; end;
`
	const take = `choose m: net do rule "take" multisetremove(m, net); end; end;`
	full := Spec{Network: "net", Type: "kind", Source: "src", Destination: "dst", Order: "pair", Full: "overflow"}
	for _, c := range []struct {
		rules string
		spec  func(s *Spec)
		want  string
	}{
		{take, func(s *Spec) { s.Network = "ned" }, "--network ned: m.m has no variable ned; did you mean net?"},
		{take, func(s *Spec) { s.Network = "s" }, "m.m:2:86: --network s: want a multiset of records"},
		{take, func(s *Spec) { s.Network = "n" }, "it has 1 indices: want a name for each, such as n[to]"},
		{take, func(s *Spec) { s.Network = "n[x]" }, "m.m:2:29: --network n[x]: the index x is neither --source nor --destination"},
		{take, func(s *Spec) { s.Type = "kint" }, "m.m:1:42: --type kint: messages have no field kint; did you mean kind?"},
		{take, func(s *Spec) { s.Type = "src" }, "want a field of an enum type, not P"},
		{take, func(s *Spec) { s.Source = "" }, "--source: want a field of a message or an index"},
		{take, func(s *Spec) { s.Source = "scr" }, "--source scr: messages have no field scr"},
		{take, func(s *Spec) { s.SentBy = []string{"A = P_1"} }, `"P_1" is no constant of P`},
		{take, func(s *Spec) { s.Boxes = []string{"s"} }, "--box s: want a variable with messages like those of net"},
		{take, func(s *Spec) { s.Order = "none" }, "--order none: it goes with --vc"},
		{take, func(s *Spec) { s.Full = "wait" }, "--full wait: it goes with --capacity"},
		{take, func(s *Spec) { s.VC = "src" }, "--vc src: want a field of a range"},
		{`rule "all" multisetremovepred(i: net, net[i].kind = A); end;`, nil, `rule "all" takes messages by a condition`},
		{`function who(): P; begin return s; end; rule "call" var m: M; begin multisetadd(m, n[who()]); end;`, func(s *Spec) { s.Network, s.Destination = "n[to]", "to" }, `rule "call" calls a function`},
		{`rule "early" if multisetcount(i: net, true) < 2 then return; end; end;`, func(s *Spec) { s.Full, s.Capacity = "wait", 1 }, `rule "early" returns before its end`},
		{`rule "none" undefine net; end;`, nil, `m.m:6:22: rule "none" changes messages in the network net; this is not covered`},
		{take + ` choose m: net do rule "turn" net[m].kind := B; end; end;`, nil, `rule "turn" changes messages in the network net`},
		{take + ` choose m: net do alias x: net[m] do rule "turn" x.kind := B; end; end; end;`, nil, `rule "turn" changes messages in the network net`},
		{take + ` procedure turn(var m: M); begin m.kind := B; end; choose m: net do rule "turn" turn(net[m]); end; end;`, nil, `rule "turn" changes messages in the network net`},
		{take + ` rule "lost" var m: M; begin m.kind := A; m.dst := s; if multisetcount(i: net, true) < 2 then multisetadd(m, net); end; end;`, nil, "a message has no dst, after 1 steps: this is not covered"},
		{take + ` ruleset p: P do rule "lost" var m: M; begin m.kind := A; m.dst := p; if multisetcount(i: net, true) < 2 then multisetadd(m, net); end; end; end;`, nil, "a message has no src, after 1 steps"},
		{`ruleset p: P do choose m: net do rule "relay" net[m].kind = A & net[m].dst = p ==> send(B, net[m].src, net[m].src); multisetremove(m, net); end; end; end;` + take, nil, `rule "relay" takes a message to P_2 and sends B from P_1 to P_1: say who sends it`},
		{`choose m: n[s] do rule "none" multisetremove(m, n[s]); end; end;`, func(s *Spec) { s.Network, s.Destination = "n[to]", "to" }, "m.m: no message is in n in any of the first"},
		{take, func(s *Spec) { s.Boxes = nil }, "m.m:2:29: n holds messages inside of other parts"},
	} {
		spec := full
		spec.Boxes = []string{""}
		if c.spec != nil {
			c.spec(&spec)
		}
		src := sourceOf(head + c.rules)
		if _, err := src.Read(); err != nil {
			t.Fatalf("%s: %v", c.rules, err)
		}
		_, err := Guess(src, spec)
		if err == nil {
			_, err = Find(t.Context(), src, spec, Options{Most: 2})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%+v: %v, want %s", c.rules, spec, err, c.want)
		}
	}
}

const small = `type P: enum {p, q}; KIND: enum {A, B, C}; M: record kind: KIND; src: P; dst: P; end;
var Net: array [P] of multiset [4] of M; n: 0..3; a: 0..79; b: 0..79;
procedure Send(k: KIND; s: P; d: P); var m: M; begin m.kind := k; m.src := s; m.dst := d; multisetadd(m, Net[d]); end;
`

// TestSmall: a message may say in which multiset it is; a start state with more than the capacity is an overflow, and no
// deadlock of all steps that leave it so; a merge is minimal only if what divides it is free, as an error may hide a deadlock.
func TestSmall(t *testing.T) {
	start := `startstate undefine Net; n := 0; a := 0; b := 0; Send(A, p, q); Send(A, p, q); Send(B, q, p); end;
ruleset d: P do choose m: Net[d] do alias x: Net[d][m] do rule "take" multisetremove(m, Net[x.dst]); end; end; end; end;
rule "again" n = 0 ==> n := 1; Send(A, p, q); end; rule "idle" n := 3 - n; end;`
	for _, c := range []struct {
		spec Spec
		want Verdict
	}{
		{Spec{Order: "pair"}, Free}, {Spec{Order: "network"}, Free},
		{Spec{Order: "pair", Capacity: 1, Full: "wait"}, Overflow}, {Spec{Order: "pair", Capacity: 2, Full: "wait"}, Free},
	} {
		if got := verdictOf(find(t, sourceWith(task.Options{Contents: []byte(small + start), Deadlock: "off"}), c.spec, Options{})); got != c.want {
			t.Errorf("%+v: %s, want %s", c.spec, got, c.want)
		}
	}
	const hidden = `startstate undefine Net; n := 0; a := 0; b := 0; end;
rule "go" n = 0 ==> Send(A, p, q); Send(B, p, q); Send(C, p, q); n := 1; end;
choose m: Net[q] do
rule "B" Net[q][m].kind = B & n = 1 ==> multisetremove(m, Net[q]); n := 2; end;
rule "A" Net[q][m].kind = A & n = 2 ==> multisetremove(m, Net[q]); n := 3; end;
rule "C" Net[q][m].kind = C & n >= 1 ==> multisetremove(m, Net[q]); end;
end;
rule "again" n = 3 & multisetcount(i: Net[q], true) = 0 ==> n := 0; end;
`
	for more, minimal := range map[string]bool{
		"": true,
		`invariant "early" n = 0 | n > 1 | multisetcount(i: Net[q], Net[q][i].kind = C) > 0;`: false,
		`rule "a" a := (a + 1) % 80; end; rule "b" b := (b + 1) % 80; end;`:                   true, // many states after the deadlock
	} {
		src := sourceWith(task.Options{Contents: []byte(small + hidden + more), Deadlock: "off"})
		w := find(t, src, Spec{Order: "pair"}, Options{}).Merges[0]
		if !strings.HasPrefix(w.Summary(), "deadlock with A, B") || len(w.Waiting) == 0 || w.Minimal != minimal {
			t.Errorf("%s%s, waiting %v, minimal %v", more, w.Summary(), w.Waiting, w.Minimal)
		}
	}
}

// TestOptions: options that would be passed over are refused; a search that ends before there is a model decides nothing.
func TestOptions(t *testing.T) {
	src := sourceOf(testdata(t, "requests"))
	spec, err := Guess(src, Spec{Order: "pair", Full: "overflow"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"Request/Request": "Request is assigned twice", "Request//Response": "network 2 has no types"} {
		groups := lists.Map(strings.Split(text, "/"), strings.Fields)
		if _, err := Find(t.Context(), src, spec, Options{Groups: groups}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	src.Search = func(context.Context, Change) (*Search, error) {
		return &Search{Stopped: "time limit"}, nil
	}
	if out, err := Find(t.Context(), src, spec, Options{Most: 2}); err != nil || out.Stopped != "time limit" || out.Least != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	vc := sourceOf(testdata(t, "msi_vc"))
	if spec, err = Guess(vc, Spec{Order: "none", Full: "overflow"}); err == nil {
		_, err = Find(t.Context(), vc, spec, Options{Most: 1, Pairs: true})
	}
	if err == nil || !strings.Contains(err.Error(), "--pairs: not with --vc") {
		t.Errorf("--pairs with --vc: %v", err)
	}
}

// TestDeepenStops: what follows a deadlock is not visited when the context has ended, and nothing is said of it then.
func TestDeepenStops(t *testing.T) {
	src := sourceOf(benchmark(t, "msi_net"))
	spec, err := Guess(src, Spec{Order: "pair", Full: "overflow"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := src.Read()
	if err != nil {
		t.Fatal(err)
	}
	w, err := rewrite(m, spec, nil, variant{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, want := range []bool{true, false} {
		c := newCode(ctx, w, model.Compile(m))
		c.machine.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
			if steps, known := c.deepen(slices.Clone(s), mostFollowed); known != want || steps != nil && !want {
				t.Errorf("%v, %v, want %v", steps, known, want)
			}
			c.machine.Successors(slices.Clone(s), func(_ model.Choice, s model.State, _ *model.Violation) bool {
				if waiting, known := c.stuck(slices.Clone(s), mostFollowed); known != want || len(waiting) > 0 || len(c.messages(s)) == 0 {
					t.Errorf("%v, %v, want %v", waiting, known, want)
				}
				return false
			})
			return false
		})
		cancel()
	}
}
