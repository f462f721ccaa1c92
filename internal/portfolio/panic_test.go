package portfolio

import (
	"context"
	"errors"
	"strings"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/mc"
)

const german = "../../benchmarks/murphi/german.m"

func open(t *testing.T, defines ...string) *task.Task {
	t.Helper()
	x, err := task.Open(context.Background(), german, task.Options{Defines: defines})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestPanicOfSmallerSize: pdr goes on without the lemmas of a smaller size that panics, and
// the panic is reported along with the proof.
func TestPanicOfSmallerSize(t *testing.T) {
	x := open(t, "NODE_NUM=5")
	k, ok := PDR(x).(*Carrying)
	if !ok {
		t.Fatal("no lemmas are carried over")
	}
	k.t, k.size = nil, 100 // so that it is tried at once
	out, err := Run(context.Background(), x, []mc.Engine{k}, Options{Options: mc.Options{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	if out.Crash == nil || !strings.Contains(out.Crash.Error(), "invalid memory address") {
		t.Errorf("crash: %v", out.Crash)
	}
	if v := out.Result.Verdict(); v != mc.Safe {
		t.Errorf("verdict: %v", v)
	}
}

// TestPanicInSweep: a sweep in which a size panics keeps the sizes before.
func TestPanicInSweep(t *testing.T) {
	sizes := 0
	s := &Sweep{File: german, Constant: "NODE_NUM", From: 2, To: 6}
	s.Task.Defines = []string{"DATA_NUM=1"}
	s.Task.Phase = func(what string) {
		if what == "encoding" {
			if sizes++; sizes == 3 {
				panic("in the third size")
			}
		}
	}
	err := s.Run(context.Background())
	var crash *task.Panic
	if !errors.As(err, &crash) || !strings.Contains(crash.Error(), "in the third size") {
		t.Fatalf("error: %v", err)
	}
	if len(s.Sizes) != 2 || s.Sizes[1].N != 3 || s.Sizes[1].Result.Verdict() != mc.Safe || !s.Open {
		t.Errorf("%d sizes, open: %v", len(s.Sizes), s.Open)
	}
}
