package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"orbitmc/mc"
)

// screen returns the lines that a terminal of the given width shows after what was written
// to it.
func screen(t *testing.T, written string, width int) []string {
	t.Helper()
	lines, row, col := []string{""}, 0, 0
	escape := regexp.MustCompile(`^\x1b\[(\d*)([A-Z])`)
	for i := 0; i < len(written); {
		if m := escape.FindStringSubmatch(written[i:]); m != nil {
			switch m[2] {
			case "A":
				n, err := strconv.Atoi(m[1])
				if err != nil || n > row {
					t.Fatalf("up %s lines from line %d", m[1], row)
				}
				row -= n
			case "J":
				lines = append(lines[:row], lines[row][:min(col, len(lines[row]))])
			default:
				t.Fatalf("an unknown escape %q", m[0])
			}
			i += len(m[0])
			continue
		}
		switch c := written[i]; c {
		case '\r':
			col = 0
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
			col = 0
		default:
			if col >= width {
				t.Fatalf("a line of %d columns wraps", col+1)
			}
			lines[row] = lines[row][:col] + string(c)
			col++
		}
		i++
	}
	return lines
}

// TestProgress draws on a terminal and reads what it shows.
func TestProgress(t *testing.T) {
	const width = 40
	var out bytes.Buffer
	p := &progress{w: &out, tty: true, width: func() int { return width }, lines: make(map[string]string), began: time.Now()}
	shows := func(want ...string) {
		t.Helper()
		got := screen(t, out.String(), width)
		if len(got) != len(want) {
			t.Fatalf("%d lines %q, want %d", len(got), got, len(want))
		}
		for i, w := range want {
			if i > 0 && got[i] != w || i == 0 && !strings.HasSuffix(got[0], w) {
				t.Errorf("line %d is %q, want %q", i, got[i], w)
			}
		}
	}
	p.phase("verifying symmetry, 12 of 13 checks")
	p.draw()
	shows("  verifying symmetry, 12 of 13 ")
	p.event(mc.Event{Engine: "explicit", Depth: 3, Stats: mc.Stats{States: 123456789, Bytes: 1 << 32}, Search: &mc.Search{Frontier: 1234567}})
	p.event(mc.Event{Engine: "bmc", Depth: 1})
	p.draw()
	shows("  verifying symmetry, 12 of 13 ", "  bmc: depth 1, 0 clauses, 0 conflicts", "  explicit: depth 3, 123M states at 34 ")
	p.phase("")
	p.event(mc.Event{Engine: "bmc", Depth: 2})
	p.draw()
	shows(" s  ", "  bmc: depth 2, 0 clauses, 0 conflicts", "  explicit: depth 3, 123M states at 34 ")
	p.done()
	shows("")
	p.draw()
	p.done()
	shows("")
}

// TestProgressLines counts the lines about one phase when there is no terminal.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, lines: make(map[string]string), shown: make(map[string]shown), began: time.Now()}
	for _, what := range []string{"encoding", "verifying symmetry, 1 of 3 checks", "verifying symmetry, 2 of 3 checks", ""} {
		p.phase(what)
	}
	p.event(mc.Event{Engine: "bmc", Depth: 2})
	p.event(mc.Event{Engine: "bmc", Depth: 2, Stats: mc.Stats{Clauses: 1}})
	p.event(mc.Event{Engine: "bmc", Depth: 3})
	p.done()
	p.phase("late")
	if want := "encoding\nverifying symmetry, 1 of 3 checks\nbmc: depth 2, 0 clauses, 0 conflicts\nbmc: depth 3, 0 clauses, 0 conflicts\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
