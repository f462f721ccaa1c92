package main

import (
	"fmt"
	"io"
	"time"

	"orbitmc/task"
)

// This file measures what a run takes.

// showCost prints the time of a run, of which the check of the evidence took certify
// seconds, and its memory.
func (t *session) showCost(w io.Writer, certify float64) {
	fmt.Fprintf(w, "%.2f s", time.Since(t.Began).Seconds())
	if t.Typed != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", t.Typed.Time.Seconds())
	} else if t.Report != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", t.Report.Time.Seconds())
	}
	if certify > 0 {
		fmt.Fprintf(w, ", %.2f s for the check of the evidence", certify)
	}
	fmt.Fprintf(w, "; %.2f s of CPU, %s peak memory\n", task.CPUSeconds(), task.Size(task.MaxRSS()))
}
