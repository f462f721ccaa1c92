package certify

import (
	"context"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/ts"
)

// Variant has the limits and steps that a test tries a check with.
type Variant = variant

// Sound returns the variant of every check.
func Sound() *Variant { return sound() }

// NewWith is New in another variant.
func NewWith(ctx context.Context, p *mc.Problem, s *Variant) *Checker { return newChecker(ctx, p, s) }

// VerifyWith is Verify in another variant.
func VerifyWith(ctx context.Context, p *mc.Problem, r *mc.Result, s *Variant) error {
	return verify(ctx, p, r, s)
}

// SetClauses sets how many clauses are given to the solver at first; from the first round
// on whole orbits follow.
func (v *variant) SetClauses(n int) { v.clauses, v.rounds = n, 0 }

// SetGophersat has gophersat decide.
func (v *variant) SetGophersat(on bool) { v.gophersat = on }

// SetImages sets the size of the largest orbit that is written, of however few
// components, and how many images are written in all.
func (v *variant) SetImages(orbit, all int64) { v.orbit, v.components, v.images = orbit, -1, all }

// SetOneClass takes all components for alike, whatever the clause or the bad says of them:
// wrong stabilisers.
func (v *variant) SetOneClass(clauses, bads bool) {
	one := func(c *components) [][][]int {
		all := make([][][]int, len(c.tables))
		for t, table := range c.tables {
			class := make([]int, len(table.lits))
			for r := range class {
				class[r] = r
			}
			all[t] = [][]int{class}
		}
		return all
	}
	if clauses {
		v.alikeClause = func(c *components, _ ts.Clause) [][][]int { return one(c) }
	}
	if bads {
		v.alikeBad = func(c *components, _ *symmetries, _ aig.Lit) [][][]int { return one(c) }
	}
}

// Refuted is refuted, for tests.
func Refuted(out []byte, conditions int, solver string) error {
	return refuted(out, conditions, solver)
}

// WalkLimit returns how many steps TryWalks tries.
func WalkLimit(p *mc.Problem) int { return walkLimit(p) }

// TryWalks compares the system of p with the interpreter.
func TryWalks(ctx context.Context, p *mc.Problem) error { return tryWalks(ctx, p) }
