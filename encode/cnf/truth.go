package cnf

import "math/bits"

// This file has functions of up to six variables as truth tables, and their clauses.
//
// Bit r of a table is the value in row r, in which variable i has the value of bit i of r.
// A function that does not depend on a variable repeats itself, so a table of fewer
// variables is a table of six.

// table is a function of up to tableVars variables.
type table uint64

const tableVars = 6

// variables holds the tables of single variables.
var variables = [tableVars]table{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// with returns t with variable i replaced by a constant.
func (t table) with(i int, value bool) table {
	if value {
		h := t & variables[i]
		return h | h>>(1<<i)
	}
	h := t &^ variables[i]
	return h | h<<(1<<i)
}

// depends reports whether t depends on variable i.
func (t table) depends(i int) bool { return (t>>(1<<i)^t)&^variables[i] != 0 }

// flip returns t with variable i negated.
func (t table) flip(i int) table {
	return t&variables[i]>>(1<<i) | t&^variables[i]<<(1<<i)
}

// swap returns t with variables i < j exchanged.
func (t table) swap(i, j int) table {
	up, down := variables[i]&^variables[j], variables[j]&^variables[i]
	shift := 1<<j - 1<<i
	return t&^(up|down) | t&up<<shift | t&down>>shift
}

// merge returns t with variable j made equal to variable i.
func (t table) merge(i, j int) table {
	return t.with(j, true)&variables[i] | t.with(j, false)&^variables[i]
}

// cube is a conjunction of literals of variables: the low byte has the positive ones, the
// high byte the negative ones.
type cube uint16

// cover returns an irredundant sum of products of f (Minato: Fast generation of irredundant
// sum-of-products forms from binary decision diagrams, 1992).
func cover(f table) []cube {
	var cubes []cube
	minato(f, f, tableVars, &cubes)
	return cubes
}

// minato appends the cubes of a function between lower and upper, which depend on the first
// n variables only, and returns this function.
func minato(lower, upper table, n int, cubes *[]cube) table {
	if lower == 0 {
		return 0
	}
	if ^upper == 0 {
		*cubes = append(*cubes, 0)
		return upper
	}
	n--
	for !lower.depends(n) && !upper.depends(n) {
		n--
	}
	l0, l1 := lower.with(n, false), lower.with(n, true)
	u0, u1 := upper.with(n, false), upper.with(n, true)
	from := len(*cubes)
	f0 := minato(l0&^u1, u0, n, cubes)
	for i := from; i < len(*cubes); i++ {
		(*cubes)[i] |= 1 << (8 + n)
	}
	from = len(*cubes)
	f1 := minato(l1&^u0, u1, n, cubes)
	for i := from; i < len(*cubes); i++ {
		(*cubes)[i] |= 1 << n
	}
	f := minato(l0&^f0|l1&^f1, u0&u1, n, cubes)
	return f | f0&^variables[n] | f1&variables[n]
}

// output is the variable of a gate in its clauses.
const output = tableVars

// definition returns the clauses of output ↔ f: each is the length of a clause, and then its
// literals as twice the variable, plus one when negated.
func definition(f table) (clauses []uint8) {
	for _, phase := range []table{f, ^f} {
		for _, c := range cover(phase) {
			n := bits.OnesCount16(uint16(c))
			clauses = append(clauses, uint8(n+1))
			for i := range tableVars {
				if c>>i&1 == 1 {
					clauses = append(clauses, uint8(2*i+1))
				}
				if c>>(8+i)&1 == 1 {
					clauses = append(clauses, uint8(2*i))
				}
			}
			out := uint8(2 * output)
			if phase != f {
				out++
			}
			clauses = append(clauses, out)
		}
	}
	return clauses
}

// conjunction returns the negated variables of t if t is a conjunction of literals of its
// first n variables.
func (t table) conjunction(n int) (negated uint8, ok bool) {
	if bits.OnesCount64(uint64(t)) != 1<<(tableVars-n) {
		return 0, false
	}
	return ^uint8(bits.TrailingZeros64(uint64(t))) & (1<<n - 1), true
}
