package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"orbitmc/benchmarks"
)

// This file relates the wall time to a verdict of one configuration to that of its faster
// peer on each instance, as the suite asks (benchmarks.Compare). An instance counts where a
// peer decides it, correctly, within the time, building included. There the configuration
// counts with its own time, or with the whole time where it does not decide within it.

// longRun is the run in seconds from which a peer's run without building is compared:
// below, the building is what its user waits for.
const longRun = 2.0

// peerFigures is what a configuration's times relate to its peers'.
type peerFigures struct {
	*benchmarks.Compare
	Total Ratio // building and run, of all rows
	Run   Ratio // run alone, of the rows where the peer's takes longRun and more
	Rows  []peerRow
}

// peerRow is an instance that a peer decides. Times are wall seconds. The peer of the least
// total may be another one than that of the least run.
type peerRow struct {
	Instance  string
	End       string  // the verdict, or how the configuration ended
	Decided   bool    // by the configuration, within the time
	Own       float64 // building and run; the whole time if not Decided
	OwnRun    float64 // likewise
	Peer      string  // of PeerTotal
	PeerTotal float64
	PeerRun   float64
}

// peers computes the figures, nil if the suite names no peers.
func (b *batch) peers() *peerFigures {
	c := b.rec.Compare
	if c == nil {
		return nil
	}
	decides := func(p *result) bool { return p != nil && p.class == solved && p.build+p.wall <= c.Within }
	f := &peerFigures{Compare: c}
	var totals, runs []float64
	for _, x := range b.instances {
		row := peerRow{Instance: x.name(), End: "not run", Own: c.Within, OwnRun: c.Within, PeerTotal: math.Inf(1), PeerRun: math.Inf(1)}
		for _, name := range c.Peers {
			p := x.results[name]
			if !decides(p) {
				continue
			}
			if t := p.build + p.wall; t < row.PeerTotal {
				row.Peer, row.PeerTotal = name, t
			}
			row.PeerRun = min(row.PeerRun, p.wall)
		}
		if row.Peer == "" {
			continue
		}
		if p := x.results[c.Config]; p != nil {
			row.End = endText(p.decider)
			if row.Decided = decides(p); row.Decided {
				row.Own, row.OwnRun = p.build+p.wall, p.wall
			} else if p.class == solved {
				row.End += " too late"
			}
		}
		ratio := func(own, peer float64) float64 { return math.Log(max(own, floorSeconds) / max(peer, floorSeconds)) }
		totals = append(totals, ratio(row.Own, row.PeerTotal))
		if row.PeerRun >= longRun {
			runs = append(runs, ratio(row.OwnRun, row.PeerRun))
		}
		f.Rows = append(f.Rows, row)
	}
	f.Total, f.Run = bootstrap(c.Config, totals), bootstrap(c.Config, runs)
	return f
}

// Missed returns the instances that a peer decides and the configuration does not.
func (f *peerFigures) Missed() []peerRow {
	return slices.DeleteFunc(slices.Clone(f.Rows), func(r peerRow) bool { return r.Decided })
}

// Lines states the figures, for people.
func (f *peerFigures) Lines() []string {
	ratio := func(r Ratio) string {
		if r.Pairs == 0 {
			return "no instance"
		}
		return fmt.Sprintf("%.3f [%.3f, %.3f], instances: %d", r.Mean, r.Low, r.High, r.Pairs)
	}
	within := secondsText(f.Within)
	return []string{
		fmt.Sprintf("time to a verdict, building included, over that of the faster of %s: %s", strings.Join(f.Peers, ", "), ratio(f.Total)),
		fmt.Sprintf("the same without building, where the faster run takes %s and more: %s", secondsText(longRun), ratio(f.Run)),
		fmt.Sprintf("decided by a peer within %s, building included: %d; of these not by %s: %d", within, len(f.Rows), f.Config, len(f.Missed())),
	}
}

// Rule states how the figures are made.
func (f *peerFigures) Rule() string {
	return fmt.Sprintf("Wall times, the median over repeats. Ratios below 1: %s is faster. Geometric means over the instances that a peer decides, with %.0f%% bootstrap intervals; an instance that %s does not decide in time counts as %s; times below %s count as that",
		f.Config, 100*Confidence, f.Config, secondsText(f.Within), secondsText(floorSeconds))
}
