package runner

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

// TestSuites loads the suites that are there. All of their runs have an
// expectation, or are known to have none.
func TestSuites(t *testing.T) {
	files, err := filepath.Glob("../suites/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		s := load(t, f)
		// Public models and graphs, outside of the project, may be absent, and so may
		// what is made of the models for other tools.
		notes := slices.DeleteFunc(slices.Clone(s.Notes), func(n string) bool {
			return strings.Contains(n, ": ../../../shared/") || strings.Contains(n, ": ../../../graphs/") || strings.Contains(n, ": ../../out/") ||
				strings.Contains(n, ": $ORBITMC_CORPUS/")
		})
		if len(s.Keys()) == 0 || len(notes) > 0 {
			t.Errorf("%s: %d runs, notes %q", f, len(s.Keys()), notes)
		}
		if filepath.Base(f) != "smoke.yaml" {
			continue
		}
		for _, x := range s.plan {
			if x.expected == "" {
				t.Errorf("%s: nothing is expected of %s", f, x.key())
			}
		}
	}
}

// TestSuite checks what a suite means.
func TestSuite(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.m", "-- expect: N=2 K=1 unsafe prop=\"p\" depth=9\n-- expect: K=1 N=2 unsafe prop=\"q\" depth=7\n-- expect: N=3 K=1 safe states=5\n-- expect: N=3 safe states=5\n")
	s := load(t, write(t, dir, "suite.yaml", `
compare: {config: x, peers: y}
limits: {cpu: 90s, wall: 3m, memory: 1GiB}
repeats: 2
configs:
  - {name: x, tool: test, args: [say, safe]}
  - {name: y, tool: test}
models:
  - path: a.m
    params: {N: 2..3, K: [1, 5]}
    configs: [y]
    repeats: 1
  - path: [gone/b.m, a.m]
    family: letters
    expect: safe
    limits: {memory: 64MiB, cpu: 1m30s}
`))
	want := []string{
		"a.m|K=1 N=2|y|0", "a.m|K=5 N=2|y|0", "a.m|K=1 N=3|y|0", "a.m|K=5 N=3|y|0",
		"gone/b.m||x|0", "gone/b.m||x|1", "gone/b.m||y|0", "gone/b.m||y|1",
		"a.m||x|0", "a.m||x|1", "a.m||y|0", "a.m||y|1",
	}
	if keys := s.Keys(); !slices.Equal(keys, want) {
		t.Fatalf("runs %q, want %q", keys, want)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "suite.yaml:13:5: gone/b.m is absent") {
		t.Errorf("notes %q", s.Notes)
	}
	for i, w := range []struct {
		n        int64
		family   string
		expected string
		depth    int
		limits   benchmarks.Limits
		absent   bool
	}{
		0: {2, "a", "unsafe", 7, benchmarks.Limits{CPU: 90, Wall: 180, Memory: 1 << 30}, false},
		1: {2, "a", "", -1, benchmarks.Limits{CPU: 90, Wall: 180, Memory: 1 << 30}, false},
		2: {3, "a", "safe", -1, benchmarks.Limits{CPU: 90, Wall: 180, Memory: 1 << 30}, false},
		4: {0, "letters", "safe", -1, benchmarks.Limits{CPU: 90, Wall: 180, Memory: 64 << 20}, true},
		8: {0, "letters", "safe", -1, benchmarks.Limits{CPU: 90, Wall: 180, Memory: 64 << 20}, false},
	} {
		x := s.plan[i]
		r := x.run()
		if w.family != "" && (r.N != w.n || r.Family != w.family || r.Expected != w.expected || x.depth != w.depth || x.limits != w.limits || x.absent != w.absent) {
			t.Errorf("run %d is %+v, %+v; want %+v", i, x, r, w)
		}
	}
	rec, err := Run(t.Context(), s, options(filepath.Join(dir, "out")))
	if err != nil {
		t.Fatal(err)
	}
	if c := rec.Compare; c == nil || c.Config != "x" || !slices.Equal(c.Peers, []string{"y"}) || c.Within != 180 {
		t.Errorf("compare %+v", c)
	}
	if r := rec.Runs[4]; r.Status != benchmarks.Skipped || r.Note != "the model is absent" {
		t.Errorf("an absent model: %+v", r)
	}
}

// TestPublished reads published tables, and tells mistakes with their position.
func TestPublished(t *testing.T) {
	dir := t.TempDir()
	const configs = "configs: [{name: c, tool: test}, {name: d, tool: test}]\nmodels: [{path: m, params: {N: 2..3, K: 1}}]\n"
	s := load(t, write(t, dir, "suite.yaml", configs+`published:
  - title: a table
    note: old
    model: m
    rows: [N=2 K=1, K=1 N=3]
    columns:
      - {config: c, stat: states, kind: exact, values: [1, ""]}
      - {name: q, config: d, over: c, stat: states, kind: ratio, values: ["2,000", "?"]}
      - {config: d, stat: steps, add: -1, kind: reconstructed}
`))
	want := []benchmarks.Table{{Title: "a table", Note: "old", Model: "m", Rows: []string{"K=1 N=2", "K=1 N=3"}, Columns: []benchmarks.Column{
		{Name: "c", Kind: benchmarks.Exact, Config: "c", Stat: "states", Values: []string{"1", ""}},
		{Name: "q", Kind: benchmarks.Ratio, Config: "d", Over: "c", Stat: "states", Values: []string{"2,000", "?"}},
		{Name: "d", Kind: benchmarks.Reconstructed, Config: "d", Stat: "steps", Add: -1},
	}}}
	if !reflect.DeepEqual(s.Tables, want) {
		t.Errorf("%+v", s.Tables)
	}
	for _, x := range []struct{ text, want string }{
		{"{}", ":3:12: published: want a list"},
		{"[{title: t, model: m}]", ":3:13: a table has a title, a model and a list of columns"},
		{"[{title: t, model: m, rows: [N=2], columns: [{config: c, stat: s, kind: reconstructed}]}]", `:3:57: m with "N=2" is no run of "c"`},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: c, stat: s, kind: round}]}]", `column: the kind is exact, ratio or reconstructed, not "round"`},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: c, stat: s, kind: exact}]}]", "column: what is exact has published values"},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: c, stat: s, kind: ratio}]}]", "column: a ratio, and nothing else, is over another configuration"},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: c, over: d, stat: s, kind: ratio}]}]", `no column of the table is about s of "d"`},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: c, stat: s, kind: exact, values: [1, 2]}]}]", "values: want a list with one for each row, 1"},
		{"[{title: t, model: m, rows: [K=1 N=2], columns: [{config: e, stat: s, kind: reconstructed}]}]", `is no run of "e"`},
		{"[{title: t, modl: m}]", `table: unknown key "modl"`},
	} {
		if _, err := Load(write(t, dir, "wrong.yaml", configs+"published: "+x.text+"\n")); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.text, err, x.want)
		}
	}
}

// TestSuiteErrors checks that mistakes are told with their position.
func TestSuiteErrors(t *testing.T) {
	const configs = "configs: [{name: c, tool: test}]\n"
	for _, x := range []struct{ text, want string }{
		{"", "the suite is empty"},
		{"a: b: c", "mapping values are not allowed"},
		{"[]", ":1:1: suite: want a mapping"},
		{"models: [{path: m}]\n", ":1:1: suite: no configs"},
		{configs, ":1:1: suite: no models"},
		{configs + "models: []\n", ":1:1: suite: no models"},
		{configs + "models: [{path: m}]\n---\na: b\n", "more than one document"},
		{configs + "model: [{path: m}]\n", `:2:1: suite: unknown key "model"`},
		{configs + "models:\n  - {path: m, parms: {N: 2}}\n", `:3:15: model: unknown key "parms"`},
		{configs + "models:\n  - {path: m, path: n}\n", `:3:15: model: key "path" is there twice`},
		{configs + "models: [{params: {N: 2}}]\n", ":2:10: model: no path"},
		{configs + "models: [{path: m, params: {N: 8..2}}]\n", `:2:32: "8..2": want a range`},
		{configs + "models: [{path: m, params: {N: 1..x}}]\n", `:2:32: "1..x": want a range`},
		{configs + "models: [{path: m, params: {N: [2, 2]}}]\n", "the run m|N=2|c|0 is there twice"},
		{configs + "models: [{path: m, params: {N: }}]\n", ":2:32: value: want a text"},
		{configs + "models: [{path: m, configs: [d]}]\n", `:2:29: unknown configuration "d"`},
		{configs + "models: [{path: m, expect: fine}]\n", ":2:28: expect: want safe, unsafe or, of a graph, order N"},
		{configs + "models: [{path: m, repeats: 0}]\n", ":2:29: repeats: want a number, 1 or more"},
		{configs + "cores: two\nmodels: [{path: m}]\n", ":2:8: cores: want a number, 1 or more"},
		{configs + "cores: 0\nmodels: [{path: m}]\n", ":2:8: cores: want a number, 1 or more"},
		{configs + "models: [{path: m, limits: {cpu: 5}}]\n", `:2:34: cpu "5": want a time`},
		{configs + "models: [{path: m, limits: {memory: 5}}]\n", `:2:37: memory "5": want a size`},
		{configs + "models: [{path: m, limits: {memory: 9999999999GiB}}]\n", `want a size`},
		{configs + "models: [{path: m, limits: {time: 5s}}]\n", `:2:29: limits: unknown key "time"`},
		{configs + "compare: {config: d, peers: [c]}\nmodels: [{path: m}]\n", `:2:19: unknown configuration "d"`},
		{configs + "compare: {peers: [c]}\nmodels: [{path: m}]\n", ":2:10: compare: want a config, and peers other than it"},
		{configs + "compare: {config: c, peers: [c]}\nmodels: [{path: m}]\n", ":2:10: compare: want a config, and peers other than it"},
		{configs + "compare: {config: c, within: 5}\nmodels: [{path: m}]\n", `:2:30: within "5": want a time`},
		{"configs: [{name: c, tool: none}]\n", `:1:27: unknown tool "none"; known are abc, bliss, btormc, cmurphi, cubicle, dreadnaut, ic3ref, orbitmc, rumur, spin`},
		{"configs: [{name: c}]\n", ":1:11: a configuration has a name and a tool"},
		{"configs: [{name: c, tool: test}, {name: c, tool: test}]\n", `:1:41: configuration "c" is there twice`},
		{"configs: [{name: c, tool: test, arg: [x]}]\n", `:1:33: configuration: unknown key "arg"`},
	} {
		file := write(t, t.TempDir(), "suite.yaml", x.text)
		if _, err := Load(file); err == nil || !strings.HasPrefix(err.Error(), file) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: error %v, want %q", x.text, err, x.want)
		}
	}
}

// TestCorpus: paths below a variable are where it says, and absent without it.
func TestCorpus(t *testing.T) {
	suite := "limits: {cpu: 1s}\nconfigs: [{name: c, tool: ic3ref}]\nmodels:\n  - {path: $ORBITMC_CORPUS/owner+name/a.aig, expect: safe}\n"
	dir := t.TempDir()
	file := write(t, dir, "suite.yaml", suite)
	t.Setenv("ORBITMC_CORPUS", "")
	if s := load(t, file); !s.plan[0].absent || len(s.Notes) != 1 {
		t.Errorf("without a corpus: absent %v, notes %q", s.plan[0].absent, s.Notes)
	}
	t.Setenv("ORBITMC_CORPUS", dir)
	if err := os.MkdirAll(filepath.Join(dir, "owner+name"), 0o755); err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"aig 0 0 0 1 0\n":       "",
		"aig 0 0 0 0 0 1\n":     "",
		"aig 0 0 0 0 0 1 2\n":   "IC3ref ignores constraints",
		"aig 0 0 0 2 0\n":       "IC3ref looks at one property",
		"aag 0 0 0 1 0\n0\n":    "not a circuit",
		"aig 0 0 0 5 0 1 0 0\n": "",
	} {
		path := write(t, filepath.Join(dir, "owner+name"), "a.aig", header)
		s := load(t, file)
		if s.plan[0].absent || s.plan[0].path != path {
			t.Errorf("with a corpus: %+v", s.plan[0])
		}
		s.plan[0].abs = path
		r, err := ic3refTool.prepare("IC3", s.plan[0], dir)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", header, err, want)
		}
		if err == nil && r.input != path {
			t.Errorf("input %q", r.input)
		}
	}
}

func load(t *testing.T, file string) *Suite {
	t.Helper()
	s, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
