package front

import (
	"fmt"
	"strings"

	"orbitmc/model"
)

// Error is an error in a source.
type Error struct {
	File string
	Pos  model.Pos // columns count bytes from 1; zero: of no line
	Msg  string
	Line string // of the source, without its end
}

// ErrorAt returns an error at a position of a source.
func ErrorAt(file, src string, pos model.Pos, msg string) *Error {
	e := &Error{File: file, Pos: pos, Msg: msg}
	n := 0
	for line := range strings.Lines(src) {
		if n++; n == pos.Line {
			e.Line = strings.TrimRight(line, "\r\n")
			break
		}
	}
	return e
}

func (e *Error) Error() string {
	if e.Pos == (model.Pos{}) {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%v: %s", e.File, e.Pos, e.Msg)
}

// Show returns the line of the source and a mark under the position, "" where there is nothing to show.
func (e *Error) Show() string { return Excerpt(e.Line, e.Pos.Col) }
