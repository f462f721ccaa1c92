package task

import (
	"context"
	"errors"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"orbitmc/mc"
)

// This file limits the time and memory of the phases before the engines: reading, clean-up,
// detection, encoding. Work that cannot be interrupted goes on in the background, and its
// result is dropped.

// Limit returns a context that ends after timeout. Between a call of watch and of unwatch it
// also ends when the live heap exceeds memory bytes. A limit of 0 is none. Engines check the
// heap themselves.
func Limit(parent context.Context, timeout time.Duration, memory int64) (ctx context.Context, watch func() (unwatch func()), cancel func()) {
	ctx, stop := context.WithCancelCause(parent)
	watch, cancel = func() func() { return func() {} }, func() { stop(nil) }
	if timeout > 0 {
		timed, timeout := context.WithTimeout(ctx, timeout)
		ctx, cancel = timed, func() { timeout(); stop(nil) }
	}
	if memory > 0 {
		watch = func() func() { return watchMemory(memory, func() { stop(mc.ErrMemory) }) }
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
			if metrics.Read(live); live[0].Value.Uint64() <= uint64(limit) {
				continue
			}
			select {
			case <-ended: // others watch the heap that was read
			default:
				exceeded()
				debug.SetMemoryLimit(before) // what is left behind does not get in the way of the rest
			}
			return
		}
	}()
	return sync.OnceFunc(func() {
		close(ended)
		debug.SetMemoryLimit(before)
	})
}

// moment is how long what has no way to be interrupted goes on after its context ended,
// before it is left behind: so a small model is read, whatever the limit. A limit of memory leaves
// less, as it may go on to allocate.
const moment = 100 * time.Millisecond

// Within returns what f does, or the error of ctx if that ends a moment before f: then f
// is left behind.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return within(ctx, moment, f)
}

// within is Within with another time for f to end after ctx. What f returns with an error counts.
func within[T any](ctx context.Context, left time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		x   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer Recover(&o.err)
		o.x, o.err = f()
	}()
	select {
	case o := <-done:
		return o.x, o.err
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), mc.ErrMemory) {
		left /= 10
	}
	select {
	case o := <-done:
		return o.x, o.err
	case <-time.After(left):
		var none T
		return none, ctx.Err()
	}
}

// CutShort reports whether an error is that ctx ended.
func CutShort(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// Grace is how long an engine may go on after its context ended, before it is
// left behind without a result.
const Grace = 2 * time.Second
