package main

import (
	"fmt"
	"strings"
	"time"

	"orbitmc/detect/typing"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file is about symmetry by typing, which explicit search can use at once.

// typed is symmetry that was found by typing.
type typed struct {
	group string // such as Sym(NODE, 8) x Sym(DATA, 2)
	swaps int    // of neighbours, which generate it
	time  time.Duration
}

// manyChecked is the most leaves of a model whose encoding is made for the check of
// evidence alone. Beyond it evidence is checked in the interpreter.
const manyChecked = 1000

// byTyping fills in a problem whose symmetry is found by typing, and derived again
// by the checker of evidence. It reports false, and nothing is filled in, unless
// both show all of it.
func (s *modelSource) byTyping(a *analysis, props []int) bool {
	began := time.Now()
	p := a.problem
	m := p.Model
	report := typing.Check(m)
	for c, t := range m.Scalarsets {
		if t.Slots || t.Card() < 2 {
			continue
		}
		k := &report.Classes[c]
		if k.Rules.NotByForm() != nil {
			return false
		}
		for _, prop := range props {
			if k.Props[prop].NotByForm() != nil {
				return false
			}
		}
	}
	blocks, ok := report.Blocks(m, props)
	if !ok {
		return false
	}
	y := &typed{}
	var factors []string
	for c, t := range m.Scalarsets {
		for _, b := range blocks[c] {
			if n := len(b); n > 1 && !t.Slots {
				factors = append(factors, fmt.Sprintf("Sym(%v, %d)", t, n))
				y.swaps += n - 1
			}
		}
	}
	if y.swaps == 0 {
		return false
	}
	joint, err := mc.TypedSets(m, blocks, props, report.Joint...)
	if err != nil {
		return false
	}
	y.group, y.time = strings.Join(factors, " x "), time.Since(began)
	a.typed = y
	p.Blocks, p.Joint, p.Typed = blocks, joint, true
	if !s.multisets(m) && m.Leaves() <= manyChecked {
		began := time.Now()
		p.Enc, p.EncErr = s.encode(m)
		a.encodeTime = time.Since(began)
	}
	if p.Enc != nil {
		p.Program = p.Enc.Program
	} else {
		p.Program = model.Compile(m)
	}
	return true
}

func (s *modelSource) multisets(m *model.Model) bool {
	for _, t := range m.Scalarsets {
		if t.Slots {
			return true
		}
	}
	return false
}
