//go:build !linux

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// errNoLimits refuses batches where runs cannot be held to limits: the supervisor
// needs child subreapers, /proc and the limits of the Linux kernel.
var errNoLimits = errors.New("bench run needs Linux, whose kernel holds runs to their limits; bench report and compare do not")

// Supervise is the whole of a supervisor process. It returns the exit status.
func Supervise() int {
	fmt.Fprintln(os.Stderr, errNoLimits)
	return 1
}

// cores fails, so that no batch begins.
func cores() ([]int, error) { return nil, errNoLimits }

func ownGroup(*exec.Cmd) {}

func lock(*os.File) error { return errNoLimits }
