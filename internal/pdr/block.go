package pdr

import (
	"container/heap"
	"context"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file blocks states. An obligation is a cube from which a violation is
// known to be reachable; it must be shown unreachable in as many steps as its
// level says. Obligations of low levels come first. A blocked obligation is tried
// at the next level too, so that long counterexamples are found in frames that
// are still few (Eén, Mishchenko, Brayton).
//
// Obligations are not compared modulo the group. The one of the lowest level is
// taken first, and the obligations that it creates are lower still, so no image
// of a new obligation waits at its level or below. Once an obligation is blocked,
// an image of the lemma contains each of its images (knownAt); looking that up
// costs no query. docs/decisions.md has the counts.
//
// A search may get caught: it blocks predecessors of one obligation one by one, each with a long
// lemma that excludes little else and takes hundreds of queries. So once the queries are many more
// than the lemmas are worth, all obligations but the first are given up. The lemmas stay, the
// activities of literals are cleared, and from then on other lemmas are learned. That is sound, because an
// obligation is only a state that is to be excluded: if it still matters, a query finds it again. What
// the search may take doubles each time, so the search ends.

// lemmaWorth is how many queries a lemma is worth. firstPatience is how many further ones are asked until obligations
// are given up for the first time.
const (
	lemmaWorth    = 100
	firstPatience = 3000
)

// obligation is a cube to block. Each state of it leads with the inputs of point
// to a state of next, or violates the property if next is nil.
type obligation struct {
	cube  ts.Cube
	level int
	point *point
	next  *obligation
	depth int // obligations behind it
	age   int
}

// queue orders obligations by level, then depth, then age.
type queue []*obligation

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.level != b.level {
		return a.level < b.level
	}
	if a.depth != b.depth {
		return a.depth > b.depth
	}
	return a.age > b.age
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(o any)   { *q = append(*q, o.(*obligation)) }
func (q *queue) Pop() any {
	old := *q
	o := old[len(old)-1]
	*q = old[:len(old)-1]
	return o
}

// block shows that an obligation cannot be reached in k steps, or returns an
// obligation that holds a reset state: the point of it is one.
func (s *search) block(ctx context.Context, first *obligation, k int) (*obligation, error) {
	if first.level == 0 {
		return first, nil
	}
	q := queue{}
	age := 0
	push := func(o *obligation) {
		o.age = age
		age++
		heap.Push(&q, o)
	}
	push(first)
	cost := func() int64 { return s.stats.Queries - s.variant.worth*s.stats.Orbits }
	least, patience := cost(), s.variant.patience
	for q.Len() > 0 {
		if least = min(least, cost()); cost()-least > patience {
			least, patience = cost(), 2*patience
			clear(s.activity)
			q = q[:0]
			push(first)
		}
		o := heap.Pop(&q).(*obligation)
		s.stats.Obligations++
		if meets, err := s.initial(ctx, o.cube); err != nil {
			return nil, err
		} else if meets {
			return s.atReset(ctx, o)
		}
		if known := s.knownAt(o.cube, o.level); known > 0 {
			if known < k {
				o.level = known + 1
				push(o)
			}
			continue
		}
		s.variant.observe(o, 0)
		core, p, err := s.consecution(ctx, o.level-1, o.cube, true)
		if err != nil {
			return nil, err
		}
		if p != nil {
			if o.level == 1 { // from a reset state
				return &obligation{point: p, next: o}, nil
			}
			c, err := s.lift(ctx, p, o.cube, aig.True)
			if err != nil {
				return nil, err
			}
			push(&obligation{cube: c, level: o.level - 1, point: p, next: o, depth: o.depth + 1})
			push(o)
			continue
		}
		c, err := s.mic(ctx, core, o.level)
		if err != nil {
			return nil, err
		}
		at, err := s.highest(ctx, c, o.level, k)
		if err != nil {
			return nil, err
		}
		s.learn(c, at)
		s.variant.observe(o, at)
		if at < k {
			o.level = at + 1
			push(o)
		}
	}
	return nil, nil
}

// atReset returns the obligation with a reset state of it as its point.
func (s *search) atReset(ctx context.Context, o *obligation) (*obligation, error) {
	if _, _, err := s.initialCore(ctx, o.cube); err != nil { // for its model
		return nil, err
	}
	p := *o.point
	p.init = s.start.cnf.Values(s.reset.Init())
	return &obligation{cube: o.cube, point: &p, next: o.next}, nil
}

// highest returns the highest level up to k at which c is unreachable. It is known to be
// unreachable at level from.
func (s *search) highest(ctx context.Context, c ts.Cube, from, k int) (int, error) {
	for ; from < k; from++ {
		core, _, err := s.consecution(ctx, from, c, true)
		if err != nil {
			return 0, err
		}
		if core == nil {
			break
		}
	}
	return from, nil
}

// knownAt returns the highest level, at least level, at which a lemma excludes c;
// 0 if none does.
func (s *search) knownAt(c ts.Cube, level int) int {
	sig := signatureOf(c)
	if slices.ContainsFunc(s.invariants, func(l *lemma) bool { return l.covers(c, sig) }) {
		return len(s.levels) - 1
	}
	for i := len(s.levels) - 1; i >= level; i-- {
		for _, l := range s.levels[i].lemmas {
			if l.covers(c, sig) {
				return i
			}
		}
	}
	return 0
}

// covers reports whether an image of the lemma, as far as its orbit is written out or can be
// searched, contains all states of c. sig is the signature of c.
func (l *lemma) covers(c ts.Cube, sig signature) bool {
	if l.lazy != nil {
		image, _ := l.lazy(func(l ts.Lit) bool { _, ok := slices.BinarySearch(c, l); return ok })
		return image != nil
	}
	for i, d := range l.images {
		if l.sigs[i]&^sig == 0 && d.SubsetOf(c) {
			return true
		}
	}
	return false
}

// level holds the lemmas of a frame that are not lemmas of the next frame, and the solver of the frame.
type level struct {
	solver *solver
	lemmas []*lemma
	lazy   []*lemma // those of them that have further images
}

func (le *level) add(l *lemma) {
	le.lemmas = append(le.lemmas, l)
	if l.lazy != nil {
		le.lazy = append(le.lazy, l)
	}
}

// drop removes the lemmas for which gone is true.
func (le *level) drop(gone func(*lemma) bool) {
	le.lemmas = slices.DeleteFunc(le.lemmas, gone)
	le.lazy = slices.DeleteFunc(le.lazy, gone)
}

// learn adds the lemma ¬c, and its images, to the frames up to a level, and drops the lemmas
// there that one of them subsumes.
func (s *search) learn(c ts.Cube, level int) {
	l := s.newLemma(c, level)
	for i := 1; i <= level; i++ {
		for _, o := range s.levels[i].lemmas {
			o.covered = l.covers(o.cube, o.sigs[0])
		}
		s.levels[i].drop(func(o *lemma) bool { return o.covered })
	}
	s.levels[level].add(l)
	for i := 1; i <= level; i++ {
		for _, d := range l.images {
			s.levels[i].solver.block(d)
		}
	}
	s.stats.Orbits++
	s.stats.Images += int64(len(l.images))
	s.bumpCube(c)
}

// bumpCube makes the literals of a lemma the last to be dropped from others.
func (s *search) bumpCube(c ts.Cube) {
	s.bump /= 0.99
	for _, l := range c {
		s.activity[l] += s.bump
	}
	if s.bump > 1e100 {
		for i := range s.activity {
			s.activity[i] *= 1e-100
		}
		s.bump *= 1e-100
	}
}

// newLemma returns the lemma ¬c. Its images are the whole orbit if that is small, else c alone
// with a finder of further images.
func (s *search) newLemma(c ts.Cube, level int) *lemma {
	l := &lemma{cube: c, level: level}
	var all bool
	if l.images, all = s.orbits.images(c); !all {
		if l.lazy = s.orbits.finder(c); l.lazy != nil {
			l.images = l.images[:1]
			s.lazy = true
		} else {
			s.inPart(l)
		}
	}
	l.sigs = lists.Map(l.images, signatureOf)
	return l
}

// propagate moves lemmas to the next level where they still hold. It returns a level
// above which the lemmas are inductive, 0 if there is none.
func (s *search) propagate(ctx context.Context) (int, error) {
	top := len(s.levels) - 1
	for i := 1; i < top; i++ {
		for _, l := range slices.Clone(s.levels[i].lemmas) {
			if l.covered { // by one that moved
				continue
			}
			core, _, err := s.consecution(ctx, i, l.cube, false)
			if err != nil {
				return 0, err
			}
			if core == nil {
				continue
			}
			if len(core) < len(l.cube) {
				s.learn(core, i+1)
				continue
			}
			l.level = i + 1
			s.levels[i+1].add(l)
			for _, d := range l.images {
				s.levels[i+1].solver.block(d)
			}
		}
		s.levels[i].drop(func(l *lemma) bool { return l.level != i })
		if len(s.levels[i].lemmas) == 0 {
			return i, nil
		}
	}
	return 0, nil
}

// violated records the counterexample that begins with o.
func (s *search) violated(t *target, o *obligation) error {
	path := &ts.Trace{Init: o.point.init}
	for ; o != nil; o = o.next {
		path.Inputs = append(path.Inputs, o.point.inputs.values(len(s.sys.Inputs)))
	}
	frames, err := s.sys.Run(path)
	if err != nil {
		return err
	}
	depth := -1 // the path may violate it earlier
	for i, f := range frames {
		for _, b := range s.p.Bads(t.prop) {
			if d := i + s.sys.Bads[b].Delay; f.Bads[b] && (depth < 0 || d < depth) {
				depth = d
			}
		}
	}
	bound := s.result.Props[t.i].Bound
	r, err := s.p.Found(s.e.Name(), t.prop, depth, path)
	if err != nil {
		return err
	}
	r.Bound = min(bound, depth-1)
	r.Time = time.Since(s.began)
	s.result.Props[t.i] = r
	return nil
}
