package model

// Rule instances have numbers, so that sets of them can be rows of bits.

// Rules with more than mostInstances instances have no numbers, and there are at most
// mostNumbers of these.
const (
	mostInstances = 1 << 12
	mostNumbers   = 1 << 16
)

// Instances returns the number of the first instance of a rule, and how many there are. The
// others follow in the order of Machine.Successors: the last parameter changes first. It
// returns 0, 0 if the rule has no instance or too many.
func (p *Program) Instances(rule int) (first, n int) {
	if p.first[rule] < 0 {
		return 0, 0
	}
	return p.first[rule], p.rules[rule].instances()
}

// AllInstances returns how many rule instances have a number.
func (p *Program) AllInstances() int { return p.numbers }

// Instance stores the values of the parameters of the i-th instance of a rule.
func (p *Program) Instance(rule, i int, params []int64) { p.rules[rule].instance(i, params) }

// InstanceOf returns the number of the instance of a rule that has numbers with these
// parameters, if there is one.
func (p *Program) InstanceOf(rule int, params []int64) (number int, ok bool) {
	i, ok := p.rules[rule].index(params)
	return p.first[rule] + i, ok
}

// number numbers the instances.
func (p *Program) number() {
	for k := range p.rules {
		p.first = append(p.first, -1)
		count := uint64(1)
		for _, s := range p.rules[k].params {
			if count *= s.n; count > mostInstances {
				break
			}
		}
		if count <= mostInstances && p.numbers+int(count) <= mostNumbers {
			p.first[k] = p.numbers
			p.numbers += int(count)
		}
	}
}

// instances returns how many instances the unit has, which is not too many.
func (u *unit) instances() int {
	n := 1
	for _, s := range u.params {
		n *= int(s.n)
	}
	return n
}

// index returns the number of the instance with these parameters in its unit, if there is one.
func (u *unit) index(params []int64) (i int, ok bool) {
	for k, s := range u.params {
		at, ok := s.index(params[k])
		if !ok {
			return 0, false
		}
		i = i*int(s.n) + int(at)
	}
	return i, true
}

// instance stores the values of the parameters of instance i.
func (u *unit) instance(i int, values []int64) {
	for k := len(u.params) - 1; k >= 0; k-- {
		s := u.params[k]
		values[k] = s.at(uint64(i) % s.n)
		i /= int(s.n)
	}
}
