// Package trace shows counterexamples to people: what each step did, who did it, what the violation
// depends on. A View is made of a trace of a model, a program or a netlist. It is written as one
// self-contained page, as a Mermaid diagram, or as JSON. Nothing here is evidence: the trace was
// replayed before.
//
//	trace.go     what a view is
//	model.go     views of models and programs
//	fair.go      why a loop is fair
//	branch.go    why a formula in computation tree logic does not hold
//	lanes.go     components, who acts in a step, messages
//	source.go    the source of a rule, with the branches taken
//	netlist.go   views of netlists
//	page.go      a view as a page: page.html, page.css, page.js; sequence.go: its diagram
//	text.go      a view as a Mermaid sequence diagram, and texts: text.tmpl
package trace

import "slices"

// View is a counterexample, or the witness of a cover, as it is shown.
type View struct {
	Title    string // the file, with constants
	Property string
	Kind     string // of the property
	Verb     string // what becomes of it at the end: "violated", "covered", "not inductive"
	Engine   string // that found it; may be empty
	Depth    int    // steps; a negative number is not shown
	Note     string // what else there is to say of the end; may be empty

	Instance []Param  // quantified variables whose values decide the property
	Reads    []Read   // what decides it
	Error    string   // the message of an error; may be empty
	At       string   // file:line:col of the error or the property; may be empty
	Text     []string // lines of source there
	Places   []string // of a program in which no process can move: where its processes are

	Cells []Cell   // parts of a state, in order
	Start Moment   // its Values are those of the first state, by cell
	Steps []Moment // in order
	Loop  int      // the last state is as the one after so many steps, and what follows repeats; -1: there is no loop
	Free  bool     // the first state need not be reachable, and Start has no rule
	Procs bool     // the components are processes

	Fair     *Fair     // of a run without end; nil: nothing is known
	Branches []*Branch // of a formula in computation tree logic: why it does not hold in the last state

	Lanes    []Lane    // components with something to do, in order; none: there are no components
	Messages []Message // in order of sending
	Sliced   bool      // Change.For is known
}

// Branch is what shows part of a formula in a state: see model.Branch.
type Branch struct {
	At       int    // the state that it leaves
	Claim    string // what holds there
	Steps    []Moment
	Lines    []string // Steps as text
	Loop     int      // as that of a View
	Branches []*Branch
}

// Param is a parameter, or another variable, and its value.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Read is a cell that decides the property.
type Read struct {
	Cell  int    `json:"cell"` // -1: it is none
	Name  string `json:"name"`
	Value string `json:"value"`
	Step  int    `json:"step"` // that gave it the value; 0 the start, -1 not known
}

// Cell is a part of a state: a leaf, a multiset, a signal.
type Cell struct {
	Name string `json:"name"`
	Row  string `json:"row"`            // name without the index of a component
	Lane string `json:"lane,omitempty"` // the component; "" for what belongs to none
	Set  bool   `json:"set,omitempty"`  // it is a multiset
	At   string `json:"at,omitempty"`   // where the source of a netlist has it
}

// Moment is the start or a step.
type Moment struct {
	Rule    string   `json:"rule"`
	Params  []Param  `json:"params,omitempty"`
	Line    int      `json:"line,omitempty"` // of the rule in the source; 0: none
	Actor   int      `json:"actor"`          // number of a lane; -1: not known
	Values  []string `json:"values,omitempty"`
	Changes []Change `json:"changes,omitempty"`
	Inputs  []Param  `json:"inputs,omitempty"` // of a netlist: inputs that matter
	Text    []string `json:"text,omitempty"`
	Source  []Block  `json:"source,omitempty"`
	Errs    bool     `json:"errs,omitempty"` // it ends in the error, and leads to no state
	Blind   []Blind  `json:"blind,omitempty"`
}

// Change is a cell that a step changed.
type Change struct {
	Cell  int      `json:"cell"`
	Old   string   `json:"old"`
	New   string   `json:"new"`
	Gone  []string `json:"gone,omitempty"` // of a multiset: its elements that are gone, and the new ones
	Added []string `json:"added,omitempty"`
	For   []int    `json:"for,omitempty"` // later steps that depend on it, 0 the property; see View.Sliced
}

// Blind is a component of which a step changes something, though its rule is about others and
// reads nothing of it, and that matters.
type Blind struct {
	Lane  int   `json:"lane"`
	Cells []int `json:"cells"`
}

// Lane is a component, or what belongs to none.
type Lane struct {
	Name   string `json:"name"`
	Shared bool   `json:"shared,omitempty"` // it stands for what belongs to no component
}

// Message is something that one component leaves for another.
type Message struct {
	From, To   int // lanes; To may be -1, which is not known
	Text       string
	Sent       int // step
	Received   int // step; 0: never
	Blind      bool
	Irrelevant bool
}

// Block is a piece of source.
type Block struct {
	Title string    `json:"title"`
	Line  int       `json:"line"` // of the first line
	Lines [][]Piece `json:"lines"`
}

// Piece is a part of a line that ran, or did not.
type Piece struct {
	Text string `json:"text"`
	Ran  bool   `json:"ran"`
}

// Relevant reports whether the violation depends on what the step did.
func (m *Moment) Relevant() bool {
	return slices.ContainsFunc(m.Changes, func(c Change) bool { return len(c.For) > 0 }) || m.Errs
}
