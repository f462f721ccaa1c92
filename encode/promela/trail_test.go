package promela_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// panTable is a line of what `pan -d` prints: the number of a statement, and its line.
var panTable = regexp.MustCompile(`\[id\s+(\d+) tp\s+\d+[^]]*\] \[\S+\] \S*:(\d+) =>`)

// TestNumbers compares the numbers of statements with those of SPIN.
func TestNumbers(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	compare := func(name, file string) {
		p, err := promela.ReadFile(file, promela.Options{})
		if err != nil {
			return
		}
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		if promelatest.Make(dir, file, promelatest.Plain.Spin, promelatest.Plain.GCC) != nil {
			return
		}
		out, _ := promelatest.Run(dir, time.Minute, "./pan", "-d")
		known := map[string]string{} // by proctype and number
		listed := map[string]bool{}
		proctype := ""
		for line := range strings.Lines(out) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "proctype "); ok {
				proctype = name
			} else if strings.TrimSpace(line) == "init" {
				proctype = "init"
			} else if m := panTable.FindStringSubmatch(line); m != nil {
				known[proctype+" "+m[1]] = m[2]
				listed[proctype] = true
			}
		}
		n, unknown := 0, 0
		for _, e := range p.Edges {
			for _, q := range e.Parts {
				n++
				owner := p.Protos[e.Actors[q.Actor]].Name
				key := fmt.Sprint(owner, " ", q.ID)
				if q.ID < 0 || !listed[owner] { // it lists none of very large proctypes
					unknown++
				} else if known[key] == "" {
					t.Errorf("%s: line %d: %s: SPIN has no statement %s\n%s", name, q.Pos.Line, q.Text, key, out)
					return
				}
			}
		}
		if unknown > 0 {
			t.Logf("%s: of %d statements, the numbers of %d are unknown", name, n, unknown)
		}
	}
	files, _ := filepath.Glob("../../benchmarks/promela/*.pml")
	n, first := 6, uint64(1)
	if nightly.On() {
		n = 300
		if dir := os.Getenv("ORBITMC_PROMELA"); dir != "" {
			eachProgram(t, dir, func(file string) { files = append(files, file) })
		}
	}
	for _, f := range files {
		compare(f, f)
	}
	for seed := first; seed < first+uint64(n); seed++ {
		src := promelatest.Random(rand.New(rand.NewPCG(seed, 0)))
		file := filepath.Join(t.TempDir(), "random.pml")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		compare(fmt.Sprintf("seed %d\n%s", seed, src), file)
	}
}

// TestTrails replays trails of SPIN, made with and without its reductions.
func TestTrails(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	n := nightly.Or(10, 750)
	replayed, none, refused := 0, 0, 0
	replay := func(name, file string, opt promela.Options) {
		p, err := promela.ReadFile(file, opt)
		if err != nil { // a step without effect, mostly
			refused++
			return
		}
		code := model.Compile(p.Model)
		for _, how := range []struct{ spin, gcc, run []string }{
			{nil, []string{"-DSAFETY", "-DNOCLAIM"}, []string{"-c1"}},
			{promelatest.Plain.Spin, promelatest.Plain.GCC, []string{"-c1"}},
			{promelatest.Plain.Spin, append(slices.Clone(promelatest.Plain.GCC), "-DBFS"), []string{"-c1"}},
			{nil, []string{"-DSAFETY", "-DNOCLAIM", "-DBFS"}, []string{"-c1"}},
			{nil, []string{"-DSAFETY", "-DNOCLAIM", "-DREACH"}, []string{"-c1", "-i"}},
		} {
			breadth := slices.Contains(how.gcc, "-DBFS") // which also writes a statement that it tried in vain

			dir := t.TempDir()
			spin := how.spin
			for d, v := range opt.Defines {
				spin = append(spin, "-D"+d+"="+v)
			}
			if promelatest.Make(dir, file, spin, how.gcc) != nil {
				continue
			}
			out, err := promelatest.Run(dir, 20*time.Second, "./pan", append(how.run, "-m100000")...)
			trail, missing := os.ReadFile(filepath.Join(dir, filepath.Base(file)+".trail"))
			os.RemoveAll(dir)
			if err != nil && strings.Contains(err.Error(), "limit") || missing != nil {
				none++
				continue
			}
			tr, err := p.ReadTrail(code, "trail", trail)
			if err == nil {
				err = traces.Replay(code, tr)
			}
			if err != nil {
				t.Errorf("%s: %v: %v\n%s\n%s", name, how, err, trail, out)
				continue
			}
			replayed++
			var own strings.Builder
			switch err := p.WriteTrail(&own, tr); {
			case err != nil:
				t.Errorf("%s: %v: %v", name, how, err)
			case how.spin != nil && own.String() != string(trail) && !(breadth && strings.HasPrefix(string(trail), own.String())):
				t.Errorf("%s: %v: the trail of SPIN is\n%s\nours:\n%s", name, how, trail, own.String())
			}
			kind := p.Model.Props[tr.Prop].Kind
			if strings.Contains(out, "pan:1: invalid end state") && kind != model.Deadlock || strings.Contains(out, "pan:1: assertion violated") && kind != model.Assertion {
				t.Errorf("%s: %v: the trail shows a violated %s, SPIN found: %s", name, how, kind, out)
			}
		}
	}
	for _, c := range []struct{ file, define string }{
		{"philosophers.pml", "N=4"}, {"readers_writers_bug.pml", ""}, {"leader.pml", ""}, {"claims.pml", ""},
	} {
		opt := promela.Options{NoClaims: true}
		if name, v, ok := strings.Cut(c.define, "="); ok {
			opt.Defines = map[string]string{name: v}
		}
		replay(c.file, "../../benchmarks/promela/"+c.file, opt)
	}
	for seed := uint64(1); replayed < n && seed < 100*uint64(n); seed++ {
		src := promelatest.Random(rand.New(rand.NewPCG(seed, 7)))
		file := filepath.Join(t.TempDir(), "random.pml")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		replay(fmt.Sprintf("seed %d\n%s", seed, src), file, promela.Options{NoClaims: true})
	}
	t.Logf("%d trails replayed; no violation, or no trail, %d times; refused: %d", replayed, none, refused)
	if replayed < n {
		t.Errorf("only %d trails were replayed", replayed)
	}
}
