package linear

import "math/big"

// number is an exact rational: n/d in lowest terms with d > 0, or big if that is too large. The zero value
// is not a number.
type number struct {
	n, d int64
	big  *big.Rat
}

// small bounds n and d, so that no product or sum of products overflows.
const small = 1 << 30

func whole(n int64) number {
	if n > -small && n < small {
		return number{n: n, d: 1}
	}
	return number{big: new(big.Rat).SetInt64(n)}
}

// reduce returns n/d; both are less than 2^62, and d is not 0.
func reduce(n, d int64) number {
	a, b := n, d
	for b != 0 {
		a, b = b, a%b
	}
	if n, d = n/a, d/a; d < 0 {
		n, d = -n, -d
	}
	if n > -small && n < small && d < small {
		return number{n: n, d: d}
	}
	return number{big: big.NewRat(n, d)}
}

// rat returns x as a big number, which must not be changed.
func (x number) rat() *big.Rat {
	if x.big != nil {
		return x.big
	}
	return big.NewRat(x.n, x.d)
}

// ofRat returns r as a number; r must not be changed afterwards.
func ofRat(r *big.Rat) number {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		if n, d := r.Num().Int64(), r.Denom().Int64(); n > -small && n < small && d < small {
			return number{n: n, d: d}
		}
	}
	return number{big: r}
}

func (x number) add(y number) number {
	if x.big == nil && y.big == nil {
		return reduce(x.n*y.d+y.n*x.d, x.d*y.d)
	}
	return ofRat(new(big.Rat).Add(x.rat(), y.rat()))
}

func (x number) mul(y number) number {
	if x.big == nil && y.big == nil {
		return reduce(x.n*y.n, x.d*y.d)
	}
	return ofRat(new(big.Rat).Mul(x.rat(), y.rat()))
}

// inverse returns 1/x; x is not 0.
func (x number) inverse() number {
	if x.big == nil {
		return reduce(x.d, x.n)
	}
	return ofRat(new(big.Rat).Inv(x.big))
}

func (x number) neg() number {
	if x.big == nil {
		return number{n: -x.n, d: x.d}
	}
	return ofRat(new(big.Rat).Neg(x.big))
}

func (x number) sign() int {
	switch {
	case x.big != nil:
		return x.big.Sign()
	case x.n < 0:
		return -1
	case x.n > 0:
		return 1
	}
	return 0
}

func (x number) cmp(y number) int {
	if x.big == nil && y.big == nil {
		a, b := x.n*y.d, y.n*x.d
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	return x.rat().Cmp(y.rat())
}
