package rename

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"orbitmc/detect"
	"orbitmc/detect/decompose"
	"orbitmc/detect/group"
	"orbitmc/detect/verify"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// Add verifies proposals and adds the groups of those that pass to the groups of a
// report that declared.Check made for sys: to that of the system, and to those of the
// properties that have bads. It returns how many are used for the system. A
// group is added only where it and the group that is there act independently: their
// elements commute, and none but the identity is in both. The error is that of ctx.
func Add(ctx context.Context, r *detect.Report, sys *ts.System, proposals []*ts.Perm, opt verify.Options) (used int, err error) {
	began := time.Now()
	x := &addition{ctx: ctx, r: r, sys: sys, opt: opt}
	var kept []*ts.Perm
	if r.System, kept, err = x.combine(r.System, proposals, func(ts.Bad) bool { return false }); err != nil || len(kept) == 0 {
		return 0, err
	}
	for p := range r.ByProp {
		own := func(b ts.Bad) bool { return b.Prop == p }
		if slices.ContainsFunc(sys.Bads, own) {
			if r.ByProp[p], _, err = x.combine(r.ByProp[p], kept, own); err != nil {
				return 0, err
			}
		}
	}
	r.Common, _, err = x.combine(r.Common, kept, func(ts.Bad) bool { return true })
	r.Time += time.Since(began)
	return len(kept), err
}

// addition is one run of Add.
type addition struct {
	ctx context.Context
	r   *detect.Report
	sys *ts.System
	opt verify.Options
}

// combine returns the product of y and the group of the proposals that keep the
// system and some of its bads, and these proposals; y and nothing if it is no product.
func (a *addition) combine(y *ts.Symmetry, proposals []*ts.Perm, keep func(ts.Bad) bool) (*ts.Symmetry, []*ts.Perm, error) {
	reduced := *a.sys
	reduced.Bads = slices.DeleteFunc(slices.Clone(a.sys.Bads), func(b ts.Bad) bool { return !keep(b) })
	check, err := verify.NewChecker(&reduced, a.opt)
	if err != nil {
		return y, nil, err
	}
	defer func() {
		a.r.VerifiedBySAT += check.BySAT
		a.r.VerifiedStructurally += check.Verified - check.BySAT
		a.r.Tried += check.Verified
	}()
	var kept []*ts.Perm
	for _, p := range proposals {
		ok, err := check.Keeps(a.ctx, p)
		if err != nil {
			return y, nil, err
		}
		if ok {
			kept = append(kept, p)
			continue
		}
		a.r.Tried++
		a.r.Unproved++
	}
	if len(kept) == 0 {
		return y, nil, nil
	}
	factors, order, err := a.group(kept)
	if err != nil {
		return y, nil, err
	}
	independent := true
	for _, g := range y.Generators() {
		for _, p := range kept {
			independent = independent && g.Then(p).Equal(p.Then(g))
		}
	}
	if independent && !y.Trivial() {
		_, both, err := a.group(slices.Concat(kept, y.Generators()))
		if err != nil {
			return y, nil, err
		}
		independent = both.Cmp(new(big.Int).Mul(order, y.Order())) == 0
	}
	if !independent {
		return y, nil, nil
	}
	own, _, err := decompose.Symmetry(a.ctx, decompose.NumberingOf(&reduced), check, factors, namesOf(kept))
	if err != nil {
		return y, nil, err
	}
	out := &ts.Symmetry{}
	if !y.Trivial() {
		*out = *y
	}
	out.Blocks = append(slices.Clip(out.Blocks), own.Blocks...)
	out.Groups = append(slices.Clip(out.Groups), own.Groups...)
	return out, kept, nil
}

// group returns the group of some permutations.
func (a *addition) group(perms []*ts.Perm) ([]*group.Factor, *big.Int, error) {
	leaves := decompose.NumberingOf(a.sys)
	fs, err := leaves.Factors(a.ctx, lists.Map(perms, leaves.Points), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("detect: %w", err)
	}
	order := big.NewInt(1)
	for _, f := range fs {
		order.Mul(order, f.Group.Order())
	}
	return fs, order, nil
}

// namesOf returns what some permutations are called, for the names of factors.
func namesOf(perms []*ts.Perm) string {
	var all []string
	for _, p := range perms {
		if !slices.Contains(all, p.Name) {
			all = append(all, p.Name)
		}
	}
	return strings.Join(all, "; ") + ": "
}
