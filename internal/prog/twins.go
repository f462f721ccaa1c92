package prog

import (
	"maps"
	"reflect"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Twins: two processes whose residual code, what each may still run, is the same but for the names of
// locations and variables of their own (after Yang, Chen, Gopalakrishnan, Wang, SPIN 2009). Whatever else is in the state: if
// their variables that are alive have equal values, exchanging the two keeps all that follows. It is
// checked rule instance by rule instance: each one that either may take from where it is, or that moves it, has a
// counterpart with the same text in which the two are exchanged. So a process number may occur only where it
// selects what belongs to the process. Steps of others that look at the two in any other way rule
// them out, and so do assertions that are different properties.

// Twin says how one process is exchanged with another one.
type Twin struct {
	steps map[int]int // instances: their counterparts, both ways
	pairs [][2]int    // leaves of the first process, and of the second
	nodes [2]int
}

// twinKey is two agents, each at a location.
type twinKey struct{ a, l, b, m int }

// Twins returns how two agents are exchanged that are where a state says; nil: they are no twins. It is not
// safe for concurrent use.
func (s *Steps) Twins(state model.State, a, b int) *Twin {
	k := twinKey{a, s.Location(state, a), b, s.Location(state, b)}
	if k.l == 0 || k.m == 0 {
		return nil
	}
	t := lists.Memo(s.twins, k, s.exchange)
	if t == nil {
		return nil
	}
	for _, p := range t.pairs {
		live := s.nodes[t.nodes[0]].live.Has(p[0]) || s.nodes[t.nodes[1]].live.Has(p[1]) || s.always.Has(p[0]) || s.always.Has(p[1])
		if live && state[p[0]] != state[p[1]] {
			return nil
		}
	}
	return t
}

// Image returns the counterpart of an instance.
func (t *Twin) Image(instance int) (int, bool) {
	k, ok := t.steps[instance]
	return k, ok
}

// pairs is a bijection: what of the first process is matched with what of the second.
type pairs struct{ there, back map[int]int }

func newPairs() pairs { return pairs{map[int]int{}, map[int]int{}} }

func (p pairs) clone() pairs { return pairs{maps.Clone(p.there), maps.Clone(p.back)} }

// known reports whether x or y is matched, and whether with each other.
func (p pairs) known(x, y int) (known, same bool) {
	to, ok := p.there[x]
	_, taken := p.back[y]
	return ok || taken, ok && to == y
}

func (p pairs) add(x, y int) { p.there[x], p.back[y] = y, x }

// matching is an exchange that is being built: of a with b, where both go from where they are.
type matching struct {
	s     *Steps
	a, b  int
	loc   pairs                     // nodes
	leaf  pairs                     // leaves
	steps pairs                     // instances
	vars  map[*model.Var]*model.Var // locals and bound variables of the texts at hand
	work  [][2]int                  // nodes to be matched
}

func (s *Steps) exchange(k twinKey) *Twin {
	m := &matching{s: s, a: k.a, b: k.b, loc: newPairs(), leaf: newPairs(), steps: newPairs()}
	from, to := s.all[k.a].node+k.l, s.all[k.b].node+k.m
	if !m.place(from, to) {
		return nil
	}
	for len(m.work) > 0 {
		p := m.work[0]
		m.work = m.work[1:]
		if !m.node(p[0], p[1]) {
			return nil
		}
	}
	if !m.others() {
		return nil
	}
	t := &Twin{steps: m.steps.there, nodes: [2]int{from, to}}
	maps.Copy(t.steps, m.steps.back)
	for _, x := range slices.Sorted(maps.Keys(m.leaf.there)) {
		t.pairs = append(t.pairs, [2]int{x, m.leaf.there[x]})
	}
	return t
}

// place matches a node of a with one of b.
func (m *matching) place(x, y int) bool {
	if known, same := m.loc.known(x, y); known {
		return same
	}
	if m.s.mayEnd(x) != m.s.mayEnd(y) {
		return false
	}
	m.loc.add(x, y)
	m.work = append(m.work, [2]int{x, y})
	return true
}

// swap returns the agent that takes the place of another.
func (m *matching) swap(n int) int {
	switch n {
	case m.a:
		return m.b
	case m.b:
		return m.a
	}
	return n
}

// at returns the instances that an agent takes at a node, or that move it from there.
func (m *matching) at(agent, node int) (all []int) {
	l := node - m.s.all[agent].node
	for i := range m.s.instances {
		x := &m.s.instances[i]
		if k := slices.Index(x.actors, agent); x.owner >= 0 && k >= 0 && x.from[k] == l {
			all = append(all, i)
		}
	}
	return all
}

// node matches the instances at two nodes.
func (m *matching) node(x, y int) bool {
	own, other := m.at(m.a, x), m.at(m.b, y)
	if len(own) != len(other) {
		return false
	}
	used := map[int]bool{}
	for _, i := range own {
		found := false
		for _, j := range other {
			if used[j] {
				continue
			}
			before := m.copy()
			if m.instance(i, j) {
				used[j], found = true, true
				m.steps.add(i, j)
				break
			}
			*m = *before
		}
		if !found {
			return false
		}
	}
	return true
}

func (m *matching) copy() *matching {
	c := *m
	c.loc, c.leaf, c.steps = m.loc.clone(), m.leaf.clone(), m.steps.clone()
	c.work = slices.Clone(m.work)
	return &c
}

// side is an instance whose text is compared.
type side struct {
	x  *instance
	rd *reader
	r  *model.Rule
}

func (m *matching) side(i int) side {
	x := &m.s.instances[i]
	r := m.s.m.Rules[x.Rule]
	return side{x, m.s.reader(r, x.Params), r}
}

// instance matches two instances: actors, guards, bodies.
func (m *matching) instance(i, j int) bool {
	u, v := m.side(i), m.side(j)
	if u.x.kind != v.x.kind || len(u.x.actors) != len(v.x.actors) || len(u.r.Locals) != len(v.r.Locals) || len(u.x.facts) != len(v.x.facts) {
		return false
	}
	for k, n := range u.x.actors {
		if v.x.actors[k] != m.swap(n) {
			return false
		}
		g, h := m.s.all[n].node+u.x.from[k], m.s.all[v.x.actors[k]].node+v.x.from[k]
		if !m.location(g, h) {
			return false
		}
	}
	m.vars = map[*model.Var]*model.Var{}
	for k, l := range u.r.Locals {
		if !sameType(l.Type, v.r.Locals[k].Type) {
			return false
		}
		m.vars[l] = v.r.Locals[k]
	}
	for k := range u.x.facts {
		if !m.text(u, v, u.x.facts[k].e, v.x.facts[k].e) {
			return false
		}
	}
	return m.text(u, v, u.r.Body, v.r.Body)
}

// location matches nodes of any agents, one the image of the other.
func (m *matching) location(x, y int) bool {
	g, h := m.s.nodes[x].agent, m.s.nodes[y].agent
	switch {
	case g == m.a && h == m.b:
		return m.place(x, y)
	case g == m.b && h == m.a:
		return m.place(y, x)
	}
	return x == y
}

// mayEnd reports whether a process may stay at a node for ever.
func (s *Steps) mayEnd(node int) bool {
	return node == s.all[s.nodes[node].agent].node || s.loc(node).End
}

func sameType(t, u *model.Type) bool {
	return t == u || t.Numeric() && u.Numeric() && t.Lo == u.Lo && t.Hi == u.Hi || t.Kind == model.Bool && u.Kind == model.Bool
}

// leaves matches n leaves from x on with those from y on.
func (m *matching) leaves(x, y, n int) bool {
	for k := range n {
		if !m.oneLeaf(x+k, y+k) {
			return false
		}
	}
	return true
}

func (m *matching) oneLeaf(x, y int) bool {
	o, p := m.s.owner[x], m.s.owner[y]
	switch {
	case o == m.a && p == m.b:
	case o == m.b && p == m.a:
		x, y = y, x
	default:
		return x == y && o != m.a && o != m.b
	}
	if (m.s.all[m.a].pc == x) != (m.s.all[m.b].pc == y) {
		return false
	}
	if m.s.all[m.a].pc == x {
		return false // locations are compared with constants, and nothing else
	}
	if known, same := m.leaf.known(x, y); known {
		return same
	}
	if !sameType(m.s.types[x], m.s.types[y]) {
		return false
	}
	m.leaf.add(x, y)
	return true
}

// code matches the locations that two codes of two agents stand for.
func (m *matching) code(n, o int, e, f model.Expr) bool {
	c, ok := e.(*model.ConstExpr)
	d, ok2 := f.(*model.ConstExpr)
	if !ok || !ok2 || o != m.swap(n) {
		return false
	}
	g, h := &m.s.all[n], &m.s.all[o]
	return m.location(g.node+g.number(c.Value), h.node+h.number(d.Value))
}

// designator matches what two designators stand for.
func (m *matching) designator(u, v side, e, f model.Expr) bool {
	if x, ok := e.(*model.Ref); ok && x.Var.Kind != model.StateVar {
		y, ok := f.(*model.Ref)
		return ok && m.vars[x.Var] != nil && m.vars[x.Var] == y.Var
	}
	p, ok := u.rd.place(e)
	q, ok2 := v.rd.place(f)
	if !ok || !ok2 || p.N != q.N || len(p.Dims) != len(q.Dims) || !m.leaves(p.At, q.At, p.N) {
		return false
	}
	for k, d := range p.Dims {
		g := q.Dims[k]
		if d.Lo != g.Lo || d.Card != g.Card || d.Stride != g.Stride || !m.text(u, v, d.Index, g.Index) {
			return false
		}
	}
	if len(p.Dims) > 0 { // of the whole array
		same := true
		p.Leaves(func(leaf int) { same = same && (m.s.owner[leaf] != m.a && m.s.owner[leaf] != m.b) })
		return same && p.At == q.At
	}
	return true
}

// text matches two expressions, statements or lists of statements.
func (m *matching) text(u, v side, a, b any) bool {
	if e, ok := a.(model.Expr); ok {
		f, ok := b.(model.Expr)
		if !ok {
			return false
		}
		x, known := env{u.r, u.x.Params, nil}.eval(e)
		y, known2 := env{v.r, v.x.Params, nil}.eval(f)
		if known || known2 {
			return known && known2 && x == y
		}
		if model.Designator(e) {
			return m.designator(u, v, e, f)
		}
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	same := true
	switch a := a.(type) {
	case []model.Stmt, *model.Not, *model.Cond, *model.If, *model.Assume:
	case *model.Binary:
		b := b.(*model.Binary)
		if n, is := u.rd.isPC(a.X); is {
			o, is := v.rd.isPC(b.X)
			return is && a.Op == b.Op && (a.Op == model.Eq || a.Op == model.Ne) && m.code(n, o, a.Y, b.Y)
		}
		same = a.Op == b.Op
	case *model.Assign:
		b := b.(*model.Assign)
		if n, is := u.rd.isPC(a.LHS); is {
			o, is := v.rd.isPC(b.LHS)
			return is && m.code(n, o, a.RHS, b.RHS)
		}
		same = sameRange(a.LHS, b.LHS)
	case *model.Reset:
		same = a.Least == b.(*model.Reset).Least
	case *model.Assert:
		same = a.Prop == b.(*model.Assert).Prop
	default:
		return false
	}
	return same && slices.EqualFunc(below(a), below(b), func(x, y any) bool { return m.text(u, v, x, y) })
}

// below lists what is directly below a part of a text.
func below(n any) (all []any) {
	if list, ok := n.([]model.Stmt); ok {
		return lists.Map(list, func(s model.Stmt) any { return s })
	}
	model.Children(n, func(e model.Expr) { all = append(all, e) }, func(list []model.Stmt) { all = append(all, list) })
	return all
}

func sameRange(x, y model.Expr) bool {
	t, w := x.Type(), y.Type()
	return t.Simple() && w.Simple() && t.Lo == w.Lo && t.Hi == w.Hi
}

// others checks the instances that neither of the two takes part in, or only where it will not be again: they may
// touch nothing of the two.
func (m *matching) others() bool {
	for i := range m.s.instances {
		x := &m.s.instances[i]
		if x.owner < 0 || m.met(i) {
			continue
		}
		touches := false
		check := func(o int) {
			switch {
			case o < m.s.leaves:
				touches = touches || m.s.owner[o] == m.a || m.s.owner[o] == m.b
			default:
				for _, n := range []int{m.a, m.b} {
					g := &m.s.all[n]
					if l := o - g.place; l >= 0 && l <= g.locs {
						_, in := m.loc.there[g.node+l]
						_, back := m.loc.back[g.node+l]
						touches = touches || n == m.a && in || n == m.b && back
					}
				}
			}
		}
		own := slices.ContainsFunc(x.actors, func(n int) bool { return n == m.a || n == m.b })
		if own && !m.reachable(x) {
			continue // from where neither of them will be
		}
		x.foot.Reads.each(check)
		x.foot.Writes.each(check)
		if own || touches {
			return false
		}
	}
	return true
}

// met reports whether an instance has a counterpart.
func (m *matching) met(i int) bool {
	_, from := m.steps.there[i]
	_, to := m.steps.back[i]
	return from || to
}

// reachable reports whether an instance is taken from locations that the two may still be at.
func (m *matching) reachable(x *instance) bool {
	for k, n := range x.actors {
		node := m.s.all[n].node + x.from[k]
		if _, in := m.loc.there[node]; n == m.a && !in {
			return false
		}
		if _, in := m.loc.back[node]; n == m.b && !in {
			return false
		}
	}
	return true
}
