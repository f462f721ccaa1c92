package runner

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// tool is an adapter to a program that decides models.
type tool struct {
	// find returns the program, and what it says of its version.
	find func(o *Options) (program, version string, err error)
	// prepare returns the commands for a task, which may write in dir. An
	// unsupported error says that the tool does not take the model.
	prepare func(program string, x *task, dir string) (*recipe, error)
	// refusal, if any, matches what the program says of a model that it does not take
	// when a build fails.
	refusal *regexp.Regexp
	ours    bool // it runs this program, or reads what this program makes of a model
	// read reads the answer out of what the last command printed.
	read func(log string, exit int) answer
}

// recipe is what is called for a task: the commands that build a checker, in
// order, and the one that checks.
type recipe struct {
	build [][]string
	run   []string
	input string // file that run reads on stdin; "" is none
	dir   string // to work in; "" is anywhere
}

// answer is what a tool said. The zero verdict, "", is none: it failed.
type answer struct {
	verdict string // safe, unsafe, unknown; of a graph "order N"
	depth   int    // -1 if not known
	stats   map[string]float64
}

// unsupported is the error of a model that a tool does not take.
type unsupported string

func (u unsupported) Error() string { return string(u) }

// tools lists the adapters.
var tools = map[string]tool{
	"orbitmc":   orbitmcTool,
	"rumur":     rumurTool,
	"cmurphi":   cmurphiTool,
	"abc":       abcTool,
	"bliss":     blissTool,
	"dreadnaut": dreadnautTool,
	"ic3ref":    ic3refTool,
	"spin":      spinTool,
	"btormc":    btormcTool,
	"cubicle":   cubicleTool,
	"z3":        z3Tool,
}

func toolNames() []string { return slices.Sorted(maps.Keys(tools)) }

// installed returns what finds the first of some programs, and the compiler of what it writes, if that is not "". An
// option, if it is not "", has the program say its version, which follows the words about it.
func installed(about, option, compiler string, names ...string) func(*Options) (program, version string, err error) {
	return func(*Options) (program, version string, err error) {
		if program, err = lookup(names...); err != nil {
			return "", "", err
		}
		if version = about; option != "" {
			version += firstLine(program, option)
		}
		if compiler != "" {
			if _, err := lookup(compiler); err != nil {
				return "", "", err
			}
			version += "; " + firstLine(compiler, "--version")
		}
		return program, version, nil
	}
}

// counters returns the numbers that the groups of expressions match, by their names.
func counters(log string, all ...*regexp.Regexp) map[string]float64 {
	stats := make(map[string]float64)
	for _, re := range all {
		for i, text := range re.FindStringSubmatch(log) {
			if n, err := strconv.ParseFloat(text, 64); err == nil && re.SubexpNames()[i] != "" {
				stats[re.SubexpNames()[i]] = n
			}
		}
	}
	return stats
}

// lookup finds the first of the programs that is installed. A name may be that of a variable, whose value counts if there is one.
func lookup(names ...string) (string, error) {
	if variable, ok := strings.CutPrefix(names[0], "$"); ok {
		names = names[1:]
		if value := os.Getenv(variable); value != "" {
			names = []string{value}
		}
	}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return filepath.Abs(p)
		}
	}
	return "", fmt.Errorf("%s is not installed", names[0])
}

// firstLine returns the first line that a command prints, or "".
func firstLine(args ...string) string {
	out, _ := exec.Command(args[0], args[1:]...).CombinedOutput()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

// isGraph fails of models that are no graph.
func isGraph(x *task) error {
	switch {
	case filepath.Ext(x.path) != ".dimacs":
		return unsupported("not a graph in DIMACS format")
	case len(x.params) > 0:
		return unsupported("a graph has no parameters")
	}
	return nil
}

// isMurphi fails of models in another language.
func isMurphi(x *task) error {
	if filepath.Ext(x.path) != ".m" {
		return unsupported("not a Murphi model")
	}
	return nil
}

// copyModel writes the model of a task with its constants in place into dir.
func copyModel(x *task, dir string) (string, error) {
	if err := isMurphi(x); err != nil {
		return "", err
	}
	src, err := os.ReadFile(x.path)
	if err != nil {
		return "", err
	}
	text, err := withConstants(x.path, src, x.params)
	if err != nil {
		return "", unsupported(err.Error())
	}
	file := filepath.Join(dir, "model.m")
	return file, os.WriteFile(file, text, 0o644)
}

// withConstants returns a Murphi model with the values of params in the declarations of its constants, for tools
// that cannot be told of another value. The values have to fit.
func withConstants(file string, src []byte, params []param) ([]byte, error) {
	if len(params) == 0 {
		return src, nil
	}
	consts := make(map[string]string)
	for _, p := range params {
		consts[p.name] = p.value
	}
	if _, err := murphi.Parse(file, src, murphi.Options{Consts: consts}); err != nil {
		return nil, err
	}
	return murphi.SetConsts(file, src, consts, model.CMurphi)
}

// murphiExplored matches what CMurphi and Rumur say at the end.
var murphiExplored = regexp.MustCompile(`(?m)^\t(?P<states>\d+) states, (?P<transitions>\d+) rules fired in `)

// readMurphi reads the output of a checker made by CMurphi or Rumur, whose
// traces show each rule that fired, the start state first.
func readMurphi(log string, failed *regexp.Regexp) answer {
	a := answer{depth: -1, stats: counters(log, murphiExplored)}
	switch {
	case len(a.stats) == 0:
	case strings.Contains(log, "\n\tNo error found.\n"):
		a.verdict = "safe"
	case failed.MatchString(log):
		a.verdict = "unsafe"
		_, trace, ok := strings.Cut(log, "The following is the error trace for the error:")
		trace, _, ended := strings.Cut(trace, "End of the error trace.")
		if ok && ended {
			a.depth = len(firedLine.FindAllString(trace, -1)) - 1
		}
	}
	return a
}

// firedLine matches a step of a trace.
var firedLine = regexp.MustCompile(`(?m)^(Startstate|Rule) .* fired\.$`)
