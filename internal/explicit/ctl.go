package explicit

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"orbitmc/internal/ctl"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// ctlCheck decides properties about the graph of all steps, AG EF p and formulas in computation tree logic, when all
// states were found (Clarke, Emerson and Sistla, TOPLAS 1986). Temporal operators are least fixpoints, decided one after
// those within it. States are marked in which one holds: first those that meet its second operand, then those with a step,
// or all steps, into a marked one; those of operators that look back are marked from their predecessors. A list of all
// steps backwards would take many times the memory of the states. Instead there are passes over the states, by turns from
// the last to the first and from the first to the last, until a pass marks none: along a path, numbers mostly rise or
// mostly fall. The search itself is the first pass, for the innermost operators: it expands states in the order of their
// numbers. It keeps steps, in some three bytes a step, of AG EF only those of states that it does not mark. Once these are
// too many, states are expanded again. What is open after some passes, if the steps of all are kept, is worked off by a
// queue: a path whose numbers rise and fall by turns would take as many passes as it has steps.
//
// The pass in which a state was marked and its place in the pass give the numbers of evidence.Layers. How symmetry is
// accounted for is explained in internal/certify/states/layers.go: marks are of pairs of a state and an instance of the
// property, and a step moves the instance by the permutation that led to the representative.
type ctlCheck struct {
	s     *search
	props []*ctlProp
	known map[string]int // permutations by what tell appends
	moved []int          // scalarset classes that instances depend on and permutations move
	told  int            // bytes that tell appends

	depth, deepest int  // operators of this depth are decided now, and the largest
	all            bool // the steps of all states are kept
	stays          bool // steps from a state to itself matter

	// Steps: the permutation, counted from 1, and the difference of the numbers; 0 ends a state. Steps of later states
	// than the first kept ones are not there.
	now   []ctlStep // of the state at hand
	steps []byte
	kept  int
	at    []int // by block of states: where its steps begin
	most  int   // bytes of steps that are kept, about
	full  bool  // no more is kept

	marks []int // states in which one was marked; scratch

	fair *fairSteps // nil if no operator needs it, or none yet
}

// ctlStep is a step between states, by their numbers, and the number of its permutation.
type ctlStep struct{ from, to, perm uint32 }

// Steps are read by blocks of states; about mostSteps bytes are kept. After so many passes a queue takes over, if the steps
// and late layers take no more than mostSteps, either.
const (
	stepBlock  = 64
	mostSteps  = 1 << 28
	mostPasses = 8
	stepBytes  = 24
	lateBytes  = 48 // of a late layer, about
)

// ctlProp is one property. Pairs of state i and instance k have the number i*len(insts)+k.
type ctlProp struct {
	prop   *model.Property
	claim  *model.Claim
	insts  [][]int64
	params [][]int64 // by parameter: its values
	ops    []*ctlOp
	next   [][]int32 // by permutation and instance: what the permutation maps it to

	atoms []bool // by pair and atom, from pair first on: whether it holds
	keeps bool   // those of all pairs are kept
	first int
}

// ctlOp is a temporal operator of a claim.
type ctlOp struct {
	*ctl.Formula
	depth int
	pass  []uint8     // by pair: when it was marked; 0: for its second operand; not, or late
	late  map[int]int // by pair, of those that were marked late: the layer
	open  int         // pairs that are not marked
	fair  *fairPaths  // of EG on fair paths
}

// Of pass. Passes before late are told apart by their numbers.
const (
	late     = 254
	unmarked = 255
)

func newCTL(s *search, props []*model.Property) *ctlCheck {
	l := &ctlCheck{s: s, known: make(map[string]int), most: mostSteps, depth: 1}
	uses := make([]bool, len(s.p.Model.Scalarsets))
	for _, q := range props {
		p := &ctlProp{prop: q, claim: q.Claim(), insts: model.InstancesOf(q.Params)}
		for _, param := range q.Params {
			values := param.Domain.Values()
			p.params = append(p.params, values)
			for _, v := range values {
				if class, _, ok := param.Var.Type.Element(v); ok {
					uses[class] = true
				}
			}
		}
		p.keeps = q.Tree != nil
		for _, f := range p.claim.Temporal {
			o := &ctlOp{Formula: f, depth: f.Depth(), late: make(map[int]int)}
			p.ops = append(p.ops, o)
			l.deepest = max(l.deepest, o.depth)
			l.all = l.all || o.depth > 1 || o.back()
			l.stays = l.stays || f.Op == ctl.Next || f.Op == ctl.All || f.Op == ctl.Last
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

// back reports whether an operator looks back.
func (o *ctlOp) back() bool { return o.Op == ctl.Last || o.Op == ctl.Since }

// memory returns the bytes in use, and what one more state may add.
func (cc *ctlCheck) memory() (used, next int64) {
	grows := func(length, capacity, by int) {
		n := int64(capacity)
		if used += n; length+by > capacity {
			next += n*5/4 + 1024
		}
	}
	for _, p := range cc.props {
		grows(len(p.atoms), cap(p.atoms), len(p.insts)*len(p.claim.Atoms))
		for _, o := range p.ops {
			grows(len(o.pass), cap(o.pass), len(p.insts))
			used += int64(len(o.late)) * lateBytes
		}
	}
	grows(len(cc.steps), cap(cc.steps), 2*binary.MaxVarintLen64)
	return used + int64(8*cap(cc.at)), next
}

// forget gives the memory of the steps back; false if there are none.
func (cc *ctlCheck) forget() bool {
	if cc == nil || cc.steps == nil {
		return false
	}
	cc.steps, cc.at, cc.kept, cc.full = nil, nil, 0, true
	return true
}

// visit evaluates the atoms in the new state i, packed in b. A property is violated where that errs.
func (cc *ctlCheck) visit(i int, b []byte) {
	cc.s.see(b)
	for _, p := range cc.props {
		if n := len(p.insts); !p.keeps {
			p.atoms, p.first = p.atoms[:0], i*n
		}
		for k, inst := range p.insts {
			var v *model.Violation
			if p.atoms, v = cc.s.m.Atoms(cc.s.fresh, p.prop, inst, p.atoms); v != nil {
				cc.s.report(finding{Depth: cc.s.depth + 1, State: i, From: i, Violation: v})
			}
			for _, o := range p.ops {
				o.pass = append(o.pass, unmarked)
				o.open++
			}
			p.begin(1, i*len(p.insts)+k)
		}
	}
}

// begin marks a pair for the operators of a depth whose second operand holds.
func (p *ctlProp) begin(depth, pair int) {
	for _, o := range p.ops {
		if o.depth == depth && o.Y != nil && p.holds(o.Y, pair) {
			o.pass[pair] = 0
			o.open--
		}
	}
}

// holds evaluates a part of the claim whose temporal operators were decided.
func (p *ctlProp) holds(f *ctl.Formula, pair int) bool {
	switch f.Op {
	case ctl.True:
		return true
	case ctl.Atom:
		return p.atoms[(pair-p.first)*len(p.claim.Atoms)+f.N]
	case ctl.Not:
		return !p.holds(f.X, pair)
	case ctl.And:
		return p.holds(f.X, pair) && p.holds(f.Y, pair)
	}
	return p.ops[f.N].pass[pair] != unmarked
}

// tell appends what the permutation at hand does to the classes that matter, three bytes a value.
func (cc *ctlCheck) tell(dst []byte, c *canonicaliser) []byte {
	for _, k := range cc.moved {
		for _, w := range c.perm[k] {
			dst = append(dst, byte(w), byte(w>>8), byte(w>>16))
		}
	}
	return dst
}

// edge is about a step of the search; key tells the permutation.
func (cc *ctlCheck) edge(i, j int, key []byte) {
	if !cc.all && cc.marked(i) {
		return
	}
	cc.now = append(cc.now, ctlStep{uint32(i), uint32(j), uint32(cc.number(key))})
	if cc.early() {
		cc.settle(i, cc.now[len(cc.now)-1:], 1)
	}
}

// early reports whether one step says all that it says without the others: all operators are EU, and innermost.
func (cc *ctlCheck) early() bool { return !cc.all && !cc.stays }

// stay adds a step from state i to itself.
func (cc *ctlCheck) stay(i int) {
	cc.now = append(cc.now, ctlStep{uint32(i), uint32(i), uint32(cc.identity())})
}

// identity returns the number of the permutation that moves nothing.
func (cc *ctlCheck) identity() int {
	var key []byte
	for _, k := range cc.moved {
		for w := range cc.s.p.Model.Scalarsets[k].Card() {
			key = append(key, byte(w), byte(w>>8), byte(w>>16))
		}
	}
	return cc.number(key)
}

// ends is called when all steps of state i were told, of one state after the other. still says that a step leads from it
// to itself.
func (cc *ctlCheck) ends(i int, still bool) {
	if still && cc.stays {
		cc.stay(i)
	}
	if !cc.early() {
		cc.settle(i, cc.now, 1)
	}
	if !cc.full {
		if i%stepBlock == 0 {
			cc.at = append(cc.at, len(cc.steps))
		}
		if cc.all || !cc.marked(i) {
			for _, s := range cc.now {
				cc.steps = binary.AppendVarint(binary.AppendUvarint(cc.steps, uint64(s.perm)+1), int64(s.to)-int64(i))
			}
		}
		cc.steps = append(cc.steps, 0)
		cc.kept, cc.full = i+1, len(cc.steps) >= cc.most
	}
	cc.now = cc.now[:0]
}

// number returns the number of the permutation of which key tells.
func (cc *ctlCheck) number(key []byte) int {
	id, ok := cc.known[string(key)]
	if !ok {
		id = len(cc.known)
		cc.known[string(key)] = id
		cc.learn(key)
	}
	return id
}

// layerIn returns the layer of what is marked in state i in a pass before late, of so many states.
func layerIn(pass, i, states int) int {
	switch {
	case pass == 0:
		return 0
	case pass%2 == 1:
		return (pass-1)*states + i + 1
	}
	return pass*states - i
}

// layer returns the layer of a pair, -1 if it is not marked.
func (o *ctlOp) layer(pair, insts int) int {
	switch pass := int(o.pass[pair]); pass {
	case unmarked:
		return -1
	case late:
		return o.late[pair]
	default:
		return layerIn(pass, pair/insts, len(o.pass)/insts)
	}
}

// settle marks what the steps of state i show in a pass: the state, or its successors by operators that look back. It
// leaves in marks which states those are.
func (cc *ctlCheck) settle(i int, steps []ctlStep, pass int) {
	cc.marks = cc.marks[:0]
	for _, p := range cc.props {
		for _, o := range p.ops {
			if o.depth == cc.depth && o.open > 0 {
				cc.settleOne(p, o, i, steps, pass)
			}
		}
	}
}

func (cc *ctlCheck) settleOne(p *ctlProp, o *ctlOp, i int, steps []ctlStep, pass int) {
	for k := range p.insts {
		pair := i*len(p.insts) + k
		switch {
		case !o.back():
			if o.pass[pair] == unmarked && p.shown(o, pair, steps, pass) {
				cc.mark(o, pair, i, pass)
			}
		case o.Op == ctl.Last && p.holds(o.X, pair), o.Op == ctl.Since && o.pass[pair] != unmarked:
			for _, s := range steps {
				if to := p.target(s, k); o.pass[to] == unmarked && (o.Op == ctl.Last || p.holds(o.X, to) && p.before(o, pair, int(s.to), pass)) {
					cc.mark(o, to, int(s.to), pass)
				}
			}
		}
	}
}

// target returns the pair to which a step leads from instance k.
func (p *ctlProp) target(s ctlStep, k int) int {
	return int(s.to)*len(p.insts) + int(p.next[s.perm][k])
}

// shown reports whether the steps of a pair show that an operator holds there.
func (p *ctlProp) shown(o *ctlOp, pair int, steps []ctlStep, pass int) bool {
	if o.Op != ctl.Next && !p.holds(o.X, pair) {
		return false
	}
	n := len(p.insts)
	for _, s := range steps {
		to := p.target(s, pair%n)
		if good := o.Op == ctl.Next && p.holds(o.X, to) || o.Op != ctl.Next && p.before(o, to, pair/n, pass); good != (o.Op == ctl.All) {
			return good
		}
	}
	return o.Op == ctl.All
}

// before reports whether a pair is marked, in a lower layer than what is marked in state i in a pass.
func (p *ctlProp) before(o *ctlOp, pair, i, pass int) bool {
	n := len(p.insts)
	return o.pass[pair] != unmarked && (pass == late || o.layer(pair, n) < layerIn(pass, i, len(o.pass)/n))
}

func (cc *ctlCheck) mark(o *ctlOp, pair, i, pass int) {
	o.open--
	if o.pass[pair] = uint8(pass); pass == late {
		o.late[pair] = late*len(o.pass) + len(o.late)
	}
	cc.marks = append(cc.marks, i)
}

// marked reports whether nothing is open about state i.
func (cc *ctlCheck) marked(i int) bool {
	for _, p := range cc.props {
		n := len(p.insts)
		for _, o := range p.ops {
			if o.depth == cc.depth && (o.back() && o.open > 0 || slices.Contains(o.pass[i*n:(i+1)*n], unmarked)) {
				return false
			}
		}
	}
	return true
}

// learn finds out what a permutation does to the instances.
func (cc *ctlCheck) learn(key []byte) {
	perm := make(model.ScalarPerm, len(cc.s.p.Model.Scalarsets))
	for _, k := range cc.moved {
		for range cc.s.p.Model.Scalarsets[k].Card() {
			perm[k] = append(perm[k], int(key[0])|int(key[1])<<8|int(key[2])<<16)
			key = key[3:]
		}
	}
	for _, p := range cc.props {
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
func (p *ctlProp) number(inst []int64) int {
	n := 0
	for j, v := range inst {
		n = n*len(p.params[j]) + slices.Index(p.params[j], v)
	}
	return n
}

// decide goes on with passes until one marks nothing, for one depth of operators after the other, and reports violations.
// It returns why it stopped early, or "".
func (cc *ctlCheck) decide(ctx context.Context) Reason {
	defer cc.uncounted()()
	defer func(frontier bool) { cc.s.frontier = frontier }(cc.s.frontier)
	cc.s.frontier = true // successors are wanted
	cc.s.reported = time.Time{}
	for ; cc.depth <= cc.deepest && ctx.Err() == nil; cc.depth++ {
		for _, p := range cc.props {
			for pair := range cc.s.set.n * len(p.insts) {
				if cc.depth > 1 {
					p.begin(cc.depth, pair)
				}
			}
		}
		if r := cc.fairly(ctx); r != "" {
			return r
		}
		cc.passes(ctx)
	}
	if ctx.Err() != nil {
		return reasonOf(ctx)
	}
	for _, p := range cc.props {
		if i := cc.violates(p); i >= 0 {
			cc.report(p, i)
		}
	}
	return ""
}

// passes decides the operators of a depth.
func (cc *ctlCheck) passes(ctx context.Context) {
	for turn, open := 2, -1; cc.open() != open && cc.open() > 0 && ctx.Err() == nil; turn++ {
		if open = cc.open(); turn > mostPasses && cc.kept == cc.s.set.n && cc.queue(ctx) {
			return
		}
		if cc.s.set.n > cc.kept && turn%2 == 0 {
			cc.again(ctx, turn)
		}
		cc.replay(ctx, turn)
		if cc.s.set.n > cc.kept && turn%2 == 1 {
			cc.again(ctx, turn)
		}
	}
}

// violates returns the first state in which the claim of a property is to hold, and does not; -1 if there is none.
func (cc *ctlCheck) violates(p *ctlProp) int {
	n := len(p.insts)
	for pair := range cc.s.set.n * n {
		if !p.claim.Always && cc.s.set.parent(pair/n) != noParent {
			break
		}
		if !p.holds(p.claim.Body, pair) {
			return pair / n
		}
	}
	return -1
}

// progress tells how far a pass is.
func (cc *ctlCheck) progress(pass int) {
	cc.s.progress(func() Stats {
		st := cc.s.stats()
		st.Pass, st.Unmarked = pass, int64(cc.open())
		return st
	})
}

func (cc *ctlCheck) open() (n int) {
	for _, p := range cc.props {
		for _, o := range p.ops {
			if o.depth == cc.depth {
				n += o.open
			}
		}
	}
	return n
}

// replay goes through the steps that are kept, in the order of a pass.
func (cc *ctlCheck) replay(ctx context.Context, turn int) {
	for k := range cc.at {
		if ctx.Err() != nil {
			return
		}
		if turn%2 == 0 {
			k = len(cc.at) - 1 - k
		}
		cc.progress(turn)
		steps, ends := cc.block(k)
		for n := range ends {
			if turn%2 == 0 {
				n = len(ends) - 1 - n
			}
			cc.settle(k*stepBlock+n, stepsOf(steps, ends, n), min(turn, late))
		}
	}
}

// block returns the steps of a block of states, and by state where they end. What is not needed is left out.
func (cc *ctlCheck) block(k int) (steps []ctlStep, ends []int) {
	b := cc.steps[cc.at[k]:]
	steps, ends = cc.now[:0], make([]int, 0, stepBlock)
	for i := k * stepBlock; i < min((k+1)*stepBlock, cc.kept); i++ {
		for open := !cc.marked(i); ; {
			perm, n := binary.Uvarint(b)
			if b = b[n:]; perm == 0 {
				break
			}
			d, n := binary.Varint(b)
			if b = b[n:]; open {
				steps = append(steps, ctlStep{uint32(i), uint32(i + int(d)), uint32(perm - 1)})
			}
		}
		ends = append(ends, len(steps))
	}
	cc.now = steps[:0]
	return steps, ends
}

// stepsOf returns the steps of state number n of some.
func stepsOf(steps []ctlStep, ends []int, n int) []ctlStep {
	first := 0
	if n > 0 {
		first = ends[n-1]
	}
	return steps[first:ends[n]]
}

// queue works off what is left: a state again after another one that a step leads from it to is marked, or itself. The
// layers are late. It returns false, and does nothing, if that takes too much memory.
func (cc *ctlCheck) queue(ctx context.Context) bool {
	var steps []ctlStep
	var ends []int
	for k := range cc.at {
		if ctx.Err() != nil || len(steps)*stepBytes > mostSteps-cc.open()*lateBytes {
			return false
		}
		more, upto := cc.block(k)
		for _, n := range upto {
			ends = append(ends, len(steps)+n)
		}
		steps = append(steps, more...)
	}
	into := slices.Clone(steps)
	slices.SortStableFunc(into, func(a, b ctlStep) int { return cmp.Compare(a.to, b.to) })
	var queue []int
	waits := make([]bool, cc.kept)
	push := func(i int) {
		if !waits[i] {
			waits[i], queue = true, append(queue, i)
		}
	}
	for i := range cc.kept {
		push(i)
	}
	for len(queue) > 0 && ctx.Err() == nil {
		i := queue[0]
		queue, waits[i] = queue[1:], false
		cc.settle(i, stepsOf(steps, ends, i), late)
		for _, j := range cc.marks {
			push(j)
			at, _ := slices.BinarySearchFunc(into, uint32(j), func(s ctlStep, j uint32) int { return cmp.Compare(s.to, j) })
			for ; at < len(into) && into[at].to == uint32(j); at++ {
				push(int(into[at].from))
			}
		}
	}
	return true
}

// again expands the states whose steps are not kept, if they are not marked, in the order of a pass.
func (cc *ctlCheck) again(ctx context.Context, turn int) {
	s := cc.s
	for at := cc.kept; at < s.set.n && ctx.Err() == nil; {
		var lists [][]int // by chunk
		for len(lists) < s.together() && at < s.set.n {
			var list []int
			for ; len(list) < s.span && at < s.set.n; at++ {
				i := at
				if turn%2 == 0 {
					i = s.set.n - 1 - (at - cc.kept)
				}
				if !cc.marked(i) {
					list = append(list, i)
				}
			}
			lists = append(lists, list)
			s.begin(len(lists)-1, 0)
		}
		cc.progress(turn)
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
				cc.now = cc.now[:0]
				for ; at < c.ends[k]; at++ {
					cc.now = append(cc.now, ctlStep{uint32(i), uint32(c.places[at]), uint32(cc.number(c.perms[(at+1)*n-cc.told : (at+1)*n]))})
				}
				if c.still[k] && cc.stays {
					cc.stay(i)
				}
				cc.settle(i, cc.now, min(turn, late))
			}
		}
	}
	cc.now = cc.now[:0]
}

// uncounted returns what makes the workers forget what they count from now on: states that are expanded again count once.
func (cc *ctlCheck) uncounted() func() {
	var all []func()
	for _, w := range cc.s.workers {
		fired, raised, stuck := slices.Clone(w.fired), slices.Clone(w.raised), w.stuck
		all = append(all, func() { w.fired, w.raised, w.stuck = fired, raised, stuck })
	}
	return func() {
		for _, f := range all {
			f()
		}
	}
}

// report reports that the claim of a property does not hold in state i; it is the first such state, so at the least depth.
func (cc *ctlCheck) report(p *ctlProp, i int) {
	depth := -1
	for j := i; j != noParent; j = cc.s.set.parent(j) {
		depth++
	}
	message := "no state in which " + p.prop.Name + " holds can be reached any more"
	if p.prop.Tree != nil {
		message = p.claim.Text(p.claim.Body) + " does not hold"
	}
	cc.s.report(finding{Depth: depth, State: i, From: i, Violation: &model.Violation{Prop: p.prop.Index, Pos: p.prop.Pos, Message: message}})
}

// evidence returns the layers of the wanted properties.
func (cc *ctlCheck) evidence() map[int]evidence.Layers {
	all := make(map[int]evidence.Layers)
	for _, p := range cc.props {
		if cc.s.wanted[p.prop.Index] {
			all[p.prop.Index] = p
		}
	}
	return all
}

// Fair implements evidence.Layers.
func (p *ctlProp) Fair(op int) evidence.Fair { return p.ops[op].fair }

// Layer implements evidence.Layers.
func (p *ctlProp) Layer(op int, i int64, inst []int64) int {
	n := len(p.insts)
	return p.ops[op].layer(int(i)*n+p.number(inst), n)
}

// Atom implements evidence.Layers.
func (p *ctlProp) Atom(atom int, i int64, inst []int64) bool {
	return p.atoms[(int(i)*len(p.insts)+p.number(inst))*len(p.claim.Atoms)+atom]
}
