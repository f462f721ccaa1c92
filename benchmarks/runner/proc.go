package runner

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"orbitmc/benchmarks"
)

// This file reads /proc; see proc(5).

// clockTicks are the ticks per second of /proc/PID/stat, a constant of the
// kernel's interface on all platforms of Go.
const clockTicks = 100

// process identifies a process: numbers are used again.
type process struct {
	pid   int
	start int64 // clock ticks since boot
}

// sample is what /proc says of a process.
type sample struct {
	process
	parent int
	cpu    float64 // seconds, without children
	rss    int64   // bytes
}

func procNumbers() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			all = append(all, pid)
		}
	}
	return all, nil
}

// readStat reads /proc/PID/stat. It fails of a process that is gone.
func readStat(pid int) (s sample, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	// The name of the program, in parentheses, may hold anything.
	i := strings.LastIndexByte(string(text), ')')
	if i < 0 {
		return s, false
	}
	f := strings.Fields(string(text[i+1:])) // f[0] is field 3, the state
	if len(f) < 22 {
		return s, false
	}
	number := func(field int) int64 {
		n, _ := strconv.ParseInt(f[field-3], 10, 64)
		return n
	}
	s.pid, s.parent, s.start = pid, int(number(4)), number(22)
	s.cpu = float64(number(14)+number(15)) / clockTicks
	s.rss = number(24) * int64(os.Getpagesize())
	return s, true
}

func thisMachine() benchmarks.Machine {
	m := benchmarks.Machine{}
	m.Host, _ = os.Hostname()
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.OS = "Linux " + strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); err == nil {
			m.Memory = kib << 10
		}
	}
	if all, err := cores(); err == nil {
		m.Cores = len(all)
	}
	return m
}
