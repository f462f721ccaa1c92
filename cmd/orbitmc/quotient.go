package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/aiger"
	"orbitmc/internal/certify"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file holds the command that writes canonicalising quotients for other
// tools, and takes their counterexamples back.

func quotientCommand() *cli.Command {
	return command(&cli.Command{
		Name: "quotient", ArgsUsage: "MODEL",
		Usage: "write a netlist that keeps one state, or few, of each orbit, for other model checkers",
		Description: `
In each state of the netlist the components are sorted. A bad holds in the netlist iff
it holds in the model, in the same frame. --lift takes a witness of another tool, in the
format of AIGER, back to a counterexample of the model and checks it. The quotient helps
where components have few bits and their number decides the size; where components
have many bits, the circuit that sorts costs more than it saves. All properties must have
the same symmetry; --prop chooses among them.`,
		Action: func(c *cli.Context) error {
			file, witness := c.String("o"), c.String("lift")
			switch ext := filepath.Ext(file); {
			case file == "" && witness == "" || file != "" && witness != "":
				return errors.New("orbitmc quotient: want -o FILE.aig to write the netlist, or --lift FILE to take a witness back")
			case file != "" && ext != ".aig" && ext != ".aag":
				return fmt.Errorf("-o %s: cannot write %q files, want .aig or .aag", file, ext)
			}
			for _, name := range []string{"trace", "trace-style"} {
				if witness == "" && c.IsSet(name) {
					return fmt.Errorf("%s goes with --lift, which has a counterexample", spelled(name))
				}
			}
			ctx, watch, cancel := limited(c)
			defer cancel()
			defer watch()()
			t, err := openEncoded(ctx, c, taskOptions(c))
			if err != nil {
				return err
			}
			q, err := task.Within(ctx, t.quotient)
			if task.CutShort(ctx, err) {
				fmt.Fprintf(c.App.ErrWriter, "the netlist is not made; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
				return exitCode(exitUndecided)
			}
			if err != nil {
				return err
			}
			if witness != "" {
				return q.lifted(ctx, witness)
			}
			if err := writeFile(file, func(b *bufio.Writer) error { return aiger.Write(b, q.file, filepath.Ext(file) == ".aig") }); err != nil {
				return err
			}
			return q.show()
		},
	}, flagSet{"quotient", []cli.Flag{
		&cli.StringFlag{Name: "o", Usage: "`FILE` the netlist, .aig or .aag"},
		&cli.StringFlag{Name: "lift", Usage: "`FILE` a witness about the netlist that -o writes with the same options"},
	}}, modelFlags(), symmetryFlags(), engineFlags().without("all", "progress", "exit-style"))
}

// quotient is the quotient of the system of a task.
type quotient struct {
	t           *session
	y           *ts.Symmetry
	sys         *ts.System
	lift        func(*ts.Trace) (*ts.Trace, error)
	file        *aiger.File
	comparisons int
}

// quotient builds the quotient by the group that all properties asked for keep.
func (se *session) quotient() (*quotient, error) {
	if se.Report == nil {
		return nil, fmt.Errorf("%s: no symmetry to divide by: %s", se.File, se.whyNone())
	}
	p := se.Problem
	props := slices.DeleteFunc(slices.Clone(p.Props), func(i int) bool {
		return p.Kind(i) == model.Cover || p.Kind(i).Graph()
	})
	if len(props) == 0 {
		return nil, fmt.Errorf("%s: none of the properties is violated by a state or a step alone", se.File)
	}
	q := &quotient{t: se, y: p.Group(props[0])}
	for _, i := range props {
		// Groups are subgroups of that of the system: they are the same if they are
		// one property's, or all as large as the latter.
		if whole := se.Report.System.Order(); len(props) > 1 && p.Group(i).Order().Cmp(whole) != 0 {
			return nil, fmt.Errorf("%s: %v %q keeps only a part of the symmetry; choose properties that keep the same with --prop", se.File, p.Kind(i), p.Name(i))
		}
	}
	sys := *p.System()
	sys.Bads = task.BadsOf(p, props)
	q.sys, q.lift = rep.Quotient(&sys, q.y, nil)
	q.comparisons = rep.NewCanon(q.y, nil).Comparisons()
	q.file = aiger.FromSystem(q.sys)
	q.file.Comments = []string{"quotient of " + se.Title()}
	return q, nil
}

type jsonQuotient struct {
	Model       string       `json:"model"`
	Symmetry    jsonSymmetry `json:"symmetry"`
	Order       string       `json:"order"` // of the group that is divided by
	Comparisons int          `json:"comparisons"`
	Latches     int          `json:"latches"`
	Before      int          `json:"ands_before"`
	Ands        int          `json:"ands"`

	Title string `json:"-"` // the file, with its constants
	Group string `json:"-"`
}

func (q *quotient) show() error {
	return output(q.t.c, "quotient", jsonQuotient{q.t.File, q.t.symmetryJSON(), q.y.Order().String(), q.comparisons,
		len(q.sys.Latches), q.t.Problem.System().NumAnds(), q.sys.NumAnds(), q.t.Title(), groupText(q.y)})
}

// lifted shows the counterexample that a witness about the quotient stands for.
func (q *quotient) lifted(ctx context.Context, name string) error {
	data, err := read(q.t.c, name)
	if err != nil {
		return err
	}
	witnesses, err := q.file.ReadWitnesses(data, name)
	if err != nil {
		return err
	}
	p := q.t.Problem
	r := mc.NewResult("quotient", p)
	found := false
	for _, x := range witnesses {
		if x.Claim != '1' {
			continue
		}
		trace := q.file.Source(x.Trace)
		frames, err := q.sys.Run(trace)
		if err != nil {
			return err
		}
		up, err := q.lift(trace)
		if err != nil {
			return err
		}
		for _, b := range x.Bads {
			k := slices.IndexFunc(frames, func(f ts.Frame) bool { return f.Bads[b] })
			if k < 0 {
				return fmt.Errorf("%s:%d:1: bad %d does not hold on the path of the witness", name, x.Line, b)
			}
			bad := q.sys.Bads[b]
			pr, err := p.Found("quotient", bad.Prop, k+bad.Delay, up)
			if err != nil {
				return fmt.Errorf("%s:%d:1: %w", name, x.Line, err)
			}
			pr.Bound = -1 // it need not be a shortest one
			r.Props[slices.Index(p.Props, bad.Prop)] = pr
			found = true
		}
	}
	if !found {
		return fmt.Errorf("%s: it claims no violation of a bad", name)
	}
	if err := certify.Verify(ctx, p, r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return q.t.show(r, []*mc.Result{r})
}
