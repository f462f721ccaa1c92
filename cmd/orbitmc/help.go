package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// This file has the help texts, as templates for the help printer of the flag library.

const appHelp = aboutText + `
usage: orbitmc MODEL [options]            the same as orbitmc check MODEL
       orbitmc COMMAND MODEL [options]
       orbitmc help COMMAND
       orbitmc --version
A MODEL - is read from standard input.
` + rowsHelp + "\nexit status\n" + exitText

// commandHelp is the help of a command, or of a command of a command.
const commandHelp = `{{.HelpName}}: {{.Usage}}

usage: {{.HelpName}} {{.ArgsUsage}} [options]
{{with trim .Description}}
{{.}}
{{end}}` + rowsHelp

// rowsHelp lists commands and options under the titles that are their categories. What has none is not listed.
const rowsHelp = `{{$at := ""}}{{range .VisibleCommands}}{{if .Category}}{{if ne .Category $at}}{{$at = .Category}}
{{$at}}
{{end}}  {{.Name}} {{.ArgsUsage}}{{"\t"}}{{.Usage}}
{{end}}{{end}}{{range .Flags}}{{if .GetCategory}}{{if ne .GetCategory $at}}{{$at = .GetCategory}}
{{$at}}
{{end}}  {{.}}
{{end}}{{end}}`

func init() {
	cli.FlagStringer = func(f cli.Flag) string {
		name, usage := spell(f)
		return name + "\t" + usage
	}
}

const aboutText = `orbitmc checks protocols of replicated components, such as cache coherence, in
the Murphi language, programs in Promela (.pml), and netlists in AIGER (.aig,
.aag), BTOR2 (.btor2) and, by way of yosys, Verilog (.v, .sv). It verifies
which parts are interchangeable and uses that to find bugs and to prove their
absence.
`

// exitText is the end of the help, and a part of the manual.
const exitText = `  0   every property holds; bmc -k: none is violated so far, which is no proof
  1   bad usage or input, or an internal error
  2   a property is undecided
  3   bench run: an answer is wrong; bench compare: a regression
  10  a property is violated, or a cover never hit; replay: the trace is rejected
with --exit-style hwmcc: 20 every property holds, 10 one is violated, 0 neither

The first Ctrl-C ends the search and prints what is known, the second kills.
`

// flagSet is a number of options under one title.
type flagSet struct {
	title string
	flags []cli.Flag
}

// without returns the set but for some flags.
func (s flagSet) without(names ...string) flagSet {
	s.flags = slices.DeleteFunc(slices.Clone(s.flags), func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
	return s
}

// command completes c with its options and help, and with the check of what is given.
func command(c *cli.Command, sets ...flagSet) *cli.Command {
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
		defer begin(ctx)()
		report := leftover(ctx, ctx.App.ErrWriter)
		err := validate(ctx)
		if err == nil {
			err = action(ctx)
		}
		if err = stopped(ctx, err); finished(err) {
			report()
		}
		return err
	}
	return describe(c, sets...)
}

// describe completes c with its options.
func describe(c *cli.Command, sets ...flagSet) *cli.Command {
	c.CustomHelpTemplate = commandHelp
	for _, s := range sets {
		c.Flags = append(c.Flags, s.flags...)
		for _, f := range s.flags {
			reflect.ValueOf(f).Elem().FieldByName("Category").SetString(s.title) // all kinds of options have it
		}
	}
	return c
}

// spell returns an option with the placeholder for its value, which begins its
// usage in back quotes, and the rest of the usage.
func spell(f cli.Flag) (name, usage string) {
	name = spelled(f.Names()[0])
	usage = f.(cli.DocGenerationFlag).GetUsage()
	if rest, ok := strings.CutPrefix(usage, "`"); ok {
		value, text, _ := strings.Cut(rest, "` ")
		return name + " " + value, text
	}
	return name, usage
}
