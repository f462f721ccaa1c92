package states

import (
	"bytes"
	"context"
	"fmt"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// This file checks a closed set in parts, on many machines. Look goes through the members of a part as the check on
// one machine does. It permutes each state that a step leads to, and sends the image to the part that may have it. Meet
// goes through what was sent to a part, and through its members: each state sent must be one of them. Both are of the
// set that is read. In the end all is compared: each part was looked at and met, both read the same members, and for
// each two parts what one sent is what the other received (docs/theory/soundness.md).

// Look looks at the members of a part.
func Look(ctx context.Context, p *mc.Problem, part evidence.Part) (*evidence.Looked, error) {
	k := newClosureCheck(p.Exact())
	_, n := part.Number()
	found := &evidence.Looked{Sent: make([]evidence.Tally, n)}
	k.own, k.sent = part, found.Sent
	if err := k.see(part); err != nil {
		return nil, err
	}
	for k.done < part.Len() {
		if k.done&255 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found.Members.Add(k.from.member(k.done))
		if err := k.members(k.done, 1, nil); err != nil {
			return nil, err
		}
		k.done++
	}
	found.Shown, found.Hid, found.Reference = k.shown, k.hides(), k.memo != nil
	return found, nil
}

// send sends the image of a packed state to the part that may have it.
func (cc *closureCheck) send(s []byte) (*closurePerm, error) {
	_, by, _ := cc.own.Guess(s[:cc.packer.Size()])
	perm, err := cc.permutation(cc.key(by), by)
	if err != nil {
		return nil, err
	}
	s = cc.imageOf(perm, s)
	to := cc.own.Of(s)
	cc.sent[to].Add(s)
	return perm, cc.own.Send(s, to)
}

// Meet checks that what was sent to a part are members of it.
func Meet(ctx context.Context, part evidence.Part) (*evidence.Met, error) {
	number, n := part.Number()
	met := &evidence.Met{Received: make([]evidence.Tally, n)}
	var member []byte
	return met, part.Meet(func(s []byte, from int) error {
		switch {
		case from >= 0 && (met.Members.N == 0 || !bytes.Equal(member, s)):
			return fmt.Errorf("a reachable state is missing")
		case from >= 0:
			met.Received[from].Add(s)
			return nil
		case met.Members.N > 0 && bytes.Compare(member, s) >= 0:
			return fmt.Errorf("members are not in order")
		case part.Of(s) != number:
			return fmt.Errorf("a member is in the wrong part")
		}
		member = append(member[:0], s...)
		met.Members.Add(s)
		if met.Members.N&0xffff == 0 {
			return ctx.Err()
		}
		return nil
	})
}

// parted is what finish and what follows it are for a set that is not in parts.
func (cc *closureCheck) parted(ctx context.Context, c evidence.Parted) (part float64, err error) {
	if err := cc.starts(); err != nil {
		return 0, fmt.Errorf("start state: %w", err)
	}
	looked, met, part, err := c.Checked(ctx)
	if err != nil {
		return part, err
	}
	if len(looked) == 0 || len(met) != len(looked) {
		return 1, fmt.Errorf("of %d parts %d were met", len(looked), len(met))
	}
	cc.parts = len(looked)
	members := int64(0)
	for i, l := range looked {
		if l.Members != met[i].Members {
			return 1, fmt.Errorf("part %d has other members where it was looked at than where it was met", i)
		}
		if len(l.Sent) != len(looked) || len(met[i].Received) != len(looked) || len(l.Shown) != len(cc.shown) {
			return 1, fmt.Errorf("part %d is not one of %d", i, len(looked))
		}
		for to, sent := range l.Sent {
			if got := met[to].Received[i]; got != sent {
				return 1, fmt.Errorf("part %d sent %d states to part %d, which received %d, or others", i, sent.N, to, got.N)
			}
		}
		members += l.Members.N
		cc.hid = cc.hid || l.Hid
		if !l.Reference {
			cc.memo = nil
		}
		for prop, is := range l.Shown {
			cc.shown[prop] = cc.shown[prop] || is
		}
	}
	if members != c.Len() {
		return 1, fmt.Errorf("the parts have %d members, and the set has %d", members, c.Len())
	}
	return 1, nil
}
