package mc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/internal/counters"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// Problem is what an engine is given: properties to decide, of a model or of a netlist. It is read-only for engines.
// Symbolic engines see the transition system and the methods below only, which serve both.
//
// OfNetlist is empty for a model, and OfModel for a netlist. Formulas of a model have both: the model for explicit search,
// and a netlist that is made of it, later or never.
type Problem struct {
	OfModel
	OfNetlist

	Props  []int          // properties to decide, ascending
	Groups []*ts.Symmetry // by property: a verified group under which it may be checked; nil entries are trivial

	// WellFormed says that W of the system was proved to hold in every reachable
	// state, so that engines may assume it in any frame.
	WellFormed bool

	// Full says that inductive evidence is to be checked for every image under the
	// symmetry, not for one representative of each orbit, and W with it.
	Full bool
	// Gophersat says that gophersat refutes what inductive evidence excludes, not cdcl with
	// a proof in LRAT.
	Gophersat bool
	Verified  *Verified // the permutations that checks of evidence verified; nil keeps none
}

// OfModel is what a problem has of a model, with the symmetry that explicit search may use.
type OfModel struct {
	Model     *model.Model
	Program   *model.Program
	Enc       *encode.Encoding // nil when the model has no symbolic encoding; see EncErr
	EncErr    error
	Reference Reference // another interpreter, of what Model was made of; nil is none

	// Formulas is what the properties stand for, if they are formulas of Model.
	Formulas *Formulas

	Blocks  [][][]int      // by scalarset class, the values that are interchangeable for all Props at once; nil is none
	Typed   bool           // Blocks were found by typing: they are derived again when evidence is checked; see states.TypedSets
	Joint   [][]int        // of Typed: sets of properties of which an instance may violate another one than its image does
	Strict  model.Strict   // of Typed: Blocks count where none of these hides an error; see Result.Hidden
	Typing  *Typing        // keeps what was derived last; nil keeps nothing
	Partial *model.Partial // for adaptive search: symmetry of each rule, verified on Enc and again when evidence is checked; nil is none
	Rings   []model.Ring   // values that may be rotated for all Props at once; in none of Blocks with another value

	// Counters says of what model Model was made, if it counts components. Traces are lifted to that
	// model when evidence is checked, and what search visits is checked there: see internal/certify.
	Counters *counters.Translation
}

// OfNetlist is what a problem has of a system that was read as such, or made of a model with formulas.
type OfNetlist struct {
	// Netlist is the system; property i is violated by the bads with Prop i.
	Netlist *ts.System
	// Cleaned is Netlist after clean-up for Props, which engines are given in its place; nil
	// is none. Verify replays traces on Netlist, and proofs count only together with a
	// check of the clean-up: see internal/certify.
	Cleaned *ts.Cleaned
	// Lassos says how Netlist was made of one with justice properties, and nil if there are
	// none. Their bads are the last ones.
	Lassos *ts.Lassos

	Covers []int            // properties that ask whether their bads can be reached
	Images map[int]ts.Image // by property: of which of Props it is an image; see PerOrbit

	// Replay, if it is not nil, replays a path of Netlist that violates a property on what the
	// netlist was made of, by other code than the circuits.
	Replay func(prop int, path *ts.Trace) error

	// Real, if it is not nil, says of a path of Netlist that violates a property in its last frame whether what
	// the netlist was made of has it: the netlist has more runs. The error is ErrSpurious if not.
	Real func(prop int, path *ts.Trace) error

	// Sample, if it is not nil, compares random runs of what Netlist was made of, by other code than the
	// circuits, with Netlist. The error says what differs.
	Sample func(context.Context) error

	source, cleaned *badIndex // of Netlist and of Cleaned.Sys; nil is none yet, see indexOf
}

// Formulas are formulas of a model.
type Formulas struct {
	Model   *model.Model // with the classes that were inferred
	Program *model.Program
	Of      []model.FormulaInstance // property First+i is number i
	First   int                     // 1 if there are Gaps; else 0
	Gaps    []int                   // properties of Model that say that it lacks runs; property 0 is that none is violated
	Erring  bool                    // a run that errs violates a formula if whatever might come after it does
}

// Instances returns the properties that are instances of the formula of a name; there are none without formulas.
func (f *Formulas) Instances(name string) (props []int) {
	if f == nil {
		return nil
	}
	for i, of := range f.Of {
		if of.Name == name {
			props = append(props, f.First+i)
		}
	}
	return props
}

// ParamTypes returns the types of the variables for the parameters of a formula (model.Model.Product).
func (f *Formulas) ParamTypes(of *model.Formula) (types []*model.Type) {
	for i, q := range of.Params {
		t := q.Var.Type
		if len(of.Atoms) > 0 {
			t = f.Model.Props[of.Atoms[0].Index].Params[i].Var.Type
		}
		if t.Kind == model.Integer {
			values := q.Domain.Values()
			t = &model.Type{Kind: model.Range, Lo: slices.Min(values), Hi: slices.Max(values), Leaves: 1}
		}
		types = append(types, t)
	}
	return types
}

// Symmetric returns the properties of Model that a permutation has to keep to be a symmetry of the formulas.
func (f *Formulas) Symmetric() (all []int) {
	for _, q := range f.Model.Props {
		if len(f.Gaps) > 0 && q.Kind != model.Deadlock {
			all = append(all, q.Index) // an error may be one or another
		}
	}
	for _, x := range f.Model.Formulas {
		all = append(all, lists.Map(x.Atoms, func(q *model.Property) int { return q.Index })...)
	}
	all = append(all, lists.Map(f.Model.Fair.Often, func(q *model.Property) int { return q.Index })...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Ordered returns why partial orders do not go with the formulas, or nil: a run that is left out may be fair where the one
// that is kept is not, and may repeat a state less often.
func (f *Formulas) Ordered() error {
	if len(f.Model.Fair.Often)+len(f.Model.Fair.Rules) > 0 {
		return fmt.Errorf("%s: partial orders do not go with fairness", f.Model.File)
	}
	for _, x := range f.Model.Formulas {
		if x.LTL == nil || !x.LTL.Stutters() {
			return fmt.Errorf("%s: partial orders do not go with %s, which may see how often a state is repeated: a formula with X, or a never claim", f.Model.File, x.Name)
		}
	}
	return nil
}

// Separate reports whether permutations map gaps to gaps, and what formulas and fairness say to itself, given the sets of
// properties that are mapped to each other.
func (f *Formulas) Separate(joint [][]int) bool {
	for _, set := range joint {
		gaps := 0
		for _, prop := range set {
			if slices.Contains(f.Gaps, prop) {
				gaps++
			} else if f.Model.Props[prop].Kind == model.Liveness {
				return false
			}
		}
		if gaps > 0 && gaps < len(set) {
			return false
		}
	}
	return true
}

// Reference is an interpreter of what a model was made of, which shares no code with what made the model. The first result
// is what it does not cover; "": nothing.
type Reference interface {
	// Replay checks that a trace is a run, with the same violation.
	Replay(t *model.Trace) (left string, err error)

	// Walk compares all steps in the states of random walks, and says in how many.
	Walk(ctx context.Context) (left string, states int, err error)
}

// NewNetlist returns the problem of a netlist, without Props; lassos is nil, or what sys was
// made by. The bads are not changed from then on.
func NewNetlist(sys *ts.System, lassos *ts.Lassos) *Problem {
	return &Problem{OfNetlist: OfNetlist{Netlist: sys, Lassos: lassos, source: newBadIndex(sys)}}
}

// IsNetlist reports whether engines but explicit search are given a netlist.
func (p *Problem) IsNetlist() bool { return p.Netlist != nil || p.Formulas != nil }

// ByRule reports whether each permutation of Blocks maps what a rule instance does to what its
// image does, errors included: symmetry by typing says so. One that is verified on the encoding
// may map it to what another rule does.
func (p *Problem) ByRule() bool { return p.Typed && len(p.Joint) == 0 }

// EachRule reports whether each permutation of Blocks maps what a rule instance does to what its image does, but for which
// error it meets, and keeps what each condition says.
func (p *Problem) EachRule() bool {
	return p.Typed && len(p.Strict) == 0 && !slices.ContainsFunc(p.Joint, func(set []int) bool {
		return slices.ContainsFunc(set, func(i int) bool { return p.Model.Props[i].Kind == model.Liveness })
	})
}

// System returns the transition system, nil if there is none.
func (p *Problem) System() *ts.System {
	switch {
	case p.Enc != nil:
		return p.Enc.Sys
	case p.Cleaned != nil:
		return p.Cleaned.Sys
	}
	return p.Netlist
}

// NumProps returns how many properties there are, to be decided or not.
func (p *Problem) NumProps() int {
	if p.Model != nil {
		return len(p.Model.Props)
	}
	if f := p.Formulas; f != nil {
		return f.First + len(f.Of)
	}
	return len(indexOf(p.source, p.Netlist).bads)
}

// Shown returns the model that traces are about, once evidence was checked; nil for a netlist.
func (p *Problem) Shown() *model.Model {
	if p.Counters != nil {
		return p.Counters.Concrete
	}
	return p.Model
}

// Name returns the name of a property.
func (p *Problem) Name(prop int) string {
	if p.Model != nil {
		return p.Model.Props[prop].Name
	}
	if f := p.Formulas; f != nil {
		if prop < f.First {
			return f.Model.Props[f.Gaps[0]].Name
		}
		return f.Of[prop-f.First].Title(f.Of[prop-f.First].Values)
	}
	for _, b := range p.Sources(prop) {
		if name := p.Netlist.Bads[b].Name; name != "" {
			return name
		}
	}
	return fmt.Sprintf("bad %d", prop)
}

// Kind returns the kind of a property; those of netlists are invariants, covers and
// justice.
func (p *Problem) Kind(prop int) model.PropertyKind {
	if p.Model != nil {
		return p.Model.Props[prop].Kind
	}
	if slices.Contains(p.Covers, prop) {
		return model.Cover
	}
	if p.justice(prop) >= 0 || p.Formulas != nil && prop >= p.Formulas.First {
		return model.Justice
	}
	return model.Invariant
}

// justice returns the number of a property in Lassos.Justice, -1 if it is not there.
func (p *Problem) justice(prop int) int {
	if p.Lassos == nil {
		return -1
	}
	return max(prop-p.Lassos.Justice[0].Prop, -1)
}

// JusticeOf returns a justice property, whose conditions are literals of Lassos.Source, and the
// fairness constraints; ok is false for other properties.
func (p *Problem) JusticeOf(prop int) (j *ts.Justice, fair []aig.Lit, ok bool) {
	k := p.justice(prop)
	if k < 0 {
		return nil, nil, false
	}
	return &p.Lassos.Justice[k], p.Lassos.Fair, true
}

// Lasso turns a path of Netlist that violates a justice property into a lasso of Lassos.Source: a path
// whose last state is that of the earlier frame loop. The lasso is checked. ok is false for
// other properties.
func (p *Problem) Lasso(prop int, path *ts.Trace) (lasso *ts.Trace, loop int, ok bool, err error) {
	k := p.justice(prop)
	if k < 0 {
		return nil, 0, false, nil
	}
	lasso = p.Lassos.Trace(path)
	loop, err = p.Lassos.Loop(lasso, k)
	return lasso, loop, true, err
}

// Order returns the positions in Props in the order in which engines decide properties. Of
// properties violated at the same depth, a report shows the first in this order: assertions
// and errors, then invariants, then covers, then deadlock, then liveness, each as declared.
// An error is often the cause of other violations.
func (p *Problem) Order() []int {
	order := lists.Make(len(p.Props), func(i int) int { return i })
	slices.SortStableFunc(order, func(i, j int) int { return p.rank(p.Props[i]) - p.rank(p.Props[j]) })
	return order
}

func (p *Problem) rank(prop int) int {
	switch p.Kind(prop) {
	case model.Assertion, model.ErrorStmt, model.RuntimeError:
		return 0
	case model.Invariant:
		return 1
	case model.Cover:
		return 2
	case model.Deadlock:
		return 3
	}
	return 4
}

// First returns the violation that a report shows: a trace of least depth, at the same depth
// the first in Order. Liveness comes last, at any depth. First returns nil if no property is
// violated.
func (p *Problem) First(r *Result) *PropResult {
	var first *PropResult
	better := func(a, b *PropResult) bool {
		la, lb := p.Kind(a.Prop) >= model.Liveness, p.Kind(b.Prop) >= model.Liveness // or justice
		if la != lb {
			return lb
		}
		return a.Depth < b.Depth
	}
	for _, i := range p.Order() {
		if pr := &r.Props[i]; pr.Status == Unsafe && pr.HasTrace() && (first == nil || better(pr, first)) {
			first = pr
		}
	}
	return first
}

// Bads returns the bads of a property, by their numbers in the system; none if
// there is no system. Neither they nor Sources are to be changed.
func (p *Problem) Bads(prop int) []int {
	switch {
	case p.Enc != nil:
		return p.Enc.PropBads[prop]
	case p.Model != nil:
		return nil
	}
	if p.Cleaned != nil {
		return indexOf(p.cleaned, p.Cleaned.Sys).of(prop)
	}
	return p.Sources(prop)
}

// Clean sets Cleaned.
func (p *Problem) Clean() {
	wanted := lists.Set(p.Props)
	bads := []int{}
	for i, b := range p.Netlist.Bads {
		if wanted[b.Prop] {
			bads = append(bads, i)
		}
	}
	p.Cleaned = ts.Clean(p.Netlist, ts.CleanOptions{Bads: bads, WithW: p.Netlist.W != aig.True})
	p.cleaned = newBadIndex(p.Cleaned.Sys)
}

// Sources returns the bads of a property of a netlist, by their numbers in Netlist.
func (p *Problem) Sources(prop int) []int { return indexOf(p.source, p.Netlist).of(prop) }

// badIndex is the bads of a system by property. It is made once where a netlist is read and
// where it is cleaned up, as netlists may have a hundred thousand, and is only read then.
type badIndex struct {
	sys  *ts.System
	bads [][]int // by property, ascending; none is nil
}

func newBadIndex(sys *ts.System) *badIndex {
	x := &badIndex{sys: sys}
	for i, b := range sys.Bads {
		for len(x.bads) <= b.Prop {
			x.bads = append(x.bads, nil)
		}
		x.bads[b.Prop] = append(x.bads[b.Prop], i)
	}
	return x
}

// indexOf returns x if it is the index of a system. A problem that was put together by hand,
// a small one, has none, and gets one for the moment.
func indexOf(x *badIndex, sys *ts.System) *badIndex {
	if x == nil || x.sys != sys {
		return newBadIndex(sys)
	}
	return x
}

func (b *badIndex) of(prop int) []int {
	if prop >= len(b.bads) {
		return nil
	}
	return slices.Clip(b.bads[prop])
}

// Group returns the verified group under which a property may be checked; nil
// is the trivial one.
func (p *Problem) Group(prop int) *ts.Symmetry {
	if len(p.Groups) == 0 {
		return nil
	}
	return p.Groups[prop]
}

// WordOrder returns all latches in the order in which representatives are best
// compared, most significant first: see encode.Encoding.WordOrder.
func (p *Problem) WordOrder(prop int) []int {
	if p.Enc != nil {
		return p.Enc.WordOrder(prop)
	}
	return encode.ReadFirst(p.System(), p.Bads(prop))
}

// ErrHidden is the error of Found if a quantifier of encode.Encoding.Strict hides an error on the path.
// Such a path says nothing of the model, so the caller of the engine begins anew with another
// encoding.
var ErrHidden = errors.New("a quantifier hides an error")

// ErrSpurious is the error of Found if the path is none of what the netlist was made of. Whoever gave the
// netlist to an engine begins anew with another one.
var ErrSpurious = errors.New("the netlist has a run too many")

// Exact returns the problem without an encoding that may do something else than the model.
func (p *Problem) Exact() *Problem {
	if p.Enc == nil || p.Enc.Strict == nil {
		return p
	}
	q := *p
	q.Enc = nil
	return &q
}

// Found returns the result for a property that is violated (a cover: hit) at
// some depth on a path, which may go on behind it: replayed as a trace of the
// system, and decoded, or lifted to Netlist. Depth may turn out to be less, if the path stutters. Bound
// is one less than it; engines that did not exclude all depths below must lower it. The error may
// be ErrHidden or ErrSpurious.
func (p *Problem) Found(engine string, prop, depth int, path *ts.Trace) (PropResult, error) {
	sys := p.System()
	frames, err := sys.Run(path)
	if err != nil {
		return PropResult{}, err
	}
	var failed error
	for _, b := range p.Bads(prop) { // those that say that an error is hidden are the last ones
		end := depth - sys.Bads[b].Delay
		if end < 0 || end >= len(frames) || !frames[end].Bads[b] {
			continue
		}
		if p.Enc != nil && p.Enc.Hides(frames, end, b) {
			return PropResult{}, ErrHidden
		}
		path := &ts.Trace{Init: path.Init, Inputs: path.Inputs[:end+1]}
		if failed = sys.Replay(path, b); failed != nil {
			continue // the state may break a constraint, which an error in the step to it does not need
		}
		r := PropResult{Prop: prop, Status: ByTrace(p.Kind(prop)), Engine: engine, Depth: depth, Bound: depth - 1}
		switch {
		case p.Cleaned != nil:
			r.Path = p.Cleaned.Trace(path)
			return r, p.isReal(&r)
		case p.Enc == nil:
			r.Path = path
			return r, p.isReal(&r)
		}
		if r.Trace, err = p.Enc.DecodeTrace(path, prop); err == nil && r.Trace.Depth(p.Model) < depth {
			// The path stutters, where no rule is fired.
			r.Depth = r.Trace.Depth(p.Model)
			r.Bound = r.Depth - 1
		}
		return r, err
	}
	if failed != nil {
		return PropResult{}, failed
	}
	return PropResult{}, fmt.Errorf("the path found does not violate %q at depth %d", p.Name(prop), depth)
}

// isReal returns what Real says of a violation.
func (p *Problem) isReal(r *PropResult) error {
	if p.Real == nil {
		return nil
	}
	return p.Real(r.Prop, r.Path)
}
