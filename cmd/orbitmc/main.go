// Command orbitmc checks cache-coherence and other replicated-component
// protocols: it hunts bugs depth by depth with a SAT solver, searches all
// reachable states, and uses the symmetry of the components, once verified, in
// both. See `orbitmc help`.
//
//	main.go       the program: commands, exit codes, signals
//	panic.go      panics as errors
//	args.go       the command line
//	help.go       its help
//	load.go       from a file to a problem with its verified symmetry
//	model.go      ... of a model
//	netlist.go    ... of a netlist
//	hunt.go       check, bmc, explore: engines run on the problem
//	reach.go      reach: the same for backward reachability
//	symmetry.go   detect: the symmetry there is, and what breaks the rest
//	rep.go        rep: representative predicates
//	quotient.go   quotient: netlists for other tools, and their counterexamples
//	convert.go    convert: what the engines are given
//	evidence.go   replay
//	show.go       a result as text, as JSON and as an exit code
//	receipt.go    which symmetry was used, what it saved and cost; what to try next
//	warnings.go   what the author of a model probably did not mean
//	progress.go   events on stderr
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

// Exit codes; see the help text.
const (
	exitHolds     = 0
	exitUsage     = 1 // bad usage, bad input, internal error
	exitUndecided = 2
	exitRegressed = 3 // bench: a wrong answer, or compare: a regression
	exitViolated  = 10
	exitHWMCCSafe = 20 // with --exit-style hwmcc
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // the second signal kills
	}()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// exitCode ends a command with a code other than 0 and no message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := func() (err error) {
		defer recovered(&err)
		app := newApp(stdout, stderr)
		return app.RunContext(ctx, reorder(app, args))
	}()
	var code exitCode
	switch {
	case err == nil:
		return exitHolds
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(stderr, "%v\n", err)
	return exitUsage
}

// group is what commands are for; help shows them under its name.
type group struct {
	name     string
	commands []*cli.Command
}

func groups() []group {
	return []group{
		{"hunt", []*cli.Command{checkCommand(), bmcCommand()}},
		{"prove", []*cli.Command{inductCommand(), pdrCommand(), sweepCommand(), reachCommand(), exploreCommand()}},
		{"understand", []*cli.Command{detectCommand(), repCommand(), quotientCommand(), convertCommand()}},
		{"evidence", []*cli.Command{replayCommand(), certifyCommand()}},
		{"measure", []*cli.Command{benchCommand()}},
	}
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "orbitmc",
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides
		OnUsageError:              usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("%s: no such command or file; see orbitmc help", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	gs := groups()
	for _, g := range gs {
		app.Commands = append(app.Commands, g.commands...)
	}
	app.Commands = append(app.Commands, benchExecCommand()) // hidden
	for _, c := range app.Commands {
		c.OnUsageError = usageError
		for _, sub := range c.Subcommands {
			sub.OnUsageError = usageError
		}
	}
	app.CustomAppHelpTemplate = appHelp(gs)
	return app
}

func usageError(_ *cli.Context, err error, _ bool) error { return err }
