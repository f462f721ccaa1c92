package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"orbitmc/internal/lists"
)

// Coloured graphs in compressed sparse rows: one flat array of neighbours and
// one of offsets, both of 32-bit integers, so that the million-vertex graphs of
// netlists stay in few cache lines per vertex. Neighbour lists are ascending and
// free of duplicates.

// Graph is an undirected graph with coloured vertices 0..N()-1. It is immutable
// and safe for concurrent use.
type Graph struct {
	offset []int32 // n+1 offsets into adj
	adj    []int32 // both directions of every edge; a loop appears once
	colour []int   // by vertex
	loops  bool    // there is a loop
}

// N returns the number of vertices.
func (g *Graph) N() int { return len(g.colour) }

// M returns the number of edges, loops included.
func (g *Graph) M() int {
	loops := 0
	if g.loops {
		for v := range g.colour {
			if g.HasEdge(v, v) {
				loops++
			}
		}
	}
	return (len(g.adj) + loops) / 2
}

// Colour returns the colour of vertex v.
func (g *Graph) Colour(v int) int { return g.colour[v] }

// Neighbours returns the neighbours of v in ascending order; v itself is among
// them when it has a loop. The caller must not change the slice.
func (g *Graph) Neighbours(v int) []int32 { return g.adj[g.offset[v]:g.offset[v+1]] }

// HasEdge reports whether u and v are adjacent.
func (g *Graph) HasEdge(u, v int) bool {
	_, ok := slices.BinarySearch(g.Neighbours(u), int32(v))
	return ok
}

// Builder collects vertices and edges of a graph. The zero value is an empty
// graph. It is not safe for concurrent use.
type Builder struct {
	colour []int
	named  map[string]int // colours by name
	from   []int32        // by edge
	to     []int32        // by edge
}

// NewBuilder returns a builder that holds n vertices of colour 0 and has room
// for m edges.
func NewBuilder(n, m int) *Builder {
	return &Builder{colour: make([]int, n), from: make([]int32, 0, m), to: make([]int32, 0, m)}
}

// N returns the number of vertices so far.
func (b *Builder) N() int { return len(b.colour) }

// AddVertex adds a vertex of the given colour and returns its number.
func (b *Builder) AddVertex(colour int) int {
	b.colour = append(b.colour, colour)
	return len(b.colour) - 1
}

// AddNamed adds a vertex whose colour is the one of a name, and returns its number. The first name has colour 0.
func (b *Builder) AddNamed(name string) int {
	if b.named == nil {
		b.named = make(map[string]int)
	}
	return b.AddVertex(lists.Number(b.named, name))
}

// SetColour sets the colour of v, which must exist.
func (b *Builder) SetColour(v, colour int) { b.colour[v] = colour }

// AddEdge adds the edge between u and v, which must exist. An edge that is
// added twice counts once; u = v is a loop.
func (b *Builder) AddEdge(u, v int) {
	if uint(u) >= uint(len(b.colour)) || uint(v) >= uint(len(b.colour)) {
		panic(fmt.Sprintf("graph: edge %d-%d of a graph with %d vertices", u, v, len(b.colour)))
	}
	b.from = append(b.from, int32(u))
	b.to = append(b.to, int32(v))
}

// Edges returns the number of edges so far, repeated ones included.
func (b *Builder) Edges() int { return len(b.from) }

// Edge returns edge number i, as it was added.
func (b *Builder) Edge(i int) (u, v int) { return int(b.from[i]), int(b.to[i]) }

// ErrTooLarge is returned for graphs with 2^31 or more vertices or directed edges.
var ErrTooLarge = errors.New("graph: more than 2^31 vertices or directed edges")

// Graph returns the graph built so far. The builder may be used further.
func (b *Builder) Graph() (*Graph, error) {
	n := len(b.colour)
	if n >= math.MaxInt32 || 2*len(b.from) >= math.MaxInt32 {
		return nil, ErrTooLarge
	}
	// Both directions of each edge, row by row.
	offset := make([]int32, n+2)
	for e, u := range b.from {
		offset[u+2]++
		if v := b.to[e]; u != v {
			offset[v+2]++
		}
	}
	for v := 2; v < n+2; v++ {
		offset[v] += offset[v-1]
	}
	adj := make([]int32, offset[n+1])
	put := func(u, v int32) {
		adj[offset[u+1]] = v
		offset[u+1]++
	}
	for e, u := range b.from {
		v := b.to[e]
		put(u, v)
		if u != v {
			put(v, u)
		}
	}
	// Each row sorted, without what is repeated.
	g := &Graph{offset: offset[:n+1], adj: adj[:0], colour: slices.Clone(b.colour)}
	end := int32(0)
	for v := range n {
		row := adj[end:offset[v+1]]
		end = offset[v+1]
		slices.Sort(row)
		start := len(g.adj)
		for _, u := range row {
			if len(g.adj) == start || g.adj[len(g.adj)-1] != u {
				g.adj = append(g.adj, u)
				g.loops = g.loops || int(u) == v
			}
		}
		offset[v+1] = int32(len(g.adj))
	}
	return g, nil
}
