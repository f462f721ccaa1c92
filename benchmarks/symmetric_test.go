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
func (sy *symgen) never(o *truth) {
	if len(o.states) == 0 {
		return
	}
	s := o.states[len(o.states)-1-sy.rng.IntN((len(o.states)+1)/2)]
	// At most four nodes take part.
	var scope []node
	used := make(map[string]bool)
	for range 1 + sy.rng.IntN(4) {
		set := sy.rng.IntN(len(sy.sets))
		if n := (node{fmt.Sprintf("%s_%d", sy.sets[set], 1+sy.rng.IntN(sy.sizes[set])), set}); !used[n.name] {
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
		name, ok := l.Var.Name, !sy.chance(0.2)
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
		head += fmt.Sprintf("(exists x%s: %s do ", n.name, sy.sets[n.set])
		tail += " endexists)"
	}
	sy.line("invariant %q (!%s%s%s);", sy.name("never "), head, "("+strings.Join(atoms, " & ")+")", tail)
}

func (sy *symgen) line(format string, args ...any) { fmt.Fprintf(&sy.text, format+"\n", args...) }

func (sy *symgen) chance(p float64) bool { return sy.rng.Float64() < p }

func (sy *symgen) name(prefix string) string {
	sy.serial++
	return fmt.Sprintf("%s%d", prefix, sy.serial)
}

// node is a bound variable of a scalarset.
type node struct {
	name string
	set  int
}

// start prints a start state: all nodes alike, pointers undefined or all to
// the node of a ruleset.
func (sy *symgen) start() {
	scope := []node{}
	if sy.chance(0.5) {
		scope = append(scope, node{sy.name("s"), sy.rng.IntN(len(sy.sets))})
	}
	sy.ruleset(scope, func() {
		sy.line("startstate")
		for _, v := range sy.vars {
			sy.loops(v, nil, func(spelled string, _ []node) {
				switch v.kind {
				case 'p':
					if len(scope) > 0 && scope[0].set == v.to && sy.chance(0.7) {
						sy.line("%s := %s;", spelled, scope[0].name)
					} else {
						sy.line("undefine %s;", spelled)
					}
				default:
					sy.line("%s := %s;", spelled, sy.constant(v))
				}
			})
		}
		if len(scope) > 0 && sy.chance(0.5) {
			sy.action(scope)
		}
		sy.line("endstartstate;")
	})
}

// loops prints loops over the indices of v around what f prints.
func (sy *symgen) loops(v symvar, scope []node, f func(spelled string, scope []node)) {
	spelled := v.name
	for _, set := range v.index {
		n := node{sy.name("i"), set}
		scope = append(scope[:len(scope):len(scope)], n)
		spelled += "[" + n.name + "]"
		sy.line("for %s: %s do", n.name, sy.sets[set])
	}
	f(spelled, scope)
	for range v.index {
		sy.line("endfor;")
	}
}

func (sy *symgen) ruleset(scope []node, f func()) {
	for _, n := range scope {
		sy.line("ruleset %s: %s do", n.name, sy.sets[n.set])
	}
	f()
	for range scope {
		sy.line("endruleset;")
	}
}

func (sy *symgen) constant(v symvar) string {
	switch v.kind {
	case 'e':
		return fmt.Sprintf("e%d", sy.rng.IntN(3))
	case 'b':
		return fmt.Sprint(sy.chance(0.5))
	}
	return fmt.Sprint(sy.rng.IntN(2))
}

// spell fills the indices of v with nodes in scope.
func (sy *symgen) spell(v symvar, scope []node) (s string, ok bool) {
	s = v.name
	for _, set := range v.index {
		n, ok := sy.pick(scope, set)
		if !ok {
			return "", false
		}
		s += "[" + n + "]"
	}
	return s, true
}

func (sy *symgen) pick(scope []node, set int) (name string, ok bool) {
	var names []string
	for _, n := range scope {
		if n.set == set {
			names = append(names, n.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[sy.rng.IntN(len(names))], true
}

// atom returns a condition on nodes in scope, which does not err.
func (sy *symgen) atom(scope []node) string {
	for range 20 {
		v := sy.vars[sy.rng.IntN(len(sy.vars))]
		s, ok := sy.spell(v, scope)
		if !ok {
			continue
		}
		switch v.kind {
		case 'e':
			return fmt.Sprintf("(%s %s e%d)", s, []string{"=", "!="}[sy.rng.IntN(2)], sy.rng.IntN(3))
		case 'b':
			return []string{"(!" + s + ")", "(" + s + ")"}[sy.rng.IntN(2)]
		case 'n':
			return fmt.Sprintf("(%s %s %d)", s, []string{"<", "=", "!="}[sy.rng.IntN(3)], 1+sy.rng.IntN(3))
		}
		n, ok := sy.pick(scope, v.to)
		switch {
		case !ok || sy.chance(0.3):
			return []string{"(!isundefined(" + s + "))", "(isundefined(" + s + "))"}[sy.rng.IntN(2)]
		case sy.dialect == model.CMurphi && sy.chance(0.5):
			return fmt.Sprintf("(%s %s %s)", s, []string{"=", "!="}[sy.rng.IntN(2)], n)
		}
		return fmt.Sprintf("((!isundefined(%s)) & (%s = %s))", s, s, n)
	}
	return "(true)"
}

// cond returns a condition, with quantifiers over further nodes now and then.
func (sy *symgen) cond(scope []node, depth int) string {
	if depth > 0 {
		switch sy.rng.IntN(6) {
		case 0, 1:
			return "(" + sy.cond(scope, depth-1) + " & " + sy.cond(scope, depth-1) + ")"
		case 2:
			return "(" + sy.cond(scope, depth-1) + " | " + sy.cond(scope, depth-1) + ")"
		case 3:
			n := node{sy.name("q"), sy.rng.IntN(len(sy.sets))}
			q := []string{"forall", "exists"}[sy.rng.IntN(2)]
			return fmt.Sprintf("(%s %s: %s do %s end%s)", q, n.name, sy.sets[n.set], sy.cond(append(scope[:len(scope):len(scope)], n), depth-1), q)
		}
	}
	return sy.atom(scope)
}

// action prints a statement about nodes in scope.
func (sy *symgen) action(scope []node) {
	if sy.chance(0.15) {
		sy.line("if %s then", sy.cond(scope, 1))
		sy.action(scope)
		if sy.chance(0.5) {
			sy.line("else")
			sy.action(scope)
		}
		sy.line("endif;")
		return
	}
	for range 20 {
		v := sy.vars[sy.rng.IntN(len(sy.vars))]
		s, ok := sy.spell(v, scope)
		if sy.chance(0.1) && v.kind != 'p' { // everybody's
			sy.loops(v, scope, func(s string, inner []node) {
				if sy.chance(0.4) {
					sy.line("if %s then", sy.atomOf(inner, v))
					sy.line("%s := %s;", s, sy.constant(v))
					sy.line("endif;")
				} else {
					sy.line("%s := %s;", s, sy.constant(v))
				}
			})
			return
		}
		if !ok {
			continue
		}
		switch v.kind {
		case 'b':
			sy.line("%s := %s;", s, []string{"true", "false", "(!" + s + ")"}[sy.rng.IntN(3)])
		case 'e':
			sy.line("%s := %s;", s, sy.constant(v))
		case 'n':
			switch {
			case sy.chance(0.08): // overflows
				sy.line("%s := (%s + 1);", s, s)
			case sy.chance(0.7):
				sy.line("%s := ((%s < 3) ? (%s + 1) : 0);", s, s, s)
			default:
				sy.line("%s := %s;", s, sy.constant(v))
			}
		case 'p':
			if n, ok := sy.pick(scope, v.to); ok && sy.chance(0.8) {
				sy.line("%s := %s;", s, n)
			} else {
				sy.line("undefine %s;", s)
			}
		}
		return
	}
	sy.line("put \"nothing\";")
}

// atomOf returns a condition on v alone, so that a loop that assigns to it in
// one element after the other is free of order.
func (sy *symgen) atomOf(scope []node, v symvar) string {
	s := v.name
	for _, n := range scope[len(scope)-len(v.index):] {
		s += "[" + n.name + "]"
	}
	if v.kind == 'b' {
		return "(" + s + ")"
	}
	return fmt.Sprintf("(%s = %s)", s, sy.constant(v))
}

func (sy *symgen) rule() {
	var scope []node
	for range 1 + sy.rng.IntN(3)/2 {
		scope = append(scope, node{sy.name("r"), sy.rng.IntN(len(sy.sets))})
	}
	sy.ruleset(scope, func() {
		sy.line("rule %q (%s & %s) ==>", sy.name("rule "), sy.cond(scope, 2), sy.division(scope))
		sy.line("begin")
		for n := 1 + sy.rng.IntN(3); n > 0; n-- {
			sy.action(scope)
		}
		if sy.chance(0.15) {
			sy.line("assert %s %q;", sy.cond(scope, 2), sy.name("assert "))
		}
		sy.line("endrule;")
	})
}

// division returns a condition that now and then divides by zero.
func (sy *symgen) division(scope []node) string {
	for _, v := range sy.vars {
		if s, ok := sy.spell(v, scope); ok && v.kind == 'n' && sy.chance(0.3) {
			return fmt.Sprintf("((3 / %s) > 0)", s)
		}
	}
	return sy.atom(scope)
}

// invariant prints the claim that no nodes stand in some random relation.
func (sy *symgen) invariant() {
	var scope []node
	head, tail := "", ""
	for range 1 + sy.rng.IntN(3) {
		n := node{sy.name("n"), sy.rng.IntN(len(sy.sets))}
		scope = append(scope, n)
		head += fmt.Sprintf("(exists %s: %s do ", n.name, sy.sets[n.set])
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
	for range 2 + sy.rng.IntN(3) {
		atoms = append(atoms, sy.atom(scope))
	}
	sy.line("invariant %q (!%s%s%s);", sy.name("inv "), head, "("+strings.Join(atoms, " & ")+")", tail)
}

func (sy *symgen) probe() {
	n := node{sy.name("k"), sy.rng.IntN(len(sy.sets))}
	set := sy.sets[n.set]
	sy.line("rule \"probe\"")
	sy.line("var")
	sy.line("first: %s;", set)
	sy.line("begin")
	sy.line("for %s: %s do", n.name, set)
	sy.line("if (isundefined(first) & %s) then", sy.atom([]node{n}))
	sy.line("first := %s;", n.name)
	sy.line("endif;")
	sy.line("endfor;")
	sy.line("if (!isundefined(first)) then")
	sy.line("assert (!(%s & %s)) \"probe\";", sy.atom([]node{{"first", n.set}}), sy.atom([]node{{"first", n.set}}))
	sy.line("endif;")
	sy.line("endrule;")
}
