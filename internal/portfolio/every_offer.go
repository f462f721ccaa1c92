package portfolio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/param"
	"orbitmc/internal/task"
	"orbitmc/model"
)

// This file takes lemmas that a user offers. They are candidates as others are: no proof rests on one that is not
// among its checked conjuncts.

// Offer is a lemma that a user offers.
type Offer struct {
	Name    string `json:"name"`
	At      string `json:"at"`
	Expr    string `json:"expr"`
	Verdict string `json:"verdict,omitempty"` // used, not needed, or why it was dropped; "" before a proof was tried
}

// offers reads the lemmas that are offered. Positions in errors are those of their files.
func (e *Every) offers() error {
	var offered []string
	for _, file := range e.Offered {
		src, err := task.Options{Files: e.Task.Files}.Read(file)
		if err != nil {
			return err
		}
		all, rest, err := murphi.Lemmas(file, src, e.options.Dialect)
		if err != nil {
			return err
		}
		before := slices.Concat(bytes.TrimRight(e.source, "\n"), []byte("\n"))
		_, err = e.parse(slices.Concat(before, src), e.Free, nil)
		var list murphi.ErrorList
		if errors.As(err, &list) {
			for _, x := range list {
				if base := bytes.Count(before, []byte("\n")); x.Pos.Line > base {
					x.File, x.Pos.Line = file, x.Pos.Line-base
				}
			}
		}
		if err != nil {
			return err
		}
		e.source = slices.Concat(before, rest)
		for _, l := range all {
			offered = append(offered, l.Expr)
			e.Offers = append(e.Offers, &Offer{Name: l.Name, At: fmt.Sprintf("%s:%v", file, l.Pos), Expr: l.Expr})
		}
	}
	e.lemmas = append(offered, e.lemmas...)
	return nil
}

// offerAt returns the lemma at a place of the text with lemmas from line first on; nil if it is none of Offers.
func (e *Every) offerAt(pos model.Pos, first int) *Offer {
	if i := (pos.Line - first) / lemmaLines; pos.Line >= first && i < len(e.Offers) {
		return e.Offers[i]
	}
	return nil
}

const notInductive = "dropped: it is not inductive"

// judge says what an attempt at a proof made of each lemma that is offered.
func (e *Every) judge(ctx context.Context, c *param.Conditions, o *param.Outcome, first int) {
	if e.Induct {
		return
	}
	for _, x := range e.Offers {
		x.Verdict = "dropped: it is outside of what is proved for every size"
	}
	lost := false
	for j, k := range c.Conjuncts {
		x := e.offerAt(k.Prop.Pos, first)
		switch {
		case x == nil:
		case o.Kept[j]:
			x.Verdict = "used"
		case o.Lost[j]:
			x.Verdict, lost = notInductive, true
		default:
			x.Verdict = "not needed"
		}
	}
	for n := e.first(); lost && n < e.first()+ctiSizes; n++ {
		src, first := withLemmas(e.source, e.lemmas[:len(e.Offers)])
		r := e.reach(ctx, c, src, n)
		if r == nil {
			continue
		}
		mach := model.Compile(r.m).NewMachine()
		for _, p := range r.m.Props {
			x := e.offerAt(p.Pos, first)
			fails := func(s model.State) bool { return mach.Violated(s, p.Index) != nil }
			if x != nil && x.Verdict == notInductive && slices.ContainsFunc(r.states, fails) {
				x.Verdict = "dropped: it is false in a reachable state at " + e.at(n)
			}
		}
	}
}
