package litmus

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file makes one model of a protocol and a test. A protocol about one address is there once for each address of the
// test, side by side; that is exact if nothing is shared between addresses. Each core of the test is a core of the protocol,
// any one: they are pointers that a start state chooses, so that the symmetry of the protocol stays. So are the values
// that the test stores. A core has a counter of the instructions that it has performed, and with buffers one of
// the stores that have left its buffer. The rules that perform a load or store are there once more for each of the instructions, which
// they count; stores happen in no other way, and all else of the protocol is free.

// Product is a model of a test and a protocol.
type Product struct {
	Test    *Test
	Text    []byte
	Allowed []Outcome
	// Names of properties: Forbidden, that no other outcome happens; a cover for each of Allowed; a cover for each instruction, by core.
	Forbidden string
	Seen      []string
	Performed [][]string

	from     []model.Pos
	src      []byte
	m        *model.Model
	in       *Mapping
	part     bool // see Parts
	buffered bool
	variant  variant
}

// New makes a product; buffered says that cores have buffers of stores. m is the model that the text src means.
func New(src []byte, m *model.Model, in *Mapping, t *Test, buffered bool) (*Product, error) {
	return build(src, m, in, t, buffered, variant{})
}

// variant leaves out steps, for tests.
type variant struct{ freeStores, noForward, noOrder, anyLoad bool }

func build(src []byte, m *model.Model, in *Mapping, t *Test, buffered bool, v variant) (*Product, error) {
	p := &Product{Test: t, Allowed: t.Outcomes(buffered), src: src, m: m, in: in, buffered: buffered, variant: v, Forbidden: "only outcomes of SC"}
	if buffered {
		p.Forbidden = "only outcomes of TSO"
	}
	return p, p.write()
}

// Parts returns a product for each address, with the loads and stores of the test at that address and one property: that each
// load returns what was stored last. If all properties hold in all of them, those but covers hold in p: what a run of p does
// to one address is a run of its part, so in the order in which loads and stores are performed each load returns what
// was stored last, and that is how SC ends. There are none where addresses share something, and for buffers.
func (p *Product) Parts() (all []*Product, err error) {
	if p.in.Address != "" || p.buffered {
		return nil, nil
	}
	for a, name := range p.Test.Addresses {
		one := &Test{Name: p.Test.Name + " at " + name, Addresses: []string{name}, memory: []string{name}}
		for _, ops := range p.Test.Threads {
			own := []Op{}
			for _, o := range ops {
				if o.Address == a && !p.idle(o) { // a fence that is a step is one at the only address, see fits
					o.Address = 0
					own = append(own, o)
				}
			}
			one.Threads = append(one.Threads, own)
		}
		q := &Product{Test: one, src: p.src, m: p.m, in: p.in, part: true, variant: p.variant}
		if err := q.write(); err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

// write writes the text.
func (p *Product) write() error {
	src, m, in, t, buffered := p.src, p.m, p.in, p.Test, p.buffered
	if err := p.fits(src, m); err != nil {
		return err
	}
	c := murphi.Copies{All: t.Addresses, Removed: append(stores(in), in.Without...), StartPos: in.pos["initial"]}
	if p.variant.freeStores {
		c.Removed = nil
	}
	if in.Address == "" {
		c.Type, c.Index = "Litmus_Address", "Litmus_a"
		c.Before = "type Litmus_Address : enum {" + lists.Join(t.Addresses, ", ", func(a string) string { return murphi.Mark + a }) + "};\n"
	}
	p.declare(&c)
	for n := range t.Threads {
		p.tie(&c, n, buffered)
	}
	p.properties(&c, buffered)
	var err error
	p.Text, p.from, err = murphi.Copy(m.File, src, m.Dialect, c)
	return p.explain(err)
}

// fits checks that the model has the types of the mapping, and large enough ones.
func (p *Product) fits(src []byte, m *model.Model) error {
	in := p.in
	names := lists.Map(m.Types, func(t *model.Type) string { return t.Name })
	for _, x := range []struct {
		word, name, what string
		need             int
	}{
		{"core", in.Core, "cores", len(p.Test.Threads)},
		{"value", in.Value, "values", int(p.Test.Values()) + 1},
		{"address", in.Address, "addresses", len(p.Test.Addresses)},
	} {
		if x.name == "" {
			continue
		}
		i := slices.IndexFunc(m.Types, func(t *model.Type) bool { return t.Name == x.name && t.Simple() })
		if i < 0 {
			return in.fail(in.pos[x.word], "the model has no simple type %s%s", x.name, front.DidYouMean(x.name, names))
		}
		if t := m.Types[i]; t.Card() < int64(x.need) {
			by := ""
			if c := murphi.SizeConst(m.File, src, m.Dialect, x.name); c != "" {
				by = fmt.Sprintf(": -D %s=%d", c, x.need)
			}
			return in.fail(in.pos[x.word], "%s has %d %s, the test needs %d%s", x.name, t.Card(), x.what, x.need, by)
		}
	}
	for _, a := range p.Test.Addresses {
		if clashing.MatchString(a) {
			return fmt.Errorf("%s: choose another name for the address %s: the model of the test has %s%s itself", p.Test.Name, a, murphi.Mark, a)
		}
	}
	fence := func(o Op) bool { return o.Kind == Fence }
	for _, x := range in.Accesses {
		if x.Kind == Fence && len(p.Test.Addresses) > 1 && (x.At != "" || in.Address == "") && slices.ContainsFunc(p.Test.Threads, func(ops []Op) bool { return slices.ContainsFunc(ops, fence) }) {
			return in.fail(x.Pos, "rule %q is a fence for one address, the fences of %s are for %d", x.Rule, p.Test.Name, len(p.Test.Addresses))
		}
	}
	for _, name := range in.Without {
		if !slices.ContainsFunc(m.Rules, func(r *model.Rule) bool { return r.Name == name }) {
			return in.fail(in.pos["without "+name], "there is no rule %q", name)
		}
	}
	for _, r := range m.Rules {
		for _, q := range r.Params {
			if t := q.Var.Type; t.Name == in.Value && uses(r, q.Var) && !slices.Contains(append(stores(in), in.Without...), r.Name) {
				return in.fail(in.pos["value"], "rule %q chooses a %s and is no store of the mapping: it would store what no core does", r.Name, in.Value)
			}
		}
	}
	return nil
}

// uses reports whether a rule reads a variable.
func uses(r *model.Rule, v *model.Var) bool {
	return model.Mentions(r.Guard, v) || model.Mentions(r.Body, v)
}

// clashing are addresses whose names would be those of other variables of a product.
var clashing = regexp.MustCompile(`^(?:(?:v|core|pc|out)\d+|any_.*|P\d+_.*|Address|last|stale)$`)

func stores(in *Mapping) (rules []string) {
	for _, a := range in.Accesses {
		if a.Kind == Store {
			rules = append(rules, a.Rule)
		}
	}
	return rules
}

// declare declares what a product has besides the protocol, and begins with it.
func (p *Product) declare(c *murphi.Copies) {
	t, in := p.Test, p.in
	var vars, params, starts strings.Builder
	// pointer declares so many different constants of a type that each start state chooses.
	pointer := func(typ string, names []string, but string) {
		for i, v := range names {
			fmt.Fprintf(&vars, "  Litmus_%s : %s;\n", v, typ)
			fmt.Fprintf(&params, "$any_%s : %s; ", v, typ)
			fmt.Fprintf(&starts, "$%s := $any_%s; ", v, v)
			for _, w := range append(names[:i:i], but) {
				if w != "" {
					fmt.Fprintf(&starts, "assume $%s != $%s; ", v, w)
				}
			}
		}
	}
	const defined = `if isundefined($v0) then error "the value of an address at first is undefined"; end; ` // of scalarsets; others are an error anyway
	fmt.Fprintf(&vars, "var\n  Litmus_v0 : %s;\n", in.Value)
	if in.Address == "" {
		fmt.Fprintf(&starts, "$v0 := %s; %s", in.Initial, defined)
		c.StartEach = fmt.Sprintf("assume (%s) = $v0;", in.Initial)
	} else {
		pointer(in.Address, t.Addresses, "")
		fmt.Fprintf(&starts, "alias %s : $%s do $v0 := %s; end; %sfor %s : %s do assume (%s) = $v0; end; ",
			in.Index, t.Addresses[0], in.Initial, defined, in.Index, in.Address, in.Initial)
	}
	cores := make([]string, len(t.Threads))
	for n, ops := range t.Threads {
		cores[n] = fmt.Sprint("core", n)
		fmt.Fprintf(&vars, "  Litmus_pc%d : 0..%d;\n  Litmus_out%d : 0..%d;\n", n, p.at(n, len(ops)), n, 2*len(t.stores(n, len(ops))))
		fmt.Fprintf(&starts, "$pc%d := 0; $out%d := 0; ", n, n)
		for _, o := range ops {
			if o.Kind == Load {
				fmt.Fprintf(&vars, "  %s : %s;\n", regVar(n, o.Reg, murphi.Mark), in.Value)
			}
		}
	}
	pointer(in.Core, cores, "")
	var values []string
	for v := range p.Test.Values() {
		values = append(values, fmt.Sprint("v", v+1))
	}
	pointer(in.Value, values, "v0")
	index := c.Type
	if index == "" {
		index = in.Address
	}
	if len(t.memory) > 0 {
		fmt.Fprintf(&vars, "  Litmus_last : array [%s] of %s;\n", index, in.Value)
		fmt.Fprintf(&starts, "for $b : %s do $last[$b] := $v0; end; ", index)
	}
	if p.part {
		vars.WriteString("  Litmus_stale : boolean;\n")
		starts.WriteString("$stale := false; ")
	}
	c.Vars, c.Starts, c.StartParams = vars.String(), starts.String(), strings.TrimSuffix(strings.TrimSpace(params.String()), ";")
}

// regVar is the variable of a register.
func regVar(n int, reg, mark string) string { return fmt.Sprintf("%sP%d_%s", mark, n, reg) }

// idle reports whether an instruction is no step: a fence of a core in order, unless a rule of the protocol is one. It waits for
// nothing, and nobody sees when it happens.
func (p *Product) idle(o Op) bool {
	return o.Kind == Fence && !p.buffered && !slices.ContainsFunc(p.in.Accesses, func(x Access) bool { return x.Kind == Fence })
}

// at is the counter of a core in front of an instruction.
func (p *Product) at(n, i int) int {
	return 2 * lists.Count(p.Test.Threads[n][:i], func(o Op) bool { return !p.idle(o) })
}

// tie ties the instructions of a core to rules.
func (p *Product) tie(c *murphi.Copies, n int, buffered bool) {
	t, in := p.Test, p.in
	for i, o := range t.Threads[n] {
		if p.idle(o) {
			continue
		}
		pc := p.at(n, i)
		ready, done := fmt.Sprintf("$pc%d = %d", n, pc), fmt.Sprintf("$pc%d := %d; ", n, pc+2)
		if p.variant.noOrder && o.Kind == Load {
			ready = fmt.Sprintf("$pc%d <= %d", n, pc)
		}
		before := t.stores(n, i)
		name := fmt.Sprintf("P%d: %s", n, t.text(o))
		free := func(name, guard, run string) {
			c.Ties = append(c.Ties, murphi.Tie{Name: name, Guard: guard, Before: run, At: t.Addresses[o.Address]})
		}
		perform := func(guard, half, run string, data func(x Access) (guard, run string)) {
			for _, x := range in.Accesses {
				if x.Kind != o.Kind {
					continue
				}
				y := murphi.Tie{Rule: x.Rule, Name: name, At: t.Addresses[o.Address], Pos: x.Pos, Bound: []string{x.Core}}
				if x.Rule != "" {
					y.Name += " by " + x.Rule
				}
				at := fmt.Sprintf("%s = $core%d", x.Core, n)
				params := x.Core + " : " + in.Core
				if x.At != "" {
					at += fmt.Sprintf(" & %s = $%s", x.At, t.Addresses[o.Address])
					params += "; " + x.At + " : " + in.Address
					y.Bound = append(y.Bound, x.At)
				}
				more, first := data(x)
				y.Guard, y.Before = at+" & "+guard, first+run
				if x.When != "" {
					y.Guard += " & (" + x.When + ")"
				}
				y.Guard += more
				if x.Rule == "" {
					y.Params = params
				}
				if x.Until != "" { // it is performed by a step of its own
					y.Before = half
					c.Ties = append(c.Ties, murphi.Tie{Name: name + " is performed", Params: params, At: y.At, Pos: x.Pos,
						Guard: at + " & " + strings.TrimSuffix(strings.Replace(half, ":=", "=", 1), "; ") + " & (" + x.Until + ")", Before: run})
				}
				c.Ties = append(c.Ties, y)
			}
		}
		switch o.Kind {
		case Load:
			forwarded := -1
			for k, s := range before {
				if t.Threads[n][s].Address == o.Address {
					forwarded = k
				}
			}
			reg := regVar(n, o.Reg, "$")
			guard := ready
			if buffered && forwarded >= 0 && !p.variant.noForward {
				s := t.Threads[n][before[forwarded]]
				free(name+" from its buffer", fmt.Sprintf("%s & $out%d < %d", ready, n, 2*forwarded+2), fmt.Sprintf("%s := $v%d; %s", reg, s.Value, done))
				guard += fmt.Sprintf(" & $out%d >= %d", n, 2*forwarded+2)
			}
			stale := ""
			if p.part && !p.variant.anyLoad {
				stale = fmt.Sprintf("if isundefined(%s) then $stale := true; elsif %s != $last[$%s] then $stale := true; end; ", reg, reg, t.Addresses[o.Address])
			}
			perform(guard, "", done, func(x Access) (string, string) { return "", reg + " := " + x.Data + "; " + stale })
		case Store:
			guard, half, run := ready, fmt.Sprintf("$pc%d := %d; ", n, pc+1), done
			if k := len(before); buffered {
				free(name+" to its buffer", ready, done)
				guard = fmt.Sprintf("$pc%d > %d & $out%d = %d", n, pc, n, 2*k)
				half, run = fmt.Sprintf("$out%d := %d; ", n, 2*k+1), fmt.Sprintf("$out%d := %d; ", n, 2*k+2)
			}
			if slices.Contains(t.memory, t.Addresses[o.Address]) {
				run += fmt.Sprintf("$last[$%s] := $v%d; ", t.Addresses[o.Address], o.Value)
			}
			perform(guard, half, run, func(x Access) (string, string) { return fmt.Sprintf(" & (%s) = $v%d", x.Data, o.Value), "" })
		case Fence:
			if buffered {
				ready += fmt.Sprintf(" & $out%d = %d", n, 2*len(before))
			}
			if slices.ContainsFunc(in.Accesses, func(x Access) bool { return x.Kind == Fence }) {
				perform(ready, "", done, func(Access) (string, string) { return "", "" })
			} else {
				free(name, ready, done)
			}
		}
	}
}

// properties writes the properties.
func (p *Product) properties(c *murphi.Copies, buffered bool) {
	t := p.Test
	if p.part {
		c.After = "invariant \"each load returns what was stored last\" !Litmus_stale;\n"
		return
	}
	var b strings.Builder
	var ends []string
	for n, ops := range t.Threads {
		ends = append(ends, fmt.Sprintf("Litmus_pc%d = %d", n, p.at(n, len(ops))))
		if buffered {
			ends = append(ends, fmt.Sprintf("Litmus_out%d = %d", n, 2*len(t.stores(n, len(ops)))))
		}
		var all []string
		for i, o := range ops {
			name := fmt.Sprintf("P%d: %s", n, t.text(o))
			if slices.Contains(all, name) { // fences, or two stores of a value
				name += fmt.Sprintf(", instruction %d", i+1)
			}
			if !p.idle(o) {
				all = append(all, name)
				fmt.Fprintf(&b, "cover %q Litmus_pc%d >= %d;\n", name, n, p.at(n, i)+2)
			}
		}
		p.Performed = append(p.Performed, all)
	}
	end := strings.Join(ends, " & ")
	c.While = "!(" + strings.ReplaceAll(end, murphi.Mark, "$") + ")" // what happens behind the end does not matter
	var allowed []string
	for _, o := range p.Allowed {
		var is []string
		for i, s := range t.slots() {
			place := "Litmus_last[Litmus_" + s.name + "]"
			if s.thread >= 0 {
				place = regVar(s.thread, s.name, murphi.Mark)
			}
			is = append(is, fmt.Sprintf("%s = Litmus_v%d", place, o[i]))
		}
		if is == nil {
			is = []string{"true"}
		}
		allowed = append(allowed, strings.Join(is, " & "))
		p.Seen = append(p.Seen, t.Text(o))
		fmt.Fprintf(&b, "cover %q %s & %s;\n", t.Text(o), end, strings.Join(is, " & "))
	}
	fmt.Fprintf(&b, "invariant %q %s ->\n  %s;\n", p.Forbidden, end, strings.Join(allowed, "\n  | "))
	c.After = b.String()
}

// Explain says of an error of the model that a product is, where it is in the mapping.
func (p *Product) Explain(err error) error {
	var list murphi.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			if i := e.Pos.Line - 1; i >= 0 && i < len(p.from) && p.from[i].Line > 0 {
				return p.in.fail(p.from[i], "%s", e.Msg)
			}
		}
	}
	return err
}

// explain gives errors of ties their place in the mapping.
func (p *Product) explain(err error) error {
	var list murphi.ErrorList
	if errors.As(err, &list) && list[0].File == "" {
		return p.in.fail(list[0].Pos, "%s", list[0].Msg)
	}
	return err
}

// Outcome returns how the test has ended in a state of the product, of which m is the model.
func (p *Product) Outcome(m *model.Model, s model.State) (o Outcome) {
	at := map[string]int64{}
	for i, l := range m.AllLeaves() {
		at[l.Name] = s[i]
	}
	number := map[int64]int64{}
	for v := range p.Test.Values() + 1 {
		number[at[fmt.Sprint(murphi.Mark, "v", v)]] = v
	}
	for _, x := range p.Test.slots() {
		place := regVar(x.thread, x.name, murphi.Mark)
		if x.thread < 0 {
			place = p.lastOf(m, at, x.name)
		}
		v, ok := number[at[place]]
		if at[place] == model.Undef {
			v = Undefined
		} else if !ok {
			v = Other
		}
		o = append(o, v)
	}
	return o
}

// lastOf is the leaf that has the last value of an address.
func (p *Product) lastOf(m *model.Model, at map[string]int64, address string) string {
	index := murphi.Mark + address
	if p.in.Address != "" {
		for _, v := range m.Vars {
			if v.Name == index {
				index = v.Type.Format(at[index])
			}
		}
	}
	return murphi.Mark + "last[" + index + "]"
}
