package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/networks"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file holds networks: how many virtual networks a protocol needs.

func networksCommand() *cli.Command {
	return command(&cli.Command{
		Name: "networks", ArgsUsage: "MODEL",
		Usage: "find the least number of virtual networks on which a protocol has no deadlock",
		Description: `
networks replaces the network of a Murphi model, a multiset, an array of them or arrays of FIFO
queues, by queues for each of k networks, and looks for the least k and an assignment of the types of messages to networks
such that no deadlock is reachable: a message that is never consumed, or a state that no rule
leaves. A message that no rule takes blocks those behind it in its queue. A bad merge is a set of types
that must not share networks, with a run to the deadlock. What is not given is guessed, and
printed as options. docs/coherence.md is about it.`,
		Action: findNetworks,
	}, flagSet{"the network", []cli.Flag{
		&cli.StringFlag{Name: "network", Usage: "`VAR` the network: a multiset of records, or an array of them with a name for each index, as in 'Net[to]'; or variables with queues, as in 'Req[to] Resp[to]'"},
		&cli.StringFlag{Name: "type", Usage: "`FIELD` of a message: its type"},
		&cli.StringFlag{Name: "source", Usage: "`FIELD` of a message, or index of the network: who sends it"},
		&cli.StringFlag{Name: "destination", Usage: "`FIELD` of a message, or index of the network: to whom it is"},
		&cli.StringSliceFlag{Name: "sent-by", Usage: "`TYPES=NODE` who sends messages of some types, whatever --source says, as in 'Inv FwdGetS = Directory'; repeatable"},
		&cli.StringFlag{Name: "vc", Usage: "`FIELD` of a message that the model reads as its network: set to the least value of its type, the next one, and so on"},
		&cli.StringSliceFlag{Name: "box", Usage: "`VAR` where messages wait that were taken from the network and not consumed: each variable that holds messages, if not given; '': nowhere; repeatable"},
		&cli.StringFlag{Name: "order", Usage: "`pair|destination|network|none` pair: a queue for each network, source and destination (default, if the network does not share them); destination: sources share it; network: all share it, the worst case; none: messages overtake one another, with --vc"},
		&cli.IntFlag{Name: "capacity", Usage: "`N` messages in a queue at most; without, as many as the multiset or the queue of the model holds"},
		&cli.StringFlag{Name: "full", Usage: "`overflow|wait` a step that puts more into a queue: is an overflow (default), or waits until there is room (default if rules of the model do)"},
	}}, flagSet{"the search", []cli.Flag{
		&cli.IntFlag{Name: "most", Value: 4, Usage: "`K` networks are tried at most (default 4)"},
		&cli.StringFlag{Name: "assign", Usage: "`TYPES/TYPES` decide this assignment only, as in 'GetS GetM/Data'; types that are not named share one more network"},
		&cli.BoolFlag{Name: "pairs", Usage: "also decide each merge of two types, all others apart"},
		&cli.IntFlag{Name: "witness", Usage: "`N` print the run of this merge, from 1, in full"},
		threadsFlag(""),
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with a partial result"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text|markdown` (default text)"},
		&cli.StringFlag{Name: "o", Usage: "`FILE` the output, instead of stdout"},
		progressFlag(),
		jsonFlag(),
	}}, modelFlags(), symmetryFlags())
}

func findNetworks(c *cli.Context) error {
	file, opt := c.Args().First(), taskOptions(c)
	if opt.IsNetlist(file) || opt.Language(file) == "Promela" {
		return fmt.Errorf("%s: networks is for Murphi models", file)
	}
	if f := c.String("format"); f != "text" && f != "markdown" {
		return fmt.Errorf("--format %s: want text or markdown", f)
	}
	if c.Int("most") < 1 {
		return fmt.Errorf("--most %d: want a number of networks, 1 or more", c.Int("most"))
	}
	ctx, _, cancel := limited(c)
	defer cancel()
	var err error
	if opt.Contents, err = read(c, file); err != nil {
		return err
	}
	as, err := task.ModelOptions(opt)
	if err != nil {
		return err
	}
	bar := newProgress(c)
	defer bar.done()
	src := networks.Source{
		Read: func() (*model.Model, error) {
			m, err := murphi.ReadFile(file, as)
			if err == nil {
				m.LoopMax = opt.LoopMax
			}
			return m, err
		},
		Search: func(ctx context.Context, change networks.Change) (*networks.Search, error) {
			return searchStates(ctx, c, file, opt, change, bar)
		},
		Progress: bar.phase,
		Stopped:  func() string { return mc.StopReason(ctx) },
	}
	spec, err := networks.Guess(src, networks.Spec{
		Network: c.String("network"), Type: c.String("type"), Source: c.String("source"), Destination: c.String("destination"),
		SentBy: c.StringSlice("sent-by"), VC: c.String("vc"), Boxes: c.StringSlice("box"),
		Order: c.String("order"), Capacity: c.Int("capacity"), Full: c.String("full"),
	})
	if err != nil {
		return err
	}
	find := networks.Options{Most: c.Int("most"), Pairs: c.Bool("pairs")}
	if c.IsSet("assign") {
		find.Groups = lists.Map(strings.Split(c.String("assign"), "/"), strings.Fields)
	}
	out, err := networks.Find(ctx, src, spec, find)
	bar.done()
	if err != nil {
		return err
	}
	out.Model = file
	out.Guessed = !c.IsSet("network") || !c.IsSet("type")
	write := func(w io.Writer) error {
		if c.Bool("json") {
			return printJSON(w, out)
		}
		return show(w, "networks", struct {
			*networks.Result
			Markdown bool
		}{out, c.String("format") == "markdown"})
	}
	if n := c.Int("witness"); c.IsSet("witness") {
		if n < 1 || n > len(out.Merges) {
			return fmt.Errorf("--witness %d: there are %s", n, task.Plural(len(out.Merges), "bad merge"))
		}
		write = func(w io.Writer) error {
			p, run := out.Merges[n-1].Trace()
			fmt.Fprintf(w, "%s\n%s, %s:\n\n", file, out.Merges[n-1].Summary(), task.Plural(out.Merges[n-1].Depth, "step"))
			return traces.Write(w, p.Model, run, traces.Plain)
		}
	}
	switch err = writeOut(c, write); {
	case err != nil:
		return err
	case out.Stopped+out.Open != "" || len(out.Unsure) > 0:
		return exitCode(exitUndecided)
	case out.Least == 0:
		return exitCode(exitViolated)
	}
	return nil
}

// searchStates is networks.Source.Search: explicit search, whose evidence is checked.
func searchStates(
	ctx context.Context, c *cli.Context, file string, opt task.Options, change networks.Change, bar *progress,
) (*networks.Search, error) {
	var props []int
	opt.TextOnly = true
	opt.Change = func(m *model.Model) (err error) {
		props, err = change(m)
		return err
	}
	t, err := task.Open(ctx, file, opt)
	if task.CutShort(ctx, err) {
		return &networks.Search{Stopped: mc.StopReason(ctx)}, nil
	}
	if err != nil {
		return nil, err
	}
	t.Problem.Props = props
	out, err := portfolio.Run(ctx, t, []mc.Engine{&explicit.Engine{Canon: explicit.Exact, Threads: threads(c)}},
		portfolio.Options{Options: mc.Options{MemLimit: memory(c), Event: bar.event}, Cores: threads(c)})
	if err == nil && out.Crash != nil {
		err = out.Crash
	}
	if err != nil {
		return nil, err
	}
	found := &networks.Search{Program: t.Problem.Program, Stopped: out.Result.Stopped}
	if found.Program == nil {
		found.Program = model.Compile(t.Problem.Model)
	}
	if pr := t.Problem.First(out.Result); pr != nil {
		found.Trace = pr.Trace
		return found, nil
	}
	if out.Each[0].Closure != nil && out.Result.Open() == 0 {
		found.States = out.Each[0].Closure
	}
	return found, nil
}
