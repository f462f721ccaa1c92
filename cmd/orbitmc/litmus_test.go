package main

import (
	"context"
	"os"
	"testing"

	"orbitmc/internal/litmus"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// TestLitmusReport: a test is safe only if nothing of the protocol is open.
func TestLitmusReport(t *testing.T) {
	const file = "../../benchmarks/murphi/moesi.m"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := task.Open(context.Background(), file, task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := litmus.Guess(k.Problem.Model)
	if err != nil {
		t.Fatal(err)
	}
	in, err := litmus.ParseMapping("guess", text)
	if err != nil {
		t.Fatal(err)
	}
	x, err := litmus.Parse("t", "litmus t\nP0: x = 1\nP1: r0 = x\n~exists (1:r0=2)\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := litmus.New(src, k.Problem.Model, in, x, false)
	if err != nil {
		t.Fatal(err)
	}
	opt := task.Options{Files: task.NewFiles(context.Background())}
	opt.Files.Put("p.m", p.Text)
	if k, err = task.Open(context.Background(), "p.m", opt); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		errors  mc.Status
		verdict mc.Status
		answer  string
	}{{mc.Safe, mc.Safe, "holds"}, {mc.Unknown, mc.Unknown, "unknown"}, {mc.Unsafe, mc.Unsafe, "unknown"}} {
		of := map[string]*mc.PropResult{}
		for i, q := range k.Problem.Model.Props {
			of[q.Name] = &mc.PropResult{Prop: i, Status: mc.Safe}
		}
		of[k.Problem.Model.Runtime().Name].Status = c.errors
		out, verdict := litmusReport(p, &session{Task: k}, of)
		if verdict != c.verdict || out.Answer != c.answer {
			t.Errorf("errors %v: %v, the condition %s", c.errors, verdict, out.Answer)
		}
	}
}
