package model

import "math/big"

// What tests see of the compiled interpreter. They are in a package of their own, as they use the
// reference interpreter, which imports this one.

// Warm is how many calls a machine makes before it uses bits.
const Warm = warm

// UseBits has a machine use bits from the next call on.
func (m *Machine) UseBits() { m.calls = warm - 1 }

// UseBitsOf has a machine use bits, those of conjuncts that may err, too, if all is true.
func (m *Machine) UseBitsOf(all bool) {
	sure := (*certain).holds
	if all {
		sure = func(*certain, Expr) bool { return true }
	}
	m.enabler, m.calls = m.p.makeMatrix(sure).enabler(m.p.n), warm
}

// CountBits counts what has bits.
func (m *Machine) CountBits(count map[string]int) {
	x := m.enabler
	if x == nil {
		return
	}
	for k := range m.p.Model.Rules {
		count["conjuncts with bits"] += len(x.all[k]) - len(x.rest[k])
		count["conjuncts without bits"] += len(x.rest[k])
	}
	for _, es := range x.leaves {
		count["leaves with bits"] += min(1, len(es))
	}
}

// Of returns the model of a machine.
func (m *Machine) Of() *Model { return m.p.Model }

// Float returns a value as a number.
func (t *Type) Float(v int64) float64 { return t.float(v) }

// Mantissas returns how many values there are of one exponent.
func (t *Type) Mantissas() int64 { return t.mantissas() }

// Ratio returns a value as a fraction.
func (t *Type) Ratio(v int64) *big.Rat { return t.ratio(v) }
