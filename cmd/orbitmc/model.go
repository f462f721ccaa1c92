package main

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file is about tasks whose source is a model in the Murphi language.

// modelFlags are what every command takes; they are about models only.
func modelFlags() flagSet {
	return flagSet{"the model", []cli.Flag{
		&cli.StringSliceFlag{Name: "D", Usage: "`NAME=VALUE` set a constant of the model; repeatable"},
		&cli.StringFlag{Name: "dialect", Value: "cmurphi", Usage: "`cmurphi|rumur` the tool whose semantics counts where they differ (default cmurphi)"},
		&cli.StringFlag{Name: "deadlock", Value: "stuttering", Usage: "`SENSE` stuttering: no rule leads to another state (default); stuck: no rule can fire; off. An error in a rule is no deadlock"},
		&cli.IntFlag{Name: "loop-max", Value: model.DefaultLoopMax, Usage: "`N` more iterations of a while loop than this are an error (default 1000)"},
	}}
}

// modelSource is a model and how it was read.
type modelSource struct {
	t       *task
	model   *model.Model // with the classes that were inferred
	options murphi.Options

	defines  []string // the values of constants, as NAME=VALUE
	shrunkTo []string // those among them of a smaller size: see shrunk

	plain     *model.Model // the same as it was read
	inference *detect.Inference
	encode    func(*model.Model) (*encode.Encoding, error)
}

func openModel(t *task, defines []string) (*modelSource, error) {
	c := t.c
	s := &modelSource{t: t, defines: defines, encode: encode.Model, options: murphi.Options{Consts: make(map[string]string)}}
	for _, d := range defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("-D %q: want NAME=VALUE", d)
		}
		s.options.Consts[name] = value
	}
	switch c.String("dialect") {
	case "rumur":
		s.options.Dialect = model.Rumur
	case "cmurphi":
	default:
		return nil, oneOf("dialect", c.String("dialect"), "cmurphi", "rumur")
	}
	switch c.String("deadlock") {
	case "stuck":
		s.options.Deadlock = model.Stuck
	case "off":
		s.options.Deadlock = model.DeadlockOff
	case "stuttering":
	default:
		return nil, oneOf("deadlock", c.String("deadlock"), "stuttering", "stuck", "off")
	}
	if n := c.Int("loop-max"); n <= 0 {
		return nil, fmt.Errorf("--loop-max %d: want a number of iterations, 1 or more", n)
	}
	var err error
	if s.model, err = murphi.ReadFile(t.file, s.options); err != nil {
		return nil, err
	}
	s.model.LoopMax = c.Int("loop-max")
	s.plain = s.model
	switch e := c.String("encoding"); e {
	case "", "plain":
		if t.sym != "auto" {
			break
		}
		fallthrough
	case "inferred":
		s.model, s.inference = detect.Infer(s.plain)
	case "renamed":
		s.model, s.inference = detect.Infer(s.plain)
		if s.model, _, err = detect.Renamings(c.Context, s.model); err != nil {
			return nil, err
		}
		s.encode = encode.Named
	default:
		return nil, oneOf("encoding", e, "plain", "inferred", "renamed")
	}
	return s, nil
}

func (s *modelSource) properties() *mc.Problem { return &mc.Problem{Model: s.model} }

func (s *modelSource) title() string {
	var cs []string
	for _, c := range s.model.Consts {
		cs = append(cs, fmt.Sprintf("%s=%s", c.Name, c.Type.Format(c.Value)))
	}
	if len(cs) == 0 {
		return s.t.file
	}
	return fmt.Sprintf("%s (%s)", s.t.file, strings.Join(cs, ", "))
}

// scalarsets returns those the model declares.
func (s *modelSource) scalarsets() []*model.Type {
	return slices.DeleteFunc(slices.Clone(s.plain.Scalarsets), func(y *model.Type) bool { return y.Slots })
}

func (s *modelSource) declared() int {
	n := 0
	for _, y := range s.scalarsets() {
		n += int(y.Card()) - 1
	}
	return n
}

func (s *modelSource) inferred() int { return s.inference.Generators() }

// symmetric reports whether there is symmetry to look for: for symbolic engines
// what the structure of the encoding shows, if that is asked for; else that of
// the declared scalarsets and the inferred classes, and for symbolic engines that
// of the slots of multisets, which others have no need of.
func (s *modelSource) symmetric(symbolic bool) bool {
	switch s.t.sym {
	case "off":
		return false
	case "detected":
		return symbolic
	}
	return len(s.scalarsets()) > 0 || s.inferred() > 0 || symbolic && len(s.plain.Scalarsets) > 0
}

// analyse encodes the model and verifies its symmetry. Without an encoding there
// is no way to verify symmetry, so none is used. If nothing is left of what was
// inferred the model is encoded as it was read, which is better then.
func (s *modelSource) analyse(ctx context.Context, props []int, symbolic bool) (*analysis, error) {
	t := s.t
	if symbolic && t.sym == "auto" {
		a, err := s.renamed(ctx, props)
		if a != nil || err != nil {
			return a, err
		}
	}
	a, err := s.verified(ctx, s.model, props, symbolic)
	if err != nil || s.inferred() == 0 || t.sym == "off" || a.report != nil && s.inference.Found(s.model, a.report) {
		return a, err
	}
	b, err := s.verified(ctx, s.plain, props, symbolic)
	if err == nil && b.report == nil {
		b.report = a.report // why there is none
	}
	return b, err
}

// Renamings are not tried beyond this many leaves of a model, or AND gates of its
// encoding: each property is looked at on its own.
const (
	manyRenamedLeaves = 2000
	manyRenamed       = 100_000
)

// renamed is analyse for a model with renamings that are verified; nil if there are
// none, or none is.
func (s *modelSource) renamed(ctx context.Context, props []int) (*analysis, error) {
	if s.model.Leaves() > manyRenamedLeaves {
		return nil, nil
	}
	m, renamings, err := detect.Renamings(ctx, s.model)
	if err != nil || len(renamings) == 0 {
		return nil, err
	}
	enc, err := encode.Named(m)
	if err != nil || enc.Sys.NumAnds() > manyRenamed {
		return nil, nil
	}
	var proposals []*ts.Perm
	for _, r := range renamings {
		// The values of classes may be renamed along for no reason.
		for _, values := range []model.ScalarPerm{make(model.ScalarPerm, len(r.Values)), r.Values} {
			own := r
			own.Values = values
			if p, err := enc.Renaming(own); err == nil && !p.IsIdentity() {
				proposals = append(proposals, p)
			}
		}
	}
	if len(proposals) == 0 {
		return nil, nil
	}
	a, err := s.verifiedWith(ctx, m, props, true, enc, proposals)
	if err != nil || a.renamed == 0 {
		return nil, err
	}
	return a, nil
}

// verified is analyse for the model with the inferred classes, or without them.
func (s *modelSource) verified(ctx context.Context, m *model.Model, props []int, symbolic bool) (*analysis, error) {
	return s.verifiedWith(ctx, m, props, symbolic, nil, nil)
}

// verifiedWith is verified for a given encoding of m, and renamings as permutations of
// it; nil: none.
func (s *modelSource) verifiedWith(ctx context.Context, m *model.Model, props []int, symbolic bool, enc *encode.Encoding, renamings []*ts.Perm) (*analysis, error) {
	t := s.t
	symmetric := renamings != nil || s.symmetric(symbolic) && (m == s.model || len(s.scalarsets()) > 0 || symbolic && len(m.Scalarsets) > 0)
	p := &mc.Problem{Model: m, Props: props}
	a := &analysis{problem: p}
	switch {
	case enc != nil:
		p.Enc = enc
	case symbolic || symmetric:
		began := time.Now()
		p.Enc, p.EncErr = s.encode(m)
		a.encodeTime = time.Since(began)
	}
	if p.Enc == nil {
		p.Program = model.Compile(m)
		return a, nil
	}
	p.Program = p.Enc.Program
	switch {
	case !symmetric:
		return a, nil
	case t.sym == "detected":
		if err := a.prove(ctx, t.newSolver); err != nil { // generators are verified under W
			return nil, err
		}
		return a, t.detected(ctx, a, p.Enc.Sys)
	}
	instances := make(map[int][]detect.Instance)
	for prop, insts := range p.Enc.Instances {
		for _, inst := range insts {
			instances[prop] = append(instances[prop], detect.Instance(inst))
		}
	}
	opt := detect.Options{
		NewProver: t.newProver,
		Seed:      t.c.Uint64("seed"),
		Instances: instances,
		Inferred:  s.inference,
		NoSlots:   !symbolic,
	}
	if t.c.Bool("explain") {
		opt.Choosing = p.Enc.Choosing
	}
	var err error
	a.report, err = detect.Declared(ctx, m, p.Enc, p.Enc.Sys, p.Enc.PropBads, opt)
	if err != nil {
		return nil, err
	}
	if renamings != nil {
		if a.renamed, err = detect.AddRenamings(ctx, a.report, p.Enc.Sys, renamings, opt); err != nil {
			return nil, err
		}
	}
	if a.report.VerifiedBySAT > 0 { // those proofs assume W
		if err := a.prove(ctx, t.newSolver); err != nil {
			return nil, err
		}
	}
	p.Groups = a.report.ByProp
	var groups []*ts.Symmetry
	for _, i := range p.Props {
		groups = append(groups, p.Groups[i])
	}
	blocks := detect.CommonBlocks(m, groups)
	for c, class := range blocks {
		if !m.Scalarsets[c].Slots && slices.ContainsFunc(class, func(b []int) bool { return len(b) > 1 }) {
			p.Blocks = blocks
		}
	}
	p.Rings = detect.CommonRings(groups)
	return a, nil
}

// blocks returns the interchangeable values of every scalarset class.
func (s *modelSource) blocks(y *ts.Symmetry) [][][]int { return detect.Blocks(s.t.problem.Model, y) }

// parts lists the types whose values are interchangeable, one by one.
func (s *modelSource) parts() []part {
	if s.t.structures != nil {
		return s.t.detectedParts()
	}
	var all []part
	y := s.t.report.System
	blocks := s.blocks(y)
	for c, typ := range s.t.problem.Model.Scalarsets {
		p := part{Source: "declared", Of: typ.String()}
		if typ.Alike {
			p.Source = "inferred"
		}
		order, groups, perms := big.NewInt(1), []string{}, []*ts.Perm{}
		for _, b := range y.Blocks {
			if b.Class == c {
				p.Of = b.Name // slots have no name of their own
				groups = append(groups, fmt.Sprintf("Sym(%d)", len(b.Elems)))
				order.Mul(order, new(big.Int).MulRange(1, int64(len(b.Elems))))
				perms = append(perms, b.Swaps...)
			}
		}
		for _, g := range y.Groups {
			if g.Class == c {
				groups = append(groups, fmt.Sprintf("%s(%v)", g.Kind, g.Order))
				order.Mul(order, g.Order)
				perms = append(perms, g.Gens...)
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
			var vs []string
			for _, v := range b {
				vs = append(vs, typ.Format(typ.First+int64(v)))
			}
			p.Values = append(p.Values, vs)
		}
		all = append(all, p)
	}
	add := func(name, group string, order *big.Int, perms []*ts.Perm) {
		of, _, _ := strings.Cut(name, ": ")
		p := part{Source: "renamed", Of: of, Group: group, Order: order.String()}
		p.Latches, p.Inputs = moved(perms)
		all = append(all, p)
	}
	for _, b := range y.Blocks {
		if b.Class < 0 {
			add(b.Name, fmt.Sprintf("Sym(%d)", len(b.Elems)), new(big.Int).MulRange(1, int64(len(b.Elems))), b.Swaps)
		}
	}
	for _, g := range y.Groups {
		if g.Class < 0 {
			add(g.Name, fmt.Sprintf("%s(%v)", g.Kind, g.Order), g.Order, g.Gens)
		}
	}
	return all
}

// limits says what keeps values from being interchangeable that were not even
// tried.
func (s *modelSource) limits() []string {
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

// polish renames the actors of each trace in order of first action, where the
// verified group of its property allows it.
func (s *modelSource) polish(r *mc.Result) {
	p := s.t.problem
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Trace == nil || len(p.Groups) == 0 {
			continue
		}
		if u, err := model.RenumberActors(p.Program, pr.Trace, s.blocks(p.Groups[pr.Prop])); err == nil {
			pr.Trace = u // it was replayed
		}
	}
}

// modelStyles are the values of --trace-style, in the order of model.TraceStyle.
var modelStyles = []string{"plain", "cmurphi", "rumur"}

func (s *modelSource) styles() []string { return modelStyles }

func (s *modelSource) saveTrace(w io.Writer, pr *mc.PropResult) error {
	style := slices.Index(modelStyles, s.t.c.String("trace-style"))
	return model.WriteTrace(w, s.model, pr.Trace, model.TraceStyle(style))
}

// writeTrace also says what there is to say of the end of a counterexample to
// liveness.
func (s *modelSource) writeTrace(w io.Writer, pr *mc.PropResult) error {
	err := s.saveTrace(w, pr)
	if err == nil && pr.Status == mc.Unsafe && s.model.Props[pr.Prop].Kind == model.Liveness {
		_, err = fmt.Fprintln(w, "from there no state can be reached in which it holds")
	}
	return err
}

// smaller returns a constant that sets the size of a scalarset, and its value
// less one; "" if there is none.
func (s *modelSource) smaller() (name string, value int64) {
	for class, y := range s.model.Scalarsets {
		for _, c := range s.model.Consts {
			if y.Slots || y.Card() <= 2 || c.Value != y.Card() || c.Type.Kind != model.Integer {
				continue
			}
			opt := s.options
			opt.Consts = map[string]string{c.Name: fmt.Sprint(c.Value - 1)}
			for k, v := range s.options.Consts {
				if k != c.Name {
					opt.Consts[k] = v
				}
			}
			m, err := murphi.ReadFile(s.t.file, opt)
			if err == nil && len(m.Scalarsets) == len(s.model.Scalarsets) && m.Scalarsets[class].Card() == y.Card()-1 {
				return c.Name, c.Value - 1
			}
		}
	}
	return "", 0
}

func (s *modelSource) ways(r *mc.Result) []string {
	t := s.t
	name := t.c.Command.Name
	var ways []string
	if name == "bmc" || t.c.IsSet("k") {
		ways = append(ways, fmt.Sprintf("`%s` proves it if the states are few enough", t.again("explore")))
	}
	if c, v := s.smaller(); c != "" {
		ways = append(ways, fmt.Sprintf("`%s` tries the same with fewer components", t.again("explore", "-D", fmt.Sprintf("%s=%d", c, v))))
	}
	if strings.Contains(r.Stopped, "limit") && name != "bmc" {
		ways = append(ways, fmt.Sprintf("`%s` with more time or memory", t.again(name)))
	}
	if len(s.scalarsets()) == 0 && s.inferred() == 0 && (t.report == nil || t.report.System.Trivial()) {
		ways = append(ways, "interchangeable components, declared as a scalarset, would be exploited")
	}
	return ways
}

func (s *modelSource) replay(name string, data []byte) (out replayed, err error) {
	p := model.Compile(s.model)
	trace, err := p.ReadTrace(name, data)
	if err != nil {
		return out, err
	}
	return replayed{trace.Prop, trace.Depth(s.model)}, p.Replay(trace)
}

// netlist leaves out covers, which are not bad.
func (s *modelSource) netlist(all bool, props []int) *aiger.File {
	netlist := *s.t.problem.Enc.Sys
	netlist.Bads = slices.DeleteFunc(slices.Clone(netlist.Bads), func(b ts.Bad) bool {
		if all {
			return s.model.Props[b.Prop].Kind == model.Cover
		}
		return !slices.Contains(props, b.Prop)
	})
	f := aiger.FromSystem(&netlist)
	f.Comments = []string{s.title()}
	return f
}
