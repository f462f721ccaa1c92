package typing

import (
	"fmt"
	"maps"

	"orbitmc/model"
)

// This file runs one turn of a loop on abstract values: what does it read and write
// beside what it has written itself, and which errors may it raise? Procedures are
// run where they are called. A variable with no index around it has its value
// followed; of all others only the accesses are noted.

// value is what is known of a value in a turn.
type value struct {
	own bool   // it is that of the loop variable
	k   *int64 // it is this constant
	dep bool   // it may differ from turn to turn
	def int8   // 1: defined, -1: undefined, 0: perhaps
}

func (v value) meet(w value) value {
	u := value{own: v.own && w.own, dep: v.dep || w.dep}
	if v.k != nil && w.k != nil && *v.k == *w.k {
		u.k = v.k
	}
	if v.def == w.def {
		u.def = v.def
	}
	// Which of the two it is may depend on the turn.
	u.dep = u.dep || u.k == nil && u.def != -1
	return u
}

func (v value) same(w value) bool {
	return v.own == w.own && v.dep == w.dep && v.def == w.def && (v.k == nil) == (w.k == nil) && (v.k == nil || *v.k == *w.k)
}

type selKind uint8

const (
	byField selKind = iota
	byOwn           // the index is the loop variable
	byConst         // it is k
	byFixed         // it is the same in all turns
	byAny           // none of these
)

// sel is a step from a place to a part.
type sel struct {
	kind selKind
	k    int64 // of a field or constant
}

// place is a variable or part of one.
type place struct {
	root *model.Var
	sels []sel
	t    *model.Type
	sets []*model.Type // multisets of which it is in an element
}

func (p place) with(s sel, t *model.Type) place {
	p.sels = append(p.sels[:len(p.sels):len(p.sels)], s)
	p.t = t
	return p
}

// dep reports whether turns may differ in what the place is.
func (p place) dep() bool {
	for _, s := range p.sels {
		if s.kind == byOwn || s.kind == byAny {
			return true
		}
	}
	return false
}

// path returns a name of the place if there are only fields in it.
func (p place) path() (string, bool) {
	key := ""
	for _, s := range p.sels {
		if s.kind != byField {
			return "", false
		}
		key += fmt.Sprint(".", s.k)
	}
	return key, true
}

func (p place) String() string {
	s := p.root.Name
	t := p.root.Type
	for _, x := range p.sels {
		if x.kind == byField {
			s += "." + t.Fields[x.k].Name
			t = t.Fields[x.k].Type
		} else {
			s += "[…]"
			t = t.Elem
		}
	}
	return s
}

type accessKind uint8

const (
	read accessKind = iota
	write
	add     // n := n + k, the sign of k in sign
	insert  // into the multiset
	present // is there an element in the slot?
)

// access is what a turn does to a place that is not its own.
type access struct {
	kind    accessKind
	p       place
	pos     model.Pos
	sign    int
	value   string // of a write: a name of the value if it is the same in all turns
	tracked bool   // of a write: later reads in the turn see it
	removes bool   // of a write: it takes elements out of a multiset
}

type entry struct {
	value
	weak bool // perhaps the turn has not written it
}

type store map[*model.Var]map[string]entry

func (s store) clone() store {
	c := make(store, len(s))
	for v, m := range s {
		c[v] = maps.Clone(m)
	}
	return c
}

// Kinds of errors that are no properties.
const disabled = -1

func covers(prop int) int { return -2 - prop }

// turn is one run of a turn.
type turn struct {
	a       *analysis
	u       *unit
	v       *model.Var // the loop variable; nil to find out about errors only
	accs    []access
	seen    map[string]bool // accesses noted
	kinds   map[int]bool
	store   store
	env     map[*model.Var]place
	private map[*model.Var]bool
	inner   map[*model.Var]bool
	sure    map[string]bool // places that are the same in all turns and were read without an error
	cond    int             // conditions around
	left    bool            // perhaps what follows is not run
	frames  []*frame
	returns map[string]bool // of the loop itself: names of the values
	result  map[*model.Proc]*model.Var
	site    string
	steps   int
	failed  *Obstacle
	early   bool // known leaves count
}

type frame struct {
	p      *model.Proc
	stores []store
}

func (a *analysis) newTurn(u *unit, v *model.Var) *turn {
	return &turn{a: a, u: u, v: v, seen: make(map[string]bool), kinds: make(map[int]bool), store: make(store), env: make(map[*model.Var]place),
		private: make(map[*model.Var]bool), inner: make(map[*model.Var]bool), sure: make(map[string]bool),
		returns: make(map[string]bool), result: make(map[*model.Proc]*model.Var), early: !a.starting(u)}
}

func (w *turn) fail(pos model.Pos, format string, args ...any) {
	if w.failed == nil {
		w.failed = &Obstacle{Pos: pos, Reason: fmt.Sprintf(format, args...)}
	}
}

func (w *turn) runtime() { w.kinds[w.a.m.Runtime().Index] = true }

// uniform reports whether what is evaluated here is evaluated in every turn, before any
// error that depends on the turn.
func (w *turn) uniform() bool {
	return w.cond == 0 && !w.left && len(w.kinds) == 0 && len(w.returns) == 0
}

func (w *turn) note(a access) {
	if w.private[a.p.root] {
		return
	}
	key := fmt.Sprint(a.kind, a.p.root.Kind, fmt.Sprintf("%p", a.p.root), a.p.sels, a.sign, a.value, a.tracked, a.removes, a.p.t.Leaves)
	if !w.seen[key] {
		w.seen[key] = true
		w.accs = append(w.accs, a)
	}
}

// followed reports whether the value of a place is followed.
func (w *turn) followed(p place) (string, bool) {
	path, ok := p.path()
	return path, ok && p.root.Kind != model.StateVar
}

// place resolves a designator, or a call or Let with a result that is not simple.
func (w *turn) place(e model.Expr) place {
	switch e := e.(type) {
	case *model.Ref:
		if p, ok := w.env[e.Var]; ok {
			return p
		}
		p := place{root: e.Var, t: e.Var.Type}
		if t := w.a.targets[e.Var]; t != nil {
			for s := range t.sets {
				p.sets = append(p.sets, s)
			}
		}
		return p
	case *model.FieldSel:
		return w.place(e.X).with(sel{byField, int64(e.Field)}, e.Type())
	case *model.IndexSel:
		p := w.place(e.X)
		t := e.X.Type()
		x := w.eval(e.Index, false)
		if lo, hi, ok := span(e.Index); t.Kind == model.Array && t.Index.Numeric() && !(ok && t.Index.Lo <= lo && hi <= t.Index.Hi) {
			w.runtime()
		}
		s := sel{kind: byAny}
		switch {
		case x.own:
			s.kind = byOwn
		case x.k != nil:
			s = sel{byConst, *x.k}
		case !x.dep:
			s.kind = byFixed
		}
		p = p.with(s, t.Elem)
		if t.Kind == model.Multiset {
			w.runtime() // a free slot
			p.sets = append(p.sets[:len(p.sets):len(p.sets)], t)
		}
		return p
	case *model.CallExpr:
		return w.call(e.Proc, e.Args, e.Pos)
	case *model.Let:
		w.bind(e.Var, e.X, e.Pos)
		return w.place(e.Body)
	}
	w.fail(e.Position(), "`%s` is not followed", model.Text(e))
	return place{root: &model.Var{Type: e.Type()}, t: e.Type()}
}

// load reads a leaf; raw says that it may be undefined.
func (w *turn) load(p place, pos model.Pos, raw bool) value {
	path, ok := w.followed(p)
	v := value{dep: true}
	switch e, known := w.store[p.root][path]; {
	case ok && known && !e.weak:
		v = e.value
	case w.private[p.root]:
		if ok && !known {
			v = value{def: -1}
		}
	default:
		w.note(access{kind: read, p: p, pos: pos})
		v.dep = p.dep() || known
		if w.defined(p) {
			v.def = 1
		}
		key := fmt.Sprintf("%p%v", p.root, p.sels)
		if w.sure[key] && !v.dep {
			v.def = 1
		}
		if !raw && v.def != 1 && !v.dep && w.uniform() {
			w.sure[key] = true
			v.def = 1
		}
	}
	if !raw && v.def != 1 {
		w.runtime()
		v.def = 1
	}
	return v
}

// defined reports whether a leaf that is not the turn's own is always defined.
func (w *turn) defined(p place) bool {
	if p.root.Kind == model.BoundVar {
		return true
	}
	if !w.early {
		return false
	}
	suffix := ""
	for _, s := range p.sels {
		if s.kind == byField {
			suffix += fmt.Sprint(".", s.k)
		} else {
			suffix += "[]"
		}
	}
	switch p.root.Kind {
	case model.StateVar:
		return w.a.known[p.root.Name+suffix]
	case model.RefVar:
		keys, local := w.a.keysOfVar(p.root, suffix, make(map[*model.Var]bool))
		for _, k := range keys {
			local = local || !w.a.known[k]
		}
		return !local
	}
	return false
}

// save writes a leaf, or a part that is not followed further.
func (w *turn) save(p place, v value, name string, pos model.Pos) {
	path, ok := w.followed(p)
	if ok {
		if w.store[p.root] == nil {
			w.store[p.root] = make(map[string]entry)
		}
		w.store[p.root][path] = entry{value: v}
	}
	switch {
	case v.k != nil && v.def == 1:
		name = fmt.Sprint("=", *v.k)
	case v.def == -1:
		name = "undefined"
	case v.dep:
		name = ""
	}
	w.note(access{kind: write, p: p, pos: pos, value: name, tracked: ok})
}

// parts calls f for the parts of p that are no records.
func parts(p place, f func(p place)) {
	if p.t.Kind != model.Record {
		f(p)
		return
	}
	for i, x := range p.t.Fields {
		parts(p.with(sel{byField, int64(i)}, x.Type), f)
	}
}

// copy copies a whole.
func (w *turn) copy(dst, src place, pos model.Pos) {
	_, from := w.followed(src)
	if _, to := w.followed(dst); !from && !to {
		w.note(access{kind: read, p: src, pos: pos})
		w.note(access{kind: write, p: dst, pos: pos})
		return
	}
	var vs []value
	if !from {
		w.note(access{kind: read, p: src, pos: pos})
	}
	parts(src, func(p place) {
		v := value{dep: true}
		if from && p.t.Simple() {
			v = w.load(p, pos, true)
		} else if from {
			w.note(access{kind: read, p: p, pos: pos})
		}
		vs = append(vs, v)
	})
	i := 0
	parts(dst, func(p place) {
		w.save(p, vs[i], "", pos)
		i++
	})
}

// bind is Let and Alias.
func (w *turn) bind(v *model.Var, x model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		w.env[v] = w.place(x)
		return
	}
	w.private[v] = true
	delete(w.store, v)
	w.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: x, Pos: pos})
}

func (w *turn) assign(s *model.Assign) {
	t := s.LHS.Type()
	if !t.Simple() {
		dst := w.place(s.LHS)
		w.copy(dst, w.place(s.RHS), s.Pos)
		return
	}
	if k, ok := addend(s); ok {
		p := w.place(s.LHS)
		path, followed := w.followed(p)
		e, known := w.store[p.root][path]
		if !w.private[p.root] && !(followed && known && !e.weak) {
			w.runtime()
			sign := 1
			if k < 0 {
				sign = -1
			}
			w.note(access{kind: add, p: p, pos: s.Pos, sign: sign})
			if followed {
				if w.store[p.root] == nil {
					w.store[p.root] = make(map[string]entry)
				}
				w.store[p.root][path] = entry{value{dep: true}, true}
			}
			return
		}
	}
	p := w.place(s.LHS)
	v := w.eval(s.RHS, s.CopiesUndefined(w.a.m.Dialect))
	if lo, hi, ok := span(s.RHS); t.Kind == model.Range && !(ok && t.Lo <= lo && hi <= t.Hi) {
		w.runtime()
	}
	w.save(p, v, fmt.Sprintf("%p%s", s, w.site), s.Pos)
}

// addend returns k if s is n := n + k or n := n - k, for a constant.
func addend(s *model.Assign) (k int64, ok bool) {
	b, ok := s.RHS.(*model.Binary)
	if !ok || b.Op != model.Add && b.Op != model.Sub {
		return 0, false
	}
	x, y := b.X, b.Y
	if _, first := x.(*model.ConstExpr); first && b.Op == model.Add {
		x, y = y, x
	}
	c, ok := y.(*model.ConstExpr)
	if !ok || !alike(s.LHS, x) {
		return 0, false
	}
	if b.Op == model.Sub {
		return -c.Value, true
	}
	return c.Value, true
}

// alike reports whether two designators are written alike, with indices that are
// constants or variables.
func alike(x, y model.Expr) bool {
	switch x := x.(type) {
	case *model.Ref:
		y, ok := y.(*model.Ref)
		return ok && x.Var == y.Var
	case *model.ConstExpr:
		y, ok := y.(*model.ConstExpr)
		return ok && x.Value == y.Value && x.T == y.T
	case *model.Convert:
		y, ok := y.(*model.Convert)
		return ok && x.To == y.To && alike(x.X, y.X)
	case *model.FieldSel:
		y, ok := y.(*model.FieldSel)
		return ok && x.Field == y.Field && alike(x.X, y.X)
	case *model.IndexSel:
		y, ok := y.(*model.IndexSel)
		return ok && alike(x.X, y.X) && alike(x.Index, y.Index)
	}
	return false
}

// span returns bounds of the defined values of a number.
func span(e model.Expr) (lo, hi int64, ok bool) {
	const large = 1 << 30
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, e.Value, -large < e.Value && e.Value < large
	case *model.Cond:
		a, b, ok1 := span(e.Then)
		c, d, ok2 := span(e.Else)
		return min(a, c), max(b, d), ok1 && ok2
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		t := e.Type()
		return t.Lo, t.Hi, t.Kind != model.Integer && t.Simple() && -large < t.Lo && t.Hi < large
	case *model.Count:
		if e.Domain.From == nil {
			return 0, e.Domain.Type.Card(), e.Domain.Type.Card() < large
		}
	case *model.Binary:
		a, b, ok1 := span(e.X)
		c, d, ok2 := span(e.Y)
		if !ok1 || !ok2 {
			return 0, 0, false
		}
		switch e.Op {
		case model.Add:
			lo, hi = a+c, b+d
		case model.Sub:
			lo, hi = a-d, b-c
		default:
			return 0, 0, false
		}
		return lo, hi, -large < lo && hi < large
	}
	return 0, 0, false
}

// eval evaluates an expression of simple type; raw says that it may be undefined.
func (w *turn) eval(e model.Expr, raw bool) value {
	if w.steps++; w.steps > 1<<18 {
		w.fail(e.Position(), "the loop is too large")
	}
	if w.failed != nil {
		return value{dep: true, def: 1}
	}
	d := w.a.m.Dialect
	switch e := e.(type) {
	case *model.ConstExpr:
		return value{k: &e.Value, def: 1}
	case *model.Ref:
		switch {
		case e.Var == w.v && w.v != nil:
			return value{own: true, dep: true, def: 1}
		case e.Var.Kind == model.BoundVar && w.inner[e.Var]:
			return value{dep: true, def: 1}
		}
		return w.load(w.place(e), e.Pos, raw)
	case *model.FieldSel, *model.IndexSel:
		return w.load(w.place(e), e.Position(), raw)
	case *model.Unary:
		v := w.eval(e.X, false)
		if e.Op == model.Not && v.k != nil {
			k := 1 - *v.k
			return value{k: &k, def: 1}
		}
		if _, _, ok := span(e.X); !ok && e.Op != model.Not {
			w.runtime()
		}
		return value{dep: v.dep, def: 1}
	case *model.Binary:
		return w.binary(e)
	case *model.Cond:
		c := w.eval(e.If, false)
		if c.k != nil {
			if *c.k != 0 {
				return w.eval(e.Then, raw)
			}
			return w.eval(e.Else, raw)
		}
		before := w.store.clone()
		w.cond++
		x := w.eval(e.Then, raw)
		then := w.store
		w.store = before
		y := w.eval(e.Else, raw)
		w.cond--
		w.store = w.joined(then, w.store)
		v := x.meet(y)
		v.dep = c.dep || x.dep || y.dep
		return v
	case *model.Quant:
		return w.each(e.Var, e.Domain, e.Body)
	case *model.Count:
		if set, ok := w.keyed(e.Var, e.Body); ok {
			w.note(access{kind: present, p: set.with(sel{kind: byOwn}, set.t), pos: e.Pos})
			return value{dep: true, def: 1}
		}
		return w.each(e.Var, e.Domain, e.Body)
	case *model.IsUndefined:
		v := w.load(w.place(e.X), e.Pos, true)
		k := int64(0)
		switch v.def {
		case -1:
			k = 1
			fallthrough
		case 1:
			return value{k: &k, def: 1}
		}
		return value{dep: v.dep, def: 1}
	case *model.Present:
		p := w.place(e.X.X)
		i := w.eval(e.X.Index, false)
		s := sel{kind: byAny}
		switch {
		case i.own:
			s.kind = byOwn
		case !i.dep:
			s.kind = byFixed
		}
		p = p.with(s, e.X.Type())
		w.note(access{kind: present, p: p, pos: e.Pos})
		return value{dep: true, def: 1}
	case *model.Convert:
		v := w.eval(e.X, raw)
		if e.To.Kind != model.Union && e.X.Type() != e.To {
			w.runtime()
		}
		if v.k != nil {
			if k, ok := e.X.Type().Convert(e.To, *v.k); ok {
				v.k = &k
			} else {
				v = value{dep: true, def: 1}
			}
		}
		return v
	case *model.IsMember:
		v := w.eval(e.X, d.TestsUndefined(e.X))
		return value{dep: v.dep, def: 1}
	case *model.CallExpr:
		p := w.call(e.Proc, e.Args, e.Pos)
		return w.load(p, e.Pos, raw)
	case *model.Let:
		w.bind(e.Var, e.X, e.Pos)
		return w.eval(e.Body, raw)
	}
	w.fail(e.Position(), "`%s` is not known", model.Text(e))
	return value{dep: true}
}

// each is a quantifier or count within the turn.
func (w *turn) each(v *model.Var, d model.Domain, body model.Expr) value {
	w.bounds(v, d)
	w.repeat(func() bool { w.eval(body, false); return false })
	return value{dep: true, def: 1}
}

// keyed reports whether a condition on the slot v holds for the elements that equal the
// loop variable, and for no others; it returns their multiset. Its elements of one value
// are then like a component of an array with that index.
func (w *turn) keyed(v *model.Var, cond model.Expr) (set place, ok bool) {
	b, ok := cond.(*model.Binary)
	if !ok || b.Op != model.And || !v.Type.Slots {
		return set, false
	}
	p, ok1 := b.X.(*model.Present)
	eq, ok2 := b.Y.(*model.Binary)
	if !ok1 || !ok2 || eq.Op != model.Eq || !element(p.X, v) {
		return set, false
	}
	x, y := eq.X, eq.Y
	at := func(e model.Expr) *model.IndexSel {
		for {
			c, ok := e.(*model.Convert)
			if !ok {
				break
			}
			if c.To.Kind != model.Union {
				return nil // it may err
			}
			e = c.X
		}
		i, _ := e.(*model.IndexSel)
		return i
	}
	i := at(x)
	if i == nil || !element(i, v) {
		x, y = y, x
		i = at(x)
	}
	if i == nil || !element(i, v) || !alike(i.X, p.X.X) || !stays(i.X) || mentions(y, v) || !plain(y) {
		return set, false
	}
	if k := w.eval(y, w.a.m.Dialect.TestsUndefined(y)); !k.own {
		return set, false
	}
	if !w.a.m.Dialect.TestsUndefined(x) {
		w.runtime()
	}
	return w.place(i.X), true
}

// element reports whether e is an element of a multiset with the slot v.
func element(e *model.IndexSel, v *model.Var) bool {
	r, ok := e.Index.(*model.Ref)
	return ok && r.Var == v && e.X.Type().Kind == model.Multiset
}

// plain reports whether e is a variable, perhaps converted to a union.
func plain(e model.Expr) bool {
	for {
		switch x := e.(type) {
		case *model.Convert:
			if x.To.Kind != model.Union {
				return false
			}
			e = x.X
			continue
		case *model.Ref:
			return true
		}
		return false
	}
}

func mentions(e model.Expr, v *model.Var) bool {
	found := false
	model.Inspect(e, func(n any) {
		if r, ok := n.(*model.Ref); ok && r.Var == v {
			found = true
		}
	})
	return found
}

func (w *turn) bounds(v *model.Var, d model.Domain) {
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			w.eval(e, false)
		}
	}
	if d.By != nil {
		if k, ok := d.By.(*model.ConstExpr); !ok || k.Value == 0 {
			w.runtime()
		}
	}
	w.inner[v] = true
}

func (w *turn) binary(e *model.Binary) value {
	d := w.a.m.Dialect
	switch {
	case e.Op <= model.Implies:
		x := w.eval(e.X, false)
		decided := int64(0) // by a left operand of this value
		if e.Op == model.Or {
			decided = 1
		}
		if x.k != nil {
			if *x.k == decided {
				k := decided
				if e.Op == model.Implies {
					k = 1
				}
				return value{k: &k, def: 1}
			}
			return w.eval(e.Y, false)
		}
		before := w.store.clone()
		w.cond++
		y := w.eval(e.Y, false)
		w.cond--
		w.store = w.joined(before, w.store)
		return value{dep: x.dep || y.dep, def: 1}
	case e.Op <= model.Ne:
		x := w.eval(e.X, d.TestsUndefined(e.X))
		y := w.eval(e.Y, d.TestsUndefined(e.Y))
		if x.k != nil && y.k != nil && x.def == 1 && y.def == 1 {
			k := int64(0)
			if (*x.k == *y.k) == (e.Op == model.Eq) {
				k = 1
			}
			return value{k: &k, def: 1}
		}
		return value{dep: x.dep || y.dep, def: 1}
	}
	x, y := w.eval(e.X, false), w.eval(e.Y, false)
	if e.Op >= model.Add {
		_, _, ok := span(e)
		if e.Op == model.Div || e.Op == model.Mod {
			k, c := e.Y.(*model.ConstExpr)
			_, _, small := span(e.X)
			ok = c && k.Value != 0 && small
		}
		if !ok {
			w.runtime()
		}
	}
	return value{dep: x.dep || y.dep, def: 1}
}

// joined joins what is known after two branches.
func (w *turn) joined(s, t store) store {
	out := make(store)
	for _, x := range []store{s, t} {
		for v := range x {
			if out[v] != nil {
				continue
			}
			m := make(map[string]entry)
			for _, y := range []map[string]entry{s[v], t[v]} {
				for key := range y {
					e, ok1 := s[v][key]
					f, ok2 := t[v][key]
					if (!ok1 || !ok2) && w.private[v] { // undefined there
						undef := entry{value: value{def: -1}}
						if !ok1 {
							e = undef
						} else {
							f = undef
						}
						ok1, ok2 = true, true
					}
					if ok1 && ok2 {
						m[key] = entry{e.meet(f.value), e.weak || f.weak}
					} else {
						m[key] = entry{value{dep: true}, true}
					}
				}
			}
			out[v] = m
		}
	}
	return out
}

func equalStores(s, t store) bool {
	size := func(x store) (n int) {
		for _, m := range x {
			n += len(m)
		}
		return n
	}
	if size(s) != size(t) {
		return false
	}
	for v, m := range s {
		for k, e := range m {
			if f, ok := t[v][k]; !ok || !e.same(f.value) || e.weak != f.weak {
				return false
			}
		}
	}
	return true
}

// repeat runs something any number of times.
func (w *turn) repeat(body func() bool) {
	w.cond++
	defer func() { w.cond-- }()
	for range 8 {
		before := w.store.clone()
		if body() {
			w.store, w.left = before, true
			return
		}
		w.store = w.joined(before, w.store)
		if equalStores(before, w.store) || w.failed != nil {
			return
		}
	}
	w.fail(w.u.pos(), "a loop within the loop is not followed to its end")
}

// call runs a procedure and returns the place of the result.
func (w *turn) call(p *model.Proc, args []model.Expr, pos model.Pos) place {
	result := w.result[p]
	if result == nil && p.Result != nil {
		result = &model.Var{Name: p.Name, Kind: model.LocalVar, Type: p.Result}
		w.result[p] = result
		w.private[result] = true
	}
	out := place{}
	if result != nil {
		out = place{root: result, t: p.Result}
	}
	recursive := w.u.proc == p
	for _, f := range w.frames {
		recursive = recursive || f.p == p
	}
	if recursive {
		w.fail(pos, "%s is recursive", p.Name)
	}
	if w.steps++; w.failed != nil {
		return out
	}
	d := w.a.m.Dialect
	places, values := make([]place, len(args)), make([]value, len(args))
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef || !t.Simple():
			places[i] = w.place(args[i])
		default:
			values[i] = w.eval(args[i], f.CopiesUndefined(args[i], d))
			if lo, hi, ok := span(args[i]); t.Kind == model.Range && !(ok && t.Lo <= lo && hi <= t.Hi) {
				w.runtime()
			}
		}
	}
	for i, f := range p.Params {
		switch {
		case f.ByRef:
			w.env[f.Var] = places[i]
			continue
		case !f.Var.Type.Simple():
			w.private[f.Var] = true
			delete(w.store, f.Var)
			w.copy(place{root: f.Var, t: f.Var.Type}, places[i], pos)
		default:
			w.private[f.Var] = true
			delete(w.store, f.Var)
			w.save(place{root: f.Var, t: f.Var.Type}, values[i], "", pos)
		}
	}
	for _, v := range p.Locals {
		w.private[v] = true
		delete(w.store, v)
	}
	if result != nil {
		delete(w.store, result)
	}
	f := &frame{p: p}
	w.frames = append(w.frames, f)
	site, left := w.site, w.left
	w.site += fmt.Sprint("@", pos)
	ended := w.exec(p.Body)
	w.site, w.left = site, left
	w.frames = w.frames[:len(w.frames)-1]
	if p.Result != nil && !ended {
		w.runtime()
	}
	if ended && len(f.stores) > 0 {
		w.store = f.stores[0]
		f.stores = f.stores[1:]
	}
	for _, s := range f.stores {
		w.store = w.joined(w.store, s)
	}
	return out
}

// exec runs statements; ended says that none of them goes on to what follows.
func (w *turn) exec(stmts []model.Stmt) (ended bool) {
	for _, s := range stmts {
		if w.failed != nil || w.stmt(s) {
			return true
		}
	}
	return false
}

func (w *turn) stmt(s model.Stmt) (ended bool) {
	d := w.a.m.Dialect
	switch s := s.(type) {
	case *model.Assign:
		w.assign(s)
	case *model.If:
		return w.branch(s.Clauses, s.Else)
	case *model.Switch:
		w.eval(s.X, d.TestsUndefined(s.X))
		w.cond++
		var cs [][]model.Stmt
		for _, k := range s.Cases {
			for _, v := range k.Values {
				w.eval(v, false)
			}
			cs = append(cs, k.Body)
		}
		ended = w.choose(append(cs, s.Else))
		w.cond--
		return ended
	case *model.For:
		if len(s.Body) == 1 {
			if c, ok := s.Body[0].(*model.If); ok && len(c.Clauses) == 1 && c.Else == nil && len(c.Clauses[0].Body) == 1 {
				if r, ok := c.Clauses[0].Body[0].(*model.Remove); ok {
					if set, ok := w.keyed(s.Var, c.Clauses[0].Cond); ok && element(r.X, s.Var) {
						w.note(access{kind: write, p: set.with(sel{kind: byOwn}, set.t.Elem), pos: s.Pos, removes: true})
						return false
					}
				}
			}
		}
		w.bounds(s.Var, s.Domain)
		w.repeat(func() bool { return w.exec(s.Body) })
	case *model.While:
		w.runtime()
		w.repeat(func() bool { w.eval(s.Cond, false); return w.exec(s.Body) })
	case *model.Undefine:
		p := w.place(s.X)
		if _, ok := w.followed(p); ok {
			parts(p, func(p place) { w.save(p, value{def: -1}, "", s.Pos) })
		} else {
			w.note(access{kind: write, p: p, pos: s.Pos, value: "undefined"})
		}
	case *model.Clear:
		p := w.place(s.X)
		if _, ok := w.followed(p); ok {
			parts(p, func(p place) {
				v := value{dep: true}
				if p.t.Simple() {
					v = value{k: &p.t.Lo, def: 1}
				}
				w.save(p, v, "", s.Pos)
			})
		} else {
			w.note(access{kind: write, p: p, pos: s.Pos, value: "cleared"})
		}
	case *model.Alias:
		w.bind(s.Var, s.X, s.Pos)
		return w.exec(s.Body)
	case *model.Call:
		w.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		return w.leave(s)
	case *model.Insert:
		p := w.place(s.Set)
		if t := s.Set.Type().Elem; t.Simple() {
			if v := w.eval(s.X, s.CopiesUndefined(d)); v.own {
				p = p.with(sel{kind: byOwn}, p.t)
			}
		} else {
			from := w.place(s.X)
			if !w.private[from.root] {
				parts(from, func(p place) {
					if p.t.Simple() {
						w.load(p, s.Pos, true)
					} else {
						w.note(access{kind: read, p: p, pos: s.Pos})
					}
				})
			}
		}
		w.runtime()
		w.note(access{kind: insert, p: p, pos: s.Pos})
	case *model.Remove:
		w.note(access{kind: write, p: w.place(s.X), pos: s.Pos, removes: true})
	case *model.Assume:
		w.eval(s.Cond, false)
		w.kinds[disabled] = true
		w.left = true
	case *model.CoverStmt:
		w.eval(s.Cond, false)
		w.kinds[covers(s.Prop)] = true
	case *model.Assert:
		if s.Cond != nil {
			if c := w.eval(s.Cond, false); c.k != nil && *c.k != 0 {
				return false
			}
		}
		w.kinds[s.Prop] = true
		w.left = true
		return s.Cond == nil
	case *model.Put:
		switch {
		case s.X == nil:
		case !s.X.Type().Simple():
			w.place(s.X)
		default:
			_, ref := s.X.(*model.Ref)
			_, fld := s.X.(*model.FieldSel)
			_, idx := s.X.(*model.IndexSel)
			w.eval(s.X, ref || fld || idx)
		}
	default:
		w.fail(s.Position(), "an unknown statement")
	}
	return false
}

func (w *turn) branch(cs []model.Clause, els []model.Stmt) bool {
	if len(cs) == 0 {
		return w.exec(els)
	}
	c := w.eval(cs[0].Cond, false)
	if c.k != nil {
		if *c.k != 0 {
			return w.exec(cs[0].Body)
		}
		return w.branch(cs[1:], els)
	}
	w.cond++
	defer func() { w.cond-- }()
	before := w.store.clone()
	e1 := w.exec(cs[0].Body)
	s1 := w.store
	w.store = before
	e2 := w.branch(cs[1:], els)
	return w.merge(e1, s1, e2)
}

func (w *turn) merge(e1 bool, s1 store, e2 bool) bool {
	w.left = w.left || e1 || e2
	switch {
	case e1 && e2:
		return true
	case e2:
		w.store = s1
	case !e1:
		w.store = w.joined(s1, w.store)
	}
	return false
}

func (w *turn) choose(bodies [][]model.Stmt) bool {
	before := w.store.clone()
	ended := w.exec(bodies[0])
	for _, b := range bodies[1:] {
		s1 := w.store
		w.store = before.clone()
		ended = w.merge(ended, s1, w.exec(b))
	}
	return ended
}

// leave is a return statement.
func (w *turn) leave(s *model.Return) bool {
	d := w.a.m.Dialect
	if len(w.frames) == 0 {
		name := ""
		if s.X != nil {
			k, ok := s.X.(*model.ConstExpr)
			if !ok {
				w.fail(s.Pos, "a loop returns what is no constant")
				return true
			}
			name = fmt.Sprint(k.Value)
		}
		w.returns[name] = true
		return true
	}
	f := w.frames[len(w.frames)-1]
	if s.X != nil {
		p := place{root: w.result[f.p], t: f.p.Result}
		if p.t.Simple() {
			v := w.eval(s.X, s.CopiesUndefined(d))
			if lo, hi, ok := span(s.X); p.t.Kind == model.Range && s.ChecksRange(d) && !(ok && p.t.Lo <= lo && hi <= p.t.Hi) {
				w.runtime()
			}
			w.save(p, v, "", s.Pos)
		} else {
			w.copy(p, w.place(s.X), s.Pos)
		}
	}
	f.stores = append(f.stores, w.store.clone())
	return true
}
