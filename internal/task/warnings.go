package task

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file warns of constructs that the author probably did not intend. Every warning is
// true: it follows from the types, from a complete exploration, from a proof, or from a
// witness that was replayed.

// Warning is about a place in the file, or about all of it if Line is 0.
type Warning struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// Place returns the position as it follows the name of a file.
func (w Warning) Place() string {
	if w.Line == 0 {
		return ""
	}
	return fmt.Sprintf(":%d:%d", w.Line, w.Column)
}

// Warnings returns the warnings about a model, in source order.
func (s *modelSource) Warnings(r *mc.Result) []Warning {
	var all []Warning
	add := func(pos model.Pos, format string, args ...any) {
		x := Warning{pos.Line, pos.Col, fmt.Sprintf(format, args...)}
		if !slices.ContainsFunc(all, func(y Warning) bool { return y.Line == x.Line && y.Column == x.Column }) {
			all = append(all, x)
		}
	}
	for _, w := range s.plain.Warnings {
		add(w.Pos, "%s", w.Text)
	}
	all = append(all, s.ofRuns(r)...)
	for _, i := range r.Idle {
		rule := s.shown().Rules[i]
		name := ""
		if rule.Name != "" {
			name = fmt.Sprintf(" %q", rule.Name)
		}
		add(rule.Pos, "rule%s is not enabled in any reachable state", name)
	}
	if s.t.Report != nil {
		for _, f := range s.t.Report.Refutations {
			if f.Order != "" && f.Reachable {
				add(f.Pos, "the order of this loop matters, so the values it takes are not interchangeable: %s", f.Order)
			}
		}
	}
	for _, pr := range r.Props {
		if p := s.model.Props[pr.Prop]; p.Kind == model.Invariant && s.constant(p) {
			add(p.Pos, "invariant %q does not depend on any variable", p.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b Warning) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return all
}

// ofRuns warns of runs that a verdict leaves out.
func (s *modelSource) ofRuns(r *mc.Result) (all []Warning) {
	if holdsOfRuns(s.t.Problem, r) {
		if x, ok := vacuous(s.shown()); ok {
			all = append(all, x)
		}
	}
	if text := s.leftOut(r); text != "" {
		all = append(all, Warning{Text: text})
	}
	return all
}

// constant reports whether no variable influences an invariant: its circuit has
// no latch in its support, or its text mentions none. Conditions on whether variables
// are defined do not count, since the encoding leaves them out where they are known.
func (s *modelSource) constant(p *model.Property) bool {
	reads, asks := false, false
	model.InspectCalls(p.Expr, func(n any) {
		switch n := n.(type) {
		case *model.Ref:
			reads = reads || n.Var.Kind == model.StateVar
		case *model.IsUndefined, *model.Present:
			asks = true
		}
	})
	enc := s.t.Problem.Enc
	if !reads || asks || enc == nil {
		return !reads
	}
	for _, b := range enc.PropBads[p.Index] {
		for _, node := range enc.Sys.G.Support([]aig.Lit{enc.Sys.Bads[b].Lit}) {
			i := slices.IndexFunc(enc.Sys.Latches, func(l ts.Latch) bool { return l.Node == node })
			if i < 0 || enc.Sys.Latches[i].Name != "started" {
				return false
			}
		}
	}
	return true
}
