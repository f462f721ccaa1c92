package explicit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// expectation is one "-- expect:" line of a model.
type expectation struct {
	consts        map[string]string
	safe          bool
	states, canon int64
	prop          string
	depth         int
}

func parseExpectation(t *testing.T, line string) expectation {
	e := expectation{consts: map[string]string{}}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "safe", "unsafe":
			e.safe = key == "safe"
		case "states":
			e.states = number(value)
		case "canon":
			e.canon = number(value)
		case "prop":
			e.prop = strings.Trim(value, `"`)
		case "depth":
			e.depth = int(number(value))
		default:
			e.consts[key] = value
		}
	}
	if e.safe != (e.states > 0) || e.safe == (e.prop != "") {
		t.Fatalf("bad expectation %q", line)
	}
	return e
}

// TestBenchmarkModels checks every expectation written in our own models:
// states, orbits, and depths of all violations, with and without symmetry. The larger sizes take
// ORBITMC_LONG=1.
func TestBenchmarkModels(t *testing.T) {
	paths, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d models, %v", len(paths), err)
	}
	largest := int64(nightly.Or(10_000, 110_000))
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		byConsts := map[string][]expectation{}
		for line := range strings.Lines(string(src)) {
			if _, rest, ok := strings.Cut(line, "-- expect:"); ok {
				e := parseExpectation(t, rest)
				key := fmt.Sprint(e.consts)
				byConsts[key] = append(byConsts[key], e)
			}
		}
		for key, es := range byConsts {
			if es[0].states > largest && (es[0].canon == 0 || es[0].canon > largest/3) {
				continue // too large here
			}
			m, err := murphi.Parse(path, src, murphi.Options{Consts: es[0].consts})
			if err != nil {
				t.Fatal(err)
			}
			p := model.Compile(m)
			name := filepath.Base(path) + " " + key
			for c := explicit.None; c <= explicit.Exact; c++ {
				if c == explicit.None && es[0].states > largest {
					continue
				}
				if c != explicit.None && (len(m.Scalarsets) == 0 || strings.HasPrefix(name, "false_")) {
					continue // the same search again, or a symmetry that does not hold
				}
				check(t, p, fmt.Sprintf("%s %v", name, c), c, es)
			}
		}
	}
}

func check(t *testing.T, p *model.Program, name string, c explicit.Canon, es []expectation) {
	if !es[0].safe {
		opt := explicit.Options{Canon: c, All: true}
		for _, q := range p.Model.Props {
			if slices.ContainsFunc(es, func(e expectation) bool { return e.prop == q.Name }) {
				opt.Props = append(opt.Props, q.Index)
			}
		}
		res := explore(t, p, opt)
		for _, e := range es {
			found := -1
			for _, f := range res.Violations {
				if p.Model.Props[f.Prop].Name == e.prop {
					found = f.Depth
				}
			}
			if found != e.depth {
				t.Errorf("%s: %s violated at depth %d, want %d", name, e.prop, found, e.depth)
			}
		}
		return
	}
	res := explore(t, p, explicit.Options{Canon: c})
	want := es[0].states
	if c != explicit.None {
		want = es[0].canon
	}
	if !res.Complete || len(res.Violations) > 0 || !c.Several() && res.States != want || res.States < want {
		t.Errorf("%s: %+v, want %d states and no violation", name, res, want)
	}
}
