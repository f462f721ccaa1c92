package murphitest

import "fmt"

// chosen is a choose around the rule that is being written.
type chosen struct {
	slot, set string
	size      int
}

// element makes the name of a slot, and a variable that stands for the element
// in that slot of the multiset p, whose spelling is s.
func (g *gen) element(p part, s string) (slot string, v *variable) {
	slot = g.name("i")
	return slot, &variable{name: s + "[" + slot + "]", t: p.t.elem, loose: p.loose, fixed: !g.writable(p.root)}
}

func isMultiset(p part) bool { return p.t.kind == multiset }

// count makes the number of elements that satisfy a condition.
func (g *gen) count(depth int) (s string, hi int, ok bool) {
	ps := g.parts(isMultiset)
	if len(ps) == 0 {
		return "", 0, false
	}
	p := pick(g, ps)
	s = g.spell(p, depth-1)
	i, v := g.element(p, s)
	cond := "true"
	if g.chance(0.7) {
		cond = g.quietly(depth-1, v)
	}
	return fmt.Sprintf("multisetcount(%s: %s, %s)", i, s, cond), p.t.size, true
}

// choose prints what f prints within a choose.
func (g *gen) choose(f func()) bool {
	ps := g.parts(isMultiset)
	if len(ps) == 0 {
		return false
	}
	p := g.nested(ps)
	s := g.spell(p, 0)
	i, v := g.element(p, s)
	g.chosen = append(g.chosen, chosen{i, s, p.t.size})
	g.block(fmt.Sprintf("choose %s: %s do", i, s), func() { g.within([]*variable{v}, f) }, "endchoose;")
	g.chosen = g.chosen[:len(g.chosen)-1]
	return true
}

// multisetStmt prints a statement that changes a multiset.
func (g *gen) multisetStmt() bool {
	ps := g.parts(func(p part) bool { return isMultiset(p) && g.writable(p.root) })
	if len(ps) == 0 {
		return false
	}
	p := pick(g, ps)
	s := g.spell(p, 1)
	if g.chance(0.25) {
		i, v := g.element(p, s)
		g.line("multisetremovepred(%s: %s, %s);", i, s, g.quietly(1, v))
		return true
	}
	if len(g.chosen) > 0 && g.chance(3*g.risk) {
		c := pick(g, g.chosen)
		g.line("multisetremove(%s, %s);", c.slot, c.set)
		return true
	}
	return g.add(p.t, s, p.loose)
}

// add prints the addition of an element to the multiset s of type t, mostly only
// if there is room.
func (g *gen) add(t *typ, s string, loose bool) bool {
	risky := g.risky()
	var sources []string
	for _, p := range g.parts(func(p part) bool { return p.t == t.elem && (loose || !p.loose || risky) }) {
		sources = append(sources, g.spell(p, 1))
	}
	if t.elem.kind == enum {
		sources = append(sources, t.elem.value(g.rng.IntN(t.elem.card())))
	}
	if len(sources) == 0 {
		return false
	}
	x := pick(g, sources)
	if g.risky() {
		g.line("multisetadd(%s, %s);", x, s)
		return true
	}
	g.block(fmt.Sprintf("if (multisetcount(%s: %s, true) < %d) then", g.name("i"), s, t.size), func() {
		g.line("multisetadd(%s, %s);", x, s)
	}, "endif;")
	return true
}
