package gotest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The go command lays nothing over files of its module cache. So modules that are there are taken from a link to the
// cache, by replacements in a copy of go.mod, or of go.work; and so is a toolchain.

// links begins the name of the link, in the cache of builds: what is built from it stays there, too. A number for the
// cache of modules follows.
const links = "orbitmc-modules-"

// moved returns where a folder is by the link, if it is in the cache.
func (p *program) moved(dir string) string {
	if rest, ok := strings.CutPrefix(dir, p.cache+string(filepath.Separator)); ok {
		return filepath.Join(p.link, rest)
	}
	return dir
}

// linked makes the link.
func (p *program) linked() error {
	if at, err := os.Readlink(p.link); err == nil && at != p.cache {
		os.Remove(p.link)
	}
	if err := os.Symlink(p.cache, p.link); err != nil && !os.IsExist(err) {
		return err
	}
	return nil
}

// lay decides what listing has to find in other places, or with another text.
func (p *program) lay(ctx context.Context, folder, work string, patterns []string) error {
	out, err := p.run(ctx, append([]string{"list", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}", "--"}, patterns...)...)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "\t")
		if f[0] == explore {
			p.overlay[filepath.Join(p.moved(f[1]), "explore.go")] = filepath.Join(folder, "explore.go")
			if err := os.WriteFile(filepath.Join(folder, "explore.go"), []byte(stubText), 0o666); err != nil {
				return err
			}
		}
		if len(f) < 4 {
			continue
		}
		if dir := p.moved(f[3]); dir != f[3] && replace[f[2]] == "" {
			replace[f[2]] = dir
			if _, err := os.Stat(filepath.Join(f[3], "go.mod")); err != nil { // a replacement has to have one
				path, _, _ := strings.Cut(f[2], "@")
				text := filepath.Join(folder, strings.ReplaceAll(path, "/", "_")+".mod")
				p.overlay[filepath.Join(dir, "go.mod")] = text
				if err := os.WriteFile(text, []byte("module "+path+"\n"), 0o666); err != nil {
					return err
				}
			}
		}
	}
	if len(replace) > 0 {
		if err := p.linked(); err != nil {
			return err
		}
		if err := p.redirect(ctx, folder, work, replace); err != nil {
			return err
		}
	}
	if len(p.overlay) == 0 {
		return nil
	}
	p.over = filepath.Join(folder, "list.json")
	text, err := json.Marshal(map[string]any{"Replace": p.overlay})
	return cmp.Or(err, os.WriteFile(p.over, text, 0o666))
}

// redirect makes a copy of go.mod, or of go.work, with replacements.
func (p *program) redirect(ctx context.Context, folder, work string, replace map[string]string) error {
	from, kind := work, "work"
	if work == "" || work == "off" {
		out, err := p.run(ctx, "list", "-m", "-f", "{{.GoMod}}\t{{.GoVersion}}")
		if err != nil {
			return err
		}
		from, p.version, _ = strings.Cut(strings.TrimSpace(string(out)), "\t")
		kind = "mod"
	}
	to := filepath.Join(folder, "go."+kind)
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		return err
	}
	sum, added := strings.TrimSuffix(from, ".mod")+".sum", strings.TrimSuffix(to, ".mod")+".sum"
	if text, err := os.ReadFile(sum); err == nil {
		if err := os.WriteFile(added, text, 0o666); err != nil {
			return err
		}
	}
	edits := []string{kind, "edit"}
	if kind == "mod" {
		p.flags = append(p.flags, "-modfile="+to)
	} else {
		p.env = append(p.env, "GOWORK="+to)
		out, err := p.run(ctx, "work", "edit", "-json", to)
		if err != nil {
			return err
		}
		var w struct {
			Go      string
			Use     []struct{ DiskPath string }
			Replace []struct {
				Old, New struct{ Path, Version string }
			}
		}
		if err := json.Unmarshal(out, &w); err != nil {
			return err
		}
		p.version = w.Go
		absolute := func(path string) (string, bool) {
			return filepath.Join(filepath.Dir(from), path), !filepath.IsAbs(path)
		}
		for _, u := range w.Use {
			if path, ok := absolute(u.DiskPath); ok {
				edits = append(edits, "-dropuse="+u.DiskPath, "-use="+path)
			}
		}
		for _, r := range w.Replace {
			if path, ok := absolute(r.New.Path); ok && r.New.Version == "" {
				replace[strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@")] = path
			}
		}
	}
	var b strings.Builder // go work edit -replace takes no folder with @ in its name
	for _, old := range slices.Sorted(maps.Keys(replace)) {
		edits = append(edits, "-dropreplace="+old)
		fmt.Fprintf(&b, "replace %s => %q\n", strings.Replace(old, "@", " ", 1), replace[old])
	}
	if _, err := p.run(ctx, append(edits, to)...); err != nil {
		return err
	}
	text, err = os.ReadFile(to)
	return cmp.Or(err, os.WriteFile(to, append(append(text, '\n'), b.String()...), 0o666))
}
