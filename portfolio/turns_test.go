package portfolio

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/task"
)

// workers run engines that do nothing but spend a tenth of a slice at a time until one of them has spent
// enough. It returns what each has spent, and how many ran at the same time at most.
func workers(t *testing.T, cores int, enough int64, each []func(x *turn)) (spent []int64, atOnce int32) {
	t.Helper()
	shared := &turns{cores: cores}
	spent = make([]int64, len(each))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var running, most atomic.Int32
		begin := make(chan bool)
		for i, e := range each {
			x := shared.take(e != nil)
			go func() {
				defer x.leave()
				x.spend(ctx, 0) // one has the core now, the others wait
				<-begin
				for spent[i] < enough && ctx.Err() == nil {
					n := running.Add(1)
					most.Store(max(n, most.Load()))
					spent[i] += slice / 10
					if e != nil {
						e(x)
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
// more at first, then fewer, and fewest where depths are cheap.
func TestTurns(t *testing.T) {
	spent, atOnce := workers(t, 1, 100*slice, make([]func(*turn), 3))
	for i, n := range spent {
		if n < 100*slice*(part-1)/part-slice {
			t.Errorf("engine %d of %v has too few steps", i, spent)
		}
	}
	if atOnce != 1 {
		t.Errorf("%d engines on one core", atOnce)
	}
	if spent, _ = workers(t, 1, early, []func(*turn){nil, (*turn).deepened}); math.Abs(float64(spent[0])-early/firstShare) > 2*slice {
		t.Errorf("early bounded search and another one have %v", spent)
	}
	const others = 100*slice - early/firstShare // steps of the other one after the first share
	for _, c := range []struct {
		name  string
		depth func(*turn)
		share float64
	}{
		{"dear", func(*turn) {}, dearShare},
		{"cheap", (*turn).deepened, cheapShare},
	} {
		spent, _ = workers(t, 1, 100*slice, []func(*turn){nil, c.depth})
		if want := early + others*c.share; math.Abs(float64(spent[1])-want) > 100*slice/part {
			t.Errorf("bounded search whose depths are %s and another one have %v, want %v", c.name, spent, want)
		}
	}
}

// TestLateTurn: an engine that comes late makes up for what the other one did, and one that leaves its turn or
// waits when the run ends stops nobody.
func TestLateTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		shared := &turns{cores: 1}
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
		var none *turn
		none.spend(none.with(ctx), 1)
		none.leave()
	})
}

// turner is an engine that spends slices, and ends with a verdict.
type turner struct {
	name          string
	running, most *atomic.Int32
	pauses        bool
}

func (e *turner) run(ctx context.Context, p *mc.Problem) *mc.Result {
	pause := sat.PauseOf(ctx)
	e.pauses = pause != nil
	for i := 0; i < 50 && e.pauses; i++ {
		pause(slice / 2)
		e.most.Store(max(e.running.Add(1), e.most.Load()))
		runtime.Gosched()
		e.running.Add(-1)
	}
	return mc.NewResult(e.name, p)
}

// TestRaceTurns: engines on a netlist take turns if there are fewer cores. Otherwise, and on models, they run freely.
func TestRaceTurns(t *testing.T) {
	for _, c := range []struct {
		file  string
		cores int
		turns bool
	}{
		{"../benchmarks/netlists/german_tight_safe_4.aig", 1, true},
		{"../benchmarks/netlists/german_tight_safe_4.aig", 3, false},
		{"../benchmarks/murphi/german.m", 1, false},
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
		if _, err := race(t.Context(), ctx, cancel, tk.Problem, racers, mc.Options{}, c.cores); err != nil {
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
