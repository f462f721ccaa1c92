package table

import (
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/model/traces"
)

// Witness returns a run to where an outcome of a cell happens first, with the program that replays it: it hits a cover
// that is true everywhere, or violates the property that an error is about. It has been replayed, and the outcome seen at its end.
func (t *Table) Witness(c *Cell, want *Outcome) (*model.Program, *model.Trace, error) {
	m := *t.src.Program.Model
	cover := &model.Property{Name: c.Row + ", " + c.Column, Kind: model.Cover, Index: len(m.Props), Expr: &model.ConstExpr{Value: 1, T: model.BoolType}}
	m.Props = append(slices.Clip(m.Props), cover)
	p := model.Compile(&m)
	run, err := t.path(p, want.first)
	if err != nil {
		return nil, nil, err
	}
	run.Prop = cover.Index
	s, found := run.End(), false
	o := newObserver(p, t.spec)
	machine := p.NewMachine()
	o.observe(s, func(h *happening) {
		if found || h.row != c.Row || h.column != c.Column || h.key() != want.is {
			return
		}
		if found = true; h.rule == nil {
			return
		}
		next, _, v := machine.Fire(s, h.choice)
		if v != nil {
			run.Prop, run.Violation, next = v.Prop, v, nil
		}
		run.Steps = append(run.Steps, model.TraceStep{Choice: h.choice.Clone(), State: slices.Clone(next)})
	})
	if !found {
		return nil, nil, fmt.Errorf("table: internal error: %s, %s does not happen in an image of a state in which it does", c.Row, c.Column)
	}
	if err := traces.Replay(p, run); err != nil {
		return nil, nil, fmt.Errorf("table: internal error: %w", err)
	}
	return p, run, nil
}

// path returns a run to a state that a member represents. As symmetry maps steps to steps, each state of an orbit has a
// successor in the orbit of what its representative leads to.
func (t *Table) path(p *model.Program, i int64) (*model.Trace, error) {
	chain := t.chain(i)
	packer := model.NewPacker(p.Model)
	is := func(s model.State, i int64) bool {
		if s == nil {
			return false
		}
		k, _, ok := t.src.States.Guess(packer.Pack(nil, s))
		return ok && k == i
	}
	machine := p.NewMachine()
	var run *model.Trace
	machine.Starts(func(ch model.Choice, s model.State, _ *model.Violation) bool {
		if is(s, chain[0]) {
			run = &model.Trace{Start: ch.Clone(), StartState: slices.Clone(s)}
		}
		return run == nil
	})
	for n, i := range chain {
		if run == nil || len(run.Steps) < n {
			return nil, fmt.Errorf("table: internal error: no run leads to state %d", i)
		}
		if n == len(chain)-1 {
			break
		}
		machine.Successors(run.End(), func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if !is(next, chain[n+1]) {
				return true
			}
			run.Steps = append(run.Steps, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)})
			return false
		})
	}
	return run, nil
}

// chain returns the members that lead to a member, itself included.
func (t *Table) chain(i int64) (chain []int64) {
	for ; i >= 0; i = t.src.States.Parent(i) {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	return chain
}
