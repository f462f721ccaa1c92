package murphitest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/model"
)

func random(seed uint64, opt murphitest.Options) string {
	return murphitest.Random(rand.New(rand.NewPCG(seed, 0)), opt)
}

// TestRandom checks that the models are models, are small, depend on the seed,
// and that together they use the whole language and do interesting things.
func TestRandom(t *testing.T) {
	features := []string{
		`scalarset\(.*1\)`, `enum \{`, `: -\d`, `\.\.-`, `array \[boolean\]`, `array \[S`, `array \[E`, `array \[R`, `record .*: T`, `array .* of T`,
		`startstate "`, `startstate\n`, `ruleset i\d+ : S\d+ do\n  startstate`, `ruleset .*; .* do`, ` by -\d do`, ` by 2 do`, `rule "`, `rule\n`,
		`var\n *l\d+`, `for i\d+ : S`, `for i\d+ : E`, `for i\d+ := \d to v`, `for i\d+ := v.* by -1`, `exists i\d+ := v`, `forall i\d+ : S`, `exists i\d+ : S`,
		`if `, `elsif `, `else\n`, `switch `, `case .*, `, `undefine `, `isundefined\(`, ` -> `, ` \? `, ` / `, ` % `, ` \* `, `\(-v`, ` <= `,
		`\]\[`, `\]\.f`, `\.f\d+\[`, `assert `, `error "`, `put "`, `put \(`, `put v`, `  invariant "`, `\ninvariant "`, `v\d+\[v\d+\]`,
		`union \{S`, `union \{.*enum \{`, `array \[U`, `ruleset .*: U`, `for i\d+ : U`, `ismember\(v`, `record .*: U`,
		`multiset \[\d\] of S`, `multiset \[.*\] of T`, `multiset \[.*\] of boolean`, `multisetadd\(v`, `multisetadd\(i`, `multisetremove\(`, `multisetremovepred\(`,
		`multisetcount\(.*, true\)`, `multisetcount\(i\d+: v.* v.*\[i`, `choose i\d+: v`, `choose i\d+: v.*\.f`, `choose i\d+: v.*\[`, `  choose`,
		`procedure p\d+\(\)`, `procedure p.*var x`, `function p.*: [ERSU]`, `function p.*: T`, `function p.*var x`, `function .*x\d+: T`, `  return \(`, `  return;`,
		` p\d+\(.*;`, `:= p\d+\(`, `==>|rule.*p\d+\(`, `p\d+\(\(n\d+ - 1\)`, `while \(\(`, `clear v`, `clear .*\.f`,
		` alias a\d+: v`, `\nalias `, `  alias a\d+: .*; a`, `alias .*: \(`, `alias a\d+: v\d+\[v`, ` a\d+ := `, ` \^ `, `\(~`, ` << `, ` >> `,
		`assume "`, `assume \(.*"assume`, `cover "`, `cover \(.*"cover`, `liveness "`,
	}
	count := make([]int, len(features))
	var re []*regexp.Regexp
	for _, f := range features {
		re = append(re, regexp.MustCompile(f))
	}
	const models = 700
	outcomes := make(map[string]int)
	for seed := range uint64(models) {
		opt := murphitest.Options{Dialect: model.Dialect(seed % 2)}
		src := random(seed, opt)
		if src != random(seed, opt) {
			t.Fatalf("seed %d gives two models", seed)
		}
		if src == random(seed+models, opt) {
			t.Errorf("seeds %d and %d give the same model", seed, seed+models)
		}
		for i := range features {
			if re[i].MatchString(src) {
				count[i]++
			}
		}
		m, err := murphi.Parse("random.m", []byte(src), murphi.Options{Dialect: opt.Dialect})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		bits := 0.0
		for _, l := range m.AllLeaves() {
			bits += math.Log2(float64(l.Type.Card()))
		}
		if bits > 12 {
			t.Errorf("seed %d: the variables have 2^%.1f valuations", seed, bits)
		}
		for what := range explore(m) {
			outcomes[what]++
		}
	}
	for i, f := range features {
		if count[i] < 3 {
			t.Errorf("%d of %d models match %q", count[i], models, f)
		}
	}
	for _, want := range []string{
		"invariant", "assertion", "error", "runtime-error", "deadlock", "in a guard", "in a start state",
		"is undefined", "division by zero", "is outside", "assigned to", "10 states", "100 states", "no error",
	} {
		if outcomes[want] < models/60 {
			t.Errorf("%d of %d models have the outcome %q", outcomes[want], models, want)
		}
	}
}

// explore returns what happens within a bounded number of states.
func explore(m *model.Model) map[string]bool {
	mach := model.Compile(m).NewMachine()
	found := make(map[string]bool)
	known := make(map[string]bool)
	var queue []model.State
	errs := false
	note := func(v *model.Violation) {
		errs = true
		found[m.Props[v.Prop].Kind.String()] = true
		found["in a guard"] = found["in a guard"] || v.InGuard
		for _, msg := range []string{"is undefined", "division by zero", "is outside", "assigned to"} {
			found[msg] = found[msg] || strings.Contains(v.Message, msg)
		}
	}
	visit := func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v != nil {
			note(v)
			return true
		}
		if k := fmt.Sprint(s); !known[k] {
			known[k] = true
			queue = append(queue, append(model.State(nil), s...))
		}
		return true
	}
	mach.Starts(visit)
	found["in a start state"] = errs
	for i := 0; i < len(queue) && i < 110; i++ {
		mach.Successors(queue[i], visit)
		if mach.Deadlocked(queue[i]) {
			found["deadlock"] = true
		}
		for k, p := range m.Props {
			if p.Kind == model.Invariant {
				if v := mach.Violated(queue[i], k); v != nil {
					note(v)
				}
			}
		}
	}
	found["10 states"], found["100 states"], found["no error"] = len(queue) >= 10, len(queue) >= 100, !errs
	for what, yes := range found {
		if !yes {
			delete(found, what)
		}
	}
	return found
}

func TestShrink(t *testing.T) {
	const src = `var
  x: 0..3;
  y: boolean;
startstate
  x := 0;
  y := false;
endstartstate;
rule "a" (x < 3) ==>
  if (y | ((x + 1) = (2 * x))) then
    x := (x + 1);
  else
    assert ((x < 3) & (y -> (x = 2))) "here";
  endif;
endrule;
rule "b"
  y := true;
endrule;
`
	calls := 0
	got := murphitest.Shrink(src, func(src string) bool {
		calls++
		_, err := murphi.Parse("shrink.m", []byte(src), murphi.Options{})
		return err == nil && strings.Contains(src, `"here"`) && strings.Contains(src, "x = 2")
	})
	const want = `var
  x: 0..3;
startstate
endstartstate;
    assert (x = 2) "here";
`
	if got != want {
		t.Errorf("shrunk to\n%s\nwant\n%s", got, want)
	}
	if calls > 2000 {
		t.Errorf("%d calls", calls)
	}
	if got := murphitest.Shrink(src, func(string) bool { return false }); got != src {
		t.Errorf("a source that does not fail became\n%s", got)
	}
}

// TestShrinkCalls checks the moves on procedures, lists and blocks with several
// parts.
func TestShrinkCalls(t *testing.T) {
	const src = `type
  S1: scalarset(2);
  E2: enum {m3, m4, m5};
var
  v6: 0..3;
  v7: boolean;
procedure p8(x9: E2; var x10: boolean; x11: boolean);
  begin
  if x11 then
    x10 := x11;
  else
    assert (x9 != m4) "here";
  endif;
endprocedure;
startstate
  v6 := 0;
endstartstate;
ruleset i12: S1; i13: E2; i14: S1 do
  alias a15: v7; a16: v6 do
    rule "rule 17"
      p8(i13, a15, (v7 | (a16 = 1)));
    endrule;
  endalias;
endruleset;
`
	got := murphitest.Shrink(src, func(src string) bool {
		_, err := murphi.Parse("shrink.m", []byte(src), murphi.Options{})
		return err == nil && strings.Contains(src, `"here"`) && strings.Count(src, "p8(") == 2 && strings.Contains(src, "p8(i13")
	})
	const want = `type
  E2: enum {m4};
procedure p8(x9: E2);
    assert true "here";
endprocedure;
startstate
endstartstate;
ruleset i13: E2 do
    rule "rule 17"
      p8(i13);
    endrule;
endruleset;
`
	if got != want {
		t.Errorf("shrunk to\n%s\nwant\n%s", got, want)
	}
}
