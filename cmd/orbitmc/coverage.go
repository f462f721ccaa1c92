package main

import (
	"bufio"
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/coverage"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file counts what the states that explore has visited cover of a model.

func coverageFlag() cli.Flag {
	return &cli.StringFlag{Name: "coverage", Usage: "`FILE` write a page that counts, over all states, how often rules fire, statements run and branches are taken, how full multisets are, and which parts of guards are never true"}
}

// cover counts, if that is wanted and all states are known.
func (se *session) cover(engines []*mc.Result) error {
	if se.c.String("coverage") == "" {
		return nil
	}
	if len(engines) != 1 || engines[0].Closure == nil || se.c.String("por") == ample {
		fmt.Fprintf(se.c.App.ErrWriter, "%s: there is no coverage, as not all states were visited; --all goes on after a violation\n", se.File)
		return nil
	}
	p := se.Problem
	packer := model.NewPacker(p.Model)
	s := make(model.State, p.Model.Leaves())
	states := engines[0].Closure
	ctx, cancel := se.context()
	defer cancel()
	r, err := coverage.Collect(ctx, p.Program, states.Len(), func(i int64) model.State {
		packer.Unpack(states.Member(i), s)
		return s
	}, se.Program())
	if task.CutShort(ctx, err) {
		fmt.Fprintf(se.c.App.ErrWriter, "%s: there is no coverage: %s\n", se.File, mc.StopReason(ctx))
		return nil
	}
	se.covered = r
	return err
}

// coverage is a line about it, "" if nothing was counted.
func (se *session) coverage() string {
	r := se.covered
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d rules fire, %d of %d statements run, %d of %d branches are taken",
		len(r.Rules)-r.Silent(), len(r.Rules), r.Statements.Covered, r.Statements.Total, r.Branches.Covered, r.Branches.Total)
}

func (se *session) saveCoverage() error {
	if se.covered == nil {
		return nil
	}
	text, err := se.Read(se.File)
	if err != nil {
		return err
	}
	return writeFile(se.c.String("coverage"), func(b *bufio.Writer) error { return se.covered.WriteHTML(b, se.Title(), text) })
}
