package param

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// This file compares the conditions of a model at a size with the transition system that package
// encode makes of it, in all well-formed states at once: the formulas become functions of the
// latches, and a solver looks for a state in which they differ.

// circuit writes formulas as functions of the latches of an encoding.
type circuit struct {
	*structure
	enc   *encode.Encoding
	at    map[int][]encode.Meaning // by leaf
	latch map[int][]int            // by leaf
}

func newCircuit(c *Conditions, enc *encode.Encoding) *circuit {
	x := &circuit{structure: newStructure(c), enc: enc, at: make(map[int][]encode.Meaning), latch: make(map[int][]int)}
	for i, m := range enc.Meanings() {
		if m.Leaf >= 0 {
			x.at[m.Leaf] = append(x.at[m.Leaf], m)
			x.latch[m.Leaf] = append(x.latch[m.Leaf], i)
		}
	}
	return x
}

// view reads formulas in one state: what its latches are, and the values of variables.
type view struct {
	*circuit
	g    *aig.Graph
	bits []aig.Lit // by latch
	env  map[Term]int
	done map[string]aig.Lit
}

func (c *circuit) view(g *aig.Graph, bits []aig.Lit) *view {
	return &view{circuit: c, g: g, bits: bits, env: make(map[Term]int), done: make(map[string]aig.Lit)}
}

// has says that a leaf holds a value of its type, or is undefined.
func (v *view) has(leaf int, value int64) aig.Lit {
	if value == model.Undef && !v.enc.MayBeUndefined(leaf) {
		return aig.False
	}
	var all []aig.Lit
	for i, m := range v.at[leaf] {
		all = append(all, v.bits[v.latch[leaf][i]].NotIf(!v.enc.Holds(m, value)))
	}
	return v.g.AndN(all)
}

// as returns the value of a leaf that an option, and a component, is.
func (v *view) as(leaf int, o Option, elem int) int64 {
	from, n := o.Const.Type, o.Const.N
	switch {
	case o.Sort >= 0:
		from = v.class(o.Sort)
		n = from.First + int64(elem)
	case from == nil:
		from = model.IntType
	}
	w, ok := from.Convert(v.types[leaf], n)
	if !ok {
		panic("an option is no value of its leaf")
	}
	return w
}

// edges returns, by component, when a family holds it as an option.
func (v *view) edges(fam *Family, opt int, args []int) []aig.Lit {
	leaf := v.leaf(fam, args)
	out := make([]aig.Lit, v.size(fam.Opts[opt].Sort))
	for e := range out {
		out[e] = v.has(leaf, v.as(leaf, fam.Opts[opt], e))
	}
	return out
}

// is says that a family holds an option.
func (v *view) is(fam *Family, opt int, args []int) aig.Lit {
	if fam.Opts[opt].Sort >= 0 {
		return v.g.OrN(v.edges(fam, opt, args))
	}
	leaf := v.leaf(fam, args)
	if fam.Opts[opt].Sort == Ints {
		return v.has(leaf, model.Undef).Not()
	}
	return v.has(leaf, v.as(leaf, fam.Opts[opt], 0))
}

// integer returns, by value, when an integer is it.
func (v *view) integer(t Term) map[int64]aig.Lit {
	k, parts := v.c.Addends(t)
	sum := map[int64]aig.Lit{k: aig.True}
	for _, p := range parts {
		next := make(map[int64]aig.Lit)
		of := v.number(p.T)
		for _, a := range slices.Sorted(maps.Keys(sum)) {
			for _, b := range slices.Sorted(maps.Keys(of)) {
				v.adds(next, a+p.Coef*b, v.g.And(sum[a], of[b]))
			}
		}
		sum = next
	}
	return sum
}

func (v *view) adds(to map[int64]aig.Lit, n int64, l aig.Lit) {
	if old, ok := to[n]; ok {
		l = v.g.Or(old, l)
	}
	to[n] = l
}

// number is integer of what is no sum.
func (v *view) number(t Term) map[int64]aig.Lit {
	out := make(map[int64]aig.Lit)
	if fam, _, args := v.c.Applied(t); fam != nil {
		v.wherever(args, func(cond aig.Lit, at []int) {
			leaf := v.leaf(fam, at)
			typ := v.types[leaf]
			for n := typ.Lo; n <= typ.Hi; n++ {
				v.adds(out, n, v.g.And(cond, v.has(leaf, n)))
			}
			v.adds(out, typ.Lo, v.g.And(cond, v.has(leaf, model.Undef))) // whatever it is
		})
		return out
	}
	w, body, ok := v.c.Counted(t)
	if !ok {
		i := slices.IndexFunc(v.c.Model.Consts, func(k model.Const) bool { return k.Name == v.c.terms[t].symbol })
		return map[int64]aig.Lit{v.c.Model.Consts[i].Value: aig.True}
	}
	out[0] = aig.True
	old, had := v.env[w]
	for e := range v.size(v.c.Sort(w)) {
		v.env[w] = e
		is := v.says(body)
		next := make(map[int64]aig.Lit)
		for _, n := range slices.Sorted(maps.Keys(out)) {
			v.adds(next, n, v.g.And(out[n], is.Not()))
			v.adds(next, n+1, v.g.And(out[n], is))
		}
		out = next
	}
	if v.env[w] = old; !had {
		delete(v.env, w)
	}
	return out
}

// term returns, by component, when a term is it. Where its family holds none it is the first, as
// any other would do.
func (v *view) term(t Term) []aig.Lit {
	out := make([]aig.Lit, v.size(v.c.Sort(t)))
	fam, opt, args := v.c.Applied(t)
	if fam == nil {
		for e := range out {
			out[e] = aig.False
		}
		v.structure.env = v.env
		e, _ := v.valued(t)
		out[e] = aig.True
		return out
	}
	for e := range out {
		out[e] = aig.False
	}
	v.wherever(args, func(cond aig.Lit, at []int) {
		for e, l := range v.edges(fam, opt, at) {
			out[e] = v.g.Or(out[e], v.g.And(cond, l))
		}
	})
	out[0] = v.g.Or(out[0], v.g.OrN(out).Not())
	return out
}

// wherever calls f for all components that terms may be, with the condition that they are.
func (v *view) wherever(ts []Term, f func(cond aig.Lit, at []int)) {
	var next func(i int, cond aig.Lit, at []int)
	next = func(i int, cond aig.Lit, at []int) {
		if i == len(ts) {
			f(cond, at)
			return
		}
		for e, l := range v.term(ts[i]) {
			if c := v.g.And(cond, l); c != aig.False {
				next(i+1, c, append(slices.Clip(at), e))
			}
		}
	}
	next(0, aig.True, nil)
}

// says is a formula as a function.
func (v *view) says(f Formula) aig.Lit {
	if f.Negated() {
		return v.says(f.Not()).Not()
	}
	n := v.c.Node(f)
	key := binary.AppendVarint(nil, int64(f))
	for _, t := range n.Free {
		key = binary.AppendVarint(key, int64(v.env[t]))
	}
	if l, ok := v.done[string(key)]; ok {
		return l
	}
	out := aig.True
	switch n.Kind {
	case And:
		var all []aig.Lit
		for _, k := range n.Kids {
			all = append(all, v.says(k))
		}
		out = v.g.AndN(all)
	case All:
		old, had := v.env[n.Var]
		for e := range v.size(v.c.Sort(n.Var)) {
			v.env[n.Var] = e
			out = v.g.And(out, v.says(n.Kids[0]))
		}
		if v.env[n.Var] = old; !had {
			delete(v.env, n.Var)
		}
	case Is:
		out = aig.False
		v.wherever(n.Args, func(cond aig.Lit, at []int) {
			out = v.g.Or(out, v.g.And(cond, v.is(n.Fam, n.Opt, at)))
		})
	case Equal:
		out = aig.False
		b := v.term(n.Args[1])
		for e, l := range v.term(n.Args[0]) {
			out = v.g.Or(out, v.g.And(l, b[e]))
		}
	case AtMost:
		out = aig.False
		is := v.integer(n.Args[0])
		for _, k := range slices.Sorted(maps.Keys(is)) {
			if k <= 0 {
				out = v.g.Or(out, is[k])
			}
		}
	}
	v.done[string(key)] = out
	return out
}

func (v *view) any(fs []Formula) aig.Lit {
	var all []aig.Lit
	for _, f := range fs {
		all = append(all, v.says(f))
	}
	return v.g.OrN(all)
}

// becomes says that a value is one of a leaf of some type.
func (v *view) becomes(val value, leaf int, want int64) aig.Lit {
	out := aig.False
	for _, c := range val {
		cond := v.says(c.cond)
		switch c.kind {
		case undefined:
			if want == model.Undef {
				out = v.g.Or(out, cond)
			}
		case integer:
			if l, ok := v.integer(c.t)[want]; ok {
				out = v.g.Or(out, v.g.And(cond, l))
			}
		case constant:
			if v.as(leaf, Option{Sort: -1, Const: c.c}, 0) == want {
				out = v.g.Or(out, cond)
			}
		case component:
			for e, l := range v.term(c.t) {
				if v.as(leaf, Option{Sort: c.class}, e) == want {
					out = v.g.Or(out, v.g.And(cond, l))
				}
			}
		}
	}
	return out
}

// alike counts what was compared.
type alike struct{ steps, leaves, fired, idle int }

// agree compares the conditions of a model with its encoding. Where a step does not err by its
// conditions, each leaf of the state after is that of the encoding, and the conjuncts say after the
// step what they say of that state. Where the encoding has an error or a violation, or a
// deadlock, the conditions say so. The error names the difference.
// Assumptions are compared as invariants are, in both directions, and by the steps that they forbid.
func agree(c *Conditions, n *alike) error {
	m := *c.Model
	m.Props = slices.Clone(m.Props)
	for _, a := range m.Assumptions {
		p := *a
		p.Kind, p.Index = model.Invariant, len(m.Props)
		m.Props = append(m.Props, &p)
	}
	enc, err := encode.Model(context.Background(), &m)
	if err != nil {
		return err
	}
	x := newCircuit(c, enc)
	if err := x.states(); err != nil {
		return err
	}
	if err := stuck(c); err != nil {
		return err
	}
	for i, steps := range [][]*Step{c.Starts, c.Rules} {
		fires := make(map[*Step]bool)
		for _, s := range steps {
			var sorts []int
			for _, q := range s.Params {
				sorts = append(sorts, c.Sort(q))
			}
			var failed error
			tuples(x.structure, sorts, nil, func(values []int) {
				if failed != nil || !x.lastly(s, values) {
					return
				}
				fired, err := x.step(s, i == 0, values, n)
				fires[s] = fires[s] || fired
				if failed = err; err != nil {
					failed = fmt.Errorf("%q%v: %w", s.Name, values, err)
				}
			})
			if failed != nil {
				return failed
			}
			if fires[s] {
				n.fired++
			} else {
				n.idle++
			}
		}
	}
	return nil
}

// lastly reports whether values for the parameters of a step make those the last components that are.
func (st *structure) lastly(s *Step, values []int) bool {
	for i, q := range s.Params {
		if slices.Contains(s.Lasts, q) && values[i] != st.size(st.c.Sort(q))-1 {
			return false
		}
	}
	return true
}

// stuck compares, with the other sense of deadlock, when no rule is enabled.
func stuck(c *Conditions) error {
	m := *c.Model
	if m.Deadlock != model.Stuttering {
		return nil
	}
	m.Deadlock = model.Stuck
	least := make(map[string]int)
	for _, s := range c.Sorts {
		least[s.Constant] = s.Least
	}
	k, err := New(context.Background(), &m, least, nil)
	if err != nil {
		return err
	}
	enc, err := encode.Model(context.Background(), &m)
	if err != nil {
		return err
	}
	return newCircuit(k, enc).states()
}

// before returns a view of an arbitrary state in a new graph, with a prover that holds it to W, and
// to be defined where the conditions say that reachable states are. inputs may fix inputs.
func (c *circuit) before(inputs []bool) (*view, *aig.Copier, *cnf.Prover) {
	g, sys := aig.New(), c.enc.Sys
	copier := aig.NewCopier(g, sys.G)
	bits := make([]aig.Lit, len(sys.Latches))
	for i, l := range sys.Latches {
		bits[i] = g.Input()
		copier.Set(l.Node, bits[i])
	}
	for i, in := range sys.Inputs {
		l := g.Input()
		if inputs != nil {
			l = aig.False.NotIf(inputs[i])
		}
		copier.Set(in.Node, l)
	}
	v := c.view(g, bits)
	p := cnf.NewProver(g, gini.New())
	p.Assert(copier.Copy(sys.W))
	p.Assert(copier.Copy(c.enc.StartedLit()))
	for _, fam := range c.c.Families {
		if fam.Defined {
			tuples(c.structure, fam.Args, nil, func(at []int) { p.Assert(v.has(c.leaf(fam, at), model.Undef).Not()) })
		}
	}
	return v, copier, p
}

// differs looks for a state in which one of some conditions is true. names are what they are about.
func differs(p *cnf.Prover, conds []aig.Lit, g *aig.Graph, names []string) error {
	switch p.Solve(context.Background(), g.OrN(conds)) {
	case sat.Unsat:
		return nil
	case sat.Sat:
		for i, l := range conds {
			if p.Value(l) {
				return fmt.Errorf("the encoding differs: %s", names[i])
			}
		}
	}
	return fmt.Errorf("no answer")
}

// states compares what is said of a state.
func (c *circuit) states() error {
	v, copier, p := c.before(nil)
	var errs []aig.Lit
	for _, s := range c.c.Rules {
		var sorts []int
		for _, q := range s.Params {
			sorts = append(sorts, c.c.Sort(q))
		}
		tuples(c.structure, sorts, nil, func(values []int) {
			for i, q := range s.Params {
				v.env[q] = values[i]
			}
			errs = append(errs, v.any(s.Errs))
		})
	}
	clear(v.env)
	fine := v.g.OrN(errs).Not()
	holds := make(map[int]aig.Lit)
	var conds []aig.Lit
	var names []string
	assumed := len(c.c.Model.Props)
	for _, k := range c.c.Conjuncts {
		if k.Assumed {
			holds[assumed+slices.Index(c.c.Model.Assumptions, k.Prop)] = v.says(k.F)
			fine = v.g.And(fine, v.says(k.F)) // deadlock is asked of such states only
		} else {
			holds[k.Prop.Index] = v.says(k.F)
		}
	}
	for _, b := range c.enc.Sys.Bads {
		prop := c.enc.Model.Props[b.Prop]
		f, ok := holds[b.Prop]
		switch {
		case b.Delay > 0:
			continue
		case prop.Kind == model.Deadlock:
			conds = append(conds, v.g.And(fine, v.g.Xor(v.says(c.c.Stuck), copier.Copy(b.Lit))))
		case b.Prop >= assumed:
			conds = append(conds, v.g.Equal(f, copier.Copy(b.Lit)))
		case ok:
			conds = append(conds, v.g.And(f, copier.Copy(b.Lit)))
		default:
			continue
		}
		names = append(names, prop.Name)
	}
	return differs(p, conds, v.g, names)
}

// step compares a rule, or a start state, for some values of its parameters, in all states. It
// reports whether there is a state in which it fires and does not err.
func (c *circuit) step(s *Step, start bool, values []int, n *alike) (fired bool, err error) {
	ch := model.Choice{Rule: s.rule.Index}
	clear(c.env)
	for i, q := range s.Params {
		c.env[q] = values[i]
	}
	for i, a := range s.args {
		to, ok := c.value(value{{True, a}}, s.rule.Params[i].Var.Type)
		if !ok {
			return false, fmt.Errorf("no such parameter")
		}
		ch.Params = append(ch.Params, to)
	}
	sys := c.enc.Sys
	var v *view
	var copier *aig.Copier
	var p *cnf.Prover
	next := make([]aig.Lit, len(sys.Latches))
	if start {
		v = c.view(aig.New(), make([]aig.Lit, len(sys.Latches)))
		copier = aig.NewCopier(v.g, sys.G)
		p = cnf.NewProver(v.g, gini.New())
		for i, l := range c.enc.EncodeStart(ch) {
			copier.Set(sys.Init[i].Node, aig.False.NotIf(l))
		}
	} else {
		v, copier, p = c.before(c.enc.EncodeChoice(ch))
	}
	for i, l := range sys.Latches {
		if next[i] = l.Next; start {
			next[i] = l.Reset
		}
		next[i] = copier.Copy(next[i])
	}
	after := c.view(v.g, next)
	for i, q := range s.Params {
		v.env[q] = values[i]
	}
	fine, guard, errs := v.any(s.Errs).Not(), v.says(s.Guard), slices.Clone(s.Errs)
	assumed := aig.True // the step is none where an assumption is false after it, and an error where one errs
	for j, k := range c.c.Conjuncts {
		if k.Assumed {
			_, err := s.run.judge(k.Prop)
			r := c.c.Model.Runtime().Index
			errs[r] = c.c.Or(errs[r], err)
			assumed = v.g.And(assumed, v.says(c.c.After(s, j)))
		}
	}
	guard = v.g.And(guard, assumed)
	var conds []aig.Lit
	var names []string
	note := func(l aig.Lit, format string, args ...any) {
		if l != aig.False {
			conds, names = append(conds, l), append(names, fmt.Sprintf(format, args...))
		}
	}
	n.steps++
	for _, fam := range c.c.Families {
		var args []Term
		for _, q := range fam.Args {
			args = append(args, c.c.Fresh(q))
		}
		val := s.run.leaf(fam, fam.inst, args, model.Pos{})
		tuples(c.structure, fam.Args, nil, func(at []int) {
			for i, a := range args {
				v.env[a] = at[i]
			}
			n.leaves++
			leaf := c.leaf(fam, at)
			all := []int64{model.Undef}
			for w := c.types[leaf].Lo; w <= c.types[leaf].Hi; w++ {
				all = append(all, w)
			}
			for _, w := range all {
				want := v.becomes(val, leaf, w)
				if !start {
					want = v.g.Mux(guard, want, v.has(leaf, w))
				}
				note(v.g.And(fine, v.g.Xor(want, after.has(leaf, w))), "%s%v", fam, at)
			}
		})
	}
	for j, k := range c.c.Conjuncts {
		note(v.g.AndN([]aig.Lit{fine, guard, v.g.Xor(v.says(c.c.After(s, j)), after.says(k.F))}), "after it, %q", k.Prop.Name)
	}
	for _, b := range sys.Bads {
		if b.Delay > 0 && !start {
			note(v.g.And(copier.Copy(b.Lit), v.says(errs[b.Prop]).Not()), "%s", b.Name)
		}
	}
	if !start {
		same := aig.True
		for i := range next {
			same = v.g.And(same, v.g.Equal(next[i], v.bits[i]))
		}
		note(v.g.AndN([]aig.Lit{fine, guard, v.g.Equal(v.says(s.Changes), same)}), "whether there is a change")
	} else {
		note(v.g.And(fine, v.g.Xor(assumed, copier.Copy(sys.G.And(aig.True, c.startedReset())))), "whether it starts")
	}
	if err := differs(p, conds, v.g, names); err != nil {
		return false, err
	}
	return p.Solve(context.Background(), v.g.And(fine, guard)) == sat.Sat, nil
}

// startedReset is the function of the initial inputs that a run starts.
func (c *circuit) startedReset() aig.Lit {
	l := c.enc.StartedLit()
	if l == aig.True {
		return l
	}
	for _, latch := range c.enc.Sys.Latches {
		if latch.Node == l.Node() {
			return latch.Reset
		}
	}
	panic("no latch says that a run starts")
}

// accepted returns the model with the constants left open that can be, at a size; nil if there is
// none, or the model is refused.
func accepted(t *testing.T, file string, src []byte, opaque []string, consts map[string]string, size int) *Conditions {
	t.Helper()
	set, least := maps.Clone(consts), make(map[string]int)
	if set == nil {
		set = make(map[string]string)
	}
	for _, o := range opaque {
		set[o], least[o] = fmt.Sprint(size), 1
	}
	m, err := read(t, file, src, opaque, set)
	if err != nil {
		return nil
	}
	c, err := New(context.Background(), m, least, nil)
	if err != nil || len(c.Sorts) == 0 {
		return nil
	}
	return c
}

// TestEncoding: at sizes 1 to 4, what the conditions of our models say of steps and states is what
// their encodings do, in all states.
func TestEncoding(t *testing.T) {
	for _, m := range []struct{ file, opaque, consts string }{
		{"mutex_sem.m", "N", ""}, {"mutex_sem_bug.m", "N", ""}, {"mesi_snoop.m", "NODE_NUM", ""}, {"mesi_snoop_bug.m", "NODE_NUM", ""},
		{"mesi_snoop_range.m", "NODE_NUM", ""}, {"mesi_snoop_range_bug.m", "NODE_NUM", ""}, {"moesi.m", "NODE_NUM DATA_NUM", ""},
		{"moesi_bug.m", "NODE_NUM DATA_NUM", ""}, {"german.m", "NODE_NUM DATA_NUM", ""}, {"german_bug1.m", "NODE_NUM", "DATA_NUM=2"},
		{"german_bug2.m", "NODE_NUM", "DATA_NUM=2"}, {"german_range.m", "NODE_NUM", "DATA_NUM=1"}, {"late_marks.m", "N", ""},
		{"sem_counter.m", "N", ""}, {"sem_counter_bug.m", "N", ""}, {"readers_count.m", "N", ""},
		{"late_count.m", "N", ""}, {"readers_writers.m", "N", ""}, {"readers_writers_bug.m", "N", ""}, {"flash.m", "NODE_NUM", ""}, {"flash_bug.m", "NODE_NUM", ""}, {"flash_data.m", "NODE_NUM DATA_NUM", ""},
		{"distributed/toy_consensus.m", "NODES QUORUMS VALUES", ""}, {"distributed/consensus.m", "NODES QUORUMS VALUES", ""},
	} {
		t.Run(m.file, func(t *testing.T) {
			src, err := os.ReadFile("../../../benchmarks/murphi/" + m.file)
			if err != nil {
				t.Fatal(err)
			}
			consts := make(map[string]string)
			if name, v, ok := strings.Cut(m.consts, "="); ok {
				consts[name] = v
			}
			last := 3
			if nightly.On() {
				last = 4
			}
			for size := 1; size <= last; size++ {
				if size == 1 && strings.Contains(m.file, "range") || size <= 2 && strings.HasPrefix(m.file, "readers_writers") {
					continue // a class is two components without a name
				}
				c := accepted(t, m.file, src, strings.Fields(m.opaque), consts, size)
				if c == nil {
					t.Fatalf("size %d is refused", size)
				}
				var n alike
				if err := agree(c, &n); err != nil {
					t.Errorf("size %d: %v", size, err)
				}
				t.Logf("size %d: %+v", size, n)
				if n.fired == 0 || size > 2 && n.idle > n.fired {
					t.Errorf("size %d: %d rules can fire, %d cannot", size, n.fired, n.idle)
				}
			}
		})
	}
}

// TestEncodingBroken: a formula that is wrong is found, whichever it is.
func TestEncodingBroken(t *testing.T) {
	src, err := os.ReadFile("../../../benchmarks/murphi/german.m")
	if err != nil {
		t.Fatal(err)
	}
	broken := func(name string, change func(c *Conditions) bool) {
		c := accepted(t, "german.m", src, []string{"NODE_NUM"}, map[string]string{"DATA_NUM": "1"}, 2)
		if !change(c) {
			t.Errorf("%s: nothing to break", name)
		} else if err := agree(c, new(alike)); err == nil {
			t.Errorf("%s is not found", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	for i := range accepted(t, "german.m", src, []string{"NODE_NUM"}, map[string]string{"DATA_NUM": "1"}, 2).Rules {
		broken(fmt.Sprintf("the guard of rule %d", i), func(c *Conditions) bool {
			c.Rules[i].Guard = False
			return true
		})
		broken(fmt.Sprintf("a write of rule %d", i), func(c *Conditions) bool {
			for _, fam := range c.Rules[i].run.order {
				if ws := c.Rules[i].run.writes[fam]; fam.inst.state && len(ws) > 0 {
					ws[len(ws)-1].guard = False
					return true
				}
			}
			return false
		})
		broken(fmt.Sprintf("the change of rule %d", i), func(c *Conditions) bool {
			c.Rules[i].Changes = c.Rules[i].Changes.Not()
			return true
		})
	}
	broken("a start state", func(c *Conditions) bool {
		x := c.Starts[0].run
		x.writes[x.order[0]][0].guard = False
		return true
	})
	broken("a conjunct after a rule", func(c *Conditions) bool {
		c.Rules[0].after[0] = False
		return true
	})
	broken("a conjunct", func(c *Conditions) bool {
		c.Conjuncts[0].F = True
		return true
	})
	broken("deadlock", func(c *Conditions) bool {
		c.Stuck = True
		return true
	})
	broken("deadlock, in part", func(c *Conditions) bool {
		c.Stuck = c.And(c.Stuck, c.Conjuncts[0].F)
		return true
	})

	src, err = os.ReadFile("../../../benchmarks/murphi/distributed/toy_consensus.m")
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(c *Conditions, j int){
		"an assumption":                  func(c *Conditions, j int) { c.Conjuncts[j].F = True },
		"an assumption that is stronger": func(c *Conditions, j int) { c.Conjuncts[j].F = False },
		"an assumption after a rule":     func(c *Conditions, j int) { c.Rules[0].after[j] = True },
		"one that is stronger":           func(c *Conditions, j int) { c.Rules[0].after[j] = False },
		"an assumption after a start":    func(c *Conditions, j int) { c.Starts[0].after[j] = False },
	} {
		c := accepted(t, "toy_consensus.m", src, []string{"NODES", "QUORUMS", "VALUES"}, nil, 2)
		if err := agree(c, new(alike)); err != nil {
			t.Error(err)
		}
		change(c, slices.IndexFunc(c.Conjuncts, func(k Conjunct) bool { return k.Assumed }))
		if err := agree(c, new(alike)); err == nil {
			t.Errorf("%s is not found", what)
		}
	}

	c := conditions(t, head+initial+"ruleset p: P do rule \"up\" st[p] = A ==> begin num := num + 1; end; end;\n", 1)
	if err := agree(c, new(alike)); err != nil {
		t.Error(err)
	}
	c.Rules[0].Errs = slices.Repeat([]Formula{False}, len(c.Rules[0].Errs))
	if err := agree(c, new(alike)); err == nil {
		t.Error("an error that is left out is not found")
	}
}

// mostGates bounds what a public model may cost at a size: steps times gates of its encoding.
const mostGates = 20e6

// TestEncodingPublic is TestEncoding for public models, with each constant left open that can be, one
// at a time, up to size 4 or the last one within mostGates.
func TestEncodingPublic(t *testing.T) {
	if !nightly.On() {
		t.Skip("takes minutes; ORBITMC_LONG is not set")
	}
	files, err := filepath.Glob("../../shared/models/murphi/*/*.m")
	if err != nil || len(files) == 0 {
		t.Skip("the public models are not there")
	}
	compared := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := murphi.Parse(file, src, murphi.Options{})
		if err != nil {
			continue
		}
		for _, k := range plain.Consts {
			if k.Type.Kind != model.Integer {
				continue
			}
			t.Run(filepath.Base(file)+" "+k.Name, func(t *testing.T) {
				largest := accepted(t, file, src, []string{k.Name}, nil, 4)
				if largest == nil {
					t.SkipNow()
				}
				compared++
				var n alike
				for size := 1; size <= 4; size++ {
					m, err := read(t, file, src, []string{k.Name}, map[string]string{k.Name: fmt.Sprint(size)})
					if err != nil {
						continue
					}
					enc, err := encode.Model(context.Background(), m)
					if err != nil {
						t.Logf("size %d: %v", size, err)
						break
					}
					choices := 0.0
					for _, s := range largest.Rules {
						choices += math.Pow(float64(size), float64(len(s.Params)))
					}
					if choices*float64(enc.Sys.G.Len()) > mostGates {
						t.Logf("not compared from size %d on: %.0f steps of %d gates", size, choices, enc.Sys.G.Len())
						break
					}
					c := largest
					if size < 4 {
						c = accepted(t, file, src, []string{k.Name}, nil, size)
					}
					if c == nil {
						continue
					}
					if err := agree(c, &n); err != nil {
						t.Errorf("size %d: %v", size, err)
					}
				}
				t.Logf("%+v", n)
			})
		}
	}
	t.Logf("%d public models are accepted", compared)
}
