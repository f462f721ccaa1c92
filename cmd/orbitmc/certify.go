package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/mc/board"
	"orbitmc/mc/certfile"
	"orbitmc/mc/certify"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/portfolio"
)

// This file holds what commands share whose engines prove by induction, and the
// command that checks their certificates.

// proofFlags are what every command takes whose verdicts carry proofs.
func proofFlags() flagSet {
	return flagSet{"evidence", []cli.Flag{
		&cli.StringFlag{Name: "cert", Usage: "`FILE` write the proofs there, for orbitmc certify; an .aig or .aag file is a witness circuit, for checkers of AIGER such as Certifaiger"},
		&cli.StringFlag{Name: "verify", Value: "reps", Usage: "`reps|full` check one representative of each orbit (default), or every image"},
	}}
}

// sameFile tells whether two names are those of one file that exists.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// recorded is an engine that keeps what it was given and what it found.
type recorded struct {
	mc.Engine
	p      *mc.Problem
	r      *mc.Result
	lemmas mc.Lemmas // what it was given
}

// Run implements mc.Engine.
func (e *recorded) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r, err := e.Engine.Run(ctx, p, opt)
	e.p, e.r, e.lemmas = p, r, opt.Lemmas
	return r, err
}

// prove is decide for engines whose verdicts carry proofs.
func prove(c *cli.Context, engines func(*task) ([]mc.Engine, error)) ([]*recorded, error) {
	file := c.String("cert")
	if file != "" {
		if sameFile(file, c.Args().First()) {
			return nil, fmt.Errorf("--cert %s: that is the input", file)
		}
		if err := writable(file); err != nil {
			return nil, err
		}
	}
	var runs []*recorded
	var t *task
	err := decide(c, func(loaded *task) ([]mc.Engine, error) {
		t = loaded
		es, err := engines(t)
		for i, e := range es {
			runs = append(runs, &recorded{Engine: portfolio.PerOrbit(e)})
			es[i] = runs[i]
		}
		return es, err
	})
	var code exitCode
	if file == "" || err != nil && !errors.As(err, &code) {
		return runs, err
	}
	var results []*mc.Result
	var p *mc.Problem
	for _, run := range runs {
		if run.r != nil {
			p, results = run.p, append(results, run.r)
		}
	}
	cert := certfile.New(results...)
	if len(cert.Proofs) == 0 {
		fmt.Fprintf(c.App.ErrWriter, "%s is not written: nothing is proved by induction\n", file)
		return runs, err
	}
	if isNetlist(file) {
		if failed := t.writeWitness(file, cert, p); failed != nil {
			return runs, failed
		}
		return runs, err
	}
	for _, name := range certificateOptions {
		if name == "prop" && p.Cleaned == nil {
			continue
		}
		for _, v := range values(c, name) {
			cert.Options = append(cert.Options, [2]string{name, v})
		}
	}
	if e := encodingOf(p); e != "plain" {
		cert.Options = append(cert.Options, [2]string{"encoding", e})
	}
	if failed := writeFile(file, func(b *bufio.Writer) error { return cert.Write(b, certify.New(context.Background(), p)) }); failed != nil {
		return runs, failed
	}
	return runs, err
}

// encodingOf returns the value of --encoding for which a problem is encoded as it is.
func encodingOf(p *mc.Problem) string {
	switch {
	case p.Enc != nil && p.Enc.RulesNamed:
		return "renamed"
	case p.Model != nil && slices.ContainsFunc(p.Model.Scalarsets, func(y *model.Type) bool { return y.Alike }):
		return "inferred"
	}
	return "plain"
}

// writeWitness writes a witness circuit of the proofs. If there is none, it says so.
func (t *task) writeWitness(file string, cert *certfile.Certificate, p *mc.Problem) error {
	ctx, cancel := t.context()
	defer cancel()
	sys, props, err := cert.Witness(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("stopped by " + stopNoun(mc.StopReason(ctx)))
		}
		_, err = fmt.Fprintf(t.c.App.ErrWriter, "%s is not written: %v\n", file, err)
		return err
	}
	f := aiger.WitnessCircuit(sys, len(p.System().Latches))
	f.Comments = []string{"WITNESS for what this writes:", t.convertCommand(p, props)}
	return writeFile(file, func(b *bufio.Writer) error { return aiger.Write(b, f, filepath.Ext(file) == ".aig") })
}

// convertCommand is a command line that writes the netlist a witness circuit is for.
func (t *task) convertCommand(p *mc.Problem, props []int) string {
	words := []string{"orbitmc", "convert", t.file}
	for _, d := range values(t.c, "D") {
		words = append(words, "-D", d)
	}
	for _, name := range []string{"dialect", "deadlock", "loop-max"} {
		for _, v := range values(t.c, name) {
			words = append(words, "--"+name, v)
		}
	}
	if e := encodingOf(p); e != "plain" {
		words = append(words, "--encoding", e)
	}
	for _, q := range props {
		name := p.Name(q)
		if p.Netlist != nil {
			if _, err := t.propNamed(name); err != nil { // others have this name
				name = fmt.Sprintf("bad %d", q)
			}
		}
		words = append(words, "--prop", name)
	}
	return shellCommand(append(words, "-o", "model.aig"))
}

// certificateOptions are the options that decide what a model means, how it is
// encoded, and for which properties a netlist is cleaned up: the last one is about
// netlists, the others are about models.
var certificateOptions = []string{"D", "dialect", "deadlock", "loop-max", "encoding", "prop"}

// values returns what an option was given on the command line.
func values(c *cli.Context, name string) []string {
	switch {
	case !c.IsSet(name):
		return nil
	case name == "D" || name == "prop":
		return c.StringSlice(name)
	}
	return []string{fmt.Sprint(c.Value(name))}
}

func certifyCommand() *cli.Command {
	return command(&cli.Command{
		Name: "certify", ArgsUsage: "MODEL CERT",
		Usage: "check a certificate that --cert wrote, with another SAT solver",
		Description: `
The proofs in CERT are checked as they are before a verdict is printed: with
gophersat, whose refutations are verified in turn, and with code that no engine
uses. MODEL is read with the constants and options of the command line. CERT says
which ones it is about: if they differ it is rejected, and the options to add are
named. docs/certificates.md describes the format.`,
		Action: func(c *cli.Context) error {
			if c.IsSet("prop") && !isNetlist(c.Args().First()) {
				return errors.New("--prop: a model is not cleaned up; certify names the properties that are proved")
			}
			ctx, _, cancel := limited(c)
			defer cancel()
			out, err := within(ctx, func() (*certification, error) { return checkCertificate(ctx, c) })
			if err != nil && ctx.Err() != nil {
				out = &certification{Model: c.Args().Get(0), Cert: c.Args().Get(1), Stopped: mc.StopReason(ctx)}
			} else if err != nil {
				return err
			}
			return out.show(c)
		},
	}, modelFlags(), flagSet{"check", []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, undecided"},
		&cli.StringFlag{Name: "encoding", Value: "plain", Usage: "`plain|inferred|renamed` what CERT is about: inferred is one-hot where --sym auto infers symmetry, renamed also names each rule by an input (default as CERT says, else plain)"},
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` a property that the netlist was cleaned up for; repeatable (default as CERT says, else all)"},
	}}, flagSet{"output", []cli.Flag{jsonFlag()}})
}

// lemmas returns the clauses of a certificate, which are checked to hold in all
// reachable states of the system at hand.
func (t *task) lemmas(ctx context.Context, file string) (*board.Board, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := t.problem
	if p.System() == nil {
		return nil, p.EncErr
	}
	cert, err := certfile.Read(file, src, p)
	if err != nil {
		return nil, err
	}
	b := &board.Board{}
	for _, f := range cert.Proofs {
		y := f.Group
		if y == nil { // the file has all images; under a group one of each orbit is checked
			y = p.Group(f.Props[0])
		}
		b.Post(evidence.Lemmas{Clauses: f.Clauses, Group: y})
	}
	if _, err := b.Take(ctx, p, 0); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("--lemmas %s: %w", file, err)
	}
	return b, nil
}

// lemmasFlag names a certificate whose clauses may be assumed.
func lemmasFlag() cli.Flag {
	return &cli.StringFlag{Name: "lemmas", Usage: "`CERT` assume in each frame the clauses of a certificate that --cert wrote, once they are checked"}
}

// certification is what became of a certificate.
type certification struct {
	Model      string            `json:"model"`
	Cert       string            `json:"certificate"`
	Accepted   bool              `json:"accepted"`
	Constants  map[string]string `json:"constants,omitempty"`  // of the model, as it was read
	Options    map[string]string `json:"options,omitempty"`    // that the model was read with
	Properties []string          `json:"properties,omitempty"` // proved
	Open       []string          `json:"open,omitempty"`       // the others
	Add        []string          `json:"add,omitempty"`        // options with which the model is what the certificate is about
	Reason     string            `json:"reason,omitempty"`     // why it is rejected
	Stopped    string            `json:"stopped,omitempty"`    // why it is not decided

	title string
	how   []string // the proofs were checked
	holds []string // a line for each property
}

// checkCertificate reads a model and a certificate, and checks that. The error is about the model,
// or that of ctx.
func checkCertificate(ctx context.Context, c *cli.Context) (*certification, error) {
	args := c.Args().Slice()
	out := &certification{Model: args[0], Cert: args[1]}
	rejected := func(format string, args ...any) (*certification, error) {
		out.Reason = fmt.Sprintf(format, args...)
		return out, nil
	}
	src, err := os.ReadFile(out.Cert)
	if err != nil {
		return nil, err
	}
	options, err := certfile.Options(out.Cert, src)
	if err != nil {
		return rejected("%v", err)
	}
	set := make(map[string]bool) // on the command line
	for _, name := range certificateOptions {
		set[name] = c.IsSet(name)
	}
	known := certificateOptions[:5] // what a model can have
	if isNetlist(out.Model) {
		known = certificateOptions[5:]
	}
	for i, o := range options {
		name, value := o[0], o[1]
		at := fmt.Sprintf("%s:%d:8", out.Cert, i+2)
		switch {
		case !slices.Contains(known, name):
			return rejected("%s: %s has no option %s", at, out.Model, name)
		case choices[name] != nil && !slices.Contains(choices[name], value):
			return rejected("%s: %v", at, oneOf(name, value, choices[name]...))
		case (name == "encoding" || name == "prop") && !set[name]:
			if err := c.Set(name, value); err != nil {
				return rejected("%s: %v", at, err)
			}
		}
	}
	t, err := openWith(c, c.StringSlice("D"), nil)
	if err != nil {
		return nil, err
	}
	out.title = t.title()
	if s, ok := t.source.(*modelSource); ok {
		differences, err := s.differences(options)
		if err != nil {
			return rejected("%s is about another model: %v", out.Cert, err)
		}
		if len(differences) > 0 {
			var is, here []string
			for _, d := range differences {
				is, here, out.Add = append(is, d.is), append(here, d.here), append(out.Add, d.option...)
			}
			return rejected("%s is about the model with %s; here it has %s. To check that, add: %s",
				out.Cert, strings.Join(is, ", "), strings.Join(here, ", "), shellCommand(slices.Clone(out.Add)))
		}
		out.Constants, out.Options = make(map[string]string), make(map[string]string)
		for _, x := range s.model.Consts {
			out.Constants[x.Name] = x.Type.Format(x.Value)
		}
		for _, name := range certificateOptions[1:5] {
			out.Options[name] = fmt.Sprint(c.Value(name))
		}
	}
	if !set["prop"] {
		for _, name := range c.StringSlice("prop") {
			if _, err := t.propNamed(name); err != nil {
				return rejected("%s: option prop: %v", out.Cert, err)
			}
		}
	}
	if err := t.prepare(ctx, true); err != nil {
		return nil, err
	}
	p := t.problem
	if p.System() == nil {
		return nil, p.EncErr
	}
	p.WellFormed = false // to be checked along
	cert, err := certfile.Read(out.Cert, src, p)
	if err != nil {
		return rejected("%v", err)
	}
	props, how, err := cert.Check(certify.New(ctx, p))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return rejected("%v", err)
	}
	out.Accepted, out.how = true, how
	for q := range p.NumProps() {
		if !slices.Contains(props, q) {
			out.Open = append(out.Open, p.Name(q))
			continue
		}
		out.Properties = append(out.Properties, p.Name(q))
		what := "holds"
		if mc.BySearch(p.Kind(q)) == mc.Unsafe {
			what = "is never covered"
		}
		out.holds = append(out.holds, fmt.Sprintf("%v %q %s", p.Kind(q), p.Name(q), what))
	}
	return out, nil
}

// difference is an option of a certificate with another value than here.
type difference struct {
	is, here string
	option   []string
}

// differences compares what a certificate says that its model was read with to what
// the model was read with here. The error says that there is no such model.
func (s *modelSource) differences(options [][2]string) ([]difference, error) {
	there := s.options
	there.Consts = maps.Clone(s.options.Consts)
	named := make(map[string]bool) // constants
	value := make(map[string]string)
	for _, o := range options {
		if o[0] != "D" {
			value[o[0]] = o[1]
			continue
		}
		name, v, _ := strings.Cut(o[1], "=")
		there.Consts[name], named[name] = v, true
	}
	m, err := murphi.ReadFile(s.t.file, there)
	if err != nil {
		return nil, err
	}
	var all []difference
	for i, x := range m.Consts {
		if own := s.model.Consts[i]; named[x.Name] && own.Value != x.Value {
			is, here := x.Type.Format(x.Value), own.Type.Format(own.Value)
			all = append(all, difference{x.Name + "=" + is, x.Name + "=" + here, []string{"-D", x.Name + "=" + is}})
		}
	}
	for _, name := range []string{"dialect", "deadlock", "loop-max"} {
		if is, here := value[name], fmt.Sprint(s.t.c.Value(name)); is != "" && is != here {
			all = append(all, difference{name + " " + is, name + " " + here, []string{"--" + name, is}})
		}
	}
	return all, nil
}

// show prints what became of a certificate and returns the exit code as an error.
func (x *certification) show(c *cli.Context) error {
	w := c.App.Writer
	switch {
	case c.Bool("json"):
		if err := printJSON(w, x); err != nil {
			return err
		}
	case x.Stopped != "":
		fmt.Fprintf(c.App.ErrWriter, "not decided: %s\n", x.Stopped)
	case !x.Accepted:
		fmt.Fprintf(w, "rejected: %s\n", x.Reason)
	default:
		fmt.Fprintln(w, x.title)
		if x.Options != nil {
			var read []string
			for _, name := range certificateOptions[1:5] {
				read = append(read, name+" "+x.Options[name])
			}
			fmt.Fprintf(w, "read with: %s\n", strings.Join(read, ", "))
		}
		for _, h := range x.how {
			fmt.Fprintf(w, "accepted: %s\n", h)
		}
		for _, h := range x.holds {
			fmt.Fprintln(w, h)
		}
		if n := len(x.Open); n > 0 {
			fmt.Fprintf(w, "not about: %s\n", strings.Join(firstFew(x.Open, 8), ", "))
		}
	}
	switch {
	case x.Stopped != "":
		return exitCode(exitUndecided)
	case !x.Accepted:
		return exitCode(exitViolated)
	}
	return nil
}
