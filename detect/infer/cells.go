package infer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds the subgroup of the symmetric group on a class that the uses leave
// possible, and the uses that exclude more.
//
// Two values may be interchangeable if the same ranges contain them and no comparison by
// order distinguishes them. A constant is a fixed point. Constants in start states are an
// exception, since start states often name every component: two constants that occur in the
// same texts of start states may still be interchangeable. If the model adds numbers, at
// most a rotation is possible. It rotates values that the same ranges contain. No constant
// may be among them except the first and the last value, where the addition wraps around.

// divide fills in the permutations to try on the values lo..hi, and the limits.
func (c *candidate) divide(lo, hi int64) {
	facts := slices.Clone(c.node.facts)
	slices.SortStableFunc(facts, func(f, g fact) int { return f.pos.Compare(g.pos) })
	first := func(k factKind) int {
		return slices.IndexFunc(facts, func(f fact) bool { return f.kind == k })
	}
	if i := first(order); i >= 0 {
		c.limit("`%s`%s knows the order of %s", facts[i].text, facts[i].pos.At(), c.Name)
		return
	}
	c.limitRanges(lo, hi)
	if i := max(first(sum), first(computed)); i >= 0 {
		c.limit("`%s`%s computes with %s: at most rotations are left", facts[i].text, facts[i].pos.At(), c.Name)
		c.rings(lo, hi, facts)
		return
	}
	c.limitCuts(lo, hi, facts)
	below, occurs := cutsBelow(facts), c.occurrences(facts)
	c.Values = c.cells(lo, hi, func(v int64) string { return fmt.Sprint(c.inside(v), below(v), occurs[v]) })
	c.limitConstants(lo, hi, facts)
}

// inside tells which ranges contain v: values with the same key are in the same ones.
func (c *candidate) inside(v int64) string {
	var key strings.Builder
	for _, u := range c.node.uses {
		if !u.soft {
			fmt.Fprint(&key, u.t.Lo <= v && v <= u.t.Hi, " ")
		}
	}
	return key.String()
}

// occurrences returns, by constant, the texts it occurs in, sorted; those of start
// states with a blank in the place of the constant.
func (c *candidate) occurrences(facts []fact) map[int64][]string {
	occurs := make(map[int64][]string)
	for _, f := range facts {
		if f.kind != constant && f.kind != handed {
			continue
		}
		text := fmt.Sprint(f.value)
		if f.start {
			text = blank(f.text, spell(c.node.enum, span{f.value, f.value}))
		}
		occurs[f.value] = append(occurs[f.value], text)
	}
	for _, texts := range occurs {
		slices.Sort(texts)
	}
	return occurs
}

// blank replaces a word in a text, wherever it stands alone.
func blank(text, word string) string {
	part := func(at int) bool {
		if at < 0 || at >= len(text) {
			return false
		}
		r := rune(text[at])
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], word) && !part(i-1) && !part(i+len(word)) {
			b.WriteString("_")
			i += len(word)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// cutsBelow returns a function that counts the cuts up to a value.
func cutsBelow(facts []fact) func(v int64) int {
	cuts := make(map[int64]bool)
	for _, f := range facts {
		if f.kind == cut {
			cuts[f.value] = true
		}
	}
	return func(v int64) (k int) {
		for at := range cuts {
			if at <= v {
				k++
			}
		}
		return k
	}
}

// rings fills in the rings, of a class that the model computes with: the cells of
// values that the same ranges contain, if they are consecutive and no constant is
// inside them. A ring of two values is a pair that may be exchanged.
func (c *candidate) rings(lo, hi int64, facts []fact) {
	for _, cell := range c.cells(lo, hi, c.inside) {
		first, last := c.base+int64(cell[0]), c.base+int64(cell[len(cell)-1])
		if last-first != int64(len(cell))-1 {
			continue
		}
		at := slices.IndexFunc(facts, func(f fact) bool {
			return (f.kind == constant || f.kind == handed) && first < f.value && f.value < last
		})
		switch {
		case at >= 0:
			c.limit("`%s`%s sets %s apart", facts[at].text, facts[at].pos.At(), c.element(facts[at].value))
		case len(cell) == 2:
			c.Values = append(c.Values, cell)
		default:
			c.Rings = append(c.Rings, cell)
		}
	}
}

// limitRanges names the ranges that contain some of the values only.
func (c *candidate) limitRanges(lo, hi int64) {
	told := map[span]bool{{lo, hi}: true}
	for _, u := range c.node.uses {
		if s := (span{u.t.Lo, u.t.Hi}); !u.soft && !told[s] {
			told[s] = true
			text := spell(c.node.enum, s)
			c.limit("the range %s of %s%s splits %s into %s and the others", text, u.name, u.pos.At(), c.Name, text)
		}
	}
}

// limitCuts names the comparisons by order that split the values.
func (c *candidate) limitCuts(lo, hi int64, facts []fact) {
	told := make(map[int64]bool)
	for _, f := range facts {
		if f.kind == cut && !told[f.value] && lo < f.value && f.value <= hi {
			told[f.value] = true
			c.limit("`%s`%s splits %s into %s and %s", f.text, f.pos.At(), c.Name,
				spell(c.node.enum, span{lo, f.value - 1}), spell(c.node.enum, span{f.value, hi}))
		}
	}
}

// limitConstants names the constants that are in no cell of c.Values.
func (c *candidate) limitConstants(lo, hi int64, facts []fact) {
	told := make(map[int64]bool)
	for _, f := range facts {
		alone := !slices.ContainsFunc(c.Values, func(cell []int) bool { return slices.Contains(cell, int(f.value-lo)) })
		if (f.kind == constant || f.kind == handed) && alone && !told[f.value] && lo <= f.value && f.value <= hi {
			told[f.value] = true
			c.limit("`%s`%s sets %s apart", f.text, f.pos.At(), c.element(f.value))
		}
	}
}

// cells returns the sets of at least two values of lo..hi with the same key.
func (c *candidate) cells(lo, hi int64, key func(v int64) string) (cells [][]int) {
	keys := lists.Make(int(hi-lo+1), func(i int) string { return key(lo + int64(i)) })
	for _, cell := range lists.Groups(keys) {
		if len(cell) > 1 {
			cells = append(cells, lists.Map(cell, func(i int) int { return i + int(lo-c.base) }))
		}
	}
	return cells
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
