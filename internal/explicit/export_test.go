package explicit

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"orbitmc/mc"
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
	s.ctl.most = bytes
	s.run(ctx)
	return s.result()
}

// LayersOfChain has the states of a chain marked, each in a pass of its own, and returns their layers, the last state's first.
func LayersOfChain(n int) (layers []int) {
	claim := (&model.Property{}).Claim()
	o := &ctlOp{Formula: claim.Temporal[0], depth: 1, pass: make([]uint8, n), late: make(map[int]int), open: n - 1}
	for i := range n - 1 {
		o.pass[i] = unmarked
	}
	p := &ctlProp{claim: claim, insts: [][]int64{{}}, ops: []*ctlOp{o}, next: [][]int32{{0}}}
	l := &ctlCheck{props: []*ctlProp{p}, depth: 1}
	for i := n - 2; i >= 0; i-- {
		l.settle(i, []ctlStep{{uint32(i), uint32(i + 1), 0}}, min(n-i, late))
	}
	for i := n - 1; i >= 0; i-- {
		layers = append(layers, p.Layer(0, int64(i), nil))
	}
	return layers
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

// BlindFormulas, RoundFormulas and AloneFormulas return explicit search for formulas with partial orders that fires what
// formulas see, what closes cycles, and one instance whatever the others do.
func BlindFormulas() *Formulas { return &Formulas{Ample: true, variant: formulaVariant{blind: true}} }
func RoundFormulas() *Formulas { return &Formulas{Ample: true, variant: formulaVariant{round: true}} }
func AloneFormulas() *Formulas { return &Formulas{Ample: true, variant: formulaVariant{alone: true}} }

// RunParts is a search in parts.
func RunParts(ctx context.Context, p *mc.Problem, opt Options, parts *Parts) (*Result, error) {
	return runParts(ctx, p, opt, parts)
}

// Rewrite writes a file of blocks anew with other records. Key is how many bytes a part and a state have.
func Rewrite(name string, p *model.Program, change func(records [][]byte, key int) [][]byte) error {
	key := partBytes + model.NewPacker(p.Model).Size()
	base := filepath.Base(name)
	size := key + successorBytes
	switch {
	case strings.HasPrefix(base, "known"):
		size = key
	case strings.HasPrefix(base, "look"):
		size = key + partBytes
	}
	x, err := openBlocks(name, size)
	if err != nil {
		return err
	}
	defer x.Close()
	var all [][]byte
	for i := range x.i.N {
		b, err := x.record(i)
		if err != nil {
			return err
		}
		all = append(all, slices.Clone(b))
	}
	return writeBlocks(name, size, func(yield func(b []byte) error) error {
		for _, b := range change(all, key) {
			if err := yield(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// Identity is the name of a search in a folder of checkpoints.
func Identity(p *model.Program, opt Options) string {
	s, err := newSearch(p, opt)
	if err != nil {
		panic(err)
	}
	return s.identity()
}
