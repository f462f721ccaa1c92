package model_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/traces"
)

func read(t *testing.T, file string, opt murphi.Options) *model.Program {
	t.Helper()
	m, err := murphi.ReadFile(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	return model.Compile(m)
}

// violations returns a shortest trace of every property violated within depth.
func violations(t *testing.T, p *model.Program, depth int) []*model.Trace {
	t.Helper()
	r, err := explicit.Run(context.Background(), p, explicit.Options{All: true, Bounded: true, MaxDepth: depth})
	if err != nil {
		t.Fatal(err)
	}
	var ts []*model.Trace
	for _, f := range r.Violations {
		ts = append(ts, f.Trace)
	}
	return ts
}

var styles = map[traces.Style]string{traces.Plain: "plain", traces.CMurphiStyle: "cmurphi", traces.RumurStyle: "rumur",
	traces.LastStyle: "last", traces.FullStyle: "full"}

// roundTrip writes a trace in every style and reads it back; then each printed
// value is falsified, one at a time, which must be noticed in its line.
func roundTrip(t *testing.T, p *model.Program, tr *model.Trace) {
	t.Helper()
	for style, name := range styles {
		var b strings.Builder
		if err := traces.Write(&b, p.Model, tr, style); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		got, err := traces.Read(p, "t", []byte(text), false)
		if err != nil {
			t.Errorf("%s, %s: %v\n%s", p.Model.File, name, err, text)
			continue
		}
		if got.Prop != tr.Prop || got.Depth(p.Model) != tr.Depth(p.Model) || !reflect.DeepEqual(got.StartState, tr.StartState) || len(got.Steps) != len(tr.Steps) {
			t.Errorf("%s, %s: another trace is read\n%s", p.Model.File, name, text)
		}
		for i, s := range got.Steps {
			if !s.Choice.Equal(tr.Steps[i].Choice) || !reflect.DeepEqual(s.State, tr.Steps[i].State) {
				t.Errorf("%s, %s: step %d is read as another one\n%s", p.Model.File, name, i+1, text)
			}
		}
		if err := traces.Replay(p, got); err != nil {
			t.Errorf("%s, %s: %v", p.Model.File, name, err)
		}
		falsify(t, p, tr, name, text)
	}
}

var printedValue = regexp.MustCompile(`^(\S+:|  \S+ = |  [+-] \S+ |  \S+: (?:\S+ -> )?)([\w-]+|\{.*\}|\w*\(.*\))( -> \S+)?$`)

func falsify(t *testing.T, p *model.Program, tr *model.Trace, style, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	end := len(lines)
	if n := len(tr.Steps); n > 0 && tr.Steps[n-1].State == nil && style != "last" { // what follows an erring step is not read
		for i, l := range lines {
			if strings.HasSuffix(l, " fired.") || strings.HasPrefix(l, "step ") {
				end = i
			}
		}
	}
	values := 0
	for i, l := range lines[:end] {
		m := printedValue.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		values++
		bad := append([]string(nil), lines...)
		bad[i] = m[1] + m[2] + "1" + m[3]
		_, err := traces.Read(p, "t", []byte(strings.Join(bad, "\n")), false)
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("t:%d:1: ", i+1)) {
			t.Errorf("%s, %s: line %d made %q: %v", p.Model.File, style, i+1, bad[i], err)
		}
	}
	if tr.StartState != nil && values == 0 {
		t.Errorf("%s, %s: no values", p.Model.File, style)
	}
}

// TestTracesOfBenchmarks takes every violation that our models are expected to
// have at their smallest sizes there and back again.
func TestTracesOfBenchmarks(t *testing.T) {
	files, err := filepath.Glob("../benchmarks/murphi/*.m")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	traces := 0
	for _, file := range files {
		all, err := benchmarks.ReadExpectations(file)
		if err != nil {
			t.Fatal(err)
		}
		size, depth, props := "", 0, map[string]bool{}
		var consts map[string]string
		for _, e := range all {
			if !e.Safe && (size == "" || size == e.Size) {
				size, consts, depth = e.Size, e.Consts, max(depth, e.Depth)
				props[e.Prop] = true
			}
		}
		if size == "" {
			continue
		}
		p := read(t, file, murphi.Options{Consts: consts})
		for _, q := range p.Model.Props {
			if q.Kind == model.Liveness {
				delete(props, q.Name) // a trace alone does not show it
			}
		}
		for _, tr := range violations(t, p, depth) {
			traces++
			delete(props, p.Model.Props[tr.Prop].Name)
			roundTrip(t, p, tr)
		}
		if len(props) > 0 {
			t.Errorf("%s: no trace of %v", file, props)
		}
	}
	if traces < 15 {
		t.Errorf("only %d traces", traces)
	}
}

// TestTracesOfActors does the same for a model with everything that makes
// names hard: repeated and missing ones, nested rulesets over all kinds of
// types, start states with parameters; and with all kinds of errors.
func TestTracesOfActors(t *testing.T) {
	for bug, kinds := range map[string]string{
		"1": "[runtime-error]", "2": "[asserted runtime-error]", "3": "[erred runtime-error]", "5": "[runtime-error]",
		"6": "[assertion@29 runtime-error]", "7": "[inv runtime-error]", "8": "[invariant@33 runtime-error]",
	} {
		for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
			p := read(t, "testdata/trace/actors.m", murphi.Options{Dialect: d, Deadlock: model.DeadlockOff, Consts: map[string]string{"BUG": bug}})
			var found []string
			for _, tr := range violations(t, p, 7) {
				found = append(found, p.Model.Props[tr.Prop].Name)
				roundTrip(t, p, tr)
			}
			if fmt.Sprint(found) != kinds {
				t.Errorf("BUG=%s, %v: violated are %v, want %s", bug, d, found, kinds)
			}
		}
	}
	p := read(t, "testdata/trace/actors.m", murphi.Options{Consts: map[string]string{"BUG": "4"}})
	for _, tr := range violations(t, p, 6) {
		roundTrip(t, p, tr) // a deadlock
	}
}

// TestTracesOfTools reads what CMurphi 5.4.9 and Rumur 2022.08.20 print.
func TestTracesOfTools(t *testing.T) {
	for _, tc := range []struct {
		model, trace string
		bug          string
		prop         string
		depth        int
		dialect      model.Dialect
	}{
		{"../benchmarks/murphi/german_bug2.m", "german_bug2.cmurphi", "", "CtrlProp", 15, model.CMurphi},
		{"../benchmarks/murphi/german_bug2.m", "german_bug2.rumur", "", "CtrlProp", 15, model.Rumur},
		{"../benchmarks/murphi/dining_bug.m", "dining_bug.cmurphi", "", "deadlock", 6, model.CMurphi},
		{"../benchmarks/murphi/dining_bug.m", "dining_bug.rumur", "", "deadlock", 6, model.CMurphi},
		{"testdata/trace/actors.m", "actors1.cmurphi", "1", "runtime-error", 4, model.CMurphi},
		{"testdata/trace/actors.m", "actors1.rumur", "1", "runtime-error", 5, model.Rumur},
		{"testdata/trace/actors.m", "actors2.cmurphi", "2", "asserted", 5, model.CMurphi},
		{"testdata/trace/actors.m", "actors2.rumur", "2", "asserted", 5, model.Rumur},
		{"testdata/trace/actors.m", "actors4.cmurphi", "4", "runtime-error", 7, model.CMurphi},
		{"testdata/trace/actors.m", "actors4.rumur", "4", "runtime-error", 5, model.Rumur},
		{"testdata/trace/actors.m", "actors5.cmurphi", "5", "runtime-error", 5, model.CMurphi},
		{"testdata/trace/actors.m", "actors5.rumur", "5", "runtime-error", 5, model.Rumur},
		{"testdata/trace/actors.m", "actors8.cmurphi", "8", "invariant@33", 4, model.CMurphi},
		{"testdata/trace/actors.m", "actors8.rumur", "8", "invariant@33", 4, model.Rumur},
	} {
		opt := murphi.Options{Dialect: tc.dialect}
		if tc.bug != "" {
			opt.Consts = map[string]string{"BUG": tc.bug}
		}
		p := read(t, tc.model, opt)
		file := filepath.Join("testdata/trace", tc.trace)
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := traces.Read(p, file, src, false)
		if err != nil {
			t.Error(err)
			continue
		}
		if name, depth := p.Model.Props[tr.Prop].Name, tr.Depth(p.Model); name != tc.prop || depth != tc.depth {
			t.Errorf("%s: violates %s at depth %d, want %s at %d", file, name, depth, tc.prop, tc.depth)
		}
		if err := traces.Replay(p, tr); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		falsify(t, p, tr, tc.trace, string(src))
		// What we print is what the tool printed, but for two things: messages of
		// errors and the state after them, and Rumur's order of record fields and
		// of the parameters of nested rulesets.
		switch tc.trace {
		case "german_bug2.cmurphi", "dining_bug.cmurphi", "dining_bug.rumur", "actors8.cmurphi":
			style := traces.CMurphiStyle
			if strings.HasSuffix(tc.trace, ".rumur") {
				style = traces.RumurStyle
			}
			var b strings.Builder
			if err := traces.Write(&b, p.Model, tr, style); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(src), b.String()) {
				t.Errorf("%s: we print\n%s", tc.trace, b.String())
			}
		}
	}
}
