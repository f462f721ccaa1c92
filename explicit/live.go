package explicit

import (
	"context"
	"math"
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// live decides liveness properties, AG EF p, when all states were found: by
// breadth-first search backwards over the steps from the states in which p
// holds. What it reaches are the layers of evidence.Layers, which explains how
// symmetry is accounted for as well: the search is one over pairs of a state and
// an instance of the property, and a step moves the instance by the permutation
// that led to the representative.
type live struct {
	s     *search
	props []liveProp

	// The steps between different states, forward, by state in the order of their
	// numbers; perm tells which permutation a step applies, and is nil if there is
	// just one. The last entry of first is that of the state at hand.
	first []uint64
	to    []uint32
	perm  []uint32
	known map[string]uint32 // permutations by what tell appends
	moved []int             // scalarset classes that instances depend on and permutations move
}

// liveProp is one property. Pairs of state i and instance k have the number
// i*len(insts)+k.
type liveProp struct {
	prop   *model.Property
	insts  [][]int64
	params [][]int64 // by parameter: its values
	layer  []int32   // by pair: 0 where it holds, -1 elsewhere as far as known
	back   [][]int32 // by permutation and instance: what the permutation maps to it
}

func newLive(s *search, props []*model.Property) *live {
	l := &live{s: s, known: make(map[string]uint32)}
	uses := make([]bool, len(s.p.Model.Scalarsets))
	for _, q := range props {
		p := liveProp{prop: q, insts: model.InstancesOf(q.Params)}
		for _, param := range q.Params {
			values := param.Domain.Values()
			p.params = append(p.params, values)
			for _, v := range values {
				if class, _, ok := param.Var.Type.Element(v); ok {
					uses[class] = true
				}
			}
		}
		l.props = append(l.props, p)
	}
	for k := range uses {
		if uses[k] && s.canon != nil && s.canon.moves[k] {
			l.moved = append(l.moved, k)
		}
	}
	return l
}

// memory returns the bytes in use, and what one more state with one step may add.
func (l *live) memory() (used, next int64) {
	grow := func(n, c, size int) {
		used += int64(c) * int64(size)
		if n == c {
			next += int64(c)*int64(size)*5/4 + 1024
		}
	}
	grow(len(l.first), cap(l.first), 8)
	grow(len(l.to), cap(l.to), 4)
	grow(len(l.perm), cap(l.perm), 4)
	queue := 0 // pairs in that of the search backwards
	for i := range l.props {
		p := &l.props[i]
		grow(min(len(p.layer)+len(p.insts), cap(p.layer)), cap(p.layer), 4)
		queue = max(queue, len(p.layer))
	}
	used += int64(len(l.to)+len(l.perm))*4 + int64(len(l.first)+queue)*8 // and the steps once more, backwards
	return used, next
}

// maxLive is how many states there may be.
const maxLive = math.MaxUint32

// visit evaluates the properties in the new state i, packed in b. One whose evaluation errs is violated there.
func (l *live) visit(i int, b []byte) {
	s := l.s.fresh
	l.s.see(b)
	for k := range l.props {
		p := &l.props[k]
		for _, inst := range p.insts {
			layer := int32(-1)
			holds, v := l.s.m.Holds(s, p.prop.Index, inst)
			if v = v.Of(p.prop.Index); v != nil {
				l.s.report(finding{depth: l.s.depth + 1, state: i, from: i, v: v})
			} else if holds {
				layer = 0
			}
			p.layer = append(p.layer, layer)
		}
	}
}

// expand begins with the steps of the next state.
func (l *live) expand() { l.first = append(l.first, uint64(len(l.to))) }

// tell appends what a permutation does to the classes that matter, three bytes a value.
func (l *live) tell(dst []byte, perm model.ScalarPerm) []byte {
	for _, k := range l.moved {
		for _, w := range perm[k] {
			dst = append(dst, byte(w), byte(w>>8), byte(w>>16))
		}
	}
	return dst
}

// edge notes a step to state j, by the permutation of which key tells.
func (l *live) edge(j int, key []byte) {
	l.to = append(l.to, uint32(j))
	if len(l.moved) == 0 {
		return
	}
	id, ok := l.known[string(key)]
	if !ok {
		id = uint32(len(l.known))
		l.known[string(key)] = id
		l.learn(key)
	}
	l.perm = append(l.perm, id)
}

// learn finds out what a permutation does to the instances.
func (l *live) learn(key []byte) {
	perm := make(model.ScalarPerm, len(l.s.p.Model.Scalarsets))
	for _, k := range l.moved {
		for range l.s.p.Model.Scalarsets[k].Card() {
			perm[k] = append(perm[k], int(key[0])|int(key[1])<<8|int(key[2])<<16)
			key = key[3:]
		}
	}
	for i := range l.props {
		p := &l.props[i]
		back := make([]int32, len(p.insts))
		image := make([]int64, len(p.params))
		for k, inst := range p.insts {
			for j, v := range inst {
				t := p.prop.Params[j].Var.Type
				if class, w, ok := t.Element(v); ok && perm[class] != nil {
					v = t.Image(v, w, int64(perm[class][w]))
				}
				image[j] = v
			}
			back[p.number(image)] = int32(k)
		}
		p.back = append(p.back, back)
	}
}

// number returns the number of an instance.
func (p *liveProp) number(inst []int64) int {
	n := 0
	for j, v := range inst {
		n = n*len(p.params[j]) + slices.Index(p.params[j], v)
	}
	return n
}

// decide computes the layers and reports violations. It returns why it stopped
// early, or "".
func (l *live) decide(ctx context.Context) Reason {
	states := len(l.first)
	l.first = append(l.first, uint64(len(l.to)))
	// The steps backwards: those to state j are from[into[j]:into[j+1]].
	into := make([]uint64, states+1)
	for _, j := range l.to {
		into[j]++
	}
	sum := uint64(0)
	for j, n := range into {
		sum += n
		into[j] = sum
	}
	from, by := make([]uint32, len(l.to)), make([]uint32, len(l.perm))
	for i := range states {
		for e := l.first[i]; e < l.first[i+1]; e++ {
			j := l.to[e]
			into[j]--
			from[into[j]] = uint32(i)
			if l.perm != nil {
				by[into[j]] = l.perm[e]
			}
		}
	}
	for i := range l.props {
		p := &l.props[i]
		n := len(p.insts)
		var queue []int
		for pair, layer := range p.layer {
			if layer == 0 {
				queue = append(queue, pair)
			}
		}
		for at := 0; at < len(queue); at++ {
			if at&0xffff == 0 && ctx.Err() != nil {
				return reasonOf(ctx)
			}
			j, k := queue[at]/n, queue[at]%n
			for e := into[j]; e < into[j+1]; e++ {
				before := k
				if l.perm != nil {
					before = int(p.back[by[e]][k])
				}
				if pair := int(from[e])*n + before; p.layer[pair] < 0 {
					p.layer[pair] = p.layer[queue[at]] + 1
					queue = append(queue, pair)
				}
			}
		}
		if pair := slices.Index(p.layer, -1); pair >= 0 {
			l.report(p, pair/n)
		}
	}
	return ""
}

// report reports that from state i one cannot reach an instance of p; it is the
// first such state, so at the least depth.
func (l *live) report(p *liveProp, i int) {
	depth := -1
	for j := i; j != noParent; j = l.s.set.parent(j) {
		depth++
	}
	l.s.report(finding{depth: depth, state: i, from: i, v: &model.Violation{Prop: p.prop.Index, Pos: p.prop.Pos, Message: "no state in which " + p.prop.Name + " holds can be reached any more"}})
}

// evidence returns the layers of the wanted properties.
func (l *live) evidence() map[int]evidence.Layers {
	all := make(map[int]evidence.Layers)
	for i := range l.props {
		if p := &l.props[i]; l.s.wanted[p.prop.Index] {
			all[p.prop.Index] = p
		}
	}
	return all
}

// Layer implements evidence.Layers.
func (p *liveProp) Layer(i int64, inst []int64) int {
	return int(p.layer[i*int64(len(p.insts))+int64(p.number(inst))])
}
