package main

import (
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/lsp"
)

// This file holds lsp, the language server.

func lspCommand() *cli.Command {
	return command(&cli.Command{
		Name:  "lsp",
		Usage: "serve an editor: errors while typing, definitions, hover, rename, checks of properties",
		Description: `
lsp speaks the Language Server Protocol on standard input and output, about Murphi models and
Promela programs. Editors start it; editors/README.md says how.`,
		Action: func(c *cli.Context) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			debug.SetGCPercent(400) // each edit makes some megabytes of garbage, and one waits for it
			return (&lsp.Server{Program: self, Version: release}).Serve(c.Context, os.Stdin, os.Stdout)
		},
	})
}
