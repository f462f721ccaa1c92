package btor2

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file compares random runs of the file with the system. A proof is about the system; that it is one about the
// file rests on the circuits of words and on those of large arrays, and here both are tried out beside numbers, which
// share nothing with them (eval.go). With large arrays the run of the system is the one that docs/arrays.md
// describes in its argument for proofs.

// Sample ends after mostRuns runs, or after a run with which it has done sampleWork, see work.
const (
	mostRuns   = 256
	sampleWork = 1 << 18
)

// Sample compares random runs of the file, of a few frames each, with f.Sys. It returns how many. It is an error if
// the system does not have one of them, with the same words, constraints, bads and conditions of justice.
func (f *File) Sample(ctx context.Context) (runs int, err error) {
	rng := rand.New(rand.NewPCG(uint64(len(f.nodes)), 1))
	delay := 0
	if f.memory != nil {
		for _, a := range f.memory.addresses {
			delay = max(delay, a.delay)
		}
	}
	e := ts.NewEvaluator(f.Sys)
	each := f.work()
	for left := sampleWork; left > 0 && runs < mostRuns; runs++ {
		if err := ctx.Err(); err != nil {
			return runs, err
		}
		frames := 2 + rng.IntN(3+delay)
		left -= frames * each
		r := f.Run(f.draw(rng, frames))
		if err := f.has(e, r, f.Trace(r)); err != nil {
			return runs, fmt.Errorf("%s: the netlist has not a run of the file: %w", f.name, err)
		}
	}
	return runs, nil
}

// work estimates what a frame costs, on words and in the system. The unit is the value of a short word, or 256 gates.
func (f *File) work() int {
	w := f.Sys.G.Len() / 256
	for i := range f.nodes {
		w += 1 + f.nodes[i].sort.width/64
	}
	return w
}

// draw returns a random stimulus. Words come back in other places, as addresses must to be of interest. The constants
// of the file are among them, as a wide word is nothing by chance that the file compares it with.
func (f *File) draw(rng *rand.Rand, frames int) Stimulus {
	seen, constants := make(map[int][]*big.Int), make(map[int][]*big.Int) // by width
	for i := range f.nodes {
		if n := &f.nodes[i]; n.op == opConst {
			constants[n.sort.width] = append(constants[n.sort.width], n.value)
		}
	}
	word := func(width int) (x *big.Int) {
		old, named := seen[width], constants[width]
		switch n := rng.IntN(8); {
		case n < 3 && len(old) > 0:
			return old[rng.IntN(len(old))]
		case n < 5 && len(named) > 0:
			x = named[rng.IntN(len(named))]
		case n == 5:
			x = big.NewInt(int64(rng.IntN(2)))
		case n == 6:
			x = mask(width)
		default:
			digits := lists.Make((width+7)/8, func(int) byte { return byte(rng.IntN(256)) })
			x = new(big.Int).SetBytes(digits)
			x.And(x, mask(width))
		}
		seen[width] = append(old, x)
		return x
	}
	s := make(Stimulus, frames)
	for k := range s {
		s[k] = make(map[int]Value)
		for i := range f.nodes {
			n := &f.nodes[i]
			if !f.open(i, k) {
				continue
			}
			if n.sort.index == 0 {
				s[k][i] = Value{Word: word(n.sort.width)}
				continue
			}
			v := filled(word(n.sort.width))
			for range rng.IntN(4) {
				v = v.with(word(n.sort.index), word(n.sort.width))
			}
			s[k][i] = v
		}
	}
	return s
}

// open reports whether the file leaves a node open in a frame.
func (f *File) open(i, k int) bool {
	n := &f.nodes[i]
	return n.op == opInput || n.op == opState && (k == 0 && n.init == nil || k > 0 && n.next == nil)
}

// Trace returns the run of f.Sys that goes along with a run of the file: each address is what it is to be if a
// bad is in the last frame, and cells and reads are what they are in the file.
func (f *File) Trace(r *Run) *ts.Trace {
	end := len(r.Values) - 1
	t := &ts.Trace{Init: make([]bool, len(f.Sys.Init))}
	for range r.Values {
		t.Inputs = append(t.Inputs, make([]bool, len(f.Sys.Inputs)))
	}
	for k, values := range r.Values {
		for i := range f.place {
			if bits := f.bitsIn(t, k, i); bits != nil {
				copy(bits, f.nodes[i].unpack(values[i]))
			}
		}
	}
	if f.memory == nil {
		return t
	}
	m := f.memory
	addresses := f.addressesOf(r)
	for j, first := range m.start {
		if first >= 0 {
			copy(t.Init[first:], unpackWord(addresses[j], f.nodes[m.addresses[j].part].sort.index))
		}
	}
	element := func(k int, c cell) []bool {
		return unpackWord(r.Values[k][c.node].element(addresses[c.address]), f.nodes[c.node].sort.width)
	}
	for c, first := range m.init {
		copy(t.Init[first:], element(0, c))
	}
	for k := range r.Values {
		for c, first := range m.inputs {
			if !f.delayed(c) {
				copy(t.Inputs[k][first:], element(k, c))
			} else if k < end {
				copy(t.Inputs[k][first:], element(k+1, c))
			}
		}
		for i, first := range m.any {
			copy(t.Inputs[k][first:], f.nodes[i].unpack(r.Values[k][i]))
		}
		for i, p := range m.compare {
			n := &f.nodes[i]
			left, right := r.Values[k][n.args[0].node], r.Values[k][n.args[1].node]
			s := f.nodes[n.args[0].node].sort
			where, differ := differ(left, right, s.index)
			t.Inputs[k][p.equal] = !differ
			copy(t.Inputs[k][p.where:], unpackWord(where, s.index))
			copy(t.Inputs[k][p.left:], unpackWord(left.element(where), s.width))
			copy(t.Inputs[k][p.right:], unpackWord(right.element(where), s.width))
		}
	}
	return t
}

// addressesOf returns what the addresses are in a run of the file if a bad is in its last frame.
func (f *File) addressesOf(r *Run) (all []*big.Int) {
	for _, a := range f.memory.addresses {
		x := new(big.Int)
		switch k := len(r.Values) - 1 - a.delay; {
		case a.value != nil:
			x = a.value
		case k < 0: // not asked
		case a.where:
			n := &f.nodes[a.line.node]
			x, _ = differ(r.Values[k][n.args[0].node], r.Values[k][n.args[1].node], f.nodes[a.part].sort.index)
		default:
			x = f.at(r.Values[k], a.line).Word
		}
		all = append(all, x)
	}
	return all
}

// differ returns an index of so many bits at which two arrays differ; 0 if there is none.
func differ(v, w Value, bits int) (index *big.Int, ok bool) {
	switch index, ok = v.differs(w); {
	case ok:
		return index, true
	case v.equal(w, bits):
		return new(big.Int), false
	}
	// Where no element is named.
	index = new(big.Int)
	for all := union(v, w); all.get(key(index)) != nil; {
		index.Add(index, big.NewInt(1))
	}
	return index, true
}

// has runs a trace of the system beside a run of the file.
func (f *File) has(e *ts.Evaluator, r *Run, t *ts.Trace) error {
	var addresses []*big.Int
	if f.memory != nil {
		addresses = f.addressesOf(r)
	}
	state := e.Reset(t.Init)
	for k, values := range r.Values {
		e.Set(state, t.Inputs[k])
		for _, i := range f.states {
			n := &f.nodes[i]
			if p, ok := f.place[i]; ok && p.latch >= 0 && !holds(state[p.latch:], n.unpack(values[i])) {
				return fmt.Errorf("%s of line %d differs in frame %d", n.name(), n.line, k)
			}
			for j, at := range addresses {
				first, ok := f.memory.latches[cell{j, i}]
				if ok && !holds(state[first:], unpackWord(values[i].element(at), n.sort.width)) {
					return fmt.Errorf("%s of line %d differs in frame %d at address %d", n.name(), n.line, k, at)
				}
			}
		}
		if e.Constraints() != r.Constraints[k] {
			return fmt.Errorf("constraints differ in frame %d", k)
		}
		for i, bad := range f.Sys.Bads {
			// Before the last frame the addresses need not be what a bad asks for.
			if early := f.Abstract() && k < len(r.Values)-1; e.Value(bad.Lit) != r.Bads[k][i] && !(early && r.Bads[k][i]) {
				return fmt.Errorf("bad %q differs in frame %d", bad.Name, k)
			}
		}
		for i, l := range f.Fair {
			if e.Value(l) != isOne(f.at(values, f.fair[i].ref)) {
				return fmt.Errorf("fairness constraint %d differs in frame %d", i, k)
			}
		}
		for i, x := range f.Justice {
			for c, l := range x.Lits {
				if e.Value(l) != isOne(f.at(values, f.justice[i].conditions[c])) {
					return fmt.Errorf("condition %d of justice %q differs in frame %d", c, x.Name, k)
				}
			}
		}
		state = e.Next()
	}
	return nil
}

// holds reports whether latches begin with some bits.
func holds(latches, bits []bool) bool { return slices.Equal(latches[:len(bits)], bits) }

// unpack is the inverse of pack.
func (n *node) unpack(v Value) []bool {
	w := n.sort.width
	if n.sort.index == 0 {
		return unpackWord(v.Word, w)
	}
	bits := slices.Repeat(unpackWord(v.rest, w), n.sort.words())
	v.at.all(func(k string, x *big.Int) bool {
		copy(bits[int(indexOf(k).Int64())*w:], unpackWord(x, w))
		return true
	})
	return bits
}

// unpackWord returns the bits of a word.
func unpackWord(x *big.Int, width int) []bool {
	return lists.Make(width, func(k int) bool { return x.Bit(k) == 1 })
}
