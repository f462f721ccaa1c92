package runner

import (
	"path/filepath"
	"regexp"
	"strings"
)

// rumurTool runs Rumur: it writes a checker in C, which is compiled and run. The
// arguments are those of rumur. Without --threads it gets one, as a run has one
// core by default.
var rumurTool = tool{
	find: installed("", "--version", "gcc", "rumur"),
	prepare: func(program string, x *task, dir string) (*recipe, error) {
		file, err := copyModel(x, dir)
		if err != nil {
			return nil, err
		}
		c, checker := filepath.Join(dir, "checker.c"), filepath.Join(dir, "checker")
		args := append([]string{program}, x.config.args...)
		if !strings.Contains(strings.Join(args, " "), "--threads") {
			args = append(args, "--threads", "1")
		}
		return &recipe{
			build: [][]string{
				append(args, "--output", c, file),
				{"gcc", "-std=c11", "-O2", "-w", "-mcx16", "-o", checker, c, "-lpthread", "-latomic"},
			},
			run: []string{checker},
			dir: dir,
		}, nil
	},
	refusal: rumurRefusal,
	read: func(log string, exit int) answer {
		a := readMurphi(log, rumurErrors)
		if a.verdict == "safe" && exit != 0 || a.verdict == "unsafe" && exit != 1 {
			a.verdict = ""
		}
		return a
	},
}

// rumurRefusal matches an error of Rumur about the model, such as "model.m:25.9-13: error:
// union types are not supported". The positions of gcc are others.
var rumurRefusal = regexp.MustCompile(`(?m)^\S*model\.m:([0-9.-]+: error: .*)$`)

var rumurErrors = regexp.MustCompile(`(?m)^\t\d+ error\(s\) found\.$`)
