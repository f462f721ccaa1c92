package task

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// This file makes of bads of a BTOR2 file the covers and s_eventually of Verilog that they were before yosys wrote them as
// assertions.
// All that is known of such a bad is its form, `and enabled (not condition)`: the statement is reached, and its condition
// does not hold. The result is what yosys writes in AIGER.
//
//   - cover: it is reached and the condition holds.
//   - live, an assertion with eventually: there is a step at which the statement is reached, and from then on the condition
//     never holds. An input says at which one, and justice that nothing came of it.
//   - fair, an assumption with eventually: again and again nothing is due.

var notInName = regexp.MustCompile(`\W+`)

// statements returns the file with what kinds says of its bads, by their names, and which of the properties are covers.
func statements(data []byte, kinds map[string]string) (file []byte, covers []int, err error) {
	b := &statementWriter{lines: make(map[string][]string)}
	bads := 0
	var others [][]string // lines of bads that were no assertions
	for line := range bytes.Lines(data) {
		f := strings.Fields(string(line))
		if len(f) < 3 || f[0] == ";" {
			continue
		}
		b.lines[f[0]] = f
		if id, err := strconv.Atoi(f[0]); err == nil {
			b.last = id // they ascend
		}
		switch {
		case f[1] == "sort" && f[2] == "bitvec" && f[3] == "1":
			b.bit = f[0]
		case f[1] == "bad" && len(f) > 3 && kinds[f[3]] != "$assert":
			others = append(others, f)
			continue
		case f[1] == "bad":
			bads++
		}
		b.out.Write(line)
	}
	for _, f := range others {
		name := f[3]
		enabled, condition, ok := b.statement(f[2])
		if !ok || kinds[name] == "" {
			return nil, nil, fmt.Errorf("internal error: yosys wrote %s in a form that is not known", name)
		}
		of := strings.Trim(notInName.ReplaceAllString(name, "_"), "_")
		switch kinds[name] {
		case "$cover":
			covers = append(covers, bads)
			bads++
			b.add("bad %s %s", b.word("and", enabled, condition), name)
		case "$live":
			begun, done := b.register("begun_"+of), b.register("done_"+of)
			now := b.word("or", begun, b.word("and", b.add("input %s from_%s", b.bit, of), enabled))
			b.add("next %s %s %s", b.bit, begun, now)
			b.add("next %s %s %s", b.bit, done, b.word("or", done, b.word("and", now, condition)))
			b.add("justice 1 %s %s", b.word("and", begun, b.word("not", done)), name)
		case "$fair":
			due := b.register("due_" + of)
			b.add("next %s %s %s", b.bit, due, b.word("and", b.word("or", due, enabled), b.word("not", condition)))
			b.add("fair %s", b.word("not", due))
		}
	}
	return b.out.Bytes(), covers, nil
}

// statementWriter writes a BTOR2 file.
type statementWriter struct {
	out   bytes.Buffer
	lines map[string][]string // by number: the words of a line
	last  int                 // the greatest number
	bit   string              // the sort of one bit
	zero  string
}

// statement returns of what a bad is made.
func (b *statementWriter) statement(bad string) (enabled, condition string, ok bool) {
	and := b.lines[bad]
	if len(and) < 5 || and[1] != "and" {
		return "", "", false
	}
	not := b.lines[and[4]]
	if len(not) < 4 || not[1] != "not" {
		return "", "", false
	}
	return and[3], not[3], true
}

// add writes a line, and returns its number.
func (b *statementWriter) add(format string, args ...any) string {
	b.last++
	fmt.Fprintf(&b.out, "%d "+format+"\n", append([]any{b.last}, args...)...)
	return strconv.Itoa(b.last)
}

// word writes an operation on bits.
func (b *statementWriter) word(op string, args ...string) string {
	return b.add("%s %s %s", op, b.bit, strings.Join(args, " "))
}

// register writes a bit that is 0 in the first step.
func (b *statementWriter) register(name string) string {
	if b.zero == "" {
		b.zero = b.add("zero %s", b.bit)
	}
	r := b.add("state %s %s", b.bit, name)
	b.add("init %s %s %s", b.bit, r, b.zero)
	return r
}
