package promela

import (
	"maps"
	"slices"
)

// Variables that hold what other processes say of themselves begin with 0, like all others. If some process is handed the
// number 0, that tells it apart, although nobody looks at the 0. So they begin without a value instead, if on each way
// they get one before it is looked at. This is a bisimulation: the value of a variable that gets another one before it is read changes no
// step and no property. A mistake here would be seen as a run-time error, which reading no value is.

// findUnset finds the variables of processes that may begin without a value. There are none unless processes of some
// proctype are handed different numbers, 0 among them, and only those that hold all of these: there are more states, as a
// variable with no value is another one than one with the value 0.
func (f *file) findUnset() {
	f.unset = map[*sym]bool{}
	zero, most := map[*sym]bool{}, map[*sym]int64{} // by parameter
	for key, values := range f.handed {
		q := f.procs[key[0]]
		if len(values) != len(q.params) {
			continue
		}
		for i, v := range values {
			if p := q.params[i]; p.typ.base != bChan {
				zero[p], most[p] = zero[p] || v == 0, max(most[p], v)
			}
		}
	}
	holds := func(s *sym) bool {
		for p, top := range most {
			if zero[p] && top > 0 && s.cell.known && s.cell.lo <= 0 && s.cell.hi >= top {
				return true
			}
		}
		return false
	}
	if !f.opt.Unset {
		return
	}
	seen := f.lookedAt()
	for _, q := range f.procs {
		may := q.carriers()
		for s := range may {
			if seen[s] || !holds(s) {
				delete(may, s)
			}
		}
		q.assigned(may)
		maps.Copy(f.unset, may)
	}
}

// lookedAt returns the variables of processes that others look at, or may.
func (f *file) lookedAt() map[*sym]bool {
	seen := map[*sym]bool{}
	f.exprs(func(e *expr) {
		e.each(func(x *expr) {
			if x.op == opRem {
				x.y.each(func(y *expr) { seen[y.sym] = true })
			}
		})
	})
	for _, q := range f.procs {
		for _, s := range q.locals {
			for _, c := range f.claims {
				if slices.ContainsFunc(c.text, func(t token) bool { return t.text == s.name }) {
					seen[s] = true
				}
			}
		}
	}
	return seen
}

// carriers returns the variables of a process that only get values of messages and of other variables.
func (q *proctype) carriers() map[*sym]bool {
	may := map[*sym]bool{}
	for _, s := range q.locals {
		if own(&expr{op: opVar, sym: s}) && !s.param && s.init == nil && s.list == nil && s.ch == nil {
			may[s] = true
		}
	}
	eachStmt(q.body, func(s *stmt) {
		if s.kind == sAssign && s.lhs.op == opVar && s.e.leaf() == nil {
			delete(may, s.lhs.sym)
		}
	})
	return may
}

// reads returns the variables whose values a statement looks at, and writes those that it surely assigns after that. A
// d_step is taken to read all that is in it, and to write nothing.
func (s *stmt) reads() map[*sym]bool {
	found := map[*sym]bool{}
	look := func(e *expr) {
		e.each(func(x *expr) {
			if x.op == opVar {
				found[x.sym] = true
			}
		})
	}
	place := func(e *expr) { // what is assigned: its indices are read
		for v := e; v != nil; v = v.y {
			look(v.x)
		}
	}
	eachStmt(one(s), func(s *stmt) {
		look(s.e)
		look(s.ch)
		if s.lhs != nil {
			place(s.lhs)
		}
		for _, a := range s.args {
			if s.kind == sRecv && a.op == opVar {
				place(a)
			} else {
				look(a)
			}
		}
	})
	return found
}

func (s *stmt) writes() (all []*sym) {
	switch s.kind {
	case sAssign:
		if own(s.lhs) {
			all = append(all, s.lhs.sym)
		}
	case sRecv:
		for _, a := range s.args {
			if own(a) {
				all = append(all, a.sym)
			}
		}
	}
	return all
}

// assigned drops the variables that are perhaps looked at before they get a value.
func (q *proctype) assigned(may map[*sym]bool) {
	if q.provided != nil {
		for s := range (&stmt{kind: sCond, e: q.provided}).reads() {
			delete(may, s)
		}
	}
	has := map[*element]map[*sym]bool{q.start: {}} // by location: those that have a value on each way to it
	for changed := true; changed; {
		changed = false
		for _, from := range q.locs {
			if has[from] == nil {
				continue
			}
			for _, x := range from.edges {
				if x.to == nil {
					continue
				}
				after := maps.Clone(has[from])
				for _, s := range x.act.stmt.writes() {
					after[s] = true
				}
				before := has[x.to]
				if before == nil {
					has[x.to], changed = after, true
					continue
				}
				for s := range before {
					if !after[s] {
						delete(before, s)
						changed = true
					}
				}
			}
		}
	}
	for _, from := range q.locs {
		for _, x := range from.edges {
			for s := range x.act.stmt.reads() {
				if !has[from][s] {
					delete(may, s)
				}
			}
		}
	}
}
