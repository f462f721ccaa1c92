package explicit

import (
	"context"

	"orbitmc/model"
)

// LockFile is lockFile.
var LockFile = lockFile

// RunChunks is Run with so many states in a chunk.
func RunChunks(ctx context.Context, p *model.Program, opt Options, span int) (*Result, error) {
	s, err := newSearch(p, opt)
	if err != nil {
		return nil, err
	}
	defer s.unlock()
	s.span = span
	if s.saves != nil {
		s.saves.every = 1
	}
	s.run(ctx)
	return s.result()
}
