package sat

import (
	"bufio"
	"fmt"
	"io"
	"slices"
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

// A Recorder takes the clauses of an encoding instead of a solver, to write them as DIMACS or to hand them to a
// one-shot checker. The zero Recorder is empty and ready.
type Recorder struct{ f CNF }

// NewVar returns the positive literal of a fresh variable, numbered from 1.
func (r *Recorder) NewVar() Lit {
	r.f.NumVars++
	return MkLit(r.f.NumVars, false)
}

// Add records a clause.
func (r *Recorder) Add(clause ...Lit) {
	for _, l := range clause {
		if l.Var() < 1 || l.Var() > r.f.NumVars {
			panic(fmt.Sprintf("sat: literal %s of a variable that NewVar did not return (%d so far)", l, r.f.NumVars))
		}
	}
	r.f.Clauses = append(r.f.Clauses, slices.Clone(clause))
}

// CNF returns the clauses so far, in the order they were added. The result shares them with r.
func (r *Recorder) CNF() *CNF { return &CNF{NumVars: r.f.NumVars, Clauses: slices.Clone(r.f.Clauses)} }
