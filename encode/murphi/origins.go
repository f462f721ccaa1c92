package murphi

import (
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file reads in a model what a variable may owe its value to. A rule that sets Done[n] in a ruleset over n and q has a
// guard; so perhaps in each state in which Done[n] is set, some q satisfies that guard still. Most such invariants
// are false. Those that are not say what messages, votes and decisions rest on.

// maxOrigins is how many rules may set a variable to a value.
const maxOrigins = 4

// Origins returns invariants that may hold: that a variable has a value only if what rules ask for that give it this value
// is true. Each is an expression. First come those about variables of invariants, then those about what these speak of, and
// so on. Names and types are not checked. The error, if any, is an ErrorList.
func Origins(file string, src []byte, d model.Dialect) (all []string, err error) {
	r := &reporter{file: file, src: string(src)}
	items := parseFile(string(src), d, r, false)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	o := &origins{of: make(map[string][]*origin)}
	for _, n := range items {
		o.visit(n, nil)
	}
	for _, key := range o.near() {
		if list := o.of[key]; len(list) <= maxOrigins {
			for _, text := range together(list) {
				all = lists.With(all, text)
			}
		}
	}
	return all, nil
}

// origins are the assignments of rules, by what they assign and to what, in the order of the text.
type origins struct {
	of    map[string][]*origin
	keys  []string
	about strings.Builder // invariants
}

// near returns the keys: first those of variables of invariants, then those of what rules ask for to set these, and so on.
func (o *origins) near() (out []string) {
	text := o.about.String()
	for more := true; more; {
		more = false
		for _, key := range o.keys {
			if list := o.of[key]; !slices.Contains(out, key) && mentions(text, list[0].base) {
				more, out = true, append(out, key)
				for _, x := range list {
					text += " " + strings.Join(x.asks, " ")
				}
			}
		}
	}
	return append(out, lists.Where(o.keys, func(key string) bool { return !slices.Contains(out, key) })...)
}

// origin is an assignment under the guard of a rule.
type origin struct {
	base  string // the variable of the place
	place string
	value string
	at    []*quantifier // parameters that are indices or the value, in this order
	some  []*quantifier // the other parameters
	asks  []string      // parts of the guard, and what else the rule sets, that may hold afterwards
}

// visit looks at the rules in a node.
func (o *origins) visit(n node, params []*quantifier) {
	switch n := n.(type) {
	case *rulesetNode:
		for _, k := range n.rules {
			o.visit(k, slices.Concat(params, n.quants))
		}
	case *propNode:
		o.about.WriteString(exprText(n.cond) + " ")
	case *ruleNode:
		if n.start || n.guard == nil || slices.ContainsFunc(params, func(q *quantifier) bool { _, ok := q.typ.(*nameType); return !ok }) {
			return
		}
		var sets []*assignStmt
		for _, s := range n.body {
			if a, ok := s.(*assignStmt); ok {
				sets = append(sets, a)
			}
		}
		for _, a := range sets {
			asks := asked(n.guard, a, sets)
			for _, b := range sets { // a parameter that is kept somewhere else need not be looked for
				name := exprText(b.rhs)
				is := slices.ContainsFunc(params, func(q *quantifier) bool { return strings.EqualFold(q.name.name, name) })
				if is && b != a && !mentions(exprText(a.lhs)+" "+exprText(a.rhs)+" "+exprText(b.lhs), name) {
					asks = lists.Map(asks, func(e string) string { return replace(e, name, exprText(b.lhs)) })
				}
			}
			o.assigned(a, asks, params)
		}
	}
}

// assigned notes an assignment whose indices are different parameters, and whose value is another one or has no parameter.
func (o *origins) assigned(a *assignStmt, asks []string, params []*quantifier) {
	x := &origin{base: a.lhs.base.name, asks: asks}
	take := func(e expr) bool {
		d, ok := e.(*designator)
		if !ok || d.call || len(d.sels) > 0 {
			return false
		}
		i := slices.IndexFunc(params, func(q *quantifier) bool { return strings.EqualFold(q.name.name, d.base.name) })
		if i < 0 || slices.Contains(x.at, params[i]) {
			return false
		}
		x.at = append(x.at, params[i])
		return true
	}
	key := strings.ToLower(a.lhs.base.name)
	for _, s := range a.lhs.sels {
		switch {
		case s.index == nil:
			key += "." + strings.ToLower(s.field)
		case take(s.index):
			key += "[]"
		default:
			return
		}
	}
	x.place, x.value = exprText(a.lhs), exprText(a.rhs)
	if d, ok := a.rhs.(*designator); take(a.rhs) {
		key += " :="
	} else if _, number := a.rhs.(*numberLit); number || ok && !d.call && len(d.sels) == 0 && !slices.ContainsFunc(params, func(q *quantifier) bool { return strings.EqualFold(q.name.name, d.base.name) }) {
		key += " := " + strings.ToLower(x.value)
	} else {
		return
	}
	for _, q := range params {
		if !slices.Contains(x.at, q) {
			x.some = append(x.some, q)
		}
	}
	if o.of[key] == nil {
		o.keys = append(o.keys, key)
	}
	o.of[key] = append(o.of[key], x)
}

// asked returns the parts of a guard that mention no variable that the rule sets, and what it sets besides a.
func asked(guard expr, a *assignStmt, sets []*assignStmt) (out []string) {
	for _, b := range sets {
		if _, undefined := b.rhs.(*undefinedLit); b != a && !undefined {
			out = append(out, "(!isundefined("+exprText(b.lhs)+") & "+exprText(b.lhs)+" = "+operandText(b.rhs, precUnary)+")")
		}
	}
	for _, e := range conjuncts(guard) {
		text := "(" + exprText(e) + ")"
		if !slices.ContainsFunc(sets, func(b *assignStmt) bool { return mentions(text, b.lhs.base.name) }) {
			out = append(out, text)
		}
	}
	return out
}

// conjuncts returns what a guard is the conjunction of.
func conjuncts(e expr) []expr {
	b, ok := e.(*binaryExpr)
	if !ok || slices.ContainsFunc(b.rest, func(r operand) bool { return r.op != "&" }) {
		return []expr{e}
	}
	out := conjuncts(b.first)
	for _, r := range b.rest {
		out = append(out, conjuncts(r.x)...)
	}
	return out
}

// together writes what some of the rules have asked for: in whole, what is about other parameters than those of the
// place, and, of one rule, each part.
func together(list []*origin) (out []string) {
	x := list[0]
	for _, y := range list[1:] {
		if !slices.EqualFunc(x.at, y.at, func(a, b *quantifier) bool {
			return strings.EqualFold(a.name.name, b.name.name) && typeText(a.typ) == typeText(b.typ)
		}) {
			return nil // parameters of other names
		}
	}
	not := "isundefined(" + x.place + ") | " + x.place + " != " + x.value + " | "
	write := func(asks func(x *origin) []string) {
		var all, any []string
		var some []*quantifier
		for _, x := range list {
			part := asks(x)
			if len(part) == 0 {
				return
			}
			some = lists.Where(x.some, func(q *quantifier) bool {
				return slices.ContainsFunc(part, func(e string) bool { return mentions(e, q.name.name) })
			})
			all = part
			any = append(any, "("+quantified("exists", some, strings.Join(all, " & "))+")")
		}
		out = append(out, quantified("forall", x.at, not+strings.Join(any, " | ")))
		if len(list) == 1 && len(some) > 0 && len(x.at) > 0 { // the same for all: those of the first one
			out = append(out, quantified("exists", some, quantified("forall", x.at, not+strings.Join(all, " & "))))
		}
	}
	write(func(x *origin) []string { return x.asks })
	write(func(x *origin) []string {
		return lists.Where(x.asks, func(e string) bool {
			return slices.ContainsFunc(x.some, func(q *quantifier) bool { return mentions(e, q.name.name) })
		})
	})
	for _, e := range x.asks {
		if len(list) == 1 {
			write(func(*origin) []string { return []string{e} })
		}
	}
	return out
}

// quantified writes quantifiers around a text.
func quantified(word string, over []*quantifier, text string) string {
	for _, q := range slices.Backward(over) {
		text = word + " " + quantifiers([]*quantifier{q}) + " do " + text + " end"
	}
	return text
}

// mentions reports whether a name stands in the text of an expression.
func mentions(text, name string) bool { return replace(text, name, "") != text }

// replace writes something else for a name in the text of an expression.
func replace(text, name, by string) string {
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || '0' <= text[i] && text[i] <= '9' || 'a' <= text[i]|32 && text[i]|32 <= 'z')
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 1
		for word(i) && word(i+n) {
			n++
		}
		if part := text[i : i+n]; strings.EqualFold(part, name) {
			b.WriteString(by)
		} else {
			b.WriteString(part)
		}
		i += n
	}
	return b.String()
}
