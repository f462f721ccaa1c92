package model

// switchTable compiles a switch to a table if all values are constants that lie close together; else it returns nil.
func (c *compiler) switchTable(s *If) execFn {
	var lo, hi, n int64
	for _, vs := range s.Switch.Values {
		for _, v := range vs {
			x, ok := constant(v)
			switch {
			case !ok:
				return nil
			case n == 0:
				lo, hi = x, x
			}
			lo, hi, n = min(lo, x), max(hi, x), n+1
		}
	}
	if size := uint64(hi) - uint64(lo); n == 0 || size >= uint64(16*n+64) {
		return nil
	}
	x, els := c.operand(s.Switch.X), c.block(s.Else)
	table := make([]execFn, hi-lo+1)
	for i, k := range s.Clauses {
		body := c.block(k.Body)
		for _, v := range s.Switch.Values[i] {
			x, _ := constant(v)
			if table[x-lo] == nil {
				table[x-lo] = body
			}
		}
	}
	for i := range table {
		if table[i] == nil {
			table[i] = els
		}
	}
	return func(f []int64) bool {
		if i := uint64(x(f) - lo); i < uint64(len(table)) {
			return table[i](f)
		}
		return els(f)
	}
}
