package gotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file finds which variables of packages executions may change, and has these get their first values again before each
// execution, by their initialisers in the order of Go. Where that cannot be, each execution has a process of its own.

// variables is what is known of all variables.
type variables struct {
	written  map[types.Object]bool // by a function, but init
	setup    map[types.Object]bool // what init uses
	captured map[types.Object]bool // by a function literal, or its address is taken
	assigned map[types.Object]bool // beside its declaration
	own      map[string]bool       // packages under test, by path
	opaque   bool                  // some init calls what may use any variable
	foreign  bool                  // a variable of the standard library is written
}

func newVariables(p *program) *variables {
	v := &variables{own: map[string]bool{}}
	for _, m := range []*map[types.Object]bool{&v.written, &v.setup, &v.captured, &v.assigned} {
		*m = map[types.Object]bool{}
	}
	for _, s := range p.sources {
		if s.types != nil {
			v.own[s.types.Path()] = true
		}
	}
	return v
}

// effects reports whether to evaluate a node may call a function of a package under test.
func (v *variables) effects(info *types.Info, n ast.Node) (may bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return !may
		}
		switch f := ast.Unparen(c.Fun).(type) {
		case *ast.Ident:
			may = may || v.mayUse(info.Uses[f])
		case *ast.SelectorExpr:
			may = may || v.mayUse(info.Uses[f.Sel])
		case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr: // what is called is looked at, or a conversion
		default:
			may = true
		}
		return !may
	})
	return may
}

func (v *variables) mayUse(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func: // of an interface, or of a package under test
		return o.Pkg() != nil && (v.own[o.Pkg().Path()] || o.Signature().Recv() != nil && types.IsInterface(o.Signature().Recv().Type()))
	case *types.Var:
		return true // a function that is a variable
	}
	return false
}

// find looks for what is written and captured in a package.
func (v *variables) find(s *source) {
	root := func(e ast.Expr) types.Object {
		for {
			switch x := e.(type) {
			case *ast.ParenExpr:
				e = x.X
			case *ast.SelectorExpr:
				if id, ok := x.X.(*ast.Ident); ok {
					if _, ok := s.info.Uses[id].(*types.PkgName); ok {
						return s.info.Uses[x.Sel]
					}
				}
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.SliceExpr:
				e = x.X
			case *ast.Ident:
				if o := s.info.Uses[x]; o != nil {
					return o
				}
				return s.info.Defs[x]
			default:
				return nil
			}
		}
	}
	for _, f := range s.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl) // else function literals may be in it
			init := ok && fn.Name.Name == "init" && fn.Recv == nil
			into := v.written
			if init {
				into = map[types.Object]bool{}
				v.opaque = v.opaque || v.effects(s.info, fn)
			}
			write := func(e ast.Expr) {
				if o := root(e); o != nil {
					into[o], v.assigned[o] = true, true
					v.foreign = v.foreign || !init && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() && !v.own[o.Pkg().Path()]
				}
			}
			var lits []*ast.FuncLit
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if o, ok := s.info.Uses[n].(*types.Var); ok && init && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
						v.setup[o] = true
					}
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						if id, ok := l.(*ast.Ident); !ok || s.info.Defs[id] == nil {
							write(l)
						}
					}
				case *ast.IncDecStmt:
					write(n.X)
				case *ast.RangeStmt:
					if n.Tok == token.ASSIGN {
						write(n.Key)
						if n.Value != nil {
							write(n.Value)
						}
					}
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						if o := root(n.X); o != nil {
							into[o], v.captured[o] = true, true
						}
					}
				case *ast.SliceExpr: // of an array: its address is taken
					if _, array := s.info.Types[n.X].Type.Underlying().(*types.Array); array && root(n.X) != nil {
						into[root(n.X)], v.captured[root(n.X)] = true, true
					}
				case *ast.SelectorExpr:
					if sel := s.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
						if _, ptr := s.info.Types[n.X].Type.Underlying().(*types.Pointer); !ptr && root(n.X) != nil {
							into[root(n.X)] = true
						}
					}
				case *ast.FuncLit:
					lits = append(lits, n)
				}
				return true
			})
			for _, l := range lits {
				ast.Inspect(l, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if o, ok := s.info.Uses[id].(*types.Var); ok && !(l.Pos() <= o.Pos() && o.Pos() < l.End()) {
							v.captured[o] = true
						}
					}
					return true
				})
			}
		}
	}
}

// stays reports whether there is a variable that executions may change and that cannot get its first value again, since
// init has to do with it, or since it is one of the standard library.
func (v *variables) stays() bool {
	for o := range v.setup {
		if v.written[o] || holds(o.Type()) {
			return true
		}
	}
	return v.opaque || v.foreign
}

// resets has variables initialised again.
func (r *rewriter) resets(number int) {
	var tail strings.Builder
	put := func(order int, text string) {
		fmt.Fprintf(&tail, "\nfunc init() { %s(%d, func() { %s }) }", r.call("OnReset"), number*100000+order, text)
	}
	changes := func(o types.Object) bool {
		return o != nil && !r.vars.setup[o] && o.Name() != "_" && (r.vars.written[o] || holds(o.Type()))
	}
	for i, in := range r.s.info.InitOrder {
		again := slices.ContainsFunc(in.Lhs, func(v *types.Var) bool { return changes(v) && (r.vars.written[v] || !r.fixed(in.Rhs)) })
		if r.p.fset.File(in.Rhs.Pos()) != r.p.fset.File(r.file.Pos()) || !again && !r.vars.effects(r.s.info, in.Rhs) ||
			slices.ContainsFunc(in.Lhs, func(v *types.Var) bool { return r.vars.setup[v] }) {
			continue
		}
		flags := false
		ast.Inspect(in.Rhs, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := r.s.info.Uses[id]; o != nil && o.Pkg() != nil && o.Pkg().Path() == "flag" {
					flags = true // cannot be defined twice
				}
			}
			return !flags
		})
		if flags {
			continue
		}
		var names []string
		for _, v := range in.Lhs {
			names = append(names, v.Name())
		}
		edits := slices.Clone(r.edits)
		text := r.take(in.Rhs.Pos(), in.Rhs.End())
		r.edits = edits
		put(i+1, strings.Join(names, ", ")+" = "+text)
	}
	for _, d := range r.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Values != nil || embeds(g.Doc) || embeds(v.Doc) {
				continue
			}
			for _, name := range v.Names {
				if changes(r.s.info.Defs[name]) {
					edits := slices.Clone(r.edits)
					text := r.take(v.Type.Pos(), v.Type.End())
					r.edits = edits
					put(0, name.Name+" = *new("+text+")")
				}
			}
		}
	}
	if tail.Len() > 0 {
		r.edits = append(r.edits, edit{len(r.text), len(r.text), tail.String() + "\n", false})
	}
}

func embeds(c *ast.CommentGroup) bool {
	return c != nil && slices.ContainsFunc(c.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed") })
}

// holds reports whether a value may have parts that change without an assignment to it: whatever refers to something
// else, but for what cannot change.
func holds(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		switch n.Obj().Pkg().Path() {
		case "sync", "sync/atomic":
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return holds(u.Elem())
	case *types.Pointer:
		return u.Elem().String() != "regexp.Regexp"
	}
	return true
}

// fixed reports whether the value of an expression cannot change: an error that says so.
func (r *rewriter) fixed(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := r.s.info.Uses[s.Sel].(*types.Func)
	return ok && (f.FullName() == "errors.New" || f.FullName() == "fmt.Errorf")
}
