package param

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file runs loops over a free class. The body is run once, for an arbitrary component v, on
// the state before the loop. That gives the state after it if, for each family that the body
// writes, one of these holds:
//
//	row     some argument is v in all its reads and writes in the body: each iteration has leaves
//	        of its own
//	flag    no iteration reads it, and all writes have the same place and value, which do not
//	        depend on v: it has the value afterwards iff some iteration writes it
//	last    the loop is in the body of a start state, and all iterations write the same places, and
//	        read there what they wrote themselves: it has what the iteration of the last component
//	        writes, and this is one more parameter of the start state
//	sum     it is a number to which iterations add, and nothing else: see sums.go
//	scratch it is local, and each read in the body reads what the same iteration has written; it
//	        must not be read after the loop, as the last iteration decides its value
//
// Other loops are refused.

func (ru *run) loop(v Term, s *model.For, body func()) {
	l := &iterations{v: v, oldest: ru.instances, from: len(ru.log), pos: s.Pos}
	count := make(map[*Family]int)
	for f, ws := range ru.writes {
		count[f] = len(ws)
	}
	returned := ru.returned
	sums, outer := ru.summedIn(s), len(ru.sums)
	ru.sums = append(ru.sums, sums...)
	ru.loops++
	ru.forAny(v, body)
	ru.loops--
	ru.sums = ru.sums[:outer]
	if ru.returned != returned {
		refuse(s.Pos, "a loop over a free class that ends by return is not proved for every size")
	}
	for _, f := range ru.order {
		if n := count[f]; len(ru.writes[f]) > n {
			ru.writes[f] = ru.iterated(f, n, l)
		}
	}
	for _, sum := range sums {
		ru.finish(sum, v)
	}
}

// iterations are those of a loop.
type iterations struct {
	v      Term
	last   Term // the component of the last one; 0: nothing depends on it
	oldest int  // instances after this one are of one iteration
	from   int  // its first access
	pos    model.Pos
}

// iterated returns the writes of a family after a loop whose body appended those from n on.
func (ru *run) iterated(f *Family, n int, l *iterations) []write {
	ws, v, pos := ru.writes[f], l.v, l.pos
	if f.inst.id > l.oldest { // of one iteration
		return ws
	}
	accesses := lists.Where(ru.log[l.from:], func(a access) bool { return a.fam == f })
	for k := range f.Args {
		if !slices.ContainsFunc(accesses, func(a access) bool { return a.args[k] != v }) {
			for i := n; i < len(ws); i++ {
				ws[i].bound = append(slices.Clip(ws[i].bound), v)
			}
			return ws
		}
	}
	flag, guard := true, False
	for _, a := range accesses {
		flag = flag && a.written
	}
	first := &ws[n]
	for i := n; i < len(ws) && flag; i++ {
		w := &ws[i]
		flag = len(w.bound) == 0 && slices.Equal(w.args, first.args) && slices.Equal(w.val, first.val) && !ru.mentions(w.val, v)
		for _, a := range w.args {
			flag = flag && !slices.Contains(ru.FreeIn(a), v)
		}
		guard = ru.Or(guard, w.guard)
	}
	if flag {
		w := *first
		w.guard = ru.Exists(v, guard)
		return append(slices.Clip(ws[:n]), w)
	}
	if ru.lasts != nil {
		last := true
		for _, a := range accesses {
			last = last && (a.written || a.low >= n || ru.rules.lastRead)
		}
		for i := n; i < len(ws) && last; i++ {
			last = !slices.Contains(ru.Node(ws[i].guard).Free, v) || ru.rules.lastGuard
			for _, a := range ws[i].args {
				last = last && !slices.Contains(ru.FreeIn(a), v)
			}
		}
		if last {
			if l.last == 0 {
				l.last = ru.Fresh(ru.Sort(v))
				*ru.lasts = append(*ru.lasts, l.last)
			}
			by := map[Term]Term{v: l.last}
			ws = slices.Clone(ws)
			for i := n; i < len(ws); i++ {
				ws[i].guard, ws[i].val = ru.Substitute(ws[i].guard, by), ru.substitute(ws[i].val, by)
			}
			return ws
		}
	}
	if f.inst.state {
		refuse(ws[n].pos, "iterations of the loop at %v over %s affect each other, or their order counts: %s", pos, ru.sorts[ru.Sort(v)].Name, f)
	}
	for _, a := range accesses {
		if !a.written && a.low < n {
			refuse(a.pos, "an iteration of the loop at %v over %s reads what another one may have written: %s", pos, ru.sorts[ru.Sort(v)].Name, f)
		}
	}
	w := write{guard: True, pos: pos, settled: true}
	for _, sort := range f.Args {
		t := ru.Fresh(sort)
		w.args, w.bound = append(w.args, t), append(w.bound, t)
	}
	return append(slices.Clip(ws[:n]), w)
}
