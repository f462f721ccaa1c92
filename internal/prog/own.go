package prog

import (
	"slices"
	"sync/atomic"

	"orbitmc/model"
)

// Steps of a process that are independent of all other processes (R. Iosif, "Symmetry reduction criteria for software model checking", SPIN 2002,
// symmetric independence; what locks protect is as in M. Dwyer, J. Hatcliff, Robby, V. Ranganath, "Exploiting object escape and
// locking information in partial-order reductions for concurrent object-oriented programs", FMSD 2004). A step is a
// process's own if it reads and writes variables of the process alone, makes objects, and follows references of the process to
//
//   - objects to which no path of references leads from a global variable or from another process. No other process can
//     come by such an object until this process moves;
//   - objects whose mutex the process holds. No other process touches them before it is unlocked, if no process ever
//     touches an object while another one holds its mutex. This is assumed, field by field, and looked at in each state that is
//     visited. Where it is wrong the search is done anew without it.
//
// So the steps of others are independent of this step, up to which free objects new takes, and where objects are dropped.
// docs/explicit.md has the proof.

// Heap is where references are in states of a program that has some.
type Heap struct {
	Pools  []Pool
	Roots  []Place   // of global variables
	Locals [][]Place // by process type: leaves count from the record of the process
}

// Pool is the objects of a type: an array from number 0, which is none.
type Pool struct {
	Leaf, Size, N int     // first leaf, leaves of an object, objects with number 0
	Refs          []Place // leaves count from the object

	Mutex int    // the field that is the mutex of an object; -1 if objects do not say who holds it
	Holds int    // first leaf that says so, counted from the object: by process number, whether it does
	Slots int    // process numbers
	Loose []bool // by field: it may be touched whoever holds the mutex
}

// Place is a leaf that is a reference, and to which pool.
type Place struct{ Leaf, Pool int }

// Follow is that a step touches a field of what a reference refers to. The process is the bound variable in it.
type Follow struct {
	Ref     model.Expr
	Pool    int
	Field   int  // -1: all, since the object is deleted
	Unlocks bool // the field is unlocked
}

// Ownership tells for all threads of a search which steps are a process's own.
type Ownership struct {
	p       *Program
	own     [][]bool     // by process type and location: all steps that begin there may be own
	follows [][][]follow // ... and what they touch
	loose   [][]bool     // by pool and field: it is touched whoever holds the mutex
	found   [][]atomic.Bool
}

// follow is a Follow of a rule, whose first parameter is the process.
type follow struct {
	Follow
	rule *model.Rule
}

// object returns the number of the object that a process touches; false if it is not known.
func (f *follow) object(s model.State, slot int64) (k int64, ok bool) {
	return env{f.rule, []int64{slot}, s}.eval(f.Ref)
}

// NewOwnership returns nil if the program has no references. Without locks it looks at what is out of reach alone.
func NewOwnership(p *Program, locks bool) *Ownership {
	if p == nil || p.Heap == nil || p.Monitored {
		return nil
	}
	o := &Ownership{p: p, own: make([][]bool, len(p.Protos)), follows: make([][][]follow, len(p.Protos))}
	for i, q := range p.Protos {
		o.own[i], o.follows[i] = make([]bool, len(q.Locs)+1), make([][]follow, len(q.Locs)+1)
		for k := range o.own[i] {
			o.own[i][k] = true
		}
	}
	for i, e := range p.Edges {
		if e.Proto < 0 {
			continue
		}
		at := e.Parts[0].From
		o.own[e.Proto][at] = o.own[e.Proto][at] && e.Own
		for _, f := range e.Follows {
			o.follows[e.Proto][at] = append(o.follows[e.Proto][at], follow{f, p.Model.Rules[i]})
		}
	}
	some := slices.ContainsFunc(p.Edges, func(e Edge) bool { return e.Own })
	for _, pool := range p.Heap.Pools {
		loose := slices.Clone(pool.Loose)
		for i := range loose {
			loose[i] = loose[i] || !locks || !some
		}
		o.loose, o.found = append(o.loose, loose), append(o.found, make([]atomic.Bool, len(loose)))
	}
	return o
}

// Refuted reports, after a search, whether a field was touched while another process held the mutex of the object, which was
// assumed not to be. It no longer is.
func (o *Ownership) Refuted() (refuted bool) {
	for i, of := range o.found {
		for k := range of {
			if of[k].Load() && !o.loose[i][k] {
				o.loose[i][k], refuted = true, true
			}
		}
	}
	return refuted
}

// owner tells which steps are a process's own. It is not safe for concurrent use.
type owner struct {
	*Ownership
	shared [][]bool // by pool and object: it is reached from elsewhere
	work   []Place  // objects: number, pool
}

// Owner returns two functions for one thread. See is to be called in each state that is expanded. It reports whether some process
// holds a mutex there that is believed to protect something. Owns reports whether all steps of the process that begins an
// instance are its own in s.
func (o *Ownership) Owner() (see func(s model.State) (held bool), owns func(s model.State, ch model.Choice) bool) {
	w := &owner{Ownership: o}
	for _, pool := range o.p.Heap.Pools {
		w.shared = append(w.shared, make([]bool, pool.N))
	}
	return w.see, w.owns
}

// record returns the first leaf of a process and its location; false if the process is not there.
func (o *owner) record(s model.State, proto int, slot int64) (leaf, loc int, ok bool) {
	q := &o.p.Protos[proto]
	leaf, _ = q.record(slot)
	loc = q.number(s[leaf])
	return leaf, loc, loc > 0
}

func (o *owner) owns(s model.State, ch model.Choice) bool {
	e := &o.p.Edges[ch.Rule]
	if e.Proto < 0 || !e.Own {
		return false
	}
	slot := ch.Params[0]
	_, loc, ok := o.record(s, e.Proto, slot)
	if !ok || !o.own[e.Proto][loc] {
		return false
	}
	looked := false
	for i := range o.follows[e.Proto][loc] {
		f := &o.follows[e.Proto][loc][i]
		k, ok := f.object(s, slot)
		if !ok {
			return false
		}
		protected := f.Field >= 0 && f.Field != o.p.Heap.Pools[f.Pool].Mutex && !o.loose[f.Pool][f.Field]
		if k == 0 || protected && o.holder(s, f.Pool, k) == slot {
			continue
		}
		if !looked {
			o.reach(s, e.Proto, slot)
			looked = true
		}
		if o.shared[f.Pool][k] {
			return false
		}
	}
	return true
}

// holder returns the process that holds the mutex of an object; -1 for none, or if it is not known.
func (o *owner) holder(s model.State, pool int, k int64) int64 {
	p := &o.p.Heap.Pools[pool]
	if p.Mutex >= 0 {
		first := p.Leaf + int(k)*p.Size + p.Holds
		for i := range p.Slots {
			if s[first+i] == 1 {
				return int64(i)
			}
		}
	}
	return -1
}

// see notes the fields that processes may touch next though another one holds the mutex.
func (o *owner) see(s model.State) (held bool) {
	for i, of := range o.loose {
		if !slices.Contains(of, false) {
			continue
		}
		for k := 1; k < o.p.Heap.Pools[i].N && !held; k++ {
			held = o.holder(s, i, int64(k)) >= 0
		}
	}
	if !held {
		return false
	}
	for i, q := range o.p.Protos {
		if q.Var == nil {
			continue
		}
		for slot := q.Var.Type.Index.Lo; slot <= q.Var.Type.Index.Hi; slot++ {
			_, loc, ok := o.record(s, i, slot)
			if !ok {
				continue
			}
			for j := range o.follows[i][loc] {
				f := &o.follows[i][loc][j]
				k, ok := f.object(s, slot)
				if !ok {
					o.wrong(f)
				} else if h := o.holder(s, f.Pool, k); k > 0 && h >= 0 && h != slot && (f.Field != o.p.Heap.Pools[f.Pool].Mutex || f.Unlocks) {
					o.wrong(f)
				}
			}
		}
	}
	return true
}

// wrong notes that a field is touched whoever holds the mutex; if it is the mutex that is unlocked, or if the object is
// deleted, this concerns all fields.
func (o *owner) wrong(f *follow) {
	of := o.found[f.Pool]
	if f.Field >= 0 && !f.Unlocks {
		of = of[f.Field : f.Field+1]
	}
	for i := range of {
		of[i].Store(true)
	}
}

// reach finds the objects that are reached from elsewhere than a process.
func (o *owner) reach(s model.State, proto int, slot int64) {
	for _, of := range o.shared {
		clear(of)
	}
	o.work = o.work[:0]
	meet := func(from int, places []Place) {
		for _, r := range places {
			if k := s[from+r.Leaf]; k != model.Undef && k > 0 && !o.shared[r.Pool][k] {
				o.shared[r.Pool][k] = true
				o.work = append(o.work, Place{int(k), r.Pool})
			}
		}
	}
	h := o.p.Heap
	meet(0, h.Roots)
	for i, q := range o.p.Protos {
		if q.Var == nil {
			continue
		}
		for k := q.Var.Type.Index.Lo; k <= q.Var.Type.Index.Hi; k++ {
			if i == proto && k == slot {
				continue
			}
			if leaf, _, ok := o.record(s, i, k); ok {
				meet(leaf, h.Locals[i])
			}
		}
	}
	for len(o.work) > 0 {
		x := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		pool := &h.Pools[x.Pool]
		meet(pool.Leaf+x.Leaf*pool.Size, pool.Refs)
	}
}
