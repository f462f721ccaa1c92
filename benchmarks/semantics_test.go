package benchmarks_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file runs docs/murphi.md: every line of it that says how the language is
// read names a model in the folder semantics, which shows it, and whose first
// lines say what comes of it in each dialect:
//
//	-- cmurphi: safe states=3 canon=2
//	-- rumur: unsafe prop="runtime-error" depth=1
//	-- rumur: rejected "part of the message"
//
// canon is the number of orbits, where it is not that of the states; a cover that
// is never hit has no depth. There is a line for each property that is violated.
// Options, if any, are in a line of their own; with engine=explicit there is no
// symbolic encoding:
//
//	-- options: deadlock=off loop-max=4 engine=explicit
//
// The tools were asked as well: where CMurphi or Rumur give another outcome for
// their dialect, a line "-- CMurphi gives: ..." says which. "rejected" there
// includes that the checker they write cannot be compiled.

// behaviour is a model of the folder.
type behaviour struct {
	name  string
	src   []byte
	opt   murphi.Options             // but for the dialect
	want  map[model.Dialect][]string // outcomes
	gives map[model.Dialect]string   // what the tool of the dialect gives instead, if anything

	explicitOnly bool
}

func behaviours(t *testing.T) []*behaviour {
	t.Helper()
	files, err := filepath.Glob("semantics/*.m")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	var all []*behaviour
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b := &behaviour{name: strings.TrimSuffix(filepath.Base(f), ".m"), src: src,
			want: make(map[model.Dialect][]string), gives: make(map[model.Dialect]string)}
		if err := b.readHead(); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		all = append(all, b)
	}
	return all
}

// readHead reads the comment that the model begins with.
func (b *behaviour) readHead() error {
	described := false
	for line := range strings.Lines(string(b.src)) {
		text, ok := strings.CutPrefix(line, "-- ")
		if !ok {
			break
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(text), ": ")
		switch word {
		case "cmurphi":
			b.want[model.CMurphi] = append(b.want[model.CMurphi], rest)
		case "rumur":
			b.want[model.Rumur] = append(b.want[model.Rumur], rest)
		case "options":
			if err := b.readOptions(rest); err != nil {
				return err
			}
		case "CMurphi gives":
			b.gives[model.CMurphi] = rest
		case "Rumur gives":
			b.gives[model.Rumur] = rest
		default:
			described = true
		}
	}
	if !described || len(b.want) != 2 {
		return fmt.Errorf("the head does not say what the model shows, or not what comes of it in both dialects")
	}
	return nil
}

func (b *behaviour) readOptions(text string) (err error) {
	for _, o := range strings.Fields(text) {
		switch name, value, _ := strings.Cut(o, "="); name {
		case "deadlock":
			for b.opt.Deadlock.String() != value {
				if b.opt.Deadlock == model.DeadlockOff {
					return fmt.Errorf("no mode %s", o)
				}
				b.opt.Deadlock++
			}
		case "loop-max":
			if b.opt.LoopMax, err = strconv.Atoi(value); err != nil {
				return err
			}
		case "engine":
			b.explicitOnly = true
		default:
			return fmt.Errorf("no option %s", o)
		}
	}
	return nil
}

// TestSemantics runs each model under both dialects: by explicit search without
// and with symmetry, and by bounded model checking.
func TestSemantics(t *testing.T) {
	for _, b := range behaviours(t) {
		for d := model.CMurphi; d <= model.Rumur; d++ {
			t.Run(b.name+" "+d.String(), func(t *testing.T) {
				if err := b.check(d); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func (b *behaviour) check(d model.Dialect) error {
	opt := b.opt
	opt.Dialect = d
	m, err := murphi.Parse(b.name+".m", b.src, opt)
	if err != nil {
		want, ok := strings.CutPrefix(b.want[d][0], "rejected ")
		if part, bad := strconv.Unquote(want); !ok || bad != nil || !strings.Contains(err.Error(), part) {
			return fmt.Errorf("want %s; rejected: %w", b.want[d][0], err)
		}
		if !regexp.MustCompile(`^` + b.name + `\.m:\d+:\d+: `).MatchString(err.Error()) {
			return fmt.Errorf("no position: %w", err)
		}
		return nil
	}
	p, _, err := assemble(m, nil)
	switch {
	case (err != nil) != b.explicitOnly:
		return fmt.Errorf("symbolic encoding: %v", err)
	case err != nil:
		p = &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
	}
	var sum tally
	var results []*mc.Result
	for c := explicit.None; c <= explicit.Exact; c++ {
		r, err := run(&explicit.Engine{Canon: c}, p, mc.Options{All: true}, &sum)
		if err != nil {
			return fmt.Errorf("canon %v: %w", c, err)
		}
		results = append(results, r)
	}
	plain := results[explicit.None]
	for _, r := range results[1:] {
		if v, want := violations(m, r), violations(m, plain); !slices.Equal(v, want) {
			return fmt.Errorf("explicit search with symmetry: %v, want %v", v, want)
		}
	}
	got, want := violations(m, plain), slices.Sorted(slices.Values(b.want[d]))
	if n := plain.Stats.States; plain.Verdict() == mc.Safe {
		got = append(got, fmt.Sprintf("safe states=%d", n))
		if orbits := results[explicit.Exact].Stats.States; orbits != n {
			got[0] += fmt.Sprintf(" canon=%d", orbits)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		return fmt.Errorf("explicit search: %s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	if b.explicitOnly {
		return nil
	}
	return agrees(p, plain, &sum)
}

// violations returns the outcomes of a result other than that it is safe.
func violations(m *model.Model, r *mc.Result) (all []string) {
	for _, pr := range r.Props {
		if pr.Status != mc.Unsafe {
			continue
		}
		text := fmt.Sprintf("unsafe prop=%q", m.Props[pr.Prop].Name)
		if m.Props[pr.Prop].Kind != model.Cover {
			text += fmt.Sprintf(" depth=%d", pr.Depth)
		}
		all = append(all, text)
	}
	return all
}

// agrees holds bounded model checking to a result of explicit search: up to the
// last violation, or as many steps as there are layers of states, but 6 at most.
func agrees(p *mc.Problem, r *mc.Result, sum *tally) error {
	bound := min(r.Stats.Depth+1, 6)
	for _, pr := range r.Props {
		bound = max(bound, pr.Depth)
	}
	for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
		b, err := run(&bmc.Checker{Rep: mode, NewSolver: newSolver}, p, mc.Options{All: true, Bounded: true, MaxDepth: bound}, sum)
		if err != nil {
			return fmt.Errorf("bmc, rep %v: %w", mode, err)
		}
		for i, got := range b.Props {
			q, want := p.Model.Props[got.Prop], r.Props[i]
			switch {
			case q.Kind == model.Liveness:
			case want.Trace != nil && got.Status == want.Status && got.Depth == want.Depth:
			case want.Trace == nil && got.Status == mc.Unknown && got.Bound == bound:
			default:
				return fmt.Errorf("bmc, rep %v: %q is %v, depth %d, bound %d; want %v, depth %d", mode, q.Name, got.Status, got.Depth, got.Bound, want.Status, want.Depth)
			}
		}
	}
	return nil
}

var (
	reference = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
	several   = regexp.MustCompile("`([a-z_]+_){([a-z_,]+)}`") // as the shell expands them
	tableRow  = regexp.MustCompile(`^\|[^-]`)
)

// TestSemanticsDocument checks that docs/murphi.md and the folder name each other
// completely, and that every row of a table names a model.
func TestSemanticsDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/murphi.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := make(map[string]bool)
	for _, b := range behaviours(t) {
		missing[b.name] = true
	}
	known := len(missing)
	number, head := 0, ""
	for line := range strings.Lines(string(text)) {
		number++
		names := reference.FindAllStringSubmatch(several.ReplaceAllStringFunc(line, func(s string) string {
			m := several.FindStringSubmatch(s)
			return "`" + m[1] + strings.ReplaceAll(m[2], ",", "` `"+m[1]) + "`"
		}), -1)
		for _, n := range names {
			delete(missing, n[1])
			if _, err := os.Stat(filepath.Join("semantics", n[1]+".m")); err != nil {
				t.Errorf("line %d: there is no model %s", number, n[1])
			}
		}
		if isHead := head == "" || head[0] != '|'; tableRow.MatchString(line) && !isHead && len(names) == 0 {
			t.Errorf("line %d: the row names no model: %s", number, line)
		}
		head = line
	}
	for _, n := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("docs/murphi.md does not name %s", n)
	}
	t.Logf("%d models", known)
}
