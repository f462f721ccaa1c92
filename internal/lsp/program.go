package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// This file runs orbitmc itself: what takes time is done by a process of its own, which reads
// the text as it stands in the editor from its standard input, and can be ended at any time.

// symmetryTime is how long symmetry is looked for.
const symmetryTime = "20s"

// command returns what runs a command on the text of a document; s.mu is held.
func (s *Server) command(file, text string) func(ctx context.Context, args ...string) (code int, stdout, stderr string, err error) {
	options := []string{"-"}
	for _, d := range s.settings.Defines {
		options = append(options, "-D", d)
	}
	if s.settings.Dialect != "" && !isProgram(file, "") {
		options = append(options, "--dialect", s.settings.Dialect)
	}
	return func(ctx context.Context, args ...string) (int, string, string, error) {
		return run(exec.CommandContext(ctx, s.Program, append(args, options...)...), file, text)
	}
}

// run runs a command on the text of a file, and returns its exit status and what it prints.
func run(cmd *exec.Cmd, file, text string) (code int, stdout, stderr string, err error) {
	cmd.Stdin = strings.NewReader(text)
	if dir := filepath.Dir(file); isFolder(dir) { // for included files
		cmd.Dir = dir
	}
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err = cmd.Run()
	name := func(b *bytes.Buffer) string { // standard input is this file
		text := b.String()
		if strings.HasPrefix(text, "-") {
			text = filepath.Base(file) + text[1:]
		}
		return strings.ReplaceAll(strings.ReplaceAll(text, " -:", " "+filepath.Base(file)+":"), "\n-:", "\n"+filepath.Base(file)+":")
	}
	var status *exec.ExitError
	if errors.As(err, &status) && status.Exited() {
		return status.ExitCode(), name(&out), name(&msg), nil
	}
	return 0, name(&out), name(&msg), err
}

func isFolder(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir()
}

// finding is the symmetry of a text, once done is closed.
type finding struct {
	done   chan struct{}
	detect struct {
		Parts []struct {
			Source string     `json:"source"`
			Of     string     `json:"of"`
			Group  string     `json:"group"`
			Values [][]string `json:"values"`
		} `json:"parts"`
		Refutations []struct {
			Perm string `json:"permutation"`
			Rule string `json:"rule"`
			Line int    `json:"line"`
			Text string `json:"text"`
		} `json:"refutations"`
		Limits []string `json:"limits"`
	}
	failed bool
}

// find begins to look for symmetry; s.mu is held.
func (s *Server) find(d *document) *finding {
	f := &finding{done: make(chan struct{})}
	run := s.command(d.file, d.text)
	s.conn.beside(func() {
		defer close(f.done)
		_, stdout, _, err := run(s.ctx, "detect", "--json", "--progress", "never", "--timeout", symmetryTime)
		f.failed = err != nil || json.Unmarshal([]byte(stdout), &f.detect) != nil
	})
	return f
}

// of says whether the values of a type are interchangeable, and which line is against it.
func (f *finding) of(class string) string {
	if f.failed {
		return "symmetry: unknown"
	}
	for _, p := range f.detect.Parts {
		if p.Of != class {
			continue
		}
		if p.Group != "none" {
			return fmt.Sprintf("symmetry of %s: %s, verified", class, p.Group)
		}
		break
	}
	for _, r := range f.detect.Refutations {
		if strings.Contains(r.Perm, class+"_") || f.names(class, r.Perm) {
			first, _, _ := strings.Cut(r.Text, "\n")
			at := ""
			if r.Rule != "" {
				at = fmt.Sprintf("rule %q, ", r.Rule)
			}
			return fmt.Sprintf("%s is not symmetric: %sline %d: %s", class, at, r.Line, first)
		}
	}
	for _, l := range f.detect.Limits {
		if strings.Contains(l, class) {
			return l
		}
	}
	return ""
}

// names reports whether a permutation moves a value of a type.
func (f *finding) names(class, perm string) bool {
	for _, p := range f.detect.Parts {
		if p.Of != class {
			continue
		}
		words := strings.Fields(perm)
		moved := func(v string) bool { return slices.Contains(words, v) }
		if slices.ContainsFunc(p.Values, func(block []string) bool { return slices.ContainsFunc(block, moved) }) {
			return true
		}
	}
	return false
}
