package litmus

import "strings"

// classics are tests that the literature has names for, with the outcome that SC forbids, or that shows coherence.
const classics = `
litmus MP
P0: x = 1; y = 1
P1: r0 = y; r1 = x
~exists (1:r0=1 /\ 1:r1=0)

litmus SB
P0: x = 1; r0 = y
P1: y = 1; r0 = x
~exists (0:r0=0 /\ 1:r0=0)

litmus SB+fences
P0: x = 1; fence; r0 = y
P1: y = 1; fence; r0 = x
~exists (0:r0=0 /\ 1:r0=0)

litmus LB
P0: r0 = x; y = 1
P1: r0 = y; x = 1
~exists (0:r0=1 /\ 1:r0=1)

litmus S
P0: x = 2; y = 1
P1: r0 = y; x = 1
~exists (1:r0=1 /\ x=2)

litmus R
P0: x = 1; y = 1
P1: y = 2; r0 = x
~exists (y=2 /\ 1:r0=0)

litmus 2+2W
P0: x = 1; y = 2
P1: y = 1; x = 2
~exists (x=1 /\ y=1)

litmus WRC
P0: x = 1
P1: r0 = x; y = 1
P2: r0 = y; r1 = x
~exists (1:r0=1 /\ 2:r0=1 /\ 2:r1=0)

litmus ISA2
P0: x = 1; y = 1
P1: r0 = y; z = 1
P2: r0 = z; r1 = x
~exists (1:r0=1 /\ 2:r0=1 /\ 2:r1=0)

litmus IRIW
P0: x = 1
P1: r0 = x; r1 = y
P2: y = 1
P3: r0 = y; r1 = x
~exists (1:r0=1 /\ 1:r1=0 /\ 3:r0=1 /\ 3:r1=0)

litmus CoRR
P0: x = 1
P1: r0 = x; r1 = x
~exists (1:r0=1 /\ 1:r1=0)

litmus CoWW
P0: x = 1; x = 2
~exists (x=1)

litmus CoRW
P0: r0 = x; x = 1
~exists (0:r0=1)

litmus CoWR
P0: x = 1; r0 = x
P1: x = 2
~exists (0:r0=0)
`

// Classics returns the tests that are known by name.
func Classics() (all []*Test) {
	for text := range strings.SplitSeq(strings.TrimSpace(classics), "\n\n") {
		t, err := Parse("", text)
		if err != nil {
			panic("litmus: " + err.Error())
		}
		all = append(all, t)
	}
	return all
}
