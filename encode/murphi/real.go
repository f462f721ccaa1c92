// Real numbers. A real number is the probability of a rule instance: the value of its guard, as in CMurphi. States have
// none. So a real expression is made into two expressions of integers, numerator and denominator, before anything is
// checked: 0.2 / n becomes 2 and 10 * n. A function with a real result becomes two functions. The probability is the exact
// value; CMurphi computes with doubles, and rounds results of functions to the digits of their type.
//
// A real constant stands for the number. `-D` sets it.
//
// The guard of the rule becomes numerator != 0, or also denominator = 0: then the division by zero is found where the
// instance is weighed. With Options.Weights, each instance begins with storing both numbers in two variables in front of
// all others. So whoever fires an instance learns its probability, and whatever is shown of the rules of such a model, as
// that they are symmetric, is shown of the probabilities.

package murphi

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// frac is a real number; num is nil of what is none.
type frac struct{ num, den expr }

// reals knows the real types, constants and functions of a file.
type reals struct {
	c      *checker
	types  map[string]bool
	consts map[string]frac
	funcs  map[string]bool
	names  map[string]front.Name // of types and constants: their declarations
}

// declare notes the declaration of a type or constant, and use where its name stands.
func (r *reals) declare(id ident, kind front.Kind, text string) {
	at := front.Place{Pos: id.pos}
	r.names[id.name] = front.Name{Text: id.name, At: at, Decl: at, Kind: kind, About: func() string { return text }, Holds: r.c.holds(nil)}
	r.use(id)
}

func (r *reals) use(id ident) {
	if n := r.names[id.name]; r.c.note != nil {
		n.At.Pos = id.pos
		r.c.note(n)
	}
}

// halves takes out of a message which half of a function with a real result it is about.
var halves = strings.NewReplacer("@num", "", "@den", "")

// literal returns a number as an expression.
func literal(v *big.Int, pos model.Pos) expr {
	return &numberLit{v.Int64(), v.String(), pos}
}

// number returns the value of a number.
func number(e expr) (v *big.Int, ok bool) {
	if k, is := e.(*numberLit); is {
		return big.NewInt(k.value), true
	}
	return nil, false
}

// lower takes the real numbers out of what is declared.
func (r *reals) lower(items []node) (out []node) {
	for _, n := range items {
		switch n := n.(type) {
		case *constDecl:
			if x, ok := r.split(n.value); ok {
				for _, id := range n.names {
					r.declare(id, front.Const, "const "+id.name+" : "+exprText(n.value))
					r.constant(id, x)
				}
				continue
			}
		case *typeDecl:
			if r.real(n.typ) {
				for _, id := range n.names {
					r.declare(id, front.Type, "type "+id.name+" : "+typeText(n.typ))
					r.types[id.name] = true
				}
				continue
			}
		case *procDecl:
			if n.result != nil && r.real(n.result) {
				r.funcs[n.name.name] = true
				out = append(out, r.function(n, "@num", func(f frac) expr { return f.num }), r.function(n, "@den", func(f frac) expr { return f.den }))
				continue
			}
		}
		rules(n, nil, func(_ []node, u *ruleNode) {
			if x, ok := r.split(u.guard); ok && !u.start {
				u.chance = x
				u.guard = &binaryExpr{x.num, []operand{{"!=", u.pos, literal(new(big.Int), u.pos)}}}
				if _, known := number(x.den); !known {
					u.guard = &binaryExpr{u.guard, []operand{{"|", u.pos, &binaryExpr{x.den, []operand{{"=", u.pos, literal(new(big.Int), u.pos)}}}}}}
				}
			}
		})
		out = append(out, n)
	}
	return out
}

// named reports whether a name stands for a real number, a type or function of such.
func (r *reals) named(name string) bool {
	return r.types[name] || r.funcs[name] || r.consts[name].num != nil
}

func (r *reals) real(t typeExpr) bool {
	if n, ok := t.(*nameType); ok {
		if r.types[n.id.name] {
			r.use(n.id)
		}
		return r.types[n.id.name]
	}
	_, ok := t.(*realType)
	return ok
}

// constant declares a real constant.
func (r *reals) constant(id ident, x frac) {
	if text, ok := r.c.opt.Consts[id.name]; ok {
		r.c.overridden[id.name] = true
		v, ok := new(big.Rat).SetString(text)
		if !ok {
			r.c.errorf(id.pos, "constant %s cannot have the value %q: it is a real number", clip(id.name), clip(text))
			return
		}
		x = r.rational(v, id.pos)
	}
	r.consts[id.name] = x
}

// rational returns a number as a real number.
func (r *reals) rational(v *big.Rat, pos model.Pos) frac {
	if !v.Num().IsInt64() || !v.Denom().IsInt64() {
		r.c.errorf(pos, "the numerator or the denominator of this number does not fit in 64 bits")
		v = new(big.Rat)
	}
	return frac{literal(v.Num(), pos), literal(v.Denom(), pos)}
}

// function returns a function that returns part of what d does.
func (r *reals) function(d *procDecl, suffix string, part func(f frac) expr) node {
	f := *d
	f.name.name += suffix
	f.result = &rangeType{literal(big.NewInt(-mostWeight), d.pos), literal(big.NewInt(mostWeight), d.pos), d.pos}
	f.body = r.returns(d.body, part)
	return &f
}

// returns copies statements, with part of each number that is returned.
func (r *reals) returns(list []stmt, part func(f frac) expr) (out []stmt) {
	for _, s := range list {
		switch t := s.(type) {
		case *ifStmt:
			u := ifStmt{els: r.returns(t.els, part), pos: t.pos}
			for _, k := range t.clauses {
				u.clauses = append(u.clauses, ifClause{k.cond, r.returns(k.body, part)})
			}
			s = &u
		case *switchStmt:
			u := switchStmt{x: t.x, els: r.returns(t.els, part), pos: t.pos}
			for _, k := range t.cases {
				u.cases = append(u.cases, switchCase{k.values, r.returns(k.body, part)})
			}
			s = &u
		case *forStmt:
			u := *t
			u.body = r.returns(t.body, part)
			s = &u
		case *whileStmt:
			u := *t
			u.body = r.returns(t.body, part)
			s = &u
		case *aliasStmt:
			u := *t
			u.body = r.returns(t.body, part)
			s = &u
		case *returnStmt:
			x, real := r.split(t.x)
			if !real {
				x = frac{t.x, literal(big.NewInt(1), t.pos)}
			}
			if t.x != nil {
				s = &returnStmt{part(x), t.pos}
			}
		}
		out = append(out, s)
	}
	return out
}

// split makes two expressions of a real one; ok is false if e is none.
func (r *reals) split(e expr) (x frac, ok bool) {
	switch e := e.(type) {
	case *realLit:
		return r.rational(rational(e.text), e.pos), true
	case *designator:
		if len(e.sels) > 0 {
			break
		}
		if k, is := r.consts[e.base.name]; is && !e.call {
			r.use(e.base)
			return k, true
		}
		if r.funcs[e.base.name] && e.call {
			num, den := *e, *e
			num.base.name += "@num"
			den.base.name += "@den"
			return frac{&num, &den}, true
		}
	case *unaryExpr:
		if x, ok = r.split(e.x); ok && e.op == "-" {
			x.num = times(&numberLit{-1, "-1", e.pos}, x.num)
		}
		return x, ok && (e.op == "-" || e.op == "+")
	case *condExpr:
		y, is := r.split(e.then)
		z, too := r.split(e.els)
		if !is && !too {
			break
		}
		if !is {
			y = whole(e.then)
		}
		if !too {
			z = whole(e.els)
		}
		x = frac{&condExpr{e.cond, y.num, z.num, e.pos}, &condExpr{e.cond, y.den, z.den, e.pos}}
		if same(y.den, z.den) {
			x.den = y.den
		}
		return x, true
	case *binaryExpr:
		return r.chain(e)
	}
	return x, false
}

// whole returns an integer as a real number.
func whole(e expr) frac { return frac{e, literal(big.NewInt(1), e.position())} }

// chain splits first op x op x …, from the left: a part of integers alone is one.
func (r *reals) chain(e *binaryExpr) (x frac, real bool) {
	x, real = r.split(e.first)
	before := e.first
	for i, o := range e.rest {
		y, is := r.split(o.x)
		if !is && !real {
			before = &binaryExpr{e.first, e.rest[:i+1]}
			continue
		}
		if !real {
			x = whole(before)
		}
		if !is {
			y = whole(o.x)
		}
		real = true
		switch o.op {
		case "*":
			x = frac{times(x.num, y.num), times(x.den, y.den)}
		case "/":
			if _, known := number(y.den); !known { // a zero there is one of the denominator
				x = frac{times(x.num, y.den), times(x.den, y.den)}
			}
			x = frac{times(x.num, y.den), times(x.den, y.num)}
		case "+", "-":
			if !same(x.den, y.den) {
				x, y = frac{times(x.num, y.den), times(x.den, y.den)}, frac{times(y.num, x.den), nil}
			}
			x.num = &binaryExpr{x.num, []operand{{o.op, o.pos, y.num}}}
		default: // the checker reports it
			return frac{}, false
		}
	}
	return x, real
}

// same reports whether both are the same number, by their text.
func same(x, y expr) bool {
	v, ok := number(x)
	w, too := number(y)
	return ok && too && v.Cmp(w) == 0
}

// times returns a product. One of numbers is a number, if it fits.
func times(x, y expr) expr {
	v, ok := number(x)
	w, too := number(y)
	one := big.NewInt(1)
	switch {
	case ok && v.Cmp(one) == 0:
		return y
	case too && w.Cmp(one) == 0:
		return x
	case ok && too && new(big.Int).Mul(v, w).IsInt64():
		return literal(v.Mul(v, w), x.position())
	}
	return &binaryExpr{x, []operand{{"*", x.position(), y}}}
}

// mostWeight is the largest numerator and denominator.
const mostWeight = 1<<62 - 1

// ghosts declares the variables of Options.Weights.
func (c *checker) ghosts() {
	pos := model.Pos{Line: 1, Col: 1}
	for i := range c.weights {
		c.decl(&varDecl{[]ident{{"chance@" + strconv.Itoa(i), pos}}, &rangeType{literal(big.NewInt(-mostWeight), pos), literal(big.NewInt(mostWeight), pos), pos}})
		c.weights[i] = c.m.Vars[i]
	}
}

// weigh checks what makes a rule probabilistic. It returns the statements that store the probability.
func (c *checker) weigh(n *ruleNode, r *model.Rule) (list []model.Stmt) {
	if n.chance.num == nil {
		if !n.start && c.drawn != nil {
			c.errorf(n.pos, "a rule in a distribution has a real number as its guard")
		}
		return nil
	}
	if n.priority != nil {
		c.errorf(n.pos, "a probabilistic rule has no priority")
	}
	for _, w := range c.around {
		if w.slot != nil {
			c.errorf(n.pos, "a probabilistic rule cannot stand in a choose")
		}
	}
	if r.Draw = c.drawn; r.Draw == nil {
		r.Draw = &model.Draw{Stored: c.opt.Weights}
	}
	for i, e := range []expr{n.chance.num, n.chance.den} {
		outer := c.pure
		c.pure = guardText
		x := c.typed(e, model.IntType, fmt.Sprint("part of ", guardText))
		if c.pure = outer; x != nil && c.opt.Weights {
			list = append(list, &model.Assign{LHS: &model.Ref{Var: c.weights[i], Pos: n.pos}, RHS: x, Pos: n.pos})
		}
	}
	return list
}

// distribution checks the rules in a distribution.
func (c *checker) distribution(n *distributionNode) {
	if c.drawn != nil {
		c.errorf(n.pos, "a distribution cannot stand in another one")
	}
	c.draws++
	c.drawn = &model.Draw{Group: c.draws, Params: len(c.params), Stored: c.opt.Weights}
	for _, k := range n.rules {
		c.rule(k)
	}
	c.drawn = nil
}
