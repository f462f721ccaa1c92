package explicit

import "context"

// Reason is why a search ended before it had visited all states, in words; "" if it did visit all. Other reasons than these
// are texts of errors.
type Reason string

const (
	interrupted     = Reason("context canceled")          // as context.Canceled has it
	timeLimit       = Reason("context deadline exceeded") // as context.DeadlineExceeded has it
	outOfMemory     = Reason("out of memory")
	tooManyStates   = Reason("too many states")
	depthBound      = Reason("depth bound")
	violationFound  = Reason("violation found")
	allViolated     = Reason("every property is violated")
	errorHidden     = Reason("an error is hidden")
	tooManyOrbits   = Reason("too many orbits") // of Virtual
	firstStates     = Reason("first representatives")
	hashCompaction  = Reason("hash compaction")
	stubbornReduced = Reason("stubborn sets")
	taskDone        = Reason("a task is done")
)

// reasonOf returns why ctx ended; "" if it did not.
func reasonOf(ctx context.Context) Reason {
	if err := ctx.Err(); err != nil {
		return Reason(err.Error())
	}
	return ""
}
