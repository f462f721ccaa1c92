package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// This file writes pages of the manual, from the definitions of the commands.

func manCommand() *cli.Command {
	return command(&cli.Command{
		Name: "man", ArgsUsage: "[COMMAND]",
		Usage: "write a page of the manual",
		Description: `
man writes the page of orbitmc, or of COMMAND, for man(1). Read one at once by
orbitmc man check | man -l -`,
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			if name == "" {
				cli.HelpPrinterCustom(c.App.Writer, manText+`{{template "app" .}}`, c.App, manWords)
				return nil
			}
			cmd := c.App.Command(name)
			if cmd == nil || cmd.Hidden {
				return noCommand(c.App, name)
			}
			cli.HelpPrinterCustom(c.App.Writer, manText+`{{template "command" .}}`, cmd, manWords)
			return nil
		},
	})
}

// manText has the templates of pages.
//
//go:embed man.tmpl
var manText string

// manWords are the functions of these templates.
var manWords = map[string]any{
	"upper": strings.ToUpper, "roff": quoteRoff,
	"dashed":  func(name string) string { return strings.ReplaceAll(name, " ", "-") },
	"release": func() string { return release },
	"about":   func() string { return aboutText },
	"exits":   func() string { return exitText },
	"heading": func(c *cli.Command) string { // of a command, or of a command of a command
		if strings.Count(c.HelpName, " ") > 1 {
			return ".SS"
		}
		return ".SH"
	},
	"option": func(f cli.Flag) string {
		option, usage := spell(f)
		word, value, _ := strings.Cut(option, " ")
		return fmt.Sprintf("\\fB%s\\fR \\fI%s\\fR\n%s", quoteRoff(word), quoteRoff(value), quoteRoff(usage))
	},
}

// roff quotes a text for troff.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

func quoteRoff(s string) string {
	s = roff.Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
