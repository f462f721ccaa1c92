package gotest

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// write makes files of a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// proxy makes a proxy of modules, with a cache of its own.
func proxy(t *testing.T, modules map[string]map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for at, files := range modules { // as example.com/Name@v1.0.0, in the spelling of proxies
		path, version, _ := strings.Cut(at, "@")
		real := strings.ReplaceAll(path, "!n", "N")
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		mod := "module " + real + "\n"
		for name, text := range files {
			if name == "go.mod" {
				mod = text
			}
			w, err := z.Create(real + "@" + version + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte(text))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, path, "@v"), map[string]string{version + ".mod": mod, version + ".zip": b.String(), version + ".info": `{"Version": "` + version + `"}`})
	}
	for name, value := range map[string]string{"GOPROXY": "file://" + dir, "GOSUMDB": "off", "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw", "GOWORK": ""} {
		t.Setenv(name, value)
	}
	cache := os.Getenv("GOMODCACHE")
	t.Cleanup(func() {
		builds, _ := exec.Command("go", "env", "GOCACHE").Output()
		all, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(builds)), links+"*"))
		for _, link := range all {
			if at, err := os.Readlink(link); err == nil && at == cache {
				os.Remove(link)
			}
		}
	})
}

// TestModules explores tests with packages of modules in the cache of these: one whose name is spelled in another way
// there, one without a go.mod, and one that another takes the place of. The mistake is in the last, at its line.
func TestModules(t *testing.T) {
	bug := "package gate\n\nfunc Open(c chan int) {\n\tgo func() { c <- 1 }() // nobody receives\n}\n"
	proxy(t, map[string]map[string]string{
		"example.com/!name@v1.0.0": {"go.mod": "module example.com/Name\n\ngo 1.21\n\nrequire example.com/gate v1.2.0\n", "name.go": "package name\n\nimport \"example.com/gate\"\n\nfunc Run(c chan int) { gate.Open(c) }\n"},
		"example.com/gate@v1.2.0":  {"go.mod": "module example.com/gate\n", "gate.go": "package gate\n\nfunc Open(c chan int) {}\n"},
		"example.com/fork@v1.0.0":  {"go.mod": "module example.com/gate\n", "gate.go": bug},
		"example.com/bare@v1.0.0":  {"bare.go": "package bare\n\nfunc Make() chan int { return make(chan int) }\n"},
	})
	main := map[string]string{
		"m/go.mod":       "module m\n\ngo 1.21\n\nrequire (\n\texample.com/Name v1.0.0\n\texample.com/bare v1.0.0\n\tlocal v0.0.0\n)\n\nreplace example.com/gate => example.com/fork v1.0.0\n\nreplace local => ../local\n",
		"m/m_test.go":    "package m\n\nimport (\n\t\"testing\"\n\n\tname \"example.com/Name\"\n\t\"example.com/bare\"\n\t\"local\"\n)\n\nfunc TestM(t *testing.T) { local.Call(func() { name.Run(bare.Make()) }) }\n",
		"local/go.mod":   "module local\n\ngo 1.21\n",
		"local/local.go": "package local\n\nfunc Call(f func()) { f() }\n",
	}
	for _, mode := range []string{"module", "workspace", "vendor"} {
		dir := t.TempDir()
		write(t, dir, main)
		cmd := exec.Command("go", "mod", "tidy")
		cmd.Dir = filepath.Join(dir, "m")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		place := "example.com/fork@v1.0.0/gate.go:4"
		switch mode {
		case "vendor":
			place = "vendor/example.com/gate/gate.go:4"
			cmd := exec.Command("go", "mod", "vendor")
			cmd.Dir = filepath.Join(dir, "m")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		case "workspace":
			write(t, dir, map[string]string{"go.work": "go 1.21\n\nuse (\n\t./m\n\t./other\n)\n", "other/go.mod": "module other\n\ngo 1.21\n"})
		}
		r, err := Run(context.Background(), Options{Dir: cmd.Dir, Patterns: []string{"."}})
		if err != nil {
			t.Fatal(err)
		}
		x := r.Tests[0]
		if len(x.Violations) != 1 || x.Violations[0].Kind != "leak" {
			t.Fatalf("%s: %+v", mode, x)
		}
		var text strings.Builder
		x.WriteText(&text, r.Timers, r.Race)
		if line := place + "  go func() { c <- 1 }()"; !strings.Contains(text.String(), line) {
			t.Errorf("%s: no %q in\n%s", mode, line, text.String())
		}
		if now, err := os.ReadFile(filepath.Join(cmd.Dir, "go.mod")); err != nil || strings.Contains(string(now), links) {
			t.Errorf("go.mod is changed: %v\n%s", err, now)
		}
	}
}
