package model_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// walk returns a random trace of at most n steps that err nowhere.
func walk(r *rand.Rand, p *model.Program, n int) *model.Trace {
	m := p.NewMachine()
	t := &model.Trace{}
	m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		t.Start, t.StartState = ch.Clone(), slices.Clone(s)
		return false
	})
	s := t.StartState
	for range n {
		var steps []model.TraceStep
		m.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
			if v == nil {
				steps = append(steps, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)})
			}
			return true
		})
		if len(steps) == 0 {
			break
		}
		step := steps[r.IntN(len(steps))]
		t.Steps = append(t.Steps, step)
		s = step.State
	}
	return t
}

// randomPerm permutes the scalarset "P".
func randomPerm(r *rand.Rand, m *model.Model) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(m.Scalarsets))
	for c, y := range m.Scalarsets {
		if y.Name == "P" {
			perm[c] = r.Perm(int(y.Card()))
		}
	}
	return perm
}

// TestPermStep fires the images of instances that choose one or two elements of
// a multiset, some of them equal, in the images of states.
func TestPermStep(t *testing.T) {
	p := read(t, "testdata/trace/tokens.m", murphi.Options{})
	m := p.NewMachine()
	r := rand.New(rand.NewPCG(1, 2))
	moved, pairs := 0, 0
	for range 300 {
		tr := walk(r, p, 12)
		perm := randomPerm(r, p.Model)
		s := tr.StartState
		for _, step := range tr.Steps {
			image, want := make(model.State, len(s)), make(model.State, len(s))
			p.ApplyPerm(perm, s, image)
			p.ApplyPerm(perm, step.State, want)
			ch := p.PermStep(perm, s, image, step.Choice)
			got, enabled, v := m.Fire(image, ch)
			if !enabled || v != nil || !slices.Equal(got, want) {
				t.Fatalf("%s in\n%v becomes %s in\n%v: %v, %v, %v, want %v", p.Model.FormatChoice(step.Choice), s, p.Model.FormatChoice(ch), image, got, enabled, v, want)
			}
			if p.Model.Rules[ch.Rule].Params[0].Var.Type.Slots && !ch.Equal(step.Choice) {
				moved++
				if len(ch.Params) == 2 {
					pairs++
				}
			}
			s = step.State
		}
		tr.Prop = p.Model.Runtime().Index
		u := p.PermTrace(perm, tr)
		if err := traces.Replay(p, u); err == nil || !strings.Contains(err.Error(), "end: property runtime-error is not violated") {
			t.Fatalf("image of a trace: %v", err)
		}
	}
	if moved < 100 || pairs < 20 {
		t.Errorf("only %d slots moved, %d of pairs", moved, pairs)
	}
}

// TestSlotTraces takes traces with multisets and unions there and back again in
// every style, renumbers their actors, and reads what CMurphi 5.4.9 prints, whose
// slots are not sorted.
func TestSlotTraces(t *testing.T) {
	p := read(t, "testdata/trace/tokens.m", murphi.Options{})
	ts := violations(t, p, 6)
	if len(ts) != 1 || len(ts[0].Steps) != 6 {
		t.Fatalf("%d traces", len(ts))
	}
	roundTrip(t, p, ts[0])
	src, err := os.ReadFile("testdata/trace/tokens.cmurphi")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := traces.Read(p, "tokens.cmurphi", src, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := traces.Replay(p, tr); err != nil || p.Model.Props[tr.Prop].Name != "direct" || len(tr.Steps) != 6 {
		t.Error(err, p.Model.Props[tr.Prop].Name, len(tr.Steps))
	}
	if u, err := traces.RenumberActors(p, tr, [][][]int{{{0, 1, 2}}}); err != nil || fmt.Sprint(u.Steps[5].Params) != fmt.Sprint(tr.Steps[5].Params) {
		t.Error(u, err)
	}
	perm := make(model.ScalarPerm, len(p.Model.Scalarsets))
	perm[0] = []int{2, 0, 1}
	u, err := traces.RenumberActors(p, p.PermTrace(perm, tr), [][][]int{{{0, 1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	var a, b strings.Builder
	if err := traces.Write(&a, p.Model, tr, traces.CMurphiStyle); err != nil {
		t.Fatal(err)
	}
	if err := traces.Write(&b, p.Model, u, traces.CMurphiStyle); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("renumbered:\n%s\nfirst:\n%s", b.String(), a.String())
	}
}

// TestSlotStyles pins what a trace with a multiset looks like.
func TestSlotStyles(t *testing.T) {
	p := read(t, "testdata/trace/tokens.m", murphi.Options{})
	src, err := os.ReadFile("testdata/trace/tokens.cmurphi")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := traces.Read(p, "tokens.cmurphi", src, false)
	if err != nil {
		t.Fatal(err)
	}
	for style, want := range map[traces.Style]string{
		traces.Plain: `startstate "init"
  net = {}
  has[P_1..P_3] = false
  has[home] = true
  asked[P_1..P_3] = false
step 1: rule "ask" (p=P_1)
  + net ask(dst=home, src=P_1)
  asked[P_1]: false -> true
step 2: rule "serve" (i=0)
  - net ask(dst=home, src=P_1)
  + net grant(dst=P_1, src=home)
  has[home]: true -> false
step 3: rule "receive" (i=0)
  - net grant(dst=P_1, src=home)
`,
		traces.FullStyle: `step 1: rule "ask" (p=P_1)
  net{0}.k = ask
  net{0}.dst = home
  net{0}.src = P_1
  has[P_1] = false
  has[P_2] = false
`,
		traces.LastStyle: `last state:
  net = {ask(dst=P_3, src=P_2)}
  has[P_1] = true
  has[P_2..P_3] = false
  has[home] = false
`,
		traces.CMurphiStyle: `Rule serve, i:0 fired.
net{0}.k:grant
net{0}.dst:P_1
net{0}.src:home
has[home]:false
----------

Rule receive, i:0 fired.
net{0}.k:Undefined
net{0}.dst:Undefined
net{0}.src:Undefined
has[P_1]:true
asked[P_1]:false
----------
`,
		traces.RumurStyle: `Rule "receive", i: 0 fired.
net{0}.k:Undefined
net{0}.dst:Undefined
net{0}.src:Undefined
has[P_0]:true
asked[P_0]:false
----------
`,
	} {
		var b strings.Builder
		if err := traces.Write(&b, p.Model, tr, style); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("style %d: got\n%s", style, b.String())
		}
	}
}
