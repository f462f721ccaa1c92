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

// RunKeeping is Run, with about so many bytes of steps kept for liveness properties.
func RunKeeping(ctx context.Context, p *model.Program, opt Options, bytes int) (*Result, error) {
	s, err := newSearch(p, opt)
	if err != nil {
		return nil, err
	}
	s.live.most = bytes
	s.run(ctx)
	return s.result()
}

// Ranks has the states of a chain marked, each in a pass of its own, and returns their ranks, the last state's first.
func Ranks(n int) (ranks []int) {
	p := liveProp{insts: [][]int64{{}}, pass: make([]uint8, n), late: make(map[int]int), next: [][]int32{{0}}}
	for i := range n - 1 {
		p.pass[i] = unmarked
	}
	l := &live{props: []liveProp{p}}
	for i := n - 2; i >= 0; i-- {
		l.step(i, i+1, 0, n-i)
	}
	for i := n - 1; i >= 0; i-- {
		ranks = append(ranks, l.props[0].Layer(int64(i), nil))
	}
	return ranks
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

// StillFormulas returns explicit search for formulas that takes permutations to representatives for the identity.
func StillFormulas() *Formulas { return &Formulas{variant: formulaVariant{still: true}} }

// WholeFormulas returns one that does not take components apart where strong fairness is not met.
func WholeFormulas() *Formulas { return &Formulas{variant: formulaVariant{whole: true}} }
