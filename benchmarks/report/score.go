package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// How a result counts. The order is that of severity: of several repeats the
// most severe decides.
const (
	solved = iota
	unknown
	skipped
	timeout // of CPU
	walltime
	memout
	failed
	wrong
)

var classNames = [...]string{"solved", "unknown", "skipped", "timeout", "walltime", "memout", "failed", "wrong"}

// classOf says how a run counts. A verdict that contradicts the expected one is
// wrong whether or not the runner said so.
func classOf(r *benchmarks.Run) int {
	switch {
	case r.Wrong, r.Solved() && r.Expected != "" && !benchmarks.Agree(r.Verdict, r.Expected):
		return wrong
	case r.Solved():
		return solved
	}
	switch r.Status {
	case benchmarks.OK:
		return unknown
	case benchmarks.Timeout:
		return timeout
	case benchmarks.Walltime:
		return walltime
	case benchmarks.Memout:
		return memout
	case benchmarks.Skipped:
		return skipped
	}
	return failed
}

// result is what one configuration made of one instance.
type result struct {
	class   int
	verdict string // of the run that decides the class
	decider *benchmarks.Run
	runs    []*benchmarks.Run
	cpu     float64 // median over the repeats, seconds; bare or built
	bare    float64 // CPU time without building
	built   float64 // and with it
	wall    float64 // without building, likewise
	build   float64 // wall time of building, likewise
	memory  int64   // largest over the repeats, bytes
}

// instance is a model with its parameters.
type instance struct {
	family, model, params string
	n                     int64
	expected              string
	results               map[string]*result // by configuration; nil if it did not run
}

func (i *instance) name() string {
	if i.params == "" {
		return i.model
	}
	return i.model + " " + i.params
}

// batch is a record arranged for scoring.
type batch struct {
	rec       *benchmarks.Record
	building  bool     // counts as CPU time
	configs   []string // sorted
	families  []string // sorted
	instances []*instance
}

func arrange(rec *benchmarks.Record, building bool) *batch {
	b := &batch{rec: rec, building: building}
	runs := slices.Clone(rec.Runs)
	slices.SortStableFunc(runs, compareRuns)
	byName := make(map[[3]string]*instance)
	for i := range runs {
		r := &runs[i]
		k := [3]string{r.Family, r.Model, r.Params}
		x := byName[k]
		if x == nil {
			x = &instance{family: r.Family, model: r.Model, params: r.Params, n: r.N, results: make(map[string]*result)}
			byName[k] = x
			b.instances = append(b.instances, x)
		}
		if r.Expected != "" {
			x.expected = r.Expected
		}
		p := lists.Memo(x.results, r.Config, func(string) *result { return new(result) })
		p.runs = append(p.runs, r)
		b.configs = lists.With(b.configs, r.Config)
		b.families = lists.With(b.families, r.Family)
	}
	slices.SortFunc(b.configs, compareNatural)
	slices.Sort(b.families)
	for _, x := range b.instances {
		for _, p := range x.results {
			p.merge(building)
		}
	}
	return b
}

func (re *result) merge(building bool) {
	var bare, built, wall, build []float64
	for i, r := range re.runs {
		if c := classOf(r); i == 0 || c > re.class {
			re.class, re.verdict, re.decider = c, r.Verdict, r
		}
		bare, built = append(bare, r.CPU), append(built, r.CPU+r.Build)
		wall, build = append(wall, r.Wall), append(build, r.BuildWall)
		re.memory = max(re.memory, r.Memory)
	}
	re.bare, re.built, re.wall, re.build = median(bare), median(built), median(wall), median(build)
	if re.cpu = re.bare; building {
		re.cpu = re.built
	}
}

// median sorts its argument, which is not empty.
func median(xs []float64) float64 {
	sort.Float64s(xs)
	if m := len(xs) / 2; len(xs)%2 == 0 {
		return (xs[m-1] + xs[m]) / 2
	}
	return xs[len(xs)/2]
}

// of returns the instances of a family, all for "".
func (b *batch) of(family string) []*instance {
	return slices.DeleteFunc(slices.Clone(b.instances), func(x *instance) bool { return family != "" && x.family != family })
}

// limit is the time in seconds that an unsolved instance is charged twice: the
// CPU limit, else the wall limit, else 0 for none.
func (b *batch) limit() float64 {
	if b.rec.Limits.CPU > 0 {
		return b.rec.Limits.CPU
	}
	return b.rec.Limits.Wall
}

// score is one configuration's row of the summary.
type score struct {
	Config       string
	Instances    int            // with a result, skipped ones excluded
	classes      [wrong + 1]int // how many count so
	Safe, Unsafe int            // of the solved ones; none if they are graphs
	PAR2         float64        // mean seconds per instance; meaningless if !Scored
	Scored       bool           // false without instances, or without a limit to charge
	CPU, Build   float64        // seconds over all runs, repeats included
	Unique       int            // solved by no other configuration
}

// scores computes the summary over the instances of a family, "" for all.
func (b *batch) scores(family string) []score {
	instances := b.of(family)
	var out []score
	for _, config := range b.configs {
		s := score{Config: config}
		var sum float64
		unsolved := 0
		for _, x := range instances {
			p := x.results[config]
			if p == nil {
				continue
			}
			for _, r := range p.runs {
				s.CPU += r.CPU
				s.Build += r.Build
				if b.building {
					s.CPU += r.Build
				}
			}
			s.classes[p.class]++
			if p.class == skipped {
				continue
			}
			s.Instances++
			if p.class != solved {
				unsolved++
				continue
			}
			sum += p.cpu
			if solvers(x) == 1 {
				s.Unique++
			}
			switch p.verdict {
			case "safe":
				s.Safe++
			case "unsafe":
				s.Unsafe++
			}
		}
		if s.Instances > 0 && (unsolved == 0 || b.limit() > 0) {
			s.Scored = true
			s.PAR2 = (sum + float64(unsolved)*2*b.limit()) / float64(s.Instances)
		}
		out = append(out, s)
	}
	return out
}

func solvers(x *instance) int {
	n := 0
	for _, p := range x.results {
		if p.class == solved {
			n++
		}
	}
	return n
}

// dispute is a result that cannot stand: verdicts that contradict each other or
// what is expected. Or, with Depths, a milder one: unsafe by all, but at
// different depths, which is legal for tools that do not search breadth first.
type dispute struct {
	Instance string
	Expected string
	Depths   bool
	Claims   []claim
}

// claim is what some configurations say, with a log of each.
type claim struct {
	Says  string // "safe", "unsafe at depth 4"
	Wrong bool
	Runs  []*benchmarks.Run
}

// disputes lists all disputes, contradictions first, then by instance.
func (b *batch) disputes() []dispute {
	var hard, mild []dispute
	for _, x := range b.instances {
		byText := make(map[string]*claim)
		var verdicts []string
		anyWrong, clash := false, false
		for _, config := range b.configs {
			if x.results[config] == nil {
				continue
			}
			for _, r := range x.results[config].runs {
				bad := classOf(r) == wrong
				if !r.Solved() && !bad {
					continue
				}
				says := r.Verdict
				if r.Verdict == "unsafe" && r.Depth >= 0 {
					says = fmt.Sprintf("unsafe at depth %d", r.Depth)
				}
				if byText[says] == nil {
					byText[says] = &claim{Says: says}
				}
				c := byText[says]
				c.Runs = append(c.Runs, r)
				c.Wrong = c.Wrong || bad
				anyWrong = anyWrong || bad
				clash = clash || slices.ContainsFunc(verdicts, func(v string) bool { return !benchmarks.Agree(v, r.Verdict) })
				verdicts = append(verdicts, r.Verdict)
			}
		}
		depths := 0
		d := dispute{Instance: x.name(), Expected: x.expected}
		for _, c := range byText {
			d.Claims = append(d.Claims, *c)
			if strings.Contains(c.Says, "depth") {
				depths++
			}
		}
		slices.SortFunc(d.Claims, func(p, q claim) int { return compareNatural(p.Says, q.Says) })
		switch {
		case anyWrong || clash:
			hard = append(hard, d)
		case depths > 1:
			d.Depths = true
			mild = append(mild, d)
		}
	}
	return append(hard, mild...)
}

// Configs names the configurations of a claim.
func (c claim) Configs() string {
	var names []string
	for _, r := range c.Runs {
		names = lists.With(names, r.Config)
	}
	return strings.Join(names, ", ")
}

// conditions states where and how a record was made, for the foot of every
// table and plot.
func conditions(rec *benchmarks.Record) string {
	m, l := rec.Machine, rec.Limits
	parts := []string{fmt.Sprintf("Measured on %s, %s, %d cores, %s", cmp.Or(m.Host, "unknown host"), cmp.Or(m.CPU, "unknown CPU"), m.Cores, sizeText(float64(m.Memory)))}
	parts = append(parts, "commit "+abbreviate(cmp.Or(rec.Commit, "unknown")))
	limit := func(name, value string, set bool) {
		if set {
			parts = append(parts, name+" "+value)
		} else {
			parts = append(parts, "no "+name)
		}
	}
	limit("CPU limit", secondsText(l.CPU), l.CPU > 0)
	limit("wall limit", secondsText(l.Wall), l.Wall > 0)
	limit("memory limit", sizeText(float64(l.Memory)), l.Memory > 0)
	at := fmt.Sprintf("%d at a time", max(rec.Jobs, 1))
	if rec.Cores > 1 {
		at += fmt.Sprintf(", each on %d cores", rec.Cores)
	}
	parts = append(parts, at)
	for _, v := range rec.Versions {
		first, _, _ := strings.Cut(strings.TrimSpace(v.Version), "\n")
		parts = append(parts, v.Name+" "+abbreviate(first))
	}
	return strings.Join(parts, "; ")
}

// abbreviate shortens the names of commits in a text.
func abbreviate(s string) string { return commitName.ReplaceAllString(s, "$1") }

var commitName = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{28}\b`)

// builds reports whether any run built something.
func (b *batch) builds() bool {
	return slices.ContainsFunc(b.rec.Runs, func(r benchmarks.Run) bool { return r.Build > 0 })
}

// time names the time that counts.
func (b *batch) time() string {
	if b.building {
		return "CPU time with building"
	}
	return "CPU time"
}

// penalty states the rule of the score.
func (b *batch) penalty() string {
	if b.limit() <= 0 {
		return "PAR-2: mean " + b.seconds() + " per instance; no limit was set, so it is given only where all is solved"
	}
	return fmt.Sprintf("PAR-2: mean %s per instance, unsolved or wrong ones charged 2 × %s = %s, skipped ones left out; comparable between configurations with the same instances only",
		b.seconds(), secondsText(b.limit()), secondsText(2*b.limit()))
}

// secondsText prints seconds with three significant digits or so.
func secondsText(s float64) string { return numberText(s) + " s" }

func numberText(s float64) string {
	switch {
	case s == 0:
		return "0"
	case s < 0.01:
		return trimZeros(fmt.Sprintf("%.4f", s))
	case s < 1:
		return trimZeros(fmt.Sprintf("%.3f", s))
	case s < 100:
		return trimZeros(fmt.Sprintf("%.2f", s))
	}
	return trimZeros(fmt.Sprintf("%.1f", s))
}

func trimZeros(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// sizeText prints bytes in binary units.
func sizeText(b float64) string {
	for _, u := range []string{"B", "KiB", "MiB", "GiB"} {
		if b < 1024 {
			return trimZeros(fmt.Sprintf("%.1f", b)) + " " + u
		}
		b /= 1024
	}
	return trimZeros(fmt.Sprintf("%.1f", b)) + " TiB"
}
