package runner

import (
	"fmt"
	"io"
	"path/filepath"
)

// This file writes a suite for somebody who has none.

// peers lists what Init puts beside `check`, by the ending of a model's name.
var peers = map[string][]struct{ tool, args string }{
	".m":   {{"rumur", "--symmetry-reduction, exhaustive"}, {"cmurphi", "-m1000"}},
	".pml": {{"spin", `"-m1000000"`}},
	".aig": {{"abc", "fold, pdr"}},
}

// Init writes a suite for models, to begin with: `check` beside the tools that take models of their kinds. Those that are
// not installed here are comments. The paths of the models are relative to the folder in which the suite will be.
func Init(w io.Writer, models []string) error {
	var configs, paths, beside string
	seen := make(map[string]bool)
	for _, m := range models {
		paths += fmt.Sprintf("      - %q\n", m)
		for _, p := range peers[filepath.Ext(m)] {
			if seen[p.tool] {
				continue
			}
			seen[p.tool] = true
			line := fmt.Sprintf("{name: %s, tool: %[1]s, args: [%s]}", p.tool, p.args)
			if _, _, err := tools[p.tool].find(&Options{}); err != nil {
				configs += fmt.Sprintf("  # - %s  # %v\n", line, err)
				continue
			}
			configs += "  - " + line + "\n"
			if beside != "" {
				beside += ", "
			}
			beside += p.tool
		}
	}
	if beside != "" {
		beside = fmt.Sprintf("compare: {config: check, peers: [%s]}\n", beside)
	}
	_, err := fmt.Fprintf(w, `# orbitmc bench run THIS.yaml --out DIR; what may stand here: benchmarks/suites/README.md
limits: {cpu: 60s, wall: 2m, memory: 2GiB}
repeats: 1
configs:
  - {name: check, tool: orbitmc, args: [check]}
%s%smodels:
  - path:
%s    # params: {N: 2..4}  # constants of the models
`, configs, beside, paths)
	return err
}
