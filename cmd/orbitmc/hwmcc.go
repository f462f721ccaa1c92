package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file holds hwmcc: check as the hardware model checking competition calls it.

func hwmccCommand() *cli.Command {
	return command(&cli.Command{
		Name: "hwmcc", ArgsUsage: "MODEL SAT UNSAT",
		Usage: "decide a netlist as the hardware model checking competition asks",
		Description: `
The first line of the output is sat, unsat or unknown. If some property is violated, SAT
is written: a witness in the format of the netlist. If all properties hold, UNSAT is
written: a witness circuit in AIGER, also for BTOR2. Some proofs have no witness circuit,
those by counting rounds for one; then stderr says so. The exit status is 10 for sat, 20
for unsat and 0 for unknown. All engines for netlists run side by side.`,
		Action: hwmcc,
	}, flagSet{"search and output", []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then"},
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory"},
		progressFlag(),
	}})
}

func hwmcc(c *cli.Context) error {
	file, sat, unsat := c.Args().Get(0), c.Args().Get(1), c.Args().Get(2)
	for _, name := range []string{sat, unsat} {
		if sameFile(name, file) {
			return fmt.Errorf("%s: that is the input", name)
		}
	}
	opt := taskOptions(c)
	if !opt.IsNetlist(file) {
		return fmt.Errorf("%s: hwmcc is for netlists; use orbitmc check", file)
	}
	opt.Symmetry, opt.Raw, opt.Certificate = "auto", true, true // a witness circuit is for the netlist as it is
	stdout := c.App.Writer
	c.App.Writer = io.Discard
	t, out, err := decide(c, opt, func(t *session) ([]mc.Engine, error) { return portfolio.Engines(t.Task, "all") })
	c.App.Writer = stdout
	if !finished(err) {
		return err
	}
	word, code := "unknown", exitHolds
	if t != nil && out != nil {
		if len(t.Problem.Covers) > 0 {
			return fmt.Errorf("%s: it has cover statements, of which the competition knows nothing", file)
		}
		switch out.Result.Verdict() {
		case mc.Unsafe:
			word, code = "sat", exitViolated
			pr := t.Problem.First(out.Result)
			if err := writeFile(sat, func(b *bufio.Writer) error { return t.SaveTrace(b, pr, opt.Styles(file)[1]) }); err != nil {
				return err
			}
		case mc.Safe:
			word, code = "unsat", exitHWMCCSafe
			switch cert := portfolio.Certificate(t.Task, out); {
			case t.Remodelled():
				if _, err := fmt.Fprintf(c.App.ErrWriter, "%s is not written: the proof is about some elements of large arrays\n", unsat); err != nil {
					return err
				}
			case len(cert.Proofs) > 0:
				if err := t.writeWitness(unsat, cert, out.Problem); err != nil {
					return err
				}
			}
		}
	}
	if _, err := fmt.Fprintln(stdout, word); err != nil {
		return err
	}
	return exitCode(code)
}
