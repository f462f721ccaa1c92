package param

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// structure evaluates formulas in a state of a model of some size.
type structure struct {
	c      *Conditions
	leaves map[string]int
	types  []*model.Type
	s      model.State
	env    map[Term]int
}

func newStructure(c *Conditions) *structure {
	x := &structure{c: c, leaves: make(map[string]int), env: make(map[Term]int)}
	for i, l := range c.Model.AllLeaves() {
		x.leaves[l.Name] = i
		x.types = append(x.types, l.Type)
	}
	return x
}

// class returns the class of the model that is a sort.
func (st *structure) class(sort int) *model.Type {
	for _, t := range st.c.Model.Scalarsets {
		if t.SizedBy == st.c.Sorts[sort].Constant && t.String() == st.c.Sorts[sort].Name {
			return t
		}
	}
	panic("no class")
}

func (st *structure) size(sort int) int { return int(st.class(sort).Card()) }

// leaf returns the number of a leaf of a family.
func (st *structure) leaf(fam *Family, args []int) int {
	name := fam.Name
	for k, s := range fam.Args {
		t := st.class(s)
		name = strings.Replace(name, fmt.Sprintf("[#%d]", s), "["+t.Format(t.First+int64(args[k]))+"]", 1)
	}
	i, ok := st.leaves[name]
	if !ok {
		panic("no leaf " + name)
	}
	return i
}

// holds returns the option that a leaf holds, and the component; -1 if it is undefined.
func (st *structure) holds(fam *Family, leaf int) (opt, elem int) {
	v, t := st.s[leaf], st.types[leaf]
	if v == model.Undef {
		return -1, -1
	}
	if t.Kind == model.Union {
		t, v = t.Part(v)
	}
	for i, o := range fam.Opts {
		switch {
		case o.Sort == Ints:
			return i, -1
		case o.Sort >= 0 && t.Classed() && t.SizedBy == st.c.Sorts[o.Sort].Constant:
			return i, int(v - t.First)
		case o.Sort < 0 && o.Const.N == v && (o.Const.Type == nil) == t.Numeric() && (o.Const.Type == nil || o.Const.Type == t):
			return i, -1
		}
	}
	panic(fmt.Sprintf("%s holds %s, which is no option", fam, t.Format(v)))
}

// term evaluates a term; -1 if what it leads to is undefined.
func (st *structure) term(t Term) int {
	fam, opt, args := st.c.Applied(t)
	if fam == nil {
		e, ok := st.valued(t)
		if !ok {
			panic("a variable without value")
		}
		return e
	}
	if o, e := st.holds(fam, st.leaf(fam, st.terms(args))); o == opt {
		return e
	}
	return 0 // whatever it is
}

// valued returns the value of a variable: what env says, or which component has that name.
func (st *structure) valued(t Term) (int, bool) {
	for _, n := range st.c.Names {
		switch {
		case n.Term != t:
		case n.Last:
			return st.size(n.Sort) - 1, true
		default:
			return int(n.N - st.class(n.Sort).Lo), true
		}
	}
	e, ok := st.env[t]
	return e, ok
}

func (st *structure) terms(ts []Term) []int {
	out := make([]int, len(ts))
	for i, t := range ts {
		out[i] = st.term(t)
	}
	return out
}

func (st *structure) eval(f Formula) bool {
	if f.Negated() {
		return !st.eval(f.Not())
	}
	n := st.c.Node(f)
	switch n.Kind {
	case And:
		return !slices.ContainsFunc(n.Kids, func(k Formula) bool { return !st.eval(k) })
	case All:
		for e := range st.size(st.c.Sort(n.Var)) {
			st.env[n.Var] = e
			if !st.eval(n.Kids[0]) {
				return false
			}
		}
		return true
	case Is:
		o, _ := st.holds(n.Fam, st.leaf(n.Fam, st.terms(n.Args)))
		return o == n.Opt
	case Equal:
		return st.term(n.Args[0]) == st.term(n.Args[1])
	case AtMost:
		return st.integer(n.Args[0]) <= 0
	}
	return true
}

// integer evaluates an integer. What the rests of a condition are, and what is 1 or 0, is counted.
func (st *structure) integer(t Term) int64 {
	sum, parts := st.c.Addends(t)
	for _, p := range parts {
		n := int64(0)
		switch fam, _, args := st.c.Applied(p.T); {
		case fam != nil:
			if n = st.s[st.leaf(fam, st.terms(args))]; n == model.Undef {
				n = fam.typed.lo // whatever it is
			}
		case st.c.isOpen(p.T):
			i := slices.IndexFunc(st.c.Model.Consts, func(k model.Const) bool { return k.Name == st.c.terms[p.T].symbol })
			n = st.c.Model.Consts[i].Value
		default:
			if f, ok := st.c.indicatorOf[p.T]; ok {
				if st.eval(f) {
					n = 1
				}
				break
			}
			v, holds := st.counted(p.T)
			old, had := st.env[v]
			for e := range st.size(st.c.Sort(v)) {
				st.env[v] = e
				if holds() {
					n++
				}
			}
			if delete(st.env, v); had {
				st.env[v] = old
			}
		}
		sum += p.Coef * n
	}
	return sum
}

// counted returns what a count, or a region, counts.
func (st *structure) counted(t Term) (v Term, holds func() bool) {
	if v, body, ok := st.c.Counted(t); ok {
		return v, func() bool { return st.eval(body) }
	}
	r := st.c.regionOf[t]
	v = st.c.variable(st.c.Sort(r.of[0].v), 1<<20) // no other one
	return v, func() bool {
		for _, u := range r.terms {
			if st.term(u) == st.term(v) {
				return false
			}
		}
		for i, k := range r.of {
			if st.eval(st.c.holdsAt(k, v)) != r.holds[i] {
				return false
			}
		}
		return true
	}
}

// value evaluates a value: as a leaf of type t would hold it.
func (st *structure) value(v value, t *model.Type) (int64, bool) {
	for _, c := range v {
		if !st.eval(c.cond) {
			continue
		}
		switch c.kind {
		case integer:
			return model.IntType.Convert(t, st.integer(c.t))
		case undefined:
			return model.Undef, true
		case constant:
			from := c.c.Type
			if from == nil {
				from = model.IntType
			}
			return from.Convert(t, c.c.N)
		default:
			y := st.class(c.class)
			return y.Convert(t, y.First+int64(st.term(c.t)))
		}
	}
	return 0, false
}

// randomState returns a state in which families that are always defined are.
func randomState(r *rand.Rand, c *Conditions, x *structure) model.State {
	s := make(model.State, len(x.types))
	defined := make(map[int]bool)
	for _, fam := range c.Families {
		tuples(x, fam.Args, nil, func(args []int) { defined[x.leaf(fam, args)] = fam.Defined })
	}
	for i, t := range x.types {
		s[i] = t.Lo + r.Int64N(t.Card())
		if !defined[i] && r.IntN(4) == 0 {
			s[i] = model.Undef
		}
	}
	return s
}

func tuples(x *structure, sorts []int, prefix []int, f func([]int)) {
	if len(prefix) == len(sorts) {
		f(prefix)
		return
	}
	for e := range x.size(sorts[len(prefix)]) {
		tuples(x, sorts, append(slices.Clip(prefix), e), f)
	}
}

// tally counts what was compared.
type tally struct{ steps, fired, errs, over, props, dead, stuck, known int }

// compare compares the conditions of a model with the interpreter, leaf by leaf, in states of the
// size that the model has.
func compare(t *testing.T, name string, c *Conditions, states []model.State, n *tally) {
	t.Helper()
	p := model.Compile(c.Model)
	mach := p.NewMachine()
	x := newStructure(c)
	for _, s := range states {
		x.s = s
		anyErr := false
		for i, step := range slices.Concat(c.Starts, c.Rules) {
			start := i < len(c.Starts)
			var sorts []int
			for _, q := range step.Params {
				sorts = append(sorts, c.Sort(q))
			}
			tuples(x, sorts, nil, func(values []int) {
				if !x.lastly(step, values) {
					return
				}
				clear(x.env)
				for i, q := range step.Params {
					x.env[q] = values[i]
				}
				ch := model.Choice{Rule: step.rule.Index}
				for i, a := range step.args {
					typ := step.rule.Params[i].Var.Type
					v, ok := x.value(value{{True, a}}, typ)
					if !ok {
						t.Fatalf("%s: rule %q has no such parameter", name, step.Name)
					}
					ch.Params = append(ch.Params, v)
				}
				var next model.State
				var enabled bool
				var v *model.Violation
				if start {
					next, v = mach.Start(ch)
					enabled = true
				} else {
					next, enabled, v = mach.Fire(s, ch)
				}
				n.steps++
				errs := slices.ContainsFunc(step.Errs, x.eval)
				anyErr = anyErr || errs && !start
				if v != nil && !x.eval(step.Errs[v.Prop]) {
					t.Fatalf("%s: rule %q errs in %v: %v, and its condition says that it does not", name, step.Name, s, v)
				}
				switch {
				case errs && v == nil:
					n.over++
					return
				case errs:
					n.errs++
					return
				}
				if x.eval(step.Guard) != enabled {
					t.Fatalf("%s: rule %q is enabled in %v: %v, and its guard says otherwise", name, step.Name, s, enabled)
				}
				if !enabled {
					return
				}
				n.fired++
				if !start && x.eval(step.Changes) == slices.Equal(s, next) {
					t.Fatalf("%s: rule %q leads from %v to %v, and its condition says otherwise", name, step.Name, s, next)
				}
				for _, fam := range c.Families {
					var args []Term
					for _, q := range fam.Args {
						args = append(args, c.Fresh(q))
					}
					after := step.run.leaf(fam, fam.inst, args, model.Pos{})
					tuples(x, fam.Args, nil, func(at []int) {
						for i, a := range args {
							x.env[a] = at[i]
						}
						leaf := x.leaf(fam, at)
						if got, ok := x.value(after, x.types[leaf]); !ok || got != next[leaf] {
							t.Fatalf("%s: rule %q, leaf %s%v: %v, want %v in %v", name, step.Name, fam, at, got, next[leaf], s)
						}
					})
				}
				for j, k := range c.Conjuncts {
					y := *x
					y.s, y.env = next, map[Term]int{}
					if x.eval(c.After(step, j)) != y.eval(k.F) {
						t.Fatalf("%s: after rule %q, %q is %v, and then %v", name, step.Name, k.Prop.Name, x.eval(c.After(step, j)), y.eval(k.F))
					}
				}
			})
		}
		for _, k := range c.Conditions() {
			if k.Known == True {
				continue
			}
			var sorts []int
			for _, q := range k.Params {
				sorts = append(sorts, c.Sort(q))
			}
			tuples(x, sorts, nil, func(values []int) {
				clear(x.env)
				for i, q := range k.Params {
					x.env[q] = values[i]
				}
				if n.known++; !x.eval(k.Known) {
					t.Fatalf("%s: %s: what is said of its numbers is wrong in %v for %v", name, c.Name(k), s, values)
				}
			})
		}
		clear(x.env)
		for _, k := range c.Conjuncts {
			n.props++
			if v := mach.Violated(s, k.Prop.Index); v != nil && x.eval(k.F) {
				t.Fatalf("%s: %q holds in %v, and the interpreter says %v", name, k.Prop.Name, s, v)
			} else if v == nil && !x.eval(k.F) {
				n.over++
			}
		}
		if !anyErr && c.Model.DeadlockProp() != nil {
			n.dead++
			if got := x.eval(c.Stuck); got != mach.Deadlocked(s) {
				t.Fatalf("%s: %v is deadlocked: %v, and its condition says %v", name, s, !got, got)
			} else if got {
				n.stuck++
			}
		}
	}
}

// read reads a model with constants left open.
func read(t testing.TB, name string, src []byte, opaque []string, consts map[string]string) (*model.Model, error) {
	t.Helper()
	m, err := murphi.Parse(name, src, murphi.Options{Opaque: opaque, Consts: consts})
	if err != nil {
		return nil, err
	}
	m, _ = infer.Classes(m)
	return m, nil
}

// TestTranslate: the conditions say of random states and their steps what the interpreter does, on
// our models that are accepted.
func TestTranslate(t *testing.T) {
	for _, m := range []struct{ file, opaque, consts string }{
		{"mutex_sem.m", "N", ""}, {"mutex_sem_bug.m", "N", ""}, {"mesi_snoop.m", "NODE_NUM", ""}, {"mesi_snoop_range.m", "NODE_NUM", ""},
		{"moesi.m", "NODE_NUM DATA_NUM", ""}, {"german.m", "NODE_NUM DATA_NUM", ""}, {"german_bug2.m", "NODE_NUM", "DATA_NUM=2"},
		{"german_range.m", "NODE_NUM", "DATA_NUM=1"}, {"flash.m", "NODE_NUM", ""}, {"flash_data.m", "NODE_NUM DATA_NUM", ""},
		{"late_marks.m", "N", ""}, {"late_count.m", "N", ""}, {"readers_writers.m", "N", ""},
		{"sem_counter.m", "N", ""}, {"sem_counter_bug.m", "N", ""}, {"readers_count.m", "N", ""},
	} {
		t.Run(m.file+" "+m.consts, func(t *testing.T) {
			src, err := os.ReadFile("../../../benchmarks/murphi/" + m.file)
			if err != nil {
				t.Fatal(err)
			}
			var n tally
			for size := 1; size <= 4; size++ {
				consts := make(map[string]string)
				least := make(map[string]int)
				for _, o := range strings.Fields(m.opaque) {
					consts[o], least[o] = fmt.Sprint(size), 1
				}
				if name, v, ok := strings.Cut(m.consts, "="); ok {
					consts[name] = v
				}
				y, err := read(t, m.file, src, strings.Fields(m.opaque), consts)
				if err != nil {
					t.Fatal(err)
				}
				if size == 1 && strings.Contains(m.file, "range") || size <= 2 && strings.HasPrefix(m.file, "readers_writers") {
					continue // a class is two components without a name
				}
				c, err := New(context.Background(), y, least, nil)
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(uint64(size), 1))
				x := newStructure(c)
				var states []model.State
				for range 12 {
					states = append(states, randomState(r, c, x))
				}
				// Random states err a lot; reachable ones do not.
				mach := model.Compile(y).NewMachine()
				mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
					s = slices.Clone(s)
					for range 25 {
						states = append(states, s)
						var all []model.State
						mach.Successors(s, func(_ model.Choice, u model.State, v *model.Violation) bool {
							if v == nil {
								all = append(all, slices.Clone(u))
							}
							return true
						})
						if len(all) == 0 {
							break
						}
						s = all[r.IntN(len(all))]
					}
					return false
				})
				compare(t, fmt.Sprintf("%s, size %d", m.file, size), c, states, &n)
			}
			t.Logf("%s: %+v", m.file, n)
			if n.fired < 100 {
				t.Errorf("%s: only %d steps were compared", m.file, n.fired)
			}
		})
	}
}
