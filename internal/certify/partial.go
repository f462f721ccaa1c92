package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/gophersat"
	"orbitmc/ts"
)

// This file verifies partial symmetry (model.Partial) on circuits. The inputs of the system are
// made constants that choose an instance b. What remains are functions of the latches: the
// next state under b, and what is bad about the step. For a permutation p of values
//
//	next_{p(b)}(p(x)) = p(next_b(x)),  bad_{p(b)}(p(x)) = bad_b(x)
//
// is to hold where W does. Normal forms show it, or a SAT query.
//
// Not all p in <Q> and b in the family F are looked at. F is divided into orbits of <Q>. For one
// instance a of each orbit the claim is verified for exchanges and rotations that generate the
// permutations in <Q> that keep the values of a, and for each other instance b for one g_b in <Q> with
// g_b(a) = b. For any p in <Q> and b, p g_b = g_{p(b)} h, where h keeps a. So the claim
// holds for p and b, since it holds for g_b, h and g_{p(b)}.

// partial verifies the partial symmetry of one encoding.
type partial struct {
	ctx   context.Context
	enc   *encode.Encoding
	g     *aig.Graph // functions of the latches, for all instances
	sys   *ts.System // over g: latches, without steps
	ls    *leaves
	steps map[string]*instanceStep
	bads  []aig.Lit    // those that depend on latches only, in g, or constant false
	mixed map[int]bool // properties with bads that depend on the choice in the frame of the bad
	forms *forms
	w     aig.Lit
	types [][]string // by class and value: see typesOf

	// stabiliser returns generators of the permutations of a group that keep an instance. A test
	// replaces it.
	stabiliser func(m *model.Model, of model.Kept, a model.Choice) []model.ScalarPerm
}

// instanceStep is what an instance does.
type instanceStep struct {
	next, bads []aig.Lit
}

// errSlots says that elements of multisets are chosen by inputs of their own.
var errSlots = errors.New("models with multisets are not supported")

// Beyond so many instances, or nodes of their functions, partial symmetry is not verified.
const (
	mostInstances = 1 << 14
	mostNodes     = 1 << 24
)

// stepsPerNode is how many steps of package pace it takes to copy a node.
const stepsPerNode = 2

var errLarge = errors.New("there are too many rule instances")

// newPartial prepares for the instances of all families.
func newPartial(ctx context.Context, enc *encode.Encoding, families []model.Family) (*partial, error) {
	m := enc.Model
	for _, t := range m.Scalarsets {
		if t.Slots {
			return nil, errSlots
		}
	}
	k := &partial{ctx: ctx, enc: enc, g: aig.NewPlain(), steps: make(map[string]*instanceStep), mixed: make(map[int]bool), types: typesOf(m), stabiliser: stabiliser}
	sys := enc.Sys
	k.sys = &ts.System{G: k.g}
	var latches []aig.Lit
	for _, l := range sys.Latches {
		in := k.g.Input()
		latches = append(latches, in)
		k.sys.Latches = append(k.sys.Latches, ts.Latch{Name: l.Name, Node: in.Node(), Next: in})
	}
	if len(sys.Constraints) > 0 {
		return nil, errors.New("the encoding has constraints")
	}
	input := lists.SetOf(slices.Concat(sys.Inputs, sys.Init), func(s ts.Signal) int { return s.Node })
	limit := pace.LimitOf(ctx)
	free := make([]bool, len(sys.Bads)) // of inputs
	for i, b := range sys.Bads {
		free[i] = b.Delay == 0 && !slices.ContainsFunc(sys.G.Support([]aig.Lit{b.Lit}), func(n int) bool { return input[n] })
	}
	fixed := func(set []bool) *aig.Copier {
		c := aig.NewCopier(k.g, sys.G)
		for i, l := range sys.Latches {
			c.Set(l.Node, latches[i])
		}
		for i, s := range sys.Inputs {
			c.Set(s.Node, aig.False.NotIf(set != nil && set[i]))
		}
		for _, s := range sys.Init {
			c.Set(s.Node, aig.False)
		}
		return c
	}
	plain := fixed(nil)
	var roots []aig.Lit
	k.w = plain.Copy(sys.W)
	roots = append(roots, k.w)
	for i, b := range sys.Bads {
		l := aig.False
		if free[i] {
			l = plain.Copy(b.Lit)
		}
		k.bads = append(k.bads, l)
		roots = append(roots, l)
	}
	for _, f := range families {
		n := uint64(1)
		for _, q := range m.Rules[f.Rule].Params {
			if q.Domain.Size() > mostInstances/n {
				return nil, errLarge
			}
			n *= q.Domain.Size()
		}
		for _, ch := range f.Instances(m) {
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case len(k.steps) == mostInstances || k.g.Len() > mostNodes:
				return nil, errLarge
			}
			limit.Spend(int64(sys.G.Len()) * stepsPerNode)
			c := fixed(enc.EncodeChoice(ch))
			s := &instanceStep{}
			for _, l := range sys.Latches {
				s.next = append(s.next, c.Copy(l.Next))
			}
			for i, b := range sys.Bads {
				if free[i] {
					continue
				}
				bad := c.Copy(b.Lit)
				s.bads = append(s.bads, bad)
				if b.Delay == 0 && bad != aig.False {
					k.mixed[b.Prop] = true
				}
			}
			roots = append(append(roots, s.next...), s.bads...)
			k.steps[instanceKey(ch)] = s
		}
	}
	k.sys.W = k.w
	k.ls = newLeaves(k.sys)
	k.forms = newForms(k.g, roots, len(latches))
	return k, nil
}

func instanceKey(ch model.Choice) string { return fmt.Sprint(ch.Rule, ch.Params) }

// image is the functions of g at p(x).
func (pa *partial) image(p *ts.Perm) *formView {
	from := p.Inverse().Latch
	return pa.forms.view(func(node int) int32 { return int32(from[pa.ls.latch[node]]) + 2 })
}

// equal reports whether a(x) = b(p(x)) where W holds.
func (pa *partial) equal(plain, image *formView, p *ts.Perm, a, b aig.Lit) (bool, error) {
	if a == b && (a == aig.False || a == aig.True) || plain.form(a) == image.form(b) {
		return true, nil
	}
	q := newPath(newFormula(), pa.sys, pa.ls, true, 1)
	q.add(q.frames[0].lit(pa.w))
	own := &ts.Perm{Latch: p.Latch}
	x, y := q.leafView(ts.Identity(pa.sys)).lit(a), q.leafView(own).lit(b)
	q.add(x, y)
	q.add(x.Not(), y.Not())
	limit := pace.LimitOf(pa.ctx)
	limit.Spend(int64(len(q.Clauses)))
	answer, err := gophersat.Check(pa.ctx, &q.CNF)
	if err != nil {
		return false, err
	}
	limit.Spend(int64(len(answer.Proof)) * int64(q.NumVars))
	return answer.Status == sat.Unsat, nil
}

// step reports whether p maps what the instance a does to what b does.
func (pa *partial) step(p *ts.Perm, a, b model.Choice) (bool, error) {
	x, y := pa.steps[instanceKey(a)], pa.steps[instanceKey(b)]
	if x == nil || y == nil {
		return false, nil
	}
	plain, image := pa.image(ts.Identity(pa.sys)), pa.image(p)
	for i := range x.next {
		to := p.Latch[i]
		if ok, err := pa.equal(plain, image, p, x.next[i], y.next[to>>1].NotIf(to&1 == 1)); !ok {
			return false, err
		}
	}
	for i := range x.bads {
		if ok, err := pa.equal(plain, image, p, x.bads[i], y.bads[i]); !ok {
			return false, err
		}
	}
	return true, nil
}

// permutation returns perm as one of latches and inputs.
func (pa *partial) permutation(perm model.ScalarPerm) *ts.Perm { return pa.enc.Permutation(perm) }

// typesOf returns, by class and value, a text that says which types have the value. Permutations of
// values of a class act only if they map the values of each type to values of that type.
func typesOf(m *model.Model) [][]string {
	keys := lists.Map(m.Scalarsets, func(t *model.Type) []string { return make([]string, t.Card()) })
	seen := make(map[*model.Type]bool)
	note := func(t *model.Type) {
		for _, t := range append([]*model.Type{t}, t.Parts...) {
			if !t.Classed() || seen[t] {
				continue
			}
			seen[t] = true
			for v := range keys[t.Class] {
				x := t.First + int64(v)
				keys[t.Class][v] += fmt.Sprint(t.Lo <= x && x <= t.Hi, " ")
			}
		}
	}
	for _, l := range m.AllLeaves() {
		note(l.Type)
		for _, d := range l.Indices {
			note(d.Type)
		}
	}
	for _, rules := range [][]*model.Rule{m.Rules, m.Starts} {
		for _, r := range rules {
			for _, q := range r.Params {
				note(q.Var.Type)
			}
		}
	}
	return keys
}

// acts reports whether the permutations of a group act on states.
func (pa *partial) acts(of model.Kept) bool {
	return !slices.ContainsFunc(of.Generators(pa.enc.Model), func(perm model.ScalarPerm) bool { return !pa.moves(perm) })
}

// moves reports whether a permutation acts on states.
func (pa *partial) moves(perm model.ScalarPerm) bool {
	for c, images := range perm {
		for v, w := range images {
			if pa.types[c][v] != pa.types[c][w] {
				return false
			}
		}
	}
	return true
}

// keeps reports whether all permutations of a group keep a family.
func (pa *partial) keeps(f *model.Family, of model.Kept) (bool, error) {
	m := pa.enc.Model
	if !pa.acts(of) {
		return false, nil
	}
	all := f.Instances(m)
	generators := of.Generators(m)
	var bases []model.Choice
	for _, b := range all {
		for _, perm := range generators {
			image := pa.enc.Program.PermChoice(perm, b)
			if !f.Has(image) || pa.steps[instanceKey(image)] == nil { // there may be no such instance
				return false, nil
			}
		}
		found := false
		for _, a := range bases {
			g := carry(m, of, a, b)
			if g == nil {
				continue
			}
			found = true
			if ok, err := pa.step(pa.permutation(g), a, b); !ok {
				return false, err
			}
			break
		}
		if !found {
			bases = append(bases, b)
		}
	}
	for _, a := range bases {
		for _, perm := range pa.stabiliser(m, of, a) {
			if ok, err := pa.step(pa.permutation(perm), a, a); !ok {
				return false, err
			}
		}
	}
	return true, nil
}

// stabiliser returns permutations that generate those of a group that keep an instance: exchanges
// of neighbours in cells without the values that it names, and the least rotations of rings of
// which it names no value.
func stabiliser(m *model.Model, of model.Kept, a model.Choice) (perms []model.ScalarPerm) {
	named := make(map[[2]int]bool)
	for i, q := range m.Rules[a.Rule].Params {
		if c, v, ok := q.Var.Type.Element(a.Params[i]); ok {
			named[[2]int{c, int(v)}] = true
		}
	}
	for c, blocks := range of.Cells.Blocks() {
		for _, block := range blocks {
			last := -1
			for _, v := range block {
				if named[[2]int{c, v}] {
					continue
				}
				if last >= 0 {
					perms = append(perms, m.Exchange(c, last, v))
				}
				last = v
			}
		}
	}
	for _, r := range of.Rings {
		if !slices.ContainsFunc(r.Values, func(v int) bool { return named[[2]int{r.Class, v}] }) {
			perms = append(perms, m.Rotation(r, r.Step))
		}
	}
	return perms
}

// carry returns a permutation of a group that maps the parameters of a to those of b; nil if
// there is none.
func carry(m *model.Model, of model.Kept, a, b model.Choice) model.ScalarPerm {
	perm := m.Identity()
	for i, q := range m.Rules[a.Rule].Params {
		c, v, ok := q.Var.Type.Element(a.Params[i])
		d, w, too := q.Var.Type.Element(b.Params[i])
		if ok != too {
			return nil
		}
		if !ok || q.Var.Type.Slots {
			if a.Params[i] != b.Params[i] {
				return nil
			}
			continue
		}
		if c != d {
			return nil
		}
		for _, r := range of.Rings {
			if from, to := slices.Index(r.Values, int(v)), slices.Index(r.Values, int(w)); r.Class == c && from >= 0 && to >= 0 {
				model.Ring{Class: c, Values: r.Values, Step: 1}.Rotate(perm[c], to-from+len(r.Values))
			}
		}
		if of.Cells[c][v] != of.Cells[c][w] {
			continue
		}
		// After what is in perm, exchange where v is and w.
		at := perm[c][v]
		for u, image := range perm[c] {
			switch image {
			case at:
				perm[c][u] = int(w)
			case int(w):
				perm[c][u] = at
			}
		}
	}
	for i, q := range m.Rules[a.Rule].Params {
		if c, v, ok := q.Var.Type.Element(a.Params[i]); ok && !q.Var.Type.Slots {
			if _, w, _ := q.Var.Type.Element(b.Params[i]); perm[c][v] != int(w) {
				return nil
			}
		}
	}
	if !of.Holds(perm) {
		return nil
	}
	return perm
}

// keepsProp reports whether all permutations of a group keep the states that violate a
// property, as far as they do so by themselves.
func (pa *partial) keepsProp(prop int, of model.Kept) (bool, error) {
	if !pa.acts(of) {
		return false, nil
	}
	for _, perm := range of.Generators(pa.enc.Model) {
		if ok, err := pa.mapsProp(prop, perm); !ok {
			return false, err
		}
	}
	return true, nil
}

// mapsProp reports whether a permutation keeps the states that violate a property, as far as they do
// so by themselves.
func (pa *partial) mapsProp(prop int, perm model.ScalarPerm) (bool, error) {
	p := pa.permutation(perm)
	plain, image := pa.image(ts.Identity(pa.sys)), pa.image(p)
	for _, b := range pa.enc.PropBads[prop] {
		if ok, err := pa.equal(plain, image, p, pa.bads[b], pa.bads[b]); !ok {
			return false, err
		}
	}
	return true, nil
}

// wellFormed checks that permutations of values keep W. Those of properties are to keep it, too: a permutation is
// verified where W holds, so only then do permutations compose.
func (pa *partial) wellFormed(of *model.Partial) error {
	m := pa.enc.Model
	cells := model.SingleCells(m)
	var perms []model.ScalarPerm
	add := func(g model.Kept) {
		cells = cells.Join(m, g.Cells)
		for _, r := range g.Rings {
			perms = append(perms, m.Rotation(r, r.Step))
		}
	}
	for _, f := range of.Families {
		add(f.Kept)
	}
	for _, g := range of.Props {
		add(g)
	}
	all := model.Kept{Cells: cells}
	slices.SortFunc(perms, func(p, q model.ScalarPerm) int { return slices.CompareFunc(p, q, slices.Compare[[]int]) })
	perms = slices.CompactFunc(perms, func(p, q model.ScalarPerm) bool { return slices.EqualFunc(p, q, slices.Equal[[]int]) })
	for _, perm := range append(all.Generators(m), perms...) {
		if ok, err := pa.keepsWellFormed(perm); !ok {
			return cmp.Or(err, errors.New("a permutation of values does not keep well-formed states"))
		}
	}
	return nil
}

// keepsWellFormed reports whether a permutation acts on states and keeps W.
func (pa *partial) keepsWellFormed(perm model.ScalarPerm) (bool, error) {
	if !pa.moves(perm) {
		return false, nil
	}
	p := pa.permutation(perm)
	return pa.equal(pa.image(ts.Identity(pa.sys)), pa.image(p), p, pa.w, pa.w)
}

// checkPartial checks partial symmetry as it is claimed.
func checkPartial(ctx context.Context, enc *encode.Encoding, claim *model.Partial) error {
	m := enc.Model
	k, err := newPartial(ctx, enc, claim.Families)
	if err != nil {
		return err
	}
	if err := k.wellFormed(claim); err != nil {
		return err
	}
	if len(k.mixed) > 0 && !claim.Guards {
		return errors.New("errors in guards are not looked at")
	}
	meet := model.Kept{Cells: model.WholeCells(m)}
	for i := range claim.Families {
		f := &claim.Families[i]
		ok, err := k.keeps(f, f.Kept)
		if err == nil && !ok {
			err = fmt.Errorf("rule %q at %v does not keep the permutations that it is said to keep", m.Rules[f.Rule].Name, m.Rules[f.Rule].Pos)
		}
		if err != nil {
			return err
		}
		meet = meet.Meet(m, f.Kept)
	}
	for prop, q := range m.Props {
		ok, err := k.keepsProp(prop, claim.Props[prop])
		if err == nil && (!ok || (q.Kind == model.Deadlock || k.mixed[prop]) && !claim.Props[prop].Within(m, meet)) {
			err = fmt.Errorf("%v %q does not keep the permutations that it is said to keep", q.Kind, q.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
