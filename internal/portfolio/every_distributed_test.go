package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
)

// TestEveryDistributed proves distributed protocols for all sizes of all their classes, quorums among them.
func TestEveryDistributed(t *testing.T) {
	for _, c := range []struct {
		name string
		by   string // what the evidence says
		long bool
	}{
		{"client_server", "no condition tells more components apart", false},
		{"client_server_db", "no condition tells more components apart", true},
		{"consensus", "no condition tells more components apart", true},
		{"consensus_ghost", "no condition tells more components apart", true},
		{"consensus_leader", "no condition tells more components apart", true},
		{"decentralized_lock", "no condition tells more components apart", false},
		{"learning_switch", "Z3", false},
		{"learning_switch_packets", "Z3", true},
		{"lock_server", "no condition tells more components apart", false},
		{"lock_server_async", "no condition tells more components apart", false},
		{"sharded_kv", "no condition tells more components apart", true},
		{"sharded_kv_no_lost_keys", "no condition tells more components apart", false},
		{"toy_consensus", "no condition tells more components apart", false},
		{"toy_consensus_ghost", "no condition tells more components apart", false},
		{"two_phase_commit", "no condition tells more components apart", false},
	} {
		if c.long && !nightly.On() || c.by == "Z3" && !certify.HasSMT() {
			continue
		}
		e := &Every{File: "../../benchmarks/murphi/distributed/" + c.name + ".m", Task: task.Options{Deadlock: "off"}, Most: 5}
		if err := e.Run(context.Background()); err != nil || e.Proved == nil {
			t.Errorf("%s is not proved: %v, %s", c.name, err, e.Obstacle())
			continue
		}
		if !strings.Contains(e.Proved.How, c.by) || e.Fixed != nil {
			t.Errorf("%s: %s, fixed %v", c.name, e.Proved.How, e.Fixed)
		}
		if claim := e.Claim(); strings.HasPrefix(c.name, "toy_") != strings.Contains(claim, `for all that satisfies "Meet", at `) {
			t.Errorf("%s: the claim is %q", c.name, claim)
		}
	}
}

// TestEveryAssumed: a claim names the assumptions, whoever proves it: a sweep on many machines has the proof of a task.
func TestEveryAssumed(t *testing.T) {
	e := &Every{File: "../../benchmarks/murphi/distributed/toy_consensus.m", Task: task.Options{Deadlock: "off"}}
	if err := e.Open(context.Background()); err != nil || len(e.Assumed) != 1 || !strings.Contains(e.Claim(), `for all that satisfies "Meet", at `) {
		t.Errorf("%v, assumed %q, the claim is %q", err, e.Assumed, e.Claim())
	}
}

// TestEveryAssumedCTI: a start state that violates an assumption and an invariant is two counterexamples to induction.
func TestEveryAssumedCTI(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	src := `const N: 2; type P: scalarset(N); var a: array [P] of boolean; t: boolean;
startstate for p: P do a[p] := false; end; t := false; end;
rule "t" true ==> begin t := !t; end;
assume "some" exists p: P do a[p] end;
invariant "i" t;
`
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file, Induct: true}
	if err := e.Run(context.Background()); err != nil || e.Proved != nil {
		t.Fatalf("proved %v, %v", e.Proved != nil, err)
	}
	start := make(map[string]bool) // properties that the start state violates
	for _, x := range e.CTIs {
		start[x.Property] = start[x.Property] || x.Start
		if want := map[string]string{"some": "assumption", "i": "invariant"}[x.Property]; x.Kind != want {
			t.Errorf("%q is called %s", x.Property, x.Kind)
		}
	}
	if !start["some"] || !start["i"] {
		t.Errorf("start states: %v", start)
	}
}

// TestEveryQuorumsWrong: what holds only because of an assumption that nothing satisfies is not proved, nor what is false
// where quorums need not meet.
func TestEveryQuorumsWrong(t *testing.T) {
	src, err := os.ReadFile("../../benchmarks/murphi/distributed/toy_consensus.m")
	if err != nil {
		t.Fatal(err)
	}
	meet := "exists n: Node do Member[p][n] & Member[q][n] end"
	for _, c := range []struct {
		name, with string
		violated   bool
	}{
		{"no model", "exists n: Node do Member[p][n] & !Member[q][n] end", false},
		{"quorums that are not empty", "exists n: Node do Member[p][n] end", true},
		{"quorums that meet if they are one", "p != q | " + meet, true},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(strings.Replace(string(src), meet, c.with, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Task: task.Options{Deadlock: "off"}, Most: 3}
		if err := e.Run(context.Background()); err != nil || e.Proved != nil || e.Partial != nil || e.Violated != c.violated {
			t.Errorf("%s: proved %v, violated %v, %v", c.name, e.Proved != nil, e.Violated, err)
		}
		e = &Every{File: file, Task: task.Options{Deadlock: "off"}, Induct: true}
		if err := e.Run(context.Background()); err != nil || e.Proved != nil || len(e.CTIs) == 0 {
			t.Errorf("%s: proved %v, %d counterexamples to induction, %v", c.name, e.Proved != nil, len(e.CTIs), err)
		}
	}
}
