package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"orbitmc/benchmarks"
)

// chart is a plot before drawing; see draw.go.
type chart struct {
	name     string // stem of file names
	title    string
	x, y     axis
	series   []series
	guides   []guide
	diagonal bool
}

type axis struct {
	label  string
	log    bool
	lo, hi float64 // lo < hi, and 0 < lo if log
	memory bool    // bytes, with binary units
	whole  bool    // ticks at whole numbers only
}

// series has marks, and a line if there is one.
type series struct {
	name  string
	style int // colour and shape; the index of the configuration
	marks []mark
	line  []mark
}

type mark struct {
	x, y float64
	text string // tooltip
	open bool   // drawn hollow: not solved
}

// guide is a line across the plot, and a band from there to the edge, that
// stands for all values beyond a limit.
type guide struct {
	at       float64
	vertical bool
	text     string
	band     bool
}

// floors of the logarithmic axes: what is smaller is drawn there.
const (
	leastSeconds = 1e-3
	leastBytes   = 1 << 20
)

// cactus is the classic: after x seconds per instance, how many are solved.
func (b *batch) cactus(family string) *chart {
	return b.sorted(family, "cactus", "Cactus plot", axis{label: b.time() + " per instance [s]", log: true},
		func(p *result) float64 { return math.Max(p.cpu, leastSeconds) }, b.limit(), "time limit")
}

// memory is a cactus plot over peak memory.
func (b *batch) memory(family string) *chart {
	return b.sorted(family, "memory", "Memory", axis{label: "peak memory per instance", log: true, memory: true},
		func(p *result) float64 { return math.Max(float64(p.memory), leastBytes) }, float64(b.rec.Limits.Memory), "memory limit")
}

func (b *batch) sorted(family, name, title string, y axis, value func(*result) float64, limit float64, limitName string) *chart {
	c := &chart{name: fileStem(name, family), title: title, y: y}
	if family != "" {
		c.title += ": " + family
	}
	c.x = axis{label: "instances solved", whole: true, hi: 1}
	var all []float64
	for i, config := range b.configs {
		s := series{name: config, style: i}
		type entry struct {
			value float64
			text  string
		}
		var entries []entry
		for _, x := range b.of(family) {
			if p := x.results[config]; p != nil && p.class == solved {
				entries = append(entries, entry{value(p), fmt.Sprintf("%s: %s, %s", config, x.name(), y.text(value(p)))})
			}
		}
		slices.SortFunc(entries, func(p, q entry) int {
			return cmp.Or(cmp.Compare(p.value, q.value), strings.Compare(p.text, q.text))
		})
		for i, e := range entries {
			s.marks = append(s.marks, mark{x: float64(i + 1), y: e.value, text: fmt.Sprintf("%s (number %d)", e.text, i+1)})
			all = append(all, e.value)
		}
		s.line = s.marks
		c.x.hi = math.Max(c.x.hi, float64(len(entries)))
		c.series = append(c.series, s)
	}
	c.x.hi *= 1.03
	c.span(all, limit, limitName)
	return c
}

// span fits the vertical axis to the values, and to the limit, if there is one
// and a value comes within a factor of ten of it.
func (c *chart) span(values []float64, limit float64, name string) {
	if limit > 0 && (len(values) == 0 || slices.Max(values) >= limit/10) {
		c.guides = append(c.guides, guide{at: limit, text: fmt.Sprintf("%s %s", name, c.y.text(limit))})
		values = append(values, limit)
	}
	c.y.span(values)
}

// scaling draws CPU time over N for each model of a family: a line through the
// medians of what was solved, hollow marks on the limit for what was not.
func (b *batch) scaling(family string) []*chart {
	var models []string
	byModel := make(map[string][]*instance)
	for _, x := range b.of(family) {
		if x.n == 0 {
			continue
		}
		if byModel[x.model] == nil {
			models = append(models, x.model)
		}
		byModel[x.model] = append(byModel[x.model], x)
	}
	var out []*chart
	for _, m := range models {
		if c := b.scalingOf(family, m, byModel[m]); c != nil {
			if len(models) == 1 {
				c.name = fileStem("scaling", family)
			}
			out = append(out, c)
		}
	}
	return out
}

func (b *batch) scalingOf(family, model string, instances []*instance) *chart {
	c := &chart{
		name: fileStem("scaling", family+"-"+model), title: "Scaling: " + model,
		x: axis{label: "N", whole: true}, y: axis{label: b.time() + " [s]", log: true},
	}
	limit := b.limit()
	var values []float64
	lo, hi := instances[0].n, instances[0].n
	for _, x := range instances {
		lo, hi = min(lo, x.n), max(hi, x.n)
	}
	if lo == hi {
		return nil
	}
	for i, config := range b.configs {
		s := series{name: config, style: i}
		at := make(map[int64][]float64)
		for _, x := range instances {
			p := x.results[config]
			if p == nil || p.class == skipped {
				continue
			}
			v, open := math.Max(p.cpu, leastSeconds), false
			text := fmt.Sprintf("%s: %s, %s", config, x.name(), secondsText(p.cpu))
			if p.class != solved {
				open = true
				text = fmt.Sprintf("%s: %s, %s after %s", config, x.name(), classNames[p.class], secondsText(p.cpu))
				if limit > 0 {
					v = limit
				}
			} else {
				at[x.n] = append(at[x.n], v)
			}
			values = append(values, v)
			s.marks = append(s.marks, mark{x: float64(x.n), y: v, text: text, open: open})
		}
		for n, vs := range at {
			s.line = append(s.line, mark{x: float64(n), y: median(vs)})
		}
		slices.SortFunc(s.line, func(p, q mark) int { return cmp.Compare(p.x, q.x) })
		if len(s.marks) > 0 {
			c.series = append(c.series, s)
		}
	}
	margin := float64(hi-lo) * 0.05
	c.x.lo, c.x.hi = float64(lo)-margin, float64(hi)+margin
	c.span(values, limit, "time limit")
	return c
}

// scatterPoint is one instance in the scatter plots: where it stands on the
// axis of each configuration, 0 if the configuration did not run it.
type scatterPoint struct {
	Name    string    `json:"name"`
	Family  string    `json:"family"`
	Verdict int       `json:"verdict"` // index into scatterKinds
	At      []float64 `json:"at"`
	Built   []float64 `json:"built,omitempty"` // likewise, building included; nil if nothing was built
	Text    []string  `json:"text"`            // how each configuration ended
}

// scatterKinds are the series of a scatter plot.
var scatterKinds = []string{"safe", "unsafe", "other"}

// scatterAxis is common to all scatter plots of a batch, with building and without. Instances without an
// answer stand in two bands beyond the limit: timeouts, and all other ends.
func (b *batch) scatterAxis() (a axis, points []scatterPoint) {
	most, all := leastSeconds, []float64{}
	for _, x := range b.instances {
		for _, p := range x.results {
			most = math.Max(most, p.built)
			if p.class == solved {
				all = append(all, math.Max(p.bare, leastSeconds), math.Max(p.built, leastSeconds))
			}
		}
	}
	limit := b.limit()
	if limit <= 0 {
		limit = most
	}
	a = axis{log: true}
	a.span(append(all, limit))
	a.hi = limit * bandEnd
	for _, x := range b.instances {
		q := scatterPoint{Name: x.name(), Family: x.family, Verdict: 2, At: make([]float64, len(b.configs)), Text: make([]string, len(b.configs))}
		if b.builds() {
			q.Built = make([]float64, len(b.configs))
		}
		verdict := x.expected
		for i, config := range b.configs {
			p := x.results[config]
			if p == nil {
				continue
			}
			place := func(v float64) float64 { return math.Min(math.Max(v, leastSeconds), limit) }
			switch p.class {
			case solved:
				q.Text[i] = benchmarks.ShortVerdict(p.verdict) + " in " + secondsText(p.bare)
				if p.built > p.bare {
					q.Text[i] += " (with building " + secondsText(p.built) + ")"
				}
				verdict = cmp.Or(verdict, p.verdict)
			case timeout, walltime:
				place = func(float64) float64 { return limit * bandTimeout }
				q.Text[i] = classNames[p.class]
			default:
				place = func(float64) float64 { return limit * bandOther }
				q.Text[i] = classNames[p.class]
			}
			q.At[i] = place(p.bare)
			if q.Built != nil {
				q.Built[i] = place(p.built)
			}
		}
		if i := slices.Index(scatterKinds, verdict); i >= 0 {
			q.Verdict = i
		}
		points = append(points, q)
	}
	return a, points
}

// The bands of a scatter plot, as multiples of the limit: where timeouts stand,
// where the band of the other failures begins, where those stand, the edge.
const (
	bandTimeout = 1.4
	bandSplit   = 2
	bandOther   = 2.8
	bandEnd     = 4
)

// scatter compares configurations i and j, instance by instance.
func (b *batch) scatter(i, j int) *chart {
	a, points := b.scatterAxis()
	limit := a.hi / bandEnd
	c := &chart{
		name: fileStem("scatter", b.configs[i]+"-vs-"+b.configs[j]), title: b.configs[i] + " against " + b.configs[j],
		x: a, y: a, diagonal: true,
	}
	c.x.label, c.y.label = b.configs[i]+": "+b.time()+" [s]", b.configs[j]+": "+b.time()+" [s]"
	for _, vertical := range []bool{false, true} {
		c.guides = append(c.guides,
			guide{at: limit, vertical: vertical, text: "timeout", band: true},
			guide{at: limit * bandSplit, vertical: vertical, text: "other", band: true})
	}
	for k, kind := range scatterKinds {
		s := series{name: kind, style: k}
		for _, q := range points {
			at := q.At
			if b.building && q.Built != nil {
				at = q.Built
			}
			if q.Verdict != k || at[i] == 0 || at[j] == 0 {
				continue
			}
			s.marks = append(s.marks, mark{x: at[i], y: at[j],
				text: fmt.Sprintf("%s: %s %s, %s %s", q.Name, b.configs[i], q.Text[i], b.configs[j], q.Text[j])})
		}
		c.series = append(c.series, s)
	}
	return c
}

// span sets a logarithmic axis to the values above 0, with some room, at least
// one decade.
func (a *axis) span(values []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 1, 1
	}
	room := 0.06 * math.Log10(hi/lo)
	a.lo, a.hi = lo*math.Pow(10, -room), hi*math.Pow(10, room)
	if a.hi < 10*a.lo {
		middle := math.Sqrt(a.lo * a.hi)
		a.lo, a.hi = middle/math.Sqrt(10), middle*math.Sqrt(10)
	}
}

// place maps a value to [0, 1].
func (a *axis) place(v float64) float64 {
	if a.log {
		return math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// text prints a value of the axis.
func (a *axis) text(v float64) string {
	if a.memory {
		return sizeText(v)
	}
	return secondsText(v)
}

// tick is a labelled place on an axis.
type tick struct {
	at   float64
	text string
}

// ticks are at round numbers: decades, with 2 and 5 between if there are few;
// powers of two for memory.
func (a *axis) ticks() []tick {
	var out []tick
	add := func(v float64, text string) {
		if v >= a.lo && v <= a.hi {
			out = append(out, tick{v, text})
		}
	}
	switch {
	case a.memory:
		step := max(1, int(math.Ceil(math.Log2(a.hi/a.lo)/8)))
		for e := 0; e < 60; e += step {
			v := math.Ldexp(1, e)
			add(v, sizeText(v))
		}
	case a.log:
		between := []float64{1}
		if a.hi/a.lo < 1000 {
			between = []float64{1, 2, 5}
		}
		for e := -9; e < 15; e++ {
			for _, m := range between {
				v := m * math.Pow(10, float64(e))
				add(v, numberText(v))
			}
		}
	default:
		step := math.Pow(10, math.Floor(math.Log10((a.hi-a.lo)/5)))
		for _, m := range []float64{1, 2, 5, 10} {
			if (a.hi-a.lo)/(step*m) <= 8 {
				step *= m
				break
			}
		}
		if a.whole {
			step = math.Max(1, math.Round(step))
		}
		for v := math.Ceil(a.lo/step) * step; v <= a.hi; v += step {
			add(v, numberText(v))
		}
	}
	return out
}

// fileStem makes a file name of letters, digits, points and dashes.
func fileStem(kind, what string) string {
	if what == "" {
		return kind
	}
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}
	return kind + "-" + strings.Trim(strings.Map(safe, what), "-.")
}
