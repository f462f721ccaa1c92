package certify_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/every/param"
	"orbitmc/internal/pace"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// guards makes random guards over two classes.
type guards struct{ *rand.Rand }

func (g guards) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g guards) lit(p, q string) string {
	return g.pick("", "", "!") + g.pick("mem["+q+"]["+p+"]", "mem["+q+"]["+p+"]", "own["+q+"]["+p+"]", "st["+p+"]", "mark["+q+"]")
}

func (g guards) piece(link bool) string {
	l := func() string { return g.lit("p", "q") }
	n := 16
	if link {
		n = 22
	}
	switch g.IntN(n) {
	case 0, 1:
		return fmt.Sprintf("(forall q: Q do exists p: P do %s & %s end end)", l(), l())
	case 2, 3:
		return fmt.Sprintf("(forall p: P do exists q: Q do %s & %s end end)", l(), l())
	case 4:
		return fmt.Sprintf("(forall q: Q do forall r: Q do forall p: P do q = r | !(%s & %s) end end end)", "mem[q][p]", "mem[r][p]")
	case 5:
		return fmt.Sprintf("(forall p: P do forall s: P do forall q: Q do p = s | !(%s & %s) end end end)", "mem[q][p]", "mem[q][s]")
	case 6:
		return "(exists p: P do exists s: P do p != s & " + g.lit("p", "q") + g.pick(" & ", " | ") + g.lit("s", "q") + " end end)"
	case 7:
		return "(exists p: P do exists s: P do exists t: P do p != s & s != t & p != t & " + g.pick("true", "st[p]", "st[t]") + " end end end)"
	case 8:
		return "(exists q: Q do exists r: Q do q != r & (" + g.lit("p", "q") + g.pick(" & ", " | ") + g.lit("p", "r") + ") end end)"
	case 9:
		return "(exists q: Q do exists r: Q do exists u: Q do q != r & r != u & q != u & " + g.pick("true", "mark[q]", "!mark[u]") + " end end end)"
	case 10:
		return fmt.Sprintf("(forall q: Q do exists p: P do %s & (exists s: P do %s & %s & p != s end) end end)", l(), g.lit("s", "q"), g.pick("true", "!st[s]", g.lit("s", "q")))
	case 11:
		return fmt.Sprintf("(forall q: Q do exists p: P do %s & (forall r: Q do q = r | %s end) end end)", l(), g.lit("p", "r"))
	case 12:
		return fmt.Sprintf("(exists q: Q do forall p: P do %s | %s end end)", l(), l())
	case 13:
		return fmt.Sprintf("(forall q: Q do forall r: Q do %s | exists p: P do %s & %s end end end)", g.pick("q = r", "q = r", "mark[q]", "!mark[r]"), g.lit("p", "q"), g.lit("p", "r"))
	case 14:
		return fmt.Sprintf("(exists p: P do exists s: P do forall t: P do t = p | t = s | %s end end end)", g.pick("st[t]", "!st[t]"))
	case 15:
		return fmt.Sprintf("(forall p: P do forall s: P do %s | exists q: Q do %s & %s end end end)", g.pick("p = s", "p = s", "st[p]", "!st[s]"), g.lit("p", "q"), g.lit("s", "q"))
	case 16:
		return fmt.Sprintf("(forall q: Q do %smem[q][link[q]] end)", g.pick("", "!"))
	case 17:
		return "(forall q: Q do forall r: Q do q = r | link[q] != link[r] end end)"
	case 18:
		return fmt.Sprintf("(forall q: Q do exists p: P do link[q] %s p & %s end end)", g.pick("=", "!="), l())
	case 19:
		return fmt.Sprintf("(forall p: P do exists q: Q do link[q] %s p & %s end end)", g.pick("=", "=", "!="), l())
	case 20:
		return "(exists q: Q do forall r: Q do link[q] = link[r] end end)"
	}
	return fmt.Sprintf("(forall q: Q do exists r: Q do link[q] %s link[r] & %s end end)", g.pick("=", "!="), g.pick("mark[r]", "q != r", "mark[q]"))
}

// violatedAt searches the states of a size and returns a property that is violated; "" if there is none, or too many states.
func violatedAt(m *model.Model, limit int) (prop string) {
	mach := model.Compile(m).NewMachine()
	seen := make(map[string]bool)
	var todo []model.State
	var key []byte
	visit := func(s model.State, v *model.Violation) bool {
		if v != nil {
			prop = m.Props[v.Prop].Name
			return false
		}
		key = key[:0]
		for _, x := range s {
			key = binary.AppendVarint(key, x)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			todo = append(todo, slices.Clone(s))
		}
		return true
	}
	mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool { return visit(s, v) })
	for len(todo) > 0 && prop == "" {
		if len(seen) > limit {
			return ""
		}
		s := todo[0]
		todo = todo[1:]
		for _, p := range m.Props {
			if p.Kind == model.Invariant && mach.Violated(s, p.Index) != nil {
				return p.Name
			}
		}
		if mach.Deadlocked(s) {
			return "deadlock"
		}
		mach.Successors(s, func(_ model.Choice, u model.State, v *model.Violation) bool { return visit(u, v) })
	}
	return prop
}

// TestEveryRandomGuards: a guard with ∃ inside ∀ that is proved false at every size is false in all states of small sizes;
// whichever order of sorts the check is given, and with that of the search both agree.
func TestEveryRandomGuards(t *testing.T) {
	count := 40
	if nightly.On() {
		count = 900
	}
	least := map[string]int{"N": 1, "M": 1}
	sizes := [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {1, 3}, {3, 2}, {2, 3}, {4, 1}, {5, 1}, {1, 4}, {1, 5}, {4, 2}, {2, 4}, {3, 3}, {6, 1}, {5, 2}, {2, 5}}
	proved, open, other, cut := 0, 0, 0, 0
	for seed := range count {
		g := guards{rand.New(rand.NewPCG(uint64(seed), 583))}
		link := g.IntN(3) == 0
		own := g.IntN(4) == 0
		guard := ""
		for range 3 + g.IntN(4) {
			x := g.piece(link)
			for _, v := range []struct{ v, typ string }{{"p", "P"}, {"q", "Q"}} {
				if !strings.Contains(x, v.v+": "+v.typ) {
					x = "(" + g.pick("exists ", "exists ", "forall ") + v.v + ": " + v.typ + " do " + x + " end)"
				}
			}
			guard += " & " + x
		}
		if !own {
			guard = strings.ReplaceAll(guard, "own[", "mem[")
		}
		decl, init, rule := "", "", ""
		if link {
			decl, init, rule = "link: array [Q] of P; ", "link[q] := s; ", "ruleset q: Q; p: P do rule \"l\" !bad ==> begin link[q] := p; end; end;\n"
		}
		if own {
			decl += "own: array [Q] of array [P] of boolean; "
			init += "for p: P do own[q][p] := false; end; "
			rule += "ruleset q: Q; p: P do rule \"o\" !bad ==> begin own[q][p] := !own[q][p]; end; end;\n"
		}
		ass := ""
		if g.IntN(4) == 0 {
			ass = "assume " + g.pick("forall q: Q do exists p: P do mem[q][p] end end", "forall q: Q do forall r: Q do exists p: P do mem[q][p] & mem[r][p] end end end", "forall p: P do exists q: Q do mem[q][p] end end") + ";\n"
		}
		src := `const N: 2; M: 2; type P: scalarset(N); Q: scalarset(M);
var mem: array [Q] of array [P] of boolean; st: array [P] of boolean; mark: array [Q] of boolean; bad: boolean; ` + decl + `
ruleset s: P do startstate for q: Q do mark[q] := false; ` + init + `for p: P do mem[q][p] := true; end; end; for p: P do st[p] := false; end; bad := false; end; end;
ruleset q: Q; p: P do rule "m" !bad ==> begin mem[q][p] := !mem[q][p]; end; end;
ruleset q: Q do rule "k" !bad ==> begin mark[q] := !mark[q]; end; end;
ruleset p: P do rule "s" !bad ==> begin st[p] := !st[p]; end; end;
` + rule + ass + `rule "bad" !bad` + guard + ` ==> begin bad := true; end;
invariant "i" !bad;
`
		parse := func(n, m int) *model.Model {
			mod, err := murphi.Parse("r.m", []byte(src), murphi.Options{Opaque: []string{"N", "M"}, Deadlock: model.DeadlockOff, Consts: map[string]string{"N": fmt.Sprint(n), "M": fmt.Sprint(m)}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			mod, _ = infer.Classes(mod)
			return mod
		}
		mod := parse(3, 3)
		c, err := param.New(context.Background(), mod, least, nil)
		if err != nil {
			if !errors.As(err, new(*param.Refusal)) {
				t.Fatal(err)
			}
			continue
		}
		l, ctx, cancel := pace.NewLimit(context.Background(), 3e6, nil)
		o, err := c.Prove(ctx, func() sat.Solver { return pace.Counted(cdcl.New(), l) }, func(int) bool { return false })
		cancel()
		how := ""
		if l.Over() {
			cut++
			continue
		} else if err != nil {
			t.Fatal(err)
		} else if o.Proved() {
			how = "search"
		}
		for _, order := range [][]int{{0, 1}, {1, 0}, {0, 0}, c.Order} {
			l, ctx, cancel := pace.NewLimit(context.Background(), 3e6, nil)
			_, err := certify.Every(ctx, &evidence.Every{Model: mod, Least: least, Order: order}, func(n int64) { l.Spend(n) })
			over := l.Over()
			cancel()
			if err == nil {
				if fmt.Sprint(order) != fmt.Sprint(c.Order) {
					other++
				}
				how += fmt.Sprint(" check", order)
			}
			if fmt.Sprint(order) == fmt.Sprint(c.Order) && !over && (err == nil) != o.Proved() {
				t.Errorf("seed %d: search %v, check %v\n%s", seed, o.Proved(), err, src)
			}
		}
		if how == "" {
			open++
			continue
		}
		proved++
		for _, s := range sizes {
			if p := violatedAt(parse(s[0], s[1]), 9000); p != "" {
				t.Errorf("seed %d: proved (%s), and %q is violated at %v\n%s", seed, how, p, s, src)
				break
			}
		}
	}
	t.Logf("%d proved, %d open, %d by other orders, %d left open by the limit", proved, open, other, cut)
	if proved < count/4 || open < count/4 || other < count/4 || cut > count/20 {
		t.Error("the models are too tame, or too hard")
	}
}
