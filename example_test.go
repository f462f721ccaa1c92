package orbitmc_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"orbitmc"
)

// A broken version of German's protocol has a bug at 15 steps. The correct one is proved,
// and other code checks the proof.
func Example() {
	ctx := context.Background()
	broken, err := orbitmc.Open(ctx, "benchmarks/murphi/german_bug2.m", orbitmc.Options{})
	check(err)
	bug, err := broken.Check(ctx, orbitmc.Search{Engine: "bmc"})
	check(err)
	fmt.Println(bug.Verdict, bug.Properties[0].Name, bug.Properties[0].Depth)
	t, err := bug.Trace("CtrlProp")
	check(err)
	fmt.Println(t.Steps[0].Rule, t.Steps[0].Params, t.Steps[0].Changes[0], t.States()[15]["Cache[NODE_1].State"])

	german, err := orbitmc.Open(ctx, "benchmarks/murphi/german.m", orbitmc.Options{})
	check(err)
	proof, err := german.Prove(ctx, orbitmc.Search{})
	check(err)
	fmt.Println(proof.Verdict)

	var cert bytes.Buffer
	check(proof.WriteCertificate(ctx, &cert))
	file := filepath.Join(os.TempDir(), "german.cert")
	check(os.WriteFile(file, cert.Bytes(), 0o666))
	defer os.Remove(file)
	checked, err := orbitmc.Certify(ctx, "benchmarks/murphi/german.m", file, orbitmc.Options{})
	check(err)
	fmt.Println(checked.Accepted, checked.Properties)
	// Output:
	// unsafe CtrlProp 15
	// SendReqS map[i:NODE_1] {Chan1[NODE_1].Cmd Empty ReqS [] [] [2]} S
	// safe
	// true [CtrlProp DataProp runtime-error deadlock]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The symmetry that a model declares is verified, and what is none is refuted.
func ExampleModel_Detect() {
	m, err := orbitmc.Open(context.Background(), "benchmarks/murphi/german.m", orbitmc.Options{Defines: []string{"NODE_NUM=4"}})
	check(err)
	y, err := m.Detect(context.Background())
	check(err)
	fmt.Println(y.Order, y.Factors[0].Of, y.Factors[0].Group, len(y.Refuted))
	// Output: 48 NODE Sym(4) 0
}

func ExampleModel_Properties() {
	m, err := orbitmc.Open(context.Background(), "benchmarks/netlists/german_tight_4.aig", orbitmc.Options{})
	check(err)
	fmt.Println(m.Properties())
	// Output: [bad]
}

// Lemmas of three nodes prove larger sizes.
func ExampleSweep() {
	sizes, err := orbitmc.Sweep(context.Background(), "benchmarks/murphi/german.m", "NODE_NUM", 3, 5, orbitmc.Options{Defines: []string{"DATA_NUM=1"}})
	check(err)
	for _, s := range sizes {
		fmt.Println(s.N, s.Verdict, s.Carried > 0)
	}
	// Output:
	// 3 safe false
	// 4 safe true
	// 5 safe true
}
