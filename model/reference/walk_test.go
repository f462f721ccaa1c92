package reference

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

// onlyModel is an importer that has package model alone.
type onlyModel struct{ model *types.Package }

func (o onlyModel) Import(path string) (*types.Package, error) {
	if path == "orbitmc/model" && o.model != nil {
		return o.model, nil
	}
	return nil, errors.New("not needed")
}

// TestWalkerStandsAlone: of package model the walker takes types, fields and constants, and functions that
// read the form of the tree; nothing that gives the tree a meaning. It imports no other package that knows the
// tree. What explains violations, which is no evidence, calls a few functions more.
func TestWalkerStandsAlone(t *testing.T) {
	set := token.NewFileSet()
	check := func(dir string, of onlyModel) (*types.Package, *types.Info) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
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
			for _, i := range f.Imports {
				if path := strings.Trim(i.Path.Value, `"`); dir == "." && strings.HasPrefix(path, "orbitmc/") && path != "orbitmc/model" && path != "orbitmc/internal/lists" {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		conf := types.Config{Importer: of, Error: func(error) {}} // what is declared in the two is found without others
		pkg, _ := conf.Check("orbitmc/model", set, parsed, info)
		return pkg, info
	}
	model, _ := check("..", onlyModel{})
	_, info := check(".", onlyModel{model})
	form := []string{"Inspect", "Type", "Simple", "Numeric", "Leaves", "Runtime"}
	explains := map[string][]string{
		"cause.go": {"Conjuncts", "Instances", "AllLeaves", "Format", "End", "States"},
		"flow.go":  {"Card"},
	}
	used := 0
	for id, obj := range info.Uses {
		if obj == nil || obj.Pkg() != model {
			continue
		}
		used++
		if f, does := obj.(*types.Func); does && !slices.Contains(form, f.Name()) && !slices.Contains(explains[filepath.Base(set.Position(id.Pos()).Filename)], f.Name()) {
			t.Errorf("%v: %s is called", set.Position(id.Pos()), f.Name())
		}
	}
	if used < 300 {
		t.Errorf("only %d uses were looked at", used)
	}
}
