//go:build unix

package explicit

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a file for this process until it is closed or the process ends.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errInUse
	}
	return nil, &os.PathError{Op: "lock", Path: name, Err: err}
}
