package states

import (
	"encoding/binary"
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/ltl"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file evaluates what infinite runs must do again and again, and checks that a component has no fair run: its
// conditions wait in each step within it. components.go says why that suffices.

// fairCheck checks steps, of a model or a product.
type fairCheck struct {
	p         *model.Program
	m         *model.Machine
	read      func(number uint32) evidence.Condition
	component func(i int64, level int) (number int, waiting []uint32, ok bool)
	uses      map[string][]use              // by rule instance
	images    map[string]int                // of sets of fair rules
	named     map[uint32]evidence.Condition // each read once
	ids       map[string]uint32             // of different conditions
	own       map[uint32]uint32             // of those that are named
	moved     map[string]map[uint32]uint32  // by permutation: of their images
	kept      []uint32                      // scratch
	by        []byte                        // scratch

	state model.State     // at hand
	fired []firing        // in it
	ables map[uint32]bool // of some conditions: whether they could be met there
}

// use says that an instance is in a set of fair rules, to be fired if it can, or also.
type use struct {
	set  int
	also bool
}

// firing is an instance, of rule -1 if none fires, the state that it leads to, and the sets of fair rules that it is in.
type firing struct {
	ch   model.Choice
	next model.State
	uses []use
}

func newFairCheck(p *model.Program) *fairCheck {
	c := &fairCheck{p: p, m: p.NewMachine(), images: make(map[string]int), uses: make(map[string][]use), named: make(map[uint32]evidence.Condition),
		ids: make(map[string]uint32), own: make(map[uint32]uint32), moved: make(map[string]map[uint32]uint32),
		state: make(model.State, p.Model.Leaves()), ables: make(map[uint32]bool)}
	for i, set := range p.Model.Fair.Rules {
		for k, list := range [][]model.Choice{set.Instances, set.Also} {
			for _, ch := range list {
				c.uses[nameOf(ch)] = append(c.uses[nameOf(ch)], use{i, k == 1})
			}
		}
	}
	return c
}

// nameOf tells a rule instance from others.
func nameOf(ch model.Choice) string {
	b := binary.AppendVarint(nil, int64(ch.Rule))
	for _, v := range ch.Params {
		b = binary.AppendVarint(b, v)
	}
	return string(b)
}

// fire finds what fires in the state at hand, and tells errs of the instances that err.
func (c *fairCheck) fire(errs func(ch model.Choice, v *model.Violation)) {
	c.fired = c.fired[:0]
	clear(c.ables)
	stuck := true
	c.m.Successors(c.state, func(ch model.Choice, s model.State, v *model.Violation) bool {
		if stuck = false; v != nil {
			errs(ch, v)
			return true
		}
		x := firing{ch: ch.Clone(), next: slices.Clone(s)}
		if len(c.uses) > 0 {
			x.uses = c.uses[nameOf(ch)]
		}
		c.fired = append(c.fired, x)
		return true
	})
	if stuck && !c.m.LeftOut() {
		c.fired = append(c.fired, firing{ch: model.Choice{Rule: -1}, next: slices.Clone(c.state)})
	}
}

// step checks the components of a step from i to j: see evidence.Components. The automaton is in state q before it; nil:
// there is none.
func (c *fairCheck) step(i, j int64, q *ltl.State, perm model.ScalarPerm, by *firing) error {
	var images map[uint32]uint32
	for level := 0; ; level++ {
		from, waiting, in := c.component(i, level)
		to, named, also := c.component(j, level)
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
		c.kept = c.kept[:0]
		for _, l := range named {
			c.kept = append(c.kept, c.id(l))
		}
		slices.Sort(c.kept)
		for _, k := range waiting {
			x := c.condition(k)
			if x.Kind == evidence.Fires && (x.Index < 0 || x.Index >= len(c.p.Model.Fair.Rules)) {
				return fmt.Errorf("component %d names a condition that is none", from)
			}
			could := c.could(k, x, q)
			strong := x.Kind == evidence.Fires && c.p.Model.Fair.Rules[x.Index].Strong
			if c.met(x, by) || !strong && !could {
				return fmt.Errorf("a step within component %d meets a condition that is to wait", from)
			}
			if images == nil {
				images = c.imagesBy(perm)
			}
			image, ok := images[k]
			if !ok {
				y, err := c.permuted(x, perm)
				if err != nil {
					return err
				}
				image = c.idOf(y)
				images[k] = image
			}
			if _, ok := slices.BinarySearch(c.kept, image); !ok {
				return fmt.Errorf("a step within component %d loses a condition that is to wait", from)
			}
			ends, leaves = ends || !strong, leaves || could
		}
		if _, _, stays := c.component(i, level+1); ends || !stays && leaves {
			return nil
		} else if !stays {
			return fmt.Errorf("a member of component %d is left out", from)
		}
	}
}

// condition returns the condition of a number.
func (c *fairCheck) condition(k uint32) evidence.Condition {
	return lists.Memo(c.named, k, c.read)
}

// idOf returns a number that tells a condition from others.
func (c *fairCheck) idOf(x evidence.Condition) uint32 {
	key := fmt.Sprint(x.Kind, x.Index, x.Values)
	return lists.Number(c.ids, key)
}

func (c *fairCheck) id(k uint32) uint32 {
	return lists.Memo(c.own, k, func(k uint32) uint32 { return c.idOf(c.condition(k)) })
}

// mostMoved is of how many permutations images are kept.
const mostMoved = 1 << 10

// imagesBy returns what is known of the images of conditions, by number, under a permutation.
func (c *fairCheck) imagesBy(perm model.ScalarPerm) map[uint32]uint32 {
	if perm == nil {
		return c.own // what is added there is right
	}
	c.by = c.by[:0]
	for _, images := range perm {
		c.by = binary.AppendUvarint(c.by, uint64(len(images)))
		for _, v := range images {
			c.by = binary.AppendUvarint(c.by, uint64(v))
		}
	}
	known := c.moved[string(c.by)]
	if known == nil {
		if len(c.moved) == mostMoved {
			clear(c.moved)
		}
		known = make(map[uint32]uint32)
		c.moved[string(c.by)] = known
	}
	return known
}

// could reports whether condition number k could be met in the state at hand, and one of the automaton: it waits if it is
// not.
func (c *fairCheck) could(k uint32, x evidence.Condition, q *ltl.State) bool {
	if x.Kind == evidence.Accepts {
		return q != nil && x.Index < len(q.Accepts) && !q.Accepts[x.Index]
	}
	return lists.Memo(c.ables, k, func(uint32) bool { return c.able(x) })
}

// able is could for conditions that the automaton has no part in.
func (c *fairCheck) able(x evidence.Condition) bool {
	if x.Kind == evidence.Fires {
		return slices.ContainsFunc(c.fired, func(by firing) bool { return c.in(x, &by, false) })
	}
	for _, q := range c.p.Model.Fair.Often {
		if q.Index == x.Index && slices.ContainsFunc(model.InstancesOf(q.Params), func(values []int64) bool { return slices.Equal(values, x.Values) }) {
			ok, v := c.m.Holds(c.state, x.Index, x.Values)
			return !ok && v == nil
		}
	}
	return false
}

// met reports whether what fires at the member at hand meets a condition.
func (c *fairCheck) met(x evidence.Condition, by *firing) bool {
	return x.Kind == evidence.Fires && (c.in(x, by, false) || c.in(x, by, true))
}

// in reports whether an instance is in the set of a condition, to be fired if it can, or also.
func (c *fairCheck) in(x evidence.Condition, by *firing, also bool) bool {
	return slices.Contains(by.uses, use{x.Index, also}) &&
		(!c.p.Model.Fair.Rules[x.Index].ByElement || slices.Equal(c.p.Named(c.state, by.ch), x.Values))
}

// permuted returns the image of a condition.
func (c *fairCheck) permuted(x evidence.Condition, perm model.ScalarPerm) (evidence.Condition, error) {
	if perm == nil || x.Kind == evidence.Accepts {
		return x, nil
	}
	var types []*model.Type
	if x.Kind == evidence.Fires && len(x.Values) > 0 {
		types = c.p.NamedTypes(c.p.Model.Fair.Rules[x.Index].Instances[0].Rule)
	}
	for i := 0; x.Kind == evidence.Holds && i < len(x.Values); i++ {
		types = append(types, c.p.Model.Props[x.Index].Params[i].Var.Type)
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
		rules := c.p.Model.Fair.Rules
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

// keeps reports whether the permutations of a block map sets of fair rules to sets of fair rules.
func (c *fairCheck) keeps(class int, block []int) bool {
	for n := 1; n < len(block); n++ {
		perm := c.p.Model.Identity()
		perm[class][block[n-1]], perm[class][block[n]] = block[n], block[n-1]
		for i := range c.p.Model.Fair.Rules {
			if _, err := c.permuted(evidence.Condition{Kind: evidence.Fires, Index: i}, perm); err != nil {
				return false
			}
		}
	}
	return true
}

// sameChoices reports whether two lists without repetitions have the same instances.
func sameChoices(a, b []model.Choice) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(ch model.Choice) bool { return !slices.ContainsFunc(b, ch.Equal) })
}
