package model

import (
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// span is a domain with its bounds known: the values lo, lo+by, … of which
// there are n.
type span struct {
	lo, by int64
	n      uint64
}

// newSpan returns the values from, from+by, … up to and including to (down to,
// for a negative by); by is not 0.
func newSpan(from, to, by int64) span {
	switch {
	case by > 0 && from <= to:
		return span{from, by, (uint64(to)-uint64(from))/uint64(by) + 1}
	case by < 0 && from >= to:
		return span{from, by, (uint64(from)-uint64(to))/-uint64(by) + 1}
	}
	return span{from, by, 0}
}

// at returns the i-th value.
func (s span) at(i uint64) int64 { return s.lo + int64(i)*s.by }

// index returns the position of v, if it is one of the values.
func (s span) index(v int64) (i uint64, ok bool) {
	if s.by < 0 {
		if v > s.lo {
			return 0, false
		}
		i, ok = (uint64(s.lo)-uint64(v))/-uint64(s.by), (uint64(s.lo)-uint64(v))%-uint64(s.by) == 0
	} else {
		if v < s.lo {
			return 0, false
		}
		i, ok = (uint64(v)-uint64(s.lo))/uint64(s.by), (uint64(v)-uint64(s.lo))%uint64(s.by) == 0
	}
	return i, ok && i < s.n
}

// bounds returns the least and the greatest value; s is not empty.
func (s span) bounds() (lo, hi int64) {
	last := s.at(s.n - 1)
	return min(s.lo, last), max(s.lo, last)
}

// Bounds returns the bounds and the step that a domain names.
func (d Domain) Bounds() []Expr {
	return lists.Where([]Expr{d.From, d.To, d.By}, func(e Expr) bool { return e != nil })
}

// Constant reports whether they are numbers.
func (d Domain) Constant() bool {
	return !slices.ContainsFunc(d.Bounds(), func(e Expr) bool {
		_, ok := e.(*ConstExpr)
		return !ok
	})
}

// constSpan returns the span of a domain whose bounds are constant.
func (d Domain) constSpan() (span, bool) {
	if d.From == nil {
		return newSpan(d.Type.Lo, d.Type.Hi, 1), true
	}
	from, ok1 := constant(d.From)
	to, ok2 := constant(d.To)
	by, ok3 := int64(1), true
	if d.By != nil {
		by, ok3 = constant(d.By)
	}
	if !ok1 || !ok2 || !ok3 || by == 0 {
		return span{}, false
	}
	return newSpan(from, to, by), true
}

// Size returns the number of values of a domain with constant bounds, without
// listing them; it panics like Values.
func (d Domain) Size() uint64 {
	s, ok := d.constSpan()
	if !ok {
		panic("model: Size of a domain without constant bounds")
	}
	return s.n
}

// Values returns the values of a domain in the order in which they are taken.
// It panics unless the bounds are constant, as those of a ruleset are.
func (d Domain) Values() []int64 {
	s, ok := d.constSpan()
	if !ok {
		panic("model: Values of a domain without constant bounds")
	}
	return lists.Make(int(s.n), func(i int) int64 { return s.at(uint64(i)) })
}

// ascending reports whether the values are those of Type in increasing order.
func (d Domain) ascending() bool {
	s, ok := d.constSpan()
	return ok && (s.by == 1 || s.n == 1) && s.lo == d.Type.Lo && s.n == uint64(d.Type.Hi-d.Type.Lo)+1
}

// constant returns the value of an expression made of constants alone whose
// evaluation is not an error.
func constant(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *ConstExpr:
		return e.Value, true
	case *Not:
		x, ok := constant(e.X)
		return 1 - x, ok
	case *Convert:
		if x, ok := constant(e.X); ok {
			return e.X.Type().Convert(e.To, x)
		}
	case *Binary:
		if e.Op < Add {
			return 0, false
		}
		x, ok := constant(e.X)
		if !ok {
			return 0, false
		}
		y, ok := constant(e.Y)
		if !ok {
			return 0, false
		}
		return Arith(e.Op, x, y)
	}
	return 0, false
}

// Apply applies an operator of two operands. Booleans are 0 and 1. ok is false as for Arith.
func Apply(op Op, x, y int64) (r int64, ok bool) {
	truth := false
	switch {
	case op >= Add:
		return Arith(op, x, y)
	case op == And:
		truth = x != 0 && y != 0
	case op == Or:
		truth = x != 0 || y != 0
	case op == Implies:
		truth = x == 0 || y != 0
	default:
		truth = Compare(op, x, y)
	}
	if truth {
		return 1, true
	}
	return 0, true
}

// Compare applies a comparison.
func Compare(op Op, x, y int64) bool {
	switch op {
	case Eq:
		return x == y
	case Ne:
		return x != y
	case Lt:
		return x < y
	case Le:
		return x <= y
	case Gt:
		return x > y
	case Ge:
		return x >= y
	}
	panic("model: " + op.String() + " is no comparison")
}

// Mirror returns the comparison of y with x that is op of x with y.
func (op Op) Mirror() Op {
	switch op {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return op
}

// ConstLast returns the operands and the operator of a comparison, mirrored if the first operand is a constant.
func (e *Binary) ConstLast() (x, y Expr, op Op) {
	if _, ok := e.X.(*ConstExpr); ok {
		return e.Y, e.X, e.Op.Mirror()
	}
	return e.X, e.Y, e.Op
}

// Arith applies an arithmetic operator; ok is false for an overflow (Undef
// counts as one) and for a division by zero.
func Arith(op Op, x, y int64) (r int64, ok bool) {
	switch op {
	case Add:
		r = x + y
		ok = (r > x) == (y > 0)
	case Sub:
		r = x - y
		ok = (r < x) == (y > 0)
	case Mul:
		if x == 0 || y == 0 {
			return 0, true
		}
		r = x * y
		ok = r/y == x && !(x == -1 && y == Undef) && !(y == -1 && x == Undef)
	case Div:
		if y == 0 {
			return 0, false
		}
		r, ok = x/y, true
	case Mod:
		if y == 0 {
			return 0, false
		}
		r, ok = x%y, true
	case BitAnd:
		r, ok = x&y, true
	case BitOr:
		r, ok = x|y, true
	case BitXor:
		r, ok = x^y, true
	case Shl:
		r, ok = shift(x, y), true
	case Shr:
		if y == Undef {
			return 0, false
		}
		r, ok = shift(x, -y), true
	default:
		panic("model: " + op.String() + " is not an arithmetic operator")
	}
	return r, ok && r != Undef
}

// shift shifts x left by n, or right by -n.
func shift(x, n int64) int64 {
	if n < 0 {
		return x >> uint64(-n)
	}
	return x << uint64(n)
}

// instances returns the number of instances of the rules.
func instances(units []unit) *big.Int {
	sum := new(big.Int)
	for _, u := range units {
		n := big.NewInt(1)
		for _, s := range u.params {
			n.Mul(n, new(big.Int).SetUint64(s.n))
		}
		sum.Add(sum, n)
	}
	return sum
}
