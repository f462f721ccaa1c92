package runner

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"orbitmc/detect/graph"
	"orbitmc/internal/lists"
)

// dreadnautTool runs nauty and Traces on a coloured graph, by the program dreadnaut.
// The arguments are its commands that choose the mode: [At] is Traces, the
// default, [As] is nauty for sparse graphs. The graph is written in the language of
// dreadnaut before the run. Its verdict is the order of the group as that of bliss,
// but a large one is rounded.
var dreadnautTool = tool{
	find: installed("", "-version", "", "dreadnaut"),
	prepare: func(program string, x *task, dir string) (*recipe, error) {
		if err := isGraph(x); err != nil {
			return nil, err
		}
		input := filepath.Join(dir, "graph.dre")
		if err := translate(x.path, input); err != nil {
			return nil, err
		}
		mode := cmp.Or(strings.Join(x.config.args, " "), "At")
		// Without writing automorphisms, nor marks of levels.
		return &recipe{run: []string{program, "-o", mode + " -a -m"}, input: input}, nil
	},
	read: readDreadnaut,
}

// translate writes a graph in DIMACS format as commands for dreadnaut: the
// neighbours of each vertex that are greater, vertices from 0, and then the
// classes of colours.
func translate(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	g, err := graph.ReadDIMACS(in)
	if err != nil {
		return unsupported(err.Error())
	}
	if g.N() == 0 {
		return unsupported("a graph without vertices")
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	b := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(b, "n=%d $=0 g\n", g.N())
	var text []byte
	for v := range g.N() {
		text = text[:0]
		for _, u := range g.Neighbours(v) {
			if int(u) == v {
				return unsupported("a graph with loops")
			}
			if int(u) > v {
				text = append(strconv.AppendInt(text, int64(u), 10), ' ')
			}
		}
		b.Write(append(text, ";\n"...))
	}
	b.WriteString("f=[")
	for k, class := range lists.Groups(lists.Make(g.N(), g.Colour)) {
		if k > 0 {
			b.WriteString("|")
		}
		for i, v := range class {
			if i > 0 {
				b.WriteString(",")
			}
			b.Write(append(strconv.AppendInt(text[:0], int64(v), 10), '\n'))
		}
	}
	b.WriteString("] x q\n")
	return b.Flush()
}

// dreadnautEnd matches what is said at the end, of which nauty leaves out a part.
var dreadnautEnd = regexp.MustCompile(`(?m)^(?P<orbits>\d+) orbits?; grpsize=([0-9.e]+); (?P<generators>\d+) gens?; (?P<nodes>\d+) nodes?.*; maxlev=(?P<max_level>\d+)$`)

func readDreadnaut(log string, exit int) answer {
	found := dreadnautEnd.FindStringSubmatch(log)
	if exit != 0 || found == nil {
		return answer{depth: -1}
	}
	return answer{verdict: "order " + found[2], depth: -1, stats: counters(log, dreadnautEnd)}
}

// blissTool runs bliss on a coloured graph in its DIMACS format (.dimacs). Its
// verdict is the order of the automorphism group, as in "order 8", so that two
// tools which find different groups contradict each other. The arguments are
// options of bliss, such as -directed or -sh=fl.
var blissTool = tool{
	find: installed("", "-version", "", "bliss"),
	prepare: func(program string, x *task, _ string) (*recipe, error) {
		if err := isGraph(x); err != nil {
			return nil, err
		}
		// bliss writes every generator to its output.
		return &recipe{run: append(append([]string{program}, x.config.args...), x.abs)}, nil
	},
	read: readBliss,
}

// blissCount matches the numbers that bliss prints at the end.
var blissCount = regexp.MustCompile(`(?m)^(Nodes|Generators|Max level|\|Aut\|): +(\S+)$`)

func readBliss(log string, exit int) answer {
	a := answer{depth: -1, stats: make(map[string]float64)}
	if exit != 0 {
		return a
	}
	for _, found := range blissCount.FindAllStringSubmatch(log, -1) {
		if found[1] == "|Aut|" {
			a.verdict = "order " + found[2]
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(found[1]), " ", "_")
		a.stats[name], _ = strconv.ParseFloat(found[2], 64)
	}
	return a
}
