package explicit

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A checkpoint keeps states as a stream: of each state the bytes in which it differs from the one before it, deflated by
// blocks. States that follow one another have most of their bytes in common, so that a state of a kilobyte takes some
// ten bytes. A stream is read from its beginning only. Its bytes depend on the states alone, and not on when they were
// saved: the states behind the last block are kept apart (progress.Rest).

// stream writes states by number, each with the number of its predecessor.
type stream struct {
	coder
	w     io.Writer
	bytes int64  // written
	rest  []byte // codes of the states that are not written
	z     *flate.Writer
	block bytes.Buffer
}

// streamBlock is how many states make a block.
const streamBlock = 1 << 12

// save appends the states up to number n.
func (s *stream) save(n int, at func(i int) []byte, parent func(i int) int) (err error) {
	for s.n < n && err == nil {
		s.rest = s.encode(s.rest, at(s.n), parent(s.n))
		if s.n%streamBlock == 0 {
			err = s.write()
		}
	}
	return err
}

// write writes a block. Blocks follow one another as one deflated text without an end.
func (s *stream) write() error {
	s.block.Reset()
	if s.z == nil {
		s.z, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is one that there is
	}
	s.z.Reset(&s.block)
	s.z.Write(s.rest) // to memory
	s.z.Flush()
	n, err := s.w.Write(s.block.Bytes())
	s.bytes += int64(n)
	s.rest = s.rest[:0]
	return err
}

// read calls yield for the first n states, of which r has the blocks and rest what is apart.
func (s *stream) read(n int, r io.Reader, rest []byte, yield func() error) error {
	s.rest = rest
	in := bufio.NewReader(flate.NewReader(r))
	for s.n < n {
		if s.n == n-n%streamBlock {
			in.Reset(bytes.NewReader(rest))
		}
		if err := s.decode(in); err != nil {
			return err
		}
		if err := yield(); err != nil {
			return err
		}
	}
	return nil
}

// coder is what both sides know when n states are written.
type coder struct {
	n      int
	state  []byte // the last one, or zeros
	parent int    // of it
	sum    uint32 // of all states and predecessors
}

// encode appends the code of the next state to dst: how much its parent is above that of the state before, which is
// not above it; then pairs of how many bytes are as in the state before and how many are not, with the latter.
func (c *coder) encode(dst, b []byte, parent int) []byte {
	dst = binary.AppendUvarint(dst, uint64(parent-c.parent))
	for at := 0; at < len(b); {
		same := at
		for same+8 <= len(b) && binary.LittleEndian.Uint64(b[same:]) == binary.LittleEndian.Uint64(c.state[same:]) {
			same += 8
		}
		for same < len(b) && b[same] == c.state[same] {
			same++
		}
		end := same
		for end < len(b) && b[end] != c.state[end] {
			end++
		}
		dst = binary.AppendUvarint(dst, uint64(same-at))
		dst = binary.AppendUvarint(dst, uint64(end-same))
		dst = append(dst, b[same:end]...)
		at = end
	}
	copy(c.state, b)
	c.note(parent)
	return dst
}

// decode reads the next state, and its parent. What is damaged gives an error, or another sum.
func (c *coder) decode(r *bufio.Reader) error {
	up, err := binary.ReadUvarint(r)
	for at := 0; at < len(c.state) && err == nil; {
		var same, differ uint64
		if same, err = binary.ReadUvarint(r); err != nil {
			break
		}
		if differ, err = binary.ReadUvarint(r); err != nil {
			break
		}
		if left := uint64(len(c.state) - at); same > left || differ > left-same || same+differ == 0 {
			return errDamaged
		}
		at += int(same)
		_, err = io.ReadFull(r, c.state[at:at+int(differ)])
		at += int(differ)
	}
	if err != nil {
		return err
	}
	if up > uint64(c.n-1-c.parent) {
		return errDamaged
	}
	c.note(c.parent + int(up))
	return nil
}

// note makes state, with its parent, the next one.
func (c *coder) note(parent int) {
	c.sum = crc32.Update(crc32.Update(c.sum, castagnoli, c.state), castagnoli, binary.LittleEndian.AppendUint64(nil, uint64(parent+1)))
	c.parent = parent
	c.n++
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
