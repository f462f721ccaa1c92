package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestLatex: each row of each table has as many fields as the head says, braces match, and no
// character that LaTeX reads otherwise is left bare.
func TestLatex(t *testing.T) {
	var w bytes.Buffer
	if err := WriteLatex(&w, synthetic(), []string{"cut & dry"}, false); err != nil {
		t.Fatal(err)
	}
	text := w.String()
	tables := regexp.MustCompile(`(?s)\\begin\{longtable\}\{@\{\}([lr]+)@\{\}\}(.*?)\\end\{longtable\}`).FindAllStringSubmatch(text, -1)
	// The wrong answers, the summary, one for each of three families, the instances.
	if len(tables) != 6 {
		t.Fatalf("%d tables in\n%s", len(tables), text)
	}
	bare := regexp.MustCompile(`(^|[^\\])[&%$#_^~<>|]`)
	for _, x := range tables {
		rows := 0
		for line := range strings.Lines(x[2]) {
			row, ok := strings.CutSuffix(strings.TrimSpace(line), ` \\`)
			if !ok {
				continue
			}
			rows++
			fields := strings.Split(row, " & ")
			if len(fields) != len(x[1]) {
				t.Errorf("%d fields, not %d: %s", len(fields), len(x[1]), row)
			}
			for _, f := range fields {
				if bare.MatchString(f) || strings.Count(f, "{") != strings.Count(f, "}") {
					t.Errorf("a field that LaTeX reads otherwise: %s", f)
				}
			}
		}
		if rows < 2 {
			t.Errorf("no rows: %s", x[0])
		}
	}
	for _, want := range []string{
		"% Note: cut & dry.\n", "\\caption[Summary]{Summary. PAR-2: mean CPU seconds", `charged 2 $\times$ 60 s`, `\label{tab:summary-peterson-bug}`,
		"a\\&b/\\textless{}peterson\\_bug.m N=4 & unsafe & ", `\textbf{WRONG: safe`, "Example \\textless{}CPU\\textgreater{} \\& Co",
		"explicit & 21 & ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q in\n%s", want, text)
		}
	}
}

// TestBuilding: building counts as CPU time, or not.
func TestBuilding(t *testing.T) {
	rec := handMade()
	for i := range rec.Runs {
		if rec.Runs[i].Config == "b" {
			rec.Runs[i].Build, rec.Runs[i].BuildWall = 1.5, 2
		}
	}
	for _, building := range []bool{false, true} {
		var md, tex bytes.Buffer
		if err := WriteMarkdown(&md, rec, nil, building); err != nil {
			t.Fatal(err)
		}
		if err := WriteLatex(&tex, rec, nil, building); err != nil {
			t.Fatal(err)
		}
		// b solves three instances, in 3, 1 and 1 s: PAR-2 grows by 3 × 1.5 / 6, and CPU by 6 × 1.5.
		row, cell, rule := "| 10.83 | 22 | 9 | 1 |\n", "| m2 | unsafe | **WRONG: safe 1** | unsafe 3 |\n", "PAR-2: mean CPU seconds per instance"
		if building {
			row, cell, rule = "| 11.58 | 31 | 9 | 1 |\n", "| m2 | unsafe | **WRONG: safe 1** | unsafe 4.5 |\n", "PAR-2: mean CPU seconds with building per instance"
		}
		for _, want := range []string{row, cell, rule} {
			if !strings.Contains(md.String(), want) {
				t.Errorf("building %v: no %q in\n%s", building, want, md.String())
			}
		}
		if !strings.Contains(tex.String(), rule) {
			t.Errorf("building %v: no %q in LaTeX", building, rule)
		}
		b := arrange(rec, building)
		if marks, want := b.cactus("").series[1].marks, map[bool]float64{false: 3, true: 4.5}[building]; marks[2].y != want {
			t.Errorf("building %v: cactus %+v", building, marks)
		}
		if c := b.scatter(0, 1); c.x.label != "a: "+b.time()+" [s]" || c.series[1].marks[0].y != map[bool]float64{false: 3, true: 4.5}[building] {
			t.Errorf("building %v: scatter %q %+v", building, c.x.label, c.series[1].marks)
		}
	}
	a, b := pair(2, 2)
	for i := range b.Runs { // 1 and 2 s; with building 3 and 3 s, in wall time 2 and 1.5 s
		a.Runs[i].Build, b.Runs[i].Build, a.Runs[i].BuildWall, b.Runs[i].BuildWall = 2, 1, 1, 1
	}
	for _, x := range []struct {
		o    Options
		want float64
	}{{Options{}, 2}, {Options{Building: true}, 1}, {Options{Metric: "wall"}, 0.5}, {Options{Metric: "wall", Building: true}, 0.75}} {
		c := compared(t, a, b, x.o)
		var w bytes.Buffer
		if err := c.WriteText(&w); err != nil {
			t.Fatal(err)
		}
		if !near(c.Overall.Mean, x.want) || strings.Contains(w.String(), " with building, of runs") != x.o.Building {
			t.Errorf("%+v: mean %v, want %v\n%s", x.o, c.Overall.Mean, x.want, w.String())
		}
	}
}
