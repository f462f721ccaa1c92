package param

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
)

// This file adds to a condition what is true of its numbers: Theorem C of docs/theory/every-n.md. After it
// a count is an integer like any other. Components are the few that the condition names, its
// terms, and the rest. The rest is divided by the formulas that are counted, before and after the
// step: a region is the components for which some of them hold and the others do not. A step
// changes terms only, so most regions are empty by their form, and what is left relates
// the counts before to those after (Berkovits et al.: Verification of threshold-based distributed
// algorithms by decomposition to decidable logics, CAV 2019).

// maxRegions is the largest number of regions of a condition.
const maxRegions = 64

// region is the components of a sort that are none of the terms, and satisfy what is counted or
// not. How many they are is a symbol.
type region struct {
	terms []Term
	of    []counting
	holds []bool // by of
}

// counting is a formula whose components are counted.
type counting struct {
	total Term // how many there are
	v     Term
	body  Formula
}

// holdsAt returns the formula for a component.
func (l *Logic) holdsAt(k counting, t Term) Formula {
	return l.Substitute(k.body, map[Term]Term{k.v: t})
}

// integersIn collects the integers of a formula that are no sums.
func (c *Conditions) integersIn(f Formula, seen map[Formula]bool, out map[Term]bool) {
	f &^= 1
	if seen[f] {
		return
	}
	seen[f] = true
	n := c.Node(f)
	for _, k := range n.Kids {
		c.integersIn(k, seen, out)
	}
	if n.Kind != AtMost {
		return
	}
	_, parts := c.Addends(n.Args[0])
	for _, p := range parts {
		out[p.T] = true
		if _, body, ok := c.Counted(p.T); ok {
			c.integersIn(body, seen, out)
		}
	}
}

// numbers returns what is true of the numbers that a condition is about.
func (c *Conditions) numbers(k *Condition) Formula {
	seen, in := make(map[Formula]bool), make(map[Term]bool)
	c.integersIn(k.F, seen, in)
	if !k.Alone {
		for _, j := range c.Conjuncts {
			c.integersIn(j.F, seen, in)
		}
	}
	if len(in) == 0 {
		return True
	}
	c.integers = true
	all := slices.Clone(c.facts)
	ranges := make(map[*Family]bool)
	open := make(map[Term]bool) // the constants that are left open
	for _, f := range c.facts {
		c.integersIn(f, seen, in)
	}
	counts := make([][]counting, len(c.Sorts))
	for _, t := range slices.Sorted(maps.Keys(in)) {
		fam, _, _ := c.Applied(t)
		v, body, counted := c.Counted(t)
		switch {
		case counted:
			for _, x := range c.FreeIn(t) {
				if !slices.Contains(k.Params, x) && !c.named(x) {
					refuse(c.Pos(k), "%s: a count that depends on a component is not proved for every size", c.Name(k))
				}
			}
			s := c.Sort(v)
			counts[s] = append(counts[s], counting{t, v, body})
		case fam == nil:
			open[t] = true
		case !ranges[fam]:
			ranges[fam] = true
			all = append(all, c.rangeOf(fam))
		}
	}
	for i, s := range c.Sorts {
		size := c.Symbol(s.Constant)
		if open[size] {
			all = append(all, c.LessEq(c.Number(int64(s.Least)), size))
			counts[i] = append(counts[i], counting{size, c.variable(i, 0), True})
		}
		if len(counts[i]) > 0 {
			all = append(all, c.regions(k, i, counts[i])...)
		}
	}
	return c.And(all...)
}

// rangeOf says that what a family of integers holds is in its range.
func (c *Conditions) rangeOf(fam *Family) Formula {
	args := lists.Map(fam.Args, c.Fresh)
	x := c.App(fam, 0, args)
	f := c.And(c.LessEq(c.Number(fam.typed.lo), x), c.LessEq(x, c.size(fam.typed.top)))
	for _, v := range args {
		f = c.All(v, f)
	}
	return f
}

// termsOfSort returns the components of a sort that a condition names: parameters, those with names,
// and pointers at which the step writes. The pointers are demanded to lead to a component.
func (c *Conditions) termsOfSort(k *Condition, sort int) (terms []Term) {
	for _, n := range c.Names {
		if n.Sort == sort {
			terms = append(terms, n.Term)
		}
	}
	for _, p := range k.Params {
		if c.Sort(p) == sort {
			terms = append(terms, p)
		}
	}
	if k.Step == nil || k.Alone {
		return terms
	}
	for _, fam := range k.Step.run.order {
		for _, w := range k.Step.run.writes[fam] {
			for _, t := range w.args {
				if fam.inst.state && c.Sort(t) == sort && !slices.Contains(terms, t) && c.closedTerm(t, k.Params) {
					terms = append(terms, t)
					k.Total = append(k.Total, t)
				}
			}
		}
	}
	return terms
}

// closedTerm reports whether a term is a pointer that has no variables but params and components with
// names.
func (c *Conditions) closedTerm(t Term, params []Term) bool {
	fam, _, _ := c.Applied(t)
	return fam != nil && !slices.ContainsFunc(c.FreeIn(t), func(v Term) bool { return !slices.Contains(params, v) && !c.named(v) })
}

// regions returns what is true of the counts of a sort.
func (c *Conditions) regions(k *Condition, sort int, of []counting) []Formula {
	terms := c.termsOfSort(k, sort)
	v, w := c.Fresh(sort), c.Fresh(sort)
	rest := func(x Term) Formula {
		return c.And(lists.Map(terms, func(t Term) Formula { return c.Equal(x, t).Not() })...)
	}
	// The free variables of what stands for a number: it may depend on them.
	free := slices.Clone(k.Params)
	for _, n := range c.Names {
		free = append(free, n.Term)
	}
	sums := make([][]Addend, len(of)) // by counting: the regions in which it holds
	var out []Formula
	var divide func(f Formula, holds []bool)
	divided := 0
	divide = func(f Formula, holds []bool) {
		if f == False {
			return
		}
		if i := len(holds); i < len(of) {
			is := c.holdsAt(of[i], v)
			divide(c.And(f, is), append(slices.Clip(holds), true))
			divide(c.And(f, is.Not()), append(slices.Clip(holds), false))
			return
		}
		if c.rules.kept && slices.Contains(holds, true) && slices.Contains(holds, false) {
			return
		}
		if divided++; divided > maxRegions {
			refuse(c.Pos(k), "%s: what is counted divides the components into more than %d parts", c.Name(k), maxRegions)
		}
		size := c.Symbol(fmt.Sprintf("rest %d %v %v %v", sort, terms, of, holds), free...)
		if c.regionOf == nil {
			c.regionOf = make(map[Term]region)
		}
		c.regionOf[size] = region{terms, of, holds}
		out = append(out, c.LessEq(c.Number(0), size))
		for i, h := range holds {
			if h {
				sums[i] = append(sums[i], Addend{1, size})
			}
		}
	}
	divide(rest(v), nil)
	var whole []Addend // all that are none of the terms; nil: N is no number
	for i, k := range of {
		if k.body == True {
			whole = append([]Addend{}, sums[i]...)
		}
	}
	for i, k := range of {
		others := c.Sum(0, sums[i]...)
		parts := []Addend{{1, others}}
		for j, t := range terms {
			here := []Formula{c.holdsAt(k, t)}
			for _, u := range terms[:j] {
				if !c.rules.twice {
					here = append(here, c.Equal(u, t).Not())
				}
			}
			one, is := c.indicator(c.And(here...), free)
			parts, out = append(parts, Addend{1, one}), append(out, is)
		}
		out = append(out, c.SameNumber(k.total, c.Sum(0, parts...)))
		there := func(x Term) Formula { return c.And(rest(x), c.holdsAt(k, x)) }
		out = append(out, c.somewhere(v, w, there, others)...)
		if k.body != True && whole != nil { // those that are not counted
			there := func(x Term) Formula { return c.And(rest(x), c.holdsAt(k, x).Not()) }
			out = append(out, c.somewhere(v, w, there, c.Sum(0, Addend{1, c.Sum(0, whole...)}, Addend{-1, others}))...)
		}
	}
	return out
}

// somewhere says that a number is 0 or there is a component, that it is not 0 if there is one, and not
// 1 if there are two.
func (c *Conditions) somewhere(v, w Term, there func(Term) Formula, n Term) []Formula {
	at, too := there(v), there(w)
	if !c.rules.one {
		too = c.And(too, c.Equal(v, w).Not())
	}
	return []Formula{
		c.Or(c.AtMost(n), c.Exists(v, at)),
		c.All(v, c.Or(at.Not(), c.AtMost(n).Not())),
		c.All(v, c.All(w, c.Or(at.Not(), too.Not(), c.AtMost(c.Sum(-1, Addend{1, n})).Not()))),
	}
}

// indicator returns a number that is 1 if f holds and 0 if not, and the formula that says so.
func (c *Conditions) indicator(f Formula, free []Term) (one Term, is Formula) {
	switch f {
	case True:
		return c.Number(1), True
	case False:
		return c.Number(0), True
	}
	one = c.Symbol(fmt.Sprintf("one %d", f), free...)
	if c.indicatorOf == nil {
		c.indicatorOf = make(map[Term]Formula)
	}
	c.indicatorOf[one] = f
	return one, c.And(c.Or(f.Not(), c.SameNumber(one, c.Number(1))), c.Or(f, c.SameNumber(one, c.Number(0))))
}

// Numbers reports whether some condition is about integers.
func (c *Conditions) Numbers() bool { return c.integers }

// Open returns the constants that are left open and are numbers.
func (c *Conditions) Open() (names []string) {
	seen, in := make(map[Formula]bool), make(map[Term]bool)
	for _, k := range c.all {
		c.integersIn(k.F, seen, in)
	}
	for t := range in {
		if c.isOpen(t) {
			names = append(names, c.terms[t].symbol)
		}
	}
	slices.Sort(names)
	return names
}

// isOpen reports whether a term is a constant that is left open.
func (c *Conditions) isOpen(t Term) bool {
	_, size := c.regionOf[t]
	_, one := c.indicatorOf[t]
	return c.terms[t].symbol != "" && !size && !one
}
