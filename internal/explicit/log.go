package explicit

import (
	"bufio"
	"fmt"
	"io"
)

// log is a file of states by number, for a search that goes on from disk. It is not safe for concurrent use while
// states are appended.
type log struct {
	records
	w *bufio.Writer
}

func newWriter(f io.Writer) *bufio.Writer { return bufio.NewWriterSize(f, 1<<16) }

func newLog(f file, size int) *log { return &log{records{f: f, size: size}, newWriter(f)} }

// append appends a state.
func (l *log) append(state []byte) error {
	_, err := l.w.Write(state)
	l.n++
	return err
}

// view returns the states that can be read now, for one reader.
func (l *log) view() *logView { return &logView{records: l.records} }

// logView reads states of a log.
type logView struct {
	records
	first int    // number of the first state that was read last
	some  []byte // states
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
	return v.some[k : k+v.size : k+v.size]
}

// Member implements evidence.View. It reads ahead where states are asked for one after
// the other.
func (v *logView) Member(i int64) []byte {
	if b := v.at(int(i)); b != nil || v.size == 0 {
		return b
	}
	var err error
	one := logView{records: v.records}
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
