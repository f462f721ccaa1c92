package task

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"orbitmc/encode/aiger"
	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/mc"
)

// This file chooses the front end of a file. The table readers lists the front ends.

// Source is the content of the file of a task: a model (murphi.go), a program
// (promela.go) or a netlist (netlist.go). Its methods cover all differences between them.
type Source interface {
	// properties returns the problem with all there is but encoding and symmetry,
	// which analyse adds for the properties that are given. There is an encoding if
	// symbolic engines are to run or if symmetry needs it.
	properties() *mc.Problem
	analyse(ctx context.Context, props []int, symbolic bool, early func(*mc.Problem)) (*Analysis, error)

	// Title names the file, with its constants.
	Title() string
	// Declared and Inferred count the transpositions that generate the symmetry that
	// the source declares, and that was inferred from it.
	Declared() int
	Inferred() int

	// Parts lists the factors of the verified symmetry, Limits what excludes more.
	Parts() []Part
	Limits() []string

	// WriteTrace writes the trace of a property for a reader, SaveTrace for
	// `orbitmc replay`; Styles lists the styles.
	WriteTrace(w io.Writer, pr *mc.PropResult, style string) error
	SaveTrace(w io.Writer, pr *mc.PropResult, style string) error
	// Program returns what the rules are of a model that was made of a program; else nil.
	Program() *prog.Program
	// View returns the trace of a property for a page. A start of rule -1 is none: the trace begins
	// anywhere.
	View(pr *mc.PropResult) (*trace.View, error)
	// Polish makes traces easier to read.
	Polish(r *mc.Result)
	// Warnings says what the author probably did not mean, in source order.
	Warnings(r *mc.Result) []Warning
	// Notes says what else there is to say of a result, in lines of text.
	Notes(r *mc.Result) []string
	// Smaller returns a constant that sets the number of components, and its value less
	// one; "" if there is none.
	Smaller() (constant string, value int64)

	// Replay checks a trace in the contents of a file. The error says why it is
	// rejected.
	Replay(name string, data []byte) (*Replayed, error)
	// Netlist returns what `orbitmc convert` writes: all there is, or only the bads of
	// some properties.
	Netlist(all bool, props []int) *aiger.File
}

// Replayed is a trace that was accepted; its property is -1 if it names none, and violates nothing.
type Replayed struct {
	Prop, Depth int
	View        func() (*trace.View, error)
}

// reader is a front end.
type reader struct {
	language   string
	extensions []string       // of its files
	styles     []string       // the ways to write a trace, the default first
	netlists   bool           // its files have no constants, dialect or other options of models
	text       *regexp.Regexp // what only its files have near the beginning; nil: nothing is known
	open       func(ctx context.Context, t *Task) (Source, error)
}

// readers lists the front ends. A file that none claims is read by the last one. To add
// one, add it here.
var readers = []reader{
	{"AIGER", []string{".aig", ".aag"}, []string{"plain", "aiger", "vcd"}, true, regexp.MustCompile(`^a[ai]g \d+ \d+ \d+ \d+ \d+`), openAIGER},
	{"BTOR2", []string{".btor2", ".btor"}, []string{"plain", "btor2", "vcd"}, true, regexp.MustCompile(`(?m)^\d+ sort (bitvec|array) \d`), openBTOR2},
	{"Verilog", []string{".v", ".sv"}, []string{"plain", "btor2", "vcd"}, true, regexp.MustCompile(`(?m)^\s*module\s+\w+\s*(#\s*)?\(`), openVerilog},
	{"Promela", []string{".pml", ".prom", ".promela"}, programStyles, false, programText, openProgram},
	{"Murphi", []string{".m"}, modelStyles, false, nil, openModel},
}

// programText begins a line, or follows a declaration, in programs only.
var programText = regexp.MustCompile(`(?m)(^|[;}])\s*(active\b.*proctype|proctype|init\s*\{|never\s*\{)`)

// others are formats that are not read, by what only their files have near the beginning.
var others = []struct {
	name string
	text *regexp.Regexp
}{
	{"SMV", regexp.MustCompile(`(?m)^\s*MODULE\s+\w+`)},
	{"SMT-LIB", regexp.MustCompile(`(?m)^\s*\((set-logic|declare-fun|define-fun|declare-const|set-info)\s`)},
	{"BLIF", regexp.MustCompile(`(?m)^\.model\s`)},
	{"DIMACS CNF", regexp.MustCompile(`(?m)^p cnf \d`)},
	{"TLA+", regexp.MustCompile(`(?m)^-{4,}\s*MODULE\s`)},
}

// unread names the format of a file that no front end reads, "" if it is not known.
func (o Options) unread(file string) string {
	if _, known := byExtension(file); known {
		return ""
	}
	text := o.beginning(file)
	for _, x := range others {
		if x.text.Match(text) {
			return x.name
		}
	}
	if bytes.IndexByte(text, 0) >= 0 && o.readerOf(file).text == nil {
		return "a binary file"
	}
	return ""
}

// byExtension chooses the front end for the name of a file, the last one if none knows it.
func byExtension(file string) (r reader, known bool) {
	for _, r := range readers {
		if slices.Contains(r.extensions, filepath.Ext(file)) {
			return r, true
		}
	}
	return readers[len(readers)-1], false
}

// readerOf chooses the front end for a file: by its extension or, if no front end knows
// that, by the beginning of its text.
func (o Options) readerOf(file string) reader {
	r, known := byExtension(file)
	if known {
		return r
	}
	text := o.beginning(file)
	for _, x := range readers {
		if x.text != nil && x.text.Match(text) {
			return x
		}
	}
	return r
}

// someText is how many bytes decide the format of a file.
const someText = 1 << 16

// beginning returns the first text of a file, nil if it cannot be read.
func (o Options) beginning(file string) []byte {
	text, err := o.Read(file)
	if err != nil {
		return nil
	}
	return text[:min(len(text), someText)]
}

// Styles lists the ways to write traces of a file, the default first.
func (o Options) Styles(file string) []string { return o.readerOf(file).styles }

// Language names the language of a file.
func (o Options) Language(file string) string { return o.readerOf(file).language }

// IsNetlist reports whether a file is read as a netlist.
func (o Options) IsNetlist(file string) bool { return o.readerOf(file).netlists }

// Known reports whether a file has the extension of a language that is read.
func Known(file string) bool {
	_, known := byExtension(file)
	return known
}

// AllStyles lists the ways to write traces of any file.
func AllStyles() (all []string) {
	for _, r := range readers {
		for _, s := range r.styles {
			all = lists.With(all, s)
		}
	}
	return all
}
