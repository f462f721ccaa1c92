package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/urfave/cli/v2"

	"orbitmc/aig"
	"orbitmc/benchmarks/measure"
	"orbitmc/encode/cnf"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file holds the command that shows representative predicates.

// repSets lists the sets of --set in the order of rep.Set.
var repSets = []string{"nice", "star", "all", "generators"}

func repCommand() *cli.Command {
	return command(&cli.Command{
		Name: "rep", ArgsUsage: "MODEL",
		Usage: "show what makes a state the representative of its orbit",
		Description: `
A state is a representative if, in an order of its bits, it is least among its images
under a set of permutations. rep shows these permutations, with the number of bits that
each compares. With --prop they are those of the group that keeps the property, and the
order is that of bmc. Otherwise they are those of the whole group, in the order of the
latches. The set is complete if each orbit has one representative.`,
		Action: func(c *cli.Context) error {
			if n := len(c.StringSlice("prop")); n > 1 {
				return fmt.Errorf("orbitmc rep: %d properties, want one", n)
			}
			ctx, _, cancel := limited(c)
			defer cancel()
			t, err := openEncoded(ctx, c, taskOptions(c))
			if err != nil {
				return err
			}
			return t.showRep(ctx)
		},
	}, flagSet{"representatives", []cli.Flag{
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` the group and the order of this property"},
		&cli.StringFlag{Name: "set", Value: "nice", Usage: "`nice|star|all|generators` the permutations: exchanges of neighbours (default), of the first component with each other one, the whole group (at most 65536 elements), or its generators"},
		&cli.BoolFlag{Name: "count", Usage: "count representatives and orbits of all states whose variables have values of their types; for groups of at most 65536 elements"},
		&cli.BoolFlag{Name: "relation", Usage: "size of the relation \"of one orbit\", beside that of the predicate, as circuits and as decision diagrams; for complete sets"},
	}}, flagSet{"output", []cli.Flag{
		&cli.StringFlag{Name: "cnf", Usage: "`FILE` write the predicate on a state there, in DIMACS"},
		jsonFlag(),
	}}, modelFlags(), symmetryFlags())
}

type jsonPerm struct {
	Name    string `json:"name"`
	Moved   int    `json:"moved"`   // latches it does not map to themselves
	Compare int    `json:"compare"` // latches that are compared with their images
}

// jsonCount is what --count finds.
type jsonCount struct {
	States          string   `json:"states"`
	Representatives *big.Int `json:"representatives"`
	Orbits          *big.Int `json:"orbits"`
}

type jsonRep struct {
	Model        string         `json:"model"`
	Property     string         `json:"property,omitempty"`
	Symmetry     jsonSymmetry   `json:"symmetry"`
	Order        string         `json:"order"` // of the group that is broken
	Set          string         `json:"set"`
	Complete     bool           `json:"complete"`
	Incomplete   string         `json:"incomplete,omitempty"` // why not, or why it is not known
	Word         []string       `json:"word"`                 // the latches as they are compared
	Permutations []jsonPerm     `json:"permutations"`
	Latches      int            `json:"latches"`
	Variables    int            `json:"variables"`
	Clauses      int            `json:"clauses"`
	Count        *jsonCount     `json:"count,omitempty"`
	Relation     *measure.Sizes `json:"relation,omitempty"`
	Stopped      string         `json:"stopped,omitempty"` // why it is not counted, or measured

	Title string `json:"-"` // the file, with its constants
	Group string `json:"-"`
}

func (se *session) showRep(ctx context.Context) error {
	if se.Report == nil {
		return fmt.Errorf("%s: no symmetry to break: %s", se.File, se.whyNone())
	}
	p := se.Problem
	sys, y, word := p.System(), se.Report.System, []int(nil)
	out := jsonRep{Model: se.File, Symmetry: se.symmetryJSON(), Set: se.c.String("set"), Latches: len(sys.Latches)}
	if se.c.IsSet("prop") {
		prop := p.Props[0]
		out.Property, y, word = p.Name(prop), p.Group(prop), p.WordOrder(prop)
	}
	out.Order, out.Title, out.Group = y.Order().String(), se.Title(), groupText(y)
	set := rep.Nice
	for i, name := range repSets {
		if name == out.Set {
			set = rep.Set(i)
		}
	}
	perms, err := rep.Perms(y, set)
	if err != nil {
		return fmt.Errorf("orbitmc rep --set %s: %w", out.Set, err)
	}
	switch set {
	case rep.Nice:
		out.Complete, out.Incomplete = rep.Complete(y, word, func(i int) string { return sys.Latches[i].Name })
	case rep.All:
		out.Complete = true
	default:
		out.Incomplete = "not known of this set"
	}
	for _, q := range perms {
		j := jsonPerm{Name: q.Name, Compare: rep.Length(q, word)}
		for i, l := range q.Latch {
			if l != ts.MkLit(i, false) {
				j.Moved++
			}
		}
		out.Permutations = append(out.Permutations, j)
	}
	for i := range sys.Latches {
		if word != nil {
			i = word[i]
		}
		out.Word = append(out.Word, sys.Latches[i].Name)
	}
	formula, names := predicateCNF(sys, perms, word)
	out.Variables, out.Clauses = formula.NumVars, len(formula.Clauses)
	comments := append([]string{"representative predicate of " + se.Title()}, names...)
	if err := writeOption(se.c, "cnf", func(b *bufio.Writer) error { return formula.WriteDIMACS(b, comments...) }); err != nil {
		return err
	}
	if se.c.Bool("count") {
		out.Count, err = task.Within(ctx, func() (*jsonCount, error) { return countRepresentatives(sys, y, perms, word) })
		switch {
		case task.CutShort(ctx, err):
			out.Stopped = mc.StopReason(ctx)
		case err != nil:
			return fmt.Errorf("orbitmc rep --count: %w", err)
		}
	}
	if se.c.Bool("relation") && out.Stopped == "" {
		if set != rep.All && !out.Complete {
			return fmt.Errorf("orbitmc rep --relation: an orbit may have several representatives: %s", out.Incomplete)
		}
		out.Relation, err = task.Within(ctx, func() (*measure.Sizes, error) {
			sizes, err := measure.Relation(y, perms, len(sys.Latches), word, maxDiagram)
			return &sizes, err
		})
		switch {
		case task.CutShort(ctx, err):
			out.Relation, out.Stopped = nil, mc.StopReason(ctx)
		case err != nil:
			return fmt.Errorf("orbitmc rep --relation: %w", err)
		}
	}
	err = output(se.c, "rep", out)
	if out.Stopped != "" && err == nil {
		what := "representatives are not counted"
		if se.c.Bool("relation") {
			what = "the orbit relation is not measured"
		}
		fmt.Fprintf(se.c.App.ErrWriter, "%s; stopped by %s\n", what, stopNoun(out.Stopped))
		err = exitCode(exitUndecided)
	}
	return err
}

// predicateCNF returns Rep_F of one state, and a line for each latch that says
// which variable it is.
func predicateCNF(sys *ts.System, perms []*ts.Perm, word []int) (*sat.CNF, []string) {
	f := cnf.NewFrames(sys, true)
	f.Extend()
	pred := rep.PathPredicate(f.Graph(), []rep.Frame{{State: f.Latches(0), Order: word}}, nil, perms)
	rec := &sat.Recorder{}
	cnf := cnf.New(f.Graph(), rec)
	var names []string
	for i, l := range f.Latches(0) {
		names = append(names, fmt.Sprintf("latch %s = %d", sys.Latches[i].Name, cnf.Lit(l).Dimacs()))
	}
	cnf.Assert(pred)
	return rec.CNF(), names
}

// maxNodes bounds the decision diagram of countRepresentatives: nodes of a layer, of
// some hundred bytes each.
const maxNodes = 1 << 22

// maxDiagram bounds the nodes of each decision diagram of rep --relation.
const maxDiagram = 1 << 24

// countRepresentatives counts the states in which W holds.
func countRepresentatives(sys *ts.System, y *ts.Symmetry, perms []*ts.Perm, word []int) (*jsonCount, error) {
	if sys.W == aig.False {
		return nil, errors.New("there are no states")
	}
	domains, err := measure.Domains(sys)
	if err != nil {
		return nil, err
	}
	states := big.NewInt(1)
	for _, d := range domains {
		states.Mul(states, big.NewInt(int64(len(d.Values))))
	}
	out := &jsonCount{States: states.String()}
	if out.Representatives, err = measure.Representatives(domains, perms, word, maxNodes); err != nil {
		return nil, fmt.Errorf("%v states: %w", states, err)
	}
	all, err := rep.Perms(y, rep.All)
	if err != nil {
		return nil, err
	}
	out.Orbits, err = measure.Orbits(domains, all)
	return out, err
}
