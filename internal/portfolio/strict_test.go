package portfolio

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/pdr"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
)

// on returns the problem that the only engine of a run ended with.
func (e *ends) on() *mc.Problem { return e.out.about[e.out.Each[0]] }

// sound compares a run of a symbolic engine with a search that decided everything. Depths of bmc are
// shortest.
func (e *ends) sound(ref *ends, shortest bool) error {
	for i, pr := range e.out.Result.Props {
		want, name := ref.out.Result.Props[i], e.t.Problem.Name(pr.Prop)
		switch {
		case want.HasTrace() && pr.Bound >= want.Depth:
			return fmt.Errorf("%s: not within %d steps, and after %d", name, pr.Bound, want.Depth)
		case pr.Status == mc.Unknown:
		case pr.Status != want.Status:
			return fmt.Errorf("%s: %v, want %v", name, pr.Status, want.Status)
		case pr.HasTrace() && (pr.Depth < want.Depth || shortest && pr.Depth > want.Depth):
			return fmt.Errorf("%s: depth %d, want %d", name, pr.Depth, want.Depth)
		}
	}
	return nil
}

// order returns the order of the group of all properties of a problem.
func order(p *mc.Problem) (least int64) {
	for i, prop := range p.Props {
		n := int64(1)
		if y := p.Group(prop); y != nil {
			n = y.Order().Int64()
		}
		if least = min(least, n); i == 0 {
			least = n
		}
	}
	return least
}

// TestHiddenSymbolic: symbolic engines use the symmetry of a model whose quantifiers might hide an
// error if none does, and fall back to that of the plain encoding if one does. What is
// hidden in a property costs others nothing.
func TestHiddenSymbolic(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hidden.m")
	for _, c := range hiddenCases {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(hiddenHead+c.rest), 0o644); err != nil {
				t.Fatal(err)
			}
			ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range []string{"bmc", "pdr", "cofactor", "all"} {
				for _, all := range []bool{true, false} {
					e, err := decide(file, engine, "auto", task.Options{}, mc.Options{All: all, MaxDepth: 5})
					if err == nil {
						err = e.sound(ref, engine == "bmc")
					}
					if err != nil {
						t.Fatalf("%s, all %v: %v", engine, all, err)
					}
					if engine == "all" {
						continue
					}
					if engine != "bmc" && all && e.out.Result.Open() > 0 {
						t.Errorf("%s: %d properties are open", engine, e.out.Result.Open())
					}
					p := e.on()
					if engine == "bmc" {
						p = e.out.Problem // bmc took its groups, and not the problem
					}
					switch {
					case !c.hides && order(p) != 24:
						t.Errorf("%s: a group of order %d", engine, order(p))
					case c.hides && all && (strict(p) || order(p) == 24):
						t.Errorf("%s: a group of order %d of a system that hides errors", engine, order(p))
					}
				}
			}
			if !strings.HasPrefix(c.name, "in a property") && !strings.HasPrefix(c.name, "in the param") {
				return
			}
			for _, engine := range []string{"bmc", "pdr"} {
				e, err := decide(file, engine, "auto", task.Options{Props: []string{"deadlock"}}, mc.Options{MaxDepth: 5})
				if err != nil {
					t.Fatal(err)
				}
				if p := e.out.Problem; p.System() == nil || order(p) != 24 {
					t.Errorf("%s: what is hidden in a property costs another one its symmetry", engine)
				}
			}
		})
	}
}

// TestHiddenKinds: operands that violate two properties hide an error, as the first one counts. What the
// engines say then is what the model does.
func TestHiddenKinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kinds.m")
	src := hiddenHead + `function f(p: P): boolean; begin assert a[p] = 0 "raised"; return u[p]; end;
rule "x" !done & exists p: P do a[p] = 1 end ==> if forall p: P do f(p) end then done := true; end; end;`
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if tk, p := strictly(t, file); !strict(p) || order(p) != 24 {
		t.Fatalf("%s: a group of order %d", tk.File, order(p))
	}
	for _, engine := range []string{"bmc", "pdr", "cofactor"} {
		e, err := decide(file, engine, "auto", task.Options{}, mc.Options{All: true, MaxDepth: 5})
		if err == nil {
			err = e.sound(ref, engine == "bmc")
		}
		if err != nil || strict(e.on()) || !e.out.Result.Violated() {
			t.Errorf("%s: %v, %v, on the strict encoding: %v", engine, err, e.out.Result.Verdict(), strict(e.on()))
		}
	}
}

// strictly returns the problem of a model for engines that begin anew where an error is hidden.
func strictly(t *testing.T, file string) (*task.Task, *mc.Problem) {
	t.Helper()
	tk, err := task.Open(t.Context(), file, task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tk.Restarts = true
	if err := tk.Prepare(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := tk.ProveWellFormed(t.Context(), &tk.Analysis); err != nil {
		t.Fatal(err)
	}
	return tk, tk.Problem
}

// blind returns a problem whose properties do not ask for hidden errors.
func blind(p *mc.Problem) *mc.Problem {
	q, enc := *p, *p.Enc
	enc.PropBads = nil
	for _, bads := range p.Enc.PropBads {
		enc.PropBads = append(enc.PropBads, slices.DeleteFunc(slices.Clone(bads), func(b int) bool {
			return strings.HasPrefix(enc.Sys.Bads[b].Name, "hidden error")
		}))
	}
	q.Enc = &enc
	return &q
}

// TestHiddenSymbolicDouble: an engine that does not ask whether an error is hidden gives wrong
// bounds, and proves what is violated. The check of its proofs does ask, also that of a
// certificate.
func TestHiddenSymbolicDouble(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	file := filepath.Join(dir, "hidden.m")
	bounds, proofs, accepted := 0, 0, 0
	for _, c := range hiddenCases {
		if err := os.WriteFile(file, []byte(hiddenHead+c.rest), 0o644); err != nil {
			t.Fatal(err)
		}
		ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		tk, p := strictly(t, file)
		if !strict(p) {
			t.Fatalf("%s: the plain encoding", c.name)
		}
		r, err := (&bmc.Checker{NewSolver: tk.NewSolver}).Run(ctx, blind(p), mc.Options{All: true, MaxDepth: 5})
		if err == nil {
			err = (&ends{tk, &Outcome{Result: r}}).sound(ref, true)
		}
		if err != nil {
			if bounds++; !c.hides {
				t.Errorf("%s: bmc: %v", c.name, err)
			}
		}
		r, err = (&pdr.Engine{NewSolver: tk.NewSolver}).Run(ctx, blind(p), mc.Options{All: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		wrong := false // something violated is proved
		for i, pr := range r.Props {
			wrong = wrong || pr.Status == mc.Safe && ref.out.Result.Props[i].Status == mc.Unsafe
		}
		if wrong {
			proofs++
		}
		if wrong && !c.hides {
			t.Errorf("%s: pdr proves what is violated", c.name)
		}
		if err := certify.Verify(ctx, blind(p), r); err != nil {
			t.Errorf("%s: the evidence of blind pdr on the system that it saw: %v", c.name, err)
		}
		var text bytes.Buffer
		if err := Certificate(tk, &Outcome{Each: []*mc.Result{r}, Problem: p}).Write(&text, certify.New(ctx, p)); err != nil {
			t.Fatal(err)
		}
		cert := filepath.Join(dir, "hidden.cert")
		if err := os.WriteFile(cert, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := Certify(ctx, file, cert, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := certify.Verify(ctx, p, r); wrong && (err == nil || out.Accepted) {
			t.Errorf("%s: a wrong proof is accepted: %v, %+v", c.name, err, out)
		}
		if !out.Accepted {
			continue
		}
		if accepted++; out.Options["encoding"] != "strict" {
			t.Errorf("%s: the certificate is about the encoding %s", c.name, out.Options["encoding"])
		}
	}
	if bounds < 4 || proofs < 2 || accepted < 2 {
		t.Errorf("blind bmc was wrong %d times, blind pdr %d times; %d certificates were accepted", bounds, proofs, accepted)
	}
}

// TestHiddenClosure: the states that a search visits are checked on the model, even if its problem
// has an encoding that stutters where an error is hidden.
func TestHiddenClosure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hidden.m")
	src := `type P: scalarset(3); var u: array [P] of boolean; n: 0..3;
startstate n := 0; for p: P do undefine u[p]; end; for p: P do if n = 0 then u[p] := true; n := 1; end; end; end;
rule "x" n < 3 & exists p: P do u[p] end ==> n := n + 1; end;
invariant "i" n < 3;`
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	_, p := strictly(t, file)
	if !strict(p) {
		t.Fatal("the plain encoding")
	}
	if err := os.WriteFile(file, []byte(strings.Replace(src, "n < 3 &", "n > 3 &", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, idle := strictly(t, file)
	for _, c := range []struct {
		what string
		of   *mc.Problem
		ok   bool
	}{{"without the rule", idle, true}, {"with the rule, which errors keep from being taken in the system", p, false}} {
		idle.Props = []int{0}
		r, err := (&explicit.Engine{Canon: explicit.None}).Run(t.Context(), idle.Exact(), mc.Options{})
		if err != nil || r.Closure == nil || r.Closure.Len() != 1 {
			t.Fatalf("%v, %v", r, err)
		}
		c.of.Props = []int{0}
		if err := certify.Verify(t.Context(), c.of, r); (err == nil) != c.ok {
			t.Errorf("the states that are reached without the rule, %s: %v", c.what, err)
		}
	}
}

// TestHiddenSymbolicRandom compares bmc and pdr on random models whose quantifiers may hide errors
// with search without symmetry.
func TestHiddenSymbolicRandom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hiding.m")
	models := 60
	switch {
	case testing.Short():
		models = 20
	case nightly.On():
		models = 5_000
	}
	kept, fell := 0, 0
	for k := range models {
		src := murphitest.Hiding(rand.New(rand.NewPCG(uint64(k), 6)))
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		fail := func(err error) { t.Fatalf("model %d: %v\n%s", k, err, src) }
		how := task.Options{Dialect: []string{"cmurphi", "rumur"}[k%2], Deadlock: []string{"stuttering", "stuck"}[k/2%2]}
		ref, err := decide(file, "explicit", "off", how, mc.Options{All: true})
		if err != nil {
			fail(err)
		}
		for _, engine := range []string{"bmc", "pdr"} {
			e, err := decide(file, engine, "auto", how, mc.Options{All: true, MaxDepth: 4})
			if err == nil {
				err = e.sound(ref, engine == "bmc")
			}
			if err != nil {
				fail(fmt.Errorf("%s: %w", engine, err))
			}
			switch {
			case strict(e.on()):
				kept++
			case e.t.Hides():
				fell++
			}
		}
	}
	t.Logf("%d runs keep the symmetry, %d fall back", kept, fell)
	if kept < models/20 || fell < models/10 {
		t.Errorf("of %d models in %d runs the symmetry is kept, %d fall back", models, kept, fell)
	}
}
