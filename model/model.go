// Package model holds the typed guarded-command model: the meaning of a
// Murphi file after type checking, and its concrete semantics.
//
// A state is a valuation of typed leaves (the simple-typed parts of the state
// variables, in declaration order, arrays and records unfolded). A step fires
// one enabled instance of a rule. The package is this language and its compiled
// interpreter; package reference has the other one, package traces what is done with runs:
//
//	model.go, types.go, expr.go, stmt.go   the model as data; no behaviour
//	lower.go, tree.go                      what a switch is made of; walks over the data, and copies
//	compile*.go, machine.go                the compiled interpreter
//	trace.go, named.go                     runs as data; what names a rule instance in a state
//	enabled.go                             which rule instances may be enabled, kept as bits
//	real.go                                real numbers
//	formula.go, branching.go               properties in linear temporal logic, in computation tree logic
//	effects.go                             what parts of the model read and write
//	access*.go                             what rule instances read and write, for partial orders
//	packer*.go                             states as bits, permuted and sorted as such
//
// Counterexamples are replayed in the compiled interpreter, explicit search runs on it,
// and package encode is held to it by differential tests. It is itself held to the
// reference interpreter (model/reference), in which closed sets are checked.
//
// Errors are properties (see Property): a model that makes an assertion fail,
// reads an undefined value, writes out of range and so on is not safe.
package model

import (
	"cmp"
	"fmt"

	"orbitmc/internal/lists"
	"orbitmc/internal/pctl"
)

// Pos is a position in the source file, 1-based; the zero Pos is unknown.
type Pos struct {
	Line, Col int
}

func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Compare orders positions as they follow each other in a file.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Position returns p, for what embeds it.
func (p Pos) Position() Pos { return p }

// At is the place as it stands in a sentence, " at 12:3"; "" of what stands nowhere in the source.
func (p Pos) At() string {
	if p == (Pos{}) {
		return ""
	}
	return " at " + p.String()
}

// Dialect selects between the semantics of CMurphi and Rumur where they differ.
type Dialect uint8

// Dialects. They differ in how undefined values are compared and copied and in
// the depth of an error in a guard.
const (
	CMurphi Dialect = iota // default
	Rumur
)

func (d Dialect) String() string {
	if d == Rumur {
		return "rumur"
	}
	return "cmurphi"
}

// DeadlockMode says which states count as deadlocked.
type DeadlockMode uint8

// Deadlock modes.
const (
	Stuttering  DeadlockMode = iota // no rule instance leads to a different state, and none errs (default)
	Stuck                           // no rule instance is enabled and fires without error
	DeadlockOff                     // deadlock is not a property
)

func (d DeadlockMode) String() string {
	return [...]string{"stuttering", "stuck", "off"}[d]
}

// Model is a type-checked guarded-command model. It is read-only once built.
type Model struct {
	File     string // as given by the user; used in messages
	Dialect  Dialect
	Deadlock DeadlockMode
	LoopMax  int // most iterations of a while statement; 0 means DefaultLoopMax

	Consts     []Const     // declared numeric constants, in source order, after overrides
	Types      []*Type     // named types in source order
	Scalarsets []*Type     // every scalarset type, named or anonymous, and every slot type, in source order; then the classes that Retype added; Type.Class indexes it
	Vars       []*Var      // state variables in source order
	Procs      []*Proc     // procedures and functions in source order
	Starts     []*Rule     // start states, flattened out of their rulesets, in source order
	Rules      []*Rule     // rules, flattened out of their rulesets, in source order
	Props      []*Property // see Property for the order

	// Assumptions are the assume declarations: a step or start whose target
	// violates one is disabled. Kind and Index of these properties do not count.
	Assumptions []*Property

	// Ties are values that a program hands over together, which are perhaps renamed together. They mean
	// nothing else: what is made of them is verified.
	Ties []Tie

	Chances []*Likelihood // if the model was read with some

	Formulas []*Formula // in linear temporal logic, if the model was read with some
	Fair     Fairness   // the runs that formulas are about

	Warnings []Warning // of what was read, in source order
}

// Tie is values at uses, such as the number of a process and the channel that it is given. Ties of one kind
// have the same uses.
type Tie struct {
	Kind   int
	Uses   []Use
	Values []int64
}

// Warning is about a place whose text is legal and probably not meant.
type Warning struct {
	Pos  Pos
	Text string
}

// DefaultLoopMax is how often a while statement may iterate if nothing else is
// said, as in CMurphi.
const DefaultLoopMax = 1000

// TooManyTurns begins the message of the run-time error that this is.
const TooManyTurns = "while statement runs more than"

// MaxRecursion is how many calls of recursive procedures may be open at once; one
// more is a run-time error.
const MaxRecursion = 100

// Proc is a procedure or, if Result is not nil, a function. Parameters and
// locals are per call; locals are undefined when it starts. A function that ends
// without a return statement is a run-time error.
type Proc struct {
	Name   string
	Index  int // index in Model.Procs
	Params []*Formal
	Result *Type
	Locals []*Var
	Body   []Stmt
	Pos    Pos
}

// Formal is a formal parameter. By value, Var is a LocalVar that the call gives
// the value of the argument, which must be a value of its type, or a run-time
// error. By reference (ByRef), it is a RefVar that stands for the place of the
// argument.
type Formal struct {
	Var   *Var
	ByRef bool
}

// Const is a declared constant.
type Const struct {
	Name  string
	Value int64
	Type  *Type // Integer, Bool or an enum
	Pos   Pos
}

// Rule is a rule or a start state together with the rulesets around it.
type Rule struct {
	Name   string   // the quoted name, or "" when it had none
	Index  int      // index in Model.Rules or Model.Starts
	Params []*Param // ruleset parameters, outermost first
	Locals []*Var   // local variables; undefined when the rule starts
	Guard  Expr     // nil means true; always nil for start states
	Body   []Stmt
	Pos    Pos
	Draw   *Draw // of a probabilistic rule
}

// Draw says which enabled instances of probabilistic rules chance decides between: those of one group with the same values
// of the first Params parameters. Their probabilities add up to 1; encode/murphi knows them. Any other instance is for
// a chooser to fire, and so is each set of such instances. For all else than probabilities a rule with a Draw is a rule.
type Draw struct {
	Group, Params int
	Stored        bool // the body begins, within its names (Alias), with storing numerator and denominator in the first two variables
}

// Likelihood is a formula of PCTL.
type Likelihood struct {
	Name, Text string
	Formula    *pctl.Formula // over Atoms, by number
	Atoms      []*Property   // of kind Liveness, without parameters
}

// Param is a quantified variable with the values it takes.
type Param struct {
	Var    *Var
	Domain Domain
}

// Domain is what a ruleset parameter, quantifier or for loop ranges over.
// Either From is nil and the values are all those of Type in increasing order,
// or they are From, From+By, … up to and including To (down to, if By < 0).
// A By of 0 is a run-time error. For ruleset parameters From, To and By are Const
// expressions. Under Rumur, unless all three are constant, a By of nil is -1 if
// To < From, and a By that leads away from To is a run-time error.
type Domain struct {
	Type         *Type // simple type of the variable; Integer when From is set and no type is known
	From, To, By Expr  // By is nil for a step of 1
}

// PropertyKind says what sort of property it is.
type PropertyKind uint8

// Property kinds.
const (
	Invariant    PropertyKind = iota // holds in every reachable state
	Assertion                        // an assert statement never fails
	ErrorStmt                        // an error statement is never reached
	RuntimeError                     // no undefined read, out-of-range write or index, division by zero
	Deadlock                         // no reachable state is deadlocked
	Cover                            // some reachable state, or step, hits it
	Liveness                         // from every reachable state one can be reached in which it holds (AG EF)
	Branching                        // a formula in computation tree logic holds in every start state
	Justice                          // of netlists: no run meets all conditions infinitely often
	Assumption                       // of Model.Assumptions
)

func (k PropertyKind) String() string {
	return [...]string{"invariant", "assertion", "error", "runtime-error", "deadlock", "cover", "liveness", "ctl", "justice", "assumption"}[k]
}

// Property is one thing to check. Model.Props lists first the invariants, then
// the covers and then the liveness properties that are declared, then the
// assert, error and cover statements, all in source order, then
// "runtime-error", then (unless DeadlockOff) "deadlock". Names are unique
// within a model: a second property of the same name gets its line appended
// ("name@14"), and an unnamed one is called by its kind and line
// ("invariant@14").
type Property struct {
	Name   string
	Kind   PropertyKind
	Index  int      // index in Model.Props
	Params []*Param // rulesets around a declared property; see Expr
	// Expr is boolean, and nil for properties that are statements or built in. An
	// invariant must hold for all values of Params, a liveness property for each
	// of them on its own; a cover is hit when it holds for any.
	Expr Expr
	Tree *Tree // of kind Branching; each instance of it holds on its own
	Pos  Pos   // zero for RuntimeError and Deadlock
}

// Graph reports whether it is about the graph of all steps, so that no run alone violates it.
func (k PropertyKind) Graph() bool { return k == Liveness || k == Branching }

// Runtime returns the property that stands for run-time errors.
func (m *Model) Runtime() *Property { return m.byKind(RuntimeError) }

// DeadlockProp returns the deadlock property, or nil when it is off.
func (m *Model) DeadlockProp() *Property { return m.byKind(Deadlock) }

func (m *Model) byKind(k PropertyKind) *Property {
	for _, p := range m.Props {
		if p.Kind == k {
			return p
		}
	}
	return nil
}

// Leaves returns the number of leaves of a state.
func (m *Model) Leaves() int {
	return lists.Sum(m.Vars, func(v *Var) int { return v.Type.Leaves })
}
