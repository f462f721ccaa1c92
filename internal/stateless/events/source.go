package events

import _ "embed"

// Source is the text of the package, for programs that it is compiled into.
//
//go:embed events.go
var Source []byte
