package runner

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// abcTool runs Berkeley ABC on a circuit in binary AIGER (.aig), or on the one
// that this program writes of a Murphi model. The arguments are its commands: [pdr] or ["bmc3 -F 20"], or [orpos, "&get", "&back_reach"],
// which takes one output. All outputs are properties.
var abcTool = tool{
	ours: true,
	find: func(*Options) (string, string, error) {
		program, err := lookup("berkeley-abc", "abc")
		if err != nil {
			return "", "", err
		}
		out, _ := exec.Command(program, "-c", "version").CombinedOutput()
		return program, string(abcVersion.Find(out)), nil
	},
	prepare: func(program string, x *task, dir string) (*recipe, error) {
		path := x.abs
		r := &recipe{dir: dir}
		switch ext := filepath.Ext(x.path); {
		case ext == ".m":
			args := []string{x.orbitmc, "convert", "-o", filepath.Join(dir, "model.aig")}
			for _, p := range x.params {
				args = append(args, "-D", p.name+"="+p.value)
			}
			r.build = [][]string{append(args, "--", path)}
			path = "model.aig"
		case ext != ".aig":
			return nil, unsupported("not a Murphi model or a circuit in binary AIGER")
		case len(x.params) > 0:
			return nil, unsupported("a circuit has no parameters")
		case strings.ContainsAny(path, "; \t"):
			return nil, unsupported("ABC cannot read a path with spaces or semicolons")
		}
		script := "read_aiger " + path + "; strash; " + strings.Join(x.config.args, "; ") + "; print_status"
		r.run = []string{program, "-c", script}
		return r, nil
	},
	read: readABC,
}

var abcVersion = regexp.MustCompile(`(?m)^UC Berkeley, .*$`)

var abcStatus = regexp.MustCompile(`(?m)^Status = *(-?\d+) +Frames = *(-?\d+)(?:.*Frame = *(\d+))?`)

var abcBackward = regexp.MustCompile(`(?m)^Property (holds|failed in frame|is undecided)`)

func readABC(log string, _ int) answer {
	a := answer{depth: -1}
	all := abcStatus.FindAllStringSubmatch(log, -1)
	// Engines ignore constraints unless they are folded before: [fold, pdr].
	constrained := strings.Contains(log, "interpreted as constraints") && !strings.Contains(log, "; fold;")
	if all == nil || constrained || strings.Contains(log, "** cmd error") {
		return a
	}
	if found := abcBackward.FindStringSubmatch(log); found != nil {
		// &back_reach leaves no status behind; its frames are no depths.
		a.verdict = map[string]string{"holds": "safe", "failed in frame": "unsafe", "is undecided": "unknown"}[found[1]]
		return a
	}
	last := all[len(all)-1]
	switch last[1] {
	case "1":
		a.verdict = "safe"
	case "0":
		a.verdict = "unsafe"
		if n, err := strconv.Atoi(last[3]); err == nil {
			a.depth = n
		}
	case "-1":
		a.verdict = "unknown"
		if n, err := strconv.Atoi(last[2]); err == nil && n >= 0 {
			a.stats = map[string]float64{"depth": float64(n)}
		}
	}
	return a
}

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

// btormcTool runs BtorMC, which is part of Boolector, on a circuit in BTOR2 that has one property and no justice. The
// program is on the search path, or is the value of ORBITMC_BTORMC. The arguments are its options.
var btormcTool = tool{
	find: installed("BtorMC ", "--version", "", "$ORBITMC_BTORMC", "btormc"),
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		if ext := filepath.Ext(x.path); ext != ".btor2" && ext != ".btor" {
			return nil, unsupported("not a circuit in BTOR2")
		}
		text, err := os.ReadFile(x.abs)
		if err != nil {
			return nil, err
		}
		if len(btorBad.FindAll(text, 2)) != 1 || btorJustice.Match(text) {
			return nil, unsupported("BtorMC is asked for one property, without justice")
		}
		return &recipe{run: append(append([]string{program}, x.config.args...), x.abs)}, nil
	},
	read: func(log string, _ int) answer {
		a := answer{depth: -1}
		if found := btormcAnswer.FindStringSubmatch(log); found != nil {
			a.verdict = map[string]string{"sat": "unsafe", "unsat": "safe"}[found[1]]
		}
		if frames := btormcFrame.FindAllStringSubmatch(log, -1); a.verdict == "unsafe" && frames != nil {
			a.depth, _ = strconv.Atoi(frames[len(frames)-1][1])
		}
		return a
	},
}

var (
	btorBad      = regexp.MustCompile(`(?m)^\d+ bad `)
	btorJustice  = regexp.MustCompile(`(?m)^\d+ (justice|fair) `)
	btormcAnswer = regexp.MustCompile(`(?m)^(sat|unsat)\nb0$`)
	btormcFrame  = regexp.MustCompile(`(?m)^@(\d+)$`)
)

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
