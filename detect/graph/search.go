package graph

import (
	"context"
	"slices"

	"orbitmc/internal/pace"
)

// The search: the first path downwards, then its levels upwards (McKay 1981;
// Darga, Sakallah, Markov, DAC 2008). There is one fixed first path, not a left
// side that branches anew for every automorphism. So the left side is refined
// once, the right side is compared with its trace, and one set of cells serves
// both. Levels are done from the last one upwards, so most automorphisms are
// found where nearly all vertices are fixed, and move few vertices.
//
// At a right node the candidates are tried in this order: first the vertex that
// the left choice is the image of, so that blocks come back the way they went;
// then the left choice itself, so that a vertex that need not move does not; then
// the others.

// level is a level of the first path. Ends are exclusive.
type level struct {
	target  int32 // cell
	choice  int32 // vertex individualised on the left
	steps   int32 // end of its steps in trace
	splits  int32 // end of its splits; the first is the individualisation
	wholes  int32 // end of the symmetric cells declared after it
	orbit   int32 // length of the orbit of choice; 0 until the level is done
	jump    int   // level to go back to when a node here fails; -1: none
	failing failures
}

type search struct {
	*refiner
	ctx        context.Context
	stats      Stats
	orbits     orbits
	generators []Perm
	found      []int32 // by generator: the level that it was found at; whole for those of symmetric cells

	// The first path.
	levels     []level
	root       int32       // symmetric cells declared at state 0
	components []component // stack
	wholes     []int32     // symmetric cells in order of declaration
	wholeSize  []int32     // their sizes
	whole      []int32     // by cell: state at which it was declared symmetric
	left       []int32     // vertex by position, at the end of the first path
	leftPos    []int32     // position by vertex, likewise

	// The pair.
	off     []uint8 // by vertex: matched … open, see matching.go
	offs    [4]int  // vertices that are off, by kind
	offList []int32 // all of these
	offAt   []int32 // by vertex: index into offList
	log     []change
	frames  []frame
	failed  []int32 // by vertex, at roots of orbits: 1 + the level at which the orbit failed

	// Scratch.
	image, inverse []int32 // by vertex; none
	stamped        []int32 // by vertex or cell: the last stamp it got
	stamp          int32
	joined         []int32

	// Completion along edges, see follow.go.
	fresh            []int32 // vertices whose images were assigned and not yet propagated
	agenda           []int32 // vertices with images whose neighbours may be without
	vertices, images []anchored
	buckets          []bucket
}

// frame is a node of the right side; frames[k] is at level i+k when the search
// started at level i.
type frame struct {
	choice   int32   // candidate in use
	log      int     // length of log at this node
	siblings []int32 // all candidates, once the first has failed
	first    int32   // the candidate tried before siblings were listed
	next     int     // index into siblings
	failing  failures
	tries    int // completions that failed here and above
	nextTry  int // level before which no guess is tried
}

func (s *search) stepsBefore(j int) int32 {
	if j == 0 {
		return 0
	}
	return s.levels[j-1].steps
}

func (s *search) splitsBefore(j int) int32 {
	if j == 0 {
		return 0
	}
	return s.levels[j-1].splits
}

func (s *search) wholesBefore(j int) int32 {
	if j == 0 {
		return s.root
	}
	return s.levels[j-1].wholes
}

// Search finds the automorphism group of g. When ctx is done it returns what was
// found until then, flagged incomplete, and the error of ctx. The result is
// the same in every run.
func Search(ctx context.Context, g *Graph) (*Result, error) {
	n := g.N()
	s := &search{
		refiner: newRefiner(g),
		ctx:     ctx,
		orbits:  newOrbits(n),
		whole:   slices.Repeat([]int32{1<<31 - 1}, n),
		stamped: make([]int32, n),
	}
	complete := s.firstPath() && s.upwards()
	r := s.result(complete)
	if !complete {
		return r, ctx.Err()
	}
	return r, nil
}

// edgesPerStep is how many edges the search looks at in the time of a step of package pace.
const edgesPerStep = 16

// stop reports whether ctx ended. If the search has a pace it waits for it.
func (s *search) stop() bool {
	pace.Spend(s.ctx, int(s.edges/edgesPerStep))
	s.edges %= edgesPerStep
	return s.ctx.Err() != nil
}

// firstPath refines the root and goes down until every cell is settled. It returns
// false when it was stopped.
func (s *search) firstPath() bool {
	if s.stop() || !s.refine(s.stop) {
		return false
	}
	s.trace, s.splits = s.trace[:0], s.splits[:0]
	var cells []int32
	for c := 0; c < len(s.lab); c += int(s.size[c]) {
		s.stats.Cells++
		cells = append(cells, int32(c))
	}
	s.pushComponents(cells, -1)
	s.root = int32(len(s.wholes))
	for len(s.components) > 0 {
		if s.stop() {
			return false
		}
		comp := s.components[len(s.components)-1]
		s.components = s.components[:len(s.components)-1]
		j := len(s.levels)
		t := comp.target
		v := s.lab[t+s.size[t]-1]
		begin := s.splitsBefore(j)
		s.splits = append(s.splits, s.individualise(v, t))
		s.push(s.cellOf[v])
		if !s.refine(s.stop) {
			return false
		}
		s.levels = append(s.levels, level{
			target: t,
			choice: v,
			steps:  int32(len(s.trace)),
			splits: int32(len(s.splits)),
			jump:   comp.jump,
		})
		cells := comp.cells
		for _, sp := range s.splits[begin:] {
			cells = append(cells, sp.at)
		}
		s.pushComponents(cells, j)
		s.levels[j].wholes = int32(len(s.wholes))
	}
	s.left, s.leftPos = slices.Clone(s.lab), slices.Clone(s.pos)
	return true
}

// upwards does the levels from the last one upwards. It returns false when it
// was stopped.
func (s *search) upwards() bool {
	n := len(s.lab)
	s.off = make([]uint8, n)
	s.offAt = make([]int32, n)
	s.failed = make([]int32, n)
	s.image = slices.Repeat([]int32{none}, n)
	s.inverse = slices.Repeat([]int32{none}, n)
	for i := len(s.levels) - 1; i >= 0; i-- {
		s.undo(s.levels[i].splits, s.splitsBefore(i))
		if !s.doLevel(i) {
			return false
		}
	}
	return true
}

// doLevel finds the orbit of the choice of level i under the automorphisms that fix
// the choices before it. The right side is the left one of state i.
func (s *search) doLevel(i int) bool {
	l := &s.levels[i]
	cell := s.left[l.target : l.target+s.size[l.target]]
	var failing []failure
	failed := 0 // vertices in orbits that failed
	for _, w := range cell {
		mine := s.orbits.find(l.choice)
		if int(s.orbits.count[mine])+failed == len(cell) {
			break
		}
		root := s.orbits.find(w)
		if root == mine || s.failed[root] == int32(i)+1 {
			continue
		}
		p, why, ok := s.carry(i, w)
		switch {
		case ok:
			s.addGenerator(p, int32(i))
			failing, failed = s.live(i, failing)
		case !s.stop():
			root = s.orbits.find(w)
			s.failed[root] = int32(i) + 1
			failing = append(failing, failure{root, why})
			failed += int(s.orbits.count[root])
		}
		if s.stop() {
			return false
		}
	}
	l.orbit = s.orbits.count[s.orbits.find(l.choice)]
	if len(failing) > 0 {
		l.failing = failures{}
		for _, f := range failing {
			s.failed[f.root] = 0
			l.failing[f.why] += s.orbits.count[f.root]
		}
	}
	return true
}

// live drops from the failing orbits of level i those that were joined to others of
// them, and counts the vertices in the rest.
func (s *search) live(i int, failing []failure) (kept []failure, vertices int) {
	kept = failing[:0]
	for _, f := range failing {
		root := s.orbits.find(f.root)
		if s.failed[root] == int32(i)+1 {
			s.failed[root] = 0
			kept = append(kept, failure{root, f.why})
			vertices += int(s.orbits.count[root])
		}
	}
	for _, f := range kept {
		s.failed[f.root] = int32(i) + 1
	}
	return kept, vertices
}

// addGenerator adds an automorphism found at a level and joins the orbits it joins.
func (s *search) addGenerator(p Perm, level int32) {
	s.generators = append(s.generators, p)
	s.found = append(s.found, level)
	for k, v := range p.Moved {
		root, gone := s.orbits.union(v, p.Image[k])
		if root != gone && s.failed != nil {
			s.failed[root] = max(s.failed[root], s.failed[gone])
		}
	}
}

// carry looks for an automorphism that fixes the choices before level i and
// moves that of level i to w. It returns one, or how w failed. The right side
// ends as it was, up to order within cells. When stopped it returns no automorphism.
func (s *search) carry(i int, w int32) (p Perm, why deviation, ok bool) {
	s.frames = append(s.frames[:0], frame{choice: w})
	defer func() { s.unlog(0) }()
	if why = s.descend(i, w); why != (deviation{}) {
		return Perm{}, why, false
	}
	s.compare(i)
	j := i + 1 // level of the next frame; the right side is at state j
	for {
		f := &s.frames[j-1-i]
		if j >= f.nextTry || s.offs[open] == 0 && s.offs[back] == 0 {
			if p, ok = s.complete(j); ok {
				s.undo(s.splitsBefore(j), s.splitsBefore(i))
				return p, why, true
			}
			f.tries++
			f.nextTry = j + 1<<min(f.tries, 20)
		}
		if j < len(s.levels) {
			s.frames = append(s.frames, frame{choice: s.prefer(j), log: len(s.log), tries: f.tries, nextTry: f.nextTry})
			why = s.descend(j, s.frames[j-i].choice)
			if why == (deviation{}) {
				s.compare(j)
				j++
				continue
			}
		} else {
			// The last state cannot be completed: the choice above it failed.
			j--
			s.ascend(i, j+1, j)
			why = deep
		}
		// The candidate of level j failed; the right side is at state j.
		for why != (deviation{}) {
			if j == i || s.stop() {
				s.ascend(i, j, i)
				return Perm{}, deep, false
			}
			if v, ok := s.sibling(i, j, why); ok {
				why = s.descend(j, v)
				if why == (deviation{}) {
					s.compare(j)
					j++
				}
				continue
			}
			up := s.levels[j].jump
			if up < j-1 {
				s.stats.Backjumps++
			}
			s.ascend(i, j, max(i, up))
			j = max(i, up)
			why = deep
		}
	}
}

// prefer returns the candidate of level j to try first on the right side.
func (s *search) prefer(j int) int32 {
	l := &s.levels[j]
	c := s.cellOf[l.choice]
	if s.size[c] == 1 {
		if w := s.left[c]; s.cellOf[w] == l.target {
			return w
		}
	}
	if c == l.target {
		return l.choice
	}
	return s.lab[l.target+s.size[l.target]-1]
}

// sibling notes how the candidate in use at level j failed and returns the next one,
// if there is one and the node can still be equivalent to that of the first path.
func (s *search) sibling(i, j int, why deviation) (v int32, ok bool) {
	f := &s.frames[j-i]
	l := &s.levels[j]
	if f.failing == nil {
		f.failing = failures{}
		f.first = f.choice
		f.siblings = slices.Clone(s.lab[l.target : l.target+s.size[l.target]])
		slices.Sort(f.siblings)
	}
	f.failing[why]++
	if f.failing[why] > l.failing[why] {
		return 0, false
	}
	for f.next < len(f.siblings) {
		v := f.siblings[f.next]
		f.next++
		if v != f.first {
			f.choice = v
			return v, true
		}
	}
	return 0, false
}

// ascend takes the right side from state j back to state to, and leaves the frame
// of level to on top.
func (s *search) ascend(i, j, to int) {
	s.undo(s.splitsBefore(j), s.splitsBefore(to))
	s.frames = s.frames[:to-i+1]
	s.unlog(s.frames[to-i].log)
}

// nextStamp returns a value that no entry of stamped holds.
func (s *search) nextStamp() int32 {
	if s.stamp == 1<<31-1 {
		clear(s.stamped)
		s.stamp = 0
	}
	s.stamp++
	return s.stamp
}
