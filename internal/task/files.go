package task

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"orbitmc/mc"
)

// Files reads each file once. A run has one, so that all its work is about the same text, also if the file is a
// pipe or is edited meanwhile. It may be used by several goroutines.
type Files struct {
	ctx     context.Context // reading is left behind when it ends
	mu      sync.Mutex      // of what follows
	read    map[string]func() ([]byte, error)
	pending map[string]bool // those that are not read to their end
}

// NewFiles returns files that are read until ctx ends. What was read until then stays.
func NewFiles(ctx context.Context) *Files {
	return &Files{ctx: ctx, read: make(map[string]func() ([]byte, error)), pending: make(map[string]bool)}
}

// Put sets the contents of a file that was not read yet.
func (f *Files) Put(name string, text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[name] = func() ([]byte, error) { return text, nil }
}

// Read returns the contents of a file, without a byte order mark. The name "-" is standard input. The error may be
// that of the context.
func (f *Files) Read(name string) ([]byte, error) {
	f.mu.Lock()
	read := f.read[name]
	if read == nil {
		f.pending[name] = true
		read = sync.OnceValues(func() ([]byte, error) {
			text, err := readFile(name)
			f.mu.Lock()
			delete(f.pending, name)
			f.mu.Unlock()
			return text, err
		})
		f.read[name] = read
	}
	f.mu.Unlock()
	return Within(f.ctx, read)
}

// Stopped returns a file that was not read to its end, as the context ended, and why; "" if there is none.
func (f *Files) Stopped() (name, reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() == nil || len(f.pending) == 0 {
		return "", ""
	}
	return slices.Sorted(maps.Keys(f.pending))[0], mc.StopReason(f.ctx)
}

// Changed returns a file that no longer holds what was read; "" if there is none.
func (f *Files) Changed() (name string) {
	f.mu.Lock()
	names := slices.Sorted(maps.Keys(f.read))
	f.mu.Unlock()
	for _, name := range names {
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() { // it can be read once
			continue
		}
		was, err := f.Read(name)
		if is, failed := readFile(name); err == nil && (failed != nil || !bytes.Equal(was, is)) {
			return name
		}
	}
	return ""
}

func readFile(name string) (text []byte, err error) {
	if name == "-" {
		text, err = stdin()
	} else {
		text, err = os.ReadFile(name)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

var stdin = sync.OnceValues(func() ([]byte, error) { return io.ReadAll(os.Stdin) })
