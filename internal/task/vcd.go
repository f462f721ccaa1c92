package task

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// This file writes traces of netlists as value change dumps (IEEE 1364-2005, section 18), for viewers of
// waves such as GTKWave. A frame is a unit of time. Names have no blanks there.

// writeVCD writes words along a path.
func writeVCD(w io.Writer, words []word) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "$timescale 1 ns $end\n$scope module netlist $end\n")
	frames := 0
	for _, x := range words {
		frames = len(x.bits)
	}
	var in []string // the instance at hand
	order := lists.Make(len(words), func(i int) int { return i })
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(instance(words[i].Name), instance(words[j].Name)) })
	for _, i := range order {
		at := instance(words[i].Name)
		same := 0
		for same < min(len(at), len(in)) && at[same] == in[same] {
			same++
		}
		fmt.Fprint(b, strings.Repeat("$upscope $end\n", len(in)-same))
		for _, name := range at[same:] {
			fmt.Fprintf(b, "$scope module %s $end\n", name)
		}
		in = at
		name := words[i].Name
		fmt.Fprintf(b, "$var wire %d %s %s $end\n", len(words[i].bits[0]), waveCode(i), noBlanks(name[strings.LastIndexByte(name, '.')+1:]))
	}
	fmt.Fprint(b, strings.Repeat("$upscope $end\n", len(in)+1), "$enddefinitions $end\n")
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

// instance returns the names of the instances in which a signal is: name.name.signal.
func instance(signal string) []string {
	parts := strings.Split(noBlanks(signal), ".")
	return parts[:len(parts)-1]
}

func noBlanks(name string) string { return strings.Join(strings.Fields(name), "_") }

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
