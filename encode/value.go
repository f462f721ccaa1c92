package encode

import (
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// value is a symbolic simple value. Values of scalarsets and unions are one-hot
// (hot). All others are numbers: bits, read as two's complement if lo-off is
// negative and as unsigned otherwise, plus the constant off. Numbers of a type
// that is Alike are one-hot as well (hot.go). Constants have no bits, and adding
// a constant costs nothing. If def is false, the bits are arbitrary, or all 0 as
// in an undefined leaf; every use checks def first.
type value struct {
	def    aig.Lit
	hot    []aig.Lit // hot[i] iff the value is off + i; nil if it is not one-hot
	bits   []aig.Lit // least significant first
	off    int64
	lo, hi int64 // the number lies in lo..hi when defined
}

// maxMagnitude bounds every number: the sum of two does not overflow.
const maxMagnitude = int64(1)<<62 - 1

// tooLarge reports whether a number of lo..hi exceeds maxMagnitude.
func tooLarge(lo, hi int64) bool { return lo < -maxMagnitude || hi > maxMagnitude }

func constant(v int64) value { return value{def: aig.True, off: v, lo: v, hi: v} }

func boolean(l aig.Lit) value {
	switch l {
	case aig.False:
		return constant(0)
	case aig.True:
		return constant(1)
	}
	return value{def: aig.True, bits: []aig.Lit{l}, lo: 0, hi: 1}
}

// hotConstant is the scalarset or union value v of n.
func hotConstant(v int64, n int) value {
	x := value{def: aig.True, hot: make([]aig.Lit, n), lo: v, hi: v}
	for i := range x.hot {
		x.hot[i] = aig.False
	}
	x.hot[v] = aig.True
	return x
}

// constVal returns the number when it is one constant.
func (v value) constVal() (int64, bool) { return v.lo, v.lo == v.hi }

// width returns how many bits hold lo..hi, two's complement if lo < 0.
func width(lo, hi int64) int {
	if lo >= 0 {
		return bits.Len64(uint64(hi))
	}
	n := bits.Len64(uint64(-(lo + 1)))
	if hi > 0 {
		n = max(n, bits.Len64(uint64(hi)))
	}
	return n + 1
}

// arith builds the logic of numbers in g.
type arith struct{ g *aig.Graph }

// code returns the n low bits of the number minus off.
func (a arith) code(v value, off int64, n int) []aig.Lit {
	if v.hot != nil {
		v = a.binary(v)
	}
	out := make([]aig.Lit, n)
	ext := aig.False
	if v.lo-v.off < 0 && len(v.bits) > 0 {
		ext = v.bits[len(v.bits)-1]
	}
	for i := range out {
		if i < len(v.bits) {
			out[i] = v.bits[i]
		} else {
			out[i] = ext
		}
	}
	if d := v.off - off; d != 0 {
		k := lists.Make(n, func(i int) aig.Lit { return aig.False.NotIf(d>>min(i, 63)&1 == 1) })
		out, _ = a.adder(out, k, aig.False)
	}
	return out
}

// adder returns x + y + carry modulo 2^len(x), and the carry out.
func (a arith) adder(x, y []aig.Lit, carry aig.Lit) ([]aig.Lit, aig.Lit) {
	g := a.g
	out := make([]aig.Lit, len(x))
	for i := range x {
		p := g.Xor(x[i], y[i])
		out[i] = g.Xor(p, carry)
		carry = g.Or(g.And(x[i], y[i]), g.And(p, carry))
	}
	return out, carry
}

// is returns v = c for a defined v.
func (a arith) is(v value, c int64) aig.Lit {
	if c < v.lo || c > v.hi {
		return aig.False
	}
	if v.hot != nil {
		return v.hot[c-v.off]
	}
	code := c - v.off
	ls := make([]aig.Lit, len(v.bits))
	for i, b := range v.bits {
		ls[i] = b.NotIf(code>>min(i, 63)&1 == 0)
	}
	return a.g.AndN(ls)
}

// lit returns the truth of a defined boolean.
func (a arith) lit(v value) aig.Lit { return a.is(v, 1) }

// eq returns v = w for defined values of one type, or for one-hot ones the
// n-ary OR over the elements, which is false when either is undefined.
func (a arith) eq(v, w value) aig.Lit {
	if v.hot != nil || w.hot != nil {
		var ls []aig.Lit
		for c := max(v.lo, w.lo); c <= min(v.hi, w.hi); c++ {
			ls = append(ls, a.g.And(a.is(v, c), a.is(w, c)))
		}
		return a.g.OrN(ls)
	}
	if c, ok := v.constVal(); ok {
		return a.is(w, c)
	}
	if c, ok := w.constVal(); ok {
		return a.is(v, c)
	}
	if v.hi < w.lo || w.hi < v.lo {
		return aig.False
	}
	off, n := a.common(v, w)
	x, y := a.code(v, off, n), a.code(w, off, n)
	return a.g.AndN(lists.Make(n, func(i int) aig.Lit { return a.g.Equal(x[i], y[i]) }))
}

// common returns an offset and a width in which both numbers are comparable.
func (a arith) common(v, w value) (off int64, n int) {
	if v.off == w.off {
		off = v.off
	}
	return off, width(min(v.lo, w.lo)-off, max(v.hi, w.hi)-off)
}

// less returns v < w.
func (a arith) less(v, w value) aig.Lit {
	if v.hi < w.lo {
		return aig.True
	}
	if v.lo >= w.hi {
		return aig.False
	}
	if v.hot != nil || w.hot != nil {
		return a.lessHot(v, w)
	}
	off, n := a.common(v, w)
	x, y := a.code(v, off, n), a.code(w, off, n)
	if min(v.lo, w.lo)-off < 0 { // signed: compare with the sign bits flipped
		x[n-1], y[n-1] = x[n-1].Not(), y[n-1].Not()
	}
	lt := aig.False
	for i := range x {
		lt = a.g.Mux(a.g.Xor(x[i], y[i]), y[i], lt)
	}
	return lt
}

// number makes a value of n-bit two's complement (or unsigned) bits.
func number(lo, hi int64, bits []aig.Lit) value {
	if lo == hi {
		return constant(lo)
	}
	return value{def: aig.True, bits: bits[:width(lo, hi)], lo: lo, hi: hi}
}

// shift adds the constant c to v.
func shift(v value, c int64) value {
	v.off += c
	v.lo += c
	v.hi += c
	return v
}

func (a arith) add(v, w value, lo, hi int64) value {
	if c, ok := w.constVal(); ok {
		return shift(v, c)
	}
	if c, ok := v.constVal(); ok {
		return shift(w, c)
	}
	if v.hot != nil && w.hot != nil {
		return a.addHot(v, w)
	}
	n := width(lo, hi)
	sum, _ := a.adder(a.code(v, 0, n), a.code(w, 0, n), aig.False)
	return number(lo, hi, sum)
}

func (a arith) sub(v, w value, lo, hi int64) value {
	if c, ok := w.constVal(); ok {
		return shift(v, -c)
	}
	if _, ok := v.constVal(); w.hot != nil && (ok || v.hot != nil) {
		return a.add(reverse(w), v, lo, hi)
	}
	n := width(lo, hi)
	diff, _ := a.adder(a.code(v, 0, n), inverted(a.code(w, 0, n)), aig.True)
	return number(lo, hi, diff)
}

func inverted(x []aig.Lit) []aig.Lit {
	return lists.Make(len(x), func(i int) aig.Lit { return x[i].Not() })
}

func (a arith) mul(v, w value, lo, hi int64) value {
	n := width(lo, hi)
	x, y := a.code(v, 0, n), a.code(w, 0, n)
	sum := a.zero(n)
	for i := range y {
		part := a.zero(n)
		for j := i; j < n; j++ {
			part[j] = a.g.And(y[i], x[j-i])
		}
		sum, _ = a.adder(sum, part, aig.False)
	}
	return number(lo, hi, sum)
}

func (a arith) zero(n int) []aig.Lit {
	return slices.Repeat([]aig.Lit{aig.False}, n)
}

// divide returns quotient and remainder, truncated towards zero, of v by a
// non-zero w: restoring division on magnitudes. The bounds are those of the
// quotient and of the remainder.
func (a arith) divide(v, w value) (quo, rem value) {
	if c, ok := w.constVal(); ok && v.hot != nil {
		return a.divideHot(v, c)
	}
	n := width(min(v.lo, w.lo, -v.hi, -w.hi), max(v.hi, w.hi, -v.lo, -w.lo))
	x, sx := a.magnitude(v, n)
	y, sy := a.magnitude(w, n)
	q, r := a.zero(n), a.zero(n+1)
	y = append(y, aig.False)
	for i := n - 1; i >= 0; i-- {
		copy(r[1:], r[:n])
		r[0] = x[i]
		diff, carry := a.adder(r, inverted(y), aig.True)
		q[i] = carry // no borrow: r ≥ y
		for j := range r {
			r[j] = a.g.Mux(carry, diff[j], r[j])
		}
	}
	big := max(v.hi, -v.lo)
	switch {
	case big == 0:
		quo = constant(0)
	case v.lo >= 0 && w.lo >= 0:
		quo = number(0, big, q)
	default:
		quo = value{def: aig.True, lo: -big, hi: big, bits: a.signed(a.g.Xor(sx, sy), q, -big, big)}
	}
	m := min(big, max(w.hi, -w.lo)-1)
	switch {
	case m <= 0:
		rem = constant(0)
	case v.lo >= 0:
		rem = number(0, m, r)
	default:
		rem = value{def: aig.True, lo: -m, hi: m, bits: a.signed(sx, r, -m, m)}
	}
	return quo, rem
}

// magnitude returns |v| in n bits and the sign.
func (a arith) magnitude(v value, n int) ([]aig.Lit, aig.Lit) {
	x := a.code(v, 0, n)
	if v.lo >= 0 {
		return x, aig.False
	}
	sign := x[n-1]
	return a.negateIf(sign, x), sign
}

func (a arith) negateIf(c aig.Lit, x []aig.Lit) []aig.Lit {
	y := lists.Make(len(x), func(i int) aig.Lit { return a.g.Xor(c, x[i]) })
	k := a.zero(len(x))
	y, _ = a.adder(y, k, c)
	return y
}

// signed returns the magnitude x, negated if sign, in the width of lo..hi.
func (a arith) signed(sign aig.Lit, x []aig.Lit, lo, hi int64) []aig.Lit {
	n := width(lo, hi)
	y := a.zero(n)
	copy(y, x)
	return a.negateIf(sign, y)
}

// mux returns c ? v : w for two values of one type.
func (a arith) mux(c aig.Lit, v, w value) value {
	switch c {
	case aig.True:
		return v
	case aig.False:
		return w
	}
	return newMerger(a, []aig.Lit{c, c.Not()}).value([]int{0, 1}, []value{v, w})
}
