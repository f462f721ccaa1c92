package traces

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"orbitmc/model"
)

// This file reads back what WriteLasso prints.

var (
	loopLine  = regexp.MustCompile(`^(?:loop starts here|this is the state where the loop starts: .*|(no rule can fire): .*|(this step errs): .*)$`)
	lassoLine = regexp.MustCompile(`^violated: (".*")$`)
)

// IsLasso reports whether a text is a trace of a run without end that violates a formula.
func IsLasso(src []byte) bool {
	text := splitTrace(src)
	return text.loop.number > 0 && lassoLine.MatchString(text.claim.text)
}

// ReadLasso reads a lasso of the model from text; file is used in messages only. The state after its last
// step is state number loop, 0 being the start state, or no rule can fire in it, and loop is that state. Claimed is what the
// text says is violated. If the last step errs, its state is nil, and there is no loop. An error begins with file:line:col, where the text leaves the model.
func ReadLasso(p *model.Program, file string, src []byte) (t *model.Trace, loop int, claimed string, err error) {
	text := splitTrace(src)
	switch {
	case len(text.firings) == 0 || !text.firings[0].start || !text.plain:
		return nil, 0, "", fmt.Errorf("%s:1:1: no start state: not a trace", file)
	case text.loop.number == 0:
		return nil, 0, "", fmt.Errorf("%s:%d:1: nothing says where the loop starts: not a trace of a run without end", file, text.firings[len(text.firings)-1].number)
	}
	m := lassoLine.FindStringSubmatch(text.claim.text)
	if m == nil {
		return nil, 0, "", fmt.Errorf("%s:%d:1: nothing says which formula is violated", file, text.loop.number)
	}
	if claimed, err = strconv.Unquote(m[1]); err != nil {
		return nil, 0, "", fmt.Errorf("%s:%d:1: %w", file, text.claim.number, err)
	}
	r := newTraceReader(p, text, Plain)
	t = &model.Trace{}
	if !r.search(t, nil, 0) {
		return nil, 0, "", fmt.Errorf("%s:%d:1: %s", file, r.where, r.why)
	}
	return t, text.loopAt, claimed, nil
}

// closes checks that a lasso closes: its last state is that where the loop starts, or no rule can fire.
func (r *traceReader) closes(t *model.Trace, s model.State) bool {
	if r.errs {
		return r.fail(r.loop, "the last step does not err")
	}
	if r.stuck {
		return r.m.Deadlocked(s) || r.fail(r.loop, "a rule can fire")
	}
	at := t.StartState
	if r.loopAt > 0 {
		at = t.Steps[r.loopAt-1].State
	}
	if r.loopAt == len(t.Steps) {
		return r.fail(r.loop, "the loop has no step")
	}
	return slices.Equal(at, s) || r.fail(r.claim, "the last state is not that where the loop starts")
}
