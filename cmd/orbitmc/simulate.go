package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/simulate"
)

// This file holds simulate, which steps a file by hand.

func simulateCommand() *cli.Command {
	return command(&cli.Command{
		Name: "simulate", ArgsUsage: "MODEL [TRACE]",
		Usage: "step a model, a program or a netlist by hand, in the terminal or in a browser",
		Description: `
simulate shows the state, and each step that can be made with what it would change. Choose one
by its number, or by words of its name; h lists what else there is. TRACE is opened first: a
counterexample that replay reads, a run without end, or what induct --show-cti or every --cti
prints; n goes through it, and any other step leaves it. Commands come from standard input, so a script works, too; with --serve, from a page.`,
		Action: func(c *cli.Context) error {
			if c.Args().First() == "-" && !c.Bool("serve") {
				return errors.New("simulate reads commands from standard input, and so the model from a file")
			}
			t, err := open(c.Context, c, taskOptions(c))
			if err != nil {
				return err
			}
			t.bar.done()
			h, err := t.ByHand()
			if err != nil {
				return err
			}
			s := simulate.New(h, c.Uint64("seed"))
			if file := c.Args().Get(1); file != "" {
				data, err := read(c, file)
				if err == nil {
					err = s.Open(file, data)
				}
				if err != nil {
					return err
				}
			}
			s.Save = func(file string, write func(io.Writer) error) error {
				return writeFile(file, func(b *bufio.Writer) error { return write(b) })
			}
			if c.Bool("serve") {
				return serve(c, s)
			}
			st, err := os.Stdin.Stat()
			return s.Talk(c.Context, os.Stdin, c.App.Writer, err != nil || st.Mode()&os.ModeCharDevice == 0)
		},
	}, modelFlags(), flagSet{"stepping", []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Usage: "`N` seed of random steps (default 0)"},
		&cli.BoolFlag{Name: "serve", Usage: "in a browser: at the address that is printed, which only this machine can reach, until Ctrl-C"},
	}})
}

// serve shows a session to a browser on this machine that knows the token.
func serve(c *cli.Context, s *simulate.Session) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	token := rand.Text()
	fmt.Fprintf(c.App.Writer, "http://%v/%s/\n", l.Addr(), token)
	return s.Serve(c.Context, l, token)
}
