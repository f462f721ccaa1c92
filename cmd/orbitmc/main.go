// Command orbitmc checks cache-coherence and other replicated-component
// protocols: it hunts bugs depth by depth with a SAT solver, searches all
// reachable states, and uses the symmetry of the components, once verified, in
// both. See `orbitmc help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/urfave/cli/v2"
)

// Exit codes; see the footer of the help text.
const (
	exitHolds     = 0
	exitUsage     = 1 // bad usage, bad input, internal error
	exitUndecided = 2
	exitRegressed = 3 // bench: a wrong answer, or slower than it may be
	exitViolated  = 10
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	go func() {
		<-ctx.Done()
		stop() // the second Ctrl-C kills
	}()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// exitCode ends a command with a code other than 0 and no message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, reorder(app, args))
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

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:      "orbitmc",
		Usage:     "a model checker that exploits verified symmetry",
		UsageText: "orbitmc MODEL [options]            the same as orbitmc check MODEL\norbitmc COMMAND MODEL [options]\norbitmc COMMAND --help",
		Description: "Exit status: 10 if any property is violated, else 2 if any is undecided, else 0;\n" +
			"1 for bad usage or input. bmc without a violation exits 0: it proves nothing.\n" +
			"bench exits 3 on wrong answers.",
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideVersion:               true,
		HideHelpCommand:           false,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		Commands: []*cli.Command{
			checkCommand(), bmcCommand(), exploreCommand(),
			detectCommand(), repCommand(), convertCommand(),
			replayCommand(),
			benchCommand(), benchExecCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("unknown command %q; see orbitmc help", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = app.OnUsageError
		for _, sub := range c.Subcommands {
			sub.OnUsageError = app.OnUsageError
		}
	}
	return app
}
