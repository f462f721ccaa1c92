package counters_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/internal/counters"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// read reads one of our models.
func read(t *testing.T, name string, consts map[string]string) *model.Model {
	t.Helper()
	m, err := murphi.ReadFile("../../benchmarks/murphi/"+name+".m", murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// translate counts the first class of a model that can be counted.
func translate(m *model.Model) (*counters.Translation, error) { return translateDouble(m, 0, "") }

// translateDouble is translate for a double, with counters that stop at a number, or 0.
func translateDouble(m *model.Model, cut int, double string) (*counters.Translation, error) {
	m, inf := infer.Large(m, counters.Most)
	return counters.CutDouble(m, func(c *model.Type) []int {
		k, _ := inf.Of(c)
		return slices.MaxFunc(append(k.Values, nil), func(a, b []int) int { return len(a) - len(b) })
	}, cut, double)
}

// outcome is what a model does in one state.
type outcome struct {
	next     map[string]bool // successors
	errors   map[int]bool    // properties violated by steps
	violated map[int]bool    // properties violated in the state
	moves    bool            // some step leads to another state
}

// lookAt returns what there is to know of s; name gives states names.
func lookAt(m *model.Machine, w *reference.Walker, s model.State, name func(model.State) string) *outcome {
	o := &outcome{map[string]bool{}, map[int]bool{}, map[int]bool{}, false}
	m.Successors(s, func(_ model.Choice, next model.State, v *model.Violation) bool {
		if v != nil {
			o.errors[v.Prop] = true
			return true
		}
		o.next[name(next)] = true
		o.moves = o.moves || !slices.Equal(next, s)
		return true
	})
	for i, q := range m.Program().Model.Props {
		if q.Expr == nil {
			continue
		}
		if r := w.Evaluate(s, q.Params, q.Expr, q.Kind != model.Cover); r.Prop >= 0 {
			o.errors[r.Prop] = true
		} else if !r.Holds {
			o.violated[i] = true
		}
	}
	return o
}

// bisimilar visits all states of the old model, at most so many, and compares each with its abstraction.
// It returns how many it visited, and how many states of the new model these are.
func bisimilar(tr *counters.Translation, most int) (states, abstract int, err error) {
	old, own := model.Compile(tr.Concrete).NewMachine(), model.Compile(tr.Model).NewMachine()
	walkers := []*reference.Walker{reference.NewWalker(tr.Concrete), reference.NewWalker(tr.Model)}
	abs := func(s model.State) string {
		a, ok := tr.Abstract(s)
		if !ok {
			return "?"
		}
		return fmt.Sprint(a)
	}
	seen, reached := map[string]bool{}, map[string]bool{}
	var queue []model.State
	starts := [2]*outcome{{next: map[string]bool{}, errors: map[int]bool{}}, {next: map[string]bool{}, errors: map[int]bool{}}}
	for i, m := range []*model.Machine{old, own} {
		m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
			switch {
			case v != nil:
				starts[i].errors[v.Prop] = true
			case i == 0:
				starts[i].next[abs(s)] = true
				if k := fmt.Sprint(s); !seen[k] {
					seen[k] = true
					queue = append(queue, slices.Clone(s))
				}
			default:
				starts[i].next[fmt.Sprint(s)] = true
			}
			return true
		})
	}
	if fmt.Sprint(starts[0].next, starts[0].errors) != fmt.Sprint(starts[1].next, starts[1].errors) {
		return 0, 0, fmt.Errorf("start states: %v and %v", starts[0], starts[1])
	}
	for ; len(queue) > 0 && len(seen) <= most; queue = queue[1:] {
		s := queue[0]
		a, ok := tr.Abstract(s)
		if !ok {
			return 0, 0, fmt.Errorf("state %v cannot be counted", s)
		}
		reached[fmt.Sprint(a)] = true
		if tr.Cut > 0 {
			if err := simulated(tr, old, own, walkers, s, a); err != nil {
				return 0, 0, fmt.Errorf("state %v, counted %v: %w", s, a, err)
			}
		} else if back, ok := tr.Abstract(tr.Concretise(a)); !ok || !slices.Equal(back, a) {
			return 0, 0, fmt.Errorf("%v is %v as a state", a, tr.Concretise(a))
		}
		x := lookAt(old, walkers[0], s, abs)
		y := lookAt(own, walkers[1], a, func(s model.State) string { return fmt.Sprint(s) })
		if tr.Cut == 0 && (fmt.Sprint(x.next) != fmt.Sprint(y.next) || fmt.Sprint(x.errors) != fmt.Sprint(y.errors) || fmt.Sprint(x.violated) != fmt.Sprint(y.violated)) {
			return 0, 0, fmt.Errorf("state %v, counted %v: %v and %v", s, a, *x, *y)
		}
		if tr.Cut == 0 && y.moves && !x.moves {
			return 0, 0, fmt.Errorf("state %v, counted %v: only the counters move", s, a)
		}
		if tr.Cut == 0 && tr.Model.DeadlockProp() != nil {
			is, counted := old.Deadlocked(s), own.Deadlocked(a)
			swaps := tr.Model.Deadlock == model.Stuttering && x.moves && len(x.next) == 1 // components exchange what they are in
			if is && !counted || counted && !is && !swaps {
				return 0, 0, fmt.Errorf("state %v, counted %v: deadlocked %v and %v", s, a, is, counted)
			}
		}
		old.Successors(s, func(_ model.Choice, next model.State, v *model.Violation) bool {
			if k := fmt.Sprint(next); v == nil && !seen[k] {
				seen[k] = true
				queue = append(queue, slices.Clone(next))
			}
			return true
		})
	}
	return len(seen), len(reached), nil
}

// simulated tells what happens in a state s and not in a, with counters that stop.
func simulated(tr *counters.Translation, old, own *model.Machine, walkers []*reference.Walker, s, a model.State) error {
	x := lookAt(old, walkers[0], s, func(s model.State) string {
		a, _ := tr.Abstract(s)
		return fmt.Sprint(a)
	})
	y := lookAt(own, walkers[1], a, func(s model.State) string { return fmt.Sprint(s) })
	for next := range x.next {
		if !y.next[next] {
			return fmt.Errorf("no step to %s", next)
		}
	}
	if fmt.Sprint(x.errors) != fmt.Sprint(y.errors) || fmt.Sprint(x.violated) != fmt.Sprint(y.violated) {
		return fmt.Errorf("%v and %v", *x, *y)
	}
	if tr.Model.Deadlock == model.Stuck && old.Deadlocked(s) && !own.Deadlocked(a) {
		return fmt.Errorf("a deadlock is none")
	}
	return nil
}

// TestOwnModels: on each of our models that qualifies, the translation is a bisimulation, state by
// state, and has as many states as there are orbits.
func TestOwnModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		consts map[string]string
		orbits int
	}{
		{"readers_writers", map[string]string{"N": "3"}, 0},
		{"readers_writers", map[string]string{"N": "6"}, 0},
		{"readers_writers_bug", map[string]string{"N": "5"}, 0},
		{"mutex_sem", map[string]string{"N": "3"}, 7},
		{"mutex_sem", map[string]string{"N": "8"}, 17},
		{"mutex_sem_bug", map[string]string{"N": "5"}, 0},
		{"sem_counter", map[string]string{"N": "4"}, 12},
		{"sem_counter", map[string]string{"N": "8"}, 35},
		{"sem_counter_bug", map[string]string{"N": "5"}, 0},
		{"late_count", map[string]string{"N": "6"}, 0},
		{"late_constant", map[string]string{"N": "6"}, 7},
		{"mesi_snoop", map[string]string{"NODE_NUM": "3"}, 0},
		{"mesi_snoop_range", map[string]string{"NODE_NUM": "4"}, 0},
		{"mesi_snoop_bug", map[string]string{"NODE_NUM": "3"}, 0},
		{"moesi", map[string]string{"NODE_NUM": "3"}, 0},
		{"moesi_bug", map[string]string{"NODE_NUM": "3"}, 0},
	} {
		tr, err := translate(read(t, c.name, c.consts))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		states, abstract, err := bisimilar(tr, 20000)
		if err != nil || c.orbits > 0 && abstract != c.orbits {
			t.Errorf("%s %v: %d states, %d counted, want %d: %v", c.name, c.consts, states, abstract, c.orbits, err)
		}
		t.Logf("%s %v: %s; %d states, %d counted", c.name, c.consts, tr.Summary(), states, abstract)
	}
}

// TestHundred: models with a hundred components are searched to the end.
func TestHundred(t *testing.T) {
	for name, want := range map[string]int64{"readers_writers": 10200, "mutex_sem": 201} {
		tr, err := translate(read(t, name, map[string]string{"N": "100"}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := explicit.Run(context.Background(), model.Compile(tr.Model), explicit.Options{All: true})
		if err != nil || !r.Complete || len(r.Violations) > 0 || r.States != want {
			t.Errorf("%s: %d states, want %d; complete: %v, %d violations; %v", name, r.States, want, r.Complete, len(r.Violations), err)
		}
	}
}

// TestValues: a name for a value is no name for the place that had it. The bounds of the loop are
// such names, as Rumur runs it downwards and evaluates them once.
func TestValues(t *testing.T) {
	const src = `type P: scalarset(3); N: 0..9;
var x: array [P] of N; b: N;
startstate begin for p: P do x[p] := 2 end; b := 0 end;
ruleset p: P do rule "sum" x[p] = 2 ==> var s: N; begin
  s := 0;
  for k := x[p] to 0 do s := s + k; x[p] := 3 end;
  b := s;
end end;
invariant "three" b = 0 | b = 3;
`
	m, err := murphi.Parse("values.m", []byte(src), murphi.Options{Dialect: model.Rumur})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := translate(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := bisimilar(tr, 1000); err != nil {
		t.Error(err)
	}
}
