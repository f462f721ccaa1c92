package report

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bxText is what BenchExec 3.36 writes, but for its environment.
const bxText = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE result
  PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.12//EN'
  'https://www.sosy-lab.org/benchexec/result-3.12.dtd'>
<result benchmarkname="s" date="2026-11-23 06:04:23 UTC" starttime="2026-11-23T06:04:23.445448+00:00" tool="orbitmc" version="devel" toolmodule="toolinfo.orbitmc" generator="BenchExec 3.36" memlimit="2147483648B" timelimit="60s" walltimelimit="100s" cpuCores="1" options="check" block="all" name="check.all" endtime="2026-11-23T06:04:24.681236+00:00">
  <columns>
    <column title="status"/>
  </columns>
  <systeminfo hostname="vm">
    <os name="Linux-6.18"/>
    <cpu model="AMD EPYC" cores="2" frequency="2596146000Hz"/>
    <ram size="25276510208B"/>
  </systeminfo>
  <run name="../tasks/german.NODE_NUM=3,DATA_NUM=1.yml" files="[../../german.m]" properties="safety" propertyFile="../safety.prp" expectedVerdict="true">
    <column title="cputime" value="0.120385382s"/>
    <column title="memory" value="11534336B"/>
    <column title="states" value="1234"/>
    <column title="status" value="true"/>
    <column title="walltime" value="0.4758534619985196s"/>
    <column title="cpuCores" value="0" hidden="true"/>
    <column title="returnvalue" value="0" hidden="true"/>
  </run>
  <run name="../tasks/german_bug-2.yml" expectedVerdict="true">
    <column title="cputime" value="2s"/>
    <column title="status" value="false(unreach-call)"/>
    <column title="returnvalue" value="10" hidden="true"/>
  </run>
  <run name="a.yml"><column title="status" value="TIMEOUT"/><column title="terminationreason" value="cputime" hidden="true"/></run>
  <run name="b.yml"><column title="status" value="TIMEOUT (true)"/><column title="terminationreason" value="walltime" hidden="true"/></run>
  <run name="c.yml"><column title="status" value="OUT OF MEMORY"/><column title="terminationreason" value="memory" hidden="true"/></run>
  <run name="d.yml"><column title="status" value="ERROR (1)"/></run>
  <run name="e.yml"><column title="status" value="unknown"/></run>
</result>
`

// TestBenchExecResults reads results of BenchExec: in a folder, compressed, and of a set of tasks that
// is part of a file.
func TestBenchExecResults(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.2026-11-23_06-04-23.results.check.all.xml"), bxText)
	write(t, filepath.Join(dir, "s.2026-11-23_06-04-23.results.pdr.all.xml"), strings.ReplaceAll(bxText, `name="check.all"`, `name="pdr.all"`))
	rec, notes, err := Load(dir)
	if err != nil || len(notes) != 0 || len(rec.Runs) != 14 {
		t.Fatal(rec, notes, err)
	}
	var got []string
	for _, r := range rec.Runs {
		if r.Config == "check" {
			got = append(got, fmt.Sprint(r.Model, " ", r.Family, " [", r.Params, "] ", r.N, " ", r.Status, " ", r.Verdict, " ", r.Expected, " ", classNames[classOf(&r)], " ", r.CPU, " ", r.Wall, " ", r.Memory, " ", r.Exit, " ", r.Stats, " ", r.Note))
		}
	}
	want := []string{
		"a a [] 0 timeout unknown  timeout 0 0 0 -1 map[] TIMEOUT",
		"b b [] 0 walltime unknown  walltime 0 0 0 -1 map[] TIMEOUT (true)",
		"c c [] 0 memout unknown  memout 0 0 0 -1 map[] OUT OF MEMORY",
		"d d [] 0 failed unknown  failed 0 0 0 -1 map[] ERROR (1)",
		"e e [] 0 ok unknown  unknown 0 0 0 -1 map[] ",
		"german german [DATA_NUM=1 NODE_NUM=3] 3 ok safe safe solved 0.120385382 0.4758534619985196 11534336 0 map[states:1234] ",
		"german_bug-2 german_bug [] 0 ok unsafe safe wrong 2 0 0 10 map[] ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := conditions(rec); c != "Measured on vm, AMD EPYC, 2 cores, 23.5 GiB; commit unknown; CPU limit 60 s; wall limit 100 s; memory limit 2 GiB; 1 at a time; orbitmc devel" {
		t.Error(c)
	}
	// The same runs once more, as a part.
	write(t, filepath.Join(dir, "s.2026-11-23_06-04-23.results.pdr.all.part.xml"), bxText)
	if again, _, err := Load(dir); err != nil || len(again.Runs) != 14 {
		t.Errorf("a part counts: %v %v", again, err)
	}
	file := filepath.Join(dir, "one.xml")
	write(t, file, bxText)
	if bzip2, err := exec.LookPath("bzip2"); err == nil {
		if err := exec.Command(bzip2, file).Run(); err != nil {
			t.Fatal(err)
		}
		file += ".bz2"
	}
	if one, _, err := Load(file); err != nil || len(one.Runs) != 7 {
		t.Errorf("%s: %v %v", file, one, err)
	}
	for text, want := range map[string]string{
		"<benchmark/>": "no result of BenchExec: expected element type <result>", bxText[:1500]: "bad.xml:28:",
		strings.Replace(bxText, `"2s"`, `"2ms"`, 1): `"2ms" is no number with the unit s`,
	} {
		write(t, filepath.Join(dir, "bad.xml"), text)
		if _, _, err := Load(filepath.Join(dir, "bad.xml")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
}
