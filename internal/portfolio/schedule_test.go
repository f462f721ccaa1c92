package portfolio

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/sat"
)

// worker is an engine that does nothing but spend a tenth of a slice at a time.
type worker struct {
	deepens bool
	each    func(x *client) // what it does each time; nil: nothing more
}

// share runs workers until one of them has spent enough. It returns what each has spent, and how many ran at the same
// time at most.
func share(t *testing.T, cores int, enough int64, workers ...worker) (spent []int64, atOnce int32) {
	t.Helper()
	shared := &scheduler{cores: cores}
	spent = make([]int64, len(workers))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var running, most atomic.Int32
		begin := make(chan bool)
		for i, e := range workers {
			x := shared.take(e.deepens)
			go func() {
				defer x.leave()
				x.spend(ctx, 0) // one has the core now, the others wait
				<-begin
				for spent[i] < enough && ctx.Err() == nil {
					n := running.Add(1)
					most.Store(max(n, most.Load()))
					spent[i] += slice / 10
					if e.each != nil {
						e.each(x)
					}
					running.Add(-1)
					x.spend(ctx, slice/10)
				}
				cancel()
			}()
			synctest.Wait()
		}
		close(begin)
		<-ctx.Done()
		synctest.Wait()
		atOnce = most.Load()
	})
	return spent, atOnce
}

// TestTurns: engines on one core have the same steps, up to turns, and one of them runs at a time. Bounded search has
// half of them, but more while it is deeper: twice as many early, and in a long run while depths are dear a little more
// than the others, counted from the beginning. In a longer one it has as many if it is as deep.
func TestTurns(t *testing.T) {
	spent, atOnce := share(t, 1, 100*slice, make([]worker, 3)...)
	for i, n := range spent {
		if n < 100*slice*(part-1)/part-slice {
			t.Errorf("engine %d of %v has too few steps", i, spent)
		}
	}
	if atOnce != 1 {
		t.Errorf("%d engines on one core", atOnce)
	}
	deep := func(d int) func(*client) {
		return func(x *client) {
			if x.depth < d {
				x.deepened(d)
			}
		}
	}
	cheap := func(x *client) { x.deepened(x.depth + 1) }
	const enough = 800 * slice // steps of the other engine
	const after = enough - early/earlyShare
	for _, c := range []struct {
		name   string
		depth  func(*client)
		other  int // depth of the other engine
		enough int64
		want   float64
	}{
		{"dear, and deeper", deep(9), 8, enough, enough * longShare},
		{"dear, and as deep", deep(9), 9, enough, enough * otherShare},
		{"dear, and as deep, longer", deep(9), 9, 4 * enough, 4 * enough * longerShare},
		{"dear, and less deep", deep(9), 10, 4 * enough, 4 * enough * otherShare},
		{"cheap, and deeper, longer", cheap, 0, 4 * enough, early + (4*enough-early/earlyShare)*otherShare},
		{"cheap, and deeper", cheap, 0, enough, early + after*otherShare},
		{"early, and two deeper", deep(9), 7, early / 4, early / 4 * earlyShare},
		{"early, and deeper", deep(9), 8, early / 4, early / 4 * otherShare},
	} {
		spent, _ = share(t, 1, c.enough, worker{each: deep(c.other)}, worker{true, c.depth})
		got, want := float64(spent[1]), c.want
		if spent[0] < c.enough { // bounded search was the first to have enough
			got, want = float64(spent[0]), float64(c.enough)/(c.want/float64(c.enough))
		}
		if math.Abs(got-want) > max(want/part, 2*slice) {
			t.Errorf("with bounded search whose depths are %s, the slower of %v should have %.0f", c.name, spent, want)
		}
	}
}

// TestLateTurn: an engine that comes late makes up for what the other one did, and one that leaves its turn or
// waits when the run ends stops nobody.
func TestLateTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		shared := &scheduler{cores: 1}
		first, second := shared.take(false), shared.take(false)
		first.spend(ctx, 50*slice)
		waits := make(chan bool)
		go func() {
			second.spend(ctx, 0)
			waits <- true
			second.spend(ctx, 49*slice)
			second.leave()
			waits <- true
		}()
		synctest.Wait()
		done := make(chan bool)
		go func() {
			first.spend(ctx, 50*slice/part)
			first.spend(ctx, slice)
			done <- true
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("the first engine goes on before the second has made up for its steps")
		default:
		}
		<-waits
		<-waits
		<-done
		third := shared.take(false)
		go func() { third.spend(ctx, 0); done <- true }()
		synctest.Wait()
		cancel()
		<-done
		third.leave()
		first.leave()
		if shared.cores != 1 || len(shared.waiting) != 0 {
			t.Errorf("%d cores are free, %d engines wait", shared.cores, len(shared.waiting))
		}
		var none *client
		none.spend(none.with(ctx), 1)
		none.leave()
	})
}

// TestLead: when engines begin anew, bounded search may do what it did before, by share, until others get turns. It keeps that
// in long runs, and a shorter run takes nothing from it.
func TestLead(t *testing.T) {
	l := &lead{}
	first := &scheduler{cores: 1}
	deep, other := first.take(true), first.take(false)
	l.give(deep)
	l.give(other)
	deep.spend(t.Context(), 30*slice)
	did := deep.passed
	l.note()
	if l.steps != did || did < 10*slice {
		t.Errorf("a lead of %v, bounded search did %v", l.steps, did)
	}
	second := &scheduler{cores: 1}
	again := second.take(true)
	l.give(again)
	if again.passed != -did || other.passed != 0 {
		t.Errorf("bounded search begins at %v, others at %v, after %v", again.passed, other.passed, did)
	}
	l.note()
	for _, steps := range []int64{long, longer} {
		again.steps = steps
		again.pass(0)
		if want := float64(steps)/longShare - did; again.passed != want {
			t.Errorf("after %d steps it has %v, want %v", steps, again.passed, want)
		}
	}
	var alone lead // without bounded search, or on models
	alone.give(nil)
	alone.note()
	if l.steps != did || alone.steps != 0 {
		t.Errorf("leads of %v and %v", l.steps, alone.steps)
	}
}

// turner is an engine that spends slices, and ends with a verdict.
type turner struct {
	name          string
	running, most *atomic.Int32
	pauses        bool
}

func (t *turner) run(ctx context.Context, p *mc.Problem) *mc.Result {
	pause := sat.PauseOf(ctx)
	t.pauses = pause != nil
	for i := 0; i < 50 && t.pauses; i++ {
		pause(slice / 2)
		t.most.Store(max(t.running.Add(1), t.most.Load()))
		runtime.Gosched()
		t.running.Add(-1)
	}
	return mc.NewResult(t.name, p)
}

// TestRaceTurns: engines on a netlist take turns if there are fewer cores. Otherwise, and on models, they run freely.
func TestRaceTurns(t *testing.T) {
	for _, c := range []struct {
		file  string
		cores int
		turns bool
	}{
		{"../../benchmarks/netlists/german_tight_safe_4.aig", 1, true},
		{"../../benchmarks/netlists/german_tight_safe_4.aig", 3, false},
		{"../../benchmarks/murphi/german.m", 1, false},
	} {
		tk, err := task.Open(t.Context(), c.file, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var running, most atomic.Int32
		var racers []racer
		var engines []*turner
		for _, name := range []string{"bmc", "pdr", "explicit"} {
			e := &turner{name: name, running: &running, most: &most}
			engines = append(engines, e)
			racers = append(racers, racer{name, func(ctx context.Context, _ mc.Options) (*mc.Problem, *mc.Result, error) {
				return tk.Problem, e.run(ctx, tk.Problem), nil
			}})
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, _, err := race(t.Context(), ctx, cancel, tk.Problem, racers, mc.Options{}, c.cores, &lead{}); err != nil {
			t.Fatal(err)
		}
		cancel()
		for _, e := range engines {
			if e.pauses != c.turns {
				t.Errorf("%s, %d cores: %s takes turns: %v", c.file, c.cores, e.name, e.pauses)
			}
		}
		if c.turns && most.Load() != 1 {
			t.Errorf("%s: %d engines on %d cores", c.file, most.Load(), c.cores)
		}
	}
}

// TestIdleDepths: an engine whose depths take no query lets others on, too.
func TestIdleDepths(t *testing.T) {
	tk, err := task.Open(t.Context(), "../../benchmarks/netlists/german_tight_safe_4.aig", task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	idle := racer{"bmc", func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
		for depth := 0; ctx.Err() == nil; depth++ {
			opt.Event(mc.Event{Engine: "bmc", Depth: depth})
		}
		return tk.Problem, mc.NewResult("bmc", tk.Problem), nil
	}}
	other := racer{"pdr", func(ctx context.Context, _ mc.Options) (*mc.Problem, *mc.Result, error) {
		for range 100 {
			sat.PauseOf(ctx)(slice)
		}
		cancel()
		return tk.Problem, mc.NewResult("pdr", tk.Problem), nil
	}}
	if _, _, err := race(t.Context(), ctx, cancel, tk.Problem, []racer{idle, other}, mc.Options{}, 1, &lead{}); err != nil {
		t.Fatal(err)
	}
}
