package promela

import "orbitmc/internal/prog"

// Variables of processes begin with 0, like all others. If some process is handed the number 0, that tells it apart, although
// nobody looks at the 0. So where steps take values away from variables that are dead (prog.Reset), those that are dead where
// a process begins have no value there.

// findDead adds these variables to those without a value, and reports whether there are any.
func (l *lowering) findDead() bool {
	l.f.unset = map[*sym]bool{}
	steps, err := prog.NewSteps(l.p, l.m)
	for i, q := range l.procs {
		if err != nil || q.v == nil {
			continue
		}
		for s, field := range q.fields {
			if code, ok := literal(q.code(q.start)); ok && !s.param && steps.Dead(i, code, field) {
				l.f.unset[s] = true
			}
		}
	}
	return len(l.f.unset) > 0
}
