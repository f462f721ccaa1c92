package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder lets options stand behind arguments, which the flag parser does not
// allow, and turns `orbitmc MODEL` into `orbitmc check MODEL`.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	rest := args[1:]
	cmd := app.Command(rest[0])
	switch {
	case cmd != nil:
		rest = rest[1:]
	case rest[0] == "help" || rest[0] == "h" || rest[0] == "--help" || rest[0] == "-h":
		return args
	case isModel(rest):
		cmd = app.Command("check")
	default:
		return args
	}
	out := []string{args[0], cmd.Name}
	if len(cmd.Subcommands) > 0 {
		sub := -1
		for i, a := range rest {
			if sub < 0 && cmd.Command(a) != nil {
				sub = i
			}
		}
		if sub < 0 {
			return args
		}
		cmd = cmd.Command(rest[sub])
		rest = slices.Delete(slices.Clone(rest), sub, sub+1)
		out = append(out, cmd.Name)
	}
	takesValue := make(map[string]bool)
	for _, f := range cmd.Flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, n := range f.Names() {
			takesValue[n] = !isBool
		}
	}
	var positional []string
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		name := strings.TrimLeft(a, "-")
		switch {
		case a == "--":
			positional = append(positional, rest[i+1:]...)
			i = len(rest)
		case a == "-" || !strings.HasPrefix(a, "-"):
			positional = append(positional, a)
		case strings.HasPrefix(a, "-D") && len(a) > 2 && a[2] != '=': // -DNAME=VALUE
			out = append(out, "-D", a[2:])
		default:
			out = append(out, a)
			if takesValue[name] && i+1 < len(rest) {
				i++
				out = append(out, rest[i])
			}
		}
	}
	return append(append(out, "--"), positional...)
}

// isModel reports whether a command line without a command names a model.
func isModel(rest []string) bool {
	for _, a := range rest {
		if strings.HasSuffix(a, ".m") {
			return true
		}
		if st, err := os.Stat(a); err == nil && !st.IsDir() {
			return true
		}
	}
	return false
}

// parseSize reads a size in bytes such as 512M, 2GiB or 1000000; "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "BbIiKkMmGgTt")
	unit := strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s[len(digits):]), "B"), "I"))
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n <= 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("--mem %q is not a size such as 512M or 2GiB", s)
	}
	return n << shift, nil
}

// oneOf checks the value of an option against its choices.
func oneOf(name, value string, choices ...string) error {
	for _, c := range choices {
		if c == value {
			return nil
		}
	}
	return fmt.Errorf("--%s %q: want %s", name, value, strings.Join(choices, ", "))
}

// model returns the one model argument of a command.
func modelArg(c *cli.Context) (string, error) {
	switch c.NArg() {
	case 0:
		return "", fmt.Errorf("orbitmc %s: no model given; usage: orbitmc %s MODEL [options]", c.Command.Name, c.Command.Name)
	case 1:
		return c.Args().First(), nil
	}
	return "", fmt.Errorf("orbitmc %s: one model at a time, got %d arguments", c.Command.Name, c.NArg())
}
