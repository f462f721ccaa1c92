package task

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestExamine: one clock may drive registers and memories, but only by one edge. Ports that have no clock do not count.
func TestExamine(t *testing.T) {
	design := func(cells string) string {
		return fmt.Sprintf(`{"creator": "yosys", "modules": {"top": {
  "cells": {%s},
  "netnames": {"clk": {"bits": [2]}, "sub.clk": {"bits": [2]}, "other": {"bits": [3]}}}}}`, cells)
	}
	register := func(name string, clock int, polarity string) string {
		return fmt.Sprintf(`"%s": {"type": "$dff", "parameters": {"CLK_POLARITY": "%s"}, "connections": {"CLK": [%d], "D": [5], "Q": [6]}}`, name, polarity, clock)
	}
	memory := func(clocks, enabled, polarity string) string {
		return fmt.Sprintf(`"m": {"type": "$mem_v2", "parameters": {"WR_CLK_ENABLE": "%s", "WR_CLK_POLARITY": "%s", "RD_CLK_ENABLE": "0", "RD_CLK_POLARITY": "1"},
"connections": {"WR_CLK": [%s], "RD_CLK": ["x"], "RD_DATA": [9]}}`, enabled, polarity, clocks)
	}
	one := "00000000000000000000000000000001"
	none := "00000000000000000000000000000000"
	for _, c := range []struct {
		cells []string
		kinds map[string]string
		err   string
	}{
		{nil, nil, ""},
		{[]string{register("a", 2, one), register("b", 2, one)}, nil, ""},
		{[]string{register("a", 2, one), `"c": {"type": "$cover", "connections": {"A": [5], "EN": [6]}}`, `"$d": {"type": "$live", "attributes": {"src": "a b"}}`}, map[string]string{"c": "$cover", "a_b": "$live"}, ""},
		{[]string{register("a", 2, one), register("b", 3, one)}, nil, "posedge clk, posedge other"},
		{[]string{register("a", 2, one), register("b", 2, none)}, nil, "negedge clk, posedge clk"},
		{[]string{register("a", 2, one), memory("2", "1", "1")}, nil, ""},
		{[]string{register("a", 2, one), memory("3", "1", "1")}, nil, "posedge clk, posedge other"},
		{[]string{register("a", 2, one), memory("2, 3", "11", "11")}, nil, "posedge clk, posedge other"},
		{[]string{register("a", 2, one), memory("2, 3", "01", "11")}, nil, ""}, // the lowest bit is the first port
		{[]string{register("a", 2, one), memory("2, 2", "11", "01")}, nil, "negedge clk, posedge clk"},
		{[]string{`"$l": {"type": "$fair", "attributes": {"src": "a"}}`, `"$m": {"type": "$live", "attributes": {"src": "a"}}`}, nil, "one place: a; a label"},
	} {
		kinds, err := examine([]byte(design(strings.Join(c.cells, ", "))))
		if !maps.Equal(kinds, c.kinds) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v, %v", c.cells, kinds, err)
		}
	}
	if _, err := examine([]byte("{")); err == nil {
		t.Error("this is no design")
	}
}
