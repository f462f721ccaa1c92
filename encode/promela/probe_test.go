package promela

import "testing"

// TestProbeLimit: the search for process numbers visits few states if they are large.
func TestProbeLimit(t *testing.T) {
	const text = "int a[3000]; proctype B() { skip } init { byte i, j; do :: i++ :: j++ :: _nr_pr < 2 -> run B() od }"
	f := parse(preprocess(&source{"large.pml", text}, Options{}, unnoted), true, nil, false)
	watch(f)
	for _, q := range f.procs {
		build(q, false)
		if q.active > 0 {
			q.slots = append(q.slots, 0)
		}
	}
	for range 10 {
		l := lower("large.pml", f, 1, nil)
		visited, more := l.look()
		if want := probeLimit(l.m.Leaves()); visited > want || want > probeLeaves/3000 {
			t.Fatalf("%d states, at most %d", visited, want)
		} else if !more {
			if visited != want {
				t.Errorf("only %d states, not %d", visited, want)
			}
			return
		}
	}
	t.Error("new process numbers again and again")
}
