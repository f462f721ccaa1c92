package runner

import (
	"path/filepath"
	"regexp"
	"slices"

	"orbitmc/internal/lists"
)

// spinTool runs SPIN's verifier: spin writes it in C, and it is compiled and run, without
// reductions and claims, to the end. The arguments are those of the verifier. With -DREDUCE it is
// built as it is by default: with partial orders, and with statements merged. With -a it looks for runs that violate a claim
// (-N), and is built for that.
var spinTool = tool{
	find: installed("", "-V", "gcc", "spin"),
	prepare: func(program string, x *task, dir string) (*recipe, error) {
		if !slices.Contains([]string{".pml", ".prom", ".promela"}, filepath.Ext(x.path)) {
			return nil, unsupported("not a Promela program")
		}
		spin, reduce := []string{program, "-o1", "-o2", "-o3"}, "-DNOREDUCE"
		args := slices.DeleteFunc(slices.Clone(x.config.args), func(a string) bool { return a == "-DREDUCE" })
		if len(args) < len(x.config.args) {
			spin, reduce = spin[:1], "-DREDUCE"
		}
		gcc := []string{"gcc", "-O3", "-w", reduce, "-o", "pan", "pan.c"}
		switch {
		case slices.Contains(args, "-f"): // by default for six processes
			gcc = append(gcc, "-DNFAIR=3")
		case !slices.Contains(args, "-a"):
			gcc = append(gcc, "-DSAFETY", "-DNOCLAIM")
		}
		spin = append(spin, lists.Map(x.params, func(p param) string { return "-D" + p.name + "=" + p.value })...)
		return &recipe{
			build: [][]string{append(spin, "-a", x.abs), gcc},
			run:   slices.Concat([]string{filepath.Join(dir, "pan"), "-c0", "-n", "-m10000000"}, args),
			dir:   dir,
		}, nil
	},
	refusal: regexp.MustCompile(`(?m)^spin: \S+?:(\d+, Error: .*)$`),
	read:    readSpin,
}

var (
	spinErrors      = regexp.MustCompile(`(?m)^State-vector .* errors: (?P<errors>\d+)$`)
	spinStates      = regexp.MustCompile(`(?m)^\s+(?P<states>\d+) states, stored`)
	spinTransitions = regexp.MustCompile(`(?m)^\s+(?P<transitions>\d+) transitions \(=`)
	spinCut         = regexp.MustCompile(`(?m)^(pan: x[rs] assertion violated|error: max search depth too small|pan: out of memory|pan: reached -DMEMLIM bound|Warning: Search not completed)`)
)

// readSpin reads what the verifier prints at the end of a complete search.
func readSpin(log string, exit int) answer {
	a := answer{depth: -1, stats: counters(log, spinErrors, spinStates, spinTransitions)}
	switch {
	case len(a.stats) < 3:
		return answer{depth: -1}
	case exit != 0 || spinCut.MatchString(log):
	case a.stats["errors"] > 0:
		a.verdict = "unsafe"
	default:
		a.verdict = "safe"
	}
	return a
}
