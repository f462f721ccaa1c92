package explicit

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// aims are the properties that a search looks at, and its findings.
type aims struct {
	props  []*model.Property
	opt    Options
	wanted []bool // by property
	checks []int  // declared properties to evaluate in every state
	hits   []int  // covers that are statements
	dead   int    // the deadlock property, or -1

	depth int       // of the states being expanded
	done  int       // depth to which the search is complete
	found []finding // by property
	limit int       // least depth of a violation; violations below it do not matter unless opt.All
}

// finding is a violation, or a hit of a cover, in state number State. If Step is not nil, this
// instance of a rule, fired in the state, violates or hits; if there is no state, Step is an
// instance of a start state. Files of checkpoints and of searches in parts have what is exported.
type finding struct {
	Depth, State int // the depth -1: none

	// Where it was found: From is the state before, At counts its successors up to there
	// twice, and once more if it is about the last of them. Adaptive search finds things in order.
	From, At int

	Step      *model.Choice    `json:",omitempty"`
	Violation *model.Violation `json:",omitempty"`
	Packed    []byte           `json:",omitempty"` // the state, if State is not its number: a task of settle found it

	walk *model.Trace // that a random walk found; else nil

	// concrete is the one of the states that an annotated state stands for.
	concrete model.State
}

// before reports whether f is found before g at the same depth.
func (f *finding) before(g *finding) bool { return f.From < g.From || f.From == g.From && f.At < g.At }

const never = int(^uint(0) >> 1)

func newAims(m *model.Model, opt Options) (aims, error) {
	a := aims{props: m.Props, opt: opt, wanted: make([]bool, len(m.Props)), dead: -1, done: -1, limit: never,
		found: make([]finding, len(m.Props))}
	for i := range a.wanted {
		a.wanted[i] = opt.Props == nil
		a.found[i].Depth = -1
	}
	for _, i := range opt.Props {
		if i < 0 || i >= len(m.Props) {
			return a, fmt.Errorf("explicit: there is no property %d", i)
		}
		a.wanted[i] = true
	}
	raises := slices.ContainsFunc(m.Props, a.raised)
	for i, q := range m.Props {
		// What is not wanted may still raise an error that is.
		if q.Expr != nil && (raises || a.wanted[i] && q.Kind != model.Liveness) {
			a.checks = append(a.checks, i)
		}
		if a.wanted[i] && q.Kind == model.Cover && q.Expr == nil {
			a.hits = append(a.hits, i)
		}
	}
	if d := m.DeadlockProp(); d != nil && a.wanted[d.Index] {
		a.dead = d.Index
	}
	return a, nil
}

// raised reports whether q is wanted and may be violated while something else is evaluated.
func (a *aims) raised(q *model.Property) bool { return a.wanted[q.Index] && isError(q.Kind) }

// isError reports whether errors violate properties of a kind, wherever they occur.
func isError(k model.PropertyKind) bool {
	return k == model.RuntimeError || k == model.Assertion || k == model.ErrorStmt
}

// finds evaluates a declared property in s: it returns what is violated, or the hit of a
// cover. Of a liveness property only an error shows.
func (a *aims) finds(m *model.Machine, s model.State, prop int) *model.Violation {
	switch q := a.props[prop]; q.Kind {
	case model.Invariant:
		return m.Violated(s, prop)
	case model.Cover:
		ok, v := m.Holds(s, prop, nil)
		if ok && v == nil {
			v = &model.Violation{Prop: prop, Message: "covered"}
		}
		return v
	default:
		for _, inst := range model.InstancesOf(q.Params) {
			if _, v := m.Holds(s, prop, inst); v != nil {
				return v
			}
		}
		return nil
	}
}

// news reports whether a finding is about a wanted property that has none as early.
func (a *aims) news(f finding) bool {
	old := &a.found[f.Violation.Prop]
	return a.wanted[f.Violation.Prop] && !(a.opt.Bounded && f.Depth > a.opt.MaxDepth) &&
		(old.Depth < 0 || old.Depth > f.Depth || old.Depth == f.Depth && f.before(old))
}

// record notes a finding that is news.
func (a *aims) record(f finding) {
	a.found[f.Violation.Prop] = f
	if f.Depth < a.limit && a.props[f.Violation.Prop].Kind != model.Cover {
		a.limit = f.Depth
	}
}

// goesOn reports whether states and violations beyond the present depth matter.
func (a *aims) goesOn() bool {
	return (a.opt.All || a.opt.Whole || a.limit > a.depth) && !(a.opt.Bounded && a.depth >= a.opt.MaxDepth)
}

// layerDone notes that all states of the present depth are expanded. It returns why the search
// ends with them, or "".
func (a *aims) layerDone() (reason Reason) {
	a.done = a.depth
	switch {
	case !a.opt.All && !a.opt.Whole && a.limit <= a.depth:
		return violationFound
	case !a.opt.Whole && a.allFound():
		return allViolated
	case a.opt.Bounded && a.depth >= a.opt.MaxDepth:
		return depthBound
	}
	return ""
}

// allFound reports whether there is nothing left to look for: every wanted
// property is known to be violated, or covered, at a depth at which it cannot be
// beaten.
func (a *aims) allFound() bool {
	for i, f := range a.found {
		if a.wanted[i] && (f.Depth < 0 || f.Depth > a.depth) {
			return false
		}
	}
	return true
}

// tell puts what was found into r, each with the trace that is made of it.
func (a *aims) tell(r *Result, trace func(prop int, f finding) (*model.Trace, error)) error {
	for prop, f := range a.found {
		cover := a.props[prop].Kind == model.Cover
		if f.Depth < 0 || !cover && !a.opt.All && !r.Complete && f.Depth > a.limit {
			continue
		}
		t, err := trace(prop, f)
		if err != nil {
			return err
		}
		found := Found{t.Prop, f.Depth, t} // t.Prop may be another property of a joint set
		if cover {
			r.Covered = append(r.Covered, found)
			continue
		}
		i, ok := slices.BinarySearchFunc(r.Violations, t.Prop, func(v Found, prop int) int { return v.Prop - prop })
		switch {
		case !ok:
			r.Violations = slices.Insert(r.Violations, i, found)
		case found.Depth < r.Violations[i].Depth:
			r.Violations[i] = found
		}
	}
	return nil
}

// numbers lists the numbers of what is set.
func numbers(set []bool) (all []int) {
	for i, is := range set {
		if is {
			all = append(all, i)
		}
	}
	return all
}
