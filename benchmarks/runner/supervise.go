package runner

import "orbitmc/benchmarks"

// This file holds what a batch and its supervisors say to each other; the
// supervisor itself is in supervise_linux.go.

// order is what a supervisor does.
type order struct {
	Args   []string          `json:"args"`
	Dir    string            `json:"dir"`
	Input  string            `json:"input"` // file to be read on stdin; "" is none
	Log    string            `json:"log"`   // stdout and stderr are appended to it
	Cores  []int             `json:"cores"` // to run on; none is any
	Limits benchmarks.Limits `json:"limits"`
	Cgroup string            `json:"cgroup"` // a fresh folder of cgroup 2; "" means there is none
}

// outcome is how a command ended.
type outcome struct {
	Limit  string  `json:"limit"` // cpu, wall, memory or ""
	Exit   int     `json:"exit"`  // of the command; -1 if killed
	Signal string  `json:"signal"`
	CPU    float64 `json:"cpu_s"`
	Wall   float64 `json:"wall_s"`
	Memory int64   `json:"rss_bytes"`
	Error  string  `json:"error"` // it could not be started or watched
}
