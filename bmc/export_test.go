package bmc

// Images returns a checker that passes the states that stand for frames through lose. If always is set, it replaces frames
// after each depth whose states are few.
func (c Checker) Images(always bool, lose func([][]bool) [][]bool) *Checker {
	c.always, c.lose = always, lose
	return &c
}
