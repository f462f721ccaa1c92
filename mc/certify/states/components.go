package states

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"orbitmc/ltl"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks that no fair run violates an instance of a formula, by a list of the states of the product of the
// model and the automaton of the negation, with their components (evidence.Components).
//
// The list has each start state of the product and each successor of its members, up to permutations within the
// blocks. So each run that the automaton reads has an image that goes from member to member. Along it the numbers of
// components never grow, so from some step on it stays in one component. The conditions that a member names there are
// mapped into those of the next member by the permutation that leads to it. So a condition of the run itself is named
// all the way, and each step is checked to let it wait: the run is not fair, or not accepted. Of strong fairness that
// follows only where the condition could be met again and again. A member at which one of the conditions that it
// names could be met has no component of the next level: a fair run visits it only so many times, as there are
// finitely many conditions. Without these members the rest is checked in the same way.
//
// What waits is evaluated here, on the member and by the rule that fires; nothing is taken from the search but which
// members, permutations, components and conditions to look at.

// componentCheck checks one list.
type componentCheck struct {
	f       *mc.Formulas
	formula *model.Formula // nil: the automaton reads all
	a       *ltl.Automaton
	list    evidence.Components
	p       *model.Program // of the product
	m       *model.Machine
	packer  *model.Packer
	blocks  [][][]int
	members *members

	state, next, image model.State
	fired              []model.Choice // in the state at hand
	images             map[string]int // of sets of fair rules
}

// Components checks the evidence on a formula, or, of property 0 where there are gaps, that there are none.
func Components(ctx context.Context, p *mc.Problem, list evidence.Components, props []int) (how string, err error) {
	c, err := newComponentCheck(ctx, p, list, props[0])
	if err != nil {
		return "", err
	}
	for _, prop := range props {
		if f := p.Formulas; len(props) > 1 && (props[0] < f.First || f.Of[prop-f.First].Formula != c.formula) {
			return "", fmt.Errorf("one list is about two formulas")
		}
		if err := c.starts(prop); err != nil {
			return "", fmt.Errorf("start state: %w", err)
		}
	}
	steps := 0
	for i := range list.Len() {
		if i&0x3f == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := c.member(i)
		if err != nil {
			return "", err
		}
		steps += n
	}
	return fmt.Sprintf("%d states with those of the automaton visited, their %d steps and components checked in the interpreter", list.Len(), steps), nil
}

func newComponentCheck(ctx context.Context, p *mc.Problem, list evidence.Components, prop int) (*componentCheck, error) {
	f := p.Formulas
	c := &componentCheck{f: f, a: ltl.Everything(), list: list, blocks: p.Blocks, members: newMembers(list), images: make(map[string]int)}
	var types []*model.Type
	if prop >= f.First {
		c.formula = f.Of[prop-f.First].Formula
		var err error
		if c.a, err = c.formula.Negated(); err != nil {
			return nil, err
		}
		types = f.ParamTypes(c.formula)
	}
	m := f.Model.Product(types, len(c.a.States))
	c.p, c.packer = model.Compile(m), model.NewPacker(m)
	c.m = c.p.NewMachine()
	n := m.Leaves()
	c.state, c.next, c.image = make(model.State, n), make(model.State, n), make(model.State, n)
	q := &mc.Problem{Model: m, Program: c.p, Props: f.Symmetric(), Blocks: p.Blocks, Typing: p.Typing}
	if len(p.Blocks) == 0 {
		return c, nil
	}
	if f.Model.FairByParts() {
		return nil, fmt.Errorf("fairness is about elements that have arrays in them")
	}
	joint, strict, err := TypedSets(&mc.Problem{Model: f.Model, Typing: p.Typing}, p.Blocks, q.Props)
	if err != nil {
		return nil, err
	}
	if q.Joint = joint; len(strict) > 0 || !f.Separate(joint) {
		return nil, fmt.Errorf("the symmetry does not keep what errors say")
	}
	return c, sampleTyped(ctx, q, list)
}

// each calls do with the states of the product that a state of the model is in, given the states of the automaton
// that may be next.
func (c *componentCheck) each(s model.State, next []int, do func() error) error {
	values := s[len(s)-1-c.params() : len(s)-1]
	copy(c.next, s)
	for _, q := range next {
		label, meets := &c.a.States[q], true
		for k, list := range [][]int{label.Yes, label.No} {
			for _, atom := range list {
				ok, v := c.m.Holds(s, c.formula.Atoms[atom].Index, values)
				meets = meets && (ok != (k == 1) || v != nil)
			}
		}
		if meets {
			c.next[len(s)-1] = int64(q)
			if err := do(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *componentCheck) params() int {
	if c.formula == nil {
		return 0
	}
	return len(c.formula.Params)
}

// leads checks that a permutation within the blocks maps the state next to a member, and returns both.
func (c *componentCheck) leads() (i int64, perm model.ScalarPerm, err error) {
	packed := c.packer.Pack(nil, c.next)
	i, perm, ok := c.list.Guess(packed)
	if !ok || i < 0 || i >= c.list.Len() {
		return 0, nil, fmt.Errorf("a state is missing")
	}
	if perm != nil {
		if err := permutes(c.p.Model, c.blocks, perm); err != nil {
			return 0, nil, err
		}
		c.p.ApplyPerm(perm, c.next, c.image)
		packed = c.packer.Pack(packed[:0], c.image)
	}
	if !bytes.Equal(packed, c.members.member(i)) {
		return 0, nil, fmt.Errorf("a state is not the member that it is said to be")
	}
	return i, perm, nil
}

// permutes checks that a permutation keeps each block and all other values.
func permutes(m *model.Model, blocks [][][]int, perm model.ScalarPerm) error {
	if len(perm) != len(m.Scalarsets) {
		return fmt.Errorf("a permutation of %d types, not %d", len(perm), len(m.Scalarsets))
	}
	for class, images := range perm {
		t := m.Scalarsets[class]
		if len(images) == 0 {
			continue
		}
		if t.Slots || len(images) != int(t.Card()) {
			return fmt.Errorf("a permutation of the wrong size")
		}
		hit := make([]bool, len(images))
		for v, w := range images {
			together := v == w || class < len(blocks) && slices.ContainsFunc(blocks[class], func(b []int) bool { return slices.Contains(b, v) && slices.Contains(b, w) })
			if !together || hit[w] {
				return fmt.Errorf("value %d of %v goes to %d, which is not interchangeable with it", v, t, w)
			}
			hit[w] = true
		}
	}
	return nil
}

// starts checks that the start states of the product are members.
func (c *componentCheck) starts(prop int) (err error) {
	var initial []int
	for q := range c.a.States {
		if c.a.States[q].Initial {
			initial = append(initial, q)
		}
	}
	c.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if s == nil || v != nil {
			return true
		}
		s = slices.Clone(s)
		if prop >= c.f.First {
			copy(s[len(s)-1-c.params():], c.f.Of[prop-c.f.First].Values)
		}
		err = c.each(s, initial, func() error {
			_, _, err := c.leads()
			return err
		})
		return err == nil
	})
	return err
}

// member checks a member, and returns how many steps it has.
func (c *componentCheck) member(i int64) (steps int, err error) {
	c.packer.Unpack(c.members.member(i), c.state)
	at := c.state[len(c.state)-1]
	if at < 0 || int(at) >= len(c.a.States) {
		return 0, fmt.Errorf("a member without a state of the automaton")
	}
	q := &c.a.States[at]
	c.fired = c.fired[:0]
	var next []model.State
	stuck := true
	c.m.Successors(c.state, func(ch model.Choice, s model.State, v *model.Violation) bool {
		if stuck = false; v != nil {
			err = c.errs(q, v)
			return err == nil
		}
		c.fired, next = append(c.fired, ch.Clone()), append(next, slices.Clone(s))
		return true
	})
	if err != nil {
		return 0, err
	}
	if stuck && !c.m.LeftOut() {
		next = append(next, slices.Clone(c.state))
	}
	for k, s := range next {
		ch := model.Choice{Rule: -1}
		if k < len(c.fired) {
			ch = c.fired[k]
		}
		if err := c.each(s, q.Next, func() error {
			steps++
			j, perm, err := c.leads()
			if err != nil {
				return err
			}
			return c.step(i, j, perm, ch)
		}); err != nil {
			return 0, err
		}
	}
	return steps, nil
}

// errs checks a step that errs.
func (c *componentCheck) errs(q *ltl.State, v *model.Violation) error {
	if c.formula == nil {
		for _, x := range v.Each() {
			if slices.Contains(c.f.Gaps, x.Prop) {
				return fmt.Errorf("the model lacks runs: %s", x.Message)
			}
		}
		return nil
	}
	if !c.f.Erring {
		return nil
	}
	for _, k := range q.Next {
		from := &ltl.Automaton{States: slices.Clone(c.a.States), Conditions: c.a.Conditions}
		for s := range from.States {
			from.States[s].Initial = s == k
		}
		if from.Accepts(1, 0, func(int, int, bool) bool { return false }) {
			return fmt.Errorf("a run that errs violates the formula whatever might come")
		}
	}
	return nil
}

// step checks the components of a step from member i to member j.
func (c *componentCheck) step(i, j int64, perm model.ScalarPerm, ch model.Choice) error {
	for level := 0; ; level++ {
		from, waiting, in := c.list.Component(i, level)
		to, named, also := c.list.Component(j, level)
		switch {
		case !in && level == 0 || !also && level == 0:
			return fmt.Errorf("a member without a component")
		case !in || !also || to < from: // what is not there was checked at the level above, where it is left
			return nil
		case to > from:
			return fmt.Errorf("a step leads from component %d to %d", from, to)
		case len(waiting) == 0:
			return fmt.Errorf("there is a step within component %d", from)
		}
		ends, leaves := false, false
		for _, k := range waiting {
			x := c.list.Condition(k)
			could := c.could(x)
			strong := x.Kind == evidence.Fires && c.f.Model.Fair.Rules[x.Index].Strong
			if c.met(x, ch) || !strong && !could {
				return fmt.Errorf("a step within component %d meets a condition that is to wait", from)
			}
			y, err := c.moved(x, perm)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(named, func(k uint32) bool { return same(c.list.Condition(k), y) }) {
				return fmt.Errorf("a step within component %d loses a condition that is to wait", from)
			}
			ends, leaves = ends || !strong, leaves || could
		}
		if _, _, stays := c.list.Component(i, level+1); ends || !stays && leaves {
			return nil
		} else if !stays {
			return fmt.Errorf("a member of component %d is left out", from)
		}
	}
}

func same(x, y evidence.Condition) bool {
	return x.Kind == y.Kind && x.Index == y.Index && slices.Equal(x.Values, y.Values)
}

// could reports whether a condition could be met at the member at hand: it waits if it is not.
func (c *componentCheck) could(x evidence.Condition) bool {
	switch x.Kind {
	case evidence.Accepts:
		at := c.state[len(c.state)-1]
		return x.Index < len(c.a.States[at].Accepts) && !c.a.States[at].Accepts[x.Index]
	case evidence.Holds:
		for _, q := range c.f.Model.Fair.Often {
			if q.Index == x.Index && slices.ContainsFunc(model.InstancesOf(q.Params), func(values []int64) bool { return slices.Equal(values, x.Values) }) {
				ok, v := c.m.Holds(c.state, x.Index, x.Values)
				return !ok && v == nil
			}
		}
		return false
	}
	set := c.f.Model.Fair.Rules[x.Index]
	return slices.ContainsFunc(c.fired, func(ch model.Choice) bool {
		return slices.ContainsFunc(set.Instances, ch.Equal) && (!set.ByElement || slices.Equal(c.p.Named(c.state, ch), x.Values))
	})
}

// met reports whether an instance that fires at the member at hand meets a condition.
func (c *componentCheck) met(x evidence.Condition, ch model.Choice) bool {
	if x.Kind != evidence.Fires || ch.Rule < 0 {
		return false
	}
	set := c.f.Model.Fair.Rules[x.Index]
	if !slices.ContainsFunc(set.Instances, ch.Equal) && !slices.ContainsFunc(set.Also, ch.Equal) {
		return false
	}
	return !set.ByElement || slices.Equal(c.p.Named(c.state, ch), x.Values)
}

// moved returns the image of a condition.
func (c *componentCheck) moved(x evidence.Condition, perm model.ScalarPerm) (evidence.Condition, error) {
	if perm == nil || x.Kind == evidence.Accepts {
		return x, nil
	}
	var types []*model.Type
	if x.Kind == evidence.Fires && len(x.Values) > 0 {
		types = c.p.NamedTypes(c.f.Model.Fair.Rules[x.Index].Instances[0].Rule)
	}
	for i := 0; x.Kind == evidence.Holds && i < len(x.Values); i++ {
		types = append(types, c.f.Model.Props[x.Index].Params[i].Var.Type)
	}
	x.Values = slices.Clone(x.Values)
	for i, v := range x.Values {
		if v != model.Undef {
			x.Values[i] = image(perm, types[i], v)
		}
	}
	if x.Kind == evidence.Holds {
		return x, nil
	}
	key := fmt.Sprint(x.Index, perm)
	to, ok := c.images[key]
	if !ok {
		rules := c.f.Model.Fair.Rules
		moved := func(all []model.Choice) (out []model.Choice) {
			for _, ch := range all {
				out = append(out, c.p.PermChoice(perm, ch))
			}
			return out
		}
		set := rules[x.Index]
		set.Instances, set.Also = moved(set.Instances), moved(set.Also)
		to = slices.IndexFunc(rules, func(r model.FairRules) bool {
			return r.Strong == set.Strong && r.ByElement == set.ByElement && sameChoices(r.Instances, set.Instances) && sameChoices(r.Also, set.Also)
		})
		c.images[key] = to
	}
	if x.Index = to; to < 0 {
		return x, fmt.Errorf("a permutation does not keep fairness")
	}
	return x, nil
}

// sameChoices reports whether two lists without repetitions have the same instances.
func sameChoices(a, b []model.Choice) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(ch model.Choice) bool { return !slices.ContainsFunc(b, ch.Equal) })
}
