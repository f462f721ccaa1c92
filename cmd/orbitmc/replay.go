package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/task"
	"orbitmc/model"
)

// This file holds replay, which checks a counterexample in the interpreter.

func replayCommand() *cli.Command {
	return command(&cli.Command{
		Name: "replay", ArgsUsage: "MODEL TRACE",
		Usage: "check a counterexample of orbitmc, CMurphi, Rumur or SPIN, or a witness of a netlist",
		Description: `
For a model, replay fires the rules that TRACE names in the interpreter. The values
that TRACE states must be those of the interpreter, and the property that it names
must be violated; if it names none, it may be a run at whose end nothing is violated, such as
simulate saves. TRACE may be the whole output of a tool. For a program, TRACE may also be a trail of SPIN's verifier, which names the statements. For a netlist, TRACE is a
witness in the format of AIGER or BTOR2: each bad that it names must hold in some frame,
and the constraints must hold up to that frame; or a run that simulate saves. A witness of justice must end where it was
before, with all conditions met since. With --ltl, TRACE is a run without end that must violate the
formula that it names, and be fair.`,
		Action: func(c *cli.Context) error {
			opt := taskOptions(c)
			opt.LargeArrays = true
			t, err := open(c.Context, c, opt)
			if err != nil {
				return err
			}
			return t.replayFile(c.Args().Get(1))
		},
	}, modelFlags(), formulaFlags(treeFlag()), flagSet{"output", []cli.Flag{htmlFlag(), jsonFlag()}})
}

type jsonReplay struct {
	Model    string `json:"model"`
	Trace    string `json:"trace"`
	Accepted bool   `json:"accepted"`
	Property string `json:"property,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Depth    *int   `json:"depth,omitempty"`
	Reason   string `json:"reason,omitempty"` // why not
}

func (se *session) replayFile(file string) error {
	data, err := read(se.c, file)
	if err != nil {
		return err
	}
	out := jsonReplay{Model: se.File, Trace: file}
	r, err := se.Replay(file, data)
	err = se.WrittenWith(file, data, err)
	var text string
	switch {
	case err == nil && r.Prop < 0:
		out.Accepted, out.Depth = true, &r.Depth
		text = fmt.Sprintf("accepted: a run of %s, at whose end nothing is violated", task.Plural(r.Depth, "step"))
	case err == nil:
		name, kind := se.Problem.Name(r.Prop), se.Problem.Kind(r.Prop)
		out.Accepted, out.Property, out.Kind, out.Depth = true, name, kind.String(), &r.Depth
		what := "violated"
		if kind == model.Cover {
			what = "covered"
		}
		text = fmt.Sprintf("accepted: %v %q is %s after %s", kind, name, what, task.Plural(r.Depth, "step"))
		if kind.Graph() {
			text = fmt.Sprintf("accepted: a run of %s; that %v %q is violated at its end takes all states: explore", task.Plural(r.Depth, "step"), kind, name)
		}
	default:
		out.Reason = err.Error()
		text = fmt.Sprintf("rejected: %v", err)
	}
	if se.c.Bool("json") {
		if err := printJSON(se.c.App.Writer, out); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(se.c.App.Writer, text)
	}
	if !out.Accepted {
		return exitCode(exitViolated)
	}
	return savePage(se.c, r.View)
}
