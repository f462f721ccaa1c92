package board

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orbitmc/mc"
	"orbitmc/mc/certify"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file exchanges lemmas with other processes, by files in a folder. A file has what one process
// posted since its last one: a clause a line, with all images, as names of latches. So processes
// that read other properties, or another encoding, take what means something to them. Nothing in a file
// is trusted: each lemma is checked as those posted here are, or it is a candidate of Houdini.
//
// Lemmas of one process may rest on those of another. A set that is refused is tried again once more is known.

const (
	lemmasHeader = "orbitmc-lemmas 1"
	lemmasSuffix = ".lemmas"
)

// lookTime is the least time between two looks into the folder.
const lookTime = time.Second

// folder is a board's side of the exchange.
type folder struct {
	dir     string
	own     string // begins the names of its files
	files   int    // written
	written int    // of Board.posted since the beginning
	seen    map[string]bool
	looked  time.Time
	found   [][]ts.Clause // in files of others, in the order in which they were found
}

// Share makes b exchange lemmas by files in a folder, before any other use of b.
func (b *Board) Share(dir string) {
	b.shared = &folder{dir: dir, own: rand.Text(), seen: make(map[string]bool)}
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
	if len(clauses) > 0 {
		if err := f.write(p.System(), clauses); err != nil {
			return nil, err
		}
	}
	if time.Since(f.looked) >= lookTime {
		f.looked = time.Now()
		if err := f.look(p.System()); err != nil {
			return nil, err
		}
	}
	return slices.Clone(f.found[n:]), nil
}

func (f *folder) write(sys *ts.System, clauses []ts.Clause) error {
	var b strings.Builder
	b.WriteString(lemmasHeader + "\n")
	for _, c := range clauses {
		for i, l := range c {
			if i > 0 {
				b.WriteByte(' ')
			}
			if l.Neg() {
				b.WriteByte('!')
			}
			b.WriteString(strconv.Quote(sys.Latches[l.Index()].Name))
		}
		b.WriteByte('\n')
	}
	b.WriteString("end\n")
	name := filepath.Join(f.dir, fmt.Sprintf("%s-%06d", f.own, f.files))
	f.files++
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(name, name+lemmasSuffix)
}

// look reads the files of others that are new. What is no file of lemmas is left alone.
func (f *folder) look(sys *ts.System) error {
	names, err := filepath.Glob(filepath.Join(f.dir, "*"+lemmasSuffix))
	if err != nil {
		return err
	}
	var latches map[string]int
	for _, name := range names {
		if f.seen[name] || strings.HasPrefix(filepath.Base(name), f.own) {
			continue
		}
		f.seen[name] = true
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if latches == nil {
			latches = make(map[string]int)
			count := map[string]int{"": 2}
			for i, l := range sys.Latches {
				latches[l.Name] = i
				count[l.Name]++
			}
			maps.DeleteFunc(latches, func(name string, _ int) bool { return count[name] > 1 })
		}
		if clauses := parseLemmas(string(text), latches); len(clauses) > 0 {
			f.found = append(f.found, clauses)
		}
	}
	return nil
}

// parseLemmas reads a file of lemmas: the clauses all of whose latches there are. It returns nil for what is
// no such file.
func parseLemmas(text string, latches map[string]int) (clauses []ts.Clause) {
	lines := strings.Split(text, "\n")
	if n := len(lines); n < 3 || lines[0] != lemmasHeader || lines[n-2] != "end" || lines[n-1] != "" {
		return nil
	}
	for _, line := range lines[1 : len(lines)-2] {
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
