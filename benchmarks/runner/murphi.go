package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// cmurphiTool runs CMurphi, whose folder, with src/mu and include, is the value
// of ORBITMC_CMURPHI. It writes a checker in C++, which is compiled and run. The
// arguments are those of the checker, such as -m1000 for memory in megabytes;
// -tv, for a trace, is always given.
//
// The code it writes is older than the standards of today, and breaks under
// optimisations that rely on them; hence the options of the compiler.
var cmurphiTool = tool{
	find: func(o *Options) (string, string, error) {
		mu, _, err := findCMurphi()
		if err != nil {
			return "", "", err
		}
		return installed("CMurphi (see the logs)", "", "g++", mu)(o)
	},
	prepare: func(mu string, x *task, dir string) (*recipe, error) {
		file, err := copyModel(x, dir)
		if err != nil {
			return nil, err
		}
		_, include, err := findCMurphi()
		if err != nil {
			return nil, err
		}
		checker := filepath.Join(dir, "checker")
		return &recipe{
			build: [][]string{
				{mu, file},
				{"g++", "-std=gnu++98", "-O2", "-w", "-fpermissive", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks",
					"-fno-lifetime-dse", "-I" + include, "-o", checker, filepath.Join(dir, "model.cpp")},
			},
			run: slices.Concat([]string{checker, "-tv"}, x.config.args),
			dir: dir,
		}, nil
	},
	read: func(log string, _ int) answer { return readMurphi(log, cmurphiErrors) },
}

// cmurphiErrors matches the result of a search that ended with an error of the
// model. A search that was stopped says something else.
var cmurphiErrors = regexp.MustCompile(`(?m)^Result:\n\n\t(Invariant ".*" failed\.|Deadlocked state found\.|Assertion failed: .*|.*undefined value.*)$`)

// findCMurphi returns its compiler of models and the folder of its headers. On
// the search path it may be a link into its folder.
func findCMurphi() (mu, include string, err error) {
	if root := os.Getenv("ORBITMC_CMURPHI"); root != "" {
		mu, include = filepath.Join(root, "src", "mu"), filepath.Join(root, "include")
	} else {
		if mu, err = lookup("mu"); err != nil {
			return "", "", err
		}
		if mu, err = filepath.EvalSymlinks(mu); err != nil {
			return "", "", err
		}
		include = filepath.Join(filepath.Dir(mu), "..", "include")
	}
	if _, err = os.Stat(mu); err == nil {
		_, err = os.Stat(filepath.Join(include, "mu_prolog.hpp"))
	}
	return mu, include, err
}

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
