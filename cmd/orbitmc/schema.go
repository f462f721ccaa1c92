package main

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/portfolio"
)

// This file describes what --json prints, as JSON schemas made of the types that are printed.

// outputs lists what is printed, by name, and the commands that do.
var outputs = []struct {
	name     string
	of       any
	commands string
}{
	{"result", jsonResult{}, "check bmc pdr explore induct reach"},
	{"sweep", jsonSweep{}, "sweep"},
	{"every", jsonEvery{}, "every"},
	{"detect", jsonDetect{}, "detect"},
	{"graph", jsonGraph{}, "detect"},
	{"rep", jsonRep{}, "rep"},
	{"quotient", jsonQuotient{}, "quotient"},
	{"replay", jsonReplay{}, "replay"},
	{"certify", portfolio.Certification{}, "certify"},
	{"event", jsonEvent{}, ""},
}

func schemaCommand() *cli.Command {
	var names []string
	for _, o := range outputs {
		names = append(names, o.name)
	}
	return command(&cli.Command{
		Name: "schema", ArgsUsage: "NAME",
		Usage: "print the JSON schema of an output: " + strings.Join(names, ", "),
		Description: `
result is what check, bmc, pdr, explore, induct and reach print with --json, graph what
detect prints of a graph, event a line of --json-events. The others are called as the
commands that print them.`,
		Action: func(c *cli.Context) error {
			for _, o := range outputs {
				if o.name == c.Args().First() {
					return printJSON(c.App.Writer, schemaOf(o.name, o.of))
				}
			}
			return fmt.Errorf("there is no output %q; there are %s", c.Args().First(), strings.Join(names, ", "))
		},
	})
}

// schemaOf returns the schema of a value.
func schemaOf(name string, of any) map[string]any {
	defs := map[string]any{}
	s := typeSchema(reflect.TypeOf(of), defs)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "orbitmc " + name
	if len(defs) > 0 {
		s["$defs"] = defs
	}
	return s
}

// typeSchema returns the schema of a type. Named types of fields go to defs.
func typeSchema(t reflect.Type, defs map[string]any) map[string]any {
	switch {
	case t == reflect.TypeFor[*big.Int]():
		return map[string]any{"type": "integer"}
	case t.Kind() == reflect.Pointer:
		return typeSchema(t.Elem(), defs)
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": inner(t.Elem(), defs)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": inner(t.Elem(), defs)}
	case reflect.Struct:
		properties := map[string]any{}
		required := []string{}
		fields(t, defs, properties, &required)
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		return map[string]any{"type": "integer"}
	}
	panic("schema: " + t.String())
}

// inner is typeSchema for what is inside of a type.
func inner(t reflect.Type, defs map[string]any) map[string]any {
	if t.Kind() == reflect.Pointer && t != reflect.TypeFor[*big.Int]() {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.Name() == "" {
		return typeSchema(t, defs)
	}
	name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(t.Name(), "json"), "JSON"))
	if _, ok := defs[name]; !ok {
		defs[name] = nil // it may be inside of itself
		defs[name] = typeSchema(t, defs)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// fields adds the members of a struct. A tag enum lists the values of a text.
func fields(t reflect.Type, defs, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			fields(f.Type, defs, properties, required)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		s := inner(f.Type, defs)
		if values := f.Tag.Get("enum"); values != "" {
			s["enum"] = strings.Fields(values)
		}
		properties[name] = s
		if !strings.Contains(options, "omitempty") {
			*required = append(*required, name)
		}
	}
}
