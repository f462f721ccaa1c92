package gotest

import (
	"os"
	"os/exec"
	"testing"
)

// TestToolchains explores tests with older toolchains, which are among the modules of the cache. It skips those that are
// not there. With ORBITMC_LONG they are downloaded, and more tests are explored; ORBITMC_GOKER is as in TestGoKer.
func TestToolchains(t *testing.T) {
	long := os.Getenv("ORBITMC_LONG") != ""
	for _, version := range []string{"go1.24.11", "go1.25.5"} {
		t.Run(version, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", version)
			cmd := exec.Command("go", "version")
			cmd.Dir = t.TempDir()
			if !long {
				cmd.Env = append(os.Environ(), "GOPROXY=off")
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("%v\n%s", err, out)
			}
			t.Run("kernels", TestKernels)
			if long {
				t.Run("cases", TestCases)
				t.Run("doubles", TestClaimDoubles)
			}
			if checkout := os.Getenv("ORBITMC_GOKER"); checkout != "" {
				goker(t, checkout, "cockroach/16167", "etcd/5509", "moby/27782")
			}
		})
	}
}
