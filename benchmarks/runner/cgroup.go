package runner

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// This file uses control groups, version 2 (cgroups(7)): the kernel then limits
// memory and sums CPU time over all processes of a run, and kills them at once.
// It needs a group that is ours to divide, such as that of
//
//	systemd-run --user --scope -p Delegate=yes orbitmc bench run …

// cgroup is a group by its folder.
type cgroup struct{ dir string }

// delegated returns the group of this process, ready to be divided, with the
// controller of memory. The process moves to a group below, as a group with
// processes cannot give controllers to others.
func delegated() (*cgroup, error) {
	mount, err := cgroupMount()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	own := ""
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			own = filepath.Join(mount, path)
		}
	}
	g := &cgroup{own}
	if own == "" || !strings.Contains(" "+g.read("cgroup.controllers")+" ", " memory ") {
		return nil, errors.New("cgroup 2 does not control memory here")
	}
	if g.write("cgroup.subtree_control", "+memory") == nil {
		return g, nil
	}
	runner, err := g.child("orbitmc-runner")
	if err != nil {
		return nil, err
	}
	self := strconv.Itoa(os.Getpid())
	err = runner.write("cgroup.procs", self)
	if err == nil {
		err = g.write("cgroup.subtree_control", "+memory")
	}
	if err != nil { // others are in the group: back
		return nil, errors.Join(err, g.write("cgroup.procs", self), os.Remove(runner.dir))
	}
	return g, nil
}

// cgroupMount returns where cgroup 2 is mounted.
func cgroupMount() (string, error) {
	f, err := os.Open("/proc/mounts")
	if err != nil {
		return "", err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if w := strings.Fields(s.Text()); len(w) > 2 && w[2] == "cgroup2" {
			return w[1], nil
		}
	}
	return "", errors.New("cgroup 2 is not mounted")
}

// child makes a new group below c.
func (c *cgroup) child(prefix string) (*cgroup, error) {
	dir, err := os.MkdirTemp(c.dir, prefix+"-")
	return &cgroup{dir}, err
}

// limitMemory sets the limit for all processes together. When it is hit, all of
// them are killed.
func (c *cgroup) limitMemory(bytes int64) error {
	return errors.Join(
		c.write("memory.max", strconv.FormatInt(bytes, 10)),
		c.write("memory.oom.group", "1"),
		c.swapOff())
}

// swapOff forbids swap, where there is any.
func (c *cgroup) swapOff() error {
	if err := c.write("memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// cpu returns the CPU time of all processes that were ever in the group, in
// seconds.
func (c *cgroup) cpu() float64 { return float64(c.counter("cpu.stat", "usage_usec")) / 1e6 }

// peak returns the most memory that the group ever used, in bytes.
func (c *cgroup) peak() int64 {
	n, _ := strconv.ParseInt(c.read("memory.peak"), 10, 64)
	return n
}

// oom reports whether a process was killed for the limit of memory.
func (c *cgroup) oom() bool { return c.counter("memory.events", "oom_kill") > 0 }

func (c *cgroup) kill() { c.write("cgroup.kill", "1") }

// remove kills what is left and removes the group.
func (c *cgroup) remove() error {
	c.kill()
	var err error
	for range 100 {
		if err = os.Remove(c.dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// counter returns one line of a file of names and numbers; 0 if it is absent.
func (c *cgroup) counter(file, name string) int64 {
	for line := range strings.Lines(c.read(file)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// read returns the text of a file; "" if there is none.
func (c *cgroup) read(file string) string {
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (c *cgroup) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(c.dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cgroup: %w", err)
	}
	return nil
}
