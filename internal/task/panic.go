package task

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// This file turns panics into errors. An unrecovered panic would end the program with status
// 2, which means an undecided property. Panics are recovered where a command runs, and in
// each goroutine that runs engines, encoding, detection, or the smaller sizes of pdr.

// Panic is a panic, as an error.
type Panic struct {
	value any
	at    []string // the places on the stack as package/file.go:line, innermost first; at most maxPlaces
}

// maxPlaces is how many places of the stack are shown.
const maxPlaces = 8

func (p *Panic) Error() string {
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

// Recover sets err to the panic under way, if there is one, and ends it. It must be
// deferred itself.
func Recover(err *error) {
	value := recover()
	if value == nil {
		return
	}
	p := &Panic{value: value}
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
