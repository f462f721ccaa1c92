package networks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Spec says where the messages of a model are, and how queues are made of them. The zero value is guessed.
type Spec struct {
	Network     string   `json:"network"`               // a variable: a multiset, or an array of them, with a name for each index, as Net[to]; or several with queues
	Type        string   `json:"type"`                  // field of a message: its type, an enum
	Source      string   `json:"source,omitempty"`      // field or name of an index: who sends it
	Destination string   `json:"destination,omitempty"` // ... and to whom
	SentBy      []string `json:"sent_by,omitempty"`     // who else sends some types, as "Inv FwdGetS = Directory"
	VC          string   `json:"vc,omitempty"`          // field of a message that the model reads as its network
	Boxes       []string `json:"boxes,omitempty"`       // variables with messages that wait behind the network

	Order    string `json:"order" enum:"pair destination network none"` // what shares a queue of a network
	Capacity int    `json:"capacity"`                                   // of a queue; 0: no limit
	Full     string `json:"full" enum:"overflow wait"`                  // what a step does that puts more into a queue
}

// Orders are the values of Spec.Order, the default first.
var Orders = []string{"pair", "destination", "network", "none"}

// own is the order of arrays of queues as the model has them.
const own = "own"

// spec is a Spec resolved in a model.
type spec struct {
	Spec
	net    *model.Var
	dims   []*model.Type // of the indices of net
	set    *model.Type   // multiset
	record *model.Type   // element, as the model has it
	kind   int           // field
	source where
	dest   where
	by     map[int64]int64 // by type of message: who sends it, if source does not say it
	vc     int             // field; -1: none
	boxes  []*model.Var
	fifos  *fifos   // nil: the network is no arrays of queues
	names  []string // of the indices of net
}

// where is a field of a message or an index of the network; both -1: it is not known.
type where struct{ field, dim int }

var nowhere = where{-1, -1}

var networkText = regexp.MustCompile(`\s*(\w+)\s*((?:\[\s*\w+\s*\]\s*)*)`)

// network finds the network, with a name for each of its indices. Of arrays of queues it makes one variable, in m.
func (s *spec) network(m *model.Model) error {
	var vars []*model.Var
	if len(networkText.ReplaceAllString(s.Network, "")) > 0 || strings.TrimSpace(s.Network) == "" {
		return fmt.Errorf("--network %q: want a variable, with a name for each index, such as Net[to], or several with queues", s.Network)
	}
	for _, parts := range networkText.FindAllStringSubmatch(s.Network, -1) {
		v := variable(m, parts[1])
		if v == nil {
			return noVariable(m, "network", s.Network, parts[1])
		}
		names := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(parts[2]))
		if len(vars) > 0 && !slices.Equal(names, s.names) {
			return fmt.Errorf("--network %q: want the same names of indices for each variable", s.Network)
		}
		vars, s.names = append(vars, v), names
	}
	s.net = vars[0]
	if _, record, _, _ := rows(s.net.Type); record != nil {
		var err error
		if s.fifos, err = newFifos(m, vars); err != nil {
			return err
		}
		if s.net = s.fifos.net; len(vars) > 1 {
			s.names = append([]string{"channel"}, s.names...)
		}
		if s.Capacity == 0 {
			s.Capacity = int(s.fifos.length)
		}
		if s.Order == own {
			s.Full = map[bool]string{true: "wait", false: "overflow"}[s.fifos.waits != ""]
		}
	} else if len(vars) > 1 {
		return fmt.Errorf("%s:%v: --network %s: several variables are for arrays of queues: this is %v", m.File, s.net.Pos, s.net.Name, s.net.Type)
	}
	s.dims, s.set = elements(s.net.Type)
	return nil
}

// isChannel reports whether an index of the network is neither source nor destination: its values share queues.
func (s *spec) isChannel(i int) bool { return i != s.source.dim && i != s.dest.dim }

// resolve reads a Spec.
func resolve(m *model.Model, in Spec) (*spec, error) {
	s := &spec{Spec: in, source: nowhere, dest: nowhere, vc: -1, by: map[int64]int64{}}
	at := func(p model.Pos) string { return fmt.Sprintf("%s:%v", m.File, p) }
	if err := s.network(m); err != nil {
		return nil, err
	}
	names := s.names
	switch {
	case s.set.Kind != model.Multiset || s.set.Elem.Kind != model.Record:
		return nil, fmt.Errorf("%s: --network %s: want a multiset of records, or an array of them, or of queues; this is %v", at(s.net.Pos), s.net.Name, s.net.Type)
	case len(names) != len(s.dims):
		return nil, fmt.Errorf("%s: --network %s: it has %d indices: want a name for each, such as %s[to]", at(s.net.Pos), in.Network, len(s.dims), s.net.Name)
	}
	s.record = s.set.Elem
	for _, v := range allVars(m) {
		if v != s.net && v.Kind != model.RefVar && v.Type.Has(func(t *model.Type) bool { return t == s.set }) {
			return nil, fmt.Errorf("%s: %s holds messages in a multiset of the same type as %s; this is not covered", at(v.Pos), v.Name, s.net.Name)
		}
	}
	fields := lists.Map(s.record.Fields, func(f model.Field) string { return f.Name })
	field := func(option, name string) (int, error) {
		if i := slices.Index(fields, name); i >= 0 {
			return i, nil
		}
		return -1, fmt.Errorf("%s: --%s %s: messages have no field %s%s", at(s.record.Pos), option, name, name, front.DidYouMean(name, fields))
	}
	var err error
	if s.kind, err = field("type", in.Type); err != nil {
		return nil, err
	}
	if t := s.kindType(); t.Kind != model.Enum || t.Classed() {
		return nil, fmt.Errorf("%s: --type %s: want a field of an enum type, not %v", at(s.record.Pos), in.Type, t)
	}
	place := func(option, name string, into *where) (err error) {
		if into.dim = slices.Index(names, name); into.dim < 0 && name != "" {
			if into.field, err = field(option, name); err == nil && !s.record.Fields[into.field].Type.Simple() {
				err = fmt.Errorf("%s: --%s %s: want a field with one value", at(s.record.Pos), option, name)
			}
		}
		return err
	}
	if err = place("source", in.Source, &s.source); err == nil {
		err = place("destination", in.Destination, &s.dest)
	}
	if err == nil && in.VC != "" {
		s.vc, err = field("vc", in.VC)
	}
	switch {
	case err != nil:
		return nil, err
	case s.vc >= 0 && (s.record.Fields[s.vc].Type.Kind != model.Range || s.record.Fields[s.vc].Type.Classed()):
		return nil, fmt.Errorf("%s: --vc %s: want a field of a range, not of %v", at(s.record.Pos), in.VC, s.record.Fields[s.vc].Type)
	case !slices.Contains(Orders, in.Order) && in.Order != own:
		return nil, fmt.Errorf("--order %s: want one of %s", in.Order, strings.Join(Orders, ", "))
	case s.Full != "overflow" && s.Full != "wait":
		return nil, fmt.Errorf("--full %s: want overflow or wait", in.Full)
	case in.Capacity < 0:
		return nil, fmt.Errorf("--capacity %d: want a number of messages, 1 or more", in.Capacity)
	case in.Full == "wait" && s.Capacity == 0:
		return nil, fmt.Errorf("--full wait: it goes with --capacity")
	case s.fifos != nil && s.fifos.waits != "" && s.Full != "wait":
		return nil, fmt.Errorf("%s:%s waits for room in a queue: want --full wait", m.File, s.fifos.waits)
	case s.fifos != nil && in.Order == "none":
		return nil, fmt.Errorf("--order none: %s has queues", in.Network)
	case in.Order == "none" && (s.vc < 0 || in.Capacity > 0):
		return nil, fmt.Errorf("--order none: it goes with --vc, and without --capacity: nothing else tells networks apart, and there are no queues")
	case in.Order == "destination" && s.source.dim >= 0:
		return nil, fmt.Errorf("--order destination: %s has an index for the source, so sources share no queue: want pair or network", s.net.Name)
	case in.Order == "pair" && s.source == nowhere:
		return nil, fmt.Errorf("%s: --source: want a field of a message or an index that says who sends it, one of %s; or --order destination", at(s.record.Pos), strings.Join(fields, ", "))
	case in.Order != "network" && s.dest == nowhere:
		return nil, fmt.Errorf("%s: --destination: want a field of a message or an index that says to whom it is, one of %s; or --order network", at(s.record.Pos), strings.Join(append(names, fields...), ", "))
	}
	for i, name := range names {
		if s.isChannel(i) && !vcName.MatchString(name) {
			return nil, fmt.Errorf("%s: --network %s: the index %s is neither --source nor --destination: if messages of several of its values may share a queue, call it vc", at(s.net.Pos), in.Network, name)
		}
	}
	for _, text := range in.SentBy {
		if err := s.sentBy(text); err != nil {
			return nil, err
		}
	}
	for _, name := range in.Boxes {
		if name == "" { // none
			continue
		}
		v := variable(m, name)
		switch {
		case v == nil:
			return nil, noVariable(m, "box", name, name)
		case s.boxOf(v) == nil:
			return nil, fmt.Errorf("%s: --box %s: want a variable with messages like those of %s, or an array of them", at(v.Pos), name, s.net.Name)
		}
		s.boxes = append(s.boxes, v)
	}
	return s, nil
}

// sentBy reads an element of Spec.SentBy.
func (s *spec) sentBy(text string) error {
	types, who, ok := strings.Cut(text, "=")
	who = strings.TrimSpace(who)
	if !ok || s.source.field < 0 {
		return fmt.Errorf("--sent-by %q: want TYPE... = COMPONENT, together with a field for --source", text)
	}
	t := s.record.Fields[s.source.field].Type
	v := t.Lo
	for v <= t.Hi && t.Format(v) != who {
		v++
	}
	if _, _, classed := t.Element(min(v, t.Hi)); v > t.Hi || classed {
		return fmt.Errorf("--sent-by %q: %q is no constant of %v", text, who, t)
	}
	for _, name := range strings.Fields(types) {
		k := slices.Index(s.kindType().Members, name)
		if k < 0 {
			return fmt.Errorf("--sent-by %q: %v has no value %s%s", text, s.kindType(), name, front.DidYouMean(name, s.kindType().Members))
		}
		s.by[int64(k)] = v
	}
	return nil
}

func (s *spec) kindType() *model.Type { return s.record.Fields[s.kind].Type }

// boxOf returns the types of the indices of a variable that holds messages outside of the network; nil: it holds none.
func (s *spec) boxOf(v *model.Var) []*model.Type {
	dims, t := elements(v.Type)
	if t != s.record {
		return nil
	}
	return append([]*model.Type{}, dims...)
}

// elements returns the type of the elements of an array, through all dimensions, and those of the indices.
func elements(t *model.Type) (dims []*model.Type, elem *model.Type) {
	for ; t.Kind == model.Array; t = t.Elem {
		dims = append(dims, t.Index)
	}
	return dims, t
}

// fifo reports whether messages are in queues.
func (s *spec) fifo() bool { return s.Order != "none" }

func variable(m *model.Model, name string) *model.Var {
	i := slices.IndexFunc(m.Vars, func(v *model.Var) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return m.Vars[i]
}

func noVariable(m *model.Model, option, value, name string) error {
	names := lists.Map(m.Vars, func(v *model.Var) string { return v.Name })
	return fmt.Errorf("--%s %s: %s has no variable %s%s", option, value, m.File, name, front.DidYouMean(name, names))
}

// allVars returns the variables of a model, those of procedures and rules included.
func allVars(m *model.Model) []*model.Var {
	all := slices.Clone(m.Vars)
	for _, p := range m.Procs {
		all = append(all, p.Locals...)
		for _, f := range p.Params {
			all = append(all, f.Var)
		}
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		all = append(all, r.Locals...)
	}
	return all
}

// Options are the command-line options that ask for this.
func (s Spec) Options() string {
	var all []string
	add := func(option string, values ...string) {
		for _, v := range values {
			if v != "" {
				all = append(all, fmt.Sprintf("--%s '%s'", option, v))
			}
		}
	}
	add("network", s.Network)
	add("type", s.Type)
	add("source", s.Source)
	add("destination", s.Destination)
	add("sent-by", s.SentBy...)
	add("vc", s.VC)
	add("box", s.Boxes...)
	return strings.Join(all, " ")
}
