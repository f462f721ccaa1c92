package gotest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	dir := os.Getenv("TRY")
	r, err := Run(context.Background(), Options{Dir: dir, Patterns: strings.Fields(os.Getenv("PAT")), Limit: 2000, Race: os.Getenv("RACE") != "", Keep: os.Getenv("KEEP"), Run: os.Getenv("RUN")})
	if err != nil {
		t.Fatal(err)
	}
	_ = time.Now
	for _, x := range r.Tests {
		fmt.Printf("%s %s: %s executions=%d random=%d pruned=%d gaps=%v\n", x.Package, x.Name, x.Verdict, x.Executions, x.Random, x.Pruned, x.Gaps)
		for _, v := range x.Violations {
			fmt.Printf("   %s: %.300q at %d random=%v steps=%d\n", v.Kind, v.Text, v.At, v.Random, len(v.Steps))
			if os.Getenv("V") != "" {
				for _, s := range v.Steps {
					fmt.Printf("      %d/%d %s %s %s %s\n", s.Agent, s.Partner, s.Op, s.Object, s.At, s.With)
				}
				for _, a := range v.Agents {
					fmt.Printf("      %d %s %s %s\n", a.ID, a.Name, a.Waits, a.At)
				}
			}
		}
	}
}
