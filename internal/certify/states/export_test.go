package states

import (
	"context"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// Told returns how many members the search told of before the watch was closed, and
// how many of them had steps that were not as told.
func (w *Watch) Told() (members, wrong int64) {
	<-w.ended
	if w.k == nil {
		return 0, 0
	}
	return w.checked, w.wrong
}

// SampleTyped is sampleTyped.
func SampleTyped(ctx context.Context, p *mc.Problem, c evidence.Closure) error {
	return sampleTyped(ctx, p, c)
}

// See has a check see views one after another, and read the first n members in each.
func See(n int64, views ...evidence.View) error {
	var k closureCheck
	for _, v := range views {
		if err := k.see(v); err != nil {
			return err
		}
		for i := range n {
			k.from.member(i)
		}
	}
	return nil
}
