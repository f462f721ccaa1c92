package prog

import (
	"math/bits"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// What a step may touch. An object is a leaf of a state, or that a process is at a location:
// a step from one location to another touches these two, and a handshake asks for one of them.
// So a step of a process conflicts with a handshake only if it comes to, or leaves, the place
// where the handshake finds it.

// Set is a set of objects.
type Set []uint64

func (s Set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s Set) or(t Set) { // s gets all of t
	for i, w := range t {
		s[i] |= w
	}
}

// Meets reports whether two sets have an object in common.
func (s Set) Meets(t Set) bool {
	for i, w := range t {
		if s[i]&w != 0 {
			return true
		}
	}
	return false
}

// each calls f for the objects of a set, ascending.
func (s Set) each(f func(i int)) {
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			f(k*64 + bits.TrailingZeros64(w))
		}
	}
}

// Footprint is what a step may touch. Up and Down are those of Writes whose value may become
// greater, or smaller.
type Footprint struct {
	Reads, Writes, Up, Down Set
}

// Conflicts reports whether two steps may disturb each other: one may write what the other
// touches. Otherwise they can be exchanged, and neither enables or disables the other.
func (f *Footprint) Conflicts(g *Footprint) bool {
	for i, w := range f.Writes {
		if w&(g.Reads[i]|g.Writes[i]) != 0 || g.Writes[i]&f.Reads[i] != 0 {
			return true
		}
	}
	return false
}

// Equal reports whether two footprints have the same objects.
func (f *Footprint) Equal(g *Footprint) bool {
	return f == g || slices.Equal(f.Reads, g.Reads) && slices.Equal(f.Writes, g.Writes)
}

func (f *Footprint) or(g *Footprint) {
	f.Reads.or(g.Reads)
	f.Writes.or(g.Writes)
	f.Up.or(g.Up)
	f.Down.or(g.Down)
}

// agent is a process that may exist: a process type and a number.
type agent struct {
	*Proto
	pc    int // leaf of its location; those of its variables follow
	end   int // behind its last leaf
	locs  int // locations, from 1; 0 is that there is no such process
	place int // object: that it is at location 0; those of the others follow
	node  int // number of its location 0 among the nodes
}

// Agents are the processes of a program with numbers of their own, and the objects.
type agents struct {
	all     []agent
	owner   []int         // by leaf: the agent that has it, or -1
	types   []*model.Type // by leaf
	leaves  int
	objects int
	nodes   int // an agent at a location
}

func newAgents(p *Program, m *model.Model) *agents {
	a := &agents{leaves: m.Leaves()}
	a.owner = slices.Repeat([]int{-1}, a.leaves)
	a.types = lists.Map(m.AllLeaves(), func(l model.Leaf) *model.Type { return l.Type })
	a.objects = a.leaves
	for i := range p.Protos {
		q := &p.Protos[i]
		if q.Var == nil {
			continue
		}
		t := q.Var.Type
		locs := len(q.Locs)
		if q.Gone {
			locs--
		}
		for k := range int(t.Index.Card()) {
			g := agent{Proto: q, pc: q.Var.Offset + k*t.Elem.Leaves, locs: locs, place: a.objects, node: a.nodes}
			g.end = g.pc + t.Elem.Leaves
			for l := g.pc; l < g.end; l++ {
				a.owner[l] = len(a.all)
			}
			a.objects += locs + 1
			a.nodes += locs + 1
			a.all = append(a.all, g)
		}
	}
	return a
}

func (a *agent) at(s model.State) int { return a.number(s[a.pc]) }

func (a *agents) set() Set { return make(Set, (a.objects+63)/64) }

func (a *agents) footprint() Footprint {
	return Footprint{a.set(), a.set(), a.set(), a.set()}
}
