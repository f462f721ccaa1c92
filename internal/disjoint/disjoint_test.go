package disjoint

import (
	"reflect"
	"testing"
)

func TestSets(t *testing.T) {
	s := New[int](7)
	for _, x := range []struct {
		a, b int
		two  bool
	}{{5, 3, true}, {6, 5, true}, {3, 6, false}, {2, 2, false}, {4, 1, true}} {
		if got := s.Join(x.a, x.b); got != x.two {
			t.Errorf("Join(%d, %d) = %v", x.a, x.b, got)
		}
	}
	if got, want := s.Lists(2), [][]int{{1, 4}, {3, 5, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("of two and more: %v, want %v", got, want)
	}
	if got, want := s.Lists(1), [][]int{{0}, {1, 4}, {2}, {3, 5, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("all: %v, want %v", got, want)
	}
	if got, want := s.Leasts(), []int{0, 1, 2, 3, 1, 3, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("leasts: %v, want %v", got, want)
	}
}
