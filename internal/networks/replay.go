package networks

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file replays witnesses under other assignments. A witness excludes an assignment only if its steps are steps there,
// too, state by state but for the places of messages in queues, and end in a deadlock, an overflow or an error there.

// codeOf returns the model under an assignment. If start states send nothing, that with the same number of networks serves.
func (se *searcher) codeOf(of []int, own bool) (*code, error) {
	n := slices.Max(of) + 1
	if c := se.codes[n]; c != nil && !own && !c.starting {
		return c, nil
	}
	m, err := se.src.Read()
	if err != nil {
		return nil, err
	}
	w, err := rewrite(m, se.spec, of, se.src.variant)
	if err != nil {
		return nil, err
	}
	se.codes[n] = newCode(se.ctx, w, model.Compile(m))
	return se.codes[n], nil
}

// mostAgain is how many states are visited to see whether messages wait at the end of a witness under another assignment.
const mostAgain = 5_000

// replays returns the run of a witness under an assignment, and the model that runs it; nil: it does not replay.
func (se *searcher) replays(w *Witness, of []int) (*model.Trace, *code, error) {
	if se.src.variant.waiting {
		if se.sameWaiting(w, of) {
			return w.trace, w.code, nil
		}
		return nil, nil, nil
	}
	c, err := se.codeOf(of, false)
	if err != nil {
		return nil, nil, err
	}
	return c.follow(w, of, mostAgain), c, nil
}

// follow returns the run of a witness under an assignment, or nil; most as in stuck.
func (c *code) follow(w *Witness, of []int, most int) *model.Trace {
	type reached struct {
		run   *model.Trace
		state model.State
	}
	start, _ := c.machine.Start(w.trace.Start)
	if start == nil {
		return nil
	}
	for k, n := range of {
		start[c.assigned.Offset+k] = int64(n)
	}
	if c.image(start) != w.images[0] {
		return nil
	}
	run := *w.trace
	run.StartState, run.Steps = start, nil
	at := []reached{{&run, start}}
	for i, step := range w.trace.Steps {
		var next []reached
		for _, r := range at {
			c.machine.Successors(r.state, func(ch model.Choice, s model.State, v *model.Violation) bool {
				switch want := w.trace.Violation; {
				case ch.Rule != step.Rule || (s == nil) != (step.State == nil):
					return true
				case s == nil && (v.Prop != want.Prop || v.Pos != want.Pos):
					return true
				case s != nil && c.image(s) != w.images[i+1]:
					return true
				}
				s = slices.Clone(s)
				run := *r.run
				run.Steps = append(slices.Clip(run.Steps), model.TraceStep{Choice: ch.Clone(), State: s})
				if s == nil {
					run.Violation = v
				}
				if !slices.ContainsFunc(next, func(r reached) bool { return slices.Equal(r.state, s) }) {
					next = append(next, reached{&run, s})
				}
				return true
			})
		}
		at = next
	}
	for _, r := range at {
		if r.state == nil || c.ends(w, r.state, most) {
			return r.run
		}
	}
	return nil
}

// ends reports whether what a witness shows is so in a state.
func (c *code) ends(w *Witness, s model.State, most int) bool {
	if w.Verdict == Deadlock && c.program.Model.Props[w.trace.Prop].Kind != model.Invariant {
		if len(w.Waiting) == 0 {
			return c.machine.Deadlocked(s)
		}
		waiting, known := c.stuck(s, most)
		return known && len(waiting) > 0
	}
	return c.machine.Violated(s, w.trace.Prop) != nil
}

// sameWaiting is the rule that is not sound: that the messages which wait at the end share networks again.
func (se *searcher) sameWaiting(w *Witness, of []int) bool {
	kinds := lists.Map(w.code.messages(w.trace.End()), func(m message) int { return int(w.code.kindOf(m)) })
	return within(w.of, of, kinds)
}

// under returns a witness as one under an assignment under which it replays.
func (se *searcher) under(w *Witness, of []int) (*Witness, error) {
	c, err := se.codeOf(of, true)
	if err != nil {
		return nil, err
	}
	delete(se.codes, slices.Max(of)+1) // it is in use
	t := c.follow(w, of, mostFollowed)
	if t == nil {
		return nil, fmt.Errorf("networks: internal error: a witness does not replay under %s", se.text(of))
	}
	out := &Witness{Verdict: w.Verdict, Message: w.Message, of: of, trace: t, code: c}
	if out.Verdict == Deadlock && t.End() != nil {
		waiting, _ := c.stuck(t.End(), mostFollowed)
		if len(waiting) == 0 && len(w.Waiting) > 0 { // the time is over
			return w, nil
		}
		c.concludes(t, waiting)
		out.Waiting = lists.Map(waiting, c.text)
		slices.Sort(out.Waiting)
	}
	return out, se.complete(out)
}

// minimise returns a witness of a deadlock with as few merges as it can have: no witness is known under an assignment that
// divides one of its networks in two.
func (se *searcher) minimise(w *Witness) (*Witness, error) {
	if w.Verdict != Deadlock || se.labelled {
		return w, nil
	}
	for again := true; again; {
		again = false
		finer, all := se.divided(w.of)
		for _, of := range finer {
			t, _, err := se.replays(w, of)
			if t != nil && err == nil {
				w, err = se.under(w, of)
			}
			if err != nil || se.ctx.Err() != nil {
				return w, err
			}
			if again = t != nil; again {
				break
			}
		}
		if again {
			continue
		}
		w.Minimal = all
		for _, of := range finer {
			d, err := se.decide(of)
			if err != nil {
				return nil, err
			}
			if w.Minimal = w.Minimal && d.verdict == Free; d.verdict != Deadlock { // others may hide a deadlock
				continue
			}
			if w, err = se.under(d.witness, of); err != nil {
				return nil, err
			}
			again = true
			break
		}
	}
	return w, nil
}

// mostDivided is the most types of a network of which all divisions in two are tried.
const mostDivided = 10

// divided returns the assignments that divide a network in two; all is false if these are too many.
func (se *searcher) divided(of []int) (out [][]int, all bool) {
	all = true
	for n := range slices.Max(of) + 1 {
		group := lists.Where(se.types, func(k int) bool { return of[k] == n })
		add := func(leaves func(i int) bool) {
			finer := slices.Clone(of)
			for i, k := range group {
				if leaves(i) {
					finer[k] = len(of)
				}
			}
			out = append(out, se.ordered(finer))
		}
		if len(group) > mostDivided {
			all = false
			for one := range group {
				add(func(i int) bool { return i == one })
			}
			continue
		}
		for part := 1; part < 1<<max(len(group)-1, 0); part++ {
			add(func(i int) bool { return part>>i&1 == 1 })
		}
	}
	return out, all
}

// ordered numbers networks in order of their first types.
func (se *searcher) ordered(of []int) []int {
	number := map[int]int{}
	out := make([]int, len(of))
	for _, k := range se.types {
		out[k] = lists.Number(number, of[k])
	}
	return out
}
