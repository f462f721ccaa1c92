package ltl

import (
	"fmt"
	"slices"
)

// This file makes the automaton of a formula, after R. Gerth, D. Peled, M. Vardi, P. Wolper,
// "Simple On-the-fly Automatic Verification of Linear Temporal Logic", PSTV 1995. A state is a
// set of subformulas that are to hold from now on. Each right side of an Until is an
// acceptance condition: nothing is promised for ever. There are as many conditions as there are
// Untils: justice takes several, so they are not made into one.

// Automaton is a generalised Büchi automaton. A run begins in an initial state, whose label the
// first state of the word meets. It is accepting if for each condition it is infinitely often in a
// state that meets it.
type Automaton struct {
	States     []State
	Conditions int
}

// State is a state of an automaton.
type State struct {
	Initial bool
	Yes, No []int  // the label: atoms that hold and that do not, ascending
	Next    []int  // states, ascending
	Accepts []bool // by condition: it is met here
}

// most is how many states an automaton may have.
const most = 1 << 12

// set is a set of subformulas by number.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s set) with(i ...int) set {
	s = slices.Clone(s)
	for _, i := range i {
		s[i/64] |= 1 << (i % 64)
	}
	return s
}

// first returns a member; -1 if there is none.
func (s set) first() int {
	for i := range 64 * len(s) {
		if s.has(i) {
			return i
		}
	}
	return -1
}

// tableau numbers the subformulas of a formula in negation normal form.
type tableau struct {
	subs   []*Formula
	number map[string]int
	nodes  []*node
	empty  set
}

// node is a state in the making. open are formulas that are to hold and were not looked
// at, old those that were, next those that are to hold in the next state.
type node struct {
	from            []int // nodes; -1 is the start
	open, old, next set
}

func (t *tableau) add(f *Formula) {
	if f == nil {
		return
	}
	if _, ok := t.number[f.String()]; !ok {
		t.add(f.X)
		t.add(f.Y)
		t.number[f.String()] = len(t.subs)
		t.subs = append(t.subs, f)
	}
}

func (t *tableau) of(f *Formula) int { return t.number[f.String()] }

// New returns the automaton whose runs are the words that f holds of. It is an error if that
// would be too large.
func New(f *Formula) (*Automaton, error) {
	f = f.normal(false)
	t := &tableau{number: make(map[string]int)}
	t.add(f)
	t.empty = make(set, (len(t.subs)+63)/64)
	todo := []*node{{from: []int{-1}, open: t.empty.with(t.of(f)), old: t.empty, next: t.empty}}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(t.nodes) > most || len(todo) > 1<<16 {
			return nil, fmt.Errorf("the automaton of the formula has more than %d states", most)
		}
		todo = append(todo, t.expand(n)...)
	}
	return t.automaton(), nil
}

// expand looks at one open formula, and returns what is left to be looked at.
func (t *tableau) expand(n *node) []*node {
	i := n.open.first()
	if i < 0 {
		for _, m := range t.nodes {
			if slices.Equal(m.old, n.old) && slices.Equal(m.next, n.next) {
				m.from = append(m.from, n.from...)
				return nil
			}
		}
		t.nodes = append(t.nodes, n)
		return []*node{{from: []int{len(t.nodes) - 1}, open: n.next, old: t.empty, next: t.empty}}
	}
	open := slices.Clone(n.open)
	open[i/64] &^= 1 << (i % 64)
	old := n.old.with(i)
	// then returns the node after some formulas are wanted, now and in the next state.
	then := func(next set, now ...int) *node {
		m := &node{from: slices.Clone(n.from), open: slices.Clone(open), old: old, next: next}
		for _, k := range now {
			if !old.has(k) {
				m.open = m.open.with(k)
			}
		}
		return m
	}
	switch f := t.subs[i]; f.Op {
	case False:
		return nil
	case True, Atom, Not: // where an atom errs, it and its negation count as true
		return []*node{then(n.next)}
	case Next:
		return []*node{then(n.next.with(t.of(f.X)))}
	case And:
		return []*node{then(n.next, t.of(f.X), t.of(f.Y))}
	case Or:
		return []*node{then(n.next, t.of(f.X)), then(n.next, t.of(f.Y))}
	case Until:
		return []*node{then(n.next.with(i), t.of(f.X)), then(n.next, t.of(f.Y))}
	default: // Release
		return []*node{then(n.next.with(i), t.of(f.Y)), then(n.next, t.of(f.X), t.of(f.Y))}
	}
}

func (t *tableau) automaton() *Automaton {
	a := &Automaton{States: make([]State, len(t.nodes))}
	var untils []int
	for i, f := range t.subs {
		if f.Op == Until {
			untils = append(untils, i)
		}
	}
	a.Conditions = len(untils)
	for k, n := range t.nodes {
		s := &a.States[k]
		for i, f := range t.subs {
			switch {
			case !n.old.has(i):
			case f.Op == Atom:
				s.Yes = append(s.Yes, f.Atom)
			case f.Op == Not:
				s.No = append(s.No, f.X.Atom)
			}
		}
		slices.Sort(s.Yes)
		slices.Sort(s.No)
		for _, i := range untils {
			s.Accepts = append(s.Accepts, !n.old.has(i) || n.old.has(t.of(t.subs[i].Y)))
		}
		for _, from := range n.from {
			if from < 0 {
				s.Initial = true
			} else if !slices.Contains(a.States[from].Next, k) {
				a.States[from].Next = append(a.States[from].Next, k)
			}
		}
	}
	for k := range a.States {
		slices.Sort(a.States[k].Next)
	}
	return a
}

// Meets reports whether state number i of a word meets the label.
func (s *State) Meets(i int, l Literals) bool {
	return !slices.ContainsFunc(s.Yes, func(k int) bool { return !l(i, k, false) }) && !slices.ContainsFunc(s.No, func(k int) bool { return !l(i, k, true) })
}

// Everything returns an automaton that reads every word and accepts none.
func Everything() *Automaton {
	return &Automaton{States: []State{{Initial: true, Next: []int{0}, Accepts: []bool{false}}}, Conditions: 1}
}
