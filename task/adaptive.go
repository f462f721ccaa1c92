package task

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/mc"
	"orbitmc/mc/certify"
	"orbitmc/model"
)

// This file prepares adaptive search: symmetry that some rules break (docs/adaptive.md).

// Broken is partial symmetry as a reader sees it.
type Broken struct {
	Model *model.Model // with the classes that it is about
	Rules []BrokenRule // in the order of the model
	Time  time.Duration
}

// BrokenRule is a family of instances that does not keep all permutations.
type BrokenRule struct {
	Rule  *model.Rule
	Cells []string // by class that is divided, such as "PROC: 1..2 | 3..4 | 5..8"
	Which string   // the instances, "" if it is all of the rule
	Why   []model.Split
}

// adaptive is analyse for adaptive search. If no rule breaks any symmetry, or there is nothing that
// could be broken, or it cannot be verified rule by rule, it is analyse for exact search.
func (s *modelSource) adaptive(ctx context.Context, props []int) (*Analysis, error) {
	t := s.t
	began := time.Now()
	m, inferred := infer.Partial(s.plain)
	if slices.ContainsFunc(m.Scalarsets, func(y *model.Type) bool { return !y.Slots && y.Card() > 1 }) {
		whole := &mc.Problem{Model: m, Props: props}
		if byTyping(whole, !t.Hides()); !full(m, inferred, whole.Blocks) {
			a, err := s.partial(ctx, m, props)
			if a != nil || err != nil {
				if a != nil {
					a.Broken.Time = time.Since(began)
				}
				return a, err
			}
		}
	}
	return s.encoded(ctx, props, false, nil)
}

// full reports whether blocks contain all permutations of declared scalarsets, and all that might
// be tried of inferred classes.
func full(m *model.Model, inferred *infer.Result, blocks [][][]int) bool {
	for c, y := range m.Scalarsets {
		most := 1
		if of, ok := inferred.Of(y); ok {
			most = int(y.Card())
			for _, values := range of.Values {
				most -= len(values) - 1
			}
		}
		if !y.Slots && (c >= len(blocks) || len(blocks[c]) > most) {
			return false
		}
	}
	return true
}

// partial returns the analysis of a model with partial symmetry; nil if there is none that
// is more than the symmetry of all rules together.
func (s *modelSource) partial(ctx context.Context, m *model.Model, props []int) (*Analysis, error) {
	t := s.t
	t.Phase("encoding")
	a := &Analysis{Problem: &mc.Problem{Model: m, Props: props}}
	p := a.Problem
	began := time.Now()
	if p.Enc, p.EncErr = s.encode(ctx, m); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.Enc == nil {
		return nil, nil
	}
	a.EncodeTime = time.Since(began)
	p.Program = p.Enc.Program
	t.Phase("verifying the symmetry of each rule")
	part, err := certify.Partial(ctx, p.Enc, typing.Propose(m))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil
	}
	meet, join := model.WholeCells(m), model.SingleCells(m)
	for _, f := range part.Families {
		meet, join = meet.Meet(m, f.Cells), join.Join(m, f.Cells)
	}
	for _, i := range props {
		meet = meet.Meet(m, part.Props[i])
	}
	if meet.Equal(join) {
		return nil, nil
	}
	p.Partial = part
	a.Broken = broken(m, part, join)
	return a, nil
}

// broken says which rules divide the coarsest cells.
func broken(m *model.Model, part *model.Partial, join model.Cells) *Broken {
	b := &Broken{Model: m}
	for i := range part.Families {
		f := &part.Families[i]
		if join.Within(f.Cells) {
			continue
		}
		r := BrokenRule{Rule: m.Rules[f.Rule], Why: f.Why}
		for c, cells := range f.Cells {
			if !(model.Cells{join[c]}).Within(model.Cells{cells}) {
				r.Cells = append(r.Cells, fmt.Sprintf("%v: %s", m.Scalarsets[c], CellText(m.Scalarsets[c], cells)))
			}
		}
		if len(f.On) > 0 {
			r.Which = instancesText(m, f)
		}
		b.Rules = append(b.Rules, r)
	}
	return b
}

// CellText writes cells of a class: "1..2 | 3 | 4..8".
func CellText(t *model.Type, cells []int) string {
	text := ""
	for k, b := range (model.Cells{cells}).Blocks()[0] {
		if k > 0 {
			text += " | "
		}
		var values []int64
		for _, v := range b {
			values = append(values, t.First+int64(v))
		}
		text += valuesText(t, values)
	}
	return text
}

// valuesText writes ascending values of a type: "1..2, 4".
func valuesText(t *model.Type, values []int64) string {
	text := ""
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && values[j+1] == values[j]+1 {
			j++
		}
		if i > 0 {
			text += ", "
		}
		text += t.Format(values[i])
		if j > i {
			text += ".." + t.Format(values[j])
		}
		i = j + 1
	}
	return text
}

// instancesText names the instances of a family: "p in 1..2".
func instancesText(m *model.Model, f *model.Family) string {
	params := m.Rules[f.Rule].Params
	if len(f.On) == 1 {
		var values []int64
		for _, b := range f.Members {
			values = append(values, b[0])
		}
		v := params[f.On[0]].Var
		return fmt.Sprintf("%s in %s", v.Name, valuesText(v.Type, values))
	}
	text := ""
	for i, k := range f.On {
		if i > 0 {
			text += ", "
		}
		text += params[k].Var.Name
	}
	return fmt.Sprintf("(%s) in %d combinations", text, len(f.Members))
}
