package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/model"
	"orbitmc/model/reference"
	"orbitmc/model/traces"
)

// models is a model, or that of a program.
type models struct {
	*task.ByHand
	m      *model.Model
	leaves []model.Leaf
	*model.Machine
}

func newModel(h *task.ByHand) *models {
	return &models{h, h.Code.Model, h.Code.Model.AllLeaves(), h.Code.NewMachine()}
}

// each calls f with the steps that can be made. That all processes of a program are at their ends is no step.
func (mo *models) each(run []step, f func(step)) {
	visit := func(ch model.Choice, s model.State, _ *model.Violation) bool {
		if len(run) == 0 || mo.Prog == nil || mo.Prog.Edges[ch.Rule].Kind != prog.Halt {
			f(step{Choice: ch.Clone(), State: slices.Clone(s)})
		}
		return true
	}
	if len(run) == 0 {
		mo.Starts(visit)
	} else if s := last(run).State; s != nil {
		mo.Successors(s, visit)
	}
}

func (mo *models) next(run []step, _ *rand.Rand) (all []step) {
	mo.each(run, func(q step) { all = append(all, q) })
	return all
}

// fault runs the last step once more, and returns its error, if it errs.
func (mo *models) fault(run []step) (v *model.Violation) {
	if q := last(run); q.Rule < 0 {
		return nil
	} else if len(run) == 1 {
		_, v = mo.Start(q.Choice)
	} else {
		_, _, v = mo.Fire(run[len(run)-2].State, q.Choice)
	}
	return v
}

func (mo *models) describe(run []step) Move {
	q := last(run)
	r, kind, m := mo.m.Starts, "startstate", Move{}
	if len(run) > 1 {
		if r, kind = mo.m.Rules, "rule"; mo.Prog != nil {
			m.Text = mo.Prog.Parts(q.Choice)
		}
	}
	if m.Name = anyState; q.Rule >= 0 {
		m.Name = instance(r[q.Rule], kind, q.Choice)
	}
	switch {
	case q.State == nil:
		v := mo.fault(run)
		m.Changes = []string{fmt.Sprintf("errs: %v: %s", v.Pos, cmp.Or(v.Message, mo.m.Props[v.Prop].Name))}
	case len(run) == 1:
		m.Changes = mo.lines(run)
	default:
		m.Changes = traces.Lines(mo.m, run[len(run)-2].State, q.State)
	}
	return m
}

// instance names a rule instance, or one of a start state.
func instance(r *model.Rule, kind string, ch model.Choice) string {
	name := cmp.Or(r.Name, fmt.Sprintf("%s@%d", kind, r.Pos.Line))
	for i, p := range r.Params {
		name += map[bool]string{true: " (", false: ", "}[i == 0] + p.Var.Name + "=" + p.Var.Type.Format(ch.Params[i])
	}
	if len(r.Params) > 0 {
		name += ")"
	}
	return name
}

func (mo *models) lines(run []step) []string { return traces.Lines(mo.m, nil, last(run).State) }

func (mo *models) props(run []step) []Prop {
	s, v := last(run).State, mo.fault(run)
	hits := lists.Map(mo.m.Props, func(p *model.Property) bool { return mo.Hit(p.Index) })
	return lists.Map(mo.m.Props, func(p *model.Property) Prop {
		says := kept
		if shown := v.Of(p.Index) != nil || s != nil && mo.Shown(s, p.Index).Of(p.Index) != nil; p.Kind == model.Cover {
			says = map[bool]string{true: "hit here", false: "not hit here"}[hits[p.Index] || p.Expr != nil && shown]
		} else if p.Kind.Graph() {
			says = map[bool]string{true: "false here", false: "true here"}[shown]
		} else if shown {
			says = violated
		}
		if s == nil && says != violated {
			says = "no state"
		}
		return Prop{p.Name, p.Kind.String(), says}
	})
}

// trace returns a run with the first property that is violated at its end.
func (mo *models) trace(run []step) *model.Trace {
	t := &model.Trace{Start: run[0].Choice, StartState: run[0].State, Steps: run[1:], Prop: -1, Violation: mo.fault(run)}
	for i := 0; t.Violation == nil && i < len(mo.m.Props); i++ {
		if p := mo.m.Props[i]; p.Kind != model.Cover && !p.Kind.Graph() {
			t.Violation = mo.Shown(last(run).State, i)
		}
	}
	if t.Violation != nil {
		t.Prop = t.Violation.Prop
	}
	return t
}

func (mo *models) view(run []step) (*trace.View, error) {
	return trace.OfModel(mo.m, mo.trace(run), mo.Source()), nil
}

func (mo *models) save(run []step) (func(io.Writer) error, error) {
	if run[0].Rule < 0 {
		return nil, errAny
	}
	return func(w io.Writer) error {
		if mo.Prog != nil {
			return mo.Prog.WriteTrace(w, mo.trace(run), traces.Plain)
		}
		return traces.Write(w, mo.m, mo.trace(run), traces.Plain)
	}, nil
}

func (mo *models) read(file string, data []byte) (run []step, loop int, err error) {
	t, loop, err := mo.Read(file, data)
	if err != nil {
		return nil, 0, err
	}
	run = append([]step{{Choice: t.Start, State: t.StartState}}, t.Steps...)
	if last(run).State == nil {
		loop = -1
	}
	return run, loop, nil
}

// manyStates bounds until.
const manyStates = 100_000

// until goes breadth first. The error also says that nothing was found.
func (mo *models) until(ctx context.Context, run []step, text string) (longer []step, verdict string, err error) {
	condition, err := mo.Condition(text)
	if err != nil {
		return nil, "", err
	}
	type node struct {
		run  []step // the last step of the way there; of the first node, all of it
		from int
	}
	all, seen, pack, erring := []node{{run, -1}}, map[string]bool{}, model.NewPacker(mo.m), ""
	for k := 0; k < len(all); k++ {
		at := all[k].run
		if len(at) > 0 && last(at).State != nil {
			if met, err := condition(last(at).State); err != nil {
				return nil, "", err
			} else if met && k == 0 {
				return nil, "", errors.New("it holds here")
			} else if met {
				for ; k > 0; k = all[k].from {
					longer = append(longer, all[k].run...)
				}
				slices.Reverse(longer)
				return append(slices.Clip(run), longer...), "by a shortest way, " + task.Plural(len(longer), "step"), nil
			}
			seen[string(pack.Pack(nil, last(at).State))] = true
		}
		if ctx.Err() != nil || len(all) > manyStates {
			return nil, "", fmt.Errorf("not found, which is no proof: %s visited", task.Plural(len(all), "state"))
		}
		mo.each(at, func(q step) {
			if q.State == nil {
				erring = "; steps that err lead nowhere"
			} else if key := string(pack.Pack(nil, q.State)); !seen[key] {
				seen[key] = true
				all = append(all, node{[]step{q}, k})
			}
		})
	}
	return nil, "", fmt.Errorf("it holds in no state that can be reached from here: %s visited%s", task.Plural(len(all)-1, "state"), erring)
}

// whyNot says of the instances of a rule of this name, or else of those with these words in their names, why they cannot fire.
func (mo *models) whyNot(run []step, text string) (lines []string, err error) {
	named := func(r *model.Rule) bool { return r.Name == text }
	exact := slices.ContainsFunc(mo.m.Rules, named)
	for _, r := range mo.m.Rules {
		for values := range model.Instances(r.Params) {
			ch := model.Choice{Rule: r.Index, Params: values}
			if name := instance(r, "rule", ch); named(r) || !exact && matches(name, text) {
				lines = append(lines, name+": "+mo.reason(last(run).State, ch))
			}
		}
	}
	if lines == nil {
		err = fmt.Errorf("no rule is %q", text)
	}
	return lines, err
}

// reason says why an instance cannot fire.
func (mo *models) reason(s model.State, ch model.Choice) string {
	if _, enabled, v := mo.Fire(s, ch); enabled || v != nil {
		return "it can fire"
	}
	e, reads := reference.WhyNot(mo.m, s, ch)
	if e == nil {
		return "an assumption keeps it from firing"
	}
	values := lists.Map(reads, func(i int) string { return mo.leaves[i].Name + " = " + mo.leaves[i].Type.Format(s[i]) })
	return fmt.Sprintf("not %s, as %s", model.Text(e), strings.Join(task.FirstFew(values, 6), ", "))
}
