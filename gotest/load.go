package gotest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir, Name, ForTest, Export string
	Standard, DepOnly                      bool
	GoFiles, CgoFiles                      []string
	ImportMap                              map[string]string
	Module                                 *struct{ Path, GoVersion string }
	Error                                  *struct{ Err string }
}

// source is a package that is rewritten.
type source struct {
	*listed
	files []*ast.File
	names []string // of files
	texts [][]byte
	types *types.Package
	info  *types.Info
}

// program is what is loaded: the packages that are rewritten, dependencies first.
type program struct {
	dir     string // in which commands run
	race    bool
	root    string // GOROOT
	fset    *token.FileSet
	sources []*source
	exports map[string]string // of packages of the standard library, files
	std     types.Importer
	overlay map[string]string // of listing: explore does nothing but call the test, see modules.go for the rest
	over    string            // the file of it; "": it is empty
	flags   []string          // of the go command
	env     []string          // of the go command, beside the one of this process
	version string            // of the main module, if packages of others may be under test
	command string            // go
	cache   string            // of modules, and the link to it, see modules.go
	link    string
}

// stub is explore in programs under test.
const (
	explore  = "orbitmc/explore"
	stubText = "package explore\n\nimport \"testing\"\n\nfunc Test(t *testing.T, f func(t *testing.T)) { f(t) }\n"
)

// swapped are the packages of the standard library that have a package of ours in their place, by the folder of it.
var swapped = map[string]string{
	"sync": "sync", "sync/atomic": "sync/atomic", "time": "time", "context": "context", "math/rand": "rand", "math/rand/v2": "rand/v2",
	"runtime": "runtime", "testing": "testing",
}

// shim is where our packages are, below the source of the standard library.
const shim = "orbitmc_shim"

func (p *program) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.command, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("the go command is not installed: %w", err)
		}
		return nil, fmt.Errorf("go %s: %s", args[0], cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	return out.Bytes(), nil
}

func (p *program) list(ctx context.Context, args ...string) (all []*listed, err error) {
	flags := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,Name,ForTest,Export,Standard,DepOnly,GoFiles,CgoFiles,ImportMap,Module,Error"}
	if p.race {
		flags = append(flags, "-race")
	}
	if p.over != "" {
		flags = append(flags, "-overlay", p.over)
	}
	out, err := p.run(ctx, slices.Concat(flags, p.flags, args)...)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if l.Error != nil {
			return nil, errors.New(l.Error.Err)
		}
		all = append(all, &l)
	}
}

// load loads the tests of packages and what they depend on.
func load(ctx context.Context, dir, folder string, race bool, patterns []string) (*program, error) {
	p := &program{dir: dir, command: "go", race: race, fset: token.NewFileSet(), exports: map[string]string{}, overlay: map[string]string{}}
	env, err := p.run(ctx, "env", "GOROOT", "GOCACHE", "GOMODCACHE", "GOWORK")
	if err != nil {
		return nil, err
	}
	dirs := strings.Split(string(env), "\n")
	p.cache, p.link = dirs[2], filepath.Join(dirs[1], fmt.Sprint(links, crc32.ChecksumIEEE([]byte(dirs[2]))))
	if p.root = dirs[0]; p.moved(p.root) != p.root { // of a toolchain that was downloaded
		p.root = p.moved(p.root)
		p.command, p.env = filepath.Join(p.root, "bin", "go"), []string{"GOROOT=" + p.root, "GOTOOLCHAIN=local"}
		if err := p.linked(); err != nil {
			return nil, err
		}
	}
	std, err := p.list(ctx, "context", "math/rand", "math/rand/v2", "runtime", "sync", "sync/atomic", "testing", "time")
	if err != nil {
		return nil, err
	}
	if err := p.lay(ctx, folder, dirs[3], patterns); err != nil {
		return nil, err
	}
	all, err := p.list(ctx, append([]string{"-test", "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	p.std = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if f := p.exports[path]; f != "" {
			return os.Open(f)
		}
		return nil, fmt.Errorf("no export data of %s", path)
	})
	for _, l := range append(std, all...) {
		if l.Standard {
			p.exports[l.ImportPath] = l.Export
		}
	}
	checked := map[string]*types.Package{}
	for _, l := range all {
		if l.Standard || strings.HasSuffix(l.ImportPath, ".test") && l.Name == "main" {
			continue
		}
		if len(l.CgoFiles) > 0 {
			return nil, fmt.Errorf("%s: cgo: what C code does is not controlled", filepath.Join(l.Dir, l.CgoFiles[0]))
		}
		s, err := p.parse(l)
		if err != nil {
			return nil, err
		}
		if err := p.check(s, checked); err != nil {
			return nil, err
		}
		checked[l.ImportPath] = s.types
		p.sources = append(p.sources, s)
	}
	return p, nil
}

func (p *program) parse(l *listed) (*source, error) {
	s := &source{listed: l}
	for _, f := range l.GoFiles {
		name := filepath.Join(l.Dir, f)
		text, err := os.ReadFile(name)
		if l.ImportPath == explore {
			text = []byte(stubText)
		}
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(p.fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files, s.names, s.texts = append(s.files, file), append(s.names, name), append(s.texts, text)
	}
	return s, nil
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

func (p *program) check(s *source, checked map[string]*types.Package) (err error) {
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}}
	conf := types.Config{Importer: importFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		if to := s.ImportMap[path]; to != "" {
			path = to
		}
		if t := checked[path]; t != nil {
			return t, nil
		}
		return p.std.Import(path)
	})}
	if s.Module != nil && s.Module.GoVersion != "" {
		conf.GoVersion = "go" + s.Module.GoVersion
	}
	path, _, _ := strings.Cut(s.ImportPath, " [")
	s.types, err = conf.Check(path, p.fset, s.files, s.info)
	return err
}

// Tests returns the names of the tests of a package.
func (s *source) tests() (names []string) {
	for i, f := range s.files {
		if !strings.HasSuffix(s.names[i], "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && kindOf(fn) == "Test" {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// kindOf says whether a function is a test, or TestMain.
func kindOf(fn *ast.FuncDecl) string {
	if fn.Recv != nil || fn.Type.TypeParams != nil || len(fn.Type.Params.List) != 1 {
		return ""
	}
	if fn.Name.Name == "TestMain" {
		return "TestMain"
	}
	if rest, ok := strings.CutPrefix(fn.Name.Name, "Test"); ok && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z')) {
		return "Test"
	}
	return ""
}

// packages returns the import paths of the packages that have tests, and these.
func (p *program) packages() (paths []string, tests map[string][]string) {
	tests = map[string][]string{}
	for _, s := range p.sources {
		if s.ForTest == "" {
			continue
		}
		base, _, _ := strings.Cut(s.ImportPath, " [")
		if base != s.ForTest && base != s.ForTest+"_test" {
			continue
		}
		if names := s.tests(); names != nil {
			if tests[s.ForTest] == nil {
				paths = append(paths, s.ForTest)
			}
			tests[s.ForTest] = append(tests[s.ForTest], names...)
		}
	}
	slices.Sort(paths)
	return paths, tests
}
