package pdr_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"orbitmc/mc"
	"orbitmc/pdr"
)

func TestTry(t *testing.T) {
	spec := os.Getenv("TRY")
	if spec == "" {
		t.Skip()
	}
	f := strings.Fields(spec)
	consts := map[string]string{}
	for _, c := range f[1:] {
		n, v, _ := strings.Cut(c, "=")
		consts[n] = v
	}
	p := load(t, f[0], consts)
	if os.Getenv("PROP") != "" {
		p.Props = nil
		for i, q := range p.Model.Props {
			if q.Name == os.Getenv("PROP") {
				p.Props = []int{i}
			}
		}
	}
	e := &pdr.Engine{NewSolver: newSolver, Plain: os.Getenv("PLAIN") != ""}
	e.Eager, _ = strconv.Atoi(os.Getenv("EAGER"))
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	defer cancel()
	r, err := e.Run(ctx, p, mc.Options{All: true, Event: func(ev mc.Event) {
		fmt.Printf("%d: orbits %d images %d obligations %d queries %d %.2fs\n", ev.Depth, ev.Stats.Orbits, ev.Stats.Images, ev.Stats.Obligations, ev.Stats.Queries, time.Since(began).Seconds())
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("engine %.2fs\n", time.Since(began).Seconds())
	if err := mc.Verify(context.Background(), p, r); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("verified %.2fs\n", time.Since(began).Seconds())
	for _, pr := range r.Props {
		fmt.Println(p.Name(pr.Prop), pr.Status, pr.Depth, pr.Bound, pr.Evidence)
		if pr.Proof != nil {
			fmt.Println("clauses", len(pr.Proof.Clauses))
		}
	}
	fmt.Printf("%+v %.2fs %s\n", r.Stats, time.Since(began).Seconds(), r.Stopped)
}
