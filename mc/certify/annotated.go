package certify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks the evidence of adaptive search: annotated states, each of which stands for
// its images under permutations within its cells. The claim is that what they stand for
// contains the start states and is closed under steps. Of the search nothing is trusted: not
// which cells it gave to successors, not how it divided orbits, not that rules are symmetric
// (partial.go verifies that anew). For each family of instances, with cells Q, and each
// annotated state (s, P) the orbit is divided anew into states u with R, the meet of P and Q.
// An instance that leads from u to v leads in all images under <R> from the image of u to that
// of v, by another instance of the family. So it is enough that some member stands for all of (v, R).

// annotatedCheck is one check.
type annotatedCheck struct {
	p      *mc.Problem
	e      *evidence.Annotated
	packer *model.Packer
	w      *model.Walker
	m      *model.Machine // where the walker gives up
	shown  []bool         // by property
	groups []familyGroup  // all instances of all rules
	common model.Cells    // what all rules keep
	image  model.State
}

// familyGroup is the instances of families with the same cells.
type familyGroup struct {
	cells     model.Cells
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
	k := &annotatedCheck{p: p, e: r.Annotated, packer: model.NewPacker(m), w: model.NewWalker(m), m: p.Program.NewMachine(),
		shown: make([]bool, len(m.Props)), image: make(model.State, m.Leaves())}
	if err := k.group(); err != nil {
		return "", 0, err
	}
	k.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		k.hits(k.m.Hit)
		if v != nil {
			k.shown[v.Prop] = true
			return true
		}
		err = k.inside(s, model.SingleCells(m))
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
		if err := k.member(s, k.e.Cells[member.Cells]); err != nil {
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
func (k *annotatedCheck) group() error {
	found := make(map[string]bool)
	k.common = model.WholeCells(k.p.Model)
	for i := range k.p.Partial.Families {
		f := &k.p.Partial.Families[i]
		k.common = k.common.Meet(k.p.Model, f.Cells)
		at := slices.IndexFunc(k.groups, func(g familyGroup) bool { return g.cells.Equal(f.Cells) })
		if at < 0 {
			at = len(k.groups)
			k.groups = append(k.groups, familyGroup{cells: f.Cells})
		}
		for _, ch := range f.Instances(k.p.Model) {
			found[instanceKey(ch)] = true
			k.groups[at].instances = append(k.groups[at].instances, ch)
		}
	}
	for i, r := range k.p.Model.Rules {
		for _, ch := range enumerate([]*model.Rule{r}) {
			if ch.Rule = i; !found[instanceKey(ch)] {
				return fmt.Errorf("an instance of rule %q is in no family", r.Name)
			}
		}
	}
	return nil
}

// hits notes the covers that the instance at hand hit.
func (k *annotatedCheck) hits(hit func(prop int) bool) {
	for _, q := range k.p.Model.Props {
		if q.Kind == model.Cover && q.Expr == nil && hit(q.Index) {
			k.shown[q.Index] = true
		}
	}
}

// inside checks that a member stands for all images of s within cells, or that several do
// together: one for each part of them that all rules keep.
func (k *annotatedCheck) inside(s model.State, cells model.Cells) (err error) {
	if _, _, ok := k.e.Guess(s, cells); ok {
		return k.within(s, cells)
	}
	r := cells.Meet(k.p.Model, k.common)
	k.divide(s, cells, r, func(u model.State) bool {
		err = k.within(u, r)
		return err == nil
	})
	return err
}

// within checks that a member stands for all images of s within cells.
func (k *annotatedCheck) within(s model.State, cells model.Cells) error {
	i, perm, ok := k.e.Guess(s, cells)
	if !ok || i < 0 || i >= len(k.e.States) {
		return fmt.Errorf("a reachable state is missing")
	}
	member := k.e.States[i]
	of := k.e.Cells[member.Cells]
	if len(perm) != len(of) {
		return fmt.Errorf("a permutation of %d types, not %d", len(perm), len(of))
	}
	for c, images := range perm {
		if images == nil {
			continue
		}
		hit := make([]bool, len(of[c]))
		for v, w := range images {
			if len(images) != len(of[c]) || w < 0 || w >= len(hit) || hit[w] || of[c][v] != of[c][w] {
				return fmt.Errorf("a permutation that is not within the cells")
			}
			hit[w] = true
		}
	}
	image := make(model.State, len(s))
	k.p.Program.ApplyPerm(perm, s, image)
	if !bytes.Equal(k.packer.Pack(nil, image), member.Packed) {
		return fmt.Errorf("a reachable state is not in the orbit that it is said to be in")
	}
	// Each cell is part of one of the member, or exchanges within it keep s.
	for c, blocks := range cells.Blocks() {
		for _, b := range blocks {
			for _, v := range b[1:] {
				if of[c][v] != of[c][b[0]] && !k.alike(s, c, b) {
					return fmt.Errorf("an orbit is only in part in the one that it is said to be in")
				}
			}
		}
	}
	return nil
}

// alike reports whether exchanges of some values of a class keep s.
func (k *annotatedCheck) alike(s model.State, class int, values []int) bool {
	for i := 1; i < len(values); i++ {
		k.p.Program.ApplyPerm(transposition(k.p.Model, class, values[i-1], values[i]), s, k.image)
		if !slices.Equal(k.image, s) {
			return false
		}
	}
	return true
}

// member looks at all that (s, P) stands for.
func (k *annotatedCheck) member(s model.State, cells model.Cells) (err error) {
	m := k.p.Model
	stuck := m.DeadlockProp() != nil
	for i := range k.groups {
		g := &k.groups[i]
		r := cells.Meet(m, g.cells)
		all := true // of what (s, P) stands for an instance of g leads on
		k.divide(s, cells, r, func(u model.State) bool {
			moves, e := k.steps(g, u, r)
			all, err = all && moves, e
			return err == nil
		})
		if err != nil {
			return err
		}
		stuck = stuck && !all
	}
	part := k.p.Partial
	raised := cells // the cells of what the evaluation of any property may raise
	for _, q := range m.Props {
		if q.Kind == model.RuntimeError || q.Kind == model.Assertion || q.Kind == model.ErrorStmt {
			raised = raised.Meet(m, part.Props[q.Index])
		}
	}
	k.divide(s, cells, raised, func(u model.State) bool {
		for _, q := range m.Props {
			if q.Kind != model.Deadlock {
				k.evaluate(u, q)
			}
		}
		for _, g := range k.groups {
			for _, ch := range g.instances {
				if !part.Guards {
					break
				}
				if w := k.w.Guard(u, m.Rules[ch.Rule], ch.Params); w.TooLong {
					k.shown[m.Runtime().Index] = true
				} else if w.Prop >= 0 {
					k.shown[w.Prop] = true
				}
			}
		}
		return true
	})
	for _, q := range m.Props {
		r := cells.Meet(m, part.Props[q.Index])
		if q.Kind == model.Deadlock && !stuck || q.Kind != model.Deadlock && (q.Expr == nil || raised.Within(r)) {
			continue
		}
		k.divide(s, cells, r, func(u model.State) bool {
			k.evaluate(u, q)
			return true
		})
	}
	return nil
}

// evaluate notes what a property shows in u.
func (k *annotatedCheck) evaluate(u model.State, q *model.Property) {
	switch q.Kind {
	case model.Deadlock:
		if k.m.Deadlocked(u) {
			k.shown[q.Index] = true
		}
	case model.Invariant, model.Cover:
		w := k.w.Evaluate(u, q.Params, q.Expr, q.Kind == model.Invariant)
		if w.Prop >= 0 {
			k.shown[w.Prop] = true
		} else if w.Holds != (q.Kind == model.Invariant) || w.TooLong {
			k.shown[q.Index] = true
		}
	case model.Liveness: // undecided, but each instance may err; x -> x stops at none
		w := k.w.Evaluate(u, q.Params, &model.Binary{Op: model.Implies, X: q.Expr, Y: q.Expr, Pos: q.Pos}, true)
		if w.Prop >= 0 {
			k.shown[w.Prop] = true
		} else if w.TooLong {
			k.shown[k.p.Model.Runtime().Index] = true
		}
	}
}

// steps looks at the steps of the instances of g from u: all but those that exchanges within
// cells that keep u map to others. It reports whether one leads to another state, or errs.
func (k *annotatedCheck) steps(g *familyGroup, u model.State, cells model.Cells) (moves bool, err error) {
	m := k.p.Model
	var like model.Cells // of the values of a cell, those that are alike in u; nil until it is needed
	seen := make(map[string]bool)
	next := make(model.State, len(u))
	for _, ch := range g.instances {
		if like != nil && seen[k.pattern(ch, like)] {
			continue
		}
		to, prop := k.fire(u, ch, next)
		switch {
		case prop >= 0:
			k.shown[prop], moves = true, true
			continue
		case !to || slices.Equal(next, u):
			continue
		}
		moves = true
		if like == nil {
			like = model.NewCells(m, func(c, v, w int) bool { return cells[c][v] == cells[c][w] && k.alike(u, c, []int{v, w}) })
		}
		seen[k.pattern(ch, like)] = true
		if err := k.inside(next, cells); err != nil {
			return moves, err
		}
	}
	return moves, nil
}

// fire fires an instance in u and notes the covers that it hits. If it leads to a state, to is
// set, and that is in next. If it errs, prop is the property that is violated, else -1.
func (k *annotatedCheck) fire(u model.State, ch model.Choice, next model.State) (to bool, prop int) {
	w := k.w.Fire(u, k.p.Model.Rules[ch.Rule], ch.Params)
	if w.TooLong {
		t, enabled, v := k.m.Fire(u, ch)
		k.hits(k.m.Hit)
		if v != nil {
			return false, v.Prop
		}
		copy(next, t)
		return enabled, -1
	}
	if w.Prop >= 0 || w.Holds {
		for _, prop := range w.Hits {
			k.shown[prop] = true
		}
	}
	copy(next, u)
	for _, i := range w.Writes {
		next[i] = k.w.Value(i)
	}
	return w.Holds, w.Prop
}

// pattern names an instance up to exchanges of values that are alike: two instances of a rule are images
// of each other if they name values that are alike, the same ones at the same places.
func (k *annotatedCheck) pattern(ch model.Choice, like model.Cells) string {
	params := k.p.Model.Rules[ch.Rule].Params
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

// divide calls yield for states u such that the images of all u within r are those of s within
// cells: for each way to give the values of a cell to the parts that r makes of it, up to
// exchanges that keep s.
func (k *annotatedCheck) divide(s model.State, cells, r model.Cells, yield func(u model.State) bool) {
	if cells.Equal(r) {
		yield(s)
		return
	}
	m := k.p.Model
	type value struct {
		class, v int
		parts    []*cellPart // where it may go
		alike    int         // the position of an earlier value that is alike, or -1
	}
	var values []value
	for c := range cells {
		for _, b := range (model.Cells{cells[c]}).Blocks()[0] {
			var parts []*cellPart
			for _, v := range b {
				at := slices.IndexFunc(parts, func(x *cellPart) bool { return x.number == r[c][v] })
				if at < 0 {
					at = len(parts)
					parts = append(parts, &cellPart{number: r[c][v]})
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
				at := slices.IndexFunc(first, func(i int) bool { return k.alike(s, c, []int{values[i].v, v}) })
				if at < 0 {
					first, last = append(first, len(values)), append(last, len(values))
				} else {
					x.alike, last[at] = last[at], len(values)
				}
				values = append(values, x)
			}
		}
	}
	perm := transposition(m, 0, 0, 0)
	to := make([]int, len(values)) // by position: the part, among those where it may go
	u := make(model.State, len(s))
	var give func(i int) bool
	give = func(i int) bool {
		if i == len(values) {
			k.p.Program.ApplyPerm(perm, s, u)
			return yield(u)
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
