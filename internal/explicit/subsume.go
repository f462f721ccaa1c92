package explicit

import (
	"bytes"
	"slices"

	"orbitmc/model"
)

// This file takes annotated states into the set of a search, and finds those that subsume
// others (Wahl 2007, Algorithm 2).
//
// Orbits that have a state in common have the same representative under the coarsest cells. So
// the states with one such representative are a bucket. A state of a bucket subsumes (t, Q) only if it is
// the least one that t has under its annotation, and there are few annotations in a bucket: for each of them
// one state is looked up.

// index finds annotated states. Keys are hashes: states in a bucket by mistake do no harm.
type index struct {
	buckets map[uint64]annotatedBucket // by representative
	states  map[uint64]int32           // by annotation and least state: the last one, from 1
	sets    [][]int32                  // of annotations, by their numbers
	with    map[[2]int32]int32         // by such a set and one more annotation: both together
}

// annotatedBucket is states with one representative.
type annotatedBucket struct {
	last int32 // the state that was taken last, from 1; 0: there is none
	set  int32 // the annotations of its states, in index.sets
}

func newIndex() index {
	return index{buckets: make(map[uint64]annotatedBucket), states: make(map[uint64]int32), sets: [][]int32{nil}, with: make(map[[2]int32]int32)}
}

// memory returns about how many bytes it takes.
func (i *index) memory() int64 { return 32*int64(len(i.buckets)) + 24*int64(len(i.states)) }

// annotatedHash returns a hash of a least state and the number of its annotation.
func annotatedHash(under int32, least []byte) uint64 { return mix(hash(least), uint64(under)) }

// add adds a state, the number of which is number from 1.
func (i *index) add(number int32, s *annotated, key uint64, least []byte) {
	b, h := i.buckets[key], annotatedHash(s.under, least)
	s.chain, s.same = b.last, i.states[h]
	b.last, i.states[h] = number, number
	step := [2]int32{b.set, s.under}
	set, ok := i.with[step]
	if !ok {
		if set = b.set; !slices.Contains(i.sets[set], s.under) {
			set = int32(len(i.sets))
			i.sets = append(i.sets, append(slices.Clip(i.sets[b.set]), s.under))
		}
		i.with[step] = set
	}
	b.set = set
	i.buckets[key] = b
}

// update takes (s, P) into the set, unless states there subsume it.
func (a *adaptive) update(s model.State, p *keptSet, parent int) {
	least := a.least(s, p)
	if a.find(p, least) >= 0 {
		a.spared++
		return
	}
	key := hash(least)
	if p != a.whole {
		key = hash(a.least(s, a.whole))
	}
	b := a.known.buckets[key]
	if b.last > 0 && (a.covers(b, s, p) >= 0 || a.coverTogether(b, s, p)) {
		a.spared++
		return
	}
	if a.opt.MemLimit > 0 && a.memory() > a.opt.MemLimit {
		a.reason = outOfMemory
		return
	}
	least = a.least(s, p)
	n := a.packed.append(least)
	a.states = append(a.states, annotated{under: int32(p.number), parent: int32(parent), depth: int32(a.depth + 1)})
	a.known.add(int32(n+1), &a.states[n], key, least)
	a.live++
	a.drop(b, n)
	a.next = append(a.next, n)
	a.evaluate(n, a.unpacked(&a.taken, n), p)
}

// drop drops the states of a bucket that the new state n subsumes.
func (a *adaptive) drop(b annotatedBucket, n int) {
	var x *annotated
	for i := b.last; i > 0; i = x.chain {
		x = &a.states[i-1]
		if x.depth != a.states[n].depth && !a.variant.across {
			return // those before are of earlier layers, too
		}
		if x.dropped {
			continue
		}
		q := a.groups[x.under]
		// Where <P> is within <Q>, the orbit of n would be that of i, which would have subsumed it.
		if a.within(a.groups[a.states[n].under], q) {
			continue
		}
		if a.subsumes(n, a.unpacked(&a.older, int(i-1)), q) {
			x.dropped = true
			a.live--
			a.spared++
		}
	}
}

// within reports whether <P> is part of <Q>.
func (a *adaptive) within(p, q *keptSet) bool {
	is, ok := p.inside[q.number]
	if !ok {
		is = p.Kept.Within(a.p.Model, q.Kept)
		p.inside[q.number] = is
	}
	return is
}

// covers returns a state of a bucket that subsumes (s, P), or -1.
func (a *adaptive) covers(b annotatedBucket, s model.State, p *keptSet) int {
	for _, under := range a.known.sets[b.set] {
		q := a.groups[under]
		if i := a.find(q, a.least(s, q)); i >= 0 && a.contains(s, q, p) {
			return i
		}
	}
	return -1
}

// find returns the state with an annotation of which the least state is known, -1 if there is none.
func (a *adaptive) find(p *keptSet, least []byte) int {
	for i := int(a.known.states[annotatedHash(int32(p.number), least)]) - 1; i >= 0; i = int(a.states[i].same) - 1 {
		if x := &a.states[i]; int(x.under) == p.number && !x.dropped && bytes.Equal(least, a.packed.at(i)) {
			return i
		}
	}
	return -1
}

// coverTogether reports whether several states of a bucket stand for all that (s, P) stands for,
// divided by what all rules keep. So each state that is kept stands for an orbit under
// these permutations that no state kept before stands for: there are no more of them than of these orbits.
func (a *adaptive) coverTogether(b annotatedBucket, s model.State, p *keptSet) bool {
	r := a.meet(p, a.common)
	if a.states[b.last-1].chain == 0 || r == p {
		return false
	}
	all := true
	a.unwind(s, p, r, func(u model.State) bool {
		all = a.covers(b, u, r) >= 0
		return all
	})
	return all
}

// subsumes reports whether the orbit of state i contains that of (t, Q).
func (a *adaptive) subsumes(i int, t model.State, q *keptSet) bool {
	p := a.groups[a.states[i].under]
	return bytes.Equal(a.least(t, p), a.packed.at(i)) && a.contains(t, p, q)
}

// contains reports whether the orbit of (t, P) contains that of (t, Q): each cell of Q is part of a
// cell of P, or has only twins in t; the least rotation of each ring of Q is one of P times one that keeps t.
func (a *adaptive) contains(t model.State, p, q *keptSet) bool {
	if a.within(q, p) {
		return true
	}
	c := a.whole.canon
	for k, blocks := range q.blocks {
		for _, b := range blocks {
			apart, twins := false, true
			for _, v := range b[1:] {
				apart = apart || p.Cells[k][v] != p.Cells[k][b[0]]
			}
			for _, v := range b[1:] {
				twins = twins && apart && c.twins(t, c.base[k]+b[0], c.base[k]+v)
			}
			if apart && !twins {
				return false
			}
		}
	}
	return !slices.ContainsFunc(q.Rings, func(r model.Ring) bool { return !a.rotatesBy(t, p, r) })
}

// rotatesBy reports whether the least rotation of a ring is one of P times one that keeps t. Both are
// multiples of divisors of its size, and together they are the multiples of what these have in common.
func (a *adaptive) rotatesBy(t model.State, p *keptSet, r model.Ring) bool {
	m := a.p.Model
	image := make(model.State, len(t))
	step := p.Step(m, r)
	for by := 1; by <= len(r.Values); by++ {
		if len(r.Values)%by == 0 && r.Step%gcd(step, by) == 0 {
			if a.p.ApplyPerm(m.Rotation(r, by), t, image); slices.Equal(image, t) {
				return true
			}
		}
	}
	return false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
