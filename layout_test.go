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
	"internal/ltl":                   "",
	"internal/ctl":                   "",
	"internal/pctl":                  "",
	"model":                          "internal/lists internal/ctl internal/ltl internal/pctl",
	"model/reference":                "internal/lists model", // nothing of the compiled interpreter
	"model/traces":                   "internal/lists model",
	"internal/front":                 "model",
	"internal/prog":                  "internal/lists model model/traces",
	"internal/counters":              "internal/lists model model/traces internal/fault",
	"internal/trace":                 "internal/lists model model/reference model/traces internal/prog",
	"internal/coverage":              "internal/lists model model/reference internal/prog",
	"internal/table":                 "internal/lists internal/front model model/reference model/traces",
	"internal/networks":              "internal/lists internal/front model model/traces",
	"ts":                             "internal/lists internal/ternary aig",
	"internal/ternary":               "aig",
	"internal/testkit/tstest":        "aig ts",
	"internal/disjoint":              "",
	"internal/fault":                 "",
	"internal/lists":                 "",
	"internal/pace":                  "sat",
	"encode":                         "internal/lists internal/pace encode/cnf model ts aig sat",
	"encode/aiger":                   "internal/lists aig ts internal/fault",
	"encode/btor2":                   "internal/lists aig ts internal/disjoint internal/fault",
	"encode/cnf":                     "internal/lists aig ts sat",
	"encode/murphi":                  "internal/lists internal/ctl internal/front internal/ltl model internal/pctl",
	"internal/litmus":                "internal/lists encode/murphi internal/front model",
	"encode/promela":                 "internal/lists internal/front internal/ctl internal/ltl model internal/prog internal/fault",
	"encode/fair":                    "encode internal/ltl model model/traces ts aig",
	"internal/testkit/promelatest":   "internal/prog",
	"internal/cluster":               "",
	"internal/testkit/clustertest":   "",
	"internal/testkit/nightly":       "",
	"detect":                         "ts aig model",
	"detect/declared":                "internal/lists detect detect/explain detect/infer internal/pace detect/verify ts aig model sat",
	"detect/decompose":               "internal/lists detect/group detect/verify ts",
	"detect/explain":                 "detect internal/pace detect/verify ts aig model sat",
	"detect/graph":                   "internal/lists internal/pace internal/disjoint",
	"detect/group":                   "internal/lists internal/pace internal/disjoint",
	"detect/infer":                   "internal/lists detect detect/graph detect/group model",
	"detect/rename":                  "internal/lists detect detect/decompose detect/graph detect/group detect/verify ts model",
	"detect/structure":               "internal/lists detect detect/decompose detect/graph detect/group internal/pace detect/verify ts aig",
	"detect/verify":                  "internal/lists internal/pace ts aig sat",
	"detect/typing":                  "internal/lists model model/reference internal/disjoint",
	"rep":                            "internal/lists ts aig internal/disjoint",
	"internal/testkit/reptest":       "rep ts aig",
	"internal/every/param":           "internal/lists internal/pace model sat sat/linear",
	"internal/every/transfer":        "internal/lists mc internal/exchange encode model ts",
	"internal/every/invariants":      "internal/lists internal/every/transfer encode model ts",
	"mc":                             "internal/lists mc/evidence internal/counters encode model ts aig",
	"internal/board":                 "mc internal/certify mc/evidence internal/exchange sat ts",
	"internal/certfile":              "internal/lists internal/fault mc internal/certify mc/evidence ts aig",
	"internal/certify":               "internal/lists internal/pace mc internal/certify/states mc/evidence internal/counters encode model model/reference model/traces internal/every/param ts aig sat sat/checked sat/gophersat sat/linear", // of encode the types of what is in the problem
	"internal/certify/states":        "internal/lists mc internal/certify/typing mc/evidence internal/ctl internal/pctl encode internal/ltl model model/reference model/traces ts aig",
	"internal/certify/typing":        "model",
	"mc/evidence":                    "internal/lists model ts aig",
	"internal/exchange":              "",
	"internal/pdr/klive":             "internal/lists mc mc/evidence internal/pdr sat ts aig",
	"internal/testkit/mctest":        "mc mc/evidence detect/declared detect/verify encode encode/cnf encode/murphi sat ts internal/testkit/tstest aig",
	"bmc":                            "internal/lists mc mc/evidence rep encode/cnf model ts aig sat internal/disjoint",
	"cofactor":                       "internal/lists mc mc/evidence rep encode/cnf ts aig sat internal/disjoint",
	"internal/explicit":              "internal/lists internal/ctl internal/ltl mc mc/evidence model model/traces",
	"internal/testkit/emptiness":     "internal/ltl model",
	"internal/explicit/netlist":      "internal/lists mc mc/evidence sat ts aig",
	"internal/pdr":                   "internal/lists internal/ternary mc mc/evidence rep encode/cnf detect/group ts aig sat",
	"internal/stateless":             "internal/lists mc model model/traces internal/prog internal/stateless/events",
	"internal/stateless/events":      "",
	"gotest":                         "gotest/shim/sched internal/stateless/events internal/trace",
	"explore":                        "gotest",
	"gotest/shim/sched":              "internal/stateless/events",
	"gotest/shim/sync":               "gotest/shim/sched",
	"gotest/shim/time":               "gotest/shim/sched",
	"gotest/shim/rand":               "gotest/shim/sched",
	"gotest/shim/runtime":            "gotest/shim/sched",
	"gotest/shim/testing":            "gotest/shim/sched",
	"gotest/shim/synctest":           "gotest/shim/testing",
	"internal/task":                  "internal/lists internal/counters detect detect/decompose detect/declared detect/infer internal/pace detect/rename detect/structure detect/typing detect/verify encode encode/cnf encode/aiger encode/fair encode/btor2 encode/murphi encode/promela internal/front mc internal/certify internal/certify/states model model/reference model/traces internal/prog ts aig sat sat/cadical sat/cdcl sat/gini internal/trace",
	"internal/markov":                "mc/evidence model internal/pctl",
	"internal/portfolio":             "internal/lists internal/counters internal/task internal/markov detect/typing internal/front internal/pctl bmc cofactor internal/explicit internal/explicit/netlist internal/pdr internal/pdr/klive internal/stateless internal/every/param internal/every/transfer internal/every/invariants detect/infer internal/pace mc internal/board internal/certfile internal/certify internal/certify/states mc/evidence encode encode/murphi model model/reference sat ts aig",
	"internal/simulate":              "internal/front internal/lists model model/reference model/traces internal/prog internal/task internal/trace ts",
	"internal/lsp":                   "encode/murphi encode/promela internal/front internal/litmus model internal/networks internal/table internal/task",
	"cmd/orbitmc":                    "*",
	"benchmarks":                     "*",
	"benchmarks/netlists":            "",
	"benchmarks/measure":             "internal/lists rep ts aig internal/disjoint",
	"benchmarks/report":              "internal/lists benchmarks",
	"benchmarks/runner":              "internal/lists benchmarks internal/cluster detect/graph encode/murphi model",
	"":                               "internal/lists mc internal/certify internal/portfolio internal/task internal/trace",
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
