package promela

import (
	"context"
	"fmt"
	"os"
	"testing"

	"orbitmc/explicit"
	"orbitmc/model"
)

func TestTry(t *testing.T) {
	f := os.Getenv("TRY")
	p, err := ReadFile(f, Options{})
	if err != nil {
		fmt.Println("REFUSED", err)
		return
	}
	if os.Getenv("DUMP") != "" {
		p.Model.Dump(os.Stdout)
	}
	r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	c := p.Counts(r.States, r.FiredBy, r.Deadlocks)
	fmt.Println(c.States, c.Transitions, c.Errors)
	for _, v := range r.Violations {
		fmt.Println("  ", p.Model.Props[v.Prop].Name, v.Depth)
	}
	fmt.Println(r.Reason, len(p.Model.Rules), p.Model.Leaves())
}
