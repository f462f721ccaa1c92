package benchmarks

import (
	"strings"
	"time"
)

// Record is one batch: what ran, where, and what came out. A directory holds
// it as machine.json (all but Runs) and journal.jsonl (one Run a line, in the
// order of finishing, appended and synced after each), and, once complete, as
// runs.csv and runs.json.
type Record struct {
	Suite    string    `json:"suite"`   // path of the suite as given
	Digest   string    `json:"digest"`  // sha256 of the text of the suite and of its models
	Command  []string  `json:"command"` // the command line
	Commit   string    `json:"commit"`  // of the program that ran it; "" if unknown, "+" appended when modified
	Began    time.Time `json:"began"`
	Machine  Machine   `json:"machine"`
	Versions []Version `json:"versions"` // of the programs called, sorted by name
	Limits   Limits    `json:"limits"`
	Jobs     int       `json:"jobs"`
	Cores    int       `json:"cores,omitempty"` // of each run; 0, of an earlier program, is 1
	Enforcer string    `json:"enforcer"`        // "cgroup2" or "rlimit"
	Compare  *Compare  `json:"compare,omitempty"`
	Planned  int       `json:"planned,omitempty"` // runs of the suite; 0 of an earlier program
	Tables   []Table   `json:"published,omitempty"`
	Runs     []Run     `json:"runs,omitempty"`
}

// Compare names a configuration and its peers: the report relates its time to a verdict
// to that of the faster peer.
type Compare struct {
	Config string   `json:"config"`
	Peers  []string `json:"peers"`
	Within float64  `json:"within_s"` // wall time of a verdict, building included; later ones do not count
}

// Table is a table that somebody published, beside which the report puts the figures of the runs.
type Table struct {
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Model   string   `json:"model"` // path as in the suite
	Rows    []string `json:"rows"`  // parameters, as Run.Params; "" is none
	Columns []Column `json:"columns"`
}

// Column is a figure of one configuration, for each row of a table.
type Column struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"kind"`
	Config string   `json:"config"`
	Stat   string   `json:"stat"`             // a counter of Run.Stats
	Add    float64  `json:"add,omitempty"`    // to the counter, where it counts something that the paper does not
	Over   string   `json:"over,omitempty"`   // a configuration: the figure is divided by that of it
	Values []string `json:"values,omitempty"` // by row, as published; "" where nothing is. nil: nothing in the column is
}

// Kind says what a published figure can be held to.
type Kind string

// Kinds of figures.
const (
	Exact         Kind = "exact"         // ours must be equal: the model is given, and the figure is defined by it
	Ratio         Kind = "ratio"         // only quotients can be compared: encodings differ
	Reconstructed Kind = "reconstructed" // the model or a rule is not published; ours is made after its description
)

// Machine describes where a batch ran.
type Machine struct {
	Host   string `json:"host"`
	OS     string `json:"os"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
}

// Version is a program and what it says of itself.
type Version struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Limits bind one run with all its children.
type Limits struct {
	CPU    float64 `json:"cpu_s"`
	Wall   float64 `json:"wall_s"`
	Memory int64   `json:"memory_bytes"`
	Build  float64 `json:"build_s,omitempty"` // wall time of building a checker; 0: each command of it is limited like a run
}

// Status is how a run ended.
type Status string

// Statuses. A run is solved if its status is OK and its verdict not unknown.
const (
	OK       Status = "ok"       // ended by itself with a verdict the adapter understood, "unknown" included
	Timeout  Status = "timeout"  // CPU limit; in a record of an earlier program also the wall limit, see Note
	Walltime Status = "walltime" // wall limit
	Memout   Status = "memout"
	Failed   Status = "failed"  // ended by itself without a verdict
	Skipped  Status = "skipped" // the tool is not installed or does not take the model; see Note
)

// Run is one tool on one model with one set of parameters.
type Run struct {
	Key     string `json:"key"`    // unique in the batch: model|params|config|repeat
	Model   string `json:"model"`  // path as in the suite
	Family  string `json:"family"` // for filters; the model's base name by default
	Params  string `json:"params"` // "N=4 K=2", sorted by name; "" if none
	N       int64  `json:"n"`      // the value of the first parameter of the suite entry, for scaling plots; 0 if none
	Config  string `json:"config"` // name of the configuration in the suite
	Tool    string `json:"tool"`   // adapter: orbitmc, rumur, cmurphi, abc, bliss, dreadnaut
	Repeat  int    `json:"repeat"` // from 0
	Status  Status `json:"status"`
	Verdict string `json:"verdict"` // safe, unsafe or unknown; of a graph the order of its group, "order 48"
	Depth   int    `json:"depth"`   // of the violation, in steps; -1 if not known
	// Expected is what the suite or the model's leading comment says: safe,
	// unsafe, an order or "". Wrong says that Verdict contradicts it, or the majority of
	// the other tools on the same model and parameters.
	Expected string `json:"expected"`
	Wrong    bool   `json:"wrong"`

	CPU   float64 `json:"cpu_s"` // user and system, children included, without building
	Wall  float64 `json:"wall_s"`
	Build float64 `json:"build_s"` // CPU spent on building a checker for the model (rumur, cmurphi)
	// BuildWall is the wall time of building. A record of an earlier program has none.
	BuildWall float64            `json:"build_wall_s,omitempty"`
	Memory    int64              `json:"rss_bytes"` // peak, all processes together where the kernel tells, else of the largest
	Exit      int                `json:"exit"`      // exit status; -1 if killed
	Args      []string           `json:"args" null:"yes"`
	Log       string             `json:"log"`              // path of stdout and stderr, relative to the directory
	Stats     map[string]float64 `json:"stats" null:"yes"` // counters the tool prints: states, clauses, conflicts, …
	Note      string             `json:"note"`
}

// Upgrade gives a run that an earlier program wrote the words of this one: a limit of wall time was
// once told from one of CPU time by the note alone.
func (r *Run) Upgrade() {
	if r.Status == Timeout && strings.HasSuffix(r.Note, "limit of wall") {
		r.Status = Walltime
	}
}

// Solved reports whether the run decided the model, or found the group of the graph.
func (r *Run) Solved() bool {
	return r.Status == OK && r.Verdict != "" && r.Verdict != "unknown"
}
