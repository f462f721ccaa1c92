package networks

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

// This file guesses a Spec by types and names, and looks at a sample of the states for what contradicts one.

var (
	typeName   = regexp.MustCompile(`(?i)cmd|command|msg|mtype|kind|opcode|type`)
	sourceName = regexp.MustCompile(`(?i)^(src|source|from|sender)$`)
	destName   = regexp.MustCompile(`(?i)^(dst|dest|destination|to|receiver|target)$`)
	vcName     = regexp.MustCompile(`(?i)^(vc|vn|vnet|channel|network)$`)
)

// Guess fills what is not said. Whether a model was read is not changed by it.
func Guess(src Source, in Spec) (out Spec, err error) {
	m, err := src.Read()
	if err != nil {
		return in, err
	}
	out = in
	if out.Network == "" {
		all := Networks(m)
		if len(all) != 1 || strings.Contains(all[0], "][") {
			want := "give --network, a multiset of records, an array of them, or arrays of queues: " + strings.Join(all, ", ")
			return in, fmt.Errorf("%s: what the network is cannot be told: %s", m.File, strings.TrimSuffix(want, ": "))
		}
		out.Network = all[0]
	}
	s := &spec{Spec: out, source: nowhere, dest: nowhere}
	if s.network(m) != nil || s.set.Kind != model.Multiset || s.set.Elem.Kind != model.Record {
		return out, nil // resolve says it
	}
	t := s.set
	index := func(names *regexp.Regexp) string {
		return append(lists.Where(s.names, names.MatchString), "")[0]
	}
	out.Destination, out.Source = cmp.Or(out.Destination, index(destName)), cmp.Or(out.Source, index(sourceName))
	out.Capacity, out.Order, out.Full = s.Capacity, cmp.Or(out.Order, "pair"), cmp.Or(out.Full, "overflow")
	if s.fifos != nil {
		if in.Order == "" && out.Source == "" {
			out.Order = "destination" // as the model has it
		}
		if in.Full == "" && s.fifos.waits != "" {
			out.Full = "wait"
		}
	}
	field := func(names *regexp.Regexp, kinds ...model.Kind) string {
		for _, f := range t.Elem.Fields {
			if names.MatchString(f.Name) && slices.Contains(kinds, f.Type.Kind) {
				return f.Name
			}
		}
		return ""
	}
	components := []model.Kind{model.Scalarset, model.Union, model.Enum, model.Range}
	if out.Type == "" {
		out.Type = kindField(t.Elem)
	}
	if out.Destination == "" && len(s.dims) == 1 && len(s.names) == 1 {
		out.Destination = s.names[0]
	} else if out.Destination == "" {
		out.Destination = field(destName, components...)
	}
	if out.Source == "" {
		out.Source = field(sourceName, components...)
	}
	if out.VC == "" {
		out.VC = field(vcName, model.Range)
	}
	for _, b := range m.Vars { // what holds messages may be where they wait
		switch r := (&spec{record: t.Elem}); {
		case out.Boxes != nil && in.Boxes != nil || b == s.net || !b.Type.Has(func(u *model.Type) bool { return u == t.Elem }):
		case r.boxOf(b) == nil:
			return out, fmt.Errorf("%s:%v: %s holds messages inside of other parts, and whether they wait there for ever is "+
				"not looked at: say where messages wait with --box, or --box '' if they wait nowhere else", m.File, b.Pos, b.Name)
		default:
			out.Boxes = append(out.Boxes, b.Name)
		}
	}
	if out.SentBy == nil && out.Source != "" {
		if m, err = src.Read(); err != nil {
			return out, err
		}
		if _, err := resolve(m, out); err != nil {
			return out, err
		}
		s, err := newSample(src, out)
		if err != nil {
			return out, err
		}
		out.SentBy = s.senders()
	}
	return out, nil
}

// Networks returns what may be the network of a model, as Spec.Network says it.
func Networks(m *model.Model) (all []string) {
	var queues []string
	name := func(v *model.Var, dims []*model.Type) string {
		return v.Name + strings.Join([]string{"[to]", "[from]", "[a]", "[b]"}[:min(len(dims), 4)], "")
	}
	for _, v := range m.Vars {
		if dims, t := elements(v.Type); t.Kind == model.Multiset && t.Elem.Kind == model.Record && kindField(t.Elem) != "" {
			all = append(all, name(v, dims))
		} else if dims, record, _, fields := rows(v.Type); record != nil && (fields != nil || counter(m, v, dims) != nil) {
			queues = append(queues, name(v, dims))
		}
	}
	if len(all) == 0 && len(queues) > 0 {
		all = []string{strings.Join(queues, " ")}
	}
	return all
}

// kindField returns the field that is the type of a message: an enum, called so if there are several.
func kindField(t *model.Type) string {
	all := lists.Where(t.Fields, func(f model.Field) bool { return f.Type.Kind == model.Enum && f.Type.Card() > 1 })
	if i := slices.IndexFunc(all, func(f model.Field) bool { return typeName.MatchString(f.Name) }); i > 0 {
		all = all[i:]
	}
	if len(all) == 0 {
		return ""
	}
	return all[0].Name
}

// sampled is how many states are looked at.
const sampled = 5_000

// sample is what some states of the model as it was read show.
type sample struct {
	*code
	types []int // that are sent

	// By type of message: who takes a message in a step that sends it from somebody else, and such a step.
	takers map[int][]string
	first  string
}

func newSample(src Source, in Spec) (*sample, error) {
	m, err := src.Read()
	if err != nil {
		return nil, err
	}
	s, err := resolve(m, in)
	if err != nil {
		return nil, err
	}
	w := &rewriter{spec: s, m: m, element: s.record}
	if s.Order = "none"; s.fifos != nil {
		if w, err = conforms(src, in); err != nil {
			return nil, err
		}
		m = w.m
	}
	x := &sample{code: newCode(context.Background(), w, model.Compile(m)), takers: map[int][]string{}}
	seen := map[string]bool{}
	var todo []model.State
	visit := func(u model.State) {
		if k := string(x.packer.Pack(nil, u)); !seen[k] && len(seen) < sampled {
			seen[k] = true
			todo = append(todo, slices.Clone(u))
			for _, m := range x.messages(u) {
				x.types = lists.With(x.types, int(x.kindOf(m)))
			}
		}
	}
	x.machine.Starts(func(_ model.Choice, u model.State, _ *model.Violation) bool {
		if u != nil {
			visit(u)
		}
		return true
	})
	for i := 0; i < len(todo); i++ {
		before := x.messages(todo[i])
		x.machine.Successors(todo[i], func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil {
				x.step(before, x.messages(next), m.Rules[ch.Rule])
				visit(next)
			}
			return true
		})
	}
	slices.Sort(x.types)
	return x, nil
}

// step looks at who sends in a step that takes messages of one component.
func (sa *sample) step(before, after []message, r *model.Rule) {
	if sa.source.field < 0 || sa.dest == nowhere {
		return
	}
	same := func(m message) func(message) bool {
		return func(y message) bool { return y.set == m.set && y.set >= 0 && slices.Equal(y.leaves, m.leaves) }
	}
	taker := ""
	for _, m := range before {
		if m.set >= 0 && lists.Count(after, same(m)) < lists.Count(before, same(m)) {
			who := sa.component(m, sa.dest, sa.destination(m))
			if taker != "" && taker != who {
				return
			}
			taker = who
		}
	}
	for _, m := range after {
		if taker == "" || m.set < 0 || lists.Count(after, same(m)) <= lists.Count(before, same(m)) {
			continue
		}
		if who := sa.component(m, sa.source, sa.sender(m)); who != taker {
			k := int(sa.kindOf(m))
			sa.takers[k] = lists.With(sa.takers[k], taker)
			if sa.first == "" {
				sa.first = fmt.Sprintf("%s:%v: rule %q takes a message to %s and sends %s", sa.m.File, r.Pos, r.Name, taker, sa.text(m))
			}
		}
	}
}

// senders are the elements of Spec.SentBy that would mend it: types that one constant component sends.
func (sa *sample) senders() (out []string) {
	by := map[string][]string{}
	for k, takers := range lists.InOrder(sa.takers) {
		if len(takers) == 1 {
			by[takers[0]] = append(by[takers[0]], sa.kindType().Format(int64(k)))
		}
	}
	for who, types := range lists.InOrder(by) {
		s := *sa.spec
		if text := strings.Join(types, " ") + " = " + who; s.sentBy(text) == nil {
			out = append(out, text)
		}
	}
	return out
}

// contradiction says which step shows that the source is not who sends.
func (sa *sample) contradiction() error {
	if sa.first == "" || sa.Spec.Source == "" {
		return nil
	}
	by := append(sa.senders(), "TYPE = COMPONENT")[0]
	return fmt.Errorf("%s: say who sends it with --sent-by '%s', or use --order destination", sa.first, by)
}
