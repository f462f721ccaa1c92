package litmus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Outcome is how a test ends: what each load returned, in the order of Test.Slots, and the last values of the
// addresses that the condition asks for.
type Outcome []int64

// What a load of a broken protocol may return besides numbers.
const (
	Undefined = -1 - iota
	Other     // a value that no core stores, and not the first one
)

// slot is a place of an outcome.
type slot struct {
	thread int // -1: the address name
	name   string
}

// slots returns what an outcome is about.
func (t *Test) slots() (all []slot) {
	for n, ops := range t.Threads {
		for _, o := range ops {
			if o.Kind == Load {
				all = append(all, slot{n, o.Reg})
			}
		}
	}
	for _, a := range t.memory {
		all = append(all, slot{-1, a})
	}
	return all
}

// Text writes an outcome as herd does.
func (t *Test) Text(o Outcome) string {
	var b strings.Builder
	for i, s := range t.slots() {
		if i > 0 {
			b.WriteString("; ")
		}
		if s.thread >= 0 {
			fmt.Fprintf(&b, "%d:", s.thread)
		}
		fmt.Fprintf(&b, "%s=%s", s.name, map[int64]string{Undefined: "undefined", Other: "another value"}[o[i]])
		if o[i] >= 0 {
			fmt.Fprint(&b, o[i])
		}
	}
	return cmp.Or(b.String(), "the end")
}

// Holds reports whether the condition holds of an outcome.
func (t *Test) Holds(o Outcome) bool {
	return t.holds != nil && t.holds(func(thread int, name string) int64 { return o[slices.Index(t.slots(), slot{thread, name})] })
}

// Outcomes returns how a test may end if each core performs its instructions in order on one memory (SC), or, if
// buffered, has a first-in first-out buffer of stores from which it reads first, and which a fence empties (TSO; Owens,
// Sarkar and Sewell, TPHOLs 2009).
func (t *Test) Outcomes(buffered bool) []Outcome {
	type machine struct {
		pc, drained []int
		memory, got []int64
	}
	slots := t.slots()
	found, seen := map[string]Outcome{}, map[string]bool{}
	var run func(m machine)
	run = func(m machine) {
		key := fmt.Sprint(m)
		if seen[key] {
			return
		}
		seen[key] = true
		next := func(change func(m *machine)) {
			n := machine{slices.Clone(m.pc), slices.Clone(m.drained), slices.Clone(m.memory), slices.Clone(m.got)}
			change(&n)
			run(n)
		}
		done := true
		for p, ops := range t.Threads {
			waiting := t.stores(p, m.pc[p])[m.drained[p]:]
			if len(waiting) > 0 {
				done = false
				next(func(n *machine) {
					n.memory[ops[waiting[0]].Address] = ops[waiting[0]].Value
					n.drained[p]++
				})
			}
			if m.pc[p] == len(ops) {
				continue
			}
			done = false
			switch o := ops[m.pc[p]]; {
			case o.Kind == Fence && len(waiting) > 0:
			case o.Kind == Store && !buffered:
				next(func(n *machine) { n.pc[p]++; n.drained[p]++; n.memory[o.Address] = o.Value })
			case o.Kind == Load:
				v := m.memory[o.Address]
				for _, w := range waiting {
					if ops[w].Address == o.Address {
						v = ops[w].Value
					}
				}
				next(func(n *machine) { n.pc[p]++; n.got[slices.Index(slots, slot{p, o.Reg})] = v })
			default:
				next(func(n *machine) { n.pc[p]++ })
			}
		}
		if done {
			out := slices.Clone(m.got)
			for i, s := range slots {
				if s.thread < 0 {
					out[i] = m.memory[t.address(s.name)]
				}
			}
			found[fmt.Sprint(out)] = out
		}
	}
	run(machine{make([]int, len(t.Threads)), make([]int, len(t.Threads)), make([]int64, len(t.Addresses)), make([]int64, len(slots))})
	return slices.SortedFunc(maps.Values(found), func(a, b Outcome) int { return slices.Compare(a, b) })
}

// stores returns which of the first instructions of a core are stores.
func (t *Test) stores(thread, first int) (all []int) {
	for i, o := range t.Threads[thread][:first] {
		if o.Kind == Store {
			all = append(all, i)
		}
	}
	return all
}
