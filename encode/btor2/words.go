package btor2

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// This file makes circuits of operators. A word is a list of literals, the lowest bit
// first. Adders ripple and products add shifted rows: engines profit from few gates, not
// from short paths.

type word []aig.Lit

type circuit struct{ g *aig.Graph }

func constantWord(bits func(i int) uint, n int) word {
	return lists.Make(n, func(i int) aig.Lit { return aig.False.NotIf(bits(i) == 1) })
}

func (w word) not() word { return lists.Map(w, aig.Lit.Not) }

func (w word) sign() aig.Lit { return w[len(w)-1] }

// extend returns w with more high bits.
func (w word) extend(n int, with aig.Lit) word {
	return slices.Concat(w, slices.Repeat(word{with}, max(0, n-len(w))))
}

func zeros(n int) word { return word(nil).extend(n, aig.False) }

// each applies an operator bit by bit.
func each(f func(a, b aig.Lit) aig.Lit, x, y word) word {
	return lists.Make(len(x), func(i int) aig.Lit { return f(x[i], y[i]) })
}

// first drops the second result of a circuit.
func first[T any](w word, _ T) word { return w }

// add returns x + y + carry, and the carry out.
func (c circuit) add(x, y word, carry aig.Lit) (word, aig.Lit) {
	sum := make(word, len(x))
	for i := range x {
		half := c.g.Xor(x[i], y[i])
		sum[i] = c.g.Xor(half, carry)
		carry = c.g.Or(c.g.And(x[i], y[i]), c.g.And(half, carry))
	}
	return sum, carry
}

// sub returns x - y, and whether x is not less than y, both unsigned.
func (c circuit) sub(x, y word) (word, aig.Lit) { return c.add(x, y.not(), aig.True) }

func (c circuit) neg(x word) word {
	return first(c.add(x.not(), zeros(len(x)), aig.True))
}

func (c circuit) mux(s aig.Lit, x, y word) word {
	return each(func(a, b aig.Lit) aig.Lit { return c.g.Mux(s, a, b) }, x, y)
}

// mul returns the product of words of one width, in that width.
func (c circuit) mul(x, y word) word {
	n := len(x)
	sum := zeros(n)
	for i := range n {
		row := lists.Make(n-i, func(j int) aig.Lit { return c.g.And(x[j], y[i]) })
		sum = append(sum[:i:i], first(c.add(sum[i:], row, aig.False))...)
	}
	return sum
}

// divide returns quotient and remainder of unsigned division; by zero these are all ones
// and x.
func (c circuit) divide(x, y word) (quotient, rest word) {
	n := len(x)
	wide := y.extend(n+1, aig.False)
	quotient, rest = make(word, n), zeros(n)
	for i := n - 1; i >= 0; i-- {
		shifted := append(word{x[i]}, rest...)
		less, fits := c.sub(shifted, wide)
		quotient[i] = fits
		rest = c.mux(fits, less, shifted)[:n]
	}
	return quotient, rest
}

// magnitude returns x without its sign.
func (c circuit) magnitude(x word) word { return c.mux(x.sign(), c.neg(x), x) }

// remainder returns the remainder of signed division, which has the sign of x.
func (c circuit) remainder(x, y word) word {
	_, r := c.divide(c.magnitude(x), c.magnitude(y))
	return c.mux(x.sign(), c.neg(r), r)
}

func (c circuit) equal(x, y word) aig.Lit { return c.g.AndN(each(c.g.Equal, x, y)) }

// below reports whether x < y.
func (c circuit) below(x, y word, signed bool) aig.Lit {
	if signed {
		x, y = slices.Clone(x), slices.Clone(y)
		n := len(x) - 1
		x[n], y[n] = x[n].Not(), y[n].Not()
	}
	_, notLess := c.sub(x, y)
	return notLess.Not()
}

// move says what bit of a word comes to a place when it is moved by some places; -1:
// the fill.
type move func(place, by, width int) int

func leftward(place, by, _ int) int { return max(place-by, -1) }
func rightward(place, by, width int) int {
	if place+by < width {
		return place + by
	}
	return -1
}
func rotateLeft(place, by, width int) int  { return ((place-by)%width + width) % width }
func rotateRight(place, by, width int) int { return (place + by) % width }

// moved returns w moved by some places.
func (w word) moved(m move, by int, fill aig.Lit) word {
	return lists.Make(len(w), func(place int) aig.Lit {
		if from := m(place, by, len(w)); from >= 0 {
			return w[from]
		}
		return fill
	})
}

// shift moves x by the number y, a power of two at a time. Where y is at least the width
// all bits are the fill.
func (c circuit) shift(x, y word, m move, fill aig.Lit) word {
	n := len(x)
	var beyond []aig.Lit
	for i, l := range y {
		if i > 30 || 1<<i >= n {
			beyond = append(beyond, l)
			continue
		}
		x = c.mux(l, x.moved(m, 1<<i, fill), x)
	}
	return c.mux(c.g.OrN(beyond), word(nil).extend(n, fill), x)
}

// rotate moves x around by y modulo its width.
func (c circuit) rotate(x, y word, m move) word {
	n := len(x)
	if n&(n-1) != 0 {
		_, y = c.divide(y, constantWord(func(i int) uint { return uint(n) >> min(i, 63) & 1 }, n))
	}
	for i := 0; i < n && 1<<i < n; i++ {
		x = c.mux(y[i], x.moved(m, 1<<i, aig.False), x)
	}
	return x
}

// read returns the element of an array of width bits an element.
func (c circuit) read(array, index word, width int) word {
	for i := len(index) - 1; i >= 0; i-- {
		half := width << i
		array = c.mux(index[i], array[half:], array[:half])
	}
	return array
}

// write returns an array with one element changed.
func (c circuit) write(array, index, element word) word {
	at := word{aig.True} // by index: whether it is the one
	for i, l := range index {
		next := make(word, 2<<i)
		for k, a := range at {
			next[k], next[k+len(at)] = c.g.And(a, l.Not()), c.g.And(a, l)
		}
		at = next
	}
	w := make(word, 0, len(array))
	n := len(element)
	for k, a := range at {
		w = append(w, c.mux(a, element, array[k*n:][:n])...)
	}
	return w
}

// cost bounds how many gates the circuit of a node has.
func (n *node) cost(operand sort) int {
	w := operand.width * operand.words()
	switch n.op {
	case opMul:
		return 12 * w * w
	case opUmulo, opSmulo:
		return 50 * w * w
	case opSdiv, opUdiv, opSmod, opSrem, opUrem:
		return 16*w*w + 50*w
	case opRol, opRor:
		return 16*w*w + 60*w
	case opSll, opSra, opSrl:
		return 60 * w
	}
	return 16*w + 16*n.sort.width*n.sort.words()
}

// apply returns the word of an operator, given those of its operands.
func (c circuit) apply(n *node, args []word) word {
	g := c.g
	var x, y word
	if len(args) > 0 {
		x = args[0]
	}
	if len(args) > 1 {
		y = args[1]
	}
	switch n.op {
	case opNot:
		return x.not()
	case opInc:
		return first(c.add(x, zeros(len(x)), aig.True))
	case opDec:
		return first(c.add(x, zeros(len(x)).not(), aig.False))
	case opNeg:
		return c.neg(x)
	case opRedand:
		return word{g.AndN(x)}
	case opRedor:
		return word{g.OrN(x)}
	case opRedxor:
		return word{g.XorN(x)}
	case opSlice:
		return x[n.number[1] : n.number[0]+1]
	case opUext:
		return x.extend(n.sort.width, aig.False)
	case opSext:
		return x.extend(n.sort.width, x.sign())
	case opIff, opXnor:
		return each(g.Equal, x, y)
	case opImplies:
		return each(g.Implies, x, y)
	case opEq:
		return word{c.equal(x, y)}
	case opNeq:
		return word{c.equal(x, y).Not()}
	case opUlt, opSlt:
		return word{c.below(x, y, n.op == opSlt)}
	case opUgt, opSgt:
		return word{c.below(y, x, n.op == opSgt)}
	case opUlte, opSlte:
		return word{c.below(y, x, n.op == opSlte).Not()}
	case opUgte, opSgte:
		return word{c.below(x, y, n.op == opSgte).Not()}
	case opAnd:
		return each(g.And, x, y)
	case opNand:
		return each(g.And, x, y).not()
	case opOr:
		return each(g.Or, x, y)
	case opNor:
		return each(g.Or, x, y).not()
	case opXor:
		return each(g.Xor, x, y)
	case opRol:
		return c.rotate(x, y, rotateLeft)
	case opRor:
		return c.rotate(x, y, rotateRight)
	case opSll:
		return c.shift(x, y, leftward, aig.False)
	case opSrl:
		return c.shift(x, y, rightward, aig.False)
	case opSra:
		return c.shift(x, y, rightward, x.sign())
	case opAdd:
		return first(c.add(x, y, aig.False))
	case opSub:
		return first(c.sub(x, y))
	case opMul:
		return c.mul(x, y)
	case opUdiv:
		return first(c.divide(x, y))
	case opUrem:
		_, r := c.divide(x, y)
		return r
	case opSdiv:
		q := first(c.divide(c.magnitude(x), c.magnitude(y)))
		return c.mux(g.Xor(x.sign(), y.sign()), c.neg(q), q)
	case opSrem:
		return c.remainder(x, y)
	case opSmod: // the sign is that of y
		r := c.remainder(x, y)
		add := g.And(g.OrN(r), g.Xor(x.sign(), y.sign()))
		return c.mux(add, first(c.add(r, y, aig.False)), r)
	case opUaddo:
		_, carry := c.add(x, y, aig.False)
		return word{carry}
	case opUsubo:
		_, notLess := c.sub(x, y)
		return word{notLess.Not()}
	case opSaddo:
		sum := first(c.add(x, y, aig.False))
		return word{g.And(g.Equal(x.sign(), y.sign()), g.Xor(x.sign(), sum.sign()))}
	case opSsubo:
		diff := first(c.sub(x, y))
		return word{g.And(g.Xor(x.sign(), y.sign()), g.Xor(x.sign(), diff.sign()))}
	case opSdivo: // the least number divided by -1
		n := len(x) - 1
		return word{g.And(g.And(x[n], g.OrN(x[:n]).Not()), g.AndN(y))}
	case opUmulo:
		n := len(x)
		return word{g.OrN(c.mul(x.extend(2*n, aig.False), y.extend(2*n, aig.False))[n:])}
	case opSmulo:
		n := len(x)
		high := c.mul(x.extend(2*n, x.sign()), y.extend(2*n, y.sign()))[n-1:]
		return word{g.Or(g.AndN(high), g.OrN(high).Not()).Not()}
	case opConcat:
		return append(slices.Clone(y), x...)
	case opIte:
		return c.mux(x[0], y, args[2])
	case opRead:
		return c.read(x, y, n.sort.width)
	case opWrite:
		return c.write(x, y, args[2])
	}
	panic("btor2: an operator without a circuit")
}
