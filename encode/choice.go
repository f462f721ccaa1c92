package encode

import (
	"fmt"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// choices are the inputs that choose a rule instance, or a start state: a binary code of the
// rule, and slots for the ruleset parameters. All rules share the slots.
// The j-th parameter of a one-hot type uses the j-th one-hot slot of that type.
// The j-th parameter of any other domain with n values uses the j-th binary slot
// of size n, which codes the position in the domain. A choice is invalid if a
// code is beyond the last rule or value, or if a one-hot slot does not have
// exactly one bit, that of a value of the domain. If rules are named, the code has one bit for each rule, of
// which exactly one is set; permutations of rules then permute inputs.
type choices struct {
	arith
	rules []*model.Rule
	sig   func(int) aig.Lit
	sel   []int // signal numbers of the rule code
	named bool
	one   aig.Lit // named: exactly one bit of the code is set
	slots []slot
	use   [][]int     // by rule and parameter: slot, or -1 when the domain has one value
	value [][][]int64 // by rule and parameter: the values of the domain
}

type slot struct {
	first, n int         // signal numbers first..first+n-1
	t        *model.Type // of a one-hot slot, nil for a binary one
	one      aig.Lit     // one-hot: exactly one bit is set
}

// hot returns the signal of a value of a one-hot slot. A domain may leave values of the type out,
// or go through them in another order.
func (s slot) hot(v int64) int { return s.first + int(v-s.t.Lo) }

func newChoices(a arith, rules []*model.Rule, named bool, newSignal func(name string) int, sig func(int) aig.Lit) *choices {
	c := &choices{arith: a, rules: rules, sig: sig, named: named && len(rules) > 1}
	n := bits.Len(uint(max(len(rules), 1) - 1))
	if c.named {
		n = len(rules)
	}
	var ls []aig.Lit
	for i := range n {
		c.sel = append(c.sel, newSignal(fmt.Sprintf("rule.%d", i)))
		ls = append(ls, sig(c.sel[i]))
	}
	if c.named {
		c.one = a.g.And(a.g.OrN(ls), atMostOne(a.g, ls))
	}
	type key struct {
		t         *model.Type
		size, nth int
	}
	known := make(map[key]int)
	for _, r := range rules {
		nth := make(map[key]int)
		use := make([]int, len(r.Params))
		values := make([][]int64, len(r.Params))
		for j, p := range r.Params {
			values[j] = p.Domain.Values()
			use[j] = -1
			k := key{size: len(values[j])}
			name := fmt.Sprintf("choice%d", k.size)
			if t := p.Var.Type; isHot(t) {
				k.t, k.size, name = t, int(t.Card()), t.String()
			}
			if k.size <= 1 && k.t == nil {
				continue
			}
			nth[k]++
			at := k
			at.nth = nth[k]
			i := lists.Number(known, at)
			if i == len(c.slots) {
				c.slots = append(c.slots, c.newSlot(at.t, at.size, fmt.Sprintf("%s.%d", name, at.nth), newSignal))
			}
			use[j] = i
		}
		c.use = append(c.use, use)
		c.value = append(c.value, values)
	}
	return c
}

func (c *choices) newSlot(t *model.Type, size int, name string, newSignal func(name string) int) slot {
	s := slot{t: t, n: size}
	if t == nil {
		s.n = bits.Len(uint(size - 1))
	}
	var ls []aig.Lit
	for b := range s.n {
		id := 0
		if t != nil {
			id = newSignal(name + "=" + t.Format(t.Lo+int64(b)))
		} else {
			id = newSignal(fmt.Sprintf("%s.%d", name, b))
		}
		if b == 0 {
			s.first = id
		}
		ls = append(ls, c.sig(id))
	}
	if t != nil {
		s.one = c.g.And(c.g.OrN(ls), atMostOne(c.g, ls))
	}
	return s
}

// coded returns the one-hot choices that would be in binary if no type were Alike and no rule had
// an input of its own, each with the literal of Sys that exactly one of its inputs is set.
func (c *choices) coded(copier *aig.Copier) (groups []ts.Choice) {
	add := func(inputs []int, one aig.Lit) {
		groups = append(groups, ts.Choice{Inputs: inputs, One: copier.Copy(one)})
	}
	if c.named {
		add(c.sel, c.one)
	}
	for _, s := range c.slots {
		if s.t == nil || abstract(s.t) {
			continue
		}
		add(lists.Make(s.n, func(i int) int { return s.first + i }), s.one)
	}
	return groups
}

// rule returns the condition that the code is that of rule r.
func (c *choices) rule(r int) aig.Lit {
	if c.named {
		return c.g.And(c.sig(c.sel[r]), c.one)
	}
	conds := make([]aig.Lit, 0, len(c.sel))
	for i, s := range c.sel {
		conds = append(conds, c.sig(s).NotIf(r>>i&1 == 0))
	}
	return c.g.AndN(conds)
}

// code returns bit i of the code of rule r.
func (c *choices) code(r, i int) bool {
	if c.named {
		return r == i
	}
	return r>>i&1 == 1
}

// size returns the number of instances of rule r.
func (c *choices) size(r int) int {
	n := 1
	for _, domain := range c.value[r] {
		n *= len(domain)
	}
	return n
}

// fixed returns the condition that an instance is chosen, and gives its
// parameters their values.
func (c *choices) fixed(bound map[*model.Var]value, r int, params []int64) aig.Lit {
	conds := []aig.Lit{c.rule(r)}
	for j, u := range c.use[r] {
		v := c.rules[r].Params[j].Var
		bound[v] = constantOf(v, params[j])
		if u < 0 {
			continue
		}
		if s := c.slots[u]; s.t != nil {
			conds = append(conds, s.one)
		}
		c.param(r, j, params[j], func(signal int, on bool) { conds = append(conds, c.sig(signal).NotIf(!on)) })
	}
	return c.g.AndN(conds)
}

// param calls f with the signals that say that a parameter of a rule has a value: all of a binary slot, and the one
// of a one-hot slot that is set.
func (c *choices) param(r, j int, v int64, f func(signal int, on bool)) {
	at := slices.Index(c.value[r][j], v)
	if c.use[r][j] < 0 || at < 0 {
		return
	}
	s := c.slots[c.use[r][j]]
	if s.t != nil {
		f(s.hot(v), true)
		return
	}
	for b := range s.n {
		f(s.first+b, at>>b&1 == 1)
	}
}

// symbolic returns the condition that rule r is chosen with valid parameters,
// which get the values that the inputs choose. It is False when a domain is
// empty.
func (c *choices) symbolic(bound map[*model.Var]value, r int) aig.Lit {
	conds := []aig.Lit{c.rule(r)}
	for j, u := range c.use[r] {
		domain, v := c.value[r][j], c.rules[r].Params[j].Var
		switch {
		case len(domain) == 0:
			return aig.False
		case u < 0:
			bound[v] = constantOf(v, domain[0])
			continue
		}
		s := c.slots[u]
		code := lists.Make(s.n, func(b int) aig.Lit { return c.sig(s.first + b) })
		if s.t != nil {
			bound[v] = hotValue(s.t, aig.True, code)
			conds = append(conds, s.one)
			if len(domain) < s.n {
				some := lists.Map(domain, func(w int64) aig.Lit { return c.sig(s.hot(w)) })
				conds = append(conds, c.g.OrN(some))
			}
			continue
		}
		position := value{def: aig.True, bits: code, lo: 0, hi: int64(1)<<s.n - 1}
		conds = append(conds, c.less(position, constant(int64(len(domain)))))
		position.hi = int64(len(domain)) - 1
		first, last := domain[0], domain[len(domain)-1]
		checkBounds(v.Pos, v.Name, min(first, last), max(first, last))
		bound[v] = c.pick(position, domain)
	}
	return c.g.AndN(conds)
}

// pick returns domain[position]; domains are arithmetic progressions.
func (c *choices) pick(position value, domain []int64) value {
	first, last, step := domain[0], domain[len(domain)-1], domain[1]-domain[0]
	if step != 1 {
		position = c.mul(position, constant(step), min(0, last-first), max(0, last-first))
	}
	return shift(position, first)
}

// encode sets the signals of a choice; unused slots get a fixed valid content.
func (c *choices) encode(ch model.Choice, set []bool) {
	clear(set)
	for i, s := range c.sel {
		set[s] = c.code(ch.Rule, i)
	}
	for j, v := range ch.Params {
		c.param(ch.Rule, j, v, func(signal int, on bool) { set[signal] = on })
	}
}

// decode returns the choice the signals name; ok is false for an invalid one.
func (c *choices) decode(set []bool) (ch model.Choice, ok bool) {
	hit := 0
	for i, s := range c.sel {
		switch {
		case !set[s]:
		case c.named:
			ch.Rule = i
			hit++
		default:
			ch.Rule |= 1 << i
		}
	}
	if ch.Rule >= len(c.rules) || c.named && hit != 1 {
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
				if s.t != nil {
					at = b
				} else {
					at |= 1 << b
				}
				hits++
			}
			if s.t != nil {
				if hits != 1 {
					return ch, false
				}
				at = slices.Index(domain, s.t.Lo+int64(at))
			}
		}
		if at < 0 || at >= len(domain) {
			return ch, false
		}
		ch.Params[j] = domain[at]
	}
	return ch, true
}

// permute fills image, over the signals, for a permutation of the values of hot
// types.
func (c *choices) permute(image []ts.Lit, to func(t *model.Type, v int) int) {
	for _, s := range c.slots {
		if s.t == nil {
			continue
		}
		for k := range s.n {
			image[s.first+k] = ts.MkLit(s.first+to(s.t, k+int(s.t.Lo))-int(s.t.Lo), false)
		}
	}
}

// rename fills image for a permutation of the rules. It fails if that does not permute
// signals.
func (c *choices) rename(image []ts.Lit, to []int) error {
	for r, q := range to {
		if !slices.Equal(c.use[r], c.use[q]) || r != q && !c.named {
			return fmt.Errorf("rules %d and %d have different parameters, or codes", r, q)
		}
		for j := range c.value[r] {
			if !slices.Equal(c.value[r][j], c.value[q][j]) {
				return fmt.Errorf("the parameters of rules %d and %d have different values", r, q)
			}
		}
		if c.named {
			image[c.sel[r]] = ts.MkLit(c.sel[q], false)
		}
	}
	return nil
}

// Choosing returns what the leaves of Sys.G that code a rule (of a start state,
// if start) have for rule number r: inputs (initial inputs), by node. No
// permutation of components moves them.
func (e *Encoding) Choosing(start bool, r int) map[int]bool {
	c, signals := e.steps, e.Sys.Inputs
	if start {
		c, signals = e.starts, e.Sys.Init
	}
	code := make(map[int]bool)
	for i, s := range c.sel {
		code[signals[s].Node] = c.code(r, i)
	}
	return code
}
