// The bytes of a file: numbers, separators, and places for errors. The whole
// file is in memory, so that a place is an offset and every count in the header
// can be held against what follows.

package aiger

import (
	"bytes"
	"fmt"
)

// Error is a violation of the format.
type Error struct {
	File   string
	Offset int    // in bytes from 0: where the rule is broken
	Line   int    // from 1; 0 in a binary file after its lines of numbers
	Column int    // in bytes from 1
	Rule   string // the rule, and what the file has instead
}

// Error returns file:line:col: rule (byte offset), without the line and column
// where there are none.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: byte %d: %s", e.File, e.Offset, e.Rule)
	}
	return fmt.Sprintf("%s:%d:%d: %s (byte %d)", e.File, e.Line, e.Column, e.Rule, e.Offset)
}

// scanner walks over the bytes of a file. Its methods panic with an *Error,
// which Read returns.
type scanner struct {
	name string
	data []byte
	pos  int
	text int // line and column mean something before this offset
}

// fail reports the rule broken at an offset.
func (s *scanner) fail(offset int, rule string, args ...any) {
	e := &Error{File: s.name, Offset: offset, Rule: fmt.Sprintf(rule, args...)}
	if offset < s.text {
		before := s.data[:offset]
		e.Line = 1 + bytes.Count(before, []byte{'\n'})
		e.Column = offset - bytes.LastIndexByte(before, '\n')
	}
	panic(e)
}

// found describes the bytes at the current place, for messages.
func (s *scanner) found() string {
	switch {
	case s.pos >= len(s.data):
		return "the end of the file"
	case s.data[s.pos] == '\n':
		return "the end of the line"
	}
	return fmt.Sprintf("%q", s.data[s.pos:s.pos+1])
}

// peek returns the byte at the current place, 0 at the end of the file.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// expect reads the byte c, which comes after what.
func (s *scanner) expect(c byte, what string) {
	if s.pos >= len(s.data) || s.data[s.pos] != c {
		s.fail(s.pos, "%s is followed by %s, not by %s", what, map[byte]string{' ': "one space", '\n': "a new line"}[c], s.found())
	}
	s.pos++
}

// maxNumber is the largest literal: literals have 32 bits.
const maxNumber = 1<<32 - 1

// number reads an unsigned decimal number.
func (s *scanner) number(what string) uint32 {
	start, v := s.pos, uint64(0)
	for ; s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9'; s.pos++ {
		if v = 10*v + uint64(s.data[s.pos]-'0'); v > maxNumber {
			s.fail(start, "%s has at most 32 bits", what)
		}
	}
	switch {
	case s.pos == start:
		s.fail(start, "%s is an unsigned number, not %s", what, s.found())
	case s.data[start] == '0' && s.pos > start+1:
		s.fail(start, "%s has a leading zero", what)
	}
	return uint32(v)
}

// delta reads the binary code of a number: seven bits a byte, the lowest first,
// the top bit set in all bytes but the last.
func (s *scanner) delta() uint32 {
	start, v := s.pos, uint64(0)
	for shift := 0; ; shift += 7 {
		if s.pos >= len(s.data) {
			s.fail(s.pos, "the file ends inside the ANDs")
		}
		b := s.data[s.pos]
		s.pos++
		v |= uint64(b&0x7f) << shift
		if v > maxNumber || shift > 28 {
			s.fail(start, "the difference of two literals has at most 32 bits")
		}
		if b < 0x80 {
			if b == 0 && shift > 0 {
				s.fail(start, "a difference is coded in as few bytes as possible")
			}
			return uint32(v)
		}
	}
}
