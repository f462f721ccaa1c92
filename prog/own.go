package prog

import "orbitmc/model"

// Steps that concern nobody else (R. Iosif, "Symmetry reduction criteria for software model checking", SPIN 2002,
// symmetric independence). A step is a process's own if it reads and writes variables of the process alone, makes objects, and follows
// references of the process to objects to which no path of references leads from a global variable or from another process. No
// other process can come by such an object until this process moves, so all that others do is independent of the step: up to
// which free objects new takes, and what is dropped where.

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
}

// Place is a leaf that is a reference, and to which pool.
type Place struct{ Leaf, Pool int }

// Chain is how a step comes to objects: by a variable of its process, and then by fields of what that refers to.
type Chain struct {
	Root   Place
	Fields []Place
}

// Owner tells which steps are a process's own. It is not safe for concurrent use.
type Owner struct {
	p      *Program
	own    [][]bool    // by process type and location: all steps that begin there are own, in some states
	chains [][][]Chain // ... and what they follow
	shared [][]bool    // by pool and object: it is reached from elsewhere
	work   []Place     // objects: number, pool
}

// NewOwner returns nil if the program has no references.
func NewOwner(p *Program) *Owner {
	if p == nil || p.Heap == nil || p.Monitored {
		return nil
	}
	o := &Owner{p: p, own: make([][]bool, len(p.Protos)), chains: make([][][]Chain, len(p.Protos))}
	for i, q := range p.Protos {
		o.own[i], o.chains[i] = make([]bool, len(q.Locs)), make([][]Chain, len(q.Locs))
		for k := range o.own[i] {
			o.own[i][k] = true
		}
	}
	for _, e := range p.Edges {
		if e.Proto >= 0 {
			o.own[e.Proto][e.At] = o.own[e.Proto][e.At] && e.Own
			o.chains[e.Proto][e.At] = append(o.chains[e.Proto][e.At], e.Chains...)
		}
	}
	for _, pool := range p.Heap.Pools {
		o.shared = append(o.shared, make([]bool, pool.N))
	}
	return o
}

// record returns the first leaf of a process and its location; false if the process is not there.
func (o *Owner) record(s model.State, proto int, slot int64) (leaf int, loc int64, ok bool) {
	q := &o.p.Protos[proto]
	t := q.Var.Type
	leaf = q.Var.Offset + int(slot-t.Index.Lo)*t.Elem.Leaves
	loc = s[leaf]
	return leaf, loc, loc != model.Undef && !(q.Gone && loc == 0)
}

// Owns reports whether all steps of the process that begins an instance are its own in s.
func (o *Owner) Owns(s model.State, ch model.Choice) bool {
	e := &o.p.Edges[ch.Rule]
	if e.Proto < 0 || !e.Own {
		return false
	}
	slot := ch.Params[0]
	leaf, loc, ok := o.record(s, e.Proto, slot)
	if !ok || !o.own[e.Proto][loc] {
		return false
	}
	chains := o.chains[e.Proto][loc]
	if len(chains) == 0 {
		return true
	}
	o.reach(s, e.Proto, slot)
	for _, c := range chains {
		k, pool := s[leaf+c.Root.Leaf], c.Root.Pool
		for i := 0; k > 0; i++ {
			if o.shared[pool][k] {
				return false
			}
			if i == len(c.Fields) {
				break
			}
			f, at := c.Fields[i], &o.p.Heap.Pools[pool]
			k, pool = s[at.Leaf+int(k)*at.Size+f.Leaf], f.Pool
		}
	}
	return true
}

// reach finds the objects that are reached from elsewhere than a process.
func (o *Owner) reach(s model.State, proto int, slot int64) {
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
