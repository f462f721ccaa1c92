package prog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// A trail is what SPIN's verifier writes of a counterexample: a line for each statement, with
// its number in the trail, the process and the number of the statement. SPIN numbers the
// statements of a program in the order in which it reads them. These lines are not about statements:
//
//	-2:c:-2   there is a claim, number c. It is process 0, and other processes have one more
//	-4:-4:-4  a statement may stand for those behind it as well, as SPIN merged them
//	-1:-1:-1  a cycle begins here
//
// A trail does not say what is violated. One to an invalid end state may name, behind the way there, a statement that
// cannot be taken. Reading it fires the rules whose statements it names.
// Where statements were merged, the process goes on as long as it is not where the next
// line of it begins.

// entry is a line of a trail.
type entry struct {
	line     int
	pid, id  int64
	followed bool // by another line of the same process
}

var trailLine = regexp.MustCompile(`^\s*(-?\d+):(-?\d+):(-?\d+)\s*$`)

// IsTrail reports whether a text looks like a trail of SPIN. One to a violation at the start is empty.
func IsTrail(text []byte) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(string(text), " \t\r\n"), "\n")
	return first == "" || trailLine.MatchString(first)
}

// splitTrail reads the lines of a trail. Those of a claim are left out.
func splitTrail(file string, text []byte) (entries []entry, merged bool, err error) {
	n, claim := 0, int64(0)
	for line := range strings.Lines(string(text)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := trailLine.FindStringSubmatch(line)
		if m == nil {
			return nil, false, fmt.Errorf("%s:%d:1: a line of a trail is three numbers, with colons between them", file, n)
		}
		var v [3]int64
		for i := range v {
			if v[i], err = strconv.ParseInt(m[i+1], 10, 32); err != nil {
				return nil, false, fmt.Errorf("%s:%d:1: %s is no number that fits 32 bits", file, n, m[i+1])
			}
		}
		switch {
		case v[0] == -2:
			claim = 1
		case v[0] == -4:
			merged = true
		case v[0] == -1:
			return nil, false, fmt.Errorf("%s:%d:1: the trail is a cycle; those are not replayed", file, n)
		case v[0] < 0:
			return nil, false, fmt.Errorf("%s:%d:1: the trail is of a search that permutes processes or transitions; those are not replayed", file, n)
		case v[1] >= claim:
			entries = append(entries, entry{line: n, pid: v[1] - claim, id: v[2]})
		}
	}
	last := map[int64]bool{}
	for i := len(entries) - 1; i >= 0; i-- {
		entries[i].followed = last[entries[i].pid]
		last[entries[i].pid] = true
	}
	return entries, merged, nil
}

// ReadTrail reads a trail of SPIN's verifier; file is used in messages only. The result
// satisfies model.Program.Replay of code, which is the compiled p.Model. An error begins with file:line:col, where the
// trail leaves the program.
func (p *Program) ReadTrail(code *model.Program, file string, text []byte) (*model.Trace, error) {
	if p.DSPIN {
		return nil, fmt.Errorf("%s: a trail is of SPIN, which has no references, semaphores, mutexes and conditions", file)
	}
	entries, merged, err := splitTrail(file, text)
	if err != nil {
		return nil, err
	}
	r := &trailReader{p: p, m: code.NewMachine(), entries: entries, merged: merged, failed: map[string]bool{},
		begins: map[int64][]int{}, at: map[location]map[int64]bool{}, silent: map[location][]int{}}
	for i, e := range p.Edges {
		if len(e.Parts) == 0 {
			continue
		}
		first := e.Parts[0]
		r.begins[first.ID] = append(r.begins[first.ID], i)
		if e.Kind != Halt && len(e.Actors) == 1 {
			l := location{e.Proto, first.From}
			r.silent[l] = append(r.silent[l], i)
		}
		for _, q := range e.Parts {
			l := location{e.Actors[q.Actor], q.From}
			if r.at[l] == nil {
				r.at[l] = map[int64]bool{}
			}
			r.at[l][q.ID] = true
		}
	}
	s, v := r.m.Start(model.Choice{})
	t := &model.Trace{StartState: s, Violation: v}
	if v != nil {
		t.Prop = v.Prop
		return t, nil
	}
	if r.search(t, s, 0, nil) {
		return t, nil
	}
	if r.where == 0 {
		r.where, r.why = 1, "the trail is empty"
	}
	return nil, fmt.Errorf("%s:%d:1: %s", file, r.where, r.why)
}

// location is a proctype, and where a process of it is.
type location struct{ proto, from int }

type trailReader struct {
	p       *Program
	m       *model.Machine
	entries []entry
	merged  bool

	begins map[int64][]int             // by number of the first statement: the rules
	at     map[location]map[int64]bool // the numbers of statements there
	silent map[location][]int          // rules of one process that begin there
	failed map[string]bool             // state, entry and moved processes from which the rest fails
	steps  int

	where int // line of the failure that came latest in the trail
	why   string
}

// maxTrailSteps bounds the rules that are tried to follow a trail.
const maxTrailSteps = 1_000_000

func (r *trailReader) fail(i int, format string, args ...any) bool {
	line := 0
	switch {
	case i < len(r.entries):
		line = r.entries[i].line
	case i > 0:
		line = r.entries[i-1].line
	}
	if line > r.where {
		r.where, r.why = line, fmt.Sprintf(format, args...)
	}
	return false
}

// search extends t, which ends in s, by the entries from i. The processes in moved took part
// in the step before, and may go on without an entry.
func (r *trailReader) search(t *model.Trace, s model.State, i int, moved []int64) bool {
	key := fmt.Sprint(s, i, moved)
	if r.failed[key] {
		return false
	}
	r.failed[key] = true // unless it succeeds, and then nobody asks
	if r.merged {
		for _, pid := range moved {
			if k := slices.IndexFunc(r.entries[i:], func(e entry) bool { return e.pid == pid }); k >= 0 {
				if l, ok := r.locate(s, pid); ok && !r.at[l][r.entries[i+k].id] {
					return r.goOn(t, s, i, pid) || i == len(r.entries)-1 && r.stuck(t, s)
				}
			}
		}
	}
	if i == len(r.entries) {
		return r.end(t, s)
	}
	return r.take(t, s, i) || i == len(r.entries)-1 && r.stuck(t, s)
}

// stuck reports whether s is an invalid end state. A breadth-first search writes the statement that it tried last, in vain,
// behind the way there.
func (r *trailReader) stuck(t *model.Trace, s model.State) bool {
	q := r.p.Model.DeadlockProp()
	if q == nil || !r.m.Deadlocked(s) {
		return false
	}
	t.Prop, t.Violation = q.Index, &model.Violation{Prop: q.Index}
	return true
}

// take extends t, which ends in s, by entry i and those behind it.
func (r *trailReader) take(t *model.Trace, s model.State, i int) bool {
	e := r.entries[i]
	found := false
	for _, kind := range []Kind{Check, Step} {
		for _, rule := range r.begins[e.id] {
			if r.p.Edges[rule].Kind != kind {
				continue
			}
			found = true
			for _, w := range r.ways(rule, i) {
				if kind == Check && i+w.entries < len(r.entries) {
					continue
				}
				if r.fire(t, s, i, w) {
					return true
				}
			}
		}
	}
	if !found {
		return r.fail(i, "no step of the program begins with statement %d", e.id)
	}
	return r.fail(i, "process %d cannot take statement %d here", e.pid, e.id)
}

// way is a rule instance that agrees with some entries.
type way struct {
	choice  model.Choice
	entries int
}

// ways returns the instances of a rule whose statements are those of the entries from i.
func (r *trailReader) ways(rule, i int) []way {
	edge := r.p.Edges[rule]
	params := slices.Repeat([]int64{-1}, len(edge.Actors))
	k := i
	fixed := edge.Parts[:len(edge.Parts)-edge.Turns]
	for n, q := range fixed {
		switch {
		case k < len(r.entries) && r.entries[k].id == q.ID && (params[q.Actor] < 0 || params[q.Actor] == r.entries[k].pid):
			params[q.Actor] = r.entries[k].pid
			k++
		case r.merged && n > 0 && params[q.Actor] >= 0: // merged into one before
		default:
			return nil
		}
	}
	ends := []int{k}
	if edge.Turns > 0 { // any number of statements of the loop, as many as possible first
		loop := edge.Parts[len(edge.Parts)-edge.Turns:]
		pid := params[loop[0].Actor]
		for ; k < len(r.entries) && r.entries[k].pid == pid; k++ {
			if !slices.ContainsFunc(loop, func(q Part) bool { return q.ID == r.entries[k].id }) {
				break
			}
			ends = append(ends, k+1)
		}
		slices.Reverse(ends)
	}
	return lists.Map(ends, func(k int) way { return way{model.Choice{Rule: rule, Params: params}, k - i} })
}

// fire takes a way from s, and goes on; t is as before if that fails.
func (r *trailReader) fire(t *model.Trace, s model.State, i int, w way) bool {
	if r.steps++; r.steps > maxTrailSteps {
		return r.fail(i, "the trail was not followed in %d steps", maxTrailSteps)
	}
	next, enabled, v := r.m.Fire(s, w.choice)
	if v == nil && !enabled {
		return false
	}
	n := len(t.Steps)
	t.Steps = append(t.Steps, model.TraceStep{Choice: w.choice, State: next})
	if v != nil {
		if t.Violation, t.Prop = v, v.Prop; i+w.entries == len(r.entries) {
			return true
		}
		r.fail(i, "errs before the end of the trail: %v", v)
	} else if r.search(t, next, i+w.entries, w.choice.Params) {
		return true
	}
	t.Steps, t.Violation = t.Steps[:n], nil
	return false
}

// goOn lets a process that has moved go on without an entry.
func (r *trailReader) goOn(t *model.Trace, s model.State, i int, pid int64) bool {
	l, ok := r.locate(s, pid)
	if !ok {
		return false
	}
	for _, rule := range r.silent[l] {
		if r.p.Edges[rule].Kind == Step && r.fire(t, s, i, way{model.Choice{Rule: rule, Params: []int64{pid}}, 0}) {
			return true
		}
	}
	return r.fail(i, "process %d does not come to the statement of its next line", pid)
}

// end looks for a violation in s, or behind statements that were merged.
func (r *trailReader) end(t *model.Trace, s model.State) bool {
	for _, q := range r.p.Model.Props {
		var v *model.Violation
		switch q.Kind {
		case model.Invariant:
			v = r.m.Violated(s, q.Index)
		case model.Deadlock:
			if r.stuck(t, s) {
				return true
			}
		}
		if v != nil {
			t.Prop, t.Violation = v.Prop, v
			return true
		}
	}
	if r.merged {
		for _, e := range r.entries {
			if l, ok := r.locate(s, e.pid); ok && !e.followed {
				for _, rule := range r.silent[l] {
					if r.fire(t, s, len(r.entries), way{model.Choice{Rule: rule, Params: []int64{e.pid}}, 0}) {
						return true
					}
				}
			}
		}
	}
	return r.fail(len(r.entries), "the trail ends in a state that violates nothing")
}

// locate returns where a process is; ok is false if it does not exist.
func (r *trailReader) locate(s model.State, pid int64) (l location, ok bool) {
	for i, q := range r.p.Protos {
		if n := q.Location(s, pid); n > 0 {
			return location{i, n}, true
		}
	}
	return l, false
}

// WriteTrail writes a trace as a trail, for `spin -t`. How often a loop runs inside of a step is known from
// the second interpreter.
func (p *Program) WriteTrail(w io.Writer, t *model.Trace) error {
	if p.DSPIN {
		return errors.New("a trail is for SPIN, which has no references, semaphores, mutexes and conditions")
	}
	b := bufio.NewWriter(w)
	n := 0
	var taken [][]int
	for i, step := range t.Steps {
		e := p.Edges[step.Rule]
		parts := e.Parts
		if e.Turns > 0 {
			if taken == nil {
				var err error
				if taken, err = p.Reference().Parts(t); err != nil {
					return fmt.Errorf("step %d runs a loop, and what that does is not known: %w", i+1, err)
				}
			}
			if len(taken[i]) == 0 {
				return fmt.Errorf("step %d runs a loop, and what that does is not known", i+1)
			}
			parts = lists.Map(taken[i], func(k int) Part { return e.Parts[k] })
		}
		for _, q := range parts {
			if q.ID < 0 {
				return fmt.Errorf("step %d: SPIN's number of the statement %q is not known", i+1, q.Text)
			}
			n++
			fmt.Fprintf(b, "%d:%d:%d\n", n, step.Params[q.Actor], q.ID)
		}
	}
	return b.Flush()
}
