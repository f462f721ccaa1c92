package bmc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// wholeModel returns the text of a random model with unions, multisets,
// procedures, aliases, loops, assumptions, covers and liveness, symmetric in P but
// for loops whose order matters.
func wholeModel(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	num := func() string { return fmt.Sprint(r.IntN(3)) }
	atom := func() string {
		return pick("a[p] = "+num(), "a[p] != a[q]", "n = "+num(), "isundefined(u)", "!isundefined(u) & ismember(u, P)", "p = q", "n > a[p]",
			"multisetcount(j: net, true) < 2", "multisetcount(j: net, net[j].src = p) > 0", "count("+num()+") > 1", "!isundefined(g) & g = p", "u = p",
			"(a[p] & 1) = 1", "multisetcount(j: box[p], true) = 0")
	}
	action := func() string {
		return pick("send(Req, Home, p)", "send(Ack, q, p)", "if multisetcount(j: net, true) < 2 then send(Req, p, q); end", "a[p] := (a[p] + 1) % 3", "bump(a[q])",
			"u := p", "u := Home", "undefine u", "g := q", "undefine g", "alias x: a[p] do x := 2; end", "while n < 2 do n := n + 1; end", "n := count(1)",
			"clear net", "if !isundefined(u) & ismember(u, P) then g := u; end", "multisetremovepred(j: net, net[j].src = p)", "assume n < 2", `cover "stmt" a[p] = 2`,
			`assert n != 2 | a[p] != 1 "small"`, "if multisetcount(j: box[p], true) < 2 then add(box[p], u); end", "n := (n + 1) % 3", "if n = 1 then return; end", "a[q] := a[p] << 1",
			"for k: P do if a[k] = n then g := k; end; end", "undefine box[q]")
	}
	var w strings.Builder
	fmt.Fprintf(&w, `type P: scalarset(%d); K: enum {Req, Ack}; H: enum {Home}; U: union {P, H};
M: record k: K; dst: U; src: P; end;
S: multiset[2] of U; A: 0..2;
var net: multiset[2] of M; box: array[P] of S; a: array[P] of A; u: U; g: P; n: A;
procedure send(k: K; dst: U; src: P); var m: M; begin m.k := k; m.dst := dst; m.src := src; multisetadd(m, net); end;
procedure add(var s: S; v: U); begin if !isundefined(v) then multisetadd(v, s); end; end;
procedure bump(var x: A); begin x := x + 1; end;
function count(v: A): A; var c: A; begin c := 0; for k: P do if a[k] = v & c < 2 then c := c + 1; end; end; return c; end;
`, 2+r.IntN(2))
	w.WriteString("startstate for p: P do a[p] := 0; undefine box[p]; end; undefine net; undefine u; undefine g; n := 0; end;\n")
	for i := range 2 + r.IntN(2) {
		fmt.Fprintf(&w, "ruleset p: P; q: P do rule \"r%d\" %s & %s ==> begin %s; %s; end; end;\n", i, atom(), atom(), action(), action())
	}
	for i := range 1 + r.IntN(2) {
		fmt.Fprintf(&w, "ruleset p: P do choose i: net do rule \"c%d\" %s ==> begin %s; multisetremove(i, net); end; end; end;\n", i,
			pick("net[i].k = Req", "net[i].src = p", "!isundefined(net[i].dst) & net[i].dst = p", "true"),
			pick("u := net[i].dst", "if net[i].src = p then n := 1; end", "a[net[i].src] := 2", "g := net[i].src", `cover "took" net[i].k = Ack`))
	}
	fmt.Fprintf(&w, "invariant \"inv\" forall p: P do forall q: P do %s | %s end end;\n", atom(), atom())
	fmt.Fprintf(&w, "ruleset p: P; q: P do cover \"declared\" %s & %s; end;\n", atom(), atom())
	fmt.Fprintf(&w, "ruleset p: P; q: P do liveness \"live\" %s; end;\n", atom())
	if r.IntN(3) == 0 {
		fmt.Fprintf(&w, "assume \"assumed\" forall p: P do a[p] < 2 | n < 2 end;\n")
	}
	return w.String()
}

// TestWholeLanguage runs all engines on random models of the whole language: they
// agree on what is violated, hit, and at which depth, and their evidence passes.
func TestWholeLanguage(t *testing.T) {
	const bound = 4
	seeds := uint64(60)
	switch {
	case testing.Short():
		seeds = 15
	case nightly.On():
		seeds = 5000
	}
	violated, covered, live, symmetric := 0, 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 21))
		src := wholeModel(r)
		opt := murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))}
		fail := func(format string, args ...any) {
			t.Fatalf("seed %d (%v, %v): %s\n%s", seed, opt.Dialect, opt.Deadlock, fmt.Sprintf(format, args...), src)
		}
		m, err := murphi.Parse("test.m", []byte(src), opt)
		if err != nil {
			fail("%v", err)
		}
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			fail("%v", err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
		withSymmetry(t, p)
		if slices.ContainsFunc(p.Blocks[0], func(b []int) bool { return len(b) > 1 }) {
			symmetric++
		}
		limits := mc.Options{All: true, Bounded: true, MaxDepth: bound}
		var results []*mc.Result
		run := func(e mc.Engine, o mc.Options) {
			res, err := e.Run(context.Background(), p, o)
			if err == nil {
				err = certify.Verify(context.Background(), p, res)
			}
			if err != nil {
				fail("%v", err)
			}
			results = append(results, res)
			if _, err := mc.Merge(p, results...); err != nil {
				fail("%v", err)
			}
		}
		run(&explicit.Engine{Canon: explicit.None}, limits)
		plain := results[0]
		run(&explicit.Engine{Canon: explicit.Exact}, limits)
		run(&explicit.Engine{Canon: explicit.Sorted}, limits)
		run(&bmc.Checker{NewSolver: newSolver, Rep: bmc.RepPath}, limits)
		run(&bmc.Checker{NewSolver: newSolver, Rep: bmc.RepOff}, limits)
		// Symmetry that comes between two depths.
		full, asked := p, 0
		early := *p
		early.Groups, early.Blocks, early.Rings, early.WellFormed = nil, nil, nil, false
		limits.Later = func(mc.Work) *mc.Problem {
			if asked++; asked > 1+int(seed%bound) {
				return full
			}
			return nil
		}
		p = &early
		run(&bmc.Checker{NewSolver: newSolver, Rep: bmc.RepPath}, limits)
		// It comes with another encoding.
		named, err := encode.Named(context.Background(), m)
		if err != nil {
			fail("%v", err)
		}
		other := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: named.Program, Enc: named}, Props: full.Props}
		withSymmetry(t, other)
		limits.Later = func(mc.Work) *mc.Problem {
			if asked++; asked > 1+int(seed%bound) {
				return other
			}
			return nil
		}
		for _, mode := range []bmc.RepMode{bmc.RepPath, bmc.RepOff} {
			asked = 0
			run(&bmc.Checker{NewSolver: newSolver, Rep: mode}, limits)
		}
		p, limits.Later = full, nil
		if want := 2 + int(seed%bound); asked > want {
			fail("bmc asked for symmetry %d times, and had it after %d", asked, want)
		}
		for _, res := range results[1:] {
			for i, want := range plain.Props {
				got := res.Props[i]
				if m.Props[want.Prop].Kind == model.Liveness {
					continue
				}
				if got.Status == mc.Unknown && got.Bound >= bound && want.Status == mc.BySearch(m.Props[want.Prop].Kind) {
					continue // it saw no more than the bound
				}
				if got.Status != want.Status || got.Depth != want.Depth {
					fail("%q: %s says %v at depth %d, plain search %v at depth %d", m.Props[want.Prop].Name, res.Engine, got.Status, got.Depth, want.Status, want.Depth)
				}
				if got.Trace != nil {
					if m.Props[want.Prop].Kind == model.Cover {
						covered++
					} else {
						violated++
					}
				}
			}
		}
		// To the end, where that is near: with and without symmetry.
		ends := []*mc.Result{}
		for _, canon := range []explicit.Canon{explicit.None, explicit.Exact} {
			res, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), p, mc.Options{All: true, MemLimit: 1 << 20})
			if err == nil {
				err = certify.Verify(context.Background(), p, res)
			}
			if err != nil {
				fail("%v", err)
			}
			ends = append(ends, res)
		}
		if ends[0].Closure == nil || ends[1].Closure == nil {
			continue
		}
		for i, want := range ends[0].Props {
			got := ends[1].Props[i]
			if got.Status != want.Status || got.Depth != want.Depth {
				fail("%q: %v at depth %d, without symmetry %v at depth %d", m.Props[want.Prop].Name, got.Status, got.Depth, want.Status, want.Depth)
			}
			if m.Props[want.Prop].Kind == model.Liveness {
				live++
			}
		}
	}
	t.Log(violated, covered, live, symmetric)
	if violated < int(seeds) || covered < int(seeds)/2 || live < int(seeds)/4 || symmetric < int(seeds)/3 {
		t.Errorf("%d violations, %d covers, %d liveness properties, %d symmetric models", violated, covered, live, symmetric)
	}
}
