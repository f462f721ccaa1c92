package std

import (
	"os/exec"
	"testing"
)

var run = (*exec.Cmd).Run

// A function that is not controlled is called by a variable.
func TestValue(t *testing.T) {
	if err := run(exec.Command("true")); err != nil {
		t.Error(err)
	}
}
