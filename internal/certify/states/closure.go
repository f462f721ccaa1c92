// Package states checks the evidence that is a list of states: of a model, whose states stand for
// their orbits, also while the search still goes on (Watch), of a netlist (Enumerated), or of a model and a formula (Components). It reads
// nothing of proofs, and no proof rests on it.
//
//	closure.go     closed sets of states; closure_perms.go: the permutations that lead back into them
//	layers.go      layers of a closed set, of AG EF p and computation tree logic
//	likely.go      bounds of probabilities and of expected numbers of steps, on a closed set
//	fairpaths.go   where EG x holds on fair paths; fairness.go: what waits in a step
//	parts.go       closed sets in parts, on many machines
//	resume.go      how far a check is, kept for a later run
//	members.go     the members of a set, read from a tree if they are in one
//	memo.go        what an instance does, kept by what it reads
//	packed.go      permutations of packed states, and multisets in them
//	stabiliser.go  instances that exchanges of equal components map to each other
//	watch.go       the check beside the search
//	typed.go       symmetry by typing, derived again by package typing; sample.go tries it on members
//	enumerated.go  lists of states of netlists
//	components.go  of a model and the automaton of a formula, with their components
//	orders.go      stubborn sets, there and of closed sets: closure_orders.go
package states

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file checks the evidence of exhaustive search. The claim is a set of states that
// contains, up to permutations of interchangeable values, every start state and every
// successor of its members. The check does not trust the search. Start states and successors come from the
// reference interpreter, with a memo of the effects of rule instances (memo.go). The permutation that leads back into the set is applied and compared here
// (closure_perms.go, packed.go), so the canonicalisation of the search does not matter. The
// permutations were verified to be symmetries when they were detected; symmetry by typing
// is derived again (typed.go). The slots of multisets are in the order that the
// interpreter gives them, and no permutation moves them.
//
// Where a memo does not pay, the compiled interpreter of the search is used; the output says so.
//
// The search may report while it runs where the steps of a member lead (Watch). Each report is
// compared with the step. If a report is wrong, the successor is looked up.

// closureCheck is one check of a closure.
type closureCheck struct {
	p         *mc.Problem
	packer    *model.Packer
	from, to  *members                                                 // where steps begin, and where they end
	guess     func(s []byte) (i int64, perm model.ScalarPerm, ok bool) // nil while the search goes on
	shown     Shown
	live      []*layerCheck // liveness properties
	closed    bool          // the closure is checked, and they are not
	exchanges *exchanges    // nil: all instances are looked at
	ordered   *orderedCheck // nil: all successors are members
	block     []map[int]int // by scalarset class and value: its block
	rings     []model.Ring
	values    int // bytes of a permutation in Steps
	perms     map[string]*closurePerm
	recent    [256]*closurePerm // some of perms, by a hash of the key
	leaves    []model.Leaf
	bags      []packedBag       // the outermost multisets
	allBags   []int             // their indices
	bagOf     []int             // by leaf: 1 plus the index in bags, or 0
	plainBags bool              // they can be sorted in packed states
	words     []uint64          // scratch
	memo      *memo             // as long as it pays
	w         *reference.Walker // of start states, and of the memo
	m         *model.Machine    // used after it
	done      int64             // members with smaller numbers were looked at
	before    int64             // of them, those that an earlier run looked at
	kept      evidence.Kept     // nil if it is not known how far the check is after this run
	later     []int64           // members among them with a step that leads elsewhere than the search told
	fired     int               // steps of the interpreter
	own       evidence.Part     // whose members are looked at, if the set is in parts; see parts.go
	sent      []evidence.Tally
	parts     int         // of the set; 0: it is not in parts
	hid       bool        // a quantifier of Problem.Strict hides an error
	state     model.State // scratch
	other     model.State // scratch
	packed    []byte      // scratch
	image     []byte      // scratch
}

// newClosureCheck prepares the check of a closure.
func newClosureCheck(p *mc.Problem) *closureCheck {
	n := p.Model.Leaves()
	k := &closureCheck{p: p, packer: model.NewPacker(p.Model), shown: make(Shown, len(p.Model.Props)), perms: make(map[string]*closurePerm),
		state: make(model.State, n), other: make(model.State, n), leaves: p.Model.AllLeaves(), bagOf: make([]int, n), plainBags: true, w: reference.NewWalker(p.Model)}
	k.packed = make([]byte, k.packer.Size()+model.PackedPad)
	k.image = make([]byte, len(k.packed))
	for _, v := range p.Model.Vars {
		k.findBags(v.Type, v.Offset, false)
	}
	if values, ok := evidence.PermBytes(p.Model); ok {
		k.values = values
	} else {
		k.values = -1
	}
	blocks := p.Blocks
	if k.rings = p.Rings; p.Model.Fairly(p.Props) {
		blocks, k.rings = fairBlocks(p), nil
	}
	for class, t := range p.Model.Scalarsets {
		k.block = append(k.block, make(map[int]int))
		if class < len(blocks) && !t.Slots {
			for b, values := range blocks[class] {
				for _, v := range values {
					k.block[class][v] = b
				}
			}
		}
	}
	if p.ByRule() {
		k.exchanges = newExchanges(k)
	}
	if len(p.Strict) > 0 {
		// The quantifiers that are evaluated to the end are those of the derivation here. If the
		// derivation fails, the check of the closure fails, too.
		_, strict, _ := TypedSets(p, p.Blocks, p.Props)
		k.m, k.w = model.CompileStrict(p.Model, strict).NewMachine(), reference.NewStrictWalker(p.Model, strict)
	} else {
		k.m = p.Program.NewMachine()
	}
	k.memo = newMemo(k)
	return k
}

// Closed checks that the closure of r contains every start state and
// successor up to symmetry, that no member shows what the verdicts of rest
// exclude, and the layers of liveness properties. It returns how it was done, or
// the error of ctx if that ended first, and then the part that was done.
func Closed(ctx context.Context, p *mc.Problem, r *mc.Result, rest []*mc.PropResult) (how string, part float64, err error) {
	live := lists.Where(rest, func(pr *mc.PropResult) bool { return p.Model.Props[pr.Prop].Kind.Graph() })
	if p.Typed {
		props := lists.Map(rest, func(pr *mc.PropResult) int { return pr.Prop })
		_, strict, err := TypedSets(p, p.Blocks, props)
		if len(strict) > 0 && len(p.Strict) == 0 && err == nil {
			err = fmt.Errorf("a turn that is not reached may err")
		}
		if err != nil {
			return "", 0, fmt.Errorf("the symmetry found by typing: %w", err)
		}
		if err := sampleTyped(ctx, p, r.Closure); err != nil {
			return "", 0, fmt.Errorf("the symmetry found by typing: %w", err)
		}
	}
	var k *closureCheck
	if w, ok := r.Watch.(*Watch); ok && w.p == p {
		if k, err = w.end(ctx); err != nil {
			if k != nil && live == nil {
				k.resume(r.Closure)
				k.keep()
			}
			return "", k.part(r.Closure), err
		}
	}
	told := k != nil
	if k == nil {
		k = newClosureCheck(p)
	}
	if err := k.see(r.Closure); err != nil {
		return "", 0, err
	}
	k.guess = r.Closure.Guess
	if in, ok := r.Closure.(evidence.Ordered); ok {
		if err := k.order(in, rest); err != nil {
			return "", 0, err
		}
	}
	if live == nil {
		k.resume(r.Closure)
	}
	parted, inParts := r.Closure.(evidence.Parted)
	switch {
	case inParts && live != nil:
		return "", 0, fmt.Errorf("a set in parts has no layers")
	case inParts:
		if part, err := k.parted(ctx, parted); err != nil {
			return "", part, err
		}
	case told || live == nil:
		if err := k.finish(ctx, r.Closure.Len()); err != nil {
			return "", k.part(r.Closure), err
		}
	}
	if live != nil {
		if err := k.layered(r, live, told); err != nil {
			return "", 0, err
		}
		if err := k.finish(ctx, r.Closure.Len()); err != nil {
			return "", k.part(r.Closure), err
		}
		for _, l := range k.live {
			err := l.end()
			if err == nil {
				err = k.fairly(ctx, l, r.Closure.Len())
			}
			if err != nil {
				return "", 1, err
			}
		}
	}
	if k.hides() {
		return "", 1, fmt.Errorf("an operand errs behind one that decides, so the symmetry found by typing does not count")
	}
	for _, pr := range rest {
		if p.Model.Props[pr.Prop].Kind.Graph() && pr.Status == mc.Unsafe {
			continue
		}
		if slices.ContainsFunc(append(p.Model.Conditions([]int{pr.Prop}), pr.Prop), func(q int) bool { return k.shown[q] }) {
			return "", 1, fmt.Errorf("a state or step shows what the verdict on %q excludes", p.Model.Props[pr.Prop].Name)
		}
	}
	return k.how(), 1, nil
}

// how says how the closure was checked.
func (cc *closureCheck) how() string {
	how := "in the interpreter"
	if cc.memo != nil {
		how = "in the reference interpreter"
	}
	if cc.ordered != nil {
		how += fmt.Sprintf(", with stubborn sets in %d", cc.ordered.sets)
	}
	if cc.parts > 0 {
		how += fmt.Sprintf(", in %d parts", cc.parts)
	}
	if cc.before > 0 {
		how += fmt.Sprintf(", %d states in an earlier run", cc.before)
	}
	return "its closure checked " + how
}

// part returns which part of the members was looked at.
func (cc *closureCheck) part(c evidence.Closure) float64 {
	if cc == nil || c.Len() == 0 {
		return 0
	}
	return float64(cc.done) / float64(c.Len())
}

// finish looks at the start states, at the members of which the search told nothing, and at
// those of which it told something wrong.
func (cc *closureCheck) finish(ctx context.Context, n int64) error {
	if err := cc.starts(); err != nil {
		return fmt.Errorf("start state: %w", err)
	}
	for _, i := range cc.later {
		if err := cc.members(i, 1, nil); err != nil {
			return err
		}
	}
	cc.later = nil
	const some = 256
	for cc.done < n {
		if ctx.Err() != nil {
			cc.keep()
			return ctx.Err()
		}
		next := min(some, n-cc.done)
		if err := cc.members(cc.done, int(next), nil); err != nil {
			return err
		}
		cc.done += next
		if cc.done&(keptEach-1) == 0 {
			cc.keep()
		}
	}
	cc.forget()
	return nil
}

// members looks at n members from first on. If steps are given and a step leads elsewhere
// than they say, that is no error, but the member is noted in later.
func (cc *closureCheck) members(first int64, n int, steps *evidence.Steps) error {
	if cc.memo != nil {
		done, err := cc.memo.members(first, n, steps)
		if err != nil || done == n {
			return err
		}
		cc.memo = nil
		first, n = first+int64(done), n-done
	}
	return cc.interpret(first, n, steps)
}

// leads checks that a permutation within the blocks maps the packed state s to a
// member. It returns the permutation and the number of the member.
func (cc *closureCheck) leads(s []byte) (i int64, perm *closurePerm, err error) {
	if cc.own != nil {
		perm, err = cc.send(s)
		return 0, perm, err
	}
	size := cc.packer.Size()
	i, by, ok := cc.guess(s[:size])
	if !ok {
		return 0, nil, fmt.Errorf("a reachable state is missing")
	}
	perm, err = cc.permutation(cc.key(by), by)
	if err != nil {
		return 0, nil, err
	}
	if i < 0 || !cc.is(s, i, perm) {
		return 0, nil, fmt.Errorf("a reachable state is not the member it is said to be")
	}
	return i, perm, nil
}

// is reports whether perm maps the packed state s, which goes on for
// model.PackedPad bytes, to member i.
func (cc *closureCheck) is(s []byte, i int64, perm *closurePerm) bool {
	return cc.maps(perm, s, cc.to.member(i))
}

// enumerate lists the instances of rules or start states.
func enumerate(rules []*model.Rule) (all []model.Choice) {
	for i, r := range rules {
		for _, params := range model.InstancesOf(r.Params) {
			all = append(all, model.Choice{Rule: i, Params: params})
		}
	}
	return all
}

// cursor goes through the steps of one member as told.
type cursor struct {
	at, end uint32
}

// start returns the cursor of member i.
func start(s *evidence.Steps, i int64) cursor {
	if s == nil {
		return cursor{}
	}
	c := cursor{end: s.Ends[i-s.First]}
	if i > s.First {
		c.at = s.Ends[i-s.First-1]
	}
	return c
}

// step checks that the packed successor s of a member is a member, too. If steps are given, ok
// says whether s is the member that the cursor is at.
func (cc *closureCheck) step(s []byte, steps *evidence.Steps, at *cursor) (i int64, perm *closurePerm, ok bool, err error) {
	if steps == nil {
		i, perm, err = cc.leads(s)
		return i, perm, err == nil, err
	}
	if at.at == at.end {
		return 0, nil, false, nil
	}
	i = int64(steps.Targets[at.at])
	if len(steps.Perms) > 0 {
		n := uint32(cc.values)
		perm, err = cc.told(steps.Perms[at.at*n : at.at*n+n])
	} else {
		perm, err = cc.permutation(nil, nil)
	}
	at.at++
	if err != nil {
		return 0, nil, false, err
	}
	return i, perm, cc.is(s, i, perm), nil
}

// shown says, by property, that a state or a step shows it.
type Shown []bool

// All notes properties.
func (s Shown) All(props []int) {
	for _, p := range props {
		s[p] = true
	}
}

// violated notes all properties that are violated.
func (s Shown) violated(v *model.Violation) {
	for _, v := range v.Each() {
		s[v.Prop] = true
	}
}

// Fired notes what an instance shows that a machine fired: what it violates and the covers that it hits.
func (s Shown) Fired(m *model.Model, mach *model.Machine, v *model.Violation) {
	s.violated(v)
	for _, q := range m.Props {
		if q.Kind == model.Cover && q.Expr == nil && mach.Hit(q.Index) {
			s[q.Index] = true
		}
	}
}

// starts looks at the start states, in the reference interpreter.
func (cc *closureCheck) starts() error {
	for _, ch := range enumerate(cc.p.Model.Starts) {
		r := cc.w.Start(cc.p.Model.Starts[ch.Rule], ch.Params)
		if r.TooLong {
			return cc.interpretStarts()
		}
		if r.Holds || r.Prop >= 0 {
			cc.shown.All(r.Hits)
		}
		cc.hid = cc.hid || r.Hides
		cc.shown.All(r.Violates())
		if !r.Holds {
			continue
		}
		for i := range cc.state {
			cc.state[i] = cc.w.Value(i)
		}
		for _, v := range cc.p.Model.Vars {
			sortBags(v.Type, cc.state[v.Offset:v.Offset+v.Type.Leaves])
		}
		cc.packer.Pack(cc.packed[:0], cc.state)
		if err := cc.start(); err != nil {
			return err
		}
	}
	return nil
}

// start looks at the start state that is packed.
func (cc *closureCheck) start() error {
	i, perm, err := cc.leads(cc.packed)
	for _, l := range cc.live {
		if err == nil {
			err = l.start(i, perm.perm)
		}
	}
	return err
}

// interpretStarts looks at the start states in the interpreter of the search.
func (cc *closureCheck) interpretStarts() (err error) {
	cc.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if cc.shown.Fired(cc.p.Model, cc.m, v); v == nil {
			cc.packer.Pack(cc.packed[:0], s)
			err = cc.start()
		}
		return err == nil
	})
	return err
}

// interpret is members in the interpreter of the search.
func (cc *closureCheck) interpret(first int64, n int, steps *evidence.Steps) error {
	s := make(model.State, len(cc.state))
	var before []byte
	var changed []int
	for i := first; i < first+int64(n); i++ {
		b := cc.from.member(i)
		if i == first {
			cc.packer.Unpack(b, s)
		} else {
			changed = cc.packer.Update(s, before, b, changed[:0])
		}
		before = append(before[:0], b...)
		for _, l := range cc.live {
			err := l.enter(i, func(inst, atom int) bool {
				holds, v := cc.m.Holds(s, l.claim.Atoms[atom].Index, l.insts[inst])
				cc.shown.violated(v)
				return holds && v == nil
			})
			if err != nil {
				return err
			}
		}
		for _, q := range cc.p.Model.Props {
			if !cc.evaluates(q.Index) {
				continue
			}
			switch q.Kind {
			case model.Invariant:
				cc.shown.violated(cc.m.Violated(s, q.Index))
			case model.Cover:
				if q.Expr == nil {
					continue
				}
				if ok, v := cc.m.Holds(s, q.Index, nil); v != nil {
					cc.shown.violated(v)
				} else if ok {
					cc.shown[q.Index] = true
				}
			}
		}
		at, as, moves, still, errs := start(steps, i), true, false, false, false
		var err error
		var but []uint64
		if z := cc.leavesOut(steps); z != nil {
			but = z.at(z.padded(before))
		}
		if _, err := cc.ordered.enter(i, func() model.State { return s }, func(can func(ch model.Choice, errs bool)) bool {
			cc.m.Successors(s, func(ch model.Choice, _ model.State, v *model.Violation) bool {
				can(ch.Clone(), v != nil)
				return true
			})
			return true
		}); err != nil {
			return err
		}
		cc.m.SuccessorsBut(s, changed, but, func(ch model.Choice, t model.State, v *model.Violation) bool {
			cc.shown.Fired(cc.p.Model, cc.m, v)
			if errs = errs || v != nil; v != nil || len(cc.m.Changed()) == 0 {
				still = still || v == nil
				return true
			}
			moves = true
			if cc.ordered.leavesOut(ch) {
				return true
			}
			if err = cc.successor(before, t, cc.m.Changed()); err != nil {
				return false
			}
			to, perm, ok, e := cc.step(cc.packed, steps, &at)
			as = as && ok
			cc.ordered.leads(to)
			for _, l := range cc.live {
				if e == nil {
					e = l.step(to, perm.perm)
				}
			}
			err = e
			return err == nil
		})
		if err == nil {
			err = cc.ordered.end()
		}
		if err != nil {
			return err
		}
		if dead := cc.p.Model.DeadlockProp(); dead != nil && !moves && cc.m.Deadlocked(s) {
			cc.shown[dead.Index] = true
		}
		if err := cc.leave(i, still || !moves && !errs && !cc.m.LeftOut()); err != nil {
			return err
		}
		if !as {
			cc.later = append(cc.later, i)
		}
	}
	return nil
}

// leave ends with member i; still says that it is its own successor, too.
func (cc *closureCheck) leave(i int64, still bool) error {
	for _, l := range cc.live {
		if still {
			if err := l.step(i, nil); err != nil {
				return err
			}
		}
		if err := l.leave(); err != nil {
			return err
		}
	}
	return nil
}

// wholly says that one of so many successors is packed as a whole, too.
const wholly = 16

// successor packs the successor t of the member b, by the leaves that change. It is the machine of the search that says
// which these are, so some successors are compared with t.
func (cc *closureCheck) successor(b []byte, t model.State, changed []int) error {
	copy(cc.packed, b)
	wide := false
	for _, i := range changed {
		pos, n := cc.packer.Field(i)
		if wide = wide || n > widest; !wide {
			model.PutBits(cc.packed, pos, 1<<n-1, cc.packer.Code(i, t[i]))
		}
	}
	if cc.fired++; !wide && cc.fired%wholly != 0 {
		return nil
	}
	cc.packer.Pack(cc.image[:0], t)
	if size := cc.packer.Size(); !wide && !bytes.Equal(cc.packed[:size], cc.image[:size]) {
		return fmt.Errorf("a step changes other leaves than it says")
	}
	copy(cc.packed, cc.image)
	return nil
}

// evaluates reports whether a property is looked at. Under Problem.Strict properties that are not
// decided are left out unless run-time errors are: their quantifiers may hide errors.
func (cc *closureCheck) evaluates(prop int) bool {
	p := cc.p
	return len(p.Strict) == 0 || slices.Contains(p.Props, prop) || slices.Contains(p.Props, p.Model.Runtime().Index)
}
