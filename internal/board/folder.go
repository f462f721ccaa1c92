package board

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/certify"
	"orbitmc/internal/exchange"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file exchanges lemmas with other processes, by files in a folder. A file has what one process
// posted since its last one: a clause a line, with all images, as names of latches. So processes
// that read other properties, or another encoding, take what means something to them. Nothing in a file
// is trusted: each lemma is checked as those posted here are, or it is a candidate of Houdini.
//
// Lemmas of one process may rest on those of another. A set that is refused is tried again once more is known.

// folder is a board's side of the exchange.
type folder struct {
	files   *exchange.Folder
	written int           // of Board.posted since the beginning
	found   [][]ts.Clause // in files of others, in the order in which they were found
}

// Share makes b exchange lemmas by files in a folder, before any other use of b.
func (b *Board) Share(dir string) {
	b.shared = &folder{files: exchange.New(dir, "lemmas")}
}

// Exchange writes the lemmas that were posted here, and returns the sets of lemmas found in files of
// others, unchecked, but for the first n. It returns nil if b does not share.
func (b *Board) Exchange(ctx context.Context, p *mc.Problem, n int) ([][]ts.Clause, error) {
	if b == nil || b.shared == nil {
		return nil, nil
	}
	b.exchange.Lock()
	defer b.exchange.Unlock()
	f := b.shared
	b.mu.Lock()
	fresh := slices.Clone(b.all[f.written:])
	b.mu.Unlock()
	var clauses []ts.Clause
	for _, l := range fresh {
		all, err := certify.New(ctx, p).Images().All(&evidence.Proof{Props: p.Props[:1], K: 1, Clauses: l.Clauses, Group: l.Group})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // otherwise there are too many
			clauses = append(clauses, all...)
		}
	}
	f.written += len(fresh)
	if err := f.files.Write(format(p.System(), clauses)); err != nil {
		return nil, err
	}
	if err := f.look(p.System()); err != nil {
		return nil, err
	}
	return slices.Clone(f.found[n:]), nil
}

// format writes a clause a line.
func format(sys *ts.System, clauses []ts.Clause) (lines []string) {
	for _, c := range clauses {
		var words []string
		for _, l := range c {
			word := strconv.Quote(sys.Latches[l.Index()].Name)
			if l.Neg() {
				word = "!" + word
			}
			words = append(words, word)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// look reads the files of others that are new.
func (f *folder) look(sys *ts.System) error {
	fresh, err := f.files.Look()
	if err != nil || len(fresh) == 0 {
		return err
	}
	latches := make(map[string]int)
	count := map[string]int{"": 2}
	for i, l := range sys.Latches {
		latches[l.Name] = i
		count[l.Name]++
	}
	maps.DeleteFunc(latches, func(name string, _ int) bool { return count[name] > 1 })
	for _, lines := range fresh {
		if clauses := parse(lines, latches); len(clauses) > 0 {
			f.found = append(f.found, clauses)
		}
	}
	return nil
}

// parse reads the clauses all of whose latches there are. It returns nil if a line is no clause.
func parse(lines []string, latches map[string]int) (clauses []ts.Clause) {
	for _, line := range lines {
		var clause ts.Clause
		known := true
		for rest := line; rest != ""; rest = strings.TrimPrefix(rest, " ") {
			positive := strings.TrimPrefix(rest, "!")
			quoted, err := strconv.QuotedPrefix(positive)
			if err != nil {
				return nil
			}
			name, _ := strconv.Unquote(quoted)
			i, ok := latches[name]
			known = known && ok
			clause = append(clause, ts.MkLit(i, positive != rest))
			rest = positive[len(quoted):]
		}
		slices.Sort(clause)
		if clause = slices.Compact(clause); known && clause != nil {
			clauses = append(clauses, clause)
		}
	}
	return clauses
}
