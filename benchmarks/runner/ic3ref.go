package runner

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ic3refTool runs IC3ref, Bradley's reference implementation of IC3, on a circuit
// in binary AIGER. The program IC3 is on the search path, or is the value of
// ORBITMC_IC3REF. The arguments are its options. It looks at one bad only, and
// ignores constraints, so that it is not asked where there are any.
var ic3refTool = tool{
	find: installed("IC3ref", "", "", "$ORBITMC_IC3REF", "IC3"),
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		if filepath.Ext(x.path) != ".aig" {
			return nil, unsupported("not a circuit in binary AIGER")
		}
		bads, constraints, err := aigerHeader(x.abs)
		switch {
		case err != nil:
			return nil, err
		case constraints > 0:
			return nil, unsupported("IC3ref ignores constraints")
		case bads != 1:
			return nil, unsupported("IC3ref looks at one property")
		}
		return &recipe{run: append([]string{program}, x.config.args...), input: x.abs}, nil
	},
	read: func(log string, _ int) answer {
		a := answer{depth: -1}
		if found := ic3refAnswer.FindStringSubmatch(log); found != nil {
			a.verdict = map[string]string{"0": "safe", "1": "unsafe"}[found[1]]
		}
		return a
	},
}

var ic3refAnswer = regexp.MustCompile(`(?m)^([01])$`)

// aigerHeader returns how many properties and constraints the header of a circuit
// names: its bads, or the outputs if there are none.
func aigerHeader(path string) (bads, constraints int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	line := make([]byte, 256)
	n, _ := f.Read(line)
	header, _, _ := strings.Cut(string(line[:n]), "\n")
	var m, i, l, o, a, b, c int
	if k, _ := fmt.Sscanf(header, "aig %d %d %d %d %d %d %d", &m, &i, &l, &o, &a, &b, &c); k < 5 {
		return 0, 0, fmt.Errorf("%s: not a circuit in binary AIGER", path)
	}
	return cmp.Or(b, o), c, nil
}
