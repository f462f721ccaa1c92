//go:build linux

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/encode/murphi"
)

// TestConstants changes constants in sources that are hard to read.
func TestConstants(t *testing.T) {
	const rest = "type E: enum {red, green};\nvar x: 0..M;\nstartstate x := 0; end;\nrule x := x; end;\n"
	for _, x := range []struct {
		src, want string
		params    []param
	}{
		{"const N: 2; M: N + 1;\n", "const N: 5; M: N + 1;\n", []param{{"N", "5"}}},
		{"const N: 2; M: N + 1;\n", "const N: 5; M: 7;\n", []param{{"M", "7"}, {"N", "5"}}},
		{"const N: 2; M: N + 1;\n", "const N: 2; M: N + 1;\n", nil},
		{"-- N: 9;\nconst /* N: 1; */ N -- : 3;\n /* ; */ : /* ; : */ 2 -- ; \n ; M: 3;\n",
			"-- N: 9;\nconst /* N: 1; */ N: 12 -- ; \n ; M: 3;\n", []param{{"N", "12"}}},
		{"const M: 3;\n\n\tN\n:\n2\n;\n", "const M: 3;\n\n\tN: 4\n;\n", []param{{"N", "4"}}},
		{"const N, M: 2;\n", "const N: 5; M: 2;\n", []param{{"N", "5"}}},
	} {
		got, err := withConstants("m.m", []byte(x.src+rest), x.params)
		if err != nil || string(got) != x.want+rest {
			t.Errorf("%q with %v is %q, want %q; %v", x.src, x.params, got, x.want+rest, err)
			continue
		}
		m, err := murphi.Parse("m.m", got, murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range x.params {
			found := false
			for _, c := range m.Consts {
				found = found || c.Name == p.name && c.Type.Format(c.Value) == p.value
			}
			if !found {
				t.Errorf("%q: %v is not in place", got, p)
			}
		}
	}
	for _, p := range []param{{"K", "1"}, {"N", "x"}} {
		if _, err := withConstants("m.m", []byte("const N: 2; M: 3;\n"+rest), []param{p}); err == nil {
			t.Errorf("%v is taken", p)
		}
	}
}

// TestRead reads answers, and what is none.
func TestRead(t *testing.T) {
	const explored = "State Space Explored:\n\n\t5 states, 9 rules fired in 0s.\n"
	const trace = "The following is the error trace for the error:\n\n\tinvariant \"Rule fired.\" failed\n\nStartstate \"Init\", d: DATA_0 fired.\nx:1\n----------\n\nRule \"a\" fired.\nx:2\n----------\n\nRule b, i:N_1 fired.\nEnd of the error trace.\n"
	const spun = "        5 states, stored\n        4 states, matched\n        9 transitions (= stored+matched)\n"
	const status = "Status = %d  Frames = %d   CEX: Po =   0  Frame =  16  FF = 103  PI = 124  Bit =    2211\n"
	for _, x := range []struct {
		tool    string
		log     string
		exit    int
		verdict string
		depth   int
		stats   string
	}{
		{"rumur", "Status:\n\n\tNo error found.\n\n" + explored, 0, "safe", -1, "states:5 transitions:9"},
		{"rumur", "Status:\n\n\tNo error found.\n\n" + explored, 1, "", -1, "states:5 transitions:9"},
		{"rumur", trace + "Status:\n\n\t1 error(s) found.\n\n" + explored, 1, "unsafe", 2, "states:5 transitions:9"},
		{"rumur", trace, 1, "", -1, ""},
		{"rumur", "Status:\n\n\tNo error found.\n", 0, "", -1, ""},
		{"cmurphi", "Status:\n\n\tNo error found.\n\n" + explored, 0, "safe", -1, "states:5 transitions:9"},
		{"cmurphi", trace + "\nResult:\n\n\tInvariant \"p\" failed.\n\n" + explored, 1, "unsafe", 2, "states:5 transitions:9"},
		{"cmurphi", "\nResult:\n\n\tDeadlocked state found.\n\n" + explored, 1, "unsafe", -1, "states:5 transitions:9"},
		{"cmurphi", "\nResult:\n\n\tClosed hash table full.\n\n" + explored, 1, "", -1, "states:5 transitions:9"},
		{"abc", fmt.Sprintf(status, 0, 10), 0, "unsafe", 16, ""},
		{"abc", "Status = 1  Frames = 3   Cex is not defined.\n", 0, "safe", -1, ""},
		{"abc", "Status = -1  Frames = 20   Cex is not defined.\n", 0, "unknown", -1, "depth:20"},
		{"abc", "read_aiger x; strash; pdr\nWarning: The last 3 outputs are interpreted as constraints.\n" + fmt.Sprintf(status, 0, 10), 0, "", -1, ""},
		{"abc", "read_aiger x; strash; fold; pdr\nWarning: The last 3 outputs are interpreted as constraints.\n" + fmt.Sprintf(status, 0, 10), 0, "unsafe", 16, ""},
		{"abc", "Backward reachability converged after 3 iterations.  Runtime =     0.15 sec\nProperty holds.\nStatus = -1  Frames = -1   Cex is not defined.\n", 0, "safe", -1, ""},
		{"abc", "\nProperty failed in frame 5.\nStatus = -1  Frames = -1   Cex is not defined.\n", 0, "unsafe", -1, ""},
		{"abc", "Runtime limit (5 sec) is reached after 4 frames.\nProperty is undecided.\nStatus = -1  Frames = -1\n", 0, "unknown", -1, ""},
		{"abc", "** cmd error: unknown command\nStatus = 1  Frames = 3\n", 0, "", -1, ""},
		{"ic3ref", "c some\n0\n", 0, "safe", -1, ""},
		{"ic3ref", "1\n", 1, "unsafe", -1, ""},
		{"btormc", "warning: unsupported tag 'output'\nsat\nb0\n#0\n@0\n@1\n.\n", 0, "unsafe", 1, ""},
		{"btormc", "unsat\nb0\n", 0, "safe", -1, ""},
		{"btormc", "sat\n", 0, "", -1, ""},
		{"ic3ref", "terminate called\n", 134, "", -1, ""},
		{"spin", "State-vector 20 byte, depth reached 9, errors: 0\n" + spun, 0, "safe", -1, "errors:0 states:5 transitions:9"},
		{"spin", "State-vector 20 byte, depth reached 9, errors: 3\n" + spun, 0, "unsafe", -1, "errors:3 states:5 transitions:9"},
		{"spin", "error: max search depth too small\nState-vector 20 byte, depth reached 9, errors: 0\n" + spun, 0, "", -1, "errors:0 states:5 transitions:9"},
		{"spin", "pan: xs assertion violated: access to chan <c> (1)\nState-vector 20 byte, depth reached 9, errors: 1\n" + spun, 0, "", -1, "errors:1 states:5 transitions:9"},
		{"spin", spun, 0, "", -1, ""},
		{"cubicle", "Number of visited nodes          : 12\n\n\nThe system is SAFE\n\n", 0, "safe", -1, "nodes:12"},
		{"cubicle", "Number of visited nodes          : 3\n\n\nUNSAFE !\n\n", 1, "unsafe", -1, "nodes:3"},
		{"cubicle", "\nReached Limit !\nIt is likely that the search diverges\n", 1, "unknown", -1, ""},
		{"cubicle", "File \"x.cub\", line 1, characters 0-1:\nsyntax error\n", 2, "", -1, ""},
		{"cubicle", "\nUNSAFE !\n", 0, "", -1, ""},
		{"z3", "initial state\nunsat\nrule \"a\"\nunsat\n", 0, "safe", -1, "conditions:2"},
		{"z3", "initial state\nunsat\nrule \"a\"\nunknown\n", 0, "unknown", -1, "conditions:2 open:1"},
		{"z3", "initial state\nunsat\nrule \"a\"\nsat\n", 0, "unknown", -1, "conditions:2 open:1"},
		{"z3", "unsat\n(error \"line 3 column 4: unknown constant\")\nunsat\n", 1, "", -1, ""},
		{"z3", "", 0, "", -1, ""},
		{"bliss", "Generator: (1,2)\nNodes:          6\nBad nodes:      0\nMax level:      2\n|Aut|:          8\nTotal time:	0.00 seconds\n", 0, "order 8", -1, "max_level:2 nodes:6"},
		{"bliss", "error in line 2: vertex 9 not in range [1,...,4]\n", 1, "", -1, ""},
		{"dreadnaut", "[fixing partition]\n1 orbit; grpsize=8; 2 gens; 6 nodes; maxlev=3\ncpu time = 0.00 seconds\n", 0, "order 8", -1, "generators:2 max_level:3 nodes:6 orbits:1"},
		{"dreadnaut", "447658 orbits; grpsize=2.308436973392e71; 2 gens; 212 nodes (2 peak); maxlev=53\n", 0, "order 2.308436973392e71", -1, "generators:2 max_level:53 nodes:212 orbits:447658"},
		{"dreadnaut", "1 orbit; grpsize=8; 2 gens; 1 node (1 peak); maxlev=0\n", 1, "", -1, ""},
		{"dreadnaut", " n can't be less than 1 or more than 2000000000\n", 0, "", -1, ""},
		{"orbitmc", "{\n \"symmetry\": {\"order\": \"8\"}, \"complete\": true, \"stats\": {\"nodes\": 7, \"search_s\": 1}}", 0, "order 8", -1, "nodes:7"},
		{"orbitmc", "{\n \"symmetry\": {\"order\": \"8\"}, \"complete\": false}", 2, "", -1, ""},
		{"orbitmc", "{\n \"symmetry\": {\"order\": \"6\"}, \"complete\": true, \"word\": [\"x\"], \"count\": {\"states\": \"64\", \"representatives\": 21, \"orbits\": 20}, \"relation\": {\"ands\": 131}}", 0, "order 6", -1, "ands:131 orbits:20 order:6 representatives:21"},
		{"orbitmc", "{\n \"symmetry\": {\"order\": \"6\"}, \"parts\": []}", 0, "order 6", -1, "order:6"},
		{"orbitmc", "{\n \"symmetry\": {\"order\": \"8\"}}", 0, "", -1, ""}, // of a model
		{"orbitmc", "{\n \"verdict\": \"unsafe\", \"properties\": [{\"verdict\": \"unsafe\", \"depth\": 9}, {\"verdict\": \"unsafe\", \"depth\": 8}, {\"verdict\": \"unknown\", \"bound\": 3}], \"stats\": {\"states\": 7, \"cpu_s\": 1}}", 10, "unsafe", 8, "states:7"},
		{"orbitmc", "{\n \"verdict\": \"safe\", \"stats\": {\"states\": 9, \"annotated\": true}}", 0, "safe", -1, "states:9"},
		{"orbitmc", "{\n \"verdict\": \"safe\", \"properties\": []}", 0, "safe", -1, ""},
		{"orbitmc", "{\n \"verdict\": \"unknown\", \"properties\": []}", 2, "unknown", -1, ""},
		{"orbitmc", "{\n \"verdict\": \"safe\", \"properties\": []}", 10, "", -1, ""},
		{"orbitmc", "{\n \"constant\": \"N\", \"runs\": [{\"n\": 3, \"verdict\": \"unknown\", \"stats\": {\"orbits\": 9}}, {\"n\": 8, \"verdict\": \"safe\", \"stats\": {\"orbits\": 2}}]}", 0, "safe", -1, "orbits:2"},
		{"orbitmc", "{\n \"constant\": \"N\", \"runs\": []}", 0, "", -1, ""},
		{"orbitmc", "{\n \"verdict\": \"violated\", \"tests\": [{\"name\": \"TestA\", \"executions\": 3, \"steps\": 29}]}", 10, "unsafe", -1, "executions:3 transitions:29"},
		{"orbitmc", "{\n \"verdict\": \"explored\", \"tests\": [{\"name\": \"TestA\", \"executions\": 3, \"steps\": 29}]}", 0, "safe", -1, "executions:3 transitions:29"},
		{"orbitmc", "{\n \"verdict\": \"incomplete\", \"tests\": [{\"name\": \"TestA\", \"executions\": 3, \"steps\": 29}]}", 2, "unknown", -1, "executions:3 transitions:29"},
		{"orbitmc", "{\n \"verdict\": \"explored\", \"tests\": [{\"name\": \"TestA\"}, {\"name\": \"TestB\"}]}", 0, "", -1, ""},
		{"orbitmc", "m.m:1:2: it is no model\n", 1, "", -1, ""},
	} {
		a := tools[x.tool].read(x.log, x.exit)
		stats := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(a.stats), "map["), "]")
		if a.verdict != x.verdict || a.verdict != "" && a.depth != x.depth || stats != x.stats {
			t.Errorf("%s, %q: %+v, want %+v", x.tool, x.log, a, x)
		}
	}
}

// TestPrepare shows what is called for a Murphi model of which another program
// reads the circuit, and for a sweep.
func TestPrepare(t *testing.T) {
	for _, x := range []struct {
		tool, program string
		args          []string
		want          string
	}{
		{"abc", "abc", []string{"scorr", "pdr"}, "[[om convert -o d/model.aig -D N=5 -D K=2 -- /m/x.m]] [abc -c read_aiger model.aig; strash; scorr; pdr; print_status]"},
		{"orbitmc", "om", []string{"sweep"}, "[] [om sweep --json --progress never -D N=5..5 -D K=2 -- /m/x.m]"},
		{"orbitmc", "om", []string{"pdr", "--sym", "off"}, "[] [om pdr --sym off --json --progress never -D N=5 -D K=2 -- /m/x.m]"},
	} {
		r, err := tools[x.tool].prepare(x.program, &task{
			path: "/m/x.m", abs: "/m/x.m", orbitmc: "om", params: []param{{"N", "5"}, {"K", "2"}}, config: config{args: x.args},
		}, "d")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.build, r.run); got != x.want {
			t.Errorf("%s %v: %s, want %s", x.tool, x.args, got, x.want)
		}
	}
	tests := &task{path: "/m/x_test.go", params: []param{{"TEST", "Aget2"}}, config: config{args: []string{"go", "--sym", "off"}}}
	r, err := orbitmcTool.prepare("om", tests, "d")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(r.run), "[om go --sym off --json --progress never -C /m --run ^TestAget2$]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, change := range []func(*task){
		func(x *task) { x.params = nil },
		func(x *task) { x.config.args = []string{"check"} },
		func(x *task) { x.config.args = nil },
		func(x *task) { x.path = "/m/x.m" },
	} {
		other := *tests
		change(&other)
		if r, err := orbitmcTool.prepare("om", &other, "d"); err == nil {
			t.Errorf("%v is run", r.run)
		}
	}
}

// TestTools runs the tools that are installed; of the others, the runs are
// skipped.
func TestTools(t *testing.T) {
	models, err := filepath.Abs("../murphi")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "square.dimacs", "p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n")
	// Two vertices with two leaves each, told apart by their colours: without them it were 8.
	write(t, dir, "twins.dimacs", "p edge 6 5\nn 6 3\ne 1 2\ne 1 3\ne 1 6\ne 4 6\ne 5 6\n")
	write(t, dir, "loop.dimacs", "p edge 2 2\ne 1 1\ne 1 2\n")
	write(t, dir, "x.aig", "aig 2 0 2 1 0\n4\n3\n2\n") // from 0 0 over 0 1 to 1 1
	counter := "1 sort bitvec 2\n2 zero 1\n3 state 1\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n7 next 1 3 6\n8 sort bitvec 1\n9 ones 1\n10 eq 8 3 9\n11 bad 10\n"
	write(t, dir, "x.btor2", counter)
	write(t, dir, "two.btor2", counter+"12 bad -10\n")
	write(t, dir, "union.m", "type a: scalarset(2); b: enum {c}; u: union {a, b};\nvar x: u;\nstartstate x := c; end;\nrule x := c; end;\n")
	s := load(t, write(t, dir, "suite.yaml", fmt.Sprintf(`
limits: {cpu: 20s, wall: 60s, memory: 2GiB}
configs:
  - {name: rumur, tool: rumur, args: [--symmetry-reduction, "off"]}
  - {name: cmurphi, tool: cmurphi, args: [-m100, -nosym]}
  - {name: pan, tool: spin}
  - {name: reduced, tool: spin, args: [-DREDUCE]}
  - {name: claims, tool: spin, args: [-a, -f, -N, served]}
  - {name: bmc3, tool: abc, args: ["bmc3 -F 10"]}
  - {name: btormc, tool: btormc, args: [--kind]}
  - {name: bliss, tool: bliss}
  - {name: traces, tool: dreadnaut}
  - {name: nauty, tool: dreadnaut, args: [As]}
models:
  - {path: [%[1]s/mutex_sem.m, %[1]s/mutex_sem_bug.m], params: {N: 3}, configs: [rumur, cmurphi, bliss, traces, nauty]}
  - {path: %[2]s/philosophers.pml, params: {N: 4}, expect: unsafe, configs: [pan]}
  - {path: %[2]s/leader_ring.pml, params: {N: 3}, expect: safe, configs: [reduced]}
  - {path: %[2]s/served/leader.pml, params: {N: 3}, expect: safe, configs: [claims]}
  - {path: %[2]s/served/semaphore.pml, params: {N: 2}, expect: unsafe, configs: [claims]}
  - {path: x.aig, expect: unsafe}
  - {path: x.btor2, expect: unsafe}
  - {path: two.btor2, configs: [btormc]} # it is asked for one property
  - {path: square.dimacs, expect: order 8}
  - {path: twins.dimacs, expect: order 4}
  - {path: loop.dimacs, expect: order 1, configs: [bliss, traces]}
  - {path: %[1]s/mutex_sem.m, params: {NONE: 3}, configs: [rumur]} # there is no such constant
  - {path: union.m, configs: [rumur]} # Rumur has no unions
`, models, filepath.Join(models, "../promela"))))
	rec, err := Run(t.Context(), s, options(filepath.Join(dir, "out")))
	if err != nil {
		t.Fatal(err)
	}
	installed := make(map[string]bool)
	for _, name := range []string{"rumur", "cmurphi", "abc", "bliss", "btormc", "dreadnaut", "spin"} {
		_, _, err := tools[name].find(&Options{})
		installed[name] = err == nil
		t.Logf("%s: %v", name, err)
	}
	for _, r := range rec.Runs {
		language := map[string]string{"abc": ".aig", "btormc": ".btor2", "bliss": ".dimacs", "dreadnaut": ".dimacs", "spin": ".pml"}[r.Tool]
		if language == "" {
			language = ".m"
		}
		if r.Model == "union.m" && installed["rumur"] && r.Note != "1.39-43: error: union types are not supported" {
			t.Errorf("%s: note %q", r.Key, r.Note)
		}
		takes := r.Params != "NONE=3" && r.Model != "two.btor2" && r.Model != "union.m" && filepath.Ext(r.Model) == language && (r.Tool != "dreadnaut" || r.Model != "loop.dimacs")
		if !installed[r.Tool] || !takes {
			if r.Status != benchmarks.Skipped || r.Note == "" {
				t.Errorf("%s: %v %q", r.Key, r.Status, r.Note)
			}
			continue
		}
		want := map[string]int{"mutex_sem.m": -1, "mutex_sem_bug.m": 6, "x.aig": 2, "x.btor2": 3, "square.dimacs": -1, "twins.dimacs": -1, "loop.dimacs": -1, "philosophers.pml": -1, "leader_ring.pml": -1, "leader.pml": -1, "semaphore.pml": -1}[filepath.Base(r.Model)]
		if r.Status != benchmarks.OK || r.Verdict != r.Expected || r.Verdict == "" || r.Depth != want || r.Note != "" || r.Wrong {
			t.Errorf("%+v", r)
		}
		if r.Config == "reduced" && (r.Stats["states"] == 0 || r.Stats["states"] >= 1000) { // of 1,171
			t.Errorf("%+v", r)
		}
		if r.Config == "pan" && (r.Stats["states"] != 321 || r.Stats["transitions"] != 709 || r.Stats["errors"] != 1) {
			t.Errorf("%+v", r)
		}
		if language == ".m" && (r.Build < 0.05 || len(r.Stats) == 0) || r.Config != "reduced" && r.Config != "claims" && r.Verdict == "safe" && r.Stats["states"] != 20 {
			t.Errorf("%s: %v s of building, %v", r.Key, r.Build, r.Stats)
		}
	}
}

// TestCgroup starts a process in a control group, where they may be made. The
// controller of memory, which not all machines have, is not needed for it.
func TestCgroup(t *testing.T) {
	mount, err := cgroupMount()
	if err != nil {
		t.Skip(err)
	}
	g, err := (&cgroup{mount}).child("orbitmc-test")
	if err != nil {
		t.Skip(err)
	}
	defer g.remove()
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	b := &batch{opt: &Options{Supervisor: []string{self(), "bench-exec"}}}
	res, err := b.supervised(t.Context(), &order{
		Args: []string{self(), "program", "orphans", "loop", mark}, Log: filepath.Join(dir, "log"), Cgroup: g.dir,
		Limits: benchmarks.Limits{CPU: 0.5, Wall: 20, Memory: 1 << 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Limit != "cpu" || res.CPU < 0.5 || res.CPU > 1 || g.cpu() < 0.5 {
		t.Errorf("%+v, %v s in the group", res, g.cpu())
	}
	cmd := exec.Command(self(), "program", "sleep", mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.write("cgroup.procs", fmt.Sprint(cmd.Process.Pid)); err != nil {
		t.Error(err)
	}
	if err := g.remove(); err != nil {
		t.Errorf("the group stays: %v", err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

func TestOutOfMemory(t *testing.T) {
	for log, want := range map[string]bool{
		">E malloc failed in newschreier()\n":                true, // Traces
		"fatal error: runtime: out of memory\n":              true,
		"terminate called after throwing ... std::bad_alloc": true,
		"[fixing partition]\nsegmentation fault\n":           false,
	} {
		if got := outOfMemory(log); got != want {
			t.Errorf("%q: %v", log, got)
		}
	}
}

// TestTranslate: vertices from 0, each edge once, loops refused.
func TestTranslate(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "graph.dre")
	err := translate(write(t, dir, "g.dimacs", "p edge 4 3\nn 2 7\nn 3 7\ne 4 1\ne 3 1\ne 2 3\n"), out)
	text, _ := os.ReadFile(out)
	if want := "n=4 $=0 g\n2 3 ;\n2 ;\n;\n;\nf=[0\n,3\n|1\n,2\n] x q\n"; err != nil || string(text) != want {
		t.Errorf("%v: %q, want %q", err, text, want)
	}
	for _, bad := range []string{"p edge 0 0\n", "p edge 1 1\ne 1 1\n", "p edge 1 0\ne 1 1\n"} {
		var no unsupported
		if err := translate(write(t, dir, "bad.dimacs", bad), out); !errors.As(err, &no) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
