package sched

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"orbitmc/internal/stateless/events"
)

// Config is what a child is told, in the environment variable ORBITMC, or in the file that it names.
type Config struct {
	Run         string         `json:"run"`                   // tests
	Steps       int            `json:"steps"`                 // of an execution, at most
	Any         bool           `json:"any,omitempty"`         // timers fire at any moment
	Old         bool           `json:"old,omitempty"`         // timers of before Go 1.23
	Race        bool           `json:"race,omitempty"`        // the race detector counts
	Random      int            `json:"random,omitempty"`      // one execution in so many has a random schedule; 0: none
	Seed        uint64         `json:"seed,omitempty"`        //
	Extra       int            `json:"extra,omitempty"`       // executions behind the first violation, for a shorter one
	All         bool           `json:"all,omitempty"`         // deadlocks and leaks in which other lines wait are others
	Limit       int            `json:"limit,omitempty"`       // executions; 0: no limit
	Memory      uint64         `json:"memory,omitempty"`      // bytes, at which the child hands over to the next one
	Replay      []uint64       `json:"replay"`                // the only schedule
	Frames      []events.Frame `json:"frames,omitempty"`      // where a search is taken up
	Exact       bool           `json:"exact,omitempty"`       // Add and Done of a WaitGroup are dependent
	Yields      bool           `json:"yields,omitempty"`      // goroutines yield
	Once        bool           `json:"once,omitempty"`        // one execution, then hand over
	Unreduced   bool           `json:"unreduced,omitempty"`   // no reduction
	NoTwins     bool           `json:"notwins,omitempty"`     //
	Preemptions *int           `json:"preemptions,omitempty"` // at most; nil: any number
	Broken      events.Broken  `json:"broken,omitempty"`      // a rule that a test leaves out
	Every       bool           `json:"every,omitempty"`       // report the outcome of each execution, for tests
	Races       string         `json:"races,omitempty"`       // where the race detector writes
	Loud        bool           `json:"loud,omitempty"`        // report each schedule before it runs
}

// Rules that tests leave out, beside those of events.
const (
	StaleTwins events.Broken = "twins need not be fresh"
	CutClaims  events.Broken = "a cut is no gap"
	RaceClaims events.Broken = "a race is no violation"
	OwnLocks   events.Broken = "only the holder of a lock releases it"
	AnyReading events.Broken = "readings of the clock are later than those before independent steps"
)

// Violation is what is wrong with an execution.
type Violation struct {
	Kind   string   `json:"kind"` // deadlock, leak, panic, failure, race, misuse, exit
	Text   string   `json:"text,omitempty"`
	Stack  string   `json:"stack,omitempty"`
	Agent  int      `json:"agent,omitempty"`
	Test   string   `json:"test"`
	At     int      `json:"execution"`
	Random bool     `json:"random,omitempty"`
	Steps  []Step   `json:"steps"`
	Agents []Agent  `json:"goroutines"`
	Replay []uint64 `json:"replay"`
	Output string   `json:"output,omitempty"`
	Lines  bool     `json:"lines,omitempty"` // racing lines were visible

	steps int // up to it; 0: all
}

// Agent is a goroutine or a timer, for people.
type Agent struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Made  string `json:"made,omitempty"` // where
	Waits string `json:"waits,omitempty"`
	At    string `json:"at,omitempty"`
}

// Report is what a child says of a test.
type Report struct {
	Event      string         `json:"event"` // progress, violation, outcome, schedule, done, hang, or hand-over
	Test       string         `json:"test,omitempty"`
	Violation  *Violation     `json:"violation,omitempty"`
	Executions int            `json:"executions"` // of the search
	Random     int            `json:"random"`
	Pruned     int            `json:"pruned"`
	Steps      int            `json:"steps"`
	Explored   float64        `json:"explored"` // an estimate
	Complete   bool           `json:"complete"`
	Cut        int            `json:"cut,omitempty"`
	Diverged   int            `json:"diverged,omitempty"`
	Running    int            `json:"running,omitempty"` // executions after which goroutines went on for ever
	Notes      []string       `json:"notes,omitempty"`   // what a claim about all schedules has to say
	Refused    []string       `json:"refused,omitempty"`
	Exact      bool           `json:"exact,omitempty"`
	Yields     bool           `json:"yields,omitempty"`
	Frames     []events.Frame `json:"frames,omitempty"`
	Outcome    string         `json:"outcome,omitempty"`
	Text       string         `json:"text,omitempty"`
	Replay     []uint64       `json:"replay,omitempty"`
	Agents     int            `json:"agents,omitempty"`
}

// search is what goes on between executions.
var search struct {
	explorer   *events.Explorer[Foot]
	exploring  bool // the execution is one of the explorer
	wantExact  bool // see exact
	yields     bool // goroutines yield, which depends on all steps of others
	wantYields bool
	rand       uint64
	count      atomic.Int64 // of steps, for the watchdog
	out        func(Report)
	told       time.Time
}

// Setup reads the configuration; report is where JSON lines go.
func Setup() (Config, error) {
	text, err := []byte(os.Getenv("ORBITMC")), error(nil)
	if len(text) > 0 && text[0] != '{' {
		text, err = os.ReadFile(string(text))
	}
	if err == nil {
		err = json.Unmarshal(text, &conf)
	}
	pipe := os.NewFile(3, "report")
	search.out = func(r Report) {
		line, _ := json.Marshal(r)
		if _, err := pipe.Write(append(line, '\n')); err != nil {
			os.Exit(4) // nobody reads it
		}
	}
	go watch()
	return conf, err
}

const hang = 20 // seconds without a step

func watch() {
	last, still := int64(-1), 0
	for {
		time.Sleep(time.Second)
		if n := search.count.Load(); n != last || the == nil {
			last, still = n, 0
		} else if still++; still == hang {
			buf := make([]byte, 1<<20)
			tell(Report{Event: "hang", Text: string(buf[:runtime.Stack(buf, true)])})
			os.Exit(3)
		}
	}
}

func tell(r Report) { search.out(r) }

// Try explores a function in this process, for tests.
func Try(c Config, b Body, report func(Report)) {
	conf, search.out = c, report
	Explore(b)
}

// next chooses a move.
func (r *run) next() (int, events.Verdict) {
	search.count.Add(1)
	ms := r.state.Moves
	switch {
	case conf.Replay != nil:
		if len(ms) == 0 {
			return 0, events.Over
		}
		if r.replayed >= len(conf.Replay) {
			r.stop("replayed")
			return 0, events.Over
		}
		id := conf.Replay[r.replayed]
		r.replayed++
		for i := range ms {
			if ms[i].ID == id {
				return i, events.Go
			}
		}
		return 0, events.Diverged
	case search.exploring:
		return search.explorer.Next(&r.state)
	case len(ms) == 0:
		return 0, events.Over
	}
	return r.lottery(), events.Go
}

func random(n int) int {
	search.rand ^= search.rand << 13
	search.rand ^= search.rand >> 7
	search.rand ^= search.rand << 17
	return int(search.rand >> 11 % uint64(n))
}

// lottery chooses at random: any move; or that of the agent with the highest priority, which changes at a few steps (PCT:
// Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010).
func (r *run) lottery() int {
	ms := r.state.Moves
	if r.rand&1 == 0 {
		return random(len(ms))
	}
	best, rank := 0, uint64(0)
	for i, m := range ms {
		a := uint64(m.Actors[0])
		seed := (r.rand + a*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		seed ^= seed >> 31
		if random(30) == 0 {
			seed = uint64(random(1 << 30)) // a change of priority
		}
		if i == 0 || seed > rank {
			best, rank = i, seed
		}
	}
	return best
}

// bound leaves out moves that preempt the goroutine that took the last step, where there were as many preemptions as
// there may be (Musuvathi and Qadeer, Iterative context bounding, PLDI 2007).
func (r *run) bound() {
	g, st := r.last, &r.state
	if r.goes = false; conf.Preemptions == nil || g == nil || g.op.kind == Yield {
		return
	}
	own, moves := st.Moves[:0:0], r.moves[:0:0]
	for i, m := range r.moves {
		if m.lead == g || m.partner == g {
			own, moves = append(own, st.Moves[i]), append(moves, m)
		}
	}
	if r.goes = len(own) > 0; r.goes && len(own) < len(st.Moves) && r.preempted >= *conf.Preemptions {
		st.Moves, r.moves = own, moves
		r.gap(fmt.Sprintf("schedules with more than %d preemptions are not explored", *conf.Preemptions))
	}
}

// Body is a test: Run is called in the goroutine of the test, Outcome behind the end.
type Body struct {
	Name    string
	Run     func()
	Outcome func() (failed bool, log string)
	Reset   func()
}

// Explore runs a test under all schedules.
func Explore(b Body) {
	exact(conf.Exact)
	r := Report{Event: "done", Test: b.Name}
	best := map[string]*Violation{}
	search.explorer = &events.Explorer[Foot]{Unreduced: conf.Unreduced, Broken: conf.Broken}
	search.explorer.Load(conf.Frames)
	search.wantExact, search.yields, search.wantYields = conf.Exact, conf.Yields, conf.Yields
	search.rand = conf.Seed*0x9e3779b97f4a7c15 + 0x1234567
	first, firstSteps, total, isExact := 0, 0, 0, conf.Exact
	more, lottery := true, false
	for more {
		search.exploring = !lottery && conf.Replay == nil && (conf.Random == 0 || total%conf.Random != conf.Random-1 || total > 4000)
		if search.exploring {
			search.explorer.Begin()
		}
		if conf.Loud {
			tell(Report{Event: "schedule", Test: b.Name, Executions: total, Frames: search.explorer.Frames()})
		}
		total++
		s := execute(b)
		r.Steps += len(s.path)
		verdict := events.Over
		switch s.reason {
		case "asleep":
			verdict = events.Asleep
		case "cut":
			r.Cut++
		case "running":
			r.Running++
		case "diverged":
			r.Diverged++
			r.Text = s.where()
			more = false
		}
		for _, n := range s.notes {
			if !has(r.Notes, n) {
				r.Notes = append(r.Notes, n)
			}
		}
		for _, g := range s.gaps {
			if !has(r.Refused, g) {
				r.Refused = append(r.Refused, g)
			}
		}
		if verdict == events.Over && s.reason != "diverged" {
			if conf.Every {
				tell(Report{Event: "outcome", Outcome: s.outcome(), Executions: total, Agents: len(s.agents)})
			}
			for i := range s.found {
				v := &s.found[i]
				v.Test, v.At, v.Random = b.Name, total, !search.exploring
				key := v.Kind + " " + v.Text
				if v.Kind == "deadlock" || v.Kind == "leak" {
					if key = v.Kind; conf.All {
						key += v.lines()
					}
				}
				if old := best[key]; old == nil || len(v.Replay) < len(old.Replay) {
					if old != nil {
						v.At = old.At
					}
					best[key] = v
					tell(Report{Event: "violation", Test: b.Name, Text: key, Violation: v})
				}
				if first == 0 {
					first, firstSteps = total, r.Steps
				}
			}
		}
		if conf.Replay != nil {
			break
		}
		if search.exploring {
			more = search.explorer.End(verdict) && more
		} else if verdict == events.Over {
			r.Random++
		}
		if search.wantExact && !isExact || search.wantYields && !search.yields { // anew, since what was explored left orders out
			isExact, search.yields = search.wantExact, search.wantYields
			exact(isExact)
			search.explorer = &events.Explorer[Foot]{Unreduced: conf.Unreduced, Broken: conf.Broken}
			more = true
			continue
		}
		if !more && !lottery && r.Cut > 0 && r.Diverged == 0 && conf.Random > 0 { // schedules at random may find what was cut off
			lottery, more = true, true
			continue
		}
		if lottery && total >= luck*conf.Random {
			more = false
		}
		r.Complete = !more && r.Diverged == 0
		if first > 0 && (total >= first+conf.Extra || r.Steps > firstSteps+1000*conf.Extra) || conf.Limit > 0 && total >= conf.Limit {
			break
		}
		r.Exact, r.Yields = isExact, search.yields
		if conf.Once && more || total%64 == 0 && more && tooLarge() {
			r.Frames = search.explorer.Frames()
			r.Event = "hand-over"
			break
		}
		if total%16 == 0 && time.Since(search.told) > 200*time.Millisecond {
			search.told = time.Now()
			p := r
			p.Event, p.Executions, p.Pruned, p.Explored = "progress", search.explorer.Executions, search.explorer.Pruned, search.explorer.Explored()
			p.Refused, p.Text = nil, ""
			tell(p)
		}
	}
	r.Executions, r.Pruned, r.Explored = search.explorer.Executions, search.explorer.Pruned, search.explorer.Explored()
	if Unordered {
		r.Refused = append(r.Refused, "a range over a map whose keys are pointers, channels or NaN, or hold them: its order is not that of the execution before")
	}
	if Outside {
		r.Refused = append(r.Refused, "goroutines that were made before the test, which run beside it")
	}
	tell(r)
}

// luck times Config.Random is how many executions there are at least if some were cut.
const luck = 100

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func tooLarge() bool {
	if conf.Memory == 0 {
		return false
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys-m.HeapReleased > conf.Memory
}

// resets are the functions that give variables of packages their first values again.
var resets []reset

type reset struct {
	order int
	f     func()
}

// OnReset registers how variables of a package get their first values; order is that of their initialisation.
func OnReset(order int, f func()) { resets = append(resets, reset{order, f}) }

// execute runs a test under one schedule.
func execute(b Body) *run {
	if resets != nil {
		sort.SliceStable(resets, func(i, j int) bool { return resets[i].order < resets[j].order })
		if dirty {
			for _, r := range resets {
				r.f()
			}
		}
		dirty = true
	}
	b.Reset()
	epoch++
	s := &run{finished: make(chan struct{})}
	s.rand = uint64(random(1 << 40))
	races := raceErrors()
	main := s.spawn(b.Name, 0, b.Run)
	s.enroll(&G{done: true})
	s.enroll(main)
	s.granted = append(s.granted, main)
	the = s
	raceOff()
	s.pick().wake <- struct{}{}
	<-s.finished
	raceOn()
	if n := raceErrors() - races; n > 0 && conf.Broken != RaceClaims {
		s.found = append(s.found, Violation{Kind: "race", Text: raceText()})
	}
	s.judge(b)
	for i := range s.found {
		s.fill(&s.found[i])
	}
	s.dying = true
	var live []*G
	for _, g := range s.agents {
		if t := g.timer; t != nil {
			g = t.g
		}
		if g != nil && g.wake != nil && !g.done {
			live = append(live, g)
		}
	}
	for turn := 0; turn < 2; turn++ {
		for _, g := range live {
			if !g.done {
				raceOff()
				s.cur = g
				g.wake <- struct{}{}
				<-s.finished
				raceOn()
			}
		}
	}
	Acquire(unsafe.Pointer(&end))
	the = nil
	return s
}

var dirty bool // a test has run

// judge looks for what is wrong with an execution that ended.
func (r *run) judge(b Body) {
	main := r.agents[1]
	if r.reason == "" && !r.crashed {
		left := 0
		for _, g := range r.agents[1:] {
			if g.timer == nil && !g.done && !g.dead {
				left++
			}
		}
		switch {
		case !main.done:
			r.found = append(r.found, Violation{Kind: "deadlock", Text: "no goroutine can go on"})
		case left > 0 && r.finalizers:
			r.gap("goroutines are left, which a finalizer may end")
		case left > 0:
			r.found = append(r.found, Violation{Kind: "leak", Text: fmt.Sprintf("%d left that nobody can wake", left)})
		}
	}
	failed, log := b.Outcome()
	r.log = log
	if failed {
		r.found = append(r.found, Violation{Kind: "failure", Text: log})
	}
}

// lines returns where the goroutines are that wait.
func (v *Violation) lines() string {
	var all []string
	for _, a := range v.Agents {
		if a.Waits != "" {
			all = append(all, " "+a.At)
		}
	}
	sort.Strings(all)
	return strings.Join(all, "")
}

// outcome is what an execution came to, for tests.
func (r *run) outcome() string {
	var all []string
	for _, v := range r.found {
		t := v.Kind
		if v.Kind == "failure" || v.Kind == "panic" || v.Kind == "misuse" {
			t += ": " + v.Text
		}
		all = append(all, t)
	}
	if r.reason == "cut" || r.reason == "running" {
		all = append(all, r.reason)
	}
	sort.Strings(all)
	return strings.Join(append(all, r.log), "; ")
}

// raceText reads what the race detector wrote last.
func raceText() string {
	files, _ := filepath.Glob(conf.Races + ".*")
	for _, f := range files {
		if strings.HasSuffix(f, fmt.Sprintf(".%d", os.Getpid())) {
			b, _ := os.ReadFile(f)
			from := raceRead
			raceRead = len(b)
			return string(b[min(from, len(b)):])
		}
	}
	return ""
}

var raceRead int

// fill completes a violation with what led to it.
func (r *run) fill(v *Violation) {
	path := r.path
	if v.steps > 0 {
		path = path[:v.steps]
	}
	for _, st := range path {
		v.Replay = append(v.Replay, st.id)
		st.Op = st.kind.String()
		if st.kind == Clock {
			st.Op = fmt.Sprintf("all wait: the clock goes to %v", time.Duration(st.ticks))
		}
		if st.dflt {
			st.Op = "select: default"
		}
		if st.obj != nil {
			st.Object = st.obj.name()
		}
		if st.obj != nil && st.obj.what == "test" {
			st.Op, st.Object = map[Kind]string{Load: "log or fail", Store: "end, or look at failures"}[st.kind], ""
		}
		st.At = position(st.pc)
		if st.pc2 != 0 {
			st.With = position(st.pc2)
		}
		v.Steps = append(v.Steps, st)
	}
	for _, g := range r.agents[1:] {
		a := Agent{ID: g.id, Name: r.title(g), Made: position(g.pc)}
		if !g.done && !g.dead && g.timer == nil {
			a.Waits, a.At = r.waiting(g), position(g.op.pc)
		}
		v.Agents = append(v.Agents, a)
	}
}

// title names a goroutine by where it was made; of several from there, with a number.
func (r *run) title(g *G) string {
	same, before := 0, 1
	for _, h := range r.agents {
		if h.id > 0 && h.name == "" && h.pc == g.pc && (h.timer == nil) == (g.timer == nil) {
			if same++; h.id < g.id {
				before++
			}
		}
	}
	if g.name == "" && same > 1 {
		return fmt.Sprintf("%s#%d", g.title(), before)
	}
	return g.title()
}

func (g *G) title() string {
	if g.name != "" {
		return g.name
	}
	f, _ := runtime.CallersFrames([]uintptr{g.pc}).Next()
	if g.timer != nil {
		return fmt.Sprintf("timer:%d", f.Line)
	}
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if i := strings.IndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	return fmt.Sprintf("%s:%d", strings.ReplaceAll(name, "Orb_", ""), f.Line)
}

func (r *run) waiting(g *G) string {
	p := &g.op
	if len(p.cases) > 1 || p.dflt {
		var all []string
		for _, c := range p.cases {
			what := "receive"
			if c.send {
				what = "send"
			}
			if c.obj == nil {
				all = append(all, what+" on a nil channel")
			} else {
				all = append(all, what+" on "+c.obj.name())
			}
		}
		return "select: " + strings.Join(all, ", ")
	}
	text := p.kind.String()
	switch {
	case p.kind == Peek:
		return "select without cases"
	case p.obj != nil:
		text += " of " + p.obj.name()
		if p.obj.what == "chan" {
			text = p.kind.String() + " on " + p.obj.name()
		}
		switch o := p.obj; {
		case o.owner == g.id && o.n == 0: // announced
			var all []string
			for _, k := range o.who {
				all = append(all, r.title(r.agents[k]))
			}
			text += ", held for reading by " + strings.Join(all, ", ")
		case o.owner > 0 && o.n == 0:
			text += ", behind " + r.title(r.agents[o.owner]) + ", which waits to write"
		case o.owner > 0:
			text += ", held by " + r.title(r.agents[o.owner])
		}
		if p.kind == Wait {
			text += fmt.Sprintf(", counter %d", p.obj.n)
		}
	case p.kind == Send || p.kind == Recv:
		text += " on a nil channel"
	}
	return text
}

func position(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// where says at which step an execution diverged from the one that it repeats.
func (r *run) where() string {
	at := ""
	if len(r.path) > 0 {
		at = " behind " + position(r.path[len(r.path)-1].pc)
	}
	return fmt.Sprintf("step %d%s", len(r.path)+1, at)
}

// Outer ends the execution: the program calls f, which no schedule controls.
func Outer[F any](what string, f F) F {
	s := the
	if s == nil {
		return f
	}
	if s.dying {
		runtime.Goexit()
	}
	s.gap(what + " at " + position(caller(1)) + " is not controlled")
	s.stop("refused")
	s.hand(s.cur)
	return f
}

// OuterValue is Outer of a function that is a value: what ends the execution is a call of it.
func OuterValue[F any](what string, f F) F {
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(v.Type(), func(in []reflect.Value) []reflect.Value {
		if Outer(what, f); v.Type().IsVariadic() {
			return v.CallSlice(in)
		}
		return v.Call(in)
	}).Interface().(F)
}

// ExitOf returns what takes the place of os.Exit.
func ExitOf(func(int)) func(int) { return exit }

func exit(code int) {
	s := the
	if s == nil {
		os.Exit(code)
	}
	if s.dying {
		runtime.Goexit()
	}
	s.crash(Violation{Kind: "exit", Text: fmt.Sprintf("os.Exit(%d)", code)})
}

// gap keeps why a search is not complete.
func (r *run) gap(text string) {
	if !has(r.gaps, text) {
		r.gaps = append(r.gaps, text)
	}
}

// Uncontrolled says that a function, which sets a finalizer, does not do what it does in Go.
func Uncontrolled(what string) {
	if the != nil {
		the.finalizers = true
		the.gap(what + " at " + position(caller(2)) + " does nothing")
	}
}

// note keeps what a claim has to say.
func (r *run) note(text string) {
	if !has(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// Pick returns a number below n, each in some execution: if n is small, and not too many were drawn.
func Pick(n int) (int, bool) {
	s := the
	if s == nil || n < 1 || n > 4 || s.draws == 6 {
		return 0, false
	}
	if s.dying {
		runtime.Goexit()
	}
	s.draws++
	g := s.cur
	g.op = op{kind: Draw, n: n, pc: caller(2)}
	s.do(g)
	return g.choice, true
}

// Random returns what is drawn at random by the program: by each goroutine, the same in each execution.
func Random() uint64 {
	if the == nil {
		return uint64(random(1<<40))<<24 ^ uint64(random(1<<40))
	}
	g := the.cur
	the.note("random numbers are the same in all")
	g.drawn++
	x := (uint64(g.drawn)+uint64(g.id)<<32)*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Note keeps what a claim has to say, of an execution.
func Note(text string) {
	if the != nil {
		the.note(text)
	}
}

// Beside returns a function that shares files, the environment, or what package log writes to. It is no step, so where
// several goroutines call such functions, not all of their orders are explored.
func Beside[F any](f F) F {
	s := the
	if s == nil {
		return f
	}
	s.note("calls of package log, and on files and the environment, are no steps")
	if s.beside == nil {
		s.beside = s.cur
	} else if s.beside != s.cur {
		s.gap("calls of package log, or on files and the environment, by several goroutines: not all of their orders are explored")
	}
	return f
}
