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
	"strings"

	"orbitmc/encode/btor2"
)

// This file is the front end of Verilog: yosys makes BTOR2 of it, as docs/verilog.md does, and the rest is as for that.
// A step of the result stands for one edge of one clock. yosys does not say where a design has more, or has properties
// that BTOR2 loses, so this is read off the design as it writes it last.

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
	netlist, design, script := filepath.Join(folder, "netlist"), filepath.Join(folder, "design"), filepath.Join(folder, "script")
	commands, err := t.yosysScript(netlist, design)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(script, []byte(commands), 0o600); err != nil {
		return nil, err
	}
	// In the folder of the file, so that files are found that it includes or reads, and places have its name.
	run := exec.CommandContext(ctx, yosys, "-q", "-s", script)
	run.Dir = filepath.Dir(t.File)
	if said, err := run.CombinedOutput(); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("%s: yosys: %s", t.File, cmp.Or(strings.TrimSpace(string(said)), err.Error()))
	}
	if again, err := os.ReadFile(t.File); err != nil || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("%s: the file changed while yosys read it", t.File)
	}
	data, err := os.ReadFile(design)
	if err != nil {
		return nil, err
	}
	left, err := examine(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	if data, err = os.ReadFile(netlist); err != nil {
		return nil, err
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
	s.left = left
	return s, nil
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
		`write_btor "` + netlist + `"`,
	}, "\n") + "\n", nil
}

// cell is a cell of a design in the JSON of yosys.
type cell struct {
	Type        string
	Parameters  map[string]any
	Connections map[string][]any
}

// examine returns how many cover statements a design has. It is an error if the design has several clocks, or properties that
// are not about single states.
func examine(data []byte) (covers int, err error) {
	var d struct {
		Modules map[string]struct {
			Cells    map[string]cell
			Netnames map[string]struct{ Bits []any }
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return 0, fmt.Errorf("internal error: the design as yosys writes it: %w", err)
	}
	clocks := make(map[string]bool)
	for _, m := range d.Modules {
		names := make(map[string]string) // by bit: the shortest
		for name, n := range m.Netnames {
			for _, bit := range n.Bits {
				b := fmt.Sprint(bit)
				if old, ok := names[b]; !ok || len(name) < len(old) || len(name) == len(old) && name < old {
					names[b] = name
				}
			}
		}
		for _, c := range m.Cells {
			switch c.Type {
			case "$live", "$fair":
				return 0, fmt.Errorf("yosys leaves properties with eventually out of BTOR2; docs/verilog.md has what it keeps")
			case "$cover":
				covers++
			}
			if c.Connections["Q"] == nil && !strings.HasPrefix(c.Type, "$mem") {
				continue
			}
			for _, port := range []string{"CLK", "WR_CLK", "RD_CLK"} {
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
						clocks[edge+cmp.Or(names[b], b)] = true
					}
				}
			}
		}
	}
	if len(clocks) > 1 {
		return 0, fmt.Errorf("registers change with %s: a step stands for one edge of one clock", strings.Join(slices.Sorted(maps.Keys(clocks)), ", "))
	}
	return covers, nil
}
