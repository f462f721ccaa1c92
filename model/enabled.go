package model

import (
	"math/bits"
	"slices"

	"orbitmc/internal/lists"
)

// Which rule instances may be enabled, kept up to date from one state to the next.
//
// Most conjuncts of guards are functions of one leaf, once the parameters are known:
// Net[m].Kind = GetS. Such a conjunct is a bit for each instance, found by a table from
// the value of the leaf. Successors compares the state with the one before and looks up
// the leaves that differ, so what it costs is the changes, not the instances.
//
// The n-th conjuncts of all guards are level n, a row of bits over all instances: which
// are true, and which err. An instance is open if it is true at all levels, and errs if
// it errs at some level and is true at those before. Its other conjuncts, and all of
// them if it errs, are evaluated as they stand. A conjunct behind one that is no
// function of a leaf has no bits unless that one surely does not err: its error would
// come first.

// matrix is what a Program knows of this.
type matrix struct {
	first  []int        // by unit: its first instance, or -1 if it is left out; see Instances
	end    []int        // by unit: where the instances of the last of the units that follow it in the matrix without a gap end
	next   []int        // by unit: the unit behind that one
	unit   []int32      // by instance
	params []int64      // of all instances, one after the other
	at     []int        // by instance: index in params
	rest   [][]conjunct // by unit: conjuncts without bits
	all    [][]conjunct // by unit: all conjuncts

	words  []matrixWord
	bits   []uint64        // as they are where all leaves are undefined
	leaves [][]matrixEntry // by leaf: what depends on it
	below  []int64         // by leaf: the value before the least
	pool   []uint64        // see matrixEntry
}

// matrixWord is 64 instances: two words of bits a level, those that are true and
// those that err, from at on.
type matrixWord struct {
	at, levels int
}

// matrixEntry is the bits of one word of one level that depend on a leaf. pool has from
// table on two words for each code of the leaf, which is its value minus below or 0.
type matrixEntry struct {
	at, word int32
	table    int32
	mask     uint64
}

// Left out are rules whose instances have no numbers, and what would make the tables larger
// than mostPool words.
const (
	mostCodes = 1 << 10
	mostPool  = 1 << 20
)

// enabler keeps the bits for one machine.
type enabler struct {
	*matrix
	seen  State // the state that they are for
	bits  []uint64
	open  []uint64
	errs  []uint64
	dirty []uint64 // words of open and errs to be made again
}

func (x *matrix) enabler(n int) *enabler {
	e := &enabler{matrix: x, seen: slices.Repeat(State{Undef}, n), bits: slices.Clone(x.bits),
		open: make([]uint64, len(x.words)), errs: make([]uint64, len(x.words)), dirty: make([]uint64, (len(x.words)+63)/64)}
	for w := range x.words {
		e.dirty[w/64] |= 1 << (w % 64)
	}
	return e
}

// move makes the bits those for s.
func (e *enabler) move(s State) {
	seen := e.seen
	for i := 0; i < len(s); {
		if i+blockLeaves <= len(s) && *(*block)(s[i:]) == *(*block)(seen[i:]) {
			i += blockLeaves
			continue
		}
		for end := min(i+blockLeaves, len(s)); i < end; i++ {
			if s[i] != seen[i] {
				e.set(i, s[i])
			}
		}
	}
	e.update()
}

// step is move for a state that differs from the one before in these leaves at most.
func (e *enabler) step(s State, changed []int) {
	for _, i := range changed {
		e.set(i, s[i])
	}
	e.update()
}

// set gives leaf i the value v.
func (e *enabler) set(i int, v int64) {
	e.seen[i] = v
	code := 0
	if v != Undef {
		code = int(v - e.below[i])
	}
	for k := range e.leaves[i] {
		x := &e.leaves[i][k]
		now := e.pool[int(x.table)+2*code:][:2]
		old := e.bits[x.at:][:2]
		old[0] = old[0]&^x.mask | now[0]
		old[1] = old[1]&^x.mask | now[1]
		e.dirty[x.word>>6] |= 1 << (x.word & 63)
	}
}

// update makes the words of open and errs again that are dirty.
func (e *enabler) update() {
	for k, words := range e.dirty {
		for ; words != 0; words &= words - 1 {
			w := 64*k + bits.TrailingZeros64(words)
			x := &e.words[w]
			open, errs := ^uint64(0), uint64(0)
			for level := e.bits[x.at : x.at+2*x.levels]; len(level) >= 2; level = level[2:] {
				errs |= open & level[1]
				open &= level[0]
			}
			e.open[w], e.errs[w] = open, errs
		}
		e.dirty[k] = 0
	}
}

// from returns the first instance from i on, before end, that is open or errs and not in but,
// or -1.
func (e *enabler) from(i, end int, but []uint64) int {
	for i < end {
		w := i / 64
		may := e.open[w] | e.errs[w]
		if but != nil {
			may &^= but[w]
		}
		if rest := may >> (i % 64); rest != 0 {
			if i += bits.TrailingZeros64(rest); i < end {
				return i
			}
			return -1
		}
		i = (w + 1) * 64
	}
	return -1
}

// makeMatrix makes the matrix of the rules of p, or nil if it would be empty; sure tells
// the conjuncts that surely do not err.
func (p *Program) makeMatrix(sure func(c *certain, e Expr) bool) *matrix {
	x := &matrix{leaves: make([][]matrixEntry, p.n), rest: make([][]conjunct, len(p.rules)), all: make([][]conjunct, len(p.rules))}
	for i := range p.leaves {
		x.below = append(x.below, p.leaves[i].Type.Lo-1)
	}
	n := p.numbers
	if n == 0 {
		return nil
	}
	x.first = p.first
	for k := range p.rules {
		u := &p.rules[k]
		if x.first[k] < 0 {
			continue
		}
		values := make([]int64, len(u.params))
		for i := range u.instances() {
			u.instance(i, values)
			x.unit, x.at = append(x.unit, int32(k)), append(x.at, len(x.params))
			x.params = append(x.params, values...)
		}
	}
	x.end, x.next = make([]int, len(p.rules)), make([]int, len(p.rules))
	end, next := -1, len(p.rules)
	for k := len(p.rules) - 1; k >= 0; k-- {
		if x.first[k] < 0 {
			end, next = -1, k
			continue
		}
		if end < 0 {
			end = x.first[k] + p.rules[k].instances()
		}
		x.end[k], x.next[k] = end, next
	}
	x.words = make([]matrixWord, (n+63)/64)
	b := &matrixBuilder{p: p, x: x, sure: sure, f: make([]int64, p.frame), places: map[matrixPlace]*matrixTable{}}
	for k := range p.rules {
		if x.first[k] >= 0 {
			b.unit(k)
		}
	}
	b.finish()
	return x
}

// matrixBuilder fills in the bits.
type matrixBuilder struct {
	p      *Program
	x      *matrix
	sure   func(c *certain, e Expr) bool
	f      []int64 // scratch
	levels [][]matrixLevel
	places map[matrixPlace]*matrixTable
	order  []matrixPlace // the keys of places
	size   int           // words of pool
}

type matrixPlace struct{ leaf, level, word int }

// matrixTable becomes a matrixEntry.
type matrixTable struct {
	mask  uint64
	words []uint64
}

// matrixLevel is the bits of a level in one word. Those of instances without such a
// level are true.
type matrixLevel struct{ holds, errs uint64 }

func (b *matrixBuilder) level(d, word int) *matrixLevel {
	for len(b.levels) <= d {
		b.levels = append(b.levels, slices.Repeat([]matrixLevel{{holds: ^uint64(0)}}, len(b.x.words)))
	}
	b.x.words[word].levels = max(b.x.words[word].levels, d+1)
	return &b.levels[d][word]
}

// finish lays the bits out.
func (b *matrixBuilder) finish() {
	x := b.x
	for w := range x.words {
		x.words[w].at = len(x.bits)
		for d := range x.words[w].levels {
			x.bits = append(x.bits, b.levels[d][w].holds, b.levels[d][w].errs)
		}
	}
	for _, at := range b.order {
		t := b.places[at]
		word := x.words[at.word].at + 2*at.level
		x.leaves[at.leaf] = append(x.leaves[at.leaf], matrixEntry{at: int32(word), word: int32(at.word), table: int32(len(x.pool)), mask: t.mask})
		x.pool = append(x.pool, t.words...)
		x.bits[word] = x.bits[word]&^t.mask | t.words[0]
		x.bits[word+1] = x.bits[word+1]&^t.mask | t.words[1]
	}
}

// unit fills in the bits of unit k.
func (b *matrixBuilder) unit(k int) {
	u, x := &b.p.rules[k], b.x
	params := b.p.Model.Rules[k].Params
	d, open := 0, true
	sure := b.p.certain(params)
	n := u.instances()
	for i := range u.flat {
		c := &u.flat[i]
		x.all[k] = append(x.all[k], *c)
		leaf := b.leafOf(k, n, c.expr, params, sure.there)
		switch {
		case open && leaf != nil && b.conjunct(k, d, c, leaf, params, sure.there):
			d++
			sure.found(c.expr)
		default:
			x.rest[k] = append(x.rest[k], *c)
			open = open && b.sure(sure, c.expr)
		}
	}
}

// leafOf returns, by instance of unit k, the leaf that the conjunct e is a function of,
// or -1 if it is a function of the parameters alone; nil if there is more to it.
func (b *matrixBuilder) leafOf(k, n int, e Expr, params []*Param, there []Expr) []int {
	simple := true
	var places []Expr
	inner := map[Expr]bool{}
	Inspect(e, func(n any) {
		switch n := n.(type) {
		case *CallExpr, *Quant, *Let:
			simple = false
		case *Present:
			simple = simple && n == e
		case *FieldSel:
			inner[n.X] = true
		case *IndexSel:
			inner[n.X] = true
		}
		if x, ok := n.(Expr); ok && Designator(x) && !inner[x] && Root(x).Kind == StateVar {
			_, element := e.(*Present)
			simple = simple && (element || x.Type().Simple())
			places = append(places, x)
		}
	})
	if !simple {
		return nil
	}
	leaf := make([]int, n)
	_, slot := e.(*Present)
	values := make([]int64, len(params))
	for i := range leaf {
		b.p.rules[k].instance(i, values)
		leaf[i] = -1
		for _, x := range places {
			at, ok := b.resolve(x, params, values, there, slot)
			if !ok || leaf[i] >= 0 && leaf[i] != at {
				return nil
			}
			leaf[i] = at
		}
		if leaf[i] >= 0 && b.p.leaves[leaf[i]].Type.Card() > mostCodes {
			return nil
		}
	}
	return leaf
}

// resolve returns the leaf that a designator stands for, or, if slot, the presence leaf
// of the slot.
func (b *matrixBuilder) resolve(x Expr, params []*Param, values []int64, there []Expr, slot bool) (int, bool) {
	if s, ok := x.(*IndexSel); ok && slot {
		x = &Present{X: s}
	}
	p, ok := PlaceOf(x, nil, func(e Expr) (int64, bool) { return paramValue(e, params, values) })
	return p.At, ok && p.N > 0 && len(p.Dims) == 0 && holdsAll(x, there)
}

// holdsAll reports whether all slots in a designator are among those that hold an element.
func holdsAll(x Expr, there []Expr) bool {
	switch x := x.(type) {
	case *FieldSel:
		return holdsAll(x.X, there)
	case *Present:
		return holdsAll(x.X.X, there)
	case *IndexSel:
		return holdsAll(x.X, there) &&
			(x.X.Type().Kind != Multiset || slices.ContainsFunc(there, func(y Expr) bool { return SamePlace(x, y) }))
	}
	return true
}

// paramValue returns the value of an index that is a constant or a parameter.
func paramValue(e Expr, params []*Param, values []int64) (int64, bool) {
	switch e := e.(type) {
	case *Ref:
		for i, q := range params {
			if q.Var == e.Var {
				return values[i], true
			}
		}
		return 0, false
	case *Convert:
		if v, ok := paramValue(e.X, params, values); ok {
			return e.X.Type().Convert(e.To, v)
		}
		return 0, false
	}
	return constant(e)
}

// conjunct fills in the bits of c, which is level d of unit k, unless the tables get too
// large.
func (b *matrixBuilder) conjunct(k, d int, c *conjunct, leaf []int, params []*Param, there []Expr) bool {
	u, first := &b.p.rules[k], b.x.first[k]
	size := b.size
	fresh := map[matrixPlace]bool{}
	for i, l := range leaf {
		if at := (matrixPlace{l, d, (first + i) / 64}); l >= 0 && !fresh[at] && b.places[at] == nil {
			fresh[at] = true
			size += 2 * int(b.p.leaves[l].Type.Card()+1)
		}
	}
	if size > mostPool {
		return false
	}
	b.size = size
	mentions := make([]bool, len(params))
	Inspect(c.expr, func(n any) {
		if r, ok := n.(*Ref); ok {
			for i, q := range params {
				mentions[i] = mentions[i] || q.Var == r.Var
			}
		}
	})
	known := map[int][]uint8{} // by the least instance in which the parameters that c mentions are the same
	for i, l := range leaf {
		least, stride := 0, 1
		for j := len(params) - 1; j >= 0; j-- {
			n := int(u.params[j].n)
			if mentions[j] {
				least += i / stride % n * stride
			}
			stride *= n
		}
		said := lists.Memo(known, least, func(int) []uint8 { return b.evaluate(u, i, l, c, params, there) })
		word, bit := (first+i)/64, uint64(1)<<((first+i)%64)
		level := b.level(d, word)
		if l < 0 {
			b.set(&level.holds, &level.errs, bit, said[0])
			continue
		}
		at := matrixPlace{l, d, word}
		t := b.places[at]
		if t == nil {
			t = &matrixTable{words: make([]uint64, 2*len(said))}
			b.places[at] = t
			b.order = append(b.order, at)
		}
		t.mask |= bit
		for code, r := range said {
			b.set(&t.words[2*code], &t.words[2*code+1], bit, r)
		}
	}
	return true
}

func (b *matrixBuilder) set(holds, errs *uint64, bit uint64, said uint8) {
	*holds &^= bit
	switch said {
	case saysTrue:
		*holds |= bit
	case saysError:
		*errs |= bit
	}
}

const (
	saysFalse uint8 = iota
	saysTrue
	saysError
)

// evaluate returns what c says for instance i of u, by the code of leaf l if there is one.
func (b *matrixBuilder) evaluate(u *unit, i, l int, c *conjunct, params []*Param, there []Expr) (said []uint8) {
	f, p := b.f, b.p
	undefine(f, 0, p.n)
	clear(f[p.n:])
	values := f[p.n : p.n+len(params)]
	u.instance(i, values)
	for _, s := range there {
		if at, ok := b.resolve(s, params, values, nil, true); ok {
			f[at] = 1
		}
	}
	if l < 0 {
		return []uint8{p.says(c, f)}
	}
	return p.saysAll(c, f, l)
}

// saysAll evaluates a conjunct for all values of a leaf, by their codes. The leaf is undefined behind it.
func (p *Program) saysAll(c *conjunct, f []int64, leaf int) (said []uint8) {
	t := p.leaves[leaf].Type
	f[leaf] = Undef
	said = append(said, p.says(c, f))
	for v := t.Lo; v <= t.Hi; v++ {
		f[leaf] = v
		said = append(said, p.says(c, f))
	}
	f[leaf] = Undef
	return said
}

// says evaluates a conjunct.
func (p *Program) says(c *conjunct, f []int64) (said uint8) {
	defer func() {
		if r := recover(); r != nil {
			p.caught(r, f)
			said = saysError
		}
	}()
	if c.test(f) {
		return saysTrue
	}
	return saysFalse
}
