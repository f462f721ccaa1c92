package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file finds the constants of a model that can be left open: those that are the size of a class
// and nothing else. The front end reads the model with a constant whose value it does not know, and
// refuses uses that depend on the value.

// openSize is the size of free classes where models are read with constants left open.
const openSize = 8

// Open finds the constants that can be left open: it sets Free, Fixed and Refused.
func (e *Every) Open(ctx context.Context) error {
	e.phase("finding constants to leave open")
	var err error
	if e.source, err = e.Task.Read(e.File); err != nil {
		return err
	}
	if e.options, err = task.ModelOptions(e.Task); err != nil {
		return err
	}
	plain, err := murphi.Parse(e.File, e.source, e.options)
	if err != nil {
		return err
	}
	if e.Literals {
		if err := e.literals(ctx, plain); err != nil {
			e.Stopped = mc.StopReason(ctx)
			return nil
		}
		if e.Opened != nil {
			if plain, err = murphi.Parse(e.File, e.source, e.options); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Least)) {
		if !slices.ContainsFunc(plain.Consts, func(c model.Const) bool { return c.Name == name }) {
			return fmt.Errorf("%s: the model has no constant %s", e.File, name)
		}
	}
	e.own = make(map[string]int64)
	for _, c := range plain.Consts {
		e.own[c.Name] = c.Value
	}
	closed := make(map[string]bool) // refused, or set
	refuse := func(c string, err error) {
		if !slices.ContainsFunc(e.Refused, func(r error) bool { return r.Error() == err.Error() }) {
			e.Refused = append(e.Refused, err)
		}
		e.instead = cmp.Or(e.instead, c)
		closed[c] = true
	}
	derived := murphi.DerivedConsts(e.File, e.source, e.options.Dialect)
	made := make(map[string]bool) // of others: no value of it is fixed
	var none []string             // sizes of something else than classes
	for _, c := range plain.Consts {
		set := slices.ContainsFunc(e.Task.Defines, func(d string) bool { return strings.HasPrefix(d, c.Name+"=") })
		if made[c.Name] = derived[c.Name] && !set; made[c.Name] && e.Least[c.Name] == 0 && !slices.Contains(e.Only, c.Name) {
			continue // its values are those that other constants give it
		}
		if e.Only != nil && !slices.Contains(e.Only, c.Name) || c.Type.Kind != model.Integer || set {
			closed[c.Name] = e.changes(c, components)
			continue
		}
		e.phase("finding constants to leave open, %s", c.Name)
		m, err := e.parse(e.source, append(slices.Clip(e.Free), c.Name), nil) // together with those before it
		switch {
		case err != nil && e.changes(c, components):
			refuse(c.Name, firstOf(err))
		case err == nil && sized(m, c.Name):
			e.Free = append(e.Free, c.Name)
		case slices.Contains(e.Only, c.Name) || e.changes(c, ranges):
			none = append(none, c.Name)
		}
	}
	m, c, err := e.conditions(ctx)
	if err != nil && ctx.Err() == nil {
		// One after the other is left open together with those before it, if it can be.
		all := e.Free
		e.Free, m, c = nil, nil, nil
		for _, name := range all {
			e.Free = append(e.Free, name)
			more, conds, err := e.conditions(ctx)
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				refuse(name, err)
				e.Free = e.Free[:len(e.Free)-1]
				continue
			}
			m, c = more, conds
		}
	}
	if ctx.Err() != nil {
		e.Free, e.Stopped = nil, mc.StopReason(ctx)
		return nil
	}
	for _, c := range plain.Consts {
		if !slices.Contains(e.Free, c.Name) && !made[c.Name] && (closed[c.Name] || e.changes(c, ranges)) {
			e.Fixed = append(e.Fixed, fmt.Sprintf("%s=%d", c.Name, c.Value))
		}
	}
	e.Opened = slices.DeleteFunc(e.Opened, func(o Opened) bool { return !slices.Contains(e.Free, o.Constant) })
	if len(e.Free) == 0 {
		if e.Refused == nil {
			text := "every needs a constant that is the size of a class of components, and that no -D sets"
			for _, name := range none {
				text += fmt.Sprintf("; %s counts no components", name)
			}
			e.Refused = []error{fmt.Errorf("%s: %s", e.File, text)}
		}
		return nil
	}
	e.inspect(m, c)
	e.Assumed = lists.Map(m.Assumptions, func(a *model.Property) string { return fmt.Sprintf("%q, at %v", a.Name, a.Pos) })
	return e.origins(m, c)
}

// origins adds what variables may owe their values to, as far as it can be read as invariants. Where all that is to be
// proved is said without ∃ inside ∀, lemmas of pdr do better.
func (e *Every) origins(m *model.Model, c *param.Conditions) error {
	e.nested = c.Nested
	if e.Induct || !c.Nested {
		return nil
	}
	all, err := murphi.Origins(e.File, e.source, m.Dialect)
	if err != nil {
		return err
	}
	for _, l := range all {
		src, _ := withLemmas(e.source, []string{l})
		if _, err := e.parse(src, e.Free, nil); err == nil {
			e.lemmas = append(e.lemmas, l)
		}
	}
	return nil
}

// conditions reads the model with the free constants left open, and states what a proof needs. The
// error says why the model is outside what can be proved.
func (e *Every) conditions(ctx context.Context) (*model.Model, *param.Conditions, error) {
	if len(e.Free) == 0 {
		return nil, nil, nil
	}
	m, err := e.parse(e.source, e.Free, nil)
	if err != nil {
		return nil, nil, err
	}
	c, err := param.New(e.meter.With(ctx), m, e.Leasts(), nil)
	return m, c, err
}

// inspect notes what the search for lemmas has to know of a model with all free constants left open.
func (e *Every) inspect(m *model.Model, c *param.Conditions) {
	if e.bare = c; c.Numbers() {
		e.numbers = c
	}
	e.lasts, e.scalarsets = make(map[string]string), make(map[string]bool)
	for _, t := range m.Scalarsets {
		switch {
		case t.SizedBy != "" && t.Kind == model.Scalarset && slices.Contains(e.Free, t.SizedBy):
			e.scalarsets[t.Name] = true
		case t.SizedBy == "" || t.Kind != model.Range:
		case t.Lo == 0:
			e.lasts[t.Name] = t.SizedBy + " - 1"
		default:
			e.lasts[t.Name] = t.SizedBy
		}
	}
	e.index = make(map[string]bool)
	for _, f := range c.Families {
		for _, s := range f.Args {
			e.index[c.Sorts[s].Constant] = true
		}
	}
}

// changes reports whether a constant changes sizes of the model.
func (e *Every) changes(c model.Const, sizes func(m *model.Model) []int64) bool {
	if c.Type.Kind != model.Integer {
		return false
	}
	var all [][]int64
	for _, n := range []int64{c.Value, c.Value + 1} {
		m, err := e.parse(e.source, nil, map[string]string{c.Name: fmt.Sprint(n)})
		if err != nil {
			return false
		}
		all = append(all, sizes(m))
	}
	return !slices.Equal(all[0], all[1])
}

// components returns how many components each class of a model has. Slots of multisets are none: the
// size of a multiset is a capacity.
func components(m *model.Model) []int64 {
	return slices.DeleteFunc(classes(m), func(n int64) bool { return n < 0 })
}

// ranges returns how many values each leaf of a state has.
func ranges(m *model.Model) (all []int64) {
	return lists.Map(m.AllLeaves(), func(l model.Leaf) int64 { return l.Type.Card() })
}

// sized reports whether a constant is the size of a class.
func sized(m *model.Model, constant string) bool {
	return slices.ContainsFunc(m.Scalarsets, func(t *model.Type) bool { return t.SizedBy == constant })
}

// firstOf returns the first error of a list, or the only one.
func firstOf(err error) error {
	var list murphi.ErrorList
	if errors.As(err, &list) {
		return list[0]
	}
	return err
}

// parse reads the model with some constants left open, and others set.
func (e *Every) parse(src []byte, opaque []string, set map[string]string) (*model.Model, error) {
	opt := e.options
	opt.Opaque = opaque
	opt.Consts = make(map[string]string)
	for _, name := range opaque {
		// Any size would do. At a small one too few components have no name to be a class.
		opt.Consts[name] = fmt.Sprint(openSize)
	}
	maps.Copy(opt.Consts, e.options.Consts)
	maps.Copy(opt.Consts, set)
	m, err := murphi.Parse(e.File, src, opt)
	if err != nil {
		return nil, err
	}
	m, _ = infer.Classes(m)
	return m, nil
}

// sized reads the model with constants set, as NAME=VALUE, and those of -D.
func (e *Every) sized(src []byte, set []string) (*model.Model, error) {
	opt := e.options
	opt.Consts = make(map[string]string)
	maps.Copy(opt.Consts, e.options.Consts)
	for _, s := range set {
		name, v, _ := strings.Cut(s, "=")
		opt.Consts[name] = v
	}
	return murphi.Parse(e.File, src, opt)
}

// Leasts returns the least size of each constant that is left open.
func (e *Every) Leasts() map[string]int {
	all := make(map[string]int)
	for _, c := range e.Free {
		all[c] = e.leastOf(c)
	}
	return all
}

func (e *Every) leastOf(constant string) int {
	if n, ok := e.Least[constant]; ok {
		return n
	}
	return leastSize
}
