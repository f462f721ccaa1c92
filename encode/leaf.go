package encode

import (
	"math/bits"

	"orbitmc/aig"
	"orbitmc/model"
)

// A layout says how the leaves of one simple type become bits: scalarsets are
// one-hot, all other types binary, as value minus off. The off is 0 unless
// subtracting the lower bound saves a bit.
type layout struct {
	t   *model.Type
	hot bool
	n   int // value bits
	off int64
}

func layoutOf(t *model.Type) layout {
	checkBounds(t.Pos, t.String(), t.Lo, t.Hi)
	if t.Kind == model.Scalarset {
		return layout{t: t, hot: true, n: int(t.Card())}
	}
	y := layout{t: t, n: bits.Len64(uint64(t.Hi - t.Lo)), off: t.Lo}
	if t.Lo >= 0 && bits.Len64(uint64(t.Hi)) == y.n {
		y.off = 0
	}
	return y
}

// A code is the content of one leaf: value bits in the leaf's layout and the
// definedness. All bits are 0 when def is false. One-hot leaves have def equal
// to the OR of their bits.
type code struct {
	bits []aig.Lit
	def  aig.Lit
}

func undefined(y layout) code {
	c := code{bits: make([]aig.Lit, y.n), def: aig.False}
	for i := range c.bits {
		c.bits[i] = aig.False
	}
	return c
}

// toValue reads a code.
func (y layout) toValue(c code) value {
	if y.hot {
		return value{def: c.def, hot: c.bits}
	}
	if y.t.Lo == y.t.Hi {
		v := constant(y.t.Lo)
		v.def = c.def
		return v
	}
	return value{def: c.def, bits: c.bits, off: y.off, lo: y.t.Lo, hi: y.t.Hi}
}

// toCode returns the code of v, whose number, when defined, lies in the type.
func (y layout) toCode(a arith, v value) code {
	if y.hot {
		return code{bits: v.hot, def: v.def}
	}
	bits := a.code(v, y.off, y.n)
	if v.def != aig.True {
		for i := range bits {
			bits[i] = a.g.And(bits[i], v.def)
		}
	}
	return code{bits: bits, def: v.def}
}

// wellFormed returns the conditions on a leaf whose content is c.
func (y layout) wellFormed(a arith, c code, alwaysDefined bool) []aig.Lit {
	g := a.g
	var conds []aig.Lit
	if y.hot {
		for i := range c.bits {
			for j := range i {
				conds = append(conds, g.And(c.bits[i], c.bits[j]).Not())
			}
		}
		if alwaysDefined {
			conds = append(conds, g.OrN(c.bits))
		}
		return conds
	}
	raw := value{def: aig.True, bits: c.bits, lo: 0, hi: int64(1)<<y.n - 1}
	inRange := aig.True
	if y.n > 0 {
		inRange = g.And(a.less(raw, constant(y.t.Lo-y.off)).Not(), a.less(constant(y.t.Hi-y.off), raw).Not())
	}
	if alwaysDefined {
		return append(conds, inRange)
	}
	conds = append(conds, g.Implies(c.def, inRange))
	for _, b := range c.bits {
		conds = append(conds, g.Implies(b, c.def))
	}
	return conds
}

// A store maps leaves to their contents while a body runs. Untouched leaves
// keep their old content. A leaf that was written under the condition w has
// the content v where w holds and the old one elsewhere; v is a don't care
// outside w. Branches work on a fork and are joined afterwards.
type store struct {
	parent *store
	m      map[int]entry
}

type entry struct {
	w aig.Lit
	v code
}

func newStore(parent *store) *store { return &store{parent: parent, m: make(map[int]entry)} }

func (s *store) lookup(leaf int) (entry, bool) {
	for ; s != nil; s = s.parent {
		if e, ok := s.m[leaf]; ok {
			return e, true
		}
	}
	return entry{w: aig.False}, false
}

// muxCode returns c ? x : y.
func (a arith) muxCode(c aig.Lit, x, y code) code {
	switch c {
	case aig.True:
		return x
	case aig.False:
		return y
	}
	r := code{bits: make([]aig.Lit, len(x.bits)), def: a.g.Mux(c, x.def, y.def)}
	for i := range r.bits {
		r.bits[i] = a.g.Mux(c, x.bits[i], y.bits[i])
	}
	return r
}

// write gives leaf the content c where cond holds.
func (s *store) write(a arith, leaf int, cond aig.Lit, c code) {
	e, ok := s.lookup(leaf)
	switch {
	case cond == aig.False:
	case !ok || cond == aig.True:
		s.m[leaf] = entry{cond, c}
	default:
		s.m[leaf] = entry{a.g.Or(e.w, cond), a.muxCode(cond, c, e.v)}
	}
}

// join makes s the merge of its forks x, taken where c holds, and y.
func (s *store) join(a arith, c aig.Lit, x, y *store) {
	for _, leaf := range sortedKeys(x.m, y.m) {
		ex, okx := x.lookup(leaf)
		ey, oky := y.lookup(leaf)
		e := entry{w: a.g.Mux(c, ex.w, ey.w)}
		switch {
		case !okx:
			e.v = ey.v
		case !oky:
			e.v = ex.v
		default:
			e.v = a.muxCode(c, ex.v, ey.v)
		}
		s.m[leaf] = e
	}
}
