package ts

// SetMaxRounds sets how many rounds the search for equal latches may take, and returns
// how to set it back.
func SetMaxRounds(n int) func() {
	old := maxRounds
	maxRounds = n
	return func() { maxRounds = old }
}
