package encode_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file is about types that are Alike: giving them to any uses of ranges and
// enums changes the encoding and nothing else.

// alike gives some uses of ranges and enums in m types that are Alike, one class for
// each pair of bounds.
func alike(m *model.Model, rng *rand.Rand) *model.Model {
	typ := make(map[model.Use]*model.Type)
	known := make(map[[2]int64]*model.Type)
	var classes []*model.Type
	class := func(t *model.Type) *model.Type {
		u := *t
		u.Alike, u.Class, u.First = true, len(m.Scalarsets)+len(classes), t.Lo
		classes = append(classes, &u)
		return &u
	}
	seen := make(map[*model.Type]bool)
	var walk func(t *model.Type)
	use := func(u model.Use, t *model.Type) {
		if t.Kind != model.Range {
			walk(t)
			return
		}
		if t.Card() > 64 || typ[u] != nil || rng.IntN(4) == 0 {
			return
		}
		k := [2]int64{t.Lo, t.Hi}
		if known[k] == nil {
			known[k] = class(t)
		}
		typ[u] = known[k]
	}
	walk = func(t *model.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind {
		case model.Enum:
			if rng.IntN(4) > 0 {
				typ[model.Use{Type: t}] = class(t)
			}
		case model.Union:
			for _, p := range t.Parts {
				walk(p)
			}
		case model.Array:
			use(model.Use{Type: t, Part: model.Index}, t.Index)
			use(model.Use{Type: t}, t.Elem)
		case model.Multiset:
			use(model.Use{Type: t}, t.Elem)
		case model.Record:
			for i, f := range t.Fields {
				use(model.Use{Type: t, Part: i}, f.Type)
			}
		}
	}
	variable := func(v *model.Var) { use(model.Use{Var: v}, v.Type) }
	domain := func(v *model.Var, d model.Domain) {
		// Only what takes all values in order may be Alike: such is what Infer makes.
		if d.From == nil || d.By == nil && d.From.Type().Kind == model.Integer && v.Type.Kind == model.Range && constants(d.From, d.To) {
			variable(v)
		} else {
			walk(v.Type)
		}
	}
	params := func(ps []*model.Param) {
		for _, p := range ps {
			domain(p.Var, p.Domain)
		}
	}
	inside := func(n any) {
		model.Inspect(n, func(n any) {
			switch n := n.(type) {
			case *model.Quant:
				domain(n.Var, n.Domain)
			case *model.For:
				domain(n.Var, n.Domain)
			case *model.Let:
				variable(n.Var)
			case *model.Alias:
				variable(n.Var)
			}
		})
	}
	for _, v := range m.Vars {
		variable(v)
	}
	for _, p := range m.Procs {
		for _, f := range p.Params {
			variable(f.Var)
		}
		for _, v := range p.Locals {
			variable(v)
		}
		if p.Result != nil {
			use(model.Use{Proc: p}, p.Result)
		}
		inside(p.Body)
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		params(r.Params)
		for _, v := range r.Locals {
			variable(v)
		}
		if r.Guard != nil {
			inside(r.Guard)
		}
		inside(r.Body)
	}
	for _, p := range slices.Concat(m.Props, m.Assumptions) {
		params(p.Params)
		if p.Expr != nil {
			inside(p.Expr)
		}
	}
	return model.Retype(m, classes, typ)
}

func constants(es ...model.Expr) bool {
	for _, e := range es {
		if _, ok := e.(*model.ConstExpr); !ok {
			return false
		}
	}
	return true
}

// TestAlike compares encodings of random models with such types with the interpreter
// on the models as they are.
func TestAlike(t *testing.T) {
	models := uint64(nightly.Or(80, 3000))
	refused, hot := 0, 0
	for seed := range models {
		opt := murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
		src := murphitest.Random(rand.New(rand.NewPCG(seed, 7)), murphitest.Options{Dialect: opt.Dialect})
		change := func(m *model.Model) *model.Model { return alike(m, rand.New(rand.NewPCG(seed, 8))) }
		o, err := compareChanged(src, opt, seed, 60, change)
		if errors.Is(err, errOrder) {
			refused++
			continue
		}
		if err != nil {
			reduced := murphitest.Shrink(src, func(src string) bool {
				_, err := compareChanged(src, opt, seed, 60, change)
				return errors.As(err, new(disagreement))
			})
			_, again := compareChanged(reduced, opt, seed, 60, change)
			t.Fatalf("model %d: %v\nshrunk to\n%s%v", seed, err, reduced, again)
		}
		for _, l := range o.leaves {
			if l.Type.Alike {
				hot++
			}
		}
	}
	if hot < int(models) || refused > int(models)/10 {
		t.Errorf("%d models, %d leaves of types that are Alike, %d models refused", models, hot, refused)
	}
}

// TestChoices: the choices of an encoding are groups of inputs apart, each with the condition that exactly
// one of its inputs is set.
func TestChoices(t *testing.T) {
	groups := 0
	for seed := range uint64(60) {
		src := murphitest.Random(rand.New(rand.NewPCG(seed, 7)), murphitest.Options{})
		m, err := murphi.Parse("random.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		encoder := encode.Model
		if seed%2 == 1 {
			encoder = encode.Named
		}
		plain, err := encode.Model(context.Background(), m)
		if err != nil {
			continue // the order of elements may matter
		}
		if len(plain.Choices) > 0 {
			t.Errorf("model %d: choices %v though no class is inferred", seed, plain.Choices)
		}
		enc, err := encoder(t.Context(), alike(m, rand.New(rand.NewPCG(seed, 8))))
		if err != nil {
			t.Fatal(err)
		}
		chosen := make(map[int]bool)
		for _, x := range enc.Choices {
			groups++
			number := make(map[int]int) // by node: place in the choice
			for k, i := range x.Inputs {
				if chosen[i] {
					t.Errorf("model %d: two choices have input %d", seed, i)
				}
				chosen[i] = true
				number[enc.Sys.Inputs[i].Node] = k
			}
			for v := range 1 << min(len(x.Inputs), 10) {
				assign := make(map[int]bool)
				for node, k := range number {
					assign[node] = v>>k&1 == 1
				}
				want := aig.False.NotIf(v != 0 && v&(v-1) == 0)
				if got := enc.Sys.G.Cofactor([]aig.Lit{x.One}, assign)[0]; got != want {
					t.Fatalf("model %d: inputs %b of %v: One is %v", seed, v, x.Inputs, got)
				}
			}
		}
	}
	if groups < 60 {
		t.Errorf("%d choices", groups)
	}
}

// TestChoicesLoseNothing: a step of an encoding in which a choice has not exactly one input set is a step with
// exactly one set, or leaves the state as it is and violates nothing that the others do not. So a search for
// shortest violations needs no such step.
func TestChoicesLoseNothing(t *testing.T) {
	idle, other := 0, 0
	for seed := range uint64(120) {
		src := murphitest.Random(rand.New(rand.NewPCG(seed, 7)), murphitest.Options{})
		m, err := murphi.Parse("random.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 8))
		encoder := encode.Model
		if seed%2 == 1 {
			encoder = encode.Named
		}
		enc, err := encoder(t.Context(), alike(m, rng))
		if err != nil {
			continue // the order of elements may matter
		}
		sys := enc.Sys
		random := func(n int) []bool {
			b := make([]bool, n)
			for i := range b {
				b[i] = rng.IntN(2) == 0
			}
			return b
		}
		e := ts.NewEvaluator(sys)
		step := func(state, in []bool) (next, bads []bool) {
			e.Set(state, in)
			for _, b := range sys.Bads {
				bads = append(bads, e.Value(b.Lit))
			}
			return e.Next(), bads
		}
		state := e.Reset(random(len(sys.Init)))
		for range 40 {
			in := random(len(sys.Inputs))
			var valid [][]bool // the same inputs with one set in each choice
			valid = append(valid, slices.Clone(in))
			for _, x := range enc.Choices {
				var more [][]bool
				for _, v := range valid {
					for _, i := range x.Inputs {
						w := slices.Clone(v)
						for _, j := range x.Inputs {
							w[j] = j == i
						}
						more = append(more, w)
					}
				}
				if valid = more; len(valid) > 2000 {
					break
				}
			}
			if len(valid) > 2000 {
				break
			}
			next, bads := step(state, in)
			idles := true
			for i, b := range bads {
				idles = idles && (!b || sys.Bads[i].Delay == 0 && slices.ContainsFunc(valid, func(v []bool) bool {
					_, bads := step(state, v)
					return bads[i]
				}))
			}
			for i, l := range sys.Latches {
				idles = idles && (next[i] == state[i] || strings.HasPrefix(l.Name, "start"))
			}
			has := slices.ContainsFunc(valid, func(v []bool) bool {
				to, hit := step(state, v)
				return slices.Equal(to, next) && slices.Equal(hit, bads)
			})
			switch {
			case has:
				other++
			case idles:
				idle++
			default:
				t.Fatalf("model %d: state %v, inputs %v lead to %v, which no choice does", seed, state, in, next)
			}
			state, _ = step(state, valid[rng.IntN(len(valid))])
		}
	}
	if idle == 0 || other < 1000 {
		t.Errorf("%d steps without a choice, %d with", idle, other)
	}
}
