package explicit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/internal/ltl"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file decides formulas in linear temporal logic by explicit search. Instances of a formula that permutations
// map to each other are searched together: each is a start of the same product.

// Formulas is explicit search for formulas (mc.Problem.Formulas) as an mc.Engine. It visits the states of products
// one after the other, with one thread.
type Formulas struct {
	Paths bool // nothing is called safe, as a list of states is no certificate
	Ample bool // orders of independent steps are left out (ample.go)

	variant formulaVariant
}

// formulaVariant has steps that tests leave out; the zero value leaves out none.
type formulaVariant struct {
	still bool // permutations to representatives count as the identity
	whole bool // components are not taken apart where strong fairness is not met
	blind bool // stubborn sets may have instances that write what an atom reads
	round bool // ... and steps to states whose search has not ended
	alone bool // ... and nothing but one instance, as none depends on another
}

// Name returns "explicit".
func (fo *Formulas) Name() string { return "explicit" }

// noCertificate says why nothing is called safe.
const noCertificate = "all states were visited, and a list of states is no certificate"

// formulaSearch is a run of the engine.
type formulaSearch struct {
	p      *mc.Problem
	f      *mc.Formulas
	opt    mc.Options
	leave  formulaVariant
	ctx    context.Context
	r      *mc.Result
	began  time.Time
	shown  time.Time // when progress was last told
	reason string    // why it stopped; "" if it did not
	lacks  string    // what shows that the model may lack runs; "" is nothing

	b       *buchi
	e       *emptiness
	orders  *stubborn // nil: all instances are fired
	since   int
	visited int64 // states of products before
	errs    *model.Choice
	gap     *model.Violation
	at      int // state that shows errs
}

// Run implements mc.Engine.
func (fo *Formulas) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	s := &formulaSearch{p: p, f: p.Formulas, opt: opt, leave: fo.variant, ctx: ctx, r: mc.NewResult(fo.Name(), p), began: time.Now()}
	if len(p.Strict) > 0 || !s.f.Separate(p.Joint) || len(p.Rings) > 0 {
		return nil, fmt.Errorf("explicit: formulas take the symmetry of each rule")
	}
	if fo.Ample {
		err := s.f.Ordered()
		if err == nil {
			s.orders, err = newStubborn(s.f.Program, make([]uint64, s.f.Model.Leaves()))
		}
		if err != nil {
			return nil, err
		}
		if clear(s.orders.idle); fo.variant.alone { // idle ones may repeat a state for ever
			clear(s.orders.touched)
			clear(s.orders.writers)
		}
	}
	s.r.Components = make(map[int]evidence.Components)
	for _, q := range s.questions() {
		if err := s.decide(q); err != nil {
			return nil, err
		}
		if s.reason != "" || s.r.Violated() && !opt.All {
			break
		}
	}
	for i := range s.r.Props {
		s.r.Props[i].Engine, s.r.Props[i].Time = fo.Name(), time.Since(s.began)
		switch pr := &s.r.Props[i]; {
		case pr.Status != mc.Safe:
		case s.lacks != "": // without some of its runs nothing holds
			pr.Status = mc.Unknown
		case fo.Paths:
			pr.Status, s.reason = mc.Unknown, noCertificate
		}
	}
	if s.r.Stopped = cmp.Or(s.reason, s.lacks); s.r.Stopped == "" && s.r.Open() > 0 {
		s.r.Stopped = mc.Violation
	}
	return s.r, nil
}

// question is properties that are decided by one product: the instances of a formula that the symmetry maps to each
// other, or, without a formula, that nothing shows the model to lack runs.
type question struct {
	formula *model.Formula
	props   []int // ascending
}

// questions returns what is to be decided, in order: violations that are found need not wait for all states.
func (s *formulaSearch) questions() (all []question) {
	seen := make(map[int]bool)
	for i, of := range s.f.Of {
		if seen[i] {
			continue
		}
		g := question{formula: of.Formula}
		for orbit, k := []int{i}, 0; k < len(orbit); k++ {
			if seen[orbit[k]] {
				continue
			}
			seen[orbit[k]] = true
			if prop := s.f.First + orbit[k]; slices.Contains(s.p.Props, prop) {
				g.props = append(g.props, prop)
			}
			orbit = append(orbit, s.images(orbit[k])...)
		}
		if slices.Sort(g.props); len(g.props) > 0 {
			all = append(all, g)
		}
	}
	if s.f.First > 0 && slices.Contains(s.p.Props, 0) {
		all = append(all, question{nil, []int{0}})
	}
	return all
}

// images returns the instances that exchanges of neighbours in blocks map an instance to.
func (s *formulaSearch) images(i int) (all []int) {
	of := s.f.Of[i]
	types := s.f.ParamTypes(of.Formula)
	for _, perm := range s.f.Model.Exchanges(s.p.Blocks) {
		values := slices.Clone(of.Values)
		for k, t := range types {
			values[k] = imageOf(perm, t, values[k])
		}
		if k := slices.IndexFunc(s.f.Of, func(x model.FormulaInstance) bool { return x.Formula == of.Formula && slices.Equal(x.Values, values) }); k >= 0 {
			all = append(all, k)
		}
	}
	return all
}

// decide decides a question.
func (s *formulaSearch) decide(g question) error {
	list, path, err := s.search(g.formula, g.props)
	switch {
	case err != nil || path == nil && list == nil:
		return err
	case path == nil:
		for _, prop := range g.props {
			s.result(prop).Status, s.r.Components[prop] = mc.Safe, list
		}
		return nil
	}
	first := s.violated(g, path)
	for _, prop := range g.props {
		if prop != first && s.opt.All && s.reason == "" {
			if err := s.decide(question{g.formula, []int{prop}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// violated notes the run that violates one of a question.
func (s *formulaSearch) violated(g question, path *foundPath) int {
	values := path.values
	for _, prop := range g.props {
		if of := s.f.Of[prop-s.f.First]; slices.Equal(of.Values, values) {
			pr := s.result(prop)
			pr.Status, pr.Lasso = mc.Unsafe, traces.Shorten(s.f.Program, of, path.run)
			pr.Depth = len(pr.Lasso.Trace.Steps)
			return prop
		}
	}
	panic("explicit: a run violates no instance")
}

func (s *formulaSearch) result(prop int) *mc.PropResult {
	i, _ := slices.BinarySearch(s.p.Props, prop)
	return &s.r.Props[i]
}

// foundPath is a run of the model that violates an instance.
type foundPath struct {
	run    *model.Lasso
	values []int64
}

// search decides whether one of some instances of a formula is violated. Without a formula it visits all states, and
// a gap ends it. If it decides nothing, there is neither a list nor a run.
func (s *formulaSearch) search(f *model.Formula, props []int) (evidence.Components, *foundPath, error) {
	a := ltl.Everything()
	var types []*model.Type
	instances := [][]int64{nil}
	if f != nil {
		var err error
		if a, err = f.Negated(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		types = s.f.ParamTypes(f)
		instances = lists.Map(props, func(prop int) []int64 { return s.f.Of[prop-s.f.First].Values })
	}
	if err := s.prepare(f, a, types); err != nil {
		return nil, nil, err
	}
	defer func() { s.visited += int64(len(s.b.pairs)) }()
	var roots []int
	stop := false
	for _, values := range instances {
		s.b.starts(values, func(_ model.Choice, _ model.State, i int, _ uint32) bool {
			roots = append(roots, i)
			return true
		})
	}
	for _, i := range roots {
		if stop = s.e.visit(i); stop {
			break
		}
	}
	top := &level{e: s.e}
	accepting := s.e.accepting
	if !stop && !s.leave.whole {
		accepting = top.refine(s.b.arcsOf, s.tick)
	}
	s.tell()
	switch {
	case s.reason != "":
		return nil, nil, nil
	case s.gap != nil:
		s.lacks = "the model may lack runs: " + s.gap.Message
		return nil, nil, nil
	case accepting == nil && s.errs == nil:
		return &componentList{buchi: s.b, top: top, state: make(model.State, len(s.b.cur))}, nil, nil
	}
	path, err := s.path(roots, instances, accepting)
	return nil, path, err
}

// path returns the run that was found, or a shorter one.
func (s *formulaSearch) path(roots []int, instances [][]int64, accepting []int) (*foundPath, error) {
	b := s.b
	b.known = make(map[int][]arc)
	b.orders = nil
	p, loop, err := s.through(roots, instances, accepting, func(i int) bool { return i < len(s.e.order) && s.e.order[i] != 0 })
	if err != nil {
		return nil, err
	}
	found := &foundPath{p.run(loop), slices.Clone(b.params(p.states[0]))}
	near := b.nearby(roots, s.tick)
	known := func(i int) bool { _, ok := near.depth[i]; return ok }
	var from int
	var round route
	if s.errs, s.at = near.errs, near.at; s.errs == nil {
		if accepting = near.smallest(b, s.tick); accepting == nil {
			return found, nil
		}
		from, round = near.best(b, accepting, s.tick)
	}
	if round == nil {
		p, loop, err = s.through(roots, instances, accepting, known)
	} else if p, err = b.reach(roots, instances, known, func(i int) bool { return i == from }); err == nil {
		loop = len(p.states) - 1
		for _, n := range round {
			p.follow(n)
		}
	}
	if err != nil {
		return nil, err
	}
	if other := p.run(loop); len(other.Trace.Steps) < len(found.run.Trace.Steps) {
		found = &foundPath{other, slices.Clone(b.params(p.states[0]))}
	}
	return found, nil
}

// through returns a path to a component and around it, or to the state that shows errs, through known states.
func (s *formulaSearch) through(roots []int, instances [][]int64, accepting []int, known func(i int) bool) (p *lassoPath, loop int, err error) {
	b := s.b
	within := lists.Set(accepting)
	goal := func(i int) bool { return within[i] }
	if s.errs != nil {
		goal = func(i int) bool { return i == s.at }
	}
	if p, err = b.reach(roots, instances, known, goal); err != nil {
		return nil, 0, err
	}
	if s.errs == nil {
		loop, err = p.around(within)
		return p, loop, err
	}
	rep := make(model.State, len(b.cur))
	b.unpack(p.at, rep)
	p.add(*s.errs, nil, rep, 0)
	return p, 0, nil
}

// prepare makes the product and the search.
func (s *formulaSearch) prepare(f *model.Formula, a *ltl.Automaton, types []*model.Type) error {
	m := s.f.Model.Product(types, len(a.States))
	p := model.Compile(m)
	packer := model.NewPacker(m)
	var canon *canonicaliser
	if len(m.Exchanges(s.p.Blocks)) > 0 {
		var err error
		if canon, err = newCanonicaliser(p, packer, s.p.Blocks, nil, true); err != nil {
			return err
		}
	}
	s.b = newBuchi(p, f, a, canon, packer)
	s.b.still = s.leave.still
	if s.b.erring = s.f.Erring; f == nil {
		s.b.erring, s.b.gaps = false, s.f.Gaps
	}
	for _, perm := range m.Exchanges(s.p.Blocks) {
		if !s.b.moves(perm) {
			return fmt.Errorf("explicit: the symmetry does not keep fairness")
		}
	}
	s.e, s.errs, s.gap = newEmptiness(s.b.conditions, s), nil, nil
	if s.orders != nil {
		s.b.orders = &orders{reduced: newReduced(s.orders, m.Leaves()), p: s.f.Program, open: s.e.open, visible: make(map[string][]bool), leave: s.leave}
	}
	return nil
}

// successors implements graph.
func (s *formulaSearch) successors(i int, arcs []arc) ([]arc, bool) {
	if s.tick() {
		return arcs, true
	}
	n := len(arcs)
	arcs, out := s.b.expand(i, arcs, nil)
	s.r.Stats.Transitions += int64(len(arcs) - n)
	if out.gap != nil {
		s.gap = out.gap
	}
	if out.errs != nil {
		s.errs, s.at = out.errs, i
	}
	return arcs, s.gap != nil || s.errs != nil
}

func (s *formulaSearch) size() int { return len(s.b.pairs) }

// tick looks at limits now and then, and reports whether to stop.
func (s *formulaSearch) tick() bool {
	const often = 64
	if s.since++; s.since%often != 0 {
		return s.reason != ""
	}
	if s.tell(); s.ctx.Err() != nil {
		s.reason = mc.StopReason(s.ctx)
	}
	if s.opt.MemLimit > 0 && s.r.Stats.Bytes > s.opt.MemLimit {
		s.reason = mc.MemoryLimit
	}
	return s.reason != ""
}

// tell counts, and tells progress.
func (s *formulaSearch) tell() {
	s.r.Stats.States, s.r.Stats.Bytes = s.visited+int64(len(s.b.pairs)), s.b.memory()+s.e.memory()
	if s.opt.Event != nil && time.Since(s.shown) > time.Second/8 {
		s.shown = time.Now()
		s.opt.Event(mc.Event{Engine: "explicit", Stats: s.r.Stats}) // no depth is finished: it is a search depth first
	}
}
