package model

// This file finds the actors that a trace is not about, so that a printed start
// state shows their equal rows once: "Cache[NODE_3..NODE_8].State = I" stands
// for six leaves.

// idleNames returns the name under which each leaf of the start state of t is
// shown, given all leaves. Leaves that share a name have the same value and
// differ only in indices that are idle: scalarset values that no choice, no
// value in a state and no index of a changed leaf in t mentions.
func idleNames(m *Model, leaves []Leaf, t *Trace) []string {
	runs := idleRuns(m, leaves, t)
	var short []Leaf
	for _, v := range m.Vars {
		short = unfold(short, Leaf{Name: v.Name, Type: v.Type, Var: v}, func(t *Type, v int64) string {
			if c, w, ok := t.Element(v); ok {
				return runs[c][w]
			}
			return t.Format(v)
		})
	}
	value := make(map[string]string)
	mixed := make(map[string]bool)
	for i := range t.StartState {
		name, v := short[i].Name, leaves[i].plainValue(i, t.StartState, (*Type).Format)
		if old, ok := value[name]; ok && old != v {
			mixed[name] = true
		}
		value[name] = v
	}
	names := make([]string, len(leaves))
	for i, l := range leaves {
		names[i] = short[i].Name
		if mixed[names[i]] {
			names[i] = l.Name
		}
	}
	return names
}

// idleRuns returns, for each value of each scalarset class, what stands for it
// as an index: its spelling, or "NODE_3..NODE_8" if it is one of several
// adjacent idle ones.
func idleRuns(m *Model, leaves []Leaf, t *Trace) [][]string {
	busy := make([][]bool, len(m.Scalarsets))
	for c, y := range m.Scalarsets {
		busy[c] = make([]bool, y.Card())
	}
	mention := func(t *Type, v int64) {
		if v == Undef {
			return
		}
		if c, w, ok := t.Element(v); ok {
			busy[c][w] = true
		}
	}
	params := func(r *Rule, ch Choice) {
		for i, q := range r.Params {
			mention(q.Var.Type, ch.Params[i])
		}
	}
	params(m.Starts[t.Start.Rule], t.Start)
	for i, v := range t.StartState {
		mention(leaves[i].Type, v)
	}
	old := t.StartState
	for _, step := range t.Steps {
		params(m.Rules[step.Rule], step.Choice)
		for i, v := range step.State {
			if v != old[i] {
				mention(leaves[i].Type, v)
				for _, d := range leaves[i].Indices {
					mention(d.Type, d.Value)
				}
			}
		}
		old = step.State
	}
	runs := make([][]string, len(m.Scalarsets))
	for c, y := range m.Scalarsets {
		for v := 0; v < len(busy[c]); v++ {
			end := v
			for y.Kind == Scalarset && !y.Slots && !busy[c][v] && end+1 < len(busy[c]) && !busy[c][end+1] {
				end++
			}
			text := y.Format(y.First + int64(v))
			if end > v {
				text += ".." + y.Format(int64(end))
			}
			for ; v < end; v++ {
				runs[c] = append(runs[c], text)
			}
			runs[c] = append(runs[c], text)
		}
	}
	return runs
}
