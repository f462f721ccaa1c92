package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
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
// instance a of each orbit the claim is verified for exchanges that generate the
// permutations in <Q> that keep the values of a, and for each other instance b for one g_b in <Q> with
// g_b(a) = b. For any p in <Q> and b, p g_b = g_{p(b)} h, where h keeps a. So the claim
// holds for p and b, since it holds for g_b, h and g_{p(b)}.

// partial verifies the partial symmetry of one encoding.
type partial struct {
	ctx     context.Context
	enc     *encode.Encoding
	g       *aig.Graph // functions of the latches, for all instances
	sys     *ts.System // over g: latches, without steps
	ls      *leaves
	steps   map[string]*instanceStep
	bads    []aig.Lit    // those that depend on latches only, in g, or constant false
	mixed   map[int]bool // properties with bads that depend on the choice in the frame of the bad
	forms   *forms
	w       aig.Lit
	types   [][]string // by class and value: see typesOf
	queries int

	// stabiliser returns the exchanges that generate the permutations within cells that keep an
	// instance. A test replaces it.
	stabiliser func(m *model.Model, cells model.Cells, a model.Choice) []model.ScalarPerm
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
	input := make(map[int]bool)
	for _, s := range slices.Concat(sys.Inputs, sys.Init) {
		input[s.Node] = true
	}
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
func (k *partial) image(p *ts.Perm) *formView {
	from := p.Inverse().Latch
	return k.forms.view(func(node int) int32 { return int32(from[k.ls.latch[node]]) + 2 })
}

// equal reports whether a(x) = b(p(x)) where W holds.
func (k *partial) equal(plain, image *formView, p *ts.Perm, a, b aig.Lit) (bool, error) {
	if a == b && (a == aig.False || a == aig.True) || plain.form(a) == image.form(b) {
		return true, nil
	}
	q := newPath(newFormula(), k.sys, k.ls, true, 1)
	q.add(q.frames[0].lit(k.w))
	own := &ts.Perm{Latch: p.Latch}
	x, y := q.leafView(ts.Identity(k.sys)).lit(a), q.leafView(own).lit(b)
	q.add(x, y)
	q.add(x.Not(), y.Not())
	k.queries++
	answer, err := gophersat.Check(k.ctx, &q.CNF)
	if err != nil {
		return false, err
	}
	return answer.Status == sat.Unsat, nil
}

// step reports whether p maps what the instance a does to what b does.
func (k *partial) step(p *ts.Perm, a, b model.Choice) (bool, error) {
	x, y := k.steps[instanceKey(a)], k.steps[instanceKey(b)]
	if x == nil || y == nil {
		return false, nil
	}
	plain, image := k.image(ts.Identity(k.sys)), k.image(p)
	for i := range x.next {
		to := p.Latch[i]
		if ok, err := k.equal(plain, image, p, x.next[i], y.next[to>>1].NotIf(to&1 == 1)); !ok {
			return false, err
		}
	}
	for i := range x.bads {
		if ok, err := k.equal(plain, image, p, x.bads[i], y.bads[i]); !ok {
			return false, err
		}
	}
	return true, nil
}

// permutation returns perm as one of latches and inputs.
func (k *partial) permutation(perm model.ScalarPerm) *ts.Perm { return k.enc.Permutation(perm) }

// transposition returns the permutation that exchanges two values of a class, or the identity if
// they are one.
func transposition(m *model.Model, class, v, w int) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		if !t.Slots {
			perm[c] = make([]int, t.Card())
			for i := range perm[c] {
				perm[c][i] = i
			}
		}
	}
	if v != w {
		perm[class][v], perm[class][w] = w, v
	}
	return perm
}

// typesOf returns, by class and value, a text that says which types have the value. Permutations of
// values of a class act only if they map the values of each type to values of that type.
func typesOf(m *model.Model) [][]string {
	keys := make([][]string, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		keys[c] = make([]string, t.Card())
	}
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

// acts reports whether permutations within cells act on states.
func (k *partial) acts(cells model.Cells) bool {
	for c, blocks := range cells.Blocks() {
		for _, b := range blocks {
			for _, v := range b {
				if k.types[c][v] != k.types[c][b[0]] {
					return false
				}
			}
		}
	}
	return true
}

// keeps reports whether all permutations within cells keep a family.
func (k *partial) keeps(f *model.Family, cells model.Cells) (bool, error) {
	m := k.enc.Model
	if !k.acts(cells) {
		return false, nil
	}
	all := f.Instances(m)
	var bases []model.Choice
	for _, b := range all {
		for c, blocks := range cells.Blocks() {
			for _, block := range blocks {
				for i := 1; i < len(block); i++ {
					image := k.enc.Program.PermChoice(transposition(m, c, block[i-1], block[i]), b)
					if !f.Has(image) || k.steps[instanceKey(image)] == nil { // there may be no such instance
						return false, nil
					}
				}
			}
		}
		found := false
		for _, a := range bases {
			g := carry(m, cells, a, b)
			if g == nil {
				continue
			}
			found = true
			if ok, err := k.step(k.permutation(g), a, b); !ok {
				return false, err
			}
			break
		}
		if !found {
			bases = append(bases, b)
		}
	}
	for _, a := range bases {
		for _, perm := range k.stabiliser(m, cells, a) {
			if ok, err := k.step(k.permutation(perm), a, a); !ok {
				return false, err
			}
		}
	}
	return true, nil
}

// stabiliser returns exchanges that generate the permutations within cells that keep an instance:
// those of neighbours in cells without the values that it names.
func stabiliser(m *model.Model, cells model.Cells, a model.Choice) (perms []model.ScalarPerm) {
	named := make(map[[2]int]bool)
	for i, q := range m.Rules[a.Rule].Params {
		if c, v, ok := q.Var.Type.Element(a.Params[i]); ok {
			named[[2]int{c, int(v)}] = true
		}
	}
	for c, blocks := range cells.Blocks() {
		for _, block := range blocks {
			last := -1
			for _, v := range block {
				if named[[2]int{c, v}] {
					continue
				}
				if last >= 0 {
					perms = append(perms, transposition(m, c, last, v))
				}
				last = v
			}
		}
	}
	return perms
}

// carry returns a permutation within cells that maps the parameters of a to those of b; nil if
// there is none.
func carry(m *model.Model, cells model.Cells, a, b model.Choice) model.ScalarPerm {
	perm := transposition(m, 0, 0, 0)
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
		if c != d || cells[c][v] != cells[c][w] {
			return nil
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
	if !cells.Holds(perm) {
		return nil
	}
	return perm
}

// keepsProp reports whether all permutations within cells keep the states that violate a
// property, as far as they do so by themselves.
func (k *partial) keepsProp(prop int, cells model.Cells) (bool, error) {
	m := k.enc.Model
	if !k.acts(cells) {
		return false, nil
	}
	plain := k.image(ts.Identity(k.sys))
	for c, blocks := range cells.Blocks() {
		for _, block := range blocks {
			for i := 1; i < len(block); i++ {
				p := k.permutation(transposition(m, c, block[i-1], block[i]))
				image := k.image(p)
				for _, b := range k.enc.PropBads[prop] {
					if ok, err := k.equal(plain, image, p, k.bads[b], k.bads[b]); !ok {
						return false, err
					}
				}
			}
		}
	}
	return true, nil
}

// mostPairs is how many exchanges of instances are tried where not all that was proposed holds.
const mostPairs = 1 << 14

// refined returns the coarsest cells within those proposed such that exchanges within them pass,
// or single ones if that takes too many exchanges.
func (k *partial) refined(proposed model.Cells, cost int, passes func(perm model.ScalarPerm) (bool, error)) (model.Cells, error) {
	m := k.enc.Model
	pairs := 0
	for _, blocks := range proposed.Blocks() {
		for _, b := range blocks {
			pairs += len(b) * (len(b) - 1) / 2
		}
	}
	if pairs*cost > mostPairs {
		return model.SingleCells(m), nil
	}
	var failed error
	cells := model.NewCells(m, func(c, v, w int) bool {
		if failed != nil || proposed[c][v] != proposed[c][w] || k.types[c][v] != k.types[c][w] {
			return false
		}
		ok, err := passes(transposition(m, c, v, w))
		if err != nil {
			failed = err
		}
		return ok
	})
	return cells, failed
}

// wellFormed checks that exchanges of values keep W. Those of properties are to keep it, too: an exchange is
// verified where W holds, so only then do exchanges compose.
func (k *partial) wellFormed(of *model.Partial) error {
	m := k.enc.Model
	cells := model.SingleCells(m)
	for _, f := range of.Families {
		cells = cells.Join(m, f.Cells)
	}
	for _, c := range of.Props {
		cells = cells.Join(m, c)
	}
	if !k.acts(cells) {
		return errors.New("a range has some values of a cell")
	}
	plain := k.image(ts.Identity(k.sys))
	for c, blocks := range cells.Blocks() {
		for _, b := range blocks {
			for i := 1; i < len(b); i++ {
				p := k.permutation(transposition(m, c, b[i-1], b[i]))
				if ok, err := k.equal(plain, k.image(p), p, k.w, k.w); !ok {
					return cmp.Or(err, errors.New("an exchange of values does not keep well-formed states"))
				}
			}
		}
	}
	return nil
}

// Partial returns what circuits show of a proposal: the same families with cells that are
// within those proposed.
func Partial(ctx context.Context, enc *encode.Encoding, proposal *model.Partial) (*model.Partial, error) {
	k, err := newPartial(ctx, enc, proposal.Families)
	if err != nil {
		return nil, err
	}
	m := enc.Model
	if err := k.wellFormed(proposal); err != nil {
		return nil, err
	}
	out := &model.Partial{Guards: len(k.mixed) > 0}
	meet := model.WholeCells(m)
	join := model.SingleCells(m)
	for _, f := range proposal.Families {
		join = join.Join(m, f.Cells)
	}
	all := make(map[int]bool) // rules that keep all, though their text suggests less
	for _, f := range proposal.Families {
		if all[f.Rule] {
			continue
		}
		if whole := (model.Family{Rule: f.Rule, Cells: join}); !join.Within(f.Cells) {
			ok, err := k.keeps(&whole, join)
			if err != nil {
				return nil, err
			}
			if all[f.Rule] = ok; ok {
				out.Families = slices.DeleteFunc(out.Families, func(g model.Family) bool { return g.Rule == f.Rule })
				out.Families = append(out.Families, whole)
				continue
			}
		}
		ok, err := k.keeps(&f, f.Cells)
		if err != nil {
			return nil, err
		}
		if !ok {
			all := f.Instances(m)
			f.Cells, err = k.refined(f.Cells, len(all), func(perm model.ScalarPerm) (bool, error) {
				for _, a := range all {
					b := enc.Program.PermChoice(perm, a)
					if !f.Has(b) {
						return false, nil
					}
					if ok, err := k.step(k.permutation(perm), a, b); !ok {
						return false, err
					}
				}
				return true, nil
			})
			if err != nil {
				return nil, err
			}
		}
		out.Families = append(out.Families, f)
		meet = meet.Meet(m, f.Cells)
	}
	for prop, q := range m.Props {
		cells := proposal.Props[prop]
		if q.Kind == model.Deadlock || k.mixed[prop] {
			cells = cells.Meet(m, meet)
		}
		ok, err := k.keepsProp(prop, cells)
		if err == nil && !ok {
			cells, err = k.refined(cells, 1, func(perm model.ScalarPerm) (bool, error) {
				p := k.permutation(perm)
				plain, image := k.image(ts.Identity(k.sys)), k.image(p)
				for _, b := range enc.PropBads[prop] {
					if ok, err := k.equal(plain, image, p, k.bads[b], k.bads[b]); !ok {
						return false, err
					}
				}
				return true, nil
			})
		}
		if err != nil {
			return nil, err
		}
		out.Props = append(out.Props, cells)
	}
	return out, nil
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
	meet := model.WholeCells(m)
	for i := range claim.Families {
		f := &claim.Families[i]
		ok, err := k.keeps(f, f.Cells)
		if err == nil && !ok {
			err = fmt.Errorf("rule %q at %v is not symmetric under its cells", m.Rules[f.Rule].Name, m.Rules[f.Rule].Pos)
		}
		if err != nil {
			return err
		}
		meet = meet.Meet(m, f.Cells)
	}
	for prop, q := range m.Props {
		ok, err := k.keepsProp(prop, claim.Props[prop])
		if err == nil && (!ok || (q.Kind == model.Deadlock || k.mixed[prop]) && !claim.Props[prop].Within(meet)) {
			err = fmt.Errorf("%v %q is not symmetric under its cells", q.Kind, q.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
