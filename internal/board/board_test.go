package board_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"orbitmc/internal/board"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// kept reports by enumeration whether all reset states satisfy the lemmas, with all
// images, and each step keeps them that begins where they and what is known hold.
func kept(s *tstest.Space, l evidence.Lemmas, gens []*ts.Perm, known []ts.Clause) bool {
	f, facts := &evidence.Proof{Clauses: l.Clauses}, &evidence.Proof{Clauses: known}
	for _, x := range s.Reset {
		if !mctest.Satisfies(s.Sys, f, gens, x) {
			return false
		}
	}
	for x := range s.Next {
		if !mctest.Satisfies(s.Sys, f, gens, uint32(x)) || !mctest.Satisfies(s.Sys, facts, nil, uint32(x)) {
			continue
		}
		for y, ok := range s.OK[x] {
			if ok && !mctest.Satisfies(s.Sys, f, gens, s.Next[x][y]) {
				return false
			}
		}
	}
	return true
}

// naively is kept, but that the lemmas alone, not their images, are to hold: what
// suffices under a symmetry, and what a check says that trusts the group.
func naively(s *tstest.Space, l evidence.Lemmas, gens []*ts.Perm, known []ts.Clause) bool {
	reps, f, facts := &evidence.Proof{Clauses: l.Clauses}, &evidence.Proof{Clauses: l.Clauses}, &evidence.Proof{Clauses: known}
	for _, x := range s.Reset {
		if !mctest.Satisfies(s.Sys, reps, nil, x) {
			return false
		}
	}
	for x := range s.Next {
		if !mctest.Satisfies(s.Sys, f, gens, uint32(x)) || !mctest.Satisfies(s.Sys, facts, nil, uint32(x)) {
			continue
		}
		for y, ok := range s.OK[x] {
			if ok && !mctest.Satisfies(s.Sys, reps, nil, s.Next[x][y]) {
				return false
			}
		}
	}
	return true
}

// TestBoard: lemmas are taken if and only if enumeration says that they are inductive
// under a group that is one of the system, and then hold, images and all, in every
// reachable state. Later ones may rest on earlier ones. A check that trusts the group
// takes some that are refused.
func TestBoard(t *testing.T) {
	ctx := context.Background()
	taken, refused, rested, unsound := 0, 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 77))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		// A symmetry of the system, or, of a broken one, what is none.
		var y *ts.Symmetry
		if rng.IntN(2) == 0 {
			y = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1, 2}[:len(c.Swaps)+1], Swaps: c.Swaps}}}
		}
		all := mctest.Outside(c.Sys, s.Reachable)
		for _, clause := range all { // shorter ones mean more
			for range rng.IntN(3) {
				i := rng.IntN(len(clause))
				clause[i] = clause[len(clause)-1]
				clause = clause[:max(1, len(clause)-1)]
			}
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b := &board.Board{}
		var known []ts.Clause
		for len(all) > 0 {
			n := 1 + rng.IntN(len(all))
			l := evidence.Lemmas{Clauses: all[:n], Group: y}
			all = all[n:]
			b.Post(l)
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := b.Take(ended, p, 0); !errors.Is(err, context.Canceled) {
				t.Fatalf("seed %d: taken without a check: %v", seed, err)
			}
			before := len(known)
			got, err := b.Take(ctx, p, before)
			want := kept(s, l, y.Generators(), known)
			if err != nil && !want && naively(s, l, y.Generators(), known) {
				unsound++
			}
			if !c.Broken && (err == nil) != want || err == nil && !want {
				t.Fatalf("seed %d: %v, want taken %v", seed, err, want)
			}
			if err != nil {
				refused++
				if again, _ := b.Take(ctx, p, 0); len(again) > 0 {
					t.Fatalf("seed %d: %d clauses are taken later", seed, len(again))
				}
				break
			}
			taken++
			known = append(known, got...)
			if !kept(s, l, y.Generators(), nil) {
				rested++
			}
			for x, ok := range s.Reachable {
				if ok && !mctest.Satisfies(c.Sys, &evidence.Proof{Clauses: known}, y.Generators(), uint32(x)) {
					t.Fatalf("seed %d: a lemma does not hold in a reachable state", seed)
				}
			}
		}
	}
	if taken < 100 || refused < 50 || rested == 0 || unsound == 0 {
		t.Errorf("%d taken, %d resting on others, %d refused, %d of them for the group", taken, rested, refused, unsound)
	}
	t.Logf("%d taken, %d resting on others, %d refused, %d of them for the group", taken, rested, refused, unsound)
	var none *board.Board
	none.Post(evidence.Lemmas{Clauses: []ts.Clause{{0}}})
	if got, err := none.Take(ctx, nil, 0); got != nil || err != nil {
		t.Errorf("of no board: %v, %v", got, err)
	}
}

// TestConcurrent: what engines that run side by side share may be used by all at once:
// the board, the problem, and the check of evidence. Run it with the race detector.
func TestConcurrent(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 78))
		c := tstest.RandomOf(rng, 3)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		var y *ts.Symmetry
		if !c.Broken {
			y = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Swaps: c.Swaps}}}
		}
		all := mctest.Outside(c.Sys, s.Reachable)
		b := &board.Board{}
		lists := make([][]ts.Clause, 4)
		var wg sync.WaitGroup
		for i := range lists {
			wg.Go(func() {
				b.Post(evidence.Lemmas{Clauses: all, Group: y})
				got, err := b.Take(ctx, p, 0)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				lists[i] = got
			})
			wg.Go(func() {
				r := mc.NewResult("x", p)
				for k := range r.Props {
					if s.Depth[r.Props[k].Prop] < 0 {
						r.Props[k].Status, r.Props[k].Proof = mc.Safe, &evidence.Proof{K: 1, Clauses: all, Group: y}
					}
				}
				if err := certify.Verify(ctx, p, r); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			})
		}
		wg.Wait()
		for _, list := range lists {
			if len(list) != len(all) || !slices.EqualFunc(list, lists[0], slices.Equal) {
				t.Errorf("seed %d: %d lemmas are taken of %d", seed, len(list), len(all))
			}
		}
	}
}
