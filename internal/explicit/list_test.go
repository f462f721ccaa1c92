package explicit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestList counts the states of benchmarks/promela/heap/ordered_list.pml in which new takes any free object: each state that is kept
// stands for as many as there are ways to number the objects that are used or referred to, as no two of these are interchangeable.
// For short lists all states are visited, too.
func TestList(t *testing.T) {
	most := 4
	if nightly.On() {
		most = 7
	}
	for l := 2; l <= most; l++ {
		k, err := task.Open(context.Background(), "../../benchmarks/promela/heap/ordered_list.pml", task.Options{Defines: []string{fmt.Sprint("L=", l)}, Symmetry: "auto"})
		if err == nil {
			err = k.Prepare(context.Background(), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		visit := func(canon explicit.Canon) *mc.Result {
			r, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), k.Problem, mc.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		kept := visit(explicit.Exact)
		all := numbered(k, kept)
		t.Logf("L = %d: %d states kept, which stand for %d: %.1f times as many", l, kept.Stats.States, all, float64(all)/float64(kept.Stats.States))
		if all < 50*kept.Stats.States && l >= 4 {
			t.Errorf("L = %d: %d states kept of %d", l, kept.Stats.States, all)
		}
		if l > 3 {
			continue
		}
		if r := visit(explicit.None); r.Stats.States != all {
			t.Errorf("L = %d: the states kept stand for %d, and there are %d", l, all, r.Stats.States)
		}
	}
}

// numbered returns how many states the states that were kept stand for, of a program with one type of objects
// whose processes all differ.
func numbered(k *task.Task, r *mc.Result) (all int64) {
	p := task.ProgramOf(k)
	pool := &p.Heap.Pools[0]
	packer := model.NewPacker(k.Problem.Model)
	s := make(model.State, k.Problem.Model.Leaves())
	for i := range r.Closure.Len() {
		packer.Unpack(r.Closure.Member(i), s)
		taken := make([]bool, pool.N)
		for o := 1; o < pool.N; o++ {
			at := pool.Leaf + o*pool.Size
			taken[o] = taken[o] || s[at] == 1
			for _, f := range pool.Refs {
				taken[s[at+f.Leaf]] = true
			}
		}
		for _, f := range p.Heap.Roots {
			taken[s[f.Leaf]] = true
		}
		for j, q := range p.Protos {
			for _, f := range p.Heap.Locals[j] {
				taken[s[q.Var.Offset+f.Leaf]] = true
			}
		}
		n := int64(0)
		for _, is := range taken[1:] {
			if is {
				n++
			}
		}
		of := int64(pool.N - 1)
		all += new(big.Int).MulRange(of-n+1, of).Int64()
	}
	return all
}
