package portfolio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orbitmc/internal/certify"
	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file tries to prove a model for every size with lemmas of small sizes. The lemmas are
// written into the model as invariants, package param drops those that are not inductive, and what is
// left is checked from the text of the model alone.

// manyInstances is how many instances a part of a condition may have at a size, where there is an SMT solver that needs none.
const manyInstances = 10000

// lemmaLines is how many lines withLemmas takes for a lemma.
const lemmaLines = 3

// withLemmas returns the model with the functions that lemmas call, and lemmas as invariants, the first of them from line first on.
func withLemmas(src []byte, lemmas []string, counters ...counter) (out []byte, first int) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", bytes.TrimRight(src, "\n"))
	for _, c := range counters {
		if slices.ContainsFunc(lemmas, func(l string) bool { return strings.Contains(l, c.name+"()") }) {
			fmt.Fprintf(&b, "\n%s\n", c.text)
		}
	}
	first = bytes.Count(b.Bytes(), []byte("\n")) + 1
	for i, l := range lemmas {
		fmt.Fprintf(&b, "\ninvariant \"lemma %d\"\n  %s;\n", i+1, l)
	}
	return b.Bytes(), first
}

// prove tries to prove the model for every size with the lemmas so far, and with those that exclude the
// counterexamples to induction that it meets.
func (e *Every) prove(ctx context.Context) error {
	err := e.rounds(ctx)
	if err == nil && e.Proved == nil && e.Stopped == "" && e.stuck && e.Partial == nil {
		own, obstacle := e.options.Deadlock, e.obstacle
		e.options.Deadlock = model.DeadlockOff
		err = e.rounds(ctx)
		e.Partial, e.Proved = e.Proved, nil
		e.options.Deadlock, e.obstacle = own, obstacle
	}
	return e.cut(ctx, err)
}

// rounds makes attempts until one succeeds, or no counterexample to induction can be excluded.
func (e *Every) rounds(ctx context.Context) error {
	e.sift(ctx)
	for range ctiRounds {
		c, met, err := e.attempt(ctx)
		if err != nil || e.Proved != nil || e.Stopped != "" {
			return err
		}
		more := e.exclude(ctx, c, met)
		if more == nil {
			break
		}
		e.lemmas = append(e.lemmas, more...)
	}
	return nil
}

// cut returns an error, unless it only says that ctx ended.
func (e *Every) cut(ctx context.Context, err error) error {
	if task.CutShort(ctx, err) {
		e.Stopped = mc.StopReason(ctx)
		return nil
	}
	return err
}

// attempt tries to prove the model with the lemmas so far, as candidates or, if Induct, as they are.
func (e *Every) attempt(ctx context.Context) (c *param.Conditions, met []*param.CTI, err error) {
	began := time.Now()
	if e.numbers != nil && !e.Induct {
		c := e.numbers
		e.numbers = nil
		if err := e.equations(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	src, first := withLemmas(e.source, e.lemmas, e.counters...)
	m, err := e.parse(src, e.Free, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("internal error: a lemma cannot be read: %w", err)
	}
	e.phase("making conditions with %s", task.Plural(len(e.lemmas), "lemma"))
	lemma := func(p *model.Property) bool { return p.Pos.Line >= first }
	candidate := func(p *model.Property) bool { return !e.Induct && lemma(p) }
	c, err = param.New(e.meter.With(ctx), m, e.Leasts(), candidate)
	if task.CutShort(ctx, err) {
		return nil, nil, err
	}
	var refused *param.Refusal
	if errors.As(err, &refused) {
		if o := e.offerAt(refused.Pos, first); o != nil {
			return nil, nil, fmt.Errorf("%s: %s", o.At, refused.Msg)
		}
	}
	if err != nil {
		e.obstacle = err.Error()
		e.Stopped = "the model is outside what is proved for every size"
		return nil, nil, nil
	}
	c.Watch = func(size, most []int, step, steps int) {
		e.phase("refuting conditions, of %d of %d steps, %s (up to %s)", step, steps, sizes(c, size), sizes(c, most))
	}
	c.Met = func(cti *param.CTI) {
		if len(met) < ctiMost {
			met = append(met, cti)
		}
	}
	c.Each = e.Induct
	if e.meter == nil && certify.HasSMT() {
		c.Most = manyInstances
	}
	if c.Most > 0 && !e.Induct && c.Heavy() {
		if err := e.bySMT(ctx, c, first); err != nil || e.Proved != nil {
			return c, met, err
		}
	}
	o, err := c.Prove(ctx, counted(e.meter, (&task.Task{Options: e.Task}).NewSolver), func(j int) bool { return candidate(c.Conjuncts[j].Prop) })
	if err != nil {
		return nil, nil, err
	}
	e.judge(ctx, c, o, first)
	explain := func() error { return nil }
	if e.Induct {
		e.Prepared = time.Since(began).Seconds()
		explain = func() error { return e.explain(ctx, c, o, src, first) }
	}
	if !o.Proved() {
		e.stuck = o.Failed.Step == nil
		if e.obstacle = e.why(c, o); e.Induct {
			e.obstacle = fmt.Sprintf("%d of %s have a model", len(o.Open), task.Plural(o.Conditions, "condition"))
		}
		if !o.Weak || e.meter != nil {
			return c, met, explain()
		}
	}
	var kept []string
	for j, k := range c.Conjuncts {
		if lemma(k.Prop) && o.Kept[j] {
			kept = append(kept, e.lemmas[(k.Prop.Pos.Line-first)/lemmaLines])
		}
	}
	if err := e.check(ctx, o, c.Order, kept); err != nil || e.Proved != nil {
		return c, met, err
	}
	return c, met, explain()
}

// check has the proof of an outcome checked: it reads the model with the lemmas that are left anew. If only conditions are
// left open about which few sizes say nothing, an SMT solver decides them.
func (e *Every) check(ctx context.Context, o *param.Outcome, order []int, kept []string) error {
	src, _ := withLemmas(e.source, kept, e.counters...)
	m, err := e.parse(src, e.Free, nil)
	if err != nil {
		return err
	}
	proof := &Proof{Evidence: &evidence.Every{Model: m, Least: e.Leasts(), Order: order}, Outcome: o, Lemmas: kept}
	if proof.Conditions, err = param.New(e.meter.With(ctx), m, e.Leasts(), nil); err != nil {
		return err
	}
	proof.CPU = -task.CPUSeconds()
	queries := 0
	spend := func(literals int64) {
		queries++
		e.phase("checking the proof, query %d", queries)
		e.meter.Spend(literals * perChecked)
	}
	e.phase("checking the proof")
	if o.Proved() {
		proof.How, err = certify.Every(e.meter.With(ctx), proof.Evidence, spend)
	} else {
		e.phase("checking the proof with an SMT solver")
		var open *certify.OpenError
		proof.How, err = certify.EverySMT(ctx, proof.Evidence)
		if errors.Is(err, certify.ErrNoSolver) || errors.As(err, &open) {
			e.obstacle += "; " + err.Error()
			return nil
		}
	}
	if err != nil {
		return err
	}
	proof.CPU += task.CPUSeconds()
	e.Proved, e.Stopped = proof, ""
	return nil
}

// bySMT tries to prove the model with those of the lemmas that an SMT solver leaves: those that a step may break are
// dropped, and it is asked again (Flanagan, Leino: Houdini, FME 2001). c has all of them, from a line on.
func (e *Every) bySMT(ctx context.Context, c *param.Conditions, from int) error {
	o := &param.Outcome{Failed: c.Conditions()[0], Weak: true, Kept: make([]bool, len(c.Conjuncts)), Lost: make([]bool, len(c.Conjuncts))}
	of := make(map[string]int) // conjuncts by lemma
	for j, k := range c.Conjuncts {
		if o.Kept[j] = true; k.Prop.Pos.Line >= from {
			of[e.lemmas[(k.Prop.Pos.Line-from)/lemmaLines]] = j
		}
	}
	o.Cutoff = lists.Map(c.Sorts, func(s param.Sort) int { return s.Least })
	for kept := e.lemmas; ; {
		src, first := withLemmas(e.source, kept, e.counters...)
		m, err := e.parse(src, e.Free, nil)
		if err != nil {
			return err
		}
		e.phase("asking an SMT solver about %s", task.Plural(len(kept), "lemma"))
		lost, err := certify.SiftSMT(ctx, &evidence.Every{Model: m, Least: e.Leasts(), Order: c.Order})
		if err != nil {
			return err
		}
		var left []string
		for _, p := range m.Props {
			if i := (p.Pos.Line - first) / lemmaLines; p.Pos.Line >= first && lost[p] {
				o.Kept[of[kept[i]]], o.Lost[of[kept[i]]] = false, true
			} else if p.Pos.Line >= first {
				left = append(left, kept[i])
			}
		}
		if len(left) == len(kept) {
			if err = e.check(ctx, o, c.Order, kept); e.Proved != nil {
				e.judge(ctx, c, o, from)
			}
			return err
		}
		kept = left
	}
}

// sizes writes the size of each sort.
func sizes(c *param.Conditions, size []int) string {
	var at []string
	for i, s := range c.Sorts {
		at = append(at, fmt.Sprintf("%s=%d", s.Constant, size[i]))
	}
	return strings.Join(at, ", ")
}

// why says what an outcome failed at.
func (e *Every) why(c *param.Conditions, o *param.Outcome) string {
	pos, place := c.Pos(o.Failed), e.File
	if pos.Line > 0 {
		place = fmt.Sprintf("%s:%v", e.File, pos)
	}
	text := fmt.Sprintf("%s: the lemmas leave open %s (%s)", place, c.Name(o.Failed), sizes(c, o.Size))
	switch {
	case o.Heavy:
		text += "; so many components are left to an SMT solver"
	case o.Weak:
		text += "; the condition has a quantifier over some components inside one over all"
	}
	return text
}

// Write writes the model with the lemmas as invariants. It is proved again from the file alone. If its name ends with .tla
// or .ivy, it is a module of TLA+ or Ivy, and with .smt2 the conditions for SMT solvers.
func (e *Every) Write(w *bufio.Writer, file string) error {
	if e.Proved == nil {
		return ErrNotProved
	}
	switch end := filepath.Ext(file); end {
	case ".tla":
		return e.Proved.Conditions.WriteTLA(w, strings.TrimSuffix(filepath.Base(file), end))
	case ".ivy":
		return e.Proved.Conditions.WriteIvy(w)
	case ".smt2":
		return e.Proved.Conditions.WriteSMT(w)
	}
	out, _ := withLemmas(e.source, e.Proved.Lemmas, e.counters...)
	_, err := w.Write(out)
	return err
}
