package runner

import (
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Commit returns the commit that this program was built from, with "+" when
// files differed from it. A program that was built without that knowledge gets
// the commit of the working tree around the suite; without one it is "".
func Commit(suite string) string {
	revision, modified := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	if revision == "" {
		dir := filepath.Dir(suite)
		out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
		if err != nil {
			return ""
		}
		revision = strings.TrimSpace(string(out))
		// Files that git does not know, such as a record, are no change.
		changes, err := exec.Command("git", "-C", dir, "status", "--porcelain", "--untracked-files=no").Output()
		modified = err != nil || len(changes) > 0
	}
	if modified {
		revision += "+"
	}
	return revision
}
