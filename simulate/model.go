package simulate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/prog"
	"orbitmc/task"
	"orbitmc/trace"
)

// models is a model, or that of a program.
type models struct {
	*task.ByHand
	m *model.Model
	*model.Machine
}

func newModel(h *task.ByHand) *models { return &models{h, h.Code.Model, h.Code.NewMachine()} }

// each calls f with the steps that can be made, until it returns false. That all processes of a program are at their ends is no
// step.
func (x *models) each(run []step, f func(step) bool) {
	visit := func(ch model.Choice, s model.State, _ *model.Violation) bool {
		end := len(run) > 0 && x.Prog != nil && x.Prog.Edges[ch.Rule].Kind == prog.Halt
		return end || f(step{Choice: ch.Clone(), State: slices.Clone(s)})
	}
	if len(run) == 0 {
		x.Starts(visit)
	} else if s := last(run).State; s != nil {
		x.Successors(s, visit)
	}
}

func (x *models) next(run []step, _ *rand.Rand) (all []step) {
	x.each(run, func(q step) bool { all = append(all, q); return true })
	return all
}

func (x *models) random(run []step, rng *rand.Rand) (step, bool) {
	all := x.next(run, rng)
	if len(all) == 0 {
		return step{}, false
	}
	return all[rng.IntN(len(all))], true
}

// fault runs the last step once more, and returns its error, if it errs.
func (x *models) fault(run []step) (v *model.Violation) {
	if q := last(run); len(run) == 1 {
		_, v = x.Start(q.Choice)
	} else {
		_, _, v = x.Fire(run[len(run)-2].State, q.Choice)
	}
	return v
}

func (x *models) describe(run []step) Move {
	q := last(run)
	r, kind, m := x.m.Starts, "startstate", Move{}
	if len(run) > 1 {
		if r, kind = x.m.Rules, "rule"; x.Prog != nil {
			m.Text = x.Prog.Parts(q.Choice)
		}
	}
	m.Name = instance(r[q.Rule], kind, q.Choice)
	switch {
	case q.State == nil:
		v := x.fault(run)
		m.Changes = []string{fmt.Sprintf("errs: %v: %s", v.Pos, cmp.Or(v.Message, x.m.Props[v.Prop].Name))}
	case len(run) == 1:
		m.Changes = x.lines(run)
	default:
		m.Changes = x.m.Lines(run[len(run)-2].State, q.State)
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

func (x *models) lines(run []step) []string { return x.m.Lines(nil, last(run).State) }

func (x *models) props(run []step) []Prop {
	s, v := last(run).State, x.fault(run)
	hits := lists.Map(x.m.Props, func(p *model.Property) bool { return x.Hit(p.Index) })
	return lists.Map(x.m.Props, func(p *model.Property) Prop {
		says := holds
		if shown := v.Of(p.Index) != nil || s != nil && x.Shown(s, p.Index).Of(p.Index) != nil; p.Kind == model.Cover {
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
func (x *models) trace(run []step) *model.Trace {
	t := &model.Trace{Start: run[0].Choice, StartState: run[0].State, Steps: run[1:], Prop: -1, Violation: x.fault(run)}
	for i := 0; t.Violation == nil && i < len(x.m.Props); i++ {
		if p := x.m.Props[i]; p.Kind != model.Cover && !p.Kind.Graph() {
			t.Violation = x.Shown(last(run).State, i)
		}
	}
	if t.Violation != nil {
		t.Prop = t.Violation.Prop
	}
	return t
}

func (x *models) view(run []step) (*trace.View, error) {
	return trace.OfModel(x.m, x.trace(run), x.Source()), nil
}

func (x *models) save(run []step, _ string) (func(io.Writer) error, error) {
	return func(w io.Writer) error {
		if x.Prog != nil {
			return x.Prog.WriteTrace(w, x.trace(run), model.Plain)
		}
		return model.WriteTrace(w, x.m, x.trace(run), model.Plain)
	}, nil
}

func (x *models) read(file string, data []byte) (run []step, loop int, err error) {
	t, loop, err := x.Read(file, data)
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

// until goes breadth first.
func (x *models) until(ctx context.Context, run []step, text string) (found []step, verdict string, err error) {
	type node struct {
		step
		from int
	}
	all, seen, pack := []node(nil), map[string]bool{}, model.NewPacker(x.m)
	isNew := func(s model.State) bool {
		key := string(pack.Pack(nil, s))
		known := seen[key]
		seen[key] = true
		return !known
	}
	condition, err := x.Condition(text)
	if err != nil {
		return nil, "", err
	}
	erring, open := "", true
	visit := func(from int) func(q step) bool {
		return func(q step) bool {
			if q.State == nil {
				erring = "; steps that err lead nowhere"
			} else if isNew(q.State) {
				all = append(all, node{q, from})
				var met bool
				if met, err = condition(q.State); met {
					for k := len(all) - 1; k >= 0; k = all[k].from {
						found = append(found, all[k].step)
					}
					slices.Reverse(found)
				}
				open = err == nil && !met && len(all) < manyStates && ctx.Err() == nil
			}
			return open
		}
	}
	if len(run) > 0 && last(run).State != nil {
		isNew(last(run).State)
		if met, err := condition(last(run).State); met || err != nil {
			return nil, "it holds here", err
		}
	}
	x.each(run, visit(-1))
	for k := 0; k < len(all) && open; k++ {
		x.each([]step{all[k].step}, visit(k))
	}
	switch visited := task.Plural(len(all), "state") + " visited" + erring; {
	case found != nil:
		return append(slices.Clip(run), found...), "by a shortest way, " + task.Plural(len(found), "step"), nil
	case open:
		return nil, "it holds in no state that can be reached from here: " + visited, nil
	default:
		return nil, "not found, which is no proof: " + visited, err
	}
}

// whyNot says of the instances of a rule of this name, or else of those with these words in their names, why they cannot fire.
func (x *models) whyNot(run []step, text string) (lines []string, err error) {
	named := func(r *model.Rule) bool { return r.Name == text }
	exact := slices.ContainsFunc(x.m.Rules, named)
	for _, r := range x.m.Rules {
		for values := range model.Instances(r.Params) {
			ch := model.Choice{Rule: r.Index, Params: values}
			if name := instance(r, "rule", ch); named(r) || !exact && matches(name, text) {
				lines = append(lines, name+": "+x.reason(last(run).State, ch))
			}
		}
	}
	if lines == nil {
		err = fmt.Errorf("no rule is %q", text)
	}
	return lines, err
}

// reason says why an instance cannot fire.
func (x *models) reason(s model.State, ch model.Choice) string {
	if _, enabled, v := x.Fire(s, ch); enabled || v != nil {
		return "it can fire"
	}
	e, reads := x.m.WhyNot(s, ch)
	if e == nil {
		return "an assumption keeps it from firing"
	}
	values := lists.Map(reads, func(i int) string { return x.m.LeafName(i) + " = " + x.m.Leaf(i).Type.Format(s[i]) })
	return fmt.Sprintf("not %s, as %s", model.Text(e), strings.Join(task.FirstFew(values, 6), ", "))
}
