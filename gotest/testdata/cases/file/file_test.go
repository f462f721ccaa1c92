// Package file has a test that leaves a file behind, which decides what it does.
package file

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	c, d := make(chan int, 2), make(chan int, 2)
	go func() { c <- 1 }()
	name := filepath.Join(os.TempDir(), "orbitmc-left")
	if _, err := os.Stat(name); err == nil {
		d <- 4
	}
	os.WriteFile(name, nil, 0o666)
	c <- 2
	d <- 3
}
