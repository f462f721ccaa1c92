package model

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Real numbers, as CMurphi has them (Della Penna, Intrigila, Melatti, Minichino, Ciancamerla, Parisse, Tronci, Venturini
// Zilli, "Automatic verification of a turbogas control system with the Murphi verifier", HSCC 2003). Expressions are
// computed in floating point; what is stored is rounded to the digits of its type. So a leaf has finitely many values,
// which are numbered (Type.Digits), and a state is compared, packed and put in order as any other.

// NewReal returns the type with so many digits and exponents up to a greatest one.
func NewReal(digits, exponent int) *Type {
	t := &Type{Kind: Real, Digits: digits, Exponent: exponent, Leaves: 1}
	t.Hi = 2 * int64(exponent) * t.mantissas()
	t.Lo = -t.Hi
	return t
}

// mantissas returns how many values there are of one exponent.
func (t *Type) mantissas() int64 { return 9 * tenTo(t.Digits-1) }

func tenTo(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// parts returns a positive value as mantissa times a power of ten; the mantissa has all digits.
func (t *Type) parts(v int64) (mantissa int64, ten int) {
	n := t.mantissas()
	return (v-1)%n + n/9, int((v-1)/n) + 1 - t.Exponent - (t.Digits - 1)
}

// decimal returns a value as CMurphi prints it.
func (t *Type) decimal(v int64) string {
	if t.Digits == 0 {
		return strconv.FormatFloat(RealOf(v), 'g', -1, 64)
	}
	return fmt.Sprintf("%+.*e", t.Digits-1, t.float(v))
}

// float returns the floating-point number that is nearest to a value.
func (t *Type) float(v int64) float64 {
	if v <= 0 {
		if v == 0 {
			return 0
		}
		return -t.float(-v)
	}
	m, ten := t.parts(v)
	switch { // both factors are exact
	case 0 <= ten && ten <= 18:
		return float64(m) * float64(tenTo(ten))
	case -18 <= ten && ten < 0:
		return float64(m) / float64(tenTo(-ten))
	}
	x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, ten), 64)
	return x
}

// Nearest returns the value that is nearest to x, as printf rounds; what is too small is 0. The text says what is wrong with x, if
// there is none.
func (t *Type) Nearest(x float64) (v int64, wrong string) {
	switch {
	case math.IsNaN(x):
		return 0, "the result is not a number"
	case math.IsInf(x, 0):
		return 0, "the result is infinite"
	case x < 0:
		v, wrong = t.Nearest(-x)
		return -v, wrong
	case x == 0:
		return 0, ""
	}
	var buf [40]byte
	m, ten := int64(0), 0
	text := strconv.AppendFloat(buf[:0], x, 'e', t.Digits-1, 64)
	for i, c := range text {
		if c == 'e' {
			ten, _ = strconv.Atoi(string(text[i+1:]))
			break
		}
		if c != '.' {
			m = 10*m + int64(c-'0')
		}
	}
	switch {
	case ten > t.Exponent, ten == 308 && infinite(string(text)):
		return 0, fmt.Sprintf("%s is too large for %v", text, t)
	case ten <= -t.Exponent:
		return 0, ""
	}
	n := t.mantissas()
	return int64(ten+t.Exponent-1)*n + m - n/9 + 1, ""
}

// infinite reports whether a decimal number is larger than all floating-point numbers.
func infinite(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// ratio returns a value as a fraction in lowest terms.
func (t *Type) ratio(v int64) *big.Rat {
	if v < 0 {
		r := t.ratio(-v)
		return r.Neg(r)
	}
	r := new(big.Rat)
	if v > 0 {
		m, ten := t.parts(v)
		r.SetString(fmt.Sprintf("%de%d", m, ten))
	}
	return r
}

// RealBits returns the value of RealType that stands for a number: the complement of its bits, which is Undef for none.
func RealBits(x float64) int64 {
	if math.IsNaN(x) {
		x = math.NaN()
	}
	return int64(^math.Float64bits(x))
}

// RealOf returns the number that a value of RealType stands for.
func RealOf(v int64) float64 { return math.Float64frombits(^uint64(v)) }

// RealCompute applies an operator that is arithmetic, or a function.
func RealCompute(op string, x, y float64) float64 { return realOperators[op](x, y) }

var realComparisons = map[string]func(x, y float64) bool{
	"=":  func(x, y float64) bool { return x == y },
	"!=": func(x, y float64) bool { return x != y },
	"<":  func(x, y float64) bool { return x < y },
	"<=": func(x, y float64) bool { return x <= y },
	">":  func(x, y float64) bool { return x > y },
	">=": func(x, y float64) bool { return x >= y },
}

var realOperators = map[string]func(x, y float64) float64{
	"+":   func(x, y float64) float64 { return x + y },
	"-":   func(x, y float64) float64 { return x - y },
	"*":   func(x, y float64) float64 { return x * y },
	"/":   func(x, y float64) float64 { return x / y },
	"neg": func(x, _ float64) float64 { return -x },
	"log": of(math.Log), "log10": of(math.Log10), "exp": of(math.Exp), "sin": of(math.Sin), "cos": of(math.Cos), "tan": of(math.Tan),
	"fabs": of(math.Abs), "floor": of(math.Floor), "ceil": of(math.Ceil), "sqrt": of(math.Sqrt), "fmod": math.Mod, "pow": math.Pow,
	"asin": of(math.Asin), "acos": of(math.Acos), "atan": of(math.Atan), "sinh": of(math.Sinh), "cosh": of(math.Cosh), "tanh": of(math.Tanh),
}

func of(f func(float64) float64) func(x, _ float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// real compiles an expression that is no comparison.
func (c *compiler) real(e *RealExpr) evalFn {
	x, p, pos, t := c.eval(e.X), c.p, e.Pos, e.X.Type()
	switch e.Op {
	case "integer":
		return func(f []int64) int64 { return RealBits(float64(x(f))) }
	case "decimal":
		return func(f []int64) int64 { return RealBits(t.float(x(f))) }
	case "round":
		return func(f []int64) int64 {
			v, wrong := e.T.Nearest(RealOf(x(f)))
			if wrong != "" {
				p.raise(pos, "%s", wrong)
			}
			return v
		}
	case "numerator", "denominator":
		return func(f []int64) int64 {
			r := t.ratio(x(f))
			part := r.Num()
			if e.Op == "denominator" {
				part = r.Denom()
			}
			if !part.IsInt64() {
				p.raise(pos, "the %s of %v does not fit into 64 bits", e.Op, r)
			}
			return part.Int64()
		}
	}
	op := realOperators[e.Op]
	if e.Y == nil {
		return func(f []int64) int64 { return RealBits(op(RealOf(x(f)), 0)) }
	}
	y := c.eval(e.Y)
	return func(f []int64) int64 {
		a := RealOf(x(f))
		return RealBits(op(a, RealOf(y(f))))
	}
}
