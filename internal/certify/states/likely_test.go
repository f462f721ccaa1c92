package states

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
)

// found is a closure whose members are known.
type found struct {
	collected
	at map[string]int64
}

func (f *found) Guess(s []byte) (int64, model.ScalarPerm, bool) {
	i, ok := f.at[string(s)]
	return i, nil, ok
}

// reachable returns the states of a model.
func reachable(m *model.Model) *found {
	f := &found{at: make(map[string]int64)}
	packer, mach := model.NewPacker(m), model.Compile(m).NewMachine()
	visit := func(s model.State) {
		if b := packer.Pack(nil, s); s != nil {
			if _, ok := f.at[string(b)]; !ok {
				f.at[string(b)] = f.add(b)
			}
		}
	}
	mach.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		visit(s)
		return true
	})
	s := make(model.State, m.Leaves())
	for i := int64(0); i < f.Len(); i++ {
		packer.Unpack(f.Member(i), s)
		for _, ch := range enumerate(m.Rules) {
			if next, ok, _ := mach.Fire(s, ch); ok {
				visit(next)
			}
		}
	}
	return f
}

// TestLikelyMemo: the steps and probabilities that the memo keeps are those of the reference interpreter. A memo that keeps
// the probability of another instance is found out.
func TestLikelyMemo(t *testing.T) {
	files, _ := filepath.Glob("../../../benchmarks/murphi/probabilistic/*.m")
	compared, spoiled := 0, 0
	for _, file := range files {
		opt := murphi.Options{PCTL: true, Chances: []string{"P=? [F true]"}, Consts: map[string]string{}}
		m, err := murphi.ReadFile(file, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Weights = true
		weighed, err := murphi.ReadFile(file, opt)
		if err != nil {
			t.Fatal(err)
		}
		states := reachable(m)
		likely := func(change func(k *closureCheck)) (*Likely, error) {
			k := newClosureCheck(&mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: make([][][]int, len(m.Scalarsets))}, Props: []int{m.Runtime().Index}})
			change(k)
			return likelyOf(t.Context(), k, weighed, states, everywhere)
		}
		plain, err := likely(func(k *closureCheck) { k.memo = nil })
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kept, err := likely(func(k *closureCheck) {
			if k.memo == nil {
				t.Fatalf("%s: no memo", file)
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		weights := func(l *Likely) (all []string) {
			for i, w := range l.weight {
				if all = append(all, fmt.Sprint(l.to[i])); w >= 0 {
					all[i] += " " + l.chances[w].exact.String()
				}
			}
			return all
		}
		if !slices.Equal(plain.first, kept.first) || !slices.Equal(plain.begin, kept.begin) || !slices.Equal(weights(plain), weights(kept)) || !slices.Equal(plain.starts, kept.starts) {
			t.Errorf("%s: the memo has other steps", file)
		}
		compared += len(plain.to)
		k := newClosureCheck(&mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: make([][][]int, len(m.Scalarsets))}, Props: []int{m.Runtime().Index}})
		y := newWeigher(k, weighed)
		first := [2]int64{}
		k.memo.weigh = func() [2]int64 {
			if first[1] == 0 {
				first = y.weight()
			}
			return first
		}
		wrong := &Likely{n: int(states.Len())}
		if err := k.see(states); err != nil {
			t.Fatal(err)
		}
		k.guess = states.Guess
		if err := wrong.steps(t.Context(), y, everywhere); err != nil || !slices.Equal(weights(plain), weights(wrong)) {
			spoiled++
		}
	}
	if compared < 1000 || spoiled == 0 {
		t.Errorf("%d steps compared, %d spoiled memos found out of %d", compared, spoiled, len(files))
	}
}
