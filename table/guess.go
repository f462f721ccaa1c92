package table

import (
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
	stateName   = regexp.MustCompile(`(?i)state|status|line|cache`)
	messageName = regexp.MustCompile(`(?i)cmd|command|msg|message|mtype|kind|opcode|request|chan`)
	typeName    = regexp.MustCompile(`(?i)cmd|command|msg|mtype|kind|opcode|type`)
	toName      = regexp.MustCompile(`(?i)^(dst|dest|destination|to|receiver|target)$`)
	countName   = regexp.MustCompile(`(?i)cnt|count|num|ind|head|len`)
)

// last returns the last part of a path.
func (x *pattern) last() string { return x.path[strings.LastIndex(x.path, ".")+1:] }

// slots returns how many of the indices are elements of multisets.
func (x *pattern) slots() int {
	return lists.Count(x.types, func(t *model.Type) bool { return t.Slots })
}

// messages returns the families that are types of messages: in multisets an enum, elsewhere what has the same type; without
// multisets of records, what is called so.
func messages(m *model.Model) (out []*pattern) {
	all := lists.Where(families(m), func(x *pattern) bool { return x.typ.Kind == model.Enum && x.plain() == nil && len(x.types) > 0 })
	kinds := map[*model.Type]bool{}
	for _, x := range all {
		if x.slots() == 0 {
			continue
		}
		record := func(y *pattern) bool {
			return y.slots() > 0 && strings.TrimSuffix(y.path, y.last()) == strings.TrimSuffix(x.path, x.last())
		}
		i := slices.IndexFunc(all, func(y *pattern) bool { return record(y) && typeName.MatchString(y.last()) })
		if i < 0 {
			i = slices.IndexFunc(all, record)
		}
		kinds[all[i].typ] = true
	}
	for _, x := range all {
		beside := slices.ContainsFunc(all, func(y *pattern) bool {
			return y != x && x.last() != x.path && stateName.MatchString(y.last()) && strings.TrimSuffix(y.path, y.last()) == strings.TrimSuffix(x.path, x.last())
		})
		if len(kinds) == 0 && !beside && (messageName.MatchString(x.last()) || messageName.MatchString(x.typ.Name)) || kinds[x.typ] {
			out = append(out, x)
		}
	}
	return out
}

// Rows guesses where the states of controllers are.
func Rows(m *model.Model) (rows []string, err error) {
	types := lists.SetOf(messages(m), func(x *pattern) *model.Type { return x.typ })
	all := lists.Where(families(m), func(x *pattern) bool {
		return x.typ.Kind == model.Enum && x.slots() == 0 && x.plain() == nil && !types[x.typ]
	})
	named := lists.Where(all, func(x *pattern) bool {
		return stateName.MatchString(x.last()) || stateName.MatchString(x.typ.Name)
	})
	if arrays := lists.Where(all, func(x *pattern) bool { return len(x.types) > 0 }); len(named) == 0 && len(arrays) == 1 {
		named = arrays
	}
	for _, x := range named {
		rows = append(rows, spelled(x, nil))
	}
	if len(rows) == 0 {
		names := lists.Map(all, func(x *pattern) string { return spelled(x, nil) })
		return nil, fmt.Errorf("%s: no variable is called like the state of a controller: give --row, such as %s", m.File, cmpOr(strings.Join(names, ", "), "Procs[p].state"))
	}
	return rows, nil
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// spelled returns a family as a designator: with the names p, a, b, c for indices, or those given by index, and m, n for elements of multisets.
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

// Columns guesses where messages to the controller of a row are.
func Columns(m *model.Model, row string) (columns []string, err error) {
	r, err := parse(m, row)
	if err != nil {
		return nil, err
	}
	to := func(t *model.Type) string { // the name of the row, or a constant, that is a value of an index
		for _, part := range t.Alternatives() {
			switch {
			case t.Slots:
			case len(r.types) > 0 && (part == r.types[0] || t == r.types[0]):
				return r.names[0]
			case len(r.types) == 0 && t.Kind == model.Union && part.Kind == model.Enum && !part.Alike && part.Card() == 1:
				return part.Format(part.Lo)
			}
		}
		return ""
	}
	for _, x := range messages(m) {
		given := map[int]string{}
		k := slices.IndexFunc(x.types, func(t *model.Type) bool { return to(t) != "" })
		for i, t := range x.types {
			if i == k {
				given[i] = to(t)
			} else if !t.Slots {
				given[i] = string(rune('i' + i))
			}
			if i > 0 && i == len(x.types)-1 && t.Kind == model.Range && !t.Classed() && counted(m, x) {
				given[i] = t.Format(t.Lo)
			}
		}
		if k >= 0 {
			columns = append(columns, spelled(x, given))
			continue
		}
		for _, f := range families(m) { // of the message: the receiver
			if who := to(f.typ); who != "" && x.slots() > 0 && toName.MatchString(f.last()) && strings.TrimSuffix(f.path, f.last()) == strings.TrimSuffix(x.path, x.last()) {
				columns = append(columns, spelled(x, given)+" where "+spelled(f, given)+" = "+who)
			}
		}
	}
	return columns, nil
}

// counted reports whether a number beside an array says how many of its elements there are: then it is a queue.
func counted(m *model.Model, x *pattern) bool {
	name, _, _ := strings.Cut(x.path, ".")
	if i := slices.IndexFunc(m.Vars, func(v *model.Var) bool {
		return v.Name != name && strings.Contains(v.Name, name) && countName.MatchString(strings.Replace(v.Name, name, "", 1))
	}); i >= 0 {
		return true
	}
	return slices.ContainsFunc(families(m), func(f *pattern) bool {
		return len(f.types) < len(x.types) && f.typ.Kind == model.Range && countName.MatchString(f.last()) && strings.HasPrefix(x.path, strings.TrimSuffix(f.path, f.last())) && f.path != f.last()
	})
}

// Guess makes the table of a row with the columns that are guessed. Of arrays that may hold messages to a component or from
// it, those are columns of which a message changes the state of the component.
func Guess(ctx context.Context, src Source, row string, channels []string, reason func() string) (*Table, error) {
	want := Spec{Row: row, Channels: channels}
	var err error
	if want.Columns, err = Columns(src.Program.Model, row); err != nil {
		return nil, err
	}
	x, err := resolve(src.Program.Model, want)
	if err != nil {
		return nil, err
	}
	// An index that may also be a constant, such as Home, is the receiver.
	sure := func(c *column) bool {
		return c.where != nil || slices.ContainsFunc(c.types, func(t *model.Type) bool { return t.Kind == model.Union })
	}
	if slices.ContainsFunc(x.columns, func(c *column) bool { return !sure(c) }) {
		sample := src
		sample.most = sampled
		seen := collect(ctx, sample, x, reason)
		want.Columns = nil
		for i, c := range x.columns {
			if sure(c) || seen.takes[i] {
				want.Columns = append(want.Columns, c.text)
			} else {
				want.Channels = append(want.Channels, c.text)
			}
		}
	}
	t, err := Collect(ctx, src, want, reason)
	if err == nil {
		t.Guessed = true
	}
	return t, err
}

// sampled is how many states are looked at to see which messages change the state of a controller.
const sampled = 10000
