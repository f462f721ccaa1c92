package portfolio

import (
	"context"
	"errors"
	"slices"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/mc"
)

// runner is an engine of which each run is told the problem, and ends with its context.
type runner struct {
	problems chan *mc.Problem
	answers  bool // with verdicts when its context ends
}

func (*runner) Name() string { return "explicit" }

func (ru *runner) Run(ctx context.Context, p *mc.Problem, _ mc.Options) (*mc.Result, error) {
	ru.problems <- p
	<-ctx.Done()
	r := mc.NewResult(ru.Name(), p)
	for i := range r.Props {
		if ru.answers {
			r.Props[i].Status = mc.Safe
		}
	}
	return r, nil
}

// TestUpgrade lets explicit search go over from no symmetry to that of a preparation which
// ends later, from symmetry by typing to a preparation that brings no more, and to one that
// comes when the answer is there.
func TestUpgrade(t *testing.T) {
	open := func(symmetry string) (*task.Task, *task.Analysis) {
		tk, err := task.Open(t.Context(), "../../benchmarks/murphi/german.m", task.Options{Symmetry: symmetry})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := tk.Plain(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, err := tk.Quick(t.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		return tk, a
	}
	off, none := open("off")
	auto, typed := open("auto")
	if none.Typed != nil || typed.Typed == nil {
		t.Fatal("typing does not show the symmetry that this test is about")
	}
	for _, c := range []struct {
		name    string
		x       *preparation // that ends while explicit search runs
		answers bool
		want    []int64 // the orders of the groups of the runs
		last    int64   // that of the result
	}{
		{"late symmetry", &preparation{task: off, analysis: typed}, false, []int64{1, 4}, 4},
		{"no more symmetry", &preparation{task: auto, analysis: none}, false, []int64{4}, 4},
		{"an answer", &preparation{task: off, analysis: typed}, true, []int64{1}, 1},
		{"a failure", &preparation{task: off, err: errors.New("refused")}, false, []int64{1}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			e := &runner{make(chan *mc.Problem, 9), c.answers}
			c.x.done = make(chan struct{})
			type result struct {
				p   *mc.Problem
				r   *mc.Result
				err error
			}
			ended := make(chan result)
			go func() {
				p, r, err := (&upgradingEngine{e, c.x}).run(ctx, mc.Options{})
				ended <- result{p, r, err}
			}()
			got := []int64{OrbitSize(<-e.problems).Int64()}
			if c.x.task == auto && got[0] == 1 { // typing took longer than the head start
				got[0] = OrbitSize(<-e.problems).Int64()
			}
			close(c.x.done)
			for range len(c.want) - 1 {
				got = append(got, OrbitSize(<-e.problems).Int64())
			}
			if !c.answers {
				cancel()
			}
			last := <-ended
			cancel()
			if last.err != nil || last.r == nil || OrbitSize(last.p).Int64() != c.last || last.r.Verdict() == mc.Safe != c.answers {
				t.Errorf("the last run: %+v", last)
			}
			for len(e.problems) > 0 {
				got = append(got, OrbitSize(<-e.problems).Int64())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("runs under groups of orders %v, want %v", got, c.want)
			}
		})
	}
}
