package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/model"
)

// randomModel returns a model of components with a state, a one-place channel and a network each.
func randomModel(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	state, kind := func() string { return pick("A", "B", "C") }, func() string { return pick("Ping", "Pong") }
	var guard, action func(depth int) string
	guard = func(depth int) string {
		if depth > 0 && r.IntN(2) == 0 {
			return "(" + guard(depth-1) + pick(" & ", " | ") + guard(depth-1) + ")"
		}
		return pick("state[p] = "+state(), "state[p] = "+state(), "box[p] = "+kind(), "box[p] = None", "x = "+pick("0", "1"), "p = q", "p != q",
			"state[q] = "+state(), "multisetcount(n: net[p], net[p][n].kind = "+kind()+") > 0", "isundefined(box[q])")
	}
	action = func(depth int) string {
		if depth > 0 && r.IntN(3) == 0 {
			return "if " + guard(1) + " then " + action(depth-1) + " else " + action(depth-1) + " end; "
		}
		return pick("state[p] := "+state()+"; ", "state[q] := "+state()+"; ", "box[p] := None; ", "box[q] := "+kind()+"; ", "undefine box[p]; ", "x := 1 - x; ",
			"send("+kind()+", q, net[p]); ", "send("+kind()+", p, net[q]); ", "assert state[q] != "+state()+"; ")
	}
	text := `type P: scalarset(2); K: enum {None, Ping, Pong}; S: enum {A, B, C}; M: record kind: K; src: P; end; N: multiset[2] of M;
var state: array[P] of S; box: array[P] of K; net: array[P] of N; x: 0..1;
procedure send(k: K; s: P; var n: N); var m: M; begin
  if multisetcount(i: n, true) < 2 then m.kind := k; m.src := s; multisetadd(m, n); end; end;
startstate for p: P do state[p] := A; box[p] := None; end; undefine net; x := 0; end;
`
	for i := range 3 {
		text += fmt.Sprintf("ruleset p: P; q: P do rule \"event %d\" %s ==> begin %send; end;\n", i, guard(1), action(1)+action(1))
	}
	for i := range 2 {
		take := pick("multisetremove(m, net[p]); ", "multisetremove(m, net[p]); ", "x := 1 - x; ", "multisetremovepred(n: net[p], net[p][n].kind = "+kind()+"); ")
		text += fmt.Sprintf("ruleset p: P do choose m: net[p] do rule \"take %d\" net[p][m].kind = %s ==> begin alias q: net[p][m].src do %send; %send; end; end;\n",
			i, kind(), action(1)+action(1), take)
	}
	return text
}

// TestRandom compares tables of random models with all steps of all states: a component changes as some cell of its row
// says, a cell is about some step, a message waits where there is a cell. Symmetry changes nothing.
func TestRandom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	steps, errs, stalls := 0, 0, 0
	for seed := range uint64(40) {
		text := randomModel(rand.New(rand.NewPCG(seed, 0)))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		few, all := search(t, file, symmetric), search(t, file, explicit.Options{})
		var tables [2]*Table
		for i, src := range []Source{few, all} {
			var err error
			if tables[i], err = Collect(context.Background(), src, Spec{Row: "state[p]", Columns: []string{"box[p]", "net[p][m].kind"}}, never); err != nil {
				t.Fatal(err)
			}
		}
		if d := tables[0].Compare(tables[1]); len(d) > 0 {
			t.Fatalf("symmetry changes the table: %v\n%s", d, text)
		}
		told, seen := map[string]bool{}, map[string]bool{} // changes and errors of a row, messages that wait there
		for _, c := range tables[0].Cells {
			if c.Column == "Ping" || c.Column == "Pong" {
				told[c.Row+" has "+c.Column] = true
			}
			for _, o := range c.Outcomes {
				switch {
				case o.Kind == "stall":
					stalls++
				case o.Kind == "error":
					told[c.Row+" errs at "+o.at.String()] = true
				case o.Next != c.Row:
					told[c.Row+" to "+o.Next] = true
				}
				if _, run, err := tables[0].Witness(c, o); err != nil || len(run.Steps) != o.Depth {
					t.Fatalf("%s, %s: %v\n%s", c.Row, c.Column, err, text)
				}
			}
		}
		m := all.Program.Model
		leaves, packer, s := m.AllLeaves(), model.NewPacker(m), make(model.State, m.Leaves())
		machine := all.Program.NewMachine()
		for i := range all.States.Len() {
			packer.Unpack(all.States.Member(i), s)
			for k, l := range leaves {
				for j, row := range leaves {
					if row.Var.Name != "state" {
						continue
					}
					a := row.Type.Format(s[j])
					if v := l.Type.Format(s[k]); len(l.Indices) > 0 && l.Indices[0].Value == row.Indices[0].Value && (v == "Ping" || v == "Pong") {
						seen[a+" has "+v] = true
					}
				}
			}
			machine.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
				for j, row := range leaves {
					switch a := row.Type.Format(s[j]); {
					case row.Var.Name != "state":
					case v != nil:
						for i, q := range all.Program.Model.Rules[ch.Rule].Params {
							if q.Var.Type == row.Indices[0].Type && ch.Params[i] == row.Indices[0].Value {
								seen[a+" errs at "+v.Pos.String()] = true
							}
						}
					case s[j] != next[j]:
						seen[a+" to "+row.Type.Format(next[j])] = true
						steps++
					}
				}
				if v != nil {
					errs++
				}
				return true
			})
		}
		for what := range seen {
			if !told[what] && !strings.Contains(what, "errs") { // a rule may err that does not look at the state
				t.Fatalf("%s: not in the table\n%s", what, text)
			}
		}
		for what := range told {
			if !seen[what] {
				t.Fatalf("%s: only in the table\n%s", what, text)
			}
		}
	}
	if steps < 1000 || errs < 100 || stalls < 20 {
		t.Errorf("%d changes, %d errors, %d stalls", steps, errs, stalls)
	}
}
