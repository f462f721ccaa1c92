package typing_test

import (
	"fmt"
	"slices"
	"testing"

	"orbitmc/detect/typing"
	"orbitmc/internal/certify/states"
	"orbitmc/mc"
	"orbitmc/model"
)

// threeValues is a model of a class with the values A, M and B, in this order. Its loop names M, so
// its body is asymmetric by form: A and B are interchangeable at most.
func threeValues(body, rules string) string {
	return `type V: enum {A, M, B};
var s: V; n: 0..9; b: array [V] of boolean; ms: multiset [2] of V;
startstate s := M; n := 0; for i: V do b[i] := false; end; end;
ruleset v: V do rule "flip" b[v] := !b[v]; end; end;
` + fmt.Sprintf(rules, body)
}

const (
	looped = `rule "loop" for i: V do %s end; end;`
	paired = `ruleset v: V; w: V do rule "pair" alias i: v do %[1]s end; alias i: w do %[1]s end; end; end;`
)

// reachable returns the states of a model.
func reachable(m *model.Model) (states []model.State, p *model.Program) {
	p = model.Compile(m)
	mach, seen := p.NewMachine(), make(map[string]bool)
	meet := func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil && !seen[fmt.Sprint(s)] {
			seen[fmt.Sprint(s)] = true
			states = append(states, slices.Clone(s))
		}
		return true
	}
	mach.Starts(meet)
	for at := 0; at < len(states); at++ {
		mach.Successors(states[at], meet)
	}
	return states, p
}

// commute reports whether the turns of two values lead to one state in either order, from every
// reachable state.
func commute(t *testing.T, body string, v, w int64) bool {
	t.Helper()
	m := parse(t, threeValues(body, paired), model.CMurphi)
	states, p := reachable(m)
	mach := p.NewMachine()
	for _, s := range states {
		var ends []string
		mach.Successors(s, func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if q := ch.Params; len(q) == 2 && (q[0] == v && q[1] == w || q[0] == w && q[1] == v) {
				ends = append(ends, fmt.Sprint(next))
			}
			return true
		})
		if len(ends) != 2 {
			t.Fatalf("%d pairs of turns", len(ends))
		}
		if ends[0] != ends[1] {
			return false
		}
	}
	return true
}

// TestTurnsThatAreNotAdjacent: the turns of A and M commute, and those of M and B. The turns of A
// and B need not. A rule that looks at adjacent turns only takes the exchange of A and B for a
// symmetry of a loop that keeps what the last turn leaves. Both derivations refuse that, and accept the
// loops in which all turns commute.
func TestTurnsThatAreNotAdjacent(t *testing.T) {
	for _, c := range []struct {
		body      string
		symmetric bool
	}{
		{"if i != M then s := i; end;", false},
		{"if i != M & b[i] then s := i; end;", false},
		{"if i != M & s != i then s := i; end;", false},
		{"if i != M & multisetcount(k: ms, true) = 0 then multisetadd(i, ms); end;", false},
		{"switch i case M: n := n; else s := i; end;", false},
		{"if i != M then b[i] := true; else s := M; end;", true},
		{"if i != M & b[i] then s := M; end;", true},
	} {
		m := parse(t, threeValues(c.body, looped), model.CMurphi)
		class := slices.IndexFunc(m.Scalarsets, func(y *model.Type) bool { return y.Card() == 3 })
		if class < 0 {
			t.Fatal("V is no class")
		}
		if !commute(t, c.body, 0, 1) || !commute(t, c.body, 1, 2) {
			t.Errorf("%s: adjacent turns do not commute", c.body)
		}
		if commute(t, c.body, 0, 2) != c.symmetric {
			t.Errorf("%s: the turns of A and B commute: %v", c.body, !c.symmetric)
		}
		// The claim of a rule that looks at adjacent turns only.
		claim := &typing.Report{Classes: make([]typing.Class, len(m.Scalarsets))}
		blocks := make([][][]int, len(m.Scalarsets))
		blocks[class] = [][]int{{0, 2}, {1}}
		claim.Classes[class] = typing.Class{Rules: typing.Finding{Blocks: blocks[class]}, Props: make([]typing.Finding, len(m.Props))}
		k := newChecker(m, claim)
		k.most = 1000
		if difference := k.run(); (difference == "") != c.symmetric {
			t.Errorf("%s: difference from the image: %q", c.body, difference)
		}
		got := typing.Check(m).Classes[class].Rules.Blocks
		if shown := slices.ContainsFunc(got, func(b []int) bool { return slices.Equal(b, []int{0, 2}) }); shown != c.symmetric {
			t.Errorf("%s: blocks %v", c.body, got)
		}
		if _, _, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: m}}, blocks, []int{m.Runtime().Index}); (err == nil) != c.symmetric {
			t.Errorf("%s: the second derivation: %v", c.body, err)
		}
	}
}
