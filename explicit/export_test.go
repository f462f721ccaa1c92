package explicit

import (
	"context"

	"orbitmc/model"
)

// LockFile is lockFile.
var LockFile = lockFile

// RunChunks is Run with so many states in a chunk.
func RunChunks(ctx context.Context, p *model.Program, opt Options, span int) (*Result, error) {
	return RunTree(ctx, p, opt, span, 0)
}

// RunTree is RunChunks, but a tree is made with so many states, however small these are; 0 is never.
func RunTree(ctx context.Context, p *model.Program, opt Options, span, states int) (*Result, error) {
	s, err := newSearch(p, opt)
	if err != nil {
		return nil, err
	}
	s.set.plants = states
	defer s.unlock()
	s.span = span
	if s.saves != nil {
		s.saves.every = 1
	}
	s.run(ctx)
	return s.result()
}
