package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
)

// TestRelease builds a release of the last commit twice, in two folders and with caches of their
// own, and compares all bytes. The program is static, the package can be unpacked.
// It takes minutes: ORBITMC_LONG=1.
func TestRelease(t *testing.T) {
	if !nightly.On() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("ORBITMC_LONG is not set, or this is not Linux")
	}
	dir := t.TempDir()
	run := func(in string, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(filepath.Dir(in), "cache"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var files [2]map[string][]byte
	for i, folder := range []string{"a", "a longer name"} {
		at := filepath.Join(dir, folder)
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		run(at, "git", "clone", "-q", here, "source")
		source, out := filepath.Join(at, "source"), filepath.Join(at, "out")
		run(source, ".ci/release", "v0.0.1", out, "linux/amd64", "windows/amd64")
		files[i] = make(map[string][]byte)
		found, _ := filepath.Glob(filepath.Join(out, "*"))
		for _, f := range found {
			if files[i][filepath.Base(f)], err = os.ReadFile(f); err != nil {
				t.Fatal(err)
			}
		}
		run(out, "sha256sum", "-c", "SHA256SUMS")
	}
	for name, data := range files[0] {
		if !bytes.Equal(data, files[1][name]) {
			t.Errorf("%s differs from build to build", name)
		}
	}
	if len(files[0]) < 3 || len(files[0]) != len(files[1]) {
		t.Fatalf("%d and %d files", len(files[0]), len(files[1]))
	}
	out := filepath.Join(dir, "a", "out")
	run(out, "tar", "xzf", "orbitmc-v0.0.1-linux-amd64.tar.gz")
	program := filepath.Join(out, "orbitmc-v0.0.1-linux-amd64", "orbitmc")
	if v := run(out, program, "--version"); !strings.HasPrefix(v, "orbitmc v0.0.1\ncommit  ") || strings.Contains(v, "modified") {
		t.Errorf("it says %s", v)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static")
		}
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return
	}
	run(out, "dpkg-deb", "-x", "orbitmc_0.0.1_amd64.deb", "root")
	for _, name := range []string{"bin/orbitmc", "share/man/man1/orbitmc-check.1.gz", "share/bash-completion/completions/orbitmc", "share/doc/orbitmc/copyright"} {
		if _, err := os.Stat(filepath.Join(out, "root", "usr", name)); err != nil {
			t.Error(err)
		}
	}
	if got := run(out, filepath.Join(out, "root/usr/bin/orbitmc"), "help"); !strings.Contains(got, "usage: orbitmc MODEL") {
		t.Errorf("its program prints %s", got)
	}
}

// TestInstall installs the program, its manual and what shells complete into a folder.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || testing.Short() || runtime.GOOS == "windows" {
		t.Skip("no make, or -short")
	}
	dir := t.TempDir()
	cmd := exec.Command("make", "-s", "install", "PREFIX=/p", "DESTDIR="+dir, "OUT="+filepath.Join(dir, "built"))
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range []string{"bin/orbitmc", "share/man/man1/orbitmc.1", "share/man/man1/orbitmc-check.1", "share/bash-completion/completions/orbitmc"} {
		if x, err := os.Stat(filepath.Join(dir, "p", file)); err != nil || x.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
