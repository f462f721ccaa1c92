package task

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/infer"
	"orbitmc/detect/rename"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/internal/counters"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
	"orbitmc/ts"
)

// This file is the front end of Murphi models.

// modelSource is a model and how it was read.
type modelSource struct {
	t       *Task
	model   *model.Model // with the classes that were inferred
	options murphi.Options

	plain     *model.Model // the same as it was read
	inference *infer.Result
	counted   *counters.Translation // in place of both models is one that counts components; nil: it is not
	typing    *mc.Typing            // of all problems of the task
	encode    func(context.Context, *model.Model) (*encode.Encoding, error)
	reference mc.Reference // what the model was made of; nil: the file is a model
	steps     int64        // in place of symmetrySteps, if not 0
	thorough  *pace.Limit  // of the last part of the work of `detect`
}

func openModel(ctx context.Context, t *Task) (Source, error) {
	s := &modelSource{t: t, typing: new(mc.Typing), encode: encode.Model}
	var err error
	if s.options, err = ModelOptions(t.Options); err != nil {
		return nil, err
	}
	if s.model, err = murphi.ReadFile(t.File, s.options); err != nil {
		return nil, err
	}
	s.model.LoopMax = t.LoopMax
	if t.Change != nil {
		if err := t.Change(s.model); err != nil {
			return nil, err
		}
	}
	if len(t.Formulas) > 0 {
		return openFormulas(t, s.model, nil, s.Title())
	}
	return s, s.infer(ctx)
}

// infer finds the classes of the model, if that is wanted.
func (s *modelSource) infer(ctx context.Context) (err error) {
	t := s.t
	s.plain = s.model
	if counting, cut := Counting(t.Abstract); counting {
		return s.count(cut)
	}
	switch t.Encoding {
	case "", "plain":
		if t.Symmetry != "auto" {
			break
		}
		fallthrough
	case "inferred":
		s.model, s.inference = infer.Classes(s.plain)
	case "strict":
		s.encode = encodeStrict
	case "inferred-strict":
		s.model, s.inference = infer.Classes(s.plain)
		s.encode = encodeStrict
	case "renamed":
		s.model, s.inference = infer.Classes(s.plain)
		if s.model, _, err = rename.Find(ctx, s.model); err != nil {
			return err
		}
		s.encode = encode.Named
	}
	return nil
}

// Counted returns a model that counts components of m, see counters.Any.
func Counted(m *model.Model, cut int) (*counters.Translation, error) {
	m, inf := infer.Large(m, counters.Most)
	return counters.Any(m, func(c *model.Type) []int {
		k, _ := inf.Of(c)
		return slices.MaxFunc(append(k.Values, nil), func(a, b []int) int { return len(a) - len(b) })
	}, cut)
}

// count replaces the model by one that counts components.
func (s *modelSource) count(cut int) (err error) {
	s.counted, err = Counted(s.plain, cut)
	if err == nil && s.counted.Cut > 0 && s.counted.Model.Deadlock == model.Stuttering {
		return fmt.Errorf("--abstract counters:%d does not tell whether a step leads to another state, so it goes with --deadlock stuck or off", cut)
	}
	if err == nil {
		s.plain = s.counted.Model
		s.model = s.plain
	}
	return err
}

func (s *modelSource) properties() *mc.Problem { return s.problem(s.model, nil) }

// problem returns a problem without symmetry or encoding.
func (s *modelSource) problem(m *model.Model, props []int) *mc.Problem {
	return &mc.Problem{OfModel: mc.OfModel{Model: m, Counters: s.counted, Typing: s.typing, Reference: s.reference}, Props: props}
}

// shown returns the model that traces are about.
func (s *modelSource) shown() *model.Model {
	if s.counted != nil {
		return s.counted.Concrete
	}
	return s.model
}

func (s *modelSource) Title() string {
	cs := lists.Map(s.model.Consts, func(c model.Const) string { return fmt.Sprintf("%s=%s", c.Name, c.Type.Format(c.Value)) })
	if len(cs) == 0 {
		return s.t.File
	}
	return fmt.Sprintf("%s (%s)", s.t.File, strings.Join(cs, ", "))
}

// scalarsets returns those the model declares.
func (s *modelSource) scalarsets() []*model.Type {
	return slices.DeleteFunc(slices.Clone(s.plain.Scalarsets), func(y *model.Type) bool { return y.Slots })
}

func (s *modelSource) Declared() int {
	return lists.Sum(s.scalarsets(), func(y *model.Type) int { return int(y.Card()) - 1 })
}

func (s *modelSource) Inferred() int { return s.inference.Generators() }

// symmetric reports whether any symmetry can be proposed. With --sym detected it comes from the
// structure of the encoding, for symbolic engines only. Otherwise it comes from declared
// scalarsets, inferred classes and, for symbolic engines only, slots of multisets.
func (s *modelSource) symmetric(symbolic bool) bool {
	switch s.t.Symmetry {
	case "off":
		return false
	case "detected":
		return symbolic
	}
	return s.Declared() > 0 || s.Inferred() > 0 || symbolic && len(s.plain.Scalarsets) > 0
}

// analyse encodes the model and verifies its symmetry. For explicit search, which needs no
// encoding, that takes at most a fourth of the time that is left, and symmetrySteps; then the
// symmetry is used that was verified, or that typing shows.
func (s *modelSource) analyse(ctx context.Context, props []int, symbolic bool, early func(*mc.Problem)) (*Analysis, error) {
	if s.counted == nil && (s.t.Adaptive == "auto" || s.t.Adaptive == "always") && !symbolic && s.t.Symmetry != "off" {
		return s.adaptive(ctx, props)
	}
	deadline, ok := ctx.Deadline()
	if !symbolic && (s.t.TextOnly || slices.ContainsFunc(props, func(p int) bool { return s.model.Props[p].Kind == model.Branching })) {
		return s.byText(props, ""), nil
	}
	if symbolic || s.t.Thorough || !ok {
		return s.encoded(ctx, props, symbolic, early)
	}
	limited, cancel := context.WithTimeout(ctx, time.Until(deadline)/4)
	defer cancel()
	a, err := Within(limited, func() (*Analysis, error) { return s.encoded(limited, props, false, nil) })
	if !CutShort(limited, err) || ctx.Err() != nil {
		return a, err
	}
	return s.byText(props, "its verification was stopped by its time limit"), nil
}

// blocks returns the interchangeable values of every scalarset class.
func (s *modelSource) blocks(y *ts.Symmetry) [][][]int { return detect.Blocks(s.t.Problem.Model, y) }

// parts lists the types whose values are interchangeable, one by one.
func (s *modelSource) Parts() []Part {
	if s.t.Structures != nil {
		return s.t.detectedParts()
	}
	var all []Part
	y := s.t.Report.System
	blocks := s.blocks(y)
	factors := factorsOf(y)
	for c, typ := range s.t.Problem.Model.Scalarsets {
		p := Part{Source: "declared", Of: typ.String()}
		if typ.Alike {
			p.Source = "inferred"
		}
		order, groups, perms := big.NewInt(1), []string{}, []*ts.Perm{}
		for _, f := range factors {
			if f.class == c {
				if f.block {
					p.Of = f.name // slots have no name of their own
				}
				groups = append(groups, f.group)
				order.Mul(order, f.order)
				perms = append(perms, f.perms...)
			}
		}
		if len(groups) == 0 && (typ.Slots || c >= len(s.model.Scalarsets)) {
			continue // an enum that only renamings move
		}
		p.Group, p.Order = "none", order.String()
		if len(groups) > 0 {
			p.Group = strings.Join(groups, " x ")
		}
		p.Latches, p.Inputs = moved(perms)
		for _, b := range blocks[c] {
			vs := lists.Map(b, func(v int) string { return typ.Format(typ.First + int64(v)) })
			p.Values = append(p.Values, vs)
		}
		all = append(all, p)
	}
	for _, f := range factors {
		if f.class < 0 {
			of, _, _ := strings.Cut(f.name, ": ")
			p := Part{Source: "renamed", Of: of, Group: f.group, Order: f.order.String()}
			p.Latches, p.Inputs = moved(f.perms)
			all = append(all, p)
		}
	}
	return all
}

// factor is a block or a group of the symmetry of a system.
type factor struct {
	block bool
	class int
	name  string
	group string // as text
	order *big.Int
	perms []*ts.Perm
}

func factorsOf(y *ts.Symmetry) (all []factor) {
	for _, b := range y.Blocks {
		n := len(b.Elems)
		all = append(all, factor{true, b.Class, b.Name, fmt.Sprintf("Sym(%d)", n), new(big.Int).MulRange(1, int64(n)), b.Swaps})
	}
	for _, g := range y.Groups {
		all = append(all, factor{false, g.Class, g.Name, fmt.Sprintf("%s(%v)", g.Kind, g.Order), g.Order, g.Gens})
	}
	return all
}

// limits says what keeps values from being interchangeable that were not even
// tried.
func (s *modelSource) Limits() []string {
	var all []string
	if s.inference != nil {
		for _, c := range s.inference.Classes {
			for _, limit := range c.Limits {
				all = append(all, fmt.Sprintf("not all of %s is interchangeable: %s", c.Name, limit))
			}
		}
	}
	return all
}

// Polish renames the actors of each trace in order of first action, where the
// verified group of its property allows it. What is said of a formula names actors.
func (s *modelSource) Polish(r *mc.Result) {
	p := s.t.Problem
	for i := range r.Props {
		pr := &r.Props[i]
		blocks := p.Blocks
		switch {
		case pr.Trace == nil || p.Program == nil || s.counted != nil || p.Kind(pr.Prop) == model.Branching:
			continue
		case !p.Typed && len(p.Groups) > 0:
			blocks = s.blocks(p.Groups[pr.Prop])
		}
		if blocks == nil {
			continue
		}
		if u, err := traces.RenumberActors(p.Program, pr.Trace, blocks); err == nil {
			pr.Trace = u // it was replayed
		}
	}
}

// modelStyles are the ways to write a trace, in the order of model.TraceStyle.
var modelStyles = []string{"plain", "cmurphi", "rumur", "last", "full"}

// modelStyle returns the style of a name, ours if that is none.
func modelStyle(name string) traces.Style {
	return traces.Style(max(0, slices.Index(modelStyles, name)))
}

// Notes says what is counted, and which formulas of the file were not asked for.
func (s *modelSource) Notes(*mc.Result) (all []string) {
	if s.counted != nil {
		all = append(all, "counters: "+s.counted.Summary())
	}
	if s.t.Language(s.t.File) == "Murphi" && !s.t.NoLTL {
		for _, x := range murphi.Noted(s.t.Contents) {
			if kind, name := x[0], x[1]; !slices.Contains(s.t.Trees, name) {
				all = append(all, fmt.Sprintf("not checked: %s %s; --%s %s decides it", kind, name, kind, name))
			}
		}
	}
	return all
}

// SaveTrace implements Source.
func (s *modelSource) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	return traces.Write(w, s.shown(), pr.Trace, modelStyle(style))
}

// WriteTrace also says what there is to say of the end of a counterexample to
// liveness.
func (s *modelSource) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	err := s.SaveTrace(w, pr, style)
	if err == nil {
		err = traces.WriteBranches(w, s.shown(), pr.Trace)
	}
	if err == nil && pr.Status == mc.Unsafe && s.model.Props[pr.Prop].Kind == model.Liveness && (pr.Trace.Violation == nil || pr.Trace.Violation.Also == nil) {
		_, err = fmt.Fprintln(w, unreachable)
	}
	return err
}

// unreachable is what there is to say of the end of a counterexample to liveness.
const unreachable = "from there no state can be reached in which it holds"

// Program implements Source.
func (s *modelSource) Program() *prog.Program { return nil }

// View implements Source.
func (s *modelSource) View(pr *mc.PropResult) (*trace.View, error) {
	return s.view(pr.Trace, pr.Engine), nil
}

func (s *modelSource) view(t *model.Trace, engine string) *trace.View {
	return trace.OfModel(s.shown(), t, s.source(t, engine))
}

// source returns what a view of a trace needs besides the model. A file that is gone is not shown.
func (s *modelSource) source(t *model.Trace, engine string) trace.Source {
	text, _ := s.t.Read(s.t.File)
	src := trace.Source{Title: s.t.Title(), Text: text, Engine: engine}
	if engine != "" && s.model.Props[t.Prop].Kind == model.Liveness {
		src.Note = strings.ToUpper(unreachable[:1]) + unreachable[1:] + "."
	}
	return src
}

// BadsOf returns the bads of some properties, ascending, of a system. A property that
// nothing violates, as its bads are constant, has one that is.
func BadsOf(p *mc.Problem, props []int) []ts.Bad {
	var bads []ts.Bad
	for _, q := range props {
		own := p.Bads(q)
		bads = append(bads, lists.Map(own, func(b int) ts.Bad { return p.System().Bads[b] })...)
		if len(own) == 0 {
			bads = append(bads, ts.Bad{Name: p.Name(q), Lit: aig.False, Prop: q})
		}
	}
	return bads
}

// Smaller returns a constant that sets the size of a class, declared or inferred, and its value
// less one; "" if there is none.
func (s *modelSource) Smaller() (name string, value int64) {
	for class, y := range s.model.Scalarsets {
		for _, c := range s.model.Consts {
			if y.Slots || y.Card() <= 2 || c.Value != y.Card() || c.Type.Kind != model.Integer {
				continue
			}
			opt := s.options
			opt.Consts = maps.Clone(opt.Consts)
			if opt.Consts == nil {
				opt.Consts = make(map[string]string)
			}
			opt.Consts[c.Name] = fmt.Sprint(c.Value - 1)
			m, err := murphi.ReadFile(s.t.File, opt)
			if err != nil {
				continue
			}
			if s.inference != nil { // fewer values may be too few for a class
				m, _ = infer.Classes(m)
			}
			if class < len(m.Scalarsets) && m.Scalarsets[class].Name == y.Name && m.Scalarsets[class].Card() == y.Card()-1 {
				return c.Name, c.Value - 1
			}
		}
	}
	return "", 0
}

// Replay implements Source.
func (s *modelSource) Replay(name string, data []byte) (*Replayed, error) {
	p := model.Compile(s.shown())
	t, err := traces.Read(p, name, data, true)
	return replayed(p, t, err, s.view)
}

// replayed replays a trace that was read.
func replayed(p *model.Program, t *model.Trace, err error, view func(t *model.Trace, engine string) *trace.View) (*Replayed, error) {
	if err == nil && t.Prop >= 0 {
		err = traces.Replay(p, t)
	}
	if err != nil {
		return nil, err
	}
	return &Replayed{t.Prop, t.Depth(p.Model), func() (*trace.View, error) { return view(t, ""), nil }}, nil
}

// Netlist leaves out covers, which are not bad, and liveness, which has no bad.
func (s *modelSource) Netlist(all bool, props []int) *aiger.File {
	if all {
		props = slices.DeleteFunc(slices.Clone(props), func(q int) bool {
			k := s.model.Props[q].Kind
			return k == model.Cover || k.Graph()
		})
	}
	netlist := *s.t.Problem.Enc.Sys
	netlist.Bads = BadsOf(s.t.Problem, props)
	f := aiger.FromSystem(&netlist)
	f.Comments = []string{s.Title()}
	return f
}
