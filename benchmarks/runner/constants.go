package runner

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// This file changes constants in the text of a Murphi model, for tools that
// cannot be told of another value. Our parser says where the declarations are,
// and checks that the values fit.

// withConstants returns the source with the values of params in the
// declarations of its constants. Nothing else changes.
func withConstants(file string, src []byte, params []param) ([]byte, error) {
	if len(params) == 0 {
		return src, nil
	}
	opt := murphi.Options{Consts: make(map[string]string)}
	for _, p := range params {
		opt.Consts[p.name] = p.value
	}
	m, err := murphi.Parse(file, src, opt)
	if err != nil {
		return nil, err
	}
	type edit struct {
		from, to int // offsets
		value    string
	}
	var edits []edit
	for _, c := range m.Consts {
		value, ok := opt.Consts[c.Name]
		if !ok {
			continue
		}
		from, to, err := constantValue(src, c)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: constant %s: %w", file, c.Pos, c.Name, err)
		}
		edits = append(edits, edit{from, to, value})
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	out := slices.Clone(src)
	for _, e := range edits {
		out = slices.Replace(out, e.from, e.to, []byte(" "+e.value)...)
	}
	return out, nil
}

// constantValue returns the offsets of the text between the colon after the
// name of a constant and the semicolon.
func constantValue(src []byte, c model.Const) (from, to int, err error) {
	at := 0
	for range c.Pos.Line - 1 {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	at += c.Pos.Col - 1
	if !bytes.HasPrefix(src[at:], []byte(c.Name)) {
		return 0, 0, errors.New("it is not where the parser saw it")
	}
	for i := at; i < len(src); i++ {
		rest := src[i:]
		skip := -1
		switch {
		case bytes.HasPrefix(rest, []byte("--")):
			skip = bytes.IndexByte(rest, '\n')
		case bytes.HasPrefix(rest, []byte("/*")):
			skip = bytes.Index(rest, []byte("*/")) + 1
		case src[i] == ':' && from == 0:
			from = i + 1
		case src[i] == ';' && from > 0:
			return from, i, nil
		}
		if skip > 0 {
			i += skip
		}
	}
	return 0, 0, errors.New("its declaration has no end")
}
