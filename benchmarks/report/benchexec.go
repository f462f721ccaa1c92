package report

import (
	"cmp"
	"compress/bzip2"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// This file reads results of BenchExec, https://github.com/sosy-lab/benchexec: an XML file, also
// compressed, for each run definition. Its columns are named in doc/run-results.md there.

type bxResult struct {
	XMLName   xml.Name `xml:"result"`
	Name      string   `xml:"benchmarkname,attr"`
	Config    string   `xml:"name,attr"` // RUNDEFINITION or RUNDEFINITION.TASKS
	Tool      string   `xml:"tool,attr"`
	Version   string   `xml:"version,attr"`
	Generator string   `xml:"generator,attr"`
	CPU       string   `xml:"timelimit,attr"`
	Wall      string   `xml:"walltimelimit,attr"`
	Memory    string   `xml:"memlimit,attr"`
	Cores     int      `xml:"cpuCores,attr"`
	Systems   []struct {
		Host string `xml:"hostname,attr"`
		OS   struct {
			Name string `xml:"name,attr"`
		} `xml:"os"`
		CPU struct {
			Model string `xml:"model,attr"`
			Cores int    `xml:"cores,attr"`
		} `xml:"cpu"`
		RAM struct {
			Size string `xml:"size,attr"`
		} `xml:"ram"`
	} `xml:"systeminfo"`
	Runs []struct {
		Name     string `xml:"name,attr"`
		Options  string `xml:"options,attr"`
		Expected string `xml:"expectedVerdict,attr"`
		Columns  []struct {
			Title string `xml:"title,attr"`
			Value string `xml:"value,attr"`
			Kept  bool   `xml:"hidden,attr"` // of BenchExec itself
		} `xml:"column"`
	} `xml:"run"`
}

// bxFiles returns the results of BenchExec that a path names: itself, or those in the folder.
func bxFiles(path string) []string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		if strings.HasSuffix(path, ".xml") || strings.HasSuffix(path, ".xml.bz2") {
			return []string{path}
		}
		return nil
	}
	var files []string
	for _, pattern := range []string{"*.results.*.xml", "*.results.*.xml.bz2"} {
		found, _ := filepath.Glob(filepath.Join(path, pattern))
		files = append(files, found...)
	}
	slices.Sort(files)
	// A run definition with several sets of tasks has a file of all, and one for each set.
	return slices.DeleteFunc(files, func(f string) bool {
		name := strings.TrimSuffix(strings.TrimSuffix(f, ".bz2"), ".xml")
		suffix := f[len(name):]
		return slices.Contains(files, name[:strings.LastIndexByte(name, '.')]+suffix)
	})
}

// loadBenchExec reads results of BenchExec as one batch, a configuration for each run definition.
func loadBenchExec(files []string) (rec *benchmarks.Record, notes []string, err error) {
	for _, file := range files {
		x, err := readBenchExec(file)
		if err != nil {
			return nil, nil, err
		}
		one, err := x.record()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		switch {
		case rec == nil:
			rec = one
			continue
		case rec.Machine != one.Machine:
			notes = append(notes, filepath.Base(file)+" is of another machine than "+filepath.Base(files[0]))
		case rec.Limits != one.Limits:
			notes = append(notes, filepath.Base(file)+" has other limits than "+filepath.Base(files[0]))
		}
		for _, v := range one.Versions {
			rec.Versions = lists.With(rec.Versions, v)
		}
		rec.Runs = append(rec.Runs, one.Runs...)
	}
	if len(rec.Runs) == 0 {
		return nil, nil, fmt.Errorf("%s: the batch has no runs", files[0])
	}
	rec.Runs = lastOfEach(rec.Runs)
	slices.SortStableFunc(rec.Runs, compareRuns)
	return rec, notes, nil
}

func readBenchExec(file string) (*bxResult, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".bz2") {
		in = bzip2.NewReader(f)
	}
	x := new(bxResult)
	d := xml.NewDecoder(in)
	if err := d.Decode(x); err != nil {
		line, col := d.InputPos()
		return nil, fmt.Errorf("%s:%d:%d: no result of BenchExec: %w", file, line, col, err)
	}
	return x, nil
}

func (b *bxResult) record() (*benchmarks.Record, error) {
	rec := &benchmarks.Record{Suite: b.Name, Enforcer: b.Generator, Jobs: 1, Cores: b.Cores,
		Versions: []benchmarks.Version{{Name: b.Tool, Version: b.Version}}}
	var err error
	number := func(text, unit string) float64 {
		if text == "" || text == "-" || text == "None" {
			return 0
		}
		v, e := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
		if e != nil && err == nil {
			err = fmt.Errorf("%q is no number with the unit %s", text, unit)
		}
		return v
	}
	rec.Limits = benchmarks.Limits{CPU: number(b.CPU, "s"), Wall: number(b.Wall, "s"), Memory: int64(number(b.Memory, "B"))}
	for _, s := range b.Systems {
		rec.Machine = benchmarks.Machine{Host: s.Host, OS: s.OS.Name, CPU: s.CPU.Model, Cores: s.CPU.Cores, Memory: int64(number(s.RAM.Size, "B"))}
	}
	config := strings.TrimSuffix(b.Config, ".all") // bench export calls its sets of tasks so
	config = cmp.Or(config, b.Tool)
	for _, run := range b.Runs {
		column := make(map[string]string)
		for _, c := range run.Columns {
			column[c.Title] = c.Value
		}
		r := benchmarks.Run{Config: config, Tool: strings.ToLower(b.Tool), Depth: -1, Verdict: "unknown", Args: strings.Fields(run.Options),
			CPU: number(column["cputime"], "s"), Wall: number(column["walltime"], "s"), Memory: int64(number(column["memory"], "B")), Note: column["status"]}
		r.Model, r.Params, r.N = bxTask(run.Name)
		r.Family = strings.TrimSuffix(filepath.Base(r.Model), filepath.Ext(r.Model))
		if i := strings.LastIndexByte(r.Family, '-'); i > 0 { // of two models of one name
			if _, err := strconv.Atoi(r.Family[i+1:]); err == nil {
				r.Family = r.Family[:i]
			}
		}
		r.Key = strings.Join([]string{r.Model, r.Params, r.Config, "0"}, "|")
		r.Expected = map[string]string{"true": "safe", "false": "unsafe"}[run.Expected]
		r.Exit = -1
		if code := column["returnvalue"]; code != "" {
			r.Exit = int(number(code, ""))
		}
		for _, c := range run.Columns {
			if v, e := strconv.ParseFloat(c.Value, 64); e == nil && !c.Kept { // a counter of the tool
				if r.Stats == nil {
					r.Stats = make(map[string]float64)
				}
				r.Stats[c.Title] = v
			}
		}
		r.Status = bxStatus(&r, column["status"], column["terminationreason"])
		rec.Runs = append(rec.Runs, r)
	}
	return rec, err
}

// bxStatus says how a run ended, and sets its verdict.
func bxStatus(r *benchmarks.Run, status, reason string) benchmarks.Status {
	word, _, _ := strings.Cut(status, "(")
	switch {
	case word == "true":
		r.Verdict = "safe"
	case word == "false":
		r.Verdict = "unsafe"
	case word == "unknown", word == "done":
	case strings.HasPrefix(status, "TIMEOUT") && strings.HasPrefix(reason, "walltime"):
		return benchmarks.Walltime
	case strings.HasPrefix(status, "TIMEOUT"):
		return benchmarks.Timeout
	case strings.HasPrefix(status, "OUT OF MEMORY"):
		return benchmarks.Memout
	default:
		return benchmarks.Failed
	}
	r.Note = ""
	return benchmarks.OK
}

var bxParams = regexp.MustCompile(`^(.*)\.(\w+=[^.=,]+(?:,\w+=[^.=,]+)*)$`)

// bxTask returns the model of a task definition, and the parameters that bench export writes into its
// name, the first one first.
func bxTask(name string) (model, params string, n int64) {
	for model = strings.TrimSuffix(name, ".yml"); strings.HasPrefix(model, "../"); {
		model = model[len("../"):]
	}
	model = strings.TrimPrefix(model, "tasks/") // of bench export
	if m := bxParams.FindStringSubmatch(model); m != nil {
		words := strings.Split(m[2], ",")
		_, value, _ := strings.Cut(words[0], "=")
		n, _ = strconv.ParseInt(value, 10, 64)
		slices.Sort(words)
		model, params = m[1], strings.Join(words, " ")
	}
	return model, params, n
}
