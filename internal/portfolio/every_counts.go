package portfolio

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds relations between numbers and counts of components: equations that hold in the
// states of small sizes. A state becomes a vector of its numbers, of the constants that are left open, and
// of counts: how many components hold each value. The equations are the affine hull of these vectors
// (affine.go). They are candidates like other
// lemmas. A count is a function of the model with a loop, so that every tool for Murphi reads it.

// Bounds of what is looked at: a part of the states will do, as equations that are not inductive
// are dropped.
const (
	hullSizes   = 3 // from the least on
	hullRepeats = 8 // of a constant that is left open, in an equation
)

// counter is a function of the model that counts components.
type counter struct{ name, text string }

// column is a number of a state: what some leaves hold, or how many of them hold a value.
type column struct {
	text   string
	fn     *counter                      // that text calls; nil: none
	number func(m *model.Model) int64    // of the model; nil: of the state
	leaves func(m *model.Model) []string // their names
	value  param.Const                   // if fn is not nil: those that hold it are counted
}

// equations adds the equations as lemmas.
func (e *Every) equations(ctx context.Context, c *param.Conditions) error {
	cols := e.columns(c)
	hull := &rows{}
	for n := e.first(); n < e.first()+hullSizes; n++ {
		r := e.reach(ctx, c, e.source, n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case r == nil:
			return nil // of this size there is no model
		}
		for _, s := range r.states {
			if row := r.row(cols, s); row != nil {
				hull.add(row)
			}
		}
	}
	for _, q := range hull.equations(len(cols) + 1) {
		if text := e.equation(cols, q); text != "" {
			e.lemmas = lists.With(e.lemmas, text)
		}
	}
	return nil
}

// columns returns the numbers of a state.
func (e *Every) columns(c *param.Conditions) (cols []column) {
	for _, k := range c.Open() {
		cols = append(cols, column{text: k, number: func(m *model.Model) int64 {
			return m.Consts[slices.IndexFunc(m.Consts, func(x model.Const) bool { return x.Name == k })].Value
		}})
	}
	for _, f := range c.Families {
		switch {
		case len(f.Args) == 0 && f.Opts[0].Sort == param.Ints:
			cols = append(cols, column{text: f.Name, leaves: func(*model.Model) []string { return []string{f.Name} }})
		case len(f.Args) == 1 && f.Defined:
			at := fmt.Sprintf("[#%d]", f.Args[0])
			s := c.Sorts[f.Args[0]]
			if !slices.ContainsFunc(c.Model.Types, func(t *model.Type) bool { return t.Name == s.Type && t.SizedBy == s.Constant }) {
				continue // its type has no name
			}
			for _, o := range f.Opts[1:] { // the others hold the first
				if o.Sort != -1 {
					continue
				}
				name := "count_1"
				for k := 2; bytes.Contains(e.source, []byte(name)) || slices.ContainsFunc(cols, func(c column) bool { return c.fn != nil && c.fn.name == name }); k++ {
					name = fmt.Sprintf("count_%d", k)
				}
				fn := &counter{name: name, text: fmt.Sprintf(
					"function %[1]s(): 0..%[2]s; var n_: 0..%[2]s; begin n_ := 0; for c_: %[3]s do if %[4]s = %[5]v then n_ := n_ + 1; end; end; return n_; end;",
					name, s.Constant, s.Type, strings.Replace(f.Name, at, "[c_]", 1), o.Const)}
				cols = append(cols, column{text: name + "()", fn: fn, value: o.Const, leaves: func(m *model.Model) (all []string) {
					i := slices.IndexFunc(m.Types, func(t *model.Type) bool { return t.Name == s.Type })
					for v := m.Types[i].Lo; v <= m.Types[i].Hi; v++ {
						all = append(all, strings.Replace(f.Name, at, "["+m.Types[i].Format(v)+"]", 1))
					}
					return all
				}})
			}
		}
	}
	return cols
}

// row is a state as a vector, with 1 for constants; nil if it has an undefined number.
func (r *reached) row(cols []column, s model.State) []int64 {
	row := []int64{1}
	for _, c := range cols {
		n := int64(0)
		switch {
		case c.number != nil:
			n = c.number(r.m)
		case c.fn != nil:
			for _, l := range c.leaves(r.m) {
				v := s[r.at[l]]
				if t := r.leaves[r.at[l]].Type; v == c.value.N && (c.value.Type == nil || c.value.Type.Name == t.Name) {
					n++
				}
			}
		default:
			if n = s[r.at[c.leaves(r.m)[0]]]; n == model.Undef {
				return nil
			}
		}
		row = append(row, n)
	}
	return row
}

// equation writes an equation, of integer coefficients, as an invariant; "" if there is nothing to
// prove, as it is about no state. The reader adds a constant that is left open to what depends on
// the state only, so that it is written as often as its coefficient says.
func (e *Every) equation(cols []column, q []*big.Int) string {
	var state, open, number [2][]string // by side
	for i, k := range q {
		side := 0
		if k.Sign() < 0 {
			side = 1
		}
		n := new(big.Int).Abs(k)
		switch {
		case n.Sign() == 0:
		case i == 0:
			number[side] = []string{fmt.Sprint(n)}
		case cols[i-1].number != nil:
			if n.Cmp(big.NewInt(hullRepeats)) > 0 {
				return ""
			}
			for range n.Int64() {
				open[side] = append(open[side], cols[i-1].text)
			}
		default:
			c := cols[i-1]
			what := c.text
			if n.Cmp(big.NewInt(1)) != 0 {
				what = fmt.Sprint(n) + " * " + what
			}
			state[side] = append(state[side], what)
			if c.fn != nil && !slices.ContainsFunc(e.counters, func(f counter) bool { return f.name == c.fn.name }) {
				e.counters = append(e.counters, *c.fn)
			}
		}
	}
	if len(state[0])+len(state[1]) == 0 {
		return ""
	}
	var text, minus [2]string // by side
	for side := range text {
		if len(state[side]) == 0 && len(open[side]) > 1 {
			minus[1-side] = " - " + strings.Join(open[side], " - ")
			open[side] = nil
		}
	}
	for side := range text {
		parts := slices.Concat(state[side], open[side], number[side])
		if parts == nil {
			parts = []string{"0"}
		}
		text[side] = strings.Join(parts, " + ") + minus[side]
	}
	return text[0] + " = " + text[1]
}
