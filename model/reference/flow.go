package reference

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file follows values through a trace: on which leaves before a step those after it depend, by
// data and by the conditions around, and which statements ran. So it finds the writes that a
// violation depends on: a dynamic backward slice (Korel and Laski 1988). It is an explanation for
// the reader of a counterexample, and no evidence.

// Flow is how values go through one firing of a rule.
type Flow struct {
	Guard []int               // leaves that the guard read, ascending
	Reads []int               // leaves that guard and body read, ascending
	Fail  []int               // of a step that errs: leaves that the error depends on, ascending
	Ran   map[model.Stmt]bool // statements that ran

	n      int           // leaves of a state
	from   map[int][]int // by cell of the walker that was set: the leaves before that it depends on
	moved  map[int][]int // by leaf: the same after multisets are sorted, unless it is the leaf itself
	put    map[int]bool  // leaves that were written, after multisets are sorted
	used   []int         // leaves that the statement at hand has read
	ctl    []int         // leaves that decided that it runs
	failed bool
}

// Before returns the leaves before the step that the value of a leaf after it depends on, besides
// those of the guard; written is false if the step left the value as it was, perhaps in another
// slot of a multiset.
func (f *Flow) Before(leaf int) (from []int, written bool) {
	if from, ok := f.moved[leaf]; ok {
		return from, f.put[leaf]
	}
	return []int{leaf}, false
}

func (f *Flow) origin(cell int) []int {
	if from, ok := f.from[cell]; ok {
		return from
	}
	if cell < f.n {
		return []int{cell}
	}
	return nil
}

func (f *Flow) use(cell int) {
	o := f.origin(cell)
	f.used = lists.Union(f.used, o)
	f.Reads = lists.Union(f.Reads, o)
}

func (f *Flow) set(at, n int) {
	from := lists.Union(f.ctl, f.used)
	for i := range n {
		f.from[at+i] = from
	}
}

// pass adds what a copy depends on to what set has noted of it.
func (f *Flow) pass(to, from, n int) {
	for i := range n {
		o := f.origin(from + i)
		f.from[to+i] = lists.Union(f.from[to+i], o)
		f.Reads = lists.Union(f.Reads, o)
	}
}

func (f *Flow) forget(at, n int) {
	for i := range n {
		delete(f.from, at+i)
	}
}

// enter begins a statement; leave ends it, given what enter returned.
func (f *Flow) enter(s model.Stmt) (outer [2][]int) {
	outer = [2][]int{f.ctl, f.used}
	f.Ran[s] = true
	f.ctl, f.used = lists.Union(f.ctl, f.used), nil
	return outer
}

func (f *Flow) leave(outer [2][]int, err error) {
	if err != nil && err != errReturn && !f.failed {
		f.failed, f.Fail = true, lists.Union(f.ctl, f.used)
	}
	f.ctl, f.used = outer[0], outer[1]
}

// Flow fires an instance in s and returns how values went; nil if that takes too long. The guard
// holds, or errs.
func (w *Walker) Flow(s model.State, r *model.Rule, params []int64) *Flow {
	f := &Flow{n: w.n, Ran: map[model.Stmt]bool{}, from: map[int][]int{}, moved: map[int][]int{}, put: map[int]bool{}}
	w.begin(s, r.Params, params)
	w.flow = f
	defer func() { w.flow = nil }()
	_, err := w.guard(r)
	f.Guard, f.used = f.used, nil
	if err != nil {
		f.Fail = f.Guard
		return f
	}
	w.locals(r.Locals)
	if err := w.exec(r.Body); err == errFuel {
		return nil
	}
	values, cells := slices.Clone(w.mem[:w.n]), make([]int, w.n) // sorted, and which cell each was
	for i := range cells {
		cells[i] = i
	}
	for _, v := range w.m.Vars {
		order(v.Type, values[v.Offset:], cells[v.Offset:])
	}
	for i, c := range cells {
		if w.mem[c] != s[c] {
			f.moved[i], f.put[i] = f.origin(c), true
		} else if c != i {
			f.moved[i] = []int{c}
		}
	}
	return f
}

// order sorts the multisets among the leaves of t as Program.Normalise does, and cells along.
func order(t *model.Type, values []int64, cells []int) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			order(f.Type, values[f.Offset:], cells[f.Offset:])
		}
	case model.Array:
		for i := range int(t.Index.Card()) {
			order(t.Elem, values[i*t.Elem.Leaves:], cells[i*t.Elem.Leaves:])
		}
	case model.Multiset:
		type slot struct {
			values []int64
			cells  []int
		}
		n := 1 + t.Elem.Leaves
		var slots []slot
		for i := range int(t.Index.Card()) {
			order(t.Elem, values[i*n+1:], cells[i*n+1:])
			slots = append(slots, slot{slices.Clone(values[i*n:][:n]), slices.Clone(cells[i*n:][:n])})
		}
		slices.SortStableFunc(slots, func(a, b slot) int {
			switch free := a.values[0] == model.Undef; {
			case free != (b.values[0] == model.Undef):
				if free {
					return 1
				}
				return -1
			case free:
				return 0
			}
			return slices.Compare(a.values, b.values)
		})
		for i, x := range slots {
			copy(values[i*n:], x.values)
			copy(cells[i*n:], x.cells)
		}
	}
}

// Slice is what the violation at the end of a trace depends on.
type Slice struct {
	Flows    []*Flow  // by step
	Relevant [][]Link // by step: its writes that the violation depends on, by leaf, ascending
}

// Link is a write, of a leaf as it is after the step, and the later steps that depend on it,
// ascending; 0 stands for the property itself.
type Link struct {
	Leaf int
	For  []int
}

// Backward returns the writes that the violation at the end of a trace depends on; nil if that takes
// too long. Goal are the leaves of the last state that decide the property; if the last step errs,
// those that the error depends on are taken.
func Backward(m *model.Model, t *model.Trace, goal []int) *Slice {
	w := NewWalker(m)
	x := &Slice{Relevant: make([][]Link, len(t.Steps))}
	s := t.StartState
	for _, step := range t.Steps {
		f := w.Flow(s, m.Rules[step.Rule], step.Params)
		if f == nil {
			return nil
		}
		x.Flows = append(x.Flows, f)
		s = step.State
	}
	want := map[int][]int{} // by leaf of the state at hand: the steps that depend on it
	add := func(leaf int, steps ...int) { want[leaf] = lists.Union(want[leaf], steps) }
	for _, leaf := range goal {
		add(leaf, 0)
	}
	for k := len(t.Steps); k > 0; k-- {
		f, later := x.Flows[k-1], want
		want = map[int][]int{}
		if t.Steps[k-1].State == nil {
			for _, leaf := range lists.Union(f.Guard, f.Fail) {
				add(leaf, k)
			}
			continue
		}
		for leaf, steps := range later {
			from, written := f.Before(leaf)
			if written {
				x.Relevant[k-1] = append(x.Relevant[k-1], Link{leaf, steps})
				steps = []int{k}
			}
			for _, before := range from {
				add(before, steps...)
			}
		}
		if len(x.Relevant[k-1]) > 0 {
			for _, leaf := range f.Guard {
				add(leaf, k)
			}
		}
		slices.SortFunc(x.Relevant[k-1], func(a, b Link) int { return a.Leaf - b.Leaf })
	}
	return x
}
