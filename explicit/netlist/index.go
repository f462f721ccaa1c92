package netlist

// stateIndex is a hash table of the numbers of states, with open addressing.
type stateIndex struct {
	slots []uint32 // a number plus one
	n     int
}

// add returns the number of a state, the next one if it is not in states.
func (x *stateIndex) add(state uint64, states []uint64) (i int, known bool) {
	if 2*(x.n+1) > len(x.slots) {
		x.grow(4 * len(x.slots))
		for i, s := range states {
			x.slots[x.free(s, states)] = uint32(i) + 1
		}
	}
	at := x.free(state, states)
	if x.slots[at] != 0 {
		return int(x.slots[at]) - 1, true
	}
	x.n++
	x.slots[at] = uint32(len(states)) + 1
	return len(states), false
}

// free returns the slot of a state, or the one that it would have.
func (x *stateIndex) free(state uint64, states []uint64) int {
	mask := len(x.slots) - 1
	at := int(state*0x9e3779b97f4a7c15>>20) & mask
	for x.slots[at] != 0 && states[x.slots[at]-1] != state {
		at = (at + 1) & mask
	}
	return at
}

func (x *stateIndex) grow(n int) { x.slots = make([]uint32, n) }
