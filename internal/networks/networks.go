// Package networks finds how many virtual networks a protocol needs: the network of a model is replaced by FIFO queues for
// each of k networks, and types of messages are assigned to networks such that no deadlock is reachable.
//
//	spec.go     which variable is the network, and what the fields of a message say
//	guess.go    ... if nobody says so; a sample of the states that may contradict
//	arrays.go   a network of arrays of queues, as multisets
//	conform.go  ... compared with the model, state by state
//	rewrite.go  a model with queues in place of its network
//	queues.go   the queues in a state; messages that no run consumes
//	search.go   k = 1, 2, …: assignments that no witness excludes are searched
//	replay.go   witnesses under other assignments; bad merges with as few types as can be
//	text.go     the result as text and Markdown
//
// The model is rewritten, and not the engine: so search, symmetry, evidence, traces and replay are those of any model. A message
// keeps its place in its queue beside it, and only messages at place 0 can be chosen. docs/theory/networks.md has the argument.
package networks
