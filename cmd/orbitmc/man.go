package main

import (
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
				cli.HelpPrinterCustom(c.App.Writer, manApp, c.App, manWords)
				return nil
			}
			cmd := c.App.Command(name)
			if cmd == nil || cmd.Hidden {
				return noCommand(c.App, name)
			}
			cli.HelpPrinterCustom(c.App.Writer, manCommandPage, cmd, manWords)
			return nil
		},
	})
}

// manHead begins a page. There is no date: the same program writes the same page.
const manHead = `.TH {{upper (dashed .HelpName)}} 1 "" "orbitmc {{release}}" "orbitmc"
.SH NAME
{{roff (dashed .HelpName)}} \- {{roff .Usage}}
`

const manExit = `.SH EXIT STATUS
.nf
{{roff exits}}.fi
`

// manApp is the page of the program.
const manApp = manHead + `.SH SYNOPSIS
.B orbitmc
MODEL [options]
.br
.B orbitmc
COMMAND MODEL [options]
.br
.B orbitmc
help COMMAND
.SH DESCRIPTION
{{roff about}}
{{$at := ""}}{{range .VisibleCommands}}{{if .Category}}{{if ne .Category $at}}{{$at = .Category}}.SH {{upper $at}}
{{end}}.TP
.BR {{roff (dashed .HelpName)}} (1)
{{roff .Usage}}
{{end}}{{end}}` + manExit

// manCommandPage is the page of a command, with those of its own commands.
const manCommandPage = manHead + `{{define "text"}}{{$h := heading .}}{{$h}} SYNOPSIS
.B {{roff .HelpName}}
{{roff .ArgsUsage}} [options]
{{with trim .Description}}{{$h}} DESCRIPTION
{{roff .}}
{{end}}{{$at := ""}}{{range .Flags}}{{if .GetCategory}}{{if ne .GetCategory $at}}{{$at = .GetCategory}}{{$h}} {{roff (upper $at)}}
{{end}}.TP
{{option .}}
{{end}}{{end}}{{end}}{{template "text" .}}{{range .Subcommands}}{{if .Category}}.SH {{roff (upper .HelpName)}}
{{roff .Usage}}
{{template "text" .}}{{end}}{{end}}` + manExit + `.SH SEE ALSO
.BR orbitmc (1)
`

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
