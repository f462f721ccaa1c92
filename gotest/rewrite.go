package gotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// Programs under test are rewritten as text, so that all that is kept stays on its line: operations
// on channels, go, select, ranges over channels and maps, and imports of packages that are swapped. What package variables
// become is in variables.go.

// edit replaces the text from pos to end.
type edit struct {
	pos, end int
	text     string
	closes   bool // belongs to what ends at pos
}

// rewriter rewrites a file.
type rewriter struct {
	p     *program
	s     *source
	file  *ast.File
	text  []byte
	edits []edit
	two   map[ast.Expr]bool // receives of which ok is used
	skip  map[ast.Node]bool // receives and sends of select, functions that are called
	stack []ast.Node
	uses  bool // of the shim
	vars  *variables
	racy  map[string][]int // by file:line: races that are seen there
	err   error
}

const pkg = "orb_"

func (r *rewriter) at(p token.Pos) int { return r.p.fset.Position(p).Offset }

func (r *rewriter) replace(from, to token.Pos, text string) {
	r.edits = append(r.edits, edit{r.at(from), r.at(to), text, false})
}

func (r *rewriter) before(p token.Pos, text string) { r.replace(p, p, text) }

func (r *rewriter) after(p token.Pos, text string) {
	r.edits = append(r.edits, edit{r.at(p), r.at(p), text, true})
}

func (r *rewriter) call(name string) string {
	r.uses = true
	return pkg + "." + name
}

// take returns the rewritten text from a position to another, and forgets the edits in it.
func (r *rewriter) take(from, to token.Pos) string {
	a, b := r.at(from), r.at(to)
	in := func(e edit) bool {
		return e.pos >= a && e.end <= b && !(e.closes && e.pos == a && a != b) && !(!e.closes && e.pos == b && e.end == b)
	}
	var mine []edit
	r.edits = slices.DeleteFunc(r.edits, func(e edit) bool {
		if in(e) {
			mine = append(mine, e)
			return true
		}
		return false
	})
	return apply(r.text, a, b, mine)
}

// apply makes edits. At one place what closes comes first, the inner before the outer; what opens comes in the order of edits.
func apply(text []byte, a, b int, edits []edit) string {
	order := make([]int, len(edits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := edits[i], edits[j]
		switch {
		case x.pos != y.pos:
			return x.pos - y.pos
		case x.closes != y.closes:
			if x.closes {
				return -1
			}
			return 1
		case x.closes:
			return j - i
		}
		return 0
	})
	var out strings.Builder
	for _, i := range order {
		e := edits[i]
		if e.pos > a {
			out.Write(text[a:e.pos])
		}
		out.WriteString(e.text)
		a = max(a, e.end)
	}
	out.Write(text[a:b])
	return out.String()
}

// rewrite rewrites the files of a package.
func (p *program) rewrite(s *source, number int, v *variables, racy map[string][]int, std bool) (files map[string]string, err error) {
	files = map[string]string{}
	for i, f := range s.files {
		r := &rewriter{p: p, s: s, file: f, text: s.texts[i], two: map[ast.Expr]bool{}, skip: map[ast.Node]bool{}, vars: v, racy: racy}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				top := r.stack[len(r.stack)-1]
				r.stack = r.stack[:len(r.stack)-1]
				r.post(top)
				return true
			}
			r.pre(n)
			r.stack = append(r.stack, n)
			return true
		})
		if r.err != nil {
			return nil, r.err
		}
		r.imports()
		r.lines()
		if !std {
			r.resets(number)
		}
		if r.uses {
			r.edits = append(r.edits, edit{r.at(f.Name.End()), r.at(f.Name.End()), fmt.Sprintf("; import %s %q", pkg, shim+"/sched"), false})
		}
		if len(r.edits) == 0 {
			continue
		}
		text := apply(r.text, 0, len(r.text), r.edits)
		if s.Module != nil && older(s.Module.GoVersion) {
			text = raise(text, s.names[i])
		}
		files[s.names[i]] = text
	}
	return files, nil
}

// older reports whether a language is too old for what the rewritten text has.
func older(version string) bool {
	var major, minor int
	fmt.Sscanf(version, "%d.%d", &major, &minor)
	return version == "" || major == 1 && minor < 21 // without one it is 1.16
}

var constraint = regexp.MustCompile(`(?m)^//go:build (.*)$`)

// raise makes a file one of Go 1.21, in which loops are what they were before.
func raise(text, name string) string {
	head, _, _ := strings.Cut(text, "\npackage ")
	if at := constraint.FindStringSubmatchIndex(head); at != nil {
		return text[:at[2]] + "(" + text[at[2]:at[3]] + ") && go1.21" + text[at[3]:]
	}
	return "//go:build go1.21\n//line " + name + ":1\n" + text
}

// lines makes lines visible on which a race was seen: a step in front of the innermost statement.
func (r *rewriter) lines() {
	for at, races := range r.racy {
		file, line, _ := strings.Cut(at, ":")
		if file != r.p.fset.Position(r.file.Pos()).Filename {
			continue
		}
		n := 0
		fmt.Sscan(line, &n)
		var best ast.Stmt
		ast.Inspect(r.file, func(m ast.Node) bool {
			var list []ast.Stmt
			switch m := m.(type) {
			case *ast.BlockStmt:
				list = m.List
			case *ast.CaseClause:
				list = m.Body
			case *ast.CommClause:
				list = m.Body
			}
			for _, s := range list {
				if r.p.fset.Position(s.Pos()).Line <= n && n <= r.p.fset.Position(s.End()).Line {
					best = s
				}
			}
			return true
		})
		if _, label := best.(*ast.LabeledStmt); best == nil || label {
			continue
		}
		text := r.call("Line") + "("
		for _, k := range races {
			text += fmt.Sprint(k, ", ")
		}
		r.edits = slices.Insert(r.edits, 0, edit{r.at(best.Pos()), r.at(best.Pos()), text + "); ", false})
	}
}

func (r *rewriter) imports() {
	for _, imp := range r.file.Imports {
		path := strings.Trim(imp.Path.Value, "`\"")
		to, ok := swapped[path]
		if path == "testing/synctest" { // not in all toolchains
			to, ok = "synctest", true
		}
		if ok {
			r.replace(imp.Path.Pos(), imp.Path.End(), fmt.Sprintf("%q", shim+"/"+to))
		}
	}
}

func (r *rewriter) chanOf(e ast.Expr) *types.Chan {
	tv, ok := r.s.info.Types[e]
	if !ok {
		return nil
	}
	c, _ := core(tv.Type).(*types.Chan)
	return c
}

// core returns the underlying type, of a type parameter that of its constraint if there is one.
func core(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if i, ok := p.Underlying().(*types.Interface); ok && i.NumEmbeddeds() == 1 {
			if u, ok := i.EmbeddedType(0).(*types.Union); ok && u.Len() == 1 {
				return u.Term(0).Type().Underlying()
			}
			return i.EmbeddedType(0).Underlying()
		}
	}
	return t.Underlying()
}

func isRecv(e ast.Expr) *ast.UnaryExpr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u
	}
	return nil
}

func (r *rewriter) pre(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
			if u := isRecv(n.Rhs[0]); u != nil {
				r.two[u] = true
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == 2 && len(n.Values) == 1 {
			if u := isRecv(n.Values[0]); u != nil {
				r.two[u] = true
			}
		}
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			switch s := c.(*ast.CommClause).Comm.(type) {
			case *ast.SendStmt:
				r.skip[s] = true
			case *ast.ExprStmt:
				r.skip[isRecv(s.X)] = true
			case *ast.AssignStmt:
				r.skip[isRecv(s.Rhs[0])] = true
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !r.skip[n] {
			name := "Rx"
			if r.two[n] {
				name = "Rx2"
			}
			r.replace(n.OpPos, n.OpPos+2, r.call(name)+"(")
			r.after(n.End(), ")")
		}
	case *ast.SendStmt:
		if !r.skip[n] {
			r.before(n.Pos(), r.call("Tx")+"(")
			r.replace(n.Arrow, n.Arrow+2, ")(")
			r.after(n.End(), ")")
		}
	case *ast.RangeStmt:
		r.ranges(n)
	case *ast.CallExpr:
		r.skip[ast.Unparen(n.Fun)] = true
		r.calls(n)
	case *ast.SelectorExpr: // a function as a value
		if f, ok := r.s.info.Uses[n.Sel].(*types.Func); ok && !r.skip[n] && outside.MatchString(f.FullName()) {
			r.before(n.Pos(), r.call("OuterValue")+"("+fmt.Sprintf("%q, ", f.FullName()))
			r.after(n.End(), ")")
		}
	case *ast.Ident: // tests have other names
		if o := r.s.info.Uses[n]; o != nil && r.renamed(o) {
			r.before(n.Pos(), "Orb_")
		}
	case *ast.FuncDecl:
		if k := kindOf(n); k != "" && strings.HasSuffix(r.p.fset.Position(n.Pos()).Filename, "_test.go") {
			r.before(n.Name.Pos(), "Orb_")
		}
	}
}

func (r *rewriter) renamed(o types.Object) bool {
	f, ok := o.(*types.Func)
	if !ok || o.Parent() == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() || !strings.HasPrefix(o.Name(), "Test") || !strings.HasSuffix(r.p.fset.Position(o.Pos()).Filename, "_test.go") {
		return false
	}
	sig := f.Signature()
	rest := strings.TrimPrefix(o.Name(), "Test")
	return sig.TypeParams() == nil && sig.Params().Len() == 1 && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z'))
}

func (r *rewriter) post(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		r.goes(n)
	case *ast.SelectStmt:
		r.selects(n)
	}
}

func name(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "_"
}

// ranges rewrites loops over channels and maps.
func (r *rewriter) ranges(n *ast.RangeStmt) {
	tv, ok := r.s.info.Types[n.X]
	if !ok {
		return
	}
	first, next, values := "", "", 1
	switch core(tv.Type).(type) {
	case *types.Chan:
		first, next = r.call("Rx3"), r.call("Rx2")+"(orb_c)"
	case *types.Map:
		if n.Key == nil || name(n.Key) == "_" && n.Tok == token.DEFINE && n.Value == nil {
			return
		}
		first, next, values = r.call("Pairs"), "orb_c.Next()", 2
	default:
		return
	}
	vars := []string{"_", "_"}[:values]
	body := ""
	if n.Tok == token.ASSIGN {
		left, right := []string{}, []string{}
		for i, e := range []ast.Expr{n.Key, n.Value}[:values] {
			if e != nil {
				vars[i] = fmt.Sprint("orb_v", i)
				left, right = append(left, string(r.text[r.at(e.Pos()):r.at(e.End())])), append(right, vars[i])
			}
		}
		body = " " + strings.Join(left, ", ") + " = " + strings.Join(right, ", ") + ";"
	} else {
		for i, e := range []ast.Expr{n.Key, n.Value}[:values] {
			if e != nil {
				vars[i] = name(e)
			}
		}
	}
	list := strings.Join(vars, ", ")
	r.replace(n.For, n.X.Pos(), "for orb_c, "+list+", orb_ok := "+first+"(")
	r.after(n.X.End(), "); orb_ok; "+list+", orb_ok = "+next)
	if body != "" {
		r.before(n.Body.Lbrace+1, body)
	}
}

// outside are functions that no schedule controls.
var outside = regexp.MustCompile(`^(net\.(Dial|Listen|Pipe)\w*|\(\*?net\.\w+\)\.(Dial|Listen|Accept)\w*|net/http\.(Get|Post|PostForm|Head|ListenAndServe\w*|Serve\w*)|\(\*net/http\.(Client|Server)\)\.\w+|net/http/httptest\.New\w*Server|\(\*os/exec\.Cmd\)\.(Run|Start|Output|CombinedOutput)|os/signal\.\w+|io\.Pipe|os\.(Pipe|StartProcess)|syscall\.(ForkExec|Exec|Kill|StartProcess)|testing/synctest\.\w+|plugin\.Open|reflect\.Select|\(reflect\.Value\)\.(Send|Recv|TrySend|TryRecv|Close))$`)

// beside are functions that share something which no schedule controls, but never wait.
var beside = regexp.MustCompile(`^(\(\*?)?(log|log/slog|expvar)\.|^\(\*os\.File\)\.|^os\.(Setenv|Unsetenv|Clearenv|Getenv|LookupEnv|Environ|ExpandEnv|Chdir|Getwd|Create|Open|ReadFile|WriteFile|ReadDir|Mkdir|Remove|Rename|Link|Symlink|Truncate|Stat|Lstat|Chmod|Chtimes)`)

func (r *rewriter) calls(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := r.s.info.Uses[id].(*types.Builtin); ok && len(n.Args) == 1 {
			c := r.chanOf(n.Args[0])
			switch {
			case b.Name() == "close":
				r.replace(id.Pos(), id.End(), r.call("Shut"))
			case b.Name() == "len" && c != nil && c.Dir() == types.SendOnly:
				r.replace(id.Pos(), id.End(), r.call("LenTx"))
			case b.Name() == "len" && c != nil:
				r.replace(id.Pos(), id.End(), r.call("Len"))
			}
			return
		}
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	}
	f, ok := r.s.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	switch full := f.FullName(); {
	case full == "os.Exit":
		r.before(n.Fun.Pos(), r.call("ExitOf")+"(") // the import stays used
		r.after(n.Fun.End(), ")")
	case outside.MatchString(full):
		// the call stays what it is behind the refusal
		r.before(n.Fun.Pos(), r.call("Outer")+"("+fmt.Sprintf("%q, ", full))
		r.after(n.Fun.End(), ")")
	case beside.MatchString(full):
		r.before(n.Fun.Pos(), r.call("Beside")+"(")
		r.after(n.Fun.End(), ")")
	}
}

// goes rewrites the go statement. Arguments are evaluated first.
func (r *rewriter) goes(n *ast.GoStmt) {
	c := n.Call
	loop := r.quiet(n)
	lit, isLit := ast.Unparen(c.Fun).(*ast.FuncLit)
	var keys []string
	if isLit && loop != "0" {
		seen := map[types.Object]bool{}
		ast.Inspect(lit, func(m ast.Node) bool {
			if id, ok := m.(*ast.Ident); ok {
				if o, ok := r.s.info.Uses[id].(*types.Var); ok && !o.IsField() && !seen[o] && o.Parent() != o.Pkg().Scope() && !(lit.Pos() <= o.Pos() && o.Pos() < lit.End()) {
					seen[o] = true
					keys = append(keys, "&"+o.Name())
				}
			}
			return true
		})
	}
	tail := func() string { return ", " + strings.Join(append([]string{loop}, keys...), ", ") + ")" }
	if isLit && len(c.Args) == 0 {
		r.edits = append(r.edits, edit{r.at(n.Go), r.at(c.Fun.Pos()), r.call("Go") + "(", false})
		r.replace(c.Lparen, c.Rparen+1, tail())
		return
	}
	var left, right, params []string
	hold := func(e ast.Expr, i int) string {
		text := r.take(e.Pos(), e.End())
		v := fmt.Sprint("orb_", i)
		left, right = append(left, v), append(right, text)
		return v
	}
	f := ""
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		id, _ := fun.(*ast.Ident)
		if s, ok := fun.(*ast.SelectorExpr); ok && r.s.info.Selections[s] == nil {
			id = s.Sel
		}
		if id != nil {
			switch r.s.info.Uses[id].(type) {
			case *types.Func, *types.Builtin, *types.TypeName:
				f = r.take(c.Fun.Pos(), c.Fun.End())
			}
		} else if s, ok := fun.(*ast.SelectorExpr); ok && loop != "0" {
			if _, ok := r.s.info.Types[s.X].Type.Underlying().(*types.Pointer); ok {
				keys = append(keys, string(r.text[r.at(s.X.Pos()):r.at(s.X.End())]))
			} else {
				id, _ = s.X.(*ast.Ident) // in a loop in which nothing else happens
				keys = append(keys, "&"+id.Name)
			}
		}
		if v, ok := r.s.info.Uses[id].(*types.Var); ok && loop != "0" && r.vars.assigned[v] { // in the loop, perhaps
			keys = append(keys, r.call("NoTwin"))
		}
	}
	if f == "" {
		f = hold(c.Fun, len(c.Args))
	}
	for i, a := range c.Args {
		tv := r.s.info.Types[a]
		if tv.Value != nil || tv.IsNil() || tv.IsType() {
			params = append(params, r.take(a.Pos(), a.End()))
			continue
		}
		if _, ok := tv.Type.(*types.Tuple); ok {
			r.err = fmt.Errorf("%v: go with a call that returns several arguments is not rewritten", r.p.fset.Position(n.Pos()))
			return
		}
		v := hold(a, i)
		params = append(params, v)
		switch tv.Type.Underlying().(type) {
		case *types.Pointer, *types.Chan:
			keys = append(keys, v)
		default:
			keys = append(keys, r.call("Key")+"("+v+")")
		}
	}
	if c.Ellipsis.IsValid() {
		params[len(params)-1] += "..."
	}
	text := r.call("Go") + "(func() { " + f + "(" + strings.Join(params, ", ") + ") }" + tail()
	if left != nil {
		text = "{ " + strings.Join(left, ", ") + " := " + strings.Join(right, ", ") + "; " + text + " }"
	}
	r.take(n.Pos(), n.End())
	r.replace(n.Pos(), n.End(), text+r.resync(text, n.Pos(), n.End()))
}

// resync brings lines back to what they were behind text that stands in place of others.
func (r *rewriter) resync(text string, from, to token.Pos) string {
	a, b := r.p.fset.Position(from), r.p.fset.Position(to)
	if strings.Count(text, "\n") == b.Line-a.Line {
		return ""
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", b.Filename, b.Line, b.Column)
}

// quiet returns what numbers the loop that a go statement is in, if nothing else happens in it; else 0.
func (r *rewriter) quiet(n *ast.GoStmt) string {
	if len(r.stack) < 3 {
		return "0"
	}
	body, ok := r.stack[len(r.stack)-1].(*ast.BlockStmt)
	if !ok {
		return "0"
	}
	loop := r.stack[len(r.stack)-2]
	outer := r.stack[len(r.stack)-3]
	switch outer.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return "0"
	}
	var heads []ast.Node
	switch l := loop.(type) {
	case *ast.ForStmt:
		heads = []ast.Node{l.Init, l.Cond, l.Post}
	case *ast.RangeStmt:
		if b, ok := r.s.info.Types[l.X].Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 || l.Tok == token.ASSIGN {
			return "0"
		}
		heads = append(heads, l.X)
	default:
		return "0"
	}
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.GoStmt:
			heads = append(heads, lists(s.Call.Args)...)
			switch f := ast.Unparen(s.Call.Fun).(type) {
			case *ast.FuncLit:
			default:
				heads = append(heads, f)
			}
		case *ast.ExprStmt:
			c, ok := s.X.(*ast.CallExpr)
			if !ok {
				return "0"
			}
			f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
			if !ok || len(c.Args) != 1 || r.s.info.Types[c.Args[0]].Value == nil || r.s.info.Uses[f.Sel] == nil || r.s.info.Uses[f.Sel].(*types.Func).FullName() != "(*sync.WaitGroup).Add" {
				return "0"
			}
			if _, ok := f.X.(*ast.Ident); !ok {
				return "0"
			}
		default:
			return "0"
		}
	}
	if !slices.ContainsFunc(heads, func(n ast.Node) bool { return !r.still(n) }) {
		v := fmt.Sprint("orb_l", r.at(loop.Pos()))
		if !slices.ContainsFunc(r.edits, func(e edit) bool { return strings.HasPrefix(e.text, v) }) {
			// in front of what else begins there
			r.edits = slices.Insert(r.edits, 0, edit{r.at(loop.Pos()), r.at(loop.Pos()), v + " := " + r.call("Loop") + "(); ", false})
		}
		return v
	}
	return "0"
}

func lists(es []ast.Expr) (ns []ast.Node) {
	for _, e := range es {
		ns = append(ns, e)
	}
	return ns
}

// still reports whether to evaluate a node accesses nothing that other goroutines may write.
func (r *rewriter) still(n ast.Node) bool {
	ok := true
	if n == nil {
		return true
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.BasicLit, *ast.BinaryExpr, *ast.ParenExpr, *ast.IncDecStmt, *ast.AssignStmt:
		case *ast.Ident:
			switch o := r.s.info.ObjectOf(n).(type) {
			case nil, *types.Const, *types.Func, *types.Nil, *types.PkgName, *types.TypeName:
			case *types.Builtin:
				ok = ok && o.Name() == "len"
			case *types.Var:
				ok = ok && o.Parent() != nil && o.Pkg() != nil && o.Parent() != o.Pkg().Scope() && (!r.vars.captured[o] || !r.vars.assigned[o] && !r.vars.written[o])
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				_, simple := ast.Unparen(n.X).(*ast.Ident)
				ok = ok && simple
				return false // an address is no access
			}
			ok = ok && n.Op != token.ARROW
		case *ast.SelectorExpr: // of a package, or a method of a variable
			_, simple := n.X.(*ast.Ident)
			sel := r.s.info.Selections[n]
			ok = ok && simple && (sel == nil || sel.Kind() == types.MethodVal && len(sel.Index()) == 1)
			if sel == nil {
				_, fn := r.s.info.Uses[n.Sel].(*types.Func)
				ok = ok && fn
			}
			return ok && sel != nil
		case *ast.CallExpr:
			id, simple := n.Fun.(*ast.Ident)
			ok = ok && simple && id.Name == "len"
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// selects rewrites select: a switch over which case it was.
func (r *rewriter) selects(n *ast.SelectStmt) {
	var vars, makes []string
	dflt := false
	type clause struct {
		c    *ast.CommClause
		text string
	}
	var clauses []clause
	for i, c := range n.Body.List {
		c := c.(*ast.CommClause)
		v := fmt.Sprint("orb_", i)
		text := fmt.Sprintf("case %d:", len(vars))
		recv := func(e ast.Expr) {
			u := isRecv(e)
			vars, makes = append(vars, v), append(makes, r.call("R")+"("+r.take(u.X.Pos(), u.X.End())+")")
		}
		switch s := c.Comm.(type) {
		case nil:
			dflt = true
			clauses = append(clauses, clause{c, "default:"})
			continue
		case *ast.SendStmt:
			vars, makes = append(vars, v), append(makes, r.call("S")+"("+r.take(s.Chan.Pos(), s.Chan.End())+")("+r.take(s.Value.Pos(), s.Value.End())+")")
		case *ast.ExprStmt:
			recv(s.X)
		case *ast.AssignStmt:
			recv(s.Rhs[0])
			left := []string{}
			for _, l := range s.Lhs {
				left = append(left, r.take(l.Pos(), l.End()))
			}
			text += " " + strings.Join(left, ", ") + " " + s.Tok.String() + " " + strings.Join([]string{v + ".V", v + ".Ok"}[:len(left)], ", ") + ";"
		}
		clauses = append(clauses, clause{c, text})
	}
	for _, c := range clauses {
		r.take(c.c.Case, c.c.Colon+1)
		r.replace(c.c.Case, c.c.Colon+1, c.text+r.resync(c.text, c.c.Case, c.c.Colon+1))
	}
	head := "switch "
	if vars != nil {
		head += strings.Join(vars, ", ") + " := " + strings.Join(makes, ", ") + "; "
	}
	head += r.call("Select") + "(" + strings.Join(append([]string{fmt.Sprint(dflt)}, vars...), ", ") + ") {"
	r.replace(n.Select, n.Body.Lbrace+1, head+r.resync(head, n.Select, n.Body.Lbrace+1))
	if !dflt {
		r.before(n.Body.Rbrace, ` default: panic("unreachable") `)
	}
}
