package detect

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/detect/verify"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file tries the symmetries a model declares: its scalarsets (Ip and Dill,
// Better verification through symmetry, 1996), and what was inferred of its ranges
// and enums, see infer.go.
//
// Murphi's rules make every permutation of a scalarset a symmetry, were it not
// for what the tools let pass: loops whose order matters, above all. So each
// transposition of neighbours is checked. Where all pass the class is fully
// symmetric. Otherwise others are tried: "the transposition (i j) is an
// automorphism" is an equivalence on the elements, since (i k) = (i j)(j k)(i j),
// so only pairs across the classes found so far are; those classes are the
// blocks. The stabiliser of a property is found inside the blocks in the same way.

// Declared checks the symmetries declared by the scalarsets of m, and those of
// Options.Inferred, against the system sys made from m. propBads holds, by property of m, its bads. The error
// is that of ctx, or says that src or opt is broken.
func Declared(ctx context.Context, m *model.Model, src Source, sys *ts.System, propBads [][]int, opt Options) (*Report, error) {
	begin := time.Now()
	how, err := opt.verify().WithDefaults()
	if err != nil {
		return nil, err
	}
	opt.Budget = how.Budget
	d := &declared{
		m: m, src: src, sys: sys, propBads: propBads, opt: opt,
		v: verify.New(sys, conditions(opt.Instances)), candidates: make(map[swap]*candidate), rotations: make(map[string]*candidate), report: &Report{},
	}
	r := d.report
	r.System, r.Common = &ts.Symmetry{}, &ts.Symmetry{}
	for range propBads {
		r.ByProp = append(r.ByProp, &ts.Symmetry{})
	}
	for class, t := range m.Scalarsets {
		var values, rings [][]int
		switch {
		case t.Slots && opt.NoSlots:
		case t.Alike:
			c, _ := opt.Inferred.of(t)
			values, rings = c.Values, c.Rings
		default:
			all := make([]int, t.Card())
			for i := range all {
				all[i] = i
			}
			values = [][]int{all}
		}
		for _, elems := range values {
			if t.Alike { // types of locals need move nothing
				c, err := d.candidate(swap{class, elems[0], elems[1]})
				if err != nil {
					return nil, err
				}
				if c.perm.IsIdentity() {
					continue
				}
			}
			if err := d.values(ctx, class, elems); err != nil {
				return nil, err
			}
		}
		for _, ring := range rings {
			if err := d.ring(ctx, class, ring); err != nil {
				return nil, err
			}
		}
	}
	if opt.Choosing != nil {
		if r.Missing, err = d.missing(ctx); err != nil {
			return nil, err
		}
	}
	r.Time = time.Since(begin)
	return r, nil
}

// values adds the blocks of some values of a class to the groups of the report.
func (d *declared) values(ctx context.Context, class int, elems []int) error {
	system, err := d.partition(class, elems, func(c *candidate) (bool, error) { return d.check(ctx, c, -1) })
	if err != nil {
		return err
	}
	if err := d.add(d.report.System, system); err != nil {
		return err
	}
	parts := []*partition{system}
	common := &partition{class: class, blocks: system.blocks}
	for p, y := range d.report.ByProp {
		for _, block := range system.blocks {
			part, err := d.partition(class, block, func(c *candidate) (bool, error) {
				if err := d.derive(system, *c.swap); err != nil {
					return false, err
				}
				return d.check(ctx, c, p)
			})
			if err != nil {
				return err
			}
			if err := d.add(y, part); err != nil {
				return err
			}
			parts = append(parts, part)
			common.blocks = refine(common.blocks, part.blocks)
		}
	}
	for _, s := range common.neighbours() {
		for _, p := range parts {
			if slices.ContainsFunc(p.blocks, func(b []int) bool { return slices.Contains(b, s.i) }) {
				if err := d.derive(p, s); err != nil {
					return err
				}
			}
		}
	}
	return d.add(d.report.Common, common)
}

// maxSearches bounds how often all sampled states are searched for a reachable
// witness of what SAT refuted; later ones may be unreachable.
const maxSearches = 8

// declared is one run of Declared.
type declared struct {
	m        *model.Model
	src      Source
	sys      *ts.System
	propBads [][]int
	opt      Options

	v          *verify.Verifier
	candidates map[swap]*candidate
	rotations  map[string]*candidate
	world      *world          // nil until a witness is looked for
	prover     *verify.Decider // nil until a proof is
	searches   int             // for a reachable witness of what is refuted already
	report     *Report
}

// swap names the transposition of values i < j of a scalarset class.
type swap struct{ class, i, j int }

// candidate is a permutation of values of one class under check.
type candidate struct {
	motion
	perm          *ts.Perm
	system, props []verify.Difference
}

// motion is what a candidate does to the states of the interpreter.
type motion struct {
	swap  *swap            // if that is what it is
	class int              // of the values it moves
	perm  model.ScalarPerm // nothing for slots: states hold them in one order
	back  model.ScalarPerm // the inverse
}

// motion returns the motion that maps value v of a class to images[v].
func (d *declared) motion(class int, images []int) motion {
	mo := motion{class: class, perm: make(model.ScalarPerm, len(d.m.Scalarsets)), back: make(model.ScalarPerm, len(d.m.Scalarsets))}
	if !d.m.Scalarsets[class].Slots {
		mo.perm[class], mo.back[class] = images, make([]int, len(images))
		for v, w := range images {
			mo.back[class][w] = v
		}
	}
	return mo
}

// identity returns the images of the values of a class when nothing moves.
func (d *declared) identity(class int) []int {
	images := make([]int, d.m.Scalarsets[class].Card())
	for v := range images {
		images[v] = v
	}
	return images
}

// candidate returns the candidate that exchanges two values.
func (d *declared) candidate(s swap) (*candidate, error) {
	if c, ok := d.candidates[s]; ok {
		return c, nil
	}
	images := d.identity(s.class)
	images[s.i], images[s.j] = s.j, s.i
	c := &candidate{motion: d.motion(s.class, images), perm: d.src.Transposition(s.class, s.i, s.j)}
	c.swap = &s
	d.candidates[s] = c
	return c, d.compare(c)
}

// compare fills in where the functions of the system and their images differ.
func (d *declared) compare(c *candidate) error {
	if err := c.perm.Check(d.sys); err != nil {
		return fmt.Errorf("detect: %w", err)
	}
	pairs := make(map[int][][2]aig.Lit)
	for prop := range d.opt.Instances {
		pairs[prop] = d.pairs(c.motion, prop)
	}
	c.system, c.props = d.v.Compare(c.perm, pairs)
	return nil
}

// pairs pairs the instances of a property with those that mo maps them to.
func (d *declared) pairs(mo motion, prop int) (pairs [][2]aig.Lit) {
	instances := d.opt.Instances[prop]
	for _, inst := range instances {
		image := mo.instance(d.m.Props[prop], inst.Values)
		to := slices.IndexFunc(instances, func(i Instance) bool { return slices.Equal(i.Values, image) })
		if to < 0 {
			pairs = append(pairs, [2]aig.Lit{aig.False, aig.True}) // it is none: not kept
			continue
		}
		pairs = append(pairs, [2]aig.Lit{inst.Holds, instances[to].Holds})
	}
	return pairs
}

// count returns how many instances a property has.
func count(p *model.Property) uint64 {
	n := uint64(1)
	for _, q := range p.Params {
		n *= q.Domain.Size()
	}
	return n
}

// instance returns what mo maps an instance of a property to.
func (mo motion) instance(p *model.Property, values []int64) []int64 {
	image := slices.Clone(values)
	for k, v := range values {
		if class, w, ok := p.Params[k].Var.Type.Element(v); ok && mo.perm[class] != nil {
			image[k] += int64(mo.perm[class][w]) - w
		}
	}
	return image
}

// partition divides values of a scalarset class into blocks.
type partition struct {
	class  int
	blocks [][]int       // ascending
	passed map[swap]bool // the transpositions that passed the check; they connect the blocks
}

// partition divides elems, ascending, into the blocks that the transpositions
// which pass the check connect.
func (d *declared) partition(class int, elems []int, check func(c *candidate) (bool, error)) (*partition, error) {
	p := &partition{class: class, passed: make(map[swap]bool)}
	block := make(map[int]int) // by element: the least of its block, as far as known
	for _, e := range elems {
		block[e] = e
	}
	apart := make(map[[2]int]bool) // pairs that failed
	try := func(i, j int) error {
		a, b := block[i], block[j]
		if a == b {
			return nil
		}
		for pair := range apart {
			if x, y := block[pair[0]], block[pair[1]]; x == a && y == b || x == b && y == a {
				return nil
			}
		}
		c, err := d.candidate(swap{class, i, j})
		if err != nil {
			return err
		}
		ok, err := check(c)
		if err != nil {
			return err
		}
		if !ok {
			apart[[2]int{i, j}] = true
			return nil
		}
		p.passed[*c.swap] = true
		for _, e := range elems {
			if block[e] == a || block[e] == b {
				block[e] = min(a, b)
			}
		}
		return nil
	}
	for k := 1; k < len(elems); k++ {
		if err := try(elems[k-1], elems[k]); err != nil {
			return nil, err
		}
	}
	for k, j := range elems {
		for _, i := range elems[:k] {
			if err := try(i, j); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range elems {
		if block[e] != e {
			continue
		}
		var b []int
		for _, f := range elems {
			if block[f] == e {
				b = append(b, f)
			}
		}
		p.blocks = append(p.blocks, b)
	}
	for _, s := range p.neighbours() {
		if err := d.derive(p, s); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// derive makes sure that s, within a block of p, is in the group of the
// transpositions that passed: that it did so itself, or that the source's
// permutation is the product it should be. Other products are an error.
func (d *declared) derive(p *partition, s swap) error {
	if p.passed[s] {
		return nil
	}
	// Breadth-first search for a chain from s.i to s.j.
	from := map[int]int{s.i: s.i}
	queue := []int{s.i}
	n := int(d.m.Scalarsets[s.class].Card())
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		for f := range n {
			if _, seen := from[f]; !seen && p.passed[swap{s.class, min(e, f), max(e, f)}] {
				from[f] = e
				queue = append(queue, f)
			}
		}
	}
	var product *ts.Perm
	for e := s.j; e != s.i; e = from[e] {
		f, ok := from[e]
		if !ok {
			return fmt.Errorf("detect: internal error: %d and %d are not in one block", s.i, s.j)
		}
		c, err := d.candidate(swap{s.class, min(e, f), max(e, f)})
		if err != nil {
			return err
		}
		if product == nil {
			product = c.perm
		} else {
			product = c.perm.Inverse().Then(product).Then(c.perm)
		}
	}
	c, err := d.candidate(s)
	if err != nil {
		return err
	}
	if !product.Equal(c.perm) {
		return fmt.Errorf("detect: %s is not the product of the transpositions it should be", c.perm.Name)
	}
	p.passed[s] = true
	return nil
}

// refine returns the common refinement, within the elements of part, of a
// partition with part; other blocks stay.
func refine(blocks, part [][]int) [][]int {
	in := make(map[int]int)
	for k, b := range part {
		for _, e := range b {
			in[e] = k + 1
		}
	}
	var out [][]int
	for _, b := range blocks {
		for len(b) > 0 {
			var same, rest []int
			for _, e := range b {
				if in[e] == in[b[0]] {
					same = append(same, e)
				} else {
					rest = append(rest, e)
				}
			}
			out = append(out, same)
			b = rest
		}
	}
	return out
}

// neighbours returns the transpositions of consecutive elements of the blocks.
func (p *partition) neighbours() []swap {
	var all []swap
	for _, b := range p.blocks {
		for k := 1; k < len(b); k++ {
			all = append(all, swap{p.class, b[k-1], b[k]})
		}
	}
	return all
}

// add adds the blocks of p to y.
func (d *declared) add(y *ts.Symmetry, p *partition) error {
	swaps := p.neighbours()
	for _, elems := range p.blocks {
		if len(elems) < 2 {
			continue
		}
		b := ts.Block{Name: className(d.m, p.class), Class: p.class, Elems: elems}
		for _, s := range swaps[:len(elems)-1] {
			c, err := d.candidate(s)
			if err != nil {
				return err
			}
			b.Swaps = append(b.Swaps, c.perm)
		}
		swaps = swaps[len(b.Swaps):]
		y.Blocks = append(y.Blocks, b)
	}
	return nil
}

// className names a class; that of slots by the multiset they are of.
func className(m *model.Model, class int) string {
	t := m.Scalarsets[class]
	if !t.Slots {
		return t.String()
	}
	var find func(*model.Type) *model.Type
	find = func(u *model.Type) *model.Type {
		switch u.Kind {
		case model.Multiset:
			if u.Index == t {
				return u
			}
			return find(u.Elem)
		case model.Array:
			return find(u.Elem)
		case model.Record:
			for _, f := range u.Fields {
				if s := find(f.Type); s != nil {
					return s
				}
			}
		}
		return nil
	}
	for _, v := range m.Vars {
		if u := find(v.Type); u != nil {
			return "slots of " + u.String()
		}
	}
	return "slots"
}

// check decides whether c keeps the system, if prop is -1, or the bads of a
// property, and records the outcome.
func (d *declared) check(ctx context.Context, c *candidate, prop int) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	r := d.report
	r.Tried++
	ds := c.system
	if prop < 0 {
		r.Functions += 2*len(d.sys.Latches) + 2
	} else {
		if q := d.m.Props[prop]; q.Kind == model.Liveness && uint64(len(d.opt.Instances[prop])) != count(q) {
			r.refute(d.undecided(c, prop, "whether it holds in a state"))
			return false, nil
		}
		ds = nil
		r.Functions += len(d.propBads[prop]) + len(d.opt.Instances[prop])
		for _, diff := range c.props {
			if diff.Part == verify.Bad && slices.Contains(d.propBads[prop], diff.Index) || diff.Part == verify.Condition && diff.Index == prop {
				ds = append(ds, diff)
			}
		}
	}
	if len(ds) == 0 {
		r.VerifiedStructurally++
		return true, nil
	}
	if d.world == nil {
		d.world = newWorld(d.m, d.opt.Seed)
	}
	// The states near the start first: most asymmetries show there.
	if w, err := d.world.reachable(ctx, c.motion, prop, fewStates, nil); err != nil {
		return false, err
	} else if w != nil {
		r.refute(d.explain(c, prop, "", w))
		return false, nil
	}
	if d.prover == nil {
		d.prover = d.decider(d.v)
	}
	if d.opt.NewProver != nil {
		r.Queries += len(ds)
	}
	st, at, x := d.prover.Decide(ctx, ds)
	switch {
	case st == sat.Unsat:
		r.VerifiedBySAT++
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	var w *witness
	if d.searches < maxSearches || st != sat.Sat {
		d.searches++
		var err error
		if w, err = d.world.reachable(ctx, c.motion, prop, len(d.world.states), nil); err != nil {
			return false, err
		}
	}
	switch {
	case w != nil:
		r.refute(d.explain(c, prop, "", w))
	case st == sat.Sat:
		r.refute(d.explain(c, prop, d.v.Name(ds[at]), d.witness(c, prop, x)))
	default:
		r.refute(d.undecided(c, prop, d.v.Name(ds[at])))
	}
	return false, nil
}

// conditions returns the conditions of all instances.
func conditions(instances map[int][]Instance) (all []aig.Lit) {
	for _, prop := range slices.Sorted(maps.Keys(instances)) {
		for _, inst := range instances[prop] {
			all = append(all, inst.Holds)
		}
	}
	return all
}

// decider returns a decider for the functions of v.
func (d *declared) decider(v *verify.Verifier) *verify.Decider {
	rng := rand.New(rand.NewPCG(d.opt.Seed, 2))
	return v.Decider(d.opt.verify(), rng, func() verify.Valuation { return d.world.draw(rng, d.src, d.sys) })
}

func (r *Report) refute(why Refutation) {
	r.Refuted++
	r.Refutations = append(r.Refutations, why)
}

// witness reads a counterexample back into the model; nil if the interpreter
// sees no difference.
func (d *declared) witness(c *candidate, prop int, x verify.Valuation) *witness {
	latches, inputs := x[:len(d.sys.Latches)], x[len(d.sys.Latches):][:len(d.sys.Inputs)]
	s, err := d.src.DecodeState(latches)
	if err != nil {
		return nil
	}
	w := &witness{s: s}
	if d.world.differs(c.motion, prop, w) {
		return w
	}
	ch, ok := d.src.DecodeStep(latches, inputs)
	if !ok {
		return nil
	}
	w.ch, w.hasChoice = ch, true
	if d.world.differs(c.motion, prop, w) {
		return w
	}
	return nil
}
