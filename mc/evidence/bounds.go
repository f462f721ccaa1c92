package evidence

// Bounds are claims about a question of PCTL (pctl.Ask) at each member of a closure, for the chooser that the question is
// about. Lo and Hi bound the probability that Y comes and X holds until then, or the expected number of steps to Y, from
// below and from above. What they say of one step shows the upper bound of a probability, for a least solution is below
// each x with x >= Φ(x), and both bounds of a number of steps. It does not show the lower bound of a probability: for a
// state with a step to itself alone x = 1 has x <= Φ(x). That takes Ranks. Of a bounded path they are not asked for.
type Bounds struct {
	Lo, Hi []float64
	// Ranks show that the states with Lo > 0 are left with probability 1, towards Y or Lo = 0: of each action one branch leads
	// there, or to a member of lesser rank. For the greatest probability that goes for one action.
	Ranks []int32
	// Never are upper bounds less than 1 of the probability of Y, where numbers of steps are infinite.
	Never []float64
}
