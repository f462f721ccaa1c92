package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// publicModels is where public models are, if they are there.
const publicModels = "../../../shared/models"

// truthTable returns the rows of a table of outcomes by column.
func truthTable(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(publicModels, name))
	if err != nil {
		t.Skip("the public models are not there")
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		row := make(map[string]string)
		for i, f := range fields {
			row[all[0][i]] = f
		}
		rows = append(rows, row)
	}
	return rows
}

// publicTruth returns the rows of the table of public netlists by the hash of
// the file, and the files.
func publicTruth(t *testing.T) (rows map[string]map[string]string, files []string) {
	t.Helper()
	rows = make(map[string]map[string]string)
	for _, row := range truthTable(t, "aiger_truth.tsv") {
		rows[row["sha256"]] = row
	}
	for _, suffix := range []string{"aig", "aag"} {
		some, err := filepath.Glob(filepath.Join(publicModels, "aiger", "*", "*."+suffix))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	return rows, files
}

// TestPublicNetlists runs bmc on the small public netlists, with and without
// symmetry: the depths of those that are unsafe are as the table says, those that
// are safe are never violated, the others have one answer, and every witness is
// accepted by replay, and by aigsim if AIGSIM names it.
func TestPublicNetlists(t *testing.T) {
	rows, files := publicTruth(t)
	compared, witnesses := 0, 0
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		row := rows[hex.EncodeToString(sum[:])]
		if row == nil || info.Size() > 9000 {
			continue
		}
		k := "3" // deeper takes minutes without a known answer
		if row["verdict"] != "unknown" {
			k = "12"
		}
		depths := make(map[string]string)
		for _, sym := range []string{"auto", "off"} {
			witness := filepath.Join(t.TempDir(), "w")
			var stdout, stderr bytes.Buffer
			code := newProgram().run(context.Background(), []string{"orbitmc", "bmc", file, "-k", k, "--all", "--sym", sym, "--json", "--trace", witness}, &stdout, &stderr)
			if code == exitUsage {
				continue // refused: tested with the reader
			}
			var r struct {
				Properties []struct {
					Verdict string
					Depth   *int
				}
			}
			if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v\n%s%s", file, err, stdout.String(), stderr.String())
			}
			least := -1
			for _, p := range r.Properties {
				if p.Depth != nil && (least < 0 || *p.Depth < least) {
					least = *p.Depth
				}
				depths[sym] += fmt.Sprint(p.Verdict, " ")
				if p.Depth != nil {
					depths[sym] += fmt.Sprint(*p.Depth, " ")
				}
			}
			switch want, err := strconv.Atoi(row["cex_depth"]); {
			case row["verdict"] == "safe" && least >= 0:
				t.Errorf("%s, --sym %s: violated after %d steps, and safe", file, sym, least)
			case row["verdict"] == "unsafe" && err == nil:
				compared++
				if least != want {
					t.Errorf("%s, --sym %s: violated after %d steps, want %d", file, sym, least, want)
				}
			}
			if least < 0 {
				continue
			}
			witnesses++
			if code := newProgram().run(context.Background(), []string{"orbitmc", "replay", file, witness}, &stdout, &stderr); code != exitHolds {
				t.Errorf("%s, --sym %s: replay exits with %d\n%s", file, sym, code, stderr.String())
			}
			if aigsim := os.Getenv("AIGSIM"); aigsim != "" {
				if out, err := exec.Command(aigsim, "-c", file, witness).CombinedOutput(); err != nil {
					t.Errorf("%s, --sym %s: aigsim: %v\n%s", file, sym, err, out)
				}
			}
		}
		if depths["auto"] != depths["off"] {
			t.Errorf("%s: %s with symmetry, %s without", file, depths["auto"], depths["off"])
		}
	}
	if compared < 8 || witnesses < 10 {
		t.Errorf("only %d answers were compared, and %d witnesses", compared, witnesses)
	}
}

// TestPublicProofs runs pdr on the public models of German's protocol and FLASH: verdicts
// are those of the table, and where explicit search had no time for one it has a proof.
// With ORBITMC_LONG all of them, and these for 8 and 16 nodes too, in a table (-v -timeout 2h).
func TestPublicProofs(t *testing.T) {
	long := nightly.On()
	decided, proved := 0, 0
	run := func(file string, args ...string) string {
		before := task.CPUSeconds()
		code, out, errs := orbitmc(append([]string{"pdr", file, "--timeout", "3m", "--json"}, args...)...)
		var r struct {
			Verdict string
			Stats   map[string]float64
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			if strings.Contains(errs, "no symbolic encoding") || strings.Contains(errs, "not supported") || strings.Contains(errs, "huge") {
				return ""
			}
			t.Fatalf("%s %q: status %d: %v\n%s", file, args, code, err, errs)
		}
		t.Logf("%-32s %-12s %-8s %8.2f s, %v of %v lemmas carried", filepath.Base(file), strings.Join(args, " "), r.Verdict, task.CPUSeconds()-before, r.Stats["carried"], r.Stats["candidates"])
		return r.Verdict
	}
	for _, row := range truthTable(t, "murphi_truth.tsv") {
		name := strings.ToLower(row["name"])
		files, err := filepath.Glob(filepath.Join(publicModels, "murphi", "*", row["name"]+".m"))
		if err != nil || len(files) != 1 || row["split"] != "visible" || !strings.Contains(name, "german") && !strings.Contains(name, "flash") {
			continue
		}
		verdict := row["expected_verdict"]
		timeout := strings.HasPrefix(verdict, "UNKNOWN (timeout)")
		if !long && !timeout && row["N/params"] != "NODE_NUM=2" {
			continue
		}
		switch got := run(files[0]); {
		case verdict == "PASS" && got == "unsafe", strings.HasPrefix(verdict, "FAIL") && got == "safe", timeout && got != "safe":
			t.Errorf("%s: %s, the table says %s", files[0], got, verdict)
		case got == "safe" || got == "unsafe":
			decided++
		}
		for _, n := range []string{"8", "16"} {
			if !timeout || !long {
				break
			}
			if got := run(files[0], "-D", "NODE_NUM="+n); got != "safe" {
				t.Errorf("%s with %s nodes: %s", files[0], n, got)
			}
		}
		if timeout {
			proved++
		}
	}
	if decided < 2 || proved < 2 {
		t.Errorf("only %d decided, %d of them that had been open", decided, proved)
	}
}
