package encode

import (
	"fmt"
	"math/bits"

	"orbitmc/aig"
	"orbitmc/model"
)

// choices are the inputs that name a rule instance (or a start state): a
// binary code of the rule and, shared by all rules, slots for the ruleset
// parameters. The j-th parameter of scalarset class c uses the j-th one-hot
// slot of that class; the j-th parameter of any other domain with n values the
// j-th binary slot of size n, which codes the position in the domain. Codes
// beyond the last rule or value, and one-hot slots without exactly one bit,
// make the choice invalid.
type choices struct {
	rules []*model.Rule
	sel   []int // signal numbers of the rule code
	slots []slot
	use   [][]int     // by rule and parameter: slot, or -1 when the domain has one value
	value [][][]int64 // by rule and parameter: the values of the domain
}

type slot struct {
	first, n int // signal numbers first..first+n-1
	class    int // scalarset class of a one-hot slot, -1 for a binary one
}

func newChoices(m *model.Model, rules []*model.Rule, newSignal func(name string) int) *choices {
	c := &choices{rules: rules}
	for i := range bits.Len(uint(max(len(rules), 1) - 1)) {
		c.sel = append(c.sel, newSignal(fmt.Sprintf("rule.%d", i)))
	}
	type key struct{ class, size, nth int }
	known := make(map[key]int)
	for _, r := range rules {
		nth := make(map[key]int)
		use := make([]int, len(r.Params))
		values := make([][]int64, len(r.Params))
		for j, p := range r.Params {
			values[j] = p.Domain.Values()
			use[j] = -1
			k := key{class: -1, size: len(values[j])}
			name := fmt.Sprintf("choice%d", k.size)
			if t := p.Var.Type; t.Kind == model.Scalarset {
				k.class, name = t.Class, t.String()
			}
			if k.size <= 1 && k.class < 0 {
				continue
			}
			nth[k]++
			at := k
			at.nth = nth[k]
			i, ok := known[at]
			if !ok {
				i = len(c.slots)
				known[at] = i
				s := slot{class: k.class, n: k.size}
				if k.class < 0 {
					s.n = bits.Len(uint(k.size - 1))
				}
				for b := range s.n {
					sig := ""
					if k.class >= 0 {
						sig = fmt.Sprintf("%s.%d=%s", name, at.nth, m.Scalarsets[k.class].Format(int64(b)))
					} else {
						sig = fmt.Sprintf("%s.%d.%d", name, at.nth, b)
					}
					id := newSignal(sig)
					if b == 0 {
						s.first = id
					}
				}
				c.slots = append(c.slots, s)
			}
			use[j] = i
		}
		c.use = append(c.use, use)
		c.value = append(c.value, values)
	}
	return c
}

// selected returns the condition that rule r is chosen with valid parameters,
// which it binds in x. It is False when a domain is empty.
func (c *choices) selected(x *exec, r int, sig func(int) aig.Lit) aig.Lit {
	conds := make([]aig.Lit, 0, len(c.sel))
	for i, s := range c.sel {
		conds = append(conds, sig(s).NotIf(r>>i&1 == 0))
	}
	for j, u := range c.use[r] {
		domain, v := c.value[r][j], c.rules[r].Params[j].Var
		switch {
		case len(domain) == 0:
			return aig.False
		case u < 0:
			x.bound[v] = constantOf(v, domain[0])
			continue
		}
		s := c.slots[u]
		code := make([]aig.Lit, s.n)
		for b := range code {
			code[b] = sig(s.first + b)
		}
		if s.class >= 0 {
			x.bound[v] = value{def: aig.True, hot: code}
			conds = append(conds, x.g.OrN(code))
			for b := range code {
				for a := range b {
					conds = append(conds, x.g.And(code[a], code[b]).Not())
				}
			}
			continue
		}
		position := value{def: aig.True, bits: code, lo: 0, hi: int64(1)<<s.n - 1}
		conds = append(conds, x.less(position, constant(int64(len(domain)))))
		position.hi = int64(len(domain)) - 1
		first, last := domain[0], domain[len(domain)-1]
		checkBounds(v.Pos, v.Name, min(first, last), max(first, last))
		x.bound[v] = x.pick(position, domain)
	}
	return x.g.AndN(conds)
}

// pick returns domain[position]; domains are arithmetic progressions.
func (x *exec) pick(position value, domain []int64) value {
	first, last, step := domain[0], domain[len(domain)-1], domain[1]-domain[0]
	if step != 1 {
		position = x.mul(position, constant(step), min(0, last-first), max(0, last-first))
	}
	return shift(position, first)
}

// encode sets the signals of a choice; unused slots get a fixed valid content.
func (c *choices) encode(ch model.Choice, set []bool) {
	clear(set)
	for i, s := range c.sel {
		set[s] = ch.Rule>>i&1 == 1
	}
	for j, u := range c.use[ch.Rule] {
		if u < 0 {
			continue
		}
		s := c.slots[u]
		for k, v := range c.value[ch.Rule][j] {
			if v != ch.Params[j] {
				continue
			}
			if s.class >= 0 {
				set[s.first+k] = true
				continue
			}
			for b := range s.n {
				set[s.first+b] = k>>b&1 == 1
			}
		}
	}
}

// decode returns the choice the signals name; ok is false for an invalid one.
func (c *choices) decode(set []bool) (ch model.Choice, ok bool) {
	for i, s := range c.sel {
		if set[s] {
			ch.Rule |= 1 << i
		}
	}
	if ch.Rule >= len(c.rules) {
		return ch, false
	}
	ch.Params = make([]int64, len(c.use[ch.Rule]))
	for j, u := range c.use[ch.Rule] {
		domain := c.value[ch.Rule][j]
		at, hits := 0, 0
		if u >= 0 {
			s := c.slots[u]
			for b := range s.n {
				if !set[s.first+b] {
					continue
				}
				if s.class >= 0 {
					at = b
				} else {
					at |= 1 << b
				}
				hits++
			}
			if s.class >= 0 && hits != 1 {
				return ch, false
			}
		}
		if at >= len(domain) {
			return ch, false
		}
		ch.Params[j] = domain[at]
	}
	return ch, true
}

// permute fills image, over the signals, for the transposition of elements i
// and j of scalarset class.
func (c *choices) permute(image []int32, class, i, j int) {
	for _, s := range c.slots {
		if s.class == class {
			image[s.first+i] = int32(s.first+j) << 1
			image[s.first+j] = int32(s.first+i) << 1
		}
	}
}
