//go:build !race

package gophersat

// abandon makes the library panic at its next lemma.
func abandon(lemmas chan string, _ <-chan result) { close(lemmas) }
