// Package states checks the evidence that is a list of states: of a model, whose states stand for
// their orbits, also while the search still goes on (Watch), or of a netlist (Enumerated). It reads
// nothing of proofs, and no proof rests on it.
//
//	closure.go     closed sets of states; closure_perms.go: the permutations that lead back into them
//	liveness.go    layers of a closed set
//	resume.go      how far a check is, kept for a later run
//	members.go     the members of a set, read from a tree if they are in one
//	lanes.go       successors of 64 states at a time, in the encoding, by a circuit (lanes_circuit.go)
//	memo.go        what an instance does, kept by what it reads
//	packed.go      permutations of packed states, and multisets in them
//	stabiliser.go  instances that exchanges of equal components map to each other
//	watch.go       the check beside the search
//	typed.go       symmetry by typing, derived again by package typing; sample.go tries it on members
//	enumerated.go  lists of states of netlists
package states

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks the evidence of exhaustive search. The claim is a set of states that
// contains, up to permutations of interchangeable values, every start state and every
// successor of its members. The check does not trust the search. Successors come from
// simulating the transition system, 64 members at a time (lanes.go), not from the
// interpreter. The permutation that leads back into the set is applied and compared here
// (closure_perms.go, packed.go), so the canonicalisation of the search does not matter. The
// permutations were verified to be symmetries when they were detected; symmetry by typing
// is derived again (typed.go). The slots of multisets are in the order that the
// interpreter gives them, and no permutation moves them.
//
// Start states come from the reference interpreter. Some models are checked there as a whole, with
// a memo of the effects of rule instances (memo.go): models without an encoding, or with a large one,
// and models with multisets. There the inputs of the system name slots, and the steps for all slots are
// one step of the model. Simulation takes all gates and all leaves that an instance may change, and so
// does not pay if these are many: of a generated coherence model it took six times as long as the search,
// where the memo takes a quarter. If the encoding would be made for this check alone, the memo is tried
// first. The encoding is made if the memo does not pay, or once there are so many members that simulation
// saves the cost of the encoding. The encoding of while loops may be huge, so for models with such loops
// it is made only if the memo does not pay. Where neither pays, the compiled interpreter of the search is
// used; the output says so.
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
	block     []map[int]int // by scalarset class and value: its block
	values    int           // bytes of a permutation in Steps
	perms     map[string]*closurePerm
	recent    [256]*closurePerm // some of perms, by a hash of the key
	leaves    []model.Leaf
	bags      []packedBag    // the outermost multisets
	allBags   []int          // their indices
	bagOf     []int          // by leaf: 1 plus the index in bags, or 0
	plainBags bool           // they can be sorted in packed states
	words     []uint64       // scratch
	lanes     *lanes         // nil: the interpreter is used
	memo      *memo          // if so, as long as it pays
	w         *model.Walker  // of start states, and of the memo
	m         *model.Machine // else
	large     bool           // the encoding is simulated where the memo does not pay
	enough    int64          // and where it does, once there are so many members; 0 is never
	done      int64          // members with smaller numbers were looked at
	before    int64          // of them, those that an earlier run looked at
	kept      evidence.Kept  // nil if it is not known how far the check is after this run
	later     []int64        // members among them with a step that leads elsewhere than the search told
	fired     int            // steps of the interpreter
	hid       bool           // a quantifier of Problem.Strict hides an error
	state     model.State    // scratch
	other     model.State    // scratch
	packed    []byte         // scratch
	image     []byte         // scratch
}

// smallClosure is how many states, times leaves, of a model without an encoding are
// checked in the interpreter; an encoding may be made for more. It is made, even if a memo pays,
// for more than encodedShare states for each leaf and rule instance, as it takes about as many
// gates. Beyond mostEncoded leaves none is made for this. Of an encoding of more than mostSimulated
// gates the memo is tried first.
const (
	smallClosure  = 1 << 20
	encodedShare  = 16
	mostEncoded   = 2000
	mostSimulated = 1 << 15
)

// mayEncode reports whether the check may make an encoding, if there are many states.
func mayEncode(p *mc.Problem) bool {
	return p.Enc == nil && len(p.Strict) == 0 && !hasSlots(p.Model) && p.Model.Leaves() <= mostEncoded
}

func hasSlots(m *model.Model) bool {
	return slices.ContainsFunc(m.Scalarsets, func(t *model.Type) bool { return t.Slots })
}

// Simulated reports whether an encoding that is made for the check is worth it, if there are many states.
func Simulated(p *mc.Problem) bool { return mayEncode(p) && !unrolls(p.Model) }

// eitherWay reports whether the check of a closure of some number of states may begin with a memo and go
// on with simulation.
func eitherWay(p *mc.Problem, states int64) bool {
	return mayEncode(p) && largeClosure(p, states) || largeEncoding(p)
}

// largeEncoding reports whether there is an encoding that is simulated only if the memo does not pay.
func largeEncoding(p *mc.Problem) bool {
	return p.Enc != nil && len(p.Strict) == 0 && !hasSlots(p.Model) && p.Enc.Sys.NumAnds() > mostSimulated
}

// largeClosure reports whether so many states are worth an encoding.
func largeClosure(p *mc.Problem, states int64) bool {
	return states*int64(p.Model.Leaves()) >= smallClosure
}

// newClosureCheck prepares the check of a closure that has some number of states at
// least.
func newClosureCheck(p *mc.Problem, states int64) *closureCheck {
	n := p.Model.Leaves()
	k := &closureCheck{p: p, packer: model.NewPacker(p.Model), shown: make(Shown, len(p.Model.Props)), perms: make(map[string]*closurePerm),
		state: make(model.State, n), other: make(model.State, n), leaves: p.Model.AllLeaves(), bagOf: make([]int, n), plainBags: true, w: model.NewWalker(p.Model)}
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
	for class, t := range p.Model.Scalarsets {
		k.block = append(k.block, make(map[int]int))
		if class < len(p.Blocks) && !t.Slots {
			for b, values := range p.Blocks[class] {
				for _, v := range values {
					k.block[class][v] = b
				}
			}
		}
	}
	if p.ByRule() {
		k.exchanges = newExchanges(k)
	}
	if len(p.Strict) > 0 { // the encoding knows nothing of it
		// The quantifiers that are evaluated to the end are those of the derivation here. If the
		// derivation fails, the check of the closure fails, too.
		_, strict, _ := TypedSets(p, p.Blocks, p.Props)
		k.m, k.w = model.CompileStrict(p.Model, strict).NewMachine(), model.NewStrictWalker(p.Model, strict)
		k.memo = newMemo(k)
		return k
	}
	k.large = mayEncode(p) && largeClosure(p, states)
	if k.large && !unrolls(p.Model) {
		instances := int64(mostQuestions)
		if all := p.Program.NumInstances(); all.IsInt64() {
			instances = min(instances, all.Int64())
		}
		k.enough = max(1, encodedShare*int64(n)*instances)
	}
	k.large = k.large || largeEncoding(p)
	if p.Enc != nil && !hasSlots(p.Model) && !k.large || k.outgrown(states) {
		k.simulate()
		k.large, k.enough = false, 0
	}
	if k.lanes == nil {
		k.m = p.Program.NewMachine()
		if k.memo = newMemo(k); k.memo == nil && (k.enough > 0 || largeEncoding(p)) {
			k.instead()
		}
	}
	return k
}

// instead goes on without a memo.
func (k *closureCheck) instead() {
	if k.memo = nil; k.large {
		k.simulate()
	}
}

// outgrown reports whether so many states are worth an encoding, even if the memo pays.
func (k *closureCheck) outgrown(states int64) bool {
	return k.enough > 0 && states >= k.enough
}

// simulate makes lanes, if there is an encoding. Lanes do not see the errors of liveness properties.
func (k *closureCheck) simulate() {
	enc := k.p.Encoded()
	if enc != nil && !slices.ContainsFunc(k.p.Props, enc.Errs) && !slices.ContainsFunc(k.live, func(l *layerCheck) bool { return !l.agrees(enc) }) {
		k.lanes = newLanes(k, enc)
	}
}

// unrolls reports whether rules contain while loops. The encoding repeats their bodies and may be
// huge, so the memo is kept if it pays.
func unrolls(m *model.Model) bool {
	found := false
	for _, r := range m.Rules {
		model.Inspect(r.Body, func(n any) {
			_, ok := n.(*model.While)
			found = found || ok
		})
	}
	return found
}

// Closed checks that the closure of r contains every start state and
// successor up to symmetry, that no member shows what the verdicts of rest
// exclude, and the layers of liveness properties. It returns how it was done, or
// the error of ctx if that ended first, and then the part that was done.
func Closed(ctx context.Context, p *mc.Problem, r *mc.Result, rest []*mc.PropResult) (how string, part float64, err error) {
	var live []*mc.PropResult
	for _, pr := range rest {
		if p.Model.Props[pr.Prop].Kind == model.Liveness {
			live = append(live, pr)
		}
	}
	if p.Typed {
		var props []int
		for _, pr := range rest {
			props = append(props, pr.Prop)
		}
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
		k = newClosureCheck(p, r.Closure.Len())
	}
	if err := k.see(r.Closure); err != nil {
		return "", 0, err
	}
	k.guess = r.Closure.Guess
	if live == nil {
		k.resume(r.Closure)
	}
	if told || live == nil {
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
	}
	if k.hides() {
		return "", 1, fmt.Errorf("an operand errs behind one that decides, so the symmetry found by typing does not count")
	}
	for _, pr := range rest {
		if k.shown[pr.Prop] {
			return "", 1, fmt.Errorf("a state or step shows what the verdict on %q excludes", p.Model.Props[pr.Prop].Name)
		}
	}
	return k.how(r.Closure.Len()), 1, nil
}

// how says how the closure of some number of states was checked.
func (k *closureCheck) how(states int64) string {
	how := "by simulating the encoding"
	switch {
	case (k.memo != nil || k.lanes != nil) && eitherWay(k.p, states): // a search that was resumed may change over elsewhere
		how = "in the reference interpreter or by simulating the encoding"
	case k.memo != nil:
		how = "in the reference interpreter"
	case k.lanes == nil:
		how = "in the interpreter"
	}
	if k.before > 0 {
		how += fmt.Sprintf(", %d states in an earlier run", k.before)
	}
	return "its closure checked " + how
}

// part returns which part of the members was looked at.
func (k *closureCheck) part(c evidence.Closure) float64 {
	if k == nil || c.Len() == 0 {
		return 0
	}
	return float64(k.done) / float64(c.Len())
}

// finish looks at the start states, at the members of which the search told nothing, and at
// those of which it told something wrong.
func (k *closureCheck) finish(ctx context.Context, n int64) error {
	if err := k.starts(); err != nil {
		return fmt.Errorf("start state: %w", err)
	}
	for _, i := range k.later {
		if err := k.members(i, 1, nil); err != nil {
			return err
		}
	}
	k.later = nil
	const some = 256
	for k.done < n {
		if ctx.Err() != nil {
			k.keep()
			return ctx.Err()
		}
		next := min(some, n-k.done)
		if err := k.members(k.done, int(next), nil); err != nil {
			return err
		}
		k.done += next
		if k.done&(keptEach-1) == 0 {
			k.keep()
		}
	}
	k.forget()
	return nil
}

// members looks at n members from first on. If steps are given and a step leads elsewhere
// than they say, that is no error, but the member is noted in later.
func (k *closureCheck) members(first int64, n int, steps *evidence.Steps) error {
	if k.memo != nil {
		if k.outgrown(first) {
			k.simulate()
			k.large, k.enough = false, 0
		}
		done := 0
		if k.lanes == nil {
			var err error
			if done, err = k.memo.members(first, n, steps); err != nil || done == n {
				return err
			}
		}
		k.instead()
		first, n = first+int64(done), n-done
	}
	if k.lanes == nil {
		return k.interpret(first, n, steps)
	}
	for n > 0 {
		if err := k.lanes.members(first, min(n, 64), steps); err != nil {
			return err
		}
		first, n = first+64, n-64
	}
	return nil
}

// leads checks that a permutation within the blocks maps the packed state s to a
// member. It returns the permutation and the number of the member.
func (k *closureCheck) leads(s []byte) (i int64, perm *closurePerm, err error) {
	size := k.packer.Size()
	i, by, ok := k.guess(s[:size])
	if !ok {
		return 0, nil, fmt.Errorf("a reachable state is missing")
	}
	perm, err = k.permutation(k.key(by), by)
	if err != nil {
		return 0, nil, err
	}
	if i < 0 || !k.is(s, i, perm) {
		return 0, nil, fmt.Errorf("a reachable state is not the member it is said to be")
	}
	return i, perm, nil
}

// is reports whether perm maps the packed state s, which goes on for
// model.PackedPad bytes, to member i.
func (k *closureCheck) is(s []byte, i int64, perm *closurePerm) bool {
	return k.maps(perm, s, k.to.member(i))
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
func (k *closureCheck) step(s []byte, steps *evidence.Steps, at *cursor) (i int64, perm *closurePerm, ok bool, err error) {
	if steps == nil {
		i, perm, err = k.leads(s)
		return i, perm, err == nil, err
	}
	if at.at == at.end {
		return 0, nil, false, nil
	}
	i = int64(steps.Targets[at.at])
	if len(steps.Perms) > 0 {
		n := uint32(k.values)
		perm, err = k.told(steps.Perms[at.at*n : at.at*n+n])
	} else {
		perm, err = k.permutation(nil, nil)
	}
	at.at++
	if err != nil {
		return 0, nil, false, err
	}
	return i, perm, k.is(s, i, perm), nil
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
func (k *closureCheck) starts() error {
	for _, ch := range enumerate(k.p.Model.Starts) {
		r := k.w.Start(k.p.Model.Starts[ch.Rule], ch.Params)
		if r.TooLong {
			return k.interpretStarts()
		}
		if r.Holds || r.Prop >= 0 {
			k.shown.All(r.Hits)
		}
		k.hid = k.hid || r.Hides
		k.shown.All(r.Violates())
		if !r.Holds {
			continue
		}
		for i := range k.state {
			k.state[i] = k.w.Value(i)
		}
		for _, v := range k.p.Model.Vars {
			sortBags(v.Type, k.state[v.Offset:v.Offset+v.Type.Leaves])
		}
		k.packer.Pack(k.packed[:0], k.state)
		if _, _, err := k.leads(k.packed); err != nil {
			return err
		}
	}
	return nil
}

// interpretStarts looks at the start states in the interpreter of the search.
func (k *closureCheck) interpretStarts() (err error) {
	if k.m == nil {
		k.m = k.p.Program.NewMachine()
	}
	k.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if k.shown.Fired(k.p.Model, k.m, v); v == nil {
			k.packer.Pack(k.packed[:0], s)
			_, _, err = k.leads(k.packed)
		}
		return err == nil
	})
	return err
}

// interpret is members in the interpreter, for models without an encoding.
func (k *closureCheck) interpret(first int64, n int, steps *evidence.Steps) error {
	s := make(model.State, len(k.state))
	var before []byte
	var changed []int
	for i := first; i < first+int64(n); i++ {
		b := k.from.member(i)
		if i == first {
			k.packer.Unpack(b, s)
		} else {
			changed = k.packer.Update(s, before, b, changed[:0])
		}
		before = append(before[:0], b...)
		for _, l := range k.live {
			err := l.enter(i, func(inst int) bool {
				holds, v := k.m.Holds(s, l.prop.Index, l.insts[inst])
				k.shown.violated(v)
				return holds && v == nil
			})
			if err != nil {
				return err
			}
		}
		for _, q := range k.p.Model.Props {
			if !k.evaluates(q.Index) {
				continue
			}
			switch q.Kind {
			case model.Invariant:
				k.shown.violated(k.m.Violated(s, q.Index))
			case model.Cover:
				if q.Expr == nil {
					continue
				}
				if ok, v := k.m.Holds(s, q.Index, nil); v != nil {
					k.shown.violated(v)
				} else if ok {
					k.shown[q.Index] = true
				}
			}
		}
		at, as, moves := start(steps, i), true, false
		var err error
		var but []uint64
		if z := k.leavesOut(steps); z != nil {
			but = z.at(z.padded(before))
		}
		k.m.SuccessorsBut(s, changed, but, func(_ model.Choice, t model.State, v *model.Violation) bool {
			k.shown.Fired(k.p.Model, k.m, v)
			if v != nil || len(k.m.Changed()) == 0 {
				return true
			}
			moves = true
			if err = k.successor(before, t, k.m.Changed()); err != nil {
				return false
			}
			to, perm, ok, e := k.step(k.packed, steps, &at)
			as = as && ok
			for _, l := range k.live {
				if e == nil {
					e = l.step(to, perm.perm)
				}
			}
			err = e
			return err == nil
		})
		if err != nil {
			return err
		}
		if dead := k.p.Model.DeadlockProp(); dead != nil && !moves && k.m.Deadlocked(s) {
			k.shown[dead.Index] = true
		}
		for _, l := range k.live {
			if err := l.leave(); err != nil {
				return err
			}
		}
		if !as {
			k.later = append(k.later, i)
		}
	}
	return nil
}

// wholly says that one of so many successors is packed as a whole, too.
const wholly = 16

// successor packs the successor t of the member b, by the leaves that change. It is the machine of the search that says
// which these are, so some successors are compared with t.
func (k *closureCheck) successor(b []byte, t model.State, changed []int) error {
	copy(k.packed, b)
	wide := false
	for _, i := range changed {
		pos, n := k.packer.Field(i)
		if wide = wide || n > widest; !wide {
			model.PutBits(k.packed, pos, 1<<n-1, k.packer.Code(i, t[i]))
		}
	}
	if k.fired++; !wide && k.fired%wholly != 0 {
		return nil
	}
	k.packer.Pack(k.image[:0], t)
	if size := k.packer.Size(); !wide && !bytes.Equal(k.packed[:size], k.image[:size]) {
		return fmt.Errorf("a step changes other leaves than it says")
	}
	copy(k.packed, k.image)
	return nil
}

// evaluates reports whether a property is looked at. Under Problem.Strict properties that are not
// decided are left out unless run-time errors are: their quantifiers may hide errors.
func (k *closureCheck) evaluates(prop int) bool {
	p := k.p
	return len(p.Strict) == 0 || slices.Contains(p.Props, prop) || slices.Contains(p.Props, p.Model.Runtime().Index)
}
