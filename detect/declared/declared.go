// Package declared checks the symmetry that a model declares: its scalarsets (Ip and
// Dill, "Better verification through symmetry", 1996), and the classes that package
// infer added.
//
// Murphi's rules are meant to make every permutation of a scalarset a symmetry. The
// tools do not enforce all of them: a loop whose order matters breaks the symmetry and
// passes. So each permutation is verified.
//
// Transpositions of neighbours are tried first. If all of them pass, the class is fully
// symmetric. Otherwise further ones are tried. "The transposition (i j) is a symmetry" is
// an equivalence on the values, since (i k) = (i j)(j k)(i j); so a pair is tried only
// if its values are not known to be in one class of it. The classes are the blocks of
// the group. The group of a property is found inside the blocks in the same way.
// Values that a model computes with are rotated instead, as a ring.
//
// A permutation that fails is explained by package explain. The interpreter is asked
// before the solver: a state that shows an asymmetry is most often near the start.
//
//	declared.go   what is tried, class by class
//	check.go      one permutation: verified, or refuted with a reason
//	partition.go  blocks of interchangeable values
//	rings.go      rotations
//	missing.go    the transpositions that are in no block, and what breaks them
package declared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orbitmc/detect"
	"orbitmc/detect/explain"
	"orbitmc/detect/infer"
	"orbitmc/detect/verify"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/model"
	"orbitmc/ts"
)

// Source makes permutations of the system of permutations of values.
type Source interface {
	explain.Source
	// Transposition exchanges elements i and j of a class of Model.Scalarsets.
	Transposition(class, i, j int) *ts.Perm
	// Permutation acts in the way of perm.
	Permutation(perm model.ScalarPerm) *ts.Perm
}

// Options say what is tried. The zero value tries the scalarsets, and compares
// structures only.
type Options struct {
	Verify verify.Options // how each permutation is verified
	// Instances are the conditions of the instances of liveness properties, by
	// property. A liveness property without all of them is kept by the identity
	// only.
	Instances map[int][]detect.Instance
	// Inferred says what to try on the classes that infer.Classes added to the model; on
	// those without it, nothing.
	Inferred *infer.Result
	// Strict are quantifiers that the system evaluates to the end: encode.Encoding.Strict.
	Strict model.Strict
	// Choosing asks for the places that break symmetry, see Report.Missing, unless the work has a
	// limit. It says how a rule is chosen.
	Choosing explain.Choosing
	// NoSlots leaves out the slots of multisets, which are of no use to those who
	// keep them sorted.
	NoSlots bool
	// Progress, if not nil, is called before each check with how many were made, and how many
	// there will be unless one is refuted.
	Progress func(done, of int)
}

// Check checks the symmetries declared by the scalarsets of m, and those of
// Options.Inferred, against the system sys made from m. propBads has the bads of each
// property of m. At the limit of ctx (package pace) the report has what was verified until then.
// The error is that of ctx, or says that src or opt is broken.
func Check(ctx context.Context, m *model.Model, src Source, sys *ts.System, propBads [][]int, opt Options) (*detect.Report, error) {
	begin := time.Now()
	var err error
	if opt.Verify, err = opt.Verify.WithDefaults(); err != nil {
		return nil, err
	}
	d := &run{
		m: m, src: src, sys: sys, propBads: propBads, opt: opt,
		v: verify.New(sys, conditions(opt.Instances)), candidates: make(map[detect.Swap]*candidate), rotations: make(map[string]*candidate), report: &detect.Report{},
		limit:   pace.LimitOf(ctx),
		refuter: &explain.Refuter{Model: m, Source: src, System: sys, Strict: opt.Strict, Verify: opt.Verify},
	}
	r := d.report
	r.System, r.Common = &ts.Symmetry{}, &ts.Symmetry{}
	for range propBads {
		r.ByProp = append(r.ByProp, &ts.Symmetry{})
	}
	for class := range m.Scalarsets {
		values, rings := d.proposals(class)
		for _, elems := range values {
			d.checks += (len(elems) - 1) * (1 + len(propBads))
		}
		d.checks += len(rings) * (1 + len(propBads))
	}
	d.progress()
	for class := range m.Scalarsets {
		d.left = false
		if err := d.class(ctx, class); err != nil {
			return nil, err
		}
		if d.left {
			r.Open = append(r.Open, className(m, class))
		}
	}
	if opt.Choosing != nil && d.limit == nil {
		if r.Missing, err = d.missing(ctx); err != nil {
			return nil, err
		}
	}
	r.Time = time.Since(begin)
	return r, nil
}

// progress reports how far the checks are.
func (ru *run) progress() {
	if ru.opt.Progress != nil {
		ru.opt.Progress(ru.report.Tried, max(ru.checks, ru.report.Tried))
	}
}

// class adds what holds of a scalarset class to the groups of the report.
func (ru *run) class(ctx context.Context, class int) error {
	ru.hard = make(map[int]bool)
	values, rings := ru.proposals(class)
	for _, elems := range values {
		if ru.m.Scalarsets[class].Alike { // types of locals need move nothing
			c, err := ru.candidate(detect.Swap{Class: class, I: elems[0], J: elems[1]})
			if err != nil {
				return err
			}
			if c.Perm.IsIdentity() {
				continue
			}
		}
		err := ru.values(ctx, class, elems)
		if e, ok := errors.AsType[*noProduct](err); ok {
			// What was added before is verified on its own. The rest is left out.
			ru.report.Refutations = append(ru.report.Refutations, detect.Refutation{Perm: e.name, Prop: -1, What: "products", Undecided: true,
				Text: fmt.Sprintf("%s is not used: it is not the product of other exchanges that hold", e.name)})
			continue
		}
		if err != nil {
			return err
		}
	}
	for _, ring := range rings {
		if err := ru.ring(ctx, class, ring); err != nil {
			return err
		}
	}
	return nil
}

// proposals returns the sets of values of a class that may be interchangeable, and
// those that may be rotated.
func (ru *run) proposals(class int) (values, rings [][]int) {
	t := ru.m.Scalarsets[class]
	switch {
	case t.Slots && ru.opt.NoSlots:
		return nil, nil
	case t.Alike:
		c, _ := ru.opt.Inferred.Of(t)
		return c.Values, c.Rings
	}
	return [][]int{ru.identity(class)}, nil
}

// values adds the blocks of some values of a class to the groups of the report.
func (ru *run) values(ctx context.Context, class int, elems []int) error {
	system, err := ru.partition(class, elems, func(c *candidate) (bool, error) { return ru.check(ctx, c, -1) })
	if err != nil {
		return err
	}
	if err := ru.add(ru.report.System, system); err != nil {
		return err
	}
	parts := []*partition{system}
	common := &partition{class: class, blocks: system.blocks}
	for p, y := range ru.report.ByProp {
		for _, block := range system.blocks {
			part, err := ru.partition(class, block, func(c *candidate) (bool, error) {
				if err := ru.derive(system, *c.Swap); err != nil {
					return false, err
				}
				return ru.check(ctx, c, p)
			})
			if err != nil {
				return err
			}
			if err := ru.add(y, part); err != nil {
				return err
			}
			parts = append(parts, part)
			common.blocks = refine(common.blocks, part.blocks)
		}
	}
	for _, s := range common.neighbours() {
		for _, p := range parts {
			if slices.ContainsFunc(p.blocks, func(b []int) bool { return slices.Contains(b, s.I) }) {
				if err := ru.derive(p, s); err != nil {
					return err
				}
			}
		}
	}
	return ru.add(ru.report.Common, common)
}

// maxSearches bounds how often all sampled states are searched for a reachable
// witness of what SAT refuted; later ones may be unreachable.
const maxSearches = 8

type run struct {
	m        *model.Model
	src      Source
	sys      *ts.System
	propBads [][]int
	opt      Options

	v          *verify.Verifier
	candidates map[detect.Swap]*candidate
	rotations  map[string]*candidate
	refuter    *explain.Refuter
	decider    *verify.Decider // nil until a proof is looked for
	searches   int             // for a reachable witness of what is refuted already

	// Properties of which the budget did not decide a permutation of the class at hand: as a rule
	// it decides no other one either, and there may be many. They are compared, but not asked for.
	hard map[int]bool

	limit *pace.Limit // nil: none
	left  bool        // something was not tried, as limit is over

	checks int // to be made, if nothing is refuted
	report *detect.Report
}

// over reports whether the limit of the run is over, so that something is not tried.
func (ru *run) over() bool {
	ru.left = ru.left || ru.limit.Over()
	return ru.left
}

// candidate is a permutation of values of one class under check.
type candidate struct {
	explain.Move
	compared      bool
	system, props []verify.Difference // where functions and their images differ in structure
}

// identity returns the images of the values of a class when nothing moves.
func (ru *run) identity(class int) []int {
	return lists.Make(int(ru.m.Scalarsets[class].Card()), func(v int) int { return v })
}

// candidate returns the candidate that exchanges two values.
func (ru *run) candidate(s detect.Swap) (*candidate, error) {
	if c, ok := ru.candidates[s]; ok {
		return c, nil
	}
	images := ru.identity(s.Class)
	images[s.I], images[s.J] = s.J, s.I
	c := &candidate{Move: explain.NewMove(ru.m, s.Class, images, ru.src.Transposition(s.Class, s.I, s.J))}
	c.Swap = &s
	ru.candidates[s] = c
	return c, c.Perm.Check(ru.sys)
}

// add adds the blocks of p to y.
func (ru *run) add(y *ts.Symmetry, p *partition) error {
	swaps := p.neighbours()
	for _, elems := range p.blocks {
		if len(elems) < 2 {
			continue
		}
		b := ts.Block{Name: className(ru.m, p.class), Class: p.class, Elems: elems}
		for _, s := range swaps[:len(elems)-1] {
			c, err := ru.candidate(s)
			if err != nil {
				return err
			}
			b.Swaps = append(b.Swaps, c.Perm)
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
	for _, v := range m.Vars {
		for u := range v.Type.All() {
			if u.Index == t {
				return "slots of " + u.String()
			}
		}
	}
	return "slots"
}
