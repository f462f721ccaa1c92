package main

import (
	"fmt"
	"io"
	"time"

	"orbitmc/internal/task"
)

// This file measures what a run takes.

// showCost prints the time of a run, of which the check of the evidence took certify
// seconds, and its memory.
func (se *session) showCost(w io.Writer, certify float64) {
	fmt.Fprintf(w, "%.2f s", time.Since(se.Began).Seconds())
	if se.Typed != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", se.Typed.Time.Seconds())
	} else if se.Report != nil {
		fmt.Fprintf(w, ", %.2f s of them for the symmetry", se.Report.Time.Seconds())
	}
	if certify > 0 {
		fmt.Fprintf(w, ", %.2f s for the check of the evidence", certify)
	}
	fmt.Fprintf(w, "; %.2f s of CPU, %s peak memory\n", task.CPUSeconds(), task.Size(task.MaxRSS()))
}
