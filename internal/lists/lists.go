// Package lists makes slices and maps of slices, and entries of maps: the loops and tests that the standard library
// has no name for.
package lists

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Map returns what f makes of the elements of xs, in their order; nil of nothing.
func Map[T, U any](xs []T, f func(T) U) []U {
	if len(xs) == 0 {
		return nil
	}
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// Make returns f(0) to f(n-1).
func Make[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Where returns the elements of xs of which f holds, in their order.
func Where[T any](xs []T, f func(T) bool) (out []T) {
	for _, x := range xs {
		if f(x) {
			out = append(out, x)
		}
	}
	return out
}

// With returns xs with x at its end, unless it is an element.
func With[T comparable](xs []T, x T) []T {
	if slices.Contains(xs, x) {
		return xs
	}
	return append(xs, x)
}

// Sum returns the sum of f over xs.
func Sum[T any](xs []T, f func(T) int) (n int) {
	for _, x := range xs {
		n += f(x)
	}
	return n
}

// Count returns of how many elements of xs f holds.
func Count[T any](xs []T, f func(T) bool) (n int) {
	for _, x := range xs {
		if f(x) {
			n++
		}
	}
	return n
}

// Set returns the elements of xs as a set.
func Set[T comparable](xs []T) map[T]bool { return SetOf(xs, func(x T) T { return x }) }

// SetOf returns what f makes of the elements of xs as a set.
func SetOf[T any, K comparable](xs []T, f func(T) K) map[K]bool {
	out := make(map[K]bool, len(xs))
	for _, x := range xs {
		out[f(x)] = true
	}
	return out
}

// IndexBy returns, by what f makes of the elements of xs, the index of the last such element.
func IndexBy[T any, K comparable](xs []T, f func(T) K) map[K]int {
	out := make(map[K]int, len(xs))
	for i, x := range xs {
		out[f(x)] = i
	}
	return out
}

// Memo returns the entry of a key, which f makes if there is none.
func Memo[K comparable, V any](m map[K]V, k K, f func(K) V) V {
	v, ok := m[k]
	if !ok {
		v = f(k)
		m[k] = v
	}
	return v
}

// Number returns the number of a key: keys are numbered from 0 as they come.
func Number[K comparable, N ~int | ~int32 | ~uint32](m map[K]N, k K) N {
	return Memo(m, k, func(K) N { return N(len(m)) })
}

// InOrder yields the entries of a map by ascending keys.
func InOrder[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Values returns the values of a map by ascending keys.
func Values[K cmp.Ordered, V any](m map[K]V) []V {
	return Map(slices.Sorted(maps.Keys(m)), func(k K) V { return m[k] })
}

// Union returns the union of two ascending slices. It may return one of them.
func Union[T cmp.Ordered](a, b []T) []T {
	switch {
	case len(b) == 0 || len(a) == len(b) && &a[0] == &b[0]:
		return a
	case len(a) == 0:
		return b
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Groups returns the indices of keys, those of equal keys together.
func Groups[K comparable](keys []K) (groups [][]int) {
	at := make(map[K]int)
	for i, k := range keys {
		g := Number(at, k)
		if g == len(groups) {
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// Orbit returns x and all that images lead to from there, each once by its key, in the order in which it is found.
// Beyond the limit it ends, and whole is false.
func Orbit[T any, K comparable](x T, key func(T) K, limit int, images func(T) []T) (all []T, whole bool) {
	all, seen := []T{x}, map[K]bool{key(x): true}
	for i := 0; i < len(all); i++ {
		for _, y := range images(all[i]) {
			k := key(y)
			if seen[k] {
				continue
			}
			if len(all) >= limit {
				return all, false
			}
			seen[k] = true
			all = append(all, y)
		}
	}
	return all, true
}

// Join writes the elements of xs, with a separator between them.
func Join[T any](xs []T, separator string, text func(T) string) string {
	return strings.Join(Map(xs, text), separator)
}
