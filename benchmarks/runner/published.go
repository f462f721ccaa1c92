package runner

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"orbitmc/benchmarks"
)

// This file reads the published tables of a suite:
//
//	published:
//	  - title: what the table is, and of whom
//	    note: what a reader should know               # none by default
//	    model: ../promela/philosophers.pml            # as under models
//	    rows: [N=2, N=3]                              # parameters of runs; by default one row without parameters
//	    columns:
//	      - {config: tree, stat: transitions, kind: exact, values: [18, 1680]}
//	      - {config: symmetric, over: tree, stat: transitions, kind: ratio, values: [9, "?"]}
//
// A value is published as it is written; "" is none. "add: -1" is added to what the run counted. In a ratio the values of both columns are
// divided, published and measured. Each row must be a run of each configuration.

var kinds = []benchmarks.Kind{benchmarks.Exact, benchmarks.Ratio, benchmarks.Reconstructed}

// readTables reads what is under published; n is nil if there is nothing.
func (s *Suite) readTables(r *reader, n *yaml.Node) error {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return r.errorf(n, "published: want a list")
	}
	runs := make(map[string]bool)
	for _, x := range s.plan {
		runs[strings.Join([]string{x.model, paramText(x.params), x.config.name}, "|")] = true
	}
	for _, c := range n.Content {
		var t benchmarks.Table
		var columns *yaml.Node
		err := r.mapping(c, "table", fields{
			"title": &t.Title, "note": &t.Note, "model": &t.Model, "rows": &t.Rows, "columns": &columns,
		})
		for i, row := range t.Rows {
			words := strings.Fields(row)
			slices.Sort(words)
			t.Rows[i] = strings.Join(words, " ")
		}
		switch {
		case err != nil:
			return err
		case t.Title == "" || t.Model == "" || columns == nil || columns.Kind != yaml.SequenceNode:
			return r.errorf(c, "a table has a title, a model and a list of columns")
		case t.Rows == nil:
			t.Rows = []string{""}
		}
		for _, v := range columns.Content {
			column, err := s.readColumn(r, v, len(t.Rows))
			if err != nil {
				return err
			}
			for _, row := range t.Rows {
				for _, config := range []string{column.Config, column.Over} {
					if config != "" && !runs[strings.Join([]string{t.Model, row, config}, "|")] {
						return r.errorf(v, "%s with %q is no run of %q", t.Model, row, config)
					}
				}
			}
			t.Columns = append(t.Columns, column)
		}
		for i, x := range t.Columns {
			if x.Over != "" && !slices.ContainsFunc(t.Columns, func(y benchmarks.Column) bool { return y.Config == x.Over && y.Stat == x.Stat && y.Over == "" }) {
				return r.errorf(columns.Content[i], "no column of the table is about %s of %q", x.Stat, x.Over)
			}
		}
		s.Tables = append(s.Tables, t)
	}
	return nil
}

func (s *Suite) readColumn(r *reader, n *yaml.Node, rows int) (benchmarks.Column, error) {
	var x benchmarks.Column
	err := r.mapping(n, "column", fields{
		"name": &x.Name, "config": &x.Config, "over": &x.Over, "stat": &x.Stat,
		"add": func(key string, v *yaml.Node) (err error) {
			if x.Add, err = strconv.ParseFloat(v.Value, 64); err != nil {
				err = r.errorf(v, "%s: want a number", key)
			}
			return err
		},
		"kind": func(_ string, v *yaml.Node) error {
			x.Kind = benchmarks.Kind(v.Value)
			return nil
		},
		"values": func(key string, v *yaml.Node) error {
			if v.Kind != yaml.SequenceNode || len(v.Content) != rows {
				return r.errorf(v, "%s: want a list with one for each row, %d", key, rows)
			}
			for _, c := range v.Content {
				if c.Kind != yaml.ScalarNode {
					return r.errorf(c, "value: want a text")
				}
				x.Values = append(x.Values, c.Value)
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return x, err
	case x.Config == "" || x.Stat == "":
		return x, r.errorf(n, "a column has a config and a stat")
	case !slices.Contains(kinds, x.Kind):
		return x, r.errorf(n, "column: the kind is exact, ratio or reconstructed, not %q", x.Kind)
	case x.Over != "" && x.Add != 0:
		return x, r.errorf(n, "column: nothing is added to a ratio")
	case (x.Kind == benchmarks.Ratio) != (x.Over != ""):
		return x, r.errorf(n, "column: a ratio, and nothing else, is over another configuration")
	case x.Kind == benchmarks.Exact && x.Values == nil:
		return x, r.errorf(n, "column: what is exact has published values")
	}
	x.Name = cmp.Or(x.Name, x.Config)
	return x, nil
}
