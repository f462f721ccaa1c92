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
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orbitmc/sat/gini"
	"orbitmc/sat/sattest"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"orbitmc": main}) }

// TestScript runs the whole tool; each script in testdata/script is about one
// subject. Our benchmark models lie in its folder. Its own commands are:
//
//	exits N orbitmc ...        runs the tool and checks its exit status
//	twice orbitmc ...          runs it twice and checks that stdout is the same
//	json [PATH=VALUE]...       stdout is one JSON object, and holds these values
//	schema                     ... and has the form of a result
//	positions                  stderr is a list of messages with positions, stdout empty
//	oneline                    stderr is one line, stdout empty
//	cnf FILE sat|unsat         decides a DIMACS file
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
			return nil
		},
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
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
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
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

// schema checks the form of a result: exactly these members, of these types.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	type properties []struct {
		Name     *string  `json:"name"`
		Kind     *string  `json:"kind"`
		Verdict  *string  `json:"verdict"`
		Engine   string   `json:"engine"`
		Depth    *int     `json:"depth"`
		Bound    *int     `json:"bound"`
		TimeS    *float64 `json:"time_s"`
		Evidence string   `json:"evidence"`
		Cause    struct {
			Instance map[string]string `json:"instance"`
			Leaves   []struct {
				Name  string `json:"name"`
				Value string `json:"value"`
				Step  *int   `json:"step"`
			} `json:"leaves"`
		} `json:"cause"`
	}
	var r struct {
		Model      *string    `json:"model"`
		Verdict    *string    `json:"verdict"`
		Stopped    string     `json:"stopped"`
		First      string     `json:"first_violation"`
		Properties properties `json:"properties"`
		Engines    []struct {
			Name    string `json:"name"`
			Begun   bool   `json:"begun"`
			Bound   *int   `json:"bound"`
			Stopped string `json:"stopped"`
		} `json:"engines"`
		Symmetry *struct {
			Order      *string `json:"order"`
			Generators *int    `json:"generators"`
			Declared   *int    `json:"declared"`
			Inferred   *int    `json:"inferred"`
			Detected   *int    `json:"detected"`
			Verified   *int    `json:"verified"`
			Refuted    *int    `json:"refuted"`
		} `json:"symmetry"`
		Warnings []struct {
			Line   *int    `json:"line"`
			Column *int    `json:"column"`
			Text   *string `json:"text"`
		} `json:"warnings"`
		Stats map[string]json.Number `json:"stats"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile("stdout"))))
	d.DisallowUnknownFields()
	ts.Check(d.Decode(&r))
	present(ts, "result", reflect.ValueOf(r))
	first := false
	for _, p := range r.Properties {
		first = first || *p.Verdict == "unsafe" && p.Depth != nil && *p.Name == r.First
		present(ts, "property", reflect.ValueOf(p))
		cover := *p.Kind == "cover"
		switch v := *p.Verdict; {
		case v == "unsafe" && ((p.Depth == nil) != cover || p.Bound != nil || p.Evidence == "" || p.Engine == ""),
			v == "safe" && ((p.Depth != nil) != cover || p.Bound != nil || p.Evidence == "" || p.Engine == ""),
			*p.Kind != "invariant" && (p.Cause.Leaves != nil || p.Cause.Instance != nil),
			v == "unknown" && (p.Depth != nil || p.Evidence != "" || p.Bound != nil && p.Engine == ""):
			ts.Fatalf("property %s is %s: wrong members", *p.Name, v)
		case v != "unsafe" && v != "safe" && v != "unknown":
			ts.Fatalf("verdict %q", v)
		}
	}
	if first != (r.First != "") {
		ts.Fatalf("first violation %q", r.First)
	}
	if len(r.Properties) == 0 {
		ts.Fatalf("no properties")
	}
	known := "depth states transitions frames lemmas orbits images levels obligations queries candidates carried enumerations conflicts decisions clauses variables latches inputs ands bytes permutations rep_variables rep_clauses cpu_s parse_s encode_s symmetry_s wellformed_s max_rss_bytes certify_s seed"
	for name := range r.Stats {
		if !strings.Contains(" "+known+" ", " "+name+" ") {
			ts.Fatalf("stats.%s is not documented", name)
		}
	}
	for _, name := range []string{"cpu_s", "parse_s", "encode_s", "symmetry_s", "wellformed_s", "certify_s", "max_rss_bytes", "seed"} {
		if r.Stats[name] == "" {
			ts.Fatalf("stats.%s is missing", name)
		}
	}
}

// present checks that no pointer of a struct is nil but depth and bound.
func present(ts *testscript.TestScript, what string, v reflect.Value) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Tag.Get("json")
		if f.Kind() != reflect.Pointer || name == "depth" || name == "bound" {
			continue
		}
		if f.IsNil() {
			ts.Fatalf("%s.%s is missing", what, name)
		}
		if f.Elem().Kind() == reflect.Struct {
			present(ts, what+"."+name, f.Elem())
		}
	}
}
