package model_test

import (
	"math/rand/v2"
	"testing"

	. "orbitmc/model"
)

// TestParts: an invariant holds if all its parts do, and no part depends on leaves that its Reads
// leave out.
func TestParts(t *testing.T) {
	outside, divided, holds, fails := 0, 0, 0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := randomModel(r)
		p := Compile(m)
		mach := p.NewMachine()
		scratch := mach.Scratch()
		for _, q := range m.Props {
			if q.Kind != Invariant {
				continue
			}
			parts := p.Parts(q.Index)
			if len(parts) > 1 {
				divided++
			}
			for range 5 {
				s, u := randomState(r, m), randomState(r, m)
				copy(scratch, s)
				all := len(parts) > 0
				for i := range parts {
					one := parts[i : i+1]
					copy(scratch, s)
					ok := mach.AllHold(scratch, one, 1)
					all = all && ok
					for k := range s {
						switch reads := one[0].Reads; {
						case reads == nil || reads[k]:
							scratch[k] = s[k]
						default:
							if scratch[k] = u[k]; u[k] != s[k] {
								outside++
							}
						}
					}
					if mach.AllHold(scratch, one, 1) != ok {
						t.Fatalf("seed %d: part %d of %q depends on more than it reads, in\n%v\n%v", seed, i, q.Name, s, scratch)
					}
				}
				copy(scratch, s)
				if parts != nil && mach.AllHold(scratch, parts, ^uint64(0)) != all {
					t.Fatalf("seed %d: %q: all parts together are not what they are alone, in\n%v", seed, q.Name, s)
				}
				switch v := mach.Violated(s, q.Index); {
				case all && v != nil:
					t.Fatalf("seed %d: all parts of %q hold, but %v, in\n%v", seed, q.Name, v, s)
				case all:
					holds++
				case parts != nil && v != nil:
					fails++
				case parts != nil && v == nil && !assumes(m):
					t.Fatalf("seed %d: a part of %q does not hold, but all does, in\n%v", seed, q.Name, s)
				}
			}
		}
	}
	if outside < 1000 || divided < 100 || holds < 100 || fails < 100 {
		t.Errorf("%d leaves were left out, %d invariants divided, %d hold and %d do not", outside, divided, holds, fails)
	}
}

// assumes reports whether a procedure has an assume statement: an invariant that fails one holds.
func assumes(m *Model) (found bool) {
	for _, q := range m.Procs {
		Inspect(q.Body, func(n any) {
			_, ok := n.(*Assume)
			found = found || ok
		})
	}
	return found
}
