package certify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
)

// This file checks proofs for every size. The conditions are made from the model anew. The check
// computes how many components a condition can tell apart, and refutes each condition at all
// sizes up to this number; docs/theory/every-n.md has the theorem. The queries are not those
// of internal/every/param/prove.go: they add instances of the invariant on demand (every_query.go).

// Every checks a proof for every size and says how. It calls spend with the number of literals of
// each query.
func Every(ctx context.Context, e *evidence.Every, spend func(literals int64)) (string, error) {
	c, err := param.New(ctx, e.Model, e.Least, nil)
	if err != nil {
		return "", err
	}
	k := &everyCheck{ctx: ctx, c: c, spend: spend, order: c.Order}
	if len(e.Order) == len(c.Sorts) {
		k.order = e.Order
	}
	if err := k.run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("internal error: the proof for every size is wrong: %w", err)
	}
	var upTo []string
	for i, s := range c.Sorts {
		upTo = append(upTo, fmt.Sprintf("%s ≤ %d", s.Constant, k.most[i]))
	}
	return fmt.Sprintf("%d conditions refuted for %s: no condition tells more components apart", k.conditions, strings.Join(upTo, ", ")), nil
}

// everyCheck is the check of one proof.
type everyCheck struct {
	ctx        context.Context
	c          *param.Conditions
	spend      func(literals int64)
	names      map[param.Term]int // components that the model names
	order      []int              // by sort: a ∃ inside a ∀ may depend on those before its own
	most       []int              // by sort: largest size that was looked at
	conditions int
	demanded   map[param.Formula][]param.Term // see demands
	total      []param.Term                   // pointers of the invariant that lead to a component
	known      []instance                     // of the invariant, that queries about the step and size at hand needed
}

// sides are the conditions about one step.
type sides struct {
	params []param.Term
	conds  []*param.Condition
	limits [][]int  // by condition and sort: the largest size that matters
	fused  [][]bool // by condition and sort: smaller sizes matter, too
}

func (e *everyCheck) run() error {
	e.most = lists.Map(e.c.Sorts, func(s param.Sort) int { return s.Least })
	e.demanded = make(map[param.Formula][]param.Term)
	inv := make([]int, len(e.c.Sorts))
	shared := make(map[param.Term]bool)   // pointers of the invariant without variables
	picked := make(map[string]pick)       // by ∃ inside a ∀ of the invariant
	fused := make([]bool, len(e.c.Sorts)) // by the invariant
	names := make([]int, len(e.c.Sorts))
	e.names = make(map[param.Term]int)
	for _, n := range e.c.Names {
		e.names[n.Term] = names[n.Sort] // different components, whichever they are
		names[n.Sort]++
	}
	for _, j := range e.c.Conjuncts {
		e.plus(inv, e.bound(j.F, nil, nil, shared, picked))
		e.fuses(j.F, fused)
	}
	e.total = slices.Sorted(maps.Keys(shared))
	steps := make(map[*param.Step]*sides)
	var order []*sides
	for _, d := range e.c.Conditions() {
		s := steps[d.Step]
		if s == nil {
			s = &sides{params: d.Params}
			steps[d.Step] = s
			order = append(order, s)
		}
		var limit []int
		picks := make(map[string]pick)
		if d.Alone {
			limit = e.bound(d.F, d.Params, d.Total, make(map[param.Term]bool), picks)
		} else {
			maps.Copy(picks, picked)
			limit = e.bound(d.F, d.Params, d.Total, maps.Clone(shared), picks)
			e.plus(limit, inv)
		}
		e.plus(limit, names)
		e.close(limit, picks)
		for i := range limit {
			e.most[i] = max(e.most[i], limit[i])
		}
		own := slices.Clone(fused)
		e.fuses(d.F, own)
		s.conds, s.limits, s.fused = append(s.conds, d), append(s.limits, limit), append(s.fused, own)
		e.conditions++
	}
	for _, s := range order {
		if err := e.refuteAll(s, names); err != nil {
			return err
		}
	}
	return nil
}

func (e *everyCheck) plus(a, b []int) {
	for i := range a {
		a[i] += b[i]
	}
}

// close adds to the numbers of components those that they pick: one for each ∃ inside a ∀ and each choice of what it
// depends on. It goes from one sort to the next in the order, as it depends on earlier ones only.
func (e *everyCheck) close(limit []int, picks map[string]pick) {
	for _, place := range slices.Sorted(slices.Values(e.order)) {
		for i := range limit {
			if e.order[i] != place {
				continue
			}
			for _, p := range picks {
				if p.sort != i {
					continue
				}
				choices := 1
				for _, v := range p.on {
					choices = min(choices*limit[e.c.Sort(v)], 1<<30)
				}
				limit[i] += choices
			}
			limit[i] = max(min(limit[i], 1<<30), e.c.Sorts[i].Least)
		}
	}
}

// fuses marks the sorts for which f may say inside a ∀ that two components are one, and all if f is about integers.
func (e *everyCheck) fuses(f param.Formula, fused []bool) {
	type place struct {
		f      param.Formula
		inside bool
	}
	seen := make(map[place]bool)
	var visit func(p place)
	visit = func(p place) {
		if seen[p] {
			return
		}
		seen[p] = true
		n := e.c.Node(p.f)
		switch {
		case n.Kind == param.AtMost:
			for i := range fused {
				fused[i] = true
			}
		case n.Kind == param.Equal && p.inside && !p.f.Negated():
			fused[e.c.Sort(n.Args[0])] = true
		}
		for _, kid := range n.Kids {
			visit(place{flip(kid, p.f), p.inside || n.Kind == param.All && !p.f.Negated()})
		}
	}
	visit(place{f, false})
}

// pick is what a ∃ inside a ∀ stands for: a function of the values that ∀ give to variables.
type pick struct {
	term string // as a term of such functions
	sort int
	on   []param.Term
}

// scope has the variables of ∃ inside a ∀, with what they stand for.
type scope []scoped

type scoped struct {
	v param.Term
	pick
}

// of returns what a variable stands for; ok is false if it is none of these.
func (s scope) of(v param.Term) (p pick, ok bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].v == v {
			return s[i].pick, true
		}
	}
	return pick{}, false
}

// key names a formula in a scope.
func (s scope) key(f param.Formula, free []param.Term) string {
	parts := []string{fmt.Sprint(f)}
	for _, v := range free {
		if p, ok := s.of(v); ok {
			parts = append(parts, fmt.Sprint(v), p.term)
		}
	}
	return strings.Join(parts, " ")
}

// picks returns what the ∃ f stands for in a scope. ok says that all that it depends on is of earlier sorts.
func (e *everyCheck) picks(f param.Formula, in scope, params []param.Term) (inner scope, ok bool) {
	n := e.c.Node(f)
	p := pick{term: "[" + in.key(f, n.Free) + "]", sort: e.c.Sort(n.Var)}
	for _, v := range n.Free {
		if q, chosen := in.of(v); chosen {
			p.on = append(p.on, q.on...)
		} else if !e.subset([]param.Term{v}, params) {
			p.on = append(p.on, v)
		}
	}
	slices.Sort(p.on)
	p.on = slices.Compact(p.on)
	later := func(v param.Term) bool { return e.order[e.c.Sort(v)] >= e.order[p.sort] }
	return append(slices.Clip(in), scoped{n.Var, p}), !slices.ContainsFunc(p.on, later)
}

// bound returns, by sort, a number of components with which f has a model if it has any: the
// parameters; the components of each ∃ that is in no ∀, or stands for itself in one; and where
// the pointers outside of every ∀ lead, but for those that are seen already. To picks it adds each other ∃ inside
// a ∀, with what it depends on.
func (e *everyCheck) bound(f param.Formula, params, total []param.Term, seen map[param.Term]bool, picks map[string]pick) []int {
	need := make([]int, len(e.c.Sorts))
	for _, p := range params {
		need[e.c.Sort(p)]++
	}
	for _, t := range total {
		if !seen[t] {
			seen[t] = true
			need[e.c.Sort(t)]++
		}
	}
	told := make(map[param.Formula]bool) // closed ∃ inside ∀
	// Parts may be shared: each is visited once.
	sums, inner := make(map[param.Formula][]int), make(map[string]bool)
	var once []param.Formula // is counted apart
	var outside, witnesses func(f param.Formula) []int
	var inside func(f param.Formula, in scope)
	outside = func(f param.Formula) []int {
		if sum, ok := sums[f]; ok {
			return sum
		}
		sum := make([]int, len(e.c.Sorts))
		sums[f] = sum
		n := e.c.Node(f)
		switch {
		case n.Kind == param.And:
			for _, kid := range n.Kids {
				part := outside(flip(kid, f))
				for i := range sum {
					if f.Negated() {
						sum[i] = max(sum[i], part[i])
					} else {
						sum[i] += part[i]
					}
				}
			}
		case n.Kind == param.All && f.Negated():
			if !slices.Contains(once, f) {
				copy(sum, witnesses(f))
			}
		case n.Kind == param.All:
			inside(n.Kids[0], nil)
		}
		return sum
	}
	witnesses = func(f param.Formula) []int { // of a ∃
		n := e.c.Node(f)
		sum := slices.Clone(outside(n.Kids[0].Not()))
		sum[e.c.Sort(n.Var)]++
		for _, t := range e.demands(f) {
			sum[e.c.Sort(t)]++
		}
		return sum
	}
	inside = func(f param.Formula, in scope) {
		n := e.c.Node(f)
		key := in.key(f, n.Free)
		if inner[key] {
			return
		}
		inner[key] = true
		switch {
		case n.Kind == param.And:
			for _, kid := range n.Kids {
				inside(flip(kid, f), in)
			}
		case n.Kind == param.All && !f.Negated():
			inside(n.Kids[0], in)
		case n.Kind == param.All && e.subset(n.Free, params):
			if !told[f] {
				told[f] = true
				e.plus(need, outside(f))
			}
		case n.Kind == param.All:
			if inner, ok := e.picks(f, in, params); ok {
				p := inner[len(inner)-1].pick
				picks[p.term] = p
				inside(n.Kids[0].Not(), inner)
			}
		}
	}
	sum := slices.Clone(outside(f))
	if once = e.repeated(f, params); len(once) > 0 {
		clear(sums)
		apart := slices.Clone(outside(f))
		for _, g := range once {
			e.plus(apart, witnesses(g))
		}
		for i := range sum {
			if apart[i] > sum[i] {
				apart = sum
				break
			}
		}
		sum = apart
	}
	e.plus(need, sum)
	for _, g := range append([]param.Formula{f}, slices.Sorted(maps.Keys(told))...) {
		for _, t := range e.fixed(g) {
			if !seen[t] {
				seen[t] = true
				need[e.c.Sort(t)]++
			}
		}
	}
	return need
}

// repeated returns the ∃ of f that are at more than one place, outside of every ∀ and without variables of others. One
// choice of components does for all places.
func (e *everyCheck) repeated(f param.Formula, params []param.Term) (out []param.Formula) {
	places := make(map[param.Formula]int)
	var visit func(f param.Formula)
	visit = func(f param.Formula) {
		if places[f] == 2 {
			return
		}
		places[f]++
		n := e.c.Node(f)
		switch {
		case n.Kind == param.And:
			for _, kid := range n.Kids {
				visit(flip(kid, f))
			}
		case n.Kind == param.All && f.Negated():
			if places[f] == 2 && e.subset(n.Free, params) {
				out = append(out, f)
			}
			visit(n.Kids[0].Not())
		}
	}
	visit(f)
	return out
}

// flip is a part of a formula with the sign that the whole gives it.
func flip(kid, whole param.Formula) param.Formula {
	if whole.Negated() {
		return kid.Not()
	}
	return kid
}

// subset reports whether all variables are some of the others, or components with names.
func (e *everyCheck) subset(vars, of []param.Term) bool {
	return !slices.ContainsFunc(vars, func(v param.Term) bool {
		_, named := e.names[v]
		return !named && !slices.Contains(of, v)
	})
}

// pointers calls yield for the pointers of f that are in no ∀, or have no variables where a ∃ inside a ∀ may be kept, with
// the variables that ∃ in f bind around them.
// A part that is shared is visited once for the same variables.
func (e *everyCheck) pointers(f param.Formula, bound []param.Term, seen map[string]bool, yield func(t param.Term, bound []param.Term)) {
	key := fmt.Sprint(f, bound)
	if seen[key] {
		return
	}
	seen[key] = true
	n := e.c.Node(f)
	switch n.Kind {
	case param.And:
		for _, kid := range n.Kids {
			e.pointers(flip(kid, f), bound, seen, yield)
		}
	case param.All:
		if f.Negated() {
			e.pointers(n.Kids[0].Not(), append(slices.Clip(bound), n.Var), seen, yield)
			return
		}
		if !param.Kept(e.order) {
			return
		}
		e.pointers(n.Kids[0], nil, make(map[string]bool), func(t param.Term, _ []param.Term) {
			if len(e.c.FreeIn(t)) == 0 {
				yield(t, nil)
			}
		})
	case param.Is, param.Equal, param.AtMost:
		for todo := slices.Clone(n.Args); len(todo) > 0; todo = todo[1:] {
			switch fam, _, args := e.c.Applied(todo[0]); {
			case fam != nil:
				if e.c.Sort(todo[0]) != param.Ints {
					yield(todo[0], bound)
				}
				todo = append(todo, args...)
			case e.c.Sort(todo[0]) == param.Ints && n.Kind == param.AtMost && todo[0] == n.Args[0]:
				_, parts := e.c.Addends(todo[0])
				todo = append(todo, lists.Map(parts, func(p param.Addend) param.Term { return p.T })...)
			}
		}
	}
}

// fixed returns the pointers of f in no ∀, without variables that f binds.
func (e *everyCheck) fixed(f param.Formula) (out []param.Term) {
	e.pointers(f, nil, make(map[string]bool), func(t param.Term, bound []param.Term) {
		if !slices.ContainsFunc(e.c.FreeIn(t), func(v param.Term) bool { return slices.Contains(bound, v) }) {
			out = append(out, t)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// demands returns the pointers with the variable of the ∃ f, and no variable bound inside it.
func (e *everyCheck) demands(f param.Formula) []param.Term {
	out, ok := e.demanded[f]
	if !ok {
		n := e.c.Node(f)
		for _, t := range e.fixed(n.Kids[0].Not()) {
			if slices.Contains(e.c.FreeIn(t), n.Var) {
				out = append(out, t)
			}
		}
		e.demanded[f] = out
	}
	return out
}
