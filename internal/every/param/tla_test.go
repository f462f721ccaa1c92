package param

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/model"
)

// tla writes conditions as a module in a folder, and returns the lines for TLC at its end.
func tla(t *testing.T, c *Conditions, dir, module string) (text, config string) {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteTLA(&b, module); err != nil {
		t.Fatal(err)
	}
	text = b.String()
	if err := os.WriteFile(filepath.Join(dir, module+".tla"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	_, config, _ = strings.Cut(text, "(* A configuration of TLC:\n")
	return text, strings.TrimSuffix(config, "*)\n")
}

// TestTLA: a module as it is written by hand, but for parentheses; names that TLA+ has, or that are there already, are others.
func TestTLA(t *testing.T) {
	src := `const N: 3; type NODE: scalarset(N);
var WF_NEXT: array [NODE] of enum {Idle, Busy}; Next: NODE; free: boolean;
startstate begin for n: NODE do WF_NEXT[n] := Idle; end; undefine Next; free := true; end;
ruleset n: NODE do rule "Next" WF_NEXT[n] = Idle & free ==> WF_NEXT[n] := Busy; free := false; Next := n; end; end;
ruleset Next_: NODE do rule "next!" !free & Next_ = Next ==> WF_NEXT[Next_] := Idle; free := true; undefine Next; end; end;
invariant "one" forall p: NODE do WF_NEXT[p] = Busy -> !free & p = Next end;
invariant "asks Next" free | WF_NEXT[Next] = Busy;`
	text, _ := tla(t, conditions(t, src, 2), t.TempDir(), "short")
	want, err := os.ReadFile("testdata/short.tla")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("got\n%s", text)
	}
	if err := conditions(t, `const N: 3; type P: scalarset(N); var x: array [P] of boolean; k: 0..N;
startstate begin for p: P do x[p] := false; end; k := 0; end;
ruleset p: P do rule !x[p] ==> x[p] := true; k := k + 1; end; end;`, 1).WriteTLA(&bytes.Buffer{}, "m"); err == nil {
		t.Error("counts are written")
	}
}

// TestTLC: in its module a model has the states that it has in the interpreter. It takes the command that
// runs TLC in ORBITMC_TLC, such as java -cp tla2tools.jar tlc2.TLC.
func TestTLC(t *testing.T) {
	tlc := strings.Fields(os.Getenv("ORBITMC_TLC"))
	if len(tlc) == 0 {
		t.Skip("no ORBITMC_TLC")
	}
	found := regexp.MustCompile(`([\d,]+) distinct states found, 0 states left`)
	compare := func(name string, c *Conditions, m *model.Model) {
		dir := t.TempDir()
		_, config := tla(t, c, dir, "model")
		config = regexp.MustCompile(`(?m)^INVARIANTS.*\n`).ReplaceAllString(config, "")
		if err := os.WriteFile(filepath.Join(dir, "model.cfg"), []byte(config), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(context.Background(), tlc[0], append(slices.Clone(tlc[1:]), "-workers", "1", "-config", "model.cfg", "model.tla")...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		want := len(states(m))
		if got := found.FindSubmatch(out); err != nil || got == nil || strings.ReplaceAll(string(got[1]), ",", "") != fmt.Sprint(want) {
			t.Errorf("%s: %d states, and TLC:\n%s", name, want, out)
		}
	}
	for _, c := range []struct {
		model, size string
		consts      map[string]string
	}{
		{"mutex_sem", "N", nil}, {"mesi_snoop", "NODE_NUM", nil}, {"moesi", "NODE_NUM", map[string]string{"DATA_NUM": "1"}},
		{"german", "NODE_NUM", map[string]string{"DATA_NUM": "2"}}, {"flash", "NODE_NUM", nil},
		{"distributed/toy_consensus", "NODES", map[string]string{"QUORUMS": "2", "VALUES": "2"}}, {"distributed/lock_server_async", "NODES", map[string]string{"LOCKS": "2"}},
	} {
		text, err := os.ReadFile("../../../benchmarks/murphi/" + c.model + ".m")
		if err != nil {
			t.Fatal(err)
		}
		if c.consts == nil {
			c.consts = map[string]string{}
		}
		c.consts[c.size] = "2"
		m, err := read(t, c.model+".m", text, []string{c.size}, c.consts)
		if err != nil {
			t.Fatal(err)
		}
		k, err := New(context.Background(), m, map[string]int{c.size: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		compare(c.model, k, m)
	}
	for seed := range uint64(40) {
		g := &source{Rand: rand.New(rand.NewPCG(seed, 41)), tame: seed%3 > 0}
		src := g.model()
		m, err := read(t, "random.m", []byte(src), []string{"N"}, map[string]string{"N": "2"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(context.Background(), m, map[string]int{"N": 2}, nil)
		if errors.As(err, new(*Refusal)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.WriteTLA(&bytes.Buffer{}, "model"); err == nil {
			compare(src, c, m)
		}
	}
}

// states returns the states that are reachable by steps that do not err.
func states(m *model.Model) map[string]bool {
	mach := model.Compile(m).NewMachine()
	seen := map[string]bool{}
	var todo []model.State
	visit := func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v == nil && !seen[fmt.Sprint(s)] {
			seen[fmt.Sprint(s)] = true
			todo = append(todo, slices.Clone(s))
		}
		return true
	}
	mach.Starts(visit)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		mach.Successors(s, visit)
	}
	return seen
}
