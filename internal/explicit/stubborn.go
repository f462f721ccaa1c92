package explicit

import (
	"cmp"
	"slices"

	"orbitmc/model"
)

// Partial orders: of the enabled instances in a state only those of a strong stubborn set are
// fired (Valmari; as sets of guards: Laarman, Pater, van de Pol, Weber, SPIN 2013). A set T of
// instances is stubborn in s if
//
//   - for t in T that is enabled, T has every u that writes what t touches or touches what t
//     writes, but those whose guard is false in s at a leaf that t reads: they stay disabled
//     until something in T is fired;
//   - for t in T that is disabled, T has all that must be fired before t can be enabled, or err;
//   - T has an instance that is enabled and changes the state;
//   - if T has an enabled instance that writes what a property reads, it has all such.
//
// Whatever leads from s to a violation or deadlock then has an instance in T that may
// come first, or it goes on to do so after any one of T. So that it is not put off for ever, one
// successor that is fired must be expanded later than s: it is not in the visited set when the layer of s
// begins (breadth first: Bosnacki, Holzmann, SPIN 2005). So sets are closed from instances that lead to such a
// successor, or to one that no set reduces. If there is none, all is fired. This
// depends on the layer alone, so any number of threads visits the same states. Every state and path may be
// replaced by an image under the symmetry, so it goes together with
// representatives (Emerson, Jha, Peled, TACAS 1997). docs/explicit.md has the proof.

// mostInstances bounds the rule instances of a model that is explored with stubborn sets.
const mostInstances = 1 << 14

// stubborn is what is known of the instances of a model. It does not change.
type stubborn struct {
	*model.Accesses
	reads   [][]uint64 // by instance: leaves that it surely may read, as a set
	writes  [][]uint64 // ... or write
	writers [][]writer // by leaf
	moves   [][]int32  // by leaf: instances that may give it a value
	touched [][]int32  // by leaf: instances that read or write it
	visible []bool     // by instance
	idle    []bool     // by instance: it never does anything
	seen    []int32    // the visible instances
	errs    [][][]need // by instance, by conjunct of its guard: what may make it an error
	any     [][][]need // ... or true, or an error, if it depends on one leaf
	test    [][]int32  // by instance, by conjunct: its number, the same for equal ones; -1: it does not depend on one leaf
	tests   int
}

type writer struct {
	instance int32
	model.Write
}

// need is that an instance may write a leaf.
type need struct{ instance, leaf int32 }

// NoOrders says why partial orders cannot be used on a model.
type NoOrders struct{ error }

// newStubborn analyses a model. reads says by leaf what properties read.
func newStubborn(p *model.Program, reads []uint64) (*stubborn, error) {
	all, err := p.Accesses(mostInstances)
	if err != nil {
		return nil, NoOrders{err}
	}
	n := p.Model.Leaves()
	x := &stubborn{Accesses: all, writers: make([][]writer, n), moves: make([][]int32, n), touched: make([][]int32, n)}
	set := func(leaves []int32) []uint64 {
		set := make([]uint64, (n+63)/64)
		for _, leaf := range leaves {
			set[leaf/64] |= 1 << (leaf % 64)
		}
		return set
	}
	for i := range all.All {
		a := &all.All[i]
		for _, leaf := range a.Reads {
			x.touched[leaf] = append(x.touched[leaf], int32(i))
		}
		visible := false
		for _, w := range a.Writes {
			x.writers[w.Leaf] = append(x.writers[w.Leaf], writer{int32(i), w})
			if t := x.moves[w.Leaf]; w.Value != model.Undef && (len(t) == 0 || t[len(t)-1] != int32(i)) {
				x.moves[w.Leaf] = append(t, int32(i))
			}
			if t := x.touched[w.Leaf]; len(t) == 0 || t[len(t)-1] != int32(i) {
				x.touched[w.Leaf] = append(t, int32(i))
			}
			visible = visible || reads[w.Leaf] != 0
		}
		x.reads, x.writes = append(x.reads, set(a.SureReads)), append(x.writes, set(a.SureWrites))
		x.idle = append(x.idle, len(p.Model.Rules[a.Rule].Body) == 0 &&
			!slices.ContainsFunc(a.Guard, func(c model.Condition) bool { return !c.Sure }))
		if x.visible = append(x.visible, visible); visible {
			x.seen = append(x.seen, int32(i))
		}
	}
	type key struct {
		leaf int32
		says string
	}
	type conjunct struct {
		who    [2][]need
		number int32
	}
	known := make(map[key]conjunct)
	for i := range all.All {
		var errs, any [][]need
		var test []int32
		for k := range all.All[i].Guard {
			c := &all.All[i].Guard[k]
			var who [2][]need
			number := int32(-1)
			if c.Leaf >= 0 {
				at := key{c.Leaf, c.Key()}
				if _, ok := known[at]; !ok {
					known[at] = conjunct{[2][]need{x.who(nil, c, model.Errs), x.who(nil, c, model.True, model.Errs)}, int32(len(known))}
				}
				who, number = known[at].who, known[at].number
			} else if !c.Sure {
				for _, leaf := range c.Reads {
					who[0] = x.all(who[0], leaf)
				}
			}
			errs, any, test = append(errs, who[0]), append(any, who[1]), append(test, number)
		}
		x.errs, x.any, x.test = append(x.errs, errs), append(x.any, any), append(x.test, test)
	}
	x.tests = len(known)
	return x, nil
}

// who appends the instances that may give a condition on a leaf one of some verdicts.
func (s *stubborn) who(to []need, c *model.Condition, verdicts ...model.Verdict) []need {
	for _, w := range s.writers[c.Leaf] {
		if q := (need{w.instance, c.Leaf}); c.Allows(w.Write, verdicts...) && (len(to) == 0 || to[len(to)-1] != q) {
			to = append(to, q)
		}
	}
	return to
}

// all appends the instances that may write a leaf.
func (s *stubborn) all(to []need, leaf int32) []need {
	for _, w := range s.writers[leaf] {
		if q := (need{w.instance, leaf}); len(to) == 0 || to[len(to)-1] != q {
			to = append(to, q)
		}
	}
	return to
}

func has(set []uint64, leaf int32) bool { return set[leaf/64]>>(leaf%64)&1 != 0 }

// chooser chooses stubborn sets. It is not safe for concurrent use.
type chooser struct {
	*stubborn
	enabled []uint32 // by instance: the choice in which it is enabled, or errs
	loops   []bool   // by enabled instance: it leads to no other state
	in      []uint32 // by instance: the set that it is in
	failed  []uint32 // by instance: the choice in which its set has too many
	met     []uint32 // by test: the set that has all that may change that it is false
	choice  uint32
	set     uint32
	work    []int32 // disabled members to look at
	able    []int32 // ... and enabled ones, which come first
	n       int     // enabled members of the set that lead to another state
	needs   []need
}

func newChooser(x *stubborn) *chooser {
	return &chooser{stubborn: x, enabled: make([]uint32, len(x.All)), loops: make([]bool, len(x.All)), in: make([]uint32, len(x.All)),
		failed: make([]uint32, len(x.All)), met: make([]uint32, x.tests)}
}

// choose returns for some instances, which are all that are enabled in s or err, whether each is to
// be fired: those of a stubborn set with few of them, which has one that leads to a state that is expanded later. loops and
// later say which lead to no other state, and to such a one.
//
// If no such set is smaller, one will do that has an instance of which ends says that it leads to a state that no set reduces.
//
// from is one more than the instance that the set is closed from, or 0 if all are to be fired.
func (c *chooser) choose(s model.State, instances []int32, loops, later []bool, ends func(i int) bool, fire []bool) (_ []bool, from int32) {
	all := c.begin(instances, loops)
	fire = fire[:0]
	for range instances {
		fire = append(fire, true)
	}
	best := all
	for i, t := range instances {
		if !later[i] || best <= 1 {
			continue
		}
		n := c.close(s, t, best)
		if n == best {
			c.failed[t] = c.choice
			continue
		}
		best, from = n, t+1
		c.take(instances, fire)
	}
	for i, t := range instances {
		if best == all && all > 1 && !later[i] && !loops[i] && c.close(s, t, best) < best && ends(i) {
			best, from = 0, t+1
			c.take(instances, fire)
		}
	}
	return fire, from
}

// begin notes the instances that are enabled, and returns how many lead to another state.
func (c *chooser) begin(instances []int32, loops []bool) (all int) {
	c.choice++
	for i, t := range instances {
		c.enabled[t], c.loops[t] = c.choice, loops[i]
		if !loops[i] {
			all++
		}
	}
	return all
}

// take lets the members of the set be fired.
func (c *chooser) take(instances []int32, fire []bool) {
	for k, u := range instances {
		fire[k] = c.in[u] == c.set
	}
}

// reduces reports whether there is a stubborn set in s that has fewer than all instances, by whichever
// successors are expanded later.
func (c *chooser) reduces(s model.State, instances []int32, loops []bool) bool {
	all := c.begin(instances, loops)
	for i, t := range instances {
		if !loops[i] && c.close(s, t, all) < all {
			return true
		}
	}
	return false
}

// close makes the least stubborn set that has instance t, and returns how many of its members are enabled and
// lead to another state. It gives up at most of them.
func (c *chooser) close(s model.State, t int32, most int) int {
	c.set++
	c.n, c.work, c.able = 0, c.work[:0], c.able[:0]
	shown := false
	c.add(t)
	for len(c.able)+len(c.work) > 0 {
		if c.n >= most {
			return most
		}
		if len(c.able) == 0 {
			t := c.work[len(c.work)-1]
			c.work = c.work[:len(c.work)-1]
			c.enabling(s, t)
			continue
		}
		t := c.able[len(c.able)-1]
		c.able = c.able[:len(c.able)-1]
		if c.visible[t] && !shown {
			shown = true
			for _, u := range c.seen {
				c.add(u)
			}
		}
		a := &c.All[t]
		for _, leaf := range a.SureWrites {
			c.written(s, t, leaf)
		}
		for _, leaf := range a.SureReads {
			c.read(s, t, leaf)
		}
		for i := range a.Varying {
			v := &a.Varying[i]
			for _, leaf := range v.At(s[v.On]) {
				if v.Write {
					c.written(s, t, leaf)
				} else {
					c.read(s, t, leaf)
				}
			}
		}
	}
	return min(c.n, most)
}

func (c *chooser) add(t int32) {
	if c.in[t] == c.set || c.idle[t] {
		return
	}
	c.in[t] = c.set
	switch {
	case c.enabled[t] != c.choice:
		c.work = append(c.work, t)
	case c.failed[t] == c.choice:
		c.n = len(c.All)
	default:
		c.able = append(c.able, t)
		if !c.loops[t] {
			c.n++
		}
	}
}

// written adds what touches a leaf that t writes.
func (c *chooser) written(s model.State, t, leaf int32) {
	for _, u := range c.touched[leaf] {
		if c.in[u] != c.set && !c.asleep(s, t, u) {
			c.reach(s, t, u, leaf, false)
		}
	}
}

// read adds what writes a leaf that t reads.
func (c *chooser) read(s model.State, t, leaf int32) {
	for _, w := range c.writers[leaf] {
		if u := w.instance; c.in[u] != c.set && !c.asleep(s, t, u) {
			c.reach(s, t, u, leaf, true)
		}
	}
}

// asleep reports whether u is disabled, and cannot err, as long as nothing writes what t reads.
func (c *chooser) asleep(s model.State, t, u int32) bool {
	guard := c.All[u].Guard
	for i := range guard {
		g := &guard[i]
		if g.On >= 0 && has(c.reads[t], g.On) {
			if g = g.Case(s[g.On]); g == nil {
				return false
			}
		}
		if g.Leaf >= 0 && has(c.reads[t], g.Leaf) {
			switch g.Says(s[g.Leaf]) {
			case model.False:
				return true
			case model.True:
				continue
			}
		}
		if !g.Sure {
			return false
		}
	}
	return false
}

// reach adds u, which may write a leaf in some states, or read it, unless it does not as long as what
// decides its places stays as it is in s. That does if t, which may be -1, reads it; or else all that
// may write it is added, if it is disabled.
func (c *chooser) reach(s model.State, t, u, leaf int32, write bool) {
	if c.in[u] == c.set {
		return
	}
	if has(c.writes[u], leaf) || !write && has(c.reads[u], leaf) {
		c.add(u)
		return
	}
	varying := c.All[u].Varying
	for i := range varying {
		v := &varying[i]
		if write && !v.Write {
			continue
		}
		if slices.Contains(v.At(s[v.On]), leaf) || !c.keeps(t, v.On) {
			c.add(u)
			return
		}
	}
	for i := range varying {
		if v := &varying[i]; v.Write || !write {
			c.keep(t, v.On)
		}
	}
}

// keeps reports whether no instance out of the set that is enabled may give a leaf another value.
func (c *chooser) keeps(t, leaf int32) bool {
	if t >= 0 && has(c.reads[t], leaf) {
		return true
	}
	for _, u := range c.moves[leaf] {
		if c.in[u] != c.set && c.enabled[u] == c.choice {
			return false
		}
	}
	return true
}

// keep adds what may give a leaf another value. Where an index becomes undefined, nothing is touched, for that is an error.
func (c *chooser) keep(t, leaf int32) {
	if t >= 0 && has(c.reads[t], leaf) {
		return
	}
	for _, u := range c.moves[leaf] {
		c.add(u)
	}
}

// enabling adds instances of which one must be fired before t, which is disabled, can be
// enabled or err.
func (c *chooser) enabling(s model.State, t int32) {
	guard := c.All[t].Guard
	for i, hidden := 0, false; i < len(guard); i++ {
		if k := c.test[t][i]; k >= 0 && c.met[k] == c.set && guard[i].Says(s[guard[i].Leaf]) == model.False {
			return
		}
		if len(c.errs[t][i]) > 0 || mayErr(s, &guard[i], &hidden) {
			break
		}
	}
	best, least := -1, 0 // a conjunct that is false, and how many have to be added for it
	erring := 0          // to be added since what stands before may become an error
	hidden := false
	for i := range guard {
		if needs, ok := c.false(s, t, i); ok {
			if n := erring + c.missing(needs); best < 0 || n < least {
				if best, least = i, n; n == 0 {
					break
				}
			}
		}
		if mayErr(s, &guard[i], &hidden) {
			break
		}
		erring += c.missing(c.errs[t][i])
	}
	if best < 0 {
		for i := range guard {
			for _, leaf := range guard[i].Reads {
				for _, w := range c.writers[leaf] {
					c.reach(s, -1, w.instance, leaf, true)
				}
			}
		}
		return
	}
	for i := range guard[:best] {
		c.want(s, c.errs[t][i])
	}
	needs, _ := c.false(s, t, best)
	c.want(s, needs)
	if k := c.test[t][best]; k >= 0 {
		c.met[k] = c.set
	}
}

// mayErr reports whether a conjunct of the guard of a disabled instance may be an error in s, which is not seen there as one
// before it is false. hidden is whether one before it may be.
func mayErr(s model.State, g *model.Condition, hidden *bool) bool {
	says := model.False
	if g.Leaf >= 0 {
		says = g.Says(s[g.Leaf])
	}
	errs := *hidden && !g.Sure && (g.Leaf < 0 || says == model.Errs)
	*hidden = *hidden || says != model.True
	return errs
}

// false reports whether conjunct i of the guard of t is known to be false in s, and what may
// make it true or an error.
func (c *chooser) false(s model.State, t int32, i int) (needs []need, ok bool) {
	g := &c.All[t].Guard[i]
	if g.Leaf >= 0 {
		return c.any[t][i], g.Says(s[g.Leaf]) == model.False
	}
	if g.On < 0 {
		return nil, false
	}
	q := g.Case(s[g.On])
	if q == nil || q.Says(s[q.Leaf]) != model.False {
		return nil, false
	}
	c.needs = c.who(c.all(c.needs[:0], g.On), q, model.True, model.Errs)
	return c.needs, true
}

func (c *chooser) want(s model.State, needs []need) {
	for _, q := range needs {
		c.reach(s, -1, q.instance, q.leaf, true)
	}
}

func (c *chooser) missing(needs []need) (n int) {
	for _, q := range needs {
		if c.in[q.instance] != c.set {
			n++
		}
	}
	return n
}

// reduced is the expansion of a state with a stubborn set.
type reduced struct {
	*chooser
	instances []int32
	loops     []bool
	later     []bool
	fire      []bool
	steps     []step
	leaves    []int
	values    []int64
	next      model.State
	at        []int          // by index in instances: the step
	there     *reduced       // of a successor
	machine   *model.Machine // that expands it

	see    func(s model.State) bool                  // see Ownership; nil: nothing is known
	own    func(s model.State, ch model.Choice) bool // likewise
	owners []owner                                   // by instance
}

// owner is the process of which an instance is, -1 for none, and whether the instance concerns nobody else.
type owner struct {
	process int64
	own     bool
}

// step is a successor: what differs from the state, in leaves and values up to end.
type step struct {
	instance   int // index in instances
	rule       int
	begin, end int
}

func newReduced(x *stubborn, leaves int) *reduced {
	return &reduced{chooser: newChooser(x), next: make(model.State, leaves)}
}

func (r *reduced) reset() {
	r.instances, r.loops, r.later, r.steps, r.leaves, r.values = r.instances[:0], r.loops[:0], r.later[:0], r.steps[:0], r.leaves[:0], r.values[:0]
	r.owners = r.owners[:0]
}

// members returns the stubborn set that is closed from t in s, where some instances are enabled or err.
func (r *reduced) members(s model.State, t int32, can []model.Choice) (set []int32) {
	r.reset()
	for _, ch := range can {
		r.note(s, ch, nil, nil)
	}
	r.begin(r.instances, r.loops)
	r.close(s, t, len(r.All)+1)
	for u := range r.All {
		if r.in[u] == r.set {
			set = append(set, int32(u))
		}
	}
	return set
}

// note notes an instance that is enabled in s, or errs.
func (r *reduced) note(s model.State, ch model.Choice, next model.State, changed []int) {
	if r.own != nil {
		o := owner{process: -1}
		if len(ch.Params) > 0 {
			o = owner{ch.Params[0], r.own(s, ch) && !r.visible[r.Number(ch)]}
		}
		r.owners = append(r.owners, o)
	}
	if begin := len(r.leaves); next != nil && len(changed) > 0 {
		for _, leaf := range changed {
			r.leaves, r.values = append(r.leaves, leaf), append(r.values, next[leaf])
		}
		r.steps = append(r.steps, step{len(r.instances), ch.Rule, begin, len(r.leaves)})
	}
	r.instances = append(r.instances, int32(r.Number(ch)))
	r.loops, r.later = append(r.loops, next == nil || len(changed) == 0), append(r.later, false)
}

// fireSome takes successors of the state that is expanded, packed in b, into the chunk: all, and then out again those
// that are not chosen. It returns from of chooser.choose.
func (w *worker) fireSome(b []byte) (from int32) {
	r, c := w.reduced, w.out
	first := len(c.hashes)
	r.at = slices.Grow(r.at[:0], len(r.instances))[:len(r.instances)]
	for i, x := range r.steps {
		r.at[x.instance] = i
		copy(r.next, w.cur)
		reads := uint64(0)
		leaves := r.leaves[x.begin:x.end]
		for j, leaf := range leaves {
			r.next[leaf] = r.values[x.begin+j]
			reads |= w.s.reads[leaf]
		}
		w.buf = append(append(w.buf[:0], b...), zeros[:]...)
		w.s.packer.Repack(w.buf, w.cur, r.next, leaves)
		w.put(r.next, leaves, reads)
		if w.s.disk == nil { // else what was visited cannot be looked up
			k, ok, _ := w.s.set.seek(w.s.key(c, first+i), c.hashes[first+i], &w.look)
			r.later[x.instance] = !ok || k >= w.s.hi
		}
	}
	whole := r.see != nil && r.see(w.cur)
	switch {
	case r.alone():
	case whole:
		r.fire = slices.Repeat([]bool{true}, len(r.instances))
	default:
		r.fire, from = r.choose(w.cur, r.instances, r.loops, r.later, func(i int) bool { return w.s.disk == nil && w.irreducible(c.state(first+r.at[i], w.s.packer.Size())) }, r.fire)
	}
	to := first
	for i, x := range r.steps {
		if r.fire[x.instance] {
			w.fired[x.rule]++
			w.out.fired++
			c.move(first+i, to)
			to++
		}
	}
	c.cut(to)
	return from
}

// alone chooses the instances of one process, if they are independent of all others: those of the process with fewest that
// lead to another state, one of them to one that is expanded later. They are an ample set, as a stubborn set is: what others do
// before the process moves neither disables nor enables a step of it, and commutes with each.
func (r *reduced) alone() bool {
	best, least := -1, 0
	for i, o := range r.owners {
		if !o.own {
			continue
		}
		n, later, all := 0, false, true
		for k, p := range r.owners {
			if p.process == o.process {
				all = all && p.own
				later = later || r.later[k]
				if !r.loops[k] {
					n++
				}
			}
		}
		if all && later && (best < 0 || n < least) {
			best, least = i, n
		}
	}
	if best < 0 {
		return false
	}
	r.fire = r.fire[:0]
	for _, p := range r.owners {
		r.fire = append(r.fire, p.process == r.owners[best].process)
	}
	return true
}

// irreducible reports whether all instances are fired in a state, packed in b, whenever it is expanded.
func (w *worker) irreducible(b []byte) bool {
	r := w.reduced
	if r.there == nil {
		r.there, r.machine = newReduced(r.stubborn, len(w.cur)), cmp.Or(w.s.strict, w.s.p).NewMachine()
		r.there.own = r.own
	}
	r = r.there
	r.reset()
	w.s.packer.Unpack(b, r.next)
	w.reduced.machine.Successors(r.next, func(ch model.Choice, next model.State, v *model.Violation) bool {
		if v != nil {
			r.note(r.next, ch, nil, nil)
		} else {
			r.note(r.next, ch, next, w.reduced.machine.Changed())
		}
		return true
	})
	return !slices.ContainsFunc(r.owners, func(o owner) bool { return o.own }) && !r.reduces(r.next, r.instances, r.loops)
}

// move puts successor k in the place of another one, and cut leaves n of them. There are no permutations with them.
func (c *chunk) move(k, to int) {
	if n := len(c.hashes); n > 0 && k != to {
		states, keys := len(c.states)/n, len(c.keys)/n
		copy(c.states[to*states:(to+1)*states], c.states[k*states:])
		copy(c.keys[to*keys:(to+1)*keys], c.keys[k*keys:])
		c.hashes[to], c.changed[to] = c.hashes[k], c.changed[k]
	}
}

func (c *chunk) cut(n int) {
	if m := len(c.hashes); m > 0 {
		c.states, c.keys = c.states[:len(c.states)/m*n], c.keys[:len(c.keys)/m*n]
		c.hashes, c.changed = c.hashes[:n], c.changed[:n]
	}
}
