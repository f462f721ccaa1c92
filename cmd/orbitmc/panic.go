package main

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// This file turns panics into errors. Go ends a program that panics with status 2,
// which is that of an undecided property. A panic is recovered where a command runs and
// in each goroutine that runs code which may panic: engines side by side, encoding and
// detection, and smaller sizes that pdr carries lemmas from.

// panicked is a panic, as an error.
type panicked struct {
	value any
	at    []string // the places on the stack as package/file.go:line, innermost first; at most maxPlaces
}

// maxPlaces is how many places of the stack are shown.
const maxPlaces = 8

func (p *panicked) Error() string {
	text := fmt.Sprintf("internal error: %v", p.value)
	for i, at := range p.at {
		if i == 0 {
			text += "\n  at " + at
		} else {
			text += "\n  from " + at
		}
	}
	return text
}

// recovered sets err to the panic under way, if there is one, and ends it. It must be
// deferred itself.
func recovered(err *error) {
	value := recover()
	if value == nil {
		return
	}
	p := &panicked{value: value}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more && len(p.at) < maxPlaces; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") && f.File != "" {
			dir, file := path.Split(f.File)
			p.at = append(p.at, fmt.Sprintf("%s/%s:%d", path.Base(dir), file, f.Line))
		}
	}
	*err = p
}
