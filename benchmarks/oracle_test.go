package benchmarks_test

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/model"
)

// This file is the oracle of the differential tests: a breadth-first search on
// the interpreter with no thought of speed. It fires every rule instance by
// itself, keeps states in a map, and knows nothing of symmetry or bits. Liveness
// it decides by asking for each state whether the property can be reached.

// truth is what the oracle finds.
type truth struct {
	m      *model.Model
	mach   *model.Machine
	rules  []model.Choice // every rule instance
	starts []model.Choice // every start state instance
	depth  []int          // by property: least depth of a violation, of a cover of a hit; -1 if there is none
	states []model.State  // reachable, in breadth-first order
	level  []int          // by state: least number of steps to it
	number map[string]int // by key: position in states
	steps  [][]int        // by state: positions of the states one step leads to
	done   int            // violations of this depth or less are known
	full   bool           // and so are all others
	spared int            // states with no way on that are no deadlock, as an instance errs
}

func key(s model.State) string { return fmt.Sprint([]int64(s)) }

// instances lists the instances of rules.
func instances(rules []*model.Rule) []model.Choice {
	var all []model.Choice
	for i, r := range rules {
		params := [][]int64{nil}
		for _, p := range r.Params {
			var longer [][]int64
			for _, prefix := range params {
				for _, v := range p.Domain.Values() {
					longer = append(longer, append(slices.Clip(prefix), v))
				}
			}
			params = longer
		}
		for _, ps := range params {
			all = append(all, model.Choice{Rule: i, Params: ps})
		}
	}
	return all
}

// search explores the model. With more than limit states it gives up and knows
// the truth to some depth only.
func search(m *model.Model, limit int) *truth {
	o := &truth{
		m: m, mach: model.Compile(m).NewMachine(), rules: instances(m.Rules), starts: instances(m.Starts),
		depth: make([]int, len(m.Props)), number: make(map[string]int), done: -1,
	}
	for i := range o.depth {
		o.depth[i] = -1
	}
	for _, ch := range o.starts {
		s, v := o.mach.Start(ch)
		o.hits(0)
		switch {
		case v != nil:
			o.errs(v, 0)
		case s != nil:
			o.add(s, 0)
		}
	}
	lo := 0
	for d := 0; lo < len(o.states); d++ {
		hi := len(o.states)
		for i := lo; i < hi; i++ {
			if len(o.states) > limit {
				for p, e := range o.depth {
					if e > o.done {
						o.depth[p] = -1
					}
				}
				return o
			}
			o.expand(i, d)
		}
		o.done, lo = d, hi
	}
	o.full = true
	for _, p := range m.Props {
		if p.Kind == model.Liveness {
			for _, inst := range o.instances(p) {
				o.dead(p.Index, inst)
			}
		}
	}
	return o
}

// instances lists the values of the parameters of a declared property.
func (tr *truth) instances(p *model.Property) (all [][]int64) {
	for _, ch := range instances([]*model.Rule{{Params: p.Params}}) {
		all = append(all, ch.Params)
	}
	return all
}

// dead looks for a state from which no state can be reached in which a liveness
// property holds.
func (tr *truth) dead(prop int, inst []int64) {
	can := make([]bool, len(tr.states))
	for i, s := range tr.states {
		holds, v := tr.mach.Holds(s, prop, inst)
		can[i] = holds && v == nil
	}
	for again := true; again; {
		again = false
		for i, to := range tr.steps {
			if !can[i] && slices.ContainsFunc(to, func(j int) bool { return can[j] }) {
				can[i], again = true, true
			}
		}
	}
	for i, ok := range can {
		if !ok {
			tr.violated(prop, tr.level[i])
		}
	}
}

// hits notes what the instance run last covers.
func (tr *truth) hits(depth int) {
	for _, p := range tr.m.Props {
		if p.Kind == model.Cover && p.Expr == nil && tr.mach.Hit(p.Index) {
			tr.violated(p.Index, depth)
		}
	}
}

func (tr *truth) violated(prop, depth int) {
	if old := tr.depth[prop]; old < 0 || old > depth {
		tr.depth[prop] = depth
	}
}

// errs notes an error, of all properties that it violates.
func (tr *truth) errs(v *model.Violation, depth int) {
	for _, v := range v.Each() {
		tr.violated(v.Prop, depth)
	}
}

func (tr *truth) add(s model.State, depth int) int {
	i, known := tr.number[key(s)]
	if !known {
		i = len(tr.states)
		tr.number[key(s)] = i
		tr.states, tr.level = append(tr.states, s), append(tr.level, depth)
	}
	return i
}

// declared returns which declared properties are violated in s, or hit, and by
// how many instances of liveness properties; and the properties that are
// violated by evaluating them.
func (tr *truth) declared(s model.State) (bad map[int]int, errs []int) {
	bad = make(map[int]int)
	note := func(p *model.Property, is bool, v *model.Violation) {
		switch {
		case v != nil && v.Prop != p.Index:
			for _, v := range v.Each() {
				errs = append(errs, v.Prop)
			}
		case is:
			bad[p.Index]++
		}
	}
	for _, p := range tr.m.Props {
		switch {
		case p.Kind == model.Invariant:
			v := tr.mach.Violated(s, p.Index)
			note(p, v != nil, v)
		case p.Kind == model.Cover && p.Expr != nil:
			hit, v := tr.mach.Holds(s, p.Index, nil)
			note(p, hit, v)
		case p.Kind == model.Liveness:
			for _, inst := range tr.instances(p) {
				holds, v := tr.mach.Holds(s, p.Index, inst)
				note(p, !holds, v)
			}
		}
	}
	return bad, errs
}

func (tr *truth) expand(i, d int) {
	s := tr.states[i]
	bad, errs := tr.declared(s)
	for p := range bad {
		if tr.m.Props[p].Kind != model.Liveness {
			tr.violated(p, d)
		}
	}
	for _, p := range errs {
		tr.violated(p, d)
	}
	tr.mach.Successors(s, func(model.Choice, model.State, *model.Violation) bool { return true })
	fired := tr.mach.LeftOut()
	moved := fired
	erring := false
	var to []int
	for _, ch := range tr.rules {
		next, _, v := tr.mach.Fire(s, ch)
		tr.hits(d + 1)
		erring = erring || v != nil
		switch {
		case v != nil && v.InGuard && tr.m.Dialect == model.CMurphi:
			tr.errs(v, d)
		case v != nil:
			tr.errs(v, d+1)
		case next != nil:
			fired = true
			moved = moved || !slices.Equal(next, s)
			to = append(to, tr.add(next, d+1))
		}
	}
	tr.steps = append(tr.steps, to)
	switch stuck := tr.m.Deadlock == model.Stuttering && !moved || tr.m.Deadlock == model.Stuck && !fired; {
	case stuck && erring:
		tr.spared++
	case stuck:
		tr.violated(tr.m.DeadlockProp().Index, d)
	}
}

// deepest returns the depth of the deepest state and of the deepest violation.
func (tr *truth) deepest() int {
	d := slices.Max(append([]int{0}, tr.depth...))
	if n := len(tr.level); n > 0 {
		d = max(d, tr.level[n-1])
	}
	return d
}

// permutations returns every permutation of the values of each class that keeps the
// blocks and rotates the rings.
func permutations(m *model.Model, blocks [][][]int, rings []model.Ring) []model.ScalarPerm {
	all := []model.ScalarPerm{make(model.ScalarPerm, len(m.Scalarsets))}
	for c, t := range m.Scalarsets {
		var id []int
		for v := range int(t.Card()) {
			id = append(id, v)
		}
		images := [][]int{id}
		if c < len(blocks) && !t.Slots { // states do not tell the slots of a multiset apart
			for _, b := range blocks[c] {
				var more [][]int
				for _, image := range images {
					for _, order := range orders(b) {
						next := slices.Clone(image)
						for i, v := range b {
							next[v] = order[i]
						}
						more = append(more, next)
					}
				}
				images = more
			}
		}
		for _, r := range rings {
			if r.Class != c {
				continue
			}
			var more [][]int
			for _, image := range images {
				for by := range r.Order() {
					next := slices.Clone(image)
					r.Rotate(next, by)
					more = append(more, next)
				}
			}
			images = more
		}
		var next []model.ScalarPerm
		for _, p := range all {
			for _, image := range images {
				q := slices.Clone(p)
				q[c] = image
				next = append(next, q)
			}
		}
		all = next
	}
	return all
}

// orders returns the orders of the elements of b.
func orders(b []int) [][]int {
	if len(b) <= 1 {
		return [][]int{b}
	}
	var all [][]int
	for i := range b {
		rest := slices.Delete(slices.Clone(b), i, i+1)
		for _, o := range orders(rest) {
			all = append(all, append([]int{b[i]}, o...))
		}
	}
	return all
}

// image returns the image of s.
func (tr *truth) image(p model.ScalarPerm, s model.State) model.State {
	dst := make(model.State, len(s))
	tr.mach.Program().ApplyPerm(p, s, dst)
	return dst
}

// orbits counts the orbits of the reachable states.
func (tr *truth) orbits(perms []model.ScalarPerm) int {
	least := make(map[string]bool)
	for _, s := range tr.states {
		best := s
		for _, p := range perms {
			if t := tr.image(p, s); slices.Compare(t, best) < 0 {
				best = t
			}
		}
		least[key(best)] = true
	}
	return len(least)
}

// isSymmetry checks that p maps the explicit transition graph to itself: the
// start states, the steps, and, for the properties listed, what violates or hits
// them.
func (tr *truth) isSymmetry(p model.ScalarPerm, props []int) error {
	prog := tr.mach.Program()
	wanted := make([]bool, len(tr.m.Props))
	for _, i := range props {
		wanted[i] = true
	}
	prop := func(v *model.Violation) int {
		if v == nil || !wanted[v.Prop] {
			return -1
		}
		return v.Prop
	}
	hits := func() (hit []int) {
		for _, q := range tr.m.Props {
			if wanted[q.Index] && q.Kind == model.Cover && q.Expr == nil && tr.mach.Hit(q.Index) {
				hit = append(hit, q.Index)
			}
		}
		return hit
	}
	for _, ch := range tr.starts {
		s, v := tr.mach.Start(ch)
		before := hits()
		t, u := tr.mach.Start(prog.PermStart(p, ch))
		if (s == nil) != (t == nil) || prop(v) != prop(u) || s != nil && !slices.Equal(tr.image(p, s), t) || !slices.Equal(before, hits()) {
			return fmt.Errorf("start state %v does not commute", ch)
		}
	}
	holds := func(s model.State) string {
		bad, errs := tr.declared(s)
		if q := tr.m.DeadlockProp(); q != nil && tr.mach.Deadlocked(s) {
			bad[q.Index] = 1
		}
		// Which of the properties raises a run-time error is all the same.
		slices.Sort(errs)
		errs = slices.DeleteFunc(slices.Compact(errs), func(i int) bool { return !wanted[i] })
		maps.DeleteFunc(bad, func(i, _ int) bool { return !wanted[i] })
		return fmt.Sprint(bad, errs)
	}
	for _, s := range tr.states {
		t := tr.image(p, s)
		if i, ok := tr.number[key(t)]; !ok || tr.level[i] != tr.level[tr.number[key(s)]] {
			return fmt.Errorf("the image of %v is not reachable, or not as early", s)
		}
		if holds(s) != holds(t) {
			return fmt.Errorf("%v and its image do not violate the same", s)
		}
		// By rule and parameters, what comes of all choices of elements from multisets:
		// in s, mapped, and in its image.
		came, wants := make(map[string][]string), make(map[string][]string)
		for _, ch := range tr.rules {
			come := func(s model.State, mapped bool) string {
				next, _, v := tr.mach.Fire(s, ch)
				if next == nil {
					next = s // an instance that is disabled or errs is no step
				}
				if mapped {
					next = tr.image(p, next)
				}
				return fmt.Sprint([]int64(next), prop(v), prop(v) >= 0 && v.InGuard, hits())
			}
			k := tr.label(prog.PermChoice(p, ch))
			wants[k] = append(wants[k], come(s, true))
			k = tr.label(ch)
			came[k] = append(came[k], come(t, false))
		}
		for k, want := range wants {
			got := came[k]
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				return fmt.Errorf("rule %s does not commute in %v: %v, want %v", k, s, got, want)
			}
		}
	}
	return nil
}

// label names a rule instance but for its choices of elements from multisets.
func (tr *truth) label(ch model.Choice) string {
	k := fmt.Sprint(ch.Rule)
	for i, param := range tr.m.Rules[ch.Rule].Params {
		if t := param.Var.Type; t.Kind != model.Scalarset || !t.Slots {
			k += fmt.Sprint(" ", ch.Params[i])
		}
	}
	return k
}
