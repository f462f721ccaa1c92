package states

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"orbitmc/internal/ltl"
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
// finitely many conditions. Without these members the rest is checked in the same way. A run from an image of a member has
// images of these conditions, so all permutations have to map fairness to itself: exchanges of neighbours are tried.
//
// What waits is evaluated here, on the member and by the rule that fires; nothing is taken from the search but which
// members, permutations, components and conditions to look at.
//
// A state of the model is expanded once for members that differ in the
// state of the automaton only: the list names them, and they are compared.
//
// A member may leave out the successors by instances that are not in a stubborn set, which is checked (orders.go), if
// the others have lower ranks. docs/theory/liveness.md says why.

// componentCheck checks one list.
type componentCheck struct {
	f          *mc.Formulas
	formula    *model.Formula // nil: the automaton reads all
	a          *ltl.Automaton
	list       evidence.Components
	*fairCheck // of the product
	packer     *model.Packer
	blocks     [][][]int
	members    *members
	checked    []bool  // by member
	orders     *orders // nil: there was no stubborn set so far
	partial    int     // members with one

	group []member // with the state of the model at hand
	from  [][]int  // by state of the automaton: those of group from which a step may lead to it

	can, erring, all []model.Choice // instances that can fire in the state at hand, that err, and both

	image       model.State
	packed, buf []byte
	pad         [model.PackedPad]byte
	atoms       [][2]bool // of a state: they may count as true, as false
}

// member is a member of the list with its state of the automaton.
type member struct {
	i    int64
	at   int
	only []bool // by instance: it is in the stubborn set; nil: all are fired
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
	for i := list.Len() - 1; i >= 0; i-- {
		if i&0x3f == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := c.expand(i)
		if err != nil {
			return "", err
		}
		steps += n
	}
	how = fmt.Sprintf("%d states with those of the automaton visited, their %d steps and components checked in the interpreter", list.Len(), steps)
	if c.partial > 0 {
		how += fmt.Sprintf(", with stubborn sets in %d", c.partial)
	}
	return how, nil
}

func newComponentCheck(ctx context.Context, p *mc.Problem, list evidence.Components, prop int) (*componentCheck, error) {
	f := p.Formulas
	c := &componentCheck{f: f, a: ltl.Everything(), list: list, blocks: p.Blocks, members: newMembers(list), checked: make([]bool, list.Len())}
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
	c.fairCheck, c.packer = newFairCheck(model.Compile(m)), model.NewPacker(m)
	c.read, c.component = list.Condition, list.Component
	c.image, c.from = make(model.State, m.Leaves()), make([][]int, len(c.a.States))
	q := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: c.p, Blocks: p.Blocks, Typing: p.Typing}, Props: f.Symmetric()}
	if len(p.Blocks) == 0 {
		return c, nil
	}
	if f.Model.FairByParts() {
		return nil, fmt.Errorf("fairness is about elements that have arrays in them")
	}
	for class, blocks := range p.Blocks {
		for _, block := range blocks {
			if !f.Model.Scalarsets[class].Slots && !c.keeps(class, block) {
				return nil, fmt.Errorf("the symmetry does not keep fairness")
			}
		}
	}
	joint, strict, err := TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: f.Model, Typing: p.Typing}}, p.Blocks, q.Props)
	if err != nil {
		return nil, err
	}
	if q.Joint = joint; len(strict) > 0 || !f.Separate(joint) {
		return nil, fmt.Errorf("the symmetry does not keep what errors say")
	}
	return c, sampleTyped(ctx, q, list)
}

// each calls do with each state of the automaton, of some, whose label a state of the model meets. The state is that of
// the product then, and packed.
func (c *componentCheck) each(s model.State, of func(q int) bool, do func(q int) error) error {
	n := len(s) - 1
	atoms := c.atoms[:0]
	if c.formula != nil {
		for _, atom := range c.formula.Atoms {
			ok, v := c.m.Holds(s, atom.Index, s[n-len(c.formula.Params):n])
			atoms = append(atoms, [2]bool{ok || v != nil, !ok || v != nil})
		}
	}
	c.atoms = atoms
	s[n] = model.Undef
	c.packed = append(c.packer.Pack(c.packed[:0], s), c.pad[:]...)
	pos, width := c.packer.Field(n)
	for q := range c.a.States {
		label := &c.a.States[q]
		if !of(q) || slices.ContainsFunc(label.Yes, func(k int) bool { return !atoms[k][0] }) ||
			slices.ContainsFunc(label.No, func(k int) bool { return !atoms[k][1] }) {
			continue
		}
		s[n] = int64(q)
		model.PutBits(c.packed, pos, 1<<width-1, c.packer.Code(n, s[n]))
		if err := do(q); err != nil {
			return err
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

// leads checks that a permutation within the blocks maps a state, which each has packed, to a member, and returns both.
func (c *componentCheck) leads(s model.State) (i int64, perm model.ScalarPerm, err error) {
	packed := c.packed[:c.packer.Size()]
	i, perm, ok := c.list.Guess(packed)
	if !ok || i < 0 || i >= c.list.Len() {
		return 0, nil, fmt.Errorf("a state is missing")
	}
	if perm != nil {
		if err := permutes(c.p.Model, c.blocks, perm); err != nil {
			return 0, nil, err
		}
		c.p.ApplyPerm(perm, s, c.image)
		c.buf = c.packer.Pack(c.buf[:0], c.image)
		packed = c.buf
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
	c.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if s == nil || v != nil {
			return true
		}
		s = slices.Clone(s)
		if prop >= c.f.First {
			copy(s[len(s)-1-c.params():], c.f.Of[prop-c.f.First].Values)
		}
		err = c.each(s, func(q int) bool { return c.a.States[q].Initial }, func(int) error {
			_, _, err := c.leads(s)
			return err
		})
		return err == nil
	})
	return err
}

// gather makes the group of a member: those that have its state of the model, as far as the list names them.
func (c *componentCheck) gather(i int64) error {
	c.group = c.group[:0]
	for q := range c.from {
		c.from[q] = c.from[q][:0]
	}
	n := len(c.state) - 1
	for ; i >= 0 && i < c.list.Len() && !c.checked[i]; i = c.list.Sibling(i) {
		c.packer.Unpack(c.members.member(i), c.image)
		at := c.image[n]
		if at < 0 || int(at) >= len(c.a.States) {
			return fmt.Errorf("a member without a state of the automaton")
		}
		if len(c.group) == 0 {
			copy(c.state, c.image)
		} else if !slices.Equal(c.state[:n], c.image[:n]) {
			return nil
		}
		for _, q := range c.a.States[at].Next {
			c.from[q] = append(c.from[q], len(c.group))
		}
		c.group = append(c.group, member{i: i, at: int(at)})
		c.checked[i] = true
	}
	return nil
}

// expand checks a member and its group, unless they were checked, and returns how many steps they have.
func (c *componentCheck) expand(i int64) (steps int, err error) {
	if err := c.gather(i); err != nil || len(c.group) == 0 {
		return 0, err
	}
	if err := c.enter(); err != nil {
		return 0, err
	}
	for k := range c.group {
		if err := c.reduced(&c.group[k]); err != nil {
			return 0, err
		}
	}
	for _, x := range c.fired {
		takes := func(k int) bool { only := c.group[k].only; return only == nil || only[c.orders.Number(x.ch)] }
		reached := func(q int) bool { return slices.ContainsFunc(c.from[q], takes) }
		if err := c.each(x.next, reached, func(q int) error {
			j, perm, err := c.leads(x.next)
			for k := 0; k < len(c.from[q]) && err == nil; k++ {
				if !takes(c.from[q][k]) {
					continue
				}
				steps++
				of := c.group[c.from[q][k]]
				if err = c.step(of.i, j, &c.a.States[of.at], perm, &x); of.only != nil && err == nil && c.list.Rank(j) >= c.list.Rank(of.i) {
					err = fmt.Errorf("a step of a stubborn set does not lead to a lower rank")
				}
			}
			return err
		}); err != nil {
			return 0, err
		}
	}
	return steps, nil
}

// reduced checks the stubborn set of a member of the group, if it has one.
func (c *componentCheck) reduced(x *member) (err error) {
	set := c.list.Stubborn(x.i, c.state, c.all)
	if set == nil {
		return nil
	}
	if c.orders == nil {
		if c.orders, err = newOrders(c.f, c.formula); err != nil {
			return err
		}
	}
	n := len(c.state) - 1
	only, err := c.orders.stubborn(set, c.state, c.can, c.erring, c.state[n-c.params():n])
	x.only = slices.Clone(only)
	c.partial++
	return err
}

// enter finds what fires in the state at hand.
func (c *componentCheck) enter() (err error) {
	c.erring = c.erring[:0]
	c.fire(func(ch model.Choice, v *model.Violation) {
		if c.erring = append(c.erring, ch.Clone()); c.formula == nil && err == nil {
			err = c.lacks(v)
		}
	})
	c.can = c.can[:0]
	for _, x := range c.fired {
		if x.ch.Rule >= 0 {
			c.can = append(c.can, x.ch)
		}
	}
	c.all = append(append(c.all[:0], c.can...), c.erring...)
	for k := 0; k < len(c.group) && len(c.erring) > 0 && c.formula != nil && c.f.Erring && err == nil; k++ {
		err = c.errs(&c.a.States[c.group[k].at])
	}
	return err
}

// lacks checks a step that errs where it is asked whether the model lacks runs.
func (c *componentCheck) lacks(v *model.Violation) error {
	for _, x := range v.Each() {
		if slices.Contains(c.f.Gaps, x.Prop) {
			return fmt.Errorf("the model lacks runs: %s", x.Message)
		}
	}
	return nil
}

// errs checks a step that errs, from a state of the automaton.
func (c *componentCheck) errs(q *ltl.State) error {
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
