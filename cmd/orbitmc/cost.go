package main

import (
	"fmt"
	"io"
	"time"
)

// This file measures what a run takes.

// showCost prints the time of a run, of which the check of the evidence took certify
// seconds, and its memory.
func (t *task) showCost(w io.Writer, certify float64) {
	fmt.Fprintf(w, "%.2f s", time.Since(t.began).Seconds())
	if t.report != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", t.report.Time.Seconds())
	}
	if certify > 0 {
		fmt.Fprintf(w, ", %.2f s for the check of the evidence", certify)
	}
	fmt.Fprintf(w, "; %.2f s of CPU, %s peak memory\n", cpuSeconds(), size(maxRSS()))
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
