package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat/gini"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"orbitmc": main}) }

// TestScript runs the whole tool; each script in testdata/script is about one
// subject. Our benchmark models lie in its folder. Its own commands are:
//
//	exits N orbitmc ...        runs the tool and checks its exit status
//	twice orbitmc ...          runs it twice and checks that stdout is the same
//	json [PATH=VALUE]...       stdout is one JSON object, and holds these values
//	schema                     ... and has the members that its verdicts ask for
//	positions                  stderr is a list of messages with positions, stdout empty
//	oneline                    stderr is one line, stdout empty
//	cnf FILE sat|unsat         decides a DIMACS file
//
// What exits runs with --json is checked against the schema of its output.
func TestScript(t *testing.T) {
	models, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || len(models) < 20 {
		t.Fatal(models, err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, m := range models {
				src, err := os.ReadFile(m)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(e.WorkDir, filepath.Base(m)), src, 0o666); err != nil {
					return err
				}
			}
			cache, err := exec.Command("go", "env", "GOCACHE").Output() // else the standard library is built again
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			return err
		},
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"enough":    enough,
			"twice":     twice,
			"json":      jsonValues,
			"schema":    schema,
			"positions": positions,
			"oneline":   oneline,
			"cnf":       decideCNF,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var status *exec.ExitError
	if errors.As(err, &status) {
		code = status.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if stdout := ts.ReadFile("stdout"); slices.Contains(args, "--json") && strings.HasPrefix(stdout, "{") {
		if err := hasSchema(args[2:], stdout, ts.ReadFile("stderr")); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

// enough is exits with a limit of time, TIME among the arguments, that is doubled until stdout matches REGEXP: how far
// a run comes in a time depends on what else the machine does.
func enough(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: enough N REGEXP command... TIME...")
	}
	want := regexp.MustCompile(`(?m)` + args[1])
	for d := time.Second; d <= 64*time.Second; d *= 2 {
		command := append([]string{args[0]}, args[2:]...)
		for i, a := range command {
			if a == "TIME" {
				command[i] = d.String()
			}
		}
		exits(ts, false, command)
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("in a minute nothing matches %s", args[1])
}

func twice(ts *testscript.TestScript, neg bool, args []string) {
	ts.Exec(args[0], args[1:]...)
	first := ts.ReadFile("stdout")
	ts.Exec(args[0], args[1:]...)
	if second := ts.ReadFile("stdout"); first != second || first == "" {
		ts.Fatalf("two runs print\n%s\n%s", first, second)
	}
}

func positions(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "    ") {
			continue // the line of the source, or the mark under it
		}
		if !regexp.MustCompile(`^[\w./-]+:\d+:\d+: \S.*[^.]$`).MatchString(l) {
			ts.Fatalf("not a message with a position: %q", l)
		}
	}
	if ts.ReadFile("stdout") != "" {
		ts.Fatalf("stdout is not empty")
	}
}

func oneline(ts *testscript.TestScript, neg bool, args []string) {
	if e := ts.ReadFile("stderr"); strings.Count(e, "\n") != 1 || len(e) < 10 {
		ts.Fatalf("not one line: %q", e)
	}
	if ts.ReadFile("stdout") != "" {
		ts.Fatalf("stdout is not empty")
	}
}

func decideCNF(ts *testscript.TestScript, neg bool, args []string) {
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	formula, err := sattest.ReadDIMACS(f, args[0])
	ts.Check(err)
	s := gini.New()
	for range formula.NumVars {
		s.NewVar()
	}
	for _, c := range formula.Clauses {
		s.Add(c...)
	}
	if got := s.Solve(context.Background()); got.String() != args[1] {
		ts.Fatalf("%s is %v", args[0], got)
	}
}

// object parses stdout, which must be one JSON object and nothing else.
func object(ts *testscript.TestScript) map[string]any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	var v map[string]any
	ts.Check(d.Decode(&v))
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("more than one object on stdout")
	}
	return v
}

// jsonValues looks up PATH=VALUE, with names and numbers separated by dots in
// PATH; VALUE is the text of the value, or * for any, or ! for none.
func jsonValues(ts *testscript.TestScript, neg bool, args []string) {
	v := object(ts)
	for _, a := range args {
		path, want, _ := strings.Cut(a, "=")
		var at any = v
		for _, step := range strings.Split(path, ".") {
			switch x := at.(type) {
			case map[string]any:
				at = x[step]
			case []any:
				i, err := strconv.Atoi(step)
				ts.Check(err)
				if at = nil; i < len(x) {
					at = x[i]
				}
			default:
				at = nil
			}
		}
		got := "!"
		if at != nil {
			got = fmt.Sprint(at)
		}
		if got != want && (want != "*" || at == nil) {
			ts.Fatalf("%s is %s, want %s", path, got, want)
		}
	}
}

// schema checks what the schema of a result does not say.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	var r jsonResult
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	first := false
	for _, p := range r.Properties {
		first = first || p.Verdict == "unsafe" && p.Depth != nil && p.Name == r.First
		cover := p.Kind == "cover"
		switch v := p.Verdict; {
		case v == "unsafe" && ((p.Depth == nil) != cover || p.Bound != nil || p.Evidence == "" || p.Engine == ""),
			v == "safe" && ((p.Depth != nil) != cover || p.Bound != nil || p.Evidence == "" || p.Engine == ""),
			p.Kind != "invariant" && p.Cause != nil,
			(p.Depth == nil) != (p.Trace == nil && p.LeftOut == ""),
			v == "unknown" && (p.Depth != nil || p.Evidence != "" || p.Bound != nil && p.Engine == ""):
			ts.Fatalf("property %s is %s: wrong members", p.Name, v)
		}
	}
	if first != (r.First != "") {
		ts.Fatalf("first violation %q", r.First)
	}
	if len(r.Properties) == 0 {
		ts.Fatalf("no properties")
	}
}

// hasSchema checks what a command has printed with --json against the schema of its output.
func hasSchema(args []string, stdout, stderr string) error {
	command := "check"
	for _, a := range args {
		for _, o := range outputs {
			if slices.Contains(strings.Fields(o.commands), a) {
				command = a
			}
		}
	}
	var errs []error
	for _, o := range outputs {
		if !slices.Contains(strings.Fields(o.commands), command) {
			continue
		}
		err := validates(o.name, stdout)
		if err == nil {
			errs = nil
			break
		}
		errs = append(errs, err)
	}
	if slices.Contains(args, "--json-events") {
		for line := range strings.Lines(stderr) {
			errs = append(errs, validates("event", line))
		}
	}
	return errors.Join(errs...)
}

// validates checks one JSON value against a schema in docs/schema.
func validates(name, text string) error {
	s, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + name + ".json")
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSchema keeps the files in docs/schema: they are what orbitmc schema prints.
func TestSchema(t *testing.T) {
	files, err := filepath.Glob("../../docs/schema/*.json")
	if err != nil || len(files) != len(outputs) {
		t.Errorf("%d files, %d outputs: %v", len(files), len(outputs), err)
	}
	for _, o := range outputs {
		var want bytes.Buffer
		if err := printJSON(&want, schemaOf(o.name, o.of)); err != nil {
			t.Fatal(err)
		}
		file := "../../docs/schema/" + o.name + ".json"
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what orbitmc schema %s prints: %v", file, o.name, err)
		}
	}
	// What is kept of batches is as described, also where an earlier program ran them.
	records, err := filepath.Glob("../../benchmarks/records/*/machine.json")
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	for _, file := range records {
		text, err := os.ReadFile(file)
		if err == nil {
			err = validates("record", string(text))
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		journal, err := os.ReadFile(filepath.Join(filepath.Dir(file), "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for line := range strings.Lines(string(journal)) {
			var run struct{ Status string }
			if err := json.Unmarshal([]byte(line), &run); err != nil {
				t.Fatal(err)
			}
			if seen[run.Status] {
				continue
			}
			seen[run.Status] = true
			if err := validates("run", line); err != nil {
				t.Errorf("the first run that ended as %s beside %s: %v", run.Status, file, err)
			}
		}
	}
	// A schema refuses what is not printed.
	for _, text := range []string{`{}`, `{"model": 3}`, `[]`, `{"model": "m", "trace": "t", "accepted": true, "other": 1}`} {
		if validates("replay", text) == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}
