// Rules, rulesets and properties. Rulesets are flattened: every rule carries
// the parameters of all rulesets around it. Rules of one ruleset share the slice.
// A choose is a ruleset over the slots of a multiset whose rules are enabled only
// if there is an element in the slot; that is tested before anything inside it.

package murphi

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/model"
)

// wrap is what stands around rules besides rulesets: a name for x, or a choose
// over the slots of a multiset if slot is not nil.
type wrap struct {
	alias
	slot *model.IndexSel
}

func (c *checker) rule(n node) {
	switch n := n.(type) {
	case *rulesetNode:
		c.ruleset(n)
	case *chooseNode:
		c.choose(n)
	case *distributionNode:
		c.distribution(n)
	case *aliasNode:
		c.aliasRules(n)
	case *ruleNode:
		c.simpleRule(n)
	case *propNode:
		c.property(n)
	}
}

// pureTyped checks a boolean expression that may be evaluated at any time and so
// must not change the state.
func (c *checker) pureTyped(e expr, what string) model.Expr {
	outer := c.pure
	c.pure = what
	x := c.typed(e, model.BoolType, what)
	c.pure = outer
	return x
}

var propertyKinds = map[kind]struct {
	kind model.PropertyKind
	what string
}{
	"invariant": {model.Invariant, "the invariant"},
	"assume":    {model.Assumption, "the assumption"},
	"cover":     {model.Cover, "the cover property"},
	"liveness":  {model.Liveness, "the liveness property"},
	"fairness":  {model.Liveness, "the fairness constraint"},
}

func (c *checker) property(n *propNode) {
	k := propertyKinds[n.word]
	x := c.pureTyped(n.cond, k.what)
	if x == nil || !c.repeat(n.pos) {
		return
	}
	op := model.Implies
	if n.word == "cover" {
		op = model.And
	}
	for _, w := range slices.Backward(c.around) {
		switch {
		case w.slot == nil:
			x = inLets([]alias{w.alias}, x)
		case n.word == "liveness":
			c.errorf(n.pos, "a liveness property cannot stand in a choose")
			return
		default:
			x = &model.Binary{Op: op, X: &model.Present{X: w.slot, Pos: w.pos}, Y: x, Pos: n.pos}
		}
	}
	p := &model.Property{Name: n.name, Kind: k.kind, Params: c.params, Expr: x, Pos: n.pos}
	if n.word == "assume" {
		c.m.Assumptions = append(c.m.Assumptions, p)
	} else {
		if n.word == "fairness" {
			c.m.Fair.Often = append(c.m.Fair.Often, p)
		}
		c.m.Props = append(c.m.Props, p)
	}
}

// choose checks the rules in a choose.
func (c *checker) choose(n *chooseNode) {
	outer := c.pure
	c.pure = "a choose"
	set := c.multiset(c.designator(n.set), n.set.base.pos)
	c.pure = outer
	if set != nil && !model.Designator(set) {
		c.errorf(n.set.base.pos, "choose needs a variable")
		set = nil
	}
	c.open()
	defer c.close()
	params, around := c.params, c.around
	if set == nil {
		c.declare(n.name, &symbol{})
	} else {
		at := c.slot(n.name, set)
		v := at.Index.(*model.Ref).Var
		c.params = append(slices.Clip(params), &model.Param{Var: v, Domain: model.Domain{Type: v.Type}})
		c.around = append(slices.Clip(around), wrap{alias: alias{pos: n.pos}, slot: at})
	}
	for _, r := range n.rules {
		c.rule(r)
	}
	c.params, c.around = params, around
}

// aliasRules checks the rules in an alias.
func (c *checker) aliasRules(n *aliasNode) {
	around := c.around
	for _, b := range n.binds {
		c.open()
		defer c.close()
		outer := c.pure
		c.pure = "an alias around rules"
		as, _ := c.aliases([]binding{b})
		c.pure = outer
		for _, a := range as {
			c.around = append(slices.Clip(c.around), wrap{alias: a})
		}
	}
	for _, r := range n.rules {
		c.rule(r)
	}
	c.around = around
}

func (c *checker) ruleset(n *rulesetNode) {
	c.open()
	outer := c.params
	c.params = slices.Clone(outer)
	for _, q := range n.quants {
		if b := c.quantifier(q, true); b != nil {
			c.params = append(c.params, b.Param)
		}
	}
	c.params = slices.Clip(c.params)
	for _, r := range n.rules {
		c.rule(r)
	}
	c.params = outer
	c.close()
}

// guardText is what messages call a guard.
const guardText = "the guard"

// guard checks a guard, which may be a probability. Under Rumur it may be a number, which is true unless 0.
func (c *checker) guard(e expr) (x model.Expr, probable bool) {
	outer := c.pure
	c.pure = guardText
	x = c.expr(e)
	c.pure = outer
	switch {
	case x == nil:
		return nil, false
	case isReal(x.Type()):
		return c.likelyGuard(c.float(x)), true
	case x.Type().Numeric() && c.opt.Dialect == model.Rumur:
		return c.binary(model.Ne, x, &model.ConstExpr{T: model.IntType, Pos: e.position()}, e.position()), false
	case !c.isType(x, model.BoolType, e.position(), guardText):
		return nil, false
	}
	return x, false
}

func (c *checker) simpleRule(n *ruleNode) {
	r := &model.Rule{Name: n.name, Params: c.params, Pos: n.pos}
	if !c.repeat(n.pos) {
		return
	}
	c.open()
	state := c.leaves
	c.newBody()
	probable := false
	if n.guard != nil {
		r.Guard, probable = c.guard(n.guard)
	}
	stored := c.weigh(n, r, probable)
	c.open()
	r.Body = append(stored, c.copies(n.written)...)
	c.open()
	for _, d := range n.decls {
		c.decl(d)
	}
	c.inBody = true
	if settles(r.Guard, 0) {
		c.dead++
	}
	r.Body = append(r.Body, c.stmts(n.body)...)
	c.inBody, c.dead = false, 0
	c.close()
	c.close()
	r.Locals = c.locals
	for _, w := range slices.Backward(c.around) {
		if w.slot != nil {
			if n.start {
				c.errorf(n.pos, "a start state cannot stand in a choose")
				break
			}
			r.Guard = c.isThere(w.slot, r.Guard)
			continue
		}
		if r.Guard == nil && !n.start {
			r.Guard = &model.ConstExpr{Value: 1, T: model.BoolType, Pos: n.pos}
		}
		if r.Guard != nil {
			r.Guard = inLets([]alias{w.alias}, r.Guard)
		}
		r.Body = inAliases([]alias{w.alias}, r.Body)
	}
	c.leaves = state
	c.close()
	if n.start {
		r.Index = len(c.m.Starts)
		c.m.Starts = append(c.m.Starts, r)
	} else {
		r.Index = len(c.m.Rules)
		c.m.Rules = append(c.m.Rules, r)
		var prio int64
		if n.priority != nil {
			prio = n.priority.value
		}
		c.priorities = append(c.priorities, prio)
	}
}

// stated is a property that is a statement, and where that holds its index.
type stated struct {
	*model.Property
	at *int
}

// properties puts the declared properties in order, appends those that are not
// declared, and names them all.
func (c *checker) properties() {
	m := c.m
	slices.SortStableFunc(m.Props, func(p, q *model.Property) int { return cmp.Compare(p.Kind, q.Kind) })
	for _, s := range c.stated {
		*s.at = len(m.Props)
		m.Props = append(m.Props, s.Property)
	}
	for _, p := range m.Assumptions {
		p.Name = cmp.Or(p.Name, fmt.Sprintf("assumption@%d", p.Pos.Line))
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
