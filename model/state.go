package model

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
)

// State is a valuation of the leaves of a model: entry i is the value of leaf
// i, or Undef. Leaf numbers follow Model.Vars (Var.Offset is the first leaf of
// a variable), arrays and records unfolded row-major: all leaves of an element
// before those of the next one, all leaves of a field before the next field.
type State []int64

// Choice names a rule instance: the index of the rule in Model.Rules (or of
// the start state in Model.Starts) and the values of its ruleset parameters,
// outermost first.
type Choice struct {
	Rule   int
	Params []int64
}

// Clone returns a copy that shares nothing with c.
func (c Choice) Clone() Choice {
	c.Params = slices.Clone(c.Params)
	return c
}

// Equal reports whether c and d name the same instance.
func (c Choice) Equal(d Choice) bool {
	return c.Rule == d.Rule && slices.Equal(c.Params, d.Params)
}

// Violation says that property Prop (index in Model.Props) is violated: by a
// false invariant, a failed assertion, an error statement or a run-time error.
type Violation struct {
	Prop    int
	Pos     Pos
	Message string
	InGuard bool // raised while a guard was evaluated, not by a body or an invariant

	// Also are the other properties that an error violates: those that it keeps from being evaluated. nil:
	// Prop is not violated by an error in the evaluation of a property.
	Also []int `json:",omitempty"`
}

// Of returns the violation as one of property prop; nil if that is not violated. It may be called on nil.
func (v *Violation) Of(prop int) *Violation {
	if v == nil || v.Prop == prop {
		return v
	}
	i := slices.Index(v.Also, prop)
	if i < 0 {
		return nil
	}
	u := *v
	u.Prop, u.Also = prop, slices.Clone(v.Also)
	u.Also[i] = v.Prop
	return &u
}

// Each returns the violation for each property that is violated, none for nil.
func (v *Violation) Each() []*Violation {
	if v == nil {
		return nil
	}
	return append([]*Violation{v}, lists.Map(v.Also, v.Of)...)
}

func (v *Violation) Error() string { return fmt.Sprintf("%v: %s", v.Pos, v.Message) }

// Leaf describes one leaf of a state.
type Leaf struct {
	Name    string     // source spelling, as in "Cache[NODE_1].State" or "net{0}.src"; "present(net{0})" for a presence leaf
	Type    *Type      // simple
	Var     *Var       // the state variable it is part of
	Indices []IndexDim // the array indices and slots in its name, outermost first
	Slot    int        // number of the presence leaf of the innermost slot that it is in, or is; -1 outside multisets
}

// IndexDim is one array index, or slot of a multiset, in the name of a leaf.
type IndexDim struct {
	Type   *Type // index type of the array, or slot type
	Value  int64 // between Type.Lo and Type.Hi
	Stride int   // leaves from one element of that array to the next
}

// AllLeaves returns the leaves of a state in order.
func (m *Model) AllLeaves() []Leaf { return m.LeavesSpelled((*Type).Format) }

// LeavesSpelled returns the leaves of a state in order; format spells the array indices in their names.
func (m *Model) LeavesSpelled(format func(*Type, int64) string) []Leaf {
	leaves := make([]Leaf, 0, m.Leaves())
	for _, v := range m.Vars {
		leaves = unfold(leaves, Leaf{Name: v.Name, Type: v.Type, Var: v, Slot: -1}, format)
	}
	return leaves
}

// unfold appends the leaves of a part of the state, which is described by l as if
// it were a leaf, to all those before it; format spells array indices.
func unfold(dst []Leaf, l Leaf, format func(*Type, int64) string) []Leaf {
	t := l.Type
	switch t.Kind {
	case Array, Multiset:
		stride, brackets := t.Elem.Leaves, "[]"
		if t.Kind == Multiset {
			stride, brackets = stride+1, "{}"
		}
		for i := t.Index.Lo; i <= t.Index.Hi; i++ {
			k := l
			k.Indices = append(slices.Clip(l.Indices), IndexDim{t.Index, i, stride})
			k.Name += brackets[:1] + format(t.Index, i) + brackets[1:]
			k.Type = t.Elem
			if t.Kind == Multiset {
				k.Slot = len(dst)
				present := k
				present.Name, present.Type = "present("+k.Name+")", PresentType
				dst = append(dst, present)
			}
			dst = unfold(dst, k, format)
		}
		return dst
	case Record:
		for _, f := range t.Fields {
			k := l
			k.Name, k.Type = l.Name+"."+f.Name, f.Type
			dst = unfold(dst, k, format)
		}
		return dst
	}
	return append(dst, l)
}

// Leaf returns the description of leaf i; use AllLeaves for many.
func (m *Model) Leaf(i int) Leaf { return m.AllLeaves()[i] }

// LeafName returns the source spelling of leaf i.
func (m *Model) LeafName(i int) string { return m.Leaf(i).Name }
