package main

import (
	"fmt"
	"io"
	"syscall"
	"time"
)

// This file measures what a run takes.

func (t *task) showCost(w io.Writer) {
	fmt.Fprintf(w, "%.2f s", time.Since(t.began).Seconds())
	if t.typed != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", t.typed.time.Seconds())
	}
	if t.report != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", t.report.Time.Seconds())
	}
	fmt.Fprintf(w, "; %.2f s of CPU, %s peak memory\n", cpuSeconds(), size(maxRSS()))
}

// cpuSeconds returns the CPU time of this process, user and system.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// maxRSS returns the peak resident memory in bytes.
func maxRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10 // Linux counts in KiB
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
