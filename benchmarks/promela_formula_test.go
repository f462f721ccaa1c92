package benchmarks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/emptiness"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/mc"
	"orbitmc/model"
)

// decideClaim decides a claim of a program by components, and by the engines, and compares both. It
// reports whether the claim is violated, and whether it is by a run that never ends; an error wraps emptiness.ErrStates if there are too many states.
func decideClaim(ctx context.Context, file, claim string, fair []string, defines map[string]string, most int) (violated, endless, engines bool, err error) {
	p, err := promela.ReadFile(file, promela.Options{Formulas: []string{claim}, Fair: fair, Defines: defines})
	if err != nil {
		return false, false, false, err
	}
	g, err := emptiness.NewGraph(ctx, model.Compile(p.Model), most, false)
	if err != nil {
		return false, false, false, err
	}
	if violated, err = g.Violates(p.Model.Formulas[0], nil); err != nil {
		return false, false, false, err
	}
	if endless, err = g.Endless().Violates(p.Model.Formulas[0], nil); err != nil {
		return false, false, false, err
	}
	opt := task.Options{Formulas: []string{claim}, Fair: fair}
	for k, v := range defines {
		opt.Defines = append(opt.Defines, k+"="+v)
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	t, err := task.Open(ctx, file, opt)
	if task.CutShort(ctx, err) {
		return violated, endless, false, nil
	}
	if err != nil {
		return violated, endless, false, err
	}
	es, err := portfolio.Engines(t, "all")
	if err != nil {
		return violated, endless, false, err
	}
	out, err := portfolio.Run(ctx, t, es, portfolio.Options{})
	if err != nil && !task.CutShort(ctx, err) {
		return violated, endless, false, err
	}
	if err != nil {
		return violated, endless, false, nil
	}
	t.Polish(out.Result)
	last := out.Result.Props[len(out.Result.Props)-1].Status
	if last == mc.Safe && violated || last == mc.Unsafe && !violated {
		return violated, endless, false, fmt.Errorf("engines say %v, and the components violated: %v", last, violated)
	}
	return violated, endless, last != mc.Unknown, nil
}

// TestProgramFormulasRandom: random programs with claims about infinite runs have the verdicts of SPIN's
// verifier, with weak fairness and without.
func TestProgramFormulasRandom(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("no spin")
	}
	programs, from := 1, 0
	if nightly.On() {
		programs = 200
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	counts := make(map[bool]int)
	decided, ended := 0, 0
	for seed := from; seed < from+programs; seed++ {
		src, names := promelatest.RandomFormulas(rand.New(rand.NewPCG(uint64(seed), 27)))
		dir := t.TempDir()
		file := filepath.Join(dir, "x.pml")
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, weak := range []bool{false, true} {
			var fair, options []string
			if weak {
				fair, options = []string{"weak:*"}, []string{"-f"}
			}
			want, err := promelatest.PanClaims(dir, file, names, 30*time.Second, options...)
			if err != nil {
				t.Logf("seed %d: %v", seed, err)
				continue
			}
			for i, name := range names {
				got, endless, engines, err := decideClaim(t.Context(), file, name, fair, nil, 50_000)
				var refused *promela.Error
				switch {
				case errors.As(err, &refused), errors.Is(err, emptiness.ErrStates):
					t.Logf("seed %d, %s: %v", seed, name, err)
					continue
				case err != nil:
					t.Errorf("seed %d, %s, weak fairness %v: %v\n%s", seed, name, weak, err, src)
				case got != want[i] && !(weak && endless == want[i]): // with -f SPIN does not see runs that end
					t.Errorf("seed %d, %s, weak fairness %v: violated %v, SPIN says %v\n%s", seed, name, weak, got, want[i], src)
				}
				if got != want[i] {
					ended++
				}
				counts[got]++
				if engines {
					decided++
				}
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d claims violated, %d hold; engines decided %d; %d differ from SPIN with -f by runs that end", counts[true], counts[false], decided, ended)
	if counts[true] == 0 || counts[false] == 0 {
		t.Error("all claims have the same verdict")
	}
}

// TestPublicFormulas compares the claims of all public programs with SPIN's verdicts, with weak fairness and
// without. What either side does not take or finish is counted.
func TestPublicFormulas(t *testing.T) {
	dir := os.Getenv("ORBITMC_PROMELA")
	if dir == "" || !nightly.On() || !promelatest.HasSpin() {
		t.Skip("long: set ORBITMC_LONG=1, and ORBITMC_PROMELA to a folder of public programs; spin is needed")
	}
	seen := make(map[string]bool)
	files, equal, decided, other := 0, 0, 0, 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".pml", ".prom", ".promela"}, filepath.Ext(file)) {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil || seen[string(data)] {
			return err
		}
		seen[string(data)] = true
		p, err := promela.ReadFile(file, promela.Options{NoClaims: true})
		if err != nil {
			return nil
		}
		var names []string
		for _, c := range p.Claims {
			if c.Kind == "ltl" || c.Kind == "never" {
				names = append(names, c.Name)
			}
		}
		if names == nil {
			return nil
		}
		rel, _ := filepath.Rel(dir, file)
		whole := true
		for _, weak := range []bool{false, true} {
			var fair []string
			var options []string
			if weak {
				fair, options = []string{"weak:*"}, []string{"-f"}
			}
			want, err := promelatest.PanClaims(t.TempDir(), file, names, 20*time.Second, options...)
			if err != nil {
				t.Logf("%s: %v", rel, err)
				other++
				whole = false
				continue
			}
			for i, name := range names {
				got, endless, engines, err := decideClaim(t.Context(), file, name, fair, nil, 200_000)
				switch {
				case err != nil:
					t.Logf("%s: %s: %.200v", rel, name, err)
					other++
					whole = false
				case got == want[i] || weak && endless == want[i]:
					equal++
					t.Logf("%s: %s, weak fairness %v: violated %v (SPIN %v), by engines: %v", rel, name, weak, got, want[i], engines)
					if engines {
						decided++
					}
				default:
					t.Errorf("%s: %s, weak fairness %v: violated %v, SPIN says %v", rel, name, weak, got, want[i])
					whole = false
				}
			}
		}
		if whole {
			files++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs with all claims equal; %d verdicts equal, %d of them by engines too; %d not compared", files, equal, decided, other)
}

// TestServed: the claims of the programs of promela/served, with weak fairness, are what their texts say.
func TestServed(t *testing.T) {
	files, err := filepath.Glob("promela/served/*.pml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		violated, _, decided, err := decideClaim(t.Context(), file, "served", []string{"weak:*"}, map[string]string{"N": "3"}, 50_000)
		if want := bytes.Contains(text, []byte("expect: unsafe")); err != nil || !decided || violated != want {
			t.Errorf("%s: violated %v, decided %v, %v", file, violated, decided, err)
		}
	}
}
