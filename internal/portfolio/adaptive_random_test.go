package portfolio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// uneven makes models of processes that are alike but for some rules.
type uneven struct {
	rng    *rand.Rand
	n      int  // processes
	matrix bool // there is a relation
	count  bool // there is a counter
	data   bool // there are values of another class
	ring   bool // rules compute with processes and values, modulo how many there are
	text   strings.Builder
}

func (u *uneven) pick(words ...string) string { return words[u.rng.IntN(len(words))] }
func (u *uneven) chance(p float64) bool       { return u.rng.Float64() < p }
func (u *uneven) proc() string                { return fmt.Sprint(u.first() + u.rng.IntN(u.n)) }
func (u *uneven) local() string               { return u.pick("X", "Y", "Z") }

// first returns the number of the first process.
func (u *uneven) first() int {
	if u.ring {
		return 0
	}
	return 1
}

// turn returns a process some places behind one.
func (u *uneven) turn(p string) string {
	return "((" + p + " + " + u.pick("1", "1", "2", "N - 1") + ") % N)"
}

// atom returns a condition on processes in scope; if odd is set, it may tell them apart.
func (u *uneven) atom(odd bool, vars ...string) string {
	p := u.pick(vars...)
	q := u.pick(vars...)
	var all []string
	all = append(all, "s["+p+"] = "+u.local(), "s["+p+"] != "+u.local(), "flag", "!flag", "!isundefined(own) & own = "+p, "isundefined(own)", p+" != "+q)
	if u.ring {
		all = append(all, "s["+u.turn(p)+"] = "+u.local(), "s["+u.turn(p)+"] != "+u.local(), "!isundefined(own) & own = "+u.turn(p), p+" = "+u.turn(q))
		if u.data {
			all = append(all, "d["+p+"] = (d["+u.turn(p)+"] + "+u.pick("1", "2")+") % 3")
		}
		for range 2 {
			all = append(all, all[len(all)-4:]...)
		}
	}
	if u.matrix {
		all = append(all, "r["+p+"]["+q+"]", "!r["+p+"]["+q+"]")
	}
	if u.count {
		all = append(all, "k < "+u.pick("1", "2"), "k = 0")
	}
	if u.data {
		all = append(all, "d["+p+"] = d["+q+"]", "(exists e: D do d["+p+"] = e & d["+q+"] != e end)")
		if odd {
			all = append(all, "d["+p+"] = 1", "d["+p+"] < 2")
		}
	}
	if odd {
		all = append(all, p+" = "+u.proc(), p+" != "+u.proc(), p+" < "+q, p+" <= "+u.proc(), "s["+u.proc()+"] = "+u.local(),
			"Class("+p+") < Class("+q+")", "Class("+p+") = 1", "!isundefined(own) & own = "+u.proc(), p+" = Next("+q+")", "(Class("+p+") = 1 | s["+p+"] = X)")
		for range 2 { // often
			all = append(all, all[len(all)-10:]...)
		}
	}
	return all[u.rng.IntN(len(all))]
}

func (u *uneven) cond(odd bool, vars ...string) string {
	c := u.atom(odd, vars...)
	for u.chance(0.4) {
		c = "(" + c + ")" + u.pick(" & ", " & ", " | ") + "(" + u.atom(odd && u.chance(0.5), vars...) + ")"
	}
	if u.chance(0.35) && !(u.ring && u.chance(0.6)) {
		q := fmt.Sprint("q", len(vars))
		c = "(" + c + ")" + u.pick(" & ", " | ") + u.pick("(exists ", "(forall ") + q + ": P do " + u.cond(odd, append(vars, q)...) + " end)"
	}
	return c
}

func (u *uneven) stmt(odd bool, depth int, vars ...string) string {
	p, q := u.pick(vars...), u.pick(vars...)
	all := []string{"s[" + p + "] := " + u.local() + ";", "s[" + p + "] := " + u.local() + ";", "flag := " + u.pick("true", "false", "!flag") + ";", "own := " + p + ";", "undefine own;",
		"if " + u.cond(odd, vars...) + " then s[" + q + "] := " + u.local() + "; end;", "if !isundefined(own) then s[own] := " + u.local() + "; end;"}
	if u.ring {
		all = append(all, "s["+u.turn(p)+"] := "+u.local()+";", "own := "+u.turn(p)+";", "if !isundefined(own) then own := "+u.turn("own")+"; end;",
			"if !isundefined(own) then s["+u.turn("own")+"] := "+u.local()+"; end;")
		if u.data {
			all = append(all, "d["+p+"] := (d["+q+"] + "+u.pick("1", "2")+") % 3;")
		}
	}
	if u.matrix {
		all = append(all, "r["+p+"]["+q+"] := "+u.pick("true", "false", "!r["+q+"]["+p+"]")+";")
	}
	if u.count {
		all = append(all, "if k < 2 then k := k + 1; end;", "k := 0;")
	}
	if u.data {
		all = append(all, "d["+p+"] := d["+q+"];")
		if odd {
			all = append(all, "d["+p+"] := 1;", "d["+p+"] := 2;")
		} else {
			all = append(all, "for e: D do if e != d["+p+"] then d["+q+"] := e; end; end;")
		}
	}
	if u.chance(0.03) {
		all = []string{"assert " + u.cond(false, vars...) + " \"a\";", "s[own] := X;"}
	}
	if odd {
		all = append(all, "own := "+u.proc()+";", "s["+u.proc()+"] := "+u.local()+";", "own := Next("+p+");",
			"if "+u.cond(true, vars...)+" then "+u.pick("flag := true;", "own := "+p+";")+" end;", "s[Next("+p+")] := "+u.local()+";")
	}
	if depth > 0 && !(u.ring && u.chance(0.8)) { // that loops may be rotated takes time to show
		v := fmt.Sprint("v", len(vars))
		body := u.stmt(odd, depth-1, append(vars, v)...)
		all = append(all, "for "+v+": P do if "+u.cond(odd, append(vars, v)...)+" then "+body+" end; end;")
	}
	return all[u.rng.IntN(len(all))]
}

// model returns the text of a model.
func (u *uneven) model() string {
	out := &u.text
	u.n = 2 + u.rng.IntN(3)
	u.matrix, u.count = u.chance(0.25) && u.n < 4, u.chance(0.3)
	u.data = u.chance(0.25) && u.n < 4
	cut := 1 + u.rng.IntN(u.n)
	procs, data, last, next := "1..N", "1..2", "N", "1"
	if u.ring {
		u.n = 3 + u.rng.IntN(2)
		u.matrix = u.matrix && u.n == 3
		u.data = u.data && u.n == 3
		procs, data, last, next = "0..N-1", "0..2", "N-1", "0"
	}
	fmt.Fprintf(out, "const N: %d;\ntype P: %s;\n  D: %s;\n  L: enum {X, Y, Z};\nvar s: array [P] of L;\n  flag: boolean;\n  own: P;\n", u.n, procs, data)
	if u.matrix {
		out.WriteString("  r: array [P] of array [P] of boolean;\n")
	}
	if u.count {
		out.WriteString("  k: 0..2;\n")
	}
	if u.data {
		out.WriteString("  d: array [P] of D;\n")
	}
	fmt.Fprintf(out, "function Class(p: P): 0..2;\nbegin\n  if p <= %d then return 1; end;\n  return %s;\nend;\n", cut, u.pick("0", "2"))
	fmt.Fprintf(out, "function Next(p: P): P;\nbegin\n  if p = %s then return %s; end;\n  return p + 1;\nend;\n", last, next)
	for i := range 1 + u.rng.IntN(2) {
		with := ""
		if u.chance(0.3) {
			with = "ruleset i: P do "
		}
		fmt.Fprintf(out, "%sstartstate \"start %d\"\n  for p: P do s[p] := X; end;\n  flag := false;\n", with, i)
		if u.matrix {
			out.WriteString("  for p: P do for q: P do r[p][q] := false; end; end;\n")
		}
		if u.count {
			out.WriteString("  k := 0;\n")
		}
		if u.data {
			out.WriteString("  for p: P do d[p] := 1; end;\n")
		}
		if with != "" {
			out.WriteString("  " + u.pick("own := i;", "s[i] := Y;") + "\n")
		} else if u.chance(0.3) {
			out.WriteString("  " + u.pick("own := 1;", "s["+last+"] := Y;") + "\n")
		}
		out.WriteString("endstartstate;\n")
		if with != "" {
			out.WriteString("endruleset;\n")
		}
	}
	if u.ring { // so that there is something to reach
		for _, rule := range []string{"s[p] = X ==> begin s[p] := Y;", "s[p] = Y & s[" + u.turn("p") + "] != " + u.local() + " ==> begin s[p] := Z; own := " + u.turn("p") + ";",
			"s[p] = Z & s[" + u.turn("p") + "] != Y ==> begin s[p] := X; flag := !flag;"} {
			if u.chance(0.9) {
				out.WriteString("ruleset p: P do rule " + rule + " endrule; endruleset;\n")
			}
		}
	}
	if u.ring && u.chance(0.9) {
		p, at := u.proc(), u.rng.IntN(3)
		fmt.Fprintf(out, "rule \"odd\" s[%s] = %c & %s ==> begin s[%s] := %c; endrule;\n", p, "XYZ"[at], u.pick("flag", "!flag", "s["+u.turn(p)+"] != "+u.local()), p, "YZX"[at])
	}
	odd := u.rng.IntN(4) // rules that tell processes apart
	if u.ring {
		odd /= 2
	}
	for i := range 4 + u.rng.IntN(5) {
		params, vars := "p: P", []string{"p"}
		if u.chance(0.25) {
			params, vars = "p: P; q: P", []string{"p", "q"}
		}
		is := i < odd
		fmt.Fprintf(out, "ruleset %s do rule \"rule %d\" %s ==>\nbegin\n", params, i, "("+u.atom(false, vars...)+") & ("+u.atom(is, vars...)+" | "+u.cond(is, vars...)+")")
		for range 1 + u.rng.IntN(2) {
			out.WriteString("  " + u.stmt(is && u.chance(0.6), 1, vars...) + "\n")
		}
		out.WriteString("endrule; endruleset;\n")
	}
	for i := range 1 + u.rng.IntN(3) {
		kind := "invariant"
		if u.chance(0.2) {
			kind = "cover"
		}
		cond := u.cond(u.chance(0.4), "a", "b")
		if u.ring { // rules of rings reach much
			cond = "(" + cond + ") & " + u.pick("!(a != b)", "a = "+u.turn("b")) + " & (" + u.cond(false, "a", "b") + ") & flag"
		}
		if kind == "invariant" { // most hold for a while
			cond = "!((" + cond + ") & (" + u.cond(u.chance(0.2), "a", "b") + ") & (" + u.cond(false, "a", "b") + "))"
		}
		fmt.Fprintf(out, "%s \"prop %d\" %s a: P do %s b: P do %s end end;\n", kind, i, u.pick("forall", "forall", "exists"), u.pick("forall", "exists"), cond)
	}
	return out.String()
}

// decideAdaptive runs adaptive search on a file.
func decideAdaptive(file string, opt mc.Options) (*ends, error) {
	ctx := context.Background()
	t, err := task.Open(ctx, file, task.Options{Symmetry: "auto", Adaptive: "always"})
	if err != nil {
		return nil, err
	}
	out, err := Run(ctx, t, []mc.Engine{&explicit.Engine{Canon: explicit.Adaptive}}, Options{Options: opt})
	if err == nil && out.Crash != nil {
		err = out.Crash
	}
	return &ends{t, out}, err
}

// TestAdaptiveRandom compares adaptive search with exact search and with search without
// symmetry, on models that are symmetric but for some rules. ORBITMC_LONG=1 compares 10,200 models;
// -v reports each shard of 300 of them, and -run TestAdaptiveRandom/from_301 takes one.
func TestAdaptiveRandom(t *testing.T) { eachUneven(t, false, 50, 10200) }

// TestAdaptiveRings is TestAdaptiveRandom for processes, and values, in rings: few rules keep more
// than rotations.
func TestAdaptiveRings(t *testing.T) { eachUneven(t, true, 5, 2500) }

func eachUneven(t *testing.T, ring bool, models, long uint64) {
	shard := models
	if nightly.On() {
		shard, models = 300, long
		if ring {
			shard = 100
		}
	}
	for from := uint64(1); from <= models; from += shard {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) {
			compareUneven(t, ring, from, shard)
		})
	}
}

// compareUneven compares searches on as many random models from a seed on.
func compareUneven(t *testing.T, ring bool, from, models uint64) {
	file := filepath.Join(t.TempDir(), "uneven.m")
	var partial, violated, fewer, more, turned uint64
	var annotated, exact, states int
	for seed := from; seed < from+models; seed++ {
		src := (&uneven{rng: rand.New(rand.NewPCG(seed, 7)), ring: ring}).model()
		bad := func(src string) (err error) {
			if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
				return err
			}
			all := mc.Options{All: true}
			plain, err := decide(file, "explicit", "off", task.Options{}, all)
			if err != nil {
				return nil // it is not read
			}
			with, err := decideAdaptive(file, all)
			if err != nil {
				return err
			}
			first, err := decideAdaptive(file, mc.Options{})
			if err != nil {
				return err
			}
			if err := with.agrees(plain, true); err != nil {
				return err
			}
			if err := first.agrees(plain, false); err != nil {
				return fmt.Errorf("without All: %w", err)
			}
			if with.t.Broken != nil {
				partial++
				if slices.ContainsFunc(with.t.Problem.Partial.Families, func(f model.Family) bool { return len(f.Rings) > 0 }) {
					turned++
				}
				if with.first() >= 0 {
					violated++
				}
			}
			if seed%10 != 0 { // verification of what does not hold takes time
				return nil
			}
			reduced, err := decide(file, "explicit", "auto", task.Options{}, all)
			if err != nil {
				return err
			}
			if with.first() != reduced.first() {
				return fmt.Errorf("first violation at depth %d, in exact search at %d", with.first(), reduced.first())
			}
			if with.t.Broken != nil {
				x, y := with.out.Result.Stats.States, reduced.out.Result.Stats.States
				annotated, exact, states = annotated+int(x), exact+int(y), states+int(plain.out.Result.Stats.States)
				if x < y {
					fewer++
				}
				if x > y { // the rules keep more together than their texts suggest
					more++
				}
			}
			return nil
		}
		if err := bad(src); err != nil {
			small := murphitest.Shrink(src, func(src string) bool { return bad(src) != nil })
			t.Fatalf("seed %d: %v\n%s", seed, bad(small), small)
		}
	}
	t.Logf("%d of %d models have partial symmetry, %d with rings; %d of these are violated; of a tenth %d have fewer annotated states than orbits, %d more: %d annotated states, %d orbits, %d states", partial, models, turned, violated, fewer, more, annotated, exact, states)
	if partial < models/4 || violated < models/20 || fewer < models/50 || more > models/200 || ring && turned < models/4 {
		t.Errorf("the models do not try adaptive search")
	}
}
