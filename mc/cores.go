package mc

import (
	"context"
	"slices"
	"sync"
)

// Cores are shared by goroutines of which only so many are to run at the same time, such as
// those of a search and of the check beside it: each takes one while it runs, and gives
// it back while it waits. First come, first served, but a patient goroutine waits until no other
// goroutine waits. nil is no limit.
type Cores struct {
	mu    sync.Mutex
	free  int                // less than 0 by those that were taken after the end of a context
	lines [2][]chan struct{} // who waits: the patient in the second one; closed for whom it is the turn
}

// NewCores returns n cores; nil if n is 0.
func NewCores(n int) *Cores {
	if n == 0 {
		return nil
	}
	return &Cores{free: n}
}

// Take waits for a core. Once ctx has ended nobody waits, and the limit is no longer kept.
func (c *Cores) Take(ctx context.Context, patient bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	if c.free > 0 {
		c.free--
		c.mu.Unlock()
		return
	}
	line, turn := c.line(patient), make(chan struct{})
	*line = append(*line, turn)
	c.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(*line, turn); i >= 0 {
			*line = slices.Delete(*line, i, i+1)
			c.free--
		}
	}
}

func (c *Cores) line(patient bool) *[]chan struct{} {
	if patient {
		return &c.lines[1]
	}
	return &c.lines[0]
}

// Give gives a core back.
func (c *Cores) Give() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free++
	for i := range c.lines {
		if line := &c.lines[i]; c.free > 0 && len(*line) > 0 {
			close((*line)[0])
			*line = slices.Delete(*line, 0, 1)
			c.free--
		}
	}
}

// Pass gives others a turn.
func (c *Cores) Pass(ctx context.Context, patient bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	alone := len(c.lines[0]) == 0 && (!patient || len(c.lines[1]) == 0)
	c.mu.Unlock()
	if !alone {
		c.Give()
		c.Take(ctx, patient)
	}
}
