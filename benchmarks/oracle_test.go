package benchmarks_test

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file is the oracle of the differential tests: a breadth-first search on
// the interpreter with no thought of speed. It fires every rule instance by
// itself, keeps states in a map, and knows nothing of symmetry or bits.

// truth is what the oracle finds.
type truth struct {
	m      *model.Model
	mach   *model.Machine
	rules  []model.Choice // every rule instance
	starts []model.Choice // every start state instance
	depth  []int          // by property: least depth of a violation, -1 if there is none
	states []model.State  // reachable, in breadth-first order
	level  []int          // by state: least number of steps to it
	number map[string]int // by key: position in states
	done   int            // violations of this depth or less are known
	full   bool           // and so are all others
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
		if v != nil {
			o.violated(v.Prop, 0)
			continue
		}
		o.add(s, 0)
	}
	lo := 0
	for d := 0; lo < len(o.states); d++ {
		hi := len(o.states)
		for _, s := range o.states[lo:hi] {
			if len(o.states) > limit {
				for p, e := range o.depth {
					if e > o.done {
						o.depth[p] = -1
					}
				}
				return o
			}
			o.expand(s, d)
		}
		o.done, lo = d, hi
	}
	o.full = true
	return o
}

func (o *truth) violated(prop, depth int) {
	if old := o.depth[prop]; old < 0 || old > depth {
		o.depth[prop] = depth
	}
}

func (o *truth) add(s model.State, depth int) {
	if _, known := o.number[key(s)]; known {
		return
	}
	o.number[key(s)] = len(o.states)
	o.states, o.level = append(o.states, s), append(o.level, depth)
}

func (o *truth) expand(s model.State, d int) {
	for _, p := range o.m.Props {
		if p.Kind == model.Invariant {
			if v := o.mach.Violated(s, p.Index); v != nil {
				o.violated(v.Prop, d)
			}
		}
	}
	fired, moved := false, false
	for _, ch := range o.rules {
		next, _, v := o.mach.Fire(s, ch)
		switch {
		case v != nil && v.InGuard && o.m.Dialect == model.CMurphi:
			o.violated(v.Prop, d)
		case v != nil:
			o.violated(v.Prop, d+1)
		case next != nil:
			fired = true
			moved = moved || !slices.Equal(next, s)
			o.add(next, d+1)
		}
	}
	switch {
	case o.m.Deadlock == model.Stuttering && !moved, o.m.Deadlock == model.Stuck && !fired:
		o.violated(o.m.DeadlockProp().Index, d)
	}
}

// deepest returns the depth of the deepest state and of the deepest violation.
func (o *truth) deepest() int {
	d := slices.Max(append([]int{0}, o.depth...))
	if n := len(o.level); n > 0 {
		d = max(d, o.level[n-1])
	}
	return d
}

// permutations returns every permutation of the values of each scalarset class
// that keeps the blocks.
func permutations(m *model.Model, blocks [][][]int) []model.ScalarPerm {
	all := []model.ScalarPerm{make(model.ScalarPerm, len(m.Scalarsets))}
	for c, t := range m.Scalarsets {
		var id []int
		for v := range int(t.Card()) {
			id = append(id, v)
		}
		images := [][]int{id}
		if c < len(blocks) {
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
func (o *truth) image(p model.ScalarPerm, s model.State) model.State {
	dst := make(model.State, len(s))
	o.mach.Program().ApplyPerm(p, s, dst)
	return dst
}

// orbits counts the orbits of the reachable states.
func (o *truth) orbits(perms []model.ScalarPerm) int {
	least := make(map[string]bool)
	for _, s := range o.states {
		best := s
		for _, p := range perms {
			if t := o.image(p, s); slices.Compare(t, best) < 0 {
				best = t
			}
		}
		least[key(best)] = true
	}
	return len(least)
}

// isSymmetry checks that p maps the explicit transition graph to itself: the
// start states, the steps, and, for the properties listed, what violates them.
func (o *truth) isSymmetry(p model.ScalarPerm, props []int) error {
	prog := o.mach.Program()
	wanted := make([]bool, len(o.m.Props))
	for _, i := range props {
		wanted[i] = true
	}
	prop := func(v *model.Violation) int {
		if v == nil || !wanted[v.Prop] {
			return -1
		}
		return v.Prop
	}
	for _, ch := range o.starts {
		s, v := o.mach.Start(ch)
		t, u := o.mach.Start(prog.PermStart(p, ch))
		if (s == nil) != (t == nil) || prop(v) != prop(u) || s != nil && !slices.Equal(o.image(p, s), t) {
			return fmt.Errorf("start state %v does not commute", ch)
		}
	}
	holds := func(s model.State) (bad []int) {
		for _, q := range o.m.Props {
			switch {
			case q.Kind == model.Invariant:
				bad = append(bad, prop(o.mach.Violated(s, q.Index)))
			case q.Kind == model.Deadlock && wanted[q.Index] && o.mach.Deadlocked(s):
				bad = append(bad, q.Index)
			}
		}
		// Which of the invariants raises a run-time error is all the same.
		slices.Sort(bad)
		return slices.Compact(slices.DeleteFunc(bad, func(i int) bool { return i < 0 }))
	}
	for _, s := range o.states {
		t := o.image(p, s)
		if i, ok := o.number[key(t)]; !ok || o.level[i] != o.level[o.number[key(s)]] {
			return fmt.Errorf("the image of %v is not reachable, or not as early", s)
		}
		if !slices.Equal(holds(s), holds(t)) {
			return fmt.Errorf("%v and its image do not violate the same", s)
		}
		for _, ch := range o.rules {
			a, _, v := o.mach.Fire(s, ch)
			b, _, u := o.mach.Fire(t, prog.PermChoice(p, ch))
			if a == nil {
				a = s // an instance that is disabled or errs is no step
			}
			if b == nil {
				b = t
			}
			if !slices.Equal(o.image(p, a), b) {
				return fmt.Errorf("rule %v does not commute in %v", ch, s)
			}
			if prop(v) != prop(u) || prop(v) >= 0 && v.InGuard != u.InGuard {
				return fmt.Errorf("rule %v does not err in the same way in %v and its image", ch, s)
			}
		}
	}
	return nil
}
