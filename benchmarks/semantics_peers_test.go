package benchmarks_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// TestSemanticsPeers asks CMurphi, in the folder ORBITMC_CMURPHI, and Rumur, on
// the search path, about the models of docs/murphi.md. Their outcome must be ours,
// or what the model says that they give instead. It takes ORBITMC_LONG=1.
func TestSemanticsPeers(t *testing.T) {
	if !nightly.On() {
		t.Skip("compiles hundreds of checkers: ORBITMC_LONG=1")
	}
	cmurphi := os.Getenv("ORBITMC_CMURPHI")
	rumur, _ := exec.LookPath("rumur")
	for _, b := range behaviours(t) {
		if cmurphi != "" {
			t.Run(b.name+" CMurphi", func(t *testing.T) {
				args := []string{"./checker", "-tv", "-nosym", "-m8"}
				if b.opt.Deadlock == model.DeadlockOff {
					args = append(args, "-ndl")
				}
				if b.opt.LoopMax > 0 {
					args = append(args, fmt.Sprint("-loop", b.opt.LoopMax))
				}
				b.ask(t, model.CMurphi,
					[]string{filepath.Join(cmurphi, "src", "mu"), "model.m"},
					[]string{"g++", "-std=gnu++98", "-O0", "-w", "-fpermissive", "-fno-delete-null-pointer-checks",
						"-I" + filepath.Join(cmurphi, "include"), "model.cpp", "-o", "checker"},
					args)
			})
		}
		if rumur != "" {
			t.Run(b.name+" Rumur", func(t *testing.T) {
				b.ask(t, model.Rumur,
					[]string{rumur, "--threads", "1", "--symmetry-reduction", "off", "--deadlock-detection", b.opt.Deadlock.String(),
						"--output", "checker.c", "model.m"},
					[]string{"gcc", "-std=c11", "-O0", "-w", "-mcx16", "checker.c", "-o", "checker", "-lpthread", "-latomic"},
					[]string{"./checker"})
			})
		}
	}
}

// ask runs the commands one after the other; one that fails before the last means
// that the model is rejected.
func (b *behaviour) ask(t *testing.T, d model.Dialect, commands ...[]string) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model.m"), b.src, 0o666); err != nil {
		t.Fatal(err)
	}
	got, log := "", ""
	for i, c := range commands {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		log = string(out)
		switch {
		case i == len(commands)-1:
			if got = peerOutcome(log); ctx.Err() != nil {
				got = "timeout"
			}
		case err != nil:
			got = "rejected"
		}
		cancel()
		if got != "" {
			break
		}
	}
	want := b.gives[d]
	if want == "" {
		if want = b.want[d][0]; slices.Contains(b.want[d], got) {
			want = got
		}
	}
	want = regexp.MustCompile(` canon=\d+|@\d+|;.*`).ReplaceAllString(want, "")
	if strings.HasPrefix(want, "rejected") {
		want = "rejected"
	}
	if got != want {
		t.Errorf("it gives %s, want %s\n%s", got, want, log)
	}
}

var (
	peerStates = regexp.MustCompile(`(\d+) states, \d+ rules fired`)
	peerFired  = regexp.MustCompile(`(?m)^(?:Startstate|Rule) .*fired\.$`)
	peerMissed = regexp.MustCompile(`cover "(.*)" not hit`)
	peerError  = regexp.MustCompile(`(?:error trace for the error|construction of a startstate):\s*\n\t(.*)|(liveness property .* violated):`)

	// What the tools say of an error of the model that has a name, and the name;
	// everything else is a run-time error.
	peerNames = []struct {
		message *regexp.Regexp
		name    string // "" is what the message says
	}{
		{regexp.MustCompile(`^[Dd]eadlock`), "deadlock"},
		{regexp.MustCompile(`^[Ii]nvariant (?:\d+|"Invariant \d+") failed`), "invariant"},
		{regexp.MustCompile(`^Assertion failed: model\.m(?:, line |:\S+ \()`), "assertion"},
		{regexp.MustCompile(`^[Ii]nvariant "(\w+)`), ""},
		{regexp.MustCompile(`^Assertion failed: (?:model\.m\S+ )?(\w+)$`), ""},
		{regexp.MustCompile(`^liveness property "(\w+)`), ""},
		{regexp.MustCompile(`^(?:Error: )?(\w+)$`), ""},
	}
)

// peerOutcome reads what a checker printed.
func peerOutcome(log string) string {
	said := peerError.FindStringSubmatch(log)
	switch missed := peerMissed.FindStringSubmatch(log); {
	case strings.Contains(log, "No error found"):
		return "safe states=" + peerStates.FindStringSubmatch(log)[1]
	case missed != nil:
		return fmt.Sprintf("unsafe prop=%q", missed[1])
	case said == nil:
		return "crash"
	}
	prop := ""
	for _, n := range peerNames {
		if m := n.message.FindStringSubmatch(said[1] + said[2]); m != nil && prop == "" {
			prop = append(m, n.name)[1]
		}
	}
	return fmt.Sprintf("unsafe prop=%q depth=%d", cmp.Or(prop, "runtime-error"), max(0, len(peerFired.FindAllString(log, -1))-1))
}
