package portfolio

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"orbitmc/internal/task"
	"orbitmc/model"
)

// This file shows a proof for every size: with which invariants each rule keeps each of them.

// Need says with which invariants a rule keeps a property at every size. Without any one of them that has a model.
type Need struct {
	Property string   `json:"property"`
	Rule     string   `json:"rule,omitempty"` // none: deadlock
	At       string   `json:"at,omitempty"`   // where the rule stands
	Of       []string `json:"needs"`          // "lemma 1" is the first of the lemmas
}

// pageNode is a property or a lemma.
type pageNode struct{ Name, Kind, Text string }

//go:embed every_page.html
var everyPage string

// WriteHTML writes a page that shows the proof, and finds Needs for that. It needs no other file.
func (e *Every) WriteHTML(ctx context.Context, w *bufio.Writer) error {
	if e.Proved == nil {
		return ErrNotProved
	}
	if !e.Proved.Outcome.Proved() {
		return fmt.Errorf("%s: an SMT solver decided conditions, and does not say what they need", e.File)
	}
	e.phase("finding what each rule needs")
	c := e.Proved.Conditions
	needs, err := c.Needs(ctx, (&task.Task{Options: e.Task}).NewSolver)
	if err != nil {
		return err
	}
	src, first := withLemmas(e.source, e.Proved.Lemmas, e.counters...)
	lines := strings.SplitAfter(string(src), "\n")
	var nodes []pageNode
	add := func(p *model.Property, kind string) {
		text := ""
		for l := p.Pos.Line; l > 0 && l <= len(lines) && !strings.Contains(text, ";"); l++ {
			text += lines[l-1]
		}
		nodes = append(nodes, pageNode{p.Name, kind, text})
	}
	for _, k := range c.Conjuncts {
		add(k.Prop, map[bool]string{true: "lemma", false: k.Prop.Kind.String()}[k.Prop.Pos.Line >= first && !k.Assumed])
	}
	for _, k := range needs {
		x := Need{Property: c.Property(k.Condition).Name, Of: []string{}}
		for _, j := range k.Of {
			x.Of = append(x.Of, c.Conjuncts[j].Prop.Name)
		}
		if k.Step != nil {
			x.Rule, x.At = k.Step.Name, fmt.Sprintf("%s:%v", e.File, k.Step.Pos)
		}
		e.Needs = append(e.Needs, x)
		if p := c.Property(k.Condition); !slices.ContainsFunc(nodes, func(n pageNode) bool { return n.Name == p.Name }) {
			add(p, p.Kind.String())
		}
	}
	return template.Must(template.New("page").Parse(everyPage)).Execute(w, struct {
		*Every
		Nodes []pageNode
	}{e, nodes})
}
