package task

import (
	"context"
	"orbitmc/mc"
	"runtime"
	"testing"
	"time"
)

func TestWatchMemory(t *testing.T) {
	exceeded := make(chan bool, 1)
	stop := watchMemory(1<<40, func() { exceeded <- true })
	time.Sleep(5 * memoryInterval)
	stop()
	select {
	case <-exceeded:
		t.Error("less than the limit exceeds it")
	default:
	}
	stop = watchMemory(16<<20, func() { exceeded <- true })
	defer stop()
	live := make([]byte, 64<<20)
	select {
	case <-exceeded:
	case <-time.After(30 * time.Second):
		t.Error("more than the limit does not exceed it")
	}
	runtime.KeepAlive(live)
}

func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(mc.ErrMemory)
	forever := make(chan bool)
	_, err := Within(ctx, func() (bool, error) { return <-forever, nil })
	if !CutShort(ctx, err) || mc.StopReason(ctx) != "memory limit" {
		t.Errorf("%v, %s", err, mc.StopReason(ctx))
	}
	if x, err := Within(ctx, func() (int, error) { return 7, nil }); x != 7 || err != nil {
		t.Errorf("what takes no time is lost: %d, %v", x, err)
	}
}
