package portfolio

import (
	"context"
	"errors"
	"testing"

	"orbitmc/mc"
	"orbitmc/task"
)

// beginner is an engine that begins without symmetry. It ends with a verdict once it is told the
// rest, or with its context.
type beginner struct{ problems chan *mc.Problem }

func (*beginner) Name() string { return "bmc" }

func (e *beginner) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	e.problems <- p
	r := mc.NewResult(e.Name(), p)
	for opt.Later != nil && ctx.Err() == nil {
		if q := opt.Later(); q != nil {
			e.problems <- q
			opt.Later = nil
		}
	}
	if ctx.Err() == nil {
		for i := range r.Props {
			r.Props[i].Status = mc.Safe
		}
	}
	return r, nil
}

// TestEarly lets an engine begin before the symmetry is known. It is told the symmetry of the same
// system, and begins anew on another system.
func TestEarly(t *testing.T) {
	tk, err := task.Open(t.Context(), "../benchmarks/murphi/german.m", task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var begun *mc.Problem
	a, err := tk.Analyse(t.Context(), true, func(p *mc.Problem) { begun = p })
	if err != nil {
		t.Fatal(err)
	}
	if begun == nil || begun.System() != a.Problem.System() || begun.Group(0) != nil || a.Problem.Group(0).Trivial() {
		t.Fatalf("the early problem %+v", begun)
	}
	other, err := tk.Analyse(t.Context(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		a     *task.Analysis // what is known later
		err   error          // why nothing is
		early bool
		want  []*mc.Problem // that the engine sees
		last  *mc.Problem   // of the result
	}{
		{"the same system", a, nil, true, []*mc.Problem{begun, a.Problem}, begun},
		{"another system", other, nil, true, []*mc.Problem{begun, other.Problem}, other.Problem},
		{"a failure", nil, errors.New("refused"), true, []*mc.Problem{begun}, nil},
		{"nothing early", a, nil, false, []*mc.Problem{a.Problem}, a.Problem},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &beginner{make(chan *mc.Problem, 9)}
			x := &preparation{done: make(chan struct{}), encoded: make(chan struct{}), a: c.a, err: c.err}
			if c.early {
				x.early = begun
				close(x.encoded)
			}
			type result struct {
				p   *mc.Problem
				r   *mc.Result
				err error
			}
			ended := make(chan result, 1)
			go func() {
				p, r, err := (&early{e, tk, x}).run(t.Context(), mc.Options{})
				ended <- result{p, r, err}
			}()
			for i, want := range c.want {
				if i == 1 || !c.early {
					close(x.done)
				}
				if got := <-e.problems; got != want {
					t.Errorf("problem %d is %p, want %p", i, got, want)
				}
			}
			if c.err != nil {
				close(x.done)
			}
			got := <-ended
			if got.err != nil || got.p != c.last || (got.r == nil) != (c.last == nil) || got.r != nil && got.r.Open() > 0 {
				t.Errorf("the result is %+v", got)
			}
			if len(e.problems) > 0 {
				t.Errorf("%d more problems", len(e.problems))
			}
		})
	}
}
