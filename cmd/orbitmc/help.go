package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
)

// This file writes the help texts. They hold no template actions, so the help
// printer of the flag library prints them as they are.

// appHelp lists the commands by group.
func appHelp(gs []group) string {
	var b strings.Builder
	b.WriteString(aboutText + `
usage: orbitmc MODEL [options]            the same as orbitmc check MODEL
       orbitmc COMMAND MODEL [options]
       orbitmc help COMMAND
       orbitmc --version
A MODEL - is read from standard input.
`)
	for _, g := range gs {
		fmt.Fprintf(&b, "\n%s\n", g.name)
		tw := tabwriter.NewWriter(&b, 11, 0, 2, ' ', 0)
		for _, c := range g.commands {
			fmt.Fprintf(tw, "  %s\t%s\n", c.Name, c.Usage)
		}
		tw.Flush()
	}
	b.WriteString("\nexit status\n" + exitText)
	return b.String()
}

// aboutText says what the program is for.
const aboutText = `orbitmc checks protocols of replicated components, such as cache coherence, in
the Murphi language, programs in Promela (.pml), and netlists in AIGER (.aig,
.aag) and BTOR2 (.btor2). It verifies which parts are interchangeable and uses
that to find bugs and to prove their absence.
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
	return describe(c, c.Name, sets...)
}

// describe completes c, which is called by a name, with its options and help.
func describe(c *cli.Command, name string, sets ...flagSet) *cli.Command {
	var b strings.Builder
	fmt.Fprintf(&b, "orbitmc %s: %s\n\nusage: orbitmc %s %s [options]\n", name, c.Usage, name, c.ArgsUsage)
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Description))
	}
	for _, s := range sets {
		c.Flags = append(c.Flags, s.flags...)
		fmt.Fprintf(&b, "\n%s\n", s.title)
		tw := tabwriter.NewWriter(&b, 30, 0, 2, ' ', 0)
		for _, f := range s.flags {
			setCategory(f, s.title)
			name, usage := spell(f)
			fmt.Fprintf(tw, "  %s\t%s\n", name, usage)
		}
		tw.Flush()
	}
	c.CustomHelpTemplate = b.String()
	return c
}

// setCategory notes under which title help shows an option.
func setCategory(f cli.Flag, title string) {
	switch f := f.(type) {
	case *cli.BoolFlag:
		f.Category = title
	case *cli.DurationFlag:
		f.Category = title
	case *cli.Float64Flag:
		f.Category = title
	case *cli.IntFlag:
		f.Category = title
	case *cli.StringFlag:
		f.Category = title
	case *cli.StringSliceFlag:
		f.Category = title
	case *cli.Uint64Flag:
		f.Category = title
	default:
		panic(fmt.Sprintf("option %s: no category for a %T", f.Names()[0], f))
	}
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
