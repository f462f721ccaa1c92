package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/task"
)

// This file prints what `orbitmc --version` says.

// release is the version of a release; its build sets it. Any other build is "devel".
var release = "devel"

func init() {
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version, the commit, and the versions of Go and of the solvers"}
	cli.VersionPrinter = func(c *cli.Context) { io.WriteString(c.App.Writer, programVersion()) }
}

// programVersion is the version, the commit, and what the program is built with.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionText(info)
}

// versionText is one line for each thing that may differ between two programs.
func versionText(info *debug.BuildInfo) string {
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	switch {
	case commit == "":
		commit = "unknown: the program was not built in a checkout"
	case settings["vcs.modified"] == "true":
		commit += ", modified"
	}
	if t := settings["vcs.time"]; t != "" {
		commit += ", " + t
	}
	module := make(map[string]string)
	for _, d := range info.Deps {
		module[d.Path] = d.Version
	}
	solvers := strings.Join(task.Choices("solver"), ", ")
	if v := module["github.com/go-air/gini"]; v != "" {
		solvers = strings.Replace(solvers, "gini", "gini "+v, 1)
	}
	if v := module["github.com/crillab/gophersat"]; v != "" {
		solvers += "; evidence: cdcl with LRAT, gophersat " + v
	}
	return fmt.Sprintf("orbitmc %s\ncommit  %s\ngo      %s %s/%s\nsolvers %s\n", release, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, solvers)
}
