package certify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// source has a property of every kind that is violated after a few steps, and
// one that holds. Different rule instances lead to different states wherever
// they are enabled, so that no change to a trace is without effect.
const source = `
type
  NODE: scalarset(2);
var
  x: 0..6;
  a: array [NODE] of boolean;
  u: 0..1;
ruleset b: boolean do
  startstate "start"
    x := b ? 1 : 0;
    for i: NODE do a[i] := false; end;
  end;
end;
rule "inc" x < 4 ==>
begin
  x := x + 1;
end;
ruleset i: NODE do
  rule "mark" !a[i] ==>
  begin
    a[i] := true;
  end;
end;
rule "boom" x = 4 & (forall i: NODE do a[i] end) ==>
begin
  assert x != 4 "assertion";
end;
rule "leave" x = 4 & (forall i: NODE do a[i] end) ==>
begin
  x := 5;
end;
ruleset i: NODE do
  rule "stop" x = 3 & a[i] ==>
  begin
    x := 5;
    error "stopped";
  end;
end;
rule "guard" x = 2 & (forall i: NODE do a[i] end) & u = 0 ==>
begin
  x := 6;
end;
invariant "low" x < 4;
invariant "fine" x <= 6;
`

func load(t *testing.T, dialect model.Dialect) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse("source.m", []byte(source), murphi.Options{Dialect: dialect, Deadlock: model.Stuttering})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	return p
}

func solve(t *testing.T, p *mc.Problem) *mc.Result {
	t.Helper()
	r, err := (&explicit.Engine{}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerifyAccepts(t *testing.T) {
	for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
		p := load(t, d)
		r := solve(t, p)
		if err := certify.Verify(context.Background(), p, r); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int)
		for _, pr := range r.Props {
			if pr.Status == mc.Unsafe {
				got[p.Model.Props[pr.Prop].Name] = pr.Depth
				if pr.Evidence != "trace replayed in the interpreter" {
					t.Errorf("evidence %q", pr.Evidence)
				}
			} else if pr.Status != mc.Safe {
				t.Errorf("%q is %v", p.Model.Props[pr.Prop].Name, pr.Status)
			}
		}
		want := map[string]int{"low": 3, "assertion": 6, "stopped": 4, "runtime-error": 3, "deadlock": 6}
		if d == model.Rumur {
			want["runtime-error"]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: depths %v, want %v", d, got, want)
		}
	}
}

// copyOf returns a deep copy of a result for a property and its trace.
func copyOf(pr mc.PropResult) mc.PropResult {
	u := *pr.Trace
	u.Start = u.Start.Clone()
	u.StartState = slices.Clone(u.StartState)
	u.Steps = slices.Clone(u.Steps)
	for i, s := range u.Steps {
		u.Steps[i] = model.TraceStep{Choice: s.Choice.Clone(), State: slices.Clone(s.State)}
	}
	if u.Violation != nil {
		v := *u.Violation
		u.Violation = &v
	}
	pr.Trace = &u
	return pr
}

// corruptions returns results like pr in which one thing is wrong.
func corruptions(p *mc.Problem, pr mc.PropResult) map[string]mc.PropResult {
	all := make(map[string]mc.PropResult)
	edit := func(name string, f func(pr *mc.PropResult, t *model.Trace)) {
		c := copyOf(pr)
		f(&c, c.Trace)
		if _, dup := all[name]; dup {
			panic(name)
		}
		all[name] = c
	}
	edit("no trace", func(pr *mc.PropResult, _ *model.Trace) { pr.Trace = nil })
	edit("deeper", func(pr *mc.PropResult, _ *model.Trace) { pr.Depth++ })
	edit("less deep", func(pr *mc.PropResult, _ *model.Trace) { pr.Depth-- })
	edit("bound beyond the violation", func(pr *mc.PropResult, _ *model.Trace) { pr.Bound = pr.Depth })
	for q := -1; q <= len(p.Model.Props); q++ {
		if q == pr.Prop {
			continue
		}
		edit(fmt.Sprint("trace of property ", q), func(_ *mc.PropResult, t *model.Trace) { t.Prop = q })
		if q >= 0 && q < len(p.Model.Props) {
			edit(fmt.Sprint("result and trace of property ", q), func(pr *mc.PropResult, t *model.Trace) { pr.Prop, t.Prop = q, q })
			edit(fmt.Sprint("violation of property ", q), func(_ *mc.PropResult, t *model.Trace) { t.Violation.Prop = q })
		}
	}
	edit("guard or not", func(_ *mc.PropResult, t *model.Trace) { t.Violation.InGuard = !t.Violation.InGuard })
	choices := func(name string, at func(t *model.Trace) *model.Choice, rules []*model.Rule) {
		have := at(pr.Trace)
		for _, ch := range instances(rules) {
			if !ch.Equal(*have) {
				edit(fmt.Sprint(name, " is ", ch), func(_ *mc.PropResult, t *model.Trace) { *at(t) = ch })
			}
		}
		for _, ch := range []model.Choice{{Rule: -1}, {Rule: len(rules)}, {Rule: have.Rule, Params: append(slices.Clone(have.Params), 0)}} {
			edit(fmt.Sprint(name, " is invalid ", ch), func(_ *mc.PropResult, t *model.Trace) { *at(t) = ch })
		}
	}
	states := func(name string, at func(t *model.Trace) *model.State) {
		have := *at(pr.Trace)
		if have == nil {
			edit(name+" is there", func(_ *mc.PropResult, t *model.Trace) { *at(t) = slices.Clone(pr.Trace.StartState) })
			return
		}
		for i, l := range p.Model.AllLeaves() {
			for v := l.Type.Lo; v <= l.Type.Hi; v++ {
				if v != have[i] {
					edit(fmt.Sprint(name, ": ", l.Name, " is ", v), func(_ *mc.PropResult, t *model.Trace) { (*at(t))[i] = v })
				}
			}
			if have[i] != model.Undef {
				edit(fmt.Sprint(name, ": ", l.Name, " is undefined"), func(_ *mc.PropResult, t *model.Trace) { (*at(t))[i] = model.Undef })
			}
		}
		edit(name+" is missing", func(_ *mc.PropResult, t *model.Trace) { *at(t) = nil })
		edit(name+" is short", func(_ *mc.PropResult, t *model.Trace) { *at(t) = (*at(t))[1:] })
	}
	choices("start", func(t *model.Trace) *model.Choice { return &t.Start }, p.Model.Starts)
	states("start state", func(t *model.Trace) *model.State { return &t.StartState })
	for i := range pr.Trace.Steps {
		name := fmt.Sprint("step ", i+1)
		choices(name, func(t *model.Trace) *model.Choice { return &t.Steps[i].Choice }, p.Model.Rules)
		states(name, func(t *model.Trace) *model.State { return &t.Steps[i].State })
		edit(name+" left out", func(_ *mc.PropResult, t *model.Trace) { t.Steps = slices.Delete(t.Steps, i, i+1) })
		edit(name+" left out, depth as well", func(pr *mc.PropResult, t *model.Trace) {
			t.Steps = slices.Delete(t.Steps, i, i+1)
			pr.Depth--
		})
		edit(name+" twice", func(pr *mc.PropResult, t *model.Trace) {
			t.Steps = slices.Insert(t.Steps, i, t.Steps[i])
			pr.Depth++
		})
		if i > 0 {
			edit(name+" too early", func(_ *mc.PropResult, t *model.Trace) { t.Steps[i], t.Steps[i-1] = t.Steps[i-1], t.Steps[i] })
		}
	}
	return all
}

func instances(rules []*model.Rule) []model.Choice {
	var all []model.Choice
	for i, r := range rules {
		if len(r.Params) == 0 {
			all = append(all, model.Choice{Rule: i})
			continue
		}
		for _, v := range r.Params[0].Domain.Values() {
			all = append(all, model.Choice{Rule: i, Params: []int64{v}})
		}
	}
	return all
}

// TestVerifyRejects changes one thing at a time in true results.
func TestVerifyRejects(t *testing.T) {
	tried := 0
	for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
		p := load(t, d)
		whole := solve(t, p)
		for i, pr := range whole.Props {
			name := p.Model.Props[pr.Prop].Name
			if pr.Status == mc.Safe {
				r := &mc.Result{Props: slices.Clone(whole.Props)}
				r.Closure = nil
				if certify.Verify(context.Background(), p, r) == nil {
					t.Errorf("%q is safe without evidence", name)
				}
				continue
			}
			all := corruptions(p, pr)
			for _, other := range whole.Props {
				if other.Status == mc.Unsafe && other.Prop != pr.Prop { // true, but of another property
					other.Prop = pr.Prop
					all[fmt.Sprint("result of property ", other.Trace.Prop)] = other
				}
			}
			for what, c := range all {
				tried++
				r := &mc.Result{Engine: "corrupt", Props: slices.Clone(whole.Props), Closure: whole.Closure}
				r.Props[i] = c
				err := certify.Verify(context.Background(), p, r)
				if err == nil {
					t.Errorf("%v: %q: %s: accepted", d, name, what)
				} else if !strings.Contains(err.Error(), "internal error") {
					t.Errorf("%v: %q: %s: %v", d, name, what, err)
				}
			}
		}
		for what, props := range map[string][]mc.PropResult{
			"a property is missing": whole.Props[1:],
			"a property is twice":   append(slices.Clone(whole.Props), whole.Props[0]),
			"order":                 append(slices.Clone(whole.Props[1:]), whole.Props[0]),
		} {
			if certify.Verify(context.Background(), p, &mc.Result{Props: props, Closure: whole.Closure}) == nil {
				t.Errorf("%s: accepted", what)
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d corruptions", tried)
	}
}
