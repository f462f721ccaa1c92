package portfolio

import (
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// This file computes the affine hull of sampled states by elimination: all equations that hold between the columns of
// some vectors, where column 0 is the constant 1. Karr (Affine relationships among variables of a program, Acta
// Informatica 1976) computes such equations from the text of a program. Here they need not hold in all states: each is
// a candidate for a lemma, and is proved later (every_counts.go).

// rows is a vector space: rows in echelon form, each with the first column that is not 0.
type rows struct {
	at  []int
	row [][]*big.Rat
}

func (r *rows) add(v []int64) {
	x := lists.Map(v, func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) })
	minus := func(x, y []*big.Rat, at int) { // so that x[at] is 0; y[at] is 1
		k := new(big.Rat).Set(x[at])
		if k.Sign() == 0 {
			return
		}
		for i := range x {
			x[i] = new(big.Rat).Sub(x[i], new(big.Rat).Mul(k, y[i]))
		}
	}
	for k, at := range r.at {
		minus(x, r.row[k], at)
	}
	at := slices.IndexFunc(x, func(n *big.Rat) bool { return n.Sign() != 0 })
	if at < 0 {
		return
	}
	inv := new(big.Rat).Inv(x[at])
	for i := range x {
		x[i] = new(big.Rat).Mul(x[i], inv)
	}
	for k := range r.row {
		minus(r.row[k], x, at)
	}
	r.at, r.row = append(r.at, at), append(r.row, x)
}

// equations returns a basis of the vectors that are orthogonal to all rows, of n integers each.
func (r *rows) equations(n int) (out [][]*big.Int) {
	for free := range n {
		if slices.Contains(r.at, free) {
			continue
		}
		q := lists.Make(n, func(i int) *big.Rat { return new(big.Rat) })
		q[free].SetInt64(1)
		for k, at := range r.at {
			q[at].Neg(r.row[k][free])
		}
		scale := big.NewInt(1)
		for _, x := range q {
			d := x.Denom()
			g := new(big.Int).GCD(nil, nil, scale, d)
			scale.Mul(scale, new(big.Int).Quo(d, g))
		}
		ints := make([]*big.Int, n)
		for i, x := range q {
			ints[i] = new(big.Int).Quo(new(big.Int).Mul(x.Num(), scale), x.Denom())
		}
		out = append(out, ints)
	}
	return out
}
