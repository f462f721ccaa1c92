package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/reference"
)

// someStrict returns some quantifiers of m whose operands call nothing, and some properties.
func someStrict(r *rand.Rand, m *Model) Strict {
	strict := make(Strict)
	visit := func(n any) {
		q, ok := n.(*Quant)
		if !ok || r.IntN(3) == 0 {
			return
		}
		calls := false
		Inspect(q.Body, func(n any) {
			_, call := n.(*CallExpr)
			calls = calls || call
		})
		if !calls {
			strict[q] = true
		}
	}
	for _, rule := range m.Rules {
		if rule.Guard != nil {
			Inspect(rule.Guard, visit)
		}
		Inspect(rule.Body, visit)
	}
	for _, q := range m.Props {
		if q.Expr != nil {
			Inspect(q.Expr, visit)
			if r.IntN(2) == 0 {
				strict[q] = true
			}
		}
	}
	return strict
}

// overArray returns a quantifier over the elements of an array, which may be undefined.
func overArray(r *rand.Rand, m *Model) Expr {
	g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars)}
	for {
		array := m.Vars[r.IntN(len(m.Vars))]
		if array.Type.Kind != Array || !array.Type.Elem.Simple() {
			continue
		}
		v := boundVar("v", array.Type.Index)
		q := &Quant{All: r.IntN(2) == 0, Var: v, Domain: Domain{Type: v.Type}}
		g.with(v, func() {
			q.Body = bin(at(ref(array), ref(v)), Eq+Op(r.IntN(2)), g.constant(array.Type.Elem))
			if r.IntN(2) == 0 {
				q.Body = bin(q.Body, And+Op(r.IntN(3)), g.expr(2, BoolType))
			}
		})
		return q
	}
}

// TestStrictAgainstReference compares the two interpreters where some quantifiers evaluate all
// operands: outcomes, and whether an error is hidden.
func TestStrictAgainstReference(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := randomModel(r)
		m.Props[invariantProp].Expr, m.Props[coverExpr].Expr = overArray(r, m), overArray(r, m)
		strict := someStrict(r, m)
		if len(strict) == 0 {
			continue
		}
		p, w := CompileStrict(m, strict), reference.NewStrictWalker(m, strict)
		same := func(what string, s State, out reference.Walked, hid bool, got State, v *Violation) {
			t.Helper()
			if out.TooLong {
				return
			}
			if hid != out.Hides {
				t.Fatalf("seed %d: %s in %v: an error is hidden: %v, reference %v", seed, what, s, hid, out.Hides)
			}
			prop := -1
			if v != nil {
				prop = v.Prop
			}
			if prop != out.Prop {
				t.Fatalf("seed %d: %s in %v: %v, reference %v", seed, what, s, v, out)
			}
			switch {
			case hid:
				count["hidden"]++
			case prop >= 0:
				count["error"]++
			default:
				count["none"]++
			}
		}
		for range 3 {
			s := randomState(r, m)
			for k, rule := range m.Rules {
				tuples(rule.Params, nil, func(params []int64) {
					out := w.Guard(s, rule, params)
					if out.Holds {
						out = w.Fire(s, rule, params)
					}
					next := after(w, m)
					for _, v := range m.Vars {
						sortSets(v.Type, next[v.Offset:v.Offset+v.Type.Leaves])
					}
					mach := p.NewMachine()
					got, _, v := mach.Fire(s, Choice{k, params})
					same(rule.Name, s, out, mach.Hid(), got, v)
					if !out.TooLong && (got != nil) != out.Holds || got != nil && !slices.Equal(got, next) {
						t.Fatalf("seed %d: %q %v leads from\n%v to\n%v, reference\n%v", seed, rule.Name, params, s, got, next)
					}
				})
			}
			for _, prop := range []int{invariantProp, coverExpr} {
				q, mach := m.Props[prop], p.NewMachine()
				out := w.Says(s, q)
				var v *Violation
				holds := false
				if q.Kind == Invariant {
					v = mach.Violated(s, prop)
					holds = v == nil
					if v != nil && v.Prop == prop {
						v = nil
					}
				} else {
					holds, v = mach.Holds(s, prop, nil)
				}
				same(q.Name, s, out, mach.Hid(), nil, v)
				if !out.TooLong && out.Prop < 0 && holds != out.Holds {
					t.Fatalf("seed %d: %q in %v: %v, reference %v", seed, q.Name, s, holds, out.Holds)
				}
			}
		}
	}
	for _, what := range []string{"hidden", "error", "none"} {
		if count[what] < 100 {
			t.Errorf("too few cases of %q", what)
		}
	}
	t.Log(count)
}
