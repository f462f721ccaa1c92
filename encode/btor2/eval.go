package btor2

import (
	"fmt"
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// This file says what a file means, on numbers. It shares nothing with the circuits, which
// are tested against it. Counterexamples are replayed here.

// Stimulus is what the file leaves open in a run: by frame, the values of inputs, of states
// without init in frame 0, and of states without next in later frames. By node; what is
// not there is 0.
type Stimulus []map[int]Value

// Run is a run of a file.
type Run struct {
	Values      [][]Value // by frame and node
	Bads        [][]bool  // by frame and bad
	Constraints []bool    // by frame: whether all hold
}

// Run returns the run of a stimulus.
func (f *File) Run(s Stimulus) *Run {
	r := &Run{}
	f.run(s, r, f.evaluate)
	return r
}

// run adds the frames of a stimulus to a run. The values of operators are those that evaluate
// returns, which is told the frame, the values so far and the node.
func (f *File) run(s Stimulus, r *Run, evaluate func(k int, values []Value, i int) Value) {
	var before []Value
	for k, open := range s {
		values := make([]Value, len(f.nodes))
		for i := range f.nodes {
			n := &f.nodes[i]
			v, given := open[i]
			switch {
			case n.op != opInput && n.op != opState:
				values[i] = evaluate(k, values, i)
			case n.op == opState && k == 0 && n.init != nil:
				values[i] = f.at(values, *n.init)
				if n.sort.index > 0 && !values[i].isArray() {
					values[i] = filled(values[i].Word)
				}
			case n.op == opState && k > 0 && n.next != nil:
				values[i] = f.at(before, *n.next)
			case given:
				values[i] = v
			default:
				values[i] = n.zero()
			}
		}
		bads := lists.Map(f.bads, func(b root) bool { return isOne(f.at(values, b.ref)) })
		hold := !slices.ContainsFunc(f.constraints, func(c root) bool { return !isOne(f.at(values, c.ref)) })
		r.Values, r.Bads, r.Constraints = append(r.Values, values), append(r.Bads, bads), append(r.Constraints, hold)
		before = values
	}
}

func isOne(v Value) bool { return v.Word.Sign() != 0 }

func (n *node) zero() Value {
	if n.sort.index > 0 {
		return filled(new(big.Int))
	}
	return Value{Word: new(big.Int)}
}

func (f *File) at(values []Value, x ref) Value {
	v := values[x.node]
	if x.not {
		return Value{Word: new(big.Int).Xor(v.Word, mask(f.nodes[x.node].sort.width))}
	}
	return v
}

// mask returns 2^width - 1.
func mask(width int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return m.Sub(m, big.NewInt(1))
}

// signed returns x as a number in two's complement.
func signed(x *big.Int, width int) *big.Int {
	if x.Bit(width-1) == 0 {
		return x
	}
	return new(big.Int).Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

// evaluate returns the value of a node whose operands have values.
func (f *File) evaluate(_ int, values []Value, i int) Value {
	n := &f.nodes[i]
	if n.op == opConst {
		return Value{Word: n.value}
	}
	refs := n.operands()
	args := lists.Map(refs, func(x ref) Value { return f.at(values, x) })
	width := f.nodes[refs[0].node].sort.width
	switch n.op {
	case opIte:
		if isOne(args[0]) {
			return args[1]
		}
		return args[2]
	case opRead:
		return Value{Word: args[0].element(args[1].Word)}
	case opWrite:
		return args[0].with(args[1].Word, args[2].Word)
	case opEq, opNeq:
		return truth(args[0].equal(args[1], f.nodes[refs[0].node].sort.index) == (n.op == opEq))
	case opConcat:
		low := f.nodes[refs[1].node].sort.width
		v := new(big.Int).Lsh(args[0].Word, uint(low))
		return Value{Word: v.Or(v, args[1].Word)}
	}
	x := args[0].Word
	if len(args) == 1 {
		return Value{Word: unary(n, x, width)}
	}
	y := args[1].Word
	sx, sy := signed(x, width), signed(y, width)
	// Comparisons, and whether a result leaves the range of its sort.
	half := new(big.Int).Lsh(big.NewInt(1), uint(width-1))
	unsigned := func(v *big.Int) Value { return truth(v.Sign() < 0 || v.Cmp(mask(width)) > 0) }
	twos := func(v *big.Int) Value { return truth(v.Cmp(half) >= 0 || v.Cmp(new(big.Int).Neg(half)) < 0) }
	order := x.Cmp(y)
	switch n.op {
	case opSlt, opSlte, opSgt, opSgte:
		order = sx.Cmp(sy)
	}
	switch v := new(big.Int); n.op {
	case opUlt, opSlt:
		return truth(order < 0)
	case opUlte, opSlte:
		return truth(order <= 0)
	case opUgt, opSgt:
		return truth(order > 0)
	case opUgte, opSgte:
		return truth(order >= 0)
	case opUaddo:
		return unsigned(v.Add(x, y))
	case opUsubo:
		return unsigned(v.Sub(x, y))
	case opUmulo:
		return unsigned(v.Mul(x, y))
	case opSaddo:
		return twos(v.Add(sx, sy))
	case opSsubo:
		return twos(v.Sub(sx, sy))
	case opSmulo:
		return twos(v.Mul(sx, sy))
	case opSdivo:
		if sy.Sign() == 0 {
			return truth(false)
		}
		return twos(v.Quo(sx, sy))
	}
	v := binary(n.op, x, y, sx, sy, width)
	return Value{Word: v.And(v, mask(width))}
}

func truth(b bool) Value {
	if b {
		return Value{Word: big.NewInt(1)}
	}
	return Value{Word: new(big.Int)}
}

func unary(n *node, x *big.Int, width int) *big.Int {
	v := new(big.Int)
	switch n.op {
	case opNot:
		v.Xor(x, mask(width))
	case opInc:
		v.Add(x, big.NewInt(1))
	case opDec:
		v.Sub(x, big.NewInt(1))
	case opNeg:
		v.Neg(x)
	case opRedand:
		return truth(x.Cmp(mask(width)) == 0).Word
	case opRedor:
		return truth(x.Sign() != 0).Word
	case opRedxor:
		for i := range width {
			v.SetInt64(v.Int64() ^ int64(x.Bit(i)))
		}
	case opSlice:
		v.Rsh(x, uint(n.number[1]))
	case opUext:
		v.Set(x)
	case opSext:
		v.Set(signed(x, width))
	default:
		panic(fmt.Sprint("btor2: operator without a meaning: ", n.op))
	}
	return v.And(v, mask(n.sort.width))
}

// binary returns the result of an operator on words, of which only the low bits count.
// sx and sy are x and y as signed numbers.
func binary(o op, x, y, sx, sy *big.Int, width int) *big.Int {
	v := new(big.Int)
	by := width // at least the width moves everything out
	if y.IsInt64() && y.Int64() < int64(width) {
		by = int(y.Int64())
	}
	switch o {
	case opAnd:
		return v.And(x, y)
	case opNand:
		return v.Not(v.And(x, y))
	case opOr:
		return v.Or(x, y)
	case opNor:
		return v.Not(v.Or(x, y))
	case opXor:
		return v.Xor(x, y)
	case opXnor, opIff:
		return v.Not(v.Xor(x, y))
	case opImplies:
		return v.Or(v.Not(x), y)
	case opSll:
		return v.Lsh(x, uint(by))
	case opSrl:
		return v.Rsh(x, uint(by))
	case opSra:
		return v.Rsh(sx, uint(by))
	case opRol, opRor:
		k := uint(v.Mod(y, big.NewInt(int64(width))).Int64())
		if o == opRor {
			k = uint(width) - k
		}
		v.Lsh(x, k)
		return v.Or(v, new(big.Int).Rsh(x, uint(width)-k))
	case opAdd:
		return v.Add(x, y)
	case opSub:
		return v.Sub(x, y)
	case opMul:
		return v.Mul(x, y)
	case opUdiv:
		if y.Sign() == 0 {
			return mask(width)
		}
		return v.Quo(x, y)
	case opSdiv:
		switch {
		case y.Sign() != 0:
			return v.Quo(sx, sy)
		case sx.Sign() < 0:
			return v.SetInt64(1)
		}
		return mask(width)
	case opUrem, opSrem, opSmod:
		switch {
		case y.Sign() == 0:
			return v.Set(x)
		case o == opUrem:
			return v.Rem(x, y)
		}
		if v.Rem(sx, sy); o == opSmod && v.Sign() != 0 && v.Sign() != sy.Sign() {
			v.Add(v, sy) // it rounds down, so the sign is that of y
		}
		return v
	}
	panic(fmt.Sprint("btor2: operator without a meaning: ", o))
}
