package graph

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// The DIMACS form of coloured graphs that bliss and its relatives read:
//
//	c comment
//	p edge N M
//	n V COLOUR      (vertices without such a line have colour 0)
//	e U V           (M lines)
//
// with vertices from 1. The reader is strict: the problem line comes first and
// once, every vertex is in range, a vertex is coloured once, and there are
// exactly M edge lines, duplicates counted.

// WriteDIMACS writes g. Colours other than 0 are written as they are.
func WriteDIMACS(w io.Writer, g *Graph) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "p edge %d %d\n", g.N(), g.M())
	for v, c := range g.colour {
		if c != 0 {
			fmt.Fprintf(b, "n %d %d\n", v+1, c)
		}
	}
	var line []byte
	for v := range g.N() {
		for _, u := range g.Neighbours(v) {
			if int(u) >= v {
				line = append(line[:0], "e "...)
				line = strconv.AppendInt(line, int64(v)+1, 10)
				line = append(line, ' ')
				line = strconv.AppendInt(line, int64(u)+1, 10)
				line = append(line, '\n')
				b.Write(line)
			}
		}
	}
	return b.Flush()
}

// maxDIMACSVertices bounds what a problem line may make the reader allocate before
// it has seen a single edge.
const (
	maxDIMACSVertices = 1 << 26
	maxDIMACSReserve  = 1 << 22 // edges
)

// ReadDIMACS reads a graph. Errors name the line.
func ReadDIMACS(r io.Reader) (*Graph, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 1<<16), 1<<20)
	var b *Builder
	var coloured []bool
	var fields [][]byte
	edges, line := 0, 0
	fail := func(format string, args ...any) error {
		return fmt.Errorf("graph: line %d: %s", line, fmt.Sprintf(format, args...))
	}
	for scanner.Scan() {
		line++
		fields = words(scanner.Bytes(), fields[:0])
		if len(fields) == 0 || fields[0][0] == 'c' {
			continue
		}
		kind, args := fields[0], fields[1:]
		if string(kind) == "p" {
			if b != nil {
				return nil, fail("second problem line")
			}
			if len(args) != 3 || string(args[0]) != "edge" {
				return nil, fail("problem line is not of the form p edge N M")
			}
			n, err := number(args[1], 0, maxDIMACSVertices)
			if err != nil {
				return nil, fail("number of vertices: %v", err)
			}
			m, err := number(args[2], 0, 1<<31-1)
			if err != nil {
				return nil, fail("number of edges: %v", err)
			}
			b, coloured, edges = NewBuilder(n, min(m, maxDIMACSReserve)), make([]bool, n), m
			continue
		}
		if b == nil {
			return nil, fail("%q before the problem line", kind)
		}
		if len(args) != 2 {
			return nil, fail("%q with %d numbers instead of 2", kind, len(args))
		}
		v, err := number(args[0], 1, b.N())
		if err != nil {
			return nil, fail("vertex: %v", err)
		}
		switch string(kind) {
		case "n":
			colour, err := number(args[1], 0, 1<<32-1)
			if err != nil {
				return nil, fail("colour: %v", err)
			}
			if coloured[v-1] {
				return nil, fail("second colour of vertex %d", v)
			}
			coloured[v-1] = true
			b.SetColour(v-1, colour)
		case "e":
			u, err := number(args[1], 1, b.N())
			if err != nil {
				return nil, fail("vertex: %v", err)
			}
			if edges == 0 {
				return nil, fail("more edges than the problem line says")
			}
			edges--
			b.AddEdge(v-1, u-1)
		default:
			return nil, fail("unknown line %q", kind)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("graph: after line %d: %w", line, err)
	}
	switch {
	case b == nil:
		return nil, fmt.Errorf("graph: no problem line")
	case edges > 0:
		return nil, fmt.Errorf("graph: %d edges fewer than the problem line says", edges)
	}
	return b.Graph()
}

// words appends the words of a line to into. It is much faster than
// bytes.Fields: reading takes longer than most searches.
func words(line []byte, into [][]byte) [][]byte {
	start := -1
	for i, b := range line {
		if space := b == ' ' || b-'\t' <= '\r'-'\t'; space && start >= 0 {
			into = append(into, line[start:i])
			start = -1
		} else if !space && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		into = append(into, line[start:])
	}
	return into
}

// number parses a decimal number in low..high, which is less than 2^59.
func number(digits []byte, low, high int) (int, error) {
	n := 0
	for _, d := range digits {
		if d-'0' > 9 || n > high {
			n = -1
			break
		}
		n = 10*n + int(d-'0')
	}
	if len(digits) == 0 || n < low || n > high {
		return 0, fmt.Errorf("%q is not a number in %d..%d", digits, low, high)
	}
	return n, nil
}
