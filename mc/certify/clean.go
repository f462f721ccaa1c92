package certify

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks a clean-up (ts.Clean), before proofs about the cleaned system
// count as proofs about the netlist: each run of the netlist is, without what was left
// out, a run of the cleaned system that violates the same bads in the same frames.
// That is so if the facts, that latches are constant or equal, are an inductive
// invariant of the netlist, and if under them
//
//   - resets and next functions of what is left are those of the netlist,
//   - the constraints of the netlist imply those that are left,
//   - the bads of the properties imply what is left of them.
//
// All this is one proof for the checker of proofs: of a system that is the netlist
// with a bad for each of these differences. Functions that have one normal form where
// facts are put in for latches need no question.

// cleanUp checks the clean-up of a problem, once, and that properties were not left
// out.
func (c *Checker) cleanUp(props []int) error {
	if c.p.Cleaned == nil {
		return nil
	}
	for _, q := range props {
		if !slices.Contains(c.p.Props, q) {
			return fmt.Errorf("the clean-up is not for %q", c.p.Name(q))
		}
	}
	if c.cleaned {
		return nil
	}
	differences, facts, err := cleanUpDifferences(c.p)
	if err != nil {
		return fmt.Errorf("the clean-up is wrong: %w", err)
	}
	if len(differences.Bads) == 0 { // the facts are to be proved all the same
		differences.Bads = []ts.Bad{{Name: "none", Lit: aig.False}}
	}
	k := c.For(&mc.Problem{Netlist: differences, WellFormed: true, Full: true, Props: []int{0}})
	_, err = k.Check(&evidence.Proof{K: 1, Clauses: facts}, 0)
	c.queries += k.queries
	if err != nil {
		return c.reason("the clean-up is wrong: %w", err)
	}
	c.cleaned = true
	return nil
}

// cleanUpDifferences returns the netlist with what must not happen as bads of
// property 0, and the facts as clauses over its latches. The initial inputs are there
// twice: once more as inputs, for differences between resets.
func cleanUpDifferences(p *mc.Problem) (*ts.System, []ts.Clause, error) {
	src, cl := p.Netlist, p.Cleaned
	if cl.Source != src {
		return nil, nil, fmt.Errorf("it is one of another netlist")
	}
	type pair struct {
		what    string
		was, is aig.Lit
		equal   bool // to be equal; else one implies the other
	}
	var pairs []pair
	g := aig.NewPlain()
	out := &ts.System{G: g, W: aig.True, Latches: slices.Clone(src.Latches), Inputs: slices.Clone(src.Inputs), Init: slices.Clone(src.Init)}
	own := aig.NewCopier(g, src.G)     // the netlist
	facts := aig.NewCopier(g, src.G)   // with facts put in, and initial inputs as inputs
	left := aig.NewCopier(g, cl.Sys.G) // the cleaned system
	number := make(map[int]int)        // of latches, by node of src
	leaf := make([]aig.Lit, len(src.Latches))
	for i, l := range src.Latches {
		leaf[i] = g.Input()
		number[l.Node] = i
		own.Set(l.Node, leaf[i])
		out.Latches[i].Node = leaf[i].Node()
	}
	for i, in := range src.Inputs {
		x := g.Input()
		own.Set(in.Node, x)
		facts.Set(in.Node, x)
		out.Inputs[i].Node = x.Node()
	}
	for i, in := range src.Init {
		z, x := g.Input(), g.Input()
		own.Set(in.Node, z)
		facts.Set(in.Node, x)
		out.Init[i].Node = z.Node()
		out.Inputs = append(out.Inputs, ts.Signal{Name: in.Name, Node: x.Node()})
	}

	// The facts, and which latch of the netlist each one that is left is.
	var clauses []ts.Clause
	standsFor := make(map[int]int) // by node of the cleaned system
	for i, l := range src.Latches {
		same := cl.Equal(i)
		switch j, latch := number[same.Node()]; {
		case same.Node() == 0:
			facts.Set(l.Node, same)
			x := ts.MkLit(i, false)
			if same == aig.False {
				x |= 1
			}
			clauses = append(clauses, ts.Clause{x})
		case !latch:
			return nil, nil, fmt.Errorf("latch %s equals none", l.Name)
		case j == i && same.Neg():
			return nil, nil, fmt.Errorf("latch %s is its complement", l.Name)
		case j == i:
			facts.Set(l.Node, leaf[i])
			if at, ok := cl.Latch(i); ok && !at.Neg() {
				standsFor[at.Node()] = i
			}
		default:
			facts.Set(l.Node, leaf[j].NotIf(same.Neg()))
			x, y := ts.MkLit(i, false), ts.MkLit(j, false)
			if same.Neg() {
				y |= 1
			}
			clauses = append(clauses, ts.Clause{x, y ^ 1}, ts.Clause{x ^ 1, y})
		}
	}
	for _, l := range cl.Sys.Latches {
		i, ok := standsFor[l.Node]
		if !ok {
			return nil, nil, fmt.Errorf("latch %s is new", l.Name)
		}
		left.Set(l.Node, leaf[i])
	}
	if len(cl.Inputs) != len(cl.Sys.Inputs) || len(cl.Init) != len(cl.Sys.Init) || len(cl.Bads) != len(cl.Sys.Bads) {
		return nil, nil, fmt.Errorf("inputs or bads are new")
	}
	for k, i := range cl.Inputs {
		left.Set(cl.Sys.Inputs[k].Node, own.Copy(src.InputLit(i)))
	}
	for k, i := range cl.Init {
		left.Set(cl.Sys.Init[k].Node, facts.Copy(src.InitLit(i)))
	}

	for i, l := range src.Latches {
		out.Latches[i].Reset, out.Latches[i].Next = own.Copy(l.Reset), own.Copy(l.Next)
	}
	for _, l := range src.Constraints {
		out.Constraints = append(out.Constraints, own.Copy(l))
	}
	for _, l := range cl.Sys.Latches {
		was := src.Latches[standsFor[l.Node]]
		pairs = append(pairs, pair{"reset of " + l.Name, facts.Copy(was.Reset), left.Copy(l.Reset), true},
			pair{"next of " + l.Name, facts.Copy(was.Next), left.Copy(l.Next), true})
	}
	was := make([]aig.Lit, len(src.Constraints))
	for i, l := range src.Constraints {
		was[i] = facts.Copy(l)
	}
	for _, l := range cl.Sys.Constraints {
		is := left.Copy(l)
		from := aig.True // where all hold; the same one, if there is one
		if slices.Contains(was, is) {
			from = is
		}
		pairs = append(pairs, pair{"constraints", from, is, false})
	}
	for _, prop := range p.Props {
		for _, b := range p.Sources(prop) {
			k := slices.Index(cl.Bads, b)
			if k < 0 {
				return nil, nil, fmt.Errorf("bad %d is left out", b)
			}
			was, is := src.Bads[b], cl.Sys.Bads[k]
			if was.Prop != is.Prop || was.Delay != is.Delay {
				return nil, nil, fmt.Errorf("bad %d is another one", b)
			}
			pairs = append(pairs, pair{"bad " + was.Name, facts.Copy(was.Lit), left.Copy(is.Lit), false})
		}
	}

	// Those that are not the same by their normal forms.
	var roots []aig.Lit
	for _, x := range pairs {
		roots = append(roots, x.was, x.is)
	}
	forms := newForms(g, roots, g.Len()).view(func(node int) int32 { return 2 * int32(node) })
	for _, x := range pairs {
		if forms.form(x.was) == forms.form(x.is) {
			continue
		}
		l := g.And(x.was, x.is.Not())
		if x.equal {
			l = g.Xor(x.was, x.is)
		}
		out.Bads = append(out.Bads, ts.Bad{Name: x.what, Lit: l})
	}
	return out, clauses, nil
}
