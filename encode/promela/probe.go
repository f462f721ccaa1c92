package promela

import (
	"slices"

	"orbitmc/model"
)

// Which numbers the processes of each proctype get is found by looking: a search of
// bounded size, which begins with the processes at the start. Where a process of another
// number would be made, that number is added, and the search begins again. States from which
// no process can come to a run, whatever happens, are not searched: mostly, the search ends where
// init has run all others, and is complete. What lies beyond the search is an error of the property
// NoRoom, so nothing is missed.
//
// A complete search also shows how many processes there are where a step runs some. If that is one number for each
// step, mostly because init runs all, it stands in the rule: then the rule says which processes it makes, and they
// may be interchangeable. Otherwise the number of a process is computed, and that tells them apart.

// NoRoom is the property that is violated where a process is made for which the model has no
// room. That says nothing of the program.
const NoRoom = "process numbers"

// probeStates bounds the states of a search, and probeLeaves the leaves of all of them; but some
// are visited in any case. All searches together visit at most about probeSearches times as many.
const (
	probeStates   = 60_000
	probeLeaves   = 1 << 24
	probeSome     = 100
	probeSearches = 10
)

// probeLimit is how many states of so many leaves a search visits.
func probeLimit(leaves int) int {
	return max(probeSome, min(probeStates, probeLeaves/max(leaves, 1)))
}

// wantProcs is more than there are proctypes.
const wantProcs = 1 << 16

// probe lowers the program with the process numbers that are found.
func probe(name string, f *file, total int) *lowering {
	var l *lowering
	for visited := 0.0; f.runs && visited < probeSearches; {
		l = lower(name, f, total, nil)
		n, more := l.look()
		if visited += float64(n) / float64(probeLimit(l.m.Leaves())); !more {
			break
		}
		l.starts, l.begun, f.handed = nil, nil, nil
	}
	if l != nil && l.starts != nil {
		f.fuse(l)
	}
	seen := l
	l = lower(name, f, total, seen)
	if f.opt.Reset && l.findDead() {
		l = lower(name, f, total, seen)
	}
	if l.starts != nil {
		l.m.Ties = l.ties()
	}
	return l
}

// look searches, adds the process numbers that are missing, and says whether there are any. If there
// are none, starts says how many processes there are before a step that runs some, by its first statement; it is nil if
// that is not one number.
func (l *lowering) look() (visited int, more bool) {
	m := model.Compile(l.m).NewMachine()
	pack := model.NewPacker(l.m)
	seen := map[string]bool{}
	var queue []model.State
	limit := probeLimit(l.m.Leaves())
	running := l.running()
	l.starts, l.begun = map[string]int64{}, map[string][]int64{}
	l.f.handed = handed{}
	known := true // each step that runs processes begins with one number of them
	add := func(s model.State) {
		if !running(s) {
			return
		}
		if k := string(pack.Pack(nil, s)); !seen[k] {
			if len(seen) == limit {
				known = false
				return
			}
			seen[k] = true
			queue = append(queue, slices.Clone(s))
		}
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			add(s)
		}
		return true
	})
	for i := 0; len(queue) > 0; i++ {
		var s model.State // by turns the oldest, and the newest, which is deep in the program
		if i%2 == 0 {
			s, queue = queue[0], queue[1:]
		} else {
			s, queue = queue[len(queue)-1], queue[:len(queue)-1]
		}
		m.Successors(s, func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if begin, runs := l.runners[l.m.Rules[ch.Rule].Name]; runs {
				n := s[l.nrpr.Offset]
				old, ok := l.starts[begin]
				known = known && (!ok || old == n)
				l.starts[begin] = n
				if q := l.procs[l.p.Edges[ch.Rule].Proto]; q.index.Card() == 1 {
					l.recall(begin, s[q.v.Offset:q.v.Offset+q.rec.Leaves])
				}
				if next != nil {
					l.f.handed.note(l, s, next)
				}
			}
			if next == nil {
				return true
			}
			want := next[l.want.Offset]
			if want == 0 {
				add(next)
				return true
			}
			q, pid := l.f.procs[want%wantProcs], int(want/wantProcs)
			if !slices.Contains(q.slots, pid) && pid < maxProcesses {
				q.slots = append(q.slots, pid)
				slices.Sort(q.slots)
				if !more { // what is made beside it is found at once
					more, limit = true, len(seen)+probeSome
				}
			}
			return true
		})
	}
	if !known {
		l.starts = nil
	}
	return len(seen), more
}

// recall notes the record of a process that runs others.
func (l *lowering) recall(begin string, record model.State) {
	old, ok := l.begun[begin]
	if !ok {
		l.begun[begin] = slices.Clone(record)
		return
	}
	for i, v := range record {
		if old[i] != v {
			old[i] = varies
		}
	}
}

// running returns a test of states: some process is where it may come to a run.
func (l *lowering) running() func(s model.State) bool {
	may := map[*element]bool{}
	for _, q := range l.procs {
		for changed := true; changed; {
			changed = false
			for _, e := range q.locs {
				for _, x := range e.edges {
					if !may[e] && (may[x.to] || x.act.mentions(opRun)) {
						may[e], changed = true, true
					}
				}
			}
		}
	}
	return func(s model.State) bool {
		for _, q := range l.procs {
			if q.v == nil {
				continue
			}
			for i := range int(q.index.Card()) {
				code := s[q.v.Offset+i*q.rec.Leaves]
				if q.gone {
					code--
				}
				if code >= 0 && may[q.locs[code]] {
					return true
				}
			}
		}
		return false
	}
}

// mentions reports whether there is an expression of a kind in a statement.
func (s *stmt) mentions(op opcode) (found bool) {
	eachStmt(one(s), func(s *stmt) {
		s.exprs(func(e *expr) { found = found || e.has(op) })
	})
	return found
}
