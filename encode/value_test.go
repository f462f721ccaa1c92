package encode

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/model"
)

// bench evaluates values of one graph on 64 lanes.
type bench struct {
	arith
	sim *aig.Sim
}

func newBench() *bench {
	g := aig.New()
	return &bench{arith{g}, aig.NewSim(g)}
}

// variable is a number in lo..hi held in fresh leaves as the number minus off.
func (b *bench) variable(lo, hi, off int64) value {
	if lo == hi {
		return constant(lo)
	}
	v := value{def: aig.True, off: off, lo: lo, hi: hi}
	for range width(lo-off, hi-off) {
		v.bits = append(v.bits, b.g.Input())
	}
	return v
}

// set gives v the number nums[k] in lane k.
func (b *bench) set(v value, nums []int64) {
	for i, l := range v.bits {
		var w uint64
		for k, n := range nums {
			w |= uint64((n-v.off)>>i&1) << k
		}
		b.sim.Set(l.Node(), w)
	}
}

// truth evaluates l, which may be new, in a lane.
func (b *bench) truth(l aig.Lit, lane int) bool {
	b.sim.Run()
	return b.sim.Word(l)>>lane&1 == 1
}

// number reads v in a lane.
func (b *bench) number(v value, lane int) int64 {
	if c, ok := v.constVal(); ok {
		return c
	}
	var n int64
	for i, l := range v.bits {
		if b.truth(l, lane) {
			n |= 1 << i
			if i == len(v.bits)-1 && v.lo-v.off < 0 {
				n |= -1 << i
			}
		}
	}
	return n + v.off
}

// functions of two numbers under test.
type functions struct {
	add, sub, mul, quo, rem, mux, nest value
	eq, less                           aig.Lit
	c                                  aig.Lit // the condition of mux
}

func (b *bench) functions(v, w value) functions {
	op := func(op model.Op, f func(v, w value, lo, hi int64) value, v, w value) value {
		lo, hi, ok := bounds(op, v, w)
		if !ok {
			panic("bounds")
		}
		return f(v, w, lo, hi)
	}
	f := functions{c: b.g.Input(), eq: b.eq(v, w), less: b.less(v, w)}
	f.add, f.sub, f.mul = op(model.Add, b.add, v, w), op(model.Sub, b.sub, v, w), op(model.Mul, b.mul, v, w)
	f.quo, f.rem = b.divide(v, w)
	f.mux = b.mux(f.c, v, w)
	f.nest = op(model.Sub, b.sub, op(model.Mul, b.mul, f.sub, f.mux), f.add)
	return f
}

// check compares the functions with Go on lane k, where v is x and w is y.
func (b *bench) check(f functions, lane int, x, y int64) error {
	m := y
	if b.truth(f.c, lane) {
		m = x
	}
	type result struct {
		name string
		got  value
		want int64
	}
	results := []result{
		{"+", f.add, x + y}, {"-", f.sub, x - y}, {"*", f.mul, x * y}, {"mux", f.mux, m}, {"nested", f.nest, (x-y)*m - (x + y)},
	}
	if y != 0 {
		results = append(results, result{"/", f.quo, x / y}, result{"%", f.rem, x % y})
	}
	for _, r := range results {
		if got := b.number(r.got, lane); got != r.want || got < r.got.lo || got > r.got.hi {
			return fmt.Errorf("%d %s %d = %d, in %d..%d", x, r.name, y, got, r.got.lo, r.got.hi)
		}
		for c := r.want - 2; c <= r.want+2; c++ {
			if got := b.truth(b.is(r.got, c), lane); got != (c == r.want) {
				return fmt.Errorf("%d %s %d = %d is %v", x, r.name, y, c, got)
			}
		}
	}
	if got := b.truth(f.eq, lane); got != (x == y) {
		return fmt.Errorf("%d = %d is %v", x, y, got)
	}
	if got := b.truth(f.less, lane); got != (x < y) {
		return fmt.Errorf("%d < %d is %v", x, y, got)
	}
	return nil
}

// TestSmallNumbers tries all pairs of numbers of all pairs of intervals within
// -3..3, coded relative to different offsets.
func TestSmallNumbers(t *testing.T) {
	const most = 3
	type interval struct{ lo, hi, off int64 }
	var all []interval
	for lo := int64(-most); lo <= most; lo++ {
		for hi := lo; hi <= most; hi++ {
			all = append(all, interval{lo, hi, 0})
			if lo < hi {
				all = append(all, interval{lo, hi, lo}, interval{lo, hi, hi - 1})
			}
		}
	}
	for _, i := range all {
		for _, j := range all {
			b := newBench()
			v, w := b.variable(i.lo, i.hi, i.off), b.variable(j.lo, j.hi, j.off)
			f := b.functions(v, w)
			var xs, ys []int64
			for x := i.lo; x <= i.hi; x++ {
				for y := j.lo; y <= j.hi; y++ {
					xs, ys = append(xs, x), append(ys, y)
				}
			}
			b.set(v, xs)
			b.set(w, ys)
			for _, c := range []uint64{0, ^uint64(0)} {
				b.sim.Set(f.c.Node(), c)
				for k := range xs {
					if err := b.check(f, k, xs[k], ys[k]); err != nil {
						t.Fatalf("%v and %v: %v", i, j, err)
					}
				}
			}
		}
	}
}

// TestLargeNumbers tries random numbers of random intervals.
func TestLargeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func(magnitude int) int64 {
		n := rng.Int64N(int64(1) << rng.IntN(magnitude+1))
		if rng.IntN(2) == 0 {
			return -n
		}
		return n
	}
	for range 150 {
		magnitude := 1 + rng.IntN(30)
		var v, w value
		b := newBench()
		xs, ys := make([]int64, 64), make([]int64, 64)
		for _, u := range []struct {
			v  *value
			ns []int64
		}{{&v, xs}, {&w, ys}} {
			lo, hi := random(magnitude), random(magnitude)
			if lo > hi {
				lo, hi = hi, lo
			}
			off := []int64{0, lo, hi, random(magnitude)}[rng.IntN(4)]
			*u.v = b.variable(lo, hi, off)
			for k := range u.ns {
				u.ns[k] = lo + rng.Int64N(hi-lo+1)
			}
			u.ns[0], u.ns[1] = lo, hi
		}
		rng.Shuffle(len(ys), func(i, j int) { ys[i], ys[j] = ys[j], ys[i] })
		f := b.functions(v, w)
		b.set(v, xs)
		b.set(w, ys)
		b.sim.Set(f.c.Node(), rng.Uint64())
		for k := range xs {
			if err := b.check(f, k, xs[k], ys[k]); err != nil {
				t.Fatalf("%d..%d from %d and %d..%d from %d: %v", v.lo, v.hi, v.off, w.lo, w.hi, w.off, err)
			}
		}
	}
}

// TestLayouts checks that every value of a range has exactly one well-formed
// code, and that the bounds up to which numbers are supported work.
func TestLayouts(t *testing.T) {
	for lo := int64(-9); lo <= 9; lo++ {
		for hi := lo; hi <= lo+9; hi++ {
			for _, alwaysDefined := range []bool{true, false} {
				checkLayout(t, &model.Type{Kind: model.Range, Lo: lo, Hi: hi, Leaves: 1}, alwaysDefined)
			}
		}
	}
	for n := int64(1); n <= 5; n++ {
		for _, alwaysDefined := range []bool{true, false} {
			checkLayout(t, &model.Type{Kind: model.Scalarset, Hi: n - 1, Leaves: 1}, alwaysDefined)
		}
	}
}

func checkLayout(t *testing.T, typ *model.Type, alwaysDefined bool) {
	t.Helper()
	b := newBench()
	y := layoutOf(typ)
	c := &code{bits: make([]aig.Lit, y.n), def: aig.True, lo: typ.Lo, hi: typ.Hi}
	var leaves []aig.Lit
	for i := range c.bits {
		c.bits[i] = b.g.Input()
	}
	leaves = append(leaves, c.bits...)
	if !alwaysDefined && y.hot {
		c.def = b.g.OrN(c.bits)
	} else if !alwaysDefined {
		c.def = b.g.Input()
		leaves = append(leaves, c.def)
	}
	ok := b.g.AndN(y.wellFormed(b.arith, c, alwaysDefined, aig.True))
	v := y.toValue(c)
	back := y.toCode(b.arith, v)
	same := []aig.Lit{b.g.Equal(back.def, c.def)}
	for i := range c.bits {
		same = append(same, b.g.Equal(back.bits[i], c.bits[i]))
	}
	kept := b.g.AndN(same)
	var is []aig.Lit
	for n := typ.Lo; n <= typ.Hi; n++ {
		is = append(is, b.is(v, n))
	}
	seen := make(map[int64]int)
	for k := range 1 << len(leaves) {
		for i, l := range leaves {
			b.sim.Set(l.Node(), -uint64(k>>i&1))
		}
		if !b.truth(ok, 0) {
			continue
		}
		if !b.truth(kept, 0) {
			t.Errorf("%v: code %b is not kept", typ, k)
		}
		if !b.truth(c.def, 0) {
			seen[model.Undef]++
			continue
		}
		for i, l := range is {
			if b.truth(l, 0) {
				seen[typ.Lo+int64(i)]++
			}
		}
	}
	for n := typ.Lo; n <= typ.Hi; n++ {
		if seen[n] != 1 {
			t.Errorf("%v: value %d has %d codes", typ, n, seen[n])
		}
	}
	want := 1
	if alwaysDefined {
		want = 0
	}
	if seen[model.Undef] != want {
		t.Errorf("%v, always defined: %v: undefined has %d codes", typ, alwaysDefined, seen[model.Undef])
	}
}
