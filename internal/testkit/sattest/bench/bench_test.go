package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"orbitmc/bmc"
	"orbitmc/internal/pdr"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cadical"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
)

// What is recorded: an engine, a model of benchmarks/murphi or a file, constants of the
// model, the greatest depth. The queries of a comparison are in queries.txt; public netlists are read where
// ORBITMC_CORPUS is set.
const short = `
bmc german_bug2.m NODE_NUM=3 10
bmc msi_dir_bug.m NODE_NUM=2 8
bmc sem_counter.m N=3 8
pdr german.m NODE_NUM=3 99
pdr mutex_sem.m N=6 99
`

const corpus = "$ORBITMC_CORPUS"

// limit is the CPU time that a back end has for all queries of a run. One that needs more counts as
// twice as much (PAR-2).
const limit = 10 * time.Second

type backEnd struct {
	name string
	new  func() sat.Solver
}

// backEnds returns those that this test was built with, cdcl first.
func backEnds() []backEnd {
	solvers := []backEnd{
		{"cdcl", func() sat.Solver { return cdcl.New() }},
		{"gini", func() sat.Solver { return gini.New() }},
	}
	if newMinisat != nil {
		solvers = append(solvers, backEnd{"minisat", newMinisat})
	}
	if cadical.New != nil {
		solvers = append(solvers, backEnd{"cadical", cadical.New})
	}
	return solvers
}

// Back ends answer all queries alike. With ORBITMC_LONG=1 the queries are those of a
// comparison of their speed; ORBITMC_QUERIES names a file of others.
func TestQueries(t *testing.T) {
	runs := short
	file := os.Getenv("ORBITMC_QUERIES")
	if file == "" && nightly.On() {
		file = "queries.txt"
	}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runs = string(text)
	}
	solvers := backEnds()
	par2 := make([]float64, len(solvers))
	slower := make([]int, len(solvers)) // runs that met the limit
	recorded := 0
	for run := range strings.SplitSeq(strings.TrimSpace(runs), "\n") {
		if strings.Contains(run, corpus) && os.Getenv(corpus[1:]) == "" {
			t.Logf("%s: %s is not set", run, corpus[1:])
			continue
		}
		began := task.CPUSeconds()
		programs := record(t, strings.Fields(run))
		recorded++
		queries, unsat := 0, 0
		for _, p := range programs {
			queries += p.queries
			unsat += p.unsat
		}
		if queries < 5 || unsat == 0 {
			t.Errorf("%s: %d queries, %d unsatisfiable", run, queries, unsat)
		}
		row := fmt.Sprintf("%s: %d queries, recorded in %.2f s", run, queries, task.CPUSeconds()-began)
		for i, s := range solvers {
			seconds, conflicts, err := replayAll(programs, s.new)
			switch {
			case err != nil:
				t.Errorf("%s: %s: %v", run, s.name, err)
			case seconds > limit.Seconds():
				seconds = 2 * limit.Seconds()
				slower[i]++
			}
			par2[i] += seconds
			row += fmt.Sprintf("; %s %.2f s, %d conflicts", s.name, seconds, conflicts)
		}
		t.Log(row)
	}
	for i, s := range solvers {
		t.Logf("%-8s PAR-2 %.1f s of %d runs, %d over %v; cdcl's is %.2f of it", s.name, par2[i], recorded, slower[i], limit, par2[0]/par2[i])
	}
}

// replayAll replays programs, and returns the CPU seconds and conflicts. It ends soon after the limit.
func replayAll(programs []*program, mk func() sat.Solver) (seconds float64, conflicts int64, err error) {
	runtime.GC() // of what was before
	ctx, cancel := context.WithCancel(context.Background())
	began := task.CPUSeconds()
	tick := time.NewTicker(limit / 100)
	go func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-tick.C:
				if task.CPUSeconds()-began > limit.Seconds() {
					cancel()
				}
			}
		}
	}()
	for _, p := range programs {
		s := mk()
		if err = p.replay(ctx, s); err != nil {
			break
		}
		conflicts += s.Stats().Conflicts
	}
	tick.Stop()
	cancel()
	return task.CPUSeconds() - began, conflicts, err
}

// record runs an engine, and returns what it asked of each of its solvers.
func record(t *testing.T, run []string) (programs []*program) {
	ctx := context.Background()
	file, last := os.ExpandEnv(run[1]), len(run)-1
	if !filepath.IsAbs(file) {
		file = filepath.Join("../../../../benchmarks/murphi", file)
	}
	depth, err := strconv.Atoi(run[last])
	if err != nil {
		t.Fatal(err)
	}
	tk, err := task.Open(ctx, file, task.Options{Defines: run[2:last]})
	if err == nil {
		err = tk.Prepare(ctx, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	newSolver := func() sat.Solver {
		r := &recorder{Focuser: cdcl.New(), groups: make(map[sat.Group]sat.Lit)}
		programs = append(programs, &r.program)
		return r
	}
	var e mc.Engine = &bmc.Checker{NewSolver: newSolver}
	if run[0] == "pdr" {
		e = &pdr.Engine{NewSolver: newSolver}
	}
	if _, err := e.Run(ctx, tk.Problem, mc.Options{MaxDepth: depth, Bounded: true}); err != nil {
		t.Fatal(err)
	}
	return programs
}
