package portfolio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
)

// slotCases are models with steps that add several elements. Each has an invariant that is
// violated, at a depth. Symbolic engines miss that if two of the elements have the same input that
// chooses the slot, or if an element is held to the slot of another one.
var slotCases = []struct {
	name, src string
	depth     int
}{
	{"in the guard and in the body", `
function fills(s: S): boolean; var l: S; begin l := s; multisetadd(1, l); return multisetcount(i: l, true) = 2; end;
startstate begin n := 0; undefine a; undefine b; end;
rule n = 0 ==> begin multisetadd(1, a); multisetadd(1, b); n := 1; end;
rule n = 1 & fills(b) ==> begin multisetadd(0, a); n := 2; end;
choose i: a do rule n = 2 & a[i] = 1 ==> begin multisetremove(i, a); n := 3; end; end;
rule n = 3 & fills(b) ==> begin multisetadd(0, a); n := 4; end;
invariant "low" n < 4;
`, 4},
	{"in a branch that is taken for no choice of the first slot", `
startstate begin n := 0; undefine a; undefine b; undefine c; end;
rule n = 0 ==> begin multisetadd(1, a); n := 1; end;
rule n = 1 ==> begin
  n := 2; undefine c; multisetadd(0, c);
  if multisetcount(i: c, true) > 1 then multisetadd(0, c); end;
  multisetadd(0, a); multisetadd(0, b);
end;
invariant "low" multisetcount(i: a, true) < 2;
`, 2},
	{"in two calls with the same arguments", `
function fills(s: S): boolean; var l: S; begin l := s; multisetadd(1, l); return multisetcount(i: l, true) = 2; end;
startstate begin n := 0; undefine a; undefine b; end;
rule n = 0 ==> var s, r: S; begin
  undefine s; undefine r; multisetadd(1, s);
  if n = 1 then if fills(s) then n := 1; end;
  else multisetadd(1, r); if fills(s) then n := 2; end; end;
end;
rule multisetcount(i: a, true) = 0 ==> begin multisetadd(1, a); n := 0; end;
invariant "low" n < 2;
`, 1},
	{"in an assumption and in a body", `
function fills(s: S): boolean; var l: S; begin l := s; multisetadd(1, l); return multisetcount(i: l, true) = 2; end;
startstate begin n := 0; undefine a; undefine b; end;
rule n = 0 ==> begin multisetadd(1, a); multisetadd(1, b); n := 1; end;
rule n = 1 ==> begin multisetadd(0, a); n := 2; end;
choose i: a do rule n = 2 & a[i] = 1 ==> begin multisetremove(i, a); n := 3; end; end;
rule n = 3 ==> begin multisetadd(0, a); n := 4; end;
assume n = 0 | fills(b);
invariant "low" n < 4;
`, 4},
}

const slotHead = "type S: multiset[2] of 0..1; var n: 0..5; a, b, c: S;\n"

// slotModel returns the text of a random model whose steps add several elements: in guards,
// functions, branches and assumptions, to variables and to locals.
func slotModel(r *rand.Rand) string {
	pick := func(ss ...string) string { return ss[r.IntN(len(ss))] }
	set := func() string { return pick("a", "b", "c") }
	fills := func(s string) string { return fmt.Sprintf("(room(%[1]s) & fills(%[1]s, %[2]d))", s, r.IntN(2)) }
	count := func(s string) string {
		return fmt.Sprintf("multisetcount(i: %s, %s) %s %d", s, pick("true", s+"[i] = 1"), pick("=", "<", ">"), r.IntN(3))
	}
	cond := func(s string) string { return pick(fills(s), count(s), fmt.Sprintf("twice(%s)", s)) }
	var stmt func(depth int) string
	stmt = func(depth int) string {
		s := pick("a", "b", "c", "l", "m")
		add := fmt.Sprintf("if room(%[1]s) then multisetadd(%[2]d, %[1]s); end;", s, r.IntN(2))
		switch k := r.IntN(10); {
		case k < 3:
			return add
		case k < 5 && depth > 0:
			return fmt.Sprintf("if %s then %s else %s end;", cond(s), stmt(depth-1), stmt(depth-1))
		case k < 6:
			return fmt.Sprintf("undefine %[1]s; multisetadd(%[2]d, %[1]s);", s, r.IntN(2))
		case k < 7:
			return fmt.Sprintf("%s := %s;", pick("l", "m"), set())
		case k < 8:
			return fmt.Sprintf("multisetremovepred(i: %[1]s, %[1]s[i] = %[2]d);", s, r.IntN(2))
		}
		return add
	}
	var b strings.Builder
	b.WriteString(slotHead)
	b.WriteString(`function room(s: S): boolean; begin return multisetcount(i: s, true) < 2; end;
function fills(s: S; k: 0..1): boolean; var l: S; begin l := s; multisetadd(k, l); return multisetcount(i: l, true) = 2; end;
function twice(s: S): boolean; var l: S; begin
  l := s; if room(l) then multisetadd(0, l); end; if room(l) then multisetadd(1, l); end;
  return multisetcount(i: l, l[i] = 1) = 1;
end;
startstate begin n := 0; undefine a; undefine b; undefine c; end;
`)
	for k := range 3 + r.IntN(2) {
		fmt.Fprintf(&b, "rule \"r%d\" n %s %d%s ==> var l, m: S; begin undefine l; undefine m; %s %s %s n := (n + 1) %% 6; end;\n",
			k, pick("=", "<", "!="), r.IntN(6), pick("", " & "+cond(set()), " & "+cond(set())+" & "+cond(set())), stmt(2), stmt(2), stmt(1))
	}
	s := set()
	fmt.Fprintf(&b, "choose i: %[1]s do rule \"take\" %[1]s[i] = %[2]d ==> begin multisetremove(i, %[1]s); %[3]s end; end;\n", s, r.IntN(2),
		pick("", fmt.Sprintf("if fills(%s, 1) then n := 0; end;", s)))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "assume n < 2 | %s;\n", cond(set()))
	}
	fmt.Fprintf(&b, "invariant \"i\" !(%s & %s & n = %d);\n", count("a"), count("b"), r.IntN(6))
	fmt.Fprintf(&b, "invariant \"j\" !(%s & n = %d);\n", cond("c"), r.IntN(6))
	return b.String()
}

// slotSearch compares bmc and pdr on a model with explicit search.
func slotSearch(file, src string, opt task.Options) (ref *ends, err error) {
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		return nil, err
	}
	if ref, err = decide(file, "explicit", "off", opt, mc.Options{All: true}); err != nil {
		return nil, err
	}
	for _, sym := range []string{"auto", "off"} {
		e, err := decide(file, "bmc", sym, opt, mc.Options{All: true, Bounded: true, MaxDepth: ref.last() + 1})
		if err != nil {
			return ref, err
		}
		for i, pr := range e.out.Result.Props {
			want := ref.out.Result.Props[i]
			if pr.HasTrace() != want.HasTrace() || pr.HasTrace() && pr.Depth != want.Depth {
				return ref, fmt.Errorf("bmc, symmetry %s, %s: %v at depth %d, want %v at %d", sym, e.t.Problem.Name(pr.Prop), pr.Status, pr.Depth, want.Status, want.Depth)
			}
		}
	}
	e, err := decide(file, "pdr", "auto", opt, mc.Options{All: true})
	if err != nil {
		return ref, err
	}
	for i, pr := range e.out.Result.Props {
		if want := ref.out.Result.Props[i]; pr.Status != want.Status {
			return ref, fmt.Errorf("pdr, %s: %v, want %v", e.t.Problem.Name(pr.Prop), pr.Status, want.Status)
		}
	}
	return ref, nil
}

// last returns the greatest depth of a violation; 0 if there is none.
func (e *ends) last() (depth int) {
	for _, pr := range e.out.Result.Props {
		if pr.HasTrace() {
			depth = max(depth, pr.Depth)
		}
	}
	return depth
}

// TestSlots: elements that one step adds have inputs of their own that choose their slots.
func TestSlots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slots.m")
	for _, c := range slotCases {
		t.Run(c.name, func(t *testing.T) {
			ref, err := slotSearch(file, slotHead+c.src, task.Options{Props: []string{"low"}})
			if err != nil {
				t.Fatal(err)
			}
			if d := ref.last(); d != c.depth {
				t.Errorf("explicit search finds a violation at depth %d, want %d", d, c.depth)
			}
		})
	}
}

// TestSlotsRandom does the same on random models. With ORBITMC_LONG=1 it tries many more.
func TestSlotsRandom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slots.m")
	models := 25
	switch {
	case testing.Short():
		models = 15
	case nightly.On():
		models = 3000
	}
	violated, depth := 0, 0
	for k := range models {
		src := slotModel(rand.New(rand.NewPCG(uint64(k), 11)))
		opt := task.Options{Deadlock: []string{"off", "stuck", "stuttering"}[k%3]}
		ref, err := slotSearch(file, src, opt)
		if err != nil {
			t.Fatalf("model %d: %v\n%s", k, err, src)
		}
		for _, pr := range ref.out.Result.Props {
			if pr.HasTrace() {
				violated++
				depth += pr.Depth
			}
		}
	}
	t.Logf("%d models, %d violations at depth %d in the mean", models, violated, depth/max(violated, 1))
	if violated < models/2 || depth < 2*violated {
		t.Errorf("%d models have %d violations, of %d steps together", models, violated, depth)
	}
}
