package ts

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// This file writes choices in binary.
//
// A choice sets exactly one of some inputs. In this form a permutation of what can be chosen permutes
// inputs. Where that does not matter, a binary code is better: fewer inputs, none of whose values is
// invalid, so a solver takes fewer conflicts (docs/decisions.md).
//
// The code of a choice among n inputs is a path from the root of a binary tree with n leaves. Depths of
// leaves differ by one at most, so the code has ⌈log₂ n⌉ bits, and whatever their values, they lead to one leaf.
// In the coded system each input is the condition that the code leads to its leaf, and the condition that
// exactly one input is set is true. So a step of the coded system is a step of the old one with
// exactly one input of each choice set, and each of these has a code. Functions of latches alone stay what they are.

// Choice is a group of at least one input of a system, of which steps that matter set exactly one.
type Choice struct {
	Inputs []int   // their numbers in System.Inputs
	One    aig.Lit // exactly one of them is set
}

// Coded is a system whose choices have binary codes. Latches and initial inputs are those of the old
// system, by number.
type Coded struct {
	*System
	copier  *aig.Copier
	from    *System
	choices []Choice
	code    [][]int // by choice: its bits in System.Inputs
	kept    []int   // by input of the old system: its number in System.Inputs, -1 if a choice has it
}

// NewCoded returns s with a code in place of each choice. No two choices have an input in common.
func NewCoded(s *System, choices []Choice) *Coded {
	c := &Coded{System: &System{G: aig.New()}, from: s, choices: choices, kept: make([]int, len(s.Inputs))}
	c.copier = aig.NewCopier(c.G, s.G)
	c.Latches = lists.Map(s.Latches, func(x Latch) Latch { return Latch{Name: x.Name, Node: c.leaf(x.Node).Node()} })
	c.Init = lists.Map(s.Init, func(x Signal) Signal { return Signal{x.Name, c.leaf(x.Node).Node()} })
	for _, x := range choices {
		for _, i := range x.Inputs {
			c.kept[i] = -1
		}
	}
	for i, x := range s.Inputs {
		if c.kept[i] == 0 {
			c.kept[i] = len(c.Inputs)
			c.Inputs = append(c.Inputs, Signal{x.Name, c.leaf(x.Node).Node()})
		}
	}
	for _, x := range choices {
		c.encode(x)
	}
	c.fill(s, c.copier, s.Bads)
	return c
}

// leaf returns a new leaf that stands for one of the old system.
func (c *Coded) leaf(node int) aig.Lit {
	l := c.G.Input()
	c.copier.Set(node, l)
	return l
}

// encode adds the inputs of a code.
func (c *Coded) encode(x Choice) {
	n := len(x.Inputs)
	var bits []aig.Lit
	var code []int
	for size := 1; size < n; size *= 2 {
		l := c.G.Input()
		bits, code = append(bits, l), append(code, len(c.Inputs))
		c.Inputs = append(c.Inputs, Signal{"code of " + c.from.Inputs[x.Inputs[0]].Name, l.Node()})
	}
	c.code = append(c.code, code)
	for i, in := range x.Inputs {
		var conds []aig.Lit
		for d, right := range pathTo(i, n) {
			conds = append(conds, bits[d].NotIf(!right))
		}
		c.copier.Set(c.from.Inputs[in].Node, c.G.AndN(conds))
	}
	if n > 1 {
		c.copier.Set(x.One.Node(), aig.True.NotIf(x.One.Neg()))
	}
}

// pathTo returns where the path to leaf i of n turns right.
func pathTo(i, n int) (path []bool) {
	for n > 1 {
		left := (n + 1) / 2
		right := i >= left
		if path = append(path, right); right {
			i, n = i-left, n-left
		} else {
			n = left
		}
	}
	return path
}

// leadsTo reports whether the code of choice k leads to leaf i.
func (c *Coded) leadsTo(k, i int, in []bool) bool {
	for d, right := range pathTo(i, len(c.choices[k].Inputs)) {
		if in[c.code[k][d]] != right {
			return false
		}
	}
	return true
}

// Copy returns a function of the old system as one of the coded system.
func (c *Coded) Copy(l aig.Lit) aig.Lit { return c.copier.Copy(l) }

// Keeps reports whether a symmetry of the old system takes the inputs of each choice to those of a choice. Then it
// takes runs with exactly one input of each choice set to such runs.
func (c *Coded) Keeps(y *Symmetry) bool {
	of := make([]int, len(c.kept)) // by input of the old system: its choice, from 1
	for k, x := range c.choices {
		for _, i := range x.Inputs {
			of[i] = k + 1
		}
	}
	for _, p := range y.Generators() {
		for k, x := range c.choices {
			to := of[p.Input[x.Inputs[0]].Index()]
			for _, i := range x.Inputs {
				if l := p.Input[i]; l.Neg() || to == 0 || of[l.Index()] != to || len(c.choices[to-1].Inputs) != len(c.choices[k].Inputs) {
					return false
				}
			}
		}
	}
	return true
}

// Decode returns a trace of the coded system as one of the old system, with the same states.
func (c *Coded) Decode(t *Trace) *Trace {
	out := &Trace{Init: slices.Clone(t.Init)}
	for _, in := range t.Inputs {
		old := lists.Map(c.kept, func(k int) bool { return k >= 0 && in[k] })
		for k, x := range c.choices {
			for i, number := range x.Inputs {
				old[number] = c.leadsTo(k, i, in)
			}
		}
		out.Inputs = append(out.Inputs, old)
	}
	return out
}
