package promela

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// What processes are handed over when they are run, as the search for process numbers sees it: the static
// channel diagram of a program (package infer makes the graph). Channels that seem to have the same place in
// it are laid out as one array, whatever their declarations, so that they can be exchanged.

// handed is the values that processes got: by proctype and number those of the parameters, if they are always the same.
type handed map[[2]int][]int64

// note notes which processes a step makes.
func (h handed) note(l *lowering, s, next model.State) {
	for _, q := range l.procs {
		if q.v == nil || len(q.params) == 0 || !q.gone {
			continue
		}
		for i := range int(q.index.Card()) {
			at := q.v.Offset + i*q.rec.Leaves
			if s[at] != 0 || next[at] == 0 {
				continue
			}
			values := lists.Map(q.params, func(p *sym) int64 { return next[at+q.rec.Fields[q.fields[p]].Offset] })
			key := [2]int{q.proctype.index, i + int(q.index.Lo)}
			if old, ok := h[key]; ok && !slices.Equal(old, values) {
				values = []int64{} // several
			}
			h[key] = values
		}
	}
}

// spot is one of the channels of a declaration.
type spot struct {
	of    *sym
	index int64
}

// ties returns what is handed over, for the model.
func (l *lowering) ties() (all []model.Tie) {
	for _, q := range l.procs {
		if q.v == nil {
			continue
		}
		index := model.Use{Type: q.v.Type, Part: model.Index}
		for _, slot := range q.slots {
			t := model.Tie{Kind: q.proctype.index, Uses: []model.Use{index}, Values: []int64{int64(slot)}}
			values := l.f.handed[[2]int{t.Kind, slot}]
			if len(values) != len(q.params) || len(l.uneven) > 0 {
				t.Kind = -1 - slot // like no other one
				values = nil
			}
			for i, v := range values {
				if s, ok := l.f.was[v]; ok && q.params[i].typ.base == bChan {
					v = s.of.first + s.index
					if g := s.of.group; g.lay.of != nil {
						v += g.lay.ids[g.lay.of.slots[0]]
					}
				}
				t.Uses, t.Values = append(t.Uses, model.Use{Type: q.rec, Part: q.fields[q.params[i]]}), append(t.Values, v)
			}
			for _, g := range q.queues {
				for j := range g.n {
					if len(q.slots) == 1 {
						break // they stay with it, whichever is which
					}
					if lay := g.lay; lay.v != nil && lay.index != nil {
						t.Uses, t.Values = append(t.Uses, model.Use{Type: lay.v.Type, Part: model.Index}), append(t.Values, lay.ids[slot]+int64(j))
					}
				}
			}
			if len(q.params)+len(q.queues) > 0 {
				all = append(all, t)
			}
		}
	}
	return all
}

// fuse finds channels, global ones or of a process that is one of a kind, that are used by way of parameters only, are declared alike, and are handed over alike: after
// each round, two channels have one colour if the processes that get them have, at the same parameters, and two processes
// if their channels have.
func (f *file) fuse(l *lowering) {
	if f.countsChannels() || len(l.uneven) > 0 {
		return
	}
	direct := map[*sym]int{} // where it is used in other ways than to be handed over
	f.exprs(func(e *expr) {
		e.each(func(x *expr) {
			if x.op == opVar {
				direct[x.sym]++
			}
			for _, a := range x.args {
				if v := a.leaf(); x.op == opRun && v != nil {
					direct[v.sym]--
				}
			}
		})
	})
	f.was = map[int64]spot{}
	of := map[int64]*sym{} // by number of a channel
	colour := map[int64]string{}
	channels := func(s *sym, from int64, where string) {
		for j := range int64(s.n) {
			f.was[from+j] = spot{s, j}
			if s.group.named && !s.write && !s.in && direct[s] == 0 && s.init == nil {
				of[from+j] = s
				colour[from+j] = fmt.Sprint(where, s.ch.slots, lists.Join(s.ch.fields, ",", typ.words))
			}
		}
	}
	for _, s := range f.globals {
		if s.group != nil {
			channels(s, s.first, "")
		}
	}
	for _, q := range l.procs {
		if len(q.slots) != 1 {
			continue
		}
		for _, s := range q.locals { // each is a group of its own yet
			if s.group != nil {
				channels(s, s.group.lay.ids[q.slots[0]], q.name+" ")
			}
		}
	}
	for range len(of) {
		next := map[int64][]string{}
		for _, q := range l.procs {
			for _, slot := range q.slots {
				values := f.handed[[2]int{q.proctype.index, slot}]
				if len(values) != len(q.params) {
					values = nil
				}
				mine := fmt.Sprint(q.proctype.index)
				for i, v := range values {
					if q.params[i].typ.base == bChan {
						mine += fmt.Sprint(" ", colour[v])
					}
				}
				for i, v := range values {
					if q.params[i].typ.base == bChan && of[v] != nil {
						next[v] = append(next[v], fmt.Sprint(mine, " at ", i))
					}
				}
			}
		}
		names := map[string]int{}
		for v := range of {
			slices.Sort(next[v])
			key := fmt.Sprint(colour[v], next[v])
			colour[v] = fmt.Sprint(lists.Number(names, key))
		}
	}
	f.fused = map[*sym]*sym{}
	first := map[string]*sym{}
	root := func(s *sym) *sym {
		for f.fused[s] != nil {
			s = f.fused[s]
		}
		return s
	}
	for _, v := range slices.Sorted(maps.Keys(of)) {
		s, key := of[v], colour[v]
		if old := first[key]; old == nil {
			first[key] = s
		} else if a, b := root(old), root(s); a != b {
			f.fused[b] = a
		}
	}
	for s := range f.fused {
		f.fused[s] = root(s)
	}
}

// countsChannels reports whether the numbers of channels may matter: one is computed with, compared by order, or stored where
// no channel is. SPIN numbers channels in the order of their declarations.
func (f *file) countsChannels() (counts bool) {
	is := func(e *expr) bool {
		if e == nil {
			return false
		}
		if e.op == opRem {
			e = e.y
		}
		v := e.leaf()
		return v != nil && v.sym.typ.base == bChan
	}
	none := func(e *expr) bool { v, ok := constant(e); return ok && v == 0 }
	look := func(e *expr) {
		e.each(func(x *expr) {
			switch {
			case x.op == opVar:
				counts = counts || is(x.x)
			case x.op == opRun:
				for i, a := range x.args {
					counts = counts || is(a) != (x.proc.params[i].typ.base == bChan) && !none(a)
				}
			case x.op == opBinary && (x.text == "==" || x.text == "!="):
				counts = counts || is(x.x) && !is(x.y) && !none(x.y) || is(x.y) && !is(x.x) && !none(x.x)
			case x.op == opBinary || x.op == opUnary || x.op == opCond:
				counts = counts || is(x.x) || is(x.y) || is(x.z)
			}
		})
	}
	into := func(t typ, e *expr) {
		counts = counts || e != nil && e.op != opAny && e.op != opEval && !none(e) && is(e) != (t.base == bChan)
	}
	f.exprs(look)
	for _, q := range f.procs {
		for _, s := range q.locals {
			look(s.init)
			into(s.typ, s.init)
		}
		eachStmt(q.body, func(s *stmt) {
			switch s.kind {
			case sAssign:
				if v := s.lhs.leaf(); v != nil {
					into(v.sym.typ, s.e)
				}
			case sSend, sRecv:
				for _, g := range s.ch.leaf().sym.cell.groups {
					for i, a := range s.args {
						if i < len(g.fields) {
							into(g.fields[i].typ, a)
							counts = counts || s.mode&sorted != 0 && is(a)
							if a.op == opEval {
								into(g.fields[i].typ, a.x)
							}
						}
					}
				}
			}
		})
	}
	for _, s := range f.globals {
		look(s.init)
		into(s.typ, s.init)
	}
	for _, c := range f.claims { // a name in brackets is that of an operation
		for i, t := range c.text {
			if t.text == ":" { // a variable of a process
				for _, q := range f.procs {
					for _, s := range q.locals {
						counts = counts || s.typ.base == bChan && i+1 < len(c.text) && c.text[i+1].text == s.name
					}
				}
			}
			if s := slices.IndexFunc(f.globals, func(s *sym) bool { return s.name == t.text && s.typ.base == bChan }); s >= 0 {
				counts = counts || i+1 == len(c.text) || !slices.Contains([]string{")", "[", "?"}, c.text[i+1].text)
			}
		}
	}
	return counts
}
