package markov

import "slices"

// This file looks at the graph alone. Sets of states are slices of bool by state. A path is through stay until goal: stay
// and goal are such sets, and only states of stay that are not in goal have steps that matter.

// walk is the graph with the steps backwards.
type walk struct {
	*Process
	owner []int32 // by action: its state
	into  []int32 // actions with a branch into a state, by state: from first[s] to first[s+1]
	first []int32
}

func newWalk(p *Process) *walk {
	w := &walk{Process: p, owner: make([]int32, len(p.Begin)-1), into: make([]int32, len(p.To)), first: make([]int32, p.States()+1)}
	for s := range p.States() {
		for a := p.First[s]; a < p.First[s+1]; a++ {
			w.owner[a] = int32(s)
		}
	}
	for _, t := range p.To {
		w.first[t+1]++
	}
	for s := range p.States() {
		w.first[s+1] += w.first[s]
	}
	at := slices.Clone(w.first)
	for a := range w.owner {
		for _, t := range p.branches(int32(a)) {
			w.into[at[t]] = int32(a)
			at[t]++
		}
	}
	return w
}

// branches returns the states to which an action leads.
func (p *Process) branches(a int32) []int32 { return p.To[p.Begin[a]:p.Begin[a+1]] }

// all returns a set by what says who is in it.
func (p *Process) all(in func(s int) bool) []bool {
	set := make([]bool, p.States())
	for s := range set {
		set[s] = in(s)
	}
	return set
}

// grow returns the states from which goal comes with a probability that is not 0: for some chooser if every is not set,
// else for all. Of several actions the one that is met first is noted in by, if it is not nil; order has the states, goal
// first.
func (w *walk) grow(stay, goal []bool, every bool, allowed func(a int32) bool, by []int32) (set []bool, order []int32) {
	set = slices.Clone(goal)
	for s, in := range goal {
		if in {
			order = append(order, int32(s))
		}
	}
	met := make([]bool, len(w.owner))
	open := make([]int32, w.States())
	for s := range open {
		open[s] = w.First[s+1] - w.First[s]
	}
	for k := 0; k < len(order); k++ {
		t := order[k]
		for _, a := range w.into[w.first[t]:w.first[t+1]] {
			s := w.owner[a]
			if met[a] || set[s] || !stay[s] || allowed != nil && !allowed(a) {
				continue
			}
			met[a] = true
			if open[s]--; every && open[s] > 0 {
				continue
			}
			if set[s] = true; by != nil {
				by[s] = a
			}
			order = append(order, s)
		}
	}
	return set, order
}

// certain returns the states from which goal comes with probability 1: for all choosers, or for some one, which takes the
// actions that are noted in by.
func (w *walk) certain(stay, goal []bool, every bool, by []int32) []bool {
	if every { // no path leads to where some chooser keeps goal away
		can, _ := w.grow(stay, goal, true, nil, nil)
		left, _ := w.grow(w.all(func(s int) bool { return stay[s] && !goal[s] }), w.all(func(s int) bool { return !can[s] }), false, nil, nil)
		return w.all(func(s int) bool { return !left[s] })
	}
	set := w.all(func(int) bool { return true })
	for size := w.States() + 1; ; {
		now := set
		next, order := w.grow(stay, goal, false, func(a int32) bool {
			return !slices.ContainsFunc(w.branches(a), func(t int32) bool { return !now[t] })
		}, by)
		if set = next; len(order) == size {
			return set
		}
		size = len(order)
	}
}

// ends returns the maximal end components within a set: by state the number of its component from 1, or 0; and by action
// whether it stays in the component of its state. A chooser can stay in such a component for ever, and can reach each
// state of it.
func (w *walk) ends(within []bool) (component []int32, inner []bool) {
	inner = make([]bool, len(w.owner))
	for a := range inner {
		inner[a] = within[w.owner[a]]
	}
	for changed := true; changed; {
		changed = false
		component = w.strong(within, inner)
		for a, s := range w.owner {
			if inner[a] && slices.ContainsFunc(w.branches(int32(a)), func(t int32) bool { return component[t] != component[s] }) {
				inner[a], changed = false, true
			}
		}
	}
	moves := make(map[int32]bool)
	for a, s := range w.owner {
		if inner[a] {
			moves[component[s]] = true
		}
	}
	for s, k := range component {
		component[s] = max(k, 0)
		if !moves[k] {
			component[s] = 0
		}
	}
	return component, inner
}

// strong returns the strongly connected components of the graph of some actions, from 1; -1 outside of a set (Tarjan, 1972,
// without recursion).
func (w *walk) strong(within, some []bool) []int32 {
	n := w.States()
	component, low := slices.Repeat([]int32{-1}, n), make([]int32, n)
	var stack, path []int32
	index := make([]int32, n)
	at := make([]int32, n) // the next branch of a state on the path
	number, count := int32(0), int32(0)
	for root := range n {
		if !within[root] || low[root] != 0 {
			continue
		}
		enter := func(s int32) {
			number++
			low[s], index[s], at[s] = number, number, w.Begin[w.First[s]]
			stack, path = append(stack, s), append(path, s)
		}
		enter(int32(root))
		for len(path) > 0 {
			s := path[len(path)-1]
			if at[s] < w.Begin[w.First[s+1]] {
				b := at[s]
				at[s]++
				a, _ := slices.BinarySearch(w.Begin[w.First[s]:w.First[s+1]+1], b+1)
				t := w.To[b]
				switch {
				case !some[w.First[s]+int32(a)-1] || !within[t]:
				case low[t] == 0:
					enter(t)
				case component[t] < 0:
					low[s] = min(low[s], low[t])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[s])
			}
			if low[s] == index[s] {
				count++
				for t := int32(-1); t != s; {
					t = stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[t] = count
				}
			}
		}
	}
	return component
}
