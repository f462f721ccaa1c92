package typing

import (
	"fmt"
	"slices"

	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file looks at each rule by itself (docs/theory/adaptive.md). The instances of a rule are divided
// into families. Two instances are in one family if exchanges of values lead from one to the
// other, each of which maps what the rule computes of the one to what it computes of the
// other. Circuits verify each proposal before it is used (certify.Partial). So errors in loops
// are not looked at here: quantifiers may be strict, and joint sets do not matter.

// mostMembers is how many values of parameters are looked at one by one; a rule with more is one
// family.
const mostMembers = 1 << 12

// Propose returns the partial symmetry that the text of a model suggests. Where the form of a
// rule says nothing, open is set: then its cells are the coarsest, and circuits have to find
// out. It is also to find out whether rules and properties keep rotations of rings.
func Propose(m *model.Model, rings []model.Ring) *model.Partial {
	a := newAnalysis(m)
	a.tables = newTabulator(m)
	rules, assumptions, _, props := a.run()
	types := a.typeRanges()
	out := &model.Partial{Rings: rings}
	for i, u := range rules {
		base, why := a.told(append(a.reach([]*unit{u}), a.reach(assumptions)...), types)
		out.Families = append(out.Families, a.families(i, u, base, why)...)
	}
	for i := range m.Props {
		us := a.reach(raising(m, props, i))
		base, _ := a.told(us, types)
		var tables []*table
		for _, u := range us {
			tables = append(tables, u.tables...)
		}
		out.Props = append(out.Props, model.Kept{Cells: a.cells(base, tables)})
	}
	return out
}

// told returns the cells that the form of some units leaves, and what tells values apart. A
// form that leaves nothing is not counted: it may hold all the same.
func (a *analysis) told(us []*unit, types map[int][]Obstacle) (model.Cells, []model.Split) {
	var why []model.Split
	keys := make([]map[int]string, len(a.m.Scalarsets))
	for c := range keys {
		keys[c] = make(map[int]string)
		all := slices.Clone(types[c])
		for _, u := range us {
			all = append(all, u.own[c]...)
		}
		for _, o := range all {
			if o.strict != nil {
				continue
			}
			why = append(why, model.Split{Pos: o.Pos, Text: o.Reason})
			for v, k := range o.keeps {
				keys[c][v] += fmt.Sprint(k, ",")
			}
		}
	}
	return model.NewCells(a.m, func(c, v, w int) bool { return keys[c][v] == keys[c][w] }), why
}

// cells refines cells by tables.
func (a *analysis) cells(base model.Cells, tables []*table) model.Cells {
	return model.NewCells(a.m, func(c, v, w int) bool {
		s := swap{c, int64(v), int64(w)}
		return base[c][v] == base[c][w] && !slices.ContainsFunc(tables, func(t *table) bool { return !t.keeps(s, nil) })
	})
}

// families divides the instances of a rule. base and why are what told returns for it.
func (a *analysis) families(rule int, u *unit, base model.Cells, why []model.Split) []model.Family {
	f := &dividing{analysis: a, u: u, base: base}
	splits := f.findTables(why)
	if !f.findMembers() {
		return []model.Family{{Rule: rule, Kept: model.Kept{Cells: a.cells(f.base, f.apart)}, Why: splits}}
	}
	var families []model.Family
	for _, members := range lists.Groups(f.connect()) {
		y := model.Family{Rule: rule, On: f.params, Why: splits}
		y.Members = lists.Map(members, func(i int) []int64 { return f.members[i] })
		y.Cells = model.NewCells(a.m, func(c, v, w int) bool {
			s := swap{c, int64(v), int64(w)}
			for _, b := range y.Members {
				image, ok := a.image(u, f.params, b, s)
				if _, in := slices.BinarySearchFunc(y.Members, image, slices.Compare[[]int64]); !ok || !in || !f.keeps(b, s) {
					return false
				}
			}
			return true
		})
		families = append(families, y)
	}
	return families
}

// dividing is the division of the instances of one rule into families.
type dividing struct {
	*analysis
	u       *unit
	base    model.Cells // that hold for all instances
	apart   []*table    // of the rule, that tell values apart
	on      []bool      // by parameter: some of apart depend on it
	params  []int       // parameters by which instances are told apart
	members [][]int64   // their values, ascending
}

// findTables finds the tables that tell values apart in a step of the rule, and returns
// what splits classes, in the order of the text. Tables of procedures refine base.
func (d *dividing) findTables(why []model.Split) []model.Split {
	splits := slices.Clone(why)
	d.on = make([]bool, len(d.u.params))
	for _, v := range d.reach([]*unit{d.u}) {
		for _, t := range v.tables {
			if d.cells(d.base, []*table{t}).Equal(d.base) {
				continue
			}
			if v != d.u { // nothing is given
				d.base = d.cells(d.base, []*table{t})
			} else {
				d.apart = append(d.apart, t)
			}
			for _, x := range t.vars {
				told := slices.ContainsFunc(splits, func(y model.Split) bool { return y.Pos == t.e.Position() })
				if x.Type.Classed() && !told {
					splits = append(splits, model.Split{Pos: t.e.Position(), Text: "`" + text(t.e) + "`"})
					break
				}
			}
			for k, p := range d.u.params {
				if slices.Contains(t.vars, p.Var) && v == d.u {
					d.on[k] = true
				}
			}
		}
	}
	slices.SortStableFunc(splits, func(x, y model.Split) int { return x.Pos.Compare(y.Pos) })
	return slices.Compact(splits)
}

// findMembers lists the values of the parameters that tables depend on. It returns false if
// there is no such parameter, or if the values are too many.
func (d *dividing) findMembers() bool {
	n := int64(1)
	for k, p := range d.u.params {
		if d.on[k] && n <= mostMembers {
			d.params = append(d.params, k)
			n *= p.Var.Type.Card()
		}
	}
	if len(d.params) == 0 || n > mostMembers {
		return false
	}
	d.members = model.InstancesOf(lists.Map(d.params, func(k int) *model.Param {
		v := d.u.params[k].Var
		return &model.Param{Var: v, Domain: model.Domain{Type: v.Type}}
	}))
	return true
}

// keeps reports whether an exchange of two values keeps what the rule does with parameters b.
func (d *dividing) keeps(b []int64, s swap) bool {
	if d.base[s.class][s.v] != d.base[s.class][s.w] {
		return false
	}
	given := make(map[*model.Var]int64)
	for i, k := range d.params {
		given[d.u.params[k].Var] = b[i]
	}
	return !slices.ContainsFunc(d.apart, func(t *table) bool { return !t.keeps(s, given) })
}

// connect makes a family of the members that exchanges connect. It returns the first member of the
// family of each member.
func (d *dividing) connect() []int {
	families := disjoint.New[int](len(d.members))
	for i, b := range d.members {
		for at, k := range d.params {
			t := d.u.params[k].Var.Type
			if !t.Classed() {
				continue
			}
			v := b[at] - t.First
			for w := range d.m.Scalarsets[t.Class].Card() {
				s := swap{t.Class, v, w}
				image, ok := d.image(d.u, d.params, b, s)
				j, found := slices.BinarySearchFunc(d.members, image, slices.Compare[[]int64])
				if v == w || !ok || !found || families.Find(i) == families.Find(j) || !d.keeps(b, s) {
					continue
				}
				families.Join(i, j)
			}
		}
	}
	return families.Leasts()
}

// image returns the image of values of parameters.
func (a *analysis) image(u *unit, params []int, b []int64, s swap) (image []int64, ok bool) {
	ok = true
	for i, k := range params {
		y, in := s.of(u.params[k].Var.Type, b[i])
		image, ok = append(image, y), ok && in
	}
	return image, ok
}
