package param

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/internal/pace"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// quorums makes random models of two classes, nodes and sets of them, with assumptions about the sets.
type quorums struct {
	*rand.Rand
	in    map[string][]string // variables in scope, by type
	index int
}

func (qu *quorums) pick(all ...string) string { return all[qu.IntN(len(all))] }

// other is a variable of a type; "" if there is none.
func (qu *quorums) other(typ string) string {
	if len(qu.in[typ]) == 0 {
		return ""
	}
	return qu.pick(qu.in[typ]...)
}

func (qu *quorums) cond(depth int) string {
	p, q := qu.other("P"), qu.other("Q")
	if depth > 0 {
		switch k := qu.IntN(8); {
		case k == 0:
			return fmt.Sprintf("(%s & %s)", qu.cond(depth-1), qu.cond(depth-1))
		case k == 1:
			return fmt.Sprintf("(%s | %s)", qu.cond(depth-1), qu.cond(depth-1))
		case k == 2:
			return fmt.Sprintf("!(%s)", qu.cond(depth-1))
		case k == 3 && p != "" && q != "":
			return fmt.Sprintf("(mem[%s][%s] -> %s)", q, p, qu.cond(depth-1))
		case k < 7 || p == "" && q == "":
			typ := qu.pick("P", "Q")
			qu.index++
			v := fmt.Sprintf("x%d", qu.index)
			qu.in[typ] = append(qu.in[typ], v)
			body := qu.cond(depth - 1)
			qu.in[typ] = qu.in[typ][:len(qu.in[typ])-1]
			return fmt.Sprintf("(%s %s: %s do %s end)", qu.pick("forall", "exists"), v, typ, body)
		}
	}
	switch k := qu.IntN(6); {
	case k < 2 && p != "" && q != "":
		return fmt.Sprintf("mem[%s][%s]", q, p)
	case k == 2 && p != "":
		return fmt.Sprintf("%s = %s", p, qu.other("P"))
	case k == 3 && q != "":
		return fmt.Sprintf("mark[%s]", q)
	case k == 4 && q != "":
		return fmt.Sprintf("%s = %s", q, qu.other("Q"))
	case p != "":
		return fmt.Sprintf("st[%s] %s %s", p, qu.pick("=", "!="), qu.pick("A", "B"))
	}
	return qu.pick("flag", "!flag")
}

func (qu *quorums) model() string {
	var b strings.Builder
	b.WriteString(`const N: 2; M: 2; type P: scalarset(N); Q: scalarset(M); E: enum {A, B};
var mem: array [Q] of array [P] of boolean; st: array [P] of E; mark: array [Q] of boolean; flag: boolean; tick: boolean;
startstate begin for q: Q do for p: P do mem[q][p] := true; end; mark[q] := false; end; for p: P do st[p] := A; end; flag := false; tick := false; end;
rule "tick" true ==> begin tick := !tick; end;
`)
	fmt.Fprintf(&b, "ruleset p: P; q: Q do rule \"leave\" %s ==> begin mem[q][p] := false; end; end;\n", qu.pick("!flag", "!mark[q]", "st[p] = A"))
	if qu.IntN(3) > 0 { // something like an election
		guard := qu.pick("forall p: P do mem[q][p] -> st[p] = B end", "exists p: P do mem[q][p] & st[p] = B end", "forall r: Q do exists p: P do mem[q][p] & mem[r][p] & st[p] = B end end")
		fmt.Fprintf(&b, "ruleset q: Q do rule \"elect\" %s ==> begin mark[q] := true; %send; end;\n", guard, qu.pick("", "flag := true; "))
		fmt.Fprintf(&b, "ruleset p: P do rule \"vote\" true ==> begin st[p] := B; end; end;\n")
		fmt.Fprintf(&b, "invariant \"held\" forall q: Q do mark[q] -> %s end;\n", guard)
		fmt.Fprintf(&b, "invariant \"some\" flag -> exists q: Q do %s end;\n", qu.pick("mark[q]", guard))
	}
	for k := range 1 + qu.IntN(2) {
		qu.in = map[string][]string{"P": {"p"}, "Q": {"q"}}
		fmt.Fprintf(&b, "ruleset p: P; q: Q do rule \"r%d\" %s ==> begin %s; end; end;\n", k, qu.cond(2), qu.pick("st[p] := B", "st[p] := A", "mark[q] := "+qu.cond(0), "flag := "+qu.cond(1), "flag := true", "mem[q][p] := "+qu.pick("false", "!mem[q][p]")))
	}
	qu.in = make(map[string][]string)
	if k := qu.IntN(8); k < 7 {
		fmt.Fprintf(&b, "assume %s;\n", []string{
			"forall q: Q do forall r: Q do exists p: P do mem[q][p] & mem[r][p] end end end", "forall q: Q do forall r: Q do exists p: P do mem[q][p] & mem[r][p] end end end",
			"forall q: Q do exists p: P do mem[q][p] end end", "exists q: Q do forall p: P do mem[q][p] end end",
			"forall p: P do exists q: Q do mem[q][p] end end", "forall q: Q do exists p: P do mem[q][p] & !mem[q][p] end end", qu.cond(3)}[k])
	}
	for k := range 2 + qu.IntN(2) {
		fmt.Fprintf(&b, "invariant \"i%d\" %s;\n", k, qu.cond(4))
	}
	return b.String()
}

// TestRandomQuorums: of random models with two classes, assumptions, and ∃ inside ∀ in guards and invariants, none that is
// proved for every size is violated at a size that can be searched.
func TestRandomQuorums(t *testing.T) {
	count, limit := 150, 2000
	sizes := [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {1, 3}, {3, 2}, {2, 3}}
	if nightly.On() {
		count, limit = 4000, 30000
		sizes = append(sizes, [2]int{3, 3}, [2]int{4, 2}, [2]int{2, 4}, [2]int{4, 3}, [2]int{3, 4}, [2]int{5, 1}, [2]int{8, 1}, [2]int{1, 8})
	}
	proved, chosen, claims, cut := 0, 0, 0, 0
	for seed := range count {
		g := &quorums{Rand: rand.New(rand.NewPCG(uint64(seed), 58)), in: make(map[string][]string)}
		src := g.model()
		at := func(n, m int) (*model.Model, *Conditions) {
			mod, err := read(t, "random.m", []byte(src), []string{"N", "M"}, map[string]string{"N": fmt.Sprint(n), "M": fmt.Sprint(m)})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			c, err := New(context.Background(), mod, map[string]int{"N": 1, "M": 1}, nil)
			if err != nil && !errors.As(err, new(*Refusal)) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return mod, c
		}
		_, c := at(3, 3)
		if c == nil {
			continue
		}
		l, ctx, cancel := pace.NewLimit(context.Background(), 10e6, nil)
		o, err := c.prove(ctx, func() sat.Solver { return pace.Counted(cdcl.New(), l) }, func(int) bool { return true }, true)
		cancel()
		if l.Over() {
			cut++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !o.Proved() {
			continue
		}
		proved++
		for j, kept := range o.Kept {
			if !kept || c.Conjuncts[j].Assumed {
				continue
			}
			claims++
			w := c.newWitnesses()
			if w.demand(c.Conjuncts[j].F); len(w.chosen) > 0 {
				chosen++
			}
		}
		for _, size := range sizes {
			if _, p := refuted(c, o, 1, 1, limit, func(int) *model.Model { m, _ := at(size[0], size[1]); return m }); p != "" {
				t.Fatalf("seed %d: proved for every size, and %q is violated at sizes %v\n%s", seed, p, size, src)
			}
		}
	}
	t.Logf("%d of %d proved, with %d invariants, %d with a ∃ that others choose, %d left open by the limit", proved, count, claims, chosen, cut)
	if proved < count/5 || claims < count/5 || chosen < count/20 || cut > count/10 {
		t.Error("the models are too tame, or too hard")
	}
}
