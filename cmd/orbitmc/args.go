package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks/runner"
	"orbitmc/bmc"
	"orbitmc/cofactor"
	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/stateless"
	"orbitmc/internal/table"
	"orbitmc/internal/task"
)

// reorder puts options before arguments, as the flag parser wants them, and
// turns `orbitmc MODEL` into `orbitmc check MODEL`. Options may stand anywhere,
// also before the command; those of one name take a value in all commands or
// in none.
func reorder(app *cli.App, args []string) []string {
	takesValue := make(map[string]bool)
	for _, cmd := range app.Commands {
		for _, c := range append([]*cli.Command{cmd}, cmd.Subcommands...) {
			for _, f := range c.Flags {
				for _, name := range f.Names() {
					takesValue[name] = f.(cli.DocGenerationFlag).TakesValue()
				}
			}
		}
	}
	var options, rest []string
	help, noValue := false, false
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case a == "-" || !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
		case strings.HasPrefix(a, "-D") && len(a) > 2 && a[2] != '=': // -DNAME=VALUE
			options = append(options, "-D", a[2:])
		default:
			options = append(options, a)
			help = help || a == "-h" || a == "--help" || a == "-help"
			if takesValue[strings.TrimLeft(a, "-")] {
				if i++; i < len(args) {
					options = append(options, args[i])
				} else {
					noValue = true
				}
			}
		}
	}
	name := "check"
	if len(rest) == 3 && rest[0] == "help" { // of a command of a command
		rest, help = rest[1:], true
	}
	switch {
	case len(rest) > 0 && app.Command(rest[0]) != nil:
		name, rest = rest[0], rest[1:]
	case len(rest) == 0:
		return args
	case rest[0] == "help":
		if len(rest) == 2 && app.Command(rest[1]) == nil {
			return []string{args[0], "--", rest[1]}
		}
		return args
	case !hasFile(rest[0]):
		return []string{args[0], "--", rest[0]}
	}
	out := []string{args[0], name}
	if len(rest) > 0 && app.Command(name).Command(rest[0]) != nil {
		out, rest = append(out, rest[0]), rest[1:]
	}
	switch {
	case help && len(out) > 2:
		return append(out, "--help")
	case help:
		return []string{args[0], "help", name}
	}
	out = append(out, options...)
	if noValue {
		return out // the parser says what is missing
	}
	return append(append(out, "--"), rest...)
}

// hasFile reports whether the first word of a command line names a model and no command.
func hasFile(word string) bool {
	_, err := os.Stat(word)
	return err == nil || word == "-" || task.Known(word)
}

// parseSize reads a size in bytes such as 512M, 2GiB or 1000000; "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, ok := runner.ParseSize(s)
	if !ok {
		return 0, fmt.Errorf("--mem %q is not a size such as 512M or 2GiB", s)
	}
	return n, nil
}

// choices lists the values of options, by name, or by command and name.
var choices = map[string][]string{
	"abstract":   task.Choices("abstract"),
	"canon":      {"none", "sorted", "star", "exact", "adaptive", "auto", "first"},
	"deadlock":   task.Choices("deadlock"),
	"dialect":    task.Choices("dialect"),
	"encoding":   task.Choices("encoding"),
	"engine":     portfolio.Names(),
	"exit-style": {"plain", "hwmcc"},
	"format":     append(table.Formats, "html"),
	"on":         {"here", "slurm"},
	"path":       {"stepwise", "unrolled"},
	"grain":      {"statement", "visible"},
	"por":        append(stateless.Reductions(), ample),
	"store":      {"states", "none"},
	"progress":   {"auto", "always", "never"},
	"set":        repSets,
	"solver":     task.Choices("solver"),
	"sym":        task.Choices("sym"),
	"timers":     {"idle", "any"},
	"verify":     {"reps", "full", "gophersat"},
	"bmc rep":    bmc.RepModes(),
	"go por":     {"dpor", "none"},
	"go sym":     {"twins", "off"},
	"reach rep":  cofactor.Reductions(),
}

// chosen returns the number of the word that an option is among those that it may be, which validate has checked.
func chosen[T ~uint8](c *cli.Context, name string) T {
	return T(slices.Index(choicesOf(c.Command.Name, name), c.String(name)))
}

// numbers lists the least value of options that are numbers, and what they count.
var numbers = map[string]struct {
	least int
	what  string
}{
	"from": {0, "steps"}, "k": {0, "steps"}, "k-max": {1, "steps"}, "loop-max": {1, "iterations"}, "max": {0, "executions"}, "random": {0, "executions"}, "preemptions": {0, "preemptions"}, "steps": {1, "operations"}, "parts": {1, "parts"}, "seeds": {1, "seeds"}, "step": {1, "steps"}, "threads": {1, "threads"},
}

// validate checks the arguments and the values of all options of a command, before any
// work.
func validate(c *cli.Context) error {
	args, err := arguments(c)
	if err != nil {
		return err
	}
	for _, name := range c.LocalFlagNames() {
		of := choicesOf(c.Command.Name, name)
		if name == "trace-style" {
			of = taskOptions(c).Styles(args[0])
		}
		if of != nil {
			if err := task.OneOf(name, c.String(name), of...); err != nil {
				return err
			}
		}
		if n, ok := numbers[name]; ok && c.Int(name) < n.least {
			return fmt.Errorf("%s %d: want a number of %s, %d or more", spelled(name), c.Int(name), n.what, n.least)
		}
	}
	if _, err := parseSize(c.String("mem")); err != nil {
		return err
	}
	for _, name := range written {
		if file := c.String(name); file != "" {
			if err := writable(file); err != nil {
				return err
			}
		}
	}
	if _, err := cofactor.ParseTechniques(c.StringSlice("without")); err != nil {
		return fmt.Errorf("--without: %w", err)
	}
	if c.Command.Name == "explore" {
		if err := validateExecutions(c, args[0]); err != nil {
			return err
		}
		if err := first(partsMistakes(c)); err != nil {
			return err
		}
	}
	return consistent(c)
}

// mistake is what may be wrong with a command line, and what there is to say of it then.
type mistake struct {
	made bool
	text string
}

// first returns the first mistake that was made as an error.
func first(all []mistake) error {
	if i := slices.IndexFunc(all, func(m mistake) bool { return m.made }); i >= 0 {
		return errors.New(all[i].text)
	}
	return nil
}

// consistent checks that options go together.
func consistent(c *cli.Context) error {
	canon, bits, folder, limit := c.String("canon"), c.Int("hash-compact"), c.String("spill"), c.Duration("timeout")
	info, err := os.Stat(folder)
	noFolder := err != nil || !info.IsDir()
	compact, spill, checkpoint := c.IsSet("hash-compact"), c.IsSet("spill"), c.IsSet("checkpoint")
	var all []mistake
	for _, name := range []string{"out", "seeds", "parts"} {
		all = append(all, mistake{c.IsSet(name) && c.String("on") != "slurm" && !c.IsSet(taskFlag), "--" + name + " goes with --on slurm"})
	}
	all = append(all, mistake{c.IsSet("timeout") && limit <= 0, fmt.Sprintf("--timeout %v: want %s", limit, aTime)})
	for _, name := range []string{"hash-compact", "spill", "checkpoint"} {
		all = append(all,
			mistake{c.IsSet(name) && (canon == "adaptive" || canon == "first"), fmt.Sprintf("--%s does not go with --canon %s", name, canon)},
			mistake{c.IsSet(name) && c.IsSet("coverage"), "--coverage does not go with --" + name})
	}
	return first(append(all,
		mistake{c.IsSet("threads") && canon == "adaptive", "--threads does not go with --canon adaptive"},
		mistake{compact && (bits < 40 || bits > 64), fmt.Sprintf("--hash-compact %d: want a number of bits, 40 to 64", bits)},
		mistake{compact && (canon == "sorted" || canon == "star"), "--hash-compact goes with --canon exact or none"},
		mistake{compact && (spill || checkpoint), "--hash-compact does not go with --spill and --checkpoint"},
		mistake{spill && noFolder, fmt.Sprintf("--spill %s: there is no such folder", folder)},
		mistake{spill && !c.IsSet("mem"), "--spill goes with --mem, which says when"},
		mistake{c.IsSet("coverage") && (canon == "adaptive" || canon == "auto"), "--coverage does not go with --canon " + canon},
		mistake{c.Bool("json-events") && !c.Bool("json"), "--json-events goes with --json"},
		mistake{c.IsSet("trace-style") && c.Bool("json") && !c.IsSet("trace"),
			"--trace-style goes with text, or with --trace: the trace in JSON has no style"},
	))
}

const aTime = "a time with its unit, such as 90s, 5m or 2h"

var (
	badValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value "(.*)" for (?:flag )?-([\w-]+): `)
	noValue  = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	noOption = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
)

// usageError says what is wrong with a command line that the flag parser refuses, and what
// would be right.
func usageError(c *cli.Context, err error, _ bool) error {
	flags := c.Command.Flags
	wants := func(name string) string {
		for _, f := range flags {
			if !slices.Contains(f.Names(), name) {
				continue
			}
			switch f.(type) {
			case *cli.DurationFlag:
				return aTime
			case *cli.BoolFlag:
				return "true or false, or no value"
			case *cli.IntFlag:
				return "a number"
			case *cli.Uint64Flag:
				return "a number, 0 or more"
			}
			value, _ := spell(f)
			return strings.TrimPrefix(value, spelled(name)+" ")
		}
		return "another value"
	}
	text := err.Error()
	if m := badValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s %s: want %s", spelled(m[2]), m[1], wants(m[2]))
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s: no value given: want %s", spelled(m[1]), wants(m[1]))
	}
	if m := noOption.FindStringSubmatch(text); m != nil {
		hint := front.Meant(m[1], lists.Map(flags, func(f cli.Flag) string { return f.Names()[0] }))
		if hint != "" {
			hint = "; did you mean " + spelled(hint) + "?"
		}
		command := c.Command.HelpName
		return fmt.Errorf("%s: %s has no such option%s; see %s", spelled(m[1]), command, hint, strings.Replace(command, "orbitmc", "orbitmc help", 1))
	}
	return err
}

// noCommand says that a word is neither a command nor a file.
func noCommand(app *cli.App, word string) error {
	names := lists.Map(app.VisibleCommands(), func(c *cli.Command) string { return c.Name })
	return fmt.Errorf("%s: no such command or file%s; see orbitmc help", word, front.DidYouMean(word, names))
}

// spelled returns an option as it is written.
func spelled(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// arguments checks that a command has been given what its usage names.
func arguments(c *cli.Context) ([]string, error) {
	want := strings.Fields(c.Command.ArgsUsage)
	least := len(slices.DeleteFunc(slices.Clone(want), func(w string) bool { return w[0] == '[' }))
	got := c.Args().Slice()
	switch {
	case len(got) < least:
		return nil, fmt.Errorf("orbitmc %s: no %s given; usage: orbitmc %s %s [options]",
			c.Command.Name, strings.ToLower(want[len(got)]), c.Command.Name, c.Command.ArgsUsage)
	case len(got) > len(want) && !strings.HasSuffix(c.Command.ArgsUsage, "...]"):
		return nil, fmt.Errorf("orbitmc %s: %d arguments, want %s", c.Command.Name, len(got), c.Command.ArgsUsage)
	}
	return got, nil
}
