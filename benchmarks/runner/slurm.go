package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"orbitmc/benchmarks"
)

// This file runs a batch on a cluster under Slurm (docs/cluster.md). Each run is a task of a job
// array: a `bench run` of the same suite with this run only, in a folder of its own below
// tasks/. This process looks for what these folders hold, and takes each run over into its
// journal. A task that left the queue without a run is lost, with its node or by scancel, and is
// submitted again.

const (
	arraySize = 1000 // tasks of one array; Slurm's default limit is 1001
	tries     = 3    // that a task is submitted
	lostPolls = 5    // looks without a run and outside of the queue: a shared folder may lag
)

// pollTime is the time between looks at the folders; tests look more often.
var pollTime = 2 * time.Second

// remote is a task on the cluster.
type remote struct {
	*task
	dir     string
	job     string // array and index, as squeue names it
	tries   int
	missing int // looks since it left the queue
}

// slurm does tasks on a cluster, and adds their runs.
func (b *batch) slurm(ctx context.Context, todo []*task, runs map[string]benchmarks.Run) (err error) {
	tasks := filepath.Join(b.opt.Dir, "tasks")
	if err := os.RemoveAll(tasks); err != nil { // of a batch that was killed
		return err
	}
	var open []*remote
	for _, x := range todo {
		open = append(open, &remote{task: x, dir: filepath.Join(tasks, strconv.Itoa(x.index))})
	}
	var jobs []string
	defer func() {
		if len(open) > 0 && len(jobs) > 0 {
			exec.Command("scancel", jobs...).Run() // what is left of them; they may have ended
		}
		err = errors.Join(err, os.RemoveAll(tasks))
	}()
	var machine *benchmarks.Machine
	for again := open; len(open) > 0; {
		for chunk := range slices.Chunk(again, arraySize) {
			job, err := b.submit(ctx, tasks, len(jobs), chunk)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		again = nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollTime):
		}
		queued, err := queue(ctx, jobs)
		if err != nil {
			return err
		}
		for _, x := range slices.Clone(open) {
			r, on, err := x.result()
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", x.key(), err)
			case r != nil:
				if machine == nil {
					machine = on
				}
				if on.CPU != machine.CPU || on.Memory != machine.Memory || on.OS != machine.OS {
					return fmt.Errorf("%s ran on %s (%s), others on %s (%s): choose nodes that are equal, by SBATCH_PARTITION or SBATCH_CONSTRAINT", x.key(), on.Host, on.CPU, machine.Host, machine.CPU)
				}
				if err := b.take(x, r); err != nil {
					return err
				}
				if err := b.finish(r, runs); err != nil {
					return err
				}
				open = slices.DeleteFunc(open, func(y *remote) bool { return y == x })
			case queued[x.job]:
				x.missing = 0
			default:
				if x.missing++; x.missing < lostPolls {
					continue
				}
				if x.tries == tries {
					return fmt.Errorf("%s was lost %d times; the last words of the task: %s", x.key(), tries, lastWords(x.dir+".out"))
				}
				b.event(Event{Key: x.key() + ": lost, submitted again"})
				again = append(again, x)
			}
		}
	}
	return nil
}

// submit submits tasks as an array, and returns the number of the job.
func (b *batch) submit(ctx context.Context, tasks string, n int, chunk []*remote) (string, error) {
	if err := os.MkdirAll(tasks, 0o755); err != nil {
		return "", err
	}
	suite, err := filepath.Abs(b.suite.File)
	if err != nil {
		return "", err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "#!/bin/sh\ncd %s || exit 1\ncase $SLURM_ARRAY_TASK_ID in\n", quoteShell(b.opt.Where))
	for i, x := range chunk {
		if err := os.RemoveAll(x.dir); err != nil {
			return "", err
		}
		words := append(slices.Clone(b.opt.Remote), suite, "--out", x.dir, "--only", "^"+regexp.QuoteMeta(x.key())+"$", "--progress", "never")
		for k := range words {
			words[k] = quoteShell(words[k])
		}
		fmt.Fprintf(&script, "%d) exec %s >%s 2>&1 ;;\n", i, strings.Join(words, " "), quoteShell(x.dir+".out"))
	}
	script.WriteString("esac\n")
	file := filepath.Join(tasks, fmt.Sprintf("array-%d.sh", n))
	if err := os.WriteFile(file, []byte(script.String()), 0o755); err != nil {
		return "", err
	}
	array := fmt.Sprintf("--array=0-%d", len(chunk)-1)
	if b.opt.Jobs > 0 {
		array += fmt.Sprintf("%%%d", b.opt.Jobs)
	}
	out, err := command(ctx, "sbatch", "--parsable", "--job-name=orbitmc", "--requeue", array, fmt.Sprintf("--cpus-per-task=%d", b.suite.Cores),
		"--output=/dev/null", "--error=/dev/null", file)
	if err != nil {
		return "", err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // behind it the name of the cluster
	for i, x := range chunk {
		x.job, x.missing = fmt.Sprintf("%s_%d", job, i), 0
		x.tries++
	}
	return job, nil
}

// queue returns the tasks of jobs that wait or run.
func queue(ctx context.Context, jobs []string) (map[string]bool, error) {
	out, err := command(ctx, "squeue", "--noheader", "--array", "--format=%F_%K", "--user="+strconv.Itoa(os.Getuid()), "--states=PENDING,RUNNING,COMPLETING,CONFIGURING,SUSPENDED,REQUEUED")
	if err != nil {
		return nil, err
	}
	queued := make(map[string]bool)
	for _, name := range strings.Fields(out) {
		if job, _, _ := strings.Cut(name, "_"); slices.Contains(jobs, job) {
			queued[name] = true
		}
	}
	return queued, nil
}

// command runs a command of Slurm and returns what it prints.
func command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// result returns the run of a task, and the machine that it ran on; nil if it has not ended.
func (x *remote) result() (*benchmarks.Run, *benchmarks.Machine, error) {
	text, err := os.ReadFile(filepath.Join(x.dir, "journal.jsonl"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasSuffix(text, []byte("\n")) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	var r benchmarks.Run
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, nil, err
	}
	if r.Key != x.key() {
		return nil, nil, fmt.Errorf("its folder holds %s", r.Key)
	}
	var rec benchmarks.Record
	text, err = os.ReadFile(filepath.Join(x.dir, "machine.json"))
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

// lastWords returns the end of a log.
func lastWords(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "none, as " + err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-300):]))
}

// quoteShell quotes a word for sh.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
