package explicit

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// live decides liveness properties, AG EF p, when all states were found. States are marked from which p can be
// reached: first those in which it holds, then those with a step into a marked one. A list of all steps backwards would
// take many times the memory of the states. Instead there are passes over the states that are not marked, by turns from
// the last to the first and from the first to the last, until a pass marks none: along a path, numbers mostly rise or
// mostly fall. The search itself is the first pass: it expands states in the order of their numbers. What it does not
// mark it keeps the steps of, in some three bytes a step, and once these are too many, states are expanded again. The
// few states that are open after some passes, if the steps of all are kept, are searched backwards: a path whose numbers
// rise and fall by turns would take as many passes as it has steps.
//
// The pass in which a state was marked and its place in the pass give the ranks of evidence.Layers. How symmetry is
// accounted for is explained in mc/certify/states/liveness.go: marks are of pairs of a state and an instance of the
// property, and a step moves the instance by the permutation that led to the representative.
type live struct {
	s     *search
	props []liveProp
	known map[string]int // permutations by what tell appends
	moved []int          // scalarset classes that instances depend on and permutations move
	told  int            // bytes that tell appends

	// Steps of the states that the first pass did not mark: the permutation, counted from 1, and the difference of the
	// numbers; 0 ends a state. Steps of later states than the first kept ones are not there.
	steps []byte
	kept  int
	at    []int // by block of states: where its steps begin
	start int   // where those of the state at hand begin
	most  int   // bytes of steps that are kept, about
	full  bool  // no more is kept
}

// liveStep is a step between states, by their numbers, and the number of its permutation.
type liveStep struct{ from, to, perm uint32 }

// Steps are read by blocks of states; about mostSteps bytes are kept. After so many passes the rest is searched backwards,
// if its steps and late ranks take no more than mostSteps, either.
const (
	stepBlock  = 64
	mostSteps  = 1 << 28
	mostPasses = 8
	stepBytes  = 12
	lateBytes  = 48 // of a late rank, about
)

// liveProp is one property. Pairs of state i and instance k have the number
// i*len(insts)+k.
type liveProp struct {
	prop   *model.Property
	insts  [][]int64
	params [][]int64   // by parameter: its values
	pass   []uint8     // by pair: when it was marked; 0: the property holds; not, or late
	late   map[int]int // by pair, of those that were marked late: their rank
	next   [][]int32   // by permutation and instance: what the permutation maps it to
	open   int         // pairs that are not marked
}

// Of pass. Passes before late are told apart by their numbers.
const (
	late     = 254
	unmarked = 255
)

func newLive(s *search, props []*model.Property) *live {
	l := &live{s: s, known: make(map[string]int), most: mostSteps}
	uses := make([]bool, len(s.p.Model.Scalarsets))
	for _, q := range props {
		p := liveProp{prop: q, insts: model.InstancesOf(q.Params), late: make(map[int]int)}
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
			l.told += 3 * int(s.p.Model.Scalarsets[k].Card())
		}
	}
	return l
}

// memory returns the bytes in use, and what one more state may add.
func (l *live) memory() (used, next int64) {
	for i := range l.props {
		p := &l.props[i]
		n := int64(cap(p.pass))
		if used += n; len(p.pass)+len(p.insts) > cap(p.pass) {
			next += n*5/4 + 1024
		}
		used += int64(len(p.late)) * lateBytes
	}
	if used += int64(cap(l.steps) + 8*cap(l.at)); cap(l.steps)-len(l.steps) < 2*binary.MaxVarintLen64 {
		next += int64(cap(l.steps))*5/4 + 1024
	}
	return used, next
}

// forget gives the memory of the steps back; false if there are none.
func (l *live) forget() bool {
	if l == nil || l.steps == nil {
		return false
	}
	l.steps, l.at, l.kept, l.full = nil, nil, 0, true
	return true
}

// visit evaluates the properties in the new state i, packed in b. One whose evaluation errs is violated there.
func (l *live) visit(i int, b []byte) {
	l.s.see(b)
	for k := range l.props {
		p := &l.props[k]
		for _, inst := range p.insts {
			pass := uint8(unmarked)
			holds, v := l.s.m.Holds(l.s.fresh, p.prop.Index, inst)
			if v = v.Of(p.prop.Index); v != nil {
				l.s.report(finding{depth: l.s.depth + 1, state: i, from: i, v: v})
			} else if holds {
				pass = 0
			}
			if p.pass = append(p.pass, pass); pass == unmarked {
				p.open++
			}
		}
	}
}

// tell appends what the permutation at hand does to the classes that matter, three bytes a value.
func (l *live) tell(dst []byte, c *canonicaliser) []byte {
	for _, k := range l.moved {
		for _, w := range c.perm[k] {
			dst = append(dst, byte(w), byte(w>>8), byte(w>>16))
		}
	}
	return dst
}

// edge is about a step of the search; key tells the permutation.
func (l *live) edge(i, j int, key []byte) {
	if l.marked(i) {
		return
	}
	id := l.number(key)
	if l.step(i, j, id, 1); !l.full {
		l.steps = binary.AppendVarint(binary.AppendUvarint(l.steps, uint64(id)+1), int64(j-i))
	}
}

// ends is called when all steps of state i were told, of one state after the other.
func (l *live) ends(i int) {
	if l.full {
		return
	}
	if i%stepBlock == 0 {
		l.at = append(l.at, l.start)
	}
	if l.marked(i) {
		l.steps = l.steps[:l.start]
	}
	l.steps = append(l.steps, 0)
	l.start, l.kept = len(l.steps), i+1
	l.full = l.start >= l.most
}

// number returns the number of the permutation of which key tells.
func (l *live) number(key []byte) int {
	id, ok := l.known[string(key)]
	if !ok {
		id = len(l.known)
		l.known[string(key)] = id
		l.learn(key)
	}
	return id
}

// step marks state i in a pass if a step to state j, under a permutation, shows that.
func (l *live) step(i, j, perm, pass int) (marks bool) {
	for at := range l.props {
		p := &l.props[at]
		n := len(p.insts)
		for k := range p.insts {
			to := p.pass[j*n+int(p.next[perm][k])]
			if p.pass[i*n+k] != unmarked || to == unmarked || i == j && pass < late && int(to) == pass {
				continue // of the pairs of a state none is marked before another in the same pass
			}
			marks = true
			if p.open--; pass < late {
				p.pass[i*n+k] = uint8(pass)
			} else {
				p.pass[i*n+k] = late
				p.late[i*n+k] = late*len(p.pass)/n + len(p.late)
			}
		}
	}
	return marks
}

// marked reports whether nothing is open about state i.
func (l *live) marked(i int) bool {
	for at := range l.props {
		p := &l.props[at]
		n := len(p.insts)
		if slices.Contains(p.pass[i*n:(i+1)*n], unmarked) {
			return false
		}
	}
	return true
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
		next := make([]int32, len(p.insts))
		image := make([]int64, len(p.params))
		for k, inst := range p.insts {
			for j, v := range inst {
				t := p.prop.Params[j].Var.Type
				if class, w, ok := t.Element(v); ok && perm[class] != nil {
					v = t.Image(v, w, int64(perm[class][w]))
				}
				image[j] = v
			}
			next[k] = int32(p.number(image))
		}
		p.next = append(p.next, next)
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

// decide goes on with passes until one marks nothing, and reports violations. It returns why it stopped
// early, or "".
func (l *live) decide(ctx context.Context) Reason {
	defer l.uncounted()()
	defer func(frontier bool) { l.s.frontier = frontier }(l.s.frontier)
	l.s.frontier = true // successors are wanted
	l.s.reported = time.Time{}
	for pass, open := 2, -1; l.open() != open && l.open() > 0; pass++ {
		if open = l.open(); pass > mostPasses && l.kept == l.s.set.n && l.backwards(ctx) {
			break
		}
		if l.s.set.n > l.kept && pass%2 == 0 {
			l.again(ctx, pass)
		}
		l.replay(ctx, pass)
		if l.s.set.n > l.kept && pass%2 == 1 {
			l.again(ctx, pass)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return reasonOf(ctx)
	}
	for k := range l.props {
		p := &l.props[k]
		if pair := slices.Index(p.pass, unmarked); pair >= 0 {
			l.report(p, pair/len(p.insts))
		}
	}
	return ""
}

// progress tells how far a pass is.
func (l *live) progress(pass int) {
	l.s.progress(func() Stats {
		st := l.s.stats()
		st.Pass, st.Unmarked = pass, int64(l.open())
		return st
	})
}

func (l *live) open() (n int) {
	for i := range l.props {
		n += l.props[i].open
	}
	return n
}

// openSteps appends the steps of the states of a block that are not marked.
func (l *live) openSteps(block int, steps []liveStep) []liveStep {
	b := l.steps[l.at[block]:]
	for i := block * stepBlock; i < min((block+1)*stepBlock, l.kept); i++ {
		for open := !l.marked(i); ; {
			perm, n := binary.Uvarint(b)
			if b = b[n:]; perm == 0 {
				break
			}
			d, n := binary.Varint(b)
			if b = b[n:]; open {
				steps = append(steps, liveStep{uint32(i), uint32(i + int(d)), uint32(perm - 1)})
			}
		}
	}
	return steps
}

// replay goes through the steps that are kept, in the order of a pass.
func (l *live) replay(ctx context.Context, pass int) {
	var steps []liveStep
	for k := range l.at {
		if ctx.Err() != nil {
			return
		}
		if pass%2 == 0 {
			k = len(l.at) - 1 - k
		}
		l.progress(pass)
		steps = l.openSteps(k, steps[:0])
		for at := range steps {
			if pass%2 == 0 {
				at = len(steps) - 1 - at
			}
			l.step(int(steps[at].from), int(steps[at].to), int(steps[at].perm), pass)
		}
	}
}

// backwards marks all that is left to mark by a search backwards; the ranks are late. It returns false, and does nothing,
// if that takes too much memory.
func (l *live) backwards(ctx context.Context) bool {
	room := mostSteps - l.open()*lateBytes
	var steps []liveStep
	for k := range l.at {
		if ctx.Err() != nil || len(steps)*stepBytes > room {
			return false
		}
		steps = l.openSteps(k, steps)
	}
	slices.SortStableFunc(steps, func(a, b liveStep) int { return cmp.Compare(a.to, b.to) })
	var queue []uint32
	follow := func(into []liveStep) {
		for _, s := range into {
			if l.step(int(s.from), int(s.to), int(s.perm), late) {
				queue = append(queue, s.from)
			}
		}
	}
	follow(steps)
	for len(queue) > 0 && ctx.Err() == nil {
		j := queue[0]
		queue = queue[1:]
		at, _ := slices.BinarySearchFunc(steps, j, func(s liveStep, j uint32) int { return cmp.Compare(s.to, j) })
		end := at
		for end < len(steps) && steps[end].to == j {
			end++
		}
		follow(steps[at:end])
	}
	return true
}

// again expands the states whose steps are not kept, if they are not marked, in the order of a pass.
func (l *live) again(ctx context.Context, pass int) {
	s := l.s
	for at := l.kept; at < s.set.n && ctx.Err() == nil; {
		var lists [][]int // by chunk
		for len(lists) < s.together() && at < s.set.n {
			var list []int
			for ; len(list) < s.span && at < s.set.n; at++ {
				i := at
				if pass%2 == 0 {
					i = s.set.n - 1 - (at - l.kept)
				}
				if !l.marked(i) {
					list = append(list, i)
				}
			}
			lists = append(lists, list)
			s.begin(len(lists)-1, 0)
		}
		l.progress(pass)
		s.share(len(lists), func(w *worker, k int) {
			c := s.chunks[k]
			w.out = c
			for _, i := range lists[k] {
				w.expand(i, s.set.read(i, &w.at))
			}
			for n, h := range c.hashes {
				i, _, _ := s.set.seek(s.key(c, n), h, &w.look)
				c.places = append(c.places, i)
			}
		})
		for k, list := range lists {
			c, at := s.chunks[k], 0
			n := 0
			if len(c.hashes) > 0 {
				n = len(c.perms) / len(c.hashes)
			}
			for k, i := range list {
				for ; at < c.ends[k]; at++ {
					l.step(i, c.places[at], l.number(c.perms[(at+1)*n-l.told:(at+1)*n]), pass)
				}
			}
		}
	}
}

// uncounted returns what makes the workers forget what they count from now on: states that are expanded again count once.
func (l *live) uncounted() func() {
	var all []func()
	for _, w := range l.s.workers {
		fired, raised, stuck := slices.Clone(w.fired), slices.Clone(w.raised), w.stuck
		all = append(all, func() { w.fired, w.raised, w.stuck = fired, raised, stuck })
	}
	return func() {
		for _, f := range all {
			f()
		}
	}
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
	n := len(p.insts)
	pair, states := int(i)*n+p.number(inst), len(p.pass)/n
	switch pass := int(p.pass[pair]); {
	case pass == unmarked:
		return -1
	case pass == late:
		return p.late[pair]
	case pass == 0:
		return 0
	case pass%2 == 1:
		return (pass-1)*states + int(i) + 1
	default:
		return pass*states - int(i)
	}
}
