// Formulas and fairness. The largest parts of a formula without temporal operators are its
// atoms. Each becomes a property of its own, a condition on states.

package murphi

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/ctl"
	"orbitmc/internal/front"
	"orbitmc/internal/ltl"
	"orbitmc/model"
)

// isTemporal reports whether there is a temporal operator in an expression outside of all
// parts of which it is no operator.
func isTemporal(e expr) bool {
	switch e := e.(type) {
	case *unaryExpr:
		return temporalWords[e.op] || treeWords[e.op] || isTemporal(e.x)
	case *binaryExpr:
		return temporalWords[e.rest[0].op] || isTemporal(e.first) ||
			slices.ContainsFunc(e.rest, func(o operand) bool { return isTemporal(o.x) })
	case *condExpr:
		return isTemporal(e.cond) || isTemporal(e.then) || isTemporal(e.els)
	case *quantExpr:
		return isTemporal(e.body)
	case *pathsExpr, *chanceExpr:
		return true
	}
	return false
}

func (c *checker) formula(n *formulaNode) {
	outer := c.reporter
	c.reporter = n.reporter
	c.open()
	c.params, c.atoms, c.texts = nil, nil, nil
	for _, q := range n.quants {
		if b := c.quantifier(q, true); b != nil {
			c.params = append(c.params, b.Param)
		}
	}
	switch n.kind {
	case "pctl":
		c.chance(n)
	case "ltl":
		f := &model.Formula{Name: n.name, Params: c.params, LTL: part(c, &linear, n.body), Pos: n.pos}
		f.Atoms = c.atoms
		c.m.Formulas = append(c.m.Formulas, f)
	default:
		p := &model.Property{Name: n.name, Kind: model.Branching, Params: c.params, Tree: &model.Tree{Formula: part(c, &branching, n.body)}}
		p.Tree.Atoms, p.Tree.Texts = c.atoms, c.texts
		if n.reporter == outer { // not on the command line
			p.Pos = n.pos
		}
		c.m.Props = append(c.m.Props, p)
	}
	c.m.Props = append(c.m.Props, c.atoms...)
	c.params, c.atoms = nil, nil
	c.close()
	if c.reporter = outer; n.reporter != outer {
		c.errs = append(c.errs, n.errs...)
	}
}

// atom returns the number of a condition, or -1 and its value if that is constant.
func (c *checker) atom(e expr) (n int, value bool) {
	x := c.pureTyped(e, "a condition of the formula")
	if x == nil {
		return -1, true
	}
	if k, ok := x.(*model.ConstExpr); ok {
		return -1, k.Value != 0
	}
	c.atoms = append(c.atoms, &model.Property{Name: fmt.Sprintf("formula@%d", len(c.m.Props)+len(c.atoms)), Kind: model.Liveness, Params: c.params, Expr: x, Pos: e.position()})
	c.texts = append(c.texts, operandText(e, precNot))
	return len(c.atoms) - 1, true
}

// logic is how formulas of a kind are made of their parts.
type logic[F any] struct {
	yes, no F
	atom    func(n int) F
	not     func(x F) F // nil: a negation is a part of a condition if it is one of a condition
	prefix  map[kind]func(x F) F
	infix   map[kind]func(x, y F) F
	paths   func(all bool, op string, x, y F) F // nil: there are none
	asks    func(c *checker, e *chanceExpr, x, y F) F
}

var linear = logic[*ltl.Formula]{
	yes: ltl.Yes, no: ltl.No, atom: ltl.Of,
	prefix: map[kind]func(x *ltl.Formula) *ltl.Formula{
		"F": ltl.Finally, "G": ltl.Globally,
		"!": func(x *ltl.Formula) *ltl.Formula { return ltl.One(ltl.Not, x) },
		"X": func(x *ltl.Formula) *ltl.Formula { return ltl.One(ltl.Next, x) },
	},
	infix: map[kind]func(x, y *ltl.Formula) *ltl.Formula{
		"&": two(ltl.Two, ltl.And), "&&": two(ltl.Two, ltl.And), "|": two(ltl.Two, ltl.Or), "||": two(ltl.Two, ltl.Or),
		"U": two(ltl.Two, ltl.Until), "R": two(ltl.Two, ltl.Release), "W": ltl.Weak, "->": ltl.Implies, "=": ltl.Iff,
		"!=": func(x, y *ltl.Formula) *ltl.Formula { return ltl.One(ltl.Not, ltl.Iff(x, y)) },
	},
}

var branching = logic[*ctl.Formula]{
	yes: ctl.Yes, no: ctl.No(ctl.Yes), atom: ctl.Of, not: ctl.No,
	prefix: map[kind]func(x *ctl.Formula) *ctl.Formula{
		"AX": along("AX"), "AF": along("AF"), "AG": along("AG"), "EX": along("EX"), "EF": along("EF"), "EG": along("EG"),
		"EY": along("EY"), "EP": along("EP"), "AH": along("AH"),
	},
	infix: map[kind]func(x, y *ctl.Formula) *ctl.Formula{
		"&": two(ctl.Two, ctl.And), "&&": two(ctl.Two, ctl.And), "|": ctl.Or, "||": ctl.Or, "->": ctl.Implies, "=": ctl.Iff,
		"!=": func(x, y *ctl.Formula) *ctl.Formula { return ctl.No(ctl.Iff(x, y)) },
	},
	paths: ctl.Paths,
}

// two applies an operator of two operands.
func two[O, F any](apply func(op O, x, y F) F, op O) func(x, y F) F {
	return func(x, y F) F { return apply(op, x, y) }
}

// along applies an operator of one operand to paths.
func along(word string) func(x *ctl.Formula) *ctl.Formula {
	return func(x *ctl.Formula) *ctl.Formula { return ctl.Prefix(word, x) }
}

// part checks part of a formula; the result is not nil.
func part[F any](c *checker, l *logic[F], e expr) F {
	if e, ok := e.(*unaryExpr); ok && e.op == "!" && l.not != nil {
		return l.not(part(c, l, e.x))
	}
	if !isTemporal(e) {
		switch n, value := c.atom(e); {
		case n >= 0:
			return l.atom(n)
		case value:
			return l.yes
		}
		return l.no
	}
	switch e := e.(type) {
	case *unaryExpr:
		x := part(c, l, e.x)
		if f := l.prefix[e.op]; f != nil {
			return f(x)
		}
	case *pathsExpr:
		if l.paths != nil {
			return l.paths(e.all, e.op, part(c, l, e.x), part(c, l, e.y))
		}
	case *chanceExpr:
		if l.asks == nil {
			break
		}
		x := l.yes
		if e.x != nil {
			x = part(c, l, e.x)
		}
		return l.asks(c, e, x, part(c, l, e.y))
	case *binaryExpr:
		x := part(c, l, e.first)
		for _, o := range e.rest {
			y, f := part(c, l, o.x), l.infix[o.op]
			if f == nil {
				c.errorf(o.pos, "an operand of this operator has temporal operators")
				return x
			}
			x = f(x, y)
		}
		return x
	}
	c.misplaced(e)
	return l.yes
}

// misplaced reports temporal operators where none are expected.
func (c *checker) misplaced(e expr) {
	if q, ok := e.(*quantExpr); ok {
		c.errorf(q.pos, "temporal operators stand outside of quantifiers, unless these begin the formula")
		return
	}
	c.errorf(e.position(), "temporal operators are not expected here")
}

// fair adds the rules that are to be fair; paths of formulas in computation tree logic are fair ones.
func (c *checker) fair() {
	if len(c.opt.Formulas) > 0 {
		c.m.Deadlock = model.Stuck
	}
	if len(c.opt.Formulas)+len(c.opt.Trees) > 0 {
		c.fairRules()
	}
	for _, p := range c.m.Props {
		if p.Tree != nil && len(c.m.Fair.Often)+len(c.m.Fair.Rules) > 0 {
			p.Tree.Formula = p.Tree.Formula.Fairly()
		}
	}
}

func (c *checker) fairRules() {
	all := slices.Clone(c.opt.Fair)
	for _, x := range notes(c.src) {
		if x.what == "fair" {
			all = append(all, x.name+":"+x.text)
		}
	}
	for _, text := range all {
		how, name, ok := strings.Cut(text, ":")
		name = strings.Trim(strings.TrimSpace(name), `"`)
		if !ok || how != "weak" && how != "strong" || name == "" {
			c.errorf(model.Pos{}, "fairness %q: want weak:RULE or strong:RULE", clip(text))
			continue
		}
		var names []string
		found := false
		for _, r := range c.m.Rules {
			names = append(names, r.Name)
			if r.Name != name && name != "*" {
				continue
			}
			found = true
			c.m.Fair.Rules = append(c.m.Fair.Rules, c.fairRule(r, how == "strong")...)
		}
		if !found {
			c.errorf(model.Pos{}, "fairness %q: there is no rule %q%s", clip(text), clip(name), front.DidYouMean(name, names))
		}
	}
}

// fairRule returns the sets of instances of a rule, one for each choice of parameters but slots of multisets.
func (c *checker) fairRule(r *model.Rule, strong bool) (all []model.FairRules) {
	at := make(map[string]int)
	for _, params := range model.InstancesOf(r.Params) {
		ch := model.Choice{Rule: r.Index, Params: params}
		rest := slices.Clone(params)
		chooses := false
		for i, q := range r.Params {
			if q.Var.Type.Slots {
				rest[i], chooses = 0, true
			}
		}
		key := fmt.Sprint(rest)
		if k, ok := at[key]; ok {
			all[k].Instances = append(all[k].Instances, ch)
			continue
		}
		at[key] = len(all)
		all = append(all, model.FairRules{Name: c.m.FormatChoice(ch), Strong: strong, Instances: []model.Choice{ch}, ByElement: chooses})
	}
	return all
}
