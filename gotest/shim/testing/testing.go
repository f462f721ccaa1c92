// Package testing takes the place of the package of that name in programs under test, where it explores the
// tests that Main is given. Benchmarks, fuzz targets and examples are not run.
package testing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"orbitmc/gotest/shim/sched"
)

// TB is what tests and benchmarks share.
type TB interface {
	Chdir(dir string)
	Cleanup(func())
	Context() context.Context
	Error(args ...any)
	Errorf(format string, args ...any)
	Fail()
	FailNow()
	Failed() bool
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Helper()
	Log(args ...any)
	Logf(format string, args ...any)
	Name() string
	Setenv(key, value string)
	Skip(args ...any)
	SkipNow()
	Skipf(format string, args ...any)
	Skipped() bool
	TempDir() string
}

// T is a test.
type T struct {
	name                      string
	parent                    *T
	level                     int
	failed, skipped, complete bool
	finished                  bool // f came to its end, and did not panic
	parallel                  bool
	log                       []string
	cleanups                  []func()
	sub                       []*T // parallel ones
	barrier                   chan bool
	signal                    chan bool
	ctx                       context.Context
	cancel                    func()
	undo                      []func() // of the root: what is undone at the end of an execution
	ref                       sched.Ref
	owner                     int
	names                     []string // of the root: of parts, no map, which the race detector would see
}

func (t *T) root() *T {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

func (t *T) Name() string { return t.name }
func (t *T) Helper()      {}
func (t *T) Failed() bool {
	t.step(sched.Store)
	return t.failed
}

// step is one in front of what other goroutines may see, or of what has to come before the end of the test.
func (t *T) step(k sched.Kind) {
	if !sched.Dying() && (k == sched.Store || sched.Number() != t.owner) {
		sched.Do(k, &t.root().ref, "test", 0)
	}
}

func (t *T) Skipped() bool               { return t.skipped }
func (t *T) Deadline() (time.Time, bool) { return time.Time{}, false }
func (t *T) Cleanup(f func())            { t.cleanups = append(t.cleanups, f) }
func (t *T) Attr(key, value string)      {}
func (t *T) Output() io.Writer           { return io.Discard }
func (t *T) ArtifactDir() string         { return t.TempDir() }

func (t *T) Fail() {
	if t.parent != nil {
		t.step(sched.Store)
	} else {
		t.step(sched.Load)
	}
	if t.complete && !sched.Dying() {
		panic("Fail in goroutine after " + t.name + " has completed")
	}
	for ; t != nil; t = t.parent {
		t.failed = true
	}
}

func (t *T) FailNow() {
	t.Fail()
	t.finished = true
	runtime.Goexit()
}

func (t *T) SkipNow() {
	t.skipped, t.finished = true, true
	runtime.Goexit()
}

func (t *T) say(text string) {
	if sched.Dying() {
		return
	}
	t.step(sched.Load)
	if t.complete {
		panic("Log in goroutine after " + t.name + " has completed: " + text)
	}
	_, file, line, _ := runtime.Caller(2)
	r := t.root()
	r.log = append(r.log, fmt.Sprintf("%s:%d: %s", filepath.Base(file), line, strings.TrimRight(text, "\n")))
}

func (t *T) Log(args ...any)                 { t.say(fmt.Sprintln(args...)) }
func (t *T) Logf(format string, args ...any) { t.say(fmt.Sprintf(format, args...)) }

func (t *T) Error(args ...any) {
	t.say(fmt.Sprintln(args...))
	t.Fail()
}

func (t *T) Errorf(format string, args ...any) {
	t.say(fmt.Sprintf(format, args...))
	t.Fail()
}

func (t *T) Fatal(args ...any) {
	t.say(fmt.Sprintln(args...))
	t.FailNow()
}

func (t *T) Fatalf(format string, args ...any) {
	t.say(fmt.Sprintf(format, args...))
	t.FailNow()
}

func (t *T) Skip(args ...any) {
	t.say(fmt.Sprintln(args...))
	t.SkipNow()
}

func (t *T) Skipf(format string, args ...any) {
	t.say(fmt.Sprintf(format, args...))
	t.SkipNow()
}

func (t *T) Context() context.Context {
	if t.ctx == nil {
		t.ctx, t.cancel = context.WithCancel(context.Background())
	}
	return t.ctx
}

// undone has f called at the end of the test, or of the execution if that comes first.
func (t *T) undone(f func()) {
	done := false
	once := func() {
		if !done {
			done = true
			f()
		}
	}
	t.Cleanup(once)
	r := t.root()
	r.undo = append(r.undo, once)
}

func (t *T) Setenv(key, value string) {
	old, had := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		t.Fatalf("cannot set environment variable: %v", err)
	}
	t.undone(func() {
		if had {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

func (t *T) Chdir(dir string) {
	old, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.undone(func() { os.Chdir(old) })
}

func (t *T) TempDir() string {
	dir, err := os.MkdirTemp("", "orbitmc")
	if err != nil {
		t.Fatal(err)
	}
	t.undone(func() { os.RemoveAll(dir) })
	return dir
}

// Run runs a part of a test in a goroutine of its own.
func (t *T) Run(name string, f func(t *T)) bool {
	sub := &T{name: t.unique(name), parent: t, level: t.level + 1, barrier: make(chan bool), signal: make(chan bool, 1)}
	if !matches(sub) {
		return true
	}
	sched.GoAt(1, func() { sub.run(f) }, 0)
	sched.Rx(sub.signal)
	return !sub.failed
}

// unique returns the name of a part, of which there may be several.
func (t *T) unique(name string) string {
	name = t.name + "/" + strings.Map(func(r rune) rune {
		if r == ' ' {
			return '_'
		}
		return r
	}, name)
	r := t.root()
	n := 0
	for _, old := range r.names {
		if old == name {
			n++
		}
	}
	r.names = append(r.names, name)
	if n > 0 || strings.HasSuffix(name, "/") {
		name = fmt.Sprintf("%s#%02d", name, n)
	}
	return name
}

// Parallel lets a part wait until its parent is at its end. A test by itself has nothing that is parallel to it.
func (t *T) Parallel() {
	if t.parent == nil || t.parallel {
		return
	}
	t.parallel = true
	t.parent.sub = append(t.parent.sub, t)
	sched.Tx(t.signal)(true)
	sched.Rx(t.parent.barrier)
}

func (t *T) run(f func(t *T)) {
	defer func() {
		if sched.Dying() {
			return
		}
		if !t.finished {
			if e := recover(); e != nil {
				panic(e) // which ends the program
			}
			t.say("the test ended by runtime.Goexit")
			t.Fail()
		}
		if len(t.sub) > 0 {
			sched.Shut(t.barrier)
			for _, s := range t.sub {
				sched.Rx(s.signal)
			}
		}
		if t.cancel != nil {
			t.cancel()
		}
		for len(t.cleanups) > 0 {
			c := t.cleanups[len(t.cleanups)-1]
			t.cleanups = t.cleanups[:len(t.cleanups)-1]
			c()
		}
		t.step(sched.Store)
		t.complete = true
		if t.parent != nil {
			sched.Tx(t.signal)(true)
		}
	}()
	t.owner = sched.Number()
	f(t)
	t.finished = true
}

// M is what TestMain is given.
type M struct{}

var (
	tests []test
	conf  sched.Config
	run   []*regexp.Regexp // by level
)

type test struct {
	name string
	f    func(*T)
}

// Register names a test of the package.
func Register(name string, f func(*T)) { tests = append(tests, test{name, f}) }

// TestMain is that of the package, if it has one.
var TestMain func(*M)

// Main takes the place of TestMain.
func Main(*testing.M) {
	flag.Parse()
	var err error
	if conf, err = sched.Setup(); err != nil {
		fmt.Fprintln(os.Stderr, "ORBITMC:", err)
		os.Exit(2)
	}
	for _, p := range strings.Split(conf.Run, "/") {
		run = append(run, regexp.MustCompile(p))
	}
	m := &M{}
	if TestMain != nil {
		TestMain(m)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func matches(t *T) bool {
	if t.level >= len(run) {
		return true
	}
	return run[t.level].MatchString(t.name[strings.LastIndexByte(t.name, '/')+1:])
}

// Run explores the tests.
func (m *M) Run() int {
	for _, x := range tests {
		var t *T
		if !run[0].MatchString(x.name) {
			continue
		}
		sched.Explore(sched.Body{
			Name: x.name,
			Run:  func() { t.run(x.f) },
			Outcome: func() (bool, string) {
				for _, f := range t.undo {
					f()
				}
				return t.failed, strings.Join(t.log, "\n")
			},
			Reset: func() { t = &T{name: x.name, barrier: make(chan bool)} },
		})
	}
	return 0
}
