package explicit

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"runtime/debug"
	"slices"
	"sort"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// When memory is used up, the search goes on from disk, by delayed duplicate detection:
// Stern and Dill, Using magnetic disk instead of main memory in the Murphi verifier (CAV
// 1998); Korf, Best-first frontier search with delayed duplicate detection (AAAI 2004).
// The successors of a layer are sorted. Of equal ones that with the least predecessor and
// rule instance is kept, unless the state is in one of the sorted files of known states.
// What is left is sorted by predecessor and rule instance. This is the order in which the
// states get their numbers, so that all counts and traces are those of a search in memory.

// disk is a visited set in files.
type disk struct {
	create func() (file, error)
	size   int     // bytes of a packed state
	log    *log    // the states
	known  []*runs // the same states, sorted
	memory int     // bytes for sorting
	parts  int     // what next has begins with the part of a state, if it is not 0; see parts.go

	next  *sorter // successors of the layer at hand: state, predecessor, place among its successors
	fresh *sorter // those in new states, the state last
	named *sorter // new states with their numbers
}

// successorBytes is what a record of disk.next has besides the state, and numberBytes
// what a record of a known state has.
const (
	successorBytes = 12
	numberBytes    = 8
)

// spill moves the visited set to disk.
func (s *search) spill() error {
	s.set.table = nil
	f, err := s.create()
	if err != nil {
		return err
	}
	d := &disk{create: s.create, size: s.set.size, memory: int(s.opt.MemLimit / 2), log: newLog(f, s.set.size)}
	d.next = newSorter(d.create, d.size+successorBytes, d.memory/2)
	d.fresh = newSorter(d.create, d.size+successorBytes, d.memory/4)
	d.named = newSorter(d.create, d.size+numberBytes, d.memory/4)
	for i := range s.set.n {
		b := s.set.at(i)
		if err := d.log.append(b); err != nil {
			return err
		}
		if err := d.named.add(b, numbered(i)); err != nil {
			return err
		}
	}
	if err := d.log.w.Flush(); err != nil {
		return err
	}
	if err := d.keep(); err != nil {
		return err
	}
	if s.steps != nil {
		s.inform(d.log.view())
		s.steps = nil
	}
	s.disk, s.set.blocks, s.set.tree = d, nil, nil
	s.sets, s.ordered = nil, false
	debug.FreeOSMemory()
	return nil
}

// numbered returns a number as bytes in the order of numbers.
func numbered(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

// put notes a successor, number k of those in the chunk of its predecessor.
func (d *disk) put(b []byte, from, k int) error {
	var rest [successorBytes]byte
	binary.BigEndian.PutUint64(rest[:], uint64(from+1))
	binary.BigEndian.PutUint32(rest[8:], uint32(k))
	if d.parts > 0 {
		return d.next.add(partKey(partOf(b, d.parts)), b, rest[:])
	}
	return d.next.add(b, rest[:])
}

// settle finds the new states among the successors of a layer, and gives them numbers.
func (s *search) settle(ctx context.Context) (err error) {
	d := s.disk
	n, found, limit := s.set.n, slices.Clone(s.found), s.limit
	defer func() {
		if err != nil { // some of it may not be readable
			s.set.n, s.found, s.limit = n, found, limit
		}
	}()
	defer d.fresh.close()
	defer d.named.close()
	cursors := lists.Map(d.known, func(r *runs) *cursor { return &cursor{of: r} })
	var last []byte
	count := 0
	err = d.next.each(func(b []byte) error {
		if count++; count&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		state := b[:d.size]
		if last != nil && bytes.Equal(last, state) {
			return nil
		}
		last = append(last[:0], state...)
		for _, c := range cursors {
			if found, err := c.seek(state); found != nil || err != nil {
				return err
			}
		}
		return d.fresh.add(b[d.size:], state)
	})
	if err != nil {
		return err
	}
	c := &chunk{changed: []uint64{^uint64(0)}}
	err = d.fresh.each(func(b []byte) error {
		if count++; count&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, k, state := int(binary.BigEndian.Uint64(b))-1, int(binary.BigEndian.Uint32(b[8:])), b[successorBytes:]
		i := s.set.n
		s.set.n++
		s.set.parents.append(from + 1)
		if err := d.log.append(state); err != nil {
			return err
		}
		c.states = append(c.states[:0], state...)
		s.check(c, 0, func(v *model.Violation) {
			s.report(finding{Depth: s.depth + 1, State: i, Violation: v, From: from, At: 2*k + 1})
		})
		return d.named.add(state, numbered(i))
	})
	if err == nil {
		err = d.log.w.Flush()
	}
	if err != nil {
		return err
	}
	return d.keep()
}

// keep makes a sorted file of the named states. Files of similar lengths are merged, so
// that there are few.
func (d *disk) keep() error {
	if err := d.write(d.named.each); err != nil {
		return err
	}
	for n := len(d.known); n > 1 && d.known[n-2].n <= 2*d.known[n-1].n; n = len(d.known) {
		if err := d.join(); err != nil {
			return err
		}
	}
	return nil
}

// write makes a sorted file of known states.
func (d *disk) write(each func(yield func(b []byte) error) error) error {
	f, err := d.create()
	if err != nil {
		return err
	}
	r, err := newRuns(f, d.size, each)
	if err == nil && r.n > 0 {
		d.known = append(d.known, r)
	} else {
		f.Close()
	}
	return err
}

// join merges the last two files. They stay if that fails.
func (d *disk) join() error {
	n := len(d.known) - 2
	older, newer := d.known[n], d.known[n+1]
	d.known = d.known[:n]
	err := d.write(func(yield func(b []byte) error) error {
		return merge([]*records{&older.records, &newer.records}, yield)
	})
	if err != nil {
		d.known = append(d.known, older, newer)
		return err
	}
	older.f.Close()
	newer.f.Close()
	return nil
}

// runs is a sorted file of known states with their numbers, with the first state of
// each block.
type runs struct {
	records
	state  int      // bytes of a state
	block  int      // records of a block
	firsts [][]byte // by block
}

func newRuns(f file, size int, each func(yield func(b []byte) error) error) (*runs, error) {
	r := &runs{records: records{f: f, size: size + numberBytes}, state: size}
	r.block = max(1, (1<<12)/r.size)
	w := newWriter(f)
	err := each(func(b []byte) error {
		if r.n%r.block == 0 {
			r.firsts = append(r.firsts, slices.Clone(b[:size]))
		}
		r.n++
		_, err := w.Write(b)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	return r, err
}

// cursor looks states up in a sorted file.
type cursor struct {
	of   *runs
	at   int    // the block that is read, if some is not nil
	some []byte // it
}

// seek returns the record of a state, or nil.
func (c *cursor) seek(state []byte) ([]byte, error) {
	r := c.of
	block := sort.Search(len(r.firsts), func(i int) bool { return bytes.Compare(r.firsts[i], state) > 0 }) - 1
	if block < 0 {
		return nil, nil
	}
	if c.some == nil || c.at != block {
		var err error
		if c.some, err = r.read(c.some, block*r.block, r.block); err != nil {
			c.some = nil
			return nil, err
		}
		c.at = block
	}
	at := func(i int) []byte { return c.some[i*r.size : (i+1)*r.size] }
	n := len(c.some) / r.size
	i := sort.Search(n, func(i int) bool { return bytes.Compare(at(i)[:r.state], state) >= 0 })
	if i < n && bytes.Equal(at(i)[:r.state], state) {
		return at(i), nil
	}
	return nil, nil
}

// find returns the number of a state; ok is false if there is none.
func (d *disk) find(state []byte) (i int, ok bool) {
	for _, r := range d.known {
		if b, err := (&cursor{of: r}).seek(state); err == nil && b != nil {
			return int(binary.BigEndian.Uint64(b[d.size:])), true
		}
	}
	return 0, false
}

// stop notes why the search cannot go on from disk.
func (s *search) stop(err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		s.reason = Reason(err.Error())
	} else {
		s.reason = Reason("disk: " + err.Error())
	}
}
