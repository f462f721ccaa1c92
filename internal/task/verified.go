package task

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/rename"
	"orbitmc/encode"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file encodes models and verifies their symmetry on circuits. typed.go has the symmetry that needs
// no circuits.

// encoded is analyse without a limit. Without an encoding there is no way to verify
// symmetry, so none is used. If no symmetry of an inferred class holds, the model is encoded
// as it was read: its encoding is smaller.
//
// With a pace, early gets the encoding without inferred classes: the search goes over to another one only if its
// symmetry is worth that. So all that follows counts its steps.
func (s *modelSource) encoded(ctx context.Context, props []int, symbolic bool, early func(*mc.Problem)) (*Analysis, error) {
	t := s.t
	var begun *mc.Problem
	if symbolic && early != nil && pace.Of(ctx) {
		a, err := s.plainly(pace.Without(ctx), props)
		if err != nil || a.Problem.Enc == nil {
			return a, err
		}
		begun = a.Problem
		tell(early, begun)
		early = nil
		limit, limited, cancel := pace.NewLimit(ctx, unlimited, nil)
		defer cancel()
		ctx = limit.With(limited)
	}
	if symbolic && t.Symmetry == "auto" && s.counted == nil {
		a, err := s.renamed(ctx, props)
		if a != nil || err != nil {
			return a, err
		}
	}
	a, err := s.verified(ctx, s.model, props, symbolic, begun, early)
	if err != nil || a.Typed != nil || a.Partial != "" || s.Inferred() == 0 || t.Symmetry == "off" || a.Report != nil && s.inference.Found(s.model, a.Report) {
		return a, err
	}
	b, err := s.verified(ctx, s.plain, props, symbolic, begun, nil)
	if err == nil && b.Report == nil {
		b.Report = a.Report // why there is none
	}
	return b, err
}

// unlimited is a limit that is never reached: with one, budgets are of steps and not of time.
const unlimited = 1 << 62

// plainly encodes the model as it was read, without symmetry.
func (s *modelSource) plainly(ctx context.Context, props []int) (*Analysis, error) {
	t := s.t
	a := &Analysis{Problem: s.problem(s.plain, props)}
	t.Phase("encoding")
	began := time.Now()
	if a.Problem.Enc, a.Problem.EncErr = s.encode(ctx, s.plain); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.EncodeTime = time.Since(began)
	if a.Problem.Enc == nil {
		a.Problem.Program = model.Compile(s.plain)
		return a, nil
	}
	a.Problem.Program = a.Problem.Enc.Program
	if a.Problem.Enc.Sys.NumAnds() <= LargeSystem {
		return a, t.ProveWellFormed(ctx, a)
	}
	return a, nil
}

// Renamings are not tried beyond this many leaves of a model, or AND gates of its
// encoding: each property is analysed by itself.
const (
	manyRenamedLeaves = 2000
	manyRenamed       = 100_000
)

// renamed is analyse for a model with renamings that are verified; nil if there are
// none, or none is.
func (s *modelSource) renamed(ctx context.Context, props []int) (*Analysis, error) {
	if s.model.Leaves() > manyRenamedLeaves {
		return nil, nil
	}
	m, renamings, err := rename.Find(ctx, s.model)
	if err != nil || len(renamings) == 0 {
		return nil, err
	}
	enc, err := encode.Named(ctx, m)
	if err != nil || enc.Sys.NumAnds() > manyRenamed {
		return nil, nil
	}
	var proposals []*ts.Perm
	for _, r := range renamings {
		// A renaming may also permute values of classes; the one that does not is tried, too.
		for _, values := range []model.ScalarPerm{make(model.ScalarPerm, len(r.Values)), r.Values} {
			own := r
			own.Values = values
			if p, err := enc.Renaming(own); err == nil && !p.IsIdentity() {
				proposals = append(proposals, p)
			}
		}
	}
	if len(proposals) == 0 {
		return nil, nil
	}
	a, err := s.verifiedWith(ctx, m, props, true, &mc.Problem{OfModel: mc.OfModel{Enc: enc}}, proposals, nil)
	if err != nil || a.Renamed == 0 {
		return nil, err
	}
	return a, nil
}

// verified is analyse for the model with the inferred classes, or without them. begun, if it is not nil, has the
// encoding of the model as it was read.
func (s *modelSource) verified(ctx context.Context, m *model.Model, props []int, symbolic bool, begun *mc.Problem, early func(*mc.Problem)) (*Analysis, error) {
	if m != s.plain {
		begun = nil
	}
	return s.verifiedWith(ctx, m, props, symbolic, begun, nil, early)
}

// verifiedWith is verified for a problem that has an encoding of m, of which W may be proved, and renamings as
// permutations of it; nil: none.
func (s *modelSource) verifiedWith(ctx context.Context, m *model.Model, props []int, symbolic bool, begun *mc.Problem, renamings []*ts.Perm, early func(*mc.Problem)) (*Analysis, error) {
	t := s.t
	symmetric := renamings != nil || s.symmetric(symbolic) && (m == s.model || s.Declared() > 0 || symbolic && len(m.Scalarsets) > 0)
	p := s.problem(m, props)
	if !symbolic && symmetric && t.Symmetry != "detected" {
		if a := s.typed(ctx, m, props); a != nil {
			return a, nil
		}
	}
	a := &Analysis{Problem: p}
	text := sync.OnceValue(func() *Analysis { return s.byText(props, "") })
	limit, limited, cancel := s.limit(ctx, symbolic, t.Thorough && symmetric && whole(text().Typed))
	defer cancel()
	if symbolic || symmetric {
		t.phase(ctx, "encoding")
		began := time.Now()
		if symmetric && renamings == nil {
			p.Enc = s.strict(limited, m, props)
		}
		switch {
		case p.Enc != nil:
		case begun != nil:
			p.Enc, p.WellFormed = begun.Enc, begun.WellFormed
		default:
			p.Enc, p.EncErr = s.encode(limited, m)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case limit.Over():
			return undecided(text(), notDecided(classNames(m))), nil
		}
		a.EncodeTime = time.Since(began)
	}
	if p.Enc == nil {
		p.Program = model.Compile(m)
		return a, nil
	}
	p.Program = p.Enc.Program
	switch {
	case !symmetric:
		return a, nil
	case t.Symmetry == "detected":
		if err := t.ProveWellFormed(ctx, a); err != nil { // generators are verified under W
			return nil, err
		}
		return a, t.detected(ctx, a, p.Enc.Sys, false)
	}
	if early != nil {
		tell(early, p)
		if p.Enc.Sys.NumAnds() <= LargeSystem {
			if err := t.ProveWellFormed(ctx, a); err != nil {
				return nil, err
			}
			tell(early, p)
		}
	}
	if err := s.report(ctx, limited, a, symbolic, renamings); err != nil {
		return nil, err
	}
	if a.Partial != "" && (!symbolic || t.Thorough) {
		if b := text(); b.Typed != nil && (a.Report == nil || b.Typed.Order.Cmp(a.Report.Common.Order()) > 0) {
			return undecided(b, a.Partial), nil
		}
	}
	if a.Report == nil {
		return a, nil
	}
	p.Groups = a.Report.ByProp
	if p.Enc.Strict == nil { // explicit search is not about a strict system
		explicitGroups(p)
	}
	return a, nil
}

// How many steps of package pace the encoding of a model and the verification of its symmetry may
// take, where nothing else goes on meanwhile: for explicit search about four seconds, for `detect`
// twenty, or four where the text shows all symmetry. The proof of W may take as many; of `detect`, it
// and the symmetry of each rule what is left, or as many as for explicit search.
const (
	symmetrySteps = 20e6
	thoroughSteps = 100e6
)

// limit returns this limit, with its context; nil if the work has none: it goes on
// beside engines, or `detect` has a limit of time or explains what breaks symmetry. If shown is set, the text
// shows all symmetry.
func (s *modelSource) limit(ctx context.Context, symbolic, shown bool) (l *pace.Limit, limited context.Context, cancel context.CancelFunc) {
	_, timed := ctx.Deadline()
	if symbolic && !s.t.Thorough || s.t.Thorough && (timed || s.t.Explain) {
		return nil, ctx, func() {}
	}
	steps := int64(symmetrySteps)
	switch {
	case s.t.Thorough && s.thorough != nil:
		steps = max(steps, s.thorough.Left())
	case s.t.Thorough && !shown:
		steps = thoroughSteps
	}
	l, limited, cancel = pace.NewLimit(ctx, cmp.Or(s.steps, steps), nil)
	if s.t.Thorough {
		s.thorough = l
	}
	return l, l.With(limited), cancel
}

// byText returns the analysis of a model whose symmetry is not decided on circuits, and why: with
// what typing shows, all of it or some.
func (s *modelSource) byText(props []int, why string) *Analysis {
	a := &Analysis{Problem: s.problem(s.model, props)}
	a.Problem.Program = model.Compile(s.model)
	if s.t.Symmetry == "auto" || s.t.Symmetry == "declared" {
		a.Typed = byTyping(a.Problem, !s.t.Hides())
	}
	return undecided(a, why)
}

// undecided adds to what byText returned why circuits did not decide the symmetry, unless the text shows all of it.
func undecided(a *Analysis, why string) *Analysis {
	if !whole(a.Typed) {
		a.Partial = why
	}
	return a
}

// whole reports whether typing shows all the symmetry that there may be.
func whole(y *Typed) bool { return y != nil && len(y.Open) == 0 }

// notDecided says that steps did not suffice for the symmetry of some classes.
func notDecided(classes []string) string {
	var names []string // several classes may be called 0..2
	for _, name := range classes {
		names = lists.With(names, name)
	}
	return fmt.Sprintf("the symmetry of %s was not decided within the budget of steps", strings.Join(names, ", "))
}

// classNames lists the classes of a model that may be symmetric.
func classNames(m *model.Model) (all []string) {
	for _, t := range m.Scalarsets {
		if !t.Slots && t.Card() > 1 {
			all = append(all, t.String())
		}
	}
	return all
}

// report verifies the symmetry of the encoding that its classes suggest, and renamings.
// limited is ctx with the limit of this work.
func (s *modelSource) report(ctx, limited context.Context, a *Analysis, symbolic bool, renamings []*ts.Perm) (err error) {
	t, enc := s.t, a.Problem.Enc
	instances := make(map[int][]detect.Instance)
	for prop, insts := range enc.Instances {
		for _, inst := range insts {
			instances[prop] = append(instances[prop], detect.Instance(inst))
		}
	}
	opt := declared.Options{
		Verify:    t.Verification(),
		Instances: instances,
		Inferred:  s.inference,
		Strict:    enc.Strict,
		NoSlots:   !symbolic,
		Progress: func(done, of int) {
			t.phase(ctx, fmt.Sprintf("verifying symmetry, %d of %s", done, Plural(of, "check")))
		},
	}
	if t.Explain {
		opt.Choosing = enc.Choosing
	}
	if a.Report, err = declared.Check(limited, a.Problem.Model, enc, enc.Sys, enc.PropBads, opt); err != nil {
		return err
	}
	if open := a.Report.Open; len(open) > 0 {
		a.Partial = notDecided(open)
	}
	if renamings != nil {
		if a.Renamed, err = rename.Add(ctx, a.Report, enc.Sys, renamings, t.Verification()); err != nil {
			return err
		}
	}
	if a.Report.VerifiedBySAT > 0 { // those proofs assume W
		limit, limited, cancel := s.limit(ctx, symbolic, false)
		defer cancel()
		if err = t.ProveWellFormed(limited, a); err != nil && limit.Over() && ctx.Err() == nil {
			a.Report, a.Partial, err = nil, notDecided(classNames(a.Problem.Model)), nil
		}
	}
	return err
}

// explicitGroups sets the permutations that explicit search may use: those that keep all properties, of formulas all
// atoms. A formula itself has no bads and no instances, so that all permutations would keep it.
func explicitGroups(p *mc.Problem) {
	if p.Model.Fairly(p.Props) { // an image of a step need not be of the image of the rule
		return
	}
	groups := lists.Map(p.Model.Conditions(p.Props), func(i int) *ts.Symmetry { return p.Groups[i] })
	blocks := detect.Blocks(p.Model, groups...)
	for c, class := range blocks {
		if !p.Model.Scalarsets[c].Slots && slices.ContainsFunc(class, func(b []int) bool { return len(b) > 1 }) {
			p.Blocks = blocks
		}
	}
	p.Rings = detect.CommonRings(groups)
}
