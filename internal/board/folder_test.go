package board_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/board"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// exchange writes what was posted, and returns what others wrote.
func exchange(t *testing.T, b *board.Board, p *mc.Problem) [][]ts.Clause {
	t.Helper()
	sets, err := b.Exchange(context.Background(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// TestShare: two boards, as of two processes, exchange lemmas by files. What one takes from the other
// holds in all reachable states; sets that do not are refused, whatever a file says.
func TestShare(t *testing.T) {
	ctx := context.Background()
	taken, refused := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 79))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		for i := range c.Sys.Latches {
			if c.Sys.Latches[i].Name == "" {
				c.Sys.Latches[i].Name = fmt.Sprint("l", i)
			}
		}
		all := mctest.Outside(c.Sys, s.Reachable)
		for _, clause := range all { // shorter ones mean more, and may be wrong
			for range rng.IntN(3) {
				i := rng.IntN(len(clause))
				clause[i] = clause[len(clause)-1]
				clause = clause[:max(1, len(clause)-1)]
			}
		}
		if len(all) == 0 {
			continue
		}
		dir := t.TempDir()
		var from, to board.Board
		from.Share(dir)
		to.Share(dir)
		// The sender does not check what it posts: a file may hold anything.
		n := 1 + rng.IntN(len(all))
		from.Post(evidence.Lemmas{Clauses: all[:n]})
		exchange(t, &from, p)
		if rng.IntN(2) == 0 && n < len(all) {
			from.Post(evidence.Lemmas{Clauses: all[n:]})
			exchange(t, &from, p)
		}
		got, err := to.Take(ctx, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 {
			taken++
		} else {
			refused++
		}
		for x, ok := range s.Reachable {
			if ok && !mctest.Satisfies(c.Sys, &evidence.Proof{Clauses: got}, nil, uint32(x)) {
				t.Fatalf("seed %d: a lemma does not hold in a reachable state", seed)
			}
		}
		if kept(s, evidence.Lemmas{Clauses: all[:n]}, nil, nil) && len(got) < len(all[:n]) && !hasAll(got, all[:n]) {
			t.Errorf("seed %d: lemmas that hold are refused", seed)
		}
	}
	if taken < 40 || refused < 40 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
	t.Logf("%d taken, %d refused", taken, refused)
}

// hasAll reports whether all clauses are in a list.
func hasAll(list, clauses []ts.Clause) bool {
	for _, c := range clauses {
		c = slices.Clone(c)
		slices.Sort(c)
		c = slices.Compact(c)
		if !slices.ContainsFunc(list, func(d ts.Clause) bool { return slices.Equal(c, d) }) {
			return false
		}
	}
	return true
}

// TestShareFiles: files that are cut off or changed are left alone, lemmas about latches that there are
// not are left out.
func TestShareFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := tstest.Random(rng)
	p := mctest.Problem(c)
	for i := range c.Sys.Latches {
		c.Sys.Latches[i].Name = fmt.Sprintf("a %d\n", i)
	}
	const good = "orbitmc-lemmas 1\n\"a 0\\n\" !\"a 1\\n\"\nend\n"
	for text, want := range map[string]string{
		good: "[[0 3]]",
		"orbitmc-lemmas 1\n\"a 0\\n\"\n\"b\" !\"a 1\\n\"\nend\n": "[[0]]",
		"orbitmc-lemmas 1\n\"b\"\nend\n":                         "",
		good[:len(good)-1]:                                       "",
		good[:len(good)-4]:                                       "",
		"orbitmc-lemmas 2" + good[16:]:                           "",
		strings.Replace(good, "!", "! ", 1):                      "",
		strings.Replace(good, `\n"`, ``, 1):                      "",
		"":                                                       "",
		"orbitmc-lemmas 1\nend\n":                                "",
		"orbitmc-lemmas 1\n\nend\n":                              "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.lemmas"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var b board.Board
		b.Share(dir)
		got := ""
		for _, set := range exchange(t, &b, p) {
			got += fmt.Sprint(set)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
