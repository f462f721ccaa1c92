package promela

import (
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/model"
)

// Formulas of computation tree logic (Options.Trees). Conditions and the operators without time are those of ltl.go. AX,
// AF, AG, EX, EF, EG, EY, EP and AH stand before an operand, as [] does there, and A and E before brackets: A [x U y], with
// W or R, and E also with S. Steps are those between states that SPIN stores.

// treeWords are the operators of one operand.
var treeWords = map[string]bool{"AX": true, "AF": true, "AG": true, "EX": true, "EF": true, "EG": true, "EY": true, "EP": true, "AH": true}

// tree reads a part of a formula that begins with an operator of computation tree logic; nil: it begins with none. A and
// E with brackets may also be a process.
func (p *parser) tree() (f *formula) {
	t := p.peek()
	text, _ := p.pair()
	switch {
	case slices.Contains([]string{"[]", "always", "<>", "eventually"}, text):
		fail(t.at, "%s is of linear temporal logic; here AG, AF, EG and EF say on which paths", text)
	case t.kind != tName:
	case treeWords[t.text]:
		p.next()
		return &formula{op: t.text, x: p.operand(t, t.text)}
	case (t.text == "A" || t.text == "E") && p.after().text == "[":
		m, temps, calls := p.mark(), p.temps, len(p.calls)
		failed := attempt(func() {
			p.next()
			p.next()
			x := p.formula(0)
			op := p.next()
			if !slices.Contains([]string{"U", "W", "R"}, op.text) && t.text+op.text != "ES" {
				fail(op.at, "expected U, W or R, or behind E also S, found %s", op.show())
			}
			f = &formula{t.text + op.text, nil, x, p.formula(0)}
			p.expect("]")
		})
		if failed == nil {
			return f
		}
		p.reset(m)
		p.temps, p.calls = temps, p.calls[:calls]
		if e := p.condition(2); e != nil {
			return condition(e)
		}
		panic(failed)
	}
	return nil
}

// looksBack reports whether a formula speaks of steps that lead to a state.
func (f *file) looksBack() bool {
	return slices.ContainsFunc(f.claims, func(c *claim) bool {
		return slices.ContainsFunc([]string{"EY", "EP", "AH", "ES"}, c.formula.has)
	})
}

// tree returns a formula in computation tree logic over the conditions.
func (ato *atoms) tree(f *formula) *ctl.Formula {
	switch f.op {
	case "cond":
		switch k, ok := constant(f.e); {
		case f.e.op == opUnary && f.e.text == "!":
			return ctl.No(ato.tree(condition(f.e.x)))
		case !ok:
			return ctl.Of(ato.add(show(f.e), f.e.at, ato.l.read(f.e)))
		case k != 0:
			return ctl.Yes
		}
		return ctl.No(ctl.Yes)
	case "!":
		return ctl.No(ato.tree(f.x))
	case "&&":
		return ctl.Two(ctl.And, ato.tree(f.x), ato.tree(f.y))
	case "||":
		return ctl.Or(ato.tree(f.x), ato.tree(f.y))
	}
	if f.y == nil {
		return ctl.Prefix(f.op, ato.tree(f.x))
	}
	return ctl.Paths(f.op[0] == 'A', f.op[1:], ato.tree(f.x), ato.tree(f.y))
}

// branching adds the property that a formula in computation tree logic is.
func (ato *atoms) branching(c *claim) {
	q := &model.Property{Name: c.name, Kind: model.Branching, Tree: &model.Tree{Formula: ato.tree(c.formula)}}
	q.Tree.Atoms, q.Tree.Texts, q.Index = ato.f.Atoms, ato.texts, len(ato.l.m.Props)
	ato.l.m.Props = append(ato.l.m.Props, q)
}
