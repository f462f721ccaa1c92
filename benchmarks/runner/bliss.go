package runner

import (
	"regexp"
	"strconv"
	"strings"
)

// blissTool runs bliss on a coloured graph in its DIMACS format (.dimacs). Its
// verdict is the order of the automorphism group, as in "order 8", so that two
// tools which find different groups contradict each other. The arguments are
// options of bliss, such as -directed or -sh=fl.
var blissTool = tool{
	find: installed("", "-version", "", "bliss"),
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		if err := isGraph(x); err != nil {
			return nil, err
		}
		// bliss writes every generator to its output.
		return &recipe{run: append(append([]string{program}, x.config.args...), x.abs)}, nil
	},
	read: readBliss,
}

// blissCount matches the numbers that bliss prints at the end.
var blissCount = regexp.MustCompile(`(?m)^(Nodes|Generators|Max level|\|Aut\|): +(\S+)$`)

func readBliss(log string, exit int) answer {
	a := answer{depth: -1, stats: make(map[string]float64)}
	if exit != 0 {
		return a
	}
	for _, found := range blissCount.FindAllStringSubmatch(log, -1) {
		if found[1] == "|Aut|" {
			a.verdict = "order " + found[2]
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(found[1]), " ", "_")
		a.stats[name], _ = strconv.ParseFloat(found[2], 64)
	}
	return a
}
