package sat

import (
	"bufio"
	"errors"
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

// ReadDIMACS reads what WriteDIMACS writes, strictly: one header before the
// first clause, comments only on lines of their own, literals within the
// announced variables, exactly the announced number of clauses, each ended by
// 0. Clauses may spread over lines. Errors begin with file:line:col.
func ReadDIMACS(r io.Reader, file string) (*CNF, error) {
	f := &CNF{NumVars: -1}
	announced := 0
	clause := []Lit{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<30)
	line := 0
	for sc.Scan() {
		line++
		text := sc.Text()
		fail := func(offset int, format string, args ...any) (*CNF, error) {
			return nil, fmt.Errorf("%s:%d:%d: %s", file, line, offset+1, fmt.Sprintf(format, args...))
		}
		switch {
		case text == "c" || strings.HasPrefix(text, "c "):
			continue
		case strings.HasPrefix(text, "p"):
			if f.NumVars >= 0 {
				return fail(0, "second header")
			}
			if _, err := fmt.Sscanf(text, "p cnf %d %d", &f.NumVars, &announced); err != nil ||
				text != fmt.Sprintf("p cnf %d %d", f.NumVars, announced) {
				return fail(0, "header %q is not of the form \"p cnf VARIABLES CLAUSES\"", text)
			}
			if f.NumVars < 0 || announced < 0 {
				return fail(0, "negative count in header %q", text)
			}
			continue
		}
		for start := 0; start < len(text); {
			if text[start] == ' ' || text[start] == '\t' {
				start++
				continue
			}
			end := start
			for end < len(text) && text[end] != ' ' && text[end] != '\t' {
				end++
			}
			word := text[start:end]
			n, err := strconv.ParseInt(word, 10, 32)
			switch {
			case f.NumVars < 0:
				return fail(start, "%q before the header", word)
			case errors.Is(err, strconv.ErrRange) || err == nil && (n > int64(f.NumVars) || -n > int64(f.NumVars)):
				return fail(start, "literal %s is not over 1..%d", word, f.NumVars)
			case err != nil || word != strconv.FormatInt(n, 10):
				return fail(start, "%q is no literal", word)
			case len(f.Clauses) == announced:
				return fail(start, "more than the announced %d clauses", announced)
			case n == 0:
				f.Clauses = append(f.Clauses, clause)
				clause = []Lit{}
			case n < 0:
				clause = append(clause, MkLit(int(-n), true))
			default:
				clause = append(clause, MkLit(int(n), false))
			}
			start = end
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d:1: %w", file, line+1, err)
	}
	switch {
	case f.NumVars < 0:
		return nil, fmt.Errorf("%s:%d:1: no header", file, line+1)
	case len(clause) > 0:
		return nil, fmt.Errorf("%s:%d:1: last clause is not ended by 0", file, line+1)
	case len(f.Clauses) < announced:
		return nil, fmt.Errorf("%s:%d:1: %d of the announced %d clauses", file, line+1, len(f.Clauses), announced)
	}
	return f, nil
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
