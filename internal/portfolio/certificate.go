package portfolio

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file makes certificates of outcomes, and checks them. A certificate names the
// constants and options that its model was read with. The check compares them with those of
// the command line and does not apply them: the user says which model the certificate must
// be about. Two options are applied, the encoding and the properties that a netlist was
// cleaned up for. They decide how the system is written, and nothing about its meaning.

// modelOptions are the options in a certificate of a model: those that decide its meaning,
// and its encoding. A certificate of a netlist has only "prop".
var modelOptions = []string{"D", "dialect", "deadlock", "loop-max", "abstract", "encoding", "ltl", "fair"}

// Certificate returns the proofs of an outcome with the options of their task. It has no
// proofs if nothing was proved by induction.
func Certificate(t *task.Task, out *Outcome) *certfile.Certificate {
	var results []*mc.Result
	if out.Problem != nil && !t.Remodelled() {
		results = slices.DeleteFunc(slices.Clone(out.Each), func(r *mc.Result) bool { // they may be about another system
			p := out.about[r]
			return p != nil && p.System() != out.Problem.System()
		})
	}
	cert := certfile.New(results...)
	add := func(option, value string) { cert.Options = append(cert.Options, [2]string{option, value}) }
	for _, o := range t.Given() {
		add(o[0], o[1])
	}
	if out.Problem == nil {
		return cert
	}
	if out.Problem.Cleaned != nil {
		for _, name := range t.Props {
			add("prop", name)
		}
	}
	if e := Encoding(out.Problem); e != "plain" {
		add("encoding", e)
	}
	return cert
}

// Encoding returns the value of task.Options.Encoding for which a problem is encoded as
// it is.
func Encoding(p *mc.Problem) string {
	inferred := p.Model != nil && slices.ContainsFunc(p.Model.Scalarsets, func(y *model.Type) bool { return y.Alike })
	switch {
	case p.Enc != nil && p.Enc.RulesNamed:
		return "renamed"
	case inferred && strict(p):
		return "inferred-strict"
	case strict(p):
		return "strict"
	case inferred:
		return "inferred"
	}
	return "plain"
}

// Certification is the result of the check of a certificate.
type Certification struct {
	Model      string            `json:"model"`
	Cert       string            `json:"certificate"`
	Accepted   bool              `json:"accepted"`
	Constants  map[string]string `json:"constants,omitempty"`  // of the model, as it was read
	Options    map[string]string `json:"options,omitempty"`    // that the model was read with
	Properties []string          `json:"properties,omitempty"` // proved
	Open       []string          `json:"open,omitempty"`       // the others
	Add        []string          `json:"add,omitempty"`        // options with which the model is that of the certificate
	Reason     string            `json:"reason,omitempty"`     // why it is rejected
	Stopped    string            `json:"stopped,omitempty"`    // why it is not decided

	Title string   `json:"-"` // the file, with its constants
	How   []string `json:"-"` // each proof was checked
	Holds []string `json:"-"` // a line for each property that is proved
}

// Certify reads a model and a certificate, and checks the certificate. If ctx ends first, Stopped
// says so. The error is about the model.
func Certify(ctx context.Context, file, certificate string, opt task.Options) (*Certification, error) {
	out, err := task.Within(ctx, func() (*Certification, error) {
		out := &Certification{Model: file, Cert: certificate}
		return out, out.check(ctx, opt)
	})
	if err != nil && ctx.Err() != nil {
		return &Certification{Model: file, Cert: certificate, Stopped: mc.StopReason(ctx)}, nil
	}
	return out, err
}

// reject records why a certificate is not accepted.
func (ce *Certification) reject(format string, args ...any) error {
	ce.Reason = fmt.Sprintf(format, args...)
	return nil
}

func (ce *Certification) check(ctx context.Context, opt task.Options) error {
	if opt.Files == nil {
		opt.Files = task.NewFiles(ctx)
	}
	src, err := opt.Files.Read(ce.Cert)
	if err != nil {
		return err
	}
	options, err := certfile.Options(ce.Cert, src)
	if err != nil {
		return ce.reject("%v", err)
	}
	ownProps := len(opt.Props) == 0 // those of the certificate
	if reason := ce.adopt(&opt, options); reason != "" {
		return ce.reject("%s", reason)
	}
	opt.Symmetry = "off"
	props := opt.Props
	if ownProps { // a name that the netlist lacks is a fault of the certificate
		opt.Props = nil
	}
	t, err := task.Open(ctx, ce.Model, opt)
	if err != nil {
		return err
	}
	ce.Title = t.Title()
	if t.Problem.Model != nil {
		if same, err := ce.compare(t, options); !same {
			return err
		}
	} else if t.Language(t.File) == "Verilog" && !ce.sameDesign(t, options) {
		return nil
	}
	if ownProps {
		if err := t.Select(props); err != nil {
			return ce.reject("%s: option prop: %v", ce.Cert, err)
		}
	}
	if err := t.Prepare(ctx, true); err != nil {
		return err
	}
	p := t.Problem
	if p.System() == nil {
		return p.EncErr
	}
	p.WellFormed = false // to be checked along
	cert, err := certfile.Read(ce.Cert, src, p)
	if err != nil {
		return ce.reject("%v", err)
	}
	proved, how, err := cert.Check(certify.New(ctx, p))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return ce.reject("%v", err)
	}
	if p.Counters != nil {
		proved = slices.DeleteFunc(proved, func(q int) bool { return !p.Counters.Proves(p.Model.Props[q]) })
	}
	for q := range p.NumProps() {
		if t.Room(q) && !slices.Contains(proved, q) {
			return ce.reject("it does not prove %q, so what it proves need not hold of the program", p.Name(q))
		}
	}
	ce.Accepted, ce.How = true, how
	if p.Counters != nil {
		how, err := certify.Counters(ctx, p.Counters)
		if err != nil {
			return err
		}
		ce.How = append(ce.How, how)
	}
	for q := range p.NumProps() {
		if !slices.Contains(proved, q) {
			ce.Open = append(ce.Open, p.Name(q))
			continue
		}
		ce.Properties = append(ce.Properties, p.Name(q))
		what := "holds"
		if mc.BySearch(p.Kind(q)) == mc.Unsafe {
			what = "is never covered"
		}
		ce.Holds = append(ce.Holds, fmt.Sprintf("%v %q %s", p.Kind(q), p.Name(q), what))
	}
	return nil
}

// adopt takes from the options of a certificate how the system is written, unless opt
// says it, and returns what is wrong with one of them, "" if nothing is.
func (ce *Certification) adopt(opt *task.Options, options [][2]string) (reason string) {
	known := modelOptions
	if opt.IsNetlist(ce.Model) {
		known = []string{"prop"}
		if opt.Language(ce.Model) == "Verilog" {
			known = []string{"prop", "D", "top"}
		}
	} else if len(opt.Formulas) > 0 {
		known = append(slices.Clone(known), "prop")
	}
	encoding, props := opt.Encoding == "", len(opt.Props) == 0
	for i, o := range options {
		name, value := o[0], o[1]
		at := fmt.Sprintf("%s:%d:8", ce.Cert, i+2)
		switch among := task.Choices(name); {
		case !slices.Contains(known, name):
			return fmt.Sprintf("%s: %s has no option %s", at, ce.Model, name)
		case among != nil && task.OneOf(name, value, among...) != nil:
			return fmt.Sprintf("%s: %v", at, task.OneOf(name, value, among...))
		case name == "ltl" && !slices.Contains(opt.Formulas, value), name == "fair" && !slices.Contains(opt.Fair, value):
			return fmt.Sprintf("%s: the certificate is about --%s %q", at, name, value)
		case name == "encoding" && encoding:
			opt.Encoding = value
		case name == "prop" && props:
			opt.Props = append(opt.Props, value)
		}
	}
	return ""
}

// sameDesign compares the macros and the top module of Verilog in the same way.
func (ce *Certification) sameDesign(t *task.Task, options [][2]string) bool {
	decides := func(o [2]string) bool { return o[0] == "D" || o[0] == "top" }
	there, here := lists.Where(options, decides), lists.Where(t.Given(), decides)
	for _, o := range there {
		if !slices.Contains(here, o) {
			ce.Add = append(ce.Add, map[string]string{"D": "-D", "top": "--top"}[o[0]], o[1])
		}
	}
	var more []string
	for _, o := range here {
		if !slices.Contains(there, o) {
			more = append(more, o[1])
		}
	}
	switch {
	case ce.Add != nil:
		ce.Reason = fmt.Sprintf("%s is about another design. To check that, add: %s", ce.Cert, task.ShellCommand(ce.Add...))
	case more != nil:
		ce.Reason = fmt.Sprintf("%s is about the design without %s", ce.Cert, strings.Join(more, ", "))
	}
	return ce.Reason == ""
}

// compare compares what a certificate says that its model was read with to what the model
// was read with here, and rejects it if that differs.
func (ce *Certification) compare(t *task.Task, options [][2]string) (same bool, err error) {
	program := t.Language(t.File) != "Murphi" // what -D sets are macros
	there, err := task.ModelOptions(t.Options)
	if err != nil {
		return false, err
	}
	there.Consts = maps.Clone(there.Consts)
	named := make(map[string]bool) // constants
	value := make(map[string]string)
	var is, here []string
	differ := func(there, own string, add ...string) { // what the certificate is about, and what the model was read with
		is, here, ce.Add = append(is, there), append(here, own), append(ce.Add, add...)
	}
	for _, o := range options {
		switch {
		case o[0] != "D":
			value[o[0]] = o[1]
		case !program:
			name, v, _ := strings.Cut(o[1], "=")
			there.Consts[name], named[name] = v, true
		case !slices.Contains(t.Defines, o[1]):
			differ(o[1], "another value", "-D", o[1])
		}
	}
	m := t.Problem.Model
	if program {
		for _, d := range t.Defines {
			if !slices.Contains(options, [2]string{"D", d}) {
				differ("no "+d, d)
			}
		}
	} else if m, err = murphi.ReadFile(t.File, there); err != nil {
		return false, ce.reject("%s is about another model: %v", ce.Cert, err)
	}
	ce.Constants = make(map[string]string)
	for i, c := range m.Consts {
		own := t.Problem.Model.Consts[i]
		if ce.Constants[own.Name] = own.Type.Format(own.Value); named[c.Name] && own.Value != c.Value {
			v := c.Name + "=" + c.Type.Format(c.Value)
			differ(v, c.Name+"="+ce.Constants[own.Name], "-D", v)
		}
	}
	ce.Options = map[string]string{"dialect": t.Dialect, "deadlock": t.Deadlock, "loop-max": fmt.Sprint(t.LoopMax), "encoding": cmp.Or(t.Encoding, "plain")}
	for _, name := range []string{"dialect", "deadlock", "loop-max"} {
		if v := value[name]; v != "" && v != ce.Options[name] {
			differ(name+" "+v, name+" "+ce.Options[name], "--"+name, v)
		}
	}
	if v, own := cmp.Or(value["abstract"], "none"), cmp.Or(t.Abstract, "none"); v != own {
		differ("abstract "+v, "abstract "+own, "--abstract", v)
	}
	if len(is) == 0 {
		return true, nil
	}
	ce.Constants, ce.Options = nil, nil
	return false, ce.reject("%s is about the model with %s; here it has %s. To check that, add: %s",
		ce.Cert, strings.Join(is, ", "), strings.Join(here, ", "), task.ShellCommand(ce.Add...))
}
