package btor2

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/internal/fault"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file tells whether a counterexample of a system with large arrays is one of the file, and chooses
// addresses if it is not.

// Abstract reports whether the system has more runs than the file.
func (f *File) Abstract() bool {
	if f.memory == nil {
		return false
	}
	return len(f.memory.any)+len(f.memory.compare) > 0
}

// Addresses returns at how many addresses the system has the elements of large arrays.
func (f *File) Addresses() int { return len(f.memory.addresses) }

// Refined returns nil if a trace of f.Sys that violates a bad in its last frame violates it in the file.
// Else it returns the file with more addresses, whose system does not have the trace.
func (f *File) Refined(ctx context.Context, t *ts.Trace, bad int) (g *File, err error) {
	if !f.Abstract() {
		return nil, nil
	}
	s := f.Stimulus(t)
	if _, err := f.Run(s).Shows(bad); err == nil {
		return nil, nil
	}
	c := &check{File: f, t: t, s: s, bad: bad, start: f.start(t)}
	wrong, err := c.wrong(ctx)
	if err != nil {
		return nil, err
	}
	m := &memory{addresses: slices.Clone(f.memory.addresses)}
	for _, x := range wrong {
		if a := c.address(x); !slices.ContainsFunc(m.addresses, a.equal) {
			m.addresses = append(m.addresses, a)
		}
	}
	if len(m.addresses) == len(f.memory.addresses) {
		return nil, fmt.Errorf("%s: internal error: a trace is not excluded by the addresses that it has", f.name)
	}
	return f.with(ctx, m)
}

// with returns the file with other addresses.
func (f *File) with(ctx context.Context, m *memory) (g *File, err error) {
	h := *f
	h.memory, h.place = m, make(map[int]place)
	defer fault.Catch[*Error](&err)
	return &h, (&reader{File: &h}).build(ctx)
}

// start returns the addresses in a trace.
func (f *File) start(t *ts.Trace) []*big.Int {
	var all []*big.Int
	for j, a := range f.memory.addresses {
		x := a.value
		if x == nil {
			x = packWord(t.Init[f.memory.start[j]:][:f.nodes[a.part].sort.index])
		}
		all = append(all, x)
	}
	return all
}

// adopt adds the elements of large arrays that a stimulus leaves open: those of cells and, where there is no cell,
// what a line is said to read there first.
func (f *File) adopt(t *ts.Trace, s Stimulus) {
	m := f.memory
	start := f.start(t)
	type leaf struct{ frame, node int }
	leaves := make(map[*big.Int]leaf) // by the element that stands for all that are open
	for k := range s {
		for i := range f.nodes {
			n := &f.nodes[i]
			if !m.used[i] || !f.large(n.sort) || !f.open(i, k) {
				continue
			}
			v := filled(new(big.Int))
			leaves[v.rest] = leaf{k, i}
			for j := range start {
				c := cell{j, i}
				var bits []bool
				if first, ok := m.init[c]; ok && k == 0 {
					bits = t.Init[first:]
				} else if first, ok := m.inputs[c]; ok && k > 0 && f.delayed(c) {
					bits = t.Inputs[k-1][first:]
				} else if ok {
					bits = t.Inputs[k][first:]
				} else {
					continue
				}
				if v.at.get(key(start[j])) == nil {
					v = v.with(start[j], packWord(bits[:n.sort.width]))
				}
			}
			s[k][i] = v
		}
	}
	// look returns an element, which is x if it is open.
	look := func(array Value, index, x *big.Int) *big.Int {
		e := array.element(index)
		l, open := leaves[e]
		if !open {
			return e
		}
		v := s[l.frame][l.node]
		if v.element(index) == e { // nobody has said what it is
			s[l.frame][l.node] = v.with(index, x)
		}
		return s[l.frame][l.node].element(index)
	}
	f.run(s, &Run{}, func(k int, values []Value, i int) Value {
		n := &f.nodes[i]
		if first, ok := m.any[i]; ok {
			index := f.at(values, n.args[1]).Word
			return Value{Word: look(values[n.args[0].node], index, packWord(t.Inputs[k][first:][:n.sort.width]))}
		}
		if p, ok := m.compare[i]; ok && !t.Inputs[k][p.equal] {
			s := f.nodes[n.args[0].node].sort
			where := packWord(t.Inputs[k][p.where:][:s.index])
			look(values[n.args[0].node], where, packWord(t.Inputs[k][p.left:][:s.width]))
			look(values[n.args[1].node], where, packWord(t.Inputs[k][p.right:][:s.width]))
		}
		return f.evaluate(k, values, i)
	})
	for k := range s { // what is still open is 0, and no array shares it
		for i, v := range s[k] {
			if v.isArray() && f.large(f.nodes[i].sort) {
				s[k][i] = Value{at: v.at, rest: new(big.Int)}
			}
		}
	}
}

// delayed reports whether the inputs of a cell are its value in the next frame.
func (f *File) delayed(c cell) bool {
	n := &f.nodes[c.node]
	return n.op == opState && (n.init != nil || f.memory.read[c.node])
}

// instance is a line in a frame that reads a large array or compares two.
type instance struct{ frame, node int }

// check is a trace of the system that is none of the file.
type check struct {
	*File
	t     *ts.Trace
	s     Stimulus
	bad   int
	start []*big.Int // addresses

	last *Run
}

// shows reports whether the trace violates the bad in its last frame if some instances have their
// values by the file, and the others by the system.
func (c *check) shows(exact map[instance]bool) bool {
	r := &Run{}
	c.run(c.s, r, func(k int, values []Value, i int) Value {
		if !c.memory.used[i] {
			return c.nodes[i].zero() // files name many words that no property depends on
		}
		if exact[instance{k, i}] {
			return c.evaluate(k, values, i)
		}
		return c.value(k, values, i)
	})
	c.last = r
	return r.Bads[len(r.Bads)-1][c.bad] && !slices.Contains(r.Constraints, false)
}

// value is what a line is in the system.
func (c *check) value(k int, values []Value, i int) Value {
	n, m := &c.nodes[i], c.memory
	in := c.t.Inputs[k]
	look := func(array int, index *big.Int, first int) *big.Int {
		for j, a := range m.addresses {
			if a.part == m.part[array] && c.start[j].Cmp(index) == 0 {
				return values[array].element(index)
			}
		}
		return packWord(in[first:][:c.nodes[array].sort.width])
	}
	if first, ok := m.any[i]; ok {
		return Value{Word: look(n.args[0].node, c.at(values, n.args[1]).Word, first)}
	}
	p, ok := m.compare[i]
	if !ok {
		return c.evaluate(k, values, i)
	}
	left, right := n.args[0].node, n.args[1].node
	where := packWord(in[p.where:][:c.nodes[left].sort.index])
	alike := in[p.equal] || look(left, where, p.left).Cmp(look(right, where, p.right)) == 0
	for j, a := range m.addresses {
		if a.part == m.part[left] {
			alike = alike && values[left].element(c.start[j]).Cmp(values[right].element(c.start[j])) == 0
		}
	}
	return truth(alike == (n.op == opEq))
}

// wrong returns instances such that the trace violates nothing once they have their values by the file. Later
// ones are preferred.
func (c *check) wrong(ctx context.Context) ([]instance, error) {
	if !c.shows(nil) {
		return nil, fmt.Errorf("%s: internal error: a trace violates no property in words", c.name)
	}
	var all []instance
	for k := len(c.s) - 1; k >= 0; k-- {
		for i := range c.nodes {
			_, read := c.memory.any[i]
			_, compares := c.memory.compare[i]
			if read || compares {
				all = append(all, instance{k, i})
			}
		}
	}
	exact := lists.Set(all)
	if c.shows(exact) {
		return nil, fmt.Errorf("%s: internal error: a trace that violates a property is refined", c.name)
	}
	// Some first instances are enough, not one less: lo are not, hi are.
	few := func(n int) map[instance]bool {
		exact = lists.Set(all[:n])
		return exact
	}
	lo, hi := 0, len(all)
	for hi-lo > 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if mid := (lo + hi) / 2; c.shows(few(mid)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	few(hi)
	// Halves, then smaller pieces are left out if the others are enough.
	need := slices.Clone(all[:hi])
	for size := max(1, len(need)/2); ; size /= 2 {
		for from := len(need); from > 0; {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			to := from
			from = max(0, from-size)
			for _, x := range need[from:to] {
				delete(exact, x)
			}
			if !c.shows(exact) {
				need = slices.Delete(need, from, to)
				continue
			}
			for _, x := range need[from:to] {
				exact[x] = true
			}
		}
		if size == 1 {
			break
		}
	}
	c.shows(exact)
	return need, nil
}

// address returns an address with which an instance has its value by the file, in the run that was tried last.
func (c *check) address(x instance) address {
	n, values := &c.nodes[x.node], c.last.Values[x.frame]
	array := n.args[0].node
	a := address{part: c.memory.part[array], delay: len(c.s) - 1 - x.frame}
	switch {
	case n.op == opRead:
		if a.line = n.args[1]; c.constant(a.line) || c.often(a.line) {
			a.value = c.at(values, a.line).Word
		}
	default:
		index, ok := differ(values[array], values[n.args[1].node], c.nodes[array].sort.index)
		if ok {
			a.value = index
		} else {
			a.line, a.where = ref{node: x.node}, true
		}
	}
	return a
}

// often reports whether the indices of a line are so few that their numbers are better addresses than what
// the index was in yet another frame.
func (f *File) often(line ref) bool {
	const bits, frames = 6, 3
	n := lists.Count(f.memory.addresses, func(a address) bool { return a.value == nil && !a.where && a.line == line })
	return n >= frames && f.nodes[line.node].sort.width <= bits
}

// constant reports whether a word depends on no input and no state.
func (f *File) constant(x ref) bool {
	reached := f.reached([]ref{x}, true)
	for i, r := range reached {
		if r && f.nodes[i].op < opConst {
			return false
		}
	}
	return true
}
