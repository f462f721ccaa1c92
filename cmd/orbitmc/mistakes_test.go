package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
)

var update = flag.Bool("update", false, "rewrite benchmarks/mistakes/README.md")

// TestMistakes compares what benchmarks/mistakes/README.md says of our messages with what is printed.
// With ORBITMC_LONG=1 it does so for CMurphi, in the folder ORBITMC_CMURPHI, and Rumur.
func TestMistakes(t *testing.T) {
	const page = "../../benchmarks/mistakes/README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	long := nightly.On() || *update
	mistakes := 0
	parts := strings.SplitAfter(string(text), "\n## ")
	for i := 1; i < len(parts); i++ {
		blocks := regexp.MustCompile("(?s)```(murphi|text)\n(.*?)```").FindAllStringSubmatchIndex(parts[i], -1)
		if len(blocks) != 4 {
			t.Fatalf("%.40q has %d blocks, want a model and three messages", parts[i], len(blocks))
		}
		mistakes++
		block := func(k int) string { return parts[i][blocks[k][4]:blocks[k][5]] }
		if err := os.WriteFile("model.m", []byte(block(0)), 0o666); err != nil {
			t.Fatal(err)
		}
		messages := []string{ourMessage(t), "", ""}
		if long {
			messages[1], messages[2] = cmurphiMessage(), rumurMessage()
		}
		for k := 3; k >= 1; k-- {
			got, want := messages[k-1], block(k)
			switch {
			case got == "" || got == want:
			case *update:
				parts[i] = parts[i][:blocks[k][4]] + got + parts[i][blocks[k][5]:]
			default:
				t.Errorf("%.40q: tool %d says\n%swant\n%s", parts[i], k, got, want)
			}
		}
	}
	if mistakes != 20 {
		t.Errorf("%d mistakes", mistakes)
	}
	if *update {
		t.Chdir(filepath.Dir(sourceFile))
		if err := os.WriteFile(page, []byte(strings.Join(parts, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// sourceFile is where the tests run.
var sourceFile = func() string {
	dir, _ := os.Getwd()
	return filepath.Join(dir, "x")
}()

// ourMessage returns our message on model.m, which must be a list of errors with place, source
// line and mark. A remedy is what stands behind a colon, a question, or what was expected.
func ourMessage(t *testing.T) string {
	var stdout, stderr bytes.Buffer
	if code := newProgram().run(context.Background(), []string{"orbitmc", "check", "model.m"}, &stdout, &stderr); code != exitUsage || stdout.Len() > 0 {
		t.Errorf("exit status %d, %s", code, stdout.String())
	}
	form := regexp.MustCompile(`^(model\.m:\d+:\d+: .*(expected|: .|'=' compares|did you mean .*\?|is written).*\n    \S?.*\n    \s*\^\n)+$`)
	if !form.MatchString(stderr.String()) {
		t.Errorf("no place, line and remedy:\n%s", stderr.String())
	}
	return stderr.String()
}

// cmurphiMessage returns what CMurphi says of model.m, without its head; "" if it is absent.
func cmurphiMessage() string {
	out, err := exec.Command(filepath.Join(os.Getenv("ORBITMC_CMURPHI"), "src", "mu"), "model.m").CombinedOutput()
	if _, ran := err.(*exec.ExitError); err != nil && !ran {
		return ""
	}
	return strings.Join(regexp.MustCompile(`(?m)^(model\.m:.*|\t.*|If the model.*|Code generated.*)\n`).FindAllString(string(out), -1), "")
}

// rumurMessage returns what Rumur says of model.m; "" if it is absent.
func rumurMessage() string {
	out, err := exec.Command("rumur", "model.m", "-o", os.DevNull).CombinedOutput()
	if _, ran := err.(*exec.ExitError); err != nil && !ran {
		return ""
	}
	if len(out) == 0 {
		return "(nothing: it accepts the model)\n"
	}
	return string(out)
}
