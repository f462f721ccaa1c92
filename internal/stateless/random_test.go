package stateless

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/mc"
	"orbitmc/model"
)

// Random acyclic programs: two to four processes with shared variables, locks, channels,
// branches, assertions, locals of other names, stored process numbers, waiting for conditions.

type generator struct {
	*rand.Rand
	b      strings.Builder
	locals []string
	budget int
	chans  []int
}

func (g *generator) p(percent int) bool { return g.IntN(100) < percent }

func (g *generator) of(words ...string) string { return words[g.IntN(len(words))] }

func (g *generator) line(depth int, format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&g.b, format+"\n", args...)
}

// randomProgram returns a program that always ends.
func randomProgram(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11))}
	threads := 2 + g.IntN(3)
	g.line(0, "byte x, y = 1; byte m, l; byte a[%d];", threads)
	for i := range g.IntN(3) {
		g.chans = append(g.chans, g.IntN(3))
		g.line(0, "chan c%d = [%d] of { byte };", i, g.chans[i])
	}
	body, names := "", []string{}
	for k := 0; threads > 0; k++ {
		n := 1
		if g.p(60) {
			n = 1 + g.IntN(threads)
		}
		threads -= n
		g.locals = []string{"r", "s"}
		if g.p(30) {
			g.locals = []string{"u", "w"}
		}
		g.budget = 2 + g.IntN(4)
		if n > 2 {
			g.budget = 2 + g.IntN(2)
		}
		head := g.b.String()
		g.b.Reset()
		if k > 0 && g.p(35) { // the process before again, with other names, perhaps behind a statement
			g.locals = []string{"v" + names[0], "v" + names[1]}
			if g.p(50) {
				g.statement(1)
				g.line(1, ";")
			}
			for k, name := range names {
				body = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(body, g.locals[k])
			}
			names = g.locals
			g.b.WriteString(body)
		} else {
			if g.p(20) { // one of the processes begins with something of its own
				g.line(1, "if :: _pid == %d ->", g.IntN(2))
				g.statement(2)
				g.line(1, ":: else fi;")
			}
			before := g.b.String()
			g.b.Reset()
			g.block(1)
			body, names = g.b.String(), g.locals
			g.b.Reset()
			g.b.WriteString(before + body)
		}
		text := g.b.String()
		g.b.Reset()
		g.b.WriteString(head)
		g.line(0, "active [%d] proctype P%d() { byte %s;", n, k, strings.Join(g.locals, ", "))
		g.b.WriteString(text)
		switch g.IntN(4) {
		case 0:
			g.line(0, "; end: false }")
		case 1:
			if g.p(20) {
				g.line(0, "; false")
			}
			g.line(0, "}")
		default:
			g.line(0, "}")
		}
	}
	return g.b.String()
}

func (g *generator) variable() string {
	return g.of("x", "x", "y", "a[_pid]", "a[0]", g.locals[0], g.locals[1], g.locals[0])
}

func (g *generator) value() string {
	switch g.IntN(7) {
	case 0:
		return fmt.Sprint(g.IntN(3))
	case 1:
		return "_pid"
	case 2:
		return fmt.Sprintf("(%s + 1) %% 3", g.variable())
	}
	return g.variable()
}

func (g *generator) cond() string {
	switch g.IntN(5) {
	case 0:
		return g.variable() + " == _pid"
	case 1:
		return fmt.Sprintf("%s > %d", g.variable(), g.IntN(2))
	case 2:
		return fmt.Sprintf("%s != %s", g.variable(), g.variable())
	}
	return fmt.Sprintf("%s == %d", g.variable(), g.IntN(3))
}

func (g *generator) block(depth int) {
	g.statement(depth)
	for g.budget > 0 {
		g.line(depth, ";")
		g.statement(depth)
	}
}

func (g *generator) statement(depth int) {
	g.budget--
	switch k := g.IntN(20); {
	case k < 5:
		g.line(depth, "%s = %s", g.variable(), g.value())
	case k < 7:
		g.line(depth, "%s++", g.of("x", "y", "a[_pid]"))
	case k < 8:
		g.line(depth, "%s", g.cond()) // wait for it
	case k < 10:
		g.line(depth, "assert(%s)", g.cond())
	case k < 12:
		lock := g.of("m", "l")
		g.line(depth, "atomic { %s == 0; %s = 1 };", lock, lock)
		g.statement(depth)
		g.line(depth, "; %s = 0", lock)
	case k < 15:
		g.line(depth, "if")
		for range 1 + g.IntN(2) {
			g.line(depth, ":: %s ->", g.cond())
			g.statement(depth + 1)
		}
		g.line(depth, ":: %s", g.of("else", "else", "true", g.cond()))
		g.line(depth, "fi")
	case k < 16:
		g.line(depth, "d_step { %s = %s; %s = %s }", g.locals[0], g.value(), g.of("y", "x"), g.value())
	case k < 17:
		g.line(depth, "a[%s] = %s", g.of("x", g.locals[0], "y"), g.value())
	case len(g.chans) > 0:
		c := g.IntN(len(g.chans))
		if g.p(50) {
			g.line(depth, "c%d!%s", c, g.of("1", "2", g.locals[0], "x"))
		} else {
			g.line(depth, "c%d?%s", c, g.of(g.locals[0], g.locals[1], "1", "y"))
		}
	default:
		g.line(depth, "atomic { %s = %s; %s = %s }", g.variable(), g.value(), g.variable(), g.value())
	}
}

// violated returns the names of the properties that a result says are violated.
func violated(m *model.Model, r *mc.Result) []string {
	var all []string
	for _, pr := range r.Props {
		if pr.Status == mc.Unsafe {
			all = append(all, m.Props[pr.Prop].Name)
		}
	}
	slices.Sort(all)
	return all
}

// full returns what a search of all states finds, nil if there are too many.
func full(t *testing.T, file string) []string {
	t.Helper()
	k, err := task.Open(context.Background(), file, task.Options{Symmetry: "off"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explicit.Run(context.Background(), model.Compile(k.Problem.Model), explicit.Options{All: true, MaxDepth: 200, Bounded: true})
	if err != nil || !r.Complete && len(r.Violations) < len(k.Problem.Model.Props) {
		t.Fatal(err, r.Reason)
	}
	all := []string{}
	for _, v := range r.Violations {
		all = append(all, k.Problem.Model.Props[v.Prop].Name)
	}
	slices.Sort(all)
	return all
}

// ample returns what a search with stored states and stubborn sets finds, and how many states it visits. Its evidence is
// checked.
func ample(t *testing.T, file, symmetry string) ([]string, int64) {
	t.Helper()
	k, err := task.Open(context.Background(), file, task.Options{Symmetry: symmetry})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&explicit.Engine{Stubborn: true, Canon: explicit.Exact}).Run(context.Background(), k.Problem, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(context.Background(), k.Problem, r)
	}
	if err != nil || r.Stopped != explicit.Reduced && r.Open() > 0 {
		t.Fatal(err, r.Stopped)
	}
	return violated(k.Problem.Model, r), r.Stats.States
}

// combination is a way to search.
type combination struct {
	reduction Reduction
	visible   bool
	symmetry  string
	twins     bool
}

var combinations = func() (all []combination) {
	for r := None; r <= DPOR; r++ {
		for _, visible := range []bool{false, true} {
			for _, symmetry := range []string{"off", "auto"} {
				if r != DPOR || symmetry == "off" {
					all = append(all, combination{r, visible, symmetry, false})
				}
				if r != DPOR {
					all = append(all, combination{r, visible, symmetry, true})
				}
			}
		}
	}
	return all
}()

// ends are the last states of executions.
type ends map[string]model.State

// searched runs a combination on a file. It counts the last states of want that no execution ends in,
// up to symmetry. It gives up, with ok false, after many steps.
func searched(t *testing.T, file string, c combination, broken string, most int64, want ends) (found []string, last ends, missed int, stats mc.Stats, ok bool) {
	t.Helper()
	return searchedTask(t, opened(t, file, c), c, broken, most, want)
}

// opened returns a program ready for a combination. It depends on its grain and symmetry only.
func opened(t *testing.T, file string, c combination) *task.Task {
	t.Helper()
	k, err := task.Open(context.Background(), file, task.Options{Symmetry: c.symmetry, Executions: true, Staying: c.visible})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func searchedTask(t *testing.T, k *task.Task, c combination, broken string, most int64, want ends) (found []string, last ends, missed int, stats mc.Stats, ok bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last = ends{}
	e := &Engine{Program: task.ProgramOf(k), Reduction: c.reduction, Visible: c.visible, Twins: c.twins, broken: broken}
	s, err := newSearch(ctx, e, k.Problem, mc.Options{Bounded: true})
	if err != nil {
		t.Fatal(err)
	}
	orbit := func(state model.State) string { // the least image
		least, seen := fmt.Sprint(state), map[string]bool{}
		for open := []model.State{state}; s.sym != nil && len(open) > 0; {
			state, open = open[0], open[1:]
			for _, q := range s.sym.perms { // perhaps only generators
				image := make(model.State, len(state))
				k.Problem.Program.ApplyPerm(q, state, image)
				if text := fmt.Sprint(image); !seen[text] {
					seen[text] = true
					open = append(open, image)
					least = min(least, text)
				}
			}
		}
		return least
	}
	e.ends = func(state model.State) {
		state = slices.Clone(state)
		s.steps.Forget(state)
		last[fmt.Sprint(state)] = state
	}
	r, err := e.Run(ctx, k.Problem, mc.Options{All: true, Event: func(v mc.Event) {
		if v.Stats.Transitions > most {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if told := r.Stopped; broken == "" {
		if k.Polish(r); r.Stopped != told {
			t.Errorf("%+v: %s", c, r.Stopped)
		}
	}
	if r.Stopped != Complete {
		last = nil
	}
	if want == nil {
		want = last
	}
	orbits := map[string]bool{}
	for _, state := range want {
		orbits[orbit(state)] = false
	}
	for _, state := range last {
		if _, ok := orbits[orbit(state)]; !ok {
			t.Errorf("%+v: an execution ends where none should end", c)
		}
		orbits[orbit(state)] = true
	}
	for _, met := range orbits {
		if !met && r.Stopped == Complete && !c.twins { // twins are no permutation of all states
			missed++
		}
	}
	return violated(k.Problem.Model, r), last, missed, r.Stats, r.Stopped == Complete || r.Open() == 0 || r.Stopped == "a property is violated"
}

// TestRandom compares each combination with a search of all states.
// ORBITMC_LONG=1 takes 30,000 programs, PROGRAMS=N as many, from number FROM on, and SECONDS as long as that.
func TestRandom(t *testing.T) { compareAll(t, 20, 30_000, randomProgram) }

// TestRandomLanguage does so for random programs in the whole language, those of them that always end.
func TestRandomLanguage(t *testing.T) {
	compareAll(t, 30, 10_000, func(seed uint64) string {
		return acyclic(promelatest.Random(rand.New(rand.NewPCG(seed, 12))))
	})
}

// acyclic returns a program if it is known to end always and is not large, else "".
func acyclic(src string) string {
	p, err := promela.Parse("random.pml", []byte(src), promela.Options{NoClaims: true})
	if err != nil || len(p.Model.Rules) > 150 {
		return ""
	}
	if s, err := prog.NewSteps(p, p.Model); err != nil || s.Cycle() != nil {
		return ""
	}
	return src
}

// several says that processes of a program are of one type.
var several = regexp.MustCompile(`active \[[2-9]\]|run `)

// compareAll compares combinations on random programs; "" is none.
func compareAll(t *testing.T, programs, long int, program func(seed uint64) string) {
	from := uint64(0)
	if nightly.On() {
		programs = long
	}
	fmt.Sscan(os.Getenv("PROGRAMS"), &programs)
	fmt.Sscan(os.Getenv("FROM"), &from)
	seconds, began := 1<<30, time.Now()
	fmt.Sscan(os.Getenv("SECONDS"), &seconds)
	file := filepath.Join(t.TempDir(), "random.pml")
	sums := map[combination]int64{}
	tried, bad, guilty, given, stored := 0, 0, 0, 0, [2]int64{}
	for seed := from; seed < from+uint64(programs) && time.Since(began) < time.Duration(seconds)*time.Second; seed++ {
		src := program(seed)
		if src == "" {
			continue
		}
		tried++
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		want := full(t, file)
		if len(want) > 0 {
			guilty++
		}
		for i, symmetry := range []string{"off", "auto"} {
			if nightly.On() && i == 1 && !several.MatchString(src) {
				continue
			}
			got, states := ample(t, file, symmetry)
			stored[i] += states
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("seed %d, ample, symmetry %s: got %v, want %v\n%s", seed, symmetry, got, want, src)
				bad++
			}
		}
		all := map[bool]ends{} // by grain: of all executions
		tasks := map[combination]*task.Task{}
		for _, c := range combinations {
			if nightly.On() && (c.visible != (seed%2 == 0) || c.symmetry == "auto" && !several.MatchString(src)) {
				continue // more programs in the same time
			}
			key := combination{symmetry: c.symmetry, visible: c.visible}
			if tasks[key] == nil {
				tasks[key] = opened(t, file, c)
			}
			got, last, missed, stats, ok := searchedTask(t, tasks[key], c, "", 4_000, all[c.visible])
			if !ok {
				given++
				continue
			}
			if c.reduction == None && c.symmetry == "off" && !c.twins {
				all[c.visible] = last
			}
			sums[c] += stats.Transitions
			if missed > 0 || !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("seed %d, %+v: %d last states are missed; got %v, want %v\n%s", seed, c, missed, got, want, src)
				if bad++; bad > 3 {
					t.FailNow()
				}
			}
		}
	}
	for _, c := range combinations {
		t.Logf("%+v: %d steps", c, sums[c])
	}
	t.Logf("from %d: %d programs, %d of them violate something, %d searches given up; ample: %d states, %d with symmetry", from, tried, guilty, given, stored[0], stored[1])
}
