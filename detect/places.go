package detect

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/detect/verify"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds the places of a model that stand in the way of a larger group.
//
// A transposition leaves the choice of a rule alone, so it keeps the system if and
// only if it keeps what each rule does, taken by itself, and what each start state
// does, and it keeps an invariant or not whatever the rules are. So the places that
// refute a transposition are found exactly, by verifying one system for each rule:
// that in which the rule has been chosen. A group that contains the transposition
// takes a change to all its places and to no other, hence the fewest places to
// change are those of the transposition that has the fewest. Deadlock and errors in
// guards are about all rules at once; they are places only of a transposition
// that has no other.
//
// All transpositions of an element of one block with one of another block have the
// same places, since the elements of the group keep every rule.

// Place is a part of a model that a permutation does not keep: a rule, a start
// state, or a property.
type Place struct {
	Rule  *model.Rule     // nil for a property
	Start bool            // Rule is a start state
	Prop  *model.Property // nil for a rule
	// Why is the witness that the transposition does not keep this very place.
	Why Refutation
}

// Name returns how the place is called, with its position in the file.
func (p Place) Name(m *model.Model) string {
	kind, name, pos := "rule", "", model.Pos{}
	switch {
	case p.Prop != nil:
		kind, name, pos = p.Prop.Kind.String(), p.Prop.Name, p.Prop.Pos
		if pos == (model.Pos{}) {
			return fmt.Sprintf("%s %q", kind, name)
		}
	case p.Start:
		kind = "start state"
		fallthrough
	default:
		name, pos = p.Rule.Name, p.Rule.Pos
		if name == "" {
			name = fmt.Sprintf("@%d", pos.Line)
		}
	}
	return fmt.Sprintf("%s %q at %s:%v", kind, name, m.File, pos)
}

// Line returns the line of the place, 0 if it has none.
func (p Place) Line() int {
	if p.Rule != nil {
		return p.Rule.Pos.Line
	}
	return p.Prop.Pos.Line
}

// Missing is a transposition that is not in the common group of all properties.
type Missing struct {
	Class, I, J int // exchanges these values of a scalarset class, and with them all in their blocks
	Perm        string
	Places      []Place // that refute it, or may do so: rules, start states, properties, as they are declared
	Undecided   int     // of these, how many were neither proved symmetric nor refuted
	// Order is that of the common group of all properties once these places are no
	// obstacle.
	Order *big.Int
}

// missing finds the places of all transpositions between blocks of the common
// group.
func (d *declared) missing(ctx context.Context) ([]Missing, error) {
	var all []Missing
	blocks := Blocks(d.m, d.report.Common)
	for class, t := range d.m.Scalarsets {
		if t.Slots {
			continue // their order is no place of the model
		}
		// Values that inference keeps apart may have no encoding in common.
		apart := func(a, b int) bool { return false }
		if c, ok := d.opt.Inferred.of(t); ok {
			apart = func(a, b int) bool {
				return !slices.ContainsFunc(c.Values, func(vs []int) bool { return slices.Contains(vs, a) && slices.Contains(vs, b) })
			}
		}
		for k, b := range blocks[class] {
			for _, a := range blocks[class][:k] {
				if apart(a[0], b[0]) {
					continue
				}
				m, err := d.places(ctx, swap{class, a[0], b[0]})
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
		}
	}
	for i := range all {
		all[i].Order = d.orderWithout(blocks, all, all[i].Places)
	}
	slices.SortStableFunc(all, func(a, b Missing) int { return len(a.Places) - len(b.Places) })
	return all, nil
}

// orderWithout returns the order of the common group if some places are no
// obstacle: the blocks that transpositions without other places join are one. Rings
// of a class where that is so are not counted: the blocks may contain them.
func (d *declared) orderWithout(blocks [][][]int, all []Missing, gone []Place) *big.Int {
	same := func(p, q Place) bool { return p.Rule == q.Rule && p.Prop == q.Prop }
	obstacle := func(p Place) bool { return !slices.ContainsFunc(gone, func(q Place) bool { return same(p, q) }) }
	order := big.NewInt(1)
	for class, bs := range blocks {
		root := make(map[int]int)
		size := make(map[int]int64)
		for _, b := range bs {
			root[b[0]], size[b[0]] = b[0], int64(len(b))
		}
		joined := false
		for _, m := range all {
			if m.Class != class || root[m.I] == root[m.J] || slices.ContainsFunc(m.Places, obstacle) {
				continue
			}
			joined = true
			from, to := root[m.J], root[m.I]
			for e, r := range root {
				if r == from {
					root[e] = to
				}
			}
			size[to] += size[from]
			delete(size, from)
		}
		for _, n := range size {
			order.Mul(order, new(big.Int).MulRange(1, n))
		}
		for _, g := range d.report.Common.Groups {
			if g.Class == class && !joined {
				order.Mul(order, g.Order)
			}
		}
	}
	return order
}

// places finds the places that refute a transposition.
func (d *declared) places(ctx context.Context, s swap) (Missing, error) {
	c, err := d.candidate(s)
	if err != nil {
		return Missing{}, err
	}
	m := Missing{Class: s.class, I: s.i, J: s.j, Perm: c.perm.Name}
	add := func(p Place, why *Refutation) {
		if why == nil {
			return
		}
		if p.Why = *why; why.Undecided {
			m.Undecided++
		}
		m.Places = append(m.Places, p)
	}
	for k, rules := range [][]*model.Rule{d.m.Starts, d.m.Rules} {
		for i, r := range rules {
			why, err := d.refuteRule(ctx, c, k == 0, i)
			if err != nil {
				return m, err
			}
			add(Place{Rule: r, Start: k == 0}, why)
		}
	}
	explained := len(m.Places) > 0
	for _, derived := range []bool{false, true} {
		for i, p := range d.m.Props {
			if d.derived(p) != derived || derived && explained {
				continue
			}
			why, err := d.refuteProp(ctx, c, i)
			if err != nil {
				return m, err
			}
			add(Place{Prop: p}, why)
		}
		explained = len(m.Places) > 0
	}
	return m, nil
}

// derived reports whether a property says something of the rules and of other
// properties, so that it is to blame only if none of them is.
func (d *declared) derived(p *model.Property) bool {
	switch p.Kind {
	case model.Invariant, model.Liveness:
		return false
	case model.Cover:
		return p.Expr == nil
	}
	return true
}

// refuteProp decides whether c keeps a property; nil means that it does.
func (d *declared) refuteProp(ctx context.Context, c *candidate, prop int) (*Refutation, error) {
	r := *d.report // this check is none of those it counts
	defer func() { *d.report = r }()
	d.report.Refutations = nil
	ok, err := d.check(ctx, c, prop)
	if ok || err != nil {
		return nil, err
	}
	return &d.report.Refutations[0], nil
}

// refuteRule decides whether c keeps what one rule, or start state, does, and the
// errors in it; nil means that it does.
func (d *declared) refuteRule(ctx context.Context, c *candidate, start bool, rule int) (*Refutation, error) {
	chosen := d.chosen(start, rule)
	v := verify.New(chosen, nil)
	system, errors := v.Compare(c.perm, nil)
	if len(system)+len(errors) == 0 {
		return nil, nil
	}
	if d.world == nil {
		d.world = newWorld(d.m, d.opt.Seed)
	}
	prover := d.decider(v)
	this := func(x *witness) bool { return x.hasChoice && x.start == start && x.ch.Rule == rule }
	refute := func(ds []verify.Difference, prop int) (*Refutation, error) {
		w, err := d.world.reachable(ctx, c.motion, prop, len(d.world.states), this)
		if err != nil {
			return nil, err
		}
		if w != nil {
			why := d.explain(c, prop, "", w)
			return &why, nil
		}
		st, at, x := prover.Decide(ctx, ds)
		var why Refutation
		switch {
		case st == sat.Unsat:
			return nil, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case st == sat.Sat:
			why = d.explain(c, prop, v.Name(ds[at]), d.witness(c, prop, d.choose(x, start, rule)))
		default:
			why = d.undecided(c, prop, v.Name(ds[at]))
		}
		return &why, nil
	}
	if len(system) > 0 {
		if why, err := refute(system, -1); why != nil || err != nil {
			return why, err
		}
	}
	for _, e := range errors {
		if why, err := refute([]verify.Difference{e}, chosen.Bads[e.Index].Prop); why != nil || err != nil {
			return why, err
		}
	}
	return nil, nil
}

// choose makes a valuation one in which a rule is chosen.
func (d *declared) choose(x verify.Valuation, start bool, rule int) verify.Valuation {
	signals, off := d.sys.Inputs, len(d.sys.Latches)
	if start {
		signals, off = d.sys.Init, off+len(d.sys.Inputs)
	}
	code := d.opt.Choosing(start, rule)
	for i, s := range signals {
		if v, ok := code[s.Node]; ok {
			x[off+i] = v
		}
	}
	return x
}

// chosen returns the system in which one rule is chosen, for good, and which has
// no other functions; if start, one start state. Latches and inputs are those of
// the whole system, and so is W.
func (d *declared) chosen(start bool, rule int) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g}
	copier := aig.NewCopier(g, d.sys.G)
	code := d.opt.Choosing(start, rule)
	leaf := func(node int) int {
		l := g.Input()
		if v, ok := code[node]; ok {
			copier.Set(node, aig.False.NotIf(v))
		} else {
			copier.Set(node, l)
		}
		return l.Node()
	}
	for _, l := range d.sys.Latches {
		s.Latches = append(s.Latches, ts.Latch{Name: l.Name, Node: leaf(l.Node)})
	}
	for _, in := range d.sys.Inputs {
		s.Inputs = append(s.Inputs, ts.Signal{Name: in.Name, Node: leaf(in.Node)})
	}
	for _, in := range d.sys.Init {
		s.Init = append(s.Init, ts.Signal{Name: in.Name, Node: leaf(in.Node)})
	}
	for i, l := range d.sys.Latches {
		if start {
			s.Latches[i].Reset, s.Latches[i].Next = copier.Copy(l.Reset), s.LatchLit(i)
		} else {
			s.Latches[i].Next = copier.Copy(l.Next)
		}
	}
	for _, c := range d.sys.Constraints {
		s.Constraints = append(s.Constraints, copier.Copy(c))
	}
	for _, b := range d.sys.Bads {
		if b.Delay > 0 && !start {
			b.Lit = copier.Copy(b.Lit)
			s.Bads = append(s.Bads, b)
		}
	}
	s.W = copier.Copy(d.sys.W)
	return s
}
