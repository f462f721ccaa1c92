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
	r, err := graph.Search(context.Background(), g, graph.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Generators {
		fmt.Println(p)
	}
	fmt.Println("order", r.Order, "orbits", r.Orbit)
	// Output:
	// (4,5)
	// (1,2)
	// (0,3)(1,4)(2,5)
	// order 8 orbits [0 1 1 0 1 1]
}
