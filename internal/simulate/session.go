// Package simulate steps a model, a program or a netlist by hand, in a terminal or by a script. What a step
// does, and what holds in a state, the interpreter of package model says, or the netlist.
//
//	session.go   a run, where one is in it, and the commands
//	model.go     models and programs
//	netlist.go   netlists
//	server.go    a session as a page, and the server of that
package simulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/model"
)

// step is a step of a run; its state is nil if it errs. The first one makes the start state, or has rule -1, and any state.
// Of a netlist, the parameters are inputs: of the reset, or of the frame that the step leaves.
type step = model.TraceStep

// Move is what a step is to a reader.
type Move struct {
	Name    string   `json:"name"`
	Text    []string `json:"text,omitempty"` // the statements of a program
	Changes []string `json:"changes"`        // or the error
}

// Prop is a property, and what is known of it in a state.
type Prop struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Says string `json:"says"` // "violated", "not violated", or what else there is to say
}

const (
	kept     = "not violated"
	violated = "violated"
)

// system is what is stepped. Methods that are about the last state of a run are given one that has it.
type system interface {
	next(run []step, rng *rand.Rand) []step // the steps that can be made; the run may be empty
	describe(run []step) Move               // the last step
	lines(run []step) []string
	props(run []step) []Prop
	read(file string, data []byte) (run []step, loop int, err error)
	save(run []step) (func(io.Writer) error, error)
	view(run []step) (*trace.View, error)
}

// Session is a run, and where one is in it. It is not safe for concurrent use.
type Session struct {
	// Save writes a file for the command save.
	Save func(file string, write func(io.Writer) error) error

	sys  system
	run  []step
	at   int // step whose state is shown; -1: no start state is chosen yet
	loop int // the last state is that of this step; -1: it is none
	rng  *rand.Rand
	can  []step // from there

	file  string
	quiet bool // a page shows where one is
}

// New begins a session. If there is one start state, it is in that.
func New(h *task.ByHand, seed uint64) *Session {
	s := &Session{file: h.File(), loop: -1, rng: rand.New(rand.NewPCG(seed, 0))}
	if h.Netlist != nil {
		s.sys = newNetlist(h.Netlist, s.file)
	} else {
		s.sys = newModel(h)
	}
	s.to(-1)
	if len(s.can) == 1 {
		s.take(s.can[0])
	}
	return s
}

// Open begins with a run that is read from a trace.
func (s *Session) Open(file string, data []byte) error {
	run, loop, err := s.sys.read(file, data)
	if err == nil {
		s.run, s.loop = run, loop
		s.to(0)
	}
	return err
}

func last(run []step) *step { return &run[len(run)-1] }

// here is the run up to where one is.
func (s *Session) here() []step { return s.run[: s.at+1 : s.at+1] }

// to goes to a step.
func (s *Session) to(k int) {
	s.at = k
	s.can = s.sys.next(s.here(), s.rng)
}

// take adds a step. What followed is gone, unless it is the same step.
func (s *Session) take(x step) {
	if next := s.at + 1; next == len(s.run) || !s.run[next].Equal(x.Choice) {
		s.run, s.loop = append(s.here(), x), -1
	}
	s.to(s.at + 1)
}

// follow makes a longer run that of the session.
func (s *Session) follow(run []step) {
	if len(run) > s.at+1 {
		s.run, s.loop = run, -1
	}
	s.to(len(run) - 1)
}

// commands lists what one may say. The first letter is enough, but for set.
var commands = [][2]string{
	{"N, or TEXT", "the step of this number, or the one with all words of TEXT in its name"},
	{"next", "the next step of the run, where one has gone back or has opened a trace"},
	{"back", "back by one step"},
	{"jump N", "to step N of the run"},
	{"random N [SEED]", "N steps at random, up to where a property is violated"},
	{"until CONDITION", "by a shortest way to a state in which the condition holds"},
	{"why RULE", "why rules with these words in their names cannot fire: the first false conjunct of each guard"},
	{"properties", "which are violated here, and which are not"},
	{"x", "the whole state"},
	{"trace", "the steps of the run"},
	{"set NAME VALUE", "of a netlist: an input; the first step has them as they are set, the others at random"},
	{"save FILE", "the run up to here, for replay; of a netlist a witness, if a bad holds here"},
	{"help", "this list"},
	{"quit", "the end"},
}

// parse returns the command that a line is, and its arguments; "": it is none, as usage says of one that lacks arguments.
func parse(line string) (name string, args []string, usage string) {
	words := strings.Fields(line)
	for _, c := range commands[1:] {
		want := strings.Fields(c[0])
		if words[0] != want[0] && (words[0] != want[0][:1] || want[0] == "set") {
			continue
		}
		if len(words) > 1 && (want[0] == "until" || want[0] == "why") {
			words = []string{words[0], strings.TrimSpace(line[len(words[0]):])}
		}
		if least := lists.Count(want, func(w string) bool { return w[0] != '[' }); least <= len(words) && len(words) <= len(want) {
			return want[0], words[1:], ""
		}
		usage = c[0]
	}
	return "", nil, usage
}

// Do carries out a line, and says on w what comes of it. Quit reports that the session is to end.
func (s *Session) Do(ctx context.Context, w io.Writer, line string) (quit bool) {
	if line = strings.TrimSpace(line); line == "" {
		return false
	}
	name, args, usage := parse(line)
	if name == "" {
		args = []string{line, usage}
	}
	lines, err := s.act(ctx, name, args)
	if err != nil {
		lines = []string{err.Error()}
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	if stays := []string{"why", "properties", "x", "trace", "save", "help", "quit"}; err == nil && !s.quiet && !slices.Contains(stays, name) {
		s.Show(w)
	}
	return name == "quit"
}

var (
	errNetlist = errors.New("that is for models and programs")
	errNone    = errors.New("there is no state here")
	errAny     = errors.New("the run begins in a state that may be unreachable; replay wants one from a start state")
)

// anyState names the start of a counterexample to induction, which is of rule -1.
const anyState = "a state that may be unreachable"

// act carries out a command; "": the step that a text and a usage are about, see choose.
func (s *Session) act(ctx context.Context, name string, args []string) (lines []string, err error) {
	models, _ := s.sys.(*models)
	netlist, _ := s.sys.(*netlist)
	switch {
	case name == "":
		return nil, s.choose(args[0], args[1])
	case name == "help":
		for _, c := range commands {
			if models == nil && (c[0] == "until CONDITION" || c[0] == "why RULE") {
				continue
			}
			lines = append(lines, fmt.Sprintf("%-17s  %s", c[0], c[1]))
		}
		return append(lines, "The first letter of a command is enough, but for set."), nil
	case name == "next" && s.at+1 < len(s.run):
		s.to(s.at + 1)
	case name == "next" && s.loop >= 0:
		s.to(min(s.loop+1, s.at))
	case name == "next":
		return nil, errors.New("this is the end of the run")
	case name == "back" && s.at < 0:
		return nil, errors.New("this is the start")
	case name == "back":
		s.to(s.at - 1)
	case name == "jump":
		n, err := number(args[0], "a step of the run", len(s.run)-1)
		if err == nil {
			s.to(n)
		}
		return nil, err
	case name == "random":
		return s.walk(ctx, args)
	case name == "set" && netlist == nil:
		return nil, errors.New("that is for netlists")
	case name == "set":
		if err = netlist.setInput(args[0], args[1]); err == nil {
			s.to(s.at)
		}
		return nil, err
	case name == "trace":
		return lists.Make(len(s.run), s.title), nil
	case models == nil && (name == "until" || name == "why"):
		return nil, errNetlist
	case name == "until":
		run, verdict, err := models.until(ctx, s.here(), args[0])
		if err == nil {
			s.follow(run)
		}
		return []string{verdict}, err
	case name == "quit":
	case s.at < 0 || s.run[s.at].State == nil && (name == "x" || name == "why"):
		return nil, errNone
	case name == "why":
		return models.whyNot(s.here(), args[0])
	case name == "properties":
		return lists.Map(s.sys.props(s.here()), func(p Prop) string { return fmt.Sprintf("%-12s  %s %q", p.Says, p.Kind, p.Name) }), nil
	case name == "x":
		return lists.Map(s.sys.lines(s.here()), func(line string) string { return "  " + line }), nil
	case name == "save":
		write, err := s.sys.save(s.here())
		if err == nil {
			err = s.Save(args[0], write)
		}
		return []string{args[0] + ": " + task.Plural(s.at, "step")}, err
	}
	return nil, nil
}

// title names a step.
func (s *Session) title(k int) string {
	return fmt.Sprintf("%d: %s", k, s.sys.describe(s.run[:k+1]).Name)
}

// moves describes what can be done.
func (s *Session) moves() []Move {
	return lists.Map(s.can, func(x step) Move { return s.sys.describe(append(s.here(), x)) })
}

// Show prints where one is, and the steps from there.
func (s *Session) Show(w io.Writer) {
	if s.at >= 0 {
		fmt.Fprintln(w, s.title(s.at))
		m := s.sys.describe(s.here())
		for _, line := range append(slices.Clip(m.Text), m.Changes...) {
			fmt.Fprintf(w, "  %s\n", line)
		}
		for _, p := range s.sys.props(s.here()) {
			if p.Says == violated {
				fmt.Fprintf(w, "violated: %s %q\n", p.Kind, p.Name)
			}
		}
		if s.loop >= 0 && s.at == len(s.run)-1 {
			fmt.Fprintf(w, "from here it goes on as from step %d, for ever\n", s.loop)
		}
	}
	all, wide := s.moves(), 0
	for _, m := range all {
		wide = min(max(wide, len([]rune(m.Name))), 48)
	}
	for i, m := range all {
		if len(m.Changes) == 0 {
			m.Changes = []string{"changes nothing"}
		}
		fmt.Fprintf(w, "%3d  %-*s  %s\n", i+1, wide, m.Name, strings.Join(m.Changes, "; "))
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "no step can be made")
	}
}

// choose takes the step that a number, or words of its name, say. Usage is that of a command that is meant, perhaps.
func (s *Session) choose(text, usage string) error {
	all := s.moves()
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(all) {
			return fmt.Errorf("%d: there is no such step", n)
		}
		s.take(s.can[n-1])
		return nil
	}
	var found, exact []int
	for i, m := range all {
		if m.Name == text || strings.HasPrefix(m.Name, text+" (") {
			exact = append(exact, i)
		}
		if matches(m.Name+" "+strings.Join(m.Text, " "), text) {
			found = append(found, i)
		}
	}
	if exact != nil {
		found = exact
	}
	switch {
	case len(found) == 1:
		s.take(s.can[found[0]])
		return nil
	case len(found) > 1:
		return fmt.Errorf("%q may be %s", text, strings.Join(task.FirstFew(lists.Map(found, func(i int) string { return all[i].Name }), 4), ", "))
	case usage != "":
		return fmt.Errorf("want %s", usage)
	}
	return fmt.Errorf("no step that can be made is %q; h lists commands", text)
}

// matches reports whether a name has all words of a text in it.
func matches(name, text string) bool {
	return !slices.ContainsFunc(strings.Fields(text), func(w string) bool { return !strings.Contains(strings.ToLower(name), strings.ToLower(w)) })
}

// number reads a number up to a greatest one.
func number(text, what string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s: want %s, up to %d", text, what, most)
	}
	return n, nil
}

// manySteps bounds a walk.
const manySteps = 100_000

// walk takes steps at random, up to where a property is violated, if none is here.
func (s *Session) walk(ctx context.Context, args []string) ([]string, error) {
	n, err := number(args[0], "a number of steps", manySteps)
	rng, run := s.rng, s.here()
	if err == nil && len(args) > 1 {
		var seed uint64
		if seed, err = strconv.ParseUint(args[1], 10, 64); err != nil {
			err = fmt.Errorf("%s: want a number as seed", args[1])
		}
		rng = rand.New(rand.NewPCG(seed, 0))
	}
	if err != nil {
		return nil, err
	}
	wrong := func() bool {
		return len(run) > 0 && slices.ContainsFunc(s.sys.props(run), func(p Prop) bool { return p.Says == violated })
	}
	for already := wrong(); n > 0 && ctx.Err() == nil && (already || !wrong()); n-- {
		can := s.sys.next(run, rng)
		if len(can) == 0 {
			break
		}
		run = append(run, can[rng.IntN(len(can))])
	}
	verdict := task.Plural(len(run)-1-s.at, "step") + " at random"
	s.follow(run)
	return []string{verdict}, nil
}

// Talk reads commands until they end, or ctx does. Echo says that nobody sees what is read, so that it is printed.
func (s *Session) Talk(ctx context.Context, in io.Reader, out io.Writer, echo bool) error {
	lines, r := make(chan string), bufio.NewScanner(in)
	go func() {
		defer close(lines)
		for r.Scan() && ctx.Err() == nil {
			lines <- r.Text()
		}
	}()
	s.Show(out)
	for {
		fmt.Fprint(out, "> ")
		select {
		case line, more := <-lines:
			if echo || !more {
				fmt.Fprintln(out, strings.TrimSpace(line))
			}
			if !more {
				return r.Err()
			}
			if s.Do(ctx, out, line) {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}
