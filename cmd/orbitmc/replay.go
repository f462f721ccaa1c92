package main

import "github.com/urfave/cli/v2"

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
	if out.Accepted = err == nil; out.Accepted {
		out.Depth = &r.Depth
		if r.Prop >= 0 {
			out.Property, out.Kind = se.Problem.Name(r.Prop), se.Problem.Kind(r.Prop).String()
		}
	} else {
		out.Reason = err.Error()
	}
	if err := output(se.c, "replay", out); err != nil {
		return err
	}
	if !out.Accepted {
		return exitCode(exitViolated)
	}
	return savePage(se.c, r.View)
}
