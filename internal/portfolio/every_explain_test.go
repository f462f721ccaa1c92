package portfolio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/param"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// explained asks whether the properties of a model are inductive, and replays what it shows.
func explained(t *testing.T, file, deadlock string) *Every {
	t.Helper()
	e := &Every{File: file, Induct: true, Literals: true, Task: task.Options{Deadlock: deadlock}}
	if err := e.Run(t.Context()); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(e.Free) > 0 && e.Stopped == "" && (e.Proved != nil) == (e.CTIs != nil) {
		t.Errorf("%s: proved %v, and %d counterexamples: %s", file, e.Proved != nil, len(e.CTIs), e.Obstacle())
	}
	for _, x := range e.CTIs {
		if err := replays(e, x); x.Violated != "" && err != nil {
			src, _ := os.ReadFile(file)
			t.Errorf("%s: %q, %s at %v: %v\n%s", file, x.Property, x.Step, x.Size, err, src)
		}
	}
	return e
}

// replays checks a counterexample from the text, its sizes and its values: the invariants hold before the step, and the
// step of the reference interpreter violates the property.
func replays(e *Every, x *Counterexample) error {
	src, _ := withLemmas(e.source, e.lemmas)
	opt := murphi.Options{Consts: make(map[string]string)}
	for name, n := range x.Size {
		opt.Consts[name] = fmt.Sprint(n)
	}
	m, err := murphi.Parse(e.File, src, opt)
	if err != nil {
		return err
	}
	w := reference.NewWalker(m)
	holds := func(s model.State, p *model.Property) bool { did := w.Says(s, p); return did.Holds && did.Prop < 0 }
	name := x.Property
	if i := slices.IndexFunc(e.Offers, func(o *Offer) bool { return o.At == x.Lemma }); i >= 0 {
		name = fmt.Sprintf("lemma %d", i+1)
	}
	named := func(p *model.Property) bool { return p.Name == name }
	prop := m.Props[slices.IndexFunc(m.Props, named)]
	for _, p := range m.Props {
		if x.before != nil && p.Kind == model.Invariant && !holds(x.before, p) {
			return fmt.Errorf("%q is false before the step", p.Name)
		}
	}
	if x.before == nil != x.Start {
		return fmt.Errorf("a state before: %v", x.before)
	}
	if x.Rule == "" {
		for _, r := range m.Rules {
			for _, params := range model.InstancesOf(r.Params) {
				did := w.Fire(x.before, r, params)
				after := slices.Clone(x.before)
				for _, l := range did.Writes {
					after[l] = w.Value(l)
				}
				if did.Prop >= 0 || did.Holds && !slices.Equal(after, x.before) {
					return fmt.Errorf("rule %q makes a step, or errs", r.Name)
				}
			}
		}
		return nil
	}
	var did reference.Walked
	at := func(r *model.Rule) bool { return x.At == fmt.Sprintf("%s:%v", e.File, r.Pos) }
	if x.Start {
		did = w.Start(m.Starts[slices.IndexFunc(m.Starts, at)], x.choice.Params)
	} else {
		did = w.Fire(x.before, m.Rules[slices.IndexFunc(m.Rules, at)], x.choice.Params)
	}
	if x.after == nil {
		if !slices.Contains(did.Violates(), prop.Index) {
			return fmt.Errorf("no error %q", x.Violated)
		}
		return nil
	}
	for i, v := range x.after {
		if w.Value(i) != v {
			return fmt.Errorf("%s is %s after the step", m.LeafName(i), m.Leaf(i).Type.Format(w.Value(i)))
		}
	}
	if !did.Holds || did.Prop >= 0 || holds(x.after, prop) {
		return fmt.Errorf("the property holds after the step, or it is none")
	}
	return nil
}

// TestExplain replays the counterexamples to induction of our models.
func TestExplain(t *testing.T) {
	files, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil {
		t.Fatal(err)
	}
	n, found, proved := 0, 0, 0
	for _, file := range files {
		if slices.Contains([]string{"flash_data.m", "cxl_cache.m"}, filepath.Base(file)) {
			continue // they take a minute or more
		}
		e := explained(t, file, "")
		n += len(e.CTIs)
		for _, x := range e.CTIs {
			if x.Violated != "" {
				found++
			}
		}
		if e.Proved != nil {
			proved++
		}
	}
	t.Logf("%d counterexamples, %d with a state; %d models are proved", n, found, proved)
	if n < 50 || found < n*9/10 || proved < 2 {
		t.Errorf("%d counterexamples, %d with a state; %d models are proved", n, found, proved)
	}
}

// TestExplainRandom replays those of random models.
func TestExplainRandom(t *testing.T) {
	n, found, proved, errs, starts, stuck := 0, 0, 0, 0, 0, 0
	for k := range nightly.Or(150, 5000) {
		src := murphitest.Counted(rand.New(rand.NewPCG(uint64(k), 21)))
		var lines []string
		for line := range strings.Lines(src) {
			if !strings.HasPrefix(line, "cover") && !strings.HasPrefix(line, "liveness") && !strings.HasPrefix(line, "assume") {
				lines = append(lines, line)
			}
		}
		file := filepath.Join(t.TempDir(), fmt.Sprintf("random%d.m", k))
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		e := explained(t, file, []string{"off", "stuttering"}[k%2])
		n += len(e.CTIs)
		for _, x := range e.CTIs {
			switch {
			case x.Violated == "":
				t.Logf("%d: %q, %s", k, x.Property, x.Step)
				continue
			case x.Start:
				starts++
			case x.Rule == "":
				stuck++
			case x.after == nil:
				errs++
			}
			found++
		}
		if e.Proved != nil {
			proved++
		}
	}
	t.Logf("%d counterexamples, %d with a state, of these %d errors, %d start states, %d deadlocks; %d models are proved", n, found, errs, starts, stuck, proved)
	if found < n*9/10 || errs == 0 || stuck == 0 || proved == 0 {
		t.Error("the models are too tame")
	}
}

// TestOffered: a lemma that is offered is a candidate. One that is false proves nothing, though the property would
// follow from it; were it kept, the check would find that it is not inductive.
func TestOffered(t *testing.T) {
	const src = `const N: 3; type P: scalarset(N);
var on: array [P] of boolean; n: 0..5; late: boolean;
startstate for p: P do on[p] := false; end; n := 0; late := false; end;
rule "up" n < 5 ==> n := n + 1; end;
rule "down" n > 0 ==> n := n - 1; end;
rule "late" n = 5 ==> late := true; end;
ruleset p: P do rule "turn" true ==> on[p] := !on[p]; end; end;
invariant "ok" !late;
`
	const offer = "ruleset p: P do invariant \"off\" !on[p]; end;\ninvariant \"few\" n < 5;\ninvariant \"range\" n <= 5;\n"
	file, lemmas := filepath.Join(t.TempDir(), "m.m"), filepath.Join(t.TempDir(), "lemmas.m")
	for name, text := range map[string]string{file: src, lemmas: offer} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, induct := range []bool{false, true} {
		e := &Every{File: file, Most: 3, Offered: []string{lemmas}, Induct: induct}
		if err := e.Run(t.Context()); err != nil || e.Proved != nil || e.Violated == induct {
			t.Errorf("proved %v, violated %v, %v", e.Proved != nil, e.Violated, err)
		}
		if !induct {
			if v := e.Offers[1].Verdict; !strings.HasPrefix(v, "dropped: it is false in a reachable state at N=2") {
				t.Errorf("a false lemma is %s", v)
			}
			err := e.check(t.Context(), new(param.Outcome), nil, []string{e.Offers[1].Expr})
			if err == nil || !strings.Contains(err.Error(), `after "up"`) {
				t.Errorf("a false lemma was kept: %v", err)
			}
		}
		for _, x := range e.CTIs {
			if x.Property == "ok" {
				t.Errorf("%s, though a lemma excludes it", x.Step)
			}
			if err := replays(e, x); err != nil {
				t.Error(err)
			}
		}
		if induct && len(e.CTIs) == 0 {
			t.Error("no counterexamples")
		}
	}
}
