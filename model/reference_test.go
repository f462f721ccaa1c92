package model_test

import (
	"errors"
	"fmt"
	"slices"

	. "orbitmc/model"
	"orbitmc/model/reference"
)

// The oracle of tests is the Walker.

// sortSets puts the multisets in l in order.
func sortSets(t *Type, l []int64) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			sortSets(f.Type, l[f.Offset:f.Offset+f.Type.Leaves])
		}
	case Array:
		for n := t.Elem.Leaves; len(l) > 0; l = l[n:] {
			sortSets(t.Elem, l[:n])
		}
	case Multiset:
		var full, free [][]int64
		for slot := range slices.Chunk(slices.Clone(l), 1+t.Elem.Leaves) {
			sortSets(t.Elem, slot[1:])
			if slot[0] == Undef {
				free = append(free, slices.Repeat([]int64{Undef}, len(slot)))
			} else {
				full = append(full, slot)
			}
		}
		slices.SortFunc(full, slices.Compare)
		copy(l, slices.Concat(append(full, free...)...))
	}
}

func isPlace(x Expr) bool { return Designator(x) }

// What an evaluation of the walker ends with.
var (
	errRun  = errors.New("run-time error")
	errFuel = errors.New("takes too long")
)

// failure is the error of an assertion or error statement: the index of its property.
type failure int

func (failure) Error() string { return "failure" }

// after returns what the leaves are after an evaluation.
func after(w *reference.Walker, m *Model) State {
	s := make(State, m.Leaves())
	for i := range s {
		s[i] = w.Value(i)
	}
	return s
}

// walkError is the error that a walk ended with.
func walkError(r reference.Walked, runtime int) error {
	switch {
	case r.TooLong:
		return errFuel
	case r.Prop == runtime:
		return errRun
	case r.Prop >= 0:
		return failure(r.Prop)
	}
	return nil
}

// fireSlowly returns the next state, nil if disabled, or an error, and the covers hit.
func fireSlowly(m *Model, r *Rule, params []int64, s State) (next State, inGuard, leftOut bool, hits map[int]bool, err error) {
	w := reference.NewWalker(m)
	hits = map[int]bool{}
	out := w.Guard(s, r, params)
	guard := out.Holds
	if guard {
		out = w.Fire(s, r, params)
	}
	tests := reference.NewWalker(m) // telling tests changes nothing else
	tests.TellTests()
	if told := tests.Fire(s, r, params); told.Holds != out.Holds || told.Prop != out.Prop || told.LeftOut != out.LeftOut || told.TooLong != out.TooLong ||
		!slices.Equal(told.Also, out.Also) || !slices.Equal(told.Hits, out.Hits) || out.Holds && !slices.Equal(after(tests, m), after(w, m)) {
		panic(fmt.Sprintf("%q %v in %v: with tests told %+v, without %+v", r.Name, params, s, told, out))
	}
	for _, k := range out.Hits {
		hits[k] = true
	}
	if err = walkError(out, runtimeProp); err != nil || !out.Holds {
		return nil, !guard, out.LeftOut, hits, err
	}
	next = after(w, m)
	for _, v := range m.Vars {
		sortSets(v.Type, next[v.Offset:v.Offset+v.Type.Leaves])
	}
	return next, false, false, hits, nil
}

// holdsSlowly evaluates an expression for all, or any, values of parameters.
func holdsSlowly(m *Model, params []*Param, x Expr, s State, all bool) (bool, error) {
	out := reference.NewWalker(m).Evaluate(s, params, x, all)
	return out.Holds, walkError(out, runtimeProp)
}
