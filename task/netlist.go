package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orbitmc/mc"
	"orbitmc/ts"
)

// This file holds what the front ends of netlists, aiger.go and btor2.go, have in common. The
// properties are the bads. Justice properties are named and get no verdict.

// netlistSource is what the sources of netlists have in common.
type netlistSource struct {
	t        *Task
	sys      *ts.System
	justice  []string // names
	fairness int      // how many constraints there are
}

func (s *netlistSource) properties() *mc.Problem { return mc.NewNetlist(s.sys, s.justice) }

func (s *netlistSource) Title() string { return s.t.File }
func (s *netlistSource) Declared() int { return 0 }
func (s *netlistSource) Inferred() int { return 0 }

// analyse cleans up the netlist, unless it is to be written, or a witness circuit for
// it, and detects symmetry. A system without W is well-formed.
func (s *netlistSource) analyse(ctx context.Context, props []int, _ bool, _ func(*mc.Problem)) (*Analysis, error) {
	a := &Analysis{Problem: s.properties()}
	a.Problem.Props = props
	a.Problem.WellFormed = true
	if !s.t.Raw {
		s.t.Phase("cleaning up")
		a.Problem.Clean()
	}
	if s.t.Symmetry == "off" || s.t.Symmetry == "declared" {
		return a, nil
	}
	return a, s.t.detected(ctx, a, a.Problem.System())
}

func (s *netlistSource) Parts() []Part    { return s.t.detectedParts() }
func (s *netlistSource) Limits() []string { return nil }

// violated returns the bad of a property that its path shows.
func (s *netlistSource) violated(pr *mc.PropResult) (bad int, err error) {
	for _, bad = range s.t.Problem.Sources(pr.Prop) {
		if err = s.sys.Replay(pr.Path, bad); err == nil {
			break
		}
	}
	return bad, err
}

func (s *netlistSource) Polish(*mc.Result) {}

// Warnings says what of the file is not checked.
func (s *netlistSource) Warnings(r *mc.Result) []Warning {
	n := 0
	for _, pr := range r.Props {
		if s.t.IsJustice(pr.Prop) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("no verdict is given on justice: %d of %s", n, Plural(len(r.Props), "property"))
	if s.fairness > 0 {
		text += fmt.Sprintf(", with %s", Plural(s.fairness, "fairness constraint"))
	}
	return []Warning{{Text: text}}
}

// Notes implements Source.
func (s *netlistSource) Notes(*mc.Result) []string { return nil }

func (s *netlistSource) Smaller() (string, int64) { return "", 0 }

// only returns the system with the bads of some properties.
func (s *netlistSource) only(props []int) *ts.System {
	sys := *s.sys
	sys.Bads = slices.DeleteFunc(slices.Clone(sys.Bads), func(b ts.Bad) bool { return !slices.Contains(props, b.Prop) })
	return &sys
}

// wrap writes words behind a title, in lines of at most 80 columns if the words
// fit; nothing if there are none.
func wrap(b *strings.Builder, title string, words []string) {
	if len(words) == 0 {
		return
	}
	const indent, width = "  ", 80
	b.WriteString(indent + title)
	at := len(indent) + len(title)
	for _, x := range words {
		if at+1+len(x) > width {
			b.WriteString("\n" + indent + indent[1:])
			at = 2*len(indent) - 1
		}
		b.WriteString(" " + x)
		at += 1 + len(x)
	}
	b.WriteString("\n")
}
