package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/mc"
	"orbitmc/pdr"
	"orbitmc/sat"
	"orbitmc/sat/cadical"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
	"orbitmc/task"
)

// What is recorded: an engine, a model of benchmarks/murphi or a file, constants of the
// model, the greatest depth.
const (
	short = `
bmc german_bug2.m NODE_NUM=3 10
bmc msi_dir_bug.m NODE_NUM=2 8
bmc sem_counter.m N=3 8
pdr german.m NODE_NUM=3 99
pdr mutex_sem.m N=6 99
`
	long = `
bmc german_bug2.m NODE_NUM=5 15
bmc msi_dir_bug.m NODE_NUM=3 11
bmc german.m NODE_NUM=4 13
bmc flash.m NODE_NUM=3 10
bmc mesi_net.m NODE_NUM=2 6
bmc peterson.m N=4 14
bmc token_ring.m N=6 12
bmc sem_counter.m N=6 14
bmc moesi.m NODE_NUM=4 7
pdr german.m NODE_NUM=6 99
pdr sem_counter.m N=16 99
pdr moesi.m NODE_NUM=5 99
pdr mutex_sem.m N=16 99
pdr flash.m NODE_NUM=3 99
`
)

type backEnd struct {
	name string
	new  func() sat.Solver
}

var solvers = []backEnd{
	{"gini", func() sat.Solver { return gini.New() }},
	{"cdcl", func() sat.Solver { return cdcl.New() }},
}

func init() {
	if cadical.New != nil {
		solvers = append(solvers, backEnd{"cadical", cadical.New})
	}
}

// Back ends answer all queries alike. With ORBITMC_LONG=1 the queries are those of a
// comparison of their speed; ORBITMC_QUERIES names a file of others.
func TestQueries(t *testing.T) {
	runs := short
	switch file := os.Getenv("ORBITMC_QUERIES"); {
	case file != "":
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runs = string(text)
	case os.Getenv("ORBITMC_LONG") != "":
		runs = long
	}
	for run := range strings.SplitSeq(strings.TrimSpace(runs), "\n") {
		programs := record(t, strings.Fields(run))
		queries, unsat := 0, 0
		for _, p := range programs {
			queries += p.queries
			unsat += p.unsat
		}
		if queries < 5 || unsat == 0 {
			t.Errorf("%s: %d queries, %d unsatisfiable", run, queries, unsat)
		}
		row := fmt.Sprintf("%-32s %6d queries", run, queries)
		for _, s := range solvers {
			began := task.CPUSeconds()
			var conflicts int64
			for _, p := range programs {
				x := s.new()
				if err := p.replay(context.Background(), x); err != nil {
					t.Errorf("%s: %s: %v", run, s.name, err)
				}
				conflicts += x.Stats().Conflicts
			}
			row += fmt.Sprintf("  %s %.2f s, %d conflicts", s.name, task.CPUSeconds()-began, conflicts)
		}
		t.Log(row)
	}
}

// record runs an engine, and returns what it asked of each of its solvers.
func record(t *testing.T, run []string) (programs []*program) {
	ctx := context.Background()
	file, last := run[1], len(run)-1
	if !filepath.IsAbs(file) {
		file = filepath.Join("../../benchmarks/murphi", file)
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
