package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

// pair makes two batches whose instances under configuration "c" relate by the
// given ratios of CPU time.
func pair(ratios ...float64) (a, b *benchmarks.Record) {
	a, b = new(benchmarks.Record), new(benchmarks.Record)
	for i, r := range ratios {
		x := quick("c", fmt.Sprintf("m%d", i), "ok", "safe", 1)
		a.Runs = append(a.Runs, x)
		x.CPU, x.Wall, x.Memory = r, 1/r, x.Memory*2
		b.Runs = append(b.Runs, x)
	}
	return a, b
}

func compared(t *testing.T, a, b *benchmarks.Record, o Options) *Comparison {
	t.Helper()
	c, err := Compare(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func near(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

func TestRatios(t *testing.T) {
	// All ratios 2: mean and interval are 2 exactly.
	a, b := pair(2, 2, 2, 2)
	c := compared(t, a, b, Options{})
	if r := c.Overall; r.Pairs != 4 || !near(r.Mean, 2) || !near(r.Low, 2) || !near(r.High, 2) {
		t.Errorf("%+v", r)
	}
	if len(c.Regressions) != 2 { // overall and c
		t.Errorf("regressions %q", c.Regressions)
	}
	if c = compared(t, a, b, Options{Threshold: 2.1}); len(c.Regressions) != 0 {
		t.Errorf("within the threshold: %q", c.Regressions)
	}
	if c = compared(t, a, b, Options{Metric: "wall"}); !near(c.Overall.Mean, 0.5) || len(c.Regressions) != 0 {
		t.Errorf("wall: %+v %q", c.Overall, c.Regressions)
	}
	if c = compared(t, a, b, Options{Metric: "memory"}); !near(c.Overall.Mean, 2) {
		t.Errorf("memory: %+v", c.Overall)
	}
	// 1/2, 1, 2, 4: geometric mean √2, far from certain.
	a, b = pair(0.5, 1, 2, 4)
	c = compared(t, a, b, Options{})
	if r := c.Overall; !near(r.Mean, math.Sqrt2) || r.Low >= 1 || r.Low < 0.5 || r.High <= 2 || r.High > 4 {
		t.Errorf("%+v", r)
	}
	if len(c.Regressions) != 0 {
		t.Errorf("an interval around 1 is no regression: %q", c.Regressions)
	}
	if again := compared(t, a, b, Options{}); !reflect.DeepEqual(c, again) {
		t.Error("two comparisons of the same differ")
	}
}

// TestBootstrap checks the interval against the exact distribution: of two
// ratios 1 and 4 the means drawn are 1, 2, 4 with probabilities 1/4, 1/2, 1/4;
// of 64 mixed ratios it is close to the normal interval.
func TestBootstrap(t *testing.T) {
	r := bootstrap("", []float64{0, math.Log(4)})
	if !near(r.Mean, 2) || !near(r.Low, 1) || !near(r.High, 4) {
		t.Errorf("%+v", r)
	}
	var xs []float64
	for i := range 64 {
		xs = append(xs, math.Log(1.2)+0.4*float64(i%2*2-1))
	}
	r = bootstrap("", xs)
	half := 1.96 * 0.4 / 8
	if math.Abs(math.Log(r.Low)-(math.Log(1.2)-half)) > 0.015 || math.Abs(math.Log(r.High)-(math.Log(1.2)+half)) > 0.015 {
		t.Errorf("%+v, want about 1.2 times or by e^%v", r, half)
	}
}

func TestRepeatsCountOnce(t *testing.T) {
	a, b := pair(4, 1)
	for i := range 9 { // nine repeats of the second, none of the first
		x, y := a.Runs[1], b.Runs[1]
		x.Repeat, x.Key = i+1, fmt.Sprint("r", i)
		y.Repeat, y.Key = x.Repeat, x.Key
		a.Runs, b.Runs = append(a.Runs, x), append(b.Runs, y)
	}
	if r := compared(t, a, b, Options{}).Overall; r.Pairs != 2 || !near(r.Mean, 2) {
		t.Errorf("%+v", r)
	}
}

func TestFloor(t *testing.T) {
	a, b := pair(1)
	a.Runs[0].CPU, b.Runs[0].CPU = 0, 0.005
	if r := compared(t, a, b, Options{}).Overall; !near(r.Mean, 1) {
		t.Errorf("%+v", r)
	}
}

func TestChanges(t *testing.T) {
	a := &benchmarks.Record{Runs: []benchmarks.Run{
		quick("c", "same", "ok", "safe", 1), quick("c", "lost", "ok", "safe", 1), quick("c", "new", "timeout", "unknown", 1),
		quick("c", "changed", "ok", "safe", 1), quick("c", "wrong", "timeout", "unknown", 1), quick("c", "gone", "ok", "safe", 1),
		quick("c", "still", "ok", "safe", 1),
	}}
	b := &benchmarks.Record{Jobs: 2, Cores: 2, Runs: []benchmarks.Run{
		quick("c", "same", "ok", "safe", 1), quick("c", "lost", "memout", "unknown", 1), quick("c", "new", "ok", "unsafe", 1),
		quick("c", "changed", "ok", "unsafe", 1), quick("c", "wrong", "ok", "unsafe", 1), quick("c", "extra", "ok", "safe", 1),
		quick("c", "still", "ok", "safe", 1),
	}}
	a.Runs[6].Wrong, b.Runs[6].Wrong, b.Runs[4].Expected = true, true, "safe" // one was wrong before
	c := compared(t, a, b, Options{})
	check := func(name string, got any, want string) {
		t.Helper()
		if s := fmt.Sprint(got); s != want {
			t.Errorf("%s: got %s, want %s", name, s, want)
		}
	}
	check("new", c.NewlySolved, "[{new||c|0 timeout unsafe}]")
	check("lost", c.Lost, "[{lost||c|0 safe memout}]")
	check("changed", c.Changed, "[{changed||c|0 safe unsafe}]")
	check("wrong", c.NewlyWrong, "[{wrong||c|0 timeout WRONG: unsafe}]")
	check("only", [][]string{c.OnlyA, c.OnlyB}, "[[gone||c|0] [extra||c|0]]")
	check("regressions", strings.Join(c.Regressions, "; "), "1 solved run lost; 1 new wrong answer; 1 verdict changed")
	check("pairs", c.Overall.Pairs, "1")
	check("warnings", c.Warnings, "[the numbers of runs at a time differ the numbers of cores of a run differ]")

	var w bytes.Buffer
	if err := c.WriteText(&w); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"REGRESSION: 1 solved run lost\n", "10000 resamples, seed 20260101", "  overall        1          1.000           [1.000, 1.000]\n",
		"lost: 1\n  lost||c|0: safe -> memout\n", "only in A: 1\n  gone||c|0\n"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("lacks %q in\n%s", want, w.String())
		}
	}
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), `"lost":[{"key":"lost||c|0","a":"safe","b":"memout"}]`) {
		t.Errorf("%s %v", text, err)
	}
}

func TestCompareRejects(t *testing.T) {
	a, b := pair(1)
	for _, o := range []Options{{Metric: "luck"}, {Threshold: 0.5}, {Threshold: math.NaN()}} {
		if _, err := Compare(a, b, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	b.Runs[0].Key = "other"
	if _, err := Compare(a, b, Options{}); err == nil {
		t.Error("nothing in common, no error")
	}
}
