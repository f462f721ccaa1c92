package task

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"orbitmc/detect/typing"
	"orbitmc/encode"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file is about symmetry by typing (docs/theory/symmetry.md), which explicit search can use
// at once.

// Typed is symmetry that was found by typing.
type Typed struct {
	Group string // such as Sym(NODE, 8) x Sym(DATA, 2)
	Order *big.Int
	Swaps int // of neighbours, which generate it
	Time  time.Duration

	classes []int // that are not trivial
	Open    []int // classes of which typing does not show all that there may be

	// Why says of declared classes of Open what rules out every exchange: "P: 5:50: turns of the loop at 5:27 meet in c and c".
	Why []string

	model  *model.Model
	blocks [][][]int

	// Refuted are the open classes of which reachable states show that there is no more.
	Refuted []*model.Type
}

// NotShown says of each class of a model what first keeps its text from showing that the values are interchangeable: "P:
// file.m:6:3: what stops early may err behind that". It is for runs without the symmetry.
func (t *Task) NotShown() (all []string) {
	m := t.Problem.Model
	if m == nil || t.Symmetry == "off" || t.Typed != nil || t.Broken != nil || t.Report != nil && t.Partial == "" {
		return nil
	}
	report := typing.Check(m)
	for c, y := range m.Scalarsets {
		if k := &report.Classes[c]; !y.Slots && y.Card() > 1 && !k.ByForm(t.Problem.Props, !t.Hides()) {
			if o := k.First(t.Problem.Props); o != nil {
				place := fmt.Sprintf("%s:%v: ", t.File, o.Pos)
				if o.Pos.Line == 0 { // it has no text
					place = ""
				}
				all = append(all, fmt.Sprintf("%v: %s%s", y, place, o.Reason))
			}
		}
	}
	return all
}

// manyWarned is the most leaves of a model that is encoded for warnings alone.
const manyWarned = 1000

// byTyping adds to a problem the symmetry that is found by typing, and derived again by
// the checker of evidence. It returns nil if there is none, and for formulas that look back: they are decided without.
// If loose is set, it may count only where no quantifier hides an error (mc.Problem.Strict).
func byTyping(p *mc.Problem, loose bool) *Typed {
	began := time.Now()
	m := p.Model
	fair := m.Fairly(p.Props)
	if m.LooksBack(p.Props) || fair && m.FairByParts() {
		return nil
	}
	report := typing.Check(m)
	var strict model.Strict
	if loose = loose && !fair; loose {
		strict = make(model.Strict)
	}
	blocks, ok := report.Blocks(m, p.Props, strict)
	if !ok {
		return nil
	}
	y := &Typed{Order: big.NewInt(1), model: m, blocks: blocks}
	var factors []string
	for c, t := range m.Scalarsets {
		if t.Slots || t.Card() < 2 {
			continue
		}
		if !report.Classes[c].ByForm(p.Props, loose) {
			y.Open = append(y.Open, c)
			if o := report.Classes[c].NotByForm(p.Props); o != nil && !t.Alike {
				y.Why = append(y.Why, fmt.Sprintf("%v: %v: %s", t, o.Pos, o.Reason))
			}
		}
		if len(blocks[c]) < int(t.Card()) {
			y.classes = append(y.classes, c)
		}
		for _, b := range blocks[c] {
			if n := len(b); n > 1 {
				factors = append(factors, fmt.Sprintf("Sym(%v, %d)", t, n))
				y.Order.Mul(y.Order, new(big.Int).MulRange(1, int64(n)))
				y.Swaps += n - 1
			}
		}
	}
	if y.Swaps == 0 {
		return nil
	}
	joint, again, err := states.TypedSets(p, blocks, p.Props, report.Joint...)
	if err != nil || len(again) > 0 && !loose {
		return nil
	}
	maps.Copy(strict, again)
	y.Group, y.Time = strings.Join(factors, " x "), time.Since(began)
	own := *p
	if own.Blocks, own.Joint, own.Typed, own.Strict = blocks, joint, true, strict; fair && !own.EachRule() {
		return nil
	}
	*p = own
	return y
}

// mostStarts is how many start states movesStarts looks at.
const mostStarts = 1 << 12

// MovesStarts reports whether the symmetry of explicit search leads out of the start states. It may be used nevertheless,
// from these states as they are, as a path in the quotient lifts; other engines use what keeps them.
func (t *Task) MovesStarts() bool {
	if t.Typed != nil {
		return movesStarts(t.Typed.model, t.Typed.blocks, nil)
	}
	p := t.Problem
	return p.Model != nil && t.Report != nil && movesStarts(p.Model, p.Blocks, p.Rings)
}

// movesStarts reports whether permutations within blocks, or rotations of rings, lead out of the start states. Of a model
// with more than mostStarts of them it is false.
func movesStarts(m *model.Model, blocks [][][]int, rings []model.Ring) bool {
	perms := m.Exchanges(blocks)
	for _, r := range rings {
		perms = append(perms, m.Rotation(r, r.Step))
	}
	if len(perms) == 0 {
		return false
	}
	p := model.Compile(m)
	starts := make(map[string]model.State)
	p.NewMachine().Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v == nil {
			starts[fmt.Sprint(s)] = slices.Clone(s)
		}
		return len(starts) <= mostStarts
	})
	return len(starts) <= mostStarts && slices.ContainsFunc(perms, func(perm model.ScalarPerm) bool {
		for _, s := range starts {
			image := slices.Clone(s)
			p.ApplyPerm(perm, s, image)
			if _, ok := starts[fmt.Sprint(image)]; !ok {
				return true
			}
		}
		return false
	})
}

// strict returns the encoding of a model whose quantifiers do not stop early: more symmetry holds
// then, as long as none of them hides an error. nil: none, as that is not wanted, or brings
// nothing.
func (s *modelSource) strict(ctx context.Context, m *model.Model, props []int) *encode.Encoding {
	t := s.t
	if !t.Restarts || t.Hides() || t.Symmetry != "auto" && t.Symmetry != "declared" {
		return nil
	}
	if slices.ContainsFunc(props, func(p int) bool { return m.Props[p].Kind.Graph() }) { // it is decided by other systems
		return nil
	}
	set := typing.Check(m).Strict(m, props)
	if set == nil {
		return nil
	}
	enc, err := encode.Strict(ctx, m, set)
	if err != nil || !enc.MayHide() { // all operands that are reached are defined
		return nil
	}
	return enc
}

// encodeStrict encodes a model with all quantifiers evaluated to the end that might hide an
// error, as its certificates say.
func encodeStrict(ctx context.Context, m *model.Model) (*encode.Encoding, error) {
	all := lists.Make(len(m.Props), func(i int) int { return i })
	return encode.Strict(ctx, m, typing.Check(m).Strict(m, all))
}

// typed returns the analysis of a model whose symmetry is found by typing, all of it; nil if it
// is not. What is declared is all, if anything is. There is an encoding, for warnings, if that costs little.
func (s *modelSource) typed(ctx context.Context, m *model.Model, props []int) *Analysis {
	a := &Analysis{Problem: s.problem(m, props)}
	y := byTyping(a.Problem, !s.t.Hides())
	if y == nil {
		return nil
	}
	inferred := func(c int) bool { return m.Scalarsets[c].Alike }
	if len(s.scalarsets()) > 0 {
		y.Open = slices.DeleteFunc(y.Open, inferred)
	}
	if len(y.Open) > 0 {
		if slices.ContainsFunc(y.Open, inferred) || !typing.Refuted(model.Compile(m), y.Open, a.Problem.Blocks) {
			return nil
		}
		y.Refuted = lists.Map(y.Open, func(c int) *model.Type { return m.Scalarsets[c] })
	}
	if m != s.plain && !slices.ContainsFunc(y.classes, inferred) { // the encoding is better without
		if b := s.typed(ctx, s.plain, props); b != nil {
			return b
		}
	}
	a.Typed = y
	a.compile(ctx, s.encode)
	return a
}

// compile adds the program to a problem for explicit search, and an encoding that warnings look at, if that costs
// little.
func (a *Analysis) compile(ctx context.Context, encoded func(context.Context, *model.Model) (*encode.Encoding, error)) {
	p := a.Problem
	slots := slices.ContainsFunc(p.Model.Scalarsets, func(t *model.Type) bool { return t.Slots })
	if !slots && len(p.Strict) == 0 && p.Model.Leaves() <= manyWarned {
		began := time.Now()
		p.Enc, p.EncErr = encoded(ctx, p.Model)
		a.EncodeTime = time.Since(began)
	}
	if p.Enc != nil {
		p.Program = p.Enc.Program
	} else {
		p.Program = model.Compile(p.Model)
	}
}

// Hide says that a quantifier hides an error (mc.Result.Hidden). Symmetry that counts only where
// none does is not used from then on.
func (t *Task) Hide() { t.hidden.Store(true) }

// Hides reports whether Hide was called.
func (t *Task) Hides() bool { return t.hidden.Load() }

// Plain returns the analysis that explicit search can begin with at once: the compiled model,
// without symmetry and without an encoding. It changes nothing of the task.
func (t *Task) Plain(ctx context.Context) (*Analysis, error) {
	return Within(ctx, func() (*Analysis, error) {
		m := t.Problem.Model
		return &Analysis{Problem: &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Counters: t.Problem.Counters, Typing: t.Problem.Typing, Reference: t.Problem.Reference}, Props: t.Problem.Props}}, nil
	})
}

// Quick returns the analysis that Plain returned, with the symmetry that the text of the model
// shows. It changes nothing of the task.
func (t *Task) Quick(ctx context.Context, plain *Analysis) (*Analysis, error) {
	return Within(ctx, func() (*Analysis, error) {
		p := *plain.Problem
		a := &Analysis{Problem: &p}
		if t.Symmetry == "auto" || t.Symmetry == "declared" {
			a.Typed = byTyping(a.Problem, !t.Hides())
		}
		return a, nil
	})
}
