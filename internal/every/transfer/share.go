package transfer

import (
	"encoding/json"

	"orbitmc/mc/exchange"
)

// This file exchanges patterns with processes that prove other sizes, by files in a folder: a pattern a line, in
// JSON. Nothing in a file is trusted: what comes of a pattern is a candidate, as of those that were learnt here.

// Share makes t exchange patterns by files in a folder.
func (t *Lemmas) Share(dir string) { t.files = exchange.New(dir, "patterns") }

// Exchange writes the patterns that were learnt here, and adds those of others. It does nothing if t is not shared.
func (t *Lemmas) Exchange() error {
	if t.files == nil {
		return nil
	}
	var lines []string
	for _, x := range t.fresh {
		text, err := json.Marshal(x)
		if err != nil {
			return err
		}
		lines = append(lines, string(text))
	}
	if err := t.files.Write(lines); err != nil {
		return err
	}
	t.fresh = nil
	files, err := t.files.Look()
	if err != nil {
		return err
	}
	for _, lines := range files {
		for _, line := range lines {
			x := new(Pattern)
			if json.Unmarshal([]byte(line), x) == nil && x.closed() {
				t.add(x)
			}
		}
	}
	return nil
}

// closed reports whether terms are about variables that p has.
func (p *Pattern) closed() bool {
	if p.Others < -1 || p.Others >= len(p.Types) {
		return false
	}
	for _, t := range p.Terms {
		for _, v := range t.Vars {
			if v < 0 || v >= len(p.Types) {
				return false
			}
		}
	}
	return true
}
