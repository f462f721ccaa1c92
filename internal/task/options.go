package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cadical"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
)

// Options says how a file is read and which sources propose symmetry. The zero value is the
// default. Validate checks the words; Choices lists them.
type Options struct {
	// What a model means; see docs/murphi.md. Netlists have none of these, but Defines are macros of Verilog, too.
	Defines  []string // values of constants, as NAME=VALUE
	Dialect  string   // "cmurphi" (also "") or "rumur": the tool whose semantics counts where they differ
	Deadlock string   // "stuttering" (also ""), "stuck" or "off"
	Formulas []string // in linear temporal logic, as NAME: FORMULA or the NAME of one in the file; they are the properties then
	Trees    []string // in computation tree logic, as Formulas; if Props names none, they are the properties
	Fair     []string // sets of rule instances that are fair: see murphi.Options and promela.Options
	NoLTL    bool     // that formulas and claims of a program are left out does not make the verdict unknown
	LoopMax  int      // more iterations of a while loop than this are an error; 0 is model.DefaultLoopMax

	// Encoding is how the types of a model are written in latches: "plain", "inferred"
	// (one-hot where symmetry is inferred), "renamed" (and each rule named by an
	// input), "strict" or "inferred-strict" (quantifiers do not stop early: encode.Strict). ""
	// leaves it to Symmetry.
	Encoding string

	// Abstract is "counters" if a model is to be replaced by one that counts components, "counters:N" if up to N, or "none"
	// (also ""): see package counters.
	Abstract string

	Top string // the top module of Verilog; "": the one that all others are in

	Symmetry string   // "auto" (also ""), "declared", "detected" or "off": where proposals come from
	Solver   string   // "cdcl" (also "") or "gini": the SAT back end
	Seed     uint64   // of everything random
	Props    []string // properties to decide, by name; none are all

	Adaptive string // whether explicit search uses the symmetry of each rule by itself: "never" (also ""), "auto", where few rules break it, or "always", where some do
	Raw      bool   // a netlist is not cleaned up

	// Certificate says that proofs are kept in a file. So explicit search of a netlist proves nothing: its evidence is no certificate.
	Certificate bool

	// LargeArrays reads arrays of BTOR2 of any size. The netlist may have more runs than the file then: see
	// Task.Refine, which whoever sets it calls at mc.ErrSpurious.
	LargeArrays bool

	// Executions reads a program for a search by executions: claims are not checked, as independent steps are
	// exchanged in what they see. Staying lets processes stay at their ends, where nothing tells that.
	Executions bool
	Staying    bool

	FirstFree bool // in a program, new takes the first free object: without symmetry, any one would be too many

	TextOnly bool // explicit search keeps all states: what the text shows of the symmetry is enough, to say what it could save

	// Holders lets objects of a program say which process holds their mutex, for stubborn sets: see prog.Ownership.
	Holders bool

	Thorough bool // detection may take nearly all of the time there is
	Explain  bool // keep what explanations of broken symmetry need

	// Contents is what the file holds; nil: what Files reads.
	Contents []byte
	Files    *Files // reads files; nil: Open makes one

	Change func(*model.Model) error // of a Murphi model that was read; nil changes nothing

	Phase func(what string) // called when work before the engines goes on to something else; nil is silent
}

// Read returns the contents of the file of a task.
func (o Options) Read(file string) ([]byte, error) {
	if o.Contents != nil {
		return o.Contents, nil
	}
	if o.Files != nil {
		return o.Files.Read(file)
	}
	return readFile(file)
}

// Choices lists the words that an option of Options may be, the default first.
func Choices(option string) []string { return choices[option] }

var choices = map[string][]string{
	"dialect":  {"cmurphi", "rumur"},
	"deadlock": {"stuttering", "stuck", "off"},
	"encoding": {"plain", "inferred", "renamed", "strict", "inferred-strict"},
	"abstract": {"none", "counters"},
	"sym":      {"auto", "declared", "detected", "off"},
	"solver":   {"cdcl", "gini"},
}

// solvers has the SAT back ends by name. To add one, add it here and to choices.
var solvers = map[string]func(seed uint64) sat.Solver{
	"cdcl": func(seed uint64) sat.Solver { return cdcl.Seeded(seed) },
	"gini": func(uint64) sat.Solver { return gini.New() },
}

func init() {
	if cadical.New != nil {
		solvers["cadical"] = func(uint64) sat.Solver { return cadical.New() }
		choices["solver"] = append(choices["solver"], "cadical")
	}
}

// Validate checks that all words are among their choices, and numbers in range.
func (o Options) Validate() error {
	for option, word := range map[string]string{"dialect": o.Dialect, "deadlock": o.Deadlock, "encoding": o.Encoding, "abstract": o.Abstract, "sym": o.Symmetry, "solver": o.Solver} {
		if err := OneOf(option, word, choices[option]...); word != "" && err != nil {
			return err
		}
	}
	counting, cut := Counting(o.Abstract)
	if _, number, stops := strings.Cut(o.Abstract, ":"); stops && cut == 0 {
		return fmt.Errorf("--abstract %s: want counters:N with a number N, 1 or more, at which counters stop, and not %q", o.Abstract, number)
	}
	if counting && len(o.Formulas)+len(o.Trees)+len(o.Fair) > 0 {
		return errors.New("--abstract counters: not with --ltl, --ctl and --fair, as runs of a component are not kept")
	}
	if counting && o.Encoding == "renamed" {
		return fmt.Errorf("--abstract counters: not with --encoding renamed, as no rule has a component's name then")
	}
	if o.LoopMax < 0 {
		return fmt.Errorf("--loop-max %d: want a number of iterations, 1 or more", o.LoopMax)
	}
	for _, d := range o.Defines {
		if name, value, ok := strings.Cut(d, "="); !ok || name == "" || value == "" {
			return fmt.Errorf("-D %q: want NAME=VALUE", d)
		}
	}
	return nil
}

// OneOf checks that the value of an option is among its choices. In counters:N the number is not looked at.
func OneOf(option, value string, among ...string) error {
	word := value
	if option == "abstract" {
		word, _, _ = strings.Cut(value, ":")
	}
	if slices.Contains(among, word) {
		return nil
	}
	return fmt.Errorf("--%s %q: want %s", option, value, strings.Join(among, ", "))
}

// withDefaults fills in the words that were left out.
func (o Options) withDefaults() Options {
	for option, word := range map[string]*string{"dialect": &o.Dialect, "deadlock": &o.Deadlock, "sym": &o.Symmetry, "solver": &o.Solver} {
		*word = cmp.Or(*word, choices[option][0])
	}
	o.LoopMax = cmp.Or(o.LoopMax, model.DefaultLoopMax)
	if o.Phase == nil {
		o.Phase = func(string) {}
	}
	return o
}

// ofModels returns an option that is set and about models only, "" if there is none.
func (o Options) ofModels(macros bool) string {
	switch {
	case len(o.Defines) > 0 && !macros:
		return "-D"
	case o.Dialect != "":
		return "--dialect"
	case o.Deadlock != "":
		return "--deadlock"
	case len(o.Formulas)+len(o.Fair) > 0:
		return "--ltl"
	case len(o.Trees) > 0:
		return "--ctl"
	case o.LoopMax != 0:
		return "--loop-max"
	case o.Encoding != "":
		return "--encoding"
	case o.Abstract != "":
		return "--abstract"
	}
	return ""
}

// Counting reports whether the option Abstract says that components are counted, and where counters stop; 0: they do not.
func Counting(abstract string) (counting bool, cut int) {
	word, number, is := strings.Cut(abstract, ":")
	if is {
		if n, err := strconv.Atoi(number); err == nil && word == "counters" && n > 0 {
			cut = n
		}
	}
	return word == "counters", cut
}

// Given returns the options that decide what a model means, as far as they are not the
// default, by the names of the command line.
func (o Options) Given() (given [][2]string) {
	given = append(given, lists.Map(o.Defines, func(d string) [2]string { return [2]string{"D", d} })...)
	given = append(given, lists.Map(o.Formulas, func(f string) [2]string { return [2]string{"ltl", f} })...)
	given = append(given, lists.Map(o.Trees, func(f string) [2]string { return [2]string{"ctl", f} })...)
	given = append(given, lists.Map(o.Fair, func(f string) [2]string { return [2]string{"fair", f} })...)
	for _, x := range [][2]string{{"dialect", o.Dialect}, {"deadlock", o.Deadlock}, {"abstract", o.Abstract}} {
		if x[1] != "" && x[1] != choices[x[0]][0] {
			given = append(given, x)
		}
	}
	if o.Top != "" {
		given = append(given, [2]string{"top", o.Top})
	}
	if o.LoopMax != 0 && o.LoopMax != model.DefaultLoopMax {
		given = append(given, [2]string{"loop-max", fmt.Sprint(o.LoopMax)})
	}
	return given
}

// ModelOptions returns what the Murphi reader is told.
func ModelOptions(o Options) (murphi.Options, error) {
	opt := murphi.Options{Consts: make(map[string]string), Source: o.Contents}
	for _, d := range o.Defines {
		name, value, _ := strings.Cut(d, "=")
		opt.Consts[name] = value
	}
	if o.Dialect == "rumur" {
		opt.Dialect = model.Rumur
	}
	switch o.Deadlock {
	case "stuck":
		opt.Deadlock = model.Stuck
	case "off":
		opt.Deadlock = model.DeadlockOff
	}
	opt.Formulas, opt.Trees, opt.Fair = o.Formulas, o.Trees, o.Fair
	return opt, o.Validate()
}
