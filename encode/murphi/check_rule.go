// Rules, rulesets and properties. Rulesets are flattened: every rule carries
// the parameters of all rulesets around it. Rules of one ruleset share the slice.

package murphi

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

func (c *checker) rule(n node) {
	switch n := n.(type) {
	case *rulesetNode:
		c.ruleset(n)
	case *ruleNode:
		c.simpleRule(n)
	case *propNode:
		cond := c.typed(n.cond, model.BoolType, "the invariant")
		c.m.Props = append(c.m.Props, &model.Property{
			Name: n.name, Kind: model.Invariant, Params: c.params, Expr: cond, Pos: n.pos,
		})
	}
}

func (c *checker) ruleset(n *rulesetNode) {
	c.open()
	outer := c.params
	c.params = slices.Clone(outer)
	for _, q := range n.quants {
		if p := c.quantifier(q, true); p != nil {
			c.params = append(c.params, p)
		}
	}
	c.params = slices.Clip(c.params)
	for _, r := range n.rules {
		c.rule(r)
	}
	c.params = outer
	c.close()
}

func (c *checker) simpleRule(n *ruleNode) {
	r := &model.Rule{Name: n.name, Params: c.params, Pos: n.pos}
	c.open()
	state := c.leaves
	c.leaves, c.locals = 0, nil
	if n.guard != nil {
		r.Guard = c.typed(n.guard, model.BoolType, "the guard")
	}
	for _, d := range n.decls {
		c.decl(d)
	}
	r.Body = c.stmts(n.body)
	r.Locals = c.locals
	c.leaves = state
	c.close()
	if n.start {
		r.Index = len(c.m.Starts)
		c.m.Starts = append(c.m.Starts, r)
	} else {
		r.Index = len(c.m.Rules)
		c.m.Rules = append(c.m.Rules, r)
	}
}

// properties appends to the invariants the properties that are not declared as
// such, and names them all.
func (c *checker) properties() {
	m := c.m
	for _, a := range c.asserts {
		p := &model.Property{Name: a.Message, Kind: model.Assertion, Pos: a.Pos}
		if a.Cond == nil {
			p.Kind = model.ErrorStmt
		}
		a.Prop = len(m.Props)
		m.Props = append(m.Props, p)
	}
	// The names of the last two are fixed: the others make way.
	used := map[string]bool{model.RuntimeError.String(): true, model.Deadlock.String(): true}
	for _, p := range m.Props {
		base := p.Name
		if base == "" {
			base = p.Kind.String()
			p.Name = fmt.Sprintf("%s@%d", base, p.Pos.Line)
		}
		if used[p.Name] {
			p.Name = fmt.Sprintf("%s@%d", base, p.Pos.Line)
		}
		for col := p.Pos.Col; used[p.Name]; col++ {
			p.Name = fmt.Sprintf("%s@%d:%d", base, p.Pos.Line, col)
		}
		used[p.Name] = true
	}
	m.Props = append(m.Props, &model.Property{Name: model.RuntimeError.String(), Kind: model.RuntimeError})
	if m.Deadlock != model.DeadlockOff {
		m.Props = append(m.Props, &model.Property{Name: model.Deadlock.String(), Kind: model.Deadlock})
	}
	for i, p := range m.Props {
		p.Index = i
	}
}
