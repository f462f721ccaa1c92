package gotest

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"

	"orbitmc/internal/stateless/events"
)

// Our packages in the place of those of the standard library hold what differs. What is the same is made
// here from the export data of the toolchain at hand: the rest of sync, time, testing, runtime and math/rand, all of
// sync/atomic, and context, which is its own text, rewritten.

//go:embed shim
var shims embed.FS

// ours makes the text of our packages, by path below shim.
func (p *program) ours(ctx context.Context) (map[string]string, error) {
	files := map[string]string{"events/events.go": string(events.Source)}
	for _, dir := range []string{"sched", "sync", "time", "runtime", "testing", "rand", "synctest"} {
		all, err := shims.ReadDir("shim/" + dir)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			text, err := shims.ReadFile("shim/" + dir + "/" + f.Name())
			if err != nil {
				return nil, err
			}
			s := strings.ReplaceAll(string(text), `"orbitmc/gotest/shim/`, `"`+shim+`/`)
			s = strings.ReplaceAll(s, `"orbitmc/internal/stateless/events"`, `"`+shim+`/events"`)
			if dir == "testing" {
				s = strings.ReplaceAll(s, "\t\"context\"\n", "\t\""+shim+"/context\"\n")
			}
			files[dir+"/"+f.Name()] = s
			if dir == "rand" {
				files["rand/v2/"+f.Name()] = s
			}
		}
	}
	once, err := os.ReadFile(filepath.Join(p.root, "src/sync/oncefunc.go"))
	if err != nil {
		return nil, err
	}
	files["sync/oncefunc.go"] = string(once)
	for std, dir := range swapped {
		if std == "context" {
			continue
		}
		text, err := p.forward(std, files, dir)
		if err != nil {
			return nil, err
		}
		files[dir+"/forward.go"] = text
	}
	files["context/context.go"], err = p.context()
	return files, err
}

// forward makes what a package of ours has of the one that it takes the place of.
func (p *program) forward(std string, files map[string]string, dir string) (string, error) {
	of, err := p.std.Import(std)
	if err != nil {
		return "", err
	}
	have := map[string]bool{}
	for name, text := range files {
		if path.Dir(name) != dir {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return "", err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				have[d.Name.Name] = have[d.Name.Name] || d.Recv == nil
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						have[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							have[n.Name] = true
						}
					}
				}
			}
		}
	}
	var b bytes.Buffer
	imports := map[string]bool{std: true}
	qualify := func(q *types.Package) string {
		if q == of {
			return "std"
		}
		imports[q.Path()] = true
		return q.Name()
	}
	for _, name := range of.Scope().Names() {
		o := of.Scope().Lookup(name)
		if !o.Exported() || have[name] {
			continue
		}
		switch o := o.(type) {
		case *types.Const:
			fmt.Fprintf(&b, "const %s = std.%s\n", name, name)
		case *types.Var:
			fmt.Fprintf(&b, "var %s = std.%s\n", name, name)
		case *types.TypeName:
			switch n, ok := o.Type().(*types.Named); {
			case std == "sync/atomic":
				atomicType(&b, n, qualify)
			case !ok || n.TypeParams() == nil:
				fmt.Fprintf(&b, "type %s = std.%s\n", name, name)
			}
		case *types.Func:
			sig := o.Signature()
			rand := of.Scope().Lookup("Rand")
			switch {
			case std == "sync/atomic":
				params, args := signature(sig, qualify)
				fmt.Fprintf(&b, "func %s%s {\n\tsched.Atomic(%v, unsafe.Pointer(p0))\n\t%sstd.%s(%s)\n}\n", name, params, !strings.HasPrefix(name, "Load"), returns(sig), name, args)
			case rand != nil && name != "Seed" && sig.TypeParams() == nil && method(rand.Type(), name):
				params, args := signature(sig, qualify)
				fmt.Fprintf(&b, "func %s%s { %sstd.New(source{}).%s(%s) }\n", name, params, returns(sig), name, args)
			case rand != nil && name == "Seed":
				fmt.Fprintf(&b, "func Seed(int64) {}\n")
			case std == "math/rand/v2" && name == "N":
				b.WriteString("func N[Int interface{ ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr }](n Int) Int {\n\treturn Int(std.New(source{}).Uint64N(uint64(n)))\n}\n")
			case sig.TypeParams() == nil:
				fmt.Fprintf(&b, "var %s = std.%s\n", name, name)
			}
		}
	}
	var head strings.Builder
	if b.Len() == 0 {
		return "package " + of.Name() + "\n", nil
	}
	fmt.Fprintf(&head, "package %s\n\nimport (\n\tstd %q\n", of.Name(), std)
	for path := range imports {
		if path != std {
			fmt.Fprintf(&head, "\t%q\n", path)
		}
	}
	if std == "sync/atomic" {
		fmt.Fprintf(&head, "\t%q\n", shim+"/sched")
		if !imports["unsafe"] {
			head.WriteString("\t\"unsafe\"\n")
		}
	}
	out, err := format.Source([]byte(head.String() + ")\n\n" + b.String()))
	return string(out), err
}

func method(t types.Type, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, name)
	return o != nil
}

func returns(sig *types.Signature) string {
	if sig.Results().Len() > 0 {
		return "return "
	}
	return ""
}

// signature returns the text of parameters p0, p1, ... and results, and of the arguments of a call with them.
func signature(sig *types.Signature, q types.Qualifier) (text, args string) {
	var ps, as, rs []string
	for i := range sig.Params().Len() {
		ps = append(ps, fmt.Sprintf("p%d %s", i, types.TypeString(sig.Params().At(i).Type(), q)))
		as = append(as, fmt.Sprintf("p%d", i))
	}
	for i := range sig.Results().Len() {
		rs = append(rs, types.TypeString(sig.Results().At(i).Type(), q))
	}
	return "(" + strings.Join(ps, ", ") + ") (" + strings.Join(rs, ", ") + ")", strings.Join(as, ", ")
}

// atomicType makes a type of sync/atomic.
func atomicType(b *bytes.Buffer, n *types.Named, q types.Qualifier) {
	name, params, args := n.Obj().Name(), "", ""
	if n.TypeParams() != nil {
		params, args = "[T any]", "[T]"
	}
	fmt.Fprintf(b, "type %s%s struct { v std.%s%s }\n", name, params, name, args)
	for i := range n.NumMethods() {
		m := n.Method(i)
		if m.Exported() {
			text, list := signature(m.Signature(), q)
			fmt.Fprintf(b, "func (x *%s%s) %s%s {\n\tsched.Atomic(%v, unsafe.Pointer(x))\n\t%sx.v.%s(%s)\n}\n", name, args, m.Name(), text, m.Name() != "Load", returns(m.Signature()), m.Name(), list)
		}
	}
}

// context returns the text of context, rewritten. Its types and errors are those of the standard library.
func (p *program) context() (string, error) {
	s, err := p.parse(&listed{ImportPath: "context", Dir: filepath.Join(p.root, "src/context"), GoFiles: []string{"context.go"}})
	if err != nil {
		return "", err
	}
	if err := p.check(s, nil); err != nil {
		return "", err
	}
	files, err := p.rewrite(s, 0, newVariables(p), nil, true)
	if err != nil {
		return "", err
	}
	text := files[s.names[0]]
	for _, r := range []struct{ from, to string }{
		{"package context;", "package context; import stdctx \"context\";"},
		{"type Context interface {", "type Context = stdctx.Context\n\ntype contextMethods interface {"},
		{"type CancelFunc func()", "type CancelFunc = stdctx.CancelFunc"},
		{"type CancelCauseFunc func(cause error)", "type CancelCauseFunc = stdctx.CancelCauseFunc"},
		{"var Canceled = errors.New(\"context canceled\")", "var Canceled = stdctx.Canceled; var _ = errors.New"},
		{"var DeadlineExceeded error = deadlineExceededError{}", "var DeadlineExceeded = stdctx.DeadlineExceeded"},
	} {
		if strings.Count(text, r.from) != 1 {
			return "", fmt.Errorf("context.go of this toolchain is not the one that is known: no single %q", r.from)
		}
		text = strings.Replace(text, r.from, r.to, 1)
	}
	return text, nil
}
