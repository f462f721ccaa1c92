// Package table makes the table of a controller, which coherence engineers keep in spreadsheets: a row for
// each value of its state, a column for each message that it receives and each event of its core, and in a
// cell what it does then: messages that it sends and its next state, stall, error, or nothing, as that never happens.
//
//	table.go    what a table is, and how two of them differ
//	spec.go     which variables hold the state and the messages
//	guess.go    ... if nobody says so
//	observe.go  what happens in a state
//	collect.go  the table of what happens in all of them
//	witness.go  runs to where it happens first
//	text.go, page.go   tables as text, Markdown, LaTeX and HTML
//
// A table is made from the states that a search has visited: see Collect. They may be representatives of their
// orbits, if each permutation of the symmetry maps a rule instance to an instance of the same rule
// (mc.Problem.EachRule): rows and columns are values of no class (Spec says so), and the component ranges over all its
// values in each representative. So a cell of an orbit is a cell of its representative; counts are those of the representatives.
package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Table is the table of a controller.
type Table struct {
	Model    string   `json:"model"`
	Row      string   `json:"row"`
	Columns  []string `json:"columns"`  // where messages to it are
	Channels []string `json:"channels"` // where other messages are
	Guessed  bool     `json:"guessed"`
	States   int64    `json:"states"`            // that were looked at
	Complete bool     `json:"complete"`          // these are all, or one of each orbit: what is in no cell never happens
	Stopped  string   `json:"stopped,omitempty"` // why they are not
	Rows     []string `json:"rows"`
	Events   []Event  `json:"events"` // in the order of the columns
	Cells    []*Cell  `json:"cells"`  // those in which something happens, row by row

	src   Source
	spec  *spec
	takes map[int]bool // by index in Columns: some message there changes the state
}

// Event is the head of a column.
type Event struct {
	Name    string `json:"name"`
	Message bool   `json:"message"`        // else it is a rule
	Line    int    `json:"line,omitempty"` // of the rule

	order [2]int // see happening
	own   bool   // some instance is about the component and its state, or changes it
}

// Cell is what happens in a state at an event.
type Cell struct {
	Row      string     `json:"row"`
	Column   string     `json:"column"`
	Outcomes []*Outcome `json:"outcomes"`
}

// Outcome is one of the things that happen in a cell.
type Outcome struct {
	Kind  string `json:"kind" enum:"step stall error"`
	Sends []Send `json:"sends,omitempty"`
	Next  string `json:"next,omitempty"`
	Error string `json:"error,omitempty"`
	Rule  string `json:"rule,omitempty"` // that does it first; none for a stall
	Line  int    `json:"line,omitempty"`
	Count int64  `json:"count"` // of states, rule instances and components
	Depth int    `json:"depth"` // steps of a run to where it happens first, this one included

	at    model.Pos // of the error
	first int64     // state
	is    string    // key, see there
}

// Send is a message that is sent.
type Send struct {
	Type string `json:"type"`
	To   string `json:"to,omitempty"` // a constant, or what in the message at hand, the state or the rule names the receiver; or its type

	names []string // of the receiver, each time so far
	other string   // its type; "": To is known
}

func (s Send) String() string {
	if s.To == "" {
		return s.Type
	}
	return s.Type + " to " + s.To
}

// String is the text of an outcome, such as "Data to Src /I".
func (o *Outcome) String() string {
	switch o.Kind {
	case "stall":
		return o.Kind
	case "error":
		return "error: " + o.Error
	}
	return strings.TrimPrefix(lists.Join(o.Sends, ", ", Send.String)+" /"+o.Next, " ")
}

// Text is the text of a cell: its outcomes.
func (c *Cell) Text() []string { return lists.Map(c.Outcomes, (*Outcome).String) }

// Cell returns a cell, nil if nothing happens there.
func (t *Table) Cell(row, column string) *Cell {
	for _, c := range t.Cells {
		if c.Row == row && c.Column == column {
			return c
		}
	}
	return nil
}

// Nothing is the text of a cell in which nothing happens.
func (t *Table) Nothing() string {
	if t.Complete {
		return "-"
	}
	return "?"
}

// Summary says how much is known.
func (t *Table) Summary() string {
	if t.Complete {
		return fmt.Sprintf("%d states, all there are up to symmetry: - is never reached", t.States)
	}
	return fmt.Sprintf("%d states, not all there are (%s): ? was not seen", t.States, t.Stopped)
}

// Options are the command-line options that ask for this table.
func (t *Table) Options() string {
	all := []string{"--row " + quote(t.Row)}
	for _, c := range t.Columns {
		all = append(all, "--column "+quote(c))
	}
	for _, c := range t.Channels {
		all = append(all, "--channel "+quote(c))
	}
	return strings.Join(all, " ")
}

func quote(s string) string { return "'" + s + "'" }

// Difference is a cell in which two tables differ.
type Difference struct {
	Row    string   `json:"row"`
	Column string   `json:"column"`
	Here   []string `json:"here"` // outcomes; none if nothing happens
	There  []string `json:"there"`
}

// Compare returns the cells in which t and u differ, also those whose row or column is in one of them only.
func (t *Table) Compare(u *Table) (all []Difference) {
	text := func(t *Table, row, column string) []string {
		if c := t.Cell(row, column); c != nil {
			return slices.Sorted(slices.Values(c.Text()))
		}
		return []string{}
	}
	for _, row := range merged(t.Rows, u.Rows) {
		for _, column := range merged(t.columnNames(), u.columnNames()) {
			d := Difference{row, column, text(t, row, column), text(u, row, column)}
			if !slices.Equal(d.Here, d.There) {
				all = append(all, d)
			}
		}
	}
	return all
}

func (t *Table) columnNames() []string {
	return lists.Map(t.Events, func(e Event) string { return e.Name })
}

// merged returns a, and what is in b only.
func merged(a, b []string) []string {
	return append(slices.Clip(a), lists.Where(b, func(x string) bool { return !slices.Contains(a, x) })...)
}

// Differences writes down how much is known of two tables, and the cells in which they differ.
func (t *Table) Differences(u *Table) string {
	var b strings.Builder
	side := func(t *Table, name string, outcomes []string) {
		if len(outcomes) == 0 {
			outcomes = []string{t.Nothing()}
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, strings.Join(outcomes, "; "))
	}
	fmt.Fprintf(&b, "%s, %s\n%s, %s\n\n", t.Model, t.Summary(), u.Model, u.Summary())
	all := t.Compare(u)
	for _, d := range all {
		fmt.Fprintf(&b, "%s, %s\n", d.Row, d.Column)
		side(t, t.Model, d.Here)
		side(u, u.Model, d.There)
	}
	fmt.Fprintf(&b, "%d cells differ\n", len(all))
	return b.String()
}

// sort puts columns, cells and outcomes in their order.
func (t *Table) sort() {
	slices.SortFunc(t.Events, func(a, b Event) int {
		return cmp.Or(slices.Compare(a.order[:], b.order[:]), cmp.Compare(a.Name, b.Name))
	})
	columns := t.columnNames()
	rank := func(c *Cell) int { return slices.Index(t.Rows, c.Row)*len(columns) + slices.Index(columns, c.Column) }
	slices.SortFunc(t.Cells, func(a, b *Cell) int { return rank(a) - rank(b) })
	for _, c := range t.Cells {
		slices.SortStableFunc(c.Outcomes, func(a, b *Outcome) int {
			return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.String(), b.String()))
		})
	}
}
