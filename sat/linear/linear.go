// Package linear decides whether linear inequalities have a common rational solution. If they have
// none it says why: some of them, each times a positive number, add up to one that is false
// (Farkas). Whoever does not trust the search adds them up.
//
// The method is the simplex of Dutertre and de Moura (A fast linear-arithmetic solver for DPLL(T),
// CAV 2006), with Bland's rule, so that it ends; all numbers are exact.
package linear

import (
	"maps"
	"math/big"
	"slices"
)

// Addend is a variable, from 0 on, times a coefficient.
type Addend struct {
	Coef int64
	Var  int
}

// Inequality says that a sum is at most 0: K and all Parts. No variable occurs twice.
type Inequality struct {
	K     int64
	Parts []Addend
}

// Of returns the inequality with the given coefficients, by variable.
func Of(k int64, coef map[int]int64) Inequality {
	q := Inequality{K: k}
	for _, v := range slices.Sorted(maps.Keys(coef)) {
		if coef[v] != 0 {
			q.Parts = append(q.Parts, Addend{coef[v], v})
		}
	}
	return q
}

// Not returns the negation of an inequality of integers: that the sum is at least 1.
func (i Inequality) Not() Inequality {
	not := Inequality{K: 1 - i.K}
	for _, p := range i.Parts {
		not.Parts = append(not.Parts, Addend{-p.Coef, p.Var})
	}
	return not
}

// Reason is a number of inequalities, positive multiples of which add up to a false one.
type Reason []Multiple

// Multiple is an inequality, by its index, times a positive number.
type Multiple struct {
	Index int
	By    *big.Rat
}

// Solve returns a solution of the inequalities in n variables, or the reason that there is none.
// Variables in no inequality are 0.
func Solve(n int, all []Inequality) (values []*big.Rat, why Reason) {
	var used []int // the variables
	column := slices.Repeat([]int{-1}, n)
	for _, q := range all {
		for _, p := range q.Parts {
			if column[p.Var] < 0 {
				column[p.Var] = len(used)
				used = append(used, p.Var)
			}
		}
	}
	t := newTableau(len(used), all, column)
	for {
		row := t.violated()
		if row < 0 {
			for _, c := range column {
				if c < 0 {
					values = append(values, new(big.Rat))
				} else {
					values = append(values, t.value[c].rat())
				}
			}
			return values, nil
		}
		col := t.entering(row)
		if col < 0 {
			return nil, t.reason(row)
		}
		t.pivot(row, col)
	}
}

// Contradicts reports whether multiples of inequalities that a reason names add up to a false one.
func Contradicts(why Reason, all []Inequality) bool {
	sums := make(map[int]*big.Rat)
	k := new(big.Rat)
	for _, m := range why {
		if m.By.Sign() <= 0 || m.Index < 0 || m.Index >= len(all) {
			return false
		}
		q := &all[m.Index]
		k.Add(k, new(big.Rat).Mul(m.By, new(big.Rat).SetInt64(q.K)))
		for _, p := range q.Parts {
			if sums[p.Var] == nil {
				sums[p.Var] = new(big.Rat)
			}
			sums[p.Var].Add(sums[p.Var], new(big.Rat).Mul(m.By, new(big.Rat).SetInt64(p.Coef)))
		}
	}
	for _, s := range sums {
		if s.Sign() != 0 {
			return false
		}
	}
	return k.Sign() > 0
}

// tableau has a row for each basic variable: it is the sum of the others, each times its
// coefficient. Variable n+i is the sum of inequality i without K; it is at most bound[i].
type tableau struct {
	n     int
	bound []number   // by inequality
	value []number   // by variable
	basic []int      // by row
	other []int      // by column
	coef  [][]number // by row and column
}

func newTableau(n int, all []Inequality, column []int) *tableau {
	t := &tableau{n: n}
	for range n + len(all) {
		t.value = append(t.value, whole(0))
	}
	for j := range n {
		t.other = append(t.other, j)
	}
	for i, q := range all {
		t.bound = append(t.bound, whole(-q.K))
		row := make([]number, n)
		for j := range row {
			row[j] = whole(0)
		}
		for _, p := range q.Parts {
			row[column[p.Var]] = whole(p.Coef)
		}
		t.coef, t.basic = append(t.coef, row), append(t.basic, n+i)
	}
	return t
}

// full reports whether a variable is at its limit.
func (t *tableau) full(v int) bool { return v >= t.n && t.value[v].cmp(t.bound[v-t.n]) >= 0 }

// violated returns the row of the first variable that is too large; -1 if none is.
func (t *tableau) violated() int {
	best := -1
	for r, v := range t.basic {
		if v >= t.n && t.value[v].cmp(t.bound[v-t.n]) > 0 && (best < 0 || v < t.basic[best]) {
			best = r
		}
	}
	return best
}

// entering returns the column of the first variable a change of which makes that of a row smaller; -1 if
// there is none.
func (t *tableau) entering(row int) int {
	best := -1
	for c, v := range t.other {
		a := t.coef[row][c].sign()
		if a == 0 || a < 0 && t.full(v) {
			continue
		}
		if best < 0 || v < t.other[best] {
			best = c
		}
	}
	return best
}

// reason says why the variable of a row is too large: all that could make it smaller is at its limit.
func (t *tableau) reason(row int) Reason {
	why := Reason{{t.basic[row] - t.n, big.NewRat(1, 1)}}
	for c, v := range t.other {
		if a := t.coef[row][c]; a.sign() != 0 {
			why = append(why, Multiple{v - t.n, a.neg().rat()})
		}
	}
	return why
}

// pivot sets the variable of a row to its limit by a change of that of a column, and exchanges them.
func (t *tableau) pivot(row, col int) {
	out, in := t.basic[row], t.other[col]
	inv := t.coef[row][col].inverse()
	step := t.bound[out-t.n].add(t.value[out].neg()).mul(inv)
	t.value[in] = t.value[in].add(step)
	t.value[out] = t.bound[out-t.n]
	for r, v := range t.basic {
		if c := t.coef[r][col]; r != row && c.sign() != 0 {
			t.value[v] = t.value[v].add(c.mul(step))
		}
	}
	// in = (out - Σ others) / a
	minus := inv.neg()
	for c, x := range t.coef[row] {
		switch {
		case c == col:
			t.coef[row][c] = inv
		case x.sign() != 0:
			t.coef[row][c] = x.mul(minus)
		}
	}
	t.basic[row], t.other[col] = in, out
	for r := range t.coef {
		f := t.coef[r][col]
		if r == row || f.sign() == 0 {
			continue
		}
		t.coef[r][col] = whole(0)
		for c, x := range t.coef[row] {
			if x.sign() != 0 {
				t.coef[r][c] = t.coef[r][c].add(f.mul(x))
			}
		}
	}
}
