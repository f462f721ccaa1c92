package explain

import (
	"context"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/verify"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// A place is a rule, a start state or a property of the model that refutes a transposition.
// Places are found exactly. A transposition does not change which rule is chosen. So it
// keeps the system if and only if it keeps each rule and each start state by itself. Whether
// it keeps an invariant does not depend on the rules. So for each rule one system is
// verified, in which that rule is chosen.
//
// The transposition becomes a symmetry if all its places change, and other changes are not
// needed. So the fewest changes that enlarge the group are the places of the transposition
// with the fewest places. Deadlock and errors in guards depend on all rules at once. They
// count as places only of a transposition that has no other place.

// Choosing returns the values of the leaves, by node, that choose a rule, or a start
// state, by number: inputs, or initial inputs, which no exchange of components moves.
type Choosing func(start bool, rule int) map[int]bool

// Places finds the places that refute a transposition, in the order in which they are
// declared: start states, rules, properties. prop says why a property is not kept; nil
// means that it is. The error is that of ctx, or one of prop.
func (re *Refuter) Places(ctx context.Context, mv *Move, choosing Choosing, prop func(prop int) (*detect.Refutation, error)) (places []detect.Place, err error) {
	add := func(p detect.Place, why *detect.Refutation) {
		if why != nil {
			p.Why = *why
			places = append(places, p)
		}
	}
	for k, rules := range [][]*model.Rule{re.Model.Starts, re.Model.Rules} {
		for i, r := range rules {
			why, err := re.rule(ctx, mv, choosing, k == 0, i)
			if err != nil {
				return places, err
			}
			add(detect.Place{Rule: r, Start: k == 0}, why)
		}
	}
	explained := len(places) > 0
	for _, derived := range []bool{false, true} {
		for i, p := range re.Model.Props {
			if isDerived(p) != derived || derived && explained {
				continue
			}
			why, err := prop(i)
			if err != nil {
				return places, err
			}
			add(detect.Place{Prop: p}, why)
		}
		explained = len(places) > 0
	}
	return places, nil
}

// isDerived reports whether a property says something of the rules and of other
// properties, so that it is to blame only if none of them is.
func isDerived(p *model.Property) bool {
	switch p.Kind {
	case model.Invariant, model.Liveness:
		return false
	case model.Cover:
		return p.Expr == nil
	}
	return true
}

// rule decides whether mv keeps what one rule, or start state, does, and the
// errors in it; nil means that it does.
func (re *Refuter) rule(ctx context.Context, mv *Move, choosing Choosing, start bool, rule int) (*detect.Refutation, error) {
	code := choosing(start, rule)
	chosen := re.chosen(start, code)
	v := verify.New(chosen, nil)
	system, errors := v.Compare(mv.Perm, nil)
	if len(system)+len(errors) == 0 {
		return nil, nil
	}
	decider := re.Decider(v)
	this := func(x *witness) bool { return x.hasChoice && x.start == start && x.ch.Rule == rule }
	refute := func(ds []verify.Difference, prop int) (*detect.Refutation, error) {
		w, err := re.sample().reachable(ctx, mv, prop, All, this)
		if err != nil {
			return nil, err
		}
		if w != nil {
			why := re.explain(mv, prop, "", w)
			return &why, nil
		}
		st, at, x := decider.Decide(ctx, ds)
		var why detect.Refutation
		switch {
		case st == sat.Unsat:
			return nil, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case st == sat.Sat:
			why = re.Counterexample(mv, prop, v.Name(ds[at]), re.choose(x, start, code))
		default:
			why = re.Undecided(mv, prop, v.Name(ds[at]))
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

// choose makes x a valuation in which the rule, or start state, of this code is chosen.
func (re *Refuter) choose(x verify.Valuation, start bool, code map[int]bool) verify.Valuation {
	signals, off := re.System.Inputs, len(re.System.Latches)
	if start {
		signals, off = re.System.Init, off+len(re.System.Inputs)
	}
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
func (re *Refuter) chosen(start bool, code map[int]bool) *ts.System {
	s, _ := re.System.Skeleton(aig.NewPlain())
	copier := aig.NewCopier(s.G, re.System.G)
	own := s.Leaves()
	for k, part := range re.System.Leaves() {
		for i, leaf := range part {
			image := aig.MkLit(own[k][i].Node, false)
			if v, ok := code[leaf.Node]; ok {
				image = aig.False.NotIf(v)
			}
			copier.Set(leaf.Node, image)
		}
	}
	for i, l := range re.System.Latches {
		if start {
			s.Latches[i].Reset, s.Latches[i].Next = copier.Copy(l.Reset), s.LatchLit(i)
		} else {
			s.Latches[i].Next = copier.Copy(l.Next)
		}
	}
	for _, c := range re.System.Constraints {
		s.Constraints = append(s.Constraints, copier.Copy(c))
	}
	for _, b := range re.System.Bads {
		if b.Delay > 0 && !start {
			b.Lit = copier.Copy(b.Lit)
			s.Bads = append(s.Bads, b)
		}
	}
	s.W = copier.Copy(re.System.W)
	return s
}
