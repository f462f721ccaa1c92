package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// Compare relates two batches run by run. Of the runs that both batches solved,
// correctly, it takes the ratio B/A of a metric; repeats are averaged
// (geometrically), so that an instance under a configuration counts once. A
// group of ratios is summarised by the geometric mean and a percentile
// bootstrap interval, Efron and Tibshirani, "An Introduction to the Bootstrap",
// 1993, ch. 13: the instances are drawn anew with replacement, Resamples times.
// The interval says how far the mean depends on which instances are in the
// suite; with one or two instances it says nothing.

// Metrics are the choices of Options.Metric.
var Metrics = []string{"cpu", "wall", "memory"}

// Constants of the bootstrap.
const (
	Seed       = 20260101
	Resamples  = 10000
	Confidence = 0.95
)

// Smaller values count as these: below, a ratio is noise.
const (
	floorSeconds = 0.01
	floorBytes   = 1 << 20
)

// Options steer Compare.
type Options struct {
	Metric    string  // one of Metrics; "" is cpu
	Threshold float64 // the ratio B/A beyond which B regressed; 0 is 1.1
	Building  bool    // counts, in times
}

// Comparison is what Compare found. Lists are sorted by key.
type Comparison struct {
	Metric     string   `json:"metric"`
	Building   bool     `json:"building"` // counts, in times
	Floor      float64  `json:"floor"`    // smaller values count as this, in seconds or bytes
	Threshold  float64  `json:"threshold"`
	Seed       uint64   `json:"seed"`
	Resamples  int      `json:"resamples"`
	Confidence float64  `json:"confidence"`
	A          string   `json:"a"` // conditions
	B          string   `json:"b"`
	Warnings   []string `json:"warnings"`

	Overall Ratio   `json:"overall"`
	Configs []Ratio `json:"configs"`

	NewlySolved []Change `json:"newly_solved"`
	Lost        []Change `json:"lost"`
	NewlyWrong  []Change `json:"newly_wrong"`
	Changed     []Change `json:"changed_verdicts"` // solved by both, differently
	OnlyA       []string `json:"only_a"`           // keys
	OnlyB       []string `json:"only_b"`

	Regressions []string `json:"regressions"` // why B is worse; empty if it is not
}

// Ratio is the geometric mean of B/A over instances.
type Ratio struct {
	Config string  `json:"config"` // "" for all
	Pairs  int     `json:"pairs"`  // instances; with 0 all else is 0
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"` // of the interval
	High   float64 `json:"high"`
}

// Change is a run that ended otherwise.
type Change struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`
}

// Compare compares batch B with batch A. It is an error if they have no run in
// common. A run that is only in one of them is listed, and no regression.
func Compare(a, b *benchmarks.Record, o Options) (*Comparison, error) {
	o.Metric, o.Threshold = cmp.Or(o.Metric, "cpu"), cmp.Or(o.Threshold, 1.1)
	if !slices.Contains(Metrics, o.Metric) {
		return nil, fmt.Errorf("metric %q: want %s", o.Metric, strings.Join(Metrics, ", "))
	}
	if o.Threshold < 1 || math.IsNaN(o.Threshold) || math.IsInf(o.Threshold, 0) {
		return nil, fmt.Errorf("threshold %g: want at least 1", o.Threshold)
	}
	c := &Comparison{
		Metric: o.Metric, Building: o.Building, Floor: floorSeconds, Threshold: o.Threshold, Seed: Seed, Resamples: Resamples, Confidence: Confidence,
		A: conditions(a), B: conditions(b), Warnings: []string{},
		NewlySolved: []Change{}, Lost: []Change{}, NewlyWrong: []Change{}, Changed: []Change{},
		OnlyA: []string{}, OnlyB: []string{}, Regressions: []string{},
	}
	if o.Metric == "memory" {
		c.Floor = floorBytes
	}
	if a.Machine != b.Machine {
		c.Warnings = append(c.Warnings, "the machines differ")
	}
	if a.Digest != b.Digest {
		c.Warnings = append(c.Warnings, "the suites, or their models, differ")
	}
	if a.Limits != b.Limits {
		c.Warnings = append(c.Warnings, "the limits differ")
	}
	if a.Jobs != b.Jobs {
		c.Warnings = append(c.Warnings, "the numbers of runs at a time differ")
	}
	if max(a.Cores, 1) != max(b.Cores, 1) {
		c.Warnings = append(c.Warnings, "the numbers of cores of a run differ")
	}
	logs, matched := c.match(a, b)
	if matched == 0 {
		return nil, fmt.Errorf("the batches have no run in common")
	}
	c.means(logs)
	c.judge()
	return c, nil
}

// match relates the runs and returns, by configuration and instance, the
// logarithms of the ratios of the repeats.
func (c *Comparison) match(a, b *benchmarks.Record) (logs map[string]map[string][]float64, matched int) {
	inB := make(map[string]*benchmarks.Run)
	for i := range b.Runs {
		inB[b.Runs[i].Key] = &b.Runs[i]
	}
	logs = make(map[string]map[string][]float64)
	inA := make(map[string]bool)
	for i := range a.Runs {
		p := &a.Runs[i]
		inA[p.Key] = true
		q := inB[p.Key]
		if q == nil {
			c.OnlyA = append(c.OnlyA, p.Key)
			continue
		}
		matched++
		pc, qc := classOf(p), classOf(q)
		change := Change{p.Key, endText(p), endText(q)}
		switch {
		case pc != solved && qc == solved:
			c.NewlySolved = append(c.NewlySolved, change)
		case pc == solved && qc != solved:
			c.Lost = append(c.Lost, change)
		case pc == solved && !benchmarks.Agree(p.Verdict, q.Verdict):
			c.Changed = append(c.Changed, change)
		case pc == solved:
			if logs[p.Config] == nil {
				logs[p.Config] = make(map[string][]float64)
			}
			x := p.Model + "|" + p.Params
			logs[p.Config][x] = append(logs[p.Config][x], math.Log(c.value(q)/c.value(p)))
		}
		if pc != wrong && qc == wrong {
			c.NewlyWrong = append(c.NewlyWrong, change)
		}
	}
	for i := range b.Runs {
		q := &b.Runs[i]
		if inA[q.Key] {
			continue
		}
		c.OnlyB = append(c.OnlyB, q.Key)
		if classOf(q) == wrong {
			c.NewlyWrong = append(c.NewlyWrong, Change{q.Key, "not run", endText(q)})
		}
	}
	for _, list := range [][]Change{c.NewlySolved, c.Lost, c.NewlyWrong, c.Changed} {
		slices.SortFunc(list, func(p, q Change) int { return compareNatural(p.Key, q.Key) })
	}
	slices.SortFunc(c.OnlyA, compareNatural)
	slices.SortFunc(c.OnlyB, compareNatural)
	return logs, matched
}

// value is the metric of a run, at least the floor.
func (c *Comparison) value(r *benchmarks.Run) float64 {
	switch c.Metric {
	case "wall":
		return math.Max(r.Wall+c.building(r.BuildWall), c.Floor)
	case "memory":
		return math.Max(float64(r.Memory), c.Floor)
	}
	return math.Max(r.CPU+c.building(r.Build), c.Floor)
}

// building is the time of building, if it counts.
func (c *Comparison) building(seconds float64) float64 {
	if c.Building {
		return seconds
	}
	return 0
}

func endText(r *benchmarks.Run) string {
	switch k := classOf(r); k {
	case solved:
		return benchmarks.ShortVerdict(r.Verdict)
	case wrong:
		return "WRONG: " + benchmarks.ShortVerdict(r.Verdict)
	default:
		return classNames[k]
	}
}

// means fills in the ratios.
func (c *Comparison) means(logs map[string]map[string][]float64) {
	c.Configs = []Ratio{}
	var all []float64
	for _, config := range slices.SortedFunc(maps.Keys(logs), compareNatural) {
		xs := lists.Map(slices.Sorted(maps.Keys(logs[config])), func(x string) float64 { return mean(logs[config][x]) })
		c.Configs = append(c.Configs, bootstrap(config, xs))
		all = append(all, xs...)
	}
	c.Overall = bootstrap("", all)
}

// bootstrap returns the mean of logarithms of ratios, as a ratio, with its
// percentile interval. The order of xs matters to the last digits only through
// the draws; callers fix it.
func bootstrap(config string, xs []float64) Ratio {
	r := Ratio{Config: config, Pairs: len(xs)}
	if len(xs) == 0 {
		return r
	}
	rng := rand.New(rand.NewPCG(Seed, uint64(len(xs))))
	means := make([]float64, Resamples)
	for i := range means {
		var sum float64
		for range xs {
			sum += xs[rng.IntN(len(xs))]
		}
		means[i] = sum / float64(len(xs))
	}
	slices.Sort(means)
	tail := (1 - Confidence) / 2
	r.Mean = math.Exp(mean(xs))
	r.Low = math.Exp(means[int(math.Round(tail*(Resamples-1)))])
	r.High = math.Exp(means[int(math.Round((1-tail)*(Resamples-1)))])
	return r
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// judge lists the regressions: an interval above the threshold, a solved run
// lost, a new wrong answer, a verdict that changed.
func (c *Comparison) judge() {
	for _, r := range append([]Ratio{c.Overall}, c.Configs...) {
		if r.Pairs > 0 && r.Low > c.Threshold {
			c.Regressions = append(c.Regressions, fmt.Sprintf("%s: %s grew by a factor of %.3f [%.3f, %.3f], beyond %g",
				cmp.Or(r.Config, "overall"), c.Metric, r.Mean, r.Low, r.High, c.Threshold))
		}
	}
	add := func(n int, one, many string) {
		if n == 1 {
			c.Regressions = append(c.Regressions, "1 "+one)
		} else if n > 1 {
			c.Regressions = append(c.Regressions, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(len(c.Lost), "solved run lost", "solved runs lost")
	add(len(c.NewlyWrong), "new wrong answer", "new wrong answers")
	add(len(c.Changed), "verdict changed", "verdicts changed")
}

// WriteText writes the comparison for people.
func (c *Comparison) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if err := tableTemplates().ExecuteTemplate(tw, "compare.txt.tmpl", c); err != nil {
		return err
	}
	return tw.Flush()
}
