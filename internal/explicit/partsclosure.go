package explicit

import (
	"context"
	"encoding/binary"
	"fmt"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// partsClosure is the visited set of a search in parts as evidence, as a whole or a part of it. Members are those of
// file after file, part after part.
type partsClosure struct {
	of    closure // for representatives
	x     *partly
	part  int // -1: all
	files []*blocks
	first []int // by part: its first file
	sent  *sorter
}

// closure opens the states of a part, or of all if it is -1.
func (pa *partly) closure(part int) (*partsClosure, error) {
	c := &partsClosure{of: closure{packer: pa.s.packer, canon: pa.s.canon}, x: pa, part: part}
	for q := range pa.Parts.Of {
		c.first = append(c.first, len(c.files))
		if part >= 0 && q != part {
			continue
		}
		files, err := pa.openKnown(q)
		if c.files = append(c.files, files...); err != nil {
			closeAll(c.files)
			return nil, err
		}
	}
	if n := countAll(c.files); part < 0 && n != pa.total() {
		closeAll(c.files)
		return nil, fmt.Errorf("internal error: the parts have %d states, and %d were found", n, pa.total())
	}
	return c, nil
}

// Len implements evidence.Closure.
func (c *partsClosure) Len() int64 { return int64(countAll(c.files)) }

// Member implements evidence.View.
func (c *partsClosure) Member(i int64) []byte {
	k := 0
	for ; i >= int64(c.files[k].i.N); k++ {
		i -= int64(c.files[k].i.N)
	}
	b, err := c.files[k].record(int(i))
	if err != nil {
		panic(fmt.Sprintf("a state cannot be read from disk: %v", err))
	}
	return b[partBytes:]
}

// Guess implements evidence.Closure.
func (c *partsClosure) Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool) {
	rep, perm := c.of.least(s)
	if c.part >= 0 { // most lead elsewhere
		return 0, perm, false
	}
	q := c.Of(rep)
	for k, f := range c.files {
		if k >= c.first[q] {
			if n, is, err := f.find(append(partKey(q), rep...)); is && err == nil {
				return i + int64(n), perm, true
			}
		}
		i += int64(f.i.N)
	}
	return 0, perm, false
}

// Checked implements evidence.Parted.
func (c *partsClosure) Checked(ctx context.Context) (looked []*evidence.Looked, met []*evidence.Met, share float64, err error) {
	x := c.x
	for _, kind := range []string{"look", "meet"} {
		if err == nil {
			err = x.phase(ctx, kind, 0, x.all(), x.total())
		}
	}
	for q := range x.Parts.Of {
		if l := new(evidence.Looked); x.read(taskName("look", 0, q), l) {
			looked = append(looked, l)
		}
		if m := new(evidence.Met); x.read(taskName("meet", 0, q), m) {
			met = append(met, m)
		}
	}
	return looked, met, float64(len(looked)+len(met)) / float64(2*x.Parts.Of), err
}

// Number implements evidence.Part.
func (c *partsClosure) Number() (number, of int) { return c.part, c.x.Parts.Of }

// Of implements evidence.Part.
func (c *partsClosure) Of(s []byte) int { return partOf(s, c.x.Parts.Of) }

// Send implements evidence.Part.
func (c *partsClosure) Send(s []byte, to int) error {
	return c.sent.add(partKey(to), s, partKey(c.part))
}

// Meet implements evidence.Part. A member is a shorter record than what was sent, so it is the first of those that are
// about one state.
func (c *partsClosure) Meet(yield func(s []byte, from int) error) error {
	x := c.x
	files, err := x.open("look-%d-%d.to", x.key+partBytes, false, 0, x.all())
	if err != nil {
		return err
	}
	defer closeAll(files)
	all, _, err := between(files, partKey(c.part), partKey(c.part+1))
	if err != nil {
		return err
	}
	return merge(append(all, recordsOf(c.files)...), func(b []byte) error {
		if len(b) == x.key {
			return yield(b[partBytes:], -1)
		}
		return yield(b[partBytes:x.key], int(binary.BigEndian.Uint16(b[x.key:])))
	})
}

// look has the members of a part looked at.
func (pa *partly) look(ctx context.Context, q int) (*evidence.Looked, error) {
	c, err := pa.closure(q)
	if err != nil {
		return nil, err
	}
	defer closeAll(c.files)
	c.sent = pa.sorter(pa.key + partBytes)
	found, err := pa.Look(ctx, pa.problem, c)
	if err != nil {
		return nil, err
	}
	return found, writeBlocks(pa.file(taskName("look", 0, q)+".to"), pa.key+partBytes, c.sent.each)
}

// meet has what was sent to a part compared with its members.
func (pa *partly) meet(ctx context.Context, q int) (*evidence.Met, error) {
	c, err := pa.closure(q)
	if err != nil {
		return nil, err
	}
	defer closeAll(c.files)
	return pa.Meet(ctx, c)
}
