package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file is the memory of a body that is executed symbolically: the content of
// each leaf, and how the paths that a branch opens are merged again.
//
// A leaf has an entry (w, v). Where the condition w holds, the body wrote v.
// Elsewhere the leaf holds its content from before the body, and v is a don't
// care. A write through a symbolic index thus gives every element the same v and
// its own w. Merging the paths that write a queue merges the message once, not
// once for each place in the queue.
//
// There is one array of entries. A branch runs on it, and a trail takes its
// writes out again. In the end the writes of all branches are merged together.

type entry struct {
	w aig.Lit
	v *code
}

// write is an entry of a leaf: the one a path left there, or, on the trail, the
// one it replaced.
type write struct {
	leaf int
	entry
}

type store struct {
	arith
	now   []entry // by leaf: those of the state, then those of locals
	base  []*code // what the leaf held before the body
	lay   []layout
	read  []bool      // by leaf of the state: base was looked at
	dirty int         // entries on the trail that are for leaves of the state
	watch *loopAccess // loops over slots
	trail []write
	seen  []uint32 // by leaf: the last collection that met it
	met   []int32  // by leaf: where in that collection
	epoch uint32
	empty map[*model.Type]*code // what is undefined
}

// none is the content of an undefined leaf.
func (s *store) none(y layout) *code {
	return lists.Memo(s.empty, y.t, func(*model.Type) *code { return undefined(y) })
}

func (s *store) set(leaf int, e entry) {
	s.watch.write(leaf)
	if leaf < len(s.read) {
		s.dirty++
	}
	s.trail = append(s.trail, write{leaf, s.now[leaf]})
	s.now[leaf] = e
}

// write gives leaf the content c where cond holds.
func (s *store) write(leaf int, cond aig.Lit, c *code) {
	switch e := s.now[leaf]; {
	case cond == aig.False:
	case cond == aig.True || e.w == aig.False:
		s.set(leaf, entry{cond, c})
	default:
		s.set(leaf, entry{s.g.Or(e.w, cond), s.muxCode(cond, c, e.v)})
	}
}

// content returns what a leaf holds now.
func (s *store) content(leaf int) *code {
	s.watch.look(leaf)
	e := s.now[leaf]
	if e.w == aig.True {
		return e.v
	}
	if leaf < len(s.read) {
		s.read[leaf] = true
	}
	if e.w == aig.False {
		return s.base[leaf]
	}
	return s.muxCode(e.w, e.v, s.base[leaf])
}

// push adds undefined leaves and returns the number of the first.
func (s *store) push(ys []layout) int {
	first := len(s.now)
	for _, y := range ys {
		s.base = append(s.base, s.none(y))
		s.now = append(s.now, entry{w: aig.False})
		s.seen, s.met = append(s.seen, 0), append(s.met, 0)
	}
	s.lay = append(s.lay, ys...)
	return first
}

// pop removes the leaves from first on, which nothing on the trail mentions.
func (s *store) pop(first int) {
	s.base, s.now, s.lay = s.base[:first], s.now[:first], s.lay[:first]
	s.seen, s.met = s.seen[:first], s.met[:first]
}

// writes returns what was written since the trail had length mark, in leaves
// below top.
func (s *store) writes(mark, top int) []write {
	if len(s.trail) == mark {
		return nil
	}
	s.epoch++
	ws := make([]write, 0, len(s.trail)-mark)
	for _, t := range s.trail[mark:] {
		if t.leaf < top && s.seen[t.leaf] != s.epoch {
			s.seen[t.leaf] = s.epoch
			ws = append(ws, write{t.leaf, s.now[t.leaf]})
		}
	}
	return ws
}

// undo takes back what was written since the trail had length mark.
func (s *store) undo(mark int) {
	for i := len(s.trail) - 1; i >= mark; i-- {
		leaf := s.trail[i].leaf
		s.now[leaf] = s.trail[i].entry
		if leaf < len(s.read) {
			s.dirty--
		}
	}
	s.trail = s.trail[:mark]
}

// A merger merges values under conditions of which, where the result matters,
// exactly one holds.
type merger struct {
	arith
	conds []aig.Lit
	ors   map[string]aig.Lit // disjunctions of several conditions
}

func newMerger(a arith, conds []aig.Lit) *merger {
	return &merger{arith: a, conds: conds, ors: make(map[string]aig.Lit)}
}

// alike reports whether all values are the first one.
func alike[T comparable](all []T) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return x != all[0] })
}

// pick returns the literal that is ls[i] where conds[at[i]] holds.
func (m *merger) pick(at []int, ls []aig.Lit) aig.Lit {
	switch {
	case alike(ls):
		return ls[0]
	case len(ls) == 2 && m.conds[at[0]]^m.conds[at[1]] == 1:
		return m.g.Mux(m.conds[at[0]], ls[0], ls[1])
	}
	return m.where(at, ls)
}

// where is pick, but false where none of the conditions holds.
func (m *merger) where(at []int, ls []aig.Lit) aig.Lit {
	var terms []aig.Lit
	done := make([]bool, len(ls))
	var group []int
	for i, l := range ls {
		if done[i] || l == aig.False {
			continue
		}
		group = group[:0]
		for j := i; j < len(ls); j++ {
			if ls[j] == l {
				done[j] = true
				group = append(group, at[j])
			}
		}
		terms = append(terms, m.g.And(m.any(group), l))
	}
	return m.g.OrN(terms)
}

// any returns the disjunction of the conditions numbered by group.
func (m *merger) any(group []int) aig.Lit {
	if len(group) == 1 {
		return m.conds[group[0]]
	}
	key := make([]byte, 0, 2*len(group))
	ls := make([]aig.Lit, len(group))
	for i, c := range group {
		key = append(key, byte(c), byte(c>>8), byte(c>>16))
		ls[i] = m.conds[c]
	}
	or, ok := m.ors[string(key)]
	if !ok {
		or = m.g.OrN(ls)
		m.ors[string(key)] = or
	}
	return or
}

// code merges codes of one layout.
func (m *merger) code(at []int, cs []*code) *code {
	if alike(cs) {
		return cs[0]
	}
	return each(cs, func(ls []aig.Lit) aig.Lit { return m.pick(at, ls) })
}

// written merges codes of one layout, one for each condition, to what is 0 where none
// holds.
func (m *merger) written(cs []*code) *code {
	at := lists.Make(len(cs), func(i int) int { return i })
	return each(cs, func(ls []aig.Lit) aig.Lit { return m.where(at, ls) })
}

// each merges codes bit by bit.
func each(cs []*code, merge func(ls []aig.Lit) aig.Lit) *code {
	r := &code{bits: make([]aig.Lit, len(cs[0].bits)), lo: cs[0].lo, hi: cs[0].hi}
	ls := make([]aig.Lit, len(cs))
	for k := range r.bits {
		for i, c := range cs {
			ls[i] = c.bits[k]
		}
		r.bits[k] = merge(ls)
	}
	for i, c := range cs {
		ls[i] = c.def
		r.lo, r.hi = min(r.lo, c.lo), max(r.hi, c.hi)
	}
	r.def = merge(ls)
	return r
}
