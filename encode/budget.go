package encode

import (
	"context"
	"fmt"

	"orbitmc/aig"
	"orbitmc/internal/pace"
	"orbitmc/model"
)

// Limits of the symbolic encoding. Beyond them it would take minutes and
// gigabytes; explicit search goes on without it.
const (
	maxInstances = 1 << 20 // of all start states, of all rules, and of one invariant: each is a copy of its logic
	maxPairs     = 1 << 22 // of hot bits that exclude each other, and of latches
	maxNodes     = 1 << 26 // of the graph
)

// budget is how far a graph may grow, and how long that may take.
type budget struct {
	ctx   context.Context
	g     *aig.Graph
	limit int // nodes
	most  int // nodes, for what is tried

	counted int // nodes, in the limit of ctx
}

// What the work costs in steps of package pace.
const (
	stepsPerNode  = 5
	stepsPerCheck = 50
)

// exceeded says that what was tried takes more than its budget.
type exceeded struct{}

// ended says that the context ended.
type ended struct{ error }

// check ends the work if the context ended.
func (b *budget) check() {
	n := b.g.Len()
	pace.Spend(b.ctx, (n-b.counted)*stepsPerNode+stepsPerCheck)
	b.counted = n
	if err := b.ctx.Err(); err != nil {
		panic(ended{err})
	}
}

// copied notes that functions of so many nodes were copied.
func (b *budget) copied(nodes int) { pace.Spend(b.ctx, nodes) }

func (ex *exec) checkBudget() {
	ex.budget.check()
	switch n := ex.g.Len(); {
	case n > ex.budget.limit:
		refuse(ex.pos, "inlining the procedures takes more than %d AND nodes: too large for the symbolic encoding", ex.budget.limit)
	case n > ex.budget.most:
		panic(exceeded{})
	}
}

// try runs f and reports whether the graph grew by no more than most nodes; if
// not, f was not finished.
func (b *budget) try(most int, f func()) (ok bool) {
	outer := b.most
	b.most = min(outer, b.g.Len()+most)
	defer func() {
		b.most = outer
		if r := recover(); r != nil {
			if _, is := r.(exceeded); !is || b.g.Len() > outer {
				panic(r)
			}
			ok = false
		}
	}()
	f()
	return true
}

// checkSize refuses a model whose encoding exceeds the limits.
func checkSize(m *model.Model) {
	refuse := func(pos model.Pos, format string, args ...any) {
		panic(unsupported{pos, fmt.Sprintf(format, args...) + ": too large for the symbolic encoding"})
	}
	instances := func(params []*model.Param, pos model.Pos) uint64 {
		n := uint64(1)
		for _, p := range params {
			size := p.Domain.Size()
			if size > maxInstances || n*size > maxInstances {
				refuse(pos, "more than %d instances", maxInstances)
			}
			n *= size
		}
		return n
	}
	for _, rules := range [][]*model.Rule{m.Starts, m.Rules} {
		sum := uint64(0)
		for _, r := range rules {
			if sum += instances(r.Params, r.Pos); sum > maxInstances {
				refuse(r.Pos, "more than %d instances", maxInstances)
			}
		}
	}
	for _, p := range m.Props {
		instances(p.Params, p.Pos)
	}
	pairs := int64(0)
	for _, v := range m.Vars {
		hot, leaves := bitsOf(v.Type)
		if pairs += hot + leaves; pairs > maxPairs {
			refuse(v.Pos, "the variable %s", v.Name)
		}
	}
}

// bitsOf returns the number of pairs of hot bits in a variable of type t, and
// of its leaves, both cut off at about maxPairs.
func bitsOf(t *model.Type) (pairs, leaves int64) {
	switch t.Kind {
	case model.Array, model.Multiset:
		p, l := bitsOf(t.Elem)
		if t.Kind == model.Multiset {
			l++
		}
		return min(maxPairs+1, p*min(t.Index.Card(), maxPairs)), min(maxPairs+1, l*min(t.Index.Card(), maxPairs))
	case model.Record:
		for _, f := range t.Fields {
			p, l := bitsOf(f.Type)
			pairs, leaves = min(maxPairs+1, pairs+p), min(maxPairs+1, leaves+l)
		}
		return pairs, leaves
	}
	if isHot(t) {
		n := min(t.Card(), maxPairs)
		return min(maxPairs+1, n*n/2), 1
	}
	return 0, 1
}
