package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// publicTruth returns the rows of the table of public netlists by the hash of
// the file, and the files.
func publicTruth(t *testing.T) (rows map[string]map[string]string, files []string) {
	t.Helper()
	const models = "../../../shared/models"
	data, err := os.ReadFile(filepath.Join(models, "aiger_truth.tsv"))
	if err != nil {
		t.Skip("the public netlists are not there")
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = make(map[string]map[string]string)
	for _, fields := range all[1:] {
		row := make(map[string]string)
		for i, f := range fields {
			row[all[0][i]] = f
		}
		rows[row["sha256"]] = row
	}
	for _, suffix := range []string{"aig", "aag"} {
		some, err := filepath.Glob(filepath.Join(models, "aiger", "*", "*."+suffix))
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
			code := run(context.Background(), []string{"orbitmc", "bmc", file, "-k", k, "--all", "--sym", sym, "--json", "--trace", witness}, &stdout, &stderr)
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
			if code := run(context.Background(), []string{"orbitmc", "replay", file, witness}, &stdout, &stderr); code != exitHolds {
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
