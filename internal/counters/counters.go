// Package counters translates a model into one that counts components: counter abstraction, as
// in T. Wahl and A. Donaldson, "Replication and abstraction: symmetry in automated formal
// verification" (Symmetry 2010), §6, and A. Emerson and R. Trefler, "From asymmetry to full
// symmetry" (CHARME 1999).
//
// The values of a class are components. The local state of a component is what the leaves hold
// that are indexed by it. If no leaf stores a component, and no leaf is indexed by two, then a
// state is given up to permutation by the other leaves and by how many components are in each
// local state. The translation is exact: a step of the new model is a step of the old one. It
// needs no search for symmetry, since it takes what treats all components alike, by form,
// and refuses all else with its place. docs/theory/counters.md has the theorem and its proof.
//
//	counters.go   what is made
//	local.go      local states: the leaves of a component, and the values they take
//	object.go     the components that a formula or rule has names for
//	expr.go       expressions; quantifiers over components range over local states
//	total.go      which expressions never err
//	stmt.go       statements
//	loop.go       loops over components
//	rule.go       rules, start states and properties
//	lift.go       states and traces, back and forth
package counters

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/internal/fault"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Translation is a model and the one that counts its components. It is read-only.
type Translation struct {
	Concrete *model.Model // as it was
	Model    *model.Model // with counters; its properties are those of Concrete, in the same order
	Class    *model.Type  // of Concrete.Scalarsets: the class that is counted
	Counted  []int        // numbers in Class of the components that are counted, ascending; the others keep their leaves
	Cut      int          // counters stop here, and then stand for this or more: Model has more paths; 0: they do not

	*locals
	shared []span   // leaves of Concrete that are no component's, and where they are in Model
	named  []int    // by value not counted, in the order of names: its first leaf in Model
	names  []int    // those values, as numbers in Class
	first  int      // the first counter among the leaves of Model
	starts []origin // by start state of Model
	rules  []origin // by rule of Model
}

// span is leaves from one number on in the concrete model, that are those from another number
// on in the other one.
type span struct{ from, to, n int }

// origin says of which rule another one was made, and of which components.
type origin struct {
	rule   int // index in Concrete
	params []role
}

// role says what a parameter of a concrete rule has become.
type role struct {
	kind roleKind
	at   int // kept: number of the parameter; named: the value; counted: number of the first parameter of its local state; same: number of the concrete parameter with the same component
}

type roleKind uint8

const (
	kept roleKind = iota
	named
	counted
	same
)

// A Refusal says why a class cannot be counted.
type Refusal struct {
	File string
	Pos  model.Pos // zero if it is about no place
	Text string
}

func (r *Refusal) Error() string {
	if r.Pos == (model.Pos{}) {
		return r.File + ": " + r.Text
	}
	return fmt.Sprintf("%s:%v: %s", r.File, r.Pos, r.Text)
}

// Most is the largest number of counters.
const Most = 4096

// with counts the components of a class, those with the numbers counted: two at least, ascending. The
// error is a *Refusal.
func with(m *model.Model, class int, counted []int, cut int, s variant) (t *Translation, err error) {
	defer fault.Catch[*Refusal](&err)
	return newTranslator(m, class, counted, cut, s).translate(), nil
}

// Any counts the components of the first class that can be counted. Of a class that is no scalarset, values
// gives the numbers of those that may be interchangeable. Counters stop at cut, if it is not 0: an abstraction (A. Pnueli,
// J. Xu, L. Zuck, "Liveness with (0,1,∞)-counter abstraction", CAV 2002). What it proves holds of the model. A path of it
// may be none of the model. The error says of each class why it cannot be counted.
func Any(m *model.Model, values func(class *model.Type) []int, cut int) (*Translation, error) {
	return anyWith(m, values, cut, variant{})
}

func anyWith(m *model.Model, values func(class *model.Type) []int, cut int, s variant) (*Translation, error) {
	var why []error
	for i, c := range m.Scalarsets {
		var all []int
		if c.Alike {
			all = values(c)
		} else {
			for v := range int(c.Card()) {
				all = append(all, v)
			}
		}
		if c.Slots || len(all) < 2 {
			continue
		}
		t, err := with(m, i, all, cut, s)
		if err == nil {
			return t, nil
		}
		why = append(why, err)
	}
	if why == nil {
		return nil, &Refusal{File: m.File, Text: "no type of interchangeable components is known: nothing to count"}
	}
	return nil, errors.Join(why...)
}

// variant is what tests break.
type variant struct {
	selfAmongOthers bool // a component is counted among the others
	noSame          bool // two parameters are never the same component
	countOnce       bool // a loop that adds runs once for each local state
	partial         bool // an operand that may err is no matter
	loopReads       bool // what a loop reads is no matter
	fewer           bool // of many components, one less is not many
	cutShort        bool // counters stop below the components that are known at a place
	oneWay          bool // chance takes one of all components in a local state, as a chooser does
	allDrawn        bool // a chooser takes all components in a local state, as chance does
	oneGroup        bool // chance also decides which components a distribution is of
}

type translator struct {
	*Translation
	variant
	class   int
	isNamed map[int]bool
	undef   map[string]bool            // designators that may be undefined, see may
	record  *model.Type                // what the leaves of a component are in, as a whole
	self    map[*model.Var]int         // by variable with leaves of components: its field in record
	vars    map[*model.Var]*model.Var  // by other state variable
	holders []*model.Var               // by names: the variable with the leaves of a component that is not counted
	count   *model.Var                 // the counters
	never   map[*model.Type]*model.Var // undefined always
	procs   map[*model.Proc]*model.Proc
	draws   map[string]int // groups of instances that chance decides between, see drawn
	later   []func()       // bodies of procedures, translated when all are known
}

func newTranslator(m *model.Model, class int, counted []int, cut int, s variant) *translator {
	t := &translator{
		Translation: &Translation{Concrete: m, Class: m.Scalarsets[class], Counted: counted},
		variant:     s, class: class, isNamed: make(map[int]bool),
		vars: make(map[*model.Var]*model.Var), self: make(map[*model.Var]int),
		never: make(map[*model.Type]*model.Var), procs: make(map[*model.Proc]*model.Proc),
		draws: make(map[string]int),
	}
	if cut < len(counted) {
		t.Cut = cut
	}
	for v := range int(t.Class.Card()) {
		if !slices.Contains(counted, v) {
			t.names = append(t.names, v)
			t.isNamed[v] = true
		}
	}
	return t
}

// fail ends the translation.
func (t *translator) fail(pos model.Pos, format string, args ...any) {
	panic(&Refusal{t.Concrete.File, pos, fmt.Sprintf(format, args...)})
}

// isC reports whether values of a type are components.
func (t *translator) isC(u *model.Type) bool { return u != nil && u.Classed() && u.Class == t.class }

// n is the number of components that are counted.
func (t *translator) n() int { return len(t.Counted) }

// most is the greatest value of a counter.
func (t *Translation) most() int {
	if t.Cut > 0 {
		return t.Cut
	}
	return len(t.Counted)
}

// Proves reports whether the counters decide a property of the model, or at least prove it. Those that are cut off show no
// state of the model: neither that a cover is hit, nor that there is another state to go to.
func (t *Translation) Proves(q *model.Property) bool {
	return t.Cut == 0 || q.Kind != model.Cover && !(q.Kind == model.Deadlock && t.Model.Deadlock == model.Stuttering)
}

func (t *translator) translate() *Translation {
	m := t.Concrete
	t.Model = &model.Model{File: m.File, Dialect: m.Dialect, Deadlock: m.Deadlock, LoopMax: m.LoopMax,
		Consts: m.Consts, Types: m.Types, Scalarsets: slices.Clone(m.Scalarsets), Warnings: m.Warnings}
	// The class keeps its number, and one value.
	t.Model.Scalarsets[t.class] = &model.Type{Kind: model.Scalarset, Name: t.Class.Name, Class: t.class, Leaves: 1}
	t.findLocals()
	t.variables()
	for _, p := range m.Procs {
		t.proc(p)
	}
	for _, body := range t.later {
		body()
	}
	for _, r := range m.Starts {
		t.ofRule(r, true)
	}
	for _, r := range m.Rules {
		t.ofRule(r, false)
	}
	t.Model.Props = lists.Map(m.Props, t.property)
	t.Model.Assumptions = lists.Map(m.Assumptions, t.property)
	t.place()
	return t.Translation
}

// place numbers the leaves.
func (t *translator) place() {
	m := t.Model
	for _, v := range t.Concrete.Vars {
		if own := t.vars[v]; own != nil {
			m.Vars = append(m.Vars, own)
		}
	}
	m.Vars = append(m.Vars, t.holders...)
	never := slices.SortedFunc(maps.Values(t.never), func(a, b *model.Var) int { return strings.Compare(a.Name, b.Name) })
	m.Vars = append(append(m.Vars, never...), t.count)
	at := 0
	for _, v := range m.Vars {
		v.Offset = at
		at += v.Type.Leaves
	}
	for _, v := range t.Concrete.Vars {
		if own := t.vars[v]; own != nil {
			t.shared = append(t.shared, span{v.Offset, own.Offset, v.Type.Leaves})
		}
	}
	t.named = lists.Map(t.holders, func(v *model.Var) int { return v.Offset })
	t.first = t.count.Offset
}

// Summary says what is counted.
func (t *Translation) Summary() string {
	dims := lists.Map(t.dims, func(d *dim) string { return d.name })
	what := fmt.Sprintf("%d of %v", len(t.Counted), t.Class)
	if len(t.names) > 0 {
		what += fmt.Sprintf("; %d by themselves", len(t.names))
	}
	cut := ""
	if t.Cut > 0 {
		cut = fmt.Sprintf(" from 0 to %d, which is %d or more", t.Cut, t.Cut)
	}
	return fmt.Sprintf("%s, by %s: %d counters%s", what, strings.Join(dims, ", "), t.Counters(), cut)
}
