package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"orbitmc/benchmarks"
)

// This file holds the supervisor: a process of its own for each run, which
// starts the command and holds all processes that come from it to the limits.
//
// It is a child subreaper (prctl(2)): a process whose parent ends becomes its
// child, whatever session or group it moved to. So wait(2) says when the last
// one is gone, and its sums of CPU time lack nobody who was waited for. A run
// ends with its last process: one that outlives its parent still runs, and if
// it does not end by itself, it ends at a limit. CPU time is sampled as well,
// summed over all processes, and so is resident memory, in turns that are short
// at first; Beyer, Löwe and Wendler, "Reliable benchmarking: requirements and
// solutions" (STTT 2019), tell what else goes wrong.
//
// With cgroup 2 the kernel keeps the sums and the limit of memory. Without it
// RLIMIT_CPU and RLIMIT_DATA bound each process too, with some slack, so that
// what the sampling sees first decides. RLIMIT_DATA counts memory that can be
// written; RLIMIT_AS would count what Go only reserves.
//
// The supervisor reads its order on descriptor 3, and later the end of that
// file: whoever ordered is gone, and then so are the processes. It writes what
// happened on descriptor 4.

// maxLog is the size in bytes of the largest file that a command may write:
// more is refused to a checker that prints without end (RLIMIT_FSIZE).
const maxLog = 64 << 20

// Supervise is the whole of a supervisor process. It returns the exit status.
func Supervise() int {
	in, out := os.NewFile(3, "order"), os.NewFile(4, "outcome")
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintf(os.Stderr, "bench-exec is called by bench run only: %v\n", err)
		return 1
	}
	res, err := supervise(&o, in)
	if err != nil {
		res = &outcome{Exit: -1, Error: err.Error()}
	}
	if err := json.NewEncoder(out).Encode(res); err != nil {
		return 1
	}
	return 0
}

func supervise(o *order, orderer io.Reader) (*outcome, error) {
	// The thread that starts the command is pinned, and must live as long as it:
	// Pdeathsig is about threads.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("prctl: %w", err)
	}
	if len(o.Cores) > 0 {
		if err := pin(o.Cores); err != nil {
			return nil, err
		}
	}
	if err := setRlimits(o); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(o.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	input, err := os.Open(cmp.Or(o.Input, os.DevNull))
	if err != nil {
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir: o.Dir, Env: os.Environ(),
		Files: []uintptr{input.Fd(), log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	var group *cgroup
	if o.Cgroup != "" {
		group = &cgroup{o.Cgroup}
		dir, err := os.Open(o.Cgroup)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	began := time.Now()
	main, err := syscall.ForkExec(o.Args[0], o.Args, attr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Args[0], err)
	}
	w := &watch{limits: o.Limits, group: group, began: began, cpu: make(map[process]float64)}

	var status syscall.WaitStatus // of main; read after gone
	gone := make(chan error, 1)
	go func() { gone <- reap(main, &status) }()
	orphaned := make(chan struct{})
	go func() {
		io.Copy(io.Discard, orderer)
		close(orphaned)
	}()
	pause := 2 * time.Millisecond
	for {
		select {
		case err := <-gone:
			if err != nil {
				return nil, err
			}
			return w.outcome(status), nil
		case <-orphaned:
			w.limit, orphaned = "orphaned", nil
		case <-time.After(pause):
		}
		if err := w.look(); err != nil {
			return nil, err
		}
		if w.limit != "" {
			w.kill()
			pause = 2 * time.Millisecond
		} else if pause < 50*time.Millisecond {
			pause = pause * 5 / 4
		}
	}
}

// ownGroup puts a command into a process group of its own: Ctrl-C is for us, and the
// supervisor learns of it by the end of its order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// lock locks a file for this process, and fails if another one has it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// reap waits for all children, of which more may come, until none is left.
func reap(main int, status *syscall.WaitStatus) error {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait: %w", err)
		case pid == main:
			*status = ws
		}
	}
}

// pin binds the calling thread, and what it starts, to some cores.
func pin(cores []int) error {
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	if set.Count() < len(cores) {
		return fmt.Errorf("cores %v: the mask has room for %d of them", cores, set.Count())
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("cores %v: sched_setaffinity: %w", cores, err)
	}
	return nil
}

// cores returns the cores that this process may run on, in order.
func cores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var all []int
	for c := 0; len(all) < set.Count(); c++ {
		if set.IsSet(c) {
			all = append(all, c)
		}
	}
	return all, nil
}

// setRlimits sets the limits of this process, which the command inherits. For
// RLIMIT_CPU the kernel may count ticks in which a busy host gave the time to
// others: it needs slack, and SIGXCPU, which tells of this limit, comes before
// SIGKILL, which does not.
func setRlimits(o *order) error {
	type rlimit struct {
		which       int
		value, more uint64 // soft limit, and from it to the hard one
	}
	limits := []rlimit{
		{syscall.RLIMIT_CORE, 0, 0},
		{syscall.RLIMIT_FSIZE, maxLog, 0},
		{syscall.RLIMIT_CPU, uint64(o.Limits.CPU*5/4) + 3, 2},
	}
	if o.Cgroup == "" {
		limits = append(limits, rlimit{syscall.RLIMIT_DATA, uint64(o.Limits.Memory) + uint64(o.Limits.Memory)/4 + 256<<20, 0})
	}
	for _, l := range limits {
		var old syscall.Rlimit
		if err := syscall.Getrlimit(l.which, &old); err != nil {
			return fmt.Errorf("getrlimit: %w", err)
		}
		if err := syscall.Setrlimit(l.which, &syscall.Rlimit{Cur: min(l.value, old.Max), Max: min(l.value+l.more, old.Max)}); err != nil {
			return fmt.Errorf("setrlimit: %w", err)
		}
	}
	return nil
}

// watch follows the processes of one command.
type watch struct {
	limits benchmarks.Limits
	group  *cgroup // nil without
	began  time.Time
	limit  string // that was hit
	cpu    map[process]float64
	peak   int64 // bytes, all processes together
	live   []process

	foreign map[int]bool // processes not to look at; see descendants
	looks   int
}

// fullLook is the number of looks of which one reads all processes, in case
// that numbers were used again. While it kills, all do.
const fullLook = 20

// look samples the processes and sets limit when one is hit.
func (w *watch) look() error {
	if w.looks++; w.limit != "" || w.looks%fullLook == 0 {
		w.foreign = nil
	}
	samples, foreign, err := descendants(os.Getpid(), w.foreign)
	if err != nil {
		return err
	}
	w.foreign = foreign
	w.live = w.live[:0]
	memory := int64(0)
	for _, s := range samples {
		w.live = append(w.live, s.process)
		w.cpu[s.process] = s.cpu
		memory += s.rss
	}
	w.peak = max(w.peak, memory)
	if w.limit != "" {
		return nil
	}
	switch {
	case w.group != nil && w.group.oom() || w.group == nil && memory > w.limits.Memory:
		w.limit = "memory"
	case w.seconds() > w.limits.CPU:
		w.limit = "cpu"
	case time.Since(w.began).Seconds() > w.limits.Wall:
		w.limit = "wall"
	}
	return nil
}

// seconds returns the CPU time of all processes so far. Sampling misses the end
// of each; the sums of wait miss those who still run, and those of parents that
// ignore SIGCHLD.
func (w *watch) seconds() float64 {
	sum := 0.0
	for _, s := range w.cpu {
		sum += s
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) == nil {
		sum = max(sum, float64(u.Utime.Nano()+u.Stime.Nano())/1e9)
	}
	if w.group != nil {
		sum = max(sum, w.group.cpu())
	}
	return sum
}

// kill kills all processes. It is called until none is left, as one may have
// been started meanwhile.
func (w *watch) kill() {
	if w.group != nil {
		w.group.kill()
	}
	// Stopped processes start none.
	for _, p := range w.live {
		syscall.Kill(p.pid, syscall.SIGSTOP)
	}
	for _, p := range w.live {
		syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// outcome tells how it ended. Memory is at least what the supervisor has, about
// 10 MiB: the kernel's peak of a process counts from before it becomes the
// command, and a command may end between two looks.
func (w *watch) outcome(status syscall.WaitStatus) *outcome {
	r := &outcome{Limit: w.limit, Exit: -1, CPU: w.seconds(), Wall: time.Since(w.began).Seconds(), Memory: w.peak}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) == nil {
		r.Memory = max(r.Memory, u.Maxrss<<10)
	}
	if w.group != nil {
		if p := w.group.peak(); p > 0 {
			r.Memory = p
		}
		if w.limit == "" && w.group.oom() {
			r.Limit = "memory"
		}
	}
	switch {
	case status.Exited():
		r.Exit = status.ExitStatus()
	case status.Signaled():
		r.Signal = status.Signal().String()
	}
	if r.Limit == "" && (r.CPU > w.limits.CPU || status.Signaled() && status.Signal() == syscall.SIGXCPU) {
		r.Limit = "cpu"
	}
	if r.Limit == "" && r.Wall > w.limits.Wall {
		r.Limit = "wall"
	}
	return r
}

// descendants returns the processes that come from root, without it, parents
// first. With a subreaper for root none of them escapes. It does not read those
// in foreign, and returns all others it found, for the next time: a process that
// does not come from root never will, unless its number is used again.
func descendants(root int, foreign map[int]bool) ([]sample, map[int]bool, error) {
	pids, err := procNumbers()
	if err != nil {
		return nil, nil, err
	}
	others := make(map[int]bool, len(pids))
	children := make(map[int][]sample)
	for _, pid := range pids {
		others[pid] = true
		if foreign[pid] {
			continue
		}
		if s, ok := readStat(pid); ok {
			children[s.parent] = append(children[s.parent], s)
		}
	}
	all := slices.Clone(children[root])
	for i := 0; i < len(all); i++ {
		delete(others, all[i].pid)
		all = append(all, children[all[i].pid]...)
	}
	return all, others, nil
}
