package promela

import (
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// Formulas of linear temporal logic. A formula is read as SPIN reads it, negated, and its
// negations are pushed to the conditions. If no release is left, the negation is syntactically co-safe:
// each run that satisfies it has a prefix after which nothing remains to be fulfilled. An
// automaton whose states are sets of formulas still to be fulfilled finds the prefix: it has matched when the
// set is empty. Without the operator "next", reading the last state of a run again
// changes nothing, so a run that ends needs no care.

// formula is a part of a formula. The operators are "cond", which is e, and "!", "&&",
// "||", "U" and "V".
type formula struct {
	op   string
	e    *expr
	x, y *formula
}

// condition is a formula without temporal operators.
func condition(e *expr) *formula { return &formula{op: "cond", e: e} }

// operation applies an operator; of conditions it makes a condition.
func operation(op string, x, y *formula) *formula {
	if x.op == "cond" && (y == nil || y.op == "cond") {
		switch {
		case op == "!":
			return condition(negate(x.e))
		case op == "&&" || op == "||":
			return condition(&expr{op: opBinary, at: x.e.at, text: op, x: x.e, y: y.e})
		}
	}
	return &formula{op, nil, x, y}
}

func (f *formula) String() string {
	switch {
	case f.op == "cond":
		return show(f.e)
	case f.y == nil:
		return "(" + f.op + f.x.String() + ")"
	}
	return "(" + f.x.String() + f.op + f.y.String() + ")"
}

// untilPrec is how tight until and its kin bind.
const untilPrec = 5

// temporal are the operators that bind weaker than conditions, by the way they are written.
var temporal = map[string]struct {
	op   string
	prec int
}{
	"->": {"->", 1}, "implies": {"->", 1}, "<->": {"<->", 1}, "equivalent": {"<->", 1},
	"||": {"||", 2}, "&&": {"&&", 3},
	"U": {"U", untilPrec}, "until": {"U", 5}, "stronguntil": {"U", 5}, "W": {"W", 5}, "weakuntil": {"W", 5}, "V": {"V", 5}, "R": {"V", 5}, "release": {"V", 5},
}

// pair returns the next word, with "<->", "<>" and "[]" put together, and its tokens.
func (p *parser) pair() (text string, n int) {
	at := func(i int) string {
		if t := p.toks[min(p.i+i, len(p.toks)-1)]; t.kind != tStr {
			return t.text
		}
		return "\""
	}
	switch {
	case at(0) == "[" && at(1) == "]", at(0) == "<" && at(1) == ">", at(0) == "<" && at(1) == "->":
		return at(0) + at(1), 2
	}
	return at(0), 1
}

// formula reads a formula whose operators bind tighter than min.
func (p *parser) formula(min int) *formula {
	if p.temps++; p.temps > maxNesting/4 {
		fail(p.peek().at, "nested more than %d deep", maxNesting/4)
	}
	x := p.prefix()
	for {
		text, n := p.pair()
		op := temporal[text]
		if op.prec <= min || len(p.file.opt.Trees) > 0 && op.prec == untilPrec {
			p.temps--
			return x
		}
		for range n {
			p.next()
		}
		y := p.formula(op.prec)
		switch op.op {
		case "->":
			x = operation("||", operation("!", x, nil), y)
		case "<->":
			x = operation("||", operation("&&", x, y), operation("&&", operation("!", x, nil), operation("!", y, nil)))
		case "W":
			x = operation("V", y, operation("||", x, y))
		default:
			x = operation(op.op, x, y)
		}
	}
}

// prefix reads what a formula begins with.
func (p *parser) prefix() *formula {
	t := p.peek()
	text, n := p.pair()
	yes := condition(&expr{op: opConst, at: t.at, val: 1})
	no := condition(&expr{op: opConst, at: t.at})
	skip := func() {
		for range n {
			p.next()
		}
	}
	if len(p.file.opt.Trees) > 0 {
		if x := p.tree(); x != nil {
			return x
		}
	}
	switch text {
	case "[]", "always":
		skip()
		return operation("V", no, p.operand(t, text))
	case "<>", "eventually":
		skip()
		return operation("U", yes, p.operand(t, text))
	case "X", "next":
		fail(t.at, "the operator %s is not supported", text)
	}
	if e := p.condition(2); e != nil {
		return condition(e)
	}
	switch text {
	case "!":
		p.next()
		return operation("!", p.prefix(), nil)
	case "!!":
		p.next()
		return operation("!", operation("!", p.prefix(), nil), nil)
	case "(":
		p.next()
		x := p.formula(0)
		p.expect(")")
		return x
	}
	p.expr(3) // says what is wrong, but of what may not stand behind a condition
	fail(p.peek().at, "expected an operator, found %s", p.peek().show())
	return nil
}

// operand reads what [] or <> is about: as in SPIN they bind tighter than any operator of two operands.
func (p *parser) operand(t token, text string) *formula {
	const unary = 10 // of all operators of two operands, none binds tighter
	if e := p.condition(unary); e != nil {
		return condition(e)
	}
	if e := p.condition(2); e != nil { // where SPIN makes a number of the token
		fail(t.at, "%s binds tighter than %s; write %s %s", text, e.text, text, show(e))
	}
	if p.temps++; p.temps > maxNesting/4 {
		fail(t.at, "nested more than %d deep", maxNesting/4)
	}
	x := p.prefix()
	p.temps--
	return x
}

// condition reads a condition whose operators bind tighter than min, that is not part of a larger one but for
// && and ||; nil, with nothing read, if there is none.
func (p *parser) condition(min int) (e *expr) {
	m, temps, calls := p.mark(), p.temps, len(p.calls)
	failed := attempt(func() { e = p.expr(min) })
	text, _ := p.pair()
	if _, ok := temporal[text]; failed == nil && (ok || text == "}" || text == ")" || len(p.file.opt.Trees) > 0 && (text == "]" || text == "S")) {
		return e
	}
	p.reset(m)
	p.temps, p.calls = temps, p.calls[:calls]
	return nil
}

// pushed returns the formula, or its negation, with negations of conditions only.
func (f *formula) pushed(negated bool) *formula {
	switch {
	case f.op == "cond" && negated:
		return condition(negate(f.e))
	case f.op == "cond":
		return f
	case f.op == "!":
		return f.x.pushed(!negated)
	}
	op := f.op
	if negated {
		op = map[string]string{"&&": "||", "||": "&&", "U": "V", "V": "U"}[op]
	}
	return operation(op, f.x.pushed(negated), f.y.pushed(negated))
}

// has reports whether an operator occurs.
func (f *formula) has(op string) bool {
	return f != nil && (f.op == op || f.x.has(op) || f.y.has(op))
}

func monitorOf(f *formula, at place) *monitor {
	bad := f.pushed(true)
	if bad.has("V") {
		fail(at, "the formula is not of the safety fragment: a violation may be infinite")
	}
	t := &tableau{at: at, m: &monitor{}, sets: map[string]int{}}
	t.state([]*formula{bad})
	for ; len(t.work) > 0; t.work = t.work[1:] {
		t.from = t.sets[key(t.work[0])]
		t.branches = nil
		t.expand(t.work[0], nil, nil)
		for _, b := range t.least() {
			var guard *expr
			for _, g := range b.guard {
				guard = conj(guard, g)
			}
			t.m.states[t.from] = append(t.m.states[t.from], move{guard, t.state(b.next)})
		}
	}
	return t.m
}

// tableau makes the automaton of a co-safe formula.
type tableau struct {
	at       place // of the formula
	m        *monitor
	sets     map[string]int // states, by key
	work     [][]*formula
	from     int
	moves    int
	branches []branch
}

// branch is a way to fulfil a set of formulas: conditions now, formulas in the next state.
type branch struct {
	guard []*expr
	next  []*formula
}

// key names a set of formulas.
func key(set []*formula) string {
	all := lists.Map(set, func(f *formula) string { return f.String() })
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ";")
}

func (t *tableau) state(set []*formula) int {
	if len(set) == 0 {
		return matched
	}
	k := key(set)
	n := lists.Number(t.sets, k)
	if n == len(t.m.states) {
		t.m.states = append(t.m.states, nil)
		t.work = append(t.work, set)
	}
	return n
}

// expand adds the branches of the formulas that are left.
func (t *tableau) expand(todo []*formula, guard []*expr, next []*formula) {
	if len(todo) == 0 {
		if t.moves++; t.moves > maxMoves {
			fail(t.at, "the formula is too large")
		}
		t.branches = append(t.branches, branch{guard, next})
		return
	}
	f, todo := todo[0], slices.Clip(todo[1:])
	switch f.op {
	case "cond":
		if k, ok := constant(f.e); ok {
			if k != 0 {
				t.expand(todo, guard, next)
			}
			return
		}
		if slices.ContainsFunc(guard, func(g *expr) bool { return show(g) == show(negate(f.e)) }) {
			return
		}
		t.expand(todo, append(slices.Clip(guard), f.e), next)
	case "&&":
		t.expand(append(todo, f.x, f.y), guard, next)
	case "||":
		t.expand(append(todo, f.x), guard, next)
		t.expand(append(todo, f.y), guard, next)
	case "U":
		t.expand(append(todo, f.y), guard, next)
		t.expand(append(todo, f.x), guard, append(slices.Clip(next), f))
	}
}

// least returns the branches without those for which another one asks for less.
func (t *tableau) least() []branch {
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
	}
	wants := func(b branch) (guard, next []string) {
		guard = lists.Map(b.guard, show)
		for _, f := range b.next {
			next = append(next, f.String())
		}
		return guard, next
	}
	var all []branch
	for i, b := range t.branches {
		bg, bn := wants(b)
		more := false
		for j, c := range t.branches {
			cg, cn := wants(c)
			if i == j || !within(cg, bg) || !within(cn, bn) {
				continue
			}
			same := within(bg, cg) && within(bn, cn)
			more = more || !same || j < i
		}
		if !more {
			all = append(all, b)
		}
	}
	return all
}
