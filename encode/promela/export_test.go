package promela

import (
	"fmt"

	"orbitmc/internal/fault"
	"orbitmc/internal/prog"
)

// Explore visits all states of a program with the walker, and counts what SPIN's verifier counts.
func Explore(file string, src []byte, most int) (c prog.Counts, err error) {
	defer fault.Catch[*Error](&err)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case walkUncovered, walkFault:
			err = fmt.Errorf("not covered: %v", r)
		default:
			panic(r)
		}
	}()
	w := newWalker(parse(preprocess(&source{file, string(src)}, Options{}, unnoted), Options{NoClaims: true}), false)
	c.Transitions = 1
	seen := map[string]bool{}
	var queue []*walkState
	add := func(s *walkState) {
		if k := s.key(); !seen[k] {
			seen[k] = true
			queue = append(queue, s)
		}
	}
	add(w.start())
	for ; len(queue) > 0; queue = queue[1:] {
		var step func(moves []walkMove)
		step = func(moves []walkMove) { // up to where no process is in control
			for _, m := range moves {
				if m.fault != "" {
					panic(walkFault(m.fault))
				}
				c.Errors += int64(len(m.failed))
				if m.next.holder >= 0 {
					step(w.steps(m.next))
					continue
				}
				c.Transitions++
				add(m.next)
			}
		}
		moves := w.steps(queue[0])
		if len(moves) == 0 && !queue[0].ended() {
			c.Errors++
		}
		if step(moves); len(seen) > most || w.work > 100*most {
			return c, fmt.Errorf("more than %d states", most)
		}
	}
	c.States = int64(len(seen))
	return c, nil
}
