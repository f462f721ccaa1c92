package explicit

import "orbitmc/model"

// closure is the visited set of a complete search as evidence: mc.Verify checks
// that it is closed under steps. It shares scratch memory with the search that
// made it, which is over.
type closure struct {
	set    *set
	packer *model.Packer
	canon  *canonicaliser // nil for None
	state  model.State
	buf    []byte
}

func (c *closure) Len() int64 { return int64(c.set.n) }

func (c *closure) States(yield func(model.State) bool) {
	for i := range c.set.n {
		c.packer.Unpack(c.set.at(i), c.state)
		if !yield(c.state) {
			return
		}
	}
}

func (c *closure) Guess(s model.State) model.ScalarPerm {
	if c.canon == nil {
		return nil
	}
	c.canon.canon(s)
	return c.canon.perm
}

func (c *closure) Has(s model.State) bool {
	c.buf = c.packer.Pack(c.buf[:0], s)
	_, found, _, _ := c.set.find(c.buf)
	return found
}
