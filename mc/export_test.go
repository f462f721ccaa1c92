package mc

// Waiting returns how many wait for a core.
func (c *Cores) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lines[0]) + len(c.lines[1])
}
