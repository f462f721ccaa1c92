package explicit

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// log is a file of states by number, each with one more than the number of its
// predecessor. It is not safe for concurrent use while states are appended.
type log struct {
	records
	state int // bytes of a state
	w     *bufio.Writer
	sum   uint32 // of all records
	last  []byte // scratch
}

const parentBytes = 8

func newWriter(f file) *bufio.Writer { return bufio.NewWriterSize(f, 1<<16) }

func newLog(f file, size int) *log {
	return &log{records: records{f: f, size: size + parentBytes}, state: size, w: newWriter(f)}
}

// append appends a state.
func (l *log) append(state []byte, parent int) error {
	l.last = binary.LittleEndian.AppendUint64(append(l.last[:0], state...), uint64(parent+1))
	l.note(l.last)
	_, err := l.w.Write(l.last)
	l.n++
	return err
}

// note makes a record part of the sum.
func (l *log) note(record []byte) { l.sum = crc32.Update(l.sum, castagnoli, record) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// parent returns the predecessor in a record.
func (l *log) parent(record []byte) int { return int(binary.LittleEndian.Uint64(record[l.state:])) - 1 }

// flush makes what was appended readable.
func (l *log) flush() error { return l.w.Flush() }

// save appends the states of a set that are not in the log.
func (l *log) save(s *set) error {
	for i := l.n; i < s.n; i++ {
		if err := l.append(s.at(i), s.parent(i)); err != nil {
			return err
		}
	}
	return l.flush()
}

// view returns the states that can be read now, for one reader.
func (l *log) view() *logView { return &logView{records: l.records, state: l.state} }

// logView reads states of a log.
type logView struct {
	records
	state int
	first int    // number of the first state that was read last
	some  []byte // records
}

// load reads n states.
func (v *logView) load(i, n int) error {
	some, err := v.read(nil, i, n) // what Member returned stays valid
	v.first, v.some = i, some
	return err
}

// at returns state i, if it was read last; else nil.
func (v *logView) at(i int) []byte {
	k := (i - v.first) * v.size
	if k < 0 || k >= len(v.some) {
		return nil
	}
	return v.some[k : k+v.state : k+v.state]
}

// Member implements evidence.View. It reads ahead where states are asked for one after
// the other.
func (v *logView) Member(i int64) []byte {
	if b := v.at(int(i)); b != nil || v.state == 0 {
		return b
	}
	var err error
	one := logView{records: v.records, state: v.state}
	if int(i) == v.first+len(v.some)/v.size {
		err = v.load(int(i), max(1, readBytes/v.size))
		one.first, one.some = v.first, v.some
	} else {
		err = one.load(int(i), 1)
	}
	if err != nil || one.at(int(i)) == nil {
		panic(fmt.Sprintf("state %d cannot be read from disk: %v", i, err))
	}
	return one.at(int(i))
}
