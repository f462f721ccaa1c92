package networks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// sourceOf is a model in a text, searched as the command does.
func sourceOf(text string, defines ...string) Source {
	return sourceWith(task.Options{Contents: []byte(text), Defines: defines, TextOnly: true, Symmetry: "auto"})
}

func sourceWith(opt task.Options) Source {
	return Source{
		Read: func() (*model.Model, error) {
			as, err := task.ModelOptions(opt)
			if err != nil {
				return nil, err
			}
			return murphi.ReadFile("m.m", as)
		},
		Search: func(ctx context.Context, change Change) (*Search, error) {
			var props []int
			opt := opt
			opt.Change = func(m *model.Model) (err error) {
				props, err = change(m)
				return err
			}
			t, err := task.Open(ctx, "m.m", opt)
			if err != nil {
				return nil, err
			}
			t.Problem.Props = props
			out, err := portfolio.Run(ctx, t, []mc.Engine{&explicit.Engine{Canon: explicit.Exact, Threads: 1}}, portfolio.Options{Cores: 1})
			if err != nil {
				return nil, err
			}
			found := &Search{Program: t.Problem.Program, Stopped: out.Result.Stopped}
			if pr := t.Problem.First(out.Result); pr != nil {
				found.Trace = pr.Trace
			} else if out.Each[0].Closure != nil && out.Result.Open() == 0 {
				found.States = out.Each[0].Closure
			}
			return found, nil
		},
	}
}

// oracle decides assignments by other code: it visits the states of the model as it was read, together with lists of the
// messages in each queue, whose order it keeps itself. No step may put two different messages into one queue.
type oracle struct {
	t        testing.TB
	program  *model.Program
	machine  *model.Machine
	leaves   []model.Leaf
	net      string
	read     func(fields map[string]string, dims []string) (kind, from, to string) // of a message
	order    string
	capacity int            // of a queue; a step that puts more into one is disabled; 0: no limit
	rank     map[string]int // in which order a step sends types of messages, where it sends several

	numbers map[string]int
	base    []model.State
	steps   [][]baseStep
}

// mail is a message as text: its leaves.
type mail struct {
	text, kind, from, to string
}

func newOracle(t testing.TB, src Source, net, order string, read func(fields map[string]string, dims []string) (kind, from, to string)) *oracle {
	m, err := src.Read()
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	return &oracle{t: t, program: p, machine: p.NewMachine(), leaves: m.AllLeaves(), net: net, read: read, order: order, numbers: map[string]int{}}
}

// in returns the messages of a state, and by leaf of presence which one it is.
func (o *oracle) in(s model.State) (all []mail, at map[int]mail) {
	at = map[int]mail{}
	fields := map[int]map[string]string{}
	dims := map[int][]string{}
	for i, l := range o.leaves {
		if l.Var.Name != o.net || s[l.Slot] == model.Undef || i == l.Slot {
			continue
		}
		if fields[l.Slot] == nil {
			fields[l.Slot] = map[string]string{}
			for _, d := range l.Indices[:len(l.Indices)-1] {
				dims[l.Slot] = append(dims[l.Slot], d.Type.Format(d.Value))
			}
		}
		fields[l.Slot][l.Name[strings.LastIndex(l.Name, ".")+1:]] = l.Type.Format(s[i])
	}
	for slot, f := range fields {
		kind, from, to := o.read(f, dims[slot])
		x := mail{fmt.Sprint(f, dims[slot]), kind, from, to}
		all, at[slot] = append(all, x), x
	}
	slices.SortFunc(all, func(a, b mail) int { return strings.Compare(a.text, b.text) })
	return all, at
}

func (o *oracle) queue(x mail, of map[string]int) string {
	switch o.order {
	case "pair":
		return fmt.Sprint(of[x.kind], " ", x.from, " ", x.to)
	case "destination":
		return fmt.Sprint(of[x.kind], " ", x.to)
	}
	return fmt.Sprint(of[x.kind])
}

func minus(a, b []mail) (out []mail) {
	b = slices.Clone(b)
	for _, x := range a {
		if i := slices.Index(b, x); i >= 0 {
			b = slices.Delete(b, i, i+1)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// baseStep is a step of the model as it was read.
type baseStep struct {
	chosen, taken, added []mail
	next                 int // base state; -1: the step errs
	rule                 string
}

// baseState numbers a state of the model as it was read.
func (o *oracle) baseState(s model.State) int {
	k := fmt.Sprint(s)
	i, ok := o.numbers[k]
	if !ok {
		i = len(o.base)
		o.numbers[k] = i
		o.base, o.steps = append(o.base, slices.Clone(s)), append(o.steps, nil)
	}
	return i
}

// stepsOf are the steps from a base state.
func (o *oracle) stepsOf(i int) []baseStep {
	if o.steps[i] != nil {
		return o.steps[i]
	}
	s := o.base[i]
	before, at := o.in(s)
	steps := []baseStep{}
	o.machine.Successors(s, func(ch model.Choice, next model.State, viol *model.Violation) bool {
		x := baseStep{next: -1, rule: o.program.Model.FormatChoice(ch)}
		for k := range o.program.Model.Rules[ch.Rule].Params {
			if base, stride, ok := o.program.Chosen(s, ch, k); ok {
				if m, ok := at[base+int(ch.Params[k])*stride]; ok {
					x.chosen = append(x.chosen, m)
				}
			}
		}
		if viol == nil {
			after, _ := o.in(next)
			x.next, x.taken, x.added = o.baseState(next), minus(before, after), minus(after, before)
			slices.SortStableFunc(x.added, func(a, b mail) int { return o.rank[a.kind] - o.rank[b.kind] })
		}
		steps = append(steps, x)
		return true
	})
	o.steps[i] = steps
	return steps
}

// node is a base state with its queues.
type node struct {
	base   int
	queues map[string][]mail
	next   []int
	serves [][]string // by next: queues of which it takes the front
}

func (n *node) key() string {
	var keys []string
	for k, q := range n.queues {
		text := k
		for _, x := range q {
			text += "|" + x.text
		}
		keys = append(keys, text)
	}
	slices.Sort(keys)
	return fmt.Sprint(n.base) + strings.Join(keys, ";")
}

// verdict is that of an assignment, and the number of states.
func (o *oracle) verdict(of map[string]int) (v Verdict, states int) {
	var nodes []*node
	number := map[string]int{}
	add := func(n *node) int {
		k := n.key()
		if i, ok := number[k]; ok {
			return i
		}
		number[k] = len(nodes)
		nodes = append(nodes, n)
		return len(nodes) - 1
	}
	o.machine.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		n := &node{base: o.baseState(s), queues: map[string][]mail{}}
		all, _ := o.in(s)
		for _, m := range all { // of which there is one at most
			n.queues[o.queue(m, of)] = []mail{m}
		}
		add(n)
		return true
	})
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		for _, x := range o.stepsOf(n.base) {
			if slices.ContainsFunc(x.chosen, func(m mail) bool { q := n.queues[o.queue(m, of)]; return len(q) == 0 || q[0] != m }) {
				continue // it is not at the front
			}
			if len(x.chosen) == 2 && o.queue(x.chosen[0], of) == o.queue(x.chosen[1], of) {
				continue // one is behind the other
			}
			if x.next < 0 {
				return Error, len(nodes)
			}
			to := &node{base: x.next, queues: map[string][]mail{}}
			for k, q := range n.queues {
				to.queues[k] = slices.Clone(q)
			}
			var serves []string
			for _, m := range x.taken {
				k := o.queue(m, of)
				if to.queues[k][0] != m {
					o.t.Fatalf("rule %s takes what it has not chosen", x.rule)
				}
				if to.queues[k] = to.queues[k][1:]; len(to.queues[k]) == 0 {
					delete(to.queues, k)
				}
				serves = append(serves, k)
			}
			into := map[string]mail{}
			for _, m := range x.added {
				k := o.queue(m, of)
				if y, ok := into[k]; ok && y != m && o.rank[y.kind] == o.rank[m.kind] {
					o.t.Fatalf("%s puts two messages into one queue", x.rule)
				}
				into[k] = m
				to.queues[k] = append(to.queues[k], m)
			}
			if o.capacity > 0 && slices.ContainsFunc(x.added, func(m mail) bool { return len(to.queues[o.queue(m, of)]) > o.capacity }) {
				continue
			}
			if j := add(to); j != i {
				n.next, n.serves = append(n.next, j), append(n.serves, serves)
			}
		}
	}
	// For each queue, the states from which it is served.
	good := make([]map[string]bool, len(nodes))
	for i := range good {
		good[i] = map[string]bool{}
	}
	for again := true; again; {
		again = false
		for i := len(nodes) - 1; i >= 0; i-- {
			for k, j := range nodes[i].next {
				for _, q := range nodes[i].serves[k] {
					if !good[i][q] {
						good[i][q], again = true, true
					}
				}
				for q := range good[j] {
					if !good[i][q] {
						good[i][q], again = true, true
					}
				}
			}
		}
	}
	for i, n := range nodes {
		if len(n.next) == 0 {
			return Deadlock, len(nodes)
		}
		for q := range n.queues {
			if !good[i][q] {
				return Deadlock, len(nodes)
			}
		}
	}
	return Free, len(nodes)
}

// eachAssignment yields all maps of types to n networks.
func eachAssignment(types []string, n int, yield func(of map[string]int)) {
	total := 1
	for range types {
		total *= n
	}
	for code := range total {
		of := map[string]int{}
		for _, t := range types {
			of[t] = code % n
			code /= n
		}
		yield(of)
	}
}
