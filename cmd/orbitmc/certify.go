package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"orbitmc/mc"
)

// This file holds what commands share whose engines prove by induction, and the
// command that checks their certificates.

// proofFlags are what every command takes whose verdicts carry proofs.
func proofFlags() flagSet {
	return flagSet{"evidence", []cli.Flag{
		&cli.StringFlag{Name: "verify", Value: "reps", Usage: "`reps|full` check one representative of each orbit (default), or every image"},
	}}
}

// recorded is an engine that keeps what it was given and what it found.
type recorded struct {
	mc.Engine
	full bool
	p    *mc.Problem
	r    *mc.Result
}

// Run implements mc.Engine.
func (e *recorded) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	p.Full = e.full
	r, err := e.Engine.Run(ctx, p, opt)
	e.p, e.r = p, r
	return r, err
}

// prove is decide for engines whose verdicts carry proofs.
func prove(c *cli.Context, engines func(*task) ([]mc.Engine, error)) ([]*recorded, error) {
	if err := oneOf("verify", c.String("verify"), "reps", "full"); err != nil {
		return nil, err
	}
	var runs []*recorded
	err := decide(c, func(t *task) ([]mc.Engine, error) {
		es, err := engines(t)
		for i, e := range es {
			runs = append(runs, &recorded{Engine: e, full: c.String("verify") == "full"})
			es[i] = runs[i]
		}
		return es, err
	})
	return runs, err
}
