package main

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	isStatic(t, program)
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

// isStatic fails if a program asks for a loader.
func isStatic(t *testing.T, program string) {
	t.Helper()
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

// TestContainerfile: the image has the version of Go that go.mod asks for, and its build command makes a static program, which
// runs where there is nothing else. To build takes a minute: ORBITMC_LONG=1.
func TestContainerfile(t *testing.T) {
	text, err := os.ReadFile("../../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first := func(pattern string, text []byte) string {
		found := regexp.MustCompile("(?m)"+pattern).FindAllSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%d lines are %s", len(found), pattern)
		}
		return string(found[0][1])
	}
	if image, asked := first(`^FROM golang:(\S+) AS build$`, text), first(`^go (\d+\.\d+)\.\d+$`, mod); image != asked {
		t.Errorf("the image has Go %s, and go.mod asks for %s", image, asked)
	}
	out, build := first(`^COPY --from=build (/\S+) /$`, text), first(`^RUN (.* go build .*)$`, text)
	if program := first(`^ENTRYPOINT \["/(\S+)"\]$`, text); !strings.Contains(build, " -o "+out+"/"+program+" ") || !strings.Contains(string(text), "\nFROM scratch\n") {
		t.Errorf("it runs %q, and builds by %s", program, build)
	}
	if !nightly.On() || runtime.GOOS != "linux" {
		t.Skip("ORBITMC_LONG is not set, or this is not Linux")
	}
	dir := t.TempDir()
	build = strings.Replace(build, " "+out+"/", " "+dir+"/", 1)
	cmd := exec.Command("sh", "-c", build)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	isStatic(t, filepath.Join(dir, "orbitmc"))
}

// withoutPrograms returns an environment in which the only programs are those of a list.
func withoutPrograms(t *testing.T, programs ...string) []string {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a shell")
	}
	dir := t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return append(os.Environ(), "PATH="+dir)
}

// TestEditorPackageWithoutNPM: it says what is missing.
func TestEditorPackageWithoutNPM(t *testing.T) {
	cmd := exec.Command("../../.ci/editor", t.TempDir())
	cmd.Env = withoutPrograms(t, "bash", "realpath", "dirname")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "there is no npm") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestEditorPackage packs the extension of VS Code: its manifest says what is in it, what package.json names is in it, and so
// are the libraries. It says how the language server is run.
func TestEditorPackage(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil || testing.Short() || runtime.GOOS == "windows" {
		t.Skip("no npm, or -short")
	}
	dir := t.TempDir()
	out, err := exec.Command("../../.ci/editor", dir, "v1.2.3").CombinedOutput()
	var status *exec.ExitError
	switch {
	case errors.As(err, &status) && status.ExitCode() == 3 && strings.Contains(string(out), "is there a network?"):
		t.Skip("npm cannot load vsce")
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	packed, err := zip.OpenReader(filepath.Join(dir, "orbitmc-1.2.3.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	read := func(name string) []byte {
		f, err := packed.Open(name)
		if err != nil {
			t.Errorf("it has no %s", name)
			return nil
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		return text
	}
	var manifest struct {
		Metadata struct {
			Identity struct {
				ID        string `xml:"Id,attr"`
				Version   string `xml:"Version,attr"`
				Publisher string `xml:"Publisher,attr"`
			}
		}
		Assets struct {
			Asset []struct {
				Path string `xml:"Path,attr"`
			}
		}
	}
	if err := xml.Unmarshal(read("extension.vsixmanifest"), &manifest); err != nil {
		t.Fatal(err)
	}
	if id := manifest.Metadata.Identity; id.ID != "orbitmc" || id.Version != "1.2.3" || id.Publisher != "orbitmc" {
		t.Errorf("it is %v", id)
	}
	if len(manifest.Assets.Asset) < 3 {
		t.Errorf("assets: %v", manifest.Assets)
	}
	for _, a := range manifest.Assets.Asset {
		read(a.Path)
	}
	read("[Content_Types].xml")
	type pathOf struct{ Path, Configuration string }
	var extension struct {
		Main, Description string
		Contributes       struct {
			Languages, Grammars []pathOf
			Configuration       struct {
				Properties map[string]struct{ Default, Description any }
			}
		}
		Dependencies map[string]string
	}
	if err := json.Unmarshal(read("extension/package.json"), &extension); err != nil {
		t.Fatal(err)
	}
	files := []string{extension.Main}
	for _, x := range append(extension.Contributes.Languages, extension.Contributes.Grammars...) {
		files = append(files, x.Path+x.Configuration)
	}
	for name := range extension.Dependencies {
		files = append(files, "node_modules/"+name+"/package.json")
	}
	if len(files) != 6 {
		t.Errorf("it names %v", files)
	}
	for _, name := range files {
		read("extension/" + strings.TrimPrefix(name, "./"))
	}
	path := extension.Contributes.Configuration.Properties["orbitmc.path"]
	for _, text := range []any{extension.Description, path.Description} {
		if text, _ := text.(string); !strings.Contains(text, "`orbitmc lsp`") {
			t.Errorf("it does not say which server is run: %q", text)
		}
	}
	if path.Default != "orbitmc" || !strings.Contains(string(read("extension/extension.js")), "config.get('path'), args: ['lsp']") {
		t.Error("another server is run")
	}
}
