package declared_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
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
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/model"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newProver(g *aig.Graph) verify.Prover { return cnf.NewFocusedProver(g, cdcl.New()) }

func encoded(t *testing.T, file, src string, opt murphi.Options) *encode.Encoding {
	t.Helper()
	var m *model.Model
	var err error
	if src == "" {
		m, err = murphi.ReadFile(filepath.Join("../../benchmarks/murphi", file), opt)
	} else {
		m, err = murphi.Parse(file, []byte(src), opt)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.File = file
	e, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func check(t *testing.T, e *encode.Encoding, src declared.Source, opt declared.Options) *detect.Report {
	t.Helper()
	r, err := declared.Check(context.Background(), e.Model, src, e.Sys, e.PropBads, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tried != r.VerifiedStructurally+r.VerifiedBySAT+r.Refuted+r.Unproved || r.Refuted+r.Unproved != len(r.Refutations) || len(r.ByProp) != len(e.Model.Props) {
		t.Errorf("the counts of the report do not add up: %+v", r)
	}
	return r
}

// instances returns the conditions of the instances of liveness properties.
func instances(e *encode.Encoding) map[int][]detect.Instance {
	all := make(map[int][]detect.Instance)
	for prop, insts := range e.Instances {
		for _, inst := range insts {
			all[prop] = append(all[prop], detect.Instance(inst))
		}
	}
	return all
}

// run checks src with a prover, and every generator of the report against the
// interpreter in all reachable states.
func run(t *testing.T, src string) (*encode.Encoding, *detect.Report) {
	t.Helper()
	e := encoded(t, "test.m", src, murphi.Options{})
	r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
	if err := agrees(e, r, true); err != nil {
		t.Error(err)
	}
	return e, r
}

// agrees compares a report with the interpreter on all reachable states: two
// values may be in one block only if exchanging them is a symmetry there. When
// exact, that is, when what is a symmetry of the reachable states is one of all
// well-formed ones, they must be.
func agrees(e *encode.Encoding, r *detect.Report, exact bool) error {
	p := e.Program
	m := p.NewMachine()
	packer := model.NewPacker(e.Model)
	seen := make(map[string]bool)
	var states []model.State
	visit := func(s model.State) {
		if key := string(packer.Pack(nil, s)); !seen[key] {
			seen[key] = true
			states = append(states, slices.Clone(s))
		}
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			visit(s)
		}
		return true
	})
	for k := 0; k < len(states); k++ {
		m.Successors(states[k], func(_ model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil {
				visit(next)
			}
			return true
		})
	}
	for class, y := range e.Model.Scalarsets {
		for i := range int(y.Card()) {
			for j := range i {
				perm := make(model.ScalarPerm, len(e.Model.Scalarsets))
				for v := range int(y.Card()) {
					perm[class] = append(perm[class], v)
				}
				perm[class][i], perm[class][j] = j, i
				keeps := symmetric(p, m, states, seen, packer, perm)
				together := func(y *ts.Symmetry) bool {
					return slices.ContainsFunc(detect.Blocks(e.Model, y)[class], func(b []int) bool {
						return slices.Contains(b, i) && slices.Contains(b, j)
					})
				}
				wrong := func(got, want bool) bool { return got && !want || exact && want && !got }
				all := keeps[-1]
				if wrong(together(r.System), keeps[-1]) {
					return fmt.Errorf("system: %d and %d of class %d: detected %v, enumerated %v", j, i, class, together(r.System), keeps[-1])
				}
				for q := range e.Model.Props {
					if want := keeps[-1] && keeps[q]; wrong(together(r.ByProp[q]), want) {
						return fmt.Errorf("property %s: %d and %d of class %d: detected %v, enumerated %v", e.Model.Props[q].Name, j, i, class, together(r.ByProp[q]), want)
					}
					all = all && keeps[q]
				}
				if wrong(together(r.Common), all) {
					return fmt.Errorf("all properties: %d and %d of class %d: detected %v, enumerated %v", j, i, class, together(r.Common), all)
				}
			}
		}
	}
	return nil
}

// values lists the values of parameters.
func values(params []*model.Param) [][]int64 {
	all := [][]int64{{}}
	for _, p := range params {
		var longer [][]int64
		for _, inst := range all {
			for _, v := range p.Domain.Values() {
				longer = append(longer, append(slices.Clone(inst), v))
			}
		}
		all = longer
	}
	return all
}

// symmetric reports what perm keeps: the model (-1) and each of the properties.
func symmetric(p *model.Program, m *model.Machine, states []model.State, seen map[string]bool, packer *model.Packer, perm model.ScalarPerm) map[int]bool {
	keeps := map[int]bool{-1: true}
	for q := range p.Model.Props {
		keeps[q] = true
	}
	image := func(s model.State) model.State {
		dst := make(model.State, len(s))
		p.ApplyPerm(perm, s, dst)
		return dst
	}
	// What a state or step gives: the next state, and the violated property or -1.
	compare := func(a model.State, va *model.Violation, b model.State, vb *model.Violation) {
		if a == nil != (b == nil) || a != nil && !slices.Equal(image(a), b) {
			keeps[-1] = false
		}
		for q := range p.Model.Props {
			if (va.Of(q) != nil) != (vb.Of(q) != nil) {
				keeps[q] = false
			}
		}
	}
	m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		s2, v2 := m.Start(p.PermStart(perm, ch))
		compare(s, v, s2, v2)
		return true
	})
	for _, s := range states {
		if !seen[string(packer.Pack(nil, image(s)))] {
			keeps[-1] = false // the image of a reachable state is not reachable
		}
		for _, q := range p.Model.Props {
			switch q.Kind {
			case model.Invariant:
				compare(nil, m.Violated(s, q.Index), nil, m.Violated(image(s), q.Index))
			case model.Deadlock:
				if m.Deadlocked(s) != m.Deadlocked(image(s)) {
					keeps[q.Index] = false
				}
			case model.Cover, model.Liveness:
				if q.Expr == nil {
					continue
				}
				for _, inst := range values(q.Params) {
					to := slices.Clone(inst)
					for k, v := range inst {
						if class, w, ok := q.Params[k].Var.Type.Element(v); ok && perm[class] != nil {
							to[k] += int64(perm[class][w]) - w
						}
					}
					if q.Kind == model.Cover {
						inst, to = nil, nil
					}
					a, va := m.Holds(s, q.Index, inst)
					b, vb := m.Holds(image(s), q.Index, to)
					if (a && va == nil) != (b && vb == nil) {
						keeps[q.Index] = false
					}
				}
			}
		}
		for _, pair := range [][2]model.State{{s, image(s)}, {image(s), s}} {
			m.Successors(pair[0], func(ch model.Choice, next model.State, v *model.Violation) bool {
				next2, _, v2 := m.Fire(pair[1], p.PermStep(perm, pair[0], pair[1], ch))
				// A disabled or erring instance leaves the state alone.
				a, b := next, next2
				if a == nil {
					a = pair[0]
				}
				if b == nil {
					b = pair[1]
				}
				compare(a, v, b, v2)
				return true
			})
		}
	}
	return keeps
}

// TestRandomModels: most have loops whose order matters, somewhere.
func TestRandomModels(t *testing.T) {
	kept, lost, shown, refused := 0, 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		opt := murphi.Options{Dialect: model.Dialect(rng.IntN(2)), Deadlock: model.DeadlockMode(rng.IntN(3))}
		src := murphitest.Random(rng, murphitest.Options{Dialect: opt.Dialect, Bits: 10})
		if !strings.Contains(src, "scalarset") {
			continue
		}
		m, err := murphi.Parse("random.m", []byte(src), opt)
		if err != nil {
			t.Fatal(err)
		}
		e, err := encode.Model(context.Background(), m)
		if err != nil && strings.Contains(err.Error(), "the symbolic encoding does not support that") {
			refused++ // it shows the order of slots
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}, Instances: instances(e)})
		if err := agrees(e, r, false); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		for _, b := range r.System.Blocks {
			kept += len(b.Swaps)
		}
		lost += r.Refuted + r.Unproved
		for _, f := range r.Refutations {
			if f.Undecided {
				t.Errorf("seed %d: undecided: %s", seed, f.Text)
			}
			if f.Rule != nil || f.State != nil {
				shown++
			} else {
				t.Logf("seed %d: %s", seed, f.Text)
			}
		}
	}
	t.Log(kept, "transpositions kept,", lost, "refuted,", shown, "with a witness,", refused, "models refused")
	if kept < 50 || lost < 25 || refused > 40 {
		t.Errorf("%d transpositions kept, %d refuted: too few", kept, lost)
	}
}

func blocks(e *encode.Encoding, y *ts.Symmetry) string {
	return fmt.Sprint(detect.Blocks(e.Model, y))
}

func TestSymmetricModels(t *testing.T) {
	for _, c := range []struct {
		file  string
		size  string
		order string
		tried int
	}{
		// Classes of n and 2 values, 4 properties: 5n checks.
		{"german.m", "", "4", 10},
		{"german.m", "NODE_NUM=3", "12", 15},
		{"german.m", "NODE_NUM=10", "7257600", 50},
		{"german_bug1.m", "NODE_NUM=4", "48", 20},
		{"moesi.m", "NODE_NUM=5", "240", 25},
		{"mesi_snoop.m", "NODE_NUM=5", "120", 20},
		{"mutex_sem.m", "N=6", "720", 20},
	} {
		var opt murphi.Options
		if name, value, ok := strings.Cut(c.size, "="); ok {
			opt.Consts = map[string]string{name: value}
		}
		e := encoded(t, c.file, "", opt)
		r := check(t, e, e, declared.Options{}) // no prover: structure must do
		if r.System.Order().String() != c.order || r.Common.Order().String() != c.order {
			t.Errorf("%s %s: order %v, common %v, want %s", c.file, c.size, r.System.Order(), r.Common.Order(), c.order)
		}
		if r.Tried != c.tried || r.VerifiedStructurally != c.tried || r.Queries != 0 {
			t.Errorf("%s %s: %d of %d checks by structure, %d queries; want %d", c.file, c.size, r.VerifiedStructurally, r.Tried, r.Queries, c.tried)
		}
		for _, b := range r.System.Blocks {
			if len(b.Swaps) != len(b.Elems)-1 {
				t.Errorf("%s: %d swaps for %d elements", c.file, len(b.Swaps), len(b.Elems))
			}
			for i, p := range b.Swaps {
				if want := e.Transposition(b.Class, b.Elems[i], b.Elems[i+1]); !reflect.DeepEqual(p, want) {
					t.Errorf("%s: swap %d of %s is %s", c.file, i, b.Name, p.Name)
				}
			}
		}
	}
}

// Loops that count give another circuit for every order, which takes proofs.
func TestCountingModels(t *testing.T) {
	for _, c := range []struct {
		file, name, size, order string
	}{
		{"sem_counter.m", "N", "8", "40320"},
		{"msi_dir.m", "NODE_NUM", "4", "24"},
	} {
		e := encoded(t, c.file, "", murphi.Options{Consts: map[string]string{c.name: c.size}})
		r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
		if r.Common.Order().String() != c.order || r.VerifiedBySAT == 0 || r.Refuted != 0 {
			t.Errorf("%s: order %v, %d checks by SAT: %v", c.file, r.Common.Order(), r.VerifiedBySAT, r.Refutations)
		}
		r = check(t, e, e, declared.Options{})
		if r.System.Order().String() == c.order || !r.Refutations[0].Undecided {
			t.Errorf("%s: without a prover the group has order %v", c.file, r.System.Order())
		}
	}
}

func TestLoopOrder(t *testing.T) {
	e := encoded(t, "false_scalarset.m", "", murphi.Options{})
	r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
	if err := agrees(e, r, true); err != nil {
		t.Error(err)
	}
	if !r.System.Trivial() || len(r.Refutations) != 1 {
		t.Fatalf("order %v, %v", r.System.Order(), r.Refutations)
	}
	f := r.Refutations[0]
	if f.Rule.Name != "Grant" || f.Pos != (model.Pos{Line: 55, Col: 3}) || f.Prop != -1 || !f.Reachable || f.Undecided || f.What != "next of Req[NODE_1]" {
		t.Errorf("%+v", f)
	}
	const want = `NODE_1 <-> NODE_2 is no symmetry of the model: rule "Grant" at false_scalarset.m:52:1, probably its loop over NODE at 55:3
  in a reachable state with Req[NODE_1] = true, Req[NODE_2] = true, and as at the start Kind[NODE_1] = Silver, Kind[NODE_2] = Silver
  rule "Grant" gives Req[NODE_1] = true, Req[NODE_2] = false
  with NODE_1 and NODE_2 exchanged, rule "Grant" gives Req[NODE_1] = true, Req[NODE_2] = false instead of Req[NODE_1] = false, Req[NODE_2] = true
  the order of the loop at 55:3 matters: NODE_1 before NODE_2 gives Req[NODE_1] = true, Req[NODE_2] = false, NODE_2 before NODE_1 gives Req[NODE_1] = false, Req[NODE_2] = true`
	if f.Text != want {
		t.Errorf("got\n%s\nwant\n%s", f.Text, want)
	}
	// The witness, replayed: exchange and fire, fire and exchange.
	p := e.Program
	m := p.NewMachine()
	image := func(s model.State) model.State {
		dst := make(model.State, len(s))
		p.ApplyPerm(model.ScalarPerm{{1, 0}}, s, dst)
		return dst
	}
	next, _, _ := m.Fire(f.State, f.Choice)
	other, _, _ := m.Fire(image(f.State), p.PermChoice(model.ScalarPerm{{1, 0}}, f.Choice))
	if next == nil || other == nil || slices.Equal(image(next), other) {
		t.Errorf("the witness %v, %v shows nothing", f.State, f.Choice)
	}
}

// A start state that marks a value: who is marked stays apart.
const marked = `
const N: 4;
type P: scalarset(N);
var up: array[P] of boolean; mark: array[P] of boolean;
startstate "Init"
var n: 0..N;
begin
  n := 0;
  for i: P do
    up[i] := false;
    mark[i] := n = %d;
    n := n + 1;
  end;
end;
ruleset i: P do rule "flip" true ==> begin up[i] := !up[i]; end; end;
invariant "some" exists i: P do !up[i] end;
`

func TestStartState(t *testing.T) {
	for k, want := range []string{"[[[0] [1 2 3]]]", "[[[0 2 3] [1]]]", "[[[0 1 3] [2]]]", "[[[0 1 2] [3]]]", "[[[0 1 2 3]]]"} {
		e, r := run(t, fmt.Sprintf(marked, k))
		for _, y := range append(slices.Clone(r.ByProp), r.System, r.Common) {
			if got := blocks(e, y); got != want {
				t.Errorf("mark %d: blocks %s, want %s", k, got, want)
			}
		}
		for _, b := range r.System.Blocks {
			for i, p := range b.Swaps {
				if want := e.Transposition(0, b.Elems[i], b.Elems[i+1]); !reflect.DeepEqual(p, want) {
					t.Errorf("mark %d: swap %d is %s, want %s", k, i, p.Name, want.Name)
				}
			}
		}
		if k == 4 {
			continue
		}
		f := r.Refutations[0]
		if f.Rule.Name != "Init" || f.Pos.Line != 9 || f.State != nil || !strings.HasPrefix(f.What, "reset of mark[P_") {
			t.Errorf("mark %d: %+v", k, f)
		}
	}
}

// Symmetric start states with parameters, in a model that needs proofs: the
// interpreter must not refute it.
func TestStartParameters(t *testing.T) {
	e, r := run(t, `
type P: scalarset(3);
var owner: P; up: array[P] of boolean; many: 0..3;
ruleset i: P do startstate
  for j: P do up[j] := j = i; end;
  owner := i; many := 1;
end; end;
ruleset i: P do rule "flip" true ==> begin up[i] := !up[i]; end; end;
rule "count" true ==>
var n: 0..3;
begin
  n := 0;
  for i: P do if up[i] then n := n + 1; end; end;
  many := n;
end;
ruleset i: P do rule "pass" up[owner] ==> begin owner := i; end; end;
`)
	if r.Common.Order().String() != "6" || r.VerifiedBySAT == 0 {
		t.Errorf("order %v, %d checks by SAT: %v", r.Common.Order(), r.VerifiedBySAT, r.Refutations)
	}
	if got := blocks(e, r.Common); got != "[[[0 1 2]]]" {
		t.Errorf("blocks %s", got)
	}
}

// wrong is a source that takes one transposition for another.
type wrong struct {
	*encode.Encoding
	i, j, k, l int
}

func (w wrong) Transposition(class, i, j int) *ts.Perm {
	if i == w.i && j == w.j {
		i, j = w.k, w.l
	}
	return w.Encoding.Transposition(class, i, j)
}

// TestWrongSource: (1 3) is not tried when 2 is marked but derived from (0 1) and
// (0 3), and must be their product. If it is not, nothing of the class is used.
func TestWrongSource(t *testing.T) {
	e := encoded(t, "test.m", fmt.Sprintf(marked, 2), murphi.Options{})
	left, err := declared.Check(context.Background(), e.Model, wrong{e, 1, 3, 0, 3}, e.Sys, e.PropBads, declared.Options{})
	if err != nil || !slices.ContainsFunc(left.Refutations, func(f detect.Refutation) bool { return strings.Contains(f.Text, "not the product") && f.Undecided }) {
		t.Fatalf("error %v, %v", err, left)
	}
	if !left.System.Trivial() || !left.Common.Trivial() {
		t.Errorf("%v is used", left.System)
	}
	for _, y := range left.ByProp {
		if !y.Trivial() {
			t.Errorf("%v is used of a property", y)
		}
	}
	// One that is used as it is, is only checked to be an automorphism.
	r := check(t, e, wrong{e, 0, 1, 1, 2}, declared.Options{})
	if got := blocks(e, r.System); got != "[[[0 3] [1] [2]]]" && got != "[[[0 1 3] [2]]]" {
		t.Errorf("blocks %s", got)
	}
	bad := *e.Sys
	bad.Latches = bad.Latches[1:]
	if _, err := declared.Check(context.Background(), e.Model, e, &bad, e.PropBads, declared.Options{}); err == nil {
		t.Error("a permutation of the wrong size is accepted")
	}
}

// A rule that asserts something of the last value and else does nothing.
func TestAsymmetricProperty(t *testing.T) {
	e, r := run(t, `
type P: scalarset(3); Q: scalarset(2);
var up: array[P] of boolean; dest: array[P] of Q;
ruleset q: Q do startstate for i: P do up[i] := false; dest[i] := q; end; end; end;
ruleset i: P; q: Q do rule "flip" true ==> begin up[i] := !up[i]; dest[i] := q; end; end;
rule "probe" true ==>
var last: P;
begin
  for i: P do last := i; end;
  assert !up[last] "quiet";
end;
ruleset i: P do invariant "low" up[i] -> exists j: P do j != i & !up[j] end; end;
`)
	if got := blocks(e, r.System); got != "[[[0 1 2]] [[0 1]]]" {
		t.Errorf("system: %s", got)
	}
	for _, p := range e.Model.Props {
		want := "[[[0 1 2]] [[0 1]]]"
		if p.Name == "quiet" {
			want = "[[[0 1] [2]] [[0 1]]]"
		}
		if got := blocks(e, r.ByProp[p.Index]); got != want {
			t.Errorf("%s: %s, want %s", p.Name, got, want)
		}
	}
	if got := blocks(e, r.Common); got != "[[[0 1] [2]] [[0 1]]]" {
		t.Errorf("common: %s", got)
	}
	const want = `P_2 <-> P_3 is no symmetry of assertion "quiet": rule "probe" at test.m:6:1, probably its loop over P at 9:3
  in a reachable state with up[P_2] = true, and as at the start up[P_3] = false
  rule "probe" is fired without error
  with P_2 and P_3 exchanged, rule "probe" violates assertion "quiet" at 10:3`
	if len(r.Refutations) != 1 || r.Refutations[0].Text != want {
		t.Errorf("%v", r.Refutations)
	}
}

// Properties with different stabilisers: the common group is their intersection.
func TestIntersection(t *testing.T) {
	probe := func(k int) string {
		return fmt.Sprintf(`
rule "probe %[1]d" true ==>
var x: P; n: 0..4;
begin
  n := 0;
  for i: P do
    if n = %[1]d then x := i; end;
    n := n + 1;
  end;
  assert !up[x] "quiet %[1]d";
end;`, k)
	}
	e, r := run(t, `
type P: scalarset(4);
var up: array[P] of boolean;
startstate for i: P do up[i] := false; end; end;
ruleset i: P do rule "flip" true ==> begin up[i] := !up[i]; end; end;`+probe(0)+probe(2))
	want := map[string]string{"quiet 0": "[[[0] [1 2 3]]]", "quiet 2": "[[[0 1 3] [2]]]"}
	for _, p := range e.Model.Props {
		if w, ok := want[p.Name]; ok && blocks(e, r.ByProp[p.Index]) != w {
			t.Errorf("%s: %s, want %s", p.Name, blocks(e, r.ByProp[p.Index]), w)
		}
	}
	if got := blocks(e, r.Common); got != "[[[0] [1 3] [2]]]" {
		t.Errorf("common: %s", got)
	}
	if got := fmt.Sprint(detect.Blocks(e.Model, r.ByProp...)); got != blocks(e, r.Common) {
		t.Errorf("common blocks: %s", got)
	}
	if len(r.Common.Blocks) != 1 || r.Common.Blocks[0].Swaps[0].Name != "P_2 <-> P_4" {
		t.Errorf("common: %+v", r.Common.Blocks)
	}
}

// An invariant whose evaluation stops at the first value: whether it is false or errs depends on the order. It is
// violated in both cases.
func TestOrderOfErrors(t *testing.T) {
	e, r := run(t, `
type P: scalarset(2);
var v: array[P] of 0..2;
startstate for i: P do v[i] := 0; end; end;
ruleset i: P do
  rule "raise" v[i] < 2 ==> begin v[i] := v[i] + 1; end;
end;
invariant "ratio" forall i: P do v[i] < 2 & 2 / (1 - v[i]) > 0 end;
`)
	if r.System.Trivial() {
		t.Errorf("system: %v", r.Refutations)
	}
	if r.ByProp[0].Trivial() || !r.ByProp[1].Trivial() || r.Refutations[0].State == nil || !r.Refutations[0].Reachable {
		t.Errorf("%s: %v", e.Model.Props[0].Name, r.Refutations)
	}
	const want = `P_1 <-> P_2 is no symmetry of runtime-error "runtime-error"
  in a reachable state with v[P_1] = 2, v[P_2] = 1
  it holds, but with P_1 and P_2 exchanged it is violated`
	if got := r.Refutations[0].Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An asymmetry that only unreachable states show is refuted by SAT, with a state
// that is called so.
func TestUnreachableWitness(t *testing.T) {
	e := encoded(t, "test.m", `
type P: scalarset(2);
var up: array[P] of boolean; armed: boolean; last: P;
startstate for i: P do up[i] := false; end; armed := false; undefine last; end;
ruleset i: P do rule "flip" !armed ==> begin up[i] := !up[i]; end; end;
rule "fire" armed ==>
begin
  for i: P do if up[i] then last := i; end; end;
end;
`, murphi.Options{})
	r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
	if !r.System.Trivial() || len(r.Refutations) != 1 {
		t.Fatalf("order %v, %v", r.System.Order(), r.Refutations)
	}
	f := r.Refutations[0]
	const want = `P_1 <-> P_2 is no symmetry of the model: rule "fire" at test.m:6:1, probably its loop over P at 8:3
  in a well-formed (perhaps unreachable) state with up[P_1] = true, up[P_2] = true, armed = true
  rule "fire" gives last = P_2
  with P_1 and P_2 exchanged, rule "fire" gives last = P_2 instead of P_1
  the order of the loop at 8:3 matters: P_1 before P_2 gives last = P_2, P_2 before P_1 gives last = P_1`
	if f.Reachable || f.State == nil || f.Text != want {
		t.Errorf("reachable %v, got\n%s\nwant\n%s", f.Reachable, f.Text, want)
	}
}

func TestDeterministic(t *testing.T) {
	var texts [2]string
	for i := range texts {
		e := encoded(t, "false_scalarset.m", "", murphi.Options{Consts: map[string]string{"N": "4"}})
		r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
		r.Time = 0
		texts[i] = fmt.Sprintf("%+v", r.Refutations)
	}
	if texts[0] != texts[1] {
		t.Error("two runs differ")
	}
}

// TestLivenessInstances: a permutation may map the instances of a liveness
// property to each other, but nothing else; without their conditions nothing is
// known of them.
func TestLivenessInstances(t *testing.T) {
	e := encoded(t, "test.m", `
type P: scalarset(3); U: union{P, enum{Home}};
var a: array[P] of 0..2; g: P; u: U;
function first(): P;
begin
  for p: P do if a[p] = 0 then return p; end; end;
  return g;
end;
startstate for p: P do a[p] := 0; end; undefine g; undefine u; end;
ruleset p: P do rule "up" a[p] < 2 ==> begin a[p] := a[p] + 1; g := p; u := p; end; end;
ruleset p: P do rule "down" a[p] = 2 ==> begin a[p] := 0; u := Home; end; end;
ruleset p: P do liveness "each" a[p] = 1; end;
ruleset k: 0..2; p: P; q: P do liveness "pairs" a[p] = k | a[q] = k; end;
ruleset v: U do liveness "union" !isundefined(u) & u = v; end;
liveness "some" exists p: P do a[p] = 2 end;
ruleset p: P do liveness "first" !isundefined(g) & first() = p; end;
`, murphi.Options{})
	r := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}, Instances: instances(e)})
	none := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}})
	some := map[int][]detect.Instance{0: instances(e)[0][:2]} // one less: nothing to map another to
	part := check(t, e, e, declared.Options{Verify: verify.Options{NewProver: newProver}, Instances: some})
	for i, q := range e.Model.Props {
		want, without, few := "6", "6", "6"
		if q.Kind == model.Liveness {
			without, few = "1", "1"
		}
		switch q.Name {
		case "first":
			want = "1"
		}
		if got := r.ByProp[i].Order().String(); got != want {
			t.Errorf("%q: order %s, want %s: %v", q.Name, got, want, r.Refutations)
		}
		if got := none.ByProp[i].Order().String(); got != without {
			t.Errorf("%q without instances: order %s, want %s", q.Name, got, without)
		}
		if got := part.ByProp[i].Order().String(); got != few {
			t.Errorf("%q with two instances of one property: order %s, want %s", q.Name, got, few)
		}
	}
	if r.System.Order().String() != "6" || len(r.Refutations) != 3 {
		t.Fatalf("order %v, %v", r.System.Order(), r.Refutations)
	}
	f := r.Refutations[0]
	if e.Model.Props[f.Prop].Name != "first" || !f.Reachable || !strings.HasPrefix(f.Text, `P_1 <-> P_2 is no symmetry of liveness "first", declared at test.m:`) {
		t.Errorf("%+v\n%s", f, f.Text)
	}
}
