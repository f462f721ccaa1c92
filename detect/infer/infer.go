// Package infer finds ranges and enums of a model that are used as scalarsets are.
//
// Ip and Dill ("Better verification through symmetry", 1996) ask the author to declare
// scalarsets and to use them in symmetric ways only. Most models declare a range and use
// it symmetrically all the same. Here the uses decide.
//
// A class is a set of uses of values: variables, parameters, fields, elements, index types
// and results. Assignments, comparisons, indices and arguments join two uses. The names of
// types do not separate classes, since all ranges are compatible. A scalarset has no
// constants, no comparisons by order, no arithmetic, and no range that contains only some of
// its values. Where a class has these, they cut it into cells of values that may still be
// interchangeable, or leave a ring that may be rotated.
//
// This is no proof and need not be one: what is found is verified. Properties join
// classes but do not cut them, since each property has a group of its own.
//
//	infer.go  classes, and the copy of the model that has them
//	uses.go   the pass over the model that joins uses
//	joint.go  values of several classes that are renamed together
//	cells.go  the subgroup that remains possible, and the uses that limit it
package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"orbitmc/detect"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Classes finds the ranges and enums of m that are used as scalarsets are. It returns a copy
// of m in which they are classes beside the declared ones, and the permutations to try. The
// copy has the semantics of m; only its encoding differs. It is m itself if there are no
// permutations to try.
func Classes(m *model.Model) (*model.Model, *Result) { return find(m, false, maxAlike) }

// Partial is Classes for symmetry that some rules break: constants, comparisons by order and
// sums are no limits. Values are told apart only by the ranges that contain them. Where the model
// computes with values, those that may be exchanged are listed as rings, too.
func Partial(m *model.Model) (*model.Model, *Result) { return find(m, true, maxPartial) }

// Large is Classes for classes of up to so many values, where permutations of them need not be
// tried one by one.
func Large(m *model.Model, most int) (*model.Model, *Result) { return find(m, false, most) }

func find(m *model.Model, partial bool, most int) (*model.Model, *Result) {
	a := &grouping{m: m, nodes: make(map[model.Use]*node)}
	a.model()
	inf := &Result{}
	typ := make(map[model.Use]*model.Type)
	var classes []*model.Type
	done := make(map[*node]bool)
	if !partial && most == maxAlike {
		for _, c := range a.joint() {
			inf.Classes, classes = append(inf.Classes, c.Class), append(classes, c.Type)
			c.retype(typ)
			for n := range c.tables {
				done[n] = true
			}
		}
	}
	for _, n := range a.classes() {
		if done[n] {
			continue
		}
		c := n.class(m, len(m.Scalarsets)+len(classes), partial, most)
		if c == nil {
			continue
		}
		inf.Classes = append(inf.Classes, c.Class)
		if c.Type != nil {
			classes = append(classes, c.Type)
			c.retype(typ)
		}
	}
	if len(classes) == 0 {
		return m, inf
	}
	return model.Retype(m, classes, typ), inf
}

// Result is what Classes found.
type Result struct {
	// Classes are those whose values are indices, or which something ranges over, in
	// the order of their types.
	Classes []Class
}

// Class is a class of values of ranges, or of an enum.
type Class struct {
	Name string
	Type *model.Type // that of the class in Scalarsets of the copy; nil if there is nothing to try

	// Values are those that may be interchangeable: sets of at least two numbers of
	// the class, ascending. Rings are those that may be rotated.
	Values, Rings [][]int

	// Limits say what keeps other values from being so, with positions, as in
	// "`p < 4` at 14:22 splits Proc into 1..3 and 4..5".
	Limits []string
}

// Of returns what was inferred of a class.
func (re *Result) Of(t *model.Type) (c Class, ok bool) {
	if re == nil {
		return c, false
	}
	at := slices.IndexFunc(re.Classes, func(c Class) bool { return c.Type == t })
	if at < 0 {
		return c, false
	}
	return re.Classes[at], true
}

// Rings lists the rings of all classes, with all their rotations.
func (re *Result) Rings() (rings []model.Ring) {
	for _, c := range re.Classes {
		for _, values := range c.Rings {
			if c.Type != nil {
				rings = append(rings, model.Ring{Class: c.Type.Class, Values: values, Step: 1})
			}
		}
	}
	return rings
}

// Generators returns how many transpositions and rotations there are to try.
func (re *Result) Generators() int {
	n := 0
	if re != nil {
		for _, c := range re.Classes {
			for _, values := range c.Values {
				n += len(values) - 1
			}
			n += len(c.Rings)
		}
	}
	return n
}

// Found reports whether the group of a report moves any of the inferred classes. If
// it does not, the model as it was has the better encoding.
func (re *Result) Found(m *model.Model, r *detect.Report) bool {
	alike := func(class int) bool { return class >= 0 && m.Scalarsets[class].Alike }
	for _, b := range r.System.Blocks {
		if alike(b.Class) {
			return true
		}
	}
	for _, g := range r.System.Groups {
		if alike(g.Class) {
			return true
		}
	}
	return false
}

// span is a range of values that a use may have, all others being errors.
type span struct{ lo, hi int64 }

type use struct {
	model.Use
	t    *model.Type // its range
	pos  model.Pos
	name string
	soft bool // it occurs in properties only
}

// fact is a use that is none of a scalarset.
type fact struct {
	kind  factKind
	value int64 // of a constant; of a cut the least value above it
	pos   model.Pos
	text  string
	start bool // it is in a start state
}

type factKind uint8

const (
	constant factKind = iota // a value by itself
	cut                      // values below and above
	sum                      // addition, subtraction, remainder
	order                    // all else that knows numbers
	handed                   // a constant that is handed over, see model.Tie
	computed                 // another number is computed from it, see link
)

// link says that value v of x and value times·v + plus of y belong together.
type link struct {
	x, y        *node
	times, plus int64
}

// node is a class, or part of one that was joined with others.
type node struct {
	parent   *node
	first    int         // its number, from 0
	enum     *model.Type // all other uses are of numbers
	uses     []use
	facts    []fact
	iterated bool // it is an index type, or something ranges over it
	moved    bool // it has uses in states, or in the parameters of rules
}

func (n *node) root() *node {
	for n.parent != nil {
		if n.parent.parent != nil {
			n.parent = n.parent.parent
		}
		n = n.parent
	}
	return n
}

// classes returns the roots in the order in which the types that they have are
// declared, then in that of their first uses.
func (gr *grouping) classes() []*node {
	var roots []*node
	declared := make(map[*node]int)
	for _, n := range gr.all {
		if n.parent != nil {
			continue
		}
		roots = append(roots, n)
		declared[n] = len(gr.m.Types)
		for _, u := range n.uses {
			at := slices.IndexFunc(gr.m.Types, func(t *model.Type) bool { return t.Name == u.t.Name })
			if at >= 0 {
				declared[n] = min(declared[n], at)
			}
		}
	}
	slices.SortFunc(roots, func(m, n *node) int {
		return cmp.Or(cmp.Compare(declared[m], declared[n]), cmp.Compare(m.first, n.first))
	})
	return roots
}

// candidate class with the uses that get its types.
type candidate struct {
	Class
	node *node
	base int64 // the value that is number 0

	// Of several classes of uses, see joint.go: the elements that their values stand for, and types of uses.
	nodes  []*node
	tables map[*node][]model.Elem
	types  map[model.Use]*model.Type
}

// maxAlike is the most values that an inferred class may have.
const maxAlike = 64

// maxPartial is the same for symmetry that some rules break: fewer permutations are tried.
const maxPartial = 128

// class returns what can be said of a class that would be number class of the model;
// nil if its values are no indices and nothing ranges over them, or if no state and
// no rule instance mentions them.
func (n *node) class(m *model.Model, class int, partial bool, most int) *candidate {
	lo, hi, ok := n.hull()
	if !n.iterated || !n.moved || !ok || hi == lo || hi-lo < 0 {
		return nil
	}
	c := &candidate{node: n, base: lo}
	c.Name = n.name(m, lo, hi)
	if hi-lo >= int64(most) {
		c.Limits = []string{fmt.Sprintf("%s has more than %d values: its symmetries are not looked for", c.Name, most)}
		return c
	}
	if partial {
		c.limitRanges(lo, hi)
		c.Values = c.cells(lo, hi, c.inside)
		if slices.ContainsFunc(n.facts, func(f fact) bool { return f.kind == sum }) {
			for _, cell := range c.Values {
				if last := len(cell) - 1; last > 1 && cell[last]-cell[0] == last {
					c.Rings = append(c.Rings, cell)
				}
			}
		}
	} else {
		c.divide(lo, hi)
	}
	if len(c.Values)+len(c.Rings) == 0 {
		return c
	}
	size, top := n.sizedBy(lo, hi)
	if size == "" && slices.ContainsFunc(n.uses, func(u use) bool { return u.t.Top != model.Size{} }) {
		return nil // how many values it has depends on a constant that was left open
	}
	c.Type = &model.Type{Kind: model.Range, Name: c.Name, Lo: lo, Hi: hi, First: lo, Class: class, Alike: true, SizedBy: size, Top: top, Leaves: 1}
	if n.enum != nil {
		t := *n.enum
		t.Class, t.Alike = class, true
		c.Type = &t
	}
	return c
}

// hull returns the least and the greatest value.
func (n *node) hull() (lo, hi int64, ok bool) {
	for _, u := range n.uses {
		switch {
		case u.soft:
		case !ok:
			lo, hi, ok = u.t.Lo, u.t.Hi, true
		default:
			lo, hi = min(lo, u.t.Lo), max(hi, u.t.Hi)
		}
	}
	return lo, hi, ok
}

// name returns the name of the first type with the most values in the class.
func (n *node) name(m *model.Model, lo, hi int64) string {
	if n.enum != nil {
		return n.enum.String()
	}
	best, size := fmt.Sprintf("%d..%d", lo, hi), int64(0)
	for _, t := range m.Types {
		used := slices.ContainsFunc(n.uses, func(u use) bool { return u.t.Name == t.Name })
		if used && t.Kind == model.Range && t.Card() > size {
			best, size = t.Name, t.Card()
		}
	}
	return best
}

// sizedBy returns the constant that is the size of all types of the class, if there is one.
func (n *node) sizedBy(lo, hi int64) (size string, top model.Size) {
	for _, u := range n.uses {
		if u.t.SizedBy != n.uses[0].t.SizedBy || u.t.Lo != lo || u.t.Hi != hi {
			return "", top
		}
	}
	return n.uses[0].t.SizedBy, n.uses[0].t.Top
}

// retype adds the types of the uses of c to typ. What occurs in properties only and
// has values that c may move to others that it has not keeps its type.
func (c *candidate) retype(typ map[model.Use]*model.Type) {
	if c.types != nil {
		maps.Copy(typ, c.types)
		return
	}
	if c.node.enum != nil {
		typ[model.Use{Type: c.node.enum}] = c.Type
		return
	}
	types := map[span]*model.Type{{c.Type.Lo, c.Type.Hi}: c.Type}
	for _, u := range c.node.uses {
		s := span{u.t.Lo, u.t.Hi}
		if u.soft && !c.closed(s) {
			continue
		}
		typ[u.Use] = lists.Memo(types, s, func(span) *model.Type {
			t := *u.t
			t.Alike, t.Class, t.First = true, c.Type.Class, c.base
			return &t
		})
	}
}

// closed reports whether s is a union of sets that c permutes.
func (c *candidate) closed(s span) bool {
	if s.lo < c.Type.Lo || s.hi > c.Type.Hi {
		return false
	}
	for _, set := range slices.Concat(c.Values, c.Rings) {
		in := 0
		for _, w := range set {
			if v := c.base + int64(w); s.lo <= v && v <= s.hi {
				in++
			}
		}
		if in != 0 && in != len(set) {
			return false
		}
	}
	return true
}
