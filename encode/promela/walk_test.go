package promela_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notAtHand is an importer that has no package.
type notAtHand struct{}

func (notAtHand) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestWalkerStandsAlone: the walker uses the syntax tree, and nothing of what the lowering uses.
func TestWalkerStandsAlone(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: notAtHand{}, Error: func(error) {}} // what is declared here is found without
	pkg, _ := conf.Check("promela", set, parsed, info)
	file := func(p token.Pos) string { return filepath.Base(set.Position(p).Filename) }
	shared := []string{"ast.go", "lex.go", "promela.go"}
	// What later stages leave in the tree, and helpers that know what operators mean.
	not := []string{"cell", "group", "first", "write", "field", "made", "in", "automaton", "stay", "monitor", "reason", "formula",
		"handed", "fused", "was", "unset", "constant", "unary", "binary", "truth", "span", "fail"}
	used := 0
	look := func(at token.Pos, obj types.Object) {
		from := file(at)
		if !strings.HasPrefix(from, "walk") || obj == nil || obj.Pkg() != pkg || obj.Parent() != pkg.Scope() && obj.Parent() != nil {
			return
		}
		used++
		numbers := obj.Name() == "slots" && obj.Type().String() == "[]int" // of processes; channels have slots, too
		if in := file(obj.Pos()); !strings.HasPrefix(in, "walk") && (!slices.Contains(shared, in) || slices.Contains(not, obj.Name()) || numbers) {
			t.Errorf("%v: %s of %s is used", set.Position(at), obj.Name(), in)
		}
	}
	for id, obj := range info.Uses {
		look(id.Pos(), obj)
	}
	for x, s := range info.Selections {
		look(x.Sel.Pos(), s.Obj())
		embedded := s.Recv() // what is passed on the way to a field
		for _, i := range s.Index()[:len(s.Index())-1] {
			if p, ok := embedded.Underlying().(*types.Pointer); ok {
				embedded = p.Elem()
			}
			f := embedded.Underlying().(*types.Struct).Field(i)
			look(x.Sel.Pos(), f)
			embedded = f.Type()
		}
	}
	if used < 500 {
		t.Errorf("only %d uses were looked at", used)
	}
}
