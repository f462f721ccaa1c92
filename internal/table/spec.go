package table

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Spec says what is in a table, by designators of the model in which names that it does not declare stand for any value
// of an index. Two of the same name in Row and a column are the same component.
type Spec struct {
	// Row is where the state of the controller is, such as Procs[p].state.
	Row string
	// Columns are where types of messages to it are, such as Net[p][m].mtype, or Net[m].mtype where Net[m].dst = p. In
	// multisets each element is a message. Elsewhere there is one if the value is defined and not the one that most of these places have in the first start state.
	// A number in an index, as in Queue[p][0].mtype, is the front of a queue.
	Columns []string
	// Channels are where other messages are, which it sends. What has the type of a column is one, too.
	Channels []string
}

// value is a value of an index: of a class or an enum, or a number.
type value struct {
	part *model.Type
	v    int64
}

func valueOf(t *model.Type, v int64) value {
	if v == model.Undef {
		return value{}
	}
	if t, v = t.Part(v); t.Numeric() && !t.Classed() {
		return value{model.IntType, v}
	}
	return value{t, v}
}

// place is one of the leaves that a designator stands for.
type place struct {
	leaf      int
	present   int     // presence leaf of the slot of a multiset; -1: none
	from, end int     // leaves of the element of a multiset or queue, else of the record around it, or of itself
	indices   []value // slots included
	slot      int     // which of these is the slot; -1: none
	position  int     // which of these is the position in a queue, the last number behind the first; -1: none
	names     []value // values of pattern.names

	// of messages
	group    string   // multiset, queue or other place
	receiver int      // leaf; -1: an index says it, or nothing
	readers  []reader // components to which it may be
}

// reader is a component that reads the messages of a place.
type reader struct {
	row    int // number of its place
	column int
	where  int   // leaf that says whether the message is to it; -1: it is
	want   value // what is there then
}

// whole reports whether a message is all of the record, as an element of a multiset or queue is.
func (p *place) whole() bool { return p.slot >= 0 || p.position >= 0 }

// index returns the index that says who receives the messages of a place: the first that is no number, if there is one.
func (p *place) index() value {
	all := slices.Clone(p.indices)
	if p.slot >= 0 {
		all = slices.Delete(all, p.slot, p.slot+1)
	}
	if i := slices.IndexFunc(all, func(v value) bool { return v.part != model.IntType }); i >= 0 {
		return all[i]
	}
	return append(all, value{})[0]
}

// pattern is a designator.
type pattern struct {
	text   string
	path   string        // without indices
	types  []*model.Type // of the indices in brackets, slots included
	names  []string      // in these, each once
	typ    *model.Type   // of the leaves
	places []place

	addressed bool // of a channel: messages name their receiver
}

var (
	designator = regexp.MustCompile(`^[A-Za-z_]\w*(\[[^][]*\]|\.[A-Za-z_]\w*)*$`)
	brackets   = regexp.MustCompile(`\[[^][]*\]|\{[^{}]*\}`)
	whereText  = regexp.MustCompile(`^(.*\S)\s+where\s+(.*\S)\s*=\s*(\w+)\s*$`)
	spaces     = regexp.MustCompile(`\s+`)
)

// shape returns a designator, or the name of a leaf, with all indices empty.
func shape(text string) string { return brackets.ReplaceAllString(text, "[]") }

// families returns a pattern with all names for each path of simple leaves.
func families(m *model.Model) (all []*pattern) {
	leaves, seen := m.AllLeaves(), map[string]*pattern{}
	for i, l := range leaves {
		if l.Type == model.PresentType {
			continue
		}
		x := seen[shape(l.Name)]
		if x == nil {
			x = &pattern{path: brackets.ReplaceAllString(l.Name, ""), typ: l.Type}
			x.text = brackets.ReplaceAllStringFunc(l.Name, func(string) string {
				x.names = append(x.names, fmt.Sprintf("i%d", len(x.names)+1))
				return "[" + x.names[len(x.names)-1] + "]"
			})
			seen[shape(l.Name)], all = x, append(all, x)
			x.types = lists.Map(l.Indices, func(d model.IndexDim) *model.Type { return d.Type })
		}
		x.places = append(x.places, placeOf(leaves, i))
	}
	return all
}

func placeOf(leaves []model.Leaf, leaf int) place {
	l := leaves[leaf]
	p := place{leaf: leaf, present: l.Slot, slot: -1, position: -1, receiver: -1}
	for i, d := range l.Indices {
		p.indices = append(p.indices, valueOf(d.Type, d.Value))
		if d.Type.Slots {
			p.slot = i
		} else if i > 0 && p.indices[i].part == model.IntType {
			p.position = i
		}
	}
	around := l.Name[:strings.LastIndex(l.Name, ".")+1]
	if p.position >= 0 {
		around = l.Name[:strings.LastIndex(l.Name, "]")+1]
	}
	in := func(i int) bool {
		switch {
		case i < 0 || i >= len(leaves) || leaves[i].Type == model.PresentType:
			return false
		case p.slot >= 0:
			return leaves[i].Slot == l.Slot
		}
		return around != "" && strings.HasPrefix(leaves[i].Name, around)
	}
	for p.from = leaf; in(p.from - 1); p.from-- {
	}
	for p.end = leaf + 1; in(p.end); p.end++ {
	}
	return p
}

// parse reads a designator.
func parse(m *model.Model, all []*pattern, text string) (*pattern, error) {
	bare := spaces.ReplaceAllString(text, "")
	if !designator.MatchString(bare) {
		return nil, fmt.Errorf("%q: want a variable with indices and fields, such as Procs[p].state", text)
	}
	i := slices.IndexFunc(all, func(f *pattern) bool { return shape(f.text) == shape(bare) })
	if i < 0 {
		return nil, fmt.Errorf("%q: %w", text, missing(m, shape(bare)))
	}
	x := *all[i]
	x.text, x.names = strings.TrimSpace(text), nil
	var first []int // by name: its first index
	for k, index := range brackets.FindAllString(bare, -1) {
		index = index[1 : len(index)-1]
		is, constant, classed := constantOf(x.types[k], index)
		named := slices.Index(x.names, index)
		switch _, err := strconv.Atoi(index); {
		case classed:
			return nil, fmt.Errorf("%q: %s is one of several components that are interchangeable: a name stands for each of them; --sym declared infers none", text, index)
		case !constant && (err == nil || index == ""):
			return nil, fmt.Errorf("%q: %q is no index of %v", text, index, x.types[k])
		case !constant && named < 0:
			x.names, first = append(x.names, index), append(first, k)
			continue
		}
		x.places = lists.Where(x.places, func(p place) bool {
			return constant && p.indices[k] == is || !constant && p.indices[k] == p.indices[first[named]]
		})
	}
	if len(x.places) == 0 {
		return nil, fmt.Errorf("%q: no value is there, as one name stands for indices of several types", text)
	}
	x.places = lists.Map(x.places, func(p place) place {
		p.names = lists.Map(first, func(k int) value { return p.indices[k] })
		return p
	})
	return &x, nil
}

// constantOf returns the value of a type that has a name, and reports whether it is one of a class.
func constantOf(t *model.Type, name string) (is value, ok, classed bool) {
	for v := t.Lo; v <= t.Hi && !t.Slots; v++ {
		if t.Format(v) == name {
			_, _, classed = t.Element(v)
			return valueOf(t, v), true, classed
		}
	}
	return value{}, false, false
}

// missing says why a model has no leaves of a shape.
func missing(m *model.Model, shape string) error {
	path := strings.Split(strings.ReplaceAll(shape, "[]", ".[]"), ".")
	i := slices.IndexFunc(m.Vars, func(v *model.Var) bool { return v.Name == path[0] })
	if i < 0 {
		return fmt.Errorf("there is no variable %s%s", path[0], front.DidYouMean(path[0], lists.Map(m.Vars, func(v *model.Var) string { return v.Name })))
	}
	t := m.Vars[i].Type
	for n, field := range path[1:] {
		k := slices.IndexFunc(t.Fields, func(f model.Field) bool { return f.Name == field })
		switch {
		case field == "[]" && (t.Kind == model.Array || t.Kind == model.Multiset):
			t = t.Elem
		case field == "[]":
			return fmt.Errorf("%s is no array and no multiset", strings.ReplaceAll(strings.Join(path[:n+1], "."), ".[]", ""))
		case k < 0:
			return fmt.Errorf("%v has no field %s%s", t, field, front.DidYouMean(field, lists.Map(t.Fields, func(f model.Field) string { return f.Name })))
		default:
			t = t.Fields[k].Type
		}
	}
	if t.Kind == model.Record {
		return fmt.Errorf("that is not one value, but a record with %s", lists.Join(t.Fields, ", ", func(f model.Field) string { return f.Name }))
	}
	return fmt.Errorf("that is not one value, but %v", t)
}

// plain reads a designator whose values are those of no class.
func plain(m *model.Model, all []*pattern, text string) (*pattern, error) {
	x, err := parse(m, all, text)
	if err == nil {
		err = x.plain()
	}
	return x, err
}

// plain checks that no value of a pattern is one of a class.
func (p *pattern) plain() error {
	for _, t := range p.typ.Alternatives() {
		if t.Classed() {
			return fmt.Errorf("%q: its values are interchangeable components, which symmetry renames", p.text)
		}
	}
	if p.typ.Card() > mostRows {
		return fmt.Errorf("%q: it has %d values; a table has at most %d rows", p.text, p.typ.Card(), mostRows)
	}
	return nil
}

const mostRows = 256

// spec is a Spec of a model.
type spec struct {
	row      *pattern
	columns  []*pattern
	channels []*pattern // all places of messages
}

func resolve(m *model.Model, s Spec) (*spec, error) {
	all, x := families(m), &spec{}
	var err error
	if x.row, err = plain(m, all, s.Row); err != nil {
		return nil, err
	}
	if x.row.inSet() {
		return nil, fmt.Errorf("%q: an element of a multiset is no controller", s.Row)
	}
	channel := func(path string) *pattern {
		f := all[slices.IndexFunc(all, func(f *pattern) bool { return f.path == path })]
		if !slices.Contains(x.channels, f) {
			x.channels = append(x.channels, f)
		}
		return f
	}
	for _, text := range s.Columns {
		if err := x.column(m, all, text, channel); err != nil {
			return nil, err
		}
	}
	for _, text := range s.Channels {
		c, err := plain(m, all, text)
		if err != nil {
			return nil, err
		}
		channel(c.path)
	}
	for _, f := range all { // of the type of a column
		if len(f.types) > 0 && f.path != x.row.path && f.typ.Kind == model.Enum && slices.ContainsFunc(x.columns, func(c *pattern) bool { return c.typ == f.typ }) {
			channel(f.path)
		}
	}
	for n, c := range x.channels {
		for i := range c.places {
			p := &c.places[i]
			indices := slices.Clone(p.indices)
			if p.slot >= 0 {
				indices = indices[:p.slot]
			} else if p.position >= 0 {
				indices = slices.Delete(indices, p.position, p.position+1)
			}
			p.group = fmt.Sprint(n, indices)
		}
	}
	return x, nil
}

// column reads where messages to the controller are, and notes there who reads them.
func (s *spec) column(m *model.Model, all []*pattern, text string, channel func(path string) *pattern) error {
	parts := whereText.FindStringSubmatch(text)
	if parts == nil {
		parts = []string{"", text}
	}
	c, err := plain(m, all, parts[1])
	if err != nil {
		return err
	}
	var where *pattern
	var to value // that the receiver has to be
	named := -1  // or which of the names of the row
	if parts[0] != "" {
		if where, err = parse(m, all, parts[2]); err != nil {
			return err
		}
		if !slices.Equal(where.names, c.names) {
			return fmt.Errorf("%q: the names behind where are not those before it", text)
		}
		if named = slices.Index(s.row.names, parts[3]); named < 0 {
			constant, classed := false, false
			if to, constant, classed = constantOf(where.typ, parts[3]); !constant || classed {
				return fmt.Errorf("%q: %s is neither a name of the row %s nor a value of %v", text, parts[3], s.row.text, where.typ)
			}
		}
	}
	shared := slices.ContainsFunc(c.names, func(n string) bool { return slices.Contains(s.row.names, n) })
	if len(s.row.names) > 0 && named < 0 && !shared {
		return fmt.Errorf("%q: it has no name of the row %s, so it does not say to whom the messages are", text, s.row.text)
	}
	// An index says who receives messages if it is a name of the row or a constant component; then where says which address.
	first := c.places[0].index()
	constant := first.part != nil && first.part != model.IntType && !slices.ContainsFunc(c.places, func(p place) bool { return p.index() != first })
	into := channel(c.path)
	for i, p := range c.places {
		q := &into.places[slices.IndexFunc(into.places, func(q place) bool { return q.leaf == p.leaf })]
		if where != nil && !shared && !constant {
			q.receiver, into.addressed = where.places[i].leaf, true
		}
		for k, row := range s.row.places {
			r := reader{row: k, column: len(s.columns), where: -1, want: to}
			if where != nil {
				r.where = where.places[i].leaf
			}
			if named >= 0 {
				r.want = row.names[named]
			}
			other := false // component
			for j, n := range c.names {
				of := slices.Index(s.row.names, n)
				other = other || of >= 0 && p.names[j] != row.names[of]
			}
			if !other {
				q.readers = append(q.readers, r)
			}
		}
	}
	c.text = strings.TrimSpace(text)
	s.columns = append(s.columns, c)
	return nil
}
