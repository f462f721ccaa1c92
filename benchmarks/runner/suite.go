// Package runner runs suites: models × parameters × configurations × repeats,
// each run under limits that the operating system enforces on all of its
// processes, and writes down what came out. The words of a record are in package
// benchmarks.
//
// A suite is a YAML file:
//
//	limits: {cpu: 60s, wall: 2m, memory: 2GiB} # the default; build: 1m is for building a checker
//	repeats: 3                           # 1 by default
//	cores: 2                             # of each run; 1 by default
//	configs:
//	  - {name: bmc, tool: orbitmc, args: [bmc, -k, "20"]}
//	  - {name: rumur, tool: rumur}
//	compare: {config: bmc, peers: [rumur], within: 30s} # for the report; nothing by default
//	published:                           # tables for the report; none by default, see published.go
//	  - title: Table 1
//	    model: ../murphi/german.m
//	    rows: [NODE_NUM=2, NODE_NUM=3]
//	    columns: [{config: bmc, stat: clauses, kind: exact, values: [12, 40]}]
//	models:
//	  - path: ../murphi/german.m         # or a list; relative to the suite, or below $ORBITMC_CORPUS
//	    params: {NODE_NUM: 2..8}         # or a list, or one value
//	    configs: [bmc]                   # all by default
//	    expect: safe                     # by default what the model says
//	    family: german                   # by default the file's base name
//	    repeats: 1
//	    limits: {cpu: 10s}               # of the suite where not given
package runner

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// Suite is a suite with all its runs, in the order in which they start.
type Suite struct {
	File    string
	Digest  string // sha256 of the text of the suite and of its models
	Limits  benchmarks.Limits
	Cores   int                 // of each run, 1 or more
	Compare *benchmarks.Compare // nil without
	Tables  []benchmarks.Table
	Notes   []string // models that are absent

	configs []config
	plan    []*task
}

type config struct {
	name, tool string
	args       []string
}

// task is one run to do.
type task struct {
	index  int
	model  string // as in the suite
	path   string // to open
	abs    string // the same from the root; set before it runs
	family string
	params []param // in the order of the suite
	config config
	repeat int
	limits benchmarks.Limits

	expected string
	depth    int // of the first violation, if the model tells; else -1
	absent   bool
	left     bool // out, see Only

	orbitmc string // this program, for tools that read Murphi models by it
}

type param struct{ name, value string }

// paramText returns "K=2 N=4", sorted by name.
func paramText(ps []param) string {
	words := lists.Map(ps, func(p param) string { return p.name + "=" + p.value })
	slices.Sort(words)
	return strings.Join(words, " ")
}

func (t *task) key() string {
	return strings.Join([]string{t.model, paramText(t.params), t.config.name, strconv.Itoa(t.repeat)}, "|")
}

// run returns the record of a task before it ran.
func (t *task) run() benchmarks.Run {
	r := benchmarks.Run{
		Key: t.key(), Model: t.model, Family: t.family, Params: paramText(t.params),
		Config: t.config.name, Tool: t.config.tool, Repeat: t.repeat,
		Verdict: "unknown", Depth: -1, Expected: t.expected,
	}
	if len(t.params) > 0 {
		r.N, _ = strconv.ParseInt(t.params[0].value, 10, 64) // 0 of a name
	}
	return r
}

// Keys returns the keys of all runs in order, but for those left out.
func (s *Suite) Keys() []string {
	var keys []string
	for _, x := range s.plan {
		if !x.left {
			keys = append(keys, x.key())
		}
	}
	return keys
}

// Only leaves out the runs whose key the expression does not match: model|params|config|repeat.
// A batch that ran some is continued with another expression.
func (s *Suite) Only(re *regexp.Regexp) error {
	for _, x := range s.plan {
		x.left = !re.MatchString(x.key())
	}
	if len(s.Keys()) == 0 {
		return fmt.Errorf("%s: no run matches %q", s.File, re)
	}
	return nil
}

// entry is an element of models.
type entry struct {
	pos     string
	paths   []string
	family  string
	params  []param // all values, name by name
	configs []string
	expect  string
	repeats int
	limits  benchmarks.Limits
}

// Load reads a suite. Errors name the file, line and column.
func Load(file string) (*Suite, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Suite{File: file}
	entries, tables, err := s.parse(src)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%d\n%s", len(src), src)
	digested := make(map[string]bool)
	keys := make(map[string]bool)
	for _, e := range entries {
		for _, model := range e.paths {
			path := place(file, model)
			text, err := os.ReadFile(path)
			absent := errors.Is(err, fs.ErrNotExist)
			if err != nil && !absent {
				return nil, err
			}
			if !digested[path] {
				digested[path] = true
				fmt.Fprintf(sum, "%s\n%d\n%s", model, len(text), text)
				if absent {
					s.Notes = append(s.Notes, fmt.Sprintf("%s: %s is absent; its runs are skipped", e.pos, model))
				}
			}
			var known []benchmarks.Expectation
			if !absent && strings.HasSuffix(path, ".m") {
				if known, err = benchmarks.ReadExpectations(path); err != nil {
					return nil, err
				}
			}
			if err := s.expand(e, model, path, absent, known, keys); err != nil {
				return nil, err
			}
		}
	}
	s.Digest = fmt.Sprintf("%x", sum.Sum(nil))
	return s, tables(s)
}

// corpus begins the paths of public netlists, which are no part of the project:
// they are below the folder that the variable names, as owner+repository/path.
const corpus = "$ORBITMC_CORPUS"

// place returns where a model of a suite is.
func place(suite, model string) string {
	if rest, ok := strings.CutPrefix(model, corpus+"/"); ok {
		if root := os.Getenv(corpus[1:]); root != "" {
			return filepath.Join(root, rest)
		}
	}
	if filepath.IsAbs(model) {
		return model
	}
	return filepath.Join(filepath.Dir(suite), model)
}

// expand adds the runs of one model of an entry.
func (s *Suite) expand(e *entry, model, path string, absent bool, known []benchmarks.Expectation, keys map[string]bool) error {
	family := cmp.Or(e.family, strings.TrimSuffix(filepath.Base(model), filepath.Ext(model)))
	for _, params := range product(e.params) {
		expected, depth := e.expect, -1
		for _, k := range known {
			if !matches(k.Consts, params) {
				continue
			}
			verdict := "unsafe"
			if k.Safe {
				verdict = "safe"
			} else if depth < 0 || k.Depth < depth {
				depth = k.Depth
			}
			expected = cmp.Or(expected, verdict)
		}
		if expected != "unsafe" {
			depth = -1
		}
		for _, c := range s.configs {
			if e.configs != nil && !slices.Contains(e.configs, c.name) {
				continue
			}
			for r := range e.repeats {
				x := &task{
					index: len(s.plan), model: model, path: path, family: family, params: params, config: c, repeat: r,
					limits: e.limits, expected: expected, depth: depth, absent: absent,
				}
				if keys[x.key()] {
					return fmt.Errorf("%s: the run %s is there twice", e.pos, x.key())
				}
				keys[x.key()] = true
				s.plan = append(s.plan, x)
			}
		}
	}
	return nil
}

// matches reports whether a model's expectation is about these parameters.
func matches(consts map[string]string, params []param) bool {
	differs := func(p param) bool { return consts[p.name] != p.value }
	return len(consts) == len(params) && !slices.ContainsFunc(params, differs)
}

// product returns all choices of one value for each name, the last name fastest.
func product(all []param) [][]param {
	choices := [][]param{nil}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		var longer [][]param
		for _, c := range choices {
			for _, p := range all[:n] {
				longer = append(longer, append(slices.Clone(c), p))
			}
		}
		choices, all = longer, all[n:]
	}
	return choices
}
