package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/detect/graph"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file holds detect on a coloured graph in DIMACS format: what the search
// for automorphisms finds, and at what price, beside other tools.

// graphStats says what a search took.
type graphStats struct {
	Levels      int     `json:"levels"` // of the first path
	Cells       int     `json:"cells"`  // of the equitable partition
	Nodes       int64   `json:"nodes"`
	BadNodes    int64   `json:"bad_nodes"`
	Refinements int64   `json:"refinements"`
	CPU         float64 `json:"cpu_s"` // all of the process
	Search      float64 `json:"search_s"`
	MaxRSS      int64   `json:"max_rss_bytes"`
}

// jsonGraph is what detect says of a graph. Without Complete the order is of a
// subgroup.
type jsonGraph struct {
	Model    string `json:"model"`
	Vertices int    `json:"vertices"`
	Edges    int    `json:"edges"`
	Symmetry struct {
		Order      string `json:"order"`
		Generators int    `json:"generators"`
		Orbits     int    `json:"orbits"` // those of one vertex included
		Moved      int    `json:"moved"`  // vertices
	} `json:"symmetry"`
	Complete bool       `json:"complete"`
	Stopped  string     `json:"stopped,omitempty"` // why it is not
	Stats    graphStats `json:"stats"`
}

func readGraph(c *cli.Context, file string) (*graph.Graph, error) {
	text, err := inputOf(c).files.Read(file)
	if err != nil {
		return nil, err
	}
	g, err := graph.ReadDIMACS(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return g, nil
}

// detectGraph finds the automorphism group of the coloured graph in a file. A
// search that ends early reports what it has, as an undecided result.
func detectGraph(ctx context.Context, c *cli.Context, file string) error {
	for _, name := range c.LocalFlagNames() {
		if name != "json" && name != "timeout" && name != "progress" {
			return fmt.Errorf("%s: the option %s is for models, and has no meaning for a graph", file, name)
		}
	}
	bar := newProgress(c)
	defer bar.done()
	bar.phase("reading")
	g, err := task.Within(ctx, func() (*graph.Graph, error) { return readGraph(c, file) })
	if task.CutShort(ctx, err) {
		out := jsonGraph{Model: file, Stopped: mc.StopReason(ctx)}
		if out.Symmetry.Order = "1"; c.Bool("json") {
			if err := printJSON(c.App.Writer, out); err != nil {
				return err
			}
		}
		fmt.Fprintf(c.App.ErrWriter, "the graph is not read; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
		return exitCode(exitUndecided)
	}
	if err != nil {
		return err
	}
	read := task.CPUSeconds()
	bar.phase("searching for automorphisms")
	r, err := graph.Search(ctx, g)
	if r == nil || err != nil && !errors.Is(err, ctx.Err()) {
		return err
	}
	out := jsonGraph{Model: file, Vertices: g.N(), Edges: g.M(), Complete: r.Complete, Stats: graphStats{
		Levels: r.Stats.Levels, Cells: r.Stats.Cells, Nodes: r.Stats.Nodes, BadNodes: r.Stats.BadNodes,
		Refinements: r.Stats.Refinements, CPU: task.CPUSeconds(), Search: task.CPUSeconds() - read, MaxRSS: task.MaxRSS(),
	}}
	if !r.Complete {
		out.Stopped = mc.StopReason(ctx)
	}
	y := &out.Symmetry
	y.Order, y.Generators = r.Order.String(), len(r.Generators)
	members := make([]int, g.N())
	for _, least := range r.Orbit {
		members[least]++
	}
	for _, n := range members {
		if n > 0 {
			y.Orbits++
		}
		if n > 1 {
			y.Moved += n
		}
	}
	if err := output(c, "graph", out); err != nil {
		return err
	}
	if !r.Complete {
		fmt.Fprintf(c.App.ErrWriter, "the group may be larger; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
		return exitCode(exitUndecided)
	}
	return nil
}
