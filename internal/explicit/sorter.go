package explicit

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"io"
	"os"
	"slices"
)

// file is what is written once, from the beginning on, and read anywhere.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// scratchFile creates a file that is gone when it is closed or the process ends, where the
// system can do so.
func scratchFile(dir string) (file, error) {
	f, err := os.CreateTemp(dir, "orbitmc-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // Windows leaves it
	return f, nil
}

// sorter sorts records of one size that need not fit into memory: sorted runs are written to
// files and merged (Knuth, The Art of Computer Programming, volume 3, 5.4).
type sorter struct {
	create func() (file, error)
	size   int    // bytes of a record
	most   int    // bytes of records in memory
	now    []byte // records of the run at hand
	order  []int32
	runs   []*records

	pressed bool // the files are compressed (blocks.go)
}

func newSorter(create func() (file, error), size, memory int) *sorter {
	n := max(16, memory/(size+4))
	return &sorter{create: create, size: size, most: n * size}
}

// add adds a record, given in parts.
func (s *sorter) add(parts ...[]byte) error {
	for _, b := range parts {
		s.now = append(s.now, b...)
	}
	if len(s.now) < s.most {
		return nil
	}
	return s.write()
}

// record returns record i of the run at hand.
func (s *sorter) record(i int32) []byte { return s.now[int(i)*s.size : (int(i)+1)*s.size] }

func (s *sorter) sort() {
	s.order = s.order[:0]
	for i := range len(s.now) / s.size {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(i, j int32) int { return bytes.Compare(s.record(i), s.record(j)) })
}

// inOrder sorts the run at hand, and calls yield for its records.
func (s *sorter) inOrder(yield func(b []byte) error) error {
	s.sort()
	for _, i := range s.order {
		if err := yield(s.record(i)); err != nil {
			return err
		}
	}
	return nil
}

// write writes the run at hand to a file.
func (s *sorter) write() error {
	f, err := s.create()
	if err != nil {
		return err
	}
	r := &records{f: f, size: s.size, n: len(s.now) / s.size}
	s.runs = append(s.runs, r)
	if s.pressed {
		b := &blocks{File: f.(*os.File), at: -1}
		r.f = b
		if err = writeRecords(f, indexOf("", s.size), s.inOrder); err == nil {
			err = b.readIndex()
		}
	} else {
		w := bufio.NewWriterSize(f, 1<<16)
		err = cmp.Or(s.inOrder(func(b []byte) error { _, err := w.Write(b); return err }), w.Flush())
	}
	s.now = s.now[:0]
	return err
}

// each calls yield for all records, in order, and forgets them. The record is valid during
// the call only.
func (s *sorter) each(yield func(b []byte) error) error {
	defer s.close()
	if len(s.runs) == 0 {
		err := s.inOrder(yield)
		s.now = s.now[:0]
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	s.now, s.order = nil, nil // others need the memory now
	return merge(s.runs, yield)
}

// close gives up all records.
func (s *sorter) close() {
	for _, r := range s.runs {
		r.f.Close()
	}
	s.runs, s.now = nil, s.now[:0]
}

// records are records of one size in a file.
type records struct {
	f     file
	size  int
	first int // where merge begins
	n     int
}

// read reads records from number i on, as many as there are up to n, into dst.
func (r *records) read(dst []byte, i, n int) ([]byte, error) {
	n = max(0, min(n, r.n-i)) * r.size
	dst = slices.Grow(dst[:0], n)[:n]
	if n == 0 {
		return dst, nil
	}
	if k, err := r.f.ReadAt(dst, int64(i)*int64(r.size)); k < n {
		return dst, err
	}
	return dst, nil
}

// merge calls yield for all records of sorted runs, in order.
func merge(runs []*records, yield func(b []byte) error) error {
	var q queue
	for _, r := range runs {
		h := &head{of: r, at: r.first}
		if err := h.next(); err != nil {
			return err
		}
		if h.b != nil {
			q = append(q, h)
		}
	}
	heap.Init(&q)
	for len(q) > 0 {
		h := q[0]
		if err := yield(h.b); err != nil {
			return err
		}
		if err := h.next(); err != nil {
			return err
		}
		if h.b == nil {
			heap.Pop(&q)
		} else {
			heap.Fix(&q, 0)
		}
	}
	return nil
}

// head is the first record of a run that is not merged yet.
type head struct {
	of   *records
	at   int    // number of the next record to read
	some []byte // records that were read
	b    []byte // nil at the end
}

// readBytes is how many bytes of a run are read at a time.
const readBytes = 1 << 15

func (h *head) next() error {
	if len(h.some) == 0 {
		var err error
		if h.some, err = h.of.read(h.some, h.at, max(1, readBytes/h.of.size)); err != nil {
			return err
		}
		h.at += len(h.some) / h.of.size
	}
	if h.b = nil; len(h.some) > 0 {
		h.b, h.some = h.some[:h.of.size], h.some[h.of.size:]
	}
	return nil
}

// queue is a heap.Interface.
type queue []*head

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return bytes.Compare(q[i].b, q[j].b) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*head)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
