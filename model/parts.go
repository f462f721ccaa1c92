package model

// Parts of invariants. An invariant mostly says something of all values of some variables,
// or several things: a part is one of these, for one value of each. A step changes few leaves,
// so few parts need a look behind it.

// Part is a part of an invariant. An invariant holds, and its evaluation is no error, if all
// its parts hold and none errs.
type Part struct {
	Prop   int
	Bit    int    // see AllHold
	Reads  []bool // by leaf: whether it may be read; nil if that may be any
	test   testFn
	slots  []int // frame entries of the variables
	values []int64
}

// mostParts bounds the parts of a property.
const mostParts = 1 << 10

// Parts returns the parts of an invariant, or nil if it is not divided.
func (p *Program) Parts(prop int) []Part {
	q := p.Model.Props[prop]
	if q.Kind != Invariant || !p.pure[prop] || len(p.strict) > 0 {
		return nil
	}
	d := &divider{p: p, prop: prop}
	if d.divide(q.Params, nil, q.Expr); d.tooMany {
		return nil
	}
	return d.parts
}

// divider divides an invariant.
type divider struct {
	p       *Program
	prop    int
	parts   []Part
	tooMany bool
}

// divide divides x, for all values of the names and of what is quantified.
func (d *divider) divide(quantified, names []*Param, x Expr) {
	if len(quantified) > 0 {
		q := quantified[0]
		if _, ok := q.Domain.constSpan(); !ok {
			d.tooMany = true
			return
		}
		d.divide(quantified[1:], append(names[:len(names):len(names)], q), x)
		return
	}
	switch e := x.(type) {
	case *Quant:
		if _, ok := e.Domain.constSpan(); ok && e.All {
			d.divide([]*Param{{Var: e.Var, Domain: e.Domain}}, names, e.Body)
			return
		}
	case *Binary:
		if e.Op == And {
			d.divide(nil, names, e.X)
			d.divide(nil, names, e.Y)
			return
		}
	}
	d.compile(names, x)
}

// compile appends the parts that x is for the values of the names. Its variables take no more
// of the frame than those of the whole property, which comes to an end behind the same procedures.
func (d *divider) compile(names []*Param, x Expr) {
	c := d.p.newCompiler(d.p.own)
	n := 1
	var spans []span
	var slots []int
	for _, q := range names {
		s, _ := q.Domain.constSpan()
		if s.n > mostParts {
			d.tooMany = true
			return
		}
		n *= int(s.n)
		if d.tooMany = n > mostParts; d.tooMany {
			return
		}
		spans, slots = append(spans, s), append(slots, c.bind(q.Var, q.Domain))
	}
	test := c.test(x)
	if d.tooMany = len(d.parts)+n > mostParts || c.next > d.p.frame; d.tooMany {
		return
	}
	u := unit{params: spans}
	for i := range n {
		values := make([]int64, len(names))
		u.instance(i, values)
		known := map[*Var]int64{}
		for k, q := range names {
			known[q.Var] = values[k]
		}
		d.parts = append(d.parts, Part{Prop: d.prop, Reads: d.p.readBy(x, known), test: test, slots: slots, values: values})
	}
}

// AllHold reports whether some of the parts hold in s, which is Scratch, and do not err: those whose
// Bit is set.
func (m *Machine) AllHold(s State, parts []Part, some uint64) (ok bool) {
	f := m.scratch.f
	if len(s) > 0 && &s[0] != &f[0] {
		panic("model: AllHold: not the state of Scratch")
	}
	defer func() {
		f[m.p.frozen] = 0
		if r := recover(); r != nil {
			m.caught(r, f)
			ok = false
		}
	}()
	clear(f[m.p.memoLo:m.p.memoHi])
	f[m.p.frozen] = 1
	for i := range parts {
		q := &parts[i]
		if some>>(q.Bit&63)&1 == 0 {
			continue
		}
		for k, slot := range q.slots {
			f[slot] = q.values[k]
		}
		if !q.test(f) {
			return false
		}
	}
	return true
}
