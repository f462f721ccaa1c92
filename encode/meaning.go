package encode

import "orbitmc/model"

// Meaning is what a latch says of a leaf of the model.
type Meaning struct {
	Leaf int // number of the leaf; -1 for a latch that belongs to none

	Defined bool  // the leaf is defined
	Hot     bool  // the leaf has the value Value
	Value   int64 // of the type of the leaf
	Bit     int   // otherwise: bit number Bit of the code of its value
}

// Meanings returns what each latch says.
func (e *Encoding) Meanings() []Meaning {
	list := make([]Meaning, len(e.Sys.Latches))
	for i := range list {
		list[i].Leaf = -1
	}
	for n := range e.Model.AllLeaves() {
		lb := e.leaves[n]
		for k := range lb.n {
			m := Meaning{Leaf: n, Bit: k}
			if lb.hot {
				m = Meaning{Leaf: n, Hot: true, Value: lb.t.Lo + int64(k)}
			}
			list[lb.first+k] = m
		}
		if lb.def >= 0 {
			list[lb.def] = Meaning{Leaf: n, Defined: true}
		}
	}
	return list
}

// Holds reports whether a latch is 1 when its leaf has a value, or is undefined
// (model.Undef).
func (e *Encoding) Holds(m Meaning, value int64) bool {
	switch {
	case value == model.Undef:
		return false
	case m.Defined:
		return true
	case m.Hot:
		return m.Value == value
	}
	return (value-e.leaves[m.Leaf].off)>>m.Bit&1 == 1
}

// MayBeUndefined reports whether a leaf has a code for being undefined.
func (e *Encoding) MayBeUndefined(leaf int) bool {
	lb := e.leaves[leaf]
	return !lb.known || lb.back > 0
}
