package declared_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/detect/declared"
	"orbitmc/detect/infer"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/pace"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// What is reported when a budget of time or a limit of steps ends the work.

// slow is a prover that never decides anything.
type slow struct{ verify.Prover }

func (slow) Solve(ctx context.Context, _ ...aig.Lit) sat.Status { <-ctx.Done(); return sat.Unknown }

// Once the budget did not decide an exchange for a property, the others of that class are
// compared and not asked for. The model has all of its symmetry.
func TestBudgetOfProperties(t *testing.T) {
	e := encoded(t, "test.m", `
type P: scalarset(5);
var up: array[P] of boolean;
function many(): 0..5; var n: 0..5; begin
  n := 0;
  for i: P do if up[i] then n := n + 1; end; end;
  return n;
end;
startstate for i: P do up[i] := false; end; end;
ruleset i: P do rule "flip" true ==> begin up[i] := !up[i]; end; end;
invariant "few" many() < 4;
`, murphi.Options{})
	r := check(t, e, e, declared.Options{Verify: verify.Options{
		NewProver: func(g *aig.Graph) verify.Prover { return slow{newProver(g)} },
		Budget:    5 * time.Millisecond,
	}})
	if got := blocks(e, r.System); got != "[[[0 1 2 3 4]]]" {
		t.Errorf("blocks %s", got)
	}
	undecided := 0
	for _, f := range r.Refutations {
		if f.Undecided && f.Prop == 0 && strings.Contains(f.Text, "not verified within the budget") {
			undecided++
		}
	}
	if r.Queries != 1 || undecided < 4 || undecided != r.Unproved || r.Refuted != 0 {
		t.Errorf("%d queries, %d of %d refutations undecided", r.Queries, undecided, r.Unproved)
	}
}

func TestBudget(t *testing.T) {
	e := encoded(t, "sem_counter.m", "", murphi.Options{Consts: map[string]string{"N": "3"}})
	opt := declared.Options{
		Verify: verify.Options{
			NewProver: func(g *aig.Graph) verify.Prover { return slow{newProver(g)} },
			Budget:    20 * time.Millisecond,
		},
	}
	r := check(t, e, e, opt)
	// The first two values are added to nothing, so structure shows that they commute.
	if got := blocks(e, r.System); got != "[[[0 1] [2]]]" || r.Refuted != 0 || r.Unproved == 0 || r.VerifiedBySAT != 0 {
		t.Errorf("order %v, %d refuted", r.System.Order(), r.Refuted)
	}
	for _, f := range r.Refutations {
		if !f.Undecided || f.State != nil || f.Rule != nil || !strings.Contains(f.Text, "not verified within the budget") {
			t.Errorf("%+v", f)
		}
	}
	opt.Verify.Budget = time.Hour
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := declared.Check(ctx, e.Model, e, e.Sys, e.PropBads, opt); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: error %v", err)
	}
	opt.Verify.Budget = -1
	if _, err := declared.Check(context.Background(), e.Model, e, e.Sys, e.PropBads, opt); err == nil {
		t.Error("a negative budget is accepted")
	}
}

// TestLimit: whatever the limit of steps, what is reported was verified: it is part of what
// holds, the same in each run, and says which classes are open. Enough steps find all.
func TestLimit(t *testing.T) {
	for _, file := range []string{"sem_counter.m", "readers_writers.m", "german_range.m", "token_ring.m"} {
		e := encoded(t, file, "", murphi.Options{})
		inferred, result := infer.Classes(e.Model)
		if e2, err := encode.Model(context.Background(), inferred); err == nil {
			e = e2
		}
		opt := declared.Options{Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover {
			return cnf.NewFocusedProver(g, pace.Counted(cdcl.New(), nil))
		}}, Inferred: result}
		whole := check(t, e, e, opt)
		if whole.System.Trivial() {
			t.Fatalf("%s has no symmetry", file)
		}
		ended, partial := 0, 0
		all := false
		for steps := int64(1); !all; steps *= 2 {
			var texts [2]string
			for i := range texts {
				l, ctx, cancel := pace.NewLimit(t.Context(), steps, nil)
				r, err := declared.Check(l.With(ctx), e.Model, e, e.Sys, e.PropBads, opt)
				cancel()
				if err != nil {
					t.Fatalf("%s, %d steps: %v", file, steps, err)
				}
				if r.Tried != r.VerifiedStructurally+r.VerifiedBySAT+r.Refuted+r.Unproved || r.Refuted+r.Unproved != len(r.Refutations) {
					t.Errorf("%s, %d steps: the counts of the report do not add up: %+v", file, steps, r)
				}
				if new(big.Int).Mod(whole.System.Order(), r.System.Order()).Sign() != 0 || new(big.Int).Mod(whole.Common.Order(), r.Common.Order()).Sign() != 0 {
					t.Errorf("%s, %d steps: order %v of %v", file, steps, r.System.Order(), whole.System.Order())
				}
				if r.System.Order().Cmp(whole.System.Order()) < 0 && len(r.Open) == 0 {
					t.Errorf("%s, %d steps: order %v, and nothing is open", file, steps, r.System.Order())
				}
				r.Time = 0
				texts[i] = fmt.Sprint(blocks(e, r.System), blocks(e, r.Common), r.Refutations, r.Open)
				if i == 0 && len(r.Open) > 0 {
					ended++
					if !r.System.Trivial() {
						partial++
					}
				}
				all = len(r.Open) == 0
			}
			if texts[0] != texts[1] {
				t.Errorf("%s, %d steps: two runs differ:\n%s\n%s", file, steps, texts[0], texts[1])
			}
		}
		t.Logf("%s: %d limits ended the work, %d with some symmetry", file, ended, partial)
		if ended == 0 {
			t.Errorf("%s: no limit ended the work", file)
		}
	}
}
