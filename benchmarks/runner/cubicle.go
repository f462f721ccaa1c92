package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

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
