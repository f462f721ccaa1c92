package explicit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"orbitmc/model"
)

// A checkpoint is a folder with a stream of the visited states (stream.go), and a file that says how
// much of the stream counts and how far the search is. The stream only grows, and the other file
// is replaced as a whole, so that both are good whenever the process ends. As states are
// numbered in the order in which they are found, the search goes on where it was as if it
// had not ended.

// checkpoint says where a search writes how far it is.
type checkpoint struct {
	dir   string // of this search
	every int64  // states expanded from one time to the next
	last  int64  // expanded when it was written
	lock  *os.File
	file  *os.File // of the stream
	stream
}

// errInUse says that another search has the lock, errDamaged that the stream is not what was written.
var (
	errInUse   = errors.New("another search uses it")
	errDamaged = errors.New("the states are damaged")
)

// checkpointed is how many states are expanded before the next checkpoint.
const checkpointed = 1 << 16

// progress is how far a search is, as a file.
type progress struct {
	States       int    // in the stream
	Bytes        int64  // of the stream, in its file
	Rest         []byte // of the stream
	Sum          uint32 // of the stream
	Lo, Next, Hi int    // the layer at hand, and the first of its states that is not expanded
	Depth, Done  int
	Expanded     int64
	Fired        int64
	Limit        int
	Found        []finding // by property
	Idle         []bool    // by rule
}

// BadCheckpoint says why a search cannot be resumed, or written down.
type BadCheckpoint struct{ error }

// openCheckpoint prepares checkpoints, and resumes the search if there is one.
func (s *search) openCheckpoint() error {
	if s.compact != nil {
		return BadCheckpoint{errors.New("a search with hash compaction has no checkpoints")}
	}
	s.saves = &checkpoint{dir: filepath.Join(s.opt.Checkpoint, s.identity()), every: checkpointed}
	err := os.MkdirAll(s.saves.dir, 0o777)
	if err != nil {
		return BadCheckpoint{err}
	}
	if s.saves.lock, err = lockFile(filepath.Join(s.saves.dir, "lock")); err != nil {
		return BadCheckpoint{fmt.Errorf("%s: %w", s.saves.dir, err)}
	}
	f, err := os.OpenFile(filepath.Join(s.saves.dir, "states"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return BadCheckpoint{err}
	}
	s.saves.file, s.saves.state, s.saves.parent = f, make([]byte, s.packer.Size()), noParent
	var p progress
	switch text, err := os.ReadFile(filepath.Join(s.saves.dir, "progress")); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return BadCheckpoint{err}
	default:
		if err := json.Unmarshal(text, &p); err != nil || len(p.Found) != len(s.found) || len(p.Idle) != len(s.idle) {
			return BadCheckpoint{fmt.Errorf("%s: progress is damaged: %v", s.saves.dir, err)}
		}
	}
	if err := s.load(&p); err != nil {
		return BadCheckpoint{fmt.Errorf("%s: %w", s.saves.dir, err)}
	}
	if err := f.Truncate(p.Bytes); err != nil {
		return BadCheckpoint{err}
	}
	s.saves.w, s.saves.bytes = f, p.Bytes
	_, err = f.Seek(0, io.SeekEnd)
	return err
}

// unlock lets other searches use the checkpoint.
func (s *search) unlock() {
	if s.saves != nil && s.saves.lock != nil {
		s.saves.lock.Close()
	}
}

// identity names the search: the model, and all options that its states depend on.
func (s *search) identity() string {
	h := sha256.New()
	o, own := &s.opt, *s.p.Model
	own.Ties, own.Warnings = nil, nil // they mean nothing
	fmt.Fprintln(h, "checkpoint 4", o.Canon, o.Blocks, o.Rings, len(o.Strict), o.Stubborn, o.All, s.wanted, o.MaxDepth, o.Bounded)
	describe(h, reflect.ValueOf(own), map[any]int{})
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// describe writes what a value is made of: all that is exported, but for positions. What a pointer leads to is written
// where it is met first, and then its number.
func describe(w io.Writer, v reflect.Value, met map[any]int) {
	switch v.Kind() {
	case reflect.Pointer:
		if n, again := met[v.Interface()]; again || v.IsNil() {
			fmt.Fprint(w, "#", n, " ")
			return
		}
		met[v.Interface()] = len(met) + 1
		describe(w, v.Elem(), met)
	case reflect.Interface:
		if v.IsNil() {
			fmt.Fprint(w, "nil ")
			return
		}
		fmt.Fprint(w, v.Elem().Type(), " ")
		describe(w, v.Elem(), met)
	case reflect.Struct:
		for f, x := range v.Fields() {
			if f.IsExported() && f.Type != reflect.TypeFor[model.Pos]() {
				describe(w, x, met)
			}
		}
	case reflect.Slice:
		fmt.Fprint(w, v.Len(), ": ")
		for i := range v.Len() {
			describe(w, v.Index(i), met)
		}
	case reflect.String:
		fmt.Fprintf(w, "%q ", v)
	case reflect.Array, reflect.Chan, reflect.Func, reflect.Map, reflect.UnsafePointer:
		panic("a model has no " + v.Type().String())
	default: // numbers and truth values
		fmt.Fprint(w, v, " ")
	}
}

// load makes the search what it was.
func (s *search) load(p *progress) error {
	if p.States == 0 {
		return nil
	}
	s.steps, s.resumed, s.ordered = nil, true, false
	c := s.saves
	err := c.read(p.States, io.NewSectionReader(c.file, 0, p.Bytes), p.Rest, func() error {
		return s.recall(c.state, c.parent)
	})
	if err != nil {
		return err
	}
	if c.sum != p.Sum {
		return errDamaged
	}
	if s.disk != nil {
		if err := s.disk.log.w.Flush(); err != nil {
			return err
		}
		if err := s.disk.keep(); err != nil {
			return err
		}
	}
	s.lo, s.next, s.hi, s.depth, s.done = p.Lo, p.Next, p.Hi, p.Depth, p.Done
	s.expanded, s.fired, s.limit, s.saves.last = p.Expanded, p.Fired, p.Limit, p.Expanded
	copy(s.idle, p.Idle)
	copy(s.found, p.Found)
	return nil
}

// recall puts a state into the set that was in it before.
func (s *search) recall(b []byte, parent int) error {
	if s.disk == nil && s.opt.MemLimit > 0 {
		if used, more := s.memory(); used+more > s.opt.MemLimit {
			if s.opt.Spill == "" || s.ctl != nil {
				return errors.New("its states do not fit into memory")
			}
			if err := s.spill(); err != nil {
				return err
			}
		}
	}
	if s.disk == nil {
		h := hash(b)
		_, known, slot := s.set.find(b, h)
		if known {
			return errors.New("a state is there twice")
		}
		i := s.set.insert(b, slot, h, parent)
		if s.ctl != nil {
			s.ctl.visit(i, b)
			s.ctl.full = true // the steps of states before are not known
		}
		return nil
	}
	s.set.parents.append(parent + 1)
	s.set.n++
	if err := s.disk.log.append(b); err != nil {
		return err
	}
	return s.disk.named.add(b, numbered(s.set.n-1))
}

// save writes down how far the search is, if it is far enough.
func (s *search) save(force bool) error {
	c := s.saves
	if c == nil || !force && s.expanded < c.last+c.every {
		return nil
	}
	if err := s.saveStates(); err != nil {
		return err
	}
	if err := c.file.Sync(); err != nil {
		return err
	}
	p := progress{States: s.set.n, Bytes: c.bytes, Rest: c.rest, Sum: c.sum, Lo: s.lo, Next: s.next, Hi: s.hi, Depth: s.depth, Done: s.done,
		Expanded: s.expanded, Fired: s.fired, Limit: s.limit, Idle: s.idleRules(), Found: s.found}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(c.dir, "progress"), text); err != nil {
		return err
	}
	c.last = s.expanded
	return nil
}

// saveStates makes all states part of the stream.
func (s *search) saveStates() error {
	at := s.set.at
	if s.disk != nil {
		v := s.disk.log.view()
		at = func(i int) []byte { return v.Member(int64(i)) }
	}
	return s.saves.save(s.set.n, at, s.set.parent)
}

// replace replaces a file as a whole.
func replace(name string, text []byte) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return finish(f, name, err)
}

// finish gives a file its name, if it was written without an error, or removes it.
func finish(f *os.File, name string, err error) error {
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// writeNote writes a file with a digest in its first line, of all that the note behind it counts for.
func writeNote(file string, digest func(note []byte) (string, error), note []byte) error {
	text, err := digest(note)
	if err != nil {
		return err
	}
	return replace(file, fmt.Appendf(nil, "%s\n%s", text, note))
}

// readNote reads a note; what is damaged, or of something else, is as if it were not there.
func readNote(file string, digest func(note []byte) (string, error)) (note []byte, ok bool) {
	text, _ := os.ReadFile(file)
	first, note, _ := bytes.Cut(text, []byte("\n"))
	is, err := digest(note)
	return note, err == nil && is == string(first)
}
