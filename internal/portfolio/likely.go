package portfolio

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"orbitmc/detect/typing"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/counters"
	"orbitmc/internal/explicit"
	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/internal/markov"
	"orbitmc/internal/pctl"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file decides formulas of PCTL: explicit search finds the states, package markov bounds what is asked, and
// internal/certify/states checks the bounds and says what follows from them.

// Likelihoods is what formulas of PCTL were found to be.
type Likelihoods struct {
	Model    string       `json:"model"`
	Formulas []Likelihood `json:"formulas"`
	States   int64        `json:"states"` // one of each orbit
	Actions  int          `json:"actions"`
	Branches int          `json:"branches"`
	Symmetry string       `json:"symmetry"`           // such as Sym(P, 3), verified; "" without
	Counters string       `json:"counters,omitempty"` // what is counted
	Stopped  string       `json:"stopped,omitempty"`  // why not all states were visited
}

// Likelihood is what one formula was found to be.
type Likelihood struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Verdict string `json:"verdict" enum:"holds fails unknown value"`
	// Of a question and of a comparison with a bound: the digits that are certain, rounded, or "infinity"; "" if none is.
	// Low and High bound the value. With several start states they are for the worst of them.
	Value string `json:"value,omitempty"`
	Low   string `json:"low,omitempty"`
	High  string `json:"high,omitempty"`
}

// LikelyOptions say how formulas of PCTL are decided.
type LikelyOptions struct {
	Formulas  []string // as murphi.Options.Chances
	Precision float64  // of answers to questions
	Threads   int
	Memory    int64 // of the search; 0: no limit
	Variant   LikelyVariant
}

// LikelyVariant spoils the symmetry or the bounds, for tests.
type LikelyVariant struct {
	Blocks func(m *model.Model) [][][]int
	Spoil  func(bounds []*markov.Bounds)
}

// Likely decides formulas of PCTL about a model. The error is that of reading, or says where probabilities do not add up,
// a step errs, or evidence is wrong. If ctx ends before, verdicts are unknown.
func Likely(ctx context.Context, file string, o task.Options, opt LikelyOptions) (*Likelihoods, error) {
	m, weighed, err := readLikely(file, o, opt.Formulas)
	if err != nil {
		return nil, err
	}
	r := &Likelihoods{Model: file}
	for _, q := range m.Chances {
		r.Formulas = append(r.Formulas, Likelihood{Name: q.Name, Formula: q.Text, Verdict: mc.Unknown.String()})
	}
	depth := 0 // that formulas look at; -1: all
	for _, q := range m.Chances {
		if depth = max(depth, q.Formula.Horizon()); q.Formula.Horizon() < 0 {
			depth = -1
			break
		}
	}
	var atoms []int
	for _, q := range m.Chances {
		atoms = append(atoms, lists.Map(q.Atoms, func(p *model.Property) int { return p.Index })...)
	}
	searched, stored, counted, err := countLikely(&m, &weighed, o.Abstract)
	if err != nil {
		return nil, err
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Typed: true, Blocks: make([][][]int, len(m.Scalarsets))}, Props: []int{m.Runtime().Index}}
	if o.Symmetry != "off" || counted != nil {
		if blocks, ok := typing.Check(weighed).Blocks(weighed, atoms, nil); ok {
			if _, strict, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: weighed}}, blocks, atoms); err == nil && len(strict) == 0 {
				p.Blocks = blocks
			}
		}
	}
	if opt.Variant.Blocks != nil {
		p.Blocks = opt.Variant.Blocks(m)
	}
	blocks := slices.Clone(p.Blocks) // of what is searched
	if counted != nil {
		class := counted.Class.Class
		if !slices.ContainsFunc(blocks[class], func(b []int) bool { return slices.Equal(b, counted.Counted) }) {
			return nil, fmt.Errorf("%s: the text does not show that all components of %v have the same probabilities, so counters cannot be checked", file, counted.Class)
		}
		if o.Symmetry == "off" {
			clear(blocks)
			clear(p.Blocks)
			p.Blocks[class] = [][]int{counted.Counted}
		}
		blocks[class], r.Counters = nil, counted.Summary()
	}
	var factors []string
	for c, class := range blocks {
		for _, b := range class {
			if len(b) > 1 {
				factors = append(factors, fmt.Sprintf("Sym(%v, %d)", m.Scalarsets[c], len(b)))
			}
		}
	}
	r.Symmetry = strings.Join(factors, " x ")
	search := explicit.Options{Blocks: blocks, Whole: true, Props: p.Props, Threads: opt.Threads, MemLimit: opt.Memory, Bounded: depth >= 0, MaxDepth: depth}
	if factors != nil {
		search.Canon = explicit.Exact
	}
	code := model.Compile(searched)
	found, err := explicit.Run(ctx, code, search)
	if err != nil {
		return nil, err
	}
	members := found.Visited
	if r.States = found.States; members == nil {
		members = found.Seen
	}
	if members == nil || !found.Complete && len(found.Violations) == 0 && (depth < 0 || found.Depth < depth) {
		r.Stopped = string(found.Reason)
		return r, nil
	}
	process, err := markov.Build(ctx, searched, model.Compile(stored), members, depth >= 0)
	if f, ok := err.(*markov.Failure); ok {
		return nil, located(file, o, searched, f)
	}
	if task.CutShort(ctx, err) {
		r.Stopped = mc.StopReason(ctx)
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.Actions, r.Branches = len(process.Begin)-1, len(process.To)
	known, err := holdsAt(m.Chances, code, members)
	if err != nil {
		return nil, err
	}
	if counted != nil {
		members = certify.WrittenOut(counted, p.Program, members)
	}
	var checker *states.Likely
	for i, q := range m.Chances {
		if a := q.Formula.Ask; a != nil && a.Cmp == "" && a.Which == "" && process.Chooses() {
			return nil, fmt.Errorf("%s: not all is left to chance: ask for the least or the greatest value, %smin=? or %smax=?", q.Text, q.Text[:1], q.Text[:1])
		}
		bounds, _ := markov.Decide(ctx, process, q.Formula, known[i], opt.Precision)
		if opt.Variant.Spoil != nil {
			opt.Variant.Spoil(bounds)
		}
		if checker == nil {
			if checker, err = states.NewLikely(context.WithoutCancel(ctx), p, weighed, members, atoms, depth); err != nil {
				return nil, fmt.Errorf("the evidence is wrong: %w", err)
			}
		}
		answer, err := checker.Check(context.WithoutCancel(ctx), q, bounds)
		if err != nil {
			return nil, fmt.Errorf("the evidence for %s is wrong: %w", q.Text, err)
		}
		r.Formulas[i].show(q.Formula, answer)
	}
	return r, nil
}

// readLikely reads a model twice: as it is, and so that it stores probabilities.
func readLikely(file string, o task.Options, formulas []string) (m, weighed *model.Model, err error) {
	opt, err := task.ModelOptions(o)
	if err != nil {
		return nil, nil, err
	}
	if opt.Source, err = o.Read(file); err != nil {
		return nil, nil, err
	}
	opt.PCTL, opt.Chances = true, formulas
	if m, err = murphi.ReadFile(file, opt); err != nil {
		return nil, nil, err
	}
	if len(m.Chances) == 0 {
		return nil, nil, fmt.Errorf("%s: there is no formula: give --pctl FORMULA, or write pctl FORMULA; into the file", file)
	}
	opt.Weights = true
	weighed, err = murphi.ReadFile(file, opt)
	if err == nil {
		m.LoopMax, weighed.LoopMax = o.LoopMax, o.LoopMax
	}
	return m, weighed, err
}

// countLikely returns what is searched in place of a model, read in both ways: the same, or what counts components. Then
// the models are replaced by those that were counted.
func countLikely(m, weighed **model.Model, abstract string) (searched, stored *model.Model, t *counters.Translation, err error) {
	counting, cut := task.Counting(abstract)
	switch {
	case cut > 0:
		return nil, nil, nil, fmt.Errorf("--abstract %s: counters that stop do not say how likely a step is; pctl takes --abstract counters", abstract)
	case !counting:
		return *m, *weighed, nil, nil
	}
	if t, err = task.Counted(*m, 0); err != nil {
		return nil, nil, nil, err
	}
	w, err := task.Counted(*weighed, 0)
	if err == nil && (w.Class.Class != t.Class.Class || w.Model.Leaves()-t.Model.Leaves() != (*weighed).Leaves()-(*m).Leaves()) {
		err = fmt.Errorf("%s: the probabilities cannot be counted by %v", t.Concrete.File, t.Class)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	*m, *weighed = t.Concrete, w.Concrete
	return t.Model, w.Model, t, nil
}

// located says where probabilities are wrong, and in which state.
func located(file string, o task.Options, m *model.Model, f *markov.Failure) error {
	text := f.Text
	if f.State != nil {
		var values []string
		for i, l := range m.AllLeaves() {
			if v := f.State[i]; v != model.Undef && len(values) < 20 {
				values = append(values, l.Name+" = "+l.Type.Format(v))
			}
		}
		text += ", in the state " + strings.Join(values, ", ")
	}
	src, _ := o.Read(file)
	return front.ErrorAt(file, string(src), f.Pos, text)
}

// holdsAt says, by formula and atom, in which states it holds.
func holdsAt(formulas []*model.Likelihood, p *model.Program, members evidence.Closure) (all [][][]bool, err error) {
	machine, packer, s := p.NewMachine(), model.NewPacker(p.Model), make(model.State, p.Model.Leaves())
	for _, q := range formulas {
		holds := make([][]bool, len(q.Atoms))
		for i := range members.Len() {
			packer.Unpack(members.Member(i), s)
			for k, a := range q.Atoms {
				ok, v := machine.Holds(s, a.Index, nil)
				if v != nil {
					return nil, fmt.Errorf("%s: the evaluation errs: %s", q.Text, v.Message)
				}
				holds[k] = append(holds[k], ok)
			}
		}
		all = append(all, holds)
	}
	return all, nil
}

// show says what an answer is.
func (l *Likelihood) show(f *pctl.Formula, a *states.Answer) {
	l.Verdict = map[pctl.Truth]string{pctl.Holds: "holds", pctl.Fails: "fails", pctl.Open: mc.Unknown.String()}[a.Truth]
	if f.Op != pctl.Asked {
		return
	}
	l.Value, l.Low, l.High = Certain(a.Lo, a.Hi), fmt.Sprint(a.Lo), fmt.Sprint(a.Hi)
	if f.Ask.Cmp == "" && l.Value != "" {
		l.Verdict = "value"
	} else if f.Ask.Cmp == "" {
		l.Verdict = mc.Unknown.String()
	}
}

// Certain returns a number between lo and hi, rounded to as many digits as both agree in; "" if they agree in none.
func Certain(lo, hi float64) string {
	if math.IsInf(lo, 1) {
		return "infinity"
	}
	if lo == hi {
		return strconv.FormatFloat(lo, 'f', -1, 64)
	}
	for digits := 15; digits >= 0 && !math.IsInf(hi, 1); digits-- {
		if x := strconv.FormatFloat(lo, 'e', digits, 64); x == strconv.FormatFloat(hi, 'e', digits, 64) {
			r, _ := new(big.Rat).SetString(x)
			_, exponent, _ := strings.Cut(x, "e")
			e, _ := strconv.Atoi(exponent)
			return r.FloatString(max(0, digits-e))
		}
	}
	for digits := 15; digits > 0; digits-- {
		if x := strconv.FormatFloat(lo, 'f', digits, 64); x == strconv.FormatFloat(hi, 'f', digits, 64) {
			return x
		}
	}
	return ""
}
