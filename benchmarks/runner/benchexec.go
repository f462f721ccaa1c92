package runner

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
)

// This file writes a suite for BenchExec, the runner of the verification competitions: our tool-info
// module, a task definition for each model with its constants, and the benchmark definition.
// Package report reads what BenchExec writes.

//go:embed toolinfo.py
var toolInfo []byte

// Of the files that Export writes.
const (
	toolModule   = "toolinfo.orbitmc"
	propertyFile = "safety.prp"
	propertyText = "every property of the model holds\n"
)

// bxBenchmark is a benchmark definition of BenchExec.
type bxBenchmark struct {
	XMLName  xml.Name `xml:"benchmark"`
	Tool     string   `xml:"tool,attr"`
	CPU      string   `xml:"timelimit,attr"`
	Wall     string   `xml:"walltimelimit,attr"`
	Memory   string   `xml:"memlimit,attr"`
	Cores    int      `xml:"cpuCores,attr"`
	Property string   `xml:"propertyfile"`
	Configs  []bxRun  `xml:"rundefinition"`
}

type bxRun struct {
	Name    string     `xml:"name,attr"`
	Options []bxOption `xml:"option"`
	Tasks   bxTasks    `xml:"tasks"`
}

type bxOption struct {
	Name string `xml:"name,attr"`
}

type bxTasks struct {
	Name string `xml:"name,attr"`
	File string `xml:"includesfile"`
}

const bxDoctype = `<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
`

// Export writes a suite into a folder, made if need be, for BenchExec. It returns the name of the benchmark definition,
// and what of the suite BenchExec is not told. It is an error if nothing is left.
func Export(s *Suite, dir string) (definition string, notes []string, err error) {
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	b := bxBenchmark{Tool: toolModule, CPU: bxSeconds(s.Limits.CPU), Wall: bxSeconds(s.Limits.Wall), Memory: fmt.Sprintf("%d B", s.Limits.Memory), Cores: s.Cores, Property: propertyFile}
	files := map[string][]byte{strings.ReplaceAll(toolModule, ".", "/") + ".py": toolInfo, propertyFile: []byte(propertyText)}
	name := make(map[string]string) // of a task, by model and parameters
	for _, c := range s.configs {
		if c.tool != "orbitmc" {
			note("%s: %s is another tool", c.name, c.tool)
			continue
		}
		var set strings.Builder
		for _, x := range s.plan {
			switch {
			case x.config.name != c.name || x.left:
				continue
			case x.absent:
				note("%s is absent", x.model)
				continue
			case filepath.Ext(x.path) == ".dimacs":
				note("%s is a graph", x.model)
				continue
			case x.repeat > 0:
				note("repeats: BenchExec runs each task once")
				continue
			case x.limits != s.Limits:
				note("%s: its own limits", x.model)
			}
			key := x.model + "|" + paramText(x.params)
			if name[key] == "" {
				name[key] = taskName(x, files)
				if files[name[key]], err = taskDefinition(x, filepath.Join(dir, "tasks")); err != nil {
					return "", nil, err
				}
			}
			fmt.Fprintln(&set, name[key])
		}
		if set.Len() == 0 {
			continue
		}
		r := bxRun{Name: c.name, Tasks: bxTasks{Name: "all", File: fmt.Sprintf("%d.set", len(b.Configs)+1)}}
		r.Options = append(r.Options, lists.Map(c.args, func(a string) bxOption { return bxOption{a} })...)
		b.Configs = append(b.Configs, r)
		files[r.Tasks.File] = []byte(set.String())
	}
	if len(b.Configs) == 0 {
		return "", notes, fmt.Errorf("%s: no run of orbitmc on a model", s.File)
	}
	text, err := xml.MarshalIndent(b, "", "  ")
	if err != nil {
		return "", nil, err
	}
	definition = strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File)) + ".xml"
	files[definition] = []byte(xml.Header + bxDoctype + string(text) + "\n")
	for file, text := range files {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", nil, err
		}
	}
	return filepath.Join(dir, definition), notes, nil
}

func bxSeconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }

// taskName returns the name of a file, with the parameters in it, the first one first:
// german.NODE_NUM=3,DATA_NUM=1.yml. Package report reads them there.
func taskName(x *task, taken map[string][]byte) string {
	stem := strings.TrimSuffix(filepath.Base(x.path), filepath.Ext(x.path))
	suffix := ".yml"
	if len(x.params) > 0 {
		suffix = "." + lists.Join(x.params, ",", func(p param) string { return p.name + "=" + p.value }) + ".yml"
	}
	name := filepath.Join("tasks", stem+suffix)
	for i := 2; taken[name] != nil; i++ {
		name = filepath.Join("tasks", fmt.Sprintf("%s-%d%s", stem, i, suffix))
	}
	return name
}

// taskDefinition returns the text of a task definition for a file in dir.
func taskDefinition(x *task, dir string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	model, err := filepath.Abs(x.path)
	if err != nil {
		return nil, err
	}
	if model, err = filepath.Rel(dir, model); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "format_version: '2.0'\ninput_files: %s\nproperties:\n  - property_file: ../%s\n", yamlText(filepath.ToSlash(model)), propertyFile)
	switch x.expected {
	case "safe":
		b.WriteString("    expected_verdict: true\n")
	case "unsafe":
		b.WriteString("    expected_verdict: false\n")
	}
	if len(x.params) > 0 {
		b.WriteString("options:\n  constants:\n")
		for _, p := range x.params {
			fmt.Fprintf(&b, "    %s: %s\n", p.name, yamlText(p.value))
		}
	}
	return []byte(b.String()), nil
}

// yamlText quotes a text for YAML.
func yamlText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
