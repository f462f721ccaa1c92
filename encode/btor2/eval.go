package btor2

import (
	"fmt"
	"math/big"

	"orbitmc/ts"
)

// This file says what a file means, on numbers. It shares nothing with the circuits, which
// are tested against it. Counterexamples are replayed here.

// Value is a word, or the elements of an array.
type Value []*big.Int

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
	var before []Value
	for k, open := range s {
		values := make([]Value, len(f.nodes))
		for i := range f.nodes {
			n := &f.nodes[i]
			v, given := open[i]
			switch {
			case n.op != opInput && n.op != opState:
				values[i] = f.evaluate(values, n)
			case n.op == opState && k == 0 && n.init != nil:
				values[i] = f.at(values, *n.init)
				for len(values[i]) < n.sort.words() {
					values[i] = append(values[i], values[i][0])
				}
			case n.op == opState && k > 0 && n.next != nil:
				values[i] = f.at(before, *n.next)
			case given:
				values[i] = v
			default:
				values[i] = n.zero()
			}
		}
		bads := make([]bool, len(f.bads))
		for i, b := range f.bads {
			bads[i] = isOne(f.at(values, b.ref))
		}
		hold := true
		for _, c := range f.constraints {
			hold = hold && isOne(f.at(values, c.ref))
		}
		r.Values, r.Bads, r.Constraints = append(r.Values, values), append(r.Bads, bads), append(r.Constraints, hold)
		before = values
	}
	return r
}

func isOne(v Value) bool { return v[0].Sign() != 0 }

func (n *node) zero() Value {
	v := make(Value, n.sort.words())
	for i := range v {
		v[i] = new(big.Int)
	}
	return v
}

// at returns the value of an operand.
func (f *File) at(values []Value, x ref) Value {
	v := values[x.node]
	if x.not {
		return Value{new(big.Int).Xor(v[0], mask(f.nodes[x.node].sort.width))}
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
func (f *File) evaluate(values []Value, n *node) Value {
	if n.op == opConst {
		return Value{n.value}
	}
	refs := n.operands()
	args := make([]Value, len(refs))
	for i, x := range refs {
		args[i] = f.at(values, x)
	}
	width := f.nodes[refs[0].node].sort.width
	switch n.op {
	case opIte:
		if isOne(args[0]) {
			return args[1]
		}
		return args[2]
	case opRead:
		return Value{args[0][args[1][0].Int64()]}
	case opWrite:
		w := append(Value(nil), args[0]...)
		w[args[1][0].Int64()] = args[2][0]
		return w
	case opEq, opNeq:
		equal := true
		for i, x := range args[0] {
			equal = equal && x.Cmp(args[1][i]) == 0
		}
		return truth(equal == (n.op == opEq))
	case opConcat:
		low := f.nodes[refs[1].node].sort.width
		v := new(big.Int).Lsh(args[0][0], uint(low))
		return Value{v.Or(v, args[1][0])}
	}
	x := args[0][0]
	if len(args) == 1 {
		return Value{unary(n, x, width)}
	}
	y := args[1][0]
	sx, sy := signed(x, width), signed(y, width)
	// Comparisons, and whether a result leaves the range of its sort.
	half := new(big.Int).Lsh(big.NewInt(1), uint(width-1))
	unsigned := func(v *big.Int) Value { return truth(v.Sign() < 0 || v.Cmp(mask(width)) > 0) }
	twos := func(v *big.Int) Value { return truth(v.Cmp(half) >= 0 || v.Cmp(new(big.Int).Neg(half)) < 0) }
	switch v := new(big.Int); n.op {
	case opUlt:
		return truth(x.Cmp(y) < 0)
	case opUlte:
		return truth(x.Cmp(y) <= 0)
	case opUgt:
		return truth(x.Cmp(y) > 0)
	case opUgte:
		return truth(x.Cmp(y) >= 0)
	case opSlt:
		return truth(sx.Cmp(sy) < 0)
	case opSlte:
		return truth(sx.Cmp(sy) <= 0)
	case opSgt:
		return truth(sx.Cmp(sy) > 0)
	case opSgte:
		return truth(sx.Cmp(sy) >= 0)
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
	return Value{v.And(v, mask(width))}
}

func truth(b bool) Value {
	if b {
		return Value{big.NewInt(1)}
	}
	return Value{new(big.Int)}
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
		return truth(x.Cmp(mask(width)) == 0)[0]
	case opRedor:
		return truth(x.Sign() != 0)[0]
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
	case opUrem:
		if y.Sign() == 0 {
			return v.Set(x)
		}
		return v.Rem(x, y)
	case opSdiv:
		switch {
		case y.Sign() != 0:
			return v.Quo(sx, sy)
		case sx.Sign() < 0:
			return v.SetInt64(1)
		}
		return mask(width)
	case opSrem:
		if y.Sign() == 0 {
			return v.Set(x)
		}
		return v.Rem(sx, sy)
	case opSmod: // rounds down, so the sign is that of y
		if y.Sign() == 0 {
			return v.Set(x)
		}
		v.Rem(sx, sy)
		if v.Sign() != 0 && v.Sign() != sy.Sign() {
			v.Add(v, sy)
		}
		return v
	}
	panic(fmt.Sprint("btor2: operator without a meaning: ", o))
}

// Stimulus returns what a trace of f.Sys leaves open.
func (f *File) Stimulus(t *ts.Trace) Stimulus {
	s := make(Stimulus, len(t.Inputs))
	for k := range s {
		s[k] = make(map[int]Value)
		for i := range f.nodes {
			n := &f.nodes[i]
			p, open := f.place[i]
			switch {
			case !open:
			case p.latch < 0:
				s[k][i] = n.pack(t.Inputs[k][p.input:])
			case k == 0 && p.init >= 0:
				s[k][i] = n.pack(t.Init[p.init:])
			case k > 0 && p.input >= 0:
				s[k][i] = n.pack(t.Inputs[k-1][p.input:])
			}
		}
	}
	return s
}

// Signal is an input or state on which a property depends.
type Signal struct {
	Name  string
	Node  int // its place in Run.Values
	Width int // of a word, in bits
	Words int // more than 1: it is an array
	Input int // its first bit in Sys.Inputs, if it is open in every frame; else -1
	Latch int // its first bit in Sys.Latches; else -1
}

// Signals lists inputs and states in the order of the file.
func (f *File) Signals() []Signal {
	var all []Signal
	for i := range f.nodes {
		if p, ok := f.place[i]; ok {
			s := Signal{f.nodes[i].name(), i, f.nodes[i].sort.width, f.nodes[i].sort.words(), -1, p.latch}
			if p.latch < 0 {
				s.Input = p.input
			}
			all = append(all, s)
		}
	}
	return all
}

// Format writes a word as Verilog does, a bit as 0 or 1.
func (s Signal) Format(v *big.Int) string {
	if s.Width == 1 {
		return v.String()
	}
	return fmt.Sprintf("%d'h%0*x", s.Width, (s.Width+3)/4, v)
}

// pack makes a value of bits.
func (n *node) pack(bits []bool) Value {
	v := n.zero()
	for k := range n.sort.width * n.sort.words() {
		if bits[k] {
			v[k/n.sort.width].SetBit(v[k/n.sort.width], k%n.sort.width, 1)
		}
	}
	return v
}
