package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/aiger"
	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file holds what commands share whose engines prove by induction, and the
// command that checks their certificates.

// proofFlags are what every command takes whose verdicts carry proofs.
func proofFlags() flagSet {
	return flagSet{"evidence", []cli.Flag{
		&cli.StringFlag{Name: "cert", Usage: "`FILE` write the proofs there, for orbitmc certify; an .aig or .aag file is a witness circuit, for checkers of AIGER such as Certifaiger"},
		&cli.StringFlag{Name: "verify", Value: "reps", Usage: "`reps|full|gophersat` check one representative of each orbit (default), or every image; gophersat: with this solver"},
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

// prove is decide for engines whose verdicts carry proofs, which --cert keeps.
func prove(c *cli.Context, opt task.Options, engines func(*session) ([]mc.Engine, error)) (*session, *portfolio.Outcome, error) {
	file := c.String("cert")
	if file != "" {
		if sameFile(file, c.Args().First()) {
			return nil, nil, fmt.Errorf("--cert %s: that is the input", file)
		}
		if c.String("engine") == "explicit" && opt.Language(c.Args().First()) == "Murphi" {
			fmt.Fprintf(c.App.ErrWriter, "%s will not be written: explicit search proves by the states that it visits, which no certificate has\n", file)
		}
		opt.Certificate = true
		opt.Raw = opt.Raw || isCircuit(file) // a witness circuit is for the netlist as it is
	}
	t, out, err := decide(c, opt, engines)
	if file == "" || !finished(err) || t == nil || out == nil {
		return t, out, err
	}
	if failed := t.writeCertificate(file, out); failed != nil {
		err = failed
	}
	return t, out, err
}

// proves is prove for commands that need only the exit code.
func proves(c *cli.Context, engines func(*session) ([]mc.Engine, error)) error {
	_, _, err := prove(c, taskOptions(c), engines)
	return err
}

// isCircuit reports whether a certificate is a witness circuit.
func isCircuit(file string) bool {
	return slices.Contains([]string{".aig", ".aag"}, filepath.Ext(file))
}

// writeCertificate writes the proofs of an outcome, if there are any.
func (se *session) writeCertificate(file string, out *portfolio.Outcome) error {
	cert := portfolio.Certificate(se.Task, out)
	switch {
	case len(cert.Proofs) == 0:
		way := ""
		if out.Result.Verdict() == mc.Safe && se.Problem.EncErr == nil {
			way = fmt.Sprintf("; `%s` looks for such a proof", se.again("pdr", "--cert", file))
		}
		fmt.Fprintf(se.c.App.ErrWriter, "%s is not written: nothing is proved by induction%s\n", file, way)
		return nil
	case isCircuit(file):
		return se.writeWitness(file, cert, out.Problem)
	}
	return writeFile(file, func(b *bufio.Writer) error { return cert.Write(b, certify.New(se.c.Context, out.Problem)) })
}

// writeWitness writes a witness circuit of the proofs. If there is none, it says so.
func (se *session) writeWitness(file string, cert *certfile.Certificate, p *mc.Problem) error {
	ctx, cancel := se.context()
	defer cancel()
	sys, props, err := cert.Witness(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("stopped by " + stopNoun(mc.StopReason(ctx)))
		}
		_, err = fmt.Fprintf(se.c.App.ErrWriter, "%s is not written: %v\n", file, err)
		return err
	}
	f := aiger.WitnessCircuit(sys, len(p.System().Latches))
	f.Comments = []string{"WITNESS for what this writes:", se.convertCommand(p, props)}
	return writeFile(file, func(b *bufio.Writer) error { return aiger.Write(b, f, filepath.Ext(file) != ".aag") })
}

// convertCommand is a command line that writes the netlist a witness circuit is for.
func (se *session) convertCommand(p *mc.Problem, props []int) string {
	words := []string{"orbitmc", "convert", se.File}
	for _, o := range se.Given() {
		words = append(words, spelled(o[0]), o[1])
	}
	if e := portfolio.Encoding(p); e != "plain" {
		words = append(words, "--encoding", e)
	}
	for _, q := range props {
		name := p.Name(q)
		if p.Netlist != nil {
			if _, err := se.Prop(name); err != nil { // others have this name
				name = fmt.Sprintf("bad %d", q)
			}
		}
		words = append(words, "--prop", name)
	}
	return task.ShellCommand(append(words, "-o", "model.aig")...)
}

func certifyCommand() *cli.Command {
	return command(&cli.Command{
		Name: "certify", ArgsUsage: "MODEL CERT",
		Usage: "check a certificate that --cert wrote, step by step",
		Description: `
The proofs in CERT are checked as they are before a verdict is printed: by queries of
the check's own. A fresh solver refutes, and each of its steps is checked. MODEL
is read with the constants and options of the command line. CERT names those that it
is about. If they differ, the certificate is rejected, and the message names the
options to add. docs/certificates.md describes the format.`,
		Action: func(c *cli.Context) error {
			if c.IsSet("prop") && !taskOptions(c).IsNetlist(c.Args().First()) {
				return errors.New("--prop: a model is not cleaned up; certify names the properties that are proved")
			}
			ctx, _, cancel := limited(c)
			defer cancel()
			out, err := portfolio.Certify(ctx, c.Args().Get(0), c.Args().Get(1), taskOptions(c))
			if err != nil {
				return err
			}
			return showCertification(c, out)
		},
	}, modelFlags(), abstractFlags(), formulaFlags(), flagSet{"check", []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, undecided"},
		&cli.StringFlag{Name: "encoding", Value: "plain", Usage: "`plain|inferred|renamed|strict|inferred-strict` the encoding that CERT is about: inferred is one-hot where --sym auto infers symmetry, renamed also has an input for each rule, strict evaluates quantifiers to the end that may stop before an error (default as CERT says, else plain)"},
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` a property that the netlist was cleaned up for; repeatable (default as CERT says, else all)"},
	}}, flagSet{"output", []cli.Flag{jsonFlag()}})
}

// lemmasFlag names a certificate whose clauses may be assumed.
func lemmasFlag() cli.Flag {
	return &cli.StringFlag{Name: "lemmas", Usage: "`CERT` assume in each frame the clauses of a certificate that --cert wrote, once they are checked"}
}

// showCertification prints what became of a certificate and returns the exit code as an error.
func showCertification(c *cli.Context, x *portfolio.Certification) error {
	if x.Stopped != "" && !c.Bool("json") {
		fmt.Fprintf(c.App.ErrWriter, "not decided: %s\n", x.Stopped)
	} else if err := output(c, "certify", x); err != nil {
		return err
	}
	switch {
	case x.Stopped != "":
		return exitCode(exitUndecided)
	case !x.Accepted:
		return exitCode(exitViolated)
	}
	return nil
}
