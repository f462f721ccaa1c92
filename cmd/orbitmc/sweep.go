package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/mc"
	"orbitmc/pdr"
)

// This file holds the command that proves a model at many sizes, carrying what it
// learns from one to the next.

func sweepCommand() *cli.Command {
	return command(&cli.Command{
		Name: "sweep", ArgsUsage: "MODEL",
		Usage: "prove a model at many sizes, with the lemmas of the small ones",
		Description: `
One of the constants is given as a range: -D N=2..16. The smallest size is proved
by pdr, and from 3 on what the proofs say of the components is said of more of
them: what of it is inductive there is kept, which most often is the proof; if not
pdr goes on from there. Each size is checked on its own. If from some size on
nothing new had to be learned, that is said; it is evidence that the properties
hold for every size, and no proof of it. A sweep that begins above 3 begins with
3, for the lemmas.`,
		Action: sweep,
	}, flagSet{"sweep", []cli.Flag{
		&cli.StringFlag{Name: "write", Usage: "`FILE.m` write the model there with the lemmas as invariants, which induct --k-max 1 proves"},
	}}, proofFlags().without("cert"), modelFlags(), symmetryFlags(), engineFlags().without("trace", "trace-style", "all"))
}

// sized is one size of a sweep.
type sized struct {
	n       int
	t       *task
	r       *mc.Result
	cpu     float64
	clauses int // of the largest proof
	learned int // patterns that are new
}

func sweep(c *cli.Context) error {
	name, from, to, others, err := sweepRange(c.StringSlice("D"))
	if err != nil {
		return err
	}
	for flag, values := range map[string][]string{"exit-style": {"plain", "hwmcc"}, "progress": {"auto", "always", "never"}, "verify": {"reps", "full"}} {
		if err := oneOf(flag, c.String(flag), values...); err != nil {
			return err
		}
	}
	mem, err := parseSize(c.String("mem"))
	if err != nil {
		return err
	}
	if file := c.String("write"); file != "" {
		if err := writable(file); err != nil {
			return err
		}
	}
	var sizes []int
	if from > firstSize {
		sizes = append(sizes, firstSize)
	}
	for n := from; n <= to; n++ {
		sizes = append(sizes, n)
	}
	s := &sweeper{c: c, name: name, others: others, opt: mc.Options{All: true, MemLimit: mem}}
	ctx, cancel := context.WithCancel(c.Context)
	if d := c.Duration("timeout"); d > 0 {
		ctx, cancel = context.WithTimeout(c.Context, d)
	}
	defer cancel()
	for i, n := range sizes {
		done, err := s.size(ctx, n)
		switch {
		case errors.As(err, new(*panicked)):
			s.open = true
			if failed := s.end(); failed != nil && !errors.As(failed, new(exitCode)) {
				return failed
			}
			return err
		case err != nil && i == 0 && from > firstSize: // the model may not exist at that size
			continue
		case err != nil:
			return err
		}
		if done {
			break
		}
	}
	if file := c.String("write"); file != "" {
		if err := s.write(file); err != nil {
			return err
		}
	}
	return s.end()
}

// write writes the model with the lemmas of the last size as invariants.
func (s *sweeper) write(file string) error {
	if s.violated || s.open || len(s.runs) == 0 {
		fmt.Fprintf(s.c.App.ErrWriter, "%s is not written: not all sizes are proved\n", file)
		return nil
	}
	last := s.runs[len(s.runs)-1]
	src, err := os.ReadFile(last.t.file)
	if err != nil {
		return err
	}
	var exprs []string
	done := make(map[*mc.Proof]bool)
	for _, pr := range last.r.Props {
		if pr.Proof == nil || done[pr.Proof] {
			continue
		}
		done[pr.Proof] = true
		es, refused := pdr.Invariants(last.t.problem.Enc, pr.Proof.Group, pr.Proof.Clauses)
		for _, err := range refused {
			fmt.Fprintf(s.c.App.ErrWriter, "%s: a lemma is left out: %v\n", file, err)
		}
		for _, e := range es {
			if !slices.Contains(exprs, e) {
				exprs = append(exprs, e)
			}
		}
	}
	return writeFile(file, func(b *bufio.Writer) error {
		fmt.Fprintf(b, "%s\n\n-- Invariants that orbitmc sweep found at %s = %d.\n", bytes.TrimRight(src, "\n"), s.name, last.n)
		for i, e := range exprs {
			fmt.Fprintf(b, "\ninvariant \"lemma %d\"\n  %s;\n", i+1, e)
		}
		return nil
	})
}

// sweepRange finds the one constant that has a range of values.
func sweepRange(defines []string) (name string, from, to int, others []string, err error) {
	bad := errors.New("orbitmc sweep: want one range, as in -D N=2..10")
	for _, d := range defines {
		n, v, _ := strings.Cut(d, "=")
		a, b, ok := strings.Cut(v, "..")
		if !ok {
			others = append(others, d)
			continue
		}
		if name != "" {
			return "", 0, 0, nil, bad
		}
		name = n
		var err1, err2 error
		from, err1 = strconv.Atoi(a)
		to, err2 = strconv.Atoi(b)
		if err1 != nil || err2 != nil || name == "" {
			return "", 0, 0, nil, fmt.Errorf("-D %q: want NAME=FROM..TO", d)
		}
		if from > to {
			return "", 0, 0, nil, fmt.Errorf("-D %q: %d is above %d", d, from, to)
		}
	}
	if name == "" {
		return "", 0, 0, nil, bad
	}
	return name, from, to, others, nil
}

// sweeper is a sweep under way.
type sweeper struct {
	c      *cli.Context
	name   string
	others []string
	opt    mc.Options

	carrier  carrier
	runs     []*sized
	violated bool
	open     bool
	printed  bool
}

// size decides one size; done says that the sweep ends with it.
func (s *sweeper) size(ctx context.Context, n int) (done bool, err error) {
	before := cpuSeconds()
	t, err := openWith(s.c, append(slices.Clone(s.others), fmt.Sprintf("%s=%d", s.name, n)))
	if err != nil {
		return false, err
	}
	if t.problem.Netlist != nil {
		return false, fmt.Errorf("%s: a netlist has one size", t.file)
	}
	run := &sized{n: n, t: t}
	e, err := s.carrier.ready(ctx, t)
	p := t.problem
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		run.r = mc.NewResult("pdr", p)
		run.r.Stopped = mc.StopReason(ctx)
	case err != nil:
		return false, err
	default:
		p.Full = s.c.String("verify") == "full"
		bar := newProgress(s.c)
		opt := s.opt
		opt.Event = bar.event
		results, err := sideBySide(ctx, p, []mc.Engine{e}, opt)
		bar.done()
		if err != nil {
			return false, err
		}
		run.r = results[0]
		if n >= firstSize {
			run.learned = s.carrier.Learn(p, run.r)
		}
	}
	for _, pr := range run.r.Props {
		if pr.Proof != nil {
			run.clauses = max(run.clauses, len(pr.Proof.Clauses))
		}
	}
	run.cpu = cpuSeconds() - before
	s.runs = append(s.runs, run)
	s.violated = s.violated || run.r.Violated()
	s.open = s.open || run.r.Open() > 0
	if !s.c.Bool("json") {
		s.row(s.c.App.Writer, run)
	}
	return ctx.Err() != nil, nil
}

// row prints one size.
func (s *sweeper) row(w io.Writer, run *sized) {
	if !s.printed {
		s.printed = true
		fmt.Fprintf(w, "%s\n\n%8s  %-8s  %7s  %s\n", run.t.file, s.name, "verdict", "lemmas", "from where")
	}
	st := run.r.Stats
	how := ""
	switch {
	case run.r.Verdict() == mc.Safe && st.Orbits == 0 && st.Candidates > 0:
		how = fmt.Sprintf("smaller sizes: %d of %d candidates are inductive", st.Carried, st.Candidates)
	case st.Candidates > 0:
		how = fmt.Sprintf("%d of %d candidates, and search: %d lemmas", st.Carried, st.Candidates, st.Orbits)
	default:
		how = fmt.Sprintf("search: %d lemmas, %d states blocked", st.Orbits, st.Obligations)
	}
	if run.r.Stopped != "" {
		how += "; stopped by " + stopNoun(run.r.Stopped)
	}
	fmt.Fprintf(w, "%8d  %-8v  %7d  %s\n", run.n, run.r.Verdict(), run.clauses, how)
	fmt.Fprintf(s.c.App.ErrWriter, "%s = %d: %.2f s of CPU\n", s.name, run.n, run.cpu)
	for _, pr := range run.r.Props {
		if pr.Status == mc.Unsafe {
			fmt.Fprintf(w, "          %q is violated after %s\n", run.t.problem.Name(pr.Prop), plural(pr.Depth, "step"))
		}
	}
}

// stable returns the size from which on nothing was learned, at least two sizes
// that are proved with nothing but lemmas of it and smaller ones; 0 if there is
// none.
func (s *sweeper) stable() int {
	at, n := 0, 0
	for _, run := range s.runs {
		switch {
		case run.r.Verdict() != mc.Safe:
			return 0
		case run.r.Stats.Candidates > 0 && run.r.Stats.Orbits == 0:
			n++
		default:
			at, n = run.n, 0
		}
	}
	if n < 2 || at < firstSize {
		return 0
	}
	return at
}

type jsonSweep struct {
	Constant string     `json:"constant"`
	Stable   *int       `json:"stable_from,omitempty"`
	Changing []string   `json:"changing_constants,omitempty"`
	Runs     []jsonSize `json:"runs"`
}

type jsonSize struct {
	N          int            `json:"n"`
	Model      string         `json:"model"`
	Verdict    string         `json:"verdict"`
	Stopped    string         `json:"stopped,omitempty"`
	Properties []jsonProperty `json:"properties"`
	Symmetry   jsonSymmetry   `json:"symmetry"`
	Lemmas     int            `json:"lemmas"`   // orbits of lemmas in the proof
	Patterns   int            `json:"patterns"` // readings of lemmas that were new
	CPU        float64        `json:"cpu_s"`
	Stats      mc.Stats       `json:"stats"`
}

// end prints what is to be said of all sizes and returns the exit code as an error.
func (s *sweeper) end() error {
	stable := s.stable()
	var changing []string
	if n := len(s.runs); n > 1 {
		changing = changed(s.runs[0].t.problem.Model, s.runs[n-1].t.problem.Model, s.name+"=")
	}
	w := s.c.App.Writer
	if s.c.Bool("json") {
		out := jsonSweep{Constant: s.name, Changing: changing, Runs: []jsonSize{}}
		if stable > 0 {
			out.Stable = &stable
		}
		for _, run := range s.runs {
			out.Runs = append(out.Runs, jsonSize{
				N: run.n, Model: run.t.file, Verdict: run.r.Verdict().String(), Stopped: run.r.Stopped,
				Properties: run.t.propertiesJSON(run.r), Symmetry: run.t.symmetryJSON(),
				Lemmas: run.clauses, Patterns: run.learned, CPU: run.cpu, Stats: run.r.Stats,
			})
		}
		if err := printJSON(w, out); err != nil {
			return err
		}
	} else if len(s.runs) > 0 {
		fmt.Fprintln(w)
		last := s.runs[len(s.runs)-1]
		last.t.receipt(w, last.r)
		if len(changing) > 0 {
			fmt.Fprintf(w, "note: with %s also %s: lemmas about it need not carry over\n", s.name, change(changing))
		}
		if stable > 0 {
			fmt.Fprintf(w, "the lemmas of %s ≤ %d prove all larger sizes tried: evidence that the properties hold for every %s, not a proof\n", s.name, stable, s.name)
		}
	}
	hwmcc := s.c.String("exit-style") == "hwmcc"
	switch {
	case s.violated:
		return exitCode(exitViolated)
	case hwmcc && !s.open:
		return exitCode(exitHWMCCSafe)
	case s.open && !hwmcc:
		return exitCode(exitUndecided)
	}
	return nil
}
