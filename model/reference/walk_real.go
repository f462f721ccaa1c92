package reference

import (
	"errors"
	"math"
	"math/big"

	"orbitmc/model"
)

// This file is the reference interpreter (walk.go) on real numbers. Decimal numbers are exact fractions here.

// walkTen returns a power of ten.
func walkTen(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(int64(n), -int64(n))), nil)
	r := new(big.Rat).SetInt(p)
	if n < 0 {
		r.Inv(r)
	}
	return r
}

// Decimal returns the number that a value of a Real type stands for.
func Decimal(t *model.Type, v int64) *big.Rat {
	perExponent := (t.Hi / 2) / int64(t.Exponent) // mantissas
	n := max(v, -v)
	r := new(big.Rat)
	if n > 0 {
		n--
		r.SetInt64(perExponent/9 + n%perExponent)
		r.Mul(r, walkTen(int(n/perExponent)-t.Exponent-t.Digits+2))
	}
	if v < 0 {
		r.Neg(r)
	}
	return r
}

// Round returns the value of a Real type that is nearest to x, of two the even one.
func Round(t *model.Type, x float64) (int64, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errRun
	}
	exact := new(big.Rat).SetFloat64(math.Abs(x))
	if exact.Sign() == 0 {
		return 0, nil
	}
	ten := int(math.Log10(math.Abs(x)))
	for exact.Cmp(walkTen(ten)) < 0 {
		ten--
	}
	for exact.Cmp(walkTen(ten+1)) >= 0 {
		ten++
	}
	scaled := exact.Mul(exact, walkTen(t.Digits-1-ten))
	m, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(scaled.Denom())
	mantissa := m.Int64()
	if half > 0 || half == 0 && mantissa%2 == 1 {
		mantissa++
	}
	perExponent := (t.Hi / 2) / int64(t.Exponent)
	if mantissa == perExponent/9*10 {
		mantissa, ten = mantissa/10, ten+1
	}
	switch {
	case ten > t.Exponent:
		return 0, errRun
	case ten < 1-t.Exponent:
		return 0, nil
	}
	v := int64(ten+t.Exponent-1)*perExponent + mantissa - perExponent/9 + 1
	if f, _ := Decimal(t, v).Float64(); math.IsInf(f, 0) {
		return 0, errRun
	}
	if x < 0 {
		v = -v
	}
	return v, nil
}

// A number is kept as its bits, and all of these are inverted, as those of 0 with a sign are the ones of Undef.
func walkBits(x float64) int64  { return int64(math.Float64bits(x)) ^ -1 }
func walkFloat(v int64) float64 { return math.Float64frombits(uint64(v ^ -1)) }

// real evaluates an expression.
func (w *Walker) real(e *model.RealExpr) (int64, error) {
	v, err := w.eval(e.X)
	if err != nil {
		return 0, err
	}
	t := e.X.Type()
	switch e.Op {
	case "integer":
		return walkBits(float64(v)), nil
	case "decimal":
		x, _ := Decimal(t, v).Float64()
		return walkBits(x), nil
	case "round":
		return Round(e.T, walkFloat(v))
	case "numerator", "denominator":
		r := Decimal(t, v)
		n := r.Num()
		if e.Op == "denominator" {
			n = r.Denom()
		}
		return walkNumber(n.Int64(), n.IsInt64())
	}
	x, y := walkFloat(v), 0.0
	if e.Y != nil {
		u, err := w.eval(e.Y)
		if err != nil {
			return 0, err
		}
		y = walkFloat(u)
	}
	if truth, is := walkCompare(e.Op, x, y); is {
		return walkTruth(truth)
	}
	f := walkFunctions[e.Op]
	if f == nil {
		return 0, errors.New("unknown operator")
	}
	return walkBits(f(x, y)), nil
}

func walkCompare(op string, x, y float64) (truth, is bool) {
	truth, is = map[string]bool{"=": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
	return truth, is
}

var walkFunctions = map[string]func(x, y float64) float64{
	"+": func(x, y float64) float64 { return x + y }, "-": func(x, y float64) float64 { return x - y },
	"*": func(x, y float64) float64 { return x * y }, "/": func(x, y float64) float64 { return x / y },
	"neg": walkUnary(func(x float64) float64 { return -x }), "fmod": math.Mod, "pow": math.Pow,
	"log": walkUnary(math.Log), "log10": walkUnary(math.Log10), "exp": walkUnary(math.Exp), "sqrt": walkUnary(math.Sqrt),
	"fabs": walkUnary(math.Abs), "floor": walkUnary(math.Floor), "ceil": walkUnary(math.Ceil),
	"sin": walkUnary(math.Sin), "cos": walkUnary(math.Cos), "tan": walkUnary(math.Tan),
	"asin": walkUnary(math.Asin), "acos": walkUnary(math.Acos), "atan": walkUnary(math.Atan),
	"sinh": walkUnary(math.Sinh), "cosh": walkUnary(math.Cosh), "tanh": walkUnary(math.Tanh),
}

func walkUnary(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}
