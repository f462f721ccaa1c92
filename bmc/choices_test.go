package bmc_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"orbitmc/bmc"
	"orbitmc/detect/infer"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestChoicesInBinary compares, on random models and on models with inferred classes, the search on an encoding
// whose choices get codes with the one on the plain encoding, which has none: each property has the same depth.
func TestChoicesInBinary(t *testing.T) {
	type source struct {
		text string
		opt  murphi.Options
	}
	sources := make(map[string]source)
	for _, name := range []string{"german_range_bug2", "msi_dir_range_bug", "peterson_range_bug", "token_ring_bug", "mesi_snoop_range_bug", "peterson_named"} {
		text, err := os.ReadFile("../benchmarks/murphi/" + name + ".m")
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = source{string(text), murphi.Options{}}
	}
	for seed := range uint64(nightly.Or(60, 600)) {
		opt := murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
		text := murphitest.Random(rand.New(rand.NewPCG(seed, 61)), murphitest.Options{Dialect: opt.Dialect, Bits: 8})
		sources["random "+fmt.Sprint(seed)] = source{text, opt}
	}
	coded, violated, permutations := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s := sources[name]
		m, err := murphi.Parse(name, []byte(s.text), s.opt)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := encode.Model(context.Background(), m); err != nil {
			continue // the order of elements may matter
		}
		k := 9
		run := func(p *mc.Problem, c bmc.Checker) map[string]any {
			c.NewSolver = newSolver
			r, err := c.Run(context.Background(), p, mc.Options{All: true, Bounded: true, MaxDepth: k})
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, s.text)
			}
			permutations = max(permutations, r.Stats.Permutations)
			return depths(p, r)
		}
		want := run(parse(t, s.text, s.opt), bmc.Checker{Rep: bmc.RepOff})
		for _, d := range want {
			if _, ok := d.(int); ok {
				violated++
			}
		}
		alike, _ := infer.Classes(m)
		for _, encoder := range []func(context.Context, *model.Model) (*encode.Encoding, error){encode.Model, encode.Named} {
			enc, err := encoder(t.Context(), alike)
			if err != nil {
				t.Fatal(err)
			}
			if len(enc.Choices) == 0 {
				continue
			}
			coded++
			p := &mc.Problem{OfModel: mc.OfModel{Model: alike, Program: enc.Program, Enc: enc}}
			for i := range alike.Props {
				p.Props = append(p.Props, i)
			}
			withSymmetry(t, p)
			for _, c := range []bmc.Checker{{Rep: bmc.RepOff}, {Rep: bmc.RepPath}, {Rep: bmc.RepPath, From: 2, Step: 3}} {
				if got := run(p, c); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %v from %d by %d: %v, want %v\n%s", name, c.Rep, c.From, c.Step, got, want, s.text)
				}
			}
		}
	}
	if coded < 50 || violated < 100 || permutations == 0 {
		t.Errorf("%d encodings with codes, %d violations, %d permutations", coded, violated, permutations)
	}
	t.Logf("%d encodings with codes, %d violations, %d permutations", coded, violated, permutations)
}
