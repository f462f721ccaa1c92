package benchmarks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestRumurSuite holds explicit search and bounded model checking, under Rumur's
// dialect, to what Rumur says of the tests of its own suite: a model that it
// rejects is rejected, one that passes is safe with as many states, and the
// first violation of one that fails has its depth. It prints the outcome of
// each row, and why one does not apply.
func TestRumurSuite(t *testing.T) {
	dir := publicModels(t)
	count := make(map[string]int)
	for _, row := range readTable(t, filepath.Join(dir, "rumur_tests.tsv")) {
		t.Run(strings.TrimSuffix(row["name"], ".m"), func(t *testing.T) {
			path := filepath.Join(dir, "murphi", "rumur-tests", row["name"])
			if _, err := os.Stat(path); err != nil {
				count["not applicable"]++
				t.Skip("not applicable: the model is not here")
			}
			if err := rumurRow(t, path, row); err != nil {
				count["fail"]++
				t.Error(err)
				return
			}
			count["pass"]++
		})
	}
	t.Logf("%d pass, %d fail, %d not applicable", count["pass"], count["fail"], count["not applicable"])
	if count["pass"] < 200 {
		t.Error("too few rows pass")
	}
}

// rumurRow checks one row of the table. Options of Rumur that say how it works,
// not what it checks, do not matter.
func rumurRow(t *testing.T, path string, row map[string]string) error {
	opt := murphi.Options{Dialect: model.Rumur}
	bound := -1
	flags := strings.Fields(row["rumur_flags"])
	for i := 0; i+1 < len(flags); i += 2 {
		switch flags[i] {
		case "--deadlock-detection":
			for mode := model.Stuttering; mode <= model.DeadlockOff; mode++ {
				if flags[i+1] == mode.String() {
					opt.Deadlock = mode
				}
			}
		case "--bound":
			n, err := strconv.Atoi(flags[i+1])
			if err != nil {
				t.Log("the option --bound is wrong, which is not about the model")
				return nil
			}
			bound = n
		}
	}
	m, err := murphi.ReadFile(path, opt)
	if row["expected_verdict"] == "REJECT" {
		if err == nil {
			return fmt.Errorf("accepted; Rumur says %s", row["head_error_message"])
		}
		t.Log(err)
		return nil
	}
	if err != nil {
		return err
	}
	p, _, err := assemble(m, nil)
	encoded := err == nil
	if !encoded {
		t.Log("explicit search only:", err)
		p = &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
	}
	var sum tally
	r, err := run(&explicit.Engine{Canon: explicit.Exact}, p, mc.Options{All: true, Bounded: bound >= 0, MaxDepth: bound}, &sum)
	if err != nil {
		return err
	}
	if row["expected_verdict"] == "CHECK_PASS" {
		states := strconv.FormatInt(r.Stats.States, 10)
		switch {
		case r.Violated() || bound < 0 && r.Verdict() != mc.Safe:
			return fmt.Errorf("explicit: %v, want no violation", r.Props)
		case bound < 0 && states != row["head_states"]:
			return fmt.Errorf("%s states, want %s", states, row["head_states"])
		}
		if !encoded {
			return nil
		}
		k := min(r.Stats.Depth+1, 6)
		if bound >= 0 {
			k = min(k, bound)
		}
		if b, err := run(&bmc.Checker{NewSolver: newSolver}, p, mc.Options{All: true, Bounded: true, MaxDepth: k}, &sum); err != nil || b.Violated() {
			return fmt.Errorf("bmc to depth %d: %v, %v, want no violation", k, b, err)
		}
		return nil
	}
	if !r.Violated() {
		return fmt.Errorf("explicit: %v, want a violation", r.Props)
	}
	lines, err := strconv.Atoi(row["head_error_depth"])
	if err != nil || lines == 0 || row["category"] == "liveness" || strings.Contains(row["rumur_flags"], "--max-errors") {
		return nil // the table is about another violation, or one without a trace
	}
	first := p.First(r)
	if first == nil || first.Depth != lines-1 {
		return fmt.Errorf("explicit: the first violation is %v, want depth %d: %v", first, lines-1, r.Props)
	}
	got := "error"
	switch kind := p.Kind(first.Prop); kind {
	case model.Deadlock, model.Invariant:
		got = kind.String()
	}
	want, message := "error", row["head_error_message"]
	for _, kind := range []string{"deadlock", "invariant"} {
		if strings.HasPrefix(message, kind) {
			want = kind
		}
	}
	if got != want && message != "" {
		return fmt.Errorf("explicit: the first violation is that of %s %q, Rumur's: %s", got, p.Name(first.Prop), message)
	}
	if !encoded {
		return nil
	}
	b, err := run(&bmc.Checker{NewSolver: newSolver}, p, mc.Options{All: true, Bounded: true, MaxDepth: lines - 1}, &sum)
	if err != nil {
		return err
	}
	if first := p.First(b); first == nil || first.Depth != lines-1 {
		return fmt.Errorf("bmc: the first violation is %v, want depth %d", first, lines-1)
	}
	return nil
}
