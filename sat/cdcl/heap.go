package cdcl

// heap holds variables, those of the greatest activity first.
type heap struct {
	activity  []float64 // by variable
	increment float64
	vars      []int32
	at        []int32 // by variable: its place in vars, -1 if it is not there
}

// grow adds a variable that is not in the heap.
func (h *heap) grow() {
	h.activity = append(h.activity, 0)
	h.at = append(h.at, -1)
}

func (h *heap) clear() {
	for _, v := range h.vars {
		h.at[v] = -1
	}
	h.vars = h.vars[:0]
}

// append adds a variable without keeping the order; heapify restores it.
func (h *heap) append(v int) {
	h.at[v] = int32(len(h.vars))
	h.vars = append(h.vars, int32(v))
}

func (h *heap) heapify() {
	for i := len(h.vars)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *heap) insert(v int) {
	if h.at[v] < 0 {
		h.append(v)
		h.up(len(h.vars) - 1)
	}
}

func (h *heap) pop() int {
	v := h.vars[0]
	n := len(h.vars) - 1
	h.vars[0] = h.vars[n]
	h.at[h.vars[0]] = 0
	h.vars = h.vars[:n]
	h.at[v] = -1
	if n > 0 {
		h.down(0)
	}
	return int(v)
}

func (h *heap) bump(v int) {
	if h.activity[v] += h.increment; h.activity[v] > 1e100 {
		for i := range h.activity {
			h.activity[i] *= 1e-100
		}
		h.increment *= 1e-100
	}
	if h.at[v] >= 0 {
		h.up(int(h.at[v]))
	}
}

func (h *heap) up(i int) {
	v := h.vars[i]
	a := h.activity[v]
	for i > 0 {
		p := (i - 1) / 2
		w := h.vars[p]
		if h.activity[w] >= a {
			break
		}
		h.vars[i], h.at[w] = w, int32(i)
		i = p
	}
	h.vars[i], h.at[v] = v, int32(i)
}

func (h *heap) down(i int) {
	v := h.vars[i]
	a := h.activity[v]
	n := len(h.vars)
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.activity[h.vars[c+1]] > h.activity[h.vars[c]] {
			c++
		}
		w := h.vars[c]
		if h.activity[w] <= a {
			break
		}
		h.vars[i], h.at[w] = w, int32(i)
		i = c
	}
	h.vars[i], h.at[v] = v, int32(i)
}
