package portfolio

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file opens sizes that have no constant: the number in scalarset(3), 1..3 or 0..3. The text is changed: a new
// constant stands for the size. The change is part of the claim, as the same number elsewhere stays
// what it is.

// Opened is a size that was a number.
type Opened struct {
	Constant string // its name now
	Was, Now string // the declaration of the type
	Pos      model.Pos
	Number   string      // what stood there, and stands
	Others   []model.Pos // at these places, too
}

func (o Opened) String() string {
	text := fmt.Sprintf("%v: %s in place of %s", o.Pos, o.Now, o.Was)
	at := lists.Map(o.Others, func(p model.Pos) string { return p.String() })
	if at != nil {
		text += fmt.Sprintf("; %s stays at %s", o.Number, strings.Join(at, ", "))
	}
	return text
}

// literals changes the text so that constants stand for sizes that can be left open, of types that are
// indices of the state.
func (e *Every) literals(ctx context.Context, plain *model.Model) error {
	var sizes []murphi.LiteralSize
	var names []string
	var values []int64
	for _, s := range murphi.LiteralSizes(e.File, e.source, e.options.Dialect) {
		if s.Value == 0 {
			i := slices.IndexFunc(plain.Consts, func(c model.Const) bool { return c.Name == s.Text })
			if i < 0 || plain.Consts[i].Type.Kind != model.Integer {
				continue
			}
			s.Value = plain.Consts[i].Value + s.Less
		}
		name := s.Type + "_SIZE"
		for bytes.Contains(bytes.ToLower(e.source), bytes.ToLower([]byte(name))) {
			name += "_"
		}
		if s.Value < leastSize || e.Only != nil && !slices.Contains(e.Only, name) {
			continue
		}
		try := murphi.Named(e.source, append(slices.Clip(sizes), s), append(slices.Clip(names), name), append(slices.Clip(values), s.Value))
		m, err := e.parse(try, []string{name}, nil)
		if err == nil && !sized(m, name) {
			continue
		}
		var c *param.Conditions
		if err == nil {
			c, err = param.New(e.meter.With(ctx), m, map[string]int{name: e.leastOf(name)}, nil)
		}
		if err == nil && !slices.ContainsFunc(c.Families, func(f *param.Family) bool { return len(f.Args) > 0 }) {
			continue // values of data
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			e.Refused = append(e.Refused, fmt.Errorf("%s as the size of %s, %v: %w", s.Text, s.Type, s.Pos, firstOf(err)))
			continue
		}
		sizes, names, values = append(sizes, s), append(names, name), append(values, s.Value)
		e.Opened = append(e.Opened, Opened{
			Constant: name, Was: s.Declaration(""), Now: s.Type + ": " + s.Declaration(name), Pos: s.Pos, Number: s.Text, Others: s.Others,
		})
	}
	if sizes != nil {
		e.source = murphi.Named(e.source, sizes, names, values)
		e.Task.Contents = e.source
	}
	return nil
}
