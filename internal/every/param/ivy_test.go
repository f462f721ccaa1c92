package param

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// TestIvyText: a model as it is written by hand, but for parentheses. Names that mean something in Ivy are others, and what
// is read of a family after it was assigned is what it was before.
func TestIvyText(t *testing.T) {
	src, err := os.ReadFile("testdata/short.m")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := conditions(t, string(src), 2).WriteIvy(&b); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/short.ivy")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s", &b)
	}
	if _, failed := ivy(t, b.String()); len(failed) > 0 {
		t.Errorf("Ivy refuses %v", failed)
	}
}

// ivy checks a text with the command in ORBITMC_IVY, such as ivy_check, and returns what does not hold: "rule invariant",
// or "rule" where that may err; "init" stands for start states. There is none without that command; ok is false then,
// and where Ivy has no answer.
func ivy(t *testing.T, text string) (ok bool, failed map[string]bool) {
	t.Helper()
	command := strings.Fields(os.Getenv("ORBITMC_IVY"))
	if len(command) == 0 {
		return false, nil
	}
	file := filepath.Join(t.TempDir(), "model.ivy")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], append(command[1:], file)...).CombinedOutput()
	if ctx.Err() != nil {
		return false, nil
	}
	failed = make(map[string]bool)
	at, done := "init", false
	for _, line := range strings.Split(string(out), "\n") {
		if m := regexp.MustCompile(`^ *(?:\(internal\)|in action) (\w+)`).FindStringSubmatch(line); m != nil {
			at = m[1]
		}
		if m := regexp.MustCompile(`: (\w+) \.\.\. FAIL`).FindStringSubmatch(line); m != nil {
			failed[strings.TrimSuffix(at+" "+m[1], " guarantee")] = true
		}
		if strings.Contains(line, "initializers must be checked ... FAIL") {
			failed["init"] = true
		}
		done = done || line == "OK" || strings.HasPrefix(line, "error: failed checks")
	}
	if !done || (err != nil) != (len(failed) > 0) {
		t.Fatalf("%v\n%s\n%s", err, text, out)
	}
	return true, failed
}

// TestIvy: of random models each condition that has no model is accepted, and each other one is refused.
func TestIvy(t *testing.T) {
	if os.Getenv("ORBITMC_IVY") == "" {
		t.Skip("no ORBITMC_IVY")
	}
	accepted, refused, weaker, late := 0, 0, 0, 0
	for seed := range uint64(40) {
		src := (&source{Rand: rand.New(rand.NewPCG(seed, 61)), tame: seed%3 > 0}).model()
		free, sizes := []string{"N"}, map[string]string{"N": "3"}
		if seed%2 == 0 {
			src = (&quorums{Rand: rand.New(rand.NewPCG(seed, 62)), in: make(map[string][]string)}).model()
			src = strings.ReplaceAll(src, `"some"`, `"there"`) // a word of Ivy
			free, sizes = []string{"N", "M"}, map[string]string{"N": "3", "M": "3"}
		}
		m, err := read(t, "random.m", []byte(src), free, sizes)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(context.Background(), m, map[string]int{"N": 1, "M": 1}, nil)
		if errors.As(err, new(*Refusal)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.WriteIvy(&b); err != nil {
			t.Fatal(err)
		}
		c.Each = true
		o, err := c.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(int) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		open, weak := make(map[string]bool), make(map[string]bool) // those that were made weaker may have no model
		for _, k := range o.Open {
			at := "no_deadlock"
			switch {
			case k.Step != nil && k.Step.run.start:
				at = "init"
			case k.Step != nil:
				at = k.Step.Name
			}
			if k.Conjunct >= 0 {
				at += " " + letters(c.Conjuncts[k.Conjunct].Prop.Name)
			}
			w := c.newWitnesses()
			for _, j := range c.Conjuncts {
				w.demand(j.F)
			}
			w.with(k.Condition)
			open[at], weak[at] = true, weak[at] || w.weak
		}
		ok, failed := ivy(t, b.String())
		if !ok {
			late++
			continue
		}
		for at := range failed {
			if !open[at] {
				t.Fatalf("seed %d: Ivy refuses %s, which has no model\n%s\n%s", seed, at, src, &b)
			}
			refused++
		}
		accepted += len(c.Conditions()) - len(open)
		for at := range open {
			switch {
			case failed[at] || failed[strings.Fields(at)[0]]: // an assertion that fails is assumed by what follows
			case weak[at] || seed%2 > 0: // pointers may lead nowhere
				weaker++
			default:
				t.Errorf("seed %d: Ivy accepts %s, which has a model\n%s\n%s", seed, at, src, &b)
			}
		}
	}
	t.Logf("%d conditions accepted, %d refused, %d accepted that were made weaker, %d files without an answer", accepted, refused, weaker, late)
	if accepted < 50 || refused < 50 || weaker > 10 || late > 4 {
		t.Error("the models are too tame, or too hard")
	}
}
