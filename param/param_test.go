package param

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

func TestTry(t *testing.T) {
	file := os.Getenv("TRY")
	if file == "" {
		t.Skip()
	}
	opt := murphi.Options{Consts: map[string]string{}}
	least := map[string]int{}
	for _, o := range strings.Fields(os.Getenv("OPAQUE")) {
		opt.Opaque = append(opt.Opaque, o)
		least[o] = 2
	}
	for _, o := range strings.Fields(os.Getenv("CONSTS")) {
		a, b, _ := strings.Cut(o, "=")
		opt.Consts[a] = b
	}
	m, err := murphi.ReadFile(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	m, _ = infer.Classes(m)
	began := time.Now()
	c, err := New(m, least, func(p *model.Property) bool { return strings.HasPrefix(p.Name, "lemma ") })
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(len(c.Conjuncts), "conjuncts", len(c.Conditions()), "conditions", len(c.nodes), "nodes", time.Since(began))
	o, err := c.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(j int) bool { return strings.HasPrefix(c.Conjuncts[j].Prop.Name, "lemma ") })
	fmt.Println(o.Dropped, o.Conditions, o.Cutoff, o.Size, o.Weak, err, time.Since(began))
	if n := os.Getenv("SMT"); n != "" {
		w, _ := os.Create(n)
		c.WriteSMT(w)
		w.Close()
	}
	if o.Failed != nil {
		fmt.Println(c.Name(o.Failed))
	}
}
