package encode

import (
	"context"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// Quantifiers stop at the first operand that decides. If a later one errs, the outcome depends
// on the order of the values, and no permutation of them is a symmetry of the circuits. So
// Strict evaluates all operands of some quantifiers, each as if it were alone:
//
//	some operand errs, none decides    the quantifier errs
//	some operand errs, some decides    it hides an error
//	operands violate two properties    it hides an error
//	no operand errs                    the value, as if it stopped
//
// A rule that hides an error stutters, like one that errs. These circuits treat operands alike.
//
// The system has the states, steps and violations of the model as long as no error is hidden. Hidden
// errors are bads of each property to which they matter. So if no bad of a property holds, up to some
// depth or at all, the model does not violate the property, up to this depth or at all. A path to a
// hidden error is no violation (Hides). docs/theory/symmetry.md has the proof.

// hiddenError stands for a property: that a quantifier hides an error.
const hiddenError = -1

// Strict is Model with quantifiers, and parameters of properties and assumptions,
// that are evaluated to the end. It refuses a set with one that may have an effect, as
// operands behind one that decides would have it too.
func Strict(ctx context.Context, m *model.Model, set model.Strict) (*Encoding, error) {
	return built(m, func() *builder {
		refuseEffects(m, set)
		b := newBuilder(ctx, m, maxNodes)
		b.strict, b.enc.Strict = set, set
		return b
	})
}

// refuseEffects refuses to evaluate to the end what may write, hit a cover or fail an assumption.
func refuseEffects(m *model.Model, set model.Strict) {
	var pos model.Pos
	written := func(x model.Expr) {
		if v := model.Root(x); v == nil || v.Kind == model.StateVar || v.Kind == model.RefVar { // else a local of a function
			refuse(pos, "an operand that is not reached may write")
		}
	}
	look := func(n any) {
		switch n := n.(type) {
		case *model.Assign, *model.Reset:
			written(model.Written(n))
		case *model.Insert, *model.Remove:
			refuse(pos, "an operand that is not reached may change a multiset")
		case *model.Assume, *model.CoverStmt:
			refuse(pos, "an operand that is not reached may fail an assumption or hit a cover")
		}
	}
	check := func(n any, body model.Expr, at model.Pos) {
		if set[n] {
			pos = at
			model.InspectCalls(body, look)
		}
	}
	quants := func(n any) {
		if q, ok := n.(*model.Quant); ok {
			check(q, q.Body, q.Pos)
		}
	}
	for _, p := range slices.Concat(m.Props, m.Assumptions) {
		if p.Expr != nil {
			check(p, p.Expr, p.Pos)
			model.Inspect(p.Expr, quants)
		}
	}
	for _, p := range m.Procs {
		model.Inspect(p.Body, quants)
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		model.Inspect(r.Guard, quants)
		model.Inspect(r.Body, quants)
	}
}

// operands collects the operands of a quantifier that are evaluated to the end.
type operands struct {
	x     *exec
	all   bool      // it is decided by one that does not hold
	terms []aig.Lit // each holds; for exists: it does not
	done  []aig.Lit // it decides
	errs  map[int][]aig.Lit
}

func (ex *exec) strictly(all bool) *operands {
	return &operands{x: ex, all: all, errs: make(map[int][]aig.Lit)}
}

// add evaluates an operand, which is there where active holds.
func (o *operands) add(active aig.Lit, e model.Expr) {
	x, g := o.x, o.x.g
	x.checkBudget()
	errs, j := x.errs, x.fork()
	x.errs = make(map[int][]aig.Lit)
	x.path = path{pc: aig.True, inserts: j.before.inserts, changed: j.before.changed}
	x.regions = append(x.regions, region{cond: aig.True, here: aig.True})
	l := aig.True
	x.when(active, func() { l = x.needLit(e).NotIf(!o.all) })
	x.regions = x.regions[:len(x.regions)-1]
	for p, ls := range lists.InOrder(x.errs) {
		if x.errs[p] = slices.DeleteFunc(ls, x.contradicts); len(x.errs[p]) == 0 {
			delete(x.errs, p)
		}
	}
	own := x.anyOf(x.errs)
	x.errs = errs
	j.back(x)

	for p, l := range own {
		o.errs[p] = append(o.errs[p], l)
	}
	o.terms = append(o.terms, g.Implies(active, l))
	o.done = append(o.done, g.AndN([]aig.Lit{active, l.Not(), g.OrN(lists.Values(own)).Not()}))
}

// contradicts reports whether a conjunction has the complement of another part of it. Many errors
// are of that kind, as in !isundefined(x) & x = y, and what cannot err hides none.
func (a arith) contradicts(l aig.Lit) bool {
	all := a.g.Conjuncts(l, nil, nil)
	has := lists.Set(all)
	return slices.ContainsFunc(all, func(c aig.Lit) bool {
		parts := a.g.Conjuncts(c.Not(), nil, nil)
		return !slices.ContainsFunc(parts, func(p aig.Lit) bool { return !has[p] })
	})
}

// value ends the quantifier: it records errors, and returns whether it holds where there are
// none.
func (o *operands) value() aig.Lit {
	x, g := o.x, o.x.g
	errs := x.anyOf(o.errs)
	var some, hide []aig.Lit
	props := slices.DeleteFunc(slices.Sorted(maps.Keys(errs)), func(p int) bool { return p == hiddenError })
	for i, p := range props {
		some = append(some, errs[p])
		for _, q := range props[:i] {
			hide = append(hide, g.And(errs[p], errs[q]))
		}
	}
	if l, ok := errs[hiddenError]; ok {
		hide = append(hide, l)
	}
	hides := g.OrN(append(hide, g.And(g.OrN(some), g.OrN(o.done))))
	conds := map[int]aig.Lit{hiddenError: hides}
	for _, p := range props {
		conds[p] = g.And(errs[p], hides.Not())
	}
	maps.DeleteFunc(conds, func(_ int, l aig.Lit) bool { return l == aig.False })
	if len(conds) > 0 {
		x.failAll(conds)
		if slices.Contains(slices.Collect(maps.Values(conds)), aig.True) {
			x.cut(aig.False)
		}
	}
	return g.AndN(o.terms).NotIf(!o.all)
}

// hiding collects where errors are hidden. All are literals of the scratch graph.
type hiding struct {
	guards, bodies []aig.Lit         // in a state and a step from it
	props          map[int][]aig.Lit // by property: where it is evaluated in a state
}

// hiddenBads adds the bads that say that an error is hidden. An error in a body shows one frame
// before its depth, and so does what is hidden there, and in a guard. A guard errs in the
// state itself under CMurphi, and deadlock is about all instances in a state: for these, what is
// hidden counts in the frame it is in.
func (b *builder) hiddenBads(sys *ts.System, copier *aig.Copier) {
	e := b.enc
	add := func(name string, delay int, ls []aig.Lit, props func(p *model.Property) bool) {
		l := copier.Copy(b.g.OrN(ls))
		if l == aig.False {
			return
		}
		of := slices.DeleteFunc(slices.Clone(b.m.Props), func(p *model.Property) bool { return !props(p) })
		if len(of) == 0 {
			return
		}
		for _, p := range of {
			e.PropBads[p.Index] = append(e.PropBads[p.Index], len(sys.Bads))
		}
		e.hidden = append(e.hidden, len(sys.Bads))
		sys.Bads = append(sys.Bads, ts.Bad{Name: name, Lit: l, Prop: len(b.m.Props), Delay: delay})
	}
	errs := func(p *model.Property) bool {
		return p.Kind == model.RuntimeError || p.Kind == model.Assertion || p.Kind == model.ErrorStmt
	}
	deadlock := func(p *model.Property) bool { return p.Kind == model.Deadlock }
	all := func(p *model.Property) bool { return true }
	step := slices.Concat(b.hides.guards, b.hides.bodies)
	if l, ok := b.startErr[hiddenError]; ok {
		add("hidden error in a start state", 0, []aig.Lit{l}, all)
	}
	add("hidden error in a step", 1, step, func(p *model.Property) bool { return !deadlock(p) })
	add("hidden error, and so no deadlock", 0, step, deadlock)
	if b.m.Dialect == model.CMurphi {
		add("hidden error in a guard", 0, b.hides.guards, errs)
	}
	e.hidingSteps = len(e.hidden)
	for _, q := range b.m.Props {
		add("hidden error in "+q.Name, 0, b.hides.props[q.Index], func(p *model.Property) bool { return p == q || errs(p) })
	}
}

// MayHide reports whether any bad says that an error is hidden. Without one the system is that of
// the model.
func (e *Encoding) MayHide() bool { return len(e.hidden) > 0 }

// Hides reports whether a quantifier hides an error on a path of the system, so that the model may
// do something else: in a start state or a step up to frame end, or where bad is about that,
// and holds there. frames are those of the path, bad is a number in Sys.Bads.
func (e *Encoding) Hides(frames []ts.Frame, end, bad int) bool {
	if slices.Contains(e.hidden, bad) {
		return true
	}
	for _, b := range e.hidden[:e.hidingSteps] {
		for _, f := range frames[:end] {
			if f.Bads[b] {
				return true
			}
		}
	}
	return false
}
