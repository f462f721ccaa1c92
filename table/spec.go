package table

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/front"
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
	from, end int     // leaves of the record around it, or of itself
	names     []value // values of the names, in the order of pattern.names
	indices   []value // of all indices but slots
	outside   int     // how many of these are before the slot

	// of messages
	group    string   // multiset, queue or other place
	receiver int      // leaf; -1: an index says it, or nothing
	readers  []reader // components to which it may be
}

// reader is a component that reads the messages of a place.
type reader struct {
	row    int // number of its place
	column int
	wants  []want // for which the message is to it
}

// want is a value of a leaf.
type want struct {
	leaf  int
	value value
}

// position returns the index that is the position in a queue: the last number behind the first index; -1: it is none.
func (p *place) position() int {
	for i := len(p.indices) - 1; i > 0; i-- {
		if p.indices[i].part == model.IntType {
			return i
		}
	}
	return -1
}

// whole reports whether a message is all of the record, as an element of a multiset or queue is.
func (p *place) whole() bool { return p.present >= 0 || p.position() >= 0 }

// container returns the indices of the multiset, queue or other place.
func (p *place) container() []value {
	if p.present >= 0 {
		return p.indices[:p.outside]
	}
	if i := p.position(); i >= 0 {
		return slices.Delete(slices.Clone(p.indices), i, i+1)
	}
	return p.indices
}

// index returns the index that says who receives the messages of a place: the first that is no number, if there is one.
func (p *place) index() value {
	for _, v := range p.indices {
		if v.part != model.IntType {
			return v
		}
	}
	return append(slices.Clip(p.indices), value{})[0]
}

// pattern is a designator.
type pattern struct {
	text   string
	path   string // without indices
	names  []string
	types  []*model.Type // of the indices in brackets, slots included
	typ    *model.Type   // of the leaves
	places []place

	addressed bool // of a channel: messages name their receiver
}

var (
	designator = regexp.MustCompile(`^\s*([A-Za-z_]\w*)\s*((?:\[[^][]*\]\s*|\.\s*[A-Za-z_]\w*\s*)*)$`)
	selectors  = regexp.MustCompile(`\[([^][]*)\]|\.\s*([A-Za-z_]\w*)`)
	whereText  = regexp.MustCompile(`^(.*\S)\s+where\s+(.*\S)\s*=\s*(\w+)\s*$`)
)

// parse reads a designator.
func parse(m *model.Model, text string) (*pattern, error) {
	x := &pattern{text: strings.TrimSpace(text)}
	parts := designator.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%q: want a variable with indices and fields, such as Procs[p].state", text)
	}
	i := slices.IndexFunc(m.Vars, func(v *model.Var) bool { return v.Name == parts[1] })
	if i < 0 {
		return nil, fmt.Errorf("%q: there is no variable %s%s", text, parts[1], front.DidYouMean(parts[1], lists.Map(m.Vars, func(v *model.Var) string { return v.Name })))
	}
	x.path = parts[1]
	t, at := m.Vars[i].Type, m.Vars[i].Offset
	all := []place{{leaf: at, present: -1, from: at, receiver: -1}}
	for _, s := range selectors.FindAllStringSubmatch(parts[2], -1) {
		index, field := strings.TrimSpace(s[1]), s[2]
		switch {
		case field != "":
			k := slices.IndexFunc(t.Fields, func(f model.Field) bool { return f.Name == field })
			if k < 0 {
				return nil, fmt.Errorf("%q: %v has no field %s%s", text, t, field, front.DidYouMean(field, lists.Map(t.Fields, func(f model.Field) string { return f.Name })))
			}
			x.path += "." + field
			for j := range all {
				p := &all[j]
				p.from, p.end = p.leaf, p.leaf+t.Leaves
				p.leaf += t.Fields[k].Offset
			}
			t = t.Fields[k].Type
		case t.Kind != model.Array && t.Kind != model.Multiset:
			return nil, fmt.Errorf("%q: %s is no array and no multiset", text, x.path)
		default:
			var err error
			if all, err = x.index(t, index, all); err != nil {
				return nil, err
			}
			t = t.Elem
		}
	}
	if !t.Simple() {
		return nil, fmt.Errorf("%q: that is not one value, but %s", text, madeOf(t))
	}
	for j := range all {
		if p := &all[j]; p.end <= p.leaf {
			p.from, p.end = p.leaf, p.leaf+1
		}
	}
	x.typ, x.places = t, all
	return x, nil
}

// madeOf says what a type is made of.
func madeOf(t *model.Type) string {
	if t.Kind == model.Record {
		return "a record with " + lists.Join(t.Fields, ", ", func(f model.Field) string { return f.Name })
	}
	return t.String()
}

// index replaces each place, an array or multiset of type t, by its elements.
func (x *pattern) index(t *model.Type, index string, all []place) (out []place, err error) {
	only, constant := int64(0), false
	for v := t.Index.Lo; v <= t.Index.Hi; v++ {
		if t.Kind == model.Array && t.Index.Format(v) == index {
			only, constant = v, true
		}
	}
	known := -1
	switch _, err := strconv.Atoi(index); {
	case constant:
		if _, _, ok := t.Index.Element(only); ok {
			return nil, fmt.Errorf("%q: %s is one of several components that are interchangeable: a name stands for each of them", x.text, index)
		}
	case err == nil || index == "":
		return nil, fmt.Errorf("%q: %q is no index of %v", x.text, index, t)
	default:
		if known = slices.Index(x.names, index); known < 0 {
			x.names = append(x.names, index)
		}
	}
	stride := t.Elem.Leaves
	if t.Kind == model.Multiset {
		stride++
	}
	x.types = append(x.types, t.Index)
	for _, p := range all {
		for v := t.Index.Lo; v <= t.Index.Hi; v++ {
			q, is := p, valueOf(t.Index, v)
			if constant && v != only || known >= 0 && p.names[known] != is {
				continue
			}
			q.leaf += int(v-t.Index.Lo) * stride
			if t.Kind == model.Multiset {
				q.present, q.outside = q.leaf, len(p.indices)
				q.leaf++
			} else {
				q.indices = append(slices.Clip(p.indices), is)
			}
			if !constant && known < 0 {
				q.names = append(slices.Clip(p.names), is)
			}
			q.from, q.end = q.leaf, q.leaf
			out = append(out, q)
		}
	}
	return out, nil
}

// plain checks that no value of a pattern is one of a class.
func (x *pattern) plain() error {
	for _, t := range x.typ.Alternatives() {
		if t.Classed() {
			return fmt.Errorf("%q: its values are interchangeable components, which symmetry renames", x.text)
		}
	}
	if x.typ.Card() > mostRows {
		return fmt.Errorf("%q: it has %d values; a table has at most %d rows", x.text, x.typ.Card(), mostRows)
	}
	return nil
}

const mostRows = 256

// column is where messages to the controller are.
type column struct {
	*pattern
	where *pattern // the receiver; nil: names tell
	to    value    // that it has to be, if is is -1
	is    int      // which of the names of the row it is
	share [][2]int // names that are those of the row: index here, index in the row
}

// spec is a Spec of a model.
type spec struct {
	row      *pattern
	columns  []*column
	channels []*pattern // all places of messages
}

func resolve(m *model.Model, s Spec) (*spec, error) {
	row, err := parse(m, s.Row)
	if err == nil {
		err = row.plain()
	}
	if err != nil {
		return nil, err
	}
	x := &spec{row: row}
	if slices.ContainsFunc(row.types, func(t *model.Type) bool { return t.Slots }) {
		return nil, fmt.Errorf("%q: an element of a multiset is no controller", s.Row)
	}
	have, all := map[string]bool{}, families(m)
	channel := func(c *pattern) {
		if !have[c.path] {
			have[c.path] = true
			x.channels = append(x.channels, all[slices.IndexFunc(all, func(f *pattern) bool { return f.path == c.path })])
		}
	}
	for _, text := range s.Columns {
		c, err := x.column(m, text)
		if err != nil {
			return nil, err
		}
		x.columns = append(x.columns, c)
		channel(c.pattern)
	}
	for _, text := range s.Channels {
		c, err := parse(m, text)
		if err == nil {
			err = c.plain()
		}
		if err != nil {
			return nil, err
		}
		channel(c)
	}
	for _, f := range all { // of the type of a column
		if len(f.types) > 0 && f.path != row.path && f.typ.Kind == model.Enum && slices.ContainsFunc(x.columns, func(c *column) bool { return c.typ == f.typ }) {
			channel(f)
		}
	}
	for n, c := range x.channels {
		for i := range c.places {
			c.places[i].group = fmt.Sprint(n, c.places[i].container())
		}
	}
	for n, c := range x.columns {
		x.read(n, c)
	}
	return x, nil
}

// read notes at the messages of a column who reads them, and where they say so.
func (x *spec) read(n int, c *column) {
	channel := x.channels[slices.IndexFunc(x.channels, func(d *pattern) bool { return d.path == c.path })]
	for i := range c.places {
		p := &c.places[i]
		to := &channel.places[slices.IndexFunc(channel.places, func(q place) bool { return q.leaf == p.leaf })]
		if c.where != nil && c.is <= 0 { // not an address
			to.receiver, channel.addressed = c.where.places[i].leaf, true
		}
		for k, row := range x.row.places {
			r := reader{row: k, column: n}
			if slices.ContainsFunc(c.share, func(q [2]int) bool { return p.names[q[0]] != row.names[q[1]] }) {
				continue
			}
			if c.where != nil {
				value := c.to
				if c.is >= 0 {
					value = row.names[c.is]
				}
				r.wants = []want{{c.where.places[i].leaf, value}}
			}
			to.readers = append(to.readers, r)
		}
	}
}

func (x *spec) column(m *model.Model, text string) (*column, error) {
	c := &column{is: -1}
	where := whereText.FindStringSubmatch(text)
	name := text
	if where != nil {
		name = where[1]
	}
	var err error
	if c.pattern, err = parse(m, name); err == nil {
		err = c.plain()
	}
	if err != nil {
		return nil, err
	}
	for i, n := range c.names {
		if k := slices.Index(x.row.names, n); k >= 0 {
			c.share = append(c.share, [2]int{i, k})
		}
	}
	if where != nil {
		if c.where, err = parse(m, where[2]); err != nil {
			return nil, err
		}
		if !slices.Equal(c.where.names, c.names) {
			return nil, fmt.Errorf("%q: the names behind where are not those before it", text)
		}
		if c.is = slices.Index(x.row.names, where[3]); c.is < 0 {
			t := c.where.typ
			for v := t.Lo; v <= t.Hi; v++ {
				if _, _, classed := t.Element(v); !classed && t.Format(v) == where[3] {
					c.to = valueOf(t, v)
				}
			}
			if c.to.part == nil {
				return nil, fmt.Errorf("%q: %s is neither a name of the row %s nor a value of %v", text, where[3], x.row.text, t)
			}
		}
	}
	if len(x.row.names) > 0 && len(c.share) == 0 && c.is < 0 {
		return nil, fmt.Errorf("%q: it has no name of the row %s, so it does not say to whom the messages are", text, x.row.text)
	}
	c.text = strings.TrimSpace(text)
	return c, nil
}

// families returns a pattern with all names for each path of simple leaves.
func families(m *model.Model) (all []*pattern) {
	seen := map[string]bool{}
	for _, l := range m.AllLeaves() {
		if l.Type == model.PresentType {
			continue
		}
		n := 0
		text := brackets.ReplaceAllStringFunc(l.Name, func(string) string { n++; return fmt.Sprintf("[%c%d]", 'i', n) })
		if !seen[text] {
			seen[text] = true
			if x, err := parse(m, text); err == nil {
				all = append(all, x)
			}
		}
	}
	return all
}

var brackets = regexp.MustCompile(`\[[^][]*\]|\{[^{}]*\}`)
