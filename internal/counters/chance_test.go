package counters_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/counters"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// actions returns what there is to choose in s, and how likely each state is then; name gives states names. Equal
// actions are one. An action that errs is an error.
func actions(m *model.Machine, s model.State, name func(model.State) string) map[string]bool {
	rules := m.Program().Model.Rules
	by := make(map[string]map[string]*big.Rat)
	m.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		r := rules[ch.Rule]
		key, p := fmt.Sprint("rule ", ch.Rule, ch.Params), big.NewRat(1, 1)
		if r.Draw != nil {
			key = fmt.Sprint("draw ", r.Draw.Group, ch.Params[:r.Draw.Params])
			if v == nil {
				p = big.NewRat(next[0], next[1])
			}
		}
		if by[key] == nil {
			by[key] = make(map[string]*big.Rat)
		}
		to := "error"
		if v == nil {
			next[0], next[1] = model.Undef, model.Undef
			to = name(next)
		} else {
			p.SetInt64(0) // which of several errors it is, is no matter here
		}
		if by[key][to] == nil {
			by[key][to] = new(big.Rat)
		}
		by[key][to].Add(by[key][to], p)
		return true
	})
	all := make(map[string]bool)
	for _, to := range by {
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(to)) {
			fmt.Fprintf(&b, "%v to %s; ", to[k], k)
		}
		all[b.String()] = true
	}
	return all
}

// asLikely visits states of a model that stores probabilities, at most so many, and compares the actions in each with those
// of its abstraction. It returns how many actions have several branches, or one that many components share.
func asLikely(tr *counters.Translation, most int) (several int, err error) {
	old, own := model.Compile(tr.Concrete).NewMachine(), model.Compile(tr.Model).NewMachine()
	abs := func(s model.State) string {
		a, _ := tr.Abstract(s)
		return fmt.Sprint(a)
	}
	seen := make(map[string]bool)
	var queue []model.State
	add := func(s model.State) {
		s = slices.Clone(s)
		s[0], s[1] = model.Undef, model.Undef
		if k := fmt.Sprint(s); !seen[k] && len(seen) < most {
			seen[k] = true
			queue = append(queue, s)
		}
	}
	old.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v == nil {
			add(s)
		}
		return true
	})
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		a, ok := tr.Abstract(s)
		if !ok {
			return 0, fmt.Errorf("state %v cannot be counted", s)
		}
		x, y := actions(old, s, abs), actions(own, a, func(s model.State) string { return fmt.Sprint(s) })
		if !maps.Equal(x, y) {
			return 0, fmt.Errorf("state %v, counted %v:\n%v\n%v", s, a, slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y)))
		}
		for k := range x {
			if strings.Count(k, ";") > 1 {
				several++
			}
		}
		old.Successors(s, func(_ model.Choice, next model.State, v *model.Violation) bool {
			if v == nil {
				add(next)
			}
			return true
		})
	}
	return several, nil
}

// weighed reads a model so that it stores probabilities.
func weighed(src string, deadlock model.DeadlockMode) (*model.Model, error) {
	return murphi.Parse("random.m", []byte(src), murphi.Options{Weights: true, Deadlock: deadlock})
}

// TestRandomChances: in each state of random models chance does the same with the same probability, counted or not, and a
// chooser has the same to choose from. Translations that break a rule differ in some model.
func TestRandomChances(t *testing.T) {
	n := nightly.Or(300, 6000)
	taken, several := 0, 0
	differ := make(map[string]int)
	for seed := range uint64(n) {
		src := murphitest.CountedChances(rand.New(rand.NewPCG(seed, 64)))
		m, err := weighed(src, model.Stuck)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		tr, err := translate(m)
		if err != nil {
			continue
		}
		taken++
		k, err := asLikely(tr, 200)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		several += k
		for double := range counters.Chances {
			tr, err := translateDouble(m, 0, double)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, double, err)
			}
			if _, err := asLikely(tr, 200); err != nil {
				differ[double]++
			}
		}
	}
	t.Logf("%d of %d models counted; %d actions with several branches; doubles differ in %v", taken, n, several, differ)
	if taken < n/2 || several < n {
		t.Errorf("the models show too little: %d of %d are counted, and %d actions have several branches", taken, n, several)
	}
	for double := range counters.Chances {
		if k := differ[double]; k == 0 {
			t.Errorf("%s: %d models differ", double, k)
		}
	}
}
