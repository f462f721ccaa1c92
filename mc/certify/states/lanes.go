package states

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"orbitmc/encode"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// lanes computes the steps of 64 members of a closure at once, by simulating the
// transition system as a circuit over the bits of a packed state (lanes_circuit.go). A lane is a
// member.
type lanes struct {
	k     *closureCheck
	enc   *encode.Encoding
	gates []gate   // operands before their users
	words []uint64 // by node: 0 is false, then the bits of a packed state, then the gates
	bits  int      // of a packed state

	member lit   // the bits are those of a state that the encoding can tell
	shown  []lit // by property
	steps  []laneStep
	holds  map[*model.Property][]lit // by instance, of a liveness property

	base  [64][]byte
	room  [64][]byte // of base
	at    [64]cursor
	as    [64]bool
	edges [64][]laneEdge // for liveness

	touched byte // keeps what step reads ahead
}

// lit is a node of the circuit times two, plus one if negated.
type lit uint32

type gate struct{ a, b lit }

// laneStep is a rule instance.
type laneStep struct {
	number  int      // see model.Program.Instances; -1 is none
	changes [][2]lit // the latches that it may change: the value now and then
	leaves  []laneLeaf
}

// laneLeaf is a leaf that a rule instance may change.
type laneLeaf struct {
	pos   int
	mask  uint64
	code  uint64  // if there are no latches
	latch []lit   // else the latches then
	table []int64 // by their values: the code, or -1
}

type laneEdge struct {
	to   int64
	perm *closurePerm
}

// word returns the value of a literal in each lane.
func (l *lanes) word(x lit) uint64 { return l.words[x>>1] ^ -uint64(x&1) }

// members looks at n members, at most 64, from first on; see the method of
// closureCheck.
func (l *lanes) members(first int64, n int, steps *evidence.Steps) error {
	k := l.k
	used := ^uint64(0) >> (64 - n)
	for i := range n {
		l.base[i] = k.from.kept(&l.room[i], first+int64(i))
		l.at[i], l.as[i] = start(steps, first+int64(i)), true
	}
	l.load(n)
	words := l.words
	for i, at := 0, 1+l.bits; i < len(l.gates); i, at = i+1, at+1 {
		g := l.gates[i]
		words[at] = (words[g.a>>1] ^ -uint64(g.a&1)) & (words[g.b>>1] ^ -uint64(g.b&1))
	}
	if l.word(l.member)&used != used {
		return fmt.Errorf("a state that the encoding takes to be impossible")
	}
	exchanges := k.leavesOut(steps)
	if exchanges != nil {
		exchanges.lanes(l.base[:n])
	}
	for prop, x := range l.shown {
		k.shown[prop] = k.shown[prop] || l.word(x)&used != 0
	}
	for i := range l.steps {
		s := &l.steps[i]
		moved := uint64(0)
		for _, c := range s.changes {
			moved |= l.word(c[0]) ^ l.word(c[1])
		}
		if moved &= used; moved != 0 && exchanges != nil {
			moved &^= exchanges.leftOut(s.number)
		}
		if moved == 0 {
			continue
		}
		if err := l.step(s, moved, steps); err != nil {
			return err
		}
	}
	for i := range n {
		if !l.as[i] || l.at[i].at != l.at[i].end {
			k.later = append(k.later, first+int64(i))
		}
		if k.live == nil {
			continue
		}
		for _, c := range k.live {
			err := c.enter(first+int64(i), func(inst int) bool { return l.word(l.holds[c.prop][inst])>>i&1 == 1 })
			for _, e := range l.edges[i] {
				if err == nil {
					err = c.step(e.to, e.perm.perm)
				}
			}
			if err == nil {
				err = c.leave()
			}
			if err != nil {
				return err
			}
		}
		l.edges[i] = l.edges[i][:0]
	}
	return nil
}

// load puts the first n of base into words.
func (l *lanes) load(n int) {
	size := l.bits / 8
	for at := 0; at < size; at += 8 {
		var rows [64]uint64
		for i := range n {
			if b := l.base[i]; at+8 <= size {
				rows[i] = binary.LittleEndian.Uint64(b[at:])
			} else {
				for j, x := range b[at:] {
					rows[i] |= uint64(x) << (8 * j)
				}
			}
		}
		transpose(&rows)
		copy(l.words[1+8*at:1+min(8*at+64, l.bits)], rows[:])
	}
}

// transpose makes bit j of row i bit i of row j (Warren, Hacker's Delight, 7-3).
func transpose(rows *[64]uint64) {
	for j, mask := 32, uint64(1<<32-1); j > 0; j, mask = j>>1, mask^mask<<(j>>1) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (rows[k]>>j ^ rows[k+j]) & mask
			rows[k] ^= t << j
			rows[k+j] ^= t
		}
	}
}

// step looks at a rule instance in the lanes in which it moves.
func (l *lanes) step(s *laneStep, moved uint64, steps *evidence.Steps) error {
	k := l.k
	size := l.bits / 8
	if steps != nil { // have the members fetched, all at once
		var sum byte
		for rest := moved; rest != 0; rest &= rest - 1 {
			if at := l.at[bits.TrailingZeros64(rest)]; at.at < at.end && size > 0 {
				sum += k.to.touch(int64(steps.Targets[at.at]))
			}
		}
		l.touched = sum
	}
	for ; moved != 0; moved &= moved - 1 {
		lane := bits.TrailingZeros64(moved)
		b := k.packed
		copy(b, l.base[lane])
		for i := range s.leaves {
			f := &s.leaves[i]
			code := f.code
			if f.latch != nil {
				c := l.code(f, lane)
				if c < 0 {
					return fmt.Errorf("a step leads to latches that mean no state")
				}
				code = uint64(c)
			}
			model.PutBits(b, f.pos, f.mask, code)
		}
		to, perm, ok, err := k.step(b, steps, &l.at[lane])
		if err != nil {
			return err
		}
		l.as[lane] = l.as[lane] && ok
		if k.live != nil {
			l.edges[lane] = append(l.edges[lane], laneEdge{to, perm})
		}
	}
	return nil
}

// code returns the code of a leaf in a lane, or -1.
func (l *lanes) code(f *laneLeaf, lane int) int64 {
	at := 0
	if len(f.latch) <= mostLaneLatches {
		for j, x := range f.latch {
			at |= int(l.word(x)>>lane&1) << j
		}
		return f.table[at]
	}
	for j, x := range f.latch {
		if l.word(x)>>lane&1 == 1 {
			if at != 0 {
				return -1
			}
			at = 1 + j
		}
	}
	return f.table[at]
}
