package trace

import (
	"cmp"
	"fmt"
)

// Signal is an input or a state of a netlist, along a path.
type Signal struct {
	Name    string
	Place   string // in the source; may be empty
	Input   bool
	Values  []string // by frame
	Matters []bool   // by frame: the violation depends on it; nil: that is not known
}

// OfPath returns the view of a path of a netlist, whose step k leads from frame k-1 to frame k. From
// the last frame it goes on as from frame loop; if that is negative, the property is violated in the last frame,
// unless the kind of the view is "run".
func OfPath(v View, signals []Signal, loop int) *View {
	run := v.Kind == "run"
	v.Loop, v.Kind, v.Verb, v.Start.Actor = loop, "bad", cmp.Or(v.Verb, "violated"), -1
	if loop >= 0 {
		v.Kind = "justice"
		v.Note = fmt.Sprintf("All that the property depends on is as in frame %d: what follows repeats for ever.", loop)
	}
	if run {
		v.Kind, v.Verb = "run", "no violation"
	}
	frames := 0
	var states, inputs []Signal
	for _, s := range signals {
		frames = len(s.Values)
		v.Sliced = v.Sliced || s.Matters != nil
		if s.Input {
			inputs = append(inputs, s)
			continue
		}
		v.Cells = append(v.Cells, Cell{Name: s.Name, Row: s.Name, At: s.Place})
		v.Start.Values = append(v.Start.Values, s.Values[0])
		states = append(states, s)
	}
	v.Depth = frames - 1
	v.Start.Rule = "frame 0"
	given := func(k int) (all []Param) {
		for _, s := range inputs {
			if s.Matters == nil || s.Matters[k] {
				all = append(all, Param{s.Name, s.Values[k]})
			}
		}
		return all
	}
	last := make([]int, len(states)) // the frame in which the value at hand began
	for k := 1; k < frames; k++ {
		m := Moment{Rule: fmt.Sprintf("frame %d", k), Actor: -1, Inputs: given(k - 1)}
		for i, s := range states {
			if s.Values[k] == s.Values[k-1] {
				continue
			}
			last[i] = k
			c := Change{Cell: i, Old: s.Values[k-1], New: s.Values[k]}
			if s.Matters != nil && s.Matters[k] {
				c.For = []int{k + 1}
				if k == frames-1 {
					c.For = []int{0}
				}
			}
			m.Changes = append(m.Changes, c)
		}
		v.Steps = append(v.Steps, m)
	}
	if loop >= 0 || frames == 0 || run {
		return &v
	}
	for i, s := range states {
		if s.Matters != nil && s.Matters[frames-1] {
			v.Reads = append(v.Reads, Read{i, s.Name, s.Values[frames-1], last[i]})
		}
	}
	for _, p := range given(frames - 1) {
		v.Reads = append(v.Reads, Read{-1, p.Name, p.Value, -1})
	}
	return &v
}
