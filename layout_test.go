package orbitmc

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for each package, the packages of this module it may import.
// A package that is not listed may not exist. Tests may import anything.
var allowed = map[string]string{
	"aig":                      "",
	"sat":                      "",
	"sat/cdcl":                 "sat sat/internal/protocol",
	"sat/gini":                 "sat sat/internal/protocol",
	"sat/gophersat":            "sat sat/rup sat/internal/protocol",
	"sat/rup":                  "sat",
	"sat/sattest":              "sat",
	"model":                    "",
	"ts":                       "aig",
	"ts/tstest":                "aig ts",
	"encode":                   "model ts aig sat",
	"encode/aiger":             "aig ts",
	"encode/murphi":            "model",
	"detect":                   "detect/graph detect/group ts aig model sat",
	"detect/graph":             "",
	"detect/group":             "",
	"detect/typing":            "model",
	"rep":                      "ts aig",
	"rep/reptest":              "rep ts aig",
	"mc":                       "encode model ts aig sat sat/gophersat",
	"bmc":                      "mc rep encode model ts aig sat",
	"cofactor":                 "mc rep encode ts aig sat",
	"explicit":                 "mc model detect",
	"pdr":                      "mc model rep encode detect/group ts aig sat",
	"cmd/orbitmc":              "*",
	"benchmarks":               "*",
	"benchmarks/netlists":      "aig ts",
	"benchmarks/report":        "benchmarks",
	"benchmarks/runner":        "benchmarks detect/graph encode/murphi model",
	"":                         "",
	"sat/internal/protocol":    "sat",
	"encode/murphi/murphitest": "model",
}

// TestLayout keeps the arrows between packages.
func TestLayout(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(strings.TrimPrefix(fields[0], "orbitmc"), "/")
		may, ok := allowed[pkg]
		if !ok {
			t.Errorf("package %q is not in the table of layers", pkg)
			continue
		}
		seen++
		for _, imp := range fields[1:] {
			if dep, ours := strings.CutPrefix(imp, "orbitmc/"); ours && may != "*" && !slices.Contains(strings.Fields(may), dep) {
				t.Errorf("package %q imports %q; it may import: %s", pkg, dep, may)
			}
			if strings.HasPrefix(imp, "github.com/go-air/gini") && pkg != "sat/gini" {
				t.Errorf("package %q imports %q: solvers are called through package sat", pkg, imp)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages seen", seen)
	}
}

// TestMap keeps the map in doc.go: it names every package.
func TestMap(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowed {
		if pkg != "" && !regexp.MustCompile(`(?m)(^|[\s,])`+regexp.QuoteMeta(pkg)+`([\s,:;.]|$)`).Match(doc) {
			t.Errorf("doc.go does not name package %q", pkg)
		}
	}
}
