package promela

import (
	"slices"

	"orbitmc/model"
)

// This file is about `unless`, as SPIN builds it (flow.c): the escape is hung on each statement of what it escapes
// from, its edges are put in front of those of each location, and an edge may be taken only if no escape in front of it
// can. A handshake is taken by an escape first, too (handshake, in lower_step.go).

// escapes puts the edges of escapes in front of those of each location.
func (a *automaton) escapes() {
	for _, e := range a.els {
		for _, x := range slices.Clone(e.edges) {
			if x.escape != nil {
				continue
			}
			for _, p := range slices.Backward(x.act.escs) {
				for _, y := range slices.Clone(p.edges) {
					if !slices.ContainsFunc(e.edges, func(z *edge) bool { return z.act == y.act }) {
						e.edges = append([]*edge{{e, y.to, y.act, p}}, e.edges...)
					}
				}
			}
		}
	}
}

// precedence is the condition under which an edge may be taken, while nothing is offered, as far as other edges of its
// location matter: an escape that can be taken comes first, and else comes last. But where the same escape
// then makes an offer that nobody takes, the verifier goes on as if there were none.
func (l *lowering) precedence(x *edge, v *env) model.Expr {
	var cs []model.Expr
	for i, y := range x.from.edges {
		if y == x {
			break
		}
		if y.escape != nil && y.escape != x.escape {
			first := l.enabled(y, v)
			for _, z := range x.from.edges[i+1:] {
				if z.escape == y.escape && z.act.kind == sSend {
					first = all(first, some(not(l.offers(z, v)), l.enabled(z, v)))
				}
			}
			cs = append(cs, not(first))
		}
		if x.act.kind == sElse {
			cs = append(cs, not(l.enabled(y, v)))
		}
	}
	if len(cs) == 0 {
		return nil
	}
	return all(cs...)
}

// offers tests whether an edge that sends does so on a rendezvous channel.
func (l *lowering) offers(x *edge, v *env) model.Expr {
	var ways []model.Expr
	for _, c := range l.uses(x.act.stmt.ch, v) {
		if c.g.rendezvous() {
			ways = append(ways, c.test())
		}
	}
	return some(ways...)
}
