// Package coverage counts, over the states that a search has visited, how often each rule fires, each
// statement runs and each branch is taken, and how full multisets are. Of a rule that never fires it
// says which part of the guard is never true.
//
// The states may be representatives of their orbits. As the symmetry keeps the rules, what never
// happens in them never happens, but counts are those of the representatives.
package coverage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// Report is what was counted.
type Report struct {
	States     int64      `json:"states"` // that were looked at
	Rules      []Rule     `json:"rules"`
	Multisets  []Multiset `json:"multisets,omitempty"`
	Statements Part       `json:"statements"`
	Branches   Part       `json:"branches"`
	Missed     []Place    `json:"missed,omitempty"` // statements that never run, and branches never taken, in source order

	lines map[int]int64 // by line: how often a statement that begins there runs, the most of all; a line with one that never runs is -1
}

// Rule is a rule.
type Rule struct {
	Name  string   `json:"name"`
	Line  int      `json:"line"`
	Fired int64    `json:"fired"`           // instances, in all states
	Errs  int64    `json:"errs,omitempty"`  // of them, those that err
	Never []string `json:"never,omitempty"` // of a rule that never fires: what is never true of its guard
}

// Multiset says how many elements a multiset has.
type Multiset struct {
	Name     string  `json:"name"`
	Capacity int     `json:"capacity"`
	States   []int64 `json:"states"` // by number of elements
}

// Most returns the most elements in any state.
func (m *Multiset) Most() int {
	for n := len(m.States) - 1; n > 0; n-- {
		if m.States[n] > 0 {
			return n
		}
	}
	return 0
}

// Part says how many of all were seen.
type Part struct {
	Covered int `json:"covered"`
	Total   int `json:"total"`
}

func (p *Part) add(seen bool) {
	p.Total++
	if seen {
		p.Covered++
	}
}

// Place is a place in the source.
type Place struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// Collect counts what happens in the first n of some states; member loads state i, valid until the next call.
// Of a program, of which p is not nil, statements are those of its text. The error is that of ctx.
func Collect(ctx context.Context, code *model.Program, n int64, member func(i int64) model.State, p *prog.Program) (*Report, error) {
	m := code.Model
	c := &collector{m: m, walker: reference.NewWalker(m), ran: map[model.Stmt]int64{}, Report: Report{States: n, lines: map[int]int64{}}}
	for _, r := range m.Rules {
		c.Rules = append(c.Rules, Rule{Name: cmp.Or(r.Name, fmt.Sprintf("rule@%d", r.Pos.Line)), Line: r.Pos.Line})
	}
	c.findSets()
	c.walker.Counting(c.ran)
	for _, r := range m.Starts {
		for params := range model.Instances(r.Params) {
			c.walker.Start(r, params)
		}
	}
	machine := code.NewMachine()
	for i := range n {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := member(i)
		c.fill(s)
		machine.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
			c.Rules[ch.Rule].Fired++
			if v != nil {
				c.Rules[ch.Rule].Errs++
			}
			if p == nil {
				c.walker.Fire(s, m.Rules[ch.Rule], ch.Params)
			}
			return true
		})
	}
	c.walker.Counting(nil)
	if err := c.never(ctx, n, member); err != nil {
		return nil, err
	}
	if p != nil {
		c.program(p)
		return &c.Report, nil
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		c.statements(r.Body)
	}
	for _, q := range m.Procs {
		c.statements(q.Body)
	}
	slices.SortStableFunc(c.Missed, func(a, b Place) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return &c.Report, nil
}

type collector struct {
	Report
	m      *model.Model
	walker *reference.Walker
	ran    map[model.Stmt]int64
	sets   [][]int // by multiset: its presence leaves
}

// findSets finds the multisets of the state that are in no other one.
func (c *collector) findSets() {
	inner := map[int]bool{} // presence leaves in elements
	index := map[string]int{}
	for i, l := range c.m.AllLeaves() {
		if l.Type != model.PresentType || len(l.Indices) == 0 {
			continue
		}
		slots := lists.Count(l.Indices, func(d model.IndexDim) bool { return d.Type.Slots })
		if slots > 1 {
			inner[i] = true
			continue
		}
		name := strings.TrimPrefix(l.Name[:strings.LastIndex(l.Name, "{")], "present(")
		k := lists.Number(index, name)
		if k == len(c.sets) {
			c.sets = append(c.sets, nil)
			c.Multisets = append(c.Multisets, Multiset{Name: name})
		}
		c.sets[k] = append(c.sets[k], i)
	}
	for k, slots := range c.sets {
		c.Multisets[k].Capacity = len(slots)
		c.Multisets[k].States = make([]int64, len(slots)+1)
	}
}

func (c *collector) fill(s model.State) {
	for k, slots := range c.sets {
		n := lists.Count(slots, func(i int) bool { return s[i] != model.Undef })
		c.Multisets[k].States[n]++
	}
}

// never finds out why rules never fire: conjuncts that are never true, else the first that is never
// true together with those before it.
func (c *collector) never(ctx context.Context, n int64, member func(i int64) model.State) error {
	for k, r := range c.m.Rules {
		parts := model.Conjuncts(r.Guard)
		if c.Rules[k].Fired > 0 || len(parts) == 0 {
			continue
		}
		alone, together := make([]bool, len(parts)), 0
		for i := range n {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s := member(i)
			for params := range model.Instances(r.Params) {
				all := true
				for j, e := range parts {
					if alone[j] && !all {
						continue
					}
					ok := c.walker.Test(s, r, params, e)
					alone[j] = alone[j] || ok
					if all = all && ok; all {
						together = max(together, j+1)
					}
				}
			}
		}
		for j, e := range parts {
			if !alone[j] {
				c.Rules[k].Never = append(c.Rules[k].Never, model.Text(e))
			}
		}
		if c.Rules[k].Never == nil && together < len(parts) {
			c.Rules[k].Never = []string{model.Text(parts[together]) + ", together with what is before it"}
		}
	}
	return nil
}

// note adds a statement of the source.
func (c *collector) note(at model.Pos, n int64, text string) {
	c.Statements.add(n > 0)
	switch old, ok := c.lines[at.Line]; {
	case n == 0:
		c.lines[at.Line] = -1
		c.Missed = append(c.Missed, Place{at.Line, at.Col, text})
	case !ok || old >= 0 && n > old:
		c.lines[at.Line] = n
	}
}

// statements adds those of a body.
func (c *collector) statements(body []model.Stmt) {
	model.Inspect(body, func(x any) {
		if _, ok := x.(model.Expr); ok {
			return
		}
		s, ok := x.(model.Stmt)
		if !ok || s.Position() == (model.Pos{}) {
			return
		}
		c.note(s.Position(), c.ran[s], "this never runs")
		if s, ok := s.(*model.If); ok {
			c.branches(s)
		}
	})
}

// branches adds the branches of a statement. Those without statements are not known.
func (c *collector) branches(s *model.If) {
	rest, known := c.ran[s], true
	if rest == 0 {
		return // that is said
	}
	for _, q := range s.Clauses {
		if len(q.Body) == 0 {
			known = false
			continue
		}
		c.Branches.add(c.ran[q.Body[0]] > 0)
		rest -= c.ran[q.Body[0]]
	}
	if !known {
		return
	}
	c.Branches.add(rest > 0)
	if rest == 0 && len(s.Else) == 0 {
		c.Missed = append(c.Missed, Place{s.Position().Line, s.Position().Col, "one of the conditions always holds here"})
	}
}

// program adds the statements of a program, which are parts of rules.
func (c *collector) program(p *prog.Program) {
	type key struct {
		at   model.Pos
		text string
	}
	count := map[key]int64{}
	var order []key
	var steps []Rule // others are checks of assertions, or none
	for i, e := range p.Edges {
		if e.Kind != prog.Step {
			continue
		}
		steps = append(steps, c.Rules[i])
		for _, q := range e.Parts {
			if q.File != c.m.File {
				continue
			}
			k := key{q.Pos, q.Text}
			if _, ok := count[k]; !ok {
				order = append(order, k)
			}
			count[k] += c.Rules[i].Fired
		}
	}
	c.Rules = steps
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Or(a.at.Line-b.at.Line, a.at.Col-b.at.Col) })
	for _, k := range order {
		c.note(k.at, count[k], k.text+" never runs")
	}
}
