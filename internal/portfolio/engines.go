package portfolio

import (
	"fmt"
	"slices"

	"orbitmc/bmc"
	"orbitmc/cofactor"
	"orbitmc/internal/explicit"
	"orbitmc/internal/explicit/netlist"
	"orbitmc/internal/pdr"
	"orbitmc/internal/pdr/klive"
	"orbitmc/internal/stateless"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file is the table of engines. To add an engine, add it to Kinds.

// Kind is an engine as users name it.
type Kind struct {
	Name     string
	New      func(t *task.Task) mc.Engine // nil: it needs what only a command knows
	Symbolic bool                         // it reads the encoding, and all a netlist has; others run on models only
	Justice  bool                         // it decides justice properties and nothing else
	Early    bool                         // beside others it may begin before the symmetry is known, and begin anew
	Deepens  bool                         // it is bounded search, with a share of its own (schedule.go)
	Later    bool                         // it takes the symmetry while it runs, and does not begin anew: mc.Options.Later
	Strict   bool                         // it may be given an encoding on which Problem.Found says mc.ErrHidden
	Alone    bool                         // it runs only if the user names it, not side by side by default, but for Brief
	Brief    func(t *task.Task) mc.Engine // how it runs by default on a netlist, though Alone; nil: it does not
	Progress func(mc.Event) string        // one line
}

// Kinds lists the engines in the order in which they are shown.
var Kinds = []Kind{
	{Name: "bmc", New: func(t *task.Task) mc.Engine { return &bmc.Checker{NewSolver: t.NewSolver} }, Symbolic: true, Deepens: true, Early: true, Later: true, Strict: true, Progress: frames},
	{Name: "ind", New: func(t *task.Task) mc.Engine { return &bmc.Inductor{NewSolver: t.NewSolver} }, Symbolic: true, Early: true, Alone: true, Brief: func(t *task.Task) mc.Engine { return &brief{t.NewSolver, briefSteps, inductor} }, Progress: frames},
	{Name: "scorr", New: func(t *task.Task) mc.Engine { return &bmc.Correspondence{NewSolver: t.NewSolver} }, Symbolic: true, Early: true, Alone: true, Brief: func(t *task.Task) mc.Engine { return &brief{t.NewSolver, 8 * briefSteps, correspondence} }, Progress: frames},
	{Name: "pdr", New: func(t *task.Task) mc.Engine { return PDR(t) }, Symbolic: true, Early: true, Strict: true, Progress: levels},
	{Name: "klive", New: func(t *task.Task) mc.Engine { return Counting(t) }, Symbolic: true, Justice: true, Early: true, Later: true, Progress: rounds},
	{Name: "cofactor", New: func(t *task.Task) mc.Engine { return Cofactoring(t) }, Symbolic: true, Early: true, Strict: true, Alone: true, Progress: backwards},
	{Name: stateless.Name, Progress: executions},
	{Name: "explicit", New: func(t *task.Task) mc.Engine {
		switch {
		case t.Problem.Formulas != nil:
			return &explicit.Formulas{Paths: t.Certificate}
		case t.Problem.Netlist != nil:
			return &netlist.Engine{}
		}
		return &explicit.Engine{Canon: explicit.Exact, Seed: t.Seed, Walks: func(prop int) bool { return !t.Room(prop) }}
	}, Progress: visited},
}

// Engines returns the engine of a name, or, for "all", those that run side by side by
// default.
func Engines(t *task.Task, name string) ([]mc.Engine, error) {
	var all []mc.Engine
	for _, k := range Kinds {
		switch {
		case k.New == nil:
		case k.Name == name, name == "all" && !k.Alone:
			all = append(all, k.New(t))
		case name == "all" && k.Brief != nil && t.Problem.IsNetlist():
			all = append(all, k.Brief(t))
		}
	}
	if len(all) == 0 {
		return nil, task.OneOf("engine", name, Names()...)
	}
	return all, nil
}

// Fit returns the engines that decide properties of a task: counting those of justice.
func Fit(t *task.Task, engines []mc.Engine) []mc.Engine {
	return slices.DeleteFunc(slices.Clone(engines), func(e mc.Engine) bool {
		return t.Problem.Lassos == nil && t.Problem.Formulas == nil && kindOf(e.Name()).Justice
	})
}

// Names lists what Engines takes.
func Names() []string {
	names := []string{"all"}
	for _, k := range Kinds {
		if k.New != nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// kindOf returns the kind of an engine by its name; what is in no list is symbolic.
func kindOf(name string) Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{Name: name, Symbolic: true, Progress: frames}
}

// symbolic reports whether an engine reads the encoding.
func symbolic(e mc.Engine) bool { return kindOf(e.Name()).Symbolic }

// Progress returns a line on how far an engine is.
func Progress(e mc.Event) string { return kindOf(e.Engine).Progress(e) }

// Cofactoring returns backward reachability, with pdr for its reachability queries on
// liveness.
func Cofactoring(t *task.Task) *cofactor.Engine {
	return &cofactor.Engine{NewSolver: t.NewSolver, Reach: &pdr.Engine{NewSolver: t.NewSolver}}
}

// Counting returns k-liveness, which looks for the symmetry of the systems that it makes.
func Counting(t *task.Task) *klive.Engine {
	e := &klive.Engine{NewSolver: t.NewSolver}
	if t.Symmetry == "auto" || t.Symmetry == "detected" {
		e.Symmetry = t.Detect
	}
	return e
}

func rounds(e mc.Event) string {
	return fmt.Sprintf("%s: round %d, frame %d, %d lemmas, %d states blocked", e.Engine, e.Depth, e.Stats.Levels, e.Stats.Orbits, e.Stats.Obligations)
}

func frames(e mc.Event) string {
	return fmt.Sprintf("%s: depth %d, %d clauses, %d conflicts", e.Engine, e.Depth, e.Stats.Clauses, e.Stats.Conflicts)
}

func levels(e mc.Event) string {
	return fmt.Sprintf("%s: frame %d, %d lemmas, %d images, %d states blocked", e.Engine, e.Depth, e.Stats.Orbits, e.Stats.Images, e.Stats.Obligations)
}

func backwards(e mc.Event) string {
	s := e.Stats
	return fmt.Sprintf("%s: depth %d, %d enumerations of %.3g states, %d ANDs of cofactors, %d of the set, %d queries",
		e.Engine, e.Depth, s.Enumerations, s.StatesPerEnumeration, s.CofactorAnds, s.SetAnds, s.Queries)
}

// visited fits a line of 80 columns. Its last figure is a guess: which part of all states is found.
func visited(e mc.Event) string {
	st, s := e.Stats, e.Search
	line := fmt.Sprintf("%s: depth %d, %s states", e.Engine, e.Depth, short(float64(st.States)))
	if e.Depth == 0 && s == nil {
		line = fmt.Sprintf("%s: %s states", e.Engine, short(float64(st.States)))
	}
	if s == nil || st.States == 0 {
		return line
	}
	if s.Pass > 0 {
		return fmt.Sprintf("%s: %s states, liveness: pass %d, %s open", e.Engine, short(float64(st.States)), s.Pass, short(float64(s.Unmarked)))
	}
	line += fmt.Sprintf(" at %d B, %s open, %s/s, ", st.Bytes/st.States, short(float64(s.Frontier)), short(s.PerSecond))
	if s.Limit > 0 {
		line += fmt.Sprintf("mem %d %%", 100*st.Bytes/s.Limit)
	} else {
		line += task.Size(st.Bytes)
	}
	if s.Part >= 0.01 {
		line += fmt.Sprintf(", ~%.0f %%", 100*s.Part)
	}
	return line
}

// short writes a number in at most five columns, up to 10^15.
func short(x float64) string {
	unit := 0
	for ; x >= 9999.5 && unit < 3; unit++ {
		x /= 1000
	}
	return fmt.Sprintf("%.0f%s", x, []string{"", "k", "M", "G"}[unit])
}

func executions(e mc.Event) string {
	return fmt.Sprintf("%s: depth %d, %s", e.Engine, e.Depth, Executions(e.Stats))
}

// Executions says what a search by executions has done, and how much of the tree that may be.
func Executions(s mc.Stats) string {
	text := fmt.Sprintf("%s, %s, %d left out", task.Plural(int(s.Executions), "execution"), task.Plural(int(s.Transitions), "step"), s.Pruned)
	if s.Executions > 0 && s.Explored > 0 && s.Explored < 0.999 {
		text += fmt.Sprintf(", of about %.2g executions", float64(s.Executions)/s.Explored)
	}
	return text
}
