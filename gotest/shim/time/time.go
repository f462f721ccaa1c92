// Package time takes the place of the package of that name in programs under test.
package time

import (
	"time"

	"orbitmc/gotest/shim/sched"
)

// Names that this package needs itself; the others are made from those of Go.
type (
	Time     = time.Time
	Duration = time.Duration
)

func Now() Time                    { return sched.Now() }
func Since(t Time) Duration        { return sched.Now().Sub(t) }
func Until(t Time) Duration        { return t.Sub(sched.Now()) }
func Sleep(d Duration)             { sched.SleepFor(d) }
func After(d Duration) <-chan Time { return newTimer(d, 0, nil).C }

// Timer is time.Timer.
type Timer struct {
	C    <-chan Time
	t    *sched.Timer
	real *time.Timer
}

func newTimer(d, period Duration, f func()) *Timer {
	if !sched.On() {
		if f != nil {
			return &Timer{real: time.AfterFunc(d, f)}
		}
		r := time.NewTimer(d)
		return &Timer{C: r.C, real: r}
	}
	if f != nil {
		return &Timer{t: sched.NewTimer(d, 0, nil, f)}
	}
	c := make(chan Time, 1)
	return &Timer{C: c, t: sched.NewTimer(d, period, c, nil)}
}

func NewTimer(d Duration) *Timer            { return newTimer(d, 0, nil) }
func AfterFunc(d Duration, f func()) *Timer { return newTimer(d, 0, f) }

func (t *Timer) Stop() bool {
	if t.t == nil {
		return t.real.Stop()
	}
	return t.t.Change(false, 0, 0, sched.NewTimers())
}

func (t *Timer) Reset(d Duration) bool {
	if t.t == nil {
		return t.real.Reset(d)
	}
	return t.t.Change(true, d, 0, sched.NewTimers())
}

// Ticker is time.Ticker.
type Ticker struct {
	C    <-chan Time
	t    *sched.Timer
	real *time.Ticker
}

func NewTicker(d Duration) *Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	if !sched.On() {
		r := time.NewTicker(d)
		return &Ticker{C: r.C, real: r}
	}
	t := newTimer(d, d, nil)
	return &Ticker{C: t.C, t: t.t}
}

func Tick(d Duration) <-chan Time {
	if d <= 0 {
		return nil
	}
	return NewTicker(d).C
}

func (t *Ticker) Stop() {
	if t.t == nil {
		t.real.Stop()
		return
	}
	t.t.Change(false, 0, 0, sched.NewTimers())
}

func (t *Ticker) Reset(d Duration) {
	if t.t == nil {
		t.real.Reset(d)
		return
	}
	t.t.Change(true, d, d, sched.NewTimers())
}
