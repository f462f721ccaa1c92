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
	"aig":                            "",
	"sat":                            "",
	"sat/cadical":                    "sat internal/ipasir",
	"sat/cdcl":                       "sat internal/protocol",
	"sat/gini":                       "sat internal/protocol",
	"sat/checked":                    "sat sat/cdcl sat/rup",
	"sat/gophersat":                  "sat sat/rup",
	"sat/linear":                     "",
	"sat/rup":                        "sat",
	"internal/testkit/sattest/bench": "sat internal/ipasir",
	"internal/testkit/sattest":       "sat",
	"ltl":                            "",
	"ctl":                            "",
	"model":                          "ctl ltl",
	"front":                          "model",
	"prog":                           "model",
	"counters":                       "model internal/fault",
	"trace":                          "model prog",
	"coverage":                       "model prog",
	"ts":                             "aig",
	"internal/testkit/tstest":        "aig ts",
	"internal/disjoint":              "",
	"internal/fault":                 "",
	"internal/pace":                  "sat",
	"encode":                         "internal/pace encode/cnf model ts aig sat",
	"encode/aiger":                   "aig ts internal/fault",
	"encode/btor2":                   "aig ts internal/disjoint internal/fault",
	"encode/cnf":                     "aig ts sat",
	"encode/murphi":                  "ctl front ltl model",
	"encode/promela":                 "front ltl model prog internal/fault",
	"encode/fair":                    "encode ltl model ts aig",
	"internal/testkit/promelatest":   "prog",
	"cluster":                        "",
	"internal/testkit/clustertest":   "",
	"internal/testkit/nightly":       "",
	"detect":                         "ts aig model",
	"detect/declared":                "detect detect/explain detect/infer internal/pace detect/verify ts aig model sat",
	"detect/decompose":               "detect/group detect/verify ts",
	"detect/explain":                 "detect internal/pace detect/verify ts aig model sat",
	"detect/graph":                   "internal/pace internal/disjoint",
	"detect/group":                   "internal/pace internal/disjoint",
	"detect/infer":                   "detect detect/graph detect/group model",
	"detect/rename":                  "detect detect/decompose detect/graph detect/group detect/verify ts model",
	"detect/structure":               "detect detect/decompose detect/graph detect/group internal/pace detect/verify ts aig",
	"detect/verify":                  "internal/pace ts aig sat",
	"detect/typing":                  "model internal/disjoint",
	"rep":                            "ts aig internal/disjoint",
	"internal/testkit/reptest":       "rep ts aig",
	"internal/every/param":           "internal/pace model sat sat/linear",
	"internal/every/transfer":        "mc mc/evidence mc/exchange encode model ts",
	"internal/every/invariants":      "internal/every/transfer encode model ts",
	"mc":                             "mc/evidence counters encode model ts aig",
	"mc/board":                       "mc mc/certify mc/evidence mc/exchange sat ts",
	"mc/certfile":                    "mc mc/certify mc/evidence ts aig",
	"mc/certify":                     "internal/pace mc mc/certify/states mc/evidence counters encode model internal/every/param ts aig sat sat/checked sat/gophersat sat/linear", // of encode the types of what is in the problem
	"mc/certify/states":              "mc mc/certify/typing mc/evidence ctl encode ltl model ts aig",
	"mc/certify/typing":              "model",
	"mc/evidence":                    "model ts aig",
	"mc/exchange":                    "",
	"pdr/klive":                      "mc mc/evidence pdr sat ts aig",
	"internal/testkit/mctest":        "mc mc/evidence detect/declared detect/verify encode encode/cnf encode/murphi sat ts internal/testkit/tstest aig",
	"bmc":                            "mc mc/evidence rep encode/cnf model ts aig sat internal/disjoint",
	"cofactor":                       "mc mc/evidence rep encode/cnf ts aig sat internal/disjoint",
	"explicit":                       "ctl ltl mc mc/evidence model",
	"internal/testkit/emptiness":     "ltl model",
	"explicit/netlist":               "mc mc/evidence sat ts aig",
	"pdr":                            "mc mc/evidence rep encode/cnf detect/group ts aig sat",
	"stateless":                      "mc model prog",
	"task":                           "counters detect detect/decompose detect/declared detect/infer internal/pace detect/rename detect/structure detect/typing detect/verify encode encode/cnf encode/aiger encode/fair encode/btor2 encode/murphi encode/promela mc mc/certify mc/certify/states model prog ts aig sat sat/cadical sat/cdcl sat/gini trace",
	"portfolio":                      "task bmc cofactor explicit explicit/netlist pdr pdr/klive stateless internal/every/param internal/every/transfer internal/every/invariants detect/infer internal/pace mc mc/board mc/certfile mc/certify mc/certify/states mc/evidence encode encode/murphi model sat ts",
	"lsp":                            "encode/murphi encode/promela front model task",
	"cmd/orbitmc":                    "*",
	"benchmarks":                     "*",
	"benchmarks/netlists":            "",
	"benchmarks/measure":             "rep ts aig internal/disjoint",
	"benchmarks/report":              "benchmarks",
	"benchmarks/runner":              "benchmarks cluster detect/graph encode/murphi model",
	"":                               "mc mc/certify portfolio task",
	"internal/ipasir":                "sat internal/protocol",
	"internal/protocol":              "sat",
	"internal/testkit/murphitest":    "model",
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
