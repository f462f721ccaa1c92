package task

import (
	"fmt"
	"io"
	"regexp"
	"slices"

	"orbitmc/mc"
	"orbitmc/model/traces"
)

// This file writes traces of models and programs with the options that their model was read with, so that a reader of them can
// be told which are missing.

// optionsLine ends a trace that is written so.
var optionsLine = regexp.MustCompile(`(?m)^options: (.*)$`)

// givenText returns what decides what the model means, as options of a command line.
func (t *Task) givenText() string {
	var options []string
	for _, o := range t.Given() {
		options = append(options, map[bool]string{true: "-", false: "--"}[len(o[0]) == 1]+o[0], o[1])
	}
	return ShellCommand(options...)
}

// Save writes the trace of a property for a file. Formats of other tools have no place for options.
func (t *Task) Save(w io.Writer, pr *mc.PropResult, style string) error {
	err := t.SaveTrace(w, pr, style)
	if given := t.givenText(); err == nil && given != "" && !t.Options.IsNetlist(t.File) && slices.Contains([]string{"", "plain", "last", "full"}, style) {
		_, err = fmt.Fprintln(w, "options:", given)
	}
	return err
}

// WrittenWith says of a trace that was rejected which options it wants, if they are not those of now; of a run without end it
// is enough to say that.
func (t *Task) WrittenWith(name string, data []byte, err error) error {
	switch m := optionsLine.FindSubmatch(data); {
	case err == nil || traces.IsLasso(data) && len(t.Formulas) > 0:
		return err
	case traces.IsLasso(data) && m != nil:
		return fmt.Errorf("%s: a run without end, which violates a formula: add %s", name, m[1])
	case traces.IsLasso(data):
		return fmt.Errorf("%s: a run without end, which violates a formula: add --ltl, and --fair if that was given", name)
	}
	return t.written(data, err)
}

// written says the same where no formula is decided.
func (t *Task) written(data []byte, err error) error {
	if m := optionsLine.FindSubmatch(data); err != nil && m != nil && string(m[1]) != t.givenText() {
		return fmt.Errorf("%w; it was written with %s", err, m[1])
	}
	return err
}
