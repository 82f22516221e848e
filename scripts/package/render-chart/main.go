// Command render-chart writes what the templates of a Helm chart make of values, so that they can be checked
// where Helm is not available. It has Helm's own engine, text/template, and the few functions that the chart
// uses; what Helm would print as YAML comes as JSON, which is YAML as well.
//
//	render-chart templates/ <facts.json
//
// The facts are {"Chart", "Values", "Release"}.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"
)

func functions(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out strings.Builder
			err := all.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"nindent": func(width int, text string) string {
			indent := strings.Repeat(" ", width)
			return "\n" + indent + strings.ReplaceAll(text, "\n", "\n"+indent)
		},
		"default": func(otherwise, value any) any {
			if value == nil || reflect.ValueOf(value).IsZero() {
				return otherwise
			}
			return value
		},
		"quote": func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"list":  func(items ...any) []any { return items },
		"int":   func(value float64) int { return int(value) },
	}
}

func render(folder string) error {
	var facts map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&facts); err != nil {
		return err
	}
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	if all, err = all.ParseFiles(files...); err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") || !strings.HasSuffix(name, ".yaml") {
			continue
		}
		fmt.Println("---")
		if err := all.ExecuteTemplate(os.Stdout, name, facts); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: render-chart TEMPLATES <facts.json")
		os.Exit(2)
	}
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
