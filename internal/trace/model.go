package trace

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/model"
	"orbitmc/model/reference"
	"orbitmc/model/traces"
)

// Source is what a view of a model needs to know besides the model.
type Source struct {
	Title  string
	Text   []byte        // of the file; nil: no source is shown
	Engine string        // that found the trace
	Prog   *prog.Program // of a program; else nil
	Note   string

	// Formula is the property, a formula, that the trace violates as a run in which what follows state
	// number Loop is repeated for ever; "": the property is that of the trace.
	Formula string
	Loop    int
	Fair    *Fair // of that run
}

// viewer makes a view of a trace of a model.
type viewer struct {
	*cast
	src    Source
	t      *model.Trace
	view   *View
	cell   []int   // by leaf
	shows  []shown // by cell
	play   player
	slice  *reference.Slice
	source []string // lines
}

// shown is what a cell shows: a leaf, a queue, or a multiset that is in no other one.
type shown struct {
	t  *model.Type
	at int
}

// OfModel returns the view of a trace of a model. A start of rule -1 is none: the trace begins anywhere. A property of -1
// is none: the trace is a run that violates nothing.
func OfModel(m *model.Model, t *model.Trace, src Source) *View {
	v := &viewer{cast: newCast(m), src: src, t: t}
	if src.Prog != nil {
		v.cast = processes(v.cast, src.Prog)
	}
	if src.Text != nil && src.Prog == nil {
		v.source = strings.Split(string(src.Text), "\n")
	}
	p := &model.Property{}
	if t.Prop >= 0 {
		p = m.Props[t.Prop]
	}
	v.view = &View{Title: src.Title, Property: p.Name, Kind: p.Kind.String(), Verb: "violated", Engine: src.Engine,
		Depth: t.Depth(m), Note: src.Note, Loop: -1, Free: t.Start.Rule < 0, Procs: src.Prog != nil}
	if p.Kind == model.Cover {
		v.view.Verb = "covered"
	}
	if v.view.Free {
		v.view.Verb = "not inductive"
	}
	if t.Prop < 0 {
		v.view.Kind, v.view.Verb = "run", "no violation"
	}
	lasso := src.Formula != ""
	if lasso {
		v.view.Property, v.view.Kind, v.view.Verb, v.view.Depth, v.view.Loop = src.Formula, "formula", "violated", len(t.Steps), src.Loop
		v.view.Fair = src.Fair
		if src.Note == "" {
			v.view.Note = fmt.Sprintf("The last state is the one after step %d: what follows repeats for ever.", src.Loop)
		}
	}
	v.play = player{cast: v.cast, rest: map[string]string{}, pending: map[string][]int{}, free: t.Start.Rule < 0}
	v.cell = make([]int, len(v.leaves))
	for _, x := range m.Vars {
		v.addCells(x.Type, x.Offset)
	}
	switch {
	case lasso || p.Tree != nil:
		v.slice = reference.Backward(m, t, nil) // for the branches taken
	case t.StartState != nil && t.Prop >= 0:
		v.slice = reference.Backward(m, t, reference.Goal(m, t))
	}
	if !lasso && t.Prop >= 0 {
		v.view.Sliced = v.slice != nil && p.Tree == nil
		v.why(p)
	}
	v.begin()
	s := t.StartState
	var actors []string
	for k, step := range t.Steps {
		actors = append(actors, v.step(k, s, step))
		s = step.State
	}
	if src.Formula == "" {
		v.failed()
	}
	v.finish(actors)
	v.view.Branches = v.branches(t.States(), t.Branches)
	return v.view
}

// addCells adds the cells of a part of the state.
func (v *viewer) addCells(t *model.Type, at int) {
	switch t.Kind {
	case model.Record:
		if t.Shown == model.AsQueue {
			break
		}
		for _, f := range t.Fields {
			v.addCells(f.Type, at+f.Offset)
		}
		return
	case model.Array:
		for i := range int(t.Index.Card()) {
			v.addCells(t.Elem, at+i*t.Elem.Leaves)
		}
		return
	}
	l := v.leaves[at]
	if t.Shown == model.AsQueue {
		l.Name = strings.TrimSuffix(l.Name, "."+t.Fields[0].Name)
	}
	c := Cell{Name: l.Name, Row: l.Name, Lane: v.lane[at]}
	if t.Kind == model.Multiset {
		c.Name = strings.TrimPrefix(l.Name[:strings.LastIndex(l.Name, "{")], "present(")
		c.Set = true
		l.Indices = l.Indices[:len(l.Indices)-1]
		l.Name = c.Name
		c.Row = c.Name
		c.Lane, v.stem[at] = v.place(l)
	}
	if c.Lane != "" {
		rest := c.Name[len(v.stem[at]):]
		c.Row = v.stem[at] + rest[strings.IndexAny(rest, "]}")+1:]
	}
	for i := range t.Leaves {
		v.cell[at+i] = len(v.view.Cells)
	}
	v.view.Cells = append(v.view.Cells, c)
	v.shows = append(v.shows, shown{t, at})
}

// value spells a cell.
func (v *viewer) value(cell int, s model.State) string {
	x := v.shows[cell]
	switch {
	case x.t.Shown == model.AsQueue:
		return traces.FormatQueue(x.t, s[x.at:])
	case x.t.Kind != model.Multiset:
		return x.t.Format(s[x.at])
	}
	all := lists.Map(x.slots(s), func(at int) string { return traces.FormatElement(x.t.Elem, s[at:]) })
	return "{" + strings.Join(all, ", ") + "}"
}

// slots returns where the elements of a multiset begin.
func (sh shown) slots(s model.State) (all []int) {
	for i := range int(sh.t.Index.Card()) {
		if at := sh.at + i*(1+sh.t.Elem.Leaves); s[at] != model.Undef {
			all = append(all, at+1)
		}
	}
	return all
}

func (v *viewer) why(p *model.Property) {
	if c := reference.Why(v.m, v.t); c != nil {
		for _, b := range c.Instance {
			v.view.Instance = append(v.view.Instance, Param{b.Var.Name, b.Var.Type.Format(b.Value)})
		}
		for _, r := range c.Reads {
			v.view.Reads = append(v.view.Reads, Read{v.cell[r.Leaf], r.Name, r.Value, r.Step})
		}
	}
	if v.src.Prog != nil && p.Kind == model.Deadlock {
		s := v.t.StartState
		if n := len(v.t.Steps); n > 0 {
			s = v.t.Steps[n-1].State
		}
		v.view.Places = v.src.Prog.Places(s)
	}
	at := p.Pos
	if x := v.t.Violation; x != nil && x.Pos == (model.Pos{}) && p.Tree != nil {
		v.view.Error = x.Message
	} else if x != nil && x.Pos != (model.Pos{}) {
		at = x.Pos
		if p.Expr == nil && x.Message != "" {
			v.view.Error = x.Message
			if x.InGuard {
				v.view.Error += ", in the guard"
			}
		}
	}
	if at == (model.Pos{}) {
		return
	}
	v.view.At = fmt.Sprintf("%s:%v", filepath.Base(v.m.File), at)
	if at.Line <= len(v.source) {
		last := at.Line
		if p.Expr != nil && at == p.Pos {
			for last < len(v.source) && last < at.Line+8 && !strings.Contains(v.source[last-1], ";") {
				last++
			}
		}
		v.view.Text = v.source[at.Line-1 : last]
	}
}

// failed adds what the error of the last step depends on.
func (v *viewer) failed() {
	n := len(v.t.Steps)
	if n == 0 || v.t.Steps[n-1].State != nil || v.slice == nil {
		return
	}
	before := v.t.StartState
	if n > 1 {
		before = v.t.Steps[n-2].State
	}
	done := map[int]bool{}
	of := v.slice.Flows[n-1].Fail
	if len(of) == 0 { // an error statement, to which the guard leads
		of = v.slice.Flows[n-1].Guard
	}
	for _, leaf := range of {
		c := v.cell[leaf]
		if done[c] || v.view.Cells[c].Set {
			continue
		}
		done[c] = true
		r := Read{Cell: c, Name: v.view.Cells[c].Name, Value: v.value(c, before)}
		for k, s := range v.view.Steps {
			if slices.ContainsFunc(s.Changes, func(x Change) bool { return x.Cell == c }) {
				r.Step = k + 1
			}
		}
		v.view.Reads = append(v.view.Reads, r)
	}
}

func (v *viewer) params(r *model.Rule, ch model.Choice) (all []Param) {
	for i, q := range r.Params {
		all = append(all, Param{q.Var.Name, q.Var.Type.Format(ch.Params[i])})
	}
	return all
}

func (v *viewer) begin() {
	b := &v.view.Start
	b.Actor = -1
	if !v.view.Free {
		r := v.m.Starts[v.t.Start.Rule]
		b.Rule, b.Params, b.Line = ruleName("startstate", r), v.params(r, v.t.Start), r.Pos.Line
	}
	if b.Errs = v.t.StartState == nil; b.Errs {
		return
	}
	for i := range v.view.Cells {
		b.Values = append(b.Values, v.value(i, v.t.StartState))
	}
}

// ruleName is what traces call a rule or start state.
func ruleName(kind string, r *model.Rule) string {
	return cmp.Or(r.Name, fmt.Sprintf("%s@%d", kind, r.Pos.Line))
}

// step adds step k, from 0, and returns who acts.
func (v *viewer) step(k int, s model.State, step model.TraceStep) (actor string) {
	r := v.m.Rules[step.Rule]
	b := Moment{Rule: ruleName("rule", r), Params: v.params(r, step.Choice), Line: r.Pos.Line, Actor: -1, Errs: step.State == nil}
	if v.src.Prog != nil {
		b.Text = v.src.Prog.Parts(step.Choice)
	}
	var flow *reference.Flow
	links := map[int][]int{}
	if v.slice != nil {
		flow = v.slice.Flows[k]
		for _, l := range v.slice.Relevant[k] {
			links[v.cell[l.Leaf]] = append(links[v.cell[l.Leaf]], l.For...)
		}
		b.Source = v.blocks(r, flow)
	}
	if b.Errs {
		v.view.Steps = append(v.view.Steps, b)
		if v.src.Prog != nil {
			return v.process(step.Choice)
		}
		return v.play.actor(step.Choice, nil)
	}
	var changed []int
	var gone, added []exchange
	for i := range v.view.Cells {
		x := v.shows[i]
		if slices.Equal(s[x.at:x.at+x.t.Leaves], step.State[x.at:x.at+x.t.Leaves]) {
			continue
		}
		c := Change{Cell: i, Old: v.value(i, s), New: v.value(i, step.State), For: links[i]}
		slices.Sort(c.For)
		c.For = slices.Compact(c.For)
		if !v.view.Cells[i].Set {
			changed = append(changed, x.at)
		} else {
			g, a := v.exchanged(i, s, step.State)
			if len(g)+len(a) == 0 {
				continue
			}
			c.Gone = lists.Map(g, func(e exchange) string { return e.text })
			c.Added = lists.Map(a, func(e exchange) string { return e.text })
			gone, added = append(gone, g...), append(added, a...)
		}
		b.Changes = append(b.Changes, c)
	}
	actor = v.play.actor(step.Choice, gone)
	if v.src.Prog != nil {
		actor = v.process(step.Choice)
		v.exchangeOf(k+1, step.Choice, s, step.State, b.Changes)
	} else {
		v.play.step(k+1, actor, s, step.State, changed, gone, added)
	}
	if flow != nil && v.src.Prog == nil {
		v.blind(&b, k+1, step.Choice, actor, s, flow)
	}
	v.view.Steps = append(v.view.Steps, b)
	return actor
}

// exchanged returns the elements that a multiset loses and gets.
func (v *viewer) exchanged(cell int, old, s model.State) (gone, added []exchange) {
	x := v.shows[cell]
	list := func(s model.State) (all []exchange) {
		for _, at := range x.slots(s) {
			e := exchange{cell: v.view.Cells[cell].Name, lane: v.view.Cells[cell].Lane, text: traces.FormatElement(x.t.Elem, s[at:])}
			if x.t.Elem.Kind == model.Record {
				for _, f := range x.t.Elem.Fields {
					if name, ok := "", false; f.Type.Simple() {
						if name, ok = v.name(f.Type, s[at+f.Offset]); ok {
							e.fields = append(e.fields, field{f.Name, name})
						}
					}
				}
			}
			all = append(all, e)
		}
		return all
	}
	added = list(s)
	for _, e := range list(old) {
		if i := slices.IndexFunc(added, func(a exchange) bool { return a.text == e.text }); i >= 0 {
			added = slices.Delete(added, i, i+1)
		} else {
			gone = append(gone, e)
		}
	}
	return gone, added
}

// blind finds components that step k changes without a look at them.
func (v *viewer) blind(b *Moment, k int, ch model.Choice, actor string, s model.State, flow *reference.Flow) {
	known := map[string]bool{actor: true, "": true}
	for i, q := range v.m.Rules[ch.Rule].Params {
		if name, ok := v.name(q.Var.Type, ch.Params[i]); ok {
			known[name] = true
		}
	}
	for _, leaf := range flow.Reads {
		known[v.lane[leaf]] = true
		if name, ok := v.name(v.leaves[leaf].Type, s[leaf]); ok {
			known[name] = true
		}
	}
	var texts []string
	of := map[string][]int{}
	var order []string
	for _, c := range b.Changes {
		lane := v.view.Cells[c.Cell].Lane
		if known[lane] || len(c.For) == 0 || v.view.Cells[c.Cell].Set {
			continue
		}
		if of[lane] == nil {
			order = append(order, lane)
		}
		of[lane] = append(of[lane], c.Cell)
		texts = append(texts, short(v.view.Cells[c.Cell].Row)+" := "+c.New)
	}
	for i, lane := range order {
		v.play.sent = append(v.play.sent, message{from: actor, to: lane, text: texts[i], sent: k, received: k, cells: of[lane], blind: true})
	}
}

// finish numbers the lanes.
func (v *viewer) finish(actors []string) {
	if v.src.Prog != nil {
		v.own(actors)
	}
	busy := lists.Set(actors)
	for _, m := range v.play.sent {
		busy[m.from], busy[m.to] = true, true
	}
	for _, r := range v.view.Reads {
		busy[cmp.Or(v.view.Cells[r.Cell].Lane, v.home)] = v.base != nil || v.src.Prog != nil
	}
	if v.src.Prog != nil { // all processes that there are
		for i, c := range v.view.Cells {
			busy[c.Lane] = busy[c.Lane] || strings.HasSuffix(c.Name, "._p") && v.view.Start.Values[i] != "-"
		}
		for _, s := range v.view.Steps {
			for _, c := range s.Changes {
				busy[v.view.Cells[c.Cell].Lane] = true
			}
		}
	}
	number := map[string]int{}
	add := func(name string, shared bool) {
		if _, ok := number[name]; !ok && busy[name] && name != "" {
			number[name] = len(v.view.Lanes)
			v.view.Lanes = append(v.view.Lanes, Lane{name, shared})
		}
	}
	add(v.home, true)
	for _, name := range v.everyone() {
		add(name, false)
	}
	for k, a := range actors {
		if n, ok := number[a]; ok {
			v.view.Steps[k].Actor = n
		}
	}
	slices.SortStableFunc(v.play.sent, func(a, b message) int { return a.sent - b.sent })
	for _, m := range v.play.sent {
		x := Message{From: number[m.from], To: -1, Text: m.text, Sent: m.sent, Received: m.received, Blind: m.blind}
		if n, ok := number[m.to]; ok {
			x.To = n
		}
		b := &v.view.Steps[m.sent-1]
		x.Irrelevant = v.view.Sliced && !b.Relevant()
		if m.blind {
			b.Blind = append(b.Blind, Blind{x.To, m.cells})
		}
		v.view.Messages = append(v.view.Messages, x)
	}
}

// everyone lists the components in order.
func (v *viewer) everyone() (all []string) {
	for _, t := range v.kinds {
		for i := t.Lo; i <= t.Hi; i++ {
			if name, ok := v.name(t, i); ok {
				all = append(all, name)
			}
		}
	}
	return append(all, v.names...)
}
