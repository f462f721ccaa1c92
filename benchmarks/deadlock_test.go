package benchmarks_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/cofactor"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// The rules of erringModels are added to a model in which n counts to 2.
const erringModel = `var n: 0..3; u: 0..1; a: array [0..2] of boolean; S: multiset [1] of 0..1;
	procedure over(k: 0..3); begin over(k); end;
	startstate n := 0; for i: 0..2 do a[i] := true; end; multisetadd(0, S); end;
	rule "up" n < 2 ==> n := n + 1; end;
	%s`

// erringModels are rules, and the depth of the deadlock under stuttering and stuck, -1
// being none. That of the error, if there is one, is 3, or 2 if it is that of a guard
// under CMurphi.
var erringModels = []struct {
	name, rules       string
	stuttering, stuck int
	err, guard        bool
}{
	{"none", `rule "go" n = 3 ==> n := 0; end;`, 2, 2, false, false},
	{"stutter", `rule "go" n = 2 ==> n := 2; end;`, 2, -1, false, false},
	{"assert", `rule n = 2 ==> assert false "a"; end;`, -1, -1, true, false},
	{"error", `rule n = 2 ==> error "a"; end;`, -1, -1, true, false},
	{"error of a function", `function f(): boolean; begin error "a"; return true; end; rule n = 2 ==> if f() then n := 2; end; end;`, -1, -1, true, false},
	{"range", `rule n = 2 ==> n := n + 2; end;`, -1, -1, true, false},
	{"undefined", `rule n = 2 ==> n := u + 0; end;`, -1, -1, true, false},
	{"index", `rule n = 2 ==> a[n + 1] := false; end;`, -1, -1, true, false},
	{"division", `rule n = 2 ==> n := n / (n - 2); end;`, -1, -1, true, false},
	{"while", `rule n = 2 ==> while n = 2 do n := 2; end; end;`, -1, -1, true, false},
	{"recursion", `rule n = 2 ==> over(0); end;`, -1, -1, true, false},
	{"multiset", `rule n = 2 ==> multisetadd(1, S); end;`, -1, -1, true, false},
	{"guard", `rule n = 2 & u = 1 ==> n := 0; end;`, -1, -1, true, true},
	{"guard of one instance", `ruleset i: 0..2 do rule n = 2 & a[n + i] ==> n := 2; end; end;`, -1, -1, true, true},
	{"body of one instance", `ruleset i: 0..2 do rule n = 2 ==> assert i != 1 "a"; end; end;`, -1, -1, true, false},
	{"alias around rules", `alias e: a[n + 1] do rule n = 2 & e ==> n := 2; end; end;`, -1, -1, true, true},
	{"another instance steps", `rule n = 2 ==> error "a"; end; rule n = 2 ==> n := 3; end;`, 3, 3, true, false},
	{"error behind a failed assumption", `rule n = 2 ==> assume false; error "a"; end;`, 2, 2, false, false},
	{"error before a failed assumption", `rule n = 2 ==> error "a"; assume false; end;`, -1, -1, true, false},
	{"error in an assumption", `assume n != 3 | u = 1; rule n = 2 ==> n := 3; end;`, -1, -1, true, false},
	{"excluded", `assume n != 3; rule n = 2 ==> n := 3; end;`, -1, -1, false, false},
	{"priority", `rule 1 "late" n = 2 ==> error "a"; end; rule "first" n = 2 ==> n := 2; end;`, 2, -1, false, false},
	{"guard of lesser priority", `rule 1 "late" n = 2 & u = 1 ==> n := 0; end; rule "first" n = 2 ==> n := 2; end;`, -1, -1, true, true},
}

// TestErringStates: a state in which some instance errs is no deadlock, whatever errs
// and how, in every engine; one without errors is, at its depth.
func TestErringStates(t *testing.T) {
	var sum tally
	for _, c := range erringModels {
		for d := model.CMurphi; d <= model.Rumur; d++ {
			for mode := model.Stuttering; mode <= model.DeadlockOff; mode++ {
				name := fmt.Sprintf("%s, %v, %v", c.name, d, mode)
				x := sample{seed: uint64(mode), limit: limit, opt: murphi.Options{Dialect: d, Deadlock: mode, LoopMax: 3}}
				src := fmt.Sprintf(erringModel, c.rules)
				if at := strings.Index(c.rules, "end; rule"); strings.HasPrefix(c.rules, "function") { // which are declared first
					at += len("end;")
					src = strings.Replace(fmt.Sprintf(erringModel, c.rules[at:]), "procedure", c.rules[:at]+" procedure", 1)
				}
				m, err := murphi.Parse("erring.m", []byte(src), x.opt)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				o := search(m, limit)
				dead, first := -1, -1
				for i, q := range m.Props {
					switch {
					case q.Kind == model.Deadlock:
						dead = o.depth[i]
					case o.depth[i] >= 0:
						first = o.depth[i]
					}
				}
				wantDead, wantErr := -1, -1
				switch mode {
				case model.Stuttering:
					wantDead = c.stuttering
				case model.Stuck:
					wantDead = c.stuck
				}
				if c.err {
					wantErr = 3
				}
				if c.guard && d == model.CMurphi {
					wantErr = 2
				}
				if dead != wantDead || first != wantErr {
					t.Errorf("%s: deadlock at %d, error at %d, want %d and %d", name, dead, first, wantDead, wantErr)
				}
				if err := x.check(src, &sum); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				p, _, err := assemble(m, nil)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, e := range []mc.Engine{&cofactor.Engine{NewSolver: newSolver}, &bmc.Inductor{NewSolver: newSolver}} {
					if _, err := o.checkProofs(p, e, time.Minute, &sum); err != nil {
						t.Errorf("%s: %s: %v", name, e.Name(), err)
					}
				}
			}
		}
	}
	t.Logf("%+v", sum)
	if sum.spared < 50 || sum.unproved > 0 || sum.refused > 0 {
		t.Errorf("%d states are no deadlock as an instance errs, %d properties undecided, %d models refused", sum.spared, sum.unproved, sum.refused)
	}
}

// TestErringDeadlockDouble: an encoding that calls a state deadlocked although its only
// instance errs there is refused, and so is a search that does.
func TestErringDeadlockDouble(t *testing.T) {
	m, err := murphi.Parse("double.m", []byte(`var n: 0..1; startstate n := 0; end; rule n = 0 ==> error "no"; end;`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := assemble(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	dead := m.DeadlockProp().Index
	var sum tally
	r, err := run(&bmc.Checker{NewSolver: newSolver}, p, mc.Options{All: true, Bounded: true, MaxDepth: 3}, &sum)
	if err != nil || r.Props[dead].Status != mc.Unknown || r.Props[dead].Bound != 3 {
		t.Fatalf("bmc: %v, %v", r, err)
	}
	double, enc, sys := *p, *p.Enc, *p.Enc.Sys
	sys.Bads = append(slices.Clone(sys.Bads), ts.Bad{Name: "deadlock", Lit: aig.True, Prop: dead})
	enc.Sys, double.Enc = &sys, &enc
	enc.PropBads = slices.Clone(enc.PropBads)
	enc.PropBads[dead] = append(slices.Clone(enc.PropBads[dead]), len(sys.Bads)-1)
	if _, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), &double, mc.Options{All: true, Bounded: true, MaxDepth: 3}); err == nil || !strings.Contains(err.Error(), "no violation") {
		t.Errorf("the double of the encoding: %v", err)
	}
	e, err := (&explicit.Engine{}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil || e.Props[dead].Status != mc.Safe {
		t.Fatalf("explicit: %v, %v", e, err)
	}
	for i, pr := range e.Props {
		if pr.Status == mc.Unsafe { // the trace without the step that errs
			trace := *pr.Trace
			trace.Steps, trace.Prop, trace.Violation = nil, dead, &model.Violation{Prop: dead}
			e.Props[dead] = mc.PropResult{Prop: dead, Status: mc.Unsafe, Engine: "explicit", Bound: -1, Trace: &trace}
			if err := certify.Verify(context.Background(), p, e); err == nil {
				t.Errorf("the double of search: the trace of %q is believed to end in a deadlock", m.Props[i].Name)
			}
			break
		}
	}
}
