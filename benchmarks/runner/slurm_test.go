//go:build linux

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"orbitmc/internal/testkit/clustertest"
)

// TestSlurm runs a batch on a cluster. One task is lost while it waits and one while it runs;
// both are submitted again, and the record is that of a batch here. A batch that is interrupted
// takes its tasks out of the queue, and is continued.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	c := clustertest.Start(t)
	dir := t.TempDir()
	write(t, dir, "a b.m", "")
	second := filepath.Join(dir, "was here")
	suite := write(t, dir, "s.yaml", fmt.Sprintf(`
limits: {cpu: 20s, wall: 100s}
configs:
  - {name: one, tool: test, args: [say, safe]}
  - {name: "it's two", tool: test, args: [say, unsafe]}
  - {name: three, tool: test, args: [second, %q]}
  - {name: four, tool: test, args: [crash]}
models: [{path: "a b.m", expect: safe}]
`, second))
	opt := options(filepath.Join(dir, "out"))
	opt.Remote, opt.Where, opt.Poll = []string{self(), "bench-run"}, dir, 200*time.Millisecond
	var mu sync.Mutex
	var again []string
	opt.Event = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if key, lost := strings.CutSuffix(e.Key, ": lost, submitted again"); lost {
			again = append(again, key)
		}
	}
	first, other := load(t, suite), load(t, suite)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, first, opt)
		ended <- err
	}()
	c.Wait("four tasks", func() bool { return len(c.Tasks()) == 4 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted batch ends with %v", err)
	}
	c.Wait("empty queue", func() bool { return len(c.Tasks()) == 0 })
	var rec []string
	go func() {
		r, err := Run(context.Background(), other, opt)
		if err == nil {
			for _, x := range r.Runs {
				rec = append(rec, fmt.Sprintf("%s %s %s wrong=%v", x.Config, x.Status, x.Verdict, x.Wrong))
				if text, err := os.ReadFile(filepath.Join(opt.Dir, x.Log)); err != nil || len(text) == 0 {
					t.Errorf("%s: log %q, %v", x.Key, text, err)
				}
			}
		}
		ended <- err
	}()
	c.Wait("four tasks", func() bool { return len(c.Tasks()) == 4 })
	waiting, _, _ := strings.Cut(c.Tasks()[0], "_")
	clustertest.Cancel(t, waiting+"_0")
	c.Daemon("slurmd", "-D")
	c.Wait("the third run", func() bool { _, err := os.Stat(second); return err == nil })
	clustertest.Cancel(t, waiting+"_2")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	want := "[one ok safe wrong=false it's two ok unsafe wrong=true three ok safe wrong=false four failed unknown wrong=false]"
	if got := fmt.Sprint(rec); got != want {
		t.Errorf("the record is %s\nwant %s", got, want)
	}
	if len(again) != 2 || !strings.Contains(again[0], "|one|") || !strings.Contains(again[1], "|three|") {
		t.Errorf("submitted again: %q", again)
	}
	if _, err := os.Stat(filepath.Join(opt.Dir, "tasks")); err == nil {
		t.Error("the folders of the tasks are left")
	}
}
