package certfile_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/encode/cnf"
	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/sat/gophersat"
	"orbitmc/ts"
)

// TestWitness: witness circuits of proofs of random systems are inductive, state by
// state, fulfil the conditions of the competition for the netlists that are
// written, and survive writing and reading. Mutated ones fulfil them only if that
// makes no difference; Certifaiger, if CERTIFAIGER names its script "check", says
// the same of all of them.
func TestWitness(t *testing.T) {
	ctx := context.Background()
	certifaiger, calls := os.Getenv("CERTIFAIGER"), 0
	made, refused, functions, rejected := 0, 0, 0, make(map[string]int)
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 43))
		c := tstest.Random(rng)
		if rng.IntN(2) == 0 {
			resetByFunctions(c.Sys)
		}
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		cert := &certfile.Certificate{}
		var props []int
		for i, d := range s.Depth {
			if d < 0 && rng.IntN(4) > 0 {
				props = append(props, i)
			}
		}
		if len(props) == 0 {
			continue
		}
		f := &evidence.Proof{Props: props, K: 1, Clauses: mctest.Outside(c.Sys, s.Reachable)}
		switch rng.IntN(3) {
		case 0:
			f = &evidence.Proof{Props: props, K: 1, Circuit: reachable(c.Sys, s)}
		case 1:
			if !c.Broken {
				f.Group = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1, 2}[:len(c.Swaps)+1], Swaps: c.Swaps}}}
				f.Clauses = f.Clauses[:len(f.Clauses)/2] // perhaps enough with their images
			}
		}
		cert.Proofs = []*evidence.Proof{f}
		if len(props) > 1 && rng.IntN(2) == 0 {
			first, rest := *f, *f
			first.Props, rest.Props = props[:1], props[1:]
			cert.Proofs = []*evidence.Proof{&first, &rest}
		}
		_, _, wrong := cert.Check(certify.New(ctx, p))
		sys, proved, err := cert.Witness(ctx, p)
		if err != nil {
			if wrong == nil {
				t.Fatalf("seed %d: a good proof has no witness: %v", seed, err)
			}
			refused++
			continue
		}
		if !slices.Equal(proved, props) {
			t.Fatalf("seed %d: %v is proved of %v", seed, proved, props)
		}
		if why := byState(sys, c.Sys, props); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
		made++

		only := *c.Sys
		only.Bads = slices.DeleteFunc(slices.Clone(only.Bads), func(b ts.Bad) bool { return !slices.Contains(props, b.Prop) })
		model, modelText := again(t, aiger.FromSystem(&only))
		if len(model.Sys.Latches) > len(c.Sys.Latches) {
			functions++
		}
		witness, text := again(t, aiger.WitnessCircuit(sys, len(c.Sys.Latches)))
		if why := conditions(t, model, witness); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
		ask := func(witness []byte, valid bool) {
			if certifaiger == "" || seed%9 != 0 { // each run takes half a second
				return
			}
			calls++
			if accepted, out := asked(t, certifaiger, modelText, witness); accepted != valid {
				t.Fatalf("seed %d: valid is %v, and Certifaiger says\n%s\nmodel\n%s\nwitness\n%s", seed, valid, out, modelText, witness)
			}
		}
		ask(text, true)
		for range 4 {
			mutated, how := mutate(t, rng, text)
			if mutated == nil {
				continue
			}
			_, text := again(t, mutated)
			why := conditions(t, model, mutated)
			rejected[how+": "+why]++
			ask(text, why == "")
		}
	}
	t.Logf("%d made, %d with reset functions, %d refused, %d runs of Certifaiger; mutated: %v", made, functions, refused, calls, rejected)
	if made < 100 || refused < 5 || functions < 20 {
		t.Error("too few of a kind")
	}
	for _, want := range []string{"conjunct: inductive", "conjunct: safety", "next: transition", "reset: reset", "mapping: transition"} {
		if rejected[want] == 0 {
			t.Errorf("never %s", want)
		}
	}
}

// TestWitnessHistory: proofs by induction with k > 1 have witness circuits that
// remember k-1 states and fulfil the conditions; mutated ones do so only if that makes
// no difference, and proofs that rely on path constraints are refused.
func TestWitnessHistory(t *testing.T) {
	ctx := context.Background()
	certifaiger, calls := os.Getenv("CERTIFAIGER"), 0
	made, functions, distinct, rejected := 0, 0, 0, make(map[string]int)
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 47))
		c := tstest.Random(rng)
		if rng.IntN(2) == 0 {
			resetByFunctions(c.Sys)
		}
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		var props []int
		for i, d := range s.Depth {
			if d < 0 {
				props = append(props, i)
			}
		}
		if len(props) == 0 {
			continue
		}
		clauses := mctest.Outside(c.Sys, s.Reachable)
		f := &evidence.Proof{Props: props, K: 2 + rng.IntN(3), Clauses: clauses[:rng.IntN(len(clauses)+1)]}
		if rng.IntN(2) == 0 {
			f.Clauses = nil
		}
		shorter := *f
		shorter.K--
		cert := &certfile.Certificate{Proofs: []*evidence.Proof{f}}
		if _, _, err := cert.Check(certify.New(ctx, p)); err != nil {
			f.Distinct = []evidence.Distinct{{I: 0, J: 1}, {I: 0, J: 2}, {I: 1, J: 2}}
			if _, _, err := cert.Check(certify.New(ctx, p)); err == nil {
				distinct++
				if _, _, err := cert.Witness(ctx, p); err == nil || !strings.Contains(err.Error(), "relies on states of a path being distinct") {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			continue
		}
		if _, _, err := (&certfile.Certificate{Proofs: []*evidence.Proof{&shorter}}).Check(certify.New(ctx, p)); err == nil && rng.IntN(8) > 0 {
			continue // k is larger than need be
		}
		sys, _, err := cert.Witness(ctx, p)
		if err != nil {
			t.Fatalf("seed %d: a good proof has no witness: %v", seed, err)
		}
		made++
		only := *c.Sys
		only.Bads = slices.DeleteFunc(slices.Clone(only.Bads), func(b ts.Bad) bool { return !slices.Contains(props, b.Prop) })
		model, modelText := again(t, aiger.FromSystem(&only))
		if len(model.Sys.Latches) > len(c.Sys.Latches) {
			functions++
		}
		witness, text := again(t, aiger.WitnessCircuit(sys, len(c.Sys.Latches)))
		if why := conditions(t, model, witness); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
		if certifaiger != "" && made%4 == 0 {
			calls++
			if ok, out := asked(t, certifaiger, modelText, text); !ok {
				t.Fatalf("seed %d: Certifaiger says\n%s\nmodel\n%s\nwitness\n%s", seed, out, modelText, text)
			}
		}
		for range 4 {
			if mutated, how := mutate(t, rng, text); mutated != nil {
				rejected[how+": "+conditions(t, model, mutated)]++
			}
		}
	}
	t.Logf("%d made, %d with reset functions, %d refused, %d runs of Certifaiger; mutated: %v", made, functions, distinct, calls, rejected)
	if made < 50 || functions < 10 || distinct < 2 {
		t.Error("too few of a kind")
	}
	for _, want := range []string{"conjunct: inductive", "conjunct: safety", "next: transition", "next: inductive"} {
		if rejected[want] == 0 {
			t.Errorf("never %s", want)
		}
	}
}

// asked reports whether Certifaiger accepts a witness, and what it says.
func asked(t *testing.T, certifaiger string, model, witness []byte) (accepted bool, out []byte) {
	t.Helper()
	dir := t.TempDir()
	m, w := filepath.Join(dir, "model.aag"), filepath.Join(dir, "witness.aag")
	for name, data := range map[string][]byte{m: model, w: witness} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(certifaiger, m, w).CombinedOutput()
	return err == nil && strings.Contains(string(out), "valid witness"), out
}

// resetByFunctions lets every latch that is reset to an initial input be 1 only if
// not all initial inputs are, which no netlist can say without another latch.
func resetByFunctions(sys *ts.System) {
	var all []aig.Lit
	for i := range sys.Init {
		all = append(all, sys.InitLit(i))
	}
	for i, l := range sys.Latches {
		if slices.Contains(all, l.Reset) {
			sys.Latches[i].Reset = sys.G.And(l.Reset, sys.G.AndN(all).Not())
		}
	}
}

// byState reports what is wrong with a witness as certfile.Certificate.Witness
// describes it, by enumeration.
func byState(w, sys *ts.System, props []int) string {
	s, m := tstest.Explore(w), tstest.Explore(sys)
	bad := make([]bool, len(s.Next))
	for x := range s.Next {
		for y, ok := range s.OK[x] {
			bad[x] = bad[x] || ok && s.Bad[x][y] != 0
			if s.Next[x][y] != m.Next[x][y] || ok != m.OK[x][y] {
				return "another system"
			}
			for i, b := range sys.Bads {
				if m.Bad[x][y]>>i&1 == 1 && slices.Contains(props, b.Prop) && s.Bad[x][y] == 0 {
					return "a bad that the witness has not"
				}
			}
		}
	}
	if !slices.Equal(s.Reset, m.Reset) {
		return "other reset states"
	}
	for _, x := range s.Reset {
		if bad[x] {
			return "a bad reset state"
		}
	}
	for x := range s.Next {
		for y, ok := range s.OK[x] {
			if ok && s.Bad[x][y] == 0 && bad[s.Next[x][y]] {
				return "a step to a bad"
			}
		}
	}
	return ""
}

// again writes and reads a file.
func again(t *testing.T, f *aiger.File) (*aiger.File, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := aiger.Write(&b, f, false); err != nil {
		t.Fatal(err)
	}
	read, err := aiger.Read(bytes.NewReader(b.Bytes()), "again.aag")
	if err != nil {
		t.Fatal(err)
	}
	return read, b.Bytes()
}

// mutate reads a witness circuit and changes it; nil where it cannot.
func mutate(t *testing.T, rng *rand.Rand, text []byte) (f *aiger.File, how string) {
	f, err := aiger.Read(bytes.NewReader(text), "witness.aag")
	if err != nil {
		t.Fatal(err)
	}
	s := f.Sys
	i := rng.IntN(len(s.Latches))
	switch rng.IntN(5) {
	case 0, 1:
		parts := s.G.Conjuncts(s.Bads[0].Lit.Not(), nil, nil)
		if len(parts) == 0 {
			return nil, ""
		}
		k := rng.IntN(len(parts))
		s.Bads[0].Lit = s.G.AndN(slices.Delete(parts, k, k+1)).Not()
		return f, "conjunct"
	case 2:
		s.Latches[i].Next = s.Latches[i].Next.Not()
		return f, "next"
	case 3:
		if s.Latches[i].Reset.Node() != 0 {
			return nil, ""
		}
		s.Latches[i].Reset = s.Latches[i].Reset.Not()
		return f, "reset"
	}
	j := rng.IntN(len(s.Latches))
	s.Latches[i].Name, s.Latches[j].Name = s.Latches[j].Name, s.Latches[i].Name
	return f, "mapping"
}

// conditions returns the first condition that does not hold of a model and a
// witness circuit that maps inputs and latches by symbols: with reset R,
// step F, constraints C and property P, those of the witness in small letters; of the
// first two r, f are restricted to what is shared,
//
//	reset      R(s) ∧ C(s) → r(s) ∧ c(s)
//	transition F(s,t) ∧ C(s) ∧ C(t) ∧ c(s) → f(s,t) ∧ c(t)
//	safety     C(s) ∧ c(s) ∧ p(s) → P(s)
//	base       r(s) ∧ c(s) → p(s)
//	inductive  f(s,t) ∧ c(s) ∧ c(t) ∧ p(s) → p(t)
func conditions(t *testing.T, model, witness *aiger.File) string {
	t.Helper()
	g := aig.NewPlain()
	// leaves by literal of the model, twice: at s and at t
	n := len(model.Sys.Inputs) + len(model.Sys.Latches)
	var at [2][]aig.Lit
	for k := range at {
		for range n {
			at[k] = append(at[k], g.Input())
		}
	}
	type side struct{ reset, step, shared, sharedStep, c0, c1, p0, p1 aig.Lit }
	view := func(sys *ts.System, place func(name string, i int) int) side {
		var copiers [2]*aig.Copier
		latch := make([]int, len(sys.Latches))
		for k := range copiers {
			copiers[k] = aig.NewCopier(g, sys.G)
			for i, in := range sys.Inputs {
				copiers[k].Set(in.Node, at[k][place(in.Name, i)])
			}
			for i, l := range sys.Latches {
				if k == 0 {
					latch[i] = place(l.Name, len(sys.Inputs)+i)
				}
				copiers[k].Set(l.Node, at[k][latch[i]])
			}
		}
		e := side{reset: aig.True, step: aig.True, shared: aig.True, sharedStep: aig.True, c0: aig.True, c1: aig.True, p0: aig.True, p1: aig.True}
		for i, l := range sys.Latches {
			reset, step := aig.True, g.Equal(at[1][latch[i]], copiers[0].Copy(l.Next))
			if l.Reset.Node() == 0 {
				reset = g.Equal(at[0][latch[i]], l.Reset)
			}
			e.reset, e.step = g.And(e.reset, reset), g.And(e.step, step)
			if latch[i] < n {
				e.shared, e.sharedStep = g.And(e.shared, reset), g.And(e.sharedStep, step)
			}
		}
		for _, c := range sys.Constraints {
			e.c0, e.c1 = g.And(e.c0, copiers[0].Copy(c)), g.And(e.c1, copiers[1].Copy(c))
		}
		for _, b := range sys.Bads {
			e.p0, e.p1 = g.And(e.p0, copiers[0].Copy(b.Lit).Not()), g.And(e.p1, copiers[1].Copy(b.Lit).Not())
		}
		return e
	}
	m := view(model.Sys, func(_ string, i int) int { return i })
	w := view(witness.Sys, func(name string, _ int) int {
		var lit int
		if !strings.HasPrefix(name, "=") { // it stands for nothing of the model
			for k := range at {
				at[k] = append(at[k], g.Input())
			}
			return len(at[0]) - 1
		}
		if _, err := fmt.Sscanf(name, "= %d", &lit); err != nil || lit < 2 || lit%2 != 0 || lit/2 > n {
			t.Fatalf("the symbol %q is no mapping", name)
		}
		return lit/2 - 1
	})
	for _, c := range []struct {
		name string
		then aig.Lit
		if_  []aig.Lit
	}{
		{"reset", g.And(w.shared, w.c0), []aig.Lit{m.reset, m.c0}},
		{"transition", g.And(w.sharedStep, w.c1), []aig.Lit{m.step, m.c0, m.c1, w.c0}},
		{"safety", m.p0, []aig.Lit{m.c0, w.c0, w.p0}},
		{"base", w.p0, []aig.Lit{w.reset, w.c0}},
		{"inductive", w.p1, []aig.Lit{w.step, w.c0, w.c1, w.p0}},
	} {
		rec := &sat.Recorder{}
		cnf := cnf.New(g, rec)
		for _, l := range append(c.if_, c.then.Not()) {
			cnf.Assert(l)
		}
		answer, err := gophersat.Check(context.Background(), rec.CNF())
		if err != nil {
			t.Fatal(err)
		}
		if answer.Status != sat.Unsat {
			return c.name
		}
	}
	return ""
}
