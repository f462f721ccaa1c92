package benchmarks_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// This file makes random models that are symmetric by construction: rows of
// per-node state, pointers and relations over one or two scalarsets, rules for
// one or two nodes, and loops and quantifiers whose order plays no part. The
// models of package murphitest seldom have much of a group left.

// symgen is the state of one generation.
type symgen struct {
	rng     *rand.Rand
	dialect model.Dialect
	text    strings.Builder
	sets    []string // names of the scalarsets
	sizes   []int
	vars    []symvar
	serial  int
}

// symvar is a state variable: a value of an enum, a boolean, a counter or a
// pointer, for each combination of values of the scalarsets in index.
type symvar struct {
	name  string
	kind  byte  // 'e' enum of three, 'b' boolean, 'n' 0..3, 'p' pointer into set to
	to    int   // of a pointer
	index []int // scalarsets
}

// symmetric returns the source of a random symmetric model whose variables have
// at most 2^size valuations. Probe adds a rule
// that changes nothing, with an assertion about the first node, in loop order,
// of which something holds: the system stays symmetric, that property does not.
// The last invariants say that nodes never stand to each other as they do in
// some state that takes many steps to reach.
func symmetric(rng *rand.Rand, dialect model.Dialect, size int, probe bool) string {
	g := &symgen{rng: rng, dialect: dialect}
	g.line("type")
	for k := range 1 + rng.IntN(3)/2 {
		name := string(rune('A' + k))
		g.sets, g.sizes = append(g.sets, name), append(g.sizes, 2+rng.IntN(3))
		g.line("  %s: scalarset(%d);", name, g.sizes[k])
	}
	g.line("  E: enum {e0, e1, e2};")
	g.line("var")
	bits := 0.0 // logarithm of the number of valuations
	for tries := 0; tries < 8; tries++ {
		v := symvar{name: fmt.Sprintf("v%d", tries), kind: "eebnpp"[rng.IntN(6)], to: rng.IntN(len(g.sets))}
		for n := (1 + rng.IntN(5)) / 2; n > 0; n-- {
			v.index = append(v.index, rng.IntN(len(g.sets)))
		}
		values, typ := 0, ""
		switch v.kind {
		case 'e':
			values, typ = 3, "E"
		case 'b':
			values, typ = 2, "boolean"
		case 'n':
			values, typ = 4, "0..3"
		case 'p':
			values, typ = g.sizes[v.to]+1, g.sets[v.to]
		}
		b := math.Log2(float64(values))
		for i := len(v.index) - 1; i >= 0; i-- {
			b *= float64(g.sizes[v.index[i]])
			typ = "array [" + g.sets[v.index[i]] + "] of " + typ
		}
		if bits+b <= float64(size) {
			bits += b
			g.vars = append(g.vars, v)
			g.line("  %s: %s;", v.name, typ)
		}
	}
	if len(g.vars) == 0 {
		g.vars = append(g.vars, symvar{name: "v", kind: 'b', index: []int{0}})
		g.line("  v: array [A] of boolean;")
	}
	for n := 1 + rng.IntN(2); n > 0; n-- {
		g.start()
	}
	for n := 2 + rng.IntN(4); n > 0; n-- {
		g.rule()
	}
	for n := 1 + rng.IntN(2); n > 0; n-- {
		g.invariant()
	}
	if probe {
		g.probe()
	}
	m, err := murphi.Parse("random.m", []byte(g.text.String()), murphi.Options{Dialect: dialect, Deadlock: model.DeadlockOff})
	if err != nil {
		panic(err)
	}
	o := search(m, limit)
	for range 2 {
		g.never(o)
	}
	return g.text.String()
}

// never prints the claim that no nodes stand to each other as some do in a state
// far from the start.
func (g *symgen) never(o *truth) {
	if len(o.states) == 0 {
		return
	}
	s := o.states[len(o.states)-1-g.rng.IntN((len(o.states)+1)/2)]
	// At most four nodes take part.
	var scope []node
	used := make(map[string]bool)
	for range 1 + g.rng.IntN(4) {
		set := g.rng.IntN(len(g.sets))
		if n := (node{fmt.Sprintf("%s_%d", g.sets[set], 1+g.rng.IntN(g.sizes[set])), set}); !used[n.name] {
			used[n.name] = true
			scope = append(scope, n)
		}
	}
	var atoms []string
	for i, a := range scope {
		for _, b := range scope[:i] {
			if a.set == b.set {
				atoms = append(atoms, fmt.Sprintf("(%s != %s)", "x"+a.name, "x"+b.name))
			}
		}
	}
	for i, l := range o.m.AllLeaves() {
		name, ok := l.Var.Name, !g.chance(0.2)
		for _, d := range l.Indices {
			row := d.Type.Format(d.Value)
			name += "[x" + row + "]"
			ok = ok && used[row]
		}
		value := l.Type.Format(s[i])
		switch {
		case !ok:
		case s[i] == model.Undef:
			atoms = append(atoms, "(isundefined("+name+"))")
		case l.Type.Kind != model.Scalarset:
			atoms = append(atoms, fmt.Sprintf("(%s = %s)", name, value))
		case used[value]:
			atoms = append(atoms, fmt.Sprintf("((!isundefined(%s)) & (%s = x%s))", name, name, value))
		}
	}
	if len(atoms) == 0 {
		return
	}
	head, tail := "", ""
	for _, n := range scope {
		head += fmt.Sprintf("(exists x%s: %s do ", n.name, g.sets[n.set])
		tail += " endexists)"
	}
	g.line("invariant %q (!%s%s%s);", g.name("never "), head, "("+strings.Join(atoms, " & ")+")", tail)
}

func (g *symgen) line(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

func (g *symgen) chance(p float64) bool { return g.rng.Float64() < p }

func (g *symgen) name(prefix string) string {
	g.serial++
	return fmt.Sprintf("%s%d", prefix, g.serial)
}

// node is a bound variable of a scalarset.
type node struct {
	name string
	set  int
}

// start prints a start state: all nodes alike, pointers undefined or all to
// the node of a ruleset.
func (g *symgen) start() {
	scope := []node{}
	if g.chance(0.5) {
		scope = append(scope, node{g.name("s"), g.rng.IntN(len(g.sets))})
	}
	g.ruleset(scope, func() {
		g.line("startstate")
		for _, v := range g.vars {
			g.loops(v, nil, func(spelled string, _ []node) {
				switch v.kind {
				case 'p':
					if len(scope) > 0 && scope[0].set == v.to && g.chance(0.7) {
						g.line("%s := %s;", spelled, scope[0].name)
					} else {
						g.line("undefine %s;", spelled)
					}
				default:
					g.line("%s := %s;", spelled, g.constant(v))
				}
			})
		}
		if len(scope) > 0 && g.chance(0.5) {
			g.action(scope)
		}
		g.line("endstartstate;")
	})
}

// loops prints loops over the indices of v around what f prints.
func (g *symgen) loops(v symvar, scope []node, f func(spelled string, scope []node)) {
	spelled := v.name
	for _, set := range v.index {
		n := node{g.name("i"), set}
		scope = append(scope[:len(scope):len(scope)], n)
		spelled += "[" + n.name + "]"
		g.line("for %s: %s do", n.name, g.sets[set])
	}
	f(spelled, scope)
	for range v.index {
		g.line("endfor;")
	}
}

func (g *symgen) ruleset(scope []node, f func()) {
	for _, n := range scope {
		g.line("ruleset %s: %s do", n.name, g.sets[n.set])
	}
	f()
	for range scope {
		g.line("endruleset;")
	}
}

func (g *symgen) constant(v symvar) string {
	switch v.kind {
	case 'e':
		return fmt.Sprintf("e%d", g.rng.IntN(3))
	case 'b':
		return fmt.Sprint(g.chance(0.5))
	}
	return fmt.Sprint(g.rng.IntN(2))
}

// spell fills the indices of v with nodes in scope.
func (g *symgen) spell(v symvar, scope []node) (s string, ok bool) {
	s = v.name
	for _, set := range v.index {
		n, ok := g.pick(scope, set)
		if !ok {
			return "", false
		}
		s += "[" + n + "]"
	}
	return s, true
}

func (g *symgen) pick(scope []node, set int) (name string, ok bool) {
	var names []string
	for _, n := range scope {
		if n.set == set {
			names = append(names, n.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[g.rng.IntN(len(names))], true
}

// atom returns a condition on nodes in scope, which does not err.
func (g *symgen) atom(scope []node) string {
	for range 20 {
		v := g.vars[g.rng.IntN(len(g.vars))]
		s, ok := g.spell(v, scope)
		if !ok {
			continue
		}
		switch v.kind {
		case 'e':
			return fmt.Sprintf("(%s %s e%d)", s, []string{"=", "!="}[g.rng.IntN(2)], g.rng.IntN(3))
		case 'b':
			return []string{"(!" + s + ")", "(" + s + ")"}[g.rng.IntN(2)]
		case 'n':
			return fmt.Sprintf("(%s %s %d)", s, []string{"<", "=", "!="}[g.rng.IntN(3)], 1+g.rng.IntN(3))
		}
		n, ok := g.pick(scope, v.to)
		switch {
		case !ok || g.chance(0.3):
			return []string{"(!isundefined(" + s + "))", "(isundefined(" + s + "))"}[g.rng.IntN(2)]
		case g.dialect == model.CMurphi && g.chance(0.5):
			return fmt.Sprintf("(%s %s %s)", s, []string{"=", "!="}[g.rng.IntN(2)], n)
		}
		return fmt.Sprintf("((!isundefined(%s)) & (%s = %s))", s, s, n)
	}
	return "(true)"
}

// cond returns a condition, with quantifiers over further nodes now and then.
func (g *symgen) cond(scope []node, depth int) string {
	if depth > 0 {
		switch g.rng.IntN(6) {
		case 0, 1:
			return "(" + g.cond(scope, depth-1) + " & " + g.cond(scope, depth-1) + ")"
		case 2:
			return "(" + g.cond(scope, depth-1) + " | " + g.cond(scope, depth-1) + ")"
		case 3:
			n := node{g.name("q"), g.rng.IntN(len(g.sets))}
			q := []string{"forall", "exists"}[g.rng.IntN(2)]
			return fmt.Sprintf("(%s %s: %s do %s end%s)", q, n.name, g.sets[n.set], g.cond(append(scope[:len(scope):len(scope)], n), depth-1), q)
		}
	}
	return g.atom(scope)
}

// action prints a statement about nodes in scope.
func (g *symgen) action(scope []node) {
	if g.chance(0.15) {
		g.line("if %s then", g.cond(scope, 1))
		g.action(scope)
		if g.chance(0.5) {
			g.line("else")
			g.action(scope)
		}
		g.line("endif;")
		return
	}
	for range 20 {
		v := g.vars[g.rng.IntN(len(g.vars))]
		s, ok := g.spell(v, scope)
		if g.chance(0.1) && v.kind != 'p' { // everybody's
			g.loops(v, scope, func(s string, inner []node) {
				if g.chance(0.4) {
					g.line("if %s then", g.atomOf(inner, v))
					g.line("%s := %s;", s, g.constant(v))
					g.line("endif;")
				} else {
					g.line("%s := %s;", s, g.constant(v))
				}
			})
			return
		}
		if !ok {
			continue
		}
		switch v.kind {
		case 'b':
			g.line("%s := %s;", s, []string{"true", "false", "(!" + s + ")"}[g.rng.IntN(3)])
		case 'e':
			g.line("%s := %s;", s, g.constant(v))
		case 'n':
			switch {
			case g.chance(0.08): // overflows
				g.line("%s := (%s + 1);", s, s)
			case g.chance(0.7):
				g.line("%s := ((%s < 3) ? (%s + 1) : 0);", s, s, s)
			default:
				g.line("%s := %s;", s, g.constant(v))
			}
		case 'p':
			if n, ok := g.pick(scope, v.to); ok && g.chance(0.8) {
				g.line("%s := %s;", s, n)
			} else {
				g.line("undefine %s;", s)
			}
		}
		return
	}
	g.line("put \"nothing\";")
}

// atomOf returns a condition on v alone, so that a loop that assigns to it in
// one element after the other is free of order.
func (g *symgen) atomOf(scope []node, v symvar) string {
	s := v.name
	for _, n := range scope[len(scope)-len(v.index):] {
		s += "[" + n.name + "]"
	}
	if v.kind == 'b' {
		return "(" + s + ")"
	}
	return fmt.Sprintf("(%s = %s)", s, g.constant(v))
}

func (g *symgen) rule() {
	var scope []node
	for range 1 + g.rng.IntN(3)/2 {
		scope = append(scope, node{g.name("r"), g.rng.IntN(len(g.sets))})
	}
	g.ruleset(scope, func() {
		g.line("rule %q (%s & %s) ==>", g.name("rule "), g.cond(scope, 2), g.division(scope))
		g.line("begin")
		for n := 1 + g.rng.IntN(3); n > 0; n-- {
			g.action(scope)
		}
		if g.chance(0.15) {
			g.line("assert %s %q;", g.cond(scope, 2), g.name("assert "))
		}
		g.line("endrule;")
	})
}

// division returns a condition that now and then divides by zero.
func (g *symgen) division(scope []node) string {
	for _, v := range g.vars {
		if s, ok := g.spell(v, scope); ok && v.kind == 'n' && g.chance(0.3) {
			return fmt.Sprintf("((3 / %s) > 0)", s)
		}
	}
	return g.atom(scope)
}

// invariant prints the claim that no nodes stand in some random relation.
func (g *symgen) invariant() {
	var scope []node
	head, tail := "", ""
	for range 1 + g.rng.IntN(3) {
		n := node{g.name("n"), g.rng.IntN(len(g.sets))}
		scope = append(scope, n)
		head += fmt.Sprintf("(exists %s: %s do ", n.name, g.sets[n.set])
		tail += " endexists)"
	}
	var atoms []string
	for i, a := range scope {
		for _, b := range scope[:i] {
			if a.set == b.set {
				atoms = append(atoms, fmt.Sprintf("(%s != %s)", a.name, b.name))
			}
		}
	}
	for range 2 + g.rng.IntN(3) {
		atoms = append(atoms, g.atom(scope))
	}
	g.line("invariant %q (!%s%s%s);", g.name("inv "), head, "("+strings.Join(atoms, " & ")+")", tail)
}

func (g *symgen) probe() {
	n := node{g.name("k"), g.rng.IntN(len(g.sets))}
	set := g.sets[n.set]
	g.line("rule \"probe\"")
	g.line("var")
	g.line("first: %s;", set)
	g.line("begin")
	g.line("for %s: %s do", n.name, set)
	g.line("if (isundefined(first) & %s) then", g.atom([]node{n}))
	g.line("first := %s;", n.name)
	g.line("endif;")
	g.line("endfor;")
	g.line("if (!isundefined(first)) then")
	g.line("assert (!(%s & %s)) \"probe\";", g.atom([]node{{"first", n.set}}), g.atom([]node{{"first", n.set}}))
	g.line("endif;")
	g.line("endrule;")
}
