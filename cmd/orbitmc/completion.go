package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/lists"
	"orbitmc/internal/task"
)

// This file completes command lines: commands, options and the words that options take. The script of a
// shell asks the program itself, by a hidden command, which words may stand in place of the last one.

const completeName = "complete"

// scripts are those of the shells. They also propose files, if the status of the command is not 0.
//
//go:embed completion.bash completion.fish completion.zsh
var scripts embed.FS

var shells = []string{"bash", "fish", "zsh"}

func completionCommand() *cli.Command {
	return command(&cli.Command{
		Name: "completion", ArgsUsage: "SHELL",
		Usage: "write a script that makes a shell complete the command line",
		Description: `
SHELL is bash, fish or zsh. For this session:
  bash  source <(orbitmc completion bash)
  zsh   source <(orbitmc completion zsh)
  fish  orbitmc completion fish | source`,
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			text, err := scripts.ReadFile("completion." + shell)
			if err != nil {
				return fmt.Errorf("%s: no completion for this shell: want %s", shell, strings.Join(shells, ", "))
			}
			_, err = c.App.Writer.Write(text)
			return err
		},
	})
}

// completeCommand prints each word that may stand in place of the last argument, and behind a tab what it is.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name: completeName, Hidden: true, HideHelp: true,
		Usage: "list words for completion; called by shells",
		Action: func(c *cli.Context) error {
			words := append([]string{""}, c.Args().Slice()...)
			found, files := candidates(c.App, words[:len(words)-1])
			for _, x := range found {
				fmt.Fprintf(c.App.Writer, "%s\t%s\n", x[0], x[1])
			}
			if files {
				return exitCode(exitUsage)
			}
			return nil
		},
	}
}

// candidates returns the words, and what they are, that may stand behind some, and whether a file may, too.
func candidates(app *cli.App, before []string) (all [][2]string, files bool) {
	command := &cli.Command{Subcommands: app.VisibleCommands(), Flags: app.Flags}
	for _, w := range before {
		if sub := command.Command(w); sub != nil {
			command = sub
		}
	}
	last := before[len(before)-1] // "" before the first
	for _, f := range command.Flags {
		if name := f.Names()[0]; last == spelled(name) && f.(cli.DocGenerationFlag).TakesValue() {
			for _, v := range choicesOf(command.Name, name) {
				all = append(all, [2]string{v, ""})
			}
			return all, all == nil
		}
	}
	switch subs := command.Subcommands; command.Name {
	case "completion":
		all = append(all, lists.Map(shells, func(name string) [2]string { return [2]string{name, ""} })...)
	case "man", "help":
		subs = app.VisibleCommands()
		fallthrough
	default:
		for _, c := range subs {
			if !c.Hidden && (c.Name != "help" || command.Name == "") {
				all = append(all, [2]string{c.Name, c.Usage})
			}
		}
	}
	files = all == nil || command.Name == ""
	for _, f := range command.Flags {
		if name := f.Names()[0]; name != "help" {
			_, usage := spell(f)
			all = append(all, [2]string{spelled(name), usage})
		}
	}
	return all, files
}

// choicesOf returns the words that an option of a command may be; nil: any, or a file.
func choicesOf(command, name string) []string {
	if name == "trace-style" {
		return task.AllStyles()
	}
	if of := choices[command+" "+name]; of != nil {
		return of
	}
	return choices[name]
}
