package model

import "slices"

// Named returns what tells a rule instance that can fire in a state from others: the values of its parameters and, in
// the place of a slot of a multiset, of the leaves of the element there.
func (p *Program) Named(s State, ch Choice) (values []int64) {
	for i := range p.Model.Rules[ch.Rule].Params {
		if base, stride, ok := p.Chosen(s, ch, i); ok {
			first := base + int(ch.Params[i])*stride
			values = append(values, s[first+1:first+stride]...)
			continue
		}
		values = append(values, ch.Params[i])
	}
	return values
}

// Chosen returns where the multiset is in a state of which a parameter of a rule instance chooses an element.
func (p *Program) Chosen(s State, ch Choice, param int) (base, stride int, ok bool) {
	slots := p.rules[ch.Rule].slots
	if k := slices.IndexFunc(slots, func(x slotInfo) bool { return x.param == param }); k >= 0 {
		base, ok = p.setAt(slots[k], s, ch)
		stride = slots[k].stride
	}
	return base, stride, ok
}

// NamedTypes returns the types of what Named returns for instances of a rule.
func (p *Program) NamedTypes(rule int) (types []*Type) {
	for i, q := range p.Model.Rules[rule].Params {
		if slices.ContainsFunc(p.rules[rule].slots, func(x slotInfo) bool { return x.param == i }) {
			for _, l := range p.Model.ElementOf(q.Var.Type).Unfolded() {
				types = append(types, l.Type)
			}
			continue
		}
		types = append(types, q.Var.Type)
	}
	return types
}

// ElementOf returns the type of the elements of the multisets whose slots have a type.
func (m *Model) ElementOf(slots *Type) *Type {
	for _, v := range m.Vars {
		for t := range v.Type.All() {
			if t.Kind == Multiset && t.Index == slots {
				return t.Elem
			}
		}
	}
	return nil
}
