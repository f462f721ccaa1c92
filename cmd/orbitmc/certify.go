package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/aiger"
	"orbitmc/mc"
	"orbitmc/model"
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
	lemmas *mc.Board // what it was given
}

// Run implements mc.Engine.
func (e *recorded) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r, err := e.Engine.Run(ctx, p, opt)
	e.p, e.r, e.lemmas = p, r, opt.Lemmas
	return r, err
}

// prove is decide for engines whose verdicts carry proofs.
func prove(c *cli.Context, engines func(*task) ([]mc.Engine, error)) ([]*recorded, error) {
	if err := oneOf("verify", c.String("verify"), "reps", "full"); err != nil {
		return nil, err
	}
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
			runs = append(runs, &recorded{Engine: mc.PerOrbit(e)})
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
	cert := mc.NewCertificate(results...)
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
	if failed := writeFile(file, func(b *bufio.Writer) error { return cert.Write(b, p) }); failed != nil {
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
func (t *task) writeWitness(file string, cert *mc.Certificate, p *mc.Problem) error {
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
		words = append(words, "--prop", p.Name(q))
	}
	return shellCommand(append(words, "-o", "model.aig"))
}

// certificateOptions are the options that decide what a model means and how it is
// encoded, or for which properties a netlist is cleaned up.
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
The proofs in CERT are checked as they are before a verdict is printed: with code
that no engine uses, and with gophersat, whose refutations are checked in turn. CERT
names the constants and options that the model was read with; options on the command
line override them. docs/certificates.md describes the format.`,
		Action: func(c *cli.Context) error {
			args, err := arguments(c)
			if err != nil {
				return err
			}
			src, err := os.ReadFile(args[1])
			if err != nil {
				return err
			}
			options, err := mc.ReadCertificateOptions(args[1], src)
			if err != nil {
				return certified(c, nil, nil, nil, err)
			}
			if err := setOptions(c, args[1], options); err != nil {
				return err
			}
			t, err := open(c)
			if err != nil {
				return err
			}
			ctx, cancel := t.context()
			defer cancel()
			if err := t.prepare(ctx, true); err != nil {
				return err
			}
			if t.problem.System() == nil {
				return t.problem.EncErr
			}
			t.problem.WellFormed = false // to be checked along
			cert, err := mc.ReadCertificate(args[1], src, t.problem)
			if err != nil {
				return certified(c, t, nil, nil, err)
			}
			props, how, err := cert.Check(ctx, t.problem)
			if err != nil && ctx.Err() != nil {
				fmt.Fprintf(c.App.ErrWriter, "not decided: %s\n", mc.StopReason(ctx))
				return exitCode(exitUndecided)
			}
			return certified(c, t, props, how, err)
		},
	}, modelFlags(), flagSet{"check", []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, undecided"},
		&cli.StringFlag{Name: "encoding", Value: "plain", Usage: "`plain|inferred|renamed` the encoding that CERT is about: inferred is one-hot where --sym auto infers symmetry, renamed also has an input for each rule (default as CERT says, else plain)"},
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` a property that the netlist was cleaned up for; repeatable (default as CERT says, else all)"},
	}}, flagSet{"output", []cli.Flag{jsonFlag()}})
}

// lemmas returns the clauses of a certificate, which are checked to hold in all
// reachable states of the system at hand.
func (t *task) lemmas(ctx context.Context, file string) (*mc.Board, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := t.problem
	if p.System() == nil {
		return nil, p.EncErr
	}
	cert, err := mc.ReadCertificate(file, src, p)
	if err != nil {
		return nil, err
	}
	b := &mc.Board{}
	for _, f := range cert.Proofs {
		y := f.Group
		if y == nil { // the file has all images; under a group one of each orbit is checked
			y = p.Group(f.Props[0])
		}
		b.Post(mc.Lemmas{Clauses: f.Clauses, Group: y})
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

// setOptions sets the options of a certificate that are not on the command line.
func setOptions(c *cli.Context, file string, options [][2]string) error {
	given := make(map[string]bool)
	for _, name := range certificateOptions {
		given[name] = name != "D" && c.IsSet(name)
	}
	for _, d := range c.StringSlice("D") {
		name, _, _ := strings.Cut(d, "=")
		given["D "+name] = true
	}
	for _, o := range options {
		name := o[0]
		if name == "D" {
			constant, _, _ := strings.Cut(o[1], "=")
			name = "D " + constant
		} else if _, ok := given[name]; !ok {
			return fmt.Errorf("%s: there is no option %s of models", file, name)
		}
		if given[name] {
			continue
		}
		if err := c.Set(o[0], o[1]); err != nil {
			return fmt.Errorf("%s: option %s: %w", file, o[0], err)
		}
	}
	return nil
}

type jsonCertified struct {
	Model      string   `json:"model"`
	Cert       string   `json:"certificate"`
	Accepted   bool     `json:"accepted"`
	Properties []string `json:"properties,omitempty"` // proved
	Reason     string   `json:"reason,omitempty"`     // why not
}

// certified prints what became of a certificate.
func certified(c *cli.Context, t *task, props []int, how []string, rejected error) error {
	out := jsonCertified{Model: c.Args().Get(0), Cert: c.Args().Get(1), Accepted: rejected == nil}
	for _, q := range props {
		out.Properties = append(out.Properties, t.problem.Name(q))
	}
	if rejected != nil {
		out.Reason = rejected.Error()
	}
	switch w := c.App.Writer; {
	case c.Bool("json"):
		if err := printJSON(w, out); err != nil {
			return err
		}
	case rejected != nil:
		fmt.Fprintf(w, "rejected: %v\n", rejected)
	default:
		for _, h := range how {
			fmt.Fprintf(w, "accepted: %s\n", h)
		}
		for _, q := range props {
			what := "holds"
			if mc.BySearch(t.problem.Kind(q)) == mc.Unsafe {
				what = "is never covered"
			}
			fmt.Fprintf(w, "%v %q %s\n", t.problem.Kind(q), t.problem.Name(q), what)
		}
	}
	if rejected != nil {
		return exitCode(exitViolated)
	}
	return nil
}
