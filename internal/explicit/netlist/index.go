package netlist

// stateIndex is a hash table of the numbers of states, with open addressing.
type stateIndex struct {
	slots []uint32 // a number plus one
	n     int
}

// add returns the number of a state, the next one if it is not in states.
func (si *stateIndex) add(state uint64, states []uint64) (i int, known bool) {
	if 2*(si.n+1) > len(si.slots) {
		si.grow(4 * len(si.slots))
		for i, s := range states {
			si.slots[si.free(s, states)] = uint32(i) + 1
		}
	}
	at := si.free(state, states)
	if si.slots[at] != 0 {
		return int(si.slots[at]) - 1, true
	}
	si.n++
	si.slots[at] = uint32(len(states)) + 1
	return len(states), false
}

// free returns the slot of a state, or the one that it would have.
func (si *stateIndex) free(state uint64, states []uint64) int {
	mask := len(si.slots) - 1
	at := int(state*0x9e3779b97f4a7c15>>20) & mask
	for si.slots[at] != 0 && states[si.slots[at]-1] != state {
		at = (at + 1) & mask
	}
	return at
}

func (si *stateIndex) grow(n int) { si.slots = make([]uint32, n) }
