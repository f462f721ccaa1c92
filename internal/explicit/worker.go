package explicit

import (
	"cmp"
	"slices"

	"orbitmc/model"
)

// worker expands states and evaluates properties in them. Workers run at the same time. Each
// writes to chunks of its own, and the parts of the search that they read do not change
// meanwhile.
type worker struct {
	s      *search
	m      *model.Machine
	canon  *canonicaliser // nil for None
	cur    model.State    // the state expanded last
	moved  []int          // the leaves in which it differs from the one before
	packed []byte         // cur, packed
	fixed  bool           // canon has the signatures of cur
	buf    []byte         // the successor at hand, packed
	fresh  model.State    // scratch of m
	seen   []byte         // the last argument of see
	differ []int          // scratch of see
	idle   []bool         // by rule: not enabled so far
	raised []bool         // by property: a step raised it
	fired  []int64        // by rule: instances fired or left out by the stabiliser, erring ones included
	stuck  int64          // deadlocked states, if that property is wanted
	at     treeCursor     // at the state that is being expanded
	look   treeCursor     // at what was looked up last
	out    *chunk         // of the states that are being expanded
	view   *logView       // of the states on disk
	sum    uint64         // of what was fetched

	reduced    *reduced    // nil without stubborn sets
	stabiliser *stabiliser // nil if all instances are fired
}

func newWorker(s *search) (*worker, error) {
	m := s.p.Model
	w := &worker{s: s, cur: slices.Repeat(model.State{model.Undef}, m.Leaves()),
		packed: make([]byte, s.packer.Size()), // 0 is undefined
		raised: make([]bool, len(m.Props)), idle: slices.Repeat([]bool{true}, len(m.Rules)), fired: make([]int64, len(m.Rules))}
	w.use(cmp.Or(s.strict, s.p))
	if s.stubborn != nil {
		w.reduced = newReduced(s.stubborn, m.Leaves())
		if s.opt.Own != nil {
			w.reduced.see, w.reduced.own = s.opt.Own.Owner()
		}
	}
	if s.opt.Canon != None {
		var err error
		w.canon, err = newCanonicaliser(s.p, s.packer, s.opt.Blocks, s.opt.Rings, s.opt.Canon == Exact)
		if err != nil {
			return nil, err
		}
		w.canon.star = s.opt.Canon == Star
		if s.opt.ByRule && s.opt.Canon == Exact && s.stubborn == nil {
			w.stabiliser = newStabiliser(w.canon)
		}
		if s.opt.Canon == First {
			if err := w.canon.findFixed(); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// use lets the worker run a program.
func (w *worker) use(p *model.Program) {
	w.m = p.NewMachine()
	w.m.Delivered()
	w.fresh, w.seen = w.m.Scratch(), make([]byte, w.s.packer.Size()) // undefined, as 0 is
}

// chunk is what the expansion of successive states shows, in order.
type chunk struct {
	first   int      // the first of these states
	base    int      // its successors in chunks before
	ends    []int    // by state: where its successors end
	still   []bool   // by state: a step leads to itself
	states  []byte   // successors in other states, packed, one after the other
	keys    []byte   // if the set does not hold states: what it holds for them
	hashes  []uint64 // by successor: of what the set holds
	changed []uint64 // by successor: the checks that may not have the result that they have in the state before
	perms   []byte   // by successor: the permutation to it, for the watch and for live, if they are to be told
	found   []noted
	fired   int64
	err     error // why it is not done

	// If several workers look successors up (see round): by successor its number, or the
	// complement of the slot that is claimed for it; those that keep their slots; the number
	// of the first of these; and what is found in them.
	places  []int
	fresh   []int
	number  int
	checked []noted
	left    []int // of fresh: not placed yet
}

// noted is a finding in successor number at of a chunk, or after so many successors.
type noted struct {
	at int
	finding
}

func (c *chunk) reset(first int) {
	c.first, c.base, c.fired, c.err = first, 0, 0, nil
	c.ends, c.still, c.states, c.keys, c.hashes = c.ends[:0], c.still[:0], c.states[:0], c.keys[:0], c.hashes[:0]
	c.changed, c.perms = c.changed[:0], c.perms[:0]
	c.found, c.places, c.fresh, c.checked, c.left = c.found[:0], c.places[:0], c.fresh[:0], c.checked[:0], c.left[:0]
}

// state returns successor k, packed in size bytes.
func (c *chunk) state(k, size int) []byte { return c.states[k*size : (k+1)*size : (k+1)*size] }

// note notes a finding, for each property that is violated, unless the property has one as early. If ch is not
// nil, it is the instance that shows it.
func (w *worker) note(f finding, ch *model.Choice) {
	for _, v := range f.Violation.Each() {
		f.Violation = v
		w.raised[v.Prop] = w.raised[v.Prop] || isError(w.s.props[v.Prop].Kind)
		w.noteOne(f, ch)
	}
}

func (w *worker) noteOne(f finding, ch *model.Choice) {
	c := w.out
	f.At = 2 * (c.base + len(c.hashes))
	if !w.s.news(f) || slices.ContainsFunc(c.found, func(g noted) bool { return g.Violation.Prop == f.Violation.Prop && g.Depth <= f.Depth }) {
		return
	}
	if ch != nil {
		step := ch.Clone()
		f.Step = &step
	}
	c.found = append(c.found, noted{len(c.hashes), f})
}

// covered notes the covers that the instance at hand hit, a step from state i.
func (w *worker) covered(depth, i int, ch model.Choice) {
	for _, prop := range w.s.hits {
		if w.m.Hit(prop) {
			w.note(finding{Depth: depth, State: i, From: i, Violation: &model.Violation{Prop: prop, Message: "covered"}}, &ch)
		}
	}
}

var zeros [model.PackedPad]byte

// put appends the state s, packed in buf, or rather its representative, to the chunk. The
// leaves in changed are those in which it differs from cur, if that is its predecessor; buf
// goes on for model.PackedPad bytes then. The checks that are not in reads have the result in it that they have in the state before.
func (w *worker) put(s model.State, changed []int, reads uint64) {
	c, to := w.out, w.buf[:w.s.packer.Size()]
	switch {
	case w.canon == nil || w.s.opt.Canon == First:
	case changed == nil:
		to = w.canon.canon(s)
	default:
		w.follow()
		to = w.canon.successor(s, changed, w.buf)
	}
	c.states = append(c.states, to...)
	if w.s.compact != nil {
		n := len(c.keys)
		if w.s.compact.first {
			if changed != nil {
				w.follow()
			}
			c.keys = w.canon.signature(c.keys, s, changed)
		} else {
			c.keys = w.s.compact.key(c.keys, to)
		}
		to = c.keys[n:]
	}
	c.hashes = append(c.hashes, hash(to))
	c.changed = append(c.changed, reads)
	if w.canon != nil && w.s.steps != nil {
		for _, images := range w.canon.perm {
			for _, v := range images {
				c.perms = append(c.perms, byte(v))
			}
		}
	}
	if w.s.ctl != nil {
		c.perms = w.s.ctl.tell(c.perms, w.canon)
	}
}

// follow gives the canonicaliser the signatures of cur, once.
func (w *worker) follow() {
	if !w.fixed {
		w.canon.follow(w.cur, w.moved)
		w.fixed = true
	}
}

// expandAll expands the states of the chunk out, which are up to end.
func (w *worker) expandAll(end int) (err error) {
	first := w.out.first
	if w.s.disk != nil && w.s.batch == nil {
		if w.view == nil || w.view.n < end {
			w.view = w.s.disk.log.view()
		}
		err = w.view.load(first, end-first)
	}
	for i := first; i < end && err == nil; i++ {
		switch {
		case w.s.batch != nil:
			w.expand(i, w.s.batch.at(i))
		case w.s.disk != nil:
			w.expand(i, w.view.at(i))
		case w.s.compact != nil:
			w.expand(i, w.s.states.at(i))
		default:
			w.expand(i, w.s.set.read(i, &w.at))
		}
	}
	return err
}

// expand fires all rule instances in state i, packed in b.
func (w *worker) expand(i int, b []byte) {
	s, c := w.s, w.out
	w.moved = s.packer.Update(w.cur, w.packed, b, w.moved[:0])
	w.packed = append(w.packed[:0], b...)
	if w.canon != nil && !w.fixed {
		w.canon.chained = false
	}
	w.fixed = false
	stuck := true // no step or error counts against a deadlock
	still := false
	stuttering := s.p.Model.Deadlock == model.Stuttering
	if w.reduced != nil {
		w.reduced.reset()
	}
	var but []uint64
	if w.stabiliser != nil && s.ctl == nil {
		w.follow()
		w.buf = append(append(w.buf[:0], b...), zeros[:]...)
		but = w.stabiliser.at(w.cur, w.buf)
	}
	w.m.SuccessorsBut(w.cur, w.moved, but, func(ch model.Choice, next model.State, v *model.Violation) bool {
		stands := int64(1)
		if but != nil {
			stands = w.stabiliser.standsFor(ch)
		}
		if v == nil || !v.InGuard {
			w.idle[ch.Rule] = false
			if w.reduced == nil || v != nil {
				w.fired[ch.Rule] += stands
			}
		}
		w.covered(s.depth+1, i, ch)
		if v != nil {
			stuck = false
			depth := s.depth + 1
			if v.InGuard {
				if s.p.Model.Dialect == model.CMurphi {
					depth = s.depth
				}
			} else {
				c.fired += stands
			}
			w.note(finding{Depth: depth, State: i, From: i, Violation: v}, &ch)
			if w.reduced != nil {
				w.reduced.note(w.cur, ch, nil, nil)
			}
			return true
		}
		changed := w.m.Changed()
		if w.reduced != nil {
			w.reduced.note(w.cur, ch, next, changed)
		} else {
			c.fired += stands
		}
		self := len(changed) == 0
		still = still || self
		if !self || !stuttering {
			stuck = false
		}
		if self || !s.frontier || w.reduced != nil {
			return true
		}
		w.buf = append(append(w.buf[:0], b...), zeros[:]...)
		s.packer.Repack(w.buf, w.cur, next, changed)
		reads := uint64(0)
		for _, leaf := range changed {
			reads |= s.reads[leaf]
		}
		w.put(next, changed, reads)
		return true
	})
	if stuck && s.dead >= 0 && !w.m.LeftOut() {
		w.stuck++
		w.note(finding{Depth: s.depth, State: i, From: i, Violation: &model.Violation{Prop: s.dead, Message: "deadlock"}}, nil)
	}
	if w.reduced != nil { // what is fired counts, whenever another thread has ended the layer
		n := len(c.hashes)
		if from := w.fireSome(b); s.ordered {
			s.sets[i] = from
		}
		if !s.frontier {
			c.cut(n)
		}
	}
	c.ends, c.still = append(c.ends, len(c.hashes)), append(c.still, still || stuck && !w.m.LeftOut())
}
