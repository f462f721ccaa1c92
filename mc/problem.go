package mc

import (
	"fmt"
	"slices"

	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/ts"
)

// Problem is what an engine is given: the properties of a model to decide, or
// those of a netlist. It is read-only for engines. Symbolic engines see the
// transition system and the methods below only, which serve both.
type Problem struct {
	Model   *model.Model // nil for a netlist
	Program *model.Program
	Enc     *encode.Encoding // nil when the model has no symbolic encoding; see EncErr
	EncErr  error

	// Netlist is a system that was read as such; property i is violated by the
	// bads with Prop i. Model, Program and Enc are nil then.
	Netlist *ts.System
	// Cleaned is Netlist after clean-up for Props, which engines are given in its place; nil
	// is none. Verify replays traces on Netlist, and proofs count only together with a
	// check of the clean-up: see certify_clean.go.
	Cleaned *ts.Cleaned
	// Justice are the names of the justice properties of the netlist. They are
	// numbered behind the others and of kind Liveness; no engine decides them.
	Justice []string

	// WellFormed says that W of the system was proved to hold in every reachable
	// state, so that engines may assume it in any frame.
	WellFormed bool

	// Full says that inductive evidence is to be checked for every image under the
	// symmetry, not for one representative of each orbit, and W with it.
	Full bool

	Props  []int          // properties to decide, ascending
	Groups []*ts.Symmetry // by property: a verified group under which it may be checked; nil entries are trivial
	Images map[int]Image  // by property of a netlist: of which of Props it is an image; see PerOrbit
	Blocks [][][]int      // by scalarset class, the values that are interchangeable for all Props at once; nil is none
	Rings  []model.Ring   // values that may be rotated for all Props at once; in none of Blocks with another value
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
	return p.numBad() + len(p.Justice)
}

// numBad returns how many properties of a netlist have bads.
func (p *Problem) numBad() int {
	n := 0
	for _, b := range p.Netlist.Bads {
		n = max(n, b.Prop+1)
	}
	return n
}

// Name returns the name of a property.
func (p *Problem) Name(prop int) string {
	if p.Model != nil {
		return p.Model.Props[prop].Name
	}
	for _, b := range p.Netlist.Bads {
		if b.Prop == prop && b.Name != "" {
			return b.Name
		}
	}
	if i := prop - p.numBad(); i >= 0 {
		return p.Justice[i]
	}
	return fmt.Sprintf("bad %d", prop)
}

// Kind returns the kind of a property; those of netlists are invariants, but
// for justice.
func (p *Problem) Kind(prop int) model.PropertyKind {
	if p.Model != nil {
		return p.Model.Props[prop].Kind
	}
	if prop >= p.numBad() {
		return model.Liveness
	}
	return model.Invariant
}

// Order returns the positions in Props in the order in which properties are asked for,
// and reported when they are violated at the same depth: assertions and errors, then
// invariants, then covers, then deadlock, then liveness, each as declared. An error is
// often the cause of what else is wrong.
func (p *Problem) Order() []int {
	order := make([]int, len(p.Props))
	for i := range order {
		order[i] = i
	}
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

// First returns the violation that a report shows: of those with a trace one of least
// depth, at the same depth the first in Order; liveness only if nothing else is
// violated. It is nil if there is none.
func (p *Problem) First(r *Result) *PropResult {
	var first *PropResult
	better := func(a, b *PropResult) bool {
		la, lb := p.Kind(a.Prop) == model.Liveness, p.Kind(b.Prop) == model.Liveness
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
// there is no system.
func (p *Problem) Bads(prop int) []int {
	switch {
	case p.Enc != nil:
		return p.Enc.PropBads[prop]
	case p.Model != nil:
		return nil
	}
	return badsOf(p.System(), prop)
}

// Clean sets Cleaned.
func (p *Problem) Clean() {
	bads := []int{}
	for i, b := range p.Netlist.Bads {
		if slices.Contains(p.Props, b.Prop) {
			bads = append(bads, i)
		}
	}
	p.Cleaned = ts.Clean(p.Netlist, ts.CleanOptions{Bads: bads})
}

// Sources returns the bads of a property of a netlist, by their numbers in Netlist.
func (p *Problem) Sources(prop int) []int { return badsOf(p.Netlist, prop) }

func badsOf(sys *ts.System, prop int) []int {
	var bads []int
	for i, b := range sys.Bads {
		if b.Prop == prop {
			bads = append(bads, i)
		}
	}
	return bads
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

// Found returns the result for a property that is violated (a cover: hit) at
// some depth on a path, which may go on behind it: replayed as a trace of the
// system, and decoded, or lifted to Netlist. Depth may turn out to be less, if the path stutters. Bound
// is one less than it; engines that did not exclude all depths below must lower it.
func (p *Problem) Found(engine string, prop, depth int, path *ts.Trace) (PropResult, error) {
	sys := p.System()
	frames, err := sys.Run(path)
	if err != nil {
		return PropResult{}, err
	}
	for _, b := range p.Bads(prop) {
		end := depth - sys.Bads[b].Delay
		if end < 0 || end >= len(frames) || !frames[end].Bads[b] {
			continue
		}
		path = &ts.Trace{Init: path.Init, Inputs: path.Inputs[:end+1]}
		if err := sys.Replay(path, b); err != nil {
			return PropResult{}, err
		}
		r := PropResult{Prop: prop, Status: ByTrace(p.Kind(prop)), Engine: engine, Depth: depth, Bound: depth - 1}
		switch {
		case p.Cleaned != nil:
			r.Path = p.Cleaned.Trace(path)
			return r, nil
		case p.Enc == nil:
			r.Path = path
			return r, nil
		}
		if r.Trace, err = p.Enc.DecodeTrace(path, prop); err == nil && r.Trace.Depth(p.Model) < depth {
			// The path stutters, where no rule is fired.
			r.Depth = r.Trace.Depth(p.Model)
			r.Bound = r.Depth - 1
		}
		return r, err
	}
	return PropResult{}, fmt.Errorf("the path found does not violate %q at depth %d", p.Name(prop), depth)
}
