package task

import (
	"fmt"
	"strings"

	"orbitmc/detect/decompose"
	"orbitmc/detect/structure"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file lists the factors of detected groups, for `orbitmc detect`.

// Part is a factor of the group.
type Part struct {
	Source  string     `json:"source"`           // declared, inferred, renamed or detected
	Of      string     `json:"of"`               // the type; the variables that are exchanged; the property for which it was detected, or "all"
	Group   string     `json:"group"`            // such as Sym(3)
	Order   string     `json:"order"`            // decimal
	Latches int        `json:"latches"`          // that it moves
	Inputs  int        `json:"inputs"`           // inputs and initial inputs that it moves
	Values  [][]string `json:"values,omitempty"` // of a type: the interchangeable ones
}

// moved counts the latches, and the other leaves, that some of the permutations
// move.
func moved(perms []*ts.Perm) (latches, inputs int) {
	seen := make(map[[2]int]bool)
	for _, p := range perms {
		for k, image := range p.Parts() {
			for i, l := range image {
				if l != ts.MkLit(i, false) && !seen[[2]int{k, i}] {
					seen[[2]int{k, i}] = true
					if k == 0 {
						latches++
					} else {
						inputs++
					}
				}
			}
		}
	}
	return latches, inputs
}

// detectedParts lists the factors of detected groups, and the factors of their
// kernels behind them.
func (t *Task) detectedParts() []Part {
	var all []Part
	var add func(of string, fs []decompose.Factor)
	add = func(of string, fs []decompose.Factor) {
		for _, f := range fs {
			degrees := lists.Map(f.Degrees, func(d int) string { return fmt.Sprint(d) })
			all = append(all, Part{Source: "detected", Of: of, Group: fmt.Sprintf("%v(%s)", f.Kind, strings.Join(degrees, ", ")),
				Order: f.Order.String(), Latches: t.sources(f.Latches), Inputs: f.Inputs})
			add(of+", kernel", f.Kernel)
		}
	}
	for p := -1; p < t.Problem.NumProps(); p++ {
		of := "all"
		if p >= 0 {
			of = t.Problem.Name(p)
		}
		if s := t.Structures[p]; s != nil && (p < 0 || t.more(s)) {
			add(of, s.Factors)
		}
	}
	return all
}

// sources counts the latches of a netlist that latches of the cleaned one stand for.
func (t *Task) sources(latches []int) int {
	c := t.Problem.Cleaned
	if c == nil {
		return len(latches)
	}
	moved := make(map[int]bool) // by node
	for _, k := range latches {
		moved[c.Sys.Latches[k].Node] = true
	}
	n := 0
	for i := range c.Source.Latches {
		if l, ok := c.Latch(i); ok && moved[l.Node()] {
			n++
		}
	}
	return n
}

// CleanUp counts what clean-up left out of a netlist.
type CleanUp struct {
	Constant int `json:"constant"` // latches
	Equal    int `json:"equal"`    // latches that equal another one, or its complement
	Unused   int `json:"unused"`   // latches on which no property and no constraint depends
	Inputs   int `json:"inputs"`   // inputs and initial inputs, unused

	GaveUp bool `json:"gave_up,omitempty"` // constant and equal latches were not found: that took too long
}

func (t *Task) LeftOut() *CleanUp {
	c := t.Problem.Cleaned
	if c == nil {
		return nil
	}
	out := &CleanUp{GaveUp: c.GaveUp, Inputs: len(c.Source.Inputs) - len(c.Inputs) + len(c.Source.Init) - len(c.Init)}
	for i := range c.Source.Latches {
		switch same := c.Equal(i); {
		case same.Node() == 0:
			out.Constant++
		case same != c.Source.LatchLit(i):
			out.Equal++
		default:
			if _, ok := c.Latch(i); !ok {
				out.Unused++
			}
		}
	}
	return out
}

// more reports whether the group of a property is larger than that of all.
func (t *Task) more(s *structure.Result) bool {
	all := t.Structures[-1]
	return s.Order != nil && (all.Order == nil || s.Order.Cmp(all.Order) > 0)
}
