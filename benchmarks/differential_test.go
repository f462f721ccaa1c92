package benchmarks_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/infer"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// This file holds every engine in every mode, and the detection of symmetry, to
// the oracle of oracle_test.go on random models.

// newSolver returns the default solver or, with ORBITMC_LONG=1, gini for a second opinion.
func newSolver() sat.Solver {
	if nightly.On() {
		return gini.New()
	}
	return cdcl.New()
}

// manySlots reports whether the multisets of a model make symbolic engines slow:
// to verify the symmetry of their slots takes SAT, and long.
func manySlots(m *model.Model) bool {
	slots := 0
	for _, l := range m.AllLeaves() {
		if l.Type == model.PresentType {
			slots++
		}
	}
	return slots > 4
}

// assemble makes the problem of a model with all verified symmetry that it declares,
// in the way of the command line.
func assemble(m *model.Model, props []int) (*mc.Problem, *detect.Report, error) {
	return assembleInferred(m, nil, props)
}

// assembleInferred is assemble for a model that Infer returned.
func assembleInferred(m *model.Model, inf *infer.Result, props []int) (*mc.Problem, *detect.Report, error) {
	p := &mc.Problem{OfModel: mc.OfModel{Model: m}, Props: props}
	if props == nil {
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
	}
	if p.Enc, p.EncErr = encode.Model(context.Background(), m); p.Enc == nil {
		return nil, nil, p.EncErr
	}
	p.Program = p.Enc.Program
	ctx := context.Background()
	instances := make(map[int][]detect.Instance)
	for prop, insts := range p.Enc.Instances {
		for _, inst := range insts {
			instances[prop] = append(instances[prop], detect.Instance(inst))
		}
	}
	report, err := declared.Check(ctx, m, p.Enc, p.Enc.Sys, p.Enc.PropBads, declared.Options{
		Verify:    verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, newSolver()) }},
		Instances: instances,
		NoSlots:   manySlots(m),
		Inferred:  inf,
	})
	if err != nil {
		return nil, nil, err
	}
	if err := encode.ProveWellFormed(ctx, p.Enc.Sys, newSolver); err != nil {
		return nil, nil, err
	}
	p.WellFormed = true
	p.Groups = report.ByProp
	var groups []*ts.Symmetry
	for _, i := range p.Props {
		groups = append(groups, p.Groups[i])
	}
	p.Blocks, p.Rings = detect.Blocks(m, groups...), detect.CommonRings(groups)
	return p, report, nil
}

// limit is the number of states that the oracle explores of most models.
const limit = 4000

// tally counts what was compared.
type tally struct {
	models, states, orbits, runs int
	partly                       int // models too large for the oracle, compared to some depth
	refused                      int // models without a symbolic encoding
	symmetric                    int // transpositions verified for the system or a property
	inferred                     int // models with symmetry that is not declared
	large                        int // groups too large for the oracle
	rings                        int // rings of values verified for the system or a property
	asymmetric                   int // properties with a smaller group than the system
	violations, deep             int // violated properties; of depth 3 and more
	spared                       int // states with no way on that are no deadlock, as an instance errs
	proofs, unproved             int // inductive proofs; properties for which time was up
}

// sample is one random model.
type sample struct {
	seed      uint64
	opt       murphi.Options
	limit     int  // states that the oracle explores
	symmetric bool // by construction
	infer     bool // symmetry that is not declared
	probe     bool // but for this rule
}

// disagreement is an error that is not about the source being no model.
type disagreement struct{ error }

// check compares all engines with the oracle on one source. Errors that are
// no disagreement mean that it is not a model.
func (sa sample) check(src string, sum *tally) (err error) {
	m, err := murphi.Parse("random.m", []byte(src), sa.opt)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
		if err != nil {
			err = disagreement{err}
		}
	}()
	var inf *infer.Result
	if sa.infer {
		m, inf = infer.Classes(m)
	}
	o := search(m, sa.limit)
	p, report, err := assembleInferred(m, inf, nil)
	if err != nil && strings.Contains(err.Error(), "the symbolic encoding does not support that") {
		sum.refused++
		if !o.full {
			return nil
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: o.mach.Program(), EncErr: err}}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
		_, err := o.checkExplicit(p, explicit.None, o.deepest(), sum)
		return err
	}
	if err != nil {
		return err
	}
	if sa.infer && report.System.Order().Cmp(big.NewInt(1000)) > 0 { // the oracle lists its elements
		sum.large++
		return nil
	}
	sum.models++
	sum.states += len(o.states)
	sum.spared += o.spared
	for _, d := range o.depth {
		if d >= 0 {
			sum.violations++
		}
		if d >= 3 {
			sum.deep++
		}
	}
	if !o.full {
		sum.partly++
		return o.checkPartly(p, sum)
	}
	if err := sa.checkSymmetry(o, p, report, sum); err != nil {
		return err
	}
	if inf.Found(m, report) {
		sum.inferred++
	}
	rng := rand.New(rand.NewPCG(sa.seed, 3))
	problems := []*mc.Problem{p}
	if rng.IntN(4) == 0 && len(m.Props) > 1 { // some of the properties may have a larger group
		var some []int
		for i := range m.Props {
			if rng.IntN(2) == 0 {
				some = append(some, i)
			}
		}
		if len(some) > 0 {
			q, _, err := assembleInferred(m, inf, some)
			if err != nil {
				return err
			}
			problems = append(problems, q)
		}
	}
	for _, p := range problems {
		var all []*mc.Result
		for c := explicit.None; c <= explicit.Exact; c++ {
			r, err := o.checkExplicit(p, c, rng.IntN(o.deepest()+2), sum)
			if err != nil {
				return fmt.Errorf("explicit, canon %v, properties %v: %w", c, p.Props, err)
			}
			all = append(all, r)
		}
		bound := min(o.deepest()+2, 9)
		if rng.IntN(4) == 0 {
			bound = min(o.deepest()+2, 20)
		}
		if len(src) > 20_000 { // a public model
			bound = min(bound, 3)
		}
		for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
			r, err := o.checkBMC(p, mode, bound, sum)
			if err != nil {
				return fmt.Errorf("bmc, rep %v, bound %d, properties %v: %w", mode, bound, p.Props, err)
			}
			all = append(all, r)
		}
		for _, plain := range []bool{false, true} {
			r, err := o.checkProofs(p, &pdr.Engine{NewSolver: newSolver, Plain: plain}, 20*time.Second, sum)
			if err != nil {
				return fmt.Errorf("pdr, plain %v, properties %v: %w", plain, p.Props, err)
			}
			all = append(all, r)
		}
		if _, err := mc.Merge(p, all...); err != nil {
			return err
		}
	}
	return nil
}

// checkProofs runs an engine that proves and whose traces need not be shortest, for at most limit.
func (tr *truth) checkProofs(p *mc.Problem, e mc.Engine, limit time.Duration, sum *tally) (*mc.Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	sum.runs++
	r, err := e.Run(ctx, p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(ctx, p, r)
	}
	if err != nil {
		return nil, err
	}
	for _, pr := range r.Props {
		want := tr.depth[pr.Prop]
		kind := tr.m.Props[pr.Prop].Kind
		switch {
		case pr.Status == mc.Unknown && kind == model.Liveness:
		case pr.Status == mc.BySearch(kind) && want < 0:
			sum.proofs++
		case pr.Status == mc.ByTrace(kind) && want >= 0 && pr.Depth >= want && pr.Bound < want:
		case pr.Status == mc.Unknown && ctx.Err() != nil && (want < 0 || pr.Bound < want):
			sum.unproved++
		default:
			return nil, fmt.Errorf("%q is %v at depth %d, bound %d, want %d (%s)", tr.m.Props[pr.Prop].Name, pr.Status, pr.Depth, pr.Bound, want, r.Stopped)
		}
	}
	return r, nil
}

// checkSymmetry checks that what was verified is real.
func (sa sample) checkSymmetry(o *truth, p *mc.Problem, report *detect.Report, sum *tally) error {
	// Every adjacent transposition that is in a block, with the properties it was
	// verified for. The others are products of these.
	verified := make(map[swap][]int)
	collect := func(y *ts.Symmetry, props ...int) {
		for _, b := range y.Blocks {
			if o.m.Scalarsets[b.Class].Slots {
				continue // the states do not tell slots apart
			}
			for i, v := range b.Elems[1:] {
				s := swap{b.Class, b.Elems[i], v}
				verified[s] = append(verified[s], props...)
			}
		}
	}
	collect(report.System)
	collect(report.Common, p.Props...)
	for i, y := range report.ByProp {
		collect(y, i)
		if y.Order().Cmp(report.System.Order()) < 0 {
			sum.asymmetric++
		}
	}
	for i, y := range append(slices.Clone(report.ByProp), report.System) {
		var props []int
		if i < len(report.ByProp) {
			props = []int{i}
		}
		for _, r := range detect.CommonRings([]*ts.Symmetry{y}) {
			sum.rings++
			perm := make(model.ScalarPerm, len(o.m.Scalarsets))
			for v := range int(o.m.Scalarsets[r.Class].Card()) {
				perm[r.Class] = append(perm[r.Class], v)
			}
			r.Rotate(perm[r.Class], 1)
			if err := o.isSymmetry(perm, props); err != nil {
				return fmt.Errorf("%+v of %v is verified for properties %v, but %w", r, o.m.Scalarsets[r.Class], props, err)
			}
		}
	}
	order := func(s, u swap) int {
		return cmp.Or(cmp.Compare(s.class, u.class), cmp.Compare(s.i, u.i), cmp.Compare(s.j, u.j))
	}
	for _, s := range slices.SortedFunc(maps.Keys(verified), order) {
		props := verified[s]
		sum.symmetric += 1 + len(props)
		if err := o.isSymmetry(s.perm(o.m), props); err != nil {
			return fmt.Errorf("%+v of %v is verified for properties %v, but %w", s, o.m.Scalarsets[s.class], props, err)
		}
	}
	if !sa.symmetric {
		return nil
	}
	for c, t := range o.m.Scalarsets {
		if bs := detect.Blocks(o.m, report.System)[c]; len(bs) != 1 {
			return fmt.Errorf("%v is symmetric by construction, but has the blocks %v: %v", t, bs, report.Refutations)
		}
		for i, q := range o.m.Props {
			// A state in which the probe errs is not deadlocked.
			asymmetric := sa.probe && (q.Name == "probe" || q.Kind == model.Deadlock)
			if bs := detect.Blocks(o.m, report.ByProp[i])[c]; !asymmetric && len(bs) != 1 {
				return fmt.Errorf("%q is symmetric by construction, but %v has the blocks %v: %v", q.Name, t, bs, report.Refutations)
			}
		}
	}
	return nil
}

// swap exchanges the values i and j of a scalarset class.
type swap struct{ class, i, j int }

func (s swap) perm(m *model.Model) model.ScalarPerm {
	p := make(model.ScalarPerm, len(m.Scalarsets))
	for v := range int(m.Scalarsets[s.class].Card()) {
		p[s.class] = append(p[s.class], v)
	}
	p[s.class][s.i], p[s.class][s.j] = s.j, s.i
	return p
}

// run runs an engine and checks its evidence.
func run(e mc.Engine, p *mc.Problem, opt mc.Options, sum *tally) (*mc.Result, error) {
	sum.runs++
	r, err := e.Run(context.Background(), p, opt)
	if err != nil {
		return nil, err
	}
	if len(r.Props) != len(p.Props) {
		return nil, fmt.Errorf("%d results for %d properties", len(r.Props), len(p.Props))
	}
	for i, pr := range r.Props {
		if pr.Prop != p.Props[i] {
			return nil, fmt.Errorf("result %d is about property %d, not %d", i, pr.Prop, p.Props[i])
		}
	}
	return r, certify.Verify(context.Background(), p, r)
}

// checkExplicit runs a search to its end, one to the first violation, and one
// to a bound.
func (tr *truth) checkExplicit(p *mc.Problem, c explicit.Canon, bound int, sum *tally) (*mc.Result, error) {
	e := &explicit.Engine{Canon: c}
	r, err := run(e, p, mc.Options{All: true}, sum)
	if err != nil {
		return nil, err
	}
	for _, pr := range r.Props {
		want := tr.depth[pr.Prop]
		kind := tr.m.Props[pr.Prop].Kind
		switch {
		case pr.Status == mc.BySearch(kind) && want < 0:
		case pr.Status == mc.ByTrace(kind) && want >= 0 && pr.Depth == want:
		default:
			return nil, fmt.Errorf("%q is %v at depth %d, want %d", tr.m.Props[pr.Prop].Name, pr.Status, pr.Depth, want)
		}
	}
	if r.Stopped == "" {
		want := len(tr.states)
		if c == explicit.Exact {
			want = tr.orbits(permutations(tr.m, p.Blocks, p.Rings))
			sum.orbits += want
		}
		if !c.Several() && int(r.Stats.States) != want || int(r.Stats.States) > want {
			return nil, fmt.Errorf("%d states, want %d", r.Stats.States, want)
		}
	}
	first, err := run(e, p, mc.Options{}, sum)
	if err != nil {
		return nil, err
	}
	if err := tr.checkFirst(p, first, true); err != nil {
		return nil, err
	}
	bounded, err := run(e, p, mc.Options{All: true, Bounded: true, MaxDepth: bound}, sum)
	if err != nil {
		return nil, err
	}
	return r, tr.checkBounded(bounded, bound)
}

// checkBounded checks a run that looks for every violation up to a depth.
func (tr *truth) checkBounded(r *mc.Result, bound int) error {
	for _, pr := range r.Props {
		want := tr.depth[pr.Prop]
		kind := tr.m.Props[pr.Prop].Kind
		switch {
		case pr.Status == mc.Unknown && kind == model.Liveness && pr.Bound == -1:
		case pr.Status == mc.Unknown && pr.Bound == bound && (want < 0 || want > bound):
		case pr.Status == mc.ByTrace(kind) && want >= 0 && pr.Depth == want && (want <= bound || kind == model.Liveness):
		case pr.Status == mc.BySearch(kind) && want < 0:
		default:
			return fmt.Errorf("bound %d: %q is %v at depth %d, bound %d, want %d", bound, tr.m.Props[pr.Prop].Name, pr.Status, pr.Depth, pr.Bound, want)
		}
	}
	return nil
}

// first returns the least depth at which a property of p is violated, or -1. A
// search that ends with the first violation does not end with a hit of a cover,
// and does not come to liveness.
func (tr *truth) first(p *mc.Problem) int {
	first := -1
	for _, i := range p.Props {
		if k := tr.m.Props[i].Kind; k == model.Cover || k == model.Liveness {
			continue
		}
		if d := tr.depth[i]; d >= 0 && (first < 0 || d < first) {
			first = d
		}
	}
	return first
}

// checkFirst checks a run that ends with the first violation; all of that depth
// are wanted if all, and if there is none liveness is to be decided.
func (tr *truth) checkFirst(p *mc.Problem, r *mc.Result, all bool) error {
	first := tr.first(p)
	found := false
	for _, pr := range r.Props {
		want := tr.depth[pr.Prop]
		name, kind := tr.m.Props[pr.Prop].Name, tr.m.Props[pr.Prop].Kind
		undecided := kind == model.Liveness && first < 0 || kind != model.Liveness && want >= 0 && want == first
		switch {
		case pr.Status == mc.ByTrace(kind):
			if kind != model.Cover && kind != model.Liveness {
				found = true
				if pr.Depth != first {
					return fmt.Errorf("first violation: %q at depth %d, want %d", name, pr.Depth, first)
				}
			}
			if pr.Depth != want || want < 0 {
				return fmt.Errorf("first violation: %q at depth %d, want %d", name, pr.Depth, want)
			}
		case pr.Status == mc.BySearch(kind) && want >= 0:
			return fmt.Errorf("first violation: %q is %v, want %d", name, pr.Status, want)
		case pr.Status == mc.Unknown && (want >= 0 && pr.Bound >= want || all && undecided):
			return fmt.Errorf("first violation: %q is unknown with bound %d, want %d", name, pr.Bound, want)
		}
	}
	if found != (first >= 0) {
		return fmt.Errorf("first violation: found %v, it is at %d", found, first)
	}
	return nil
}

// checkPartly compares the engines up to the depth to which the truth is known.
func (tr *truth) checkPartly(p *mc.Problem, sum *tally) error {
	engines := []mc.Engine{&explicit.Engine{}, &explicit.Engine{Canon: explicit.Sorted}, &explicit.Engine{Canon: explicit.Star}, &explicit.Engine{Canon: explicit.Exact}}
	for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
		engines = append(engines, &bmc.Checker{Rep: mode, NewSolver: newSolver})
	}
	bound := min(tr.done, 8)
	for i, e := range engines {
		r, err := run(e, p, mc.Options{All: true, Bounded: true, MaxDepth: bound}, sum)
		if err == nil {
			err = tr.checkBounded(r, bound)
		}
		if err != nil {
			return fmt.Errorf("engine %d: %w", i, err)
		}
	}
	return nil
}

// checkBMC runs bounded model checking to a bound, and once more to the first
// violation.
func (tr *truth) checkBMC(p *mc.Problem, mode bmc.RepMode, bound int, sum *tally) (*mc.Result, error) {
	e := &bmc.Checker{Rep: mode, NewSolver: newSolver}
	r, err := run(e, p, mc.Options{All: true, Bounded: true, MaxDepth: bound}, sum)
	if err != nil {
		return nil, err
	}
	if err := tr.checkBounded(r, bound); err != nil {
		return nil, err
	}
	if d := tr.first(p); d >= 0 && d <= bound {
		first, err := run(e, p, mc.Options{}, sum)
		if err != nil {
			return nil, err
		}
		return r, tr.checkFirst(p, first, false)
	}
	return r, nil
}

// random returns random model number seed: of a few, the one with the deepest
// violation, and among these the one with the most states.
func random(t *testing.T, seed uint64) (x sample, src string) {
	x = sample{seed: seed, symmetric: seed%2 == 1, probe: seed%4 == 1}
	x.opt = murphi.Options{Dialect: model.Dialect(seed / 6 % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
	x.limit = limit
	if seed%16 >= 14 { // these are often larger than the oracle likes
		x.limit = 60
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	best, states := -1, 0
	for range 6 {
		bits := 8 + rng.IntN(4)
		if x.limit < limit {
			bits = 15
		}
		var s string
		if x.symmetric {
			s = symmetric(rng, x.opt.Dialect, bits, x.probe)
		} else {
			s = murphitest.Random(rng, murphitest.Options{Dialect: x.opt.Dialect, Bits: bits})
		}
		m, err := murphi.Parse("random.m", []byte(s), x.opt)
		if err != nil {
			t.Fatalf("model %d: %v\n%s", seed, err, s)
		}
		o := search(m, x.limit)
		if d := slices.Max(o.depth); d > best || d == best && len(o.states) > states {
			best, states, src = d, len(o.states), s
		}
	}
	return x, src
}

// TestRandomModels compares everything on random models of two kinds. A model on
// which something is wrong is shrunk. With ORBITMC_LONG=1 it takes many more.
func TestRandomModels(t *testing.T) {
	models := uint64(nightly.Or(60, 3600))
	var sum tally
	for seed := range models {
		x, src := random(t, seed)
		if err := x.check(src, &sum); err != nil {
			var scratch tally
			x.symmetric = false // which a smaller model need not be
			reduced := murphitest.Shrink(src, func(src string) bool {
				return errors.As(x.check(src, &scratch), new(disagreement))
			})
			t.Fatalf("model %d, dialect %v, deadlock %v: %v\nshrunk to\n%s%v", seed, x.opt.Dialect, x.opt.Deadlock, err, reduced, x.check(reduced, &scratch))
		}
	}
	t.Logf("%+v", sum)
	if sum.refused > int(models)/20 {
		t.Errorf("%d of %d models have no symbolic encoding", sum.refused, models)
	}
	for _, n := range []int{sum.states / 30, sum.orbits / 15, sum.symmetric / 10, sum.violations, 4 * sum.deep, 10 * sum.spared, 20 * sum.asymmetric, sum.runs / 10, 100 * sum.partly} {
		if n < int(models) {
			t.Errorf("the random models are too tame: %+v", sum)
			break
		}
	}
}
