package explicit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"orbitmc/mc"
)

// Engine is explicit search as an mc.Engine: it proves properties by visiting
// every reachable state, and finds shortest counterexamples.
type Engine struct {
	Canon   Canon
	Threads int // that run at the same time, the check included; 0 is one for each

	HashBits int    // see Options
	Seed     uint64 // see Options
	Spill    string // see Options

	Checkpoint string // see Options
	Stubborn   bool   // see Options

	Own Ownership // see Options

	Parts *Parts // by tasks on many machines; nil: here

	Walks func(prop int) bool // see Options

	// Whole is that of Options, and Result.Seen are the states visited, also of a search that ends early. A
	// permutation that identifies two of them maps each rule instance to one of the same rule.
	Whole bool
}

// manyThreads is the least number of threads until mc.Options.Alone is closed: then the search gets
// half of the time of two cores beside the preparation of the task.
const manyThreads = 4

// Reduced is the Result.Stopped of a search with stubborn sets that ran to its end.
const Reduced = "explored completely with stubborn sets"

// Name returns "explicit".
func (e *Engine) Name() string { return "explicit" }

// Run implements mc.Engine. Its options say how far states of one orbit are identified by the
// blocks of the problem.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	began := time.Now()
	o := e.options(p, opt)
	if opt.Alone != nil && e.Threads == 0 {
		o.Threads = max(manyThreads, runtime.GOMAXPROCS(0))
		o.Cores = mc.NewCores(o.Threads)
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-opt.Alone:
				for range o.Threads - 2 { // one is left for the search, and one for the check
					o.Cores.Take(within, false)
				}
			case <-within.Done():
			}
		}()
	} else {
		o.Cores = mc.NewCores(e.Threads)
	}
	if opt.Watch != nil && o.Canon != Adaptive {
		o.Watch = opt.Watch(ctx, p, o.Cores)
	}
	if e.Parts != nil {
		o.Watch, o.Walks = nil, nil
	}
	found, err := e.search(ctx, p, o)
	for err == nil && o.Own != nil && slices.Contains([]Reason{stubbornReduced, hashCompaction}, found.Reason) && o.Own.Refuted() {
		before := found
		if found, err = Run(ctx, p.Program, o); err == nil { // what was found has a trace, so it stays
			found.Violations, found.Covered = keep(found.Violations, before.Violations), keep(found.Covered, before.Covered)
		}
	}
	if o.Watch != nil {
		o.Watch.Close()
	}
	if errors.As(err, new(BadParts)) {
		return nil, err
	}
	if errors.As(err, new(BadCheckpoint)) {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if errors.As(err, new(NoOrders)) || errors.Is(err, ErrBags) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	if found.Complete && o.Stubborn && p.Counters != nil { // the check is about states of the model that was counted
		found.Complete, found.Reason, found.Visited = false, stubbornReduced, nil
	}
	r := mc.NewResult(e.Name(), p)
	r.Stopped, r.Hidden = stopped(ctx, found), found.Hidden
	r.Stats = mc.Stats{Depth: found.Depth, States: found.States, Transitions: found.Fired, Subsumed: found.Subsumed, Bytes: found.Memory}
	r.Closure, r.Annotated, r.Layers, r.Idle, r.Watch, r.Seen = found.Visited, found.Annotated, found.Layers, found.Idle, o.Watch, found.Seen
	r.FiredBy, r.Deadlocks, r.Raised = found.FiredBy, found.Deadlocks, found.Raised
	for i := range r.Props {
		pr := &r.Props[i]
		pr.Engine, pr.Bound, pr.Time = e.Name(), found.Depth, time.Since(began)
		kind := p.Model.Props[pr.Prop].Kind
		if kind.Graph() {
			pr.Bound = -1
		}
		if found.Complete && (!kind.Graph() || o.Canon != Adaptive && !o.Stubborn) {
			pr.Status = mc.BySearch(kind)
		}
		for _, v := range slices.Concat(found.Violations, found.Covered) {
			if v.Prop == pr.Prop {
				pr.Status, pr.Depth, pr.Bound, pr.Trace = mc.ByTrace(kind), v.Depth, min(v.Depth-1, found.Depth), v.Trace
			}
		}
	}
	if found.Complete && r.Open() > 0 {
		switch {
		case o.Canon == Adaptive:
			r.Stopped = "adaptive search does not decide liveness"
		case o.Stubborn:
			r.Stopped = "stubborn sets do not decide liveness"
		}
	}
	undecided := func(pr mc.PropResult) bool { return pr.Status == mc.Unknown && p.Model.Props[pr.Prop].Kind.Graph() }
	if (found.Reason == hashCompaction || found.Reason == firstStates) && slices.ContainsFunc(r.Props, undecided) {
		r.Stopped += "; it does not decide liveness"
	}
	for _, set := range p.Joint {
		joint(r, p, set)
	}
	return r, nil
}

func (e *Engine) search(ctx context.Context, p *mc.Problem, o Options) (*Result, error) {
	if e.Parts != nil {
		return runParts(ctx, p, o, e.Parts)
	}
	return Run(ctx, p.Program, o)
}

// keep adds to what was found what was found before of other properties.
func keep(found, before []Found) []Found {
	for _, b := range before {
		if !slices.ContainsFunc(found, func(f Found) bool { return f.Prop == b.Prop }) {
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return a.Prop - b.Prop })
	return found
}

// options returns the options of the search, without what its threads share.
func (e *Engine) options(p *mc.Problem, opt mc.Options) Options {
	o := Options{
		Canon: e.Canon, Blocks: p.Blocks, ByRule: p.ByRule(), Joint: p.Joint, Rings: p.Rings, Strict: p.Strict, Partial: p.Partial,
		Threads: e.Threads, HashBits: e.HashBits, Seed: e.Seed, Walks: e.Walks, Spill: e.Spill, Checkpoint: e.Checkpoint, Stubborn: e.Stubborn, Own: e.Own,
		MemLimit: opt.MemLimit, All: opt.All, Whole: e.Whole, Props: p.Props, MaxDepth: opt.MaxDepth, Bounded: opt.Bounded || opt.MaxDepth > 0,
	}
	if p.Model.LooksBack(p.Props) { // as the check of the evidence wants
		o.Blocks, o.Rings, o.Partial = nil, nil, nil
	}
	if p.Model.Fairly(p.Props) { // the image of a rule has to be a rule, and fairness the same
		if o.Rings, o.Partial = nil, nil; p.EachRule() {
			o.Blocks, _ = FairBlocks(p.Program, o.Blocks)
		} else {
			o.Blocks = nil
		}
	}
	if e.Whole {
		if o.Rings, o.Partial = nil, nil; !p.EachRule() {
			o.Blocks = nil
		}
	}
	switch {
	case o.Canon == Adaptive && o.Partial == nil:
		o.Canon = Exact // nothing is broken, or nothing is left
	case o.Canon == Exact && o.Partial != nil:
		o.Canon = Adaptive
	case o.Canon.Several() && slices.ContainsFunc(p.Props, func(i int) bool { return p.Model.Props[i].Tree != nil }):
		o.Canon = Exact // states of loops and branches are looked up, which are images of successors of members
	}
	if o.Canon != Adaptive && len(o.Blocks)+len(o.Rings) == 0 {
		o.Canon = None // the slots of multisets need none
	}
	if opt.Event != nil {
		limit := opt.MemLimit
		if e.Parts != nil { // it is of each task
			limit = 0
		}
		o.Progress = func(s Stats) {
			event := mc.Event{Engine: e.Name(), Depth: s.Depth, Stats: mc.Stats{Depth: s.Depth, States: s.States, Transitions: s.Fired, Bytes: s.Memory}}
			if o.Canon != Adaptive {
				event.Search = &mc.Search{Frontier: s.States - s.Expanded, PerSecond: s.PerSecond, Limit: limit, Part: s.Part, Pass: s.Pass, Unmarked: s.Unmarked}
			}
			opt.Event(event)
		}
	}
	return o
}

// stopped says in words of mc.Result why a search ended.
func stopped(ctx context.Context, found *Result) string {
	no := "no"
	if len(found.Violations) > 0 {
		no = "no other"
	}
	switch found.Reason {
	case interrupted, timeLimit:
		return mc.StopReason(ctx)
	case outOfMemory:
		return mc.MemoryLimit
	case violationFound:
		return mc.Violation
	case firstStates:
		return fmt.Sprintf("signatures: %s violation found in %d states, the first with each; others may be left out", no, found.States)
	case stubbornReduced:
		return Reduced
	case hashCompaction:
		return fmt.Sprintf("hash compaction: %s violation found in %d states, omission probability %.2g", no, found.States, found.Omission)
	}
	return string(found.Reason)
}

// joint lowers the verdicts on a joint set (mc.Problem.Joint) in which a property is violated. A
// state may violate another property of the set than its representative does. So only the
// depths below that of the first violation are known for the others.
func joint(r *mc.Result, p *mc.Problem, set []int) {
	first := -1
	for _, pr := range r.Props {
		if slices.Contains(set, pr.Prop) && pr.Status == mc.ByTrace(p.Kind(pr.Prop)) && (first < 0 || pr.Depth < first) {
			first = pr.Depth
		}
	}
	for i := range r.Props {
		pr := &r.Props[i]
		if first < 0 || !slices.Contains(set, pr.Prop) {
			continue
		}
		pr.Bound = min(pr.Bound, first-1)
		if pr.Status == mc.BySearch(p.Kind(pr.Prop)) {
			pr.Status = mc.Unknown
		}
	}
}
