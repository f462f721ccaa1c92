package encode

import (
	"orbitmc/aig"
	"orbitmc/model"
)

// This file converts between unions, which are one-hot over all their values,
// and the types they are made of.

// hotOf returns the number v, of type t, as a one-hot value of type to, a union;
// where it is none of its values no bit is set.
func (a arith) hotOf(v value, t, to *model.Type) []aig.Lit {
	var out []aig.Lit
	done := make(map[int64]bool) // parts may overlap: the first counts
	for _, p := range to.Parts {
		fits := p == t || p.Numeric() && t.Numeric()
		for k := p.Lo; k <= p.Hi; k++ {
			l := aig.False
			if fits && !done[k] {
				done[k] = true
				l = a.g.And(v.def, a.is(v, k))
			}
			out = append(out, l)
		}
	}
	return out
}

// shared calls f for every value i of the one-hot type from that is the value j
// of type to, both counted from 0.
func shared(from, to *model.Type, f func(i, j int)) {
	i := 0
	for _, p := range from.Alternatives() {
		for k := p.Lo; k <= p.Hi; k++ {
			j := 0
			for _, q := range to.Alternatives() {
				if p == q || p.Numeric() && q.Numeric() && q.Lo <= k && k <= q.Hi {
					f(i, j+int(k-q.Lo))
					break
				}
				j += int(q.Card())
			}
			i++
		}
	}
}

// convert turns v, of type from, into the same value of type to; that there is
// none is a run-time error.
func (ex *exec) convert(v value, from, to *model.Type) value {
	switch {
	case from == to:
		return v
	case from.Numeric() && to.Numeric():
		if to.Kind != model.Integer {
			ex.runtime(ex.g.And(v.def, ex.outside(v, to.Lo, to.Hi)))
		}
		return v
	case v.hot == nil:
		out := ex.hotOf(v, from, to)
		ex.runtime(ex.g.And(v.def, ex.g.OrN(out).Not()))
		return hotValue(to, v.def, out)
	}
	out := hotConstant(0, int(to.Card())).hot
	out[0] = aig.False
	here := make([]bool, len(v.hot))
	shared(from, to, func(i, j int) { out[j], here[i] = v.hot[i], true })
	var foreign []aig.Lit
	for i, l := range v.hot {
		if !here[i] {
			foreign = append(foreign, l)
		}
	}
	ex.runtime(ex.g.OrN(foreign))
	if isHot(to) {
		return hotValue(to, v.def, out)
	}
	return ex.arith.binary(hotValue(to, v.def, out))
}

// isMember returns the condition that the defined v, of type from, belongs to
// part.
func (ex *exec) isMember(v value, from, part *model.Type) aig.Lit {
	if v.hot == nil {
		switch {
		case from == part:
			return aig.True
		case from.Numeric() && part.Numeric():
			return ex.outside(v, part.Lo, part.Hi).Not()
		}
		return aig.False
	}
	var ls []aig.Lit
	shared(from, part, func(i, _ int) { ls = append(ls, v.hot[i]) })
	return ex.g.OrN(ls)
}
