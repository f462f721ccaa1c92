package explicit

import (
	"strings"
	"sync/atomic"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// TestWorkers: each thing is done once, and a panic of any worker reaches who shares.
func TestWorkers(t *testing.T) {
	m, err := murphi.Parse("one.m", []byte("var x: 0..1; startstate begin x := 0; end; rule x = 0 ==> begin x := 1; end;"), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSearch(model.Compile(m), Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	var done [100]atomic.Int32
	s.share(len(done), func(_ *worker, k int) { done[k].Add(1) })
	for k := range done {
		if n := done[k].Load(); n != 1 {
			t.Errorf("%d was done %d times", k, n)
		}
	}
	for k := range done {
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.Contains(v, "seven") {
					t.Errorf("recovered %v", v)
				}
			}()
			s.share(len(done), func(_ *worker, i int) {
				if i == k {
					panic("seven")
				}
			})
		}()
	}
}

// TestClaim: of equal candidates the least keeps the slot, whichever comes first, and
// those of other states do not.
func TestClaim(t *testing.T) {
	s := newSet(1)
	states := [][]byte{{7}, {8}, {7}, {7}, {8}}
	h := uint64(1) << 63 // the same for all
	candidate := func(c uint32) []byte { return states[c] }
	slots := make([]int, len(states))
	for _, c := range []uint32{4, 2, 3, 0, 1} {
		_, known, slot := s.claim(states[c], h, c, candidate, &s.own)
		if known {
			t.Fatalf("state %d is known", c)
		}
		slots[c] = slot
	}
	if slots[0] != slots[2] || slots[0] != slots[3] || slots[1] != slots[4] || slots[0] == slots[1] || s.owner(slots[0]) != 0 || s.owner(slots[1]) != 1 {
		t.Errorf("slots %v, owners %d and %d", slots, s.owner(slots[0]), s.owner(slots[1]))
	}
	if _, ok := s.settled(slots[0]); ok {
		t.Error("a claim is no state")
	}
	s.insert(states[0], slots[0], h, noParent)
	s.insert(states[1], slots[1], h, 0)
	if i, ok := s.settled(slots[0]); !ok || i != 0 {
		t.Errorf("the first state has number %d", i)
	}
	if i, known, _ := s.claim(states[3], h, 9, candidate, &s.own); !known || i != 0 {
		t.Errorf("it is found as %d, %v", i, known)
	}
}
