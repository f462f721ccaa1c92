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
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
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
// traces are those of one machine. Tasks of "look" and "meet" show that the set is closed (evidence.Part).
//
// A task writes files that nobody changes, and a note at its end. One without a note is run again. The controller
// adds up the notes of a phase, compares what was sent with what was received, and writes down how far the search is.

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
	began   time.Time
	states  int // when it began
}

// partsNow is how far a search in parts is.
type partsNow struct {
	Phase    string      // expand, settle or over
	Depth    int         // of the layer at hand; -1: the start states are to be found
	Bases    []int       // by depth: the number of the first state; at the end how many states there are
	Known    [][]runFile // by part: sorted files of all its states
	Messages []int       // by part, in the phase settle
	Complete bool
	Reason   Reason

	Done, Limit                int
	Expanded, Fired, Deadlocks int64
	FiredBy                    []int64
	Raised, Idle               []bool
	Found                      []partsFinding // by property
}

// runFile is a sorted file of known states.
type runFile struct {
	Name string
	N    int
}

// partsFinding is a finding, as a note has it. A state that was found by a task of settle has no number there.
type partsFinding struct {
	savedFinding
	Packed []byte `json:",omitempty"`
}

// expanded is the note of a task of expand.
type expanded struct {
	Sent                       []evidence.Tally // by part
	Expanded, Fired, Deadlocks int64
	FiredBy                    []int64
	Raised, Idle               []bool
	Found                      []partsFinding
	Hid                        bool
}

// settled is the note of a task of settle.
type settled struct {
	Received []evidence.Tally // by task of expand
	Fresh    int
	Known    []runFile
	Found    []partsFinding
	Hid      bool
}

// BadParts says why a folder cannot be used.
type BadParts struct{ error }

// openParts prepares a search in parts, and reads how far it is.
func openParts(p *mc.Problem, o Options, parts *Parts) (*partly, error) {
	s, err := newSearch(p.Program, o)
	if err != nil {
		return nil, err
	}
	x := &partly{Parts: parts, s: s, problem: p, key: partBytes + s.packer.Size(), began: time.Now()}
	id, err := s.identity()
	if err != nil {
		return nil, err
	}
	x.id = fmt.Sprint(id, " in ", parts.Of)
	if !x.read("search", false, &x.now) {
		if _, err := os.Stat(x.file("search")); err == nil || parts.Task != "" {
			return nil, BadParts{fmt.Errorf("%s has a search of another model, or with other options, or it is damaged", parts.Dir)}
		}
		x.now = partsNow{Phase: "expand", Depth: -1, Done: s.done, Limit: s.limit, Bases: []int{0}, Known: make([][]runFile, parts.Of),
			FiredBy: make([]int64, len(s.idle)), Raised: make([]bool, len(s.props)), Idle: s.idle, Found: x.found()}
		if err := x.write("search", false, x.now); err != nil {
			return nil, BadParts{err}
		}
	}
	x.states = x.total()
	return x, nil
}

func (x *partly) file(name string) string { return filepath.Join(x.Dir, name) }

// total returns how many states there are.
func (x *partly) total() int { return x.now.Bases[len(x.now.Bases)-1] }

// digest is of a note with all that it counts for. What was checked counts for the very same program only.
func (x *partly) digest(name string, checked bool, text []byte) (string, error) {
	var program []byte
	if checked {
		var err error
		if program, err = programDigest(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "parts 1 %s %x %s\n%s", x.id, program, name, text))), nil
}

// write writes a note.
func (x *partly) write(name string, checked bool, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	digest, err := x.digest(name, checked, text)
	if err != nil {
		return err
	}
	return replace(x.file(name), fmt.Appendf(nil, "%s\n%s", digest, text))
}

// read reads a note; what is damaged, or of something else, is as if it were not there.
func (x *partly) read(name string, checked bool, v any) bool {
	text, _ := os.ReadFile(x.file(name))
	digest, note, _ := bytes.Cut(text, []byte("\n"))
	is, err := x.digest(name, checked, note)
	return err == nil && is == string(digest) && json.Unmarshal(note, v) == nil
}

// found returns the findings of the search for a note.
func (x *partly) found() (all []partsFinding) {
	for _, f := range x.s.found {
		all = append(all, partsFinding{savedFinding{f.depth, f.state, f.from, f.at, f.step, f.v}, f.packed})
	}
	return all
}

func (f *partsFinding) finding() finding {
	return finding{depth: f.Depth, state: f.State, from: f.From, at: f.At, step: f.Step, v: f.Violation, packed: f.Packed}
}

// restore makes the search what the folder says, with nothing counted.
func (x *partly) restore(ctx context.Context) {
	s, now := x.s, &x.now
	s.ctx, s.depth, s.done, s.limit, s.reason = ctx, now.Depth, now.Done, now.Limit, now.Reason
	s.expanded, s.fired = 0, 0
	for i := range now.Found {
		s.found[i] = now.Found[i].finding()
	}
	for _, w := range s.workers {
		clear(w.raised)
		clear(w.fired)
		w.stuck, w.idle = 0, slices.Repeat([]bool{true}, len(w.idle))
	}
	s.frontier = s.goesOn()
	memory := int(cmp.Or(x.s.opt.MemLimit, 1<<30) / 2)
	s.disk = &disk{create: func() (file, error) { return scratchFile("") }, size: s.packer.Size(), parts: x.Parts.Of, memory: memory}
	s.disk.next = newSorter(s.disk.create, x.key+successorBytes, memory)
}

// Files of a search in parts have these records, and these names:
//
//	search            how far it is
//	expand-D-P        what a task of expand notes; expand-D-P.to has part, state, predecessor + 1, place
//	settle-D-Q        what a task of settle notes
//	layer-D-Q         the states of a layer: predecessor + 1, place, part, state
//	known-D-Q, …+     known states: part, state
//	look-0-P          what a task of look notes; look-0-P.to has part, state, times
//	meet-0-Q          what a task of meet notes
//
// D is the depth of the states that are found.
const partBytes = 2

// taskName names a task about the states that states of a depth lead to, or about all.
func taskName(kind string, depth, part int) string {
	return fmt.Sprintf("%s-%d-%d", kind, depth+1, part)
}

// phase lets tasks run, those whose notes are not there. They are about n states.
func (x *partly) phase(ctx context.Context, kind string, depth int, parts []int, n int) error {
	var tasks []PartTask
	for _, q := range parts {
		name := taskName(kind, depth, q)
		if t := (PartTask{name, func() bool { return x.read(name, checks(kind), new(any)) }}); !t.Ended() {
			tasks = append(tasks, t)
		}
	}
	if n >= x.Small && len(tasks) > 0 {
		return x.Run(ctx, tasks)
	}
	for _, t := range tasks {
		if err := x.do(ctx, t.Name); err != nil {
			return err
		}
	}
	return nil
}

func checks(kind string) bool { return kind == "look" || kind == "meet" }

// do does a task.
func (x *partly) do(ctx context.Context, name string) error {
	words := strings.Split(name, "-")
	var round, q int
	if len(words) != 3 {
		return fmt.Errorf("%s is no task", name)
	}
	if _, err := fmt.Sscan(words[1]+" "+words[2], &round, &q); err != nil || q < 0 || q >= x.Parts.Of {
		return fmt.Errorf("%s is no task", name)
	}
	kind, depth := words[0], round-1
	if x.now.Depth != depth && !checks(kind) {
		return fmt.Errorf("%s is no task of the layer at hand", name)
	}
	x.restore(ctx)
	var note any
	var err error
	switch kind {
	case "expand":
		note, err = x.expand(ctx, name, q)
	case "settle":
		note, err = x.settle(ctx, name, q)
	case "look":
		note, err = x.look(ctx, name, q)
	case "meet":
		note, err = x.meet(ctx, q)
	default:
		err = fmt.Errorf("%s is no task", name)
	}
	if err != nil {
		return err
	}
	return x.write(name, checks(kind), note)
}

// expanders returns the tasks of expand of a layer.
func (x *partly) expanders() []int {
	if x.now.Depth < 0 {
		return []int{0}
	}
	return x.all()
}

func (x *partly) all() (all []int) {
	for q := range x.Parts.Of {
		all = append(all, q)
	}
	return all
}

// owner returns the part of a state.
func (x *partly) owner(state []byte) int { return ownerOf(state, x.Parts.Of) }

func ownerOf(state []byte, parts int) int { return int(hash(state) % uint64(parts)) }

// ownerKey is a part as the beginning of a record.
func ownerKey(q int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(q)) }

// expand expands the states of range p of the layer.
func (x *partly) expand(ctx context.Context, name string, p int) (*expanded, error) {
	s := x.s
	if s.depth < 0 {
		s.start(ctx)
	} else if err := x.expandRange(ctx, p); err != nil {
		return nil, err
	}
	if s.reason != "" {
		return nil, errors.New(string(s.reason))
	}
	e := &expanded{Sent: make([]evidence.Tally, x.Parts.Of), Expanded: s.expanded, Fired: s.fired, FiredBy: make([]int64, len(s.idle)), Hid: s.hid(),
		Raised: make([]bool, len(s.props)), Idle: s.idleRules(), Found: x.found()}
	for _, w := range s.workers {
		e.Deadlocks += w.stuck
		for rule, n := range w.fired {
			e.FiredBy[rule] += n
		}
		for prop, is := range w.raised {
			e.Raised[prop] = e.Raised[prop] || is
		}
	}
	var last []byte
	err := writeBlocks(x.file(name+".to"), x.key+successorBytes, func(yield func(b []byte) error) error {
		return s.disk.next.each(func(b []byte) error {
			if last != nil && bytes.Equal(last, b[:x.key]) {
				return nil
			}
			last = append(last[:0], b[:x.key]...)
			e.Sent[binary.BigEndian.Uint16(b)].Add(b, 1)
			return yield(b)
		})
	})
	return e, err
}

// batchBytes is how many bytes of states are in memory before they are expanded.
const batchBytes = 1 << 24

// expandRange expands the states of range p of the layer.
func (x *partly) expandRange(ctx context.Context, p int) error {
	s := x.s
	l, err := x.openLayer(s.depth)
	if err != nil {
		return err
	}
	defer closeAll(l.files)
	from, err := l.split(p, x.Parts.Of)
	if err != nil {
		return err
	}
	to, err := l.split(p+1, x.Parts.Of)
	if err != nil {
		return err
	}
	all, before, err := between(l.files, numbered(from), numbered(to))
	if err != nil {
		return err
	}
	s.lo = l.base + before
	s.next, s.hi = s.lo, s.lo
	s.batch = &logView{records: records{size: s.packer.Size()}, state: s.packer.Size(), first: s.lo}
	end := func() error {
		for s.next < s.hi && s.reason == "" {
			s.round(ctx)
		}
		s.batch.first, s.batch.some = s.hi, s.batch.some[:0]
		if s.reason != "" {
			return errors.New(string(s.reason))
		}
		return nil
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
func (x *partly) openLayer(depth int) (*layer, error) {
	bases := x.now.Bases
	l := &layer{base: bases[depth], to: 1}
	if depth > 0 {
		l.from, l.to = bases[depth-1]+1, bases[depth]+1
	}
	var names []string
	for q := range x.Parts.Of {
		names = append(names, x.file(taskName("layer", depth-1, q)))
	}
	var err error
	if l.files, err = openAll(names, successorBytes+x.key, true); err != nil { // a part may have no new states
		return nil, err
	}
	if n := lists.Sum(l.files, func(f *blocks) int { return f.i.N }); n != bases[depth+1]-l.base {
		closeAll(l.files)
		return nil, fmt.Errorf("%s: of depth %d there are %d states, and %d were found", x.Dir, depth, n, bases[depth+1]-l.base)
	}
	return l, nil
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
	n := lists.Sum(some, func(f *blocks) int { return f.i.N })
	return l.search(some, func(before int) bool { return before*of >= n*p })
}

// search returns the least predecessor + 1 such that right holds of the number of states before.
func (l *layer) search(files []*blocks, right func(before int) bool) (at int, err error) {
	at = l.from + sort.Search(l.to-l.from, func(i int) bool {
		sum := 0
		for _, f := range files {
			n, e := f.before(numbered(l.from + i))
			err = cmp.Or(err, e)
			sum += n
		}
		return right(sum)
	})
	return at, err
}

// state returns state number i of all, in the layer, and its predecessor.
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
func (x *partly) settle(ctx context.Context, name string, q int) (*settled, error) {
	s, d := x.s, x.s.disk
	e := &settled{}
	var names []string
	for _, p := range x.expanders() {
		names = append(names, x.file(taskName("expand", s.depth, p)+".to"))
	}
	files, err := openAll(names, x.key+successorBytes, false)
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	all, _, err := between(files, ownerKey(q), ownerKey(q+1))
	if err != nil {
		return nil, err
	}
	e.Received = make([]evidence.Tally, len(files))
	for i, r := range all {
		r.seen = func(b []byte) { e.Received[i].Add(b, 1) }
	}
	known, err := x.openKnown(q)
	if err != nil {
		return nil, err
	}
	defer func() { closeAll(known) }()
	ends, at := x.cut()
	d.fresh = newSorter(d.create, x.key+successorBytes, d.memory)
	defer d.fresh.close()
	var last []byte
	count := 0
	e.Known = slices.Clone(x.now.Known[q])
	err = x.addKnown(e, strings.Replace(name, "settle", "known", 1), func(yield func(b []byte) error) error {
		return merge(all, func(b []byte) error {
			key := b[:x.key]
			if count++; count&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if x.owner(key[partBytes:]) != q {
				return fmt.Errorf("explicit: internal error: a state is sent to the wrong part")
			}
			pred, place := int(binary.BigEndian.Uint64(b[x.key:]))-1, 2*int(binary.BigEndian.Uint32(b[x.key+8:]))
			if bytes.Equal(last, key) || pred > ends || pred == ends && place >= at {
				return nil
			}
			last = append(last[:0], key...)
			for _, f := range known {
				if _, is, err := f.find(key); is || err != nil {
					return err
				}
			}
			if err := d.fresh.add(b[x.key:], key); err != nil {
				return err
			}
			return yield(key)
		})
	})
	if err != nil {
		return nil, err
	}
	c := &chunk{changed: []uint64{^uint64(0)}}
	err = writeBlocks(x.file(strings.Replace(name, "settle", "layer", 1)), x.key+successorBytes, func(yield func(b []byte) error) error {
		return d.fresh.each(func(b []byte) error {
			e.Fresh++
			c.states = append(c.states[:0], b[successorBytes+partBytes:]...)
			s.check(c, 0, func(v *model.Violation) {
				pred, place := int(binary.BigEndian.Uint64(b))-1, int(binary.BigEndian.Uint32(b[8:]))
				s.report(finding{depth: s.depth + 1, v: v, from: pred, at: 2*place + 1, packed: slices.Clone(c.states)})
			})
			return yield(b)
		})
	})
	if e.Found, e.Hid = x.found(), s.hid(); err != nil {
		return nil, err
	}
	for n := len(e.Known); n > 1 && e.Known[n-2].N <= 2*e.Known[n-1].N; n = len(e.Known) { // so that there are few
		two, err := openAll([]string{x.file(e.Known[n-2].Name), x.file(e.Known[n-1].Name)}, x.key, false)
		if err != nil {
			return nil, err
		}
		joined := e.Known[n-1].Name + "+"
		e.Known = e.Known[:n-2]
		err = x.addKnown(e, joined, func(yield func(b []byte) error) error { return merge(recordsOf(two), yield) })
		if closeAll(two); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// addKnown writes a file of known states.
func (x *partly) addKnown(e *settled, name string, each func(yield func(b []byte) error) error) error {
	n := 0
	err := writeBlocks(x.file(name), x.key, func(yield func(b []byte) error) error {
		return each(func(b []byte) error { n++; return yield(b) })
	})
	e.Known = append(e.Known, runFile{name, n})
	return err
}

// openKnown opens the files of the known states of a part.
func (x *partly) openKnown(q int) ([]*blocks, error) {
	var names []string
	for _, r := range x.now.Known[q] {
		names = append(names, x.file(r.Name))
	}
	files, err := openAll(names, x.key, false)
	for i, f := range files {
		if f.i.N != x.now.Known[q][i].N {
			closeAll(files)
			return nil, f.damaged()
		}
	}
	return files, err
}

// cut returns the place of the first finding of the layer behind which no new states are looked for.
func (x *partly) cut() (pred, at int) {
	pred = never
	for prop, f := range x.s.found {
		if f.depth >= 0 && f.depth <= x.s.depth && x.s.props[prop].Kind != model.Cover && !x.s.opt.All && (f.from < pred || f.from == pred && f.at < at) {
			pred, at = f.from, f.at
		}
	}
	return pred, at
}

// control does the search, phase by phase, until it is over or ctx ends.
func (x *partly) control(ctx context.Context) error {
	now := &x.now
	for x.progress(); now.Phase != "over"; x.progress() {
		x.restore(ctx)
		lo, hi := 0, 1 // of the layer
		if now.Depth >= 0 {
			lo, hi = now.Bases[now.Depth], now.Bases[now.Depth+1]
		}
		var err error
		switch {
		case now.Phase == "settle":
			err = x.settleAll(ctx)
		case lo == hi:
			now.Phase, now.Complete, now.Done = "over", true, max(now.Depth-1, 0)
		case now.Depth >= 0 && !x.s.frontier && !x.s.pending():
			now.Phase, now.Messages = "settle", make([]int, x.Parts.Of)
		default:
			err = x.expandAll(ctx, hi-lo)
		}
		if err == nil {
			err = x.write("search", false, now)
		}
		if err != nil {
			return err
		}
		if now.Phase != "settle" {
			x.clean()
		}
	}
	return nil
}

// expandAll has the states of the layer expanded.
func (x *partly) expandAll(ctx context.Context, n int) error {
	now, s := &x.now, x.s
	if err := x.phase(ctx, "expand", now.Depth, x.expanders(), n); err != nil {
		return err
	}
	x.restore(ctx)
	now.Messages = make([]int, x.Parts.Of)
	for _, p := range x.expanders() {
		var e expanded
		if err := x.note("expand", p, &e); err != nil {
			return err
		}
		now.Expanded, now.Fired, now.Deadlocks = now.Expanded+e.Expanded, now.Fired+e.Fired, now.Deadlocks+e.Deadlocks
		for rule, n := range e.FiredBy {
			now.FiredBy[rule] += n
			now.Idle[rule] = now.Idle[rule] && e.Idle[rule]
		}
		for prop, is := range e.Raised {
			now.Raised[prop] = now.Raised[prop] || is
		}
		for q, sent := range e.Sent {
			now.Messages[q] += int(sent.N)
		}
		x.take(e.Found, e.Hid)
	}
	now.Phase, now.Found, now.Limit = "settle", x.found(), s.limit
	return nil
}

// settleAll has the new states of a layer found, and ends it.
func (x *partly) settleAll(ctx context.Context) error {
	now, s := &x.now, x.s
	var parts []int
	for q, n := range now.Messages {
		if n > 0 {
			parts = append(parts, q)
		}
	}
	if err := x.phase(ctx, "settle", now.Depth, parts, lists.Sum(now.Messages, func(n int) int { return n })); err != nil {
		return err
	}
	x.restore(ctx)
	var sent []expanded
	if len(parts) > 0 {
		for _, p := range x.expanders() {
			var e expanded
			if err := x.note("expand", p, &e); err != nil {
				return err
			}
			sent = append(sent, e)
		}
	}
	total := x.total()
	for _, q := range parts {
		var e settled
		if err := x.note("settle", q, &e); err != nil {
			return err
		}
		for p := range sent {
			if len(e.Received) != len(sent) || e.Received[p] != sent[p].Sent[q] {
				return fmt.Errorf("explicit: internal error: part %d received other states than task %d sent", q, p)
			}
		}
		total += e.Fresh
		now.Known[q] = e.Known
		if n := lists.Sum(e.Known, func(r runFile) int { return r.N }); n > total {
			return fmt.Errorf("explicit: internal error: part %d has %d states of %d", q, n, total)
		}
		x.take(e.Found, e.Hid)
	}
	now.Bases = append(now.Bases, total)
	now.Phase, now.Found, now.Limit = "expand", x.found(), s.limit
	if now.Depth >= 0 && now.Reason == "" {
		now.Reason = s.layerDone()
		now.Done = s.done
	}
	if now.Depth++; now.Reason != "" {
		now.Phase = "over"
	}
	return nil
}

// note reads the note of a task that has ended.
func (x *partly) note(kind string, q int, v any) error {
	name := taskName(kind, x.now.Depth, q)
	if checks(kind) {
		name = taskName(kind, -1, q)
	}
	if !x.read(name, checks(kind), v) {
		return fmt.Errorf("%s is damaged", x.file(name))
	}
	return nil
}

// take takes over what a task found.
func (x *partly) take(found []partsFinding, hid bool) {
	for _, f := range found {
		if f := f.finding(); f.depth >= 0 && x.s.news(f) {
			x.s.record(f)
		}
	}
	if hid {
		x.now.Reason = errorHidden
	}
}

// clean removes files that are not needed after a layer.
func (x *partly) clean() {
	done := x.now.Depth - 1
	needed := make(map[string]bool)
	for _, runs := range x.now.Known {
		for _, r := range runs {
			needed[x.file(r.Name)] = true
		}
	}
	for _, kind := range []string{fmt.Sprintf("expand-%d-*", done+1), fmt.Sprintf("settle-%d-*", done+1), "known-*", "*.new"} {
		names, _ := filepath.Glob(x.file(kind))
		for _, name := range names {
			if !needed[name] {
				os.Remove(name)
			}
		}
	}
}

// progress tells how far the search is.
func (x *partly) progress() {
	if x.s.opt.Progress == nil {
		return
	}
	now := &x.now
	f := forecast{}
	for i := range now.Bases[1:] {
		f.layers = append(f.layers, now.Bases[i+1]-now.Bases[i])
	}
	st := Stats{Depth: max(now.Depth, 0), States: int64(x.total()), Expanded: now.Expanded, Fired: now.Fired, Part: f.part(x.total())}
	if d := time.Since(x.began).Seconds(); d > 0 {
		st.PerSecond = float64(x.total()-x.states) / d
	}
	x.s.opt.Progress(st)
}

// result returns what the search found.
func (x *partly) result(ctx context.Context) (*Result, error) {
	now, s := &x.now, x.s
	x.restore(ctx)
	if now.Reason == errorHidden {
		return &Result{Depth: -1, States: int64(x.total()), Fired: now.Fired, Reason: errorHidden, Hidden: true}, nil
	}
	r := &Result{Complete: now.Complete, Depth: s.bound(), States: int64(x.total()), Fired: now.Fired, Reason: cmp.Or(now.Reason, reasonOf(ctx))}
	if now.Complete {
		r.FiredBy, r.Deadlocks, r.Raised, r.Idle = now.FiredBy, now.Deadlocks, append([]int{}, numbers(now.Raised)...), numbers(now.Idle)
		c, err := x.closure(-1)
		if err != nil {
			return nil, err
		}
		r.Visited = c
	}
	s.disk = nil
	if s.strict != nil { // traces are about the model as it is
		s.worker.use(s.p)
	}
	return r, s.tell(r, x.trace)
}

// trace builds a counterexample of the representatives on the way to a finding, which are looked for backwards.
func (x *partly) trace(prop int, f finding) (*model.Trace, error) {
	s := x.s
	i := f.state
	var way [][]byte // last state first
	if f.packed != nil {
		way, i = append(way, f.packed), f.from
	}
	for i != noParent {
		l, err := x.openLayer(sort.SearchInts(x.now.Bases, i+1) - 1)
		if err != nil {
			return nil, err
		}
		state, pred, err := l.state(i)
		if closeAll(l.files); err != nil {
			return nil, err
		}
		way, i = append(way, state), pred
	}
	s.set = newSet(s.packer.Size())
	s.states = &s.set.row
	for k, state := range slices.Backward(way) {
		_, _, slot := s.set.find(state, hash(state))
		s.set.insert(state, slot, hash(state), len(way)-2-k)
	}
	f.state = len(way) - 1
	return s.trace(prop, f)
}

// partsClosure is the visited set of a search in parts as evidence, or one part of it.
type partsClosure struct {
	of    closure // for representatives
	x     *partly
	part  int       // -1: all
	files []*blocks // of part after part
	first []int     // by part: its first file
	n     int64
}

// closure opens the states of a part, or of all if it is -1.
func (x *partly) closure(part int) (*partsClosure, error) {
	c := &partsClosure{of: closure{packer: x.s.packer, canon: x.s.canon}, x: x, part: part}
	for q := range x.Parts.Of {
		c.first = append(c.first, len(c.files))
		if part >= 0 && q != part {
			continue
		}
		files, err := x.openKnown(q)
		if err != nil {
			closeAll(c.files)
			return nil, err
		}
		c.files = append(c.files, files...)
	}
	c.n = int64(lists.Sum(c.files, func(f *blocks) int { return f.i.N }))
	if part < 0 && c.n != int64(x.total()) {
		return nil, fmt.Errorf("explicit: internal error: the parts have %d states, and %d were found", c.n, x.total())
	}
	return c, nil
}

func (c *partsClosure) Len() int64 { return c.n }

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
	key := append(ownerKey(c.Of(rep)), rep...)
	for k, f := range c.files {
		if k >= c.first[c.Of(rep)] {
			if n, is, err := f.find(key); is && err == nil {
				return i + int64(n), perm, true
			}
		}
		i += int64(f.i.N)
	}
	return 0, perm, false
}

// Parts implements evidence.Parted.
func (c *partsClosure) Parts(ctx context.Context) (looked []*evidence.Looked, met []*evidence.Met, share float64, err error) {
	x := c.x
	for _, kind := range []string{"look", "meet"} {
		if err == nil {
			err = x.phase(ctx, kind, -1, x.all(), x.total())
		}
	}
	for q := range x.Parts.Of {
		if l := new(evidence.Looked); x.read(taskName("look", -1, q), true, l) {
			looked = append(looked, l)
		}
		if m := new(evidence.Met); x.read(taskName("meet", -1, q), true, m) {
			met = append(met, m)
		}
	}
	return looked, met, float64(len(looked)+len(met)) / float64(2*x.Parts.Of), err
}

// Of implements evidence.Part.
func (c *partsClosure) Of(s []byte) int { return c.x.owner(s) }

// piece is a part of a set as evidence.Part.
type piece struct{ *partsClosure }

func (e piece) Parts() (number, of int)     { return e.part, e.x.Parts.Of }
func (e piece) Send(s []byte, to int) error { return e.x.s.disk.next.add(ownerKey(to), s) }
func (e piece) Guess(s []byte) model.ScalarPerm {
	_, perm := e.of.least(s)
	return perm
}

// Sorted implements evidence.Part.
func (e piece) Sorted() iter.Seq2[[]byte, error] {
	return func(yield func(b []byte, err error) bool) {
		e.yield(recordsOf(e.files), yield)
	}
}

// Received implements evidence.Part.
func (e piece) Received(told func(s []byte, from int, times int64)) iter.Seq2[[]byte, error] {
	return func(yield func(b []byte, err error) bool) {
		x := e.x
		var names []string
		for _, p := range x.all() {
			names = append(names, x.file(taskName("look", -1, p)+".to"))
		}
		files, err := openAll(names, x.key+numberBytes, false)
		defer closeAll(files)
		var all []*records
		if err == nil {
			all, _, err = between(files, ownerKey(e.part), ownerKey(e.part+1))
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for p, r := range all {
			r.seen = func(b []byte) { told(b[partBytes:x.key], p, int64(binary.BigEndian.Uint64(b[x.key:]))) }
		}
		e.yield(all, yield)
	}
}

// yield yields the states of records, each once.
func (e piece) yield(all []*records, yield func(b []byte, err error) bool) {
	var last []byte
	enough := errors.New("enough")
	err := merge(all, func(b []byte) error {
		if bytes.Equal(last, b[:e.x.key]) {
			return nil
		}
		last = append(last[:0], b[:e.x.key]...)
		if !yield(last[partBytes:], nil) {
			return enough
		}
		return nil
	})
	if err != nil && err != enough {
		yield(nil, err)
	}
}

// look has the members of a part looked at.
func (x *partly) look(ctx context.Context, name string, q int) (*evidence.Looked, error) {
	c, err := x.closure(q)
	if err != nil {
		return nil, err
	}
	defer closeAll(c.files)
	to := newSorter(x.s.disk.create, x.key, x.s.disk.memory)
	x.s.disk.next = to
	found, err := x.Look(ctx, x.problem, piece{c})
	if err != nil {
		return nil, err
	}
	return found, writeBlocks(x.file(name+".to"), x.key+numberBytes, func(yield func(b []byte) error) error {
		var last []byte
		times := 0
		end := func() error {
			if times == 0 {
				return nil
			}
			return yield(append(last, numbered(times)...))
		}
		err := to.each(func(b []byte) error {
			if times == 0 || !bytes.Equal(last, b) {
				if err := end(); err != nil {
					return err
				}
				last, times = append(last[:0], b...), 0
			}
			times++
			return nil
		})
		return cmp.Or(err, end())
	})
}

// meet has what was sent to a part compared with its members.
func (x *partly) meet(ctx context.Context, q int) (*evidence.Met, error) {
	c, err := x.closure(q)
	if err != nil {
		return nil, err
	}
	defer closeAll(c.files)
	return x.Meet(ctx, piece{c})
}

// runParts does a search in parts, or a task of one.
func runParts(ctx context.Context, p *mc.Problem, o Options, parts *Parts) (*Result, error) {
	for _, q := range p.Props {
		if p.Model.Props[q].Kind.Graph() {
			return nil, BadParts{fmt.Errorf("%s is about the graph of all steps, and a search in parts keeps no steps; --prop names others", p.Name(q))}
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
		return nil, err
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
	r, err := x.result(ctx)
	if r != nil && r.Hidden { // the next search is another one
		err = cmp.Or(err, os.WriteFile(x.file(HiddenFile), nil, 0o644), os.Remove(x.file("search")))
	}
	return r, err
}

// HiddenFile is a file in Parts.Dir: an error was hidden, so the search is done without the symmetry that this refutes.
const HiddenFile = "hidden"
