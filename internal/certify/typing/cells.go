package typing

// This file has the abstract values of the interpreter, and its memory. The state and the locals
// are rows of cells, one for each leaf. A cell stands for the values that its leaf may have.

// cell is what is known of the value of a leaf. The zero cell is a defined value of which nothing
// is known.
type cell struct {
	value   int64
	known   bool // the value is value, if it is defined
	symbol  int  // values with the same symbol, not 0, are equal
	defined definedness

	// lastTurn says that the value is the one of the last turn of a loop that has ended. Which turn
	// is the last one depends on the order, so nothing may depend on the value.
	lastTurn bool

	// written has bit l if, in this turn of active loop l, the cell was surely written. The value is then
	// not from before the turn.
	written uint64
}

type definedness uint8

const (
	isDefined definedness = iota
	mayBeUndefined
	isUndefined
)

// inAllLoops is cell.written of a cell that belongs to the turn itself.
const inAllLoops = ^uint64(0)

// join returns the cell that stands for the values of both.
func (c cell) join(d cell) cell {
	out := cell{lastTurn: c.lastTurn || d.lastTurn, written: c.written & d.written}
	if c.known && d.known && c.value == d.value {
		out.known, out.value = true, c.value
	}
	if c.symbol == d.symbol {
		out.symbol = c.symbol
	}
	if out.defined = c.defined; c.defined != d.defined {
		out.defined = mayBeUndefined
	}
	return out
}

// widen forgets the value of a cell, but not whether it is defined.
func (c cell) widen() cell {
	c.known, c.value, c.symbol = false, 0, 0
	return c
}

// isConstant reports whether the cell has one known value.
func (c cell) isConstant() bool { return c.known && c.defined == isDefined }

// equal reports whether the values of two cells are surely equal.
func (c cell) equal(d cell) bool {
	switch {
	case c.lastTurn || d.lastTurn || c.defined != d.defined:
		return false
	case c.defined == isUndefined, c.symbol != 0 && c.symbol == d.symbol:
		return true
	}
	return c.isConstant() && d.isConstant() && c.value == d.value
}

// memory is the cells at one moment of a run. Copies share chunks until one of them
// writes.
type memory struct {
	chunks []*chunk
	n      int
	owner  *byte // of the chunks that may be written in place
}

const chunkSize = 32

type chunk struct {
	owner   *byte
	written uint64 // all bits of cell.written that some cell has, and maybe more
	cells   [chunkSize]cell
}

func newMemory() *memory { return &memory{owner: new(byte)} }

func (m *memory) get(a int) cell { return m.chunks[a/chunkSize].cells[a%chunkSize] }

func (m *memory) set(a int, c cell) {
	k := m.own(a / chunkSize)
	k.cells[a%chunkSize] = c
	k.written |= c.written
}

// own returns chunk i, which may be written.
func (m *memory) own(i int) *chunk {
	k := m.chunks[i]
	if k.owner != m.owner {
		own := *k
		own.owner = m.owner
		k = &own
		m.chunks[i] = k
	}
	return k
}

func (m *memory) add(c cell) {
	if m.n == len(m.chunks)*chunkSize {
		m.chunks = append(m.chunks, &chunk{owner: m.owner})
	}
	m.n++
	m.set(m.n-1, c)
}

// truncate drops all cells but the first n.
func (m *memory) truncate(n int) {
	m.n = n
	m.chunks = m.chunks[:(n+chunkSize-1)/chunkSize]
}

func (m *memory) clone() *memory {
	m.owner = new(byte)
	return &memory{chunks: append([]*chunk(nil), m.chunks...), n: m.n, owner: new(byte)}
}

// shares reports whether the chunks of o, which was cloned from m, are the first ones of m still.
func (m *memory) shares(o *memory) bool {
	for i, c := range o.chunks {
		if m.chunks[i] != c {
			return false
		}
	}
	return true
}

// join joins the cells of both, in m, as many as both have.
func (m *memory) join(o *memory) {
	m.truncate(min(m.n, o.n))
	for i := range m.chunks {
		if m.chunks[i] == o.chunks[i] {
			continue
		}
		for k := range min(chunkSize, m.n-i*chunkSize) {
			if c, d := m.chunks[i].cells[k], o.chunks[i].cells[k]; c != d {
				m.set(i*chunkSize+k, c.join(d))
			}
		}
	}
}

// prefixOf reports whether the cells of m are the first ones of o.
func (m *memory) prefixOf(o *memory) bool {
	for i := range m.chunks {
		if i < len(o.chunks) && m.chunks[i] == o.chunks[i] {
			continue
		}
		for k := range min(chunkSize, m.n-i*chunkSize) {
			if a := i*chunkSize + k; a >= o.n || m.get(a) != o.get(a) {
				return false
			}
		}
	}
	return true
}

// beginTurn notes that no cell was written yet in this turn of the loop with a bit of cell.written.
func (m *memory) beginTurn(bit uint64) {
	for i, k := range m.chunks {
		if k.written&bit == 0 {
			continue
		}
		k = m.own(i)
		k.written &^= bit
		for a := range k.cells {
			k.cells[a].written &^= bit
		}
	}
}
