package task

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// This file writes traces of netlists as value change dumps (IEEE 1364-2005, section 18), for viewers of
// waves such as GTKWave. A frame is a unit of time. Names have no blanks there.

// writeVCD writes words along a path.
func writeVCD(w io.Writer, words []word) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "$timescale 1 ns $end\n$scope module netlist $end\n")
	frames := 0
	for i, x := range words {
		frames = len(x.bits)
		fmt.Fprintf(b, "$var wire %d %s %s $end\n", len(x.bits[0]), waveCode(i), strings.Join(strings.Fields(x.Name), "_"))
	}
	fmt.Fprint(b, "$upscope $end\n$enddefinitions $end\n")
	last := make([]string, len(words))
	for k := range frames {
		fmt.Fprintf(b, "#%d\n", k)
		for i, x := range words {
			v := x.bits[k]
			switch {
			case v == last[i]:
				continue
			case len(v) == 1:
				fmt.Fprintf(b, "%s%s\n", v, waveCode(i))
			default:
				fmt.Fprintf(b, "b%s %s\n", v, waveCode(i))
			}
			last[i] = v
		}
	}
	fmt.Fprintf(b, "#%d\n", frames)
	return b.Flush()
}

// waveCode returns the short name of signal number i: printable characters from ! to ~.
func waveCode(i int) string {
	const first, n = '!', '~' - '!' + 1
	code := string(rune(first + i%n))
	for i /= n; i > 0; i /= n {
		i--
		code += string(rune(first + i%n))
	}
	return code
}

// Digit is a bit as text.
func Digit(v bool) string {
	if v {
		return "1"
	}
	return "0"
}
