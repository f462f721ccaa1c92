package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"orbitmc/benchmarks"
)

// Options say how to run a suite.
type Options struct {
	Dir        string   // of the record; it is made if need be
	Jobs       int      // runs at a time, each on cores of its own; 0 is 1
	Program    string   // orbitmc
	Supervisor []string // a command that calls Supervise, such as orbitmc bench-exec
	Command    []string // the command line, for the record
	Commit     string   // of Program, see Commit; for the record
	Event      func(Event)

	// Remote is a command that runs a suite, such as orbitmc bench run: then runs are tasks of
	// Slurm, at most Jobs at a time if that is not 0, and Where is the folder they begin in.
	Remote []string
	Where  string
	Poll   time.Duration // see cluster.Jobs
}

// Event tells of progress. Run is nil when a run starts.
type Event struct {
	Key         string
	Run         *benchmarks.Run // that ended
	Done, Total int             // runs, those of an earlier call included
}

// batch is a suite that runs.
type batch struct {
	suite   *Suite
	opt     *Options
	record  *benchmarks.Record
	found   map[string]finding // by tool
	group   *cgroup            // nil without
	mu      sync.Mutex
	journal *journal
	done    int // runs, those of an earlier call included
	total   int // runs, when all to do are done
}

type finding struct {
	program, version string
	err              error
}

// Run runs what is left to run of a suite: a directory that holds a part of the
// same suite is continued. It returns the record, complete but for runs that
// were left out, wrong answers flagged, which is then in the directory too. When the context ends, the runs
// under way are killed and forgotten, and the error is that of the context.
func Run(ctx context.Context, s *Suite, opt Options) (*benchmarks.Record, error) {
	if opt.Jobs == 0 && opt.Remote == nil {
		opt.Jobs = 1
	}
	if opt.Event == nil {
		opt.Event = func(Event) {}
	}
	dir, err := filepath.Abs(opt.Dir)
	if err != nil {
		return nil, err
	}
	opt.Dir = dir
	free, err := cores()
	if err != nil {
		return nil, err
	}
	if opt.Remote == nil && opt.Jobs > len(free)/s.Cores {
		return nil, fmt.Errorf("runs at a time: %d, cores of each: %d; but there are only %d cores", opt.Jobs, s.Cores, len(free))
	}
	b := &batch{suite: s, opt: &opt, found: make(map[string]finding)}
	b.find()
	if b.group, err = delegated(); err != nil {
		b.group = nil // rlimits do
	}
	b.describe()
	for _, d := range []string{opt.Dir, filepath.Join(opt.Dir, "logs")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if b.journal, err = openJournal(opt.Dir, b.record); err != nil {
		return nil, err
	}
	defer b.journal.close()
	defer os.RemoveAll(b.buildDir())
	if err := os.RemoveAll(b.buildDir()); err != nil { // of a batch that was killed
		return nil, err
	}
	runs := make(map[string]benchmarks.Run)
	for _, r := range b.journal.runs {
		runs[r.Key] = r
	}
	b.done = len(runs)
	if err := b.all(ctx, free, runs); err != nil {
		return nil, err
	}
	for _, x := range s.plan {
		if r, ok := runs[x.key()]; ok { // even if left out now
			b.record.Runs = append(b.record.Runs, r)
		}
	}
	judge(b.record.Runs)
	return b.record, writeTables(opt.Dir, b.record)
}

// find looks for the tools of the suite.
func (b *batch) find() {
	for _, c := range b.suite.configs {
		if _, ok := b.found[c.tool]; !ok {
			var f finding
			f.program, f.version, f.err = tools[c.tool].find(b.opt)
			b.found[c.tool] = f
		}
	}
}

// describe starts the record.
func (b *batch) describe() {
	b.record = &benchmarks.Record{
		Suite: b.suite.File, Digest: b.suite.Digest, Command: b.opt.Command, Commit: b.opt.Commit,
		Began: now(), Machine: thisMachine(), Limits: b.suite.Limits, Jobs: b.opt.Jobs, Cores: b.suite.Cores, Enforcer: "rlimit", Compare: b.suite.Compare, Tables: b.suite.Tables, Planned: len(b.suite.plan),
	}
	if b.group != nil {
		b.record.Enforcer = "cgroup2"
	}
	for name, f := range b.found {
		if f.err == nil {
			b.record.Versions = append(b.record.Versions, benchmarks.Version{Name: name, Version: f.version})
		}
	}
	slices.SortFunc(b.record.Versions, func(x, y benchmarks.Version) int { return strings.Compare(x.Name, y.Name) })
}

func (b *batch) buildDir() string { return filepath.Join(b.opt.Dir, "build") }

// all does the tasks that are not in runs, and adds them.
func (b *batch) all(ctx context.Context, free []int, runs map[string]benchmarks.Run) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var todo []*task
	for _, x := range b.suite.plan {
		if _, ok := runs[x.key()]; !ok && !x.left {
			todo = append(todo, x)
		}
	}
	b.total = b.done + len(todo)
	if b.opt.Remote != nil {
		return b.slurm(ctx, todo, runs)
	}
	next := make(chan *task, len(todo))
	for _, x := range todo {
		next <- x
	}
	close(next)
	errs := make([]error, b.opt.Jobs)
	var wg sync.WaitGroup
	for i := range b.opt.Jobs {
		wg.Go(func() {
			for x := range next {
				if ctx.Err() != nil {
					break
				}
				b.event(Event{Key: x.key()})
				r, err := b.do(ctx, x, free[i*b.suite.Cores:(i+1)*b.suite.Cores])
				if ctx.Err() != nil {
					break
				}
				if err == nil {
					err = b.finish(r, runs)
				}
				if err != nil {
					errs[i] = fmt.Errorf("%s: %w", x.key(), err)
					cancel()
					break
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return ctx.Err()
}

func (b *batch) event(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.Done, e.Total = b.done, b.total
	b.opt.Event(e)
}

// finish writes down a run.
func (b *batch) finish(r *benchmarks.Run, runs map[string]benchmarks.Run) error {
	r.Wrong = contradicts(r)
	b.mu.Lock()
	err := b.journal.add(r)
	runs[r.Key] = *r
	b.done++
	b.mu.Unlock()
	b.event(Event{Key: r.Key, Run: r})
	return err
}

// do runs a task on some cores. An error is one of ours, not of the tool.
func (b *batch) do(ctx context.Context, x *task, cores []int) (*benchmarks.Run, error) {
	r := x.run()
	f := b.found[x.config.tool]
	switch {
	case x.absent:
		r.Status, r.Note = benchmarks.Skipped, "the model is absent"
		return &r, nil
	case f.err != nil:
		r.Status, r.Note = benchmarks.Skipped, f.err.Error()
		return &r, nil
	}
	dir := filepath.Join(b.buildDir(), fmt.Sprint(x.index))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	x.orbitmc = b.opt.Program
	var err error
	if x.abs, err = filepath.Abs(x.path); err != nil {
		return nil, err
	}
	recipe, err := tools[x.config.tool].prepare(f.program, x, dir)
	var no unsupported
	if errors.As(err, &no) {
		r.Status, r.Note = benchmarks.Skipped, string(no)
		return &r, nil
	} else if err != nil {
		return nil, err
	}
	r.Args = recipe.run
	r.Log = filepath.Join("logs", logName(x))
	log := filepath.Join(b.opt.Dir, r.Log)
	if err := os.RemoveAll(log); err != nil { // of a batch that was killed
		return nil, err
	}
	o := &order{Dir: recipe.dir, Log: log, Cores: cores, Limits: x.limits}
	for _, args := range recipe.build {
		o.Args = slices.Clone(args)
		if o.Args[0], err = lookup(args[0]); err != nil {
			return nil, err
		}
		if x.limits.Build > 0 {
			left := max(0, x.limits.Build-r.BuildWall)
			o.Limits.CPU, o.Limits.Wall = left, left
		}
		res, err := b.supervised(ctx, o)
		if err != nil {
			return nil, err
		}
		r.Build, r.BuildWall = r.Build+res.CPU, r.BuildWall+res.Wall
		if res.Limit != "" || res.Exit != 0 {
			r.Exit, r.Memory = res.Exit, res.Memory
			r.Status = status(res)
			r.Note = "while building: " + ending(res)
			if r.Status != benchmarks.OK {
				return &r, nil
			}
			r.Status = benchmarks.Failed
			text, err := os.ReadFile(log)
			if err != nil {
				return nil, err
			}
			if re := tools[x.config.tool].refusal; re != nil {
				if m := re.FindSubmatch(text); m != nil {
					r.Status, r.Note = benchmarks.Skipped, string(m[1])
				}
			}
			return &r, nil
		}
	}
	before, err := size(log)
	if err != nil {
		return nil, err
	}
	o.Args, o.Input, o.Limits = recipe.run, recipe.input, x.limits
	res, err := b.supervised(ctx, o)
	if err != nil {
		return nil, err
	}
	r.CPU, r.Wall, r.Memory, r.Exit = res.CPU, res.Wall, res.Memory, res.Exit
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	b.answer(&r, x, res, tools[x.config.tool].read, string(text[before:]))
	return &r, nil
}

// answer fills in what the tool said.
func (b *batch) answer(r *benchmarks.Run, x *task, res *outcome, read func(string, int) answer, log string) {
	r.Status = status(res)
	if r.Status != benchmarks.OK {
		r.Note = ending(res)
		return
	}
	a := read(log, res.Exit)
	r.Stats = a.stats
	for name, v := range r.Stats {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			delete(r.Stats, name) // which JSON has no text for
		}
	}
	switch {
	case a.verdict != "" && res.Signal == "":
		r.Verdict, r.Depth = a.verdict, a.depth
		if a.verdict == "unsafe" && x.depth >= 0 && a.depth >= 0 && a.depth != x.depth {
			r.Note = fmt.Sprintf("depth %d, where the shortest counterexample has %d", a.depth, x.depth)
		}
	case outOfMemory(log):
		r.Status, r.Note = benchmarks.Memout, "the tool says that there is no memory left"
	default:
		r.Status, r.Note = benchmarks.Failed, "no verdict: "+ending(res)
		if said := reason(log); said != "" {
			r.Note += "; " + said
		}
	}
}

// reason returns the first line of what a program printed, if that is hardly more: it says why there is no answer.
func reason(log string) string {
	if lines := strings.Split(strings.TrimSpace(log), "\n"); len(lines) <= 3 && len(lines[0]) <= 200 {
		return strings.TrimSpace(lines[0])
	}
	return ""
}

// outOfMemory reports whether a program says that it was refused memory.
func outOfMemory(log string) bool {
	log = strings.ToLower(log)
	said := func(words string) bool { return strings.Contains(log, words) }
	return slices.ContainsFunc([]string{"out of memory", "cannot allocate memory", "std::bad_alloc", "malloc failed"}, said)
}

func status(res *outcome) benchmarks.Status {
	switch {
	case res.Limit == "memory":
		return benchmarks.Memout
	case res.Limit == "wall":
		return benchmarks.Walltime
	case res.Limit != "":
		return benchmarks.Timeout
	case res.Error != "":
		return benchmarks.Failed
	}
	return benchmarks.OK
}

// ending tells how a command ended.
func ending(res *outcome) string {
	switch {
	case res.Error != "":
		return res.Error
	case res.Limit != "":
		return "limit of " + res.Limit
	case res.Signal != "":
		return "killed by signal: " + res.Signal
	}
	return fmt.Sprintf("exit status %d", res.Exit)
}

// supervised has a supervisor run a command.
func (b *batch) supervised(ctx context.Context, o *order) (*outcome, error) {
	if b.group != nil {
		g, err := b.group.child("orbitmc-run")
		if err != nil {
			return nil, err
		}
		defer g.remove()
		if err := g.limitMemory(o.Limits.Memory); err != nil {
			return nil, err
		}
		o.Cgroup = g.dir
	}
	orderRead, orderWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer orderWrite.Close()
	outcomeRead, outcomeWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, orderRead.Close())
	}
	defer outcomeRead.Close()
	cmd := exec.Command(b.opt.Supervisor[0], b.opt.Supervisor[1:]...)
	cmd.ExtraFiles = []*os.File{orderRead, outcomeWrite}
	ownGroup(cmd)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Start()
	orderRead.Close()
	outcomeWrite.Close()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { orderWrite.Close() })
	defer stop()
	// An error of writing is one of a supervisor that ended, told below.
	json.NewEncoder(orderWrite).Encode(o)
	var res outcome
	readErr := json.NewDecoder(outcomeRead).Decode(&res)
	if err := cmd.Wait(); err != nil || readErr != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the supervisor failed: %w: %s", errors.Join(err, readErr), stderr.String())
	}
	return &res, nil
}

func size(file string) (int64, error) {
	st, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// logName returns a name for the log of a task that tells what it is of.
func logName(x *task) string {
	words := []string{strings.TrimSuffix(filepath.Base(x.model), filepath.Ext(x.model)), paramText(x.params), x.config.name, fmt.Sprint(x.repeat)}
	plain := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_=.", c):
			return c
		}
		return '_'
	}, strings.Join(words, "."))
	return fmt.Sprintf("%04d.%s.log", x.index, plain[:min(len(plain), 120)])
}
