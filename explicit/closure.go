package explicit

import "orbitmc/model"

// closure is the visited set of a complete search as evidence: certify.Verify checks
// that it is closed under steps. It shares scratch memory with the search that
// made it, which is over.
type closure struct {
	set    *set
	packer *model.Packer
	canon  *canonicaliser // nil for None
	buf    []byte
}

func (c *closure) Len() int64 { return int64(c.set.n) }

func (c *closure) Member(i int64, s model.State) { c.packer.Unpack(c.set.at(uint32(i)), s) }

func (c *closure) Guess(s model.State) (i int64, perm model.ScalarPerm, ok bool) {
	if c.canon == nil {
		c.buf = c.packer.Pack(c.buf[:0], s)
	} else {
		c.buf = append(c.buf[:0], c.canon.canon(s)...)
		perm = c.canon.perm
	}
	n, ok, _, _ := c.set.find(c.buf)
	return int64(n), perm, ok
}
