package model

// switchStmt compiles a switch: by a table if all case values are constants that
// lie close together, else by trying one case after the other.
func (c *compiler) switchStmt(s *Switch) execFn {
	if run := c.switchTable(s); run != nil {
		return run
	}
	type arm struct {
		value evalFn
		body  execFn
	}
	var arms []arm
	x := c.operand(s.X)
	for _, k := range s.Cases {
		body := c.block(k.Body)
		for _, v := range k.Values {
			arms = append(arms, arm{c.eval(v), body})
		}
	}
	els := c.block(s.Else)
	return func(f []int64) bool {
		v := x(f)
		for i := range arms {
			if arms[i].value(f) == v {
				return arms[i].body(f)
			}
		}
		return els(f)
	}
}

func (c *compiler) switchTable(s *Switch) execFn {
	var lo, hi, n int64
	for _, k := range s.Cases {
		for _, v := range k.Values {
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
	x, els := c.operand(s.X), c.block(s.Else)
	table := make([]execFn, hi-lo+1)
	for _, k := range s.Cases {
		body := c.block(k.Body)
		for _, v := range k.Values {
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
