package explicit

import (
	"maps"
	"slices"
)

// This file looks for a strongly connected component with a fair run, while the states are found: J.-M. Couvreur,
// On-the-fly verification of linear temporal logic, FM 1999, for generalised acceptance. What waits in all steps of a
// component, rather than what is met in one, is kept, as conditions get their numbers late.
//
// Under symmetry a state stands for its orbit, and a step to a representative is followed by a permutation, which
// moves the conditions as well. E. A. Emerson and A. P. Sistla, Utilizing symmetry when model checking under fairness
// assumptions, TOPLAS 1997, call a condition along a path a thread. The tree of the search gives each state a
// permutation from the root, so all conditions of a component are compared at the root. The other steps close cycles;
// such a cycle maps conditions at the root to each other. A condition waits for ever only if all that these maps make
// of it wait.
//
// Strong fairness: E. A. Emerson and C.-L. Lei, Modalities for model checking, 1987. If conditions of a component
// are never met, the states in which they could be are taken away, and the components of the rest are looked at; levels.go
// does that.

// graph is states and steps. Successors may be states that are new.
type graph interface {
	successors(i int, arcs []arc) (all []arc, stop bool)
	size() int // how many states are known
}

// emptiness is a search for a component with a fair run.
type emptiness struct {
	*conditions
	g     graph
	order []int32  // by state: 0 is new; above, its place in live, from 1; below, the complement of its component
	turn  []uint32 // by state: the permutation from the root of its tree to it
	ended []int32  // by state: its place among those whose search has ended, from 1; 0: it has not
	ends  int32    // how many have

	live   []int       // states without a component, in the order in which they were found
	stack  []component // of live states
	frames []searchFrame
	arcs   []arc

	components []closedComponent
	accepting  []int // the states of a component with a fair run; nil if there is none
	every      bool  // such a component does not end the search; each is marked when it is closed
}

// searchFrame is a state whose successors are looked at.
type searchFrame struct{ state, at, end int }

// component is a set of live states each of which can be reached from each other one. All conditions are as at the root.
type component struct {
	first int // place in live
	from  int // state of the step to the first state; -1 if that is a root
	label uint32
	inner bool // there are steps within

	waits        []uint32        // in all steps within
	cycles       []uint32        // ascending: what steps within make of the conditions at the root
	could, meets map[uint32]bool // of strong fairness, in some step within

	steps  map[uint32]bool // labels of steps within, as at the root
	looked bool            // whether it has a fair run, since it grew last
}

// closedComponent is what evidence says of a component.
type closedComponent struct {
	waiting []uint32 // as at the root of its tree
	strong  bool     // they are of strong fairness, and could be met
	fair    bool     // there is a fair run
	states  []int    // of one with strong or fair
}

func newEmptiness(c *conditions, g graph) *emptiness { return &emptiness{conditions: c, g: g} }

// visit searches all that can be reached from a state. It returns true if it was stopped, or has found a component
// with a fair run.
func (e *emptiness) visit(root int) (stop bool) {
	e.know()
	if e.order[root] != 0 {
		return false
	}
	if e.push(root, -1, 0, 0) {
		return true
	}
	for len(e.frames) > 0 {
		f := &e.frames[len(e.frames)-1]
		if f.at == f.end {
			e.pop()
			continue
		}
		a := e.arcs[f.at]
		from := f.state
		f.at++
		switch to := int(a.to); {
		case e.order[to] == 0:
			if e.push(to, from, a.label, e.then(e.turn[from], a.turn)) {
				return true
			}
		case e.order[to] > 0:
			if e.close(from, a) {
				return true
			}
		}
	}
	return false
}

// know makes room for new states.
func (e *emptiness) know() {
	if n := e.g.size(); n > len(e.order) {
		e.order = append(e.order, make([]int32, n-len(e.order))...)
		e.turn = append(e.turn, make([]uint32, n-len(e.turn))...)
		e.ended = append(e.ended, make([]int32, n-len(e.ended))...)
	}
}

// open reports whether the search of a state has begun and not ended.
func (e *emptiness) open(i int) bool { return i < len(e.order) && e.order[i] != 0 && e.ended[i] == 0 }

func (e *emptiness) push(state, from int, label, turn uint32) (stop bool) {
	e.stack = append(e.stack, component{first: len(e.live), from: from, label: label})
	e.live = append(e.live, state)
	e.order[state], e.turn[state] = int32(len(e.live)), turn
	begin := len(e.arcs)
	e.arcs, stop = e.g.successors(state, e.arcs)
	e.frames = append(e.frames, searchFrame{state, begin, len(e.arcs)})
	e.know()
	return stop
}

// pop ends the search from the last state.
func (e *emptiness) pop() {
	f := e.frames[len(e.frames)-1]
	e.frames = e.frames[:len(e.frames)-1]
	e.ends++
	e.ended[f.state] = e.ends
	if n := len(e.frames); n > 0 {
		e.arcs = e.arcs[:e.frames[n-1].end]
	} else {
		e.arcs = e.arcs[:0]
	}
	top := &e.stack[len(e.stack)-1]
	if e.live[top.first] != f.state {
		return
	}
	x := closedComponent{}
	states := e.live[top.first:]
	if top.inner {
		if x.waiting = e.waiting(top); x.waiting == nil {
			x.waiting = e.unmet(top)
			x.fair = x.waiting == nil
			x.strong, x.states = !x.fair, slices.Clone(states)
		}
	}
	for _, i := range states {
		e.order[i] = ^int32(len(e.components))
	}
	e.components = append(e.components, x)
	e.live, e.stack = e.live[:top.first], e.stack[:len(e.stack)-1]
}

// close notes a step to a live state, which makes one component of all from that one on. It reports whether that has
// a fair run.
func (e *emptiness) close(from int, a arc) bool {
	at := int(e.order[a.to]) - 1
	for e.stack[len(e.stack)-1].first > at {
		x := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		into := &e.stack[len(e.stack)-1]
		e.join(into, &x)
		e.within(into, x.from, x.label)
	}
	top := &e.stack[len(e.stack)-1]
	e.within(top, from, a.label)
	if t := e.then(e.then(e.turn[from], a.turn), e.back(e.turn[a.to])); t != 0 {
		if k, ok := slices.BinarySearch(top.cycles, t); !ok {
			top.cycles, top.looked = slices.Insert(top.cycles, k, t), false
		}
	}
	if top.looked || e.every {
		return false
	}
	top.looked = true
	if e.waiting(top) != nil || e.unmet(top) != nil {
		return false
	}
	e.accepting = slices.Clone(e.live[top.first:])
	return true
}

// join adds what is known of a component to another one.
func (e *emptiness) join(into, x *component) {
	into.looked = false
	into.steps = union(into.steps, x.steps)
	if x.inner {
		if into.inner {
			into.waits = both(into.waits, x.waits)
		} else {
			into.inner, into.waits = true, x.waits
		}
	}
	into.cycles = merged(into.cycles, x.cycles)
	into.could, into.meets = union(into.could, x.could), union(into.meets, x.meets)
}

// union adds b to a; either may be nil.
func union(a, b map[uint32]bool) map[uint32]bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	maps.Copy(a, b)
	return a
}

// within adds a step from a state to those within a component.
func (e *emptiness) within(x *component, from int, number uint32) {
	number = e.atRoot(e.turn[from], number)
	if x.steps[number] {
		return
	}
	if x.looked = false; x.steps == nil {
		x.steps = make(map[uint32]bool)
	}
	x.steps[number] = true
	l := e.labels.all[number]
	if !x.inner {
		x.inner, x.waits = true, l.waits
	} else if len(x.waits) > 0 {
		x.waits = both(x.waits, l.waits)
	}
	note := func(into map[uint32]bool, all []uint32) map[uint32]bool {
		for _, k := range all {
			if into == nil {
				into = make(map[uint32]bool)
			}
			into[k] = true
		}
		return into
	}
	x.could, x.meets = note(x.could, l.could), note(x.meets, l.meets)
}

// both returns what is in two ascending lists.
func both(a, b []uint32) (out []uint32) {
	for _, k := range a {
		if _, ok := slices.BinarySearch(b, k); ok {
			out = append(out, k)
		}
	}
	return out
}

// waiting returns the conditions that wait for ever, whatever cycle of the component is taken; nil if there is none.
func (e *emptiness) waiting(x *component) []uint32 {
	for changed := true; changed && len(x.waits) > 0; {
		changed = false
		for _, t := range x.cycles {
			n := len(x.waits)
			x.waits = both(x.waits, e.imagesOf(t, x.waits))
			changed = changed || len(x.waits) < n
		}
	}
	if len(x.waits) == 0 {
		return nil
	}
	return x.waits
}

// unmet returns the conditions of strong fairness that could be met in a component and are not met in it, whatever
// cycle is taken, with all that cycles make of them; nil if there is none.
func (e *emptiness) unmet(x *component) []uint32 {
	if len(x.could) == 0 {
		return nil
	}
	met := maps.Clone(x.meets)
	e.spread(x, met)
	open := make(map[uint32]bool)
	for k := range x.could {
		if !met[k] {
			open[k] = true
		}
	}
	e.spread(x, open)
	if len(open) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(open))
}

// spread adds to conditions what the cycles of a component make of them.
func (e *emptiness) spread(x *component, all map[uint32]bool) {
	todo := slices.Sorted(maps.Keys(all))
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, t := range x.cycles {
			if to := e.image(t, k); !all[to] {
				all[to] = true
				todo = append(todo, to)
			}
		}
	}
}

// memory returns about how many bytes are in use.
func (e *emptiness) memory() int64 {
	return int64(8*cap(e.order) + 4*cap(e.ended) + 8*cap(e.live) + 96*cap(e.stack) + 24*cap(e.frames) + 12*cap(e.arcs) + 32*cap(e.components))
}
