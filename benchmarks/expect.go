// Package benchmarks holds models of our own, in folder murphi, and what is
// known about them. Its tests hold all engines to that, and to each other on
// random and on public models.
package benchmarks

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Expectation is what is known of a model at one size. In the model it is a
// comment line
//
//	-- expect: NODE_NUM=2 safe states=3390 canon=852
//	-- expect: NODE_NUM=2 unsafe prop="CtrlProp" depth=15
//
// which starts with the constants that make the size.
type Expectation struct {
	File   string
	Line   int               // 1-based
	Consts map[string]string // overrides, by name
	Size   string            // the same as text: "NODE_NUM=2"

	Safe   bool
	States int64 // of a safe model: reachable states
	Canon  int64 // of a safe model: their orbits under the declared scalarsets; 0 is unknown

	Prop  string // of an unsafe model: a property that is violated
	Depth int    // and the length of the shortest path that shows it, in steps
}

// ReadExpectations returns the expectations in a file, in order. A line that
// begins like one and is none is an error.
func ReadExpectations(file string) ([]Expectation, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Expectation
	line := 0
	for text := range strings.Lines(string(src)) {
		line++
		rest, ok := strings.CutPrefix(text, "-- expect:")
		if !ok {
			continue
		}
		e, err := parseExpectation(strings.Fields(rest))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		e.File, e.Line = file, line
		all = append(all, e)
	}
	return all, nil
}

func parseExpectation(words []string) (e Expectation, err error) {
	e.Consts = make(map[string]string)
	known := make(map[string]string)
	verdict := ""
	var size []string
	for _, w := range words {
		name, value, pair := strings.Cut(w, "=")
		switch {
		case !pair && verdict == "" && (w == "safe" || w == "unsafe"):
			verdict = w
		case !pair || name == "" || value == "":
			return e, fmt.Errorf("expectation: %q has no meaning here", w)
		case verdict == "":
			e.Consts[name] = value
			size = append(size, w)
		default:
			if _, dup := known[name]; dup {
				return e, fmt.Errorf("expectation: %s is given twice", name)
			}
			known[name] = value
		}
	}
	e.Size = strings.Join(size, " ")
	number := func(name string, required bool) int64 {
		text, ok := known[name]
		delete(known, name)
		if !ok && !required {
			return 0
		}
		n, bad := strconv.ParseInt(text, 10, 64)
		if (bad != nil || n < 0) && err == nil {
			err = fmt.Errorf("expectation: %s=%q: want a number", name, text)
		}
		return n
	}
	switch verdict {
	case "safe":
		e.Safe = true
		e.States, e.Canon = number("states", true), number("canon", false)
	case "unsafe":
		if e.Prop, err = strconv.Unquote(known["prop"]); err != nil {
			return e, fmt.Errorf("expectation: prop=%s: want a name in quotes", known["prop"])
		}
		delete(known, "prop")
		e.Depth = int(number("depth", true))
	default:
		return e, fmt.Errorf("expectation: neither safe nor unsafe")
	}
	if err == nil && len(known) > 0 {
		err = fmt.Errorf("expectation: %v has no meaning for a model that is %s", known, verdict)
	}
	return e, err
}
