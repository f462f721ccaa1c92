package benchmarks

import (
	"math/big"
	"regexp"
	"strings"
)

// Verdicts of graphs are orders of groups, in decimal digits: "order 48". Tools
// that compute with floating-point numbers give the first digits and an exponent
// of what is large, as in "order 3.153561347796e51".

// Agree reports whether two verdicts can both be right: they are the same, or
// orders of which at least one is rounded, with no more than rounding between them.
func Agree(v, w string) bool {
	if v == w {
		return true
	}
	a, exactA := order(v)
	b, exactB := order(w)
	if a == nil || b == nil || exactA && exactB {
		return false
	}
	// Ten digits are left of twelve, and of a product of many factors.
	difference := new(big.Float).Sub(a, b)
	limit := new(big.Float).Mul(a, big.NewFloat(1e-9))
	return difference.Abs(difference).Cmp(limit) <= 0
}

// ShortVerdict returns a verdict for a table: of a large order, its first digits.
func ShortVerdict(v string) string {
	if n, _ := order(v); n != nil && len(v) > 24 {
		return "order " + strings.Replace(n.Text('e', 5), "e+", "e", 1)
	}
	return v
}

var orderText = regexp.MustCompile(`^order ([1-9][0-9]*)((?:\.[0-9]+)?(?:e[0-9]+)?)$`)

// order returns the number in an "order N", nil if the verdict is none, and
// whether all its digits are there.
func order(v string) (n *big.Float, exact bool) {
	found := orderText.FindStringSubmatch(v)
	if found == nil {
		return nil, false
	}
	n, _, err := big.ParseFloat(found[1]+found[2], 10, 128, big.ToNearestEven)
	if err != nil || n.IsInf() {
		return nil, false
	}
	return n, found[2] == ""
}
