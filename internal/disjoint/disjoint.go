// Package disjoint has sets of numbers that are joined one by one (union-find).
package disjoint

// Sets are the numbers from 0 on in disjoint sets. The least member of a set stands for it.
type Sets[T int | int32] []T

// New returns n sets of one number each.
func New[T int | int32](n int) Sets[T] {
	s := make(Sets[T], n)
	for x := range s {
		s[x] = T(x)
	}
	return s
}

// Find returns the least member of the set of x.
func (s Sets[T]) Find(x T) T {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

// Join joins the sets of two numbers, and reports whether they were two.
func (s Sets[T]) Join(x, y T) bool {
	x, y = s.Find(x), s.Find(y)
	s[max(x, y)] = min(x, y)
	return x != y
}

// Leasts returns what Find does, by number.
func (s Sets[T]) Leasts() []T {
	for x := range s {
		s[x] = s.Find(T(x))
	}
	return s
}

// Lists returns the sets with at least so many members, each ascending, in the order of their first members.
func (s Sets[T]) Lists(least int) [][]T {
	size := make([]T, len(s))
	for x := range s {
		size[s.Find(T(x))]++
	}
	at := make([]int, len(s)) // by least member: 1 + where its set is
	var out [][]T
	for x := range s {
		r := s.Find(T(x))
		if int(size[r]) < least {
			continue
		}
		if at[r] == 0 {
			out = append(out, make([]T, 0, size[r]))
			at[r] = len(out)
		}
		out[at[r]-1] = append(out[at[r]-1], T(x))
	}
	return out
}
