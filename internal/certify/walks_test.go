package certify_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/typing"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/ts"
)

// TestWalks: encodings have the steps of the interpreter. An encoding in which a latch or the property is another
// function where two leaves have some values lacks one mostly; so does one that lacks a rule.
func TestWalks(t *testing.T) {
	ctx := context.Background()
	for _, file := range []string{"german", "msi_net", "mesi_net", "flash", "queue_lock", "peterson", "sem_counter"} {
		m, err := murphi.ReadFile("../../benchmarks/murphi/"+file+".m", murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}, Props: []int{m.Props[0].Index}}
		if err := certify.TryWalks(ctx, p); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		try := func(change func(double *encode.Encoding)) bool {
			double, sys := *enc, *enc.Sys
			sys.Latches, sys.Bads = slices.Clone(sys.Latches), slices.Clone(sys.Bads)
			double.Sys = &sys
			change(&double)
			q := *p
			q.Enc = &double
			return certify.TryWalks(ctx, &q) != nil
		}
		caught := 0
		const doubles = 40
		for seed := range doubles {
			rng := rand.New(rand.NewPCG(uint64(seed), 3))
			if try(func(e *encode.Encoding) {
				state := func() int { return rng.IntN(len(e.Sys.Latches)) }
				l := &e.Sys.Latches[state()]
				l.Next = e.Sys.G.Xor(l.Next, e.Sys.G.And(e.Sys.LatchLit(state()), e.Sys.LatchLit(state()).Not()))
			}) {
				caught++
			}
		}
		rules := 0
		for r := range m.Rules {
			if try(func(e *encode.Encoding) {
				chosen := aig.True
				for node, on := range e.Choosing(false, r) {
					chosen = e.Sys.G.And(chosen, aig.MkLit(node, !on))
				}
				for i := range e.Sys.Latches {
					l := &e.Sys.Latches[i]
					l.Next = e.Sys.G.Mux(chosen, e.Sys.LatchLit(i), l.Next)
				}
			}) {
				rules++
			}
		}
		if 2*caught < doubles || 4*rules < 3*len(m.Rules) {
			t.Errorf("%s: too few are caught", file)
		}
		t.Logf("%s: %d of %d wrong latches and %d of %d missing rules are caught", file, caught, doubles, rules, len(m.Rules))
	}
}

// walked returns a problem with all properties of a model.
func walked(enc *encode.Encoding) *mc.Problem {
	p := &mc.Problem{OfModel: mc.OfModel{Model: enc.Model, Program: enc.Program, Enc: enc}}
	for _, q := range enc.Model.Props {
		p.Props = append(p.Props, q.Index)
	}
	return p
}

// TestWalksRandom: encodings of random models have the steps of the interpreter; with strict quantifiers, as long
// as these hide no error.
func TestWalksRandom(t *testing.T) {
	ctx := context.Background()
	models := uint64(400)
	if nightly.On() {
		models = 40000
	}
	hiding := 0
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 99))
		opt := murphi.Options{Dialect: model.Dialect(seed / 4 % 2), Deadlock: model.DeadlockMode(seed / 8 % 3)}
		var src string
		switch seed % 4 {
		case 0:
			src = murphitest.Random(rng, murphitest.Options{Dialect: opt.Dialect})
		case 1:
			src = murphitest.Hiding(rng)
		case 2:
			src = murphitest.Calls(rng, opt.Dialect)
		default:
			src = murphitest.Loops(rng)
		}
		m, err := murphi.Parse("random.m", []byte(src), opt)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := encode.Model(context.Background(), m)
		if err != nil { // what is not encoded
			continue
		}
		p := walked(enc)
		if err := certify.TryWalks(ctx, p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		if p.Enc, err = encode.Strict(ctx, m, typing.Check(m).Strict(m, p.Props)); err != nil {
			continue
		}
		if p.Enc.MayHide() {
			hiding++
		}
		if err := certify.TryWalks(ctx, p); err != nil {
			t.Fatalf("seed %d, strict: %v\n%s", seed, err, src)
		}
	}
	if hiding < int(models)/8 {
		t.Errorf("%d systems hide errors", hiding)
	}
}

// TestWalksSee: what is wrong in an encoding is seen behind a rule with many instances, in deadlocks, and where
// quantifiers do not stop early.
func TestWalksSee(t *testing.T) {
	ctx := context.Background()
	try := func(enc *encode.Encoding, change func(double *encode.Encoding)) error {
		p := walked(enc)
		if err := certify.TryWalks(ctx, p); err != nil {
			t.Fatal(err)
		}
		double, sys := *enc, *enc.Sys
		sys.Latches, sys.Bads = slices.Clone(sys.Latches), slices.Clone(sys.Bads)
		double.Sys = &sys
		change(&double)
		p.Enc = &double
		return certify.TryWalks(ctx, p)
	}
	parse := func(src string) *model.Model {
		m, err := murphi.Parse("x.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	stay := func(e *encode.Encoding) {
		for i := range e.Sys.Latches {
			e.Sys.Latches[i].Next = e.Sys.LatchLit(i)
		}
	}
	encoded := func(m *model.Model) *encode.Encoding {
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		return enc
	}
	many := parse("var x: boolean; startstate begin x := false end; ruleset i: 1..100; j: 1..10 do rule i > j | x | !x ==> begin end end; rule begin x := !x end;")
	if try(encoded(many), stay) == nil {
		t.Error("a rule behind one with many instances is missing")
	}
	stuck := parse("var x: boolean; startstate begin x := false end; rule !x ==> begin x := true end;")
	if try(encoded(stuck), func(e *encode.Encoding) {
		for _, b := range e.PropBads[stuck.DeadlockProp().Index] {
			e.Sys.Bads[b].Lit = aig.False
		}
	}) == nil {
		t.Error("no state is deadlocked")
	}
	hiding := parse("type P: scalarset(2); var a: array [P] of 0..1; u: array [P] of boolean; x: boolean; " +
		"startstate begin for p: P do a[p] := 0; undefine u[p] end; x := false end; " +
		"rule begin x := !x end; " +
		"ruleset p: P do rule begin u[p] := false end; rule begin a[p] := 1 - a[p] end end; " +
		`invariant "i" exists q: P do a[q] = 0 | u[q] end;`)
	strict, err := encode.Strict(ctx, hiding, typing.Check(hiding).Strict(hiding, walked(encoded(hiding)).Props))
	if err != nil || !strict.MayHide() {
		t.Fatal("no error may be hidden: ", err)
	}
	if try(strict, stay) == nil {
		t.Error("a system with strict quantifiers lacks steps")
	}
}

// TestWalksManyInstances: few steps are tried where each looks at a million instances.
func TestWalksManyInstances(t *testing.T) {
	limit := func(last string) int {
		m, err := murphi.Parse("x.m", []byte("type N: 0.."+last+"; var x: 0..3; startstate begin x := 0 end; "+
			"ruleset i: N; j: N do rule i * j + x = 1000000 ==> begin x := 3 end end; rule begin x := 1 - x end;"), murphi.Options{Deadlock: model.DeadlockOff})
		if err != nil {
			t.Fatal(err)
		}
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		p := walked(enc)
		if err := certify.TryWalks(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		return certify.WalkLimit(p)
	}
	if few, all := limit("999"), limit("9"); few != 16 || all != 256 {
		t.Errorf("%d steps with a million instances, %d with a hundred", few, all)
	}
}

// TestTrialInterrupted: without time for the trial a verdict is undecided, and no engine is to blame.
func TestTrialInterrupted(t *testing.T) {
	g := aig.New()
	a := g.Input()
	p := mc.NewNetlist(&ts.System{G: g, W: aig.True, Latches: []ts.Latch{{Name: "a", Node: a.Node(), Reset: aig.False, Next: a}}, Bads: []ts.Bad{{Name: "a", Lit: a}}}, nil)
	p.Props, p.WellFormed = []int{0}, true
	ctx, stop := context.WithCancel(context.Background())
	p.Sample = func(ctx context.Context) error {
		stop()
		return ctx.Err()
	}
	r := mc.NewResult("x", p)
	r.Props[0].Status, r.Props[0].Proof = mc.Safe, &evidence.Proof{K: 1}
	if err := certify.Verify(ctx, p, r); err != nil {
		t.Fatal(err)
	}
	if r.Props[0].Status != mc.Unknown || r.Stopped != "interrupted while the evidence was checked" {
		t.Errorf("%v, stopped by %q", r.Props[0].Status, r.Stopped)
	}
}
