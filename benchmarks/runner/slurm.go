package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"orbitmc/benchmarks"
	"orbitmc/internal/cluster"
)

// This file runs a batch on a cluster (docs/cluster.md). Each run is a task: a `bench run` of the same
// suite with this run only, in a folder of its own below tasks/. This process looks for what these
// folders hold, and takes each run over into its journal.

// remote is a task on the cluster.
type remote struct {
	*task
	dir string
}

// slurm does tasks on a cluster, and adds their runs.
func (b *batch) slurm(ctx context.Context, todo []*task, runs map[string]benchmarks.Run) (err error) {
	dir := filepath.Join(b.opt.Dir, "tasks")
	if err := os.RemoveAll(dir); err != nil { // of a batch that was killed
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	suite, err := filepath.Abs(b.suite.File)
	if err != nil {
		return err
	}
	var machine *benchmarks.Machine
	var all []*cluster.Task
	for _, t := range todo {
		x := &remote{t, filepath.Join(dir, strconv.Itoa(t.index))}
		all = append(all, &cluster.Task{
			Name: x.key(), Stdout: x.dir + ".out",
			Args:  append(slices.Clone(b.opt.Remote), suite, "--out", x.dir, "--only", "^"+regexp.QuoteMeta(x.key())+"$", "--progress", "never"),
			Fresh: func() error { return os.RemoveAll(x.dir) },
			Ended: func() (bool, error) {
				r, on, err := x.result()
				if r == nil || err != nil {
					return false, err
				}
				machine = cmp.Or(machine, on)
				if on.CPU != machine.CPU || on.Memory != machine.Memory || on.OS != machine.OS {
					return false, fmt.Errorf("it ran on %s (%s), others on %s (%s): choose nodes that are equal, by SBATCH_PARTITION or SBATCH_CONSTRAINT", on.Host, on.CPU, machine.Host, machine.CPU)
				}
				if err := b.take(x, r); err != nil {
					return false, err
				}
				return true, b.finish(r, runs)
			},
		})
	}
	jobs := &cluster.Jobs{Dir: dir, Where: b.opt.Where, Cores: b.suite.Cores, Most: b.opt.Jobs, Poll: b.opt.Poll,
		Lost: func(t *cluster.Task) { b.event(Event{Key: t.Name + ": lost, submitted again"}) }}
	return jobs.Run(ctx, all)
}

// result returns the run of a task, and the machine that it ran on; nil if it has not ended.
func (re *remote) result() (*benchmarks.Run, *benchmarks.Machine, error) {
	text, err := os.ReadFile(filepath.Join(re.dir, "journal.jsonl"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasSuffix(text, []byte("\n")) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	var r benchmarks.Run
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, nil, err
	}
	if r.Key != re.key() {
		return nil, nil, fmt.Errorf("its folder holds %s", r.Key)
	}
	var rec benchmarks.Record
	text, err = os.ReadFile(filepath.Join(re.dir, "machine.json"))
	if err == nil {
		err = json.Unmarshal(text, &rec)
	}
	return &r, &rec.Machine, err
}

// take moves the log of a run to those of the batch.
func (b *batch) take(x *remote, r *benchmarks.Run) error {
	if r.Log == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(x.dir, r.Log))
	if errors.Is(err, fs.ErrNotExist) { // it was left out before it began
		return nil
	} else if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.opt.Dir, r.Log), text, 0o644)
}
