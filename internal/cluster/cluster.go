// Package cluster runs commands on many machines, as tasks of Slurm's job arrays. All machines see one
// folder. What a task leaves there says that it has ended. A task that left the queue without it
// is lost, with its node or by scancel, and is submitted again.
package cluster

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	arraySize = 1000 // tasks of one array; Slurm's default limit is 1001
	tries     = 3    // that a task is submitted
	lostPolls = 5    // looks without a result and outside of the queue: a shared folder may lag

	pollTime = 2 * time.Second // between looks at what tasks left
)

// Task is a command to run.
type Task struct {
	Name   string   // in messages
	Args   []string // the command
	Stdout string   // file
	Stderr string   // file; "" is that of Stdout

	// Fresh is called before the task is submitted, each time.
	Fresh func() error
	// Ended looks for what the task leaves. After true it is called no more.
	Ended func() (bool, error)
	// Spare says that the others go on without the task if it is lost as often as a task is submitted.
	Spare bool

	unwanted bool
	job      string // array and index, as squeue names it
	tries    int
	missing  int // looks since it left the queue
}

// Drop says that the result of a task is not wanted any more. It is for Ended of this or another task.
func (t *Task) Drop() { t.unwanted = true }

// Jobs are tasks that run side by side.
type Jobs struct {
	Dir   string        // for scripts, on all machines; made if need be
	Where string        // folder that commands begin in
	Cores int           // of each task
	Most  int           // tasks at a time; 0: Slurm decides
	Poll  time.Duration // between looks at what tasks left; 0 is pollTime
	Lost  func(*Task)
}

// Run runs tasks until each has ended or is dropped. When it returns, none is left in the queue. When ctx ends, the error is
// that of ctx.
func (j *Jobs) Run(ctx context.Context, tasks []*Task) (err error) {
	var jobs []string
	open := slices.Clone(tasks)
	defer func() {
		if len(open) > 0 && len(jobs) > 0 {
			exec.Command("scancel", jobs...).Run() // what is left of them; they may have ended
		}
	}()
	for again := open; len(open) > 0; {
		for chunk := range slices.Chunk(again, arraySize) {
			job, err := j.submit(ctx, len(jobs), chunk)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		again = nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(cmp.Or(j.Poll, pollTime)):
		}
		queued, err := queue(ctx, jobs)
		if err != nil {
			return err
		}
		for _, t := range open {
			if t.unwanted {
				continue
			}
			ended, err := t.Ended()
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", t.Name, err)
			case ended:
				t.unwanted = true
			case queued[t.job]:
				t.missing = 0
			default:
				if t.missing++; t.missing < lostPolls {
					continue
				}
				if t.tries == tries && t.Spare {
					t.unwanted = true
					continue
				}
				if t.tries == tries {
					return fmt.Errorf("%s was lost %d times; the last words of the task: %s", t.Name, tries, lastWords(t.Stdout, t.Stderr))
				}
				if j.Lost != nil {
					j.Lost(t)
				}
				again = append(again, t)
			}
		}
		var dropped []string
		open = slices.DeleteFunc(open, func(t *Task) bool {
			if t.unwanted && queued[t.job] {
				dropped = append(dropped, t.job)
			}
			return t.unwanted
		})
		again = slices.DeleteFunc(again, func(t *Task) bool { return t.unwanted })
		if len(dropped) > 0 {
			exec.CommandContext(ctx, "scancel", dropped...).Run() // they may have ended
		}
	}
	return nil
}

// submit submits tasks as an array, and returns the number of the job.
func (j *Jobs) submit(ctx context.Context, n int, chunk []*Task) (string, error) {
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return "", err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "#!/bin/sh\ncd %s || exit 1\ncase $SLURM_ARRAY_TASK_ID in\n", quote(j.Where))
	for i, t := range chunk {
		if err := t.Fresh(); err != nil {
			return "", err
		}
		var words []string
		for _, w := range t.Args {
			words = append(words, quote(w))
		}
		to := "2>&1"
		if t.Stderr != "" {
			to = "2>" + quote(t.Stderr)
		}
		fmt.Fprintf(&script, "%d) exec %s >%s %s ;;\n", i, strings.Join(words, " "), quote(t.Stdout), to)
	}
	script.WriteString("esac\n")
	file := filepath.Join(j.Dir, fmt.Sprintf("array-%d.sh", n))
	if err := os.WriteFile(file, []byte(script.String()), 0o755); err != nil {
		return "", err
	}
	array := fmt.Sprintf("--array=0-%d", len(chunk)-1)
	if j.Most > 0 {
		array += fmt.Sprintf("%%%d", j.Most)
	}
	out, err := command(ctx, "sbatch", "--parsable", "--job-name=orbitmc", "--requeue", array, fmt.Sprintf("--cpus-per-task=%d", j.Cores),
		"--output=/dev/null", "--error=/dev/null", file)
	if err != nil {
		return "", err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // behind it the name of the cluster
	for i, t := range chunk {
		t.job, t.missing = fmt.Sprintf("%s_%d", job, i), 0
		t.tries++
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

// lastWords returns the end of a task's messages.
func lastWords(stdout, stderr string) string {
	text, err := os.ReadFile(cmp.Or(stderr, stdout))
	if err != nil {
		return "none, as " + err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-300):]))
}

// quote quotes a word for sh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
