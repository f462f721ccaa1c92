package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Numbers in one-hot form. Values of types that are Alike have this form, so that
// exchanging values permutes latches. Operations keep the form as long as that is
// cheap. The image of a term under a permutation is then the same term of other
// operands, for example of a comparison, or of the (i + 1) % n of a ring. Where
// the form is lost the symmetry still holds, but verifying it takes more than
// comparing structures.

// maxHot is the most literals of a one-hot number that is computed, and the most
// pairs of literals of two of which one is computed.
const maxHot = 1 << 10

// abstract reports whether all values of type t are one-hot: there are no numbers
// to stand for them.
func abstract(t *model.Type) bool { return t.Kind == model.Scalarset || t.Kind == model.Union }

// hotValue is the value of type t, which is one-hot, that has these literals.
func hotValue(t *model.Type, def aig.Lit, hot []aig.Lit) value {
	return value{def: def, hot: hot, off: t.Lo, lo: t.Lo, hi: t.Hi}
}

// binary returns the number v, which is one-hot, as bits.
func (a arith) binary(v value) value {
	if v.lo == v.hi {
		c := constant(v.lo)
		c.def = v.def
		return c
	}
	r := value{def: v.def, off: v.off, lo: v.lo, hi: v.hi}
	for b := range width(0, int64(len(v.hot)-1)) {
		var ls []aig.Lit
		for i, l := range v.hot {
			if i>>b&1 == 1 {
				ls = append(ls, l)
			}
		}
		r.bits = append(r.bits, a.g.OrN(ls))
	}
	r.bits = r.bits[:width(r.lo-r.off, r.hi-r.off)]
	return r
}

// within returns the literals of v, as far as it lies in lo..hi.
func (a arith) within(v value, lo, hi int64) []aig.Lit {
	if v.hot != nil && v.off == lo && int64(len(v.hot)) == hi-lo+1 {
		return v.hot
	}
	out := make([]aig.Lit, hi-lo+1)
	for i := range out {
		out[i] = a.is(v, lo+int64(i))
		if v.hot == nil && v.def != aig.True { // a hot value has no literal where it is undefined
			out[i] = a.g.And(v.def, out[i])
		}
	}
	return out
}

// sameForm returns the values, which are of one type, all one-hot over the same
// numbers or none of them.
func (a arith) sameForm(vs []value) []value {
	hot, same, cheap := false, true, true
	lo, hi := vs[0].lo, vs[0].hi
	for _, v := range vs {
		hot = hot || v.hot != nil
		same = same && v.off == vs[0].off && len(v.hot) == len(vs[0].hot)
		cheap = cheap && (v.hot != nil || v.lo == v.hi)
		lo, hi = min(lo, v.lo), max(hi, v.hi)
	}
	if !hot || same {
		return vs
	}
	vs = slices.Clone(vs)
	cheap = cheap && hi-lo < maxHot
	for i, v := range vs {
		switch {
		case cheap:
			vs[i].hot, vs[i].bits, vs[i].off = a.within(v, lo, hi), nil, lo
		case v.hot != nil:
			vs[i] = a.binary(v)
		}
	}
	return vs
}

// lessHot returns v < w, one of which is one-hot.
func (a arith) lessHot(v, w value) aig.Lit {
	c, vConst := v.constVal()
	d, wConst := w.constVal()
	var ls []aig.Lit
	switch {
	case wConst:
		for k := v.lo; k < d; k++ {
			ls = append(ls, a.is(v, k))
		}
	case vConst:
		for k := c + 1; k <= w.hi; k++ {
			ls = append(ls, a.is(w, k))
		}
	case v.hot != nil && w.hot != nil && len(v.hot)*len(w.hot) <= maxHot:
		for k := v.lo; k <= v.hi; k++ {
			for l := max(k+1, w.lo); l <= w.hi; l++ {
				ls = append(ls, a.g.And(a.is(v, k), a.is(w, l)))
			}
		}
	default:
		if v.hot != nil {
			v = a.binary(v)
		}
		if w.hot != nil {
			w = a.binary(w)
		}
		return a.less(v, w)
	}
	return a.g.OrN(ls)
}

// addHot returns the sum of two one-hot numbers.
func (a arith) addHot(v, w value) value {
	if len(v.hot)*len(w.hot) > maxHot {
		return a.add(a.binary(v), a.binary(w), v.lo+w.lo, v.hi+w.hi)
	}
	terms := make([][]aig.Lit, v.hi+w.hi-v.lo-w.lo+1)
	for k := v.lo; k <= v.hi; k++ {
		for l := w.lo; l <= w.hi; l++ {
			i := k + l - v.lo - w.lo
			terms[i] = append(terms[i], a.g.And(a.is(v, k), a.is(w, l)))
		}
	}
	return a.oneOf(terms, v.lo+w.lo)
}

// oneOf is the number lo + i where one of terms[i] holds.
func (a arith) oneOf(terms [][]aig.Lit, lo int64) value {
	return value{def: aig.True, off: lo, lo: lo, hi: lo + int64(len(terms)) - 1, hot: lists.Map(terms, a.g.OrN)}
}

// reverse returns -v for a one-hot number.
func reverse(v value) value {
	r := value{def: v.def, hot: slices.Clone(v.hot), lo: -v.hi, hi: -v.lo}
	slices.Reverse(r.hot)
	r.off = -(v.off + int64(len(v.hot)) - 1)
	return r
}

// divideHot returns quotient and remainder of the one-hot number v by c, which is
// not 0.
func (a arith) divideHot(v value, c int64) (quo, rem value) {
	apply := func(f func(k int64) int64) value {
		lo, hi := f(v.lo), f(v.lo)
		for k := v.lo; k <= v.hi; k++ {
			lo, hi = min(lo, f(k)), max(hi, f(k))
		}
		terms := make([][]aig.Lit, hi-lo+1)
		for k := v.lo; k <= v.hi; k++ {
			terms[f(k)-lo] = append(terms[f(k)-lo], a.is(v, k))
		}
		return a.oneOf(terms, lo)
	}
	return apply(func(k int64) int64 { return k / c }), apply(func(k int64) int64 { return k % c })
}
