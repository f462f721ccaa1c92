package states

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file checks where EG x holds on fair paths (ctl.Stay), beyond what layers.go checks of each layer:
//
//	in a pair of layer 0, a loop passes that is fair, and x holds all along it,
//	the pairs of layer -1 in which x holds are in components in which no path is fair.
//
// Loops are replayed on states, from a member on. Each state of one is led to a member by a permutation, which moves the
// instance as well, and x is what the evidence says there. So from a pair of layer 0, and of each layer above, a fair path
// stays in x. Let x hold in a pair of layer -1, and a fair path stay in x from there. Its pairs are of layer -1, as no step
// leads from those into another layer. Their components are checked in each step between two of them, as components.go says
// of products: no such path is fair. Under symmetry that takes permutations which map each step of a rule instance to one of
// its image, and fairness to itself, also from start states and in steps between other pairs: the check of the closure takes
// no others, see fairBlocks.

// fairPathCheck checks one operator of a property.
type fairPathCheck struct {
	*fairCheck
	k    *closureCheck
	l    *layerCheck
	op   int
	x    *ctl.Formula // the operand
	fair evidence.Fair
	on   map[[2]int64]bool // pairs that a loop passes, by member and number of the instance
}

// fairly checks the operators ctl.Stay of a property.
func (cc *closureCheck) fairly(ctx context.Context, l *layerCheck, members int64) error {
	for op, f := range l.claim.Temporal {
		if f.Op != ctl.Stay {
			continue
		}
		fair := l.layers.Fair(op)
		c := &fairPathCheck{fairCheck: newFairCheck(cc.p.Program), k: cc, l: l, op: op, x: f.X, fair: fair, on: make(map[[2]int64]bool)}
		c.read, c.component = fair.Condition, func(pair int64, level int) (number int, waiting []uint32, ok bool) {
			n := int64(len(l.insts))
			return fair.Component(pair/n, l.insts[pair%n], level)
		}
		for _, loop := range fair.Loops() {
			if loop.Member < 0 || loop.Member >= members || c.instance(loop.Values) < 0 {
				return fmt.Errorf("a loop for %q begins nowhere", l.prop.Name)
			}
			if err := c.loop(loop); err != nil {
				return fmt.Errorf("a loop for %q: %w", l.prop.Name, err)
			}
		}
		for i := range members {
			if i&0x3f == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := c.member(i); err != nil {
				return fmt.Errorf("%q on fair paths: %w", l.prop.Name, err)
			}
		}
	}
	return nil
}

// fairBlocks returns the blocks within which permutations count for properties that speak of fair paths. That they map what
// a rule instance does to what its image does is derived again from the text; that they map fairness to itself is looked up
// for exchanges of neighbours.
func fairBlocks(p *mc.Problem) [][][]int {
	own := *p
	own.Typed = true
	var err error
	if own.Joint, own.Strict, err = TypedSets(p, p.Blocks, p.Props); err != nil || !own.EachRule() || p.Model.FairByParts() {
		return nil
	}
	c := newFairCheck(p.Program)
	kept := make([][][]int, len(p.Blocks))
	for class, of := range p.Blocks {
		for _, block := range of {
			if !p.Model.Scalarsets[class].Slots && c.keeps(class, block) {
				kept[class] = append(kept[class], block)
			}
		}
	}
	return kept
}

// instance returns the number of an instance, -1 if it is none.
func (c *fairPathCheck) instance(values []int64) int {
	return slices.IndexFunc(c.l.insts, func(inst []int64) bool { return slices.Equal(inst, values) })
}

// leads returns the member to which a state is led, and the permutation.
func (c *fairPathCheck) leads(s model.State) (i int64, perm model.ScalarPerm, err error) {
	c.k.packer.Pack(c.k.packed[:0], s)
	i, by, err := c.k.leads(c.k.packed)
	if err != nil {
		return 0, nil, err
	}
	return i, by.perm, nil
}

// moved returns the image of an instance.
func (c *fairPathCheck) moved(perm model.ScalarPerm, values []int64) []int64 {
	values = slices.Clone(values)
	for j := 0; j < len(values) && perm != nil; j++ {
		values[j] = image(perm, c.l.prop.Params[j].Var.Type, values[j])
	}
	return values
}

// loop checks a fair run without end, and notes the pairs that it passes.
func (c *fairPathCheck) loop(loop evidence.Loop) error {
	s := make(model.State, len(c.state))
	c.k.packer.Unpack(c.k.to.member(loop.Member), s)
	run := &model.Lasso{Trace: &model.Trace{}}
	for _, ch := range loop.Steps {
		run.States = append(run.States, s)
		i, values := loop.Member, loop.Values
		if !slices.Equal(s, run.States[0]) {
			var perm model.ScalarPerm
			var err error
			if i, perm, err = c.leads(s); err != nil {
				return err
			}
			values = c.moved(perm, values)
		}
		if !c.l.says(c.x, i, values) {
			return fmt.Errorf("%v does not hold on it", c.x)
		}
		c.on[[2]int64{i, int64(c.instance(values))}] = true
		if ch.Rule < 0 {
			copy(c.state, s)
			c.fire(func(model.Choice, *model.Violation) {})
			if run.Stuck = len(loop.Steps) == 1 && len(c.fired) == 1 && c.fired[0].ch.Rule < 0; !run.Stuck {
				return fmt.Errorf("a state does not repeat itself")
			}
			continue
		}
		if !c.p.ValidRule(ch) {
			return fmt.Errorf("there is no such rule")
		}
		next, fires, v := c.m.Fire(s, ch)
		if !fires || v != nil {
			return fmt.Errorf("a rule does not fire")
		}
		s = slices.Clone(next)
		run.Trace.Steps = append(run.Trace.Steps, model.TraceStep{Choice: ch, State: s})
	}
	if len(run.States) == 0 || !slices.Equal(s, run.States[0]) {
		return fmt.Errorf("it does not close")
	}
	return traces.CheckFair(c.p, c.m, run)
}

// member checks the pairs of a member.
func (c *fairPathCheck) member(i int64) error {
	var stays [][]int64 // instances of layer -1 in which the operand holds
	for k, inst := range c.l.insts {
		switch n := c.l.layers.Layer(c.op, i, inst); {
		case n == 0 && !c.on[[2]int64{i, int64(k)}]:
			return fmt.Errorf("a state of layer 0 that no loop passes")
		case n < 0 && c.l.says(c.x, i, inst):
			stays = append(stays, inst)
		}
	}
	if stays == nil {
		return nil
	}
	c.k.packer.Unpack(c.k.to.member(i), c.state)
	c.fire(func(model.Choice, *model.Violation) {})
	for _, by := range c.fired {
		j, perm, err := c.leads(by.next)
		if err != nil {
			return err
		}
		for _, inst := range stays {
			values := c.moved(perm, inst)
			to := c.instance(values)
			if to < 0 {
				return fmt.Errorf("a permutation leads out of the values of a parameter")
			}
			if c.l.layers.Layer(c.op, j, values) >= 0 || !c.l.says(c.x, j, values) {
				continue
			}
			n := int64(len(c.l.insts))
			if err := c.step(i*n+int64(c.instance(inst)), j*n+int64(to), nil, perm, &by); err != nil {
				return err
			}
		}
	}
	return nil
}
