package encode

import (
	"math/bits"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// A layout says how the leaves of one simple type become bits. Scalarsets, unions
// and types that are Alike are one-hot; all other types are binary, as value
// minus off. For one-hot types off is the least value. For the others it is 0,
// unless subtracting the lower bound saves a bit.
type layout struct {
	t   *model.Type
	hot bool
	n   int // value bits
	off int64
}

// isHot reports whether leaves and parameters of type t are one-hot.
func isHot(t *model.Type) bool { return abstract(t) || t.Alike }

func layoutOf(t *model.Type) layout {
	if t.Kind == model.Real {
		refuse(t.Pos, "real numbers: the symbolic encoding does not support them")
	}
	checkBounds(t.Pos, t.String(), t.Lo, t.Hi)
	if isHot(t) {
		return layout{t: t, hot: true, n: int(t.Card()), off: t.Lo}
	}
	y := layout{t: t, n: bits.Len64(uint64(t.Hi - t.Lo)), off: t.Lo}
	if t.Lo >= 0 && bits.Len64(uint64(t.Hi)) == y.n {
		y.off = 0
	}
	return y
}

// layoutsOf returns the layouts of the leaves of a variable of type t.
func layoutsOf(t *model.Type) []layout {
	return lists.Map(t.Unfolded(), func(l model.Leaf) layout { return layoutOf(l.Type) })
}

// A code is the content of one leaf: value bits in the leaf's layout and the
// definedness. All bits are 0 when def is false. One-hot leaves have def equal
// to the OR of their bits. A number that is defined lies in lo..hi. Codes are not
// changed once they are made.
type code struct {
	bits   []aig.Lit
	def    aig.Lit
	lo, hi int64
}

func undefined(y layout) *code {
	c := &code{bits: make([]aig.Lit, y.n), def: aig.False, lo: y.t.Lo, hi: y.t.Hi}
	for i := range c.bits {
		c.bits[i] = aig.False
	}
	return c
}

// toValue reads a code.
func (l layout) toValue(c *code) value {
	switch {
	case l.hot:
		return value{def: c.def, hot: c.bits, off: l.off, lo: c.lo, hi: c.hi}
	case c.lo == c.hi:
		v := constant(c.lo)
		v.def = c.def
		return v
	}
	return value{def: c.def, bits: c.bits, off: l.off, lo: c.lo, hi: c.hi}
}

// toCode returns the code of v, whose number, when defined, lies in the type.
func (l layout) toCode(a arith, v value) *code {
	c := &code{def: v.def, lo: max(v.lo, l.t.Lo), hi: min(v.hi, l.t.Hi)}
	if l.hot {
		c.bits = a.within(v, l.t.Lo, l.t.Hi)
	} else if c.bits = a.code(v, l.off, l.n); v.def != aig.True {
		for i := range c.bits {
			c.bits[i] = a.g.And(c.bits[i], v.def)
		}
	}
	if c.lo > c.hi { // surely outside: an error was recorded
		c.lo, c.hi = l.t.Lo, l.t.Hi
	}
	return c
}

// least returns the code of the least value of the type.
func (l layout) least(a arith) *code {
	if abstract(l.t) {
		return l.toCode(a, hotConstant(0, l.n))
	}
	return l.toCode(a, constant(l.t.Lo))
}

// wellFormed returns the conditions on a leaf whose content is c. Its
// definedness is that of the latches; present, if not True, holds where the
// leaf may be defined, and always where a leaf that is known to be defined is.
func (l layout) wellFormed(a arith, c *code, known bool, present aig.Lit) []aig.Lit {
	g := a.g
	var conds []aig.Lit
	if l.hot {
		for i := range c.bits {
			for j := range i {
				conds = append(conds, g.And(c.bits[i], c.bits[j]).Not())
			}
			conds = append(conds, g.Implies(c.bits[i], present))
		}
		if known {
			conds = append(conds, g.Implies(present, g.OrN(c.bits)))
		}
		return conds
	}
	raw := value{def: aig.True, bits: c.bits, lo: 0, hi: int64(1)<<l.n - 1}
	inRange := aig.True
	if l.n > 0 {
		inRange = g.And(a.less(raw, constant(l.t.Lo-l.off)).Not(), a.less(constant(l.t.Hi-l.off), raw).Not())
	}
	conds = append(conds, g.Implies(c.def, inRange))
	if c.def != aig.True {
		for _, b := range c.bits {
			conds = append(conds, g.Implies(b, c.def))
		}
	}
	if !known {
		conds = append(conds, g.Implies(c.def, present))
	}
	return conds
}

// muxCode returns c ? x : y.
func (a arith) muxCode(c aig.Lit, x, y *code) *code {
	switch {
	case c == aig.True || x == y:
		return x
	case c == aig.False:
		return y
	}
	r := &code{bits: make([]aig.Lit, len(x.bits)), def: a.g.Mux(c, x.def, y.def), lo: min(x.lo, y.lo), hi: max(x.hi, y.hi)}
	for i := range r.bits {
		r.bits[i] = a.g.Mux(c, x.bits[i], y.bits[i])
	}
	return r
}
