package encode

import (
	"orbitmc/aig"
	"orbitmc/model"
)

// Bit operators and shifts of numbers, as 64-bit two's complement. All numbers
// are shorter, so the upper bits are copies of the sign.

// bitwise returns v op w for BitAnd, BitOr and BitXor.
func (a arith) bitwise(op model.Op, v, w value) value {
	apply := map[model.Op]func(x, y aig.Lit) aig.Lit{model.BitAnd: a.g.And, model.BitOr: a.g.Or, model.BitXor: a.g.Xor}[op]
	n := max(width(v.lo, v.hi), width(w.lo, w.hi))
	signed := v.lo < 0 || w.lo < 0
	if signed { // room for the sign of both
		n = max(width(min(v.lo, -1), v.hi), width(min(w.lo, -1), w.hi))
	}
	x, y := a.code(v, 0, n), a.code(w, 0, n)
	for i := range x {
		x[i] = apply(x[i], y[i])
	}
	r := value{def: aig.True, bits: x, lo: 0, hi: int64(1)<<n - 1}
	if signed {
		r.lo, r.hi = -(int64(1) << (n - 1)), int64(1)<<(n-1)-1
	}
	if v.lo == v.hi && w.lo == w.hi {
		k := map[model.Op]int64{model.BitAnd: v.lo & w.lo, model.BitOr: v.lo | w.lo, model.BitXor: v.lo ^ w.lo}[op]
		return constant(k)
	}
	if !signed && op == model.BitAnd {
		r.hi = min(v.hi, w.hi)
		r.bits = r.bits[:width(0, r.hi)]
		if r.hi == 0 {
			return constant(0)
		}
	}
	return r
}

// shifted returns v shifted left, or right, by w bits; ok is false if the result
// may be too large.
func (a arith) shifted(v, w value, right bool) (r value, ok bool) {
	if right {
		w = a.sub(constant(0), w, -w.hi, -w.lo)
	}
	// Now by w to the left, or by -w to the right.
	by := func(k int64) (value, bool) {
		switch {
		case k >= 64:
			return constant(0), true
		case k <= -63:
			k = -63
			fallthrough
		case k <= 0:
			return a.shiftRight(v, int(-k)), true
		}
		if k > 62 || v.lo < -(maxMagnitude>>k) || v.hi > maxMagnitude>>k {
			return value{}, v.lo == 0 && v.hi == 0
		}
		return value{def: aig.True, bits: append(a.zero(int(k)), a.code(v, 0, max(1, width(v.lo, v.hi)))...), lo: v.lo << k, hi: v.hi << k}, true
	}
	if v.lo == 0 && v.hi == 0 {
		return constant(0), true
	}
	lo, hi := max(w.lo, -63), min(w.hi, 64)
	lo, hi = min(lo, 64), max(hi, -63)
	r, ok = by(hi)
	for k := hi - 1; ok && k >= lo; k-- {
		var s value
		if s, ok = by(k); ok {
			r = a.mux(a.less(constant(k), w).Not(), s, r)
		}
	}
	return r, ok
}

// shiftRight returns v shifted right by k bits, rounding down.
func (a arith) shiftRight(v value, k int) value {
	lo, hi := v.lo>>k, v.hi>>k
	if lo == hi {
		return constant(lo)
	}
	bits := a.code(v, 0, width(v.lo, v.hi))
	return value{def: aig.True, bits: bits[min(k, len(bits)-1):], lo: lo, hi: hi} // the sign is left if nothing else is
}
