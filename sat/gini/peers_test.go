package gini_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/sat/gophersat"
)

// Both back ends agree with solvers of other people on written DIMACS files.
func TestPeers(t *testing.T) {
	peers := map[string][]string{"minisat": {"-verb=0"}, "cadical": {"-q"}}
	for name := range peers {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not installed", name)
			delete(peers, name)
		}
	}
	if len(peers) == 0 {
		t.Skip("no peer is installed")
	}
	dir := t.TempDir()
	count := map[sat.Status]int{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var r sat.Recorder
		s := gini.New()
		vars := 5 + rng.IntN(60)
		for range vars {
			r.NewVar()
			s.NewVar()
		}
		clauses := random3SAT(rng, vars, 43*vars/10)
		for i := range clauses { // some longer and shorter ones, with repeated and complementary literals
			if rng.IntN(20) == 0 {
				clauses[i] = append(clauses[i], sat.MkLit(1+rng.IntN(vars), rng.IntN(2) == 1), clauses[i][0])
			}
			if rng.IntN(100) == 0 {
				clauses[i] = clauses[i][:rng.IntN(3)]
			}
			if len(clauses[i]) == 0 && rng.IntN(10) > 0 {
				clauses[i] = random3SAT(rng, vars, 1)[0]
			}
		}
		for _, c := range clauses {
			r.Add(c...)
			s.Add(c...)
		}
		want := s.Solve(context.Background())
		count[want]++
		if second, err := gophersat.Check(context.Background(), r.CNF()); err != nil || second.Status != want {
			t.Errorf("seed %d: gini %v, gophersat %v, %v", seed, want, second.Status, err)
		}
		file := filepath.Join(dir, "f.cnf")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.CNF().WriteDIMACS(f, "for peers"), f.Close()); err != nil {
			t.Fatal(err)
		}
		for name, args := range peers {
			cmd := exec.Command(name, append(args, file)...)
			var exit *exec.ExitError
			if err := cmd.Run(); !errors.As(err, &exit) {
				t.Fatalf("%s: %v", cmd, err)
			}
			got := map[int]sat.Status{10: sat.Sat, 20: sat.Unsat}[exit.ExitCode()]
			if got != want {
				t.Errorf("seed %d: gini %v, %s %v", seed, want, name, got)
			}
		}
	}
	if count[sat.Sat] < 30 || count[sat.Unsat] < 30 {
		t.Errorf("one-sided: %v", count)
	}
}
