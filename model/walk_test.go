package model_test

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

// TestWalkerStandsAlone: of the rest of the package the walker uses the tree, functions that read its
// form, and what notes the flow of values; nothing that gives the tree a meaning.
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
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: notAtHand{}, Error: func(error) {}} // what is declared here is found without
	pkg, _ := conf.Check("model", set, parsed, info)
	file := func(p token.Pos) string { return filepath.Base(set.Position(p).Filename) }
	tree := []string{"expr.go", "stmt.go", "model.go", "types.go", "state.go"} // types, fields and constants
	form := []string{"tree.go Inspect", "tree.go Called", "tree.go Designator",
		"expr.go Type", "types.go Simple", "types.go Numeric", "model.go Leaves", "model.go Runtime"}
	used := 0
	for id, obj := range info.Uses {
		if !strings.HasPrefix(file(id.Pos()), "walk") || obj == nil || obj.Pkg() != pkg || obj.Parent() != pkg.Scope() && obj.Parent() != nil {
			continue
		}
		in := file(obj.Pos())
		if strings.HasPrefix(in, "walk") {
			continue
		}
		used++
		_, does := obj.(*types.Func)
		if does && in != "flow.go" && !slices.Contains(form, in+" "+obj.Name()) || !does && in != "flow.go" && !slices.Contains(tree, in) {
			t.Errorf("%v: %s of %s is used", set.Position(id.Pos()), obj.Name(), in)
		}
	}
	if used < 300 {
		t.Errorf("only %d uses were looked at", used)
	}
}
