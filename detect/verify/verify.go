package verify

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file decides whether a permutation is an automorphism of a system.
//
// Every function f is copied twice into one graph, once as it is and once with its leaves
// permuted. The copiers bring circuits of n-ary gates into a normal form. A symmetry that
// only reorders operands then gives equal literals, without any search, and after the first
// permutation the graph does not grow. A Decider decides the pairs that differ.
//
// For a predicate one inclusion would suffice, since a permutation of a finite set that maps
// a subset into itself maps it onto itself. Equality is checked all the same.

// Part is a sort of function.
type Part uint8

// The sorts of functions. Resets and W must be equal everywhere, the others where W
// holds.
const (
	WellFormed Part = iota // W itself
	Reset
	Next
	Constraint // the conjunction of all
	Bad
	Condition // of an instance of a property
)

// Difference is a pair of functions that should be equal and have different
// literals.
type Difference struct {
	Part      Part
	Index     int     // latch of reset and next, bad, property of an instance; else 0
	Want, Got aig.Lit // f, and its image pulled back: literals of a graph of the Verifier
}

// Verifier compares one system with its images. It is not safe for concurrent use.
type Verifier struct {
	sys   *ts.System
	g     *aig.Graph // normal forms
	plain leaves     // leaves of g
	same  *aig.Copier
	moved *aig.Copier
	cone  []bool // by node of the system: it depends on a leaf that is moved
}

// leaves are literals for the leaves of a system, see ts.System.Leaves.
type leaves [3][]aig.Lit

// bind gives the leaves of sys their images in a copier.
func (l leaves) bind(c *aig.Copier, sys *ts.System) {
	for k, part := range sys.Leaves() {
		for i, x := range part {
			c.Set(x.Node, l[k][i])
		}
	}
}

// New returns a Verifier for sys. conditions are the literals of sys, beside its own
// functions, that Compare will compare.
func New(sys *ts.System, conditions []aig.Lit) *Verifier {
	g := aig.New()
	roots := append(sys.Roots(), conditions...)
	v := &Verifier{
		sys: sys, g: g,
		same: aig.NewNaryCopier(g, sys.G, roots), moved: aig.NewNaryCopier(g, sys.G, roots),
	}
	for k, part := range sys.Leaves() {
		v.plain[k] = lists.Map(part, func(ts.Signal) aig.Lit { return g.Input() })
	}
	v.plain.bind(v.same, sys)
	return v
}

// Compare returns the pairs of functions that p should keep and that are not equal
// by structure: those of the system, and those of the properties. These are the bads
// and, by property, pairs of the condition of an instance and of the one it is mapped
// to. p must be a permutation of the right sizes.
func (v *Verifier) Compare(p *ts.Perm, instances map[int][][2]aig.Lit) (system, props []Difference) {
	return v.CompareTo(p, nil, instances)
}

// CompareTo is Compare where p should take bad i to bad to[i]; nil: to itself.
func (v *Verifier) CompareTo(p *ts.Perm, to []int, instances map[int][][2]aig.Lit) (system, props []Difference) {
	var image leaves
	for k, part := range p.Parts() {
		image[k] = ts.ApplyLits(part, v.plain[k])
	}
	v.moved.Reset()
	image.bind(v.moved, v.sys)
	v.mark(p)
	v.moved.Share(v.same, v.cone)
	compare := func(ds []Difference, part Part, index int, want, got aig.Lit) []Difference {
		if want != got {
			ds = append(ds, Difference{part, index, want, got})
		}
		return ds
	}
	system = compare(system, WellFormed, 0, v.same.Copy(v.sys.W), v.moved.Copy(v.sys.W))
	for i, l := range v.sys.Latches {
		to, neg := v.sys.Latches[p.Latch[i]>>1], p.Latch[i]&1 == 1
		system = compare(system, Reset, i, v.same.Copy(l.Reset), v.moved.Copy(to.Reset).NotIf(neg))
		system = compare(system, Next, i, v.same.Copy(l.Next), v.moved.Copy(to.Next).NotIf(neg))
	}
	want := make([]aig.Lit, len(v.sys.Constraints))
	got := make([]aig.Lit, len(v.sys.Constraints))
	for i, c := range v.sys.Constraints {
		want[i], got[i] = v.same.Copy(c), v.moved.Copy(c)
	}
	system = compare(system, Constraint, 0, v.g.AndN(want), v.g.AndN(got))
	for i, b := range v.sys.Bads {
		image := b
		if to != nil {
			image = v.sys.Bads[to[i]]
		}
		props = compare(props, Bad, i, v.same.Copy(b.Lit), v.moved.Copy(image.Lit))
	}
	for _, prop := range slices.Sorted(maps.Keys(instances)) {
		for _, pair := range instances[prop] {
			props = compare(props, Condition, prop, v.same.Copy(pair[0]), v.moved.Copy(pair[1]))
		}
	}
	return system, props
}

// mark finds the functions that depend on a leaf which p moves or negates. Most
// permutations of large netlists move little.
func (v *Verifier) mark(p *ts.Perm) {
	v.cone = slices.Grow(v.cone[:0], v.sys.G.Len())[:v.sys.G.Len()]
	clear(v.cone)
	for k, part := range v.sys.Leaves() {
		for i, x := range part {
			v.cone[x.Node] = p.Parts()[k][i] != ts.MkLit(i, false)
		}
	}
	for node := range v.cone {
		if v.sys.G.IsAnd(node) {
			a, b := v.sys.G.Fanins(node)
			v.cone[node] = v.cone[a.Node()] || v.cone[b.Node()]
		}
	}
}

// Steps returns what the last comparison cost, in steps of package pace.
func (v *Verifier) Steps() int {
	return lists.Count(v.cone, func(m bool) bool { return m })*stepsPerNode + len(v.cone)/64
}

// Name describes the function of a difference.
func (v *Verifier) Name(d Difference) string {
	switch d.Part {
	case Reset:
		return "reset of " + v.sys.Latches[d.Index].Name
	case Next:
		return "next of " + v.sys.Latches[d.Index].Name
	case Constraint:
		return "constraints"
	case Bad:
		return fmt.Sprintf("bad %q", v.sys.Bads[d.Index].Name)
	case Condition:
		return "an instance of the property"
	}
	return "well-formedness"
}
