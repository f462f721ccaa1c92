package table

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file guesses which variables hold the states of controllers, and which the messages to them: by types, by names,
// and by whether what takes a message changes the state.

var (
	stateName   = regexp.MustCompile(`(?i)state|status|line`)
	cacheName   = regexp.MustCompile(`(?i)cache`)
	messageName = regexp.MustCompile(`(?i)cmd|command|msg|message|mtype|kind|opcode|request|chan`)
	typeName    = regexp.MustCompile(`(?i)cmd|command|msg|mtype|kind|opcode|type`)
	toName      = regexp.MustCompile(`(?i)^(dst|dest|destination|to|receiver|target)$`)
	countName   = regexp.MustCompile(`(?i)cnt|count|num|ind|head|len`)
)

// field returns the last part of a path, and record what is before it.
func (p *pattern) field() string  { return p.path[strings.LastIndex(p.path, ".")+1:] }
func (p *pattern) record() string { return strings.TrimSuffix(p.path, p.field()) }

// inSet reports whether it is in a multiset.
func (p *pattern) inSet() bool {
	return slices.ContainsFunc(p.types, func(t *model.Type) bool { return t.Slots })
}

// isState reports whether it is called like the state of a controller.
func (p *pattern) isState() bool {
	return stateName.MatchString(p.field()) || stateName.MatchString(p.typ.Name) || p.record() == "" && cacheName.MatchString(p.path)
}

// messages returns the families that are types of messages: in multisets an enum, elsewhere what has the same type; without
// multisets of records, what is called so and is not beside a state.
func messages(all []*pattern) (out []*pattern) {
	all = lists.Where(all, func(x *pattern) bool { return x.typ.Kind == model.Enum && x.plain() == nil && len(x.types) > 0 })
	kinds := map[*model.Type]bool{}
	for _, x := range all {
		beside := lists.Where(all, func(y *pattern) bool { return x.inSet() && y.inSet() && y.record() == x.record() })
		if i := slices.IndexFunc(beside, func(y *pattern) bool { return typeName.MatchString(y.field()) }); len(beside) > 0 {
			kinds[beside[max(i, 0)].typ] = true
		}
	}
	for _, x := range all {
		beside := slices.ContainsFunc(all, func(y *pattern) bool { return y != x && x.record() != "" && y.record() == x.record() && y.isState() })
		if len(kinds) == 0 && !beside && (messageName.MatchString(x.field()) || messageName.MatchString(x.typ.Name)) || kinds[x.typ] {
			out = append(out, x)
		}
	}
	return out
}

// mostTables is how many tables are made if nothing says which.
const mostTables = 6

// Rows guesses where the states of controllers are.
func Rows(m *model.Model) (rows []string, err error) {
	all := families(m)
	types := lists.SetOf(messages(all), func(x *pattern) *model.Type { return x.typ })
	all = lists.Where(all, func(x *pattern) bool {
		return x.typ.Kind == model.Enum && !x.inSet() && x.plain() == nil && !types[x.typ]
	})
	named := lists.Where(all, (*pattern).isState)
	if arrays := lists.Where(all, func(x *pattern) bool { return len(x.types) > 0 }); len(named) == 0 && len(arrays) == 1 {
		named = arrays
	}
	spell := func(x *pattern) string { return spelled(x, nil) }
	if len(named) > mostTables {
		return nil, fmt.Errorf("%s: %d variables are called like states of controllers: give --row, one of %s", m.File, len(named), lists.Join(named, ", ", spell))
	}
	if len(named) == 0 {
		return nil, fmt.Errorf("%s: no variable is called like the state of a controller: give --row, such as %s", m.File, cmp.Or(lists.Join(all, ", ", spell), "Procs[p].state"))
	}
	return lists.Map(named, spell), nil
}

// spelled returns a family as a designator: with the names p, a, b, c for indices, or those given by index, and m, n for
// elements of multisets.
func spelled(x *pattern, given map[int]string) string {
	names, slots, n := []string{"p", "a", "b", "c", "d"}, []string{"m", "n", "o"}, -1
	return brackets.ReplaceAllStringFunc(x.text, func(string) string {
		n++
		name, ok := given[n]
		switch {
		case ok:
		case x.types[n].Slots:
			name, slots = slots[0], slots[1:]
		case len(names) > 0:
			name, names = names[0], names[1:]
		}
		return "[" + name + "]"
	})
}

// columns guesses where messages to the controller of a row are.
func columns(m *model.Model, all []*pattern, r *pattern) (columns []string) {
	component := "" // of the row: a name or a constant
	if len(r.types) > 0 {
		component = strings.Trim(brackets.FindString(r.text), "[] ")
	}
	to := func(t *model.Type) string { // that, or another constant, as a value of an index
		for _, part := range t.Alternatives() {
			switch {
			case t.Slots:
			case len(r.types) > 0 && (part == r.types[0] || t == r.types[0]):
				return component
			case len(r.types) == 0 && t.Kind == model.Union && part.Kind == model.Enum && !part.Alike && part.Card() == 1:
				return part.Format(part.Lo)
			}
		}
		return ""
	}
	for _, x := range messages(all) {
		given := map[int]string{}
		k := slices.IndexFunc(x.types, func(t *model.Type) bool { return to(t) != "" })
		for i, t := range x.types {
			if i == k {
				given[i] = to(t)
			} else if !t.Slots {
				given[i] = string(rune('i' + i))
			}
			if i > 0 && i == len(x.types)-1 && t.Kind == model.Range && !t.Classed() && counted(m, all, x) {
				given[i] = t.Format(t.Lo)
			}
		}
		if k >= 0 {
			columns = append(columns, spelled(x, given))
			continue
		}
		for _, f := range all { // of the message: the receiver
			if who := to(f.typ); who != "" && x.inSet() && toName.MatchString(f.field()) && f.record() == x.record() {
				columns = append(columns, spelled(x, given)+" where "+spelled(f, given)+" = "+who)
			}
		}
	}
	return columns
}

// counted reports whether a number beside an array says how many of its elements there are: then it is a queue.
func counted(m *model.Model, all []*pattern, x *pattern) bool {
	name, _, _ := strings.Cut(x.path, ".")
	return slices.ContainsFunc(m.Vars, func(v *model.Var) bool {
		return v.Name != name && strings.Contains(v.Name, name) && countName.MatchString(strings.Replace(v.Name, name, "", 1))
	}) || slices.ContainsFunc(all, func(f *pattern) bool {
		return f.record() != "" && len(f.types) < len(x.types) && f.typ.Kind == model.Range && countName.MatchString(f.field()) && strings.HasPrefix(x.path, f.record())
	})
}

// guess says which columns a row has. Of arrays that may hold messages to a component or from it, those are columns of which a
// message changes the state of the component.
func guess(ctx context.Context, src Source, want *Spec, reason func() string) error {
	m := src.Program.Model
	all := families(m)
	r, err := parse(m, all, want.Row)
	if err != nil {
		return err
	}
	want.Columns = columns(m, all, r)
	x, err := resolve(m, *want)
	if err != nil {
		return err
	}
	// An index that may also be a constant, such as Home, is the receiver.
	unsure := func(c *pattern) bool {
		return !whereText.MatchString(c.text) && !slices.ContainsFunc(c.types, func(t *model.Type) bool { return t.Kind == model.Union })
	}
	if !slices.ContainsFunc(x.columns, unsure) {
		return nil
	}
	src.most = sampled
	seen := collect(ctx, src, x, reason)
	want.Columns = nil
	for i, c := range x.columns {
		if unsure(c) && !seen.takes[i] {
			want.Channels = append(want.Channels, c.text)
		} else {
			want.Columns = append(want.Columns, c.text)
		}
	}
	return nil
}

// sampled is how many states are looked at to see which messages change the state of a controller.
const sampled = 10000
