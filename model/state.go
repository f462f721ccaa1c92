package model

import (
	"fmt"
	"slices"
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
func (v *Violation) Each() (all []*Violation) {
	if v == nil {
		return nil
	}
	all = append(all, v)
	for _, prop := range v.Also {
		all = append(all, v.Of(prop))
	}
	return all
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
func (m *Model) AllLeaves() []Leaf {
	leaves := make([]Leaf, 0, m.Leaves())
	for _, v := range m.Vars {
		leaves = unfold(leaves, Leaf{Name: v.Name, Type: v.Type, Var: v, Slot: -1}, (*Type).Format)
	}
	return leaves
}

// unfold appends the leaves of a part of the state, which is described by l as if
// it were a leaf, to all those before it; format spells array indices.
func unfold(dst []Leaf, l Leaf, format func(*Type, int64) string) []Leaf {
	t := l.Type
	switch t.Kind {
	case Array, Multiset:
		for i := t.Index.Lo; i <= t.Index.Hi; i++ {
			l.Indices = slices.Clip(l.Indices)
			k := l.index(i, format)
			if t.Kind == Multiset {
				k.Slot = len(dst)
				dst = append(dst, k.presence())
			}
			dst = unfold(dst, k, format)
		}
		return dst
	case Record:
		for i := range t.Fields {
			dst = unfold(dst, l.field(i), format)
		}
		return dst
	}
	return append(dst, l)
}

// index returns an element of the array, or slot of the multiset, l.
func (l Leaf) index(i int64, format func(*Type, int64) string) Leaf {
	t, stride, brackets := l.Type, l.Type.Elem.Leaves, "[]"
	if t.Kind == Multiset {
		stride, brackets = stride+1, "{}"
	}
	l.Indices = append(l.Indices, IndexDim{t.Index, i, stride})
	l.Name += brackets[:1] + format(t.Index, i) + brackets[1:]
	l.Type = t.Elem
	return l
}

// field returns field i of the record l.
func (l Leaf) field(i int) Leaf {
	f := l.Type.Fields[i]
	l.Name += "." + f.Name
	l.Type = f.Type
	return l
}

// presence returns the presence leaf of the slot l.
func (l Leaf) presence() Leaf {
	l.Name = "present(" + l.Name + ")"
	l.Type = PresentType
	return l
}

// Leaf returns the description of leaf i. It walks down the type of one
// variable; use AllLeaves for many.
func (m *Model) Leaf(i int) Leaf {
	for _, v := range m.Vars {
		if i -= v.Type.Leaves; i < 0 {
			return leafOf(v, i+v.Type.Leaves)
		}
	}
	panic("model: leaf number out of range")
}

// LeafName returns the source spelling of leaf i.
func (m *Model) LeafName(i int) string { return m.Leaf(i).Name }

// leafOf returns leaf number i of v.
func leafOf(v *Var, i int) Leaf {
	l := Leaf{Name: v.Name, Type: v.Type, Var: v, Slot: -1}
	at := v.Offset
	for !l.Type.Simple() {
		t := l.Type
		if t.Kind == Record {
			k := len(t.Fields) - 1
			for t.Fields[k].Offset > i || t.Fields[k].Type.Leaves == 0 {
				k--
			}
			i -= t.Fields[k].Offset
			at += t.Fields[k].Offset
			l = l.field(k)
			continue
		}
		stride := t.Elem.Leaves
		if t.Kind == Multiset {
			stride++
		}
		l = l.index(t.Index.Lo+int64(i/stride), (*Type).Format)
		at += i / stride * stride
		i %= stride
		if t.Kind == Multiset {
			l.Slot = at
			if i == 0 {
				return l.presence()
			}
			at, i = at+1, i-1
		}
	}
	return l
}
