package explicit

import (
	"slices"

	"orbitmc/model"
)

// Properties are evaluated in new states, and only where a leaf that they read is not as in
// the state before: there they were evaluated at a lesser depth. If states are kept as they
// are, the parts of invariants are so (model/parts.go), as long as all parts hold. Behind a state
// in which one does not hold, all those after it may not have been reached.

// findReads finds what checks read.
func (s *search) findReads() {
	s.reads, s.bitsOf = make([]uint64, s.p.Model.Leaves()), make([]uint64, len(s.checks))
	for k, prop := range s.checks {
		s.bitsOf[k] = 1 << (k & 63)
		s.mark(s.p.Reads(prop), s.bitsOf[k])
	}
}

// mark gives the leaves that are read some bits; nil are all leaves.
func (s *search) mark(leaves []bool, bits uint64) {
	for i := range s.reads {
		if leaves == nil || leaves[i] {
			s.reads[i] |= bits
		}
	}
}

// divide divides the checks into parts, if all are invariants that can be divided. If there are more
// than 64, neighbours share a bit: they are likely to read the same.
func (s *search) divide() {
	var parts []model.Part
	for _, prop := range s.checks {
		of := s.p.Parts(prop)
		if of == nil {
			return
		}
		parts = append(parts, of...)
	}
	s.parts = parts
	clear(s.reads)
	clear(s.bitsOf)
	for i := range parts {
		q := &parts[i]
		q.Bit = i * 64 / max(64, len(parts))
		s.bitsOf[slices.Index(s.checks, q.Prop)] |= 1 << q.Bit
		s.mark(q.Reads, 1<<q.Bit)
	}
}

// see makes fresh the state that is packed in b.
func (w *worker) see(b []byte) {
	w.differ = w.s.packer.Update(w.fresh, w.seen, b, w.differ[:0])
	copy(w.seen, b)
}

// check evaluates declared properties in successor k of the chunk c, which is new. It calls found for each that is violated.
func (w *worker) check(c *chunk, k int, found func(v *model.Violation)) {
	changed := c.changed[k]
	if changed == 0 {
		return
	}
	s := w.s
	w.see(c.state(k, s.states.size))
	if s.parts != nil && !s.broken.Load() {
		if w.m.AllHold(w.fresh, s.parts, changed) {
			return
		}
		s.broken.Store(true)
	}
	for i, prop := range s.checks {
		if changed&s.bitsOf[i] == 0 {
			continue
		}
		for _, v := range s.finds(w.m, w.fresh, prop).Each() {
			found(v)
		}
	}
}
