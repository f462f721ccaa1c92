package front

import "strings"

// Join writes the elements of a list, with a separator between them.
func Join[T any](list []T, separator string, text func(T) string) string {
	all := make([]string, len(list))
	for i, x := range list {
		all[i] = text(x)
	}
	return strings.Join(all, separator)
}
