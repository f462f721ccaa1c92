package bench

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/sat"
)

// A program is the calls of a solver, in their order, and its answers.
type program struct {
	// An operation, the number of its literals, the literals. Groups are numbers from 0,
	// the first literal of their operations. The last literal of a query is its answer.
	code           []sat.Lit
	queries, unsat int
}

const (
	newVar sat.Lit = iota
	add
	group
	addTo
	release
	focus // variables to decide
	rest  // the others in focus; always after focus
	newest
	solve
)

// recorder is a solver that records.
type recorder struct {
	sat.Focuser
	program
	groups map[sat.Group]sat.Lit
}

func (r *recorder) put(op sat.Lit, lits ...sat.Lit) {
	r.code = append(append(r.code, op, sat.Lit(len(lits))), lits...)
}

func (r *recorder) NewVar() sat.Lit {
	r.put(newVar)
	return r.Focuser.NewVar()
}

func (r *recorder) Add(clause ...sat.Lit) {
	r.put(add, clause...)
	r.Focuser.Add(clause...)
}

func (r *recorder) Group() sat.Group {
	r.put(group)
	g := r.Focuser.Group()
	r.groups[g] = sat.Lit(len(r.groups))
	return g
}

func (r *recorder) AddTo(g sat.Group, clause ...sat.Lit) {
	r.put(addTo, slices.Insert(slices.Clone(clause), 0, r.groups[g])...)
	r.Focuser.AddTo(g, clause...)
}

func (r *recorder) Release(g sat.Group) {
	r.put(release, r.groups[g])
	r.Focuser.Release(g)
}

func (r *recorder) Focus(vars, others []sat.Lit) {
	r.put(focus, vars...)
	r.put(rest, others...)
	r.Focuser.Focus(vars, others)
}

// NewestFirst implements sat.Grower.
func (r *recorder) NewestFirst() {
	r.put(newest)
	r.Focuser.(sat.Grower).NewestFirst()
}

func (r *recorder) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	status := r.Focuser.Solve(ctx, assumptions...)
	r.put(solve, append(slices.Clone(assumptions), sat.Lit(status))...)
	r.queries++
	if status == sat.Unsat {
		r.unsat++
	}
	return status
}

// replay makes the calls of another solver, until the context ends. It is an error if an answer differs. A solver
// without focus may refute what is satisfiable in focus.
func (p *program) replay(ctx context.Context, s sat.Solver) error {
	var groups []sat.Group
	var vars []sat.Lit
	loose := false // the next query was in focus, and this solver has none
	f, focuses := s.(sat.Focuser)
	for code := p.code; len(code) > 0; {
		op, n := code[0], code[1]
		lits := code[2 : 2+n]
		code = code[2+n:]
		switch op {
		case newVar:
			s.NewVar()
		case add:
			s.Add(lits...)
		case group:
			groups = append(groups, s.Group())
		case addTo:
			s.AddTo(groups[lits[0]], lits[1:]...)
		case release:
			s.Release(groups[lits[0]])
		case focus:
			vars = lits
		case rest:
			if focuses {
				f.Focus(vars, lits)
			} else {
				loose = true
			}
		case newest:
			if g, ok := s.(sat.Grower); ok {
				g.NewestFirst()
			}
		case solve:
			want := sat.Status(lits[n-1])
			got := s.Solve(ctx, lits[:n-1]...)
			if ctx.Err() != nil {
				return nil
			}
			if got != want && !(loose && want == sat.Sat) {
				return fmt.Errorf("%v, recorded was %v", got, want)
			}
			loose = false
		}
	}
	return nil
}
