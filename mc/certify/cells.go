package certify

// memory is the cells of one moment of a run. Copies share chunks until one of them
// writes.
type memory struct {
	chunks []*chunk
	n      int
	owner  *byte // of the chunks that may be written in place
}

const chunkSize = 32

type chunk struct {
	owner *byte
	c     [chunkSize]cell
}

func (m *memory) get(a int) cell { return m.chunks[a/chunkSize].c[a%chunkSize] }

func (m *memory) set(a int, c cell) {
	k := m.chunks[a/chunkSize]
	if k.owner != m.owner {
		own := *k
		own.owner = m.owner
		k = &own
		m.chunks[a/chunkSize] = k
	}
	k.c[a%chunkSize] = c
}

func (m *memory) add(c cell) {
	if m.n == len(m.chunks)*chunkSize {
		m.chunks = append(m.chunks, &chunk{owner: m.owner})
	}
	m.n++
	m.set(m.n-1, c)
}

// cut drops all cells but the first n.
func (m *memory) cut(n int) {
	m.n = n
	m.chunks = m.chunks[:(n+chunkSize-1)/chunkSize]
}

func (m *memory) clone() *memory {
	m.owner = new(byte)
	return &memory{chunks: append([]*chunk(nil), m.chunks...), n: m.n, owner: new(byte)}
}

// join joins the cells of both, in m, as many as both have.
func (m *memory) join(o *memory) *memory {
	m.cut(min(m.n, o.n))
	for i := range m.chunks {
		if m.chunks[i] == o.chunks[i] {
			continue
		}
		for k := range min(chunkSize, m.n-i*chunkSize) {
			if c, d := m.chunks[i].c[k], o.chunks[i].c[k]; c != d {
				m.set(i*chunkSize+k, c.join(d))
			}
		}
	}
	return m
}

// differ calls f for the cells in which m and o differ.
func (m *memory) differ(o *memory, f func(a int)) {
	for i := range m.chunks {
		if i < len(o.chunks) && m.chunks[i] == o.chunks[i] {
			continue
		}
		for k := range min(chunkSize, m.n-i*chunkSize) {
			if a := i*chunkSize + k; a >= o.n || m.get(a) != o.get(a) {
				f(a)
			}
		}
	}
}

// stale clears a bit of fresh in all cells.
func (m *memory) stale(bit uint64) {
	for i := range m.chunks {
		for k := range min(chunkSize, m.n-i*chunkSize) {
			if c := m.chunks[i].c[k]; c.fresh&bit != 0 {
				c.fresh &^= bit
				m.set(i*chunkSize+k, c)
			}
		}
	}
}
