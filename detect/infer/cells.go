package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/model"
)

// This file reads off what may be left of the symmetric group on an inferred class,
// and says why it is no more.
//
// Two values may be interchangeable if the same ranges contain them and no comparison
// tells them apart. Constants are fixed points, but those that occur in the same
// texts of start states may still change places: these often name every component. Where numbers
// are added nothing but a rotation can be left: of the values of the smallest ranges,
// if the constants among them are, at most, the ends, from which it wraps around.

// divide fills in what is to be tried on the values lo..hi, and the limits.
func (c *candidate) divide(lo, hi int64) {
	n := c.node
	facts := slices.Clone(n.facts)
	slices.SortStableFunc(facts, func(f, g fact) int {
		return cmp.Or(cmp.Compare(f.pos.Line, g.pos.Line), cmp.Compare(f.pos.Col, g.pos.Col))
	})
	has := func(k factKind) int {
		return slices.IndexFunc(facts, func(f fact) bool { return f.kind == k })
	}
	inside := func(v int64) string { // the ranges that contain v
		var key strings.Builder
		for _, u := range n.uses {
			if !u.soft {
				fmt.Fprint(&key, u.t.Lo <= v && v <= u.t.Hi, " ")
			}
		}
		return key.String()
	}
	occurs := make(map[int64][]string) // by constant: the texts it occurs in, of start states without it
	cuts := make(map[int64]bool)
	for _, f := range facts {
		switch f.kind {
		case constant:
			spelled := spell(n.enum, span{f.value, f.value})
			text := fmt.Sprint(f.value)
			if f.start {
				text = strings.ReplaceAll(f.text, spelled, "_")
			}
			occurs[f.value] = append(occurs[f.value], text)
		case cut:
			cuts[f.value] = true
		}
	}
	for _, texts := range occurs {
		slices.Sort(texts)
	}
	below := func(v int64) (k int) { // the cuts up to v
		for at := range cuts {
			if at <= v {
				k++
			}
		}
		return k
	}
	whole := c.cells(lo, hi, inside)
	if i := has(order); i >= 0 {
		f := facts[i]
		c.limit("`%s` at %v knows the order of %s", f.text, f.pos, c.Name)
		return
	}
	ranges := make(map[span]bool)
	for _, u := range n.uses {
		if s := (span{u.t.Lo, u.t.Hi}); !u.soft && s != (span{lo, hi}) && !ranges[s] {
			ranges[s] = true
			c.limit("the range %s of %s at %v splits %s into %s and the others", spell(n.enum, s), u.name, u.pos, c.Name, spell(n.enum, s))
		}
	}
	if i := has(sum); i >= 0 {
		f := facts[i]
		c.limit("`%s` at %v computes with %s: at most rotations are left", f.text, f.pos, c.Name)
		for _, cell := range whole {
			first, last := c.base+int64(cell[0]), c.base+int64(cell[len(cell)-1])
			if last-first != int64(len(cell))-1 {
				continue
			}
			ring := true
			for _, f := range facts {
				if f.kind == constant && first < f.value && f.value < last && ring {
					ring = false
					c.limit("`%s` at %v sets %s apart", f.text, f.pos, c.element(f.value))
				}
			}
			switch {
			case ring && len(cell) == 2:
				c.Values = append(c.Values, cell)
			case ring && len(cell) > 2:
				c.Rings = append(c.Rings, cell)
			}
		}
		return
	}
	told := make(map[int64]bool)
	for _, f := range facts {
		if f.kind == cut && !told[f.value] && lo < f.value && f.value <= hi {
			told[f.value] = true
			c.limit("`%s` at %v splits %s into %s and %s", f.text, f.pos, c.Name,
				spell(n.enum, span{lo, f.value - 1}), spell(n.enum, span{f.value, hi}))
		}
	}
	cells := c.cells(lo, hi, func(v int64) string { return fmt.Sprint(inside(v), below(v), occurs[v]) })
	told = make(map[int64]bool)
	for _, f := range facts {
		alone := !slices.ContainsFunc(cells, func(cell []int) bool { return slices.Contains(cell, int(f.value-lo)) })
		if f.kind == constant && alone && !told[f.value] && lo <= f.value && f.value <= hi {
			told[f.value] = true
			c.limit("`%s` at %v sets %s apart", f.text, f.pos, c.element(f.value))
		}
	}
	c.Values = cells
}

// cells returns the sets of at least two values of lo..hi with the same key.
func (c *candidate) cells(lo, hi int64, key func(v int64) string) (cells [][]int) {
	at := make(map[string]int)
	for v := lo; v <= hi; v++ {
		k := key(v)
		i, ok := at[k]
		if !ok {
			i = len(cells)
			at[k] = i
			cells = append(cells, nil)
		}
		cells[i] = append(cells[i], int(v-c.base))
	}
	return slices.DeleteFunc(cells, func(cell []int) bool { return len(cell) < 2 })
}

// maxLimits is how many limits of a class are told.
const maxLimits = 8

func (c *candidate) limit(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(c.Limits) < maxLimits && !slices.Contains(c.Limits, text) {
		c.Limits = append(c.Limits, text)
	}
}

// element names a value of the class.
func (c *candidate) element(v int64) string {
	if e := c.node.enum; e != nil {
		return e.Format(v)
	}
	return fmt.Sprintf("%s %d", c.Name, v)
}

// spell writes a range of numbers, or of members of an enum.
func spell(enum *model.Type, s span) string {
	format := func(v int64) string { return fmt.Sprint(v) }
	if enum != nil {
		format = enum.Format
	}
	if s.lo == s.hi {
		return format(s.lo)
	}
	return format(s.lo) + ".." + format(s.hi)
}
