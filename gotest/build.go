package gotest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// binary is the tests of a package, made to run under every schedule.
type binary struct {
	path  string // of the package
	file  string
	dir   string // in which it runs
	tests []string
	old   bool // timers of before Go 1.23
	fresh bool // executions leave something behind
}

// build makes the binaries of the packages that have tests, in a folder. The files of the packages and the
// toolchain stay as they are: what differs is laid over them for the build.
// Lines on which races were seen, with their numbers, are visible.
func build(ctx context.Context, opt *Options, folder string, patterns []string, racy map[string][]int) ([]*binary, error) {
	race := opt.Race
	p, err := load(ctx, opt.Dir, folder, race, patterns)
	if err != nil {
		return nil, err
	}
	overlay := p.overlay
	count := 0
	put := func(at, text string) error {
		name := filepath.Join(folder, fmt.Sprintf("%d-%s", count, filepath.Base(at)))
		count++
		overlay[at] = name
		// Before Go 1.26 the go command overlooks packages of the standard library with files that are new, and what it
		// keeps of others goes by their times.
		old := time.Unix(int64(crc32.ChecksumIEEE([]byte(text))%1e9), 0)
		return cmp.Or(os.WriteFile(name, []byte(text), 0o666), os.Chtimes(name, old, old))
	}
	ours, err := p.ours(ctx)
	if err != nil {
		return nil, err
	}
	for name, text := range ours {
		if err := put(filepath.Join(p.root, "src", shim, filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	vars := newVariables(p)
	for _, s := range p.sources {
		vars.find(s)
	}
	mains := map[string]bool{}
	for i, s := range p.sources {
		files, err := p.rewrite(s, i, vars, racy, false)
		if err != nil {
			return nil, err
		}
		for name, text := range files {
			if err := put(name, text); err != nil {
				return nil, err
			}
		}
		if names := s.tests(); names != nil {
			name := filepath.Join(s.Dir, "orbitmc_"+s.Name+"_test.go")
			if err := put(name, entry(s, names, !mains[s.ForTest])); err != nil {
				return nil, err
			}
			mains[s.ForTest] = true
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, err
	}
	args := append([]string{"test", "-c", "-vet=off", "-overlay", file}, p.flags...)
	if race {
		args = append(args, "-race")
		for _, pkg := range []string{"events", "sched", "sync", "time", "runtime", "testing", "rand", "rand/v2"} {
			args = append(args, "-gcflags="+shim+"/"+pkg+"=-race=false -l")
		}
	}
	var all []*binary
	paths, tests := p.packages()
	for i, path := range paths {
		b := &binary{path: path, file: filepath.Join(folder, fmt.Sprintf("tests%d", i)), tests: tests[path], fresh: vars.stays()}
		for _, s := range p.sources {
			if s.ForTest == path && s.tests() != nil {
				b.dir, b.old = s.Dir, s.Module != nil && before123(cmp.Or(p.version, s.Module.GoVersion))
			}
		}
		if _, err := p.run(ctx, append(args, "-o", b.file, path)...); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func before123(version string) bool {
	var major, minor int
	fmt.Sscanf(version, "%d.%d", &major, &minor)
	return major == 1 && minor < 23
}

// entry is the file that hands the tests of a package over.
func entry(s *source, names []string, main bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\tstd \"testing\"\n\torb_ %q\n)\n\nfunc init() {\n", s.Name, shim+"/testing")
	for _, n := range names {
		fmt.Fprintf(&b, "\torb_.Register(%q, Orb_%s)\n", n, n)
	}
	for i, f := range s.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && kindOf(fn) == "TestMain" && strings.HasSuffix(s.names[i], "_test.go") {
				b.WriteString("\torb_.TestMain = Orb_TestMain\n")
			}
		}
	}
	b.WriteString("}\n")
	if main {
		b.WriteString("\nfunc TestMain(m *std.M) { orb_.Main(m) }\n")
	} else {
		b.WriteString("\nvar _ std.TB\n")
	}
	return b.String()
}
