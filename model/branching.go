package model

import (
	"fmt"
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/internal/lists"
)

// Tree is a formula in computation tree logic. A path fires a rule in each step; where no rule can fire, the state
// repeats itself. A step that errs, and one that an assumption disables, leads nowhere and ends the path. Where the
// evaluation of an atom errs in a state that can be reached, the formula is violated. If the model has fairness, all paths
// but those of operators that look back are fair ones: see ctl.Formula.Fairly.
type Tree struct {
	Formula *ctl.Formula // over Atoms, by number
	Atoms   []*Property  // of kind Liveness, with the parameters of the property
	Texts   []string     // of Atoms
}

// Claim is what has to be decided of a property about the graph of all steps.
type Claim struct {
	Body     *ctl.Formula
	Always   bool           // Body has to hold in each state that can be reached, else in each start state
	Temporal []*ctl.Formula // the temporal operators of Body: see ctl.Number
	Atoms    []*Property
	Texts    []string
}

// Claim returns what has to be decided of a property of kind Liveness or Branching.
func (p *Property) Claim() *Claim {
	t := p.Tree
	if t == nil {
		t = &Tree{ctl.Path(true, "G", ctl.Path(false, "F", ctl.Of(0))), []*Property{p}, []string{p.Name}}
	}
	c := &Claim{Atoms: t.Atoms, Texts: t.Texts}
	if c.Body, c.Always = t.Formula.Everywhere(); !c.Always {
		c.Body = t.Formula
	}
	c.Body, c.Temporal = ctl.Number(c.Body)
	return c
}

// Text returns part of a claim as people write it.
func (c *Claim) Text(f *ctl.Formula) string { return f.Text(func(n int) string { return c.Texts[n] }) }

// Conditions returns properties with the atoms of those of kind Branching in their places, and what holds again and again
// on the paths that these speak of.
func (m *Model) Conditions(props []int) (all []int) {
	for _, i := range props {
		t := m.Props[i].Tree
		if t == nil {
			all = append(all, i)
			continue
		}
		all = append(all, lists.Map(t.Atoms, func(q *Property) int { return q.Index })...)
	}
	for _, q := range m.Fair.Often {
		if m.Fairly(props) && !slices.Contains(all, q.Index) {
			all = append(all, q.Index)
		}
	}
	return all
}

// Fairly reports whether properties in computation tree logic speak of fair paths.
func (m *Model) Fairly(props []int) bool {
	return slices.ContainsFunc(props, func(i int) bool {
		t := m.Props[i].Tree
		return t != nil && t.Formula.Fair()
	})
}

// LooksBack reports whether what properties say depends on the steps that lead to a state.
func (m *Model) LooksBack(props []int) bool {
	return slices.ContainsFunc(props, func(i int) bool {
		t := m.Props[i].Tree
		return t != nil && t.Formula.Back()
	})
}

// Atoms appends to holds which atoms of a property about the graph of all steps hold in s, for these values of its
// parameters. One whose evaluation errs does not; that is a violation of the property, and returned, the first one.
func (m *Machine) Atoms(s State, p *Property, inst []int64, holds []bool) (_ []bool, first *Violation) {
	if p.Tree == nil {
		ok, v := m.Holds(s, p.Index, inst)
		return append(holds, ok && v == nil), v.Of(p.Index)
	}
	for _, q := range p.Tree.Atoms {
		ok, v := m.Holds(s, q.Index, inst)
		if holds = append(holds, ok && v == nil); v != nil && first == nil {
			first = &Violation{Prop: p.Index, Pos: v.Pos, Message: v.Message, Also: []int{v.Prop}}
			if p.Pos == (Pos{}) { // the formula is not in the file
				first.Pos, first.Message = Pos{}, fmt.Sprintf("formula:%v: %s", v.Pos, v.Message)
			}
		}
	}
	return holds, first
}
