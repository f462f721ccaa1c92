package klive

import (
	"context"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file carries lemmas from one try to the next. The systems of a property differ by latches
// at the end, but clean-up numbers latches anew.

// lemmas implements mc.Lemmas: it keeps what pdr posts.
type lemmas struct {
	p     *mc.Problem
	found []ts.Clause // over the latches of the system before clean-up
}

// Post implements mc.Lemmas.
func (l *lemmas) Post(all evidence.Lemmas) {
	number := lists.Make(len(l.p.System().Latches), func(i int) int { return i })
	if c := l.p.Cleaned; c != nil {
		at := c.Sys.Numbers()
		for i := range c.Source.Latches {
			if x, ok := c.Latch(i); ok && x.Node() != 0 && !x.Neg() && c.Equal(i) == c.Source.LatchLit(i) {
				number[at[x.Node()]] = i
			}
		}
	}
	for _, clause := range all.Clauses {
		var out ts.Clause
		for _, x := range clause {
			out = append(out, ts.MkLit(number[x.Index()], x.Neg()))
		}
		l.found = append(l.found, out)
	}
}

// Take implements mc.Lemmas.
func (l *lemmas) Take(context.Context, *mc.Problem, int) ([]ts.Clause, error) { return nil, nil }

// from returns clauses over the system that engines see, without those that are true.
func (l *lemmas) from(clauses []ts.Clause) (out []ts.Clause) {
	c := l.p.Cleaned
	if c == nil {
		return clauses
	}
	at := c.Sys.Numbers()
next:
	for _, clause := range clauses {
		var now ts.Clause
		for _, x := range clause {
			y, ok := c.Latch(x.Index())
			if !ok {
				continue next
			}
			switch y = y.NotIf(x.Neg()); y.Node() {
			case 0:
				if y == aig.True {
					continue next
				}
			default:
				now = append(now, ts.MkLit(at[y.Node()], y.Neg()))
			}
		}
		if len(now) > 0 {
			out = append(out, now)
		}
	}
	return out
}
