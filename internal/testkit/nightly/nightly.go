// Package nightly says how much a test does: a sample, or with ORBITMC_LONG=1 all that is worth a night.
package nightly

import "os"

// On reports whether the environment asks for long runs.
func On() bool { return os.Getenv("ORBITMC_LONG") != "" }

// Or returns how much of something a test takes: all with long runs, else a sample.
func Or(sample, all int) int {
	if On() {
		return all
	}
	return sample
}
