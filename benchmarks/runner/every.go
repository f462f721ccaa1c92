package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// z3Tool has z3 answer the conditions that [every] writes for a Murphi model: it is proved for every
// size if z3 says unsat to each. The search for the invariant comes before and is the building. The
// arguments are options of z3. A model that every does not prove is skipped, with the reason.
var z3Tool = tool{
	ours: true,
	find: installed("", "--version", "", "z3"),
	prepare: func(program string, x *task, dir string) (*recipe, error) {
		if err := isMurphi(x); err != nil {
			return nil, err
		}
		conditions := filepath.Join(dir, "conditions.smt2")
		args := []string{x.orbitmc, "every", "--progress", "never", "--cert", conditions}
		for _, p := range x.params {
			args = append(args, "-D", p.name+"="+p.value)
		}
		return &recipe{
			build: [][]string{append(args, "--", x.path)},
			run:   slices.Concat([]string{program}, x.config.args, []string{conditions}),
		}, nil
	},
	refusal: everyRefusal,
	read:    readZ3,
}

// everyRefusal matches what every says of a model that it does not prove.
var everyRefusal = regexp.MustCompile(`(?m)^(not proved for every size: .*|violated at .*|.*: no proof for every size: .*)$`)

// readZ3 reads the answers of z3, one for each condition, with its name before it.
func readZ3(log string, exit int) answer {
	a := answer{depth: -1, stats: make(map[string]float64)}
	for line := range strings.Lines(log) {
		switch line = strings.TrimSpace(line); {
		case line == "unsat", line == "sat", line == "unknown", line == "timeout":
			a.stats["conditions"]++
			if line != "unsat" {
				a.stats["open"]++
			}
		case strings.HasPrefix(line, "(error"):
			return answer{depth: -1}
		}
	}
	switch {
	case a.stats["conditions"] == 0:
	case a.stats["open"] > 0:
		a.verdict = "unknown"
	case exit == 0:
		a.verdict = "safe"
	}
	return a
}

// cubicleTool runs Cubicle, which proves array-based systems for every number of processes, on a
// model in its language (.cub), or on that of the same name beside a Murphi model. The program is
// on the search path, or is the value of ORBITMC_CUBICLE. The arguments are its options. Its
// verdict is about all sizes, as that of [every].
var cubicleTool = tool{
	find: installed("Cubicle ", "-version", "", "$ORBITMC_CUBICLE", "cubicle"),
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		path := x.abs
		if stem, ok := strings.CutSuffix(path, ".m"); ok {
			path = stem + ".cub"
		}
		switch _, err := os.Stat(path); {
		case filepath.Ext(path) != ".cub":
			return nil, unsupported("not a model of Cubicle")
		case err != nil:
			return nil, unsupported("no model of Cubicle is beside it")
		case len(x.params) > 0:
			return nil, unsupported("a model of Cubicle has no parameters")
		}
		return &recipe{run: append(append([]string{program, "-nocolor", "-quiet", "-profiling"}, x.config.args...), path)}, nil
	},
	read: func(log string, exit int) answer {
		a := answer{depth: -1}
		switch {
		case exit == 0 && strings.Contains(log, "\nThe system is SAFE\n"):
			a.verdict = "safe"
		case exit == 1 && strings.Contains(log, "\nUNSAFE !\n"):
			a.verdict = "unsafe"
		case exit == 1 && strings.Contains(log, "\nReached Limit !\n"):
			a.verdict = "unknown"
		}
		if a.verdict != "" {
			a.stats = counters(log, cubicleNodes)
		}
		return a
	},
}

var cubicleNodes = regexp.MustCompile(`(?m)^Number of visited nodes +: (?P<nodes>\d+)$`)
