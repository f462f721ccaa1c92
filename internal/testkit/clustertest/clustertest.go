//go:build linux

// Package clustertest starts a Slurm for tests.
package clustertest

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cluster is a Slurm of one node, this machine, that a test started.
type Cluster struct {
	t   *testing.T
	dir string
}

// Start starts munged and slurmctld in a folder, without a node. The test is skipped
// where Slurm is not installed, or may not be started.
func Start(t *testing.T) *Cluster {
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
	c := &Cluster{t, dir}
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
	if err := os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	c.Daemon("munged", "--force", "--foreground", "--socket="+dir+"/socket", "--key-file="+dir+"/key", "--pid-file="+dir+"/pid", "--log-file="+dir+"/log", "--seed-file="+dir+"/seed")
	c.Wait("the socket of munged", func() bool { _, err := os.Stat(dir + "/socket"); return err == nil })
	c.Daemon("slurmctld", "-D", "-i")
	c.Wait("slurmctld", func() bool { return exec.Command("scontrol", "ping").Run() == nil })
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

// Daemon starts a daemon, which ends with the test.
func (c *Cluster) Daemon(name string, args ...string) {
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

// Wait waits for something.
func (c *Cluster) Wait(what string, done func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("no %s", what)
		}
	}
}

// Tasks lists the tasks of the queue, as "3_0 PENDING".
func (c *Cluster) Tasks() (all []string) {
	out, err := exec.Command("squeue", "--noheader", "--array", "--format=%F_%K %T").Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// Cancel takes a task out of the queue, or ends it.
func Cancel(t *testing.T, name string) {
	if out, err := exec.Command("scancel", name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
