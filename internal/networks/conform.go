package networks

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file compares a model whose network is arrays of queues with what arrays.go reads: multisets, of which each is one queue.
// It visits states of both side by side. In each pair the queues have the same contents, all other variables are the same,
// and the same rules lead to the same states or to errors; a queue that is too long is an error of both.

// content is a state of the model as text: other variables, then queues, front first.
func (fi *fifos) content(m *model.Model, s model.State) string {
	var out []any
	for _, v := range m.Vars {
		if !slices.ContainsFunc(fi.channels, func(c *channel) bool { return v.Name == c.messages.Name || v.Name == c.count.Name }) {
			out = append(out, s[v.Offset:v.Offset+v.Type.Leaves])
		}
	}
	for _, c := range fi.channels { // the variables keep their places
		messages, count, queues := c.messages.Offset, c.count.Offset, fi.net.Type.Leaves/fi.set.Leaves/len(fi.channels)
		if c.fields != nil {
			_, t := elements(c.count.Type)
			messages, count = messages+t.Fields[c.fields[0]].Offset, count+t.Fields[c.fields[1]].Offset
		}
		for i := range queues {
			n, at := max(s[count+i*c.count.Type.Leaves/queues], 0), messages+i*c.messages.Type.Leaves/queues
			out = append(out, s[at:at+int(n)*fi.record.Leaves])
		}
	}
	return fmt.Sprint(out...)
}

// contentOf is the same of a state with multisets; "" if a queue is too long.
func (c *code) contentOf(s model.State) string {
	var out []any
	for _, v := range c.program.Model.Vars {
		if v.Name != c.net.Name && v.Name != c.assigned.Name {
			out = append(out, s[v.Offset:v.Offset+v.Type.Leaves])
		}
	}
	queues := make([]model.State, c.net.Type.Leaves/c.set.Leaves)
	for _, q := range c.queuesOf(s) {
		for _, m := range q {
			queues[m.set] = append(queues[m.set], m.leaves...)
		}
		if len(q) > c.Capacity {
			return ""
		}
	}
	for _, q := range queues {
		out = append(out, q)
	}
	return fmt.Sprint(out...)
}

// conforms returns the model that was read, in which queues are as long and shared as in the model itself.
func conforms(src Source, in Spec) (*rewriter, error) {
	m, err := src.Read()
	if err != nil {
		return nil, err
	}
	again, err := src.Read()
	if err != nil {
		return nil, err
	}
	a := model.Compile(m).NewMachine()
	in.Order, in.Capacity, in.VC = own, 0, ""
	w, err := rewrite(again, in, nil, variant{})
	if err != nil {
		return nil, err
	}
	c, packer := newCode(context.Background(), w, model.Compile(again)), model.NewPacker(m)
	var todo [][2]model.State
	seen := map[string]bool{}
	type firing func(yield func(ch model.Choice, s model.State, v *model.Violation) bool)
	compare := func(rules []*model.Rule, fire ...firing) error {
		out := []map[string]model.State{{}, {}} // by rule, and content of the state; nil: an error
		for side := range out {
			fire[side](func(ch model.Choice, s model.State, _ *model.Violation) bool {
				content := ""
				if s != nil && side == 0 {
					content = w.fifos.content(m, s)
				} else if s != nil {
					content = c.contentOf(s)
				}
				out[side][fmt.Sprintf("%6d %s", ch.Rule, content)] = slices.Clone(s)
				return true
			})
		}
		for _, k := range lists.Union(slices.Sorted(maps.Keys(out[0])), slices.Sorted(maps.Keys(out[1]))) {
			x, ok := out[0][k]
			y, too := out[1][k]
			if !ok || !too {
				var rule int
				fmt.Sscan(k, &rule)
				return fmt.Errorf("%s:%v: rule %q does something else with queues: want that it looks only at the first message, "+
					"moves all others, and waits for room where it sends; this is not covered", m.File, rules[rule].Pos, rules[rule].Name)
			}
			if x != nil && !seen[string(packer.Pack(nil, x))] && len(seen) < sampled {
				seen[string(packer.Pack(nil, x))] = true
				todo = append(todo, [2]model.State{x, y})
			}
		}
		return nil
	}
	err = compare(m.Starts, a.Starts, c.machine.Starts)
	for i := 0; i < len(todo) && err == nil; i++ {
		err = compare(m.Rules,
			func(yield func(model.Choice, model.State, *model.Violation) bool) { a.Successors(todo[i][0], yield) },
			func(yield func(model.Choice, model.State, *model.Violation) bool) {
				c.machine.Successors(todo[i][1], yield)
			})
	}
	w.fifos.compared = plural(len(seen), "state") + map[bool]string{true: ", all there are", false: ", and no others"}[len(seen) < sampled]
	return w, err
}
