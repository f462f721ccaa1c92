package certify

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks a clean-up (ts.Clean). A proof about the cleaned-up system counts as a
// proof about the netlist only after this check. The claim is: if the removed latches and
// inputs are left out of a run of the netlist, a run of the cleaned-up system remains, and
// it violates the same bads in the same frames.
//
// A clean-up relies on facts: latches that are constant or equal. The claim is true if the
// facts are an inductive invariant of the netlist, and if under these facts
//
//   - resets and next functions of the remaining latches are those of the netlist,
//   - the constraints of the netlist imply the remaining constraints,
//   - each bad of the properties implies its counterpart in the cleaned-up system.
//
// Latches that are stuck (stuck.go) are constants of the netlist, whether or not that is inductive.
//
// The check makes all this one proof, about the netlist with one more bad for each possible
// difference. A pair of functions needs no query if both have the same normal form once the
// facts are substituted.

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
	k := c.For(&mc.Problem{OfNetlist: mc.OfNetlist{Netlist: differences}, WellFormed: true, Full: true, Props: []int{0}})
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
	if p.Cleaned.Source != p.Netlist {
		return nil, nil, fmt.Errorf("it is one of another netlist")
	}
	x := newCleanUp(p)
	if err := x.substitute(); err != nil {
		return nil, nil, err
	}
	if err := x.identify(); err != nil {
		return nil, nil, err
	}
	x.copyNetlist()
	x.compareSteps()
	x.compareConstraints()
	if err := x.compareBads(); err != nil {
		return nil, nil, err
	}
	x.differ()
	return x.out, x.clauses, nil
}

// cleanUp holds a netlist and the cleaned-up system in one graph.
type cleanUp struct {
	p   *mc.Problem
	out *ts.System // the netlist, in that graph

	leaf   []aig.Lit   // by latch of the netlist
	number map[int]int // of latches, by node of the netlist
	own    *aig.Copier // copies functions of the netlist
	facts  *aig.Copier // the same with facts put in, and initial inputs as inputs
	left   *aig.Copier // copies functions of the cleaned system

	stuck     []may       // by latch of the netlist, see stuckAt
	clauses   []ts.Clause // the facts about latches that are not stuck
	standsFor map[int]int // by node of a latch of the cleaned system: the latch that it is
	pairs     []pair
}

// pair is a function of the netlist under the facts, and its counterpart after the clean-up.
type pair struct {
	what    string
	was, is aig.Lit
	equal   bool // to be equal; else one implies the other
}

// newCleanUp makes the leaves.
func newCleanUp(p *mc.Problem) *cleanUp {
	src, g := p.Netlist, aig.NewPlain()
	x := &cleanUp{
		p:      p,
		out:    &ts.System{G: g, W: aig.True, Latches: slices.Clone(src.Latches), Inputs: slices.Clone(src.Inputs), Init: slices.Clone(src.Init)},
		leaf:   make([]aig.Lit, len(src.Latches)),
		number: make(map[int]int),
		own:    aig.NewCopier(g, src.G), facts: aig.NewCopier(g, src.G), left: aig.NewCopier(g, p.Cleaned.Sys.G),
		standsFor: make(map[int]int),
		stuck:     stuckAt(src, min(stuckSteps, stuckNodes/src.G.Len())),
	}
	for i, l := range src.Latches {
		x.leaf[i] = g.Input()
		x.number[l.Node] = i
		if x.isStuck(i) {
			x.own.Set(l.Node, p.Cleaned.Equal(i))
		} else {
			x.own.Set(l.Node, x.leaf[i])
		}
		x.out.Latches[i].Node = x.leaf[i].Node()
	}
	for i, in := range src.Inputs {
		l := g.Input()
		x.own.Set(in.Node, l)
		x.facts.Set(in.Node, l)
		x.out.Inputs[i].Node = l.Node()
	}
	for i, in := range src.Init {
		z, l := g.Input(), g.Input()
		x.own.Set(in.Node, z)
		x.facts.Set(in.Node, l)
		x.out.Init[i].Node = z.Node()
		x.out.Inputs = append(x.out.Inputs, ts.Signal{Name: in.Name, Node: l.Node()})
	}
	return x
}

// isStuck reports whether the clean-up takes a latch for a constant that it is shown to be stuck at.
func (cu *cleanUp) isStuck(i int) bool {
	same := cu.p.Cleaned.Equal(i)
	return same == aig.False && cu.stuck[i] == mayBe0 || same == aig.True && cu.stuck[i] == mayBe1
}

// substitute puts the facts in for latches, and lists them as clauses.
func (cu *cleanUp) substitute() error {
	cl := cu.p.Cleaned
	for i, l := range cu.p.Netlist.Latches {
		same := cl.Equal(i)
		switch j, latch := cu.number[same.Node()]; {
		case cu.isStuck(i):
			cu.facts.Set(l.Node, same) // and in the netlist, see newCleanUp
		case same.Node() == 0:
			cu.facts.Set(l.Node, same)
			c := ts.MkLit(i, false)
			if same == aig.False {
				c |= 1
			}
			cu.clauses = append(cu.clauses, ts.Clause{c})
		case !latch:
			return fmt.Errorf("latch %s equals none", l.Name)
		case j == i && same.Neg():
			return fmt.Errorf("latch %s is its complement", l.Name)
		case j == i:
			cu.facts.Set(l.Node, cu.leaf[i])
			if at, ok := cl.Latch(i); ok && !at.Neg() {
				cu.standsFor[at.Node()] = i
			}
		default:
			cu.facts.Set(l.Node, cu.leaf[j].NotIf(same.Neg()))
			a, b := ts.MkLit(i, false), ts.MkLit(j, false)
			if same.Neg() {
				b |= 1
			}
			cu.clauses = append(cu.clauses, ts.Clause{a, b ^ 1}, ts.Clause{a ^ 1, b})
		}
	}
	return nil
}

// identify says which leaf of the netlist each leaf of the cleaned system is.
func (cu *cleanUp) identify() error {
	src, cl := cu.p.Netlist, cu.p.Cleaned
	for _, l := range cl.Sys.Latches {
		i, ok := cu.standsFor[l.Node]
		if !ok {
			return fmt.Errorf("latch %s is new", l.Name)
		}
		cu.left.Set(l.Node, cu.leaf[i])
	}
	if len(cl.Inputs) != len(cl.Sys.Inputs) || len(cl.Init) != len(cl.Sys.Init) || len(cl.Bads) != len(cl.Sys.Bads) {
		return fmt.Errorf("inputs or bads are new")
	}
	for k, i := range cl.Inputs {
		cu.left.Set(cl.Sys.Inputs[k].Node, cu.own.Copy(src.InputLit(i)))
	}
	for k, i := range cl.Init {
		cu.left.Set(cl.Sys.Init[k].Node, cu.facts.Copy(src.InitLit(i)))
	}
	return nil
}

// copyNetlist gives out the steps and constraints of the netlist.
func (cu *cleanUp) copyNetlist() {
	for i, l := range cu.p.Netlist.Latches {
		cu.out.Latches[i].Reset, cu.out.Latches[i].Next = cu.own.Copy(l.Reset), cu.own.Copy(l.Next)
	}
	cu.out.Constraints = lists.Map(cu.p.Netlist.Constraints, cu.own.Copy)
}

// compareSteps pairs the resets and next functions of what is left.
func (cu *cleanUp) compareSteps() {
	for _, l := range cu.p.Cleaned.Sys.Latches {
		was := cu.p.Netlist.Latches[cu.standsFor[l.Node]]
		cu.pairs = append(cu.pairs, pair{"reset of " + l.Name, cu.facts.Copy(was.Reset), cu.left.Copy(l.Reset), true},
			pair{"next of " + l.Name, cu.facts.Copy(was.Next), cu.left.Copy(l.Next), true})
	}
}

// compareConstraints pairs each constraint that is left with all of the netlist.
func (cu *cleanUp) compareConstraints() {
	was := lists.Map(cu.p.Netlist.Constraints, cu.facts.Copy)
	for _, l := range cu.p.Cleaned.Sys.Constraints {
		is := cu.left.Copy(l)
		from := aig.True // where all hold; the same one, if there is one
		if slices.Contains(was, is) {
			from = is
		}
		cu.pairs = append(cu.pairs, pair{"constraints", from, is, false})
	}
}

// compareBads pairs the bads of the properties.
func (cu *cleanUp) compareBads() error {
	src, cl := cu.p.Netlist, cu.p.Cleaned
	at := make(map[int]int) // by number in the netlist: that in the cleaned system
	for k, b := range slices.Backward(cl.Bads) {
		at[b] = k
	}
	for _, prop := range cu.p.Props {
		for _, b := range cu.p.Sources(prop) {
			k, ok := at[b]
			if !ok {
				return fmt.Errorf("bad %d is left out", b)
			}
			was, is := src.Bads[b], cl.Sys.Bads[k]
			if was.Prop != is.Prop || was.Delay != is.Delay {
				return fmt.Errorf("bad %d is another one", b)
			}
			cu.pairs = append(cu.pairs, pair{"bad " + was.Name, cu.facts.Copy(was.Lit), cu.left.Copy(is.Lit), false})
		}
	}
	return nil
}

// differ makes a bad of each pair that is not the same by its normal forms.
func (cu *cleanUp) differ() {
	g := cu.out.G
	var roots []aig.Lit
	for _, q := range cu.pairs {
		roots = append(roots, q.was, q.is)
	}
	forms := newForms(g, roots, g.Len()).view(func(node int) int32 { return 2 * int32(node) })
	for _, q := range cu.pairs {
		if forms.form(q.was) == forms.form(q.is) {
			continue
		}
		l := g.And(q.was, q.is.Not())
		if q.equal {
			l = g.Xor(q.was, q.is)
		}
		cu.out.Bads = append(cu.out.Bads, ts.Bad{Name: q.what, Lit: l})
	}
}
