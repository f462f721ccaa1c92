package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/portfolio"
	"orbitmc/internal/testkit/nightly"
)

// TestDocs runs the commands that README.md and docs/ show, and compares what a
// page shows of their output with what is printed. A code block is a run of lines
// indented by four blanks, or fenced. In it
//
//   - a line `$ COMMAND` is run, and the lines up to the next `$` or the end are
//     its standard output, `< FILE` its input; `...` stands for any lines, a blank line before it too; of
//     engines side by side any one may have won;
//   - a line that begins with `orbitmc ` or `go run ./cmd/orbitmc ` in a block
//     without `$` is run, and must neither fail nor be refused.
//
// A fenced block whose first line names a language and a file, as in "murphi msi.m" behind the
// fence, is that file, which the commands below it may read; with the name of an earlier file behind it, it goes to
// the end of that one. A page with commands of yosys is skipped where that is
// not installed.
//
// Text behind three blanks or more on such a line is a remark. The commands of a
// page run in one folder, in order, where the models of benchmarks/murphi and
// benchmarks/promela lie both below that path and beside, and benchmarks/go is, too. A comment `<!-- not run: REASON -->` in the line
// before a block exempts it.
func TestDocs(t *testing.T) {
	pages := docPages(t)
	ran := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var commands []docCommand
		for _, b := range docBlocks(string(text)) {
			commands = append(commands, b.commands()...)
		}
		ran += len(commands)
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir := docFolder(t)
			if _, err := exec.LookPath("yosys"); err != nil && slices.ContainsFunc(commands, func(c docCommand) bool { return strings.HasPrefix(c.text, "yosys ") }) {
				t.Skip("yosys is not installed")
			}
			for _, c := range commands {
				if err := c.run(dir); err != nil {
					t.Errorf("%s:%d: %s\n%v", page, c.line, c.text, err)
				}
			}
		})
	}
	if ran < 8 {
		t.Errorf("only %d commands found", ran)
	}
}

// docPages returns the pages of docs and of docs/theory.
func docPages(t *testing.T) []string {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	theory, err := filepath.Glob("../../docs/theory/*.md")
	if err != nil || len(theory) < 5 {
		t.Fatal(theory, err)
	}
	return append(pages, theory...)
}

// docBlock is a code block: its lines without indentation, the first one being
// line at of the page, from 1.
type docBlock struct {
	at    int
	file  string // that it is; "": none
	lines []string
}

var notRun = regexp.MustCompile(`^<!-- not run: .+ -->$`)

// docBlocks returns the code blocks of a page but those exempted.
func docBlocks(page string) (blocks []docBlock) {
	var b *docBlock
	end := func(exempt bool) {
		if b != nil && !exempt {
			blocks = append(blocks, *b)
		}
		b = nil
	}
	exempt, fenced := false, false
	for i, line := range strings.Split(page, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			if fenced = !fenced; fenced {
				end(exempt)
				b = &docBlock{at: i + 2}
				if info := strings.Fields(strings.TrimLeft(line, "`")); len(info) >= 2 {
					b.file = info[1]
					for _, before := range blocks {
						if len(info) == 3 && before.file == info[2] {
							b.lines = append(slices.Clone(before.lines), "")
						}
					}
				}
			} else {
				end(exempt)
				exempt = false
			}
		case fenced:
			b.lines = append(b.lines, line)
		case indented:
			if b == nil {
				b = &docBlock{at: i + 1}
			}
			b.lines = append(b.lines, code)
		case line == "" && b != nil:
			b.lines = append(b.lines, "")
		case line == "":
		default:
			if b != nil {
				end(exempt)
				exempt = false
			}
			exempt = notRun.MatchString(line)
		}
	}
	end(exempt)
	return blocks
}

// docCommand is a command of a page and the output that is shown of it.
type docCommand struct {
	line  int
	text  string
	file  string   // to write text to; "": it is a command
	shown []string // nil: nothing is shown
}

var remark = regexp.MustCompile(` {3,}.*$`)

func (b docBlock) commands() (all []docCommand) {
	shows := false
	if b.file != "" {
		return []docCommand{{line: b.at, file: b.file, text: strings.Join(b.lines, "\n") + "\n"}}
	}
	for i, line := range b.lines {
		text, prompt := strings.CutPrefix(line, "$ ")
		switch {
		case prompt:
			shows = true
			all = append(all, docCommand{line: b.at + i, text: text})
		case shows:
			last := &all[len(all)-1]
			last.shown = append(last.shown, line)
		case strings.HasPrefix(line, "orbitmc "), strings.HasPrefix(line, "go run ./cmd/orbitmc "):
			all = append(all, docCommand{line: b.at + i, text: remark.ReplaceAllString(line, "")})
		}
	}
	return all
}

// docFolder returns a new folder with the models.
func docFolder(t *testing.T) string {
	dir := t.TempDir()
	models, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || len(models) < 20 {
		t.Fatal(models, err)
	}
	programs, err := filepath.Glob("../../benchmarks/promela/*.pml")
	if err != nil || len(programs) < 5 {
		t.Fatal(programs, err)
	}
	for _, m := range append(models, programs...) {
		src, err := os.ReadFile(m)
		if err != nil {
			t.Fatal(err)
		}
		below := filepath.Join(dir, "benchmarks", filepath.Base(filepath.Dir(m)))
		if err := os.MkdirAll(below, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{dir, below} {
			if err := os.WriteFile(filepath.Join(to, filepath.Base(m)), src, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, folder := range []string{"go", "murphi/probabilistic"} {
		if err := os.CopyFS(filepath.Join(dir, "benchmarks", folder), os.DirFS("../../benchmarks/"+folder)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// word is a word of a command, perhaps in quotes.
var word = regexp.MustCompile(`'[^']*'|\S+`)

func (c docCommand) run(dir string) error {
	if c.file != "" {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, c.file)), 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666)
	}
	words := word.FindAllString(strings.Replace(c.text, "go run ./cmd/orbitmc", "orbitmc", 1), -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	if words[0] != "orbitmc" && words[0] != "yosys" {
		return fmt.Errorf("not a command of ours; say <!-- not run: why -->")
	}
	var input []byte
	if n := len(words); n > 2 && words[n-2] == "<" {
		var err error
		if input, err = os.ReadFile(filepath.Join(dir, words[n-1])); err != nil {
			return err
		}
		words = words[:n-2]
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var status *exec.ExitError
	switch {
	case errors.As(err, &status) && status.ExitCode() != exitUsage:
	case err != nil:
		return fmt.Errorf("%v\n%s", err, stderr.String())
	}
	if c.shown == nil {
		return nil
	}
	shown, printed := trimmed(strings.Join(c.shown, "\n")), trimmed(stdout.String())
	if words[1] == "check" && !slices.Contains(words, "--engine") {
		shown, printed = byAny(shown), byAny(printed)
	}
	if !matches(shown, printed) {
		return fmt.Errorf("it prints\n%s", strings.Join(printed, "\n"))
	}
	return nil
}

// byAny returns lines in which verdicts are those of any engine: which one of several side by side is first depends on
// the machine.
func byAny(lines []string) []string {
	winner := regexp.MustCompile(`^(  .*(?:holds|VIOLATED.*)) \((?:` + strings.Join(portfolio.Names(), "|") + `)\)$`)
	for i, l := range lines {
		lines[i] = winner.ReplaceAllString(l, "$1 (any engine)")
	}
	return lines
}

// trimmed returns the lines of a text without blanks at their ends, and without
// blank lines at its end.
func trimmed(text string) []string {
	lines := strings.Split(strings.TrimRight(text, " \n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// matches reports whether lines are those of a pattern, in which a line `...` stands
// for any number of lines.
func matches(pattern, lines []string) bool {
	switch {
	case len(pattern) == 0:
		return len(lines) == 0
	case strings.TrimSpace(pattern[0]) == "...":
		for i := range len(lines) + 1 {
			if matches(pattern[1:], lines[i:]) {
				return true
			}
		}
		return false
	}
	return len(lines) > 0 && pattern[0] == lines[0] && matches(pattern[1:], lines[1:])
}

// TestDocsCatch shows that a page that is wrong is caught.
func TestDocsCatch(t *testing.T) {
	dir := docFolder(t)
	for page, wrong := range map[string]bool{
		"    $ orbitmc bmc -k 1 mutex_sem.m\n    mutex_sem.m (N=2)\n    ...\n":                                                   false,
		"    $ orbitmc bmc -k 1 mutex_sem.m\n    mutex_sem.m (N=4)\n    ...\n":                                                   true,
		"    $ orbitmc bmc -k 1 mutex_sem.m\n    mutex_sem.m (N=2)\n":                                                            true,
		"    orbitmc bmc mutex_sem.m --no-such-option\n":                                                                         true,
		"```\norbitmc bmc mutex_sem.m --no-such-option\n```\n":                                                                   true,
		"    orbitmc bmc mutex_sem.m -k 1      a remark\n":                                                                       false,
		"    $ orbitmc check mutex_sem.m\n    mutex_sem.m (N=2)\n\n      Mutex          invariant      holds (pdr)\n    ...\n":   false,
		"    $ orbitmc check mutex_sem.m\n    mutex_sem.m (N=2)\n\n      Mutex          invariant      refuted (pdr)\n    ...\n": true,
		"    $ orbitmc pdr mutex_sem.m\n    mutex_sem.m (N=2)\n\n      Mutex          invariant      holds (bmc)\n    ...\n":     true,
		"    $ ls\n": true,
	} {
		var failed error
		n := 0
		for _, b := range docBlocks(page) {
			for _, c := range b.commands() {
				n++
				failed = errors.Join(failed, c.run(dir))
			}
		}
		if n != 1 || (failed != nil) != wrong {
			t.Errorf("%d commands, wrong: %v, want %v: %q\n%v", n, failed != nil, wrong, page, failed)
		}
	}
	if bs := docBlocks("text\n<!-- not run: no such file -->\n    orbitmc check NONE\n"); len(bs) != 0 {
		t.Errorf("a block that is exempt is run: %v", bs)
	}
}

// TestDocTimes keeps figures of time from standing alone: a page that gives
// seconds says which machine they were measured on.
func TestDocTimes(t *testing.T) {
	seconds := regexp.MustCompile(`\b\d+(\.\d+)? s\b`)
	pages := docPages(t)
	for _, page := range append(pages, "../../README.md", "../../ARCHITECTURE.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if at := seconds.Find(text); at != nil && !bytes.Contains(text, []byte("2-core x86-64")) {
			t.Errorf("%s: %q of which machine?", page, at)
		}
	}
}

// TestDocPaths: a file of Go, or a page, that a page names is there.
func TestDocPaths(t *testing.T) {
	named := regexp.MustCompile("`([a-z_]+(?:/[a-z_]+)+\\.go)`|\\b(docs/(?:theory/)?[a-z-]+\\.md)")
	pages := docPages(t)
	n := 0
	for _, page := range append(pages, "../../README.md", "../../ARCHITECTURE.md", "../../doc.go") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			n++
			if _, err := os.Stat(filepath.Join("../..", string(m[1])+string(m[2]))); err != nil {
				t.Errorf("%s names a file that is not there: %v", page, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d files named", n)
	}
}

// markdown returns all pages of the project.
func markdown(t *testing.T) (pages []string) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if d.IsDir() && (strings.HasPrefix(name, ".") && name != ".." || name == "node_modules" || name == "testdata" || name == "out" || name == "dist") {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil || len(pages) < 40 {
		t.Fatal(pages, err)
	}
	return pages
}

// TestDocLinks: what links of Markdown lead to is there: files, pictures, headings. Addresses on the web are not looked at.
func TestDocLinks(t *testing.T) {
	n := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		links, dead := deadLinks(page, string(text))
		n += links
		for _, d := range dead {
			t.Errorf("%s: %s", page, d)
		}
	}
	if n < 60 {
		t.Errorf("only %d links", n)
	}
	for link, wrong := range map[string]bool{
		"[a](README.md)": false, "[a](READ.md)": true, "![a](docs/img/simulate.png)": false, "![a](docs/img/none.png)": true,
		"[a](ARCHITECTURE.md#what-both-share)": false, "[a](ARCHITECTURE.md#none)": true, "# A `b`, c\n[a](#a-b-c)": false, "[a](#a-b-c)": true,
		"`[a](none.md)`": false, "    [a](none.md)": false, "[a](http://none)": false, "[a]: none.md": true,
	} {
		if _, dead := deadLinks("../../x.md", link); (len(dead) > 0) != wrong {
			t.Errorf("%q: dead are %q", link, dead)
		}
	}
}

var (
	inlineCode = regexp.MustCompile("``[^`]*``|`[^`]*`")
	mdLink     = regexp.MustCompile(`\]\(([^)\s]*)[^)]*\)|(?m:^\[[^\]]+\]:\s*(\S+))`)
	mdHeading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// prose returns a page without its code, but for the code in headings.
func prose(text string) string {
	var lines []string
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// deadLinks returns the number of links of a page, and those that lead nowhere.
func deadLinks(page, text string) (n int, dead []string) {
	for _, m := range mdLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(prose(text), ""), -1) {
		n++
		to := m[1] + m[2]
		if strings.Contains(to, "://") {
			continue
		}
		path, anchor, _ := strings.Cut(to, "#")
		target, in := text, page
		if path != "" {
			in = filepath.Join(filepath.Dir(page), path)
			data, err := os.ReadFile(in)
			if err != nil {
				dead = append(dead, to)
				continue
			}
			target = string(data)
		}
		if anchor != "" && !slices.ContainsFunc(mdHeading.FindAllStringSubmatch(prose(target), -1), func(h []string) bool {
			return strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == anchor
		}) {
			dead = append(dead, to)
		}
	}
	return n, dead
}

// TestSite builds the site of the documentation: a page for each Markdown file, with links among them, pictures and a
// search. It loads a hundred packages: ORBITMC_LONG=1.
func TestSite(t *testing.T) {
	cmd := exec.Command("../../.ci/site", t.TempDir())
	cmd.Env = withoutPrograms(t, "bash", "realpath", "dirname")
	if text, _ := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(text), "there is no npm") {
		t.Errorf("without npm: %s", text)
	}
	if _, err := exec.LookPath("npm"); err != nil || !nightly.On() {
		t.Skip("no npm, or ORBITMC_LONG is not set")
	}
	out := t.TempDir()
	text, err := exec.Command("../../.ci/site", out).CombinedOutput()
	var status *exec.ExitError
	switch {
	case errors.As(err, &status) && status.ExitCode() == 3 && strings.Contains(string(text), "is there a network?"):
		t.Skip("npm cannot load VitePress")
	case err != nil:
		t.Fatalf("%v\n%s", err, text)
	}
	for _, page := range markdown(t) {
		html := strings.Replace(strings.TrimSuffix(page, ".md")+".html", "README.html", "index.html", 1)
		text, err := os.ReadFile(filepath.Join(out, strings.TrimPrefix(filepath.ToSlash(html), "../../")))
		if err != nil {
			t.Error(err)
		} else if to := regexp.MustCompile(`href="[^":]*\.(md|go)[#"]`).Find(text); to != nil {
			t.Errorf("%s has %s", html, to)
		}
	}
	for _, pattern := range []string{"assets/german-bug2.*.png", "assets/chunks/@localSearchIndex*.js"} {
		if found, _ := filepath.Glob(filepath.Join(out, pattern)); len(found) == 0 {
			t.Errorf("there is no %s", pattern)
		}
	}
}
