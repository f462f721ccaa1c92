package markov

import (
	"context"
	"slices"

	"orbitmc/internal/pctl"
	"orbitmc/mc/evidence"
)

// Decide bounds what a formula asks, in the order of Formula.Asks, in all states; atoms says, by atom, where it holds. The
// bounds of a question are within precision of each other in the start states, relative to the value if it is more than
// 1; those of a comparison decide it, in all states if it stands within another question. If that fails, as ctx ends or the value is too
// close to the bound, the bounds are right nevertheless, those of questions around it are missing, and ok is false.
func Decide(ctx context.Context, p *Process, f *pctl.Formula, atoms [][]bool, precision float64) (all []*evidence.Bounds, ok bool) {
	w := newWalk(p)
	truth := make(map[*pctl.Formula][]bool)
	for _, a := range f.Asks() {
		holds := func(g *pctl.Formula) []bool {
			return p.all(func(s int) bool {
				return g.Holds(func(n int) bool { return atoms[n][s] }, func(b *pctl.Formula) bool { return truth[b][s] })
			})
		}
		at := p.Starts
		if within(f, a) {
			at = nil
		}
		precise := func(lo, hi []float64) bool {
			good := func(s int) bool {
				if a.Ask.Cmp == "" {
					return hi[s] == lo[s] || hi[s]-lo[s] <= precision*max(1, lo[s])
				}
				return a.Ask.Decided(lo[s], hi[s]) != pctl.Open
			}
			if at != nil {
				return !slices.ContainsFunc(at, func(s int32) bool { return !good(int(s)) })
			}
			for s := range lo {
				if !good(s) {
					return false
				}
			}
			return true
		}
		stay, goal := holds(a.X), holds(a.Y)
		var b *evidence.Bounds
		if a.Ask.Next || a.Ask.Steps >= 0 {
			if b, ok = bounded(ctx, w, a, stay, goal); ok {
				ok = a.Ask.Cmp == "" || precise(b.Lo, b.Hi)
			}
		} else {
			b, ok = solve(ctx, w, a, stay, goal, precise)
		}
		if all = append(all, b); !ok {
			return all, false
		}
		if a.Ask.Cmp != "" {
			truth[a] = p.all(func(s int) bool { return a.Ask.Decided(b.Lo[s], b.Hi[s]) == pctl.Holds })
		}
	}
	return all, true
}

// within reports whether a question is within another one of f.
func within(f, a *pctl.Formula) bool {
	return slices.ContainsFunc(f.Asks(), func(b *pctl.Formula) bool {
		return b != a && slices.Contains(append(b.X.Asks(), b.Y.Asks()...), a)
	})
}
