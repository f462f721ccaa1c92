package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// This file says what the tables of a report hold. write.go writes them.

// table is a table of a report. Its first columns, as many as left says, hold words.
type table struct {
	Name  string // of the table, for references to it
	Title string
	Level int // of the title, from 1
	Left  int
	Head  []string
	Rows  [][]field
	Notes []string // below it
	Lines []string // above it, one item each
}

// Right is how many columns hold numbers.
func (t *table) Right() int { return len(t.Head) - t.Left }

// Caption is all text about the table.
func (t *table) Caption() []string { return slices.Concat([]string{t.Title}, t.Lines, t.Notes) }

// field is what a table has in one place.
type field struct {
	Text   string
	Strong bool
}

func plain(text string) field { return field{Text: text} }

func (t *table) row(fields ...field) { t.Rows = append(t.Rows, fields) }

func (b *batch) tables() []*table {
	var all []*table
	if t := b.disputeTable(); t != nil {
		all = append(all, t)
	}
	for k, t := range b.published() {
		all = append(all, t.table(k))
	}
	all = append(all, b.scoreTable(""))
	if f := b.peers(); f != nil {
		all = append(all, f.table(conditions(b.rec)))
	}
	if len(b.families) > 1 {
		all = append(all, lists.Map(b.families, b.scoreTable)...)
	}
	return append(all, b.instanceTable())
}

// disputeTable has the verdicts that cannot stand; nil if there are none.
func (b *batch) disputeTable() *table {
	hard := slices.DeleteFunc(b.disputes(), func(d dispute) bool { return d.Depths })
	if len(hard) == 0 {
		return nil
	}
	t := &table{Name: "wrong", Title: fmt.Sprintf("Wrong or contradicting verdicts: %d", len(hard)), Level: 2, Left: 4,
		Head: []string{"Instance", "Expected", "Verdict", "Given by"}}
	for _, d := range hard {
		for _, c := range d.Claims {
			says := plain(c.Says)
			if c.Wrong {
				says = field{"WRONG: " + c.Says, true}
			}
			t.row(plain(d.Instance), plain(cmp.Or(d.Expected, "not stated")), says, plain(c.Configs()))
		}
	}
	return t
}

// scoreHead heads the summary, behind the configuration.
var scoreHead = []string{"Instances", "Solved", "Safe", "Unsafe", "Wrong", "CPU timeouts", "Wall timeouts", "Memouts", "Failed", "Unknown", "Skipped", "PAR-2 [s]", "CPU [s]", "Build [s]", "Unique"}

// scoreTable is the summary over a family, "" for all.
func (b *batch) scoreTable(family string) *table {
	t := &table{Name: fileStem("summary", family), Title: "Summary", Level: 2, Left: 1, Head: append([]string{"Configuration"}, scoreHead...),
		Notes: []string{b.penalty(), b.columns(), conditions(b.rec)}}
	if family != "" {
		t.Title, t.Level = family, 3
	}
	for _, s := range b.scores(family) {
		t.row(append([]field{plain(s.Config)}, s.Fields()...)...)
	}
	return t
}

// Fields are the row of a score, below scoreHead.
func (s score) Fields() (row []field) {
	c := &s.classes
	for i, n := range []int{s.Instances, c[solved], s.Safe, s.Unsafe, c[wrong], c[timeout], c[walltime], c[memout], c[failed], c[unknown], c[skipped]} {
		row = append(row, field{fmt.Sprint(n), scoreHead[i] == "Wrong" && n > 0})
	}
	par := "–"
	if s.Scored {
		par = numberText(s.PAR2)
	}
	return append(row, plain(par), plain(numberText(s.CPU)), plain(numberText(s.Build)), plain(fmt.Sprint(s.Unique)))
}

// columns says what the columns of times are.
func (b *batch) columns() string {
	build := "Build: CPU time spent on building a checker, in no other column"
	if b.building {
		build = "Build: the part of it spent on building a checker"
	}
	return "CPU: total over all runs. " + build + ". Unique: solved by no other configuration"
}

// instanceTable has each instance under each configuration.
func (b *batch) instanceTable() *table {
	t := &table{Name: "instances", Title: "Instances", Level: 2, Left: 2, Head: append([]string{"Instance", "Expected"}, b.configs...),
		Notes: []string{b.seconds() + ", the median over repeats, or how the run ended", conditions(b.rec)}}
	for _, x := range b.instances {
		row := []field{plain(x.name()), plain(benchmarks.ShortVerdict(x.expected))}
		row = append(row, lists.Map(b.configs, func(c string) field { return x.results[c].field() })...)
		t.row(row...)
	}
	return t
}

// seconds says which times count.
func (b *batch) seconds() string {
	if b.building {
		return "CPU seconds with building"
	}
	return "CPU seconds"
}

// field says how a configuration fared on an instance; it may be nil.
func (re *result) field() field {
	switch {
	case re == nil:
		return field{}
	case re.class == solved:
		return plain(benchmarks.ShortVerdict(re.verdict) + " " + numberText(re.cpu))
	case re.class == wrong:
		return field{"WRONG: " + benchmarks.ShortVerdict(re.verdict) + " " + numberText(re.cpu), true}
	}
	return plain(classNames[re.class])
}

// table relates a configuration to its peers.
func (f *peerFigures) table(conditions string) *table {
	t := &table{Name: "peers", Title: f.Config + " beside " + strings.Join(f.Peers, ", "), Level: 3, Left: 2, Lines: f.Lines(),
		Head: []string{"Instance", "Result", "Time [s]", "Faster peer", "Its time [s]", "Least run of a peer [s]"}, Notes: []string{f.Rule(), conditions}}
	for _, r := range f.Rows {
		end := plain(r.End)
		if !r.Decided {
			end = field{"not decided: " + r.End, true}
		}
		t.row(plain(r.Instance), end, plain(numberText(r.Own)), plain(r.Peer), plain(numberText(r.PeerTotal)), plain(numberText(r.PeerRun)))
	}
	return t
}

// provenance says where a record comes from.
func provenance(rec *benchmarks.Record) string {
	return fmt.Sprintf("Programs: %s. Suite sha256 %s. Command: %s", versionsText(rec), rec.Digest, commandText(rec.Command))
}
