// Package promelatest holds what tests of programs need: SPIN's verifier as an oracle, and
// random programs.
package promelatest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"orbitmc/internal/prog"
)

// HasSpin reports whether spin and a compiler of C are installed.
func HasSpin() bool {
	_, err := exec.LookPath("spin")
	_, err2 := exec.LookPath(compiler())
	return err == nil && err2 == nil
}

// compiler returns the name of the compiler of C: tcc if it is installed, which takes a tenth of the time of gcc.
func compiler() string {
	if _, err := exec.LookPath("tcc"); err == nil {
		return "tcc"
	}
	return "gcc"
}

var (
	errorsLine      = regexp.MustCompile(`errors: (\d+)`)
	storedLine      = regexp.MustCompile(`(\d+) states, stored`)
	transitionsLine = regexp.MustCompile(`(\d+) transitions \(=`)
)

// Run runs a command in a folder and returns what it prints.
func Run(dir string, limit time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("%s: time limit", name)
	}
	return string(out), err
}

// Make makes SPIN's verifier of a program, pan, in the folder dir, with options for spin
// and for the compiler. The text of the error begins with "refused:" if SPIN does not
// take the program.
func Make(dir, file string, spin, gcc []string) error {
	src, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	// Included files are found beside the program.
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(src), "*"))
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && len(data) < 1<<20 {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o644); err != nil {
				return err
			}
		}
	}
	out, err := Run(dir, time.Minute, "spin", append(spin, "-a", filepath.Base(src))...)
	if _, missing := os.Stat(filepath.Join(dir, "pan.c")); err != nil || missing != nil {
		return fmt.Errorf("refused: %.200s", out)
	}
	if out, err = Run(dir, 2*time.Minute, compiler(), append(gcc, "-O0", "-w", "-o", "pan", "pan.c")...); err != nil {
		return fmt.Errorf("refused: %s: %.200s", compiler(), out)
	}
	return nil
}

// Plain are the options of Make for a verifier without reductions and claims. With its compression of states, which
// NOCOMP leaves out, it loses states of programs with priorities.
var Plain = struct{ Spin, GCC []string }{[]string{"-o1", "-o2", "-o3"}, []string{"-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOCOMP"}}

// Pan makes SPIN's verifier of a program, without reductions and claims, and runs it in
// the folder dir. The error says why there is no complete search.
func Pan(dir, file string, limit time.Duration) (c prog.Counts, err error) {
	if err := Make(dir, file, Plain.Spin, Plain.GCC); err != nil {
		return c, err
	}
	out, err := Run(dir, limit, "./pan", "-c0", "-n", "-m10000", "-w18") // little memory: most programs are small
	if strings.Contains(out, "max search depth too small") {
		out, err = Run(dir, limit, "./pan", "-c0", "-n", "-m1000000")
	}
	if err != nil && strings.Contains(err.Error(), "limit") {
		return c, err
	}
	for _, bad := range []string{"max search depth too small", "out of memory", "unconditional self-loop", "inherits", "uninitialized", "bad queue", "was deleted", "invalid array index", "pars in receive", "parameters in send", "nr of msg fields", "block in d_step", "blocking sel", "too many processes"} {
		if strings.Contains(out, bad) {
			return c, fmt.Errorf("pan: %s", bad)
		}
	}
	number := func(re *regexp.Regexp) (n int64) {
		m := re.FindStringSubmatch(out)
		if m == nil {
			err = fmt.Errorf("pan: no counts: %.200s", out)
			return 0
		}
		n, _ = strconv.ParseInt(m[1], 10, 64)
		return n
	}
	err = nil
	c = prog.Counts{States: number(storedLine), Transitions: number(transitionsLine), Errors: number(errorsLine)}
	return c, err
}
