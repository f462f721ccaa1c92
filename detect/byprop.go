package detect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orbitmc/ts"
)

// This file detects the symmetry of properties one by one: the group of a
// property is larger the less must be kept beside it.

// manyVertices is how large the graphs for single properties may be in sum.
// Beyond it they all get the group that keeps the bads of all.
const manyVertices = 1 << 21

// ByProp detects, for each of some properties of a system, given by the Prop of
// its bads, the group that keeps them. Properties with the same bads share it. In
// the report System and Common are the group that keeps the bads of all of them;
// it stands in for the groups of properties that were not looked at on their own,
// because there are too many or ctx ended. Of each property that was, the second
// result has the structure, and under -1 that of all. A property that is the image
// of another one (Report.Images) has the image of its group. The error is that of
// ctx: what was found until then is returned all the same.
func ByProp(ctx context.Context, sys *ts.System, props []int, opt Options) (*Report, map[int]*Structure, error) {
	began := time.Now()
	r := &Report{System: &ts.Symmetry{}, Images: make(map[int]ts.Image)}
	structures := make(map[int]*Structure)
	detected := func(keep func(ts.Bad) bool) (*Structure, error) {
		reduced := *sys
		reduced.Bads = slices.DeleteFunc(slices.Clone(sys.Bads), func(b ts.Bad) bool { return !keep(b) })
		s, err := Detected(ctx, &reduced, opt)
		if s != nil {
			r.Tried += s.Verified + s.Unverified
			r.VerifiedStructurally += s.Verified - s.BySAT
			r.VerifiedBySAT += s.BySAT
			r.Refuted += s.Unverified
		}
		return s, err
	}
	wanted := make(map[int]bool)
	for _, p := range props {
		wanted[p] = true
	}
	all, err := detected(func(b ts.Bad) bool { return wanted[b.Prop] })
	if all == nil {
		return nil, nil, err
	}
	structures[-1] = all
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
	alone := len(classes) // classes to be looked at on their own
	if err == nil && len(classes) > 1 {
		if images, err = imagesOf(ctx, sys, classes, opt, r); err != nil && ctx.Err() == nil {
			return nil, nil, err
		}
		for _, x := range images {
			if x.perm != nil {
				alone--
			}
		}
	}
	for i, class := range classes {
		if x := images[i]; x.perm != nil {
			for _, p := range class {
				r.Images[p] = ts.Image{Of: classes[x.of][0], Perm: x.perm, To: x.properties(classes)}
				r.ByProp[p] = r.ByProp[classes[x.of][0]].Conjugate(x.perm)
			}
			continue
		}
		s := all
		if err == nil && len(classes) > 1 && alone*all.Vertices <= manyVertices {
			var own *Structure
			if own, err = detected(func(b ts.Bad) bool { return b.Prop == class[0] }); own != nil {
				s = own
			}
		}
		for _, p := range class {
			if r.ByProp[p] = r.System; s != all {
				structures[p] = s
				if r.ByProp[p] = s.Symmetry; s.Symmetry == nil {
					r.ByProp[p] = &ts.Symmetry{}
				}
			}
		}
	}
	r.Time = time.Since(began)
	return r, structures, err
}

// sameBads divides the properties that have bads into classes with the same
// ones.
func sameBads(sys *ts.System, props []int) [][]int {
	own := make(map[int][]string)
	for _, b := range sys.Bads {
		own[b.Prop] = append(own[b.Prop], fmt.Sprintf("%v+%d", b.Lit, b.Delay))
	}
	var classes [][]int
	number := make(map[string]int) // by bads
	for _, p := range props {
		if len(own[p]) == 0 {
			continue
		}
		slices.Sort(own[p])
		key := strings.Join(slices.Compact(own[p]), " ")
		i, ok := number[key]
		if !ok {
			i = len(classes)
			number[key] = i
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], p)
	}
	return classes
}
