package model

import "slices"

// Which conjuncts of guards surely are no error: their leaves are always defined, and their
// indices in range.

// copies are the ways by which leaves may become undefined.
type copies struct {
	p     *Program
	loose []bool    // by leaf: something undefined may be assigned to it
	from  [][]int32 // by leaf: what may be copied to it
}

// nowhere is the source of a copy that is no leaf.
const nowhere = -1

func newCopies(p *Program) *copies { return &copies{p, make([]bool, p.n), make([][]int32, p.n)} }

// note adds what an instance does.
func (c *copies) note(t *toucher) {
	for w := range t.writes {
		c.loose[w.Leaf] = c.loose[w.Leaf] || w.Value == Undef
	}
	for q := range t.copies {
		if q[1] == nowhere {
			c.loose[q[0]] = true
		} else {
			c.from[q[0]] = append(c.from[q[0]], q[1])
		}
	}
	if t.Any {
		for i := range c.loose {
			c.loose[i] = true
		}
	}
}

// mostStarts bounds the start states that are run to see what they define.
const mostStarts = 1 << 12

// defined returns the leaves that are defined in all reachable states.
func (c *copies) defined() []bool {
	is := slices.Repeat([]bool{true}, c.p.n)
	for i := range is {
		is[i] = !c.loose[i]
	}
	n := 0
	c.p.NewMachine().Starts(func(_ Choice, s State, v *Violation) bool {
		for i := range is {
			is[i] = is[i] && v == nil && s[i] != Undef
		}
		n++
		return n <= mostStarts
	})
	for changed := n > 0; changed; {
		changed = false
		for i := range is {
			if is[i] && slices.ContainsFunc(c.from[i], func(leaf int32) bool { return !is[leaf] }) {
				is[i], changed = false, true
			}
		}
	}
	if n > mostStarts {
		clear(is)
	}
	return is
}

// copy notes that a designator may become what x is, undefined leaves included.
func (t *toucher) copy(to, x Expr) {
	var from []int
	if x = source(x); Designator(x) && !t.Any {
		p, _ := t.place(x)
		p.First(func(leaf int) { from = append(from, leaf) })
	}
	p, _ := t.place(to)
	p.First(func(leaf int) {
		for i := range p.N {
			at := int32(leaf + i)
			if from == nil {
				t.copies[[2]int32{at, nowhere}] = true
			}
			for _, f := range from {
				t.copies[[2]int32{at, int32(f + i)}] = true
			}
		}
	})
}

// settle fills in whether a conjunct, and what it is by cases, surely is no error.
func (c *certain) settle(q *Condition) {
	errs := func(q *Condition) bool {
		if q.Leaf >= 0 && c.defined[q.Leaf] {
			return slices.Contains(q.says[1:], saysError)
		}
		return slices.Contains(q.says, saysError)
	}
	q.Sure = !errs(q) && len(q.says) > 0 || c.holds(q.expr)
	for i := range q.cases {
		r := &q.cases[i]
		r.Sure = q.Sure || r.Leaf >= 0 && !errs(r)
	}
}
