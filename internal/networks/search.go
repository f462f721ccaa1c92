package networks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// Source is a model, and how its states are searched.
type Source struct {
	// Read reads the model anew: it may be changed.
	Read func() (*model.Model, error)

	// Search visits the states of the model that change makes of one that was read, until one of the properties that it
	// returns is violated.
	Search func(ctx context.Context, change Change) (*Search, error)

	Progress func(what string) // nil is silent
	Stopped  func() string     // why the context has ended

	variant variant
}

// Change changes a model, and returns the properties to be searched for violations.
type Change func(*model.Model) (props []int, err error)

// Search is what a search has found.
type Search struct {
	Program *model.Program
	Trace   *model.Trace // to a violation; nil: there is none
	States  interface {  // all there are, or one of each orbit; nil: the search did not end
		Len() int64
		Member(i int64) []byte
	}
	Stopped string // why it did not
}

// Verdict is what an assignment of types to networks is.
type Verdict string

// Verdicts.
const (
	Free      Verdict = "free"      // no deadlock, overflow or error is reachable
	Deadlock  Verdict = "deadlock"  // a message is never consumed, or no rule leads to another state
	Overflow  Verdict = "overflow"  // more messages are in a queue, or in the multiset of the model, than there is room for
	Error     Verdict = "error"     // of the model, such as a message that it does not expect
	Undecided Verdict = "undecided" // the search did not end, or a queue is served for ever and never empty
)

// Witness is a run to a deadlock, an overflow or an error.
type Witness struct {
	Verdict Verdict    `json:"verdict" enum:"deadlock overflow error"`
	Groups  [][]string `json:"groups"`  // of types, one for each network
	Merged  [][]string `json:"merged"`  // those of at least two types
	Minimal bool       `json:"minimal"` // each assignment that divides one of its networks in two is free
	Depth   int        `json:"depth"`
	Steps   []string   `json:"steps"`             // rule instances
	Waiting []string   `json:"waiting,omitempty"` // messages that are never consumed, at the front of their queues
	Message string     `json:"message,omitempty"` // of the error

	of     []int
	trace  *model.Trace
	code   *code
	images []string // of the states, the first included
}

// Trace returns the run and the program that replays it.
func (w *Witness) Trace() (*model.Program, *model.Trace) { return w.code.program, w.trace }

// Level is what is known of a number of networks.
type Level struct {
	Networks    int             `json:"networks"`
	Assignments int             `json:"assignments"` // up to the order of networks, unless the model reads it
	Searched    int             `json:"searched"`    // the others are excluded, each by a witness that replays under it
	Verdicts    map[Verdict]int `json:"verdicts"`    // how many assignments have it
	Left        int             `json:"left"`        // not looked at
}

// Result is the least number of networks.
type Result struct {
	Model string `json:"model"`
	Spec
	Guessed bool       `json:"guessed"`
	Types   []string   `json:"types"` // that are sent
	Apart   Verdict    `json:"apart"` // verdict if each type has a network of its own; "" if there cannot be so many
	Levels  []*Level   `json:"levels"`
	Least   int        `json:"least"` // 0: none was found
	Groups  [][]string `json:"groups,omitempty"`
	Longest int        `json:"longest"`          // most messages in a queue, in what was searched completely and in witnesses
	Looking []string   `json:"looking"`          // rules that count messages, also those behind others in their queues
	Merges  []*Witness `json:"merges"`           // bad merges, and witnesses of overflows and errors
	States  int64      `json:"states"`           // visited for the assignment
	Queues  string     `json:"queues,omitempty"` // of arrays of queues: in how many states they were compared with the model
	Stopped string     `json:"stopped,omitempty"`
	Open    string     `json:"open,omitempty"`   // an assignment to as many networks, or fewer than Least, that was not decided
	Unsure  []string   `json:"unsure,omitempty"` // pairs that were not decided
	Only    bool       `json:"only"`             // one assignment was decided
}

// decision is the verdict on an assignment.
type decision struct {
	verdict Verdict
	witness *Witness
	found   bool   // by a search of its own
	why     string // it is not decided
	limit   bool   // ... as a limit ended the search
	states  int64
}

type searcher struct {
	ctx       context.Context
	src       Source
	spec      Spec
	types     []int // that are sent
	kind      *model.Type
	labelled  bool // the model may tell networks apart
	most      int  // networks
	codes     map[int]*code
	witnesses []*Witness
	known     map[string]*decision
	longest   int
}

// errMore says that types are sent that were not known.
var errMore = errors.New("more types of messages are sent")

// Options say what is looked for.
type Options struct {
	Most   int        // networks
	Groups [][]string // only this assignment; types that it does not name share one more network
	Pairs  bool       // each merge of two types is decided
}

// Find finds the least number of networks.
func Find(ctx context.Context, src Source, spec Spec, opt Options) (*Result, error) {
	if src.Progress == nil {
		src.Progress = func(string) {}
	}
	m, err := src.Read()
	if err != nil {
		return nil, err
	}
	w, err := rewrite(m, spec, nil, src.variant)
	if err != nil {
		return nil, err
	}
	kind := w.kindType()
	x := &searcher{ctx: ctx, src: src, spec: spec, kind: kind, labelled: spec.VC != "", most: len(kind.Members)}
	if x.labelled && opt.Pairs {
		return nil, fmt.Errorf("--pairs: not with --vc: there may be fewer networks than types")
	}
	if x.labelled {
		x.most = int(w.record.Fields[w.vc].Type.Card())
	}
	sample, err := newSample(src, spec)
	if err != nil {
		return nil, err
	}
	if err := sample.contradiction(); err != nil && spec.Order == "pair" {
		return nil, err
	}
	if len(sample.types) == 0 {
		return nil, fmt.Errorf("%s: no message is in %s in any of the first %d states", m.File, w.net.Name, sampled)
	}
	if x.types = sample.types; src.variant.blind {
		x.types = []int{}
	}
	for {
		x.codes, x.known, x.witnesses, x.longest = map[int]*code{}, map[string]*decision{}, nil, 0
		out, err := x.find(opt)
		if err == nil {
			out.Looking = append([]string{}, w.looking...)
			if q := sample.fifos; q != nil {
				out.Queues = q.compared
			}
		}
		if !errors.Is(err, errMore) {
			return out, err
		}
	}
}

func (se *searcher) find(opt Options) (*Result, error) {
	out := &Result{Spec: se.spec, Types: lists.Map(se.types, se.name), Levels: []*Level{}, Merges: []*Witness{}}
	if out.Only = opt.Groups != nil; out.Only {
		of, err := se.assigned(opt.Groups)
		if err == nil {
			err = se.level(out, slices.Max(of)+1, 1, func(yield func([]int) bool) { yield(of) })
		}
		out.Longest, out.Merges = se.longest, append(out.Merges, se.witnesses...)
		return out, err
	}
	if !se.labelled {
		d, err := se.decide(se.apart())
		if err != nil {
			return nil, err
		}
		out.Apart = d.verdict
		if d.limit {
			out.Stopped = d.why
		}
	}
	for k := 1; k <= min(opt.Most, se.most, len(se.types)) && out.Least == 0 && out.Stopped == ""; k++ {
		all := func(yield func([]int) bool) { se.assignments(k, yield) }
		if err := se.level(out, k, se.number(len(se.types), k), all); err != nil {
			return nil, err
		}
	}
	if out.Least > 0 && !undecided(out.Levels[:out.Least-1]) {
		out.Open = "" // that of as many networks does not matter
	}
	return out, se.finish(out, opt)
}

// level decides assignments to k networks, until one is free.
func (se *searcher) level(out *Result, k, n int, all iter.Seq[[]int]) error {
	l := &Level{Networks: k, Assignments: n, Left: n, Verdicts: map[Verdict]int{}}
	out.Levels = append(out.Levels, l)
	for of := range all {
		l.Left--
		se.src.Progress(fmt.Sprintf("%d networks: %d of %d assignments left, %d witnesses", k, l.Left, n, len(se.witnesses)))
		d, err := se.decide(of)
		if err != nil {
			return err
		}
		if l.Verdicts[d.verdict]++; d.found {
			l.Searched++
		}
		switch d.verdict {
		case Free:
			out.Least, out.Groups, out.States = k, se.groups(of), d.states
			return nil
		case Undecided:
			out.Open = fmt.Sprintf("%s: %s", se.text(of), d.why)
		}
		if d.limit {
			out.Stopped = out.Open
			return nil
		}
	}
	return nil
}

// number is how many assignments of n types to k networks there are.
func (se *searcher) number(n, k int) int {
	switch {
	case n == k && k == 0:
		return 1
	case n < k || k == 0:
		return 0
	}
	if se.labelled {
		return k * (se.number(n-1, k) + se.number(n-1, k-1))
	}
	return k*se.number(n-1, k) + se.number(n-1, k-1)
}

// assigned is the assignment that Options.Groups says.
func (se *searcher) assigned(groups [][]string) ([]int, error) {
	of := slices.Repeat([]int{-1}, len(se.kind.Members))
	for n, g := range groups {
		if len(g) == 0 {
			return nil, fmt.Errorf("--assign: network %d has no types", n+1)
		}
		for _, name := range g {
			k := slices.Index(se.kind.Members, name)
			switch {
			case k < 0:
				return nil, fmt.Errorf("--assign: %v has no value %s%s", se.kind, name, front.DidYouMean(name, se.kind.Members))
			case of[k] >= 0:
				return nil, fmt.Errorf("--assign: %s is assigned twice", name)
			}
			of[k] = n
		}
	}
	for k := range of {
		switch {
		case of[k] < 0 && slices.Contains(se.types, k):
			of[k] = len(groups)
		case of[k] < 0:
			of[k] = 0
		}
	}
	return of, nil
}

// pairs returns a witness for each bad merge of two types.
func (se *searcher) pairs(out *Result) (bad []*Witness, err error) {
	for i, a := range se.types {
		for _, b := range se.types[:i] {
			of := se.apart()
			of[a] = of[b]
			of = se.ordered(of)
			d, err := se.decide(of)
			if err != nil {
				return nil, err
			}
			switch d.verdict {
			case Deadlock:
				w, err := se.under(d.witness, of)
				if err != nil {
					return nil, err
				}
				bad = append(bad, w)
			case Undecided:
				out.Unsure = append(out.Unsure, fmt.Sprintf("%s with %s: %s", se.name(b), se.name(a), d.why))
			}
		}
	}
	return bad, nil
}

// finish adds the bad merges.
func (se *searcher) finish(out *Result, opt Options) error {
	var pairs []*Witness
	if opt.Pairs && out.Stopped == "" {
		var err error
		if pairs, err = se.pairs(out); err != nil {
			return err
		}
	}
	for _, w := range append(pairs, se.witnesses...) {
		se.src.Progress("which merges a deadlock needs")
		w, err := se.minimise(w)
		if err != nil {
			return err
		}
		worse := func(a, b *Witness) bool { // b says what a says
			return a.Verdict == b.Verdict && a.Message == b.Message &&
				(a.Verdict != Deadlock || within(b.of, a.of, se.types)) &&
				(b.Depth <= a.Depth || !within(a.of, b.of, se.types))
		}
		if !slices.ContainsFunc(out.Merges, func(v *Witness) bool { return worse(w, v) }) {
			out.Merges = append(slices.DeleteFunc(out.Merges, func(v *Witness) bool { return worse(v, w) }), w)
		}
	}
	slices.SortStableFunc(out.Merges, func(a, b *Witness) int {
		first := cmp.Or(cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Depth, b.Depth))
		return cmp.Or(first, cmp.Compare(fmt.Sprint(a.Merged), fmt.Sprint(b.Merged)))
	})
	out.Longest = se.longest
	return nil
}

// within reports whether types that share a network in a share one in b.
func within(a, b []int, types []int) bool {
	for _, i := range types {
		for _, j := range types {
			if a[i] == a[j] && b[i] != b[j] {
				return false
			}
		}
	}
	return true
}

func (se *searcher) name(k int) string { return se.kind.Format(int64(k)) }

// groups returns the types of each network.
func (se *searcher) groups(of []int) [][]string {
	out := make([][]string, slices.Max(of)+1)
	for _, k := range se.types {
		out[of[k]] = append(out[of[k]], se.name(k))
	}
	return out
}

func (se *searcher) text(of []int) string {
	return lists.Join(se.groups(of), " / ", func(g []string) string { return strings.Join(g, " ") })
}

// apart is the assignment with a network for each type.
func (se *searcher) apart() []int {
	of := make([]int, len(se.kind.Members))
	for i, k := range se.types {
		of[k] = i
	}
	return of
}

// assignments yields the assignments to k networks, each of them used: up to the order of networks, unless the model may
// tell them apart.
func (se *searcher) assignments(k int, yield func(of []int) bool) {
	of := make([]int, len(se.kind.Members))
	var fill func(i int, used []int) bool
	fill = func(i int, used []int) bool {
		if len(se.types)-i < k-len(used) {
			return true
		}
		if i == len(se.types) {
			return yield(of)
		}
		for n := range k {
			if !se.labelled && n > len(used) {
				break
			}
			if of[se.types[i]] = n; !fill(i+1, lists.With(slices.Clone(used), n)) {
				return false
			}
		}
		return true
	}
	fill(0, nil)
}

// wanted are the properties that are searched for violations.
func wanted(m *model.Model, own int) (props []int) {
	for _, p := range m.Props {
		if p.Index >= own || p.Kind != model.Cover && !p.Kind.Graph() {
			props = append(props, p.Index)
		}
	}
	return props
}

// decide decides an assignment: by a witness that replays under it, or by a search.
func (se *searcher) decide(of []int) (*decision, error) {
	if d := se.known[fmt.Sprint(of)]; d != nil {
		return d, nil
	}
	if se.ctx.Err() != nil {
		return &decision{verdict: Undecided, why: se.src.Stopped(), limit: true}, nil
	}
	for i, w := range se.witnesses {
		d, c, err := se.replays(w, of)
		if err != nil {
			return nil, err
		}
		if d != nil {
			if err := se.note(c, d.States()); err != nil {
				return nil, err
			}
			se.witnesses = slices.Insert(slices.Delete(se.witnesses, i, i+1), 0, w)
			return &decision{verdict: w.Verdict, witness: w}, nil
		}
	}
	d, err := se.search(of)
	if err == nil {
		se.known[fmt.Sprint(of)] = d
	}
	return d, err
}

// search searches the states under an assignment.
func (se *searcher) search(of []int) (*decision, error) {
	of = slices.Clone(of)
	var w *rewriter
	found, err := se.src.Search(se.ctx, func(m *model.Model) (props []int, err error) {
		if w, err = rewrite(m, se.spec, of, se.src.variant); err == nil {
			props = wanted(m, w.mapping)
		}
		return props, err
	})
	if err != nil {
		return nil, err
	}
	if found.Trace == nil && found.States == nil {
		return &decision{verdict: Undecided, why: found.Stopped, found: true, limit: true}, nil
	}
	c := newCode(se.ctx, w, found.Program)
	if found.Trace != nil {
		// To look at a queue again, from which the message was taken, is read as an error.
		if v := found.Trace.Violation; v != nil && (v.Prop == w.mapping || w.fifos != nil && strings.HasSuffix(v.Message, "holds no element")) {
			steps := len(found.Trace.Steps)
			return nil, fmt.Errorf("%s:%v: %s, after %d steps: this is not covered", w.m.File, v.Pos, v.Message, steps)
		}
		if err := se.note(c, found.Trace.States()); err != nil {
			return nil, err
		}
		return se.violated(c, of, found)
	}
	s := make(model.State, found.Program.Model.Leaves())
	for i := range found.States.Len() {
		c.packer.Unpack(found.States.Member(i), s)
		if err := se.note(c, []model.State{s}); err != nil {
			return nil, err
		}
	}
	return &decision{verdict: Free, found: true, states: found.States.Len()}, nil
}

// note looks at types of messages and at how long queues are.
func (se *searcher) note(c *code, states []model.State) error {
	for _, s := range states {
		if s == nil {
			continue
		}
		for _, m := range c.messages(s) {
			se.longest = max(se.longest, m.place+1)
			if k := int(c.kindOf(m)); !slices.Contains(se.types, k) {
				se.types = append(se.types, k)
				slices.Sort(se.types)
				return errMore
			}
		}
	}
	return nil
}

// violated makes a witness of what a search has found.
func (se *searcher) violated(c *code, of []int, found *Search) (*decision, error) {
	t := found.Trace
	p := found.Program.Model.Props[t.Prop]
	w := &Witness{Verdict: Error, of: of, trace: t, code: c}
	switch {
	case p.Kind == model.Deadlock || p.Index > c.mapping && p.Kind == model.Liveness:
		w.Verdict = Deadlock
		waiting, known := c.stuck(t.End(), mostFollowed)
		if p.Kind == model.Liveness && known && len(waiting) == 0 { // perhaps those behind the front are
			var more []model.TraceStep
			if more, known = c.deepen(t.End(), mostFollowed); len(more) > 0 {
				t.Steps = append(slices.Clip(t.Steps), more...)
				if waiting, known = c.stuck(t.End(), mostFollowed); len(waiting) > 0 {
					c.concludes(t, waiting)
				}
			}
		}
		if p.Kind != model.Deadlock && len(waiting) == 0 {
			why := "a queue cannot become empty, though its messages are consumed: that each one is cannot be told"
			if !known {
				why = "a queue cannot become empty; whether its messages are consumed takes more than %d states"
				why = fmt.Sprintf(why, mostFollowed)
			}
			limit := !known && se.ctx.Err() != nil
			if limit {
				why = se.src.Stopped()
			}
			return &decision{verdict: Undecided, found: true, why: why, limit: limit}, nil
		}
		w.Waiting = lists.Map(waiting, c.text)
		slices.Sort(w.Waiting)
	case p.Index > c.mapping || c.overflows(t.Violation):
		w.Verdict = Overflow
	}
	if se.src.variant.counted && w.Verdict == Overflow {
		w.Verdict = Deadlock
	}
	switch {
	case p.Name == capacityName:
		w.Message = "more than " + plural(se.spec.Capacity, "message") + " in a queue"
	case w.Verdict != Deadlock:
		if w.Message = p.Name; t.Violation != nil {
			w.Message = t.Violation.Message
		}
	}
	if err := se.complete(w); err != nil {
		return nil, err
	}
	se.witnesses = append(se.witnesses, w)
	return &decision{verdict: w.Verdict, witness: w, found: true}, nil
}

// overflows reports whether a violation is that a multiset of the network has no room, or that an assertion counts too many
// messages in it.
func (c *code) overflows(v *model.Violation) bool {
	if v == nil {
		return false
	}
	full := c.program.Model.Props[v.Prop].Kind == model.RuntimeError && strings.HasPrefix(v.Message, "more than")
	return full && slices.Contains(c.insertsAt, v.Pos) || slices.Contains(c.roomAt, v.Pos)
}

// complete adds to a witness what is printed of it.
func (se *searcher) complete(w *Witness) error {
	p := w.code.program
	if err := traces.Replay(p, w.trace); err != nil {
		return fmt.Errorf("networks: internal error: a witness does not replay: %w", err)
	}
	w.Groups = lists.Where(se.groups(w.of), func(g []string) bool { return len(g) > 0 })
	w.Merged = append([][]string{}, lists.Where(w.Groups, func(g []string) bool { return len(g) > 1 })...)
	w.Depth, w.Steps, w.images = w.trace.Depth(p.Model), []string{}, nil
	before := w.trace.StartState
	for _, s := range w.trace.Steps {
		w.Steps = append(w.Steps, p.Model.FormatChoice(s.Choice)+w.code.chosenText(before, s.Choice))
		before = s.State
	}
	for _, s := range w.trace.States() {
		if s != nil {
			w.images = append(w.images, w.code.image(s))
		}
	}
	return nil
}
