// Command orbitmc checks cache-coherence and other replicated-component
// protocols: it hunts bugs depth by depth with a SAT solver, searches all
// reachable states, and uses the symmetry of the components, once verified, in
// both. See `orbitmc help`.
//
//	main.go       the program: commands, exit codes, signals
//	args.go       the command line, and what its options may be
//	help.go       its help
//	session.go    from a command line to a task and its outcome
//	check.go      check, bmc, explore
//	go.go         go: Go tests under every schedule
//	hwmcc.go      hwmcc: check for the competition of hardware model checkers
//	executions.go explore --store none: search by executions
//	pdr.go        pdr
//	sweep.go      sweep: pdr at many sizes
//	every.go      every: a proof for every size
//	induct.go     induct: proofs by k-induction, and why a property is not inductive
//	reach.go      reach: backward reachability
//	certify.go    certify, and what commands share that write certificates
//	symmetry.go   detect: the symmetry there is, and what breaks the rest
//	graph.go      detect of a coloured graph
//	rep.go        rep: representative predicates
//	quotient.go   quotient: netlists for other tools, and their counterexamples
//	convert.go    convert: what the engines are given
//	replay.go     replay
//	simulate.go   simulate: steps by hand
//	output.go     what is printed: as JSON, or by the templates in output.tmpl
//	result.go     a result and its counterexample as text, as JSON and as an exit code
//	coverage.go   what a search covers of a model
//	table.go      table: what controllers do
//	networks.go   networks: how many virtual networks are enough
//	litmus.go     litmus: short programs on a protocol
//	pctl.go       pctl: how likely something is
//	schema.go     schemas of what is printed as JSON
//	receipt.go    which symmetry was used, what it saved and cost; what to try next
//	writefile.go  files: each is written as a whole or not at all
//	progress.go   events on stderr
//	cost.go       time and memory of the run
//	collect.go    when garbage is collected
//	spread.go     check as tasks of a cluster
//	spread_sweep.go   ... sweep; spread_explore.go   ... explore; spread_litmus.go   ... litmus
//	lsp.go        lsp: the language server
//	version.go    --version
//	completion.go completion: what shells complete
//	man.go        man: pages of the manual
//	bench.go      bench: batches
//	bench_report.go   ... their reports
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/murphi"
	"orbitmc/internal/task"
	"orbitmc/mc"
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
	os.Exit(newProgram().run(ctx, os.Args, os.Stdout, os.Stderr))
}

// exitCode ends a command with a code other than 0 and no message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitOf returns the exit code of a verdict as an error, in the style that the command line asks for.
func exitOf(c *cli.Context, verdict mc.Status) error {
	hwmcc := c.String("exit-style") == "hwmcc"
	switch {
	case verdict == mc.Unsafe:
		return exitCode(exitViolated)
	case hwmcc && verdict == mc.Safe:
		return exitCode(exitHWMCCSafe)
	case !hwmcc && verdict == mc.Unknown:
		return exitCode(exitUndecided)
	}
	return nil
}

// program is what a run depends on beside its command line. Tests have their own.
type program struct {
	path    func() (string, error)                  // of the executable
	engines func(*session, []mc.Engine) []mc.Engine // what runs in place of engines
	poll    time.Duration                           // see cluster.Jobs
	small   int                                     // see explicit.Parts
}

func newProgram() *program {
	return &program{path: os.Executable, small: 1 << 15, engines: func(_ *session, es []mc.Engine) []mc.Engine { return es }}
}

func programOf(c *cli.Context) *program { return c.App.Metadata["program"].(*program) }

// run runs the command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &checkedWriter{Writer: stdout}
	err := func() (err error) {
		defer task.Recover(&err)
		app := p.newApp(out, stderr)
		return app.RunContext(ctx, reorder(app, args))
	}()
	if out.err != nil { // whoever reads stdout did not get the verdict
		err = out.err
	}
	var code exitCode
	switch {
	case err == nil:
		return exitHolds
	case errors.As(err, &code):
		return int(code)
	}
	list := []error{err}
	if all, ok := err.(murphi.ErrorList); ok {
		list = all.Unwrap()
	}
	for _, err := range list {
		fmt.Fprintf(stderr, "%v\n", err)
		if e, ok := err.(interface{ Show() string }); ok { // an error in a source
			fmt.Fprint(stderr, e.Show())
		}
	}
	return exitUsage
}

// commands returns all commands. Their category is what they are for; help shows them under its name.
func commands() (all []*cli.Command) {
	for _, g := range []struct {
		name     string
		commands []*cli.Command
	}{
		{"hunt", []*cli.Command{checkCommand(), bmcCommand(), hwmccCommand(), goCommand()}},
		{"prove", []*cli.Command{inductCommand(), pdrCommand(), sweepCommand(), everyCommand(), reachCommand(), exploreCommand()}},
		{"understand", []*cli.Command{detectCommand(), simulateCommand(), repCommand(), quotientCommand(), convertCommand(), tableCommand(), networksCommand(), litmusCommand(), pctlCommand()}},
		{"evidence", []*cli.Command{replayCommand(), certifyCommand()}},
		{"measure", []*cli.Command{benchCommand(), schemaCommand()}},
		{"shell and editor", []*cli.Command{lspCommand(), completionCommand(), manCommand()}},
	} {
		for _, c := range g.commands {
			c.Category = g.name
			all = append(all, c)
		}
	}
	return append(all, benchExecCommand(), completeCommand(), explorePartCommand()) // hidden
}

func (p *program) newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "orbitmc",
		Usage:                     "a model checker that exploits verified symmetry",
		Commands:                  commands(),
		CustomAppHelpTemplate:     appHelp,
		Metadata:                  map[string]any{"program": p},
		Writer:                    stdout,
		ErrWriter:                 stderr,
		Version:                   release,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides
		OnUsageError:              usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(c.App, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = usageError
		for _, sub := range c.Subcommands {
			sub.OnUsageError = usageError
		}
	}
	return app
}
