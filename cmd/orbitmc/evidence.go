package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"orbitmc/model"
)

// This file holds the commands that check what orbitmc and other tools claim.

func replayCommand() *cli.Command {
	return command(&cli.Command{
		Name: "replay", ArgsUsage: "MODEL TRACE",
		Usage: "check a counterexample of orbitmc, CMurphi or Rumur",
		Description: `
The rules that TRACE names are fired in the interpreter; what it says of the
values must be so, and what it says is violated must be. TRACE may be all that a
tool printed.`,
		Action: func(c *cli.Context) error {
			t, err := open(c)
			if err != nil {
				return err
			}
			return t.replay(c.Args().Get(1))
		},
	}, modelFlags(), flagSet{"output", []cli.Flag{jsonFlag()}})
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

func (t *task) replay(file string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, out := model.Compile(t.model), jsonReplay{Model: t.file, Trace: file}
	trace, err := p.ReadTrace(file, src)
	if err == nil {
		err = p.Replay(trace)
	}
	var text string
	if err == nil {
		prop, depth := t.model.Props[trace.Prop], trace.Depth(t.model)
		out.Accepted, out.Property, out.Kind, out.Depth = true, prop.Name, prop.Kind.String(), &depth
		what := "violated"
		if prop.Kind == model.Cover {
			what = "covered"
		}
		text = fmt.Sprintf("accepted: %v %q is %s after %s", prop.Kind, prop.Name, what, plural(depth, "step"))
	} else {
		out.Reason = err.Error()
		text = fmt.Sprintf("rejected: %v", err)
	}
	if t.c.Bool("json") {
		if err := printJSON(t.c.App.Writer, out); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(t.c.App.Writer, text)
	}
	if !out.Accepted {
		return exitCode(exitViolated)
	}
	return nil
}
