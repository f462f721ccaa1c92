package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/trace"
	"orbitmc/model"
)

// first returns the shortest trace of a property of a model, found by explicit search.
func first(t *testing.T, m *model.Model, prop string) *model.Trace {
	t.Helper()
	var props []int
	for _, p := range m.Props {
		if p.Name == prop {
			props = append(props, p.Index)
		}
	}
	r, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{Props: props})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		if m.Props[v.Prop].Name == prop {
			return v.Trace
		}
	}
	t.Fatalf("%q is not violated", prop)
	return nil
}

func murphiView(t *testing.T, name, prop string, consts map[string]string) *trace.View {
	t.Helper()
	file := filepath.Join("../../benchmarks/murphi", name)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.ReadFile(file, murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	return trace.OfModel(m, first(t, m, prop), trace.Source{Title: name, Text: text, Engine: "explicit"})
}

// textView is murphiView for the text of a model.
func textView(t *testing.T, text, prop string) *trace.View {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.m")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := murphi.ReadFile(file, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace.OfModel(m, first(t, m, prop), trace.Source{Title: "m.m", Text: []byte(text)})
}

// messages writes the messages of a view, one a line.
func messages(v *trace.View) string {
	var b strings.Builder
	for _, m := range v.Messages {
		to := "?"
		if m.To >= 0 {
			to = v.Lanes[m.To].Name
		}
		fmt.Fprintf(&b, "%d-%d %s -> %s: %s", m.Sent, m.Received, v.Lanes[m.From].Name, to, m.Text)
		if m.Blind {
			b.WriteString(" (blind)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestGerman is about German's second bug: the one step stands out that drops a sharer without its
// acknowledgement, and the idle client is hidden.
func TestGerman(t *testing.T) {
	v := murphiView(t, "german_bug2.m", "CtrlProp", map[string]string{"NODE_NUM": "3"})
	if len(v.Steps) != 15 || v.Depth != 15 {
		t.Fatalf("%d steps", len(v.Steps))
	}
	suspects := v.Suspects()
	if len(suspects) != 1 || suspects[0].Step != 13 || suspects[0].Rule != "RecvInvAck" || !strings.HasSuffix(suspects[0].Cells, ": true → false") {
		t.Fatalf("suspects %+v", suspects)
	}
	if c := "ShrSet[" + suspects[0].Lane + "]"; !strings.HasPrefix(suspects[0].Cells, c) || v.Reads[1].Name != "Cache["+suspects[0].Lane+"].State" {
		t.Errorf("it drops %q, but the violation is by %+v", suspects[0].Cells, v.Reads)
	}
	if len(v.Lanes) != 4 || v.Lanes[0].Name != "home" || !v.Lanes[0].Shared {
		t.Errorf("lanes %+v", v.Lanes)
	}
	for _, m := range v.Messages {
		client := max(m.From, m.To)
		if min(m.From, m.To) != 0 || client == 0 {
			t.Errorf("a message from %d to %d", m.From, m.To)
		}
		if toHome := m.To == 0; !m.Blind && toHome != slices.Contains([]string{"ReqS", "ReqE", "InvAck"}, m.Text) {
			t.Errorf("%s goes from %d to %d", m.Text, m.From, m.To)
		}
	}
	if v.RelevantSteps() != 15 {
		t.Errorf("%d steps matter", v.RelevantSteps())
	}
	// What step 13 does to the channel is of no interest to what follows.
	for _, c := range v.Steps[12].Changes {
		if shr := strings.HasPrefix(v.Cells[c.Cell].Name, "ShrSet"); shr != slices.Equal(c.For, []int{14}) {
			t.Errorf("%s is for %v", v.Cells[c.Cell].Name, c.For)
		}
	}
	var text []string
	for i, line := range v.Steps[12].Source[0].Lines {
		for _, p := range line {
			if !p.Ran && strings.TrimSpace(p.Text) != "" {
				text = append(text, fmt.Sprint(v.Steps[12].Source[0].Line+i)+strings.TrimSpace(p.Text))
			}
		}
	}
	if got := strings.Join(text, "|"); got != "123ExGntd := false;|124MemData := Chan3[i].Data;|125undefine Chan3[i].Data;|126end;" {
		t.Errorf("what did not run: %s", got)
	}
	var page strings.Builder
	if err := v.WriteHTML(&page); err != nil || !strings.Contains(page.String(), `class="step blind" data-step="13"`) || strings.Contains(page.String(), "http://") {
		t.Errorf("page: %v", err)
	}
}

// TestInboxes is about messages in multisets: who sends them to whom, and when they are received.
func TestInboxes(t *testing.T) {
	v := murphiView(t, "mesi_net_bug.m", "CtrlProp", nil)
	want := `1-3 PROC_1 -> Directory: GetS(Src=PROC_1, Acks=0)
2-5 PROC_2 -> Directory: GetS(Src=PROC_2, Acks=0)
3-4 Directory -> PROC_1: DataE(Src=Directory, Acks=0)
5-6 Directory -> PROC_1: FwdGetS(Src=PROC_2, Acks=0)
`
	if got := messages(v); !strings.HasPrefix(got, want) || !strings.Contains(got, "11-13 PROC_2 -> PROC_1: InvAck(") || strings.Contains(got, "blind") {
		t.Errorf("got\n%s", got)
	}
}

// TestSlice has a step that does not matter, a branch that decides, and a write that is overwritten.
func TestSlice(t *testing.T) {
	v := textView(t, `
var a, b, c, noise: 0..9; mode: boolean; step: 0..9;
startstate a := 0; b := 0; c := 0; noise := 0; mode := false; step := 0; end;
rule "noise" step = 0 ==> begin noise := 5; step := 1; end;
rule "first" step = 1 ==> begin a := 1; step := 2; end;
rule "again" step = 2 ==> begin a := 3; noise := a; step := 3; end;
rule "mode" step = 3 ==> begin mode := true; step := 4; end;
rule "branch" step = 4 ==> begin if mode then b := a; else b := noise; end; step := 5; end;
rule "last" step = 5 ==> begin c := noise; step := 6; end;
invariant "b" b != 3;
`, "b")
	var got []string
	for k, s := range v.Steps {
		for _, c := range s.Changes {
			if len(c.For) > 0 {
				got = append(got, fmt.Sprintf("%d %s %v", k+1, v.Cells[c.Cell].Name, c.For))
			}
		}
	}
	// The guards need step, so each step matters; a of step 2 and noise do not.
	want := "1 step [2]|2 step [3]|3 a [5]|3 step [4]|4 mode [5]|4 step [5]|5 b [0]"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got %s", text)
	}
	if v.Reads[0].Name != "b" || v.Reads[0].Step != 5 {
		t.Errorf("reads %+v", v.Reads)
	}
}

// TestAside has steps without influence: they are marked.
func TestAside(t *testing.T) {
	v := textView(t, `
type P: scalarset(3);
var x: array[P] of 0..3; y: 0..3;
startstate for p: P do x[p] := 0; end; y := 0; end;
ruleset p: P do rule "up" x[p] = 0 ==> begin x[p] := 1; if y < 3 then y := y + 1; end; end; end;
invariant "two" y < 2;
invariant "x" forall p: P do x[p] = 0 end;
`, "two")
	if len(v.Steps) != 2 || v.RelevantSteps() != 2 {
		t.Errorf("%d of %d steps matter", v.RelevantSteps(), len(v.Steps))
	}
	for _, s := range v.Steps {
		for _, c := range s.Changes {
			if matters := len(c.For) > 0; matters != (v.Cells[c.Cell].Name == "y") {
				t.Errorf("%s is for %v", v.Cells[c.Cell].Name, c.For)
			}
		}
	}
}

// TestProcesses is about a program: messages through a channel and by rendezvous, and an assertion.
func TestProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.pml")
	text := `
chan c = [2] of { byte };
chan r = [0] of { byte };
active proctype A() { byte y = 3; c!1; c!2; r!y; r!y }
active proctype B() { byte x; c?x; c?x; atomic { r?x; x = 0 }; r?x; assert(x != 3) }
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := promela.ReadFile(file, promela.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := trace.OfModel(p.Model, first(t, p.Model, "assert((x!=3))"), trace.Source{Title: "p.pml", Prog: p})
	got := messages(v)
	for _, want := range []string{" 0 A -> 1 B: c!1\n", " 0 A -> 1 B: c!2\n", " 0 A -> 1 B: r!x\n", " 0 A -> 1 B: r!3\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	queue := ""
	for _, step := range v.Steps {
		for _, c := range step.Changes {
			if v.Cells[c.Cell].Name == "c" {
				queue += c.Old + ">" + c.New + " "
			}
		}
	}
	if queue != "[]>[1] [1]>[] []>[2] [2]>[] " && queue != "[]>[1] [1]>[1][2] [1][2]>[2] [2]>[] " {
		t.Errorf("the channel: %s", queue)
	}
	if last := v.Steps[len(v.Steps)-1]; !last.Errs || v.Lanes[last.Actor].Name != "1 B" || len(v.Reads) == 0 || v.Error == "" {
		t.Errorf("the end: %+v, %+v", last, v.Reads)
	}
}

// roles has arrays that processes index by a number of their own, one that two of them write, and an init that writes all.
const roles = `
mtype = { candidate, leader };
mtype role[2] = candidate;
byte once[2], buf[2];
typedef both { byte a[2], b[2]; byte n };
both x;
chan c[2] = [2] of { byte, byte };
proctype node(byte me) {
  byte k;
  do
  :: role[me] == candidate -> c[1 - me]!me,7; buf[0] = me; x.a[me] = 1; x.b[0]++; x.n++; role[me] = leader
  :: c[me]?k,7 -> assert(!(k == 0 && role[0] == leader && role[1] == leader && buf[0] == 1)); if :: me == 1 -> once[0] = 1 :: else fi
  od
}
init { atomic { once[0] = 2; once[1] = 2; run node(0); run node(1) } }
`

func rolesView(t *testing.T) *trace.View {
	t.Helper()
	file := filepath.Join(t.TempDir(), "roles.pml")
	if err := os.WriteFile(file, []byte(roles), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := promela.ReadFile(file, promela.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Model.Props, func(q *model.Property) bool { return strings.HasPrefix(q.Name, "assert") })
	return trace.OfModel(p.Model, first(t, p.Model, p.Model.Props[i].Name), trace.Source{Title: "roles.pml", Prog: p})
}

// owners has a home with several variables, that answers a message where it changes them.
const owners = `
type P: scalarset(2); HOME: enum { Home }; N: union { HOME, P }; MSG: enum { None, Request, Grant };
var Dir: record Busy: boolean; Owner: N; end; Last: N; Ask: array [P] of MSG; Cache: array [P] of boolean;
startstate Dir.Busy := false; Dir.Owner := Home; Last := Home; for p: P do Ask[p] := None; Cache[p] := false; end; end;
ruleset p: P do
  rule "ask" !Cache[p] & Ask[p] = None ==> Ask[p] := Request; end;
  rule "grant" !Dir.Busy & Ask[p] = Request ==> Dir.Busy := true; Dir.Owner := p; Ask[p] := Grant; end;
  rule "note" Dir.Owner = p ==> Last := p; end;
  rule "take" Ask[p] = Grant & !Cache[p] ==> Cache[p] := true; Ask[p] := None; end;
end;
invariant "owner" Last = Home | Dir.Owner = Home | !Dir.Busy | forall p: P do !Cache[p] end;
`

// turned changes two variables of a component, and two of none, in turn.
const turned = `
type P: scalarset(2); HOME: enum { Home }; N: union { HOME, P };
var a: array [P] of boolean; x: boolean; b: array [P] of boolean; y: boolean; who: N; ask: array [P] of boolean;
startstate for p: P do a[p] := false; b[p] := false; ask[p] := false; end; x := false; y := false; who := Home; end;
ruleset p: P do
  rule "ask" ask[p] := true; end;
  rule "all" ask[p] & !x ==> a[p] := true; x := true; b[p] := true; y := true; who := p; end;
end;
invariant "few" !x | !y | forall p: P do !a[p] | !b[p] end;
`

// TestGlobals: boxes name the globals that a property reads, all that a step changes, in a lane of their own, also if nobody acts
// there; they name what is of several variables, and no text of a message stands where a box does.
func TestGlobals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.pml")
	text := "byte inside, most, other;\nactive [2] proctype P() { byte k; k = 1; other = 1; atomic { inside++; most = inside } }\nltl low { [] (inside + most <= 2) }\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := promela.ReadFile(file, promela.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct {
		v    *trace.View
		want []string
	}{
		{trace.OfModel(p.Model, first(t, p.Model, "low"), trace.Source{Title: "g.pml", Prog: p}), []string{"inside=1 most=1", "inside=2 most=2", "k=1", "shared"}},
		{textView(t, owners, "owner"), []string{"Busy=true Owner=P_1", "Last=P_1", "Home"}},
		{textView(t, turned, "few"), []string{"a=true b=true", "x=true y=true"}}, // in turn, of two lanes
	} {
		var page bytes.Buffer
		if err := x.v.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		for _, want := range x.want {
			if !strings.Contains(page.String(), ">"+want+"</text>") {
				t.Errorf("no %q in the page", want)
			}
		}
		at := map[string]float64{}
		for _, m := range regexp.MustCompile(`y="([\d.]+)">(Busy=true Owner=P_1|Grant)</text>`).FindAllStringSubmatch(page.String(), -1) {
			at[m[2]], _ = strconv.ParseFloat(m[1], 64)
		}
		if i == 1 && at["Grant"] < at["Busy=true Owner=P_1"]+15 {
			t.Errorf("texts are at %v", at)
		}
	}
}

// TestRoles: an array whose elements processes change by their numbers is shown in their lanes, and so are locals; one that
// several write, or only one, is not. A second message in a channel stands alone on its arrow.
func TestRoles(t *testing.T) {
	v := rolesView(t)
	for _, c := range v.Cells {
		want := map[string]string{"role[0]": "1 node/role", "role[1]": "2 node/role", "x.a[0]": "1 node/x.a", "x.b[1]": "/x.b[1]", "x.n": "/x.n", "node[2].k": "2 node/node.k", "once[0]": "/once[0]", "buf[0]": "/buf[0]", "c[0]": "/c[0]"}[c.Name]
		if got := c.Lane + "/" + c.Row; want != "" && got != want {
			t.Errorf("%s is %s, want %s", c.Name, got, want)
		}
	}
	if i := slices.IndexFunc(v.Cells, func(c trace.Cell) bool { return c.Name == "role[1]" }); v.Start.Values[i] != "candidate" {
		t.Errorf("role[1] is %s at the start", v.Start.Values[i])
	}
	_, drawn := v.Live()
	for _, text := range []string{">role=leader</text>", ">k=0</text>"} {
		if !strings.Contains(drawn, text) {
			t.Errorf("the diagram has no %s\n%s", text, drawn)
		}
	}
	if strings.Contains(drawn, "._p: ") {
		t.Errorf("the diagram has places of processes\n%s", drawn)
	}
}

// TestPath is about a lasso of a netlist.
func TestPath(t *testing.T) {
	v := trace.OfPath(trace.View{Property: "j"}, []trace.Signal{
		{Name: "a", Values: []string{"0", "1", "0"}, Matters: []bool{false, true, true}},
		{Name: "i", Input: true, Values: []string{"1", "0", "1"}, Matters: []bool{true, false, true}},
	}, 0)
	if len(v.Steps) != 2 || v.Loop != 0 || v.Steps[0].Inputs[0].Value != "1" || v.Steps[1].Inputs != nil || fmt.Sprint(v.Steps[0].Changes[0].For) != "[2]" {
		t.Errorf("%+v", v)
	}
	if w := trace.OfPath(trace.View{}, []trace.Signal{{Name: "a", Values: []string{"0", "1"}, Matters: []bool{false, true}}}, -1); w.Reads[0].Step != 1 {
		t.Errorf("%+v", w.Reads)
	}
}

// TestMermaid pins the text of a small diagram.
func TestMermaid(t *testing.T) {
	v := &trace.View{Property: "p; q", Verb: "violated", Lanes: []trace.Lane{{Name: "home"}, {Name: "A"}},
		Steps: []trace.Moment{{Rule: "send", Actor: 1}, {Rule: "idle", Actor: 0}}, Messages: []trace.Message{{From: 1, To: 0, Text: "m", Sent: 1}}}
	var b strings.Builder
	if err := v.WriteMermaid(&b); err != nil {
		t.Fatal(err)
	}
	want := `sequenceDiagram
  participant L0 as home
  participant L1 as A
  L1->>L0: 1 send: m
  Note over L0: 2 idle
  Note over L0,L1: violated: p#59; q
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}
