package runner

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// orbitmcTool runs this program. The first argument of a configuration is the
// command: [bmc, -k, "20"]. On a coloured graph (.dimacs) that is [detect]. The verdict of
// [detect] and [rep] is the order of the group. A sweep ends at the value of the first
// parameter, and the verdict is that of this size. The verdict of [every] is about all sizes. Of a file of Go tests (.go)
// the parameter TEST is run by [go]: TEST=Philosophers3 is TestPhilosophers3.
var orbitmcTool = tool{
	ours: true,
	find: func(o *Options) (string, string, error) {
		return o.Program, cmp.Or(o.Commit, "not built from a commit"), nil
	},
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		switch ext := filepath.Ext(x.path); {
		case (ext == ".go") != (len(x.config.args) > 0 && x.config.args[0] == "go"):
			return nil, unsupported("go runs Go tests, and nothing else does")
		case ext == ".go" && (len(x.params) != 1 || x.params[0].name != "TEST"):
			return nil, unsupported("of a file of Go tests one is run, that named by TEST")
		case ext == ".go":
			return &recipe{run: slices.Concat([]string{program}, x.config.args, []string{"--json", "--progress", "never", "-C", filepath.Dir(x.path), "--run", "^Test" + x.params[0].value + "$"})}, nil
		case ext == ".dimacs" && (len(x.config.args) == 0 || x.config.args[0] != "detect"):
			return nil, unsupported("of a graph only its group can be found, by detect")
		case ext != ".m" && ext != ".pml" && len(x.params) > 0:
			return nil, unsupported("only Murphi models and Promela programs have parameters")
		case !slices.Contains([]string{".m", ".pml", ".prom", ".promela", ".aig", ".aag", ".btor2", ".btor", ".v", ".sv", ".dimacs"}, ext):
			return nil, unsupported("not a Murphi model, a Promela program, a netlist in AIGER, BTOR2 or Verilog, or a graph in DIMACS format")
		}
		args := []string{program}
		if len(x.config.args) == 0 {
			args = append(args, "check")
		}
		args = append(args, x.config.args...)
		if args = append(args, "--json"); args[1] != "detect" && args[1] != "rep" {
			args = append(args, "--progress", "never")
		}
		for i, p := range x.params {
			if args[1] == "sweep" && i == 0 {
				p.value += ".." + p.value
			}
			args = append(args, "-D", p.name+"="+p.value)
		}
		return &recipe{run: append(args, "--", x.path)}, nil
	},
	read: readOrbitmc,
}

// numbers are the fields of an object whose values are numbers.
type numbers map[string]float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*n = make(numbers)
	for name, v := range all {
		if x, ok := v.(float64); ok {
			(*n)[name] = x
		}
	}
	return nil
}

func readOrbitmc(log string, exit int) answer {
	a := answer{depth: -1}
	i := strings.Index(log, "{\n")
	if i < 0 {
		return a
	}
	type decision struct {
		Verdict    string
		Properties []struct {
			Verdict string
			Depth   *int
		}
		Stats numbers
	}
	var out struct {
		decision
		Symmetry struct{ Order string }
		Complete bool                                      // of a graph: the order is that of the whole group
		Parts    json.RawMessage                           // of the group, only of detect of a model
		Word     json.RawMessage                           // latches, only of rep
		Count    struct{ Representatives, Orbits float64 } // of rep --count
		Relation map[string]float64                        // of rep --relation
		Runs     []decision                                // of a sweep, or a proof for every size, by size
		Tests    []struct{ Executions, Steps float64 }     // of Go tests
	}
	if json.NewDecoder(strings.NewReader(log[i:])).Decode(&out) != nil {
		return a
	}
	if n := len(out.Runs); n > 0 {
		last := out.Runs[n-1]
		if out.Verdict == "" {
			out.decision = last
		}
		out.Properties = last.Properties
	}
	if len(out.Tests) == 1 {
		out.Verdict = map[string]string{"violated": "unsafe", "explored": "safe", "incomplete": "unknown"}[out.Verdict]
		out.Stats = numbers{"executions": out.Tests[0].Executions, "transitions": out.Tests[0].Steps}
	}
	// The verdict and the exit status must say the same.
	switch {
	case out.Verdict == "unsafe" && exit == 10, out.Verdict == "safe" && exit == 0,
		out.Verdict == "unknown" && (exit == 0 || exit == 2):
		a.verdict = out.Verdict
	case (out.Parts != nil || out.Word != nil) && exit == 0:
		a.verdict = "order " + out.Symmetry.Order
		out.Stats = make(numbers)
		maps.Copy(out.Stats, out.Relation)
		if out.Count.Orbits > 0 {
			out.Stats["representatives"], out.Stats["orbits"] = out.Count.Representatives, out.Count.Orbits
		}
		if order, err := strconv.ParseFloat(out.Symmetry.Order, 64); err == nil {
			out.Stats["order"] = order
		}
	case out.Complete && exit == 0:
		a.verdict = "order " + out.Symmetry.Order
	}
	for _, p := range out.Properties {
		if p.Verdict == "unsafe" && p.Depth != nil && (a.depth < 0 || *p.Depth < a.depth) {
			a.depth = *p.Depth
		}
	}
	a.stats = out.Stats
	for _, measured := range []string{"cpu_s", "search_s", "max_rss_bytes"} { // not counters
		delete(a.stats, measured)
	}
	return a
}
