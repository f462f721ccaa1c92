package runner

import (
	"encoding/json"
	"strings"
)

// orbitmcTool runs this program. The first argument of a configuration is the
// command: [bmc, -k, "20"].
var orbitmcTool = tool{
	find: func(o *Options) (string, string, error) {
		v := o.Commit
		if v == "" {
			v = "not built from a commit"
		}
		return o.Program, v, nil
	},
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		if err := isMurphi(x); err != nil {
			return nil, err
		}
		args := []string{program}
		if len(x.config.args) == 0 {
			args = append(args, "check")
		}
		args = append(args, x.config.args...)
		args = append(args, "--json", "--progress", "never")
		for _, p := range x.params {
			args = append(args, "-D", p.name+"="+p.value)
		}
		return &recipe{run: append(args, "--", x.path)}, nil
	},
	read: readOrbitmc,
}

func readOrbitmc(log string, exit int) answer {
	a := answer{depth: -1}
	i := strings.Index(log, "{\n")
	if i < 0 {
		return a
	}
	var out struct {
		Verdict    string
		Properties []struct {
			Verdict string
			Depth   *int
		}
		Stats map[string]float64
	}
	if json.NewDecoder(strings.NewReader(log[i:])).Decode(&out) != nil {
		return a
	}
	// The verdict and the exit status must say the same.
	switch {
	case out.Verdict == "unsafe" && exit == 10, out.Verdict == "safe" && exit == 0,
		out.Verdict == "unknown" && (exit == 0 || exit == 2):
		a.verdict = out.Verdict
	}
	for _, p := range out.Properties {
		if p.Verdict == "unsafe" && p.Depth != nil && (a.depth < 0 || *p.Depth < a.depth) {
			a.depth = *p.Depth
		}
	}
	a.stats = out.Stats
	for _, measured := range []string{"cpu_s", "max_rss_bytes"} { // not counters
		delete(a.stats, measured)
	}
	return a
}
