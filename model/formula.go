package model

import (
	"fmt"
	"iter"
	"slices"

	"orbitmc/internal/ltl"
)

// Formula is a property in linear temporal logic: for all values of Params it holds of every run
// that is fair. Runs are infinite: where no rule can fire, the state stutters. A run that errs violates the formula if
// whatever might come after its last state would; else it has no say, and neither has a run that only an assumption ends.
type Formula struct {
	Name   string
	Params []*Param
	Atoms  []*Property  // of kind Liveness, with the same Params; where the evaluation of one errs, it counts against the formula
	LTL    *ltl.Formula // over Atoms, by number
	Pos    Pos          // in the text of the formula

	// Never, if LTL is nil, accepts the runs that violate the property.
	Never *ltl.Automaton
}

// Negated returns the automaton of the runs that violate an instance of the formula.
func (f *Formula) Negated() (*ltl.Automaton, error) {
	if f.LTL == nil {
		return f.Never, nil
	}
	return ltl.New(ltl.One(ltl.Not, f.LTL))
}

// Holds reports whether an instance of the formula holds of a lasso, by the meaning of formulas and
// automata: see ltl.Holds.
func (f *Formula) Holds(n, loop int, l ltl.Literals) bool {
	if f.LTL == nil {
		return !f.Never.Accepts(n, loop, l.Dual())
	}
	return ltl.Holds(f.LTL, n, loop, l)
}

// Fairness says which infinite runs count.
type Fairness struct {
	Often []*Property // of kind Liveness: each instance holds infinitely often
	Rules []FairRules
}

// FairRules is a set of rule instances. Weak fairness: if some of them can fire in every state from
// some point on, some fire infinitely often. Strong fairness: if some can fire infinitely often,
// some fire infinitely often.
type FairRules struct {
	Name      string
	Strong    bool
	Instances []Choice
	Also      []Choice // if one of these fires, that counts as if one of Instances did
	ByElement bool     // each element of a multiset that the rule chooses counts on its own, whichever slot it is in: see Named
}

// Product returns the model with variables behind all others that no rule writes: one of each of these types, and one for
// the states of an automaton, from 0.
func (m *Model) Product(types []*Type, states int) *Model {
	out := *m
	out.Vars = slices.Clip(m.Vars)
	types = append(slices.Clip(types), &Type{Kind: Range, Hi: int64(states) - 1, Leaves: 1})
	for _, t := range types {
		out.Vars = append(out.Vars, &Var{Name: fmt.Sprint("product@", len(out.Vars)), Kind: StateVar, Type: t, Offset: out.Leaves()})
	}
	return &out
}

// FairByParts reports whether fairness may be about elements of multisets whose leaves a permutation moves, as they
// are in arrays or multisets within the element.
func (m *Model) FairByParts() bool {
	return slices.ContainsFunc(m.Fair.Rules, func(r FairRules) bool { return r.ByElement }) &&
		slices.ContainsFunc(m.Vars, func(v *Var) bool {
			return v.Type.Has(func(t *Type) bool {
				return t.Kind == Multiset && t.Elem.Has(func(u *Type) bool { return u.Kind == Array || u.Kind == Multiset })
			})
		})
}

// Instances yields the values of all instances of parameters, in order: the last fastest.
func Instances(params []*Param) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var each func(rest []*Param, values []int64) bool
		each = func(rest []*Param, values []int64) bool {
			if len(rest) == 0 {
				return yield(values)
			}
			for _, v := range rest[0].Domain.Values() {
				if !each(rest[1:], append(slices.Clip(values), v)) {
					return false
				}
			}
			return true
		}
		each(params, nil)
	}
}

// InstancesOf lists them.
func InstancesOf(params []*Param) [][]int64 { return slices.Collect(Instances(params)) }

// Title returns the name of a formula with values of its parameters.
func (f *Formula) Title(values []int64) string {
	s := f.Name
	for i, p := range f.Params {
		s += map[bool]string{true: "[", false: ","}[i == 0] + p.Var.Name + "=" + p.Var.Type.Format(values[i])
	}
	if len(f.Params) > 0 {
		s += "]"
	}
	return s
}
