package explicit

import (
	"math"
	"slices"
	"time"

	"orbitmc/internal/lists"
)

// This file says how far a search is. Nobody knows how many states there are before the end. But the layers of a
// breadth-first search mostly grow and then shrink as a bell does (Pelánek, Typical structural properties of state
// spaces, SPIN 2004): the logarithm of the ratio of two neighbours falls about evenly. So a line through the latest of
// these tells how large the layers to come may be. It is a guess.

// forecast has the sizes of layers.
type forecast struct {
	began  time.Time
	layers []int
}

// Lines go through the ratios of so many layers; guesses are of so many layers to come.
const (
	forecastFrom = 8
	forecastTo   = 10_000
	leastPart    = 1e-4 // of what is said: less is that they grow
)

// part returns which part of all states is found, if there are as many as the layers suggest; 0 if they suggest
// nothing: they are too few, or grow as fast as before. The last layer is that of the states that are being expanded.
func (f *forecast) part(states int) float64 {
	n := len(f.layers)
	if n <= forecastFrom || slices.Contains(f.layers[n-forecastFrom-1:], 0) {
		return 0
	}
	// The line is at + slope*(x - mid) for x = 0, 1, ...
	at, slope, weight := 0.0, 0.0, 0.0
	mid := float64(forecastFrom-1) / 2
	for x := range forecastFrom {
		k := n - forecastFrom + x
		y := math.Log(float64(f.layers[k]) / float64(f.layers[k-1]))
		d := float64(x) - mid
		at, slope, weight = at+y/forecastFrom, slope+d*y, weight+d*d
	}
	slope /= weight
	found := lists.Sum(f.layers, func(size int) int { return size })
	all, size := float64(found), float64(f.layers[n-1])
	for x := float64(forecastFrom); size >= 1; x++ {
		if size *= math.Exp(at + slope*(x-mid)); x == forecastTo || math.IsInf(size, 1) {
			return 0
		}
		all += size
	}
	part := min(1, float64(states)/max(all, float64(states)))
	if part < leastPart {
		return 0
	}
	return part
}
