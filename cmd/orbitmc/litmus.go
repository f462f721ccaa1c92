package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/internal/litmus"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file holds litmus: short programs on a protocol.

func litmusCommand() *cli.Command {
	return command(&cli.Command{
		Name: "litmus", ArgsUsage: "MODEL [TEST...]",
		Usage: "run litmus tests on a coherence protocol",
		Description: `
A TEST is a file in herd's format or the short one of docs/coherence.md, or a name: ` + lists.Join(litmus.Classics()[:8], ", ", (*litmus.Test).String) + `,
` + lists.Join(litmus.Classics()[8:], ", ", (*litmus.Test).String) + `; without one, those of these that the model has enough cores
and values for. The mapping says where the protocol performs loads and stores; without one it is
guessed, and printed. litmus makes one model of the protocol and the test, and decides which
outcomes happen. Those that the memory model of the cores does not allow are violations: sc, in
order; tso, in order with a buffer of stores. With one address in the model, each address of the
test has a copy of it.`,
		Action: runLitmus,
	}, flagSet{"litmus tests", []cli.Flag{
		&cli.StringFlag{Name: "map", Usage: "`FILE` the mapping; else the lines of MODEL that begin with --@ litmus, or a guess"},
		&cli.StringFlag{Name: "cores", Value: "sc", Usage: "`sc|tso` what the cores do besides the protocol (default sc)"},
		&cli.StringFlag{Name: "write", Usage: "`FILE` write the model of the protocol and one test to FILE, and run nothing"},
		&cli.StringFlag{Name: "engine", Value: "all", Usage: "`all|bmc|explicit|pdr` what to run (default all)"},
		threadsFlag("; beside other engines one"),
	}}, modelFlags(), symmetryFlags(), clusterFlags(), flagSet{"search and output", []cli.Flag{
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with a partial result"},
		&cli.StringFlag{Name: "trace", Usage: "`FILE` also write the first counterexample to FILE, which replays on what --write writes"},
		htmlFlag(),
		progressFlag(),
		jsonFlag(),
	}})
}

// jsonLitmus is what litmus prints.
type jsonLitmus struct {
	Model   string     `json:"model"`
	Cores   string     `json:"cores"`
	Copies  bool       `json:"copies"`            // each address has a copy of the model: nothing is shared between them
	Guessed string     `json:"guessed,omitempty"` // the mapping, if it was guessed
	Verdict string     `json:"verdict"`
	Tests   []jsonTest `json:"tests"`
	Left    []string   `json:"left,omitempty"` // known tests that the model is too small for, and why
}

type jsonTest struct {
	Name      string        `json:"name"`
	Cores     []string      `json:"cores"` // their programs
	Condition string        `json:"condition,omitempty"`
	Answer    string        `json:"answer,omitempty"` // to the condition: holds, fails or unknown
	Outcomes  []jsonOutcome `json:"outcomes"`
	Forbidden string        `json:"forbidden"`       // never, seen or unknown: an outcome that is not allowed
	Apart     bool          `json:"apart,omitempty"` // never, since each address by itself returns what was stored last
	Never     []string      `json:"never,omitempty"` // instructions that no run performs
	Fails     []string      `json:"fails,omitempty"` // other properties of the protocol that are violated
	Open      []string      `json:"open,omitempty"`  // and those of which it is not known
	Verdict   string        `json:"verdict"`
	Stopped   string        `json:"stopped,omitempty"`
}

type jsonOutcome struct {
	Outcome string `json:"outcome"`
	Seen    string `json:"seen"` // yes, never or unknown
	Steps   int    `json:"steps,omitempty"`
}

// litmusRun is the work of one command line.
type litmusRun struct {
	c       *cli.Context
	file    string
	src     []byte
	mapping *litmus.Mapping
	saved   bool                         // a counterexample was
	tasks   map[*litmus.Test]*litmusTask // on a cluster; nil: it runs here
}

func runLitmus(c *cli.Context) error {
	r := &litmusRun{c: c, file: c.Args().First()}
	if err := task.OneOf("cores", c.String("cores"), "sc", "tso"); err != nil {
		return err
	}
	ctx, _, cancel := limited(c)
	defer cancel()
	opt := taskOptions(c)
	if opt.IsNetlist(r.file) || opt.Language(r.file) == "Promela" {
		return fmt.Errorf("%s: litmus is for Murphi models", r.file)
	}
	t, err := openFile(ctx, c, r.file, opt)
	if err != nil {
		return err
	}
	t.bar.done()
	if r.src, err = read(c, r.file); err != nil {
		return err
	}
	guessed, err := r.readMapping(t.Problem.Model)
	if err != nil {
		return err
	}
	tests, err := r.tests()
	if err != nil {
		return err
	}
	if c.IsSet("write") {
		if len(tests) != 1 {
			return fmt.Errorf("--write goes with one test")
		}
		p, err := r.product(t, tests[0])
		if err != nil {
			return err
		}
		return writeFile(c.String("write"), contents(p.Text))
	}
	out := jsonLitmus{Model: r.file, Cores: c.String("cores"), Copies: r.mapping.Address == "", Guessed: guessed, Tests: []jsonTest{}}
	if !c.Bool("json") {
		if err := show(c.App.Writer, "litmus", out); err != nil {
			return err
		}
	}
	if tests, out.Left, err = r.fitting(t, tests); err != nil {
		return err
	}
	verdict, all := mc.Safe, len(tests)
	if c.String("on") == "slurm" {
		if tests, err = r.spread(t, tests); err != nil {
			return err
		}
	}
	for i, x := range tests {
		within, end := ctx, func() {}
		if at, ok := ctx.Deadline(); ok { // what is left, for each test as much
			within, _, end = task.Limit(ctx, max(1, time.Until(at)/time.Duration(len(tests)-i)), 0)
		}
		got, is, err := r.run(within, t, x)
		end()
		if err != nil {
			return err
		}
		if is == mc.Unsafe || verdict == mc.Safe {
			verdict = is
		}
		out.Tests = append(out.Tests, got)
		if !c.Bool("json") {
			if err := show(c.App.Writer, "litmus test", got); err != nil {
				return err
			}
		}
		if c.Context.Err() != nil {
			break
		}
	}
	if len(out.Tests) < all && verdict == mc.Safe {
		verdict = mc.Unknown
	}
	out.Verdict = verdict.String()
	if c.Bool("json") {
		err = printJSON(c.App.Writer, out)
	} else {
		_, err = fmt.Fprintf(c.App.Writer, "%sverdict: %v\n", lists.Join(out.Left, "", func(s string) string { return "left out: " + s + "\n" }), verdict)
	}
	return cmp.Or(err, exitOf(c, verdict))
}

// fitting returns the tests that the model is large enough for, and why each other one is left out. If tests are named, all of
// them have to fit.
func (r *litmusRun) fitting(t *session, tests []*litmus.Test) (fit []*litmus.Test, left []string, err error) {
	for _, x := range tests {
		if _, why := r.product(t, x); why == nil {
			fit = append(fit, x)
		} else if e := (*front.Error)(nil); r.c.NArg() == 1 && errors.As(why, &e) {
			left, err = append(left, x.Name+": "+e.Msg), cmp.Or(err, why)
		} else {
			return nil, nil, why
		}
	}
	if fit != nil {
		err = nil
	}
	return fit, left, err
}

// readMapping reads the mapping of the command line, or of the model, or guesses one.
func (r *litmusRun) readMapping(m *model.Model) (guessed string, err error) {
	file, text := r.c.String("map"), ""
	if file != "" {
		b, err := read(r.c, file)
		if err != nil {
			return "", err
		}
		text = string(b)
	} else if text, err = litmus.Embedded(r.file, string(r.src)); err != nil {
		return "", err
	} else if file = r.file; text == "" {
		if guessed, err = litmus.Guess(m); err != nil {
			return "", fmt.Errorf("%s: no mapping is guessed: %w. --map FILE, or lines --@ litmus of the model, say where it performs loads and stores (docs/coherence.md)", file, err)
		}
		file, text = file+" (guessed mapping)", guessed
	}
	r.mapping, err = litmus.ParseMapping(file, text)
	return guessed, err
}

// tests reads the tests.
func (r *litmusRun) tests() (all []*litmus.Test, err error) {
	names := r.c.Args().Tail()
	if len(names) == 0 {
		return litmus.Classics(), nil
	}
	for _, name := range names {
		if i := slices.IndexFunc(litmus.Classics(), func(t *litmus.Test) bool { return t.Name == name }); i >= 0 {
			all = append(all, litmus.Classics()[i])
			continue
		}
		b, err := read(r.c, name)
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("%s: no such file, and no test known by that name", name)
		}
		if err != nil {
			return nil, err
		}
		t, err := litmus.Parse(name, string(b))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (r *litmusRun) product(t *session, x *litmus.Test) (*litmus.Product, error) {
	return litmus.New(r.src, t.Problem.Model, r.mapping, x, r.c.String("cores") == "tso")
}

// run runs a test.
func (r *litmusRun) run(ctx context.Context, t *session, x *litmus.Test) (out jsonTest, verdict mc.Status, err error) {
	if a := r.tasks[x]; a != nil {
		return r.take(t, x, a)
	}
	p, err := r.product(t, x)
	if err != nil {
		return out, 0, err
	}
	coherent, err := r.coherent(ctx, p)
	if err != nil {
		return out, 0, err
	}
	of := map[string]*mc.PropResult{}
	var only []string
	if coherent { // what is left is whether each outcome of SC happens
		s, err := r.open(ctx, p, nil)
		if err != nil {
			return out, 0, err
		}
		if only, err = r.walk(ctx, p, s, of); err != nil {
			return out, 0, err
		}
		if only == nil {
			out, verdict = litmusReport(p, s, of)
			out.Apart = true
			return out, verdict, nil
		}
	}
	s, found, err := r.decide(ctx, p, only)
	if err != nil {
		return out, 0, err
	}
	for i := range found.Result.Props {
		pr := &found.Result.Props[i]
		of[s.Problem.Name(pr.Prop)] = pr
	}
	out, verdict = litmusReport(p, s, of)
	out.Apart, out.Stopped = coherent, found.Result.Stopped
	if pr := s.Problem.First(found.Result); verdict == mc.Unsafe && pr != nil {
		err = r.violated(s, x, pr.Prop, pr.Depth, func() error { return s.saveFirst(found.Result) }, func(w io.Writer) error { return s.WriteTrace(w, pr, "plain") })
	}
	return out, verdict, err
}

// coherent reports whether the parts of a product show that it ends as SC does.
func (r *litmusRun) coherent(ctx context.Context, p *litmus.Product) (bool, error) {
	parts, err := p.Parts()
	if err != nil || parts == nil {
		return false, err
	}
	for i, q := range parts {
		within, end := ctx, func() {}
		if at, ok := ctx.Deadline(); ok { // half of the time for all of them
			within, _, end = task.Limit(ctx, max(1, time.Until(at)/time.Duration(len(parts)-i+1)), 0)
		}
		s, found, err := r.decide(within, q, nil)
		end()
		if err != nil {
			return false, err
		}
		for _, pr := range found.Result.Props {
			if s.Problem.Kind(pr.Prop) != model.Cover && pr.Status != mc.Safe {
				return false, nil
			}
		}
	}
	return true, nil
}

// walk notes what random walks show of a product whose parts are coherent, and returns the covers that are left.
func (r *litmusRun) walk(ctx context.Context, p *litmus.Product, s *session, of map[string]*mc.PropResult) (left []string, err error) {
	defer s.bar.done()
	s.bar.phase("random walks")
	index := func(name string) int {
		return slices.IndexFunc(s.Problem.Model.Props, func(q *model.Property) bool { return q.Name == name })
	}
	of[p.Forbidden] = &mc.PropResult{Prop: index(p.Forbidden), Status: mc.Safe}
	if at, ok := ctx.Deadline(); ok { // the engines have the other half of the time
		var end func()
		ctx, _, end = task.Limit(ctx, max(1, time.Until(at)/2), 0)
		defer end()
	}
	names, code := slices.Concat(p.Performed...), model.Compile(s.Problem.Model)
	p.Walk(ctx, s.Problem.Model, s.Seed, func(i int, t *model.Trace) {
		t.Prop = index(p.Seen[i])
		if err = cmp.Or(err, traces.Replay(code, t)); err != nil {
			return
		}
		for _, name := range append(names, p.Seen[i]) { // the whole test was performed
			if of[name] == nil {
				of[name] = &mc.PropResult{Prop: index(name), Status: mc.Safe, Engine: "random walk", Depth: t.Depth(s.Problem.Model), Trace: t}
			}
		}
	})
	for _, name := range append(names, p.Seen...) {
		if of[name] == nil {
			left = append(left, name)
		}
	}
	return left, err
}

// decide runs engines on a product; only: names of the properties to decide, nil are all.
func (r *litmusRun) decide(ctx context.Context, p *litmus.Product, only []string) (*session, *portfolio.Outcome, error) {
	s, err := r.open(ctx, p, only)
	if err != nil {
		return nil, nil, err
	}
	defer s.bar.done()
	engines, err := portfolio.Engines(s.Task, r.c.String("engine"))
	if err != nil {
		return nil, nil, err
	}
	found, err := portfolio.Run(ctx, s.Task, engines, portfolio.Options{Options: mc.Options{All: true, MemLimit: memory(r.c), Event: s.bar.event},
		Ready: func() { s.bar.phase("") }, Cores: threads(r.c)})
	if err == nil && found.Crash != nil {
		err = found.Crash
	}
	return s, found, err
}

// open opens a product.
func (r *litmusRun) open(ctx context.Context, p *litmus.Product, only []string) (*session, error) {
	opt := taskOptions(r.c)
	opt.Props = only
	opt.Deadlock = "off"
	name := strings.TrimSuffix(r.file, ".m") + "+" + p.Test.Name + ".m"
	opt.Files.Put(name, p.Text)
	s, err := openFile(ctx, r.c, name, opt)
	return s, p.Explain(err)
}

// violated saves and shows a counterexample, the first one of all tests.
func (r *litmusRun) violated(s *session, x *litmus.Test, prop, depth int, save func() error, write func(w io.Writer) error) error {
	if r.saved {
		return nil
	}
	r.saved = true
	if err := save(); err != nil || r.c.Bool("json") {
		return err
	}
	w := r.c.App.Writer
	fmt.Fprintf(w, "counterexample to %q of %s, %s:\n\n", s.Problem.Name(prop), x.Name, task.Plural(depth, "step"))
	if err := write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// litmusReport says what the verdicts on a product mean.
func litmusReport(p *litmus.Product, t *session, of map[string]*mc.PropResult) (out jsonTest, verdict mc.Status) {
	x := p.Test
	out = jsonTest{Name: x.Name, Cores: x.Programs(), Outcomes: []jsonOutcome{}, Forbidden: "unknown", Verdict: mc.Unknown.String()}
	words := map[mc.Status]string{mc.Safe: "yes", mc.Unsafe: "never", mc.Unknown: "unknown"} // of covers
	yes, no := false, false                                                                  // outcomes that satisfy the condition, and that do not
	mayYes, mayNo := false, false                                                            // of which it is not known
	tell := func(o litmus.Outcome, seen string) {
		switch holds := x.Holds(o); {
		case seen == "unknown":
			mayYes, mayNo = mayYes || holds, mayNo || !holds
		case seen == "yes":
			yes, no = yes || holds, no || !holds
		}
	}
	for i, o := range p.Allowed {
		pr := of[p.Seen[i]]
		out.Outcomes = append(out.Outcomes, jsonOutcome{p.Seen[i], words[pr.Status], pr.Depth})
		tell(o, words[pr.Status])
	}
	pr := of[p.Forbidden]
	switch pr.Status {
	case mc.Safe:
		out.Forbidden = "never"
	case mc.Unsafe:
		out.Forbidden = "seen"
		o := p.Outcome(t.Problem.Model, pr.Trace.End())
		out.Outcomes = append(out.Outcomes, jsonOutcome{x.Text(o) + ", forbidden", "yes", pr.Depth})
		tell(o, "yes")
		mayYes, mayNo = true, true // there may be others
	default:
		mayYes, mayNo = true, true
	}
	for _, all := range p.Performed {
		if i := slices.IndexFunc(all, func(name string) bool { return of[name].Status == mc.Unsafe }); i >= 0 {
			out.Never = append(out.Never, all[i])
		}
	}
	open := false // whether a run ends at an error
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if k := t.Problem.Model.Props[of[name].Prop].Kind; k == model.Cover || name == p.Forbidden || of[name].Status == mc.Safe {
			continue
		}
		if mayYes, mayNo = true, true; of[name].Status == mc.Unsafe {
			out.Fails = append(out.Fails, name)
		} else {
			open = true
			out.Open = append(out.Open, name)
		}
	}
	switch {
	case x.Quantifier == "":
	case !yes && !no: // no run is known to end
		out.Answer = "unknown"
	case x.Quantifier == "exists" && yes, x.Quantifier == "~exists" && !yes && !mayYes, x.Quantifier == "forall" && !no && !mayNo:
		out.Answer = "holds"
	case x.Quantifier == "exists" && !mayYes, x.Quantifier == "~exists" && yes, x.Quantifier == "forall" && no:
		out.Answer = "fails"
	default:
		out.Answer = "unknown"
	}
	if out.Answer != "" {
		out.Condition = x.Quantifier + " " + x.Condition
	}
	switch {
	case pr.Status == mc.Unsafe || out.Fails != nil:
		verdict = mc.Unsafe
	case pr.Status == mc.Safe && !open && slices.ContainsFunc(out.Outcomes, func(o jsonOutcome) bool { return o.Seen == "yes" }):
		verdict = mc.Safe
	}
	out.Verdict = verdict.String()
	return out, verdict
}
