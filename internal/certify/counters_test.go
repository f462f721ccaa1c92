package certify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/counters"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestCutOff: a violation that counters show only because they stop is not told. Three components can take a step each, and
// one of many is taken away as often as one likes.
func TestCutOff(t *testing.T) {
	m, err := murphi.Parse("cut.m", []byte(`type PROC: scalarset(3); var Done: array[PROC] of boolean; G: 0..3;
startstate for p: PROC do Done[p] := false; end; G := 0; end;
ruleset p: PROC do rule "Go" !Done[p] ==> begin Done[p] := true; G := G + 1; end; end;
invariant "few" G <= 3;
cover "more" G = 3;`), murphi.Options{Deadlock: model.DeadlockOff})
	if err != nil {
		t.Fatal(err)
	}
	for cut, spurious := range map[int]bool{1: true, 2: true, 3: false} {
		tr, err := counters.Any(m, nil, cut)
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: tr.Model, Program: model.Compile(tr.Model), Counters: tr}}
		for i := range tr.Model.Props {
			p.Props = append(p.Props, i)
		}
		r, err := (&explicit.Engine{}).Run(context.Background(), p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for _, pr := range r.Props {
			shown = shown || pr.Status == mc.Unsafe
		}
		if shown != spurious {
			t.Errorf("up to %d: the counters show a violation: %v, want %v", cut, shown, spurious)
		}
		if err := certify.Verify(context.Background(), p, r); err != nil {
			t.Errorf("up to %d: %v", cut, err)
		}
		for _, pr := range r.Props {
			q := tr.Model.Props[pr.Prop]
			undecided := tr.Cut > 0 && (q.Kind == model.Cover || q.Kind == model.RuntimeError)
			if want := map[bool]mc.Status{true: mc.Unknown, false: mc.Safe}[undecided]; pr.Status != want || pr.Trace != nil && q.Kind != model.Cover {
				t.Errorf("up to %d: %s is %v, want %v", cut, q.Name, pr.Status, want)
			}
		}
	}
}

// TestCounters: what a search of counters has visited is evidence on the model. If the counters lack a
// rule, or have one that the model lacks, it is none, a trace does not lift, and the comparison tells.
func TestCounters(t *testing.T) {
	ctx := context.Background()
	search := func(tr *counters.Translation) (*mc.Result, error) {
		p := &mc.Problem{OfModel: mc.OfModel{Model: tr.Model, Program: model.Compile(tr.Model), Counters: tr}}
		for i := range tr.Model.Props {
			p.Props = append(p.Props, i)
		}
		r, err := (&explicit.Engine{}).Run(ctx, p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		return r, certify.Verify(ctx, p, r)
	}
	translate := func(name string) *counters.Translation {
		m, err := murphi.ReadFile("../../benchmarks/murphi/"+name+".m", murphi.Options{Consts: map[string]string{"N": "4"}})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := counters.Any(m, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	for _, name := range []string{"mutex_sem", "sem_counter", "sem_counter_bug"} {
		tr := translate(name)
		r, err := search(tr)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, pr := range r.Props {
			want := "counted, and written out as states of the model"
			if pr.Status == mc.Unsafe {
				want = "trace lifted from the counters and replayed"
			}
			if pr.Status == mc.Unknown || !strings.Contains(pr.Evidence, want) || pr.Trace != nil && len(pr.Trace.StartState) != tr.Concrete.Leaves() {
				t.Errorf("%s: %s is %v: %s", name, tr.Model.Props[pr.Prop].Name, pr.Status, pr.Evidence)
			}
		}
		if _, err := certify.Counters(ctx, tr); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range translate("sem_counter").Model.Rules {
		tr := translate("sem_counter")
		tr.Model.Rules[i].Guard = &model.ConstExpr{T: model.BoolType} // it is never enabled
		r, err := search(tr)
		if all := r.Closure.Len() == 12; all != (err == nil) || err != nil && !strings.Contains(err.Error(), "missing") {
			t.Errorf("without rule %d, %d states of 12: %v", i, r.Closure.Len(), err)
		}
		if _, err := certify.Counters(ctx, tr); err == nil {
			t.Errorf("without rule %d: no difference is found", i)
		}
	}
	tr := translate("mutex_sem")
	p := slices.IndexFunc(tr.Model.Rules, func(r *model.Rule) bool { return r.Name == "P" })
	tr.Model.Rules[p].Guard = tr.Model.Rules[p].Guard.(*model.Binary).X // the semaphore is not looked at
	if _, err := search(tr); err == nil || !strings.Contains(err.Error(), "is none of the model without counters") {
		t.Errorf("with a guard that is too weak: %v", err)
	}
	if _, err := certify.Counters(ctx, tr); err == nil {
		t.Error("with a guard that is too weak: no difference is found")
	}

	// Two components exchange what they hold, and nothing else happens: no deadlock, though the counters stay.
	m, err := murphi.Parse("swap.m", []byte(`type PROC: scalarset(2); var Has: array[PROC] of boolean;
ruleset p: PROC do startstate clear Has; Has[p] := true; end; end;
ruleset p: PROC; q: PROC do rule "Pass" Has[p] & p != q ==> begin Has[p] := false; Has[q] := true; end; end;`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tr, err = counters.Any(m, nil, 0); err != nil {
		t.Fatal(err)
	}
	r, err := search(tr)
	if last := r.Props[len(r.Props)-1]; err != nil || tr.Model.Props[last.Prop].Kind != model.Deadlock || last.Status != mc.Unknown || !strings.Contains(r.Stopped, "exchange") {
		t.Errorf("exchange: %v, %v, %q", r.Props, err, r.Stopped)
	}
}
