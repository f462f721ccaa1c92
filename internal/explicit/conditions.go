package explicit

import (
	"encoding/binary"
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file numbers what an infinite run must do again and again to be fair and accepted, and the permutations that
// lead from states to representatives, which map conditions to each other. A condition that is about an element of a
// multiset gets its number when it can be met first, so there may be more as the search goes on. Therefore a step
// does not say which conditions it meets, but which wait: they could have been met in the state before it, and were
// not.

// conditions numbers conditions, sets of them, and permutations, and says what steps do about them.
type conditions struct {
	p     *model.Program
	m     *model.Machine
	often []*model.Property
	cur   model.State // the state of the model that is expanded
	fired [][]uint32  // different sets of conditions that steps from it meet

	list  interned[evidence.Condition]
	types [][]*model.Type // by condition: those of its values

	entries map[string][]use // by rule and parameters: the sets of fair rules that it is in
	sets    []model.FairRules
	setOf   map[string]int // by what is in a set: its number, from 1; equal sets are one, the first

	labels interned[label]
	rooted map[[2]uint32]uint32 // see atRoot

	turns    interned[model.ScalarPerm] // 0 is the identity, nil
	products map[[2]uint32]uint32
	images   map[[2]uint32]uint32
}

// interned is a list of different things.
type interned[T any] struct {
	all []T
	of  map[string]uint32 // by what tells them apart
}

// number returns the number of what a key tells from others, which is made if it is not in the list.
func (i *interned[T]) number(key []byte, made func() T) uint32 {
	n, ok := i.of[string(key)]
	if !ok {
		if i.of == nil {
			i.of = make(map[string]uint32)
		}
		n = uint32(len(i.all))
		i.of[string(key)] = n
		i.all = append(i.all, made())
	}
	return n
}

// use says that a rule instance is in a set of fair rules.
type use struct {
	set  int
	also bool // firing it counts, and that it can fire does not
}

// label says what a step does about conditions; all are ascending.
type label struct {
	waits []uint32 // these wait
	could []uint32 // of strong fairness: one could have been met
	meets []uint32 // of strong fairness: it is met
}

func newConditions(p *model.Program, accepts int) *conditions {
	c := &conditions{p: p, m: p.NewMachine(), often: p.Model.Fair.Often, cur: slices.Repeat(model.State{model.Undef}, p.Model.Leaves()), sets: p.Model.Fair.Rules, entries: make(map[string][]use), setOf: make(map[string]int), rooted: make(map[[2]uint32]uint32),
		turns: interned[model.ScalarPerm]{all: []model.ScalarPerm{nil}}, products: make(map[[2]uint32]uint32), images: make(map[[2]uint32]uint32)}
	for k := range accepts {
		c.number(evidence.Condition{Kind: evidence.Accepts, Index: k}, nil)
	}
	for i, set := range c.sets {
		key := c.contents(nil, set)
		if c.setOf[key] != 0 {
			continue // a permutation would make one condition of both
		}
		c.setOf[key] = i + 1
		for _, ch := range set.Instances {
			c.entries[instanceKey(ch)] = append(c.entries[instanceKey(ch)], use{i, false})
		}
		for _, ch := range set.Also {
			c.entries[instanceKey(ch)] = append(c.entries[instanceKey(ch)], use{i, true})
		}
	}
	return c
}

func instanceKey(ch model.Choice) string { return string(appendInstance(nil, ch)) }

func appendInstance(b []byte, ch model.Choice) []byte {
	b = binary.AppendVarint(b, int64(ch.Rule))
	for _, v := range ch.Params {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// contents tells the image of a set of fair rules from others.
func (c *conditions) contents(perm model.ScalarPerm, set model.FairRules) string {
	list := func(all []model.Choice) (keys []string) {
		for _, ch := range all {
			if perm != nil {
				ch = c.p.PermChoice(perm, ch)
			}
			keys = append(keys, instanceKey(ch))
		}
		slices.Sort(keys)
		return keys
	}
	return fmt.Sprintf("%v %v %q %q", set.Strong, set.ByElement, list(set.Instances), list(set.Also))
}

// moves checks that a permutation maps sets of fair rules to sets of fair rules.
func (c *conditions) moves(perm model.ScalarPerm) bool {
	return !slices.ContainsFunc(c.sets, func(set model.FairRules) bool { return c.setOf[c.contents(perm, set)] == 0 })
}

// number returns the number of a condition; types are those of its values.
func (c *conditions) number(x evidence.Condition, types []*model.Type) uint32 {
	key := binary.AppendVarint([]byte{byte(x.Kind)}, int64(x.Index))
	for _, v := range x.Values {
		key = binary.AppendVarint(key, v)
	}
	return c.list.number(key, func() evidence.Condition {
		x.Values = slices.Clone(x.Values)
		c.types = append(c.types, slices.Clone(types))
		return x
	})
}

// image returns what a permutation maps a condition to.
func (c *conditions) image(turn, cond uint32) uint32 {
	if turn == 0 {
		return cond
	}
	key := [2]uint32{turn, cond}
	to, ok := c.images[key]
	if !ok {
		x, perm := c.list.all[cond], c.turns.all[turn]
		x.Values = slices.Clone(x.Values)
		for i, t := range c.types[cond] {
			x.Values[i] = imageOf(perm, t, x.Values[i])
		}
		if x.Kind == evidence.Fires {
			x.Index = c.setOf[c.contents(perm, c.sets[x.Index])] - 1
		}
		to = c.number(x, c.types[cond])
		c.images[key] = to
	}
	return to
}

// imageOf returns the image of a value of a type.
func imageOf(perm model.ScalarPerm, t *model.Type, v int64) int64 {
	if class, w, ok := t.Element(v); ok && !t.Slots && perm[class] != nil && v != model.Undef {
		return t.Image(v, w, int64(perm[class][w]))
	}
	return v
}

// imagesOf returns the images of conditions, ascending.
func (c *conditions) imagesOf(turn uint32, all []uint32) []uint32 {
	if turn == 0 || len(all) == 0 {
		return all
	}
	var to []uint32
	for _, k := range all {
		to = append(to, c.image(turn, k))
	}
	slices.Sort(to)
	return to
}

// label returns the number of a label.
func (c *conditions) label(l label) uint32 {
	var key []byte
	for _, set := range [][]uint32{l.waits, l.could, l.meets} {
		key = binary.AppendUvarint(key, uint64(len(set)))
		for _, k := range set {
			key = binary.AppendUvarint(key, uint64(k))
		}
	}
	return c.labels.number(key, func() label {
		return label{slices.Clone(l.waits), slices.Clone(l.could), slices.Clone(l.meets)}
	})
}

// atRoot returns the label as it is where a permutation comes from.
func (c *conditions) atRoot(turn, number uint32) uint32 {
	if turn == 0 {
		return number
	}
	key := [2]uint32{turn, number}
	at, ok := c.rooted[key]
	if !ok {
		l, back := c.labels.all[number], c.back(turn)
		at = c.label(label{c.imagesOf(back, l.waits), c.imagesOf(back, l.could), c.imagesOf(back, l.meets)})
		c.rooted[key] = at
	}
	return at
}

// turn returns the number of a permutation, which is copied.
func (c *conditions) turn(perm model.ScalarPerm) uint32 {
	var key []byte
	same := true
	for _, images := range perm {
		for v, w := range images {
			key = binary.AppendUvarint(key, uint64(w))
			same = same && v == w
		}
	}
	if same {
		return 0
	}
	return c.turns.number(key, func() model.ScalarPerm { return clonePerm(perm) })
}

// then returns the permutation that is first, then second.
func (c *conditions) then(first, second uint32) uint32 {
	if first == 0 || second == 0 {
		return first | second
	}
	key := [2]uint32{first, second}
	n, ok := c.products[key]
	if !ok {
		n = c.turn(product(c.turns.all[first], c.turns.all[second]))
		c.products[key] = n
	}
	return n
}

// back returns the inverse of a permutation.
func (c *conditions) back(turn uint32) uint32 {
	if turn == 0 {
		return 0
	}
	key := [2]uint32{turn, turn + 1<<31} // no product
	n, ok := c.products[key]
	if !ok {
		n = c.turn(inverse(c.turns.all[turn]))
		c.products[key] = n
	}
	return n
}

// product returns the permutation that is p, then q.
func product(p, q model.ScalarPerm) model.ScalarPerm {
	out := clonePerm(p)
	for class := range out {
		for v, w := range out[class] {
			out[class][v] = q[class][w]
		}
	}
	return out
}

// memory returns about how many bytes are in use.
func (c *conditions) memory() int64 {
	n := 0
	for _, t := range c.turns.all {
		for _, images := range t {
			n += 9 * len(images)
		}
	}
	return int64(n + 64*(len(c.products)+len(c.images)) + 160*(len(c.labels.all)+len(c.list.all)))
}

// each calls enter with each instance that fires in the state at hand, where it leads, and which leaves that changes,
// ascending; of rule -1, and nil, if none can fire. It calls fails with each that errs. The state differs from the one
// before in leaves changed. The result has the labels of steps by what fires says of them in enter.
func (c *conditions) each(changed []int, fails func(ch model.Choice, v *model.Violation), enter func(ch model.Choice, next model.State, changed []int)) []uint32 {
	c.fired = c.fired[:0]
	var can, could []uint32 // weak and strong conditions that could be met
	stuck := true
	c.m.SuccessorsBut(c.cur, changed, nil, func(ch model.Choice, next model.State, v *model.Violation) bool {
		if stuck = false; v != nil {
			fails(ch, v)
			return true
		}
		can, could = c.enabled(ch, can, could)
		enter(ch, next, c.m.Changed())
		return true
	})
	if stuck && !c.m.LeftOut() {
		enter(model.Choice{Rule: -1}, c.cur, nil)
	}
	slices.Sort(can)
	slices.Sort(could)
	can, could = slices.Compact(can), slices.Compact(could)
	always := c.waiting()
	labels := make([]uint32, len(c.fired))
	for k, fired := range c.fired {
		l := label{waits: always}
		for _, x := range can {
			if !slices.Contains(fired, x) {
				l.waits = append(slices.Clip(l.waits), x)
			}
		}
		if len(could) > 0 {
			l.could = could
			for _, x := range could {
				if slices.Contains(fired, x) {
					l.meets = append(l.meets, x)
				}
			}
		}
		slices.Sort(l.waits)
		labels[k] = c.label(l)
	}
	return labels
}

// conditionOf returns the condition of a set of fair rules that an instance is in.
func (c *conditions) conditionOf(set int, ch model.Choice) uint32 {
	if !c.sets[set].ByElement {
		return c.number(evidence.Condition{Kind: evidence.Fires, Index: set}, nil)
	}
	return c.number(evidence.Condition{Kind: evidence.Fires, Index: set, Values: c.p.Named(c.cur, ch)}, c.p.NamedTypes(ch.Rule))
}

// enabled adds the conditions that an instance which can fire could meet.
func (c *conditions) enabled(ch model.Choice, can, could []uint32) (_, _ []uint32) {
	if len(c.sets) == 0 {
		return can, could
	}
	for _, u := range c.entries[instanceKey(ch)] {
		switch {
		case u.also:
		case c.sets[u.set].Strong:
			could = append(could, c.conditionOf(u.set, ch))
		default:
			can = append(can, c.conditionOf(u.set, ch))
		}
	}
	return can, could
}

// fires returns which conditions an instance meets, as a number of fired.
func (c *conditions) fires(ch model.Choice) uint32 {
	var met []uint32
	if len(c.sets) > 0 && ch.Rule >= 0 {
		for _, u := range c.entries[instanceKey(ch)] {
			met = append(met, c.conditionOf(u.set, ch))
		}
	}
	if k := slices.IndexFunc(c.fired, func(f []uint32) bool { return slices.Equal(f, met) }); k >= 0 {
		return uint32(k)
	}
	c.fired = append(c.fired, met)
	return uint32(len(c.fired) - 1)
}

// waiting returns the conditions on states of the model that wait in the one that is expanded.
func (c *conditions) waiting() (all []uint32) {
	for _, prop := range c.often {
		types := lists.Map(prop.Params, func(p *model.Param) *model.Type { return p.Var.Type })
		for _, values := range model.InstancesOf(prop.Params) {
			if ok, v := c.m.Holds(c.cur, prop.Index, values); v == nil && !ok {
				all = append(all, c.number(evidence.Condition{Kind: evidence.Holds, Index: prop.Index, Values: values}, types))
			}
		}
	}
	slices.Sort(all)
	return all
}

// FairBlocks returns the blocks whose permutations map fairness to itself, and whether these are all.
func FairBlocks(p *model.Program, blocks [][][]int) (out [][][]int, all bool) {
	c := newConditions(p, 0)
	if p.Model.FairByParts() {
		return nil, len(p.Model.Exchanges(blocks)) == 0
	}
	out, all = make([][][]int, len(blocks)), true
	for class, of := range blocks {
		for _, block := range of {
			own := make([][][]int, class+1)
			own[class] = [][]int{block}
			if !slices.ContainsFunc(p.Model.Exchanges(own), func(perm model.ScalarPerm) bool { return !c.moves(perm) }) {
				out[class] = append(out[class], block)
			} else {
				all = false
			}
		}
	}
	return out, all
}
