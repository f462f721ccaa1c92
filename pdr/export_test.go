package pdr

// WithChains returns e without use of the structure of groups.
func (e Engine) WithChains() *Engine {
	e.chains = true
	return &e
}
