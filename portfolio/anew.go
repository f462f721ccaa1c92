package portfolio

import (
	"context"
	"maps"
	"sync"

	"orbitmc/mc"
	"orbitmc/task"
)

// Some symmetry counts only as long as no quantifier hides an error (docs/symmetry.md). Engines use
// it until they find a hidden error: explicit search says so in its result, and symbolic
// engines get mc.ErrHidden with a path. This file prepares the task once more then, without such
// symmetry. All engines go over to that: what one has found hidden, the others would find as well.

// anew is what takes the place of a preparation.
type anew struct {
	mu      sync.Mutex
	stop    func() // ends the preparation
	prepare func() *preparation
	next    *preparation // nil: the symmetry counts, so far
}

// begin returns the preparation in place of x, and begins it if need be.
func (x *preparation) begin(t *task.Task) *preparation {
	x.anew.mu.Lock()
	defer x.anew.mu.Unlock()
	if x.anew.next == nil {
		t.Hide()
		x.anew.next = x.anew.prepare()
		x.anew.stop()
	}
	return x.anew.next
}

// next returns the preparation in place of x; nil if there is none.
func (x *preparation) next() *preparation {
	x.anew.mu.Lock()
	defer x.anew.mu.Unlock()
	return x.anew.next
}

// strict reports whether a problem has an encoding that counts only where no error is hidden.
func strict(p *mc.Problem) bool { return p.Enc != nil && p.Enc.Strict != nil }

// noted returns racers of which about tells the problem of each result.
func noted(racers []racer) (all []racer, about func() map[*mc.Result]*mc.Problem) {
	var mu sync.Mutex
	of := make(map[*mc.Result]*mc.Problem)
	for _, r := range racers {
		all = append(all, racer{r.name, func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
			p, result, err := r.run(ctx, opt)
			mu.Lock()
			defer mu.Unlock()
			if of[result] = p; result == nil {
				delete(of, result)
			}
			return p, result, err
		}})
	}
	return all, func() map[*mc.Result]*mc.Problem {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(of)
	}
}
