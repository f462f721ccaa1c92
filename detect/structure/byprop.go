package structure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orbitmc/detect"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file detects a group for each property: the group of one property is larger than the
// group that keeps all.

// manyVertices is how large the graphs for single properties may be in sum.
// Beyond it they all get the group that keeps the bads of all.
const manyVertices = 1 << 21

// ByProp detects a group for each property of props: the group that keeps the bads with this
// Prop. Properties with the same bads share a group. In the report, System and Common are
// the group that keeps the bads of all properties. It stands in for the group of a property
// that was not analysed by itself, because there are too many or because ctx ended. The
// second result has the structure by analysed property, and under -1 that of all. The group
// of a property that is the image of another one (Report.Images) is the image of its group.
// If ctx ends, the results so far are returned with the error of ctx.
func ByProp(ctx context.Context, sys *ts.System, props []int, opt Options) (*detect.Report, map[int]*Result, error) {
	began := time.Now()
	x := &byProp{ctx: ctx, sys: sys, opt: opt, structures: make(map[int]*Result), report: &detect.Report{System: &ts.Symmetry{}, Images: make(map[int]ts.Image)}}
	r := x.report
	all, err := x.detect(func(b ts.Bad) bool { return slices.Contains(props, b.Prop) })
	if all == nil {
		return nil, nil, err
	}
	x.structures[-1] = all
	if all.Symmetry != nil {
		r.System = all.Symmetry
	}
	r.Common = r.System
	for _, b := range sys.Bads {
		for len(r.ByProp) <= b.Prop {
			r.ByProp = append(r.ByProp, &ts.Symmetry{})
		}
	}
	classes := sameBads(sys, props)
	images := make([]image, len(classes))
	alone := len(classes) // classes to be analysed by themselves
	if err == nil && len(classes) > 1 {
		if images, err = imagesOf(ctx, sys, classes, opt, r); err != nil && ctx.Err() == nil {
			return nil, nil, err
		}
		for _, y := range images {
			if y.perm != nil {
				alone--
			}
		}
	}
	for i, class := range classes {
		if y := images[i]; y.perm != nil {
			of := classes[y.of][0]
			for _, p := range class {
				r.Images[p] = ts.Image{Of: of, Perm: y.perm, To: y.properties(classes)}
				r.ByProp[p] = r.ByProp[of].Conjugate(y.perm)
			}
			continue
		}
		var own *Result
		if err == nil && len(classes) > 1 && alone*all.Vertices <= manyVertices {
			own, err = x.detect(func(b ts.Bad) bool { return b.Prop == class[0] })
		}
		x.set(class, own)
	}
	r.Time = time.Since(began)
	return r, x.structures, err
}

type byProp struct {
	ctx        context.Context
	sys        *ts.System
	opt        Options
	report     *detect.Report
	structures map[int]*Result // by property; -1: of all
}

// detect detects the group that keeps some bads, and counts the permutations tried. The
// result is nil if there is none; it is incomplete if there is an error.
func (bp *byProp) detect(keep func(ts.Bad) bool) (*Result, error) {
	reduced := *bp.sys
	reduced.Bads = slices.DeleteFunc(slices.Clone(bp.sys.Bads), func(b ts.Bad) bool { return !keep(b) })
	s, err := Detect(bp.ctx, &reduced, bp.opt)
	if s != nil {
		bp.report.Tried += s.Verified + s.Unverified
		bp.report.VerifiedStructurally += s.Verified - s.BySAT
		bp.report.VerifiedBySAT += s.BySAT
		bp.report.Unproved += s.Unverified
	}
	return s, err
}

// set gives the properties of a class their group; own is nil if they were not looked
// at on their own.
func (bp *byProp) set(class []int, own *Result) {
	y := bp.report.System
	if own != nil {
		if y = own.Symmetry; y == nil {
			y = &ts.Symmetry{}
		}
	}
	for _, p := range class {
		bp.report.ByProp[p] = y
		if own != nil {
			bp.structures[p] = own
		}
	}
}

// sameBads divides the properties that have bads into classes with the same
// ones.
func sameBads(sys *ts.System, props []int) [][]int {
	own := make(map[int][]string)
	for _, b := range sys.Bads {
		own[b.Prop] = append(own[b.Prop], fmt.Sprintf("%v+%d", b.Lit, b.Delay))
	}
	with := lists.Where(props, func(p int) bool { return len(own[p]) > 0 })
	keys := lists.Map(with, func(p int) string {
		slices.Sort(own[p])
		return strings.Join(slices.Compact(own[p]), " ")
	})
	classes := lists.Groups(keys)
	for _, class := range classes {
		for k, i := range class {
			class[k] = with[i]
		}
	}
	return classes
}
