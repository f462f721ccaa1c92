package sattest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"orbitmc/sat"
	"strconv"
	"strings"
)

// ReadDIMACS reads what sat.CNF.WriteDIMACS writes, strictly: one header before the
// first clause, comments only on lines of their own, literals within the
// announced variables, exactly the announced number of clauses, each ended by
// 0. Clauses may spread over lines. Errors begin with file:line:col.
func ReadDIMACS(r io.Reader, file string) (*sat.CNF, error) {
	f := &sat.CNF{NumVars: -1}
	announced := 0
	clause := []sat.Lit{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<30)
	line := 0
	for sc.Scan() {
		line++
		text := sc.Text()
		fail := func(offset int, format string, args ...any) (*sat.CNF, error) {
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
				clause = []sat.Lit{}
			case n < 0:
				clause = append(clause, sat.MkLit(int(-n), true))
			default:
				clause = append(clause, sat.MkLit(int(n), false))
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
