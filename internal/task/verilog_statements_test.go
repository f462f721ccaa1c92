package task

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/encode/btor2"
	"orbitmc/internal/explicit/netlist"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// machine has two bits of state and an input. Functions are tables by state + 4*input.
type machine struct {
	next               [8]int // the state after a step
	enabled, condition uint8  // of the statement
	due, fair          uint8  // an assumption with eventually: where it is reached, and its condition
	assumed            bool
	lines              []string
}

func (m *machine) line(format string, args ...any) string {
	m.lines = append(m.lines, fmt.Sprintf("%d "+format, append([]any{len(m.lines) + 1}, args...)...))
	return fmt.Sprint(len(m.lines))
}

// table writes a function of state and input.
func (m *machine) table(is func(x int) bool) string {
	var tree func(x, bits int) string
	tree = func(x, bits int) string {
		if bits == 3 {
			if is(x) {
				return "3"
			}
			return "2"
		}
		on := []string{"4", "5", "6"}[bits]
		return m.line("ite 1 %s %s %s", on, tree(x|1<<bits, bits+1), tree(x, bits+1))
	}
	return tree(0, 0)
}

// text writes the machine as yosys does, statements as assertions.
func (m *machine) text() string {
	m.lines = nil
	for _, l := range []string{"sort bitvec 1", "zero 1", "one 1", "state 1 low", "state 1 high", "input 1 in", "init 1 4 2", "init 1 5 2"} {
		m.line("%s", l)
	}
	for bit, s := range []string{"4", "5"} {
		m.line("next 1 %s %s", s, m.table(func(x int) bool { return m.next[x]>>bit&1 == 1 }))
	}
	statement := func(name string, enabled, condition uint8) {
		on := m.table(func(x int) bool { return enabled>>x&1 == 1 })
		not := m.line("not 1 %s", m.table(func(x int) bool { return condition>>x&1 == 1 }))
		m.line("bad %s %s", m.line("and 1 %s %s", on, not), name)
	}
	statement("it", m.enabled, m.condition)
	if m.assumed {
		statement("fair", m.due, m.fair)
	}
	return strings.Join(m.lines, "\n") + "\n"
}

// point is where a run is: its state, whether something that is assumed to come has not come yet, and what was seen since
// the loop began: what is assumed came, nothing of it fell due.
type point struct {
	state           int
	waits, came, no bool
}

// steps returns the points after a step, and calls f with the number of the step in the tables.
func (m *machine) steps(p point, f func(x int, q point)) {
	for in := range 2 {
		x := p.state + 4*in
		q := point{m.next[x], p.waits, p.came, p.no}
		if m.assumed {
			due, fair := m.due>>x&1 == 1, m.fair>>x&1 == 1
			q.waits, q.came, q.no = (p.waits || due) && !fair, p.came || fair, p.no && (!due || fair)
		}
		f(x, q)
	}
}

// reach returns the points behind some, by steps that are allowed.
func (m *machine) reach(from []point, allowed func(x int) bool) map[point]bool {
	met := make(map[point]bool)
	for len(from) > 0 {
		p := from[len(from)-1]
		from = from[:len(from)-1]
		m.steps(p, func(x int, q point) {
			if allowed(x) && !met[q] {
				met[q] = true
				from = append(from, q)
			}
		})
	}
	return met
}

// answers decides the statement by what it means: a cover is hit by some run, and an assertion with eventually is violated
// by a run that meets the assumption.
func (m *machine) answers() (hit, violated bool) {
	any := func(int) bool { return true }
	without := func(x int) bool { return m.condition>>x&1 == 0 }
	reached := m.reach([]point{{}}, any)
	reached[point{}] = true
	for p := range reached {
		m.steps(p, func(x int, q point) {
			if m.enabled>>x&1 == 0 {
				return
			}
			hit = hit || !without(x)
			if !without(x) {
				return
			}
			after := m.reach([]point{q}, without)
			after[q] = true
			for at := range after {
				loop := m.reach([]point{{at.state, at.waits, false, true}}, without)
				violated = violated || loop[point{at.state, at.waits, true, true}] || loop[point{at.state, at.waits, true, false}] ||
					!at.waits && loop[point{at.state, false, false, true}]
			}
		})
	}
	return hit, violated
}

// TestStatements compares covers and s_eventually with what they mean, on machines by chance.
func TestStatements(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	counts := make(map[string]int)
	for n := range 3000 {
		m := &machine{enabled: uint8(r.Uint32()), condition: uint8(r.Uint32() & r.Uint32()), due: uint8(r.Uint32() & r.Uint32()), fair: uint8(r.Uint32() & r.Uint32()), assumed: n%3 > 0}
		for x := range m.next {
			m.next[x] = r.IntN(4)
		}
		kinds := map[string]string{"it": []string{"$cover", "$live", "$live", "$assert"}[n%4], "fair": "$fair"}
		text, covers, err := statements([]byte(m.text()), kinds)
		if err != nil {
			t.Fatal(err)
		}
		f, err := btor2.Read(context.Background(), text, "machine.btor2")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sys, lassos := f.Sys, (*ts.Lassos)(nil)
		if len(f.Justice) > 0 {
			lassos = ts.NewLassos(f.Sys, f.Justice, f.Fair)
			sys = lassos.Sys
		}
		p := mc.NewNetlist(sys, lassos)
		p.Covers, p.Props, p.WellFormed = covers, []int{0}, true
		got, err := (&netlist.Engine{}).Run(context.Background(), p, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hit, violated := m.answers()
		want := mc.Safe
		switch kinds["it"] {
		case "$cover":
			if !hit {
				want = mc.Unsafe
			}
		case "$live":
			if violated {
				want = mc.Unsafe
			}
		default:
			if m.fails() {
				want = mc.Unsafe
			}
		}
		if p.Kind(0) == model.Cover != (kinds["it"] == "$cover") || got.Props[0].Status != want {
			t.Fatalf("machine %d, %s: %v, want %v\n%s", n, kinds["it"], got.Props[0].Status, want, text)
		}
		counts[fmt.Sprintf("%s %v %v", kinds["it"], m.assumed, want)]++
	}
	for _, kind := range []string{"$cover false", "$live false", "$live true", "$assert false"} {
		for _, s := range []mc.Status{mc.Safe, mc.Unsafe} {
			if key := fmt.Sprintf("%s %v", kind, s); counts[key] < 10 {
				t.Errorf("%s only %d times", key, counts[key])
			}
		}
	}
}

// fails reports whether an assertion fails in some run.
func (m *machine) fails() bool {
	n := *m
	n.condition = ^n.condition
	hit, _ := n.answers()
	return hit
}
