//go:build linux

package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cluster is a Slurm of one node, this machine, that a test started.
type cluster struct {
	t   *testing.T
	dir string
}

// startCluster starts munged and slurmctld in a folder, without a node. The test is skipped
// where Slurm is not installed, or may not be started.
func startCluster(t *testing.T) *cluster {
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("slurmd needs to be root")
	}
	dir, err := os.MkdirTemp("", "slurm") // a short path: it has a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := &cluster{t, dir}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 1024)
	rand.Read(key)
	if err := os.WriteFile(filepath.Join(dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.NewReplacer("HOST", host, "DIR", dir, "PORT1", freePort(t), "PORT2", freePort(t)).Replace(`ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/socket
CredType=cred/munge
SlurmctldPort=PORT1
SlurmdPort=PORT2
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=1
SchedulerParameters=sched_interval=1
NodeName=HOST NodeAddr=127.0.0.1 CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`)
	write(t, dir, "slurm.conf", text)
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	c.start("munged", "--force", "--foreground", "--socket="+dir+"/socket", "--key-file="+dir+"/key", "--pid-file="+dir+"/pid", "--log-file="+dir+"/log", "--seed-file="+dir+"/seed")
	c.wait("the socket of munged", func() bool { _, err := os.Stat(dir + "/socket"); return err == nil })
	c.start("slurmctld", "-D", "-i")
	c.wait("slurmctld", func() bool { return exec.Command("scontrol", "ping").Run() == nil })
	return c
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// start starts a daemon, which ends with the test.
func (c *cluster) start(name string, args ...string) {
	cmd := exec.Command(name, args...)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		log.Close()
		if c.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			c.t.Logf("%s:\n%s", name, text)
		}
	})
}

// wait waits for something.
func (c *cluster) wait(what string, done func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("no %s", what)
		}
	}
}

// tasks lists the tasks of the queue, as "3_0 PENDING".
func (c *cluster) tasks() (all []string) {
	out, err := exec.Command("squeue", "--noheader", "--array", "--format=%F_%K %T").Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

func cancelTask(t *testing.T, name string) {
	if out, err := exec.Command("scancel", name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestSlurm runs a batch on a cluster. One task is lost while it waits and one while it runs;
// both are submitted again, and the record is that of a batch here. A batch that is interrupted
// takes its tasks out of the queue, and is continued.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	outer := pollTime
	pollTime = 200 * time.Millisecond
	defer func() { pollTime = outer }()
	c := startCluster(t)
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
	opt.Remote, opt.Where = []string{self(), "bench-run"}, dir
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
	c.wait("four tasks", func() bool { return len(c.tasks()) == 4 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted batch ends with %v", err)
	}
	c.wait("empty queue", func() bool { return len(c.tasks()) == 0 })
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
	c.wait("four tasks", func() bool { return len(c.tasks()) == 4 })
	waiting, _, _ := strings.Cut(c.tasks()[0], "_")
	cancelTask(t, waiting+"_0")
	c.start("slurmd", "-D")
	c.wait("the third run", func() bool { _, err := os.Stat(second); return err == nil })
	cancelTask(t, waiting+"_2")
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
