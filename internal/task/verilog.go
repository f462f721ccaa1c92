package task

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/encode/btor2"
	"orbitmc/internal/lists"
)

// This file is the front end of Verilog: yosys makes BTOR2 of it, as docs/verilog.md does, and the rest is as for that.
// A step of the result stands for one edge of one clock. yosys does not say where a design has more, so this is read off
// the design before formal statements lose the registers that sample them. That they lose these is needed: an assumption of
// a clocked block would be about the step before. BTOR2 of yosys has assertions and assumptions only. So the other
// statements are written as assertions, too, and verilog_statements.go makes of these what they are.

// design is what is known of a design besides its netlist.
type design struct {
	warnings []Warning
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)
	macro      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*=[A-Za-z0-9_'.+-]+$`)
)

func openVerilog(ctx context.Context, t *Task) (Source, error) {
	text, err := t.Read(t.File)
	if err != nil {
		return nil, err
	}
	if t.File == "-" {
		return nil, fmt.Errorf("standard input: Verilog is read from a file")
	}
	yosys, err := exec.LookPath("yosys")
	if err != nil {
		return nil, fmt.Errorf("%s: Verilog is read by yosys, which is not installed (`apt-get install yosys`)", t.File)
	}
	folder, err := os.MkdirTemp("", "orbitmc-verilog-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in := func(name string) string { return filepath.Join(folder, name) }
	commands, err := t.yosysScript(in("netlist"), in("design"))
	if err != nil {
		return nil, err
	}
	for _, d := range t.Defines {
		name, _, _ := strings.Cut(d, "=")
		if used := regexp.MustCompile("`((ifn?def|elsif)\\s+)?" + regexp.QuoteMeta(name) + `\b`); !used.Match(text) && !bytes.Contains(text, []byte("`include")) {
			return nil, fmt.Errorf("%s: -D %s: the text has no macro %s; the value of a parameter is set in the text", t.File, d, name)
		}
	}
	if err := os.WriteFile(in("script"), []byte(commands), 0o600); err != nil {
		return nil, err
	}
	// In the folder of the file, so that files are found that it includes or reads, and places have its name.
	run := exec.CommandContext(ctx, yosys, "-q", "-l", in("log"), "-s", in("script"))
	run.Dir = filepath.Dir(t.File)
	said, err := run.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("%s: yosys: %s", t.File, cmp.Or(strings.TrimSpace(string(said)), err.Error()))
	}
	if again, err := os.ReadFile(t.File); err != nil || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("%s: the file changed while yosys read it", t.File)
	}
	log, err := os.ReadFile(in("log"))
	if err != nil {
		return nil, err
	}
	if top, others := outside(string(log)); t.Top == "" && others != nil {
		return nil, fmt.Errorf("%s: the top module would be %s, and %s is not in it: --top says which one is checked", t.File, top, strings.Join(others, ", "))
	}
	data, err := os.ReadFile(in("design"))
	if err != nil {
		return nil, err
	}
	kinds, err := examine(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	if data, err = os.ReadFile(in("netlist")); err != nil {
		return nil, err
	}
	data, covers, err := statements(data, kinds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	read := func() (*btor2.File, error) { return btor2.Read(ctx, data, t.File) }
	if t.LargeArrays {
		read = func() (*btor2.File, error) { return btor2.ReadLarge(ctx, data, t.File, largeArray) }
	}
	f, err := read()
	if err != nil {
		return nil, err
	}
	s := newBTOR2(t, f)
	s.covers, s.design = covers, &design{yosysWarnings(string(said), filepath.Base(t.File))}
	return s, nil
}

var (
	hierarchy = regexp.MustCompile(`(?m)^(Top module|Used module|Removing unused module)[: ] *(.*)$`)
	warning   = regexp.MustCompile(`(?m)^(?:(.+):(\d+): )?Warning: (.*)$`)
)

// outside reads off the log of yosys which module it took as top, and which it left out. A module with parameters is used by
// the names of what is made of it.
func outside(log string) (top string, others []string) {
	var used []string
	name := func(s string) string { return strings.TrimPrefix(strings.Trim(s, "`'."), `\`) }
	for _, m := range hierarchy.FindAllStringSubmatch(log, -1) {
		switch m[1] {
		case "Top module":
			top = name(m[2])
			fallthrough
		case "Used module":
			used = append(used, m[2]+`\`)
		default:
			others = append(others, name(m[2]))
		}
	}
	others = slices.DeleteFunc(others, func(o string) bool {
		return slices.ContainsFunc(used, func(u string) bool { return strings.Contains(u, `\`+o+`\`) })
	})
	slices.Sort(others)
	return top, slices.Compact(others)
}

// yosysWarnings are what yosys said about a file.
func yosysWarnings(said, file string) (all []Warning) {
	for _, m := range warning.FindAllStringSubmatch(said, -1) {
		w := Warning{Text: "yosys: " + m[3]}
		switch line, _ := strconv.Atoi(m[2]); {
		case m[1] == file:
			w.Line, w.Column = line, 1
		case m[1] != "":
			w.Text = fmt.Sprintf("%s (%s:%d)", w.Text, m[1], line)
		}
		all = lists.With(all, w)
	}
	return all
}

// yosysScript returns commands that write the netlist of a design, and the design that it was made of.
func (t *Task) yosysScript(netlist, design string) (string, error) {
	read, top := []string{"read_verilog -formal"}, "-auto-top"
	if filepath.Ext(t.File) == ".sv" {
		read = append(read, "-sv")
	}
	for _, d := range t.Defines {
		if !macro.MatchString(d) {
			return "", fmt.Errorf("-D %s: a macro is NAME=VALUE, and the value a number or a word", d)
		}
		read = append(read, "-D"+d)
	}
	if t.Top != "" {
		if !identifier.MatchString(t.Top) {
			return "", fmt.Errorf("--top %s: this is no name of a module", t.Top)
		}
		top = "-top " + t.Top
	}
	file := filepath.Base(t.File)
	if strings.ContainsAny(file, "\"\\\n") {
		return "", fmt.Errorf("%s: yosys does not read a file of this name", t.File)
	}
	return strings.Join([]string{
		strings.Join(read, " ") + ` "` + file + `"`,
		"prep " + top + " -flatten",
		"async2sync",
		"dffunmap",
		`write_json "` + design + `"`,
		"chformal -early",
		"opt_clean",
		"chtype -set $assert t:$cover t:$live t:$fair",
		`write_btor "` + netlist + `"`,
	}, "\n") + "\n", nil
}

// cell is a cell of a design in the JSON of yosys.
type cell struct {
	Type        string
	Parameters  map[string]any
	Attributes  struct{ Src string }
	Connections map[string][]any
}

// examine returns the kinds of the formal statements of a design, by the names that BTOR2 of yosys has for them. It is an
// error if the design has several clocks.
func examine(data []byte) (kinds map[string]string, err error) {
	var d struct {
		Modules map[string]struct {
			Cells    map[string]cell
			Netnames map[string]struct{ Bits []any }
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("internal error: the design as yosys writes it: %w", err)
	}
	kinds = make(map[string]string)
	clocks := make(map[string]bool)
	var values []string // clocks that other cells have to do with
	for _, m := range d.Modules {
		bits, other := make(map[string]bool), make(map[string]string) // of clocks; by bit: a cell that has it at another port
		names := make(map[string]string)                              // by bit: the shortest
		for name, n := range m.Netnames {
			for _, bit := range n.Bits {
				b := fmt.Sprint(bit)
				if old, ok := names[b]; !ok || len(name) < len(old) || len(name) == len(old) && name < old {
					names[b] = name
				}
			}
		}
		for name, c := range m.Cells {
			if slices.Contains([]string{"$assert", "$cover", "$live", "$fair"}, c.Type) {
				if strings.HasPrefix(name, "$") {
					name = strings.ReplaceAll(c.Attributes.Src, " ", "_")
				}
				if kinds[name] != "" && kinds[name] != c.Type {
					return nil, fmt.Errorf("statements of several kinds have one place: %s; a label tells them apart", name)
				}
				kinds[name] = c.Type
			}
			ports := []string{"CLK", "WR_CLK", "RD_CLK"}
			if c.Connections["Q"] == nil && !strings.HasPrefix(c.Type, "$mem") {
				ports = nil
			}
			for port, to := range c.Connections {
				for _, bit := range to {
					if b := fmt.Sprint(bit); !slices.Contains(ports, port) && (other[b] == "" || c.Type < other[b]) {
						other[b] = c.Type
					}
				}
			}
			for _, port := range ports {
				for i, bit := range c.Connections[port] {
					on := func(what string, without bool) bool { // of the edge of this bit, in a word whose lowest bit is the last
						word, ok := c.Parameters[port+what].(string)
						if !ok || i >= len(word) {
							return without
						}
						return word[len(word)-1-i] == '1'
					}
					edge := "negedge "
					if on("_POLARITY", true) {
						edge = "posedge "
					}
					if on("_ENABLE", true) {
						b := fmt.Sprint(bit)
						clocks[edge+cmp.Or(names[b], b)], bits[b] = true, true
					}
				}
			}
		}
		for b := range bits {
			if other[b] != "" {
				values = append(values, fmt.Sprintf("%s (%s)", cmp.Or(names[b], b), other[b]))
			}
		}
	}
	if len(clocks) > 1 {
		return nil, fmt.Errorf("registers change with %s: a step stands for one edge of one clock", strings.Join(slices.Sorted(maps.Keys(clocks)), ", "))
	}
	if values != nil {
		return nil, fmt.Errorf("a clock is a value, too, or made by logic: %s; a step stands for one edge, and nothing is said of its clock", strings.Join(slices.Sorted(slices.Values(values)), ", "))
	}
	return kinds, nil
}
