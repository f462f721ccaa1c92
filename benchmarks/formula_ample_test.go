package benchmarks_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/emptiness"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/mc"
	"orbitmc/model"
)

// orderly decides the formulas of a file with partial orders, and compares with the components of all states. It
// returns how many states were visited, with partial orders and without, and counts verdicts.
func orderly(t *testing.T, file string, opt task.Options, erring bool, g **emptiness.Graph, decided map[mc.Status]int) (states [2]int64, err error) {
	x, err := task.Open(t.Context(), file, opt)
	if err != nil {
		return states, err
	}
	a, err := x.ForFormulas(t.Context())
	if err != nil {
		return states, err
	}
	f := a.Problem.Formulas
	if *g == nil {
		if *g, err = emptiness.NewGraph(t.Context(), model.Compile(f.Model), 20_000, erring); err != nil {
			return states, err
		}
	}
	all := true
	for k, ample := range []bool{true, false} {
		r, err := (&explicit.Formulas{Ample: ample}).Run(t.Context(), a.Problem, mc.Options{All: true})
		if err == nil {
			err = certify.Verify(t.Context(), a.Problem, r)
		}
		if err != nil {
			return states, err
		}
		states[k] = r.Stats.States
		for i, of := range f.Of {
			violated, err := (*g).Violates(of.Formula, of.Values)
			if err != nil {
				return states, err
			}
			s := r.Props[f.First+i].Status
			all = all && s == mc.Safe
			if decided[s]++; s != map[bool]mc.Status{true: mc.Unsafe, false: mc.Safe}[violated] && (s != mc.Unknown || f.First == 0) {
				return states, fmt.Errorf("%s is %v with partial orders: %v; violated: %v", a.Problem.Name(f.First+i), s, ample, violated)
			}
		}
	}
	if !all {
		states = [2]int64{}
	}
	return states, nil
}

// TestFormulasAmple: with partial orders explicit search decides formulas without X as the components of the graph of all
// states do, with symmetry and without, and its evidence is accepted.
func TestFormulasAmple(t *testing.T) {
	models, from := 250, 0
	if nightly.On() {
		models = 20_000
		fmt.Sscan(os.Getenv("ORBITMC_SYSTEMS"), &models)
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	file := filepath.Join(t.TempDir(), "x.m")
	decided := make(map[mc.Status]int)
	fewer := 0
	for seed := from; seed < from+models; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 71))
		text := murphitest.Loose(rng)
		if rng.IntN(4) == 0 {
			text = randomProtocol(rng, false)
		}
		var formula string
		for formula == "" || strings.Contains(formula, "X ") {
			formula = "f: forall p: P: " + pickOf(rng, "", "G ", "G F ", "F G ") + "(" + randomFormula(rng, 2) + ")"
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var g *emptiness.Graph
		for _, symmetry := range []string{"off", "auto"} {
			states, err := orderly(t, file, task.Options{Symmetry: symmetry, Formulas: []string{formula}}, true, &g, decided)
			if err != nil {
				t.Fatalf("seed %d, symmetry %s: %v\n%s%s", seed, symmetry, err, text, formula)
			}
			if states[0] < states[1] {
				fewer++
			}
		}
	}
	t.Logf("%v instances, fewer states in %d searches of %d models", decided, fewer, models)
	if decided[mc.Safe] < models/2 || decided[mc.Unsafe] < models/2 || fewer < models/20 {
		t.Errorf("%v instances, fewer states in %d searches of %d models", decided, fewer, models)
	}
}

// TestProgramFormulasAmple: so it does for random programs.
func TestProgramFormulasAmple(t *testing.T) {
	programs, from := nightly.Or(30, 800), 0
	if nightly.On() {
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	file := filepath.Join(t.TempDir(), "x.pml")
	decided := make(map[mc.Status]int)
	fewer := 0
	for seed := from; seed < from+programs; seed++ {
		src, names := promelatest.RandomFormulas(rand.New(rand.NewPCG(uint64(seed), 72)))
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range names[:len(names)-1] { // the last one is a never claim
			for _, symmetry := range []string{"off", "auto"} {
				var g *emptiness.Graph
				states, err := orderly(t, file, task.Options{Symmetry: symmetry, Formulas: []string{name}}, false, &g, decided)
				if errors.As(err, new(*promela.Error)) || errors.Is(err, emptiness.ErrStates) {
					continue
				}
				if err != nil {
					t.Fatalf("seed %d, %s, symmetry %s: %v\n%s", seed, name, symmetry, err, src)
				}
				if states[0] < states[1] {
					fewer++
				}
			}
		}
	}
	t.Logf("%v formulas, fewer states in %d searches of %d programs", decided, fewer, programs)
	if decided[mc.Safe] < programs/2 || decided[mc.Unsafe] < programs/2 || fewer < programs/5 {
		t.Errorf("%v formulas, fewer states in %d searches of %d programs", decided, fewer, programs)
	}
}
