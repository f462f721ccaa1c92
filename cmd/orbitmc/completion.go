package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/task"
)

// This file writes scripts that make a shell complete commands, options and the words that
// options take. They are made of the definitions of the commands, and run nothing.

var shells = map[string]func(*strings.Builder, []completed){
	"bash": completeBash, "zsh": completeZsh, "fish": completeFish,
}

func completionCommand() *cli.Command {
	names := slices.Sorted(maps.Keys(shells))
	return command(&cli.Command{
		Name: "completion", ArgsUsage: "SHELL",
		Usage: "write a script that makes a shell complete the command line",
		Description: `
SHELL is bash, fish or zsh. For this session:
  bash  source <(orbitmc completion bash)
  zsh   source <(orbitmc completion zsh)
  fish  orbitmc completion fish | source`,
		Action: func(c *cli.Context) error {
			write := shells[c.Args().First()]
			if write == nil {
				return fmt.Errorf("%s: no completion for this shell: want %s", c.Args().First(), strings.Join(names, ", "))
			}
			var b strings.Builder
			fmt.Fprintf(&b, "# Completion of orbitmc for %s. Written by `orbitmc completion %[1]s`.\n", c.Args().First())
			write(&b, completions(c.App))
			_, err := io.WriteString(c.App.Writer, b.String())
			return err
		},
	})
}

// completed is a command, or a command of a command, as a shell needs it.
type completed struct {
	path    string // such as "check" or "bench run"
	usage   string
	words   []string // that may stand behind it, beside files and options
	options []completedOption
}

type completedOption struct {
	name  string // as it is written
	usage string
	value bool     // it takes one
	words []string // that it may be; none: anything, or a file
}

// completions lists the commands, each before those of its own.
func completions(app *cli.App) (all []completed) {
	add := func(c *cli.Command, path string) {
		x := completed{path: path, usage: c.Usage}
		for _, f := range c.Flags {
			if f.Names()[0] == "help" {
				continue
			}
			_, usage := spell(f)
			o := completedOption{name: spelled(f.Names()[0]), usage: usage, value: f.(cli.DocGenerationFlag).TakesValue()}
			if o.words = choices[c.Name+" "+f.Names()[0]]; o.words == nil {
				o.words = choices[f.Names()[0]]
			}
			if f.Names()[0] == "trace-style" {
				o.words = task.AllStyles()
			}
			x.options = append(x.options, o)
		}
		switch path {
		case "completion":
			x.words = slices.Sorted(maps.Keys(shells))
		case "man":
			for _, c := range app.VisibleCommands() {
				x.words = append(x.words, c.Name)
			}
		}
		all = append(all, x)
	}
	for _, g := range groups() {
		for _, c := range g.commands {
			at := len(all)
			add(c, c.Name)
			for _, sub := range c.Subcommands {
				if sub.Name != "help" {
					all[at].words = append(all[at].words, sub.Name)
					add(sub, c.Name+" "+sub.Name)
				}
			}
		}
	}
	return append(all, completed{path: "help", usage: "the help of a command", words: topWords(all)})
}

// topWords lists the commands that are not those of a command.
func topWords(all []completed) (words []string) {
	for _, c := range all {
		if !strings.Contains(c.path, " ") {
			words = append(words, c.path)
		}
	}
	return words
}

func completeBash(b *strings.Builder, all []completed) {
	b.WriteString(`_orbitmc() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path${path:+ }${COMP_WORDS[i]}" in
`)
	var paths []string
	for _, c := range all {
		paths = append(paths, fmt.Sprintf("%q", c.path))
	}
	fmt.Fprintf(b, "      %s) path=\"$path${path:+ }${COMP_WORDS[i]}\" ;;\n    esac\n  done\n", strings.Join(paths, "|"))
	b.WriteString("  case \"$path $prev\" in\n")
	for _, c := range all {
		var values []string // options of any value: files
		for _, o := range c.options {
			switch {
			case len(o.words) > 0:
				fmt.Fprintf(b, "    %q) words=%q ;;\n", c.path+" "+o.name, strings.Join(o.words, " "))
			case o.value:
				values = append(values, fmt.Sprintf("%q", c.path+" "+o.name))
			}
		}
		if len(values) > 0 {
			fmt.Fprintf(b, "    %s) COMPREPLY=(); return ;;\n", strings.Join(values, "|"))
		}
	}
	b.WriteString("  esac\n  if [[ -z $words ]]; then\n    case \"$path\" in\n")
	fmt.Fprintf(b, "      \"\") words=%q ;;\n", strings.Join(topWords(all), " ")+" --version")
	for _, c := range all {
		words := slices.Clone(c.words)
		for _, o := range c.options {
			words = append(words, o.name)
		}
		fmt.Fprintf(b, "      %q) words=%q ;;\n", c.path, strings.Join(words, " "))
	}
	b.WriteString(`    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _orbitmc orbitmc
`)
}

// zsh quotes a text inside single quotes and brackets of _arguments.
var zsh = strings.NewReplacer(`'`, `'\''`, `[`, `\[`, `]`, `\]`, `:`, `\:`)

func completeZsh(b *strings.Builder, all []completed) {
	b.WriteString("#compdef orbitmc\n_orbitmc() {\n  local -a commands=(\n")
	for _, c := range all {
		if !strings.Contains(c.path, " ") {
			fmt.Fprintf(b, "    '%s:%s'\n", c.path, zsh.Replace(c.usage))
		}
	}
	b.WriteString(`  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
    return
  fi
  local at=$words[2]
  case "$words[2] $words[3]" in
`)
	for _, c := range all {
		if strings.Contains(c.path, " ") {
			fmt.Fprintf(b, "    %q) at=%q ;;\n", c.path, c.path)
		}
	}
	b.WriteString("  esac\n  case $at in\n")
	for _, c := range all {
		fmt.Fprintf(b, "    %q) _arguments", c.path)
		for _, o := range c.options {
			fmt.Fprintf(b, " \\\n      '*%s[%s]", o.name, zsh.Replace(o.usage))
			switch {
			case len(o.words) > 0:
				fmt.Fprintf(b, ":value:(%s)", strings.Join(o.words, " "))
			case o.value:
				b.WriteString(":value:_files")
			}
			b.WriteString("'")
		}
		if len(c.words) > 0 {
			fmt.Fprintf(b, " \\\n      '*:word:(%s)' ;;\n", strings.Join(c.words, " "))
		} else {
			b.WriteString(" \\\n      '*:file:_files' ;;\n")
		}
	}
	b.WriteString("  esac\n}\nif [[ $funcstack[1] == _orbitmc ]]; then _orbitmc \"$@\"; else compdef _orbitmc orbitmc; fi\n")
}

// fish quotes a text inside single quotes.
var fish = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

func completeFish(b *strings.Builder, all []completed) {
	b.WriteString("complete -c orbitmc -n __fish_use_subcommand -l version -d 'print the version'\n")
	for _, c := range all {
		on := "__fish_use_subcommand"
		name := c.path
		seen := "__fish_seen_subcommand_from " + c.path
		if group, sub, ok := strings.Cut(c.path, " "); ok {
			on, name = "__fish_seen_subcommand_from "+group, sub
			seen = "__fish_seen_subcommand_from " + group + "; and __fish_seen_subcommand_from " + sub
		}
		fmt.Fprintf(b, "complete -c orbitmc -n '%s' -a %s -d '%s'\n", on, name, fish.Replace(c.usage))
		if len(c.words) > 0 && !slices.ContainsFunc(all, func(x completed) bool { return strings.HasPrefix(x.path, c.path+" ") }) {
			fmt.Fprintf(b, "complete -c orbitmc -n '%s' -f -a '%s'\n", seen, strings.Join(c.words, " "))
		}
		for _, o := range c.options {
			kind := "-l"
			if len(o.name) == 2 {
				kind = "-s"
			}
			fmt.Fprintf(b, "complete -c orbitmc -n '%s' %s %s -d '%s'", seen, kind, strings.TrimLeft(o.name, "-"), fish.Replace(o.usage))
			switch {
			case len(o.words) > 0:
				fmt.Fprintf(b, " -x -a '%s'", strings.Join(o.words, " "))
			case o.value:
				b.WriteString(" -r")
			}
			b.WriteString("\n")
		}
	}
}
