package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/mc"
)

// This file holds what --timeout and --mem bind before engines run: reading, clean-up,
// detection, encoding. What of it cannot be interrupted is left behind; the process ends
// soon after.

// limited returns the context of a command, which ends with its --timeout, and, from
// watch to unwatch, when the live heap exceeds its --mem. Engines look at that
// themselves.
func limited(c *cli.Context) (ctx context.Context, watch func() (unwatch func()), cancel func()) {
	ctx, stop := context.WithCancelCause(c.Context)
	watch, cancel = func() func() { return func() {} }, func() { stop(nil) }
	if d := c.Duration("timeout"); d > 0 {
		timed, timeout := context.WithTimeout(ctx, d)
		ctx, cancel = timed, func() { timeout(); stop(nil) }
	}
	if limit, err := parseSize(c.String("mem")); err == nil && limit > 0 {
		watch = func() func() { return watchMemory(limit, func() { stop(mc.ErrMemory) }) }
	}
	return ctx, watch, cancel
}

// memoryInterval is the time between two looks at the heap.
const memoryInterval = 10 * time.Millisecond

// watchMemory calls exceeded once more than limit bytes are live. Near the limit garbage
// is collected often, so that not much more is in use.
func watchMemory(limit int64, exceeded func()) (stop func()) {
	before := debug.SetMemoryLimit(limit)
	ended := make(chan struct{})
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-ended:
				return
			case <-time.After(memoryInterval):
			}
			if metrics.Read(live); live[0].Value.Uint64() > uint64(limit) {
				exceeded()
				debug.SetMemoryLimit(before) // what is left behind does not get in the way of the rest
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(ended)
		debug.SetMemoryLimit(before)
	})
}

// moment is how long what has no way to be interrupted goes on after its context ended,
// before it is left behind: so a small model is read, whatever the limit.
const moment = 100 * time.Millisecond

// within returns what f does, or the error of ctx if that ends a moment before f: then f
// is left behind.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		x   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.x, o.err = f()
	}()
	select {
	case o := <-done:
		return o.x, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.x, o.err
	case <-time.After(moment):
		var none T
		return none, ctx.Err()
	}
}

// cutShort reports whether an error is that ctx ended.
func cutShort(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// unread prints the result of a command that decides properties if it ends before it has
// read its file.
func unread(c *cli.Context, reason string) error {
	file := c.Args().First()
	if c.Bool("json") {
		out := jsonResult{Model: file, Verdict: mc.Unknown.String(), Stopped: reason, Properties: []jsonProperty{}, Symmetry: jsonSymmetry{Order: "1"},
			Stats: jsonStats{CPU: cpuSeconds(), MaxRSS: maxRSS(), Seed: c.Uint64("seed")}}
		if err := printJSON(c.App.Writer, out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.App.Writer, "%s\n\nverdict: %v; stopped by %s while it was read\n", file, mc.Unknown, stopNoun(reason))
	}
	if c.String("exit-style") == "hwmcc" {
		return nil
	}
	return exitCode(exitUndecided)
}
