// Package exchange passes lines of text among processes, by files in a folder that all of them see. A
// file has a header, lines and an end, and gets its name when it is complete. What a file says
// is not trusted: whoever takes a line checks it.
package exchange

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lookTime is the least time between two looks into the folder.
const lookTime = time.Second

// Folder is one process's side of the exchange of one kind of lines. Processes may exchange lines of several kinds in the same
// folder. Folder is not safe for concurrent use.
type Folder struct {
	dir, kind string
	own       string // begins the names of its files
	files     int    // written
	seen      map[string]bool
	looked    time.Time
}

// New returns a side of the exchange of one kind: a word, the first one of the header and the end of file names.
func New(dir, kind string) *Folder {
	return &Folder{dir: dir, kind: kind, own: rand.Text(), seen: make(map[string]bool)}
}

func (f *Folder) header() string { return "orbitmc-" + f.kind + " 1" }

// Write writes lines into a file of its own. Lines have no line breaks.
func (f *Folder) Write(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	text := f.header() + "\n" + strings.Join(lines, "\n") + "\nend\n"
	name := filepath.Join(f.dir, fmt.Sprintf("%s-%06d", f.own, f.files))
	f.files++
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(name, name+"."+f.kind)
}

// Look returns the lines of each file of others that is new, in the order of names. It returns none within
// a second of the last look. What is no such file is left out.
func (f *Folder) Look() (fresh [][]string, err error) {
	if time.Since(f.looked) < lookTime {
		return nil, nil
	}
	f.looked = time.Now()
	names, err := filepath.Glob(filepath.Join(f.dir, "*."+f.kind))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if f.seen[name] || strings.HasPrefix(filepath.Base(name), f.own) {
			continue
		}
		f.seen[name] = true
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(text), "\n")
		if n := len(lines); n > 3 && lines[0] == f.header() && lines[n-2] == "end" && lines[n-1] == "" {
			fresh = append(fresh, lines[1:n-2])
		}
	}
	return fresh, nil
}
