package task

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/internal/certify"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file prepares adaptive search: symmetry that some rules break (docs/theory/adaptive.md).

// Broken is partial symmetry as a reader sees it.
type Broken struct {
	Model *model.Model // with the classes that it is about
	Rules []BrokenRule // in the order of the model
	Order *big.Int     // of the group that a rule keeps which breaks nothing
	Kept  *big.Int     // order of the group that all rules keep
	Time  time.Duration
}

// BrokenRule is a family of instances that does not keep all permutations.
type BrokenRule struct {
	Rule  *model.Rule
	Kept  []string // by class of which it does not keep all, such as "PROC: 1..2 | 3..4 | 5..8", "PROC: ring(0..7)"
	Which string   // the instances, "" if it is all of the rule
	Why   []model.Split
}

// adaptive is analyse for adaptive search. If no rule breaks any symmetry, or there is nothing that
// could be broken, or it cannot be verified rule by rule, it is analyse for exact search.
func (s *modelSource) adaptive(ctx context.Context, props []int) (*Analysis, error) {
	a, err := s.partialLimited(ctx, props, s.t.Adaptive == "always")
	if a != nil || err != nil {
		return a, err
	}
	return s.encoded(ctx, props, false, nil)
}

// In auto mode adaptive search is worth it if at most one of fewBroken rules breaks symmetry, and orbits
// would be muchMore times as large without these rules: it takes several times as long for a state as
// exact search.
const (
	fewBroken = 3
	muchMore  = 4
)

// modelSource returns the source of a model, or of that of a program; nil for a netlist.
func (t *Task) modelSource() *modelSource {
	switch s := t.Source.(type) {
	case *modelSource:
		return s
	case *programSource:
		return &s.modelSource
	}
	return nil
}

// Partly returns the analysis of a model with the symmetry of each rule by itself, for explicit
// search; nil if too many rules break it, or none. It changes nothing of the task, and reads
// nothing of it that the preparation changes.
func (t *Task) Partly(ctx context.Context, props []int) (*Analysis, error) {
	s := t.modelSource()
	if s == nil || t.Symmetry != "auto" || s.counted != nil || t.Executions {
		return nil, nil
	}
	return Within(ctx, func() (*Analysis, error) { return s.partial(ctx, props, false) })
}

// ByRule returns the analysis of a model of which some rules break symmetry; nil if none does. It
// changes nothing of the task.
func (t *Task) ByRule(ctx context.Context) (*Analysis, error) {
	s := t.modelSource()
	if s == nil || t.Symmetry != "auto" {
		return nil, nil
	}
	return Within(ctx, func() (*Analysis, error) { return s.partialLimited(ctx, t.Problem.Props, true) })
}

// partialLimited is partial where nothing else goes on meanwhile; nil if it takes too many steps.
func (s *modelSource) partialLimited(ctx context.Context, props []int, always bool) (*Analysis, error) {
	limit, limited, cancel := s.limit(ctx, false, false)
	defer cancel()
	a, err := s.partial(limited, props, always)
	if limit.Over() && ctx.Err() == nil {
		return nil, nil
	}
	return a, err
}

// partial returns the analysis of a model with partial symmetry; nil if there is none that
// is more than the symmetry of all rules together. Unless always is set, it is also nil if
// that is not worth it.
func (s *modelSource) partial(ctx context.Context, props []int, always bool) (*Analysis, error) {
	t := s.t
	began := time.Now()
	m, inferred := infer.Partial(s.plain)
	if !slices.ContainsFunc(m.Scalarsets, func(y *model.Type) bool { return !y.Slots && y.Card() > 1 }) {
		return nil, nil
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m}, Props: props}
	if byTyping(p, !t.Hides()); full(m, inferred, p.Blocks) {
		return nil, nil
	}
	p = &mc.Problem{OfModel: mc.OfModel{Model: m, Reference: s.reference}, Props: props}
	proposal := typing.Propose(m, inferred.Rings())
	if !always && !worth(m, proposal, props) {
		return nil, nil
	}
	a := &Analysis{Problem: p}
	t.Phase("encoding")
	if p.Enc, p.EncErr = s.encode(ctx, m); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.Enc == nil {
		return nil, nil
	}
	a.EncodeTime = time.Since(began)
	p.Program = p.Enc.Program
	t.Phase("verifying the symmetry of each rule")
	part, err := certify.Partial(ctx, p.Enc, proposal)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || !always && !worth(m, part, props) {
		return nil, nil
	}
	meet, all := common(m, part, props), referenceGroup(m, part)
	if all.Within(m, meet) {
		return nil, nil
	}
	p.Partial = part
	a.Broken = broken(m, part, all)
	a.Broken.Order, a.Broken.Kept, a.Broken.Time = all.Order(), meet.Order(), time.Since(began)
	return a, nil
}

// common returns what all rules and some properties keep.
func common(m *model.Model, part *model.Partial, props []int) model.Kept {
	meet := model.Kept{Cells: model.WholeCells(m)}
	for _, f := range part.Families {
		meet = meet.Meet(m, f.Kept)
	}
	for _, i := range props {
		meet = meet.Meet(m, part.Props[i])
	}
	return meet
}

// referenceGroup returns what rules are said to break: a group that contains what each of them keeps. If that
// is more than few rules keep, and they compute with values, it is rotations in the place of all else that
// moves these.
func referenceGroup(m *model.Model, part *model.Partial) model.Kept {
	join := model.Kept{Cells: model.SingleCells(m)}
	for _, f := range part.Families {
		join = join.Join(m, f.Kept)
	}
	if few(m, part, join) {
		return join
	}
	turned := join
	for _, f := range part.Families {
		for _, r := range f.Rings {
			turned = turned.Rotated(m, r, min(r.Step, turned.Step(m, r)))
		}
	}
	return turned
}

// few reports whether few rules do not keep a group.
func few(m *model.Model, part *model.Partial, of model.Kept) bool {
	bad := make(map[int]bool)
	for _, f := range part.Families {
		if !of.Within(m, f.Kept) {
			bad[f.Rule] = true
		}
	}
	return len(bad)*fewBroken <= len(m.Rules)
}

// worth reports whether few rules break much symmetry. Rotations do not count: there are too few of them. Liveness
// is for exact search.
func worth(m *model.Model, part *model.Partial, props []int) bool {
	if slices.ContainsFunc(props, func(i int) bool { return m.Props[i].Kind.Graph() }) {
		return false
	}
	all := model.Kept{Cells: referenceGroup(m, part).Cells}
	most := model.Kept{Cells: common(m, part, props).Cells}.Order()
	return few(m, part, all) && all.Order().Cmp(most.Mul(most, big.NewInt(muchMore))) >= 0
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

// broken says which rules do not keep the reference.
func broken(m *model.Model, part *model.Partial, reference model.Kept) *Broken {
	b := &Broken{Model: m}
	for i := range part.Families {
		f := &part.Families[i]
		if reference.Within(m, f.Kept) {
			continue
		}
		r := BrokenRule{Rule: m.Rules[f.Rule], Why: f.Why}
		for c, y := range m.Scalarsets {
			all, own := KeptText(y, reference, c), KeptText(y, f.Kept, c)
			if all == own {
				continue
			}
			for _, q := range reference.Rings {
				if q.Class == c && f.Step(m, q) == len(q.Values) {
					own += ", no rotation of " + elementsText(y, q.Values)
				}
			}
			r.Kept = append(r.Kept, fmt.Sprintf("%v: %s", y, own))
		}
		if len(f.On) > 0 {
			r.Which = instancesText(m, f)
		}
		b.Rules = append(b.Rules, r)
	}
	return b
}

// KeptText writes what a group does to a class: "1..2 | 3 | 4..8", "ring(0..7) | 8", or "ring(0..7) by 2"
// for rotations by multiples of two.
func KeptText(t *model.Type, of model.Kept, class int) string {
	var parts []string
	in := make(map[int]bool) // values of rings
	for _, r := range of.Rings {
		if r.Class != class {
			continue
		}
		text := "ring(" + elementsText(t, r.Values) + ")"
		if r.Step > 1 {
			text += fmt.Sprint(" by ", r.Step)
		}
		parts = append(parts, text)
		for _, v := range r.Values {
			in[v] = true
		}
	}
	for _, b := range (model.Cells{of.Cells[class]}).Blocks()[0] {
		if !in[b[0]] {
			parts = append(parts, elementsText(t, b))
		}
	}
	return strings.Join(parts, " | ")
}

// elementsText writes ascending values of a class, by number.
func elementsText(t *model.Type, numbers []int) string {
	return valuesText(t, lists.Map(numbers, func(v int) int64 { return t.First + int64(v) }))
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
		values := lists.Map(f.Members, func(b []int64) int64 { return b[0] })
		v := params[f.On[0]].Var
		return fmt.Sprintf("%s in %s", v.Name, valuesText(v.Type, values))
	}
	names := lists.Map(f.On, func(k int) string { return params[k].Var.Name })
	return fmt.Sprintf("(%s) in %d combinations", strings.Join(names, ", "), len(f.Members))
}
