package certify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"orbitmc/internal/certify/states"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file checks the evidence of adaptive search: annotated states, each of which stands for
// its images under permutations within its cells and rotations of its rings. The claim is that the set of all these
// images contains the start states and is closed under steps. Nothing of the search is trusted: neither the
// cells that it gave to successors, nor its division of orbits, nor the symmetry of rules
// (partial.go verifies it anew). For each family of instances, with the group Q, and each
// annotated state (s, P) the orbit is divided anew into states u with R, the meet of P and Q.
// An instance that leads from u to v leads in all images under <R> from the image of u to that
// of v, by another instance of the family. So it is enough that some member stands for all of (v, R).

// annotatedCheck is one check.
type annotatedCheck struct {
	p      *mc.Problem
	e      *evidence.Annotated
	packer *model.Packer
	w      *reference.Walker
	m      *model.Machine // where the walker gives up
	shown  states.Shown
	groups []familyGroup // all instances of all rules
	common *permGroup    // what all rules keep
	props  []*permGroup  // what each property keeps
	image  model.State

	known map[string]*permGroup
	of    []*permGroup // those of members
	meets map[[2]*permGroup]*permGroup
	parts map[[2]*permGroup]bool // the first is part of the second
}

// permGroup is a group, one for all that are equal.
type permGroup struct {
	model.Kept
	blocks     [][][]int
	generators []model.ScalarPerm
}

// familyGroup is the instances of families that keep the same permutations.
type familyGroup struct {
	kept      *permGroup
	instances []model.Choice
}

// checkAnnotated checks that the annotated states of r are closed and that none of them shows what
// the verdicts of rest exclude. It returns how it was done, or the error of ctx if that ended
// first, and then the part that was done.
func checkAnnotated(ctx context.Context, p *mc.Problem, r *mc.Result, rest []*mc.PropResult) (how string, part float64, err error) {
	if p.Partial == nil || p.Enc == nil {
		return "", 0, fmt.Errorf("annotated states without partial symmetry")
	}
	if err := checkPartial(ctx, p.Enc, p.Partial); err != nil {
		return "", 0, err
	}
	m := p.Model
	k := &annotatedCheck{p: p, e: r.Annotated, packer: model.NewPacker(m), w: reference.NewWalker(m), m: p.Program.NewMachine(),
		shown: make(states.Shown, len(m.Props)), image: make(model.State, m.Leaves()),
		known: make(map[string]*permGroup), meets: make(map[[2]*permGroup]*permGroup), parts: make(map[[2]*permGroup]bool)}
	k.of = lists.Map(k.e.Kept, k.the)
	k.props = lists.Map(p.Partial.Props, k.the)
	if err := k.group(); err != nil {
		return "", 0, err
	}
	k.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if k.shown.Fired(m, k.m, v); v != nil {
			return true
		}
		err = k.inside(s, k.the(model.Kept{Cells: model.SingleCells(m)}))
		return err == nil
	})
	if err != nil {
		return "", 0, fmt.Errorf("start state: %w", err)
	}
	s := make(model.State, m.Leaves())
	for i, member := range k.e.States {
		if ctx.Err() != nil {
			return "", float64(i) / float64(len(k.e.States)), ctx.Err()
		}
		k.packer.Unpack(member.Packed, s)
		if err := k.member(s, k.of[member.Kept]); err != nil {
			return "", float64(i) / float64(len(k.e.States)), err
		}
	}
	for _, pr := range rest {
		if k.shown[pr.Prop] {
			return "", 1, fmt.Errorf("a state or step shows what the verdict on %q excludes", m.Props[pr.Prop].Name)
		}
	}
	return "their closure checked in the reference interpreter, the symmetry of each rule on circuits", 1, nil
}

// group groups the families, and checks that each instance of each rule is in one.
func (a *annotatedCheck) group() error {
	found := make(map[string]bool)
	common := model.Kept{Cells: model.WholeCells(a.p.Model)}
	for i := range a.p.Partial.Families {
		f := &a.p.Partial.Families[i]
		common = common.Meet(a.p.Model, f.Kept)
		at := slices.IndexFunc(a.groups, func(g familyGroup) bool { return g.kept == a.the(f.Kept) })
		if at < 0 {
			at = len(a.groups)
			a.groups = append(a.groups, familyGroup{kept: a.the(f.Kept)})
		}
		for _, ch := range f.Instances(a.p.Model) {
			found[instanceKey(ch)] = true
			a.groups[at].instances = append(a.groups[at].instances, ch)
		}
	}
	a.common = a.the(common)
	for i, r := range a.p.Model.Rules {
		for _, params := range model.InstancesOf(r.Params) {
			if !found[instanceKey(model.Choice{Rule: i, Params: params})] {
				return fmt.Errorf("an instance of rule %q is in no family", r.Name)
			}
		}
	}
	return nil
}

// the returns the group as the check knows it.
func (a *annotatedCheck) the(kept model.Kept) *permGroup {
	return lists.Memo(a.known, kept.Key(), func(string) *permGroup {
		return &permGroup{kept, kept.Cells.Blocks(), kept.Generators(a.p.Model)}
	})
}

// meet returns a group that is part of both. That it is all that they have in common makes the
// check fast, and is not asked for.
func (a *annotatedCheck) meet(p, q *permGroup) (*permGroup, error) {
	both := [2]*permGroup{p, q}
	r := a.meets[both]
	if r == nil {
		if r = a.the(p.Meet(a.p.Model, q.Kept)); !a.part(r, p) || !a.part(r, q) {
			return nil, fmt.Errorf("internal error: what two groups have in common is not in both")
		}
		a.meets[both] = r
	}
	return r, nil
}

// part reports whether p is part of q.
func (a *annotatedCheck) part(p, q *permGroup) bool {
	return lists.Memo(a.parts, [2]*permGroup{p, q}, func([2]*permGroup) bool {
		return !slices.ContainsFunc(p.generators, func(perm model.ScalarPerm) bool { return !belongs(perm, q) })
	})
}

// belongs reports whether a permutation is in a group: it maps values to values of their cells,
// but those of each ring all by the same multiple of its step.
func belongs(perm model.ScalarPerm, of *permGroup) bool {
	for c, images := range perm {
		turned := make([]bool, len(images))
		for _, r := range of.Rings {
			if r.Class != c || images == nil {
				continue
			}
			n := len(r.Values)
			by := slices.Index(r.Values, images[r.Values[0]])
			if by < 0 || by%r.Step != 0 {
				return false
			}
			for i, v := range r.Values {
				if turned[v] = true; images[v] != r.Values[(i+by)%n] {
					return false
				}
			}
		}
		for v, w := range images {
			if !turned[v] && of.Cells[c][v] != of.Cells[c][w] {
				return false
			}
		}
	}
	return true
}

// inside checks that a member stands for all images of s under a group, or that several do
// together: one for each part of them that all rules keep.
func (a *annotatedCheck) inside(s model.State, of *permGroup) (err error) {
	if i, perm, ok := a.e.Guess(s, of.Kept); ok {
		return a.within(s, of, i, perm)
	}
	r, err := a.meet(of, a.common)
	if err != nil {
		return err
	}
	a.divide(s, of, r, func(u model.State) bool {
		i, perm, ok := a.e.Guess(u, r.Kept)
		if !ok {
			err = fmt.Errorf("a reachable state is missing")
			return false
		}
		err = a.within(u, r, i, perm)
		return err == nil
	})
	return err
}

// within checks that member i, to which perm maps s, stands for all images of s under a group.
func (a *annotatedCheck) within(s model.State, part *permGroup, i int, perm model.ScalarPerm) error {
	if i < 0 || i >= len(a.e.States) {
		return fmt.Errorf("a reachable state is missing")
	}
	member := a.e.States[i]
	of := a.of[member.Kept]
	if len(perm) != len(of.Cells) {
		return fmt.Errorf("a permutation of %d types, not %d", len(perm), len(of.Cells))
	}
	for c, images := range perm {
		if images == nil {
			continue
		}
		hit := make([]bool, len(of.Cells[c]))
		for _, w := range images {
			if len(images) != len(hit) || w < 0 || w >= len(hit) || hit[w] {
				return fmt.Errorf("what is no permutation")
			}
			hit[w] = true
		}
	}
	if !belongs(perm, of) {
		return fmt.Errorf("a permutation that is not in the group")
	}
	image := make(model.State, len(s))
	a.p.Program.ApplyPerm(perm, s, image)
	if !bytes.Equal(a.packer.Pack(nil, image), member.Packed) {
		return fmt.Errorf("a reachable state is not in the orbit that it is said to be in")
	}
	if a.part(part, of) {
		return nil
	}
	// Each cell is part of one of the member, or exchanges within it keep s.
	for c, blocks := range part.blocks {
		for _, b := range blocks {
			for _, v := range b[1:] {
				if of.Cells[c][v] != of.Cells[c][b[0]] && !a.alike(s, c, b) {
					return fmt.Errorf("an orbit is only in part in the one that it is said to be in")
				}
			}
		}
	}
	for _, r := range part.Rings {
		if !a.rotatesBy(s, of, r) {
			return fmt.Errorf("an orbit is only in part in the one that it is said to be in, by rotation")
		}
	}
	return nil
}

// rotatesBy reports whether the rotation of a ring by its step is one of a group times one that keeps s.
func (a *annotatedCheck) rotatesBy(s model.State, of *permGroup, r model.Ring) bool {
	n := len(r.Values)
	for by := range n { // that of the group; what is left keeps s
		if !belongs(a.p.Model.Rotation(r, by), of) {
			continue
		}
		a.p.Program.ApplyPerm(a.p.Model.Rotation(r, r.Step+n-by), s, a.image)
		if slices.Equal(a.image, s) {
			return true
		}
	}
	return false
}

// alike reports whether exchanges of some values of a class keep s.
func (a *annotatedCheck) alike(s model.State, class int, values []int) bool {
	for i := 1; i < len(values); i++ {
		a.p.Program.ApplyPerm(a.p.Model.Exchange(class, values[i-1], values[i]), s, a.image)
		if !slices.Equal(a.image, s) {
			return false
		}
	}
	return true
}

// member looks at all that (s, P) stands for.
func (a *annotatedCheck) member(s model.State, of *permGroup) (err error) {
	m := a.p.Model
	stuck := m.DeadlockProp() != nil
	for i := range a.groups {
		g := &a.groups[i]
		r, e := a.meet(of, g.kept)
		if e != nil {
			return e
		}
		all := true // of what (s, P) stands for an instance of g leads on
		a.divide(s, of, r, func(u model.State) bool {
			moves, e := a.steps(g, u, r)
			all, err = all && moves, e
			return err == nil
		})
		if err != nil {
			return err
		}
		stuck = stuck && !all
	}
	guards := a.p.Partial.Guards
	raised := of // what keeps what the evaluation of any property may raise
	for _, q := range m.Props {
		if q.Kind == model.RuntimeError || q.Kind == model.Assertion || q.Kind == model.ErrorStmt {
			if raised, err = a.meet(raised, a.props[q.Index]); err != nil {
				return err
			}
		}
	}
	a.divide(s, of, raised, func(u model.State) bool {
		for _, q := range m.Props {
			if q.Kind != model.Deadlock {
				a.evaluate(u, q)
			}
		}
		for _, g := range a.groups {
			for _, ch := range g.instances {
				if !guards {
					break
				}
				if w := a.w.Guard(u, m.Rules[ch.Rule], ch.Params); w.TooLong {
					a.shown[m.Runtime().Index] = true
				} else {
					a.violated(&w)
				}
			}
		}
		return true
	})
	for _, q := range m.Props {
		r, err := a.meet(of, a.props[q.Index])
		if err != nil {
			return err
		}
		if q.Kind == model.Deadlock && !stuck || q.Kind != model.Deadlock && (q.Expr == nil || a.part(raised, r)) {
			continue
		}
		a.divide(s, of, r, func(u model.State) bool {
			a.evaluate(u, q)
			return true
		})
	}
	return nil
}

// evaluate notes what a property shows in u.
func (a *annotatedCheck) evaluate(u model.State, q *model.Property) {
	switch q.Kind {
	case model.Deadlock:
		if a.m.Deadlocked(u) {
			a.shown[q.Index] = true
		}
	case model.Invariant, model.Cover:
		w := a.w.Says(u, q)
		if a.violated(&w) {
			return
		}
		if w.Holds != (q.Kind == model.Invariant) || w.TooLong {
			a.shown[q.Index] = true
		}
	case model.Liveness: // undecided, but each instance may err; x -> x stops at none
		w := a.w.Evaluate(u, q.Params, &model.Binary{Op: model.Implies, X: q.Expr, Y: q.Expr, Pos: q.Pos}, true)
		if !a.violated(&w) && w.TooLong {
			a.shown[a.p.Model.Runtime().Index] = true
		}
	}
}

// violated notes all properties that an error violates, and reports whether there is one.
func (a *annotatedCheck) violated(w *reference.Walked) bool {
	a.shown.All(w.Violates())
	return w.Prop >= 0
}

// steps looks at the steps of the instances of g from u: all but those that exchanges within
// cells that keep u map to others. It reports whether one leads to another state, or errs.
func (a *annotatedCheck) steps(g *familyGroup, u model.State, of *permGroup) (moves bool, err error) {
	m := a.p.Model
	var like model.Cells // of the values of a cell, those that are alike in u; nil until it is needed
	seen := make(map[string]bool)
	next := make(model.State, len(u))
	for _, ch := range g.instances {
		if like != nil && seen[a.pattern(ch, like)] {
			continue
		}
		to, errs := a.fire(u, ch, next)
		switch {
		case errs:
			moves = true
			continue
		case !to || slices.Equal(next, u):
			continue
		}
		moves = true
		if like == nil {
			like = model.NewCells(m, func(c, v, w int) bool { return of.Cells[c][v] == of.Cells[c][w] && a.alike(u, c, []int{v, w}) })
		}
		seen[a.pattern(ch, like)] = true
		if err := a.inside(next, of); err != nil {
			return moves, err
		}
	}
	return moves, nil
}

// fire fires an instance in u and notes the covers that it hits and what it violates. If it leads to a state,
// to is set, and that is in next.
func (a *annotatedCheck) fire(u model.State, ch model.Choice, next model.State) (to, errs bool) {
	w := a.w.Fire(u, a.p.Model.Rules[ch.Rule], ch.Params)
	if w.TooLong {
		t, enabled, v := a.m.Fire(u, ch)
		a.shown.Fired(a.p.Model, a.m, v)
		copy(next, t)
		return enabled && v == nil, v != nil
	}
	if w.Prop >= 0 || w.Holds {
		a.shown.All(w.Hits)
	}
	copy(next, u)
	for _, i := range w.Writes {
		next[i] = a.w.Value(i)
	}
	return w.Holds, a.violated(&w)
}

// pattern names an instance up to exchanges of values that are alike: two instances of a rule are images
// of each other if they name values that are alike, the same ones at the same places.
func (a *annotatedCheck) pattern(ch model.Choice, like model.Cells) string {
	params := a.p.Model.Rules[ch.Rule].Params
	name := binary.AppendVarint(nil, int64(ch.Rule))
	for i, q := range params {
		c, v, ok := q.Var.Type.Element(ch.Params[i])
		if !ok {
			name = binary.AppendVarint(binary.AppendVarint(name, -1), ch.Params[i])
			continue
		}
		same := i
		for j := range i {
			if d, x, ok := params[j].Var.Type.Element(ch.Params[j]); ok && d == c && x == v {
				same = j
				break
			}
		}
		for _, n := range []int{c, like[c][v], same} {
			name = binary.AppendVarint(name, int64(n))
		}
	}
	return string(name)
}

// cellPart is some values of a class, of which some are taken.
type cellPart struct {
	number, taken int
	values        []int
}

// divide calls yield for states u such that the images of all u under r are those of s under
// of, which contains r: for each way to give the values of a cell to the parts that r makes of it, up to
// exchanges that keep s, and for each rotation of a ring up to those of r. Where r has a ring in a cell, its
// values are given in all ways.
func (a *annotatedCheck) divide(s model.State, of, r *permGroup, yield func(u model.State) bool) {
	if of == r {
		yield(s)
		return
	}
	m := a.p.Model
	type value struct {
		class, v int
		parts    []*cellPart // where it may go
		alike    int         // the position of an earlier value that is alike, or -1
	}
	var values []value
	for c, blocks := range of.blocks {
		for _, b := range blocks {
			var parts []*cellPart
			for _, v := range b {
				at := slices.IndexFunc(parts, func(x *cellPart) bool { return x.number == r.Cells[c][v] })
				if at < 0 {
					at = len(parts)
					parts = append(parts, &cellPart{number: r.Cells[c][v]})
				}
				parts[at].values = append(parts[at].values, v)
			}
			if len(parts) < 2 {
				continue
			}
			var first []int // positions of the first values of those that are alike, then of the last
			var last []int
			for _, v := range b {
				x := value{c, v, parts, -1}
				at := slices.IndexFunc(first, func(i int) bool { return a.alike(s, c, []int{values[i].v, v}) })
				if at < 0 {
					first, last = append(first, len(values)), append(last, len(values))
				} else {
					x.alike, last[at] = last[at], len(values)
				}
				values = append(values, x)
			}
		}
	}
	perm := m.Identity()
	to := make([]int, len(values)) // by position: the part, among those where it may go
	u := make(model.State, len(s))
	var turn func(i int) bool
	turn = func(i int) bool {
		if i == len(of.Rings) {
			a.p.Program.ApplyPerm(perm, s, u)
			return yield(u)
		}
		ring := of.Rings[i]
		step := len(ring.Values) // of r
		for _, q := range r.Rings {
			if q.Class == ring.Class && slices.Equal(q.Values, ring.Values) {
				step = q.Step
			}
		}
		for by := 0; by < step; by += ring.Step {
			for at, v := range ring.Values {
				perm[ring.Class][v] = ring.Values[(at+by)%len(ring.Values)]
			}
			if !turn(i + 1) {
				return false
			}
		}
		return true
	}
	var give func(i int) bool
	give = func(i int) bool {
		if i == len(values) {
			return turn(0)
		}
		x := &values[i]
		from := 0 // of values that are alike, later ones go to later parts
		if x.alike >= 0 {
			from = to[x.alike]
		}
		for j := from; j < len(x.parts); j++ {
			p := x.parts[j]
			if p.taken == len(p.values) {
				continue
			}
			perm[x.class][x.v], to[i] = p.values[p.taken], j
			p.taken++
			ok := give(i + 1)
			p.taken--
			if !ok {
				return false
			}
		}
		return true
	}
	give(0)
}
