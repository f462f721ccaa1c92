package explicit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file is one search by tasks on many machines that share a folder. A layer takes two kinds of tasks. Those of
// "expand" each have a range of its states; they fire all rules, and write the successors to one sorted file each.
// Those of "settle" each have a part of all states, which a hash chooses: they merge what is there for their part, drop
// what is known by delayed duplicate detection, as a search on disk does (spill.go), and write the rest in the order of
// predecessor and place. Number i of a layer is the state of rank i when these files are merged. So numbers, counts and
// traces are those of one machine. Tasks of "look" and "meet" show that the set is closed (partsclosure.go).
//
// A task writes files that nobody changes, and a note at its end. One without a note is run again. The controller
// adds up the notes of a phase, compares what was sent with what was received, and writes down how far the search is.
//
// The files, with their records; D is the depth of the states that are found:
//
//	search        how far it is
//	KIND-D-P      what a task notes
//	expand-D-P.to successors: part, state, predecessor + 1, place
//	layer-D-Q     the new states of a part: predecessor + 1, place, part, state
//	known-D-Q, …+ known states of a part: part, state
//	look-0-P.to   where steps lead: part, state, the part of the predecessor

// Parts says how a search is done by tasks.
type Parts struct {
	Dir   string // on all machines
	Of    int    // parts
	Small int    // phases about fewer states are done here, without tasks

	// Run runs tasks, each with the same Parts but Task, which is its name, until each has ended.
	Run  func(ctx context.Context, tasks []PartTask) error
	Task string // "": this is the controller

	// Look and Meet check a part; see package states.
	Look func(ctx context.Context, p *mc.Problem, part evidence.Part) (*evidence.Looked, error)
	Meet func(ctx context.Context, part evidence.Part) (*evidence.Met, error)
}

// PartTask is a task of a search in parts.
type PartTask struct {
	Name  string
	Ended func() bool // its note is there
}

// MostParts bounds Parts.Of.
const MostParts = 4096

// partly is a search in parts, as the controller and each task have it.
type partly struct {
	*Parts
	s       *search
	problem *mc.Problem
	id      string
	now     partsNow
	key     int // bytes of a part and a state
}

// partsNow is how far a search in parts is.
type partsNow struct {
	partNote
	Phase    string      // expand, settle or over
	Depth    int         // of the layer at hand; -1: the start states are to be found
	Bases    []int       // by depth: the number of the first state; at the end how many states there are
	Files    [][]runFile // by part: sorted files of all its states
	Complete bool
	Reason   Reason

	Done, Limit int
}

// partNote is what a task of a search notes.
type partNote struct {
	Messages        []evidence.Tally // by part: what was sent; of settle what was received
	Expanded, Fired int64
	Idle            []bool
	Found           []finding // by property
	Hid             bool
	Fresh           int
	Known           []runFile
}

// runFile is a sorted file of known states.
type runFile struct {
	Name string
	N    int
}

// BadParts says why a search in parts does not go on.
type BadParts struct{ error }

// Bytes of a part in a record, and of states in memory before they are expanded.
const (
	partBytes  = 2
	batchBytes = 1 << 24
)

// runParts does a search in parts, or a task of one.
func runParts(ctx context.Context, p *mc.Problem, o Options, parts *Parts) (*Result, error) {
	for _, q := range p.Props {
		if p.Model.Props[q].Kind.Graph() {
			return nil, BadParts{fmt.Errorf("%q is about all steps, which a search in parts does not keep; --prop names other properties", p.Name(q))}
		}
	}
	if parts.Task == "" {
		lock, err := lockFile(filepath.Join(parts.Dir, "lock"))
		if err != nil {
			return nil, BadParts{fmt.Errorf("%s: %w", parts.Dir, err)}
		}
		defer lock.Close()
	}
	x, err := openParts(p, o, parts)
	if err != nil {
		return nil, BadParts{err}
	}
	if parts.Task != "" {
		if err := x.do(ctx, parts.Task); err != nil {
			return nil, BadParts{err}
		}
		return &Result{Depth: -1, Reason: taskDone}, nil
	}
	if err := x.control(ctx); err != nil && ctx.Err() == nil {
		return nil, BadParts{err}
	}
	return x.result(ctx)
}

// openParts prepares a search in parts, and reads how far it is.
func openParts(p *mc.Problem, o Options, parts *Parts) (*partly, error) {
	s, err := newSearch(p.Program, o)
	if err != nil {
		return nil, err
	}
	x := &partly{Parts: parts, s: s, problem: p, key: partBytes + s.packer.Size()}
	x.id = fmt.Sprint(s.identity(), " in ", parts.Of)
	if x.read("search", &x.now) {
		s.resumed = true
		return x, nil
	}
	if _, err := os.Stat(x.file("search")); err == nil || parts.Task != "" {
		return nil, fmt.Errorf("%s has a search of another model, or with other options, or it is damaged", parts.Dir)
	}
	x.now = partsNow{partNote: partNote{Idle: s.idle, Found: slices.Clone(s.found)}, Phase: "expand", Depth: -1, Done: s.done, Limit: s.limit, Bases: []int{0}, Files: make([][]runFile, parts.Of)}
	return x, x.write("search", x.now)
}

func (pa *partly) file(name string) string { return filepath.Join(pa.Dir, name) }

// total returns how many states there are.
func (pa *partly) total() int { return pa.now.Bases[len(pa.now.Bases)-1] }

// taskName names a task, or a file of one.
func taskName(kind string, depth, part int) string { return fmt.Sprintf("%s-%d-%d", kind, depth, part) }

// of splits the name of a task.
func of(task string) (kind string, depth, part int) {
	words := bytes.Split([]byte(task+"--"), []byte("-"))
	fmt.Sscan(string(words[1])+" "+string(words[2]), &depth, &part)
	return string(words[0]), depth, part
}

// digest is of a note with all that it counts for. What the check notes counts for the very same program only.
func (pa *partly) digest(name string) func(note []byte) (digest string, err error) {
	return func(note []byte) (digest string, err error) {
		var program []byte
		if kind, _, _ := of(name); kind == "look" || kind == "meet" {
			program, err = programDigest()
		}
		return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "parts 1 %s %x %s\n%s", pa.id, program, name, note))), err
	}
}

// write writes a note.
func (pa *partly) write(name string, v any) error {
	note, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeNote(pa.file(name), pa.digest(name), note)
}

// read reads a note, if it is there.
func (pa *partly) read(name string, v any) bool {
	note, ok := readNote(pa.file(name), pa.digest(name))
	return ok && json.Unmarshal(note, v) == nil
}

// restore makes the search what the folder says, with nothing counted.
func (pa *partly) restore(ctx context.Context) {
	s, now := pa.s, &pa.now
	s.ctx, s.depth, s.done, s.limit, s.reason, s.expanded, s.fired = ctx, now.Depth, now.Done, now.Limit, now.Reason, 0, 0
	copy(s.found, now.Found)
	for _, w := range s.workers {
		w.idle = slices.Repeat([]bool{true}, len(w.idle))
	}
	s.frontier = s.goesOn()
	memory := int(cmp.Or(s.opt.MemLimit, 1<<30) / 2)
	s.disk = &disk{create: func() (file, error) { return scratchFile("") }, size: s.packer.Size(), parts: pa.Of, memory: memory}
	s.disk.next = pa.sorter(pa.key + successorBytes)
}

// sorter returns a sorter of records of so many bytes.
func (pa *partly) sorter(size int) *sorter {
	to := newSorter(pa.s.disk.create, size, pa.s.disk.memory)
	to.pressed = true
	return to
}

// phase lets tasks run, those whose notes are not there. They are about n states.
func (pa *partly) phase(ctx context.Context, kind string, depth int, parts []int, n int) error {
	var tasks []PartTask
	for _, q := range parts {
		name := taskName(kind, depth, q)
		if t := (PartTask{name, func() bool { return pa.read(name, new(any)) }}); !t.Ended() {
			tasks = append(tasks, t)
		}
	}
	if n >= pa.Small && len(tasks) > 0 {
		return pa.Run(ctx, tasks)
	}
	for _, t := range tasks {
		if err := pa.do(ctx, t.Name); err != nil {
			return err
		}
	}
	return nil
}

// do does a task.
func (pa *partly) do(ctx context.Context, task string) (err error) {
	pa.restore(ctx)
	kind, depth, q := of(task)
	var note any
	layer := kind == pa.now.Phase && depth == pa.now.Depth+1
	switch {
	case q < 0 || q >= pa.Of:
		err = errors.New("there is no such part")
	case layer && kind == "expand":
		note, err = pa.expand(ctx, q)
	case layer && kind == "settle":
		note, err = pa.settle(ctx, q)
	case pa.now.Complete && kind == "look":
		note, err = pa.look(ctx, q)
	case pa.now.Complete && kind == "meet":
		note, err = pa.meet(ctx, q)
	default:
		err = errors.New("it is not of the phase at hand")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", task, err)
	}
	return pa.write(task, note)
}

// tasks returns the tasks of expand of the layer at hand.
func (pa *partly) tasks() []int {
	if pa.now.Depth < 0 {
		return []int{0}
	}
	return pa.all()
}

func (pa *partly) all() []int { return lists.Make(pa.Parts.Of, func(q int) int { return q }) }

// partOf returns the part of a state.
func partOf(state []byte, parts int) int { return int(hash(state) % uint64(parts)) }

// partKey is a part as the beginning of a record.
func partKey(q int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(q)) }

// expand expands the states of range p of the layer.
func (pa *partly) expand(ctx context.Context, p int) (*partNote, error) {
	s := pa.s
	if s.depth < 0 {
		s.start(ctx)
	} else if err := pa.expandRange(ctx, p); err != nil {
		return nil, err
	}
	if s.reason != "" {
		return nil, errors.New(string(s.reason))
	}
	e := &partNote{Messages: make([]evidence.Tally, pa.Of), Expanded: s.expanded, Fired: s.fired, Idle: s.idleRules(), Found: slices.Clone(s.found), Hid: s.hid()}
	var last []byte
	return e, writeBlocks(pa.file(taskName("expand", pa.now.Depth+1, p)+".to"), pa.key+successorBytes, func(yield func(b []byte) error) error {
		return s.disk.next.each(func(b []byte) error {
			if bytes.Equal(last, b[:pa.key]) {
				return nil
			}
			last = append(last[:0], b[:pa.key]...)
			e.Messages[binary.BigEndian.Uint16(b)].Add(b)
			return yield(b)
		})
	})
}

// expandRange expands the states of range p of the layer.
func (pa *partly) expandRange(ctx context.Context, p int) error {
	s := pa.s
	l, err := pa.openLayer(s.depth)
	if err != nil {
		return err
	}
	defer closeAll(l.files)
	from, err := l.split(p, pa.Of)
	if err != nil {
		return err
	}
	to, err := l.split(p+1, pa.Of)
	if err != nil {
		return err
	}
	all, before, err := between(l.files, numbered(from), numbered(to))
	if err != nil {
		return err
	}
	s.lo = l.base + before
	s.next, s.hi = s.lo, s.lo
	s.batch = &logView{records: records{size: s.packer.Size()}, first: s.lo}
	end := func() error {
		for s.next < s.hi && s.reason == "" {
			s.round(ctx)
		}
		s.batch.first, s.batch.some = s.hi, s.batch.some[:0]
		return ctx.Err()
	}
	err = merge(all, func(b []byte) error {
		s.batch.some = append(s.batch.some, b[successorBytes+partBytes:]...)
		if s.hi++; len(s.batch.some) >= batchBytes || s.hi-s.next >= batchBytes/leastBlock {
			return end()
		}
		return nil
	})
	return cmp.Or(err, end())
}

// layer is the states of a layer.
type layer struct {
	files    []*blocks
	base     int // number of the first
	from, to int // their predecessors + 1 are these and those between
}

// openLayer opens the states of a layer.
func (pa *partly) openLayer(depth int) (*layer, error) {
	bases := pa.now.Bases
	l := &layer{base: bases[depth], to: 1}
	if depth > 0 {
		l.from, l.to = bases[depth-1]+1, bases[depth]+1
	}
	var err error
	if l.files, err = pa.open("layer-%d-%d", successorBytes+pa.key, true, depth, pa.all()); err != nil { // a part may have no new states
		return nil, err
	}
	if n := countAll(l.files); n != bases[depth+1]-l.base {
		closeAll(l.files)
		return nil, fmt.Errorf("%s: there are %d states of depth %d, and %d were found", pa.Dir, n, depth, bases[depth+1]-l.base)
	}
	return l, nil
}

// open opens a file of each part; lost says that some may not be there.
func (pa *partly) open(name string, size int, lost bool, depth int, parts []int) ([]*blocks, error) {
	return openAll(lists.Map(parts, func(q int) string { return pa.file(fmt.Sprintf(name, depth, q)) }), size, lost)
}

// sampledFiles is in how many files ranges are measured. Hashes say in which one a state is, so one is as another.
const sampledFiles = 8

// split returns the least predecessor + 1 of range p, so that all ranges have about as many states.
func (l *layer) split(p, of int) (at int, err error) {
	switch p {
	case 0:
		return l.from, nil
	case of:
		return l.to, nil
	}
	some := l.files[:min(len(l.files), sampledFiles)]
	return l.search(some, func(before int) bool { return before*of >= countAll(some)*p })
}

// search returns the least predecessor + 1 such that right holds of the number of states before.
func (l *layer) search(files []*blocks, right func(before int) bool) (at int, err error) {
	at = l.from + sort.Search(l.to-l.from, func(i int) bool {
		return right(lists.Sum(files, func(f *blocks) int {
			n, e := f.before(numbered(l.from + i))
			err = cmp.Or(err, e)
			return n
		}))
	})
	return at, err
}

// state returns state number i of all, which is in the layer, and its predecessor.
func (l *layer) state(i int) (state []byte, pred int, err error) {
	next, err := l.search(l.files, func(before int) bool { return l.base+before > i })
	if err != nil {
		return nil, 0, err
	}
	all, before, err := between(l.files, numbered(next-1), numbered(next))
	if err != nil {
		return nil, 0, err
	}
	rank := l.base + before
	err = merge(all, func(b []byte) error {
		if rank == i {
			state = slices.Clone(b[successorBytes+partBytes:])
		}
		rank++
		return nil
	})
	if err == nil && state == nil {
		err = fmt.Errorf("explicit: internal error: there is no state %d", i)
	}
	return state, next - 2, err
}

// settle finds the new states among those that are there for part q.
func (pa *partly) settle(ctx context.Context, q int) (*partNote, error) {
	s, d, depth := pa.s, pa.s.disk, pa.now.Depth+1
	files, err := pa.open("expand-%d-%d.to", pa.key+successorBytes, false, depth, pa.tasks())
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	all, _, err := between(files, partKey(q), partKey(q+1))
	if err != nil {
		return nil, err
	}
	known, err := pa.openKnown(q)
	if err != nil {
		return nil, err
	}
	defer closeAll(known)
	e := &partNote{Messages: make([]evidence.Tally, pa.Of), Idle: s.idleRules(), Known: slices.Clone(pa.now.Files[q])}
	ends, at := pa.cut()
	d.fresh = pa.sorter(pa.key + successorBytes)
	defer d.fresh.close()
	var last []byte
	name := taskName("known", depth, q)
	err = pa.addKnown(e, name, func(yield func(b []byte) error) error {
		return merge(all, func(b []byte) error {
			key, from, place := b[:pa.key], int(binary.BigEndian.Uint64(b[pa.key:]))-1, 2*int(binary.BigEndian.Uint32(b[pa.key+8:]))
			if e.Messages[q].Add(b); e.Messages[q].N&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if partOf(key[partBytes:], pa.Of) != q {
				return errors.New("a state was sent to the wrong part")
			}
			if bytes.Equal(last, key) || from > ends || from == ends && place >= at {
				return nil
			}
			last = append(last[:0], key...)
			for _, f := range known {
				if _, is, err := f.find(key); is || err != nil {
					return err
				}
			}
			if err := d.fresh.add(b[pa.key:], key); err != nil {
				return err
			}
			return yield(key)
		})
	})
	if err != nil {
		return nil, err
	}
	c := &chunk{changed: []uint64{^uint64(0)}}
	err = writeBlocks(pa.file(taskName("layer", depth, q)), pa.key+successorBytes, func(yield func(b []byte) error) error {
		return d.fresh.each(func(b []byte) error {
			e.Fresh++
			c.states = append(c.states[:0], b[successorBytes+partBytes:]...)
			s.check(c, 0, func(v *model.Violation) {
				from, place := int(binary.BigEndian.Uint64(b))-1, int(binary.BigEndian.Uint32(b[8:]))
				s.report(finding{Depth: depth, Violation: v, From: from, At: 2*place + 1, Packed: slices.Clone(c.states)})
			})
			return yield(b)
		})
	})
	for n := len(e.Known); err == nil && n > 1 && e.Known[n-2].N <= 2*e.Known[n-1].N; n = len(e.Known) { // so that there are few
		var two []*blocks
		if two, err = openAll([]string{pa.file(e.Known[n-2].Name), pa.file(name)}, pa.key, false); err == nil {
			e.Known = e.Known[:n-2]
			err = pa.addKnown(e, name+"+", func(yield func(b []byte) error) error { return merge(recordsOf(two), yield) })
			closeAll(two)
			os.Remove(pa.file(name)) // it is of this task; the other one may be needed, if the task is done again
			name += "+"
		}
	}
	e.Found, e.Hid = slices.Clone(s.found), s.hid()
	return e, err
}

// addKnown writes a file of known states.
func (pa *partly) addKnown(e *partNote, name string, each func(yield func(b []byte) error) error) error {
	n := 0
	err := writeBlocks(pa.file(name), pa.key, func(yield func(b []byte) error) error {
		return each(func(b []byte) error { n++; return yield(b) })
	})
	e.Known = append(e.Known, runFile{name, n})
	return err
}

// openKnown opens the files of the known states of a part.
func (pa *partly) openKnown(q int) ([]*blocks, error) {
	runs := pa.now.Files[q]
	files, err := openAll(lists.Map(runs, func(r runFile) string { return pa.file(r.Name) }), pa.key, false)
	if n := lists.Sum(runs, func(r runFile) int { return r.N }); err == nil && n != countAll(files) {
		closeAll(files)
		return nil, fmt.Errorf("%s: part %d has %d states, and %d were found", pa.Dir, q, countAll(files), n)
	}
	return files, err
}

// cut returns the place of the first finding of the layer behind which no new states are looked for.
func (pa *partly) cut() (from, at int) {
	from = never
	for prop, f := range pa.s.found {
		if f.Depth >= 0 && f.Depth <= pa.s.depth && pa.s.props[prop].Kind != model.Cover && !pa.s.opt.All && (f.From < from || f.From == from && f.At < at) {
			from, at = f.From, f.At
		}
	}
	return from, at
}

// control does the search, phase by phase, until it is over.
func (pa *partly) control(ctx context.Context) (err error) {
	now, s := &pa.now, pa.s
	s.forecast.began = time.Now()
	for now.Phase != "over" && err == nil {
		pa.restore(ctx)
		lo, hi := 0, 1 // of the layer
		if now.Depth >= 0 {
			lo, hi = now.Bases[now.Depth], now.Bases[now.Depth+1]
		}
		switch {
		case now.Phase == "settle":
			err = pa.settleAll(ctx)
		case lo == hi:
			now.Phase, now.Complete, now.Done = "over", true, max(now.Depth-1, 0)
		case now.Depth >= 0 && !s.frontier && !s.pending():
			now.Phase, now.Messages = "settle", make([]evidence.Tally, pa.Of)
		default:
			s.forecast.layers = append(s.forecast.layers, hi-lo)
			now.Messages = make([]evidence.Tally, pa.Of)
			now.Phase, err = "settle", pa.fold(ctx, "expand", pa.tasks(), hi-lo, func(_ int, e *partNote) error {
				now.Expanded, now.Fired = now.Expanded+e.Expanded, now.Fired+e.Fired
				for q, sent := range e.Messages {
					now.Messages[q].N, now.Messages[q].Sum = now.Messages[q].N+sent.N, now.Messages[q].Sum+sent.Sum
				}
				return nil
			})
		}
		if err == nil {
			err = pa.write("search", now)
		}
		if s.opt.Progress != nil && err == nil {
			s.depth, s.set.n, s.expanded, s.fired = max(now.Depth, 0), pa.total(), now.Expanded, now.Fired
			st := s.stats()
			st.Memory = pa.bytes()
			s.opt.Progress(st)
		}
	}
	return err
}

// bytes returns how large the files of all states are.
func (pa *partly) bytes() (n int64) {
	for _, kind := range []string{"known-*", "layer-*"} {
		names, _ := filepath.Glob(pa.file(kind))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				n += info.Size()
			}
		}
	}
	return n
}

// fold lets tasks of a phase run, and takes over what they note.
func (pa *partly) fold(ctx context.Context, kind string, parts []int, n int, take func(q int, e *partNote) error) error {
	now, s := &pa.now, pa.s
	if err := pa.phase(ctx, kind, now.Depth+1, parts, n); err != nil {
		return err
	}
	pa.restore(ctx)
	for _, q := range parts {
		name := taskName(kind, now.Depth+1, q)
		e := new(partNote)
		if !pa.read(name, e) {
			return fmt.Errorf("%s is damaged", pa.file(name))
		}
		if e.Hid {
			return errors.New("a quantifier hides an error, so the symmetry found by typing does not count; --sym off searches without it")
		}
		for rule, is := range e.Idle {
			now.Idle[rule] = now.Idle[rule] && is
		}
		for _, f := range e.Found {
			if f.Depth >= 0 && s.news(f) {
				s.record(f)
			}
		}
		if err := take(q, e); err != nil {
			return err
		}
	}
	now.Found, now.Limit = slices.Clone(s.found), s.limit
	return nil
}

// settleAll has the new states of a layer found, and ends it.
func (pa *partly) settleAll(ctx context.Context) error {
	now, s, total := &pa.now, pa.s, pa.total()
	parts := slices.DeleteFunc(pa.all(), func(q int) bool { return now.Messages[q].N == 0 })
	var old []string
	err := pa.fold(ctx, "settle", parts, lists.Sum(now.Messages, func(t evidence.Tally) int { return int(t.N) }), func(q int, e *partNote) error {
		if e.Messages[q] != now.Messages[q] {
			return fmt.Errorf("internal error: part %d received %d states, or others than the %d that it was sent", q, e.Messages[q].N, now.Messages[q].N)
		}
		total += e.Fresh
		for _, r := range now.Files[q] {
			if !slices.Contains(e.Known, r) {
				old = append(old, r.Name)
			}
		}
		now.Files[q] = e.Known
		return nil
	})
	if err != nil {
		return err
	}
	now.Phase, now.Bases = "expand", append(now.Bases, total)
	if now.Depth >= 0 {
		now.Reason = s.layerDone()
		now.Done = s.done
	}
	if now.Depth++; now.Reason != "" {
		now.Phase = "over"
	}
	if err := pa.write("search", now); err != nil {
		return err
	}
	for _, pattern := range []string{"expand-%d-*", "settle-%d-*", "*-%d-*.new"} { // what is no longer needed
		names, _ := filepath.Glob(pa.file(fmt.Sprintf(pattern, now.Depth)))
		for _, name := range names {
			os.Remove(name)
		}
	}
	for _, name := range old {
		os.Remove(pa.file(name))
	}
	return nil
}

// result returns what the search found.
func (pa *partly) result(ctx context.Context) (r *Result, err error) {
	now, s := &pa.now, pa.s
	pa.restore(ctx)
	r = &Result{Complete: now.Complete, Depth: s.bound(), States: int64(pa.total()), Fired: now.Fired, Memory: pa.bytes(), Reason: cmp.Or(now.Reason, reasonOf(ctx))}
	if now.Complete {
		r.Reason, r.Idle = "", numbers(now.Idle)
		if r.Visited, err = pa.closure(-1); err != nil {
			return nil, BadParts{err}
		}
	}
	s.disk = nil
	if s.strict != nil { // traces are about the model as it is
		s.worker.use(s.p)
	}
	return r, s.tell(r, pa.trace)
}

// trace builds a counterexample of the representatives on the way to a finding, which are looked for backwards.
func (pa *partly) trace(prop int, f finding) (*model.Trace, error) {
	s := pa.s
	i := f.State
	var way [][]byte // last state first
	if f.Packed != nil {
		way, i = append(way, f.Packed), f.From
	}
	for i != noParent {
		l, err := pa.openLayer(sort.SearchInts(pa.now.Bases, i+1) - 1)
		if err != nil {
			return nil, err
		}
		state, from, err := l.state(i)
		if closeAll(l.files); err != nil {
			return nil, err
		}
		way, i = append(way, state), from
	}
	s.set = newSet(s.packer.Size())
	s.states = &s.set.row
	for k, state := range slices.Backward(way) {
		_, _, slot := s.set.find(state, hash(state))
		s.set.insert(state, slot, hash(state), len(way)-2-k)
	}
	f.State = len(way) - 1
	return s.trace(prop, f)
}
