package cdcl

import (
	"math"
	"math/bits"
)

// buckets hold variables in focus. A bucket has those of activities from one power of two to the next, and gives out the
// last one that came (Su et al.: Deeply optimizing the SAT solver for the IC3 algorithm, CAV 2025). A query in focus
// has few conflicts and takes most of its variables out, so that the order within a bucket matters less than what a heap takes.
type buckets struct {
	in    [64][]int32 // the first one has the greatest activities
	full  uint64      // bit i: bucket i is not empty
	top   int         // exponent of bucket middle
	place []place     // by variable
}

// place is where a variable is.
type place struct {
	bucket int32 // -1: in none
	at     int32
}

// middle is the bucket of the variables of a conflict now. Those before it are for later conflicts.
const middle = 24

func (b *buckets) grow() { b.place = append(b.place, place{bucket: -1}) }

// clear empties all; increment is what a conflict now adds.
func (b *buckets) clear(increment float64) {
	for ; b.full != 0; b.full &= b.full - 1 {
		i := bits.TrailingZeros64(b.full)
		for _, v := range b.in[i] {
			b.place[v].bucket = -1
		}
		b.in[i] = b.in[i][:0]
	}
	b.top = exponent(increment)
}

func exponent(activity float64) int { return int(math.Float64bits(activity) >> 52) }

func (b *buckets) bucket(activity float64) int32 {
	return int32(max(0, min(63, middle+b.top-exponent(activity))))
}

func (b *buckets) insert(v int, activity float64) {
	if b.place[v].bucket < 0 {
		b.put(v, b.bucket(activity))
	}
}

func (b *buckets) put(v int, i int32) {
	b.place[v] = place{i, int32(len(b.in[i]))}
	b.in[i] = append(b.in[i], int32(v))
	b.full |= 1 << i
}

func (b *buckets) take(v int) {
	p := b.place[v]
	vars := b.in[p.bucket]
	last := vars[len(vars)-1]
	vars[p.at] = last
	b.place[last].at = p.at
	if b.in[p.bucket] = vars[:len(vars)-1]; len(vars) == 1 {
		b.full &^= 1 << p.bucket
	}
	b.place[v].bucket = -1
}

// bump moves v to the bucket of its activity.
func (b *buckets) bump(v int, activity float64) {
	if p := b.place[v].bucket; p >= 0 {
		if i := b.bucket(activity); i != p {
			b.take(v)
			b.put(v, i)
		}
	}
}

// pop takes out a variable of the first bucket.
func (b *buckets) pop() int {
	i := bits.TrailingZeros64(b.full)
	vars := b.in[i]
	v := vars[len(vars)-1]
	b.take(int(v))
	return int(v)
}
