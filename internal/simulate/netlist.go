package simulate

import (
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/ts"
)

// netlist is a netlist. Its state has a 0 or 1 for each latch. A step has the inputs as they are set, or random ones, as far
// as the constraints allow them.
type netlist struct {
	*task.Wired
	eval           *ts.Evaluator
	inputs, states []word
	set            []int64 // the inputs
	title          string
}

// word is a row of inputs, or of latches, with the names NAME[0], NAME[1] and so on, or one of another name.
type word struct {
	name      string
	at, width int
}

func newNetlist(n *task.Wired, title string) *netlist {
	leaves := n.Sys.Leaves()
	return &netlist{n, ts.NewEvaluator(n.Sys), words(leaves[1]), words(leaves[0]), make([]int64, len(n.Sys.Inputs)), title}
}

func words(leaves []ts.Signal) (all []word) {
	for i, x := range leaves {
		if n := len(all) - 1; n >= 0 && x.Name == fmt.Sprintf("%s[%d]", all[n].name, all[n].width) {
			all[n].width++
		} else {
			all = append(all, word{strings.TrimSuffix(x.Name, "[0]"), i, 1})
		}
	}
	return all
}

func (w word) of(bits []int64) string {
	v := new(big.Int)
	for i, b := range bits[w.at:][:w.width] {
		v.SetBit(v, i, uint(b))
	}
	if w.width == 1 {
		return v.String()
	}
	return fmt.Sprintf("%d'h%x", w.width, v)
}

func bools(bits []int64) []bool { return lists.Map(bits, func(b int64) bool { return b == 1 }) }

func bits(of []bool) []int64 {
	return lists.Map(of, func(b bool) int64 { return map[bool]int64{true: 1}[b] })
}

// fire makes a step with some inputs; ok is false if a constraint fails.
func (ne *netlist) fire(run []step, inputs []int64) (q step, ok bool) {
	q.Params = slices.Clone(inputs)
	if len(run) == 0 {
		q.State = bits(ne.eval.Reset(bools(inputs)))
		return q, true
	}
	ne.eval.Set(bools(last(run).State), bools(inputs))
	q.State = bits(ne.eval.Next())
	return q, ne.eval.Constraints()
}

// Steps at random: how many are offered, and how many are tried for each, as constraints may fail.
const (
	fewSteps  = 3
	manyTries = 200
)

func (ne *netlist) next(run []step, rng *rand.Rand) (all []step) {
	inputs := slices.Clone(ne.set)
	if len(run) == 0 {
		inputs = make([]int64, len(ne.Sys.Init))
	}
	add := func() (ok bool) {
		q, ok := ne.fire(run, inputs)
		if ok && !slices.ContainsFunc(all, func(o step) bool { return o.Equal(q.Choice) }) {
			all = append(all, q)
		}
		return ok
	}
	add()
	for range fewSteps {
		for ok, tries := false, 0; !ok && tries < manyTries; tries++ {
			for i := range inputs {
				inputs[i] = int64(rng.IntN(2))
			}
			ok = add()
		}
	}
	return all
}

func (ne *netlist) describe(run []step) Move {
	q, m := last(run), Move{Name: "reset"}
	if q.Rule < 0 {
		m.Name = anyState
	}
	if len(run) > 1 {
		var given []string
		for _, w := range ne.inputs {
			if v := w.of(q.Params); slices.Contains(q.Params[w.at:][:w.width], 1) {
				given = append(given, w.name+"="+v)
			}
		}
		if m.Name = strings.Join(given, " "); given == nil {
			m.Name = "all inputs 0"
		}
	}
	for _, w := range ne.states {
		v := w.of(q.State)
		if len(run) == 1 && slices.Contains(q.State[w.at:][:w.width], 1) {
			m.Changes = append(m.Changes, w.name+" = "+v)
		} else if len(run) > 1 && w.of(run[len(run)-2].State) != v {
			m.Changes = append(m.Changes, w.name+": "+w.of(run[len(run)-2].State)+" -> "+v)
		}
	}
	return m
}

// lines lists the states, and then what follows from the inputs as they are set.
func (ne *netlist) lines(run []step) []string {
	if all, err := ne.Lines(ne.path(run)); err == nil && run[0].Rule >= 0 {
		return all
	}
	return lists.Map(ne.states, func(w word) string { return w.name + " = " + w.of(last(run).State) })
}

// props says which bads hold with the inputs as they are set, if these meet the constraints.
func (ne *netlist) props(run []step) (all []Prop) {
	ne.eval.Set(bools(last(run).State), bools(ne.set))
	for i, b := range ne.Sys.Bads {
		says := kept
		if !ne.eval.Constraints() {
			says = "a constraint fails with the inputs as they are set"
		} else if ne.eval.Value(b.Lit) {
			says = violated
		}
		if b.Name == "" {
			b.Name = fmt.Sprint("bad ", i)
		}
		all = append(all, Prop{b.Name, "bad", says})
	}
	return all
}

// setInput sets an input.
func (ne *netlist) setInput(name, text string) error {
	i := slices.IndexFunc(ne.inputs, func(w word) bool { return w.name == name })
	if i < 0 {
		return fmt.Errorf("%s: there is no such input%s", name, front.DidYouMean(name, lists.Map(ne.inputs, func(w word) string { return w.name })))
	}
	w := ne.inputs[i]
	v, ok := new(big.Int).SetString(text, 0)
	if _, hex, verilog := strings.Cut(text, "'h"); verilog {
		v, ok = new(big.Int).SetString(hex, 16)
	}
	if !ok || v.Sign() < 0 || v.BitLen() > w.width {
		return fmt.Errorf("%s: want a number of %s, such as 1 or 0x1f", text, task.Plural(w.width, "bit"))
	}
	for i := range w.width {
		ne.set[w.at+i] = int64(v.Bit(i))
	}
	return nil
}

// path returns the frames of a run, the last one with the inputs as they are set.
func (ne *netlist) path(run []step) *ts.Trace {
	inputs := lists.Map(run[1:], func(q step) []bool { return bools(q.Params) })
	return &ts.Trace{Init: bools(run[0].Params), Inputs: append(inputs, bools(ne.set))}
}

func (ne *netlist) view(run []step) (*trace.View, error) {
	if run[0].Rule >= 0 {
		return ne.View(ne.path(run))
	}
	var all []trace.Signal // without wires, which are those of a run from a reset
	add := func(words []word, input bool, rows [][]int64) {
		for _, w := range words {
			all = append(all, trace.Signal{Name: w.name, Input: input, Values: lists.Map(rows, w.of)})
		}
	}
	add(ne.inputs, true, append(lists.Map(run[1:], func(q step) []int64 { return q.Params }), ne.set))
	add(ne.states, false, lists.Map(run, func(q step) []int64 { return q.State }))
	v := trace.OfPath(trace.View{Title: ne.title, Kind: "run"}, all, -1)
	v.Free = true
	return v, nil
}

func (ne *netlist) save(run []step) (func(io.Writer) error, error) {
	if run[0].Rule < 0 {
		return nil, errAny
	}
	bad := slices.IndexFunc(ne.props(run), func(p Prop) bool { return p.Says == violated })
	return func(w io.Writer) error { return ne.Write(w, ne.path(run), bad) }, nil
}

var (
	inputsLine = regexp.MustCompile(`^(step \d+|at last): (?:no input is 1|1 are the inputs (.*))$`)
	latchLine  = regexp.MustCompile(`^  (.*?)(?: =|: ([01]) ->) ([01])$`)
)

// induction reads the first counterexample to induction that induct prints; nil: the text has none.
func (ne *netlist) induction(file string, data []byte) (run []step, err error) {
	leaves := ne.Sys.Leaves()
	for n, line := range strings.Split(string(data), "\n") {
		put := func(leaves []ts.Signal, of []int64, name, old, new string) {
			i := slices.IndexFunc(leaves, func(l ts.Signal) bool { return l.Name == name })
			if i < 0 || old != "" && of[i] != int64(new[0]-'0') {
				err = fmt.Errorf("%s:%d:1: %s is not %s here", file, n+1, name, new)
			} else {
				of[i] = int64(new[0] - '0')
			}
		}
		latch, given := latchLine.FindStringSubmatch(line), inputsLine.FindStringSubmatch(line)
		switch {
		case line == "a state as after the reset state, but for":
			q, _ := ne.fire(nil, make([]int64, len(ne.Sys.Init)))
			q.Rule = -1
			run = []step{q}
		case run == nil:
		case strings.HasPrefix(line, "violated: "):
			return run, nil
		case latch != nil:
			put(leaves[0], last(run).State, latch[1], latch[2], latch[3])
		case given != nil:
			inputs := make([]int64, len(ne.set))
			for _, name := range strings.Split(given[2], ", ") {
				if name != "" {
					put(leaves[1], inputs, name, "", "1")
				}
			}
			if q, ok := ne.fire(run, inputs); given[1] == "at last" {
				ne.set = inputs
			} else if run = append(run, q); !ok {
				err = fmt.Errorf("%s:%d:1: a constraint fails", file, n+1)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return run, nil
}

func (ne *netlist) read(file string, data []byte) (run []step, loop int, err error) {
	if run, err = ne.induction(file, data); run != nil || err != nil {
		return run, -1, err
	}
	t, loop, err := ne.Read(file, data)
	if err != nil && t != nil { // it is read, but no lasso
		err = fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		return nil, 0, err
	}
	q, _ := ne.fire(nil, bits(t.Init))
	run = []step{q}
	for k := 0; k < len(t.Inputs)-1; k++ {
		q, ok := ne.fire(run, bits(t.Inputs[k]))
		if !ok {
			return nil, 0, fmt.Errorf("%s: a constraint fails in frame %d", file, k)
		}
		run = append(run, q)
	}
	if len(t.Inputs) > 0 { // of the frame in which the bad holds
		ne.set = bits(t.Inputs[len(t.Inputs)-1])
	}
	return run, loop, nil
}
