package main

import (
	"fmt"
	"io"
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
			page := manApp(groups())
			if name := c.Args().First(); name != "" {
				cmd := c.App.Command(name)
				if cmd == nil || cmd.Hidden {
					return noCommand(c.App, name)
				}
				page = manPage(cmd)
			}
			_, err := io.WriteString(c.App.Writer, page)
			return err
		},
	})
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

// manHead begins the page of a name. There is no date: the same program writes the same page.
func manHead(name, usage string) string {
	return fmt.Sprintf(".TH %s 1 \"\" \"orbitmc %s\" \"orbitmc\"\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(name), release, quoteRoff(name), quoteRoff(usage))
}

// manPage is the page of a command.
func manPage(c *cli.Command) string {
	var b strings.Builder
	b.WriteString(manHead("orbitmc-"+c.Name, c.Usage))
	if len(c.Subcommands) == 0 {
		manCommandText(&b, c, "orbitmc "+c.Name, ".SH")
	} else {
		for _, sub := range c.Subcommands {
			if sub.Name == "help" {
				continue
			}
			fmt.Fprintf(&b, ".SH %s\n%s\n", strings.ToUpper(c.Name+" "+sub.Name), quoteRoff(sub.Usage))
			manCommandText(&b, sub, "orbitmc "+c.Name+" "+sub.Name, ".SS")
		}
	}
	b.WriteString(".SH EXIT STATUS\n.nf\n" + quoteRoff(exitText) + ".fi\n.SH SEE ALSO\n.BR orbitmc (1)\n")
	return b.String()
}

// manCommandText writes synopsis, description and options under headings of a level.
func manCommandText(b *strings.Builder, c *cli.Command, name, level string) {
	fmt.Fprintf(b, "%s SYNOPSIS\n.B %s\n%s [options]\n", level, quoteRoff(name), quoteRoff(c.ArgsUsage))
	if d := strings.TrimSpace(c.Description); d != "" {
		fmt.Fprintf(b, "%s DESCRIPTION\n%s\n", level, quoteRoff(d))
	}
	title := ""
	for _, f := range c.Flags {
		own := f.(cli.CategorizableFlag).GetCategory()
		if own == "" {
			continue // the option --help of the library
		}
		if own != title {
			title = own
			fmt.Fprintf(b, "%s %s\n", level, quoteRoff(strings.ToUpper(title)))
		}
		option, usage := spell(f)
		word, value, _ := strings.Cut(option, " ")
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", quoteRoff(word))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", quoteRoff(value))
		}
		fmt.Fprintf(b, "\n%s\n", quoteRoff(usage))
	}
}

// manApp is the page of the program.
func manApp(gs []group) string {
	var b strings.Builder
	b.WriteString(manHead("orbitmc", "a model checker that exploits verified symmetry"))
	b.WriteString(".SH SYNOPSIS\n.B orbitmc\nMODEL [options]\n.br\n.B orbitmc\nCOMMAND MODEL [options]\n.br\n.B orbitmc\nhelp COMMAND\n")
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", quoteRoff(aboutText))
	for _, g := range gs {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(g.name))
		for _, c := range g.commands {
			fmt.Fprintf(&b, ".TP\n.BR orbitmc\\-%s (1)\n%s\n", c.Name, quoteRoff(c.Usage))
		}
	}
	b.WriteString(".SH EXIT STATUS\n.nf\n" + quoteRoff(exitText) + ".fi\n")
	return b.String()
}
