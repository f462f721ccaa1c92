package linear

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestSolve: of random inequalities a solution satisfies all, and a reason adds up to a false one; and
// small ones have a solution if some small integers are one.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sat, unsat := 0, 0
	for range 3000 {
		n := 1 + r.IntN(4)
		var all []Inequality
		for range 1 + r.IntN(9) {
			q := Inequality{K: r.Int64N(9) - 4}
			for v := range n {
				if c := r.Int64N(5) - 2; c != 0 {
					q.Parts = append(q.Parts, Addend{c, v})
				}
			}
			all = append(all, q)
		}
		values, why := Solve(n, all)
		if why != nil {
			unsat++
			if !Contradicts(why, all) {
				t.Fatalf("%v: the reason %v is none", all, why)
			}
			broken := append(Reason{}, why...)
			broken[0].By = new(big.Rat).Add(why[0].By, big.NewRat(1, 3))
			if len(why) > 1 && Contradicts(broken, all) {
				t.Fatalf("%v: %v is taken for a reason", all, broken)
			}
			point := make([]int64, n)
			for range 200 {
				for v := range point {
					point[v] = r.Int64N(9) - 4
				}
				ok := true
				for _, q := range all {
					sum := q.K
					for _, p := range q.Parts {
						sum += p.Coef * point[p.Var]
					}
					ok = ok && sum <= 0
				}
				if ok {
					t.Fatalf("%v: %v is a solution", all, point)
				}
			}
			continue
		}
		sat++
		for _, q := range all {
			sum := new(big.Rat).SetInt64(q.K)
			for _, p := range q.Parts {
				sum.Add(sum, new(big.Rat).Mul(big.NewRat(p.Coef, 1), values[p.Var]))
			}
			if sum.Sign() > 0 {
				t.Fatalf("%v: %v is no solution of %v", all, values, q)
			}
		}
	}
	if sat < 300 || unsat < 300 {
		t.Errorf("%d have a solution, %d have none", sat, unsat)
	}
}

// TestLarge: numbers that are too large for machine words are as exact.
func TestLarge(t *testing.T) {
	const n = 12
	k := int64(1) << 29
	all := []Inequality{{K: 1, Parts: []Addend{{-1, 0}}}} // x0 ≥ 1
	for i := range n - 1 {                                // x[i+1] ≥ k x[i]
		all = append(all, Inequality{K: 0, Parts: []Addend{{k, i}, {-1, i + 1}}})
	}
	values, why := Solve(n, all)
	if why != nil || values[n-1].Cmp(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(k), big.NewInt(n-1), nil))) < 0 {
		t.Fatalf("%v, %v", values, why)
	}
	all = append(all, Inequality{K: -k, Parts: []Addend{{1, n - 1}}})
	if _, why = Solve(n, all); why == nil || !Contradicts(why, all) {
		t.Errorf("the reason is %v", why)
	}
	part := number{n: 3, d: 7}
	if x := part.add(whole(-(1 << 40))); x.sign() >= 0 || x.add(whole(1<<40)) != part {
		t.Errorf("%v", x)
	}
}
