//go:build linux

package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The binary of the tests is the supervisor, and the programs that it watches.

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		program(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "bench-exec" {
		os.Exit(Supervise())
	}
	onNode := len(os.Args) > 6 && os.Args[1] == "bench-run" // SUITE --out DIR --only REGEXP …
	tools["test"] = tool{
		ours: true,
		find: func(*Options) (string, string, error) { return self(), "1", nil },
		prepare: func(program string, x *task, dir string) (*recipe, error) {
			// The path of the model marks the processes. After "building" comes a program
			// that builds, in two commands, and then the one that runs.
			r, args := &recipe{dir: dir}, x.config.args
			if len(args) > 1 && args[0] == "building" {
				build := []string{program, "program", args[1], x.path}
				r.build, args = [][]string{build, build}, args[2:]
			}
			r.run = slices.Concat([]string{program, "program"}, args, []string{x.path})
			return r, nil
		},
		read: func(log string, exit int) answer {
			if _, v, ok := strings.Cut(log, "verdict: "); ok && exit == 0 {
				return answer{verdict: strings.Fields(v)[0], depth: -1}
			}
			return answer{depth: -1}
		},
	}
	if onNode {
		s, err := Load(os.Args[2])
		if err == nil {
			err = s.Only(regexp.MustCompile(os.Args[6]))
		}
		if err == nil {
			_, err = Run(context.Background(), s, Options{Dir: os.Args[4], Supervisor: []string{self(), "bench-exec"}})
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// again starts this binary as another program, in a session of its own.
func again(args ...string) *exec.Cmd {
	cmd := exec.Command(self(), append([]string{"program"}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// program is one of the programs; its last argument marks the process.
func program(args []string) {
	mark := args[len(args)-1]
	switch args[0] {
	case "say":
		fmt.Printf("verdict: %s\n", args[1])
	case "crash":
		panic("crash")
	case "loop":
		for i := 0; ; i++ {
		}
	case "burn": // 0.3 s of CPU
		for began := cpuTime(); cpuTime() < began+0.3; {
		}
	case "second": // sleeps, and is safe when it is run again
		if _, err := os.Stat(args[1]); err == nil {
			fmt.Println("verdict: safe")
			return
		}
		if err := os.WriteFile(args[1], nil, 0o666); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	case "nap": // 0.5 s of wall time
		time.Sleep(500 * time.Millisecond)
	case "sleep":
		time.Sleep(time.Hour)
	case "hog":
		var all [][]byte
		for {
			all = append(all, touched(8<<20))
			time.Sleep(time.Millisecond)
			runtime.KeepAlive(all)
		}
	case "grab": // what is not given
		fmt.Print(len(make([]byte, 4<<30)))
	case "flood":
		line := []byte(strings.Repeat("x", 1<<20))
		for {
			if _, err := os.Stdout.Write(line); err != nil {
				os.Exit(7)
			}
		}
	case "cores": // safe on as many as that
		if all, err := cores(); err == nil && fmt.Sprint(len(all)) == args[1] {
			fmt.Println("verdict: safe", all)
		}
	case "rlimit": // safe if SIGXCPU comes before SIGKILL, and later than the limit
		var l syscall.Rlimit
		if syscall.Getrlimit(syscall.RLIMIT_CPU, &l) == nil && l.Cur < l.Max && l.Cur >= 25 {
			fmt.Println("verdict: safe")
		}
	case "hold": // 90 MiB
		b := touched(90 << 20)
		time.Sleep(time.Hour)
		fmt.Print(b[0])
	case "orphan": // starts a program in another session, and ends
		again(args[1], mark)
	case "orphans": // the same twice over
		again("orphan", args[1], mark)
	case "four": // of the same, in sessions of their own
		for range 4 {
			defer again(args[1], mark).Wait()
		}
	case "late": // the verdict comes from a process that outlives its parent
		again("later", mark)
	case "later":
		time.Sleep(200 * time.Millisecond)
		fmt.Println("verdict: safe")
	case "fork": // starts a process after the other
		for {
			again("orphan", "sleep", mark)
			time.Sleep(30 * time.Millisecond)
		}
	}
}

func touched(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

func cpuTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// marked returns the processes that have mark in their command line.
func marked(t *testing.T, mark string) (all []string) {
	t.Helper()
	pids, err := procNumbers()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(text), mark) && pid != os.Getpid() {
			all = append(all, fmt.Sprintf("%d %q", pid, text))
		}
	}
	return all
}
