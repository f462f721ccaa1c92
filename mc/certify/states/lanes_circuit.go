package states

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file makes the circuit of lanes (lanes.go): for each rule instance the inputs are constant, so
// that only the latches are left which it may change. A leaf of the model becomes latches and back
// by a table of all its values, made from what the encoding says its latches mean; latches that mean
// no value show.

// Leaves with more values, or latches, than this have no table.
const (
	mostLaneValues  = 1 << 12
	mostLaneLatches = 12
)

// mostLaneGates bounds the gates that depend on inputs times the rule instances.
const mostLaneGates = 1 << 30

// laneBuilder makes lanes.
type laneBuilder struct {
	*lanes
	leaves   []model.Leaf
	all      []encode.Meaning   // by latch
	meanings [][]encode.Meaning // by leaf and latch of LeafLatches

	g     *aig.Graph
	ins   []aig.Lit   // the bits of a packed state
	latch []aig.Lit   // latches as functions of these bits
	valid []aig.Lit   // by leaf: its bits are a code
	bads  [][]aig.Lit // by property: what is seen of it in the state, by some instance
	goals map[*model.Property][]aig.Lit
	plans []lanePlan
}

// lanePlan is a rule instance.
type lanePlan struct {
	number  int          // see model.Program.Instances; -1 is none
	changes [][2]aig.Lit // the latches that it may change: the value now and then
	leaves  []laneChange
}

// laneChange is a leaf that a rule instance may change.
type laneChange struct {
	leaf    int
	latches []aig.Lit // then
}

// newLanes returns nil if there are leaves with too many values, or too many rule
// instances for the size of the system.
func newLanes(k *closureCheck, enc *encode.Encoding) *lanes {
	b := &laneBuilder{lanes: &lanes{k: k, enc: enc, bits: 8 * k.packer.Size()}, leaves: k.p.Model.AllLeaves(), all: enc.Meanings()}
	if !b.read() {
		return nil
	}
	b.decode()
	if !b.plan() {
		return nil
	}
	b.circuit()
	return b.lanes
}

// read looks up what the latches of each leaf mean. It returns false if a leaf has too many values.
func (b *laneBuilder) read() bool {
	b.meanings = make([][]encode.Meaning, len(b.leaves))
	for i, leaf := range b.leaves {
		latches := b.enc.LeafLatches(i)
		if leaf.Type.Card() > mostLaneValues {
			return false
		}
		if len(latches) > mostLaneLatches && slices.ContainsFunc(latches, func(n int) bool { return !b.all[n].Hot }) {
			return false
		}
		for _, n := range latches {
			b.meanings[i] = append(b.meanings[i], b.all[n])
		}
	}
	return true
}

// decode makes the latches as functions of packed states.
func (b *laneBuilder) decode() {
	b.g = aig.New()
	b.ins = make([]aig.Lit, b.bits)
	for i := range b.ins {
		b.ins[i] = b.g.Input()
	}
	b.latch = make([]aig.Lit, len(b.enc.Sys.Latches))
	for i := range b.latch {
		b.latch[i] = aig.True // that of started
	}
	for i, leaf := range b.leaves {
		pos, width := b.k.packer.Field(i)
		codes := decoder(b.g, b.ins[pos:pos+width])
		on := make([][]aig.Lit, len(b.meanings[i]))
		var valid []aig.Lit
		for _, v := range leafValues(b.enc, i, leaf.Type) {
			c := codes[b.k.packer.Code(i, v)]
			valid = append(valid, c)
			for j, mean := range b.meanings[i] {
				if b.enc.Holds(mean, v) {
					on[j] = append(on[j], c)
				}
			}
		}
		b.valid = append(b.valid, b.g.OrN(valid))
		for j, n := range b.enc.LeafLatches(i) {
			b.latch[n] = b.g.OrN(on[j])
		}
	}
}

// plan makes the functions of each rule instance, and of the properties. It returns false if
// there are too many instances.
func (b *laneBuilder) plan() bool {
	sys, m := b.enc.Sys, b.k.p.Model
	cof := newCofactor(b.g, sys, b.latch)
	if n := b.k.p.Program.NumInstances(); !n.IsInt64() || n.Int64()*int64(len(cof.ands)) > mostLaneGates || n.Int64() > mostLaneGates {
		return false
	}
	instances := enumerate(m.Rules)
	if instances == nil {
		instances = []model.Choice{{Rule: -1}} // the state is looked at all the same
	}
	b.bads = make([][]aig.Lit, len(m.Props))
	for _, ch := range instances {
		inputs := make([]bool, len(sys.Inputs))
		if ch.Rule >= 0 {
			inputs = b.enc.EncodeChoice(ch)
		}
		cof.choose(inputs)
		for _, bad := range sys.Bads {
			b.bads[bad.Prop] = append(b.bads[bad.Prop], cof.copy(bad.Lit))
		}
		p := lanePlan{number: -1}
		if ch.Rule >= 0 {
			p.number = number(b.k.p.Program, ch)
		}
		next := make(map[int]aig.Lit)
		for i, latch := range sys.Latches {
			n := cof.copy(latch.Next)
			if n == b.latch[i] {
				continue
			}
			next[i] = n
			p.changes = append(p.changes, [2]aig.Lit{b.latch[i], n})
			leaf := b.all[i].Leaf
			if leaf < 0 {
				return false // a started run stays one
			}
			if !slices.ContainsFunc(p.leaves, func(c laneChange) bool { return c.leaf == leaf }) {
				p.leaves = append(p.leaves, laneChange{leaf: leaf})
			}
		}
		if p.changes == nil {
			continue
		}
		for j := range p.leaves {
			for _, n := range b.enc.LeafLatches(p.leaves[j].leaf) {
				to, ok := next[n]
				if !ok {
					to = b.latch[n]
				}
				p.leaves[j].latches = append(p.leaves[j].latches, to)
			}
		}
		b.plans = append(b.plans, p)
	}
	b.goals = make(map[*model.Property][]aig.Lit)
	for prop, insts := range b.enc.Instances {
		q := m.Props[prop]
		for _, inst := range insts {
			b.goals[q] = append(b.goals[q], cof.copy(inst.Holds))
		}
	}
	return true
}

// circuit keeps what all this needs of the graph, as gates.
func (b *laneBuilder) circuit() {
	roots := []aig.Lit{b.g.AndN(b.valid)}
	for _, ls := range b.bads {
		roots = append(roots, b.g.OrN(ls))
	}
	seen := roots
	for _, goals := range b.goals {
		roots = append(roots, goals...)
	}
	for _, p := range b.plans {
		for _, c := range p.changes {
			roots = append(roots, c[0], c[1])
		}
		for _, c := range p.leaves {
			roots = append(roots, c.latches...)
		}
	}
	number := make([]lit, b.g.Len())
	for i, in := range b.ins {
		number[in.Node()] = lit(1+i) << 1
	}
	of := func(x aig.Lit) lit {
		n := number[x.Node()]
		if x.Neg() {
			n ^= 1
		}
		return n
	}
	cone := b.g.Cone(roots)
	slices.Sort(cone)
	for _, n := range cone {
		if b.g.IsAnd(n) {
			x, y := b.g.Fanins(n)
			number[n] = lit(1+b.bits+len(b.gates)) << 1
			b.gates = append(b.gates, gate{of(x), of(y)})
		}
	}
	b.words = make([]uint64, 1+b.bits+len(b.gates))
	b.member = of(seen[0])
	for _, x := range seen[1:] {
		b.shown = append(b.shown, of(x))
	}
	b.holds = make(map[*model.Property][]lit)
	for q, ls := range b.goals {
		for _, x := range ls {
			b.holds[q] = append(b.holds[q], of(x))
		}
	}
	tables := make(map[int][]int64)
	for _, p := range b.plans {
		b.steps = append(b.steps, b.instance(p, tables, of))
	}
}

// instance returns a rule instance with literals of the circuit; tables are by leaf.
func (b *laneBuilder) instance(p lanePlan, tables map[int][]int64, of func(aig.Lit) lit) (step laneStep) {
	step.number = p.number
	for _, c := range p.changes {
		step.changes = append(step.changes, [2]lit{of(c[0]), of(c[1])})
	}
	for _, c := range p.leaves {
		pos, width := b.k.packer.Field(c.leaf)
		leaf := laneLeaf{pos: pos, mask: 1<<width - 1}
		if tables[c.leaf] == nil {
			tables[c.leaf] = leafTable(b.k.packer, b.enc, c.leaf, b.leaves[c.leaf].Type, b.meanings[c.leaf])
		}
		known, constant := 0, true
		for j, x := range c.latches {
			constant = constant && x.Node() == 0
			if x == aig.True {
				known |= 1 << j
			}
			leaf.latch = append(leaf.latch, of(x))
		}
		leaf.table = tables[c.leaf]
		if hot := len(c.latches) > mostLaneLatches; constant && !hot && leaf.table[known] >= 0 {
			leaf.code, leaf.latch = uint64(leaf.table[known]), nil
		}
		step.leaves = append(step.leaves, leaf)
	}
	return step
}

// leafValues lists what a leaf may be.
func leafValues(enc *encode.Encoding, leaf int, t *model.Type) (values []int64) {
	if enc.MayBeUndefined(leaf) {
		values = append(values, model.Undef)
	}
	for v := t.Lo; v <= t.Hi; v++ {
		values = append(values, v)
	}
	return values
}

// leafTable returns the code for each valuation of the latches of a leaf, -1 where
// they mean no value. If they are many they are one-hot, and the table is by the
// number of the latch that is 1, the code of the undefined value in front.
func leafTable(packer *model.Packer, enc *encode.Encoding, leaf int, t *model.Type, latches []encode.Meaning) []int64 {
	hot := len(latches) > mostLaneLatches
	n := 1 << len(latches)
	if hot {
		n = 1 + len(latches)
	}
	table := slices.Repeat([]int64{-1}, n)
	for _, v := range leafValues(enc, leaf, t) {
		at := 0
		for j, mean := range latches {
			if !enc.Holds(mean, v) {
			} else if hot {
				at = 1 + j
			} else {
				at |= 1 << j
			}
		}
		table[at] = int64(packer.Code(leaf, v))
	}
	return table
}

// decoder returns, by code, the condition that the bits are that.
func decoder(g *aig.Graph, bits []aig.Lit) []aig.Lit {
	codes := []aig.Lit{aig.True}
	for i := len(bits) - 1; i >= 0; i-- {
		longer := make([]aig.Lit, 0, 2*len(codes))
		for _, c := range codes {
			longer = append(longer, g.And(c, bits[i].Not()), g.And(c, bits[i]))
		}
		codes = longer
	}
	return codes
}

// cofactor copies functions of a transition system for constant inputs. First it
// finds the gates that are constant then, which are most.
type cofactor struct {
	g      *aig.Graph
	sys    *ts.System
	fixed  []int8    // by node: 0 or 1, or free if that is not constant
	ands   []int     // those that depend on inputs, ascending
	inside []bool    // by node: it depends on inputs
	image  []aig.Lit // by node: the image plus 1
	made   []int     // nodes with an image that depend on inputs
	stack  []int
}

const free = 2

// newCofactor returns a cofactor into g, where the latches are the literals given.
func newCofactor(g *aig.Graph, sys *ts.System, latches []aig.Lit) *cofactor {
	n := sys.G.Len()
	c := &cofactor{g: g, sys: sys, fixed: slices.Repeat([]int8{free}, n), inside: make([]bool, n), image: make([]aig.Lit, n)}
	c.fixed[0], c.image[0] = 0, aig.False+1
	for i, l := range sys.Latches {
		c.image[l.Node] = latches[i] + 1
	}
	for _, in := range sys.Inputs {
		c.inside[in.Node] = true
	}
	for i := range n {
		if sys.G.IsAnd(i) {
			a, b := sys.G.Fanins(i)
			if c.inside[a.Node()] || c.inside[b.Node()] {
				c.inside[i] = true
				c.ands = append(c.ands, i)
			}
		}
	}
	return c
}

// choose sets the inputs.
func (c *cofactor) choose(inputs []bool) {
	for _, n := range c.made {
		c.image[n] = 0
	}
	c.made = c.made[:0]
	for i, in := range c.sys.Inputs {
		c.fixed[in.Node] = 0
		if inputs[i] {
			c.fixed[in.Node] = 1
		}
	}
	value := func(l aig.Lit) int8 {
		if v := c.fixed[l.Node()]; v != free && l.Neg() {
			return 1 - v
		} else {
			return v
		}
	}
	for _, n := range c.ands {
		x, y := c.sys.G.Fanins(n)
		a, b := value(x), value(y)
		switch {
		case a == 0 || b == 0:
			c.fixed[n] = 0
		case a == 1 && b == 1:
			c.fixed[n] = 1
		default:
			c.fixed[n] = free
		}
	}
}

// copy returns the image of root, which does not depend on initial inputs.
func (c *cofactor) copy(root aig.Lit) aig.Lit {
	known := func(l aig.Lit) (aig.Lit, bool) {
		n := l.Node()
		if v := c.fixed[n]; v != free {
			return aig.False.NotIf(v == 1).NotIf(l.Neg()), true
		}
		return (c.image[n] - 1).NotIf(l.Neg()), c.image[n] != 0
	}
	c.stack = append(c.stack[:0], root.Node())
	for len(c.stack) > 0 {
		n := c.stack[len(c.stack)-1]
		if _, ok := known(aig.MkLit(n, false)); ok {
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		x, y := c.sys.G.Fanins(n)
		a, ok := known(x)
		b, too := known(y)
		if !ok {
			c.stack = append(c.stack, x.Node())
		}
		if !too {
			c.stack = append(c.stack, y.Node())
		}
		if ok && too {
			c.image[n] = c.g.And(a, b) + 1
			if c.inside[n] {
				c.made = append(c.made, n)
			}
		}
	}
	l, _ := known(root)
	return l
}
