// Formulas and fairness. The largest parts of a formula without temporal operators are its
// atoms. Each becomes a property of its own, a condition on states.

package murphi

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/ctl"
	"orbitmc/front"
	"orbitmc/ltl"
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
	case *pathsExpr:
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
	if n.kind == "ltl" {
		f := &model.Formula{Name: n.name, Params: c.params, LTL: c.temporal(n.body), Pos: n.pos}
		f.Atoms = c.atoms
		c.m.Formulas = append(c.m.Formulas, f)
	} else {
		p := &model.Property{Name: n.name, Kind: model.Branching, Params: c.params, Tree: &model.Tree{Formula: c.tree(n.body)}}
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

// tree checks part of a formula in computation tree logic; the result is not nil.
func (c *checker) tree(e expr) *ctl.Formula {
	if e, ok := e.(*unaryExpr); ok && e.op == "!" {
		return ctl.No(c.tree(e.x))
	}
	if !isTemporal(e) {
		switch n, value := c.atom(e); {
		case n >= 0:
			return ctl.Of(n)
		case value:
			return ctl.Yes
		}
		return ctl.No(ctl.Yes)
	}
	switch e := e.(type) {
	case *unaryExpr:
		if treeWords[e.op] {
			return ctl.Prefix(string(e.op), c.tree(e.x))
		}
	case *pathsExpr:
		return ctl.Paths(e.all, e.op, c.tree(e.x), c.tree(e.y))
	case *binaryExpr:
		x := c.tree(e.first)
		for _, o := range e.rest {
			y := c.tree(o.x)
			switch o.op {
			case "->":
				x = ctl.Implies(x, y)
			case "&", "&&":
				x = ctl.Two(ctl.And, x, y)
			case "|", "||":
				x = ctl.Or(x, y)
			case "=":
				x = ctl.Iff(x, y)
			case "!=":
				x = ctl.No(ctl.Iff(x, y))
			default:
				c.errorf(o.pos, "an operand of this operator has temporal operators")
				return x
			}
		}
		return x
	}
	c.misplaced(e)
	return ctl.Yes
}

// misplaced reports temporal operators where none are expected.
func (c *checker) misplaced(e expr) {
	if q, ok := e.(*quantExpr); ok {
		c.errorf(q.pos, "temporal operators stand outside of quantifiers, unless these begin the formula")
		return
	}
	c.errorf(e.position(), "temporal operators are not expected here")
}

// temporal checks part of a formula in linear temporal logic; the result is not nil.
func (c *checker) temporal(e expr) *ltl.Formula {
	if !isTemporal(e) {
		if n, value := c.atom(e); n >= 0 {
			return ltl.Of(n)
		} else if !value {
			return ltl.No
		}
		return ltl.Yes
	}
	switch e := e.(type) {
	case *unaryExpr:
		x := c.temporal(e.x)
		switch e.op {
		case "!":
			return ltl.One(ltl.Not, x)
		case "X":
			return ltl.One(ltl.Next, x)
		case "F":
			return ltl.Finally(x)
		case "G":
			return ltl.Globally(x)
		}
	case *binaryExpr:
		x := c.temporal(e.first)
		for _, o := range e.rest {
			y := c.temporal(o.x)
			switch o.op {
			case "U":
				x = ltl.Two(ltl.Until, x, y)
			case "R":
				x = ltl.Two(ltl.Release, x, y)
			case "W":
				x = ltl.Weak(x, y)
			case "->":
				x = ltl.Implies(x, y)
			case "&", "&&":
				x = ltl.Two(ltl.And, x, y)
			case "|", "||":
				x = ltl.Two(ltl.Or, x, y)
			case "=":
				x = ltl.Iff(x, y)
			case "!=":
				x = ltl.One(ltl.Not, ltl.Iff(x, y))
			default:
				c.errorf(o.pos, "an operand of this operator has temporal operators")
				return x
			}
		}
		return x
	}
	c.misplaced(e)
	return ltl.Yes
}

// fairRules adds the rules that are to be fair.
func (c *checker) fairRules() {
	if len(c.opt.Formulas) == 0 {
		return
	}
	c.m.Deadlock = model.Stuck
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
