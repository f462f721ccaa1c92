package promela_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/prog"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
)

// publicFolder returns the folder of public programs, or skips the test.
func publicFolder(t *testing.T) string {
	dir := os.Getenv("ORBITMC_PROMELA")
	if dir == "" {
		t.Skip("ORBITMC_PROMELA does not name a folder of public programs")
	}
	return dir
}

// sample is what SPIN 6.5.2 counts in examples of its distribution.
var sample = map[string]prog.Counts{
	"peterson":     {States: 55, Transitions: 99},
	"p123":         {States: 132, Transitions: 205},
	"manna_pnueli": {States: 117, Transitions: 283},
	"werkplaats":   {States: 1600, Transitions: 4042, Errors: 5},
	"p319":         {States: 2066, Transitions: 5228, Errors: 8},
	"ex_5":         {States: 137, Transitions: 239},
	"leader0":      {States: 41692, Transitions: 169690},
	"eratosthenes": {States: 47669, Transitions: 177716},
	"p329":         {States: 90840, Transitions: 273265},
	"snoopy":       {States: 91920, Transitions: 305460, Errors: 81},
	"hajek":        {States: 116087, Transitions: 241608, Errors: 220},
	"dtp":          {States: 251409, Transitions: 648467},
	"cambridge":    {States: 1252655, Transitions: 3385545},
	"abp":          {States: 12, Transitions: 15},
}

func TestSample(t *testing.T) {
	dir := publicFolder(t)
	found := 0
	eachProgram(t, dir, func(file string) {
		name := strings.TrimSuffix(filepath.Base(file), ".pml")
		want, ok := sample[name]
		if !ok || !strings.Contains(file, "Examples") || testing.Short() && want.States > 100_000 {
			return
		}
		found++
		p, err := promela.ReadFile(file, promela.Options{NoClaims: true})
		if err != nil {
			t.Error(err)
			return
		}
		got, err := counts(p, 5*time.Minute)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; SPIN counts %v", file, got, err, want)
		}
	})
	if found == 0 {
		t.Skip("none of the examples of SPIN is there")
	}
}

// eachProgram calls f for the programs in a folder.
func eachProgram(t *testing.T, dir string, f func(file string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".pml", ".prom", ".promela"}, filepath.Ext(path)) {
			f(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPublic compares all public programs with SPIN. What SPIN says is kept in the file
// pan.tsv of their folder. Programs that either side does not take, or does not finish,
// are counted by reason.
func TestPublic(t *testing.T) {
	dir := publicFolder(t)
	if testing.Short() || !nightly.On() {
		t.Skip("long: set ORBITMC_LONG=1")
	}
	known := map[string]string{} // by hash and name: counts, or why there are none
	cache := filepath.Join(dir, "pan.tsv")
	if f, err := os.Open(cache); err == nil {
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if key, v, ok := strings.Cut(sc.Text(), "\t"); ok {
				known[key] = v
			}
		}
		f.Close()
	}
	out, err := os.OpenFile(cache, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	equal, reasons := 0, map[string]int{}
	eachProgram(t, dir, func(file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, file)
		key := fmt.Sprintf("%s %x", rel, sha256.Sum256(data))
		truth, ok := known[key]
		if !ok {
			if !promelatest.HasSpin() {
				return
			}
			work := t.TempDir()
			c, err := promelatest.Pan(work, file, 30*time.Second)
			os.RemoveAll(work)
			if truth = fmt.Sprintf("%d %d %d", c.States, c.Transitions, c.Errors); err != nil {
				truth = strings.Join(strings.Fields(err.Error()), " ")
			}
			fmt.Fprintf(out, "%s\t%s\n", key, truth)
		}
		var want prog.Counts
		if n, _ := fmt.Sscanf(truth, "%d %d %d", &want.States, &want.Transitions, &want.Errors); n != 3 {
			t.Logf("%s: not compared: %s", rel, truth)
			reasons["SPIN: "+truth[:min(len(truth), 20)]]++
			return
		}
		p, err := promela.ReadFile(file, promela.Options{NoClaims: true})
		if err != nil {
			t.Logf("%s: refused: %v", rel, err)
			reasons["refused"]++
			return
		}
		got, err := counts(p, time.Minute)
		switch {
		case err != nil:
			t.Logf("%s: not compared: %v", rel, err)
			reasons[err.Error()]++
		case got != want:
			t.Errorf("%s: got %v, SPIN counts %v", rel, got, want)
		default:
			t.Logf("%s: equal: %v", rel, got)
			equal++
		}
	})
	t.Logf("%d equal; not compared: %v", equal, reasons)
}
