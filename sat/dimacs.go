package sat

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A CNF is a formula in conjunctive normal form over the variables 1..NumVars.
type CNF struct {
	NumVars int
	Clauses [][]Lit
}

// Check reports the first literal that is not over 1..NumVars.
func (f *CNF) Check() error {
	if f.NumVars < 0 {
		return fmt.Errorf("cnf: %d variables", f.NumVars)
	}
	for i, c := range f.Clauses {
		for _, l := range c {
			if l.Var() < 1 || l.Var() > f.NumVars {
				return fmt.Errorf("cnf: clause %d: literal %s is not over 1..%d", i, l, f.NumVars)
			}
		}
	}
	return nil
}

// WriteDIMACS writes f in the format of the SAT competitions: comment lines,
// the header "p cnf VARIABLES CLAUSES", one clause a line ended by 0. A comment
// may hold several lines.
func (f *CNF) WriteDIMACS(w io.Writer, comments ...string) error {
	if err := f.Check(); err != nil {
		return err
	}
	bw := bufio.NewWriter(w)
	for _, c := range comments {
		for line := range strings.SplitSeq(c, "\n") {
			bw.WriteString(strings.TrimRight("c "+line, " "))
			bw.WriteByte('\n')
		}
	}
	fmt.Fprintf(bw, "p cnf %d %d\n", f.NumVars, len(f.Clauses))
	var buf []byte
	for _, c := range f.Clauses {
		buf = appendClause(buf[:0], c)
		bw.Write(buf)
	}
	return bw.Flush()
}

// appendClause appends a line of DIMACS: the literals and a 0.
func appendClause(buf []byte, clause []Lit) []byte {
	for _, l := range clause {
		buf = strconv.AppendInt(buf, int64(l.Dimacs()), 10)
		buf = append(buf, ' ')
	}
	return append(buf, '0', '\n')
}

// A Recorder takes the clauses of an encoding instead of a solver, to write
// them as DIMACS or to hand them to a one-shot checker. It has the methods of
// Solver that add and release clauses, and does not solve. The zero Recorder is empty and ready.
type Recorder struct {
	vars    int
	clauses []recorded
	open    map[Group]bool
	opened  Group
}

type recorded struct {
	group Group // 0 for clauses outside all groups
	lits  []Lit
}

// NewVar returns the positive literal of a fresh variable, numbered from 1.
func (r *Recorder) NewVar() Lit {
	r.vars++
	return MkLit(r.vars, false)
}

// Add records a clause.
func (r *Recorder) Add(clause ...Lit) { r.record(0, clause) }

// Group opens a group.
func (r *Recorder) Group() Group {
	if r.open == nil {
		r.open = map[Group]bool{}
	}
	r.opened++
	r.open[r.opened] = true
	return r.opened
}

// AddTo records a clause in a group that was not released; it panics for any other.
func (r *Recorder) AddTo(g Group, clause ...Lit) {
	if !r.open[g] {
		panic(fmt.Sprintf("sat: AddTo: %d is no open group", g))
	}
	r.record(g, clause)
}

// Release drops a group and its clauses; it panics if g is not open.
func (r *Recorder) Release(g Group) {
	if !r.open[g] {
		panic(fmt.Sprintf("sat: Release: %d is no open group", g))
	}
	delete(r.open, g)
}

func (r *Recorder) record(g Group, clause []Lit) {
	for _, l := range clause {
		if l.Var() < 1 || l.Var() > r.vars {
			panic(fmt.Sprintf("sat: literal %s of a variable that NewVar did not return (%d so far)", l, r.vars))
		}
	}
	r.clauses = append(r.clauses, recorded{g, append([]Lit{}, clause...)})
}

// CNF returns the clauses that were not released, in the order they were added.
// The result shares the clauses with r.
func (r *Recorder) CNF() *CNF {
	f := &CNF{NumVars: r.vars, Clauses: make([][]Lit, 0, len(r.clauses))}
	for _, c := range r.clauses {
		if c.group == 0 || r.open[c.group] {
			f.Clauses = append(f.Clauses, c.lits)
		}
	}
	return f
}
