package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"orbitmc/internal/lists"

	"github.com/urfave/cli/v2"
)

// This file writes files. A file is written as a whole, or it stays as it was before.

// checkedWriter remembers the first error of a writer, for those who do not look at it
// at each line.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// target is a file to be written: where it is, all symbolic links followed.
type target struct {
	path    string
	special bool        // a device, a pipe or an open file of the process: written as it is
	mode    fs.FileMode // permissions of the file that is there, 0 if there is none
}

func targetOf(name string) (target, error) {
	t := target{path: name}
	if abs, err := filepath.Abs(name); err == nil && (strings.HasPrefix(abs, "/dev/") || strings.HasPrefix(abs, "/proc/")) {
		t.special = true
	}
	st, err := os.Stat(name)
	switch {
	case os.IsNotExist(err):
		return t, nil
	case err != nil:
		return t, err
	case st.IsDir():
		return t, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	t.mode, t.special = st.Mode().Perm(), t.special || !st.Mode().IsRegular()
	if !t.special {
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // may it be written?
		if err != nil {
			return t, err
		}
		f.Close()
		if t.path, err = filepath.EvalSymlinks(name); err != nil {
			return t, err
		}
	}
	return t, nil
}

// beside creates a file in the directory of the target, which is to replace it.
func (t target) beside() (*os.File, error) {
	for i := 0; ; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.new%d", t.path, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case os.IsExist(err) && i < 1000:
			continue
		case err == nil && t.mode != 0:
			err = f.Chmod(t.mode)
		}
		return f, err
	}
}

// writable reports an error if a file cannot be written, before the work for its
// contents is done.
func writable(name string) error {
	t, err := targetOf(name)
	if err != nil || t.special {
		return err
	}
	f, err := t.beside()
	if f != nil {
		f.Close()
		os.Remove(f.Name())
	}
	return named(name, err)
}

// writeFile writes a file and reports the first error; then there is what was there
// before. A device or a pipe gets what was written until then.
func writeFile(name string, write func(*bufio.Writer) error) error {
	t, err := targetOf(name)
	if err != nil {
		return err
	}
	var f *os.File
	if t.special {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	} else {
		f, err = t.beside()
	}
	if err == nil {
		b := bufio.NewWriter(f)
		if err = write(b); err == nil {
			err = b.Flush()
		}
	}
	if f != nil {
		if closed := f.Close(); err == nil {
			err = closed
		}
		if !t.special && err == nil {
			err = os.Rename(f.Name(), t.path)
		}
		if !t.special && err != nil {
			os.Remove(f.Name())
		}
	}
	return named(name, err)
}

// writeOption writes the file that an option names, if it is given.
func writeOption(c *cli.Context, name string, write func(*bufio.Writer) error) error {
	if file := c.String(name); file != "" {
		return writeFile(file, write)
	}
	return nil
}

// writeOut writes what a command prints to the file of -o, if it is given.
func writeOut(c *cli.Context, write func(io.Writer) error) error {
	if c.String("o") == "" {
		return write(c.App.Writer)
	}
	return writeOption(c, "o", func(b *bufio.Writer) error { return write(b) })
}

// contents writes a text.
func contents(text []byte) func(*bufio.Writer) error {
	return func(b *bufio.Writer) error { _, err := b.Write(text); return err }
}

// named says of an error of the operating system which file it is about, by the name
// that was given.
func named(name string, err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return &fs.PathError{Op: e.Op, Path: name, Err: e.Err}
	case *os.LinkError:
		return &fs.PathError{Op: "rename", Path: name, Err: e.Err}
	}
	return err
}

// written lists the options whose values are files that are written.
var written = []string{"cert", "cnf", "coverage", "dot", "html", "o", "trace", "write"}

// leftover notes which files that a command may write are there before it. The result reports on w those that are
// still the same: so nobody takes what an earlier run wrote for what this one found.
func leftover(c *cli.Context, w io.Writer) (report func()) {
	names := lists.Map(written, c.String)
	if c.Command.Name == "hwmcc" {
		names = append(names, c.Args().Tail()...)
	}
	before := make(map[string]fs.FileInfo)
	for _, name := range names {
		if t, err := targetOf(name); name != "" && err == nil && !t.special {
			before[name], _ = os.Stat(name)
		}
	}
	return func() {
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if now, err := os.Stat(name); err == nil && os.SameFile(before[name], now) {
				fmt.Fprintf(w, "%s is left from before: this run has not written it\n", name)
			}
		}
	}
}
