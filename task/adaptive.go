package task

import (
	"context"
	"fmt"
	"math/big"
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
	Order *big.Int     // of the group that a rule keeps which breaks nothing
	Kept  *big.Int     // order of the group that all rules keep
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
	a, err := s.partial(ctx, props, s.t.Adaptive == "always")
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

// Partly returns the analysis of a model with the symmetry of each rule by itself, for explicit
// search; nil if too many rules break it, or none. It changes nothing of the task, and reads
// nothing of it that the preparation changes.
func (t *Task) Partly(ctx context.Context, props []int) (*Analysis, error) {
	s, ok := t.Source.(*modelSource)
	if !ok || t.Symmetry != "auto" || s.counted != nil {
		return nil, nil
	}
	return Within(ctx, func() (*Analysis, error) { return s.partial(ctx, props, false) })
}

// ByRule returns the analysis of a model of which some rules break symmetry; nil if none does. It
// changes nothing of the task.
func (t *Task) ByRule(ctx context.Context) (*Analysis, error) {
	s, ok := t.Source.(*modelSource)
	if !ok || t.Symmetry != "auto" {
		return nil, nil
	}
	return Within(ctx, func() (*Analysis, error) { return s.partial(ctx, t.Problem.Props, true) })
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
	p := &mc.Problem{Model: m, Props: props}
	if byTyping(p, !t.Hides()); full(m, inferred, p.Blocks) {
		return nil, nil
	}
	p = &mc.Problem{Model: m, Props: props}
	proposal := typing.Propose(m)
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
	meet, join := common(m, part, props)
	if meet.Equal(join) {
		return nil, nil
	}
	p.Partial = part
	a.Broken = broken(m, part, join)
	a.Broken.Order, a.Broken.Kept, a.Broken.Time = order(join), order(meet), time.Since(began)
	return a, nil
}

// common returns the cells that all rules and some properties keep, and the finest that contain
// those of each rule.
func common(m *model.Model, part *model.Partial, props []int) (meet, join model.Cells) {
	meet, join = model.WholeCells(m), model.SingleCells(m)
	for _, f := range part.Families {
		meet, join = meet.Meet(m, f.Cells), join.Join(m, f.Cells)
	}
	for _, i := range props {
		meet = meet.Meet(m, part.Props[i])
	}
	return meet, join
}

// worth reports whether few rules break much symmetry. Liveness is for exact search.
func worth(m *model.Model, part *model.Partial, props []int) bool {
	if slices.ContainsFunc(props, func(i int) bool { return m.Props[i].Kind == model.Liveness }) {
		return false
	}
	meet, join := common(m, part, props)
	bad := make(map[int]bool)
	for _, f := range part.Families {
		if !join.Within(f.Cells) {
			bad[f.Rule] = true
		}
	}
	most := new(big.Int).Mul(order(meet), big.NewInt(muchMore))
	return len(bad)*fewBroken <= len(m.Rules) && order(join).Cmp(most) >= 0
}

// order returns how many permutations are within cells.
func order(c model.Cells) *big.Int {
	n := big.NewInt(1)
	for _, blocks := range c.Blocks() {
		for _, b := range blocks {
			n.Mul(n, new(big.Int).MulRange(1, int64(len(b))))
		}
	}
	return n
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
