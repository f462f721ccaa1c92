package fault

import (
	"errors"
	"io/fs"
	"testing"
)

func TestCatch(t *testing.T) {
	run := func(with any) (err error) {
		defer Catch[*fs.PathError](&err)
		if with != nil {
			panic(with)
		}
		return nil
	}
	want := &fs.PathError{Op: "read"}
	if got := run(want); got != want {
		t.Errorf("error %v, want %v", got, want)
	}
	if got := run(nil); got != nil {
		t.Errorf("error %v without a panic", got)
	}
	defer func() {
		if p := recover(); p != errors.ErrUnsupported {
			t.Errorf("panic %v, want that with another error", p)
		}
	}()
	run(errors.ErrUnsupported)
}
