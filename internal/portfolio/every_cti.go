package portfolio

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds lemmas that exclude counterexamples to induction, as in Karbyshev et al.: Property-directed
// inference of universal invariants (CAV 2015). Lemmas of pdr hold at one size, and may hold for reasons that
// only this size has. So a counterexample of few components is compared with reachable states of the small
// sizes: a lemma is a smallest part of it that no choice of different components has in any of them. Only
// some states are looked at, as the proof drops lemmas that are not inductive.

// Bounds of what is looked at.
const (
	ctiSizes  = 2   // whose states are looked at, from the least on
	ctiPerms  = 720 // that are tried for symmetry
	ctiRounds = 12  // of attempts at a proof, for the lemmas of one size
	ctiMost   = 8   // counterexamples of an attempt
)

// reached is reachable states of one size.
type reached struct {
	m      *model.Model
	at     map[string]int // leaves by name
	leaves []model.Leaf
	states []model.State
}

// exclude returns lemmas that exclude counterexamples to induction, without those that are known.
func (e *Every) exclude(ctx context.Context, c *param.Conditions, met []*param.CTI) (out []string) {
	if len(e.bare.Names) > 0 || slices.ContainsFunc(c.Sorts, func(s param.Sort) bool { return s.Type == "" }) {
		return nil // lemmas have no words for components that are not alike, or for all of a class
	}
	all := slices.DeleteFunc(slices.Clone(e.states(ctx, c, ctiSizes)), func(r *reached) bool { return r == nil })
	for i, cti := range met {
		if ctx.Err() != nil {
			break
		}
		e.phase("looking for lemmas, counterexample to induction %d of %d", i+1, len(met))
		for _, l := range e.newGeneraliser(c, cti).lemmas(all) {
			if !slices.Contains(e.lemmas, l) && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// states returns reachable states of the first small sizes, nil where there is no such size.
func (e *Every) states(ctx context.Context, c *param.Conditions, sizes int) []*reached {
	for n := e.first() + len(e.small); len(e.small) < sizes; n++ {
		e.phase("looking for states, %s", e.at(n))
		e.small = append(e.small, e.reach(ctx, c, e.source, n))
	}
	return e.small[:sizes]
}

// siftStates is how many states of the least size a lemma is looked at in before a proof tries it.
const siftStates = 200

// sift drops lemmas that are false in a reachable state, but for those that are offered: a proof would look for reasons why
// they hold, and count the components that these need.
func (e *Every) sift(ctx context.Context) {
	r := e.states(ctx, e.bare, 1)[0]
	if r == nil {
		return
	}
	src, first := withLemmas(e.source, e.lemmas, e.counters...)
	m, err := e.sized(src, strings.Fields(e.at(e.first())))
	if err != nil {
		return
	}
	mach := model.Compile(m).NewMachine()
	gone := make(map[int]bool)
	for _, p := range m.Props {
		i := (p.Pos.Line - first) / lemmaLines
		if p.Kind != model.Invariant || p.Pos.Line < first || i < len(e.Offers) {
			continue
		}
		for s := 0; s < len(r.states) && ctx.Err() == nil && !gone[i]; s += max(1, len(r.states)/siftStates) {
			gone[i] = mach.Violated(r.states[s], p.Index) != nil
		}
		e.meter.Spend(siftStates)
	}
	var left []string
	for i, l := range e.lemmas {
		if !gone[i] {
			left = append(left, l)
		}
	}
	e.lemmas = left
}

// smallStates is how many states of a small size are looked at, up to symmetry.
const smallStates = 1000

// reach collects states of the size that n stands for, the first ones of a breadth-first search, one of each
// orbit, and of random walks if there are more. It is nil if there is no such size.
func (e *Every) reach(ctx context.Context, c *param.Conditions, src []byte, n int) *reached {
	m, err := e.sized(src, strings.Fields(e.at(n)))
	if err != nil {
		return nil
	}
	r := &reached{m: m, at: make(map[string]int), leaves: m.AllLeaves()}
	for i, l := range r.leaves {
		r.at[l.Name] = i
	}
	perms := r.permutations(c)
	mach := model.Compile(m).NewMachine()
	seen := make(map[string]bool)
	var key []byte
	visit := func(_ model.Choice, s model.State, v *model.Violation) bool {
		key = key[:0]
		for _, x := range s {
			key = binary.AppendVarint(key, x)
		}
		if v != nil || seen[string(key)] || len(r.states) >= smallStates {
			return true
		}
		r.states = append(r.states, slices.Clone(s))
		for _, p := range perms {
			key = key[:0]
			for _, x := range p.image(s) {
				key = binary.AppendVarint(key, x)
			}
			seen[string(key)] = true
		}
		return true
	}
	mach.Starts(visit)
	for i := 0; i < len(r.states) && ctx.Err() == nil; i++ {
		e.meter.Spend(int64(len(r.leaves)) * int64(len(m.Rules)))
		mach.Successors(r.states[i], visit)
	}
	if len(r.states) >= smallStates {
		e.walk(ctx, r, mach)
	}
	return r
}

// walkSteps is how many steps a random walk makes.
const walkSteps = 100

// walk adds states of random walks, as many as there are: they are further from the start.
func (e *Every) walk(ctx context.Context, r *reached, mach *model.Machine) {
	random := rand.New(rand.NewPCG(0, 0))
	var at model.State
	for i := 0; i < smallStates && ctx.Err() == nil; i++ {
		if i%walkSteps == 0 {
			at = r.states[0]
		}
		e.meter.Spend(int64(len(r.leaves)) * int64(len(r.m.Rules)))
		n := 0
		from := at
		mach.Successors(from, func(_ model.Choice, s model.State, v *model.Violation) bool {
			if n++; v == nil && random.IntN(n) == 0 {
				at = slices.Clone(s)
			}
			return true
		})
		r.states = append(r.states, at)
	}
}

// types returns the types of the components of each sort; nil if the model has not got one of them, or two sorts share one.
func (r *reached) types(c *param.Conditions) (out []*model.Type) {
	for _, s := range c.Sorts {
		i := slices.IndexFunc(r.m.Types, func(t *model.Type) bool { return t.Name == s.Type })
		if i < 0 || slices.Contains(out, r.m.Types[i]) {
			return nil
		}
		out = append(out, r.m.Types[i])
	}
	return out
}

// permutation is what a permutation of components does to a state.
type permutation struct {
	to     []int             // by leaf
	values []map[int64]int64 // by leaf: other values than these stay
	out    model.State
}

func (p *permutation) image(s model.State) model.State {
	for i, x := range s {
		if y, ok := p.values[i][x]; ok {
			x = y
		}
		p.out[p.to[i]] = x
	}
	return p.out
}

// permutations returns those of the components of all classes, or the identity if they are many.
func (r *reached) permutations(c *param.Conditions) (out []*permutation) {
	types := r.types(c)
	var size []int
	count := 1
	for _, t := range types {
		size = append(size, int(t.Card()))
		for k := range t.Card() {
			count *= int(k) + 1
		}
	}
	if count > ctiPerms {
		types, size = nil, nil
	}
	for _, choice := range choices(size, types) {
		p := &permutation{out: make(model.State, len(r.leaves))}
		for i, l := range r.leaves {
			values := make(map[int64]int64)
			for s, part := range choice {
				if t := types[s]; l.Type.Name == t.Name {
					for a, b := range part {
						values[t.Lo+int64(a)] = t.Lo + int64(b)
					}
				}
			}
			to := i
			for _, d := range l.Indices {
				for s, part := range choice {
					if t := types[s]; d.Type.Name == t.Name {
						to += d.Stride * (part[d.Value-t.Lo] - int(d.Value-t.Lo))
					}
				}
			}
			p.to, p.values = append(p.to, to), append(p.values, values)
		}
		out = append(out, p)
	}
	return out
}

// cell is what a leaf may hold, as lemmas tell it apart.
type cell struct {
	kind cellKind
	k    int // the option of a constant; the component of the counterexample
}

type cellKind uint8

const (
	none     cellKind = iota // undefined
	constant                 // an option that is no component
	named                    // a component of the counterexample
	other                    // another one of the sort k
	nothing                  // no cell
)

// spot is a family at components of the counterexample, or, if all, at each component there is.
type spot struct {
	fam  *param.Family
	args []int
	all  bool
}

// literal is that what a spot holds is not in a cell.
type literal struct {
	spot int
	not  cell
}

// generaliser finds the lemmas for a counterexample.
type generaliser struct {
	e     *Every
	c     *param.Conditions
	cti   *param.CTI
	spots []spot
	held  []cell // by spot, unless it is all
	lits  []literal
	at    map[literal]int
	of    [][]int // literals by spot
}

// cells returns what a family may hold; size is how many components there are of each sort.
func cells(f *param.Family, size []int) (all []cell) {
	if !f.Defined {
		all = append(all, cell{kind: none})
	}
	for i, o := range f.Opts {
		if o.Sort < 0 {
			all = append(all, cell{constant, i})
			continue
		}
		for y := range size[o.Sort] {
			all = append(all, cell{named, sortElem(o.Sort, y)})
		}
		all = append(all, cell{other, o.Sort})
	}
	return all
}

// nameless reports whether a cell is a component of a class that is not left open, which the text has no name for.
func nameless(f *param.Family, c cell) bool {
	return c.kind == constant && f.Opts[c.k].Const.Type != nil && f.Opts[c.k].Const.Type.Kind == model.Scalarset
}

// sortElem numbers the components of all sorts.
func sortElem(sort, elem int) int { return sort<<8 | elem }

func (e *Every) newGeneraliser(c *param.Conditions, cti *param.CTI) *generaliser {
	g := &generaliser{e: e, c: c, cti: cti, at: make(map[literal]int)}
	type unary struct {
		fam *param.Family
		in  map[cell]bool
		n   int
	}
	var alls []*unary
	for _, f := range cti.Facts {
		if slices.ContainsFunc(f.Fam.Opts, func(o param.Option) bool { return o.Sort == param.Ints }) {
			continue
		}
		is := cell{kind: none}
		if f.Opt >= 0 {
			is = cell{constant, f.Opt}
			if s := f.Fam.Opts[f.Opt].Sort; s >= 0 {
				is = cell{named, sortElem(s, f.To)}
				if f.To < 0 {
					is = cell{other, s}
				}
			}
		}
		n := len(g.spots)
		g.spots, g.held = append(g.spots, spot{fam: f.Fam, args: f.Args}), append(g.held, is)
		for _, w := range cells(f.Fam, cti.Size) {
			component := w.kind == named || w.kind == other
			if w != is && !nameless(f.Fam, w) && !(component && f.To == param.Anywhere && is.kind == other) {
				g.add(literal{n, w})
			}
		}
		if len(f.Args) == 1 && !(is.kind == other && f.To == param.Anywhere) {
			i := slices.IndexFunc(alls, func(u *unary) bool { return u.fam == f.Fam })
			if i < 0 {
				i = len(alls)
				alls = append(alls, &unary{fam: f.Fam, in: make(map[cell]bool)})
			}
			alls[i].in[is] = true
			alls[i].n++
		}
	}
	for _, u := range alls {
		if u.n < cti.Size[u.fam.Args[0]] {
			continue
		}
		n := len(g.spots)
		g.spots, g.held = append(g.spots, spot{fam: u.fam, all: true}), append(g.held, cell{kind: nothing})
		for _, w := range cells(u.fam, cti.Size) {
			if !u.in[w] && !nameless(u.fam, w) {
				g.add(literal{n, w})
			}
		}
	}
	g.of = make([][]int, len(g.spots))
	for i, l := range g.lits {
		g.of[l.spot] = append(g.of[l.spot], i)
	}
	return g
}

func (g *generaliser) add(l literal) {
	g.at[l] = len(g.lits)
	g.lits = append(g.lits, l)
}

// mask is a set of literals.
type mask []uint64

func (m mask) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m mask) clear(i int)    { m[i/64] &^= 1 << (i % 64) }
func (m mask) has(i int) bool { return m[i/64]>>(i%64)&1 == 1 }
func (m mask) meets(n mask) bool {
	for i, w := range m {
		if w&n[i] != 0 {
			return true
		}
	}
	return false
}

// falsified returns the sets of literals that are false, for each state and each choice of components. ok is
// false if the states cannot be compared with the counterexample.
func (g *generaliser) falsified(all []*reached) (sets []mask, ok bool) {
	seen := make(map[string]bool)
	var key []byte
	m := make(mask, (len(g.lits)+63)/64)
	for _, r := range all {
		types := r.types(g.c)
		if types == nil {
			return nil, false
		}
		fits := true
		for s, t := range types {
			fits = fits && g.cti.Size[s] <= int(t.Card())
		}
		if !fits {
			continue
		}
		v := g.view(r, types)
		if v == nil {
			return nil, false
		}
		ok = true
		for _, choice := range choices(g.cti.Size, types) {
			v.choose(choice)
			for _, s := range r.states {
				v.falsified(s, m)
				key = key[:0]
				for _, w := range m {
					key = binary.LittleEndian.AppendUint64(key, w)
				}
				if !seen[string(key)] {
					seen[string(key)] = true
					sets = append(sets, slices.Clone(m))
				}
			}
		}
	}
	return sets, ok
}

// choices returns all ways to choose different components of each type: by sort and component.
func choices(size []int, types []*model.Type) [][][]int {
	out := [][][]int{nil}
	for s, n := range size {
		var next [][][]int
		for _, c := range out {
			var choose func(part []int)
			choose = func(part []int) {
				if len(part) == n {
					next = append(next, append(slices.Clone(c), slices.Clone(part)))
					return
				}
				for v := range int(types[s].Card()) {
					if !slices.Contains(part, v) {
						choose(append(part, v))
					}
				}
			}
			choose(make([]int, 0, n))
		}
		out = next
	}
	return out
}

// view reads the leaves of a size as what families hold.
type view struct {
	g      *generaliser
	r      *reached
	leaf   []func(choice [][]int) []int // by spot: where it is for a choice of components
	words  [][]cell                     // by spot: what its values are, undefined first; components as of the size
	leaves [][]int                      // by spot, for the choice at hand
	lits   [][]int32                    // by spot and value, for the choice at hand: the literal that is false; -1: none
}

// view returns nil if the model of the size has other leaves.
func (g *generaliser) view(r *reached, types []*model.Type) *view {
	v := &view{g: g, r: r}
	for _, s := range g.spots {
		at := func(args []int) int {
			i, ok := r.at[g.name(s.fam, func(k int) string { return types[s.fam.Args[k]].Format(types[s.fam.Args[k]].Lo + int64(args[k])) })]
			if !ok {
				return -1
			}
			return i
		}
		first := at(make([]int, len(s.fam.Args)))
		if first < 0 {
			return nil
		}
		if s.all {
			every := lists.Make(int(types[s.fam.Args[0]].Card()), func(e int) int { return at([]int{e}) })
			v.leaf = append(v.leaf, func([][]int) []int { return every })
		} else {
			v.leaf = append(v.leaf, func(choice [][]int) []int {
				args := make([]int, len(s.args))
				for k, a := range s.args {
					args[k] = choice[s.fam.Args[k]][a]
				}
				return []int{at(args)}
			})
		}
		words := g.words(s.fam, r.leaves[first].Type, types)
		if words == nil {
			return nil
		}
		v.words = append(v.words, words)
	}
	return v
}

// words returns what the values of a type are, undefined first; nil if one is nothing that a family holds.
func (g *generaliser) words(f *param.Family, t *model.Type, types []*model.Type) []cell {
	words := []cell{{kind: none}}
	for x := t.Lo; x <= t.Hi; x++ {
		text := t.Format(x)
		for i, o := range f.Opts {
			if o.Sort < 0 && o.Const.String() == text {
				words = append(words, cell{constant, i})
			}
			for y := 0; o.Sort >= 0 && y < int(types[o.Sort].Card()); y++ {
				if types[o.Sort].Format(types[o.Sort].Lo+int64(y)) == text {
					words = append(words, cell{named, sortElem(o.Sort, y)})
				}
			}
		}
		if len(words) != int(x-t.Lo)+2 {
			return nil
		}
	}
	return words
}

// choose sets the components that stand for those of the counterexample.
func (v *view) choose(choice [][]int) {
	v.leaves, v.lits = nil, nil
	for spot, f := range v.leaf {
		v.leaves = append(v.leaves, f(choice))
		var lits []int32
		for _, c := range v.words[spot] {
			if c.kind == named {
				sort := c.k >> 8
				if y := slices.Index(choice[sort], c.k&255); y >= 0 {
					c.k = sortElem(sort, y)
				} else {
					c = cell{other, sort}
				}
			}
			i, ok := v.g.at[literal{spot, c}]
			if !ok {
				i = -1
			}
			lits = append(lits, int32(i))
		}
		v.lits = append(v.lits, lits)
	}
}

// falsified returns the literals that are false in a state.
func (v *view) falsified(s model.State, m mask) {
	clear(m)
	for spot, leaves := range v.leaves {
		lo := v.r.leaves[leaves[0]].Type.Lo
		for _, l := range leaves {
			x := s[l] - lo + 1
			if s[l] == model.Undef {
				x = 0
			}
			if i := v.lits[spot][x]; i >= 0 {
				m.set(int(i))
			}
		}
	}
}

// name writes a family; index writes an argument.
func (g *generaliser) name(f *param.Family, index func(k int) string) string {
	var b strings.Builder
	rest := f.Name
	for k, s := range f.Args {
		at := fmt.Sprintf("[#%d]", s)
		before, after, _ := strings.Cut(rest, at)
		b.WriteString(before + "[" + index(k) + "]")
		rest = after
	}
	return b.String() + rest
}

// lemmas returns invariants that exclude the counterexample and hold in the states; none if it is in one of
// them.
func (g *generaliser) lemmas(all []*reached) (out []string) {
	sets, ok := g.falsified(all)
	if !ok {
		return nil
	}
	for _, down := range []bool{false, true} {
		keep := make(mask, (len(g.lits)+63)/64)
		for i := range g.lits {
			keep.set(i)
		}
		if slices.ContainsFunc(sets, func(m mask) bool { return !m.meets(keep) }) {
			return nil
		}
		for _, part := range g.parts(down) {
			fewer := slices.Clone(keep)
			for _, i := range part {
				fewer.clear(i)
			}
			if !slices.ContainsFunc(sets, func(m mask) bool { return !m.meets(fewer) }) {
				keep = fewer
			}
		}
		if text := g.text(keep); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// parts returns sets of literals, in the order in which they are left out if they can: what is said of all
// components, what is said of one, what is said of a leaf, and each.
func (g *generaliser) parts(down bool) (out [][]int) {
	var all []int
	byElem := make(map[int][]int)
	var order []int
	mention := func(e, i int) {
		if byElem[e] == nil {
			order = append(order, e)
		}
		if n := len(byElem[e]); n == 0 || byElem[e][n-1] != i {
			byElem[e] = append(byElem[e], i)
		}
	}
	for i, l := range g.lits {
		s := g.spots[l.spot]
		if s.all {
			all = append(all, i)
		}
		for k, a := range s.args {
			mention(sortElem(s.fam.Args[k], a), i)
		}
		for _, c := range []cell{l.not, g.held[l.spot]} {
			if c.kind == named {
				mention(c.k, i)
			}
		}
	}
	slices.Sort(order)
	if all != nil {
		out = append(out, all)
	}
	elems := lists.Map(order, func(e int) []int { return byElem[e] })
	spots := lists.Where(g.of, func(is []int) bool { return len(is) > 0 })
	each := lists.Make(len(g.lits), func(i int) []int { return []int{i} })
	for _, list := range [][][]int{elems, spots, each} {
		if down {
			slices.Reverse(list)
		}
		out = append(out, list...)
	}
	return out
}

// text writes that no different components satisfy some literals; "" if they cannot be written.
func (g *generaliser) text(keep mask) string {
	names := make(map[int]string)
	elem := func(e int) string {
		if names[e] == "" {
			names[e] = g.fresh(len(names) + 1)
		}
		return names[e]
	}
	var conj []string
	for n, is := range g.of {
		var not []cell
		for _, i := range is {
			if keep.has(i) {
				not = append(not, g.lits[i].not)
			}
		}
		if not == nil {
			continue
		}
		s, v := g.spots[n], g.fresh(0)
		text := g.says(s.fam, g.name(s.fam, func(k int) string {
			if s.all {
				return v
			}
			return elem(sortElem(s.fam.Args[k], s.args[k]))
		}), not, elem)
		if text == "" {
			return ""
		}
		if s.all {
			text = fmt.Sprintf("(forall %s: %s do %s end)", v, g.c.Sorts[s.fam.Args[0]].Type, text)
		}
		conj = append(conj, text)
	}
	elems := slices.Sorted(maps.Keys(names))
	var differ []string
	for i, a := range elems {
		for _, b := range elems[:i] {
			if a>>8 == b>>8 {
				differ = append(differ, fmt.Sprintf("%s != %s", names[b], names[a]))
			}
		}
	}
	if conj == nil {
		return ""
	}
	out := "!(" + strings.Join(append(differ, conj...), " & ") + ")"
	for _, e := range slices.Backward(elems) {
		out = fmt.Sprintf("forall %s: %s do %s end", names[e], g.c.Sorts[e>>8].Type, out)
	}
	return out
}

// fresh returns a name that the model has not.
func (g *generaliser) fresh(i int) string {
	name := fmt.Sprintf("c%d", i)
	for bytes.Contains(bytes.ToLower(g.e.source), []byte(name)) {
		name += "_"
	}
	return name
}

// says writes that a leaf is in none of some cells; "" if it cannot. To read a leaf that is undefined would
// be an error.
func (g *generaliser) says(f *param.Family, leaf string, not []cell, elem func(int) string) string {
	listed := slices.ContainsFunc(not, func(c cell) bool { return c.kind == other }) // what it may be, not what it is not
	var words []string
	maybe := false
	for _, c := range cells(f, g.cti.Size) {
		out := slices.Contains(not, c)
		switch {
		case c.kind == none:
			maybe = !out
		case c.kind == other && listed && !out:
			return ""
		case c.kind == other || listed == out:
		case nameless(f, c):
			return ""
		case c.kind == constant:
			words = append(words, f.Opts[c.k].Const.String())
		default:
			words = append(words, elem(c.k))
		}
	}
	op, and, text := " != ", " & ", "true"
	if listed {
		op, and, text = " = ", " | ", "false"
	}
	if words != nil {
		text = leaf + op + strings.Join(words, and+leaf+op)
	}
	switch {
	case f.Defined:
		return "(" + text + ")"
	case maybe:
		return "(isundefined(" + leaf + ") | (" + text + "))"
	}
	return "(!isundefined(" + leaf + ") & (" + text + "))"
}
