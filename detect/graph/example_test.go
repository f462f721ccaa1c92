package graph_test

import (
	"context"
	"fmt"

	"orbitmc/detect/graph"
)

// Two latches with the same neighbours can be exchanged; so can the two halves of
// the graph.
func ExampleSearch() {
	b := graph.NewBuilder(0, 0)
	for range 2 {
		gate := b.AddVertex(1)
		for range 2 {
			b.AddEdge(gate, b.AddVertex(0))
		}
	}
	g, err := b.Graph()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := graph.Search(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Generators {
		fmt.Println(p.Moved, "to", p.Image)
	}
	fmt.Println("order", r.Order, "orbits", r.Orbit)
	// Output:
	// [4 5] to [5 4]
	// [1 2] to [2 1]
	// [0 1 2 3 4 5] to [3 4 5 0 1 2]
	// order 8 orbits [0 1 1 0 1 1]
}
