package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
