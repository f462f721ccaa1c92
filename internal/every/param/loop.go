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

func (x *run) loop(v Term, s *model.For, body func()) {
	l := &iterations{v: v, oldest: x.instances, from: len(x.log), pos: s.Pos}
	count := make(map[*Family]int)
	for f, ws := range x.writes {
		count[f] = len(ws)
	}
	returned := x.returned
	sums, outer := x.summedIn(s), len(x.sums)
	x.sums = append(x.sums, sums...)
	x.loops++
	x.forAny(v, body)
	x.loops--
	x.sums = x.sums[:outer]
	if x.returned != returned {
		refuse(s.Pos, "a loop over a free class that ends by return is not proved for every size")
	}
	for _, f := range x.order {
		if n := count[f]; len(x.writes[f]) > n {
			x.writes[f] = x.iterated(f, n, l)
		}
	}
	for _, sum := range sums {
		x.finish(sum, v)
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
func (x *run) iterated(f *Family, n int, l *iterations) []write {
	ws, v, pos := x.writes[f], l.v, l.pos
	if f.inst.id > l.oldest { // of one iteration
		return ws
	}
	accesses := lists.Where(x.log[l.from:], func(a access) bool { return a.fam == f })
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
		flag = len(w.bound) == 0 && slices.Equal(w.args, first.args) && slices.Equal(w.val, first.val) && !x.mentions(w.val, v)
		for _, a := range w.args {
			flag = flag && !slices.Contains(x.FreeIn(a), v)
		}
		guard = x.Or(guard, w.guard)
	}
	if flag {
		w := *first
		w.guard = x.Exists(v, guard)
		return append(slices.Clip(ws[:n]), w)
	}
	if x.lasts != nil {
		last := true
		for _, a := range accesses {
			last = last && (a.written || a.low >= n || x.rules.lastRead)
		}
		for i := n; i < len(ws) && last; i++ {
			last = !slices.Contains(x.Node(ws[i].guard).Free, v) || x.rules.lastGuard
			for _, a := range ws[i].args {
				last = last && !slices.Contains(x.FreeIn(a), v)
			}
		}
		if last {
			if l.last == 0 {
				l.last = x.Fresh(x.Sort(v))
				*x.lasts = append(*x.lasts, l.last)
			}
			by := map[Term]Term{v: l.last}
			ws = slices.Clone(ws)
			for i := n; i < len(ws); i++ {
				ws[i].guard, ws[i].val = x.Substitute(ws[i].guard, by), x.substitute(ws[i].val, by)
			}
			return ws
		}
	}
	if f.inst.state {
		refuse(ws[n].pos, "iterations of the loop at %v over %s affect each other, or their order counts: %s", pos, x.sorts[x.Sort(v)].Name, f)
	}
	for _, a := range accesses {
		if !a.written && a.low < n {
			refuse(a.pos, "an iteration of the loop at %v over %s reads what another one may have written: %s", pos, x.sorts[x.Sort(v)].Name, f)
		}
	}
	w := write{guard: True, pos: pos, settled: true}
	for _, sort := range f.Args {
		t := x.Fresh(sort)
		w.args, w.bound = append(w.args, t), append(w.bound, t)
	}
	return append(slices.Clip(ws[:n]), w)
}
