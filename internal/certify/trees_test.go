package certify_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/ctl"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// changed is layers with one answer changed.
type changed struct {
	evidence.Layers
	op, atom int // which; -1: none
	member   int64
	inst     int64
	layer    int
}

func (c *changed) Layer(op int, i int64, inst []int64) int {
	if op == c.op && i == c.member && inst[0] == c.inst {
		return c.layer
	}
	return c.Layers.Layer(op, i, inst)
}

func (c *changed) Atom(atom int, i int64, inst []int64) bool {
	is := c.Layers.Atom(atom, i, inst)
	return is != (atom == c.atom && i == c.member && inst[0] == c.inst)
}

// fairLayers are layers with other evidence on fair paths.
type fairLayers struct {
	evidence.Layers
	fair func(f evidence.Fair) evidence.Fair
}

func (l *fairLayers) Fair(op int) evidence.Fair { return l.fair(l.Layers.Fair(op)) }

// changedFair is evidence on fair paths that was changed.
type changedFair struct {
	evidence.Fair
	loops  []evidence.Loop
	parts  func(n int, waiting []uint32, level int) (int, []uint32, bool)
	single evidence.Condition // all conditions are this one; of index -1 they are as they are
}

func (f *changedFair) Loops() []evidence.Loop { return f.loops }

func (f *changedFair) Component(i int64, inst []int64, level int) (int, []uint32, bool) {
	n, waiting, ok := f.Fair.Component(i, inst, level)
	if ok && f.parts != nil {
		return f.parts(n, waiting, level)
	}
	return n, waiting, ok
}

func (f *changedFair) Condition(number uint32) evidence.Condition {
	if f.single.Index >= 0 {
		return f.single
	}
	return f.Fair.Condition(number)
}

// oneMore is a list of states with one more.
type oneMore struct {
	evidence.Closure
	state []byte
}

func (o *oneMore) Len() int64 { return o.Closure.Len() + 1 }

func (o *oneMore) Member(i int64) []byte {
	if i == o.Closure.Len() {
		return o.state
	}
	return o.Closure.Member(i)
}

func (o *oneMore) Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool) {
	if bytes.Equal(s, o.state) {
		return o.Closure.Len(), nil, true
	}
	return o.Closure.Guess(s)
}

// oneMoreLayers are layers in which no operator holds in one more state.
type oneMoreLayers struct {
	evidence.Layers
	n    int64
	atom func(atom int, inst []int64) bool
}

func (l *oneMoreLayers) Layer(op int, i int64, inst []int64) int {
	if i == l.n {
		return -1
	}
	return l.Layers.Layer(op, i, inst)
}

func (l *oneMoreLayers) Atom(atom int, i int64, inst []int64) bool {
	if i == l.n {
		return l.atom(atom, inst)
	}
	return l.Layers.Atom(atom, i, inst)
}

// Nodes ask, are served or fall asleep for ever; all may stop, or wait.
const asking = `
type NODE: scalarset(3);
var at: array [NODE] of 0..3; stopped: boolean;
startstate begin for j: NODE do at[j] := 0; end; stopped := false; end;
ruleset i: NODE do
  rule "ask" !stopped & at[i] = 0 ==> begin at[i] := 1; end;
  rule "serve" !stopped & at[i] = 1 & forall j: NODE do at[j] != 2 end ==> begin at[i] := 2; end;
  rule "leave" !stopped & at[i] = 2 ==> begin at[i] := 0; end;
  rule "sleep" !stopped & at[i] = 0 ==> begin at[i] := 3; end;
  rule "wait" at[i] = 3 & !stopped ==> begin end;
end;
rule "stop" !stopped & exists j: NODE do at[j] = 2 end ==> begin stopped := true; end;
`

// TestTreesAreChecked: where an operator is said to hold, or not to, in one state more, or an atom is, the evidence is
// refused, and so is a layer that no step justifies.
func TestTreesAreChecked(t *testing.T) {
	refused := make(map[string]int)
	for name, formula := range map[string]string{
		"EF": "AG (at[i] = 1 -> EF at[i] = 2 | EF stopped)",
		"AF": "AF (at[i] = 1 | EX at[i] = 3 | stopped)",
		"EU": "E [!stopped U at[i] = 2] & AG (at[i] = 3 -> !EF at[i] = 2)",
		"AU": "AG (at[i] = 2 -> A [at[i] = 2 W at[i] = 0 | stopped]) & !A [at[i] = 0 U at[i] = 1 | at[i] = 3]",
		"EG": "EG at[i] != 1 & AG (stopped -> AG stopped)",
		"EX": "AG (at[i] = 1 -> stopped | EX at[i] = 1 | EX at[i] = 2)",
		"EY": "AG (at[i] = 2 -> EY (at[i] = 1 | at[i] = 2))",
		"EP": "AG (at[i] = 2 -> EP at[i] = 1 & AH at[i] != 3)",
		"ES": "AG (at[i] = 2 -> E [at[i] = 2 S at[i] = 1])",

		"fair AF":      "AG (at[i] = 1 -> AF (at[i] = 2 | stopped))",
		"fair EG":      "AG (at[i] = 3 -> EG !stopped | stopped) & EG at[i] = 0",
		"fair EX":      "AG ((EX at[i] = 1) -> at[i] = 0 | at[i] = 1) & EF AG !stopped",
		"fair, levels": "AG (at[i] = 1 -> AF (at[i] = 2 | stopped))",
		"fair AU":      "AG (at[i] = 2 -> A [at[i] = 2 U at[i] = 0 | stopped])",
	} {
		opt := murphi.Options{Trees: []string{"x: forall i: NODE: " + formula}}
		fair := strings.HasPrefix(name, "fair")
		if fair {
			opt.Fair = []string{"strong:serve", "strong:leave", "strong:stop"}
			if name == "fair, levels" {
				opt.Fair = opt.Fair[:2]
			}
		}
		m, err := murphi.Parse("asking.m", []byte(asking), opt)
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: [][][]int{{{0, 1, 2}}}, Typed: fair, Typing: new(mc.Typing)}}
		prop := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Kind == model.Branching })
		p.Props = []int{prop}
		search := func(canon explicit.Canon) *mc.Result {
			r, err := (&explicit.Engine{Canon: canon, Threads: 1}).Run(t.Context(), p, mc.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := search(explicit.Exact)
		whole := r.Layers[prop]
		verify := func(l evidence.Layers) error {
			own := *r
			own.Props = slices.Clone(r.Props)
			own.Layers = map[int]evidence.Layers{prop: l}
			return certify.Verify(t.Context(), p, &own)
		}
		if err := verify(whole); err != nil || r.Props[0].Status != mc.Safe {
			t.Fatalf("%s: %v, %v", name, r.Props[0], err)
		}
		q := m.Props[prop]
		claim := q.Claim()
		for i := range r.Closure.Len() {
			for _, inst := range model.InstancesOf(q.Params) {
				try := func(l *changed, what string) {
					l.Layers, l.member, l.inst = whole, i, inst[0]
					if err := verify(l); err == nil || !strings.Contains(err.Error(), "internal error") {
						t.Errorf("%s: %s in state %d: %v", name, what, i, err)
					}
					refused[name]++
				}
				for op, f := range claim.Temporal {
					n := whole.Layer(op, i, inst)
					try(&changed{op: op, atom: -1, layer: map[bool]int{true: -1, false: 1 << 40}[n >= 0]}, fmt.Sprint(f, " or not"))
					if n > 0 && (f.Y != nil || f.Op == ctl.Stay) {
						try(&changed{op: op, atom: -1, layer: 0}, fmt.Sprint("layer 0 of ", f))
					}
				}
				for a := range claim.Atoms {
					try(&changed{op: -1, atom: a}, "an atom")
				}
			}
		}
		if name == "fair AU" { // the symmetry does not keep fairness of one node
			all := m.Fair.Rules
			m.Fair.Rules = all[:1]
			if err := verify(whole); err == nil || !strings.Contains(err.Error(), "internal error") {
				t.Errorf("%s: fairness of one node: %v", name, err)
			}
			m.Fair.Rules = all
		}
		if fair {
			checkFair(t, name, p.Program, r.Closure, claim, whole, verify)
		}
		if !claim.Body.Back() {
			continue
		}
		// A state that is not reached is no predecessor.
		lone := make(model.State, m.Leaves()) // all are at 0, and stopped
		lone[len(lone)-1] = 1
		own := *r
		own.Props, own.Watch = slices.Clone(r.Props), nil
		own.Closure = &oneMore{r.Closure, model.NewPacker(m).Pack(nil, lone)}
		own.Layers = map[int]evidence.Layers{prop: &oneMoreLayers{whole, r.Closure.Len(), func(atom int, inst []int64) bool {
			holds, _ := p.Program.NewMachine().Holds(lone, claim.Atoms[atom].Index, inst)
			return holds
		}}}
		if err := certify.Verify(t.Context(), p, &own); err == nil || !strings.Contains(err.Error(), "was not reached") {
			t.Errorf("%s: a state that is not reached: %v", name, err)
		}
		// No state stands for others.
		other := *p
		other.Props = []int{m.Runtime().Index}
		quotient, err := (&explicit.Engine{Canon: explicit.Exact, Threads: 1}).Run(t.Context(), &other, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		quotient.Props, quotient.Layers = slices.Clone(r.Props), map[int]evidence.Layers{prop: whole}
		if err := certify.Verify(t.Context(), p, quotient); err == nil || !strings.Contains(err.Error(), "states stand for others") {
			t.Errorf("%s: representatives: %v", name, err)
		}
	}
	if len(refused) != 14 {
		t.Error(refused)
	}
	t.Log(refused)
}

// checkFair changes the evidence on fair paths: it is refused.
func checkFair(t *testing.T, name string, p *model.Program, members evidence.Closure, claim *model.Claim, whole evidence.Layers, verify func(l evidence.Layers) error) {
	loops, parts, unfair := 0, 0, 0
	for op, f := range claim.Temporal {
		if f.Op != ctl.Stay {
			continue
		}
		try := func(what string, change func(f *changedFair)) {
			err := verify(&fairLayers{whole, func(of evidence.Fair) evidence.Fair {
				if of != whole.Fair(op) {
					return of
				}
				x := &changedFair{Fair: of, loops: slices.Clone(of.Loops()), single: evidence.Condition{Index: -1}}
				change(x)
				return x
			}})
			if err == nil || !strings.Contains(err.Error(), "internal error") {
				t.Errorf("%s: %v: %s: %v", name, f, what, err)
			}
		}
		for k, loop := range whole.Fair(op).Loops() {
			loops++
			steps := loop.Steps
			change := func(what string, to evidence.Loop) { try(what, func(f *changedFair) { f.loops[k] = to }) }
			change("no steps", evidence.Loop{Member: loop.Member, Values: loop.Values})
			change("another member", evidence.Loop{Member: loop.Member + 1, Values: loop.Values, Steps: steps})
			change("no member", evidence.Loop{Member: 1 << 40, Values: loop.Values, Steps: steps})
			change("no instance", evidence.Loop{Member: loop.Member, Values: []int64{7}, Steps: steps})
			change("it stands still", evidence.Loop{Member: loop.Member, Values: loop.Values, Steps: append([]model.Choice{{Rule: -1}}, steps...)})
			change("no such rule", evidence.Loop{Member: loop.Member, Values: loop.Values, Steps: append([]model.Choice{{Rule: 77}}, steps...)})
			if len(steps) > 1 {
				change("a step less", evidence.Loop{Member: loop.Member, Values: loop.Values, Steps: steps[:len(steps)-1]})
			}
		}
		// One loop more is refused unless it is one: here a rule that changes nothing.
		m, packer, s := p.NewMachine(), model.NewPacker(p.Model), make(model.State, p.Model.Leaves())
		wait := slices.IndexFunc(p.Model.Rules, func(r *model.Rule) bool { return r.Name == "wait" })
		for i := range members.Len() {
			packer.Unpack(members.Member(i), s)
			for v := range int64(3) {
				ch := model.Choice{Rule: wait, Params: []int64{v}}
				if _, fires, _ := m.Fire(s, ch); !fires {
					continue
				}
				run := &model.Lasso{Trace: &model.Trace{Steps: []model.TraceStep{{Choice: ch, State: s}}}, States: []model.State{s}}
				fair := traces.CheckFair(p, m, run) == nil
				for inst := range int64(3) {
					if fair && f.X.Holds(func(a int) bool { return whole.Atom(a, i, []int64{inst}) }, func(op int) bool { return whole.Layer(op, i, []int64{inst}) >= 0 }) {
						continue
					}
					unfair++
					try("a rule that changes nothing", func(f *changedFair) {
						f.loops = append(f.loops, evidence.Loop{Member: i, Values: []int64{inst}, Steps: []model.Choice{ch}})
					})
				}
			}
		}
		components := false
		for i := int64(0); i < 1<<10 && !components; i++ {
			for v := range int64(3) {
				if n := whole.Layer(op, i%20, []int64{v}); n < 0 && claim.Temporal[op].X.Op != ctl.True {
					_, waiting, ok := whole.Fair(op).Component(i%20, []int64{v}, 0)
					components = components || ok && len(waiting) > 0
				}
			}
		}
		if components {
			parts++
			try("nothing waits", func(f *changedFair) {
				f.parts = func(n int, _ []uint32, _ int) (int, []uint32, bool) { return n, nil, true }
			})
			try("no component", func(f *changedFair) {
				f.parts = func(int, []uint32, int) (int, []uint32, bool) { return 0, nil, false }
			})
			if name == "fair, levels" {
				try("no level but the first", func(f *changedFair) {
					f.parts = func(n int, waiting []uint32, level int) (int, []uint32, bool) { return n, waiting, level == 0 }
				})
			}
			try("another condition", func(f *changedFair) { f.single = evidence.Condition{Kind: evidence.Holds} })
			try("a condition of an automaton", func(f *changedFair) { f.single = evidence.Condition{Kind: evidence.Accepts} })
		}
	}
	t.Log(name, loops, "loops", unfair, "that are none", parts, "lists of components")
}

// TestFairStart: a start state does not stand for another one, of which fairness says something else.
func TestFairStart(t *testing.T) {
	m, err := murphi.Parse("start.m", []byte(`
type P: scalarset(2);
var g: P; x: boolean;
ruleset p: P do startstate begin g := p; x := false; end; end;
ruleset p: P do rule "a" g = p & !x ==> begin x := true; end; end;
rule "stay" begin end;
`), murphi.Options{Trees: []string{"x: EG !x"}, Fair: []string{"weak:a"}})
	if err != nil {
		t.Fatal(err)
	}
	prop := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Kind == model.Branching })
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: [][][]int{{{0, 1}}}, Typed: true, Typing: new(mc.Typing)}, Props: []int{prop}}
	rules := m.Fair.Rules
	m.Fair.Rules = nil
	r, err := (&explicit.Engine{Canon: explicit.Exact, Threads: 1}).Run(t.Context(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	if err != nil || r.Props[0].Status != mc.Safe || r.Closure.Len() != 2 {
		t.Fatalf("%v, %v", r.Props, err)
	}
	for k := range rules { // the start state of one component has no fair path in which x stays false
		m.Fair.Rules = rules[k : k+1]
		if err := certify.Verify(t.Context(), p, r); err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("fairness of component %d: %v", k, err)
		}
	}
}
