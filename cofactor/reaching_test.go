package cofactor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/ts"
)

// liveModel returns a random model of two or three interchangeable components with
// errors, assumptions, undefined values and liveness properties.
func liveModel(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	num := func() string { return fmt.Sprint(r.IntN(3)) }
	guard := func() string {
		return pick("a[p] = "+num(), "a[p] != a[q]", "n = "+num(), "n < 2", "isundefined(g)", "p != q", "h[p]", "!h[q]", "n + a[q] < 3", "g = p")
	}
	action := func() string {
		return pick("a[p] := "+num(), "a[q] := a[p]", "g := p", "undefine g", "n := "+num(), "n := (n + 1) % 3", "n := a[p]",
			"h[p] := true", "h[q] := a[p] = 1", "a[p] := a[p] + 1", "for r: P do a[r] := n; end",
			`assert (a[p] != 2 | n != 2) "small"`, `if a[p] = 2 & h[q] then error "boom"; end`, `assert n < 2 "n"`)
	}
	var w strings.Builder
	fmt.Fprintf(&w, "type P: scalarset(%d);\nvar a: array[P] of 0..2; h: array[P] of boolean; g: P; n: 0..2;\n", 2+r.IntN(4)/3)
	if r.IntN(2) == 0 {
		w.WriteString("startstate \"s\" begin for r: P do a[r] := 0; h[r] := false; end; n := 0; end;\n")
	} else {
		w.WriteString("ruleset p: P; q: P do startstate \"s\" begin for r: P do a[r] := 1; h[r] := r = p; end; a[q] := 0; n := 1;" +
			pick("", "", " if p = q then a[p] := a[p] - 1; end;", " g := q;") + "end; end;\n")
	}
	for i := range 2 + r.IntN(3) {
		fmt.Fprintf(&w, "ruleset p: P; q: P do rule \"r%d\" %s", i, guard())
		for range r.IntN(2) {
			w.WriteString(" & " + guard())
		}
		w.WriteString(" ==> begin ")
		for range 1 + r.IntN(2) {
			w.WriteString(action() + "; ")
		}
		w.WriteString("end; end;\n")
	}
	if r.IntN(3) == 0 {
		fmt.Fprintf(&w, "assume \"so\" %s;\n", pick("n != 2 | isundefined(g)", "exists p: P do a[p] < 2 end", "!(forall p: P do h[p] end)", "n < 2"))
	}
	fmt.Fprintf(&w, "liveness \"global\" %s;\n", pick("n = "+num(), "isundefined(g)", "exists p: P do a[p] = "+num()+" end", "forall p: P do a[p] < 2 end"))
	fmt.Fprintf(&w, "ruleset p: P do liveness \"each\" %s; end;\n", pick("a[p] = "+num(), "g = p", "!isundefined(g) & a[g] = "+num()+" & g != p", "h[p]", "!h[p]"))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&w, "ruleset k: 0..1; p: P do liveness \"pairs\" %s; end;\n", pick("a[p] = k", "n = k | g = p", "a[p] = k | h[p]"))
	}
	return w.String()
}

// liveProblem makes the problem of the liveness properties of a model.
func liveProblem(t testing.TB, src string, opt murphi.Options, symmetric bool) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse("live.m", []byte(src), opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}}
	for i, q := range m.Props {
		if q.Kind == model.Liveness {
			p.Props = append(p.Props, i)
		}
	}
	ctx := context.Background()
	if symmetric {
		instances := make(map[int][]detect.Instance)
		for prop, insts := range enc.Instances {
			for _, inst := range insts {
				instances[prop] = append(instances[prop], detect.Instance(inst))
			}
		}
		report, err := declared.Check(ctx, m, enc, enc.Sys, enc.PropBads, declared.Options{
			Instances: instances,
			Verify:    verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, newSolver()) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Groups = report.ByProp
	}
	if err := encode.ProveWellFormed(ctx, enc.Sys, newSolver); err != nil {
		t.Fatal(err)
	}
	p.WellFormed = true
	return p
}

// reach is the engine that decides liveness.
func reach() *Engine {
	return &Engine{NewSolver: newSolver, Reach: &pdr.Engine{NewSolver: newSolver}}
}

// oracle returns the verdicts of explicit search.
func liveVerdicts(t testing.TB, p *mc.Problem) *mc.Result {
	t.Helper()
	r, err := (&explicit.Engine{}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// liveSeeds is the number of random models.
var liveSeeds = nightly.Or(130, 4000)

// TestLivenessAgainstExplicit compares verdicts with those of explicit search, and
// has the evidence checked, which also is refused for the other verdict.
func TestLivenessAgainstExplicit(t *testing.T) {
	verdicts := make(map[mc.Status]int)
	var images [2]int
	for seed := range uint64(liveSeeds) {
		agree(t, seed, verdicts, &images)
	}
	if images[0] < liveSeeds/10 || images[1] < liveSeeds/10 {
		t.Errorf("instances and sets that are images: %d", images)
	}
	if verdicts[mc.Safe] < liveSeeds/3 || verdicts[mc.Unsafe] < liveSeeds/3 {
		t.Errorf("verdicts: %v", verdicts)
	}
}

func agree(t *testing.T, seed uint64, verdicts map[mc.Status]int, images *[2]int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	src := liveModel(rng)
	opt := murphi.Options{Dialect: model.Dialect(rng.IntN(2)), Deadlock: model.DeadlockMode(rng.IntN(3))}
	p := liveProblem(t, src, opt, rng.IntN(4) > 0)
	p.Full = rng.IntN(4) == 0
	want := liveVerdicts(t, p)
	e := reach()
	if rng.IntN(4) == 0 {
		e.Reduction = NoReduction
	}
	if rng.IntN(4) == 0 {
		e.Without = Care
	}
	got := decide(t, p, e, mc.Options{All: true})
	for i, pr := range got.Props {
		if f := pr.Reaching; f != nil {
			for inst, x := range f.Insts {
				if x.Of != inst {
					images[0]++
				}
				for _, s := range x.Steps {
					if s.From == nil {
						images[1]++
					}
				}
			}
		}
		if p.Enc.Errs(pr.Prop) { // explicit search decides it
			if pr.Status != mc.Unknown {
				t.Errorf("seed %d: %q may err, and is %v", seed, p.Name(pr.Prop), pr.Status)
			}
			continue
		}
		if w := want.Props[i]; pr.Status != w.Status || w.Status == mc.Unknown || pr.Trace != nil && pr.Depth < w.Depth {
			t.Errorf("seed %d: %q is %v at depth %d, want %v at %d\n%s", seed, p.Name(pr.Prop), pr.Status, pr.Depth, w.Status, w.Depth, src)
		}
		verdicts[pr.Status]++
	}
}

// counter is a model whose liveness depends on what counts as a step.
const counter = `
var x: 0..2; b: boolean;
startstate begin x := 0; b := false; end;
rule "up" x < 2 ==> x := x + 1; %s end;
rule "down" x = 1 ==> x := 0; end;
rule "turn" x = 0 ==> b := !b; end;
%s
liveness "top" x = 2;
`

// TestSteps: a step that errs and one that an assumption excludes are none. For each
// rule the double is an engine that counts them as steps, which it is made to by a
// model without what makes them none: its verdict is wrong, and its evidence refused.
func TestSteps(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ name, err, assume string }{
		{"erring step", `assert x != 2;`, ""},
		{"error statement", `if x = 2 then error "two"; end;`, ""},
		{"out of range", `if x = 2 then x := x + 1; end;`, ""},
		{"excluded step", "", `assume x != 2;`},
	} {
		opt := murphi.Options{Deadlock: model.DeadlockOff}
		double := liveProblem(t, fmt.Sprintf(counter, "", ""), opt, false)
		p := liveProblem(t, fmt.Sprintf(counter, c.err, c.assume), opt, false)
		if r := decide(t, p, reach(), mc.Options{}); r.Props[0].Status != mc.Unsafe || r.Props[0].Depth != 0 {
			t.Errorf("%s: %v at depth %d", c.name, r.Props[0].Status, r.Props[0].Depth)
		}
		r := decide(t, double, reach(), mc.Options{})
		if r.Props[0].Status != mc.Safe {
			t.Errorf("%s: the double says %v", c.name, r.Props[0].Status)
		}
		r.Props[0].Prop = p.Props[0]
		if err := certify.Verify(ctx, p, r); err == nil || !strings.Contains(err.Error(), "without a step into an earlier set") {
			t.Errorf("%s: the evidence of the double: %v", c.name, err)
		}
	}
}

// TestConstraints: neither is a step that a constraint of the system excludes.
func TestConstraints(t *testing.T) {
	p := liveProblem(t, fmt.Sprintf(counter, "", ""), murphi.Options{Deadlock: model.DeadlockOff}, false)
	safe := decide(t, p, reach(), mc.Options{})
	sys, one := p.Enc.Sys, p.Enc.EncodeState(model.State{1, 0})
	var to2 []aig.Lit // x = 1 and rule "up" chosen
	for i := range p.Enc.LeafLatches(0) {
		to2 = append(to2, sys.LatchLit(p.Enc.LeafLatches(0)[i]).NotIf(!one[p.Enc.LeafLatches(0)[i]]))
	}
	for i, on := range p.Enc.EncodeChoice(model.Choice{Rule: 0}) {
		to2 = append(to2, sys.InputLit(i).NotIf(!on))
	}
	sys.Constraints = []aig.Lit{sys.G.AndN(to2).Not()}
	if r := decide(t, p, reach(), mc.Options{}); r.Props[0].Status != mc.Unsafe {
		t.Errorf("with the constraint: %v", r.Props[0].Status)
	}
	if err := certify.Verify(context.Background(), p, safe); err == nil {
		t.Error("the evidence without the constraint is accepted with it")
	}
}

// TestKeptRepresentatives: with representatives, the complement of the set is none
// of the states that cannot reach p. The double takes it all the same.
func TestKeptRepresentatives(t *testing.T) {
	refused(t, 12, func(s *variant) {
		s.exact = func(r *run, prop int, y *ts.Symmetry) (*Engine, *ts.Symmetry) {
			e, _ := r.exact(prop, y)
			e.Reduction = ByRepresentatives
			return e, r.p.Groups[prop]
		}
	})
}

// TestWholeGroup: a set for one instance is closed under the stabiliser of it only.
// The double stores one set of each orbit under the whole group.
func TestWholeGroup(t *testing.T) {
	refused(t, 40, func(s *variant) {
		s.stabiliser = func(y *ts.Symmetry, _ func(*ts.Perm) bool) *ts.Symmetry { return y }
	})
}

// refused runs an engine that breaks a rule: it is wrong, and its evidence is refused.
func refused(t *testing.T, seeds uint64, breaks func(*variant)) {
	wrong, refused := 0, 0
	for seed := range seeds {
		p := liveProblem(t, liveModel(rand.New(rand.NewPCG(seed, 5))), murphi.Options{}, true)
		want := liveVerdicts(t, p)
		e := reach()
		e.variant = sound()
		breaks(e.variant)
		r, err := e.Run(context.Background(), p, mc.Options{All: true})
		if err != nil {
			refused++ // p holds where the trace ends
			continue
		}
		before := wrong
		for i, pr := range r.Props {
			if pr.Status != want.Props[i].Status {
				wrong++
			}
		}
		if err := certify.Verify(context.Background(), p, r); err != nil {
			refused++
		} else if wrong > before {
			t.Errorf("seed %d: a wrong verdict is accepted", seed)
		}
	}
	if wrong == 0 || refused == 0 {
		t.Errorf("%d wrong verdicts, %d runs refused", wrong, refused)
	}
}

// TestImagesAreChecked: evidence with images is refused where something about them is
// wrong.
func TestImagesAreChecked(t *testing.T) {
	src, err := os.ReadFile("../benchmarks/murphi/queue_lock.m")
	if err != nil {
		t.Fatal(err)
	}
	p := liveProblem(t, string(src), murphi.Options{Consts: map[string]string{"N": "4"}}, true)
	result := decide(t, p, reach(), mc.Options{})
	rep, image, moved := -1, -1, -1 // instances; a set that is an image
	for i, x := range result.Props[0].Reaching.Insts {
		if x.Of != i {
			image = i
			continue
		}
		rep = i
		for k, s := range x.Steps {
			if s.From == nil {
				moved = k
			}
		}
	}
	if result.Props[0].Status != mc.Safe || image < 0 || moved < 0 {
		t.Fatalf("%v, an image at %d, of a set at %d", result.Props[0].Status, image, moved)
	}
	sys := p.System()
	for _, c := range []struct {
		what, why string
		change    func(f *evidence.Reaching)
	}{
		{"the identity for an instance", "does not map instance", func(f *evidence.Reaching) { f.Insts[image].By = nil }},
		{"an image of an image", "is the image of none", func(f *evidence.Reaching) { f.Insts[image].Of = (rep + 1) % 4; f.Insts[(rep+1)%4].Of = image }},
		{"another permutation", "does not map instance", func(f *evidence.Reaching) { f.Insts[rep].Steps[moved].By = f.Insts[image].By }},
		{"no permutation", "permutation 99 of", func(f *evidence.Reaching) { f.Insts[rep].Steps[moved].By = []int{99} }},
		{"an image of itself", "is an image of set", func(f *evidence.Reaching) { f.Insts[rep].Steps[moved].Of = moved }},
		{"an image before what it is of", "is an image of set", func(f *evidence.Reaching) { slices.Reverse(f.Insts[rep].Steps) }},
		{"no symmetry", "is no symmetry", func(f *evidence.Reaching) {
			g := ts.Identity(sys)
			g.Latch[0], g.Latch[1] = g.Latch[1], g.Latch[0]
			f.Perms = append(f.Perms, g)
		}},
		{"a malformed permutation", "", func(f *evidence.Reaching) { f.Perms = append(f.Perms, &ts.Perm{}) }},
		{"more is known than true", "invariant", func(f *evidence.Reaching) {
			f.Known = &evidence.Proof{K: 1, Clauses: append(slices.Clone(f.Known.Clauses), []ts.Lit{0}, []ts.Lit{1})}
		}},
		{"something else is known", "not given by clauses", func(f *evidence.Reaching) { f.Known = &evidence.Proof{K: 2} }},
		{"nothing is known", "", func(f *evidence.Reaching) { f.Known = nil }},
	} {
		r := *result
		r.Props = slices.Clone(result.Props)
		f := *r.Props[0].Reaching
		f.Insts, f.Perms = slices.Clone(f.Insts), slices.Clone(f.Perms)
		for i := range f.Insts {
			f.Insts[i].Steps = slices.Clone(f.Insts[i].Steps)
		}
		r.Props[0].Reaching = &f
		c.change(&f)
		if err := certify.Verify(context.Background(), p, &r); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestLivenessOfMultisets: the slots of a state may be in another order in the
// system than in the interpreter.
func TestLivenessOfMultisets(t *testing.T) {
	const src = `
type P: scalarset(2); M: record at: P; k: 0..1; end;
var net: multiset[2] of M; done: array [P] of boolean;
startstate begin for p: P do done[p] := false; end; end;
ruleset p: P; k: 0..1 do rule "send" multisetcount(i: net, true) < 2 & !done[p] ==>
var m: M; begin m.at := p; m.k := k; multisetadd(m, net); %s end; end;
choose i: net do rule "take" net[i].k = 1 ==>
begin done[net[i].at] := true; multisetremove(i, net); end; end;
choose i: net do rule "lose" net[i].k = 0 & %s ==>
begin multisetremove(i, net); end; end;
ruleset p: P do liveness "done" done[p]; end;
liveness "empty" multisetcount(i: net, true) = 0;
`
	verdicts := make(map[mc.Status]int)
	for _, c := range [][2]string{{"", "true"}, {"", "false"}, {"assert multisetcount(i: net, net[i].k = 0) < 2;", "false"}, {"", "done[net[i].at]"}} {
		p := liveProblem(t, fmt.Sprintf(src, c[0], c[1]), murphi.Options{Deadlock: model.DeadlockOff}, true)
		want := liveVerdicts(t, p)
		for i, pr := range decide(t, p, reach(), mc.Options{All: true}).Props {
			if pr.Status != want.Props[i].Status || pr.Status == mc.Unknown {
				t.Errorf("%v: %q is %v, want %v", c, p.Name(pr.Prop), pr.Status, want.Props[i].Status)
			}
			verdicts[pr.Status]++
		}
	}
	if len(verdicts) < 2 {
		t.Errorf("verdicts: %v", verdicts)
	}
}
