package promela

import (
	"fmt"
	"slices"

	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Lowering: declarations. A proctype has one state variable, an array over the process
// numbers that its processes may have, of records: the location (its number; 0, if a
// process need not exist, says that it does not), then parameters, variables and channels of
// its own. What does not exist is undefined. So is the part of a channel that holds no message.

// lowering makes the model of a program.
type lowering struct {
	f       *file
	an      *analysis
	m       *model.Model
	p       *prog.Program
	procs   []*process
	nrpr    *model.Var // number of processes; nil if it never changes
	total   int        // processes at the start
	excl    *model.Var // the process that is inside an atomic sequence; nil if that is never a state
	busy    *model.Proc
	higher  *model.Proc         // whether some process of a priority above can move
	letting map[model.Stmt]bool // statements after which some object may be out of reach
	looks   bool                // a process looks at another one
	garbage *model.Proc         // drops such objects; nil: there is no need yet
	want    *model.Var          // of a probe: the number and type of a process that has no place
	probing bool
	starts  map[string]int64   // by first statement of rules that run processes: how many there are before; nil: not known
	begun   map[string][]int64 // and the record of the process that begins, varies for what is not known
	created map[*model.If]bool // statements that make a process
	runners map[string]string  // the first statement of rules in which one is
	names   map[string]int
	vars    map[*sym]*model.Var
	uneven  []uneven
	pools   map[*typedef]*model.Var
	cuts    bool              // some state is inside an atomic sequence
	rest    map[*element]bool // where processes may rest; nil: not known yet

	restNow  map[*element]bool // what is found of it in this pass
	settle   func(*element)    // notes that a process may rest there
	checking checked           // what bodies check; none: they check nothing
	asserts  []checked         // what there is to check in a body
	watching []*watcher
}

// process is a proctype with what the model has of it.
type process struct {
	*proctype
	v       *model.Var
	index   *model.Type // process numbers, the hull of slots
	rec     *model.Type
	pc      *model.Type
	gone    bool // a process need not exist
	fields  map[*sym]int
	private map[*group]int // fields of channels that are not named
	queues  []*group       // in order of creation
	nq      int            // channels of a process
}

// uneven is a process number that may be of several proctypes, some of which make more channels than the least.
type uneven struct{ pid, least int }

// layout is where the channels of a group are.
type layout struct {
	name     string      // of v; of several declarations those of the first and the last
	v        *model.Var  // array over the numbers of channels, or record if there is one; nil if private, or rendezvous
	index    *model.Type // of v
	rec      *model.Type // of a channel
	msg      *model.Type
	lo, hi   int64         // numbers of its channels
	of       *process      // that has them; nil: global
	ids      map[int]int64 // by process number: the number of the first, or the least that it may have (uneven)
	disjoint bool          // lo to hi are numbers of this group alone
}

func compile(name string, f *file) *lowering {
	if f.ranks {
		for _, q := range f.procs {
			q.locals = append(q.locals, q.rank)
		}
	}
	first := 0
	stays := f.opt.Stay && f.mayStay()
	for i, q := range f.procs {
		q.stay = stays
		build(q, false)
		for _, c := range f.claims { // SPIN reads formulas last
			if c.before == i && c.kind != "ltl" && first >= 0 {
				if first += c.size; c.size < 0 {
					first = -1
				}
			}
		}
		if q.first = first; q.split {
			first = -1 // SPIN makes an element more somewhere behind it
		}
		if first >= 0 {
			first += q.read
		}
	}
	pid := 0
	for _, q := range f.procs {
		for range q.active {
			q.slots = append(q.slots, pid)
			pid++
		}
	}
	if pid == 0 {
		fail(f.procs[0].at, "no process runs at the start: no proctype is active, and there is no init")
	}
	if pid > maxProcesses {
		fail(f.procs[0].at, "%d processes run at the start; the most is %d", pid, maxProcesses)
	}
	l := probe(name, f, pid)
	p := l.p
	p.Stays = stays
	if f.opt.NoDeadlock {
		p.Model.Deadlock = model.DeadlockOff
		p.Model.Props = p.Model.Props[:len(p.Model.Props)-1]
	}
	return l
}

// mayStay reports whether nothing tells whether a process that has come to its end is still there:
// no process is made, counted or looked at by others, and none has channels.
func (f *file) mayStay() bool {
	may := !f.runs && !f.ranks
	f.exprs(func(e *expr) {
		e.each(func(x *expr) { may = may && x.op != opNrPr && x.op != opAt && x.op != opRem })
	})
	for _, q := range f.procs {
		may = may && !slices.ContainsFunc(q.locals, func(s *sym) bool { return s.ch != nil })
	}
	return may
}

// maxProcesses is the most processes that run at a time, as in SPIN.
const maxProcesses = 255

// typeOf is the type of a cell: a range, in which the values of an mtype have names.
func (l *lowering) typeOf(c *cell) *model.Type {
	lo, hi := c.lo, c.hi
	if !c.known {
		lo, hi = 0, 0
		if c.typ.base == bChan && len(c.groups) > 0 {
			lo, hi = 255, 0
		}
	}
	for _, g := range c.groups {
		lo, hi = min(lo, g.lay.lo), max(hi, g.lay.hi)
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	t := rangeType(lo, hi)
	if c.typ.base == bMtype {
		t.Members = l.f.names(c.typ.set)
	}
	return t
}

// names returns the names of the values of an mtype, by number.
func (f *file) names(set string) []string {
	all := []string{"0"}
	for _, s := range f.messages {
		if s.typ.set == set {
			for int(s.val) >= len(all) {
				all = append(all, "")
			}
			all[s.val] = s.name
		}
	}
	return all
}

func (l *lowering) symType(s *sym, structs map[*typedef]*model.Type) *model.Type {
	var t *model.Type
	if s.typ.base == bStruct {
		d := s.typ.of
		if t = structs[d]; t == nil {
			var names []string
			var types []*model.Type
			for i, f := range d.stored() {
				f.field = i
				names, types = append(names, f.name), append(types, l.symType(f, structs))
			}
			t = recordOf(names, types)
			t.Name = d.name
			structs[d] = t
		}
	} else {
		t = l.typeOf(s.cell)
	}
	if s.typ.base == bRef {
		t = rangeType(0, int64(s.typ.of.pool))
	}
	if s.array {
		t = arrayOf(rangeType(0, int64(s.n-1)), t)
	}
	return t
}

// maxLeaves bounds the size of a state.
const maxLeaves = 1 << 20

// addVar adds a state variable.
func (l *lowering) addVar(name string, t *model.Type, at place) *model.Var {
	v := &model.Var{Name: name, Kind: model.StateVar, Type: t, Offset: l.m.Leaves(), Pos: at.pos}
	if v.Offset+t.Leaves > maxLeaves {
		fail(at, "a state has more than %d values", maxLeaves)
	}
	l.m.Vars = append(l.m.Vars, v)
	return v
}

// lower makes the model for the process numbers that proctypes have now; of a program that runs processes, one
// to look for them if no other one was looked at.
func lower(name string, f *file, total int, seen *lowering) *lowering {
	if f.cond != nil {
		f.cond.fields[0].n = maxSlot(f) + 1
	}
	l := &lowering{f: f, an: analyse(f), total: total, looks: f.looks(), probing: seen == nil && f.runs, names: map[string]int{}}
	if seen != nil {
		l.starts, l.begun = seen.starts, seen.begun
	}
	for _, q := range f.procs {
		l.procs = append(l.procs, &process{proctype: q, fields: map[*sym]int{}, private: map[*group]int{}})
	}
	l.declare(name)
	l.rest = nil
	rules := func() {
		l.m.Rules, l.m.Props, l.m.Procs, l.p.Edges = nil, nil, nil, nil
		l.names, l.runners, l.created = map[string]int{}, map[string]string{}, map[*model.If]bool{}
		l.busy, l.higher, l.garbage, l.letting = nil, nil, nil, map[model.Stmt]bool{}
		l.rules()
	}
	rules()
	if l.cuts && l.excl == nil { // some states are inside atomic sequences
		l.declare(name)
		l.excl = l.addVar("_exclusive", rangeType(0, int64(maxSlot(f))), f.procs[0].at)
		l.cuts = false
		l.rest = nil
		rules()
	}
	rules() // now it is known where processes may rest
	l.finish()
	return l
}

func maxSlot(f *file) int {
	hi := 0
	for _, q := range f.procs {
		hi = max(hi, slices.Max(append([]int{0}, q.slots...)))
	}
	return hi
}

// present returns the proctypes of which there may be processes.
func (l *lowering) present() []*process {
	return slices.DeleteFunc(slices.Clone(l.procs), func(q *process) bool { return q.v == nil })
}

// declare makes the types and state variables.
func (l *lowering) declare(name string) {
	l.m = &model.Model{File: name, Deadlock: model.Stuck, LoopMax: loopMax}
	pids := rangeType(0, int64(maxSlot(l.f)))
	pids.Name = "proc" // as SPIN calls processes; classes of process numbers have this name
	l.m.Types = []*model.Type{pids}
	l.p = &prog.Program{Model: l.m}
	l.vars = map[*sym]*model.Var{}
	dying := slices.ContainsFunc(l.procs, func(q *process) bool { return !q.stay && slices.Contains(q.locs, q.end) })
	if l.nrpr = nil; l.f.runs || dying {
		l.nrpr = l.addVar("_nr_pr", rangeType(0, int64(maxSlot(l.f)+1)), l.f.procs[0].at)
	}
	if l.probing {
		l.want = l.addVar("_want", rangeType(0, maxInt), l.f.procs[0].at)
	}
	l.channels()
	structs := map[*typedef]*model.Type{}
	for _, s := range l.f.globals {
		if s.hollow() || s.group != nil && !(s.group.named && s.write) { // the numbers of channels are known
			continue
		}
		l.vars[s] = l.addVar(s.name, l.symType(s, structs), s.at)
	}
	l.heap(structs)
	for _, g := range l.an.groups {
		lay := g.lay
		if lay.of != nil && !g.named || g.rendezvous() {
			continue
		}
		t := lay.rec
		if lay.index != nil {
			t = arrayOf(lay.index, t)
		}
		n := lay.name
		if lay.of != nil {
			n = lay.of.name + "." + n
		} else if g.sym.write {
			n += "_"
		}
		lay.v = l.addVar(n, t, g.sym.at)
	}
	pid := 0
	for _, q := range l.procs {
		l.processVar(q, structs, pid)
		pid += q.active
	}
	l.watchers()
}

// processVar makes the variable of a proctype.
func (l *lowering) processVar(q *process, structs map[*typedef]*model.Type, first int) {
	if len(q.slots) == 0 {
		return
	}
	q.index = rangeType(int64(q.slots[0]), int64(q.slots[len(q.slots)-1]))
	q.index.Name = l.m.Types[0].Name
	q.gone = !q.stay && slices.Contains(q.locs, q.end)
	for i := range int(q.index.Card()) {
		q.gone = q.gone || i >= q.active || int(q.index.Lo) != first
	}
	q.pc = &model.Type{Kind: model.Enum, Name: q.name + " location", Leaves: 1}
	if q.gone {
		q.pc.Members = append(q.pc.Members, "-")
	}
	seen := map[string]int{}
	for _, e := range q.locs {
		n := fmt.Sprint(e.at.pos.Line)
		if e == q.end {
			n = "end"
		}
		seen[n]++
		if k := seen[n]; k > 1 {
			n += fmt.Sprintf("_%d", k)
		}
		q.pc.Members = append(q.pc.Members, n)
	}
	q.pc.Hi = int64(len(q.pc.Members) - 1)
	names, types := []string{"_p"}, []*model.Type{q.pc}
	used := map[string]int{"_p": 1}
	add := func(n string, t *model.Type) int {
		if used[n]++; used[n] > 1 {
			n += fmt.Sprintf("_%d", used[n])
		}
		names, types = append(names, n), append(types, t)
		return len(names) - 1
	}
	for _, s := range q.locals {
		if s.hollow() {
			continue
		}
		if g := s.group; g != nil {
			if !g.named {
				if !g.rendezvous() {
					t := g.lay.rec
					if s.array {
						t = arrayOf(rangeType(0, int64(s.n-1)), t)
					}
					q.private[g] = add(s.name, t)
				}
				continue
			}
			if !s.write {
				continue
			}
		}
		q.fields[s] = add(s.name, l.symType(s, structs))
	}
	q.rec = recordOf(names, types)
	q.rec.Shown = model.ByField
	q.v = l.addVar(q.name, arrayOf(q.index, q.rec), q.at)
}

// channels numbers the channels as SPIN does: global ones in order of declaration, then
// those of each process, by its number. But those of one array follow each other, if nothing shows their numbers (fuse).
func (l *lowering) channels() {
	for _, g := range l.an.groups {
		if g.lay = nil; g.rendezvous() && l.f.ranks {
			fail(g.sym.at, "a rendezvous channel in a program with priorities: SPIN refuses that, too")
		}
	}
	next := int64(1)
	for _, s := range l.f.globals {
		if g := s.group; g != nil {
			if g.sym != s {
				continue
			}
			g.lay = &layout{name: s.name, lo: next, disjoint: true}
			for _, t := range l.f.globals {
				if t.group == g {
					if t.first = next; t != s {
						g.lay.name = s.name + ".." + t.name
					}
					next += int64(t.n)
				}
			}
			g.lay.hi = next - 1
		}
	}
	globals := next
	for _, q := range l.procs {
		q.queues, q.nq = nil, 0
		for _, s := range q.locals {
			g := s.group
			if g == nil {
				continue
			}
			if g.sym == s {
				q.queues = append(q.queues, g)
				g.lay = &layout{of: q, ids: map[int]int64{}, lo: maxChannels + 1, name: s.name}
				g.n = 0
			} else {
				g.lay.name = g.sym.name + ".." + s.name
			}
			s.first = int64(g.n)
			g.n += s.n
			q.nq += s.n
		}
	}
	next = l.localChannels(next)
	if next-1 > maxChannels && l.namedLocals() || globals-1 > maxChannels {
		fail(l.f.procs[0].at, "there are more than %d channels", maxChannels)
	}
	for _, g := range l.an.groups {
		lay := g.lay
		if lay.lo > lay.hi {
			lay.lo, lay.hi = 0, 0
		}
		if lay.of != nil {
			lay.disjoint = len(l.an.groups) == 1 || len(l.uneven) == 0 && int(lay.hi-lay.lo)+1 == len(lay.ids)*g.n
		}
	}
	for _, g := range l.an.groups { // field types need all numbers
		if g.rendezvous() {
			continue
		}
		lay := g.lay
		var names []string
		var types []*model.Type
		for i, c := range g.fields {
			names, types = append(names, fmt.Sprintf("f%d", i)), append(types, l.typeOf(c))
		}
		lay.msg = recordOf(names, types)
		n := int64(g.init.slots)
		lay.rec = recordOf([]string{"len", "q"}, []*model.Type{rangeType(0, n), arrayOf(rangeType(0, n-1), lay.msg)})
		lay.rec.Shown = model.AsQueue
		switch {
		case g.named:
			lay.index = rangeType(lay.lo, lay.hi)
		case lay.of == nil && g.sym.array:
			lay.index = rangeType(0, int64(g.sym.n-1))
		}
	}
}

// localChannels numbers those of processes from next on and returns the number behind all. A process has the first number
// that those below it leave, and these stay while it is there.
func (l *lowering) localChannels(next int64) int64 {
	l.uneven = nil
	last := next
	for pid := 0; pid <= maxSlot(l.f); pid++ {
		var widths []int
		for _, q := range l.procs {
			if !slices.Contains(q.slots, pid) {
				continue
			}
			widths = append(widths, q.nq)
			lo, hi := next, last
			for _, g := range q.queues {
				lay, n := g.lay, int64(g.n)
				lay.ids[pid] = lo
				lay.lo, lay.hi = min(lay.lo, lo), max(lay.hi, hi+n-1)
				lo, hi = lo+n, hi+n
			}
		}
		if widths == nil {
			continue
		}
		least, most := slices.Min(widths), slices.Max(widths)
		if !l.namedLocals() { // no number is a value
			least = most
		}
		if least < most {
			l.uneven = append(l.uneven, uneven{pid, least})
		}
		next, last = next+int64(least), last+int64(most)
	}
	return last
}

// maxChannels is the most channels, as in SPIN.
const maxChannels = 255

// namedLocals reports whether channels of processes are values.
func (l *lowering) namedLocals() bool {
	return slices.ContainsFunc(l.an.groups, func(g *group) bool { return g.sym.proc != nil && g.named })
}
